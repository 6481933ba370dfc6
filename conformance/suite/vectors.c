/* vectors.c - choose, shuffle, ask and judge. */
#include "vectors.h"
#include "compare.h"
#include "data.h"
#include "protocol.h"
#include "random.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The corpus --- */

static void
add_vector(wgc_vectors *all, const cJSON *file, const cJSON *json)
{
	if (wgc_json_get(json, "retired") != NULL)
		return; /* a tombstone keeps the id from being used again */
	wgc_vector v = {
		.json = json,
		.file = file,
		.id = wgc_json_string(json, "id"),
		.component = wgc_json_string(file, "component"),
		.level = wgc_json_string(json, "level"),
		.claim = wgc_json_string(json, "claim"),
		.importance = wgc_json_string(json, "importance"),
		.why = wgc_json_string(json, "why"),
		.rules = wgc_json_get(json, "rules"),
		.flags = wgc_json_get(file, "flags"),
	};
	if (v.importance == NULL)
		v.importance = "medium";
	if (v.id == NULL || v.component == NULL || v.level == NULL ||
	    v.claim == NULL || v.why == NULL || v.rules == NULL) {
		fputs("wicketgate-conformance: an incomplete vector\n", stderr);
		exit(5);
	}
	if ((all->n & (all->n + 1)) == 0)
		all->at = wgc_grow(all->at, 2 * (all->n + 1) * sizeof(v));
	all->at[all->n++] = v;
}

static void
load_file(wgc_vectors *all, const wgc_file *file)
{
	const char *why;
	cJSON *json = wgc_json_read(file->text, file->len, &why);
	if (json == NULL) {
		fprintf(stderr, "wicketgate-conformance: %s: %s\n", file->name, why);
		exit(5);
	}
	const cJSON *list = wgc_json_get(json, "vectors");
	const cJSON *v = list == NULL ? NULL : list->child;
	for (; v != NULL; v = v->next)
		add_vector(all, json, v);
}

const wgc_vectors *
wgc_all_vectors(void)
{
	static wgc_vectors all;
	static bool loaded;
	if (loaded)
		return &all;
	loaded = true;
	for (const wgc_file *f = wgc_vector_files; f->name != NULL; f++)
		load_file(&all, f);
	return &all;
}

const wgc_vector *
wgc_find_vector(const char *id)
{
	const wgc_vectors *all = wgc_all_vectors();
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->at[i].id, id) == 0)
			return &all->at[i];
	return NULL;
}

/* --- Does it fit? --- */

/* Without these nothing of a claim is missing: they are about what a language
 * has, or add a report, or stand for a part that the rules leave open. */
static bool
is_optional(const char *feature, const cJSON *hello)
{
	static const char *const optional[] = {
		"text.bytes", "text.utf16", "counts", "paths", "patterns",
		"value.other", "grant.jws", "stages", "store.reopen",
	};
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++)
		if (strcmp(optional[i], feature) == 0)
			return true;
	/* One binding profile is enough, one form of the store as well. */
	static const char *const either[][2] = {
		{ "binding.a", "binding.b" }, { "binding.b", "binding.a" },
		{ "store.get-put", "store.claim" }, { "store.claim", "store.get-put" },
		{ "threads", "store.claim" },
	};
	for (size_t i = 0; i < sizeof(either) / sizeof(either[0]); i++)
		if (strcmp(either[i][0], feature) == 0 &&
		    wgc_has_feature(hello, either[i][1]))
			return true;
	return false;
}

/* `.json` and `.value` ask the same of two kinds of payload. */
static bool
has_twin(const char *op, const cJSON *hello)
{
	static const char *const twins[][2] = {
		{ "sanitize.json", "sanitize.value" },
		{ "sanitize.value", "sanitize.json" },
		{ "moderate.json", "moderate.value" },
		{ "moderate.value", "moderate.json" },
	};
	for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++)
		if (strcmp(twins[i][0], op) == 0 &&
		    wgc_has_operation(hello, twins[i][1]))
			return true;
	return false;
}

wgc_fit
wgc_needs_fit(const char *op, const char *feature, const cJSON *hello,
              char **why)
{
	if (op != NULL && strcmp(op, "reset") != 0 &&
	    !wgc_has_operation(hello, op)) {
		/* What ties two components together asks nothing of who has one. */
		const char *component = wgc_operation_component(op);
		bool claimed = component == NULL || *component == '\0' ||
		               wgc_has_component(hello, component);
		*why = claimed ? wgc_format("%s is not among its operations", op)
		               : wgc_format("%s is not claimed", component);
		return !claimed || has_twin(op, hello) ? WGC_OUT_OF_PLACE
		                                       : WGC_CANNOT_ASK;
	}
	if (feature != NULL && !wgc_has_feature(hello, feature)) {
		*why = wgc_format("%s is not among its features", feature);
		return is_optional(feature, hello) ? WGC_OUT_OF_PLACE
		                                   : WGC_CANNOT_ASK;
	}
	return WGC_FIT;
}

/* "length_unit=utf16", or several with commas: all have to hold. */
static bool
condition_holds(const char *condition, const wgc_setup *setup)
{
	char *copy = wgc_copy(condition), *rest = copy;
	bool holds = true;
	while (rest != NULL && holds) {
		char *name = rest, *comma = strchr(rest, ',');
		rest = comma == NULL ? NULL : comma + 1;
		if (comma != NULL)
			*comma = '\0';
		char *value = strchr(name, '=');
		if (value == NULL) {
			holds = false;
			break;
		}
		*value++ = '\0';
		if (strcmp(name, "profile") == 0)
			holds = strcmp(setup->profile, value) == 0;
		else {
			holds = false;
			for (int c = 0; c < WGC_CHOICES; c++)
				holds |= strcmp(wgc_choice_names[c], name) == 0 &&
				         wgc_setup_is(setup, (wgc_choice)c, value);
		}
	}
	free(copy);
	return holds;
}

static const cJSON *
expectation(const cJSON *json, const wgc_setup *setup)
{
	const cJSON *by = wgc_json_get(json, "expect_by");
	if (by == NULL)
		return wgc_json_get(json, "expect");
	for (const cJSON *e = by->child; e != NULL; e = e->next)
		if (condition_holds(e->string, setup))
			return e;
	return NULL;
}

/* A choice that an expectation depends on and nobody declared. */
static const char *
undeclared_choice(const cJSON *json, const wgc_setup *setup)
{
	const cJSON *by = wgc_json_get(json, "expect_by");
	const cJSON *e = by == NULL ? NULL : by->child;
	for (; e != NULL; e = e->next)
		for (int c = 0; c < WGC_CHOICES; c++)
			if (setup->choices[c] == NULL &&
			    strstr(e->string, wgc_choice_names[c]) != NULL)
				return wgc_choice_names[c];
	return NULL;
}

static wgc_fit
operations_fit(const cJSON *json, const cJSON *hello, char **why)
{
	const cJSON *steps = wgc_json_get(json, "steps");
	const char *op = wgc_json_string(json, "op");
	wgc_fit fit = wgc_needs_fit(op, NULL, hello, why);
	const cJSON *step = steps == NULL ? NULL : steps->child;
	for (; step != NULL && fit == WGC_FIT; step = step->next)
		fit = wgc_needs_fit(wgc_json_string(step, "op"), NULL, hello, why);
	const cJSON *requires = wgc_json_get(json, "requires");
	const cJSON *f = requires == NULL ? NULL : requires->child;
	for (; f != NULL && fit == WGC_FIT; f = f->next)
		fit = wgc_needs_fit(NULL, f->valuestring, hello, why);
	return fit;
}

wgc_fit
wgc_vector_fits(const wgc_vector *vector, const cJSON *hello,
                const wgc_setup *setup, char **why)
{
	const cJSON *json = vector->json;
	const cJSON *profiles = wgc_json_get(json, "profiles");
	*why = NULL;
	if (profiles != NULL && !wgc_json_lists(profiles, setup->profile))
		return WGC_OTHER_SETUP;
	wgc_fit fit = operations_fit(json, hello, why);
	if (fit != WGC_FIT)
		return fit;
	const cJSON *config = wgc_json_get(json, "config");
	const cJSON *c = config == NULL ? NULL : config->child;
	for (; c != NULL; c = c->next)
		if (wgc_is_fixed(hello, c->string)) {
			*why = wgc_format("%s is fixed", c->string);
			return WGC_FIXED;
		}
	if (wgc_json_get(json, "steps") != NULL || expectation(json, setup) != NULL)
		return WGC_FIT;
	const char *choice = undeclared_choice(json, setup);
	if (choice == NULL)
		return WGC_OTHER_SETUP;
	*why = wgc_format("the choice %s is not declared", choice);
	return WGC_CANNOT_ASK;
}

/* --- Order and forms --- */

/* One time that one vector is asked. */
typedef struct turn {
	size_t index;
	wgc_setup setup;
} turn;

static wgc_setup
setup_of(const wgc_vector *vector, const wgc_setup *base)
{
	wgc_setup setup = *base;
	const cJSON *config = wgc_json_get(vector->json, "config");
	const cJSON *c = config == NULL ? NULL : config->child;
	for (; c != NULL; c = c->next) {
		long long n;
		if (!cJSON_IsNumber(c))
			wgc_setup_set(&setup, c->string, cJSON_IsTrue(c) ? 1 : cJSON_IsNull(c) ? -1 : 0);
		else if (wgc_json_integer(c, &n))
			wgc_setup_set(&setup, c->string, n);
	}
	return setup;
}

static void
shuffle(turn *turns, size_t n, uint64_t *random)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)wgc_random_below(random, i);
		turn t = turns[i - 1];
		turns[i - 1] = turns[k];
		turns[k] = t;
	}
}

/* Those of one configuration together, configurations by first appearance. */
static void
group(turn *turns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t next = i + 1;
		for (size_t k = i + 1; k < n; k++) {
			if (!wgc_setup_equal(&turns[k].setup, &turns[i].setup))
				continue;
			turn t = turns[k];
			memmove(&turns[next + 1], &turns[next],
			        (k - next) * sizeof(turn));
			turns[next++] = t;
		}
		i = next - 1;
	}
}

/* The same text in another form now and then. */
static void
vary(cJSON *args, const cJSON *hello, uint64_t *random)
{
	static const char *const names[] = { "s", "json", "label", "data", "state" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const cJSON *s = wgc_json_get(args, names[i]);
		wgc_text text;
		bool hex = wgc_random_below(random, 2) == 0;
		if (!cJSON_IsString(s) || wgc_random_below(random, 8) != 0 ||
		    !wgc_has_feature(hello, hex ? "text.bytes" : "text.utf16") ||
		    !wgc_text_read(s, &text, NULL))
			continue;
		cJSON *form = hex ? wgc_text_json_hex(&text) : wgc_text_json_u16(&text);
		cJSON_ReplaceItemInObjectCaseSensitive(args, names[i], form);
		wgc_text_clear(&text);
	}
}

/* --- Judging --- */

static cJSON *
request_json(const char *op, const cJSON *args)
{
	cJSON *request = cJSON_CreateObject();
	cJSON_AddStringToObject(request, "op", op);
	cJSON_AddItemToObject(request, "args", cJSON_Duplicate(args, true));
	return request;
}

/* Of the times a vector is asked the worst one counts. */
static void
settle(wgc_outcome *outcome, wgc_outcome *one)
{
	outcome->asked++;
	if (outcome->asked > 1 && (outcome->verdict == WGC_FAIL ||
	                           one->verdict == WGC_PASS)) {
		wgc_outcome_clear(one);
		return;
	}
	one->asked = outcome->asked;
	wgc_outcome_clear(outcome);
	*outcome = *one;
}

static bool
judge(const cJSON *expect, const wgc_reply *reply, const wgc_vector *vector,
      const wgc_subject *subject, const wgc_setup *setup, wgc_outcome *one)
{
	wgc_string why = { 0 };
	one->kind = reply->kind;
	one->verdict = WGC_PASS;
	if (reply->kind == WGC_SKIP) {
		one->verdict = WGC_SKIPPED;
		wgc_outcome_say(one, "skipped: %s",
		                wgc_json_string(reply->body, "reason"));
	} else if (!wgc_reply_meets(expect, reply, subject->hello, setup,
	                            strcmp(vector->claim, "safety") == 0, &why)) {
		one->verdict = WGC_FAIL;
		wgc_outcome_say(one, "%s", why.ptr);
	}
	free(why.ptr);
	return one->verdict == WGC_PASS;
}

static void
judge_single(const wgc_vector *vector, const wgc_subject *subject,
             const wgc_setup *setup, cJSON *request /* taken */,
             const wgc_reply *reply, wgc_outcome *outcome)
{
	wgc_outcome one = { 0 };
	const cJSON *expect = expectation(vector->json, setup);
	if (!judge(expect, reply, vector, subject, setup, &one)) {
		one.request = request;
		one.reply = wgc_reply_json(reply);
		one.expected = cJSON_Duplicate(expect, true);
	} else {
		cJSON_Delete(request);
	}
	settle(outcome, &one);
}

/* --- Vectors of several steps --- */

/* {"$step":[n,"member"]} stands for what step n (from 0) answered. */
static cJSON *
resolved(const cJSON *json, const cJSON *oks)
{
	const cJSON *ref = wgc_json_get(json, "$step");
	if (cJSON_GetArraySize(ref) == 2) {
		const cJSON *ok = cJSON_GetArrayItem(oks, (int)ref->child->valuedouble);
		const cJSON *member = wgc_json_get(ok, ref->child->next->valuestring);
		return member == NULL ? cJSON_CreateNull()
		                      : cJSON_Duplicate(member, true);
	}
	if (!cJSON_IsObject(json) && !cJSON_IsArray(json))
		return cJSON_Duplicate(json, true);
	cJSON *copy = cJSON_IsObject(json) ? cJSON_CreateObject()
	                                   : cJSON_CreateArray();
	for (const cJSON *item = json->child; item != NULL; item = item->next) {
		cJSON *inner = resolved(item, oks);
		if (cJSON_IsObject(json))
			cJSON_AddItemToObject(copy, item->string, inner);
		else
			cJSON_AddItemToArray(copy, inner);
	}
	return copy;
}

static bool
take_step(wgc_subject *subject, const wgc_vector *vector,
          const wgc_setup *setup, const cJSON *step, cJSON *oks,
          wgc_outcome *one)
{
	const char *op = wgc_json_string(step, "op");
	cJSON *args = resolved(wgc_json_get(step, "args"), oks);
	cJSON_AddItemToArray(one->request, request_json(op, args));
	wgc_reply reply = wgc_ask(subject, op, args);
	cJSON_AddItemToArray(one->reply, wgc_reply_json(&reply));
	cJSON_AddItemToArray(oks, reply.kind == WGC_OK
	                                  ? cJSON_Duplicate(reply.body, true)
	                                  : cJSON_CreateNull());
	const cJSON *expect = expectation(step, setup);
	bool holds = expect == NULL ||
	             judge(expect, &reply, vector, subject, setup, one);
	if (expect == NULL && reply.kind >= WGC_SKIP) {
		cJSON *any = cJSON_CreateObject();
		holds = judge(any, &reply, vector, subject, setup, one);
		cJSON_Delete(any);
	}
	if (!holds && expect != NULL) {
		cJSON_Delete(one->expected);
		one->expected = cJSON_Duplicate(expect, true);
	}
	wgc_reply_clear(&reply);
	return holds;
}

static void
run_steps(wgc_subject *subject, const wgc_vector *vector,
          const wgc_setup *setup, wgc_outcome *outcome)
{
	wgc_outcome one = { .verdict = WGC_PASS, .kind = WGC_OK };
	cJSON *oks = cJSON_CreateArray();
	one.request = cJSON_CreateArray();
	one.reply = cJSON_CreateArray();
	wgc_reply reset = wgc_ask(subject, "reset", cJSON_CreateObject());
	bool holds = reset.kind == WGC_OK;
	if (!holds) {
		one.verdict = WGC_FAIL;
		one.kind = reset.kind;
		wgc_outcome_say(&one, "reset: %s", wgc_kind_name(reset.kind));
	}
	wgc_reply_clear(&reset);
	int number = 0;
	const cJSON *step = wgc_json_get(vector->json, "steps")->child;
	for (; step != NULL && holds; step = step->next, number++)
		holds = take_step(subject, vector, setup, step, oks, &one);
	if (!holds && number > 0) {
		char *detail = wgc_format("step %d: %s", number - 1, one.detail);
		wgc_outcome_say(&one, "%s", detail);
		free(detail);
	}
	cJSON_Delete(oks);
	settle(outcome, &one);
}

/* --- Running --- */

#define BATCH 128

static void
ask_batch(wgc_subject *subject, const wgc_vector *const *vectors,
          const turn *turns, size_t n, uint64_t *random, wgc_outcome *outcomes)
{
	const char *ops[BATCH] = { 0 };
	cJSON *args[BATCH] = { 0 }, *requests[BATCH];
	wgc_reply replies[BATCH];
	for (size_t i = 0; i < n; i++) {
		const cJSON *json = vectors[turns[i].index]->json;
		ops[i] = wgc_json_string(json, "op");
		args[i] = cJSON_Duplicate(wgc_json_get(json, "args"), true);
		vary(args[i], subject->hello, random);
		requests[i] = request_json(ops[i], args[i]);
	}
	subject->ask(subject, n, ops, args, replies);
	for (size_t i = 0; i < n; i++) {
		judge_single(vectors[turns[i].index], subject, &turns[i].setup,
		             requests[i], &replies[i], &outcomes[turns[i].index]);
		wgc_reply_clear(&replies[i]);
	}
}

static bool
is_single(const wgc_vector *vector)
{
	return wgc_json_get(vector->json, "steps") == NULL;
}

/* How many of the next turns go together. */
static size_t
batch_size(const wgc_vector *const *vectors, const turn *turns, size_t n)
{
	size_t size = 0;
	while (size < n && size < BATCH && is_single(vectors[turns[size].index]) &&
	       wgc_setup_equal(&turns[size].setup, &turns[0].setup))
		size++;
	return size;
}

static void
fail_turn(wgc_outcome *outcome, wgc_kind kind, const char *why)
{
	wgc_outcome one = { .verdict = WGC_FAIL, .kind = kind };
	wgc_outcome_say(&one, "%s", why);
	settle(outcome, &one);
}

static size_t
count_deaths(const wgc_outcome *outcomes, size_t n)
{
	size_t deaths = 0;
	for (size_t i = 0; i < n; i++)
		deaths += outcomes[i].verdict == WGC_FAIL &&
		          outcomes[i].kind >= WGC_CRASH;
	return deaths;
}

static size_t
run_turns(wgc_subject *subject, const wgc_vector *const *vectors,
          const turn *turns, size_t n, uint64_t *random, wgc_outcome *outcomes)
{
	if (!subject->configure(subject, &turns[0].setup)) {
		fail_turn(&outcomes[turns[0].index], WGC_CRASH, subject->why);
		return 1;
	}
	size_t size = batch_size(vectors, turns, n);
	if (size == 0) {
		run_steps(subject, vectors[turns[0].index], &turns[0].setup,
		          &outcomes[turns[0].index]);
		return 1;
	}
	ask_batch(subject, vectors, turns, size, random, outcomes);
	return size;
}

void
wgc_vectors_run(wgc_subject *subject, const wgc_vector *const *vectors,
                size_t n, const wgc_setup *setup, uint64_t seed,
                size_t *deaths, wgc_outcome *outcomes)
{
	uint64_t random = seed;
	turn *turns = wgc_alloc((n + n / 20 + 1) * sizeof(turn));
	size_t count = 0;
	for (; count < n; count++)
		turns[count] = (turn){ count, setup_of(vectors[count], setup) };
	for (; n > 0 && count < n + n / 20 + 1; count++)
		turns[count] = turns[wgc_random_below(&random, n)];
	shuffle(turns, count, &random);
	group(turns, count);
	size_t before = *deaths;
	for (size_t i = 0; i < count;) {
		if (*deaths < WGC_MAX_DEATHS) {
			i += run_turns(subject, vectors, &turns[i], count - i,
			               &random, outcomes);
			*deaths = before + count_deaths(outcomes, n);
		} else {
			fail_turn(&outcomes[turns[i++].index], WGC_CRASH,
			          "ABORTED: three requests of this component ended the process");
		}
	}
	free(turns);
}
