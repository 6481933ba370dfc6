/* render.c - the guarantees of render.h, and equality with a slow twin.
 *
 * The twin holds the state as a list of tokens and names as lists of characters,
 * and follows every path from the start. Reading JSON and fencing it leaves to
 * json.h and fence.h, which have harnesses of their own.
 *
 * Input: four options, then the template and the state:
 *   mode     0 data  1 verbatim
 *   profile  0 reference  1 hardened
 *   before   bytes that are in the output already (0..31)
 *   split    how many of the bytes that follow are the template (up to 255) */
#include "model.h"

#include <wicketgate/fence.h>
#include <wicketgate/render.h>

typedef struct job {
	wkg_span template_text;
	wkg_span state;
	wkg_render_mode mode;
	wkg_profile profile;
	wkg_work work;
	wkg_render_error error;
} job;

static wkg_status
render(wkg_buf *out, void *data)
{
	job *j = data;
	memset(&j->error, CHECK_FILL, sizeof(j->error));
	wkg_status status = wkg_render(out, j->template_text, j->state, j->mode,
	                               j->profile, j->work, &j->error);
	bool malformed = status >= WKG_E_ENCODING;
	CHECK(malformed == (j->error.part != WKG_RENDER_PART_NONE));
	CHECK(malformed == (*j->error.what != '\0'));
	CHECK(malformed || j->error.at == 0);
	return status;
}

static wkg_status
render_without_error(wkg_buf *out, void *data)
{
	job *j = data;
	return wkg_render(out, j->template_text, j->state, j->mode, j->profile,
	                  j->work, NULL);
}

/* ---- the twin -------------------------------------------------------- */

typedef struct twin {
	const job *j;
	wkg_json_token *tokens; /* of the state */
	size_t at;              /* in the template */
	size_t value;           /* which token the path has led to */
	wkg_buf out;

	wkg_status status;
	wkg_render_part part;
	size_t error_at;
} twin;

static bool
fail(twin *t, wkg_status status, wkg_render_part part, size_t at)
{
	t->status = status;
	t->part = part;
	t->error_at = at;
	return false;
}

static bool
malformed(twin *t, size_t at)
{
	return fail(t, WKG_E_SYNTAX, WKG_RENDER_PART_TEMPLATE, at);
}

static bool
read_state(twin *t)
{
	wkg_span state = t->j->state;
	size_t size = wkg_json_work_size(state.len, 0), count = 0;
	wkg_work work = { malloc(size), size };
	wkg_json_reader reader;
	t->tokens = malloc((state.len + 2) * sizeof(*t->tokens));
	CHECK(work.ptr != NULL && t->tokens != NULL);
	wkg_status status = wkg_json_open(&reader, state, WKG_JSON_NAMES_EXACT,
	                                  0, work);
	do
		status = wkg_json_next(&reader, &t->tokens[count]);
	while (status == WKG_OK &&
	       t->tokens[count++].kind != WKG_JSON_DONE);
	free(work.ptr);
	return status == WKG_OK || fail(t, status, WKG_RENDER_PART_STATE,
	                                reader.error.at);
}

static wkg_span
token_text(const twin *t, const wkg_json_token *token)
{
	wkg_span text = { t->j->state.ptr + token->from,
		          token->to - token->from };
	return text;
}

static bool
ends(const wkg_json_token *token)
{
	return token->kind == WKG_JSON_OBJECT_END ||
	       token->kind == WKG_JSON_ARRAY_END;
}

static bool
is_name(const twin *t, const wkg_json_token *token, const check_chars *key)
{
	check_chars name = model_json_chars(token_text(t, token));
	bool same = name.len == key->len &&
	            memcmp(name.code, key->code,
	                   key->len * sizeof(*key->code)) == 0;
	free(name.code);
	return same;
}

/* Go on to what the container holds under `key` or, without a key, as its
 * `index`th element. `at` is where the step begins. */
static bool
enter(twin *t, const check_chars *key, size_t index, size_t at)
{
	const wkg_json_token *open = &t->tokens[t->value];
	bool fits = open->kind == (key != NULL ? WKG_JSON_OBJECT_BEGIN
	                                       : WKG_JSON_ARRAY_BEGIN);
	for (size_t i = t->value + 1; fits; i++) {
		const wkg_json_token *token = &t->tokens[i];
		if (ends(token) && token->depth == open->depth)
			break;
		if (token->depth != open->depth + 1 || ends(token))
			continue;
		if (key == NULL ? index-- == 0
		                : token->kind == WKG_JSON_NAME &&
		                          is_name(t, token, key)) {
			t->value = i + (key != NULL);
			return true;
		}
	}
	return fail(t, WKG_E_NOT_FOUND, WKG_RENDER_PART_TEMPLATE, at);
}

static uint8_t
peek(const twin *t, size_t ahead)
{
	wkg_span text = t->j->template_text;
	return t->at + ahead < text.len ? text.ptr[t->at + ahead] : 0;
}

static bool
is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool
step_by_name(twin *t)
{
	size_t dot = t->at++;
	wkg_span name = { t->j->template_text.ptr + t->at, 0 };
	while (peek(t, 0) > ' ' && peek(t, 0) != 0x7F &&
	       strchr(".[]{}\"\\", peek(t, 0)) == NULL) {
		t->at++;
		name.len++;
	}
	if (name.len == 0)
		return malformed(t, t->at);
	check_chars key = check_chars_of(name);
	bool found = enter(t, &key, 0, dot);
	free(key.code);
	return found;
}

static bool
step_by_index(twin *t, size_t bracket)
{
	size_t index = 0, from = t->at;
	while (is_digit(peek(t, 0))) {
		/* Too large is as good as larger still. */
		if (index < 1000000)
			index = index * 10 + (size_t)(peek(t, 0) - '0');
		t->at++;
	}
	size_t digits = t->at - from;
	if (digits == 0 ||
	    (digits > 1 && t->j->template_text.ptr[from] == '0'))
		return malformed(t, from);
	if (peek(t, 0) != ']')
		return malformed(t, t->at);
	t->at++;
	return enter(t, NULL, index, bracket);
}

/* Behind a backslash: how many bytes belong to it; or the offset of the one
 * that cannot. */
static bool
escape_len(twin *t, size_t *len)
{
	*len = 2;
	if (peek(t, 1) != '\0' && strchr("\"\\/bfnrt", peek(t, 1)) != NULL)
		return true;
	if (peek(t, 1) != 'u')
		return malformed(t, t->at + 1);
	for (; *len < 6; ++*len)
		if (check_hex_digit(peek(t, *len)) < 0)
			return malformed(t, t->at + *len);
	return true;
}

/* The cursor is at the opening quote and moves behind the closing one. */
static bool
skip_string(twin *t)
{
	for (t->at++; peek(t, 0) != '"';) {
		size_t len;
		if (peek(t, 0) < 0x20) /* or the end */
			return malformed(t, t->at);
		wkg_char c = check_decode(t->j->template_text, t->at);
		if (c.ill_formed)
			return malformed(t, t->at);
		len = c.len;
		if (c.code == '\\' && !escape_len(t, &len))
			return false;
		t->at += len;
	}
	t->at++;
	return true;
}

static bool
step_by_quoted_name(twin *t, size_t bracket)
{
	wkg_span quoted = { t->j->template_text.ptr + t->at, 0 };
	size_t from = t->at;
	if (!skip_string(t))
		return false;
	quoted.len = t->at - from;
	if (peek(t, 0) != ']')
		return malformed(t, t->at);
	t->at++;
	check_chars key = model_json_chars(quoted);
	bool found = enter(t, &key, 0, bracket);
	free(key.code);
	return found;
}

/* From behind `$` to the first byte that is no step. */
static bool
follow(twin *t)
{
	t->value = 0;
	for (;;) {
		size_t at = t->at;
		bool found;
		if (peek(t, 0) == '.')
			found = step_by_name(t);
		else if (peek(t, 0) != '[')
			return true;
		else if (t->at++, peek(t, 0) == '"')
			found = step_by_quoted_name(t, at);
		else
			found = step_by_index(t, at);
		if (!found)
			return false;
	}
}

static void
put(twin *t, wkg_span text)
{
	CHECK(t->out.cap - t->out.len >= text.len);
	if (text.len > 0)
		memcpy(t->out.ptr + t->out.len, text.ptr, text.len);
	t->out.len += text.len;
}

static void
put_line_feed(twin *t)
{
	wkg_span line_feed = WKG_LIT("\n");
	put(t, line_feed);
}

static wkg_buf
value_text(const twin *t)
{
	wkg_json_token value = t->tokens[t->value];
	if (value.kind == WKG_JSON_STRING) {
		check_chars chars = model_json_chars(token_text(t, &value));
		wkg_buf text = check_text_of(&chars);
		free(chars.code);
		return text;
	}
	bool begins = value.kind == WKG_JSON_OBJECT_BEGIN ||
	              value.kind == WKG_JSON_ARRAY_BEGIN;
	for (size_t i = t->value + 1; begins; i++) {
		begins = !ends(&t->tokens[i]) ||
		         t->tokens[i].depth != value.depth;
		value.to = t->tokens[i].to;
	}
	return check_copy(token_text(t, &value));
}

static void
put_value(twin *t, wkg_span label)
{
	wkg_buf text = value_text(t);
	wkg_span value = wkg_buf_span(&text);
	if (t->j->mode == WKG_RENDER_VERBATIM || !wkg_needs_fence(value)) {
		put(t, value);
	} else {
		if (t->out.len > 0 && t->out.ptr[t->out.len - 1] != '\n')
			put_line_feed(t);
		CHECK(wkg_fence(&t->out, label, value, t->j->profile, NULL) ==
		      WKG_OK);
		bool at_end = t->at == t->j->template_text.len ||
		              peek(t, 0) == '\n' ||
		              (peek(t, 0) == '\r' && peek(t, 1) == '\n');
		if (!at_end)
			put_line_feed(t);
	}
	free(text.ptr);
}

static bool
substitute(twin *t, size_t dollar)
{
	wkg_span label = { t->j->template_text.ptr + dollar, 1 };
	t->at = dollar + 1;
	if (!follow(t))
		return false;
	if (t->at > dollar + 1) {
		bool dot = label.ptr[1] == '.';
		label.ptr += 1 + dot;
		label.len = t->at - dollar - 1 - dot;
	}
	while (peek(t, 0) == ' ')
		t->at++;
	for (int i = 0; i < 2; i++) {
		if (peek(t, 0) != '}')
			return malformed(t, t->at);
		t->at++;
	}
	put_value(t, label);
	return true;
}

/* The offset of the `$` of a placeholder that begins here, or 0. */
static size_t
opening(const twin *t)
{
	size_t ahead = 2;
	if (peek(t, 0) != '{' || peek(t, 1) != '{')
		return 0;
	while (peek(t, ahead) == ' ')
		ahead++;
	return peek(t, ahead) == '$' ? t->at + ahead : 0;
}

static bool
render_twin(twin *t)
{
	if (!read_state(t))
		return false;
	while (t->at < t->j->template_text.len) {
		size_t dollar = opening(t);
		if (dollar > 0) {
			if (!substitute(t, dollar))
				return false;
			continue;
		}
		wkg_char c = check_decode(t->j->template_text, t->at);
		check_encode(&t->out, c.code);
		t->at += c.len;
	}
	return true;
}

/* ---- all ------------------------------------------------------------- */

static void
equals_the_twin(const job *j, wkg_status status, wkg_span got, size_t bound)
{
	twin t = { .j = j, .out = check_buf(bound) };
	render_twin(&t);
	CHECK(status == t.status);
	CHECK(j->error.part == t.part);
	CHECK(j->error.at == t.error_at);
	CHECK(status != WKG_OK || check_same(got, wkg_buf_span(&t.out)));
	free(t.tokens);
	free(t.out.ptr);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	wkg_buf input = check_input(data, size);
	wkg_span in = wkg_buf_span(&input);
	job j = { 0 };
	j.mode = check_option(&in, 2) == 0 ? WKG_RENDER_DATA
	                                   : WKG_RENDER_VERBATIM;
	j.profile = check_profile(&in);
	size_t before = check_option(&in, 32);
	size_t split = check_option(&in, 256);
	if (split > in.len)
		split = in.len;
	j.template_text.ptr = in.ptr;
	j.template_text.len = split;
	j.state.ptr = in.ptr + split;
	j.state.len = in.len - split;

	/* One byte short first, then exactly enough. */
	size_t need = wkg_render_work_size(j.state.len);
	size_t bound = wkg_render_bound(j.template_text, j.state.len);
	j.work.ptr = malloc(need);
	CHECK(j.work.ptr != NULL);
	j.work.size = need - 1;
	check_no_room(render, &j, before, bound);
	j.work.size = need;

	wkg_buf out, again;
	wkg_status status = check_append(render, &j, before, bound, &out);
	CHECK(check_well_formed(wkg_buf_span(&out)));
	equals_the_twin(&j, status, wkg_buf_span(&out), bound);
	CHECK(check_call(render_without_error, &j, 0, bound, &again) == status);
	CHECK(check_same(wkg_buf_span(&again), wkg_buf_span(&out)));

	free(again.ptr);
	free(out.ptr);
	free(j.work.ptr);
	free(input.ptr);
	return 0;
}
