/* grants.h - intents, grants and decisions that the suite makes itself, from
 * SPEC.md X1 and X6, to hand them to an executor. */
#ifndef WGC_GRANTS_H
#define WGC_GRANTS_H

#include "property.h"

#define WGC_START_MS 1800000000000 /* 2027-01-15T08:00:00Z */
#define WGC_TTL_MS   60000

/* What kind of action an intent asks for. */
typedef enum wgc_deed {
	WGC_GOOD,         /* its handler succeeds */
	WGC_FAILING,      /* its handler fails */
	WGC_BAD_VALUE,    /* its parameters are not valid */
	WGC_UNREGISTERED, /* nobody registered it */
	WGC_DEEDS
} wgc_deed;

extern const char *const wgc_deed_actions[WGC_DEEDS];

typedef struct wgc_approved {
	wgc_deed deed;
	unsigned number;   /* of its own: id, key, grant */
	int64_t now_ms;    /* captured, and granted */
	char *envelope, *decision, *token;
	char hash[72];
} wgc_approved;

/* clock.set and grant.setup (after a reset). False: refused, the case failed. */
bool wgc_grants_setup(wgc_case *what, const char *store);
/* An intent and an ALLOW for it: signed here with feature grant.jws, else asked
 * for with grant.issue. False: the case failed. */
bool wgc_approve(wgc_case *what, wgc_deed deed, unsigned number, int64_t now_ms,
                 wgc_approved *approved);
void wgc_approved_clear(wgc_approved *approved);

cJSON *wgc_execute_args(const char *envelope, const char *decision);
/* handler.count of an action; -1 and the case failed. */
long wgc_handled(wgc_case *what, const char *action);
/* {"kid","public"} for grant.verify. */
cJSON *wgc_keys(void);
const char *wgc_binding(const wgc_subject *subject);

/* Replace the first `from` that is in a text; free() it. */
char *wgc_replaced(const char *text, const char *from, const char *to);

#endif
