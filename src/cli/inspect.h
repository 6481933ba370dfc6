/* inspect.h - private to the inspect command: what was found, and where. */
#ifndef WICKETGATE_INSPECT_H
#define WICKETGATE_INSPECT_H

#include "bidi.h"
#include "cli.h"
#include "decode.h"

/* What a person calls it. The order is that of class_names[] in scan.c. */
typedef enum inspect_class {
	INSPECT_NONE = 0,
	INSPECT_ILL_FORMED,
	INSPECT_ZERO_WIDTH,
	INSPECT_JOINER,
	INSPECT_BIDI,
	INSPECT_TAG,
	INSPECT_CONTROL,
	INSPECT_LINE_ENDING, /* the CR of a CRLF */
	INSPECT_LINE_SEPARATOR,
	INSPECT_BYTE_ORDER_MARK,
	INSPECT_SELECTOR,
	INSPECT_SOFT_HYPHEN,
	INSPECT_GRAPHEME_JOINER,
	INSPECT_FILLER,
	INSPECT_NONCHARACTER,
	INSPECT_PRIVATE_USE,
	INSPECT_SPACE,
	INSPECT_REPLACEMENT,
	INSPECT_FORMAT,
	INSPECT_INVISIBLE,
	INSPECT_MARK,
	INSPECT_BRACKET,
	INSPECT_BRACKET_GROUP,
	INSPECT_KEYWORD, /* F9: a hit of the fence's guard */
	INSPECT_TOKEN,   /* F10 */
	INSPECT_CLASS_COUNT,
} inspect_class;

const char *inspect_class_name(inspect_class class);

/* What happens to a character, and where. */
typedef enum inspect_fate {
	INSPECT_KEEP = 1,
	INSPECT_STRIP,
	INSPECT_REPLACE,
	INSPECT_IGNORABLE, /* brackets on either side of it are one group */
	INSPECT_SINGLE,    /* a bracket without another one next to it */
	INSPECT_SPACED,    /* a bracket of a group: spaces are put in */
	INSPECT_BROKEN,    /* a word begins here that the fence breaks */
	INSPECT_IGNORED,   /* patterns match across it */
} inspect_fate;

const char *inspect_fate_name(inspect_fate fate);

enum {
	INSPECT_SANITIZE,  /* hardened: what counts */
	INSPECT_REFERENCE, /* the sanitizer of the other profile */
	INSPECT_FENCE,
	INSPECT_MODERATE,
	INSPECT_MATCH, /* of the moderator's patterns */
	INSPECT_STAGES,
};

/* Characters of one class, next to each other, that meet the same fate. Of a
 * bracket group: its brackets, whatever hides between them. Of line endings:
 * all of the file, at the place of the first. */
enum { INSPECT_CODES_MAX = 8 };

typedef struct inspect_finding {
	inspect_class class;
	inspect_fate fate[INSPECT_STAGES];
	bool blocking;
	bool known;     /* to the baseline */
	size_t line;    /* from 1 */
	size_t column;  /* in characters, from 1 */
	size_t line_at; /* byte offsets in the file */
	size_t at;
	size_t len;
	size_t count; /* characters */
	/* Different ones in the order of their appearance, the first few; an
	 * ill-formed byte is INSPECT_BYTE + its value. */
	uint32_t codes[INSPECT_CODES_MAX];
	size_t code_count;
	bool more_codes;
} inspect_finding;

#define INSPECT_BYTE 0x80000000u

/* Count the characters of `from` in as well. */
void inspect_merge(inspect_finding *into, const inspect_finding *from);

/* "U+200B" or "0xFF". */
typedef struct inspect_code {
	char text[16];
} inspect_code;

inspect_code inspect_code_text(uint32_t code);

/* ---- scan.c ---- */

/* One file, and memory that the next one uses again. */
typedef struct inspect_scan {
	const char *command;
	wkg_buf text;
	wkg_buf hardened; /* the text behind each stage */
	wkg_buf reference;
	wkg_buf fenced;
	inspect_finding *found;
	size_t count;
	size_t cap;
} inspect_scan;

/* Find what there is in scan->text. CLI_DONE or CLI_RESOURCE. */
int inspect_run(inspect_scan *scan);
void inspect_scan_free(inspect_scan *scan);

/* Where the character stands that is `count` characters before a finding, or
 * the start of its line. */
size_t inspect_step_back(const inspect_scan *scan, const inspect_finding *f,
                         size_t count);

/* The bytes around a finding, of its own line, that tell it from others. */
wkg_span inspect_context(const inspect_scan *scan, const inspect_finding *f);

/* ---- reveal.c: what hidden characters do, and what they say ---- */

/* Part of a line as a reader sees it. Its memory is used again. */
typedef struct inspect_reading {
	wkg_span text; /* that part, as it is stored */
	bidi_item *items;
	size_t cap;
	size_t *order; /* from left to right, of `items` */
	size_t count;
	bidi_balance balance; /* of the whole line */
} inspect_reading;

/* Bytes [from, to) of the file's text, which are of the line that begins at
 * `line_at`. CLI_DONE or CLI_RESOURCE. */
int inspect_read(inspect_reading *reading, const inspect_scan *scan,
                 size_t line_at, size_t from, size_t to);
void inspect_reading_free(inspect_reading *reading);

/* What is seen at place `i` of it; nothing: a piece of length 0. */
cli_piece inspect_reading_piece(const inspect_reading *reading, size_t i);

/* Where the line ends that holds this byte: before its LF or CRLF. */
size_t inspect_line_end(const inspect_scan *scan, size_t at);

/* The members "reordered" and "decoded" of a file, each with a comma before
 * it. `decoded` is memory for what is read. CLI_DONE or CLI_RESOURCE. */
int inspect_put_reordered(wkg_buf *out, inspect_reading *reading,
                          const inspect_scan *scan);
int inspect_put_decoded(wkg_buf *out, wkg_buf *decoded,
                        const inspect_scan *scan);

/* A page's list of what was decoded, with a line above it; or nothing. */
int inspect_print_decoded(const cli_screen *screen, wkg_buf *decoded,
                          const inspect_scan *scan);

/* ---- baseline.c ---- */

typedef struct inspect_known inspect_known;

typedef struct inspect_baseline {
	inspect_known *known; /* sorted */
	size_t count;
	size_t cap;
	wkg_buf keys;
	wkg_buf key; /* the one that is being looked for */
} inspect_baseline;

/* Read what an earlier `inspect --json` printed. CLI_DONE, CLI_MALFORMED or
 * CLI_RESOURCE. */
int inspect_baseline_read(inspect_baseline *baseline, const char *command,
                          const char *path);
void inspect_baseline_free(inspect_baseline *baseline);

/* Mark the blocking findings of this file that are known. Each entry is good
 * for one finding. */
int inspect_baseline_apply(inspect_baseline *baseline, const char *file,
                           inspect_scan *scan);

/* Append `text` in quotes, everything hidden in it as \u: safe to look at. */
int inspect_quote(const char *command, wkg_buf *out, wkg_span text);

#endif
