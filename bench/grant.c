/* grant.c - what an execution costs next to the one thing in it that has to cost
 * something: `wicketgate-bench grant`.
 *
 * The bare verification is OpenSSL's, of the same message and signature, with a
 * context made for each call; what is above it is ours. */
#include "bench.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <wicketgate/authority.h>
#include <wicketgate/executor.h>
#include <wicketgate/grant.h>

enum { ROUNDS = 31, CALLS = 50 };

/* A decision can be executed once; there is one for each call of a round. */
typedef struct approval {
	uint8_t bytes[WKG_DECISION_MAX];
	wkg_buf decision;
	wkg_span token; /* within it */
	wkg_span message;
	uint8_t signature[64];
} approval;

typedef struct setting {
	approval approvals[CALLS];
	wkg_span envelope;
	wkg_intent intent;
	wkg_work intent_memory;
	EVP_PKEY *pkey;
	wkg_keyring *keyring;
	wkg_registry registry;
	wkg_memory_ledger *store;
	wkg_work store_memory;
	wkg_work work;
} setting;

static const int64_t now_ms = 1786701600000;
static const uint8_t seed[WKG_KEY_SIZE] = { 1, 2, 3 };

/* ---- what is measured ------------------------------------------------ */

static wkg_status
verify_at(setting *s, size_t i, wkg_grant *grant, int64_t at_ms)
{
	return wkg_grant_verify(grant, s->approvals[i].token, s->keyring,
	                        &s->intent, at_ms, s->work);
}

static void
verify_grant(setting *s, size_t i)
{
	wkg_grant grant;
	bench_expect(verify_at(s, i, &grant, now_ms), WKG_OK);
}

static void
verify_bare(setting *s, size_t i)
{
	const approval *a = &s->approvals[i];
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool good = EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, s->pkey) == 1 &&
	            EVP_DigestVerify(ctx, a->signature, sizeof(a->signature),
	                             a->message.ptr, a->message.len) == 1;
	EVP_MD_CTX_free(ctx);
	bench_expect(good ? WKG_OK : WKG_E_CRYPTO, WKG_OK);
}

static void
verify_and_claim(setting *s, size_t i)
{
	wkg_ledger ledger = wkg_memory_ledger_of(s->store);
	wkg_grant grant;
	bench_expect(verify_at(s, i, &grant, now_ms), WKG_OK);
	wkg_span id = { grant.id.text, grant.id.len };
	if (ledger.claim(ledger.store, id, grant.expires, now_ms) !=
	    WKG_CLAIM_GRANTED)
		bench_expect(WKG_E_REFUSED, WKG_OK);
}

/* Two files as text, checked from the first byte to the handler. */
static void
execute(setting *s, size_t i)
{
	uint8_t bytes[16];
	wkg_buf result = { bytes, 0, sizeof(bytes) };
	wkg_outcome outcome;
	wkg_executor executor = {
		.registry = &s->registry, .keyring = s->keyring,
		.ledger = wkg_memory_ledger_of(s->store),
		.binding = WKG_BINDING_B,
	};
	wkg_request request = {
		.envelope = s->envelope, .now_ms = now_ms,
		.decision = wkg_buf_span(&s->approvals[i].decision),
	};
	bench_expect(wkg_execute(&executor, &request, &result, s->work,
	                         &outcome),
	             WKG_OK);
}

/* A token that says it expired: all the way to its claims. */
static void
refuse_late(setting *s, size_t i)
{
	wkg_grant grant;
	bench_expect(verify_at(s, i, &grant, now_ms + 60000), WKG_E_REFUSED);
}

/* A token that names no key: what anybody can make us do. */
static void
refuse_early(setting *s, size_t i)
{
	static const wkg_span unsigned_token = WKG_LIT(
		"eyJhbGciOiJFZERTQSIsImtpZCI6InR3byIsInR5cCI6IkpXVCJ9.e30."
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
		"AAAAAAAAAAAAAAAAAAAA");
	wkg_grant grant;
	(void)i;
	bench_expect(wkg_grant_verify(&grant, unsigned_token, s->keyring,
	                              &s->intent, now_ms, s->work),
	             WKG_E_REFUSED);
}

/* Reading the envelope and recomputing its hash: an execution does it twice. */
static void
open_intent(setting *s, size_t i)
{
	static wkg_intent intent;
	(void)i;
	bench_expect(wkg_intent_open(&intent, s->envelope, WKG_BINDING_B,
	                             s->work, NULL),
	             WKG_OK);
}

typedef struct candidate {
	const char *name;
	void (*call)(setting *s, size_t i);
	uint64_t sample[ROUNDS];
} candidate;

static candidate candidates[] = {
	{ .name = "Ed25519, bare", .call = verify_bare },
	{ .name = "verify", .call = verify_grant },
	{ .name = "verify and claim", .call = verify_and_claim },
	{ .name = "execute", .call = execute },
	{ .name = "refused: expired", .call = refuse_late },
	{ .name = "refused: unknown kid", .call = refuse_early },
	{ .name = "intent open", .call = open_intent },
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
cut_token(approval *a)
{
	const uint8_t *text = a->token.ptr + a->token.len - 86;
	unsigned waiting = 0, bits = 0;
	size_t len = 0;
	for (size_t i = 0; i < 86; i++) {
		waiting = (waiting << 6 | base64url_value(text[i])) & 0xFFF;
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		a->signature[len++] = (uint8_t)(waiting >> bits);
	}
	a->message.ptr = a->token.ptr;
	a->message.len = a->token.len - 87;
}

static void
find_token(approval *a)
{
	const char *text = (const char *)a->decision.ptr;
	a->bytes[a->decision.len] = '\0';
	const char *from = strstr(text, "\"token\":\"");
	bench_expect(from != NULL ? WKG_OK : WKG_E_NOT_FOUND, WKG_OK);
	a->token.ptr = (const uint8_t *)from + 9;
	a->token.len = strcspn(from + 9, "\"");
	cut_token(a);
}

static void
approve(approval *a, const setting *s, size_t number)
{
	char id[40];
	int len = snprintf(id, sizeof(id), "c20ad4d7-6fe9-4759-aa27-%012zu", number);
	wkg_span uuid = { (const uint8_t *)id, (size_t)len };
	wkg_authority authority = { .unsafe_development = true, .seed = seed };
	wkg_ruling ruling = { WKG_VERDICT_ALLOW, uuid, uuid, uuid, now_ms, 60 };
	a->decision.ptr = a->bytes;
	a->decision.cap = sizeof(a->bytes) - 1;
	bench_expect(wkg_authority_decide(&a->decision, &authority, &s->intent,
	                                  &ruling, s->work),
	             WKG_OK);
	find_token(a);
}

static bool
refund(void *ctx, wkg_span parameters, wkg_buf *result)
{
	(void)ctx;
	return parameters.len > 0 && result->cap > result->len;
}

static const wkg_field fields[] = {
	{ .name = "amount", .type = WKG_TYPE_INTEGER, .has_minimum = true, .minimum = 1 },
	{ .name = "currency", .type = WKG_TYPE_STRING, .pattern = "[A-Z]{3}" },
	{ .name = NULL },
};
static const wkg_action actions[] = {
	{ .name = "refund_order", .parameters = fields, .run = refund },
};

static wkg_span
captured(wkg_work work)
{
	static uint8_t bytes[4096];
	static const wkg_span proposal = WKG_LIT(
		"{\"action\":\"refund_order\",\"target\":\"ORDER-1042\","
		"\"parameters\":{\"currency\":\"EUR\",\"amount\":350}}");
	static const wkg_span context = WKG_LIT(
		"{\"tenantId\":\"7d444840-9dc0-41d1-b245-5ffdce74fad2\","
		"\"actor\":{\"id\":\"agent-7\",\"type\":\"ai\"},"
		"\"downstreamTarget\":{\"system\":\"pay\",\"operation\":\"refund\"},"
		"\"idempotencyKey\":\"k-1\"}");
	wkg_buf out = { bytes, 0, sizeof(bytes) };
	wkg_capture capture = {
		WKG_BINDING_B, wkg_intent_limits_default(), now_ms, 60000,
		WKG_LIT("11111111-1111-4111-8111-111111111111"),
	};
	bench_expect(wkg_intent_capture(&out, proposal, context, &capture, work, NULL),
	             WKG_OK);
	return wkg_buf_span(&out);
}

static wkg_work
reserved(size_t size)
{
	wkg_work work = { malloc(size), size };
	bench_expect(work.ptr != NULL ? WKG_OK : WKG_E_MEMORY, WKG_OK);
	return work;
}

static void
empty_store(setting *s)
{
	static const uint8_t hash_key[16] = { 7 };
	bench_expect(wkg_memory_ledger_init(&s->store, s->store_memory, CALLS,
	                                    hash_key, WKG_LEDGER_MARGIN_S),
	             WKG_OK);
}

static void
set_up(setting *s)
{
	static const wkg_span issuer = WKG_LIT(WKG_AUTHORITY_ISSUER), thumbprint = WKG_LIT("");
	const wkg_request largest = { { NULL, 4096 }, { NULL, WKG_DECISION_MAX }, now_ms };
	uint8_t key[WKG_KEY_SIZE];
	memset(s, 0, sizeof(*s));
	s->work = reserved(wkg_execute_work_size(&largest));
	s->store_memory = reserved(wkg_memory_ledger_size(CALLS));
	s->registry = wkg_registry_of(actions, 1);
	bench_expect(wkg_key_public_of_seed(key, seed), WKG_OK);
	bench_expect(wkg_keyring_new(&s->keyring, issuer, NULL), WKG_OK);
	bench_expect(wkg_keyring_add(s->keyring, thumbprint, key), WKG_OK);
	s->pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key,
	                                      sizeof(key));
	s->envelope = captured(s->work);
	s->intent_memory = reserved(wkg_intent_work_size(s->envelope.len));
	bench_expect(wkg_intent_open(&s->intent, s->envelope, WKG_BINDING_B,
	                             s->intent_memory, NULL),
	             WKG_OK);
	for (size_t i = 0; i < CALLS; i++)
		approve(&s->approvals[i], s, i);
}

static void
tear_down(setting *s)
{
	wkg_keyring_free(s->keyring);
	EVP_PKEY_free(s->pkey);
	free(s->intent_memory.ptr);
	free(s->work.ptr);
	free(s->store_memory.ptr);
}

/* ---- measuring ------------------------------------------------------- */

/* Candidates take turns, so that a slow moment of the machine hits them alike. */
static void
measure(setting *s)
{
	for (size_t round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < CANDIDATES; i++) {
			empty_store(s);
			uint64_t start = bench_now();
			for (size_t call = 0; call < CALLS; call++)
				candidates[i].call(s, call);
			candidates[i].sample[round] = bench_now() - start;
		}
}

static double
median_us(candidate *c)
{
	return (double)bench_median(c->sample, ROUNDS) / CALLS / 1000;
}

int
bench_grant(void)
{
	static setting s;
	set_up(&s);
	measure(&s);
	double bare = median_us(&candidates[0]);
	printf("%-20s %9s %12s   token of %zu bytes\n", "case", "us", "x bare",
	       s.approvals[0].token.len);
	for (size_t i = 0; i < CANDIDATES; i++) {
		double us = i == 0 ? bare : median_us(&candidates[i]);
		printf("%-20s %9.2f %12.3f\n", candidates[i].name, us, us / bare);
	}
	tear_down(&s);
	return 0;
}
