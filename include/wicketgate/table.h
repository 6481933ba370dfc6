/* table.h - which sets a code point belongs to (T4).
 *
 * Every decision about a character anywhere in the library is a bit of this
 * one generated table, so that sanitizer, fence and moderator cannot drift
 * apart: the fence's completeness argument needs the sanitizer's set to lie
 * within its own, and conformance/table.py walks all 0x110000 code points to
 * show that it does. Generator and range files: src/tables/.
 *
 * Threads: pure functions over constant data. */
#ifndef WICKETGATE_TABLE_H
#define WICKETGATE_TABLE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of wkg_table_sets(). */
enum {
	/* Removed from input by the reference profile (S1): 222 code points. */
	WKG_SET_STRIP_REFERENCE = 1u << 0,
	/* Removed from input by the hardened profile wherever it stands (S2). */
	WKG_SET_STRIP_HARDENED = 1u << 1,
	/* The hardened profile decides by context (S2); until it does, as the
	 * reference decides. Disjoint from the last. */
	WKG_SET_CONTEXT_HARDENED = 1u << 2,
	/* A reader may not see it, or may drop it: does not separate brackets in
	 * the hardened fence (F4). Contains all three sets above. */
	WKG_SET_FENCE_IGNORABLE = 1u << 3,
	/* Reads as one or more `<` / `>` in the hardened fence (F4). */
	WKG_SET_LESS = 1u << 4,
	WKG_SET_GREATER = 1u << 5,
	/* Removed from output shown to a human (M1): the reference set without
	 * ZWNJ and ZWJ. */
	WKG_SET_STRIP_OUTPUT = 1u << 6,
	/* Not looked at when patterns are matched in the hardened profile (M2). */
	WKG_SET_MATCH_IGNORABLE = 1u << 7,
};

/* The sets of `code`. Above U+10FFFF, where no character is, the answer is
 * that of a character to be stripped and ignored. */
WKG_API uint32_t wkg_table_sets(uint32_t code);

/* Unicode version of the sets above, and of the character data that is not
 * set membership (combining classes, foldings, decompositions). */
WKG_API const char *wkg_table_set_version(void);  /* "17.0.0" */
WKG_API const char *wkg_table_data_version(void); /* "15.0.0" */

#ifdef __cplusplus
}
#endif
#endif
