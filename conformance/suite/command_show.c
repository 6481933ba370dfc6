/* command_show.c - explain, list, copy, selftest: what the suite consists of. */
#include "command.h"
#include "data.h"
#include "protocol.h"
#include "rules.h"
#include "vectors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- explain --- */

static void
print_rule(const char *id)
{
	const wgc_rule *rule = wgc_find_rule(id);
	if (rule == NULL)
		printf("rule     %s\n", id);
	else if (rule->claim == NULL)
		printf("rule     %s %s\n", id, rule->text);
	else
		printf("rule     %s [%s %s%s%s] %s\n", id, rule->must ? "MUST" : "SHOULD",
		       rule->claim, rule->profile == NULL ? "" : " ",
		       rule->profile == NULL ? "" : rule->profile, rule->text);
}

static void
print_flags(const wgc_vector *vector)
{
	const cJSON *flags = wgc_json_get(vector->json, "flags");
	const cJSON *f = flags == NULL ? NULL : flags->child;
	for (; f != NULL; f = f->next) {
		const cJSON *flag = wgc_json_get(vector->flags, f->valuestring);
		const char *bug = wgc_json_string(flag, "bugType");
		const char *effect = wgc_json_string(flag, "effect");
		printf("catches  %s (%s): %s\n", f->valuestring,
		       bug == NULL ? "?" : bug, effect == NULL ? "?" : effect);
	}
}

static int
explain_vector(const wgc_vector *vector)
{
	printf("%s [%s %s %s] %s\n", vector->id, vector->level, vector->claim,
	       vector->importance, vector->component);
	printf("why      %s\n", vector->why);
	for (const cJSON *r = vector->rules->child; r != NULL; r = r->next)
		print_rule(r->valuestring);
	print_flags(vector);
	char *text = wgc_json_write_pretty(vector->json);
	printf("\n%s", text);
	free(text);
	return 0;
}

static int
explain_property(const wgc_property *p)
{
	printf("%s [%s %s] %s\n", p->id, p->level, p->claim, p->component);
	printf("claims   %s\n", p->title);
	for (size_t i = 0; p->rules[i] != NULL; i++)
		print_rule(p->rules[i]);
	return 0;
}

static bool
lists(const cJSON *rules, const char *rule)
{
	for (const cJSON *r = rules->child; r != NULL; r = r->next)
		if (wgc_rule_covers(rule, r->valuestring))
			return true;
	return false;
}

static int
explain_rule(const char *id)
{
	const wgc_vectors *all = wgc_all_vectors();
	size_t n, count = 0;
	const wgc_rule *rules = wgc_all_rules(&n);
	for (size_t i = 0; i < n; i++)
		if (wgc_rule_covers(id, rules[i].id))
			print_rule(rules[i].id);
	printf("tested by");
	for (size_t i = 0; i < all->n; i++)
		if (lists(all->at[i].rules, id)) {
			printf(" %s", all->at[i].id);
			count++;
		}
	for (size_t i = 0; wgc_properties[i] != NULL; i++)
		for (size_t k = 0; wgc_properties[i]->rules[k] != NULL; k++)
			if (wgc_rule_covers(id, wgc_properties[i]->rules[k])) {
				printf(" %s", wgc_properties[i]->id);
				count++;
				break;
			}
	printf("%s\n", count == 0 ? " nothing" : "");
	return 0;
}

int
wgc_command_explain(wgc_call *call)
{
	if (call->word_count != 1)
		return wgc_complain(WGC_EXIT_USAGE, "one id, please");
	const char *id = call->words[0];
	const wgc_vector *vector = wgc_find_vector(id);
	if (vector != NULL)
		return explain_vector(vector);
	for (size_t i = 0; wgc_properties[i] != NULL; i++)
		if (strcmp(wgc_properties[i]->id, id) == 0)
			return explain_property(wgc_properties[i]);
	if (wgc_find_rule(id) != NULL)
		return explain_rule(id);
	return wgc_complain(WGC_EXIT_USAGE, "no vector, property or rule: '%s'", id);
}

/* --- list --- */

static size_t
count_items(const char *rule)
{
	const wgc_vectors *all = wgc_all_vectors();
	size_t count = 0;
	for (size_t i = 0; i < all->n; i++)
		count += wgc_json_lists(all->at[i].rules, rule);
	for (size_t i = 0; wgc_properties[i] != NULL; i++)
		for (size_t k = 0; wgc_properties[i]->rules[k] != NULL; k++)
			count += strcmp(wgc_properties[i]->rules[k], rule) == 0;
	return count;
}

static bool
is_listed(const wgc_call *call, const char *component)
{
	const char *list = call->values[WGC_COMPONENT];
	return list == NULL || component == NULL || strstr(list, component) != NULL;
}

static void
list_rules(const wgc_call *call)
{
	size_t n;
	const wgc_rule *rules = wgc_all_rules(&n);
	for (size_t i = 0; i < n; i++)
		if (rules[i].claim != NULL &&
		    is_listed(call, wgc_rule_component(rules[i].id)))
			printf("%-6s %-6s %-6s %-9s %3zu  %.90s\n", rules[i].id,
			       rules[i].must ? "MUST" : "SHOULD", rules[i].claim,
			       rules[i].profile == NULL ? "both" : rules[i].profile,
			       count_items(rules[i].id), rules[i].text);
}

/* properties.json says the same; lint.py compares. */
static void
list_properties(const wgc_call *call)
{
	for (size_t i = 0; wgc_properties[i] != NULL; i++) {
		const wgc_property *p = wgc_properties[i];
		if (!is_listed(call, p->component))
			continue;
		printf("%-7s %-6s %-6s %-8s ", p->id, p->level, p->claim, p->component);
		for (size_t k = 0; p->rules[k] != NULL; k++)
			printf("%s%s", k == 0 ? "" : ",", p->rules[k]);
		printf("  %s\n", p->title);
	}
}

int
wgc_command_list(wgc_call *call)
{
	const wgc_vectors *all = wgc_all_vectors();
	if (call->word_count > 0)
		return wgc_complain(WGC_EXIT_USAGE, "what is '%s'?", call->words[0]);
	if (!wgc_knows_components(call))
		return WGC_EXIT_USAGE;
	if (call->values[WGC_RULES] != NULL) {
		list_rules(call);
		return fflush(stdout) == 0 ? 0 : WGC_EXIT_INCOMPLETE;
	}
	if (call->values[WGC_PROPERTIES] != NULL) {
		list_properties(call);
		return fflush(stdout) == 0 ? 0 : WGC_EXIT_INCOMPLETE;
	}
	for (size_t i = 0; i < all->n; i++)
		if (is_listed(call, all->at[i].component))
			printf("%-8s %-6s %-6s %-8s %s\n", all->at[i].id,
			       all->at[i].level, all->at[i].claim,
			       all->at[i].importance, all->at[i].why);
	for (size_t i = 0; wgc_properties[i] != NULL; i++)
		if (is_listed(call, wgc_properties[i]->component))
			printf("%-8s %-6s %-6s %-8s %s\n", wgc_properties[i]->id,
			       wgc_properties[i]->level, wgc_properties[i]->claim,
			       "property", wgc_properties[i]->title);
	return fflush(stdout) == 0 ? 0 : WGC_EXIT_INCOMPLETE;
}

/* --- copy --- */

static bool
copy_file(const char *directory, const char *name, const char *text, size_t len)
{
	char *path = wgc_format("%s/%s", directory, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	size_t done = 0;
	while (fd >= 0 && done < len) {
		ssize_t n = write(fd, text + done, len - done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	bool written = fd >= 0 && close(fd) == 0 && done == len;
	if (!written)
		wgc_complain(0, "cannot write %s: %s", path, strerror(errno));
	free(path);
	return written;
}

int
wgc_command_copy(wgc_call *call)
{
	if (call->word_count != 1)
		return wgc_complain(WGC_EXIT_USAGE, "one directory, please");
	const char *directory = call->words[0];
	if (mkdir(directory, 0777) != 0 && errno != EEXIST)
		return wgc_complain(WGC_EXIT_INCOMPLETE, "cannot make %s: %s",
		                    directory, strerror(errno));
	char *version = wgc_format("wicketgate-conformance %s\nprotocol %s\nvectors sha256 %s\n",
	                           WGC_SUITE_VERSION, WGC_PROTOCOL_NAME,
	                           wgc_corpus_sha256);
	bool written = copy_file(directory, "VERSION", version, strlen(version)) &&
	               copy_file(directory, "SPEC.md", wgc_spec_md, wgc_spec_md_len) &&
	               copy_file(directory, "protocol.schema.json",
	                         wgc_protocol_schema_json,
	                         wgc_protocol_schema_json_len);
	for (const wgc_file *f = wgc_vector_files; written && f->name != NULL; f++)
		written = copy_file(directory, f->name, f->text, f->len);
	free(version);
	return written ? 0 : WGC_EXIT_INCOMPLETE;
}

/* --- selftest --- */

/* The driver is Python's, like the adapter with the mutants. */
int
wgc_command_selftest(wgc_call *call)
{
	const char *directory = call->values[WGC_FROM];
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len < 0)
		return wgc_complain(WGC_EXIT_INCOMPLETE, "where is this program?");
	self[len] = '\0';
	char *script = wgc_format("%s/selftest.py",
	                          directory == NULL ? WGC_SUITE_DIRECTORY : directory);
	char **argv = wgc_alloc((call->word_count + 70) * sizeof(char *));
	size_t n = 0;
	argv[n++] = wgc_copy("python3");
	argv[n++] = script;
	argv[n++] = self;
	for (size_t i = 0; call->argv != NULL && call->argv[i] != NULL && n < 69; i++)
		argv[n++] = call->argv[i];
	if (access(script, R_OK) != 0)
		return wgc_complain(WGC_EXIT_INCOMPLETE, "there is no %s (--from says where)", script);
	execvp(argv[0], argv);
	return wgc_complain(WGC_EXIT_INCOMPLETE, "cannot start python3: %s",
	                    strerror(errno));
}
