/* schedule.h - the ledger, played: who asks first does not get the answer
 * first.
 *
 * A hundred threads and a barrier hardly ever catch a ledger that checks and
 * then sets (measured: 0 of 200 rounds). Here every call of the store waits
 * until all executions wait or are done, and then a choice says which one is
 * answered, and how. That makes a race a sequence of choices: it can be
 * enumerated, shrunk and replayed. */
#ifndef WGC_SCHEDULE_H
#define WGC_SCHEDULE_H

#include "grants.h"

#define WGC_CALLS_MAX 100

typedef enum wgc_fault {
	WGC_ANSWERED,  /* as a store should */
	WGC_DOWN,      /* an error, and nothing was done */
	WGC_LOST,      /* it was done, but the answer is an error */
	WGC_WITHHELD,  /* it was done, and no answer comes */
	WGC_LATE,      /* it was done; the answer comes after the request's reply */
	WGC_FAULTS
} wgc_fault;

typedef struct wgc_execution {
	size_t request; /* of the case */
	uint64_t handle;
	bool replied, executed, faulty;
	bool won; /* the store told it so: it may execute, no other */
} wgc_execution;

typedef struct wgc_schedule {
	wgc_execution at[WGC_CALLS_MAX];
	size_t n;
} wgc_schedule;

/* Execute one approval n times at once (after wgc_grants_setup "callback").
 * `faults`: answer as choices say, else properly. */
void wgc_schedule_play(wgc_case *what, const wgc_approved *approved, size_t n,
                       bool faults, wgc_schedule *schedule);

#endif
