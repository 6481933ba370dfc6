/* bidi.h - private to src/cli: in which order a reader sees the characters of
 * a line, by the Unicode Bidirectional Algorithm (UAX #9).
 *
 * It only draws: no defence asks it anything. It allocates nothing, and its
 * time is linear in the length of the text. */
#ifndef WICKETGATE_BIDI_H
#define WICKETGATE_BIDI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bidi_Class, by the names of the standard. */
typedef enum bidi_class {
	BIDI_L,
	BIDI_R,
	BIDI_AL,
	BIDI_EN,
	BIDI_AN,
	BIDI_ES,
	BIDI_ET,
	BIDI_CS,
	BIDI_NSM,
	BIDI_BN,
	BIDI_B,
	BIDI_S,
	BIDI_WS,
	BIDI_ON,
	BIDI_LRE,
	BIDI_RLE,
	BIDI_LRO,
	BIDI_RLO,
	BIDI_PDF,
	BIDI_LRI,
	BIDI_RLI,
	BIDI_FSI,
	BIDI_PDI,
} bidi_class;

bidi_class bidi_class_of(uint32_t code);

/* What it looks like where text runs from right to left: `)` for `(`. */
uint32_t bidi_mirror(uint32_t code);

/* A character of the text. The caller sets `code`, and `at` if it likes. */
typedef struct bidi_item {
	uint32_t code;
	size_t at; /* the caller's, never looked at */

	uint8_t level;     /* odd: from right to left */
	uint8_t paragraph; /* the level of its paragraph */
	bool removed;      /* by X9: it is not there to be seen */
	uint8_t original;  /* its bidi_class */

	/* The rest is for the steps in between. */
	uint8_t class;
	uint8_t inside; /* which strong classes a pair of brackets holds */
	bool follows;   /* it is the `next` of another one */
	size_t match;   /* of an isolate, or a bracket */
	size_t next;    /* of its isolating run sequence */
} bidi_item;

#define BIDI_NOWHERE SIZE_MAX

typedef enum bidi_direction {
	BIDI_LEFT_TO_RIGHT,
	BIDI_RIGHT_TO_LEFT,
	BIDI_FIRST_STRONG, /* as the first letter has it (P2, P3) */
} bidi_direction;

/* Explicit controls of a text without their partner in the same paragraph. */
typedef struct bidi_balance {
	size_t unclosed; /* opened: they reach as far as the paragraph does */
	size_t unopened; /* PDF and PDI */
} bidi_balance;

/* Find the level of each character (rules P1-P3, X1-X10, W, N, I). The text
 * may be several paragraphs. */
bidi_balance bidi_resolve(bidi_item *items, size_t count,
                          bidi_direction direction);

/* Lay resolved characters out as one line (L1, L2): their indices from left to
 * right, without those that are removed. Returns how many there are. */
size_t bidi_lay_out(bidi_item *items, size_t count, size_t *order);

/* ---- bidi_data.c ---- */

typedef struct bidi_range {
	uint32_t from, to;
	bidi_class class;
} bidi_range;

typedef struct bidi_pair {
	uint32_t code, other;
} bidi_pair;

extern const bidi_range bidi_ranges[];
extern const size_t bidi_range_count;
extern const bidi_pair bidi_mirrors[];
extern const size_t bidi_mirror_count;
extern const bidi_pair bidi_brackets[];
extern const size_t bidi_bracket_count;

#endif
