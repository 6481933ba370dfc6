/* fence.c - the guarantees of fence.h, and equality with the slow twin.
 *
 * Input: three options, then text:
 *   profile  0 reference  1 hardened
 *   before   bytes that are in the output already (0..31)
 *   label    how many of the bytes that follow are the label */
#include "model.h"

#include <wicketgate/fence.h>

#include "../src/text/guard_data.h"

enum { NEITHER = 0, LESS = 1, GREATER = 2 };

/* What a reader takes `c` for. */
static int
kind_of(wkg_profile profile, uint32_t c)
{
	if (profile == WKG_PROFILE_REFERENCE)
		return c == '<' ? LESS : c == '>' ? GREATER : NEITHER;
	uint32_t sets = wkg_table_sets(c);
	return sets & WKG_SET_LESS      ? LESS
	       : sets & WKG_SET_GREATER ? GREATER
	                                : NEITHER;
}

/* May a reader drop it? */
static bool
is_ignorable(wkg_profile profile, uint32_t c)
{
	if (profile == WKG_PROFILE_REFERENCE)
		return model_reference_strips(c);
	return (wkg_table_sets(c) & WKG_SET_FENCE_IGNORABLE) != 0;
}

/* F3's exemption: the marks of nested Chinese titles. */
static bool
is_title_mark(uint32_t c)
{
	return c >= 0x3008 && c <= 0x300B;
}

/* ---- the slow twin --------------------------------------------------- */

/* The member after members[i] in its group; `text->len` if it is the last. */
static size_t
next_member(const check_chars *text, wkg_profile profile, size_t i)
{
	int kind = kind_of(profile, text->code[i]);
	size_t next = i + 1;
	while (next < text->len && is_ignorable(profile, text->code[next]))
		next++;
	if (next < text->len && kind_of(profile, text->code[next]) == kind)
		return next;
	return text->len;
}

static bool
is_title_pair(const check_chars *text, wkg_profile profile, size_t first,
              size_t members)
{
	return profile == WKG_PROFILE_HARDENED && members == 2 &&
	       is_title_mark(text->code[first]) &&
	       is_title_mark(text->code[first + 1]);
}

/* Mark the members of the group at `first` that a space must follow. Returns
 * where to go on. */
static size_t
mark_group(const check_chars *text, wkg_profile profile, size_t first,
           bool *marked)
{
	size_t members = 0;
	size_t last = first;
	for (size_t i = first; i < text->len;
	     i = next_member(text, profile, i)) {
		last = i;
		members++;
	}
	if (members < 2 || is_title_pair(text, profile, first, members))
		return last + 1;
	for (size_t i = first; i < text->len;
	     i = next_member(text, profile, i)) {
		bool spaced = i + 1 < text->len && text->code[i + 1] == ' ';
		marked[i] = profile == WKG_PROFILE_REFERENCE || !spaced;
	}
	return last + 1;
}

/* What a guard reads in `c`; the table is conformance/guard.py's to judge. */
static wkg__guard_reading
reading_of(uint32_t c)
{
	wkg__guard_reading r = { "", "", false };
	if (is_ignorable(WKG_PROFILE_HARDENED, c))
		return r;
	if (c >= WKG__GUARD_END)
		return wkg__guard_readings[0];
	uint8_t block = wkg__guard_index[c >> WKG__GUARD_SHIFT];
	return wkg__guard_readings[wkg__guard_block[block][c & 127]];
}

/* F9: can the keyword be read with the x of text[i]? */
static bool
begins_keyword(const check_chars *text, size_t i)
{
	static const char rest[] = "pydata";
	wkg__guard_reading r = reading_of(text->code[i]);
	size_t found = 0;
	if (r.keyword[0] == '\0' || r.keyword[strlen(r.keyword) - 1] != 'x')
		return false;
	while (++i < text->len && found < 6) {
		r = reading_of(text->code[i]);
		if (r.also_passed && found > 0)
			continue;
		for (const char *c = r.keyword; *c != '\0' && found < 6; c++)
			if (*c != rest[found++])
				return false;
	}
	return found == 6;
}

/* F10: does a token begin at text[i]? */
static bool
begins_token(const check_chars *text, size_t i)
{
	char seen[64] = "";
	if (reading_of(text->code[i]).token[0] == '\0')
		return false;
	for (; i < text->len && strlen(seen) < 32; i++)
		strcat(seen, reading_of(text->code[i]).token);
	for (size_t t = 0; t < WKG__GUARD_TOKEN_COUNT; t++) {
		const char *token = wkg__guard_tokens[t];
		if (strncmp(seen, token, strlen(token)) == 0)
			return true;
	}
	return false;
}

/* The text with `mark` after each character where `begins` says so. */
static check_chars
guarded(const check_chars *text, uint32_t mark,
        bool (*begins)(const check_chars *, size_t))
{
	check_chars out = check_chars_new(2 * text->len);
	for (size_t i = 0; i < text->len; i++) {
		out.code[out.len++] = text->code[i];
		if (begins(text, i))
			out.code[out.len++] = mark;
	}
	out.ill_formed = text->ill_formed;
	return out;
}

static check_chars
spaced(const check_chars *text, wkg_profile profile)
{
	bool *marked = calloc(text->len + 1, sizeof(bool));
	CHECK(marked != NULL);
	for (size_t i = 0; i < text->len;) {
		if (kind_of(profile, text->code[i]) == NEITHER)
			i++;
		else
			i = mark_group(text, profile, i, marked);
	}

	check_chars out = check_chars_new(2 * text->len);
	for (size_t i = 0; i < text->len; i++) {
		out.code[out.len++] = text->code[i];
		if (marked[i])
			out.code[out.len++] = ' ';
	}
	out.ill_formed = text->ill_formed;
	free(marked);
	return out;
}

/* F3: keyword, then tokens, then brackets. */
static check_chars
neutralized(const check_chars *text, wkg_profile profile)
{
	if (profile == WKG_PROFILE_REFERENCE)
		return spaced(text, profile);
	check_chars one = guarded(text, '~', begins_keyword);
	check_chars two = guarded(&one, ' ', begins_token);
	check_chars out = spaced(&two, profile);
	free(one.code);
	free(two.code);
	return out;
}

/* ---- the claims, without the twin ------------------------------------ */

/* Deleting some spaces and `~`, `inserted` of them, gives the decoded input
 * back. */
static void
only_insertions(wkg_span in, wkg_span out, wkg_fence_report report)
{
	check_chars before = check_chars_of(in);
	check_chars after = check_chars_of(out);
	size_t i = 0;
	for (size_t at = 0; at < after.len; at++) {
		if (i < before.len && after.code[at] == before.code[i])
			i++;
		else
			CHECK(after.code[at] == ' ' || after.code[at] == '~');
	}
	CHECK(i == before.len);
	CHECK(after.len == before.len + report.inserted);
	CHECK(before.ill_formed == report.replaced);
	free(before.code);
	free(after.code);
}

/* F4: no two same-kind brackets are adjacent for a reader that drops what it
 * may; title marks may stand in pairs, but not in threes. */
static void
no_brackets_meet(wkg_span text, wkg_profile profile)
{
	int last = NEITHER;
	uint32_t before = 0; /* directly before, ignorable or not */
	unsigned together = 0;
	for (size_t at = 0; at < text.len;) {
		wkg_char c = check_decode(text, at);
		at += c.len;
		int kind = kind_of(profile, c.code);
		if (kind != NEITHER && kind == last) {
			CHECK(profile == WKG_PROFILE_HARDENED);
			CHECK(is_title_mark(before) && is_title_mark(c.code));
			CHECK(++together == 2);
		} else if (!is_ignorable(profile, c.code)) {
			together = kind != NEITHER;
			last = kind;
		}
		before = c.code;
	}
}

/* How often the F4 reader sees `delimiter`: ignorables dropped, every bracket
 * read as the ASCII one. */
static size_t
readings_of(wkg_span text, wkg_profile profile, const char *delimiter)
{
	wkg_buf seen = check_buf(text.len + 1);
	for (size_t at = 0; at < text.len;) {
		wkg_char c = check_decode(text, at);
		at += c.len;
		int kind = kind_of(profile, c.code);
		if (kind != NEITHER)
			seen.ptr[seen.len++] = kind == LESS ? '<' : '>';
		else if (!is_ignorable(profile, c.code))
			seen.ptr[seen.len++] = c.code < 0x80 ? (uint8_t)c.code
			                                     : '?';
	}

	size_t count = 0;
	size_t len = strlen(delimiter);
	for (size_t i = 0; i + len <= seen.len; i++)
		count += memcmp(seen.ptr + i, delimiter, len) == 0;
	free(seen.ptr);
	return count;
}

/* ---- wkg_fence_neutralize -------------------------------------------- */

typedef struct job {
	wkg_span label; /* of wkg_fence() only */
	wkg_span in;
	wkg_profile profile;
	wkg_fence_report report;
} job;

static bool
is_untouched(const wkg_fence_report *report)
{
	wkg_fence_report untouched;
	memset(&untouched, CHECK_FILL, sizeof(untouched));
	return memcmp(report, &untouched, sizeof(untouched)) == 0;
}

static wkg_status
neutralize(wkg_buf *out, void *data)
{
	job *j = data;
	memset(&j->report, CHECK_FILL, sizeof(j->report));
	wkg_status status = wkg_fence_neutralize(out, j->in, j->profile,
	                                         &j->report);
	CHECK(status == WKG_OK || is_untouched(&j->report));
	return status;
}

static void
twice_is_once(wkg_span once, wkg_profile profile)
{
	job again = { .in = once, .profile = profile };
	wkg_buf twice;
	CHECK(check_call(neutralize, &again, 0,
	                 wkg_fence_neutralize_bound(once.len),
	                 &twice) == WKG_OK);
	CHECK(check_same(wkg_buf_span(&twice), once));
	CHECK(again.report.inserted == 0 && again.report.replaced == 0);
	free(twice.ptr);
}

static void
neutralizes(wkg_span in, wkg_profile profile, size_t before)
{
	job j = { .in = in, .profile = profile };
	size_t bound = wkg_fence_neutralize_bound(in.len);
	wkg_buf out;
	CHECK(bound <= 3 * in.len);
	CHECK(check_append(neutralize, &j, before, bound, &out) == WKG_OK);

	wkg_span text = wkg_buf_span(&out);
	CHECK(check_well_formed(text));
	only_insertions(in, text, j.report);
	no_brackets_meet(text, profile);
	twice_is_once(text, profile);

	check_chars chars = check_chars_of(in);
	check_chars model = neutralized(&chars, profile);
	wkg_buf want = check_text_of(&model);
	CHECK(check_same(text, wkg_buf_span(&want)));
	free(want.ptr);
	free(model.code);
	free(chars.code);
	free(out.ptr);
}

/* ---- wkg_fence ------------------------------------------------------- */

static wkg_status
fence(wkg_buf *out, void *data)
{
	job *j = data;
	memset(&j->report, CHECK_FILL, sizeof(j->report));
	wkg_status status = wkg_fence(out, j->label, j->in, j->profile,
	                              &j->report);
	CHECK(status == WKG_OK || is_untouched(&j->report));
	return status;
}

static bool
breaks_line(uint32_t c)
{
	return (c >= '\n' && c <= '\r') || c == 0x85 || c == 0x2028 ||
	       c == 0x2029;
}

/* F5: a line break in a label becomes one space, CRLF too. */
static check_chars
on_one_line(wkg_span label)
{
	check_chars chars = check_chars_of(label);
	size_t kept = 0;
	for (size_t i = 0; i < chars.len; i++) {
		uint32_t c = chars.code[i];
		if (c == '\r' && i + 1 < chars.len && chars.code[i + 1] == '\n')
			i++;
		chars.code[kept++] = breaks_line(c) ? ' ' : c;
	}
	chars.len = kept;
	return chars;
}

static void
append(check_chars *chars, const check_chars *more)
{
	for (size_t i = 0; i < more->len; i++)
		chars->code[chars->len++] = more->code[i];
	chars->ill_formed += more->ill_formed;
}

static void
append_literal(check_chars *chars, const char *text)
{
	for (; *text != '\0'; text++)
		chars->code[chars->len++] = (uint8_t)*text;
}

static wkg_buf
segment(const job *j, wkg_fence_report *report)
{
	check_chars label = on_one_line(j->label);
	check_chars data = check_chars_of(j->in);
	check_chars label_out = neutralized(&label, j->profile);
	check_chars data_out = neutralized(&data, j->profile);
	check_chars all = check_chars_new(label_out.len + data_out.len + 64);

	append(&all, &label_out);
	append_literal(&all, "\n" WKG_FENCE_BEGIN "\n");
	append(&all, &data_out);
	append_literal(&all, "\n" WKG_FENCE_END);
	report->inserted = label_out.len - label.len + data_out.len - data.len;
	report->replaced = all.ill_formed;

	wkg_buf text = check_text_of(&all);
	free(label.code);
	free(data.code);
	free(label_out.code);
	free(data_out.code);
	free(all.code);
	return text;
}

static void
fences(wkg_span label, wkg_span in, wkg_profile profile, size_t before)
{
	job j = { .label = label, .in = in, .profile = profile };
	wkg_buf out;
	CHECK(check_append(fence, &j, before,
	                   wkg_fence_bound(label.len, in.len), &out) == WKG_OK);

	wkg_span text = wkg_buf_span(&out);
	CHECK(readings_of(text, profile, WKG_FENCE_BEGIN) == 1);
	CHECK(readings_of(text, profile, WKG_FENCE_END) == 1);

	wkg_fence_report report;
	wkg_buf want = segment(&j, &report);
	CHECK(check_same(text, wkg_buf_span(&want)));
	CHECK(j.report.inserted == report.inserted);
	CHECK(j.report.replaced == report.replaced);
	free(want.ptr);
	free(out.ptr);
}

/* ---- wkg_needs_fence ------------------------------------------------- */

static bool
cannot_speak(wkg_span value)
{
	static const wkg_span words[] = { WKG_LIT("true"), WKG_LIT("false") };
	if (check_same(value, words[0]) || check_same(value, words[1]))
		return true;

	size_t sign = value.len > 0 &&
	              (value.ptr[0] == '+' || value.ptr[0] == '-');
	size_t at = sign;
	while (at < value.len &&
	       (value.ptr[at] == '.' ||
	        (value.ptr[at] >= '0' && value.ptr[at] <= '9')))
		at++;
	return at == value.len && at > sign;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	wkg_buf input = check_input(data, size);
	wkg_span in = wkg_buf_span(&input);

	wkg_profile profile = check_profile(&in);
	size_t before = check_option(&in, 32);
	size_t split = check_option(&in, 256);
	if (split > in.len)
		split = in.len;
	wkg_span label = { in.ptr, split };
	wkg_span text = { in.ptr + split, in.len - split };

	neutralizes(in, profile, before);
	fences(label, text, profile, before);
	CHECK(wkg_needs_fence(text) == !cannot_speak(text));

	free(input.ptr);
	return 0;
}
