/* reveal.c - what hidden characters do to a line, and what they say.
 *
 * A line with direction controls is put in the order in which a reader sees it;
 * hidden text is decoded. Both are shown in characters that are safe to look
 * at, and only so much of them. */
#include "inspect.h"

#include <wicketgate/utf8.h>

#include <stdlib.h>
#include <string.h>

enum {
	DECODED_SHOWN = 10,     /* payloads of a file; --json has all */
	CHARACTERS_SHOWN = 320, /* of a payload */
	CHARACTERS_IN_JSON = 4096,
	BYTES_IN_JSON = 4096,     /* of a line */
	LINE_BYTES_MAX = 1 << 20, /* bytes; memory is 50 times as much */
	LEAD = 24,                /* characters before the first control */
	INDENT = 6,
	MEMBERS_SIZE = 512, /* of an object, without its texts */
};

/* ---- a line as it is read ---- */

static int
reserve_items(inspect_reading *r, const char *command, size_t count)
{
	if (count <= r->cap)
		return CLI_DONE;
	if (count > SIZE_MAX / sizeof(*r->items))
		return cli_unexpected(command, WKG_E_MEMORY);
	inspect_reading_free(r);
	r->items = malloc(count * sizeof(*r->items));
	r->order = malloc(count * sizeof(*r->order));
	r->cap = count;
	return r->items != NULL && r->order != NULL
	               ? CLI_DONE
	               : cli_unexpected(command, WKG_E_MEMORY);
}

void
inspect_reading_free(inspect_reading *r)
{
	free(r->items);
	free(r->order);
	r->items = NULL;
	r->order = NULL;
	r->cap = 0;
}

/* Rule L3: where text runs to the left, marks come before their letter. They
 * are put behind it again, where a terminal wants them. */
static void
put_marks_behind(inspect_reading *r)
{
	for (size_t i = 0, j; i < r->count; i = j + 1) {
		j = i;
		while (j < r->count && r->items[r->order[j]].level % 2 == 1 &&
		       r->items[r->order[j]].original == BIDI_NSM)
			j++;
		for (size_t a = i, b = j; b < r->count && a < b; a++, b--) {
			size_t other = r->order[a];
			r->order[a] = r->order[b];
			r->order[b] = other;
		}
	}
}

int
inspect_read(inspect_reading *r, const inspect_scan *scan, size_t line_at,
             size_t from, size_t to)
{
	size_t end = inspect_line_end(scan, line_at);
	size_t count = 0, first = 0, last = 0;
	if (end - line_at > LINE_BYTES_MAX) {
		line_at = from; /* the part, as if it were alone */
		end = to;
	}
	int code = reserve_items(r, scan->command, end - line_at);
	if (code != CLI_DONE)
		return code;
	r->text = wkg_buf_span(&scan->text);
	for (size_t at = line_at; at < end; count++) {
		wkg_char c = wkg_utf8_decode(r->text, at);
		const bidi_item item = { .code = c.code, .at = at };
		r->items[count] = item;
		at += c.len;
		first += item.at < from;
		last += item.at < to;
	}
	r->balance = bidi_resolve(r->items, count, BIDI_FIRST_STRONG);
	r->count = bidi_lay_out(r->items + first, last - first, r->order);
	for (size_t i = 0; i < r->count; i++)
		r->order[i] += first;
	put_marks_behind(r);
	return CLI_DONE;
}

static cli_piece
piece_of(const char *text, size_t columns)
{
	cli_piece piece = { .len = strlen(text), .columns = columns };
	memcpy(piece.text, text, piece.len);
	return piece;
}

static cli_piece
piece_of_code(uint32_t code)
{
	uint8_t bytes[4];
	wkg_span text = { bytes, wkg_utf8_encode(bytes, code) };
	return cli_piece_at(text, 0, CLI_DRAW_EACH);
}

/* Of what is hidden a reader sees nothing, or a blank. Separators of
 * paragraphs are drawn: what they look like differs. */
cli_piece
inspect_reading_piece(const inspect_reading *r, size_t i)
{
	const bidi_item *item = &r->items[r->order[i]];
	if (wkg_utf8_decode(r->text, item->at).ill_formed)
		return piece_of("\xEF\xBF\xBD", 1);
	uint32_t code = item->level % 2 == 1 ? bidi_mirror(item->code)
	                                     : item->code;
	cli_piece piece = piece_of_code(code);
	if (!piece.hidden || item->original == BIDI_B)
		return piece;
	bool blank = item->original == BIDI_WS || item->original == BIDI_S;
	return blank ? piece_of(" ", 1) : piece_of("", 0);
}

size_t
inspect_line_end(const inspect_scan *scan, size_t at)
{
	const wkg_buf *text = &scan->text;
	const uint8_t *from = text->ptr + at;
	const uint8_t *end = at == text->len
	                             ? NULL
	                             : memchr(from, '\n', text->len - at);
	size_t to = end == NULL ? text->len : (size_t)(end - text->ptr);
	bool crlf = end != NULL && to > at && text->ptr[to - 1] == '\r';
	return to - crlf;
}

/* ---- the same for a program ---- */

static int
put_text(const char *command, wkg_buf *out, const char *text)
{
	int code = cli_reserve_more(command, out, strlen(text));
	if (code != CLI_DONE)
		return code;
	return cli_put(out, text) ? CLI_DONE
	                          : cli_unexpected(command, WKG_E_SPACE);
}

/* A whole line if it is short; else from a little before its first control. */
static wkg_span
part_of_line(const inspect_scan *scan, const inspect_finding *f)
{
	const uint8_t *text = scan->text.ptr;
	size_t from = f->line_at, end = inspect_line_end(scan, from), to = end;
	if (to - from > BYTES_IN_JSON)
		from = inspect_step_back(scan, f, LEAD);
	if (to - from > BYTES_IN_JSON)
		to = from + BYTES_IN_JSON;
	while (to < end && (text[to] & 0xC0) == 0x80)
		to++;
	wkg_span part = { text + from, to - from };
	return part;
}

static int
put_reading(wkg_buf *out, const char *command, const inspect_reading *r)
{
	wkg_buf seen = { 0 };
	int code = CLI_DONE;
	for (size_t i = 0; i < r->count && code == CLI_DONE; i++) {
		cli_piece piece = inspect_reading_piece(r, i);
		code = cli_reserve_more(command, &seen, sizeof(piece.text));
		if (code != CLI_DONE)
			break;
		memcpy(seen.ptr + seen.len, piece.text, piece.len);
		seen.len += piece.len;
	}
	if (code == CLI_DONE)
		code = inspect_quote(command, out, wkg_buf_span(&seen));
	free(seen.ptr);
	return code;
}

static int
put_reordered_line(wkg_buf *out, inspect_reading *r, const inspect_scan *scan,
                   const inspect_finding *f, bool first)
{
	const wkg_span part = part_of_line(scan, f);
	const size_t from = (size_t)(part.ptr - scan->text.ptr);
	int code = inspect_read(r, scan, f->line_at, from, from + part.len);
	if (code == CLI_DONE)
		code = cli_reserve_more(scan->command, out, MEMBERS_SIZE);
	if (code != CLI_DONE)
		return code;
	bool ok = cli_put_format(out,
	                         "%s\n{\"line\":%zu,\"offset\":%zu,"
	                         "\"length\":%zu,\"unclosed\":%zu,"
	                         "\"unopened\":%zu,\"reads\":",
	                         first ? "" : ",", f->line, from, part.len,
	                         r->balance.unclosed, r->balance.unopened);
	if (!ok)
		return cli_unexpected(scan->command, WKG_E_SPACE);
	code = put_reading(out, scan->command, r);
	return code == CLI_DONE ? put_text(scan->command, out, "}") : code;
}

int
inspect_put_reordered(wkg_buf *out, inspect_reading *r,
                      const inspect_scan *scan)
{
	size_t line = 0; /* the last one put */
	int code = put_text(scan->command, out, ",\"reordered\":[");
	for (size_t i = 0; i < scan->count && code == CLI_DONE; i++) {
		const inspect_finding *f = &scan->found[i];
		if (f->class != INSPECT_BIDI || f->line == line)
			continue;
		code = put_reordered_line(out, r, scan, f, line == 0);
		line = f->line;
	}
	return code == CLI_DONE ? put_text(scan->command, out, "]") : code;
}

/* ---- what was decoded ---- */

static int
start_decoding(decode_cursor *cursor, wkg_buf *decoded,
               const inspect_scan *scan)
{
	const decode_cursor start = { .text = wkg_buf_span(&scan->text),
		                      .line = 1,
		                      .column = 1 };
	*cursor = start;
	decoded->len = 0;
	return cli_reserve_more(scan->command, decoded, scan->text.len);
}

/* The first `characters` characters of it, escaped and in quotes. */
static int
put_quoted(wkg_buf *out, const char *command, wkg_span decoded,
           size_t characters)
{
	decoded.len = decode_prefix(decoded, characters);
	return inspect_quote(command, out, decoded);
}

static size_t
more_than(size_t count, size_t shown)
{
	return count > shown ? count - shown : 0;
}

static int
put_payload(wkg_buf *out, const char *command, const decode_payload *p,
            wkg_span decoded, bool first)
{
	const size_t more = more_than(p->characters, CHARACTERS_IN_JSON);
	int code = cli_reserve_more(command, out, MEMBERS_SIZE);
	if (code != CLI_DONE)
		return code;
	bool ok = cli_put_format(out,
	                         "%s\n{\"line\":%zu,\"column\":%zu,"
	                         "\"offset\":%zu,\"length\":%zu,"
	                         "\"alphabet\":\"%s\",\"symbols\":%zu,",
	                         first ? "" : ",", p->line, p->column, p->at,
	                         p->len, decode_alphabet_name(p->alphabet),
	                         p->symbols) &&
	          cli_put_format(out,
	                         "\"characters\":%zu,\"more\":%zu,"
	                         "\"text\":",
	                         p->characters, more);
	if (!ok)
		return cli_unexpected(command, WKG_E_SPACE);
	code = put_quoted(out, command, decoded, CHARACTERS_IN_JSON);
	return code == CLI_DONE ? put_text(command, out, "}") : code;
}

int
inspect_put_decoded(wkg_buf *out, wkg_buf *decoded, const inspect_scan *scan)
{
	decode_cursor cursor;
	decode_payload p;
	bool first = true;
	wkg_status status = WKG_OK;
	int code = start_decoding(&cursor, decoded, scan);
	if (code == CLI_DONE)
		code = put_text(scan->command, out, ",\"decoded\":[");
	while (code == CLI_DONE) {
		status = decode_next(&cursor, decoded, &p);
		if (status != WKG_OK)
			break;
		code = put_payload(out, scan->command, &p,
		                   wkg_buf_span(decoded), first);
		first = false;
	}
	if (code == CLI_DONE && status != WKG_E_NOT_FOUND)
		return cli_unexpected(scan->command, status);
	return code == CLI_DONE ? put_text(scan->command, out, "]") : code;
}

static int
print_quoted(const cli_screen *screen, const char *command, wkg_span decoded,
             size_t more)
{
	wkg_buf quoted = { 0 };
	char tail[48] = "";
	if (more > 0)
		snprintf(tail, sizeof(tail), " ... %zu more", more);
	int code = put_quoted(&quoted, command, decoded, CHARACTERS_SHOWN);
	if (code == CLI_DONE)
		code = put_text(command, &quoted, tail);
	const wkg_span text = wkg_buf_span(&quoted);
	for (size_t at = 0; at < text.len && code == CLI_DONE;) {
		cli_line line = cli_wrap(text, at, screen->columns - INDENT);
		cli_print_spaces(INDENT);
		cli_print_line(text, line, "", "");
		putchar('\n');
		at = line.next;
	}
	free(quoted.ptr);
	return code;
}

static int
print_payload(const cli_screen *screen, const char *command,
              const decode_payload *p, wkg_span decoded)
{
	printf("    %zu:%zu %s%s%s x%zu, bytes %zu to %zu\n", p->line,
	       p->column, screen->title, decode_alphabet_name(p->alphabet),
	       screen->off, p->symbols, p->at, p->at + p->len - 1);
	return print_quoted(screen, command, decoded,
	                    more_than(p->characters, CHARACTERS_SHOWN));
}

int
inspect_print_decoded(const cli_screen *screen, wkg_buf *decoded,
                      const inspect_scan *scan)
{
	decode_cursor cursor;
	decode_payload p;
	wkg_status status = WKG_OK;
	size_t count = 0;
	int code = start_decoding(&cursor, decoded, scan);
	while (code == CLI_DONE) {
		status = decode_next(&cursor, decoded, &p);
		if (status != WKG_OK)
			break;
		if (count == 0)
			puts("\n  what hidden characters say, decoded:");
		if (count++ < DECODED_SHOWN)
			code = print_payload(screen, scan->command, &p,
			                     wkg_buf_span(decoded));
	}
	if (count > DECODED_SHOWN)
		printf("    ... and %zu more; --json has all\n",
		       count - DECODED_SHOWN);
	if (code == CLI_DONE && status != WKG_E_NOT_FOUND)
		return cli_unexpected(scan->command, status);
	return code;
}
