/* property_render.c - P-FN13: templates, whatever the state says.
 *
 * A case is a template in which code points of plane 15 stand for placeholders,
 * and the script of a state (oracle_tree.h); each placeholder leads to a value
 * that is there. */
#include "generate_text.h"
#include "generate_tree.h"
#include "oracle_fence.h"
#include "oracle_text.h"
#include "properties.h"

#define PLACE  0xF0500 /* and following: a value, and spaces inside the braces */
#define PLACES 120

/* --- Generating --- */

static bool
is_place(uint32_t c)
{
	return c >= PLACE && c < PLACE + PLACES;
}

/* Braces of its own would make placeholders that nobody meant. */
static void
push_literal(wgc_text *out, wgc_text text /* taken */)
{
	for (size_t i = 0; i < text.len; i++) {
		uint32_t c = text.at[i];
		wgc_push(out, c == '{' ? '(' : is_place(c) ? 'x' : c);
	}
	wgc_text_clear(&text);
}

static wgc_text
generate_template(wgc_case *what)
{
	static const uint32_t edges[] = { '\n', ' ', '<', '>', '\r', '}', '$' };
	wgc_choices *c = what->choices;
	wgc_text out = { .form = WGC_SCALARS };
	for (uint32_t n = wgc_choose_between(c, 1, 4); n > 0; n--) {
		wgc_push(&out, PLACE + wgc_choose(c, PLACES));
		if (wgc_choose(c, 2) == 1)
			wgc_push(&out, edges[wgc_choose(c, 7)]);
		if (wgc_choose(c, 3) == 2)
			push_literal(&out, wgc_generate_hostile(what, 2));
	}
	return out;
}

static bool
generate(wgc_case *what)
{
	wgc_tree_kind kind = { .depth = 2, .limit = 20, .document = true, .templated = true };
	wgc_case_add_number(what, wgc_choose_rarely(what->choices, 4)); /* verbatim? */
	wgc_case_add_number(what, wgc_choose(what->choices, 1u << 20)); /* style */
	wgc_case_add_text(what, generate_template(what));
	wgc_case_add_text(what, wgc_generate_tree(what, kind));
	return true;
}

/* --- The template, the state, and the result of the one with the other --- */

typedef struct page {
	wgc_node *root;
	wgc_text state, template, result;
	size_t segments;
	bool hardened, verbatim;
	bool bracketed; /* the template has brackets of its own */
} page;

static void
push_spaces(wgc_text *out, size_t n)
{
	for (; n > 0; n--)
		wgc_push(out, ' ');
}

static void
push_slice(wgc_text *out, const wgc_text *text, size_t from, size_t to)
{
	for (; from < to; from++)
		wgc_push(out, text->at[from]);
}

/* F7.4 */
static wgc_text
value_of(const page *p, const wgc_node *node)
{
	wgc_text out = { .form = WGC_SCALARS };
	if (node->kind != WGC_NODE_STRING)
		push_slice(&out, &p->state, node->from, node->to);
	for (size_t i = 0; node->kind == WGC_NODE_STRING && i < node->text.len; i++)
		wgc_push(&out, node->text.at[i] == 0xDC00 ? 0xFFFD : node->text.at[i]);
	return out;
}

static bool
needs_segment(const page *p, const wgc_node *node, const wgc_text *value)
{
	bool scalar = node->kind == WGC_NODE_STRING ||
	              (node->kind == WGC_NODE_WORD && node->word[0] != 'n');
	return !p->verbatim && (!scalar || wgc_needs_fence(value));
}

/* F7.1 */
static wgc_text
label_of(const wgc_text *path)
{
	wgc_text label = { .form = WGC_SCALARS };
	push_slice(&label, path, path->len > 0 && path->at[0] == '.', path->len);
	if (path->len == 0)
		wgc_push(&label, '$');
	return label;
}

/* F7.5 */
static void
push_segment(page *p, const wgc_text *path, const wgc_text *value, const wgc_text *script,
             size_t next)
{
	wgc_text label = label_of(path);
	wgc_text segment = wgc_wrapped(&label, value, p->hardened);
	bool ends = next == script->len || script->at[next] == '\n' ||
	            (script->at[next] == '\r' && next + 1 < script->len &&
	             script->at[next + 1] == '\n');
	if (p->result.len > 0 && p->result.at[p->result.len - 1] != '\n')
		wgc_push(&p->result, '\n');
	wgc_push_all(&p->result, &segment);
	if (!ends)
		wgc_push(&p->result, '\n');
	p->segments++;
	wgc_text_clear(&label);
	wgc_text_clear(&segment);
}

static void
push_place(page *p, const wgc_text *script, size_t i)
{
	size_t number = script->at[i] - PLACE;
	wgc_text path;
	const wgc_node *node = wgc_tree_nth(p->root, number / 3, &path);
	wgc_text value = value_of(p, node);
	wgc_push_ascii(&p->template, "{{");
	push_spaces(&p->template, number % 3);
	wgc_push(&p->template, '$');
	wgc_push_all(&p->template, &path);
	push_spaces(&p->template, number % 2);
	wgc_push_ascii(&p->template, "}}");
	if (needs_segment(p, node, &value))
		push_segment(p, &path, &value, script, i + 1);
	else
		wgc_push_all(&p->result, &value);
	wgc_text_clear(&path);
	wgc_text_clear(&value);
}

static page
make_page(const wgc_case *what)
{
	const wgc_text *script = &what->text[0];
	page p = { .root = wgc_tree_read(&what->text[1], NULL, 0),
		   .hardened = wgc_is_hardened(what), .verbatim = what->number[0] % 2 == 1 };
	p.state = wgc_tree_document(p.root, false, what->number[1]);
	for (size_t i = 0; i < script->len; i++) {
		uint32_t c = script->at[i];
		if (is_place(c)) {
			push_place(&p, script, i);
			continue;
		}
		wgc_push(&p.template, c);
		wgc_push(&p.result, c);
		p.bracketed |= wgc_bracket(c, p.hardened) != 0;
	}
	return p;
}

static void
clear_page(page *p)
{
	wgc_tree_clear(p->root);
	wgc_text_clear(&p->state);
	wgc_text_clear(&p->template);
	wgc_text_clear(&p->result);
}

/* --- P-FN13 --- */

static bool
ask(wgc_case *what, size_t stage)
{
	if (stage > 0)
		return false;
	page p = make_page(what);
	cJSON *args = cJSON_CreateObject();
	cJSON_AddItemToObject(args, "template", wgc_wire(&p.template));
	cJSON_AddItemToObject(args, "state", wgc_wire(&p.state));
	cJSON_AddStringToObject(args, "mode", p.verbatim ? "verbatim" : "data");
	wgc_case_ask(what, "fence.render", args);
	clear_page(&p);
	return true;
}

static void
check(wgc_case *what)
{
	wgc_text out;
	if (!wgc_case_text(what, 0, "s", &out))
		return;
	page p = make_page(what);
	size_t begins = wgc_times_read(&out, WGC_BEGIN, p.hardened);
	size_t ends = wgc_times_read(&out, WGC_END, p.hardened);
	if (!p.verbatim && !p.bracketed && (begins != p.segments || ends != p.segments))
		wgc_case_fails(what, "of %zu segments begin can be read %zu times, end %zu times",
		               p.segments, begins, ends);
	wgc_case_same(what, "rendered", &p.result, &out);
	clear_page(&p);
	wgc_text_clear(&out);
}

static const wgc_method rendered = {
	.generate = generate, .ask = ask, .check = check,
};

const wgc_property wgc_p_fn13 = {
	.id = "P-FN13", .title = "whatever a state says, its values come between one begin and one end each, and nothing is scanned again",
	.rules = (const char *const[]){ "F7.1", "F7.2", "F7.3", "F7.4", "F7.5", "F5.1", NULL },
	.level = "MUST", .claim = "safety", .component = "fence",
	.operations = (const char *const[]){ "fence.render", NULL },
	.method = &rendered,
};
