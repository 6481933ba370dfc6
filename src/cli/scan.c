/* scan.c - find the characters that a reader does not see or misreads.
 *
 * The stages are asked, not imitated: the text goes through the sanitizer of
 * each profile and through the fence, and what became of a character is read
 * off the results, which are walked along with the text. So whatever rule a
 * stage has or gets, context included, this page tells what it did. */
#include "inspect.h"

#include <wicketgate/fence.h>
#include <wicketgate/sanitize.h>
#include <wicketgate/table.h>
#include <wicketgate/utf8.h>

#include <stdlib.h>
#include <string.h>

enum {
	/* More than any token has that nothing is hidden in. */
	TOKEN_WINDOW = 256,
	/* Accents belong to their letters and are seen. A pile is listed. */
	MARKS_ORDINARY = 8,
	CONTEXT_CHARACTERS = 16, /* on either side */
};

/* ---- what it is called ---- */

static const char *const class_names[] = {
	[INSPECT_NONE] = "?",
	[INSPECT_ILL_FORMED] = "ill-formed",
	[INSPECT_ZERO_WIDTH] = "zero-width",
	[INSPECT_JOINER] = "joiner",
	[INSPECT_BIDI] = "bidi control",
	[INSPECT_TAG] = "tag",
	[INSPECT_CONTROL] = "control",
	[INSPECT_LINE_ENDING] = "line ending",
	[INSPECT_LINE_SEPARATOR] = "line separator",
	[INSPECT_BYTE_ORDER_MARK] = "byte order mark",
	[INSPECT_SELECTOR] = "variation selector",
	[INSPECT_SOFT_HYPHEN] = "soft hyphen",
	[INSPECT_GRAPHEME_JOINER] = "combining grapheme joiner",
	[INSPECT_FILLER] = "filler",
	[INSPECT_NONCHARACTER] = "noncharacter",
	[INSPECT_PRIVATE_USE] = "private use",
	[INSPECT_SPACE] = "space",
	[INSPECT_REPLACEMENT] = "replacement character",
	[INSPECT_FORMAT] = "format",
	[INSPECT_INVISIBLE] = "invisible",
	[INSPECT_MARK] = "combining mark",
	[INSPECT_BRACKET] = "look-alike bracket",
	[INSPECT_BRACKET_GROUP] = "bracket group",
	[INSPECT_KEYWORD] = "delimiter keyword",
	[INSPECT_TOKEN] = "template token",
};

_Static_assert(COUNT(class_names) == INSPECT_CLASS_COUNT, "all have a name");

const char *
inspect_class_name(inspect_class class)
{
	return class_names[class];
}

const char *
inspect_fate_name(inspect_fate fate)
{
	switch (fate) {
	case INSPECT_KEEP: return "keep";
	case INSPECT_STRIP: return "strip";
	case INSPECT_REPLACE: return "replace";
	case INSPECT_IGNORABLE: return "ignorable";
	case INSPECT_SINGLE: return "bracket";
	case INSPECT_SPACED: return "spaced";
	case INSPECT_BROKEN: return "broken";
	case INSPECT_IGNORED: return "ignored";
	}
	return "?";
}

/* clang-format off */
static const struct {
	uint32_t from, to;
	inspect_class class;
} classes[] = {
	{ 0x0000, 0x001F, INSPECT_CONTROL },
	{ 0x007F, 0x009F, INSPECT_CONTROL },
	{ 0x00A0, 0x00A0, INSPECT_SPACE },
	{ 0x00AD, 0x00AD, INSPECT_SOFT_HYPHEN },
	{ 0x034F, 0x034F, INSPECT_GRAPHEME_JOINER },
	{ 0x0600, 0x0605, INSPECT_FORMAT }, /* before Arabic numbers */
	{ 0x061C, 0x061C, INSPECT_BIDI },
	{ 0x06DD, 0x06DD, INSPECT_FORMAT },
	{ 0x070F, 0x070F, INSPECT_FORMAT },
	{ 0x0890, 0x0891, INSPECT_FORMAT },
	{ 0x08E2, 0x08E2, INSPECT_FORMAT },
	{ 0x115F, 0x1160, INSPECT_FILLER },
	{ 0x1680, 0x1680, INSPECT_SPACE },
	{ 0x17B4, 0x17B5, INSPECT_INVISIBLE }, /* Khmer vowels */
	{ 0x180B, 0x180D, INSPECT_SELECTOR },
	{ 0x180E, 0x180E, INSPECT_ZERO_WIDTH },
	{ 0x180F, 0x180F, INSPECT_SELECTOR },
	{ 0x2000, 0x200A, INSPECT_SPACE },
	{ 0x200B, 0x200B, INSPECT_ZERO_WIDTH },
	{ 0x200C, 0x200D, INSPECT_JOINER },
	{ 0x200E, 0x200F, INSPECT_BIDI },
	{ 0x2028, 0x2029, INSPECT_LINE_SEPARATOR },
	{ 0x202A, 0x202E, INSPECT_BIDI },
	{ 0x202F, 0x202F, INSPECT_SPACE },
	{ 0x205F, 0x205F, INSPECT_SPACE },
	{ 0x2060, 0x2060, INSPECT_ZERO_WIDTH },
	{ 0x2061, 0x2064, INSPECT_FORMAT }, /* invisible operators */
	{ 0x2066, 0x2069, INSPECT_BIDI },
	{ 0x206A, 0x206F, INSPECT_FORMAT },
	{ 0x2800, 0x2800, INSPECT_INVISIBLE }, /* Braille without a dot */
	{ 0x3000, 0x3000, INSPECT_SPACE },
	{ 0x3164, 0x3164, INSPECT_FILLER },
	{ 0xE000, 0xF8FF, INSPECT_PRIVATE_USE },
	{ 0xFDD0, 0xFDEF, INSPECT_NONCHARACTER },
	{ 0xFE00, 0xFE0F, INSPECT_SELECTOR },
	{ 0xFEFF, 0xFEFF, INSPECT_BYTE_ORDER_MARK },
	{ 0xFFA0, 0xFFA0, INSPECT_FILLER },
	{ 0xFFF9, 0xFFFB, INSPECT_FORMAT },
	{ 0xFFFC, 0xFFFD, INSPECT_REPLACEMENT },
	{ 0x110BD, 0x110BD, INSPECT_FORMAT }, /* before Kaithi numbers */
	{ 0x110CD, 0x110CD, INSPECT_FORMAT },
	{ 0x13430, 0x1343F, INSPECT_FORMAT },
	{ 0x16FE4, 0x16FE4, INSPECT_INVISIBLE }, /* Khitan filler */
	{ 0x1BCA0, 0x1BCA3, INSPECT_FORMAT },
	{ 0x1D159, 0x1D159, INSPECT_INVISIBLE }, /* null notehead */
	{ 0x1D173, 0x1D17A, INSPECT_FORMAT },
	{ 0xE0000, 0xE007F, INSPECT_TAG },
	{ 0xE0100, 0xE01EF, INSPECT_SELECTOR },
	{ 0xF0000, 0xFFFFD, INSPECT_PRIVATE_USE },
	{ 0x100000, 0x10FFFD, INSPECT_PRIVATE_USE },
};
/* clang-format on */

static const uint32_t brackets = WKG_SET_LESS | WKG_SET_GREATER;

/* The sets this page is about: a character in none of them is seen as it is. */
static const uint32_t remarkable = WKG_SET_STRIP_REFERENCE |
                                   WKG_SET_STRIP_HARDENED |
                                   WKG_SET_CONTEXT_HARDENED |
                                   WKG_SET_FENCE_IGNORABLE | WKG_SET_LESS |
                                   WKG_SET_GREATER | WKG_SET_STRIP_OUTPUT |
                                   WKG_SET_MATCH_IGNORABLE;

/* The class of a character that is in one of the sets. */
static inspect_class
class_in_sets(uint32_t code, uint32_t sets)
{
	if (sets & brackets)
		return code < 0x80 ? INSPECT_NONE : INSPECT_BRACKET;
	if ((code & 0xFFFE) == 0xFFFE)
		return INSPECT_NONCHARACTER;
	for (size_t i = 0; i < COUNT(classes) && classes[i].from <= code; i++)
		if (code <= classes[i].to)
			return classes[i].class;
	bool marks = (sets &
	              (WKG_SET_STRIP_HARDENED | WKG_SET_CONTEXT_HARDENED)) == 0;
	return marks ? INSPECT_MARK : INSPECT_INVISIBLE;
}

static inspect_class
class_of(wkg_char c, uint32_t sets)
{
	if (c.ill_formed)
		return INSPECT_ILL_FORMED;
	return sets & remarkable ? class_in_sets(c.code, sets) : INSPECT_NONE;
}

inspect_code
inspect_code_text(uint32_t code)
{
	inspect_code result;
	bool byte = (code & INSPECT_BYTE) != 0;
	snprintf(result.text, sizeof(result.text), byte ? "0x%02lX" : "U+%04lX",
	         (unsigned long)(code & ~INSPECT_BYTE));
	return result;
}

/* ---- findings ---- */

static void
add_code(inspect_finding *f, uint32_t code)
{
	for (size_t i = 0; i < f->code_count; i++)
		if (f->codes[i] == code)
			return;
	if (f->code_count < INSPECT_CODES_MAX)
		f->codes[f->code_count++] = code;
	else
		f->more_codes = true;
}

void
inspect_merge(inspect_finding *into, const inspect_finding *from)
{
	into->count += from->count;
	into->more_codes |= from->more_codes;
	for (size_t i = 0; i < from->code_count; i++)
		add_code(into, from->codes[i]);
}

static int
push(inspect_scan *scan, const inspect_finding *finding)
{
	if (scan->count == scan->cap) {
		const size_t size = sizeof(*scan->found);
		size_t cap = scan->cap == 0 ? 64 : scan->cap * 2;
		inspect_finding *more = NULL;
		if (scan->cap <= SIZE_MAX / 2 / size)
			more = realloc(scan->found, cap * size);
		if (more == NULL)
			return cli_unexpected(scan->command, WKG_E_MEMORY);
		scan->found = more;
		scan->cap = cap;
	}
	scan->found[scan->count++] = *finding;
	return CLI_DONE;
}

/* ---- what each stage does ---- */

/* The text behind a stage, read along with the text before it. */
typedef struct stage {
	wkg_span text;
	size_t at;
	bool keeps_lone_cr; /* as a line feed */
} stage;

static const wkg_char no_char = { 0, 0, false };

static wkg_char
char_at(wkg_span text, size_t at)
{
	return at < text.len ? wkg_utf8_decode(text, at) : no_char;
}

/* A sanitizer leaves out, or puts U+FFFD for bad bytes and a line feed for a
 * lone CR: the result is the text with some characters missing. */
static inspect_fate
through_sanitizer(stage *s, wkg_char c, wkg_char next)
{
	wkg_char out = char_at(s->text, s->at);
	bool lone_cr = c.code == '\r' && next.code != '\n' && s->keeps_lone_cr;

	if (out.len > 0 && (out.code == c.code || lone_cr)) {
		s->at += out.len;
		return c.ill_formed || lone_cr ? INSPECT_REPLACE : INSPECT_KEEP;
	}
	return INSPECT_STRIP;
}

/* The fence leaves nothing out. What did it put in behind this one, if it did? */
static uint32_t
through_fence(stage *s, wkg_char next)
{
	s->at += char_at(s->text, s->at).len;
	wkg_char out = char_at(s->text, s->at);
	if (out.len == 0 || (next.len > 0 && out.code == next.code))
		return 0;
	s->at += out.len;
	return out.code;
}

static wkg_status
sanitize(wkg_buf *out, wkg_span text, wkg_profile profile)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(profile);
	config.limits.form_event = SIZE_MAX; /* as if it were never cut */
	out->len = 0;
	return wkg_sanitize(out, text, WKG_SOURCE_FORM_EVENT, &config, NULL);
}

static wkg_status
ask_about_lone_cr(stage *s, wkg_profile profile)
{
	static const wkg_span cr = WKG_LIT("\r");
	uint8_t memory[4];
	wkg_buf out = { memory, 0, sizeof(memory) };
	wkg_status status = sanitize(&out, cr, profile);
	s->keeps_lone_cr = out.len > 0;
	return status;
}

static int
open_sanitizer(inspect_scan *scan, stage *s, wkg_buf *out, wkg_profile profile)
{
	wkg_span text = wkg_buf_span(&scan->text);
	out->len = 0;
	int code = cli_reserve_more(scan->command, out,
	                            wkg_sanitize_bound(text.len));
	if (code != CLI_DONE)
		return code;
	wkg_status status = sanitize(out, text, profile);
	if (status == WKG_OK)
		status = ask_about_lone_cr(s, profile);
	s->text = wkg_buf_span(out);
	s->at = 0;
	return status == WKG_OK ? CLI_DONE
	                        : cli_unexpected(scan->command, status);
}

static int
open_fence(inspect_scan *scan, stage *s)
{
	wkg_span text = wkg_buf_span(&scan->text);
	scan->fenced.len = 0;
	int code = cli_reserve_more(scan->command, &scan->fenced,
	                            wkg_fence_neutralize_bound(text.len));
	if (code != CLI_DONE)
		return code;
	wkg_status status = wkg_fence_neutralize(&scan->fenced, text,
	                                         WKG_PROFILE_HARDENED, NULL);
	s->text = wkg_buf_span(&scan->fenced);
	s->at = 0;
	return status == WKG_OK ? CLI_DONE
	                        : cli_unexpected(scan->command, status);
}

/* ---- the walk ---- */

typedef struct walk {
	inspect_scan *scan;
	wkg_span text;
	stage hardened;
	stage reference;
	stage fenced;
	size_t at;
	size_t line;
	size_t column;
	size_t line_at;
	size_t group_end;    /* of the last group of brackets */
	size_t line_endings; /* 1 + the index of their finding */
} walk;

static int
walk_open(walk *w, inspect_scan *scan)
{
	w->scan = scan;
	w->text = wkg_buf_span(&scan->text);
	w->line = w->column = 1;
	int code = open_sanitizer(scan, &w->hardened, &scan->hardened,
	                          WKG_PROFILE_HARDENED);
	if (code == CLI_DONE)
		code = open_sanitizer(scan, &w->reference, &scan->reference,
		                      WKG_PROFILE_REFERENCE);
	if (code == CLI_DONE)
		code = open_fence(scan, &w->fenced);
	return code;
}

/* Were all of the results seen? If not, this file has misunderstood a stage,
 * and what it found means nothing. */
static bool
walk_closes(const walk *w)
{
	return w->hardened.at == w->hardened.text.len &&
	       w->reference.at == w->reference.text.len &&
	       w->fenced.at == w->fenced.text.len;
}

static inspect_finding
finding_at(const walk *w, inspect_class class, wkg_char c)
{
	inspect_finding f = {
		.class = class,
		.line = w->line,
		.column = w->column,
		.line_at = w->line_at,
		.at = w->at,
		.len = c.len,
		.count = 1,
	};
	for (size_t i = 0; c.ill_formed && i < c.len; i++)
		add_code(&f, INSPECT_BYTE + w->text.ptr[w->at + i]);
	if (!c.ill_formed)
		add_code(&f, c.code);
	return f;
}

/* The group of brackets whose first member is here and was given a space: how
 * far it goes, and whether it is all ASCII. Who writes `<<` meant it; a group
 * that looks like it, or hides something in it, is there to be misread. */
static inspect_finding
bracket_group(const walk *w, bool *ascii)
{
	inspect_finding f = finding_at(w, INSPECT_BRACKET_GROUP, no_char);
	uint32_t kind = wkg_table_sets(char_at(w->text, w->at).code) & brackets;
	bool plain = true; /* up to here */

	f.count = 0;
	f.code_count = 0;
	for (size_t at = w->at; at < w->text.len;) {
		wkg_char c = char_at(w->text, at);
		uint32_t sets = wkg_table_sets(c.code);
		at += c.len;
		plain = plain && w->text.ptr[at - 1] < 0x80;
		if (sets & kind) {
			f.len = at - f.at;
			f.count++;
			add_code(&f, c.code);
			*ascii = plain;
		} else if ((sets & WKG_SET_FENCE_IGNORABLE) == 0) {
			break;
		}
	}
	f.fate[INSPECT_SANITIZE] = f.fate[INSPECT_REFERENCE] = INSPECT_KEEP;
	f.fate[INSPECT_MODERATE] = f.fate[INSPECT_MATCH] = INSPECT_KEEP;
	f.fate[INSPECT_FENCE] = INSPECT_SPACED;
	f.blocking = true;
	return f;
}

static int
see_bracket(walk *w, bool spaced)
{
	bool ascii = true;
	if (!spaced || w->at < w->group_end)
		return CLI_DONE;
	inspect_finding f = bracket_group(w, &ascii);
	if (f.count < 2) /* it begins a token */
		return CLI_DONE;
	w->group_end = f.at + f.len;
	return ascii ? CLI_DONE : push(w->scan, &f);
}

/* Does the fence put a space behind the bracket here if none stands before? */
static bool
is_spaced_alone(const walk *w)
{
	uint8_t memory[3 * TOKEN_WINDOW];
	wkg_buf out = { memory, 0, sizeof(memory) };
	size_t left = w->text.len - w->at;
	wkg_span here = { w->text.ptr + w->at, left < TOKEN_WINDOW ? left : TOKEN_WINDOW };
	wkg_char c = char_at(here, 0);
	if (wkg_fence_neutralize(&out, here, WKG_PROFILE_HARDENED, NULL) != WKG_OK)
		return false;
	return char_at(wkg_buf_span(&out), c.len).code == ' ' &&
	       char_at(here, c.len).code != ' ';
}

/* A space was put in behind the character here. A bracket has it because of its
 * neighbours, the next of which then has one too, or because a token begins
 * with it (F10). In a group that a token follows the last one has both reasons,
 * and the fence is asked again. */
static bool
begins_token(const walk *w, uint32_t sets)
{
	wkg_span fenced = w->fenced.text;
	size_t at = w->fenced.at;
	if ((sets & brackets) == 0)
		return true;
	wkg_char next = char_at(fenced, at);
	while (wkg_table_sets(next.code) & WKG_SET_FENCE_IGNORABLE && next.len > 0) {
		at += next.len;
		next = char_at(fenced, at);
	}
	if (next.len > 0 && wkg_table_sets(next.code) & sets & brackets)
		return char_at(fenced, at + next.len).code != ' ';
	return w->at >= w->group_end || is_spaced_alone(w);
}

/* Hits of the guards, at the character that is parted from the rest. */
static int
see_guarded(walk *w, wkg_char c, uint32_t put_in)
{
	uint32_t sets = wkg_table_sets(c.code);
	bool keyword = put_in == '~';
	if (put_in == 0 || !(keyword || begins_token(w, sets)))
		return CLI_DONE;
	inspect_finding f = finding_at(
		w, keyword ? INSPECT_KEYWORD : INSPECT_TOKEN, c);
	for (int i = 0; i < INSPECT_STAGES; i++)
		f.fate[i] = INSPECT_KEEP;
	f.fate[INSPECT_FENCE] = INSPECT_BROKEN;
	f.blocking = true;
	return push(w->scan, &f);
}

/* Behind the sanitizer, and where there is none. Brackets here are single. */
static void
set_later_fates(inspect_finding *f, wkg_char c, uint32_t sets)
{
	bool bracket = (sets & brackets) != 0;
	bool unseen = (sets & WKG_SET_STRIP_OUTPUT) != 0;
	bool unmatched = (sets & WKG_SET_MATCH_IGNORABLE) != 0;

	f->fate[INSPECT_FENCE] = bracket ? INSPECT_SINGLE : INSPECT_IGNORABLE;
	f->fate[INSPECT_MODERATE] = unseen ? INSPECT_STRIP : INSPECT_KEEP;
	f->fate[INSPECT_MATCH] = unmatched ? INSPECT_IGNORED : INSPECT_KEEP;
	for (int i = INSPECT_FENCE; c.ill_formed && i < INSPECT_STAGES; i++)
		f->fate[i] = INSPECT_REPLACE;
}

static bool
continues(const inspect_finding *last, const inspect_finding *f)
{
	return last->class == f->class && last->at + last->len == f->at &&
	       last->blocking == f->blocking &&
	       memcmp(last->fate, f->fate, sizeof(f->fate)) == 0;
}

static int
add(walk *w, const inspect_finding *f)
{
	inspect_scan *scan = w->scan;
	inspect_finding *last = scan->count == 0
	                                ? NULL
	                                : &scan->found[scan->count - 1];
	if (f->class == INSPECT_LINE_ENDING && w->line_endings > 0) {
		scan->found[w->line_endings - 1].count++;
		return CLI_DONE;
	}
	if (f->class == INSPECT_LINE_ENDING)
		w->line_endings = scan->count + 1;
	if (last == NULL || !continues(last, f))
		return push(scan, f);
	last->len += f->len;
	inspect_merge(last, f);
	return CLI_DONE;
}

/* An accent too few for a pile is not worth a word. `class` comes next. */
static void
forget_ordinary_marks(inspect_scan *scan, inspect_class class)
{
	if (scan->count == 0 || class == INSPECT_MARK)
		return;
	const inspect_finding *last = &scan->found[scan->count - 1];
	if (last->class == INSPECT_MARK && !last->blocking &&
	    last->count <= MARKS_ORDINARY)
		scan->count--;
}

/* The character at the cursor, and what the stages do with it. */
static int
see(walk *w, wkg_char c, wkg_char next)
{
	uint32_t sets = wkg_table_sets(c.code);
	inspect_class class = class_of(c, sets);
	inspect_fate hardened = through_sanitizer(&w->hardened, c, next);
	inspect_fate reference = through_sanitizer(&w->reference, c, next);
	uint32_t put_in = through_fence(&w->fenced, next);

	forget_ordinary_marks(w->scan, class);
	int code = see_guarded(w, c, put_in);
	if (code == CLI_DONE && sets & brackets)
		code = see_bracket(w, put_in != 0);
	bool in_group = w->at < w->group_end && (sets & brackets) != 0;
	if (code != CLI_DONE || in_group || class == INSPECT_NONE)
		return code;
	if (c.code == '\r' && next.code == '\n')
		class = INSPECT_LINE_ENDING;

	inspect_finding f = finding_at(w, class, c);
	f.fate[INSPECT_SANITIZE] = hardened;
	f.fate[INSPECT_REFERENCE] = reference;
	set_later_fates(&f, c, sets);
	f.blocking = hardened != INSPECT_KEEP && class != INSPECT_LINE_ENDING;
	return add(w, &f);
}

int
inspect_run(inspect_scan *scan)
{
	walk w = { 0 };
	scan->count = 0;
	int code = walk_open(&w, scan);

	while (code == CLI_DONE && w.at < w.text.len) {
		wkg_char c = char_at(w.text, w.at);
		code = see(&w, c, char_at(w.text, w.at + c.len));
		w.at += c.len;
		w.column++;
		if (c.code == '\n') {
			w.line++;
			w.column = 1;
			w.line_at = w.at;
		}
	}
	if (code != CLI_DONE)
		return code;
	forget_ordinary_marks(scan, INSPECT_NONE);
	if (!walk_closes(&w))
		return cli_fail(CLI_RESOURCE, scan->command,
		                "unexpected result of a stage");
	return CLI_DONE;
}

void
inspect_scan_free(inspect_scan *scan)
{
	free(scan->text.ptr);
	free(scan->hardened.ptr);
	free(scan->reference.ptr);
	free(scan->fenced.ptr);
	free(scan->found);
}

/* ---- context ---- */

static size_t
before(wkg_span text, size_t at, size_t first)
{
	size_t from = at;
	while (from > first && at - from < 4) {
		from--;
		if ((text.ptr[from] & 0xC0) != 0x80)
			break;
	}
	return from;
}

size_t
inspect_step_back(const inspect_scan *scan, const inspect_finding *f,
                  size_t count)
{
	size_t at = f->at;
	for (size_t i = 0; i < count; i++)
		at = before(wkg_buf_span(&scan->text), at, f->line_at);
	return at;
}

wkg_span
inspect_context(const inspect_scan *scan, const inspect_finding *f)
{
	wkg_span text = wkg_buf_span(&scan->text);
	size_t from = inspect_step_back(scan, f, CONTEXT_CHARACTERS);
	size_t to = f->at + f->len;
	for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
		wkg_char c = char_at(text, to);
		if (c.len == 0 || c.code == '\n' || c.code == '\r')
			break;
		to += c.len;
	}
	wkg_span context = { text.ptr + from, to - from };
	return context;
}
