/* text.h - the texts of PROTOCOL.md 3, read and compared.
 *
 * A text that is well-formed is its code points, whatever form it travelled
 * in; one that is not is the bytes or code units it consists of. */
#ifndef WGC_TEXT_H
#define WGC_TEXT_H

#include "json.h"

#include <stdint.h>

typedef enum wgc_text_form {
	WGC_SCALARS, /* Unicode scalar values */
	WGC_BYTES,   /* ill-formed UTF-8 */
	WGC_UTF16    /* UTF-16 with a lone surrogate */
} wgc_text_form;

typedef struct wgc_text {
	wgc_text_form form;
	size_t len;
	uint32_t *at; /* one element each: a code point, a byte or a code unit; once
	                 read never NULL, not even of an empty text */
} wgc_text;

/* Expanded texts are at most this long. */
#define WGC_TEXT_MAX ((size_t)32 << 20)

/* False, with *why, if `json` is not a text, or too long a one. */
bool wgc_text_read(const cJSON *json, wgc_text *text, const char **why);
void wgc_text_clear(wgc_text *text);
wgc_text wgc_text_of(wgc_text_form form, const uint32_t *at, size_t len);
wgc_text wgc_text_ascii(const char *ascii);

/* The rest from element i on, borrowed. */
wgc_text wgc_text_from(const wgc_text *text, size_t i);

/* As JSON: a string where a string can say it, else $hex or $u16. */
cJSON *wgc_text_json(const wgc_text *text);
/* As $hex ("hex") or $u16 whatever it is; NULL if that form cannot say it. */
cJSON *wgc_text_json_hex(const wgc_text *text);
cJSON *wgc_text_json_u16(const wgc_text *text);

bool wgc_text_same(const wgc_text *a, const wgc_text *b);
/* The same for two JSON texts; false if either is none. */
bool wgc_text_json_same(const cJSON *a, const cJSON *b);

/* UTF-8 (or the ill-formed bytes). False: a lone surrogate. free() *bytes. */
bool wgc_text_bytes(const wgc_text *text, uint8_t **bytes, size_t *len);
/* How long it is in "codepoint", "utf16" or "byte". */
size_t wgc_text_length(const wgc_text *text, const char *unit);

/* Any of $u16, $hex in it? For texts that need a feature. */
bool wgc_text_uses(const cJSON *json, const char *tag);

/* A code point that a report may show as it is: an allow-list of printable
 * ASCII and of letters and signs that certainly draw something. */
bool wgc_is_plain(uint32_t code_point);
/* For people: what is not printable ASCII as <U+200B>, ill-formed bytes as
 * <byte FF>, units as <unit D800>; cut after `max` elements. ASCII; free(). */
char *wgc_text_chips(const wgc_text *text, size_t max);

#endif
