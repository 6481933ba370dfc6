/* oracle_moderate.h - M of SPEC.md, but for the matching. */
#ifndef WGC_ORACLE_MODERATE_H
#define WGC_ORACLE_MODERATE_H

#include "sets.h"

/* How many patterns there are, and of the i-th (counted around) the "hit" or
 * the "benign" text. */
uint32_t wgc_known_count(void);
wgc_text wgc_known_text(uint32_t i, const char *which);
/* M3: what is put before. */
void wgc_push_mark(wgc_text *text);

/* M1.1, M1.2 */
bool wgc_is_output_stripped(uint32_t c, bool keep_tags);
wgc_text wgc_output_stripped(const wgc_text *text, bool keep_tags);
/* M3, M4: what is delivered of a stripped text. */
wgc_text wgc_delivered(const wgc_text *stripped, bool flagged, bool *truncated);
/* M2.5, a SHOULD: so much is hidden in it that it may be marked. */
bool wgc_may_be_a_message(const wgc_text *text);

#endif
