/* sanitize.c - strip what a reader cannot see, then cut.
 *
 * Most invisible characters go wherever they stand. Some have honest uses in
 * one place and carry hidden bits in all others (S2): they stay in that place.
 * What is in front of the cursor is remembered, and a joiner is held back until
 * the next visible character says whether it may stay, so that nothing that was
 * written is ever taken back: a cut just forgets what is held (S3). */
#include "../internal.h"

#include <string.h>
#include <wicketgate/sanitize.h>
#include <wicketgate/table.h>

uint32_t
wkg__strip_sets(wkg_profile profile)
{
	switch (profile) {
	case WKG_PROFILE_REFERENCE:
		return WKG_SET_STRIP_REFERENCE;
	case WKG_PROFILE_HARDENED:
		return WKG_SET_STRIP_HARDENED | WKG_SET_CONTEXT_HARDENED;
	case WKG_PROFILE_INVALID:
		break;
	}
	return 0;
}

/* No default: a sixth source must not compile until it has a limit (S4). */
size_t
wkg_source_limit(const wkg_source_limits *limits, wkg_source source)
{
	switch (source) {
	case WKG_SOURCE_CHAT: return limits->chat;
	case WKG_SOURCE_WEBHOOK: return limits->webhook;
	case WKG_SOURCE_FORM_EVENT: return limits->form_event;
	case WKG_SOURCE_RETRIEVAL: return limits->retrieval;
	case WKG_SOURCE_TOOL_RESULT: return limits->tool_result;
	case WKG_SOURCE_INVALID: break;
	}
	return 0;
}

static bool
equals(wkg_span a, wkg_span b)
{
	return a.ptr != NULL && a.len == b.len &&
	       memcmp(a.ptr, b.ptr, a.len) == 0;
}

wkg_source
wkg_source_from_trigger(wkg_span trigger_type)
{
	static const wkg_span webhook = WKG_LIT("webhook");
	static const wkg_span chat = WKG_LIT("chat");

	if (equals(trigger_type, webhook))
		return WKG_SOURCE_WEBHOOK;
	if (equals(trigger_type, chat))
		return WKG_SOURCE_CHAT;
	/* A schedule's payload is made by the platform and passes untouched;
	 * the day somebody puts outside data into one, truncation and dropping
	 * are reported for it too (S5). */
	return WKG_SOURCE_FORM_EVENT;
}

wkg_sanitize_config
wkg_sanitize_config_default(wkg_profile profile)
{
	wkg_sanitize_config config = {
		.profile = profile,
		.unit = WKG_UNIT_CODEPOINT,
		.limits = {
			.chat = 4000,
			.webhook = 32768,
			.form_event = 8192,
			.retrieval = 4000,
			.tool_result = 16384,
		},
		.max_depth = WKG_PAYLOAD_DEPTH_DEFAULT,
	};
	return config;
}

wkg_status
wkg_sanitize_config_check(const wkg_sanitize_config *config)
{
	if (config == NULL || !wkg__profile_known(config->profile))
		return WKG_E_ARGUMENT;
	if (wkg_utf8_units('a', config->unit) == 0)
		return WKG_E_ARGUMENT;
	if (config->max_depth < 1 || config->max_depth > WKG_PAYLOAD_DEPTH_MAX)
		return WKG_E_ARGUMENT;
	/* As many sources as there are limits: one without the other is found
	 * here, whichever was forgotten. */
	const int sources = sizeof config->limits / sizeof config->limits.chat;
	for (int s = 1; s <= sources; s++)
		if (wkg_source_limit(&config->limits, (wkg_source)s) < 1)
			return WKG_E_ARGUMENT;
	return WKG_OK;
}

enum {
	SOFT_HYPHEN = 0x00AD,
	GRAPHEME_JOINER = 0x034F,
	CHOSEONG_FILLER = 0x115F,
	JUNGSEONG_FILLER = 0x1160,
	ZWNJ = 0x200C,
	ZWJ = 0x200D,
	KEYCAP = 0x20E3,
	EMOJI_STYLE = 0xFE0F, /* variation selector 16 */
	REGION_FIRST = 0x1F1E6, REGION_LAST = 0x1F1FF, /* two are a flag */
	DUPLOYAN_FIRST = 0x1BC00, DUPLOYAN_LAST = 0x1BC9F, /* shorthand */
	LETTER_OVERLAP = 0x1BCA0, CONTINUING_OVERLAP, DOWN_STEP, UP_STEP,
	SKIN_TONE_FIRST = 0x1F3FB, SKIN_TONE_LAST = 0x1F3FF,
	BLACK_FLAG = 0x1F3F4,
	TAG = 0xE0000, /* and ASCII on top */
	TAG_LAST = 0xE007F,
	IDEOGRAPHIC_FIRST = 0xE0100, IDEOGRAPHIC_LAST = 0xE01EF,
};

/* What needs no joiner in every line of any language: a value with more than
 * these few says something else with them, and loses them all. */
enum rare { IDEOGRAPHIC_SELECTORS, SOFT_HYPHENS, GRAPHEME_JOINERS, RARE_KINDS };
#define RARE_MAX 16

/* A text on its way from `in` to `out`. */
typedef struct passage {
	wkg_buf *out; /* NULL: only count */
	wkg_span in;
	size_t from;
	size_t at;
	const wkg__notation *notation;
	const wkg__rule *rule;
	wkg_sanitize_report *report;
	size_t room;
	bool cut;

	/* What is in front of the cursor, for the rules of S2. */
	uint32_t base; /* the last visible character; 0: none yet */
	uint32_t sets; /* its sets, and those that show through it */
	bool selected; /* it has had its selector */
	uint32_t held; /* the first joiner behind it; 0: none */
	size_t tags;   /* how many more belong to the flag */
	bool half_pair; /* the first of two regional indicators */

	bool counting; /* the rare ones, instead of judging them */
	bool counted;
	size_t rare[RARE_KINDS];
} passage;

static bool
between(uint32_t code, uint32_t first, uint32_t last)
{
	return code >= first && code <= last;
}

static bool
by_context(const passage *p)
{
	return (p->rule->strip & WKG_SET_CONTEXT_HARDENED) != 0;
}

static wkg_status strip_all(passage *p);

/* May these stay, being rare? It takes a walk over the whole text to know; one,
 * made when the first of them is met. */
static bool
is_few(passage *p, enum rare kind)
{
	if (p->counting) {
		p->rare[kind]++;
		return true;
	}
	if (!p->counted) {
		wkg_sanitize_report ignored = { 0 };
		passage all = {
			.in = p->in, .from = p->from, .at = p->from,
			.notation = p->notation, .rule = p->rule,
			.report = &ignored, .counting = true,
		};
		/* Not a recursion: a count asks for no other. */
		if (strip_all(&all) != WKG_OK)
			return false; /* cannot happen, nothing is written */
		memcpy(p->rare, all.rare, sizeof p->rare);
		p->counted = true;
	}
	return p->rare[kind] <= RARE_MAX;
}

/* ---- what may stay where (S2) ------------------------------------------- */

static bool
is_selector(uint32_t code)
{
	return between(code, 0xFE00, 0xFE0F) || between(code, 0x180B, 0x180F) ||
	       between(code, IDEOGRAPHIC_FIRST, IDEOGRAPHIC_LAST);
}

/* May the visible character in front have this selector? "Any letter may have
 * one" would be four bits a letter, or eight. */
static bool
may_select(passage *p, uint32_t selector)
{
	if (between(selector, IDEOGRAPHIC_FIRST, IDEOGRAPHIC_LAST))
		return p->sets & WKG_SET_IDEOGRAPH &&
		       is_few(p, IDEOGRAPHIC_SELECTORS);
	return wkg__is_variation(p->base, selector);
}

/* RA that is to keep its shape before a virama: Bengali and Assamese ya-phala,
 * Kannada (Unicode 15.0, 12.2 and 12.8). Elsewhere a joiner follows it. */
static bool
is_joined_ra(uint32_t code)
{
	return code == 0x09B0 || code == 0x09F0 || code == 0x0CB0;
}

/* May the joiner that is held stand before this character? `next` is 0, in no
 * set, at the end of the text. */
static bool
may_join(passage *p, uint32_t next, uint32_t next_sets)
{
	const uint32_t both = p->sets & next_sets;
	switch (p->held) {
	case ZWJ: /* RFC 5892 A.2, and emoji */
		return p->sets & WKG_SET_VIRAMA || both & WKG_SET_PICTOGRAPH ||
		       (is_joined_ra(p->base) && next_sets & WKG_SET_VIRAMA);
	case ZWNJ: /* RFC 5892 A.1 */
		return p->sets & WKG_SET_VIRAMA || both & WKG_SET_JOINING;
	case CHOSEONG_FILLER: /* for a missing consonant: Old Korean */
		return !(p->sets & WKG_SET_LEADING) && next_sets & WKG_SET_VOWEL;
	case JUNGSEONG_FILLER: /* for a missing vowel */
		return p->sets & WKG_SET_LEADING && !(next_sets & WKG_SET_VOWEL);
	case EMOJI_STYLE: /* held behind ASCII only: 1, U+FE0F, U+20E3 */
		return next == KEYCAP && wkg__is_variation(p->base, EMOJI_STYLE);
	case GRAPHEME_JOINER: /* Hebrew points in an order of their own */
		return p->base != 0 && next_sets & WKG_SET_MARK &&
		       is_few(p, GRAPHEME_JOINERS);
	case SOFT_HYPHEN: /* beside a letter it is a hint and no loss; here it
		           * may be a minus, or a byte of another encoding */
		return both & WKG_SET_FIGURE && is_few(p, SOFT_HYPHENS);
	case LETTER_OVERLAP: case CONTINUING_OVERLAP: case DOWN_STEP: case UP_STEP:
		return between(p->base, DUPLOYAN_FIRST, DUPLOYAN_LAST) &&
		       between(next, DUPLOYAN_FIRST, DUPLOYAN_LAST);
	}
	return false;
}

/* ---- what is cut together (S3) ------------------------------------------ */

/* The next character that is in none of these sets, from `*at` on. A CR
 * counts as the line feed it will be. */
static wkg_char
next_outside(const passage *p, size_t *at, uint32_t sets)
{
	for (;;) {
		wkg_char c = p->notation->read(p->in, *at);
		*at += c.len;
		if (c.len == 0 || c.code == '\r' ||
		    !(wkg_table_sets(c.code) & sets))
			return c;
	}
}

/* The length in tags of the flag behind a black one; 0 if there is none. Three
 * exact flags: whatever else tags may spell was a way around this twice
 * (SkillSpector #167, hermes-agent #80689). */
static size_t
tags_of_flag(const passage *p)
{
	static const char *const flags[] = { "gbeng\x7F", "gbsct\x7F", "gbwls\x7F" };
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		const char *tag = flags[i];
		size_t at = p->at;
		while (*tag != '\0' &&
		       next_outside(p, &at, WKG_SET_STRIP_HARDENED).code ==
		       TAG + (uint32_t)*tag)
			tag++;
		if (*tag == '\0')
			return (size_t)(tag - flags[i]);
	}
	return 0;
}

static bool
is_region(uint32_t code)
{
	return between(code, REGION_FIRST, REGION_LAST);
}

static bool
region_follows(const passage *p)
{
	size_t at = p->at;
	return is_region(next_outside(p, &at, p->rule->strip).code);
}

/* The units that must fit for this visible character to be written: a flag is
 * whole or it is not there. */
static size_t
units_together(passage *p, uint32_t code)
{
	size_t units = wkg_utf8_units(code, p->rule->unit);
	if (code < REGION_FIRST || !by_context(p)) {
		p->half_pair = false;
		return units;
	}
	p->half_pair = is_region(code) && !p->half_pair && region_follows(p);
	if (p->half_pair)
		return 2 * units;
	p->tags = code == BLACK_FLAG ? tags_of_flag(p) : 0;
	return units + p->tags * wkg_utf8_units(TAG, p->rule->unit);
}

/* ---- the walk ----------------------------------------------------------- */

/* Write a character, if there is room for that many units. */
static wkg_status
keep(passage *p, uint32_t code, size_t units)
{
	/* Once cut, stay cut: under utf16 and byte a later, smaller character
	 * could still fit and would close up the text. */
	p->cut = p->cut || units > p->room;
	if (p->cut)
		return WKG_OK;
	p->room -= wkg_utf8_units(code, p->rule->unit);
	return p->out == NULL ? WKG_OK : p->notation->write(p->out, code);
}

/* What is held stays or goes, now that it is known what comes behind it. */
static wkg_status
settle(passage *p, uint32_t next, uint32_t next_sets, size_t next_units)
{
	const uint32_t held = p->held;
	bool stays = may_join(p, next, next_sets);
	p->held = 0;
	if (stays) /* never last before a cut (S3) */
		return keep(p, held, next_units + wkg_utf8_units(held, p->rule->unit));
	p->report->stripped++;
	return WKG_OK;
}

static wkg_status
see(passage *p, uint32_t code, uint32_t sets)
{
	size_t units = units_together(p, code);
	if (p->tags > 0) /* nothing joins a flag */
		sets = 0;
	if (p->held != 0)
		WKG_TRY(settle(p, code, sets, units));

	/* A mark does not part two letters, a skin tone no emoji. */
	uint32_t through = sets & WKG_SET_MARK ? WKG_SET_JOINING : 0;
	if (between(code, SKIN_TONE_FIRST, SKIN_TONE_LAST))
		through = WKG_SET_PICTOGRAPH;
	p->sets = sets | (p->sets & through);
	p->base = code;
	p->selected = false;
	return keep(p, code, units);
}

static wkg_status
see_tag(passage *p, uint32_t code)
{
	if (p->tags == 0) {
		p->report->stripped++;
		return WKG_OK;
	}
	p->tags--;
	p->base = code;
	return keep(p, code, wkg_utf8_units(code, p->rule->unit));
}

/* HTML's reading of line ends: nobody's lines are joined, as they are by the
 * reference, which deletes CR. */
static wkg_status
see_return(passage *p)
{
	if (p->notation->read(p->in, p->at).code == '\n') {
		p->report->stripped++;
		return WKG_OK;
	}
	p->report->replaced++;
	return see(p, '\n', 0);
}

/* A character that stays only in its place. At most one selector and then one
 * joiner behind a visible character: of more than one the first counts. */
static wkg_status
see_in_context(passage *p, uint32_t code)
{
	if (code == '\r')
		return see_return(p);
	if (between(code, TAG, TAG_LAST))
		return see_tag(p, code);
	if (p->held != 0) {
		p->report->stripped++;
		return WKG_OK;
	}
	/* In text of ASCII letters nothing hides, not even in its digits: they
	 * have selectors in keycaps only. */
	bool keycap = p->base < 0x80 && code == EMOJI_STYLE;
	if (keycap || !is_selector(code)) {
		p->held = code;
		return WKG_OK;
	}
	if (p->selected || p->base < 0x80 || !may_select(p, code)) {
		p->report->stripped++;
		return WKG_OK;
	}
	p->selected = true;
	if (code != EMOJI_STYLE) /* not an emoji then */
		p->sets &= ~(uint32_t)WKG_SET_PICTOGRAPH;
	return keep(p, code, wkg_utf8_units(code, p->rule->unit));
}

static wkg_status
strip_all(passage *p)
{
	for (;;) {
		wkg_char c = p->notation->read(p->in, p->at);
		if (c.len == 0)
			return p->held == 0 ? WKG_OK : settle(p, 0, 0, 0);
		p->at += c.len;
		p->report->replaced += c.ill_formed;
		uint32_t sets = wkg_table_sets(c.code);
		/* Before the limit is looked at: a stripped character must not
		 * use up room that visible ones need (S3). */
		if (sets & p->rule->strip & WKG_SET_CONTEXT_HARDENED)
			WKG_TRY(see_in_context(p, c.code));
		else if (sets & p->rule->strip)
			p->report->stripped++;
		else
			WKG_TRY(see(p, c.code, sets));
	}
}

wkg_status
wkg__sanitize(wkg_buf *out, wkg_span in, size_t at, const wkg__notation *notation,
              const wkg__rule *rule, wkg_sanitize_report *report)
{
	passage p = {
		.out = out, .in = in, .from = at, .at = at,
		.notation = notation, .rule = rule, .report = report,
		.room = rule->limit,
	};
	WKG_TRY(strip_all(&p));
	report->truncated += p.cut;
	return WKG_OK;
}

static wkg_char
read_plain(wkg_span in, size_t at)
{
	static const wkg_char end = { 0, 0, false };
	return at < in.len ? wkg_utf8_decode(in, at) : end;
}

const wkg__notation wkg__plain_text = { read_plain, wkg__put };

size_t
wkg_sanitize_bound(size_t n)
{
	return wkg__multiply(n, 3);
}

wkg_status
wkg_sanitize(wkg_buf *out, wkg_span in, wkg_source source,
             const wkg_sanitize_config *config, wkg_sanitize_report *report)
{
	WKG_TRY(wkg__check_spans(out, in));
	WKG_TRY(wkg_sanitize_config_check(config));

	wkg__rule rule = {
		.strip = wkg__strip_sets(config->profile),
		.unit = config->unit,
		.limit = wkg_source_limit(&config->limits, source),
	};
	if (rule.limit == 0) /* not a source */
		return WKG_E_ARGUMENT;

	wkg_buf result = *out;
	wkg_sanitize_report counts = { 0 };
	WKG_TRY(wkg__sanitize(&result, in, 0, &wkg__plain_text, &rule, &counts));
	*out = result;
	if (report != NULL)
		*report = counts;
	return WKG_OK;
}
