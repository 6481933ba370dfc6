/* letters.h - private to src/moderate: what a letter reads as (M2). */
#ifndef WKG_LETTERS_H
#define WKG_LETTERS_H

#include "../internal.h"

/* `count` characters from `first` read as those from `to`; 0: as nothing. */
typedef struct wkg__letter_run {
	uint32_t first;
	uint32_t to;
	uint32_t count;
} wkg__letter_run;

/* One that reads as two or three; 0 is none. */
typedef struct wkg__letter_several {
	uint32_t code;
	uint16_t to[3];
} wkg__letter_several;

/* Each in ascending order. */
WKG_HIDDEN extern const wkg__letter_run wkg__letter_runs[];
WKG_HIDDEN extern const size_t wkg__letter_run_count;
WKG_HIDDEN extern const wkg__letter_several wkg__letter_severals[];
WKG_HIDDEN extern const size_t wkg__letter_several_count;

typedef struct wkg__letters {
	uint32_t code[3];
	size_t count;
} wkg__letters;

/* What `code` reads as: letters and digits in their compatibility forms,
 * look-alikes of ASCII letters as these, marks over Latin letters as nothing.
 * Everything else, all punctuation included, reads as itself. At most three
 * bytes for each of its own. */
WKG_HIDDEN wkg__letters wkg__read_letter(uint32_t code);

#endif
