/* table_data.h - the arrays of table_data.c, for table.c alone.
 *
 * Two stages: most of the 8704 stretches of 128 code points are alike (letters
 * and nothing else, private use, unassigned), so the first stage names, for
 * each stretch, one of the few blocks that differ. 62 KiB instead of 2.1 MiB,
 * and two loads without a branch. */
#ifndef WICKETGATE_TABLE_DATA_H
#define WICKETGATE_TABLE_DATA_H

#include <stddef.h>
#include <stdint.h>

enum {
	WKG__TABLE_SHIFT = 7,
	WKG__TABLE_BLOCK_SIZE = 1 << WKG__TABLE_SHIFT,
	WKG__TABLE_INDEX_SIZE = 0x110000 >> WKG__TABLE_SHIFT,
};

/* A variation sequence as one number: a character has 21 bits, and the low
 * eleven of a selector tell it from all others. */
#define WKG__VARIATION(base, selector) ((base) << 11 | ((selector) & 0x7FFu))

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

extern const uint8_t wkg__table_index[WKG__TABLE_INDEX_SIZE];
extern const uint16_t wkg__table_block[][WKG__TABLE_BLOCK_SIZE];
extern const uint32_t wkg__table_variations[];
extern const size_t wkg__table_variation_count;
extern const char wkg__table_set_version[];
extern const char wkg__table_data_version[];

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
