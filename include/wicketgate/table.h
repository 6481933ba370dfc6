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
	/* The hardened profile decides by context whether it stays (S2,
	 * sanitize.h). Disjoint from the last. */
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

	/* What the context rules look for beside a character; each of these is
	 * visible, or moves what is. None is in a strip or context set. */

	/* A nonspacing mark: gc=Mn. */
	WKG_SET_MARK = 1u << 8,
	/* Joins consonants of Brahmi's descendants: combining class 9. */
	WKG_SET_VIRAMA = 1u << 9,
	/* Joins a letter beside it: joining type L, R or D. */
	WKG_SET_JOINING = 1u << 10,
	/* Of a Hangul syllable in parts: its first consonant, its vowel; not
	 * the fillers that stand for a missing one. */
	WKG_SET_LEADING = 1u << 11,
	WKG_SET_VOWEL = 1u << 12,
	/* Extended_Pictographic: what emoji are made of. */
	WKG_SET_PICTOGRAPH = 1u << 13,
	/* Unified_Ideograph: may have ideographic variants. */
	WKG_SET_IDEOGRAPH = 1u << 14,
	/* A number, a mathematical or a currency sign: gc=N, Sm, Sc. */
	WKG_SET_FIGURE = 1u << 15,
};

/* The sets of `code`. Above U+10FFFF, where no character is, the answer is
 * that of a character to be stripped and ignored. */
WKG_API uint32_t wkg_table_sets(uint32_t code);

/* Unicode version of the sets above, and of the character data that is no
 * property set: combining classes, joining types, numbers and signs,
 * decompositions, listed variation sequences. */
WKG_API const char *wkg_table_set_version(void);  /* "17.0.0" */
WKG_API const char *wkg_table_data_version(void); /* "15.0.0" */

#ifdef __cplusplus
}
#endif
#endif
