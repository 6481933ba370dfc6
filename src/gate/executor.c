/* executor.c - verify, claim, run: in this order and no other. */
#include "instant.h"
#include "tape.h"

#include <string.h>
#include <wicketgate/executor.h>

/* ---- registry ----------------------------------------------------------- */

wkg_registry
wkg_registry_of(const wkg_action *actions, size_t count)
{
	wkg_registry registry = { .actions = actions, .count = count, .sealed = true };
	return registry;
}

wkg_registry
wkg_registry_in(wkg_action *slots, size_t capacity)
{
	wkg_registry registry = { .actions = slots, .slots = slots, .capacity = capacity };
	return registry;
}

/* An action of this name; NULL if there is none, or if a table written by hand
 * has two: which one was approved? */
const wkg_action *
wkg_registry_find(const wkg_registry *registry, wkg_span name)
{
	const wkg_action *found = NULL;
	for (size_t i = 0; i < registry->count; i++) {
		const wkg_action *a = &registry->actions[i];
		if (a->name == NULL || strlen(a->name) != name.len ||
		    memcmp(a->name, name.ptr, name.len) != 0)
			continue;
		if (found != NULL)
			return NULL;
		found = a;
	}
	return found;
}

/* No table is not an empty one: somebody forgot what may be asked for. */
static bool
is_complete(const wkg_action *a)
{
	return a->name != NULL && a->name[0] != '\0' && a->parameters != NULL && a->run != NULL;
}

const char *
wkg_registry_register(wkg_registry *registry, const wkg_action *action)
{
	if (registry->sealed)
		return "ACTION_REGISTRY_SEALED";
	if (!is_complete(action))
		return "ACTION_INCOMPLETE";
	wkg_span name = { (const uint8_t *)action->name, strlen(action->name) };
	if (wkg_registry_find(registry, name) != NULL)
		return "ACTION_ALREADY_REGISTERED";
	if (registry->count == registry->capacity)
		return "ACTION_REGISTRY_FULL";
	registry->slots[registry->count++] = *action;
	return NULL;
}

void
wkg_registry_seal(wkg_registry *registry)
{
	registry->sealed = true;
}

/* ---- one execution ------------------------------------------------------ */

typedef struct job {
	const wkg_executor *executor;
	const wkg_request *request;
	wkg_work work;
	wkg_outcome *outcome;
	wkg__tape decision;
	wkg_span copy;      /* of the envelope, which is the caller's memory */
	wkg__tape envelope; /* as it claims to be; trusted for nothing */
	wkg_intent intent;  /* as it was recomputed */
	const wkg_action *action;
	wkg_grant grant;
	wkg_buf *result;
} job;

static bool
refuse(job *j, const char *reason)
{
	j->outcome->reason = reason;
	return false;
}

static bool
check_decision(job *j)
{
	uint32_t verdict, fail_closed;
	wkg__tape *d = &j->decision;
	if (wkg__tape_read(d, j->request->decision, &j->work) != WKG_OK)
		return refuse(j, "DECISION_NOT_ALLOW");
	verdict = wkg__tape_member(d, 0, "verdict");
	fail_closed = wkg__tape_member(d, 0, "failClosed");
	if (verdict == 0 || !wkg__tape_equals(d, verdict, "ALLOW") ||
	    fail_closed == 0 || d->nodes[fail_closed].kind != WKG_JSON_FALSE)
		return refuse(j, "DECISION_NOT_ALLOW");
	return true;
}

/* What was checked is what is executed, whoever writes to the envelope while it
 * is looked at. */
static bool
copy_envelope(job *j)
{
	wkg_span from = j->request->envelope;
	uint8_t *to = wkg__take(&j->work, from.len);
	if (to == NULL)
		return false;
	if (from.len > 0)
		memcpy(to, from.ptr, from.len);
	j->copy.ptr = to;
	j->copy.len = from.len;
	return true;
}

/* The hash decided on is the one the envelope claims. */
static bool
check_hash(job *j)
{
	uint8_t decided[WKG_INTENT_HASH_LEN + 1], claimed[WKG_INTENT_HASH_LEN + 1];
	wkg_buf a = { decided, 0, sizeof decided }, b = { claimed, 0, sizeof claimed };
	wkg__tape *d = &j->decision, *e = &j->envelope;
	if (!copy_envelope(j) || wkg__tape_read(e, j->copy, &j->work) != WKG_OK)
		return refuse(j, "INTENT_BINDING_MISMATCH");
	uint32_t x = wkg__tape_member(d, 0, "intentHash"), y = wkg__tape_member(e, 0, "hash");
	if (x == 0 || y == 0 || d->nodes[x].kind != WKG_JSON_STRING ||
	    e->nodes[y].kind != WKG_JSON_STRING ||
	    wkg__tape_text(&a, d, x) != WKG_OK || wkg__tape_text(&b, e, y) != WKG_OK ||
	    a.len != WKG_INTENT_HASH_LEN || b.len != a.len || memcmp(decided, claimed, a.len) != 0)
		return refuse(j, "INTENT_BINDING_MISMATCH");
	return true;
}

static bool
check_authorized(job *j)
{
	const wkg__tape *d = &j->decision;
	uint32_t authorization = wkg__tape_member(d, 0, "authorization");
	if (authorization == 0 || d->nodes[authorization].kind != WKG_JSON_OBJECT_BEGIN)
		return refuse(j, "AUTHORIZATION_MISSING");
	return true;
}

static bool
check_conformance(job *j)
{
	size_t size = wkg_intent_work_size(j->copy.len);
	wkg_work work = { wkg__take(&j->work, size), size };
	if (work.ptr == NULL ||
	    wkg_intent_open(&j->intent, j->copy, j->executor->binding, work, NULL) != WKG_OK)
		return refuse(j, "INTENT_CONFORMANCE_FAILED");
	return true;
}

static bool
check_registry(job *j)
{
	const wkg_registry *r = j->executor->registry;
	if (!r->sealed)
		return refuse(j, "ACTION_REGISTRY_NOT_SEALED");
	j->action = wkg_registry_find(r, j->intent.action);
	if (j->action == NULL || !is_complete(j->action))
		return refuse(j, "ACTION_NOT_REGISTERED");
	wkg_work rest = j->work;
	if (wkg_schema_check(j->intent.parameters, j->action->parameters, rest, NULL) != WKG_OK)
		return refuse(j, "ACTION_PARAMETERS_INVALID");
	if (j->action->check != NULL && !j->action->check(j->action->ctx, j->intent.parameters))
		return refuse(j, "ACTION_PARAMETERS_INVALID");
	return true;
}

/* Does the decision's member say what the grant says? */
static bool
same_id(const job *j, const char *member, const wkg_id *id)
{
	uint8_t text[WKG_ID_MAX];
	wkg_buf claimed = { text, 0, sizeof text };
	uint32_t node = wkg__tape_member(&j->decision, 0, member);
	return node != 0 && j->decision.nodes[node].kind == WKG_JSON_STRING &&
	       wkg__tape_text(&claimed, &j->decision, node) == WKG_OK && id->len > 0 &&
	       claimed.len == id->len && memcmp(text, id->text, id->len) == 0;
}

/* The decision's own expiry, equal in whole seconds to the grant's. */
static bool
same_expiry(const job *j, uint32_t authorization)
{
	uint8_t text[64];
	wkg_buf instant = { text, 0, sizeof text };
	int64_t ms;
	uint32_t node = wkg__tape_member(&j->decision, authorization, "expiresAt");
	return node != 0 && j->decision.nodes[node].kind == WKG_JSON_STRING &&
	       wkg__tape_text(&instant, &j->decision, node) == WKG_OK &&
	       wkg__instant_parse(&ms, wkg_buf_span(&instant)) &&
	       ms / 1000 == j->grant.expires && ms >= 0;
}

/* What the verifier answers is compared here, after it answered: a verifier
 * that is wrong must not be enough. */
static bool
evidence_holds(const job *j, uint32_t authorization)
{
	const wkg_grant *g = &j->grant;
	return same_id(j, "decisionId", &g->decision_id) &&
	       same_id(j, "dossierId", &g->dossier_id) && g->id.len > 0 &&
	       memcmp(g->intent_hash, j->intent.hash, WKG_INTENT_HASH_LEN) == 0 &&
	       same_expiry(j, authorization) && g->expires > j->request->now_ms / 1000 &&
	       g->expires <= j->intent.expires_ms / 1000;
}

static bool
check_grant(job *j)
{
	uint32_t authorization = wkg__tape_member(&j->decision, 0, "authorization");
	uint32_t node = wkg__tape_member(&j->decision, authorization, "token");
	wkg_buf token = { wkg__take(&j->work, WKG_GRANT_TOKEN_MAX), 0, WKG_GRANT_TOKEN_MAX };
	if (node == 0 || token.ptr == NULL ||
	    j->decision.nodes[node].kind != WKG_JSON_STRING ||
	    wkg__tape_text(&token, &j->decision, node) != WKG_OK)
		return refuse(j, "AUTHORIZATION_INVALID");
	wkg_status status = wkg_grant_verify(&j->grant, wkg_buf_span(&token), j->executor->keyring,
	                                     &j->intent, j->request->now_ms, j->work);
	if (status != WKG_OK || !evidence_holds(j, authorization))
		return refuse(j, "AUTHORIZATION_INVALID");
	return true;
}

/* From here on the grant is spent. */
static bool
claim(job *j)
{
	wkg_span id = { j->grant.id.text, j->grant.id.len };
	const wkg_ledger *ledger = &j->executor->ledger;
	wkg_claim answer = ledger->claim(ledger->store, id, j->grant.expires, j->request->now_ms);
	if (answer != WKG_CLAIM_GRANTED)
		return refuse(j, "AUTHORIZATION_INVALID");
	j->outcome->grant = j->grant;
	return true;
}

/* A claim can take long. An envelope with the same bytes recomputes as it did; of
 * one with others, nobody knows which was meant. */
static bool
recheck(job *j)
{
	if (memcmp(j->copy.ptr, j->request->envelope.ptr, j->copy.len) != 0)
		return refuse(j, "INTENT_CONFORMANCE_FAILED");
	return true;
}

static bool
run_handler(job *j)
{
	wkg_buf result = *j->result;
	if (!j->action->run(j->action->ctx, j->intent.parameters, &result))
		return refuse(j, "ACTION_EXECUTION_FAILED");
	*j->result = result;
	return true;
}

/* The order of X3, as a table. */
static const struct step {
	wkg_stage stage;
	bool (*pass)(job *);
} steps[] = {
	{ WKG_STAGE_DECISION, check_decision },
	{ WKG_STAGE_BINDING, check_hash },
	{ WKG_STAGE_AUTHORIZED, check_authorized },
	{ WKG_STAGE_CONFORM, check_conformance },
	{ WKG_STAGE_REGISTRY, check_registry },
	{ WKG_STAGE_VERIFY, check_grant },
	{ WKG_STAGE_CLAIM, claim },
	{ WKG_STAGE_RECHECK, recheck },
	{ WKG_STAGE_RUN, run_handler },
};

const char *
wkg_stage_name(wkg_stage stage)
{
	switch (stage) {
	case WKG_STAGE_INPUT: return "input";
	case WKG_STAGE_DECISION: return "decision";
	case WKG_STAGE_BINDING: return "binding";
	case WKG_STAGE_AUTHORIZED: return "authorized";
	case WKG_STAGE_CONFORM: return "conform";
	case WKG_STAGE_REGISTRY: return "registry";
	case WKG_STAGE_VERIFY: return "verify";
	case WKG_STAGE_CLAIM: return "claim";
	case WKG_STAGE_RECHECK: return "recheck";
	case WKG_STAGE_RUN: return "run";
	case WKG_STAGE_DONE: return "done";
	}
	return "?";
}

size_t
wkg_execute_work_size(const wkg_request *request)
{
	size_t envelope = wkg_intent_work_size(request->envelope.len);
	size_t tapes = wkg__add(wkg__tape_size(request->envelope.len),
	                        wkg__tape_size(request->decision.len));
	size_t parameters = wkg_schema_work_size(wkg_intent_canonical_bound(request->envelope.len));
	size_t grant = wkg__add(WKG_GRANT_TOKEN_MAX, wkg_grant_work_size(WKG_GRANT_TOKEN_MAX));
	size_t size = wkg__add(wkg__add(envelope, request->envelope.len), tapes);
	return wkg__add(wkg__add(wkg__add(size, parameters), grant), 256);
}

static wkg_status
check_arguments(const wkg_executor *e, const wkg_request *r, const wkg_buf *result, wkg_work work)
{
	if (e == NULL || r == NULL)
		return WKG_E_ARGUMENT;
	if (e->registry == NULL || e->keyring == NULL || e->ledger.claim == NULL)
		return WKG_E_ARGUMENT;
	if (e->binding != WKG_BINDING_A && e->binding != WKG_BINDING_B)
		return WKG_E_ARGUMENT;
	WKG_TRY(wkg__check_spans(result, r->envelope));
	WKG_TRY(wkg__check_spans(result, r->decision));
	size_t needed = wkg_execute_work_size(r);
	if (work.ptr == NULL || needed == SIZE_MAX || work.size < needed)
		return WKG_E_SPACE;
	bool clear = wkg__disjoint(work.ptr, work.size, r->envelope.ptr, r->envelope.len) &&
	             wkg__disjoint(work.ptr, work.size, r->decision.ptr, r->decision.len) &&
	             wkg__disjoint(work.ptr, work.size, result->ptr, result->cap);
	return clear ? WKG_OK : WKG_E_ARGUMENT;
}

wkg_status
wkg_execute(const wkg_executor *executor, const wkg_request *request,
            wkg_buf *result, wkg_work work, wkg_outcome *outcome)
{
	memset(outcome, 0, sizeof *outcome);
	outcome->reason = "INPUT_UNUSABLE";
	WKG_TRY(check_arguments(executor, request, result, work));

	job j = { .executor = executor, .request = request, .work = work,
	          .outcome = outcome, .result = result };
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		outcome->stage = steps[i].stage;
		if (!steps[i].pass(&j))
			return WKG_E_REFUSED;
	}
	outcome->stage = WKG_STAGE_DONE;
	outcome->reason = "";
	outcome->executed = true;
	return WKG_OK;
}
