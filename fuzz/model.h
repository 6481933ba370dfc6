/* model.h - the slow twins: what sanitizer and JSON strings must come to.
 *
 * Each is the shortest way to say the rule, over arrays of characters, and is
 * meant to be checked against the specification by eye. Set membership comes
 * from the library's table, which fuzz/table.c and conformance/table.py hold
 * to its own claims; the reference set is small enough to be written out. */
#ifndef WKG_FUZZ_MODEL_H
#define WKG_FUZZ_MODEL_H

#include "check.h"
#include "places.h"

#include <wicketgate/json.h>
#include <wicketgate/sanitize.h>
#include <wicketgate/table.h>

/* ---- S: what is stripped, what is cut -------------------------------- */

/* S1, as the document lists it. */
static inline bool
model_reference_strips(uint32_t c)
{
	return (c <= 0x1F && c != '\t' && c != '\n') ||
	       (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x180E ||
	       (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
	       (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
	       (c >= 0xE0000 && c <= 0xE007F);
}

/* Stripped wherever it stands. CR is not among these in hardened, but does not
 * stay either. */
static inline bool
model_strips(wkg_profile profile, uint32_t c)
{
	if (profile == WKG_PROFILE_REFERENCE)
		return model_reference_strips(c);
	return (wkg_table_sets(c) & WKG_SET_STRIP_HARDENED) != 0;
}

static inline size_t
model_units(uint32_t c, wkg_unit unit)
{
	if (unit == WKG_UNIT_UTF16)
		return c > 0xFFFF ? 2 : 1;
	if (unit == WKG_UNIT_BYTE)
		return 1u + (c > 0x7F) + (c > 0x7FF) + (c > 0xFFFF);
	return 1;
}

/* CRLF and lone CR are LF. Returns how many were lone. */
static inline size_t
model_line_ends(check_chars *text)
{
	bool *stays = places_flags(text);
	size_t lone = 0;
	for (size_t i = 0; i < text->len; i++) {
		bool cr = text->code[i] == '\r';
		stays[i] = !cr || i + 1 == text->len || text->code[i + 1] != '\n';
		lone += cr && stays[i];
		if (cr)
			text->code[i] = '\n';
	}
	places_keep(text, stays);
	return lone;
}

static inline void
model_strip(check_chars *text, wkg_profile profile)
{
	bool *stays = places_flags(text);
	for (size_t i = 0; i < text->len; i++)
		stays[i] = !model_strips(profile, text->code[i]);
	places_keep(text, stays);
}

/* Where the text must end: at the last place at which it may be cut and which
 * is not beyond the limit. */
static inline size_t
model_end(const check_chars *text, wkg_profile profile, wkg_unit unit, size_t limit)
{
	size_t end = 0, used = 0;
	for (size_t i = 0; i <= text->len && used <= limit; i++) {
		if (profile == WKG_PROFILE_REFERENCE || places_may_cut(text, i))
			end = i;
		if (i < text->len)
			used += model_units(text->code[i], unit);
	}
	return end;
}

/* S3: strip first, then cut. In place; returns what the report must say. */
static inline wkg_sanitize_report
model_sanitize(check_chars *text, wkg_profile profile, wkg_unit unit,
               size_t limit)
{
	wkg_sanitize_report report = { 0, text->ill_formed, 0 };
	size_t before = text->len;
	if (profile == WKG_PROFILE_HARDENED)
		report.replaced += model_line_ends(text);
	model_strip(text, profile);
	if (profile == WKG_PROFILE_HARDENED)
		places_apply(text);
	report.stripped = before - text->len;

	size_t end = model_end(text, profile, unit, limit);
	report.truncated = end < text->len;
	text->len = end;
	return report;
}

/* Give `source` this limit, unless it is 0, and every other source one that
 * shows when it is taken by mistake. */
static inline void
model_set_limit(wkg_source_limits *limits, wkg_source source, size_t limit)
{
	size_t *each[] = { &limits->chat, &limits->webhook, &limits->form_event,
		           &limits->retrieval, &limits->tool_result };
	for (size_t i = 0; limit > 0 && i < 5; i++)
		*each[i] = i + 1 == source ? limit : limit + 1;
	CHECK(wkg_source_limit(limits, source) == *each[source - 1]);
}

/* ---- JSON strings ---------------------------------------------------- */

static inline uint32_t
model_hex4(const uint8_t *p)
{
	uint32_t value = 0;
	for (int i = 0; i < 4; i++)
		value = value * 16 + (uint32_t)check_hex_digit(p[i]);
	return value;
}

/* The characters of a valid JSON string, quotes included in `string`, and where
 * in it each of them begins, if `from` is not NULL: room for string.len. UTF-16
 * units first, pairs joined afterwards: the way the RFC describes it. */
static inline check_chars
model_json_chars_from(wkg_span string, size_t *from)
{
	static const char name[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
	check_chars text = check_chars_new(string.len);

	for (size_t at = 1; at + 1 < string.len;) {
		wkg_char c = check_decode(string, at);
		if (c.code == '\\' && string.ptr[at + 1] == 'u') {
			c.code = model_hex4(string.ptr + at + 2);
			c.len = 6;
		} else if (c.code == '\\') {
			const char *p = strchr(name, string.ptr[at + 1]);
			CHECK(p != NULL);
			c.code = (uint8_t)meaning[p - name];
			c.len = 2;
		}
		if (from != NULL)
			from[text.len] = at;
		check_chars_add(&text, c);
		at += c.len;
	}

	size_t kept = 0;
	for (size_t i = 0; i < text.len; i++) {
		uint32_t c = text.code[i];
		uint32_t next = i + 1 < text.len ? text.code[i + 1] : 0;
		if (from != NULL)
			from[kept] = from[i];
		if (c >= 0xD800 && c <= 0xDBFF && next >= 0xDC00 &&
		    next <= 0xDFFF) {
			c = 0x10000 + ((c - 0xD800) << 10) + (next - 0xDC00);
			i++;
		} else if (c >= 0xD800 && c <= 0xDFFF) {
			c = 0xFFFD;
			text.ill_formed++;
		}
		text.code[kept++] = c;
	}
	text.len = kept;
	return text;
}

static inline check_chars
model_json_chars(wkg_span string)
{
	return model_json_chars_from(string, NULL);
}

/* RFC 8785, 3.2.2.2: two-character escapes where there are any, \u00hh for
 * the other controls, everything else as it is. */
static inline wkg_buf
model_json_quote(const check_chars *text)
{
	static const char named[] = "\b\t\n\f\r\"\\", name[] = "btnfr\"\\";
	wkg_buf out = check_buf(6 * text->len + 3);

	out.ptr[out.len++] = '"';
	for (size_t i = 0; i < text->len; i++) {
		uint32_t c = text->code[i];
		const char *p = c > 0 && c < 0x80 ? strchr(named, (int)c)
		                                  : NULL;
		if (p != NULL) {
			out.ptr[out.len++] = '\\';
			out.ptr[out.len++] = (uint8_t)name[p - named];
		} else if (c < 0x20) {
			/* the last byte of `out` is for snprintf's NUL */
			snprintf((char *)out.ptr + out.len, 7, "\\u%04x",
			         (unsigned)c);
			out.len += 6;
		} else {
			check_encode(&out, c);
		}
	}
	out.ptr[out.len++] = '"';
	return out;
}

/* ---- documents, token by token --------------------------------------- */

typedef struct model_reading {
	wkg_span doc;
	wkg_json_reader reader;
	wkg_json_token token;
	size_t gap; /* where the last token ended */
	void *memory;
} model_reading;

static inline void
model_open(model_reading *r, wkg_span doc, wkg_profile profile)
{
	size_t size = wkg_json_work_size(doc.len, 0);
	r->doc = doc;
	r->memory = malloc(size);
	CHECK(r->memory != NULL);
	wkg_work work = { r->memory, size };
	wkg_json_names names = profile == WKG_PROFILE_HARDENED
	                               ? WKG_JSON_NAMES_HARDENED
	                               : WKG_JSON_NAMES_REFERENCE;
	CHECK(wkg_json_open(&r->reader, doc, names, 0, work) == WKG_OK);
	r->token.to = 0;
}

static inline void
model_next(model_reading *r)
{
	r->gap = r->token.to;
	CHECK(wkg_json_next(&r->reader, &r->token) == WKG_OK);
}

static inline wkg_span
model_token_text(const model_reading *r)
{
	wkg_span text = { r->doc.ptr + r->token.from,
		          r->token.to - r->token.from };
	return text;
}

static inline wkg_span
model_gap_text(const model_reading *r)
{
	wkg_span text = { r->doc.ptr + r->gap, r->token.from - r->gap };
	return text;
}

static inline bool
model_begins_container(const model_reading *r)
{
	return r->token.kind == WKG_JSON_OBJECT_BEGIN ||
	       r->token.kind == WKG_JSON_ARRAY_BEGIN;
}

/* A call that refused a document must say what the reader says of it. */
static inline void
model_refuses(wkg_span doc, wkg_profile profile, wkg_status status,
              const wkg_json_error *error)
{
	model_reading r;
	model_open(&r, doc, profile);
	wkg_status got;
	do
		got = wkg_json_next(&r.reader, &r.token);
	while (got == WKG_OK && r.token.kind != WKG_JSON_DONE);
	CHECK(got == status);
	CHECK(error->at == r.reader.error.at);
	CHECK(error->at <= doc.len);
	CHECK(error->first == r.reader.error.first);
	CHECK(error->what == r.reader.error.what);
	free(r.memory);
}

#endif
