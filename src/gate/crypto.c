/* crypto.c - hashing, signatures and keys. The only file that knows OpenSSL.
 *
 * OpenSSL is used with care (each of these was a measured hole elsewhere):
 *
 *   - it takes public keys of small order, under which anybody can sign, and
 *     keys that are no point at all: both are refused in here;
 *   - it answers 1, 0 or something negative: only 1 is yes;
 *   - it leaves what went wrong on a queue of the thread, where the next call
 *     of the application finds it: every call stands between a mark and
 *     settle();
 *   - a comparison of no bytes is "equal", a length of int may wrap: lengths
 *     are checked before it sees anything.
 *
 * Nothing is prefetched. Finding SHA-256 takes 0.2 microseconds and setting up a
 * context 3, next to the 80 of a verification (bench/grant.c), and objects
 * kept for that would be state that outlives a call. */
#include "crypto.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <string.h>

/* The end of every call that began with ERR_set_mark(). */
static wkg_status
settle(wkg_status status)
{
	ERR_pop_to_mark();
	return status;
}

/* OpenSSL takes NULL for "not given", also where there are no bytes. */
static const uint8_t *
bytes_of(wkg_span span)
{
	static const uint8_t none = 0;
	return span.len == 0 ? &none : span.ptr;
}

wkg_status
wkg__sha256(uint8_t digest[WKG__SHA256_SIZE], wkg_span in)
{
	ERR_set_mark();
	int done = EVP_Digest(bytes_of(in), in.len, digest, NULL, EVP_sha256(), NULL);
	return settle(done == 1 ? WKG_OK : WKG_E_CRYPTO);
}

bool
wkg__equal(wkg_span a, wkg_span b)
{
	return a.len == b.len &&
	       CRYPTO_memcmp(bytes_of(a), bytes_of(b), a.len) == 0;
}

void
wkg_wipe(void *secret, size_t size)
{
	if (secret != NULL)
		OPENSSL_cleanse(secret, size);
}

/* ---- signing ------------------------------------------------------------ */

static EVP_PKEY *
private_key(const uint8_t seed[WKG_KEY_SIZE])
{
	return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed,
	                                    WKG_KEY_SIZE);
}

static bool
sign_with(uint8_t *signature, EVP_PKEY *key, EVP_MD_CTX *ctx, wkg_span message)
{
	size_t size = WKG__SIGNATURE_SIZE;
	return key != NULL && ctx != NULL &&
	       EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) == 1 &&
	       EVP_DigestSign(ctx, signature, &size, bytes_of(message),
	                      message.len) == 1 &&
	       size == WKG__SIGNATURE_SIZE;
}

wkg_status
wkg__sign(uint8_t signature[WKG__SIGNATURE_SIZE], wkg_span message,
          const uint8_t seed[WKG_KEY_SIZE])
{
	ERR_set_mark();
	EVP_PKEY *key = private_key(seed);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool done = sign_with(signature, key, ctx, message);
	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(key);
	return settle(done ? WKG_OK : WKG_E_CRYPTO);
}

wkg_status
wkg_key_public_of_seed(uint8_t key[WKG_KEY_SIZE],
                       const uint8_t seed[WKG_KEY_SIZE])
{
	uint8_t raw[WKG_KEY_SIZE];
	size_t size = sizeof raw;
	if (key == NULL || seed == NULL)
		return WKG_E_ARGUMENT;
	ERR_set_mark();
	EVP_PKEY *pair = private_key(seed);
	bool done = pair != NULL &&
	            EVP_PKEY_get_raw_public_key(pair, raw, &size) == 1 &&
	            size == sizeof raw;
	EVP_PKEY_free(pair);
	if (done)
		memcpy(key, raw, sizeof raw);
	return settle(done ? WKG_OK : WKG_E_CRYPTO);
}

/* ---- public keys -------------------------------------------------------- */

/* Every encoding of a point P with 8P = 0, little-endian y, the sign of x in
 * the last bit: the eight canonical ones, and the six more that decoders take
 * which forget RFC 8032, 5.1.3 (y >= p, or a sign where x is 0). Such a key
 * makes the hash in the verification equation vanish, so that signatures which
 * nobody made verify, for the neutral element even one for all messages.
 *
 * Konstantinos Chalkias, Francois Garillot, Valeria Nikolaenko, Taming the many
 * EdDSAs, SSR 2020, lists them; conformance/grant.py computes them afresh. */
/* clang-format off */
static const uint8_t small_order[][WKG_KEY_SIZE] = {
	/* y = 0, order 4 */
	{ 0x00, [31] = 0x00 }, { 0x00, [31] = 0x80 },
	/* y = 1, the neutral element */
	{ 0x01, [31] = 0x00 }, { 0x01, [31] = 0x80 },
	/* order 8 */
	{ 0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0,
	  0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
	  0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39,
	  0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05 },
	{ 0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0,
	  0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
	  0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39,
	  0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x85 },
	{ 0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F,
	  0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
	  0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6,
	  0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A },
	{ 0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F,
	  0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
	  0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6,
	  0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0xFA },
	/* y = p - 1, order 2; y = p and p + 1, which are 0 and 1 again */
#define ONES 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, \
	     0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, \
	     0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF
	{ 0xEC, ONES, 0x7F }, { 0xEC, ONES, 0xFF },
	{ 0xED, ONES, 0x7F }, { 0xED, ONES, 0xFF },
	{ 0xEE, ONES, 0x7F }, { 0xEE, ONES, 0xFF },
#undef ONES
};
/* clang-format on */

static bool
has_small_order(const uint8_t raw[WKG_KEY_SIZE])
{
	for (size_t i = 0; i < sizeof small_order / sizeof *small_order; i++)
		if (memcmp(raw, small_order[i], WKG_KEY_SIZE) == 0)
			return true;
	return false;
}

/* Numbers of a computation modulo p = 2^255 - 19. */
typedef struct curve {
	BN_CTX *ctx;
	BIGNUM *p, *d, *y, *u, *v;
} curve;

static bool
set_up(curve *c, const uint8_t y[WKG_KEY_SIZE])
{
	BN_CTX_start(c->ctx);
	c->p = BN_CTX_get(c->ctx);
	c->d = BN_CTX_get(c->ctx);
	c->y = BN_CTX_get(c->ctx);
	c->u = BN_CTX_get(c->ctx);
	c->v = BN_CTX_get(c->ctx);
	return c->v != NULL && /* once one is NULL, all behind it are */
	       BN_hex2bn(&c->p, "7fffffffffffffffffffffffffffffff"
	                        "ffffffffffffffffffffffffffffffed") == 64 &&
	       BN_hex2bn(&c->d, "52036cee2b6ffe738cc740797779e898"
	                        "00700a4d4141d8ab75eb4dca135978a3") == 64 &&
	       BN_lebin2bn(y, WKG_KEY_SIZE, c->y) != NULL;
}

/* RFC 8032, 5.1.3: y is below p, and (y^2 - 1) / (d y^2 + 1) is a square. So is
 * then the product of the two, which needs no division. */
static wkg_status
check_point(curve *c, const uint8_t raw[WKG_KEY_SIZE])
{
	uint8_t y[WKG_KEY_SIZE];
	memcpy(y, raw, sizeof y);
	y[31] &= 0x7F; /* the sign of x */
	if (!set_up(c, y))
		return WKG_E_CRYPTO;
	if (BN_cmp(c->y, c->p) >= 0)
		return WKG_E_INVALID;
	if (BN_mod_sqr(c->u, c->y, c->p, c->ctx) != 1 ||
	    BN_mod_mul(c->v, c->u, c->d, c->p, c->ctx) != 1 ||
	    BN_sub_word(c->u, 1) != 1 || BN_add_word(c->v, 1) != 1 ||
	    BN_mod_mul(c->u, c->u, c->v, c->p, c->ctx) != 1)
		return WKG_E_CRYPTO;
	switch (BN_kronecker(c->u, c->p, c->ctx)) {
	case 0:
	case 1: return WKG_OK;
	case -1: return WKG_E_INVALID;
	default: return WKG_E_CRYPTO;
	}
}

/* OpenSSL looks at the point only when it verifies, and then takes y >= p. */
static wkg_status
check_key(const uint8_t raw[WKG_KEY_SIZE])
{
	if (has_small_order(raw))
		return WKG_E_INVALID;
	curve c = { .ctx = BN_CTX_new() };
	if (c.ctx == NULL)
		return WKG_E_CRYPTO;
	wkg_status status = check_point(&c, raw);
	BN_CTX_end(c.ctx);
	BN_CTX_free(c.ctx);
	return status;
}

struct wkg__public_key {
	wkg_allocator allocator;
	EVP_PKEY *pkey;
};

static wkg_status
make_key(wkg__public_key **out, const uint8_t raw[WKG_KEY_SIZE],
         const wkg_allocator *allocator)
{
	WKG_TRY(check_key(raw));
	wkg__public_key *key = allocator->acquire(allocator->ctx, sizeof *key);
	if (key == NULL)
		return WKG_E_MEMORY;
	key->allocator = *allocator;
	key->pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, raw,
	                                        WKG_KEY_SIZE);
	if (key->pkey == NULL) {
		allocator->release(allocator->ctx, key);
		return WKG_E_CRYPTO;
	}
	*out = key;
	return WKG_OK;
}

wkg_status
wkg__public_key_new(wkg__public_key **out, const uint8_t raw[WKG_KEY_SIZE],
                    const wkg_allocator *allocator)
{
	ERR_set_mark();
	return settle(make_key(out, raw, allocator));
}

void
wkg__public_key_free(wkg__public_key *key)
{
	if (key == NULL)
		return;
	wkg_allocator allocator = key->allocator;
	EVP_PKEY_free(key->pkey);
	allocator.release(allocator.ctx, key);
}

/* Whether S is below the order of the group, and so the only one of its kind,
 * is for OpenSSL to check, and it does. */
wkg_status
wkg__verify(const wkg__public_key *key, wkg_span message, wkg_span signature)
{
	if (signature.len != WKG__SIGNATURE_SIZE)
		return WKG_E_REFUSED;
	ERR_set_mark();
	int result = -1;
	EVP_MD_CTX *ctx = EVP_MD_CTX_new(); /* keys are shared, contexts not */
	if (ctx != NULL &&
	    EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, key->pkey) == 1)
		result = EVP_DigestVerify(ctx, signature.ptr, signature.len,
		                          bytes_of(message), message.len);
	EVP_MD_CTX_free(ctx);
	if (result == 1)
		return settle(WKG_OK);
	return settle(result == 0 ? WKG_E_REFUSED : WKG_E_CRYPTO);
}

/* ---- PEM ---------------------------------------------------------------- */

/* DER has one spelling, and for these keys (RFC 8410) it is a prefix and the
 * 32 bytes: nothing to parse. */
typedef struct pem_form {
	const char *label;
	uint8_t prefix[16];
	size_t prefix_len;
} pem_form;

/* SubjectPublicKeyInfo { { 1.3.101.112 }, BIT STRING } */
static const pem_form public_form = {
	"PUBLIC KEY",
	{ 0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00 },
	12,
};

/* OneAsymmetricKey { 0, { 1.3.101.112 }, OCTET STRING of an OCTET STRING } */
static const pem_form private_form = {
	"PRIVATE KEY",
	{ 0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70,
	  0x04, 0x22, 0x04, 0x20 },
	16,
};

enum { PEM_TEXT_MAX = 1024, DER_MAX = 16 + WKG_KEY_SIZE };

/* One block and nothing around it: a second key, or a note on whose key it is,
 * would be dropped without a word. */
static wkg_status
read_block(uint8_t key[WKG_KEY_SIZE], BIO *bio, const pem_form *form)
{
	const unsigned flags = PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE;
	char *label = NULL, *header = NULL;
	unsigned char *der = NULL;
	long size = 0;
	if (PEM_read_bio_ex(bio, &label, &header, &der, &size, flags) != 1)
		return WKG_E_SYNTAX;
	bool good = BIO_pending(bio) == 0 && header[0] == '\0' &&
	            strcmp(label, form->label) == 0 &&
	            size == (long)(form->prefix_len + WKG_KEY_SIZE) &&
	            memcmp(der, form->prefix, form->prefix_len) == 0;
	if (good)
		memcpy(key, der + form->prefix_len, WKG_KEY_SIZE);
	OPENSSL_secure_free(label);
	OPENSSL_secure_free(header);
	OPENSSL_secure_clear_free(der, (size_t)size);
	return good ? WKG_OK : WKG_E_INVALID;
}

static wkg_status
read_pem(uint8_t key[WKG_KEY_SIZE], wkg_span pem, const pem_form *form)
{
	static const wkg_span begin = WKG_LIT("-----BEGIN ");
	if (key == NULL || (pem.ptr == NULL && pem.len > 0))
		return WKG_E_ARGUMENT;
	if (pem.len > PEM_TEXT_MAX || pem.len < begin.len ||
	    memcmp(pem.ptr, begin.ptr, begin.len) != 0)
		return WKG_E_SYNTAX;
	ERR_set_mark();
	BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
	wkg_status status = bio == NULL ? WKG_E_CRYPTO :
	                                  read_block(key, bio, form);
	BIO_free(bio);
	return settle(status);
}

static wkg_status
write_block(wkg_buf *out, BIO *bio, const uint8_t key[WKG_KEY_SIZE],
            const pem_form *form)
{
	uint8_t der[DER_MAX];
	memcpy(der, form->prefix, form->prefix_len);
	memcpy(der + form->prefix_len, key, WKG_KEY_SIZE);
	int done = PEM_write_bio(bio, form->label, "", der,
	                         (long)(form->prefix_len + WKG_KEY_SIZE));
	wkg_wipe(der, sizeof der);
	char *text = NULL;
	long size = BIO_get_mem_data(bio, &text);
	if (done <= 0 || text == NULL || size <= 0)
		return WKG_E_CRYPTO;
	return wkg__append(out, (const uint8_t *)text, (size_t)size);
}

static wkg_status
write_pem(wkg_buf *out, const uint8_t key[WKG_KEY_SIZE], const pem_form *form)
{
	wkg_span in = { key, WKG_KEY_SIZE };
	WKG_TRY(wkg__check_spans(out, in));
	ERR_set_mark();
	BIO *bio = BIO_new(BIO_s_secmem()); /* erases what it held */
	wkg_status status = bio == NULL ? WKG_E_CRYPTO :
	                                  write_block(out, bio, key, form);
	BIO_free(bio);
	return settle(status);
}

wkg_status
wkg_key_public_from_pem(uint8_t key[WKG_KEY_SIZE], wkg_span pem)
{
	return read_pem(key, pem, &public_form);
}

wkg_status
wkg_key_seed_from_pem(uint8_t seed[WKG_KEY_SIZE], wkg_span pem)
{
	return read_pem(seed, pem, &private_form);
}

wkg_status
wkg_key_public_to_pem(wkg_buf *out, const uint8_t key[WKG_KEY_SIZE])
{
	return write_pem(out, key, &public_form);
}

wkg_status
wkg_key_seed_to_pem(wkg_buf *out, const uint8_t seed[WKG_KEY_SIZE])
{
	return write_pem(out, seed, &private_form);
}
