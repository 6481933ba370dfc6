/* suite_toys.h - small implementations in the reference profile, right and,
 * by a switch each, wrong in a way that somebody has been wrong. */
#ifndef WGC_SUITE_TOYS_H
#define WGC_SUITE_TOYS_H

#include "suite/ask.h"

typedef struct toy {
	const char *bug;      /* what it does wrong; NULL: nothing */
	const char *property; /* that has to notice */
} toy;

extern const toy text_toys[]; /* ended by a bug of NULL */
extern const char text_toy_hello[];

wgc_reply text_toy_answer(void *toy, const wgc_setup *setup, const char *op,
                          const cJSON *args);

#endif
