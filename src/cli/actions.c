/* actions.c - the actions file of execute:
 *
 *   {"refund_order":{
 *      "parameters":{"orderId":{"type":"string","pattern":"[A-Z]+-[0-9]+"},
 *                    "amount":{"type":"integer","minimum":1}},
 *      "handler":["/usr/local/bin/refund","--once"],
 *      "timeout_ms":10000}}
 *
 * It becomes a wkg_action table, field by field what schema.h describes. Words
 * that are not known, that do not go with their type or that would mean
 * something else than they seem to are refused: whoever wrote them believes
 * that they limit something. */
#define _POSIX_C_SOURCE 200809L /* access */

#include "actions.h"
#include "document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NESTING_MAX = 8 }; /* tables in tables */

/* ---- memory: freed all at once ---- */

struct actions_block {
	struct actions_block *next;
	max_align_t data[];
};

static void *
keep(actions *a, size_t count, size_t size)
{
	const size_t head = sizeof(struct actions_block);
	if (count > (SIZE_MAX - head) / size)
		return NULL;
	struct actions_block *block = calloc(1, head + count * size);
	if (block == NULL)
		return NULL;
	block->next = a->blocks;
	a->blocks = block;
	return block->data;
}

void
actions_free(actions *a)
{
	while (a->blocks != NULL) {
		struct actions_block *next = a->blocks->next;
		free(a->blocks);
		a->blocks = next;
	}
}

/* ---- reading ---- */

typedef struct reading {
	document in;
	actions *into;
	unsigned depth; /* of tables in tables */
} reading;

/* The list, moved if it was full, with room for one thing more and one of zeros
 * that ends it; NULL if there is no memory. Doubles, so that it rarely moves.
 */
static void *
grow(const reading *r, void *list, size_t count, size_t size)
{
	bool full = (count & (count + 1)) == 0; /* 0, 1, 3, 7 ... */
	if (!full)
		return list;
	void *more = keep(r->into, 2 * count + 2, size);
	if (more != NULL && count > 0)
		memcpy(more, list, count * size);
	return more;
}

static int
no_memory(const reading *r)
{
	return cli_unexpected(r->in.command, WKG_E_MEMORY);
}

/* ---- strings ---- */

/* The string that was read, as C has them. Without NUL, which would end it; and
 * in plain ASCII where the library compares byte by byte (schema.h). */
static int
take_string(reading *r, char **text, bool ascii)
{
	const size_t from = r->in.token.from, to = r->in.token.to;
	uint8_t *bytes = keep(r->into, to - from + 4, 1);
	if (bytes == NULL)
		return no_memory(r);
	size_t len = 0;
	for (size_t at = from + 1;;) {
		wkg_char c = wkg_json_char(r->in.text, at);
		if (c.len == 0)
			break;
		if (c.code == 0 || c.ill_formed || (ascii && c.code > 0x7E))
			return document_refuse(
				&r->in, at,
				ascii ? "plain ASCII is needed here"
				      : "no program can be given this");
		len += wkg_utf8_encode(bytes + len, c.code);
		at += c.len;
	}
	*text = (char *)bytes;
	return CLI_DONE;
}

static int
read_string(reading *r, char **text, bool ascii)
{
	int code = document_expect(&r->in, WKG_JSON_STRING, "not a string");
	return code == CLI_DONE ? take_string(r, text, ascii) : code;
}

/* An array of at least one string, ended by NULL. */
static int
read_strings(reading *r, char ***list, bool ascii)
{
	size_t count = 0;
	int code = document_expect(&r->in, WKG_JSON_ARRAY_BEGIN,
	                           "not an array");
	size_t from = r->in.token.from;
	while (code == CLI_DONE && (code = document_next(&r->in)) == CLI_DONE &&
	       r->in.token.kind != WKG_JSON_ARRAY_END) {
		if (r->in.token.kind != WKG_JSON_STRING)
			return document_refuse_token(&r->in, "not a string");
		*list = grow(r, *list, count, sizeof(**list));
		if (*list == NULL)
			return no_memory(r);
		code = take_string(r, &(*list)[count++], ascii);
	}
	if (code == CLI_DONE && count == 0)
		return document_refuse(&r->in, from, "empty");
	return code;
}

/* ---- numbers ---- */

static int
read_number(reading *r, double *value)
{
	char text[64];
	int code = document_expect(&r->in, WKG_JSON_NUMBER, "not a number");
	size_t len = r->in.token.to - r->in.token.from;
	if (code != CLI_DONE)
		return code;
	if (len >= sizeof(text))
		return document_refuse_token(&r->in, "too long a number");
	memcpy(text, r->in.text.ptr + r->in.token.from, len);
	text[len] = '\0';
	*value = strtod(text, NULL); /* in the "C" locale: nobody set another */
	if (!isfinite(*value))
		return document_refuse_token(&r->in, "number out of range");
	return CLI_DONE;
}

static const char out_of_range[] = "not a whole number from 1, or too large";

/* Digits; at least 1, since 0 is no limit to the library and one to a reader.
 */
static int
read_count(reading *r, size_t *value, size_t most)
{
	int code = document_expect(&r->in, WKG_JSON_NUMBER, "not a number");
	size_t n = 0;
	for (size_t at = r->in.token.from;
	     code == CLI_DONE && at < r->in.token.to; at++) {
		unsigned digit = r->in.text.ptr[at] - (unsigned)'0';
		if (digit > 9 || n > (most - digit) / 10)
			return document_refuse_token(&r->in, out_of_range);
		n = n * 10 + digit;
	}
	if (code == CLI_DONE && n == 0)
		return document_refuse_token(&r->in, out_of_range);
	*value = n;
	return code;
}

/* ---- patterns ---- */

/* Behind the set that starts at `at`; NULL if it is none, or one that says
 * something else in every other language: [^a], [\d]. */
static const char *
behind_set(const char *at)
{
	const char *first = ++at;
	for (; *at != ']'; at++)
		if (*at == '\0' || *at == '\\' || *at == '[' ||
		    (*at == '^' && at == first))
			return NULL;
	return at == first ? NULL : at + 1;
}

static const char *
behind_item(const char *at)
{
	if (*at == '[')
		return behind_set(at);
	return strchr("]{}()|^$\\*+?", *at) == NULL ? at + 1 : NULL;
}

static const char *
behind_count(const char *at)
{
	if (*at == '*' || *at == '+' || *at == '?')
		return at + 1;
	if (*at != '{')
		return at;
	size_t digits = strspn(at + 1, "0123456789");
	return digits > 0 && digits < 5 && at[1 + digits] == '}'
	               ? at + digits + 2
	               : NULL;
}

/* Only what wkg_field knows. The rest of what people write in patterns it would
 * take for letters. */
static bool
is_pattern(const char *at)
{
	while (at != NULL && *at != '\0') {
		at = behind_item(at);
		if (at != NULL)
			at = behind_count(at);
	}
	return at != NULL;
}

/* ---- fields ---- */

enum {
	STRINGS = 1u << WKG_TYPE_STRING,
	NUMBERS = 1u << WKG_TYPE_NUMBER | 1u << WKG_TYPE_INTEGER,
	OBJECTS = 1u << WKG_TYPE_OBJECT,
	ARRAYS = 1u << WKG_TYPE_ARRAY,
	ALL = ~0u >> 1,
};

static int read_table(reading *r, const wkg_field **table);
static int read_field(reading *r, wkg_field *f);

static int
read_type(reading *r, wkg_field *f)
{
	static const char *const names[] = {
		[WKG_TYPE_STRING] = "string",   [WKG_TYPE_NUMBER] = "number",
		[WKG_TYPE_INTEGER] = "integer", [WKG_TYPE_BOOLEAN] = "boolean",
		[WKG_TYPE_OBJECT] = "object",   [WKG_TYPE_ARRAY] = "array",
	};
	char *text;
	int code = read_string(r, &text, true);
	if (code != CLI_DONE)
		return code;
	for (size_t i = WKG_TYPE_STRING; i < COUNT(names); i++)
		if (strcmp(names[i], text) == 0)
			f->type = (wkg_type)i;
	if (f->type == WKG_TYPE_INVALID)
		return document_refuse_token(&r->in, "no such type");
	return CLI_DONE;
}

static int
read_optional(reading *r, wkg_field *f)
{
	int code = document_next(&r->in);
	if (code != CLI_DONE)
		return code;
	f->optional = r->in.token.kind == WKG_JSON_TRUE;
	if (!f->optional && r->in.token.kind != WKG_JSON_FALSE)
		return document_refuse_token(&r->in, "neither true nor false");
	return CLI_DONE;
}

static int
read_minimum(reading *r, wkg_field *f)
{
	f->has_minimum = true;
	return read_number(r, &f->minimum);
}

static int
read_maximum(reading *r, wkg_field *f)
{
	f->has_maximum = true;
	return read_number(r, &f->maximum);
}

static int
read_min_length(reading *r, wkg_field *f)
{
	return read_count(r, &f->min_length, UINT32_MAX);
}

static int
read_max_length(reading *r, wkg_field *f)
{
	return read_count(r, &f->max_length, UINT32_MAX);
}

static int
read_pattern(reading *r, wkg_field *f)
{
	char *text;
	int code = read_string(r, &text, true);
	if (code != CLI_DONE)
		return code;
	if (!is_pattern(text))
		return document_refuse_token(
			&r->in,
			"patterns have letters, ., [a-z] and, behind one, "
			"* + ? or {n}");
	f->pattern = text;
	return CLI_DONE;
}

static int
read_enum(reading *r, wkg_field *f)
{
	char **list = NULL;
	int code = read_strings(r, &list, true);
	f->one_of = (const char *const *)list;
	return code;
}

static int
read_properties(reading *r, wkg_field *f)
{
	return read_table(r, &f->members);
}

static int
read_items(reading *r, wkg_field *f)
{
	wkg_field *row = keep(r->into, 1, sizeof(*row));
	if (row == NULL)
		return no_memory(r);
	f->elements = row;
	return read_field(r, row);
}

/* The words of a field, and the types each goes with. */
/* clang-format off */
static const struct word {
	const char *name;
	unsigned types;
	int (*read)(reading *r, wkg_field *f);
} words[] = {
	{ "type", ALL, read_type },
	{ "optional", ALL, read_optional },
	{ "minimum", NUMBERS, read_minimum },
	{ "maximum", NUMBERS, read_maximum },
	{ "minLength", STRINGS, read_min_length },
	{ "maxLength", STRINGS, read_max_length },
	{ "pattern", STRINGS, read_pattern },
	{ "enum", STRINGS, read_enum },
	{ "properties", OBJECTS, read_properties },
	{ "minItems", ARRAYS, read_min_length },
	{ "maxItems", ARRAYS, read_max_length },
	{ "items", ARRAYS, read_items },
};
/* clang-format on */

static size_t
find_word(const char *name)
{
	size_t i = 0;
	while (i < COUNT(words) && strcmp(words[i].name, name) != 0)
		i++;
	return i;
}

/* The type may stand behind the words that need it. */
static int
check_words(const reading *r, const wkg_field *f, const size_t *at, size_t from)
{
	if (f->type == WKG_TYPE_INVALID)
		return document_refuse(&r->in, from, "no type");
	for (size_t i = 0; i < COUNT(words); i++)
		if (at[i] > 0 && (words[i].types & 1u << f->type) == 0)
			return document_refuse(&r->in, at[i],
			                       "not for this type");
	return CLI_DONE;
}

static int
read_field(reading *r, wkg_field *f)
{
	size_t seen[COUNT(words)] = { 0 }; /* where; 0: not there */
	char *name;
	int code = document_expect(&r->in, WKG_JSON_OBJECT_BEGIN,
	                           "not an object");
	const size_t from = r->in.token.from;
	if (code == CLI_DONE && ++r->depth > NESTING_MAX)
		return document_refuse(&r->in, from, "nested too deep");
	while (code == CLI_DONE && (code = document_next(&r->in)) == CLI_DONE &&
	       r->in.token.kind == WKG_JSON_NAME) {
		size_t at = r->in.token.from;
		code = take_string(r, &name, true);
		if (code != CLI_DONE)
			break;
		size_t i = find_word(name);
		if (i == COUNT(words))
			return document_refuse(&r->in, at, "unknown word");
		seen[i] = at;
		code = words[i].read(r, f);
	}
	r->depth--;
	return code == CLI_DONE ? check_words(r, f, seen, from) : code;
}

/* An object of fields as a table; a row of zeros ends it. */
static int
read_table(reading *r, const wkg_field **table)
{
	wkg_field *rows = NULL;
	size_t count = 0;
	int code = document_expect(&r->in, WKG_JSON_OBJECT_BEGIN,
	                           "not an object");
	while (code == CLI_DONE && (code = document_next(&r->in)) == CLI_DONE) {
		char *name;
		rows = grow(r, rows, count, sizeof(*rows));
		if (rows == NULL)
			return no_memory(r);
		*table = rows;
		if (r->in.token.kind != WKG_JSON_NAME)
			break;
		code = take_string(r, &name, true);
		if (code != CLI_DONE)
			break;
		code = read_field(r, &rows[count]);
		rows[count++].name = name;
	}
	return code;
}

/* ---- actions ---- */

static int
read_handler(reading *r, handler *h)
{
	char **argv = NULL;
	size_t at = r->in.token.from;
	int code = read_strings(r, &argv, false);
	if (code == CLI_DONE && argv[0][0] != '/')
		return document_refuse(&r->in, at,
		                       "the program's path must start with /");
	h->argv = argv;
	return code;
}

static int
read_timeout(reading *r, handler *h)
{
	size_t ms = 0;
	int code = read_count(r, &ms, HANDLER_TIMEOUT_MS_MAX);
	h->timeout_ms = (unsigned)ms;
	return code;
}

static int
read_member(reading *r, wkg_action *action, handler *h)
{
	char *name;
	size_t at = r->in.token.from;
	int code = take_string(r, &name, true);
	if (code != CLI_DONE)
		return code;
	if (strcmp(name, "parameters") == 0)
		return read_table(r, &action->parameters);
	if (strcmp(name, "handler") == 0)
		return read_handler(r, h);
	if (strcmp(name, "timeout_ms") == 0)
		return read_timeout(r, h);
	return document_refuse(&r->in, at, "unknown word");
}

static int
read_action(reading *r, wkg_action *action)
{
	char *name;
	handler *h = keep(r->into, 1, sizeof(*h));
	if (h == NULL)
		return no_memory(r);
	h->command = r->in.command;
	h->timeout_ms = HANDLER_TIMEOUT_MS;
	int code = take_string(r, &name, true);
	if (code == CLI_DONE)
		code = document_expect(&r->in, WKG_JSON_OBJECT_BEGIN,
		                       "not an object");
	const size_t from = r->in.token.from;
	while (code == CLI_DONE && (code = document_next(&r->in)) == CLI_DONE &&
	       r->in.token.kind == WKG_JSON_NAME)
		code = read_member(r, action, h);
	if (code == CLI_DONE && h->argv == NULL)
		return document_refuse(&r->in, from, "no handler");
	if (code == CLI_DONE && action->parameters == NULL)
		return document_refuse(&r->in, from,
		                       "no parameters; write {} for none");
	action->name = name;
	action->run = handler_run;
	action->ctx = h;
	return code;
}

static int
read_document(reading *r)
{
	actions *a = r->into;
	int code = document_expect(&r->in, WKG_JSON_OBJECT_BEGIN,
	                           "not an object");
	while (code == CLI_DONE && (code = document_next(&r->in)) == CLI_DONE &&
	       r->in.token.kind == WKG_JSON_NAME) {
		a->list = grow(r, a->list, a->count, sizeof(*a->list));
		if (a->list == NULL)
			return no_memory(r);
		code = read_action(r, &a->list[a->count++]);
	}
	return code == CLI_DONE ? document_expect(&r->in, WKG_JSON_DONE, "")
	                        : code;
}

static int
check_program(const char *command, const wkg_action *action)
{
	const handler *h = action->ctx;
	struct stat info;
	bool there = stat(h->argv[0], &info) == 0;
	if (there && !S_ISREG(info.st_mode))
		return cli_fail(CLI_RESOURCE, command,
		                "handler of %s: not a program: '%s'",
		                action->name, h->argv[0]);
	if (!there || access(h->argv[0], X_OK) != 0)
		return cli_fail(CLI_RESOURCE, command,
		                "handler of %s: %s: '%s'", action->name,
		                strerror(errno), h->argv[0]);
	return CLI_DONE;
}

int
actions_read(actions *a, const char *command, const char *path)
{
	document in = { .command = command, .name = "actions", .path = path };
	reading r = { .in = in, .into = a };
	int code = document_open(&r.in, path);
	if (code == CLI_DONE)
		code = read_document(&r);
	for (size_t i = 0; code == CLI_DONE && i < a->count; i++)
		code = check_program(command, &a->list[i]);
	document_close(&r.in);
	return code;
}
