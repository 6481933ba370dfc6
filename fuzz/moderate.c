/* moderate.c - the guarantees of moderate.h, string by string.
 *
 * What is found is compared with PCRE2 run in another way: over readings that
 * are built here, by its JIT compiler instead of its interpreter, without the
 * library's limits. What is delivered follows from what was found, and is
 * compared with the slow twin. What letters read as is the library's own table,
 * which conformance/letters.py checks. Where the library's matcher gave up there is
 * nothing to compare, and only the rest is checked.
 *
 * Input: four options, then a text or a document:
 *   memory   0 enough  1 none while matching  n the (n-1)th request of setting
 *            up a moderator is refused, which is then thrown away (up to 255)
 *   profile  0 reference  1 hardened
 *   kind     0 text  1 JSON document
 *   before   bytes that are in the output already (0..31)
 * A document that starts with `{` or `[` needs no options: enough memory,
 * hardened, and nothing before. */
#include "model.h"

#include "../src/moderate/letters.h"

#include <wicketgate/moderate.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

typedef struct job {
	wkg_span in;
	wkg_profile profile;
	bool document;
	bool starved;
	size_t before;
	const wkg_moderator *moderator;
	wkg_moderator_scratch *scratch;
	wkg_work work;
	wkg_moderate_report report;
} job;

/* ---- an allocator that can be made to fail --------------------------- */

typedef struct memory {
	size_t requests;
	size_t fail_at; /* this request is refused; 0: none */
	bool refuse_all;
	size_t live;
} memory;

static void *
acquire(void *ctx, size_t size)
{
	memory *m = ctx;
	if (++m->requests == m->fail_at || m->refuse_all)
		return NULL;
	void *ptr = malloc(size);
	CHECK(ptr != NULL);
	m->live++;
	return ptr;
}

static void
release(void *ctx, void *ptr)
{
	memory *m = ctx;
	CHECK(ptr != NULL);
	m->live--;
	free(ptr);
}

static unsigned warnings;

static void
count_warning(void *ctx, const wkg_moderate_report *report)
{
	CHECK(ctx == &warnings);
	CHECK(report->suspicious + report->cut + report->too_deep > 0);
	warnings++;
}

static const wkg_warning_sink sink = { count_warning, &warnings };

/* Setting up under a failing allocator: an error or a moderator, no leak. */
static void
sets_up_or_says_no(wkg_profile profile, size_t fail_at)
{
	memory m = { .fail_at = fail_at };
	wkg_allocator allocator = { acquire, release, &m };
	wkg_moderator *moderator = NULL;
	wkg_moderator_scratch *scratch = NULL;

	wkg_status status = wkg_moderator_new(&moderator, profile, sink,
	                                      &allocator);
	CHECK((status == WKG_OK) == (moderator != NULL));
	if (status == WKG_OK) {
		status = wkg_moderator_scratch_new(&scratch, moderator);
		CHECK((status == WKG_OK) == (scratch != NULL));
	}
	CHECK(status == WKG_OK || status == WKG_E_MEMORY);
	CHECK(status == WKG_E_MEMORY || m.requests < fail_at);
	wkg_moderator_scratch_free(scratch);
	wkg_moderator_free(moderator);
	CHECK(m.live == 0);
}

/* ---- made once ------------------------------------------------------- */

typedef struct kept {
	wkg_moderator *moderator;
	wkg_moderator_scratch *scratch;
} kept;

static kept with_memory[2], without_memory[2]; /* by profile */
static memory plenty, none;
static pcre2_code *oracles[WKG_PATTERN_COUNT];
static pcre2_match_data *oracle_match;

static void
make(kept *k, wkg_profile profile, memory *m)
{
	wkg_allocator allocator = { acquire, release, m };
	CHECK(wkg_moderator_new(&k->moderator, profile, sink, &allocator) ==
	      WKG_OK);
	CHECK(wkg_moderator_scratch_new(&k->scratch, k->moderator) == WKG_OK);
}

static pcre2_code *
compile(const char *pattern)
{
	int error;
	PCRE2_SIZE at;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern,
	                                 PCRE2_ZERO_TERMINATED, PCRE2_UTF,
	                                 &error, &at, NULL);
	CHECK(code != NULL);
#ifndef WKG_FUZZ_NO_JIT /* valgrind objects to how its code reads ahead */
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
#endif
	return code;
}

static void
make_all(void)
{
	if (oracle_match != NULL)
		return;
	for (int i = 0; i < 2; i++) {
		make(&with_memory[i], (wkg_profile)(i + 1), &plenty);
		make(&without_memory[i], (wkg_profile)(i + 1), &none);
	}
	none.refuse_all = true;
	for (size_t i = 0; i < WKG_PATTERN_COUNT; i++)
		oracles[i] = compile(wkg_moderate_patterns()[i].pattern);
	oracle_match = pcre2_match_data_create(1, NULL);
	CHECK(oracle_match != NULL);
}

/* ---- the call -------------------------------------------------------- */

static void
counts_add_up(const job *j)
{
	const wkg_moderate_report *r = &j->report;
	size_t all = r->suspicious + r->cut + r->too_deep;
	CHECK(r->flagged == (r->suspicious > 0));
	CHECK(r->truncated == (r->cut > 0));
	CHECK(r->finding_count ==
	      (all < WKG_FINDINGS_MAX ? all : WKG_FINDINGS_MAX));
	CHECK(warnings == (all > 0));
}

static bool
says_nothing(const wkg_moderate_report *r)
{
	return !r->flagged && !r->truncated && r->suspicious == 0 &&
	       r->cut == 0 && r->too_deep == 0 && r->finding_count == 0;
}

static wkg_status
moderate(wkg_buf *out, void *data)
{
	job *j = data;
	memset(&j->report, 0, sizeof(j->report));
	j->report.flagged = j->report.truncated = true;
	j->report.cut = j->report.finding_count = 7;
	warnings = 0;

	wkg_status status = (j->document ? wkg_moderate_json : wkg_moderate)(
		out, j->in, j->moderator, j->scratch, j->work, &j->report);
	if (status == WKG_OK) {
		counts_add_up(j);
	} else {
		CHECK(warnings == 0);
		CHECK(status == WKG_E_SPACE || says_nothing(&j->report));
	}
	return status;
}

/* ---- one text -------------------------------------------------------- */

/* The characters of a text and the offset of each in the input; that of the
 * end comes last. */
typedef struct passage {
	check_chars chars;
	size_t *from;
} passage;

static size_t *
offsets_new(size_t n)
{
	size_t *offsets = malloc((n + 1) * sizeof(size_t));
	CHECK(offsets != NULL);
	return offsets;
}

static passage
passage_of_text(wkg_span text)
{
	passage p = { check_chars_new(text.len), offsets_new(text.len) };
	for (size_t at = 0; at < text.len;) {
		wkg_char c = check_decode(text, at);
		p.from[p.chars.len] = at;
		check_chars_add(&p.chars, c);
		at += c.len;
	}
	p.from[p.chars.len] = text.len;
	return p;
}

static passage
passage_of_string(const model_reading *r)
{
	wkg_span string = model_token_text(r);
	passage p = { .from = offsets_new(string.len) };
	p.chars = model_json_chars_from(string, p.from);
	p.from[p.chars.len] = string.len - 1;
	for (size_t i = 0; i <= p.chars.len; i++)
		p.from[i] += r->token.from;
	return p;
}

static void
passage_free(passage *p)
{
	free(p->chars.code);
	free(p->from);
}

/* M1: the reference set without ZWNJ and ZWJ. */
static bool
is_stripped(uint32_t c)
{
	return model_reference_strips(c) && c != 0x200C && c != 0x200D;
}

/* M2: what the patterns do not see. */
static bool
is_unread(wkg_profile profile, uint32_t c)
{
	if (profile == WKG_PROFILE_REFERENCE)
		return is_stripped(c);
	return (wkg_table_sets(c) & WKG_SET_MATCH_IGNORABLE) != 0;
}

/* ---- what must be found ---------------------------------------------- */

/* A reading and, for each of its bytes, where in the input the character that
 * it belongs to begins. */
typedef struct view {
	wkg_buf text;
	size_t *from;
} view;

static void
view_put(view *v, uint32_t code, size_t from)
{
	size_t start = v->text.len;
	check_encode(&v->text, code);
	for (size_t i = start; i < v->text.len; i++)
		v->from[i] = from;
}

enum how { JOINED, SPACED, SEEN, EVEN = 4 };

static bool
is_blank(uint32_t c)
{
	return c == 0x115F || c == 0x1160 || c == 0x2800 || c == 0x3164 ||
	       c == 0xFFA0 || c == 0x1D159;
}

static bool
is_space(uint32_t c)
{
	return c == ' ' || c == '\t' || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
	       c == 0x202F || c == 0x205F || c == 0x3000;
}

/* A character of a reading, or what it reads as. */
static void
view_put_letters(view *v, uint32_t code, size_t from, bool folded)
{
	wkg__letters letters = wkg__read_letter(code);
	if (!folded) {
		view_put(v, code, from);
		return;
	}
	for (size_t i = 0; i < letters.count; i++)
		view_put(v, letters.code[i], from);
}

static view
view_of(const passage *p, wkg_profile profile, int hows, bool folded)
{
	enum how how = (enum how)(hows & ~EVEN);
	size_t room = 12 * p->chars.len;
	view v = { check_buf(room), offsets_new(room) };
	bool in_run = false;
	for (size_t i = 0; i < p->chars.len; i++) {
		uint32_t c = p->chars.code[i];
		bool unread = is_unread(profile, c);
		size_t start = v.text.len;
		if ((hows & EVEN) && is_space(c))
			view_put(&v, ' ', p->from[i]);
		else if (!unread)
			view_put_letters(&v, c, p->from[i], folded);
		else if ((how == SPACED && !in_run) ||
		         (how == SEEN && is_blank(c)))
			view_put(&v, ' ', p->from[i]);
		if ((hows & EVEN) && start > 0 && v.text.len > start &&
		    v.text.ptr[start] == ' ' && v.text.ptr[start - 1] == ' ')
			v.text.len = start; /* one is enough */
		in_run = unread;
	}
	v.from[v.text.len] = p->from[p->chars.len];
	return v;
}

/* What is expected so far, compared with what is reported. */
typedef struct expected {
	const wkg_moderate_report *report;
	bool exact; /* everything that was found is in the report */
	size_t suspicious;
	size_t cut;
	size_t too_deep;
} expected;

static void
expect(expected *e, wkg_finding_kind kind, const char *pattern, size_t from,
       size_t to)
{
	size_t i = e->suspicious + e->cut + e->too_deep;
	e->suspicious += kind == WKG_FINDING_SUSPICIOUS;
	e->cut += kind == WKG_FINDING_TRUNCATED;
	e->too_deep += kind == WKG_FINDING_TOO_DEEP;
	if (!e->exact)
		return;
	CHECK(i < e->report->finding_count);
	const wkg_finding *got = &e->report->findings[i];
	CHECK(got->kind == kind);
	CHECK(strcmp(got->pattern, pattern) == 0);
	CHECK(got->from == from && got->to == to);
}

/* Does pattern `i` match this reading? */
static bool
matches(const view *v, size_t i, PCRE2_SIZE **range)
{
	static const uint8_t nothing[1];
	int rc = pcre2_match(oracles[i], v->text.len > 0 ? v->text.ptr : nothing,
	                     v->text.len, 0, 0, oracle_match, NULL);
	CHECK(rc >= 0 || rc == PCRE2_ERROR_NOMATCH);
	*range = pcre2_get_ovector_pointer(oracle_match);
	return rc >= 0;
}

/* Where the character that view byte `at - 1` is of ends in the source. */
static size_t
source_end(const view *v, size_t at)
{
	while (at > 0 && at < v->text.len && v->from[at] == v->from[at - 1])
		at++;
	return v->from[at];
}

static void
search(expected *e, const passage *p, wkg_profile profile, int how,
       bool folded, bool seen[WKG_PATTERN_COUNT])
{
	view v = view_of(p, profile, how, folded);
	PCRE2_SIZE *range;
	for (size_t i = 0; i < WKG_PATTERN_COUNT; i++) {
		if (seen[i] || !matches(&v, i, &range))
			continue;
		seen[i] = true;
		expect(e, WKG_FINDING_SUSPICIOUS, wkg_moderate_patterns()[i].id,
		       v.from[range[0]], source_end(&v, range[1]));
	}
	free(v.text.ptr);
	free(v.from);
}

/* M6: does the text, as it is read, begin with a mark? */
static void
look_for_mark(expected *e, const passage *p)
{
	static const uint32_t read_mark[] = { 0x26A0, 0x3010, 0x7591, 0x4F3C, 0x6CE8, 0x5165, 0x3011 };
	size_t count = sizeof(read_mark) / sizeof(*read_mark), found = 0, from = 0;
	for (size_t i = 0; i < p->chars.len; i++) {
		uint32_t c = p->chars.code[i];
		if (is_unread(WKG_PROFILE_HARDENED, c))
			continue;
		if (found == count) {
			expect(e, WKG_FINDING_SUSPICIOUS, "marked-before", from, p->from[i]);
			return;
		}
		if (c != read_mark[found])
			return;
		if (found++ == 0)
			from = p->from[i];
	}
	if (found == count)
		expect(e, WKG_FINDING_SUSPICIOUS, "marked-before", from, p->from[p->chars.len]);
}

/* M2: eight in a row that say something to whoever reads code points only. */
static void
look_for_hidden_run(expected *e, const passage *p)
{
	for (size_t i = 0, first = 0; i <= p->chars.len; i++) {
		uint32_t c = i < p->chars.len ? p->chars.code[i] : 'a';
		if (is_unread(WKG_PROFILE_HARDENED, c) && !is_blank(c) &&
		    c >= 0xA0 && c != 0x2028 && c != 0x2029)
			continue;
		if (i - first >= 8) {
			expect(e, WKG_FINDING_SUSPICIOUS, "hidden-run", p->from[first], p->from[i]);
			return;
		}
		first = i + 1;
	}
}

static void
search_hardened(expected *e, const passage *p, bool seen[WKG_PATTERN_COUNT])
{
	wkg_profile hardened = WKG_PROFILE_HARDENED;
	search(e, p, hardened, JOINED, false, seen);
	search(e, p, hardened, SPACED, false, seen);
	search(e, p, hardened, SEEN, false, seen);
	search(e, p, WKG_PROFILE_REFERENCE, JOINED, false, seen);
	search(e, p, hardened, JOINED, true, seen);
	search(e, p, hardened, SPACED, true, seen);
	search(e, p, hardened, SEEN, true, seen);
	search(e, p, hardened, JOINED | EVEN, false, seen);
	search(e, p, hardened, JOINED | EVEN, true, seen);
	search(e, p, hardened, SPACED | EVEN, true, seen);
}

/* True if the text has to be marked. A matcher without memory gives up. */
static bool
is_suspicious(expected *e, const job *j, const passage *p)
{
	bool seen[WKG_PATTERN_COUNT] = { false };
	size_t before = e->suspicious;
	for (size_t i = 0; j->starved && i < WKG_PATTERN_COUNT; i++)
		expect(e, WKG_FINDING_SUSPICIOUS, "gave-up", p->from[0],
		       p->from[p->chars.len]);
	if (!j->starved && j->profile == WKG_PROFILE_REFERENCE)
		search(e, p, j->profile, JOINED, false, seen);
	else if (!j->starved)
		search_hardened(e, p, seen);
	if (j->profile == WKG_PROFILE_HARDENED) {
		look_for_hidden_run(e, p);
		look_for_mark(e, p);
	}
	return e->suspicious > before;
}

/* ---- what must be delivered ------------------------------------------ */

static void
put_literal(check_chars *to, const char *literal)
{
	wkg_span text = { (const uint8_t *)literal, strlen(literal) };
	check_chars more = check_chars_of(text);
	for (size_t i = 0; i < more.len; i++)
		to->code[to->len++] = more.code[i];
	free(more.code);
}

/* M1, M4: stripped, marked, cut. `cut_from` is where in the input what is not
 * delivered begins; its end if everything is. */
static check_chars
delivered(const passage *p, bool marked, size_t *cut_from)
{
	check_chars out = check_chars_new(p->chars.len + 64);
	bool is_cut = false;
	size_t end = p->from[p->chars.len];
	if (marked)
		put_literal(&out, WKG_MODERATE_MARK);
	*cut_from = end;
	for (size_t i = 0; i < p->chars.len && !is_cut; i++) {
		uint32_t c = p->chars.code[i];
		if (is_stripped(c))
			continue;
		is_cut = out.len == WKG_MODERATE_LIMIT;
		if (is_cut)
			*cut_from = p->from[i];
		else
			out.code[out.len++] = c;
	}
	if (is_cut)
		put_literal(&out, WKG_MODERATE_CUT);
	return out;
}

static bool
is_unchanged(const passage *p, const check_chars *out)
{
	return p->chars.ill_formed == 0 && out->len == p->chars.len &&
	       memcmp(out->code, p->chars.code,
	              out->len * sizeof(*out->code)) == 0;
}

/* What comes of a passage in its notation. `raw` is how it stands in the
 * input: a string that need not change is copied. */
static wkg_buf
written(const job *j, const passage *p, const check_chars *out, wkg_span raw)
{
	if (!j->document)
		return check_text_of(out);
	return is_unchanged(p, out) ? check_copy(raw) : model_json_quote(out);
}

static bool
is_delivered(const job *j, const passage *p, bool marked, wkg_span raw,
             wkg_span got, size_t *cut_from)
{
	check_chars out = delivered(p, marked, cut_from);
	wkg_buf want = written(j, p, &out, raw);
	bool same = check_same(got, wkg_buf_span(&want));
	free(want.ptr);
	free(out.code);
	return same;
}

/* One text of the input against what became of it. */
static void
holds_for(const job *j, const passage *p, wkg_span raw, wkg_span got,
          expected *e)
{
	size_t end = p->from[p->chars.len], cut_from;
	bool marked = is_suspicious(e, j, p);
	bool same = is_delivered(j, p, marked, raw, got, &cut_from);
	/* It may have given up where the oracle did not. */
	if (!same && !e->exact)
		same = is_delivered(j, p, true, raw, got, &cut_from);
	CHECK(same);
	if (cut_from < end)
		expect(e, WKG_FINDING_TRUNCATED, "", cut_from, end);
}

/* ---- documents ------------------------------------------------------- */

/* A value inside eight containers: byte for byte, and one finding. */
static void
holds_too_deep(model_reading *in, model_reading *out, expected *e)
{
	size_t from = in->token.from;
	size_t depth = in->token.depth;
	CHECK(check_same(model_token_text(in), model_token_text(out)));
	while (in->reader.depth > depth) {
		model_next(in);
		model_next(out);
		CHECK(check_same(model_gap_text(in), model_gap_text(out)));
		CHECK(check_same(model_token_text(in), model_token_text(out)));
	}
	expect(e, WKG_FINDING_TOO_DEEP, "", from, in->token.to);
}

static void
holds_for_token(const job *j, model_reading *in, model_reading *out,
                expected *e)
{
	bool is_string = in->token.kind == WKG_JSON_STRING;
	CHECK(in->token.kind == out->token.kind);
	CHECK(in->token.depth == out->token.depth);
	if (in->token.depth >= WKG_MODERATE_DEPTH_MAX &&
	    (is_string || model_begins_container(in))) {
		holds_too_deep(in, out, e);
	} else if (is_string) {
		passage p = passage_of_string(in);
		holds_for(j, &p, model_token_text(in), model_token_text(out),
		          e);
		passage_free(&p);
	} else {
		CHECK(check_same(model_token_text(in), model_token_text(out)));
	}
}

static void
holds_for_document(const job *j, wkg_span result, expected *e)
{
	model_reading in, out;
	model_open(&in, j->in, j->profile);
	model_open(&out, result, j->profile);
	do {
		model_next(&in);
		model_next(&out);
		CHECK(check_same(model_gap_text(&in), model_gap_text(&out)));
		holds_for_token(j, &in, &out, e);
	} while (in.token.kind != WKG_JSON_DONE);
	CHECK(out.token.to == result.len);
	free(in.memory);
	free(out.memory);
}

/* ---- the report ------------------------------------------------------ */

static bool
is_known(const char *pattern)
{
	for (size_t i = 0; i < WKG_PATTERN_COUNT; i++)
		if (strcmp(pattern, wkg_moderate_patterns()[i].id) == 0)
			return true;
	return strcmp(pattern, "gave-up") == 0 ||
	       strcmp(pattern, "hidden-run") == 0 ||
	       strcmp(pattern, "marked-before") == 0;
}

static void
findings_make_sense(const job *j)
{
	for (size_t i = 0; i < j->report.finding_count; i++) {
		const wkg_finding *f = &j->report.findings[i];
		wkg_span path = { f->path.text, f->path.len };
		CHECK(f->kind >= WKG_FINDING_SUSPICIOUS &&
		      f->kind <= WKG_FINDING_TOO_DEEP);
		CHECK(f->from <= f->to && f->to <= j->in.len);
		CHECK(f->kind == WKG_FINDING_SUSPICIOUS ? is_known(f->pattern)
		                                        : *f->pattern == '\0');
		CHECK(path.len <= WKG_JSON_PATH_MAX);
		CHECK(check_well_formed(path));
		CHECK(j->document || (path.len == 0 && !f->path.cut));
	}
}

/* Is the report complete, and did no matcher give up? Only a matcher without
 * memory does that predictably. */
static bool
is_exact(const job *j)
{
	const wkg_moderate_report *r = &j->report;
	bool gave_up = false;
	for (size_t i = 0; i < r->finding_count; i++)
		gave_up = gave_up || strcmp(r->findings[i].pattern, "gave-up") == 0;
	return r->suspicious + r->cut + r->too_deep <= WKG_FINDINGS_MAX &&
	       (j->starved || !gave_up);
}

static void
holds(const job *j, wkg_span result)
{
	expected e = { .report = &j->report, .exact = is_exact(j) };
	findings_make_sense(j);
	if (j->document) {
		holds_for_document(j, result, &e);
	} else {
		passage p = passage_of_text(j->in);
		holds_for(j, &p, j->in, result, &e);
		passage_free(&p);
	}
	if (e.exact) {
		CHECK(j->report.suspicious == e.suspicious);
		CHECK(j->report.cut == e.cut);
		CHECK(j->report.too_deep == e.too_deep);
	}
}

/* ---- twice ----------------------------------------------------------- */

/* M6: a text that comes with a mark is not taken for one that was looked at. */
static void
a_mark_hides_nothing(const job *j)
{
	static job again;
	wkg_span mark = WKG_LIT(WKG_MODERATE_MARK);
	wkg_buf text = check_buf(mark.len + j->in.len);
	memcpy(text.ptr, mark.ptr, mark.len);
	if (j->in.len > 0)
		memcpy(text.ptr + mark.len, j->in.ptr, j->in.len);
	text.len = text.cap;
	again = *j;
	again.in = wkg_buf_span(&text);
	again.work.size = wkg_moderate_work_size(text.len);
	again.work.ptr = malloc(again.work.size);
	CHECK(again.work.ptr != NULL);

	wkg_buf out;
	CHECK(check_call(moderate, &again, 0, wkg_moderate_bound(text.len),
	                 &out) == WKG_OK);
	CHECK(!j->report.flagged || again.report.flagged);
	size_t marks = 1u + again.report.flagged;
	CHECK(out.len >= marks * mark.len);
	for (size_t i = 0; i < marks; i++)
		CHECK(memcmp(out.ptr + i * mark.len, mark.ptr, mark.len) == 0);
	free(out.ptr);
	free(again.work.ptr);
	free(text.ptr);
}

/* ---- all ------------------------------------------------------------- */

static void
read_options(job *j, wkg_span in)
{
	unsigned refused = 0;
	j->profile = WKG_PROFILE_HARDENED;
	j->document = true;
	j->before = 0;
	if (in.len == 0 || (in.ptr[0] != '{' && in.ptr[0] != '[')) {
		refused = check_option(&in, 256);
		j->profile = check_profile(&in);
		j->document = check_option(&in, 2) == 1;
		j->before = check_option(&in, 32);
	}
	if (refused > 1)
		sets_up_or_says_no(j->profile, refused - 1);
	j->starved = refused == 1;
	const kept *k = j->starved ? without_memory : with_memory;
	k += j->profile == WKG_PROFILE_HARDENED;
	j->moderator = k->moderator;
	j->scratch = k->scratch;
	j->in = in;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static job j;
	make_all();
	wkg_buf input = check_input(data, size);
	read_options(&j, wkg_buf_span(&input));

	/* One byte short first, then exactly enough. */
	size_t need = wkg_moderate_work_size(j.in.len);
	size_t bound = wkg_moderate_bound(j.in.len);
	j.work.ptr = malloc(need);
	CHECK(j.work.ptr != NULL);
	j.work.size = need - 1;
	check_no_room(moderate, &j, j.before, bound);
	j.work.size = need;

	wkg_buf out;
	wkg_status status = check_append(moderate, &j, j.before, bound, &out);
	CHECK(check_well_formed(wkg_buf_span(&out)));
	if (status == WKG_OK)
		holds(&j, wkg_buf_span(&out));
	else
		model_refuses(j.in, j.profile, status, &j.report.error);
	if (status == WKG_OK && !j.document)
		a_mark_hides_nothing(&j);

	free(out.ptr);
	free(j.work.ptr);
	free(input.ptr);
	return 0;
}
