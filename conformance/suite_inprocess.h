/* suite_inprocess.h - subjects without a pipe, to test the suite's properties
 * with: a function that answers, and what `hello` would have declared. */
#ifndef WGC_SUITE_INPROCESS_H
#define WGC_SUITE_INPROCESS_H

#include "suite/property.h"

typedef wgc_reply (*wgc_answer)(void *state, const wgc_setup *setup,
                                const char *op, const cJSON *args);

typedef struct wgc_inprocess {
	wgc_subject subject;
	wgc_setup setup;
	wgc_answer answer;
	void *state;
} wgc_inprocess;

/* `hello` is JSON text. */
static inline void
wgc_inprocess_start(wgc_inprocess *p, const char *hello, wgc_answer answer,
                    void *state);
static inline void
wgc_inprocess_stop(wgc_inprocess *p)
{
	cJSON_Delete((cJSON *)(uintptr_t)p->subject.hello);
}

static inline wgc_reply
wgc_ok(cJSON *body)
{
	return (wgc_reply){ WGC_OK, body };
}

static inline wgc_reply
wgc_err(const char *code)
{
	cJSON *body = cJSON_CreateObject();
	cJSON_AddStringToObject(body, "code", code);
	return (wgc_reply){ WGC_ERR, body };
}

static inline bool
wgc_inprocess_ask(wgc_subject *subject, size_t n, const char *const *ops,
                  cJSON *const *args, wgc_reply *replies)
{
	wgc_inprocess *p = subject->state;
	bool alive = true;
	for (size_t i = 0; i < n; i++) {
		replies[i] = p->answer(p->state, &p->setup, ops[i], args[i]);
		alive &= replies[i].kind < WGC_CRASH;
		cJSON_Delete(args[i]);
	}
	return alive;
}

static inline bool
wgc_inprocess_configure(wgc_subject *subject, const wgc_setup *setup)
{
	wgc_inprocess *p = subject->state;
	p->setup = *setup;
	return true;
}

static inline void
wgc_inprocess_start(wgc_inprocess *p, const char *hello, wgc_answer answer,
                    void *state)
{
	const char *why = "";
	*p = (wgc_inprocess){ .answer = answer, .state = state,
		              .setup = wgc_setup_default() };
	p->setup.profile = "reference";
	p->subject = (wgc_subject){ .ask = wgc_inprocess_ask,
		                    .configure = wgc_inprocess_configure,
		                    .hello = wgc_json_read(hello, strlen(hello), &why),
		                    .setup = &p->setup, .state = p };
	if (p->subject.hello == NULL) {
		fprintf(stderr, "hello: %s\n", why);
		abort();
	}
}

#endif
