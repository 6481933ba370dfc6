/* patterns.c - the patterns file of moderate:
 *
 *   [{"id":"own-mule","group":"fraud","purpose":"money mules",
 *     "pattern":"\\bpay\\b[^.]{0,20}?\\bmule\\b",
 *     "hit":"pay the mule","benign":"pay the bill"}]
 *
 * All six members and no other; what they have to be is the library's to say. */
#include "patterns.h"
#include "document.h"

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
	document in;
	own_patterns *own;
	wkg_buf texts;
} reading;

/* The string that was read, as C has them; NULL if a NUL or half a surrogate
 * pair is in it. Decoded, it is no longer than it was in the file. */
static const char *
text_of(reading *r)
{
	const char *text = (const char *)r->texts.ptr + r->texts.len;
	for (size_t at = r->in.token.from + 1;;) {
		wkg_char c = wkg_json_char(r->in.text, at);
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
		return document_refuse_token(&r->in, "unknown member");
	int code = document_next(&r->in);
	if (code != CLI_DONE)
		return code;
	const char *text = r->in.token.kind == WKG_JSON_STRING ? text_of(r) : NULL;
	if (text == NULL)
		return document_refuse_token(&r->in, "not a string without NUL");
	memcpy((char *)pattern + member->offset, &text, sizeof(text));
	return CLI_DONE;
}

static int
read_pattern(reading *r)
{
	own_patterns *own = r->own;
	if (r->in.token.kind != WKG_JSON_OBJECT_BEGIN)
		return document_refuse_token(&r->in, "not an object");
	if (own->count == WKG_OWN_PATTERNS_MAX)
		return document_refuse_token(&r->in, "more than 64 patterns");
	own->from[own->count] = r->in.token.from;
	wkg_pattern *pattern = &own->list[own->count++];
	for (;;) {
		int code = document_next(&r->in);
		if (code != CLI_DONE || r->in.token.kind == WKG_JSON_OBJECT_END)
			return code;
		code = read_member(r, pattern);
		if (code != CLI_DONE)
			return code;
	}
}

static int
read_list(reading *r)
{
	int code = document_expect(&r->in, WKG_JSON_ARRAY_BEGIN, "not an array");
	while (code == CLI_DONE) {
		code = document_next(&r->in);
		if (code == CLI_DONE && r->in.token.kind == WKG_JSON_ARRAY_END)
			return document_next(&r->in); /* that it ends there */
		if (code == CLI_DONE)
			code = read_pattern(r);
	}
	return code;
}

int
own_patterns_read(own_patterns *own, const char *command, const char *path)
{
	document in = { .command = command, .name = "patterns" };
	reading r = { .in = in, .own = own };
	int code = document_open(&r.in, path);
	if (code == CLI_DONE)
		code = cli_reserve(command, &r.texts, r.in.text.len + 4);
	if (code == CLI_DONE)
		code = read_list(&r);
	own->texts = (char *)r.texts.ptr;
	document_close(&r.in);
	return code;
}

void
own_patterns_free(own_patterns *own)
{
	free(own->texts);
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
