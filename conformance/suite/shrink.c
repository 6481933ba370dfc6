/* shrink.c - two stages: choices, then values. */
#include "shrink.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PADDING    24
#define DEAD_CALLS 60 /* each of which costs a process */

static size_t most_calls = 3000;

void
wgc_shrink_calls(size_t n)
{
	most_calls = n;
}

typedef struct shrinker {
	const wgc_property *property;
	wgc_subject *subject;
	wgc_choices *choices;
	wgc_case *best;
	size_t calls, limit;
	double until;
} shrinker;

static double pretended_s;

void
wgc_pretend_s(double s)
{
	pretended_s += s;
}

double
wgc_now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9 + pretended_s;
}

static bool
may_try(const shrinker *s)
{
	return s->calls < s->limit && wgc_now_s() < s->until;
}

static bool
fails_alike(const shrinker *s, const wgc_case *what)
{
	return what->verdict == WGC_FAIL &&
	       (what->kind == WGC_OK) == (s->best->kind == WGC_OK);
}

/* Bytes of which the ill-formed ones were cut out are a text of scalars: copies
 * know, and places in the best are places in its copies. */
static void
take(shrinker *s, wgc_case *what)
{
	wgc_case_clear(s->best);
	*s->best = *what;
	*what = wgc_case_new(s->subject);
	for (size_t t = 0; t < s->best->texts; t++) {
		wgc_text *text = &s->best->text[t];
		wgc_text same = wgc_text_of(text->form, text->at, text->len);
		wgc_text_clear(text);
		*text = same;
	}
}

/* The first of these that fails becomes the best: its index, or n. What a
 * death would cost is not spent on a whole batch. */
static size_t
first_failing(shrinker *s, wgc_case *cases, size_t n)
{
	size_t found = n, step = s->best->kind == WGC_OK ? n : 1;
	for (size_t i = 0; i < n && found == n && may_try(s); i += step) {
		wgc_evaluate(s->property, &cases[i], step);
		s->calls += step;
		for (size_t k = i; k < i + step && found == n; k++)
			if (fails_alike(s, &cases[k]))
				found = k;
	}
	if (found < n)
		take(s, &cases[found]);
	for (size_t i = 0; i < n; i++)
		wgc_case_clear(&cases[i]);
	return found;
}

/* --- Choices --- */

static bool
try_choices(shrinker *s, const uint32_t *at, size_t len)
{
	wgc_choices *choices = wgc_alloc(sizeof(*choices));
	wgc_case what = wgc_case_new(s->subject);
	wgc_choices_given(choices, at, len);
	s->calls++;
	bool better = wgc_play(s->property, choices, &what) &&
	              fails_alike(s, &what);
	if (better) {
		take(s, &what);
		*s->choices = *choices;
		s->best->choices = s->choices;
	}
	wgc_case_clear(&what);
	free(choices);
	return better;
}

static bool
try_without(shrinker *s, size_t from, size_t n)
{
	uint32_t at[WGC_CHOICES_MAX];
	size_t len = s->choices->len;
	memcpy(at, s->choices->at, from * sizeof(*at));
	memcpy(at + from, s->choices->at + from + n,
	       (len - from - n) * sizeof(*at));
	return try_choices(s, at, len - n);
}

static bool
delete_choices(shrinker *s)
{
	bool better = false;
	for (size_t n = 16; n > 0; n /= 2)
		for (size_t i = s->choices->len; i >= n && may_try(s); i--)
			if (i <= s->choices->len)
				better |= try_without(s, i - n, n);
	return better;
}

static bool
try_at(shrinker *s, size_t i, uint32_t value)
{
	uint32_t at[WGC_CHOICES_MAX];
	memcpy(at, s->choices->at, s->choices->len * sizeof(*at));
	at[i] = value;
	return try_choices(s, at, s->choices->len);
}

static bool
lower_choices(shrinker *s)
{
	bool better = false;
	for (size_t i = 0; i < s->choices->len && may_try(s); i++)
		for (uint32_t down = s->choices->at[i];
		     down > 0 && i < s->choices->len && may_try(s); down /= 2)
			if (down <= s->choices->at[i])
				better |= try_at(s, i, s->choices->at[i] - down);
	return better;
}

static void
shrink_choices(shrinker *s)
{
	bool better = true;
	while (better && may_try(s)) {
		better = delete_choices(s);
		better |= lower_choices(s);
	}
}

/* --- Values: numbers and the lengths of runs --- */

/* Less by all, by half, by a quarter ... by one. */
static size_t
lesser(uint32_t n, uint32_t least, uint32_t *values)
{
	size_t count = 0;
	for (uint32_t down = n - least; down > 0; down /= 2)
		values[count++] = n - down;
	return count;
}

static bool
lower_numbers(shrinker *s)
{
	bool better = false;
	for (size_t i = 0; i < s->best->numbers; i++) {
		size_t found = 0, n = 1;
		while (found < n && may_try(s)) {
			uint32_t values[32];
			wgc_case cases[32];
			n = lesser(s->best->number[i], 0, values);
			for (size_t k = 0; k < n; k++) {
				cases[k] = wgc_case_copy(s->best);
				cases[k].number[i] = values[k];
			}
			found = first_failing(s, cases, n);
			better |= found < n;
		}
	}
	return better;
}

static void
cut_out(wgc_text *text, size_t from, size_t n)
{
	memmove(text->at + from, text->at + from + n,
	        (text->len - from - n) * sizeof(*text->at));
	text->len -= n;
}

static size_t
run_from(const wgc_text *text, size_t from)
{
	size_t n = 1;
	while (from + n < text->len && text->at[from + n] == text->at[from])
		n++;
	return n;
}

/* The run at `from`, of text t, as short as it can be. */
static bool
shorten_run(shrinker *s, size_t t, size_t from)
{
	bool better = false;
	size_t found = 0, n = 1;
	while (found < n && from < s->best->text[t].len && may_try(s)) {
		uint32_t values[32], run = (uint32_t)run_from(&s->best->text[t], from);
		wgc_case cases[32];
		n = lesser(run, 1, values);
		for (size_t k = 0; k < n; k++) {
			cases[k] = wgc_case_copy(s->best);
			cut_out(&cases[k].text[t], from, run - values[k]);
		}
		found = first_failing(s, cases, n);
		better |= found < n;
	}
	return better;
}

static bool
shorten_runs(shrinker *s, size_t t)
{
	bool better = false;
	for (size_t i = 0; i < s->best->text[t].len && may_try(s);
	     i += run_from(&s->best->text[t], i))
		if (run_from(&s->best->text[t], i) >= 4)
			better |= shorten_run(s, t, i);
	return better;
}

/* --- Values: pieces --- */

/* The same piece need not be cut out of padding a thousand times: its last. */
static size_t
past_padding(const wgc_text *text, size_t at, size_t n)
{
	size_t run = at < text->len ? run_from(text, at) : 0;
	return run >= PADDING && run >= 2 * n ? at + run - n : at;
}

/* All pieces of n from `from` on, in batches. Where one could go, the next
 * attempt is at the same place. */
static bool
cut_pieces(shrinker *s, size_t t, size_t n)
{
	bool better = false;
	size_t from = past_padding(&s->best->text[t], 0, n);
	while (from + n <= s->best->text[t].len && may_try(s)) {
		wgc_case cases[WGC_BATCH];
		size_t places[WGC_BATCH], count = 0, at = from;
		while (count < WGC_BATCH / 2 && at + n <= s->best->text[t].len) {
			cases[count] = wgc_case_copy(s->best);
			cut_out(&cases[count].text[t], at, n);
			places[count++] = at;
			at = past_padding(&s->best->text[t], at + n, n);
		}
		size_t found = first_failing(s, cases, count);
		from = found < count ? places[found] : at;
		better |= found < count;
	}
	return better;
}

static bool
cut_text(shrinker *s, size_t t)
{
	bool better = false;
	for (size_t n = s->best->text[t].len; n > 0; n /= 2)
		better |= cut_pieces(s, t, n);
	return better;
}

/* --- Values: plainer characters --- */

static const uint32_t plain[] = {
	'<', '>', 'a', 'b', '1', ' ', '"', 0x200B, 0x200D, 0xE0041
};
#define PLAIN (sizeof(plain) / sizeof(*plain))

static size_t
rank(uint32_t c)
{
	size_t i = 0;
	while (i < PLAIN && plain[i] != c)
		i++;
	return i;
}

/* The plainest character that does it at i, or everywhere where i's is. */
static bool
plainer(shrinker *s, size_t t, size_t i, bool everywhere)
{
	wgc_case cases[PLAIN];
	uint32_t old = s->best->text[t].at[i];
	size_t n = rank(old), count = 0;
	for (size_t k = 0; k < n; k++) {
		wgc_text *text;
		if (s->best->text[t].form != WGC_SCALARS && plain[k] >= 0x80)
			continue;
		cases[count] = wgc_case_copy(s->best);
		text = &cases[count++].text[t];
		for (size_t j = 0; j < text->len; j++)
			if (j == i || (everywhere && text->at[j] == old))
				text->at[j] = plain[k];
	}
	return first_failing(s, cases, count) < count;
}

/* Padding swallows what stands behind it. */
static bool
swallowed(shrinker *s, size_t t, size_t i)
{
	wgc_text *text = &s->best->text[t];
	size_t run = 1;
	while (run < i && text->at[i - 1 - run] == text->at[i - 1])
		run++;
	if (i == 0 || run < PADDING || text->at[i] == text->at[i - 1])
		return false;
	wgc_case one = wgc_case_copy(s->best);
	one.text[t].at[i] = text->at[i - 1];
	return first_failing(s, &one, 1) == 0;
}

static bool
plainer_text(shrinker *s, size_t t)
{
	bool better = false;
	size_t step = 1;
	for (size_t i = 0, n = 0; i < s->best->text[t].len && n < 300 && may_try(s); i += step, n++) {
		better |= plainer(s, t, i, true) || plainer(s, t, i, false) || swallowed(s, t, i);
		step = run_from(&s->best->text[t], i);
		step = step < PADDING ? 1 : step; /* padding is one, however long */
	}
	return better;
}

static void
shrink_values(shrinker *s)
{
	bool better = true;
	while (better && may_try(s)) {
		better = lower_numbers(s);
		for (size_t t = 0; t < s->best->texts; t++) {
			better |= shorten_runs(s, t);
			better |= cut_text(s, t);
			better |= plainer_text(s, t);
		}
	}
}

void
wgc_shrink(const wgc_property *property, wgc_choices *choices, wgc_case *what,
           double budget_s)
{
	bool played = property->method->play != NULL;
	shrinker s = { .property = property, .subject = what->subject,
		       .choices = choices, .best = what,
		       .until = wgc_now_s() + budget_s };
	size_t calls = what->kind == WGC_OK || most_calls < DEAD_CALLS ? most_calls
	                                                               : DEAD_CALLS;
	/* One at a time costs more: values do most of the work for texts. */
	s.limit = played ? calls / 10 : calls / 30;
	shrink_choices(&s);
	if (played)
		return;
	s.limit = s.calls + calls;
	shrink_values(&s);
}
