/* document.c - a strict reader, RFC 8785, and two ways to write differently. */
#include "document.h"
#include "oracle_text.h"
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Reading --- */

typedef struct reader {
	const wgc_text *text;
	size_t at;
} reader;

static uint32_t
peek(const reader *r)
{
	return r->at < r->text->len ? r->text->at[r->at] : 0x110000;
}

static bool
accept(reader *r, uint32_t c)
{
	bool there = peek(r) == c;
	r->at += there;
	return there;
}

static bool
accept_word(reader *r, const char *word)
{
	for (; *word != '\0'; word++)
		if (!accept(r, (unsigned char)*word))
			return false;
	return true;
}

static void
skip_space(reader *r)
{
	while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r')
		r->at++;
}

static bool
read_hex(reader *r, uint32_t *c)
{
	*c = 0;
	for (int i = 0; i < 4; i++) {
		uint32_t d = peek(r);
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *at = d < 0x80 && d > 0 ? strchr(digits, (int)d) : NULL;
		if (at == NULL)
			return false;
		*c = *c << 4 | (uint32_t)((at - digits) % 16);
		r->at++;
	}
	return true;
}

static bool
read_escape(reader *r, wgc_text *out)
{
	static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	uint32_t c = peek(r), low;
	r->at++;
	const char *at = c < 0x80 && c > 0 ? strchr(names, (int)c) : NULL;
	if (at != NULL) {
		wgc_push(out, (unsigned char)means[at - names]);
		return true;
	}
	if (c != 'u' || !read_hex(r, &c))
		return false;
	size_t back = r->at;
	if (c >> 10 == 0x36 && accept_word(r, "\\u") && read_hex(r, &low) &&
	    low >> 10 == 0x37)
		c = 0x10000 + ((c & 0x3FF) << 10) + (low & 0x3FF);
	else
		r->at = back;
	wgc_push(out, c);
	return true;
}

static bool
read_string(reader *r, wgc_text *out)
{
	if (!accept(r, '"'))
		return false;
	while (!accept(r, '"')) {
		uint32_t c = peek(r);
		if (c < 0x20 || c > 0x10FFFF)
			return false;
		r->at++;
		if (c != '\\')
			wgc_push(out, c);
		else if (!read_escape(r, out))
			return false;
	}
	return true;
}

static size_t
digits(reader *r)
{
	size_t n = 0;
	for (; peek(r) >= '0' && peek(r) <= '9'; n++)
		r->at++;
	return n;
}

static bool
read_number(reader *r, wgc_text *out)
{
	size_t from = r->at;
	accept(r, '-');
	if (!accept(r, '0') && digits(r) == 0)
		return false;
	if (accept(r, '.') && digits(r) == 0)
		return false;
	if (peek(r) == 'e' || peek(r) == 'E') {
		r->at++;
		if (!accept(r, '+'))
			accept(r, '-');
		if (digits(r) == 0)
			return false;
	}
	for (size_t i = from; i < r->at; i++)
		wgc_push(out, r->text->at[i]);
	return true;
}

static bool read_value(reader *r, wgc_doc *doc, int depth);

static wgc_doc *
add_child(wgc_doc *doc)
{
	if ((doc->n & (doc->n + 1)) == 0)
		doc->child = wgc_grow(doc->child, 2 * (doc->n + 1) * sizeof(*doc));
	doc->child[doc->n] = (wgc_doc){ .kind = WGC_DOC_NULL };
	return &doc->child[doc->n++];
}

static bool
read_members(reader *r, wgc_doc *doc, int depth)
{
	uint32_t end = doc->kind == WGC_DOC_ARRAY ? ']' : '}';
	skip_space(r);
	if (accept(r, end))
		return true;
	do {
		wgc_doc *child = add_child(doc);
		skip_space(r);
		if (end == '}') {
			if (!read_string(r, &child->name))
				return false;
			skip_space(r);
			if (!accept(r, ':'))
				return false;
		}
		if (!read_value(r, child, depth + 1))
			return false;
		skip_space(r);
	} while (accept(r, ','));
	return accept(r, end);
}

static bool
read_value(reader *r, wgc_doc *doc, int depth)
{
	skip_space(r);
	if (depth > WGC_DOC_DEPTH)
		return false;
	switch (peek(r)) {
	case 'n': doc->kind = WGC_DOC_NULL; return accept_word(r, "null");
	case 't': doc->kind = WGC_DOC_TRUE; return accept_word(r, "true");
	case 'f': doc->kind = WGC_DOC_FALSE; return accept_word(r, "false");
	case '"': doc->kind = WGC_DOC_STRING; return read_string(r, &doc->text);
	case '[': doc->kind = WGC_DOC_ARRAY; r->at++; return read_members(r, doc, depth);
	case '{': doc->kind = WGC_DOC_OBJECT; r->at++; return read_members(r, doc, depth);
	default: doc->kind = WGC_DOC_NUMBER; return read_number(r, &doc->text);
	}
}

bool
wgc_doc_read(const wgc_text *text, wgc_doc *doc)
{
	reader r = { text, 0 };
	*doc = (wgc_doc){ .kind = WGC_DOC_NULL };
	bool good = text->form == WGC_SCALARS && read_value(&r, doc, 0);
	skip_space(&r);
	if (good && r.at == text->len)
		return true;
	wgc_doc_clear(doc);
	return false;
}

void
wgc_doc_clear(wgc_doc *doc)
{
	for (size_t i = 0; i < doc->n; i++)
		wgc_doc_clear(&doc->child[i]);
	free(doc->child);
	wgc_text_clear(&doc->name);
	wgc_text_clear(&doc->text);
	*doc = (wgc_doc){ .kind = WGC_DOC_NULL };
}

/* --- What is odd about it --- */

static bool
has_surrogate(const wgc_text *text)
{
	for (size_t i = 0; i < text->len; i++)
		if (text->at[i] >> 11 == 0x1B)
			return true;
	return false;
}

static bool
has_duplicate(const wgc_doc *doc)
{
	for (size_t i = 0; doc->kind == WGC_DOC_OBJECT && i < doc->n; i++)
		for (size_t k = 0; k < i; k++)
			if (wgc_text_same(&doc->child[i].name, &doc->child[k].name))
				return true;
	return false;
}

bool
wgc_doc_is_odd(const wgc_doc *doc)
{
	bool odd = has_surrogate(&doc->name) || has_surrogate(&doc->text) ||
	           has_duplicate(doc);
	for (size_t i = 0; i < doc->n && !odd; i++)
		odd = wgc_doc_is_odd(&doc->child[i]);
	return odd;
}

static double
number_of(const wgc_doc *doc)
{
	char *ascii = wgc_alloc(doc->text.len + 1);
	for (size_t i = 0; i < doc->text.len; i++)
		ascii[i] = (char)doc->text.at[i];
	double number = strtod(ascii, NULL);
	free(ascii);
	return number;
}

bool
wgc_doc_has_huge(const wgc_doc *doc)
{
	bool huge = doc->kind == WGC_DOC_NUMBER && !isfinite(number_of(doc));
	for (size_t i = 0; i < doc->n && !huge; i++)
		huge = wgc_doc_has_huge(&doc->child[i]);
	return huge;
}

/* --- RFC 8785 --- */

static void
write_string(wgc_text *out, const wgc_text *text)
{
	static const char short_ones[] = "\b\t\n\f\r\"\\", names[] = "btnfr\"\\";
	wgc_push(out, '"');
	for (size_t i = 0; i < text->len; i++) {
		uint32_t c = text->at[i];
		const char *at = c < 0x80 && c > 0 ? strchr(short_ones, (int)c) : NULL;
		char escape[8];
		if (at != NULL) {
			wgc_push(out, '\\');
			wgc_push(out, (unsigned char)names[at - short_ones]);
		} else if (c < 0x20 || c >> 11 == 0x1B) {
			snprintf(escape, sizeof(escape), "\\u%04x", c & 0xFFFF);
			wgc_push_ascii(out, escape);
		} else {
			wgc_push(out, c);
		}
	}
	wgc_push(out, '"');
}

static void
zeros(wgc_text *out, int n)
{
	for (; n > 0; n--)
		wgc_push(out, '0');
}

/* Number::toString of ECMAScript, from the fewest digits that read back. */
static void
write_number(wgc_text *out, double x)
{
	char text[40] = "", digit[20] = "";
	if (x == 0) {
		wgc_push(out, '0');
		return;
	}
	for (int p = 0; p < 17; p++) {
		snprintf(text, sizeof(text), "%.*e", p, x < 0 ? -x : x);
		if (strtod(text, NULL) == (x < 0 ? -x : x))
			break;
	}
	int k = 0, n = 0;
	for (const char *p = text; *p != 'e'; p++)
		if (*p != '.')
			digit[k++] = *p;
	n = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1;
	digit[k] = '\0';
	if (x < 0)
		wgc_push(out, '-');
	if (n > 0 && n <= 21) {
		for (int i = 0; i < k; i++) {
			if (i == n)
				wgc_push(out, '.');
			wgc_push(out, (unsigned char)digit[i]);
		}
		zeros(out, n - k);
	} else if (n > -6 && n <= 0) {
		wgc_push_ascii(out, "0.");
		zeros(out, -n);
		wgc_push_ascii(out, digit);
	} else {
		wgc_push(out, (unsigned char)digit[0]);
		if (k > 1)
			wgc_push(out, '.');
		wgc_push_ascii(out, digit + 1);
		snprintf(text, sizeof(text), "e%c%d", n > 0 ? '+' : '-', abs(n - 1));
		wgc_push_ascii(out, text);
	}
}

static uint32_t
unit_at(const wgc_text *text, size_t *i, bool *second)
{
	uint32_t c = text->at[*i];
	if (c < 0x10000) {
		++*i;
		return c;
	}
	*second = !*second;
	if (*second)
		return 0xD800 + ((c - 0x10000) >> 10);
	++*i;
	return 0xDC00 + ((c - 0x10000) & 0x3FF);
}

static int
compare_units(const wgc_text *a, const wgc_text *b)
{
	size_t i = 0, k = 0;
	bool in_a = false, in_b = false;
	while (i < a->len && k < b->len) {
		uint32_t x = unit_at(a, &i, &in_a), y = unit_at(b, &k, &in_b);
		if (x != y)
			return x < y ? -1 : 1;
	}
	return i < a->len ? 1 : k < b->len ? -1 : 0;
}

/* The array index a name is (0 ... 2^32-2), or -1. */
static int64_t
index_of(const wgc_text *name)
{
	int64_t n = 0;
	if (name->len == 0 || name->len > 10 || (name->at[0] == '0' && name->len > 1))
		return -1;
	for (size_t i = 0; i < name->len; i++) {
		if (name->at[i] < '0' || name->at[i] > '9')
			return -1;
		n = n * 10 + (int64_t)name->at[i] - '0';
	}
	return n < 4294967295 ? n : -1;
}

static bool
comes_before(const wgc_doc *a, const wgc_doc *b, bool index_order)
{
	int64_t i = index_order ? index_of(&a->name) : -1;
	int64_t k = index_order ? index_of(&b->name) : -1;
	if (i >= 0 && k >= 0)
		return i < k;
	if (i >= 0 || k >= 0)
		return i >= 0;
	return compare_units(&a->name, &b->name) < 0;
}

/* The last of its name in the object. */
static bool
counts(const wgc_doc *doc, size_t i)
{
	for (size_t k = i + 1; k < doc->n; k++)
		if (compare_units(&doc->child[i].name, &doc->child[k].name) == 0)
			return false;
	return true;
}

static void write_canonical(wgc_text *out, const wgc_doc *doc, bool index_order);

/* Each time the smallest of those not yet written: plain, and quadratic. */
static void
write_object(wgc_text *out, const wgc_doc *doc, bool index_order)
{
	bool *written = wgc_alloc(doc->n), first = true;
	wgc_push(out, '{');
	for (;;) {
		size_t best = doc->n;
		for (size_t i = 0; i < doc->n; i++)
			if (!written[i] && counts(doc, i) &&
			    (best == doc->n ||
			     comes_before(&doc->child[i], &doc->child[best], index_order)))
				best = i;
		if (best == doc->n)
			break;
		written[best] = true;
		if (!first)
			wgc_push(out, ',');
		first = false;
		write_string(out, &doc->child[best].name);
		wgc_push(out, ':');
		write_canonical(out, &doc->child[best], index_order);
	}
	wgc_push(out, '}');
	free(written);
}

static void
write_canonical(wgc_text *out, const wgc_doc *doc, bool index_order)
{
	switch (doc->kind) {
	case WGC_DOC_NULL: wgc_push_ascii(out, "null"); return;
	case WGC_DOC_FALSE: wgc_push_ascii(out, "false"); return;
	case WGC_DOC_TRUE: wgc_push_ascii(out, "true"); return;
	case WGC_DOC_NUMBER: write_number(out, number_of(doc)); return;
	case WGC_DOC_STRING: write_string(out, &doc->text); return;
	case WGC_DOC_OBJECT: write_object(out, doc, index_order); return;
	case WGC_DOC_ARRAY:
		wgc_push(out, '[');
		for (size_t i = 0; i < doc->n; i++) {
			if (i > 0)
				wgc_push(out, ',');
			write_canonical(out, &doc->child[i], index_order);
		}
		wgc_push(out, ']');
		return;
	}
}

wgc_text
wgc_doc_canonical(const wgc_doc *doc, bool index_order)
{
	wgc_text out = { .form = WGC_SCALARS };
	write_canonical(&out, doc, index_order);
	return out;
}

/* --- In other words --- */

static void
space(wgc_text *out, uint64_t *random)
{
	static const char spaces[] = " \t\n\r";
	if (wgc_random_below(random, 4) == 0)
		wgc_push(out, (unsigned char)spaces[wgc_random_below(random, 4)]);
}

static void
reword_string(wgc_text *out, const wgc_text *text, uint64_t *random)
{
	char escape[16];
	wgc_push(out, '"');
	for (size_t i = 0; i < text->len; i++) {
		uint32_t c = text->at[i];
		bool must = c < 0x20 || c == '"' || c == '\\' || c >> 11 == 0x1B;
		if (!must && wgc_random_below(random, 3) > 0) {
			wgc_push(out, c);
			continue;
		}
		if (c >= 0x10000)
			snprintf(escape, sizeof(escape), "\\u%04X\\u%04x",
			         0xD800 + ((c - 0x10000) >> 10), 0xDC00 + (c & 0x3FF));
		else
			snprintf(escape, sizeof(escape), c & 1 ? "\\u%04x" : "\\u%04X", c);
		wgc_push_ascii(out, escape);
	}
	wgc_push(out, '"');
}

static void reword(wgc_text *out, const wgc_doc *doc, uint64_t *random);

static void
reword_members(wgc_text *out, const wgc_doc *doc, uint64_t *random)
{
	bool object = doc->kind == WGC_DOC_OBJECT;
	size_t shift = object && doc->n > 0 ? (size_t)wgc_random_below(random, doc->n) : 0;
	bool back = object && wgc_random_below(random, 2) == 0;
	wgc_push(out, object ? '{' : '[');
	for (size_t i = 0; i < doc->n; i++) {
		size_t at = ((back ? doc->n - 1 - i : i) + shift) % doc->n;
		if (i > 0)
			wgc_push(out, ',');
		space(out, random);
		if (object) {
			reword_string(out, &doc->child[at].name, random);
			space(out, random);
			wgc_push(out, ':');
		}
		reword(out, &doc->child[at], random);
	}
	space(out, random);
	wgc_push(out, object ? '}' : ']');
}

static void
reword(wgc_text *out, const wgc_doc *doc, uint64_t *random)
{
	space(out, random);
	if (doc->kind == WGC_DOC_STRING)
		reword_string(out, &doc->text, random);
	else if (doc->kind == WGC_DOC_NUMBER)
		wgc_push_all(out, &doc->text);
	else if (doc->kind == WGC_DOC_ARRAY || doc->kind == WGC_DOC_OBJECT)
		reword_members(out, doc, random);
	else
		write_canonical(out, doc, false);
	space(out, random);
}

wgc_text
wgc_doc_reworded(const wgc_doc *doc, uint64_t *random)
{
	wgc_text out = { .form = WGC_SCALARS };
	reword(&out, doc, random);
	return out;
}

bool
wgc_doc_change(wgc_doc *doc, uint64_t *random)
{
	if (doc->n > 0 && wgc_random_below(random, 4) > 0)
		return wgc_doc_change(&doc->child[wgc_random_below(random, doc->n)], random);
	if (doc->n > 0 && doc->kind == WGC_DOC_OBJECT) {
		wgc_push(&doc->child[0].name, 'x');
		return true;
	}
	switch (doc->kind) {
	case WGC_DOC_NULL: doc->kind = WGC_DOC_TRUE; return true;
	case WGC_DOC_TRUE: doc->kind = WGC_DOC_FALSE; return true;
	case WGC_DOC_FALSE: doc->kind = WGC_DOC_NULL; return true;
	case WGC_DOC_NUMBER: doc->kind = WGC_DOC_STRING; return true;
	case WGC_DOC_STRING: wgc_push(&doc->text, 'x'); return true;
	default: add_child(doc)->name = wgc_text_ascii("x"); return true;
	}
}
