/* json.h - read JSON text strictly: no tree, no recursion, no allocation.
 *
 * A pull reader over RFC 8259 text that refuses what lenient parsers let
 * pass: ill-formed UTF-8, a byte order mark, control characters in strings,
 * numbers like 01 or 1., text after the document, and the same name twice in
 * one object. For a library that signs or rewrites what it parsed each of
 * those is a way to have one thing approved and another one run.
 *
 * Values stay text: a token is a range of bytes. Numbers are never converted,
 * so 19-digit ids survive.
 *
 * Work is O(n log n) for every input (names are sorted when their object
 * closes; there is no hash table to flood). Nesting is limited only by the
 * work area, which is always large enough.
 *
 * Threads: one reader belongs to one thread at a time. */
#ifndef WICKETGATE_JSON_H
#define WICKETGATE_JSON_H

#include "base.h"
#include "utf8.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wkg_json_kind {
	WKG_JSON_INVALID = 0,
	WKG_JSON_OBJECT_BEGIN = 1,
	WKG_JSON_OBJECT_END = 2,
	WKG_JSON_ARRAY_BEGIN = 3,
	WKG_JSON_ARRAY_END = 4,
	WKG_JSON_NAME = 5, /* of an object's member; its value comes next */
	WKG_JSON_STRING = 6,
	WKG_JSON_NUMBER = 7,
	WKG_JSON_TRUE = 8,
	WKG_JSON_FALSE = 9,
	WKG_JSON_NULL = 10,
	WKG_JSON_DONE = 11, /* the document was complete and correct */
} wkg_json_kind;

/* Bytes [from, to) of the document; strings and names with their quotes. */
typedef struct wkg_json_token {
	wkg_json_kind kind;
	size_t from;
	size_t to;
	size_t depth; /* containers around it; its own BEGIN/END do not count */
} wkg_json_token; /* of DONE: from = to = the length, depth 0 */

/* When are two names the same? */
typedef enum wkg_json_names {
	WKG_JSON_NAMES_INVALID = 0,
	/* Their characters are equal once escapes are undone (every surrogate
	 * without its partner is U+FFFD). */
	WKG_JSON_NAMES_EXACT = 1,
	/* ... and the characters that this profile strips are left out (S6). */
	WKG_JSON_NAMES_REFERENCE = 2,
	WKG_JSON_NAMES_HARDENED = 3,
} wkg_json_names;

/* Where and why a document was refused. */
typedef struct wkg_json_error {
	/* Offset of the first byte that no valid document could have there (of
	 * an ill-formed sequence: its first byte); the length if the document
	 * ends too early. For a duplicate: of the second name's quote. They
	 * are looked for when their object closes; of several pairs in it the
	 * one whose second name comes first is reported. */
	size_t at;
	size_t first;     /* of the first name's quote if WKG_E_DUPLICATE, else 0 */
	const char *what; /* constant text, "" if there was no error */
} wkg_json_error;

/* Private: a name of an open object, or the frame below its names. */
typedef struct wkg_json_name {
	uint32_t at;   /* offset of its opening quote */
	uint32_t text; /* where its compared form starts in `texts` */
} wkg_json_name;

/* Complete so that it can live on the stack; the contents are private, except
 * `error`, which may be read after a call failed. */
typedef struct wkg_json_reader {
	wkg_span doc;
	wkg_json_names names;
	wkg_status status; /* the first failure, returned by every later call */
	wkg_json_error error;
	size_t at;
	size_t depth;
	int expect;
	size_t path_depth;
	uint32_t *path;       /* per level: offset of the name, or index */
	wkg_json_name *stack; /* names of all open objects, with frames */
	size_t stack_top;
	size_t stack_cap;
	size_t names_base;  /* where the innermost object's names start */
	uint8_t *texts;     /* the names as they are compared */
	size_t texts_top;
	uint8_t *is_object; /* one bit per open container */
} wkg_json_reader;

/* Scratch a reader needs for a document of `n` bytes when paths are wanted for
 * values in up to `path_depth` containers: about 5.2 n + 4 path_depth.
 * SIZE_MAX if `n` is above WKG_JSON_LENGTH_MAX: such documents are refused. */
#define WKG_JSON_LENGTH_MAX (SIZE_MAX / 8 < 0xFFFFFFFFu ? SIZE_MAX / 8 : 0xFFFFFFFFu)
WKG_API size_t wkg_json_work_size(size_t n, size_t path_depth);

/* Start reading. The reader keeps pointers to the document and the work area.
 * After a failure the reader refuses every call.
 *
 * WKG_E_ARGUMENT: `names` is not one of the three, NULL, an overlap.
 * WKG_E_SPACE:    the work area is below wkg_json_work_size(), or none is large
 *                 enough. */
WKG_API WKG_MUST_USE wkg_status
wkg_json_open(wkg_json_reader *reader, wkg_span doc, wkg_json_names names,
              size_t path_depth, wkg_work work);

/* The next token; WKG_JSON_DONE at the end and ever after. Once it has failed
 * it fails the same way for ever. Do not act on earlier tokens before DONE:
 * only then is the document known to be correct.
 *
 * WKG_E_ENCODING, WKG_E_SYNTAX, WKG_E_DUPLICATE: see reader->error. */
WKG_API WKG_MUST_USE wkg_status
wkg_json_next(wkg_json_reader *reader, wkg_json_token *token);

/* The character at `at` inside a string token that a reader returned: escapes
 * undone, surrogate pairs joined. `len` is the bytes used, up to 12; a
 * surrogate escape without its partner is U+FFFD and `ill_formed`. At the
 * closing quote `len` is 0. */
WKG_API wkg_char wkg_json_char(wkg_span doc, size_t at);

/* Where a value stands, as a human reads it: `items[2].desc` (S10). */
#define WKG_JSON_PATH_MAX 256u
typedef struct wkg_json_path {
	uint8_t text[WKG_JSON_PATH_MAX]; /* UTF-8, no hidden characters */
	size_t len;
	bool cut; /* the rest did not fit */
} wkg_json_path;

/* The path of the value that is the last token, or that the name which is the
 * last token introduces: names joined by dots, elements as [n], empty for the
 * root. Deeper than `path_depth` it is the path down to there, and `cut`.
 * Names are written as the reader compares them; one that is empty or not
 * [A-Za-z0-9_-]+ is written ["..."], escaped, with ignorables as \u. */
WKG_API wkg_json_path wkg_json_path_of(const wkg_json_reader *reader,
                                       const wkg_json_token *token);

/* Append `text` as a JSON string with quotes, escaped as RFC 8785 says and no
 * more; ill-formed bytes become U+FFFD.
 *
 * WKG_E_ARGUMENT: `text` overlaps `out`. WKG_E_SPACE: it does not fit; room for
 * the bound, 6n + 2 (SIZE_MAX if that overflows), always suffices. */
WKG_API size_t wkg_json_quote_bound(size_t n);
WKG_API WKG_MUST_USE wkg_status wkg_json_quote(wkg_buf *out, wkg_span text);

#ifdef __cplusplus
}
#endif
#endif
