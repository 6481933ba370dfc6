/* The theorem of F4, however the text is read, for all short texts.
 *
 *     claims-readings [LONGEST]
 *
 * A reader may do any of these to what the fence wrote, in any order and any
 * number of times: drop any of the characters that may be ignorable, bring the
 * text into one of the four normalization forms, fold its case, take a bracket
 * look-alike for the bracket, make several spaces one. Every text that can be
 * reached in this way is reached here, and none may have two brackets of one
 * kind side by side (three, where two CJK quotation marks stood in the text), or
 * spell the keyword of the delimiters on one line, whatever is passed over (F9).
 *
 * The judge is utf8proc, for the version of Unicode that it has (15.0 in Debian
 * 12), and the two lists below; it shares nothing with the library's tables. */
#include "harness.h"

#include <utf8proc.h>

#include "../src/text/guard.h"

/* ---- what a reader may see in a character ---- */

static bool
is_one_of(int32_t code, const int32_t *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == code)
			return true;
	return false;
}

/* '<', '>' or 0. Written down once more, from what people were shown to use. */
static int
kind_of(int32_t code)
{
	static const int32_t less[] = {
		0x3C, 0xAB, 0x2C2, 0x1438, 0x1444, 0x1445, 0x150C, 0x16B2, 0x2039, 0x226A, 0x226E, 0x22D6,
		0x22D8, 0x2329, 0x276C, 0x276E, 0x2770, 0x27E8, 0x27EA, 0x27EC, 0x27EE, 0x2991, 0x2993, 0x2995,
		0x29FC, 0x2CB4, 0x2CB5, 0x3008, 0x300A, 0xFE3D, 0xFE3F, 0xFE64, 0xFF1C, 0x1D236,
	};
	static const int32_t greater[] = {
		0x3E, 0xBB, 0x2C3, 0x1433, 0x1437, 0x1440, 0x1441, 0x203A, 0x226B, 0x226F, 0x22D7, 0x22D9,
		0x232A, 0x276D, 0x276F, 0x2771, 0x27E9, 0x27EB, 0x27ED, 0x27EF, 0x2992, 0x2994, 0x2996, 0x29FD,
		0x2A20, 0x2AA5, 0x3009, 0x300B, 0xFE3E, 0xFE40, 0xFE65, 0xFF1E, 0x16F3F, 0x1D237,
	};
	return is_one_of(code, less, sizeof less / sizeof *less) ? '<' :
	       is_one_of(code, greater, sizeof greater / sizeof *greater) ? '>' : 0;
}

/* May a reader drop it? The general categories that show nothing, or only
 * together with a letter; Default_Ignorable_Code_Point; and some blanks. The
 * halfwidth sound marks are not here: NFKC makes them marks, and then they are. */
static bool
is_droppable(int32_t code)
{
	static const int32_t blanks[] = { 0x2800, 0xFFFC, 0xFFFD, 0x16FE4, 0x1D159 };
	if (code == ' ' || code == '\t' || code == '\n')
		return false;
	const utf8proc_property_t *p = utf8proc_get_property(code);
	switch (p->category) {
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_ME:
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_CS:
	case UTF8PROC_CATEGORY_CO:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
	case UTF8PROC_CATEGORY_ZS:
		return true;
	default:
		return p->ignorable || is_one_of(code, blanks, sizeof blanks / sizeof *blanks);
	}
}

/* ---- texts ---- */

enum { TEXT_MAX = 48 };

typedef struct words { /* code points: */
	uint8_t count;
	int32_t at[TEXT_MAX];
} words;

static void
add(words *text, int32_t code)
{
	if (text->count == TEXT_MAX)
		abort();
	text->at[text->count++] = code;
}

static words
decoded(wkg_span bytes)
{
	words text = { 0, { 0 } };
	for (size_t at = 0; at < bytes.len;) {
		int32_t code;
		ptrdiff_t n = utf8proc_iterate(bytes.ptr + at, (ptrdiff_t)(bytes.len - at), &code);
		if (n <= 0)
			abort();
		add(&text, code);
		at += (size_t)n;
	}
	return text;
}

static wkg_span
encoded(const words *text, uint8_t *bytes)
{
	wkg_span span = { bytes, 0 };
	for (int i = 0; i < text->count; i++)
		span.len += (size_t)utf8proc_encode_char(text->at[i], bytes + span.len);
	return span;
}

static void
show(const char *what, const words *text)
{
	printf("# %s", what);
	for (int i = 0; i < text->count; i++)
		printf(" %04lX", (unsigned long)text->at[i]);
	printf("\n");
}

/* The longest row of brackets of one kind that stand side by side. */
static int
adjacent(const words *text)
{
	int longest = 0, row = 0, last = 0;
	for (int i = 0; i < text->count; i++) {
		int kind = kind_of(text->at[i]);
		row = kind == 0 ? 0 : kind == last ? row + 1 : 1;
		last = kind;
		longest = row > longest ? row : longest;
	}
	return longest;
}

/* Punctuation and spaces, which may be read as nothing; never `~`. */
static bool
is_passed_over(int32_t code)
{
	utf8proc_category_t category = utf8proc_category(code);
	bool punctuation = category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
	return code != '~' && (punctuation || is_one_of(code, (const int32_t[]){ ' ', '\t', '=', '|', '+' }, 5));
}

static bool
spells_keyword(const words *text)
{
	static const char small[] = "xpydata", capital[] = "XPYDATA";
	for (int i = 0; i < text->count; i++) {
		size_t found = 0;
		for (int j = i; j < text->count && small[found] != '\0'; j++) {
			int32_t code = text->at[j];
			if (code == small[found] || code == capital[found])
				found++;
			else if (found == 0 || !(is_droppable(code) || is_passed_over(code)))
				break;
		}
		if (small[found] == '\0')
			return true;
	}
	return false;
}

static bool
is_quotation(int32_t code)
{
	return code >= 0x3008 && code <= 0x300B;
}

/* How many brackets may stand side by side: two where the fence left two. */
static int
allowed(const words *text)
{
	for (int i = 1; i < text->count; i++)
		if (is_quotation(text->at[i]) && is_quotation(text->at[i - 1]) &&
		    kind_of(text->at[i]) == kind_of(text->at[i - 1]))
			return 2;
	return 1;
}

/* ---- every reading ---- */

/* Texts that were reached, each with what is allowed in it: a hash table of
 * places in one long row of lengths and code points. */
static struct {
	int32_t *row;
	size_t len, cap;
	uint32_t *places; /* 1 + place; 0 is free */
	size_t count, mask;
} reached;

static size_t
hash(const words *text, int most)
{
	uint64_t h = 14695981039346656037u + (uint64_t)most;
	for (int i = 0; i < text->count; i++)
		h = (h ^ (uint64_t)text->at[i]) * 1099511628211u;
	return (size_t)(h ^ h >> 29);
}

static uint32_t *
slot_of(const words *text, int most)
{
	int32_t head = most << 8 | text->count;
	for (size_t i = hash(text, most);; i++) {
		uint32_t *slot = &reached.places[i & reached.mask];
		const int32_t *there = reached.row + *slot - 1;
		if (*slot == 0 || (*there == head && memcmp(there + 1, text->at, text->count * sizeof *there) == 0))
			return slot;
	}
}

static void
forget(void)
{
	free(reached.row);
	free(reached.places);
	memset(&reached, 0, sizeof reached);
}

/* The text at a place of the row, and the place of the next one. */
static size_t
recall(size_t place, words *text, int *most)
{
	*most = reached.row[place] >> 8;
	text->count = (uint8_t)(reached.row[place] & 0xFF);
	memcpy(text->at, &reached.row[place + 1], text->count * sizeof *text->at);
	return place + 1 + text->count;
}

static void
grow(void)
{
	reached.cap = reached.cap == 0 ? 1 << 20 : reached.cap * 2;
	reached.row = realloc(reached.row, reached.cap * sizeof *reached.row);
	free(reached.places);
	reached.mask = reached.cap / 2 - 1;
	reached.places = calloc(reached.mask + 1, sizeof *reached.places);
	if (reached.row == NULL || reached.places == NULL)
		abort();
	for (size_t place = 0; place < reached.len;) {
		words text;
		int most;
		size_t next = recall(place, &text, &most);
		*slot_of(&text, most) = (uint32_t)place + 1;
		place = next;
	}
}

static void
reach(const words *text, int most)
{
	if (reached.len + TEXT_MAX + 1 > reached.cap || reached.count > reached.mask / 2)
		grow();
	uint32_t *slot = slot_of(text, most);
	if (*slot != 0)
		return;
	*slot = (uint32_t)reached.len + 1;
	reached.row[reached.len] = most << 8 | text->count;
	memcpy(&reached.row[reached.len + 1], text->at, text->count * sizeof *text->at);
	reached.len += 1u + text->count;
	reached.count++;
}

static void
reach_form(const words *text, int most, utf8proc_option_t options)
{
	uint8_t bytes[4 * TEXT_MAX];
	wkg_span in = encoded(text, bytes);
	words form = { 0, { 0 } };
	ptrdiff_t n = utf8proc_decompose(bytes, (ptrdiff_t)in.len, form.at, TEXT_MAX, options);
	if (n < 0 || n > TEXT_MAX)
		abort();
	n = utf8proc_normalize_utf32(form.at, n, options);
	form.count = (uint8_t)n;
	reach(&form, most);
}

static void
reach_without(const words *text, int most, int place)
{
	words less = { 0, { 0 } };
	for (int i = 0; i < text->count; i++)
		if (i != place)
			add(&less, text->at[i]);
	reach(&less, most);
}

/* All that one more step of a reader can make of a text. */
static void
step(const words *text, int most)
{
	static const utf8proc_option_t forms[] = {
		UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
		UTF8PROC_STABLE | UTF8PROC_COMPOSE,
		UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT,
		UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT,
		UTF8PROC_CASEFOLD,
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		reach_form(text, most, forms[i]);
	for (int i = 0; i < text->count; i++) {
		int32_t code = text->at[i];
		int kind = kind_of(code);
		if (is_droppable(code) || (code == ' ' && i > 0 && text->at[i - 1] == ' '))
			reach_without(text, most, i);
		if (kind != 0 && code != kind) {
			words folded = *text;
			folded.at[i] = kind;
			reach(&folded, most);
		}
	}
}

/* From the texts reached so far go on until there is nothing new. The number
 * of texts, and of those with too many brackets side by side or the keyword. */
static size_t
read_on(size_t *readings)
{
	size_t violations = 0;
	*readings = 0;
	for (size_t place = 0; place < reached.len; ++*readings) {
		words text;
		int most;
		place = recall(place, &text, &most);
		bool violates = adjacent(&text) > most || spells_keyword(&text);
		if (violates && violations++ < 3)
			show("reads", &text);
		step(&text, most);
	}
	forget();
	return violations;
}

/* ---- every text ---- */

typedef struct alphabet {
	const char *pieces[14];
	size_t count;
} alphabet;

/* What can matter to a bracket: both kinds; a quotation mark of each shape; one
 * that is several brackets, one that decomposes to one, one that NFKC or NFC
 * makes another; what is dropped, composes with a bracket, or is only dropped
 * after NFKC; the space, and a letter. */
static const alphabet critical = { { "<", ">", "\xE3\x80\x8A", "\xE3\x80\x88", "\xE2\x8B\x98", "\xE2\x8C\xA9",
	"\xEF\xBC\x9C", "\xE2\x80\x8B", "\xCC\xB8", "\xEF\xBE\x9E", " ", "a" }, 12 };
static const alphabet reference = { { "<", ">", "\xE2\x80\x8B", "\xF3\xA0\x81\x81", " ", "a" }, 6 };
static const alphabet brackets = { { "<", ">", "\xE3\x80\x8A", "\xE2\x80\x8B", "a" }, 5 };
static const alphabet keyword = { { "x", "py", "da", "ta", "\xE1\x99\xAE", "\xE2\x85\xA8", "~", "\n",
	"\xE2\x80\x8B", ".", " " }, 11 };
static const alphabet tokens = { { "<", "[", "|", "INST]", "/", "s", ">", "<SYS>", "\xE2\x80\x8B", " ",
	"\xEF\xBC\x9C" }, 11 };

/* The text with this number, of that many pieces. */
static wkg_span
text_of(const alphabet *a, size_t number, size_t pieces, uint8_t *bytes)
{
	wkg_span text = { bytes, 0 };
	for (; pieces > 0; pieces--, number /= a->count) {
		const char *piece = a->pieces[number % a->count];
		memcpy(bytes + text.len, piece, strlen(piece));
		text.len += strlen(piece);
	}
	return text;
}

typedef void each(wkg_span text, void *context);

static size_t
for_each_text(const alphabet *a, size_t longest, each *function, void *context)
{
	size_t all = 0, count = 1;
	for (size_t pieces = 0; pieces <= longest; pieces++, count *= a->count)
		for (size_t i = 0; i < count; i++, all++) {
			uint8_t bytes[4 * TEXT_MAX];
			function(text_of(a, i, pieces, bytes), context);
		}
	return all;
}

typedef wkg_status operation(wkg_buf *out, wkg_span in, wkg_profile profile, wkg_fence_report *report);

static wkg_span
result_of(operation *fence, wkg_profile profile, wkg_span in, uint8_t *bytes, size_t size)
{
	wkg_buf out = { bytes, 0, size };
	if (fence(&out, in, profile, NULL) != WKG_OK)
		abort();
	return wkg_buf_span(&out);
}

/* F3: is `out` the text, and more ` ` and `~`? */
static bool
only_inserts(wkg_span in, wkg_span out)
{
	size_t at = 0;
	for (size_t i = 0; i < out.len; i++) {
		if (at < in.len && out.ptr[i] == in.ptr[at])
			at++;
		else if (out.ptr[i] != ' ' && out.ptr[i] != '~')
			return false;
	}
	return at == in.len;
}

/* One of the guards alone: what the fence would insert if there were no other
 * pass (F3). It is named by the character that it writes. */
static wkg_char
read_plain(wkg_span in, size_t at)
{
	static const wkg_char end = { 0, 0, false };
	return at < in.len ? wkg_utf8_decode(in, at) : end;
}

static wkg_span
guarded_by(uint32_t writes, wkg_span in, uint8_t *bytes)
{
	wkg_span out = { bytes, 0 };
	for (size_t at = 0; at < in.len;) {
		wkg_char c = wkg_utf8_decode(in, at);
		memcpy(bytes + out.len, in.ptr + at, c.len);
		out.len += c.len;
		at += c.len;
		if (wkg__guard(read_plain, in, c.code, at) == writes)
			bytes[out.len++] = (uint8_t)writes;
	}
	return out;
}

/* ---- claims ---- */

typedef struct tally {
	operation *fence;
	wkg_profile profile;
	size_t altered, not_inserted, not_idempotent, not_in_passes, visible;
} tally;

static void
note(size_t *count, wkg_span text)
{
	if ((*count)++ < 3) {
		words shown = decoded(text);
		show("wrong for", &shown);
	}
}

/* Guards first, then brackets, in one walk or three: the same; and each pass
 * changes nothing in what it wrote (F3, F8). */
static void
check_passes(tally *t, wkg_span in, wkg_span out)
{
	uint8_t k[4 * TEXT_MAX], tk[4 * TEXT_MAX], again[4 * TEXT_MAX], b[4 * TEXT_MAX];
	wkg_span keyed = guarded_by('~', in, k);
	wkg_span tokened = guarded_by(' ', keyed, tk);
	bool idempotent = same(guarded_by('~', keyed, again), keyed) &&
	                  same(guarded_by(' ', tokened, again), tokened);
	if (!idempotent)
		note(&t->not_idempotent, in);
	if (!same(result_of(t->fence, t->profile, tokened, b, sizeof b), out))
		note(&t->not_in_passes, in);
}

static void
check_text(wkg_span in, void *context)
{
	tally *t = context;
	uint8_t bytes[4 * TEXT_MAX], again[4 * TEXT_MAX];
	wkg_span out = result_of(t->fence, t->profile, in, bytes, sizeof bytes);
	t->altered += !same(in, out);
	if (!only_inserts(in, out))
		note(&t->not_inserted, in);
	words text = decoded(out);
	if (t->profile == WKG_PROFILE_HARDENED) {
		if (!same(result_of(t->fence, t->profile, out, again, sizeof again), out))
			note(&t->not_idempotent, in);
		check_passes(t, in, out);
		reach(&text, allowed(&text));
		return;
	}
	/* To drop only some leaves less side by side than to drop all. */
	words seen = { 0, { 0 } };
	for (int i = 0; i < text.count; i++)
		if (text.at[i] != 0x200B && text.at[i] != 0xE0041)
			add(&seen, text.at[i]);
	if (adjacent(&seen) > 1)
		note(&t->visible, in);
}

static void
claim_count(const char *text, size_t wrong, size_t count, const char *of)
{
	char line[200];
	snprintf(line, sizeof line, "%s: %zu of %zu %s", text, wrong, count, of);
	CLAIM(line, wrong == 0 && count > 0);
}

static void
hardened(const char *name, operation *fence, const alphabet *a, size_t longest)
{
	tally t = { .fence = fence, .profile = WKG_PROFILE_HARDENED };
	char line[120];
	size_t count = for_each_text(a, longest, check_text, &t), readings;
	size_t violations = read_on(&readings);
	printf("# %s: up to %zu pieces, %zu altered\n", name, longest, t.altered);
	snprintf(line, sizeof line, "F4 F9 %s: brackets side by side or the keyword, Unicode %s", name, utf8proc_unicode_version());
	claim_count(line, violations, readings, "readings");
	snprintf(line, sizeof line, "F3 %s: more than insertions", name);
	claim_count(line, t.not_inserted, count, "texts");
	snprintf(line, sizeof line, "F8 %s: a pass alone, or all, change their own output", name);
	claim_count(line, t.not_idempotent, count, "texts");
	snprintf(line, sizeof line, "F3 %s: three passes differ from one", name);
	claim_count(line, t.not_in_passes, count, "texts");
	snprintf(line, sizeof line, "F3 %s: the alphabet is worth a test, some texts were altered", name);
	CLAIM(line, t.altered > 0 && t.altered < count);
}

static void
reference_profile(size_t longest)
{
	tally t = { .fence = wkg_fence_neutralize, .profile = WKG_PROFILE_REFERENCE };
	size_t count = for_each_text(&reference, longest, check_text, &t);
	claim_count("F4 reference: brackets side by side", t.visible, count, "texts");
	claim_count("F3 reference: more than insertions", t.not_inserted, count, "texts");
}

/* What F8 is for: values beside each other. */
typedef struct values {
	wkg_span text[160];
	size_t count;
} values;

static void
keep(wkg_span in, void *context)
{
	values *v = context;
	uint8_t *bytes = memory(64);
	v->text[v->count++] = result_of(wkg_fence_inline, WKG_PROFILE_HARDENED, in, bytes, 64);
}

static void
reach_joined(const wkg_span *parts, size_t count)
{
	uint8_t bytes[4 * TEXT_MAX];
	wkg_span all = { bytes, 0 };
	int most = 1;
	for (size_t i = 0; i < count; i++) {
		words part = decoded(parts[i]);
		most = allowed(&part) > most ? allowed(&part) : most;
		memcpy(bytes + all.len, parts[i].ptr, parts[i].len);
		all.len += parts[i].len;
	}
	words text = decoded(all);
	reach(&text, most);
}

static void
pairs(void)
{
	values v = { 0 };
	size_t readings;
	for_each_text(&brackets, 3, keep, &v);
	for (size_t i = 0; i < v.count; i++)
		for (size_t j = 0; j < v.count; j++)
			reach_joined((wkg_span[]){ v.text[i], v.text[j] }, 2);
	size_t joined = v.count * v.count, violations = read_on(&readings);
	claim_count("F8 brackets side by side where two values of up to 3 characters meet", violations, readings, "readings");
	CLAIM("F8 those were 24,336 pairs", joined == 24336);
}

/* Every bracket there is, and an ignorable and nothing at all between. */
static void
triples(void)
{
	values v = { 0 };
	size_t readings, joined = 0;
	uint8_t bytes[4];
	for (int32_t code = 0; code < 0x1E000; code++)
		if (kind_of(code) != 0) {
			wkg_span one = { bytes, (size_t)utf8proc_encode_char(code, bytes) };
			keep(one, &v);
		}
	CLAIM("F4 there are 34 brackets of either kind", v.count == 68);
	keep(TEXT("\xE2\x80\x8B"), &v);
	keep(TEXT(""), &v);
	for (size_t i = 0; i < v.count; i++)
		for (size_t j = 0; j < v.count; j++)
			for (size_t k = 0; k < v.count; k++, joined++)
				reach_joined((wkg_span[]){ v.text[i], v.text[j], v.text[k] }, 3);
	size_t violations = read_on(&readings);
	printf("# %zu triples\n", joined);
	claim_count("F8 brackets side by side where three single ones meet", violations, readings, "readings");
}

/* The judge itself: it must know what it is to look for. */
static void
judge(void)
{
	static const struct { const char *text; int most; bool violates; } samples[] = {
		{ "<a<", 1, false }, { "<<", 1, true }, { "< <", 1, false }, { "<>", 1, false },
		{ "<\xE2\x80\x8B<", 1, true }, { "<\xEF\xBE\x9E<", 1, true }, /* U+FF9E, NFKC, dropped */
		{ "<\xE2\x89\xAE", 1, true }, { "\xEF\xB9\xA4\xEF\xBC\x9C", 1, true },
		{ "<\xCD\x85<", 1, true }, /* U+0345 is dropped, or an iota */
		{ "\xE3\x80\x8A\xE3\x80\x8A", 2, false }, { "\xE3\x80\x8A\xE3\x80\x8A<", 2, true },
		{ "<\xE2\x80\x8D \xE2\x80\x8D<", 1, false }, { "<\n<", 1, false },
		{ "x\xE2\x80\x8B_PYd.\xEF\xBD\x81ta", 1, true }, { "x~pydata", 1, false }, { "xpy\ndata", 1, false },
	};
	bool right = true;
	printf("# what the unsafe samples of the judge can be read as:\n");
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		wkg_span text = { (const uint8_t *)samples[i].text, strlen(samples[i].text) };
		words start = decoded(text);
		size_t readings;
		reach(&start, samples[i].most);
		right = (read_on(&readings) > 0) == samples[i].violates && right;
	}
	CLAIM("F4 the judge tells safe texts from unsafe ones", right);
}

int
main(int argc, char **argv)
{
	size_t longest = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
	judge();
	hardened("brackets", wkg_fence_neutralize, &critical, longest);
	hardened("brackets inline", wkg_fence_inline, &critical, longest);
	hardened("keywords", wkg_fence_neutralize, &keyword, longest < 4 ? 4 : longest);
	hardened("tokens", wkg_fence_neutralize, &tokens, longest);
	reference_profile(longest + 2);
	pairs();
	triples();
	return finish();
}
