/* suite_properties.c - the properties of the suite, tried on subjects without a
 * pipe: a right one passes all, and every wrong one is caught by the property
 * that is there for it, on each of 20 seeds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite_inprocess.h"
#include "suite_toys.h"

#define SEEDS  20
#define CASES  1000
#define BUDGET 60.0

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

static void
claim_passes(wgc_subject *subject, const char *name)
{
	for (size_t i = 0; wgc_properties[i] != NULL; i++) {
		const wgc_property *p = wgc_properties[i];
		wgc_outcome outcome = { 0 };
		if (!applies(p, subject))
			continue;
		wgc_property_run(subject, p, 1, CASES, BUDGET, &outcome);
		char *line = wgc_format("%s %s: %s: %s", p->id, p->title, name,
		                        outcome.detail);
		claim(outcome.verdict == WGC_PASS, "%s", line);
		if (outcome.token != NULL)
			printf("# %s\n", outcome.token);
		free(line);
		wgc_outcome_clear(&outcome);
	}
}

/* The longest text of a shrunk case, by its token. */
typedef struct caught {
	size_t times, flaky, replayed;
	char *detail;
} caught;

static caught
catch(const toy *t, const char *hello, wgc_answer answer)
{
	const wgc_property *p = property_named(t->property);
	caught all = { 0 };
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		wgc_inprocess subject;
		wgc_outcome outcome = { 0 }, again = { 0 };
		wgc_inprocess_start(&subject, hello, answer,
		                    (void *)(uintptr_t)t);
		wgc_property_run(&subject.subject, p, seed * 7919, CASES, BUDGET,
		                 &outcome);
		all.times += outcome.verdict == WGC_FAIL;
		all.flaky += outcome.flaky;
		if (outcome.token != NULL) {
			wgc_property_replay(&subject.subject, p, outcome.token,
			                    &again);
			all.replayed += again.verdict == WGC_FAIL;
			free(all.detail);
			all.detail = wgc_copy(outcome.detail);
		}
		wgc_outcome_clear(&outcome);
		wgc_outcome_clear(&again);
		wgc_inprocess_stop(&subject);
	}
	return all;
}

static void
claim_caught(const toy *toys, const char *hello, wgc_answer answer)
{
	for (const toy *t = toys; t->bug != NULL; t++) {
		caught all = catch(t, hello, answer);
		char *line = wgc_format("%s catches \"%s\" on 20 of 20 seeds, and "
		                        "again by its token", t->property, t->bug);
		claim(all.times == SEEDS && all.replayed == SEEDS, "%s", line);
		printf("# %zu of %d, replayed %zu: %s\n", all.times, SEEDS,
		       all.replayed, all.detail == NULL ? "-" : all.detail);
		free(line);
		free(all.detail);
	}
}

int
main(void)
{
	static const toy right = { NULL, NULL };
	wgc_inprocess subject;
	wgc_inprocess_start(&subject, text_toy_hello, text_toy_answer,
	                    (void *)(uintptr_t)&right);
	claim_passes(&subject.subject, "a small right text core");
	wgc_inprocess_stop(&subject);
	claim_caught(text_toys, text_toy_hello, text_toy_answer);
	printf("1..%d\n", claims);
	return failures == 0 ? 0 : 1;
}
