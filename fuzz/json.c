/* json.c - the strict reader against a recursive descent over RFC 8259.
 *
 * The oracle below is the grammar written down once more, with recursion and
 * quadratic name comparison, and must agree on every document: accepted or
 * not, why, and at which byte. With -DWKG_FUZZ_CJSON (link cjson) that lenient
 * parser must accept what we accept, but for what it is known to get wrong.
 *
 * Input: three options, then the document:
 *   names  0 exact  1 reference  2 hardened
 *   path   paths are asked for in up to this many containers (0..255)
 *   align  the work area starts this many bytes off (0..7)
 * A document that starts with `{` or `[` needs no options: exact, 16, 0. */
#include "model.h"

#include <wicketgate/json.h>

#ifdef WKG_FUZZ_CJSON
#include <cjson/cJSON.h>
#endif

/* ---- the oracle ------------------------------------------------------ */

enum { ORACLE_DEPTH = 500, ORACLE_LEN = 1 << 16 };

typedef struct oracle {
	wkg_span doc;
	wkg_json_names names;
	unsigned depth;
	wkg_status status; /* WKG_E_SPACE: too deep to say */
	size_t at;
	size_t first;
} oracle;

typedef struct oracle_name {
	size_t at;
	check_chars text;
} oracle_name;

static bool oracle_value(oracle *o);

static bool
refuse(oracle *o, wkg_status status)
{
	o->status = status;
	return false;
}

static bool
next_is(const oracle *o, const char *set)
{
	return o->at < o->doc.len && o->doc.ptr[o->at] != '\0' &&
	       strchr(set, o->doc.ptr[o->at]) != NULL;
}

static bool
take(oracle *o, const char *set)
{
	if (!next_is(o, set))
		return refuse(o, WKG_E_SYNTAX);
	o->at++;
	return true;
}

static void
oracle_space(oracle *o)
{
	while (next_is(o, " \t\n\r"))
		o->at++;
}

static bool
oracle_word(oracle *o, const char *word)
{
	for (; *word != '\0'; word++) {
		char set[] = { *word, '\0' };
		if (!take(o, set))
			return false;
	}
	return true;
}

static bool
oracle_digits(oracle *o)
{
	if (!take(o, "0123456789"))
		return false;
	while (next_is(o, "0123456789"))
		o->at++;
	return true;
}

static bool
oracle_number(oracle *o)
{
	if (next_is(o, "-"))
		o->at++;
	if (next_is(o, "0"))
		o->at++;
	else if (!oracle_digits(o))
		return false;
	if (next_is(o, ".")) {
		o->at++;
		if (!oracle_digits(o))
			return false;
	}
	if (next_is(o, "eE")) {
		o->at++;
		if (next_is(o, "+-"))
			o->at++;
		if (!oracle_digits(o))
			return false;
	}
	return true;
}

static bool
oracle_escape(oracle *o)
{
	o->at++;
	if (next_is(o, "\"\\/bfnrt")) {
		o->at++;
		return true;
	}
	if (!take(o, "u"))
		return false;
	for (int i = 0; i < 4; i++)
		if (!take(o, "0123456789abcdefABCDEF"))
			return false;
	return true;
}

static bool
oracle_string(oracle *o)
{
	if (!take(o, "\""))
		return false;
	while (!next_is(o, "\"")) {
		if (o->at == o->doc.len || o->doc.ptr[o->at] < 0x20)
			return refuse(o, WKG_E_SYNTAX);
		if (next_is(o, "\\")) {
			if (!oracle_escape(o))
				return false;
			continue;
		}
		wkg_char c = check_decode(o->doc, o->at);
		if (c.ill_formed)
			return refuse(o, WKG_E_ENCODING);
		o->at += c.len;
	}
	o->at++;
	return true;
}

/* As the reader is to compare it. */
static check_chars
compared_form(const oracle *o, size_t from)
{
	wkg_span string = { o->doc.ptr + from, o->at - from };
	check_chars text = model_json_chars(string);
	if (o->names == WKG_JSON_NAMES_EXACT)
		return text;
	model_sanitize(&text,
	               o->names == WKG_JSON_NAMES_HARDENED
	                       ? WKG_PROFILE_HARDENED
	                       : WKG_PROFILE_REFERENCE,
	               WKG_UNIT_CODEPOINT, SIZE_MAX);
	return text;
}

static bool
same_text(const check_chars *a, const check_chars *b)
{
	return a->len == b->len &&
	       memcmp(a->code, b->code, a->len * sizeof(*a->code)) == 0;
}

/* Of several pairs, the one that is complete first. */
static bool
oracle_unique(oracle *o, const oracle_name *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (!same_text(&names[i].text, &names[j].text))
				continue;
			o->at = names[i].at;
			o->first = names[j].at;
			return refuse(o, WKG_E_DUPLICATE);
		}
	}
	return true;
}

static bool
oracle_member(oracle *o, oracle_name *name)
{
	name->at = o->at;
	if (!oracle_string(o))
		return false;
	name->text = compared_form(o, name->at);
	oracle_space(o);
	if (!take(o, ":"))
		return false;
	oracle_space(o);
	return oracle_value(o);
}

static bool
oracle_members(oracle *o, oracle_name **names, size_t *count)
{
	for (;;) {
		oracle_space(o);
		*names = realloc(*names, (*count + 1) * sizeof(**names));
		CHECK(*names != NULL);
		oracle_name *name = &(*names)[(*count)++];
		memset(name, 0, sizeof(*name));
		if (!oracle_member(o, name))
			return false;
		oracle_space(o);
		if (!take(o, ",}"))
			return false;
		if (o->doc.ptr[o->at - 1] == '}')
			return oracle_unique(o, *names, *count);
	}
}

static bool
oracle_object(oracle *o)
{
	o->at++;
	oracle_space(o);
	if (next_is(o, "}")) {
		o->at++;
		return true;
	}
	oracle_name *names = NULL;
	size_t count = 0;
	bool valid = oracle_members(o, &names, &count);
	for (size_t i = 0; i < count; i++)
		free(names[i].text.code);
	free(names);
	return valid;
}

static bool
oracle_array(oracle *o)
{
	o->at++;
	oracle_space(o);
	if (next_is(o, "]")) {
		o->at++;
		return true;
	}
	for (;;) {
		oracle_space(o);
		if (!oracle_value(o))
			return false;
		oracle_space(o);
		if (!take(o, ",]"))
			return false;
		if (o->doc.ptr[o->at - 1] == ']')
			return true;
	}
}

static bool
oracle_container(oracle *o)
{
	if (++o->depth > ORACLE_DEPTH)
		return refuse(o, WKG_E_SPACE);
	bool valid = next_is(o, "{") ? oracle_object(o) : oracle_array(o);
	o->depth--;
	return valid;
}

static bool
oracle_value(oracle *o)
{
	if (next_is(o, "{["))
		return oracle_container(o);
	if (next_is(o, "\""))
		return oracle_string(o);
	if (next_is(o, "t"))
		return oracle_word(o, "true");
	if (next_is(o, "f"))
		return oracle_word(o, "false");
	if (next_is(o, "n"))
		return oracle_word(o, "null");
	return oracle_number(o);
}

static oracle
oracle_of(wkg_span doc, wkg_json_names names)
{
	oracle o = { .doc = doc, .names = names };
	oracle_space(&o);
	if (oracle_value(&o)) {
		oracle_space(&o);
		if (o.at < doc.len)
			refuse(&o, WKG_E_SYNTAX);
	}
	return o;
}

/* ---- reading a document to its end ----------------------------------- */

typedef struct facts {
	wkg_json_error error;
	size_t depth;  /* of the deepest container */
	size_t number; /* length of the longest number */
	bool nul;      /* a string with \u0000 */
	bool lone;     /* a surrogate escape without its partner */
} facts;

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Between two tokens stands nothing that could be one. */
static void
only_punctuation(wkg_span doc, size_t from, size_t to)
{
	for (; from < to; from++)
		CHECK(doc.ptr[from] != '\0' &&
		      strchr(" \t\n\r,:", doc.ptr[from]) != NULL);
}

/* wkg_json_char() gives the characters of the string and ends at its quote. */
static void
characters(wkg_span doc, const wkg_json_token *token, facts *f)
{
	wkg_span string = { doc.ptr + token->from, token->to - token->from };
	CHECK(string.len >= 2 && string.ptr[0] == '"');
	CHECK(string.ptr[string.len - 1] == '"');

	check_chars want = model_json_chars(string);
	size_t lone = 0;
	size_t at = token->from + 1;
	for (size_t i = 0; i < want.len; i++) {
		wkg_char c = wkg_json_char(doc, at);
		CHECK(c.len > 0 && c.len <= 12);
		CHECK(c.code == want.code[i]);
		lone += c.ill_formed;
		f->nul = f->nul || c.code == 0;
		at += c.len;
	}
	CHECK(at == token->to - 1);
	CHECK(wkg_json_char(doc, at).len == 0);
	CHECK(lone == want.ill_formed);
	f->lone = f->lone || lone > 0;
	free(want.code);
}

static bool
word_in_path(oracle *o)
{
	size_t from = o->at;
	while (next_is(o, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	                  "0123456789_-"))
		o->at++;
	return o->at > from;
}

/* `name`, `[0]` or `["name"]`, with a dot in front of a name in the middle. */
static bool
piece_of_path(oracle *o)
{
	if (!next_is(o, "["))
		return (o->at == 0 || take(o, ".")) && word_in_path(o);
	o->at++;
	return (next_is(o, "\"") ? oracle_string(o) : oracle_digits(o)) &&
	       take(o, "]");
}

/* S10: as many pieces as there are containers around the value, and nothing
 * one cannot see. A path that was cut may end anywhere. */
static void
path(const wkg_json_reader *reader, const wkg_json_token *token)
{
	wkg_json_path path = wkg_json_path_of(reader, token);
	oracle o = { .doc = { path.text, path.len } };

	CHECK(path.len <= WKG_JSON_PATH_MAX);
	for (size_t at = 0; at < path.len;) {
		wkg_char c = check_decode(o.doc, at);
		CHECK(!c.ill_formed && c.code >= 0x20);
		CHECK(!(wkg_table_sets(c.code) & WKG_SET_FENCE_IGNORABLE));
		at += c.len;
	}
	if (path.cut) {
		CHECK(token->depth > 0);
		return;
	}
	for (size_t i = 0; i < token->depth; i++)
		CHECK(piece_of_path(&o));
	CHECK(o.at == path.len);
}

/* Nothing after the last token, and the last failure stays the last. */
static void
stays(wkg_json_reader *reader, wkg_status status)
{
	wkg_json_error error = reader->error;
	for (int i = 0; i < 2; i++) {
		wkg_json_token token;
		CHECK(wkg_json_next(reader, &token) == status);
		CHECK(token.kind ==
		      (status == WKG_OK ? WKG_JSON_DONE : WKG_JSON_INVALID));
		CHECK(reader->error.at == error.at);
		CHECK(reader->error.first == error.first);
		CHECK(reader->error.what == error.what);
	}
}

static wkg_status
read_all(wkg_json_reader *reader, wkg_span doc, size_t path_depth, facts *f)
{
	size_t depth = 0;
	size_t last = 0;
	bool named = false; /* the last token was a name */
	for (;;) {
		wkg_json_token token;
		wkg_status status = wkg_json_next(reader, &token);
		f->error = reader->error;
		if (status != WKG_OK || token.kind == WKG_JSON_DONE) {
			stays(reader, status);
			if (status == WKG_OK) {
				CHECK(depth == 0 && !named);
				only_punctuation(doc, last, doc.len);
			}
			return status;
		}

		CHECK(token.from >= last && token.from < token.to);
		CHECK(token.to <= doc.len);
		only_punctuation(doc, last, token.from);
		last = token.to;

		bool ends = token.kind == WKG_JSON_OBJECT_END ||
		            token.kind == WKG_JSON_ARRAY_END;
		bool begins = token.kind == WKG_JSON_OBJECT_BEGIN ||
		              token.kind == WKG_JSON_ARRAY_BEGIN;
		depth -= ends;
		CHECK(token.depth == depth);
		depth += begins;
		f->depth = larger(f->depth, depth);
		CHECK(!named || (!ends && token.kind != WKG_JSON_NAME));
		named = token.kind == WKG_JSON_NAME;

		if (named || token.kind == WKG_JSON_STRING)
			characters(doc, &token, f);
		if (token.kind == WKG_JSON_NUMBER)
			f->number = larger(f->number, token.to - token.from);
		if (!named && token.depth <= path_depth)
			path(reader, &token);
	}
}

static wkg_status
read_document(wkg_span doc, wkg_json_names names, size_t path_depth,
              size_t align, facts *f)
{
	size_t size = wkg_json_work_size(doc.len, path_depth);
	wkg_buf memory = check_buf(align + size + CHECK_CANARY);
	memset(memory.ptr, CHECK_FILL, memory.cap);
	wkg_work work = { memory.ptr + align, size };
	wkg_work little = { memory.ptr + align, size - 1 };

	wkg_json_reader reader;
	CHECK(wkg_json_open(&reader, doc, names, path_depth, little) ==
	      WKG_E_SPACE);
	CHECK(wkg_json_open(&reader, doc, names, path_depth, work) == WKG_OK);
	wkg_status status = read_all(&reader, doc, path_depth, f);

	for (size_t i = 0; i < memory.cap; i++)
		if (i < align || i >= align + size)
			CHECK(memory.ptr[i] == CHECK_FILL);
	free(memory.ptr);
	return status;
}

static void
error_is_sound(wkg_span doc, wkg_status status, const wkg_json_error *error)
{
	CHECK(status == WKG_E_ENCODING || status == WKG_E_SYNTAX ||
	      status == WKG_E_DUPLICATE);
	CHECK(error->at <= doc.len);
	CHECK(error->what != NULL && error->what[0] != '\0');
	if (status != WKG_E_DUPLICATE) {
		CHECK(error->first == 0);
		return;
	}
	CHECK(error->first < error->at && error->at < doc.len);
	CHECK(doc.ptr[error->first] == '"' && doc.ptr[error->at] == '"');
}

static void
agrees_with_the_oracle(wkg_span doc, wkg_json_names names, wkg_status status,
                       const wkg_json_error *error)
{
	if (doc.len > ORACLE_LEN)
		return;
	oracle o = oracle_of(doc, names);
	if (o.status == WKG_E_SPACE)
		return;
	CHECK(status == o.status);
	if (status != WKG_OK) {
		CHECK(error->at == o.at);
		CHECK(error->first == o.first);
	}
}

/* cJSON 1.7 ends strings at \u0000, refuses half a surrogate pair, more than
 * 1000 levels and numbers of more than 63 bytes. */
static void
agrees_with_cjson(wkg_span doc, const facts *f)
{
#ifdef WKG_FUZZ_CJSON
	if (f->nul || f->lone || f->depth > 1000 || f->number > 63)
		return;
	cJSON *tree = cJSON_ParseWithLength((const char *)doc.ptr, doc.len);
	CHECK(tree != NULL);
	cJSON_Delete(tree);
#else
	(void)doc;
	(void)f;
#endif
}

/* ---- wkg_json_quote -------------------------------------------------- */

static wkg_status
quote(wkg_buf *out, void *text)
{
	return wkg_json_quote(out, *(wkg_span *)text);
}

/* Any bytes become a valid string that says the same, as RFC 8785 writes it. */
static void
quotes(wkg_span text)
{
	wkg_buf out;
	CHECK(check_append(quote, &text, text.len % 4,
	                   wkg_json_quote_bound(text.len), &out) == WKG_OK);

	check_chars chars = check_chars_of(text);
	wkg_buf want = model_json_quote(&chars);
	CHECK(check_same(wkg_buf_span(&out), wkg_buf_span(&want)));

	oracle o = { .doc = wkg_buf_span(&out) };
	CHECK(oracle_string(&o) && o.at == out.len);
	check_chars back = model_json_chars(wkg_buf_span(&out));
	CHECK(same_text(&back, &chars));
	free(back.code);
	free(want.ptr);
	free(chars.code);
	free(out.ptr);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	wkg_buf input = check_input(data, size);
	wkg_span doc = wkg_buf_span(&input);
	wkg_json_names names = WKG_JSON_NAMES_EXACT;
	size_t path_depth = 16;
	size_t align = 0;

	if (doc.len == 0 || (doc.ptr[0] != '{' && doc.ptr[0] != '[')) {
		names = (wkg_json_names)(1 + check_option(&doc, 3));
		path_depth = check_option(&doc, 256);
		align = check_option(&doc, 8);
	}

	facts f = { 0 };
	wkg_status status = read_document(doc, names, path_depth, align, &f);
	if (status == WKG_OK)
		agrees_with_cjson(doc, &f);
	else
		error_is_sound(doc, status, &f.error);
	agrees_with_the_oracle(doc, names, status, &f.error);
	quotes(doc);

	free(input.ptr);
	return 0;
}
