/* property.c - run, shrink, verify, report; and the list of properties. */
#include "property.h"
#include "evaluate.h"
#include "failures.h"
#include "random.h"
#include "shrink.h"
#include "token.h"

#include <stdlib.h>
#include <string.h>

#define SHRINK_S 8.0

typedef struct run {
	wgc_subject *subject;
	const wgc_property *property;
	const wgc_method *method;
	uint64_t random;
	size_t cases, tried, skipped, unproven, counted;
	size_t least;       /* fewer prove nothing */
	double until, late; /* enough time; too much even for the least */
	bool whole;         /* the least was tried, or all there is */
	char *skip;
	wgc_choices choices; /* of the failure */
	wgc_case failure;
	bool failed;
} run;

/* --- What came out --- */

static cJSON *
json_of(const wgc_request *request)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "op", request->op);
	cJSON_AddItemToObject(json, "args",
	                      request->args == NULL
	                              ? cJSON_CreateObject()
	                              : cJSON_Duplicate(request->args, true));
	return json;
}

/* One as it is, several as an array. */
static cJSON *
one_or_all(cJSON *array)
{
	if (cJSON_GetArraySize(array) != 1)
		return array;
	cJSON *one = cJSON_DetachItemFromArray(array, 0);
	cJSON_Delete(array);
	return one;
}

static void
describe(wgc_outcome *outcome, wgc_case *what)
{
	cJSON *requests = cJSON_CreateArray(), *replies = cJSON_CreateArray();
	for (size_t i = 0; i < what->requests; i++) {
		cJSON_AddItemToArray(requests, json_of(&what->request[i]));
		cJSON_AddItemToArray(replies,
		                     wgc_reply_json(&what->request[i].reply));
	}
	outcome->request = one_or_all(requests);
	outcome->reply = one_or_all(replies);
	outcome->expected = what->expected;
	outcome->timeline = what->timeline;
	what->expected = what->timeline = NULL;
	wgc_string line = { 0 };
	wgc_put(&line, what->why);
	for (size_t i = 0; i < what->texts; i++) {
		char *chips = wgc_text_chips(&what->text[i], 40);
		wgc_putf(&line, "%s \"%s\"", i == 0 ? "; with" : ",", chips);
		free(chips);
	}
	wgc_outcome_say(outcome, "%s", line.ptr);
	free(line.ptr);
}

/* Once more, from what the token says, with everything kept. */
static wgc_case
once_more(run *r, wgc_choices *choices)
{
	wgc_case again = wgc_case_new(r->subject);
	if (r->method->play != NULL) {
		wgc_choices_given(choices, choices->at, choices->len);
		again.keep = true;
		wgc_play(r->property, choices, &again);
		return again;
	}
	again = wgc_case_copy(&r->failure);
	again.keep = true;
	wgc_evaluate(r->property, &again, 1);
	return again;
}

static void
report_failure(run *r, wgc_outcome *outcome)
{
	wgc_shrink(r->property, &r->choices, &r->failure, SHRINK_S);
	outcome->verdict = WGC_FAIL;
	outcome->kind = r->failure.kind;
	r->failure.choices = &r->choices;
	outcome->token = wgc_token_write(r->property, r->subject->setup,
	                                 &r->failure);
	wgc_failures_add(r->property->id, outcome->token);
	wgc_case again = once_more(r, &r->choices);
	outcome->flaky = again.verdict != WGC_FAIL;
	if (!outcome->flaky) {
		describe(outcome, &again);
	} else {
		describe(outcome, &r->failure);
		char *line = wgc_format("FLAKY, not when asked again: %s",
		                        outcome->detail);
		wgc_outcome_say(outcome, "%s", line);
		free(line);
	}
	wgc_case_clear(&again);
}

static void
report(run *r, wgc_outcome *outcome)
{
	outcome->asked = r->tried;
	if (r->failed) {
		report_failure(r, outcome);
	} else if (r->skipped > 0) {
		outcome->verdict = WGC_SKIPPED;
		outcome->kind = WGC_SKIP;
		wgc_outcome_say(outcome, "%zu of %zu cases: %s", r->skipped,
		                r->tried, r->skip);
	} else if (!r->whole) {
		outcome->verdict = WGC_UNPROVEN;
		wgc_outcome_say(outcome, "only %zu cases in the time there was (--time gives more)",
		                r->tried);
	} else if (r->tried == r->unproven) {
		outcome->verdict = WGC_UNPROVEN;
		wgc_outcome_say(outcome, "%s", r->skip == NULL
		                                       ? "no case could be made"
		                                       : r->skip);
	} else {
		outcome->verdict = WGC_PASS;
		outcome->kind = WGC_OK;
		outcome->tier = r->method->tier;
		wgc_outcome_say(outcome, "%zu cases", r->tried - r->unproven);
	}
	wgc_case_clear(&r->failure);
	free(r->skip);
}

/* --- Trying --- */

/* Takes the case. False if it failed: the run is over. */
static bool
note(run *r, const wgc_choices *choices, wgc_case *what)
{
	r->tried++;
	r->skipped += what->verdict == WGC_SKIPPED;
	r->unproven += what->verdict == WGC_UNPROVEN;
	if (r->skipped + r->unproven > 0 && r->skip == NULL)
		r->skip = wgc_copy(what->why);
	if (what->verdict != WGC_FAIL || r->failed) {
		wgc_case_clear(what);
		return !r->failed;
	}
	r->failed = true;
	r->failure = *what;
	if (choices != NULL)
		r->choices = *choices;
	return false;
}

/* A configuration of its own for the next cases, if it can be had. */
static bool
configure(run *r, const wgc_setup *base)
{
	wgc_setup setup = *base;
	if (r->method->configure != NULL) {
		wgc_choices *choices = wgc_alloc(sizeof(*choices));
		wgc_choices_random(choices, wgc_random(&r->random));
		r->method->configure(choices, r->subject, &setup);
		free(choices);
	}
	return r->subject->configure(r->subject, &setup);
}

static void
fail_to_configure(run *r)
{
	wgc_case what = wgc_case_new(r->subject);
	wgc_case_fails(&what, "configure: %s", r->subject->why == NULL
	                                               ? "refused"
	                                               : r->subject->why);
	what.kind = WGC_PROTOCOL;
	note(r, NULL, &what);
}

/* Choices are not kept for a whole batch: the seed makes them again. What is
 * counted has its number as its seed. */
static bool
generate_one(run *r, uint64_t seed, wgc_choices *choices, wgc_case *what)
{
	uint32_t number = (uint32_t)seed;
	if (r->method->count > 0)
		wgc_choices_given(choices, &number, 1);
	else
		wgc_choices_random(choices, seed);
	*what = wgc_case_new(r->subject);
	what->choices = choices;
	return r->method->generate(what);
}

static size_t
generate(run *r, uint64_t *seeds, wgc_choices *choices, wgc_case *cases,
         size_t n)
{
	size_t made = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t seed = r->method->count > 0 ? r->counted++
		                                     : wgc_random(&r->random);
		if (generate_one(r, seed, choices, &cases[made]))
			seeds[made++] = seed;
		else
			wgc_case_clear(&cases[made]);
	}
	return made;
}

static void
choices_of(run *r, uint64_t seed, wgc_choices *choices)
{
	wgc_case again;
	generate_one(r, seed, choices, &again);
	wgc_case_clear(&again);
}

static bool
try_batch(run *r, size_t n)
{
	uint64_t seeds[WGC_BATCH];
	wgc_case cases[WGC_BATCH];
	wgc_choices *choices = wgc_alloc(sizeof(*choices));
	size_t made = generate(r, seeds, choices, cases, n);
	wgc_evaluate(r->property, cases, made);
	for (size_t i = 0; i < made; i++) {
		if (cases[i].verdict == WGC_FAIL && !r->failed)
			choices_of(r, seeds[i], choices);
		note(r, choices, &cases[i]);
	}
	free(choices);
	return !r->failed;
}

/* A subject that takes its time buys itself no pass with a handful of cases. */
static bool
has_time(const run *r)
{
	double now = wgc_now_s();
	return now < r->until || (r->tried < r->least && now < r->late);
}

static void
try_batches(run *r, const wgc_setup *base)
{
	size_t done = 0, n;
	for (; done < r->cases && has_time(r); done += n) {
		n = r->cases - done < WGC_BATCH ? r->cases - done : WGC_BATCH;
		if (!configure(r, base)) {
			fail_to_configure(r);
			return;
		}
		if (!try_batch(r, n))
			return;
	}
	r->whole = done >= r->cases || r->tried >= r->least;
}

/* Played cases: all of them, or as many as were asked for; more while none of
 * them proved anything, because threads meet when they like. */
static void
try_played(run *r, const wgc_setup *base)
{
	wgc_choices *choices = wgc_alloc(sizeof(*choices));
	bool more = configure(r, base);
	if (!more)
		fail_to_configure(r);
	wgc_choices_given(choices, NULL, 0);
	for (size_t i = 0; more && has_time(r); i++) {
		wgc_case what = wgc_case_new(r->subject);
		if (!r->method->exhaustive)
			wgc_choices_random(choices, wgc_random(&r->random));
		wgc_play(r->property, choices, &what);
		more = note(r, choices, &what) &&
		       (r->method->exhaustive ? wgc_choices_next(choices)
		                              : i + 1 < r->cases ||
		                                (r->tried == r->unproven &&
		                                 i + 1 < 10 * r->cases));
	}
	r->whole = !more || r->tried >= r->least;
	free(choices);
}

/* --- Replaying --- */

static void
replay(run *r, const wgc_token *token)
{
	wgc_choices *choices = wgc_alloc(sizeof(*choices));
	wgc_case what;
	if (token->played) {
		what = wgc_case_new(r->subject);
		wgc_choices_given(choices, token->at, token->len);
		wgc_play(r->property, choices, &what);
	} else {
		what = wgc_case_copy(&token->values);
		what.subject = r->subject;
		wgc_evaluate(r->property, &what, 1);
		wgc_choices_given(choices, NULL, 0);
	}
	note(r, choices, &what);
	free(choices);
}

static bool
is_for(const wgc_setup *a, const wgc_setup *b)
{
	bool same = strcmp(a->profile, b->profile) == 0;
	for (int c = 0; c < WGC_CHOICES; c++)
		if (b->choices[c] != NULL)
			same &= wgc_setup_is(a, (wgc_choice)c, b->choices[c]);
	return same;
}

static void
try_failures(run *r, const wgc_setup *base)
{
	size_t n;
	char **tokens = wgc_failures_of(r->property->id, &n);
	for (size_t i = 0; i < n; i++) {
		wgc_token *token = wgc_alloc(sizeof(*token));
		const char *why;
		if (!r->failed && wgc_token_read(tokens[i], token, &why)) {
			if (token->property == r->property &&
			    is_for(&token->setup, base) &&
			    r->subject->configure(r->subject, &token->setup))
				replay(r, token);
			wgc_token_clear(token);
		}
		free(token);
		free(tokens[i]);
	}
	free(tokens);
}

static run *
run_new(wgc_subject *subject, const wgc_property *property)
{
	run *r = wgc_alloc(sizeof(*r));
	r->subject = subject;
	r->property = property;
	r->method = property->method;
	r->failure = wgc_case_new(subject);
	r->whole = true;
	return r;
}

void
wgc_property_run(wgc_subject *subject, const wgc_property *property,
                 uint64_t seed, size_t cases, double budget_s,
                 wgc_outcome *outcome)
{
	run *r = run_new(subject, property);
	wgc_setup base = *subject->setup;
	unsigned share = r->method->share == 0 ? 100 : r->method->share;
	r->random = seed;
	r->cases = (cases * share + 99) / 100;
	if (r->method->count > 0)
		r->cases = cases * 4 < r->method->count ? cases * 4 : r->method->count;
	r->least = r->method->exhaustive ? SIZE_MAX
	           : r->method->count > 0 ? r->cases
	                                  : (r->cases + 2) / 3;
	r->until = wgc_now_s() + budget_s;
	r->late = r->until + 5 * budget_s;
	try_failures(r, &base);
	if (!r->failed && r->method->play != NULL)
		try_played(r, &base);
	else if (!r->failed)
		try_batches(r, &base);
	report(r, outcome);
	subject->configure(subject, &base);
	free(r);
}

void
wgc_property_replay(wgc_subject *subject, const wgc_property *property,
                    const char *token, wgc_outcome *outcome)
{
	run *r = run_new(subject, property);
	wgc_setup base = *subject->setup;
	wgc_token *read = wgc_alloc(sizeof(*read));
	const char *why;
	if (!wgc_token_read(token, read, &why)) {
		wgc_outcome_say(outcome, "%s", why);
	} else if (!subject->configure(subject, &read->setup)) {
		outcome->verdict = WGC_FAIL;
		outcome->kind = WGC_PROTOCOL;
		wgc_outcome_say(outcome, "configure: %s", subject->why);
	} else {
		replay(r, read);
		report(r, outcome);
		subject->configure(subject, &base);
	}
	wgc_token_clear(read);
	free(read);
	free(r);
}
