/* probe.c - the public API as lines of text, for tests in other languages.
 *
 * One request per line on standard input, one answer per line on standard
 * output. Fields are separated by one space; text is lower-case hex and the
 * empty text is `-`. PROFILE is reference, hardened or invalid; UNIT is
 * codepoint, utf16, byte or invalid; LIMIT is a number (then the source is
 * webhook) or the name of a source, which means that source's default.
 *
 *   utf8 TEXT                            -> OK TEXT replaced first-error
 *                                           codepoints utf16-units bytes
 *   sanitize PROFILE UNIT LIMIT TEXT     -> OK TEXT stripped replaced truncated
 *   neutralize PROFILE TEXT              -> OK TEXT inserted replaced
 *   inline PROFILE TEXT                  -> OK TEXT inserted replaced
 *   fence PROFILE LABEL DATA             -> OK TEXT inserted replaced
 *   needs_fence TEXT                     -> true | false
 *   payload PROFILE UNIT LIMIT DEPTH DOC -> OK TEXT stripped replaced truncated
 *                                           dropped NOTE...
 *   trigger PROFILE TYPE DOC             -> the same
 *   moderate PROFILE TEXT                -> OK TEXT suspicious cut too-deep
 *                                           FINDING...
 *   moderate_json PROFILE DOC            -> the same
 *   moderate_extended PROFILE TEXT       -> the same
 *   render MODE PROFILE TEMPLATE STATE   -> OK TEXT
 *   patterns                             -> OK id:PATTERN:HIT:BENIGN ...
 *   extension                            -> the same
 *   letters CODE                         -> OK CODE ...
 *   json NAMES DOC                       -> OK kind:from:to:depth ...
 *   quote TEXT                           -> OK TEXT
 *   sets CODE                            -> OK number
 *
 * A NOTE is `t:PATH` or `d:PATH`, with a + at the end if the path was cut. A
 * FINDING is `KIND:pattern:from:to:PATH`, KIND being s, t or d (suspicious,
 * truncated, too deep). NAMES is exact, reference or hardened; MODE is data,
 * verbatim or invalid. A refusal is its status without WKG_, for a document
 * followed by `at first what`, for a template by `part at what`.
 *
 * Whatever the request, the probe also checks what every call promises about
 * memory, and says FAULT instead of the answer if the promise is broken:
 *   - the documented bound suffices, with a buffer that ends where the heap
 *     block ends, so that AddressSanitizer sees one byte too many;
 *   - a buffer of exactly the size of the result suffices too, gives the same
 *     answer, and nothing is written behind it;
 *   - with one byte less the answer is WKG_E_SPACE;
 *   - after any failure the length and the bytes before it are as they were,
 *     and the report is what its header says;
 *   - what the spare room and the work area held before makes no difference,
 *     nor does the work area's alignment. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../src/moderate/letters.h"
#include "wicketgate/wicketgate.h"

/* ---- memory ---------------------------------------------------------- */

static void *
must_alloc(size_t size)
{
	void *ptr = malloc(size ? size : 1);
	if (!ptr) {
		fputs("probe: out of memory\n", stderr);
		exit(4);
	}
	return ptr;
}

/* A growing line of output, and the first broken promise if there was one. */
typedef struct answer {
	char *text;
	size_t len;
	size_t cap;
	const char *fault;
} answer;

static void
check(answer *a, bool holds, const char *promise)
{
	if (!holds && !a->fault)
		a->fault = promise;
}

static char *
answer_room(answer *a, size_t n)
{
	if (a->cap - a->len < n) {
		a->cap = 2 * (a->len + n);
		a->text = realloc(a->text, a->cap);
		if (!a->text)
			exit(4);
	}
	return a->text + a->len;
}

__attribute__((format(printf, 2, 3))) static void
say(answer *a, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(answer_room(a, 512), 512, format, args);
	va_end(args);
	a->len += (size_t)n;
}

static void
say_text(answer *a, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char *to = answer_room(a, 2 * len + 2);
	if (!len)
		*to++ = '-';
	for (size_t i = 0; i < len; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	a->len = (size_t)(to - a->text);
}

static void
say_all(answer *a, const answer *more)
{
	if (more->len > 0)
		memcpy(answer_room(a, more->len), more->text, more->len);
	a->len += more->len;
}

static void
say_status(answer *a, wkg_status status)
{
	say(a, "%s", wkg_status_name(status) + strlen("WKG_"));
}

/* ---- requests -------------------------------------------------------- */

/* One parsed request. `run` makes the call once and says its report. */
typedef struct request request;
struct request {
	wkg_status (*run)(const request *r, wkg_buf *out, answer *a);
	size_t bound;
	wkg_profile profile;
	wkg_source source;
	wkg_sanitize_config config;
	wkg_span first;
	wkg_span second;
	wkg_render_mode mode;
	bool trigger;     /* `second` is a trigger type and decides the source */
	bool document;    /* moderate a JSON document, not a text */
	bool extended;    /* moderate with the extension */
	unsigned attempt; /* varies what must not matter */
};

static wkg_status
run_sanitize(const request *r, wkg_buf *out, answer *a)
{
	wkg_sanitize_report report = { 7, 7, 7 };
	wkg_status status =
		wkg_sanitize(out, r->first, r->source, &r->config, &report);
	bool untouched = report.stripped == 7 && report.replaced == 7 &&
	                 report.truncated == 7;
	check(a, status == WKG_OK || untouched, "report changed on failure");
	if (status == WKG_OK)
		say(a, " %zu %zu %zu", report.stripped, report.replaced,
		    report.truncated);
	return status;
}

static wkg_status
said_fence(wkg_status status, const wkg_fence_report *report, answer *a)
{
	bool untouched = report->inserted == 7 && report->replaced == 7;
	check(a, status == WKG_OK || untouched, "report changed on failure");
	if (status == WKG_OK)
		say(a, " %zu %zu", report->inserted, report->replaced);
	return status;
}

static wkg_status
run_neutralize(const request *r, wkg_buf *out, answer *a)
{
	wkg_fence_report report = { 7, 7 };
	wkg_status status =
		wkg_fence_neutralize(out, r->first, r->profile, &report);
	return said_fence(status, &report, a);
}

static wkg_status
run_inline(const request *r, wkg_buf *out, answer *a)
{
	wkg_fence_report report = { 7, 7 };
	wkg_status status =
		wkg_fence_inline(out, r->first, r->profile, &report);
	return said_fence(status, &report, a);
}

static wkg_status
run_fence(const request *r, wkg_buf *out, answer *a)
{
	wkg_fence_report report = { 7, 7 };
	wkg_status status =
		wkg_fence(out, r->first, r->second, r->profile, &report);
	return said_fence(status, &report, a);
}

static void
say_payload(const wkg_payload_report *report, answer *a)
{
	say(a, " %zu %zu %zu %zu", report->stripped, report->replaced,
	    report->truncated, report->dropped);
	for (size_t i = 0; i < report->note_count; i++) {
		const wkg_payload_note *note = &report->notes[i];
		bool dropped = note->kind == WKG_PAYLOAD_NOTE_DROPPED;
		bool truncated = note->kind == WKG_PAYLOAD_NOTE_TRUNCATED;
		check(a, dropped || truncated, "unknown kind of note");
		say(a, dropped ? " d:" : " t:");
		say_text(a, note->path.text, note->path.len);
		say(a, note->path.cut ? "+" : "");
	}
}

static void
say_error(const wkg_json_error *error, answer *a)
{
	say(a, " %zu %zu %s", error->at, error->first,
	    error->what ? error->what : "(null)");
}

/* A call that needs a work area. */
typedef wkg_status (*worker)(const request *r, wkg_buf *out, wkg_work work);

/* ... which ends where its heap block ends, at every alignment. */
static wkg_status
work_in(size_t size, worker call, const request *r, wkg_buf *out)
{
	size_t skew = r->attempt % 2;
	uint8_t *block = must_alloc(size + skew);
	memset(block, (int)(0xC3u + r->attempt), size + skew);
	wkg_work work = { block + skew, size };
	wkg_status status = call(r, out, work);
	free(block);
	return status;
}

/* With one byte less than it asks for, then with exactly that. */
static wkg_status
work_exactly(size_t size, worker call, const request *r, wkg_buf *out,
             answer *a)
{
	wkg_buf before = *out;
	if (size == SIZE_MAX) /* it will be refused: any area will do */
		size = 64;
	wkg_status starved = WKG_E_SPACE;
	if (size > 0)
		starved = work_in(size - 1, call, r, out);
	check(a, out->len == before.len, "length changed on failure");
	*out = before;
	wkg_status status = work_in(size, call, r, out);
	check(a, starved == WKG_E_SPACE || starved == status,
	      "not told that the work area is too small");
	check(a, starved != WKG_OK, "work one byte short was taken");
	return status;
}

static wkg_payload_report payload_report;

static wkg_status
sanitize_payload(const request *r, wkg_buf *out, wkg_work work)
{
	memset(&payload_report, 0xA5, sizeof payload_report);
	if (r->trigger)
		return wkg_payload_from_trigger(out, r->first, r->second,
		                                &r->config, work,
		                                &payload_report);
	return wkg_payload_sanitize(out, r->first, r->source, &r->config, work,
	                            &payload_report);
}

static wkg_status
run_payload(const request *r, wkg_buf *out, answer *a)
{
	const wkg_payload_report *report = &payload_report;
	size_t size = wkg_payload_work_size(r->first.len, &r->config);
	wkg_status status = work_exactly(size, sanitize_payload, r, out, a);
	if (status == WKG_OK) {
		say_payload(report, a);
		return status;
	}
	size_t counted = report->stripped + report->replaced +
	                 report->truncated + report->dropped +
	                 report->note_count;
	check(a, counted == 0, "counts after a failure");
	if (status >= WKG_E_ENCODING)
		say_error(&report->error, a);
	return status;
}

/* ---- the moderator --------------------------------------------------- */

static wkg_moderate_report moderate_report;
static unsigned warnings; /* since the last call began */

static void
count_warning(void *ctx, const wkg_moderate_report *report)
{
	(void)ctx;
	warnings += report == &moderate_report ? 1 : 100;
}

/* Made when first asked for, and kept: by profile, and extended. */
enum { EXTENDED = 3, MODERATORS };
static wkg_moderator *moderators[MODERATORS];
static wkg_moderator_scratch *scratches[MODERATORS];

static size_t
moderator_of(const request *r)
{
	return r->extended ? EXTENDED : (size_t)r->profile;
}

static wkg_status
need_moderator(const request *r)
{
	size_t i = moderator_of(r);
	wkg_pattern_error error;
	wkg_moderator_config config = {
		.profile = r->profile,
		.sink = { count_warning, NULL },
		.extended = r->extended,
	};
	if (moderators[i])
		return WKG_OK;
	wkg_status status = wkg_moderator_new_with(&moderators[i], &config, &error);
	if (status != WKG_OK)
		return status;
	return wkg_moderator_scratch_new(&scratches[i], moderators[i]);
}

static void
free_moderators(void)
{
	for (size_t i = 0; i < MODERATORS; i++) {
		wkg_moderator_scratch_free(scratches[i]);
		wkg_moderator_free(moderators[i]);
	}
}

static wkg_status
moderate(const request *r, wkg_buf *out, wkg_work work)
{
	size_t i = moderator_of(r);
	warnings = 0;
	memset(&moderate_report, 0xA5, sizeof moderate_report);
	return (r->document ? wkg_moderate_json : wkg_moderate)(
		out, r->first, moderators[i], scratches[i], work, &moderate_report);
}

static void
say_finding(const wkg_finding *f, size_t len, answer *a)
{
	static const char *const kinds[] = { "?", "s", "t", "d" };
	check(a, f->kind >= 1 && f->kind <= 3, "unknown kind of finding");
	check(a, f->from <= f->to && f->to <= len, "finding out of range");
	check(a, f->path.len <= WKG_JSON_PATH_MAX, "path too long");
	if (a->fault)
		return;
	say(a, " %s:%s:%zu:%zu:", kinds[f->kind], f->pattern, f->from, f->to);
	say_text(a, f->path.text, f->path.len);
	say(a, f->path.cut ? "+" : "");
}

static void
say_findings(const wkg_moderate_report *report, size_t len, answer *a)
{
	size_t all = report->suspicious + report->cut + report->too_deep;
	size_t kept = all < WKG_FINDINGS_MAX ? all : WKG_FINDINGS_MAX;
	check(a, report->finding_count == kept, "findings and counts differ");
	check(a, report->flagged == (report->suspicious > 0), "flagged");
	check(a, report->truncated == (report->cut > 0), "truncated");
	check(a, warnings == (all > 0), "M8 one warning if anything was found");
	say(a, " %zu %zu %zu", report->suspicious, report->cut,
	    report->too_deep);
	for (size_t i = 0; i < report->finding_count && !a->fault; i++)
		say_finding(&report->findings[i], len, a);
}

static wkg_status
run_moderate(const request *r, wkg_buf *out, answer *a)
{
	const wkg_moderate_report *report = &moderate_report;
	wkg_status status = need_moderator(r);
	if (status != WKG_OK)
		return status;
	size_t size = wkg_moderate_work_size(r->first.len);
	status = work_exactly(size, moderate, r, out, a);
	if (status == WKG_OK) {
		say_findings(report, r->first.len, a);
		return status;
	}
	size_t counted = report->suspicious + report->cut + report->too_deep +
	                 report->finding_count;
	check(a, counted == 0, "counts after a failure");
	check(a, warnings == 0, "M8 a warning about nothing delivered");
	if (status >= WKG_E_ENCODING)
		say_error(&report->error, a);
	return status;
}

/* ---- templates ------------------------------------------------------- */

static wkg_render_error render_error;

static wkg_status
render(const request *r, wkg_buf *out, wkg_work work)
{
	memset(&render_error, 0xA5, sizeof render_error);
	return wkg_render(out, r->first, r->second, r->mode, r->profile, work,
	                  &render_error);
}

static wkg_status
run_render(const request *r, wkg_buf *out, answer *a)
{
	static const char *const parts[] = { "none", "template", "state" };
	const wkg_render_error *error = &render_error;
	size_t size = wkg_render_work_size(r->second.len);
	wkg_status status = work_exactly(size, render, r, out, a);
	bool malformed = status >= WKG_E_ENCODING;
	check(a, malformed == (error->part != WKG_RENDER_PART_NONE),
	      "a part that is wrong, if and only if one is");
	if (!malformed) {
		check(a, error->at == 0 && !*error->what, "not a clear error");
		return status;
	}
	bool in_template = error->part == WKG_RENDER_PART_TEMPLATE;
	check(a, error->at <= (in_template ? r->first.len : r->second.len),
	      "offset out of range");
	say(a, " %s %zu %s", parts[error->part], error->at, error->what);
	return status;
}

static wkg_status
run_quote(const request *r, wkg_buf *out, answer *a)
{
	(void)a;
	return wkg_json_quote(out, r->first);
}

/* ---- one call, three buffers ----------------------------------------- */

enum { KEPT = 5, GUARD = 24 };
static const char kept[KEPT + 1] = "\x01kept";

/* Call once into a buffer that already holds `kept` and has `room` bytes
 * left; `guard` more lie behind it and must stay as they are. */
static wkg_status
attempt(request *r, size_t room, size_t guard, answer *a)
{
	uint8_t fill = (uint8_t)(0x51u + ++r->attempt);
	uint8_t *block = must_alloc(KEPT + room + guard);
	memset(block, fill, KEPT + room + guard);
	memcpy(block, kept, KEPT);
	wkg_buf out = { block, KEPT, KEPT + room };

	answer report = { 0 };
	wkg_status status = r->run(r, &out, &report);
	check(a, !report.fault, report.fault);
	check(a, out.ptr == block && out.cap == KEPT + room, "buffer replaced");
	check(a, memcmp(block, kept, KEPT) == 0, "earlier bytes changed");
	check(a, out.len >= KEPT && out.len <= out.cap, "impossible length");
	check(a, status == WKG_OK || out.len == KEPT, "length changed on failure");
	for (size_t i = 0; i < guard; i++)
		check(a, block[KEPT + room + i] == fill, "wrote behind the buffer");

	say_status(a, status);
	if (status == WKG_OK && !a->fault) {
		say(a, " ");
		say_text(a, block + KEPT, out.len - KEPT);
	}
	say_all(a, &report);
	free(report.text);
	free(block);
	return status;
}

/* Bytes of text in an answer "OK HEX ...". */
static size_t
text_len(const answer *a)
{
	size_t digits = 0;
	for (size_t i = strlen("OK "); i < a->len && a->text[i] != ' '; i++)
		digits += a->text[i] != '-';
	return digits / 2;
}

static void
answer_call(request *r, answer *a)
{
	if (attempt(r, r->bound, 0, a) != WKG_OK) {
		check(a, strncmp(a->text, "E_SPACE", 7) != 0,
		      "the documented bound does not suffice");
		return;
	}
	size_t len = text_len(a);
	answer snug = { 0 };
	attempt(r, len, GUARD, &snug);
	check(a, !snug.fault, snug.fault);
	check(a, snug.len == a->len && !memcmp(snug.text, a->text, a->len),
	      "another answer from an exactly fitting buffer");
	if (len > 0) {
		answer tight = { 0 };
		wkg_status status = attempt(r, len - 1, GUARD, &tight);
		check(a, !tight.fault, tight.fault);
		check(a, status == WKG_E_SPACE, "fitted where there is no room");
		free(tight.text);
	}
	free(snug.text);
}

/* ---- questions without an output buffer ------------------------------ */

static void
answer_utf8(wkg_span in, answer *a)
{
	size_t replaced = 0, codepoints = 0, utf16 = 0, bytes = 0;
	uint8_t *repaired = must_alloc(3 * in.len + 4);
	wkg_char c;
	for (size_t at = 0; at < in.len; at += c.len) {
		c = wkg_utf8_decode(in, at);
		check(a, c.len >= 1 && c.len <= 4 && c.len <= in.len - at,
		      "impossible length of a character");
		if (a->fault)
			break;
		replaced += c.ill_formed;
		codepoints += wkg_utf8_units(c.code, WKG_UNIT_CODEPOINT);
		utf16 += wkg_utf8_units(c.code, WKG_UNIT_UTF16);
		size_t len = wkg_utf8_encode(repaired + bytes, c.code);
		check(a, len == wkg_utf8_units(c.code, WKG_UNIT_BYTE),
		      "encoded and counted lengths differ");
		bytes += len;
	}
	say(a, "OK ");
	say_text(a, repaired, bytes);
	say(a, " %zu %zu %zu %zu %zu", replaced, wkg_utf8_first_error(in),
	    codepoints, utf16, bytes);
	free(repaired);
}

static void
answer_json(wkg_span doc, wkg_json_names names, answer *a)
{
	size_t size = wkg_json_work_size(doc.len, 0);
	wkg_work work = { must_alloc(size), size };
	wkg_json_reader reader;
	wkg_json_token token = { 0 };
	wkg_status status = wkg_json_open(&reader, doc, names, 0, work);
	answer tokens = { 0 };
	while (status == WKG_OK && token.kind != WKG_JSON_DONE) {
		status = wkg_json_next(&reader, &token);
		if (status == WKG_OK)
			say(&tokens, " %d:%zu:%zu:%zu", (int)token.kind,
			    token.from, token.to, token.depth);
	}
	say_status(a, status);
	if (status == WKG_OK) {
		check(a, wkg_json_next(&reader, &token) == WKG_OK, "done once");
		check(a, token.kind == WKG_JSON_DONE, "not done for ever");
		say_all(a, &tokens);
	} else if (status >= WKG_E_ENCODING) {
		check(a, wkg_json_next(&reader, &token) == status,
		      "not failed for ever");
		say_error(&reader.error, a);
	}
	free(tokens.text);
	free(work.ptr);
}

static void
say_word(answer *a, char before, const char *word)
{
	say(a, "%c", before);
	say_text(a, (const uint8_t *)word, strlen(word));
}

/* The table is the definition (M5): a model has to ask for it. */
static void
answer_patterns(const wkg_pattern *p, size_t count, answer *a)
{
	say(a, "OK");
	for (size_t i = 0; i < count; i++, p++) {
		say(a, " %s", p->id);
		say_word(a, ':', p->pattern);
		say_word(a, ':', p->hit);
		say_word(a, ':', p->benign);
	}
}

static void
answer_letters(uint32_t code, answer *a)
{
	wkg__letters letters = wkg__read_letter(code);
	say(a, "OK");
	for (size_t i = 0; i < letters.count; i++)
		say(a, " %x", (unsigned)letters.code[i]);
}

/* ---- parsing requests ------------------------------------------------ */

/* The rest of the line; each field taken moves it on. */
typedef struct fields {
	char *rest;
	bool bad;
} fields;

static const char *
field(fields *f)
{
	char *word = f->rest;
	if (!*word)
		f->bad = true;
	f->rest += strcspn(f->rest, " ");
	if (*f->rest)
		*f->rest++ = '\0';
	return word;
}

static unsigned
hex_digit(fields *f, char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	f->bad = true;
	return 0;
}

/* A heap block of exactly the text's size; NULL for the empty one. */
static wkg_span
text_field(fields *f)
{
	const char *hex = field(f);
	wkg_span text = { NULL, strcmp(hex, "-") == 0 ? 0 : strlen(hex) / 2 };
	if (!text.len)
		return text;
	uint8_t *bytes = must_alloc(text.len);
	for (size_t i = 0; i < text.len; i++)
		bytes[i] = (uint8_t)(hex_digit(f, hex[2 * i]) << 4 |
		                     hex_digit(f, hex[2 * i + 1]));
	text.ptr = bytes;
	return text;
}

static int
choice(fields *f, const char *const *names, int count)
{
	const char *word = field(f);
	for (int i = 0; i < count; i++)
		if (strcmp(word, names[i]) == 0)
			return i;
	f->bad = true;
	return 0;
}

static wkg_profile
profile_field(fields *f)
{
	static const char *const names[] = { "invalid", "reference", "hardened" };
	return (wkg_profile)choice(f, names, 3);
}

static wkg_render_mode
mode_field(fields *f)
{
	static const char *const names[] = { "invalid", "data", "verbatim" };
	return (wkg_render_mode)choice(f, names, 3);
}

static wkg_unit
unit_field(fields *f)
{
	static const char *const names[] = {
		"invalid", "codepoint", "utf16", "byte",
	};
	return (wkg_unit)choice(f, names, 4);
}

static void
limit_field(fields *f, request *r)
{
	static const char *const names[] = {
		"invalid",    "chat",      "webhook",
		"form_event", "retrieval", "tool_result",
	};
	if (*f->rest >= '0' && *f->rest <= '9') {
		r->source = WKG_SOURCE_WEBHOOK;
		r->config.limits.webhook = strtoull(field(f), NULL, 10);
	} else {
		r->source = (wkg_source)choice(f, names, 6);
	}
}

static void
config_fields(fields *f, request *r)
{
	r->profile = profile_field(f);
	r->config = wkg_sanitize_config_default(r->profile);
	r->config.unit = unit_field(f);
	limit_field(f, r);
}

/* False if `name` is not one of the operations that fill a buffer. */
static bool
read_call(const char *name, fields *f, request *r)
{
	if (strcmp(name, "sanitize") == 0) {
		config_fields(f, r);
		r->run = run_sanitize;
		r->first = text_field(f);
		r->bound = wkg_sanitize_bound(r->first.len);
	} else if (strcmp(name, "neutralize") == 0) {
		r->profile = profile_field(f);
		r->run = run_neutralize;
		r->first = text_field(f);
		r->bound = wkg_fence_neutralize_bound(r->first.len);
	} else if (strcmp(name, "inline") == 0) {
		r->profile = profile_field(f);
		r->run = run_inline;
		r->first = text_field(f);
		r->bound = wkg_fence_neutralize_bound(r->first.len);
	} else if (strcmp(name, "fence") == 0) {
		r->profile = profile_field(f);
		r->run = run_fence;
		r->first = text_field(f);
		r->second = text_field(f);
		r->bound = wkg_fence_bound(r->first.len, r->second.len);
	} else if (strcmp(name, "payload") == 0) {
		config_fields(f, r);
		r->config.max_depth = (uint32_t)strtoul(field(f), NULL, 10);
		r->run = run_payload;
		r->first = text_field(f);
		r->bound = wkg_payload_bound(r->first.len);
	} else if (strcmp(name, "trigger") == 0) {
		r->config = wkg_sanitize_config_default(profile_field(f));
		r->trigger = true;
		r->run = run_payload;
		r->second = text_field(f);
		r->first = text_field(f);
		r->bound = wkg_payload_bound(r->first.len);
	} else if (strcmp(name, "moderate") == 0 ||
	           strcmp(name, "moderate_json") == 0 ||
	           strcmp(name, "moderate_extended") == 0) {
		r->document = strcmp(name, "moderate_json") == 0;
		r->extended = strcmp(name, "moderate_extended") == 0;
		r->profile = profile_field(f);
		r->run = run_moderate;
		r->first = text_field(f);
		r->bound = wkg_moderate_bound(r->first.len);
	} else if (strcmp(name, "render") == 0) {
		r->mode = mode_field(f);
		r->profile = profile_field(f);
		r->run = run_render;
		r->first = text_field(f);
		r->second = text_field(f);
		r->bound = wkg_render_bound(r->first, r->second.len);
	} else if (strcmp(name, "quote") == 0) {
		r->run = run_quote;
		r->first = text_field(f);
		r->bound = wkg_json_quote_bound(r->first.len);
	} else {
		return false;
	}
	return true;
}

/* False if `name` is not one of the other operations. */
static bool
read_question(const char *name, fields *f, request *r, answer *a)
{
	static const char *const names[] = {
		"invalid", "exact", "reference", "hardened",
	};
	if (strcmp(name, "utf8") == 0) {
		r->first = text_field(f);
		answer_utf8(r->first, a);
	} else if (strcmp(name, "needs_fence") == 0) {
		r->first = text_field(f);
		say(a, wkg_needs_fence(r->first) ? "true" : "false");
	} else if (strcmp(name, "json") == 0) {
		wkg_json_names same = (wkg_json_names)choice(f, names, 4);
		r->first = text_field(f);
		answer_json(r->first, same, a);
	} else if (strcmp(name, "patterns") == 0) {
		answer_patterns(wkg_moderate_patterns(), WKG_PATTERN_COUNT, a);
	} else if (strcmp(name, "extension") == 0) {
		const wkg_pattern_set *set = wkg_moderate_extension();
		answer_patterns(set->patterns, set->count, a);
	} else if (strcmp(name, "letters") == 0) {
		answer_letters((uint32_t)strtoul(field(f), NULL, 16), a);
	} else if (strcmp(name, "sets") == 0) {
		uint32_t code = (uint32_t)strtoul(field(f), NULL, 16);
		say(a, "OK %u", (unsigned)wkg_table_sets(code));
	} else {
		return false;
	}
	return true;
}

static void
answer_line(char *line, answer *a)
{
	fields f = { line, false };
	request r = { 0 };
	const char *name = field(&f);
	if (read_call(name, &f, &r)) {
		if (!f.bad)
			answer_call(&r, a);
	} else if (!read_question(name, &f, &r, a)) {
		f.bad = true;
	}
	if (f.bad || *f.rest)
		check(a, false, "not a request");
	free((void *)(uintptr_t)r.first.ptr);
	free((void *)(uintptr_t)r.second.ptr);
}

/* ---- lines ----------------------------------------------------------- */

typedef struct input {
	char *text;
	size_t at;
	size_t len;
	size_t cap;
} input;

/* Get more input. Answers are flushed only here, where the next request may
 * be waiting for them: fast in bulk, and usable in conversation. */
static bool
read_more(input *in)
{
	fflush(stdout);
	memmove(in->text, in->text + in->at, in->len - in->at);
	in->len -= in->at;
	in->at = 0;
	if (in->len == in->cap) {
		in->cap *= 2;
		in->text = realloc(in->text, in->cap);
		if (!in->text)
			exit(4);
	}
	ssize_t n = read(STDIN_FILENO, in->text + in->len, in->cap - in->len);
	if (n > 0)
		in->len += (size_t)n;
	return n > 0;
}

/* The next line, NUL for LF; NULL at the end of input. */
static char *
next_line(input *in)
{
	size_t seen = 0;
	for (;;) {
		char *from = in->text + in->at;
		char *end = memchr(from + seen, '\n', in->len - in->at - seen);
		if (end) {
			*end = '\0';
			in->at = (size_t)(end - in->text) + 1;
			return from;
		}
		seen = in->len - in->at;
		if (!read_more(in))
			return NULL;
	}
}

int
main(void)
{
	static char output[1 << 16];
	setvbuf(stdout, output, _IOFBF, sizeof output);
	input in = { must_alloc(1 << 16), 0, 0, 1 << 16 };
	answer a = { 0 };
	char *line;
	while ((line = next_line(&in))) {
		a.len = 0;
		a.fault = NULL;
		answer_line(line, &a);
		if (a.fault)
			printf("FAULT %s\n", a.fault);
		else
			say(&a, "\n"), fwrite(a.text, 1, a.len, stdout);
	}
	free_moderators();
	free(a.text);
	free(in.text);
	return 0;
}
