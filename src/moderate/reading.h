/* reading.h - private to src/moderate: how a text is read before patterns are
 * matched against it (M2), and where what was read stands in the input (M3). */
#ifndef WKG_READING_H
#define WKG_READING_H

#include "../internal.h"

/* What becomes of characters that a reader does not see. */
typedef enum wkg__hiding {
	WKG__STRIPPED = 0, /* as it will be delivered: M1 */
	WKG__JOINED,       /* hidden characters deleted: 忽<ZWJ>略 */
	WKG__SPACED,       /* each run of them a space: ignore<ZWSP>all */
	WKG__SEEN,         /* those that show as a blank a space, others deleted */
} wkg__hiding;

typedef struct wkg__reading {
	wkg__hiding hiding;
	bool folded; /* letters as what they read as: wkg__read_letter() */
	bool even;   /* spaces of any kind, and runs of them, as one U+0020 */
} wkg__reading;

/* One text of the input, and where its readings are written. */
typedef struct wkg__passage {
	wkg_span in;
	size_t from; /* of its first character */
	size_t to;
	const wkg__notation *notation;
	wkg_buf view;
} wkg__passage;

/* Bytes [from, to). */
typedef struct wkg__range {
	size_t from;
	size_t to;
} wkg__range;

/* Room for any reading of n bytes: of bad UTF-8 each byte is three, and so is
 * at most what a letter reads as. A string in a document is shorter than it. */
WKG_HIDDEN size_t wkg__view_size(size_t n);

/* What there is in a text that its readings differ in. */
typedef struct wkg__survey {
	bool hides;  /* hidden characters */
	bool spaces; /* in runs, or others than U+0020 */
	bool folds;  /* letters that read as something else */
} wkg__survey;

WKG_HIDDEN wkg__survey
wkg__survey_of(const wkg__passage *p);

/* Does this reading say anything that none before it did? They begin with
 * JOINED, not folded. */
WKG_HIDDEN bool
wkg__differs(wkg__survey found, wkg__reading how);

/* The first run of so many hidden characters that it says something to whoever
 * reads code points, which no orthography and no emoji needs; empty if none. */
WKG_HIDDEN wkg__range
wkg__hidden_run(const wkg__passage *p);

/* Write a reading to p->view. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__read(wkg__passage *p, wkg__reading how);

/* Bytes [from, to) of the input for those of the view: from the character that
 * the first is of, with everything hidden behind it, up to the next that is read
 * and not part of it. */
WKG_HIDDEN wkg__range
wkg__source_of(const wkg__passage *p, wkg__reading how, wkg__range view);

#endif
