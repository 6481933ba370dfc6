/* base.h - the vocabulary every other wicketgate header is written in.
 *
 * Conventions of the whole library, stated once:
 *
 *   Text      is UTF-8 bytes with an explicit length. NUL is a character like
 *             any other; nothing here looks for a terminator. Positions are
 *             byte offsets from the start of the input. (T1)
 *   Memory    belongs to the caller. A function reads spans and appends to a
 *             buffer the caller sized with the matching `*_bound(n)`. Nothing
 *             grows or frees memory, and only an object that says so (a reader)
 *             keeps a pointer after a call returns. Pointers must not be NULL
 *             unless a header says what NULL means.
 *   Failure   is a wkg_status other than WKG_OK. Then `out->len` and the bytes
 *             before it are as they were; the spare capacity behind `len` is
 *             scratch and may have been written. There is no partial answer.
 *   Zero      is the refusing value of every enum except wkg_status, so that a
 *             forgotten initialisation refuses.
 *   Threads   Functions keep no state between calls and share none: any two
 *             calls may run at once as long as they do not share an output.
 *   Overlap   Text can grow threefold (T2), so nothing works in place: where an
 *             answer will be written - the spare capacity of `out`, the work
 *             area - no input may lie. WKG_E_ARGUMENT. What is already in `out`
 *             may be an input.
 *
 * Ids in parentheses (T1, S3, F5 ...) name rules of the specification. */
#ifndef WICKETGATE_BASE_H
#define WICKETGATE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WKG_VERSION_MAJOR 0
#define WKG_VERSION_MINOR 1
#define WKG_VERSION_PATCH 0

#ifndef WKG_API
#if defined(__GNUC__)
#define WKG_API __attribute__((visibility("default")))
#else
#define WKG_API
#endif
#endif

#if defined(__GNUC__)
#define WKG_MUST_USE __attribute__((warn_unused_result))
#else
#define WKG_MUST_USE
#endif

/* Bytes someone else owns. `ptr` may be NULL only if `len` is 0. */
typedef struct wkg_span {
	const uint8_t *ptr;
	size_t len;
} wkg_span;

/* The caller's output: `len` of `cap` bytes are filled, functions append. */
typedef struct wkg_buf {
	uint8_t *ptr;
	size_t len;
	size_t cap;
} wkg_buf;

/* Scratch memory for one call, or for as long as a reader is used. Any
 * alignment; the contents mean nothing before and after. Storage without a
 * declared type (malloc) or an array of bytes. Functions that need it say how much: `*_work_size(n)`. */
typedef struct wkg_work {
	void *ptr;
	size_t size;
} wkg_work;

/* Memory for the few objects that cannot live in the caller's. `acquire` may
 * return NULL; `release` gets what it returned, never NULL. */
typedef struct wkg_allocator {
	void *(*acquire)(void *ctx, size_t size);
	void (*release)(void *ctx, void *ptr);
	void *ctx;
} wkg_allocator;

/* What a call did. Numbers are stable and never reused; treat one you do not
 * know as a refusal. */
typedef enum wkg_status {
	WKG_OK = 0,

	/* The caller's mistake. */
	WKG_E_ARGUMENT = 1,    /* a parameter breaks the contract of the call */
	WKG_E_UNSUPPORTED = 3, /* a library this one stands on cannot do it */

	/* Not enough of something. */
	WKG_E_SPACE = 10,  /* output or work area too small; nothing appended */
	WKG_E_MEMORY = 11, /* the allocator returned NULL */
	WKG_E_LIMIT = 12,  /* the input asks for more than the limits allow */

	/* The input is malformed. */
	WKG_E_ENCODING = 20,  /* ill-formed UTF-8 in a string of a document */
	WKG_E_SYNTAX = 21,    /* anything else that is wrong in a document */
	WKG_E_DUPLICATE = 22, /* one object, the same name twice */
	WKG_E_NOT_FOUND = 23, /* it names something that is not there */
	WKG_E_INVALID = 24,   /* well-formed, but not what it has to be */

	/* The answer is no. */
	WKG_E_REFUSED = 30,

	/* Something this library stands on failed; treat as a refusal. */
	WKG_E_CRYPTO = 40,
	WKG_E_STORE = 41,
} wkg_status;

/* The constant's own spelling ("WKG_E_SPACE"); "WKG_E_?" for others. */
WKG_API const char *wkg_status_name(wkg_status status);

/* Which rules apply; always an explicit argument.
 *   REFERENCE  the documents this library implements, exactly, with their
 *              known holes (README: "Two profiles").
 *   HARDENED   stronger; what a new user wants. */
typedef enum wkg_profile {
	WKG_PROFILE_INVALID = 0,
	WKG_PROFILE_REFERENCE = 1,
	WKG_PROFILE_HARDENED = 2,
} wkg_profile;

/* What a length limit counts (T3). A cut never splits a code point, nor
 * under UTF16 a surrogate pair. */
typedef enum wkg_unit {
	WKG_UNIT_INVALID = 0,
	WKG_UNIT_CODEPOINT = 1,
	WKG_UNIT_UTF16 = 2, /* what Java and JavaScript call length */
	WKG_UNIT_BYTE = 3,  /* of the result as UTF-8, escapes undone */
} wkg_unit;

/* "0.1.0", the version of the library that is linked. */
WKG_API const char *wkg_version(void);

/* A span initializer over a string literal, without its final NUL. */
#define WKG_LIT(s)                                        \
	{                                                 \
		(const uint8_t *)("" s), sizeof(s) - 1    \
	}

static inline wkg_span
wkg_buf_span(const wkg_buf *buf)
{
	wkg_span span = {buf->ptr, buf->len};
	return span;
}

#ifdef __cplusplus
}
#endif
#endif
