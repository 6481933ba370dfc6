/* choice.c - sequences of bounded numbers: random, given, counted. */
#include "choice.h"
#include "random.h"

#include <string.h>

void
wgc_choices_random(wgc_choices *choices, uint64_t seed)
{
	choices->len = choices->given = 0;
	choices->random = true;
	choices->state = seed;
}

void
wgc_choices_given(wgc_choices *choices, const uint32_t *at, size_t len)
{
	if (len > WGC_CHOICES_MAX)
		len = WGC_CHOICES_MAX;
	if (len > 0)
		memmove(choices->at, at, len * sizeof(*at));
	choices->given = len;
	choices->len = 0;
	choices->random = false;
}

void
wgc_choices_bytes(wgc_choices *choices, const uint8_t *bytes, size_t len)
{
	size_t n = len / 2 < WGC_CHOICES_MAX ? len / 2 : WGC_CHOICES_MAX;
	for (size_t i = 0; i < n; i++)
		choices->at[i] = (uint32_t)bytes[2 * i] << 8 | bytes[2 * i + 1];
	choices->given = n;
	choices->len = 0;
	choices->random = false;
}

/* A number as in a counter whose digits have bases of their own: the last
 * digit that can grow does, those behind it are forgotten. */
bool
wgc_choices_next(wgc_choices *choices)
{
	size_t n = choices->len;
	while (n > 0 && choices->at[n - 1] + 1 >= choices->bound[n - 1])
		n--;
	if (n == 0)
		return false;
	choices->at[n - 1]++;
	wgc_choices_given(choices, choices->at, n);
	return true;
}

uint32_t
wgc_choose(wgc_choices *choices, uint32_t n)
{
	size_t i = choices->len;
	if (i >= WGC_CHOICES_MAX || n == 0)
		return 0;
	if (i >= choices->given)
		choices->at[i] = choices->random ? (uint32_t)wgc_random_below(
		                                           &choices->state, n)
		                                 : 0;
	choices->at[i] %= n;
	choices->bound[i] = n;
	choices->len++;
	return choices->at[i];
}

uint32_t
wgc_choose_between(wgc_choices *choices, uint32_t first, uint32_t last)
{
	return first + wgc_choose(choices, last - first + 1);
}

bool
wgc_choose_rarely(wgc_choices *choices, uint32_t n)
{
	/* The last of n, so that 0 means no. */
	return wgc_choose(choices, n) == n - 1;
}
