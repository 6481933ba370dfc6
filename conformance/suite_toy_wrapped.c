/* suite_toy_wrapped.c - what goes into the library is changed, or what comes out,
 * or how it is set up: a bug in few words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite_library.h"
#include "suite_toy_wrapped.h"

#include "suite/oracle_text.h"
#include "suite/shrink.h"

const toy wrapped_toys[] = {
	{ "H01 no selector stays", "P-SA7" },
	{ "H02 a joiner stays behind ASCII", "P-SA7" },
	{ "H03 flags lose their letters", "P-SA7" },
	{ "H04 a CR of its own goes", "P-SA7" },
	{ "H05 a cut parts a flag", "P-SA7" },
	{ "H06 seventeen selectors of ideographs stay", "P-SA7" },
	{ "H07 U+FF1C is no bracket", "P-FN1" },
	{ "H08 a mark parts two brackets", "P-FN1" },
	{ "D01 documents: one level more stays", "P-SA8" },
	{ "D02 documents: written anew, without white space", "P-SA8" },
	{ "D03 documents: nothing is reported", "P-SA8" },
	{ "D04 documents: reviewed one level less", "P-MO7" },
	{ "D05 documents: a mark is not reported", "P-MO7" },
	{ "V01 values: one level more stays", "P-SA5" },
	{ "V02 values: what is behind a dropped one goes too", "P-SA5" },
	{ "V03 values: only the outermost strings", "P-SA5" },
	{ "V04 values: names as they were", "P-SA5" },
	{ "V05 values: too many are named", "P-SA5" },
	{ "V06 values: a name is moderated", "P-MO6" },
	{ "V07 values: the input is changed", "P-MO6" },
	{ "V08 values: deep ones are not reported", "P-MO6" },
	{ "V09 values: numbers lose their spelling", "P-MO6" },
	{ "R01 templates: a $ of the result means something", "P-FN13" },
	{ "R02 templates: no line of its own", "P-FN13" },
	{ "R03 templates: null goes without a fence", "P-FN13" },
	{ "T01 documents: crashes at 60 levels", "P-TOT1" },
	{ "T02 fence: crashes at 90 brackets", "P-TOT2" },
	{ "T03 moderator: crashes on a combining mark at the beginning", "P-TOT3" },
	{ "T04 intents: crashes on a byte order mark", "P-TOT4" },
	{ "T05 sanitizer: time grows with the square", "P-TIM1" },
	{ "T06 fence: time grows with the square", "P-TIM2" },
	{ "T07 moderator: time grows with the square", "P-TIM3" },
	{ "T08 intents: time grows with the square", "P-TIM4" },
	{ NULL, NULL },
};

static const char hello[] =
	"{\"components\":[\"sanitize\",\"fence\",\"moderate\",\"intent\"],"
	"\"profiles\":[\"hardened\"],\"operations\":[\"sanitize.text\",\"sanitize.json\","
	"\"sanitize.value\",\"fence.neutralize\",\"fence.inline\",\"fence.wrap\",\"fence.render\","
	"\"moderate.text\",\"moderate.json\",\"moderate.value\",\"intent.canonical\"],"
	"\"choices\":{\"length_unit\":[\"codepoint\"],\"dropped\":[\"null\"],\"numbers\":[\"text\"],"
	"\"output_tags\":[\"strip\"],\"canon\":[\"rfc8785\"],\"intent_input\":[\"strict\"]},"
	"\"features\":[\"paths\"],\"fixed\":[],\"max_line\":8388608,\"max_inflight\":64}";

static bool
has(const toy *t, const char *bug)
{
	return t->bug != NULL && strncmp(t->bug, bug, 3) == 0;
}

static wgc_text
text_of(const cJSON *object, const char *name)
{
	wgc_text text;
	const char *why;
	if (!wgc_text_read(wgc_json_get(object, name), &text, &why))
		abort();
	return text;
}

static void
put_text(cJSON *object, const char *name, const wgc_text *text)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, name);
	cJSON_AddItemToObject(object, name, wgc_text_json(text));
}

static void
put(cJSON *object, const char *name, cJSON *value)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, name);
	cJSON_AddItemToObject(object, name, value);
}

static size_t
count_of(const wgc_text *text, uint32_t first, uint32_t last)
{
	size_t n = 0;
	for (size_t i = 0; i < text->len; i++)
		n += text->at[i] >= first && text->at[i] <= last;
	return n;
}

/* --- Texts: characters hidden from the library, or from the subject --- */

#define BEHIND 0x3800 /* an ideograph: the library lets it be */

/* What a broken sanitizer or fence does not see: taken out (0), or hidden
 * behind another that is put back. */
static uint32_t
unseen(const toy *t, const wgc_text *text, size_t i)
{
	uint32_t c = text->at[i];
	bool lone = c == '\r' && (i + 1 == text->len || text->at[i + 1] != '\n');
	if ((has(t, "H01") && c >= 0xFE00 && c <= 0xFE0F) || (has(t, "H04") && lone) ||
	    (has(t, "H03") && c >= 0xE0020 && c <= 0xE007F))
		return 0;
	bool late = has(t, "H02") && c == 0x200D && i > 0 && text->at[i - 1] < 0x80;
	bool many = has(t, "H06") && c >= 0xE0100 && c <= 0xE01EF &&
	            count_of(text, 0xE0100, 0xE01EF) == 17;
	bool bracket = has(t, "H07") && c == 0xFF1C;
	bool mark = has(t, "H08") && c >= 0x300 && c <= 0x36F;
	return late || many || bracket || mark ? BEHIND + (c & 0x3FF) : c;
}

static wgc_text
seen(const toy *t, const wgc_text *text, uint32_t was[0x400])
{
	wgc_text out = { .form = text->form };
	for (size_t i = 0; i < text->len; i++) {
		uint32_t c = unseen(t, text, i);
		if (c >= BEHIND && c < BEHIND + 0x400)
			was[c - BEHIND] = text->at[i];
		if (c != 0 || text->at[i] == 0)
			wgc_push(&out, c);
	}
	return out;
}

static wgc_reply
ask_library(const wgc_setup *setup, const char *op, const cJSON *args)
{
	return library_answer(NULL, setup, op, args);
}

static wgc_reply
answer_text(const toy *t, const wgc_setup *setup, const char *op, const cJSON *args)
{
	static uint32_t was[0x400];
	const char *name = strcmp(op, "fence.wrap") == 0 ? "data" : "s";
	cJSON *mine = cJSON_Duplicate(args, true);
	wgc_text in = text_of(args, name), out = seen(t, &in, was);
	wgc_setup other = *setup;
	size_t limit = setup->limits[WGC_CHAT];
	bool cuts = has(t, "H05") && strcmp(op, "sanitize.text") == 0;
	for (int i = 0; cuts && i < WGC_SOURCES; i++) {
		const char *source = wgc_json_string(args, "source");
		if (source != NULL && strcmp(source, wgc_source_names[i]) == 0)
			limit = setup->limits[i];
		other.limits[i] = 100000;
	}
	put_text(mine, name, &out);
	wgc_reply reply = ask_library(&other, op, mine);
	wgc_text_clear(&out);
	if (reply.kind == WGC_OK) {
		out = text_of(reply.body, "s");
		for (size_t i = 0; i < out.len; i++)
			if (out.at[i] >= BEHIND && out.at[i] < BEHIND + 0x400 && was[out.at[i] - BEHIND] != 0)
				out.at[i] = was[out.at[i] - BEHIND];
		if (cuts && out.len > limit) {
			out.len = limit;
			put(reply.body, "truncated", cJSON_CreateTrue());
		}
		put_text(reply.body, "s", &out);
		wgc_text_clear(&out);
	}
	cJSON_Delete(mine);
	wgc_text_clear(&in);
	return reply;
}

/* --- Documents --- */

static void
squeeze(cJSON *body)
{
	wgc_text in = text_of(body, "json"), out = { .form = WGC_SCALARS };
	bool quoted = false, escaped = false;
	for (size_t i = 0; i < in.len; i++) {
		uint32_t c = in.at[i];
		if (quoted || (c != ' ' && c != '\n' && c != '\t' && c != '\r'))
			wgc_push(&out, c);
		if (c == '"' && !escaped)
			quoted = !quoted;
		escaped = quoted && c == '\\' && !escaped;
	}
	put_text(body, "json", &out);
	wgc_text_clear(&in);
	wgc_text_clear(&out);
}

static void
forget_leaves(cJSON *body, const char *kind)
{
	cJSON *leaves = cJSON_GetObjectItemCaseSensitive(body, "leaves");
	for (int i = cJSON_GetArraySize(leaves); i > 0; i--) {
		const cJSON *leaf = cJSON_GetArrayItem(leaves, i - 1);
		if (strcmp(wgc_json_string(leaf, "kind"), kind) == 0)
			cJSON_DeleteItemFromArray(leaves, i - 1);
	}
}

static wgc_reply
answer_document(const toy *t, const wgc_setup *setup, const char *op, const cJSON *args)
{
	wgc_setup other = *setup;
	other.max_depth += has(t, "D01");
	wgc_reply reply = ask_library(&other, op, args);
	if (reply.kind != WGC_OK)
		return reply;
	if (has(t, "D02"))
		squeeze(reply.body);
	if (has(t, "D03"))
		forget_leaves(reply.body, "truncated");
	if (has(t, "D04"))
		forget_leaves(reply.body, "too_deep");
	if (has(t, "D05"))
		forget_leaves(reply.body, "suspicious");
	return reply;
}

/* --- Values: every string by itself, through the library --- */

typedef struct walk {
	const toy *t;
	const wgc_setup *setup;
	const cJSON *args;
	cJSON *body, *leaves;
	bool moderates;
	size_t truncated, dropped;
	bool flagged, stopped;
} walk;

static void
note(walk *w, const char *path, const char *kind)
{
	if (cJSON_GetArraySize(w->leaves) >= (has(w->t, "V05") ? 1000 : 64))
		return;
	cJSON *leaf = cJSON_CreateObject();
	cJSON_AddStringToObject(leaf, "path", path);
	cJSON_AddStringToObject(leaf, "kind", kind);
	cJSON_AddItemToArray(w->leaves, leaf);
}

/* The library's answer about one string; its `s`, taken. */
static cJSON *
one_string(walk *w, const cJSON *s, bool *flagged, bool *truncated)
{
	cJSON *args = cJSON_CreateObject();
	cJSON_AddItemToObject(args, "s", cJSON_Duplicate(s, true));
	if (!w->moderates)
		cJSON_AddItemToObject(args, "source",
		                      cJSON_Duplicate(wgc_json_get(w->args, "source"), true));
	wgc_reply reply = ask_library(w->setup, w->moderates ? "moderate.text" : "sanitize.text", args);
	*flagged = cJSON_IsTrue(wgc_json_get(reply.body, "flagged"));
	*truncated = cJSON_IsTrue(wgc_json_get(reply.body, "truncated"));
	cJSON *out = cJSON_DetachItemFromObjectCaseSensitive(reply.body, "s");
	cJSON_Delete(args);
	wgc_reply_clear(&reply);
	return out;
}

/* A name as it is reported: stripped, never cut. */
static cJSON *
bare_name(const cJSON *name)
{
	const char *why;
	wgc_text text, out;
	if (!wgc_text_read(name, &text, &why))
		abort();
	out = wgc_stripped(&text, true);
	cJSON *json = wgc_text_json(&out);
	wgc_text_clear(&text);
	wgc_text_clear(&out);
	return json;
}

static char *
member_path(const char *path, const cJSON *name)
{
	const wgc_set *hidden = wgc_set_named("fence_ignorable");
	const char *why, *safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	wgc_text text;
	wgc_string out = { 0 };
	cJSON *bare = bare_name(name);
	char *plain = bare->valuestring;
	if (plain[0] != '\0' && plain[strspn(plain, safe)] == '\0') {
		wgc_putf(&out, "%s%s%s", path, path[0] == '\0' ? "" : ".", plain);
		cJSON_Delete(bare);
		return out.ptr;
	}
	wgc_putf(&out, "%s[\"", path);
	if (!wgc_text_read(bare, &text, &why))
		abort();
	for (size_t i = 0; i < text.len; i++) {
		uint32_t c = text.at[i];
		wgc_text one = wgc_text_from(&text, i);
		one.len = 1;
		cJSON *letter = wgc_text_json(&one);
		if (c >= 0x10000 && wgc_set_has(hidden, c))
			wgc_putf(&out, "\\u%04x\\u%04x", 0xD800 + ((c - 0x10000) >> 10),
			         0xDC00 + ((c - 0x10000) & 0x3FF));
		else if (wgc_set_has(hidden, c))
			wgc_putf(&out, "\\u%04x", c);
		else if (c == '\n' || c == '\t')
			wgc_put(&out, c == '\n' ? "\\n" : "\\t");
		else
			wgc_putf(&out, "%s%s", c == '"' || c == '\\' ? "\\" : "", letter->valuestring);
		cJSON_Delete(letter);
	}
	wgc_put(&out, "\"]");
	wgc_text_clear(&text);
	cJSON_Delete(bare);
	return out.ptr;
}

static cJSON *walk_value(walk *w, const cJSON *v, size_t inside, const char *path);

static cJSON *
kind_of(const char *t, cJSON *v)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "t", t);
	if (v != NULL)
		cJSON_AddItemToObject(json, "v", v);
	return json;
}

static cJSON *
walk_string(walk *w, const cJSON *v, size_t inside, const char *path)
{
	bool flagged, truncated;
	if (has(w->t, "V03") && inside > 1)
		return cJSON_Duplicate(v, true);
	cJSON *s = one_string(w, wgc_json_get(v, "v"), &flagged, &truncated);
	if (flagged)
		note(w, path, "suspicious");
	if (truncated)
		note(w, path, "truncated");
	w->flagged |= flagged;
	w->truncated += truncated;
	return kind_of("str", s);
}

static cJSON *
walk_name(walk *w, const cJSON *name)
{
	bool flagged, truncated;
	if (has(w->t, "V06"))
		return one_string(w, name, &flagged, &truncated);
	return w->moderates || has(w->t, "V04") ? cJSON_Duplicate(name, true) : bare_name(name);
}

static cJSON *
walk_items(walk *w, const cJSON *v, const char *type, size_t inside, const char *path)
{
	cJSON *list = cJSON_CreateArray();
	size_t i = 0, dropped = w->dropped;
	for (const cJSON *item = wgc_json_get(v, "v")->child; item != NULL; item = item->next, i++) {
		bool member = type[0] == 'o';
		char *here = member ? member_path(path, item->child) : wgc_format("%s[%zu]", path, i);
		cJSON *one = walk_value(w, member ? item->child->next : item, inside + 1, here);
		free(here);
		if (member) {
			cJSON *pair = cJSON_CreateArray();
			cJSON_AddItemToArray(pair, walk_name(w, item->child));
			cJSON_AddItemToArray(pair, one);
			one = pair;
		}
		cJSON_AddItemToArray(list, one);
		if (has(w->t, "V02") && w->dropped > dropped)
			break;
	}
	return kind_of(type, list);
}

/* One array of a nest, and in it the rest. */
static cJSON *
unnested(const cJSON *v)
{
	long long n = 0;
	wgc_json_integer(wgc_json_get(v, "n"), &n);
	cJSON *inner = cJSON_Duplicate(wgc_json_get(v, "v"), true);
	bool object = strcmp(wgc_json_string(v, "k"), "obj") == 0;
	for (; n > 0; n--) {
		cJSON *list = cJSON_CreateArray(), *pair = cJSON_CreateArray();
		if (object) {
			cJSON_AddItemToArray(pair, cJSON_CreateString("k"));
			cJSON_AddItemToArray(pair, inner);
			cJSON_AddItemToArray(list, pair);
		} else {
			cJSON_Delete(pair);
			cJSON_AddItemToArray(list, inner);
		}
		inner = kind_of(object ? "obj" : "arr", list);
	}
	return inner;
}

static cJSON *
drop(walk *w, const char *path)
{
	w->dropped++;
	note(w, path, "dropped");
	return kind_of("null", NULL);
}

static cJSON *
walk_value(walk *w, const cJSON *v, size_t inside, const char *path)
{
	const char *type = wgc_json_string(v, "t");
	bool container = strcmp(type, "arr") == 0 || strcmp(type, "obj") == 0;
	bool string = strcmp(type, "str") == 0;
	if (strcmp(type, "nest") == 0) {
		cJSON *plain = unnested(v), *out = walk_value(w, plain, inside, path);
		cJSON_Delete(plain);
		return out;
	}
	if (w->moderates && inside == 8 && (container || string)) {
		if (!has(w->t, "V08"))
			note(w, path, "too_deep");
		return cJSON_Duplicate(v, true);
	}
	if (!w->moderates && container && inside >= w->setup->max_depth + has(w->t, "V01"))
		return drop(w, path);
	if (!w->moderates && strcmp(type, "other") == 0)
		return drop(w, path);
	if (container)
		return walk_items(w, v, type, inside, path);
	if (has(w->t, "V09") && strcmp(type, "num") == 0 && wgc_json_string(v, "v")[1] == '.')
		return kind_of("num", cJSON_CreateString("2"));
	return string ? walk_string(w, v, inside, path) : cJSON_Duplicate(v, true);
}

/* Deeper than any that is worth a walk without recursion. */
static bool
is_too_deep(const cJSON *v)
{
	long long n = 0;
	wgc_json_integer(wgc_json_get(v, "n"), &n);
	return n > 300;
}

static wgc_reply
answer_value(const toy *t, const wgc_setup *setup, const char *op, const cJSON *args)
{
	walk w = { .t = t, .setup = setup, .args = args, .leaves = cJSON_CreateArray(),
		   .moderates = op[0] == 'm' };
	const cJSON *v = wgc_json_get(args, "v");
	cJSON *body = cJSON_CreateObject();
	cJSON *out = is_too_deep(v) ? cJSON_Duplicate(v, true) : walk_value(&w, v, 0, "");
	cJSON_AddItemToObject(body, "v", out);
	if (w.moderates) {
		cJSON_AddBoolToObject(body, "flagged", w.flagged);
		cJSON_AddBoolToObject(body, "truncated", w.truncated > 0);
		cJSON_AddItemToObject(body, "input", cJSON_Duplicate(has(t, "V07") ? out : v, true));
	} else {
		cJSON_AddNumberToObject(body, "truncated", (double)w.truncated);
		cJSON_AddNumberToObject(body, "dropped", (double)w.dropped);
	}
	cJSON_AddItemToObject(body, "leaves", w.leaves);
	return wgc_ok(body);
}

/* --- Templates --- */

static size_t
find(const wgc_text *text, const char *word)
{
	size_t len = strlen(word), i = 0;
	for (; i + len <= text->len; i++) {
		size_t n = 0;
		while (n < len && text->at[i + n] == (unsigned char)word[n])
			n++;
		if (n == len)
			return i;
	}
	return SIZE_MAX;
}

/* Put something else where a part begins, once. */
static void
spoil(wgc_text *text, const char *part, uint32_t with)
{
	size_t at = find(text, part);
	if (at != SIZE_MAX)
		text->at[at] = with;
}

static wgc_reply
answer_template(const toy *t, const wgc_setup *setup, const cJSON *args)
{
	wgc_reply reply = ask_library(setup, "fence.render", args);
	if (reply.kind != WGC_OK)
		return reply;
	wgc_text out = text_of(reply.body, "s"), copy = { .form = out.form };
	wgc_push_all(&copy, &out);
	if (has(t, "R01"))
		spoil(&copy, "$", '!');
	if (has(t, "R02"))
		spoil(&copy, "\n<<<__XPY_DATA_BEGIN__>>>\n", ' ');
	if (has(t, "R03"))
		spoil(&copy, "BEGIN__>>>\nnull\n<", '-');
	put_text(reply.body, "s", &copy);
	wgc_text_clear(&out);
	wgc_text_clear(&copy);
	return reply;
}

/* --- Crashes, and time --- */

static wgc_reply
crash(void)
{
	cJSON *body = cJSON_CreateObject();
	cJSON_AddStringToObject(body, "why", "it was too much");
	return (wgc_reply){ WGC_CRASH, body };
}

static const cJSON *
main_text(const cJSON *args)
{
	static const char *const names[] = { "json", "s", "data", "state" };
	for (size_t i = 0; i < 4; i++)
		if (wgc_json_get(args, names[i]) != NULL)
			return wgc_json_get(args, names[i]);
	return NULL;
}

static bool
is_for(const toy *t, const char *bug, const char *op, const char *component)
{
	return has(t, bug) && strncmp(op, component, strlen(component)) == 0;
}

static bool
crashes(const toy *t, const char *op, const wgc_text *text)
{
	static const char deep[] = "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[";
	return (is_for(t, "T01", op, "sanitize.json") && find(text, deep) != SIZE_MAX) ||
	       (is_for(t, "T02", op, "fence.") && count_of(text, '<', '<') >= 90) ||
	       (is_for(t, "T03", op, "moderate.") && text->len > 0 && text->at[0] == 0x300) ||
	       (is_for(t, "T04", op, "intent.") && text->len > 0 && text->at[0] == 0xFEFF);
}

/* Without writing it out. */
static double
length_of(const cJSON *json)
{
	const cJSON *rep = wgc_json_get(json, "$rep"), *cat = wgc_json_get(json, "$cat");
	double sum = 0;
	if (rep != NULL)
		return length_of(rep->child) * rep->child->next->valuedouble;
	for (cat = cat == NULL ? NULL : cat->child; cat != NULL; cat = cat->next)
		sum += length_of(cat);
	return cJSON_IsString(json) ? (double)strlen(json->valuestring) : sum;
}

static bool
is_slow(const toy *t, const char *op)
{
	return is_for(t, "T05", op, "sanitize.") || is_for(t, "T06", op, "fence.") ||
	       is_for(t, "T07", op, "moderate.") || is_for(t, "T08", op, "intent.");
}

static wgc_reply
answer(void *state, const wgc_setup *setup, const char *op, const cJSON *args)
{
	const toy *t = state;
	const cJSON *json = main_text(args);
	wgc_text text = { 0 };
	const char *why;
	double length = json == NULL ? 0 : length_of(json);
	if (length > 10000 && is_slow(t, op)) {
		wgc_pretend_s(1e-11 * length * length);
		return wgc_err("JSON_SYNTAX");
	}
	bool read = t->bug != NULL && t->bug[0] == 'T' && json != NULL &&
	            wgc_text_read(json, &text, &why);
	bool dies = read && crashes(t, op, &text);
	wgc_text_clear(&text);
	if (dies)
		return crash();
	if (strstr(op, ".value") != NULL)
		return answer_value(t, setup, op, args);
	if (strstr(op, ".json") != NULL)
		return answer_document(t, setup, op, args);
	if (strcmp(op, "fence.render") == 0)
		return answer_template(t, setup, args);
	if (strcmp(op, "sanitize.text") == 0 || strncmp(op, "fence.", 6) == 0)
		return answer_text(t, setup, op, args);
	return ask_library(setup, op, args);
}

wgc_subject *
toy_wrapped_start(const toy *t)
{
	static wgc_inprocess p;
	wgc_inprocess_start(&p, hello, answer, (void *)(uintptr_t)t);
	p.setup.profile = "hardened";
	p.setup.choices[WGC_LENGTH_UNIT] = wgc_choice_option(WGC_LENGTH_UNIT, "codepoint");
	p.setup.choices[WGC_DROPPED] = wgc_choice_option(WGC_DROPPED, "null");
	p.setup.choices[WGC_NUMBERS] = wgc_choice_option(WGC_NUMBERS, "text");
	p.setup.choices[WGC_OUTPUT_TAGS] = wgc_choice_option(WGC_OUTPUT_TAGS, "strip");
	return &p.subject;
}

void
toy_wrapped_stop(wgc_subject *subject)
{
	wgc_inprocess_stop(subject->state);
}
