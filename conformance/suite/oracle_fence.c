/* oracle_fence.c - the fence as SPEC.md has it, without a thought for speed.
 *
 * A group is not searched for: a bracket belongs to one if the first character
 * before or behind it that is not ignorable is a bracket of its kind. */
#include "oracle_fence.h"
#include "oracle_text.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

const wgc_set *
wgc_fence_ignorable(bool hardened)
{
	return wgc_set_named(hardened ? "fence_ignorable" : "strip_reference");
}

char
wgc_bracket(uint32_t c, bool hardened)
{
	if (c == '<' || (hardened && wgc_set_has(wgc_set_named("less"), c)))
		return '<';
	if (c == '>' || (hardened && wgc_set_has(wgc_set_named("greater"), c)))
		return '>';
	return 0;
}

/* --- F3 --- */

static size_t
before(const wgc_text *text, size_t i, bool hardened)
{
	const wgc_set *ignorable = wgc_fence_ignorable(hardened);
	while (i > 0 && wgc_set_has(ignorable, text->at[i - 1]))
		i--;
	return i == 0 ? NOWHERE : i - 1;
}

static size_t
behind(const wgc_text *text, size_t i, bool hardened)
{
	const wgc_set *ignorable = wgc_fence_ignorable(hardened);
	for (i++; i < text->len && wgc_set_has(ignorable, text->at[i]);)
		i++;
	return i < text->len ? i : NOWHERE;
}

static bool
is_kind(const wgc_text *text, size_t i, char kind, bool hardened)
{
	return i != NOWHERE && wgc_bracket(text->at[i], hardened) == kind;
}

static bool
is_quotation(uint32_t a, uint32_t b)
{
	return ((a == 0x3008 || a == 0x300A) && (b == 0x3008 || b == 0x300A)) ||
	       ((a == 0x3009 || a == 0x300B) && (b == 0x3009 || b == 0x300B));
}

/* F3.4: exactly two, directly adjacent. */
static bool
is_quotation_pair(const wgc_text *text, size_t i)
{
	if (i + 1 >= text->len || !is_quotation(text->at[i], text->at[i + 1]))
		return false;
	char kind = wgc_bracket(text->at[i], true);
	return !is_kind(text, before(text, i, true), kind, true) &&
	       !is_kind(text, behind(text, i + 1, true), kind, true);
}

static bool
is_member(const wgc_text *text, size_t i, bool hardened)
{
	char kind = wgc_bracket(text->at[i], hardened);
	if (kind == 0)
		return false;
	if (hardened && (is_quotation_pair(text, i) ||
	                 (i > 0 && is_quotation_pair(text, i - 1))))
		return false;
	return is_kind(text, before(text, i, hardened), kind, hardened) ||
	       is_kind(text, behind(text, i, hardened), kind, hardened);
}

/* A copy with `c` after each character that `marked` says. */
static wgc_text
inserted(const wgc_text *text, const bool *marked, uint32_t c, bool unless_there)
{
	wgc_text out = { .form = WGC_SCALARS };
	for (size_t i = 0; i < text->len; i++) {
		wgc_push(&out, text->at[i]);
		bool there = i + 1 < text->len && text->at[i + 1] == c;
		if (marked[i] && !(unless_there && there))
			wgc_push(&out, c);
	}
	return out;
}

static wgc_text
spaced(const wgc_text *text, bool hardened)
{
	bool *marked = wgc_alloc(text->len);
	for (size_t i = 0; i < text->len; i++)
		marked[i] = is_member(text, i, hardened);
	wgc_text out = inserted(text, marked, ' ', hardened);
	free(marked);
	return out;
}

/* --- Readings: letters, and the character that each one came from --- */

typedef struct reading {
	char *letter;
	size_t *from, len;
} reading;

static void
read_letter(reading *r, char letter, size_t from)
{
	if ((r->len & (r->len + 1)) == 0) {
		size_t cap = 2 * (r->len + 1);
		r->letter = wgc_grow(r->letter, cap);
		r->from = wgc_grow(r->from, cap * sizeof(*r->from));
	}
	r->letter[r->len] = letter;
	r->from[r->len++] = from;
}

static void
read_letters(reading *r, const char *letters, size_t from)
{
	for (; *letters != '\0'; letters++)
		read_letter(r, *letters, from);
}

static bool
reads(const reading *r, size_t i, const char *word)
{
	size_t len = strlen(word);
	return len <= r->len - i && memcmp(r->letter + i, word, len) == 0;
}

static void
reading_clear(reading *r)
{
	free(r->letter);
	free(r->from);
}

/* --- F9 --- */

static reading
keyword_reading(const wgc_text *text)
{
	const wgc_set *ignorable = wgc_set_named("fence_ignorable");
	const wgc_set *skipped = wgc_set_named("keyword_skipped");
	reading r = { 0 };
	for (size_t i = 0; i < text->len; i++) {
		uint32_t c = text->at[i];
		if (wgc_set_has(ignorable, c))
			continue;
		const char *letters = wgc_reads_as("keyword_letters", c);
		if (c == '~' || c == '\n')
			read_letter(&r, '.', i);
		else if (letters != NULL)
			read_letters(&r, letters, i);
		else if (!wgc_set_has(skipped, c))
			read_letter(&r, '.', i);
	}
	return r;
}

size_t
wgc_keyword(const wgc_text *text)
{
	reading r = keyword_reading(text);
	size_t found = text->len;
	for (size_t i = 0; i < r.len && found == text->len; i++)
		if (reads(&r, i, "xpydata"))
			found = r.from[i];
	reading_clear(&r);
	return found;
}

static wgc_text
keyword_guarded(const wgc_text *text)
{
	reading r = keyword_reading(text);
	bool *marked = wgc_alloc(text->len);
	for (size_t i = 0; i < r.len; i++)
		if (reads(&r, i, "xpydata"))
			marked[r.from[i]] = true;
	wgc_text out = inserted(text, marked, '~', false);
	free(marked);
	reading_clear(&r);
	return out;
}

/* --- F10 --- */

static const char *const tokens[] = {
	"<|", "<s>", "</s>", "<bos>", "<eos>", "<unk>", "<pad>", "<sop>",
	"<eop>", "<extra_id_0>", "<start_of_turn>", "<end_of_turn>", "<<SYS>>",
	"<</SYS>>", "[INST]", "[/INST]", "[gMASK]", "[AVAILABLE_TOOLS]",
	"[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[TOOL_RESULTS]",
	"[/TOOL_RESULTS]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "<think>",
	"</think>", "<tool_call>", "</tool_call>", "<tool_response>",
	"</tool_response>", "<function_calls>", "</function_calls>", NULL
};

static reading
token_reading(const wgc_text *text)
{
	const wgc_set *ignorable = wgc_set_named("fence_ignorable");
	reading r = { 0 };
	for (size_t i = 0; i < text->len; i++) {
		uint32_t c = text->at[i];
		if (wgc_set_has(ignorable, c))
			continue;
		const char *letters = wgc_reads_as("token_fold", c);
		if (letters != NULL)
			read_letters(&r, letters, i);
		else
			read_letter(&r, c < 0x80 ? (char)c : '\x7F', i);
	}
	return r;
}

static wgc_text
token_guarded(const wgc_text *text)
{
	reading r = token_reading(text);
	bool *marked = wgc_alloc(text->len);
	for (size_t i = 0; i < r.len; i++)
		for (size_t t = 0; tokens[t] != NULL; t++)
			if (reads(&r, i, tokens[t]))
				marked[r.from[i]] = true;
	wgc_text out = inserted(text, marked, ' ', true);
	free(marked);
	reading_clear(&r);
	return out;
}

/* --- Whole --- */

wgc_text
wgc_neutralized(const wgc_text *text, bool hardened)
{
	if (!hardened)
		return spaced(text, false);
	wgc_text words = keyword_guarded(text);
	wgc_text marks = token_guarded(&words);
	wgc_text out = spaced(&marks, true);
	wgc_text_clear(&words);
	wgc_text_clear(&marks);
	return out;
}

/* F5.3 */
static wgc_text
on_one_line(const wgc_text *label)
{
	wgc_text out = { .form = WGC_SCALARS };
	for (size_t i = 0; i < label->len; i++) {
		uint32_t c = label->at[i];
		bool crlf = c == '\r' && i + 1 < label->len &&
		            label->at[i + 1] == '\n';
		if (crlf)
			continue; /* its LF makes the space */
		bool breaks = (c >= 0x0A && c <= 0x0D) || c == 0x85 ||
		              c == 0x2028 || c == 0x2029;
		wgc_push(&out, breaks ? ' ' : c);
	}
	return out;
}

wgc_text
wgc_wrapped(const wgc_text *label, const wgc_text *data, bool hardened)
{
	wgc_text line = on_one_line(label);
	wgc_text out = wgc_neutralized(&line, hardened);
	wgc_text inside = wgc_neutralized(data, hardened);
	wgc_push_ascii(&out, "\n" WGC_BEGIN "\n");
	wgc_push_all(&out, &inside);
	wgc_push_ascii(&out, "\n" WGC_END);
	wgc_text_clear(&line);
	wgc_text_clear(&inside);
	return out;
}

/* The bracket at i may be read directly behind another of its kind. */
static bool
closes_up(const wgc_text *text, size_t i, bool hardened)
{
	char kind = wgc_bracket(text->at[i], hardened);
	if (kind == 0)
		return false;
	size_t last = before(text, i, hardened);
	return is_kind(text, last, kind, hardened) &&
	       !(hardened && last + 1 == i && is_quotation_pair(text, last));
}

size_t
wgc_forgery(const wgc_text *text, bool hardened)
{
	size_t i = 0;
	while (i < text->len && !closes_up(text, i, hardened))
		i++;
	return i;
}

size_t
wgc_adjacent(const wgc_text *text, char kind, bool hardened)
{
	size_t pairs = 0;
	for (size_t i = 0; i < text->len; i++)
		pairs += wgc_bracket(text->at[i], hardened) == kind &&
		         closes_up(text, i, hardened);
	return pairs;
}

size_t
wgc_times_read(const wgc_text *text, const char *ascii, bool hardened)
{
	wgc_text seen = wgc_without(text, wgc_fence_ignorable(hardened));
	size_t len = strlen(ascii), times = 0;
	for (size_t i = 0; i + len <= seen.len; i++) {
		size_t n = 0;
		while (n < len && seen.at[i + n] == (unsigned char)ascii[n])
			n++;
		times += n == len;
	}
	wgc_text_clear(&seen);
	return times;
}

bool
wgc_needs_fence(const wgc_text *text)
{
	wgc_text yes = wgc_text_ascii("true"), no = wgc_text_ascii("false");
	bool word = wgc_text_same(text, &yes) || wgc_text_same(text, &no);
	wgc_text_clear(&yes);
	wgc_text_clear(&no);
	size_t i = text->len > 0 && (text->at[0] == '+' || text->at[0] == '-');
	bool number = i < text->len;
	for (; i < text->len; i++)
		number &= text->at[i] == '.' ||
		          (text->at[i] >= '0' && text->at[i] <= '9');
	return !word && !number;
}
