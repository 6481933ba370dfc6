/* random.h - splitmix64: small, seedable, the same everywhere. */
#ifndef WGC_RANDOM_H
#define WGC_RANDOM_H

#include <stdint.h>

static inline uint64_t
wgc_random(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

/* 0 ... n-1; the bias of the remainder does not matter to tests. */
static inline uint64_t
wgc_random_below(uint64_t *state, uint64_t n)
{
	return wgc_random(state) % n;
}

/* A stream of its own for a name, so that adding one test moves no other. */
static inline uint64_t
wgc_random_for(uint64_t seed, const char *name)
{
	uint64_t h = 0xCBF29CE484222325 ^ seed;
	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001B3;
	return wgc_random(&h);
}

#endif
