/* oracle_tree.h - values and documents, and what S6 and M7 make of them.
 *
 * A tree is read from a script, a text in which these code points of plane 15
 * build and all others are content. Every text is a script, so that shrinking
 * a text shrinks a tree. */
#ifndef WGC_ORACLE_TREE_H
#define WGC_ORACLE_TREE_H

#include "ask.h"
#include "text.h"

enum {
	WGC_CLOSE = 0xF0000,
	WGC_ARRAY,
	WGC_OBJECT,
	WGC_STRING, /* content follows */
	WGC_NAME,   /* of the next value; content follows */
	WGC_INTS,
	WGC_OTHER,
	WGC_LONE, /* content: a lone surrogate, for documents */
	WGC_BAD,  /* a string of its own: the extra text */
	WGC_WORD = 0xF0010, /* and following: numbers and literals */
	WGC_WORDS = 16,
	WGC_HIT = 0xF0100,    /* content: an order that the moderator knows, ... */
	WGC_BENIGN = 0xF0200, /* ... its honest twin, ... */
	WGC_LONG = 0xF0300,   /* ... 1990 letters */
	WGC_SCRIPT_END = 0xF0400
};

typedef enum wgc_node_kind {
	WGC_NODE_STRING, WGC_NODE_WORD, WGC_NODE_INTS, WGC_NODE_OTHER,
	WGC_NODE_ARRAY, WGC_NODE_OBJECT
} wgc_node_kind;

typedef struct wgc_node {
	wgc_node_kind kind;
	wgc_text name, text; /* a lone surrogate is an element like others */
	const char *word;
	bool ordered; /* a known order is in it */
	wgc_text new_name, new_text; /* after; read these where `judged` */
	bool judged, renamed, dropped;
	struct wgc_node *child, *next;
	size_t size;     /* children */
	size_t from, to; /* in the document that was written last */
} wgc_node;

/* What was done, as in a reply: paths and kinds; paths are complete. */
typedef struct wgc_tree_report {
	struct { wgc_text path; const char *kind; } leaf[256];
	size_t leaves, truncated, dropped;
	bool flagged;
} wgc_tree_report;

/* `extra` may be NULL. Arrays of numbers stand above the maximum of depth only:
 * what is done with deeper ones the rules leave open. A maximum of 0 is for
 * documents: neither those nor unknown kinds. */
wgc_node *wgc_tree_read(const wgc_text *script, const wgc_text *extra, size_t max_depth);
void wgc_tree_clear(wgc_node *root);

/* S6, S9 and M7: into the `new_` members and the report. */
void wgc_tree_sanitize(wgc_node *root, const wgc_setup *setup, size_t limit,
                       wgc_tree_report *report);
void wgc_tree_moderate(wgc_node *root, const wgc_setup *setup, wgc_tree_report *report);
void wgc_tree_report_clear(wgc_tree_report *report);

/* As V of PROTOCOL.md 3; `after`: with what was done. `absent`: what was dropped
 * is left out. */
cJSON *wgc_tree_value(const wgc_node *root, bool after, bool absent);
/* As JSON text. The style, 0 being the plainest, decides white space and which
 * characters are escaped how. */
wgc_text wgc_tree_document(wgc_node *root, bool after, uint32_t style);
/* The n-th value in the order of the document, counted around, and the way there
 * as a template writes it behind the `$` (F7). */
const wgc_node *wgc_tree_nth(const wgc_node *root, size_t n, wgc_text *path);

#endif
