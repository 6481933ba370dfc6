/* report.h - one report of a run, drawn in several ways.
 *
 * Everything here is ASCII. A report is a surface too: a failing input full of
 * invisible characters must not do to its reader what it does to a model. */
#ifndef WGC_REPORT_H
#define WGC_REPORT_H

#include "json.h"

/* For people at a terminal: what failed, then one line of counts. */
void wgc_report_text(const cJSON *report, wgc_string *out);
void wgc_report_tap(const cJSON *report, wgc_string *out);     /* TAP 14 */
void wgc_report_junit(const cJSON *report, wgc_string *out);
/* For https://shields.io/badges/endpoint-badge. */
void wgc_report_badge(const cJSON *report, wgc_string *out);
/* One self-contained file with all of them side by side. */
void wgc_report_html(const cJSON *const *reports, size_t n, wgc_string *out);

/* --- What they share (report.c) --- */

/* A result's member, "" if it has none. */
const char *wgc_result_get(const cJSON *result, const char *member);
bool wgc_result_is(const cJSON *result, const char *verdict);
/* FAIL and not known; what makes a run fail if it is a MUST. */
bool wgc_result_fails(const cJSON *result);
/* It was not asked any more, because others had ended the process. */
bool wgc_result_is_aborted(const cJSON *result);
/* "[MUST safety critical]" */
char *wgc_result_tags(const cJSON *result);
/* "F3.1 F4.1" */
char *wgc_result_rules(const cJSON *result);
/* "my-guard 2.1" */
char *wgc_report_name(const cJSON *report);
/* "fence intent (reference)": what a verdict is about. */
char *wgc_report_scope(const cJSON *report);

#endif
