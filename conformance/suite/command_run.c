/* command_run.c - run and replay. */
#include "adapter.h"
#include "command.h"
#include "expected.h"
#include "protocol.h"
#include "random.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t
fresh_seed(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t state = (uint64_t)now.tv_sec ^ (uint64_t)now.tv_nsec << 32 ^
	                 (uint64_t)getpid() << 16;
	return wgc_random(&state) >> 16; /* short enough to type again */
}

static bool
take_seed(const wgc_call *call, uint64_t *seed)
{
	const char *text = call->values[WGC_SEED];
	if (text == NULL || strcmp(text, "fresh") != 0)
		return wgc_number(call, WGC_SEED, 0, UINT64_MAX / 10, seed);
	*seed = fresh_seed();
	return true;
}

static bool
is_known_profile(const char *name)
{
	return name == NULL || strcmp(name, "reference") == 0 ||
	       strcmp(name, "hardened") == 0 ||
	       wgc_complain(0, "--profile is reference or hardened, not '%s'", name);
}

static bool
take_level(const wgc_call *call, bool *should)
{
	const char *text = call->values[WGC_LEVEL];
	*should = text != NULL && strcmp(text, "should") == 0;
	return text == NULL || *should || strcmp(text, "must") == 0 ||
	       wgc_complain(0, "--level is must or should, not '%s'", text);
}

static bool
take_today(const wgc_call *call, char today[16])
{
	time_t now = time(NULL);
	struct tm utc;
	const char *text = call->values[WGC_TODAY];
	if (text != NULL && !wgc_is_date(text))
		return wgc_complain(0, "--today is YYYY-MM-DD, not '%s'", text);
	if (text != NULL)
		snprintf(today, 16, "%s", text);
	else if (gmtime_r(&now, &utc) == NULL ||
	         strftime(today, 16, "%Y-%m-%d", &utc) == 0)
		return wgc_complain(0, "what day is it?");
	return true;
}

typedef void report_writer(const cJSON *report, wgc_string *out);

static void
write_json(const cJSON *report, wgc_string *out)
{
	char *text = wgc_json_write_pretty(report);
	wgc_put(out, text);
	free(text);
}

static void
write_html(const cJSON *report, wgc_string *out)
{
	wgc_report_html(&report, 1, out);
}

static const struct {
	wgc_option option;
	report_writer *write;
} writers[] = {
	{ WGC_TAP, wgc_report_tap },     { WGC_JUNIT, wgc_report_junit },
	{ WGC_JSON, write_json },        { WGC_HTML, write_html },
	{ WGC_BADGE, wgc_report_badge },
};
#define WRITERS (sizeof(writers) / sizeof(writers[0]))

static const char *
path_of(const wgc_call *call, size_t writer)
{
	return call->values[writers[writer].option];
}

static bool
write_reports(const wgc_call *call, const cJSON *report)
{
	bool written = true;
	for (size_t i = 0; i < WRITERS; i++) {
		wgc_string out = { 0 };
		if (path_of(call, i) == NULL)
			continue;
		writers[i].write(report, &out);
		written &= wgc_write_file(path_of(call, i), out.ptr, out.len);
		free(out.ptr);
	}
	return written;
}

/* Before anything is asked: a minute is lost if it turns out later, and what an
 * earlier run wrote must not stand there as if it were from this one. */
static bool
empty_reports(const wgc_call *call)
{
	bool written = true;
	for (size_t i = 0; i < WRITERS; i++)
		if (path_of(call, i) != NULL && strcmp(path_of(call, i), "-") != 0)
			written &= wgc_write_file(path_of(call, i), "", 0);
	return written;
}

static bool
are_paths_distinct(const wgc_call *call)
{
	for (size_t i = 0; i < WRITERS; i++)
		for (size_t k = 0; k < i; k++)
			if (path_of(call, i) != NULL && path_of(call, k) != NULL &&
			    strcmp(path_of(call, i), path_of(call, k)) == 0)
				return wgc_complain(0, "two reports cannot both go to %s",
				                    path_of(call, i));
	return true;
}

static bool
is_stdout_taken(const wgc_call *call)
{
	for (size_t i = 0; i < WRITERS; i++)
		if (path_of(call, i) != NULL && strcmp(path_of(call, i), "-") == 0)
			return true;
	return false;
}

static int
show(const wgc_call *call, const cJSON *report)
{
	long long code = WGC_EXIT_INCOMPLETE;
	if (call->values[WGC_QUIET] == NULL) {
		wgc_string out = { 0 };
		wgc_report_text(report, &out);
		fputs(out.ptr, is_stdout_taken(call) ? stderr : stdout);
		free(out.ptr);
	}
	bool written = write_reports(call, report);
	if (fflush(stdout) != 0 || !written || !wgc_report_is_complete(report))
		return WGC_EXIT_INCOMPLETE;
	wgc_json_integer(wgc_json_get(wgc_json_get(report, "footer"), "exit"),
	                 &code);
	return (int)code;
}

static bool
needs_adapter(const wgc_call *call)
{
	return call->argv != NULL ||
	       wgc_complain(0, "which adapter? its command goes after --");
}

int
wgc_command_run(wgc_call *call)
{
	uint64_t cases = WGC_CASES_WHOLE, seconds = 10, patience = 1;
	char today[16];
	wgc_run_options o = {
		.argv = call->argv,
		.seed = 1,
		.components = call->values[WGC_COMPONENT],
		.only = call->values[WGC_ONLY],
		.profile = call->values[WGC_PROFILE],
		.expected = call->values[WGC_EXPECTED],
		.today = today,
		.allow_critical = call->values[WGC_ALLOW_CRITICAL] != NULL,
		.allow_partial = call->values[WGC_ALLOW_PARTIAL] != NULL,
		.progress = isatty(STDERR_FILENO) == 1 &&
		            call->values[WGC_QUIET] == NULL,
	};
	if (!needs_adapter(call) || !take_seed(call, &o.seed) ||
	    !wgc_number(call, WGC_CASES, 1, 10000000, &cases) ||
	    !wgc_number(call, WGC_TIME, 1, 86400, &seconds) ||
	    !wgc_number(call, WGC_PATIENCE, 1, 100, &patience) ||
	    !take_level(call, &o.should) || !take_today(call, today) ||
	    !are_paths_distinct(call) ||
	    !is_known_profile(o.profile) || !wgc_knows_components(call) ||
	    (call->word_count > 0 &&
	     !wgc_complain(0, "what is '%s'? the adapter goes after --",
	                   call->words[0])))
		return WGC_EXIT_USAGE;
	o.cases = (size_t)cases;
	o.budget_s = (double)seconds;
	o.patience = (unsigned)patience;
	if (!empty_reports(call))
		return WGC_EXIT_INCOMPLETE;
	if (!wgc_failures_keep(call->values[WGC_FAILURES]))
		return wgc_complain(WGC_EXIT_INCOMPLETE, "cannot write into %s",
		                    call->values[WGC_FAILURES]);
	cJSON *report = wgc_run(&o);
	if (report == NULL)
		return WGC_EXIT_NO_ADAPTER;
	int code = show(call, report);
	cJSON_Delete(report);
	return code;
}

/* --- replay --- */

static bool
take_choice(const wgc_call *call, wgc_setup *setup)
{
	const char *text = call->values[WGC_CHOICE];
	if (text == NULL)
		return true;
	for (int c = 0; c < WGC_CHOICES; c++) {
		size_t len = strlen(wgc_choice_names[c]);
		if (strncmp(text, wgc_choice_names[c], len) != 0 || text[len] != '=')
			continue;
		setup->choices[c] = wgc_choice_option((wgc_choice)c, text + len + 1);
		if (setup->choices[c] != NULL)
			return true;
	}
	return wgc_complain(0, "--choice is NAME=OPTION of PROTOCOL.md, not '%s'", text);
}

static void
print_json(const char *name, const cJSON *value)
{
	if (value == NULL)
		return;
	char *text = wgc_json_write(value, NULL);
	printf("%-8s %s\n", name, text);
	free(text);
}

static int
replay(const wgc_call *call, wgc_adapter *adapter, const wgc_property *property)
{
	wgc_subject *subject = wgc_adapter_subject(adapter);
	const char *why, *profile = call->values[WGC_PROFILE];
	if (!wgc_adapter_start(adapter, &why)) {
		wgc_say_no_adapter(adapter, why);
		return WGC_EXIT_NO_ADAPTER;
	}
	if (profile == NULL)
		profile = wgc_json_get(subject->hello, "profiles")->child->valuestring;
	wgc_setup setup = wgc_base_setup(subject->hello, profile);
	if (!take_choice(call, &setup))
		return WGC_EXIT_USAGE;
	if (!subject->configure(subject, &setup))
		return wgc_complain(WGC_EXIT_FAIL, "the adapter: %s", subject->why);
	wgc_outcome outcome = { 0 };
	wgc_property_replay(subject, property, call->words[0], &outcome);
	printf("%s %s: %s\n", property->id, wgc_verdict_name(outcome.verdict),
	       outcome.detail == NULL ? property->title : outcome.detail);
	print_json("request", outcome.request);
	print_json("expected", outcome.expected);
	print_json("reply", outcome.reply);
	int code = outcome.verdict == WGC_PASS       ? WGC_EXIT_PASS
	           : outcome.verdict == WGC_UNPROVEN ? WGC_EXIT_PARTIAL
	                                             : WGC_EXIT_FAIL;
	wgc_outcome_clear(&outcome);
	return code;
}

int
wgc_command_replay(wgc_call *call)
{
	const char *why = NULL;
	uint64_t patience = 1;
	if (!needs_adapter(call) || !is_known_profile(call->values[WGC_PROFILE]) ||
	    !wgc_number(call, WGC_PATIENCE, 1, 100, &patience))
		return WGC_EXIT_USAGE;
	if (call->word_count != 1)
		return wgc_complain(WGC_EXIT_USAGE, "one token, please");
	const wgc_property *property = wgc_token_property(call->words[0], &why);
	if (property == NULL)
		return wgc_complain(WGC_EXIT_USAGE, "not a token: %s", why);
	wgc_adapter *adapter = wgc_adapter_new(call->argv, (unsigned)patience);
	int code = replay(call, adapter, property);
	wgc_adapter_free(adapter);
	return code;
}
