/* number.h - numbers as canonical JSON writes them (RFC 8785, 3.2.2.3).
 *
 * RFC 8785 reads a number as an IEEE 754 double and writes it as ECMAScript
 * does. A double travels as its 64 bits, so that nothing on the way can load it
 * into a register that rounds. */
#ifndef WKG_NUMBER_H
#define WKG_NUMBER_H

#include "../internal.h"

/* The longest is like -0.0000033333333333333333: a sign, "0.", five zeros and
 * 17 digits. */
#define WKG__NUMBER_TEXT_MAX 25

/* The double nearest to a JSON number, of two equally near the even one. False
 * if it rounds to infinity or `text` is no number; `bits` is then as it was. */
WKG_HIDDEN WKG_MUST_USE bool
wkg__number_parse(uint64_t *bits, wkg_span text);

/* ECMAScript's text of a double: of the shortest decimals that read back as it
 * the closest, and "0" for -0. The length; 0 for an infinity or a NaN, which
 * have no text in JSON. */
WKG_HIDDEN size_t
wkg__number_write(uint8_t out[WKG__NUMBER_TEXT_MAX], uint64_t bits);

/* Append the canonical text of a JSON number. WKG_E_SYNTAX if it is none, or
 * rounds to infinity, for which RFC 8785 has no text. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__number_canonical(wkg_buf *out, wkg_span text);

/* Append a whole number in decimal. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__number_whole(wkg_buf *out, uint64_t value);

#endif
