/* utf8.c - strict UTF-8, with one reading for everything that is not. */
#include "../internal.h"

#include <string.h>

/* Unicode 15.0, table 3-7. What is not in it - C0, C1, F5..FF, overlong forms,
 * surrogates, anything above U+10FFFF - is not UTF-8. Only the second byte has
 * a range of its own; later ones are 80..BF. */
static const struct sequence {
	uint8_t lead_min, lead_max;
	uint8_t second_min, second_max;
	uint8_t len;
} sequences[] = {
	{ 0x00, 0x7F, 0x00, 0x00, 1 },
	{ 0xC2, 0xDF, 0x80, 0xBF, 2 },
	{ 0xE0, 0xE0, 0xA0, 0xBF, 3 }, /* 80..9F: overlong */
	{ 0xE1, 0xEC, 0x80, 0xBF, 3 },
	{ 0xED, 0xED, 0x80, 0x9F, 3 }, /* A0..BF: surrogates */
	{ 0xEE, 0xEF, 0x80, 0xBF, 3 },
	{ 0xF0, 0xF0, 0x90, 0xBF, 4 }, /* 80..8F: overlong */
	{ 0xF1, 0xF3, 0x80, 0xBF, 4 },
	{ 0xF4, 0xF4, 0x80, 0x8F, 4 }, /* 90..BF: above U+10FFFF */
};

static const struct sequence *
sequence_of(uint8_t lead)
{
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
		if (lead >= sequences[i].lead_min && lead <= sequences[i].lead_max)
			return &sequences[i];
	return NULL;
}

static wkg_char
ill_formed(size_t len)
{
	wkg_char c = { WKG_REPLACEMENT_CHARACTER, (uint8_t)len, true };
	return c;
}

wkg_char
wkg_utf8_decode(wkg_span in, size_t at)
{
	/* The payload bits of a lead byte, by sequence length. */
	static const uint8_t lead_bits[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };

	const uint8_t *byte = in.ptr + at;
	size_t left = in.len - at;
	const struct sequence *s = sequence_of(byte[0]);
	if (s == NULL)
		return ill_formed(1);

	uint32_t code = byte[0] & lead_bits[s->len];
	for (size_t i = 1; i < s->len; i++) {
		uint8_t min = i == 1 ? s->second_min : 0x80;
		uint8_t max = i == 1 ? s->second_max : 0xBF;
		/* What came before is the maximal subpart: it could have been
		 * the start of a character, with this byte it is not. */
		if (i >= left || byte[i] < min || byte[i] > max)
			return ill_formed(i);
		code = code << 6 | (byte[i] & 0x3Fu);
	}
	wkg_char c = { code, s->len, false };
	return c;
}

static bool
is_scalar(uint32_t code)
{
	return code <= WKG_CODEPOINT_MAX && (code < 0xD800 || code > 0xDFFF);
}

static uint8_t
continuation(uint32_t bits)
{
	return (uint8_t)(0x80u | (bits & 0x3Fu));
}

size_t
wkg_utf8_encode(uint8_t out[4], uint32_t code)
{
	if (!is_scalar(code))
		code = WKG_REPLACEMENT_CHARACTER;
	if (code < 0x80) {
		out[0] = (uint8_t)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (uint8_t)(0xC0u | code >> 6);
		out[1] = continuation(code);
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (uint8_t)(0xE0u | code >> 12);
		out[1] = continuation(code >> 6);
		out[2] = continuation(code);
		return 3;
	}
	out[0] = (uint8_t)(0xF0u | code >> 18);
	out[1] = continuation(code >> 12);
	out[2] = continuation(code >> 6);
	out[3] = continuation(code);
	return 4;
}

wkg_status
wkg__put(wkg_buf *out, uint32_t code)
{
	uint8_t bytes[4];
	return wkg__append(out, bytes, wkg_utf8_encode(bytes, code));
}

size_t
wkg__utf8_first_error_plain(wkg_span in)
{
	size_t at = 0;
	while (at < in.len) {
		wkg_char c = wkg_utf8_decode(in, at);
		if (c.ill_formed)
			return at;
		at += c.len;
	}
	return in.len;
}

/* How many of the next bytes are ASCII, looking at eight at a time: most text
 * that passes through here is JSON syntax and Latin prose. */
static size_t
ascii_run(wkg_span in, size_t at)
{
	size_t start = at;
	for (; in.len - at >= 8; at += 8) {
		uint64_t word;
		memcpy(&word, in.ptr + at, 8);
		if (word & UINT64_C(0x8080808080808080))
			break;
	}
	return at - start;
}

size_t
wkg_utf8_first_error(wkg_span in)
{
	size_t at = 0;
	while (at < in.len) {
		at += ascii_run(in, at);
		if (at == in.len)
			break;
		wkg_char c = wkg_utf8_decode(in, at);
		if (c.ill_formed)
			return at;
		at += c.len;
	}
	return in.len;
}

size_t
wkg_utf8_units(uint32_t code, wkg_unit unit)
{
	uint8_t bytes[4];
	switch (unit) {
	case WKG_UNIT_CODEPOINT: return 1;
	case WKG_UNIT_UTF16: return code > 0xFFFF ? 2 : 1;
	case WKG_UNIT_BYTE: return wkg_utf8_encode(bytes, code);
	case WKG_UNIT_INVALID: break;
	}
	return 0;
}
