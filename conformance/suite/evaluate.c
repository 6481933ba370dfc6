/* evaluate.c - cases, and how a batch of them is asked. */
#include "evaluate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_RUN 24 /* that travels as $rep */

/* --- Life --- */

wgc_case
wgc_case_new(wgc_subject *subject)
{
	return (wgc_case){ .subject = subject, .verdict = WGC_PASS,
		           .kind = WGC_OK };
}

void
wgc_case_clear(wgc_case *what)
{
	for (size_t i = 0; i < what->texts; i++)
		wgc_text_clear(&what->text[i]);
	for (size_t i = 0; i < what->requests; i++) {
		cJSON_Delete(what->request[i].args);
		wgc_reply_clear(&what->request[i].reply);
	}
	free(what->request);
	free(what->why);
	cJSON_Delete(what->expected);
	cJSON_Delete(what->timeline);
	*what = (wgc_case){ .subject = what->subject };
}

wgc_case
wgc_case_copy(const wgc_case *what)
{
	wgc_case copy = wgc_case_new(what->subject);
	for (size_t i = 0; i < what->texts; i++)
		wgc_case_add_text(&copy, wgc_text_of(what->text[i].form,
		                                     what->text[i].at,
		                                     what->text[i].len));
	for (size_t i = 0; i < what->numbers; i++)
		wgc_case_add_number(&copy, what->number[i]);
	return copy;
}

/* --- For methods --- */

void
wgc_case_add_text(wgc_case *what, wgc_text text)
{
	if (what->texts == WGC_CASE_TEXTS)
		abort();
	what->text[what->texts++] = text;
}

void
wgc_case_add_number(wgc_case *what, uint32_t number)
{
	if (what->numbers == WGC_CASE_NUMBERS)
		abort();
	what->number[what->numbers++] = number;
}

size_t
wgc_case_ask(wgc_case *what, const char *op, cJSON *args)
{
	size_t n = what->requests;
	if ((n & (n + 1)) == 0)
		what->request = wgc_grow(what->request,
		                         2 * (n + 1) * sizeof(wgc_request));
	what->request[n] = (wgc_request){ .op = op, .args = args };
	return what->requests++;
}

static void
end(wgc_case *what, wgc_verdict verdict, const char *format, va_list args)
{
	char line[1024];
	if (wgc_case_is_over(what))
		return;
	vsnprintf(line, sizeof(line), format, args);
	what->verdict = verdict;
	what->why = wgc_copy(line);
}

void
wgc_case_fails(wgc_case *what, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	end(what, WGC_FAIL, format, args);
	va_end(args);
}

void
wgc_case_proves_nothing(wgc_case *what, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	end(what, WGC_UNPROVEN, format, args);
	va_end(args);
}

bool
wgc_case_is_over(const wgc_case *what)
{
	return what->verdict != WGC_PASS;
}

bool
wgc_case_ok(wgc_case *what, size_t request)
{
	const wgc_request *r = &what->request[request];
	if (r->reply.kind == WGC_OK)
		return true;
	const char *code = wgc_json_string(r->reply.body, "code");
	wgc_case_fails(what, "%s was refused: %s", r->op,
	               code == NULL ? "no code" : code);
	return false;
}

bool
wgc_case_text(wgc_case *what, size_t request, const char *member,
              wgc_text *text)
{
	const char *why;
	*text = (wgc_text){ .form = WGC_SCALARS };
	if (!wgc_case_ok(what, request))
		return false;
	const cJSON *json = wgc_json_get(what->request[request].reply.body, member);
	if (wgc_text_read(json, text, &why))
		return true;
	wgc_case_fails(what, "%s answered without a text %s",
	               what->request[request].op, member);
	return false;
}

void
wgc_case_same(wgc_case *what, const char *claim, const wgc_text *expected,
              const wgc_text *got)
{
	if (wgc_case_is_over(what) || wgc_text_same(expected, got))
		return;
	size_t i = 0, least = expected->len < got->len ? expected->len : got->len;
	while (i < least && expected->at[i] == got->at[i])
		i++;
	wgc_text a = wgc_text_from(expected, i), b = wgc_text_from(got, i);
	char *left = wgc_text_chips(&a, 20), *right = wgc_text_chips(&b, 20);
	wgc_case_fails(what, "%s: at %zu expected \"%s\", got \"%s\"", claim, i,
	               left, right);
	what->expected = wgc_text_json(expected);
	free(left);
	free(right);
}

bool
wgc_is_hardened(const wgc_case *what)
{
	return strcmp(what->subject->setup->profile, "hardened") == 0;
}

/* --- On the wire --- */

static cJSON *
rep(cJSON *text, size_t n)
{
	cJSON *pair = cJSON_CreateArray(), *json = cJSON_CreateObject();
	cJSON_AddItemToArray(pair, text);
	cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)n));
	cJSON_AddItemToObject(json, "$rep", pair);
	return json;
}

static size_t
run_at(const wgc_text *text, size_t i)
{
	size_t n = 1;
	while (i + n < text->len && text->at[i + n] == text->at[i])
		n++;
	return n;
}

static cJSON *
piece(const wgc_text *text, size_t from, size_t to)
{
	wgc_text part = wgc_text_from(text, from);
	part.len = to - from;
	return wgc_text_json(&part);
}

cJSON *
wgc_wire(const wgc_text *text)
{
	cJSON *parts = cJSON_CreateArray();
	size_t from = 0;
	for (size_t i = 0, n; text->form == WGC_SCALARS && i < text->len; i += n) {
		n = run_at(text, i);
		if (n < LONG_RUN)
			continue;
		if (i > from)
			cJSON_AddItemToArray(parts, piece(text, from, i));
		cJSON_AddItemToArray(parts, rep(piece(text, i, i + 1), n));
		from = i + n;
	}
	if (from == 0) {
		cJSON_Delete(parts);
		return wgc_text_json(text);
	}
	if (from < text->len)
		cJSON_AddItemToArray(parts, piece(text, from, text->len));
	cJSON *json = cJSON_CreateObject();
	cJSON_AddItemToObject(json, "$cat", parts);
	return json;
}

cJSON *
wgc_args_s(const wgc_text *text)
{
	cJSON *args = cJSON_CreateObject();
	cJSON_AddItemToObject(args, "s", wgc_wire(text));
	return args;
}

cJSON *
wgc_args_source(const char *source, const wgc_text *text)
{
	cJSON *args = wgc_args_s(text);
	cJSON_AddStringToObject(args, "source", source);
	return args;
}

/* --- Asking --- */

/* A death, a skip, nothing at all: no answer to judge. */
static void
look_at(wgc_case *what, const wgc_request *request)
{
	const wgc_reply *reply = &request->reply;
	if (wgc_case_is_over(what) || reply->kind == WGC_OK ||
	    reply->kind == WGC_ERR)
		return;
	if (reply->kind == WGC_SKIP) {
		const char *reason = wgc_json_string(reply->body, "reason");
		wgc_case_proves_nothing(what, "%s was skipped: %s", request->op,
		                        reason == NULL ? "" : reason);
		what->verdict = WGC_SKIPPED;
		what->kind = WGC_SKIP;
		return;
	}
	const char *why = wgc_json_string(reply->body, "why");
	wgc_case_fails(what, "%s: %s: %s", request->op,
	               wgc_kind_name(reply->kind), why == NULL ? "" : why);
	what->kind = reply->kind;
}

/* The requests of a stage of all cases, in one call. */
typedef struct load {
	const char **ops;
	cJSON **args;
	wgc_reply *replies;
	size_t n;
} load;

static void
pack(load *l, wgc_case *what, size_t from)
{
	size_t more = what->requests - from;
	l->ops = wgc_grow(l->ops, (l->n + more) * sizeof(*l->ops));
	l->args = wgc_grow(l->args, (l->n + more) * sizeof(*l->args));
	for (size_t i = from; i < what->requests; i++, l->n++) {
		wgc_request *r = &what->request[i];
		l->ops[l->n] = r->op;
		l->args[l->n] = what->keep ? cJSON_Duplicate(r->args, true)
		                           : r->args;
		if (!what->keep)
			r->args = NULL;
	}
}

static void
unpack(load *l, wgc_case *what, size_t from, size_t *at)
{
	for (size_t i = from; i < what->requests; i++) {
		what->request[i].reply = l->replies[(*at)++];
		look_at(what, &what->request[i]);
	}
}

/* One stage; false when no case had one. */
static bool
ask_stage(const wgc_property *property, wgc_case *cases, size_t n,
          size_t stage, bool *done)
{
	load l = { 0 };
	size_t *from = wgc_alloc(n * sizeof(*from));
	for (size_t i = 0; i < n; i++) {
		from[i] = cases[i].requests;
		if (!done[i])
			done[i] = wgc_case_is_over(&cases[i]) ||
			          !property->method->ask(&cases[i], stage);
		pack(&l, &cases[i], from[i]);
	}
	if (l.n > 0) {
		wgc_subject *subject = cases[0].subject;
		l.replies = wgc_alloc(l.n * sizeof(*l.replies));
		subject->ask(subject, l.n, l.ops, l.args, l.replies);
	}
	for (size_t i = 0, at = 0; i < n; i++)
		unpack(&l, &cases[i], from[i], &at);
	free(l.ops);
	free(l.args);
	free(l.replies);
	free(from);
	return l.n > 0;
}

void
wgc_evaluate(const wgc_property *property, wgc_case *cases, size_t n)
{
	bool *done = wgc_alloc(n * sizeof(*done));
	for (size_t stage = 0; ask_stage(property, cases, n, stage, done);)
		stage++;
	for (size_t i = 0; i < n; i++)
		if (!wgc_case_is_over(&cases[i]))
			property->method->check(&cases[i]);
	free(done);
}

const wgc_reply *
wgc_case_ask_now(wgc_case *what, const char *op, cJSON *args)
{
	size_t i = wgc_case_ask(what, op, args);
	wgc_request *r = &what->request[i];
	cJSON *sent = what->keep ? cJSON_Duplicate(args, true) : args;
	if (!what->keep)
		r->args = NULL;
	what->subject->ask(what->subject, 1, &op, &sent, &r->reply);
	look_at(what, r);
	return &r->reply;
}

bool
wgc_play(const wgc_property *property, wgc_choices *choices, wgc_case *what)
{
	what->choices = choices;
	if (property->method->play != NULL) {
		property->method->play(what);
		return true;
	}
	if (!property->method->generate(what))
		return false;
	wgc_evaluate(property, what, 1);
	return true;
}
