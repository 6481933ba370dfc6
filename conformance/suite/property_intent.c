/* property_intent.c - canonical text and hash of any JSON value. */
#include "document.h"
#include "generate_json.h"
#include "oracle_text.h"
#include "properties.h"
#include "sign.h"

#include <stdlib.h>
#include <string.h>

static const char *const canonical_op[] = { "intent.canonical", NULL };
static const wgc_choice by_form[] = { WGC_CANON, WGC_INTENT_INPUT };

static bool
generate_document(wgc_case *what)
{
	wgc_case_add_number(what, wgc_choose(what->choices, 1u << 30));
	wgc_case_add_text(what, wgc_generate_json(what->choices));
	return true;
}

static void
ask_canonical(wgc_case *what, const wgc_text *text)
{
	cJSON *args = cJSON_CreateObject();
	cJSON_AddItemToObject(args, "json", wgc_wire(text));
	wgc_case_ask(what, "intent.canonical", args);
}

static bool
is_lenient(const wgc_case *what)
{
	return wgc_setup_is(what->subject->setup, WGC_INTENT_INPUT, "lenient");
}

/* A document that has a canonical text in every implementation. */
static bool
read_plain(const wgc_case *what, wgc_doc *doc)
{
	if (!wgc_doc_read(&what->text[0], doc))
		return false;
	if (!wgc_doc_is_odd(doc) && !wgc_doc_has_huge(doc))
		return true;
	wgc_doc_clear(doc);
	return false;
}

/* --- P-IN1 --- */

static bool
ask_reworded(wgc_case *what, size_t stage)
{
	wgc_doc doc;
	wgc_text out;
	uint64_t random = what->number[0];
	if (stage == 1 && what->requests == 2 && wgc_case_text(what, 0, "canonical", &out)) {
		ask_canonical(what, &out);
		wgc_text_clear(&out);
		return true;
	}
	if (stage > 0 || !read_plain(what, &doc))
		return false;
	wgc_text other = wgc_doc_reworded(&doc, &random);
	ask_canonical(what, &what->text[0]);
	ask_canonical(what, &other);
	wgc_text_clear(&other);
	wgc_doc_clear(&doc);
	return true;
}

static const char *
hash_of(const wgc_case *what, size_t i)
{
	const char *hash = wgc_json_string(what->request[i].reply.body, "hash");
	return hash == NULL ? "" : hash;
}

static void
check_reworded(wgc_case *what)
{
	static const char *const claims[] = {
		"", "the same document in other words", "its canonical text again"
	};
	wgc_text first, other;
	if (what->requests == 0 || !wgc_case_text(what, 0, "canonical", &first))
		return;
	for (size_t i = 1; i < what->requests; i++) {
		if (!wgc_case_text(what, i, "canonical", &other))
			continue;
		wgc_case_same(what, claims[i], &first, &other);
		if (strcmp(hash_of(what, 0), hash_of(what, i)) != 0)
			wgc_case_fails(what, "%s has another hash", claims[i]);
		wgc_text_clear(&other);
	}
	wgc_text_clear(&first);
}

static const wgc_method reworded = {
	.generate = generate_document, .ask = ask_reworded, .check = check_reworded,
};

const wgc_property wgc_p_in1 = {
	.id = "P-IN1", .title = "the order of members, white space and escapes change neither canonical text nor hash",
	.rules = (const char *const[]){ "X1.1", "X1.12", NULL },
	.level = "MUST", .claim = "safety", .component = "intent",
	.operations = canonical_op, .choices = by_form, .choice_count = 2,
	.method = &reworded,
};

/* --- P-IN2 --- */

static bool
ask_changed(wgc_case *what, size_t stage)
{
	wgc_doc doc;
	uint64_t random = what->number[0];
	if (stage > 0 || !read_plain(what, &doc))
		return false;
	wgc_doc_change(&doc, &random);
	if (!wgc_doc_is_odd(&doc)) {
		wgc_text other = wgc_doc_reworded(&doc, &random);
		ask_canonical(what, &what->text[0]);
		ask_canonical(what, &other);
		wgc_text_clear(&other);
	}
	wgc_doc_clear(&doc);
	return what->requests > 0;
}

static void
check_changed(wgc_case *what)
{
	if (what->requests == 2 && wgc_case_ok(what, 0) && wgc_case_ok(what, 1) &&
	    strcmp(hash_of(what, 0), hash_of(what, 1)) == 0)
		wgc_case_fails(what, "another document has the same hash, %s",
		               hash_of(what, 0));
}

static const wgc_method changed = {
	.generate = generate_document, .ask = ask_changed, .check = check_changed,
};

const wgc_property wgc_p_in2 = {
	.id = "P-IN2", .title = "a change of any value or name changes the hash",
	.rules = (const char *const[]){ "X1.2", "X1.12", NULL },
	.level = "MUST", .claim = "safety", .component = "intent",
	.operations = canonical_op, .choices = by_form, .choice_count = 2,
	.method = &changed,
};

/* --- P-IN3 --- */

static bool
ask_document(wgc_case *what, size_t stage)
{
	if (stage == 0)
		ask_canonical(what, &what->text[0]);
	return stage == 0;
}

/* A lone surrogate leaves as an escape, so the text is well-formed. */
static void
check_canonical(wgc_case *what, const wgc_doc *doc)
{
	char hash[72];
	uint8_t *bytes;
	size_t len;
	bool index_order = wgc_setup_is(what->subject->setup, WGC_CANON, "ecma-index-order");
	wgc_text out, expected = wgc_doc_canonical(doc, index_order);
	if (wgc_case_text(what, 0, "canonical", &out)) {
		wgc_case_same(what, "canonical text", &expected, &out);
		wgc_text_clear(&out);
	}
	if (wgc_text_bytes(&expected, &bytes, &len)) {
		wgc_sha256((const char *)bytes, len, hash);
		if (strcmp(hash, hash_of(what, 0)) != 0)
			wgc_case_fails(what, "the hash is not that of the canonical text");
		free(bytes);
	}
	wgc_text_clear(&expected);
}

static void
check_refused(wgc_case *what, const char *expected)
{
	const wgc_reply *reply = &what->request[0].reply;
	const char *code = wgc_json_string(reply->body, "code");
	if (reply->kind == WGC_OK)
		wgc_case_fails(what, "not refused (%s)", expected);
	else if (code == NULL || (strcmp(code, "INTENT_NOT_I_JSON") != 0 &&
	                          strcmp(code, "INVALID_NUMBER") != 0))
		wgc_case_fails(what, "refused with %s, not %s",
		               code == NULL ? "no code" : code, expected);
}

static void
check_document(wgc_case *what)
{
	wgc_doc doc;
	if (!wgc_doc_read(&what->text[0], &doc)) {
		check_refused(what, "INTENT_NOT_I_JSON");
		return;
	}
	if (wgc_doc_has_huge(&doc))
		check_refused(what, "INVALID_NUMBER");
	else if (wgc_doc_is_odd(&doc) && !is_lenient(what))
		check_refused(what, "INTENT_NOT_I_JSON");
	else
		check_canonical(what, &doc);
	wgc_doc_clear(&doc);
}

static const wgc_method canonical = {
	.generate = generate_document, .ask = ask_document, .check = check_document,
};

const wgc_property wgc_p_in3 = {
	.id = "P-IN3", .title = "canonical text and hash, to the byte; and what has none is refused",
	.rules = (const char *const[]){ "X1.1", "X1.2", "X1.3", NULL },
	.level = "MUST", .claim = "exact", .component = "intent",
	.operations = canonical_op, .choices = by_form, .choice_count = 2,
	.method = &canonical,
};
