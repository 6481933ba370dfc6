/* ask.h - how the suite asks an implementation, whatever it is behind.
 *
 * Vectors and properties see a `wgc_subject`: usually an adapter process
 * (adapter.h), in tests of the suite a toy in C. They never see how a request
 * travels, and a subject never sees what is expected.
 *
 * JSON trees are cJSON's, with two rules of our own (json.h): they are read
 * and written with wgc_json_read and wgc_json_write only, and U+0000 in a
 * string is the two bytes C0 80, because a cJSON string ends at a zero byte. */
#ifndef WGC_ASK_H
#define WGC_ASK_H

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What came back. Everything but OK and ERR is the subject's failure, also
 * where a refusal was expected; SKIP is one it owns up to. */
typedef enum wgc_kind {
	WGC_NONE,     /* nothing asked yet */
	WGC_OK,       /* body: the `ok` object */
	WGC_ERR,      /* body: the `err` object, `code` checked */
	WGC_SKIP,     /* body: `skip` */
	WGC_CRASH,    /* these three: body {"why":"...","stderr":"..."} */
	WGC_HANG,
	WGC_PROTOCOL
} wgc_kind;

typedef struct wgc_reply {
	wgc_kind kind;
	cJSON *body; /* the caller's; wgc_reply_clear */
} wgc_reply;

const char *wgc_kind_name(wgc_kind kind);
void wgc_reply_clear(wgc_reply *reply);
/* {"ok":{...}}, {"err":{...}}, {"crash":{...}} ... for reports; a copy. */
cJSON *wgc_reply_json(const wgc_reply *reply);

/* --- Configuration --- */

typedef enum wgc_source {
	WGC_CHAT,
	WGC_WEBHOOK,
	WGC_FORM_EVENT,
	WGC_RETRIEVAL,
	WGC_TOOL_RESULT,
	WGC_SOURCES
} wgc_source;

typedef enum wgc_choice {
	WGC_LENGTH_UNIT,
	WGC_DROPPED,
	WGC_NUMBERS,
	WGC_OUTPUT_TAGS,
	WGC_CANON,
	WGC_INTENT_INPUT,
	WGC_INTENT_UNIT,
	WGC_CHOICES
} wgc_choice;

extern const char *const wgc_source_names[WGC_SOURCES];
extern const char *const wgc_choice_names[WGC_CHOICES];

typedef struct wgc_setup {
	const char *profile;               /* "reference" or "hardened" */
	const char *choices[WGC_CHOICES];  /* NULL: not declared */
	uint32_t limits[WGC_SOURCES];
	uint32_t max_depth;
	struct {
		uint32_t depth, entries, array, bytes;
	} intent;
	struct {
		bool rate_enabled;
		uint32_t ip, path, window_s;
		int64_t max_body; /* -1: not set */
	} webhook;
} wgc_setup;

/* The defaults of SPEC.md, with no profile and no choice. */
wgc_setup wgc_setup_default(void);
/* The option `name` (static storage) of a choice, or NULL. */
const char *wgc_choice_option(wgc_choice choice, const char *name);
bool wgc_setup_is(const wgc_setup *setup, wgc_choice choice, const char *option);
/* Set by the name PROTOCOL.md gives it: "sanitize.limits.chat", "intent.depth". */
bool wgc_setup_set(wgc_setup *setup, const char *name, int64_t value);
/* The args of `configure`, for the components of that `hello`. */
cJSON *wgc_setup_json(const wgc_setup *setup, const cJSON *hello);
bool wgc_setup_equal(const wgc_setup *a, const wgc_setup *b);

/* --- Subjects --- */

/* What a subject may report while requests are outstanding. */
typedef enum wgc_event_kind {
	WGC_EVENT_NONE,  /* the deadline passed */
	WGC_EVENT_REPLY, /* `request` is answered: `reply` */
	WGC_EVENT_CALL,  /* the store is called: `call`, `op`, `args`, for `request` */
	WGC_EVENT_DEAD   /* the process is gone, all requests with it: `reply` says why */
} wgc_event_kind;

typedef struct wgc_event {
	wgc_event_kind kind;
	uint64_t request;
	wgc_reply reply;
	uint64_t call;
	char op[16]; /* store.claim store.get store.put */
	cJSON *args;
} wgc_event;

void wgc_event_clear(wgc_event *event);

typedef struct wgc_subject wgc_subject;
struct wgc_subject {
	/* Ask n requests and wait for all replies: replies[i] belongs to
	 * request i. Takes the args. Pure operations are pipelined; a state
	 * operation is sent when nothing else is outstanding. A request
	 * that killed the process is asked again in a fresh one and then
	 * fails, whether it kills that too or not; after three deaths in one
	 * call the rest is not asked (CRASH, `why` says so). False if there
	 * was a death: whatever state the subject held is gone. */
	bool (*ask)(wgc_subject *subject, size_t n, const char *const *ops,
	            cJSON *const *args, wgc_reply *replies);
	/* Does nothing if it is configured so already. False: it refused, or
	 * died; `why` says which. */
	bool (*configure)(wgc_subject *subject, const wgc_setup *setup);

	/* For who plays the store (feature store.claim or store.get-put).
	 * Takes the args; 0: could not be sent. There is no second try. */
	uint64_t (*send)(wgc_subject *subject, const char *op, cJSON *args);
	/* Wait for the next event, at most `wait_ms`; a request that is late
	 * by PROTOCOL.md 10 is a DEAD event of kind HANG. */
	wgc_event (*poll)(wgc_subject *subject, int wait_ms);
	/* Answer a call: exactly one of ok and err, taken. */
	bool (*answer)(wgc_subject *subject, uint64_t call, cJSON *ok,
	               cJSON *err);

	const cJSON *hello;     /* the `ok` of hello */
	const wgc_setup *setup; /* the configuration it runs with */
	const char *why;        /* of the last false; may be NULL */
	void *state;
};

/* One request. The reply is the caller's. */
wgc_reply wgc_ask(wgc_subject *subject, const char *op, cJSON *args);

/* What `hello` declared. */
bool wgc_has_component(const cJSON *hello, const char *name);
bool wgc_has_operation(const cJSON *hello, const char *name);
bool wgc_has_feature(const cJSON *hello, const char *name);
bool wgc_has_profile(const cJSON *hello, const char *name);
bool wgc_is_fixed(const cJSON *hello, const char *name);

/* --- Verdicts --- */

typedef enum wgc_verdict {
	WGC_UNPROVEN, /* could not be asked for want of an operation or a feature */
	WGC_PASS,
	WGC_FAIL,
	WGC_SKIPPED   /* the subject skipped it */
} wgc_verdict;

/* What came of one vector or property. Zero is UNPROVEN. */
typedef struct wgc_outcome {
	wgc_verdict verdict;
	wgc_kind kind;  /* of the reply a failure rests on; OK: a wrong answer */
	bool flaky;     /* failed, and did not when it was asked again */
	size_t asked;   /* requests (a vector) or cases (a property) */
	char *detail;   /* one line of ASCII for people; why */
	char *token;    /* of `replay`; properties only */
	cJSON *request; /* {"op":...,"args":...}, or an array of them */
	cJSON *reply;   /* wgc_reply_json, or an array of them */
	cJSON *expected;
	/* Of races: [{"lane":"call 1","what":"claim","t0":n,"t1":n,"won":bool}]
	 * in any unit of time; reports draw it. */
	cJSON *timeline;
	const char *tier; /* "C1", "C2", "C3": what a race proved; else NULL */
} wgc_outcome;

void wgc_outcome_clear(wgc_outcome *outcome);
const char *wgc_verdict_name(wgc_verdict verdict);
/* Set `detail` (freeing the one before), as printf does. */
void wgc_outcome_say(wgc_outcome *outcome, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* --- Properties (property_*.c) --- */

/* How a property asks and judges is property.h's affair. */
typedef struct wgc_method wgc_method;

typedef struct wgc_property {
	const char *id, *title;     /* "P-FN1" */
	const char *const *rules;   /* NULL-terminated, as all lists here */
	const char *level, *claim;  /* "MUST" "SHOULD"; "safety" "exact" */
	const char *component;
	const char *const *profiles; /* NULL: either */
	const char *const *operations, *const *features; /* what it needs */
	/* Choices whose options change what it checks; it runs with each. */
	const wgc_choice *choices;
	size_t choice_count;
	const wgc_method *method;
} wgc_property;

extern const wgc_property *const wgc_properties[]; /* NULL-terminated */

/* Run, shrink, verify. The subject is configured already; a property may
 * configure it differently and then puts it back. */
void wgc_property_run(wgc_subject *subject, const wgc_property *property,
                      uint64_t seed, size_t cases, double budget_s,
                      wgc_outcome *outcome);
/* The property a token is of, or NULL and why. */
const wgc_property *wgc_token_property(const char *token, const char **why);
/* Once more what a token says, in the configuration that it names. */
void wgc_property_replay(wgc_subject *subject, const wgc_property *property,
                         const char *token, wgc_outcome *outcome);
/* How many cases shrinking may ask (3000); 0: it does not shrink. */
void wgc_shrink_calls(size_t n);
/* Where tokens of failures are kept: they are replayed first. NULL: nowhere.
 * False if nothing can be written there. */
bool wgc_failures_keep(const char *directory);

#endif
