/* oracle_text.h - T and S of SPEC.md, one sentence each. */
#ifndef WGC_ORACLE_TEXT_H
#define WGC_ORACLE_TEXT_H

#include "sets.h"

void wgc_push(wgc_text *text, uint32_t element);
void wgc_push_all(wgc_text *text, const wgc_text *more);
void wgc_push_ascii(wgc_text *text, const char *ascii);

/* T2: scalars, each maximal ill-formed part as one U+FFFD. */
wgc_text wgc_decode(const wgc_text *text);
/* Without the members of a set. */
wgc_text wgc_without(const wgc_text *text, const wgc_set *set);
/* T3: how many of a text's first code points are at most `limit` units. */
size_t wgc_fitting(const wgc_text *text, const char *unit, size_t limit);
/* S2 of a text of scalars (oracle_hardened.c). */
wgc_text wgc_stripped_hardened(const wgc_text *text);
/* S3.4: may such a text be cut before element `at`? */
bool wgc_may_cut(const wgc_text *text, size_t at);
/* T2, and S1 or S2. */
wgc_text wgc_stripped(const wgc_text *text, bool hardened);
/* The same, and S3. */
wgc_text wgc_sanitized(const wgc_text *text, bool hardened, const char *unit,
                       size_t limit, bool *truncated);

#endif
