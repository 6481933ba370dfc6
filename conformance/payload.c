/* S6, S8 on JSON text. */
#include "harness.h"

static wkg_payload_report report;

static wkg_status
run(wkg_buf *out, wkg_span json, const wkg_sanitize_config *config)
{
	size_t size = wkg_payload_work_size(json.len, config);
	wkg_work work = { memory(size), size };
	return wkg_payload_sanitize(out, json, WKG_SOURCE_WEBHOOK, config, work, &report);
}

static bool
becomes(wkg_span json, wkg_profile profile, wkg_span expected)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(profile);
	wkg_buf out = fresh();
	wkg_status status = run(&out, json, &config);
	if (status != WKG_OK) {
		printf("# %s at %zu: %s\n", wkg_status_name(status), report.error.at, report.error.what);
		return false;
	}
	return out.len <= wkg_payload_bound(json.len) && holds(&out, expected);
}

static bool
both(wkg_span json, wkg_span expected)
{
	return becomes(json, WKG_PROFILE_REFERENCE, expected) && becomes(json, WKG_PROFILE_HARDENED, expected);
}

static bool
untouched(wkg_span json)
{
	return both(json, json) && report.stripped + report.replaced + report.truncated + report.dropped == 0;
}

static void
copies(void)
{
	CLAIM("S6 a 19-digit id survives", both(TEXT("{\"id\":1846178234987264001,\"note\":\"a\\u200bb\\u202e\"}"), TEXT("{\"id\":1846178234987264001,\"note\":\"ab\"}")));
	CLAIM("S6 numbers, literals, order and white space are copied", untouched(TEXT(" {\t\"b\" : [1.50, -0, 1E+2 ,true,false,null],\r\n \"a\":{ } } ")));
	CLAIM("S6 an unchanged string keeps its own escapes", untouched(TEXT("[\"\\u0041\\/\\u00e9\\ud83d\\ude00\\n\",\"\\t\"]")));
	CLAIM("S6 a scalar root is a leaf", both(TEXT("\"a\\u200b\""), TEXT("\"a\"")) && untouched(TEXT("12")));
	CLAIM("S6 raw and escaped forms are the same character", both(TEXT("[\"a\xE2\x80\x8B\",\"a\\u200B\"]"), TEXT("[\"a\",\"a\"]")) && report.stripped == 2);
	CLAIM("S6 a changed string uses RFC 8785 escapes", both(TEXT("\"\\u200b\\u0041\\/\\\"\\\\\\n\\u00e9\""), TEXT("\"A/\\\"\\\\\\n\xC3\xA9\"")));
	CLAIM("S6 an escaped TAG pair is one character", both(TEXT("\"hi\\udb40\\udc68\""), TEXT("\"hi\"")) && report.stripped == 1);
	CLAIM("S6 \\u0000 does not end a string", both(TEXT("\"100\\u0000; approve\""), TEXT("\"100; approve\"")));
	CLAIM("S1 an escaped CR goes, LF and TAB stay", both(TEXT("\"a\\r\\n\\tb\""), TEXT("\"a\\n\\tb\"")));
	CLAIM("S6 a lone surrogate becomes U+FFFD, counted", both(TEXT("\"\\ud800\\udbff\\udc01\\udfff\""), TEXT("\"\xEF\xBF\xBD\xF4\x8F\xB0\x81\xEF\xBF\xBD\"")) && report.replaced == 2);
	CLAIM("S6 U+FFFD itself is nobody's business", untouched(TEXT("\"\xEF\xBF\xBD\\ufffd\"")));
}

static void
names(void)
{
	CLAIM("S6 hardened strips names", becomes(TEXT("{\"no\\u200bte\":1}"), WKG_PROFILE_HARDENED, TEXT("{\"note\":1}")) && report.stripped == 1);
	CLAIM("S2 a name keeps what it needs, and no more", becomes(TEXT("{\"\\u0645\\u06cc\\u200c\\u0631\":{\"a\\u200c\\u00adb\\ufe0f\":\"\\u2764\\ufe0f\\ufe0f\"}}"), WKG_PROFILE_HARDENED, TEXT("{\"\\u0645\\u06cc\\u200c\\u0631\":{\"ab\":\"\xE2\x9D\xA4\xEF\xB8\x8F\"}}")) && report.stripped == 4);
	CLAIM("S2 an escaped CR alone is a line feed, replaced", becomes(TEXT("[\"a\\rb\\r\\n\"]"), WKG_PROFILE_HARDENED, TEXT("[\"a\\nb\\n\"]")) && report.replaced == 1 && report.stripped == 1);
	CLAIM("S2 those that differ in what stays are two", becomes(TEXT("{\"\\u2764\":1,\"\\u2764\\ufe0f\":2}"), WKG_PROFILE_HARDENED, TEXT("{\"\\u2764\":1,\"\\u2764\\ufe0f\":2}")));
	CLAIM("S6 reference keeps names", becomes(TEXT("{\"no\\u200bte\":1}"), WKG_PROFILE_REFERENCE, TEXT("{\"no\\u200bte\":1}")) && report.stripped == 0);
	CLAIM("S6 half a pair in a name is U+FFFD, in reference too", both(TEXT("{\"\\ud800\":1}"), TEXT("{\"\xEF\xBF\xBD\":1}")) && report.replaced == 1);
	wkg_span longer = join(join(TEXT("{\""), repeat(TEXT("k"), 40000)), TEXT("\":1}"));
	CLAIM("S6 a name is never truncated", untouched(longer));
}

#define TEN "[[[[[[[[[["
#define NET "]]]]]]]]]]"

static void
depth(void)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(WKG_PROFILE_HARDENED);
	CLAIM("S6 16 containers stay", untouched(TEXT(TEN "[[[[[[" "1" "]]]]]]" NET)));
	CLAIM("S6 the 17th becomes null", both(TEXT(TEN "[[[[[[" "[1]" "]]]]]]" NET), TEXT(TEN "[[[[[[" "null" "]]]]]]" NET)) && report.dropped == 1);
	CLAIM("S8 with its path", report.note_count == 1 && report.notes[0].kind == WKG_PAYLOAD_NOTE_DROPPED && report.notes[0].path.len == 48);
	CLAIM("S6 what is inside a dropped container is not counted", both(TEXT(TEN "[[[[[[" "{\"a\":[\"\\u200b\",{}]}, 7" "]]]]]]" NET), TEXT(TEN "[[[[[[" "null, 7" "]]]]]]" NET)) && report.dropped == 1 && report.stripped == 0);
	CLAIM("S6 50,000 deep is read to its end and dropped at 17", both(join(repeat(TEXT("["), 50000), repeat(TEXT("]"), 50000)), TEXT(TEN "[[[[[[" "null" "]]]]]]" NET)));
	config.max_depth = 1;
	wkg_buf out = fresh();
	CLAIM("D1 the depth is configurable: at 1 only the outermost stays", run(&out, TEXT("{\"a\":[],\"b\":{\"c\":1},\"d\":2}"), &config) == WKG_OK && holds(&out, TEXT("{\"a\":null,\"b\":null,\"d\":2}")) && report.dropped == 2);
	CLAIM("S8 paths of both", report.note_count == 2 && report.notes[0].path.text[0] == 'a' && report.notes[1].path.text[0] == 'b');
	config.max_depth = 3;
	out.len = 0;
	wkg_span brackets = join(join(TEXT("[[["), repeat(TEXT("[],"), 99)), TEXT("[]]]]"));
	CLAIM("S6 `[]` to `null` doubles, and the bound allows for it", run(&out, brackets, &config) == WKG_OK && out.len == 3 + 99 * 5 + 4 + 3 && out.len <= wkg_payload_bound(brackets.len) && report.dropped == 100 && report.note_count == WKG_PAYLOAD_NOTES_MAX);
}

static void
limits(void)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(WKG_PROFILE_HARDENED);
	config.limits.webhook = 3;
	wkg_buf out = fresh();
	CLAIM("S6 the limit is per leaf, after unescaping", run(&out, TEXT("{\"a\":\"\\u0061bcd\",\"b\":\"xyz\",\"c\":[\"\\u200b1234\"]}"), &config) == WKG_OK && holds(&out, TEXT("{\"a\":\"abc\",\"b\":\"xyz\",\"c\":[\"123\"]}")) && report.truncated == 2);
	CLAIM("S8 paths of truncated leaves", report.note_count == 2 && report.notes[1].kind == WKG_PAYLOAD_NOTE_TRUNCATED && report.notes[1].path.len == 4 && memcmp(report.notes[1].path.text, "c[0]", 4) == 0);
	config.unit = WKG_UNIT_UTF16;
	out.len = 0;
	CLAIM("T3 utf16 counts an escaped pair as two", run(&out, TEXT("\"a\\ud83d\\ude00b\""), &config) == WKG_OK && holds(&out, TEXT("\"a\xF0\x9F\x98\x80\"")));
	wkg_span padded = join(join(TEXT("\""), repeat(TEXT("\\u200b"), 40000)), TEXT("abc\""));
	out.len = 0;
	CLAIM("S3 padding does not evict content from a leaf", run(&out, padded, &config) == WKG_OK && holds(&out, TEXT("\"abc\"")) && report.truncated == 0);
}

static bool
refuses(wkg_span json, wkg_profile profile, wkg_status expected, size_t at)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(profile);
	wkg_buf out = fresh();
	out.len = 5;
	wkg_status status = run(&out, json, &config);
	return status == expected && out.len == 5 && report.error.at == at && report.stripped + report.dropped + report.note_count == 0;
}

static void
refusals(void)
{
	CLAIM("S6 a malformed document yields nothing", refuses(TEXT("[\"a\\u200b\",]"), WKG_PROFILE_HARDENED, WKG_E_SYNTAX, 11));
	CLAIM("S6 ill-formed UTF-8 is an error with its offset", refuses(TEXT("[\"a\xFF\"]"), WKG_PROFILE_HARDENED, WKG_E_ENCODING, 3));
	CLAIM("S6 a byte order mark is an error", refuses(TEXT("\xEF\xBB\xBF[]"), WKG_PROFILE_HARDENED, WKG_E_SYNTAX, 0));
	CLAIM("S6 names that are equal after stripping are an error", refuses(TEXT("{\"a\":1,\"\\u200ba\":2}"), WKG_PROFILE_REFERENCE, WKG_E_DUPLICATE, 7) && report.error.first == 1);
	CLAIM("S6 a fault inside a dropped container is still an error", refuses(TEXT(TEN TEN "{\"a\":1,\"a\":2}" NET NET), WKG_PROFILE_HARDENED, WKG_E_DUPLICATE, 27));
	CLAIM("S2 names that differ in what goes are the same", refuses(TEXT("{\"ab\":1,\"a\\ufe0fb\":2}"), WKG_PROFILE_HARDENED, WKG_E_DUPLICATE, 8) && refuses(TEXT("{\"a\\r\\nb\":1,\"a\\rb\":2}"), WKG_PROFILE_HARDENED, WKG_E_DUPLICATE, 12));
	CLAIM("S6 a megabyte of `[` is an error at its end", refuses(repeat(TEXT("["), 1u << 20), WKG_PROFILE_HARDENED, WKG_E_SYNTAX, 1u << 20));
}

static void
space(void)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(WKG_PROFILE_HARDENED);
	wkg_span json = TEXT("[\"a\\u200bb\"]");
	size_t size = wkg_payload_work_size(json.len, &config);
	wkg_work work = { memory(size), size }, tight_work = { memory(size), size - 1 };
	uint8_t bytes[10] = "keep";
	wkg_buf tight = { bytes, 4, 9 }, exact = { bytes, 4, 10 };

	CLAIM("an output one byte short is WKG_E_SPACE", wkg_payload_sanitize(&tight, json, WKG_SOURCE_CHAT, &config, work, &report) == WKG_E_SPACE && tight.len == 4 && memcmp(bytes, "keep", 4) == 0);
	CLAIM("a work area one byte short is WKG_E_SPACE", wkg_payload_sanitize(&exact, json, WKG_SOURCE_CHAT, &config, tight_work, &report) == WKG_E_SPACE && exact.len == 4);
	CLAIM("the exact sizes suffice, without a report too", wkg_payload_sanitize(&exact, json, WKG_SOURCE_CHAT, &config, work, NULL) == WKG_OK && memcmp(bytes, "keep[\"ab\"]", 10) == 0);
	wkg_sanitize_config unusable = { .profile = WKG_PROFILE_INVALID };
	CLAIM("no work area suffices for an unusable config", wkg_payload_work_size(1, &unusable) == SIZE_MAX && wkg_payload_work_size(1, NULL) == SIZE_MAX);
	work.ptr = bytes;
	work.size = sizeof bytes;
	exact.len = 4;
	CLAIM("a work area in the output is refused", wkg_payload_sanitize(&exact, json, WKG_SOURCE_CHAT, &config, work, NULL) == WKG_E_ARGUMENT);
	work.size = 0;
	CLAIM("no source is refused", wkg_payload_sanitize(&exact, json, WKG_SOURCE_INVALID, &config, work, NULL) == WKG_E_ARGUMENT);
	config.profile = WKG_PROFILE_INVALID;
	CLAIM("no profile is refused", wkg_payload_sanitize(&exact, json, WKG_SOURCE_CHAT, &config, work, NULL) == WKG_E_ARGUMENT);
}

static size_t
kept_by_trigger(wkg_span trigger)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(WKG_PROFILE_HARDENED);
	wkg_span json = join(join(TEXT("\""), repeat(TEXT("x"), 50000)), TEXT("\""));
	size_t size = wkg_payload_work_size(json.len, &config);
	wkg_work work = { memory(size), size };
	wkg_buf out = fresh();
	if (wkg_payload_from_trigger(&out, json, trigger, &config, work, &report) != WKG_OK)
		return 0;
	return out.len - 2;
}

static void
triggers(void)
{
	CLAIM("S5 the stored trigger type decides the limit: webhook", kept_by_trigger(TEXT("webhook")) == 32768);
	CLAIM("S5 chat", kept_by_trigger(TEXT("chat")) == 4000);
	CLAIM("S5 schedule, the canary, and anything unknown", kept_by_trigger(TEXT("schedule")) == 8192 && kept_by_trigger(TEXT("")) == 8192);
}

int
main(void)
{
	copies();
	names();
	depth();
	limits();
	refusals();
	space();
	triggers();
	return finish();
}
