/* document.h - JSON documents as the suite reads, changes and writes them.
 *
 * Numbers keep their text, names may come twice, and a lone surrogate stays
 * what it is (a code point of the surrogate range). */
#ifndef WGC_DOCUMENT_H
#define WGC_DOCUMENT_H

#include "text.h"

typedef enum wgc_doc_kind {
	WGC_DOC_NULL, WGC_DOC_FALSE, WGC_DOC_TRUE, WGC_DOC_NUMBER,
	WGC_DOC_STRING, WGC_DOC_ARRAY, WGC_DOC_OBJECT
} wgc_doc_kind;

typedef struct wgc_doc wgc_doc;
struct wgc_doc {
	wgc_doc_kind kind;
	wgc_text name; /* in an object */
	wgc_text text; /* of a string, or as a number is written */
	wgc_doc *child;
	size_t n;
};

#define WGC_DOC_DEPTH 400

/* Strict RFC 8259, nothing behind it. False: *doc is empty. */
bool wgc_doc_read(const wgc_text *text, wgc_doc *doc);
void wgc_doc_clear(wgc_doc *doc);

/* An object with a name twice, or a lone surrogate, anywhere. */
bool wgc_doc_is_odd(const wgc_doc *doc);
/* A number that is no finite double. */
bool wgc_doc_has_huge(const wgc_doc *doc);

/* X1.1; `index_order` is choice canon = ecma-index-order. Of names that come
 * twice the last one counts. */
wgc_text wgc_doc_canonical(const wgc_doc *doc, bool index_order);
/* The same document in other words: members in any order, white space and
 * escapes anywhere. */
wgc_text wgc_doc_reworded(const wgc_doc *doc, uint64_t *random);
/* Another document: one leaf or name changed. False: it had none. */
bool wgc_doc_change(wgc_doc *doc, uint64_t *random);

#endif
