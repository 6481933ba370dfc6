/* suite_toy_gate.c - decision, binding, conform, registry, verify, claim, run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite_toy_gate.h"

#include "suite/base64url.h"
#include "suite/sign.h"

const toy gate_toys[] = {
	{ "G01 asks the ledger, then writes", "P-GR2" },
	{ "G02 claims before it looks at the parameters", "P-GR3" },
	{ "G03 takes the decision of another intent", "P-GR3" },
	{ "G04 looks at no expiry", "P-GR3" },
	{ "G05 its last moment is one too many", "P-GR3" },
	{ "G06 forgets claims that are over, and the clock goes back", "P-GR3" },
	{ "G08 reports success without the handler", "P-GR3" },
	{ "G09 runs the handler twice", "P-GR3" },
	{ "G10 gives the grant back when the handler fails", "P-GR3" },
	{ "G11 under contention everybody loses", "P-GR2" },
	{ "G13 one latch for all grants", "P-GR3" },
	{ "G14 a store that fails allows", "P-GR6" },
	{ "G15 a store that is silent allows", "P-GR6" },
	{ "G16 a late answer still executes", "P-GR6" },
	{ "G17 verdict is not looked at", "P-GR3" },
	{ "G18 the canonical text is not recomputed", "P-GR3" },
	{ "G19 the signature is not checked", "P-GR7" },
	{ "G20 what stands behind the signature is not looked at", "P-GR7" },
	{ "G21 forgets the first claim after fifty", "P-GR5" },
	{ "G22 passes on what a failing handler said", "P-GR3" },
	{ NULL, NULL },
};

static const char hello_text[] =
	"{\"components\":[\"grant\"],\"profiles\":[\"reference\"],\"operations\":["
	"\"clock.set\",\"grant.setup\",\"grant.execute\",\"grant.verify\",\"handler.count\"],"
	"\"choices\":{},\"features\":[\"grant.jws\",\"binding.a\",\"store.claim\"],"
	"\"fixed\":[],\"max_line\":8388608,\"max_inflight\":128}";

#define MOST 128

typedef struct claim {
	char *key;
	int64_t expires_ms;
} claim;

typedef struct execution {
	uint64_t handle, call; /* call: waits for this answer, 0: does not */
	char *key, *action;
	int64_t expires_s;
	bool writing; /* G01: has been told that it is absent */
	bool replied;
} execution;

typedef struct gate {
	wgc_inprocess p; /* first */
	const toy *t;
	int64_t now_ms;
	bool callback;
	claim claims[MOST];
	size_t claim_count, contention, answers;
	long count[2];
	execution open[MOST];
	size_t open_count;
	wgc_event events[2 * MOST];
	size_t event_count;
	uint64_t next;
	bool latch;
} gate;

static bool
has(const gate *g, const char *bug)
{
	return g->t->bug != NULL && strncmp(g->t->bug, bug, strlen(bug)) == 0;
}

/* --- Ledger in memory --- */

static bool
claim_in_memory(gate *g, const char *key, int64_t expires_ms)
{
	for (size_t i = 0; i < g->claim_count; i++)
		if (strcmp(g->claims[i].key, key) == 0 &&
		    !(has(g, "G06") && g->claims[i].expires_ms == 0))
			return false;
	for (size_t i = 0; i < g->claim_count; i++)
		if (g->claims[i].expires_ms <= g->now_ms)
			g->claims[i].expires_ms = 0; /* may be forgotten */
	if (has(g, "G13") && g->latch)
		return false;
	g->latch = true;
	g->claims[g->claim_count++] = (claim){ wgc_copy(key), expires_ms };
	return true;
}

static void
forget(gate *g, const char *key)
{
	for (size_t i = 0; i < g->claim_count; i++)
		if (strcmp(g->claims[i].key, key) == 0)
			g->claims[i].key[0] = '\0';
}

/* --- Checks: NULL, or the code of a refusal --- */

static bool
is_signed(const gate *g, const char *token)
{
	uint8_t seed[32], signature[64];
	const char *dot = strrchr(token, '.');
	if (dot == NULL)
		return false;
	if (has(g, "G19"))
		return true;
	for (int i = 0; i < 32; i++)
		seed[i] = (uint8_t)(i + 1);
	wgc_sign(seed, token, (size_t)(dot - token), signature);
	char *text = wgc_base64url(signature, 64);
	bool same = has(g, "G20") ? strncmp(dot + 1, text, strlen(text)) == 0
	                          : strcmp(dot + 1, text) == 0;
	free(text);
	return same;
}

static cJSON *
claims_of(const char *token)
{
	const char *from = strchr(token, '.'), *to = strrchr(token, '.'), *why;
	if (from == NULL || from == to)
		return NULL;
	char *middle = wgc_format("%.*s", (int)(to - from - 1), from + 1);
	uint8_t *bytes;
	size_t len;
	cJSON *claims = NULL;
	if (wgc_unbase64url(middle, &bytes, &len))
		claims = wgc_json_read((const char *)bytes, len, &why);
	free(middle);
	free(bytes);
	return claims;
}

static bool
conforms(const gate *g, const cJSON *envelope)
{
	const cJSON *intent = wgc_json_get(envelope, "intent");
	const char *canonical = wgc_json_string(envelope, "canonical");
	char *target = wgc_format("\"resource\":\"%s\"", wgc_json_string(intent, "target"));
	char hash[72];
	long long length = 0;
	wgc_json_integer(wgc_json_get(envelope, "length"), &length);
	wgc_sha256(canonical, strlen(canonical), hash);
	bool same = strstr(canonical, target) != NULL &&
	            strcmp(hash, wgc_json_string(envelope, "hash")) == 0 &&
	            length == (long long)strlen(canonical);
	free(target);
	return same || has(g, "G18");
}

static const char *
registry_says(const cJSON *intent)
{
	const char *action = wgc_json_string(intent, "action");
	long long amount = 0;
	if (strcmp(action, "refund_order") != 0 && strcmp(action, "fail_order") != 0)
		return "ACTION_NOT_REGISTERED";
	wgc_json_integer(wgc_json_get(wgc_json_get(intent, "parameters"), "amountMinor"), &amount);
	return amount < 1 ? "ACTION_PARAMETERS_INVALID" : NULL;
}

static const char *
verify(const gate *g, const cJSON *envelope, const char *token, execution *e)
{
	cJSON *claims = is_signed(g, token) ? claims_of(token) : NULL;
	const char *hash = wgc_json_string(wgc_json_get(claims, "binding"), "intent_hash");
	long long exp = 0, nbf = 0;
	wgc_json_integer(wgc_json_get(claims, "exp"), &exp);
	wgc_json_integer(wgc_json_get(claims, "nbf"), &nbf);
	bool good = hash != NULL && (strcmp(hash, wgc_json_string(envelope, "hash")) == 0 || has(g, "G03"));
	good &= (nbf * 1000 <= g->now_ms) || has(g, "G04");
	good &= g->now_ms < exp * 1000 + (has(g, "G05") ? 1 : 0) || has(g, "G04");
	if (good && claims != NULL) {
		e->key = wgc_copy(wgc_json_string(claims, "jti"));
		e->expires_s = exp;
	}
	cJSON_Delete(claims);
	return good ? NULL : "AUTHORIZATION_INVALID";
}

static const char *
check(gate *g, const cJSON *envelope, const cJSON *decision, execution *e)
{
	const char *verdict = wgc_json_string(decision, "verdict");
	const cJSON *authorization = wgc_json_get(decision, "authorization");
	const cJSON *intent = wgc_json_get(envelope, "intent");
	if ((strcmp(verdict, "ALLOW") != 0 && !has(g, "G17")) ||
	    cJSON_IsTrue(wgc_json_get(decision, "failClosed")))
		return "DECISION_NOT_ALLOW";
	if (strcmp(wgc_json_string(decision, "intentHash"),
	           wgc_json_string(envelope, "hash")) != 0 && !has(g, "G03"))
		return "INTENT_BINDING_MISMATCH";
	if (!cJSON_IsObject(authorization))
		return "AUTHORIZATION_MISSING";
	if (!conforms(g, envelope))
		return "INTENT_CONFORMANCE_FAILED";
	const char *code = registry_says(intent);
	if (has(g, "G02") && verify(g, envelope, wgc_json_string(authorization, "token"), e) == NULL) {
		bool given = claim_in_memory(g, e->key, e->expires_s * 1000);
		free(e->key);
		e->key = NULL;
		if (!given)
			return "AUTHORIZATION_INVALID";
		if (code == NULL)
			forget(g, "g-none");
	}
	if (code != NULL)
		return code;
	e->action = wgc_copy(wgc_json_string(intent, "action"));
	return verify(g, envelope, wgc_json_string(authorization, "token"), e);
}

static wgc_reply
run(gate *g, const execution *e)
{
	bool fails = strcmp(e->action, "fail_order") == 0;
	g->count[fails] += has(g, "G08") ? 0 : has(g, "G09") ? 2 : 1;
	if (fails && has(g, "G10"))
		forget(g, e->key);
	if (fails) {
		wgc_reply failed = wgc_err("ACTION_EXECUTION_FAILED");
		if (has(g, "G22"))
			cJSON_AddStringToObject(failed.body, "message", "do-not-show");
		return failed;
	}
	cJSON *body = cJSON_CreateObject();
	cJSON_AddBoolToObject(body, "executed", true);
	return wgc_ok(body);
}

static void
execution_clear(execution *e)
{
	free(e->key);
	free(e->action);
}

/* --- Asked one at a time --- */

static cJSON *
object_in(const cJSON *args, const char *name)
{
	const char *text = wgc_json_string(args, name), *why;
	return wgc_json_read(text, strlen(text), &why);
}

static wgc_reply
execute_now(gate *g, const cJSON *args)
{
	execution e = { 0 };
	cJSON *envelope = object_in(args, "envelope"), *decision = object_in(args, "decision");
	const char *code = check(g, envelope, decision, &e);
	if (code == NULL && !has(g, "G02") &&
	    !claim_in_memory(g, e.key, e.expires_s * 1000))
		code = "AUTHORIZATION_INVALID";
	wgc_reply reply = code != NULL ? wgc_err(code) : run(g, &e);
	cJSON_Delete(envelope);
	cJSON_Delete(decision);
	execution_clear(&e);
	return reply;
}

static wgc_reply
verify_now(gate *g, const cJSON *args)
{
	execution e = { 0 };
	cJSON *envelope = object_in(args, "envelope");
	g->now_ms = (int64_t)wgc_json_get(args, "now_ms")->valuedouble;
	const char *code = verify(g, envelope, wgc_json_string(args, "token"), &e);
	cJSON_Delete(envelope);
	execution_clear(&e);
	return code == NULL ? wgc_ok(cJSON_CreateObject()) : wgc_err(code);
}

static void
reset(gate *g)
{
	for (size_t i = 0; i < g->claim_count; i++)
		free(g->claims[i].key);
	for (size_t i = 0; i < g->open_count; i++)
		execution_clear(&g->open[i]);
	for (size_t i = 0; i < g->event_count; i++)
		wgc_event_clear(&g->events[i]);
	g->claim_count = g->open_count = g->event_count = 0;
	g->contention = g->answers = 0;
	g->count[0] = g->count[1] = 0;
	g->latch = false;
}

static wgc_reply
answer_one(void *state, const wgc_setup *setup, const char *op, const cJSON *args)
{
	gate *g = state;
	(void)setup;
	if (strcmp(op, "grant.execute") == 0)
		return execute_now(g, args);
	if (strcmp(op, "grant.verify") == 0)
		return verify_now(g, args);
	cJSON *body = cJSON_CreateObject();
	if (strcmp(op, "reset") == 0) {
		reset(g);
	} else if (strcmp(op, "clock.set") == 0) {
		g->now_ms = (int64_t)wgc_json_get(args, "now_ms")->valuedouble;
	} else if (strcmp(op, "grant.setup") == 0) {
		g->callback = strcmp(wgc_json_string(args, "store"), "callback") == 0;
	} else {
		bool fails = strcmp(wgc_json_string(args, "action"), "fail_order") == 0;
		cJSON_AddNumberToObject(body, "count", (double)g->count[fails]);
		cJSON_AddItemToObject(body, "parameters", cJSON_CreateArray());
	}
	return wgc_ok(body);
}

/* --- With its store elsewhere --- */

static wgc_event *
event(gate *g, wgc_event_kind kind, uint64_t request)
{
	wgc_event *e = &g->events[g->event_count++];
	*e = (wgc_event){ .kind = kind, .request = request };
	return e;
}

static void
call_store(gate *g, execution *e, const char *op)
{
	wgc_event *out = event(g, WGC_EVENT_CALL, e->handle);
	out->call = e->call = ++g->next;
	memcpy(out->op, op, strlen(op) + 1);
	out->args = cJSON_CreateObject();
	cJSON_AddStringToObject(out->args, "key", e->key);
	cJSON_AddNumberToObject(out->args, "expires_s", (double)e->expires_s);
}

static uint64_t
gate_send(wgc_subject *subject, const char *op, cJSON *args)
{
	gate *g = subject->state;
	execution *e = &g->open[g->open_count++];
	(void)op;
	*e = (execution){ .handle = ++g->next };
	cJSON *envelope = object_in(args, "envelope"), *decision = object_in(args, "decision");
	const char *code = check(g, envelope, decision, e);
	if (code == NULL && has(g, "G11") && ++g->contention > 1)
		code = "AUTHORIZATION_INVALID"; /* and see refuse() */
	if (code != NULL)
		event(g, WGC_EVENT_REPLY, e->handle)->reply = wgc_err(code);
	else
		call_store(g, e, has(g, "G01") ? "store.get" : "store.claim");
	cJSON_Delete(envelope);
	cJSON_Delete(decision);
	cJSON_Delete(args);
	return e->handle;
}

static execution *
waiting_for(gate *g, uint64_t call)
{
	for (size_t i = 0; i < g->open_count; i++)
		if (call == 0 ? g->open[i].call != 0 && !g->open[i].replied
		              : g->open[i].call == call)
			return &g->open[i];
	return NULL;
}

static void
finish_one(gate *g, execution *e, bool allowed)
{
	e->call = has(g, "G16") ? e->call : 0;
	e->replied = true;
	if (has(g, "G11") && g->contention > 1)
		allowed = false;
	wgc_reply reply = allowed ? run(g, e) : wgc_err("AUTHORIZATION_INVALID");
	event(g, WGC_EVENT_REPLY, e->handle)->reply = reply;
}

static wgc_event
gate_poll(wgc_subject *subject, int wait_ms)
{
	gate *g = subject->state;
	execution *silent = waiting_for(g, 0);
	if (g->event_count == 0 && wait_ms > 1000 && silent != NULL)
		finish_one(g, silent, has(g, "G15")); /* its second is over */
	if (g->event_count == 0)
		return (wgc_event){ .kind = WGC_EVENT_NONE };
	wgc_event first = g->events[0];
	g->event_count--;
	memmove(g->events, g->events + 1, g->event_count * sizeof(first));
	return first;
}

static bool
gate_answer(wgc_subject *subject, uint64_t call, cJSON *ok, cJSON *err)
{
	gate *g = subject->state;
	execution *e = waiting_for(g, call);
	if (e != NULL && ok == NULL) {
		finish_one(g, e, has(g, "G14"));
	} else if (e != NULL && has(g, "G01") && !e->writing &&
	           cJSON_IsFalse(wgc_json_get(ok, "present"))) {
		e->writing = true;
		call_store(g, e, "store.put");
	} else if (e != NULL) {
		bool claimed = cJSON_IsTrue(wgc_json_get(ok, "claimed")) || e->writing;
		finish_one(g, e, claimed || (has(g, "G21") && g->answers++ == 50));
	}
	cJSON_Delete(ok);
	cJSON_Delete(err);
	return e != NULL;
}

/* --- Life --- */

wgc_subject *
toy_gate_start(const toy *t)
{
	gate *g = wgc_alloc(sizeof(*g));
	wgc_inprocess_start(&g->p, hello_text, answer_one, g);
	g->t = t;
	g->p.subject.state = &g->p; /* the same address as g */
	g->p.subject.send = gate_send;
	g->p.subject.poll = gate_poll;
	g->p.subject.answer = gate_answer;
	return &g->p.subject;
}

void
toy_gate_stop(wgc_subject *subject)
{
	gate *g = subject->state;
	reset(g);
	wgc_inprocess_stop(&g->p);
	free(g);
}
