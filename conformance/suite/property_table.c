/* property_table.c - P-FN5: sanitizer and fence agree about every code point.
 *
 * The fence is proven for what the sanitizer leaves; nothing else ties the two
 * tables together. All 1,112,064 scalars are asked, a page of 1024 at a time:
 * first the pages in which a range of the tables ends, then the others. */
#include "generate_text.h"
#include "oracle_fence.h"
#include "oracle_text.h"
#include "properties.h"

#include <stdlib.h>

#define PAGE  1024
#define PAGES (0x110000 / PAGE)

/* Pages with an end of a range in them come first. */
static uint32_t
page_at(size_t i)
{
	static uint32_t order[PAGES];
	if (order[0] == 0 && order[1] == 0) {
		bool *seen = wgc_alloc(PAGES);
		size_t n = 0;
		const wgc_set *set = wgc_set_named("fence_ignorable");
		for (size_t k = 0; k < set->edge_count; k++)
			seen[set->edges[k] / PAGE] = true;
		for (int pass = 1; pass >= 0; pass--)
			for (uint32_t p = 0; p < PAGES; p++)
				if (seen[p] == (pass == 1))
					order[n++] = p;
		free(seen);
	}
	return order[i % PAGES];
}

/* The page is text[0], so that shrinking finds the one that is wrong. */
static bool
generate_page(wgc_case *what)
{
	wgc_text text = { .form = WGC_SCALARS };
	uint32_t page = page_at(wgc_choose(what->choices, PAGES));
	for (uint32_t c = page * PAGE; c < (page + 1) * PAGE; c++)
		if (c < 0xD800 || c >= 0xE000)
			wgc_push(&text, c);
	wgc_case_add_text(what, text);
	return text.len > 0;
}

/* `<c<` LF, for each: a line feed is in no set, and ends every reading. */
static bool
ask_page(wgc_case *what, size_t stage)
{
	const wgc_text *page = &what->text[0];
	wgc_text pairs = { .form = WGC_SCALARS }, lines = { .form = WGC_SCALARS };
	if (stage > 0)
		return false;
	for (size_t i = 0; i < page->len; i++) {
		wgc_push(&pairs, '<');
		wgc_push(&pairs, page->at[i]);
		wgc_push_ascii(&pairs, "<\n");
		wgc_push(&lines, page->at[i]);
		wgc_push_ascii(&lines, ".\n");
	}
	wgc_case_ask(what, "fence.neutralize", wgc_args_s(&pairs));
	wgc_case_ask(what, "sanitize.text", wgc_args_source("webhook", &lines));
	wgc_text_clear(&pairs);
	wgc_text_clear(&lines);
	return true;
}

/* The line from *at on: is the second character of it U+0020? */
static bool
next_line(const wgc_text *text, size_t *at, size_t *from)
{
	*from = *at;
	while (*at < text->len && text->at[*at] != '\n')
		++*at;
	return (*at)++ < text->len;
}

static void
compare_line(wgc_case *what, uint32_t c, bool split, bool removed)
{
	if (removed && !split)
		wgc_case_fails(what, "U+%04X is removed by the sanitizer, but '<' "
		                     "U+%04X '<' is not broken up", c, c);
	if (!wgc_is_hardened(what) && split && !removed && c != '<')
		wgc_case_fails(what, "U+%04X is not removed by the sanitizer, and "
		                     "yet '<' U+%04X '<' is broken up", c, c);
}

static void
check_page(wgc_case *what)
{
	const wgc_text *page = &what->text[0];
	wgc_text pairs, lines;
	if (!wgc_case_text(what, 0, "s", &pairs))
		return;
	if (wgc_case_text(what, 1, "s", &lines)) {
		size_t p = 0, l = 0, pair, line;
		for (size_t i = 0; i < page->len && !wgc_case_is_over(what); i++) {
			uint32_t c = page->at[i];
			bool there = next_line(&pairs, &p, &pair) &&
			             next_line(&lines, &l, &line);
			if (there && (c == '\n' || (c == '\r' && wgc_is_hardened(what)))) {
				there = c == '\r' || next_line(&pairs, &p, &pair);
				next_line(&lines, &l, &line);
				continue;
			}
			if (!there)
				wgc_case_fails(what, "a line is missing at U+%04X", c);
			else
				compare_line(what, c, pairs.at[pair + 1] == ' ' && c != ' ',
				             lines.at[line] == '.' && c != '.');
		}
		wgc_text_clear(&lines);
	}
	wgc_text_clear(&pairs);
}

static const wgc_method agreement = {
	.generate = generate_page, .ask = ask_page, .check = check_page,
	.count = PAGES,
};

const wgc_property wgc_p_fn5 = {
	.id = "P-FN5", .title = "whatever the sanitizer removes, the fence sees through: every code point there is",
	.rules = (const char *const[]){ "T4.1", "T4.2", NULL },
	.level = "MUST", .claim = "safety", .component = "fence",
	.operations = (const char *const[]){ "fence.neutralize", "sanitize.text", NULL },
	.method = &agreement,
};
