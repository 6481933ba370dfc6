/* oracle_tree.c - trees by their scripts, and S6, S9, S10 and M7 on them. */
#include "oracle_tree.h"
#include "oracle_moderate.h"
#include "oracle_text.h"
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 200
#define M_DEPTH   8 /* D1 */
#define INTS      3

static const char *const words[WGC_WORDS] = {
	"null", "true", "false", "0", "1", "-1", "1.50", "-0", "1E21", "0.1",
	"12345678901234567890", "9007199254740993", "1e-7", "100", "4.5E+3", "-12.0"
};

static wgc_text
copied(const wgc_text *text)
{
	wgc_text copy = { .form = text->form }; /* that may grow */
	wgc_push_all(&copy, text);
	return copy;
}

/* --- Scripts --- */

typedef struct builder {
	const wgc_text *extra;
	size_t max_depth, depth;
	wgc_node *root, *open[DEPTH_MAX], *last[DEPTH_MAX + 1]; /* last: child of each */
	wgc_node *string; /* that content goes to */
	wgc_text name;
	bool naming;
} builder;

static bool
is_taken(const wgc_node *parent, const wgc_text *name)
{
	bool taken = false;
	for (const wgc_node *n = parent->child; n != NULL && !taken; n = n->next)
		for (int hardened = 0; hardened < 2 && !taken; hardened++) {
			wgc_text a = wgc_stripped(&n->name, hardened), b = wgc_stripped(name, hardened);
			taken = wgc_text_same(&a, &b);
			wgc_text_clear(&a);
			wgc_text_clear(&b);
		}
	return taken;
}

/* Names that are the same once stripped are refused (S6.4): none are. */
static void
take_name(builder *b, wgc_node *node)
{
	if (b->depth == 0 || b->open[b->depth - 1]->kind != WGC_NODE_OBJECT)
		return;
	while (is_taken(b->open[b->depth - 1], &b->name))
		wgc_push(&b->name, 'q');
	node->name = copied(&b->name);
	b->name.len = 0;
}

static wgc_node *
add(builder *b, wgc_node_kind kind)
{
	wgc_node *node = wgc_alloc(sizeof(*node));
	node->kind = kind;
	node->word = words[0];
	take_name(b, node);
	if (b->depth == 0) {
		b->root = node;
	} else {
		wgc_node *parent = b->open[b->depth - 1];
		*(parent->child == NULL ? &parent->child : &b->last[b->depth]->next) = node;
		parent->size++;
	}
	b->last[b->depth] = node;
	b->naming = false;
	b->string = NULL;
	return node;
}

static void
open_container(builder *b, wgc_node_kind kind)
{
	if (b->depth == DEPTH_MAX)
		return;
	wgc_node *node = add(b, kind);
	b->open[b->depth++] = node;
}

/* SPEC.md does not say whether an array that cannot hold text is a container
 * that is too deep: there is none. Nor what is left of a root that is dropped. */
static void
add_odd(builder *b, bool ints)
{
	if (ints && b->depth < b->max_depth)
		add(b, WGC_NODE_INTS);
	else if (!ints && b->depth > 0 && b->max_depth > 0)
		add(b, WGC_NODE_OTHER);
	else
		add(b, WGC_NODE_WORD);
}

static void
add_known(wgc_node *node, uint32_t c)
{
	bool hit = c < WGC_BENIGN;
	wgc_text known = wgc_known_text(c - (hit ? WGC_HIT : WGC_BENIGN), hit ? "hit" : "benign");
	if (node->text.len > 0)
		wgc_push(&node->text, '\n');
	wgc_push_all(&node->text, &known);
	wgc_push(&node->text, '\n');
	node->ordered |= hit;
	wgc_text_clear(&known);
}

static void
add_content(builder *b, uint32_t c)
{
	if (b->naming) {
		if (c < WGC_CLOSE || c == WGC_LONE)
			wgc_push(&b->name, c == WGC_LONE ? 0xDC00 : c);
		return;
	}
	if (b->string == NULL)
		return; /* content of nothing: shrinking cut out what it was of */
	if (c >= WGC_HIT && c < WGC_LONG)
		add_known(b->string, c);
	else if (c == WGC_LONG)
		for (int i = 0; i < 1990; i++)
			wgc_push(&b->string->text, 'b');
	else if (c < WGC_CLOSE || c == WGC_LONE)
		wgc_push(&b->string->text, c == WGC_LONE ? 0xDC00 : c);
}

static void
add_bad(builder *b)
{
	wgc_node *node = add(b, WGC_NODE_STRING);
	if (b->extra != NULL)
		node->text = copied(b->extra);
}

static void
step(builder *b, uint32_t c)
{
	switch (c) {
	case WGC_CLOSE:
		b->depth -= b->depth > 0;
		b->string = NULL;
		b->naming = false;
		break;
	case WGC_ARRAY: open_container(b, WGC_NODE_ARRAY); break;
	case WGC_OBJECT: open_container(b, WGC_NODE_OBJECT); break;
	case WGC_STRING: b->string = add(b, WGC_NODE_STRING); break;
	case WGC_NAME: b->naming = true; b->string = NULL; b->name.len = 0; break;
	case WGC_INTS: add_odd(b, true); break;
	case WGC_OTHER: add_odd(b, false); break;
	case WGC_BAD: add_bad(b); break;
	default:
		if (c >= WGC_WORD && c < WGC_WORD + WGC_WORDS)
			add(b, WGC_NODE_WORD)->word = words[c - WGC_WORD];
		else
			add_content(b, c);
	}
}

wgc_node *
wgc_tree_read(const wgc_text *script, const wgc_text *extra, size_t max_depth)
{
	builder *b = wgc_alloc(sizeof(*b));
	b->extra = extra;
	b->max_depth = max_depth;
	for (size_t i = 0; i < script->len; i++) {
		bool builds = script->at[i] >= WGC_CLOSE && script->at[i] < WGC_HIT &&
		              script->at[i] != WGC_LONE;
		if (b->root != NULL && b->depth == 0 && builds)
			break;
		step(b, script->at[i]);
	}
	if (b->root == NULL)
		add(b, WGC_NODE_WORD);
	wgc_node *root = b->root;
	wgc_text_clear(&b->name);
	free(b);
	return root;
}

void
wgc_tree_clear(wgc_node *root)
{
	while (root != NULL) {
		wgc_node *next = root->next;
		wgc_tree_clear(root->child);
		wgc_text_clear(&root->name);
		wgc_text_clear(&root->text);
		wgc_text_clear(&root->new_name);
		wgc_text_clear(&root->new_text);
		free(root);
		root = next;
	}
}

/* --- Paths (S10) --- */

static bool
is_plain_name(const wgc_text *name)
{
	bool plain = name->len > 0;
	for (size_t i = 0; i < name->len && plain; i++) {
		uint32_t c = name->at[i];
		plain = c < 0x80 && (c == '_' || c == '-' || (c >= '0' && c <= '9') ||
		                     (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
	}
	return plain;
}

static void
push_unicode_escape(wgc_text *out, uint32_t c, bool upper)
{
	char text[16];
	const char *form = upper ? "\\u%04X" : "\\u%04x";
	if (c >= 0x10000) {
		snprintf(text, sizeof(text), form, 0xD800 + ((c - 0x10000) >> 10));
		wgc_push_ascii(out, text);
		c = 0xDC00 + ((c - 0x10000) & 0x3FF);
	}
	snprintf(text, sizeof(text), form, c);
	wgc_push_ascii(out, text);
}

/* The short escape of a character, or 0. */
static char
short_escape(uint32_t c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = c == 0 || c > 0x7F ? NULL : strchr(from, (int)c);
	return at == NULL ? '\0' : to[at - from];
}

/* A string of RFC 8785, its quotes included; in a path also what is hidden. */
static void
push_quoted(wgc_text *out, const wgc_text *text, bool in_path)
{
	const wgc_set *hidden = wgc_set_named("fence_ignorable");
	wgc_push(out, '"');
	for (size_t i = 0; i < text->len; i++) {
		uint32_t c = text->at[i];
		if (in_path && wgc_set_has(hidden, c)) {
			push_unicode_escape(out, c, false);
		} else if (short_escape(c) != '\0') {
			wgc_push(out, '\\');
			wgc_push(out, (unsigned char)short_escape(c));
		} else if (c < 0x20) {
			push_unicode_escape(out, c, false);
		} else {
			wgc_push(out, c);
		}
	}
	wgc_push(out, '"');
}

/* A lone surrogate as U+FFFD. */
static wgc_text
well_formed(const wgc_text *text)
{
	if (text->form != WGC_SCALARS)
		return wgc_decode(text);
	wgc_text out = { .form = WGC_SCALARS };
	for (size_t i = 0; i < text->len; i++)
		wgc_push(&out, text->at[i] == 0xDC00 ? 0xFFFD : text->at[i]);
	return out;
}

static wgc_text
stripped_name(const wgc_node *node, bool hardened)
{
	wgc_text formed = well_formed(&node->name);
	wgc_text out = wgc_stripped(&formed, hardened);
	wgc_text_clear(&formed);
	return out;
}

static wgc_text
path_to(const wgc_text *above, const wgc_node *parent, const wgc_node *node, size_t i,
        bool hardened)
{
	wgc_text path = copied(above);
	char index[24];
	if (parent->kind == WGC_NODE_ARRAY) {
		snprintf(index, sizeof(index), "[%zu]", i);
		wgc_push_ascii(&path, index);
		return path;
	}
	wgc_text name = stripped_name(node, hardened);
	if (is_plain_name(&name)) {
		if (path.len > 0)
			wgc_push(&path, '.');
		wgc_push_all(&path, &name);
	} else {
		wgc_push(&path, '[');
		push_quoted(&path, &name, true);
		wgc_push(&path, ']');
	}
	wgc_text_clear(&name);
	return path;
}

static void
note(wgc_tree_report *report, const wgc_text *path, const char *kind)
{
	if (report->leaves == sizeof(report->leaf) / sizeof(report->leaf[0]))
		return;
	report->leaf[report->leaves].path = copied(path);
	report->leaf[report->leaves++].kind = kind;
}

void
wgc_tree_report_clear(wgc_tree_report *report)
{
	for (size_t i = 0; i < report->leaves; i++)
		wgc_text_clear(&report->leaf[i].path);
	report->leaves = 0;
}

/* --- The walk: `inside` containers, at `path` --- */

typedef struct walk {
	const wgc_setup *setup;
	size_t limit;
	bool hardened;
	wgc_tree_report *report;
	void (*visit)(struct walk *w, wgc_node *node, size_t inside, const wgc_text *path);
} walk;

static void
go_inside(walk *w, wgc_node *node, size_t inside, const wgc_text *path)
{
	size_t i = 0;
	for (wgc_node *n = node->child; n != NULL; n = n->next, i++) {
		wgc_text here = path_to(path, node, n, i, w->hardened);
		w->visit(w, n, inside + 1, &here);
		wgc_text_clear(&here);
	}
}

static bool
is_container(const wgc_node *node)
{
	return node->kind == WGC_NODE_ARRAY || node->kind == WGC_NODE_OBJECT;
}

static void
walk_tree(walk *w, wgc_node *root)
{
	wgc_text path = { .form = WGC_SCALARS };
	w->hardened = strcmp(w->setup->profile, "hardened") == 0;
	w->visit(w, root, 0, &path);
	wgc_text_clear(&path);
}

/* --- S6, S9 --- */

static void
drop(walk *w, wgc_node *node, const wgc_text *path)
{
	node->dropped = true;
	w->report->dropped++;
	note(w->report, path, "dropped");
}

static void
sanitize_string(walk *w, wgc_node *node, const wgc_text *path)
{
	const char *unit = w->setup->choices[WGC_LENGTH_UNIT];
	wgc_text formed = well_formed(&node->text);
	bool truncated;
	node->new_text = wgc_sanitized(&formed, w->hardened, unit == NULL ? "codepoint" : unit,
	                               w->limit, &truncated);
	node->judged = true;
	if (truncated) {
		w->report->truncated++;
		note(w->report, path, "truncated");
	}
	wgc_text_clear(&formed);
}

static void
sanitize_node(walk *w, wgc_node *node, size_t inside, const wgc_text *path)
{
	node->new_name = w->hardened ? stripped_name(node, true) : well_formed(&node->name);
	node->renamed = true;
	if (node->kind == WGC_NODE_OTHER || (is_container(node) && inside >= w->setup->max_depth))
		drop(w, node, path);
	else if (node->kind == WGC_NODE_STRING)
		sanitize_string(w, node, path);
	else
		go_inside(w, node, inside, path);
}

void
wgc_tree_sanitize(wgc_node *root, const wgc_setup *setup, size_t limit,
                  wgc_tree_report *report)
{
	walk w = { .setup = setup, .limit = limit, .report = report, .visit = sanitize_node };
	walk_tree(&w, root);
}

/* --- M7 --- */

static void
moderate_string(walk *w, wgc_node *node, const wgc_text *path)
{
	bool truncated, keep = wgc_setup_is(w->setup, WGC_OUTPUT_TAGS, "keep") && !w->hardened;
	wgc_text formed = well_formed(&node->text);
	wgc_text stripped = wgc_output_stripped(&formed, keep);
	node->new_text = wgc_delivered(&stripped, node->ordered, &truncated);
	node->judged = true;
	if (node->ordered)
		note(w->report, path, "suspicious");
	if (truncated)
		note(w->report, path, "truncated");
	w->report->flagged |= node->ordered;
	w->report->truncated += truncated;
	wgc_text_clear(&formed);
	wgc_text_clear(&stripped);
}

static void
moderate_node(walk *w, wgc_node *node, size_t inside, const wgc_text *path)
{
	if (inside == M_DEPTH && (is_container(node) || node->kind == WGC_NODE_STRING))
		note(w->report, path, "too_deep");
	else if (node->kind == WGC_NODE_STRING)
		moderate_string(w, node, path);
	else
		go_inside(w, node, inside, path);
}

void
wgc_tree_moderate(wgc_node *root, const wgc_setup *setup, wgc_tree_report *report)
{
	walk w = { .setup = setup, .report = report, .visit = moderate_node };
	walk_tree(&w, root);
}

/* --- As a value --- */

static cJSON *
value_of_kind(const char *t, cJSON *v)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "t", t);
	if (v != NULL)
		cJSON_AddItemToObject(json, "v", v);
	return json;
}

static cJSON *
text_value(const wgc_text *text)
{
	wgc_text formed = text->form == WGC_SCALARS ? well_formed(text) : copied(text);
	cJSON *json = wgc_wire(&formed);
	wgc_text_clear(&formed);
	return json;
}

static cJSON *
word_value(const char *word)
{
	if (strcmp(word, "null") == 0)
		return value_of_kind("null", NULL);
	if (word[0] == 't' || word[0] == 'f')
		return value_of_kind("bool", cJSON_CreateBool(word[0] == 't'));
	return value_of_kind("num", cJSON_CreateString(word));
}

static cJSON *
ints_value(void)
{
	cJSON *list = cJSON_CreateArray();
	for (int i = 0; i < INTS; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber(i * 7 - 7));
	return value_of_kind("ints", list);
}

static bool
is_left_out(const wgc_node *node, bool after, bool absent)
{
	return after && absent && node->dropped;
}

static cJSON *
items_value(const wgc_node *node, bool after, bool absent)
{
	cJSON *list = cJSON_CreateArray();
	for (const wgc_node *n = node->child; n != NULL; n = n->next) {
		if (is_left_out(n, after, absent))
			continue;
		cJSON *item = wgc_tree_value(n, after, absent);
		if (node->kind == WGC_NODE_OBJECT) {
			cJSON *pair = cJSON_CreateArray();
			bool renamed = after && n->renamed;
			cJSON_AddItemToArray(pair, text_value(renamed ? &n->new_name : &n->name));
			cJSON_AddItemToArray(pair, item);
			item = pair;
		}
		cJSON_AddItemToArray(list, item);
	}
	return list;
}

/* Three or more arrays with nothing else in them travel as a nest. */
static size_t
nested(const wgc_node *node)
{
	size_t n = 0;
	while (node->kind == WGC_NODE_ARRAY && node->size == 1 && !node->dropped) {
		node = node->child;
		n++;
	}
	return n;
}

static cJSON *
nest_value(const wgc_node *node, size_t n, bool after, bool absent)
{
	cJSON *json = cJSON_CreateObject();
	for (size_t i = 0; i < n; i++)
		node = node->child;
	cJSON_AddStringToObject(json, "t", "nest");
	cJSON_AddNumberToObject(json, "n", (double)n);
	cJSON_AddStringToObject(json, "k", "arr");
	cJSON_AddItemToObject(json, "v", wgc_tree_value(node, after, absent));
	return json;
}

cJSON *
wgc_tree_value(const wgc_node *root, bool after, bool absent)
{
	size_t nest = nested(root);
	if (after && root->dropped)
		return value_of_kind("null", NULL);
	if (nest >= 3 && !after)
		return nest_value(root, nest, after, absent);
	switch (root->kind) {
	case WGC_NODE_STRING:
		return value_of_kind("str", text_value(after && root->judged ? &root->new_text
		                                                             : &root->text));
	case WGC_NODE_WORD: return word_value(root->word);
	case WGC_NODE_INTS: return ints_value();
	case WGC_NODE_OTHER: return value_of_kind("other", NULL);
	case WGC_NODE_ARRAY: return value_of_kind("arr", items_value(root, after, absent));
	case WGC_NODE_OBJECT: return value_of_kind("obj", items_value(root, after, absent));
	}
	return NULL;
}

/* --- As a document --- */

typedef struct writer {
	wgc_text out;
	uint32_t state; /* 0: plain */
} writer;

/* Something below n; 0 in plain style. Before and after make the same choices. */
static uint32_t
whim(writer *w, uint32_t n)
{
	if (w->state == 0)
		return 0;
	w->state = w->state * 1664525u + 1013904223u;
	w->state |= w->state == 0;
	return (w->state >> 16) % n;
}

static void
write_space(writer *w)
{
	static const char *const spaces[] = { "", "", "", "", " ", "\n", "\t ", "\r\n" };
	wgc_push_ascii(&w->out, spaces[whim(w, 8)]);
}

/* As somebody wrote it: escapes that need not be, and in capitals. */
static void
write_character(writer *w, uint32_t c)
{
	uint32_t how = whim(w, 8);
	bool must = c < 0x20 || c == '"' || c == '\\' || (c >= 0xD800 && c < 0xE000);
	if (how < 5 && !must) {
		wgc_push(&w->out, c);
	} else if (how < 5 && short_escape(c) != '\0') {
		wgc_push(&w->out, '\\');
		wgc_push(&w->out, (unsigned char)short_escape(c));
	} else if (how == 5 && c == '/') {
		wgc_push_ascii(&w->out, "\\/");
	} else {
		push_unicode_escape(&w->out, c, how % 2 == 1);
	}
}

/* S6.3: unchanged with its escapes, changed with those of RFC 8785. The whims
 * are spent either way. */
static void
write_string(writer *w, const wgc_text *old, const wgc_text *new)
{
	wgc_text as_it_was = { .form = WGC_SCALARS };
	writer mine = { as_it_was, w->state };
	wgc_push(&mine.out, '"');
	for (size_t i = 0; i < old->len; i++)
		write_character(&mine, old->at[i]);
	wgc_push(&mine.out, '"');
	w->state = mine.state;
	if (new == NULL || wgc_text_same(old, new))
		wgc_push_all(&w->out, &mine.out);
	else
		push_quoted(&w->out, new, false);
	wgc_text_clear(&mine.out);
}

static void write_node(writer *w, wgc_node *node, bool after);

static void
write_items(writer *w, wgc_node *node, bool after)
{
	bool object = node->kind == WGC_NODE_OBJECT;
	wgc_push(&w->out, object ? '{' : '[');
	write_space(w);
	for (wgc_node *n = node->child; n != NULL; n = n->next) {
		if (object) {
			write_string(w, &n->name, after && n->renamed ? &n->new_name : NULL);
			write_space(w);
			wgc_push(&w->out, ':');
			write_space(w);
		}
		write_node(w, n, after);
		write_space(w);
		if (n->next != NULL) {
			wgc_push(&w->out, ',');
			write_space(w);
		}
	}
	wgc_push(&w->out, object ? '}' : ']');
}

static void
write_node(writer *w, wgc_node *node, bool after)
{
	node->from = w->out.len;
	if (node->kind == WGC_NODE_STRING)
		write_string(w, &node->text, after && node->judged ? &node->new_text : NULL);
	else if (node->kind == WGC_NODE_INTS)
		wgc_push_ascii(&w->out, "[1, 2,3]");
	else if (is_container(node))
		write_items(w, node, after);
	else
		wgc_push_ascii(&w->out, node->word);
	if (after && node->dropped) {
		w->out.len = node->from;
		wgc_push_ascii(&w->out, "null");
	}
	node->to = w->out.len;
}

wgc_text
wgc_tree_document(wgc_node *root, bool after, uint32_t style)
{
	writer w = { { .form = WGC_SCALARS }, style };
	write_space(&w);
	write_node(&w, root, after);
	write_space(&w);
	return w.out;
}

/* --- Ways through a document (F7) --- */

static bool
is_key(const wgc_text *name)
{
	bool key = name->len > 0;
	for (size_t i = 0; i < name->len && key; i++) {
		uint32_t c = name->at[i];
		key = c > 0x20 && c != 0x7F && (c > 0x7F || strchr(".[]{}\"\\", (int)c) == NULL);
	}
	return key;
}

static void
push_step(wgc_text *path, const wgc_node *parent, const wgc_node *node, size_t i)
{
	char index[24];
	if (parent->kind == WGC_NODE_ARRAY) {
		snprintf(index, sizeof(index), "[%zu]", i);
		wgc_push_ascii(path, index);
	} else if (is_key(&node->name)) {
		wgc_push(path, '.');
		wgc_push_all(path, &node->name);
	} else {
		wgc_push(path, '[');
		push_quoted(path, &node->name, false);
		wgc_push(path, ']');
	}
}

static size_t
count(const wgc_node *node)
{
	size_t n = 1;
	for (const wgc_node *c = node->child; c != NULL; c = c->next)
		n += count(c);
	return n;
}

const wgc_node *
wgc_tree_nth(const wgc_node *root, size_t n, wgc_text *path)
{
	const wgc_node *node = root;
	*path = (wgc_text){ .form = WGC_SCALARS };
	for (n %= count(root); n > 0;) {
		const wgc_node *child = node->child;
		size_t i = 0;
		for (n--; n >= count(child); child = child->next, i++)
			n -= count(child);
		push_step(path, node, child, i);
		node = child;
	}
	return node;
}
