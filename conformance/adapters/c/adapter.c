/* adapter.c - wicketgate-adapter: libwicketgate behind the protocol wgcp/1.
 *
 * The main thread reads. It answers everything itself, except what may have to
 * wait for the runner, who plays the store: that runs in threads of its own. */
#define _POSIX_C_SOURCE 200809L
#include "adapter.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

wga_setup wga_current;

/* --- hello --- */

static const struct {
	const char *name;
	wga_operation *run;
	bool waits; /* may wait for the store */
} operations[] = {
	{ "sanitize.text", wga_sanitize_text, false },
	{ "sanitize.json", wga_sanitize_json, false },
	{ "fence.neutralize", wga_fence_neutralize, false },
	{ "fence.inline", wga_fence_inline, false },
	{ "fence.wrap", wga_fence_wrap, false },
	{ "fence.needs", wga_fence_needs, false },
	{ "fence.render", wga_fence_render, false },
	{ "fence.constants", wga_fence_constants, false },
	{ "moderate.text", wga_moderate_text, false },
	{ "moderate.json", wga_moderate_json, false },
	{ "intent.canonical", wga_intent_canonical, false },
	{ "intent.bind", wga_intent_bind, false },
	{ "intent.capture", wga_intent_capture, false },
	{ "intent.open", wga_intent_open, false },
	{ "grant.verify", wga_grant_verify, false },
	{ "clock.set", wga_clock_set, false },
	{ "grant.setup", wga_grant_setup, false },
	{ "grant.register", wga_grant_register, false },
	{ "grant.seal", wga_grant_seal, false },
	{ "key.add", wga_key_add, false },
	{ "key.revoke", wga_key_revoke, false },
	{ "grant.issue", wga_grant_issue, false },
	{ "grant.execute", wga_grant_execute, true },
	{ "grant.race", wga_grant_race, true },
	{ "handler.count", wga_handler_count, false },
	{ "ledger.claim", wga_ledger_claim, true },
#ifdef WKG_WITH_SQLITE
	{ "store.reopen", wga_store_reopen, false },
#endif
};

enum { OPERATIONS = sizeof operations / sizeof operations[0] };

#ifdef WKG_WITH_SQLITE
#define REOPENS ",\"store.reopen\""
#else
#define REOPENS ""
#endif

static const char *
hello(wga_ask *ask)
{
	const wga_node *protocols = wga_need(ask, ask->args, "protocols");
	bool known = false;
	for (const wga_node *p = protocols == NULL ? NULL : protocols->child; p != NULL; p = p->next)
		known |= p->kind == WKG_JSON_STRING && wga_same(wga_text(ask, p), "wgcp/1");
	if (!known)
		return "UNSUPPORTED_PROTOCOL";
	wga_raw(ask, "\"protocol\":\"wgcp/1\",\"implementation\":{\"name\":\"wicketgate\",\"language\":\"c\",");
	wga_raw(ask, "\"source\":\"conformance/adapters/c\",\"version\":\"");
	wga_raw(ask, wkg_version());
	wga_raw(ask, "\"},\"components\":[\"sanitize\",\"fence\",\"moderate\",\"intent\",\"grant\"],");
	wga_raw(ask, "\"profiles\":[\"reference\",\"hardened\"],\"choices\":{");
	wga_raw(ask, "\"length_unit\":[\"codepoint\",\"utf16\",\"byte\"],\"output_tags\":[\"strip\"],");
	wga_raw(ask, "\"canon\":[\"rfc8785\"],\"intent_input\":[\"strict\"],\"intent_unit\":[\"utf16\"]},");
	wga_raw(ask, "\"features\":[\"text.bytes\",\"counts\",\"paths\",\"patterns\",\"binding.a\",\"binding.b\",");
	wga_raw(ask, "\"grant.jws\",\"stages\",\"store.claim\",\"threads\",\"envelope.mutate\",\"verifier.patch\"");
	wga_raw(ask, REOPENS "],\"fixed\":[],\"max_line\":8388608,\"max_inflight\":64,\"slow_factor\":1,");
	wga_raw(ask, "\"operations\":[");
	for (size_t i = 0; i < OPERATIONS; i++) {
		wga_put_element(ask);
		wga_value_text(ask, (wkg_span){ (const uint8_t *)operations[i].name, strlen(operations[i].name) });
	}
	wga_raw(ask, "]");
	return NULL;
}

/* --- configure --- */

static void
warn(void *ctx, const wkg_moderate_report *report)
{
	(void)ctx, (void)report; /* the reply says it */
}

static void
forget_moderator(void)
{
	wkg_moderator_scratch_free(wga_current.scratch);
	wkg_moderator_free(wga_current.moderator);
	wga_current.scratch = NULL;
	wga_current.moderator = NULL;
}

static wkg_status
make_moderator(void)
{
	forget_moderator();
	wkg_warning_sink sink = { warn, NULL };
	wkg_status status = wkg_moderator_new(&wga_current.moderator, wga_current.profile, sink, NULL);
	return status != WKG_OK ? status : wkg_moderator_scratch_new(&wga_current.scratch, wga_current.moderator);
}

/* A choice that is declared has one of the options declared for it. */
static bool
chooses(wga_ask *ask, const wga_node *choices, const char *name, const char *option)
{
	const wga_node *chosen = wga_member(ask, choices, name);
	return chosen == NULL || wga_same(wga_text(ask, chosen), option);
}

static wkg_unit
unit_of(wga_ask *ask, const wga_node *choices)
{
	return chooses(ask, choices, "length_unit", "codepoint") ? WKG_UNIT_CODEPOINT :
	       chooses(ask, choices, "length_unit", "utf16")     ? WKG_UNIT_UTF16 :
	       chooses(ask, choices, "length_unit", "byte")      ? WKG_UNIT_BYTE : WKG_UNIT_INVALID;
}

static size_t
size_of(wga_ask *ask, const wga_node *object, const char *name)
{
	return (size_t)wga_integer(ask, wga_need(ask, object, name));
}

static wkg_sanitize_config
sanitize_config(wga_ask *ask, const wga_node *choices)
{
	const wga_node *sanitize = wga_need(ask, ask->args, "sanitize");
	const wga_node *limits = wga_need(ask, sanitize, "limits");
	return (wkg_sanitize_config){
		.profile = wga_current.profile,
		.unit = unit_of(ask, choices),
		.limits = { size_of(ask, limits, "chat"), size_of(ask, limits, "webhook"),
		            size_of(ask, limits, "form_event"), size_of(ask, limits, "retrieval"),
		            size_of(ask, limits, "tool_result") },
		.max_depth = (uint32_t)size_of(ask, sanitize, "max_depth"),
	};
}

static wkg_intent_limits
intent_limits(wga_ask *ask)
{
	const wga_node *limits = wga_member(ask, ask->args, "intent");
	if (limits == NULL)
		return wkg_intent_limits_default();
	return (wkg_intent_limits){ size_of(ask, limits, "depth"), size_of(ask, limits, "entries"),
		                    size_of(ask, limits, "array"), size_of(ask, limits, "bytes") };
}

static wkg_profile
profile_of(wga_ask *ask)
{
	wkg_span name = wga_text_of(ask, ask->args, "profile");
	return wga_same(name, "reference") ? WKG_PROFILE_REFERENCE :
	       wga_same(name, "hardened")  ? WKG_PROFILE_HARDENED : WKG_PROFILE_INVALID;
}

static const char *
configure(wga_ask *ask)
{
	const wga_node *choices = wga_need(ask, ask->args, "choices");
	wga_current.profile = profile_of(ask);
	wga_current.sanitize = sanitize_config(ask, choices);
	wga_current.intent = intent_limits(ask);
	if (ask->bad)
		return "BAD_ARGUMENT";
	bool possible = chooses(ask, choices, "output_tags", "strip") &&
	                chooses(ask, choices, "canon", "rfc8785") &&
	                chooses(ask, choices, "intent_input", "strict") &&
	                chooses(ask, choices, "intent_unit", "utf16");
	if (!possible || wkg_sanitize_config_check(&wga_current.sanitize) != WKG_OK)
		return "UNSUPPORTED_CONFIG";
	wkg_status status = make_moderator();
	return status == WKG_OK ? NULL : wga_internal(ask, "wkg_moderator_new", status);
}

static const char *
reset(wga_ask *ask)
{
	(void)ask;
	wga_gate_reset();
	return NULL;
}

static const char *
bye(wga_ask *ask)
{
	(void)ask;
	wga_gate_reset();
	forget_moderator();
	return NULL;
}

/* --- the conversation --- */

static void
finish(wga_ask *ask, const char *code)
{
	wga_reply(ask, ask->bad ? "BAD_ARGUMENT" : code);
	wga_drop(&ask->arena);
	free(ask);
}

typedef struct errand {
	wga_ask *ask;
	wga_operation *run;
} errand;

static pthread_mutex_t errands_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t errands_over = PTHREAD_COND_INITIALIZER;
static unsigned errands;

static void
count_errands(int change)
{
	pthread_mutex_lock(&errands_lock);
	errands += (unsigned)change;
	pthread_cond_signal(&errands_over);
	pthread_mutex_unlock(&errands_lock);
}

/* The runner asks for nothing else before it has all their replies; but a
 * thread that has just replied may not be quite done. */
static void
wait_for_errands(void)
{
	pthread_mutex_lock(&errands_lock);
	while (errands > 0)
		pthread_cond_wait(&errands_over, &errands_lock);
	pthread_mutex_unlock(&errands_lock);
}

static void *
run_errand(void *argument)
{
	errand e = *(errand *)argument;
	free(argument);
	finish(e.ask, e.run(e.ask));
	count_errands(-1);
	return NULL;
}

/* In a thread, so that this one can go on reading. */
static void
send_out(wga_ask *ask, wga_operation *run)
{
	pthread_t thread;
	errand *e = malloc(sizeof *e);
	if (e == NULL)
		abort();
	*e = (errand){ ask, run };
	count_errands(1);
	if (pthread_create(&thread, NULL, run_errand, e) != 0)
		abort();
	pthread_detach(thread);
}

static void
dispatch(wga_ask *ask, wkg_span op)
{
	for (size_t i = 0; i < OPERATIONS; i++) {
		if (!wga_same(op, operations[i].name))
			continue;
		if (operations[i].waits && wga_gate_calls_back()) {
			send_out(ask, operations[i].run);
			return;
		}
		wait_for_errands();
		finish(ask, operations[i].run(ask));
		return;
	}
	wait_for_errands();
	finish(ask, wga_same(op, "hello")     ? hello(ask) :
	            wga_same(op, "configure") ? configure(ask) :
	            wga_same(op, "reset")     ? reset(ask) :
	            wga_same(op, "bye")       ? bye(ask) : "UNSUPPORTED_OPERATION");
}

/* False after `bye`, and after a line that is not of this protocol. */
static bool
take_line(wkg_span line)
{
	wga_ask *ask = calloc(1, sizeof *ask);
	if (ask == NULL)
		abort();
	if (!wga_read(ask, line)) {
		fprintf(stderr, "not a line of wgcp/1\n");
		exit(1);
	}
	if (wga_member(ask, ask->root, "reply") != NULL) {
		wga_gate_answered(ask);
		wga_drop(&ask->arena);
		free(ask);
		return true;
	}
	ask->id = wga_text_of(ask, ask->root, "id");
	ask->args = wga_need(ask, ask->root, "args");
	wkg_span op = wga_text_of(ask, ask->root, "op");
	bool last = wga_same(op, "bye");
	dispatch(ask, op);
	return !last;
}

int
main(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	while ((n = getline(&line, &room, stdin)) > 0)
		if (!take_line((wkg_span){ (const uint8_t *)line, (size_t)n }))
			break;
	wait_for_errands();
	free(line);
	wga_gate_reset();
	forget_moderator();
	return 0;
}
