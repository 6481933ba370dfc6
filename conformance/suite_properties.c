/* suite_properties.c - the properties of the suite, tried on subjects without a
 * pipe: the library and a small right one pass all, and every wrong one is caught by the property
 * that is there for it, on each of 20 seeds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite_inprocess.h"
#include "suite_library.h"
#include "suite_toy_gate.h"
#include "suite_toy_wrapped.h"
#include "suite_toys.h"

#include "suite/token.h"

/* Instrumented, it is memory that is looked at, and every step costs five. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INSTRUMENTED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(INSTRUMENTED)
#define SEEDS 4
#else
#define SEEDS 20
#endif
#define CASES  1000 /* to catch something */
#define PASSES 500  /* of each property in each setup */
#define BUDGET 60.0
#define SIMPLE 6  /* code points that show a bug of a fence */
#define PADDING 24 /* as many of a kind count as one: some bugs begin after 4096 */

static int claims, failures;

static void
claim(bool holds, const char *format, const char *what)
{
	printf("%sok %d - ", holds ? "" : "not ", ++claims);
	printf(format, what);
	printf("\n");
	failures += !holds;
	fflush(stdout);
}

static const wgc_property *
property_named(const char *id)
{
	for (size_t i = 0; wgc_properties[i] != NULL; i++)
		if (strcmp(wgc_properties[i]->id, id) == 0)
			return wgc_properties[i];
	abort();
}

static bool
applies(const wgc_property *p, const wgc_subject *subject)
{
	bool fits = wgc_has_component(subject->hello, p->component);
	for (size_t i = 0; p->operations != NULL && p->operations[i] != NULL; i++)
		fits &= wgc_has_operation(subject->hello, p->operations[i]);
	for (size_t i = 0; p->features != NULL && p->features[i] != NULL; i++)
		fits &= wgc_has_feature(subject->hello, p->features[i]);
	bool profile = p->profiles == NULL;
	for (size_t i = 0; !profile && p->profiles[i] != NULL; i++)
		profile = strcmp(p->profiles[i], subject->setup->profile) == 0;
	return fits && profile;
}

static bool
is_named(const toy *toys, const wgc_property *p)
{
	bool named = toys == NULL;
	for (; !named && toys->bug != NULL; toys++)
		named = strcmp(toys->property, p->id) == 0;
	return named;
}

/* Of what a real clock says, nothing is claimed: who is slow may be the machine.
 * The toys that are slow only pretend to be. */
static bool
is_timed(const wgc_property *p)
{
	return strncmp(p->id, "P-TIM", 5) == 0;
}

/* `unit_only`: those that count, of which every unit is a case of its own.
 * `toys`: those that are to catch one of them; NULL: all. */
static void
claim_passes(wgc_subject *subject, const char *name, bool unit_only, const toy *toys)
{
	for (size_t i = 0; wgc_properties[i] != NULL; i++) {
		const wgc_property *p = wgc_properties[i];
		wgc_outcome outcome = { 0 };
		bool counts = p->choice_count > 0 && p->choices[0] == WGC_LENGTH_UNIT;
		if (!applies(p, subject) || is_timed(p) || (unit_only && !counts) ||
		    !is_named(toys, p))
			continue;
		wgc_property_run(subject, p, 1, PASSES, BUDGET, &outcome);
		char *line = wgc_format("%s %s: %s: %s", p->id, p->title, name,
		                        outcome.detail);
		claim(outcome.verdict == WGC_PASS, "%s", line);
		if (outcome.token != NULL)
			printf("# %s\n", outcome.token);
		free(line);
		wgc_outcome_clear(&outcome);
	}
}

typedef struct caught {
	size_t times, replayed;
	size_t size; /* of the last counterexample */
	char *detail;
} caught;

static size_t
size_of_text(const wgc_text *text)
{
	size_t size = 0;
	for (size_t i = 0, n; i < text->len; i += n) {
		for (n = 1; i + n < text->len && text->at[i + n] == text->at[i];)
			n++;
		size += n >= PADDING ? 1 : n;
	}
	return size;
}

/* The code points of the case that a token says. */
static size_t
size_of(const char *text)
{
	wgc_token *token = wgc_alloc(sizeof(*token));
	const char *why;
	size_t size = 0;
	if (!wgc_token_read(text, token, &why))
		abort();
	for (size_t i = 0; i < token->values.texts; i++)
		size += size_of_text(&token->values.text[i]);
	wgc_token_clear(token);
	free(token);
	return size;
}

static void
catch_once(caught *all, wgc_subject *subject, const wgc_property *p, uint64_t seed)
{
	wgc_outcome outcome = { 0 }, again = { 0 };
	wgc_property_run(subject, p, seed * 7919, CASES, BUDGET, &outcome);
	all->times += outcome.verdict == WGC_FAIL && !outcome.flaky;
	if (outcome.token != NULL) {
		wgc_property_replay(subject, p, outcome.token, &again);
		all->replayed += again.verdict == WGC_FAIL;
		all->size = size_of(outcome.token);
	}
	free(all->detail);
	all->detail = wgc_copy(outcome.detail);
	wgc_outcome_clear(&outcome);
	wgc_outcome_clear(&again);
}

/* In-process subjects, by what makes and ends them. */
typedef struct kind {
	const toy *toys;
	wgc_subject *(*start)(const toy *t);
	void (*stop)(wgc_subject *subject);
} kind;

static wgc_subject *
text_start(const toy *t)
{
	static wgc_inprocess p;
	wgc_inprocess_start(&p, text_toy_hello, text_toy_answer, (void *)(uintptr_t)t);
	return &p.subject;
}

static void
text_stop(wgc_subject *subject)
{
	wgc_inprocess_stop(subject->state);
}

static const kind kinds[] = {
	{ text_toys, text_start, text_stop },
	{ gate_toys, toy_gate_start, toy_gate_stop },
	{ wrapped_toys, toy_wrapped_start, toy_wrapped_stop },
};

/* A fence, not a template: what an attack on it says can be short. */
static bool
is_about_fences(const toy *t)
{
	return strncmp(t->property, "P-FN", 4) == 0 && strcmp(t->property, "P-FN13") != 0;
}

static size_t
smallest(const kind *k, const toy *t, uint64_t seed, size_t calls)
{
	caught one = { 0 };
	wgc_subject *subject = k->start(t);
	wgc_shrink_calls(calls);
	catch_once(&one, subject, property_named(t->property), seed);
	k->stop(subject);
	free(one.detail);
	return one.times == 0 ? SIZE_MAX : one.size;
}

/* The measure sees what shrinking does. */
static void
claim_shrinking_matters(const kind *k)
{
	size_t large = 0;
	for (const toy *t = k->toys; t->bug != NULL; t++)
		large += is_about_fences(t) && smallest(k, t, 3, 0) > SIMPLE;
	claim(large >= 10, "R2 without shrinking at least ten bugs of a fence are shown by more%s", "");
}

static void
claim_caught(const kind *k, const toy *t)
{
	caught all = { 0 };
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		wgc_subject *subject = k->start(t);
		/* Catching is the claim; that it gets simple is shown twice. */
		wgc_shrink_calls(seed > SEEDS - 2 ? 3000 : 30);
		catch_once(&all, subject, property_named(t->property), seed);
		k->stop(subject);
	}
	char *line = wgc_format("%s catches \"%s\" on %d of %d seeds, and again by "
	                        "its token", t->property, t->bug, SEEDS, SEEDS);
	claim(all.times == SEEDS && all.replayed == SEEDS, "%s", line);
	printf("# %zu, replayed %zu: %s\n", all.times, all.replayed, all.detail);
	free(line);
	if (is_about_fences(t)) {
		line = wgc_format("\"%s\" is shown by %zu code points", t->bug, all.size);
		claim(all.times > 0 && all.size <= SIMPLE, "%s", line);
		free(line);
	}
	free(all.detail);
}

/* Both profiles, each unit. */
static void
claim_library_passes(void)
{
	static const char *const profiles[] = { "reference", "hardened" };
	static const char *const units[] = { "codepoint", "utf16", "byte" };
	for (int i = 0; i < 6; i++) {
		wgc_inprocess p;
		wgc_inprocess_start(&p, library_hello, library_answer, NULL);
		p.setup.profile = profiles[i % 2];
		p.setup.choices[WGC_LENGTH_UNIT] = wgc_choice_option(WGC_LENGTH_UNIT, units[i / 2]);
		p.setup.choices[WGC_OUTPUT_TAGS] = wgc_choice_option(WGC_OUTPUT_TAGS, "strip");
		char *name = wgc_format("libwicketgate, %s, %s", profiles[i % 2], units[i / 2]);
		claim_passes(&p.subject, name, i >= 2, NULL);
		free(name);
		wgc_inprocess_stop(&p);
	}
}

int
main(int argc, char **argv)
{
	static const toy right = { NULL, NULL };
	if (argc < 2)
		claim_library_passes();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const kind *k = &kinds[i];
		if (argc < 2) {
			wgc_subject *subject = k->start(&right);
			/* The library has passed all the others. */
			claim_passes(subject, "a small right subject", false,
			             k->toys == wrapped_toys ? wrapped_toys : NULL);
			k->stop(subject);
		}
		for (const toy *t = k->toys; t->bug != NULL; t++)
			if (argc < 2 || strncmp(argv[1], t->bug, strlen(argv[1])) == 0)
				claim_caught(k, t);
	}
	claim_shrinking_matters(&kinds[0]);
	printf("1..%d\n", claims);
	return failures == 0 ? 0 : 1;
}
