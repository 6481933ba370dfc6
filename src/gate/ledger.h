/* ledger.h - what the three stores share: which claims they look at at all, in
 * which process and one at a time, and the floor under the clock.
 *
 * The floor is why a clock set back cannot reopen a spent id. It is the highest
 * `now - margin` a store has recorded, and it only rises. Two rules refer to
 * it: a claim whose `now` is below it is refused, and an entry may be forgotten
 * once the floor has reached its expiry. So let an entry with expiry e be
 * forgotten at a floor f; e <= f. A later claim of the same grant needs
 * now >= f, or it is refused, and now < e, or it has expired: now < e <= f <=
 * now, which no clock can show. Nothing is assumed about clocks. The margin
 * decides only how far one may lag before its claims are refused, and may
 * differ from call to call: what is kept is the floor, not the highest now. */
#ifndef WKG_LEDGER_H
#define WKG_LEDGER_H

#include "../allocator.h"
#include "../internal.h"

#include <pthread.h>
#include <sys/types.h>
#include <wicketgate/ledger.h>

enum { WKG__CLAIM_ID_MAX = 200 };

typedef struct wkg__claim_request {
	wkg_span id; /* 1..200 bytes */
	int64_t now_ms;
	int64_t expires_ms; /* later than now */
} wkg__claim_request;

/* The first member of every store. */
typedef struct wkg__store {
	wkg_allocator allocator; /* of wkg__store_new() */
	pthread_mutex_t lock;
	pid_t process;
	int64_t margin_ms;
} wkg__store;

/* False if there can be no lock. */
WKG_HIDDEN WKG_MUST_USE bool
wkg__store_init(wkg__store *store, int64_t margin_ms);

/* `size` bytes that begin with a store, the rest zeros; NULL if there is no
 * memory. An allocator that is NULL is malloc. */
WKG_HIDDEN void *
wkg__store_new(size_t size, int64_t margin_ms, const wkg_allocator *allocator);
WKG_HIDDEN void wkg__store_free(void *store);

/* Check a claim, bring it to one unit, and take the lock: until _leave() it is
 * the only claim on this store. False if it is refused whatever the store holds,
 * also in a child made by fork(), which has a copy of what it must not use: a
 * table in which all that its parent will spend is unspent, locks on a file
 * that only its parent holds, a connection on which each would read the other's
 * answers. Sums of its times and a margin do not overflow. */
WKG_HIDDEN WKG_MUST_USE bool
wkg__store_enter(wkg__store *store, wkg__claim_request *out, wkg_span id,
                 int64_t expires, int64_t now_ms);
WKG_HIDDEN void wkg__store_leave(wkg__store *store);

/* The margin in milliseconds; -1 if it cannot be one. */
WKG_HIDDEN int64_t wkg__margin_ms(int64_t margin_s);

/* Where the floor is once a claim at `now_ms` is recorded. */
WKG_HIDDEN int64_t
wkg__raised_floor(int64_t floor_ms, int64_t now_ms, int64_t margin_ms);

/* SipHash-2-4 (Aumasson and Bernstein, 2012). */
WKG_HIDDEN uint64_t wkg__siphash(const uint8_t key[16], wkg_span text);

#endif
