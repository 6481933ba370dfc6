/* tape.h - a JSON document as records in the caller's memory.
 *
 * Everything in the gate that has to look at a document twice - to sort its
 * members, to check its shape - works on this. Made by the strict reader, so
 * what is on a tape is I-JSON. */
#ifndef WKG_TAPE_H
#define WKG_TAPE_H

#include "../internal.h"

#include <stddef.h>
#include <wicketgate/json.h>

/* One value. Links are indexes into the records; 0 is "none", since record 0
 * is the root, which nothing links to. */
typedef struct wkg__node {
	uint32_t kind;   /* wkg_json_kind, containers as their BEGIN */
	uint32_t from;   /* bytes [from, to) of the document */
	uint32_t to;
	uint32_t name;   /* offset of its name's quote, if it is a member */
	uint32_t parent;
	uint32_t first;  /* child; members of an object in canonical order */
	uint32_t next;   /* sibling */
	uint32_t depth;  /* containers around it */
} wkg__node;

typedef struct wkg__tape {
	wkg_span doc;
	wkg__node *nodes;
	size_t count;
	wkg_json_error error; /* if reading failed */
} wkg__tape;

/* Of what is taken from a work area. More than a pointer's: on 32-bit ARM, a
 * uint64_t has to be at a multiple of 8. */
enum { WKG__ALIGNMENT = _Alignof(max_align_t) };

/* Memory taken from the front of a work area, aligned for anything; NULL if
 * there is not enough. */
WKG_HIDDEN void *wkg__take(wkg_work *work, size_t size);

/* What wkg__tape_read() takes for a document of `n` bytes. */
WKG_HIDDEN size_t wkg__tape_size(size_t n);

WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__tape_read(wkg__tape *tape, wkg_span doc, wkg_work *work);

/* The member of an object by its name, written in plain ASCII; 0 if it has no
 * such member or is no object. */
WKG_HIDDEN uint32_t
wkg__tape_member(const wkg__tape *tape, uint32_t object, const char *name);

/* Is the name of this member that ASCII text? */
WKG_HIDDEN bool
wkg__tape_named(const wkg__tape *tape, uint32_t member, const char *name);

/* The text between the quotes of a string is this ASCII text, unescaped. */
WKG_HIDDEN bool
wkg__tape_equals(const wkg__tape *tape, uint32_t node, const char *text);

/* Append the characters of a string, unescaped. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__tape_text(wkg_buf *out, const wkg__tape *tape, uint32_t node);

/* Append the canonical form of a value (RFC 8785). WKG_E_SYNTAX if a number is
 * not finite; then *at is its offset. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__tape_canonical(wkg_buf *out, const wkg__tape *tape, uint32_t node,
                    size_t *at);

#endif
