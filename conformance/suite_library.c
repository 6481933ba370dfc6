/* suite_library.c - pure operations of PROTOCOL.md over libwicketgate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite_library.h"

#include <wicketgate/wicketgate.h>

const char library_hello[] =
	"{\"components\":[\"sanitize\",\"fence\",\"moderate\",\"intent\"],"
	"\"profiles\":[\"reference\",\"hardened\"],\"operations\":[\"sanitize.text\","
	"\"sanitize.json\",\"fence.render\",\"fence.constants\",\"moderate.json\","
	"\"fence.neutralize\",\"fence.inline\",\"fence.wrap\",\"fence.needs\","
	"\"moderate.text\",\"intent.canonical\"],\"choices\":{\"length_unit\":"
	"[\"codepoint\",\"utf16\",\"byte\"],\"output_tags\":[\"strip\"],"
	"\"canon\":[\"rfc8785\"],\"intent_input\":[\"strict\"]},"
	"\"features\":[\"text.bytes\",\"paths\"],\"fixed\":[],\"max_line\":8388608,"
	"\"max_inflight\":64}";

/* What one call works with; all of it is freed at once. */
typedef struct desk {
	const wgc_setup *setup;
	const cJSON *args;
	wkg_profile profile;
	wkg_buf out;
	void *memory[8];
	size_t count;
	bool bad;
} desk;

static void *
room(desk *d, size_t size)
{
	void *memory = wgc_alloc(size);
	d->memory[d->count++] = memory;
	return memory;
}

static wkg_span
text_arg(desk *d, const char *name)
{
	wgc_text text;
	const char *why;
	uint8_t *bytes = NULL;
	size_t len = 0;
	if (!wgc_text_read(wgc_json_get(d->args, name), &text, &why) ||
	    !wgc_text_bytes(&text, &bytes, &len))
		d->bad = true;
	wgc_text_clear(&text);
	d->memory[d->count++] = bytes;
	return (wkg_span){ bytes, len };
}

static void
open_out(desk *d, size_t size)
{
	d->out = (wkg_buf){ room(d, size), 0, size };
}

static cJSON *
text_json(wkg_span bytes)
{
	wgc_string hex = { 0 };
	wgc_put(&hex, "");
	for (size_t i = 0; i < bytes.len; i++)
		wgc_putf(&hex, "%02x", bytes.ptr[i]);
	cJSON *json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "$hex", hex.ptr);
	free(hex.ptr);
	return json;
}

static wgc_reply
answered(desk *d, const char *member, wkg_status status)
{
	if (status != WKG_OK || d->bad)
		return wgc_err(status == WKG_E_SPACE     ? "INTERNAL"
		               : status == WKG_E_INVALID ? "INVALID_NUMBER" : "INTENT_NOT_I_JSON");
	cJSON *body = cJSON_CreateObject();
	cJSON_AddItemToObject(body, member, text_json(wkg_buf_span(&d->out)));
	return wgc_ok(body);
}

/* --- Operations --- */

static wkg_sanitize_config
config_of(const desk *d)
{
	static const char *const units[] = { "codepoint", "utf16", "byte" };
	wkg_sanitize_config config = wkg_sanitize_config_default(d->profile);
	const uint32_t *limits = d->setup->limits;
	config.limits = (wkg_source_limits){
		limits[WGC_CHAT], limits[WGC_WEBHOOK], limits[WGC_FORM_EVENT],
		limits[WGC_RETRIEVAL], limits[WGC_TOOL_RESULT]
	};
	for (int i = 0; i < 3; i++)
		if (wgc_setup_is(d->setup, WGC_LENGTH_UNIT, units[i]))
			config.unit = (wkg_unit)(i + 1);
	config.max_depth = d->setup->max_depth;
	return config;
}

static wkg_source
source_of(const desk *d)
{
	const char *source = wgc_json_string(d->args, "source");
	const char *trigger = wgc_json_string(d->args, "trigger");
	wkg_source from = trigger == NULL ? WKG_SOURCE_INVALID
	        : wkg_source_from_trigger((wkg_span){ (const uint8_t *)trigger, strlen(trigger) });
	for (int i = 0; source != NULL && i < WGC_SOURCES; i++)
		if (strcmp(source, wgc_source_names[i]) == 0)
			from = (wkg_source)(i + 1);
	return from;
}

static wgc_reply
sanitize_text(desk *d)
{
	wkg_span s = text_arg(d, "s");
	wkg_sanitize_config config = config_of(d);
	wkg_sanitize_report report = { 0 };
	open_out(d, wkg_sanitize_bound(s.len));
	wkg_status status = wkg_sanitize(&d->out, s, source_of(d), &config, &report);
	wgc_reply reply = answered(d, "s", status);
	if (reply.kind == WGC_OK)
		cJSON_AddBoolToObject(reply.body, "truncated", report.truncated > 0);
	return reply;
}

static wgc_reply
document(desk *d, wkg_status status)
{
	if (status != WKG_OK)
		return wgc_err(status == WKG_E_DUPLICATE  ? "JSON_DUPLICATE"
		               : status == WKG_E_ENCODING ? "JSON_ENCODING" : "JSON_SYNTAX");
	return answered(d, "json", status);
}

static void
add_leaf(cJSON *leaves, const wkg_json_path *path, const char *kind)
{
	cJSON *leaf = cJSON_CreateObject();
	cJSON_AddItemToObject(leaf, "path", text_json((wkg_span){ path->text, path->len }));
	cJSON_AddStringToObject(leaf, "kind", kind);
	cJSON_AddItemToArray(leaves, leaf);
}

static wgc_reply
sanitize_json(desk *d)
{
	static wkg_payload_report report;
	wkg_span json = text_arg(d, "json");
	wkg_sanitize_config config = config_of(d);
	size_t size = wkg_payload_work_size(json.len, &config);
	open_out(d, wkg_payload_bound(json.len));
	wkg_work work = { room(d, size), size };
	wgc_reply reply = document(d, wkg_payload_sanitize(&d->out, json, source_of(d), &config, work, &report));
	if (reply.kind != WGC_OK)
		return reply;
	cJSON *leaves = cJSON_AddArrayToObject(reply.body, "leaves");
	for (size_t i = 0; i < report.note_count; i++)
		add_leaf(leaves, &report.notes[i].path,
		         report.notes[i].kind == WKG_PAYLOAD_NOTE_DROPPED ? "dropped" : "truncated");
	cJSON_AddNumberToObject(reply.body, "truncated", (double)report.truncated);
	cJSON_AddNumberToObject(reply.body, "dropped", (double)report.dropped);
	return reply;
}

static wgc_reply
neutralize(desk *d)
{
	wkg_span s = text_arg(d, "s");
	open_out(d, wkg_fence_neutralize_bound(s.len));
	return answered(d, "s", wkg_fence_neutralize(&d->out, s, d->profile, NULL));
}

static wgc_reply
inlined(desk *d)
{
	wkg_span s = text_arg(d, "s");
	open_out(d, wkg_fence_neutralize_bound(s.len));
	return answered(d, "s", wkg_fence_inline(&d->out, s, d->profile, NULL));
}

static wgc_reply
wrapped(desk *d)
{
	wkg_span label = text_arg(d, "label"), data = text_arg(d, "data");
	open_out(d, wkg_fence_bound(label.len, data.len));
	return answered(d, "s", wkg_fence(&d->out, label, data, d->profile, NULL));
}

static wgc_reply
needs(desk *d)
{
	cJSON *body = cJSON_CreateObject();
	cJSON_AddBoolToObject(body, "needs", wkg_needs_fence(text_arg(d, "s")));
	return wgc_ok(body);
}

/* One for each profile, for the length of the program. */
typedef struct reviewer {
	wkg_moderator *moderator;
	wkg_moderator_scratch *scratch;
} reviewer;

static void *
acquire(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size);
}

static void
release(void *ctx, void *ptr)
{
	(void)ctx;
	free(ptr);
}

static void
no_warning(void *ctx, const wkg_moderate_report *report)
{
	(void)ctx;
	(void)report;
}

static const reviewer *
reviewer_for(wkg_profile profile)
{
	static reviewer reviewers[3];
	static const wkg_allocator heap = { acquire, release, NULL };
	reviewer *r = &reviewers[profile];
	if (r->moderator == NULL &&
	    (wkg_moderator_new(&r->moderator, profile,
	                       (wkg_warning_sink){ no_warning, NULL }, &heap) != WKG_OK ||
	     wkg_moderator_scratch_new(&r->scratch, r->moderator) != WKG_OK))
		abort();
	return r;
}

static wgc_reply
moderate(desk *d)
{
	static wkg_moderate_report report;
	wkg_span s = text_arg(d, "s");
	const reviewer *r = reviewer_for(d->profile);
	size_t size = wkg_moderate_work_size(s.len);
	open_out(d, wkg_moderate_bound(s.len));
	wkg_work work = { room(d, size), size };
	wgc_reply reply = answered(d, "s", wkg_moderate(&d->out, s, r->moderator,
	                                                r->scratch, work, &report));
	if (reply.kind == WGC_OK) {
		cJSON_AddBoolToObject(reply.body, "flagged", report.flagged);
		cJSON_AddBoolToObject(reply.body, "truncated", report.truncated);
	}
	return reply;
}

/* A leaf with several patterns is one. */
static bool
is_first(const wkg_moderate_report *report, size_t i)
{
	const wkg_finding *f = &report->findings[i], *last = f - 1;
	return i == 0 || f->kind != last->kind || f->path.len != last->path.len ||
	       memcmp(f->path.text, last->path.text, f->path.len) != 0;
}

static wgc_reply
moderate_json(desk *d)
{
	static const char *const kinds[] = { "", "suspicious", "truncated", "too_deep" };
	static wkg_moderate_report report;
	wkg_span json = text_arg(d, "json");
	const reviewer *r = reviewer_for(d->profile);
	size_t size = wkg_moderate_work_size(json.len);
	open_out(d, wkg_moderate_bound(json.len));
	wkg_work work = { room(d, size), size };
	wgc_reply reply = document(d, wkg_moderate_json(&d->out, json, r->moderator, r->scratch, work,
	                                                &report));
	if (reply.kind != WGC_OK)
		return reply;
	cJSON *leaves = cJSON_AddArrayToObject(reply.body, "leaves");
	for (size_t i = 0; i < report.finding_count; i++)
		if (is_first(&report, i))
			add_leaf(leaves, &report.findings[i].path, kinds[report.findings[i].kind]);
	cJSON_AddBoolToObject(reply.body, "flagged", report.flagged);
	cJSON_AddBoolToObject(reply.body, "truncated", report.truncated);
	return reply;
}

static wgc_reply
render(desk *d)
{
	wkg_span template_text = text_arg(d, "template"), state = text_arg(d, "state");
	wkg_render_mode mode = strcmp(wgc_json_string(d->args, "mode"), "data") == 0
	                               ? WKG_RENDER_DATA : WKG_RENDER_VERBATIM;
	size_t size = wkg_render_work_size(state.len);
	wkg_render_error error = { 0 };
	open_out(d, wkg_render_bound(template_text, state.len));
	wkg_work work = { room(d, size), size };
	wkg_status status = wkg_render(&d->out, template_text, state, mode, d->profile, work, &error);
	return status == WKG_OK ? answered(d, "s", status) : wgc_err("TEMPLATE_SYNTAX");
}

static wgc_reply
constants(desk *d)
{
	cJSON *body = cJSON_CreateObject();
	(void)d;
	cJSON_AddStringToObject(body, "begin", WKG_FENCE_BEGIN);
	cJSON_AddStringToObject(body, "end", WKG_FENCE_END);
	cJSON_AddItemToObject(body, "contract", text_json(wkg_fence_contract()));
	return wgc_ok(body);
}

static wgc_reply
canonical(desk *d)
{
	wkg_span s = text_arg(d, "json");
	size_t size = wkg_intent_work_size(s.len);
	uint8_t hash[WKG_INTENT_HASH_LEN];
	char text[WKG_INTENT_HASH_LEN + 1];
	open_out(d, wkg_intent_canonical_bound(s.len));
	wkg_work work = { room(d, size), size };
	wgc_reply reply = answered(d, "canonical",
	                           wkg_intent_canonical(&d->out, s, work, NULL));
	if (reply.kind != WGC_OK)
		return reply;
	if (wkg_intent_hash(hash, wkg_buf_span(&d->out)) != WKG_OK)
		abort();
	snprintf(text, sizeof(text), "%.*s", (int)WKG_INTENT_HASH_LEN, (const char *)hash);
	cJSON_AddStringToObject(reply.body, "hash", text);
	return reply;
}

static const struct {
	const char *op;
	wgc_reply (*run)(desk *d);
} operations[] = {
	{ "sanitize.text", sanitize_text }, { "sanitize.json", sanitize_json },
	{ "moderate.json", moderate_json }, { "fence.render", render },
	{ "fence.constants", constants }, { "fence.neutralize", neutralize },
	{ "fence.inline", inlined }, { "fence.wrap", wrapped },
	{ "fence.needs", needs }, { "moderate.text", moderate },
	{ "intent.canonical", canonical },
};

wgc_reply
library_answer(void *state, const wgc_setup *setup, const char *op,
               const cJSON *args)
{
	bool hardened = strcmp(setup->profile, "hardened") == 0;
	desk d = { .setup = setup, .args = args,
		   .profile = hardened ? WKG_PROFILE_HARDENED : WKG_PROFILE_REFERENCE };
	wgc_reply reply = { WGC_NONE, NULL };
	(void)state;
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (strcmp(op, operations[i].op) == 0)
			reply = operations[i].run(&d);
	for (size_t i = 0; i < d.count; i++)
		free(d.memory[i]);
	return reply.kind == WGC_NONE ? wgc_err("UNSUPPORTED_OPERATION") : reply;
}
