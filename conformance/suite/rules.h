/* rules.h - the numbered rules, read from the SPEC.md that is built in. */
#ifndef WGC_RULES_H
#define WGC_RULES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wgc_rule {
	char id[8];        /* "S3" or "S3.1" */
	bool must;         /* of a claim: MUST, else SHOULD */
	const char *claim; /* "safety" "exact"; NULL: a heading, not a claim */
	const char *profile; /* "reference" "hardened" or NULL: both */
	char *text;        /* one paragraph, ASCII */
} wgc_rule;

const wgc_rule *wgc_all_rules(size_t *n);
const wgc_rule *wgc_find_rule(const char *id);
/* Does a result about rule `of` say something about `id`? "F3" covers F3.1. */
bool wgc_rule_covers(const char *of, const char *id);
/* Of "X1.4": "intent". NULL for what concerns several (T, D). */
const char *wgc_rule_component(const char *id);

#endif
