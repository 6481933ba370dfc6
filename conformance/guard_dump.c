/* guard_dump.c - what the guards of the fence read, by runs of code points:
 *
 *     FIRST LAST keyword token passed
 *
 * `-` for an empty reading; `passed` is 1 for punctuation that has one. */
#include <inttypes.h>
#include <stdio.h>

#include "../src/text/guard_data.h"

static uint8_t
number_of(uint32_t code)
{
	uint8_t block = wkg__guard_index[code >> WKG__GUARD_SHIFT];
	return wkg__guard_block[block][code % (1u << WKG__GUARD_SHIFT)];
}

int
main(void)
{
	for (uint32_t first = 0, code = 1; code <= WKG__GUARD_END; code++) {
		uint8_t number = number_of(first);
		if (code < WKG__GUARD_END && number_of(code) == number)
			continue;
		const wkg__guard_reading *r = &wkg__guard_readings[number];
		printf("%04" PRIX32 " %04" PRIX32 " %s %s %d\n", first, code - 1,
		       r->keyword[0] ? r->keyword : "-", r->token, r->also_passed);
		first = code;
	}
	for (int i = 0; i < WKG__GUARD_TOKEN_COUNT; i++)
		printf("token %s\n", wkg__guard_tokens[i]);
	return 0;
}
