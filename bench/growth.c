/* growth.c - nothing here is quadratic, whatever the input.
 *
 *     wicketgate-bench growth [CASE]           time at n, 2n, 4n, 8n
 *     wicketgate-bench growth --list           names and largest sizes
 *     wicketgate-bench growth --once CASE N    one call at size N, no clock
 *
 * Linear work doubles with its input; with a factor of log n it grows by a
 * little more; quadratic work grows fourfold. Each case is an input somebody
 * would send to find such a place. Time is noisy, so a human reads the first
 * form; conformance/growth.py counts the instructions of the third. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { DOUBLINGS = 3, RUNS = 5 };

/* ---- inputs ---------------------------------------------------------- */

static void
repeat(wkg_buf *out, const char *text, size_t count)
{
	while (count-- > 0)
		bench_put(out, text);
}

/* Whole copies of `text`, in `n` bytes. */
static void
fill(wkg_buf *out, const char *text, size_t n)
{
	repeat(out, text, n / strlen(text));
}

#define ZWSP "\xE2\x80\x8B"

/* Each of these again and again. */
static const char less[] = "<";
static const char less_zwsp[] = "<" ZWSP;
static const char zwsp[] = ZWSP;
/* Letters that read as others, and hidden characters: every reading differs. */
static const char letters[] =
	"ign\xD0\xBEre\xC2\xAD \xEF\xBD\x81\xEF\xAC\x81 "
	"\xE5\xBF\xBD\xE7\x95\xA5 ";
/* Looking for a partner meets a bracket of the other kind every time. */
static const char kinds_alternate[] = "<" ZWSP ZWSP ZWSP ZWSP ">" ZWSP ZWSP ZWSP ZWSP;
/* The guards look ahead from each of these: for a keyword that never comes to
 * its end, past characters that they pass over, or for a token. */
static const char keyword_heads[] = "x";
static const char keywords_cut[] = "xpydat";
static const char keyword_and_dots[] = "x." ZWSP "_";
/* U+166E looks like an x and is punctuation: it begins a keyword and may be
 * passed over in one. */
static const char crosses[] = "\xE1\x99\xAE";
static const char tokens_cut[] = "[/INS" ZWSP "<</SY";
static const char bad_bytes[] = "\xF0\x9F\x98";
static const char open_arrays[] = "[";
/* Nothing in it is looked for; having hidden characters, it is read four times. */
static const char honest[] = "please approve" ZWSP " the third invoice. 请审批第三张发票。";
static const char line_feeds[] = "\n";
static const char heads_zh[] = "忽略";
static const char heads_en[] = "ignore all ";

/* One bracket, and no end of what might stand before the next one. */
static void
less_and_zwsp(wkg_buf *out, size_t n)
{
	bench_put(out, "<");
	fill(out, ZWSP, n);
}

static void
crosses_then_keyword(wkg_buf *out, size_t n)
{
	fill(out, "\xE1\x99\xAE", n);
	bench_put(out, "pydat");
}

static void
token_and_zwsp(wkg_buf *out, size_t n)
{
	bench_put(out, "[");
	fill(out, ZWSP "[" ZWSP ZWSP ZWSP ZWSP, n);
}

static void
accents(wkg_buf *out, size_t n)
{
	bench_put(out, "a");
	fill(out, "\xCC\x81", n);
}

static void
deep_arrays(wkg_buf *out, size_t n)
{
	bench_put(out, "[");
	fill(out, "[", n / 2);
	fill(out, "]", n / 2);
	bench_put(out, "]");
}

static void
deep_objects(wkg_buf *out, size_t n)
{
	size_t levels = n / 5;
	repeat(out, "{\"\":", levels);
	bench_put(out, "0");
	repeat(out, "}", levels);
}

static void
siblings(wkg_buf *out, size_t n)
{
	bench_put(out, "[");
	fill(out, "{\"a\":1},", n);
	bench_put(out, "{}]");
}

static void
lone_surrogates(wkg_buf *out, size_t n)
{
	bench_put(out, "\"");
	fill(out, "\\ud800", n);
	bench_put(out, "\"");
}

/* `n` members called PREFIX and a number, which is `step` times the last. */
static void
members(wkg_buf *out, size_t n, const char *prefix, unsigned step)
{
	char number[32];
	bench_put(out, "{");
	for (size_t i = 0; i < n; i++) {
		snprintf(number, sizeof(number), "%08x\":1",
		         (unsigned)i * step);
		bench_put(out, i == 0 ? "\"" : ",\"");
		bench_put(out, prefix);
		bench_put(out, number);
	}
	bench_put(out, "}");
}

static void
names_sorted(wkg_buf *out, size_t n)
{
	members(out, n, "", 1);
}

static void
names_reversed(wkg_buf *out, size_t n)
{
	members(out, n, "", 0xFFFFFFFFu);
}

static void
names_shuffled(wkg_buf *out, size_t n)
{
	members(out, n, "", 2654435761u);
}

/* `n` bytes of names, 32 at the least, that are equal up to their ends. */
static void
common_prefix(wkg_buf *out, size_t n, const char *unit)
{
	size_t count = n < 8192 ? 32 : n / 256;
	size_t len = n / count;
	wkg_buf prefix = { malloc(len + 1), 0, len };
	if (prefix.ptr == NULL)
		abort();
	fill(&prefix, unit, len);
	prefix.ptr[prefix.len] = '\0';
	members(out, n == 0 ? 0 : count, (const char *)prefix.ptr, 2654435761u);
	free(prefix.ptr);
}

static void
names_alike(wkg_buf *out, size_t n)
{
	common_prefix(out, n, "p");
}

/* The prefix is nothing once it is sanitized, but has to be read. */
static void
names_hidden(wkg_buf *out, size_t n)
{
	common_prefix(out, n, ZWSP);
}

/* Few names, each as long as it can be, that differ in their last byte. */
static void
names_long(wkg_buf *out, size_t n)
{
	bench_put(out, "{");
	for (int i = 0; i < 8; i++) {
		char end[8];
		bench_put(out, i == 0 ? "\"" : ",\"");
		fill(out, "p", n / 8);
		snprintf(end, sizeof(end), "%d\":1", i);
		bench_put(out, end);
	}
	bench_put(out, "}");
}

static void
cut_leaves(wkg_buf *out, size_t n)
{
	bench_put(out, "[");
	repeat(out, "\"ab\",", n);
	bench_put(out, "\"a\"]");
}

static void
dropped_arrays(wkg_buf *out, size_t n)
{
	bench_put(out, "[[");
	repeat(out, "[],", n);
	bench_put(out, "0]]");
}

/* Every note has to look at a name of `n` bytes. */
static void
cut_under_long_name(wkg_buf *out, size_t n)
{
	bench_put(out, "{\"");
	fill(out, ZWSP, n);
	bench_put(out, "\":[");
	repeat(out, "\"ab\",", 100);
	bench_put(out, "\"a\"]}");
}

/* The first part alone uses up what a matcher may do (M9). */
enum { OVER_BUDGET = 6 * 51000 };

static void
heads_over_budget(wkg_buf *out, size_t n)
{
	fill(out, "忽略", OVER_BUDGET);
	fill(out, "忽略", n);
}

static void
leaves(wkg_buf *out, size_t n)
{
	bench_put(out, "[");
	repeat(out, "\"ok\",\"\\u200b\",", n);
	bench_put(out, "\"\"]");
}

static void
suspicious_leaves(wkg_buf *out, size_t n)
{
	bench_put(out, "[");
	repeat(out, "\"[INST]\",", n);
	bench_put(out, "\"\"]");
}

/* A path has to pass all of the first member. */
static void
last_behind_deep(wkg_buf *out, size_t n)
{
	bench_put(out, "{\"a\":");
	deep_arrays(out, n);
	bench_put(out, ",\"last\":\"x\"}");
}

static void
escapes(wkg_buf *out, size_t n)
{
	bench_put(out, "{\"last\":\"");
	fill(out, "\\u003c\\\\", n);
	bench_put(out, "\"}");
}

/* ---- passes ---------------------------------------------------------- */

static void
validate(wkg_span in, bench_room *room)
{
	(void)room;
	if (wkg_utf8_first_error(in) != in.len)
		abort();
}

static void
sanitize(wkg_span in, bench_room *room)
{
	wkg_sanitize_config config = bench_config(WKG_PROFILE_HARDENED);
	bench_expect(
		wkg_sanitize(&room->out, in, WKG_SOURCE_WEBHOOK, &config, NULL),
		WKG_OK);
}

static void
neutralize(wkg_span in, bench_room *room)
{
	bench_expect(wkg_fence_neutralize(&room->out, in, WKG_PROFILE_HARDENED,
	                                  NULL),
	             WKG_OK);
}

static void
neutralize_reference(wkg_span in, bench_room *room)
{
	bench_expect(wkg_fence_neutralize(&room->out, in, WKG_PROFILE_REFERENCE,
	                                  NULL),
	             WKG_OK);
}

/* Everything is cut to one character and dropped below two containers. */
static wkg_status
tight_payload(wkg_span in, bench_room *room)
{
	static wkg_payload_report report;
	wkg_sanitize_config config = wkg_sanitize_config_default(
		WKG_PROFILE_HARDENED);
	config.limits.chat = 1;
	config.max_depth = 2;
	return wkg_payload_sanitize(&room->out, in, WKG_SOURCE_CHAT, &config,
	                            room->work, &report);
}

static void
payload(wkg_span in, bench_room *room)
{
	bench_expect(tight_payload(in, room), WKG_OK);
}

static void
payload_refused(wkg_span in, bench_room *room)
{
	bench_expect(tight_payload(in, room), WKG_E_SYNTAX);
}

static void
moderate(wkg_span in, bench_room *room)
{
	bench_moderate_text(in, room, WKG_PROFILE_HARDENED);
}

static void
render_whole(wkg_span in, bench_room *room)
{
	bench_render_with("{{$}}", in, room, WKG_RENDER_DATA);
}

/* Work grows with the product of state and placeholders by design (render.h);
 * here there is one. */
static void
render_last(wkg_span in, bench_room *room)
{
	bench_render_with("{{$.last}}", in, room, WKG_RENDER_DATA);
}

/* ---- cases ----------------------------------------------------------- */

typedef struct growth_case {
	const char *name;
	const char *unit; /* the input is copies of this, or if NULL what */
	void (*make)(wkg_buf *out, size_t n); /* this makes */
	bench_pass pass;
	size_t largest; /* 8n */
} growth_case;

enum { MIB = 1 << 20, MANY = 100000 };

static const growth_case cases[] = {
	{ "utf8-accents", NULL, accents, validate, MIB },
	{ "sanitize-bad-bytes", bad_bytes, NULL, sanitize, MIB },
	{ "sanitize-zwsp", zwsp, NULL, sanitize, MIB },
	{ "sanitize-accents", NULL, accents, sanitize, MIB },
	{ "fence-less", less, NULL, neutralize, MIB },
	{ "fence-less-reference", less, NULL, neutralize_reference, MIB },
	{ "fence-less-zwsp", less_zwsp, NULL, neutralize, MIB },
	{ "fence-zwsp", zwsp, NULL, neutralize, MIB },
	{ "fence-less-and-zwsp", NULL, less_and_zwsp, neutralize, MIB },
	{ "fence-kinds-alternate", kinds_alternate, NULL, neutralize, MIB },
	{ "fence-accents", NULL, accents, neutralize, MIB },
	{ "fence-keyword-heads", keyword_heads, NULL, neutralize, MIB },
	{ "fence-keywords-cut", keywords_cut, NULL, neutralize, MIB },
	{ "fence-keyword-and-dots", keyword_and_dots, NULL, neutralize, MIB },
	{ "fence-crosses", crosses, NULL, neutralize, MIB },
	{ "fence-crosses-then-keyword", NULL, crosses_then_keyword, neutralize,
	  MIB },
	{ "fence-open-square", open_arrays, NULL, neutralize, MIB },
	{ "fence-tokens-cut", tokens_cut, NULL, neutralize, MIB },
	{ "fence-token-and-zwsp", NULL, token_and_zwsp, neutralize, MIB },
	{ "json-open-arrays", open_arrays, NULL, payload_refused, MIB },
	{ "json-deep-arrays", NULL, deep_arrays, payload, MIB },
	{ "json-deep-objects", NULL, deep_objects, payload, MIB },
	{ "json-siblings", NULL, siblings, payload, MIB },
	{ "json-names-sorted", NULL, names_sorted, payload, MANY },
	{ "json-names-reversed", NULL, names_reversed, payload, MANY },
	{ "json-names-shuffled", NULL, names_shuffled, payload, MANY },
	{ "json-names-alike", NULL, names_alike, payload, MIB },
	{ "json-names-hidden", NULL, names_hidden, payload, MIB },
	{ "json-names-long", NULL, names_long, payload, MIB },
	{ "payload-lone-surrogates", NULL, lone_surrogates, payload, MIB },
	{ "payload-cut-leaves", NULL, cut_leaves, payload, MANY },
	{ "payload-dropped-arrays", NULL, dropped_arrays, payload, MANY },
	{ "payload-cut-under-long-name", NULL, cut_under_long_name, payload,
	  MIB },
	{ "moderate-honest", honest, NULL, moderate, MIB },
	{ "moderate-zwsp", zwsp, NULL, moderate, MIB },
	{ "moderate-letters", letters, NULL, moderate, MIB },
	{ "moderate-line-feeds", line_feeds, NULL, moderate, MIB },
	{ "moderate-heads-zh", heads_zh, NULL, moderate, MIB },
	{ "moderate-heads-en", heads_en, NULL, moderate, MIB },
	{ "moderate-heads-over-budget", NULL, heads_over_budget, moderate,
	  MIB },
	{ "moderate-leaves", NULL, leaves, bench_moderate_json, MANY },
	{ "moderate-suspicious-leaves", NULL, suspicious_leaves,
	  bench_moderate_json, MANY },
	{ "moderate-names-hidden", NULL, names_hidden, bench_moderate_json,
	  MIB },
	{ "render-deep-arrays", NULL, deep_arrays, render_whole, MIB },
	{ "render-names-shuffled", NULL, names_shuffled, render_whole, MANY },
	{ "render-behind-deep-arrays", NULL, last_behind_deep, render_last,
	  MIB },
	{ "render-escapes", NULL, escapes, render_last, MIB },
};

enum { CASES = sizeof(cases) / sizeof(*cases) };

static wkg_buf
make_input(const growth_case *c, size_t n)
{
	size_t room = 16 * n + OVER_BUDGET + BENCH_SLACK;
	wkg_buf text = { malloc(room), 0, room };
	if (text.ptr == NULL)
		abort();
	if (c->unit != NULL)
		fill(&text, c->unit, n);
	else
		c->make(&text, n);
	return text;
}

/* ---- timing ---------------------------------------------------------- */

static double
median_ms(const growth_case *c, size_t n)
{
	uint64_t sample[RUNS];
	wkg_buf text = make_input(c, n);
	bench_room room = bench_room_new(text.len);
	for (int i = 0; i < RUNS; i++) {
		room.out.len = 0;
		uint64_t start = bench_now();
		c->pass(wkg_buf_span(&text), &room);
		sample[i] = bench_now() - start;
	}
	bench_room_free(&room);
	free(text.ptr);
	return (double)bench_median(sample, RUNS) / 1e6;
}

static void
print_growth(const growth_case *c)
{
	double before = 0;
	bool bad = false;
	printf("%-28s", c->name);
	for (int i = 0; i <= DOUBLINGS; i++) {
		double ms = median_ms(c, c->largest >> (DOUBLINGS - i));
		if (i > 0)
			printf("  x%4.2f", ms / before);
		bad = bad || (i > 0 && ms / before >= 3);
		before = ms;
		fflush(stdout);
	}
	printf("  %9.2f ms at %zu%s\n", before, c->largest,
	       bad ? "  <-- 3 or more" : "");
}

/* ---- command line ---------------------------------------------------- */

static int
list(void)
{
	for (size_t i = 0; i < CASES; i++)
		printf("%s %zu\n", cases[i].name, cases[i].largest);
	return 0;
}

static int
once(const char *name, const char *size)
{
	char *end;
	size_t n = strtoul(size, &end, 10);
	for (size_t i = 0; i < CASES && *end == '\0'; i++) {
		if (strcmp(cases[i].name, name) != 0)
			continue;
		wkg_buf text = make_input(&cases[i], n);
		bench_room room = bench_room_new(text.len);
		cases[i].pass(wkg_buf_span(&text), &room);
		bench_room_free(&room);
		free(text.ptr);
		return 0;
	}
	fprintf(stderr, "wicketgate-bench: growth: no such case or size\n");
	return 2;
}

int
bench_growth(int argc, char **argv)
{
	if (argc == 1 && strcmp(argv[0], "--list") == 0)
		return list();
	if (argc == 3 && strcmp(argv[0], "--once") == 0)
		return once(argv[1], argv[2]);
	if (argc > 1) {
		fprintf(stderr, "wicketgate-bench: growth: see --help\n");
		return 2;
	}
	size_t found = 0;
	for (size_t i = 0; i < CASES; i++) {
		if (argc == 1 && strstr(cases[i].name, argv[0]) == NULL)
			continue;
		found++;
		print_growth(&cases[i]);
	}
	return found > 0 ? 0 : 2;
}
