/* utf8.c - the decoder against one that works from the definition.
 *
 * Input: any bytes. The first four are also read as a code point to encode. */
#include "check.h"

#include "../src/internal.h" /* the plain twin of the fast path */

static size_t
first_error(wkg_span in)
{
	for (size_t at = 0; at < in.len;) {
		wkg_char c = check_decode(in, at);
		if (c.ill_formed)
			return at;
		at += c.len;
	}
	return in.len;
}

/* At every offset, also in the middle of a character. */
static void
decodes(wkg_span in)
{
	for (size_t at = 0; at < in.len; at++) {
		wkg_char want = check_decode(in, at);
		wkg_char got = wkg_utf8_decode(in, at);
		CHECK(got.code == want.code);
		CHECK(got.len == want.len);
		CHECK(got.ill_formed == want.ill_formed);
	}
}

static void
finds_the_first_error(wkg_span in)
{
	/* From several starts: a fast path must not depend on alignment. */
	for (size_t skip = 0; skip < 17 && skip <= in.len; skip++) {
		wkg_span rest = { in.ptr + skip, in.len - skip };
		size_t want = first_error(rest);
		CHECK(wkg_utf8_first_error(rest) == want);
		CHECK(wkg__utf8_first_error_plain(rest) == want);
	}
}

static void
encodes(uint32_t code)
{
	bool scalar = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
	uint8_t got[4] = { 0xEE, 0xEE, 0xEE, 0xEE };
	size_t len = wkg_utf8_encode(got, code);

	wkg_buf want = check_buf(4);
	check_encode(&want, scalar ? code : 0xFFFD);
	wkg_span span = { got, len };
	CHECK(check_same(span, wkg_buf_span(&want)));
	free(want.ptr);

	wkg_char back = wkg_utf8_decode(span, 0);
	CHECK(back.len == len && !back.ill_formed);
	CHECK(back.code == (scalar ? code : 0xFFFD));
	if (scalar) {
		CHECK(wkg_utf8_units(code, WKG_UNIT_CODEPOINT) == 1);
		CHECK(wkg_utf8_units(code, WKG_UNIT_UTF16) ==
		      (code > 0xFFFF ? 2 : 1));
		CHECK(wkg_utf8_units(code, WKG_UNIT_BYTE) == len);
		CHECK(wkg_utf8_units(code, WKG_UNIT_INVALID) == 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	wkg_buf in = check_input(data, size);
	wkg_span text = wkg_buf_span(&in);

	decodes(text);
	finds_the_first_error(text);

	uint32_t code = 0;
	for (size_t i = 0; i < 4 && i < text.len; i++)
		code = code << 8 | text.ptr[i];
	encodes(code);
	encodes(code & 0x1FFFFF); /* the low bits alone hit the range often */
	for (size_t at = 0; at < text.len;) {
		wkg_char c = check_decode(text, at);
		encodes(c.code);
		at += c.len;
	}

	free(in.ptr);
	return 0;
}
