/* run.c - profiles, options of choices, vectors, properties; then the count.
 *
 * Every item (a vector or a property) is run in each configuration in which it
 * can tell something: in each declared profile with the first option of every
 * choice, and again with each further option of the choices that concern it.
 * The worst of its outcomes is its result. */
#include "run.h"
#include "adapter.h"
#include "data.h"
#include "expected.h"
#include "protocol.h"
#include "random.h"
#include "vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct item {
	const wgc_vector *vector;     /* one of these two */
	const wgc_property *property;
	const char *id, *component, *level, *claim, *importance, *why;
	wgc_outcome outcome; /* the worst so far */
	char *where;         /* in which configuration */
	size_t runs, passed, asked;
	wgc_fit fit;         /* why it was not run, if it never was */
	char *reason;
	bool profile_seen;   /* a declared profile was its own */
} item;

typedef struct run {
	const wgc_run_options *options;
	wgc_adapter *adapter;
	wgc_subject *subject;
	item *items;
	size_t n;
	size_t steps, done; /* for the progress line */
	size_t deaths[16];  /* by component */
	const char *tier;
} run;

/* --- Which items --- */

static bool
list_has(const char *list, const char *word)
{
	size_t len = strlen(word);
	for (const char *at = list; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, len) == 0 &&
		    (at[len] == ',' || at[len] == '\0'))
			return true;
	}
	return false;
}

static bool
is_one(const char *pattern, size_t len, const char *id)
{
	if (len > 0 && pattern[len - 1] == '*')
		return strncmp(pattern, id, len - 1) == 0;
	return len == strlen(id) && memcmp(pattern, id, len) == 0;
}

bool
wgc_id_matches(const char *patterns, const char *id)
{
	for (const char *at = patterns; *at != '\0';) {
		size_t len = strcspn(at, ",");
		if (is_one(at, len, id))
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

static bool
is_wanted(const run *r, const char *id, const char *component)
{
	const wgc_run_options *o = r->options;
	return wgc_has_component(r->subject->hello, component) &&
	       (o->components == NULL || list_has(o->components, component)) &&
	       (o->only == NULL || wgc_id_matches(o->only, id));
}

static void
add_item(run *r, const item *what)
{
	if (!is_wanted(r, what->id, what->component))
		return;
	if ((r->n & (r->n + 1)) == 0)
		r->items = wgc_grow(r->items, 2 * (r->n + 1) * sizeof(item));
	r->items[r->n++] = *what;
}

static void
collect(run *r)
{
	const wgc_vectors *all = wgc_all_vectors();
	for (size_t i = 0; i < all->n; i++) {
		const wgc_vector *v = &all->at[i];
		item what = { .vector = v, .id = v->id, .component = v->component,
			      .level = v->level, .claim = v->claim,
			      .importance = v->importance, .why = v->why };
		add_item(r, &what);
	}
	for (size_t i = 0; wgc_properties[i] != NULL; i++) {
		const wgc_property *p = wgc_properties[i];
		item what = { .property = p, .id = p->id,
			      .component = p->component, .level = p->level,
			      .claim = p->claim, .importance = "critical",
			      .why = p->title };
		add_item(r, &what);
	}
}

/* --- Which configurations --- */

static const cJSON *
options_of(const cJSON *hello, wgc_choice choice)
{
	return wgc_json_get(wgc_json_get(hello, "choices"),
	                    wgc_choice_names[choice]);
}

wgc_setup
wgc_base_setup(const cJSON *hello, const char *profile)
{
	wgc_setup setup = wgc_setup_default();
	setup.profile = profile;
	for (int c = 0; c < WGC_CHOICES; c++) {
		const cJSON *first = options_of(hello, (wgc_choice)c);
		first = first == NULL ? NULL : first->child;
		if (cJSON_IsString(first))
			setup.choices[c] = wgc_choice_option((wgc_choice)c,
			                                     first->valuestring);
	}
	return setup;
}

char *
wgc_setup_words(const wgc_setup *setup, const cJSON *hello)
{
	wgc_string out = { 0 };
	wgc_put(&out, setup->profile);
	for (int c = 0; c < WGC_CHOICES; c++)
		if (setup->choices[c] != NULL &&
		    cJSON_GetArraySize(options_of(hello, (wgc_choice)c)) > 1)
			wgc_putf(&out, ", %s=%s", wgc_choice_names[c],
			         setup->choices[c]);
	return out.ptr;
}

/* One pass over the items: `changed` is the choice that it is about, or
 * WGC_CHOICES for the base. */
typedef struct pass {
	wgc_setup setup;
	wgc_choice changed;
	bool first; /* of the profiles */
} pass;

/* Intents and grants are the same in both profiles, as is a vector that names
 * none. */
static bool
is_for_any_profile(const item *what)
{
	if (what->vector != NULL)
		return wgc_json_get(what->vector->json, "profiles") == NULL;
	return what->property->profiles == NULL &&
	       (strcmp(what->component, "intent") == 0 ||
	        strcmp(what->component, "grant") == 0);
}

static bool
concerns(const pass *p, const item *what)
{
	if (!p->first && is_for_any_profile(what))
		return false;
	if (p->changed == WGC_CHOICES)
		return true;
	if (!wgc_choice_concerns(p->changed, what->component))
		return false;
	if (what->property == NULL)
		return true;
	for (size_t i = 0; i < what->property->choice_count; i++)
		if (what->property->choices[i] == p->changed)
			return true;
	return false;
}

static wgc_fit
property_fits(const wgc_property *p, const cJSON *hello,
              const wgc_setup *setup, char **why)
{
	bool profile = p->profiles == NULL;
	*why = NULL;
	for (size_t i = 0; !profile && p->profiles[i] != NULL; i++)
		profile = strcmp(p->profiles[i], setup->profile) == 0;
	if (!profile)
		return WGC_OTHER_SETUP;
	wgc_fit fit = WGC_FIT;
	for (size_t i = 0; fit == WGC_FIT && p->operations != NULL &&
	                   p->operations[i] != NULL; i++)
		fit = wgc_needs_fit(p->operations[i], NULL, hello, why);
	for (size_t i = 0; fit == WGC_FIT && p->features != NULL &&
	                   p->features[i] != NULL; i++)
		fit = wgc_needs_fit(NULL, p->features[i], hello, why);
	return fit;
}

/* Note why not, unless it was run before or a graver reason is known. */
static bool
fits(const run *r, const pass *p, item *what)
{
	char *why = NULL;
	if (!concerns(p, what))
		return false;
	wgc_fit fit = what->vector != NULL
	                      ? wgc_vector_fits(what->vector, r->subject->hello,
	                                        &p->setup, &why)
	                      : property_fits(what->property, r->subject->hello,
	                                      &p->setup, &why);
	what->profile_seen |= fit != WGC_OTHER_SETUP;
	if (fit > what->fit) {
		free(what->reason);
		what->fit = fit;
		what->reason = why;
	} else {
		free(why);
	}
	return fit == WGC_FIT;
}

/* --- Running --- */

static int
gravity(const wgc_outcome *outcome)
{
	switch (outcome->verdict) {
	case WGC_FAIL: return 3;
	case WGC_SKIPPED: return 2;
	case WGC_UNPROVEN: return 1;
	case WGC_PASS: return 0;
	}
	return 3;
}

static void
settle(run *r, const pass *p, item *what, wgc_outcome *one)
{
	what->runs++;
	what->asked += one->asked;
	what->passed += one->verdict == WGC_PASS;
	if (one->tier != NULL && one->verdict == WGC_PASS &&
	    (r->tier == NULL || strcmp(one->tier, r->tier) > 0))
		r->tier = one->tier;
	if (what->runs > 1 && gravity(one) <= gravity(&what->outcome)) {
		wgc_outcome_clear(one);
		return;
	}
	wgc_outcome_clear(&what->outcome);
	what->outcome = *one;
	free(what->where);
	what->where = wgc_setup_words(&p->setup, r->subject->hello);
}

static void
show_progress(const run *r, const char *what)
{
	static const char bar[] = "####################";
	if (!r->options->progress)
		return;
	size_t filled = r->steps == 0 ? 0 : r->done * 20 / r->steps;
	fprintf(stderr, "\r[%-20.*s] %3zu%%  %-40.40s", (int)filled, bar,
	        r->steps == 0 ? 0 : r->done * 100 / r->steps, what);
	fflush(stderr);
}

static void
end_progress(const run *r)
{
	if (r->options->progress)
		fprintf(stderr, "\r%-70s\r", "");
}

static size_t
component_index(const char *component)
{
	size_t i = 0;
	while (wgc_components[i] != NULL &&
	       strcmp(wgc_components[i], component) != 0)
		i++;
	return i;
}

static void
run_vectors(run *r, const pass *p, const char *component)
{
	const wgc_vector **vectors = wgc_alloc(r->n * sizeof(*vectors));
	item **items = wgc_alloc(r->n * sizeof(*items));
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++) {
		item *what = &r->items[i];
		if (what->vector == NULL ||
		    strcmp(what->component, component) != 0 || !fits(r, p, what))
			continue;
		vectors[n] = what->vector;
		items[n++] = what;
	}
	wgc_outcome *outcomes = wgc_alloc(n * sizeof(*outcomes));
	char *stream = wgc_setup_words(&p->setup, r->subject->hello);
	show_progress(r, component);
	wgc_vectors_run(r->subject, vectors, n, &p->setup,
	                wgc_random_for(r->options->seed, stream),
	                &r->deaths[component_index(component)], outcomes);
	for (size_t i = 0; i < n; i++)
		settle(r, p, items[i], &outcomes[i]);
	free(stream);
	free(outcomes);
	free(items);
	free(vectors);
}

static void
run_property(run *r, const pass *p, item *what)
{
	wgc_outcome one = { 0 };
	size_t *deaths = &r->deaths[component_index(what->component)];
	show_progress(r, what->id);
	if (*deaths >= WGC_MAX_DEATHS) {
		one.verdict = WGC_FAIL;
		one.kind = WGC_CRASH;
		wgc_outcome_say(&one, "ABORTED: three requests of this component "
		                      "ended the process");
	} else if (!r->subject->configure(r->subject, &p->setup)) {
		one.verdict = WGC_FAIL;
		one.kind = WGC_CRASH;
		wgc_outcome_say(&one, "%s", r->subject->why);
	} else {
		wgc_property_run(r->subject, what->property,
		                 wgc_random_for(r->options->seed, what->id),
		                 r->options->cases, r->options->budget_s, &one);
	}
	*deaths += one.verdict == WGC_FAIL && one.kind >= WGC_CRASH;
	settle(r, p, what, &one);
}

static void
run_pass(run *r, const pass *p)
{
	for (size_t c = 0; wgc_components[c] != NULL; c++) {
		const char *component = wgc_components[c];
		if (!wgc_has_component(r->subject->hello, component))
			continue;
		run_vectors(r, p, component);
		for (size_t i = 0; i < r->n; i++)
			if (r->items[i].property != NULL &&
			    strcmp(r->items[i].component, component) == 0 &&
			    fits(r, p, &r->items[i]))
				run_property(r, p, &r->items[i]);
		r->done++;
	}
}

static void
run_profile(run *r, const char *profile, bool first)
{
	const cJSON *hello = r->subject->hello;
	pass base = { wgc_base_setup(hello, profile), WGC_CHOICES, first };
	run_pass(r, &base);
	for (int c = 0; c < WGC_CHOICES; c++) {
		const cJSON *option = options_of(hello, (wgc_choice)c);
		option = option == NULL ? NULL : option->child;
		for (option = option == NULL ? NULL : option->next;
		     option != NULL; option = option->next) {
			pass other = base;
			other.changed = (wgc_choice)c;
			other.setup.choices[c] = wgc_choice_option(
			        (wgc_choice)c, option->valuestring);
			run_pass(r, &other);
		}
	}
}

static void
count_steps(run *r)
{
	const cJSON *hello = r->subject->hello;
	size_t passes = 1;
	for (int c = 0; c < WGC_CHOICES; c++) {
		int options = cJSON_GetArraySize(options_of(hello, (wgc_choice)c));
		passes += options > 1 ? (size_t)options - 1 : 0;
	}
	r->steps = passes *
	           (size_t)cJSON_GetArraySize(wgc_json_get(hello, "profiles")) *
	           (size_t)cJSON_GetArraySize(wgc_json_get(hello, "components"));
}

static void
run_all(run *r)
{
	const cJSON *profile = wgc_json_get(r->subject->hello, "profiles")->child;
	bool first = true;
	count_steps(r);
	for (; profile != NULL; profile = profile->next) {
		const char *name = profile->valuestring;
		if (r->options->profile != NULL &&
		    strcmp(r->options->profile, name) != 0)
			continue;
		run_profile(r, name, first);
		first = false;
	}
	end_progress(r);
}

/* --- Results --- */

/* What was kept from being asked by fixed configuration is a hole in the proof
 * only if nothing else speaks for the rule. */
static bool
is_spoken_for(const run *r, const char *rule)
{
	for (size_t i = 0; i < r->n; i++) {
		const item *what = &r->items[i];
		if (what->runs > 0 && what->vector != NULL &&
		    wgc_json_lists(what->vector->rules, rule))
			return true;
		for (size_t k = 0; what->runs > 0 && what->property != NULL &&
		                   what->property->rules[k] != NULL; k++)
			if (strcmp(what->property->rules[k], rule) == 0)
				return true;
	}
	return false;
}

static bool
leaves_a_hole(const run *r, const item *what)
{
	if (what->fit == WGC_CANNOT_ASK)
		return true;
	if (what->fit != WGC_FIXED || what->vector == NULL)
		return what->fit == WGC_FIXED;
	for (const cJSON *rule = what->vector->rules->child; rule != NULL;
	     rule = rule->next)
		if (!is_spoken_for(r, rule->valuestring))
			return true;
	return false;
}

static const char *
verdict_of(const run *r, const item *what)
{
	if (what->runs > 0)
		return wgc_verdict_name(what->outcome.verdict);
	return what->fit != WGC_OTHER_SETUP && leaves_a_hole(r, what)
	               ? "UNPROVEN" : "NOT_APPLICABLE";
}

static const char *
failure_of(const wgc_outcome *outcome)
{
	if (outcome->verdict != WGC_FAIL)
		return NULL;
	switch (outcome->kind) {
	case WGC_CRASH: return "CRASH";
	case WGC_HANG: return "HANG";
	case WGC_PROTOCOL: return "PROTOCOL";
	default: return outcome->flaky ? "FLAKY" : "MISMATCH";
	}
}

static void
add_text(cJSON *object, const char *name, const char *text)
{
	if (text != NULL)
		cJSON_AddStringToObject(object, name, text);
}

static void
add_copy(cJSON *object, const char *name, const cJSON *value)
{
	if (value != NULL)
		cJSON_AddItemToObject(object, name, cJSON_Duplicate(value, true));
}

/* A report is for reading: a hundred replies of a megabyte are none. The start
 * of a text (UTF-8 in the tree) tells enough. */
#define MAX_TEXT 4000

static void
shorten_text(cJSON *string)
{
	size_t all = strlen(string->valuestring), kept = MAX_TEXT;
	if (all <= MAX_TEXT + 100)
		return;
	while (kept > 0 && ((unsigned char)string->valuestring[kept] & 0xC0) == 0x80)
		kept--;
	char *shown = wgc_format("%.*s... (cut: %zu bytes)", (int)kept,
	                         string->valuestring, all);
	cJSON_SetValuestring(string, shown);
	free(shown);
}

static void
shorten(cJSON *value)
{
	if (cJSON_IsString(value))
		shorten_text(value);
	else if (cJSON_IsArray(value) || cJSON_IsObject(value))
		for (cJSON *part = value->child; part != NULL; part = part->next)
			shorten(part);
}

static void
add_short(cJSON *object, const char *name, const cJSON *value)
{
	if (value == NULL)
		return;
	cJSON *copy = cJSON_Duplicate(value, true);
	shorten(copy);
	cJSON_AddItemToObject(object, name, copy);
}

static cJSON *
rules_of(const item *what)
{
	if (what->vector != NULL)
		return cJSON_Duplicate(what->vector->rules, true);
	cJSON *rules = cJSON_CreateArray();
	for (size_t i = 0; what->property->rules[i] != NULL; i++)
		cJSON_AddItemToArray(rules,
		                     cJSON_CreateString(what->property->rules[i]));
	return rules;
}

/* Others ended the process; this one only stood behind them. */
static bool
is_aborted(const wgc_outcome *outcome)
{
	return outcome->verdict == WGC_FAIL && outcome->kind == WGC_CRASH &&
	       outcome->detail != NULL &&
	       (strstr(outcome->detail, "not asked: ") != NULL ||
	        strncmp(outcome->detail, "ABORTED", 7) == 0);
}

static cJSON *
result_json(const run *r, const item *what)
{
	const wgc_outcome *o = &what->outcome;
	cJSON *json = cJSON_CreateObject();
	add_text(json, "id", what->id);
	add_text(json, "kind", what->vector != NULL ? "vector" : "property");
	add_text(json, "component", what->component);
	cJSON_AddItemToObject(json, "rules", rules_of(what));
	add_text(json, "level", what->level);
	add_text(json, "claim", what->claim);
	add_text(json, "importance", what->importance);
	add_text(json, "why", what->why);
	add_text(json, "verdict", verdict_of(r, what));
	add_text(json, "failure", failure_of(o));
	if (is_aborted(o))
		cJSON_AddBoolToObject(json, "aborted", true);
	cJSON_AddNumberToObject(json, "runs", (double)what->runs);
	cJSON_AddNumberToObject(json, "passed", (double)what->passed);
	cJSON_AddNumberToObject(json, "asked", (double)what->asked);
	add_text(json, "detail", what->runs > 0 ? o->detail : what->reason);
	if (what->runs > 0 && o->verdict != WGC_PASS)
		add_text(json, "where", what->where);
	add_text(json, "token", o->token);
	add_text(json, "tier", o->tier);
	add_short(json, "request", o->request);
	add_short(json, "reply", o->reply);
	add_short(json, "expected", o->expected);
	add_copy(json, "timeline", o->timeline);
	return json;
}

/* --- Results about the conversation itself --- */

static cJSON *
protocol_json(const char *id, const char *why, const char *verdict,
              const char *detail)
{
	cJSON *json = cJSON_CreateObject();
	add_text(json, "id", id);
	add_text(json, "kind", "protocol");
	add_text(json, "component", "protocol");
	cJSON_AddItemToObject(json, "rules", cJSON_CreateArray());
	add_text(json, "level", "MUST");
	add_text(json, "claim", "exact");
	add_text(json, "importance", "high");
	add_text(json, "why", why);
	add_text(json, "verdict", verdict);
	add_text(json, "detail", detail);
	return json;
}

static bool
is_filtered(const wgc_run_options *o)
{
	return o->components != NULL || o->only != NULL || o->profile != NULL ||
	       o->cases < WGC_CASES_WHOLE;
}

static bool
is_answered(const run *r, const char *component)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].runs > 0 &&
		    r->items[i].outcome.verdict != WGC_SKIPPED &&
		    (component == NULL ||
		     strcmp(r->items[i].component, component) == 0))
			return true;
	return false;
}

/* A claim that nothing asks about proves nothing: of a component for which the
 * suite has no questions yet, or of nothing at all. */
static cJSON *
claims_json(const run *r)
{
	wgc_string bare = { 0 };
	for (size_t i = 0; wgc_components[i] != NULL; i++)
		if (wgc_has_component(r->subject->hello, wgc_components[i]) &&
		    !is_filtered(r->options) && !is_answered(r, wgc_components[i]))
			wgc_putf(&bare, "%s%s", bare.len > 0 ? ", " : "claimed, and nothing tested it: ",
			         wgc_components[i]);
	if (bare.len == 0 && !is_answered(r, NULL))
		wgc_put(&bare, "nothing was tested");
	cJSON *json = protocol_json("PR-CLAIMS",
	        "something tests each component that is claimed",
	        bare.len > 0 ? "UNPROVEN" : "PASS", bare.ptr);
	free(bare.ptr);
	return json;
}

/* Other deaths are the results of what was asked; these two have nothing else
 * that fails for them. */
static cJSON *
conversation_json(const run *r, const char *id, const char *why,
                  bool about_bye)
{
	const cJSON *incident = wgc_adapter_incidents(r->adapter)->child;
	const cJSON *found = NULL;
	for (; incident != NULL && found == NULL; incident = incident->next) {
		const char *op = wgc_json_string(incident, "op");
		bool bye = strcmp(op, "bye") == 0;
		bool protocol = strcmp(wgc_json_string(incident, "kind"),
		                       "protocol") == 0;
		if (about_bye ? bye : protocol && !bye)
			found = incident;
	}
	cJSON *json = protocol_json(id, why, found == NULL ? "PASS" : "FAIL",
	                            wgc_json_string(found, "why"));
	if (found != NULL)
		add_text(json, "failure",
		         strcmp(wgc_json_string(found, "kind"), "hang") == 0 ? "HANG"
		         : strcmp(wgc_json_string(found, "kind"), "crash") == 0
		                 ? "CRASH" : "PROTOCOL");
	return json;
}

static cJSON *
results_json(run *r)
{
	cJSON *results = cJSON_CreateArray();
	for (size_t i = 0; i < r->n; i++)
		cJSON_AddItemToArray(results, result_json(r, &r->items[i]));
	cJSON_AddItemToArray(results, claims_json(r));
	cJSON_AddItemToArray(results, conversation_json(r, "PR-LINES",
	        "whatever the adapter writes is a well-formed line of the protocol", false));
	cJSON_AddItemToArray(results, conversation_json(r, "PR-BYE",
	        "after bye it exits with status 0 within 5 s, silently", true));
	return results;
}

static cJSON *
header_json(const run *r)
{
	static const char *const copied[] = {
		"implementation", "components", "operations", "profiles",
		"choices", "features", "fixed",
	};
	const wgc_run_options *o = r->options;
	char text[64];
	time_t now = time(NULL);
	struct tm utc;
	cJSON *json = cJSON_CreateObject();
	add_text(json, "suite", WGC_SUITE_VERSION);
	add_text(json, "protocol", WGC_PROTOCOL_NAME);
	add_text(json, "corpus", wgc_corpus_sha256);
	snprintf(text, sizeof(text), "%" PRIu64, o->seed);
	add_text(json, "seed", text);
	cJSON_AddNumberToObject(json, "cases", (double)o->cases);
	if (gmtime_r(&now, &utc) != NULL &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc) > 0)
		add_text(json, "ended", text);
	cJSON *argv = cJSON_AddArrayToObject(json, "adapter");
	for (size_t i = 0; o->argv[i] != NULL; i++)
		cJSON_AddItemToArray(argv, cJSON_CreateString(o->argv[i]));
	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		add_copy(json, copied[i], wgc_json_get(r->subject->hello, copied[i]));
	add_text(json, "tier", wgc_has_component(r->subject->hello, "grant")
	                               ? (r->tier == NULL ? "C0" : r->tier) : NULL);
	cJSON_AddBoolToObject(json, "filtered", is_filtered(o));
	return json;
}

/* --- The count --- */

typedef struct tally {
	size_t executed, passed, failed, known, skipped, unproven, apart;
	size_t must_failed, must_known;
	size_t must_open; /* skipped or unproven, and nobody said that it is known */
	size_t open;      /* the same, known or not */
} tally;

static bool
is(const cJSON *result, const char *member, const char *value)
{
	const char *text = wgc_json_string(result, member);
	return text != NULL && strcmp(text, value) == 0;
}

static void
count_one(tally *t, const cJSON *result, bool should)
{
	bool must = should || is(result, "level", "MUST");
	bool known = wgc_json_get(result, "known") != NULL;
	long long runs = 0;
	wgc_json_integer(wgc_json_get(result, "runs"), &runs);
	t->executed += runs > 0 && !is(result, "verdict", "SKIPPED");
	if (is(result, "verdict", "PASS")) {
		t->passed++;
	} else if (is(result, "verdict", "FAIL")) {
		*(known ? &t->known : &t->failed) += 1;
		t->must_failed += must && !known;
		t->must_known += must && known;
	} else if (is(result, "verdict", "SKIPPED")) {
		t->skipped++;
		t->must_open += must && !known;
		t->open += must;
	} else if (is(result, "verdict", "UNPROVEN")) {
		t->unproven++;
		t->must_open += must;
		t->open += must;
	} else {
		t->apart++;
	}
}

static const char *
summary_of(const tally *t, bool filtered)
{
	if (t->executed == 0)
		return "NOTHING TESTED";
	if (t->must_failed > 0)
		return "NON-CONFORMANT";
	if (t->must_known > 0)
		return "NON-CONFORMANT (known)";
	return t->open > 0 || filtered ? "PARTIAL" : "CONFORMANT";
}

static wgc_exit
exit_of(const tally *t, const wgc_run_options *o, bool complaints)
{
	if (t->executed == 0 || t->must_failed > 0)
		return WGC_EXIT_FAIL;
	if (complaints)
		return WGC_EXIT_EXPECTED;
	if (t->must_open > 0 && !o->allow_partial)
		return WGC_EXIT_PARTIAL;
	return WGC_EXIT_PASS;
}

static cJSON *
footer_json(const run *r, const cJSON *results, const wgc_string *complaints,
            bool filtered)
{
	tally t = { 0 };
	for (const cJSON *one = results->child; one != NULL; one = one->next)
		count_one(&t, one, r->options->should);
	wgc_adapter_stats stats = wgc_adapter_stats_of(r->adapter);
	const struct {
		const char *name;
		size_t count;
	} counts[] = {
		{ "results", (size_t)cJSON_GetArraySize(results) },
		{ "passed", t.passed },     { "failed", t.failed },
		{ "known", t.known },       { "skipped", t.skipped },
		{ "unproven", t.unproven }, { "not_applicable", t.apart },
		{ "requests", stats.requests }, { "processes", stats.processes },
	};
	cJSON *json = cJSON_CreateObject();
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		cJSON_AddNumberToObject(json, counts[i].name,
		                        (double)counts[i].count);
	cJSON *list = cJSON_AddArrayToObject(json, "complaints");
	char *copy = wgc_copy(complaints->ptr == NULL ? "" : complaints->ptr);
	for (char *rest = copy, *end; (end = strchr(rest, '\n')) != NULL;
	     rest = end + 1) {
		*end = '\0';
		cJSON_AddItemToArray(list, cJSON_CreateString(rest));
	}
	free(copy);
	add_text(json, "verdict", summary_of(&t, filtered));
	cJSON_AddNumberToObject(json, "exit",
	                        exit_of(&t, r->options, complaints->len > 0));
	cJSON_AddBoolToObject(json, "complete", true);
	return json;
}

bool
wgc_report_is_complete(const cJSON *report)
{
	const cJSON *footer = wgc_json_get(report, "footer");
	long long results = -1;
	wgc_json_integer(wgc_json_get(footer, "results"), &results);
	return is(report, "format", WGC_REPORT_FORMAT) &&
	       cJSON_IsTrue(wgc_json_get(footer, "complete")) &&
	       results == cJSON_GetArraySize(wgc_json_get(report, "results"));
}

static void
apply_expected(run *r, cJSON *results, wgc_string *complaints, bool filtered)
{
	if (r->options->expected == NULL)
		return;
	wgc_expected *expected = wgc_expected_load(
	        r->options->expected, r->options->today, complaints);
	if (expected == NULL)
		wgc_putf(complaints, "%s: cannot be read\n", r->options->expected);
	else
		wgc_expected_apply(expected, results, !filtered,
		                   r->options->allow_critical, complaints);
	wgc_expected_free(expected);
}

static cJSON *
report_json(run *r)
{
	wgc_string complaints = { 0 };
	cJSON *report = cJSON_CreateObject();
	cJSON *header = header_json(r);
	bool filtered = cJSON_IsTrue(wgc_json_get(header, "filtered"));
	cJSON *results = results_json(r);
	apply_expected(r, results, &complaints, filtered);
	add_text(report, "format", WGC_REPORT_FORMAT);
	cJSON_AddItemToObject(report, "header", header);
	cJSON_AddItemToObject(report, "results", results);
	add_copy(report, "incidents", wgc_adapter_incidents(r->adapter));
	cJSON_AddItemToObject(report, "footer",
	                      footer_json(r, results, &complaints, filtered));
	free(complaints.ptr);
	return report;
}

static void
free_items(run *r)
{
	for (size_t i = 0; i < r->n; i++) {
		wgc_outcome_clear(&r->items[i].outcome);
		free(r->items[i].where);
		free(r->items[i].reason);
	}
	free(r->items);
}

#define LAST_WORDS 2000

void
wgc_say_no_adapter(const wgc_adapter *adapter, const char *why)
{
	const cJSON *incidents = wgc_adapter_incidents(adapter);
	const cJSON *last = cJSON_GetArrayItem(incidents, cJSON_GetArraySize(incidents) - 1);
	const char *words = wgc_json_string(last, "stderr");
	fprintf(stderr, "wicketgate-conformance: the adapter: %s\n", why);
	if (words != NULL && *words != '\0') {
		size_t len = strlen(words);
		fprintf(stderr, "what it wrote on standard error:\n%s\n",
		        words + (len > LAST_WORDS ? len - LAST_WORDS : 0));
	}
	fputs("`wicketgate-conformance doctor -- COMMAND` shows the conversation\n", stderr);
}

cJSON *
wgc_run(const wgc_run_options *options)
{
	const char *why;
	run r = { .options = options };
	r.adapter = wgc_adapter_new(options->argv, options->patience);
	r.subject = wgc_adapter_subject(r.adapter);
	cJSON *report = NULL;
	if (wgc_adapter_start(r.adapter, &why)) {
		collect(&r);
		run_all(&r);
		wgc_adapter_stop(r.adapter);
		report = report_json(&r);
	} else {
		wgc_say_no_adapter(r.adapter, why);
	}
	free_items(&r);
	wgc_adapter_free(r.adapter);
	return report;
}
