/* render.c - templates over JSON state. */
#include "copy.h"

#include <string.h>
#include <wicketgate/fence.h>
#include <wicketgate/render.h>

typedef struct job {
	wkg_span template_text;
	size_t at; /* in the template */
	wkg_span state;
	wkg_render_mode mode;
	wkg_profile profile;
	wkg_json_reader reader;
	wkg_work reading;
	wkg_buf value; /* the decoded string being substituted */
	wkg_buf out;
	size_t start; /* of this result in `out` */
	wkg_render_error error;
} job;

static wkg_status
fail(job *j, wkg_status status, size_t at, const char *what)
{
	j->error.part = WKG_RENDER_PART_TEMPLATE;
	j->error.at = at;
	j->error.what = what;
	return status;
}

static uint8_t
peek(const job *j)
{
	return j->at < j->template_text.len ? j->template_text.ptr[j->at] : 0;
}

static bool
take(job *j, uint8_t byte)
{
	if (j->at >= j->template_text.len || peek(j) != byte)
		return false;
	j->at++;
	return true;
}

static void
skip_spaces(job *j)
{
	while (take(j, ' '))
		;
}

/* ---- reading the state -------------------------------------------------- */

static wkg_status
next(job *j, wkg_json_token *token)
{
	wkg_status status = wkg_json_next(&j->reader, token);
	if (status != WKG_OK) {
		j->error.part = WKG_RENDER_PART_STATE;
		j->error.at = j->reader.error.at;
		j->error.what = j->reader.error.what;
	}
	return status;
}

static wkg_status
rewind_state(job *j)
{
	return wkg_json_open(&j->reader, j->state, WKG_JSON_NAMES_EXACT, 0, j->reading);
}

static wkg_status
check_state(job *j)
{
	wkg_json_token token;
	WKG_TRY(rewind_state(j));
	do
		WKG_TRY(next(j, &token));
	while (token.kind != WKG_JSON_DONE);
	return WKG_OK;
}

/* Past the value that `value` is or begins; it then ends where `value` says. */
static wkg_status
skip_value(job *j, wkg_json_token *value)
{
	wkg_json_token token = *value;
	while (j->reader.depth > value->depth)
		WKG_TRY(next(j, &token));
	value->to = token.to;
	return WKG_OK;
}

/* ---- paths -------------------------------------------------------------- */

static bool
is_key_byte(uint8_t c)
{
	return c > ' ' && c != 0x7F && strchr(".[]{}\"\\", c) == NULL;
}

/* A name in the template: raw after a dot, a JSON string in brackets. */
typedef struct key {
	wkg_span text;
	size_t at;
	bool quoted;
} key;

static wkg_char
read_key(const key *k, size_t at)
{
	static const wkg_char end = { 0, 0, false };
	if (at >= k->text.len)
		return end;
	return k->quoted ? wkg_json_char(k->text, at) :
	                   wkg_utf8_decode(k->text, at);
}

static bool
key_equals(const job *j, const key *k, const wkg_json_token *name)
{
	size_t a = k->at, b = name->from + 1;
	for (;;) {
		wkg_char x = read_key(k, a), y = wkg_json_char(j->state, b);
		if (x.len == 0 || y.len == 0)
			return x.len == y.len;
		if (x.code != y.code)
			return false;
		a += x.len;
		b += y.len;
	}
}

static wkg_status
not_found(job *j, size_t step_at)
{
	return fail(j, WKG_E_NOT_FOUND, step_at, "the state has no such value");
}

static wkg_status
enter_member(job *j, const key *k, size_t step_at, wkg_json_token *value)
{
	if (value->kind != WKG_JSON_OBJECT_BEGIN)
		return not_found(j, step_at);
	for (;;) {
		wkg_json_token name;
		WKG_TRY(next(j, &name));
		if (name.kind == WKG_JSON_OBJECT_END)
			return not_found(j, step_at);
		WKG_TRY(next(j, value));
		if (key_equals(j, k, &name))
			return WKG_OK;
		WKG_TRY(skip_value(j, value));
	}
}

static wkg_status
enter_element(job *j, size_t index, size_t step_at, wkg_json_token *value)
{
	if (value->kind != WKG_JSON_ARRAY_BEGIN)
		return not_found(j, step_at);
	for (;; index--) {
		WKG_TRY(next(j, value));
		if (value->kind == WKG_JSON_ARRAY_END)
			return not_found(j, step_at);
		if (index == 0)
			return WKG_OK;
		WKG_TRY(skip_value(j, value));
	}
}

static wkg_status
step_to_key(job *j, wkg_json_token *value)
{
	size_t step_at = j->at - 1;
	key k = { j->template_text, j->at, false };
	while (j->at < j->template_text.len && is_key_byte(peek(j)))
		j->at++;
	k.text.len = j->at;
	if (k.at == j->at)
		return fail(j, WKG_E_SYNTAX, j->at, "expected a name after '.'");
	return enter_member(j, &k, step_at, value);
}

static wkg_status
step_to_quoted(job *j, size_t step_at, wkg_json_token *value)
{
	wkg_json_error error;
	key k = { j->template_text, j->at + 1, true };
	size_t end;
	if (wkg__json_string_end(k.text, j->at, &end, &error) != WKG_OK)
		return fail(j, WKG_E_SYNTAX, error.at, error.what);
	j->at = end;
	if (!take(j, ']'))
		return fail(j, WKG_E_SYNTAX, j->at, "expected ']'");
	return enter_member(j, &k, step_at, value);
}

static wkg_status
step_to_index(job *j, size_t step_at, wkg_json_token *value)
{
	size_t from = j->at, index = 0;
	for (; peek(j) >= '0' && peek(j) <= '9'; j->at++) {
		size_t digit = (size_t)(peek(j) - '0');
		/* No state has so many elements; the index stays too large. */
		index = index > j->state.len ? index : index * 10 + digit;
	}
	bool leading_zero = j->at - from > 1 && j->template_text.ptr[from] == '0';
	if (j->at == from || leading_zero)
		return fail(j, WKG_E_SYNTAX, from, "expected an index or a name in quotes");
	if (!take(j, ']'))
		return fail(j, WKG_E_SYNTAX, j->at, "expected ']'");
	return enter_element(j, index, step_at, value);
}

/* Follow the steps behind `$` down to a value of the state. */
static wkg_status
follow_path(job *j, wkg_json_token *value)
{
	WKG_TRY(rewind_state(j));
	WKG_TRY(next(j, value));
	for (;;) {
		size_t step_at = j->at;
		if (take(j, '.'))
			WKG_TRY(step_to_key(j, value));
		else if (!take(j, '['))
			return skip_value(j, value);
		else if (peek(j) == '"')
			WKG_TRY(step_to_quoted(j, step_at, value));
		else
			WKG_TRY(step_to_index(j, step_at, value));
	}
}

/* ---- substituting ------------------------------------------------------- */

/* The value as text: a string decoded, everything else as it stands. */
static wkg_status
value_text(job *j, const wkg_json_token *value, wkg_span *text)
{
	text->ptr = j->state.ptr + value->from;
	text->len = value->to - value->from;
	if (value->kind != WKG_JSON_STRING)
		return WKG_OK;
	j->value.len = 0;
	for (size_t at = value->from + 1;;) {
		wkg_char c = wkg_json_char(j->state, at);
		if (c.len == 0)
			break;
		WKG_TRY(wkg__put(&j->value, c.code));
		at += c.len;
	}
	*text = wkg_buf_span(&j->value);
	return WKG_OK;
}

static wkg_status
start_line(job *j)
{
	static const uint8_t line_feed = '\n';
	bool at_start = j->out.len == j->start ||
	                j->out.ptr[j->out.len - 1] == line_feed;
	return at_start ? WKG_OK : wkg__append(&j->out, &line_feed, 1);
}

static bool
at_end_of_line(const job *j)
{
	wkg_span rest = { j->template_text.ptr + j->at, j->template_text.len - j->at };
	return rest.len == 0 || rest.ptr[0] == '\n' ||
	       (rest.len > 1 && rest.ptr[0] == '\r' && rest.ptr[1] == '\n');
}

static wkg_status
put_segment(job *j, wkg_span label, wkg_span text)
{
	static const uint8_t line_feed = '\n';
	WKG_TRY(start_line(j));
	WKG_TRY(wkg_fence(&j->out, label, text, j->profile, NULL));
	return at_end_of_line(j) ? WKG_OK : wkg__append(&j->out, &line_feed, 1);
}

/* The path as the template writes it, without `$` or `$.`; the root is `$`. */
static wkg_span
label_of(const job *j, size_t dollar, size_t end)
{
	size_t from = dollar + 1;
	if (from < end && j->template_text.ptr[from] == '.')
		from++;
	if (from == end)
		from = dollar;
	wkg_span label = { j->template_text.ptr + from, end - from };
	return label;
}

/* The cursor is at the `$` of a placeholder and moves behind its braces. */
static wkg_status
substitute(job *j)
{
	size_t dollar = j->at++;
	wkg_json_token value;
	wkg_span text;
	WKG_TRY(follow_path(j, &value));
	wkg_span label = label_of(j, dollar, j->at);
	skip_spaces(j);
	if (!take(j, '}') || !take(j, '}'))
		return fail(j, WKG_E_SYNTAX, j->at, "expected '}}', '.' or '['");
	WKG_TRY(value_text(j, &value, &text));
	/* Of JSON text only numbers, true and false need no fence (F6). */
	bool fenced = j->mode == WKG_RENDER_DATA && wkg_needs_fence(text);
	return fenced ? put_segment(j, label, text) :
	                wkg__append(&j->out, text.ptr, text.len);
}

/* Does a placeholder begin here? The cursor is left at its `$`. */
static bool
at_placeholder(job *j)
{
	size_t from = j->at;
	if (take(j, '{') && take(j, '{')) {
		skip_spaces(j);
		if (peek(j) == '$')
			return true;
	}
	j->at = from;
	return false;
}

static wkg_status
render(job *j)
{
	WKG_TRY(check_state(j));
	while (j->at < j->template_text.len) {
		if (at_placeholder(j)) {
			WKG_TRY(substitute(j));
			continue;
		}
		wkg_char c = wkg_utf8_decode(j->template_text, j->at);
		WKG_TRY(wkg__put(&j->out, c.code));
		j->at += c.len;
	}
	return WKG_OK;
}

/* ---- the call ----------------------------------------------------------- */

size_t
wkg_render_bound(wkg_span template_text, size_t state_len)
{
	size_t placeholders = 0;
	for (size_t at = 0; at + 1 < template_text.len; at++)
		placeholders += template_text.ptr[at] == '{' &&
		                template_text.ptr[at + 1] == '{';
	/* A segment, with a line feed on either side. */
	size_t each = wkg__add(wkg_fence_bound(0, state_len), 2);
	size_t text = wkg__multiply(template_text.len, 3);
	return wkg__add(wkg__add(text, text), wkg__multiply(placeholders, each));
}

size_t
wkg_render_work_size(size_t state_len)
{
	return wkg__add(state_len, wkg_json_work_size(state_len, 0));
}

static wkg_status
check(const wkg_buf *out, wkg_span template_text, wkg_span state,
      wkg_work work)
{
	WKG_TRY(wkg__check_spans(out, template_text));
	WKG_TRY(wkg__check_spans(out, state));
	if (!wkg__disjoint(work.ptr, work.size, template_text.ptr, template_text.len) ||
	    !wkg__disjoint(work.ptr, work.size, state.ptr, state.len) ||
	    !wkg__disjoint(work.ptr, work.size, out->ptr, out->cap))
		return WKG_E_ARGUMENT;
	size_t needed = wkg_render_work_size(state.len);
	bool fits = work.ptr != NULL && needed != SIZE_MAX && work.size >= needed;
	return fits ? WKG_OK : WKG_E_SPACE;
}

wkg_status
wkg_render(wkg_buf *out, wkg_span template_text, wkg_span state,
           wkg_render_mode mode, wkg_profile profile, wkg_work work,
           wkg_render_error *error)
{
	static const wkg_render_error none = { WKG_RENDER_PART_NONE, 0, "" };
	if (error != NULL)
		*error = none;
	if (mode != WKG_RENDER_DATA && mode != WKG_RENDER_VERBATIM)
		return WKG_E_ARGUMENT;
	if (!wkg__profile_known(profile))
		return WKG_E_ARGUMENT;
	WKG_TRY(check(out, template_text, state, work));

	uint8_t *memory = work.ptr;
	job j = {
		.template_text = template_text, .state = state, .mode = mode,
		.profile = profile, .out = *out, .start = out->len, .error = none,
		.value = { memory, 0, state.len },
		.reading = { memory + state.len, work.size - state.len },
	};
	wkg_status status = render(&j);
	if (error != NULL)
		*error = j.error;
	if (status == WKG_OK)
		*out = j.out;
	return status;
}
