/* property.h - claims about all inputs, tried on generated ones.
 *
 * A case is texts and numbers, made from a choice sequence (choice.h). The
 * engine asks the cases of a batch together, because a subject behind a pipe
 * is thirty times as fast that way; it shrinks a failing one first by its
 * choices, then by its texts and numbers, and says it as a token that brings
 * it back. A case must follow from its texts and numbers alone: shrinking
 * changes them, and asks and checks again.
 *
 * Properties about state (grants) are *played*: a function that asks what it
 * likes, in an order that its choices decide. */
#ifndef WGC_PROPERTY_H
#define WGC_PROPERTY_H

#include "ask.h"
#include "choice.h"
#include "json.h"
#include "text.h"

#define WGC_CASE_TEXTS   4
#define WGC_CASE_NUMBERS 4

typedef struct wgc_request {
	const char *op; /* static storage */
	cJSON *args;    /* NULL when sent, unless the case is kept */
	wgc_reply reply;
} wgc_request;

typedef struct wgc_case {
	wgc_subject *subject;   /* hello, and the setup it runs with */
	wgc_choices *choices;   /* for generate and play */
	wgc_text text[WGC_CASE_TEXTS];
	uint32_t number[WGC_CASE_NUMBERS];
	size_t texts, numbers;
	wgc_request *request;
	size_t requests;
	bool keep; /* args, for the report */

	wgc_verdict verdict;
	wgc_kind kind;
	char *why;
	cJSON *expected, *timeline; /* for the report; may stay NULL */
} wgc_case;

struct wgc_method {
	/* Vary the configuration, once for a batch; may be NULL. */
	void (*configure)(wgc_choices *choices, const wgc_subject *subject,
	                  wgc_setup *setup);
	/* Texts and numbers out of choices. False: no case. */
	bool (*generate)(wgc_case *what);
	/* Add the requests of stage 0, 1, ...; false if there is none. */
	bool (*ask)(wgc_case *what, size_t stage);
	/* All are answered, none by a death or a skip: wgc_case_fails(). */
	void (*check)(wgc_case *what);
	/* Instead of the last three. */
	void (*play)(wgc_case *what);
	/* All choice sequences, not some: played until there is no next one. */
	bool exhaustive;
	/* The same for what is not played: its first choice is 0, 1, ... of so
	 * many. Few cases stop short of that. */
	size_t count;
	/* Of races: what a pass proves ("C1", "C2"). */
	const char *tier;
	/* Tries in 100 of what was asked for; 0: 100. */
	unsigned share;
};

/* --- For methods --- */

void wgc_case_add_text(wgc_case *what, wgc_text text /* taken */);
void wgc_case_add_number(wgc_case *what, uint32_t number);
/* Add a request; args are taken. Its index. */
size_t wgc_case_ask(wgc_case *what, const char *op, cJSON *args);
/* Ask at once, when played. The reply is good until the next question. */
const wgc_reply *wgc_case_ask_now(wgc_case *what, const char *op, cJSON *args);
/* The first to fail it wins; printf. */
void wgc_case_fails(wgc_case *what, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* It could not be asked after all; printf. */
void wgc_case_proves_nothing(wgc_case *what, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Failed, or given up, already? */
bool wgc_case_is_over(const wgc_case *what);
/* The reply is an `ok`; if not, the case fails. */
bool wgc_case_ok(wgc_case *what, size_t request);
/* The text member of an `ok`; if there is none, the case fails. Clear it. */
bool wgc_case_text(wgc_case *what, size_t request, const char *member,
                   wgc_text *text);
/* Fails unless both are the same, showing both. */
void wgc_case_same(wgc_case *what, const char *claim, const wgc_text *expected,
                   const wgc_text *got);

/* Arguments: {"s": text} and so on. Long runs travel as $rep; a text that is
 * not well-formed as $hex or $u16. */
cJSON *wgc_wire(const wgc_text *text);
cJSON *wgc_args_s(const wgc_text *text);
cJSON *wgc_args_source(const char *source, const wgc_text *text);

bool wgc_is_hardened(const wgc_case *what);

#endif
