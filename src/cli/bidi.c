/* bidi.c - the Unicode Bidirectional Algorithm, UAX #9, rule by rule.
 *
 * Characters of an isolating run sequence (BD13) are a chain through `next`;
 * each rule is one walk along it. conformance/bidi.py holds this file to the
 * two test files of Unicode, all of them. */
#include "bidi.h"

enum {
	DEPTH_MAX = 125,   /* BD2 */
	BRACKETS_MAX = 63, /* BD16 */
};

/* ---- about a character ---- */

bidi_class
bidi_class_of(uint32_t code)
{
	size_t low = 0, high = bidi_range_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (code > bidi_ranges[middle].to)
			low = middle + 1;
		else
			high = middle;
	}
	bool within = low < bidi_range_count && code >= bidi_ranges[low].from;
	return within ? bidi_ranges[low].class : BIDI_L;
}

static uint32_t
other_of(const bidi_pair *pairs, size_t count, uint32_t code)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (code > pairs[middle].code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && pairs[low].code == code ? pairs[low].other : 0;
}

uint32_t
bidi_mirror(uint32_t code)
{
	uint32_t other = other_of(bidi_mirrors, bidi_mirror_count, code);
	return other != 0 ? other : code;
}

/* U+2329 and U+232A are canonically the same brackets as U+3008 and U+3009. */
static uint32_t
canonical(uint32_t bracket)
{
	if (bracket == 0x2329)
		return 0x3008;
	return bracket == 0x232A ? 0x3009 : bracket;
}

static bool
is_isolate(uint8_t class)
{
	return class == BIDI_LRI || class == BIDI_RLI || class == BIDI_FSI;
}

static bool
is_embedding(uint8_t class)
{
	return class == BIDI_LRE || class == BIDI_RLE || class == BIDI_LRO ||
	       class == BIDI_RLO;
}

/* NI of the standard, once the paragraph is split. */
static bool
is_neutral(uint8_t class)
{
	return class == BIDI_B || class == BIDI_S || class == BIDI_WS ||
	       class == BIDI_ON || class == BIDI_PDI || is_isolate(class);
}

static uint8_t
direction_of(uint8_t level)
{
	return level % 2 == 0 ? BIDI_L : BIDI_R;
}

/* L, R, or ON for what has no direction; numbers are R to their neighbours. */
static uint8_t
strong(uint8_t class)
{
	if (class == BIDI_L)
		return BIDI_L;
	bool right = class == BIDI_R || class == BIDI_AL || class == BIDI_EN ||
	             class == BIDI_AN;
	return right ? BIDI_R : BIDI_ON;
}

/* ---- a paragraph ---- */

typedef struct paragraph {
	bidi_item *items;
	size_t count;
	uint8_t level;
	bidi_balance balance;
} paragraph;

/* BD9: pair each isolate with its PDI. Those still open are a list through
 * `match`. */
static void
match_isolates(paragraph *p)
{
	size_t open = BIDI_NOWHERE;
	for (size_t i = 0; i < p->count; i++) {
		bidi_item *item = &p->items[i];
		item->match = BIDI_NOWHERE;
		if (is_isolate(item->original)) {
			item->match = open;
			open = i;
		} else if (item->original == BIDI_PDI &&
		           open != BIDI_NOWHERE) {
			size_t outer = p->items[open].match;
			p->items[open].match = i;
			item->match = open;
			open = outer;
		} else if (item->original == BIDI_PDI) {
			p->balance.unopened++;
		}
	}
	while (open != BIDI_NOWHERE) {
		size_t outer = p->items[open].match;
		p->items[open].match = BIDI_NOWHERE;
		open = outer;
		p->balance.unclosed++;
	}
}

/* P2, P3: the level that the first letter of [from, to) asks for; what is
 * isolated does not count. */
static uint8_t
level_of_first_strong(const paragraph *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const bidi_item *item = &p->items[i];
		if (item->original == BIDI_L)
			return 0;
		if (item->original == BIDI_R || item->original == BIDI_AL)
			return 1;
		if (is_isolate(item->original) && item->match >= to)
			return 0;
		if (is_isolate(item->original))
			i = item->match;
	}
	return 0;
}

/* ---- X1-X8: explicit levels ---- */

typedef struct entry {
	uint8_t level;
	uint8_t override; /* L, R, or ON for none */
	bool isolate;
} entry;

typedef struct levels {
	entry stack[DEPTH_MAX + 2];
	size_t top;
	size_t overflow_isolates;
	size_t overflow_embeddings;
	size_t isolates; /* valid ones */
} levels;

static void
take_level(bidi_item *item, const levels *l)
{
	const entry *top = &l->stack[l->top];
	item->level = top->level;
	if (top->override != BIDI_ON)
		item->class = top->override;
}

/* Go to the next level of that direction, if there is one. */
static bool
push(levels *l, bool right, uint8_t override, bool isolate)
{
	uint8_t level = l->stack[l->top].level;
	unsigned next = right ? (level + 1u) | 1u : (level + 2u) & ~1u;
	if (next > DEPTH_MAX || l->overflow_isolates > 0 ||
	    l->overflow_embeddings > 0)
		return false;
	const entry deeper = { (uint8_t)next, override, isolate };
	l->stack[++l->top] = deeper;
	return true;
}

/* X2-X5 */
static void
open_embedding(levels *l, uint8_t class)
{
	bool right = class == BIDI_RLE || class == BIDI_RLO;
	uint8_t override = BIDI_ON;
	if (class == BIDI_LRO)
		override = BIDI_L;
	if (class == BIDI_RLO)
		override = BIDI_R;
	if (!push(l, right, override, false) && l->overflow_isolates == 0)
		l->overflow_embeddings++;
}

/* X5a-X5c */
static void
open_isolate(const paragraph *p, levels *l, size_t at)
{
	const bidi_item *item = &p->items[at];
	bool right = item->original == BIDI_RLI;
	if (item->original == BIDI_FSI) {
		size_t end = item->match == BIDI_NOWHERE ? p->count
		                                         : item->match;
		right = level_of_first_strong(p, at + 1, end) == 1;
	}
	take_level(&p->items[at], l);
	if (push(l, right, BIDI_ON, true))
		l->isolates++;
	else
		l->overflow_isolates++;
}

/* X6a */
static void
close_isolate(bidi_item *item, levels *l)
{
	if (l->overflow_isolates > 0) {
		l->overflow_isolates--;
	} else if (l->isolates > 0) {
		l->overflow_embeddings = 0;
		while (!l->stack[l->top].isolate)
			l->top--;
		l->top--;
		l->isolates--;
	}
	take_level(item, l);
}

/* X7 */
static void
close_embedding(levels *l)
{
	if (l->overflow_isolates > 0)
		return;
	if (l->overflow_embeddings > 0)
		l->overflow_embeddings--;
	else if (!l->stack[l->top].isolate && l->top > 0)
		l->top--;
}

static void
set_explicit_levels(paragraph *p)
{
	levels l = { .stack = { { p->level, BIDI_ON, false } } };
	for (size_t i = 0; i < p->count; i++) {
		bidi_item *item = &p->items[i];
		item->paragraph = item->level = p->level;
		if (is_embedding(item->original))
			open_embedding(&l, item->original);
		else if (is_isolate(item->original))
			open_isolate(p, &l, i);
		else if (item->original == BIDI_PDI)
			close_isolate(item, &l);
		else if (item->original == BIDI_PDF)
			close_embedding(&l);
		else if (item->original != BIDI_B && !item->removed)
			take_level(item, &l);
	}
}

/* How many embeddings have no PDF, and the other way round. An isolate that
 * ends takes the embeddings in it along; a PDF in it reaches none outside.
 * `next` is not used yet and holds, for each open control, the one around. */
static void
count_embeddings(paragraph *p)
{
	size_t open = BIDI_NOWHERE;
	for (size_t i = 0; i < p->count; i++) {
		bidi_item *item = &p->items[i];
		uint8_t class = item->original;
		bool opens = is_embedding(class) || is_isolate(class);
		if (opens) {
			item->next = open;
			open = i;
		} else if (class == BIDI_PDI && item->match != BIDI_NOWHERE) {
			for (; open != item->match; open = p->items[open].next)
				p->balance.unclosed++;
			open = p->items[open].next;
		} else if (class == BIDI_PDF) {
			bool pair = open != BIDI_NOWHERE &&
			            is_embedding(p->items[open].original);
			if (pair)
				open = p->items[open].next;
			else
				p->balance.unopened++;
		}
	}
	for (; open != BIDI_NOWHERE; open = p->items[open].next)
		p->balance.unclosed += is_embedding(p->items[open].original);
}

/* ---- X10: isolating run sequences ---- */

static size_t
seen_from(const paragraph *p, size_t at)
{
	while (at < p->count && p->items[at].removed)
		at++;
	return at;
}

/* A run goes on where the level is the same; behind an isolate that has its
 * PDI, there. */
static void
link_sequences(paragraph *p)
{
	for (size_t i = 0; i < p->count; i++)
		p->items[i].follows = false;
	for (size_t i = seen_from(p, 0), j; i < p->count; i = j) {
		bidi_item *item = &p->items[i];
		j = seen_from(p, i + 1);
		item->next = BIDI_NOWHERE;
		if (j < p->count && p->items[j].level == item->level)
			item->next = j;
		else if (is_isolate(item->original))
			item->next = item->match;
		if (item->next != BIDI_NOWHERE)
			p->items[item->next].follows = true;
	}
}

typedef struct sequence {
	bidi_item *items;
	size_t first;
	uint8_t embedding; /* the direction of its level */
	uint8_t before;    /* sos */
	uint8_t behind;    /* eos */
} sequence;

static uint8_t
direction_between(uint8_t a, uint8_t b)
{
	return direction_of(a > b ? a : b);
}

static sequence
sequence_from(const paragraph *p, size_t first)
{
	bidi_item *items = p->items;
	uint8_t level = items[first].level;
	size_t before = first, last = first;

	while (before > 0 && items[before - 1].removed)
		before--;
	while (items[last].next != BIDI_NOWHERE)
		last = items[last].next;
	size_t behind = seen_from(p, last + 1);
	/* An isolate that never ends has the paragraph's end behind it. */
	bool end = behind == p->count || is_isolate(items[last].original);

	const sequence s = {
		.items = items,
		.first = first,
		.embedding = direction_of(level),
		.before = direction_between(
			level, before > 0 ? items[before - 1].level : p->level),
		.behind = direction_between(
			level, end ? p->level : items[behind].level),
	};
	return s;
}

#define EACH(s, i)                                                             \
	size_t i = (s)->first; i != BIDI_NOWHERE; i = (s)->items[i].next

/* ---- W1-W7: weak characters ---- */

static void
attach_marks(const sequence *s) /* W1 */
{
	uint8_t last = s->before;
	for (EACH(s, i)) {
		bidi_item *item = &s->items[i];
		if (item->class == BIDI_NSM)
			item->class = last;
		last = item->class;
		if (is_isolate(last) || last == BIDI_PDI)
			last = BIDI_ON;
	}
}

static void
number_by_letters(const sequence *s) /* W2, W3 */
{
	uint8_t last = s->before;
	for (EACH(s, i)) {
		bidi_item *item = &s->items[i];
		if (item->class == BIDI_EN && last == BIDI_AL)
			item->class = BIDI_AN;
		if (item->class == BIDI_L || item->class == BIDI_R ||
		    item->class == BIDI_AL)
			last = item->class;
		if (item->class == BIDI_AL)
			item->class = BIDI_R;
	}
}

static void
join_separators(const sequence *s) /* W4 */
{
	uint8_t last = s->before;
	for (EACH(s, i)) {
		bidi_item *item = &s->items[i];
		uint8_t next = item->next == BIDI_NOWHERE
		                       ? s->behind
		                       : s->items[item->next].class;
		bool european = last == BIDI_EN && (item->class == BIDI_ES ||
		                                    item->class == BIDI_CS);
		bool arabic = last == BIDI_AN && item->class == BIDI_CS;
		if ((european || arabic) && next == last)
			item->class = last;
		last = item->class;
	}
}

static void
set_all(const sequence *s, size_t from, size_t to, uint8_t class)
{
	for (; from != to; from = s->items[from].next)
		s->items[from].class = class;
}

static void
join_terminators(const sequence *s) /* W5, W6 */
{
	size_t run = BIDI_NOWHERE; /* of ET before here */
	uint8_t last = s->before;
	for (EACH(s, i)) {
		bidi_item *item = &s->items[i];
		if (item->class == BIDI_ET) {
			if (run == BIDI_NOWHERE)
				run = i;
			continue;
		}
		bool number = last == BIDI_EN || item->class == BIDI_EN;
		if (run != BIDI_NOWHERE)
			set_all(s, run, i, number ? BIDI_EN : BIDI_ON);
		run = BIDI_NOWHERE;
		if (item->class == BIDI_ES || item->class == BIDI_CS)
			item->class = BIDI_ON;
		last = item->class;
	}
	if (run != BIDI_NOWHERE)
		set_all(s, run, BIDI_NOWHERE,
		        last == BIDI_EN ? BIDI_EN : BIDI_ON);
}

static void
number_as_letters(const sequence *s) /* W7 */
{
	uint8_t last = s->before;
	for (EACH(s, i)) {
		bidi_item *item = &s->items[i];
		if (item->class == BIDI_EN && last == BIDI_L)
			item->class = BIDI_L;
		if (item->class == BIDI_L || item->class == BIDI_R)
			last = item->class;
	}
}

/* ---- N0: brackets ---- */

enum { HAS_L = 1, HAS_R = 2 };

static uint8_t
strong_bits(uint8_t class)
{
	if (strong(class) == BIDI_L)
		return HAS_L;
	return strong(class) == BIDI_R ? HAS_R : 0;
}

typedef struct open_bracket {
	uint32_t closing;
	size_t at;
	uint8_t inside;
} open_bracket;

typedef struct bracket_stack {
	open_bracket open[BRACKETS_MAX];
	size_t count;
} bracket_stack;

/* The bracket that `code` closes is paired with it, and what was opened in
 * between is forgotten, but for what it holds. */
static void
close_bracket(const sequence *s, bracket_stack *b, size_t at)
{
	uint32_t code = canonical(s->items[at].code);
	size_t i = b->count;
	while (i > 0 && b->open[i - 1].closing != code)
		i--;
	if (i == 0)
		return;
	uint8_t inside = 0;
	while (b->count >= i)
		inside |= b->open[--b->count].inside;
	if (b->count > 0)
		b->open[b->count - 1].inside |= inside;
	s->items[b->open[i - 1].at].match = at;
	s->items[b->open[i - 1].at].inside = inside;
}

static uint32_t
closing_of(const bidi_item *item)
{
	return item->class != BIDI_ON
	               ? 0
	               : canonical(other_of(bidi_brackets, bidi_bracket_count,
	                                    item->code));
}

/* BD16. Only brackets use `match` here: isolates are matched and linked. */
static void
pair_brackets(const sequence *s)
{
	bracket_stack b = { .count = 0 };
	bool full = false;
	for (EACH(s, i))
		s->items[i].match = BIDI_NOWHERE;
	for (EACH(s, i)) {
		bidi_item *item = &s->items[i];
		uint32_t closing = closing_of(item);
		if (closing != 0 && b.count == BRACKETS_MAX)
			full = true;
		if (full)
			return;
		if (closing != 0) {
			const open_bracket open = { closing, i, 0 };
			b.open[b.count++] = open;
		} else if (item->class == BIDI_ON) {
			close_bracket(s, &b, i);
		} else if (b.count > 0) {
			b.open[b.count - 1].inside |= strong_bits(item->class);
		}
	}
}

/* Marks on a bracket go where it goes. */
static void
set_bracket(const sequence *s, size_t at, uint8_t class)
{
	s->items[at].class = class;
	for (size_t i = s->items[at].next; i != BIDI_NOWHERE;
	     i = s->items[i].next) {
		if (s->items[i].original != BIDI_NSM)
			break;
		s->items[i].class = class;
	}
}

static void
resolve_brackets(const sequence *s)
{
	uint8_t last = s->before;
	const uint8_t same = strong_bits(s->embedding);
	for (EACH(s, i)) {
		const bidi_item *item = &s->items[i];
		if (item->match != BIDI_NOWHERE && item->inside != 0) {
			bool opposite = (item->inside & same) == 0 &&
			                last != s->embedding;
			uint8_t class = opposite ? last : s->embedding;
			set_bracket(s, item->match, class);
			set_bracket(s, i, class);
		}
		if (strong(item->class) != BIDI_ON)
			last = strong(item->class);
	}
}

/* ---- N1, N2: neutral characters; I1, I2: their levels ---- */

static void
resolve_neutrals(const sequence *s)
{
	size_t run = BIDI_NOWHERE;
	uint8_t last = s->before;
	for (EACH(s, i)) {
		uint8_t class = s->items[i].class;
		if (is_neutral(class)) {
			if (run == BIDI_NOWHERE)
				run = i;
			continue;
		}
		uint8_t next = strong(class);
		if (run != BIDI_NOWHERE)
			set_all(s, run, i, last == next ? last : s->embedding);
		run = BIDI_NOWHERE;
		last = next;
	}
	if (run != BIDI_NOWHERE)
		set_all(s, run, BIDI_NOWHERE,
		        last == s->behind ? last : s->embedding);
}

static void
set_implicit_levels(const sequence *s)
{
	for (EACH(s, i)) {
		bidi_item *item = &s->items[i];
		if (item->level % 2 == 1 && item->class != BIDI_R)
			item->level += 1;
		else if (item->level % 2 == 0 && item->class == BIDI_R)
			item->level += 1;
		else if (item->level % 2 == 0 && item->class != BIDI_L)
			item->level += 2; /* numbers */
	}
}

static void
resolve_sequence(const sequence *s)
{
	attach_marks(s);
	number_by_letters(s);
	join_separators(s);
	join_terminators(s);
	number_as_letters(s);
	pair_brackets(s);
	resolve_brackets(s);
	resolve_neutrals(s);
}

/* ---- all of it ---- */

static void
set_classes(paragraph *p)
{
	for (size_t i = 0; i < p->count; i++) {
		bidi_item *item = &p->items[i];
		uint8_t class = (uint8_t)bidi_class_of(item->code);
		item->class = item->original = class;
		item->removed = class == BIDI_BN || class == BIDI_PDF ||
		                is_embedding(class); /* X9 */
	}
}

/* Levels change only when no later sequence looks at its neighbours' any more:
 * sos and eos ask for the explicit ones. */
static void
resolve_paragraph(paragraph *p)
{
	set_explicit_levels(p);
	count_embeddings(p);
	link_sequences(p);
	for (size_t i = 0; i < p->count; i++) {
		if (p->items[i].removed || p->items[i].follows)
			continue;
		const sequence s = sequence_from(p, i);
		resolve_sequence(&s);
	}
	for (size_t i = 0; i < p->count; i++) {
		if (p->items[i].removed || p->items[i].follows)
			continue;
		const sequence s = { .items = p->items, .first = i };
		set_implicit_levels(&s);
	}
}

/* P1: up to and with the first separator of paragraphs. */
static size_t
end_of_paragraph(const bidi_item *items, size_t from, size_t count)
{
	while (from < count && bidi_class_of(items[from].code) != BIDI_B)
		from++;
	return from < count ? from + 1 : count;
}

bidi_balance
bidi_resolve(bidi_item *items, size_t count, bidi_direction direction)
{
	bidi_balance balance = { 0 };
	for (size_t from = 0, to; from < count; from = to) {
		to = end_of_paragraph(items, from, count);
		paragraph p = { .items = items + from, .count = to - from };
		set_classes(&p);
		match_isolates(&p);
		p.level = direction == BIDI_FIRST_STRONG
		                  ? level_of_first_strong(&p, 0, p.count)
		                  : (uint8_t)direction;
		resolve_paragraph(&p);
		balance.unclosed += p.balance.unclosed;
		balance.unopened += p.balance.unopened;
	}
	return balance;
}

/* ---- L1, L2 ---- */

/* Tabs, and blanks before them or at the end, go with the paragraph. */
static void
reset_blanks(bidi_item *items, size_t count)
{
	bool reset = true;
	for (size_t i = count; i-- > 0;) {
		uint8_t class = items[i].original;
		if (items[i].removed)
			continue;
		bool separator = class == BIDI_S || class == BIDI_B;
		bool blank = class == BIDI_WS || class == BIDI_PDI ||
		             is_isolate(class);
		reset = separator || (reset && blank);
		if (reset)
			items[i].level = items[i].paragraph;
	}
}

static void
reverse(size_t *order, size_t from, size_t to)
{
	while (from + 1 < to) {
		size_t other = order[--to];
		order[to] = order[from];
		order[from++] = other;
	}
}

static void
reverse_runs(const bidi_item *items, size_t *order, size_t count, uint8_t level)
{
	for (size_t from = 0, to; from < count; from = to + 1) {
		to = from;
		while (to < count && items[order[to]].level >= level)
			to++;
		reverse(order, from, to);
	}
}

size_t
bidi_lay_out(bidi_item *items, size_t count, size_t *order)
{
	size_t seen = 0;
	uint8_t highest = 0;
	reset_blanks(items, count);
	for (size_t i = 0; i < count; i++) {
		if (items[i].removed)
			continue;
		order[seen++] = i;
		if (items[i].level > highest)
			highest = items[i].level;
	}
	for (uint8_t level = highest; level > 0; level--)
		reverse_runs(items, order, seen, level);
	return seen;
}
