/* schedule.c - a store in the runner's hands. */
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 30000 /* for what has to come */
#define QUIET_MS    250   /* an executor that lets in one at a time */
#define KEYS        256

typedef struct pending {
	uint64_t call;
	size_t execution;
	char op[16], *key;
} pending;

typedef struct game {
	wgc_case *what;
	wgc_schedule *schedule;
	pending waiting[WGC_CALLS_MAX], late[WGC_CALLS_MAX];
	size_t waiting_count, late_count, silent; /* silent: never answered */
	char *keys[KEYS]; /* claimed or put */
	size_t key_count;
	bool faults, serial;
	long step;
} game;

/* --- The store --- */

static bool
is_present(const game *g, const char *key)
{
	for (size_t i = 0; i < g->key_count; i++)
		if (strcmp(g->keys[i], key) == 0)
			return true;
	return false;
}

static void
remember(game *g, const char *key)
{
	if (!is_present(g, key) && g->key_count < KEYS)
		g->keys[g->key_count++] = wgc_copy(key);
}

/* Do what a call asks for; the `ok` that answers it. */
static cJSON *
done(game *g, const pending *p, bool *won)
{
	cJSON *ok = cJSON_CreateObject();
	*won = !is_present(g, p->key);
	if (strcmp(p->op, "store.get") == 0) {
		cJSON_AddBoolToObject(ok, "present", !*won);
		*won = false;
		return ok;
	}
	remember(g, p->key);
	if (strcmp(p->op, "store.claim") == 0)
		cJSON_AddBoolToObject(ok, "claimed", *won);
	return ok;
}

static cJSON *
store_down(void)
{
	cJSON *err = cJSON_CreateObject();
	cJSON_AddStringToObject(err, "code", "STORE_DOWN");
	return err;
}

/* --- The timeline, for the report --- */

static void
note(game *g, size_t execution, const char *op, const char *how, bool won)
{
	wgc_case *what = g->what;
	if (what->timeline == NULL)
		what->timeline = cJSON_CreateArray();
	cJSON *entry = cJSON_CreateObject();
	char *lane = wgc_format("call %zu", execution + 1);
	char *words = wgc_format("%s%s%s", op, how[0] == '\0' ? "" : ": ", how);
	cJSON_AddStringToObject(entry, "lane", lane);
	cJSON_AddStringToObject(entry, "what", words);
	cJSON_AddNumberToObject(entry, "t0", (double)g->step);
	cJSON_AddNumberToObject(entry, "t1", (double)++g->step);
	cJSON_AddBoolToObject(entry, "won", won);
	cJSON_AddItemToArray(what->timeline, entry);
	free(lane);
	free(words);
}

/* --- Events --- */

static size_t
execution_of(const game *g, uint64_t handle)
{
	size_t i = 0;
	while (i < g->schedule->n && g->schedule->at[i].handle != handle)
		i++;
	return i;
}

/* By execution, so that the same choices mean the same order whatever the
 * threads of the subject did. */
static void
take_call(game *g, wgc_event *event)
{
	pending p = { .call = event->call, .execution = execution_of(g, event->request) };
	const char *key = wgc_json_string(event->args, "key");
	size_t at = g->waiting_count;
	if (key == NULL || p.execution == g->schedule->n || at == WGC_CALLS_MAX) {
		wgc_case_fails(g->what, "a call of the store for no execution, or without a key");
		return;
	}
	memcpy(p.op, event->op, sizeof(p.op));
	p.key = wgc_copy(key);
	for (; at > 0 && g->waiting[at - 1].execution > p.execution; at--)
		g->waiting[at] = g->waiting[at - 1];
	g->waiting[at] = p;
	g->waiting_count++;
}

static void
take_reply(game *g, wgc_event *event)
{
	size_t i = execution_of(g, event->request);
	if (i == g->schedule->n)
		return;
	wgc_execution *e = &g->schedule->at[i];
	e->replied = true;
	e->executed = event->reply.kind == WGC_OK;
	g->what->request[e->request].reply = event->reply;
	event->reply = (wgc_reply){ WGC_NONE, NULL };
	note(g, i, e->executed ? "executed" : "refused", "", e->executed);
}

static void
take_death(game *g, const wgc_event *event)
{
	const char *why = wgc_json_string(event->reply.body, "why");
	wgc_case_fails(g->what, "while the store was played: %s: %s",
	               wgc_kind_name(event->reply.kind), why == NULL ? "" : why);
	g->what->kind = event->reply.kind;
}

/* False: nothing came in time. */
static bool
take_event(game *g, int wait_ms)
{
	wgc_subject *subject = g->what->subject;
	wgc_event event = subject->poll(subject, wait_ms);
	bool came = event.kind != WGC_EVENT_NONE;
	if (event.kind == WGC_EVENT_CALL)
		take_call(g, &event);
	else if (event.kind == WGC_EVENT_REPLY)
		take_reply(g, &event);
	else if (event.kind == WGC_EVENT_DEAD)
		take_death(g, &event);
	wgc_event_clear(&event);
	return came;
}

static size_t
open_executions(const game *g)
{
	size_t open = 0;
	for (size_t i = 0; i < g->schedule->n; i++)
		open += !g->schedule->at[i].replied;
	return open;
}

/* Until all that are open wait for the store (or for nothing any more). */
static void
settle(game *g)
{
	while (!wgc_case_is_over(g->what)) {
		size_t open = open_executions(g);
		size_t held = g->waiting_count + g->late_count + g->silent;
		if (open <= held && (open == 0 || g->waiting_count > 0))
			return;
		bool enough = g->waiting_count > 0;
		int wait = !enough ? PATIENCE_MS : g->serial ? 5 : QUIET_MS;
		if (take_event(g, wait))
			continue;
		if (!enough) {
			wgc_case_fails(g->what, "an execution neither asks the store nor answers");
			g->what->kind = WGC_HANG;
			return;
		}
		g->serial = true; /* others wait for the one that waits for us */
		return;
	}
}

/* --- Answering --- */

static wgc_fault
fault_for(game *g)
{
	/* Silence costs a second: not often. */
	static const wgc_fault usual[] = { WGC_ANSWERED, WGC_DOWN, WGC_LOST };
	if (!g->faults)
		return WGC_ANSWERED;
	if (wgc_choose_rarely(g->what->choices, 24))
		return wgc_choose(g->what->choices, 2) == 0 ? WGC_WITHHELD : WGC_LATE;
	return usual[wgc_choose(g->what->choices, 3)];
}

static const char *const fault_names[WGC_FAULTS] = {
	"", "down", "answer lost", "no answer", "answer late"
};

static void
answer(game *g, pending p)
{
	wgc_subject *subject = g->what->subject;
	wgc_execution *e = &g->schedule->at[p.execution];
	wgc_fault fault = fault_for(g);
	bool won = false;
	cJSON *ok = fault == WGC_DOWN ? NULL : done(g, &p, &won);
	e->faulty |= fault != WGC_ANSWERED;
	e->won |= fault == WGC_ANSWERED && won;
	note(g, p.execution, p.op, fault_names[fault], won);
	if (fault == WGC_ANSWERED) {
		subject->answer(subject, p.call, ok, NULL);
	} else if (fault == WGC_DOWN || fault == WGC_LOST) {
		subject->answer(subject, p.call, NULL, store_down());
		cJSON_Delete(ok);
	} else {
		cJSON_Delete(ok);
		g->silent += fault == WGC_WITHHELD;
		if (fault == WGC_LATE)
			g->late[g->late_count++] = p;
	}
	if (fault != WGC_LATE)
		free(p.key);
}

static void
answer_one(game *g)
{
	size_t i = wgc_choose(g->what->choices, (uint32_t)g->waiting_count);
	pending p = g->waiting[i];
	g->waiting_count--;
	memmove(&g->waiting[i], &g->waiting[i + 1],
	        (g->waiting_count - i) * sizeof(p));
	answer(g, p);
}

/* What was withheld runs into the subject's own timeout; then the late answers
 * come after all. */
static void
wait_for_silence(game *g)
{
	while (open_executions(g) > 0 && !wgc_case_is_over(g->what))
		if (!take_event(g, PATIENCE_MS))
			wgc_case_fails(g->what, "the store did not answer, and "
			                        "neither did the execution");
	for (size_t i = 0; i < g->late_count; i++) {
		cJSON *ok = cJSON_CreateObject();
		if (strcmp(g->late[i].op, "store.claim") == 0)
			cJSON_AddBoolToObject(ok, "claimed", true);
		else if (strcmp(g->late[i].op, "store.get") == 0)
			cJSON_AddBoolToObject(ok, "present", false);
		g->what->subject->answer(g->what->subject, g->late[i].call, ok, NULL);
	}
}

static bool
send_all(game *g, const wgc_approved *approved, size_t n)
{
	wgc_subject *subject = g->what->subject;
	for (size_t i = 0; i < n; i++) {
		cJSON *args = wgc_execute_args(approved->envelope, approved->decision);
		cJSON *kept = g->what->keep ? cJSON_Duplicate(args, true) : NULL;
		wgc_execution *e = &g->schedule->at[g->schedule->n++];
		e->request = wgc_case_ask(g->what, "grant.execute", kept);
		e->handle = subject->send(subject, "grant.execute", args);
		if (e->handle == 0) {
			wgc_case_fails(g->what, "could not be sent: %s",
			               subject->why == NULL ? "" : subject->why);
			return false;
		}
	}
	return true;
}

void
wgc_schedule_play(wgc_case *what, const wgc_approved *approved, size_t n,
                  bool faults, wgc_schedule *schedule)
{
	game *g = wgc_alloc(sizeof(*g));
	memset(schedule, 0, sizeof(*schedule));
	*g = (game){ .what = what, .schedule = schedule, .faults = faults };
	if (send_all(g, approved, n))
		for (settle(g); g->waiting_count > 0 && !wgc_case_is_over(what);
		     settle(g))
			answer_one(g);
	wait_for_silence(g);
	for (size_t i = 0; i < g->waiting_count; i++)
		free(g->waiting[i].key);
	for (size_t i = 0; i < g->late_count; i++)
		free(g->late[i].key);
	for (size_t i = 0; i < g->key_count; i++)
		free(g->keys[i]);
	free(g);
}
