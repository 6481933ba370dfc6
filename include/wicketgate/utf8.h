/* utf8.h - bytes to code points and back, strictly (RFC 3629, Unicode 3.9).
 *
 * Ill-formed input has one reading everywhere in the library (T2): each
 * *maximal subpart* of an ill-formed sequence becomes one U+FFFD, as Unicode
 * section 3.9 and the WHATWG decoder do. Deleting instead of replacing would
 * let `<\xFF<\xFF<` close up into `<<<`; accepting overlong forms would let
 * C0 BC through as `<` past every check for 3C.
 *
 * Threads: pure functions. */
#ifndef WICKETGATE_UTF8_H
#define WICKETGATE_UTF8_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WKG_REPLACEMENT_CHARACTER 0xFFFDu
#define WKG_CODEPOINT_MAX 0x10FFFFu

/* One decoded character. `len` is 1..4 and is the number of bytes used. */
typedef struct wkg_char {
	uint32_t code; /* a Unicode scalar value; U+FFFD when ill-formed */
	uint8_t len;
	bool ill_formed;
} wkg_char;

/* The character that starts at `at`, which must be below `in.len`. */
WKG_API wkg_char wkg_utf8_decode(wkg_span in, size_t at);

/* Write `code` and return how many bytes it took, 1..4. What is not a scalar
 * value (surrogates, above U+10FFFF) is written as U+FFFD. */
WKG_API size_t wkg_utf8_encode(uint8_t out[4], uint32_t code);

/* Offset of the first ill-formed byte; `in.len` if there is none. */
WKG_API size_t wkg_utf8_first_error(wkg_span in);

/* How much of a length limit `code` uses, in `unit`; 0 if the unit is not one. */
WKG_API size_t wkg_utf8_units(uint32_t code, wkg_unit unit);

#ifdef __cplusplus
}
#endif
#endif
