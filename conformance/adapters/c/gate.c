/* gate.c - grants, the executor, races.
 *
 * Linked with --wrap=wkg_grant_verify, so that `evidence` can be put into the
 * verifier's mouth (X3.2): the executor has to notice by itself. */
#define _POSIX_C_SOURCE 200809L
#include "../../../src/gate/instant.h"
#include "adapter.h"
#include "store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ACTIONS_MAX = 256 };

typedef struct call_note {
	wkg_span parameters;
	struct call_note *next;
} call_note;

typedef enum handler_kind { HANDLER_OK, HANDLER_FAIL, HANDLER_SLOW } handler_kind;

typedef struct handler {
	wkg_span name;
	handler_kind kind;
	int64_t count;
	call_note *first, *last;
	struct handler *next;
} handler;

/* All that one grant.setup makes. */
static struct {
	wga_arena arena;
	bool made;
	wkg_binding binding;
	wkg_keyring *keys;
	wkg_action slots[ACTIONS_MAX];
	wkg_registry registry;
	handler *handlers;
	wga_store store;
	bool has_seed;
	uint8_t seed[WKG_KEY_SIZE];
	wkg_span seed_kid;
} gate;

static int64_t now_ms; /* clock.set */
/* Handlers run in many threads. */
static pthread_mutex_t notes = PTHREAD_MUTEX_INITIALIZER;

void
wga_gate_reset(void)
{
	wga_store_close(&gate.store);
	wkg_keyring_free(gate.keys);
	wga_drop(&gate.arena);
	memset(&gate, 0, sizeof gate);
	now_ms = 0;
}

bool
wga_gate_calls_back(void)
{
	return gate.store.calls_back;
}

void
wga_gate_answered(const wga_ask *answer)
{
	wga_ask *ask = (wga_ask *)answer;
	bool claimed = wga_true(wga_member(ask, wga_member(ask, ask->root, "ok"), "claimed"));
	bool refused = wga_member(ask, ask->root, "err") != NULL;
	wga_store_answered(wga_text_of(ask, ask->root, "reply"),
	                   refused ? WKG_CLAIM_REFUSED : claimed ? WKG_CLAIM_GRANTED : WKG_CLAIM_SPENT);
}

const char *
wga_clock_set(wga_ask *ask)
{
	now_ms = wga_integer(ask, wga_need(ask, ask->args, "now_ms"));
	return NULL;
}

static wkg_span
keep(wga_arena *arena, wkg_span text)
{
	uint8_t *copy = wga_take(arena, text.len + 1);
	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	return (wkg_span){ copy, text.len };
}

/* --- keys --- */

static const char *
key_error(wga_ask *ask, wkg_status status)
{
	if (status == WKG_OK)
		return NULL;
	wga_put_string(ask, "message", wkg_status_name(status));
	return status == WKG_E_NOT_FOUND ? "KEY_UNKNOWN" : "KEY_REFUSED";
}

static wkg_span
kid_of(wga_ask *ask, const wga_node *key)
{
	const wga_node *kid = wga_need(ask, key, "kid");
	return wga_is_null(kid) ? (wkg_span)WKG_LIT("") : wga_text(ask, kid);
}

static wkg_status
add_key(wga_ask *ask, wkg_keyring *keys, const wga_node *key)
{
	uint8_t public_key[WKG_KEY_SIZE];
	wkg_span kid = kid_of(ask, key);
	wga_key(ask, wga_need(ask, key, "public"), public_key);
	return ask->bad ? WKG_OK : wkg_keyring_add(keys, kid, public_key);
}

static wkg_status
add_keys(wga_ask *ask, wkg_keyring *keys)
{
	const wga_node *list = wga_need(ask, ask->args, "keys");
	wkg_status status = WKG_OK;
	for (const wga_node *k = list == NULL ? NULL : list->child; k != NULL && status == WKG_OK; k = k->next)
		status = add_key(ask, keys, k);
	return status;
}

const char *
wga_key_add(wga_ask *ask)
{
	const wga_node *key = wga_need(ask, ask->args, "key");
	uint8_t public_key[WKG_KEY_SIZE], thumbprint[43];
	wkg_span kid = kid_of(ask, key);
	if (!gate.made || ask->bad)
		return "BAD_ARGUMENT";
	wkg_status status = add_key(ask, gate.keys, key);
	if (status != WKG_OK)
		return key_error(ask, status);
	wga_key(ask, wga_need(ask, key, "public"), public_key);
	if (kid.len == 0 && wkg_key_thumbprint(thumbprint, public_key) == WKG_OK)
		kid = (wkg_span){ thumbprint, sizeof thumbprint };
	wga_put_text(ask, "kid", kid);
	return NULL;
}

const char *
wga_key_revoke(wga_ask *ask)
{
	wkg_span kid = wga_text_of(ask, ask->args, "kid");
	return gate.made && !ask->bad ? key_error(ask, wkg_keyring_revoke(gate.keys, kid)) : "BAD_ARGUMENT";
}

/* --- actions --- */

static void
note_call(handler *h, wkg_span parameters)
{
	pthread_mutex_lock(&notes);
	call_note *note = wga_take(&gate.arena, sizeof *note);
	note->parameters = keep(&gate.arena, parameters);
	if (h->last == NULL)
		h->first = note;
	else
		h->last->next = note;
	h->last = note;
	h->count++;
	pthread_mutex_unlock(&notes);
}

static bool
run_handler(void *ctx, wkg_span parameters, wkg_buf *result)
{
	static const char secret[] = "do-not-show: the handler's own words";
	handler *h = ctx;
	note_call(h, parameters);
	if (h->kind == HANDLER_SLOW)
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	if (h->kind == HANDLER_FAIL && result->cap - result->len >= sizeof secret) {
		memcpy(result->ptr + result->len, secret, sizeof secret);
		result->len += sizeof secret;
	}
	return h->kind != HANDLER_FAIL;
}

static wkg_type
type_named(wga_ask *ask, wkg_span name)
{
	static const char *const names[] = { [WKG_TYPE_STRING] = "string",
		[WKG_TYPE_NUMBER] = "number", [WKG_TYPE_INTEGER] = "integer",
		[WKG_TYPE_BOOLEAN] = "boolean", [WKG_TYPE_OBJECT] = "object",
		[WKG_TYPE_ARRAY] = "array", [WKG_TYPE_ANY] = "any" };
	for (int t = WKG_TYPE_STRING; t <= WKG_TYPE_ANY; t++)
		if (wga_same(name, names[t]))
			return (wkg_type)t;
	ask->bad = true;
	return WKG_TYPE_INVALID;
}

static size_t
count_children(const wga_node *node)
{
	size_t n = 0;
	for (const wga_node *c = node == NULL ? NULL : node->child; c != NULL; c = c->next)
		n++;
	return n;
}

static const char *const *
strings_of(wga_ask *ask, const wga_node *list)
{
	if (list == NULL)
		return NULL;
	const char **strings = wga_take(&gate.arena, (count_children(list) + 1) * sizeof *strings);
	size_t n = 0;
	for (const wga_node *s = list->child; s != NULL; s = s->next)
		strings[n++] = wga_string(ask, &gate.arena, s);
	return strings;
}

static wkg_field
field_of(wga_ask *ask, const wga_node *name)
{
	const wga_node *f = name->child;
	return (wkg_field){
		.name = wga_string(ask, &gate.arena, &(wga_node){ WKG_JSON_STRING, name->from, name->to,
		                                                  NULL, NULL, NULL, NULL }),
		.type = type_named(ask, wga_text_of(ask, f, "type")),
		.optional = wga_true(wga_member(ask, f, "optional")),
		.has_minimum = wga_member(ask, f, "minimum") != NULL,
		.has_maximum = wga_member(ask, f, "maximum") != NULL,
		.minimum = (double)wga_integer_or(ask, f, "minimum", 0),
		.maximum = (double)wga_integer_or(ask, f, "maximum", 0),
		.max_length = (size_t)wga_integer_or(ask, f, "max_length", 0),
		.one_of = strings_of(ask, wga_member(ask, f, "one_of")),
	};
}

/* What an action points at stays until the next setup. */
static wkg_action
action_of(wga_ask *ask, const wga_node *action)
{
	const wga_node *fields = wga_need(ask, action, "parameters");
	wkg_field *table = wga_take(&gate.arena, (count_children(fields) + 1) * sizeof *table);
	size_t n = 0;
	for (const wga_node *f = fields == NULL ? NULL : fields->child; f != NULL; f = f->next)
		table[n++] = field_of(ask, f);
	wkg_span kind = wga_text_of(ask, action, "handler");
	handler *h = wga_take(&gate.arena, sizeof *h);
	h->name = keep(&gate.arena, wga_text_of(ask, action, "name"));
	h->kind = wga_same(kind, "fail") ? HANDLER_FAIL : wga_same(kind, "slow") ? HANDLER_SLOW : HANDLER_OK;
	return (wkg_action){ .name = (const char *)h->name.ptr, .parameters = table,
		             .run = run_handler, .ctx = h };
}

static const char *
register_action(wga_ask *ask, const wga_node *action)
{
	wkg_action a = action_of(ask, action);
	if (ask->bad)
		return "BAD_ARGUMENT";
	const char *reason = wkg_registry_register(&gate.registry, &a);
	if (reason == NULL) {
		handler *h = a.ctx;
		h->next = gate.handlers;
		gate.handlers = h;
	}
	return reason;
}

const char *
wga_grant_register(wga_ask *ask)
{
	const wga_node *action = wga_need(ask, ask->args, "action");
	return gate.made ? register_action(ask, action) : "BAD_ARGUMENT";
}

const char *
wga_grant_seal(wga_ask *ask)
{
	ask->bad |= !gate.made;
	if (gate.made)
		wkg_registry_seal(&gate.registry);
	return NULL;
}

const char *
wga_handler_count(wga_ask *ask)
{
	wkg_span name = wga_text_of(ask, ask->args, "action");
	const handler *h = gate.handlers;
	while (h != NULL && (h->name.len != name.len || memcmp(h->name.ptr, name.ptr, name.len) != 0))
		h = h->next;
	wga_put_integer(ask, "count", h == NULL ? 0 : h->count);
	wga_put_name(ask, "parameters");
	wga_raw(ask, "[");
	for (const call_note *c = h == NULL ? NULL : h->first; c != NULL; c = c->next) {
		wga_put_element(ask);
		wga_value_text(ask, c->parameters);
	}
	wga_raw(ask, "]");
	return NULL;
}

/* --- setup --- */

static bool
open_store(wga_ask *ask)
{
	wkg_span kind = wga_text_of(ask, ask->args, "store");
	int64_t capacity = wga_integer_or(ask, ask->args, "capacity", 4096);
	int64_t margin_s = wga_integer_or(ask, ask->args, "margin_s", WKG_LEDGER_MARGIN_S);
	gate.store.calls_back = wga_same(kind, "callback");
	if (gate.store.calls_back)
		return true;
	if (wga_same(kind, "durable"))
		return wga_store_durable(&gate.store, margin_s);
	return capacity > 0 && wga_store_in_memory(&gate.store, &gate.arena, (size_t)capacity, margin_s);
}

static void
remember_seed(wga_ask *ask)
{
	const wga_node *list = wga_need(ask, ask->args, "keys");
	for (const wga_node *k = list == NULL ? NULL : list->child; k != NULL; k = k->next) {
		const wga_node *seed = wga_member(ask, k, "seed");
		if (seed == NULL || gate.has_seed)
			continue;
		gate.has_seed = true;
		wga_key(ask, seed, gate.seed);
		gate.seed_kid = keep(&gate.arena, kid_of(ask, k));
	}
}

static const char *
register_actions(wga_ask *ask)
{
	const wga_node *actions = wga_need(ask, ask->args, "actions");
	const char *reason = NULL;
	for (const wga_node *a = actions == NULL ? NULL : actions->child; a != NULL && reason == NULL; a = a->next)
		reason = register_action(ask, a);
	return reason;
}

static const char *
set_up(wga_ask *ask)
{
	gate.binding = wga_binding(ask);
	gate.registry = wkg_registry_in(gate.slots, ACTIONS_MAX);
	wkg_status status = wkg_keyring_new(&gate.keys, wga_text_of(ask, ask->args, "issuer"), NULL);
	if (status != WKG_OK)
		return wga_internal(ask, "wkg_keyring_new", status);
	status = add_keys(ask, gate.keys);
	if (status != WKG_OK)
		return key_error(ask, status);
	remember_seed(ask);
	const char *reason = register_actions(ask);
	if (reason != NULL || ask->bad)
		return reason;
	if (wga_true(wga_need(ask, ask->args, "seal")))
		wkg_registry_seal(&gate.registry);
	return open_store(ask) ? NULL : "INTERNAL";
}

const char *
wga_grant_setup(wga_ask *ask)
{
	int64_t clock = now_ms;
	wga_gate_reset();
	now_ms = clock;
	const char *reason = set_up(ask);
	gate.made = reason == NULL && !ask->bad;
	return reason;
}

/* --- verifying --- */

static void
put_id(wga_ask *ask, const char *name, const wkg_id *id)
{
	wga_put_text(ask, name, (wkg_span){ id->text, id->len });
}

static const char *
verify(wga_ask *ask, wkg_binding binding, const wkg_keyring *keys)
{
	wkg_span envelope = wga_text_of(ask, ask->args, "envelope");
	wkg_span token = wga_text_of(ask, ask->args, "token");
	int64_t now = wga_integer(ask, wga_need(ask, ask->args, "now_ms"));
	wkg_intent intent;
	wkg_grant grant;
	if (ask->bad || wkg_intent_open(&intent, envelope, binding,
	                                wga_work(ask, wkg_intent_work_size(envelope.len)), NULL) != WKG_OK)
		return "INTENT_CONFORMANCE_FAILED";
	wkg_status status = wkg_grant_verify(&grant, token, keys, &intent, now,
	                                     wga_work(ask, wkg_grant_work_size(token.len)));
	if (status != WKG_OK)
		return status == WKG_E_REFUSED ? "AUTHORIZATION_INVALID" :
		                                 wga_internal(ask, "wkg_grant_verify", status);
	put_id(ask, "grant_id", &grant.id);
	put_id(ask, "decision_id", &grant.decision_id);
	put_id(ask, "dossier_id", &grant.dossier_id);
	wga_put_integer(ask, "expires_s", grant.expires);
	return NULL;
}

const char *
wga_grant_verify(wga_ask *ask)
{
	wkg_binding binding = wga_binding(ask);
	wkg_keyring *keys;
	wkg_status status = wkg_keyring_new(&keys, wga_text_of(ask, ask->args, "issuer"), NULL);
	if (status != WKG_OK)
		return wga_internal(ask, "wkg_keyring_new", status);
	status = add_keys(ask, keys);
	const char *reason = status != WKG_OK ? key_error(ask, status) : verify(ask, binding, keys);
	wkg_keyring_free(keys);
	return reason;
}

/* What the verifier is to say instead, in this thread. */
typedef struct evidence {
	wga_ask *ask;
	const wga_node *members;
} evidence;

static _Thread_local const evidence *patch;

wkg_status __real_wkg_grant_verify(wkg_grant *grant, wkg_span token, const wkg_keyring *keyring,
                                   const wkg_intent *intent, int64_t now, wkg_work work);
wkg_status __wrap_wkg_grant_verify(wkg_grant *grant, wkg_span token, const wkg_keyring *keyring,
                                   const wkg_intent *intent, int64_t now, wkg_work work);

static void
patch_bytes(const char *member, uint8_t *to, size_t size, size_t *len)
{
	const wga_node *value = wga_member(patch->ask, patch->members, member);
	if (value == NULL)
		return;
	wkg_span text = wga_text(patch->ask, value);
	*len = text.len < size ? text.len : size;
	memset(to, 0, size);
	memcpy(to, text.ptr, *len);
}

static void
patch_expiry(int64_t *expires)
{
	const wga_node *value = wga_member(patch->ask, patch->members, "expiresAt");
	int64_t ms;
	if (value != NULL)
		*expires = wkg__instant_parse(&ms, wga_text(patch->ask, value)) ? ms / 1000 : 0;
}

wkg_status
__wrap_wkg_grant_verify(wkg_grant *grant, wkg_span token, const wkg_keyring *keyring,
                        const wkg_intent *intent, int64_t now, wkg_work work)
{
	size_t ignored;
	wkg_status status = __real_wkg_grant_verify(grant, token, keyring, intent, now, work);
	if (status != WKG_OK || patch == NULL)
		return status;
	patch_bytes("decisionId", grant->decision_id.text, WKG_ID_MAX, &grant->decision_id.len);
	patch_bytes("dossierId", grant->dossier_id.text, WKG_ID_MAX, &grant->dossier_id.len);
	patch_bytes("grantId", grant->id.text, WKG_ID_MAX, &grant->id.len);
	patch_bytes("intentHash", grant->intent_hash, WKG_INTENT_HASH_LEN, &ignored);
	patch_expiry(&grant->expires);
	return status;
}

/* --- executing --- */

/* What a claim of one execution needs to know. */
typedef struct claim_context {
	wkg_span request;
	wkg_buf envelope; /* the caller's, which it may change meanwhile */
	wkg_span changed; /* empty: it does not */
} claim_context;

static wkg_claim
claim(void *store, wkg_span id, int64_t expires, int64_t now)
{
	claim_context *context = store;
	wkg_claim answer = wga_store_claim(&gate.store, context->request, id, expires, now);
	if (context->changed.len > 0)
		memcpy(context->envelope.ptr, context->changed.ptr, context->changed.len);
	return answer;
}

static claim_context
context_of(wga_ask *ask, const wga_node *call)
{
	wkg_span envelope = wga_text_of(ask, call, "envelope");
	claim_context context = { .request = ask->id,
		.envelope = wga_room(ask, envelope.len), .changed = WKG_LIT("") };
	if (envelope.len > 0)
		memcpy(context.envelope.ptr, envelope.ptr, envelope.len);
	context.envelope.len = envelope.len;
	const wga_node *during = wga_member(ask, call, "during_claim");
	if (during != NULL)
		context.changed = wga_text_of(ask, during, "envelope");
	ask->bad |= context.changed.len > 0 && context.changed.len != envelope.len;
	return context;
}

static wkg_status
execute(claim_context *context, wkg_span decision, wkg_buf *result, wkg_work work,
        wkg_outcome *outcome)
{
	wkg_executor executor = { &gate.registry, gate.keys, { claim, context }, gate.binding };
	wkg_request request = { wkg_buf_span(&context->envelope), decision, now_ms };
	return wkg_execute(&executor, &request, result, work, outcome);
}

static wkg_work
execute_work(wga_ask *ask, const claim_context *context, wkg_span decision)
{
	wkg_request request = { wkg_buf_span(&context->envelope), decision, now_ms };
	return wga_work(ask, wkg_execute_work_size(&request));
}

/* All that the caller was told: the reason and what came as a result. */
static void
put_message(wga_ask *ask, const char *reason, const wkg_buf *result)
{
	wkg_buf message = wga_room(ask, strlen(reason) + result->len);
	memcpy(message.ptr, reason, strlen(reason));
	memcpy(message.ptr + strlen(reason), result->ptr, result->len);
	message.len = message.cap;
	wga_put_text(ask, "message", wkg_buf_span(&message));
}

const char *
wga_grant_execute(wga_ask *ask)
{
	claim_context context = context_of(ask, ask->args);
	wkg_span decision = wga_text_of(ask, ask->args, "decision");
	evidence said = { ask, wga_member(ask, ask->args, "evidence") };
	wkg_buf result = wga_room(ask, 256);
	wkg_outcome outcome = { 0 };
	if (!gate.made || ask->bad)
		return "BAD_ARGUMENT";
	patch = said.members == NULL ? NULL : &said;
	wkg_status status = execute(&context, decision, &result,
	                            execute_work(ask, &context, decision), &outcome);
	patch = NULL;
	if (outcome.stage == WKG_STAGE_INPUT)
		return wga_internal(ask, "wkg_execute", status);
	if (status != WKG_OK) {
		wga_put_string(ask, "stage", wkg_stage_name(outcome.stage));
		put_message(ask, outcome.reason, &result);
		return outcome.reason;
	}
	wga_put_bool(ask, "executed", outcome.executed);
	put_id(ask, "grant_id", &outcome.grant.id);
	return NULL;
}

/* --- races --- */

typedef struct racer {
	pthread_t thread;
	pthread_barrier_t *start; /* NULL: whenever it is ready */
	int64_t call;
	claim_context context;
	wkg_span decision;
	wkg_work work;
	wkg_buf result;
	wkg_outcome outcome;
	wkg_status status;
	int64_t t0, t1;
} racer;

static int64_t
nanoseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *
run_racer(void *argument)
{
	racer *r = argument;
	if (r->start != NULL)
		pthread_barrier_wait(r->start);
	r->t0 = nanoseconds();
	r->status = execute(&r->context, r->decision, &r->result, r->work, &r->outcome);
	r->t1 = nanoseconds();
	return NULL;
}

static int64_t
overlap_of(const racer *racers, size_t count)
{
	int64_t most = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t inside = 0;
		for (size_t j = 0; j < count; j++)
			inside += racers[j].t0 <= racers[i].t0 && racers[i].t0 < racers[j].t1;
		most = inside > most ? inside : most;
	}
	return most;
}

static void
put_result(wga_ask *ask, const racer *r)
{
	wga_put_element(ask);
	wga_raw(ask, "{");
	wga_put_integer(ask, "call", r->call);
	wga_put_bool(ask, "executed", r->outcome.executed);
	if (r->status != WKG_OK)
		wga_put_string(ask, "code", r->outcome.stage == WKG_STAGE_INPUT ? "INTERNAL" : r->outcome.reason);
	else
		wga_put_name(ask, "code"), wga_raw(ask, "null");
	wga_put_integer(ask, "t0", r->t0);
	wga_put_integer(ask, "t1", r->t1);
	wga_raw(ask, "}");
}

static size_t
racers_of(wga_ask *ask, racer **racers, pthread_barrier_t *start)
{
	const wga_node *calls = wga_need(ask, ask->args, "calls");
	size_t count = 0, n = 0;
	for (const wga_node *c = calls == NULL ? NULL : calls->child; c != NULL; c = c->next)
		count += (size_t)wga_integer_or(ask, c, "n", 1);
	*racers = wga_take(&ask->arena, count * sizeof **racers);
	int64_t call = 0;
	for (const wga_node *c = calls == NULL ? NULL : calls->child; c != NULL; c = c->next, call++) {
		for (int64_t i = wga_integer_or(ask, c, "n", 1); i > 0; i--, n++) {
			racer *r = &(*racers)[n];
			*r = (racer){ .call = call, .start = start, .context = context_of(ask, c),
				      .decision = wga_text_of(ask, c, "decision"), .result = wga_room(ask, 256) };
			r->work = execute_work(ask, &r->context, r->decision);
		}
	}
	return count;
}

static void
run_all(racer *racers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&racers[i].thread, NULL, run_racer, &racers[i]) != 0)
			abort(); /* the others wait at the barrier */
	for (size_t i = 0; i < count; i++)
		pthread_join(racers[i].thread, NULL);
}

const char *
wga_grant_race(wga_ask *ask)
{
	pthread_barrier_t start;
	racer *racers;
	bool barrier = wga_true(wga_need(ask, ask->args, "barrier"));
	size_t count = racers_of(ask, &racers, barrier ? &start : NULL);
	if (!gate.made || ask->bad || count == 0 || count > 1024)
		return "BAD_ARGUMENT";
	pthread_barrier_init(&start, NULL, (unsigned)count);
	run_all(racers, count);
	pthread_barrier_destroy(&start);
	wga_put_name(ask, "results");
	wga_raw(ask, "[");
	for (size_t i = 0; i < count; i++)
		put_result(ask, &racers[i]);
	wga_raw(ask, "]");
	wga_put_integer(ask, "overlap", overlap_of(racers, count));
	wga_put_integer(ask, "threads", (int64_t)count);
	return NULL;
}

/* --- the ledger by itself --- */

const char *
wga_ledger_claim(wga_ask *ask)
{
	wkg_span id = wga_text_of(ask, ask->args, "id");
	int64_t expires = wga_integer(ask, wga_need(ask, ask->args, "expires_s"));
	if (!gate.made || ask->bad)
		return "BAD_ARGUMENT";
	wkg_claim answer = wga_store_claim(&gate.store, ask->id, id, expires, now_ms);
	wga_put_bool(ask, "claimed", answer == WKG_CLAIM_GRANTED);
	return NULL;
}

const char *
wga_store_reopen(wga_ask *ask)
{
	bool crash = wga_true(wga_need(ask, ask->args, "crash"));
	ask->bad |= !gate.made || gate.store.directory[0] == 0;
	return ask->bad || wga_store_reopen_server(&gate.store, crash) ? NULL : "STORE_DOWN";
}

/* --- the development authority --- */

static wkg_verdict
verdict_of(wga_ask *ask)
{
	wkg_span name = wga_text_of(ask, ask->args, "verdict");
	wkg_verdict verdict = wga_same(name, "ALLOW")    ? WKG_VERDICT_ALLOW :
	                      wga_same(name, "BLOCK")    ? WKG_VERDICT_BLOCK :
	                      wga_same(name, "ESCALATE") ? WKG_VERDICT_ESCALATE : WKG_VERDICT_INVALID;
	ask->bad |= verdict == WKG_VERDICT_INVALID;
	return verdict;
}

static wkg_span
fresh_uuid(wga_ask *ask)
{
	static const char shape[] = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
	uint8_t random[sizeof shape];
	char *text = wga_take(&ask->arena, sizeof shape);
	wga_random(random, sizeof random);
	for (size_t i = 0; i < sizeof shape; i++)
		text[i] = shape[i] == 'x' ? "0123456789abcdef"[random[i] & 15] : shape[i];
	return (wkg_span){ (const uint8_t *)text, sizeof shape - 1 };
}

static wkg_authority
authority_of(wga_ask *ask)
{
	const wga_node *allowed = wga_member(ask, ask->args, "allowed");
	const wga_node *environment = wga_member(ask, ask->args, "environment");
	ask->bad |= !gate.made || !gate.has_seed;
	return (wkg_authority){
		.unsafe_development = allowed == NULL || wga_true(allowed),
		.environment = environment == NULL ? (wkg_span)WKG_LIT("test") : wga_text(ask, environment),
		.seed = gate.seed,
		.kid = gate.seed_kid,
	};
}

const char *
wga_grant_issue(wga_ask *ask)
{
	wkg_authority authority = authority_of(ask);
	wkg_ruling ruling = { verdict_of(ask), fresh_uuid(ask), fresh_uuid(ask), fresh_uuid(ask), now_ms,
		              wga_integer(ask, wga_need(ask, ask->args, "ttl_s")) };
	wkg_span envelope = wga_text_of(ask, ask->args, "envelope");
	wkg_intent intent;
	if (ask->bad)
		return "BAD_ARGUMENT";
	if (wkg_intent_open(&intent, envelope, gate.binding,
	                    wga_work(ask, wkg_intent_work_size(envelope.len)), NULL) != WKG_OK)
		return "INTENT_CONFORMANCE_FAILED";
	wkg_buf out = wga_room(ask, WKG_DECISION_MAX);
	wkg_status status = wkg_authority_decide(&out, &authority, &intent, &ruling,
		wga_work(ask, wkg_authority_work_size()));
	if (status != WKG_OK)
		return status == WKG_E_REFUSED ? "FIXTURE_AUTHORITY_FORBIDDEN" : "BAD_ARGUMENT";
	wga_put_text(ask, "decision", wkg_buf_span(&out));
	return NULL;
}
