/* X6, X9: who may sign, what a token must say, and that nothing else passes. */
#include "harness.h"

#include "../src/gate/base64url.h"
#include "../src/gate/crypto.h"
#include "../src/gate/tape.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <wicketgate/grant.h>

#define HASH "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_HASH "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdee"
#define ISSUER "authority"
#define AUDIENCE "orders:refund"
#define NOW 1700000000 /* seconds */

static wkg_span
text_of(const char *literal)
{
	wkg_span text = { (const uint8_t *)literal, strlen(literal) };
	return text;
}

static wkg_span
unhex(const char *digits)
{
	size_t n = strlen(digits) / 2;
	uint8_t *bytes = memory(n + 1);
	for (size_t i = 0; i < n; i++) {
		unsigned value;
		if (sscanf(digits + 2 * i, "%2x", &value) != 1)
			abort();
		bytes[i] = (uint8_t)value;
	}
	wkg_span span = { bytes, n };
	return span;
}

/* In memory of exactly its size. */
static wkg_span
copy_of(wkg_span text)
{
	wkg_span copy = { memory(text.len == 0 ? 1 : text.len), text.len };
	if (text.len > 0)
		memcpy((uint8_t *)(uintptr_t)copy.ptr, text.ptr, text.len);
	return copy;
}

static bool
all_zero(const void *object, size_t size)
{
	const uint8_t *byte = object;
	while (size > 0 && byte[size - 1] == 0)
		size--;
	return size == 0;
}

static wkg_work
work_for(size_t token_len)
{
	size_t size = wkg_grant_work_size(token_len);
	wkg_work work = { memory(size), size };
	return work;
}

/* ---- base64url ---------------------------------------------------------- */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static int
digit(uint8_t c)
{
	const char *p = c == 0 ? NULL : strchr(alphabet, c);
	return p == NULL ? -1 : (int)(p - alphabet);
}

/* What RFC 4648 says a text of up to four characters stands for. */
static bool
decodes_to(const uint8_t *text, size_t len, uint8_t bytes[3], size_t *count)
{
	uint32_t bits = 0;
	*count = len * 6 / 8;
	for (size_t i = 0; i < 4; i++) {
		int value = i < len ? digit(text[i]) : 0;
		if (value < 0)
			return false;
		bits = bits << 6 | (uint32_t)value;
	}
	for (size_t i = 0; i < 3; i++)
		bytes[i] = (uint8_t)(bits >> (16 - 8 * i));
	bool rest_is_zero = (bits & ((1u << (24 - 8 * *count)) - 1)) == 0;
	return len % 4 != 1 && rest_is_zero;
}

static bool
decoder_agrees(const uint8_t *text, size_t len)
{
	uint8_t bytes[3], got[3];
	size_t count;
	wkg_span in = { text, len };
	wkg_buf out = { got, 0, len * 6 / 8 };
	bool valid = decodes_to(text, len, bytes, &count);
	wkg_status status = wkg__base64url_decode(&out, in);
	if (!valid)
		return status == WKG_E_SYNTAX && out.len == 0;
	return status == WKG_OK && out.len == count && memcmp(got, bytes, count) == 0;
}

static bool
decoder_agrees_everywhere(void)
{
	uint8_t t[4] = { 0 };
	bool agrees = decoder_agrees(t, 0);
	for (unsigned i = 0; i < 1u << 16; i++) {
		t[0] = (uint8_t)i;
		t[1] = (uint8_t)(i >> 8);
		agrees = agrees && decoder_agrees(t, 1) && decoder_agrees(t, 2);
	}
	for (unsigned i = 0; i < 1u << 20; i++) {
		t[0] = (uint8_t)alphabet[i & 63];
		t[1] = (uint8_t)alphabet[i >> 6 & 63];
		t[2] = (uint8_t)(i >> 12);
		t[3] = (uint8_t)~t[2];
		agrees = agrees && decoder_agrees(t, 3) && decoder_agrees(t, 4);
	}
	return agrees;
}

static bool
round_trips(const uint8_t *bytes, size_t len)
{
	uint8_t text[8], back[8];
	wkg_span in = { bytes, len };
	wkg_buf out = { text, 0, wkg__base64url_size(len) }, again = { back, 0, len };
	return wkg__base64url_encode(&out, in) == WKG_OK && out.len == out.cap &&
	       wkg__base64url_decode(&again, wkg_buf_span(&out)) == WKG_OK &&
	       again.len == len && memcmp(back, bytes, len) == 0;
}

static bool
encoder_round_trips_everywhere(void)
{
	uint8_t b[6] = { 0xFF, 0x00, 0x10 };
	bool holds = round_trips(b, 0);
	for (unsigned i = 0; i < 1u << 16; i++) {
		b[0] = (uint8_t)i;
		b[1] = (uint8_t)(i >> 8);
		b[2] = (uint8_t)(i * 167 >> 3);
		for (size_t len = 1; len <= 5; len++)
			holds = holds && round_trips(b, len);
	}
	return holds;
}

static bool
encodes(wkg_span in, wkg_span expected)
{
	wkg_buf out = fresh(), small = { room, 0, expected.len - 1 };
	return wkg__base64url_encode(&out, in) == WKG_OK && holds(&out, expected) &&
	       wkg__base64url_encode(&small, in) == WKG_E_SPACE && small.len == 0;
}

static void
base64url(void)
{
	CLAIM("X6 base64url: RFC 4648 section 10, without the padding", encodes(TEXT("f"), TEXT("Zg")) && encodes(TEXT("fo"), TEXT("Zm8")) && encodes(TEXT("foo"), TEXT("Zm9v")) && encodes(TEXT("foob"), TEXT("Zm9vYg")) && encodes(TEXT("fooba"), TEXT("Zm9vYmE")) && encodes(TEXT("foobar"), TEXT("Zm9vYmFy")));
	CLAIM("X6 base64url: the two characters that are not base64's", encodes(TEXT("\xFB\xFF\xFE"), TEXT("-__-")));
	CLAIM("X6 base64url: every text of two bytes, a million of three and four: accepted iff it is the one spelling", decoder_agrees_everywhere());
	CLAIM("X6 base64url: what was encoded decodes to itself", encoder_round_trips_everywhere());
	CLAIM("X6 base64url: sizes do not wrap", wkg__base64url_size(SIZE_MAX) == SIZE_MAX && wkg__base64url_size(0) == 0);
}

/* ---- the primitives ----------------------------------------------------- */

typedef struct rfc8032 {
	const char *seed, *key, *message, *signature;
} rfc8032;

static const rfc8032 vectors[] = {
	{ "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
	  "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
	  "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b" },
	{ "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
	  "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
	  "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00" },
	{ "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
	  "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
	  "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a" },
	{ "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
	  "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
	  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
	  "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704" },
};

static void *
test_acquire(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size);
}

static void
test_release(void *ctx, void *ptr)
{
	(void)ctx;
	free(ptr);
}

static const wkg_allocator plain = { test_acquire, test_release, NULL };

static wkg_status
verify_once(wkg_span key, wkg_span message, wkg_span signature)
{
	wkg__public_key *k = NULL;
	wkg_status status = wkg__public_key_new(&k, key.ptr, &plain);
	if (status == WKG_OK)
		status = wkg__verify(k, message, signature);
	wkg__public_key_free(k);
	return status;
}

static bool
vector_holds(const rfc8032 *v)
{
	wkg_span seed = unhex(v->seed), key = unhex(v->key), message = unhex(v->message);
	wkg_span expected = unhex(v->signature);
	uint8_t signature[64], derived[WKG_KEY_SIZE];
	wkg_span made = { signature, sizeof signature }, of_seed = { derived, sizeof derived };
	return wkg_key_public_of_seed(derived, seed.ptr) == WKG_OK && same(of_seed, key) &&
	       wkg__sign(signature, message, seed.ptr) == WKG_OK && same(made, expected) &&
	       verify_once(key, message, expected) == WKG_OK &&
	       verify_once(key, join(message, TEXT("!")), expected) == WKG_E_REFUSED;
}

/* RFC 8037, A.4 and A.5: the JWS of a key whose header has no kid. */
#define JWS_INPUT "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
#define JWS_SIGNATURE "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"

static bool
jws_holds(void)
{
	uint8_t signature[64], decoded[64];
	wkg_span made = { signature, sizeof signature };
	wkg_buf out = fresh(), back = { decoded, 0, sizeof decoded };
	return wkg__sign(signature, TEXT(JWS_INPUT), unhex(vectors[0].seed).ptr) == WKG_OK &&
	       wkg__base64url_encode(&out, made) == WKG_OK && holds(&out, TEXT(JWS_SIGNATURE)) &&
	       wkg__base64url_decode(&back, TEXT(JWS_SIGNATURE)) == WKG_OK &&
	       verify_once(unhex(vectors[0].key), TEXT(JWS_INPUT), wkg_buf_span(&back)) == WKG_OK;
}

/* L, the order of the group, little-endian. */
#define ORDER "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"

/* The same signature with S + L for S, which proves as much. */
static wkg_span
malleated(wkg_span signature)
{
	wkg_span order = unhex(ORDER);
	uint8_t *bytes = memory(64);
	unsigned carry = 0;
	memcpy(bytes, signature.ptr, 64);
	for (size_t i = 0; i < 32; i++) {
		carry += (unsigned)bytes[32 + i] + order.ptr[i];
		bytes[32 + i] = (uint8_t)carry;
		carry >>= 8;
	}
	wkg_span span = { bytes, 64 };
	return span;
}

static bool
lengths_are_checked(void)
{
	wkg_span key = unhex(vectors[1].key), message = unhex(vectors[1].message);
	wkg_span signature = join(unhex(vectors[1].signature), TEXT("more"));
	bool all = true;
	for (signature.len = 0; signature.len <= 68; signature.len++)
		all = all && verify_once(key, message, signature) == (signature.len == 64 ? WKG_OK : WKG_E_REFUSED);
	return all;
}

static void
primitives(void)
{
	uint8_t digest[32], secret[64];
	wkg_span hash = { digest, sizeof digest }, message = unhex(vectors[1].message);
	CLAIM("SHA-256 of nothing and of \"abc\" (FIPS 180-2)", wkg__sha256(digest, (wkg_span){ NULL, 0 }) == WKG_OK && same(hash, unhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")) && wkg__sha256(digest, TEXT("abc")) == WKG_OK && same(hash, unhex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")));
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		CLAIM("Ed25519: RFC 8032, 7.1: key, signature, verification", vector_holds(&vectors[i]));
	CLAIM("Ed25519: RFC 8037, A.4 and A.5: a compact JWS", jws_holds());
	CLAIM("X6 S + L is refused: a signature has one spelling", verify_once(unhex(vectors[1].key), message, malleated(unhex(vectors[1].signature))) == WKG_E_REFUSED);
	CLAIM("X6 a signature of any length but 64 is refused", lengths_are_checked());
	CLAIM("comparing: equal bytes, other bytes, another length, nothing", wkg__equal(TEXT("abc"), TEXT("abc")) && !wkg__equal(TEXT("abc"), TEXT("abd")) && !wkg__equal(TEXT("abc"), TEXT("ab")) && !wkg__equal(TEXT("abc"), TEXT("")) && wkg__equal((wkg_span){ NULL, 0 }, TEXT("")));
	memset(secret, 0xA7, sizeof secret);
	wkg_wipe(secret, sizeof secret);
	wkg_wipe(NULL, 0);
	CLAIM("a secret is gone after wkg_wipe()", all_zero(secret, sizeof secret));
	CLAIM("no argument may be NULL", wkg_key_public_of_seed(NULL, secret) == WKG_E_ARGUMENT && wkg_key_public_of_seed(secret, NULL) == WKG_E_ARGUMENT && wkg_key_thumbprint(NULL, secret) == WKG_E_ARGUMENT && wkg_key_thumbprint(secret, NULL) == WKG_E_ARGUMENT);
}

/* ---- PEM ---------------------------------------------------------------- */

#define PUBLIC_BODY "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
#define PRIVATE_BODY "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"
#define PUBLIC(body) "-----BEGIN PUBLIC KEY-----\n" body "\n-----END PUBLIC KEY-----\n"
#define PRIVATE(body) "-----BEGIN PRIVATE KEY-----\n" body "\n-----END PRIVATE KEY-----\n"

typedef wkg_status (*pem_reader)(uint8_t *key, wkg_span pem);

static bool
reads(pem_reader reader, wkg_span pem, wkg_span expected)
{
	uint8_t *key = memory(WKG_KEY_SIZE); /* exactly */
	wkg_span got = { key, WKG_KEY_SIZE };
	return reader(key, pem) == WKG_OK && same(got, expected) && ERR_peek_error() == 0;
}

static bool
reads_not(pem_reader reader, const char *pem)
{
	uint8_t key[WKG_KEY_SIZE] = { 0 };
	wkg_span exact = copy_of(text_of(pem));
	wkg_status status = reader(key, exact);
	return (status == WKG_E_SYNTAX || status == WKG_E_INVALID) && all_zero(key, sizeof key) && ERR_peek_error() == 0;
}

static bool
public_not(const char *pem)
{
	return reads_not(wkg_key_public_from_pem, pem);
}

static bool
private_not(const char *pem)
{
	return reads_not(wkg_key_seed_from_pem, pem);
}

/* Every text with one byte changed, cut or missing means this key, or no key,
 * or another key if the byte is one of the key's own. */
static bool
survives_changes(pem_reader reader, wkg_span pem)
{
	uint8_t key[WKG_KEY_SIZE];
	wkg_span copy = copy_of(pem);
	for (size_t i = 0; i < copy.len; i++) {
		uint8_t *byte = (uint8_t *)(uintptr_t)&copy.ptr[i];
		wkg_span cut = copy_of((wkg_span){ copy.ptr, i });
		if (i + 1 < copy.len && reader(key, cut) == WKG_OK)
			return false;
		for (unsigned bit = 0; bit < 8; bit++) {
			*byte ^= (uint8_t)(1u << bit);
			wkg_status status = reader(key, copy);
			if (status != WKG_OK && status != WKG_E_SYNTAX && status != WKG_E_INVALID)
				return false;
			*byte ^= (uint8_t)(1u << bit);
		}
	}
	return ERR_peek_error() == 0;
}

static void
pem(void)
{
	wkg_span key = unhex(vectors[0].key), seed = unhex(vectors[0].seed);
	wkg_buf out = fresh();
	CLAIM("PEM: a public key is written as SPKI", wkg_key_public_to_pem(&out, key.ptr) == WKG_OK && holds(&out, TEXT(PUBLIC(PUBLIC_BODY))));
	out = fresh();
	CLAIM("PEM: a seed is written as PKCS#8", wkg_key_seed_to_pem(&out, seed.ptr) == WKG_OK && holds(&out, TEXT(PRIVATE(PRIVATE_BODY))));
	CLAIM("PEM: both are read again", reads(wkg_key_public_from_pem, TEXT(PUBLIC(PUBLIC_BODY)), key) && reads(wkg_key_seed_from_pem, TEXT(PRIVATE(PRIVATE_BODY)), seed));
	CLAIM("PEM: with CRLF, and without the last line feed", reads(wkg_key_public_from_pem, TEXT("-----BEGIN PUBLIC KEY-----\r\n" PUBLIC_BODY "\r\n-----END PUBLIC KEY-----\r\n"), key) && reads(wkg_key_seed_from_pem, TEXT("-----BEGIN PRIVATE KEY-----\n" PRIVATE_BODY "\n-----END PRIVATE KEY-----"), seed));
	CLAIM("PEM: a private key is not a public one, nor the reverse", public_not(PRIVATE(PRIVATE_BODY)) && private_not(PUBLIC(PUBLIC_BODY)) && public_not(PUBLIC(PRIVATE_BODY)) && private_not(PRIVATE(PUBLIC_BODY)));
	CLAIM("PEM: a key of 31 bytes is refused", public_not(PUBLIC("MCkwBQYDK2VwAyAA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHUQ==")) && private_not(PRIVATE("MC0CAQAwBQYDK2VwBCEEH51hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn8=")));
	CLAIM("PEM: an X25519 key is refused", public_not(PUBLIC("MCowBQYDK2VuAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")) && private_not(PRIVATE("MC4CAQAwBQYDK2VuBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g")));
	CLAIM("PEM: nothing may follow", public_not(PUBLIC(PUBLIC_BODY) "x") && public_not(PUBLIC(PUBLIC_BODY) "\n") && public_not(PUBLIC(PUBLIC_BODY) PUBLIC(PUBLIC_BODY)) && private_not(PRIVATE(PRIVATE_BODY) "# mine\n") && public_not("-----BEGIN PUBLIC KEY-----\n" PUBLIC_BODY "\n-----END PUBLIC KEY-----x\n"));
	CLAIM("PEM: nothing may stand before it", public_not("\n" PUBLIC(PUBLIC_BODY)) && public_not("key of the authority\n" PUBLIC(PUBLIC_BODY)) && private_not(" " PRIVATE(PRIVATE_BODY)));
	CLAIM("PEM: headers, encryption among them, are refused and nobody is asked for a password", private_not("-----BEGIN PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n" PRIVATE_BODY "\n-----END PRIVATE KEY-----\n") && private_not("-----BEGIN ENCRYPTED PRIVATE KEY-----\n" PRIVATE_BODY "\n-----END ENCRYPTED PRIVATE KEY-----\n"));
	CLAIM("PEM: bytes behind the key, inside the block, are refused", public_not(PUBLIC("MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURoA")));
	CLAIM("PEM: no text, or too much of it", public_not("") && public_not("-----BEGIN ") && reads_not(wkg_key_public_from_pem, (const char *)join(join(TEXT("-----BEGIN PUBLIC KEY-----\n"), repeat(TEXT("\n"), 2000)), TEXT(PUBLIC_BODY "\n-----END PUBLIC KEY-----\n\0")).ptr));
	CLAIM("PEM: cut anywhere it is no key; with any bit flipped it does no harm", survives_changes(wkg_key_public_from_pem, TEXT("-----BEGIN PUBLIC KEY-----\n" PUBLIC_BODY "\n-----END PUBLIC KEY-----")) && survives_changes(wkg_key_seed_from_pem, TEXT("-----BEGIN PRIVATE KEY-----\n" PRIVATE_BODY "\n-----END PRIVATE KEY-----")));
	wkg_buf small = { room, 3, 3 + sizeof PUBLIC(PUBLIC_BODY) - 2 };
	CLAIM("PEM: one byte too little room, and nothing is appended", wkg_key_public_to_pem(&small, key.ptr) == WKG_E_SPACE && small.len == 3);
	CLAIM("PEM: no argument may be NULL", wkg_key_public_to_pem(NULL, key.ptr) == WKG_E_ARGUMENT && wkg_key_seed_to_pem(&out, NULL) == WKG_E_ARGUMENT && wkg_key_seed_from_pem(NULL, TEXT("")) == WKG_E_ARGUMENT && wkg_key_public_from_pem(room, (wkg_span){ NULL, 1 }) == WKG_E_ARGUMENT);
}

/* ---- keyring ------------------------------------------------------------ */

/* All encodings of points of small order: conformance/grant.py computes them. */
static const char *const small_order[] = {
	"0000000000000000000000000000000000000000000000000000000000000000", "0000000000000000000000000000000000000000000000000000000000000080",
	"0100000000000000000000000000000000000000000000000000000000000000", "0100000000000000000000000000000000000000000000000000000000000080",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
};
enum { SMALL_ORDER = sizeof small_order / sizeof *small_order };

/* Out of how many messages does OpenSSL take this signature, which no key
 * made, for signed by that public key? */
static unsigned
signed_by_nobody(wkg_span key, wkg_span signature)
{
	unsigned fooled = 0;
	EVP_PKEY *pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key.ptr, key.len);
	for (uint8_t message = 0; message < 64; message++) {
		EVP_MD_CTX *ctx = EVP_MD_CTX_new();
		fooled += EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, pkey) == 1 && EVP_DigestVerify(ctx, signature.ptr, 64, &message, 1) == 1;
		EVP_MD_CTX_free(ctx);
	}
	EVP_PKEY_free(pkey);
	ERR_clear_error();
	return fooled;
}

/* R neutral, S zero. */
static wkg_span
no_signature(void)
{
	return join(TEXT("\1"), repeat(TEXT("\0"), 63));
}

static wkg_keyring *
keyring_with(wkg_span kid, wkg_span key)
{
	wkg_keyring *k = NULL;
	if (wkg_keyring_new(&k, TEXT(ISSUER), NULL) != WKG_OK || wkg_keyring_add(k, kid, key.ptr) != WKG_OK)
		abort();
	return k;
}

static bool
adds(wkg_status expected, wkg_span kid, const char *key)
{
	wkg_keyring *k = NULL;
	bool made = wkg_keyring_new(&k, TEXT(ISSUER), NULL) == WKG_OK;
	bool as_expected = made && wkg_keyring_add(k, kid, unhex(key).ptr) == expected;
	wkg_keyring_free(k);
	return as_expected && ERR_peek_error() == 0;
}

static bool
holds_many(void)
{
	wkg_keyring *k = keyring_with(TEXT("first"), unhex(vectors[0].key));
	char kid[16];
	bool all = true;
	for (int i = 0; i < 100; i++) {
		snprintf(kid, sizeof kid, "key-%d", i);
		all = all && wkg_keyring_add(k, text_of(kid), unhex(vectors[i % 3].key).ptr) == WKG_OK;
	}
	for (int i = 99; i >= 0; i--) {
		snprintf(kid, sizeof kid, "key-%d", i);
		all = all && wkg_keyring_add(k, text_of(kid), unhex(vectors[0].key).ptr) == WKG_E_DUPLICATE;
		all = all && wkg_keyring_revoke(k, text_of(kid)) == WKG_OK;
		all = all && wkg_keyring_revoke(k, text_of(kid)) == WKG_E_NOT_FOUND;
	}
	wkg_keyring_free(k);
	return all;
}

static void
keyrings(void)
{
	wkg_keyring *k = NULL;
	wkg_span key = unhex(vectors[0].key), kid = TEXT("one");
	uint8_t thumbprint[43];
	wkg_span print = { thumbprint, sizeof thumbprint };
	bool refused = true;
	unsigned fooled = 0;
	for (size_t i = 0; i < SMALL_ORDER; i++) {
		refused = refused && adds(WKG_E_INVALID, kid, small_order[i]);
		fooled += signed_by_nobody(unhex(small_order[i]), no_signature()) > 0;
	}
	CLAIM("X6 the fourteen encodings of small order are refused", refused && SMALL_ORDER == 14);
	CLAIM("X6 which is not in vain: OpenSSL takes a signature nobody made under most of them", fooled >= 8);
	CLAIM("X6 and under the neutral element one signature for every message", signed_by_nobody(unhex(small_order[2]), no_signature()) == 64);
	CLAIM("X6 a key that is no point is refused", adds(WKG_E_INVALID, kid, "0200000000000000000000000000000000000000000000000000000000000000") && adds(WKG_OK, kid, "0300000000000000000000000000000000000000000000000000000000000000"));
	CLAIM("X6 the same point written with y >= p is refused", adds(WKG_E_INVALID, kid, "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f") && adds(WKG_E_INVALID, kid, "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f") && adds(WKG_E_INVALID, kid, "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"));
	CLAIM("X6 the thumbprint of RFC 8037, A.3", wkg_key_thumbprint(thumbprint, key.ptr) == WKG_OK && same(print, TEXT("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")));

	k = keyring_with(kid, key);
	CLAIM("X6 a kid is taken once", wkg_keyring_add(k, kid, unhex(vectors[1].key).ptr) == WKG_E_DUPLICATE && wkg_keyring_add(k, kid, key.ptr) == WKG_E_DUPLICATE);
	CLAIM("X6 also one that is a thumbprint", wkg_keyring_add(k, TEXT(""), key.ptr) == WKG_OK && wkg_keyring_add(k, TEXT(""), key.ptr) == WKG_E_DUPLICATE && wkg_keyring_add(k, print, key.ptr) == WKG_E_DUPLICATE);
	CLAIM("X6 nor does it come back after it was revoked", wkg_keyring_revoke(k, kid) == WKG_OK && wkg_keyring_add(k, kid, key.ptr) == WKG_E_DUPLICATE && wkg_keyring_add(k, kid, unhex(vectors[1].key).ptr) == WKG_E_DUPLICATE);
	CLAIM("X6 revoking what is not there, or twice", wkg_keyring_revoke(k, kid) == WKG_E_NOT_FOUND && wkg_keyring_revoke(k, TEXT("two")) == WKG_E_NOT_FOUND && wkg_keyring_revoke(k, TEXT("")) == WKG_E_NOT_FOUND && wkg_keyring_revoke(k, TEXT("on")) == WKG_E_NOT_FOUND);
	CLAIM("X6 a hundred keys, revoked in another order", holds_many());
	CLAIM("X6 a kid has 1 to 128 bytes of UTF-8", adds(WKG_OK, repeat(TEXT("k"), 128), vectors[0].key) && adds(WKG_E_ARGUMENT, repeat(TEXT("k"), 129), vectors[0].key) && adds(WKG_E_ARGUMENT, TEXT("k\xFF"), vectors[0].key));
	wkg_keyring_free(k);
	wkg_keyring_free(NULL);
	k = NULL;
	CLAIM("X6 an issuer has 1 to 200 bytes of UTF-8", wkg_keyring_new(&k, TEXT(""), NULL) == WKG_E_ARGUMENT && wkg_keyring_new(&k, repeat(TEXT("i"), 201), NULL) == WKG_E_ARGUMENT && wkg_keyring_new(&k, TEXT("\xC0\x80"), NULL) == WKG_E_ARGUMENT && k == NULL);
	CLAIM("no argument may be NULL", wkg_keyring_new(NULL, kid, NULL) == WKG_E_ARGUMENT && wkg_keyring_add(NULL, kid, key.ptr) == WKG_E_ARGUMENT && wkg_keyring_revoke(NULL, kid) == WKG_E_ARGUMENT);
}

/* ---- tokens ------------------------------------------------------------- */

static wkg_keyring *trusted; /* "one": vectors[0], "two": vectors[1], "old": revoked */
static wkg_intent intent;

static void
set_intent(void)
{
	memset(&intent, 0, sizeof intent);
	memcpy(intent.hash, HASH, WKG_INTENT_HASH_LEN);
	intent.canonical = TEXT("{}");
	intent.action = TEXT("refund_order");
	intent.parameters = TEXT("{}");
	intent.audience = TEXT(AUDIENCE);
	intent.expires_ms = (NOW + 60) * INT64_C(1000);
}

/* Verify in memory of exactly the size that is asked for; whatever the answer,
 * nothing of a refused grant and no error of OpenSSL is left over. */
static wkg_status
verify(wkg_span token, int64_t now_ms, wkg_grant *grant)
{
	static unsigned calls;
	unsigned shift = calls++ % 8;
	size_t size = wkg_grant_work_size(token.len);
	uint8_t *copy = malloc(token.len + 1), *area = malloc(size + shift);
	if (copy == NULL || area == NULL)
		abort();
	uint8_t *tight = copy + 1; /* one byte more is not ours */
	if (token.len > 0)
		memcpy(tight, token.ptr, token.len);
	wkg_span exact = { tight, token.len };
	wkg_work work = { area + shift, size };
	memset(grant, 0xA7, sizeof *grant);
	wkg_status status = wkg_grant_verify(grant, exact, trusted, &intent, now_ms, work);
	free(copy);
	free(area);
	if (status != WKG_OK && !all_zero(grant, sizeof *grant))
		return WKG_E_INVALID;
	return ERR_peek_error() == 0 ? status : WKG_E_STORE;
}

static bool
accepted(wkg_span token)
{
	wkg_grant grant;
	return verify(token, NOW * INT64_C(1000), &grant) == WKG_OK;
}

static bool
refused(wkg_span token)
{
	wkg_grant grant;
	return verify(token, NOW * INT64_C(1000), &grant) == WKG_E_REFUSED;
}

static bool
at(int64_t now_ms, wkg_span token, wkg_status expected)
{
	wkg_grant grant;
	return verify(token, now_ms, &grant) == expected;
}

static wkg_span
encoded(wkg_span text)
{
	size_t size = wkg__base64url_size(text.len);
	wkg_buf out = { memory(size + 1), 0, size };
	if (wkg__base64url_encode(&out, text) != WKG_OK)
		abort();
	return wkg_buf_span(&out);
}

static void
append(wkg_buf *out, wkg_span text)
{
	if (wkg__append(out, text.ptr, text.len) != WKG_OK)
		abort();
}

/* Sign any two texts as header and claims. */
static wkg_span
sign_parts(wkg_span first, wkg_span second, const char *seed)
{
	uint8_t bytes[64];
	wkg_span signature = { bytes, sizeof bytes };
	size_t size = first.len + second.len + 100;
	wkg_buf token = { memory(size), 0, size };
	append(&token, first);
	append(&token, TEXT("."));
	append(&token, second);
	if (wkg__sign(bytes, wkg_buf_span(&token), unhex(seed).ptr) != WKG_OK)
		abort();
	append(&token, TEXT("."));
	append(&token, encoded(signature));
	return wkg_buf_span(&token);
}

static wkg_span
sign_texts(const char *header, const char *body)
{
	return sign_parts(encoded(text_of(header)), encoded(text_of(body)), vectors[0].seed);
}

#define HEADER "{\"alg\":\"EdDSA\",\"kid\":\"one\",\"typ\":\"JWT\"}"

enum { AUD, BINDING, DECISION, DECISION_ID, DOSSIER_ID, EXP, IAT, ISS, JTI, NBF, SCOPE, MORE };

static const char *const names[MORE] = { "aud", "binding", "decision", "decision_id", "dossier_id", "exp", "iat", "iss", "jti", "nbf", "scope" };

/* Claims as JSON texts, last what else is in the object. */
static const char *const good[MORE + 1] = {
	[AUD] = "\"" AUDIENCE "\"", [BINDING] = "{\"intent_hash\":\"" HASH "\"}", [DECISION] = "\"allow\"",
	[DECISION_ID] = "\"d-1\"", [DOSSIER_ID] = "\"f-1\"", [EXP] = "1700000060", [IAT] = "1700000000",
	[ISS] = "\"" ISSUER "\"", [JTI] = "\"g-1\"", [NBF] = "1700000000", [SCOPE] = "\"execute\"", [MORE] = "",
};

/* With one of them different; NULL leaves it out. */
static const char *
claims_with(int which, const char *value)
{
	char *text = (char *)memory(1 << 16), *to = text;
	for (int i = 0; i < MORE; i++) {
		const char *v = i == which ? value : good[i];
		if (v != NULL)
			to += sprintf(to, ",\"%s\":%s", names[i], v);
	}
	sprintf(to, "%s}", which == MORE ? value : "");
	text[0] = '{';
	return text;
}

static const char *
good_claims(void)
{
	return claims_with(MORE, "");
}

static wkg_span
changed(int which, const char *value)
{
	return sign_texts(HEADER, claims_with(which, value));
}

static wkg_span
good_token(void)
{
	return changed(MORE, "");
}

static wkg_span
with_header(const char *header)
{
	return sign_texts(header, good_claims());
}

/* `text`, `count` times, as a JSON string. */
static const char *
quoted(const char *text, size_t count)
{
	wkg_span quote = TEXT("\"");
	return (const char *)join(join(quote, repeat(text_of(text), count)), TEXT("\"\0")).ptr;
}

static wkg_span
cut(wkg_span token, size_t from, size_t len)
{
	wkg_span part = { token.ptr + from, len };
	return part;
}

static size_t
dot(wkg_span token, unsigned which)
{
	size_t i = 0;
	for (; which > 0 || token.ptr[i] != '.'; i++)
		which -= token.ptr[i] == '.';
	return i;
}

static bool
says(const wkg_id *id, const char *text)
{
	return id->len == strlen(text) && memcmp(id->text, text, id->len) == 0 && all_zero(id->text + id->len, sizeof id->text - id->len);
}

static void
what_is_valid(void)
{
	wkg_grant grant;
	wkg_span token = good_token();
	wkg_span two = sign_parts(encoded(TEXT("{\"typ\":\"JWT\",\"kid\":\"two\",\"alg\":\"EdDSA\"}")), encoded(text_of(good_claims())), vectors[1].seed);
	CLAIM("X6 a token as it has to be is a grant", verify(token, NOW * INT64_C(1000), &grant) == WKG_OK);
	CLAIM("X6 and the grant is what it says", says(&grant.id, "g-1") && says(&grant.decision_id, "d-1") && says(&grant.dossier_id, "f-1") && memcmp(grant.intent_hash, HASH, WKG_INTENT_HASH_LEN) == 0 && grant.expires == NOW + 60);
	CLAIM("X6 the kid selects the key", accepted(two));
	CLAIM("X6 members in any order, white space, escapes: JSON is JSON", accepted(sign_texts(" { \"typ\" : \"JW\\u0054\", \"alg\":\"EdDSA\",\"k\\u0069d\":\"one\"}\n", good_claims())));
	CLAIM("X6 an id of one byte and one of 200", accepted(changed(JTI, "\"g\"")) && accepted(changed(JTI, quoted("g", 200))));
}

static void
shape(void)
{
	wkg_span t = good_token();
	size_t a = dot(t, 0), b = dot(t, 1);
	wkg_span head = cut(t, 0, a), middle = cut(t, a + 1, b - a - 1), tail = cut(t, b + 1, t.len - b - 1);
	CLAIM("X6 the pieces these rows are made of are a grant", accepted(join(join(join(head, TEXT(".")), join(middle, TEXT("."))), tail)));
	CLAIM("X6 two parts", refused(cut(t, 0, b)) && refused(join(join(head, TEXT(".")), tail)));
	CLAIM("X6 four parts", refused(join(t, TEXT("."))) && refused(join(t, TEXT(".AA"))) && refused(join(TEXT("."), t)));
	CLAIM("X6 empty parts, no token", refused(TEXT("")) && refused(TEXT("..")) && refused(TEXT("...")) && refused(join(head, TEXT(".."))) && refused(cut(t, 0, b + 1)) && refused(cut(t, a, t.len - a)));
	CLAIM("X6 padding", refused(join(t, TEXT("="))) && refused(join(t, TEXT("=="))) && refused(sign_parts(join(head, TEXT("=")), middle, vectors[0].seed)) && refused(sign_parts(head, join(middle, TEXT("==")), vectors[0].seed)));
	CLAIM("X6 white space", refused(join(t, TEXT("\n"))) && refused(join(TEXT(" "), t)) && refused(sign_parts(join(head, TEXT(" ")), middle, vectors[0].seed)) && refused(sign_parts(head, join(TEXT("\r\n"), middle), vectors[0].seed)));
	CLAIM("X6 the alphabet of plain base64, a NUL, a byte above 7F", refused(sign_parts(head, join(middle, TEXT("+AAA")), vectors[0].seed)) && refused(sign_parts(head, join(middle, TEXT("/AAA")), vectors[0].seed)) && refused(join(t, TEXT("\0"))) && refused(join(cut(t, 0, t.len - 1), TEXT("\xFF"))));

	/* 86 characters hold 516 bits, 4 more than a signature. */
	static const char *const last = "AQgw";
	unsigned spellings = 0;
	bool one_of_four = strchr(last, t.ptr[t.len - 1]) != NULL;
	for (size_t i = 0; i < 64; i++)
		spellings += accepted(join(cut(t, 0, t.len - 1), cut(text_of(alphabet), i, 1)));
	CLAIM("X6 bits behind the signature: of 16 spellings one is accepted", one_of_four && spellings == 1);
	CLAIM("X6 a token of 1 MiB is refused unread", refused(repeat(TEXT("A"), 1u << 20)) && wkg_grant_work_size(1u << 20) == wkg_grant_work_size(WKG_GRANT_TOKEN_MAX) && wkg_grant_work_size(SIZE_MAX) < 1u << 20);
}

/* A valid token of exactly `len` bytes, padded with white space in the claims,
 * or the next shorter or longer one. */
static wkg_span
token_of_length(size_t len)
{
	wkg_span shortest = good_token();
	size_t more = (len - shortest.len) / 4 * 3;
	for (;; more++) {
		wkg_span body = join(text_of(good_claims()), repeat(TEXT(" "), more));
		wkg_span token = sign_parts(encoded(text_of(HEADER)), encoded(body), vectors[0].seed);
		if (token.len >= len)
			return token;
	}
}

static void
length(void)
{
	wkg_span longest = token_of_length(WKG_GRANT_TOKEN_MAX - 1), above = token_of_length(WKG_GRANT_TOKEN_MAX + 1);
	CLAIM("X6 a token of up to 8192 bytes is read", longest.len <= WKG_GRANT_TOKEN_MAX && accepted(longest));
	CLAIM("X6 a longer one is not, valid or not", above.len <= WKG_GRANT_TOKEN_MAX + 2 && refused(above));
}

static void
headers(void)
{
	static const char *const algs[] = { "none", "None", "HS256", "RS256", "ES256", "Ed25519", "eddsa", "EdDSA ", "", "EdDSA\\u0000" };
	char header[256];
	for (size_t i = 0; i < sizeof algs / sizeof *algs; i++) {
		snprintf(header, sizeof header, "{\"alg\":\"%s\",\"kid\":\"one\",\"typ\":\"JWT\"}", algs[i]);
		snprintf((char *)room, 100, "X6 alg \"%s\" is refused, signed as it is", algs[i]);
		CLAIM((const char *)room, refused(with_header(header)));
	}
	CLAIM("X6 alg absent, null, a list", refused(with_header("{\"kid\":\"one\",\"typ\":\"JWT\"}")) && refused(with_header("{\"alg\":null,\"kid\":\"one\",\"typ\":\"JWT\"}")) && refused(with_header("{\"alg\":[\"EdDSA\"],\"kid\":\"one\",\"typ\":\"JWT\"}")));
	wkg_span unsigned_token = with_header("{\"alg\":\"none\",\"kid\":\"one\",\"typ\":\"JWT\"}");
	CLAIM("X6 alg none without a signature", refused(cut(unsigned_token, 0, dot(unsigned_token, 1) + 1)));
	CLAIM("X6 typ is JWT, exactly", refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"one\",\"typ\":\"jwt\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"one\",\"typ\":\"at+jwt\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"one\",\"typ\":\"\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"one\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"one\",\"typ\":1}")));
	CLAIM("X6 kid absent, empty, unknown, a number, too long", refused(with_header("{\"alg\":\"EdDSA\",\"typ\":\"JWT\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"\",\"typ\":\"JWT\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"three\",\"typ\":\"JWT\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"kid\":1,\"typ\":\"JWT\"}")) && refused(with_header((const char *)join(join(TEXT("{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\""), repeat(TEXT("one"), 100)), TEXT("\"}\0")).ptr)));
	CLAIM("X6 a kid that another one begins with, or that goes on behind a NUL", refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"on\",\"typ\":\"JWT\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"one\\u0000\",\"typ\":\"JWT\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"One\",\"typ\":\"JWT\"}")));
	CLAIM("X6 a kid that was revoked", refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"old\",\"typ\":\"JWT\"}")));
	CLAIM("X6 the key of another kid", refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"two\",\"typ\":\"JWT\"}")));
	CLAIM("X6 a header with one member more: crit, jwk, a b64 switch", refused(with_header("{\"alg\":\"EdDSA\",\"crit\":[],\"kid\":\"one\",\"typ\":\"JWT\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"jwk\":{},\"kid\":\"one\",\"typ\":\"JWT\"}")) && refused(with_header("{\"alg\":\"EdDSA\",\"b64\":false,\"kid\":\"one\",\"typ\":\"JWT\"}")));
	CLAIM("X6 a header with the same name twice", refused(with_header("{\"alg\":\"EdDSA\",\"alg\":\"EdDSA\",\"kid\":\"one\",\"typ\":\"JWT\"}")) && refused(with_header("{\"alg\":\"none\",\"kid\":\"one\",\"typ\":\"JWT\",\"\\u0061lg\":\"EdDSA\"}")));
	CLAIM("X6 a header that is no object, or no JSON", refused(with_header("[\"EdDSA\",\"one\",\"JWT\"]")) && refused(with_header("\"EdDSA\"")) && refused(with_header(HEADER "x")) && refused(with_header("\xEF\xBB\xBF" HEADER)) && refused(with_header("{\"alg\":\"EdDSA\",\"kid\":\"one\\ud800\",\"typ\":\"JWT\"}")));
}

/* Every claim absent, of another type, and there twice. */
static void
each_claim(void)
{
	static const char *const others[] = { NULL, "null", "true", "[]", "{}", "\"\"", "1.5", "[\"" AUDIENCE "\"]" };
	char text[160], more[200];
	for (int i = 0; i < MORE; i++) {
		bool all = true;
		for (size_t k = 0; k < sizeof others / sizeof *others; k++)
			all = all && refused(changed(i, others[k]));
		snprintf(text, sizeof text, "X6 %s is there, and of its type", names[i]);
		CLAIM(text, all);
		snprintf(more, sizeof more, ",\"%s\":%s", names[i], good[i]);
		bool once = refused(changed(MORE, more));
		snprintf(more, sizeof more, ",\"\\u%04x%s\":%s", (unsigned)names[i][0], names[i] + 1, good[i]);
		snprintf(text, sizeof text, "X6 %s is there once, however it is written", names[i]);
		CLAIM(text, once && refused(changed(MORE, more)));
	}
}

static void
claim_values(void)
{
	CLAIM("X6 one claim more is refused", refused(changed(MORE, ",\"sub\":\"x\"")) && refused(changed(MORE, ",\"\":0")) && refused(changed(MORE, ",\"approved\":true")));
	CLAIM("X6 another issuer", refused(changed(ISS, "\"authoritx\"")) && refused(changed(ISS, "\"authority \"")) && refused(changed(ISS, "\"authorit\"")) && refused(changed(ISS, "\"authority\\u0000\"")));
	CLAIM("X6 another audience", refused(changed(AUD, "\"orders:refunds\"")) && refused(changed(AUD, "\"orders:refun\"")) && refused(changed(AUD, "\"orders\"")) && refused(changed(AUD, "\"*\"")) && refused(changed(AUD, "[\"" AUDIENCE "\"]")));
	CLAIM("X6 another intent", refused(changed(BINDING, "{\"intent_hash\":\"" OTHER_HASH "\"}")) && refused(changed(BINDING, "{\"intent_hash\":\"\"}")) && refused(changed(BINDING, "{\"intent_hash\":\"SHA256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}")));
	CLAIM("X6 a binding with more in it, or with its hash twice", refused(changed(BINDING, "{\"intent_hash\":\"" HASH "\",\"tool\":\"*\"}")) && refused(changed(BINDING, "{\"intent_hash\":\"" HASH "\",\"intent_hash\":\"" HASH "\"}")) && refused(changed(BINDING, "\"" HASH "\"")));
	CLAIM("X6 another decision", refused(changed(DECISION, "\"deny\"")) && refused(changed(DECISION, "\"ALLOW\"")) && refused(changed(DECISION, "\"allow \"")) && refused(changed(DECISION, "\"allowed\"")));
	CLAIM("X6 another scope", refused(changed(SCOPE, "\"read\"")) && refused(changed(SCOPE, "\"execute read\"")) && refused(changed(SCOPE, "[\"execute\"]")));
	CLAIM("X6 an id of 201 bytes", refused(changed(JTI, quoted("g", 201))) && refused(changed(DECISION_ID, quoted("\xC3\xA9", 101))) && accepted(changed(DOSSIER_ID, quoted("\xC3\xA9", 100))));
	CLAIM("X6 an id that is no text", refused(changed(JTI, "\"g\\ud800\"")) && refused(changed(JTI, "\"g\xFF\"")) && refused(changed(JTI, "\"g\n\"")) && refused(changed(JTI, "7")));
	CLAIM("X6 claims that are no object, or no JSON", refused(sign_texts(HEADER, "[]")) && refused(sign_texts(HEADER, "")) && refused(sign_texts(HEADER, "0")) && refused(sign_texts(HEADER, (const char *)join(text_of(good_claims()), TEXT("{}\0")).ptr)) && refused(changed(MORE, ",")));
}

static void
times(void)
{
	wkg_span t = good_token();
	int64_t from = NOW * INT64_C(1000), to = (NOW + 60) * INT64_C(1000);
	CLAIM("X6 from the first millisecond of nbf", at(from, t, WKG_OK) && at(from - 1, t, WKG_E_REFUSED));
	CLAIM("X6 to the last before exp; exp equal to now refuses", at(to - 1, t, WKG_OK) && at(to, t, WKG_E_REFUSED) && at(to + 1, t, WKG_E_REFUSED));
	CLAIM("X6 exp equal to the intent's expiry is accepted", accepted(changed(EXP, "1700000060")));
	CLAIM("X6 a second behind it is refused", refused(changed(EXP, "1700000061")) && refused(changed(EXP, "1800000000")));
	intent.expires_ms -= 1;
	CLAIM("X6 a millisecond behind it, too", refused(t) && accepted(changed(EXP, "1700000059")));
	intent.expires_ms += 1;
	CLAIM("X6 nbf in the future", refused(changed(NBF, "1700000001")) && accepted(changed(NBF, "0")));
	CLAIM("X6 iat binds nobody, but is an integer", accepted(changed(IAT, "0")) && accepted(changed(IAT, "1900000000")) && refused(changed(IAT, "-1")));
	CLAIM("X6 expiry as float, exponent, string", refused(changed(EXP, "1700000060.0")) && refused(changed(EXP, "1.70000006e9")) && refused(changed(EXP, "170000006E1")) && refused(changed(EXP, "1700000060e0")) && refused(changed(EXP, "\"1700000060\"")));
	CLAIM("X6 negative times, minus zero", refused(changed(NBF, "-1")) && refused(changed(NBF, "-0")) && refused(changed(EXP, "-1700000060")));
	CLAIM("X6 leading zero, plus, hexadecimal", refused(changed(EXP, "01700000060")) && refused(changed(EXP, "+1700000060")) && refused(changed(EXP, "0x6553F13C")));
	CLAIM("X9 no clock in here: any `now` is taken at its word", at(INT64_MIN, t, WKG_E_REFUSED) && at(INT64_MAX, t, WKG_E_REFUSED) && at(0, t, WKG_E_REFUSED));
	intent.expires_ms = INT64_MAX;
	CLAIM("X6 the largest second that is a number in milliseconds", accepted(changed(EXP, "9223372036854775")));
	CLAIM("X6 beyond it nothing wraps around", refused(changed(EXP, "9223372036854776")) && refused(changed(EXP, "9223372036854780")) && refused(changed(EXP, "18446744073709551")) && refused(changed(EXP, "18446744073709551616")) && refused(changed(EXP, "99999999999999999999999999999999999999")) && refused(changed(NBF, "9223372036854776")));
	set_intent();
	CLAIM("X6 a grant that ends before it begins", refused(changed(EXP, "1699999990")));
}

static void
tampering(void)
{
	wkg_span t = good_token(), copy = copy_of(t);
	size_t b = dot(t, 1);
	bool all = true;
	for (size_t i = 0; i < t.len; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			uint8_t *byte = (uint8_t *)(uintptr_t)&copy.ptr[i];
			*byte ^= (uint8_t)(1u << bit);
			all = all && refused(copy);
			*byte ^= (uint8_t)(1u << bit);
		}
	CLAIM("X6 any bit of the token flipped, and it is refused", all);
	all = true;
	for (size_t i = 0; i < t.len; i++)
		all = all && refused(cut(t, 0, i));
	CLAIM("X6 cut anywhere it is refused", all);

	uint8_t bytes[64];
	wkg_buf raw = { bytes, 0, sizeof bytes };
	bool decoded = wkg__base64url_decode(&raw, cut(t, b + 1, t.len - b - 1)) == WKG_OK;
	CLAIM("X6 S + L in the signature", decoded && refused(join(cut(t, 0, b + 1), encoded(malleated(wkg_buf_span(&raw))))));
	CLAIM("X6 the signature of another token", decoded && refused(join(cut(changed(JTI, "\"g-2\""), 0, b + 1), encoded(wkg_buf_span(&raw)))));
	CLAIM("X6 a signature that nobody made", refused(join(cut(t, 0, b + 1), encoded(no_signature()))) && refused(join(cut(t, 0, b + 1), encoded(repeat(TEXT("\0"), 64)))));
	CLAIM("X6 a signature that is too short or too long", refused(join(cut(t, 0, b + 1), encoded(cut(wkg_buf_span(&raw), 0, 63)))) && refused(join(t, TEXT("AA"))) && refused(join(t, repeat(TEXT("AAAA"), 100))));
}

static void
contract(void)
{
	wkg_span t = good_token();
	wkg_grant grant, zero;
	wkg_work w = work_for(t.len), less = { w.ptr, w.size - 1 };
	int64_t now = NOW * INT64_C(1000);
	memset(&zero, 0, sizeof zero);
	memset(&grant, 0xA7, sizeof grant);
	CLAIM("one byte too little work area", wkg_grant_verify(&grant, t, trusted, &intent, now, less) == WKG_E_SPACE && all_zero(&grant, sizeof grant));
	memset(&grant, 0xA7, sizeof grant);
	CLAIM("no work area", wkg_grant_verify(&grant, t, trusted, &intent, now, (wkg_work){ NULL, 0 }) == WKG_E_SPACE && all_zero(&grant, sizeof grant));
	memset(&grant, 0xA7, sizeof grant);
	CLAIM("no argument may be NULL", wkg_grant_verify(NULL, t, trusted, &intent, now, w) == WKG_E_ARGUMENT && wkg_grant_verify(&grant, t, NULL, &intent, now, w) == WKG_E_ARGUMENT && wkg_grant_verify(&grant, t, trusted, NULL, now, w) == WKG_E_ARGUMENT && wkg_grant_verify(&grant, (wkg_span){ NULL, 1 }, trusted, &intent, now, w) == WKG_E_ARGUMENT && all_zero(&grant, sizeof grant));

	wkg_intent none;
	memset(&none, 0, sizeof none);
	CLAIM("an intent that could not be opened has no audience", wkg_grant_verify(&grant, t, trusted, &none, now, w) == WKG_E_ARGUMENT);
	none = intent;
	none.audience.len = 0;
	CLAIM("nor has one for nobody", wkg_grant_verify(&grant, changed(AUD, "\"\""), trusted, &none, now, w) == WKG_E_ARGUMENT);

	uint8_t *area = memory(w.size + t.len);
	wkg_work over = { area, w.size + t.len };
	wkg_span inside = { area + 100, t.len };
	memcpy(area + 100, t.ptr, t.len);
	CLAIM("the work area does not lie where the token is read", wkg_grant_verify(&grant, inside, trusted, &intent, now, over) == WKG_E_ARGUMENT);
	none = intent;
	none.audience.ptr = area + 100;
	CLAIM("nor the intent", wkg_grant_verify(&grant, t, trusted, &none, now, over) == WKG_E_ARGUMENT);
	CLAIM("nor the grant", wkg_grant_verify((wkg_grant *)(void *)w.ptr, t, trusted, &intent, now, w) == WKG_E_ARGUMENT);
}

/* ---- signing ------------------------------------------------------------ */

static wkg_grant_claims
standard_claims(void)
{
	wkg_grant_claims c = {
		.issuer = TEXT(ISSUER), .audience = TEXT(AUDIENCE), .decision_id = TEXT("d-1"),
		.dossier_id = TEXT("f-1"), .grant_id = TEXT("g-1"), .intent_hash = TEXT(HASH),
		.issued = NOW, .expires = NOW + 60,
	};
	return c;
}

static wkg_status
sign(wkg_buf *out, const wkg_grant_claims *c, wkg_span kid)
{
	wkg_status status = wkg_grant_sign(out, c, kid, unhex(vectors[0].seed).ptr, work_for(WKG_GRANT_TOKEN_MAX));
	return ERR_peek_error() == 0 ? status : WKG_E_STORE;
}

static bool
signs(wkg_status expected, const wkg_grant_claims *c, wkg_span kid)
{
	wkg_buf out = fresh();
	out.len = 5;
	wkg_status status = sign(&out, c, kid);
	return status == expected && (status == WKG_OK || out.len == 5);
}

#define REFUSES_CLAIM(member, value) \
	(c = standard_claims(), c.member = (value), signs(WKG_E_ARGUMENT, &c, TEXT("one")))

static void
signing(void)
{
	wkg_grant_claims c = standard_claims();
	wkg_grant grant;
	wkg_buf out = fresh();
	CLAIM("X6 what is signed is a grant", sign(&out, &c, TEXT("one")) == WKG_OK && verify(wkg_buf_span(&out), NOW * INT64_C(1000), &grant) == WKG_OK);
	CLAIM("X6 header and claims are canonical, and Ed25519 has one signature for them", holds(&out, good_token()));
	size_t len = out.len;
	wkg_buf exact = { room, 7, 7 + len }, small = { room, 7, 6 + len };
	CLAIM("exactly the room it takes, and one byte less", sign(&exact, &c, TEXT("one")) == WKG_OK && exact.len == exact.cap && sign(&small, &c, TEXT("one")) == WKG_E_SPACE && small.len == 7);
	out = fresh();
	CLAIM("X6 without a kid it is the thumbprint", wkg_keyring_add(trusted, TEXT(""), unhex(vectors[0].key).ptr) == WKG_OK && sign(&out, &c, TEXT("")) == WKG_OK && accepted(wkg_buf_span(&out)));
	c.grant_id = TEXT("g\"\\\x01\x7F\xE2\x80\x8B\0\xF0\x9F\x91\x8D");
	out = fresh();
	CLAIM("X6 any text can be an id, and comes out as it went in", sign(&out, &c, TEXT("one")) == WKG_OK && verify(wkg_buf_span(&out), NOW * INT64_C(1000), &grant) == WKG_OK && grant.id.len == c.grant_id.len && memcmp(grant.id.text, c.grant_id.ptr, grant.id.len) == 0);
	CLAIM("X6 ids are 1 to 200 bytes of UTF-8", REFUSES_CLAIM(grant_id, TEXT("")) && REFUSES_CLAIM(decision_id, repeat(TEXT("d"), 201)) && REFUSES_CLAIM(dossier_id, TEXT("\xFF")) && REFUSES_CLAIM(issuer, TEXT("")) && REFUSES_CLAIM(audience, TEXT("")));
	CLAIM("X6 a hash is 71 bytes", REFUSES_CLAIM(intent_hash, TEXT("sha256:")) && REFUSES_CLAIM(intent_hash, TEXT(HASH "0")));
	CLAIM("X6 a grant ends after it begins, in a time that can be told", REFUSES_CLAIM(expires, NOW) && REFUSES_CLAIM(expires, -1) && REFUSES_CLAIM(issued, -1) && REFUSES_CLAIM(expires, INT64_MAX) && REFUSES_CLAIM(expires, INT64_MAX / 1000 + 1));
	c = standard_claims();
	CLAIM("X6 a kid has at most 128 bytes", signs(WKG_E_ARGUMENT, &c, repeat(TEXT("k"), 129)) && signs(WKG_OK, &c, repeat(TEXT("k"), 128)));
	c.audience = repeat(TEXT("a"), 5000);
	bool fits = signs(WKG_OK, &c, TEXT("one"));
	c.audience = repeat(TEXT("a"), 6000);
	CLAIM("X6 a token that nobody would read is not made", fits && signs(WKG_E_LIMIT, &c, TEXT("one")));
	c = standard_claims();
	wkg_span seed = unhex(vectors[0].seed);
	uint8_t little[64];
	out = fresh();
	CLAIM("a work area that is too small, or none", wkg_grant_sign(&out, &c, TEXT("one"), seed.ptr, (wkg_work){ little, sizeof little }) == WKG_E_SPACE && wkg_grant_sign(&out, &c, TEXT("one"), seed.ptr, (wkg_work){ NULL, 0 }) == WKG_E_SPACE && out.len == 0);
	CLAIM("the work area lies neither where the token goes nor where the seed is", wkg_grant_sign(&out, &c, TEXT("one"), seed.ptr, (wkg_work){ room, 8192 }) == WKG_E_ARGUMENT && wkg_grant_sign(&out, &c, TEXT("one"), seed.ptr, (wkg_work){ (void *)(uintptr_t)seed.ptr, 32 }) == WKG_E_ARGUMENT);
	CLAIM("no argument may be NULL", wkg_grant_sign(NULL, &c, TEXT("one"), seed.ptr, work_for(1)) == WKG_E_ARGUMENT && wkg_grant_sign(&out, NULL, TEXT("one"), seed.ptr, work_for(1)) == WKG_E_ARGUMENT && wkg_grant_sign(&out, &c, TEXT("one"), NULL, work_for(1)) == WKG_E_ARGUMENT);
}

/* ---- the error queue of the thread -------------------------------------- */

static void
error_queue(void)
{
	wkg_grant grant;
	wkg_span token = good_token(), other = copy_of(token);
	((uint8_t *)(uintptr_t)other.ptr)[token.len - 10] ^= 1;
	ERR_clear_error();
	ERR_raise(ERR_LIB_USER, 42);
	unsigned long mine = ERR_peek_error();
	wkg_work w = work_for(token.len);
	bool done = wkg_grant_verify(&grant, token, trusted, &intent, NOW * INT64_C(1000), w) == WKG_OK;
	done = wkg_grant_verify(&grant, other, trusted, &intent, NOW * INT64_C(1000), w) == WKG_E_REFUSED && done;
	uint8_t key[WKG_KEY_SIZE];
	done = wkg_key_public_from_pem(key, TEXT(PUBLIC("AAAA"))) != WKG_OK && done;
	CLAIM("an error that the application has not read yet is still there, and is the last", done && ERR_peek_error() == mine && ERR_peek_last_error() == mine);
	ERR_clear_error();
}

/* ---- threads ------------------------------------------------------------ */

enum { THREADS = 16, ROUNDS = 20 };
static wkg_span thread_tokens[3]; /* valid, invalid, valid with the other key */

static void *
verify_often(void *wrong)
{
	static const wkg_status expected[3] = { WKG_OK, WKG_E_REFUSED, WKG_OK };
	wkg_work work = { malloc(wkg_grant_work_size(WKG_GRANT_TOKEN_MAX)), wkg_grant_work_size(WKG_GRANT_TOKEN_MAX) };
	for (size_t i = 0; i < ROUNDS; i++) {
		wkg_grant grant;
		wkg_status status = wkg_grant_verify(&grant, thread_tokens[i % 3], trusted, &intent, NOW * INT64_C(1000), work);
		*(unsigned *)wrong += status != expected[i % 3] || ERR_peek_error() != 0;
	}
	free(work.ptr);
	return NULL;
}

static void
threads(void)
{
	pthread_t thread[THREADS];
	unsigned wrong[THREADS] = { 0 }, sum = 0;
	thread_tokens[0] = good_token();
	thread_tokens[1] = changed(SCOPE, "\"read\"");
	thread_tokens[2] = sign_parts(encoded(TEXT("{\"alg\":\"EdDSA\",\"kid\":\"two\",\"typ\":\"JWT\"}")), encoded(text_of(good_claims())), vectors[1].seed);
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, verify_often, &wrong[i]) != 0)
			abort();
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		sum += wrong[i];
	}
	CLAIM("sixteen threads verify with one keyring, and each gets its own answers", sum == 0);
}

int
main(void)
{
	trusted = keyring_with(TEXT("one"), unhex(vectors[0].key));
	if (wkg_keyring_add(trusted, TEXT("two"), unhex(vectors[1].key).ptr) != WKG_OK ||
	    wkg_keyring_add(trusted, TEXT("old"), unhex(vectors[0].key).ptr) != WKG_OK ||
	    wkg_keyring_revoke(trusted, TEXT("old")) != WKG_OK)
		abort();
	set_intent();
	base64url();
	primitives();
	pem();
	keyrings();
	what_is_valid();
	shape();
	length();
	headers();
	each_claim();
	claim_values();
	times();
	tampering();
	contract();
	signing();
	error_queue();
	threads();
	CLAIM("X6 nothing of all this is on OpenSSL's error queue", ERR_peek_error() == 0);
	wkg_keyring_free(trusted);
	return finish();
}
