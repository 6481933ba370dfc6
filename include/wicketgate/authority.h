/* authority.h - an authority for demos and tests (X8).
 *
 * It approves whatever it is told to. A real authority decides, somewhere else,
 * and signs grants as grant.h describes. So this one works only for a caller
 * that says so in words and an environment that is not "production".
 *
 * Threads: pure functions. */
#ifndef WICKETGATE_AUTHORITY_H
#define WICKETGATE_AUTHORITY_H

#include "base.h"
#include "grant.h"
#include "intent.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WKG_AUTHORITY_ISSUER "agent-safe-fixture"

typedef enum wkg_verdict {
	WKG_VERDICT_INVALID = 0,
	WKG_VERDICT_BLOCK = 1,
	WKG_VERDICT_ESCALATE = 2,
	WKG_VERDICT_ALLOW = 3,
} wkg_verdict;

typedef struct wkg_authority {
	bool unsafe_development; /* must be true */
	wkg_span environment;    /* must not be "production" */
	const uint8_t *seed;     /* WKG_KEY_SIZE bytes: the signing key */
	wkg_span kid;            /* empty: its thumbprint */
} wkg_authority;

/* One decision. The ids are fresh UUIDs from the caller. */
typedef struct wkg_ruling {
	wkg_verdict verdict;
	wkg_span decision_uuid, dossier_uuid, grant_uuid;
	int64_t now_ms;
	int64_t ttl_s; /* of the grant: 1..300, cut to the intent's expiry */
} wkg_ruling;

/* Append the decision on an opened intent as JSON: verdict, decisionId,
 * dossierId, intentHash, reasonCodes, authorization, failClosed. Only ALLOW
 * carries an authorization {token, expiresAt}. At most WKG_DECISION_MAX bytes.
 *
 * WKG_E_REFUSED:  not allowed here (FIXTURE_AUTHORITY_FORBIDDEN).
 * WKG_E_ARGUMENT: ALLOW for an intent that has expired, an unusable ruling. */
#define WKG_DECISION_MAX 16384u
WKG_API size_t wkg_authority_work_size(void);
WKG_API WKG_MUST_USE wkg_status
wkg_authority_decide(wkg_buf *out, const wkg_authority *authority,
                     const wkg_intent *intent, const wkg_ruling *ruling,
                     wkg_work work);

#ifdef __cplusplus
}
#endif
#endif
