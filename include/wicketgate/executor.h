/* executor.h - one approved intent, one execution.
 *
 * The order is the security property (X3):
 *
 *   stage      refused with
 *   DECISION   DECISION_NOT_ALLOW         verdict is not ALLOW, or failClosed
 *   BINDING    INTENT_BINDING_MISMATCH    the decision is about another hash
 *   AUTHORIZED AUTHORIZATION_MISSING      it carries no grant
 *   CONFORM    INTENT_CONFORMANCE_FAILED  the envelope does not recompute
 *   REGISTRY   ACTION_REGISTRY_NOT_SEALED, ACTION_NOT_REGISTERED,
 *              ACTION_PARAMETERS_INVALID
 *   VERIFY     AUTHORIZATION_INVALID      not a grant for this, now
 *   CLAIM      AUTHORIZATION_INVALID      already spent, or the ledger unsure
 *   RECHECK    INTENT_CONFORMANCE_FAILED  the envelope changed meanwhile
 *   RUN        ACTION_EXECUTION_FAILED    the handler failed; detail hidden
 *   DONE
 *
 * Nothing before CLAIM spends the grant. From CLAIM on it is spent, whatever
 * the handler does. N callers with one grant: one handler call (X5).
 *
 * Threads: wkg_execute() may run at once from any number of threads over one
 * sealed registry, keyring and ledger; each has its own work area. */
#ifndef WICKETGATE_EXECUTOR_H
#define WICKETGATE_EXECUTOR_H

#include "base.h"
#include "grant.h"
#include "intent.h"
#include "ledger.h"
#include "schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- registry ---- */

/* Name, parameters and run have to be there, or there is no such action. */
typedef struct wkg_action {
	const char *name;            /* "refund_order"; see intent.h */
	const wkg_field *parameters; /* table, see schema.h; of none: its end */
	/* A further check, without side effects; may be NULL. */
	bool (*check)(void *ctx, wkg_span parameters);
	/* Do it. `parameters` is the canonical text that was approved; append to
	 * `result`. False if it failed. */
	bool (*run)(void *ctx, wkg_span parameters, wkg_buf *result);
	void *ctx;
} wkg_action;

typedef struct wkg_registry {
	const wkg_action *actions;
	size_t count;
	bool sealed;
	wkg_action *slots; /* NULL: a const table, sealed from the start */
	size_t capacity;
} wkg_registry;

/* A table that cannot change is sealed at once. */
WKG_API wkg_registry
wkg_registry_of(const wkg_action *actions, size_t count);

/* Or fill one at run time, in the caller's memory, then seal it for good. What
 * an action points at has to stay. */
WKG_API wkg_registry wkg_registry_in(wkg_action *slots, size_t capacity);
/* NULL, or why not: ACTION_REGISTRY_SEALED, ACTION_ALREADY_REGISTERED,
 * ACTION_INCOMPLETE, ACTION_REGISTRY_FULL. */
WKG_API WKG_MUST_USE const char *
wkg_registry_register(wkg_registry *registry, const wkg_action *action);
WKG_API void wkg_registry_seal(wkg_registry *registry);
WKG_API const wkg_action *
wkg_registry_find(const wkg_registry *registry, wkg_span name);

/* ---- execution ---- */

typedef enum wkg_stage {
	WKG_STAGE_INPUT = 0, /* an argument is unusable; nothing was looked at */
	WKG_STAGE_DECISION = 1,
	WKG_STAGE_BINDING = 2,
	WKG_STAGE_AUTHORIZED = 3,
	WKG_STAGE_CONFORM = 4,
	WKG_STAGE_REGISTRY = 5,
	WKG_STAGE_VERIFY = 6,
	WKG_STAGE_CLAIM = 7,
	WKG_STAGE_RECHECK = 8,
	WKG_STAGE_RUN = 9,
	WKG_STAGE_DONE = 10,
} wkg_stage;

WKG_API const char *wkg_stage_name(wkg_stage stage); /* "verify" */

typedef struct wkg_executor {
	const wkg_registry *registry;
	const wkg_keyring *keyring;
	wkg_ledger ledger;
	wkg_binding binding;
} wkg_executor;

/* The decision is what an authority answers,
 *
 *     {"verdict":"ALLOW","decisionId":"d","dossierId":"f",
 *      "intentHash":"sha256:...","reasonCodes":[],"failClosed":false,
 *      "authorization":{"token":"...","expiresAt":"2026-08-14T10:01:00.000Z"}}
 *
 * with the grant as its token and what the grant says of itself. Of other members,
 * and of reasonCodes, nothing is read. */
typedef struct wkg_request {
	wkg_span envelope; /* JSON, see intent.h */
	wkg_span decision; /* JSON, as above */
	int64_t now_ms;    /* since 1970 */
} wkg_request;

typedef struct wkg_outcome {
	bool executed;
	wkg_stage stage;    /* reached; where it was refused */
	const char *reason; /* as above; "" if executed */
	wkg_grant grant;    /* all zero unless CLAIM was passed */
} wkg_outcome;

WKG_API size_t wkg_execute_work_size(const wkg_request *request);

/* Run the intent's action if, and once, a grant says so. The handler's result
 * is appended to `result`, which on refusal is unchanged. Always fills
 * *outcome; the status is WKG_OK iff outcome->executed.
 *
 * WKG_E_REFUSED:  see the outcome.
 * WKG_E_ARGUMENT, WKG_E_SPACE: before anything was looked at. */
WKG_API WKG_MUST_USE wkg_status
wkg_execute(const wkg_executor *executor, const wkg_request *request,
            wkg_buf *result, wkg_work work, wkg_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
