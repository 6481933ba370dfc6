/* payload.c - the guarantees of payload.h, token by token.
 *
 * Input and result are read side by side: what may stay is the same byte for
 * byte, what had to change is what the slow twin says, nothing is left over.
 *
 * Input: six options, then the document:
 *   profile  0 reference  1 hardened
 *   unit     0 code points  1 UTF-16  2 bytes
 *   source   0 chat  1 webhook  2 form event  3 retrieval  4 tool result
 *   limit    0 the default, otherwise that many units (up to 255)
 *   depth    0 the default, otherwise that many containers (up to 255)
 *   before   bytes that are in the output already (0..31)
 * A document that starts with `{` or `[` needs no options: hardened, code
 * points, form event, the defaults. */
#include "model.h"

#include <wicketgate/payload.h>

typedef struct job {
	wkg_span doc;
	wkg_source source;
	wkg_sanitize_config config;
	size_t limit;
	size_t before;
	wkg_work work;
	wkg_payload_report report;
} job;

/* Every member: a job is large, so it is filled in place. */
static void
read_options(job *j, wkg_span in)
{
	j->config = wkg_sanitize_config_default(WKG_PROFILE_HARDENED);
	j->source = WKG_SOURCE_FORM_EVENT;
	j->before = 0;
	if (in.len == 0 || (in.ptr[0] != '{' && in.ptr[0] != '[')) {
		j->config.profile = check_profile(&in);
		j->config.unit = (wkg_unit)(1 + check_option(&in, 3));
		j->source = (wkg_source)(1 + check_option(&in, 5));
		model_set_limit(&j->config.limits, j->source,
		                check_option(&in, 256));
		unsigned depth = check_option(&in, 256);
		if (depth > 0)
			j->config.max_depth = depth;
		j->before = check_option(&in, 32);
	}
	j->limit = wkg_source_limit(&j->config.limits, j->source);
	j->doc = in;
}

static wkg_status
sanitize(wkg_buf *out, void *data)
{
	job *j = data;
	wkg_payload_report *r = &j->report;
	memset(r, CHECK_FILL, sizeof(*r));

	wkg_status status = wkg_payload_sanitize(out, j->doc, j->source,
	                                         &j->config, j->work, r);
	CHECK(status == WKG_OK ||
	      (r->stripped == 0 && r->replaced == 0 && r->truncated == 0 &&
	       r->dropped == 0 && r->note_count == 0));
	return status;
}

/* ---- side by side ---------------------------------------------------- */

static void
adds_up(const wkg_payload_report *r, const wkg_payload_report *want)
{
	CHECK(r->stripped == want->stripped);
	CHECK(r->replaced == want->replaced);
	CHECK(r->truncated == want->truncated);
	CHECK(r->dropped == want->dropped);

	size_t notes = want->truncated + want->dropped;
	CHECK(r->note_count ==
	      (notes < WKG_PAYLOAD_NOTES_MAX ? notes : WKG_PAYLOAD_NOTES_MAX));
	for (size_t i = 0; i < r->note_count; i++) {
		const wkg_payload_note *note = &r->notes[i];
		wkg_span path = { note->path.text, note->path.len };
		CHECK(note->kind == WKG_PAYLOAD_NOTE_TRUNCATED ||
		      note->kind == WKG_PAYLOAD_NOTE_DROPPED);
		CHECK(path.len <= WKG_JSON_PATH_MAX);
		CHECK(check_well_formed(path));
	}
}

static bool
is_name(const model_reading *r)
{
	return r->token.kind == WKG_JSON_NAME;
}

/* What a string or a name has to become. A name is never cut, and in the
 * reference profile never stripped either. */
static wkg_sanitize_report
clean(const job *j, const model_reading *in, check_chars *text)
{
	wkg_profile profile = j->config.profile;
	wkg_sanitize_report repaired = { 0, text->ill_formed, 0 };
	if (!is_name(in))
		return model_sanitize(text, profile, j->config.unit, j->limit);
	if (profile == WKG_PROFILE_REFERENCE)
		return repaired;
	return model_sanitize(text, profile, WKG_UNIT_CODEPOINT, SIZE_MAX);
}

/* Unchanged, or the twin's characters as RFC 8785 writes them. */
static void
same_string(const job *j, const model_reading *in, const model_reading *out,
            wkg_payload_report *want)
{
	check_chars text = model_json_chars(model_token_text(in));
	wkg_sanitize_report done = clean(j, in, &text);
	if (done.stripped + done.replaced + done.truncated == 0) {
		CHECK(check_same(model_token_text(in), model_token_text(out)));
	} else {
		wkg_buf quoted = model_json_quote(&text);
		CHECK(check_same(wkg_buf_span(&quoted), model_token_text(out)));
		free(quoted.ptr);
	}
	want->stripped += done.stripped;
	want->replaced += done.replaced;
	want->truncated += done.truncated;
	free(text.code);
}

/* Too deep: a `null` in the result, and nothing of what was in there. */
static void
skip_dropped(model_reading *in, const model_reading *out, wkg_payload_report *want)
{
	size_t depth = in->token.depth;
	CHECK(out->token.kind == WKG_JSON_NULL);
	want->dropped++;
	do
		model_next(in);
	while (in->token.depth > depth);
}

static void
side_by_side(const job *j, wkg_span result, wkg_payload_report *want)
{
	model_reading in, out;
	model_open(&in, j->doc, j->config.profile);
	model_open(&out, result, j->config.profile);
	do {
		model_next(&in);
		model_next(&out);
		CHECK(check_same(model_gap_text(&in), model_gap_text(&out)));
		CHECK(in.token.depth == out.token.depth);
		if (model_begins_container(&in) &&
		    in.token.depth >= j->config.max_depth) {
			skip_dropped(&in, &out, want);
			continue;
		}
		CHECK(in.token.kind == out.token.kind);
		if (is_name(&in) || in.token.kind == WKG_JSON_STRING)
			same_string(j, &in, &out, want);
		else
			CHECK(check_same(model_token_text(&in), model_token_text(&out)));
	} while (out.token.kind != WKG_JSON_DONE);
	CHECK(out.token.to == result.len);
	free(in.memory);
	free(out.memory);
}

/* ---- the rest -------------------------------------------------------- */

static void
twice_is_once(const job *j, wkg_span once)
{
	static job again;
	again = *j;
	again.doc = once;
	again.work.size = wkg_payload_work_size(once.len, &j->config);
	again.work.ptr = malloc(again.work.size);
	CHECK(again.work.ptr != NULL);

	wkg_buf twice;
	wkg_payload_report nothing = { 0 };
	CHECK(check_call(sanitize, &again, 0, wkg_payload_bound(once.len),
	                 &twice) == WKG_OK);
	CHECK(check_same(wkg_buf_span(&twice), once));
	adds_up(&again.report, &nothing);
	free(twice.ptr);
	free(again.work.ptr);
}

static wkg_status
without_report(wkg_buf *out, void *data)
{
	job *j = data;
	return wkg_payload_sanitize(out, j->doc, j->source, &j->config, j->work,
	                            NULL);
}

/* S5: a stored trigger type stands for its source. */
static wkg_status
from_trigger(wkg_buf *out, void *data)
{
	static const struct {
		wkg_span type;
		wkg_source source;
	} triggers[] = {
		{ WKG_LIT("webhook"), WKG_SOURCE_WEBHOOK },
		{ WKG_LIT("chat"), WKG_SOURCE_CHAT },
		{ WKG_LIT("form_event"), WKG_SOURCE_FORM_EVENT },
		{ WKG_LIT("schedule"), WKG_SOURCE_FORM_EVENT },
		{ WKG_LIT(""), WKG_SOURCE_FORM_EVENT },
		{ WKG_LIT("Chat"), WKG_SOURCE_FORM_EVENT },
		{ WKG_LIT("chat\0"), WKG_SOURCE_FORM_EVENT },
	};
	job *j = data;
	size_t i = j->doc.len % (sizeof triggers / sizeof *triggers);
	j->source = triggers[i].source; /* what it must be the same as */
	return wkg_payload_from_trigger(out, j->doc, triggers[i].type,
	                                &j->config, j->work, NULL);
}

static void
other_entrances_agree(job *j, wkg_status status, wkg_span result)
{
	size_t bound = wkg_payload_bound(j->doc.len);
	wkg_buf out;
	CHECK(check_call(without_report, j, 1, bound, &out) == status);
	CHECK(check_same(wkg_buf_span(&out), result));
	free(out.ptr);

	wkg_buf direct;
	CHECK(check_call(from_trigger, j, 0, bound, &out) == status);
	CHECK(check_call(without_report, j, 0, bound, &direct) == status);
	CHECK(check_same(wkg_buf_span(&out), wkg_buf_span(&direct)));
	free(direct.ptr);
	free(out.ptr);
}

static void
holds(job *j)
{
	wkg_buf out;
	wkg_status status = check_append(sanitize, j, j->before,
	                                 wkg_payload_bound(j->doc.len), &out);
	wkg_span result = wkg_buf_span(&out);
	if (status == WKG_OK) {
		wkg_payload_report want = { 0 };
		side_by_side(j, result, &want);
		adds_up(&j->report, &want);
		twice_is_once(j, result);
	} else {
		model_refuses(j->doc, j->config.profile, status,
		              &j->report.error);
	}
	other_entrances_agree(j, status, result);
	free(out.ptr);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static job j;
	wkg_buf input = check_input(data, size);
	read_options(&j, wkg_buf_span(&input));

	/* One byte short first, then exactly enough. */
	size_t need = wkg_payload_work_size(j.doc.len, &j.config);
	j.work.ptr = malloc(need);
	CHECK(j.work.ptr != NULL);
	j.work.size = need - 1;
	check_no_room(sanitize, &j, j.before, wkg_payload_bound(j.doc.len));
	j.work.size = need;
	holds(&j);

	free(j.work.ptr);
	free(input.ptr);
	return 0;
}
