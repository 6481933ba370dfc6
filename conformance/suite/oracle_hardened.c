/* oracle_hardened.c - S2 and S3.4, sentence by sentence.
 *
 * Every character is one of three: gone, hidden (of the context set: it stays
 * or goes by what is around it), or visible. Hidden ones are judged in the run
 * behind each visible one, the base of the run. */
#include "oracle_text.h"

#include <stdlib.h>
#include <string.h>

#define FLAG     0x1F3F4
#define EMOJI    0xFE0F /* the selector of the colourful form */
#define RARE_MAX 16

typedef enum part { GONE, HIDDEN, VISIBLE } part;

typedef struct letter {
	uint32_t c; /* LF for a CR of its own */
	part part;
	bool stays;      /* of a hidden one */
	bool flag;       /* U+1F3F4 with its letters: S2.9 */
	bool pictograph; /* these two of a visible one, and what shows through */
	bool joining;
} letter;

typedef struct sentence {
	letter *at;
	size_t len;
} sentence;

static bool
in(const char *set, uint32_t c)
{
	return wgc_set_has(wgc_set_named(set), c);
}

static bool
between(uint32_t c, uint32_t first, uint32_t last)
{
	return c >= first && c <= last;
}

static bool
is_tag(uint32_t c)
{
	return between(c, 0xE0020, 0xE007F);
}

/* --- What each is --- */

/* S2.2 */
static letter
letter_of(const wgc_text *text, size_t i)
{
	uint32_t c = text->at[i];
	if (c == '\r') {
		bool crlf = i + 1 < text->len && text->at[i + 1] == '\n';
		return (letter){ .c = '\n', .part = crlf ? GONE : VISIBLE };
	}
	return (letter){ .c = c, .part = in("strip_hardened", c)     ? GONE
		                         : in("context_hardened", c) ? HIDDEN
		                                                     : VISIBLE };
}

/* S2.9: the letters behind U+1F3F4 at i, and nothing but `gone` between. */
static void
find_flag(sentence *s, size_t i)
{
	static const char *const flags[] = { "gbeng\x7F", "gbsct\x7F", "gbwls\x7F" };
	for (size_t f = 0; f < 3; f++) {
		size_t place[6], n = 0;
		for (size_t k = i + 1; k < s->len && n < 6; k++) {
			if (s->at[k].part == GONE)
				continue;
			if (s->at[k].c != 0xE0000 + (uint32_t)flags[f][n])
				break;
			place[n++] = k;
		}
		if (n < 6)
			continue;
		s->at[i].flag = true;
		while (n > 0)
			s->at[place[--n]].stays = true;
	}
}

static sentence
read_sentence(const wgc_text *text)
{
	sentence s = { wgc_alloc((text->len + 1) * sizeof(letter)), text->len };
	for (size_t i = 0; i < text->len; i++)
		s.at[i] = letter_of(text, i);
	for (size_t i = 0; i < text->len; i++)
		if (s.at[i].c == FLAG)
			find_flag(&s, i);
	return s;
}

/* --- What may stay behind a base --- */

/* S2.3: U+FE0F after ASCII is a joiner, not a selector. */
static bool
is_joiner(const letter *front, uint32_t c)
{
	static const uint32_t joiners[] = { 0xAD, 0x34F, 0x115F, 0x1160, 0x200C, 0x200D };
	for (size_t i = 0; i < sizeof(joiners) / sizeof(*joiners); i++)
		if (c == joiners[i])
			return true;
	return between(c, 0x1BCA0, 0x1BCA3) ||
	       (c == EMOJI && front != NULL && front->c < 0x80);
}

static bool
is_listed(const letter *front, uint32_t selector)
{
	const wgc_set *bases = wgc_bases_of(selector);
	return front != NULL && bases != NULL && wgc_set_has(bases, front->c);
}

/* S2.4, S2.5 */
static bool
may_select(const letter *front, uint32_t c)
{
	if (between(c, 0xE0100, 0xE01EF))
		return front != NULL && in("unified_ideograph", front->c);
	return is_listed(front, c) && front->c >= 0x80;
}

/* S2.6, S2.7, S2.8. `next` is 0 at the end, and for a flag. */
static bool
may_join(const letter *front, uint32_t c, uint32_t next)
{
	uint32_t f = front == NULL ? 0 : front->c;
	bool virama = front != NULL && in("virama", f);
	switch (c) {
	case 0x200D:
		return virama ||
		       (front != NULL && front->pictograph && in("extended_pictographic", next)) ||
		       ((f == 0x9B0 || f == 0x9F0 || f == 0xCB0) && in("virama", next));
	case 0x200C: return virama || (front != NULL && front->joining && in("joining", next));
	case 0x115F: return !(front != NULL && in("jamo_leading", f)) && in("jamo_vowel", next);
	case 0x1160: return front != NULL && in("jamo_leading", f) && !in("jamo_vowel", next);
	case 0x34F: return front != NULL && in("mark", next);
	case 0xAD: return front != NULL && in("figure", f) && in("figure", next);
	case EMOJI: return next == 0x20E3 && is_listed(front, EMOJI);
	default: return between(f, 0x1BC00, 0x1BC9F) && between(next, 0x1BC00, 0x1BC9F);
	}
}

/* The hidden ones from `at` on, behind that base. */
static void
judge_run(sentence *s, letter *front, size_t at, uint32_t next)
{
	bool selected = false, joined = front != NULL && front->flag;
	for (; at < s->len && s->at[at].part != VISIBLE; at++) {
		letter *l = &s->at[at];
		if (l->part == GONE || is_tag(l->c))
			continue;
		if (is_joiner(front, l->c)) {
			l->stays = !joined && may_join(front, l->c, next);
			joined = true;
		} else if (!selected && !joined && may_select(front, l->c)) {
			l->stays = selected = true;
			front->pictograph &= l->c == EMOJI;
		}
	}
}

/* What a mark or a skin tone lets show through is the base before it. */
static void
see(letter *base, const letter *before)
{
	bool pictograph = before != NULL && before->pictograph;
	bool joining = before != NULL && before->joining;
	if (base->flag)
		return;
	base->pictograph = in("extended_pictographic", base->c) ||
	                   (between(base->c, 0x1F3FB, 0x1F3FF) && pictograph);
	base->joining = in("joining", base->c) || (in("mark", base->c) && joining);
}

static uint32_t
next_visible(const sentence *s, size_t i)
{
	while (i < s->len && s->at[i].part != VISIBLE)
		i++;
	return i == s->len || s->at[i].flag ? 0 : s->at[i].c;
}

static void
judge(sentence *s)
{
	letter *front = NULL;
	judge_run(s, NULL, 0, next_visible(s, 0));
	for (size_t i = 0; i < s->len; i++) {
		if (s->at[i].part != VISIBLE)
			continue;
		see(&s->at[i], front);
		front = &s->at[i];
		judge_run(s, front, i + 1, next_visible(s, i + 1));
	}
}

/* S2.5, S2.8: of these at most 16 in a value, or none. */
static void
remove_rare(sentence *s, uint32_t first, uint32_t last)
{
	size_t n = 0;
	for (size_t i = 0; i < s->len; i++)
		n += s->at[i].stays && between(s->at[i].c, first, last);
	for (size_t i = 0; n > RARE_MAX && i < s->len; i++)
		if (between(s->at[i].c, first, last))
			s->at[i].stays = false;
}

wgc_text
wgc_stripped_hardened(const wgc_text *text)
{
	wgc_text out = { .form = WGC_SCALARS };
	sentence s = read_sentence(text);
	judge(&s);
	remove_rare(&s, 0xE0100, 0xE01EF);
	remove_rare(&s, 0x34F, 0x34F);
	remove_rare(&s, 0xAD, 0xAD);
	for (size_t i = 0; i < s.len; i++)
		if (s.at[i].part == VISIBLE || s.at[i].stays)
			wgc_push(&out, s.at[i].c);
	free(s.at);
	return out;
}

/* --- S3.4: where a cut may be --- */

static bool
is_indicator(uint32_t c)
{
	return between(c, 0x1F1E6, 0x1F1FF);
}

bool
wgc_may_cut(const wgc_text *text, size_t at)
{
	size_t run = 0;
	if (at == 0 || at == text->len)
		return true;
	letter before = { .c = at > 1 ? text->at[at - 2] : 0 };
	if (is_joiner(at > 1 ? &before : NULL, text->at[at - 1]) || is_tag(text->at[at]))
		return false;
	while (run < at && is_indicator(text->at[at - 1 - run]))
		run++;
	return !(is_indicator(text->at[at]) && run % 2 == 1);
}
