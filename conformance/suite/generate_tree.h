/* generate_tree.h - G-TREE: scripts of trees (oracle_tree.h) around a depth. */
#ifndef WGC_GENERATE_TREE_H
#define WGC_GENERATE_TREE_H

#include "oracle_tree.h"
#include "property.h"

typedef struct wgc_tree_kind {
	size_t depth;    /* that is the last one treated */
	size_t limit;    /* that strings are about as long as */
	bool moderated;  /* strings hold orders, their twins, and neutral letters */
	bool document;   /* no kinds that JSON has not, but lone surrogates */
	bool templated;  /* which names have not */
} wgc_tree_kind;

wgc_text wgc_generate_tree(wgc_case *what, wgc_tree_kind kind);

#endif
