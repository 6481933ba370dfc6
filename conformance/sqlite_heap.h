/* sqlite_heap.h - a test stands between SQLite and its memory. */
#ifndef WKG_CONFORMANCE_SQLITE_HEAP_H
#define WKG_CONFORMANCE_SQLITE_HEAP_H

#include <sqlite3.h>
#include <stdbool.h>

static sqlite3_mem_methods sqlite_heap; /* SQLite's own */

/* From now on these are called, and call sqlite_heap; `to_release` may be NULL.
 * False if SQLite has allocated already. */
static inline bool
stand_before_sqlite_heap(void *(*to_allocate)(int), void *(*to_resize)(void *, int),
                         void (*to_release)(void *))
{
	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_heap) != SQLITE_OK)
		return false;
	sqlite3_mem_methods methods = sqlite_heap;
	methods.xMalloc = to_allocate;
	methods.xRealloc = to_resize;
	if (to_release != NULL)
		methods.xFree = to_release;
	/* No pools: every allocation comes by. */
	return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
	       sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK &&
	       sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0) == SQLITE_OK;
}

#endif
