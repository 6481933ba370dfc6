/* property_tree.c - values and documents: leaf by leaf as texts, and around the
 * leaves nothing changes but what the rules name.
 *
 * Every tree is judged against all of the oracle's answer, so that a larger
 * limit can only have a longer prefix, and what is dropped is dropped alone. */
#include "compare.h"
#include "generate_text.h"
#include "generate_tree.h"
#include "oracle_moderate.h"
#include "oracle_text.h"
#include "properties.h"

#include <stdlib.h>
#include <string.h>

#define LEAVES_MAX 64  /* S8.1 */
#define PATH_MAX_  256 /* S10.1 */

static const wgc_choice by_limits[] = { WGC_LENGTH_UNIT, WGC_DROPPED, WGC_NUMBERS };
static const wgc_choice by_unit[] = { WGC_LENGTH_UNIT };
static const wgc_choice by_tags[] = { WGC_OUTPUT_TAGS, WGC_NUMBERS };

static void
vary(wgc_choices *c, const wgc_subject *subject, wgc_setup *setup)
{
	static const uint32_t depths[] = { 2, 1, 3, 4, 8, 16, 15, 64 };
	wgc_vary_limits(c, subject, setup);
	if (!wgc_is_fixed(subject->hello, "sanitize.max_depth"))
		setup->max_depth = depths[wgc_choose(c, sizeof(depths) / sizeof(*depths))];
}

/* --- What was answered, and what should have been --- */

static void
check_number(wgc_case *what, const char *member, size_t expected)
{
	long long n = -1;
	wgc_json_integer(wgc_json_get(what->request[0].reply.body, member), &n);
	if (n < 0 || (size_t)n != expected)
		wgc_case_fails(what, "%s: expected %zu, got %lld", member, expected, n);
}

static void
check_bool(wgc_case *what, const char *member, bool expected)
{
	const cJSON *got = wgc_json_get(what->request[0].reply.body, member);
	if (!cJSON_IsBool(got) || cJSON_IsTrue(got) != expected)
		wgc_case_fails(what, "%s: expected %s", member, expected ? "true" : "false");
}

/* Two places whose paths are cut to the same text may be named once. */
static bool
has_long_path(const wgc_tree_report *report)
{
	bool is_long = false;
	for (size_t i = 0; i < report->leaves; i++)
		is_long |= wgc_text_length(&report->leaf[i].path, "byte") > PATH_MAX_;
	return is_long;
}

static void
check_path(wgc_case *what, const wgc_text *expected, const cJSON *got)
{
	wgc_text path;
	if (wgc_text_read(got, &path, NULL))
		wgc_case_same(what, "path", expected, &path);
	else
		wgc_case_fails(what, "a path is no text");
	wgc_text_clear(&path);
}

static void
check_leaves(wgc_case *what, const wgc_tree_report *report)
{
	const cJSON *leaves = wgc_json_get(what->request[0].reply.body, "leaves");
	bool paths = wgc_has_feature(what->subject->hello, "paths");
	size_t n = report->leaves < LEAVES_MAX ? report->leaves : LEAVES_MAX, i = 0;
	const cJSON *leaf = leaves == NULL ? NULL : leaves->child;
	if (has_long_path(report))
		return;
	for (; leaf != NULL && i < n; leaf = leaf->next, i++) {
		const char *kind = wgc_json_string(leaf, "kind");
		if (kind == NULL || strcmp(kind, report->leaf[i].kind) != 0)
			wgc_case_fails(what, "leaf %zu: expected %s, got %s", i,
			               report->leaf[i].kind, kind == NULL ? "nothing" : kind);
		if (paths)
			check_path(what, &report->leaf[i].path, wgc_json_get(leaf, "path"));
	}
	if (leaf != NULL || i < n)
		wgc_case_fails(what, "%d leaves are reported, not %zu",
		               cJSON_GetArraySize(leaves), n);
}

static void
check_value(wgc_case *what, const char *member, cJSON *expected /* taken */)
{
	const cJSON *got = wgc_json_get(what->request[0].reply.body, member);
	if (!wgc_case_is_over(what) &&
	    (got == NULL || !wgc_value_same(expected, got, what->subject->setup))) {
		wgc_case_fails(what, "%s is not what is expected of it", member);
		what->expected = expected;
		return;
	}
	cJSON_Delete(expected);
}

static void
check_document(wgc_case *what, wgc_node *root)
{
	wgc_text got, expected = wgc_tree_document(root, true, what->number[1]);
	if (wgc_case_text(what, 0, "json", &got)) {
		wgc_case_same(what, "document", &expected, &got);
		wgc_text_clear(&got);
	}
	wgc_text_clear(&expected);
}

static wgc_node *
value_root(const wgc_case *what, size_t max_depth)
{
	return wgc_tree_read(&what->text[0], what->texts > 1 ? &what->text[1] : NULL, max_depth);
}

/* --- P-SA5 --- */

static bool
generate_value(wgc_case *what)
{
	wgc_case_add_number(what, wgc_choose(what->choices, WGC_SOURCES));
	wgc_tree_kind kind = { .depth = what->subject->setup->max_depth, .limit = wgc_case_limit(what) };
	wgc_case_add_text(what, wgc_generate_tree(what, kind));
	wgc_text extra = wgc_generate_hostile(what, 2);
	wgc_case_add_text(what, wgc_generate_ill_formed(what, extra));
	return true;
}

static bool
ask_value(wgc_case *what, size_t stage)
{
	if (stage > 0)
		return false;
	wgc_node *root = value_root(what, what->subject->setup->max_depth);
	cJSON *args = cJSON_CreateObject();
	cJSON_AddStringToObject(args, "source", wgc_source_names[wgc_case_source(what)]);
	cJSON_AddItemToObject(args, "v", wgc_tree_value(root, false, false));
	wgc_case_ask(what, "sanitize.value", args);
	wgc_tree_clear(root);
	return true;
}

static void
check_sanitized(wgc_case *what, const wgc_tree_report *report)
{
	check_number(what, "truncated", report->truncated);
	check_number(what, "dropped", report->dropped);
	check_leaves(what, report);
}

static void
check_sanitized_value(wgc_case *what)
{
	const wgc_setup *setup = what->subject->setup;
	if (!wgc_case_ok(what, 0))
		return;
	wgc_node *root = value_root(what, setup->max_depth);
	wgc_tree_report *report = wgc_alloc(sizeof(*report));
	wgc_tree_sanitize(root, setup, wgc_case_limit(what), report);
	check_value(what, "v", wgc_tree_value(root, true, wgc_setup_is(setup, WGC_DROPPED, "absent")));
	check_sanitized(what, report);
	wgc_tree_report_clear(report);
	free(report);
	wgc_tree_clear(root);
}

static const wgc_method values = {
	.configure = vary, .generate = generate_value, .ask = ask_value,
	.check = check_sanitized_value, .share = 50,
};

const wgc_property wgc_p_sa5 = {
	.id = "P-SA5", .title = "values: every string as a text by itself, dropped what is too deep and nothing else, reported what was done",
	.rules = (const char *const[]){ "S6.1", "S6.6", "S8.1", "S9.1", "S9.2", "S10.1", NULL },
	.level = "MUST", .claim = "safety", .component = "sanitize",
	.operations = (const char *const[]){ "sanitize.value", NULL },
	.choices = by_limits, .choice_count = 3, .method = &values,
};

/* --- P-SA8 --- */

static bool
generate_document(wgc_case *what)
{
	wgc_case_add_number(what, wgc_choose(what->choices, WGC_SOURCES));
	wgc_case_add_number(what, wgc_choose(what->choices, 1u << 20));
	wgc_tree_kind kind = { .depth = what->subject->setup->max_depth, .limit = wgc_case_limit(what),
		               .document = true };
	wgc_case_add_text(what, wgc_generate_tree(what, kind));
	return true;
}

static void
ask_tree(wgc_case *what, const char *op, const char *source)
{
	wgc_node *root = value_root(what, 0);
	wgc_text json = wgc_tree_document(root, false, what->number[1]);
	cJSON *args = cJSON_CreateObject();
	if (source != NULL)
		cJSON_AddStringToObject(args, "source", source);
	cJSON_AddItemToObject(args, "json", wgc_wire(&json));
	wgc_case_ask(what, op, args);
	wgc_text_clear(&json);
	wgc_tree_clear(root);
}

static bool
ask_document(wgc_case *what, size_t stage)
{
	if (stage == 0)
		ask_tree(what, "sanitize.json", wgc_source_names[wgc_case_source(what)]);
	return stage == 0;
}

static void
check_sanitized_document(wgc_case *what)
{
	if (!wgc_case_ok(what, 0))
		return;
	wgc_node *root = value_root(what, 0);
	wgc_tree_report *report = wgc_alloc(sizeof(*report));
	wgc_tree_sanitize(root, what->subject->setup, wgc_case_limit(what), report);
	check_document(what, root);
	check_sanitized(what, report);
	wgc_tree_report_clear(report);
	free(report);
	wgc_tree_clear(root);
}

static const wgc_method documents = {
	.configure = vary, .generate = generate_document, .ask = ask_document,
	.check = check_sanitized_document, .share = 50,
};

const wgc_property wgc_p_sa8 = {
	.id = "P-SA8", .title = "documents: the same, and all that need not change is there byte for byte",
	.rules = (const char *const[]){ "S6.1", "S6.2", "S6.3", "S6.5", "S6.6", "S8.1", "S10.1", NULL },
	.level = "MUST", .claim = "safety", .component = "sanitize",
	.operations = (const char *const[]){ "sanitize.json", NULL },
	.choices = by_unit, .choice_count = 1, .method = &documents,
};

/* --- P-MO6, P-MO7 --- */

#define M_DEPTH 8

static bool
generate_reviewed(wgc_case *what)
{
	wgc_tree_kind kind = { .depth = M_DEPTH, .moderated = true };
	wgc_case_add_text(what, wgc_generate_tree(what, kind));
	return true;
}

static bool
ask_reviewed(wgc_case *what, size_t stage)
{
	if (stage > 0)
		return false;
	wgc_node *root = value_root(what, M_DEPTH);
	cJSON *args = cJSON_CreateObject();
	cJSON_AddItemToObject(args, "v", wgc_tree_value(root, false, false));
	wgc_case_ask(what, "moderate.value", args);
	wgc_tree_clear(root);
	return true;
}

/* M2.5 is a SHOULD: nothing is claimed of what it speaks of. */
static bool
says_more(const wgc_node *node)
{
	bool more = false;
	for (; node != NULL && !more; node = node->next)
		more = wgc_may_be_a_message(&node->text) || says_more(node->child);
	return more;
}

static void
check_review(wgc_case *what, wgc_node *root, bool document)
{
	wgc_tree_report *report = wgc_alloc(sizeof(*report));
	wgc_tree_moderate(root, what->subject->setup, report);
	if (document)
		check_document(what, root);
	else
		check_value(what, "v", wgc_tree_value(root, true, false));
	check_bool(what, "flagged", report->flagged);
	check_bool(what, "truncated", report->truncated > 0);
	check_leaves(what, report);
	if (!document)
		check_value(what, "input", wgc_tree_value(root, false, false));
	wgc_tree_report_clear(report);
	free(report);
}

static void
check_reviewed(wgc_case *what)
{
	wgc_node *root = value_root(what, M_DEPTH);
	if (!says_more(root) && wgc_case_ok(what, 0))
		check_review(what, root, false);
	wgc_tree_clear(root);
}

static const wgc_method reviewed = {
	.generate = generate_reviewed, .ask = ask_reviewed, .check = check_reviewed, .share = 50,
};

const wgc_property wgc_p_mo6 = {
	.id = "P-MO6", .title = "values: names, shape, all but strings and the input as they were; reports name exactly what changed, or is too deep",
	.rules = (const char *const[]){ "M7.1", "M7.2", "M7.3", "M7.4", NULL },
	.level = "MUST", .claim = "safety", .component = "moderate",
	.operations = (const char *const[]){ "moderate.value", NULL },
	.choices = by_tags, .choice_count = 2, .method = &reviewed,
};

static bool
generate_reviewed_document(wgc_case *what)
{
	wgc_tree_kind kind = { .depth = M_DEPTH, .moderated = true, .document = true };
	wgc_case_add_number(what, 0); /* no source */
	wgc_case_add_number(what, wgc_choose(what->choices, 1u << 20));
	wgc_case_add_text(what, wgc_generate_tree(what, kind));
	return true;
}

static bool
ask_reviewed_document(wgc_case *what, size_t stage)
{
	if (stage == 0)
		ask_tree(what, "moderate.json", NULL);
	return stage == 0;
}

static void
check_reviewed_document(wgc_case *what)
{
	wgc_node *root = value_root(what, 0);
	if (!says_more(root) && wgc_case_ok(what, 0))
		check_review(what, root, true);
	wgc_tree_clear(root);
}

static const wgc_method reviewed_documents = {
	.generate = generate_reviewed_document, .ask = ask_reviewed_document,
	.check = check_reviewed_document, .share = 50,
};

const wgc_property wgc_p_mo7 = {
	.id = "P-MO7", .title = "documents: the same, and all that need not change is there byte for byte",
	.rules = (const char *const[]){ "M7.1", "M7.2", "M7.3", NULL },
	.level = "MUST", .claim = "safety", .component = "moderate",
	.operations = (const char *const[]){ "moderate.json", NULL },
	.choices = by_tags, .choice_count = 1, .method = &reviewed_documents,
};
