/* crypto.h - what the gate needs of OpenSSL, in its own words.
 *
 * crypto.c is the only file that includes it. What OpenSSL reports about a
 * failure stays in there: after a call the thread's error queue is as it was.
 *
 * Threads: pure functions. A wkg__public_key does not change once it is made;
 * any number of threads may verify with one. */
#ifndef WKG_CRYPTO_H
#define WKG_CRYPTO_H

#include "../internal.h"

#include <wicketgate/grant.h>

enum { WKG__SHA256_SIZE = 32, WKG__SIGNATURE_SIZE = 64 };

/* WKG_E_CRYPTO, here and below: OpenSSL could not, out of memory included. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__sha256(uint8_t digest[WKG__SHA256_SIZE], wkg_span in);

/* Equal in length and bytes; the time depends on the length alone. */
WKG_HIDDEN bool wkg__equal(wkg_span a, wkg_span b);

/* ---- Ed25519 (RFC 8032, without context or prehash) ---- */

WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__sign(uint8_t signature[WKG__SIGNATURE_SIZE], wkg_span message,
          const uint8_t seed[WKG_KEY_SIZE]);

typedef struct wkg__public_key wkg__public_key;

/* WKG_E_INVALID: no point of the curve in its one spelling, or one of small
 * order. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__public_key_new(wkg__public_key **out, const uint8_t raw[WKG_KEY_SIZE],
                    const wkg_allocator *allocator);
WKG_HIDDEN void wkg__public_key_free(wkg__public_key *key); /* NULL is fine */

/* WKG_OK: signed. WKG_E_REFUSED: not, and anything of another length is not. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__verify(const wkg__public_key *key, wkg_span message, wkg_span signature);

#endif
