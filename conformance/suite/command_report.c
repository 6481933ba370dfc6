/* command_report.c - report and expected: work on reports of earlier runs. */
#include "command.h"
#include "expected.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Reports are files that come from anywhere: ids and verdicts go into markup,
 * so they have to look like ids and verdicts. */
static bool
is_name(const char *text)
{
	for (; *text != '\0'; text++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		           "0123456789._-@", *text) == NULL)
			return false;
	return true;
}

static bool
is_sound(const cJSON *report)
{
	if (!wgc_report_is_complete(report))
		return false;
	const cJSON *r = wgc_json_get(report, "results")->child;
	for (; r != NULL; r = r->next) {
		char *rules = wgc_result_rules(r);
		for (char *p = rules; *p != '\0'; p++)
			if (*p == ' ')
				*p = '.';
		bool sound = is_name(wgc_result_get(r, "id")) &&
		             is_name(wgc_result_get(r, "verdict")) &&
		             is_name(wgc_result_get(r, "failure")) && is_name(rules);
		free(rules);
		if (!sound)
			return false;
	}
	return true;
}

static cJSON *
load(const char *path)
{
	const char *why = NULL;
	size_t len;
	char *text = wgc_read_file(path, &len);
	if (text == NULL)
		return NULL;
	cJSON *report = wgc_json_read(text, len, &why);
	free(text);
	if (report != NULL && is_sound(report))
		return report;
	wgc_complain(0, "%s is not a whole report%s%s", path,
	             report == NULL ? ": " : "", report == NULL ? why : "");
	cJSON_Delete(report);
	return NULL;
}

static bool
write_with(const wgc_call *call, wgc_option option, const cJSON *report,
           void (*write)(const cJSON *, wgc_string *))
{
	wgc_string out = { 0 };
	if (call->values[option] == NULL)
		return true;
	write(report, &out);
	bool written = wgc_write_file(call->values[option], out.ptr, out.len);
	free(out.ptr);
	return written;
}

static bool
write_html(const wgc_call *call, cJSON *const *reports, size_t n)
{
	wgc_string out = { 0 };
	if (call->values[WGC_HTML] == NULL)
		return true;
	wgc_report_html((const cJSON *const *)reports, n, &out);
	bool written = wgc_write_file(call->values[WGC_HTML], out.ptr, out.len);
	free(out.ptr);
	return written;
}

static int
draw(const wgc_call *call, cJSON *const *reports, size_t n)
{
	bool several = call->values[WGC_TAP] == NULL &&
	               call->values[WGC_JUNIT] == NULL &&
	               call->values[WGC_BADGE] == NULL;
	if (several && call->values[WGC_HTML] == NULL)
		return wgc_complain(WGC_EXIT_USAGE, "what should be written? --html FILE, for example");
	if (n > 1 && !several)
		return wgc_complain(WGC_EXIT_USAGE, "only --html puts several reports into one file");
	return write_html(call, reports, n) &&
	                       write_with(call, WGC_TAP, reports[0], wgc_report_tap) &&
	                       write_with(call, WGC_JUNIT, reports[0], wgc_report_junit) &&
	                       write_with(call, WGC_BADGE, reports[0], wgc_report_badge)
	               ? 0 : WGC_EXIT_INCOMPLETE;
}

int
wgc_command_report(wgc_call *call)
{
	cJSON *reports[64];
	size_t n = 0;
	int code = 0;
	if (call->word_count == 0)
		return wgc_complain(WGC_EXIT_USAGE, "which reports?");
	while (n < call->word_count && (reports[n] = load(call->words[n])) != NULL)
		n++;
	code = n < call->word_count ? WGC_EXIT_INCOMPLETE : draw(call, reports, n);
	for (size_t i = 0; i < n; i++)
		cJSON_Delete(reports[i]);
	return code;
}

/* --- expected --- */

static void
in_90_days(char until[16])
{
	time_t then = time(NULL) + (time_t)90 * 86400;
	struct tm utc;
	if (gmtime_r(&then, &utc) == NULL ||
	    strftime(until, 16, "%Y-%m-%d", &utc) == 0)
		strcpy(until, "YYYY-MM-DD");
}

/* Keep what is not taken out, comments too, and add what is new. */
static void
apply_diff(const char *old, const char *diff, wgc_string *out)
{
	wgc_put(out, "");
	for (const char *line = old; *line != '\0';) {
		size_t len = strcspn(line, "\n");
		size_t indent = strspn(line, " \t");
		char *removed = wgc_format("-%.*s\n", (int)(len - (indent < len ? indent : 0)),
		                           line + (indent < len ? indent : 0));
		if (strstr(diff, removed) == NULL) {
			wgc_put_bytes(out, line, len);
			wgc_put(out, "\n");
		}
		free(removed);
		line += len + (line[len] == '\n');
	}
	for (const char *line = diff; *line != '\0';) {
		size_t len = strcspn(line, "\n");
		if (*line == '+') {
			wgc_put_bytes(out, line + 1, len - 1);
			wgc_put(out, "\n");
		}
		line += len + (line[len] == '\n');
	}
}

static bool
update(const char *path, const char *diff)
{
	size_t len;
	FILE *file = fopen(path, "r");
	char *old = file == NULL ? wgc_copy("# id      kind  reason or issue                   until\n")
	                         : wgc_read_file(path, &len);
	if (file != NULL)
		fclose(file);
	if (old == NULL)
		return false;
	wgc_string out = { 0 };
	apply_diff(old, diff, &out);
	bool written = wgc_write_file(path, out.ptr, out.len);
	free(out.ptr);
	free(old);
	return written;
}

int
wgc_command_expected(wgc_call *call)
{
	char until[16];
	const char *path = call->values[WGC_FILE];
	in_90_days(until);
	if (call->word_count != 1)
		return wgc_complain(WGC_EXIT_USAGE, "one report (run --json), please");
	if (call->values[WGC_UNTIL] != NULL && !wgc_is_date(call->values[WGC_UNTIL]))
		return wgc_complain(WGC_EXIT_USAGE, "--until is YYYY-MM-DD, not '%s'",
		                    call->values[WGC_UNTIL]);
	if (call->values[WGC_UPDATE] != NULL && path == NULL)
		return wgc_complain(WGC_EXIT_USAGE, "--update needs --file");
	cJSON *report = load(call->words[0]);
	if (report == NULL)
		return WGC_EXIT_INCOMPLETE;
	wgc_string diff = { 0 }, ignored = { 0 };
	wgc_put(&diff, "");
	wgc_expected *expected = path == NULL ? NULL
	                                      : wgc_expected_load(path, "0000-00-00", &ignored);
	wgc_expected_diff(expected, wgc_json_get(report, "results"),
	                  call->values[WGC_UNTIL] == NULL ? until
	                                                  : call->values[WGC_UNTIL],
	                  &diff);
	fputs(diff.ptr, stdout);
	int code = diff.len == 0 ? 0 : WGC_EXIT_EXPECTED;
	if (call->values[WGC_UPDATE] != NULL)
		code = update(path, diff.ptr) ? 0 : WGC_EXIT_INCOMPLETE;
	wgc_expected_free(expected);
	free(diff.ptr);
	free(ignored.ptr);
	cJSON_Delete(report);
	return code;
}
