/* grant.c - what a grant costs next to the one thing in it that has to cost
 * something: `wicketgate-bench grant`.
 *
 * The bare verification is OpenSSL's, of the same message and signature, with a
 * context made for each call; what is above it is ours. */
#include "bench.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <wicketgate/grant.h>


enum { ROUNDS = 31, CALLS = 50 };

#define HASH "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

typedef struct setting {
	uint8_t token_bytes[WKG_GRANT_TOKEN_MAX];
	wkg_buf token;
	wkg_span message;
	uint8_t signature[64];
	EVP_PKEY *pkey;
	wkg_keyring *keyring;
	wkg_intent intent;
	wkg_work work;
} setting;

static const int64_t now = 1700000000;
static const uint8_t seed[WKG_KEY_SIZE] = { 1, 2, 3 };

/* ---- what is measured ------------------------------------------------ */

static void
verify_grant(setting *s)
{
	wkg_grant grant;
	bench_expect(wkg_grant_verify(&grant, wkg_buf_span(&s->token),
	                              s->keyring, &s->intent, now * 1000,
	                              s->work),
	             WKG_OK);
}

static void
verify_bare(setting *s)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool good = EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, s->pkey) == 1 &&
	            EVP_DigestVerify(ctx, s->signature, sizeof(s->signature),
	                             s->message.ptr, s->message.len) == 1;
	EVP_MD_CTX_free(ctx);
	bench_expect(good ? WKG_OK : WKG_E_CRYPTO, WKG_OK);
}

/* A token that says it expired: all the way to its claims. */
static void
refuse_late(setting *s)
{
	wkg_grant grant;
	bench_expect(wkg_grant_verify(&grant, wkg_buf_span(&s->token),
	                              s->keyring, &s->intent,
	                              (now + 60) * 1000, s->work),
	             WKG_E_REFUSED);
}

/* A token that names no key: what anybody can make us do. */
static void
refuse_early(setting *s)
{
	static const wkg_span unsigned_token = WKG_LIT(
		"eyJhbGciOiJFZERTQSIsImtpZCI6InR3byIsInR5cCI6IkpXVCJ9.e30."
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
		"AAAAAAAAAAAAAAAAAAAA");
	wkg_grant grant;
	bench_expect(wkg_grant_verify(&grant, unsigned_token, s->keyring,
	                              &s->intent, now * 1000, s->work),
	             WKG_E_REFUSED);
}

static void
hash_intent(setting *s)
{
	uint8_t hash[WKG_INTENT_HASH_LEN];
	bench_expect(wkg_intent_hash(hash, s->message), WKG_OK);
}

typedef struct candidate {
	const char *name;
	void (*call)(setting *s);
	uint64_t sample[ROUNDS];
} candidate;

static candidate candidates[] = {
	{ .name = "Ed25519, bare", .call = verify_bare },
	{ .name = "grant verify", .call = verify_grant },
	{ .name = "grant expired", .call = refuse_late },
	{ .name = "grant unknown kid", .call = refuse_early },
	{ .name = "intent hash", .call = hash_intent },
};
enum { CANDIDATES = sizeof(candidates) / sizeof(*candidates) };

/* ---- setting up ------------------------------------------------------ */

static uint8_t
base64url_value(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint8_t)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (uint8_t)(c - 'a' + 26);
	if (c >= '0' && c <= '9')
		return (uint8_t)(c - '0' + 52);
	return c == '-' ? 62 : 63;
}

/* The signature is the last 86 characters of a token. */
static void
cut_token(setting *s)
{
	const uint8_t *text = s->token.ptr + s->token.len - 86;
	unsigned waiting = 0, bits = 0;
	size_t len = 0;
	for (size_t i = 0; i < 86; i++) {
		waiting = (waiting << 6 | base64url_value(text[i])) & 0xFFF;
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		s->signature[len++] = (uint8_t)(waiting >> bits);
	}
	s->message.ptr = s->token.ptr;
	s->message.len = s->token.len - 87;
}

static void
set_up(setting *s)
{
	static const wkg_span issuer = WKG_LIT("authority"), kid = WKG_LIT("one");
	static const wkg_span audience = WKG_LIT("orders:refund");
	wkg_grant_claims claims = {
		.issuer = issuer, .audience = audience,
		.decision_id = WKG_LIT("fixture_8f14e45f-ceea-467f-a0ad-3a1b2c3d4e5f"),
		.dossier_id = WKG_LIT("fixture_dossier_6512bd43-d9ca-4a6e-9f0b-1c2d3e4f5a6b"),
		.grant_id = WKG_LIT("c20ad4d7-6fe9-4759-aa27-a0c99bff6710"),
		.intent_hash = WKG_LIT(HASH), .issued = now, .expires = now + 60,
	};
	uint8_t key[WKG_KEY_SIZE];
	memset(s, 0, sizeof(*s));
	s->work.size = wkg_grant_work_size(WKG_GRANT_TOKEN_MAX);
	s->work.ptr = malloc(s->work.size);
	s->token.ptr = s->token_bytes;
	s->token.cap = sizeof(s->token_bytes);
	s->intent.audience = audience;
	s->intent.expires_ms = (now + 60) * 1000;
	memcpy(s->intent.hash, HASH, WKG_INTENT_HASH_LEN);
	bench_expect(wkg_key_public_of_seed(key, seed), WKG_OK);
	bench_expect(wkg_keyring_new(&s->keyring, issuer, NULL), WKG_OK);
	bench_expect(wkg_keyring_add(s->keyring, kid, key), WKG_OK);
	bench_expect(wkg_grant_sign(&s->token, &claims, kid, seed, s->work),
	             WKG_OK);
	s->pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key,
	                                      sizeof(key));
	cut_token(s);
}

static void
tear_down(setting *s)
{
	wkg_keyring_free(s->keyring);
	EVP_PKEY_free(s->pkey);
	free(s->work.ptr);
}

/* ---- measuring ------------------------------------------------------- */

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Candidates take turns, so that a slow moment of the machine hits them alike. */
static void
measure(setting *s)
{
	for (size_t round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < CANDIDATES; i++) {
			uint64_t start = bench_now();
			for (size_t call = 0; call < CALLS; call++)
				candidates[i].call(s);
			candidates[i].sample[round] = bench_now() - start;
		}
}

static double
median_us(candidate *c)
{
	qsort(c->sample, ROUNDS, sizeof(*c->sample), by_value);
	return (double)c->sample[ROUNDS / 2] / CALLS / 1000;
}

int
bench_grant(void)
{
	setting s;
	set_up(&s);
	measure(&s);
	double bare = median_us(&candidates[0]);
	printf("%-20s %9s %12s   token of %zu bytes\n", "case", "us", "x bare",
	       s.token.len);
	for (size_t i = 0; i < CANDIDATES; i++) {
		double us = i == 0 ? bare : median_us(&candidates[i]);
		printf("%-20s %9.2f %12.3f\n", candidates[i].name, us, us / bare);
	}
	tear_down(&s);
	return 0;
}
