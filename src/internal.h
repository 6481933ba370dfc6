/* internal.h - what the modules share and callers do not see. */
#ifndef WKG_INTERNAL_H
#define WKG_INTERNAL_H

#include <wicketgate/base.h>
#include <wicketgate/sanitize.h>
#include <wicketgate/utf8.h>

#if defined(__GNUC__)
#define WKG_HIDDEN __attribute__((visibility("hidden")))
#else
#define WKG_HIDDEN
#endif

/* The one macro with a hidden return. */
#define WKG_TRY(expression)                       \
	do {                                      \
		wkg_status status_ = (expression); \
		if (status_ != WKG_OK)            \
			return status_;           \
	} while (0)

/* Texts in the sources are UTF-8 and must stay so: the contract is constant to
 * the byte. (GCC: no -fexec-charset; MSVC: /utf-8.) */
_Static_assert(sizeof "数" == 4, "compile with a UTF-8 execution character set");

/* base.c */

WKG_HIDDEN bool wkg__profile_known(wkg_profile profile);

/* Sums and products of sizes that come from outside; SIZE_MAX on overflow, so
 * that no buffer is ever large enough. */
WKG_HIDDEN size_t wkg__add(size_t a, size_t b);
WKG_HIDDEN size_t wkg__multiply(size_t a, size_t b);

WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__append(wkg_buf *out, const uint8_t *bytes, size_t count);

/* The same for a text that ends in NUL. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__append_text(wkg_buf *out, const char *text);

/* Is `in` readable, `out` writable, and is the spare capacity of `out`, where
 * the answer will grow, clear of `in`? Text grows up to threefold, so working
 * in place would read what was just written. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__check_spans(const wkg_buf *out, wkg_span in);

/* Is the memory a call writes to (`a`) clear of what it reads (`b`)? */
WKG_HIDDEN bool
wkg__disjoint(const void *a, size_t a_len, const void *b, size_t b_len);

/* utf8.c */

/* The character as UTF-8. */
WKG_HIDDEN WKG_MUST_USE wkg_status wkg__put(wkg_buf *out, uint32_t code);

/* The plain twin of wkg_utf8_first_error(), kept to compare with. */
WKG_HIDDEN size_t wkg__utf8_first_error_plain(wkg_span in);

/* table.c */

/* Is this one of the sequences that Unicode lists, emoji's or standardized? */
WKG_HIDDEN bool wkg__is_variation(uint32_t base, uint32_t selector);

/* sanitize.c */

/* How text is written down: as plain UTF-8, or (json/copy.h) inside a JSON
 * string. */
typedef struct wkg__notation {
	/* The character at an offset; `len` 0 at the end of the text. */
	wkg_char (*read)(wkg_span in, size_t at);
	wkg_status (*write)(wkg_buf *out, uint32_t code);
} wkg__notation;

WKG_HIDDEN extern const wkg__notation wkg__plain_text;

/* What to take out of a text, and how much to keep. */
typedef struct wkg__rule {
	/* WKG_SET_*; of CONTEXT_HARDENED what is not in its place. */
	uint32_t strip;
	wkg_unit unit;
	size_t limit;
} wkg__rule;

/* The sets a profile strips from input; 0 for an unknown profile. */
WKG_HIDDEN uint32_t wkg__strip_sets(wkg_profile profile);

/* Sanitize the text that starts at `at`, in one notation, adding to `report`.
 * `out` may hold a part of the result on failure; with NULL nothing is written,
 * only counted. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__sanitize(wkg_buf *out, wkg_span in, size_t at, const wkg__notation *notation,
              const wkg__rule *rule, wkg_sanitize_report *report);

/* json.c: the character as it stands in an RFC 8785 string. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__json_put(wkg_buf *out, uint32_t code);

#endif
