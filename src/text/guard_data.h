/* guard_data.h - the arrays of guard_data.c, for guard.c alone. Two stages, as
 * in table_data.h. */
#ifndef WICKETGATE_GUARD_DATA_H
#define WICKETGATE_GUARD_DATA_H

#include <stdbool.h>
#include <stdint.h>

enum {
	WKG__GUARD_SHIFT = 7,
	WKG__GUARD_END = 0x1FC00, /* from here on nothing is readable */
	WKG__GUARD_TOKEN_COUNT = 32,
	WKG__GUARD_TOKEN_SIZE = 20, /* with the NUL */
};

/* What can be read in a visible character. `#` stands for all that is in no
 * keyword and in no token. */
typedef struct wkg__guard_reading {
	char keyword[3]; /* letters; "" for punctuation, which is passed over */
	char token[4];
	bool also_passed; /* punctuation that looks like a letter */
} wkg__guard_reading;

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

extern const char wkg__guard_tokens[WKG__GUARD_TOKEN_COUNT][WKG__GUARD_TOKEN_SIZE];
extern const wkg__guard_reading wkg__guard_readings[];
extern const uint8_t wkg__guard_index[WKG__GUARD_END >> WKG__GUARD_SHIFT];
extern const uint8_t wkg__guard_block[][1 << WKG__GUARD_SHIFT];

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
