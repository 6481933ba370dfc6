/* instant.h - moments as text: 2026-08-14T10:00:00.000Z. */
#ifndef WKG_INSTANT_H
#define WKG_INSTANT_H

#include "../internal.h"

#define WKG__INSTANT_LEN 24u

/* Milliseconds since 1970 as an instant with three fraction digits; false
 * outside the years 0000 to 9999. */
WKG_HIDDEN bool
wkg__instant_write(uint8_t out[WKG__INSTANT_LEN], int64_t ms);

/* An instant: four-digit year, a day the calendar has, 00:00:00 to 23:59:59,
 * a fraction of any length or none, `Z`. Rounded down to milliseconds. */
WKG_HIDDEN bool wkg__instant_parse(int64_t *ms, wkg_span text);

#endif
