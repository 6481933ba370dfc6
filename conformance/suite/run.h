/* run.h - everything that is asked of one adapter, and what came of it.
 *
 * The result is one JSON document (format wicketgate-conformance-report/1); all
 * other reports are drawn from it (report.h). */
#ifndef WGC_RUN_H
#define WGC_RUN_H

#include "adapter.h"
#include "ask.h"
#include "json.h"

/* Exit codes of the command. */
typedef enum wgc_exit {
	WGC_EXIT_PASS = 0,
	WGC_EXIT_FAIL = 1,        /* a requirement is not met, or nothing was tested */
	WGC_EXIT_USAGE = 2,
	WGC_EXIT_NO_ADAPTER = 3,  /* did not start, or did not shake hands */
	WGC_EXIT_EXPECTED = 4,    /* the file of expected failures is not true */
	WGC_EXIT_INCOMPLETE = 5,  /* the suite itself, or a report, is not whole */
	WGC_EXIT_PARTIAL = 6      /* a MUST was skipped or could not be asked */
} wgc_exit;

typedef struct wgc_run_options {
	char *const *argv;      /* of the adapter */
	unsigned patience;
	uint64_t seed;
	size_t cases;           /* of each property */
	double budget_s;        /* at most, for each property */
	const char *components; /* "fence,grant"; NULL: all that are claimed */
	const char *only;       /* ids, `*` at the end allowed; NULL: all */
	const char *profile;    /* NULL: all that are declared */
	const char *expected, *today;
	bool allow_critical, allow_partial, should;
	bool progress;          /* draw on standard error */
} wgc_run_options;

/* With fewer cases of each property something is left out. */
#define WGC_CASES_WHOLE 300

#define WGC_REPORT_FORMAT "wicketgate-conformance-report/1"

/* The report; its footer says how to exit. NULL: the adapter did not start, and
 * why was said on standard error. */
cJSON *wgc_run(const wgc_run_options *options);
/* Why it did not start, its last words, and what to do, on standard error. */
void wgc_say_no_adapter(const wgc_adapter *adapter, const char *why);
/* Is `report` whole? A report without its footer proves nothing. */
bool wgc_report_is_complete(const cJSON *report);

/* "hardened, length_unit=utf16": what a setup is, where it is not the default. */
char *wgc_setup_words(const wgc_setup *setup, const cJSON *hello);
/* The setup that a profile's first run has: the first option of each choice. */
wgc_setup wgc_base_setup(const cJSON *hello, const char *profile);
/* Is an id in a list, with commas, of ids and beginnings of ids that end with `*`? */
bool wgc_id_matches(const char *patterns, const char *id);

#endif
