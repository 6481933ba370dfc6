/* report_html.c - one file, no script, no network; several implementations
 * side by side. ASCII throughout: what draws something is written as a numeric
 * reference, everything else becomes a chip that names it. */
#include "report.h"
#include "protocol.h"
#include "rules.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
        ":root{color-scheme:light dark;--ok:#2a7d46;--bad:#b3261e;--dim:#777;--line:#8884;--chip:#c60}"
        "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em}"
        "h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}"
        "table{border-collapse:collapse;width:100%}"
        "th,td{border-bottom:1px solid var(--line);padding:.25em .6em;text-align:left;vertical-align:top}"
        "thead th{position:sticky;top:0;background:Canvas}"
        "code,pre{font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}"
        ".PASS{color:var(--ok)}.FAIL{color:var(--bad);font-weight:600}"
        ".SKIPPED,.UNPROVEN,.KNOWN{color:var(--chip);font-weight:600}"
        ".NOT_APPLICABLE,.none,small{color:var(--dim)}"
        ".c{font:600 11px ui-monospace,monospace;color:var(--chip);border:1px solid;border-radius:3px;padding:0 2px;margin:0 1px;white-space:nowrap}"
        "article{border-left:3px solid var(--bad);padding:.1em 1em;margin:1em 0}"
        "svg{width:100%;height:auto;font:11px ui-monospace,monospace}";

/* --- Text --- */

static void
put_char(wgc_string *out, uint32_t c)
{
	switch (c) {
	case '&': wgc_put(out, "&amp;"); return;
	case '<': wgc_put(out, "&lt;"); return;
	case '>': wgc_put(out, "&gt;"); return;
	case '"': wgc_put(out, "&quot;"); return;
	default: break;
	}
	if (c >= 0x20 && c < 0x7F)
		wgc_putf(out, "%c", (int)c);
	else if (wgc_is_plain(c))
		wgc_putf(out, "&#x%" PRIX32 ";", c);
	else
		wgc_putf(out, "<span class=\"c\">U+%04" PRIX32 "</span>", c);
}

/* A string of a report's tree. */
static void
put_text(wgc_string *out, const char *text)
{
	wgc_text read = wgc_text_ascii(text);
	for (size_t i = 0; i < read.len; i++)
		put_char(out, read.at[i]);
	wgc_text_clear(&read);
}

/* Long texts are cut: a report of a megabyte input is no help. */
#define MAX_SHOWN 600

static void
put_json_string(wgc_string *out, const char *text)
{
	wgc_text read = wgc_text_ascii(text);
	wgc_put(out, "&quot;");
	for (size_t i = 0; i < read.len && i < MAX_SHOWN; i++) {
		if (read.at[i] == '"' || read.at[i] == '\\')
			wgc_put(out, "\\");
		put_char(out, read.at[i]);
	}
	if (read.len > MAX_SHOWN)
		wgc_putf(out, "<small>... %zu in all</small>", read.len);
	wgc_put(out, "&quot;");
	wgc_text_clear(&read);
}

static void
put_json(wgc_string *out, const cJSON *value)
{
	if (cJSON_IsString(value)) {
		put_json_string(out, value->valuestring);
		return;
	}
	if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) {
		wgc_put_json(out, value);
		return;
	}
	wgc_put(out, cJSON_IsObject(value) ? "{" : "[");
	for (const cJSON *item = value->child; item != NULL; item = item->next) {
		if (cJSON_IsObject(value)) {
			put_json_string(out, item->string);
			wgc_put(out, ": ");
		}
		put_json(out, item);
		if (item->next != NULL)
			wgc_put(out, ", ");
	}
	wgc_put(out, cJSON_IsObject(value) ? "}" : "]");
}

/* --- Heads --- */

static const cJSON *
results_of(const cJSON *report)
{
	const cJSON *results = wgc_json_get(report, "results");
	return results == NULL ? NULL : results->child;
}

static void
put_names(wgc_string *out, const cJSON *const *reports, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *name = wgc_report_name(reports[i]);
		wgc_put(out, "<th>");
		put_text(out, name);
		wgc_put(out, "</th>");
		free(name);
	}
	wgc_put(out, "</tr></thead>\n<tbody>\n");
}

static void
put_list(wgc_string *out, const cJSON *list)
{
	const cJSON *item = list == NULL ? NULL : list->child;
	for (; item != NULL; item = item->next) {
		put_text(out, cJSON_IsString(item) ? item->valuestring : "");
		if (item->next != NULL)
			wgc_put(out, ", ");
	}
}

static void
put_choices(wgc_string *out, const cJSON *choices)
{
	const cJSON *choice = choices == NULL ? NULL : choices->child;
	for (; choice != NULL; choice = choice->next) {
		put_text(out, choice->string);
		wgc_put(out, ": ");
		put_list(out, choice);
		wgc_put(out, "<br>");
	}
}

static void
put_count(wgc_string *out, const cJSON *footer, const char *name)
{
	long long n = 0;
	wgc_json_integer(wgc_json_get(footer, name), &n);
	wgc_putf(out, "%lld %s ", n, name);
}

static void
put_cell(wgc_string *out, const cJSON *report, const char *row)
{
	const cJSON *header = wgc_json_get(report, "header");
	const cJSON *footer = wgc_json_get(report, "footer");
	wgc_put(out, "<td>");
	if (strcmp(row, "verdict") == 0) {
		const char *verdict = wgc_result_get(footer, "verdict");
		wgc_putf(out, "<b class=\"%s\">", strcmp(verdict, "CONFORMANT") == 0
		                                          ? "PASS"
		                                  : strcmp(verdict, "PARTIAL") == 0
		                                          ? "KNOWN" : "FAIL");
		put_text(out, verdict);
		wgc_put(out, "</b>");
	} else if (strcmp(row, "counts") == 0) {
		put_count(out, footer, "passed");
		put_count(out, footer, "failed");
		put_count(out, footer, "known");
		put_count(out, footer, "skipped");
		put_count(out, footer, "unproven");
	} else if (strcmp(row, "choices") == 0) {
		put_choices(out, wgc_json_get(header, row));
	} else if (strcmp(row, "language") == 0) {
		put_text(out, wgc_result_get(wgc_json_get(header, "implementation"), row));
	} else if (cJSON_IsArray(wgc_json_get(header, row))) {
		put_list(out, wgc_json_get(header, row));
	} else {
		put_text(out, wgc_result_get(header, row));
	}
	wgc_put(out, "</td>");
}

static void
put_summary(wgc_string *out, const cJSON *const *reports, size_t n)
{
	static const char *const rows[] = {
		"verdict", "counts", "language", "components", "profiles", "choices",
		"features", "fixed", "tier", "seed", "ended", "corpus",
	};
	wgc_put(out, "<table><thead><tr><th></th>");
	put_names(out, reports, n);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wgc_putf(out, "<tr><th>%s</th>",
		         strcmp(rows[i], "tier") == 0 ? "concurrency" : rows[i]);
		for (size_t k = 0; k < n; k++)
			put_cell(out, reports[k], rows[i]);
		wgc_put(out, "</tr>\n");
	}
	wgc_put(out, "</tbody></table>\n");
}

/* --- The matrix: rules down, implementations across --- */

typedef struct tally {
	size_t all, passed, failed, known, skipped, unproven;
} tally;

static bool
speaks_of(const cJSON *result, const char *rule)
{
	const cJSON *rules = wgc_json_get(result, "rules");
	const cJSON *r = rules == NULL ? NULL : rules->child;
	for (; r != NULL; r = r->next)
		if (wgc_rule_covers(r->valuestring, rule))
			return true;
	return false;
}

/* A claim of one profile says nothing about who declares only the other. */
static bool
is_claimed(const cJSON *report, const char *rule)
{
	const wgc_rule *known = wgc_find_rule(rule);
	const cJSON *header = wgc_json_get(report, "header");
	return known == NULL || known->profile == NULL ||
	       wgc_json_lists(wgc_json_get(header, "profiles"), known->profile);
}

static tally
count_rule(const cJSON *report, const char *rule)
{
	tally t = { 0 };
	if (!is_claimed(report, rule))
		return t;
	for (const cJSON *r = results_of(report); r != NULL; r = r->next) {
		if (!speaks_of(r, rule) || wgc_result_is(r, "NOT_APPLICABLE"))
			continue;
		t.all++;
		t.passed += wgc_result_is(r, "PASS");
		t.failed += wgc_result_fails(r);
		t.known += wgc_result_is(r, "FAIL") && !wgc_result_fails(r);
		t.skipped += wgc_result_is(r, "SKIPPED");
		t.unproven += wgc_result_is(r, "UNPROVEN");
	}
	return t;
}

static void
put_rule_cell(wgc_string *out, const cJSON *report, const char *rule)
{
	tally t = count_rule(report, rule);
	const char *class = t.failed > 0     ? "FAIL"
	                    : t.known > 0    ? "KNOWN"
	                    : t.skipped > 0  ? "SKIPPED"
	                    : t.unproven > 0 ? "UNPROVEN"
	                    : t.passed > 0   ? "PASS"
	                                     : "none";
	if (t.all == 0)
		wgc_put(out, "<td class=\"none\">-</td>");
	else
		wgc_putf(out, "<td class=\"%s\">%s %zu/%zu</td>", class, class,
		         t.passed, t.all);
}

static bool
is_spoken_of(const cJSON *const *reports, size_t n, const char *rule)
{
	for (size_t i = 0; i < n; i++)
		if (count_rule(reports[i], rule).all > 0)
			return true;
	return false;
}

static void
put_matrix(wgc_string *out, const cJSON *const *reports, size_t n)
{
	size_t count;
	const wgc_rule *rules = wgc_all_rules(&count);
	wgc_put(out, "<h2>Rules</h2>\n<table><thead><tr><th>rule</th><th></th>");
	put_names(out, reports, n);
	for (size_t i = 0; i < count; i++) {
		if (rules[i].claim == NULL || !is_spoken_of(reports, n, rules[i].id))
			continue;
		wgc_putf(out, "<tr><th>%s</th><td>", rules[i].id);
		put_text(out, rules[i].text);
		wgc_putf(out, " <small>%s %s %s</small></td>",
		         rules[i].must ? "MUST" : "SHOULD", rules[i].claim,
		         rules[i].profile == NULL ? "" : rules[i].profile);
		for (size_t k = 0; k < n; k++)
			put_rule_cell(out, reports[k], rules[i].id);
		wgc_put(out, "</tr>\n");
	}
	wgc_put(out, "</tbody></table>\n");
}

/* --- Races --- */

static double
number(const cJSON *object, const char *name)
{
	const cJSON *n = wgc_json_get(object, name);
	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

/* The row of an event: one for each lane, in order of first appearance. */
static size_t
lane_of(const cJSON *timeline, const cJSON *event)
{
	const char *name = wgc_result_get(event, "lane");
	size_t lane = 0;
	for (const cJSON *e = timeline->child; e != NULL; e = e->next) {
		bool earlier = false;
		for (const cJSON *p = timeline->child; p != e; p = p->next)
			earlier |= strcmp(wgc_result_get(p, "lane"),
			                  wgc_result_get(e, "lane")) == 0;
		if (strcmp(wgc_result_get(e, "lane"), name) == 0)
			return lane;
		lane += !earlier;
	}
	return lane;
}

#define LANE    22
#define LEFT    110
#define WIDTH   780
#define MAX_EVENTS 200

static void
put_timeline(wgc_string *out, const cJSON *timeline)
{
	double start = 0, end = 0;
	size_t lanes = 0, events = 0;
	for (const cJSON *e = timeline->child; e != NULL; e = e->next) {
		double t0 = number(e, "t0"), t1 = number(e, "t1");
		start = e == timeline->child || t0 < start ? t0 : start;
		end = e == timeline->child || t1 > end ? t1 : end;
		size_t lane = lane_of(timeline, e) + 1;
		lanes = lane > lanes ? lane : lanes;
		if (++events >= MAX_EVENTS)
			break;
	}
	double scale = end > start ? WIDTH / (end - start) : 0;
	wgc_putf(out, "<svg viewBox=\"0 0 %d %zu\" role=\"img\">", LEFT + WIDTH + 10,
	         lanes * LANE + 4);
	events = 0;
	for (const cJSON *e = timeline->child;
	     e != NULL && events < MAX_EVENTS; e = e->next, events++) {
		double x = LEFT + (number(e, "t0") - start) * scale;
		double width = (number(e, "t1") - number(e, "t0")) * scale;
		size_t y = lane_of(timeline, e) * LANE + 2;
		wgc_putf(out, "<text x=\"0\" y=\"%zu\" fill=\"currentColor\">", y + 13);
		put_text(out, wgc_result_get(e, "lane"));
		wgc_putf(out, "</text><rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\" fill=\"%s\" fill-opacity=\".35\" stroke=\"currentColor\"/>",
		         x, y, width < 2 ? 2 : width, LANE - 5,
		         cJSON_IsTrue(wgc_json_get(e, "won")) ? "#2a7d46" : "#888");
		wgc_putf(out, "<text x=\"%.1f\" y=\"%zu\" fill=\"currentColor\">", x + 3, y + 13);
		put_text(out, wgc_result_get(e, "what"));
		wgc_put(out, "</text>");
	}
	wgc_put(out, "</svg>\n");
}

/* --- Failures --- */

static void
put_block(wgc_string *out, const cJSON *result, const char *member)
{
	const cJSON *value = wgc_json_get(result, member);
	if (value == NULL)
		return;
	wgc_putf(out, "<p><small>%s</small><br><code>", member);
	put_json(out, value);
	wgc_put(out, "</code></p>\n");
}

static void
put_failure(wgc_string *out, const cJSON *result)
{
	char *tags = wgc_result_tags(result), *rules = wgc_result_rules(result);
	const char *failure = wgc_result_get(result, "failure");
	bool known = wgc_json_get(result, "known") != NULL;
	wgc_putf(out, "<article><h3><span class=\"%s\">%s</span> %s <small>",
	         known ? "KNOWN" : wgc_result_get(result, "verdict"),
	         *failure != '\0' ? failure : wgc_result_get(result, "verdict"),
	         wgc_result_get(result, "id"));
	put_text(out, tags);
	wgc_put(out, " ");
	put_text(out, rules);
	wgc_put(out, "</small></h3>\n<p>");
	put_text(out, wgc_result_get(result, "why"));
	wgc_put(out, " <small>");
	put_text(out, wgc_result_get(result, "where"));
	wgc_put(out, "</small></p>\n<p><code>");
	put_text(out, wgc_result_get(result, "detail"));
	wgc_put(out, "</code></p>\n");
	put_block(out, result, "known");
	put_block(out, result, "request");
	put_block(out, result, "expected");
	put_block(out, result, "reply");
	if (cJSON_IsArray(wgc_json_get(result, "timeline")))
		put_timeline(out, wgc_json_get(result, "timeline"));
	if (wgc_json_get(result, "token") != NULL) {
		wgc_put(out, "<p><small>replay</small><br><code>wicketgate-conformance replay ");
		put_text(out, wgc_result_get(result, "token"));
		wgc_put(out, " -- ...</code></p>\n");
	}
	wgc_put(out, "</article>\n");
	free(tags);
	free(rules);
}

static bool
is_worth_showing(const cJSON *result)
{
	return wgc_result_is(result, "FAIL") || wgc_result_is(result, "SKIPPED") ||
	       wgc_result_is(result, "UNPROVEN") ||
	       wgc_json_get(result, "timeline") != NULL;
}

static void
put_results(wgc_string *out, const cJSON *report)
{
	char *name = wgc_report_name(report);
	wgc_put(out, "<h2>");
	put_text(out, name);
	wgc_put(out, "</h2>\n");
	free(name);
	bool any = false;
	for (const cJSON *r = results_of(report); r != NULL; r = r->next)
		if (is_worth_showing(r)) {
			put_failure(out, r);
			any = true;
		}
	if (!any)
		wgc_put(out, "<p class=\"PASS\">Nothing failed, was skipped or is unproven.</p>\n");
	wgc_put(out, "<details><summary>All results</summary>\n<table><tbody>\n");
	for (const cJSON *r = results_of(report); r != NULL; r = r->next) {
		char *rules = wgc_result_rules(r);
		wgc_putf(out, "<tr><th>%s</th><td class=\"%s\">%s</td><td>%s</td><td>",
		         wgc_result_get(r, "id"), wgc_result_get(r, "verdict"),
		         wgc_result_get(r, "verdict"), rules);
		put_text(out, wgc_result_get(r, "why"));
		wgc_put(out, "</td></tr>\n");
		free(rules);
	}
	wgc_put(out, "</tbody></table></details>\n");
}

void
wgc_report_html(const cJSON *const *reports, size_t n, wgc_string *out)
{
	wgc_put(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	             "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
	             "<title>wicketgate conformance</title>\n<style>");
	wgc_put(out, style);
	wgc_put(out, "</style></head>\n<body><h1>wicketgate conformance</h1>\n");
	put_summary(out, reports, n);
	put_matrix(out, reports, n);
	for (size_t i = 0; i < n; i++)
		put_results(out, reports[i]);
	wgc_put(out, "</body></html>\n");
}
