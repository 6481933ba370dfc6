/* grant.c - tokens that somebody else made, and tokens the authority made.
 *
 * Input: two options, then text:
 *   mode  0 the text is a token: it verifies iff it is the one token that was
 *           signed, to the byte
 *         1 the text is claims, or a header, `|` and claims; they are signed
 *           first, so that what is behind the signature is reached
 *   now   0 as the token is made  1 a millisecond before  2 as it ends
 *         3 a millisecond before that
 *
 * Signatures here are OpenSSL's, the encoding is written down once more. */
#include "check.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <wicketgate/grant.h>

#define HASH "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEADER "{\"alg\":\"EdDSA\",\"kid\":\"one\",\"typ\":\"JWT\"}"
#define CLAIMS                                                                 \
	"{\"aud\":\"orders:refund\",\"binding\":{\"intent_hash\":\"" HASH "\"},"   \
	"\"decision\":\"allow\",\"decision_id\":\"d-1\",\"dossier_id\":\"f-1\"," \
	"\"exp\":1700000060,\"iat\":1700000000,\"iss\":\"authority\","           \
	"\"jti\":\"g-1\",\"nbf\":1700000000,\"scope\":\"execute\"}"

enum { TOKEN_MAX = 1 << 16 };

static const int64_t issued = 1700000000, ends = 1700000060;
static const uint8_t seed[WKG_KEY_SIZE] = "a seed that everybody may know..";
static const wkg_span standard_header = WKG_LIT(HEADER);
static const wkg_span standard_claims = WKG_LIT(CLAIMS);

/* ---- the authority --------------------------------------------------- */

static void
put(wkg_buf *out, const void *bytes, size_t len)
{
	CHECK(out->cap - out->len >= len);
	memcpy(out->ptr + out->len, bytes, len);
	out->len += len;
}

static void
put_base64url(wkg_buf *out, wkg_span in)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789-_";
	for (size_t bit = 0; bit < 8 * in.len; bit += 6) {
		unsigned value = 0;
		for (size_t i = bit; i < bit + 6; i++) {
			unsigned byte = i / 8 < in.len ? in.ptr[i / 8] : 0;
			value = value << 1 | (byte >> (7 - i % 8) & 1);
		}
		put(out, &digits[value], 1);
	}
}

static EVP_PKEY *
authority_key(void)
{
	EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL,
	                                             seed, sizeof(seed));
	CHECK(key != NULL);
	return key;
}

static wkg_buf
sign(wkg_span header, wkg_span claims)
{
	uint8_t bytes[64];
	size_t size = sizeof(bytes);
	wkg_span signature = { bytes, sizeof(bytes) };
	wkg_buf token = check_buf(2 * (header.len + claims.len) + 100);
	EVP_PKEY *key = authority_key();
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	put_base64url(&token, header);
	put(&token, ".", 1);
	put_base64url(&token, claims);
	CHECK(EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) == 1);
	CHECK(EVP_DigestSign(ctx, bytes, &size, token.ptr, token.len) == 1);
	put(&token, ".", 1);
	put_base64url(&token, signature);
	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(key);
	return token;
}

static wkg_keyring *
make_keyring(void)
{
	static const wkg_span issuer = WKG_LIT("authority"), kid = WKG_LIT("one");
	uint8_t raw[WKG_KEY_SIZE];
	size_t size = sizeof(raw);
	EVP_PKEY *key = authority_key();
	wkg_keyring *keyring = NULL;
	CHECK(EVP_PKEY_get_raw_public_key(key, raw, &size) == 1);
	CHECK(wkg_keyring_new(&keyring, issuer, NULL) == WKG_OK);
	CHECK(wkg_keyring_add(keyring, kid, raw) == WKG_OK);
	EVP_PKEY_free(key);
	return keyring;
}

/* ---- verifying ------------------------------------------------------- */

typedef struct job {
	const wkg_keyring *keyring;
	wkg_intent intent;
	int64_t now_ms;
	wkg_grant grant;
} job;

static bool
is_zero(const wkg_grant *grant)
{
	static const wkg_grant zero;
	return memcmp(grant, &zero, sizeof(zero)) == 0;
}

/* In a work area of exactly `size` bytes, at any alignment. */
static wkg_status
verify_in(job *j, wkg_span token, size_t size)
{
	size_t shift = token.len % 8;
	uint8_t *area = malloc(size + shift);
	CHECK(area != NULL);
	memset(area, CHECK_FILL, size + shift);
	memset(&j->grant, CHECK_FILL, sizeof(j->grant));
	wkg_work work = { area + shift, size };
	wkg_status status = wkg_grant_verify(&j->grant, token, j->keyring,
	                                     &j->intent, j->now_ms, work);
	CHECK(status == WKG_OK || is_zero(&j->grant));
	CHECK(ERR_peek_error() == 0);
	free(area);
	return status;
}

static bool
verifies(job *j, wkg_span token)
{
	size_t size = wkg_grant_work_size(token.len);
	wkg_status status = verify_in(j, token, size);
	CHECK(status == WKG_OK || status == WKG_E_REFUSED);
	if (token.len > 0 && token.len <= WKG_GRANT_TOKEN_MAX) {
		wkg_grant grant = j->grant;
		CHECK(verify_in(j, token, size - 1) == WKG_E_SPACE);
		j->grant = grant;
	}
	return status == WKG_OK;
}

static bool
is_id(const wkg_id *id)
{
	wkg_span text = { id->text, id->len };
	return id->len >= 1 && id->len <= WKG_ID_MAX && check_well_formed(text);
}

/* What an accepted token cannot be used for. */
static void
is_bound(job j, wkg_span token)
{
	const wkg_grant grant = j.grant;
	CHECK(is_id(&grant.id) && is_id(&grant.decision_id));
	CHECK(is_id(&grant.dossier_id));
	CHECK(memcmp(grant.intent_hash, HASH, WKG_INTENT_HASH_LEN) == 0);
	CHECK(grant.expires * 1000 > j.now_ms);
	CHECK(grant.expires * 1000 <= j.intent.expires_ms);

	job other = j;
	other.now_ms = grant.expires * 1000 - 1;
	CHECK(verifies(&other, token));
	other.now_ms++;
	CHECK(!verifies(&other, token));
	other = j;
	other.intent.hash[WKG_INTENT_HASH_LEN - 1] ^= 1;
	CHECK(!verifies(&other, token));
	other = j;
	other.intent.audience.len--;
	CHECK(!verifies(&other, token));
	other = j;
	other.intent.expires_ms = grant.expires * 1000 - 1;
	CHECK(!verifies(&other, token));
}

/* ---- the two modes --------------------------------------------------- */

static bool
in_time(const job *j)
{
	return j->now_ms >= issued * 1000 && j->now_ms < ends * 1000;
}

static void
of_others(job *j, wkg_span token)
{
	wkg_buf only = sign(standard_header, standard_claims);
	bool is_it = check_same(token, wkg_buf_span(&only)) && in_time(j);
	CHECK(verifies(j, token) == is_it);
	if (is_it)
		is_bound(*j, token);
	free(only.ptr);
}

/* A document without white space, \u00XX undone: what its ASCII says. */
static wkg_buf
squeezed(wkg_span json)
{
	wkg_buf out = check_buf(json.len + 1);
	bool in_string = false;
	for (size_t i = 0; i < json.len; i++) {
		uint8_t c = json.ptr[i];
		if (in_string && c == '\\' && i + 5 < json.len &&
		    memcmp(json.ptr + i, "\\u00", 4) == 0) {
			int high = check_hex_digit(json.ptr[i + 4]);
			int low = check_hex_digit(json.ptr[i + 5]);
			c = (uint8_t)(high * 16 + low);
			i += 5;
		} else if (in_string && c == '\\' && i + 1 < json.len) {
			put(&out, &c, 1);
			c = json.ptr[++i];
		} else if (c == '"') {
			in_string = !in_string;
		} else if (!in_string && strchr(" \t\r\n", c) != NULL) {
			continue;
		}
		put(&out, &c, 1);
	}
	out.ptr[out.len] = '\0';
	return out;
}

/* What an accepted token must say, wherever in it. */
static void
says_the_same(wkg_span header, wkg_span claims)
{
	static const char *const of_header[] = { "\"alg\":\"EdDSA\"",
		                                 "\"kid\":\"one\"",
		                                 "\"typ\":\"JWT\"" };
	static const char *const of_claims[] = {
		"\"aud\":\"orders:refund\"", "\"decision\":\"allow\"",
		"\"iss\":\"authority\"", "\"scope\":\"execute\"",
		"\"binding\":{\"intent_hash\":\"" HASH "\"}",
	};
	wkg_buf first = squeezed(header), second = squeezed(claims);
	CHECK(first.len == standard_header.len);
	for (size_t i = 0; i < 3; i++)
		CHECK(strstr((char *)first.ptr, of_header[i]) != NULL);
	for (size_t i = 0; i < 5; i++)
		CHECK(strstr((char *)second.ptr, of_claims[i]) != NULL);
	free(first.ptr);
	free(second.ptr);
}

static void
of_the_authority(job *j, wkg_span text)
{
	wkg_span header = standard_header, claims = text;
	const uint8_t *bar = text.len == 0 ? NULL : memchr(text.ptr, '|', text.len);
	if (bar != NULL) {
		header.ptr = text.ptr;
		header.len = (size_t)(bar - text.ptr);
		claims.ptr = bar + 1;
		claims.len = text.len - header.len - 1;
	}
	wkg_buf made = sign(header, claims);
	wkg_buf token = check_copy(wkg_buf_span(&made));
	bool good = verifies(j, wkg_buf_span(&token));
	bool as_it_should_be = check_same(header, standard_header) &&
	                       check_same(claims, standard_claims);
	CHECK(good || !as_it_should_be || !in_time(j));
	if (good) {
		says_the_same(header, claims);
		is_bound(*j, wkg_buf_span(&token));
	}
	size_t at = text.len * 7 % token.len; /* any place, the same each time */
	token.ptr[at] ^= 1;
	CHECK(!verifies(j, wkg_buf_span(&token)));
	free(token.ptr);
	free(made.ptr);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const wkg_span audience = WKG_LIT("orders:refund");
	static wkg_keyring *keyring; /* the same for all, and never changed */
	if (keyring == NULL)
		keyring = make_keyring();
	if (size > TOKEN_MAX)
		return 0;

	const int64_t instants[] = { issued * 1000, issued * 1000 - 1,
		                     ends * 1000, ends * 1000 - 1 };
	job j = { .keyring = keyring };
	wkg_buf input = check_input(data, size);
	wkg_span in = wkg_buf_span(&input);
	unsigned mode = check_option(&in, 2);
	j.now_ms = instants[check_option(&in, 4)];
	memcpy(j.intent.hash, HASH, WKG_INTENT_HASH_LEN);
	j.intent.audience = audience;
	j.intent.expires_ms = ends * 1000;

	if (mode == 0)
		of_others(&j, in);
	else
		of_the_authority(&j, in);
	free(input.ptr);
	return 0;
}
