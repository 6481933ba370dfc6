/* oracle_fence.h - F of SPEC.md: what may be read, and the exact bytes. */
#ifndef WGC_ORACLE_FENCE_H
#define WGC_ORACLE_FENCE_H

#include "sets.h"

#define WGC_BEGIN "<<<__XPY_DATA_BEGIN__>>>"
#define WGC_END   "<<<__XPY_DATA_END__>>>"

/* F3.3, F3.4: '<', '>' or 0. */
char wgc_bracket(uint32_t c, bool hardened);
const wgc_set *wgc_fence_ignorable(bool hardened);

/* F4: two brackets of a kind that a reader may see side by side: where the
 * second one is, or the text's length. */
size_t wgc_forgery(const wgc_text *text, bool hardened);
/* How many such pairs of a kind there are. */
size_t wgc_adjacent(const wgc_text *text, char kind, bool hardened);
/* F9.1: where a reading of the keyword begins, or the text's length. */
size_t wgc_keyword(const wgc_text *text);
/* F9, F10, F3. The text is well-formed. */
wgc_text wgc_neutralized(const wgc_text *text, bool hardened);
/* F5. */
wgc_text wgc_wrapped(const wgc_text *label, const wgc_text *data, bool hardened);
/* F6. */
bool wgc_needs_fence(const wgc_text *text);
/* How often a reader who drops ignorables sees these letters. */
size_t wgc_times_read(const wgc_text *text, const char *ascii, bool hardened);

#endif
