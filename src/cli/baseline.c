/* baseline.c - findings that somebody has looked at and accepted.
 *
 * A finding is known by its file, class, code points and count, and by its
 * context: its own bytes and a few characters of its line on either side. All
 * are compared in full; a hash that a stranger can make collide would let them
 * hide text under somebody else's acceptance. The line number is left out, so
 * that lines may move. Each entry covers one finding: a second copy is new. */
#include "document.h"
#include "inspect.h"

#include <wicketgate/json.h>
#include <wicketgate/utf8.h>

#include <stdlib.h>
#include <string.h>

struct inspect_known {
	size_t from; /* of its key, in baseline->keys */
	wkg_span key;
	size_t left; /* findings that it still covers */
};

/* ---- keys ---- */

static bool
put_escape(wkg_buf *out, uint32_t code)
{
	if (code < 0x10000)
		return cli_put_format(out, "\\u%04lx", (unsigned long)code);
	uint32_t high = 0xD800 + ((code - 0x10000) >> 10);
	uint32_t low = 0xDC00 + (code & 0x3FF);
	return cli_put_format(out, "\\u%04lx\\u%04lx", (unsigned long)high,
	                      (unsigned long)low);
}

static bool
put_piece(wkg_buf *out, wkg_span text, size_t at, const cli_piece *piece)
{
	char raw[sizeof(piece->text) + 1];
	wkg_char c = wkg_utf8_decode(text, at);
	if (c.ill_formed)
		return cli_put(out, "\xEF\xBF\xBD");
	if (piece->hidden)
		return put_escape(out, c.code);
	if (c.code == '"' || c.code == '\\')
		return cli_put_format(out, "\\%c", (char)c.code);
	memcpy(raw, piece->text, piece->len);
	raw[piece->len] = '\0';
	return cli_put(out, raw);
}

int
inspect_quote(const char *command, wkg_buf *out, wkg_span text)
{
	/* A byte becomes six at most: U+0000 is \u0000. */
	size_t bound = text.len > (SIZE_MAX - 2) / 6 ? SIZE_MAX
	                                             : 6 * text.len + 2;
	int code = cli_reserve_more(command, out, bound);
	if (code != CLI_DONE)
		return code;
	bool ok = cli_put(out, "\"");
	for (size_t at = 0; ok && at < text.len;) {
		cli_piece piece = cli_piece_at(text, at, CLI_DRAW_EACH);
		ok = put_piece(out, text, at, &piece);
		at += piece.used;
	}
	ok = ok && cli_put(out, "\"");
	return ok ? CLI_DONE : cli_unexpected(command, WKG_E_SPACE);
}

/* What a finding is known by, as text. */
typedef struct identity {
	wkg_span file;
	wkg_span class;
	wkg_span codes; /* "U+200B U+200C " */
	wkg_span count; /* decimal */
	wkg_span context;
} identity;

static int
put_key(const char *command, wkg_buf *out, const identity *id)
{
	const wkg_span *parts[] = { &id->file, &id->class, &id->codes,
		                    &id->count, &id->context };
	int code = CLI_DONE;
	for (size_t i = 0; i < COUNT(parts) && code == CLI_DONE; i++)
		code = inspect_quote(command, out, *parts[i]);
	return code;
}

static wkg_span
span_of(const char *text)
{
	wkg_span span = { (const uint8_t *)text, strlen(text) };
	return span;
}

static int
compare(wkg_span a, wkg_span b)
{
	int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int
compare_known(const void *a, const void *b)
{
	const inspect_known *x = a, *y = b;
	return compare(x->key, y->key);
}

/* ---- reading ---- */

enum {
	CODES_SIZE = INSPECT_CODES_MAX * sizeof(inspect_code),
	COUNT_SIZE = 24,
};

/* One finding of the document, as far as it was read. */
typedef struct entry {
	wkg_json_token class;
	wkg_json_token codes;
	wkg_json_token count;
	wkg_json_token context;
	bool accepted; /* it was blocking, or known already */
} entry;

typedef struct reading {
	document in;
	inspect_baseline *baseline;
	wkg_buf file; /* decoded strings */
	wkg_buf class;
	wkg_buf context;
	bool file_known;
} reading;

static const char not_ours[] = "not what inspect --json prints here";

static int
next(reading *r, wkg_json_token *token)
{
	int code = document_next(&r->in);
	*token = r->in.token;
	return code;
}

/* To the end of the value that `token` begins; `token` is then all of it. */
static int
skip(reading *r, wkg_json_token *token)
{
	wkg_json_token inner = *token;
	bool open = token->kind == WKG_JSON_OBJECT_BEGIN ||
	            token->kind == WKG_JSON_ARRAY_BEGIN;
	while (open) {
		int code = next(r, &inner);
		if (code != CLI_DONE)
			return code;
		open = inner.depth > token->depth; /* its end is beside it */
	}
	token->to = inner.to;
	return CLI_DONE;
}

static bool
is_named(const reading *r, const wkg_json_token *name, const char *text)
{
	size_t len = strlen(text);
	return name->to - name->from == len + 2 &&
	       memcmp(r->in.text.ptr + name->from + 1, text, len) == 0;
}

static int
decode(const reading *r, const wkg_json_token *string, wkg_buf *into)
{
	into->len = 0;
	int code = cli_reserve_more(r->in.command, into,
	                            string->to - string->from);
	if (code != CLI_DONE)
		return code;
	for (size_t at = string->from + 1;;) {
		wkg_char c = wkg_json_char(r->in.text, at);
		if (c.len == 0)
			return CLI_DONE;
		into->len += wkg_utf8_encode(into->ptr + into->len, c.code);
		at += c.len;
	}
}

/* "U+200B U+200C " of a list of strings: without its punctuation. */
static bool
join_codes(const reading *r, const wkg_json_token *list, wkg_buf *out)
{
	bool inside = false;
	out->len = 0;
	for (size_t at = list->from; at < list->to; at++) {
		uint8_t byte = r->in.text.ptr[at];
		bool quote = byte == '"';
		inside = inside != quote;
		if (!inside && !quote)
			continue;
		if (out->len == out->cap)
			return false;
		if (!inside)
			out->ptr[out->len++] = ' ';
		else if (!quote)
			out->ptr[out->len++] = byte;
	}
	return true;
}

static wkg_span
token_text(const reading *r, const wkg_json_token *token)
{
	wkg_span text = { r->in.text.ptr + token->from,
		          token->to - token->from };
	return text;
}

/* Room for one more entry. */
static int
grow(const reading *r)
{
	inspect_baseline *b = r->baseline;
	const size_t size = sizeof(*b->known);
	if (b->count < b->cap)
		return CLI_DONE;
	size_t cap = b->cap == 0 ? 64 : b->cap * 2;
	inspect_known *more = NULL;
	if (b->cap <= SIZE_MAX / 2 / size)
		more = realloc(b->known, cap * size);
	if (more == NULL)
		return cli_unexpected(r->in.command, WKG_E_MEMORY);
	b->known = more;
	b->cap = cap;
	return CLI_DONE;
}

static int
add_entry(reading *r, const entry *e)
{
	inspect_baseline *b = r->baseline;
	uint8_t memory[CODES_SIZE];
	wkg_buf codes = { memory, 0, sizeof(memory) };

	if (!join_codes(r, &e->codes, &codes))
		return document_refuse(&r->in, e->codes.from,
		                       "more codes than there can be");
	int code = decode(r, &e->class, &r->class);
	if (code == CLI_DONE)
		code = decode(r, &e->context, &r->context);
	if (code == CLI_DONE)
		code = grow(r);
	if (code != CLI_DONE)
		return code;

	const identity id = {
		.file = wkg_buf_span(&r->file),
		.class = wkg_buf_span(&r->class),
		.codes = wkg_buf_span(&codes),
		.count = token_text(r, &e->count),
		.context = wkg_buf_span(&r->context),
	};
	const inspect_known known = { .from = b->keys.len, .left = 1 };
	code = put_key(r->in.command, &b->keys, &id);
	if (code == CLI_DONE)
		b->known[b->count++] = known;
	return code;
}

/* The member `name` of a finding; `value` is its value, all of it. */
static int
take_member(reading *r, const wkg_json_token *name, const wkg_json_token *value,
            entry *e)
{
	const struct {
		const char *name;
		wkg_json_kind kind;
		wkg_json_token *into;
	} members[] = {
		{ "class", WKG_JSON_STRING, &e->class },
		{ "codes", WKG_JSON_ARRAY_BEGIN, &e->codes },
		{ "count", WKG_JSON_NUMBER, &e->count },
		{ "context", WKG_JSON_STRING, &e->context },
	};

	if (is_named(r, name, "blocking") || is_named(r, name, "known"))
		e->accepted |= value->kind == WKG_JSON_TRUE;
	for (size_t i = 0; i < COUNT(members); i++) {
		if (!is_named(r, name, members[i].name))
			continue;
		if (value->kind != members[i].kind)
			return document_refuse(&r->in, value->from, not_ours);
		*members[i].into = *value;
	}
	return CLI_DONE;
}

static int
read_finding(reading *r, const wkg_json_token *begin)
{
	entry e = { 0 };
	for (;;) {
		wkg_json_token name, value;
		int code = next(r, &name);
		if (code == CLI_DONE && name.kind == WKG_JSON_OBJECT_END)
			break;
		if (code == CLI_DONE)
			code = next(r, &value);
		if (code == CLI_DONE)
			code = skip(r, &value);
		if (code == CLI_DONE)
			code = take_member(r, &name, &value, &e);
		if (code != CLI_DONE)
			return code;
	}
	bool complete = e.class.to > 0 && e.codes.to > 0 && e.count.to > 0 &&
	                e.context.to > 0;
	if (!complete)
		return document_refuse(&r->in, begin->from,
		                       "a finding without its class, "
		                       "codes, count or context");
	return e.accepted ? add_entry(r, &e) : CLI_DONE;
}

/* The elements of a list, up to its end. */
static int
read_list(reading *r, int (*read)(reading *r, const wkg_json_token *begin))
{
	wkg_json_token token;
	int code = document_expect(&r->in, WKG_JSON_ARRAY_BEGIN, not_ours);
	while (code == CLI_DONE) {
		code = next(r, &token);
		if (code != CLI_DONE || token.kind == WKG_JSON_ARRAY_END)
			break;
		if (token.kind != WKG_JSON_OBJECT_BEGIN)
			return document_refuse(&r->in, token.from,
			                       "not an object");
		code = read(r, &token);
	}
	return code;
}

static int
read_file_member(reading *r, const wkg_json_token *name)
{
	if (is_named(r, name, "findings")) {
		if (!r->file_known)
			return document_refuse(
				&r->in, name->from,
				"findings before the name of their file");
		return read_list(r, read_finding);
	}
	bool file = is_named(r, name, "file");
	int code = file ? document_expect(&r->in, WKG_JSON_STRING, not_ours)
	                : document_next(&r->in);
	wkg_json_token value = r->in.token;
	if (code == CLI_DONE)
		code = skip(r, &value);
	if (code == CLI_DONE && file)
		code = decode(r, &value, &r->file);
	r->file_known |= file;
	return code;
}

static int
read_file(reading *r, const wkg_json_token *begin)
{
	(void)begin;
	r->file_known = false;
	for (;;) {
		wkg_json_token name;
		int code = next(r, &name);
		if (code == CLI_DONE && name.kind == WKG_JSON_OBJECT_END)
			return CLI_DONE;
		if (code == CLI_DONE)
			code = read_file_member(r, &name);
		if (code != CLI_DONE)
			return code;
	}
}

static int
read_document(reading *r)
{
	wkg_json_token token, value;
	bool files = false;
	int code = document_expect(&r->in, WKG_JSON_OBJECT_BEGIN, not_ours);
	while (code == CLI_DONE) {
		code = next(r, &token);
		if (code != CLI_DONE || token.kind == WKG_JSON_OBJECT_END)
			break;
		if (is_named(r, &token, "files")) {
			files = true;
			code = read_list(r, read_file);
			continue;
		}
		code = next(r, &value);
		if (code == CLI_DONE)
			code = skip(r, &value);
	}
	if (code == CLI_DONE && !files)
		return document_refuse(&r->in, 0, "no \"files\" in it");
	if (code != CLI_DONE)
		return code;
	return document_expect(&r->in, WKG_JSON_DONE, not_ours);
}

/* Same keys become one entry that covers as many findings. */
static void
sort(inspect_baseline *b)
{
	size_t kept = 0;
	for (size_t i = 0; i < b->count; i++) {
		size_t to = i + 1 < b->count ? b->known[i + 1].from
		                             : b->keys.len;
		b->known[i].key.ptr = b->keys.ptr + b->known[i].from;
		b->known[i].key.len = to - b->known[i].from;
	}
	if (b->count > 0)
		qsort(b->known, b->count, sizeof(*b->known), compare_known);
	for (size_t i = 0; i < b->count; i++) {
		if (kept > 0 &&
		    compare_known(&b->known[kept - 1], &b->known[i]) == 0)
			b->known[kept - 1].left++;
		else
			b->known[kept++] = b->known[i];
	}
	b->count = kept;
}

int
inspect_baseline_read(inspect_baseline *baseline, const char *command,
                      const char *path)
{
	document in = { .command = command, .name = "baseline", .path = path };
	reading r = { .in = in, .baseline = baseline };
	int code = document_open(&r.in, path);
	if (code == CLI_DONE)
		code = read_document(&r);
	if (code == CLI_DONE)
		sort(baseline);
	document_close(&r.in);
	free(r.file.ptr);
	free(r.class.ptr);
	free(r.context.ptr);
	return code;
}

void
inspect_baseline_free(inspect_baseline *baseline)
{
	free(baseline->known);
	free(baseline->keys.ptr);
	free(baseline->key.ptr);
}

/* ---- looking up ---- */

static int
look_up(inspect_baseline *b, const char *file, const inspect_scan *scan,
        inspect_finding *f)
{
	char codes[CODES_SIZE] = "", count[COUNT_SIZE];
	size_t len = 0;
	for (size_t i = 0; i < f->code_count; i++) {
		inspect_code code = inspect_code_text(f->codes[i]);
		len += (size_t)snprintf(codes + len, sizeof(codes) - len, "%s ",
		                        code.text);
	}
	snprintf(count, sizeof(count), "%zu", f->count);

	const identity id = {
		.file = span_of(file),
		.class = span_of(inspect_class_name(f->class)),
		.codes = span_of(codes),
		.count = span_of(count),
		.context = inspect_context(scan, f),
	};
	b->key.len = 0;
	int code = put_key(scan->command, &b->key, &id);
	if (code != CLI_DONE)
		return code;

	const inspect_known wanted = { .key = wkg_buf_span(&b->key) };
	inspect_known *known = bsearch(&wanted, b->known, b->count,
	                               sizeof(*b->known), compare_known);
	f->known = known != NULL && known->left > 0;
	if (f->known)
		known->left--;
	return CLI_DONE;
}

int
inspect_baseline_apply(inspect_baseline *baseline, const char *file,
                       inspect_scan *scan)
{
	int code = CLI_DONE;
	if (baseline->count == 0)
		return code;
	for (size_t i = 0; i < scan->count && code == CLI_DONE; i++)
		if (scan->found[i].blocking)
			code = look_up(baseline, file, scan, &scan->found[i]);
	return code;
}
