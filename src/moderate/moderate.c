/* moderate.c - strip, mark, cut. The only file that knows PCRE2.
 *
 * PCRE2 is used with care (each of these was a measured hole elsewhere): the
 * interpreter and not the JIT, which ignores heap and depth limits; UTF without
 * UCP, with which Chinese letters would be \w and `请ignore` have no \b; limits
 * on match, depth and heap, and a budget of our own, because the match limit
 * starts anew at every position of the text; and every answer that is not
 * "no match" counts as a match. */
#include "../allocator.h"
#include "../json/copy.h"

#include <string.h>
#include <wicketgate/moderate.h>
#include <wicketgate/table.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
	MATCH_LIMIT = 100000,  /* steps from one position of the text */
	DEPTH_LIMIT = 1000,
	HEAP_LIMIT_KIB = 1024,
	/* Entries into gaps per moderated input, over all patterns and readings.
	 * Honest text has a few a line at most; a megabyte of `ignore all ` has
	 * several hundred thousand, each worth hundreds of steps (M9). */
	GAP_BUDGET = 50000,
};

struct wkg_moderator {
	wkg_allocator allocator;
	wkg_profile profile;
	wkg_warning_sink sink;
	pcre2_general_context *context;
	pcre2_code *codes[WKG_PATTERN_COUNT];
};

struct wkg_moderator_scratch {
	wkg_allocator allocator;
	pcre2_match_context *limits;
	pcre2_match_data *match;
	size_t gaps; /* entered in this call so far */
};

/* ---- set-up ------------------------------------------------------------- */

static void *
acquire(PCRE2_SIZE size, void *data)
{
	const wkg_allocator *a = data;
	return a->acquire(a->ctx, size);
}

static void
release(void *ptr, void *data)
{
	const wkg_allocator *a = data;
	if (ptr != NULL)
		a->release(a->ctx, ptr);
}

static wkg_status
compile(wkg_moderator *m)
{
	const uint32_t options = PCRE2_UTF | PCRE2_NEVER_UCP |
	                         PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY;
	const wkg_pattern *patterns = wkg_moderate_patterns();
	pcre2_compile_context *compiling = pcre2_compile_context_create(m->context);
	int error = compiling == NULL ? PCRE2_ERROR_NOMEMORY : 0;

	for (size_t i = 0; error == 0 && i < WKG_PATTERN_COUNT; i++) {
		int code;
		PCRE2_SIZE offset;
		m->codes[i] = pcre2_compile((PCRE2_SPTR)patterns[i].pattern,
		                            PCRE2_ZERO_TERMINATED, options,
		                            &code, &offset, compiling);
		if (m->codes[i] == NULL)
			error = code;
	}
	pcre2_compile_context_free(compiling);
	if (error == 0)
		return WKG_OK;
	bool memory = error == PCRE2_ERROR_NOMEMORY ||
	              error == PCRE2_ERROR_HEAP_FAILED;
	return memory ? WKG_E_MEMORY : WKG_E_UNSUPPORTED;
}

wkg_status
wkg_moderator_new(wkg_moderator **out, wkg_profile profile,
                  wkg_warning_sink sink, const wkg_allocator *allocator)
{
	wkg_allocator a = wkg__allocator_or_malloc(allocator);
	if (out == NULL || sink.warn == NULL || !wkg__profile_known(profile))
		return WKG_E_ARGUMENT;

	wkg_moderator *m = a.acquire(a.ctx, sizeof *m);
	if (m == NULL)
		return WKG_E_MEMORY;
	memset(m, 0, sizeof *m);
	m->allocator = a;
	m->profile = profile;
	m->sink = sink;
	m->context = pcre2_general_context_create(acquire, release, &m->allocator);
	wkg_status status = m->context == NULL ? WKG_E_MEMORY : compile(m);
	if (status != WKG_OK) {
		wkg_moderator_free(m);
		return status;
	}
	*out = m;
	return WKG_OK;
}

void
wkg_moderator_free(wkg_moderator *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < WKG_PATTERN_COUNT; i++)
		pcre2_code_free(m->codes[i]);
	pcre2_general_context_free(m->context);
	wkg_allocator allocator = m->allocator;
	allocator.release(allocator.ctx, m);
}

static int
count_gap(pcre2_callout_block *block, void *data)
{
	wkg_moderator_scratch *scratch = data;
	(void)block;
	return ++scratch->gaps > GAP_BUDGET ? PCRE2_ERROR_CALLOUT : 0;
}

wkg_status
wkg_moderator_scratch_new(wkg_moderator_scratch **out, const wkg_moderator *m)
{
	if (out == NULL || m == NULL)
		return WKG_E_ARGUMENT;
	wkg_moderator_scratch *s = m->allocator.acquire(m->allocator.ctx, sizeof *s);
	if (s == NULL)
		return WKG_E_MEMORY;
	s->allocator = m->allocator;
	s->gaps = 0;
	s->limits = pcre2_match_context_create(m->context);
	s->match = pcre2_match_data_create(1, m->context);
	if (s->limits == NULL || s->match == NULL) {
		wkg_moderator_scratch_free(s);
		return WKG_E_MEMORY;
	}
	pcre2_set_match_limit(s->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(s->limits, DEPTH_LIMIT);
	pcre2_set_heap_limit(s->limits, HEAP_LIMIT_KIB);
	pcre2_set_callout(s->limits, count_gap, s);
	*out = s;
	return WKG_OK;
}

void
wkg_moderator_scratch_free(wkg_moderator_scratch *s)
{
	if (s == NULL)
		return;
	pcre2_match_data_free(s->match);
	pcre2_match_context_free(s->limits);
	wkg_allocator allocator = s->allocator;
	allocator.release(allocator.ctx, s);
}

/* ---- readings ----------------------------------------------------------- */

/* How a text is read before patterns are matched against it (M2). */
typedef enum reading {
	READ_STRIPPED = 0, /* as it will be delivered: M1 */
	READ_JOINED,       /* hidden characters deleted: 忽<ZWJ>略 */
	READ_SPACED,       /* each run of them a space: ignore<ZWSP>all */
	READ_SEEN,         /* those that show as a blank a space, others deleted */
} reading;

/* Hidden from a matcher, and a gap to the eye: fillers and blank patterns. With
 * ZWSP inside words and these between them neither JOINED nor SPACED reads what
 * the reviewer does. */
static bool
shows_as_blank(uint32_t code)
{
	return code == 0x115F || code == 0x1160 || code == 0x2800 ||
	       code == 0x3164 || code == 0xFFA0 || code == 0x1D159;
}

/* One text of the input, and where its readings are written. */
typedef struct passage {
	wkg_span in;
	size_t from; /* of its first character */
	size_t to;
	const wkg__notation *notation;
	wkg_buf view;
} passage;

/* What one character of the input adds to a reading: its code, or nothing. */
static bool
read_as(reading how, uint32_t code, bool *in_run, uint32_t *read)
{
	uint32_t hidden = how == READ_STRIPPED ? WKG_SET_STRIP_OUTPUT :
	                                         WKG_SET_MATCH_IGNORABLE;
	bool is_hidden = wkg_table_sets(code) & hidden;
	bool first = is_hidden && !*in_run;
	*in_run = is_hidden;
	*read = is_hidden ? ' ' : code;
	return !is_hidden || (how == READ_SPACED && first) ||
	       (how == READ_SEEN && shows_as_blank(code));
}

static wkg_status
write_view(passage *p, reading how)
{
	bool in_run = false;
	p->view.len = 0;
	for (size_t at = p->from;;) {
		wkg_char c = p->notation->read(p->in, at);
		if (c.len == 0)
			return WKG_OK;
		at += c.len;
		uint32_t read;
		if (read_as(how, c.code, &in_run, &read))
			WKG_TRY(wkg__put(&p->view, read));
	}
}

/* The offset in the input of the character at `view_at` in a reading. */
static size_t
source_of(const passage *p, reading how, size_t view_at)
{
	bool in_run = false;
	size_t written = 0;
	for (size_t at = p->from;;) {
		wkg_char c = p->notation->read(p->in, at);
		uint32_t read;
		if (c.len == 0)
			return p->to;
		if (read_as(how, c.code, &in_run, &read)) {
			if (written >= view_at)
				return at;
			written += wkg_utf8_units(read, WKG_UNIT_BYTE);
		}
		at += c.len;
	}
}

/* ---- one input ---------------------------------------------------------- */

typedef struct job {
	const wkg_moderator *moderator;
	wkg_moderator_scratch *scratch;
	wkg_moderate_report *report;
	wkg__copy copy;
	const wkg_json_token *token; /* NULL for a plain text */
} job;

static void
find(job *j, wkg_finding_kind kind, const char *pattern, size_t from, size_t to)
{
	wkg_moderate_report *r = j->report;
	switch (kind) {
	case WKG_FINDING_SUSPICIOUS: r->suspicious++; r->flagged = true; break;
	case WKG_FINDING_TRUNCATED: r->cut++; r->truncated = true; break;
	case WKG_FINDING_TOO_DEEP: r->too_deep++; break;
	case WKG_FINDING_INVALID: break;
	}
	if (r->finding_count == WKG_FINDINGS_MAX)
		return;
	wkg_finding *f = &r->findings[r->finding_count++];
	f->kind = kind;
	f->pattern = pattern;
	f->from = from;
	f->to = to;
	f->path.len = 0;
	f->path.cut = false;
	if (j->token != NULL)
		f->path = wkg_json_path_of(&j->copy.reader, j->token);
}

/* Match one pattern; true if the text has to be marked. */
static bool
match(job *j, const passage *p, reading how, size_t pattern)
{
	const pcre2_code *code = j->moderator->codes[pattern];
	int rc = pcre2_match(code, p->view.ptr, p->view.len, 0, 0,
	                     j->scratch->match, j->scratch->limits);
	if (rc == PCRE2_ERROR_NOMATCH)
		return false;
	const PCRE2_SIZE *range = pcre2_get_ovector_pointer(j->scratch->match);
	if (rc < 0 || range[0] > range[1] || range[1] > p->view.len) {
		find(j, WKG_FINDING_SUSPICIOUS, "gave-up", p->from, p->to);
		return true;
	}
	size_t from = source_of(p, how, range[0]);
	size_t to = source_of(p, how, range[1]);
	find(j, WKG_FINDING_SUSPICIOUS, wkg_moderate_patterns()[pattern].id, from, to);
	return true;
}

/* All patterns on one reading. `seen` keeps a pattern that both readings match
 * from being reported twice. */
static wkg_status
match_reading(job *j, passage *p, reading how, bool seen[WKG_PATTERN_COUNT],
              bool *marked)
{
	WKG_TRY(write_view(p, how));
	for (size_t i = 0; i < WKG_PATTERN_COUNT; i++)
		if (!seen[i] && match(j, p, how, i))
			*marked = seen[i] = true;
	return WKG_OK;
}

static wkg_status
is_suspicious(job *j, passage *p, bool *marked)
{
	/* With READ_STRIPPED among them, hardened marks whatever the reference
	 * marks. */
	static const reading more[] = { READ_SPACED, READ_SEEN, READ_STRIPPED };
	bool seen[WKG_PATTERN_COUNT] = { false };
	*marked = false;
	if (j->moderator->profile == WKG_PROFILE_REFERENCE)
		return match_reading(j, p, READ_STRIPPED, seen, marked);
	WKG_TRY(match_reading(j, p, READ_JOINED, seen, marked));
	size_t joined = p->view.len;
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		WKG_TRY(write_view(p, more[i]));
		if (p->view.len != joined) /* else nothing in it is hidden */
			WKG_TRY(match_reading(j, p, more[i], seen, marked));
	}
	return WKG_OK;
}

static const wkg_span mark = WKG_LIT(WKG_MODERATE_MARK);
static const wkg_span cut = WKG_LIT(WKG_MODERATE_CUT);

static size_t
count_characters(wkg_span text)
{
	size_t count = 0;
	for (size_t at = 0; at < text.len; count++)
		at += wkg_utf8_decode(text, at).len;
	return count;
}

/* Where the characters that are kept end in the input. */
static size_t
end_of_kept(const passage *p, const wkg__rule *rule)
{
	size_t room = rule->limit, at = p->from;
	for (;; ) {
		wkg_char c = p->notation->read(p->in, at);
		bool stripped = wkg_table_sets(c.code) & rule->strip;
		if (c.len == 0 || (!stripped && room == 0))
			return at;
		room -= !stripped;
		at += c.len;
	}
}

/* Write what a reviewer sees. The mark counts toward the limit, the notice of
 * a cut stands behind it (M4). */
static wkg_status
deliver(job *j, const passage *p, bool marked, const wkg__rule *rule,
        bool is_cut)
{
	wkg_sanitize_report ignored = { 0 };
	if (marked)
		WKG_TRY(wkg__append(&j->copy.out, mark.ptr, mark.len));
	WKG_TRY(wkg__sanitize(&j->copy.out, p->in, p->from, p->notation, rule, &ignored));
	if (!is_cut)
		return WKG_OK;
	find(j, WKG_FINDING_TRUNCATED, "", end_of_kept(p, rule), p->to);
	return wkg__append(&j->copy.out, cut.ptr, cut.len);
}

/* Look at one text: is it to be marked, and does anything about it change? */
static wkg_status
examine(job *j, passage *p, wkg__rule *rule, bool *marked,
        wkg_sanitize_report *done)
{
	WKG_TRY(is_suspicious(j, p, marked));
	rule->strip = WKG_SET_STRIP_OUTPUT;
	rule->unit = WKG_UNIT_CODEPOINT;
	rule->limit = WKG_MODERATE_LIMIT;
	if (*marked)
		rule->limit -= count_characters(mark);
	return wkg__sanitize(NULL, p->in, p->from, p->notation, rule, done);
}

static void
clear(wkg_moderate_report *r)
{
	r->flagged = r->truncated = false;
	r->suspicious = r->cut = r->too_deep = r->finding_count = 0;
	r->error.at = r->error.first = 0;
	r->error.what = "";
}

size_t
wkg_moderate_bound(size_t n)
{
	/* The worst are empty strings of a document while the matcher gives up
	 * on everything, out of memory: `"",` gains a mark of 24 bytes. */
	return wkg__add(wkg__multiply(n, 9), 64);
}

/* A view of n bytes of bad UTF-8 is three times as long; a string in a document
 * is at most the document. */
static size_t
view_size(size_t n)
{
	return wkg__multiply(n, 3);
}

size_t
wkg_moderate_work_size(size_t n)
{
	return wkg__add(view_size(n), wkg_json_work_size(n, WKG_MODERATE_DEPTH_MAX));
}

static wkg_status
check(const wkg_buf *out, wkg_span in, const wkg_moderator *m,
      const wkg_moderator_scratch *s, wkg_work work,
      wkg_moderate_report *report)
{
	if (report != NULL)
		clear(report);
	if (m == NULL || s == NULL || report == NULL)
		return WKG_E_ARGUMENT;
	WKG_TRY(wkg__check_spans(out, in));
	if (!wkg__disjoint(work.ptr, work.size, in.ptr, in.len) ||
	    !wkg__disjoint(work.ptr, work.size, out->ptr, out->cap))
		return WKG_E_ARGUMENT;
	size_t needed = wkg_moderate_work_size(in.len);
	bool fits = work.ptr != NULL && needed != SIZE_MAX && work.size >= needed;
	return fits ? WKG_OK : WKG_E_SPACE;
}

static job
begin(const wkg_buf *out, const wkg_moderator *m, wkg_moderator_scratch *s,
      wkg_moderate_report *report)
{
	job j = { .moderator = m, .scratch = s, .report = report };
	j.copy.out = *out;
	clear(report);
	s->gaps = 0;
	return j;
}

/* The end of every call: an answer and its warning, or neither. */
static wkg_status
end(const job *j, wkg_status status, wkg_buf *out)
{
	if (status != WKG_OK) {
		wkg_json_error error = j->copy.reader.error;
		clear(j->report);
		if (error.what != NULL)
			j->report->error = error;
		return status;
	}
	*out = j->copy.out;
	if (j->report->finding_count > 0)
		j->moderator->sink.warn(j->moderator->sink.ctx, j->report);
	return WKG_OK;
}

static wkg_status
moderate_text(job *j, passage *p)
{
	wkg__rule rule;
	wkg_sanitize_report done = { 0 };
	bool marked;
	WKG_TRY(examine(j, p, &rule, &marked, &done));
	return deliver(j, p, marked, &rule, done.truncated > 0);
}

wkg_status
wkg_moderate(wkg_buf *out, wkg_span text, const wkg_moderator *m,
             wkg_moderator_scratch *s, wkg_work work,
             wkg_moderate_report *report)
{
	WKG_TRY(check(out, text, m, s, work, report));

	job j = begin(out, m, s, report);
	passage p = { text, 0, text.len, &wkg__plain_text, { work.ptr, 0, view_size(text.len) } };
	return end(&j, moderate_text(&j, &p), out);
}

/* ---- documents ---------------------------------------------------------- */

/* A string: copied as it stands if it is clean, else written anew between its
 * own quotes. */
static wkg_status
moderate_string(job *j, passage *p)
{
	wkg__rule rule;
	wkg_sanitize_report done = { 0 };
	bool marked;

	p->from = j->token->from + 1;
	p->to = j->token->to - 1;
	WKG_TRY(examine(j, p, &rule, &marked, &done));
	if (!marked && done.stripped + done.replaced + done.truncated == 0)
		return WKG_OK;
	WKG_TRY(wkg__copy_until(&j->copy, p->from));
	j->copy.copied = p->to;
	return deliver(j, p, marked, &rule, done.truncated > 0);
}

/* Kept as it is and said so: dropped, it would look reviewed (M7). */
static wkg_status
too_deep(job *j)
{
	size_t to = j->token->to;
	if (j->token->kind != WKG_JSON_STRING)
		WKG_TRY(wkg__copy_skip(&j->copy, j->token, &to));
	find(j, WKG_FINDING_TOO_DEEP, "", j->token->from, to);
	return WKG_OK;
}

static wkg_status
moderate_document(job *j, passage *p)
{
	wkg_json_token token;
	j->token = &token;
	for (;;) {
		WKG_TRY(wkg_json_next(&j->copy.reader, &token));
		bool deep = token.depth >= WKG_MODERATE_DEPTH_MAX;
		switch (token.kind) {
		case WKG_JSON_OBJECT_BEGIN:
		case WKG_JSON_ARRAY_BEGIN:
			if (deep)
				WKG_TRY(too_deep(j));
			break;
		case WKG_JSON_STRING:
			WKG_TRY(deep ? too_deep(j) : moderate_string(j, p));
			break;
		case WKG_JSON_DONE:
			return wkg__copy_until(&j->copy, token.to);
		case WKG_JSON_NAME: /* names bind to form fields: not changed */
		case WKG_JSON_OBJECT_END:
		case WKG_JSON_ARRAY_END:
		case WKG_JSON_NUMBER:
		case WKG_JSON_TRUE:
		case WKG_JSON_FALSE:
		case WKG_JSON_NULL:
		case WKG_JSON_INVALID:
			break;
		}
	}
}

wkg_status
wkg_moderate_json(wkg_buf *out, wkg_span json, const wkg_moderator *m,
                  wkg_moderator_scratch *s, wkg_work work,
                  wkg_moderate_report *report)
{
	WKG_TRY(check(out, json, m, s, work, report));

	wkg_json_names names = m->profile == WKG_PROFILE_REFERENCE ?
	                       WKG_JSON_NAMES_REFERENCE : WKG_JSON_NAMES_HARDENED;
	size_t view = view_size(json.len);
	wkg_work rest = { (uint8_t *)work.ptr + view, work.size - view };
	job j = begin(out, m, s, report);
	passage p = { json, 0, 0, &wkg__json_string, { work.ptr, 0, view } };

	WKG_TRY(wkg_json_open(&j.copy.reader, json, names, WKG_MODERATE_DEPTH_MAX, rest));
	return end(&j, moderate_document(&j, &p), out);
}
