/* text.c - texts in their five forms, and as people may see them. */
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* While a text is put together: everything as the narrowest form that all its
 * parts share. Strings are scalars until bytes or code units come in. */
typedef struct builder {
	wgc_text text;
	size_t cap;
	const char *why;
} builder;

static bool
refuse(builder *b, const char *why)
{
	if (b->why == NULL)
		b->why = why;
	return false;
}

static bool
push(builder *b, uint32_t element)
{
	if (b->text.len == WGC_TEXT_MAX)
		return refuse(b, "a text that is too long");
	if (b->text.len == b->cap) {
		b->cap = b->cap * 2 + 16;
		b->text.at = wgc_grow(b->text.at, b->cap * sizeof(uint32_t));
	}
	b->text.at[b->text.len++] = element;
	return true;
}

static bool
push_all(builder *b, const wgc_text *text)
{
	for (size_t i = 0; i < text->len; i++)
		if (!push(b, text->at[i]))
			return false;
	return true;
}

/* --- Between the forms --- */

static size_t
utf8_of(uint32_t c, uint8_t out[4])
{
	if (c < 0x80)
		return out[0] = (uint8_t)c, (size_t)1;
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (uint8_t)(0x80 | (c & 0x3F));
	static const uint8_t lead[5] = { 0, 0, 0xC0, 0xE0, 0xF0 };
	out[0] = (uint8_t)(lead[n] | c);
	return n;
}

static size_t
utf16_of(uint32_t c, uint32_t out[2])
{
	if (c < 0x10000)
		return out[0] = c, (size_t)1;
	out[0] = 0xD800 + ((c - 0x10000) >> 10);
	out[1] = 0xDC00 + ((c - 0x10000) & 0x3FF);
	return 2;
}

static bool
is_surrogate(uint32_t c)
{
	return c >= 0xD800 && c < 0xE000;
}

/* Scalars as bytes or code units. */
static wgc_text
widened(const wgc_text *text, wgc_text_form form)
{
	builder b = { .text = { .form = form } };
	for (size_t i = 0; i < text->len; i++) {
		uint8_t bytes[4];
		uint32_t units[2];
		size_t n = form == WGC_BYTES ? utf8_of(text->at[i], bytes)
		                             : utf16_of(text->at[i], units);
		for (size_t k = 0; k < n; k++)
			push(&b, form == WGC_BYTES ? bytes[k] : units[k]);
	}
	return b.text;
}

/* One scalar of UTF-8 by table 3-7 of the Unicode standard; 0 if there is none,
 * else its length. */
static size_t
scalar_at(const uint32_t *at, size_t len, uint32_t *c)
{
	uint32_t lead = at[0];
	size_t n = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2
	           : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
	if (n == 0 || n > len)
		return 0;
	*c = n == 1 ? lead : lead & (0x7Fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((at[i] & 0xC0) != 0x80)
			return 0;
		*c = *c << 6 | (at[i] & 0x3F);
	}
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	return *c < least[n] || *c > 0x10FFFF || is_surrogate(*c) ? 0 : n;
}

static size_t
scalar_at_unit(const uint32_t *at, size_t len, uint32_t *c)
{
	*c = at[0];
	if (!is_surrogate(at[0]))
		return 1;
	if (at[0] >= 0xDC00 || len < 2 || at[1] < 0xDC00 || at[1] >= 0xE000)
		return 0;
	*c = 0x10000 + ((at[0] - 0xD800) << 10) + (at[1] - 0xDC00);
	return 2;
}

/* Bytes or code units that are well-formed become scalars. */
static void
settle(wgc_text *text)
{
	if (text->form == WGC_SCALARS)
		return;
	builder b = { .text = { .form = WGC_SCALARS } };
	for (size_t i = 0; i < text->len;) {
		uint32_t c = 0;
		size_t n = text->form == WGC_BYTES
		                   ? scalar_at(text->at + i, text->len - i, &c)
		                   : scalar_at_unit(text->at + i, text->len - i, &c);
		if (n == 0) {
			wgc_text_clear(&b.text);
			return;
		}
		push(&b, c);
		i += n;
	}
	wgc_text_clear(text);
	*text = b.text;
}

/* So that `at + len` may be formed of an empty text too. */
static wgc_text
finished(builder *b)
{
	settle(&b->text);
	if (b->text.at == NULL)
		b->text.at = wgc_alloc(sizeof(uint32_t));
	return b->text;
}

/* --- Reading --- */

static void read_any(builder *b, const cJSON *json, int depth);

/* The tree's modified UTF-8: well-formed but for C0 80. */
static void
read_string(builder *b, const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
		uint32_t c = *p++;
		int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
		if (more > 0)
			c &= 0x3Fu >> more;
		for (; more > 0 && *p != '\0'; more--)
			c = c << 6 | (*p++ & 0x3F);
		if (!push(b, c))
			return;
	}
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void
read_hex(builder *b, const cJSON *json, wgc_text_form form)
{
	size_t width = form == WGC_BYTES ? 2 : 4;
	if (!cJSON_IsString(json) || strlen(json->valuestring) % width != 0) {
		refuse(b, "hex digits that are no text");
		return;
	}
	b->text.form = form;
	for (const char *p = json->valuestring; *p != '\0'; p += width) {
		uint32_t element = 0;
		for (size_t i = 0; i < width; i++) {
			int digit = hex_digit(p[i]);
			if (digit < 0) {
				refuse(b, "not lower-case hex digits");
				return;
			}
			element = element << 4 | (uint32_t)digit;
		}
		if (!push(b, element))
			return;
	}
}

static void
read_rep(builder *b, const cJSON *json, int depth)
{
	long long n;
	if (cJSON_GetArraySize(json) != 2 ||
	    !wgc_json_integer(json->child->next, &n) || n < 0 || n > 8388608) {
		refuse(b, "$rep is not [text, 0..8388608]");
		return;
	}
	builder once = { 0 };
	read_any(&once, json->child, depth + 1);
	b->text.form = once.text.form;
	if (once.why != NULL)
		refuse(b, once.why);
	for (; n > 0 && once.text.len > 0 && b->why == NULL; n--)
		push_all(b, &once.text);
	wgc_text_clear(&once.text);
}

/* Append a part, in the form that both can say. */
static void
append(builder *b, builder *part)
{
	wgc_text_form form = part->text.form;
	if (form != WGC_SCALARS && b->text.form == WGC_SCALARS) {
		wgc_text wide = widened(&b->text, form);
		wgc_text_clear(&b->text);
		b->text = wide;
		b->cap = wide.len;
	}
	if (form == b->text.form) {
		push_all(b, &part->text);
	} else if (form == WGC_SCALARS) {
		wgc_text wide = widened(&part->text, b->text.form);
		push_all(b, &wide);
		wgc_text_clear(&wide);
	} else {
		refuse(b, "$hex and $u16 in one text");
	}
}

static void
read_cat(builder *b, const cJSON *json, int depth)
{
	if (!cJSON_IsArray(json)) {
		refuse(b, "$cat is not a list");
		return;
	}
	for (const cJSON *item = json->child; item != NULL && b->why == NULL;
	     item = item->next) {
		builder part = { 0 };
		read_any(&part, item, depth + 1);
		if (part.why != NULL)
			refuse(b, part.why);
		else
			append(b, &part);
		wgc_text_clear(&part.text);
	}
}

static void
read_any(builder *b, const cJSON *json, int depth)
{
	const cJSON *only = cJSON_IsObject(json) ? json->child : NULL;
	if (cJSON_IsString(json))
		read_string(b, json->valuestring);
	else if (only == NULL || only->next != NULL || depth > 64)
		refuse(b, "not a text");
	else if (strcmp(only->string, "$hex") == 0)
		read_hex(b, only, WGC_BYTES);
	else if (strcmp(only->string, "$u16") == 0)
		read_hex(b, only, WGC_UTF16);
	else if (strcmp(only->string, "$rep") == 0)
		read_rep(b, only, depth);
	else if (strcmp(only->string, "$cat") == 0)
		read_cat(b, only, depth);
	else
		refuse(b, "not a text");
}

bool
wgc_text_read(const cJSON *json, wgc_text *text, const char **why)
{
	builder b = { 0 };
	read_any(&b, json, 0);
	if (why != NULL)
		*why = b.why;
	if (b.why == NULL) {
		*text = finished(&b);
		return true;
	}
	wgc_text_clear(&b.text);
	*text = b.text;
	return false;
}

void
wgc_text_clear(wgc_text *text)
{
	free(text->at);
	*text = (wgc_text){ 0 };
}

wgc_text
wgc_text_of(wgc_text_form form, const uint32_t *at, size_t len)
{
	builder b = { .text = { .form = form } };
	for (size_t i = 0; i < len; i++)
		push(&b, at[i]);
	return finished(&b);
}

wgc_text
wgc_text_ascii(const char *ascii)
{
	builder b = { 0 };
	read_string(&b, ascii);
	return finished(&b);
}

wgc_text
wgc_text_from(const wgc_text *text, size_t i)
{
	if (i >= text->len)
		return (wgc_text){ .form = text->form, .at = text->at };
	return (wgc_text){ text->form, text->len - i, text->at + i };
}

/* --- Writing --- */

static cJSON *
tagged(const char *tag, const wgc_text *text, const char *format)
{
	wgc_string hex = { 0 };
	wgc_put(&hex, "");
	for (size_t i = 0; i < text->len; i++) {
		char digits[8];
		snprintf(digits, sizeof(digits), format, text->at[i]);
		wgc_put(&hex, digits);
	}
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, tag, hex.ptr);
	free(hex.ptr);
	return object;
}

static cJSON *
as_string(const wgc_text *text)
{
	wgc_string out = { 0 };
	wgc_put(&out, "");
	for (size_t i = 0; i < text->len; i++) {
		uint8_t bytes[4];
		size_t n = utf8_of(text->at[i], bytes);
		if (text->at[i] == 0) /* modified UTF-8 (json.h) */
			wgc_put(&out, "\xC0\x80");
		else
			wgc_put_bytes(&out, (const char *)bytes, n);
	}
	cJSON *string = cJSON_CreateString(out.ptr);
	free(out.ptr);
	return string;
}

cJSON *
wgc_text_json(const wgc_text *text)
{
	switch (text->form) {
	case WGC_SCALARS: return as_string(text);
	case WGC_BYTES: return tagged("$hex", text, "%02" PRIx32);
	case WGC_UTF16: return tagged("$u16", text, "%04" PRIx32);
	}
	return NULL;
}

static cJSON *
in_form(const wgc_text *text, wgc_text_form form)
{
	if (text->form == form)
		return wgc_text_json(text);
	if (text->form != WGC_SCALARS)
		return NULL;
	wgc_text wide = widened(text, form);
	cJSON *json = wgc_text_json(&wide);
	wgc_text_clear(&wide);
	return json;
}

cJSON *
wgc_text_json_hex(const wgc_text *text)
{
	return in_form(text, WGC_BYTES);
}

cJSON *
wgc_text_json_u16(const wgc_text *text)
{
	return in_form(text, WGC_UTF16);
}

/* --- Comparing and measuring --- */

bool
wgc_text_same(const wgc_text *a, const wgc_text *b)
{
	return a->form == b->form && a->len == b->len &&
	       (a->len == 0 ||
	        memcmp(a->at, b->at, a->len * sizeof(uint32_t)) == 0);
}

bool
wgc_text_json_same(const cJSON *a, const cJSON *b)
{
	wgc_text left, right;
	if (!wgc_text_read(a, &left, NULL))
		return false;
	bool same = wgc_text_read(b, &right, NULL) &&
	            wgc_text_same(&left, &right);
	wgc_text_clear(&left);
	wgc_text_clear(&right);
	return same;
}

bool
wgc_text_bytes(const wgc_text *text, uint8_t **bytes, size_t *len)
{
	if (text->form == WGC_UTF16)
		return false;
	wgc_string out = { 0 };
	wgc_put(&out, "");
	for (size_t i = 0; i < text->len; i++) {
		uint8_t b[4] = { (uint8_t)text->at[i] };
		size_t n = text->form == WGC_BYTES ? 1 : utf8_of(text->at[i], b);
		wgc_put_bytes(&out, (const char *)b, n);
	}
	*bytes = (uint8_t *)out.ptr;
	*len = out.len;
	return true;
}

size_t
wgc_text_length(const wgc_text *text, const char *unit)
{
	size_t len = 0;
	if (text->form != WGC_SCALARS || strcmp(unit, "codepoint") == 0)
		return text->len;
	for (size_t i = 0; i < text->len; i++) {
		uint8_t bytes[4];
		uint32_t units[2];
		len += strcmp(unit, "byte") == 0 ? utf8_of(text->at[i], bytes)
		                                 : utf16_of(text->at[i], units);
	}
	return len;
}

bool
wgc_text_uses(const cJSON *json, const char *tag)
{
	if (cJSON_IsObject(json) && wgc_json_get(json, tag) != NULL)
		return true;
	if (!cJSON_IsObject(json) && !cJSON_IsArray(json))
		return false;
	for (const cJSON *item = json->child; item != NULL; item = item->next)
		if (wgc_text_uses(item, tag))
			return true;
	return false;
}

/* --- For people --- */

/* Blocks whose every code point is drawn, on its own, in a cell. Marks that
 * combine, fillers, variation selectors and spaces are deliberately out. */
static const uint32_t plain[][2] = {
	{ 0x0020, 0x007E }, { 0x00A1, 0x00AC }, { 0x00AE, 0x02FF },
	{ 0x0391, 0x03A9 }, { 0x03B1, 0x03C9 }, { 0x0400, 0x0481 },
	{ 0x2013, 0x2014 }, { 0x2018, 0x201F }, { 0x2026, 0x2026 },
	{ 0x2190, 0x21FF }, { 0x2200, 0x22FF }, { 0x2500, 0x25FF },
	{ 0x26A0, 0x26A0 }, { 0x3001, 0x3029 }, { 0x3041, 0x3096 },
	{ 0x30A1, 0x30FE }, { 0x4E00, 0x9FFF }, { 0xAC00, 0xD7A3 },
	{ 0xFF01, 0xFF5E }, { 0x1F300, 0x1F3FA }, { 0x1F400, 0x1F64F },
	{ 0x1F680, 0x1F6C5 },
};

bool
wgc_is_plain(uint32_t code_point)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (code_point >= plain[i][0] && code_point <= plain[i][1])
			return true;
	return false;
}

char *
wgc_text_chips(const wgc_text *text, size_t max)
{
	static const char *const formats[] = {
		[WGC_SCALARS] = "<U+%04" PRIX32 ">",
		[WGC_BYTES] = "<byte %02" PRIX32 ">",
		[WGC_UTF16] = "<unit %04" PRIX32 ">",
	};
	wgc_string out = { 0 };
	wgc_put(&out, "");
	for (size_t i = 0; i < text->len && i < max; i++) {
		uint32_t c = text->at[i];
		if (c >= 0x20 && c < 0x7F)
			wgc_putf(&out, "%c", (int)c);
		else
			wgc_putf(&out, formats[text->form], c);
	}
	if (text->len > max)
		wgc_putf(&out, "... (%zu in all)", text->len);
	return out.ptr;
}
