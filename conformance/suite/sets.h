/* sets.h - the sets of code points of sets.json, which are part of SPEC.md.
 *
 * Nothing of this is taken from a library under test. */
#ifndef WGC_SETS_H
#define WGC_SETS_H

#include "text.h"

typedef struct wgc_set {
	const char *name;
	uint8_t *bits;
	uint32_t *edges; /* first and last of each range, and one outside each */
	size_t edge_count;
	uint32_t *members; /* one of each range, and the ends */
	size_t member_count;
} wgc_set;

/* A set by its name; a name that is not there ends the program with 5. */
const wgc_set *wgc_set_named(const char *name);

static inline bool
wgc_set_has(const wgc_set *set, uint32_t c)
{
	return c < 0x110000 && (set->bits[c >> 3] >> (c & 7) & 1) != 0;
}

/* The ASCII letters that a code point reads as; NULL if none are listed.
 * `map` is "keyword_letters" or "token_fold". */
const char *wgc_reads_as(const char *map, uint32_t c);
/* The code points that read as exactly this, or NULL. */
const wgc_set *wgc_readings_of(const char *map, const char *letters);
/* The bases that a variation selector is listed with, or NULL. */
const wgc_set *wgc_bases_of(uint32_t selector);

#endif
