/* inspect.c - the inspect command: files in, a page for a person or a document
 * for a program out. scan.c finds what there is, baseline.c what is known,
 * reveal.c what it does to a line and says.
 *
 * The page grows file by file, so that a large tree need not fit into memory
 * and a file that cannot be read hides no other. The document comes whole. */
#include "inspect.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { JSON = CLI_PROFILE + 1, BASELINE };

enum {
	LINES_SHOWN = 20, /* in each file; --json has all */
	CODES_SHOWN = 4,
	GUTTER = 9,    /* "  12345 | " without its last space */
	LEAD = 24,     /* characters before the first finding of a long line */
	ROWS_MAX = 48, /* more than there are classes with their fates */
	QUIET_SECONDS = 1,
};

/* clang-format off */
static const cli_option inspect_options[] = {
	[CLI_PROFILE] = CLI_PROFILE_IS_NOT_USED,
	[JSON] = {
		.name = "json",
		.kind = CLI_FLAG,
		.help = "print one JSON document with every finding",
	},
	[BASELINE] = {
		.name = "baseline",
		.kind = CLI_FILE,
		.value = "FILE",
		.help =
			"what an earlier inspect --json printed: findings in it are\n"
			"      known and do not count. One is known by its file's name, class,\n"
			"      code points, count, and context: its bytes and 16 characters of\n"
			"      its line on either side. So lines may move, but a second copy,\n"
			"      or other hidden text in the same place, is new",
	},
};
/* clang-format on */

/* Characters of one class, in all files. */
typedef struct tally {
	size_t findings;
	size_t characters;
	size_t blocking; /* findings that count */
	size_t allowed;  /* characters of the others */
} tally;

typedef struct totals {
	tally classes[INSPECT_CLASS_COUNT];
	size_t findings; /* blocking ones */
	size_t hidden;   /* characters in them */
	size_t groups;   /* of brackets */
	size_t words;    /* that the guards break */
	size_t files;    /* with such findings */
	size_t known;    /* findings in the baseline */
	size_t read;     /* files */
	size_t unread;
} totals;

typedef struct inspection {
	cli_call *call;
	cli_screen screen;
	inspect_scan scan;
	inspect_reading reading;
	wkg_buf decoded;
	inspect_baseline baseline;
	totals totals;
	time_t started;
	bool progress; /* there is somebody to show it to */
	bool shown;    /* and it is on the screen */
} inspection;

static const char *
plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static bool
counts(const inspect_finding *f)
{
	return f->blocking && !f->known;
}

/* ---- for a program ---- */

#define FINDING_SIZE 1024 /* without its context */

static bool
put_codes(wkg_buf *out, const inspect_finding *f)
{
	bool ok = cli_put(out, ",\"codes\":[");
	for (size_t i = 0; ok && i < f->code_count; i++)
		ok = cli_put_format(out, "%s\"%s\"", i == 0 ? "" : ",",
		                    inspect_code_text(f->codes[i]).text);
	return ok && cli_put(out, "]");
}

static bool
put_facts(wkg_buf *out, const inspect_finding *f)
{
	static const char *const names[] = {
		[INSPECT_SANITIZE] = "sanitize",
		[INSPECT_REFERENCE] = "sanitize_reference",
		[INSPECT_FENCE] = "fence",
		[INSPECT_MODERATE] = "moderate",
		[INSPECT_MATCH] = "match",
	};
	bool ok = cli_put_format(out,
	                         "{\"line\":%zu,\"column\":%zu,\"offset\":%zu,"
	                         "\"length\":%zu,\"count\":%zu",
	                         f->line, f->column, f->at, f->len, f->count) &&
	          put_codes(out, f) &&
	          cli_put_format(out, ",\"class\":\"%s\"",
	                         inspect_class_name(f->class));
	for (size_t i = 0; ok && i < INSPECT_STAGES; i++)
		ok = cli_put_format(out, ",\"%s\":\"%s\"", names[i],
		                    inspect_fate_name(f->fate[i]));
	return ok && cli_put_format(out,
	                            ",\"blocking\":%s,\"known\":%s,"
	                            "\"context\":",
	                            counts(f) ? "true" : "false",
	                            f->known ? "true" : "false");
}

static int
add_text(inspection *x, const char *text)
{
	const char *command = x->call->command->name;
	wkg_buf *out = &x->call->out;
	int code = cli_reserve_more(command, out, strlen(text));
	if (code != CLI_DONE)
		return code;
	return cli_put(out, text) ? CLI_DONE
	                          : cli_unexpected(command, WKG_E_SPACE);
}

static int
add_finding(inspection *x, const inspect_finding *f)
{
	const char *command = x->call->command->name;
	wkg_buf *out = &x->call->out;
	int code = cli_reserve_more(command, out, FINDING_SIZE);
	if (code != CLI_DONE)
		return code;
	if (!put_facts(out, f))
		return cli_unexpected(command, WKG_E_SPACE);
	code = inspect_quote(command, out, inspect_context(&x->scan, f));
	return code == CLI_DONE ? add_text(x, "}") : code;
}

static int
add_file(inspection *x, const char *file)
{
	wkg_span name = { (const uint8_t *)file, strlen(file) };
	int code = add_text(x, x->call->out.len == 0 ? "{\"files\":[" : ",\n");
	if (code == CLI_DONE)
		code = add_text(x, "{\"file\":");
	if (code == CLI_DONE)
		code = inspect_quote(x->call->command->name, &x->call->out,
		                     name);
	if (code == CLI_DONE)
		code = add_text(x, ",\"findings\":[");
	for (size_t i = 0; i < x->scan.count && code == CLI_DONE; i++) {
		code = add_text(x, i == 0 ? "\n" : ",\n");
		if (code == CLI_DONE)
			code = add_finding(x, &x->scan.found[i]);
	}
	if (code == CLI_DONE)
		code = add_text(x, "]");
	if (code == CLI_DONE)
		code = inspect_put_reordered(&x->call->out, &x->reading,
		                             &x->scan);
	if (code == CLI_DONE)
		code = inspect_put_decoded(&x->call->out, &x->decoded,
		                           &x->scan);
	return code == CLI_DONE ? add_text(x, "}") : code;
}

static int
add_class(inspection *x, inspect_class class, bool first)
{
	const tally *t = &x->totals.classes[class];
	char text[256];
	snprintf(text, sizeof(text),
	         "%s\"%s\":{\"findings\":%zu,\"characters\":%zu,"
	         "\"blocking\":%zu}",
	         first ? "" : ",", inspect_class_name(class), t->findings,
	         t->characters, t->blocking);
	return add_text(x, text);
}

static int
add_classes(inspection *x)
{
	bool first = true;
	int code = add_text(x, "],\"classes\":{");
	for (int i = 0; i < INSPECT_CLASS_COUNT && code == CLI_DONE; i++) {
		if (x->totals.classes[i].findings == 0)
			continue;
		code = add_class(x, (inspect_class)i, first);
		first = false;
	}
	return code;
}

static int
finish_document(inspection *x)
{
	char end[64];
	if (x->totals.unread > 0) /* it would look whole, and is not */
		return cli_close_stdout(x->call->command->name);
	snprintf(end, sizeof(end), "},\"blocking\":%zu}\n", x->totals.findings);
	int code = add_classes(x);
	if (code == CLI_DONE)
		code = add_text(x, end);
	return code == CLI_DONE ? cli_write_output(x->call) : code;
}

/* ---- for a person: a line ---- */

/* Findings of one kind, told together. */
typedef struct rows {
	inspect_finding row[ROWS_MAX];
	size_t count;
} rows;

static bool
same_row(const inspect_finding *a, const inspect_finding *b, bool fates)
{
	return a->class == b->class && a->known == b->known &&
	       (!fates || memcmp(a->fate, b->fate, sizeof(a->fate)) == 0);
}

static void
fold(rows *r, const inspect_finding *f, bool fates)
{
	size_t i = 0;
	while (i < r->count && !same_row(&r->row[i], f, fates))
		i++;
	if (i == ROWS_MAX)
		return;
	if (i == r->count)
		r->row[r->count++] = *f;
	else
		inspect_merge(&r->row[i], f);
}

static void
print_codes(const inspect_finding *f)
{
	for (size_t i = 0; i < f->code_count && i < CODES_SHOWN; i++)
		printf(" %s", inspect_code_text(f->codes[i]).text);
	if (f->more_codes || f->code_count > CODES_SHOWN)
		printf(" ...");
	if (f->count > 1)
		printf(" x%zu", f->count);
}

static void
print_gutter(const char *line)
{
	printf("%*s |", GUTTER - 2, line);
}

static void
print_row(const inspection *x, const inspect_finding *f)
{
	inspect_fate hardened = f->fate[INSPECT_SANITIZE];
	inspect_fate reference = f->fate[INSPECT_REFERENCE];

	print_gutter("");
	printf(" %zu:%zu %s%s%s", f->line, f->column, x->screen.title,
	       inspect_class_name(f->class), x->screen.off);
	print_codes(f);
	printf(", byte %zu\n", f->at);

	print_gutter("");
	printf("   sanitize %s", inspect_fate_name(hardened));
	if (reference != hardened)
		printf(" (reference %s)", inspect_fate_name(reference));
	printf(", fence %s", inspect_fate_name(f->fate[INSPECT_FENCE]));
	if (reference != hardened) {
		printf(",\n");
		print_gutter("");
		printf("   ");
	} else {
		printf(", ");
	}
	printf("moderate %s, match %s\n",
	       inspect_fate_name(f->fate[INSPECT_MODERATE]),
	       inspect_fate_name(f->fate[INSPECT_MATCH]));
}

/* Does the text before a finding leave room for it on a line? */
static bool
is_short(const inspection *x, size_t from, size_t to)
{
	wkg_span text = { x->scan.text.ptr + from, to - from };
	size_t used = 0;
	for (size_t at = 0; at < text.len && used <= x->screen.columns;) {
		cli_piece piece = cli_piece_at(text, at, CLI_DRAW_RUNS);
		used += piece.columns;
		at += piece.used;
	}
	return used <= x->screen.columns / 2;
}

/* Where to begin drawing the line of a finding: if it is far behind the start,
 * only a few characters before it. */
static size_t
start_of_drawing(const inspection *x, const inspect_finding *f)
{
	size_t lead = LEAD;
	if (is_short(x, f->line_at, f->at))
		return f->line_at;
	while (lead > 0 &&
	       !is_short(x, inspect_step_back(&x->scan, f, lead), f->at))
		lead--;
	return inspect_step_back(&x->scan, f, lead);
}

/* A line being drawn, and what goes below it. */
typedef struct drawing {
	size_t columns;
	size_t marked; /* columns up to the last mark */
	char marks[256];
} drawing;

static void
draw_piece(const inspection *x, drawing *d, const cli_piece *piece, bool mark)
{
	printf("%s%.*s%s", piece->hidden ? x->screen.hidden : "",
	       (int)piece->len, piece->text,
	       piece->hidden ? x->screen.off : "");
	memset(d->marks + d->columns, mark ? '^' : ' ', piece->columns);
	d->columns += piece->columns;
	if (mark)
		d->marked = d->columns;
}

/* Is there a finding that counts in bytes [from, to)? `*next` is the first one
 * that does not end before them. */
static bool
is_marked(const inspection *x, size_t *next, size_t last, size_t from,
          size_t to)
{
	const inspect_finding *found = x->scan.found;
	while (*next < last && (!counts(&found[*next]) ||
	                        found[*next].at + found[*next].len <= from))
		(*next)++;
	return *next < last && found[*next].at < to;
}

/* The line of findings [first, last), everything hidden in it drawn, and marks
 * below those that count. The first one does. Returns what was drawn. */
static wkg_span
draw_line(const inspection *x, size_t first, size_t last)
{
	static const cli_piece dots = { .text = "...", .len = 3, .columns = 3 };
	const inspect_finding *f = &x->scan.found[first];
	const size_t room = x->screen.columns - GUTTER - 1 - dots.columns;
	const size_t from = start_of_drawing(x, f);
	const size_t to = inspect_line_end(&x->scan, f->at);
	wkg_span text = { x->scan.text.ptr + from, to - from };
	size_t at = 0;
	drawing d = { 0 };
	char number[24];

	snprintf(number, sizeof(number), "%zu", f->line);
	print_gutter(number);
	putchar(' ');
	if (from > f->line_at)
		draw_piece(x, &d, &dots, false);
	while (at < text.len) {
		cli_piece piece = cli_piece_at(text, at, CLI_DRAW_RUNS);
		if (d.columns + piece.columns > room)
			break;
		size_t here = from + at;
		draw_piece(x, &d, &piece,
		           is_marked(x, &first, last, here, here + piece.used));
		at += piece.used;
	}
	puts(at < text.len ? dots.text : "");
	print_gutter("");
	printf(" %s%.*s%s\n", x->screen.hidden, (int)d.marked, d.marks,
	       x->screen.off);
	text.len = at;
	return text;
}

static void
print_balance(const bidi_balance *b)
{
	if (b->unclosed == 0 && b->unopened == 0)
		return;
	print_gutter("");
	printf("   ");
	if (b->unclosed > 0)
		printf("%zu bidi control%s never closed", b->unclosed,
		       plural(b->unclosed));
	printf("%s", b->unclosed > 0 && b->unopened > 0 ? ", " : "");
	if (b->unopened > 0)
		printf("%zu close%s what was never opened", b->unopened,
		       b->unopened == 1 ? "s" : "");
	putchar('\n');
}

/* Does one of the findings [first, last) begin in bytes [from, to) and move
 * what is around it? */
static bool
has_bidi(const inspection *x, size_t first, size_t last, size_t from, size_t to)
{
	for (size_t i = first; i < last; i++) {
		const inspect_finding *f = &x->scan.found[i];
		if (f->class == INSPECT_BIDI && f->at >= from && f->at < to)
			return true;
	}
	return false;
}

static bool
is_reordered(const inspect_reading *r)
{
	for (size_t i = 1; i < r->count; i++)
		if (r->order[i] < r->order[i - 1])
			return true;
	return false;
}

static void
print_reading(const inspect_reading *r, bool begins, bool ends)
{
	print_gutter("reads");
	printf(" %s", begins ? "" : "...");
	for (size_t i = 0; i < r->count; i++) {
		cli_piece piece = inspect_reading_piece(r, i);
		fwrite(piece.text, 1, piece.len, stdout);
	}
	puts(ends ? "" : "...");
}

/* If bidi controls are on the line of findings [first, last): the part of it
 * that was drawn, in the order in which a reader sees it. */
static int
draw_reading(inspection *x, size_t first, size_t last, wkg_span drawn)
{
	const inspect_finding *f = &x->scan.found[first];
	const size_t from = (size_t)(drawn.ptr - x->scan.text.ptr);
	const size_t to = from + drawn.len;
	if (!has_bidi(x, first, last, 0, SIZE_MAX))
		return CLI_DONE;
	int code = inspect_read(&x->reading, &x->scan, f->line_at, from, to);
	if (code != CLI_DONE)
		return code;
	if (has_bidi(x, first, last, from, to) || is_reordered(&x->reading))
		print_reading(&x->reading, from == f->line_at,
		              to == inspect_line_end(&x->scan, f->at));
	print_balance(&x->reading.balance);
	return CLI_DONE;
}

/* ---- for a person: a file ---- */

static void
print_file_name(const inspection *x, const char *file)
{
	const char *name = cli_is_stdin(file) ? "standard input" : file;
	wkg_span text = { (const uint8_t *)name, strlen(name) };
	printf("%s", x->screen.title);
	cli_print_drawn(stdout, text);
	printf("%s\n", x->screen.off);
}

/* Findings [from, to) are of one line. */
static int
print_line(inspection *x, size_t from, size_t to)
{
	size_t first = from;
	rows r = { .count = 0 };
	while (!counts(&x->scan.found[first]))
		first++;
	for (size_t i = first; i < to; i++)
		if (counts(&x->scan.found[i]))
			fold(&r, &x->scan.found[i], true);

	putchar('\n');
	wkg_span drawn = draw_line(x, first, to);
	int code = draw_reading(x, from, to, drawn);
	for (size_t i = 0; i < r.count; i++)
		print_row(x, &r.row[i]);
	return code;
}

static size_t
end_of_line(const inspect_scan *scan, size_t from, bool *any)
{
	size_t to = from;
	for (*any = false; to < scan->count; to++) {
		if (scan->found[to].line != scan->found[from].line)
			break;
		*any |= counts(&scan->found[to]);
	}
	return to;
}

static int
print_lines(inspection *x)
{
	const inspect_scan *scan = &x->scan;
	size_t lines = 0, to;
	bool any;
	int code = CLI_DONE;
	for (size_t from = 0; from < scan->count && code == CLI_DONE;
	     from = to) {
		to = end_of_line(scan, from, &any);
		lines += any;
		if (any && lines <= LINES_SHOWN)
			code = print_line(x, from, to);
	}
	if (lines > LINES_SHOWN)
		printf("\n  ... and %zu more line%s; --json has all\n",
		       lines - LINES_SHOWN, plural(lines - LINES_SHOWN));
	return code;
}

/* What is worth knowing and does not count: a row for each class. */
static void
print_notes(const inspection *x)
{
	rows r = { .count = 0 };
	for (size_t i = 0; i < x->scan.count; i++)
		if (!counts(&x->scan.found[i]))
			fold(&r, &x->scan.found[i], false);
	if (r.count > 0)
		puts("\n  also, and allowed:");
	for (size_t i = 0; i < r.count; i++) {
		const inspect_finding *f = &r.row[i];
		printf("    %s", inspect_class_name(f->class));
		print_codes(f);
		printf(", first at %zu:%zu%s\n", f->line, f->column,
		       f->known ? ", in the baseline" : "");
	}
}

static int
print_file(inspection *x, const char *file)
{
	if (x->scan.count == 0)
		return CLI_DONE;
	print_file_name(x, file);
	int code = print_lines(x);
	if (code == CLI_DONE)
		code = inspect_print_decoded(&x->screen, &x->decoded, &x->scan);
	print_notes(x);
	putchar('\n');
	return code;
}

static void
print_classes(const totals *t)
{
	bool any = false;
	for (int i = 0; i < INSPECT_CLASS_COUNT; i++) {
		const tally *c = &t->classes[i];
		if (c->findings == 0)
			continue;
		printf("  %-26s%8zu", inspect_class_name((inspect_class)i),
		       c->characters);
		if (c->allowed > 0 && c->allowed < c->characters)
			printf(", %zu of them", c->allowed);
		puts(c->allowed > 0 ? " allowed" : "");
		any = true;
	}
	if (any)
		putchar('\n');
}

static void
print_summary(const inspection *x)
{
	const totals *t = &x->totals;
	if (t->read == 0)
		return;
	print_classes(t);
	printf("%s", t->findings > 0 ? x->screen.hidden : x->screen.title);
	if (t->findings == 0)
		printf("nothing hidden");
	if (t->hidden > 0)
		printf("%zu hidden character%s", t->hidden, plural(t->hidden));
	if (t->hidden > 0 && t->groups > 0)
		printf("%s", t->words > 0 ? ", " : " and ");
	if (t->groups > 0)
		printf("%zu bracket group%s", t->groups, plural(t->groups));
	if (t->words > 0 && t->hidden + t->groups > 0)
		printf(" and ");
	if (t->words > 0)
		printf("%zu guarded word%s", t->words, plural(t->words));
	if (t->findings > 0)
		printf(" in %zu file%s", t->files, plural(t->files));
	if (t->known > 0)
		printf(", %zu finding%s in the baseline", t->known,
		       plural(t->known));
	if (t->unread > 0)
		printf("; %zu file%s could not be read", t->unread,
		       plural(t->unread));
	printf("%s\n", x->screen.off);
}

/* ---- progress: on a terminal, and only if it takes a while ---- */

static void
start_progress(inspection *x)
{
	x->progress = cli_errors_on_terminal();
	x->started = time(NULL);
}

/* It ends where it began, so that a complaint, which is longer, covers it. */
static void
show_progress(inspection *x, size_t done)
{
	if (!x->progress || time(NULL) - x->started <= QUIET_SECONDS)
		return;
	fprintf(stderr, "wicketgate: inspect: file %zu of %zu\r", done + 1,
	        x->call->operand_count);
	fflush(stderr);
	x->shown = true;
}

static void
hide_progress(inspection *x)
{
	if (x->shown)
		fprintf(stderr, "%60s\r", "");
	x->shown = false;
}

/* ---- the command ---- */

static void
count_class(totals *t, const inspect_finding *f)
{
	tally *c = &t->classes[f->class];
	c->findings++;
	c->characters += f->count;
	if (counts(f))
		c->blocking++;
	else
		c->allowed += f->count;
}

static void
count(inspection *x)
{
	size_t before = x->totals.findings;
	x->totals.read++;
	for (size_t i = 0; i < x->scan.count; i++) {
		const inspect_finding *f = &x->scan.found[i];
		count_class(&x->totals, f);
		x->totals.known += f->known;
		if (!counts(f))
			continue;
		x->totals.findings++;
		if (f->class == INSPECT_BRACKET_GROUP)
			x->totals.groups++;
		else if (f->class == INSPECT_KEYWORD ||
		         f->class == INSPECT_TOKEN)
			x->totals.words++;
		else
			x->totals.hidden += f->count;
	}
	x->totals.files += x->totals.findings > before;
}

static int
inspect_file(inspection *x, const char *file)
{
	x->scan.text.len = 0;
	int code = cli_read_file(x->call->command->name, file, &x->scan.text);
	if (code != CLI_DONE) {
		x->totals.unread++;
		return CLI_DONE; /* the next may be readable */
	}
	code = inspect_run(&x->scan);
	if (code == CLI_DONE)
		code = inspect_baseline_apply(&x->baseline, file, &x->scan);
	if (code != CLI_DONE)
		return code;
	count(x);
	hide_progress(x);
	if (x->call->values[JSON].given)
		return add_file(x, file);
	return print_file(x, file);
}

static int
inspect_files(inspection *x)
{
	static char standard_input[] = "-";
	char *only[] = { standard_input };
	char **files = x->call->operand_count == 0 ? only : x->call->operands;
	size_t total = x->call->operand_count == 0 ? 1 : x->call->operand_count;
	int code = CLI_DONE;

	start_progress(x);
	for (size_t i = 0; i < total && code == CLI_DONE; i++) {
		show_progress(x, i);
		code = inspect_file(x, files[i]);
	}
	hide_progress(x);
	return code;
}

static int
inspect(inspection *x)
{
	const cli_value *baseline = &x->call->values[BASELINE];
	const char *command = x->call->command->name;
	int code = CLI_DONE;
	if (baseline->given)
		code = inspect_baseline_read(&x->baseline, command,
		                             baseline->text);
	if (code == CLI_DONE)
		code = inspect_files(x);
	if (code != CLI_DONE)
		return code;

	if (x->call->values[JSON].given) {
		code = finish_document(x);
	} else {
		print_summary(x);
		code = cli_close_stdout(command);
	}
	if (code != CLI_DONE)
		return code;
	if (x->totals.unread > 0)
		return CLI_RESOURCE;
	return x->totals.findings > 0 ? CLI_NO : CLI_DONE;
}

static int
run_inspect(cli_call *call)
{
	inspection x = { .call = call, .screen = cli_screen_of_output() };
	x.scan.command = call->command->name;
	int code = inspect(&x);
	inspect_scan_free(&x.scan);
	inspect_reading_free(&x.reading);
	free(x.decoded.ptr);
	inspect_baseline_free(&x.baseline);
	return code;
}

/* clang-format off */
const cli_command cli_inspect = {
	.name = "inspect",
	.summary = "show what a reader does not see or misreads",
	.about =
		"Show the hidden characters of each FILE, or of standard input (no FILE,\n"
		"or -): line, column and byte, code point, class, and what each stage does\n"
		"with them: the sanitizer of either profile, the fence, the moderator, its\n"
		"patterns. Lines end at LF; columns count characters; bytes count from 0.\n"
		"An escape such as \\u200b is six visible letters.\n"
		"\n"
		"A line with bidi controls is shown twice: as it is stored, and as it reads\n"
		"from left to right (UAX #9 of Unicode 15, what is hidden left out). A\n"
		"terminal that reorders text itself does so again with Hebrew and Arabic.\n"
		"\n"
		"Hidden text is decoded where it says something: TAG characters, variation\n"
		"selectors that are bytes, and bits in U+2062 and U+2064, or in U+200B and\n"
		"U+200C, either of which may be 0, the highest bit first. It says something\n"
		"if there are 4 readable characters (of bits: 2), and for each that is not\n"
		"at least 8 that are. A visible character or LF ends it; other hidden\n"
		"characters in between do not. The three flags in TAG characters are flags.\n"
		"\n"
		"Exit 1 for what the hardened sanitizer would strip or replace, and for\n"
		"groups of two or more brackets that are not plain ASCII, and where the\n"
		"fence breaks a word: the keyword of its delimiters, however it is spelled\n"
		"(at its x), and tokens of chat templates such as [INST] (at the bracket).\n"
		"The rest is shown and allowed: the CR of a CRLF; joiners, selectors and\n"
		"tags where an emoji or a word needs them; no-break and other odd spaces,\n"
		"single look-alike brackets, piles of more than 8 accents.\n"
		"A file that cannot be read is exit 4; the others are inspected all the\n"
		"same, except that --json then prints nothing.\n"
		"\n"
		"With --json: {\"files\":[{\"file\",\"findings\":[...],\"reordered\":[...],\n"
		"\"decoded\":[...]}],\"classes\":{...},\"blocking\":n}, n the number of findings\n"
		"that count; classes has findings, characters and blocking of each class. A\n"
		"reordered line has line, offset and length of the part that is shown,\n"
		"unclosed and unopened controls, reads. What is decoded has line, column,\n"
		"offset, length, alphabet, symbols, characters, more (not shown), text.\n"
		"\n"
		"A finding is a run of characters of one class on one line, or a bracket\n"
		"group; line endings are one in a file. It has line, column, offset and\n"
		"length in bytes, count, codes (the first 8 different ones), class,\n"
		"sanitize, sanitize_reference, fence, moderate, match, blocking, known,\n"
		"context.\n",
	.example = "printf 'stamped-\\342\\200\\256fdp.exe' | wicketgate inspect",
	.options = inspect_options,
	.option_count = COUNT(inspect_options),
	.operands = "[FILE...]",
	.operand_max = SIZE_MAX,
	.reads_input = true,
	.run = run_inspect,
};
/* clang-format on */
