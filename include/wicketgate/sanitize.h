/* sanitize.h - clean a value before it enters state.
 *
 * Removes characters a reader cannot see, then cuts to a length. The order is
 * the point (S3): a limit of N means N characters that are kept, so padding
 * with others can never push content out.
 *
 * Guaranteed for every input:
 *   - the result is well-formed UTF-8 and holds no character of the profile's
 *     strip set;
 *   - it is a prefix of the input without what is stripped: nothing is added,
 *     no marker is written (S7), except U+FFFD for ill-formed bytes (T2) and,
 *     in hardened, a line feed for a lone CR;
 *   - sanitizing it again changes nothing;
 *   - work and memory are linear; no allocation, clock, locale or state.
 * Checked by conformance/sanitize.c, joiners.py and differential.py there, and
 * fuzz/sanitize.c.
 *
 * There is no switch that turns this off (S4).
 *
 * The reference profile strips its 222 characters wherever they stand, and
 * nothing else (S1). That takes apart emoji families, changes the spelling of
 * Persian and Hindi, joins the lines that a CR parted, and lets a run of
 * variation selectors carry a hidden text past it.
 *
 * The hardened profile strips more, and decides about WKG_SET_CONTEXT_HARDENED
 * by what stands beside a character, looking past whatever is stripped (S2):
 *   ZWJ        between two Extended_Pictographic, skin tones and U+FE0F in
 *              between or not; behind a virama; before the virama of Bengali,
 *              Assamese and Kannada RA
 *   ZWNJ       behind a virama; between two joining letters (Arabic, Syriac,
 *              Mongolian, N'Ko, Adlam ...), marks in between or not
 *   selectors  in the sequences Unicode lists, emoji and standardized; behind
 *              ASCII only U+FE0F in a keycap. Ideographic ones behind a unified
 *              ideograph
 *   TAG        in the flags of England, Scotland and Wales
 *   U+00AD     between two figures (numbers, mathematical, currency signs),
 *              where it may be no hyphen at all; beside a letter it is a hint
 *   U+034F     before a nonspacing mark
 *   U+115F     before a Hangul vowel in parts that has no consonant;
 *   U+1160     behind a consonant in parts that has no vowel
 *   U+1BCA0 to U+1BCA3: between two letters of Duployan shorthand
 *   CR         becomes LF: CRLF counts one stripped, CR alone one replaced
 * All others go. Behind one visible character stay at most one selector and
 * then one joiner (any other of the above): the first of each. Ideographic
 * selectors, U+00AD and U+034F stay only if the value has at most sixteen of the
 * kind; of more, all go.
 *
 * A cut in hardened leaves no joiner at the end and no part of a flag. Joiners
 * and selectors that stay count toward the limit.
 *
 * What a hidden message can still ride on, in bits per 1000 visible characters
 * (`./dev measure channels`): Latin 0, Hindi 38 in joiners, Chinese 272 in
 * selectors of punctuation, Persian 625 in ZWNJ, most of which show, emoji 1084;
 * besides, at most 89 in a Latin value with accents apart, 85 in one of figures,
 * 238 in a Chinese one. 1 KiB takes 7,554 emoji.
 *
 * Threads: pure functions. */
#ifndef WICKETGATE_SANITIZE_H
#define WICKETGATE_SANITIZE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a value came from; decides its limit (S4). RETRIEVAL and TOOL_RESULT
 * are sanitized where they arise, the others by wkg_payload_from_trigger(). */
typedef enum wkg_source {
	WKG_SOURCE_INVALID = 0,
	WKG_SOURCE_CHAT = 1,
	WKG_SOURCE_WEBHOOK = 2,
	WKG_SOURCE_FORM_EVENT = 3,
	WKG_SOURCE_RETRIEVAL = 4,
	WKG_SOURCE_TOOL_RESULT = 5,
} wkg_source;

/* Longest text kept per source, in the configured unit. None may be 0. */
typedef struct wkg_source_limits {
	size_t chat;        /* 4000 */
	size_t webhook;     /* 32768 */
	size_t form_event;  /* 8192 */
	size_t retrieval;   /* 4000: whoever uploads a document writes here */
	size_t tool_result; /* 16384 */
} wkg_source_limits;

typedef struct wkg_sanitize_config {
	wkg_profile profile;
	wkg_unit unit;
	wkg_source_limits limits;
	uint32_t max_depth; /* of containers in a payload, 1..1024 (S6, D1) */
} wkg_sanitize_config;

#define WKG_PAYLOAD_DEPTH_DEFAULT 16u
#define WKG_PAYLOAD_DEPTH_MAX 1024u

/* The defaults of the specification (H1), counting code points. A zeroed
 * config is refused, so start from this and change what you need. */
WKG_API wkg_sanitize_config wkg_sanitize_config_default(wkg_profile profile);

/* WKG_OK if every field is usable, else WKG_E_ARGUMENT. Every function that
 * takes a config checks all of it; call this to find a mistake at start-up. */
WKG_API WKG_MUST_USE wkg_status
wkg_sanitize_config_check(const wkg_sanitize_config *config);

/* The limit that applies to `source`; 0 if it is not a source. */
WKG_API size_t wkg_source_limit(const wkg_source_limits *limits,
                                wkg_source source);

/* The source of a stored trigger type (S5): "webhook" and "chat" are
 * themselves; anything else, "schedule" and the empty string included, is
 * FORM_EVENT. Never WKG_SOURCE_INVALID, so no trigger can skip the sanitizer. */
WKG_API wkg_source wkg_source_from_trigger(wkg_span trigger_type);

/* What was done (S8). Counts are exact over the whole input, also behind a
 * cut. Warn about `truncated` (and `dropped`, payload.h); stripping is normal.
 * Never log the text. */
typedef struct wkg_sanitize_report {
	size_t stripped;  /* code points removed for what or where they are */
	size_t replaced;  /* ill-formed subparts turned into U+FFFD; in
	                   * hardened also each lone CR turned into LF */
	size_t truncated; /* 1 if characters were cut off, else 0 */
} wkg_sanitize_report;

/* Room that always suffices for `n` bytes of input: 3n (one bad byte becomes
 * the three bytes of U+FFFD); SIZE_MAX if that overflows. */
WKG_API size_t wkg_sanitize_bound(size_t n);

/* Append the sanitized `in` to `out`. `report` may be NULL and is unchanged on
 * failure.
 *
 * WKG_E_ARGUMENT: unknown source, unusable config, `in` overlaps `out`.
 * WKG_E_SPACE:    the result does not fit. */
WKG_API WKG_MUST_USE wkg_status
wkg_sanitize(wkg_buf *out, wkg_span in, wkg_source source,
             const wkg_sanitize_config *config, wkg_sanitize_report *report);

#ifdef __cplusplus
}
#endif
#endif
