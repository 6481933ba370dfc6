/* allocator.h - the caller's allocator, or malloc, for the layers that have
 * objects to make. Apart from internal.h because the core must not know it. */
#ifndef WKG_ALLOCATOR_H
#define WKG_ALLOCATOR_H

#include <stdlib.h>
#include <wicketgate/base.h>

static inline void *
wkg__malloc(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size);
}

static inline void
wkg__free(void *ctx, void *ptr)
{
	(void)ctx;
	free(ptr);
}

static inline wkg_allocator
wkg__allocator_or_malloc(const wkg_allocator *given)
{
	const wkg_allocator standard = { wkg__malloc, wkg__free, NULL };
	return given != NULL ? *given : standard;
}

#endif
