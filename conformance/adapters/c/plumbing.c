/* plumbing.c - lines, trees, texts, replies. */
#define _POSIX_C_SOURCE 200809L
#include "plumbing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* --- memory --- */

struct wga_block {
	wga_block *before;
	max_align_t content[];
};

void *
wga_take(wga_arena *arena, size_t size)
{
	wga_block *block = size > SIZE_MAX - sizeof *block ? NULL : calloc(1, sizeof *block + size);
	if (block == NULL) {
		fprintf(stderr, "no memory for %zu bytes\n", size);
		abort();
	}
	block->before = arena->last;
	arena->last = block;
	return block->content;
}

void
wga_drop(wga_arena *arena)
{
	while (arena->last != NULL) {
		wga_block *block = arena->last;
		arena->last = block->before;
		free(block);
	}
}

wkg_work
wga_work(wga_ask *ask, size_t size)
{
	wkg_work work = { wga_take(&ask->arena, size), size };
	return work;
}

wkg_buf
wga_room(wga_ask *ask, size_t size)
{
	wkg_buf room = { wga_take(&ask->arena, size), 0, size };
	return room;
}

/* --- reading --- */

static bool
opens(wkg_json_kind kind)
{
	return kind == WKG_JSON_OBJECT_BEGIN || kind == WKG_JSON_ARRAY_BEGIN;
}

static bool
closes(wkg_json_kind kind)
{
	return kind == WKG_JSON_OBJECT_END || kind == WKG_JSON_ARRAY_END;
}

static void
attach(wga_node *parent, wga_node *node)
{
	node->parent = parent;
	if (parent->last == NULL)
		parent->child = node;
	else
		parent->last->next = node;
	parent->last = node;
}

/* What the next token belongs to, now that a value of `parent` is complete. */
static wga_node *
after_value(wga_node *parent)
{
	return parent->kind == WKG_JSON_NAME ? parent->parent : parent;
}

static bool
build(wga_ask *ask, wkg_json_reader *reader)
{
	wga_node *top = wga_take(&ask->arena, sizeof *top), *parent = top;
	wkg_json_token token;
	for (;;) {
		if (wkg_json_next(reader, &token) != WKG_OK)
			return false;
		if (token.kind == WKG_JSON_DONE)
			break;
		if (closes(token.kind)) {
			parent = after_value(parent->parent);
			continue;
		}
		wga_node *node = wga_take(&ask->arena, sizeof *node);
		*node = (wga_node){ .kind = token.kind, .from = token.from, .to = token.to };
		attach(parent, node);
		parent = opens(token.kind) || token.kind == WKG_JSON_NAME ? node : after_value(parent);
	}
	ask->root = top->child;
	return ask->root->kind == WKG_JSON_OBJECT_BEGIN;
}

bool
wga_read(wga_ask *ask, wkg_span line)
{
	wkg_json_reader reader;
	*ask = (wga_ask){ .line = line };
	uint8_t *copy = wga_take(&ask->arena, line.len);
	memcpy(copy, line.ptr, line.len);
	ask->line.ptr = copy;
	return wkg_json_open(&reader, ask->line, WKG_JSON_NAMES_EXACT, 0,
	                     wga_work(ask, wkg_json_work_size(line.len, 0))) == WKG_OK &&
	       build(ask, &reader);
}

/* --- arguments --- */

bool
wga_same(wkg_span a, const char *b)
{
	return a.len == strlen(b) && memcmp(a.ptr, b, a.len) == 0;
}

/* The names of the protocol have no escapes. */
static bool
is_named(const wga_ask *ask, const wga_node *node, const char *name)
{
	wkg_span inside = { ask->line.ptr + node->from + 1, node->to - node->from - 2 };
	return wga_same(inside, name);
}

const wga_node *
wga_member(const wga_ask *ask, const wga_node *object, const char *name)
{
	if (object == NULL || object->kind != WKG_JSON_OBJECT_BEGIN)
		return NULL;
	for (const wga_node *n = object->child; n != NULL; n = n->next)
		if (is_named(ask, n, name))
			return n->child;
	return NULL;
}

const wga_node *
wga_need(wga_ask *ask, const wga_node *object, const char *name)
{
	const wga_node *found = wga_member(ask, object, name);
	ask->bad |= found == NULL;
	return found;
}

bool
wga_true(const wga_node *node)
{
	return node != NULL && node->kind == WKG_JSON_TRUE;
}

bool
wga_is_null(const wga_node *node)
{
	return node == NULL || node->kind == WKG_JSON_NULL;
}

int64_t
wga_integer(wga_ask *ask, const wga_node *number)
{
	char digits[24] = "";
	if (number == NULL || number->kind != WKG_JSON_NUMBER ||
	    number->to - number->from >= sizeof digits) {
		ask->bad = true;
		return 0;
	}
	memcpy(digits, ask->line.ptr + number->from, number->to - number->from);
	return strtoll(digits, NULL, 10);
}

int64_t
wga_integer_or(wga_ask *ask, const wga_node *object, const char *name, int64_t otherwise)
{
	const wga_node *number = wga_member(ask, object, name);
	return number == NULL ? otherwise : wga_integer(ask, number);
}

/* --- texts --- */

#define TEXT_MAX ((size_t)1 << 28)

static wkg_span
refuse(wga_ask *ask)
{
	wkg_span nothing = WKG_LIT("");
	ask->bad = true;
	return nothing;
}

static wkg_span
unescaped(wga_ask *ask, const wga_node *string)
{
	wkg_buf out = wga_room(ask, string->to - string->from);
	for (size_t at = string->from + 1;;) {
		wkg_char c = wkg_json_char(ask->line, at);
		if (c.len == 0)
			return wkg_buf_span(&out);
		out.len += wkg_utf8_encode(out.ptr + out.len, c.code);
		at += c.len;
	}
}

static int
digit(uint8_t c)
{
	const char *digits = "0123456789abcdef", *found = strchr(digits, c);
	return c == 0 || found == NULL ? -1 : (int)(found - digits);
}

static wkg_span
from_hex(wga_ask *ask, wkg_span hex)
{
	wkg_buf out = wga_room(ask, hex.len / 2);
	for (size_t i = 0; i + 1 < hex.len; i += 2) {
		int high = digit(hex.ptr[i]), low = digit(hex.ptr[i + 1]);
		if (high < 0 || low < 0)
			return refuse(ask);
		out.ptr[out.len++] = (uint8_t)(high << 4 | low);
	}
	return hex.len % 2 == 0 ? wkg_buf_span(&out) : refuse(ask);
}

static wkg_span
repeated(wga_ask *ask, const wga_node *pair)
{
	wkg_span once = wga_text(ask, pair->child);
	int64_t times = wga_integer(ask, pair->child == NULL ? NULL : pair->child->next);
	if (ask->bad || times < 0 || (once.len > 0 && (size_t)times > TEXT_MAX / once.len))
		return refuse(ask);
	wkg_buf out = wga_room(ask, once.len * (size_t)times);
	for (; out.len < out.cap; out.len += once.len)
		memcpy(out.ptr + out.len, once.ptr, once.len);
	return wkg_buf_span(&out);
}

static wkg_span
concatenated(wga_ask *ask, const wga_node *list)
{
	size_t count = 0, size = 0;
	for (const wga_node *n = list->child; n != NULL; n = n->next)
		count++;
	wkg_span *parts = wga_take(&ask->arena, count * sizeof *parts), *part = parts;
	for (const wga_node *n = list->child; n != NULL; n = n->next, part++) {
		*part = wga_text(ask, n);
		size += part->len;
	}
	wkg_buf out = wga_room(ask, size);
	for (size_t i = 0; i < count; i++) {
		memcpy(out.ptr + out.len, parts[i].ptr, parts[i].len);
		out.len += parts[i].len;
	}
	return wkg_buf_span(&out);
}

wkg_span
wga_text(wga_ask *ask, const wga_node *text)
{
	if (text != NULL && text->kind == WKG_JSON_STRING)
		return unescaped(ask, text);
	if (text == NULL || text->kind != WKG_JSON_OBJECT_BEGIN || text->child == NULL)
		return refuse(ask);
	const wga_node *form = text->child, *value = form->child;
	if (is_named(ask, form, "$hex") && value->kind == WKG_JSON_STRING)
		return from_hex(ask, unescaped(ask, value));
	if (is_named(ask, form, "$rep") && value->kind == WKG_JSON_ARRAY_BEGIN)
		return repeated(ask, value);
	if (is_named(ask, form, "$cat") && value->kind == WKG_JSON_ARRAY_BEGIN)
		return concatenated(ask, value);
	return refuse(ask);
}

wkg_span
wga_text_of(wga_ask *ask, const wga_node *object, const char *name)
{
	return wga_text(ask, wga_need(ask, object, name));
}

const char *
wga_string(wga_ask *ask, wga_arena *arena, const wga_node *text)
{
	wkg_span span = wga_text(ask, text);
	char *copy = wga_take(arena, span.len + 1);
	memcpy(copy, span.ptr, span.len);
	ask->bad |= strlen(copy) != span.len;
	return copy;
}

void
wga_key(wga_ask *ask, const wga_node *node, uint8_t key[WKG_KEY_SIZE])
{
	wkg_span hex = wga_text(ask, node), raw = from_hex(ask, hex);
	memset(key, 0, WKG_KEY_SIZE);
	if (raw.len == WKG_KEY_SIZE)
		memcpy(key, raw.ptr, WKG_KEY_SIZE);
	else
		ask->bad = true;
}

/* --- replies --- */

static void
append(wga_ask *ask, const char *bytes, size_t n)
{
	wkg_buf *body = &ask->body;
	if (body->cap - body->len < n) {
		wkg_buf larger = wga_room(ask, 2 * body->cap + n + 256);
		if (body->len > 0)
			memcpy(larger.ptr, body->ptr, body->len);
		larger.len = body->len;
		*body = larger;
	}
	memcpy(body->ptr + body->len, bytes, n);
	body->len += n;
}

void
wga_raw(wga_ask *ask, const char *text)
{
	append(ask, text, strlen(text));
}

void
wga_put_element(wga_ask *ask)
{
	if (ask->body.len > 0 && strchr("{[", ask->body.ptr[ask->body.len - 1]) == NULL)
		wga_raw(ask, ",");
}

void
wga_put_name(wga_ask *ask, const char *name)
{
	wga_put_element(ask);
	wga_raw(ask, "\"");
	wga_raw(ask, name);
	wga_raw(ask, "\":");
}

static void
put_unit(wga_ask *ask, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	const char escape[6] = { '\\', 'u', digits[unit >> 12 & 15], digits[unit >> 8 & 15],
		                 digits[unit >> 4 & 15], digits[unit & 15] };
	append(ask, escape, sizeof escape);
}

static void
put_code(wga_ask *ask, uint32_t code)
{
	if (code >= 0x10000) {
		put_unit(ask, 0xD800 + ((code - 0x10000) >> 10));
		put_unit(ask, 0xDC00 + ((code - 0x10000) & 0x3FF));
	} else if (code < 0x20 || code > 0x7E || code == '"' || code == '\\') {
		put_unit(ask, code);
	} else {
		append(ask, &(char){ (char)code }, 1);
	}
}

static void
put_hex(wga_ask *ask, wkg_span bytes)
{
	wga_raw(ask, "{\"$hex\":\"");
	for (size_t i = 0; i < bytes.len; i++) {
		char two[3];
		snprintf(two, sizeof two, "%02x", bytes.ptr[i]);
		append(ask, two, 2);
	}
	wga_raw(ask, "\"}");
}

void
wga_value_text(wga_ask *ask, wkg_span text)
{
	if (wkg_utf8_first_error(text) < text.len) {
		put_hex(ask, text);
		return;
	}
	wga_raw(ask, "\"");
	for (size_t at = 0; at < text.len;) {
		wkg_char c = wkg_utf8_decode(text, at);
		put_code(ask, c.code);
		at += c.len;
	}
	wga_raw(ask, "\"");
}

void
wga_value_integer(wga_ask *ask, int64_t n)
{
	char digits[24];
	snprintf(digits, sizeof digits, "%lld", (long long)n);
	wga_raw(ask, digits);
}

void
wga_put_text(wga_ask *ask, const char *name, wkg_span text)
{
	wga_put_name(ask, name);
	wga_value_text(ask, text);
}

void
wga_put_string(wga_ask *ask, const char *name, const char *text)
{
	wkg_span span = { (const uint8_t *)text, strlen(text) };
	wga_put_text(ask, name, span);
}

void
wga_put_integer(wga_ask *ask, const char *name, int64_t n)
{
	wga_put_name(ask, name);
	wga_value_integer(ask, n);
}

void
wga_put_bool(wga_ask *ask, const char *name, bool b)
{
	wga_put_name(ask, name);
	wga_raw(ask, b ? "true" : "false");
}

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

void
wga_write_line(wkg_span line)
{
	pthread_mutex_lock(&output);
	fwrite(line.ptr, 1, line.len, stdout);
	fputc('\n', stdout);
	fflush(stdout);
	pthread_mutex_unlock(&output);
}

/* {"id":...,"KIND":{BODY}} */
static void
finish(wga_ask *ask, const char *kind, wkg_span body)
{
	ask->body = (wkg_buf){ NULL, 0, 0 };
	wga_raw(ask, "{");
	wga_put_text(ask, "id", ask->id);
	wga_put_name(ask, kind);
	wga_raw(ask, "{");
	if (body.len > 0)
		append(ask, (const char *)body.ptr, body.len);
	wga_raw(ask, "}}");
	wga_write_line(wkg_buf_span(&ask->body));
}

void
wga_reply(wga_ask *ask, const char *code)
{
	if (code != NULL)
		wga_put_string(ask, "code", code);
	finish(ask, code == NULL ? "ok" : "err", wkg_buf_span(&ask->body));
}

void
wga_skip(wga_ask *ask, const char *reason)
{
	ask->body.len = 0;
	wga_put_string(ask, "reason", reason);
	finish(ask, "skip", wkg_buf_span(&ask->body));
}
