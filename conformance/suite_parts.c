/* suite_parts.c - what the runner is made of: strict JSON, texts in their five
 * forms, values by their meaning, and a store that is played.
 *
 * usage: suite_parts ADAPTER [ARGUMENTS]: one with store callbacks
 * (suite_store.py). */
#include "adapter.h"
#include "compare.h"
#include "protocol.h"
#include "rules.h"
#include "schema.h"
#include "text.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int claims, failed;

static void
claim(bool holds, const char *what, const char *sample)
{
	printf("%sok %d - %s%s%s\n", holds ? "" : "not ", ++claims, what,
	       *sample == '\0' ? "" : ": ", sample);
	failed += !holds;
	fflush(stdout);
}

static cJSON *
read_json(const char *text)
{
	return wgc_json_read(text, strlen(text), NULL);
}

/* --- JSON --- */

static bool
is_written(const char *text, const char *expected)
{
	cJSON *json = read_json(text);
	char *written = json == NULL ? wgc_copy("(refused)") : wgc_json_write(json, NULL);
	bool same = strcmp(written, expected) == 0;
	if (!same)
		printf("# %s\n", written);
	free(written);
	cJSON_Delete(json);
	return same;
}

static void
json_is_strict(void)
{
	static const char *const refused[] = {
		"", " ", "{", "[1,]", "[1 2]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "01",
		"-", "+1", "1.5", "1e3", "9007199254740992", "-9007199254740992",
		"123456789012345678901234567890", "nul", "True", "'a'", "\"a",
		"\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
		"\"\\udc00\"", "\"\t\"", "\"\x7F\"", "\"\xC3\xA9\"", "\xEF\xBB\xBF{}",
		"{} {}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "[1]]",
		"{\"a\\u0000\":1,\"a\\u0000\":2}",
	};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		cJSON *json = read_json(refused[i]);
		char *shown = wgc_format("sample %zu", i);
		claim(json == NULL, "what is not strict ASCII JSON is refused", shown);
		free(shown);
		cJSON_Delete(json);
	}
	claim(is_written(" [ 9007199254740991 , -9007199254740991,-0 ] ",
	                 "[9007199254740991,-9007199254740991,-0]"),
	      "integers are exact", "");
	claim(is_written("\"a\\u0000b\\ud83d\\uDE00\\u200b\\/\"", "\"a\\u0000b\\ud83d\\ude00\\u200b/\""),
	      "U+0000 ends no string, and everything is written in ASCII", "");
	claim(is_written("{\"\\u0000\":{}}", "{\"\\u0000\":{}}"), "nor a name", "");
	wgc_string deep = { 0 };
	for (int i = 0; i < WGC_JSON_DEPTH; i++)
		wgc_put(&deep, "[");
	for (int i = 0; i < WGC_JSON_DEPTH; i++)
		wgc_put(&deep, "]");
	cJSON *json = read_json(deep.ptr);
	claim(json != NULL, "1000 levels are read", "");
	cJSON_Delete(json);
	char *deeper = wgc_format("[%s]", deep.ptr);
	claim(read_json(deeper) == NULL, "1001 are refused", "");
	free(deeper);
	free(deep.ptr);
}

/* --- Texts --- */

static bool
same_text(const char *a, const char *b)
{
	cJSON *left = read_json(a), *right = read_json(b);
	bool same = wgc_text_json_same(left, right);
	cJSON_Delete(left);
	cJSON_Delete(right);
	return same;
}

static bool
is_text(const char *json)
{
	cJSON *read = read_json(json);
	wgc_text text;
	bool is = wgc_text_read(read, &text, NULL);
	wgc_text_clear(&text);
	cJSON_Delete(read);
	return is;
}

static void
forms_are_one(void)
{
	static const char *const same[][2] = {
		{ "\"a\\ud83d\\ude00\"", "{\"$u16\":\"0061d83dde00\"}" },
		{ "\"a\\ud83d\\ude00\"", "{\"$hex\":\"61f09f9880\"}" },
		{ "\"<<<\"", "{\"$rep\":[\"<\",3]}" },
		{ "\"<<>\"", "{\"$cat\":[{\"$rep\":[\"<\",2]},\">\"]}" },
		{ "\"\\ud83d\\ude00\"", "{\"$cat\":[{\"$u16\":\"d83d\"},{\"$u16\":\"de00\"}]}" },
		{ "\"\\u00e9\"", "{\"$cat\":[{\"$hex\":\"c3\"},{\"$hex\":\"a9\"}]}" },
		{ "{\"$cat\":[\"\\u00e9\",{\"$hex\":\"ff\"}]}", "{\"$hex\":\"c3a9ff\"}" },
		{ "{\"$cat\":[{\"$u16\":\"d800\"},\"\\ud83d\\ude00\"]}", "{\"$u16\":\"d800d83dde00\"}" },
		{ "\"\"", "{\"$rep\":[\"abc\",0]}" }, { "\"\"", "{\"$cat\":[]}" },
		{ "\"\"", "{\"$hex\":\"\"}" }, { "\"\\u0000\"", "{\"$hex\":\"00\"}" },
	};
	static const char *const apart[][2] = {
		{ "\"a\"", "\"b\"" }, { "\"a\"", "\"a\\u0000\"" },
		{ "{\"$hex\":\"c080\"}", "\"\\u0000\"" }, /* overlong: not U+0000 */
		{ "{\"$hex\":\"eda080\"}", "{\"$u16\":\"d800\"}" },
		{ "{\"$hex\":\"f4908080\"}", "\"\\ufffd\"" }, { "\"e\\u0301\"", "\"\\u00e9\"" },
	};
	static const char *const none[] = {
		"1", "null", "[]", "{}", "{\"$hex\":\"F0\"}", "{\"$hex\":\"0\"}", "{\"$u16\":\"d83\"}",
		"{\"$rep\":[\"a\",-1]}", "{\"$rep\":[\"a\",8388609]}", "{\"$rep\":[\"a\"]}",
		"{\"$cat\":\"a\"}", "{\"$hex\":\"00\",\"$u16\":\"0000\"}", "{\"$x\":\"a\"}",
		"{\"$cat\":[{\"$hex\":\"ff\"},{\"$u16\":\"d800\"}]}",
		"{\"$rep\":[{\"$rep\":[\"abcdefgh\",8388608]},8]}",
	};
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		claim(same_text(same[i][0], same[i][1]), "two forms of one text", same[i][1]);
	for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
		claim(!same_text(apart[i][0], apart[i][1]), "two texts", apart[i][0]);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		claim(!is_text(none[i]), "no text", none[i]);
}

static void
texts_are_written(void)
{
	static const char *const kept[] = {
		"\"a\\u0000\\u200b\\ud83d\\ude00\"", "{\"$hex\":\"3cff3c\"}", "{\"$u16\":\"d83d0041\"}",
	};
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		cJSON *json = read_json(kept[i]);
		wgc_text text;
		wgc_text_read(json, &text, NULL);
		cJSON *again = wgc_text_json(&text);
		char *written = wgc_json_write(again, NULL);
		claim(strcmp(written, kept[i]) == 0, "read and written", kept[i]);
		free(written);
		cJSON_Delete(again);
		cJSON_Delete(json);
		wgc_text_clear(&text);
	}
	cJSON *json = read_json("\"a<\\u200b\\u0000\\ud83d\\ude00\\u00e9\"");
	wgc_text text;
	wgc_text_read(json, &text, NULL);
	char *chips = wgc_text_chips(&text, 100);
	claim(strcmp(chips, "a<<U+200B><U+0000><U+1F600><U+00E9>") == 0, "chips", chips);
	claim(wgc_text_length(&text, "codepoint") == 6 && wgc_text_length(&text, "utf16") == 7 &&
	              wgc_text_length(&text, "byte") == 12,
	      "lengths in three units", "");
	free(chips);
	wgc_text_clear(&text);
	cJSON_Delete(json);
	claim(wgc_is_plain('a') && wgc_is_plain(0x4E2D) && !wgc_is_plain(0x200B) && !wgc_is_plain(0x202E) &&
	              !wgc_is_plain(0xE0041) && !wgc_is_plain(0x3164) && !wgc_is_plain(0xAD) && !wgc_is_plain(0x301),
	      "only what certainly draws something is plain", "");
}

/* --- Values --- */

static bool
same_value(const char *a, const char *b, const char *numbers)
{
	cJSON *left = read_json(a), *right = read_json(b);
	wgc_setup setup = wgc_setup_default();
	setup.choices[WGC_NUMBERS] = numbers;
	bool same = wgc_value_same(left, right, &setup);
	cJSON_Delete(left);
	cJSON_Delete(right);
	return same;
}

static void
values_by_meaning(void)
{
	static const char nested[] = "{\"t\":\"nest\",\"n\":2,\"k\":\"arr\",\"v\":{\"t\":\"null\"}}";
	static const char written[] = "{\"t\":\"arr\",\"v\":[{\"t\":\"arr\",\"v\":[{\"t\":\"null\"}]}]}";
	static const char more[] = "{\"t\":\"arr\",\"v\":[{\"t\":\"arr\",\"v\":[{\"t\":\"null\"},{\"t\":\"null\"}]}]}";
	static const char map[] = "{\"t\":\"nest\",\"n\":1,\"k\":\"obj\",\"v\":{\"t\":\"null\"}}";
	static const char map_written[] = "{\"t\":\"obj\",\"v\":[[\"k\",{\"t\":\"null\"}]]}";
	static const char other[] = "{\"t\":\"obj\",\"v\":[[\"j\",{\"t\":\"null\"}]]}";
	static const char ints[] = "{\"t\":\"ints\",\"v\":[1,2]}";
	static const char list[] = "{\"t\":\"arr\",\"v\":[{\"t\":\"num\",\"v\":\"1\"},{\"t\":\"num\",\"v\":\"2\"}]}";
	static const char n1[] = "{\"t\":\"num\",\"v\":\"1.50\"}", n2[] = "{\"t\":\"num\",\"v\":\"15e-1\"}";
	claim(same_value(nested, written, "text") && same_value(written, nested, "text"), "a nest is what it unfolds to", "");
	claim(!same_value(nested, more, "text") && !same_value(more, nested, "text"), "and no more", "");
	claim(same_value(map, map_written, "text") && !same_value(map, other, "text"), "in maps as well, by the name k", "");
	claim(same_value(ints, list, "text") && same_value(list, ints, "text"), "ints are a list where a language has none", "");
	claim(!same_value(n1, n2, "text") && same_value(n1, n2, "double"), "numbers are texts, or doubles", "");
}

/* --- Rules and vectors --- */

static void
corpus_is_sound(void)
{
	const wgc_vectors *all = wgc_all_vectors();
	size_t wrong = 0, n;
	for (size_t i = 0; i < all->n; i++)
		for (const cJSON *r = all->at[i].rules->child; r != NULL; r = r->next) {
			const wgc_rule *rule = wgc_find_rule(r->valuestring);
			wrong += rule == NULL || rule->claim == NULL;
		}
	claim(all->n >= 800 && wrong == 0, "every vector names claims of SPEC.md", "");
	wgc_all_rules(&n);
	claim(n > 100, "and SPEC.md has them", "");
	for (size_t i = 0; i < all->n; i++) {
		wgc_string why = { 0 };
		const cJSON *json = all->at[i].json, *args = wgc_json_get(json, "args");
		char def[48];
		snprintf(def, sizeof(def), "args:%s", args == NULL ? "" : wgc_json_string(json, "op"));
		if (args != NULL && !wgc_schema_valid(wgc_protocol_schema(), def, args, &why)) {
			printf("# %s: %s\n", all->at[i].id, why.ptr);
			wrong++;
		}
		free(why.ptr);
	}
	claim(wrong == 0, "the args of every vector are valid against the protocol's schema", "");
}

/* --- A store that is played --- */

static wgc_event
next_event(wgc_subject *s)
{
	return s->poll(s, 10000);
}

static cJSON *
execute_args(void)
{
	return read_json("{\"envelope\":\"{}\",\"decision\":\"{}\"}");
}

static cJSON *
claimed(bool won)
{
	cJSON *ok = cJSON_CreateObject();
	cJSON_AddBoolToObject(ok, "claimed", won);
	return ok;
}

static void
play_out_of_order(wgc_subject *s)
{
	uint64_t first = s->send(s, "grant.execute", execute_args());
	uint64_t second = s->send(s, "grant.execute", execute_args());
	wgc_event a = next_event(s), b = next_event(s);
	claim(first != 0 && second != 0 && first != second && a.kind == WGC_EVENT_CALL &&
	              b.kind == WGC_EVENT_CALL && a.request != b.request &&
	              strcmp(a.op, "store.claim") == 0 && wgc_json_get(a.args, "key") != NULL,
	      "two requests wait for the store at once", "");
	uint64_t winner = b.request;
	s->answer(s, b.call, claimed(true), NULL);
	wgc_event won = next_event(s);
	claim(won.kind == WGC_EVENT_REPLY && won.request == winner && won.reply.kind == WGC_OK,
	      "the one that is answered first comes back first", "");
	cJSON *down = cJSON_CreateObject();
	cJSON_AddStringToObject(down, "code", "STORE_DOWN");
	s->answer(s, a.call, NULL, down);
	wgc_event lost = next_event(s);
	claim(lost.kind == WGC_EVENT_REPLY && lost.reply.kind == WGC_ERR && lost.request == a.request,
	      "the other is refused when the store is down", "");
	claim(!s->answer(s, a.call, claimed(true), NULL), "a call is answered once", "");
	wgc_event quiet = s->poll(s, 50);
	claim(quiet.kind == WGC_EVENT_NONE, "then nothing happens, and waiting ends", "");
	wgc_event_clear(&a);
	wgc_event_clear(&b);
	wgc_event_clear(&won);
	wgc_event_clear(&lost);
	wgc_event_clear(&quiet);
}

static void
play_a_lost_answer(wgc_subject *s)
{
	s->send(s, "grant.execute", execute_args());
	wgc_event call = next_event(s), reply = next_event(s);
	claim(call.kind == WGC_EVENT_CALL && reply.kind == WGC_EVENT_REPLY && reply.reply.kind == WGC_ERR,
	      "without an answer the adapter refuses by itself", "");
	claim(s->answer(s, call.call, claimed(true), NULL), "an answer that is late is sent all the same", "");
	wgc_reply after = wgc_ask(s, "clock.set", read_json("{\"now_ms\":1}"));
	claim(after.kind == WGC_OK, "and ignored", "");
	wgc_reply_clear(&after);
	wgc_event_clear(&call);
	wgc_event_clear(&reply);
}

static void
play_a_death(wgc_subject *s)
{
	s->send(s, "grant.execute", read_json("{\"envelope\":\"die\",\"decision\":\"{}\"}"));
	wgc_event dead = next_event(s);
	claim(dead.kind == WGC_EVENT_DEAD && dead.reply.kind == WGC_CRASH, "a death is an event with its reason", "");
	wgc_event_clear(&dead);
	wgc_reply after = wgc_ask(s, "clock.set", read_json("{\"now_ms\":1}"));
	claim(after.kind == WGC_OK, "and the next question goes to a fresh process", "");
	wgc_reply_clear(&after);
}

static void
store_is_played(char **argv)
{
	const char *why;
	wgc_adapter *adapter = wgc_adapter_new(argv, 5);
	bool started = wgc_adapter_start(adapter, &why);
	claim(started, "the adapter with a store starts", started ? "" : why);
	if (started) {
		wgc_subject *s = wgc_adapter_subject(adapter);
		wgc_setup setup = wgc_setup_default();
		setup.profile = "reference";
		claim(s->configure(s, &setup), "and is configured", "");
		play_out_of_order(s);
		play_a_lost_answer(s);
		play_a_death(s);
		claim(wgc_adapter_stop(adapter), "and says bye", "");
	}
	wgc_adapter_free(adapter);
}

/* An envelope may be written in other words; it may not say something else. */
static bool
is_envelope(const char *expected, const char *got)
{
	cJSON *expect = cJSON_CreateObject(), *hello = cJSON_CreateObject();
	cJSON_AddStringToObject(cJSON_AddObjectToObject(expect, "ok"), "envelope", expected);
	wgc_reply reply = { WGC_OK, cJSON_CreateObject() };
	cJSON_AddStringToObject(reply.body, "envelope", got);
	wgc_setup setup = wgc_setup_default();
	wgc_string why = { 0 };
	bool same = wgc_reply_meets(expect, &reply, hello, &setup, false, &why);
	free(why.ptr);
	wgc_reply_clear(&reply);
	cJSON_Delete(hello);
	cJSON_Delete(expect);
	return same;
}

static void
documents_by_meaning(void)
{
	static const char *const sound[] = {
		"{\"a\":[1,\"x\"],\"b\":{}}", " { \"b\" : {}, \"\\u0061\":[1.0e0,\"\\u0078\"]}\n",
	};
	static const char *const other[] = {
		"{\"a\":[1,\"x\"],\"b\":{}}x", "{\"a\":[1,\"x\"],\"b\":{}} {}",
		"{\"a\":[1,\"x\"],\"b\":{},\"b\":{}}", "{\"a\":[1,\"x\"],\"a\":[2],\"b\":{}}",
		"{\"a\":[\"x\",1],\"b\":{}}", "{\"a\":[1,\"x\"],\"b\":[]}", "{\"a\":[1,\"x\"]}",
		"{\"a\":[01,\"x\"],\"b\":{}}", "", "{\"a\":[1,\"x\"],\"b\":{},\"c\":1}",
	};
	claim(is_envelope(sound[0], sound[0]) && is_envelope(sound[0], sound[1]),
	      "a document may be written in many ways", "");
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		claim(!is_envelope(sound[0], other[i]), "but it has to be that document", other[i]);
	claim(!is_envelope("[9007199254740992]", "[9007199254740993]"),
	      "and whole numbers are exact", "");
}

int
main(int argc, char **argv)
{
	json_is_strict();
	forms_are_one();
	texts_are_written();
	values_by_meaning();
	documents_by_meaning();
	corpus_is_sound();
	if (argc > 1)
		store_is_played(argv + 1);
	else
		printf("ok %d - a store is played # SKIP no adapter was named\n", ++claims);
	printf("1..%d\n", claims);
	return failed > 0;
}
