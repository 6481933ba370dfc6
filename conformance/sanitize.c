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
	CLAIM("S1 CRLF becomes LF", both(TEXT("a\r\nb"), TEXT("a\nb")) && report.stripped == 1);
	CLAIM("S1 DEL and C1 go, NBSP stays", both(TEXT("a\x7F" "b\xC2\x80\xC2\x9F" "c\xC2\xA0" "d"), TEXT("abc\xC2\xA0" "d")));
	CLAIM("S1 line and paragraph separators go", both(TEXT("a\xE2\x80\xA8" "b\xE2\x80\xA9" "c"), TEXT("abc")));
	CLAIM("S1 a byte order mark goes, also inside", both(TEXT("\xEF\xBB\xBF" "a\xEF\xBB\xBF" "b"), TEXT("ab")));
	CLAIM("S1 ideographic variation selectors stay", both(TEXT("\xE8\x91\x9B\xF3\xA0\x84\x80\xE5\x9F\x8E"), TEXT("\xE8\x91\x9B\xF3\xA0\x84\x80\xE5\x9F\x8E")));
	CLAIM("S2 a Hangul filler goes in hardened", becomes(TEXT("a\xE3\x85\xA4" "b"), WKG_PROFILE_HARDENED, TEXT("ab")));
	CLAIM("S2 a Hangul filler stays in reference, a known hole", becomes(TEXT("a\xE3\x85\xA4" "b"), WKG_PROFILE_REFERENCE, TEXT("a\xE3\x85\xA4" "b")));
	CLAIM("S2 a noncharacter goes in hardened", becomes(TEXT("a\xEF\xBF\xBE" "b"), WKG_PROFILE_HARDENED, TEXT("ab")));
	CLAIM("S1 marks that carry meaning are never taken: Vietnamese, Hebrew, Thai", both(TEXT("e\xCC\x82\xCC\x81 \xD7\xA9\xD6\xB8 \xE0\xB8\x81\xE0\xB8\xB4"), TEXT("e\xCC\x82\xCC\x81 \xD7\xA9\xD6\xB8 \xE0\xB8\x81\xE0\xB8\xB4")));
}

/* What is in its place stays. conformance/joiners.py has every language and every
 * emoji; these are one of each rule, next to its twin. */
static bool
keeps(wkg_span text)
{
	return becomes(text, WKG_PROFILE_HARDENED, text) && report.stripped + report.replaced + report.truncated == 0;
}

static bool
goes(wkg_span in, wkg_span expected)
{
	return becomes(in, WKG_PROFILE_HARDENED, expected);
}

#define HEART "\xE2\x9D\xA4"
#define MAN "\xF0\x9F\x91\xA8"
#define WOMAN "\xF0\x9F\x91\xA9"
#define SKIN "\xF0\x9F\x8F\xBD"
#define VS15 "\xEF\xB8\x8E"
#define VS16 "\xEF\xB8\x8F"
#define ZWJ "\xE2\x80\x8D"
#define ZWNJ "\xE2\x80\x8C"
#define KA "\xE0\xA4\x95"
#define VIRAMA "\xE0\xA5\x8D"
#define BEH "\xD8\xA8"
#define FATHA "\xD9\x8E"
#define SHY "\xC2\xAD"
#define CGJ "\xCD\x8F"
#define PATAH "\xD6\xB7"
#define HIRIQ "\xD6\xB4"
#define NAME "\xE8\x91\x9B\xF3\xA0\x84\x80" /* U+845B and a variant of it */
#define FLAG "\xF0\x9F\x8F\xB4"
#define TAG(letter) "\xF3\xA0\x81" letter
#define WALES FLAG TAG("\xA7") TAG("\xA2") TAG("\xB7") TAG("\xAC") TAG("\xB3") TAG("\xBF")
#define RI "\xF0\x9F\x87\xA9" /* U+1F1E9 */

static void
places(void)
{
	CLAIM("S2 a joiner between emoji, skin tones and all", keeps(TEXT(MAN SKIN ZWJ HEART VS16 ZWJ WOMAN)));
	CLAIM("S2 goes between Latin letters", goes(TEXT("a" ZWJ "b" ZWNJ "c"), TEXT("abc")));
	CLAIM("S2 goes with an emoji on one side only", goes(TEXT("a" ZWJ HEART ZWJ "b" ZWJ), TEXT("a" HEART "b")));
	CLAIM("S2 goes behind an emoji in text style", goes(TEXT(HEART VS15 ZWJ MAN), TEXT(HEART VS15 MAN)));
	CLAIM("S2 one joiner, not two", goes(TEXT(MAN ZWJ ZWNJ ZWJ WOMAN), TEXT(MAN ZWJ WOMAN)));
	CLAIM("S2 joiners behind a virama", keeps(TEXT(KA VIRAMA ZWJ KA VIRAMA ZWNJ KA VIRAMA ZWJ)));
	CLAIM("S2 not behind its consonant", goes(TEXT(KA ZWJ VIRAMA KA), TEXT(KA VIRAMA KA)));
	CLAIM("S2 but Bengali and Kannada RA is joined before it", keeps(TEXT("\xE0\xA6\xB0" ZWJ "\xE0\xA7\x8D\xE0\xA6\xAF \xE0\xB2\xB0" ZWJ "\xE0\xB3\x8D\xE0\xB2\x95")));
	CLAIM("S2 ZWNJ between Arabic letters, behind their marks too", keeps(TEXT(BEH ZWNJ BEH FATHA ZWNJ BEH)));
	CLAIM("S2 not at the end of a word, and no ZWJ", goes(TEXT(BEH ZWNJ " " BEH ZWJ BEH), TEXT(BEH " " BEH BEH)));
	CLAIM("S2 one selector behind a character that has it", goes(TEXT(HEART VS16 VS16 VS15), TEXT(HEART VS16)));
	CLAIM("S2 none behind one that has not", goes(TEXT("a" VS16 MAN VS16), TEXT("a" MAN)));
	CLAIM("S2 a keycap keeps its own", keeps(TEXT("1" VS16 "\xE2\x83\xA3#" VS16 "\xE2\x83\xA3")));
	CLAIM("S2 other ASCII has no selector, not a digit either", goes(TEXT("1" VS16 "2" VS15 "0\xEF\xB8\x80"), TEXT("120")));
	CLAIM("S2 the three flags that are spelled in tags", keeps(TEXT(WALES WALES)));
	CLAIM("S2 no other, and no letter behind one", goes(TEXT(FLAG TAG("\xB5") TAG("\xB3") TAG("\xBF") WALES TAG("\xA1")), TEXT(FLAG WALES)));
	CLAIM("S2 not through a joiner", goes(TEXT(FLAG ZWJ TAG("\xA7") TAG("\xA2") TAG("\xB7") TAG("\xAC") TAG("\xB3") TAG("\xBF")), TEXT(FLAG)));
	CLAIM("S2 a flag is nothing that joins", goes(TEXT(MAN ZWJ WALES ZWJ MAN), TEXT(MAN WALES MAN)));
	CLAIM("S2 a soft hyphen between figures, not beside a letter", goes(TEXT("3" SHY "4 Zu" SHY "sammen" SHY " 3" SHY " "), TEXT("3" SHY "4 Zusammen 3 ")));
	CLAIM("S2 a grapheme joiner before a mark only", goes(TEXT("a" PATAH CGJ HIRIQ "c" CGJ "h" CGJ), TEXT("a" PATAH CGJ HIRIQ "ch")));
	CLAIM("S2 a Hangul filler for what is missing, and only there", goes(TEXT("\xE1\x85\x9F\xE1\x85\xA1 \xE1\x84\x80\xE1\x85\xA0 a\xE1\x85\x9F\xE1\x85\xA0"), TEXT("\xE1\x85\x9F\xE1\x85\xA1 \xE1\x84\x80\xE1\x85\xA0 a")));
	CLAIM("S2 controls of shorthand between its letters only, Latin text hides nothing in them", goes(TEXT("\xF0\x9B\xB0\x80\xF0\x9B\xB2\xA0\xF0\x9B\xB0\x81 a\xF0\x9B\xB2\xA1\xF0\x9B\xB2\xA2" "b\xF0\x9B\xB2\xA3"), TEXT("\xF0\x9B\xB0\x80\xF0\x9B\xB2\xA0\xF0\x9B\xB0\x81 ab")));
	CLAIM("S2 a Mongolian selector behind the letter that has it", goes(TEXT("\xE1\xA0\xA1\xE1\xA0\x8B" "a\xE1\xA0\x8B"), TEXT("\xE1\xA0\xA1\xE1\xA0\x8B" "a")));
	CLAIM("S2 an ideographic selector behind an ideograph only", goes(TEXT(NAME "\xE3\x81\x8B\xF3\xA0\x84\x80"), TEXT(NAME "\xE3\x81\x8B")));
	CLAIM("S2 sixteen of them in a value stay", keeps(repeat(TEXT(NAME), 16)));
	CLAIM("S2 of seventeen none does", goes(repeat(TEXT(NAME), 17), repeat(TEXT("\xE8\x91\x9B"), 17)) && report.stripped == 17);
	CLAIM("S2 nor of seventeen soft hyphens", keeps(join(repeat(TEXT("1" SHY), 16), TEXT("1"))) && goes(join(repeat(TEXT("1" SHY), 17), TEXT("1")), repeat(TEXT("1"), 18)));
	CLAIM("S2 nor of seventeen grapheme joiners", keeps(repeat(TEXT("a" CGJ PATAH), 16)) && goes(repeat(TEXT("a" CGJ PATAH), 17), repeat(TEXT("a" PATAH), 17)));
	CLAIM("S2 CRLF is LF, one stripped", goes(TEXT("a\r\nb"), TEXT("a\nb")) && report.stripped == 1 && report.replaced == 0);
	CLAIM("S2 CR alone is LF, one replaced: no lines are joined", goes(TEXT("a\rb\r"), TEXT("a\nb\n")) && report.stripped == 0 && report.replaced == 2);
	CLAIM("S1 the reference deletes it, and every joiner, and keeps every selector", becomes(TEXT("a\rb" MAN ZWJ WOMAN "c" VS16 VS16), WKG_PROFILE_REFERENCE, TEXT("ab" MAN WOMAN "c" VS16 VS16)));
}

static void
whole(void)
{
	CLAIM("S3 a joiner is not the last thing before a cut", cut_to(TEXT(MAN ZWJ WOMAN ZWJ MAN), 4, WKG_UNIT_CODEPOINT, TEXT(MAN ZWJ WOMAN)) && report.stripped == 0 && report.truncated == 1);
	CLAIM("S3 not even behind a virama", cut_to(TEXT(KA VIRAMA ZWJ KA), 3, WKG_UNIT_CODEPOINT, TEXT(KA VIRAMA)));
	CLAIM("S3 a selector may be", cut_to(TEXT(HEART VS16 "x"), 2, WKG_UNIT_CODEPOINT, TEXT(HEART VS16)));
	CLAIM("S3 joiners and selectors count toward the limit", cut_to(TEXT(HEART VS16 ZWJ MAN "x"), 4, WKG_UNIT_CODEPOINT, TEXT(HEART VS16 ZWJ MAN)) && cut_to(TEXT(HEART VS16 ZWJ MAN), 3, WKG_UNIT_CODEPOINT, TEXT(HEART VS16)));
	CLAIM("S3 a flag in tags is whole or gone", cut_to(TEXT("a" WALES), 7, WKG_UNIT_CODEPOINT, TEXT("a")) && cut_to(TEXT("a" WALES), 8, WKG_UNIT_CODEPOINT, TEXT("a" WALES)));
	CLAIM("S3 a flag of two regions too", cut_to(TEXT(RI RI RI RI), 3, WKG_UNIT_CODEPOINT, TEXT(RI RI)) && cut_to(TEXT(RI RI RI "x"), 3, WKG_UNIT_CODEPOINT, TEXT(RI RI RI)));
	CLAIM("S3 in bytes and UTF-16 units as well", cut_to(TEXT(RI RI), 7, WKG_UNIT_BYTE, TEXT("")) && cut_to(TEXT(WALES), 13, WKG_UNIT_UTF16, TEXT("")) && cut_to(TEXT(WALES), 14, WKG_UNIT_UTF16, TEXT(WALES)));
	CLAIM("S2 the count of rare ones is of the whole value, cut or not", cut_to(repeat(TEXT(NAME), 17), 4, WKG_UNIT_CODEPOINT, repeat(TEXT("\xE8\x91\x9B"), 4)));
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
	places();
	whole();
	replaces();
	cuts();
	sources();
	refusals();
	space();
	return finish();
}
