/* json.c - a strict pull reader over JSON text.
 *
 * One cursor, one word of state (`expect`), a bit per open container. The names
 * of open objects wait on a stack and are sorted when their object closes. */
#include "copy.h"

#include <string.h>
#include <wicketgate/json.h>
#include <wicketgate/table.h>

/* What may come next. */
enum expect {
	EXPECT_VALUE = 0,
	EXPECT_VALUE_OR_END, /* after `[` */
	EXPECT_NAME,
	EXPECT_NAME_OR_END, /* after `{` */
	EXPECT_COLON,
	EXPECT_COMMA_OR_END,
	EXPECT_NOTHING, /* the document is complete */
};

static wkg_status
fail(wkg_json_reader *r, wkg_status status, size_t at, const char *what)
{
	r->error.at = at;
	r->error.what = what;
	return status;
}

static wkg_status
unexpected(wkg_json_reader *r, const char *what)
{
	return fail(r, WKG_E_SYNTAX, r->at,
	            r->at < r->doc.len ? what : "unexpected end of document");
}

/* The byte at the cursor; 0 at the end, where a NUL would be wrong as well. */
static uint8_t
peek(const wkg_json_reader *r)
{
	return r->at < r->doc.len ? r->doc.ptr[r->at] : 0;
}

static void
skip_space(wkg_json_reader *r)
{
	for (;; r->at++) {
		uint8_t c = peek(r);
		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return;
	}
}

/* ---- work area ---------------------------------------------------------- */

/* Most records on the stack. The densest documents are `{"":{"":...`, four
 * bytes for a frame and a name, and one flat object, five bytes a member, whose
 * sort needs as many records again. A trailing `{""` is why one is added. */
static size_t
stack_size(size_t n)
{
	return n / 2 + 1;
}

static size_t
bits_size(size_t n)
{
	return n / 8 + 1; /* a level costs at least its bracket */
}

size_t
wkg_json_work_size(size_t n, size_t path_depth)
{
	if (n > WKG_JSON_LENGTH_MAX)
		return SIZE_MAX;
	size_t size = wkg__multiply(stack_size(n), sizeof(wkg_json_name));
	size = wkg__add(size, wkg__multiply(path_depth, sizeof(uint32_t)));
	size = wkg__add(size, n); /* texts: a name and its end mark fit where
	                             the name and its quotes were */
	size = wkg__add(size, bits_size(n));
	return wkg__add(size, sizeof(uint32_t) - 1); /* alignment */
}

static void *
aligned(void *ptr)
{
	uint8_t *p = ptr;
	size_t past = (uintptr_t)p % sizeof(uint32_t);
	return past == 0 ? p : p + (sizeof(uint32_t) - past);
}

static wkg_status
check_open(wkg_span doc, wkg_json_names names, wkg_work work, size_t needed)
{
	if (names != WKG_JSON_NAMES_EXACT && names != WKG_JSON_NAMES_REFERENCE &&
	    names != WKG_JSON_NAMES_HARDENED)
		return WKG_E_ARGUMENT;
	if (doc.ptr == NULL && doc.len > 0)
		return WKG_E_ARGUMENT;
	if (needed == SIZE_MAX || work.ptr == NULL || work.size < needed)
		return WKG_E_SPACE;
	bool clear = wkg__disjoint(work.ptr, work.size, doc.ptr, doc.len);
	return clear ? WKG_OK : WKG_E_ARGUMENT;
}

wkg_status
wkg_json_open(wkg_json_reader *r, wkg_span doc, wkg_json_names names,
              size_t path_depth, wkg_work work)
{
	size_t needed = wkg_json_work_size(doc.len, path_depth);

	memset(r, 0, sizeof *r);
	r->error.what = "";
	r->status = check_open(doc, names, work, needed);
	if (r->status != WKG_OK)
		return r->status;
	r->doc = doc;
	r->names = names;
	r->expect = EXPECT_VALUE;
	r->path_depth = path_depth;
	r->stack = aligned(work.ptr);
	r->stack_cap = stack_size(doc.len);
	r->path = (uint32_t *)(r->stack + r->stack_cap);
	r->texts = (uint8_t *)(r->path + path_depth);
	r->is_object = r->texts + doc.len;
	return WKG_OK;
}

/* ---- strings ------------------------------------------------------------ */

static int
hex_value(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The character a one-letter escape stands for; 0 if there is none. */
static uint8_t
short_escape(uint8_t letter)
{
	switch (letter) {
	case '"': case '\\': case '/': return letter;
	case 'b': return '\b';
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	}
	return 0;
}

/* The cursor is at a backslash. */
static wkg_status
scan_escape(wkg_json_reader *r)
{
	r->at++;
	if (short_escape(peek(r)) != 0) {
		r->at++;
		return WKG_OK;
	}
	if (peek(r) != 'u')
		return unexpected(r, "unknown escape in a string");
	r->at++;
	for (int i = 0; i < 4; i++, r->at++)
		if (hex_value(peek(r)) < 0)
			return unexpected(r, "\\u needs four hexadecimal digits");
	return WKG_OK;
}

/* The cursor is at the opening quote and moves behind the closing one. */
static wkg_status
scan_string(wkg_json_reader *r)
{
	r->at++;
	for (;;) {
		uint8_t c = peek(r);
		if (c < 0x20)
			return unexpected(r, "control character in a string");
		if (c == '"')
			break;
		if (c == '\\') {
			WKG_TRY(scan_escape(r));
			continue;
		}
		if (c < 0x80) { /* most of all text, without a call for each */
			r->at++;
			continue;
		}
		wkg_char decoded = wkg_utf8_decode(r->doc, r->at);
		if (decoded.ill_formed)
			return fail(r, WKG_E_ENCODING, r->at, "ill-formed UTF-8");
		r->at += decoded.len;
	}
	r->at++;
	return WKG_OK;
}

wkg_status
wkg__json_string_end(wkg_span text, size_t at, size_t *end,
                     wkg_json_error *error)
{
	wkg_json_reader r = { .doc = text, .at = at };
	wkg_status status = scan_string(&r);
	*end = r.at;
	*error = r.error;
	return status;
}

/* The code unit of the \uXXXX at `at`, or -1 if there is none. */
static int32_t
escaped_unit(wkg_span doc, size_t at)
{
	if (doc.len - at < 6 || doc.ptr[at] != '\\' || doc.ptr[at + 1] != 'u')
		return -1;
	int32_t unit = 0;
	for (size_t i = 2; i < 6; i++)
		unit = unit * 16 + hex_value(doc.ptr[at + i]);
	return unit;
}

static wkg_char
unicode_escape(wkg_span doc, size_t at)
{
	uint32_t unit = (uint32_t)escaped_unit(doc, at);
	wkg_char c = { unit, 6, false };
	if (unit < 0xD800 || unit > 0xDFFF)
		return c;
	int32_t low = unit < 0xDC00 ? escaped_unit(doc, at + 6) : -1;
	if (low >= 0xDC00 && low <= 0xDFFF) {
		c.code = 0x10000 + ((unit - 0xD800) << 10 | ((uint32_t)low - 0xDC00));
		c.len = 12;
		return c;
	}
	/* Half a pair is no character. RFC 8259 section 8.2 lets it stand in
	 * the text; nothing behind this library may have to cope with it. */
	c.code = WKG_REPLACEMENT_CHARACTER;
	c.ill_formed = true;
	return c;
}

wkg_char
wkg_json_char(wkg_span doc, size_t at)
{
	wkg_char c = { 0, 0, false };
	if (doc.ptr[at] == '"')
		return c;
	if (doc.ptr[at] >= 0x80)
		return wkg_utf8_decode(doc, at);
	if (doc.ptr[at] != '\\') {
		c.code = doc.ptr[at];
		c.len = 1;
		return c;
	}
	if (doc.ptr[at + 1] == 'u')
		return unicode_escape(doc, at);
	c.code = short_escape(doc.ptr[at + 1]);
	c.len = 2;
	return c;
}

/* ---- names -------------------------------------------------------------- */

/* No UTF-8 text contains this byte, so it ends one and sorts behind all. */
#define TEXT_END 0xFFu

static uint32_t
ignored_in_names(wkg_json_names names)
{
	switch (names) {
	case WKG_JSON_NAMES_REFERENCE:
		return wkg__strip_sets(WKG_PROFILE_REFERENCE);
	case WKG_JSON_NAMES_HARDENED:
		return wkg__strip_sets(WKG_PROFILE_HARDENED);
	case WKG_JSON_NAMES_EXACT:
	case WKG_JSON_NAMES_INVALID:
		break;
	}
	return 0;
}

/* Names are compared written out, not where they stand: a name that is half a
 * megabyte of ZWSP would otherwise be walked again by every comparison. */
static wkg_status
write_name(wkg_json_reader *r, size_t quote)
{
	static const wkg__notation unescaping = { wkg_json_char, wkg__put };
	const wkg__rule rule = {
		.strip = ignored_in_names(r->names),
		.unit = WKG_UNIT_CODEPOINT,
		.limit = SIZE_MAX, /* two long names must not become one */
	};
	static const uint8_t end = TEXT_END;
	wkg_sanitize_report ignored = { 0 };
	wkg_buf texts = { r->texts, r->texts_top, r->doc.len };
	WKG_TRY(wkg__sanitize(&texts, r->doc, quote + 1, &unescaping, &rule, &ignored));
	WKG_TRY(wkg__append(&texts, &end, 1));
	r->texts_top = texts.len;
	return WKG_OK;
}

static wkg_status
push(wkg_json_reader *r, size_t at, size_t text)
{
	if (r->stack_top == r->stack_cap)
		return WKG_E_SPACE; /* cannot happen, see stack_size() */
	wkg_json_name record = { (uint32_t)at, (uint32_t)text };
	r->stack[r->stack_top++] = record;
	return WKG_OK;
}

static int
compare_names(const uint8_t *texts, wkg_json_name a, wkg_json_name b)
{
	const uint8_t *x = texts + a.text, *y = texts + b.text;
	for (; *x == *y && *x != TEXT_END; x++)
		y++;
	return *x - *y;
}

/* Merge the sorted runs from[0..left) and from[left..count) into `to`. Each
 * comparison moves one name and reads no more than that name, so that a whole
 * pass over all names reads each byte once: no choice of names is slow. */
static void
merge(const uint8_t *texts, const wkg_json_name *from, size_t left, size_t count,
      wkg_json_name *to)
{
	size_t i = 0, j = left;
	while (i < left && j < count)
		*to++ = compare_names(texts, from[i], from[j]) <= 0 ?
		        from[i++] : from[j++];
	while (i < left)
		*to++ = from[i++];
	while (j < count)
		*to++ = from[j++];
}

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Stable, so that equal names stay in document order. */
static void
sort_names(const uint8_t *texts, wkg_json_name *names, size_t count,
           wkg_json_name *scratch)
{
	for (size_t run = 1; run < count; run *= 2) {
		for (size_t at = 0; at < count; at += 2 * run)
			merge(texts, names + at, smaller(run, count - at),
			      smaller(2 * run, count - at), scratch + at);
		memcpy(names, scratch, count * sizeof *names);
	}
}

/* The innermost object closes: is a name there twice? Of several such pairs
 * the one that is complete first in the document is reported. */
static wkg_status
check_names(wkg_json_reader *r)
{
	wkg_json_name *names = r->stack + r->names_base;
	size_t count = r->stack_top - r->names_base;
	if (count < 2)
		return WKG_OK;
	if (count > r->stack_cap - r->stack_top)
		return WKG_E_SPACE; /* cannot happen, see stack_size() */
	sort_names(r->texts, names, count, names + count);

	size_t found = 0;
	for (size_t i = 1; i < count; i++)
		if (compare_names(r->texts, names[i - 1], names[i]) == 0 &&
		    (found == 0 || names[i].at < names[found].at))
			found = i;
	if (found == 0)
		return WKG_OK;
	r->error.first = names[found - 1].at;
	return fail(r, WKG_E_DUPLICATE, names[found].at,
	            "the same name twice in one object");
}

/* ---- containers --------------------------------------------------------- */

static bool
is_object(const wkg_json_reader *r, size_t level)
{
	return r->is_object[level / 8] >> (level % 8) & 1;
}

static bool
in_object(const wkg_json_reader *r)
{
	return is_object(r, r->depth - 1);
}

static void
set_level(wkg_json_reader *r, size_t level, bool is_object)
{
	uint8_t bit = (uint8_t)(1u << (level % 8));
	if (is_object)
		r->is_object[level / 8] |= bit;
	else
		r->is_object[level / 8] &= (uint8_t)~bit;
}

static void
set_path(wkg_json_reader *r, size_t value)
{
	if (r->depth <= r->path_depth)
		r->path[r->depth - 1] = (uint32_t)value;
}

static wkg_status
open_container(wkg_json_reader *r, bool is_object)
{
	r->at++;
	set_level(r, r->depth, is_object);
	r->depth++;
	set_path(r, 0);
	r->expect = is_object ? EXPECT_NAME_OR_END : EXPECT_VALUE_OR_END;
	if (!is_object)
		return WKG_OK;
	WKG_TRY(push(r, r->names_base, r->texts_top));
	r->names_base = r->stack_top;
	return WKG_OK;
}

static wkg_status
close_container(wkg_json_reader *r, wkg_json_token *token)
{
	token->kind = WKG_JSON_ARRAY_END;
	token->from = r->at++;
	if (in_object(r)) {
		token->kind = WKG_JSON_OBJECT_END;
		WKG_TRY(check_names(r));
		r->stack_top = r->names_base - 1;
		r->names_base = r->stack[r->stack_top].at;
		r->texts_top = r->stack[r->stack_top].text;
	}
	r->depth--;
	r->expect = r->depth > 0 ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
	return WKG_OK;
}

static wkg_status
take_comma(wkg_json_reader *r)
{
	if (peek(r) != ',')
		return unexpected(r, in_object(r) ? "expected ',' or '}'" :
		                                    "expected ',' or ']'");
	r->at++;
	if (in_object(r)) {
		r->expect = EXPECT_NAME;
		return WKG_OK;
	}
	if (r->depth <= r->path_depth)
		r->path[r->depth - 1]++;
	r->expect = EXPECT_VALUE;
	return WKG_OK;
}

static wkg_status
take_colon(wkg_json_reader *r)
{
	if (peek(r) != ':')
		return unexpected(r, "expected ':' after a name");
	r->at++;
	r->expect = EXPECT_VALUE;
	return WKG_OK;
}

/* ---- values ------------------------------------------------------------- */

/* RFC 8259 section 6 as a machine: a number goes on as long as its next byte
 * has a cell, and is one if it then stands in an accepting state. */
enum number_state { DEAD, START, MINUS, ZERO, INT, DOT, FRAC, E, SIGN, EXP, STATES };
enum number_class { C_ZERO, C_DIGIT, C_DOT, C_E, C_PLUS, C_MINUS, C_OTHER, CLASSES };

static const uint8_t number_next[STATES][CLASSES] = {
	/*            0      1-9   .     e E   +     -      other */
	[START]   = { ZERO,  INT,  DEAD, DEAD, DEAD, MINUS, DEAD },
	[MINUS]   = { ZERO,  INT,  DEAD, DEAD, DEAD, DEAD,  DEAD },
	[ZERO]    = { DEAD,  DEAD, DOT,  E,    DEAD, DEAD,  DEAD },
	[INT]     = { INT,   INT,  DOT,  E,    DEAD, DEAD,  DEAD },
	[DOT]     = { FRAC,  FRAC, DEAD, DEAD, DEAD, DEAD,  DEAD },
	[FRAC]    = { FRAC,  FRAC, DEAD, E,    DEAD, DEAD,  DEAD },
	[E]       = { EXP,   EXP,  DEAD, DEAD, SIGN, SIGN,  DEAD },
	[SIGN]    = { EXP,   EXP,  DEAD, DEAD, DEAD, DEAD,  DEAD },
	[EXP]     = { EXP,   EXP,  DEAD, DEAD, DEAD, DEAD,  DEAD },
};

static enum number_class
number_class_of(uint8_t c)
{
	if (c >= '1' && c <= '9')
		return C_DIGIT;
	switch (c) {
	case '0': return C_ZERO;
	case '.': return C_DOT;
	case 'e': case 'E': return C_E;
	case '+': return C_PLUS;
	case '-': return C_MINUS;
	}
	return C_OTHER;
}

static wkg_status
scan_number(wkg_json_reader *r)
{
	uint8_t state = START;
	for (;; r->at++) {
		uint8_t next = number_next[state][number_class_of(peek(r))];
		if (next == DEAD)
			break;
		state = next;
	}
	if (state == ZERO || state == INT || state == FRAC || state == EXP)
		return WKG_OK;
	return unexpected(r, "malformed number");
}

static wkg_status
scan_literal(wkg_json_reader *r, const char *text)
{
	for (; *text != '\0'; text++, r->at++)
		if (peek(r) != (uint8_t)*text)
			return unexpected(r, "expected true, false or null");
	return WKG_OK;
}

static wkg_json_kind
kind_of(uint8_t first)
{
	switch (first) {
	case '{': return WKG_JSON_OBJECT_BEGIN;
	case '[': return WKG_JSON_ARRAY_BEGIN;
	case '"': return WKG_JSON_STRING;
	case 't': return WKG_JSON_TRUE;
	case 'f': return WKG_JSON_FALSE;
	case 'n': return WKG_JSON_NULL;
	case '-': return WKG_JSON_NUMBER;
	}
	return first >= '0' && first <= '9' ? WKG_JSON_NUMBER : WKG_JSON_INVALID;
}

static wkg_status
read_value(wkg_json_reader *r, wkg_json_token *token)
{
	token->kind = kind_of(peek(r));
	r->expect = r->depth > 0 ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
	switch (token->kind) {
	case WKG_JSON_OBJECT_BEGIN: return open_container(r, true);
	case WKG_JSON_ARRAY_BEGIN: return open_container(r, false);
	case WKG_JSON_STRING: return scan_string(r);
	case WKG_JSON_NUMBER: return scan_number(r);
	case WKG_JSON_TRUE: return scan_literal(r, "true");
	case WKG_JSON_FALSE: return scan_literal(r, "false");
	case WKG_JSON_NULL: return scan_literal(r, "null");
	default: return unexpected(r, "expected a value");
	}
}

static wkg_status
read_name(wkg_json_reader *r, wkg_json_token *token)
{
	if (peek(r) != '"')
		return unexpected(r, "expected a name in quotes");
	token->kind = WKG_JSON_NAME;
	WKG_TRY(scan_string(r));
	WKG_TRY(push(r, token->from, r->texts_top));
	set_path(r, r->texts_top);
	WKG_TRY(write_name(r, token->from));
	r->expect = EXPECT_COLON;
	return WKG_OK;
}

static wkg_status
finish(wkg_json_reader *r, wkg_json_token *token)
{
	if (r->at < r->doc.len)
		return unexpected(r, "text after the document");
	token->kind = WKG_JSON_DONE;
	return WKG_OK;
}

/* Colons and commas make no token: the cursor passes over them first. */
static wkg_status
to_next_token(wkg_json_reader *r)
{
	skip_space(r);
	bool closing = peek(r) == '}' || peek(r) == ']';
	if (r->expect == EXPECT_COLON)
		WKG_TRY(take_colon(r));
	else if (r->expect == EXPECT_COMMA_OR_END && !closing)
		WKG_TRY(take_comma(r));
	skip_space(r);
	return WKG_OK;
}

/* Is the container closed here, by its own bracket? */
static bool
at_end_of_container(const wkg_json_reader *r)
{
	bool may_end = r->expect == EXPECT_COMMA_OR_END ||
	               r->expect == EXPECT_NAME_OR_END ||
	               r->expect == EXPECT_VALUE_OR_END;
	return may_end && peek(r) == (in_object(r) ? '}' : ']');
}

static wkg_status
read_token(wkg_json_reader *r, wkg_json_token *token)
{
	if (r->at == 0 && r->doc.len >= 3 && memcmp(r->doc.ptr, "\xEF\xBB\xBF", 3) == 0)
		return unexpected(r, "byte order mark");
	WKG_TRY(to_next_token(r));
	token->from = r->at;
	token->depth = r->depth;
	if (at_end_of_container(r)) {
		token->depth--;
		return close_container(r, token);
	}
	switch ((enum expect)r->expect) {
	case EXPECT_NAME:
	case EXPECT_NAME_OR_END:
		return read_name(r, token);
	case EXPECT_VALUE:
	case EXPECT_VALUE_OR_END:
		return read_value(r, token);
	case EXPECT_COMMA_OR_END:
		return take_comma(r); /* the wrong closing bracket: says so */
	case EXPECT_COLON:
	case EXPECT_NOTHING:
		break;
	}
	return finish(r, token);
}

wkg_status
wkg_json_next(wkg_json_reader *r, wkg_json_token *token)
{
	static const wkg_json_token none = { WKG_JSON_INVALID, 0, 0, 0 };
	*token = none;
	if (r->status == WKG_OK)
		r->status = read_token(r, token);
	if (r->status != WKG_OK)
		*token = none;
	else
		token->to = r->at;
	return r->status;
}

/* ---- writing ------------------------------------------------------------ */

/* RFC 8785 section 3.2.2.2: the two-letter escape where there is one, \u00xx
 * in lower case for other controls, everything else as it is - or, if it is to
 * be `visible`, as one or two \uxxxx. */
static size_t
escape(uint8_t out[12], uint32_t code, bool visible)
{
	static const char digits[] = "0123456789abcdef";
	static const char letters[] = "btn\0fr"; /* of U+0008 .. U+000D */

	if (code == '"' || code == '\\') {
		out[0] = '\\';
		out[1] = (uint8_t)code;
		return 2;
	}
	if (code >= 8 && code <= 13 && letters[code - 8] != '\0') {
		out[0] = '\\';
		out[1] = (uint8_t)letters[code - 8];
		return 2;
	}
	if (code >= 0x20 && !visible)
		return wkg_utf8_encode(out, code);
	if (code > 0xFFFF) {
		size_t high = escape(out, 0xD7C0 + (code >> 10), true);
		return high + escape(out + high, 0xDC00 + (code & 0x3FF), true);
	}
	out[0] = '\\';
	out[1] = 'u';
	for (size_t i = 0; i < 4; i++)
		out[2 + i] = (uint8_t)digits[code >> (12 - 4 * i) & 0xF];
	return 6;
}

wkg_status
wkg__json_put(wkg_buf *out, uint32_t code)
{
	uint8_t bytes[12];
	return wkg__append(out, bytes, escape(bytes, code, false));
}

const wkg__notation wkg__json_string = { wkg_json_char, wkg__json_put };

size_t
wkg_json_quote_bound(size_t n)
{
	return wkg__add(wkg__multiply(n, 6), 2); /* \u00xx, and the quotes */
}

static wkg_status
quote(wkg_buf *out, wkg_span text)
{
	static const uint8_t mark = '"';
	WKG_TRY(wkg__append(out, &mark, 1));
	for (size_t at = 0; at < text.len;) {
		wkg_char c = wkg_utf8_decode(text, at);
		WKG_TRY(wkg__json_put(out, c.code));
		at += c.len;
	}
	return wkg__append(out, &mark, 1);
}

wkg_status
wkg_json_quote(wkg_buf *out, wkg_span text)
{
	WKG_TRY(wkg__check_spans(out, text));
	wkg_buf result = *out;
	WKG_TRY(quote(&result, text));
	*out = result;
	return WKG_OK;
}

wkg_status
wkg__copy_until(wkg__copy *copy, size_t to)
{
	size_t count = to - copy->copied;
	WKG_TRY(wkg__append(&copy->out, copy->reader.doc.ptr + copy->copied, count));
	copy->copied = to;
	return WKG_OK;
}

wkg_status
wkg__copy_skip(wkg__copy *copy, const wkg_json_token *begin, size_t *end)
{
	wkg_json_token token;
	do
		WKG_TRY(wkg_json_next(&copy->reader, &token));
	while (copy->reader.depth > begin->depth);
	*end = token.to;
	return WKG_OK;
}

/* ---- paths -------------------------------------------------------------- */

/* All of these bytes or, when they do not fit, none and nothing after. */
static void
path_add(wkg_json_path *path, const void *bytes, size_t count)
{
	path->cut = path->cut || count > sizeof path->text - path->len;
	if (path->cut)
		return;
	memcpy(path->text + path->len, bytes, count);
	path->len += count;
}

static void
path_add_index(wkg_json_path *path, uint32_t index)
{
	uint8_t text[12]; /* "[4294967295]" */
	size_t at = sizeof text;
	text[--at] = ']';
	do
		text[--at] = (uint8_t)('0' + index % 10);
	while ((index /= 10) > 0);
	text[--at] = '[';
	path_add(path, text + at, sizeof text - at);
}

static bool
is_word(uint32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/* `name` is where a name stands in `texts`: unescaped, and without what the
 * reader leaves out. Paths of many values under one long name read it often. */
static bool
is_plain_name(const uint8_t *name)
{
	const uint8_t *first = name;
	while (is_word(*name))
		name++;
	return *name == TEXT_END && name > first;
}

static void
path_add_name(wkg_json_path *path, const uint8_t *name)
{
	bool is_plain = is_plain_name(name);
	if (!is_plain)
		path_add(path, "[\"", 2);
	else if (path->len > 0)
		path_add(path, ".", 1);
	while (!path->cut && *name != TEXT_END) {
		wkg_span rest = { name, 4 }; /* ends at TEXT_END before that */
		wkg_char c = wkg_utf8_decode(rest, 0);
		/* A path is read by people: what they could not see, they see
		 * as its number. */
		bool hidden = wkg_table_sets(c.code) & WKG_SET_FENCE_IGNORABLE;
		uint8_t bytes[12];
		path_add(path, bytes, escape(bytes, c.code, hidden));
		name += c.len;
	}
	if (!is_plain)
		path_add(path, "\"]", 2);
}

wkg_json_path
wkg_json_path_of(const wkg_json_reader *r, const wkg_json_token *token)
{
	size_t depth = smaller(token->depth, r->path_depth);
	wkg_json_path path = { .len = 0, .cut = false };
	for (size_t level = 0; level < depth && !path.cut; level++) {
		if (is_object(r, level))
			path_add_name(&path, r->texts + r->path[level]);
		else
			path_add_index(&path, r->path[level]);
	}
	path.cut = path.cut || token->depth > r->path_depth;
	return path;
}
