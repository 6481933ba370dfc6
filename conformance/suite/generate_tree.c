/* generate_tree.c - deep, wide, empty, oddly named; a spine goes as deep as the
 * rules draw a line, or one less or more. */
#include "generate_tree.h"
#include "generate_text.h"
#include "oracle_moderate.h"
#include "oracle_text.h"

#define CHOOSE(c, list) (list)[wgc_choose((c), sizeof(list) / sizeof *(list))]

typedef struct grower {
	wgc_case *what;
	wgc_choices *c;
	wgc_tree_kind kind;
	wgc_text out;
} grower;

/* Content must not build. */
static void
push_content(grower *g, wgc_text text /* taken */)
{
	for (size_t i = 0; i < text.len; i++) {
		bool builds = text.at[i] >= WGC_CLOSE && text.at[i] < WGC_SCRIPT_END;
		wgc_push(&g->out, builds ? 'x' : text.at[i]);
	}
	wgc_text_clear(&text);
}

static void
push_lone(grower *g)
{
	if (g->kind.document && wgc_choose_rarely(g->c, 12))
		wgc_push(&g->out, WGC_LONE);
}

/* --- Strings --- */

static void
neutral(grower *g)
{
	static const uint32_t letters[] = {
		'b', ' ', 'q', '\n', 0x4E2D, '1', '.', 0x3002, 0x200B, 0x200D, '"', 0xE0041, '\r'
	};
	for (uint32_t n = wgc_choose(g->c, 8); n > 0; n--)
		wgc_push(&g->out, CHOOSE(g->c, letters));
}

static void
moderated_string(grower *g)
{
	neutral(g);
	if (wgc_choose_rarely(g->c, 10))
		wgc_push(&g->out, WGC_LONG);
	switch (wgc_choose(g->c, 4)) {
	case 1: wgc_push(&g->out, WGC_HIT + wgc_choose(g->c, wgc_known_count())); break;
	case 2: wgc_push(&g->out, WGC_BENIGN + wgc_choose(g->c, wgc_known_count())); break;
	default: break;
	}
	neutral(g);
}

static void
hostile_string(grower *g)
{
	switch (wgc_choose(g->c, 4)) {
	case 0: neutral(g); return;
	case 1: push_content(g, wgc_generate_hostile(g->what, 2)); return;
	case 2: push_content(g, wgc_generate_context(g->what)); return;
	default: push_content(g, wgc_generate_padded(g->what, g->kind.limit)); return;
	}
}

static void
string(grower *g)
{
	wgc_push(&g->out, WGC_STRING);
	push_lone(g);
	if (g->kind.templated && wgc_choose_rarely(g->c, 4))
		wgc_push_ascii(&g->out, "{{$}}"); /* the whole state once more, if it is scanned */
	if (g->kind.moderated)
		moderated_string(g);
	else
		hostile_string(g);
	push_lone(g);
}

/* --- Other leaves, and names --- */

static void
leaf(grower *g)
{
	bool bare = g->kind.document;
	switch (wgc_choose(g->c, 10)) {
	case 5: wgc_push(&g->out, WGC_WORD + wgc_choose(g->c, WGC_WORDS)); return;
	case 6: wgc_push(&g->out, bare ? WGC_WORD : WGC_INTS); return;
	case 7:
		wgc_push(&g->out, bare || g->kind.moderated ||
		                          !wgc_has_feature(g->what->subject->hello, "value.other")
		                          ? WGC_WORD : WGC_OTHER);
		return;
	case 8:
		wgc_push(&g->out, WGC_ARRAY + wgc_choose(g->c, 2));
		wgc_push(&g->out, WGC_CLOSE);
		return;
	case 9:
		if (!bare && !g->kind.moderated) {
			wgc_push(&g->out, WGC_BAD);
			return;
		}
		string(g);
		return;
	default: string(g); return;
	}
}

static void
name(grower *g)
{
	static const char *const names[] = {
		"a", "b", "k", "key", "a b", "", "__proto__", "10", "9", "constructor", "a.b",
		"a\"\\", "<<x", "-_", "length", "[0]", "\n\t"
	};
	wgc_push(&g->out, WGC_NAME);
	if (wgc_choose(g->c, 4) < 3)
		for (const char *p = CHOOSE(g->c, names); *p != '\0'; p++)
			wgc_push(&g->out, (unsigned char)*p);
	else
		/* Not what the moderator looks for: a name may become content. */
		push_content(g, g->kind.moderated || wgc_choose(g->c, 2) == 0
		                        ? wgc_generate_context(g->what)
		                        : wgc_generate_hostile(g->what, 1));
	if (!g->kind.moderated && !g->kind.templated)
		push_lone(g);
}

/* --- Shapes --- */

static void
named_leaves(grower *g, uint32_t n)
{
	for (; n > 0; n--) {
		name(g);
		leaf(g);
	}
}

static void
spine(grower *g, size_t depth)
{
	for (size_t d = 0; d < depth; d++) {
		wgc_push(&g->out, WGC_ARRAY + wgc_choose(g->c, 2));
		named_leaves(g, wgc_choose_rarely(g->c, 3 + (uint32_t)depth / 3));
		name(g);
	}
	leaf(g);
	named_leaves(g, wgc_choose(g->c, 2));
	for (size_t d = 0; d < depth; d++) {
		wgc_push(&g->out, WGC_CLOSE);
		named_leaves(g, wgc_choose_rarely(g->c, 3 + (uint32_t)depth / 3));
	}
}

/* More than a report may name. */
static void
wide(grower *g)
{
	wgc_push(&g->out, WGC_ARRAY + wgc_choose(g->c, 2));
	for (uint32_t n = wgc_choose_between(g->c, 60, 90), i = 0; i < n; i++) {
		wgc_push(&g->out, WGC_NAME);
		wgc_push(&g->out, 'a' + i % 26);
		wgc_push(&g->out, 'a' + i / 26);
		wgc_push(&g->out, WGC_STRING);
		if (g->kind.moderated)
			wgc_push(&g->out, i % 16 == 15 ? WGC_BENIGN : WGC_HIT);
		else
			for (uint32_t k = 0; k < 20; k++)
				wgc_push(&g->out, 'c');
	}
}

wgc_text
wgc_generate_tree(wgc_case *what, wgc_tree_kind kind)
{
	grower g = { .what = what, .c = what->choices, .kind = kind,
		     .out = { .form = WGC_SCALARS } };
	size_t below = kind.depth - 1;
	const size_t depths[] = { 1, 0, 2, below, kind.depth, kind.depth + 1, kind.depth + 2 };
	if (wgc_choose_rarely(g.c, 40))
		wide(&g);
	else
		spine(&g, CHOOSE(g.c, depths));
	return g.out;
}
