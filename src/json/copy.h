/* copy.h - what the modules that rewrite documents share: payload, moderate. */
#ifndef WKG_COPY_H
#define WKG_COPY_H

#include "../internal.h"

#include <wicketgate/json.h>

/* Text inside a JSON string, written as RFC 8785 says. */
WKG_HIDDEN extern const wkg__notation wkg__json_string;

/* Rewriting a document: it is copied, and here and there something else is
 * written in the place of a part of it. */
typedef struct wkg__copy {
	wkg_json_reader reader;
	wkg_buf out;
	size_t copied; /* how much of the document `out` accounts for */
} wkg__copy;

/* Everything up to here stays as it is. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__copy_until(wkg__copy *copy, size_t to);

/* Read on to the end of the container that `begin` opened: a document is valid
 * as a whole or not at all. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__copy_skip(wkg__copy *copy, const wkg_json_token *begin, size_t *end);

/* The end of the JSON string whose opening quote is at `at`, for texts that hold
 * one without being a document. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__json_string_end(wkg_span text, size_t at, size_t *end,
                     wkg_json_error *error);

#endif
