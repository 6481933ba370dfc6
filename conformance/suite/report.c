/* report.c - text, TAP, JUnit and badge. */
#include "report.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Shared --- */

const char *
wgc_result_get(const cJSON *result, const char *member)
{
	const char *text = wgc_json_string(result, member);
	return text == NULL ? "" : text;
}

bool
wgc_result_is(const cJSON *result, const char *verdict)
{
	return strcmp(wgc_result_get(result, "verdict"), verdict) == 0;
}

bool
wgc_result_fails(const cJSON *result)
{
	return wgc_result_is(result, "FAIL") &&
	       wgc_json_get(result, "known") == NULL;
}

bool
wgc_result_is_aborted(const cJSON *result)
{
	return cJSON_IsTrue(wgc_json_get(result, "aborted"));
}

char *
wgc_result_tags(const cJSON *result)
{
	return wgc_format("[%s %s %s]", wgc_result_get(result, "level"),
	                  wgc_result_get(result, "claim"),
	                  wgc_result_get(result, "importance"));
}

char *
wgc_result_rules(const cJSON *result)
{
	wgc_string out = { 0 };
	const cJSON *rules = wgc_json_get(result, "rules");
	wgc_put(&out, "");
	for (const cJSON *r = rules == NULL ? NULL : rules->child; r != NULL;
	     r = r->next)
		wgc_putf(&out, "%s%s", out.len > 0 ? " " : "", r->valuestring);
	return out.ptr;
}

char *
wgc_report_name(const cJSON *report)
{
	const cJSON *header = wgc_json_get(report, "header");
	const cJSON *by = wgc_json_get(header, "implementation");
	return wgc_format("%s %s", wgc_result_get(by, "name"),
	                  wgc_result_get(by, "version"));
}

static void
put_words(wgc_string *out, const cJSON *list)
{
	for (const cJSON *w = list == NULL ? NULL : list->child; w != NULL; w = w->next)
		wgc_putf(out, "%s%s", w == list->child ? "" : " ",
		         cJSON_IsString(w) ? w->valuestring : "");
}

char *
wgc_report_scope(const cJSON *report)
{
	const cJSON *header = wgc_json_get(report, "header");
	wgc_string out = { 0 };
	put_words(&out, wgc_json_get(header, "components"));
	wgc_put(&out, out.len > 0 ? " (" : "nothing (");
	put_words(&out, wgc_json_get(header, "profiles"));
	wgc_put(&out, cJSON_IsTrue(wgc_json_get(header, "filtered"))
	                      ? "), only a part of it was asked" : ")");
	return out.ptr;
}

static const cJSON *
results_of(const cJSON *report)
{
	const cJSON *results = wgc_json_get(report, "results");
	return results == NULL ? NULL : results->child;
}

static long long
footer_number(const cJSON *report, const char *name)
{
	long long n = 0;
	wgc_json_integer(wgc_json_get(wgc_json_get(report, "footer"), name), &n);
	return n;
}

static const char *
footer_text(const cJSON *report, const char *name)
{
	return wgc_result_get(wgc_json_get(report, "footer"), name);
}

/* Names, reasons and paths come from anywhere; what reaches a terminal or a log
 * is printable ASCII. Takes the text. */
static void
put_shown(wgc_string *out, wgc_string *text)
{
	wgc_text read = wgc_text_ascii(text->ptr);
	for (size_t i = 0; i < read.len; i++) {
		uint32_t c = read.at[i];
		if (c == '\n' || (c >= 0x20 && c < 0x7F))
			wgc_putf(out, "%c", (int)c);
		else
			wgc_putf(out, "<U+%04" PRIX32 ">", c);
	}
	wgc_text_clear(&read);
	free(text->ptr);
}

/* --- For people --- */

static void
put_member(wgc_string *out, const cJSON *result, const char *member)
{
	const cJSON *value = wgc_json_get(result, member);
	if (value == NULL)
		return;
	char *text = wgc_json_write(value, NULL);
	wgc_putf(out, "     %-8s %.600s%s\n", member, text,
	         strlen(text) > 600 ? "..." : "");
	free(text);
}

static void
put_failure(wgc_string *out, const cJSON *result)
{
	char *tags = wgc_result_tags(result), *rules = wgc_result_rules(result);
	const char *failure = wgc_result_get(result, "failure");
	wgc_putf(out, "%s %s %s %s (%s)\n",
	         *failure != '\0' ? failure : wgc_result_get(result, "verdict"),
	         wgc_result_get(result, "id"), tags, rules,
	         wgc_result_get(result, "where"));
	wgc_putf(out, "     %s\n     %s\n", wgc_result_get(result, "why"),
	         wgc_result_get(result, "detail"));
	put_member(out, result, "request");
	put_member(out, result, "expected");
	put_member(out, result, "reply");
	if (wgc_json_get(result, "token") != NULL)
		wgc_putf(out, "     replay   wicketgate-conformance replay %s ...\n",
		         wgc_result_get(result, "token"));
	wgc_put(out, "\n");
	free(tags);
	free(rules);
}

#define SHOWN 25

static void
put_failures(wgc_string *out, const cJSON *report)
{
	size_t failures = 0, aborted = 0;
	for (const cJSON *r = results_of(report); r != NULL; r = r->next) {
		aborted += wgc_result_fails(r) && wgc_result_is_aborted(r);
		if (wgc_result_fails(r) && !wgc_result_is_aborted(r) &&
		    ++failures <= SHOWN)
			put_failure(out, r);
	}
	if (failures > SHOWN)
		wgc_putf(out, "... and %zu more (--html, --json or --tap show all)\n\n",
		         failures - SHOWN);
	if (aborted > 0)
		wgc_putf(out, "ABORTED: %zu more were not asked after three deaths in their component\n\n",
		         aborted);
	if (failures > 0)
		wgc_put(out, "`wicketgate-conformance explain ID` says more of an id or a rule.\n\n");
}

static bool
is_first_with(const cJSON *report, const cJSON *result)
{
	for (const cJSON *r = results_of(report); r != result; r = r->next)
		if (strcmp(wgc_result_get(r, "verdict"), wgc_result_get(result, "verdict")) == 0 &&
		    strcmp(wgc_result_get(r, "detail"), wgc_result_get(result, "detail")) == 0)
			return false;
	return true;
}

/* What was skipped or could not be asked, once for each reason. */
static void
put_open(wgc_string *out, const cJSON *report, const char *verdict)
{
	for (const cJSON *r = results_of(report); r != NULL; r = r->next) {
		if (!wgc_result_is(r, verdict) || !is_first_with(report, r))
			continue;
		wgc_putf(out, "%s %s:", verdict, wgc_result_get(r, "detail"));
		size_t count = 0;
		for (const cJSON *o = r; o != NULL; o = o->next)
			if (wgc_result_is(o, verdict) &&
			    strcmp(wgc_result_get(o, "detail"), wgc_result_get(r, "detail")) == 0 &&
			    ++count <= 12)
				wgc_putf(out, " %s", wgc_result_get(o, "id"));
		if (count > 12)
			wgc_putf(out, " ... (%zu)", count);
		wgc_put(out, "\n");
	}
}

static void
put_known(wgc_string *out, const cJSON *report)
{
	for (const cJSON *r = results_of(report); r != NULL; r = r->next)
		if (wgc_json_get(r, "known") != NULL)
			wgc_putf(out, "KNOWN %s: %s\n", wgc_result_get(r, "id"),
			         wgc_result_get(r, "known"));
	const cJSON *list = wgc_json_get(wgc_json_get(report, "footer"), "complaints");
	const cJSON *c = list == NULL ? NULL : list->child;
	for (; c != NULL; c = c->next)
		wgc_putf(out, "EXPECTED %s\n", c->valuestring);
}

static void
put_summary(wgc_string *out, const cJSON *report)
{
	const cJSON *header = wgc_json_get(report, "header");
	char *name = wgc_report_name(report), *scope = wgc_report_scope(report);
	wgc_putf(out, "%s, seed %s: ", name, wgc_result_get(header, "seed"));
	wgc_putf(out, "%lld passed, %lld failed, %lld known, %lld skipped, %lld unproven, %lld not applicable",
	         footer_number(report, "passed"), footer_number(report, "failed"),
	         footer_number(report, "known"), footer_number(report, "skipped"),
	         footer_number(report, "unproven"),
	         footer_number(report, "not_applicable"));
	if (wgc_json_get(header, "tier") != NULL)
		wgc_putf(out, "; concurrency %s", wgc_result_get(header, "tier"));
	wgc_putf(out, "\n%s: %s\n", footer_text(report, "verdict"), scope);
	free(scope);
	free(name);
}

void
wgc_report_text(const cJSON *report, wgc_string *out)
{
	wgc_string text = { 0 };
	put_failures(&text, report);
	put_open(&text, report, "SKIPPED");
	put_open(&text, report, "UNPROVEN");
	put_known(&text, report);
	put_summary(&text, report);
	put_shown(out, &text);
}

/* --- TAP --- */

static void
put_tap_text(wgc_string *out, const char *text)
{
	for (; *text != '\0'; text++)
		wgc_putf(out, *text == '#' || *text == '\\' ? "\\%c" : "%c",
		         *text == '\n' ? ' ' : *text);
}

/* A skip is no pass: of a MUST it is `not ok`. */
static bool
is_ok(const cJSON *result)
{
	bool must = strcmp(wgc_result_get(result, "level"), "MUST") == 0;
	if (wgc_result_is(result, "SKIPPED") || wgc_result_is(result, "UNPROVEN"))
		return !must;
	return !wgc_result_is(result, "FAIL");
}

static void
put_directive(wgc_string *out, const cJSON *result)
{
	const char *known = wgc_json_string(result, "known");
	bool must = strcmp(wgc_result_get(result, "level"), "MUST") == 0;
	if (known != NULL) {
		wgc_put(out, " # TODO ");
		put_tap_text(out, known);
	} else if (wgc_result_is(result, "FAIL") && !must) {
		wgc_put(out, " # TODO a SHOULD");
	} else if (is_ok(result) && !wgc_result_is(result, "PASS")) {
		wgc_putf(out, " # SKIP %s: ", wgc_result_get(result, "verdict"));
		put_tap_text(out, wgc_result_get(result, "detail"));
	}
}

static void
put_yaml(wgc_string *out, const cJSON *result)
{
	static const char *const members[] = {
		"verdict", "failure", "where", "detail", "rules",
		"request", "expected", "reply", "token",
	};
	wgc_put(out, "  ---\n");
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const cJSON *value = wgc_json_get(result, members[i]);
		if (value == NULL)
			continue;
		wgc_putf(out, "  %s: ", members[i]); /* JSON is YAML */
		wgc_put_json(out, value);
		wgc_put(out, "\n");
	}
	wgc_put(out, "  ...\n");
}

static void
put_tap(wgc_string *out, const cJSON *report)
{
	size_t number = 0;
	const cJSON *list = wgc_json_get(wgc_json_get(report, "footer"), "complaints");
	wgc_putf(out, "TAP version 14\n1..%d\n",
	         cJSON_GetArraySize(wgc_json_get(report, "results")) +
	                 cJSON_GetArraySize(list));
	for (const cJSON *r = results_of(report); r != NULL; r = r->next) {
		char *tags = wgc_result_tags(r);
		wgc_putf(out, "%s %zu - %s %s ", is_ok(r) ? "ok" : "not ok",
		         ++number, wgc_result_get(r, "id"), tags);
		put_tap_text(out, wgc_result_get(r, "why"));
		put_directive(out, r);
		wgc_put(out, "\n");
		if (!is_ok(r))
			put_yaml(out, r);
		free(tags);
	}
	/* What makes the run exit with 4 must not look green here. */
	const cJSON *c = list == NULL ? NULL : list->child;
	for (; c != NULL; c = c->next) {
		wgc_putf(out, "not ok %zu - expected failures: ", ++number);
		put_tap_text(out, c->valuestring);
		wgc_put(out, "\n");
	}
	char *scope = wgc_report_scope(report);
	wgc_putf(out, "# %s: ", footer_text(report, "verdict"));
	put_tap_text(out, scope);
	wgc_put(out, "\n");
	free(scope);
}

void
wgc_report_tap(const cJSON *report, wgc_string *out)
{
	wgc_string text = { 0 };
	put_tap(&text, report);
	put_shown(out, &text);
}

/* --- JUnit --- */

static void
put_xml(wgc_string *out, const char *text)
{
	for (; *text != '\0'; text++)
		switch (*text) {
		case '&': wgc_put(out, "&amp;"); break;
		case '<': wgc_put(out, "&lt;"); break;
		case '>': wgc_put(out, "&gt;"); break;
		case '"': wgc_put(out, "&quot;"); break;
		default:
			if ((*text >= 0x20 && *text < 0x7F) || *text == '\n')
				wgc_put_bytes(out, text, 1);
			else
				wgc_put(out, "?");
		}
}

static void
put_attribute(wgc_string *out, const char *name, const char *text)
{
	wgc_putf(out, " %s=\"", name);
	put_xml(out, text);
	wgc_put(out, "\"");
}

static void
put_failure_element(wgc_string *out, const cJSON *result)
{
	static const char *const members[] = { "request", "expected", "reply" };
	const char *failure = wgc_result_get(result, "failure");
	wgc_put(out, "<failure");
	put_attribute(out, "type", *failure != '\0' ? failure
	                                            : wgc_result_get(result, "verdict"));
	put_attribute(out, "message", wgc_result_get(result, "detail"));
	wgc_put(out, ">");
	for (size_t i = 0; i < 3; i++) {
		const cJSON *value = wgc_json_get(result, members[i]);
		if (value == NULL)
			continue;
		char *text = wgc_json_write(value, NULL);
		wgc_putf(out, "%s ", members[i]);
		put_xml(out, text);
		wgc_put(out, "\n");
		free(text);
	}
	wgc_put(out, "</failure>");
}

static void
put_testcase(wgc_string *out, const cJSON *result)
{
	char *rules = wgc_result_rules(result), *tags = wgc_result_tags(result);
	char *name = wgc_format("%s %s %s", wgc_result_get(result, "id"), tags,
	                        wgc_result_get(result, "why"));
	wgc_put(out, "    <testcase");
	put_attribute(out, "classname", *rules != '\0' ? rules : "protocol");
	put_attribute(out, "name", name);
	wgc_put(out, ">");
	if (!is_ok(result) && wgc_json_get(result, "known") == NULL) {
		put_failure_element(out, result);
	} else if (!wgc_result_is(result, "PASS")) {
		const char *known = wgc_json_string(result, "known");
		wgc_put(out, "<skipped");
		put_attribute(out, "message", known != NULL
		                                      ? known
		                                      : wgc_result_get(result, "detail"));
		wgc_put(out, "/>");
	}
	wgc_put(out, "</testcase>\n");
	free(name);
	free(rules);
	free(tags);
}

static bool
is_red(const cJSON *result)
{
	return !is_ok(result) && wgc_json_get(result, "known") == NULL;
}

static void
put_testsuite(wgc_string *out, const cJSON *report, const char *component)
{
	size_t tests = 0, failures = 0, skipped = 0;
	for (const cJSON *r = results_of(report); r != NULL; r = r->next)
		if (strcmp(wgc_result_get(r, "component"), component) == 0) {
			tests++;
			failures += is_red(r);
			skipped += !is_red(r) && !wgc_result_is(r, "PASS");
		}
	if (tests == 0)
		return;
	wgc_putf(out, "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
	         component, tests, failures, skipped);
	for (const cJSON *r = results_of(report); r != NULL; r = r->next)
		if (strcmp(wgc_result_get(r, "component"), component) == 0)
			put_testcase(out, r);
	wgc_put(out, "  </testsuite>\n");
}

static void
put_complaints(wgc_string *out, const cJSON *report)
{
	const cJSON *list = wgc_json_get(wgc_json_get(report, "footer"), "complaints");
	int n = cJSON_GetArraySize(list);
	if (n == 0)
		return;
	wgc_putf(out, "  <testsuite name=\"expected failures\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\">\n",
	         n, n);
	for (const cJSON *c = list->child; c != NULL; c = c->next) {
		wgc_put(out, "    <testcase classname=\"expected\"");
		put_attribute(out, "name", c->valuestring);
		wgc_put(out, "><failure type=\"EXPECTED\"");
		put_attribute(out, "message", c->valuestring);
		wgc_put(out, "/></testcase>\n");
	}
	wgc_put(out, "  </testsuite>\n");
}

void
wgc_report_junit(const cJSON *report, wgc_string *out)
{
	static const char *const components[] = {
		"sanitize", "fence", "moderate", "intent", "grant",
		"webhook", "rate", "gateway", "protocol",
	};
	char *name = wgc_report_name(report);
	wgc_put(out, "<?xml version=\"1.0\" encoding=\"US-ASCII\"?>\n<testsuites");
	put_attribute(out, "name", name);
	wgc_put(out, ">\n");
	for (size_t i = 0; i < sizeof(components) / sizeof(components[0]); i++)
		put_testsuite(out, report, components[i]);
	put_complaints(out, report);
	wgc_put(out, "</testsuites>\n");
	free(name);
}

/* --- Badge --- */

static void
put_share(wgc_string *out, const cJSON *report, const char *claim)
{
	size_t all = 0, passed = 0;
	for (const cJSON *r = results_of(report); r != NULL; r = r->next)
		if (strcmp(wgc_result_get(r, "claim"), claim) == 0 &&
		    strcmp(wgc_result_get(r, "level"), "MUST") == 0 &&
		    !wgc_result_is(r, "NOT_APPLICABLE")) {
			all++;
			passed += wgc_result_is(r, "PASS");
		}
	wgc_putf(out, "%s%s %zu/%zu", out->len > 0 ? ", " : "", claim, passed, all);
}

void
wgc_report_badge(const cJSON *report, wgc_string *out)
{
	const char *verdict = footer_text(report, "verdict");
	const char *tier = wgc_result_get(wgc_json_get(report, "header"), "tier");
	wgc_string message = { 0 };
	wgc_put(&message, "");
	put_share(&message, report, "safety");
	put_share(&message, report, "exact");
	if (*tier != '\0')
		wgc_putf(&message, ", %s", tier);
	char *scope = wgc_report_scope(report);
	wgc_putf(&message, "; %s", scope);
	free(scope);
	cJSON *badge = cJSON_CreateObject();
	cJSON_AddNumberToObject(badge, "schemaVersion", 1);
	cJSON_AddStringToObject(badge, "label", "wicketgate conformance");
	cJSON_AddStringToObject(badge, "message", message.ptr);
	cJSON_AddStringToObject(badge, "color",
	                        strcmp(verdict, "CONFORMANT") == 0 ? "brightgreen"
	                        : strcmp(verdict, "PARTIAL") == 0  ? "yellow"
	                                                           : "red");
	wgc_put_json(out, badge);
	wgc_put(out, "\n");
	cJSON_Delete(badge);
	free(message.ptr);
}
