/* property_grant.c - an approval is good for one execution, whatever happens. */
#include "compare.h"
#include "properties.h"
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

static const char *const needs_jws[] = { "grant.jws", NULL };
static const char *const executing[] = {
	"clock.set", "grant.setup", "grant.execute", "handler.count", NULL
};

/* --- P-GR1: real threads, as far as they prove anything --- */

#define RACERS 100

typedef struct racer {
	bool executed;
	long long t0, t1;
} racer;

static size_t
read_racers(wgc_case *what, const cJSON *results, racer racers[RACERS])
{
	size_t n = 0;
	for (const cJSON *r = results == NULL ? NULL : results->child;
	     r != NULL && n < RACERS; r = r->next, n++) {
		const char *code = wgc_json_string(r, "code");
		racers[n].executed = cJSON_IsTrue(wgc_json_get(r, "executed"));
		wgc_json_integer(wgc_json_get(r, "t0"), &racers[n].t0);
		wgc_json_integer(wgc_json_get(r, "t1"), &racers[n].t1);
		if (!racers[n].executed &&
		    (code == NULL || strcmp(code, "AUTHORIZATION_INVALID") != 0))
			wgc_case_fails(what, "one that came too late was refused "
			                     "with %s", code == NULL ? "no code" : code);
	}
	return n;
}

/* Test-and-set is linearizable if there is one winner and nobody had lost
 * before it began. */
static void
judge_race(wgc_case *what, const racer *racers, size_t n)
{
	size_t winners = 0, winner = 0;
	for (size_t i = 0; i < n; i++)
		if (racers[i].executed) {
			winners++;
			winner = i;
		}
	if (n != RACERS)
		wgc_case_fails(what, "%d calls, %zu results", RACERS, n);
	if (winners != 1)
		wgc_case_fails(what, "%zu of %zu calls with one grant were executed",
		               winners, n);
	for (size_t i = 0; i < n && winners == 1; i++)
		if (racers[i].t1 < racers[winner].t0)
			wgc_case_fails(what, "a call was refused before the one that "
			                     "won had begun");
}

static void
draw_race(wgc_case *what, const racer *racers, size_t n)
{
	what->timeline = cJSON_CreateArray();
	for (size_t i = 0; i < n; i++) {
		cJSON *entry = cJSON_CreateObject();
		char *lane = wgc_format("call %zu", i + 1);
		cJSON_AddStringToObject(entry, "lane", lane);
		cJSON_AddStringToObject(entry, "what", racers[i].executed ? "executed" : "refused");
		cJSON_AddNumberToObject(entry, "t0", (double)(racers[i].t0 - racers[0].t0));
		cJSON_AddNumberToObject(entry, "t1", (double)(racers[i].t1 - racers[0].t0));
		cJSON_AddBoolToObject(entry, "won", racers[i].executed);
		cJSON_AddItemToArray(what->timeline, entry);
		free(lane);
	}
}

static cJSON *
race_args(const wgc_approved *a)
{
	cJSON *args = cJSON_CreateObject(), *calls = cJSON_CreateArray();
	cJSON *call = wgc_execute_args(a->envelope, a->decision);
	cJSON_AddNumberToObject(call, "n", RACERS);
	cJSON_AddItemToArray(calls, call);
	cJSON_AddItemToObject(args, "calls", calls);
	cJSON_AddBoolToObject(args, "barrier", true);
	return args;
}

static void
play_race(wgc_case *what)
{
	wgc_approved a = { .number = 0 };
	racer racers[RACERS] = { { false, 0, 0 } };
	long long overlap = 0;
	if (wgc_grants_setup(what, "memory") &&
	    wgc_approve(what, WGC_GOOD, 1, WGC_START_MS, &a)) {
		const wgc_reply *reply = wgc_case_ask_now(what, "grant.race", race_args(&a));
		if (!wgc_case_is_over(what) && wgc_case_ok(what, what->requests - 1)) {
			const cJSON *results = wgc_json_get(reply->body, "results");
			size_t n = read_racers(what, results, racers);
			wgc_json_integer(wgc_json_get(reply->body, "overlap"), &overlap);
			draw_race(what, racers, n);
			judge_race(what, racers, n);
		}
	}
	wgc_approved_clear(&a);
	if (wgc_case_is_over(what))
		return;
	long handled = wgc_handled(what, "refund_order");
	if (handled != 1)
		wgc_case_fails(what, "the handler ran %ld times", handled);
	else if (overlap < 2)
		wgc_case_proves_nothing(what, "the calls of the race did not overlap");
}

static const wgc_method race = { .play = play_race, .share = 1, .tier = "C1" };

const wgc_property wgc_p_gr1 = {
	.id = "P-GR1", .title = "a hundred threads with one grant: one execution",
	.rules = (const char *const[]){ "X5.1", "X7.1", NULL },
	.level = "MUST", .claim = "safety", .component = "grant",
	.operations = (const char *const[]){ "clock.set", "grant.setup",
		"grant.race", "handler.count", NULL },
	.features = (const char *const[]){ "threads", NULL }, .method = &race,
};

/* --- P-GR2, 4, 5, 6: the ledger in our hands --- */

static size_t
most_at_once(const wgc_subject *subject)
{
	long long most = 1;
	wgc_json_integer(wgc_json_get(subject->hello, "max_inflight"), &most);
	return most < WGC_CALLS_MAX ? (size_t)most : WGC_CALLS_MAX;
}

static void
judge_schedule(wgc_case *what, const wgc_schedule *s, bool faults)
{
	size_t executed = 0, won = 0;
	for (size_t i = 0; i < s->n; i++) {
		const wgc_execution *e = &s->at[i];
		const wgc_request *r = &what->request[e->request];
		const char *code = wgc_json_string(r->reply.body, "code");
		executed += e->executed;
		won += e->won;
		if (e->executed && e->faulty)
			wgc_case_fails(what, "executed, though the store had not said yes");
		else if (!e->executed && (code == NULL ||
		                          strcmp(code, "AUTHORIZATION_INVALID") != 0))
			wgc_case_fails(what, "one that came too late was refused with %s",
			               code == NULL ? "no code" : code);
	}
	if (executed > 1)
		wgc_case_fails(what, "one grant, %zu executions", executed);
	if (executed == 0 && (!faults || won > 0))
		wgc_case_fails(what, "one grant, %zu calls, no execution at all", s->n);
	long handled = wgc_case_is_over(what) ? 0 : wgc_handled(what, "refund_order");
	if ((size_t)handled != executed)
		wgc_case_fails(what, "%zu executions reported, the handler ran %ld times",
		               executed, handled);
}

static void
play(wgc_case *what, size_t n, bool faults)
{
	const cJSON *hello = what->subject->hello;
	wgc_schedule *schedule = wgc_alloc(sizeof(*schedule));
	wgc_approved a = { .number = 0 };
	size_t most = most_at_once(what->subject);
	if (!wgc_has_feature(hello, "store.claim") &&
	    !wgc_has_feature(hello, "store.get-put"))
		wgc_case_proves_nothing(what, "the ledger cannot be forwarded to the "
		                              "runner (store.claim, store.get-put)");
	else if (most < 2)
		wgc_case_proves_nothing(what, "max_inflight is 1");
	else if (wgc_grants_setup(what, "callback") &&
	         wgc_approve(what, WGC_GOOD, 1, WGC_START_MS, &a)) {
		wgc_schedule_play(what, &a, n < most ? n : most, faults, schedule);
		if (!wgc_case_is_over(what))
			judge_schedule(what, schedule, faults);
	}
	wgc_approved_clear(&a);
	free(schedule);
}

static void
play_two(wgc_case *what)
{
	play(what, 2, false);
}

static void
play_few(wgc_case *what)
{
	play(what, wgc_choose_between(what->choices, 3, 8), false);
}

static void
play_hundred(wgc_case *what)
{
	play(what, 100, false);
}

static void
play_faulty(wgc_case *what)
{
	play(what, wgc_choose_between(what->choices, 1, 6), true);
}

static const wgc_method two = { .play = play_two, .exhaustive = true, .tier = "C2" };
static const wgc_method few = { .play = play_few, .share = 10, .tier = "C2" };
static const wgc_method hundred = { .play = play_hundred, .share = 1, .tier = "C2" };
static const wgc_method faulty = { .play = play_faulty, .share = 10 };

const wgc_property wgc_p_gr2 = {
	.id = "P-GR2", .title = "two calls with one grant, in every order of the store's answers: one execution",
	.rules = (const char *const[]){ "X5.1", "X7.1", NULL },
	.level = "MUST", .claim = "safety", .component = "grant",
	.operations = executing, .method = &two,
};

const wgc_property wgc_p_gr4 = {
	.id = "P-GR4", .title = "three to eight calls with one grant, the store answering in any order",
	.rules = (const char *const[]){ "X5.1", "X7.1", NULL },
	.level = "MUST", .claim = "safety", .component = "grant",
	.operations = executing, .method = &few,
};

const wgc_property wgc_p_gr5 = {
	.id = "P-GR5", .title = "a hundred calls with one grant, all of them waiting for the store",
	.rules = (const char *const[]){ "X5.1", "X7.1", NULL },
	.level = "MUST", .claim = "safety", .component = "grant",
	.operations = executing, .method = &hundred,
};

const wgc_property wgc_p_gr6 = {
	.id = "P-GR6", .title = "a store that fails, loses its answer, is silent or late: never two executions",
	.rules = (const char *const[]){ "X5.1", "X7.3", NULL },
	.level = "MUST", .claim = "safety", .component = "grant",
	.operations = executing, .method = &faulty,
};

/* --- P-GR3: a model of what may be executed --- */

#define GRANTS_MAX 8

typedef enum spent { FRESH, SPENT, UNSURE } spent;

typedef struct world {
	wgc_case *what;
	wgc_approved grant[GRANTS_MAX];
	spent spent[GRANTS_MAX];
	size_t n;
	unsigned number;
	int64_t now_ms, highest_ms;
	long handled[2]; /* refund_order, fail_order */
} world;

typedef enum trick {
	NO_TRICK, VERDICT, FAIL_CLOSED, SWAPPED, NO_AUTHORIZATION, CANONICAL,
	LENGTH, TRICKS
} trick;

static const char *const trick_codes[TRICKS] = {
	NULL, "DECISION_NOT_ALLOW", "DECISION_NOT_ALLOW",
	"INTENT_BINDING_MISMATCH", "AUTHORIZATION_MISSING",
	"INTENT_CONFORMANCE_FAILED", "INTENT_CONFORMANCE_FAILED"
};

/* The grant may be over, or the ledger may refuse to go back so far. */
static bool
is_doubtful(const world *w, const wgc_approved *a)
{
	return w->highest_ms >= a->now_ms + WGC_TTL_MS ||
	       w->highest_ms - w->now_ms >= 3600000;
}

static const char *
expected_code(const world *w, size_t i, trick how)
{
	const wgc_approved *a = &w->grant[i];
	if (how != NO_TRICK)
		return trick_codes[how];
	if (a->deed == WGC_UNREGISTERED)
		return "ACTION_NOT_REGISTERED";
	if (a->deed == WGC_BAD_VALUE)
		return "ACTION_PARAMETERS_INVALID";
	if (w->now_ms < a->now_ms || w->now_ms >= a->now_ms + WGC_TTL_MS ||
	    w->spent[i] == SPENT)
		return "AUTHORIZATION_INVALID";
	return a->deed == WGC_FAILING ? "ACTION_EXECUTION_FAILED" : NULL;
}

static cJSON *
tricked_args(const world *w, size_t i, trick how)
{
	const wgc_approved *a = &w->grant[i];
	char *envelope = wgc_copy(a->envelope), *decision = wgc_copy(a->decision);
	char **text = how == CANONICAL || how == LENGTH ? &envelope : &decision;
	char *old = *text;
	cJSON *json;
	const char *why;
	size_t len;
	switch (how) {
	case VERDICT: *text = wgc_replaced(old, "\"ALLOW\"", "\"BLOCK\""); break;
	case FAIL_CLOSED: *text = wgc_replaced(old, "\"failClosed\":false", "\"failClosed\":true"); break;
	case SWAPPED: *text = wgc_copy(w->grant[(i + 1) % w->n].decision); break;
	case CANONICAL: *text = wgc_replaced(old, "\"target\":\"order:42\"", "\"target\":\"order:43\""); break;
	case LENGTH: *text = wgc_replaced(old, "\"length\":", "\"length\":1"); break;
	case NO_AUTHORIZATION:
		json = wgc_json_read(old, strlen(old), &why);
		cJSON_ReplaceItemInObjectCaseSensitive(json, "authorization", cJSON_CreateNull());
		*text = wgc_json_write(json, &len);
		cJSON_Delete(json);
		break;
	default: *text = wgc_copy(old); break;
	}
	free(old);
	cJSON *args = wgc_execute_args(envelope, decision);
	free(envelope);
	free(decision);
	return args;
}

static const char *const trick_names[TRICKS] = {
	"as it is", "with verdict BLOCK", "with failClosed", "with the decision of another",
	"without authorization", "with another target", "with another length"
};

/* Compare, and learn what the model could not know. */
static void
judge_execution(world *w, size_t i, trick how, const wgc_reply *reply)
{
	const char *expected = expected_code(w, i, how);
	const char *code = wgc_json_string(reply->body, "code");
	if (wgc_tells_a_secret(reply))
		wgc_case_fails(w->what, "the handler's own message reached the caller");
	bool ran = reply->kind == WGC_OK ||
	           (code != NULL && strcmp(code, "ACTION_EXECUTION_FAILED") == 0);
	bool reached = how == NO_TRICK &&
	               (expected == NULL || strcmp(expected, "ACTION_EXECUTION_FAILED") == 0);
	bool refused = code != NULL && strcmp(code, "AUTHORIZATION_INVALID") == 0;
	if (reached && refused && (is_doubtful(w, &w->grant[i]) || w->spent[i] == UNSURE)) {
		w->spent[i] = UNSURE;
		return;
	}
	if ((expected == NULL) != (reply->kind == WGC_OK) ||
	    (expected != NULL && (code == NULL || strcmp(code, expected) != 0)))
		wgc_case_fails(w->what, "grant %zu %s, %lld ms after it was made%s: "
		               "expected %s, got %s", i + 1, trick_names[how],
		               (long long)(w->now_ms - w->grant[i].now_ms),
		               w->spent[i] == SPENT ? ", spent" : "",
		               expected == NULL ? "an execution" : expected,
		               code == NULL ? "an execution" : code);
	if (!ran)
		return;
	w->spent[i] = SPENT;
	w->handled[w->grant[i].deed == WGC_FAILING]++;
}

static void
set_clock(world *w, int64_t now_ms)
{
	cJSON *args = cJSON_CreateObject();
	w->now_ms = now_ms;
	if (now_ms > w->highest_ms)
		w->highest_ms = now_ms;
	cJSON_AddNumberToObject(args, "now_ms", (double)now_ms);
	wgc_case_ask_now(w->what, "clock.set", args);
}

static void
approve_one(world *w)
{
	static const wgc_deed deeds[] = {
		WGC_GOOD, WGC_GOOD, WGC_GOOD, WGC_FAILING, WGC_BAD_VALUE, WGC_UNREGISTERED
	};
	if (w->n == GRANTS_MAX)
		return;
	wgc_deed deed = deeds[wgc_choose(w->what->choices, 6)];
	/* Grants count whole seconds. */
	int64_t now_ms = w->now_ms / 1000 * 1000;
	if (wgc_approve(w->what, deed, ++w->number, now_ms, &w->grant[w->n]))
		w->n++;
	else
		wgc_approved_clear(&w->grant[w->n]);
}

static void
execute_one(world *w, bool tricky)
{
	wgc_choices *c = w->what->choices;
	if (wgc_case_is_over(w->what))
		return;
	size_t i = wgc_choose(c, (uint32_t)w->n);
	trick how = tricky ? (trick)wgc_choose(c, TRICKS) : NO_TRICK;
	if (how == SWAPPED && w->n < 2)
		how = NO_TRICK;
	const wgc_reply *reply = wgc_case_ask_now(w->what, "grant.execute",
	                                          tricked_args(w, i, how));
	if (!wgc_case_is_over(w->what))
		judge_execution(w, i, how, reply);
}

static void
move_clock(world *w)
{
	static const int64_t moves[] = {
		1, 1000, 59999, 60000, 3600000, -1000, -60000, 90000000, -90000000
	};
	int64_t now = w->now_ms + moves[wgc_choose(w->what->choices, 9)];
	if (now >= WGC_START_MS)
		set_clock(w, now);
}

/* What is over may be forgotten, but not so that the clock brings it back:
 * another claim in between is when a ledger clears up. */
static void
there_and_back(world *w)
{
	static const int64_t moves[] = { 60001, 3600000, 90000000, 200000000 };
	int64_t now = w->now_ms;
	execute_one(w, false);
	set_clock(w, now + moves[wgc_choose(w->what->choices, 4)]);
	approve_one(w);
	execute_one(w, false);
	set_clock(w, now);
	execute_one(w, false);
}

static void
play_model(wgc_case *what)
{
	world *w = wgc_alloc(sizeof(*w));
	*w = (world){ .what = what, .now_ms = WGC_START_MS, .highest_ms = WGC_START_MS };
	if (wgc_grants_setup(what, "memory"))
		approve_one(w);
	for (uint32_t n = wgc_choose_between(what->choices, 1, 14);
	     n > 0 && w->n > 0 && !wgc_case_is_over(what); n--) {
		switch (wgc_choose(what->choices, 7)) {
		case 0: case 1: execute_one(w, false); break;
		case 2: execute_one(w, true); break;
		case 3: move_clock(w); break;
		case 6: there_and_back(w); break;
		default: approve_one(w); break;
		}
	}
	for (int a = 0; a < 2 && !wgc_case_is_over(what); a++) {
		long handled = wgc_handled(what, wgc_deed_actions[a]);
		if (handled != w->handled[a])
			wgc_case_fails(what, "the handler of %s ran %ld times, not %ld",
			               wgc_deed_actions[a], handled, w->handled[a]);
	}
	for (size_t i = 0; i < w->n; i++)
		wgc_approved_clear(&w->grant[i]);
	free(w);
}

static const wgc_method model = { .play = play_model, .share = 15 };

const wgc_property wgc_p_gr3 = {
	.id = "P-GR3", .title = "any sequence of approvals, executions, tampering and clocks, as the model says",
	.rules = (const char *const[]){ "X3.1", "X3.3", "X4.1", "X4.2", "X7.5", NULL },
	.level = "MUST", .claim = "safety", .component = "grant",
	.operations = executing, .method = &model,
};

/* --- P-GR7: tokens --- */

static bool
generate_flip(wgc_case *what)
{
	wgc_case_add_number(what, wgc_choose(what->choices, 5)); /* how */
	wgc_case_add_number(what, wgc_choose(what->choices, 2000)); /* where */
	wgc_case_add_number(what, wgc_choose(what->choices, 63)); /* to what */
	return true;
}

static char *
flipped(const wgc_case *what, const char *token)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	size_t len = strlen(token), at = what->number[1] % len;
	const char *old = strchr(letters, token[at]);
	size_t to = old == NULL ? 0 : ((size_t)(old - letters) + 1 + what->number[2] % 63) % 64;
	switch (what->number[0] % 5) {
	case 4: return wgc_format("%s%c", token, letters[to]);
	case 0: return wgc_format("%.*s%c%s", (int)at, token, letters[to], token + at + 1);
	case 1: return wgc_format("%.*s%s", (int)at, token, token + at + 1);
	case 2: return wgc_format("%.*s%c%s", (int)at, token, letters[to], token + at);
	default: return wgc_format("%.*s", (int)at, token);
	}
}

static cJSON *
verify_args(const wgc_case *what, const wgc_approved *a, const char *token)
{
	cJSON *args = cJSON_CreateObject();
	cJSON_AddStringToObject(args, "binding", wgc_binding(what->subject));
	cJSON_AddStringToObject(args, "envelope", a->envelope);
	cJSON_AddStringToObject(args, "token", token);
	cJSON_AddStringToObject(args, "issuer", "agent-safe-fixture");
	cJSON_AddItemToObject(args, "keys", wgc_keys());
	cJSON_AddNumberToObject(args, "now_ms", (double)WGC_START_MS);
	return args;
}

static bool
ask_verify(wgc_case *what, size_t stage)
{
	wgc_approved a;
	if (stage > 0 || !wgc_approve(what, WGC_GOOD, 1, WGC_START_MS, &a))
		return false;
	char *token = flipped(what, a.token);
	wgc_case_ask(what, "grant.verify", verify_args(what, &a, a.token));
	wgc_case_ask(what, "grant.verify", verify_args(what, &a, token));
	free(token);
	wgc_approved_clear(&a);
	return true;
}

static void
check_verify(wgc_case *what)
{
	static const char *const words[] = {
		"changed", "left out", "put in", "and all after it cut off",
		"in mind, and one behind the last,"
	};
	if (!wgc_case_ok(what, 0))
		return;
	if (what->request[1].reply.kind == WGC_OK)
		wgc_case_fails(what, "a token with character %u %s is still valid",
		               what->number[1], words[what->number[0] % 5]);
}

static const wgc_method flips = {
	.generate = generate_flip, .ask = ask_verify, .check = check_verify,
};

const wgc_property wgc_p_gr7 = {
	.id = "P-GR7", .title = "a token with any character changed, missing or added verifies nothing",
	.rules = (const char *const[]){ "X6.1", "X6.4", NULL },
	.level = "MUST", .claim = "safety", .component = "grant",
	.operations = (const char *const[]){ "grant.verify", NULL },
	.features = needs_jws, .method = &flips,
};
