/* S1-S8 on plain text. */
#include "harness.h"

#define ZWSP "\xE2\x80\x8B"

static wkg_sanitize_report report;

static wkg_buf
sanitized(wkg_span in, wkg_source source, const wkg_sanitize_config *config)
{
	wkg_buf out = fresh();
	if (wkg_sanitize(&out, in, source, config, &report) != WKG_OK)
		out.len = SIZE_MAX;
	return out;
}

static bool
becomes(wkg_span in, wkg_profile profile, wkg_span expected)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(profile);
	wkg_buf out = sanitized(in, WKG_SOURCE_CHAT, &config);
	return holds(&out, expected);
}

static bool
both(wkg_span in, wkg_span expected)
{
	return becomes(in, WKG_PROFILE_REFERENCE, expected) && becomes(in, WKG_PROFILE_HARDENED, expected);
}

static bool
cut_to(wkg_span in, size_t limit, wkg_unit unit, wkg_span expected)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(WKG_PROFILE_HARDENED);
	config.unit = unit;
	config.limits.chat = limit;
	wkg_buf out = sanitized(in, WKG_SOURCE_CHAT, &config);
	return holds(&out, expected);
}

static void
strips(void)
{
	CLAIM("S1 zero width characters go", both(TEXT("a" ZWSP "b\xE2\x80\x8C" "c\xE2\x80\x8D" "d"), TEXT("abcd")));
	CLAIM("S1 direction overrides go", both(TEXT("user\xE2\x80\xAE \xE2\x81\xA6// admin\xE2\x81\xA9"), TEXT("user // admin")));
	CLAIM("S1 TAG characters go, by code point", both(TEXT("hi\xF3\xA0\x81\xA8\xF3\xA0\x81\xA9"), TEXT("hi")));
	CLAIM("S1 TAB and LF stay, other C0 go", both(TEXT("a\tb\nc\x01\x1F" "d\0e"), TEXT("a\tb\ncde")));
	CLAIM("S1 CRLF becomes LF", both(TEXT("a\r\nb"), TEXT("a\nb")));
	CLAIM("S1 DEL and C1 go, NBSP stays", both(TEXT("a\x7F" "b\xC2\x80\xC2\x9F" "c\xC2\xA0" "d"), TEXT("abc\xC2\xA0" "d")));
	CLAIM("S1 line and paragraph separators go", both(TEXT("a\xE2\x80\xA8" "b\xE2\x80\xA9" "c"), TEXT("abc")));
	CLAIM("S1 a byte order mark goes, also inside", both(TEXT("\xEF\xBB\xBF" "a\xEF\xBB\xBF" "b"), TEXT("ab")));
	CLAIM("S1 ideographic variation selectors stay", both(TEXT("\xE8\x91\x9B\xF3\xA0\x84\x80\xE5\x9F\x8E"), TEXT("\xE8\x91\x9B\xF3\xA0\x84\x80\xE5\x9F\x8E")));
	CLAIM("S2 a Hangul filler goes in hardened", becomes(TEXT("a\xE3\x85\xA4" "b"), WKG_PROFILE_HARDENED, TEXT("ab")));
	CLAIM("S2 a Hangul filler stays in reference, a known hole", becomes(TEXT("a\xE3\x85\xA4" "b"), WKG_PROFILE_REFERENCE, TEXT("a\xE3\x85\xA4" "b")));
	CLAIM("S2 a noncharacter goes in hardened", becomes(TEXT("a\xEF\xBF\xBE" "b"), WKG_PROFILE_HARDENED, TEXT("ab")));
	CLAIM("S1 marks that carry meaning are never taken: Vietnamese, Hebrew, Thai", both(TEXT("e\xCC\x82\xCC\x81 \xD7\xA9\xD6\xB8 \xE0\xB8\x81\xE0\xB8\xB4"), TEXT("e\xCC\x82\xCC\x81 \xD7\xA9\xD6\xB8 \xE0\xB8\x81\xE0\xB8\xB4")));
}

static void
replaces(void)
{
	CLAIM("T2 an ill-formed byte becomes U+FFFD and never reaches an output", both(TEXT("<\xFF<\xFF<"), TEXT("<\xEF\xBF\xBD<\xEF\xBF\xBD<")));
	CLAIM("T2 and is counted as replaced", report.replaced == 2 && report.stripped == 0);
	CLAIM("T2 a CESU-8 TAG character is not decoded", both(TEXT("\xED\xAD\x80\xED\xB0\x81"), TEXT("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")));
}

static void
cuts(void)
{
	wkg_span padded = join(repeat(TEXT(ZWSP), 40000), TEXT("aaaaaaaaaa"));
	CLAIM("S3 ten letters behind 40,000 ZWSP survive a limit of ten", cut_to(padded, 10, WKG_UNIT_CODEPOINT, TEXT("aaaaaaaaaa")));
	CLAIM("S3 and nothing was truncated", report.truncated == 0 && report.stripped == 40000);
	CLAIM("S3 invisible characters behind the limit are not a truncation", cut_to(TEXT("aa" ZWSP), 2, WKG_UNIT_CODEPOINT, TEXT("aa")) && report.truncated == 0 && report.stripped == 1);
	CLAIM("S3 one visible character too many is", cut_to(TEXT("aab"), 2, WKG_UNIT_CODEPOINT, TEXT("aa")) && report.truncated == 1);
	CLAIM("S8 counts are exact behind the cut", cut_to(TEXT("aab" ZWSP "\xFF"), 2, WKG_UNIT_CODEPOINT, TEXT("aa")) && report.stripped == 1 && report.replaced == 1);
	CLAIM("T3 a limit counts code points", cut_to(TEXT("\xF0\x9F\x94\xA5\xE5\x80\xBC" "a"), 2, WKG_UNIT_CODEPOINT, TEXT("\xF0\x9F\x94\xA5\xE5\x80\xBC")));
	CLAIM("T3 under utf16 a cut does not split a pair", cut_to(TEXT("AAAAAAA\xF0\x9F\x94\xA5"), 8, WKG_UNIT_UTF16, TEXT("AAAAAAA")));
	CLAIM("T3 nor lets a later, narrower character close the gap", cut_to(TEXT("A\xF0\x9F\x94\xA5" "B"), 2, WKG_UNIT_UTF16, TEXT("A")));
	CLAIM("T3 under byte a cut does not split a character", cut_to(TEXT("a\xE5\x80\xBC"), 3, WKG_UNIT_BYTE, TEXT("a")));
	CLAIM("T3 under byte a replaced byte counts as the three it became", cut_to(TEXT("\xFF\xFF"), 5, WKG_UNIT_BYTE, TEXT("\xEF\xBF\xBD")));
}

static bool
default_limit(wkg_source source, size_t limit)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(WKG_PROFILE_REFERENCE);
	wkg_span fits = repeat(TEXT("x"), limit), longer = repeat(TEXT("x"), limit + 1);
	wkg_buf out = sanitized(fits, source, &config);
	bool whole = out.len == limit && report.truncated == 0;
	out = sanitized(longer, source, &config);
	return whole && out.len == limit && report.truncated == 1;
}

static void
sources(void)
{
	CLAIM("S4 chat keeps 4000 and not one more", default_limit(WKG_SOURCE_CHAT, 4000));
	CLAIM("S4 webhook keeps 32768", default_limit(WKG_SOURCE_WEBHOOK, 32768));
	CLAIM("S4 form_event keeps 8192", default_limit(WKG_SOURCE_FORM_EVENT, 8192));
	CLAIM("S4 retrieval keeps 4000", default_limit(WKG_SOURCE_RETRIEVAL, 4000));
	CLAIM("S4 tool_result keeps 16384", default_limit(WKG_SOURCE_TOOL_RESULT, 16384));
	CLAIM("S5 webhook is WEBHOOK", wkg_source_from_trigger(TEXT("webhook")) == WKG_SOURCE_WEBHOOK);
	CLAIM("S5 chat is CHAT", wkg_source_from_trigger(TEXT("chat")) == WKG_SOURCE_CHAT);
	CLAIM("S5 form_event is FORM_EVENT", wkg_source_from_trigger(TEXT("form_event")) == WKG_SOURCE_FORM_EVENT);
	CLAIM("S5 schedule goes through too, the canary", wkg_source_from_trigger(TEXT("schedule")) == WKG_SOURCE_FORM_EVENT);
	CLAIM("S5 the empty and the unknown trigger are FORM_EVENT, never a bypass", wkg_source_from_trigger(TEXT("")) == WKG_SOURCE_FORM_EVENT && wkg_source_from_trigger(TEXT("Webhook")) == WKG_SOURCE_FORM_EVENT && wkg_source_from_trigger(TEXT("webhook\0")) == WKG_SOURCE_FORM_EVENT);
	wkg_span impossible = { NULL, 4 };
	CLAIM("S5 an impossible trigger type is FORM_EVENT too", wkg_source_from_trigger(impossible) == WKG_SOURCE_FORM_EVENT);
}

static bool
refused(const wkg_sanitize_config *config, wkg_source source)
{
	wkg_buf out = fresh();
	out.len = 3;
	return wkg_sanitize(&out, TEXT("text"), source, config, NULL) == WKG_E_ARGUMENT && out.len == 3;
}

static void
refusals(void)
{
	const wkg_sanitize_config usable = wkg_sanitize_config_default(WKG_PROFILE_HARDENED);
	wkg_sanitize_config c = { .profile = WKG_PROFILE_INVALID };
	CLAIM("S4 a config nobody filled in is refused: there is no off switch", refused(&c, WKG_SOURCE_CHAT));
	CLAIM("no config is refused", refused(NULL, WKG_SOURCE_CHAT));
	wkg_sanitize_config reference = wkg_sanitize_config_default(WKG_PROFILE_REFERENCE);
	CLAIM("S4 the default config is usable: every source has its limit", wkg_sanitize_config_check(&usable) == WKG_OK && wkg_sanitize_config_check(&reference) == WKG_OK);
	c = usable, c.profile = (wkg_profile)7;
	CLAIM("an unknown profile is refused", refused(&c, WKG_SOURCE_CHAT));
	c = usable, c.unit = WKG_UNIT_INVALID;
	CLAIM("no unit is refused", refused(&c, WKG_SOURCE_CHAT));
	c = usable, c.limits.chat = 0;
	CLAIM("S4 a limit of 0 is refused", refused(&c, WKG_SOURCE_CHAT));
	CLAIM("S4 even for another source than the one in use", refused(&c, WKG_SOURCE_WEBHOOK));
	c = usable, c.max_depth = 0;
	CLAIM("D1 a depth of 0 is refused", refused(&c, WKG_SOURCE_CHAT));
	c = usable, c.max_depth = 1025;
	CLAIM("D1 a depth above 1024 is refused", refused(&c, WKG_SOURCE_CHAT));
	CLAIM("S4 no source is refused", refused(&usable, WKG_SOURCE_INVALID));
	CLAIM("S4 an unknown source is refused", refused(&usable, (wkg_source)6));
}

static void
space(void)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(WKG_PROFILE_HARDENED);
	uint8_t memory[8] = "keep";
	wkg_buf tight = { memory, 4, 7 }, exact = { memory, 4, 8 };
	wkg_sanitize_report untouched = { 9, 9, 9 };

	CLAIM("one byte short is WKG_E_SPACE", wkg_sanitize(&tight, TEXT("a" ZWSP "bcd"), WKG_SOURCE_CHAT, &config, &untouched) == WKG_E_SPACE);
	CLAIM("and len, the bytes before it and the report are as they were", tight.len == 4 && memcmp(memory, "keep", 4) == 0 && untouched.stripped == 9 && untouched.truncated == 9);
	CLAIM("the exact size suffices", wkg_sanitize(&exact, TEXT("a" ZWSP "bcd"), WKG_SOURCE_CHAT, &config, NULL) == WKG_OK && exact.len == 8 && memcmp(memory, "keepabcd", 8) == 0);
}

int
main(void)
{
	strips();
	replaces();
	cuts();
	sources();
	refusals();
	space();
	return finish();
}
