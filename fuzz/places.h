/* places.h - the slow twin of S2 and S3 hardened: what stays only in its place,
 * and where a text may be cut.
 *
 * Every question is asked of the whole text and of an index, and answered by
 * looking left and right as far as it takes; the library goes through the text
 * once and remembers. Which characters are marks, viramas and so on comes from
 * the library's table, as do the listed variation sequences: conformance/
 * table.py holds both against Unicode's files. */
#ifndef WKG_FUZZ_PLACES_H
#define WKG_FUZZ_PLACES_H

#include "../src/internal.h" /* wkg__is_variation() */
#include "check.h"

#include <wicketgate/table.h>

/* ---- looking around -------------------------------------------------- */

/* Six tags behind a black flag, if they are England, Scotland or Wales. */
static inline size_t
places_tags(const check_chars *t, size_t i)
{
	static const char *const names[] = { "gbeng\x7F", "gbsct\x7F", "gbwls\x7F" };
	for (size_t n = 0; t->code[i] == 0x1F3F4 && n < 3; n++) {
		size_t same = 0;
		while (same < 6 && i + 1 + same < t->len &&
		       t->code[i + 1 + same] == 0xE0000u + (uint32_t)names[n][same])
			same++;
		if (same == 6)
			return same;
	}
	return 0;
}

static inline bool
places_in_flag(const check_chars *t, size_t i)
{
	for (size_t back = 0; back <= 6 && back <= i; back++)
		if (places_tags(t, i - back) > 0)
			return true;
	return false;
}

/* The sets of the character there; a flag is nothing in particular. */
static inline uint32_t
places_sets(const check_chars *t, size_t i)
{
	return i >= t->len || places_in_flag(t, i) ? 0 : wkg_table_sets(t->code[i]);
}

/* Is this a character that S2 decides about? */
static inline bool
places_open(const check_chars *t, size_t i)
{
	return (places_sets(t, i) & WKG_SET_CONTEXT_HARDENED) != 0;
}

/* The visible character behind `i`, or before it; the length if none is. */
static inline size_t
places_next(const check_chars *t, size_t i)
{
	do
		i++;
	while (i < t->len && places_open(t, i));
	return i;
}

static inline size_t
places_last(const check_chars *t, size_t i)
{
	while (i-- > 0)
		if (!places_open(t, i))
			return i;
	return t->len;
}

static inline uint32_t
places_code(const check_chars *t, size_t i)
{
	return i < t->len ? t->code[i] : 0;
}

/* ---- selectors: behind which character ------------------------------- */

static inline bool
places_is(uint32_t c, uint32_t first, uint32_t last)
{
	return c >= first && c <= last;
}

static inline bool
places_is_ideographic(uint32_t c)
{
	return places_is(c, 0xE0100, 0xE01EF);
}

static inline bool
places_is_selector(uint32_t c)
{
	return places_is(c, 0xFE00, 0xFE0F) || places_is(c, 0x180B, 0x180F) ||
	       places_is_ideographic(c);
}

/* Whatever is undecided and neither a tag nor a selector; in a keycap U+FE0F
 * is what joins. */
static inline bool
places_is_joiner(const check_chars *t, size_t i)
{
	uint32_t c = t->code[i];
	if (!places_open(t, i) || places_is(c, 0xE0000, 0xE007F))
		return false;
	if (!places_is_selector(c))
		return true;
	return c == 0xFE0F && places_code(t, places_last(t, i)) < 0x80;
}

static inline bool
places_selects(const check_chars *t, size_t i, bool ideographic)
{
	size_t base = places_last(t, i);
	uint32_t c = t->code[i];
	if (!places_open(t, i) || !places_is_selector(c) ||
	    places_code(t, base) < 0x80)
		return false;
	if (places_is_ideographic(c))
		return ideographic &&
		       (places_sets(t, base) & WKG_SET_IDEOGRAPH) != 0;
	return wkg__is_variation(t->code[base], c);
}

/* Is it the first selector in front of any joiner, or the first joiner? */
static inline bool
places_comes_first(const check_chars *t, size_t i, bool ideographic)
{
	bool joiner = places_is_joiner(t, i);
	for (size_t j = i; j-- > 0 && places_open(t, j);)
		if (places_is_joiner(t, j) ||
		    (!joiner && places_selects(t, j, ideographic)))
			return false;
	return joiner || places_selects(t, i, ideographic);
}

/* ---- joiners: between which characters ------------------------------- */

/* A pictograph before `i`, dressed in nothing but skin tones and U+FE0F. */
static inline bool
places_emoji_before(const check_chars *t, size_t i)
{
	while (i-- > 0) {
		uint32_t c = t->code[i];
		if (!places_is(c, 0x1F3FB, 0x1F3FF) && c != 0xFE0F)
			return (places_sets(t, i) & WKG_SET_PICTOGRAPH) != 0;
	}
	return false;
}

static inline bool
places_letter_before(const check_chars *t, size_t i)
{
	do
		i = places_last(t, i);
	while ((places_sets(t, i) & WKG_SET_MARK) != 0);
	return (places_sets(t, i) & WKG_SET_JOINING) != 0;
}

static inline bool
places_joins(const check_chars *t, size_t i)
{
	const size_t before = places_last(t, i), behind = places_next(t, i);
	const uint32_t here = places_code(t, before), next = places_code(t, behind);
	const uint32_t left = places_sets(t, before), right = places_sets(t, behind);
	const bool ra = here == 0x9B0 || here == 0x9F0 || here == 0xCB0;

	switch (t->code[i]) {
	case 0x200D:
		return (left & WKG_SET_VIRAMA) || (ra && (right & WKG_SET_VIRAMA)) ||
		       (places_emoji_before(t, i) && (right & WKG_SET_PICTOGRAPH));
	case 0x200C:
		return (left & WKG_SET_VIRAMA) ||
		       (places_letter_before(t, i) && (right & WKG_SET_JOINING));
	case 0x034F: return before < t->len && (right & WKG_SET_MARK);
	case 0x00AD: return (left & WKG_SET_FIGURE) && (right & WKG_SET_FIGURE);
	case 0x115F: return !(left & WKG_SET_LEADING) && (right & WKG_SET_VOWEL);
	case 0x1160: return (left & WKG_SET_LEADING) && !(right & WKG_SET_VOWEL);
	case 0x1BCA0: case 0x1BCA1: case 0x1BCA2: case 0x1BCA3:
		return places_is(here, 0x1BC00, 0x1BC9F) &&
		       places_is(next, 0x1BC00, 0x1BC9F);
	case 0xFE0F:
		return next == 0x20E3 &&
		       (here == '#' || here == '*' || places_is(here, '0', '9'));
	}
	return false;
}

/* ---- the text -------------------------------------------------------- */

/* Only what `stays`, which has an entry for each character. Frees it. */
static inline void
places_keep(check_chars *t, bool *stays)
{
	size_t kept = 0;
	for (size_t i = 0; i < t->len; i++)
		if (stays[i])
			t->code[kept++] = t->code[i];
	t->len = kept;
	free(stays);
}

static inline bool *
places_flags(const check_chars *t)
{
	bool *all = malloc(t->len + 1);
	CHECK(all != NULL);
	return all;
}

static inline size_t
places_count(const check_chars *t, uint32_t first, uint32_t last)
{
	size_t count = 0;
	for (size_t i = 0; i < t->len; i++)
		count += places_is(t->code[i], first, last);
	return count;
}

static inline void
places_drop(check_chars *t, uint32_t code)
{
	bool *stays = places_flags(t);
	for (size_t i = 0; i < t->len; i++)
		stays[i] = t->code[i] != code;
	places_keep(t, stays);
}

static inline void
places_choose(check_chars *t, bool ideographic)
{
	bool *stays = places_flags(t);
	for (size_t i = 0; i < t->len; i++)
		stays[i] = !places_open(t, i) ||
		           places_comes_first(t, i, ideographic);
	places_keep(t, stays);
}

static inline check_chars
places_copy(const check_chars *t)
{
	check_chars copy = check_chars_new(t->len);
	memcpy(copy.code, t->code, t->len * sizeof(*t->code));
	copy.len = t->len;
	return copy;
}

/* Of a text without what is stripped everywhere, and LF for CR: without what is
 * out of its place, too. */
static inline void
places_apply(check_chars *t)
{
	check_chars first = places_copy(t);
	places_choose(&first, true);
	places_choose(t, places_count(&first, 0xE0100, 0xE01EF) <= 16);
	free(first.code);

	bool *stays = places_flags(t);
	for (size_t i = 0; i < t->len; i++)
		stays[i] = !places_is_joiner(t, i) || places_joins(t, i);
	places_keep(t, stays);
	if (places_count(t, 0x00AD, 0x00AD) > 16)
		places_drop(t, 0x00AD);
	if (places_count(t, 0x034F, 0x034F) > 16)
		places_drop(t, 0x034F);
}

static inline bool
places_is_region(uint32_t c)
{
	return places_is(c, 0x1F1E6, 0x1F1FF);
}

/* May such a text be cut before its character `i`? Not behind what joins, not
 * in a flag. */
static inline bool
places_may_cut(const check_chars *t, size_t i)
{
	if (i == 0 || i == t->len)
		return true;
	size_t regions = 0;
	while (regions < i && places_is_region(t->code[i - 1 - regions]))
		regions++;
	if (regions % 2 == 1 && places_is_region(t->code[i]))
		return false;
	bool tag = places_is(t->code[i], 0xE0000, 0xE007F);
	return !tag && !places_is_joiner(t, i - 1);
}

#endif
