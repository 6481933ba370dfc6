/* choice.h - a test case is a sequence of bounded numbers.
 *
 * Generators are pure functions of the choices they are given, and 0 is always
 * the simplest one (stop, none, shortest). So a case can be repeated from its
 * choices, made simpler by making them fewer and smaller, enumerated by
 * counting, and steered by a fuzzer, without any generator knowing of it. */
#ifndef WGC_CHOICE_H
#define WGC_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A generator that changes what the same choices mean changes this number, so
 * that old tokens are refused, not misread. */
#define WGC_GENERATOR_VERSION 1

#define WGC_CHOICES_MAX 4096

typedef struct wgc_choices {
	uint32_t at[WGC_CHOICES_MAX], bound[WGC_CHOICES_MAX];
	size_t len;   /* made so far */
	size_t given; /* of these were there before */
	bool random;  /* what is not given: random, or 0 */
	uint64_t state;
} wgc_choices;

/* Fresh ones from a seed. */
void wgc_choices_random(wgc_choices *choices, uint64_t seed);
/* These, then zeros. `at` may be the sequence's own. */
void wgc_choices_given(wgc_choices *choices, const uint32_t *at, size_t len);
/* From a fuzzer's bytes, two for each choice. */
void wgc_choices_bytes(wgc_choices *choices, const uint8_t *bytes, size_t len);
/* Count on: the next sequence after this one; false after the last. */
bool wgc_choices_next(wgc_choices *choices);

/* 0 ... n-1; n is at least 1. */
uint32_t wgc_choose(wgc_choices *choices, uint32_t n);
/* first ... last, first being the simplest. */
uint32_t wgc_choose_between(wgc_choices *choices, uint32_t first, uint32_t last);
/* True once in n. */
bool wgc_choose_rarely(wgc_choices *choices, uint32_t n);

#endif
