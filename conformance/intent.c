/* X1, X2: canonical text, capture, envelopes, schemas. */
#include "harness.h"

#include <math.h>
#include <wicketgate/executor.h>

#include "../src/gate/instant.h"

static wkg_intent_error error;

static wkg_work
work_for(size_t n)
{
	size_t size = wkg_intent_work_size(n);
	wkg_work work = { memory(size), size };
	return work;
}

static bool
canonical_is(wkg_span json, wkg_span expected)
{
	wkg_buf out = fresh();
	wkg_status status = wkg_intent_canonical(&out, json, work_for(json.len), &error);
	if (status != WKG_OK)
		printf("# %s at %zu: %s\n", wkg_status_name(status), error.at, error.what);
	return status == WKG_OK && holds(&out, expected) && out.len <= wkg_intent_canonical_bound(json.len);
}

static bool
canonical_refuses(wkg_span json, wkg_status expected, size_t at)
{
	wkg_buf out = fresh();
	wkg_status status = wkg_intent_canonical(&out, json, work_for(json.len), &error);
	if (status == expected && error.at == at && out.len == 0)
		return true;
	printf("# got %s at %zu: %s\n", wkg_status_name(status), error.at, error.what);
	return false;
}

static void
canonical(void)
{
	CLAIM("X1 members are sorted, white space goes", canonical_is(TEXT(" { \"b\" : [ 1 , { } ] , \"a\" : null } "), TEXT("{\"a\":null,\"b\":[1,{}]}")));
	CLAIM("X1 at every level, arrays keep their order", canonical_is(TEXT("[{\"z\":{\"y\":1,\"x\":2},\"a\":[3,1,2]}]"), TEXT("[{\"a\":[3,1,2],\"z\":{\"x\":2,\"y\":1}}]")));
	CLAIM("X1 by UTF-16: an emoji before U+FB33, the empty name first", canonical_is(TEXT("{\"\xEF\xAC\xB3\":1,\"\xF0\x9F\x98\x80\":2,\"\xC3\xB6\":3,\"1\":4,\"\\r\":5,\"\":6}"), TEXT("{\"\":6,\"\\r\":5,\"1\":4,\"\xC3\xB6\":3,\"\xF0\x9F\x98\x80\":2,\"\xEF\xAC\xB3\":1}")));
	CLAIM("X1 integer-like names are names, not indexes", canonical_is(TEXT("{\"10\":1,\"9\":2,\"!\":3,\"a\":4}"), TEXT("{\"!\":3,\"10\":1,\"9\":2,\"a\":4}")));
	CLAIM("X1 a name and its prefix", canonical_is(TEXT("{\"ab\":1,\"a\":2,\"abc\":3}"), TEXT("{\"a\":2,\"ab\":1,\"abc\":3}")));
	CLAIM("X1 escapes: minimal, lower case, U+007F and U+2028 as they are", canonical_is(TEXT("\"\\u000F\\u001f\\b\\/\\u0041\\u007F\\u2028\\\"\\\\\""), TEXT("\"\\u000f\\u001f\\b/A\x7F\xE2\x80\xA8\\\"\\\\\"")));
	CLAIM("CAN-4 X1 numbers: -0, 1e21, 1e-7, 5e-324, 2^53+1, the largest", canonical_is(TEXT("[-0,1e21,1E-7,5e-324,9007199254740993,1.7976931348623157e308,1e20,0.000001,10.50]"), TEXT("[0,1e+21,1e-7,5e-324,9007199254740992,1.7976931348623157e+308,100000000000000000000,0.000001,10.5]")));
	CLAIM("CAN-3 X1 no normalization: NFC and NFD differ", canonical_is(TEXT("[\"\xC3\xA9\",\"e\xCC\x81\"]"), TEXT("[\"\xC3\xA9\",\"e\xCC\x81\"]")));
	CLAIM("X1 50,000 deep is no recursion", canonical_is(join(repeat(TEXT("["), 50000), repeat(TEXT("]"), 50000)), join(repeat(TEXT("["), 50000), repeat(TEXT("]"), 50000))));
	CLAIM("X1 duplicate names are refused", canonical_refuses(TEXT("{\"a\":1,\"\\u0061\":2}"), WKG_E_DUPLICATE, 7));
	CLAIM("X1 half a surrogate pair is refused", canonical_refuses(TEXT("[\"a\\ud800\"]"), WKG_E_ENCODING, 3) && canonical_refuses(TEXT("{\"\\udc00\":1}"), WKG_E_ENCODING, 2));
	CLAIM("X1 ill-formed UTF-8 is refused", canonical_refuses(TEXT("[\"\xFF\"]"), WKG_E_ENCODING, 2));
	CLAIM("CAP-13 X1 a number that is not finite is refused", canonical_refuses(TEXT("[1,1e400]"), WKG_E_INVALID, 3) && strcmp(error.reason, "INVALID_NUMBER") == 0);
}

/* Names in an order that makes the merge work, against a plain insertion. */
static void
sorting(void)
{
	bool sorted = true;
	for (unsigned count = 1; count < 60; count++) {
		char in[2048] = "{", expected[2048] = "{";
		size_t n = 1, m = 1;
		for (unsigned i = 0; i < count; i++)
			n += (size_t)snprintf(in + n, sizeof in - n, "%s\"k%02u\":%u", i ? "," : "", i * 37 % 61, i);
		for (unsigned k = 0, first = 1; k < 61; k++)
			for (unsigned i = 0; i < count; i++)
				if (i * 37 % 61 == k) {
					m += (size_t)snprintf(expected + m, sizeof expected - m, "%s\"k%02u\":%u", first ? "" : ",", k, i);
					first = 0;
				}
		in[n++] = '}';
		expected[m++] = '}';
		wkg_span from = { (uint8_t *)in, n }, to = { (uint8_t *)expected, m };
		sorted = sorted && canonical_is(from, to);
	}
	CLAIM("X1 1 to 59 members in any order come out sorted", sorted);
}

static void
instants(void)
{
	static const struct { const char *text; bool good; int64_t ms; } rows[] = {
		{ "1970-01-01T00:00:00.000Z", true, 0 }, { "2026-08-14T10:00:00.000Z", true, INT64_C(1786701600000) },
		{ "2024-02-29T23:59:59.999Z", true, INT64_C(1709251199999) }, { "2000-02-29T00:00:00Z", true, INT64_C(951782400000) },
		{ "1969-12-31T23:59:59.5Z", true, -500 }, { "2026-01-01T00:00:00.123456789Z", true, INT64_C(1767225600123) },
		{ "9999-12-31T23:59:59.999Z", true, INT64_C(253402300799999) }, { "0000-03-01T00:00:00.000Z", true, INT64_C(-62162035200000) },
		{ "2023-02-29T00:00:00Z", false, 0 }, { "1900-02-29T00:00:00Z", false, 0 }, { "2026-13-01T00:00:00Z", false, 0 },
		{ "2026-00-01T00:00:00Z", false, 0 }, { "2026-04-31T00:00:00Z", false, 0 }, { "2026-01-01T24:00:00Z", false, 0 },
		{ "2026-01-01T00:00:60Z", false, 0 }, { "2026-01-01T00:00:00.Z", false, 0 }, { "2026-01-01T00:00Z", false, 0 },
		{ "2026-01-01T00:00:00", false, 0 }, { "2026-01-01T00:00:00+00:00", false, 0 }, { "2026-01-01T00:00:00z", false, 0 },
		{ "2026-01-01 00:00:00Z", false, 0 }, { "26-01-01T00:00:00Z", false, 0 }, { "2026-01-01T00:00:00Z ", false, 0 }, { "", false, 0 },
	};
	bool parsed = true, round_trip = true;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t ms = 0;
		wkg_span text = { (const uint8_t *)rows[i].text, strlen(rows[i].text) };
		bool good = wkg__instant_parse(&ms, text);
		if (good != rows[i].good || (good && ms != rows[i].ms)) {
			printf("# %s: %d %lld\n", rows[i].text, good, (long long)ms);
			parsed = false;
		}
	}
	for (int64_t day = -700000; day < 2900000; day += 97) {
		uint8_t text[WKG__INSTANT_LEN];
		wkg_span span = { text, sizeof text };
		int64_t ms = day * 86400000 + day % 86400 * 1000 + 7, back = 0;
		round_trip = round_trip && wkg__instant_write(text, ms) && wkg__instant_parse(&back, span) && back == ms;
	}
	CLAIM("X1 instants: the calendar, the clock, the fraction, Z", parsed);
	CLAIM("X1 instants written and read again, years 0053 to 9909", round_trip);
}

#define UUID "00000000-0000-4000-8000-000000000002"
#define CONTEXT "{\"tenantId\":\"" UUID "\",\"actor\":{\"id\":\"a\",\"type\":\"AI_AGENT\"},\"downstreamTarget\":{\"system\":\"shopify\",\"operation\":\"refund\"},\"idempotencyKey\":\"k1\"}"

static wkg_buf envelope;

static wkg_status
captured(wkg_span proposal, wkg_span context, wkg_binding binding, const wkg_intent_limits *limits)
{
	wkg_capture c = { binding, limits ? *limits : wkg_intent_limits_default(), INT64_C(1786701600000), 60000, TEXT("11111111-1111-4111-8111-111111111111") };
	size_t bound = wkg_intent_envelope_bound(proposal.len + context.len);
	wkg_buf out = { memory(bound), 0, bound };
	wkg_status status = wkg_intent_capture(&out, proposal, context, &c, work_for(proposal.len + context.len), &error);
	envelope = out;
	return status;
}

static wkg_intent intent;

static bool
opens(wkg_span text, wkg_binding binding)
{
	return wkg_intent_open(&intent, text, binding, work_for(text.len), &error) == WKG_OK;
}

static bool
refused_as(wkg_span proposal, wkg_span context, wkg_binding binding, const wkg_intent_limits *limits, const char *reason)
{
	wkg_status status = captured(proposal, context, binding, limits);
	if (status != WKG_OK && envelope.len == 0 && strcmp(error.reason, reason) == 0)
		return true;
	printf("# %s %s at %zu: %s\n", wkg_status_name(status), error.reason, error.at, error.what);
	return false;
}

static bool
schema_refused(wkg_span proposal, wkg_span context)
{
	return refused_as(proposal, context, WKG_BINDING_A, NULL, "INTENT_SCHEMA_INVALID") && refused_as(proposal, context, WKG_BINDING_B, NULL, "INTENT_SCHEMA_INVALID");
}

static void
capture(void)
{
	uint8_t first[WKG_INTENT_HASH_LEN];
	CLAIM("CAP-1 a proposal and a context become an envelope that opens", captured(TEXT("{\"action\":\"refund_order\",\"target\":\"o:1\",\"parameters\":{\"b\":1,\"a\":2}}"), TEXT(CONTEXT), WKG_BINDING_A, NULL) == WKG_OK && opens(wkg_buf_span(&envelope), WKG_BINDING_A));
	memcpy(first, intent.hash, sizeof first);
	CLAIM("X2 the parameters are handed on as they were hashed", same(intent.parameters, TEXT("{\"a\":2,\"b\":1}")) && same(intent.action, TEXT("refund_order")) && same(intent.audience, TEXT("shopify:refund")) && intent.expires_ms == INT64_C(1786701660000));
	CLAIM("CAP-1 another insertion order, the same hash", captured(TEXT("{\"parameters\":{\"a\":2.0,\"b\":1},\"target\":\" o:1\\n\",\"action\":\"refund_order\"}"), TEXT(CONTEXT), WKG_BINDING_A, NULL) == WKG_OK && opens(wkg_buf_span(&envelope), WKG_BINDING_A) && memcmp(first, intent.hash, sizeof first) == 0);
	CLAIM("CAP-2 one parameter differs, so does the hash", captured(TEXT("{\"action\":\"refund_order\",\"target\":\"o:1\",\"parameters\":{\"b\":1,\"a\":3}}"), TEXT(CONTEXT), WKG_BINDING_A, NULL) == WKG_OK && opens(wkg_buf_span(&envelope), WKG_BINDING_A) && memcmp(first, intent.hash, sizeof first) != 0);
	CLAIM("CAP-3 the bindings differ", captured(TEXT("{\"action\":\"refund_order\",\"target\":\"o:1\",\"parameters\":{\"b\":1,\"a\":2}}"), TEXT(CONTEXT), WKG_BINDING_B, NULL) == WKG_OK && !opens(wkg_buf_span(&envelope), WKG_BINDING_A) && opens(wkg_buf_span(&envelope), WKG_BINDING_B) && memcmp(first, intent.hash, sizeof first) != 0);
	CLAIM("CAP-4 a proposal that claims to be authorized is refused (X10)", schema_refused(TEXT("{\"action\":\"a\",\"target\":\"t\",\"authorized\":true}"), TEXT(CONTEXT)) && error.part == WKG_INTENT_PART_PROPOSAL);
	CLAIM("CAP-5 __proto__, constructor, prototype, anywhere", refused_as(TEXT("{\"action\":\"a\",\"target\":\"t\",\"parameters\":{\"x\":[{\"__proto__\":1}]}}"), TEXT(CONTEXT), WKG_BINDING_A, NULL, "UNSAFE_INTENT_KEY") && refused_as(TEXT("{\"action\":\"a\",\"target\":\"t\",\"parameters\":{\"construct\\u006fr\":1}}"), TEXT(CONTEXT), WKG_BINDING_B, NULL, "UNSAFE_INTENT_KEY") && refused_as(TEXT("{\"action\":\"a\",\"target\":\"t\",\"prototype\":1}"), TEXT(CONTEXT), WKG_BINDING_A, NULL, "UNSAFE_INTENT_KEY"));
	CLAIM("CAP-B2 reserved names in the context, in B", refused_as(TEXT("{\"action\":\"a\",\"target\":\"t\"}"), TEXT("{\"tenantId\":\"" UUID "\",\"actor\":{\"id\":\"a\",\"type\":\"t\"},\"downstreamTarget\":{\"system\":\"s\",\"operation\":\"o\"},\"idempotencyKey\":\"k\",\"context\":{\"idempotency_key\":\"x\"}}"), WKG_BINDING_B, NULL, "INTENT_CONTEXT_KEY_RESERVED"));
	CLAIM("X1 missing, empty, too long, wrong type", schema_refused(TEXT("{\"action\":\"a\"}"), TEXT(CONTEXT)) && schema_refused(TEXT("{\"action\":\"a\",\"target\":\" \\n\"}"), TEXT(CONTEXT)) && schema_refused(join(join(TEXT("{\"action\":\"a\",\"target\":\""), repeat(TEXT("x"), 501)), TEXT("\"}")), TEXT(CONTEXT)) && schema_refused(TEXT("{\"action\":\"a\",\"target\":7}"), TEXT(CONTEXT)) && schema_refused(TEXT("{\"action\":\"a\",\"target\":\"t\",\"parameters\":[]}"), TEXT(CONTEXT)));
	CLAIM("X1 lengths are UTF-16 units: 250 emoji fit into 500, 251 do not", captured(join(join(TEXT("{\"action\":\"a\",\"target\":\""), repeat(TEXT("\xF0\x9F\x98\x80"), 250)), TEXT("\"}")), TEXT(CONTEXT), WKG_BINDING_A, NULL) == WKG_OK && schema_refused(join(join(TEXT("{\"action\":\"a\",\"target\":\""), repeat(TEXT("\xF0\x9F\x98\x80"), 251)), TEXT("\"}")), TEXT(CONTEXT)));
	CLAIM("X1 action names", schema_refused(TEXT("{\"action\":\"Refund\",\"target\":\"t\"}"), TEXT(CONTEXT)) && schema_refused(TEXT("{\"action\":\"a b\",\"target\":\"t\"}"), TEXT(CONTEXT)) && captured(TEXT("{\"action\":\" a.b_c:d-9\\n\",\"target\":\"t\"}"), TEXT(CONTEXT), WKG_BINDING_A, NULL) == WKG_OK);
	CLAIM("CAP-B3 environment and digest are B's", schema_refused(TEXT("{\"action\":\"a\",\"target\":\"t\",\"expectedEffectDigest\":\"x\"}"), TEXT(CONTEXT)) && refused_as(TEXT("{\"action\":\"a\",\"target\":\"t\"}"), TEXT("{\"tenantId\":\"" UUID "\",\"actor\":{\"id\":\"a\",\"type\":\"t\"},\"downstreamTarget\":{\"system\":\"s\",\"operation\":\"o\",\"environment\":\"prod\"},\"idempotencyKey\":\"k\"}"), WKG_BINDING_A, NULL, "INTENT_SCHEMA_INVALID") && captured(TEXT("{\"action\":\"a\",\"target\":\"t\"}"), TEXT("{\"tenantId\":\"" UUID "\",\"actor\":{\"id\":\"a\",\"type\":\"t\"},\"downstreamTarget\":{\"system\":\"s\",\"operation\":\"o\",\"environment\":\"prod\"},\"idempotencyKey\":\"k\"}"), WKG_BINDING_B, NULL) == WKG_OK);
	CLAIM("X1 not I-JSON: a duplicate, with its part and offset", refused_as(TEXT("{\"action\":\"a\",\"action\":\"b\",\"target\":\"t\"}"), TEXT(CONTEXT), WKG_BINDING_A, NULL, "INTENT_NOT_I_JSON") && error.part == WKG_INTENT_PART_PROPOSAL && error.at == 14);
	CLAIM("X1 not I-JSON: brackets that nothing closes, with the part", refused_as(TEXT("[[["), TEXT(CONTEXT), WKG_BINDING_A, NULL, "INTENT_NOT_I_JSON") && error.part == WKG_INTENT_PART_PROPOSAL);
}

static wkg_span
with_parameters(wkg_span parameters)
{
	return join(join(TEXT("{\"action\":\"a\",\"target\":\"t\",\"parameters\":"), parameters), TEXT("}"));
}

static wkg_span
nested(size_t objects, wkg_span inside)
{
	return join(join(repeat(TEXT("{\"o\":"), objects), inside), repeat(TEXT("}"), objects));
}

static wkg_span
members(size_t count)
{
	char *text = (char *)memory(count * 16 + 3);
	size_t n = 0;
	for (size_t i = 0; i < count; i++)
		n += (size_t)sprintf(text + n, "%c\"k%zu\":1", i ? ',' : '{', i);
	text[n++] = '}';
	wkg_span all = { (uint8_t *)text, n };
	return all;
}

static void
limits(void)
{
	wkg_intent_limits small = wkg_intent_limits_default();
	CLAIM("CAP-7 18 objects around a scalar pass, 19 do not", captured(with_parameters(nested(18, TEXT("1"))), TEXT(CONTEXT), WKG_BINDING_A, NULL) == WKG_OK && refused_as(with_parameters(nested(19, TEXT("1"))), TEXT(CONTEXT), WKG_BINDING_A, NULL, "INTENT_TOO_DEEP"));
	CLAIM("CAP-7 19 if the innermost is empty", captured(with_parameters(nested(18, TEXT("{}"))), TEXT(CONTEXT), WKG_BINDING_A, NULL) == WKG_OK);
	CLAIM("CAP-7 50,000 nested are refused without recursion", refused_as(with_parameters(nested(50000, TEXT("1"))), TEXT(CONTEXT), WKG_BINDING_A, NULL, "INTENT_TOO_DEEP"));
	CLAIM("CAP-10 4983 flat parameters pass, 4984 do not", captured(with_parameters(members(4983)), TEXT(CONTEXT), WKG_BINDING_A, NULL) == WKG_OK && refused_as(with_parameters(members(4984)), TEXT(CONTEXT), WKG_BINDING_A, NULL, "INTENT_TOO_COMPLEX"));
	small.array = 2;
	CLAIM("CAP-11 an array of two passes where two are allowed, of three not", captured(with_parameters(TEXT("{\"a\":[1,2]}")), TEXT(CONTEXT), WKG_BINDING_A, &small) == WKG_OK && refused_as(with_parameters(TEXT("{\"a\":[1,2,3]}")), TEXT(CONTEXT), WKG_BINDING_A, &small, "INTENT_ARRAY_TOO_LARGE"));
	small = wkg_intent_limits_default();
	CLAIM("CAP-8 the canonical text may have exactly the bytes allowed", captured(with_parameters(TEXT("{}")), TEXT(CONTEXT), WKG_BINDING_A, NULL) == WKG_OK && opens(wkg_buf_span(&envelope), WKG_BINDING_A));
	small.bytes = intent.canonical.len;
	CLAIM("CAP-8 and not one more", captured(with_parameters(TEXT("{}")), TEXT(CONTEXT), WKG_BINDING_A, &small) == WKG_OK && (small.bytes--, refused_as(with_parameters(TEXT("{}")), TEXT(CONTEXT), WKG_BINDING_A, &small, "INTENT_TOO_LARGE")));
	CLAIM("X1 a number that is not finite fails", refused_as(with_parameters(TEXT("{\"a\":1e400}")), TEXT(CONTEXT), WKG_BINDING_A, NULL, "INVALID_NUMBER"));
}

static bool
nonconforming(const char *from, const char *to)
{
	wkg_span forged = replaced(wkg_buf_span(&envelope), from, to);
	return !opens(forged, WKG_BINDING_A) && strcmp(error.reason, "INTENT_CONFORMANCE_FAILED") == 0 && intent.canonical.len == 0;
}

static void
envelopes(void)
{
	CLAIM("X1 an envelope", captured(TEXT("{\"action\":\"a\",\"target\":\"shop\",\"parameters\":{\"n\":350}}"), TEXT(CONTEXT), WKG_BINDING_A, NULL) == WKG_OK && opens(wkg_buf_span(&envelope), WKG_BINDING_A));
	CLAIM("EXE-4 another target under the old hash", nonconforming("\"target\":\"shop\"", "\"target\":\"shoq\""));
	CLAIM("EXE-4 another parameter", nonconforming("\"n\":350}", "\"n\":351}"));
	CLAIM("EXE-5 another hash", nonconforming("\"hash\":\"sha256:", "\"hash\":\"sha256:0"));
	CLAIM("EXE-5 another length", nonconforming("\"length\":", "\"length\":1"));
	CLAIM("EXE-5 another canonical text", nonconforming("\"canonical\":\"{", "\"canonical\":\"{ "));
	CLAIM("X1 an extra member, in the envelope or the intent", nonconforming("{\"intent\"", "{\"x\":1,\"intent\"") && nonconforming("\"version\"", "\"approved\":true,\"version\""));
	CLAIM("X1 white space in the intent is no change", opens(replaced(wkg_buf_span(&envelope), "\"n\":350}", "\"n\" : 350.0 }"), WKG_BINDING_A));
	wkg_span text = wkg_buf_span(&envelope);
	size_t size = wkg_intent_work_size(text.len);
	wkg_work tight = { memory(size), size - 1 };
	CLAIM("a work area one byte short is WKG_E_SPACE", wkg_intent_open(&intent, text, WKG_BINDING_A, tight, &error) == WKG_E_SPACE);
	CLAIM("no binding is refused", wkg_intent_open(&intent, text, WKG_BINDING_INVALID, work_for(text.len), &error) == WKG_E_ARGUMENT);
}

static bool
row_takes(wkg_field row, const char *value)
{
	row.name = "x";
	const wkg_field table[] = { row, { .name = NULL } };
	wkg_span json = join(join(TEXT("{\"x\":"), (wkg_span){ (const uint8_t *)value, strlen(value) }), TEXT("}"));
	size_t size = wkg_schema_work_size(json.len);
	wkg_work work = { memory(size), size };
	return wkg_schema_check(json, table, work, NULL) == WKG_OK;
}

static bool
any_text(wkg_span text)
{
	(void)text;
	return true;
}

/* What people write and mean, and a table does not look at. */
static void
idle_limits(void)
{
	static const char *const list[] = { "a", NULL };
	static const wkg_field none[] = { { .name = NULL } };
	const struct { wkg_field row; const char *value; } rows[] = {
		{ { .type = WKG_TYPE_INTEGER, .minimum = 1 }, "5" }, { { .type = WKG_TYPE_NUMBER, .maximum = 100 }, "5" },
		{ { .type = WKG_TYPE_NUMBER, .minimum = -1 }, "5" }, { { .type = WKG_TYPE_NUMBER, .max_length = 3 }, "5" },
		{ { .type = WKG_TYPE_NUMBER, .pattern = "5" }, "5" }, { { .type = WKG_TYPE_STRING, .has_maximum = true, .maximum = 9 }, "\"a\"" },
		{ { .type = WKG_TYPE_ARRAY, .one_of = list }, "[]" }, { { .type = WKG_TYPE_ANY, .accepts = any_text }, "\"a\"" },
		{ { .type = WKG_TYPE_ARRAY, .members = none }, "[]" }, { { .type = WKG_TYPE_OBJECT, .elements = none }, "{}" },
		{ { .type = WKG_TYPE_BOOLEAN, .min_length = 1 }, "true" },
	};
	int idle_taken = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (row_takes(rows[i].row, rows[i].value)) {
			printf("# row %zu takes %s\n", i, rows[i].value);
			idle_taken++;
		}
	CLAIM("X2 a limit that its row does not look at is not left out: nothing matches", idle_taken == 0);
	CLAIM("X2 nor is one that is no number", !row_takes((wkg_field){ .type = WKG_TYPE_NUMBER, .has_minimum = true, .minimum = NAN }, "5") && !row_takes((wkg_field){ .type = WKG_TYPE_NUMBER, .has_maximum = true, .maximum = NAN }, "5"));
	CLAIM("X2 limits of 0, and without limits", row_takes((wkg_field){ .type = WKG_TYPE_NUMBER, .has_minimum = true, .has_maximum = true }, "-0.0") && !row_takes((wkg_field){ .type = WKG_TYPE_NUMBER, .has_minimum = true }, "-1e-300") && row_takes((wkg_field){ .type = WKG_TYPE_NUMBER }, "-7"));
}

static void
odd_values(void)
{
	static const char *const sizes[] = { "gr\xC3\xB6\xC3\x9F" "e", "\xF0\x9F\x98\x80", NULL };
	const wkg_field size = { .type = WKG_TYPE_STRING, .one_of = sizes };
	const wkg_field integer = { .type = WKG_TYPE_INTEGER }, number = { .type = WKG_TYPE_NUMBER };
	CLAIM("X2 one of a list, whatever the language and the spelling", row_takes(size, "\"gr\xC3\xB6\xC3\x9F" "e\"") && row_takes(size, "\"gr\\u00f6\\u00dfe\"") && row_takes(size, "\"\\ud83d\\ude00\""));
	CLAIM("X2 and not its bytes read as Latin-1", !row_takes(size, "\"gr\\u00c3\\u00b6\\u00c3\\u009fe\""));
	CLAIM("X2 nor does a pattern take them", !row_takes((wkg_field){ .type = WKG_TYPE_STRING, .pattern = "\xC3[\xB6]" }, "\"\\u00c3\\u00b6\"") && row_takes((wkg_field){ .type = WKG_TYPE_STRING, .pattern = "..?[a-z]*" }, "\"\xC3\xB6\xF0\x9F\x98\x80z\""));
	CLAIM("X2 1.0 and 1e0 are integers, -0 is", row_takes(integer, "1.0") && row_takes(integer, "1e0") && row_takes(integer, "-0"));
	CLAIM("X2 2^53 is not, 2^53 - 1 is; nor 1e400, which is no number", row_takes(integer, "9007199254740991") && !row_takes(integer, "9007199254740992") && !row_takes(integer, "-9007199254740993") && !row_takes(number, "1e400") && !row_takes(number, "-1e400"));
	CLAIM("X2 true, null and text are no numbers", !row_takes(number, "true") && !row_takes(number, "null") && !row_takes(number, "\"1\""));
	CLAIM("X2 no type takes nothing", !row_takes((wkg_field){ .name = NULL }, "1") && !row_takes((wkg_field){ .name = NULL }, "null"));
}

static const char *const currencies[] = { "USD", "EUR", NULL };
static const wkg_field line[] = { { .name = "sku", .type = WKG_TYPE_STRING, .min_length = 1 }, { .name = NULL } };
static const wkg_field line_row = { .type = WKG_TYPE_OBJECT, .members = line };
static const wkg_field refund[] = {
	{ .name = "orderId", .type = WKG_TYPE_STRING, .max_length = 12, .pattern = "[A-Z]+-[0-9]{3}x?" },
	{ .name = "amount", .type = WKG_TYPE_INTEGER, .has_minimum = true, .minimum = 1, .has_maximum = true, .maximum = 1000 },
	{ .name = "currency", .type = WKG_TYPE_STRING, .one_of = currencies, .optional = true },
	{ .name = "notify", .type = WKG_TYPE_BOOLEAN, .optional = true },
	{ .name = "lines", .type = WKG_TYPE_ARRAY, .max_length = 2, .elements = &line_row, .optional = true },
	{ .name = NULL },
};

static bool
fits(wkg_span json)
{
	size_t size = wkg_schema_work_size(json.len);
	wkg_work work = { memory(size), size };
	return wkg_schema_check(json, refund, work, NULL) == WKG_OK;
}

static void
schemas(void)
{
	CLAIM("X2 what the table says passes", fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":1}")) && fits(TEXT("{\"amount\":1e3,\"orderId\":\"A-000x\",\"currency\":\"EUR\",\"notify\":false,\"lines\":[{\"sku\":\"1\"}]}")));
	CLAIM("REG-4 out of range", !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":0}")) && !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":1001}")) && !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":-1}")));
	CLAIM("X2 not an integer, not a number", !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":1.5}")) && !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":\"7\"}")));
	CLAIM("X2 missing and unknown members", !fits(TEXT("{\"amount\":1}")) && !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":1,\"note\":\"x\"}")));
	CLAIM("X2 patterns are of the whole string", !fits(TEXT("{\"orderId\":\"AB-1234\",\"amount\":1}")) && !fits(TEXT("{\"orderId\":\"ab-123\",\"amount\":1}")) && !fits(TEXT("{\"orderId\":\"-123\",\"amount\":1}")) && !fits(TEXT("{\"orderId\":\"AB-12\",\"amount\":1}")));
	CLAIM("X2 one of a list, exactly", !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":1,\"currency\":\"US\"}")) && !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":1,\"currency\":\"USDX\"}")));
	CLAIM("X2 arrays: length and elements", !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":1,\"lines\":[{\"sku\":\"1\"},{\"sku\":\"1\"},{\"sku\":\"1\"}]}")) && !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":1,\"lines\":[{\"sku\":\"\"}]}")) && !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":1,\"lines\":[1]}")));
	CLAIM("X2 not an object, not JSON, a name twice", !fits(TEXT("[]")) && !fits(TEXT("{")) && !fits(TEXT("{\"orderId\":\"AB-123\",\"amount\":1,\"amount\":2}")));
}

int
main(void)
{
	canonical();
	sorting();
	instants();
	capture();
	limits();
	envelopes();
	schemas();
	idle_limits();
	odd_values();
	return finish();
}
