/* demo_gate.c - the third act: a refund is approved, a hundred threads want to
 * run it, and one does.
 *
 * The clock and the ids of this page are constants, so that it always reads the
 * same; the key is made anew each time, in memory. */
#include "demo.h"
#include "gate.h"

#include <wicketgate/authority.h>
#include <wicketgate/executor.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	THREADS = 100,
	TTL_S = 60,
	INPUT_MAX = 512, /* of proposal and context; of a result, too */
};

#define NOW INT64_C(1786701600000) /* 2026-08-14 10:00:00 */

#define UUID(digit) WKG_LIT("00000000-0000-4000-8000-00000000000" digit)

/* ---- what can be done: one action ---- */

static const wkg_field refund_fields[] = {
	{ .name = "amount",
	  .type = WKG_TYPE_INTEGER,
	  .has_minimum = true,
	  .minimum = 1 },
	{ .name = "currency", .type = WKG_TYPE_STRING, .pattern = "[A-Z]{3}" },
	{ .name = NULL },
};

/* Real ones pay. */
static bool
refund(void *ctx, wkg_span parameters, wkg_buf *result)
{
	atomic_int *payments = ctx;
	atomic_fetch_add(payments, 1);
	append(result, parameters);
	return true;
}

/* ---- what a run needs ---- */

typedef struct act {
	atomic_int payments;
	wkg_action action;
	wkg_registry registry;
	wkg_executor executor;
	wkg_keyring *keyring;
	wkg_work ledger;
	uint8_t seed[WKG_KEY_SIZE];
	wkg_work work;
	wkg_buf envelope; /* for 350 */
	wkg_buf decision; /* ... */
} act;

static void
random_bytes(uint8_t *bytes, size_t size)
{
	int code = gate_random("demo", bytes, size);
	if (code != CLI_DONE)
		exit(code);
}

/* Who may approve: a key made just now. */
static void
make_keyring(act *a)
{
	static const wkg_span issuer = WKG_LIT(WKG_AUTHORITY_ISSUER);
	static const wkg_span thumbprint = WKG_LIT("");
	uint8_t key[WKG_KEY_SIZE];

	random_bytes(a->seed, sizeof(a->seed));
	must(wkg_key_public_of_seed(key, a->seed));
	must(wkg_keyring_new(&a->keyring, issuer, NULL));
	must(wkg_keyring_add(a->keyring, thumbprint, key));
}

/* What has been spent: nothing yet. */
static wkg_ledger
make_ledger(act *a)
{
	uint8_t seed[16];
	wkg_memory_ledger *ledger;

	random_bytes(seed, sizeof(seed));
	reserve_work(&a->ledger, wkg_memory_ledger_size(THREADS));
	must(wkg_memory_ledger_init(&ledger, a->ledger, THREADS, seed,
	                            WKG_LEDGER_MARGIN_S));
	return wkg_memory_ledger_of(ledger);
}

static void
set_up(act *a)
{
	make_keyring(a);
	a->action = (wkg_action){
		.name = "refund_order",
		.parameters = refund_fields,
		.run = refund,
		.ctx = &a->payments,
	};
	a->registry = wkg_registry_of(&a->action, 1);
	a->executor = (wkg_executor){
		.registry = &a->registry,
		.keyring = a->keyring,
		.ledger = make_ledger(a),
		.binding = WKG_BINDING_B,
	};
}

static void
tear_down(act *a)
{
	wkg_wipe(a->seed, sizeof(a->seed));
	wkg_keyring_free(a->keyring);
	free(a->ledger.ptr);
	free(a->work.ptr);
	free(a->envelope.ptr);
	free(a->decision.ptr);
}

/* ---- the calls that matter ---- */

/* An agent proposes; the runtime says who it is and what this is about. */
static wkg_buf
capture(int amount, wkg_span id)
{
	static const wkg_span context = WKG_LIT(
		"{\"tenantId\":\"7d444840-9dc0-41d1-b245-5ffdce74fad2\","
		"\"actor\":{\"id\":\"agent-7\",\"type\":\"ai\"},"
		"\"downstreamTarget\":{\"system\":\"pay\",\"operation\":"
		"\"refund\"},"
		"\"idempotencyKey\":\"refund-1042\"}");
	char text[INPUT_MAX];
	snprintf(text, sizeof(text),
	         "{\"action\":\"refund_order\",\"target\":\"ORDER-1042\","
	         "\"parameters\":{\"currency\":\"EUR\",\"amount\":%d}}",
	         amount);
	wkg_span proposal = { (const uint8_t *)text, strlen(text) };
	size_t size = proposal.len + context.len;
	wkg_capture how = {
		.binding = WKG_BINDING_B,
		.limits = wkg_intent_limits_default(),
		.now_ms = NOW,
		.ttl_ms = TTL_S * 1000,
		.intent_id = id,
	};
	wkg_work work = { 0 };
	wkg_buf envelope = { 0 };

	reserve(&envelope, wkg_intent_envelope_bound(size));
	reserve_work(&work, wkg_intent_work_size(size));
	must(wkg_intent_capture(&envelope, proposal, context, &how, work,
	                        NULL));
	free(work.ptr);
	return envelope;
}

/* The intent of an envelope, recomputed, in the act's work area. */
static wkg_intent
open_envelope(act *a)
{
	wkg_intent intent;
	wkg_span envelope = wkg_buf_span(&a->envelope);
	reserve_work(&a->work, wkg_intent_work_size(envelope.len));
	must(wkg_intent_open(&intent, envelope, WKG_BINDING_B, a->work, NULL));
	return intent;
}

/* An authority signs: for this intent, once, for a minute. Not here, if this
 * is production: false. */
static bool
approve(act *a, const wkg_intent *intent)
{
	static const wkg_span decision = UUID("2"), dossier = UUID("3");
	static const wkg_span grant = UUID("4");
	wkg_authority authority = {
		.unsafe_development = true,
		.environment = gate_environment(),
		.seed = a->seed,
	};
	wkg_ruling ruling = {
		.verdict = WKG_VERDICT_ALLOW,
		.decision_uuid = decision,
		.dossier_uuid = dossier,
		.grant_uuid = grant,
		.now_ms = NOW,
		.ttl_s = TTL_S,
	};
	wkg_work work = { 0 };

	reserve(&a->decision, WKG_DECISION_MAX);
	reserve_work(&work, wkg_authority_work_size());
	wkg_status status = wkg_authority_decide(&a->decision, &authority,
	                                         intent, &ruling, work);
	free(work.ptr);
	if (status != WKG_E_REFUSED)
		must(status);
	return status == WKG_OK;
}

/* Nothing else runs an action. A refusal is no error: it is in the outcome. */
static wkg_outcome
execute(const act *a, wkg_span envelope, int64_t now_ms)
{
	wkg_request request = {
		.envelope = envelope,
		.decision = wkg_buf_span(&a->decision),
		.now_ms = now_ms,
	};
	uint8_t text[INPUT_MAX];
	wkg_buf result = { text, 0, sizeof(text) };
	wkg_work work = { 0 };
	wkg_outcome outcome;

	reserve_work(&work, wkg_execute_work_size(&request));
	wkg_status status = wkg_execute(&a->executor, &request, &result, work,
	                                &outcome);
	free(work.ptr);
	if (status != WKG_E_REFUSED)
		must(status);
	return outcome;
}

/* ---- a hundred at once ---- */

typedef struct runner {
	const act *act;
	pthread_mutex_t *start;
	pthread_t thread;
	wkg_outcome outcome;
} runner;

static void *
run(void *ctx)
{
	runner *r = ctx;
	pthread_mutex_lock(r->start); /* until all are there */
	pthread_mutex_unlock(r->start);
	r->outcome = execute(r->act, wkg_buf_span(&r->act->envelope), NOW);
	return NULL;
}

static void
run_all(const act *a, runner runners[THREADS])
{
	pthread_mutex_t start = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&start);
	for (size_t i = 0; i < THREADS; i++) {
		runners[i] = (runner){ .act = a, .start = &start };
		if (pthread_create(&runners[i].thread, NULL, run,
		                   &runners[i]) != 0)
			exit(cli_fail(CLI_RESOURCE, "demo",
			              "cannot start %d threads", THREADS));
	}
	pthread_mutex_unlock(&start);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(runners[i].thread, NULL);
}

/* How many ended there, for that reason. */
static size_t
count(const runner *runners, wkg_stage stage, const char *reason)
{
	size_t n = 0;
	for (size_t i = 0; i < THREADS; i++)
		n += runners[i].outcome.stage == stage &&
		     strcmp(runners[i].outcome.reason, reason) == 0;
	return n;
}

/* ---- telling ---- */

/* "350 made 351    conform    INTENT_CONFORMANCE_FAILED" */
static void
print_outcome(const char *what, const char *stage, const char *reason)
{
	cli_print_spaces(INDENT + 2);
	if (screen.columns < NARROW) {
		printf("%s\n", what);
		cli_print_spaces(INDENT + 4);
	} else {
		printf("%-22s ", what);
	}
	if (*reason == '\0')
		printf("%s\n", stage);
	else
		printf("%-8s %s\n", stage, reason);
}

static void
tell_race(const act *a)
{
	static const char invalid[] = "AUTHORIZATION_INVALID";
	static runner runners[THREADS];
	char executed[32], refused[32];

	run_all(a, runners);
	snprintf(executed, sizeof(executed), "%zu executed",
	         count(runners, WKG_STAGE_DONE, ""));
	snprintf(refused, sizeof(refused), "%zu refused",
	         count(runners, WKG_STAGE_CLAIM, invalid));
	say("\n%d threads present this one grant at the same moment:", THREADS);
	print_outcome(executed, wkg_stage_name(WKG_STAGE_DONE), "");
	print_outcome(refused, wkg_stage_name(WKG_STAGE_CLAIM), invalid);
}

static void
attempt(const act *a, const char *what, wkg_span envelope, int64_t now_ms)
{
	wkg_outcome o = execute(a, envelope, now_ms);
	print_outcome(what, wkg_stage_name(o.stage),
	              o.executed ? "EXECUTED" : o.reason);
}

/* The envelope with another amount in it, wherever there is one, and all else
 * as it was. */
static void
tamper(wkg_buf *envelope)
{
	static const wkg_span amount = WKG_LIT(":350");
	for (size_t at = 0; at + amount.len <= envelope->len; at++)
		if (memcmp(envelope->ptr + at, amount.ptr, amount.len) == 0)
			envelope->ptr[at + amount.len - 1] = '1';
}

static void
tell_attempts(act *a)
{
	static const wkg_span other_id = UUID("5");
	wkg_buf other = capture(351, other_id);

	say("\nWhat else was tried, and where it ended:");
	attempt(a, "the same once more", wkg_buf_span(&a->envelope), NOW);
	attempt(a, "after it has expired", wkg_buf_span(&a->envelope),
	        NOW + TTL_S * 1000);
	attempt(a, "351, captured anew", wkg_buf_span(&other), NOW);
	tamper(&a->envelope);
	attempt(a, "351, the hash kept", wkg_buf_span(&a->envelope), NOW);
	free(other.ptr);
}

static void
tell_approved(act *a, const wkg_intent *intent)
{
	say("refund_order on ORDER-1042, %.*s. The intent has one canonical "
	    "text, and the text one hash, which is what is approved:\n\n%.*s",
	    (int)intent->parameters.len, (const char *)intent->parameters.ptr,
	    (int)sizeof(intent->hash), (const char *)intent->hash);
	tell_race(a);
	tell_attempts(a);
	say("\nThe handler ran %d time%s. Up to claim nothing spends the "
	    "grant; "
	    "from claim on it is spent, even if the handler fails.",
	    atomic_load(&a->payments),
	    atomic_load(&a->payments) == 1 ? "" : "s");
}

void
tell_gate(void)
{
	static const wkg_span id = UUID("1");
	act a = { 0 };

	print_title("5. Run once: wkg_intent_capture(), wkg_execute()");
	say("An agent asks for a refund, somebody approves exactly that, a "
	    "program pays.");
	set_up(&a);
	a.envelope = capture(350, id);
	wkg_intent intent = open_envelope(&a);
	if (approve(&a, &intent))
		tell_approved(&a, &intent);
	else
		say("Not in production: a demo has a development authority, "
		    "which is refused there: FIXTURE_AUTHORITY_FORBIDDEN.");
	tear_down(&a);
}
