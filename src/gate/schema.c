/* schema.c - does a value have the shape that a table describes? */
#include "schema.h"

#include "number.h"

#include <string.h>

static wkg_status
refuse(wkg_schema_error *error, size_t at, const char *what)
{
	error->at = at;
	error->what = what;
	return WKG_E_INVALID;
}

/* ---- strings ------------------------------------------------------------ */

/* What ECMAScript's trim() takes: WhiteSpace and LineTerminator. */
static bool
is_trimmed(uint32_t c)
{
	return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0xA0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
	       c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

void
wkg__schema_trim(const wkg__tape *t, uint32_t node, size_t *from, size_t *to)
{
	size_t at = t->nodes[node].from + 1u;
	*from = *to = at;
	for (bool leading = true;;) {
		wkg_char c = wkg_json_char(t->doc, at);
		if (c.len == 0)
			return;
		at += c.len;
		if (!is_trimmed(c.code)) {
			*to = at;
			leading = false;
		} else if (leading) {
			*from = *to = at;
		}
	}
}

/* A string as the checks see it: the characters in [at, to). */
typedef struct text {
	wkg_span doc;
	size_t at;
	size_t to;
} text;

static bool
next_char(text *s, uint32_t *code)
{
	if (s->at >= s->to)
		return false;
	wkg_char c = wkg_json_char(s->doc, s->at);
	s->at += c.len;
	*code = c.code;
	return true;
}

static size_t
utf16_length(text s)
{
	size_t length = 0;
	uint32_t code;
	while (next_char(&s, &code))
		length += wkg_utf8_units(code, WKG_UNIT_UTF16);
	return length;
}

/* One item of a pattern: is `code` in it? `end` is set behind the item. Patterns
 * are ASCII; the bytes of anything else are in no text. */
static bool
item_takes(const char *item, uint32_t code, const char **end)
{
	if (*item != '[') {
		*end = item + 1;
		return *item == '.' || (code < 0x80 && code == (uint8_t)*item);
	}
	bool found = false;
	for (item++; *item != ']' && *item != '\0'; item++) {
		uint8_t low = (uint8_t)*item, high = low;
		if (item[1] == '-' && item[2] != ']' && item[2] != '\0') {
			high = (uint8_t)item[2];
			item += 2;
		}
		found = found || (code < 0x80 && code >= low && code <= high);
	}
	*end = *item == ']' ? item + 1 : item;
	return found;
}

/* How often an item may come. */
static const char *
read_count(const char *at, size_t *least, size_t *most)
{
	*least = *most = 1;
	switch (*at) {
	case '*': *least = 0; *most = SIZE_MAX; return at + 1;
	case '+': *most = SIZE_MAX; return at + 1;
	case '?': *least = 0; return at + 1;
	case '{':
		for (*least = 0, at++; *at >= '0' && *at <= '9'; at++)
			*least = *least * 10 + (size_t)(*at - '0');
		*most = *least;
		return *at == '}' ? at + 1 : at;
	}
	return at;
}

/* No backtracking: linear, and a reader can follow it with a finger. */
static bool
matches(text s, const char *pattern)
{
	while (*pattern != '\0') {
		const char *behind;
		size_t least, most, taken = 0;
		(void)item_takes(pattern, 0, &behind);
		const char *next = read_count(behind, &least, &most);
		for (; taken < most; taken++) {
			text ahead = s;
			uint32_t code;
			if (!next_char(&ahead, &code) || !item_takes(pattern, code, &behind))
				break;
			s = ahead;
		}
		if (taken < least)
			return false;
		pattern = next;
	}
	return s.at >= s.to;
}

/* Both are compared as characters: one is escaped, the other UTF-8. */
static bool
text_is(text s, const char *wanted)
{
	wkg_span other = { (const uint8_t *)wanted, strlen(wanted) };
	uint32_t code;
	for (size_t at = 0; at < other.len;) {
		wkg_char c = wkg_utf8_decode(other, at);
		if (c.ill_formed || !next_char(&s, &code) || code != c.code)
			return false;
		at += c.len;
	}
	return s.at >= s.to;
}

static bool
is_one_of(text s, const char *const *list)
{
	for (; *list != NULL; list++)
		if (text_is(s, *list))
			return true;
	return false;
}

static bool
is_accepted(text s, bool (*accepts)(wkg_span))
{
	uint8_t memory[128];
	wkg_buf unescaped = { memory, 0, sizeof memory };
	uint32_t code;
	while (next_char(&s, &code))
		if (wkg__put(&unescaped, code) != WKG_OK)
			return false;
	return accepts(wkg_buf_span(&unescaped));
}

static wkg_status
check_string(const wkg__tape *t, uint32_t node, const wkg_field *f, bool trim,
             wkg_schema_error *error)
{
	size_t at = t->nodes[node].from;
	text s = { t->doc, at + 1u, t->nodes[node].to - 1u };
	if (trim)
		wkg__schema_trim(t, node, &s.at, &s.to);
	size_t length = utf16_length(s);
	if (length < f->min_length)
		return refuse(error, at, "string too short");
	if (f->max_length != 0 && length > f->max_length)
		return refuse(error, at, "string too long");
	if (f->pattern != NULL && !matches(s, f->pattern))
		return refuse(error, at, "string does not match its pattern");
	if (f->one_of != NULL && !is_one_of(s, f->one_of))
		return refuse(error, at, "string is not one of those allowed");
	if (f->accepts != NULL && !is_accepted(s, f->accepts))
		return refuse(error, at, "string is not well-formed");
	return WKG_OK;
}

/* ---- other values ------------------------------------------------------- */

static wkg_status
check_number(const wkg__tape *t, uint32_t node, const wkg_field *f,
             wkg_schema_error *error)
{
	size_t at = t->nodes[node].from;
	wkg_span digits = { t->doc.ptr + at, t->nodes[node].to - at };
	uint64_t bits;
	double value;
	if (!wkg__number_parse(&bits, digits))
		return refuse(error, at, "number out of range");
	memcpy(&value, &bits, sizeof value);

	const double most = 9007199254740991.0; /* 2^53 - 1 */
	if (f->type == WKG_TYPE_INTEGER &&
	    (value < -most || value > most || value != (double)(int64_t)value))
		return refuse(error, at, "number is not an integer");
	if (f->has_minimum && !(value >= f->minimum)) /* nothing is above a NaN */
		return refuse(error, at, "number too small");
	if (f->has_maximum && !(value <= f->maximum))
		return refuse(error, at, "number too large");
	return WKG_OK;
}

static wkg_status
check_array(const wkg__tape *t, uint32_t node, const wkg_field *f, bool trim,
            wkg_schema_error *error)
{
	size_t length = 0;
	for (uint32_t i = t->nodes[node].first; i != 0; i = t->nodes[i].next) {
		length++;
		if (f->elements != NULL)
			WKG_TRY(wkg__schema_value(t, i, f->elements, trim, error));
	}
	if (length < f->min_length)
		return refuse(error, t->nodes[node].from, "array too short");
	if (f->max_length != 0 && length > f->max_length)
		return refuse(error, t->nodes[node].from, "array too long");
	return WKG_OK;
}

/* Does a row have a limit that nobody would look at: a minimum without
 * has_minimum, the pattern of a number? Who wrote it believes that it holds. */
static bool
has_idle_limit(const wkg_field *f)
{
	bool is_text = f->type == WKG_TYPE_STRING, is_list = f->type == WKG_TYPE_ARRAY;
	bool is_number = f->type == WKG_TYPE_NUMBER || f->type == WKG_TYPE_INTEGER;
	bool least = f->minimum < 0 || f->minimum > 0, most = f->maximum < 0 || f->maximum > 0;
	bool of_number = f->has_minimum || f->has_maximum || least || most;
	bool of_text = f->pattern != NULL || f->one_of != NULL || f->accepts != NULL;
	bool length = f->min_length != 0 || f->max_length != 0;
	return (of_number && !is_number) || (of_text && !is_text) ||
	       (least && !f->has_minimum) || (most && !f->has_maximum) ||
	       (length && !is_text && !is_list) || (f->elements != NULL && !is_list) ||
	       (f->members != NULL && f->type != WKG_TYPE_OBJECT);
}

static const char *const wrong_type = "value of another type";

/* Recursion ends where tables end: a table of tables is as deep as it is
 * written, whatever the document. */
wkg_status
wkg__schema_value(const wkg__tape *t, uint32_t node, const wkg_field *f,
                  bool trim, wkg_schema_error *error)
{
	uint32_t kind = t->nodes[node].kind;
	size_t at = t->nodes[node].from;
	bool right = false;
	if (has_idle_limit(f))
		return refuse(error, at, "a limit that its type or row does not have");
	switch (f->type) {
	case WKG_TYPE_STRING:
		if (kind == WKG_JSON_STRING)
			return check_string(t, node, f, trim, error);
		break;
	case WKG_TYPE_NUMBER:
	case WKG_TYPE_INTEGER:
		if (kind == WKG_JSON_NUMBER)
			return check_number(t, node, f, error);
		break;
	case WKG_TYPE_BOOLEAN:
		right = kind == WKG_JSON_TRUE || kind == WKG_JSON_FALSE;
		break;
	case WKG_TYPE_OBJECT:
		if (kind == WKG_JSON_OBJECT_BEGIN && f->members != NULL)
			return wkg__schema_check(t, node, f->members, trim, error);
		right = kind == WKG_JSON_OBJECT_BEGIN;
		break;
	case WKG_TYPE_ARRAY:
		if (kind == WKG_JSON_ARRAY_BEGIN)
			return check_array(t, node, f, trim, error);
		break;
	case WKG_TYPE_ANY:
		right = true;
		break;
	case WKG_TYPE_INVALID:
		break;
	}
	return right ? WKG_OK : refuse(error, at, wrong_type);
}

static const wkg_field *
field_of(const wkg__tape *t, uint32_t member, const wkg_field *table)
{
	for (; table->name != NULL; table++)
		if (wkg__tape_named(t, member, table->name))
			return table;
	return NULL;
}

wkg_status
wkg__schema_check(const wkg__tape *t, uint32_t object, const wkg_field *table,
                  bool trim, wkg_schema_error *error)
{
	const wkg__node *o = &t->nodes[object];
	if (o->kind != WKG_JSON_OBJECT_BEGIN)
		return refuse(error, o->from, "not an object");
	for (uint32_t i = o->first; i != 0; i = t->nodes[i].next) {
		const wkg_field *f = field_of(t, i, table);
		if (f == NULL)
			return refuse(error, t->nodes[i].name, "unknown member");
		WKG_TRY(wkg__schema_value(t, i, f, trim, error));
	}
	for (; table->name != NULL; table++)
		if (!table->optional && wkg__tape_member(t, object, table->name) == 0)
			return refuse(error, o->from, "a member is missing");
	return WKG_OK;
}

size_t
wkg_schema_work_size(size_t n)
{
	return wkg__tape_size(n);
}

wkg_status
wkg_schema_check(wkg_span json, const wkg_field *table, wkg_work work,
                 wkg_schema_error *error)
{
	wkg_schema_error ignored;
	wkg_schema_error *e = error != NULL ? error : &ignored;
	wkg__tape tape;
	e->at = 0;
	e->what = "";
	wkg_status status = wkg__tape_read(&tape, json, &work);
	if (status != WKG_OK) {
		e->at = tape.error.at;
		e->what = tape.error.what;
		return status;
	}
	return wkg__schema_check(&tape, 0, table, false, e);
}
