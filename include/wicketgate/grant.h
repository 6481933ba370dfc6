/* grant.h - a signed permission to execute one intent.
 *
 * A grant is a compact JWS (RFC 7515), EdDSA over Ed25519 and nothing else: the
 * algorithm is never taken from the token (X6). Header {alg, kid, typ}; claims
 *
 *   decision_id, dossier_id, decision "allow", scope "execute",
 *   binding {intent_hash}, iss, aud "system:operation", jti, iat, nbf, exp
 *
 * and no others, each once. Valid iff nbf * 1000 <= now_ms < exp * 1000 and exp
 * is not behind the intent's expiry. Times are whole seconds since 1970, no
 * tolerance, no clock in here.
 *
 * Threads: a wkg_keyring is changed by one thread while no other uses it, and
 * verified with by any number. Everything else is pure. */
#ifndef WICKETGATE_GRANT_H
#define WICKETGATE_GRANT_H

#include "base.h"
#include "intent.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WKG_KEY_SIZE 32u        /* of a raw public key, and of a seed */
#define WKG_KID_MAX 128u
#define WKG_ID_MAX 200u         /* decision, dossier and grant ids, in bytes */
#define WKG_GRANT_TOKEN_MAX 8192u /* longer tokens are refused unread */

/* ---- keys ---- */

typedef struct wkg_keyring wkg_keyring;

/* `issuer` is what `iss` must be; copied. `allocator` NULL means malloc. */
WKG_API WKG_MUST_USE wkg_status
wkg_keyring_new(wkg_keyring **out, wkg_span issuer,
                const wkg_allocator *allocator);
WKG_API void wkg_keyring_free(wkg_keyring *keyring); /* NULL is fine */

/* Trust a raw Ed25519 public key under `kid`; an empty kid means its RFC 7638
 * thumbprint. WKG_E_DUPLICATE: the kid is taken, even by a revoked key.
 * WKG_E_INVALID: not a key anyone should trust: one of the 14 encodings of
 * small order, with which signatures made without any key verify, or no point of
 * the curve in its one spelling. */
WKG_API WKG_MUST_USE wkg_status
wkg_keyring_add(wkg_keyring *keyring, wkg_span kid,
                const uint8_t key[WKG_KEY_SIZE]);

/* From now on nothing verifies under `kid`, though the same key under another
 * kid still does. WKG_E_NOT_FOUND if nothing verified under it. */
WKG_API WKG_MUST_USE wkg_status
wkg_keyring_revoke(wkg_keyring *keyring, wkg_span kid);

/* The RFC 7638 thumbprint of a key: 43 characters of base64url. */
WKG_API WKG_MUST_USE wkg_status
wkg_key_thumbprint(uint8_t out[43], const uint8_t key[WKG_KEY_SIZE]);

/* Read a key from PEM (PKCS#8 private, SPKI public; Ed25519 only), write one.
 * WKG_E_SYNTAX: not exactly one block and nothing around it. WKG_E_INVALID: not
 * such a key. */
WKG_API WKG_MUST_USE wkg_status
wkg_key_public_from_pem(uint8_t key[WKG_KEY_SIZE], wkg_span pem);
WKG_API WKG_MUST_USE wkg_status
wkg_key_seed_from_pem(uint8_t seed[WKG_KEY_SIZE], wkg_span pem);
WKG_API WKG_MUST_USE wkg_status
wkg_key_public_of_seed(uint8_t key[WKG_KEY_SIZE],
                       const uint8_t seed[WKG_KEY_SIZE]);
WKG_API WKG_MUST_USE wkg_status
wkg_key_public_to_pem(wkg_buf *out, const uint8_t key[WKG_KEY_SIZE]);
WKG_API WKG_MUST_USE wkg_status
wkg_key_seed_to_pem(wkg_buf *out, const uint8_t seed[WKG_KEY_SIZE]);

/* Overwrite a secret in a way the compiler may not leave out. */
WKG_API void wkg_wipe(void *secret, size_t size);

/* ---- grants ---- */

/* Text of a bounded length, kept by value. */
typedef struct wkg_id {
	uint8_t text[WKG_ID_MAX];
	size_t len;
} wkg_id;

/* What a valid token says. */
typedef struct wkg_grant {
	wkg_id id;          /* jti: what is claimed, once */
	wkg_id decision_id;
	wkg_id dossier_id;
	uint8_t intent_hash[WKG_INTENT_HASH_LEN];
	int64_t expires;    /* exp, seconds since 1970 */
} wkg_grant;

WKG_API size_t wkg_grant_work_size(size_t token_len);

/* Is this token a grant for this intent, now? Checks all of the above; does
 * not spend it. *grant is all zero unless the result is WKG_OK; every reason to
 * refuse is WKG_E_REFUSED, and which one is not told.
 *
 * WKG_E_SPACE: the work area is too small. WKG_E_CRYPTO: OpenSSL could not. */
WKG_API WKG_MUST_USE wkg_status
wkg_grant_verify(wkg_grant *grant, wkg_span token, const wkg_keyring *keyring,
                 const wkg_intent *intent, int64_t now_ms, wkg_work work);

/* What an authority puts into a grant. */
typedef struct wkg_grant_claims {
	wkg_span issuer, audience, decision_id, dossier_id, grant_id;
	wkg_span intent_hash;
	int64_t issued; /* seconds; also nbf */
	int64_t expires;
} wkg_grant_claims;

/* Append a token signed with `seed`, its key under `kid` (empty: thumbprint).
 * Room of WKG_GRANT_TOKEN_MAX and work of wkg_grant_work_size() of that suffice.
 *
 * WKG_E_ARGUMENT: ids, hash or times that no grant can have, an overlap.
 * WKG_E_LIMIT:    the token would be longer than a verifier reads. */
WKG_API WKG_MUST_USE wkg_status
wkg_grant_sign(wkg_buf *out, const wkg_grant_claims *claims, wkg_span kid,
               const uint8_t seed[WKG_KEY_SIZE], wkg_work work);

#ifdef __cplusplus
}
#endif
#endif
