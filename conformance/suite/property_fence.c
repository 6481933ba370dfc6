/* property_fence.c - the fence, whatever the text. */
#include "generate_text.h"
#include "oracle_fence.h"
#include "oracle_text.h"
#include "properties.h"

#include <string.h>

static bool
generate_one(wgc_case *what)
{
	wgc_text text = wgc_generate_hostile(what, 10);
	wgc_case_add_text(what, wgc_generate_ill_formed(what, text));
	return true;
}

static bool
ask_neutralize(wgc_case *what, size_t stage)
{
	if (stage > 0)
		return false;
	wgc_case_ask(what, "fence.neutralize", wgc_args_s(&what->text[0]));
	return true;
}

/* --- P-FN1 --- */

static void
check_forgery(wgc_case *what)
{
	wgc_text out;
	bool hardened = wgc_is_hardened(what);
	if (!wgc_case_text(what, 0, "s", &out))
		return;
	size_t at = wgc_forgery(&out, hardened);
	if (out.form != WGC_SCALARS)
		wgc_case_fails(what, "the output is ill-formed text");
	else if (at < out.len)
		wgc_case_fails(what, "a reader who drops what is invisible sees "
		                     "two '%c' together at %zu of the output",
		               wgc_bracket(out.at[at], hardened), at);
	wgc_text_clear(&out);
}

static const wgc_method forgery = {
	.generate = generate_one, .ask = ask_neutralize, .check = check_forgery,
	.share = 200,
};

static const char *const neutralize[] = { "fence.neutralize", NULL };
static const char *const in_hardened[] = { "hardened", NULL };

const wgc_property wgc_p_fn1 = {
	.id = "P-FN1", .title = "no delimiter can be forged: no two brackets of a kind are left together",
	.rules = (const char *const[]){ "F3.1", "F4.1", "F4.2", NULL },
	.level = "MUST", .claim = "safety", .component = "fence",
	.operations = neutralize, .method = &forgery,
};

/* --- P-FN2 --- */

static bool
generate_two(wgc_case *what)
{
	wgc_case_add_text(what, wgc_generate_hostile(what, 5));
	return generate_one(what);
}

static bool
ask_wrap(wgc_case *what, size_t stage)
{
	if (stage > 0)
		return false;
	cJSON *args = cJSON_CreateObject();
	cJSON_AddItemToObject(args, "label", wgc_wire(&what->text[0]));
	cJSON_AddItemToObject(args, "data", wgc_wire(&what->text[1]));
	wgc_case_ask(what, "fence.wrap", args);
	return true;
}

static bool
ends_with(const wgc_text *text, const char *ascii)
{
	size_t len = strlen(ascii);
	for (size_t i = 0; i < len; i++)
		if (text->len < len || text->at[text->len - len + i] !=
		                               (unsigned char)ascii[i])
			return false;
	return true;
}

static void
check_segment(wgc_case *what)
{
	wgc_text out;
	bool hardened = wgc_is_hardened(what);
	if (!wgc_case_text(what, 0, "s", &out))
		return;
	size_t begins = wgc_times_read(&out, WGC_BEGIN, hardened);
	size_t ends = wgc_times_read(&out, WGC_END, hardened);
	size_t less = wgc_adjacent(&out, '<', hardened);
	size_t greater = wgc_adjacent(&out, '>', hardened);
	if (begins != 1 || ends != 1)
		wgc_case_fails(what, "begin can be read %zu times, end %zu times",
		               begins, ends);
	else if (!ends_with(&out, "\n" WGC_END))
		wgc_case_fails(what, "it does not end with the end delimiter "
		                     "on a line of its own");
	else if (less != 4 || greater != 4)
		wgc_case_fails(what, "%zu pairs of '<' and %zu of '>' can be read, "
		                     "of the two delimiters 4 each",
		               less, greater);
	wgc_text_clear(&out);
}

static const wgc_method segment = {
	.generate = generate_two, .ask = ask_wrap, .check = check_segment,
};
static const char *const wrap[] = { "fence.wrap", NULL };

const wgc_property wgc_p_fn2 = {
	.id = "P-FN2", .title = "in a segment exactly one begin and one end can be read, whatever label and data say",
	.rules = (const char *const[]){ "F5.1", "F5.3", NULL },
	.level = "MUST", .claim = "safety", .component = "fence",
	.operations = wrap, .method = &segment,
};

/* --- P-FN3, P-FN9: the exact bytes --- */

static void
check_exact(wgc_case *what)
{
	wgc_text out, plain = wgc_decode(&what->text[0]);
	wgc_text expected = wgc_neutralized(&plain, wgc_is_hardened(what));
	if (wgc_case_text(what, 0, "s", &out)) {
		wgc_case_same(what, "neutralized text", &expected, &out);
		wgc_text_clear(&out);
	}
	wgc_text_clear(&plain);
	wgc_text_clear(&expected);
}

static const wgc_method exact = {
	.generate = generate_one, .ask = ask_neutralize, .check = check_exact,
};

const wgc_property wgc_p_fn3 = {
	.id = "P-FN3", .title = "a space after every member of a group, and nothing else changes",
	.rules = (const char *const[]){ "F3.1", "F3.2", "F3.3",
	                               "F3.4", "F9.2", "F10.1", "T2.1", NULL },
	.level = "MUST", .claim = "exact", .component = "fence",
	.operations = neutralize, .method = &exact,
};

static void
check_segment_exact(wgc_case *what)
{
	wgc_text out, label = wgc_decode(&what->text[0]);
	wgc_text data = wgc_decode(&what->text[1]);
	wgc_text expected = wgc_wrapped(&label, &data, wgc_is_hardened(what));
	if (wgc_case_text(what, 0, "s", &out)) {
		wgc_case_same(what, "segment", &expected, &out);
		wgc_text_clear(&out);
	}
	wgc_text_clear(&label);
	wgc_text_clear(&data);
	wgc_text_clear(&expected);
}

static const wgc_method segment_exact = {
	.generate = generate_two, .ask = ask_wrap, .check = check_segment_exact,
};

const wgc_property wgc_p_fn9 = {
	.id = "P-FN9", .title = "the bytes of a segment",
	.rules = (const char *const[]){ "F5.2", "F5.3", NULL },
	.level = "MUST", .claim = "exact", .component = "fence",
	.operations = wrap, .method = &segment_exact,
};

/* --- P-FN4 --- */

static bool
ask_twice(wgc_case *what, size_t stage)
{
	wgc_text out;
	if (stage == 0)
		return ask_neutralize(what, stage);
	if (stage > 1 || !wgc_case_text(what, 0, "s", &out))
		return false;
	wgc_case_ask(what, "fence.neutralize", wgc_args_s(&out));
	wgc_text_clear(&out);
	return true;
}

static void
check_idempotent(wgc_case *what)
{
	wgc_text once, twice;
	if (wgc_case_text(what, 0, "s", &once)) {
		if (wgc_case_text(what, 1, "s", &twice)) {
			wgc_case_same(what, "neutralized twice", &once, &twice);
			wgc_text_clear(&twice);
		}
		wgc_text_clear(&once);
	}
}

static const wgc_method idempotent = {
	.generate = generate_one, .ask = ask_twice, .check = check_idempotent,
	.share = 50,
};

const wgc_property wgc_p_fn4 = {
	.id = "P-FN4", .title = "neutralizing neutralized text changes nothing",
	.rules = (const char *const[]){ "F8.1", NULL },
	.level = "MUST", .claim = "exact", .component = "fence",
	.operations = neutralize, .method = &idempotent,
};

/* --- P-FN6 --- */

static bool
generate_value(wgc_case *what)
{
	wgc_choices *c = what->choices;
	static const char *const values[] = {
		"1", "true", "false", "", "-", "+", ".", "-.", "TRUE", "1e5",
		" 1", "1 ", "1\n", "0x1", "1,000", "null", "NaN", "--1", "+-1",
		"1-", "True", "falsee", "1.2.3", "12345678901234567890"
	};
	static const uint32_t digits[] = {
		'1', '0', '9', '.', '-', '+', 0x661, 0xFF11, 0x1D7CE, 0xB2,
		0x2460, 0x966, 'e', ' ', 0x200B, '/', ':', '\n', 0
	};
	wgc_text text = { .form = WGC_SCALARS };
	uint32_t kind = wgc_choose(c, 4);
	if (kind < 2) /* a known one, sometimes with more behind it */
		wgc_push_ascii(&text, values[wgc_choose(c, sizeof(values) / sizeof(*values))]);
	for (uint32_t n = kind == 0 ? 0 : wgc_choose(c, 6); n > 0; n--)
		wgc_push(&text, digits[wgc_choose(c, sizeof(digits) / sizeof(*digits))]);
	wgc_case_add_text(what, text);
	return true;
}

static bool
ask_needs(wgc_case *what, size_t stage)
{
	if (stage > 0)
		return false;
	wgc_case_ask(what, "fence.needs", wgc_args_s(&what->text[0]));
	return true;
}

static void
check_needs(wgc_case *what)
{
	if (!wgc_case_ok(what, 0))
		return;
	bool expected = wgc_needs_fence(&what->text[0]);
	const cJSON *needs = wgc_json_get(what->request[0].reply.body, "needs");
	if (!cJSON_IsBool(needs) || cJSON_IsTrue(needs) != expected)
		wgc_case_fails(what, expected ? "it needs a fence" : "it needs no fence");
}

static const wgc_method needs = {
	.generate = generate_value, .ask = ask_needs, .check = check_needs,
};

const wgc_property wgc_p_fn6 = {
	.id = "P-FN6", .title = "only plain numbers, true and false go without a fence",
	.rules = (const char *const[]){ "F6.1", NULL },
	.level = "MUST", .claim = "safety", .component = "fence",
	.operations = (const char *const[]){ "fence.needs", NULL },
	.method = &needs,
};

/* --- P-FN7 --- */

static bool
ask_same(wgc_case *what, size_t stage)
{
	return stage < 2 && ask_wrap(what, 0);
}

static void
check_same(wgc_case *what)
{
	wgc_text first, second;
	if (wgc_case_text(what, 0, "s", &first)) {
		if (wgc_case_text(what, 1, "s", &second)) {
			wgc_case_same(what, "the same segment again", &first, &second);
			wgc_text_clear(&second);
		}
		wgc_text_clear(&first);
	}
}

static const wgc_method same = {
	.generate = generate_two, .ask = ask_same, .check = check_same, .share = 20,
};

const wgc_property wgc_p_fn7 = {
	.id = "P-FN7", .title = "the same input gives the same bytes",
	.rules = (const char *const[]){ "F1.1", NULL },
	.level = "MUST", .claim = "exact", .component = "fence",
	.operations = wrap, .method = &same,
};

/* --- P-FN10 --- */

static bool
generate_three(wgc_case *what)
{
	for (int i = 0; i < 3; i++)
		wgc_case_add_text(what, wgc_generate_hostile(what, 3));
	return true;
}

static bool
ask_inline(wgc_case *what, size_t stage)
{
	for (size_t i = 0; stage == 0 && i < what->texts; i++)
		wgc_case_ask(what, "fence.inline", wgc_args_s(&what->text[i]));
	return stage == 0;
}

static void
check_inline(wgc_case *what)
{
	wgc_text all = { .form = WGC_SCALARS };
	for (size_t i = 0; i < what->texts; i++) {
		wgc_text out;
		if (wgc_case_text(what, i, "s", &out)) {
			wgc_push_all(&all, &out);
			wgc_text_clear(&out);
		}
	}
	size_t at = wgc_forgery(&all, true);
	if (at < all.len)
		wgc_case_fails(what, "put one after the other, two '%c' can be "
		                     "read together at %zu",
		               wgc_bracket(all.at[at], true), at);
	wgc_text_clear(&all);
}

static const wgc_method inlined = {
	.generate = generate_three, .ask = ask_inline, .check = check_inline,
};

const wgc_property wgc_p_fn10 = {
	.id = "P-FN10", .title = "inline values, put one after the other in any way, forge nothing",
	.rules = (const char *const[]){ "F8.2", NULL },
	.level = "MUST", .claim = "safety", .component = "fence",
	.profiles = in_hardened,
	.operations = (const char *const[]){ "fence.inline", NULL },
	.method = &inlined,
};

/* --- P-FN11 --- */

static void
check_keyword(wgc_case *what)
{
	wgc_text out;
	if (!wgc_case_text(what, 0, "s", &out))
		return;
	size_t at = wgc_keyword(&out);
	if (at < out.len)
		wgc_case_fails(what, "the delimiters' keyword can be read at %zu "
		                     "of the output", at);
	wgc_text_clear(&out);
}

static const wgc_method unread = {
	.generate = generate_one, .ask = ask_neutralize, .check = check_keyword,
};

const wgc_property wgc_p_fn11 = {
	.id = "P-FN11", .title = "the keyword of the delimiters cannot be read, in no letters",
	.rules = (const char *const[]){ "F9.1", NULL },
	.level = "MUST", .claim = "safety", .component = "fence",
	.profiles = in_hardened, .operations = neutralize, .method = &unread,
};

/* --- P-FN12 --- */

/* Nothing to choose: a case is a text that is wrapped between two askings. */
static bool
ask_constants(wgc_case *what, size_t stage)
{
	if (stage == 1)
		return ask_wrap(what, 0);
	if (stage < 3)
		wgc_case_ask(what, "fence.constants", cJSON_CreateObject());
	return stage < 3;
}

static bool
is_constant(wgc_case *what, size_t request, const char *member, const char *expected)
{
	wgc_text got, wanted = wgc_text_ascii(expected);
	bool read = wgc_case_text(what, request, member, &got);
	if (read)
		wgc_case_same(what, member, &wanted, &got);
	wgc_text_clear(&got);
	wgc_text_clear(&wanted);
	return read;
}

static void
check_constants(wgc_case *what)
{
	wgc_text first, last;
	if (!is_constant(what, 0, "begin", WGC_BEGIN) || !is_constant(what, 0, "end", WGC_END) ||
	    !wgc_case_text(what, 0, "contract", &first))
		return;
	if (first.len == 0)
		wgc_case_fails(what, "the contract is empty");
	if (wgc_case_text(what, 2, "contract", &last))
		wgc_case_same(what, "the contract again", &first, &last);
	wgc_text_clear(&last);
	wgc_text_clear(&first);
}

static const wgc_method constants = {
	.generate = generate_two, .ask = ask_constants, .check = check_constants, .share = 5,
};

const wgc_property wgc_p_fn12 = {
	.id = "P-FN12", .title = "the delimiters and the contract are constant, and the contract says something",
	.rules = (const char *const[]){ "F1.1", "F2.1", "F2.2", NULL },
	.level = "MUST", .claim = "exact", .component = "fence",
	.operations = (const char *const[]){ "fence.constants", "fence.wrap", NULL },
	.method = &constants,
};
