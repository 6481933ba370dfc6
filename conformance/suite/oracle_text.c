/* oracle_text.c - decoding, stripping and cutting, from SPEC.md. */
#include "oracle_text.h"

#include <stdlib.h>
#include <string.h>

void
wgc_push(wgc_text *text, uint32_t element)
{
	if ((text->len & (text->len + 1)) == 0)
		text->at = wgc_grow(text->at,
		                    2 * (text->len + 1) * sizeof(element));
	text->at[text->len++] = element;
}

void
wgc_push_all(wgc_text *text, const wgc_text *more)
{
	for (size_t i = 0; i < more->len; i++)
		wgc_push(text, more->at[i]);
}

void
wgc_push_ascii(wgc_text *text, const char *ascii)
{
	for (; *ascii != '\0'; ascii++)
		wgc_push(text, (unsigned char)*ascii);
}

/* --- T2 --- */

/* The continuation bytes that may follow a lead byte at once (Unicode, table
 * 3-7); how many bytes the sequence has, 0 if none begins so. */
static size_t
sequence_of(uint32_t lead, uint32_t *low, uint32_t *high)
{
	*low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
	*high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
	if (lead < 0x80)
		return 1;
	if (lead < 0xC2 || lead > 0xF4)
		return 0;
	return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

static size_t
decode_bytes_at(const wgc_text *text, size_t i, wgc_text *out)
{
	uint32_t low, high, c = text->at[i];
	size_t size = sequence_of(c, &low, &high), n = 1;
	if (size > 1)
		c &= 0x7Fu >> size;
	for (; n < size && i + n < text->len; n++) {
		uint32_t byte = text->at[i + n];
		if (byte < low || byte > high)
			break;
		c = c << 6 | (byte & 0x3F);
		low = 0x80;
		high = 0xBF;
	}
	wgc_push(out, n == size ? c : 0xFFFD);
	return n;
}

static size_t
decode_units_at(const wgc_text *text, size_t i, wgc_text *out)
{
	uint32_t c = text->at[i];
	bool pair = c >> 10 == 0x36 && i + 1 < text->len &&
	            text->at[i + 1] >> 10 == 0x37;
	if (pair)
		c = 0x10000 + ((c & 0x3FF) << 10) + (text->at[i + 1] & 0x3FF);
	wgc_push(out, !pair && c >> 11 == 0x1B ? 0xFFFD : c);
	return pair ? 2 : 1;
}

wgc_text
wgc_decode(const wgc_text *text)
{
	wgc_text out = { .form = WGC_SCALARS };
	for (size_t i = 0; i < text->len;) {
		if (text->form == WGC_BYTES) {
			i += decode_bytes_at(text, i, &out);
		} else if (text->form == WGC_UTF16) {
			i += decode_units_at(text, i, &out);
		} else {
			wgc_push(&out, text->at[i++]);
		}
	}
	return out;
}

/* --- S1, S3, T3 --- */

wgc_text
wgc_without(const wgc_text *text, const wgc_set *set)
{
	wgc_text out = { .form = WGC_SCALARS };
	for (size_t i = 0; i < text->len; i++)
		if (!wgc_set_has(set, text->at[i]))
			wgc_push(&out, text->at[i]);
	return out;
}

static size_t
units(uint32_t c, const char *unit)
{
	if (strcmp(unit, "utf16") == 0)
		return c < 0x10000 ? 1 : 2;
	if (strcmp(unit, "byte") == 0)
		return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	return 1;
}

size_t
wgc_fitting(const wgc_text *text, const char *unit, size_t limit)
{
	size_t n = 0, used = 0;
	while (n < text->len && used + units(text->at[n], unit) <= limit)
		used += units(text->at[n++], unit);
	return n;
}

wgc_text
wgc_stripped(const wgc_text *text, bool hardened)
{
	wgc_text plain = wgc_decode(text);
	wgc_text out = hardened ? wgc_stripped_hardened(&plain)
	                        : wgc_without(&plain, wgc_set_named("strip_reference"));
	wgc_text_clear(&plain);
	return out;
}

wgc_text
wgc_sanitized(const wgc_text *text, bool hardened, const char *unit, size_t limit,
              bool *truncated)
{
	wgc_text out = wgc_stripped(text, hardened);
	size_t n = wgc_fitting(&out, unit, limit);
	while (hardened && !wgc_may_cut(&out, n))
		n--;
	*truncated = n < out.len;
	out.len = n;
	return out;
}
