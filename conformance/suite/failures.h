/* failures.h - tokens of failures, one a line in DIRECTORY/PROPERTY, tried
 * before anything new is. */
#ifndef WGC_FAILURES_H
#define WGC_FAILURES_H

#include <stddef.h>

/* The tokens kept for a property, newest first; *n of them. free() each, and
 * the array. */
char **wgc_failures_of(const char *id, size_t *n);
void wgc_failures_add(const char *id, const char *token);

#endif
