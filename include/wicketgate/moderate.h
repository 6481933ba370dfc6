/* moderate.h - warn a human about what a model wrote.
 *
 * The reader of a model's output may be about to approve something. Three
 * things happen to a text before they see it, in this order (M1): controls,
 * zero-width characters except joiners, direction marks and TAG letters are
 * taken out (WKG_SET_STRIP_OUTPUT; soft hyphens, variation selectors and fillers
 * stay); text that tries to give orders is marked
 *
 *     U+26A0 U+FE0F 【疑似注入】...
 *
 * and what is too long is cut. Nothing is ever blocked (M3): the reviewer is
 * the gate, and a mark on honest text teaches them to ignore marks.
 *
 * Guaranteed for every input:
 *   - matching happens after stripping and before cutting, so 2000 characters
 *     of padding hide nothing;
 *   - hardened looks at the original in several readings (M2): without its
 *     hidden characters, with each run of them as a space, with only those
 *     that show as a blank as a space, and as it is delivered; each with
 *     letters and digits as they are and as what they read as (fullwidth,
 *     mathematical, circled, ligatures; accents gone; Greek, Cyrillic, Armenian
 *     and Cherokee look-alikes); and with spaces of any kind, and runs of them,
 *     as one U+0020. Punctuation stays what it is. What mixes all that cleverly
 *     enough can still hide;
 *   - a finding tells the pattern and the bytes of the *input*, hidden ones
 *     included, whatever reading it was found in (M3): the first place of each
 *     pattern in each text;
 *   - in a JSON document every string inside up to 7 containers is treated on
 *     its own; a value inside 8 is kept as it is and *reported* as not looked
 *     at (M7); names are not changed; everything else is copied byte for byte,
 *     clean input as a whole;
 *   - work is linear and bounded; a matcher that gives up counts as a match,
 *     never as clean (M9);
 *   - the moderator itself issues the warning, so no caller can forget (M8).
 * Checked by conformance/moderate.c, measured by `./dev measure moderator`.
 *
 * Moderate at the edge, where text leaves for a human, and the original each
 * time: running it twice marks twice, on purpose (M6); hardened marks whatever
 * begins with the mark, for its reason may have been cut or stripped since. (The
 * reference, which does not, marks twice what still matches.) Never moderate what a
 * program reads: validators need the original, and a cut breaks JSON (M8).
 *
 * Threads: a wkg_moderator never changes once made; share it. A scratch
 * belongs to one thread at a time. */
#ifndef WICKETGATE_MODERATE_H
#define WICKETGATE_MODERATE_H

#include "base.h"
#include "json.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WKG_MODERATE_LIMIT 2000u  /* code points, the mark included (M4) */
#define WKG_MODERATE_DEPTH_MAX 8u /* containers around a value (M7, D1) */

/* What is written into delivered text, and what a report says of a value that
 * was not looked at; as bytes, so that no compiler's character set matters. */
#define WKG_MODERATE_MARK /* U+26A0 U+FE0F 【疑似注入】 */ \
	"\xE2\x9A\xA0\xEF\xB8\x8F\xE3\x80\x90\xE7\x96\x91" \
	"\xE4\xBC\xBC\xE6\xB3\xA8\xE5\x85\xA5\xE3\x80\x91"
#define WKG_MODERATE_CUT /* …（已截断） */ \
	"\xE2\x80\xA6\xEF\xBC\x88\xE5\xB7\xB2\xE6\x88\xAA" \
	"\xE6\x96\xAD\xEF\xBC\x89"
#define WKG_MODERATE_NOT_REVIEWED /* …（嵌套过深，未审核） */ \
	"\xE2\x80\xA6\xEF\xBC\x88\xE5\xB5\x8C\xE5\xA5\x97" \
	"\xE8\xBF\x87\xE6\xB7\xB1\xEF\xBC\x8C\xE6\x9C\xAA" \
	"\xE5\xAE\xA1\xE6\xA0\xB8\xEF\xBC\x89"

/* One pattern (M5). The table is the definition of what is looked for. */
typedef struct wkg_pattern {
	const char *id;
	const char *group;   /* override-zh, override-en, role, system, token */
	const char *purpose;
	const char *pattern; /* PCRE2, UTF without UCP */
	const char *hit;     /* a text it must match */
	const char *benign;  /* its twin, which no pattern may match */
} wkg_pattern;

#define WKG_PATTERN_COUNT 14u
WKG_API const wkg_pattern *wkg_moderate_patterns(void);

/* More patterns, that are not among the fourteen: a named and versioned set, in
 * hardened moderators that ask for it. Whatever is added or taken out changes the
 * version. */
typedef struct wkg_pattern_set {
	const char *name;    /* "extended" */
	const char *version; /* "1" */
	const wkg_pattern *patterns;
	size_t count;
} wkg_pattern_set;

#define WKG_EXTENSION_COUNT 8u
WKG_API const wkg_pattern_set *wkg_moderate_extension(void);

typedef enum wkg_finding_kind {
	WKG_FINDING_INVALID = 0,
	WKG_FINDING_SUSPICIOUS = 1, /* marked */
	WKG_FINDING_TRUNCATED = 2,
	WKG_FINDING_TOO_DEEP = 3, /* kept as it is, not looked at */
} wkg_finding_kind;

typedef struct wkg_finding {
	wkg_finding_kind kind;
	/* Of SUSPICIOUS: the pattern's id, "gave-up" if the matcher did; hardened
	 * also "marked-before" (M6) and "hidden-run", eight or more characters
	 * in a row that nobody sees (M2). Else "". Lives as long as its table. */
	const char *pattern;
	/* Bytes [from, to) of the input: what matched (whole characters, up to the
	 * next one that is read), was cut off, or was not looked at. */
	size_t from;
	size_t to;
	wkg_json_path path; /* of the value; empty for a plain text */
} wkg_finding;

#define WKG_FINDINGS_MAX 64u

/* Counts are exact; 64 findings are kept, the first of each kind, so that many of
 * one kind crowd out none of another: a new one takes the place of the last of
 * the kind that has most, if its own has fewer. Holds no values; paths hold the names of the document. */
typedef struct wkg_moderate_report {
	bool flagged;   /* something was marked */
	bool truncated; /* something was cut */
	size_t suspicious; /* findings of each kind; several patterns can */
	size_t cut;        /* find the same text suspicious */
	size_t too_deep;
	size_t finding_count;
	wkg_finding findings[WKG_FINDINGS_MAX];
	wkg_json_error error; /* if the call failed on the document */
} wkg_moderate_report;

/* Called once per moderated input that has a finding, before the call returns:
 * write paths and kinds where operators look. */
typedef struct wkg_warning_sink {
	void (*warn)(void *ctx, const wkg_moderate_report *report);
	void *ctx;
} wkg_warning_sink;

typedef struct wkg_moderator wkg_moderator;
typedef struct wkg_moderator_scratch wkg_moderator_scratch;

/* Compile the patterns. `sink.warn` must not be NULL. `allocator` NULL means
 * malloc and free; it must stay valid as long as the moderator and its
 * scratches, and be callable from every thread that uses them.
 *
 * WKG_E_ARGUMENT:    unknown profile, no sink.
 * WKG_E_MEMORY:      the allocator returned NULL; nothing leaks.
 * WKG_E_UNSUPPORTED: this PCRE2 was built without Unicode. */
WKG_API WKG_MUST_USE wkg_status
wkg_moderator_new(wkg_moderator **out, wkg_profile profile,
                  wkg_warning_sink sink, const wkg_allocator *allocator);
WKG_API void wkg_moderator_free(wkg_moderator *moderator); /* NULL is fine */

#define WKG_OWN_PATTERNS_MAX 64u

/* Everything a moderator can be made with; zero what is not needed. */
typedef struct wkg_moderator_config {
	wkg_profile profile;
	wkg_warning_sink sink;
	const wkg_allocator *allocator;
	/* Look for wkg_moderate_extension() as well. Hardened only. */
	bool extended;
	/* Patterns of your own, besides. Every field is required, and the table
	 * has to stay where it is as long as the moderator. An id is a-z, 0-9 and
	 * -, and nobody else's. A pattern is UTF without UCP, made of literals,
	 * classes, groups, alternatives, look-around and the quantifiers ?, {n}
	 * and {n,m} up to 100. A slow one may take some 100 steps for each byte of
	 * a text, seconds for a MiB, before it is given up on. It must find its
	 * hit; its benign twin must not be marked, by whatever pattern. */
	const wkg_pattern *own;
	size_t own_count; /* up to WKG_OWN_PATTERNS_MAX */
} wkg_moderator_config;

/* Why a pattern was refused. */
typedef struct wkg_pattern_error {
	size_t index;     /* in `own` */
	size_t at;        /* byte of the pattern, if it is one that is wrong */
	const char *what; /* static; "" if no pattern was refused */
} wkg_pattern_error;

/* The same with more. `error` must not be NULL; it is for a person to read.
 *
 * WKG_E_ARGUMENT: as above; too many patterns, or extended in the reference.
 * WKG_E_INVALID:  a pattern is refused, see `error`. */
WKG_API WKG_MUST_USE wkg_status
wkg_moderator_new_with(wkg_moderator **out, const wkg_moderator_config *config,
                       wkg_pattern_error *error);

/* What one thread needs to match with this moderator and no other; free it
 * before its moderator. */
WKG_API WKG_MUST_USE wkg_status
wkg_moderator_scratch_new(wkg_moderator_scratch **out,
                          const wkg_moderator *moderator);
WKG_API void wkg_moderator_scratch_free(wkg_moderator_scratch *scratch);

/* Room and scratch memory that always suffice for `n` bytes of text or JSON;
 * SIZE_MAX if that overflows. */
WKG_API size_t wkg_moderate_bound(size_t n);
WKG_API size_t wkg_moderate_work_size(size_t n);

/* Append the moderated text. `report` must not be NULL (21 KiB).
 *
 * WKG_E_ARGUMENT: a NULL argument, an overlap.
 * WKG_E_SPACE:    the result or the work does not fit. */
WKG_API WKG_MUST_USE wkg_status
wkg_moderate(wkg_buf *out, wkg_span text, const wkg_moderator *moderator,
             wkg_moderator_scratch *scratch, wkg_work work,
             wkg_moderate_report *report);

/* The same for every string of a JSON document.
 *
 * WKG_E_ENCODING, WKG_E_SYNTAX, WKG_E_DUPLICATE: see report->error. */
WKG_API WKG_MUST_USE wkg_status
wkg_moderate_json(wkg_buf *out, wkg_span json, const wkg_moderator *moderator,
                  wkg_moderator_scratch *scratch, wkg_work work,
                  wkg_moderate_report *report);

#ifdef __cplusplus
}
#endif
#endif
