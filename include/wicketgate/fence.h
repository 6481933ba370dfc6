/* fence.h - put a value into a prompt so that it cannot leave its place.
 *
 * A data segment stands between two fixed delimiters. What makes that a fence
 * and not a convention is neutralize: after it, no two same-kind angle
 * brackets are adjacent, not even for a reader that skips characters it cannot
 * see, so none can be joined to a delimiter inside the data (F3, F4). Hardened
 * breaks two more things, for one character can look like `<<<` by itself and
 * some readers drop spaces: the keyword of the delimiters (F9), and what chat
 * templates use as tokens (F10).
 *
 * Guaranteed for every input:
 *   - reference: no two `<` and no two `>` with nothing, or only characters of
 *     the reference strip set, between them;
 *   - hardened: the same for all bracket look-alikes (WKG_SET_LESS, _GREATER)
 *     and everything a reader might drop (WKG_SET_FENCE_IGNORABLE), except
 *     that two directly adjacent CJK quotation marks (nested titles) stay;
 *     also after normalization, case folding or folding of look-alikes;
 *   - hardened: on no line can XPYDATA be read, in any case, through look-alike
 *     letters, ignorables, spaces and punctuation: a `~` follows its X;
 *   - hardened: no token of the list in src/tables/guard.py can be read through
 *     ignorables and compatibility forms (NFKC): a space follows its first
 *     character. A letter with its accent in one piece is another letter here,
 *     and U+226E no `<`;
 *   - nothing is removed: deleting the inserted spaces and `~` gives back the
 *     input, ill-formed bytes read as U+FFFD (T2);
 *   - neutralizing twice equals neutralizing once;
 *   - work is linear; no allocation.
 * Checked by conformance/fence.c, conformance/differential.py,
 * conformance/readings.py and fuzz/fence.c.
 *
 * What it costs: `index.py data` is a line on which the keyword can be read,
 * and becomes `index~.py data`; `x << 2` becomes `x < < 2`. So a neutralized
 * text is for prompts only.
 *
 * Neutralize at the moment a value enters a prompt, last: nothing may strip,
 * normalize or unescape after it. Never store a neutralized value. What no
 * fence can prove is in the README.
 *
 * Threads: pure functions. */
#ifndef WICKETGATE_FENCE_H
#define WICKETGATE_FENCE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The delimiters (F1). Constant, no nonce: prompts stay reproducible, the
 * provider's prompt cache keeps working, tests can assert positions. */
#define WKG_FENCE_BEGIN "<<<__XPY_DATA_BEGIN__>>>"
#define WKG_FENCE_END "<<<__XPY_DATA_END__>>>"

/* The contract (F2), Chinese and English, constant to the byte, no final line
 * feed. Put it once into the instruction part of every message, system and
 * user alike, that holds a data segment. */
WKG_API wkg_span wkg_fence_contract(void);

typedef struct wkg_fence_report {
	size_t inserted; /* spaces and `~`; not those for line breaks in a label */
	size_t replaced; /* ill-formed subparts turned into U+FFFD (T2) */
} wkg_fence_report;

/* Room that always suffices to neutralize `n` bytes: 3n; SIZE_MAX if that
 * overflows. */
WKG_API size_t wkg_fence_neutralize_bound(size_t n);

/* Append `in` to `out` with every bracket group broken: in each maximal run of
 * two or more same-kind brackets separated only by ignorables, U+0020 follows
 * every member, the last too (F3). Hardened leaves out a space where one
 * already follows, and lets the guards go first: a group is what they leave.
 * `report` may be NULL and is unchanged on failure.
 *
 * WKG_E_ARGUMENT: unknown profile, `in` overlaps `out`.
 * WKG_E_SPACE:    the result does not fit. */
WKG_API WKG_MUST_USE wkg_status
wkg_fence_neutralize(wkg_buf *out, wkg_span in, wkg_profile profile,
                     wkg_fence_report *report);

/* The same for a value that goes into a sentence without a fence: its edges
 * count as neighbouring brackets, so that the results, one beside the other,
 * keep the promise about brackets (F8): `<` three times is `< < < `. The guards
 * see this value only: who concatenates neutralizes what it joined. */
WKG_API WKG_MUST_USE wkg_status
wkg_fence_inline(wkg_buf *out, wkg_span in, wkg_profile profile,
                 wkg_fence_report *report);

/* Room that always suffices for wkg_fence(). */
WKG_API size_t wkg_fence_bound(size_t label_len, size_t data_len);

/* Append one data segment (F5), exactly the bytes
 *
 *     label LF BEGIN LF data LF END
 *
 * with label and data neutralized. Line breaks in the label (LF VT FF CR NEL
 * LS PS; CRLF counts as one) become one space each first: a label may be a
 * tool name that a model wrote. What `out` holds already should end with a line
 * feed, or be empty: the label's first bracket looks at nothing before it.
 * Errors and report as above; the report counts label and data together. */
WKG_API WKG_MUST_USE wkg_status
wkg_fence(wkg_buf *out, wkg_span label, wkg_span data, wkg_profile profile,
          wkg_fence_report *report);

/* Does this value need a fence when it goes into a prompt? (F6) False only
 * for text that cannot say anything: an optional sign and then one or more of
 * 0-9 and `.`; or exactly `true` or `false`. Everything else is true: empty,
 * `-`, `1e5`, `TRUE`, ` 1`. */
WKG_API bool wkg_needs_fence(wkg_span value);

#ifdef __cplusplus
}
#endif
#endif
