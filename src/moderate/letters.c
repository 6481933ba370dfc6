/* letters.c - what a letter reads as, from a generated table. */
#include "letters.h"

static wkg__letters
one(uint32_t code)
{
	wkg__letters letter = { { code }, 1 };
	return letter;
}

/* The last run that begins at or before `code`; there is one from U+00AA on. */
static const wkg__letter_run *
run_before(uint32_t code)
{
	size_t low = 0, high = wkg__letter_run_count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (wkg__letter_runs[middle].first <= code)
			low = middle;
		else
			high = middle;
	}
	return &wkg__letter_runs[low];
}

static const wkg__letter_several *
several_of(uint32_t code)
{
	size_t low = 0, high = wkg__letter_several_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (wkg__letter_severals[middle].code == code)
			return &wkg__letter_severals[middle];
		if (wkg__letter_severals[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

wkg__letters
wkg__read_letter(uint32_t code)
{
	wkg__letters letters = { { 0 }, 0 };
	if (code < 0x80)
		return one(code);
	const wkg__letter_run *run = run_before(code);
	if (code >= run->first && code - run->first < run->count) {
		if (run->to == 0)
			return letters;
		return one(run->to + (code - run->first));
	}
	const wkg__letter_several *several = several_of(code);
	if (several == NULL)
		return one(code);
	while (letters.count < 3 && several->to[letters.count] != 0) {
		letters.code[letters.count] = several->to[letters.count];
		letters.count++;
	}
	return letters;
}
