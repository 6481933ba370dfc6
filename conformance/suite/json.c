/* json.c - a strict reader and an ASCII writer over cJSON's tree. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SAFE 9007199254740991.0

/* --- Memory --- */

static void *
need(void *ptr)
{
	if (ptr == NULL) {
		fputs("wicketgate-conformance: out of memory\n", stderr);
		exit(5);
	}
	return ptr;
}

void *
wgc_alloc(size_t size)
{
	return need(calloc(1, size == 0 ? 1 : size));
}

void *
wgc_grow(void *ptr, size_t size)
{
	return need(realloc(ptr, size == 0 ? 1 : size));
}

char *
wgc_copy(const char *text)
{
	size_t size = strlen(text) + 1;
	return memcpy(wgc_alloc(size), text, size);
}

static void
putv(wgc_string *out, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len < 0)
		return;
	char *text = wgc_alloc((size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, format, args);
	wgc_put_bytes(out, text, (size_t)len);
	free(text);
}

char *
wgc_format(const char *format, ...)
{
	wgc_string out = { 0 };
	va_list args;
	va_start(args, format);
	putv(&out, format, args);
	va_end(args);
	return need(out.ptr);
}

void
wgc_put_bytes(wgc_string *out, const char *bytes, size_t len)
{
	if (out->cap - out->len <= len) {
		out->cap = (out->len + len + 1) * 2;
		out->ptr = wgc_grow(out->ptr, out->cap);
	}
	if (len > 0)
		memcpy(out->ptr + out->len, bytes, len);
	out->len += len;
	out->ptr[out->len] = '\0';
}

void
wgc_put(wgc_string *out, const char *text)
{
	wgc_put_bytes(out, text, strlen(text));
}

void
wgc_putf(wgc_string *out, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	putv(out, format, args);
	va_end(args);
}

/* --- Reading --- */

typedef struct reader {
	const char *at, *end;
	const char *why;
	int depth;
} reader;

static cJSON *read_value(reader *r);

static void *
refuse(reader *r, const char *why)
{
	if (r->why == NULL)
		r->why = why;
	return NULL;
}

static void
skip_space(reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' ||
	        *r->at == '\r'))
		r->at++;
}

static bool
take(reader *r, char c)
{
	skip_space(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool
take_word(reader *r, const char *word)
{
	size_t len = strlen(word);
	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

static bool
take_digits(reader *r)
{
	const char *start = r->at;
	while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
		r->at++;
	return r->at > start;
}

static cJSON *
read_number(reader *r)
{
	char digits[24];
	const char *start = r->at;
	if (*r->at == '-')
		r->at++;
	bool zero = r->at < r->end && *r->at == '0';
	const char *first = r->at;
	if (!take_digits(r) || (zero && r->at - first > 1))
		return refuse(r, "not a JSON number");
	if (r->at < r->end &&
	    (*r->at == '.' || *r->at == 'e' || *r->at == 'E'))
		return refuse(r, "a number that is not an integer");
	size_t len = (size_t)(r->at - start);
	if (len >= sizeof(digits))
		return refuse(r, "a number beyond 2^53-1");
	memcpy(digits, start, len);
	digits[len] = '\0';
	double n = strtod(digits, NULL);
	if (fabs(n) > MAX_SAFE)
		return refuse(r, "a number beyond 2^53-1");
	return need(cJSON_CreateNumber(n));
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The four digits of a \u escape, or -1. */
static int32_t
read_unit(reader *r)
{
	int32_t unit = 0;
	if (r->end - r->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(*r->at++);
		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
	}
	return unit;
}

static void
put_utf8(wgc_string *out, uint32_t c)
{
	unsigned char b[4];
	size_t n = 0;
	if (c > 0 && c < 0x80) {
		b[n++] = (unsigned char)c;
	} else if (c < 0x800) { /* and U+0000, as C0 80 */
		b[n++] = (unsigned char)(0xC0 | c >> 6);
		b[n++] = (unsigned char)(0x80 | (c & 0x3F));
	} else if (c < 0x10000) {
		b[n++] = (unsigned char)(0xE0 | c >> 12);
		b[n++] = (unsigned char)(0x80 | (c >> 6 & 0x3F));
		b[n++] = (unsigned char)(0x80 | (c & 0x3F));
	} else {
		b[n++] = (unsigned char)(0xF0 | c >> 18);
		b[n++] = (unsigned char)(0x80 | (c >> 12 & 0x3F));
		b[n++] = (unsigned char)(0x80 | (c >> 6 & 0x3F));
		b[n++] = (unsigned char)(0x80 | (c & 0x3F));
	}
	wgc_put_bytes(out, (const char *)b, n);
}

static bool
read_escaped_unit(reader *r, wgc_string *out)
{
	int32_t unit = read_unit(r);
	if (unit < 0 || (unit >= 0xDC00 && unit < 0xE000))
		return false;
	if (unit < 0xD800 || unit >= 0xE000) {
		put_utf8(out, (uint32_t)unit);
		return true;
	}
	if (!take_word(r, "\\u"))
		return false;
	int32_t low = read_unit(r);
	if (low < 0xDC00 || low >= 0xE000)
		return false;
	put_utf8(out, 0x10000 + ((uint32_t)(unit - 0xD800) << 10) +
	                      (uint32_t)(low - 0xDC00));
	return true;
}

static bool
read_escape(reader *r, wgc_string *out)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	if (r->at == r->end)
		return false;
	char c = *r->at++;
	if (c == 'u')
		return read_escaped_unit(r, out);
	const char *found = c == '\0' ? NULL : strchr(names, c);
	if (found == NULL)
		return false;
	wgc_put_bytes(out, &values[found - names], 1);
	return true;
}

/* After the opening quote; the characters are the caller's to free. */
static char *
read_string(reader *r)
{
	wgc_string out = { 0 };
	wgc_put(&out, "");
	while (r->at < r->end && *r->at != '"') {
		const char *run = r->at;
		while (r->at < r->end && *r->at != '"' && *r->at != '\\' &&
		       *r->at >= 0x20 && *r->at < 0x7F)
			r->at++;
		wgc_put_bytes(&out, run, (size_t)(r->at - run));
		if (r->at == r->end || *r->at == '"')
			break;
		if (*r->at++ != '\\') {
			refuse(r, "a byte in a string that is not printable ASCII");
			break;
		}
		if (!read_escape(r, &out)) {
			refuse(r, "a bad escape, or a lone surrogate");
			break;
		}
	}
	if (r->why == NULL && r->at < r->end) {
		r->at++;
		return out.ptr;
	}
	free(out.ptr);
	return refuse(r, "a string without an end");
}

static cJSON *
read_text(reader *r)
{
	char *text = read_string(r);
	if (text == NULL)
		return NULL;
	cJSON *node = need(cJSON_CreateString(text));
	free(text);
	return node;
}

static cJSON *
read_array(reader *r)
{
	cJSON *array = need(cJSON_CreateArray());
	if (take(r, ']'))
		return array;
	do {
		cJSON *item = read_value(r);
		if (item == NULL)
			break;
		cJSON_AddItemToArray(array, item);
	} while (take(r, ','));
	if (r->why == NULL && take(r, ']'))
		return array;
	cJSON_Delete(array);
	return refuse(r, "a comma or ] is missing");
}

/* Objects of the protocol are small; a large one would make the search for
 * duplicates quadratic. */
#define MAX_MEMBERS 4096

static bool
read_member(reader *r, cJSON *object)
{
	if (!take(r, '"'))
		return refuse(r, "a member name is missing");
	char *name = read_string(r);
	if (name == NULL)
		return false;
	cJSON *value = NULL;
	if (cJSON_GetObjectItemCaseSensitive(object, name) != NULL)
		refuse(r, "a member name comes twice");
	else if (!take(r, ':'))
		refuse(r, "a colon is missing");
	else
		value = read_value(r);
	if (value != NULL)
		cJSON_AddItemToObject(object, name, value);
	free(name);
	return value != NULL;
}

static cJSON *
read_object(reader *r)
{
	cJSON *object = need(cJSON_CreateObject());
	size_t members = 0;
	if (take(r, '}'))
		return object;
	do {
		if (++members > MAX_MEMBERS)
			refuse(r, "an object of more than 4096 members");
		if (r->why != NULL || !read_member(r, object))
			break;
	} while (take(r, ','));
	if (r->why == NULL && take(r, '}'))
		return object;
	cJSON_Delete(object);
	return refuse(r, "a comma or } is missing");
}

static cJSON *
read_nested(reader *r, cJSON *(*read)(reader *))
{
	r->at++;
	if (++r->depth > WGC_JSON_DEPTH)
		return refuse(r, "nested too deeply");
	cJSON *node = read(r);
	r->depth--;
	return node;
}

static cJSON *
read_value(reader *r)
{
	skip_space(r);
	if (r->at == r->end)
		return refuse(r, "a value is missing");
	switch (*r->at) {
	case '{': return read_nested(r, read_object);
	case '[': return read_nested(r, read_array);
	case '"': r->at++; return read_text(r);
	case 't':
		if (take_word(r, "true"))
			return need(cJSON_CreateTrue());
		break;
	case 'f':
		if (take_word(r, "false"))
			return need(cJSON_CreateFalse());
		break;
	case 'n':
		if (take_word(r, "null"))
			return need(cJSON_CreateNull());
		break;
	default:
		if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9'))
			return read_number(r);
	}
	return refuse(r, "not JSON");
}

cJSON *
wgc_json_read(const char *text, size_t len, const char **why)
{
	reader r = { text, text + len, NULL, 0 };
	cJSON *value = read_value(&r);
	skip_space(&r);
	if (value != NULL && r.at != r.end) {
		cJSON_Delete(value);
		value = refuse(&r, "more after the end of the value");
	}
	if (why != NULL)
		*why = r.why;
	return value;
}

/* --- Writing --- */

/* One code point of modified UTF-8; the tree holds nothing ill-formed. */
static uint32_t
decode(const unsigned char **at)
{
	const unsigned char *p = *at;
	uint32_t c = *p++;
	int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
	if (more > 0)
		c &= 0x3Fu >> more;
	for (; more > 0 && (*p & 0xC0) == 0x80; more--)
		c = c << 6 | (*p++ & 0x3F);
	*at = p;
	return c;
}

static void
put_escaped(wgc_string *out, uint32_t c)
{
	if (c >= 0x10000) {
		c -= 0x10000;
		wgc_putf(out, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xD800 + (c >> 10),
		         0xDC00 + (c & 0x3FF));
	} else {
		wgc_putf(out, "\\u%04" PRIx32, c);
	}
}

static void
put_quoted(wgc_string *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	wgc_put(out, "\"");
	while (*at != '\0') {
		const unsigned char *run = at;
		while (*at >= 0x20 && *at < 0x7F && *at != '"' && *at != '\\')
			at++;
		wgc_put_bytes(out, (const char *)run, (size_t)(at - run));
		if (*at == '\0')
			break;
		if (*at == '"' || *at == '\\')
			wgc_putf(out, "\\%c", *at++);
		else if (*at == '\n' && at++)
			wgc_put(out, "\\n");
		else
			put_escaped(out, decode(&at));
	}
	wgc_put(out, "\"");
}

/* `indent` < 0: on one line. */
static void
put_break(wgc_string *out, int indent)
{
	if (indent < 0)
		return;
	wgc_put(out, "\n");
	for (int i = 0; i < indent; i++)
		wgc_put(out, "\t");
}

static void put_value(wgc_string *out, const cJSON *value, int indent);

static void
put_items(wgc_string *out, const cJSON *value, int indent)
{
	bool object = cJSON_IsObject(value);
	/* Lists of plain things stay on their line. */
	bool flat = indent < 0 || value->child == NULL;
	int inside = flat ? -1 : indent + 1;
	wgc_put(out, object ? "{" : "[");
	for (const cJSON *item = value->child; item != NULL; item = item->next) {
		put_break(out, inside);
		if (object) {
			put_quoted(out, item->string);
			wgc_put(out, inside < 0 ? ":" : ": ");
		}
		put_value(out, item, inside);
		if (item->next != NULL)
			wgc_put(out, ",");
	}
	if (!flat)
		put_break(out, indent);
	wgc_put(out, object ? "}" : "]");
}

static void
put_value(wgc_string *out, const cJSON *value, int indent)
{
	if (cJSON_IsString(value))
		put_quoted(out, value->valuestring);
	else if (cJSON_IsNumber(value))
		wgc_putf(out, "%.0f", value->valuedouble);
	else if (cJSON_IsBool(value))
		wgc_put(out, cJSON_IsTrue(value) ? "true" : "false");
	else if (cJSON_IsArray(value) || cJSON_IsObject(value))
		put_items(out, value, indent);
	else
		wgc_put(out, "null");
}

void
wgc_put_json(wgc_string *out, const cJSON *value)
{
	put_value(out, value, -1);
}

char *
wgc_json_write(const cJSON *value, size_t *len)
{
	wgc_string out = { 0 };
	put_value(&out, value, -1);
	if (len != NULL)
		*len = out.len;
	return out.ptr;
}

char *
wgc_json_write_pretty(const cJSON *value)
{
	wgc_string out = { 0 };
	put_value(&out, value, 0);
	wgc_put(&out, "\n");
	return out.ptr;
}

/* --- Looking --- */

static bool
equal_members(const cJSON *a, const cJSON *b)
{
	if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
		return false;
	for (const cJSON *item = a->child; item != NULL; item = item->next)
		if (!wgc_json_equal(item, wgc_json_get(b, item->string)))
			return false;
	return true;
}

static bool
equal_items(const cJSON *a, const cJSON *b)
{
	const cJSON *left = a->child, *right = b->child;
	for (; left != NULL && right != NULL;
	     left = left->next, right = right->next)
		if (!wgc_json_equal(left, right))
			return false;
	return left == NULL && right == NULL;
}

bool
wgc_json_equal(const cJSON *a, const cJSON *b)
{
	if (a == NULL || b == NULL || (a->type & 0xFF) != (b->type & 0xFF))
		return a == b;
	if (cJSON_IsObject(a))
		return equal_members(a, b);
	if (cJSON_IsArray(a))
		return equal_items(a, b);
	if (cJSON_IsString(a))
		return strcmp(a->valuestring, b->valuestring) == 0;
	if (cJSON_IsNumber(a)) /* integers: nothing is near another */
		return !(a->valuedouble < b->valuedouble) &&
		       !(a->valuedouble > b->valuedouble);
	return true;
}

const cJSON *
wgc_json_get(const cJSON *object, const char *name)
{
	if (!cJSON_IsObject(object))
		return NULL;
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

const char *
wgc_json_string(const cJSON *object, const char *name)
{
	const cJSON *member = wgc_json_get(object, name);
	return cJSON_IsString(member) ? member->valuestring : NULL;
}

bool
wgc_json_lists(const cJSON *array, const char *name)
{
	const cJSON *item = cJSON_IsArray(array) ? array->child : NULL;
	for (; item != NULL; item = item->next)
		if (cJSON_IsString(item) && strcmp(item->valuestring, name) == 0)
			return true;
	return false;
}

bool
wgc_json_integer(const cJSON *value, long long *n)
{
	if (!cJSON_IsNumber(value) || fabs(value->valuedouble) > MAX_SAFE)
		return false;
	*n = (long long)value->valuedouble;
	return (double)*n >= value->valuedouble && (double)*n <= value->valuedouble;
}
