/* own.h - private to src/moderate: is a user's pattern one we can run? */
#ifndef WKG_OWN_H
#define WKG_OWN_H

#include "../internal.h"

/* What is wrong with a pattern, and at which byte; NULL if nothing is. What it
 * lets through, PCRE2 has still to accept. */
WKG_HIDDEN const char *wkg__pattern_fault(const char *pattern, size_t *at);

/* Lower-case letters, digits and hyphens, up to 64: shown to operators as it is. */
WKG_HIDDEN bool wkg__pattern_id(const char *id);

#endif
