/* schema.h - what parameters an action accepts, as a table.
 *
 *     static const wkg_field refund[] = {
 *         { .name = "orderId", .type = WKG_TYPE_STRING, .max_length = 40,
 *           .pattern = "[A-Z]+-[0-9]+" },
 *         { .name = "amountMinor", .type = WKG_TYPE_INTEGER,
 *           .has_minimum = true, .minimum = 1 },
 *         { .name = NULL },
 *     };
 *
 * A table says everything that may be there: unknown members are refused. It
 * only looks. Nothing is converted, trimmed, filled in or left out, so the
 * handler gets exactly the bytes that were hashed and approved (X2). */
#ifndef WICKETGATE_SCHEMA_H
#define WICKETGATE_SCHEMA_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wkg_type {
	WKG_TYPE_INVALID = 0, /* matches nothing */
	WKG_TYPE_STRING = 1,
	WKG_TYPE_NUMBER = 2,
	WKG_TYPE_INTEGER = 3, /* a number without a fraction, at most 2^53 - 1 */
	WKG_TYPE_BOOLEAN = 4,
	WKG_TYPE_OBJECT = 5,
	WKG_TYPE_ARRAY = 6,
	WKG_TYPE_ANY = 7,
} wkg_type;

/* One member of an object. A length that is 0 is no limit. */
typedef struct wkg_field {
	const char *name; /* ASCII; NULL ends a table */
	wkg_type type;
	bool optional;
	/* Of a string, in UTF-16 units; of an array, in elements. */
	size_t min_length;
	size_t max_length;
	/* Of a number, both inclusive. */
	bool has_minimum;
	bool has_maximum;
	double minimum;
	double maximum;
	/* Of a string, the whole of it: a sequence of characters, `.` for any,
	 * and sets like [a-z0-9_-], each followed by nothing, `*`, `+`, `?` or
	 * {n}. Each takes as many characters as it can and gives none back.
	 * ASCII only: of other characters it can say `.` and nothing else. */
	const char *pattern;
	const char *const *one_of; /* of a string; UTF-8; ended by NULL */
	/* Of a string: any further rule, on its unescaped characters. Not
	 * called for strings above 128 bytes, which are then refused. */
	bool (*accepts)(wkg_span text);
	const struct wkg_field *members;  /* of an object; NULL: any members */
	const struct wkg_field *elements; /* of an array: one row; NULL: any */
} wkg_field;

/* Where a value is not what its table says. */
typedef struct wkg_schema_error {
	size_t at;
	const char *what; /* constant text, "" without an error */
} wkg_schema_error;

WKG_API size_t wkg_schema_work_size(size_t n);

/* Check a JSON object against a table. `error` may be NULL.
 *
 * WKG_E_INVALID: it does not match. WKG_E_SYNTAX and the like: not I-JSON.
 * WKG_E_SPACE:   the work area is too small. */
WKG_API WKG_MUST_USE wkg_status
wkg_schema_check(wkg_span json, const wkg_field *table, wkg_work work,
                 wkg_schema_error *error);

#ifdef __cplusplus
}
#endif
#endif
