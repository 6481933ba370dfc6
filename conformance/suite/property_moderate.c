/* property_moderate.c - the moderator, starting from its own hits and twins.
 *
 * No pattern is matched here: what is known is that these texts are hits and
 * those are not, and what may be done to a text without changing that. */
#include "generate_text.h"
#include "oracle_moderate.h"
#include "oracle_text.h"
#include "properties.h"
#include "sets.h"

static const char *const moderate_text[] = { "moderate.text", NULL };
static const wgc_choice by_tags[] = { WGC_OUTPUT_TAGS };

static bool
keeps_tags(const wgc_case *what)
{
	return wgc_setup_is(what->subject->setup, WGC_OUTPUT_TAGS, "keep") &&
	       !wgc_is_hardened(what);
}

static wgc_text
removed(const wgc_case *what, const wgc_text *text)
{
	return wgc_output_stripped(text, keeps_tags(what));
}

static wgc_text
delivered(const wgc_text *stripped, bool flagged)
{
	bool truncated;
	return wgc_delivered(stripped, flagged, &truncated);
}

/* A text with invisible characters put in: none of them changes what it says. */
static wgc_text
sprinkled(wgc_case *what, const wgc_text *text)
{
	wgc_text out = { .form = WGC_SCALARS };
	const wgc_set *set = wgc_set_named("strip_reference");
	for (size_t i = 0; i <= text->len; i++) {
		for (uint32_t n = wgc_choose(what->choices, 6); n > 4; n--) {
			uint32_t c = wgc_choose(what->choices, 2) == 0
			                     ? 0x200B
			                     : set->members[wgc_choose(what->choices, (uint32_t)set->member_count)];
			/* A line break would end a clause; readers see one. */
			if (wgc_is_output_stripped(c, keeps_tags(what)) && c != '\r' && c != 0x0B &&
			    c != 0x0C && c != 0x2028 && c != 0x2029 && c != 0x85)
				wgc_push(&out, c);
		}
		if (i < text->len)
			wgc_push(&out, text->at[i]);
	}
	return out;
}

static void
judge(wgc_case *what, size_t request, const char *claim, const wgc_text *expected,
      bool flagged)
{
	wgc_text out;
	if (!wgc_case_text(what, request, "s", &out))
		return;
	const cJSON *flag = wgc_json_get(what->request[request].reply.body, "flagged");
	if (cJSON_IsTrue(flag) != flagged)
		wgc_case_fails(what, flagged ? "%s: not flagged" : "%s: flagged", claim);
	wgc_case_same(what, claim, expected, &out);
	wgc_text_clear(&out);
}

static bool
ask_text(wgc_case *what, const wgc_text *text)
{
	wgc_case_ask(what, "moderate.text", wgc_args_s(text));
	return true;
}

/* --- P-MO1 --- */

static bool
generate_hit(wgc_case *what)
{
	wgc_case_add_number(what, wgc_choose(what->choices, wgc_known_count()));
	wgc_text hit = wgc_known_text(what->number[0], "hit");
	wgc_case_add_text(what, sprinkled(what, &hit));
	wgc_text_clear(&hit);
	return true;
}

/* Shrinking may have taken from the order itself: then it is none. */
static bool
is_hit(const wgc_case *what, wgc_text *stripped)
{
	wgc_text hit = wgc_known_text(what->number[0], "hit");
	*stripped = removed(what, &what->text[0]);
	bool same = wgc_text_same(&hit, stripped);
	wgc_text_clear(&hit);
	return same;
}

static bool
ask_hit(wgc_case *what, size_t stage)
{
	return stage == 0 && ask_text(what, &what->text[0]);
}

static void
check_hit(wgc_case *what)
{
	wgc_text stripped;
	if (is_hit(what, &stripped)) {
		wgc_text expected = delivered(&stripped, true);
		judge(what, 0, "an order with invisible characters in it", &expected, true);
		wgc_text_clear(&expected);
	}
	wgc_text_clear(&stripped);
}

static const wgc_method hits = {
	.generate = generate_hit, .ask = ask_hit, .check = check_hit,
};

const wgc_property wgc_p_mo1 = {
	.id = "P-MO1", .title = "what is stripped does not hide an order, wherever it is put in",
	.rules = (const char *const[]){ "M1.1", "M2.1", "M2.2", "M3.1", "M5.1", NULL },
	.level = "MUST", .claim = "safety", .component = "moderate",
	.operations = moderate_text, .choices = by_tags, .choice_count = 1,
	.method = &hits,
};

/* --- P-MO2 --- */

static bool
generate_far(wgc_case *what)
{
	static const uint32_t lengths[] = { 1991, 1990, 1992, 1993, 1999, 2000, 2001, 2010, 5000, 60000 };
	wgc_choices *c = what->choices;
	wgc_case_add_number(what, wgc_choose(c, wgc_known_count()));
	wgc_case_add_number(what, lengths[wgc_choose(c, 10)]);
	return true;
}

static wgc_text
far_text(const wgc_case *what)
{
	wgc_text out = { .form = WGC_SCALARS }, hit = wgc_known_text(what->number[0], "hit");
	for (uint32_t n = what->number[1]; n > 1; n--)
		wgc_push(&out, 'b');
	wgc_push(&out, '\n');
	wgc_push_all(&out, &hit);
	wgc_text_clear(&hit);
	return out;
}

static bool
ask_far(wgc_case *what, size_t stage)
{
	wgc_text text = far_text(what);
	bool asked = stage == 0 && ask_text(what, &text);
	wgc_text_clear(&text);
	return asked;
}

static void
check_far(wgc_case *what)
{
	wgc_text text = far_text(what), expected = delivered(&text, true);
	judge(what, 0, "an order behind the limit", &expected, true);
	wgc_text_clear(&text);
	wgc_text_clear(&expected);
}

static const wgc_method far = {
	.generate = generate_far, .ask = ask_far, .check = check_far, .share = 20,
};

const wgc_property wgc_p_mo2 = {
	.id = "P-MO2", .title = "an order behind the limit is marked, and cut off",
	.rules = (const char *const[]){ "M1.3", "M4.1", NULL },
	.level = "MUST", .claim = "safety", .component = "moderate",
	.operations = moderate_text, .method = &far,
};

/* --- P-MO3 --- */

static bool
ask_again(wgc_case *what, size_t stage)
{
	wgc_text text = { .form = WGC_SCALARS };
	if (stage > 0)
		return false;
	wgc_push_mark(&text);
	wgc_push_ascii(&text, "\n"); /* some orders begin a line */
	wgc_push_all(&text, &what->text[0]);
	ask_text(what, &text);
	wgc_text_clear(&text);
	return true;
}

static void
check_again(wgc_case *what)
{
	wgc_text stripped;
	if (is_hit(what, &stripped)) {
		wgc_text marked = { .form = WGC_SCALARS };
		wgc_push_mark(&marked);
		wgc_push_ascii(&marked, "\n");
		wgc_push_all(&marked, &stripped);
		wgc_text twice = delivered(&marked, true);
		judge(what, 0, "an order that is marked already", &twice, true);
		wgc_text_clear(&marked);
		wgc_text_clear(&twice);
	}
	wgc_text_clear(&stripped);
}

static const wgc_method again = {
	.generate = generate_hit, .ask = ask_again, .check = check_again, .share = 50,
};

const wgc_property wgc_p_mo3 = {
	.id = "P-MO3", .title = "a mark that is there already excuses nothing: it is stripped, marked and cut again",
	.rules = (const char *const[]){ "M6.1", NULL },
	.level = "MUST", .claim = "safety", .component = "moderate",
	.operations = moderate_text, .choices = by_tags, .choice_count = 1,
	.method = &again,
};

/* --- P-MO4, P-MO5: honest texts --- */

static wgc_text
neutral(wgc_case *what)
{
	static const uint32_t letters[] = { 'b', ' ', 'q', '\n', 0x4E2D, '1', '.', 0x3002 };
	wgc_text out = { .form = WGC_SCALARS };
	for (uint32_t n = wgc_choose(what->choices, 30); n > 0; n--)
		wgc_push(&out, letters[wgc_choose(what->choices, 8)]);
	return out;
}

static bool
generate_honest(wgc_case *what)
{
	wgc_case_add_number(what, wgc_choose(what->choices, wgc_known_count()));
	wgc_case_add_text(what, neutral(what));
	wgc_case_add_text(what, neutral(what));
	return true;
}

static wgc_text
honest_text(const wgc_case *what)
{
	wgc_text out = { .form = WGC_SCALARS }, twin = wgc_known_text(what->number[0], "benign");
	wgc_push_all(&out, &what->text[0]);
	wgc_push_ascii(&out, "\n");
	wgc_push_all(&out, &twin);
	wgc_push_ascii(&out, "\n");
	wgc_push_all(&out, &what->text[1]);
	wgc_text_clear(&twin);
	return out;
}

static bool
ask_honest(wgc_case *what, size_t stage)
{
	wgc_text text = honest_text(what);
	bool asked = stage == 0 && ask_text(what, &text);
	wgc_text_clear(&text);
	return asked;
}

static void
check_honest(wgc_case *what)
{
	wgc_text text = honest_text(what), stripped = removed(what, &text);
	wgc_text expected = delivered(&stripped, false);
	judge(what, 0, "an honest text", &expected, false);
	wgc_text_clear(&text);
	wgc_text_clear(&stripped);
	wgc_text_clear(&expected);
}

static const wgc_method honest = {
	.generate = generate_honest, .ask = ask_honest, .check = check_honest, .share = 50,
};

const wgc_property wgc_p_mo5 = {
	.id = "P-MO5", .title = "honest texts stay unmarked in any neutral company",
	.rules = (const char *const[]){ "M3.2", "M5.2", NULL },
	.level = "MUST", .claim = "exact", .component = "moderate",
	.operations = moderate_text, .method = &honest,
};

static bool
generate_clean(wgc_case *what)
{
	wgc_choices *c = what->choices;
	static const uint32_t kept[] = {
		'b', 0x200D, 0x200C, 0xAD, 0xFE0F, '\t', '\n', 0xE0100, 0x1F469,
		0x646, '\r', 0x200B, 0xE0041, 0x2028, 0x7F, 0xFEFF, 0x3164
	};
	wgc_text text = { .form = WGC_SCALARS };
	for (uint32_t n = wgc_choose(c, 40); n > 0; n--)
		wgc_push(&text, kept[wgc_choose(c, 17)]);
	if (wgc_choose_rarely(c, 8))
		for (uint32_t n = wgc_choose_between(c, 1990, 2010); n > 0; n--)
			wgc_push(&text, 'b');
	wgc_case_add_text(what, text);
	return true;
}

static void
check_clean(wgc_case *what)
{
	if (wgc_may_be_a_message(&what->text[0]))
		return;
	wgc_text stripped = removed(what, &what->text[0]);
	wgc_text expected = delivered(&stripped, false);
	judge(what, 0, "a clean text", &expected, false);
	wgc_text_clear(&stripped);
	wgc_text_clear(&expected);
}

static const wgc_method clean = {
	.generate = generate_clean, .ask = ask_hit, .check = check_clean,
};

const wgc_property wgc_p_mo4 = {
	.id = "P-MO4", .title = "a clean text is delivered stripped, cut if it is long, and otherwise as it was",
	.rules = (const char *const[]){ "M1.1", "M1.4", "M3.1", "M4.1", NULL },
	.level = "MUST", .claim = "exact", .component = "moderate",
	.operations = moderate_text, .choices = by_tags, .choice_count = 1,
	.method = &clean,
};
