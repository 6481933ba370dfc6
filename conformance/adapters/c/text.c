/* text.c - sanitizer, fence, templates, moderator. */
#include "adapter.h"

#include <string.h>

const char *
wga_internal(wga_ask *ask, const char *what, wkg_status status)
{
	char message[160];
	snprintf(message, sizeof message, "%s: %s", what, wkg_status_name(status));
	wga_put_string(ask, "message", message);
	return "INTERNAL";
}

const char *
wga_document_error(wga_ask *ask, wkg_status status, const wkg_json_error *error)
{
	const char *code = status == WKG_E_SYNTAX    ? "JSON_SYNTAX" :
	                   status == WKG_E_ENCODING  ? "JSON_ENCODING" :
	                   status == WKG_E_DUPLICATE ? "JSON_DUPLICATE" : NULL;
	if (code == NULL)
		return wga_internal(ask, "document", status);
	wga_put_integer(ask, "at", (int64_t)error->at);
	if (status == WKG_E_DUPLICATE)
		wga_put_integer(ask, "first", (int64_t)error->first);
	return code;
}

/* --- sanitize --- */

static wkg_source
source_named(wga_ask *ask, wkg_span name)
{
	static const char *const names[] = { [WKG_SOURCE_CHAT] = "chat",
		[WKG_SOURCE_WEBHOOK] = "webhook", [WKG_SOURCE_FORM_EVENT] = "form_event",
		[WKG_SOURCE_RETRIEVAL] = "retrieval", [WKG_SOURCE_TOOL_RESULT] = "tool_result" };
	for (int s = WKG_SOURCE_CHAT; s <= WKG_SOURCE_TOOL_RESULT; s++)
		if (wga_same(name, names[s]))
			return (wkg_source)s;
	ask->bad = true;
	return WKG_SOURCE_INVALID;
}

static wkg_source
source_of(wga_ask *ask)
{
	const wga_node *trigger = wga_member(ask, ask->args, "trigger");
	if (trigger != NULL)
		return wkg_source_from_trigger(wga_text(ask, trigger));
	return source_named(ask, wga_text_of(ask, ask->args, "source"));
}

const char *
wga_sanitize_text(wga_ask *ask)
{
	wkg_source source = source_of(ask);
	wkg_span in = wga_text_of(ask, ask->args, "s");
	wkg_buf out = wga_room(ask, wkg_sanitize_bound(in.len));
	wkg_sanitize_report report = { 0 };
	wkg_status status = ask->bad ? WKG_OK :
		wkg_sanitize(&out, in, source, &wga_current.sanitize, &report);
	if (status != WKG_OK)
		return wga_internal(ask, "wkg_sanitize", status);
	wga_put_text(ask, "s", wkg_buf_span(&out));
	wga_put_bool(ask, "truncated", report.truncated > 0);
	wga_put_integer(ask, "stripped", (int64_t)report.stripped);
	wga_put_integer(ask, "replaced", (int64_t)report.replaced);
	return NULL;
}

static void
put_leaf(wga_ask *ask, const wkg_json_path *path, const char *kind)
{
	wga_put_element(ask);
	wga_raw(ask, "{");
	wga_put_text(ask, "path", (wkg_span){ path->text, path->len });
	wga_put_string(ask, "kind", kind);
	wga_raw(ask, "}");
}

static void
put_payload_report(wga_ask *ask, const wkg_payload_report *report)
{
	wga_put_name(ask, "leaves");
	wga_raw(ask, "[");
	for (size_t i = 0; i < report->note_count; i++)
		put_leaf(ask, &report->notes[i].path,
		         report->notes[i].kind == WKG_PAYLOAD_NOTE_DROPPED ? "dropped" : "truncated");
	wga_raw(ask, "]");
	wga_put_integer(ask, "truncated", (int64_t)report->truncated);
	wga_put_integer(ask, "dropped", (int64_t)report->dropped);
	wga_put_integer(ask, "stripped", (int64_t)report->stripped);
	wga_put_integer(ask, "replaced", (int64_t)report->replaced);
}

static wkg_status
sanitize_json(wga_ask *ask, wkg_buf *out, wkg_span json, wkg_payload_report *report)
{
	const wkg_sanitize_config *config = &wga_current.sanitize;
	wkg_work work = wga_work(ask, wkg_payload_work_size(json.len, config));
	const wga_node *trigger = wga_member(ask, ask->args, "trigger");
	if (trigger != NULL)
		return wkg_payload_from_trigger(out, json, wga_text(ask, trigger), config, work, report);
	wkg_source source = source_of(ask);
	return ask->bad ? WKG_OK : wkg_payload_sanitize(out, json, source, config, work, report);
}

const char *
wga_sanitize_json(wga_ask *ask)
{
	wkg_span json = wga_text_of(ask, ask->args, "json");
	wkg_buf out = wga_room(ask, wkg_payload_bound(json.len));
	wkg_payload_report *report = wga_take(&ask->arena, sizeof *report);
	wkg_status status = sanitize_json(ask, &out, json, report);
	if (status != WKG_OK)
		return wga_document_error(ask, status, &report->error);
	wga_put_text(ask, "json", wkg_buf_span(&out));
	put_payload_report(ask, report);
	return NULL;
}

/* --- fence --- */

const char *
wga_fence_neutralize(wga_ask *ask)
{
	wkg_span in = wga_text_of(ask, ask->args, "s");
	wkg_buf out = wga_room(ask, wkg_fence_neutralize_bound(in.len));
	wkg_status status = wkg_fence_neutralize(&out, in, wga_current.profile, NULL);
	if (status != WKG_OK)
		return wga_internal(ask, "wkg_fence_neutralize", status);
	wga_put_text(ask, "s", wkg_buf_span(&out));
	return NULL;
}

const char *
wga_fence_inline(wga_ask *ask)
{
	wkg_span in = wga_text_of(ask, ask->args, "s");
	wkg_buf out = wga_room(ask, wkg_fence_neutralize_bound(in.len));
	wkg_status status = wkg_fence_inline(&out, in, wga_current.profile, NULL);
	if (status != WKG_OK)
		return wga_internal(ask, "wkg_fence_inline", status);
	wga_put_text(ask, "s", wkg_buf_span(&out));
	return NULL;
}

const char *
wga_fence_wrap(wga_ask *ask)
{
	wkg_span label = wga_text_of(ask, ask->args, "label");
	wkg_span data = wga_text_of(ask, ask->args, "data");
	wkg_buf out = wga_room(ask, wkg_fence_bound(label.len, data.len));
	wkg_status status = wkg_fence(&out, label, data, wga_current.profile, NULL);
	if (status != WKG_OK)
		return wga_internal(ask, "wkg_fence", status);
	wga_put_text(ask, "s", wkg_buf_span(&out));
	return NULL;
}

const char *
wga_fence_needs(wga_ask *ask)
{
	wga_put_bool(ask, "needs", wkg_needs_fence(wga_text_of(ask, ask->args, "s")));
	return NULL;
}

const char *
wga_fence_constants(wga_ask *ask)
{
	wga_put_string(ask, "begin", WKG_FENCE_BEGIN);
	wga_put_string(ask, "end", WKG_FENCE_END);
	wga_put_text(ask, "contract", wkg_fence_contract());
	return NULL;
}

static wkg_render_mode
mode_of(wga_ask *ask)
{
	wkg_span mode = wga_text_of(ask, ask->args, "mode");
	if (wga_same(mode, "data"))
		return WKG_RENDER_DATA;
	ask->bad |= !wga_same(mode, "verbatim");
	return WKG_RENDER_VERBATIM;
}

static const char *
render_error(wga_ask *ask, wkg_status status, const wkg_render_error *error)
{
	if (error->part != WKG_RENDER_PART_TEMPLATE) {
		wkg_json_error of_state = { .at = error->at };
		return wga_document_error(ask, status, &of_state);
	}
	wga_put_integer(ask, "at", (int64_t)error->at);
	return status == WKG_E_NOT_FOUND ? "TEMPLATE_MISSING" : "TEMPLATE_SYNTAX";
}

const char *
wga_fence_render(wga_ask *ask)
{
	wkg_span template_text = wga_text_of(ask, ask->args, "template");
	wkg_span state = wga_text_of(ask, ask->args, "state");
	wkg_render_mode mode = mode_of(ask);
	wkg_buf out = wga_room(ask, wkg_render_bound(template_text, state.len));
	wkg_render_error error = { 0 };
	wkg_status status = wkg_render(&out, template_text, state, mode, wga_current.profile,
	                               wga_work(ask, wkg_render_work_size(state.len)), &error);
	if (status != WKG_OK)
		return render_error(ask, status, &error);
	wga_put_text(ask, "s", wkg_buf_span(&out));
	return NULL;
}

/* --- moderate --- */

static bool
found(const wkg_moderate_report *report, const char *pattern)
{
	for (size_t i = 0; i < report->finding_count; i++)
		if (strcmp(report->findings[i].pattern, pattern) == 0)
			return true;
	return false;
}

/* In the order of the table, each once. */
static void
put_patterns(wga_ask *ask, const wkg_moderate_report *report)
{
	wga_put_name(ask, "patterns");
	wga_raw(ask, "[");
	for (size_t i = 0; i < WKG_PATTERN_COUNT; i++) {
		const char *id = wkg_moderate_patterns()[i].id;
		if (!found(report, id))
			continue;
		wga_put_element(ask);
		wga_value_text(ask, (wkg_span){ (const uint8_t *)id, strlen(id) });
	}
	wga_raw(ask, "]");
}

static bool
same_leaf(const wkg_finding *a, const wkg_finding *b)
{
	return a->kind == b->kind && a->path.len == b->path.len &&
	       memcmp(a->path.text, b->path.text, a->path.len) == 0;
}

static void
put_findings(wga_ask *ask, const wkg_moderate_report *report)
{
	static const char *const kinds[] = { [WKG_FINDING_SUSPICIOUS] = "suspicious",
		[WKG_FINDING_TRUNCATED] = "truncated", [WKG_FINDING_TOO_DEEP] = "too_deep" };
	wga_put_name(ask, "leaves");
	wga_raw(ask, "[");
	for (size_t i = 0; i < report->finding_count; i++) {
		const wkg_finding *f = &report->findings[i];
		if (i == 0 || !same_leaf(f, f - 1))
			put_leaf(ask, &f->path, kinds[f->kind]);
	}
	wga_raw(ask, "]");
}

static void
put_moderated(wga_ask *ask, const char *name, const wkg_buf *out, const wkg_moderate_report *report)
{
	wga_put_text(ask, name, wkg_buf_span(out));
	wga_put_bool(ask, "flagged", report->flagged);
	wga_put_bool(ask, "truncated", report->truncated);
	put_patterns(ask, report);
}

const char *
wga_moderate_text(wga_ask *ask)
{
	wkg_span text = wga_text_of(ask, ask->args, "s");
	wkg_buf out = wga_room(ask, wkg_moderate_bound(text.len));
	wkg_moderate_report *report = wga_take(&ask->arena, sizeof *report);
	wkg_status status = wkg_moderate(&out, text, wga_current.moderator, wga_current.scratch,
	                                 wga_work(ask, wkg_moderate_work_size(text.len)), report);
	if (status != WKG_OK)
		return wga_internal(ask, "wkg_moderate", status);
	put_moderated(ask, "s", &out, report);
	return NULL;
}

const char *
wga_moderate_json(wga_ask *ask)
{
	wkg_span json = wga_text_of(ask, ask->args, "json");
	wkg_buf out = wga_room(ask, wkg_moderate_bound(json.len));
	wkg_moderate_report *report = wga_take(&ask->arena, sizeof *report);
	wkg_status status = wkg_moderate_json(&out, json, wga_current.moderator, wga_current.scratch,
	                                      wga_work(ask, wkg_moderate_work_size(json.len)), report);
	if (status != WKG_OK)
		return wga_document_error(ask, status, &report->error);
	put_moderated(ask, "json", &out, report);
	put_findings(ask, report);
	return NULL;
}
