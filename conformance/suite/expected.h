/* expected.h - failures that are known, strict both ways.
 *
 *     # id      kind  reason or issue                   until
 *     IN-0044   FAIL  ecma key order, upstream#12       2027-06-30
 *
 * A kind is FAIL, CRASH, HANG, PROTOCOL, FLAKY or SKIP. An id may end with `*`
 * for at most 20 ids, none of them critical. Whatever does not come true is an
 * error: an id that passes, is unknown or comes twice, a day that is over, a
 * reason that is missing, a character that is not printable ASCII. */
#ifndef WGC_EXPECTED_H
#define WGC_EXPECTED_H

#include "json.h"

typedef struct wgc_expected wgc_expected;

/* "2027-06-30" */
bool wgc_is_date(const char *text);

/* NULL if the file cannot be read. Mistakes in it are complaints, one a line. */
wgc_expected *wgc_expected_load(const char *path, const char *today,
                                wgc_string *complaints);
void wgc_expected_free(wgc_expected *expected);

/* Mark the results that failed as expected (member `known`), and complain about
 * the rest. `complete`: everything was run, so an id without a result is
 * unknown. */
void wgc_expected_apply(const wgc_expected *expected, cJSON *results,
                        bool complete, bool allow_critical,
                        wgc_string *complaints);

/* The lines that would have to be added (+) and removed (-), as a diff. */
void wgc_expected_diff(const wgc_expected *expected, const cJSON *results,
                       const char *until, wgc_string *diff);

#endif
