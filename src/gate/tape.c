/* tape.c - documents as records, and their canonical form. */
#include "tape.h"

#include "number.h"

#include <string.h>

void *
wkg__take(wkg_work *work, size_t size)
{
	uint8_t *p = work->ptr;
	size_t past = (uintptr_t)p % WKG__ALIGNMENT;
	size_t skip = past == 0 ? 0 : WKG__ALIGNMENT - past;
	if (p == NULL || skip > work->size || size > work->size - skip)
		return NULL;
	work->ptr = p + skip + size;
	work->size -= skip + size;
	return p + skip;
}

/* In a whole document a value takes at least a byte and a comma or a bracket. */
static size_t
most_nodes(size_t n)
{
	return n / 2 + 1;
}

size_t
wkg__tape_size(size_t n)
{
	size_t nodes = wkg__multiply(most_nodes(n), sizeof(wkg__node));
	size_t size = wkg__add(nodes, wkg_json_work_size(n, 0));
	return wkg__add(size, 2 * WKG__ALIGNMENT);
}

/* ---- order of members --------------------------------------------------- */

/* RFC 8785 section 3.2.3 sorts names by UTF-16 code unit. That is the order of
 * code points, except that the surrogates of astral characters come before
 * U+E000..U+FFFF. */
static uint32_t
utf16_rank(uint32_t code)
{
	if (code < 0xD800)
		return code;
	return code > 0xFFFF ? code : code + 0x110000;
}

static bool
name_before(const wkg__tape *t, uint32_t a, uint32_t b)
{
	size_t x = t->nodes[a].name + 1u, y = t->nodes[b].name + 1u;
	for (;;) {
		wkg_char p = wkg_json_char(t->doc, x), q = wkg_json_char(t->doc, y);
		if (p.len == 0 || q.len == 0)
			return p.len == 0; /* a prefix comes first */
		if (p.code != q.code)
			return utf16_rank(p.code) < utf16_rank(q.code);
		x += p.len;
		y += q.len;
	}
}

/* Take `count` members off a list that is sorted in runs of that length. */
static uint32_t
split(wkg__tape *t, uint32_t list, size_t count)
{
	for (; list != 0 && count > 1; count--)
		list = t->nodes[list].next;
	if (list == 0)
		return 0;
	uint32_t rest = t->nodes[list].next;
	t->nodes[list].next = 0;
	return rest;
}

/* Merge two sorted lists behind `tail`; the new tail. */
static uint32_t *
merge(wkg__tape *t, uint32_t *tail, uint32_t a, uint32_t b)
{
	while (a != 0 || b != 0) {
		bool take_a = b == 0 || (a != 0 && name_before(t, a, b));
		uint32_t taken = take_a ? a : b;
		*tail = taken;
		tail = &t->nodes[taken].next;
		if (take_a)
			a = *tail;
		else
			b = *tail;
		*tail = 0;
	}
	return tail;
}

/* A merge sort over the links, from the bottom up: no memory, no recursion, and
 * each comparison reads no more than the name it moves. */
static void
sort_members(wkg__tape *t, uint32_t object, size_t count)
{
	for (size_t run = 1; run < count; run *= 2) {
		uint32_t rest = t->nodes[object].first, *tail = &t->nodes[object].first;
		while (rest != 0) {
			uint32_t a = rest, b = split(t, a, run);
			rest = split(t, b, run);
			tail = merge(t, tail, a, b);
		}
	}
}

/* ---- reading ------------------------------------------------------------ */

typedef struct reading {
	wkg__tape *tape;
	wkg_json_reader reader;
	uint32_t parent; /* the open container */
	uint32_t last;   /* its last child so far */
	uint32_t name;   /* waiting for its value */
} reading;

static wkg_status
add(reading *r, const wkg_json_token *token)
{
	wkg__tape *t = r->tape;
	uint32_t index = (uint32_t)t->count;
	if (t->count == most_nodes(t->doc.len)) { /* "[[[": it is not whole */
		t->error = (wkg_json_error){ .at = t->doc.len, .what = "unexpected end of document" };
		return WKG_E_SYNTAX;
	}
	wkg__node node = {
		.kind = token->kind, .from = (uint32_t)token->from,
		.to = (uint32_t)token->to, .name = r->name,
		.parent = r->parent, .depth = (uint32_t)token->depth,
	};
	t->nodes[t->count++] = node;
	if (r->last != 0)
		t->nodes[r->last].next = index;
	else if (index != 0)
		t->nodes[r->parent].first = index;
	r->last = index;
	r->name = 0;
	return WKG_OK;
}

static void
close_container(reading *r, const wkg_json_token *token)
{
	wkg__tape *t = r->tape;
	uint32_t closed = r->parent;
	size_t members = 0;
	t->nodes[closed].to = (uint32_t)token->to;
	for (uint32_t i = t->nodes[closed].first; i != 0; i = t->nodes[i].next)
		members++;
	if (t->nodes[closed].kind == WKG_JSON_OBJECT_BEGIN)
		sort_members(t, closed, members);
	r->parent = t->nodes[closed].parent;
	r->last = closed;
}

/* RFC 7493: half a surrogate pair is refused where text is to be signed. */
static wkg_status
check_string(reading *r, const wkg_json_token *token)
{
	for (size_t at = token->from + 1;;) {
		wkg_char c = wkg_json_char(r->tape->doc, at);
		if (c.len == 0)
			return WKG_OK;
		if (c.ill_formed) {
			r->tape->error.at = at;
			r->tape->error.what = "surrogate escape without its partner";
			return WKG_E_ENCODING;
		}
		at += c.len;
	}
}

static wkg_status
take_token(reading *r, const wkg_json_token *token)
{
	switch (token->kind) {
	case WKG_JSON_NAME:
		r->name = (uint32_t)token->from;
		return check_string(r, token);
	case WKG_JSON_OBJECT_END:
	case WKG_JSON_ARRAY_END:
		close_container(r, token);
		return WKG_OK;
	case WKG_JSON_STRING:
		WKG_TRY(check_string(r, token));
		return add(r, token);
	case WKG_JSON_OBJECT_BEGIN:
	case WKG_JSON_ARRAY_BEGIN:
		WKG_TRY(add(r, token));
		r->parent = r->last;
		r->last = 0;
		return WKG_OK;
	default:
		return add(r, token);
	}
}

static wkg_status
read_all(reading *r)
{
	wkg_json_token token;
	for (;;) {
		wkg_status status = wkg_json_next(&r->reader, &token);
		if (status != WKG_OK) {
			r->tape->error = r->reader.error;
			return status;
		}
		if (token.kind == WKG_JSON_DONE)
			return WKG_OK;
		WKG_TRY(take_token(r, &token));
	}
}

wkg_status
wkg__tape_read(wkg__tape *tape, wkg_span doc, wkg_work *work)
{
	static const wkg_json_error none = { 0, 0, "" };
	tape->doc = doc;
	tape->count = 0;
	tape->error = none;
	if (doc.len > WKG_JSON_LENGTH_MAX)
		return WKG_E_SPACE;
	tape->nodes = wkg__take(work, most_nodes(doc.len) * sizeof *tape->nodes);
	if (tape->nodes == NULL)
		return WKG_E_SPACE;

	reading r = { .tape = tape };
	wkg_work rest = *work; /* the reader's memory is free again after this */
	WKG_TRY(wkg_json_open(&r.reader, doc, WKG_JSON_NAMES_EXACT, 0, rest));
	return read_all(&r);
}

/* ---- looking things up -------------------------------------------------- */

static bool
string_is(wkg_span doc, size_t quote, const char *text)
{
	size_t at = quote + 1;
	for (;; text++) {
		wkg_char c = wkg_json_char(doc, at);
		if (c.len == 0 || *text == '\0')
			return c.len == 0 && *text == '\0';
		if (c.code != (uint8_t)*text)
			return false;
		at += c.len;
	}
}

bool
wkg__tape_named(const wkg__tape *t, uint32_t member, const char *name)
{
	return string_is(t->doc, t->nodes[member].name, name);
}

bool
wkg__tape_equals(const wkg__tape *t, uint32_t node, const char *text)
{
	return t->nodes[node].kind == WKG_JSON_STRING &&
	       string_is(t->doc, t->nodes[node].from, text);
}

uint32_t
wkg__tape_member(const wkg__tape *t, uint32_t object, const char *name)
{
	if (t->nodes[object].kind != WKG_JSON_OBJECT_BEGIN)
		return 0;
	uint32_t i = t->nodes[object].first;
	while (i != 0 && !wkg__tape_named(t, i, name))
		i = t->nodes[i].next;
	return i;
}

wkg_status
wkg__tape_text(wkg_buf *out, const wkg__tape *t, uint32_t node)
{
	for (size_t at = t->nodes[node].from + 1u;;) {
		wkg_char c = wkg_json_char(t->doc, at);
		if (c.len == 0)
			return WKG_OK;
		WKG_TRY(wkg__put(out, c.code));
		at += c.len;
	}
}

/* ---- canonical form ----------------------------------------------------- */

static wkg_status
put_byte(wkg_buf *out, char byte)
{
	uint8_t b = (uint8_t)byte;
	return wkg__append(out, &b, 1);
}

static wkg_status
put_string(wkg_buf *out, wkg_span doc, size_t quote)
{
	WKG_TRY(put_byte(out, '"'));
	for (size_t at = quote + 1;;) {
		wkg_char c = wkg_json_char(doc, at);
		if (c.len == 0)
			break;
		WKG_TRY(wkg__json_put(out, c.code));
		at += c.len;
	}
	return put_byte(out, '"');
}

/* A scalar, or the opening bracket of a container. */
static wkg_status
put_begin(wkg_buf *out, const wkg__tape *t, const wkg__node *node, size_t *at)
{
	wkg_span text = { t->doc.ptr + node->from, node->to - node->from };
	switch (node->kind) {
	case WKG_JSON_OBJECT_BEGIN: return put_byte(out, '{');
	case WKG_JSON_ARRAY_BEGIN: return put_byte(out, '[');
	case WKG_JSON_STRING: return put_string(out, t->doc, node->from);
	case WKG_JSON_NUMBER:
		*at = node->from;
		return wkg__number_canonical(out, text);
	default: return wkg__append(out, text.ptr, text.len);
	}
}

static wkg_status
put_end(wkg_buf *out, const wkg__node *node)
{
	if (node->kind == WKG_JSON_OBJECT_BEGIN)
		return put_byte(out, '}');
	if (node->kind == WKG_JSON_ARRAY_BEGIN)
		return put_byte(out, ']');
	return WKG_OK;
}

static wkg_status
put_name(wkg_buf *out, const wkg__tape *t, uint32_t node)
{
	if (t->nodes[t->nodes[node].parent].kind != WKG_JSON_OBJECT_BEGIN)
		return WKG_OK;
	WKG_TRY(put_string(out, t->doc, t->nodes[node].name));
	return put_byte(out, ':');
}

/* Down, along and up the links; no stack. */
wkg_status
wkg__tape_canonical(wkg_buf *out, const wkg__tape *t, uint32_t root, size_t *at)
{
	uint32_t i = root;
	WKG_TRY(put_begin(out, t, &t->nodes[i], at));
	for (;;) {
		uint32_t down = t->nodes[i].first;
		while (down == 0) { /* up, until there is a sibling */
			WKG_TRY(put_end(out, &t->nodes[i]));
			if (i == root)
				return WKG_OK;
			down = t->nodes[i].next;
			if (down != 0)
				WKG_TRY(put_byte(out, ','));
			else
				i = t->nodes[i].parent;
		}
		i = down;
		WKG_TRY(put_name(out, t, i));
		WKG_TRY(put_begin(out, t, &t->nodes[i], at));
	}
}
