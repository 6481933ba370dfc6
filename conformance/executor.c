/* X2-X5: the order, what spends a grant, and that it is spent once. */
#define _POSIX_C_SOURCE 200809L

#include "gate_world.h"

#include <pthread.h>

static wkg_keyring *keyring;
static wkg_memory_ledger *store;

/* ---- actions ---- */

static int runs; /* atomically */
static bool handler_fails, check_refuses;
static wkg_span seen_parameters;

static bool
run_refund(void *ctx, wkg_span parameters, wkg_buf *result)
{
	(void)ctx;
	__atomic_add_fetch(&runs, 1, __ATOMIC_SEQ_CST);
	seen_parameters = parameters;
	if (result->cap - result->len < 4)
		return false;
	memcpy(result->ptr + result->len, "done", 4);
	result->len += 4;
	return !handler_fails;
}

static bool
check_refund(void *ctx, wkg_span parameters)
{
	(void)ctx;
	(void)parameters;
	return !check_refuses;
}

static const wkg_field refund_fields[] = {
	{ .name = "amount", .type = WKG_TYPE_INTEGER, .has_minimum = true, .minimum = 1 },
	{ .name = NULL },
};
static const wkg_action actions[] = {
	{ .name = "refund_order", .parameters = refund_fields, .check = check_refund, .run = run_refund },
};
static wkg_registry registry;

/* ---- an executor ---- */

static void
fresh_store(size_t room_for)
{
	static const uint8_t key[16] = { 7 };
	size_t size = wkg_memory_ledger_size(room_for);
	wkg_work work = { memory(size), size };
	if (wkg_memory_ledger_init(&store, work, room_for, key, WKG_LEDGER_MARGIN_S) != WKG_OK)
		abort();
}

static wkg_outcome outcome;
static wkg_buf result;

static wkg_status
execute_with(wkg_ledger ledger, wkg_span envelope, wkg_span decision, int64_t now_ms)
{
	wkg_executor executor = { &registry, keyring, ledger, WKG_BINDING_B };
	wkg_request request = { envelope, decision, now_ms };
	size_t size = wkg_execute_work_size(&request);
	wkg_work work = { memory(size), size };
	result = fresh();
	return wkg_execute(&executor, &request, &result, work, &outcome);
}

static wkg_status
execute(wkg_span envelope, wkg_span decision, int64_t now_ms)
{
	return execute_with(wkg_memory_ledger_of(store), envelope, decision, now_ms);
}

static bool
refused(wkg_span envelope, wkg_span decision, int64_t now_ms, const char *reason, wkg_stage stage)
{
	int before = runs;
	wkg_status status = execute(envelope, decision, now_ms);
	bool good = status == WKG_E_REFUSED && !outcome.executed && result.len == 0 && runs == before && strcmp(outcome.reason, reason) == 0 && outcome.stage == stage;
	if (!good)
		printf("# %s %s at %s\n", wkg_status_name(status), outcome.reason, wkg_stage_name(outcome.stage));
	return good;
}

static wkg_span
replaced_hash(wkg_span text)
{
	for (size_t at = 0; at + 7 < text.len; at++)
		if (memcmp(text.ptr + at, "\"sha256:", 8) == 0) {
			uint8_t *copy = memory(text.len);
			memcpy(copy, text.ptr, text.len);
			memset(copy + at + 8, '0', 64);
			wkg_span zero = { copy, text.len };
			return zero;
		}
	abort();
}

static void
works(void)
{
	wkg_span envelope = captured_text(REFUND), decision = decided(envelope, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-1 an approved intent is executed once", execute(envelope, decision, NOW) == WKG_OK && outcome.executed && outcome.stage == WKG_STAGE_DONE && outcome.reason[0] == '\0' && runs == 1 && holds(&result, TEXT("done")));
	CLAIM("X2 the handler gets the canonical parameters that were hashed", same(seen_parameters, TEXT("{\"amount\":350}")));
	CLAIM("EXE-1 with its grant in the outcome", outcome.grant.id.len == 36 && outcome.grant.expires == NOW / 1000 + 60);
	CLAIM("X4 and never again", refused(envelope, decision, NOW, "AUTHORIZATION_INVALID", WKG_STAGE_CLAIM));
	CLAIM("X4 nor under another decision's copy of the grant", refused(envelope, replaced(decision, "{\"verdict\"", "{ \"verdict\""), NOW + 1000, "AUTHORIZATION_INVALID", WKG_STAGE_CLAIM));
}

/* Each refusal before CLAIM, and that the grant is good afterwards. */
static bool
spares(wkg_span bad_envelope, wkg_span bad_decision, const char *reason, wkg_stage stage, wkg_span envelope, wkg_span decision)
{
	return refused(bad_envelope, bad_decision, NOW, reason, stage) && execute(envelope, decision, NOW) == WKG_OK;
}

static void
order(void)
{
	wkg_span e = captured_text(REFUND), d;
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-2 BLOCK", spares(e, replaced(d, "ALLOW\"", "BLOCK\""), "DECISION_NOT_ALLOW", WKG_STAGE_DECISION, e, d));
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-2 failClosed", spares(e, replaced(d, "\"failClosed\":false", "\"failClosed\":true"), "DECISION_NOT_ALLOW", WKG_STAGE_DECISION, e, d));
	CLAIM("EXE-2 ESCALATE", refused(e, decided(e, WKG_VERDICT_ESCALATE, NOW, 60), NOW, "DECISION_NOT_ALLOW", WKG_STAGE_DECISION));
	CLAIM("EXE-2 a decision that is not JSON, or has a name twice", refused(e, TEXT("{"), NOW, "DECISION_NOT_ALLOW", WKG_STAGE_DECISION) && refused(e, replaced(d, "{\"verdict\":\"ALLOW\"", "{\"verdict\":\"BLOCK\",\"verdict\":\"ALLOW\""), NOW, "DECISION_NOT_ALLOW", WKG_STAGE_DECISION));
	wkg_span other = captured_text("{\"action\":\"refund_order\",\"target\":\"order:1\",\"parameters\":{\"amount\":351}}");
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-3 a decision for 350 used with 351", spares(other, d, "INTENT_BINDING_MISMATCH", WKG_STAGE_BINDING, e, d));
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-7 no authorization", spares(e, replaced(d, "\"authorization\":{", "\"authorization\":null,\"x\":{"), "AUTHORIZATION_MISSING", WKG_STAGE_AUTHORIZED, e, d));
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-4 an envelope with an altered target and the old hash", spares(replaced(e, "order:1", "order:2"), d, "INTENT_CONFORMANCE_FAILED", WKG_STAGE_CONFORM, e, d));
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-5 zero hashes on both", spares(replaced_hash(e), replaced_hash(d), "INTENT_CONFORMANCE_FAILED", WKG_STAGE_CONFORM, e, d));
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-10 evidence that names another decision", spares(e, replaced(d, "\"fixture_0", "\"fixture_9"), "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY, e, d));
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-11 another dossier", spares(e, replaced(d, "fixture_dossier_0", "fixture_dossier_9"), "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY, e, d));
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 59);
	CLAIM("EXE-11 the decision's expiry a second off", spares(e, replaced(d, "10:00:59.000Z", "10:00:58.000Z"), "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY, e, d));
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 59);
	CLAIM("X3 or unparseable", spares(e, replaced(d, "10:00:59.000Z", "10:00:59.000"), "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY, e, d));
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 59);
	CLAIM("X3 in equal whole seconds it passes", execute(e, replaced(d, "10:00:59.000Z", "10:00:59.999Z"), NOW) == WKG_OK);
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("X6 a forged token", spares(e, replaced(d, "\"token\":\"ey", "\"token\":\"eY"), "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY, e, d));
}

/* A decision written by hand around a token that an authority signed by mistake
 * or in bad faith: the signature is good, what it says is not. */
static wkg_span
signed_with(wkg_span envelope, wkg_span hash, wkg_span id, int64_t issued, int64_t expires, const char *expires_at)
{
	static wkg_intent intent;
	size_t size = wkg_intent_work_size(envelope.len), more = wkg_grant_work_size(WKG_GRANT_TOKEN_MAX);
	wkg_work work = { memory(size), size }, signing = { memory(more), more };
	if (wkg_intent_open(&intent, envelope, WKG_BINDING_B, work, NULL) != WKG_OK)
		abort();
	wkg_span own = { intent.hash, sizeof intent.hash }, no_kid = { NULL, 0 };
	wkg_grant_claims c = {
		.issuer = TEXT(WKG_AUTHORITY_ISSUER), .audience = intent.audience, .decision_id = TEXT("d"), .dossier_id = TEXT("f"),
		.grant_id = id, .intent_hash = hash.len > 0 ? hash : own, .issued = issued, .expires = expires,
	};
	wkg_buf token = { memory(WKG_GRANT_TOKEN_MAX), 0, WKG_GRANT_TOKEN_MAX };
	if (wkg_grant_sign(&token, &c, no_kid, seed, signing) != WKG_OK)
		abort();
	char *text = (char *)memory(WKG_DECISION_MAX);
	int n = snprintf(text, WKG_DECISION_MAX, "{\"verdict\":\"ALLOW\",\"decisionId\":\"d\",\"dossierId\":\"f\",\"intentHash\":\"%.*s\",\"reasonCodes\":[],\"authorization\":{\"token\":\"%.*s\",\"expiresAt\":\"%s\"},\"failClosed\":false}",
	                 (int)own.len, own.ptr, (int)token.len, token.ptr, expires_at);
	wkg_span decision = { (uint8_t *)text, (size_t)n };
	return decision;
}

static void
evidence(void)
{
	const int64_t now = NOW / 1000;
	wkg_span e = captured_text(REFUND), own = { NULL, 0 };
	wkg_span zero = TEXT("sha256:0000000000000000000000000000000000000000000000000000000000000000");
	CLAIM("EXE-11 the decision these rows are made of is executed", execute(e, signed_with(e, own, TEXT("e-1"), now, now + 30, "2026-08-14T10:00:30.000Z"), NOW) == WKG_OK);
	CLAIM("EXE-11 a grant for another hash", refused(e, signed_with(e, zero, TEXT("e-2"), now, now + 30, "2026-08-14T10:00:30.000Z"), NOW, "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY));
	CLAIM("EXE-11 its own expiry a second later than the decision's, and earlier", refused(e, signed_with(e, own, TEXT("e-3"), now, now + 31, "2026-08-14T10:00:30.000Z"), NOW, "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY) && refused(e, signed_with(e, own, TEXT("e-3"), now, now + 29, "2026-08-14T10:00:30.000Z"), NOW, "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY));
	CLAIM("EXE-11 both expiries in the past", refused(e, signed_with(e, own, TEXT("e-4"), now - 60, now - 30, "2026-08-14T09:59:30.000Z"), NOW, "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY));
	CLAIM("EXE-11 both behind the intent's", refused(e, signed_with(e, own, TEXT("e-5"), now, now + 61, "2026-08-14T10:01:01.000Z"), NOW, "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY));
	wkg_span d = signed_with(e, own, TEXT("e-6"), now, now + 30, "2026-08-14T10:00:30.000Z");
	CLAIM("EXE-7 an authorization that is text, a number, a list, or not there", refused(e, replaced(d, "\"authorization\":{", "\"authorization\":\"x\",\"y\":{"), NOW, "AUTHORIZATION_MISSING", WKG_STAGE_AUTHORIZED) && refused(e, replaced(d, "\"authorization\":{", "\"authorization\":1,\"y\":{"), NOW, "AUTHORIZATION_MISSING", WKG_STAGE_AUTHORIZED) && refused(e, replaced(d, "\"authorization\":{", "\"authorization\":[],\"y\":{"), NOW, "AUTHORIZATION_MISSING", WKG_STAGE_AUTHORIZED) && refused(e, replaced(d, "\"authorization\":{", "\"y\":{"), NOW, "AUTHORIZATION_MISSING", WKG_STAGE_AUTHORIZED));
	CLAIM("EXE-2 failClosed absent, null, text; a verdict in another case", refused(e, replaced(d, "\"failClosed\":false", "\"x\":false"), NOW, "DECISION_NOT_ALLOW", WKG_STAGE_DECISION) && refused(e, replaced(d, "\"failClosed\":false", "\"failClosed\":null"), NOW, "DECISION_NOT_ALLOW", WKG_STAGE_DECISION) && refused(e, replaced(d, "\"failClosed\":false", "\"failClosed\":\"false\""), NOW, "DECISION_NOT_ALLOW", WKG_STAGE_DECISION) && refused(e, replaced(d, "ALLOW", "allow"), NOW, "DECISION_NOT_ALLOW", WKG_STAGE_DECISION));
	CLAIM("X4 none of which spent it", execute(e, d, NOW) == WKG_OK);
}

static void
precedence(void)
{
	wkg_span e = captured_text(REFUND), d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	wkg_span other = captured_text("{\"action\":\"unknown\",\"target\":\"t\"}");
	wkg_span blocked = replaced(d, "ALLOW\"", "BLOCK\""), missing = replaced(d, "\"authorization\":{", "\"authorization\":null,\"x\":{");
	CLAIM("X3 BLOCK beats a wrong hash", refused(other, blocked, NOW, "DECISION_NOT_ALLOW", WKG_STAGE_DECISION));
	CLAIM("X3 a wrong hash beats a missing grant", refused(other, missing, NOW, "INTENT_BINDING_MISMATCH", WKG_STAGE_BINDING));
	CLAIM("X3 a missing grant beats non-conformance", refused(replaced(e, "order:1", "order:2"), missing, NOW, "AUTHORIZATION_MISSING", WKG_STAGE_AUTHORIZED));
	wkg_span unknown = captured_text("{\"action\":\"unknown\",\"target\":\"t\"}");
	CLAIM("X3 non-conformance beats an unknown action", refused(replaced(unknown, "\"target\":\"t\"", "\"target\":\"u\""), decided(unknown, WKG_VERDICT_ALLOW, NOW, 60), NOW, "INTENT_CONFORMANCE_FAILED", WKG_STAGE_CONFORM));
	CLAIM("REG-3 an unknown action", refused(unknown, decided(unknown, WKG_VERDICT_ALLOW, NOW, 60), NOW, "ACTION_NOT_REGISTERED", WKG_STAGE_REGISTRY));
}

static void
parameters(void)
{
	wkg_span bad = captured_text("{\"action\":\"refund_order\",\"target\":\"order:1\",\"parameters\":{\"amount\":-1}}");
	wkg_span e = captured_text(REFUND), d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-9 parameters that fail their table", refused(bad, decided(bad, WKG_VERDICT_ALLOW, NOW, 60), NOW, "ACTION_PARAMETERS_INVALID", WKG_STAGE_REGISTRY));
	check_refuses = true;
	bool first = refused(e, d, NOW, "ACTION_PARAMETERS_INVALID", WKG_STAGE_REGISTRY);
	check_refuses = false;
	CLAIM("EXE-9 or its further check, do not spend the grant", first && execute(e, d, NOW) == WKG_OK);
}

static void
times(void)
{
	wkg_span e = captured_text(REFUND), d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("EXE-12 a grant that expires with its intent passes", execute(e, d, NOW + 59999) == WKG_OK);
	d = decided(e, WKG_VERDICT_ALLOW, NOW, 30);
	CLAIM("EXE-13 expiry equal to now refuses", refused(e, d, NOW + 30000, "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY));
	CLAIM("EXE-13 a millisecond before it passes", execute(e, d, NOW + 29999) == WKG_OK);
	d = decided(e, WKG_VERDICT_ALLOW, NOW + 5000, 30);
	CLAIM("X6 a grant from the future refuses until it begins", refused(e, d, NOW + 4999, "AUTHORIZATION_INVALID", WKG_STAGE_VERIFY) && execute(e, d, NOW + 5000) == WKG_OK);
}

static void
handler_failures(void)
{
	wkg_span e = captured_text(REFUND), d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	handler_fails = true;
	bool failed = execute(e, d, NOW) == WKG_E_REFUSED && strcmp(outcome.reason, "ACTION_EXECUTION_FAILED") == 0 && outcome.stage == WKG_STAGE_RUN && result.len == 0;
	handler_fails = false;
	CLAIM("EXE-14 a handler that fails: its detail hidden, its output gone", failed);
	CLAIM("X4 its grant stays spent", refused(e, d, NOW, "AUTHORIZATION_INVALID", WKG_STAGE_CLAIM));
}

/* ---- stores that misbehave ---- */

static wkg_span tampered; /* what a claim overwrites */
static wkg_claim answer;
static unsigned asked;

static wkg_claim
misbehave(void *ctx, wkg_span id, int64_t expires, int64_t now_ms)
{
	(void)ctx; (void)id; (void)expires; (void)now_ms;
	asked++;
	if (tampered.ptr != NULL) /* the caller's memory changes under us */
		memcpy((uint8_t *)(uintptr_t)tampered.ptr + tampered.len, "2", 1);
	return answer;
}

static void
ledgers(void)
{
	const wkg_ledger ledger = { misbehave, NULL };
	wkg_span e = captured_text(REFUND), d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	int before = runs;
	bool all = true;
	static const wkg_claim answers[] = { WKG_CLAIM_REFUSED, WKG_CLAIM_SPENT, (wkg_claim)77, (wkg_claim)-1 };
	for (size_t i = 0; i < 4; i++) {
		answer = answers[i];
		all = all && execute_with(ledger, e, d, NOW) == WKG_E_REFUSED && strcmp(outcome.reason, "AUTHORIZATION_INVALID") == 0;
	}
	CLAIM("X7 whatever a store says but GRANTED refuses", all && runs == before && asked == 4);
	uint8_t *copy = memory(e.len);
	memcpy(copy, e.ptr, e.len);
	wkg_span mine = { copy, e.len };
	for (size_t at = 0; at + 7 < e.len; at++)
		if (memcmp(copy + at, "order:1", 7) == 0) {
			tampered.ptr = copy;
			tampered.len = at + 6;
			break;
		}
	answer = WKG_CLAIM_GRANTED;
	CLAIM("EXE-6 an envelope that changes during the claim", execute_with(ledger, mine, d, NOW) == WKG_E_REFUSED && strcmp(outcome.reason, "INTENT_CONFORMANCE_FAILED") == 0 && outcome.stage == WKG_STAGE_RECHECK && runs == before);
	CLAIM("X4 it is spent all the same", outcome.grant.id.len > 0);
}

static bool
full_refuses(const wkg_action *action)
{
	wkg_registry none = wkg_registry_in(NULL, 0);
	const char *reason = wkg_registry_register(&none, action);
	return reason != NULL && strcmp(reason, "ACTION_REGISTRY_FULL") == 0 && none.count == 0;
}

/* An action without one of its parts is none: it must not be found out by
 * calling it, when the grant is spent. */
static void
incomplete(wkg_span e)
{
	wkg_registry kept = registry;
	wkg_span d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	bool none_runs = true, none_registers = true;
	for (size_t i = 0; i < 3; i++) {
		wkg_action action = actions[0], slot;
		if (i == 0)
			action.name = NULL;
		else if (i == 1)
			action.parameters = NULL;
		else
			action.run = NULL;
		wkg_registry r = wkg_registry_in(&slot, 1);
		const char *reason = wkg_registry_register(&r, &action);
		none_registers = none_registers && reason != NULL && strcmp(reason, "ACTION_INCOMPLETE") == 0 && r.count == 0;
		registry = wkg_registry_of(&action, 1);
		none_runs = none_runs && refused(e, d, NOW, "ACTION_NOT_REGISTERED", WKG_STAGE_REGISTRY);
	}
	registry = kept;
	CLAIM("X2 an action without name, parameters or run is not registered", none_registers);
	CLAIM("X4 and in a table by hand it spends no grant", none_runs && execute(e, d, NOW) == WKG_OK);
}

static void
arguments(void)
{
	wkg_request request = { TEXT("{}"), TEXT("{}"), NOW };
	size_t size = wkg_execute_work_size(&request);
	wkg_work work = { memory(size), size }, less = { work.ptr, size - 1 };
	wkg_executor e = { &registry, keyring, wkg_memory_ledger_of(store), WKG_BINDING_B }, no_key = e, no_ledger = e, no_binding = e, no_registry = e;
	no_key.keyring = NULL;
	no_ledger.ledger.claim = NULL;
	no_binding.binding = WKG_BINDING_INVALID;
	no_registry.registry = NULL;
	const wkg_executor *unusable[] = { NULL, &no_key, &no_ledger, &no_binding, &no_registry };
	bool all = true;
	for (size_t i = 0; i < 5; i++)
		all = all && wkg_execute(unusable[i], &request, &result, work, &outcome) == WKG_E_ARGUMENT && outcome.stage == WKG_STAGE_INPUT && !outcome.executed;
	CLAIM("X3 an executor without one of its parts, or no executor", all);
	CLAIM("X3 no request, no room for a result", wkg_execute(&e, NULL, &result, work, &outcome) == WKG_E_ARGUMENT && wkg_execute(&e, &request, NULL, work, &outcome) == WKG_E_ARGUMENT && outcome.stage == WKG_STAGE_INPUT);
	CLAIM("X3 a work area that is a byte too small is seen before anything is spent", wkg_execute(&e, &request, &result, less, &outcome) == WKG_E_SPACE && outcome.stage == WKG_STAGE_INPUT);
}

static void
registries(void)
{
	wkg_action slots[2];
	wkg_registry r = wkg_registry_in(slots, 2);
	wkg_action second = actions[0];
	second.name = "other";
	CLAIM("REG-1 registered, twice is refused", wkg_registry_register(&r, &actions[0]) == NULL && strcmp(wkg_registry_register(&r, &actions[0]), "ACTION_ALREADY_REGISTERED") == 0);
	wkg_registry kept = registry;
	registry = r;
	wkg_span e = captured_text(REFUND), d = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	CLAIM("REG-2 nothing runs before it is sealed", refused(e, d, NOW, "ACTION_REGISTRY_NOT_SEALED", WKG_STAGE_REGISTRY));
	CLAIM("REG-1 what is in it is found, other names not", wkg_registry_find(&r, TEXT("refund_order")) != NULL && wkg_registry_find(&r, TEXT("refund_orde")) == NULL && wkg_registry_find(&r, TEXT("")) == NULL);
	wkg_registry_seal(&r);
	CLAIM("REG-1 nothing is added after it", strcmp(wkg_registry_register(&r, &second), "ACTION_REGISTRY_SEALED") == 0);
	registry = r;
	CLAIM("REG-1 and then it runs", execute(e, d, NOW) == WKG_OK);
	registry = kept;
	CLAIM("X2 a registry that is full", full_refuses(&second));
	incomplete(e);
	const wkg_action twice[] = { actions[0], actions[0] };
	wkg_registry ambiguous = wkg_registry_of(twice, 2);
	CLAIM("REG-1 a hand-made table with a name twice finds neither", wkg_registry_find(&ambiguous, TEXT("refund_order")) == NULL);
}

static void
authorities(void)
{
	wkg_span e = captured_text(REFUND);
	size_t size = wkg_intent_work_size(e.len), more = wkg_authority_work_size();
	wkg_work work = { memory(size), size }, signing = { memory(more), more };
	wkg_intent intent;
	wkg_authority a = { true, TEXT("production"), seed, { NULL, 0 } };
	wkg_ruling r = { WKG_VERDICT_ALLOW, TEXT("1"), TEXT("2"), TEXT("3"), NOW, 60 };
	wkg_buf out = fresh();
	CLAIM("EXE-15 no development authority in production, opt-in or not", wkg_intent_open(&intent, e, WKG_BINDING_B, work, NULL) == WKG_OK && wkg_authority_decide(&out, &a, &intent, &r, signing) == WKG_E_REFUSED && out.len == 0);
	a.environment = TEXT("staging");
	a.unsafe_development = false;
	CLAIM("X8 nor anywhere without the opt-in", wkg_authority_decide(&out, &a, &intent, &r, signing) == WKG_E_REFUSED && out.len == 0);
	a.unsafe_development = true;
	r.verdict = WKG_VERDICT_INVALID;
	CLAIM("X8 no verdict is refused", wkg_authority_decide(&out, &a, &intent, &r, signing) == WKG_E_ARGUMENT);
}

/* ---- N callers, one grant ---- */

enum { THREADS = 100 };

/* The same hundred threads run every round: they meet at a barrier, execute all
 * at once, and meet again. */
typedef struct race {
	pthread_barrier_t barrier;
	unsigned rounds;
	wkg_span envelope, decision;
	wkg_executor executor;
	int executed, invalid, other;
} race;

static bool
count_run(void *ctx, wkg_span parameters, wkg_buf *out)
{
	(void)parameters;
	(void)out;
	__atomic_add_fetch((int *)ctx, 1, __ATOMIC_SEQ_CST);
	return true;
}

static void
race_once(race *r, wkg_work work)
{
	wkg_request request = { r->envelope, r->decision, NOW };
	uint8_t bytes[8];
	wkg_buf out = { bytes, 0, sizeof bytes };
	wkg_outcome mine;
	wkg_status status = wkg_execute(&r->executor, &request, &out, work, &mine);
	bool invalid = status == WKG_E_REFUSED && strcmp(mine.reason, "AUTHORIZATION_INVALID") == 0;
	__atomic_add_fetch(status == WKG_OK ? &r->executed : invalid ? &r->invalid : &r->other, 1, __ATOMIC_SEQ_CST);
}

static void *
racer(void *argument)
{
	race *r = argument;
	wkg_request sizes = { r->envelope, r->decision, NOW };
	size_t size = wkg_execute_work_size(&sizes) + 1024;
	wkg_work work = { malloc(size), size };
	if (work.ptr == NULL)
		abort();
	for (unsigned i = 0; i < r->rounds; i++) {
		pthread_barrier_wait(&r->barrier);
		race_once(r, work);
		pthread_barrier_wait(&r->barrier);
	}
	free(work.ptr);
	return NULL;
}

static void
races(unsigned rounds)
{
	int handled = 0, bad = 0;
	pthread_t threads[THREADS];
	wkg_action action = actions[0];
	action.run = count_run;
	action.ctx = &handled;
	wkg_registry mine = wkg_registry_of(&action, 1);
	wkg_span e = captured_text(REFUND);
	fresh_store(rounds + 16);
	race r = { .rounds = rounds, .envelope = e, .executor = { &mine, keyring, wkg_memory_ledger_of(store), WKG_BINDING_B } };
	r.decision = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
	pthread_barrier_init(&r.barrier, NULL, THREADS + 1);
	for (size_t t = 0; t < THREADS; t++)
		if (pthread_create(&threads[t], NULL, racer, &r) != 0)
			abort();
	for (unsigned i = 0; i < rounds; i++) {
		r.decision = decided(e, WKG_VERDICT_ALLOW, NOW, 60);
		handled = r.executed = r.invalid = r.other = 0;
		pthread_barrier_wait(&r.barrier);
		pthread_barrier_wait(&r.barrier);
		bad += handled != 1 || r.executed != 1 || r.invalid != THREADS - 1 || r.other != 0;
	}
	for (size_t t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	pthread_barrier_destroy(&r.barrier);
	char text[120];
	snprintf(text, sizeof text, "EXE-8 X5 %d threads x %u rounds: one handler call, %d AUTHORIZATION_INVALID, each round", THREADS, rounds, THREADS - 1);
	CLAIM(text, bad == 0);
}

int
main(int argc, char **argv)
{
	uint8_t key[WKG_KEY_SIZE];
	wkg_span no_kid = { NULL, 0 };
	if (wkg_keyring_new(&keyring, TEXT(WKG_AUTHORITY_ISSUER), NULL) != WKG_OK ||
	    wkg_key_public_of_seed(key, seed) != WKG_OK || wkg_keyring_add(keyring, no_kid, key) != WKG_OK)
		return 1;
	registry = wkg_registry_of(actions, 1);
	fresh_store(1000);
	works();
	order();
	evidence();
	precedence();
	parameters();
	times();
	handler_failures();
	ledgers();
	registries();
	arguments();
	authorities();
	races(argc > 1 ? (unsigned)atoi(argv[1]) : 100);
	wkg_keyring_free(keyring);
	return finish();
}
