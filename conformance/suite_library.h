/* suite_library.h - libwicketgate as a subject without a pipe: what the unit
 * tests and the fuzz target hand to the suite's properties. */
#ifndef WGC_SUITE_LIBRARY_H
#define WGC_SUITE_LIBRARY_H

#include "suite_inprocess.h"

extern const char library_hello[];

/* `state` is not used. */
wgc_reply library_answer(void *state, const wgc_setup *setup, const char *op,
                         const cJSON *args);

#endif
