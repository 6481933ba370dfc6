/* vectors.h - the vectors built into the runner, asked and judged. */
#ifndef WGC_VECTORS_H
#define WGC_VECTORS_H

#include "ask.h"
#include "json.h"

typedef struct wgc_vector {
	const cJSON *json, *file; /* what it is a part of is kept as well */
	const char *id, *component, *level, *claim, *importance, *why;
	const cJSON *rules, *flags; /* ids; what the flags say, for `explain` */
} wgc_vector;

typedef struct wgc_vectors {
	wgc_vector *at;
	size_t n;
} wgc_vectors;

/* All of them, parsed once. A file that cannot be read ends the program with 5:
 * a suite that lost vectors proves nothing. */
const wgc_vectors *wgc_all_vectors(void);
const wgc_vector *wgc_find_vector(const char *id);

typedef enum wgc_fit {
	WGC_FIT,           /* ask it */
	WGC_OTHER_SETUP,   /* another profile or option is meant */
	WGC_OUT_OF_PLACE,  /* about something this language or design has not */
	WGC_FIXED,         /* needs configuration that is fixed */
	WGC_CANNOT_ASK     /* a part of the claim that cannot be asked */
} wgc_fit;

wgc_fit wgc_vector_fits(const wgc_vector *vector, const cJSON *hello,
                        const wgc_setup *setup, char **why);
/* The same of the operations and features that a property needs. */
wgc_fit wgc_needs_fit(const char *op, const char *feature, const cJSON *hello,
                      char **why);

/* Ask n vectors that fit, in an order and in forms that depend on the seed,
 * one in twenty of them twice. outcomes[i] is of vectors[i]. After three that
 * ended the process (*deaths) the rest fails without being asked. */
void wgc_vectors_run(wgc_subject *subject, const wgc_vector *const *vectors,
                     size_t n, const wgc_setup *setup, uint64_t seed,
                     size_t *deaths, wgc_outcome *outcomes);
#define WGC_MAX_DEATHS 3

#endif
