/* rules.c - "- S3.1 [MUST safety] text" and "**S3** text", line by line. */
#include "rules.h"
#include "data.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

typedef struct rules {
	wgc_rule *at;
	size_t n;
} rules;

/* For people on any terminal: what is not ASCII as ?. */
static char *
plain_text(const char *text, size_t len)
{
	wgc_string out = { 0 };
	wgc_put(&out, "");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c >= 0x20 && c < 0x7F)
			wgc_put_bytes(&out, &text[i], 1);
		else if (c >= 0xC0)
			wgc_put(&out, "?");
	}
	return out.ptr;
}

static wgc_rule *
add(rules *r, const char *id, size_t id_len)
{
	if (id_len >= sizeof(r->at->id))
		return NULL;
	if ((r->n & (r->n + 1)) == 0)
		r->at = wgc_grow(r->at, 2 * (r->n + 1) * sizeof(wgc_rule));
	wgc_rule *rule = &r->at[r->n++];
	*rule = (wgc_rule){ 0 };
	memcpy(rule->id, id, id_len);
	return rule;
}

static bool
holds_word(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= len; i++)
		if (memcmp(text + i, word, n) == 0)
			return true;
	return false;
}

/* "[MUST safety hardened] text" */
static void
read_claim(wgc_rule *rule, const char *text, size_t len)
{
	const char *end = memchr(text, ']', len);
	if (len == 0 || text[0] != '[' || end == NULL) {
		rule->text = plain_text(text, len);
		return;
	}
	size_t tags = (size_t)(end - text);
	rule->must = holds_word(text, tags, "MUST");
	rule->claim = holds_word(text, tags, "safety") ? "safety" : "exact";
	rule->profile = holds_word(text, tags, "reference")  ? "reference"
	                : holds_word(text, tags, "hardened") ? "hardened"
	                                                     : NULL;
	const char *rest = end + 1;
	while (rest < text + len && *rest == ' ')
		rest++;
	rule->text = plain_text(rest, (size_t)(text + len - rest));
}

static bool
is_id(const char *text, size_t len)
{
	if (len < 2 || strchr("TDSFMXWG", text[0]) == NULL)
		return false;
	for (size_t i = 1; i < len; i++)
		if (!(text[i] >= '0' && text[i] <= '9') && text[i] != '.')
			return false;
	return true;
}

static void
read_line(rules *r, const char *line, size_t len)
{
	const char *end = line + len, *id = NULL, *after = NULL;
	if (len > 4 && memcmp(line, "**", 2) == 0) {
		id = line + 2;
		after = memchr(id, '*', (size_t)(end - id));
	} else if (len > 4 && memcmp(line, "- ", 2) == 0) {
		id = line + 2;
		after = memchr(id, ' ', (size_t)(end - id));
	}
	if (after == NULL || !is_id(id, (size_t)(after - id)))
		return;
	wgc_rule *rule = add(r, id, (size_t)(after - id));
	while (after < end && (*after == '*' || *after == ' '))
		after++;
	if (rule != NULL)
		read_claim(rule, after, (size_t)(end - after));
}

const wgc_rule *
wgc_all_rules(size_t *n)
{
	static rules all;
	const char *at = wgc_spec_md, *end = at + wgc_spec_md_len;
	while (all.at == NULL && at < end) {
		rules read = { 0 };
		while (at < end) {
			const char *newline = memchr(at, '\n', (size_t)(end - at));
			size_t len = (size_t)((newline == NULL ? end : newline) - at);
			read_line(&read, at, len);
			at += len + 1;
		}
		all = read;
	}
	*n = all.n;
	return all.at;
}

const wgc_rule *
wgc_find_rule(const char *id)
{
	size_t n;
	const wgc_rule *all = wgc_all_rules(&n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].id, id) == 0)
			return &all[i];
	return NULL;
}

bool
wgc_rule_covers(const char *of, const char *id)
{
	size_t len = strlen(of);
	return strcmp(of, id) == 0 ||
	       (strncmp(of, id, len) == 0 && id[len] == '.');
}

const char *
wgc_rule_component(const char *id)
{
	switch (id[0]) {
	case 'S': return "sanitize";
	case 'F': return "fence";
	case 'M': return "moderate";
	case 'X': return wgc_rule_covers("X1", id) || wgc_rule_covers("X10", id)
		                 ? "intent" : "grant";
	case 'W': return wgc_rule_covers("W2", id) ? "rate" : "webhook";
	case 'G': return "gateway";
	default: return NULL;
	}
}
