/* evaluate.h - ask and judge many cases at once. */
#ifndef WGC_EVALUATE_H
#define WGC_EVALUATE_H

#include "property.h"

/* Cases asked together. */
#define WGC_BATCH 64

wgc_case wgc_case_new(wgc_subject *subject);
void wgc_case_clear(wgc_case *what);
/* Its texts and numbers, not yet asked. */
wgc_case wgc_case_copy(const wgc_case *what);

/* Ask all stages of n cases that have texts and numbers, and check them. */
void wgc_evaluate(const wgc_property *property, wgc_case *cases, size_t n);
/* A case from choices, asked and checked; false if they make none. */
bool wgc_play(const wgc_property *property, wgc_choices *choices,
              wgc_case *what);

#endif
