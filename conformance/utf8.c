/* T1-T3: one strict reading of bytes. */
#include "harness.h"

#include "../src/internal.h"

/* Decode everything and write it again; the result as text. */
static bool
reads_as(wkg_span bytes, wkg_span expected)
{
	wkg_buf out = fresh();
	for (size_t at = 0; at < bytes.len;) {
		wkg_char c = wkg_utf8_decode(bytes, at);
		at += c.len;
		out.len += wkg_utf8_encode(out.ptr + out.len, c.code);
	}
	return holds(&out, expected);
}

#define R "\xEF\xBF\xBD"

static void
maximal_subparts(void)
{
	/* The first rows are the examples of Unicode 15.0, tables 3-8 to 3-11. */
	static const struct { const char *claim; wkg_span in, out; } rows[] = {
		{ "T2 overlong forms: one U+FFFD per byte (table 3-8)", WKG_LIT("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), WKG_LIT(R R R R R R R R "A") },
		{ "T2 surrogates: one U+FFFD per byte (table 3-9)", WKG_LIT("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), WKG_LIT(R R R R R R R R "A") },
		{ "T2 leads that cannot be: one U+FFFD per byte (table 3-10)", WKG_LIT("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), WKG_LIT(R R R R R "A" R R "B") },
		{ "T2 truncated sequences: one U+FFFD each (table 3-11)", WKG_LIT("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), WKG_LIT(R R R R "A") },
		{ "T2 C0 BC is not `<`", WKG_LIT("\xC0\xBC"), WKG_LIT(R R) },
		{ "T2 E0 80 BC is not `<`", WKG_LIT("\xE0\x80\xBC"), WKG_LIT(R R R) },
		{ "T2 five-byte forms are not UTF-8", WKG_LIT("\xF8\x80\x80\x80\xBC"), WKG_LIT(R R R R R) },
		{ "T2 a truncated sequence does not swallow the `<` behind it", WKG_LIT("\xE2\x80<"), WKG_LIT(R "<") },
		{ "T2 a text that ends inside a character ends in one U+FFFD", WKG_LIT("a\xF0\x9F\x98"), WKG_LIT("a" R) },
		{ "T1 NUL is a character", WKG_LIT("a\0b"), WKG_LIT("a\0b") },
		{ "the smallest and largest of each length survive", WKG_LIT("\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), WKG_LIT("\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF") },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		CLAIM(rows[i].claim, reads_as(rows[i].in, rows[i].out));
}

static void
every_scalar(void)
{
	bool round_trip = true, length = true;
	for (uint32_t code = 0; code <= WKG_CODEPOINT_MAX; code++) {
		if (code == 0xD800)
			code = 0xE000;
		uint8_t bytes[4];
		wkg_span one = { bytes, wkg_utf8_encode(bytes, code) };
		wkg_char c = wkg_utf8_decode(one, 0);
		round_trip = round_trip && c.code == code && !c.ill_formed && c.len == one.len;
		length = length && wkg_utf8_units(code, WKG_UNIT_BYTE) == one.len;
	}
	CLAIM("every scalar value comes back as it went in", round_trip);
	CLAIM("T3 the byte unit is the length in UTF-8", length);
}

static void
not_scalars(void)
{
	uint8_t bytes[4];
	CLAIM("a surrogate is written as U+FFFD", wkg_utf8_encode(bytes, 0xD800) == 3 && memcmp(bytes, R, 3) == 0);
	CLAIM("what is above U+10FFFF is written as U+FFFD", wkg_utf8_encode(bytes, 0x110000) == 3 && memcmp(bytes, R, 3) == 0);
	CLAIM("T3 utf16 counts an astral character twice", wkg_utf8_units(0x1F525, WKG_UNIT_UTF16) == 2 && wkg_utf8_units(0xFFFF, WKG_UNIT_UTF16) == 1);
	CLAIM("T3 no unit counts nothing", wkg_utf8_units('a', WKG_UNIT_INVALID) == 0 && wkg_utf8_units('a', (wkg_unit)9) == 0);
}

/* The fast search and the plain one, on every text of a small hostile
 * alphabet placed at every offset around the eight-byte step. */
static void
first_error(void)
{
	static const uint8_t alphabet[] = { 'a', 0x80, 0xC3, 0xA9, 0xE2, 0xF0, 0xFF };
	uint8_t text[40];
	bool equal = true;
	for (size_t lead = 0; lead < 18; lead++)
		for (size_t n = 0; n < 7 * 7 * 7 * 7; n++) {
			memset(text, 'x', sizeof text);
			size_t rest = n;
			for (size_t i = 0; i < 4; i++, rest /= 7)
				text[lead + i] = alphabet[rest % 7];
			wkg_span in = { text, lead + 4 + n % 3 * 7 };
			equal = equal && wkg_utf8_first_error(in) == wkg__utf8_first_error_plain(in);
		}
	CLAIM("the fast search for the first error agrees with the plain one", equal);
	CLAIM("a well-formed text has its error at its end", wkg_utf8_first_error(TEXT("caf\xC3\xA9, twelve")) == 13);
	CLAIM("an error is found behind a long ASCII run", wkg_utf8_first_error(TEXT("0123456789abcdef\xC0")) == 16);
}

int
main(void)
{
	maximal_subparts();
	every_scalar();
	not_scalars();
	first_error();
	return finish();
}
