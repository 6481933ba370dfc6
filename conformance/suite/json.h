/* json.h - one line of JSON: strict, ASCII, and with U+0000.
 *
 * The tree is cJSON's; reading and writing are ours, because cJSON's reader
 * takes more than RFC 8259 and cuts a string at \u0000, and its writer does
 * not escape. In the tree U+0000 is C0 80 ("modified UTF-8"). */
#ifndef WGC_JSON_H
#define WGC_JSON_H

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stddef.h>

/* Read one value, white space around it allowed. NULL, with *why in words, for
 * bytes outside ASCII, anything but RFC 8259, a lone surrogate, a duplicate
 * member, a number that is not an integer of at most 2^53-1, or more than
 * WGC_JSON_DEPTH containers inside each other. */
cJSON *wgc_json_read(const char *text, size_t len, const char **why);
#define WGC_JSON_DEPTH 1000

/* ASCII on one line, without spaces; free() it. */
char *wgc_json_write(const cJSON *value, size_t *len);
/* The same for people and files: indented by tabs. */
char *wgc_json_write_pretty(const cJSON *value);

/* Members in any order. Texts are compared as they are written (text.h knows
 * better). */
bool wgc_json_equal(const cJSON *a, const cJSON *b);

/* The member or NULL, whatever `object` is. */
const cJSON *wgc_json_get(const cJSON *object, const char *name);
/* The string member or NULL. */
const char *wgc_json_string(const cJSON *object, const char *name);
/* An array of strings has this one. */
bool wgc_json_lists(const cJSON *array, const char *name);
/* Exact integers; false if it is none. */
bool wgc_json_integer(const cJSON *value, long long *n);

/* Text that grows; out of memory ends the program. */
typedef struct wgc_string {
	char *ptr; /* always ends with a zero byte once something was added */
	size_t len, cap;
} wgc_string;

void wgc_put(wgc_string *out, const char *text);
void wgc_put_bytes(wgc_string *out, const char *bytes, size_t len);
void wgc_putf(wgc_string *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void wgc_put_json(wgc_string *out, const cJSON *value);

/* malloc, realloc, strdup and friends that end the program instead of
 * returning NULL: a verdict that was lost for want of memory is not one. */
void *wgc_alloc(size_t size);
void *wgc_grow(void *ptr, size_t size);
char *wgc_copy(const char *text);
char *wgc_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
