/* protocol.c - tables of PROTOCOL.md, and what a subject declares. */
#include "protocol.h"
#include "json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wgc_components[] = {
	"sanitize", "fence",   "moderate", "intent",  "grant",
	"webhook",  "rate",    "gateway",  NULL,
};

/* --- Operations --- */

#define QUICK 2000
#define LONG  30000

static const struct {
	const char *name, *component;
	bool pure;
	int wait_ms;
} operations[] = {
	{ "hello", "", false, 10000 },
	{ "configure", "", false, QUICK },
	{ "reset", "", false, QUICK },
	{ "bye", "", false, 5000 },
	{ "sanitize.text", "sanitize", true, QUICK },
	{ "sanitize.json", "sanitize", true, QUICK },
	{ "sanitize.value", "sanitize", true, QUICK },
	{ "fence.neutralize", "fence", true, QUICK },
	{ "fence.inline", "fence", true, QUICK },
	{ "fence.wrap", "fence", true, QUICK },
	{ "fence.needs", "fence", true, QUICK },
	{ "fence.render", "fence", true, QUICK },
	{ "fence.constants", "fence", true, QUICK },
	{ "moderate.text", "moderate", true, QUICK },
	{ "moderate.json", "moderate", true, QUICK },
	{ "moderate.value", "moderate", true, QUICK },
	{ "intent.canonical", "intent", true, QUICK },
	{ "intent.bind", "intent", true, QUICK },
	{ "intent.capture", "intent", true, QUICK },
	{ "intent.open", "intent", true, QUICK },
	{ "grant.verify", "grant", true, QUICK },
	{ "clock.set", "grant", false, QUICK },
	{ "grant.setup", "grant", false, LONG },
	{ "grant.register", "grant", false, QUICK },
	{ "grant.seal", "grant", false, QUICK },
	{ "key.add", "grant", false, QUICK },
	{ "key.revoke", "grant", false, QUICK },
	{ "grant.issue", "grant", false, QUICK },
	{ "grant.execute", "grant", false, QUICK },
	{ "grant.race", "grant", false, LONG },
	{ "handler.count", "grant", false, QUICK },
	{ "ledger.claim", "grant", false, QUICK },
	{ "store.reopen", "grant", false, LONG },
	{ "rate.check", "rate", false, QUICK },
	{ "webhook.verify", "webhook", true, QUICK },
	{ "webhook.receive", "webhook", false, QUICK },
	{ "gateway.check", "gateway", true, QUICK },
	{ "gateway.execute", "gateway", true, QUICK },
};
#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static size_t
find_operation(const char *op)
{
	size_t i = 0;
	while (i < OPERATIONS && strcmp(operations[i].name, op) != 0)
		i++;
	return i;
}

const char *
wgc_operation_component(const char *op)
{
	size_t i = find_operation(op);
	return i < OPERATIONS ? operations[i].component : NULL;
}

bool
wgc_operation_is_pure(const char *op)
{
	size_t i = find_operation(op);
	return i < OPERATIONS && operations[i].pure;
}

int64_t
wgc_operation_wait_ms(const char *op, size_t line_len)
{
	size_t i = find_operation(op);
	int64_t wait = i < OPERATIONS ? operations[i].wait_ms : QUICK;
	return wait + (int64_t)(line_len >> 20) * 1000;
}

/* --- Configuration --- */

const char *const wgc_source_names[WGC_SOURCES] = {
	"chat", "webhook", "form_event", "retrieval", "tool_result",
};

const char *const wgc_choice_names[WGC_CHOICES] = {
	"length_unit", "dropped",      "numbers",     "output_tags",
	"canon",       "intent_input", "intent_unit",
};

#define MAX_OPTIONS 4
static const char *const options[WGC_CHOICES][MAX_OPTIONS] = {
	[WGC_LENGTH_UNIT] = { "codepoint", "utf16", "byte" },
	[WGC_DROPPED] = { "null", "absent" },
	[WGC_NUMBERS] = { "text", "double" },
	[WGC_OUTPUT_TAGS] = { "strip", "keep" },
	[WGC_CANON] = { "rfc8785", "ecma-index-order" },
	[WGC_INTENT_INPUT] = { "strict", "lenient" },
	[WGC_INTENT_UNIT] = { "utf16", "codepoint", "byte" },
};

static const char *const concerns[WGC_CHOICES][4] = {
	[WGC_LENGTH_UNIT] = { "sanitize" },
	[WGC_DROPPED] = { "sanitize" },
	[WGC_NUMBERS] = { "sanitize", "moderate" },
	[WGC_OUTPUT_TAGS] = { "moderate" },
	[WGC_CANON] = { "intent", "grant" },
	[WGC_INTENT_INPUT] = { "intent" },
	[WGC_INTENT_UNIT] = { "intent" },
};

const char *
wgc_choice_option_at(wgc_choice choice, size_t i)
{
	return i < MAX_OPTIONS ? options[choice][i] : NULL;
}

const char *
wgc_choice_option(wgc_choice choice, const char *name)
{
	for (size_t i = 0; wgc_choice_option_at(choice, i) != NULL; i++)
		if (strcmp(options[choice][i], name) == 0)
			return options[choice][i];
	return NULL;
}

bool
wgc_choice_concerns(wgc_choice choice, const char *component)
{
	for (size_t i = 0; concerns[choice][i] != NULL; i++)
		if (strcmp(concerns[choice][i], component) == 0)
			return true;
	return false;
}

wgc_setup
wgc_setup_default(void)
{
	return (wgc_setup){
		.limits = { 4000, 32768, 8192, 4000, 16384 },
		.max_depth = 16,
		.intent = { 20, 5000, 1000, 102400 },
		.webhook = { true, 60, 300, 60, 1048576 },
	};
}

bool
wgc_setup_is(const wgc_setup *setup, wgc_choice choice, const char *option)
{
	return setup->choices[choice] != NULL &&
	       strcmp(setup->choices[choice], option) == 0;
}

bool
wgc_setup_set(wgc_setup *setup, const char *name, int64_t value)
{
	const struct {
		const char *name;
		uint32_t *number;
	} numbers[] = {
		{ "sanitize.limits.chat", &setup->limits[WGC_CHAT] },
		{ "sanitize.limits.webhook", &setup->limits[WGC_WEBHOOK] },
		{ "sanitize.limits.form_event", &setup->limits[WGC_FORM_EVENT] },
		{ "sanitize.limits.retrieval", &setup->limits[WGC_RETRIEVAL] },
		{ "sanitize.limits.tool_result", &setup->limits[WGC_TOOL_RESULT] },
		{ "sanitize.max_depth", &setup->max_depth },
		{ "intent.depth", &setup->intent.depth },
		{ "intent.entries", &setup->intent.entries },
		{ "intent.array", &setup->intent.array },
		{ "intent.bytes", &setup->intent.bytes },
		{ "webhook.ip", &setup->webhook.ip },
		{ "webhook.path", &setup->webhook.path },
		{ "webhook.window_s", &setup->webhook.window_s },
	};
	if (strcmp(name, "webhook.max_body") == 0)
		return setup->webhook.max_body = value, true;
	if (strcmp(name, "webhook.rate_enabled") == 0)
		return setup->webhook.rate_enabled = value != 0, true;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(numbers[i].name, name) == 0 && value > 0 &&
		    value <= 8388608)
			return *numbers[i].number = (uint32_t)value, true;
	return false;
}

static void
add_webhook(cJSON *args, const wgc_setup *setup)
{
	cJSON *webhook = cJSON_AddObjectToObject(args, "webhook");
	cJSON_AddBoolToObject(webhook, "rate_enabled",
	                      setup->webhook.rate_enabled);
	cJSON_AddNumberToObject(webhook, "ip", setup->webhook.ip);
	cJSON_AddNumberToObject(webhook, "path", setup->webhook.path);
	cJSON_AddNumberToObject(webhook, "window_s", setup->webhook.window_s);
	if (setup->webhook.max_body < 0)
		cJSON_AddNullToObject(webhook, "max_body");
	else
		cJSON_AddNumberToObject(webhook, "max_body",
		                        (double)setup->webhook.max_body);
}

static void
add_intent(cJSON *args, const wgc_setup *setup)
{
	cJSON *intent = cJSON_AddObjectToObject(args, "intent");
	cJSON_AddNumberToObject(intent, "depth", setup->intent.depth);
	cJSON_AddNumberToObject(intent, "entries", setup->intent.entries);
	cJSON_AddNumberToObject(intent, "array", setup->intent.array);
	cJSON_AddNumberToObject(intent, "bytes", setup->intent.bytes);
}

cJSON *
wgc_setup_json(const wgc_setup *setup, const cJSON *hello)
{
	cJSON *args = cJSON_CreateObject();
	cJSON_AddStringToObject(args, "profile", setup->profile);
	cJSON *choices = cJSON_AddObjectToObject(args, "choices");
	for (size_t i = 0; i < WGC_CHOICES; i++)
		if (setup->choices[i] != NULL)
			cJSON_AddStringToObject(choices, wgc_choice_names[i],
			                        setup->choices[i]);
	cJSON *sanitize = cJSON_AddObjectToObject(args, "sanitize");
	cJSON *limits = cJSON_AddObjectToObject(sanitize, "limits");
	for (size_t i = 0; i < WGC_SOURCES; i++)
		cJSON_AddNumberToObject(limits, wgc_source_names[i],
		                        setup->limits[i]);
	cJSON_AddNumberToObject(sanitize, "max_depth", setup->max_depth);
	if (wgc_has_component(hello, "intent"))
		add_intent(args, setup);
	if (wgc_has_component(hello, "webhook") ||
	    wgc_has_component(hello, "rate"))
		add_webhook(args, setup);
	return args;
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool
wgc_setup_equal(const wgc_setup *a, const wgc_setup *b)
{
	bool same = same_text(a->profile, b->profile) &&
	            memcmp(a->limits, b->limits, sizeof(a->limits)) == 0 &&
	            a->max_depth == b->max_depth &&
	            memcmp(&a->intent, &b->intent, sizeof(a->intent)) == 0 &&
	            a->webhook.rate_enabled == b->webhook.rate_enabled &&
	            a->webhook.ip == b->webhook.ip &&
	            a->webhook.path == b->webhook.path &&
	            a->webhook.window_s == b->webhook.window_s &&
	            a->webhook.max_body == b->webhook.max_body;
	for (size_t i = 0; same && i < WGC_CHOICES; i++)
		same = same_text(a->choices[i], b->choices[i]);
	return same;
}

/* --- What hello declared --- */

bool
wgc_has_component(const cJSON *hello, const char *name)
{
	return wgc_json_lists(wgc_json_get(hello, "components"), name);
}

bool
wgc_has_operation(const cJSON *hello, const char *name)
{
	return wgc_json_lists(wgc_json_get(hello, "operations"), name);
}

bool
wgc_has_feature(const cJSON *hello, const char *name)
{
	return wgc_json_lists(wgc_json_get(hello, "features"), name);
}

bool
wgc_has_profile(const cJSON *hello, const char *name)
{
	return wgc_json_lists(wgc_json_get(hello, "profiles"), name);
}

bool
wgc_is_fixed(const cJSON *hello, const char *name)
{
	return wgc_json_lists(wgc_json_get(hello, "fixed"), name);
}

/* --- Replies, events, outcomes --- */

static const char *const kind_names[] = {
	[WGC_NONE] = "none",   [WGC_OK] = "ok",         [WGC_ERR] = "err",
	[WGC_SKIP] = "skip",   [WGC_CRASH] = "crash",   [WGC_HANG] = "hang",
	[WGC_PROTOCOL] = "protocol",
};

const char *
wgc_kind_name(wgc_kind kind)
{
	return kind_names[kind];
}

void
wgc_reply_clear(wgc_reply *reply)
{
	cJSON_Delete(reply->body);
	*reply = (wgc_reply){ WGC_NONE, NULL };
}

cJSON *
wgc_reply_json(const wgc_reply *reply)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *body = reply->body == NULL ? cJSON_CreateObject()
	                                  : cJSON_Duplicate(reply->body, true);
	cJSON_AddItemToObject(json, wgc_kind_name(reply->kind), body);
	return json;
}

void
wgc_event_clear(wgc_event *event)
{
	wgc_reply_clear(&event->reply);
	cJSON_Delete(event->args);
	*event = (wgc_event){ 0 };
}

wgc_reply
wgc_ask(wgc_subject *subject, const char *op, cJSON *args)
{
	wgc_reply reply = { WGC_NONE, NULL };
	subject->ask(subject, 1, &op, &args, &reply);
	return reply;
}

const char *
wgc_verdict_name(wgc_verdict verdict)
{
	static const char *const names[] = {
		[WGC_UNPROVEN] = "UNPROVEN", [WGC_PASS] = "PASS",
		[WGC_FAIL] = "FAIL", [WGC_SKIPPED] = "SKIPPED",
	};
	return names[verdict];
}

void
wgc_outcome_clear(wgc_outcome *outcome)
{
	free(outcome->detail);
	free(outcome->token);
	cJSON_Delete(outcome->request);
	cJSON_Delete(outcome->reply);
	cJSON_Delete(outcome->expected);
	cJSON_Delete(outcome->timeline);
	*outcome = (wgc_outcome){ 0 };
}

void
wgc_outcome_say(wgc_outcome *outcome, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	char *text = wgc_alloc(len < 0 ? 1 : (size_t)len + 1);
	if (len >= 0)
		vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	free(outcome->detail);
	outcome->detail = text;
}
