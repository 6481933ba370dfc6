/* command.h - options of the command line, and what its commands share. */
#ifndef WGC_COMMAND_H
#define WGC_COMMAND_H

#include "json.h"
#include "run.h"

typedef enum wgc_option {
	WGC_ADAPTER, WGC_SEED, WGC_CASES, WGC_TIME, WGC_COMPONENT, WGC_ONLY,
	WGC_PROFILE, WGC_CHOICE, WGC_LEVEL, WGC_PATIENCE, WGC_EXPECTED,
	WGC_TODAY, WGC_ALLOW_CRITICAL, WGC_ALLOW_PARTIAL, WGC_TAP, WGC_JUNIT,
	WGC_JSON, WGC_HTML, WGC_BADGE, WGC_QUIET, WGC_RULES, WGC_PROPERTIES,
	WGC_FILE, WGC_UNTIL, WGC_UPDATE, WGC_FROM, WGC_FAILURES, WGC_OPTIONS
} wgc_option;

typedef struct wgc_call {
	const char *values[WGC_OPTIONS]; /* NULL: not given; "" for a flag */
	const char *words[64];           /* what is neither option nor its value */
	size_t word_count;
	char **argv;                     /* of the adapter; NULL: not given */
} wgc_call;

/* Say something on standard error and return the code. */
int wgc_complain(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* False, and said why, for anything that is not `allowed` (a string of letters
 * would hide what it means: an array ended by WGC_OPTIONS). */
bool wgc_parse(wgc_call *call, const wgc_option *allowed, int argc,
               char **argv);
void wgc_call_clear(wgc_call *call);
const char *wgc_option_name(wgc_option option);

/* Numbers of options, in words when they are none. */
bool wgc_number(const wgc_call *call, wgc_option option, uint64_t least,
                uint64_t most, uint64_t *value);

/* NULL and said why. "-" is standard output. */
char *wgc_read_file(const char *path, size_t *len);
bool wgc_write_file(const char *path, const char *text, size_t len);

/* --component, if it is given, names components. */
bool wgc_knows_components(const wgc_call *call);

int wgc_command_run(wgc_call *call);
int wgc_command_replay(wgc_call *call);
int wgc_command_explain(wgc_call *call);
int wgc_command_list(wgc_call *call);
int wgc_command_doctor(wgc_call *call);
int wgc_command_copy(wgc_call *call);
int wgc_command_selftest(wgc_call *call);
int wgc_command_expected(wgc_call *call);
int wgc_command_report(wgc_call *call);

#endif
