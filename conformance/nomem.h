/* nomem.h - memory runs out: one counter over all allocations, and each of them
 * fails in turn, once or from there on.
 *
 * OpenSSL takes an allocator only before it has allocated anything:
 * count_openssl() comes first in main(), and such tests are programs of their own. */
#ifndef WKG_CONFORMANCE_NOMEM_H
#define WKG_CONFORMANCE_NOMEM_H

#include "harness.h"

#include <openssl/crypto.h>
#include <openssl/err.h>

/* ---- the counter --------------------------------------------------------- */

static struct {
	size_t live;
	size_t total;
	size_t count;   /* of those that may fail */
	size_t fail_at; /* the one that does; 0: none may */
	bool sticky;    /* and all later ones do */
} heap;

static inline bool
fails(void)
{
	heap.total++;
	if (heap.fail_at == 0)
		return false;
	heap.count++;
	return heap.count == heap.fail_at || (heap.sticky && heap.count > heap.fail_at);
}

static inline void
arm(size_t n)
{
	heap.count = 0;
	heap.fail_at = n;
}

static inline void
disarm(void)
{
	heap.fail_at = 0;
}

static inline void *
take(size_t size)
{
	void *ptr = fails() ? NULL : malloc(size);
	heap.live += ptr != NULL;
	return ptr;
}

static inline void
give(void *ptr)
{
	heap.live -= ptr != NULL;
	free(ptr);
}

/* ---- whose allocations ---------------------------------------------------- */

static inline void *
crypto_malloc(size_t size, const char *file, int line)
{
	(void)file, (void)line;
	return take(size);
}

static inline void
crypto_free(void *ptr, const char *file, int line)
{
	(void)file, (void)line;
	give(ptr);
}

static inline void *
crypto_realloc(void *ptr, size_t size, const char *file, int line)
{
	(void)file, (void)line;
	if (ptr == NULL)
		return take(size);
	if (size > 0)
		return fails() ? NULL : realloc(ptr, size);
	give(ptr);
	return NULL;
}

static inline bool
count_openssl(void)
{
	return CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) == 1;
}

static inline void *
acquire(void *ctx, size_t size)
{
	(void)ctx;
	return take(size);
}

static inline void
release(void *ctx, void *ptr)
{
	(void)ctx;
	give(ptr);
}

static const wkg_allocator ours = { acquire, release, NULL };

/* ---- every site in turn --------------------------------------------------- */

typedef struct task {
	const char *name;
	bool (*run)(void); /* false: wrong. It may disarm(). */
} task;

/* One run with the n-th allocation failing; `reached` tells whether there was
 * one, `kept` how much more is allocated than before. */
static inline bool
run_failing(const task *t, size_t n, bool *reached, size_t *kept)
{
	size_t before = heap.live;
	arm(n);
	bool holds = t->run();
	disarm();
	*reached = heap.count >= n;
	*kept = heap.live - before;
	return holds && ERR_peek_error() == 0;
}

static size_t stride = 1; /* 2: every second site only */

/* The number of sites; 0 if something does not hold. */
static inline size_t
sweep(const task *t, bool may_keep)
{
	bool reached = true;
	size_t n, kept;
	for (n = 1; reached; n += stride)
		if (!run_failing(t, n, &reached, &kept) || (kept != 0 && !may_keep)) {
			printf("# at allocation %zu, %s, %zu kept\n", n, heap.sticky ? "and all later ones" : "once", kept);
			return 0;
		}
	return (n - 1) / stride - 1;
}

static inline void
claim_sweeps(const task *tasks, size_t count)
{
	char text[160];
	for (size_t i = 0; i < 2 * count; i++) {
		heap.sticky = i % 2 == 1;
		size_t sites = sweep(&tasks[i / 2], false);
		snprintf(text, sizeof text, "%s: %zu allocations fail in turn, %s: refused or right, nothing leaks",
		         tasks[i / 2].name, sites, heap.sticky ? "for good" : "once");
		CLAIM(text, sites > 0);
	}
}

#endif
