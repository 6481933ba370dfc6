/* patterns.c - the patterns file of moderate:
 *
 *   [{"id":"own-mule","group":"fraud","purpose":"money mules",
 *     "pattern":"\\bpay\\b[^.]{0,20}?\\bmule\\b",
 *     "hit":"pay the mule","benign":"pay the bill"}]
 *
 * All six members and no other; what they have to be is the library's to say. */
#include "patterns.h"

#include <stdlib.h>
#include <string.h>

#include <wicketgate/utf8.h>

static const struct member {
	const char *name;
	size_t offset;
} members[] = {
	{ "id", offsetof(wkg_pattern, id) },
	{ "group", offsetof(wkg_pattern, group) },
	{ "purpose", offsetof(wkg_pattern, purpose) },
	{ "pattern", offsetof(wkg_pattern, pattern) },
	{ "hit", offsetof(wkg_pattern, hit) },
	{ "benign", offsetof(wkg_pattern, benign) },
};

typedef struct reading {
	const char *command;
	own_patterns *own;
	wkg_json_reader reader;
	wkg_json_token token; /* the last one */
	wkg_buf texts;
} reading;

static int
refuse(const reading *r, size_t at, const char *what)
{
	return cli_fail(CLI_MALFORMED, r->command, "malformed patterns at byte %zu: %s",
	                at, what);
}

static int
next(reading *r)
{
	const wkg_json_error *error = &r->reader.error;
	wkg_status status = wkg_json_next(&r->reader, &r->token);
	if (status == WKG_E_ENCODING || status == WKG_E_SYNTAX ||
	    status == WKG_E_DUPLICATE)
		return refuse(r, error->at, error->what);
	return status == WKG_OK ? CLI_DONE : cli_unexpected(r->command, status);
}

/* The string that was read, as C has them; NULL if a NUL or half a surrogate
 * pair is in it. Decoded, it is no longer than it was in the file. */
static const char *
text_of(reading *r)
{
	wkg_span file = wkg_buf_span(&r->own->file);
	const char *text = (const char *)r->texts.ptr + r->texts.len;
	for (size_t at = r->token.from + 1;;) {
		wkg_char c = wkg_json_char(file, at);
		if (c.len == 0)
			break;
		if (c.code == 0 || c.ill_formed)
			return NULL;
		r->texts.len += wkg_utf8_encode(r->texts.ptr + r->texts.len, c.code);
		at += c.len;
	}
	r->texts.ptr[r->texts.len++] = '\0';
	return text;
}

/* The member that was named, or NULL. */
static const struct member *
member_of(reading *r)
{
	size_t len = r->texts.len;
	const char *name = text_of(r);
	r->texts.len = len;
	for (size_t i = 0; name != NULL && i < COUNT(members); i++)
		if (strcmp(name, members[i].name) == 0)
			return &members[i];
	return NULL;
}

static int
read_member(reading *r, wkg_pattern *pattern)
{
	const struct member *member = member_of(r);
	if (member == NULL)
		return refuse(r, r->token.from, "unknown member");
	int code = next(r);
	if (code != CLI_DONE)
		return code;
	const char *text = r->token.kind == WKG_JSON_STRING ? text_of(r) : NULL;
	if (text == NULL)
		return refuse(r, r->token.from, "not a string without NUL");
	memcpy((char *)pattern + member->offset, &text, sizeof(text));
	return CLI_DONE;
}

static int
read_pattern(reading *r)
{
	own_patterns *own = r->own;
	if (r->token.kind != WKG_JSON_OBJECT_BEGIN)
		return refuse(r, r->token.from, "not an object");
	if (own->count == WKG_OWN_PATTERNS_MAX)
		return refuse(r, r->token.from, "more than 64 patterns");
	own->from[own->count] = r->token.from;
	wkg_pattern *pattern = &own->list[own->count++];
	for (;;) {
		int code = next(r);
		if (code != CLI_DONE || r->token.kind == WKG_JSON_OBJECT_END)
			return code;
		code = read_member(r, pattern);
		if (code != CLI_DONE)
			return code;
	}
}

static int
read_list(reading *r)
{
	int code = next(r);
	if (code == CLI_DONE && r->token.kind != WKG_JSON_ARRAY_BEGIN)
		return refuse(r, r->token.from, "not an array");
	while (code == CLI_DONE) {
		code = next(r);
		if (code == CLI_DONE && r->token.kind == WKG_JSON_ARRAY_END)
			return next(r); /* that it ends there */
		if (code == CLI_DONE)
			code = read_pattern(r);
	}
	return code;
}

int
own_patterns_read(own_patterns *own, const char *command, const char *path)
{
	reading r = { .command = command, .own = own };
	int code = cli_read_file(command, path, &own->file);
	if (code == CLI_DONE)
		code = cli_reserve_work(command, &own->work,
		                        wkg_json_work_size(own->file.len, 2));
	if (code == CLI_DONE)
		code = cli_reserve(command, &r.texts, own->file.len + 4);
	own->texts = (char *)r.texts.ptr;
	if (code != CLI_DONE)
		return code;
	wkg_status status = wkg_json_open(&r.reader, wkg_buf_span(&own->file),
	                                  WKG_JSON_NAMES_EXACT, 2, own->work);
	return status == WKG_OK ? read_list(&r) : cli_unexpected(command, status);
}

void
own_patterns_free(own_patterns *own)
{
	free(own->file.ptr);
	free(own->texts);
	free(own->work.ptr);
}

int
own_patterns_refused(const own_patterns *own, const char *command,
                     const wkg_pattern_error *error)
{
	const char *id = own->list[error->index].id;
	return cli_fail(CLI_MALFORMED, command,
	                "pattern '%s' at byte %zu refused: byte %zu of it: %s",
	                id != NULL ? id : "", own->from[error->index], error->at,
	                error->what);
}
