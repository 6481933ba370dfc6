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

#include "own.h"
#include "reading.h"

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
	/* Of users' own patterns every item is counted, for we do not know what
	 * is slow in them: this many for each pattern and reading, and for each
	 * byte of it. A gap of {0,40} before every character is within that. */
	STEPS = 1000,
	STEPS_PER_BYTE = 100,
	STEP_CALLOUT = 255, /* the number PCRE2_AUTO_CALLOUT gives */
	PATTERNS_MAX = WKG_PATTERN_COUNT + WKG_EXTENSION_COUNT + WKG_OWN_PATTERNS_MAX,
};

/* Ids of findings that no pattern makes. */
#define GAVE_UP "gave-up"
#define MARKED_BEFORE "marked-before"
#define HIDDEN_RUN "hidden-run"

/* What is looked for: the fourteen, the extension, the user's own. */
typedef struct row {
	const wkg_pattern *pattern;
	pcre2_code *code;
	bool own;
} row;

struct wkg_moderator {
	wkg_allocator allocator;
	wkg_profile profile;
	wkg_warning_sink sink;
	pcre2_general_context *context;
	row rows[PATTERNS_MAX];
	size_t count;
};

struct wkg_moderator_scratch {
	wkg_allocator allocator;
	pcre2_match_context *limits;
	pcre2_match_data *match;
	size_t gaps; /* entered in this call so far */
	size_t steps; /* left for this pattern on this reading, if it is a user's */
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

static void
add(wkg_moderator *m, const wkg_pattern *patterns, size_t count, bool own)
{
	for (size_t i = 0; i < count; i++) {
		row r = { &patterns[i], NULL, own };
		m->rows[m->count++] = r;
	}
}

static wkg_status
refuse(wkg_pattern_error *error, size_t at, const char *what)
{
	error->at = at;
	error->what = what;
	return WKG_E_INVALID;
}

/* A fault of a user's pattern is theirs to mend; one of ours comes from a PCRE2
 * without Unicode. */
static wkg_status
compile(row *r, pcre2_compile_context *compiling, wkg_pattern_error *error)
{
	const uint32_t options = PCRE2_UTF | PCRE2_NEVER_UCP |
	                         PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY;
	int code;
	PCRE2_SIZE offset;
	r->code = pcre2_compile((PCRE2_SPTR)r->pattern->pattern, PCRE2_ZERO_TERMINATED,
	                        r->own ? options | PCRE2_AUTO_CALLOUT : options,
	                        &code, &offset, compiling);
	if (r->code != NULL)
		return WKG_OK;
	if (code == PCRE2_ERROR_NOMEMORY || code == PCRE2_ERROR_HEAP_FAILED)
		return WKG_E_MEMORY;
	return r->own ? refuse(error, offset, "PCRE2 does not accept the pattern here") :
	                WKG_E_UNSUPPORTED;
}

static wkg_status
compile_all(wkg_moderator *m, wkg_pattern_error *error)
{
	size_t built_in = m->count;
	pcre2_compile_context *compiling = pcre2_compile_context_create(m->context);
	wkg_status status = compiling == NULL ? WKG_E_MEMORY : WKG_OK;
	for (size_t i = 0; i < m->count; i++)
		built_in -= m->rows[i].own;
	for (size_t i = 0; status == WKG_OK && i < m->count; i++) {
		error->index = m->rows[i].own ? i - built_in : 0;
		status = compile(&m->rows[i], compiling, error);
	}
	pcre2_compile_context_free(compiling);
	return status;
}

static bool
is_text(const char *text)
{
	if (text == NULL || *text == '\0')
		return false;
	wkg_span span = { (const uint8_t *)text, strlen(text) };
	return wkg_utf8_first_error(span) == span.len;
}

/* Is the row complete, its id new, its pattern one that we can run? */
static wkg_status
check_row(const wkg_moderator *m, size_t index, wkg_pattern_error *error)
{
	const wkg_pattern *p = m->rows[index].pattern;
	size_t at = 0;
	if (!is_text(p->id) || !is_text(p->group) || !is_text(p->purpose) ||
	    !is_text(p->pattern) || !is_text(p->hit) || !is_text(p->benign))
		return refuse(error, 0, "a field is missing, empty or not UTF-8");
	if (!wkg__pattern_id(p->id))
		return refuse(error, 0, "an id is a-z, 0-9 and -, up to 64");
	bool taken = strcmp(p->id, GAVE_UP) == 0 || strcmp(p->id, MARKED_BEFORE) == 0 ||
	             strcmp(p->id, HIDDEN_RUN) == 0;
	for (size_t i = 0; i < index; i++)
		taken = taken || strcmp(p->id, m->rows[i].pattern->id) == 0;
	if (taken)
		return refuse(error, 0, "the id is taken");
	const char *fault = wkg__pattern_fault(p->pattern, &at);
	return fault == NULL ? WKG_OK : refuse(error, at, fault);
}

static wkg_status
add_own(wkg_moderator *m, const wkg_moderator_config *config,
        wkg_pattern_error *error)
{
	size_t first = m->count;
	add(m, config->own, config->own_count, true);
	for (size_t i = first; i < m->count; i++) {
		error->index = i - first;
		WKG_TRY(check_row(m, i, error));
	}
	return WKG_OK;
}

static wkg_status try_own(const wkg_moderator *m, wkg_pattern_error *error);

static wkg_status
set_up(wkg_moderator *m, const wkg_moderator_config *config,
       wkg_pattern_error *error)
{
	const wkg_pattern_set *extension = wkg_moderate_extension();
	add(m, wkg_moderate_patterns(), WKG_PATTERN_COUNT, false);
	if (config->extended)
		add(m, extension->patterns, extension->count, false);
	WKG_TRY(add_own(m, config, error));
	m->context = pcre2_general_context_create(acquire, release, &m->allocator);
	if (m->context == NULL)
		return WKG_E_MEMORY;
	WKG_TRY(compile_all(m, error));
	return try_own(m, error);
}

/* The reference profile is the fourteen patterns: an extension would be another
 * definition of it. */
static bool
is_config(const wkg_moderator_config *config)
{
	return config->sink.warn != NULL && wkg__profile_known(config->profile) &&
	       !(config->extended && config->profile == WKG_PROFILE_REFERENCE) &&
	       config->own_count <= WKG_OWN_PATTERNS_MAX &&
	       (config->own != NULL || config->own_count == 0);
}

wkg_status
wkg_moderator_new_with(wkg_moderator **out, const wkg_moderator_config *config,
                       wkg_pattern_error *error)
{
	wkg_pattern_error none = { 0, 0, "" };
	if (error != NULL)
		*error = none;
	if (out == NULL || config == NULL || error == NULL || !is_config(config))
		return WKG_E_ARGUMENT;

	wkg_allocator a = wkg__allocator_or_malloc(config->allocator);
	wkg_moderator *m = a.acquire(a.ctx, sizeof *m);
	if (m == NULL)
		return WKG_E_MEMORY;
	memset(m, 0, sizeof *m);
	m->allocator = a;
	m->profile = config->profile;
	m->sink = config->sink;
	wkg_status status = set_up(m, config, error);
	if (status != WKG_E_INVALID)
		*error = none;
	if (status != WKG_OK) {
		wkg_moderator_free(m);
		return status;
	}
	*out = m;
	return WKG_OK;
}

wkg_status
wkg_moderator_new(wkg_moderator **out, wkg_profile profile,
                  wkg_warning_sink sink, const wkg_allocator *allocator)
{
	wkg_pattern_error error;
	wkg_moderator_config config = {
		.profile = profile, .sink = sink, .allocator = allocator,
	};
	return wkg_moderator_new_with(out, &config, &error);
}

void
wkg_moderator_free(wkg_moderator *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->count; i++)
		pcre2_code_free(m->rows[i].code);
	pcre2_general_context_free(m->context);
	wkg_allocator allocator = m->allocator;
	allocator.release(allocator.ctx, m);
}

static int
count_cost(pcre2_callout_block *block, void *data)
{
	wkg_moderator_scratch *scratch = data;
	bool over;
	if (block->callout_number == STEP_CALLOUT)
		over = scratch->steps-- == 0;
	else
		over = ++scratch->gaps > GAP_BUDGET;
	return over ? PCRE2_ERROR_CALLOUT : 0;
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
	s->gaps = s->steps = 0;
	s->limits = pcre2_match_context_create(m->context);
	s->match = pcre2_match_data_create(1, m->context);
	if (s->limits == NULL || s->match == NULL) {
		wkg_moderator_scratch_free(s);
		return WKG_E_MEMORY;
	}
	pcre2_set_match_limit(s->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(s->limits, DEPTH_LIMIT);
	pcre2_set_heap_limit(s->limits, HEAP_LIMIT_KIB);
	pcre2_set_callout(s->limits, count_cost, s);
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

/* ---- one input ---------------------------------------------------------- */

typedef struct job {
	const wkg_moderator *moderator;
	wkg_moderator_scratch *scratch;
	wkg_moderate_report *report;
	wkg__copy copy;
	const wkg_json_token *token; /* NULL for a plain text */
} job;

/* Which finding to give up for one of `kind` when there is no room: the last of
 * the kind that has most, if that is more than `kind` has. Else a document could
 * crowd out what was not looked at with texts that are cut. */
static size_t
least_missed(const wkg_moderate_report *r, wkg_finding_kind kind)
{
	size_t kept[WKG_FINDING_TOO_DEEP + 1] = { 0 };
	wkg_finding_kind most = kind;
	for (size_t i = 0; i < r->finding_count; i++)
		kept[r->findings[i].kind]++;
	for (wkg_finding_kind k = WKG_FINDING_SUSPICIOUS; k <= WKG_FINDING_TOO_DEEP; k++)
		if (kept[k] > kept[most])
			most = k;
	size_t last = r->finding_count;
	if (most != kind)
		while (r->findings[--last].kind != most)
			;
	return last;
}

/* A place for a new finding behind the others, or NULL. */
static wkg_finding *
make_room(wkg_moderate_report *r, wkg_finding_kind kind)
{
	if (r->finding_count == WKG_FINDINGS_MAX) {
		size_t gone = least_missed(r, kind);
		if (gone == WKG_FINDINGS_MAX)
			return NULL;
		r->finding_count--;
		memmove(&r->findings[gone], &r->findings[gone + 1],
		        (r->finding_count - gone) * sizeof *r->findings);
	}
	return &r->findings[r->finding_count++];
}

static void
find(job *j, wkg_finding_kind kind, const char *pattern, wkg__range where)
{
	wkg_moderate_report *r = j->report;
	switch (kind) {
	case WKG_FINDING_SUSPICIOUS: r->suspicious++; r->flagged = true; break;
	case WKG_FINDING_TRUNCATED: r->cut++; r->truncated = true; break;
	case WKG_FINDING_TOO_DEEP: r->too_deep++; break;
	case WKG_FINDING_INVALID: break;
	}
	wkg_finding *f = make_room(r, kind);
	if (f == NULL)
		return;
	f->kind = kind;
	f->pattern = pattern;
	f->from = where.from;
	f->to = where.to;
	f->path.len = 0;
	f->path.cut = false;
	if (j->token != NULL)
		f->path = wkg_json_path_of(&j->copy.reader, j->token);
}

/* Match one pattern; true if the text has to be marked. */
static bool
match(job *j, const wkg__passage *p, wkg__reading how, const row *r)
{
	wkg_moderator_scratch *s = j->scratch;
	s->steps = wkg__add(STEPS, wkg__multiply(p->view.len, STEPS_PER_BYTE));
	int rc = pcre2_match(r->code, p->view.ptr, p->view.len, 0, 0, s->match, s->limits);
	if (rc == PCRE2_ERROR_NOMATCH)
		return false;
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(s->match);
	wkg__range whole = { p->from, p->to };
	if (rc < 0 || found[0] > found[1] || found[1] > p->view.len) {
		find(j, WKG_FINDING_SUSPICIOUS, GAVE_UP, whole);
		return true;
	}
	wkg__range in_view = { found[0], found[1] };
	find(j, WKG_FINDING_SUSPICIOUS, r->pattern->id, wkg__source_of(p, how, in_view));
	return true;
}

/* All patterns on one reading. `seen` keeps a pattern that several readings
 * match from being reported twice. */
static wkg_status
match_reading(job *j, wkg__passage *p, wkg__reading how, bool seen[PATTERNS_MAX])
{
	WKG_TRY(wkg__read(p, how));
	for (size_t i = 0; i < j->moderator->count; i++)
		if (!seen[i])
			seen[i] = match(j, p, how, &j->moderator->rows[i]);
	return WKG_OK;
}

/* The mark without its variation selector, which no reading but STRIPPED has. */
static const wkg_span mark_as_read = WKG_LIT("⚠【疑似注入】");

/* M6: what comes with the mark was found suspicious once. Its hit may be gone
 * since, cut off or stripped out of shape, and the mark is still true. */
static wkg_status
match_mark(job *j, wkg__passage *p)
{
	wkg__reading joined = { WKG__JOINED, false, false };
	wkg__range whole = { 0, mark_as_read.len };
	WKG_TRY(wkg__read(p, joined));
	if (p->view.len >= whole.to && memcmp(p->view.ptr, mark_as_read.ptr, whole.to) == 0)
		find(j, WKG_FINDING_SUSPICIOUS, MARKED_BEFORE, wkg__source_of(p, joined, whole));
	return WKG_OK;
}

/* A message in characters that are stripped or have no glyph: what the reviewer
 * gets to see is not all that was said (embracethered.com: ASCII Smuggler 2024,
 * Sneaky Bits 2025). */
static void
match_hidden_run(job *j, const wkg__passage *p)
{
	wkg__range run = wkg__hidden_run(p);
	if (run.to > run.from)
		find(j, WKG_FINDING_SUSPICIOUS, HIDDEN_RUN, run);
}

/* M2. Letters are read as they are and as what they stand for, since either may
 * spoil the other: U+2460 at the head of a list has no \b behind it as a 1. With
 * STRIPPED among them, hardened marks whatever the reference marks. */
static wkg_status
match_hardened(job *j, wkg__passage *p, bool seen[PATTERNS_MAX])
{
	static const wkg__reading readings[] = {
		{ WKG__JOINED, false, false }, { WKG__SPACED, false, false },
		{ WKG__SEEN, false, false }, { WKG__STRIPPED, false, false },
		{ WKG__JOINED, true, false }, { WKG__SPACED, true, false },
		{ WKG__SEEN, true, false },
		{ WKG__JOINED, false, true }, { WKG__JOINED, true, true },
		{ WKG__SPACED, true, true },
	};
	wkg__survey found = wkg__survey_of(p);
	for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
		if (wkg__differs(found, readings[i]))
			WKG_TRY(match_reading(j, p, readings[i], seen));
	if (found.hides)
		match_hidden_run(j, p);
	return match_mark(j, p);
}

static wkg_status
is_suspicious(job *j, wkg__passage *p, bool *marked)
{
	static const wkg__reading stripped = { WKG__STRIPPED, false, false };
	bool seen[PATTERNS_MAX] = { false };
	size_t before = j->report->suspicious;
	if (j->moderator->profile == WKG_PROFILE_REFERENCE)
		WKG_TRY(match_reading(j, p, stripped, seen));
	else
		WKG_TRY(match_hardened(j, p, seen));
	*marked = j->report->suspicious > before;
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
end_of_kept(const wkg__passage *p, const wkg__rule *rule)
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
deliver(job *j, const wkg__passage *p, bool marked, const wkg__rule *rule,
        bool is_cut)
{
	wkg_sanitize_report ignored = { 0 };
	if (marked)
		WKG_TRY(wkg__append(&j->copy.out, mark.ptr, mark.len));
	WKG_TRY(wkg__sanitize(&j->copy.out, p->in, p->from, p->notation, rule, &ignored));
	if (!is_cut)
		return WKG_OK;
	wkg__range not_kept = { end_of_kept(p, rule), p->to };
	find(j, WKG_FINDING_TRUNCATED, "", not_kept);
	return wkg__append(&j->copy.out, cut.ptr, cut.len);
}

/* Look at one text: is it to be marked, and does anything about it change? */
static wkg_status
examine(job *j, wkg__passage *p, wkg__rule *rule, bool *marked,
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

size_t
wkg_moderate_work_size(size_t n)
{
	return wkg__add(wkg__view_size(n), wkg_json_work_size(n, WKG_MODERATE_DEPTH_MAX));
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

/* ---- users' own patterns ------------------------------------------------ */

/* Find what a moderator finds in `text`, which is one of its own. */
static wkg_status
look_at(const wkg_moderator *m, wkg_moderator_scratch *s, const char *text,
        wkg_moderate_report *report)
{
	const wkg_allocator *a = &m->allocator;
	wkg_span in = { (const uint8_t *)text, strlen(text) };
	wkg_buf view = { NULL, 0, wkg__view_size(in.len) };
	view.ptr = a->acquire(a->ctx, view.cap);
	if (view.ptr == NULL)
		return WKG_E_MEMORY;
	job j = begin(&view, m, s, report);
	wkg__passage p = { in, 0, in.len, &wkg__plain_text, view };
	bool marked;
	wkg_status status = is_suspicious(&j, &p, &marked);
	a->release(a->ctx, view.ptr);
	return status;
}

static bool
found_by(const wkg_moderate_report *report, const char *id)
{
	for (size_t i = 0; i < report->finding_count; i++)
		if (strcmp(report->findings[i].pattern, id) == 0)
			return true;
	return false;
}

/* A pattern that misses its own hit is not what its author thinks; one that
 * finds its twin, or has a twin that another finds, marks honest text. */
static wkg_status
try_row(const wkg_moderator *m, wkg_moderator_scratch *s, const wkg_pattern *p,
        wkg_pattern_error *error)
{
	wkg_moderate_report report;
	WKG_TRY(look_at(m, s, p->hit, &report));
	if (!found_by(&report, p->id))
		return refuse(error, 0, "it does not find its hit");
	WKG_TRY(look_at(m, s, p->benign, &report));
	if (found_by(&report, GAVE_UP))
		return refuse(error, 0, "it is too slow: the matcher gave up on its benign twin");
	return report.suspicious == 0 ? WKG_OK :
	                                refuse(error, 0, "its benign twin is marked");
}

static wkg_status
try_own(const wkg_moderator *m, wkg_pattern_error *error)
{
	wkg_moderator_scratch *s = NULL;
	wkg_status status = WKG_OK;
	error->index = 0;
	for (size_t i = 0; i < m->count && status == WKG_OK; i++) {
		if (!m->rows[i].own)
			continue;
		if (s == NULL)
			WKG_TRY(wkg_moderator_scratch_new(&s, m));
		status = try_row(m, s, m->rows[i].pattern, error);
		error->index += status == WKG_OK;
	}
	wkg_moderator_scratch_free(s);
	return status;
}

/* ---- calls -------------------------------------------------------------- */

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
moderate_text(job *j, wkg__passage *p)
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
	wkg__passage p = { text, 0, text.len, &wkg__plain_text, { work.ptr, 0, wkg__view_size(text.len) } };
	return end(&j, moderate_text(&j, &p), out);
}

/* ---- documents ---------------------------------------------------------- */

/* A string: copied as it stands if it is clean, else written anew between its
 * own quotes. */
static wkg_status
moderate_string(job *j, wkg__passage *p)
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
	wkg__range value = { j->token->from, j->token->to };
	if (j->token->kind != WKG_JSON_STRING)
		WKG_TRY(wkg__copy_skip(&j->copy, j->token, &value.to));
	find(j, WKG_FINDING_TOO_DEEP, "", value);
	return WKG_OK;
}

static wkg_status
moderate_document(job *j, wkg__passage *p)
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
	size_t view = wkg__view_size(json.len);
	wkg_work rest = { (uint8_t *)work.ptr + view, work.size - view };
	job j = begin(out, m, s, report);
	wkg__passage p = { json, 0, 0, &wkg__json_string, { work.ptr, 0, view } };

	WKG_TRY(wkg_json_open(&j.copy.reader, json, names, WKG_MODERATE_DEPTH_MAX, rest));
	return end(&j, moderate_document(&j, &p), out);
}
