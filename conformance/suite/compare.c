/* compare.c - expected and actual, by the meaning of each member. */
#include "compare.h"
#include "document.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct judge {
	const cJSON *hello;
	const wgc_setup *setup;
	wgc_string *why;
} judge;

bool
wgc_is_no_refusal(const char *code)
{
	static const char *const codes[] = {
		"INTERNAL", "UNSUPPORTED_PROTOCOL", "UNSUPPORTED_OPERATION",
		"UNSUPPORTED_CONFIG", "BAD_ARGUMENT",
	};
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (strcmp(codes[i], code) == 0)
			return true;
	return false;
}

/* --- Saying what differs --- */

static size_t
first_difference(const wgc_text *a, const wgc_text *b)
{
	size_t i = 0;
	while (i < a->len && i < b->len && a->at[i] == b->at[i])
		i++;
	return i;
}

/* From a little before the place where they differ. */
static void
put_excerpt(wgc_string *out, const wgc_text *text, size_t at)
{
	size_t start = at > 20 ? at - 20 : 0;
	wgc_text tail = wgc_text_from(text, start);
	char *chips = wgc_text_chips(&tail, 80);
	wgc_putf(out, "%s'%s'", start > 0 ? "..." : "", chips);
	free(chips);
}

static void
put_texts(wgc_string *out, const char *name, const cJSON *expected,
          const cJSON *got)
{
	wgc_text e, g;
	bool both = wgc_text_read(expected, &e, NULL);
	both &= wgc_text_read(got, &g, NULL);
	size_t at = both ? first_difference(&e, &g) : 0;
	wgc_putf(out, "%s differs at %zu: expected ", name, at);
	put_excerpt(out, &e, at);
	wgc_put(out, ", got ");
	put_excerpt(out, &g, at);
	wgc_text_clear(&e);
	wgc_text_clear(&g);
}

static void
put_short(wgc_string *out, const cJSON *value)
{
	char *text = value == NULL ? wgc_copy("nothing")
	                           : wgc_json_write(value, NULL);
	wgc_put_bytes(out, text, strlen(text) < 160 ? strlen(text) : 160);
	if (strlen(text) > 160)
		wgc_put(out, "...");
	free(text);
}

static void
put_values(wgc_string *out, const char *name, const cJSON *expected,
           const cJSON *got)
{
	wgc_putf(out, "%s: expected ", name);
	put_short(out, expected);
	wgc_put(out, ", got ");
	put_short(out, got);
}

/* --- Values --- */

static bool
is_text(const cJSON *json)
{
	return cJSON_IsString(json) ||
	       (cJSON_IsObject(json) && json->child != NULL &&
	        json->child->next == NULL && json->child->string[0] == '$');
}

/* A value seen through its spellings: `nest` one level at a time, `ints` as a
 * list of numbers. */
typedef struct view {
	const cJSON *json;
	const char *type;
	long long left; /* levels of a nest */
} view;

static view
view_of(const cJSON *json)
{
	view v = { json, wgc_json_string(json, "t"), 0 };
	while (v.type != NULL && strcmp(v.type, "nest") == 0) {
		wgc_json_integer(wgc_json_get(v.json, "n"), &v.left);
		if (v.left > 0) {
			v.type = wgc_json_string(v.json, "k");
			return v;
		}
		v.json = wgc_json_get(v.json, "v");
		v.type = wgc_json_string(v.json, "t");
	}
	if (v.type != NULL && strcmp(v.type, "ints") == 0)
		v.type = "arr";
	if (v.type == NULL)
		v.type = "";
	return v;
}

static view
inside(view v)
{
	if (--v.left > 0)
		return v;
	return view_of(wgc_json_get(v.json, "v"));
}

static bool same_view(view a, view b, const wgc_setup *setup);

static size_t
view_size(view v)
{
	return v.left > 0 ? 1
	                  : (size_t)cJSON_GetArraySize(wgc_json_get(v.json, "v"));
}

/* Element `item` of v, which is an arr (or ints), an obj, or a nest. */
static view
view_item(view v, const cJSON *item)
{
	if (v.left > 0)
		return inside(v);
	if (cJSON_IsNumber(item))
		return (view){ item, "int", 0 };
	if (strcmp(v.type, "obj") == 0)
		return view_of(item->child == NULL ? NULL : item->child->next);
	return view_of(item);
}

static const cJSON *
first_item(view v)
{
	const cJSON *list = v.left > 0 ? NULL : wgc_json_get(v.json, "v");
	return list == NULL ? NULL : list->child;
}

static bool
name_is(view v, const cJSON *item, const cJSON *other)
{
	static cJSON k = { .type = cJSON_String, .valuestring = (char *)"k" };
	const cJSON *name = v.left > 0 ? &k : item->child;
	return wgc_text_json_same(name, other);
}

static bool
same_items(view a, view b, const wgc_setup *setup)
{
	static cJSON k = { .type = cJSON_String, .valuestring = (char *)"k" };
	const cJSON *left = first_item(a), *right = first_item(b);
	size_t n = view_size(a);
	if (n != view_size(b))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(a.type, "obj") == 0 &&
		    !name_is(a, left, b.left > 0 ? &k : right->child))
			return false;
		if (!same_view(view_item(a, left), view_item(b, right), setup))
			return false;
		left = left == NULL ? NULL : left->next;
		right = right == NULL ? NULL : right->next;
	}
	return true;
}

static bool
number_text(view v, char text[32], const char **at)
{
	if (strcmp(v.type, "int") == 0) {
		snprintf(text, 32, "%.0f", v.json->valuedouble);
		*at = text;
		return true;
	}
	*at = wgc_json_string(v.json, "v");
	return strcmp(v.type, "num") == 0 && *at != NULL;
}

static bool
same_number(view a, view b, const wgc_setup *setup)
{
	char left[32], right[32];
	const char *l, *r;
	if (!number_text(a, left, &l) || !number_text(b, right, &r))
		return false;
	if (strcmp(l, r) == 0)
		return true;
	/* The same double has many spellings. */
	double x = strtod(l, NULL), y = strtod(r, NULL);
	return wgc_setup_is(setup, WGC_NUMBERS, "double") && !(x < y) && !(x > y);
}

static bool
same_view(view a, view b, const wgc_setup *setup)
{
	if (strcmp(a.type, "num") == 0 || strcmp(a.type, "int") == 0)
		return same_number(a, b, setup);
	if (strcmp(a.type, b.type) != 0)
		return false;
	if (strcmp(a.type, "arr") == 0 || strcmp(a.type, "obj") == 0)
		return same_items(a, b, setup);
	if (strcmp(a.type, "str") == 0)
		return wgc_text_json_same(wgc_json_get(a.json, "v"),
		                          wgc_json_get(b.json, "v"));
	return wgc_json_equal(wgc_json_get(a.json, "v"), wgc_json_get(b.json, "v"));
}

bool
wgc_value_same(const cJSON *a, const cJSON *b, const wgc_setup *setup)
{
	return same_view(view_of(a), view_of(b), setup);
}

/* --- Members --- */

typedef bool member_check(const judge *j, const cJSON *expected,
                          const cJSON *got);

static bool
same_leaves(const judge *j, const cJSON *expected, const cJSON *got)
{
	bool paths = wgc_has_feature(j->hello, "paths");
	const cJSON *e = expected->child, *g = got->child;
	for (; e != NULL && g != NULL; e = e->next, g = g->next)
		if (!wgc_json_equal(wgc_json_get(e, "kind"), wgc_json_get(g, "kind")) ||
		    (paths && !wgc_text_json_same(wgc_json_get(e, "path"),
		                                  wgc_json_get(g, "path"))))
			return false;
	return e == NULL && g == NULL;
}

static bool
same_value(const judge *j, const cJSON *expected, const cJSON *got)
{
	return wgc_value_same(expected, got, j->setup);
}

/* --- Documents: JSON that may be written in many ways --- */

static bool
is_whole_number(const wgc_text *text)
{
	for (size_t i = text->at[0] == '-'; i < text->len; i++)
		if (text->at[i] < '0' || text->at[i] > '9')
			return false;
	return true;
}

/* 9007199254740993 is not 9007199254740992, although both are the same double;
 * 350 and 3.5e2 are. */
static bool
same_doc_number(const wgc_text *a, const wgc_text *b)
{
	if (is_whole_number(a) && is_whole_number(b))
		return wgc_text_same(a, b);
	char *left = wgc_text_chips(a, a->len), *right = wgc_text_chips(b, b->len);
	double x = strtod(left, NULL), y = strtod(right, NULL);
	free(left);
	free(right);
	return !(x < y) && !(x > y);
}

static bool same_doc(const wgc_doc *a, const wgc_doc *b);

static bool
same_members(const wgc_doc *a, const wgc_doc *b)
{
	for (size_t i = 0; i < a->n; i++) {
		size_t k = 0;
		while (k < b->n && !wgc_text_same(&a->child[i].name, &b->child[k].name))
			k++;
		if (k == b->n || !same_doc(&a->child[i], &b->child[k]))
			return false;
	}
	return true;
}

/* Neither has a name twice. */
static bool
same_doc(const wgc_doc *a, const wgc_doc *b)
{
	if (a->kind != b->kind || a->n != b->n)
		return false;
	if (a->kind == WGC_DOC_NUMBER)
		return same_doc_number(&a->text, &b->text);
	if (a->kind == WGC_DOC_STRING)
		return wgc_text_same(&a->text, &b->text);
	if (a->kind == WGC_DOC_OBJECT)
		return same_members(a, b);
	for (size_t i = 0; i < a->n; i++)
		if (!same_doc(&a->child[i], &b->child[i]))
			return false;
	return true;
}

static bool
read_document(const cJSON *json, wgc_doc *doc)
{
	wgc_text text;
	bool read = wgc_text_read(json, &text, NULL) && text.form == WGC_SCALARS;
	*doc = (wgc_doc){ .kind = WGC_DOC_NULL };
	read = read && wgc_doc_read(&text, doc) && !wgc_doc_is_odd(doc);
	wgc_text_clear(&text);
	return read;
}

static bool
same_document(const judge *j, const cJSON *expected, const cJSON *got)
{
	wgc_doc e, g;
	(void)j;
	bool both = read_document(expected, &e);
	both &= read_document(got, &g);
	bool same = both && same_doc(&e, &g);
	wgc_doc_clear(&e);
	wgc_doc_clear(&g);
	return same;
}

static bool
same_documents(const judge *j, const cJSON *expected, const cJSON *got)
{
	const cJSON *e = expected->child, *g = got->child;
	for (; e != NULL && g != NULL; e = e->next, g = g->next)
		if (!same_document(j, e, g))
			return false;
	return e == NULL && g == NULL;
}

static const struct {
	const char *name, *feature; /* feature: compared only with it */
	member_check *check;        /* NULL: as a text, or as JSON */
} members[] = {
	{ "stripped", "counts", NULL },
	{ "replaced", "counts", NULL },
	{ "patterns", "patterns", NULL },
	{ "stage", "stages", NULL },
	{ "leaves", NULL, same_leaves },
	{ "v", NULL, same_value },
	{ "input", NULL, same_value },
	{ "envelope", NULL, same_document },
	{ "decision", NULL, same_document },
	{ "parameters", NULL, same_documents },
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

static bool
member_meets(const judge *j, const cJSON *expected, const cJSON *got)
{
	const char *name = expected->string;
	size_t i = 0;
	while (i < MEMBERS && strcmp(members[i].name, name) != 0)
		i++;
	if (i < MEMBERS && members[i].feature != NULL &&
	    !wgc_has_feature(j->hello, members[i].feature))
		return true;
	bool same = got != NULL;
	if (same && i < MEMBERS && members[i].check != NULL)
		same = members[i].check(j, expected, got);
	else if (same && is_text(expected))
		same = wgc_text_json_same(expected, got);
	else if (same)
		same = wgc_json_equal(expected, got);
	if (!same && got != NULL && is_text(expected) && is_text(got))
		put_texts(j->why, name, expected, got);
	else if (!same)
		put_values(j->why, name, expected, got);
	return same;
}

static bool
body_meets(const judge *j, const cJSON *expected, const cJSON *got)
{
	for (const cJSON *e = expected->child; e != NULL; e = e->next)
		if (!member_meets(j, e, wgc_json_get(got, e->string)))
			return false;
	return true;
}

static void
put_surprise(wgc_string *why, const cJSON *expect, const wgc_reply *reply)
{
	const char *code = wgc_json_string(wgc_json_get(expect, "err"), "code");
	const char *words = wgc_json_string(reply->body, "why");
	if (words == NULL)
		words = wgc_json_string(reply->body, "code");
	if (words == NULL)
		words = wgc_json_string(reply->body, "reason");
	wgc_putf(why, "expected %s%s, got %s", code != NULL ? "err " : "ok",
	         code != NULL ? code : "", wgc_kind_name(reply->kind));
	if (words != NULL)
		wgc_putf(why, ": %s", words);
	else if (reply->kind == WGC_OK && reply->body != NULL) {
		wgc_put(why, " ");
		put_short(why, reply->body);
	}
}

static bool
refusal_meets(const judge *j, const cJSON *expected, const wgc_reply *reply,
              bool safety)
{
	const char *code = wgc_json_string(reply->body, "code");
	const char *wanted = wgc_json_string(expected, "code");
	if (code == NULL || wanted == NULL)
		return false;
	if (safety && strcmp(code, wanted) != 0 && !wgc_is_no_refusal(code))
		return true;
	return body_meets(j, expected, reply->body);
}

/* X3.3: what a failing handler says must not reach the caller. The handlers of
 * PROTOCOL.md 7 say this. */
bool
wgc_tells_a_secret(const wgc_reply *reply)
{
	const cJSON *message = wgc_json_get(reply->body, "message");
	wgc_text text;
	if (reply->kind != WGC_ERR || message == NULL ||
	    !wgc_text_read(message, &text, NULL))
		return false;
	char *shown = wgc_text_chips(&text, text.len);
	bool found = strstr(shown, "do-not-show") != NULL;
	free(shown);
	wgc_text_clear(&text);
	return found;
}

bool
wgc_reply_meets(const cJSON *expect, const wgc_reply *reply,
                const cJSON *hello, const wgc_setup *setup, bool safety,
                wgc_string *why)
{
	judge j = { hello, setup, why };
	const cJSON *ok = wgc_json_get(expect, "ok");
	const cJSON *err = wgc_json_get(expect, "err");
	bool meets = false;
	if (wgc_tells_a_secret(reply)) {
		wgc_put(why, "the handler's own message reached the caller");
		return false;
	}
	if (ok != NULL && reply->kind == WGC_OK)
		meets = body_meets(&j, ok, reply->body);
	else if (err != NULL && reply->kind == WGC_ERR)
		meets = refusal_meets(&j, err, reply, safety);
	if (!meets && why->len == 0)
		put_surprise(why, expect, reply);
	return meets;
}
