/* table.c - look up the sets of a code point. */
#include "../internal.h"

#include <wicketgate/table.h>

#include "table_data.h"

enum {
	CODE_POINT_MAX = 0x10FFFF,

	/* Where no character is. A strict decoder never gets there; should a
	 * lax one, the safe reading is: strip it, and do not let it separate. */
	BEYOND = WKG_SET_STRIP_REFERENCE | WKG_SET_STRIP_HARDENED |
	         WKG_SET_FENCE_IGNORABLE | WKG_SET_STRIP_OUTPUT |
	         WKG_SET_MATCH_IGNORABLE,
};

uint32_t
wkg_table_sets(uint32_t code)
{
	if (code > CODE_POINT_MAX)
		return BEYOND;
	uint8_t block = wkg__table_index[code >> WKG__TABLE_SHIFT];
	return wkg__table_block[block][code % WKG__TABLE_BLOCK_SIZE];
}

bool
wkg__is_variation(uint32_t base, uint32_t selector)
{
	uint32_t wanted = WKG__VARIATION(base, selector);
	size_t from = 0, to = wkg__table_variation_count;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (wkg__table_variations[middle] < wanted)
			from = middle + 1;
		else
			to = middle;
	}
	return from < wkg__table_variation_count &&
	       wkg__table_variations[from] == wanted;
}

const char *
wkg_table_set_version(void)
{
	return wkg__table_set_version;
}

const char *
wkg_table_data_version(void)
{
	return wkg__table_data_version;
}
