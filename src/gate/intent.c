/* intent.c - from a proposal and a context to bytes that can be approved.
 *
 * There is one way to the canonical text, whoever asks for it: intent (flat,
 * camelCase) -> binding (wire form) -> checked strictly -> RFC 8785. Capture
 * writes an intent and then takes that way; the executor takes it again. */
#include "crypto.h"
#include "instant.h"
#include "number.h"
#include "schema.h"
#include "tape.h"

#include <string.h>
#include <wicketgate/intent.h>

#define VERSION "agent-safe.intent/1"

/* ---- shapes ------------------------------------------------------------- */

static bool
is_hex(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* 8-4-4-4-12 with a version of 1 to 8 and the variant of RFC 9562; or all 0; or
 * all f. */
static bool
is_uuid(wkg_span text)
{
	static const char nil[] = "00000000-0000-0000-0000-000000000000";
	static const char max[] = "ffffffff-ffff-ffff-ffff-ffffffffffff";
	if (text.len != 36)
		return false;
	if (memcmp(text.ptr, nil, 36) == 0 || memcmp(text.ptr, max, 36) == 0)
		return true;
	for (size_t i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		if (dash ? text.ptr[i] != '-' : !is_hex(text.ptr[i]))
			return false;
	}
	uint8_t version = text.ptr[14], variant = text.ptr[19];
	return version >= '1' && version <= '8' && strchr("89abAB", variant) != NULL;
}

static bool
is_instant(wkg_span text)
{
	int64_t ms;
	return wkg__instant_parse(&ms, text);
}

static const char *const versions[] = { VERSION, NULL };

#define TEXT(field, max) \
	{ .name = field, .type = WKG_TYPE_STRING, .min_length = 1, .max_length = max }
#define OPTIONAL_TEXT(field, max)                                       \
	{ .name = field, .type = WKG_TYPE_STRING, .min_length = 1,      \
	  .max_length = max, .optional = true }
#define ACTION_NAME(field)                                              \
	{ .name = field, .type = WKG_TYPE_STRING, .min_length = 1,      \
	  .max_length = 120, .pattern = "[a-z][a-z0-9._:-]*" }
#define UUID(field) { .name = field, .type = WKG_TYPE_STRING, .accepts = is_uuid }
#define INSTANT(field) { .name = field, .type = WKG_TYPE_STRING, .accepts = is_instant }
#define CONST_VERSION(field) { .name = field, .type = WKG_TYPE_STRING, .one_of = versions }
#define OBJECT(field, table) { .name = field, .type = WKG_TYPE_OBJECT, .members = table }
#define ANY_OBJECT(field) { .name = field, .type = WKG_TYPE_OBJECT }
#define OPTIONAL_OBJECT(field) { .name = field, .type = WKG_TYPE_OBJECT, .optional = true }
#define DIGEST(field)                                                   \
	{ .name = field, .type = WKG_TYPE_STRING, .optional = true,     \
	  .pattern = "sha256:[0-9a-f]{64}" }
#define END { .name = NULL }

#define ACTOR_FIELDS(trust_level)                                       \
	TEXT("id", 200), TEXT("type", 200), OPTIONAL_TEXT("runtime", 200), \
	OPTIONAL_TEXT(trust_level, 80)

/* As people and programs write them: camelCase. */
static const wkg_field actor_camel[] = { ACTOR_FIELDS("trustLevel"), END };
static const wkg_field target_a[] = {
	TEXT("system", 200), TEXT("operation", 200), OPTIONAL_TEXT("endpoint", 500), END
};
static const wkg_field target_b[] = {
	TEXT("system", 200), TEXT("operation", 200), OPTIONAL_TEXT("environment", 200),
	OPTIONAL_TEXT("endpoint", 500), END
};
static const wkg_field proposal_fields[] = {
	ACTION_NAME("action"), TEXT("target", 500), OPTIONAL_OBJECT("parameters"), END
};
#define CONTEXT_FIELDS(target)                                          \
	UUID("tenantId"), OBJECT("actor", actor_camel),                 \
	OBJECT("downstreamTarget", target), OPTIONAL_OBJECT("context"), \
	TEXT("idempotencyKey", 180), OPTIONAL_TEXT("correlationId", 200)
static const wkg_field context_a[] = { CONTEXT_FIELDS(target_a), END };
static const wkg_field context_b[] = {
	CONTEXT_FIELDS(target_b), DIGEST("expectedEffectDigest"), END
};
#define INTENT_FIELDS                                                   \
	CONST_VERSION("version"), UUID("intentId"),                     \
	INSTANT("capturedAt"), INSTANT("expiresAt"),                    \
	ACTION_NAME("action"), TEXT("target", 500), ANY_OBJECT("parameters")
static const wkg_field intent_a[] = { INTENT_FIELDS, CONTEXT_FIELDS(target_a), END };
static const wkg_field intent_b[] = {
	INTENT_FIELDS, CONTEXT_FIELDS(target_b), DIGEST("expectedEffectDigest"), END
};

/* As it is hashed: the wire form. */
static const wkg_field actor_wire[] = { ACTOR_FIELDS("trust_level"), END };
static const wkg_field action_wire[] = {
	ACTION_NAME("type"), TEXT("resource", 500), ANY_OBJECT("parameters"), END
};
#define BINDING_FIELDS(target)                                          \
	CONST_VERSION("protocol_version"), UUID("tenant_id"),           \
	UUID("intent_id"), INSTANT("captured_at"), INSTANT("expires_at"), \
	OBJECT("actor", actor_wire), OBJECT("action", action_wire),     \
	ANY_OBJECT("context"), OBJECT("downstream_target", target)
static const wkg_field binding_a[] = {
	BINDING_FIELDS(target_a), TEXT("idempotency_key", 180), END
};
static const wkg_field binding_b[] = {
	BINDING_FIELDS(target_b), DIGEST("expected_effect_digest"), END
};

static const wkg_field envelope_fields[] = {
	ANY_OBJECT("intent"),
	{ .name = "canonical", .type = WKG_TYPE_STRING },
	{ .name = "hash", .type = WKG_TYPE_STRING, .pattern = "sha256:[0-9a-f]{64}" },
	{ .name = "length", .type = WKG_TYPE_INTEGER, .has_minimum = true },
	END
};

/* ---- one call ----------------------------------------------------------- */

typedef struct job {
	wkg_binding binding;
	wkg_intent_limits limits;
	wkg_work work;
	wkg_intent_error error;
	wkg_intent_part part; /* what is being read */
} job;

static wkg_status
fail(job *j, wkg_status status, size_t at, const char *reason, const char *what)
{
	j->error.part = j->part;
	j->error.at = at;
	j->error.reason = reason;
	j->error.what = what;
	return status;
}

wkg_intent_limits
wkg_intent_limits_default(void)
{
	wkg_intent_limits limits = { 20, 5000, 1000, 102400 };
	return limits;
}

static job
begin(wkg_binding binding, const wkg_intent_limits *limits, wkg_work work)
{
	job j = { .binding = binding, .work = work };
	j.limits = limits != NULL ? *limits : wkg_intent_limits_default();
	j.error.reason = j.error.what = "";
	return j;
}

static wkg_status
end(const job *j, wkg_status status, wkg_intent_error *error)
{
	if (error != NULL)
		*error = j->error;
	return status;
}

static bool
is_binding(wkg_binding binding)
{
	return binding == WKG_BINDING_A || binding == WKG_BINDING_B;
}

static wkg_status
read_part(job *j, wkg_intent_part part, wkg__tape *tape, wkg_span text)
{
	j->part = part;
	wkg_status status = wkg__tape_read(tape, text, &j->work);
	if (status != WKG_OK && status != WKG_E_SPACE)
		return fail(j, status, tape->error.at, "INTENT_NOT_I_JSON", tape->error.what);
	return status;
}

static wkg_status
check_shape(job *j, const wkg__tape *t, uint32_t node, const wkg_field *table, bool trim)
{
	wkg_schema_error e;
	if (wkg__schema_check(t, node, table, trim, &e) == WKG_OK)
		return WKG_OK;
	return fail(j, WKG_E_INVALID, e.at, "INTENT_SCHEMA_INVALID", e.what);
}

/* ---- limits ------------------------------------------------------------- */

/* Names that become something else in JavaScript objects. */
static bool
is_unsafe_name(const wkg__tape *t, uint32_t member)
{
	return wkg__tape_named(t, member, "__proto__") ||
	       wkg__tape_named(t, member, "constructor") ||
	       wkg__tape_named(t, member, "prototype");
}

static bool
is_container(const wkg__node *n)
{
	return n->kind == WKG_JSON_OBJECT_BEGIN || n->kind == WKG_JSON_ARRAY_BEGIN;
}

/* `scalars`: is a scalar too deep as well? (Upstream's third pass says yes, its
 * first no.) */
static wkg_status
check_node(job *j, const wkg__tape *t, uint32_t i, bool scalars)
{
	const wkg__node *n = &t->nodes[i];
	if (n->depth > j->limits.depth && (scalars || is_container(n)))
		return fail(j, WKG_E_LIMIT, n->from, "INTENT_TOO_DEEP", "nested too deep");
	size_t children = 0;
	for (uint32_t c = n->first; c != 0; c = t->nodes[c].next) {
		children++;
		if (n->kind == WKG_JSON_OBJECT_BEGIN && is_unsafe_name(t, c))
			return fail(j, WKG_E_INVALID, t->nodes[c].name, "UNSAFE_INTENT_KEY", "forbidden name");
	}
	if (n->kind == WKG_JSON_ARRAY_BEGIN && children > j->limits.array)
		return fail(j, WKG_E_LIMIT, n->from, "INTENT_ARRAY_TOO_LARGE", "array too long");
	return WKG_OK;
}

static wkg_status
check_limits(job *j, const wkg__tape *t, bool scalars)
{
	for (uint32_t i = 0; i < t->count; i++) {
		WKG_TRY(check_node(j, t, i, scalars));
		if (i > j->limits.entries)
			return fail(j, WKG_E_LIMIT, t->nodes[i].from, "INTENT_TOO_COMPLEX", "too many members and elements");
	}
	return WKG_OK;
}

/* ---- writing ------------------------------------------------------------ */

/* A value exactly as it stands in its document. */
static wkg_status
put_raw(wkg_buf *out, const wkg__tape *t, uint32_t node)
{
	const wkg__node *n = &t->nodes[node];
	return wkg__append(out, t->doc.ptr + n->from, n->to - n->from);
}

/* The same without ECMAScript's white space at the ends of a string. */
static wkg_status
put_trimmed(wkg_buf *out, const wkg__tape *t, uint32_t node)
{
	size_t from, to;
	if (t->nodes[node].kind != WKG_JSON_STRING)
		return put_raw(out, t, node);
	wkg__schema_trim(t, node, &from, &to);
	WKG_TRY(wkg__append_text(out, "\""));
	WKG_TRY(wkg__append(out, t->doc.ptr + from, to - from));
	return wkg__append_text(out, "\"");
}

/* One member, if `from` has it: under another name, and trimmed or not. */
static wkg_status
put_member(wkg_buf *out, const wkg__tape *t, uint32_t from, const char *name,
           const char *as, bool trim)
{
	uint32_t value = wkg__tape_member(t, from, name);
	if (value == 0)
		return WKG_OK;
	WKG_TRY(wkg__append_text(out, out->ptr[out->len - 1] == '{' ? "\"" : ",\""));
	WKG_TRY(wkg__append_text(out, as));
	WKG_TRY(wkg__append_text(out, "\":"));
	return trim ? put_trimmed(out, t, value) : put_raw(out, t, value);
}

typedef struct renaming {
	const char *name;
	const char *as;
} renaming;

static wkg_status
put_members(wkg_buf *out, const wkg__tape *t, uint32_t from, const renaming *r, bool trim)
{
	for (; r->name != NULL; r++)
		WKG_TRY(put_member(out, t, from, r->name, r->as, trim));
	return WKG_OK;
}

static wkg_status
put_object(wkg_buf *out, const wkg__tape *t, uint32_t from, const char *name,
           const char *as, const renaming *r, bool trim)
{
	uint32_t object = wkg__tape_member(t, from, name);
	WKG_TRY(wkg__append_text(out, ",\""));
	WKG_TRY(wkg__append_text(out, as));
	WKG_TRY(wkg__append_text(out, "\":{"));
	WKG_TRY(put_members(out, t, object, r, trim));
	return wkg__append_text(out, "}");
}

static const renaming actor_to_camel[] = {
	{ "id", "id" }, { "type", "type" }, { "runtime", "runtime" },
	{ "trustLevel", "trustLevel" }, { NULL, NULL }
};
static const renaming actor_to_wire[] = {
	{ "id", "id" }, { "type", "type" }, { "runtime", "runtime" },
	{ "trustLevel", "trust_level" }, { NULL, NULL }
};
static const renaming target_to_either[] = {
	{ "system", "system" }, { "operation", "operation" },
	{ "environment", "environment" }, { "endpoint", "endpoint" }, { NULL, NULL }
};
static const renaming head_to_wire[] = {
	{ "version", "protocol_version" }, { "tenantId", "tenant_id" },
	{ "intentId", "intent_id" }, { "capturedAt", "captured_at" },
	{ "expiresAt", "expires_at" }, { NULL, NULL }
};
static const renaming action_to_wire[] = {
	{ "action", "type" }, { "target", "resource" },
	{ "parameters", "parameters" }, { NULL, NULL }
};

/* The context as it is hashed: in B with the idempotency key in it. */
static wkg_status
put_context(wkg_buf *out, const wkg__tape *t, wkg_binding binding)
{
	uint32_t context = wkg__tape_member(t, 0, "context");
	WKG_TRY(wkg__append_text(out, ",\"context\":{"));
	if (context != 0 && t->nodes[context].first != 0) {
		const wkg__node *n = &t->nodes[context];
		WKG_TRY(wkg__append(out, t->doc.ptr + n->from + 1, n->to - n->from - 2));
		if (binding == WKG_BINDING_B)
			WKG_TRY(wkg__append_text(out, ",\"idempotency_key\":"));
	} else if (binding == WKG_BINDING_B) {
		WKG_TRY(wkg__append_text(out, "\"idempotency_key\":"));
	}
	if (binding == WKG_BINDING_B)
		WKG_TRY(put_raw(out, t, wkg__tape_member(t, 0, "idempotencyKey")));
	return wkg__append_text(out, "}");
}

/* The wire form of an intent whose shape has been checked. */
static wkg_status
put_binding(wkg_buf *out, const wkg__tape *t, wkg_binding binding)
{
	WKG_TRY(wkg__append_text(out, "{"));
	WKG_TRY(put_members(out, t, 0, head_to_wire, false));
	if (binding == WKG_BINDING_A)
		WKG_TRY(put_member(out, t, 0, "idempotencyKey", "idempotency_key", false));
	WKG_TRY(put_object(out, t, 0, "actor", "actor", actor_to_wire, false));
	WKG_TRY(wkg__append_text(out, ",\"action\":{"));
	WKG_TRY(put_members(out, t, 0, action_to_wire, false));
	WKG_TRY(wkg__append_text(out, "}"));
	WKG_TRY(put_context(out, t, binding));
	WKG_TRY(put_object(out, t, 0, "downstreamTarget", "downstream_target", target_to_either, false));
	WKG_TRY(put_member(out, t, 0, "expectedEffectDigest", "expected_effect_digest", false));
	return wkg__append_text(out, "}");
}

/* ---- canonical text ----------------------------------------------------- */

size_t
wkg_intent_canonical_bound(size_t n)
{
	/* `1e20,` becomes 21 digits and a comma. */
	return wkg__add(wkg__multiply(n, 6), 64);
}

static wkg_status
canonical_of(job *j, wkg_buf *out, const wkg__tape *t, uint32_t node)
{
	size_t at = 0;
	wkg_status status = wkg__tape_canonical(out, t, node, &at);
	if (status == WKG_E_SYNTAX)
		return fail(j, WKG_E_INVALID, at, "INVALID_NUMBER", "number out of range");
	return status;
}

wkg_status
wkg_intent_canonical(wkg_buf *out, wkg_span json, wkg_work work,
                     wkg_intent_error *error)
{
	WKG_TRY(wkg__check_spans(out, json));
	job j = begin(WKG_BINDING_INVALID, NULL, work);
	wkg__tape tape;
	wkg_buf result = *out;
	wkg_status status = read_part(&j, WKG_INTENT_PART_BINDING, &tape, json);
	if (status == WKG_OK)
		status = canonical_of(&j, &result, &tape, 0);
	if (status == WKG_OK)
		*out = result;
	return end(&j, status, error);
}

/* B keeps the key in the context, and only there. */
static wkg_status
check_key_in_context(job *j, const wkg__tape *t)
{
	static const wkg_field key = TEXT("idempotency_key", 180);
	wkg_schema_error e = { 0, "no idempotency_key in the context" };
	uint32_t context = wkg__tape_member(t, 0, "context");
	uint32_t member = wkg__tape_member(t, context, "idempotency_key");
	e.at = t->nodes[context].from;
	if (member == 0 || wkg__schema_value(t, member, &key, false, &e) != WKG_OK)
		return fail(j, WKG_E_INVALID, e.at, "INTENT_SCHEMA_INVALID", e.what);
	return WKG_OK;
}

static wkg_status
check_binding(job *j, const wkg__tape *t)
{
	bool a = j->binding == WKG_BINDING_A;
	WKG_TRY(check_shape(j, t, 0, a ? binding_a : binding_b, false));
	if (!a)
		WKG_TRY(check_key_in_context(j, t));
	return check_limits(j, t, true);
}

static wkg_status
bind(job *j, wkg_buf *out, wkg_span json, wkg__tape *tape)
{
	size_t start = out->len;
	WKG_TRY(read_part(j, WKG_INTENT_PART_BINDING, tape, json));
	WKG_TRY(check_binding(j, tape));
	WKG_TRY(canonical_of(j, out, tape, 0));
	if (out->len - start > j->limits.bytes)
		return fail(j, WKG_E_LIMIT, 0, "INTENT_TOO_LARGE", "canonical text too long");
	return WKG_OK;
}

wkg_status
wkg_intent_bind(wkg_buf *out, wkg_span json, wkg_binding binding,
                const wkg_intent_limits *limits, wkg_work work,
                wkg_intent_error *error)
{
	WKG_TRY(wkg__check_spans(out, json));
	if (!is_binding(binding))
		return WKG_E_ARGUMENT;
	job j = begin(binding, limits, work);
	wkg__tape tape;
	wkg_buf result = *out;
	wkg_status status = bind(&j, &result, json, &tape);
	if (status == WKG_OK)
		*out = result;
	return end(&j, status, error);
}

wkg_status
wkg_intent_hash(uint8_t hash[WKG_INTENT_HASH_LEN], wkg_span canonical)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t digest[32];
	WKG_TRY(wkg__sha256(digest, canonical));
	memcpy(hash, "sha256:", 7);
	for (size_t i = 0; i < sizeof digest; i++) {
		hash[7 + 2 * i] = (uint8_t)digits[digest[i] >> 4];
		hash[8 + 2 * i] = (uint8_t)digits[digest[i] & 15];
	}
	return WKG_OK;
}

/* ---- intents ------------------------------------------------------------ */

/* Room for text in the work area. */
static wkg_status
reserve(job *j, wkg_buf *buf, size_t size)
{
	buf->ptr = wkg__take(&j->work, size);
	buf->len = 0;
	buf->cap = size;
	return buf->ptr == NULL ? WKG_E_SPACE : WKG_OK;
}

/* What renaming and the fixed members can add to a text. */
enum { FIXED_TEXT = 1024 };

/* The way from a flat intent to its canonical text. */
static wkg_status
canonical_of_intent(job *j, wkg_buf *canonical, wkg_span text, wkg__tape *intent)
{
	wkg_buf wire;
	wkg__tape binding;
	bool a = j->binding == WKG_BINDING_A;
	WKG_TRY(read_part(j, WKG_INTENT_PART_ENVELOPE, intent, text));
	WKG_TRY(check_shape(j, intent, 0, a ? intent_a : intent_b, false));
	WKG_TRY(reserve(j, &wire, wkg__add(text.len, FIXED_TEXT)));
	WKG_TRY(put_binding(&wire, intent, j->binding));
	return bind(j, canonical, wkg_buf_span(&wire), &binding);
}

static wkg_status
check_reserved(job *j, const wkg__tape *t)
{
	static const char *const reserved[] = {
		"idempotency_key", "enforcement_boundary", "workload", NULL
	};
	uint32_t context = wkg__tape_member(t, 0, "context");
	if (j->binding == WKG_BINDING_A || context == 0)
		return WKG_OK;
	for (const char *const *name = reserved; *name != NULL; name++) {
		uint32_t member = wkg__tape_member(t, context, *name);
		if (member != 0)
			return fail(j, WKG_E_INVALID, t->nodes[member].name, "INTENT_CONTEXT_KEY_RESERVED", "reserved name in the context");
	}
	return WKG_OK;
}

static wkg_status
put_instant(wkg_buf *out, const char *name, int64_t ms)
{
	uint8_t text[WKG__INSTANT_LEN];
	if (!wkg__instant_write(text, ms))
		return WKG_E_ARGUMENT;
	WKG_TRY(wkg__append_text(out, ",\""));
	WKG_TRY(wkg__append_text(out, name));
	WKG_TRY(wkg__append_text(out, "\":\""));
	WKG_TRY(wkg__append(out, text, sizeof text));
	return wkg__append_text(out, "\"");
}

static int64_t
clamp(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static wkg_status
put_or_empty(wkg_buf *out, const wkg__tape *t, const char *name)
{
	if (wkg__tape_member(t, 0, name) != 0)
		return put_member(out, t, 0, name, name, false);
	WKG_TRY(wkg__append_text(out, ",\""));
	WKG_TRY(wkg__append_text(out, name));
	return wkg__append_text(out, "\":{}");
}

static wkg_status
put_intent(wkg_buf *out, const wkg__tape *proposal, const wkg__tape *context,
           const wkg_capture *c)
{
	WKG_TRY(wkg__append_text(out, "{\"version\":\"" VERSION "\",\"intentId\":"));
	WKG_TRY(wkg_json_quote(out, c->intent_id));
	WKG_TRY(put_instant(out, "capturedAt", c->now_ms));
	WKG_TRY(put_instant(out, "expiresAt", c->now_ms + clamp(c->ttl_ms, 1000, 300000)));
	WKG_TRY(put_member(out, proposal, 0, "action", "action", true));
	WKG_TRY(put_member(out, proposal, 0, "target", "target", true));
	WKG_TRY(put_or_empty(out, proposal, "parameters"));
	WKG_TRY(put_member(out, context, 0, "tenantId", "tenantId", false));
	WKG_TRY(put_object(out, context, 0, "actor", "actor", actor_to_camel, true));
	WKG_TRY(put_object(out, context, 0, "downstreamTarget", "downstreamTarget", target_to_either, true));
	WKG_TRY(put_or_empty(out, context, "context"));
	WKG_TRY(put_member(out, context, 0, "idempotencyKey", "idempotencyKey", true));
	WKG_TRY(put_member(out, context, 0, "correlationId", "correlationId", true));
	WKG_TRY(put_member(out, context, 0, "expectedEffectDigest", "expectedEffectDigest", true));
	return wkg__append_text(out, "}");
}

static wkg_status
put_envelope(wkg_buf *out, wkg_span intent, wkg_span canonical)
{
	uint8_t hash[WKG_INTENT_HASH_LEN];
	WKG_TRY(wkg_intent_hash(hash, canonical));
	WKG_TRY(wkg__append_text(out, "{\"intent\":"));
	WKG_TRY(wkg__append(out, intent.ptr, intent.len));
	WKG_TRY(wkg__append_text(out, ",\"canonical\":"));
	WKG_TRY(wkg_json_quote(out, canonical));
	WKG_TRY(wkg__append_text(out, ",\"hash\":\""));
	WKG_TRY(wkg__append(out, hash, sizeof hash));
	WKG_TRY(wkg__append_text(out, "\",\"length\":"));
	WKG_TRY(wkg__number_whole(out, canonical.len));
	return wkg__append_text(out, "}");
}

static wkg_status
capture_parts(job *j, wkg_span proposal_text, wkg_span context_text,
              wkg__tape *proposal, wkg__tape *context)
{
	bool a = j->binding == WKG_BINDING_A;
	WKG_TRY(read_part(j, WKG_INTENT_PART_PROPOSAL, proposal, proposal_text));
	WKG_TRY(check_limits(j, proposal, false));
	WKG_TRY(check_shape(j, proposal, 0, proposal_fields, true));
	WKG_TRY(read_part(j, WKG_INTENT_PART_CONTEXT, context, context_text));
	WKG_TRY(check_limits(j, context, false));
	WKG_TRY(check_shape(j, context, 0, a ? context_a : context_b, true));
	return check_reserved(j, context);
}

static wkg_status
capture(job *j, wkg_buf *out, wkg_span proposal_text, wkg_span context_text,
        const wkg_capture *c)
{
	wkg__tape proposal, context, intent;
	wkg_buf text, canonical;
	size_t n = wkg__add(proposal_text.len, context_text.len);
	WKG_TRY(capture_parts(j, proposal_text, context_text, &proposal, &context));
	WKG_TRY(reserve(j, &text, wkg__add(n, FIXED_TEXT)));
	WKG_TRY(put_intent(&text, &proposal, &context, c));
	WKG_TRY(reserve(j, &canonical, wkg_intent_canonical_bound(text.len)));
	WKG_TRY(canonical_of_intent(j, &canonical, wkg_buf_span(&text), &intent));
	return put_envelope(out, wkg_buf_span(&text), wkg_buf_span(&canonical));
}

size_t
wkg_intent_envelope_bound(size_t n)
{
	/* The intent, and its canonical text as a string: in it only quotes and
	 * backslashes grow, to twice their size. */
	size_t canonical = wkg_intent_canonical_bound(wkg__add(n, FIXED_TEXT));
	return wkg__add(wkg__add(n, 2 * FIXED_TEXT), wkg__multiply(canonical, 2));
}

size_t
wkg_intent_work_size(size_t n)
{
	size_t text = wkg__add(n, 2 * FIXED_TEXT);
	size_t tapes = wkg__multiply(wkg__tape_size(text), 4);
	size_t canonical = wkg__multiply(wkg_intent_canonical_bound(text), 2);
	size_t texts = wkg__add(wkg__multiply(text, 3), canonical);
	return wkg__add(wkg__add(tapes, texts), 4096);
}

static wkg_status
check_work(const wkg_buf *out, wkg_work work, size_t n)
{
	size_t needed = wkg_intent_work_size(n);
	if (work.ptr == NULL || needed == SIZE_MAX || work.size < needed)
		return WKG_E_SPACE;
	bool clear = out == NULL || wkg__disjoint(work.ptr, work.size, out->ptr, out->cap);
	return clear ? WKG_OK : WKG_E_ARGUMENT;
}

wkg_status
wkg_intent_capture(wkg_buf *out, wkg_span proposal, wkg_span context,
                   const wkg_capture *c, wkg_work work,
                   wkg_intent_error *error)
{
	WKG_TRY(wkg__check_spans(out, proposal));
	WKG_TRY(wkg__check_spans(out, context));
	const int64_t latest = INT64_C(253402300799999) - 300000; /* year 9999 */
	if (!is_binding(c->binding) || !is_uuid(c->intent_id) ||
	    c->now_ms < 0 || c->now_ms > latest)
		return WKG_E_ARGUMENT;
	WKG_TRY(check_work(out, work, wkg__add(proposal.len, context.len)));
	job j = begin(c->binding, &c->limits, work);
	wkg_buf result = *out;
	wkg_status status = capture(&j, &result, proposal, context, c);
	if (status == WKG_OK)
		*out = result;
	return end(&j, status, error);
}

/* ---- opening ------------------------------------------------------------ */

static wkg_status
nonconforming(job *j)
{
	j->part = WKG_INTENT_PART_ENVELOPE;
	return fail(j, WKG_E_INVALID, 0, "INTENT_CONFORMANCE_FAILED",
	            "the envelope is not what its intent says");
}

/* Does the string say exactly this? */
static bool
string_equals(const wkg__tape *t, uint32_t node, wkg_span text)
{
	size_t at = t->nodes[node].from + 1u, i = 0;
	while (i < text.len) {
		wkg_char c = wkg_json_char(t->doc, at), d = wkg_utf8_decode(text, i);
		if (c.len == 0 || c.code != d.code)
			return false;
		at += c.len;
		i += d.len;
	}
	return t->doc.ptr[at] == '"';
}

static wkg_status
compare_claims(job *j, const wkg__tape *e, wkg_intent *intent)
{
	uint8_t length[20];
	wkg_buf digits = { length, 0, sizeof length };
	WKG_TRY(wkg__number_whole(&digits, intent->canonical.len));
	wkg_span hash = { intent->hash, sizeof intent->hash };
	uint32_t claimed = wkg__tape_member(e, 0, "length");
	const wkg__node *n = &e->nodes[claimed];
	bool same_length = n->to - n->from == digits.len &&
	                   memcmp(e->doc.ptr + n->from, length, digits.len) == 0;
	bool same = same_length &&
	            string_equals(e, wkg__tape_member(e, 0, "canonical"), intent->canonical) &&
	            string_equals(e, wkg__tape_member(e, 0, "hash"), hash);
	return same ? WKG_OK : nonconforming(j);
}

/* What an executor needs of an intent. */
static wkg_status
describe(job *j, const wkg__tape *t, wkg_intent *intent)
{
	wkg_buf action, parameters, audience;
	uint8_t text[64];
	wkg_buf instant = { text, 0, sizeof text };
	uint32_t node = wkg__tape_member(t, 0, "parameters");
	uint32_t target = wkg__tape_member(t, 0, "downstreamTarget");
	size_t length = t->nodes[node].to - t->nodes[node].from;

	WKG_TRY(reserve(j, &action, 1024));
	WKG_TRY(wkg__tape_text(&action, t, wkg__tape_member(t, 0, "action")));
	WKG_TRY(reserve(j, &audience, 2048));
	WKG_TRY(wkg__tape_text(&audience, t, wkg__tape_member(t, target, "system")));
	WKG_TRY(wkg__append_text(&audience, ":"));
	WKG_TRY(wkg__tape_text(&audience, t, wkg__tape_member(t, target, "operation")));
	WKG_TRY(reserve(j, &parameters, wkg_intent_canonical_bound(length)));
	WKG_TRY(canonical_of(j, &parameters, t, node));
	WKG_TRY(wkg__tape_text(&instant, t, wkg__tape_member(t, 0, "expiresAt")));
	if (!wkg__instant_parse(&intent->expires_ms, wkg_buf_span(&instant)))
		return nonconforming(j);
	intent->action = wkg_buf_span(&action);
	intent->parameters = wkg_buf_span(&parameters);
	intent->audience = wkg_buf_span(&audience);
	return WKG_OK;
}

static wkg_status
open_envelope(job *j, wkg_intent *intent, wkg_span text)
{
	wkg__tape envelope, tape;
	wkg_buf canonical;
	WKG_TRY(read_part(j, WKG_INTENT_PART_ENVELOPE, &envelope, text));
	WKG_TRY(check_shape(j, &envelope, 0, envelope_fields, false));
	const wkg__node *n = &envelope.nodes[wkg__tape_member(&envelope, 0, "intent")];
	wkg_span flat = { text.ptr + n->from, n->to - n->from };
	WKG_TRY(reserve(j, &canonical, wkg_intent_canonical_bound(flat.len + FIXED_TEXT)));
	WKG_TRY(canonical_of_intent(j, &canonical, flat, &tape));
	intent->canonical = wkg_buf_span(&canonical);
	WKG_TRY(wkg_intent_hash(intent->hash, intent->canonical));
	WKG_TRY(compare_claims(j, &envelope, intent));
	return describe(j, &tape, intent);
}

wkg_status
wkg_intent_open(wkg_intent *intent, wkg_span envelope, wkg_binding binding,
                wkg_work work, wkg_intent_error *error)
{
	if ((envelope.ptr == NULL && envelope.len > 0) || !is_binding(binding))
		return WKG_E_ARGUMENT;
	WKG_TRY(check_work(NULL, work, envelope.len));
	memset(intent, 0, sizeof *intent);
	job j = begin(binding, NULL, work);
	wkg_status status = open_envelope(&j, intent, envelope);
	if (status != WKG_OK) {
		memset(intent, 0, sizeof *intent);
		if (status != WKG_E_SPACE && status != WKG_E_CRYPTO)
			status = nonconforming(&j);
	}
	return end(&j, status, error);
}
