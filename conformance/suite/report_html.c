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
        ":root{color-scheme:light dark;--ok:#1e6b3a;--bad:#b3261e;--odd:#9a5b00;--dim:#6b6b6b;--line:#8884;--okb:#2a7d4614;--badb:#b3261e1f;--oddb:#cc660022}"
        "@media(prefers-color-scheme:dark){:root{--ok:#7fd39a;--bad:#ff8a80;--odd:#ffb95c;--dim:#a0a0a0}}"
        "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:84em;padding:0 1em}"
        "h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2.2em}h3{font-size:1em;margin:.6em 0 .2em}p{margin:.4em 0}"
        ".w{overflow-x:auto}"
        "table{border-collapse:collapse;min-width:100%}"
        "th,td{border-bottom:1px solid var(--line);padding:.3em .7em;text-align:left;vertical-align:top}"
        "thead th{vertical-align:bottom}tbody th,.r{white-space:nowrap}"
        ".s td{min-width:11em;overflow-wrap:anywhere}"
        ".t{min-width:18em;max-width:34em}"
        "code,pre{font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}"
        ".PASS{color:var(--ok)}.FAIL{color:var(--bad);font-weight:600}"
        ".SKIPPED,.UNPROVEN,.KNOWN{color:var(--odd);font-weight:600}"
        "td.PASS{background:var(--okb)}td.FAIL{background:var(--badb)}"
        "td.SKIPPED,td.UNPROVEN,td.KNOWN{background:var(--oddb)}"
        "a{color:inherit}"
        ".NOT_APPLICABLE,.none,small{color:var(--dim);font-weight:400}"
        ".c{font:600 11px ui-monospace,monospace;color:var(--odd);border:1px solid;border-radius:3px;padding:0 2px;margin:0 1px;white-space:nowrap}"
        "article{border-left:3px solid;padding:.1em 1em;margin:1.2em 0}article>*{color:CanvasText;font-weight:400}"
        "summary{cursor:pointer}"
        "svg{width:100%;min-width:46em;height:auto;font:11px ui-monospace,monospace}"
        "@media(max-width:48em){.t{display:none}body{margin:1em auto;padding:0 .6em}th,td{padding:.25em .4em}}";

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

/* One request or reply a line. */
static void
put_lines(wgc_string *out, const cJSON *value)
{
	const cJSON *item = cJSON_IsArray(value) ? value->child : value;
	for (; item != NULL; item = item->next) {
		put_json(out, item);
		if (!cJSON_IsArray(value))
			break;
		wgc_put(out, item->next != NULL ? "\n" : "");
	}
}

/* The start of a rule; the whole of it when it is opened. Code between
 * backticks. */
static void
put_marked(wgc_string *out, const char *text, size_t len)
{
	bool code = false;
	char *copy = wgc_format("%.*s", (int)len, text);
	wgc_text read = wgc_text_ascii(copy);
	for (size_t i = 0; i < read.len; i++) {
		if (read.at[i] == '`')
			wgc_put(out, (code = !code) ? "<code>" : "</code>");
		else
			put_char(out, read.at[i]);
	}
	wgc_put(out, code ? "</code>" : "");
	wgc_text_clear(&read);
	free(copy);
}

#define SHORT_RULE 100

static void
put_rule_text(wgc_string *out, const char *text)
{
	size_t all = strlen(text), len = SHORT_RULE;
	if (all <= SHORT_RULE + 20) {
		put_marked(out, text, all);
		return;
	}
	while (len > SHORT_RULE / 2 && text[len] != ' ')
		len--;
	wgc_put(out, "<details><summary>");
	put_marked(out, text, len);
	wgc_put(out, " ...</summary>... ");
	put_marked(out, text + len, all - len);
	wgc_put(out, "</details>");
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
		if (n > 1)
			wgc_putf(out, "<small>%zu</small> ", i + 1);
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
put_words(wgc_string *out, const cJSON *list)
{
	for (const cJSON *w = list == NULL ? NULL : list->child; w != NULL; w = w->next) {
		put_text(out, cJSON_IsString(w) ? w->valuestring : "");
		wgc_put(out, w->next != NULL ? " " : "");
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
	wgc_putf(out, "%lld&#xA0;%s ", n, strcmp(name, "not_applicable") == 0
	                                          ? "not&#xA0;applicable" : name);
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
		wgc_put(out, cJSON_IsTrue(wgc_json_get(header, "filtered"))
		                     ? "</b> <small>only a part was asked</small>" : "</b>");
	} else if (strcmp(row, "counts") == 0) {
		put_count(out, footer, "passed");
		put_count(out, footer, "failed");
		put_count(out, footer, "known");
		put_count(out, footer, "skipped");
		put_count(out, footer, "unproven");
		put_count(out, footer, "not_applicable");
	} else if (strcmp(row, "choices") == 0) {
		put_choices(out, wgc_json_get(header, row));
	} else if (strcmp(row, "corpus") == 0) {
		char *start = wgc_format("%.12s", wgc_result_get(header, row));
		put_text(out, start);
		free(start);
	} else if (strcmp(row, "adapter") == 0) {
		wgc_put(out, "<code>");
		put_words(out, wgc_json_get(header, row));
		wgc_put(out, "</code>");
	} else if (strcmp(row, "language") == 0) {
		put_text(out, wgc_result_get(wgc_json_get(header, "implementation"), row));
	} else if (cJSON_IsNumber(wgc_json_get(header, row))) {
		wgc_put_json(out, wgc_json_get(header, row));
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
		"features", "fixed", "tier", "seed", "cases", "ended", "suite", "corpus",
		"adapter",
	};
	wgc_put(out, "<div class=\"w\"><table class=\"s\"><thead><tr><th></th>");
	put_names(out, reports, n);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wgc_putf(out, "<tr><th>%s</th>",
		         strcmp(rows[i], "tier") == 0 ? "concurrency" : rows[i]);
		for (size_t k = 0; k < n; k++)
			put_cell(out, reports[k], rows[i]);
		wgc_put(out, "</tr>\n");
	}
	wgc_put(out, "</tbody></table></div>\n");
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

static bool
is_red(const cJSON *result)
{
	return wgc_result_is(result, "FAIL");
}

/* The first failure that speaks of the rule is further down. */
static const char *
first_red(const cJSON *report, const char *rule)
{
	const char *first = NULL;
	for (const cJSON *r = results_of(report); r != NULL; r = r->next) {
		if (!is_red(r) || !speaks_of(r, rule))
			continue;
		if (!wgc_result_is_aborted(r))
			return wgc_result_get(r, "id");
		first = "aborted";
	}
	return first;
}

static void
put_rule_cell(wgc_string *out, const cJSON *report, size_t number,
              const char *rule)
{
	tally t = count_rule(report, rule);
	const char *class = t.failed > 0     ? "FAIL"
	                    : t.known > 0    ? "KNOWN"
	                    : t.skipped > 0  ? "SKIPPED"
	                    : t.unproven > 0 ? "UNPROVEN"
	                    : t.passed > 0   ? "PASS"
	                                     : "none";
	if (t.all == 0)
		wgc_put(out, "<td class=\"none r\">-</td>");
	else if (t.failed + t.known > 0)
		wgc_putf(out, "<td class=\"%s r\"><a href=\"#i%zu-%s\">%s %zu/%zu</a></td>",
		         class, number, first_red(report, rule), class, t.passed, t.all);
	else
		wgc_putf(out, "<td class=\"%s r\">%s %zu/%zu</td>", class, class,
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
	wgc_put(out, "<h2>Rules</h2>\n<p><small>Vectors and properties of each rule that passed, of all that were "
	             "asked; - does not apply. UNPROVEN could not be asked, SKIPPED was declined: neither is a pass.</small></p>\n"
	             "<div class=\"w\"><table><thead><tr><th>rule</th><th class=\"t\"></th>");
	put_names(out, reports, n);
	for (size_t i = 0; i < count; i++) {
		if (rules[i].claim == NULL || !is_spoken_of(reports, n, rules[i].id))
			continue;
		wgc_putf(out, "<tr><th>%s</th><td class=\"t\">", rules[i].id);
		put_rule_text(out, rules[i].text);
		wgc_putf(out, " <small>%s %s %s</small></td>",
		         rules[i].must ? "MUST" : "SHOULD", rules[i].claim,
		         rules[i].profile == NULL ? "" : rules[i].profile);
		for (size_t k = 0; k < n; k++)
			put_rule_cell(out, reports[k], k + 1, rules[i].id);
		wgc_put(out, "</tr>\n");
	}
	wgc_put(out, "</tbody></table></div>\n");
}

/* --- Races --- */

static double
number(const cJSON *object, const char *name)
{
	const cJSON *n = wgc_json_get(object, name);
	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

#define LANE      22
#define LEFT      110
#define WIDTH     780
#define MAX_LANES 16
#define LETTER    6.7 /* how wide one is, about */

/* The lanes of a race, in order of first appearance. Of a hundred calls only
 * those that got something are drawn. */
typedef struct lanes {
	const char *name[MAX_LANES];
	size_t n, left_out;
} lanes;

static size_t
lane_of(const lanes *l, const cJSON *event)
{
	size_t i = 0;
	while (i < l->n && strcmp(l->name[i], wgc_result_get(event, "lane")) != 0)
		i++;
	return i;
}

static bool
has_won(const cJSON *timeline, const char *lane)
{
	for (const cJSON *e = timeline->child; e != NULL; e = e->next)
		if (strcmp(wgc_result_get(e, "lane"), lane) == 0 &&
		    cJSON_IsTrue(wgc_json_get(e, "won")))
			return true;
	return false;
}

static size_t
count_lanes(const cJSON *timeline)
{
	size_t n = 0;
	for (const cJSON *e = timeline->child; e != NULL; e = e->next) {
		const cJSON *p = timeline->child;
		while (p != e && strcmp(wgc_result_get(p, "lane"),
		                        wgc_result_get(e, "lane")) != 0)
			p = p->next;
		n += p == e;
	}
	return n;
}

static lanes
lanes_of(const cJSON *timeline)
{
	lanes l = { .n = 0 };
	size_t all = count_lanes(timeline);
	for (int losers = all <= MAX_LANES; losers < 2 && l.n == 0; losers++)
		for (const cJSON *e = timeline->child; e != NULL; e = e->next)
			if (l.n < MAX_LANES && lane_of(&l, e) == l.n &&
			    (losers || has_won(timeline, wgc_result_get(e, "lane"))))
				l.name[l.n++] = wgc_result_get(e, "lane");
	l.left_out = all - l.n;
	return l;
}

static void
put_event(wgc_string *out, const cJSON *event, size_t lane, double x,
          double width)
{
	const char *what = wgc_result_get(event, "what");
	size_t y = lane * LANE + 2;
	wgc_putf(out, "<rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\" fill=\"%s\" fill-opacity=\".35\" stroke=\"currentColor\"><title>",
	         x, y, width < 2 ? 2 : width, LANE - 5,
	         cJSON_IsTrue(wgc_json_get(event, "won")) ? "#2a7d46" : "#888");
	put_text(out, what);
	wgc_put(out, "</title></rect>");
	if ((double)strlen(what) * LETTER + 6 > width)
		return;
	wgc_putf(out, "<text x=\"%.1f\" y=\"%zu\" fill=\"currentColor\">", x + 3, y + 13);
	put_text(out, what);
	wgc_put(out, "</text>");
}

static void
put_timeline(wgc_string *out, const cJSON *timeline)
{
	double start = 0, end = 0;
	bool any = false;
	lanes l = lanes_of(timeline);
	for (const cJSON *e = timeline->child; e != NULL; e = e->next) {
		double t0 = number(e, "t0"), t1 = number(e, "t1");
		if (lane_of(&l, e) == l.n)
			continue;
		start = !any || t0 < start ? t0 : start;
		end = !any || t1 > end ? t1 : end;
		any = true;
	}
	double scale = end > start ? WIDTH / (end - start) : 0;
	wgc_putf(out, "<div class=\"w\"><svg viewBox=\"0 0 %d %zu\" role=\"img\">",
	         LEFT + WIDTH + 10, l.n * LANE + 4);
	for (size_t i = 0; i < l.n; i++) {
		wgc_putf(out, "<text x=\"0\" y=\"%zu\" fill=\"currentColor\">", i * LANE + 15);
		put_text(out, l.name[i]);
		wgc_put(out, "</text>");
	}
	for (const cJSON *e = timeline->child; e != NULL; e = e->next)
		if (lane_of(&l, e) < l.n)
			put_event(out, e, lane_of(&l, e),
			          LEFT + (number(e, "t0") - start) * scale,
			          (number(e, "t1") - number(e, "t0")) * scale);
	wgc_put(out, "</svg></div>\n");
	if (l.left_out > 0)
		wgc_putf(out, "<p><small>and %zu more</small></p>\n", l.left_out);
}

/* --- Failures --- */

/* Longer ones are folded. */
#define MAX_BLOCK 1500

static void
put_block(wgc_string *out, const cJSON *result, const char *member)
{
	const cJSON *value = wgc_json_get(result, member);
	if (value == NULL)
		return;
	wgc_string text = { 0 };
	put_lines(&text, value);
	bool folded = text.len > MAX_BLOCK;
	wgc_putf(out, folded ? "<details><summary><small>%s</small></summary><code>"
	                     : "<p><small>%s</small><br><code>", member);
	wgc_put(out, text.ptr);
	wgc_put(out, folded ? "</code></details>\n" : "</code></p>\n");
	free(text.ptr);
}

static void
put_head(wgc_string *out, const cJSON *result, size_t number)
{
	char *tags = wgc_result_tags(result), *rules = wgc_result_rules(result);
	const char *failure = wgc_result_get(result, "failure");
	const char *class = wgc_json_get(result, "known") != NULL
	                            ? "KNOWN" : wgc_result_get(result, "verdict");
	wgc_putf(out, "<article class=\"%s\" id=\"i%zu-%s\"><h3><span class=\"%s\">%s</span> %s <small>",
	         class, number, wgc_result_get(result, "id"), class,
	         *failure != '\0' ? failure : wgc_result_get(result, "verdict"),
	         wgc_result_get(result, "id"));
	put_text(out, tags);
	wgc_put(out, " ");
	put_text(out, rules);
	wgc_put(out, "</small></h3>\n<p>");
	put_text(out, wgc_result_get(result, "why"));
	wgc_put(out, " <small>");
	put_text(out, wgc_result_get(result, "where"));
	wgc_put(out, "</small></p>\n");
	free(tags);
	free(rules);
}

static void
put_failure(wgc_string *out, const cJSON *result, size_t number)
{
	put_head(out, result, number);
	wgc_put(out, "<p><code>");
	put_text(out, wgc_result_get(result, "detail"));
	wgc_put(out, "</code></p>\n");
	if (cJSON_IsArray(wgc_json_get(result, "timeline")))
		put_timeline(out, wgc_json_get(result, "timeline"));
	put_block(out, result, "known");
	put_block(out, result, "request");
	put_block(out, result, "expected");
	put_block(out, result, "reply");
	if (wgc_json_get(result, "token") != NULL) {
		wgc_put(out, "<p><small>again</small><br><code>wicketgate-conformance replay ");
		put_text(out, wgc_result_get(result, "token"));
		wgc_put(out, " -- ...</code></p>\n");
	}
	wgc_put(out, "</article>\n");
}

static bool
has_reason(const cJSON *result, const char *verdict, const char *detail)
{
	return wgc_result_is(result, verdict) &&
	       strcmp(wgc_result_get(result, "detail"), detail) == 0;
}

/* What was skipped or could not be asked: each reason once, with its ids. */
static bool
put_open(wgc_string *out, const cJSON *report, const char *verdict)
{
	bool any = false;
	for (const cJSON *r = results_of(report); r != NULL; r = r->next) {
		const char *detail = wgc_result_get(r, "detail");
		const cJSON *first = results_of(report);
		while (first != r && !has_reason(first, verdict, detail))
			first = first->next;
		if (first != r || !has_reason(r, verdict, detail))
			continue;
		any = true;
		wgc_putf(out, "<p><b class=\"%s\">%s</b> ", verdict, verdict);
		put_text(out, detail);
		wgc_put(out, "<br><small>");
		for (const cJSON *o = r; o != NULL; o = o->next)
			if (has_reason(o, verdict, detail))
				wgc_putf(out, "%s ", wgc_result_get(o, "id"));
		wgc_put(out, "</small></p>\n");
	}
	return any;
}

/* Hundreds of these would bury the three that ended the process. */
static void
put_aborted(wgc_string *out, const cJSON *report, size_t number)
{
	size_t n = 0;
	for (const cJSON *r = results_of(report); r != NULL; r = r->next) {
		if (!wgc_result_is_aborted(r))
			continue;
		if (n++ == 0)
			wgc_putf(out, "<p id=\"i%zu-aborted\"><b class=\"FAIL\">ABORTED</b> not asked after three deaths in "
			              "their component<br><small>", number);
		wgc_putf(out, "%s ", wgc_result_get(r, "id"));
	}
	if (n > 0)
		wgc_put(out, "</small></p>\n");
}

static bool
put_complaints(wgc_string *out, const cJSON *report)
{
	const cJSON *list = wgc_json_get(wgc_json_get(report, "footer"), "complaints");
	const cJSON *c = list == NULL ? NULL : list->child;
	bool any = c != NULL;
	for (; c != NULL; c = c->next) {
		wgc_put(out, "<p><b class=\"FAIL\">EXPECTED FAILURES</b> ");
		put_text(out, cJSON_IsString(c) ? c->valuestring : "");
		wgc_put(out, "</p>\n");
	}
	return any;
}

static void
put_all_results(wgc_string *out, const cJSON *report)
{
	wgc_put(out, "<details><summary>All results</summary>\n<div class=\"w\"><table><tbody>\n");
	for (const cJSON *r = results_of(report); r != NULL; r = r->next) {
		char *rules = wgc_result_rules(r);
		wgc_putf(out, "<tr><th>%s</th><td class=\"%s\">%s</td><td>%s</td><td>",
		         wgc_result_get(r, "id"), wgc_result_get(r, "verdict"),
		         wgc_result_get(r, "verdict"), rules);
		put_text(out, wgc_result_get(r, "why"));
		wgc_put(out, "</td></tr>\n");
		free(rules);
	}
	wgc_put(out, "</tbody></table></div></details>\n");
}

static void
put_results(wgc_string *out, const cJSON *report, size_t number, size_t n)
{
	char *name = wgc_report_name(report);
	wgc_put(out, "<h2>");
	if (n > 1)
		wgc_putf(out, "<small>%zu</small> ", number);
	put_text(out, name);
	wgc_put(out, "</h2>\n");
	free(name);
	bool any = put_complaints(out, report);
	for (const cJSON *r = results_of(report); r != NULL; r = r->next)
		if (is_red(r) || wgc_json_get(r, "timeline") != NULL) {
			if (!wgc_result_is_aborted(r))
				put_failure(out, r, number);
			any = true;
		}
	put_aborted(out, report, number);
	any |= put_open(out, report, "SKIPPED");
	any |= put_open(out, report, "UNPROVEN");
	if (!any)
		wgc_put(out, "<p class=\"PASS\">Nothing failed, was skipped or is unproven.</p>\n");
	put_all_results(out, report);
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
		put_results(out, reports[i], i + 1, n);
	wgc_put(out, "</body></html>\n");
}
