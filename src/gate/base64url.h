/* base64url.h - RFC 4648 section 5 without padding, one spelling per value. */
#ifndef WKG_BASE64URL_H
#define WKG_BASE64URL_H

#include "../internal.h"

/* How many characters `n` bytes become; SIZE_MAX on overflow. */
WKG_HIDDEN size_t wkg__base64url_size(size_t n);

/* Append `bytes` as text. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__base64url_encode(wkg_buf *out, wkg_span bytes);

/* Append the bytes that `text` stands for, three for four characters.
 *
 * WKG_E_SYNTAX: anything that encoding does not produce: padding, white space,
 * another alphabet, a length of 4n + 1, bits behind the last byte that are not
 * zero. Otherwise one signature could be written in several ways, and a store
 * of spent tokens would see several tokens. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__base64url_decode(wkg_buf *out, wkg_span text);

#endif
