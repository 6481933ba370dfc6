/* expected.c - one line, one promise. */
#include "expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXPANSION 20
/* What `expected` writes for people to replace; it is no reason. */
#define NO_REASON "REASON?"

typedef struct entry {
	char *line, *id, *kind, *reason;
	int number;
	size_t used;
} entry;

struct wgc_expected {
	char *path;
	entry *at;
	size_t n;
};

bool
wgc_is_date(const char *text)
{
	if (strlen(text) != 10)
		return false;
	for (size_t i = 0; i < 10; i++) {
		bool dash = i == 4 || i == 7;
		if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9')
			return false;
	}
	return strncmp(text + 5, "13", 2) < 0 && strncmp(text + 8, "32", 2) < 0;
}

static bool
is_kind(const char *text)
{
	static const char *const kinds[] = { "FAIL", "CRASH", "HANG",
		                             "PROTOCOL", "FLAKY", "SKIP" };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i], text) == 0)
			return true;
	return false;
}

/* Cut the next word off. */
static char *
next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t");
	size_t len = strcspn(word, " \t");
	*rest = word + len;
	if (word[len] != '\0')
		*(*rest)++ = '\0';
	return word;
}

/* Cut the last word off; what is before it loses its trailing spaces. */
static char *
last_word(char *text)
{
	size_t len = strlen(text);
	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		text[--len] = '\0';
	char *word = text + len;
	while (word > text && word[-1] != ' ' && word[-1] != '\t')
		word--;
	for (char *end = word; end > text && (end[-1] == ' ' || end[-1] == '\t');)
		*--end = '\0';
	return word;
}

static void
complain(const wgc_expected *e, const entry *line, wgc_string *complaints,
         const char *what)
{
	wgc_putf(complaints, "%s:%d: %s: %s\n", e->path, line->number,
	         line->id[0] == '\0' ? "?" : line->id, what);
}

static void
check_entry(const wgc_expected *e, const entry *n, const char *until,
            const char *today, wgc_string *complaints)
{
	if (!is_kind(n->kind))
		complain(e, n, complaints,
		         "the kind is FAIL, CRASH, HANG, PROTOCOL, FLAKY or SKIP");
	else if (!wgc_is_date(until))
		complain(e, n, complaints, "no day until which (YYYY-MM-DD, last)");
	else if (strcmp(until, today) < 0)
		complain(e, n, complaints, "expired");
	if (n->reason[strspn(n->reason, " \t")] == '\0' ||
	    strncmp(n->reason, NO_REASON, strlen(NO_REASON)) == 0)
		complain(e, n, complaints, "no reason");
	for (size_t i = 0; i + 1 < e->n; i++)
		if (strcmp(e->at[i].id, n->id) == 0)
			complain(e, n, complaints, "comes twice");
}

static void
add_line(wgc_expected *e, char *line, int number, const char *today,
         wgc_string *complaints)
{
	line[strcspn(line, "\r\n")] = '\0';
	char *start = line + strspn(line, " \t");
	if (*start == '\0' || *start == '#')
		return;
	e->at = wgc_grow(e->at, (e->n + 1) * sizeof(entry));
	entry *n = &e->at[e->n++];
	*n = (entry){ .line = wgc_copy(start), .number = number };
	char *rest = wgc_copy(start);
	n->id = next_word(&rest);
	n->kind = next_word(&rest);
	n->reason = rest;
	char *until = last_word(rest);
	if (until == rest) { /* one word only: a date without a reason */
		until = wgc_copy(until);
		*rest = '\0';
		check_entry(e, n, until, today, complaints);
		free(until);
	} else {
		check_entry(e, n, until, today, complaints);
	}
}

/* What a person who reads the file does not see must not be in it; only a
 * remark may be in any language. */
static bool
is_plain(const char *line, size_t len)
{
	while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	if (line[strspn(line, " \t")] == '#')
		return true;
	for (size_t i = 0; i < len; i++)
		if (line[i] != '\t' && (line[i] < 0x20 || line[i] > 0x7E))
			return false;
	return true;
}

wgc_expected *
wgc_expected_load(const char *path, const char *today, wgc_string *complaints)
{
	FILE *file = fopen(path, "r");
	if (file == NULL)
		return NULL;
	wgc_expected *e = wgc_alloc(sizeof(*e));
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	e->path = wgc_copy(path);
	for (int number = 1; (len = getline(&line, &size, file)) >= 0; number++) {
		if (!is_plain(line, (size_t)len))
			wgc_putf(complaints, "%s:%d: not printable ASCII\n", path, number);
		else
			add_line(e, line, number, today, complaints);
	}
	free(line);
	bool failed = ferror(file) != 0;
	fclose(file);
	if (!failed)
		return e;
	wgc_expected_free(e);
	return NULL;
}

void
wgc_expected_free(wgc_expected *e)
{
	if (e == NULL)
		return;
	for (size_t i = 0; i < e->n; i++) {
		free(e->at[i].line);
		free(e->at[i].id); /* the start of the copy all words are in */
	}
	free(e->at);
	free(e->path);
	free(e);
}

static bool
names(const entry *n, const char *id)
{
	size_t len = strlen(n->id);
	if (len > 0 && n->id[len - 1] == '*')
		return strncmp(n->id, id, len - 1) == 0;
	return strcmp(n->id, id) == 0;
}

static entry *
find(const wgc_expected *e, const char *id)
{
	for (size_t i = 0; i < e->n; i++)
		if (names(&e->at[i], id))
			return &e->at[i];
	return NULL;
}

/* What a result would be called in the file, or NULL if it did not fail. */
static const char *
kind_of(const cJSON *result)
{
	const char *verdict = wgc_json_string(result, "verdict");
	const char *failure = wgc_json_string(result, "failure");
	if (verdict == NULL || strcmp(verdict, "PASS") == 0 ||
	    strcmp(verdict, "NOT_APPLICABLE") == 0 ||
	    strcmp(verdict, "UNPROVEN") == 0)
		return NULL;
	if (strcmp(verdict, "SKIPPED") == 0)
		return "SKIP";
	return failure == NULL || strcmp(failure, "MISMATCH") == 0 ? "FAIL"
	                                                           : failure;
}

static void
apply_one(const wgc_expected *e, entry *n, cJSON *result, bool allow_critical,
          wgc_string *complaints)
{
	const char *kind = kind_of(result);
	const char *importance = wgc_json_string(result, "importance");
	const char *verdict = wgc_json_string(result, "verdict");
	bool wild = strchr(n->id, '*') != NULL;
	bool critical = importance != NULL && strcmp(importance, "critical") == 0;
	n->used++;
	if (wild && n->used > MAX_EXPANSION) {
		if (n->used == MAX_EXPANSION + 1)
			complain(e, n, complaints, "stands for more than 20 ids");
	} else if (critical && (wild || !allow_critical)) {
		complain(e, n, complaints,
		         wild ? "a wildcard never covers a critical id"
		              : "critical: needs --allow-critical");
	} else if (kind == NULL) {
		char *what = wgc_format("%s is %s", wgc_json_string(result, "id"),
		                        strcmp(verdict, "PASS") == 0
		                                ? "passing: remove the line"
		                                : verdict);
		complain(e, n, complaints, what);
		free(what);
	} else if (strcmp(kind, n->kind) == 0) {
		cJSON_AddStringToObject(result, "known", n->reason);
	} /* another kind of failure is not the known one */
}

void
wgc_expected_apply(const wgc_expected *e, cJSON *results, bool complete,
                   bool allow_critical, wgc_string *complaints)
{
	for (cJSON *r = results->child; r != NULL; r = r->next) {
		entry *n = find(e, wgc_json_string(r, "id"));
		if (n != NULL)
			apply_one(e, n, r, allow_critical, complaints);
	}
	for (size_t i = 0; i < e->n; i++)
		if (complete && e->at[i].used == 0)
			complain(e, &e->at[i], complaints, "no such id was run");
}

void
wgc_expected_diff(const wgc_expected *e, const cJSON *results,
                  const char *until, wgc_string *diff)
{
	for (size_t i = 0; e != NULL && i < e->n; i++) {
		bool fails = false;
		for (const cJSON *r = results->child; r != NULL; r = r->next)
			fails |= names(&e->at[i], wgc_json_string(r, "id")) &&
			         kind_of(r) != NULL;
		if (!fails)
			wgc_putf(diff, "-%s\n", e->at[i].line);
	}
	for (const cJSON *r = results->child; r != NULL; r = r->next) {
		const char *id = wgc_json_string(r, "id");
		if (kind_of(r) != NULL && (e == NULL || find(e, id) == NULL))
			wgc_putf(diff, "+%-10s %-8s %s %s\n", id, kind_of(r),
			         NO_REASON, until);
	}
}
