/* payload.c - sanitize a JSON document while copying it. */
#include "copy.h"

#include <string.h>
#include <wicketgate/payload.h>

typedef struct job {
	wkg__copy copy;
	const wkg_sanitize_config *config;
	size_t limit; /* per leaf */
	wkg_payload_report *report; /* may be NULL */
	size_t stripped, replaced, truncated, dropped;
	size_t note_count;
} job;

static void
note(job *j, wkg_payload_note_kind kind, const wkg_json_token *token)
{
	/* Only the first 64: a path costs up to 256 bytes, and a document can
	 * hold a hundred thousand leaves that are cut. */
	if (j->report == NULL || j->note_count == WKG_PAYLOAD_NOTES_MAX)
		return;
	wkg_payload_note *n = &j->report->notes[j->note_count++];
	n->kind = kind;
	n->path = wkg_json_path_of(&j->copy.reader, token);
}

/* A string or a name: copied as it stands if nothing about it has to change,
 * else written anew between its own quotes. */
static wkg_status
rewrite(job *j, const wkg_json_token *token, wkg__rule rule,
        wkg_sanitize_report *done)
{
	wkg_span doc = j->copy.reader.doc;
	size_t inside = token->from + 1;

	WKG_TRY(wkg__sanitize(NULL, doc, inside, &wkg__json_string, &rule, done));
	if (done->stripped + done->replaced + done->truncated == 0)
		return WKG_OK;
	WKG_TRY(wkg__copy_until(&j->copy, inside));
	wkg_sanitize_report again = { 0 };
	WKG_TRY(wkg__sanitize(&j->copy.out, doc, inside, &wkg__json_string, &rule, &again));
	j->copy.copied = token->to - 1;
	j->stripped += done->stripped;
	j->replaced += done->replaced;
	j->truncated += done->truncated;
	return WKG_OK;
}

static wkg_status
leaf(job *j, const wkg_json_token *token)
{
	const wkg__rule rule = {
		.strip = wkg__strip_sets(j->config->profile),
		.unit = j->config->unit,
		.limit = j->limit,
	};
	wkg_sanitize_report done = { 0 };
	WKG_TRY(rewrite(j, token, rule, &done));
	if (done.truncated > 0)
		note(j, WKG_PAYLOAD_NOTE_TRUNCATED, token);
	return WKG_OK;
}

/* Names are only data's labels for the reference, which repairs half pairs in
 * them and no more; hardened cleans them too. Neither cuts them: two long names
 * must not become one. */
static wkg_status
name(job *j, const wkg_json_token *token)
{
	bool hardened = j->config->profile == WKG_PROFILE_HARDENED;
	const wkg__rule rule = {
		.strip = hardened ? wkg__strip_sets(WKG_PROFILE_HARDENED) : 0,
		.unit = WKG_UNIT_CODEPOINT,
		.limit = SIZE_MAX,
	};
	wkg_sanitize_report done = { 0 };
	return rewrite(j, token, rule, &done);
}

/* Too deep to be looked at, so it must not get in. */
static wkg_status
drop(job *j, const wkg_json_token *begin)
{
	static const wkg_span null = WKG_LIT("null");

	WKG_TRY(wkg__copy_until(&j->copy, begin->from));
	note(j, WKG_PAYLOAD_NOTE_DROPPED, begin);
	j->dropped++;
	WKG_TRY(wkg__copy_skip(&j->copy, begin, &j->copy.copied));
	return wkg__append(&j->copy.out, null.ptr, null.len);
}

static wkg_status
run(job *j)
{
	wkg_json_token token;
	for (;;) {
		WKG_TRY(wkg_json_next(&j->copy.reader, &token));
		switch (token.kind) {
		case WKG_JSON_OBJECT_BEGIN:
		case WKG_JSON_ARRAY_BEGIN:
			if (token.depth >= j->config->max_depth)
				WKG_TRY(drop(j, &token));
			break;
		case WKG_JSON_NAME:
			WKG_TRY(name(j, &token));
			break;
		case WKG_JSON_STRING:
			WKG_TRY(leaf(j, &token));
			break;
		case WKG_JSON_DONE:
			return wkg__copy_until(&j->copy, token.to);
		case WKG_JSON_OBJECT_END:
		case WKG_JSON_ARRAY_END:
		case WKG_JSON_NUMBER:
		case WKG_JSON_TRUE:
		case WKG_JSON_FALSE:
		case WKG_JSON_NULL:
		case WKG_JSON_INVALID:
			break; /* copied as they are */
		}
	}
}

size_t
wkg_payload_bound(size_t n)
{
	return wkg__multiply(n, 2);
}

size_t
wkg_payload_work_size(size_t n, const wkg_sanitize_config *config)
{
	if (wkg_sanitize_config_check(config) != WKG_OK)
		return SIZE_MAX; /* the call will refuse it too */
	return wkg_json_work_size(n, config->max_depth);
}

static wkg_json_names
names_of(wkg_profile profile)
{
	switch (profile) {
	case WKG_PROFILE_REFERENCE: return WKG_JSON_NAMES_REFERENCE;
	case WKG_PROFILE_HARDENED: return WKG_JSON_NAMES_HARDENED;
	case WKG_PROFILE_INVALID: break;
	}
	return WKG_JSON_NAMES_INVALID;
}

static void
clear(wkg_payload_report *report)
{
	report->stripped = report->replaced = 0;
	report->truncated = report->dropped = 0;
	report->note_count = 0;
	report->error.at = report->error.first = 0;
	report->error.what = "";
}

static void
fill(wkg_payload_report *report, const job *j)
{
	report->stripped = j->stripped;
	report->replaced = j->replaced;
	report->truncated = j->truncated;
	report->dropped = j->dropped;
	report->note_count = j->note_count;
}

wkg_status
wkg_payload_sanitize(wkg_buf *out, wkg_span json, wkg_source source,
                     const wkg_sanitize_config *config, wkg_work work,
                     wkg_payload_report *report)
{
	if (report != NULL)
		clear(report);
	WKG_TRY(wkg__check_spans(out, json));
	WKG_TRY(wkg_sanitize_config_check(config));
	if (!wkg__disjoint(work.ptr, work.size, out->ptr, out->cap))
		return WKG_E_ARGUMENT;

	job j = { .config = config, .copy.out = *out, .report = report };
	j.limit = wkg_source_limit(&config->limits, source);
	if (j.limit == 0) /* not a source */
		return WKG_E_ARGUMENT;
	WKG_TRY(wkg_json_open(&j.copy.reader, json, names_of(config->profile),
	                      config->max_depth, work));
	wkg_status status = run(&j);
	if (report != NULL)
		report->error = j.copy.reader.error;
	if (status != WKG_OK)
		return status;
	*out = j.copy.out;
	if (report != NULL)
		fill(report, &j);
	return WKG_OK;
}

wkg_status
wkg_payload_from_trigger(wkg_buf *out, wkg_span json, wkg_span trigger_type,
                         const wkg_sanitize_config *config, wkg_work work,
                         wkg_payload_report *report)
{
	wkg_source source = wkg_source_from_trigger(trigger_type);
	return wkg_payload_sanitize(out, json, source, config, work, report);
}
