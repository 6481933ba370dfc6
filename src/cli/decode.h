/* decode.h - private to the inspect command: read text that is written in
 * characters nobody sees.
 *
 * Four alphabets are known from attacks. TAG characters mirror ASCII. 256
 * variation selectors are the 256 bytes. Two invisible operators, U+2062 and
 * U+2064, or U+200B and U+200C, are the bits 0 and 1 of bytes, the highest bit
 * first; the other way round is tried as well. Bytes are UTF-8.
 *
 * What is read may be anything: it must be escaped before it is shown. */
#ifndef WICKETGATE_DECODE_H
#define WICKETGATE_DECODE_H

#include <wicketgate/base.h>

typedef enum decode_alphabet {
	DECODE_TAGS,
	DECODE_SELECTORS,
	DECODE_OPERATORS,
	DECODE_SPACES,
	DECODE_ALPHABETS,
} decode_alphabet;

const char *decode_alphabet_name(decode_alphabet alphabet);

/* Characters of the text next to each other that are all hidden: what a reader
 * who drops them, or a model who reads them, has in one piece. A visible
 * character ends a run, and so does LF. Hidden characters of other alphabets do
 * not: they would be put in to hide the rest. */
typedef struct decode_run {
	size_t from;
	size_t to;
	size_t line; /* from 1, of its first character */
	size_t column;
	uint32_t before; /* the visible character before it; 0: none */
	size_t symbols[DECODE_ALPHABETS];
} decode_run;

typedef struct decode_payload {
	decode_alphabet alphabet;
	size_t line; /* of its first symbol */
	size_t column;
	size_t at; /* bytes of the text, from the first symbol to the last */
	size_t len;
	size_t symbols;    /* hidden characters */
	size_t characters; /* that they spell */
} decode_payload;

/* A place in the text. Start with { .text = ..., .line = 1, .column = 1 }. */
typedef struct decode_cursor {
	wkg_span text;
	size_t at;
	size_t line;
	size_t column;
	uint32_t before;
	decode_run run;
	int next; /* alphabet to try in it; 0 when there is no run */
} decode_cursor;

/* Find the next payload that is plausible, and put what it says into `out`,
 * which needs the capacity of the text's length. Plausible: at least 4
 * characters a reader could see, or 2 where each takes 8 symbols or more; and
 * of those that are no such thing (controls other than TAB, LF and CR, hidden
 * ones, ill-formed bytes) at most one for every eight. WKG_E_NOT_FOUND at the
 * end. Time is linear in the length of the text. */
WKG_MUST_USE wkg_status decode_next(decode_cursor *cursor, wkg_buf *out,
                                    decode_payload *payload);

/* How many bytes the first `characters` characters of `text` take. */
size_t decode_prefix(wkg_span text, size_t characters);

#endif
