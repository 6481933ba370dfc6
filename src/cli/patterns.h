/* patterns.h - private to src/cli: the patterns file of moderate. */
#ifndef CLI_PATTERNS_H
#define CLI_PATTERNS_H

#include "cli.h"

#include <wicketgate/moderate.h>

typedef struct own_patterns {
	wkg_pattern list[WKG_OWN_PATTERNS_MAX];
	size_t from[WKG_OWN_PATTERNS_MAX]; /* byte of the file it begins at */
	size_t count;
	char *texts; /* all fields, each with its NUL */
} own_patterns;

/* Read a file into an empty `own`. CLI_DONE, or the exit code after having said
 * why. Call own_patterns_free() either way. */
int own_patterns_read(own_patterns *own, const char *command, const char *path);
void own_patterns_free(own_patterns *own);

/* Say which pattern the library refused, and why. */
int own_patterns_refused(const own_patterns *own, const char *command,
                         const wkg_pattern_error *error);

#endif
