/* adapter.h - the operations of wgcp/1 over libwicketgate.
 *
 * An operation reads its arguments from the ask, appends the members of `ok` to
 * it and returns NULL; or returns a code of PROTOCOL.md 9, having appended what
 * the error says besides. If it set ask->bad, BAD_ARGUMENT is said instead. */
#ifndef WGA_ADAPTER_H
#define WGA_ADAPTER_H

#include "plumbing.h"

typedef const char *wga_operation(wga_ask *ask);

/* The last `configure`. Changed while nothing else runs. */
typedef struct wga_setup {
	wkg_profile profile;
	wkg_sanitize_config sanitize;
	wkg_intent_limits intent;
	wkg_moderator *moderator; /* of that profile, and its scratch */
	wkg_moderator_scratch *scratch;
} wga_setup;

extern wga_setup wga_current;

/* A status for which PROTOCOL.md has no code is one that must not happen. */
const char *wga_internal(wga_ask *ask, const char *what, wkg_status status);
/* JSON_SYNTAX and the like, with the place. */
const char *wga_document_error(wga_ask *ask, wkg_status status, const wkg_json_error *error);
wkg_binding wga_binding(wga_ask *ask);

wga_operation wga_sanitize_text, wga_sanitize_json;
wga_operation wga_fence_neutralize, wga_fence_inline, wga_fence_wrap, wga_fence_needs,
	wga_fence_render, wga_fence_constants;
wga_operation wga_moderate_text, wga_moderate_json;
wga_operation wga_intent_canonical, wga_intent_bind, wga_intent_capture, wga_intent_open;
wga_operation wga_grant_verify, wga_clock_set, wga_grant_setup, wga_grant_register, wga_grant_seal,
	wga_key_add, wga_key_revoke, wga_grant_issue, wga_grant_execute, wga_grant_race,
	wga_handler_count, wga_ledger_claim, wga_store_reopen;

/* Forget everything about grants. */
void wga_gate_reset(void);
/* Does the runner play the store? Then operations may wait for its answers and
 * run in threads of their own. */
bool wga_gate_calls_back(void);
/* The runner's answer to such a call. */
void wga_gate_answered(const wga_ask *answer);

#endif
