/* document.h - private to src/cli: a JSON file that tells a command something,
 * read token by token. What the library's reader says, and what the caller says
 * about a value, becomes one line with the byte. */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include "cli.h"

typedef struct document {
	const char *command;
	const char *name; /* what it is: "malformed <name> at byte 7: ..." */
	const char *path; /* said behind a complaint; NULL: it is not */
	wkg_json_token token; /* the last one */
	wkg_span text;
	wkg_json_reader reader;
	wkg_buf file;
	wkg_work work;
} document;

/* Each returns CLI_DONE, or the exit code after having said why. */

/* Read the file at `path`, up to its first token. Call document_close() either
 * way. */
int document_open(document *d, const char *path);
void document_close(document *d);

int document_next(document *d);

/* The same; a token of another kind is refused with `what`. */
int document_expect(document *d, wkg_json_kind kind, const char *what);

/* Refuse the byte at `at`, or the last token: CLI_MALFORMED. */
int document_refuse(const document *d, size_t at, const char *what);
int document_refuse_token(const document *d, const char *what);

#endif
