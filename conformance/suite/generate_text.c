/* generate_text.c - adversarial texts out of choices. */
#include "generate_text.h"
#include "oracle_fence.h"
#include "oracle_text.h"

#include <stdlib.h>
#include <string.h>

#define CHOOSE(c, list) (list)[wgc_choose((c), sizeof(list) / sizeof *(list))]

static uint32_t
member_of(wgc_choices *c, const wgc_set *set)
{
	return set->members[wgc_choose(c, (uint32_t)set->member_count)];
}

uint32_t
wgc_generate_invisible(wgc_case *what)
{
	wgc_choices *c = what->choices;
	const char *set = wgc_is_hardened(what) ? "strip_hardened"
	                                        : "strip_reference";
	static const uint32_t usual[] = { 0x200B, 0x202E, 0xFEFF, 0xE0001, 0x7F };
	if (wgc_choose(c, 2) == 0)
		return CHOOSE(c, usual);
	return member_of(c, wgc_set_named(set));
}

/* What the fence must see through: wider than what is removed. */
static uint32_t
bridge(wgc_case *what)
{
	wgc_choices *c = what->choices;
	/* Marks that compose, and what normalization makes a mark or a space. */
	static const uint32_t marks[] = { 0x338, 0x300, 0xFF9E, 0xA0, 0x3000, 0x34F, 0xFE0F, 0xFFA0 };
	switch (wgc_choose(c, 4)) {
	case 0: return 0x200B;
	case 1: return 0xE0041 + wgc_choose(c, 26);
	case 2: return wgc_generate_invisible(what);
	default:
		if (wgc_is_hardened(what) && wgc_choose(c, 3) == 2)
			return CHOOSE(c, marks);
		return member_of(c, wgc_fence_ignorable(wgc_is_hardened(what)));
	}
}

uint32_t
wgc_generate_edge(wgc_case *what)
{
	wgc_choices *c = what->choices;
	bool hardened = wgc_is_hardened(what);
	static const uint32_t known[] = {
		0xFF1C, 0xFF1E, 0x0338, 0xAD, 0xFE0F, 0xE0080, 0xE0100, 0x2010,
		0x2027, 0x202F, 0x205F, 0x180D, 0x3164, 0x115F, 0x2066, 0x7E,
		0x200C, 0x200D, 0xFFFD, 0xFFFC, 0x00A0, 0x3008, 0x300B, 0x22D8
	};
	static const char *const sets[] = {
		"strip_reference", "strip_hardened", "context_hardened",
		"fence_ignorable", "less", "greater"
	};
	if (wgc_choose(c, 3) == 0)
		return CHOOSE(c, known);
	const wgc_set *set = wgc_set_named(
		sets[wgc_choose(c, hardened ? sizeof(sets) / sizeof(*sets) : 1)]);
	return set->edges[wgc_choose(c, (uint32_t)set->edge_count)];
}

/* --- Pieces --- */

static void
bridges(wgc_case *what, wgc_text *out)
{
	/* Rarely a long one: no window is wide enough. */
	if (wgc_choose_rarely(what->choices, 60)) {
		uint32_t c = bridge(what);
		for (uint32_t n = wgc_choose_between(what->choices, 100, 600);
		     n > 0; n--)
			wgc_push(out, c);
		return;
	}
	for (uint32_t n = wgc_choose(what->choices, 4); n > 0; n--)
		wgc_push(out, bridge(what));
}

static uint32_t
any_bracket(wgc_case *what, char kind)
{
	bool odd = wgc_is_hardened(what) && wgc_choose(what->choices, 3) == 2;
	if (!odd)
		return (uint32_t)kind;
	return member_of(what->choices,
	                 wgc_set_named(kind == '<' ? "less" : "greater"));
}

static void
bracket_run(wgc_case *what, wgc_text *out)
{
	char kind = "<>"[wgc_choose(what->choices, 2)];
	for (uint32_t n = wgc_choose_between(what->choices, 1, 4); n > 0; n--) {
		wgc_push(out, any_bracket(what, kind));
		if (n > 1)
			bridges(what, out);
	}
}

static void
delimiter(wgc_case *what, wgc_text *out)
{
	wgc_choices *c = what->choices;
	const char *text = wgc_choose(c, 2) == 0 ? WGC_BEGIN : WGC_END;
	size_t len = strlen(text), end = len;
	bool everywhere = wgc_choose(c, 2) == 1;
	size_t gap = wgc_choose(c, (uint32_t)len);
	if (wgc_choose_rarely(c, 4))
		end = wgc_choose(c, (uint32_t)len);
	for (size_t i = 0; i < end; i++) {
		wgc_push(out, (unsigned char)text[i]);
		if (everywhere || i == gap)
			wgc_push(out, bridge(what));
	}
}

/* The keyword in other letters, with what a reader skips between. */
static void
keyword(wgc_case *what, wgc_text *out)
{
	wgc_choices *c = what->choices;
	static const uint32_t between[] = { '_', ' ', 0x200B, '-', '.', '\t', '~', '\n' };
	const char *letters = wgc_choose(c, 4) < 3 ? "xpydata" : "xpydat";
	for (const char *p = letters; *p != '\0'; p++) {
		char one[2] = { *p, '\0' };
		const wgc_set *set = wgc_readings_of("keyword_letters", one);
		wgc_push(out, wgc_choose(c, 2) == 0 ? (uint32_t)(unsigned char)*p
		                                    : member_of(c, set));
		if (wgc_choose(c, 3) == 2)
			wgc_push(out, CHOOSE(c, between));
	}
}

static void
chat_token(wgc_case *what, wgc_text *out)
{
	wgc_choices *c = what->choices;
	static const char *const marks[] = {
		"<|im_start|>", "<s>", "</s>", "[INST]", "[/INST]", "<<SYS>>",
		"<start_of_turn>", "<think>", "</tool_call>", "[TOOL_CALLS]",
		"[inst]", "<|", "<pad>"
	};
	for (const char *p = CHOOSE(c, marks); *p != '\0'; p++) {
		char one[2] = { *p, '\0' };
		const wgc_set *set = wgc_readings_of("token_fold", one);
		bool odd = set != NULL && wgc_choose(c, 4) == 3;
		wgc_push(out, odd ? member_of(c, set) : (uint32_t)(unsigned char)*p);
		if (wgc_choose_rarely(c, 8))
			wgc_push(out, bridge(what));
	}
}

static void
long_run(wgc_case *what, wgc_text *out)
{
	uint32_t c = wgc_choose(what->choices, 2) == 0 ? 'a' : 0x200B;
	for (uint32_t n = wgc_choose_between(what->choices, 1000, 9000); n > 0; n--)
		wgc_push(out, c);
}

static void
character(wgc_case *what, wgc_text *out)
{
	wgc_choices *c = what->choices;
	static const uint32_t others[] = {
		' ', '\n', '\r', '\t', 0x85, 0x4E2D, 0x1F600, 0xFF41, 0x627,
		0xE9, '|', '/', '"', '\\', '{', '$', 0x10FFFD, '_', '~'
	};
	switch (wgc_choose(c, 3)) {
	case 0: wgc_push(out, 'a' + wgc_choose(c, 26)); return;
	case 1: wgc_push(out, CHOOSE(c, others)); return;
	default: wgc_push(out, wgc_generate_edge(what)); return;
	}
}

static void
piece(wgc_case *what, wgc_text *out)
{
	wgc_choices *c = what->choices;
	switch (wgc_choose(c, 12)) {
	case 0: case 1: character(what, out); return;
	case 2: case 3: case 4: bracket_run(what, out); return;
	case 5: bridges(what, out); return;
	case 6: wgc_push(out, wgc_generate_edge(what)); return;
	case 7: delimiter(what, out); return;
	case 8: { /* a bracket, something, a bracket of the same kind */
		char kind = "<>"[wgc_choose(c, 2)];
		wgc_push(out, any_bracket(what, kind));
		character(what, out);
		wgc_push(out, any_bracket(what, kind));
		return;
	}
	case 9:
		if (wgc_is_hardened(what))
			keyword(what, out);
		else
			delimiter(what, out);
		return;
	case 10:
		chat_token(what, out);
		return;
	default:
		if (wgc_choose_rarely(c, 12))
			long_run(what, out);
		else
			wgc_push_ascii(out, "\r\n");
		return;
	}
}

wgc_text
wgc_generate_hostile(wgc_case *what, uint32_t pieces)
{
	wgc_text out = { .form = WGC_SCALARS };
	for (uint32_t n = wgc_choose(what->choices, pieces + 1); n > 0; n--)
		piece(what, &out);
	return out;
}

/* --- Around a limit --- */

static void
invisibles(wgc_case *what, wgc_text *out)
{
	wgc_choices *c = what->choices;
	uint32_t n = wgc_choose(c, 5), one = wgc_generate_invisible(what);
	if (wgc_choose_rarely(c, 20))
		n = wgc_choose_between(c, 10, 200);
	else if (wgc_choose_rarely(c, 150))
		n = wgc_choose_between(c, 4000, 40000);
	for (; n > 0; n--)
		wgc_push(out, one);
}

static uint32_t
visible(wgc_case *what)
{
	wgc_choices *c = what->choices;
	static const uint32_t others[] = {
		'\t', '\n', '\r', 0x4E2D, 0x1F600, 0xE9, ' ', '.', 0x2026, 0x301
	};
	switch (wgc_choose(c, 8)) {
	case 0: case 1: case 2: case 3: return 'a' + wgc_choose(c, 26);
	case 4: case 5: return CHOOSE(c, others);
	case 6: return 0x10000 + wgc_choose(c, 0x400);
	default: return wgc_generate_edge(what);
	}
}

wgc_text
wgc_generate_padded(wgc_case *what, size_t limit)
{
	wgc_choices *c = what->choices;
	wgc_text out = { .form = WGC_SCALARS };
	/* Most of a long text need not be chosen letter by letter. */
	size_t head = limit > 24 ? limit - wgc_choose(c, 16) : 0;
	invisibles(what, &out);
	for (size_t i = 0; i < head; i++)
		wgc_push(&out, 'a');
	size_t most = limit - head + 3;
	for (uint32_t n = wgc_choose(c, (uint32_t)most + 1); n > 0; n--) {
		if (wgc_choose(c, 3) == 2)
			invisibles(what, &out);
		wgc_push(&out, visible(what));
	}
	invisibles(what, &out);
	return out;
}

/* --- Small limits, so that every text is about as long as one --- */

void
wgc_vary_limits(wgc_choices *c, const wgc_subject *subject, wgc_setup *setup)
{
	static const uint32_t limits[] = {
		10, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 100, 1000
	};
	for (int i = 0; i < WGC_SOURCES; i++) {
		char *name = wgc_format("sanitize.limits.%s", wgc_source_names[i]);
		uint32_t limit = limits[wgc_choose(c, sizeof(limits) / sizeof(*limits))];
		if (!wgc_is_fixed(subject->hello, name))
			setup->limits[i] = limit;
		free(name);
	}
}

wgc_source
wgc_case_source(const wgc_case *what)
{
	return (wgc_source)(what->number[0] % WGC_SOURCES);
}

size_t
wgc_case_limit(const wgc_case *what)
{
	return what->subject->setup->limits[wgc_case_source(what)];
}

/* --- In context (S2) --- */

/* What the rules of S2 ask about, in the order in which they do. */
static uint32_t
neighbour(wgc_case *what)
{
	wgc_choices *c = what->choices;
	static const char *const sets[] = {
		"extended_pictographic", "virama", "joining", "mark", "jamo_leading",
		"jamo_vowel", "figure", "unified_ideograph"
	};
	static const uint32_t known[] = {
		'a', '1', '#', '\n', '\r', 0x20E3, 0x1F3F4, 0x1F3FB, 0x1F1E6, 0x1F1FF,
		0x1BC00, 0x1BC9F, 0x9B0, 0x9F0, 0xCB0, 0x1F469, 0x645, 0x64B, 0x4E08, 0xAC00
	};
	if (wgc_choose(c, 3) == 0)
		return CHOOSE(c, known);
	return member_of(c, wgc_set_named(CHOOSE(c, sets)));
}

static uint32_t
hidden(wgc_case *what)
{
	wgc_choices *c = what->choices;
	static const uint32_t known[] = {
		0x200D, 0x200C, 0xFE0F, 0xFE0E, 0xE0100, 0xAD, 0x34F, 0x115F, 0x1160, 0x180B,
		0x1BCA0, 0x200B, 0xE0067, '\r'
	};
	if (wgc_choose(c, 4) < 3)
		return CHOOSE(c, known);
	return member_of(c, wgc_set_named("context_hardened"));
}

/* A base that is listed with the selector that follows. */
static void
variation(wgc_case *what, wgc_text *out)
{
	wgc_choices *c = what->choices;
	static const uint32_t selectors[] = { 0xFE0F, 0xFE0E, 0xFE00, 0x180B };
	uint32_t selector = CHOOSE(c, selectors);
	wgc_push(out, member_of(c, wgc_bases_of(selector)));
	if (wgc_choose_rarely(c, 4))
		wgc_push(out, wgc_generate_invisible(what));
	wgc_push(out, selector);
}

static void
flag(wgc_case *what, wgc_text *out)
{
	wgc_choices *c = what->choices;
	static const char *const names[] = { "gbeng\x7F", "gbsct\x7F", "gbwls\x7F", "gbnir\x7F", "us\x7F" };
	const char *name = CHOOSE(c, names);
	wgc_push(out, 0x1F3F4);
	for (size_t i = 0; name[i] != '\0'; i++) {
		if (wgc_choose_rarely(c, 16))
			wgc_push(out, hidden(what));
		if (!wgc_choose_rarely(c, 20))
			wgc_push(out, 0xE0000 + (uint32_t)name[i]);
	}
}

/* Around 16 of what may stay 16 times. */
static void
rare(wgc_case *what, wgc_text *out)
{
	static const uint32_t kinds[][3] = { { 0x4E08, 0xE0100, 0 }, { 'a', 0x34F, 0x300 }, { '1', 0xAD, '2' } };
	const uint32_t *kind = kinds[wgc_choose(what->choices, 3)];
	for (uint32_t n = wgc_choose_between(what->choices, 15, 18); n > 0; n--)
		for (size_t i = 0; i < 3; i++)
			if (kind[i] != 0)
				wgc_push(out, kind[i]);
}

static void
keycap(wgc_case *what, wgc_text *out)
{
	wgc_push(out, (uint32_t)"1#*a0"[wgc_choose(what->choices, 5)]);
	wgc_push(out, 0xFE0F);
	wgc_push(out, 0x20E3);
}

static void
cluster(wgc_case *what, wgc_text *out)
{
	for (uint32_t n = wgc_choose_between(what->choices, 1, 2); n > 0; n--)
		wgc_push(out, neighbour(what));
	for (uint32_t n = wgc_choose(what->choices, 4); n > 0; n--)
		wgc_push(out, wgc_choose_rarely(what->choices, 6) ? wgc_generate_invisible(what) : hidden(what));
}

wgc_text
wgc_generate_context(wgc_case *what)
{
	wgc_choices *c = what->choices;
	wgc_text out = { .form = WGC_SCALARS };
	if (wgc_choose_rarely(c, 4))
		wgc_push(&out, hidden(what));
	for (uint32_t n = wgc_choose_between(c, 1, 8); n > 0; n--) {
		switch (wgc_choose(c, 10)) {
		case 6: variation(what, &out); break;
		case 7: flag(what, &out); break;
		case 8: keycap(what, &out); break;
		case 9:
			if (wgc_choose_rarely(c, 4))
				rare(what, &out);
			break;
		default: cluster(what, &out); break;
		}
	}
	return out;
}

/* --- Ill-formed --- */

static wgc_text
bytes_of(const wgc_text *text)
{
	wgc_text out = { .form = WGC_BYTES };
	uint8_t *bytes;
	size_t len;
	if (!wgc_text_bytes(text, &bytes, &len))
		return out;
	for (size_t i = 0; i < len; i++)
		wgc_push(&out, bytes[i]);
	free(bytes);
	return out;
}

static void
bad_bytes(wgc_choices *c, wgc_text *out)
{
	static const char *const bad[] = {
		"\xFF", "\xC0\xBC", "\xE2\x80", "\xED\xA0\x80", "\x80",
		"\xF4\x90\x80\x80", "\xF0\x9F\x98", "\xC1\x80", "\xE0\x80\xBC"
	};
	for (const char *p = CHOOSE(c, bad); *p != '\0'; p++)
		wgc_push(out, (unsigned char)*p);
}

static wgc_text
with_bad_bytes(wgc_choices *c, const wgc_text *text)
{
	wgc_text out = { .form = WGC_BYTES }, bytes = bytes_of(text);
	size_t at = wgc_choose(c, (uint32_t)bytes.len + 1);
	for (size_t i = 0; i < bytes.len; i++) {
		if (i == at || wgc_choose_rarely(c, 30))
			bad_bytes(c, &out);
		wgc_push(&out, bytes.at[i]);
	}
	if (at == bytes.len)
		bad_bytes(c, &out);
	wgc_text_clear(&bytes);
	return out;
}

static wgc_text
with_lone_surrogate(wgc_choices *c, const wgc_text *text)
{
	wgc_text out = { .form = WGC_UTF16 };
	size_t at = wgc_choose(c, (uint32_t)text->len + 1);
	for (size_t i = 0; i <= text->len; i++) {
		if (i == at)
			wgc_push(&out, wgc_choose(c, 2) == 0 ? 0xDC00 : 0xD83D);
		if (i == text->len)
			break;
		uint32_t one = text->at[i];
		if (one >= 0x10000)
			wgc_push(&out, 0xD800 + ((one - 0x10000) >> 10));
		wgc_push(&out, one < 0x10000 ? one
		                             : 0xDC00 + ((one - 0x10000) & 0x3FF));
	}
	return out;
}

wgc_text
wgc_generate_ill_formed(wgc_case *what, wgc_text text)
{
	const cJSON *hello = what->subject->hello;
	wgc_choices *c = what->choices;
	if (text.len > 2000 || !wgc_choose_rarely(c, 8))
		return text;
	wgc_text out;
	if (wgc_has_feature(hello, "text.bytes"))
		out = with_bad_bytes(c, &text);
	else if (wgc_has_feature(hello, "text.utf16"))
		out = with_lone_surrogate(c, &text);
	else
		return text;
	wgc_text_clear(&text);
	return out;
}
