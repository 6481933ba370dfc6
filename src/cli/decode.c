/* decode.c - read text that is written in characters nobody sees.
 *
 * Runs of hidden characters, and each alphabet's symbols in them. Each symbol
 * is looked at a fixed number of times, however runs and alphabets mix. */
#include "decode.h"

#include <wicketgate/table.h>
#include <wicketgate/utf8.h>

#include <stdbool.h>
#include <string.h>

enum {
	CHARACTERS_MIN = 4,
	CHARACTERS_MIN_OF_BITS = 2, /* 16 symbols are no accident */
	ODD_ONES = 8,               /* at most one in so many */
	BLACK_FLAG = 0x1F3F4,
	NO_SYMBOL = -1,
};

/* ---- alphabets: what a character stands for, or NO_SYMBOL ---- */

static int
tag_value(uint32_t code)
{
	/* U+E0001 and U+E007F begin and end a tag: they say nothing. */
	if (code == 0xE0001 || code == 0xE007F)
		return NO_SYMBOL;
	if (code < 0xE0000 || code > 0xE007F)
		return NO_SYMBOL;
	return (int)(code - 0xE0000);
}

static int
selector_value(uint32_t code)
{
	if (code >= 0xFE00 && code <= 0xFE0F)
		return (int)(code - 0xFE00);
	if (code >= 0xE0100 && code <= 0xE01EF)
		return (int)(code - 0xE0100) + 16;
	return NO_SYMBOL;
}

static int
operator_value(uint32_t code)
{
	if (code == 0x2062)
		return 0;
	return code == 0x2064 ? 1 : NO_SYMBOL;
}

static int
space_value(uint32_t code)
{
	if (code == 0x200B)
		return 0;
	return code == 0x200C ? 1 : NO_SYMBOL;
}

static const struct {
	const char *name;
	int (*value)(uint32_t code);
	bool bits; /* a symbol is a bit, not a byte */
} alphabets[] = {
	[DECODE_TAGS] = { "tag", tag_value, false },
	[DECODE_SELECTORS] = { "variation selector", selector_value, false },
	[DECODE_OPERATORS] = { "U+2062 U+2064 bits", operator_value, true },
	[DECODE_SPACES] = { "U+200B U+200C bits", space_value, true },
};

const char *
decode_alphabet_name(decode_alphabet alphabet)
{
	return alphabets[alphabet].name;
}

/* ---- runs ---- */

static bool
is_hidden(wkg_char c)
{
	const uint32_t hidden = WKG_SET_STRIP_REFERENCE |
	                        WKG_SET_STRIP_HARDENED |
	                        WKG_SET_CONTEXT_HARDENED;
	return !c.ill_formed && (wkg_table_sets(c.code) & hidden) != 0;
}

static void
step(decode_cursor *c, wkg_char character)
{
	c->at += character.len;
	c->column++;
	if (character.code != '\n')
		return;
	c->line++;
	c->column = 1;
}

static bool
find_run(decode_cursor *c)
{
	wkg_char seen = { 0 };
	while (c->at < c->text.len) {
		seen = wkg_utf8_decode(c->text, c->at);
		if (is_hidden(seen))
			break;
		c->before = seen.code;
		step(c, seen);
	}
	const decode_run run = { .from = c->at,
		                 .line = c->line,
		                 .column = c->column,
		                 .before = c->before };
	c->run = run;
	while (c->at < c->text.len) {
		seen = wkg_utf8_decode(c->text, c->at);
		if (!is_hidden(seen))
			break;
		for (size_t i = 0; i < DECODE_ALPHABETS; i++)
			c->run.symbols[i] +=
				alphabets[i].value(seen.code) != NO_SYMBOL;
		step(c, seen);
	}
	c->run.to = c->at;
	return c->run.to > c->run.from;
}

/* Three flags are written in TAG characters, and honest: England, Scotland,
 * Wales. How many bytes one takes here; whatever else is behind it is read. */
static size_t
flag_length(wkg_span text, const decode_run *run)
{
	static const wkg_span flags[] = {
		WKG_LIT("gbeng\x7F"),
		WKG_LIT("gbsct\x7F"),
		WKG_LIT("gbwls\x7F"),
	};
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		size_t at = run->from, n = 0;
		while (n < flags[i].len && at < run->to) {
			wkg_char c = wkg_utf8_decode(text, at);
			if (c.code != 0xE0000u + flags[i].ptr[n])
				break;
			at += c.len;
			n++;
		}
		if (n == flags[i].len && run->before == BLACK_FLAG)
			return at - run->from;
	}
	return 0;
}

/* ---- payloads ---- */

/* Write what the symbols of the run spell, each bit turned over if asked to,
 * and where they are. */
static void
spell(const decode_cursor *c, bool turned, wkg_buf *out, decode_payload *p)
{
	const decode_run *run = &c->run;
	const bool bits = alphabets[p->alphabet].bits;
	size_t at = run->from, column = run->column, skipped = 0;
	unsigned byte = 0;

	if (p->alphabet == DECODE_TAGS)
		skipped = flag_length(c->text, run);
	p->symbols = 0;
	out->len = 0;
	for (wkg_char seen; at < run->to; at += seen.len, column++) {
		seen = wkg_utf8_decode(c->text, at);
		int value = alphabets[p->alphabet].value(seen.code);
		if (value == NO_SYMBOL || at < run->from + skipped)
			continue;
		if (p->symbols++ == 0) {
			p->at = at;
			p->column = column;
		}
		p->len = at + seen.len - p->at;
		byte = bits ? (byte << 1 | ((unsigned)value ^ turned)) & 0xFF
		            : (unsigned)value;
		if (!bits || p->symbols % 8 == 0)
			out->ptr[out->len++] = (uint8_t)byte;
	}
	p->line = run->line;
}

/* Could a reader see it, if it were in a text? */
static bool
is_readable(wkg_char c)
{
	if (c.ill_formed || is_hidden(c))
		return c.code == '\r' && !c.ill_formed;
	return c.code >= 0x20 || c.code == '\t' || c.code == '\n';
}

static bool
is_plausible(wkg_span text, decode_payload *p)
{
	const size_t least = alphabets[p->alphabet].bits
	                             ? CHARACTERS_MIN_OF_BITS
	                             : CHARACTERS_MIN;
	size_t readable = 0;
	p->characters = 0;
	for (size_t at = 0; at < text.len; p->characters++) {
		wkg_char c = wkg_utf8_decode(text, at);
		readable += is_readable(c);
		at += c.len;
	}
	return readable >= least &&
	       p->characters - readable <= readable / ODD_ONES;
}

static bool
read_payload(const decode_cursor *c, decode_alphabet alphabet, wkg_buf *out,
             decode_payload *p)
{
	const decode_payload none = { .alphabet = alphabet };
	*p = none;
	if (c->run.symbols[alphabet] < CHARACTERS_MIN)
		return false;
	spell(c, false, out, p);
	if (is_plausible(wkg_buf_span(out), p))
		return true;
	if (!alphabets[alphabet].bits)
		return false;
	spell(c, true, out, p);
	return is_plausible(wkg_buf_span(out), p);
}

wkg_status
decode_next(decode_cursor *c, wkg_buf *out, decode_payload *payload)
{
	if (out->cap < c->text.len) /* one byte for each symbol at most */
		return WKG_E_SPACE;
	for (;;) {
		if (c->next == 0 && !find_run(c))
			return WKG_E_NOT_FOUND;
		while (c->next < DECODE_ALPHABETS) {
			decode_alphabet alphabet = (decode_alphabet)c->next++;
			if (read_payload(c, alphabet, out, payload))
				return WKG_OK;
		}
		c->next = 0;
	}
}

size_t
decode_prefix(wkg_span text, size_t characters)
{
	size_t at = 0;
	for (size_t i = 0; i < characters && at < text.len; i++)
		at += wkg_utf8_decode(text, at).len;
	return at;
}
