/* property_sanitize.c - the sanitizer, whatever the text. */
#include "generate_text.h"
#include "oracle_text.h"
#include "properties.h"

#include <stdlib.h>
#include <string.h>

static const char *const sanitize_text[] = { "sanitize.text", NULL };
static const char *const in_reference[] = { "reference", NULL };
static const wgc_choice by_unit[] = { WGC_LENGTH_UNIT };

static const char *
unit_of(const wgc_case *what)
{
	const char *unit = what->subject->setup->choices[WGC_LENGTH_UNIT];
	return unit == NULL ? "codepoint" : unit;
}

static const char *
strip_set(const wgc_case *what)
{
	return wgc_is_hardened(what) ? "strip_hardened" : "strip_reference";
}

static bool
generate_padded(wgc_case *what)
{
	wgc_choices *c = what->choices;
	wgc_case_add_number(what, wgc_choose(c, WGC_SOURCES));
	wgc_text text = wgc_choose(c, 4) == 3
	                        ? wgc_generate_hostile(what, 8)
	                        : wgc_generate_padded(what, wgc_case_limit(what));
	wgc_case_add_text(what, wgc_generate_ill_formed(what, text));
	return true;
}

static void
ask_text(wgc_case *what, const wgc_text *text)
{
	wgc_case_ask(what, "sanitize.text",
	             wgc_args_source(wgc_source_names[wgc_case_source(what)], text));
}

static bool
ask_once(wgc_case *what, size_t stage)
{
	if (stage == 0)
		ask_text(what, &what->text[0]);
	return stage == 0;
}

/* --- P-SA1 --- */

/* S2.10: between figures (digits, but `<` and `=` as well) a soft hyphen may
 * stay; behind a digit, `#` and `*` a keycap's selector. */
static bool
is_prose(uint32_t code)
{
	return code >= 0x20 && code <= 0x7E && code != '#' && code != '*' &&
	       !wgc_set_has(wgc_set_named("figure"), code);
}

static bool
is_ascii_prose(const wgc_text *text)
{
	for (size_t i = 0; i < text->len; i++)
		if (!is_prose(text->at[i]) &&
		    !wgc_set_has(wgc_set_named("context_hardened"), text->at[i]) &&
		    !wgc_set_has(wgc_set_named("strip_hardened"), text->at[i]))
			return false;
	return true;
}

static void
check_stripped(wgc_case *what)
{
	wgc_text out;
	if (!wgc_case_text(what, 0, "s", &out))
		return;
	const wgc_set *gone = wgc_set_named(strip_set(what));
	const wgc_set *context = wgc_set_named("context_hardened");
	bool prose = wgc_is_hardened(what) && is_ascii_prose(&what->text[0]);
	if (out.form != WGC_SCALARS)
		wgc_case_fails(what, "the output is ill-formed text");
	for (size_t i = 0; i < out.len; i++) {
		if (wgc_set_has(gone, out.at[i]))
			wgc_case_fails(what, "U+%04X is still there", out.at[i]);
		if (prose && wgc_set_has(context, out.at[i]))
			wgc_case_fails(what, "U+%04X is still there, in plain "
			                     "ASCII text", out.at[i]);
	}
	wgc_text_clear(&out);
}

static const wgc_method stripped = {
	.configure = wgc_vary_limits, .generate = generate_padded, .ask = ask_once,
	.check = check_stripped,
};

const wgc_property wgc_p_sa1 = {
	.id = "P-SA1", .title = "nothing of the table is left in a value",
	.rules = (const char *const[]){ "S1.1", "S2.1", "S2.10", NULL },
	.level = "MUST", .claim = "safety", .component = "sanitize",
	.operations = sanitize_text, .method = &stripped,
};

/* --- P-SA2 --- */

/* S2.2: a CR that is not directly before LF counts as LF, and must not become
 * half of a CRLF when what stood between goes. */
static void
settle_returns(const wgc_case *what, wgc_text *plain)
{
	for (size_t i = 0; wgc_is_hardened(what) && i < plain->len; i++)
		if (plain->at[i] == '\r' &&
		    (i + 1 == plain->len || plain->at[i + 1] != '\n'))
			plain->at[i] = '\n';
}

static bool
ask_with_and_without(wgc_case *what, size_t stage)
{
	if (stage > 0)
		return false;
	wgc_text plain = wgc_decode(&what->text[0]);
	settle_returns(what, &plain);
	wgc_text bare = wgc_without(&plain, wgc_set_named(strip_set(what)));
	ask_text(what, &what->text[0]);
	ask_text(what, &bare);
	wgc_text_clear(&plain);
	wgc_text_clear(&bare);
	return true;
}

static bool
is_truncated(const wgc_case *what, size_t i)
{
	return cJSON_IsTrue(wgc_json_get(what->request[i].reply.body, "truncated"));
}

static void
check_padding(wgc_case *what)
{
	wgc_text padded, bare;
	if (!wgc_case_text(what, 0, "s", &padded))
		return;
	if (wgc_case_text(what, 1, "s", &bare)) {
		wgc_case_same(what, "with padding as without", &bare, &padded);
		if (is_truncated(what, 0) != is_truncated(what, 1))
			wgc_case_fails(what, "padding changes whether it is "
			                     "reported as cut");
		wgc_text_clear(&bare);
	}
	wgc_text_clear(&padded);
}

static const wgc_method padding = {
	.configure = wgc_vary_limits, .generate = generate_padded,
	.ask = ask_with_and_without, .check = check_padding, .share = 200,
};

const wgc_property wgc_p_sa2 = {
	.id = "P-SA2", .title = "strip, then cut: no padding pushes anything out of the limit",
	.rules = (const char *const[]){ "S3.1", NULL },
	.level = "MUST", .claim = "safety", .component = "sanitize",
	.operations = sanitize_text, .choices = by_unit, .choice_count = 1,
	.method = &padding,
};

/* --- P-SA3 --- */

static void
check_exact(wgc_case *what)
{
	bool truncated;
	wgc_text out, expected = wgc_sanitized(&what->text[0], wgc_is_hardened(what),
	                                       unit_of(what), wgc_case_limit(what), &truncated);
	if (wgc_case_text(what, 0, "s", &out)) {
		wgc_case_same(what, "sanitized text", &expected, &out);
		if (is_truncated(what, 0) != truncated)
			wgc_case_fails(what, truncated ? "a cut is not reported"
			                               : "a cut is reported that was none");
		wgc_text_clear(&out);
	}
	wgc_text_clear(&expected);
}

static const wgc_method exact = {
	.configure = wgc_vary_limits, .generate = generate_padded, .ask = ask_once,
	.check = check_exact,
};

const wgc_property wgc_p_sa3 = {
	.id = "P-SA3", .title = "the longest prefix of the stripped text that fits, and nothing else",
	.rules = (const char *const[]){ "S1.2", "S3.3", "S7.1", "T2.1", "T3.1", NULL },
	.level = "MUST", .claim = "exact", .component = "sanitize",
	.profiles = in_reference, .operations = sanitize_text,
	.choices = by_unit, .choice_count = 1, .method = &exact,
};

/* --- P-SA7: the same, where what is around decides --- */

static bool
generate_context(wgc_case *what)
{
	wgc_case_add_number(what, wgc_choose(what->choices, WGC_SOURCES));
	wgc_text text = wgc_generate_context(what);
	wgc_case_add_text(what, wgc_generate_ill_formed(what, text));
	return true;
}

static const wgc_method in_context = {
	.configure = wgc_vary_limits, .generate = generate_context, .ask = ask_once,
	.check = check_exact, .share = 200,
};

static const char *const in_hardened[] = { "hardened", NULL };

const wgc_property wgc_p_sa7 = {
	.id = "P-SA7", .title = "joiners, selectors, fillers and flags stay exactly where the rules let them, and the cut parts none",
	.rules = (const char *const[]){ "S2.1", "S2.2", "S2.3", "S2.4", "S2.5", "S2.6", "S2.7", "S2.8",
	                               "S2.9", "S2.10", "S3.3", "S3.4", NULL },
	.level = "MUST", .claim = "exact", .component = "sanitize",
	.profiles = in_hardened, .operations = sanitize_text,
	.choices = by_unit, .choice_count = 1, .method = &in_context,
};

/* --- P-SA4 --- */

static bool
ask_twice(wgc_case *what, size_t stage)
{
	wgc_text out;
	if (stage == 0)
		return ask_once(what, stage);
	if (stage > 1 || !wgc_case_text(what, 0, "s", &out))
		return false;
	ask_text(what, &out);
	wgc_text_clear(&out);
	return true;
}

static void
check_twice(wgc_case *what)
{
	wgc_text once, twice;
	if (!wgc_case_text(what, 0, "s", &once))
		return;
	if (wgc_fitting(&once, unit_of(what), wgc_case_limit(what)) < once.len)
		wgc_case_fails(what, "the output is longer than the limit, %zu %ss",
		               wgc_case_limit(what), unit_of(what));
	if (wgc_case_text(what, 1, "s", &twice)) {
		wgc_case_same(what, "sanitized twice", &once, &twice);
		wgc_text_clear(&twice);
	}
	wgc_text_clear(&once);
}

static const wgc_method idempotent = {
	.configure = wgc_vary_limits, .generate = generate_padded, .ask = ask_twice,
	.check = check_twice,
};

const wgc_property wgc_p_sa4 = {
	.id = "P-SA4", .title = "the result fits the limit, and sanitizing it again changes nothing",
	.rules = (const char *const[]){ "S3.2", "T3.1", NULL },
	.level = "MUST", .claim = "exact", .component = "sanitize",
	.operations = sanitize_text, .choices = by_unit, .choice_count = 1,
	.method = &idempotent,
};

/* --- P-SA6 --- */

static const struct {
	const char *trigger;
	wgc_source source;
} triggers[] = {
	{ "webhook", WGC_WEBHOOK }, { "chat", WGC_CHAT },
	{ "form_event", WGC_FORM_EVENT }, { "schedule", WGC_FORM_EVENT },
	{ "", WGC_FORM_EVENT }, { "CHAT", WGC_FORM_EVENT },
	{ "webhook ", WGC_FORM_EVENT }, { "retrieval", WGC_FORM_EVENT },
};
#define TRIGGERS (sizeof(triggers) / sizeof(*triggers))

static bool
generate_origin(wgc_case *what)
{
	wgc_choices *c = what->choices;
	uint32_t origin = wgc_choose(c, WGC_SOURCES + TRIGGERS);
	wgc_source source = origin < WGC_SOURCES
	                            ? (wgc_source)origin
	                            : triggers[origin - WGC_SOURCES].source;
	uint32_t limit = what->subject->setup->limits[source];
	wgc_case_add_number(what, origin);
	wgc_case_add_number(what, limit + wgc_choose(c, 4) * 100 + wgc_choose(c, 3) - 1);
	return true;
}

static bool
ask_origin(wgc_case *what, size_t stage)
{
	uint32_t origin = what->number[0] % (WGC_SOURCES + TRIGGERS);
	wgc_text text = { .form = WGC_SCALARS };
	if (stage > 0)
		return false;
	for (uint32_t n = what->number[1]; n > 0; n--)
		wgc_push(&text, 'a');
	cJSON *args = wgc_args_s(&text);
	if (origin < WGC_SOURCES)
		cJSON_AddStringToObject(args, "source", wgc_source_names[origin]);
	else
		cJSON_AddStringToObject(args, "trigger",
		                        triggers[origin - WGC_SOURCES].trigger);
	wgc_case_ask(what, "sanitize.text", args);
	wgc_text_clear(&text);
	return true;
}

static void
check_origin(wgc_case *what)
{
	uint32_t origin = what->number[0] % (WGC_SOURCES + TRIGGERS);
	wgc_source source = origin < WGC_SOURCES
	                            ? (wgc_source)origin
	                            : triggers[origin - WGC_SOURCES].source;
	size_t limit = what->subject->setup->limits[source];
	size_t expected = what->number[1] < limit ? what->number[1] : limit;
	wgc_text out;
	if (!wgc_case_text(what, 0, "s", &out))
		return;
	if (out.len != expected)
		wgc_case_fails(what, "%u letters from %s%s: %zu are kept, not %zu",
		               what->number[1],
		               origin < WGC_SOURCES ? "" : "the trigger ",
		               origin < WGC_SOURCES
		                       ? wgc_source_names[origin]
		                       : triggers[origin - WGC_SOURCES].trigger,
		               out.len, expected);
	wgc_text_clear(&out);
}

static const wgc_method origins = {
	.configure = wgc_vary_limits, .generate = generate_origin,
	.ask = ask_origin, .check = check_origin, .share = 50,
};

const wgc_property wgc_p_sa6 = {
	.id = "P-SA6", .title = "every source and trigger has its own limit, which no other changes",
	.rules = (const char *const[]){ "S4.1", "S4.2", "S5.1", NULL },
	.level = "MUST", .claim = "safety", .component = "sanitize",
	.operations = sanitize_text, .method = &origins,
};
