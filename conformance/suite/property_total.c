/* property_total.c - whatever an operation is asked, it answers, and in time.
 *
 * The same for each component: P-TOT1 to 4 want an answer or a refusal, P-TIM1
 * to 4 compare what 100 kB and 1 MB of the same take. */
#include "compare.h"
#include "generate_json.h"
#include "generate_text.h"
#include "generate_tree.h"
#include "oracle_text.h"
#include "properties.h"
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

typedef enum form { AS_TEXT, AS_JSON, AS_VALUE } form;

typedef struct operation {
	const char *name, *component;
	form form;
	bool hardened; /* only there */
	cJSON *(*args)(const wgc_case *what, cJSON *subject /* taken */);
} operation;

/* --- Arguments around a text, a document or a value --- */

static cJSON *
with(cJSON *args, const char *name, cJSON *value)
{
	cJSON_AddItemToObject(args, name, value);
	return args;
}

static cJSON *
only(const char *name, cJSON *value)
{
	return with(cJSON_CreateObject(), name, value);
}

static cJSON *
words(const char *text)
{
	return cJSON_CreateString(text);
}

static cJSON *
s_args(const wgc_case *what, cJSON *s)
{
	(void)what;
	return only("s", s);
}

static cJSON *
json_args(const wgc_case *what, cJSON *json)
{
	(void)what;
	return only("json", json);
}

static cJSON *
v_args(const wgc_case *what, cJSON *v)
{
	(void)what;
	return only("v", v);
}

static cJSON *
chat_s_args(const wgc_case *what, cJSON *s)
{
	return with(s_args(what, s), "source", words("chat"));
}

static cJSON *
webhook_json_args(const wgc_case *what, cJSON *json)
{
	return with(json_args(what, json), "source", words("webhook"));
}

static cJSON *
tool_v_args(const wgc_case *what, cJSON *v)
{
	return with(v_args(what, v), "source", words("tool_result"));
}

static cJSON *
wrap_args(const wgc_case *what, cJSON *data)
{
	cJSON *label = cJSON_Duplicate(data, true);
	(void)what;
	return with(only("data", data), "label", label);
}

static cJSON *
template_args(const wgc_case *what, cJSON *template)
{
	(void)what;
	return with(with(only("template", template), "state", words("{\"a\":\"<<\"}")), "mode",
	            words("data"));
}

static cJSON *
state_args(const wgc_case *what, cJSON *state)
{
	(void)what;
	return with(with(only("state", state), "template", words("{{$}}")), "mode", words("data"));
}

static cJSON *
binding_of(const wgc_case *what)
{
	return words(wgc_has_feature(what->subject->hello, "binding.a") ? "a" : "b");
}

static cJSON *
bind_args(const wgc_case *what, cJSON *json)
{
	return with(json_args(what, json), "binding", binding_of(what));
}

static cJSON *
open_args(const wgc_case *what, cJSON *envelope)
{
	return with(only("envelope", envelope), "binding", binding_of(what));
}

static cJSON *
capture_args(const wgc_case *what, cJSON *proposal)
{
	cJSON *context = cJSON_Duplicate(proposal, true), *args = only("proposal", proposal);
	with(with(args, "context", context), "binding", binding_of(what));
	with(args, "intent_id", words("8b6f1b0e-2f6a-4c55-9d3e-3c1f6f0f7a11"));
	with(args, "now_ms", cJSON_CreateNumber(1800000000000.0));
	return with(args, "ttl_ms", cJSON_CreateNumber(60000));
}

static const operation operations[] = {
	{ "sanitize.text", "sanitize", AS_TEXT, false, chat_s_args },
	{ "sanitize.json", "sanitize", AS_JSON, false, webhook_json_args },
	{ "sanitize.value", "sanitize", AS_VALUE, false, tool_v_args },
	{ "fence.neutralize", "fence", AS_TEXT, false, s_args },
	{ "fence.inline", "fence", AS_TEXT, true, s_args },
	{ "fence.wrap", "fence", AS_TEXT, false, wrap_args },
	{ "fence.needs", "fence", AS_TEXT, false, s_args },
	{ "fence.render", "fence", AS_TEXT, false, template_args },
	{ "fence.render", "fence", AS_JSON, false, state_args },
	{ "moderate.text", "moderate", AS_TEXT, false, s_args },
	{ "moderate.json", "moderate", AS_JSON, false, json_args },
	{ "moderate.value", "moderate", AS_VALUE, false, v_args },
	{ "intent.canonical", "intent", AS_JSON, false, json_args },
	{ "intent.bind", "intent", AS_JSON, false, bind_args },
	{ "intent.open", "intent", AS_JSON, false, open_args },
	{ "intent.capture", "intent", AS_JSON, false, capture_args },
};
#define OPERATIONS (sizeof(operations) / sizeof(*operations))

/* The n-th, counted around, that can be asked; NULL if there is none. */
static const operation *
operation_at(const wgc_case *what, const char *component, size_t n)
{
	const operation *usable[OPERATIONS];
	size_t count = 0;
	for (size_t i = 0; i < OPERATIONS; i++)
		if (strcmp(operations[i].component, component) == 0 &&
		    wgc_has_operation(what->subject->hello, operations[i].name) &&
		    (!operations[i].hardened || wgc_is_hardened(what)))
			usable[count++] = &operations[i];
	return count == 0 ? NULL : usable[n % count];
}

/* --- P-TOT: anything --- */

static wgc_text
run_of(wgc_choices *c, const uint32_t *letters, uint32_t count)
{
	static const uint32_t lengths[] = { 20, 100, 5000, 100000 };
	wgc_text out = { .form = WGC_SCALARS };
	uint32_t letter = letters[wgc_choose(c, count)];
	for (uint32_t n = lengths[wgc_choose(c, 4)]; n > 0; n--)
		wgc_push(&out, letter);
	return out;
}

/* Something that may have been JSON once. */
static wgc_text
generate_damaged(wgc_case *what)
{
	static const uint32_t marks[] = { '[', '{', '"', '\\', '0', 0xFEFF, ',', ']' };
	wgc_choices *c = what->choices;
	wgc_text text = wgc_generate_json(c), out = { .form = WGC_SCALARS };
	size_t at = wgc_choose(c, (uint32_t)text.len + 1);
	uint32_t how = wgc_choose(c, 4); /* 0: not at all */
	for (size_t i = 0; i <= text.len; i++) {
		if (i == at && how == 1)
			wgc_push(&out, marks[wgc_choose(c, 8)]);
		if (i < text.len && !(i == at && how == 2))
			wgc_push(&out, text.at[i]);
	}
	wgc_text_clear(&text);
	if (how != 3)
		return out;
	wgc_text_clear(&out);
	return run_of(c, marks, 6);
}

static wgc_text
generate_any_text(wgc_case *what)
{
	static const uint32_t letters[] = { 'a', '<', 0x200B, 0x1F1E6, '{', 0x300, '\r', 0xE0041 };
	switch (wgc_choose(what->choices, 5)) {
	case 0: return wgc_generate_hostile(what, 12);
	case 1: return wgc_generate_padded(what, 2000);
	case 2: return wgc_generate_context(what);
	case 3: return generate_damaged(what);
	default: return run_of(what->choices, letters, 8);
	}
}

static wgc_text
generate_any(wgc_case *what, form of)
{
	wgc_tree_kind kind = { .depth = 16, .limit = 100 };
	if (of == AS_VALUE)
		return wgc_generate_tree(what, kind);
	return of == AS_JSON && wgc_choose(what->choices, 4) < 3 ? generate_damaged(what)
	                                                          : generate_any_text(what);
}

static bool
generate_for(wgc_case *what, const char *component)
{
	static const uint32_t nests[] = { 0, 0, 0, 0, 1, 17, 1000, 1001, 99000, 99001 };
	wgc_case_add_number(what, wgc_choose(what->choices, 12));
	wgc_case_add_number(what, nests[wgc_choose(what->choices, 10)]);
	const operation *op = operation_at(what, component, what->number[0]);
	if (op == NULL)
		return false;
	wgc_text text = generate_any(what, op->form);
	wgc_case_add_text(what, op->form == AS_VALUE ? text : wgc_generate_ill_formed(what, text));
	return true;
}

/* In as many arrays as the second number says. */
static cJSON *
nested_value(const wgc_case *what)
{
	wgc_node *root = wgc_tree_read(&what->text[0], NULL, what->subject->setup->max_depth);
	cJSON *v = wgc_tree_value(root, false, false);
	wgc_tree_clear(root);
	if (what->number[1] == 0)
		return v;
	cJSON *nest = only("t", words("nest"));
	with(nest, "n", cJSON_CreateNumber(what->number[1]));
	return with(with(nest, "k", words(what->number[1] % 2 == 0 ? "obj" : "arr")), "v", v);
}

static bool
ask_for(wgc_case *what, size_t stage, const char *component)
{
	const operation *op = operation_at(what, component, what->number[0]);
	if (stage == 0)
		wgc_case_ask(what, op->name,
		             op->args(what, op->form == AS_VALUE ? nested_value(what)
		                                                : wgc_wire(&what->text[0])));
	return stage == 0;
}

static void
check_answered(wgc_case *what)
{
	const wgc_request *r = &what->request[0];
	const char *code = wgc_json_string(r->reply.body, "code");
	if (r->reply.kind == WGC_ERR && (code == NULL || wgc_is_no_refusal(code)))
		wgc_case_fails(what, "%s neither answers nor refuses: %s", r->op,
		               code == NULL ? "no code" : code);
}

/* --- P-TIM: ten times as much --- */

#define SMALL_BYTES 100000
#define LARGE       10
#define MOST_TIMES  40
#define FLOOR_S     0.05 /* what is faster is as good as this: a busy machine is not a slow loop */
#define TRIES       4     /* the best of so many, each */

/* What somebody's loop runs over again and again. */
static const char *const units[] = {
	"a", "<", "<\\u200b", "\\u200b", "<a>", "ignore ", "\\u5ffd\\u7565", "you are now ",
	"from now on, ", "\\u7cfb\\u7edf", "[INST", "xpydat", "x_", "<|", "\\ud83c\\udde6",
	"\\u4e08\\udb40\\udd00", "a\\u034f\\u0300", "\\ud83c\\udff4\\udb40\\udc67", "\\r", "1\\u00ad",
	" ", "{{$", "\\u0300", "do not ",
};
#define UNITS (sizeof(units) / sizeof(*units))

static size_t
bytes_of(const cJSON *unit)
{
	wgc_text text;
	size_t n = wgc_text_read(unit, &text, NULL) ? wgc_text_length(&text, "byte") : 1;
	wgc_text_clear(&text);
	return n == 0 ? 1 : n;
}

static cJSON *
repeated(const char *escaped, size_t bytes)
{
	const char *why = "";
	char *quoted = wgc_format("\"%s\"", escaped);
	cJSON *unit = wgc_json_read(quoted, strlen(quoted), &why), *pair = cJSON_CreateArray();
	size_t n = bytes / bytes_of(unit);
	free(quoted);
	cJSON_AddItemToArray(pair, unit);
	cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)n));
	return only("$rep", pair);
}

static cJSON *
three(cJSON *a, cJSON *b, cJSON *c)
{
	cJSON *list = cJSON_CreateArray();
	cJSON_AddItemToArray(list, a);
	cJSON_AddItemToArray(list, b);
	cJSON_AddItemToArray(list, c);
	return only("$cat", list);
}

/* Names that are all different: who looks through all for each is slow. */
static cJSON *
members(size_t bytes)
{
	wgc_string out = { 0 };
	for (unsigned i = 0; out.len + 20 < bytes; i++)
		wgc_putf(&out, "%c\"n%u\":%u", i == 0 ? '{' : ',', i * 7919u % 1000003u, i);
	wgc_put(&out, "}");
	cJSON *json = words(out.ptr);
	free(out.ptr);
	return json;
}

#define SHAPES 5

static cJSON *
document(uint32_t shape, const char *unit, size_t bytes)
{
	switch (shape) {
	case 0: return three(words("\""), repeated(strchr(unit, '\\') == NULL ||
	                     unit[1] == 'u' ? unit : "a", bytes), words("\""));
	case 1: return three(words("["), repeated("\\\"<<\\\",", bytes), words("1]"));
	case 2: return members(bytes);
	case 3: return three(repeated("[", bytes / 2), words("1"), repeated("]", bytes / 2));
	default: return three(words("\""), repeated("\\\\u200b", bytes), words("\""));
	}
}

static cJSON *
value(uint32_t shape, const char *unit, size_t bytes)
{
	cJSON *list = cJSON_CreateArray();
	cJSON *v = with(only("t", words("str")), "v", repeated(unit, shape == 0 ? bytes : 100));
	if (shape == 0) {
		cJSON_Delete(list);
		return v;
	}
	for (size_t i = 0; i < bytes / 100; i++)
		cJSON_AddItemToArray(list, cJSON_Duplicate(v, true));
	cJSON_Delete(v);
	return with(only("t", words("arr")), "v", list);
}

/* A report has no room for megabytes, which the token brings back. */
static void
forget(wgc_request *request)
{
	cJSON_Delete(request->args);
	request->args = NULL;
	if (request->reply.kind != WGC_OK)
		return;
	cJSON_Delete(request->reply.body);
	request->reply.body = cJSON_CreateObject();
}

static double
time_of(wgc_case *what, const operation *op, uint32_t unit, uint32_t shape, size_t bytes)
{
	cJSON *subject = op->form == AS_TEXT   ? repeated(units[unit], bytes)
	                 : op->form == AS_JSON ? document(shape, units[unit], bytes)
	                                       : value(shape % 2, units[unit], bytes);
	cJSON *args = op->args(what, subject);
	double began = wgc_now_s();
	wgc_case_ask_now(what, op->name, args);
	double taken = wgc_now_s() - began;
	forget(&what->request[what->requests - 1]);
	return taken;
}

static double
lesser(double a, double b)
{
	return a < b ? a : b;
}

static void
play_for(wgc_case *what, const char *component)
{
	const operation *op = operation_at(what, component, wgc_choose(what->choices, 12));
	uint32_t unit = wgc_choose(what->choices, UNITS), shape = wgc_choose(what->choices, SHAPES);
	double small = 1e9, large = 1e9;
	bool slow = op != NULL;
	for (int i = 0; i < TRIES && slow && !wgc_case_is_over(what); i++) {
		small = lesser(small, time_of(what, op, unit, shape, SMALL_BYTES));
		if (!wgc_case_is_over(what))
			large = lesser(large, time_of(what, op, unit, shape, LARGE * SMALL_BYTES));
		slow = large > MOST_TIMES * (small > FLOOR_S ? small : FLOOR_S);
	}
	if (slow)
		wgc_case_fails(what, "%s, of \"%s\" again and again: %d kB take %.1f ms, %d times as much "
		               "%.1f ms", op->name, units[unit], SMALL_BYTES / 1000, small * 1e3,
		               LARGE, large * 1e3);
}

/* --- By component --- */

static bool generate_sanitize(wgc_case *what) { return generate_for(what, "sanitize"); }
static bool generate_fence(wgc_case *what) { return generate_for(what, "fence"); }
static bool generate_moderate(wgc_case *what) { return generate_for(what, "moderate"); }
static bool generate_intent(wgc_case *what) { return generate_for(what, "intent"); }
static bool ask_sanitize(wgc_case *what, size_t stage) { return ask_for(what, stage, "sanitize"); }
static bool ask_fence(wgc_case *what, size_t stage) { return ask_for(what, stage, "fence"); }
static bool ask_moderate(wgc_case *what, size_t stage) { return ask_for(what, stage, "moderate"); }
static bool ask_intent(wgc_case *what, size_t stage) { return ask_for(what, stage, "intent"); }
static void play_sanitize(wgc_case *what) { play_for(what, "sanitize"); }
static void play_fence(wgc_case *what) { play_for(what, "fence"); }
static void play_moderate(wgc_case *what) { play_for(what, "moderate"); }
static void play_intent(wgc_case *what) { play_for(what, "intent"); }

static const wgc_method answers[] = {
	{ .generate = generate_sanitize, .ask = ask_sanitize, .check = check_answered, .share = 50 },
	{ .generate = generate_fence, .ask = ask_fence, .check = check_answered, .share = 50 },
	{ .generate = generate_moderate, .ask = ask_moderate, .check = check_answered, .share = 50 },
	{ .generate = generate_intent, .ask = ask_intent, .check = check_answered, .share = 50 },
};
static const wgc_method times[] = {
	{ .play = play_sanitize, .share = 1 },
	{ .play = play_fence, .share = 1 },
	{ .play = play_moderate, .share = 1 },
	{ .play = play_intent, .share = 1 },
};

static const char *const no_operations[] = { NULL };
static const char *const answering[] = { "D2.2", NULL };
static const char *const in_time[] = { "D2.1", NULL };
static const char *const nesting_too[] = { "D2.2", "S6.7", "T1.1", NULL };
static const char *const matching_too[] = { "D2.1", "M9.1", NULL };

const wgc_property wgc_p_tot1 = {
	.id = "P-TOT1", .title = "whatever the sanitizer is given, it answers or refuses",
	.rules = nesting_too, .level = "MUST", .claim = "safety", .component = "sanitize",
	.operations = no_operations, .method = &answers[0],
};
const wgc_property wgc_p_tot2 = {
	.id = "P-TOT2", .title = "whatever the fence is given, it answers or refuses",
	.rules = answering, .level = "MUST", .claim = "safety", .component = "fence",
	.operations = no_operations, .method = &answers[1],
};
const wgc_property wgc_p_tot3 = {
	.id = "P-TOT3", .title = "whatever the moderator is given, it answers or refuses",
	.rules = answering, .level = "MUST", .claim = "safety", .component = "moderate",
	.operations = no_operations, .method = &answers[2],
};
const wgc_property wgc_p_tot4 = {
	.id = "P-TOT4", .title = "whatever is to become an intent, it is one or is refused",
	.rules = answering, .level = "MUST", .claim = "safety", .component = "intent",
	.operations = no_operations, .method = &answers[3],
};

const wgc_property wgc_p_tim1 = {
	.id = "P-TIM1", .title = "the sanitizer takes about ten times as long for ten times as much",
	.rules = in_time, .level = "SHOULD", .claim = "safety", .component = "sanitize",
	.operations = no_operations, .method = &times[0],
};
const wgc_property wgc_p_tim2 = {
	.id = "P-TIM2", .title = "the fence takes about ten times as long for ten times as much",
	.rules = in_time, .level = "SHOULD", .claim = "safety", .component = "fence",
	.operations = no_operations, .method = &times[1],
};
const wgc_property wgc_p_tim3 = {
	.id = "P-TIM3", .title = "the moderator takes about ten times as long for ten times as much",
	.rules = matching_too, .level = "SHOULD", .claim = "safety", .component = "moderate",
	.operations = no_operations, .method = &times[2],
};
const wgc_property wgc_p_tim4 = {
	.id = "P-TIM4", .title = "an intent takes about ten times as long for ten times as much",
	.rules = in_time, .level = "SHOULD", .claim = "safety", .component = "intent",
	.operations = no_operations, .method = &times[3],
};
