/* payload.h - sanitize every string of a JSON document (S6).
 *
 * Text in, text out. Each string is sanitized after its escapes are undone
 * (`\u200b` is six ASCII bytes until then) and cut to the source's limit on
 * its own. Containers nested deeper than config->max_depth are replaced by
 * `null`: they were not looked at, so they must not enter state.
 *
 * Guaranteed for every input:
 *   - everything that need not change is copied byte for byte: numbers,
 *     literals, order, white space, and strings with nothing to remove;
 *   - a string that does change is written anew with the escapes of RFC 8785,
 *     the shortest: `\u003c` next to a removed character comes out as `<`;
 *   - the result is a valid document in which every string is what
 *     wkg_sanitize() makes of its text (sanitize.h), and in hardened every name
 *     too, but uncut; a surrogate escape without its partner is U+FFFD, in
 *     names of either profile;
 *   - a document that is not strictly valid (json.h) yields nothing at all;
 *     duplicate names are compared unescaped and sanitized;
 *   - sanitizing the result again changes nothing;
 *   - no recursion, no tree, no allocation; work is O(n log n).
 * Checked by conformance/payload.c, conformance/differential.py,
 * conformance/jsontestsuite.py and fuzz/payload.c.
 *
 * Threads: pure functions. */
#ifndef WICKETGATE_PAYLOAD_H
#define WICKETGATE_PAYLOAD_H

#include "base.h"
#include "json.h"
#include "sanitize.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WKG_PAYLOAD_NOTES_MAX 64u

typedef enum wkg_payload_note_kind {
	WKG_PAYLOAD_NOTE_INVALID = 0,
	WKG_PAYLOAD_NOTE_TRUNCATED = 1, /* a string was cut */
	WKG_PAYLOAD_NOTE_DROPPED = 2,   /* a container became null */
} wkg_payload_note_kind;

typedef struct wkg_payload_note {
	wkg_payload_note_kind kind;
	wkg_json_path path;
} wkg_payload_note;

/* What was done (S8). Counts are exact; only the first 64 truncated or
 * dropped leaves are named. Warn about those two; never log content. */
typedef struct wkg_payload_report {
	size_t stripped;  /* code points, names included */
	size_t replaced;  /* lone surrogate escapes turned into U+FFFD; in
	                   * hardened also each lone CR turned into LF */
	size_t truncated; /* strings */
	size_t dropped;   /* containers; what was inside is not counted */
	size_t note_count;
	wkg_payload_note notes[WKG_PAYLOAD_NOTES_MAX];
	wkg_json_error error; /* if the call failed on the document */
} wkg_payload_report;

/* Room that always suffices for `n` bytes of input: 2n (`[]` can become
 * `null`); SIZE_MAX if that overflows. */
WKG_API size_t wkg_payload_bound(size_t n);

/* Scratch that is needed for `n` bytes of input; SIZE_MAX if that overflows or
 * the config is not usable. */
WKG_API size_t wkg_payload_work_size(size_t n,
                                     const wkg_sanitize_config *config);

/* Append the sanitized document to `out`. `report` may be NULL; it is about
 * 18 KiB. On failure its counts are zero, and on the last three statuses
 * report->error says where and why.
 *
 * WKG_E_ARGUMENT: unknown source, unusable config, overlap.
 * WKG_E_SPACE:    the result or the work does not fit.
 * WKG_E_ENCODING, WKG_E_SYNTAX, WKG_E_DUPLICATE: malformed document. */
WKG_API WKG_MUST_USE wkg_status
wkg_payload_sanitize(wkg_buf *out, wkg_span json, wkg_source source,
                     const wkg_sanitize_config *config, wkg_work work,
                     wkg_payload_report *report);

/* The funnel for everything a trigger brings in (S5): the same, with the
 * source derived from the *stored* trigger type. Callers do not choose, so
 * none can choose wrong. */
WKG_API WKG_MUST_USE wkg_status
wkg_payload_from_trigger(wkg_buf *out, wkg_span json, wkg_span trigger_type,
                         const wkg_sanitize_config *config, wkg_work work,
                         wkg_payload_report *report);

#ifdef __cplusplus
}
#endif
#endif
