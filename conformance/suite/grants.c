/* grants.c - approved intents, written by hand and signed by sign.c. */
#include "grants.h"
#include "base64url.h"
#include "sign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ISSUER "agent-safe-fixture"

const char *const wgc_deed_actions[WGC_DEEDS] = {
	"refund_order", "fail_order", "refund_order", "unknown_order"
};

/* The bytes 1 to 32. */
static void
seed_of(uint8_t seed[32])
{
	for (int i = 0; i < 32; i++)
		seed[i] = (uint8_t)(i + 1);
}

const char *
wgc_binding(const wgc_subject *subject)
{
	return wgc_has_feature(subject->hello, "binding.a") ? "a" : "b";
}

/* --- Words --- */

/* YYYY-MM-DDThh:mm:ss.mmmZ (civil from days, after Hinnant). */
static void
instant(int64_t ms, char out[64])
{
	int64_t days = ms / 86400000, rest = ms % 86400000;
	int64_t z = days + 719468, era = z / 146097, doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153, day = doy - (153 * mp + 2) / 5 + 1;
	int64_t month = mp < 10 ? mp + 3 : mp - 9;
	snprintf(out, 64, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
	         (int)(yoe + era * 400 + (month <= 2)), (int)month, (int)day,
	         (int)(rest / 3600000), (int)(rest / 60000 % 60),
	         (int)(rest / 1000 % 60), (int)(rest % 1000));
}

char *
wgc_replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	if (at == NULL)
		return wgc_copy(text);
	return wgc_format("%.*s%s%s", (int)(at - text), text, to,
	                  at + strlen(from));
}

static char *
quoted(const char *text)
{
	cJSON *string = cJSON_CreateString(text);
	size_t len;
	char *json = wgc_json_write(string, &len);
	cJSON_Delete(string);
	return json;
}

/* --- Intents (X1.7, X1.8) --- */

static const char *
parameters_of(wgc_deed deed)
{
	return deed == WGC_BAD_VALUE ? "{\"amountMinor\":-350,\"orderId\":\"A-1\"}"
	                             : "{\"amountMinor\":350,\"orderId\":\"A-1\"}";
}

static char *
canonical_of(const wgc_approved *a, bool is_b, const char *captured,
             const char *expires)
{
	char key[32];
	snprintf(key, sizeof(key), "key-%u", a->number);
	return wgc_format(
		"{\"action\":{\"parameters\":%s,\"resource\":\"order:42\",\"type\":\"%s\"},"
		"\"actor\":{\"id\":\"agent-7\",\"type\":\"agent\"},\"captured_at\":\"%s\","
		"\"context\":{\"channel\":\"chat\"%s%s%s},"
		"\"downstream_target\":{\"operation\":\"refund\",\"system\":\"payments\"},"
		"\"expires_at\":\"%s\",%s%s%s\"intent_id\":\"22222222-2222-4222-8222-%012u\","
		"\"protocol_version\":\"agent-safe.intent/1\","
		"\"tenant_id\":\"11111111-1111-4111-8111-111111111111\"}",
		parameters_of(a->deed), wgc_deed_actions[a->deed], captured,
		is_b ? ",\"idempotency_key\":\"" : "", is_b ? key : "",
		is_b ? "\"" : "", expires, is_b ? "" : "\"idempotency_key\":\"",
		is_b ? "" : key, is_b ? "" : "\",", a->number);
}

static void
write_envelope(wgc_approved *a, bool is_b)
{
	char captured[64], expires[64];
	instant(a->now_ms, captured);
	instant(a->now_ms + WGC_TTL_MS, expires);
	char *canonical = canonical_of(a, is_b, captured, expires);
	char *text = quoted(canonical);
	wgc_sha256(canonical, strlen(canonical), a->hash);
	a->envelope = wgc_format(
		"{\"intent\":{\"version\":\"agent-safe.intent/1\","
		"\"intentId\":\"22222222-2222-4222-8222-%012u\",\"capturedAt\":\"%s\","
		"\"expiresAt\":\"%s\",\"action\":\"%s\",\"target\":\"order:42\","
		"\"parameters\":%s,\"tenantId\":\"11111111-1111-4111-8111-111111111111\","
		"\"actor\":{\"id\":\"agent-7\",\"type\":\"agent\"},"
		"\"downstreamTarget\":{\"system\":\"payments\",\"operation\":\"refund\"},"
		"\"context\":{\"channel\":\"chat\"},\"idempotencyKey\":\"key-%u\"},"
		"\"canonical\":%s,\"hash\":\"%s\",\"length\":%zu}",
		a->number, captured, expires, wgc_deed_actions[a->deed],
		parameters_of(a->deed), a->number, text, a->hash,
		strlen(canonical));
	free(canonical);
	free(text);
}

/* --- Grants (X6) --- */

static char *
part(char *text /* taken */)
{
	char *encoded = wgc_base64url((const uint8_t *)text, strlen(text));
	free(text);
	return encoded;
}

static void
write_token(wgc_approved *a)
{
	uint8_t seed[32], signature[64];
	int64_t now_s = a->now_ms / 1000;
	char *header = part(wgc_copy("{\"alg\":\"EdDSA\",\"kid\":\"k1\",\"typ\":\"JWT\"}"));
	char *claims = part(wgc_format(
		"{\"decision_id\":\"d-%u\",\"dossier_id\":\"s-%u\",\"decision\":\"allow\","
		"\"scope\":\"execute\",\"binding\":{\"intent_hash\":\"%s\"},"
		"\"iss\":\"" ISSUER "\",\"aud\":\"payments:refund\",\"jti\":\"g-%u\","
		"\"iat\":%lld,\"nbf\":%lld,\"exp\":%lld}",
		a->number, a->number, a->hash, a->number, (long long)now_s,
		(long long)now_s, (long long)(now_s + WGC_TTL_MS / 1000)));
	char *signed_text = wgc_format("%s.%s", header, claims);
	seed_of(seed);
	wgc_sign(seed, signed_text, strlen(signed_text), signature);
	char *last = wgc_base64url(signature, 64);
	a->token = wgc_format("%s.%s", signed_text, last);
	free(header);
	free(claims);
	free(signed_text);
	free(last);
}

static void
write_decision(wgc_approved *a)
{
	char expires[64];
	instant(a->now_ms + WGC_TTL_MS, expires);
	write_token(a);
	a->decision = wgc_format(
		"{\"verdict\":\"ALLOW\",\"decisionId\":\"d-%u\",\"dossierId\":\"s-%u\","
		"\"intentHash\":\"%s\",\"reasonCodes\":[\"FIXTURE_ALLOW\"],"
		"\"authorization\":{\"token\":\"%s\",\"expiresAt\":\"%s\"},"
		"\"failClosed\":false}",
		a->number, a->number, a->hash, a->token, expires);
}

/* Signing is dear, and the same few approvals are asked for again and again. */
static void
sign_once(wgc_approved *a)
{
	static wgc_approved known[32];
	wgc_approved *k = &known[(a->number * WGC_DEEDS + a->deed) % 32];
	if (strcmp(k->hash, a->hash) != 0) {
		wgc_approved_clear(k);
		write_decision(a);
		*k = *a;
		k->envelope = NULL;
		k->token = wgc_copy(a->token);
		k->decision = wgc_copy(a->decision);
		return;
	}
	a->token = wgc_copy(k->token);
	a->decision = wgc_copy(k->decision);
}

static bool
ask_for_decision(wgc_case *what, wgc_approved *a)
{
	cJSON *args = cJSON_CreateObject();
	cJSON_AddStringToObject(args, "envelope", a->envelope);
	cJSON_AddStringToObject(args, "verdict", "ALLOW");
	cJSON_AddNumberToObject(args, "ttl_s", WGC_TTL_MS / 1000);
	wgc_case_ask_now(what, "grant.issue", args);
	if (wgc_case_is_over(what) || !wgc_case_ok(what, what->requests - 1))
		return false;
	wgc_text text;
	uint8_t *bytes;
	size_t len;
	if (!wgc_case_text(what, what->requests - 1, "decision", &text))
		return false;
	if (wgc_text_bytes(&text, &bytes, &len))
		a->decision = wgc_format("%.*s", (int)len, (const char *)bytes);
	else
		wgc_case_fails(what, "grant.issue: a decision that is no text");
	free(bytes);
	wgc_text_clear(&text);
	return a->decision != NULL;
}

bool
wgc_approve(wgc_case *what, wgc_deed deed, unsigned number, int64_t now_ms,
            wgc_approved *approved)
{
	const wgc_subject *subject = what->subject;
	*approved = (wgc_approved){ .deed = deed, .number = number,
		                    .now_ms = now_ms };
	write_envelope(approved, strcmp(wgc_binding(subject), "b") == 0);
	if (!wgc_has_feature(subject->hello, "grant.jws"))
		return ask_for_decision(what, approved);
	sign_once(approved);
	return true;
}

void
wgc_approved_clear(wgc_approved *approved)
{
	free(approved->envelope);
	free(approved->decision);
	free(approved->token);
	*approved = (wgc_approved){ .number = 0 };
}

/* --- Setting up and asking --- */

static void
add_hex(cJSON *object, const char *name, const uint8_t bytes[32])
{
	char hex[65];
	for (size_t i = 0; i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	cJSON_AddStringToObject(object, name, hex);
}

static cJSON *
key_array(bool with_seed)
{
	uint8_t seed[32], public_key[32];
	cJSON *keys = cJSON_CreateArray(), *key = cJSON_CreateObject();
	seed_of(seed);
	wgc_public_key(seed, public_key);
	cJSON_AddStringToObject(key, "kid", "k1");
	add_hex(key, "public", public_key);
	if (with_seed)
		add_hex(key, "seed", seed);
	cJSON_AddItemToArray(keys, key);
	return keys;
}

cJSON *
wgc_keys(void)
{
	return key_array(false);
}

static cJSON *
setup_args(const wgc_subject *subject, const char *store)
{
	const char *why;
	bool jws = wgc_has_feature(subject->hello, "grant.jws");
	static const char actions[] =
		"[{\"name\":\"refund_order\",\"handler\":\"ok\",\"parameters\":{"
		"\"amountMinor\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100000},"
		"\"orderId\":{\"type\":\"string\",\"max_length\":40}}},"
		"{\"name\":\"fail_order\",\"handler\":\"fail\",\"parameters\":{"
		"\"amountMinor\":{\"type\":\"integer\"},\"orderId\":{\"type\":\"string\"}}}]";
	cJSON *args = cJSON_CreateObject();
	cJSON_AddStringToObject(args, "binding", wgc_binding(subject));
	cJSON_AddStringToObject(args, "issuer", ISSUER);
	cJSON_AddItemToObject(args, "keys", key_array(!jws));
	cJSON_AddItemToObject(args, "actions",
	                      wgc_json_read(actions, sizeof(actions) - 1, &why));
	cJSON_AddBoolToObject(args, "seal", true);
	cJSON_AddStringToObject(args, "store", store);
	return args;
}

bool
wgc_grants_setup(wgc_case *what, const char *store)
{
	cJSON *clock = cJSON_CreateObject();
	cJSON_AddNumberToObject(clock, "now_ms", (double)WGC_START_MS);
	wgc_case_ask_now(what, "reset", cJSON_CreateObject());
	wgc_case_ask_now(what, "clock.set", clock);
	wgc_case_ask_now(what, "grant.setup", setup_args(what->subject, store));
	for (size_t i = 0; i < what->requests; i++)
		if (!wgc_case_is_over(what))
			wgc_case_ok(what, i);
	return !wgc_case_is_over(what);
}

cJSON *
wgc_execute_args(const char *envelope, const char *decision)
{
	cJSON *args = cJSON_CreateObject();
	cJSON_AddStringToObject(args, "envelope", envelope);
	cJSON_AddStringToObject(args, "decision", decision);
	return args;
}

long
wgc_handled(wgc_case *what, const char *action)
{
	long long count;
	cJSON *args = cJSON_CreateObject();
	cJSON_AddStringToObject(args, "action", action);
	const wgc_reply *reply = wgc_case_ask_now(what, "handler.count", args);
	if (wgc_case_is_over(what) || !wgc_case_ok(what, what->requests - 1))
		return -1;
	if (wgc_json_integer(wgc_json_get(reply->body, "count"), &count))
		return (long)count;
	wgc_case_fails(what, "handler.count answered without a count");
	return -1;
}
