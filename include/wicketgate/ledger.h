/* ledger.h - which grants have been spent.
 *
 * claim() answers once, ever, that a grant is the caller's to use. It is the
 * only thing that makes "approved" mean "once" across threads, processes,
 * crashes and retries, so everything doubtful is a refusal (X7): a store that
 * is full, slow, unreachable, older than what it has seen, or whose answer got
 * lost. A lost answer may waste a grant; it can never lead to two executions.
 *
 * A claim outlives its grant by a margin (24 h unless said otherwise), so that
 * clocks may disagree by as much.
 *
 * SQLite and Redis are features of the build, there if Meson finds libsqlite3 or
 * libhiredis (-Dauto_features=disabled: not even then, =enabled: or it stops).
 * Without Meson, leave out src/gate/ledger_sqlite.c or ledger_redis.c.
 *
 * An allocator that is NULL is malloc. SQLite and hiredis use their own.
 *
 * Threads: claim() may be called from any number at once, on one store. */
#ifndef WICKETGATE_LEDGER_H
#define WICKETGATE_LEDGER_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wkg_claim {
	WKG_CLAIM_REFUSED = 0, /* the store is unsure, broken, full, behind */
	WKG_CLAIM_SPENT = 1,   /* somebody has it */
	WKG_CLAIM_GRANTED = 2, /* yours, for the only time */
} wkg_claim;

/* A store. `id` has 1..200 bytes; times are seconds since 1970 for `expires`
 * and milliseconds for `now_ms`. An id that is empty or too long, or a grant
 * that has expired, is REFUSED and nothing is recorded. */
typedef struct wkg_ledger {
	wkg_claim (*claim)(void *store, wkg_span id, int64_t expires,
	                   int64_t now_ms);
	void *store;
} wkg_ledger;

#define WKG_LEDGER_MARGIN_S 86400

/* ---- in the caller's memory ----
 *
 * For tests, and for grants that need not survive the process. Open addressing
 * with O(1) probes; keys are compared whole, the hash is keyed with `seed`
 * (16 random bytes from the caller), so that ids cannot be chosen to collide.
 * Full refuses; it never evicts a live claim. */
typedef struct wkg_memory_ledger wkg_memory_ledger;

WKG_API size_t wkg_memory_ledger_size(size_t claims); /* SIZE_MAX on overflow */
WKG_API WKG_MUST_USE wkg_status
wkg_memory_ledger_init(wkg_memory_ledger **out, wkg_work memory, size_t claims,
                       const uint8_t seed[16], int64_t margin_s);
WKG_API wkg_ledger wkg_memory_ledger_of(wkg_memory_ledger *store);
/* Slots looked at by all claims so far, and claims made: their ratio is flat. */
WKG_API void wkg_memory_ledger_stats(const wkg_memory_ledger *store,
                                     uint64_t *probes, uint64_t *claims);

/* ---- SQLite: one machine, durable ----
 *
 * One row per claim, inserted in a transaction that is on disk before the
 * answer (synchronous=EXTRA). The file is made if it is not there.
 *
 * It keeps a floor: the highest `now_ms` of a claim it recorded, less the margin,
 * which never falls. A `now_ms` below the floor is refused, and only
 * claims whose grants expired by the floor are forgotten; so a clock set back
 * reopens nothing. One that ran ahead by more than the margin has the others
 * refused until they get there. (The store in memory does the same.)
 *
 * WKG_E_STORE:   the file cannot be opened, written, or is locked for longer
 *                than the timeout.
 * WKG_E_INVALID: it is no ledger. It is left as it is. */
typedef struct wkg_sqlite_ledger wkg_sqlite_ledger;

WKG_API WKG_MUST_USE wkg_status
wkg_sqlite_ledger_open(wkg_sqlite_ledger **out, const char *path,
                       int64_t margin_s, int busy_timeout_ms,
                       const wkg_allocator *allocator);
WKG_API void wkg_sqlite_ledger_close(wkg_sqlite_ledger *store);
WKG_API wkg_ledger wkg_sqlite_ledger_of(wkg_sqlite_ledger *store);

/* ---- Redis: many machines ----
 *
 * SET key value NX PX (expires - now) + margin: a relative time, since with
 * PXAT in the past both callers are told OK. The key is `prefix` and the id; the
 * value the library makes up for each call, and an OK counts only if that value
 * is found behind it. An answer that does not come within the timeout is a
 * refusal, and the connection is not used again: the next call makes another.
 * One connection serves one call at a time.
 *
 * Opening connects, and asks the server whether it evicts keys.
 *
 * WKG_E_STORE:       nobody answers in time, or not as Redis does.
 * WKG_E_UNSUPPORTED: it has a limit of memory and evicts keys to keep it: a
 *                    cache, in which a claim can get lost.
 *
 * What the library cannot see: a server that forgets when it is restarted. Set
 * `appendonly yes` and `appendfsync always`. */
typedef struct wkg_redis_ledger wkg_redis_ledger;

WKG_API WKG_MUST_USE wkg_status
wkg_redis_ledger_open(wkg_redis_ledger **out, const char *host, uint16_t port,
                      wkg_span prefix, int64_t margin_s, int timeout_ms,
                      const wkg_allocator *allocator);
WKG_API void wkg_redis_ledger_close(wkg_redis_ledger *store);
WKG_API wkg_ledger wkg_redis_ledger_of(wkg_redis_ledger *store);

#ifdef __cplusplus
}
#endif
#endif
