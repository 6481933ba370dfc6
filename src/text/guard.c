/* guard.c - find the keyword of the delimiters, and chat-template tokens.
 *
 * Brackets alone are not enough: U+22D8 looks like `<<<` by itself, and a
 * reader who drops spaces undoes what the fence inserts. So the word between
 * the brackets is broken as well, by a character that nobody drops (F9). And a
 * token such as `<|im_start|>` has one bracket at each end (F10).
 *
 * Both guards look ahead from a character that can begin what they look for,
 * over any distance, and still do linear work: the keyword has its x, and a
 * token its opening bracket, only at the beginning (`<<SYS>>` has a second one
 * at once), so that a search ends where the next one but one begins.
 * src/tables/guard.py refuses words for which that is not so. */
#include "guard.h"

#include <string.h>
#include <wicketgate/table.h>

#include "guard_data.h"

static const char keyword[] = "xpydata"; /* as in WKG_FENCE_BEGIN, _END */

static const wkg__guard_reading *
reading_of(uint32_t code)
{
	static const wkg__guard_reading ignorable = { "", "", false };

	if (wkg_table_sets(code) & WKG_SET_FENCE_IGNORABLE)
		return &ignorable;
	if (code >= WKG__GUARD_END)
		return &wkg__guard_readings[0];
	uint8_t block = wkg__guard_index[code >> WKG__GUARD_SHIFT];
	size_t place = code % (1u << WKG__GUARD_SHIFT);
	return &wkg__guard_readings[wkg__guard_block[block][place]];
}

/* Letters of the keyword stand together after `found` of them. The number of
 * letters found then; 0 if this is another word. */
static size_t
advance(size_t found, const char *letters)
{
	for (; *letters != '\0' && keyword[found] != '\0'; letters++, found++)
		if (*letters != keyword[found])
			return 0;
	return found;
}

/* Can the rest of the keyword be read from `at` on, after its x? */
static bool
spells_keyword(wkg__reader *read, wkg_span in, size_t at)
{
	size_t found = 1;
	while (found > 0 && keyword[found] != '\0') {
		wkg_char c = read(in, at);
		if (c.len == 0)
			return false;
		at += c.len;
		const wkg__guard_reading *r = reading_of(c.code);
		/* Punctuation that looks like an x: another search begins with
		 * it, and finds what this one would find behind it. */
		if (!r->also_passed || found == 1)
			found = advance(found, r->keyword);
	}
	return found > 0;
}

/* Some tokens, [first, end) of the table, that agree up to a length. */
typedef struct candidates {
	size_t first, end, len;
} candidates;

static bool
narrow(candidates *t, const char *text)
{
	for (; *text != '\0' && t->first < t->end; text++, t->len++) {
		while (t->first < t->end &&
		       wkg__guard_tokens[t->first][t->len] != *text)
			t->first++;
		while (t->first < t->end &&
		       wkg__guard_tokens[t->end - 1][t->len] != *text)
			t->end--;
	}
	return t->first < t->end;
}

static bool
is_complete(const candidates *t)
{
	return wkg__guard_tokens[t->first][t->len] == '\0';
}

/* Is this, and what follows from `at` on, a token? */
static bool
begins_token(wkg__reader *read, wkg_span in, const char *text, size_t at)
{
	candidates t = { 0, WKG__GUARD_TOKEN_COUNT, 0 };
	while (narrow(&t, text)) {
		if (is_complete(&t))
			return true;
		wkg_char c = read(in, at);
		if (c.len == 0)
			return false;
		at += c.len;
		text = reading_of(c.code)->token;
	}
	return false;
}

uint32_t
wkg__guard(wkg__reader *read, wkg_span in, uint32_t code, size_t next)
{
	const wkg__guard_reading *r = reading_of(code);
	if (strchr(r->keyword, keyword[0]) != NULL)
		return spells_keyword(read, in, next) ? '~' : 0;
	if (r->token[0] == '<' || r->token[0] == '[')
		return begins_token(read, in, r->token, next) ? ' ' : 0;
	return 0;
}
