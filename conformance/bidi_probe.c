/* bidi_probe - resolve and lay out what conformance/bidi.py asks for.
 *
 * A line in: direction (0, 1, or 2 for the first strong one), then the code
 * points in hexadecimal. A line out: the level of the first paragraph, of each
 * character or `x`, the order from left to right, unclosed, unopened. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/cli/bidi.h"

enum { LINE_SIZE = 1 << 16, ITEMS_MAX = 8192 };

static size_t
read_items(char *text, bidi_item *items)
{
	size_t count = 0;
	for (char *end; count < ITEMS_MAX; text = end) {
		unsigned long code = strtoul(text, &end, 16);
		if (end == text)
			break;
		items[count++] = (bidi_item){ .code = (uint32_t)code };
	}
	return count;
}

int
main(void)
{
	static char line[LINE_SIZE];
	static bidi_item items[ITEMS_MAX];
	static size_t order[ITEMS_MAX];
	while (fgets(line, sizeof(line), stdin) != NULL) {
		size_t count = read_items(line + 1, items);
		bidi_direction direction = (bidi_direction)(line[0] - '0');
		bidi_balance b = bidi_resolve(items, count, direction);
		size_t seen = bidi_lay_out(items, count, order);
		printf("%u;", count > 0 ? items[0].paragraph : 0u);
		for (size_t i = 0; i < count; i++) {
			if (items[i].removed)
				printf("%sx", i > 0 ? " " : "");
			else
				printf("%s%u", i > 0 ? " " : "",
				       items[i].level);
		}
		printf(";");
		for (size_t i = 0; i < seen; i++)
			printf("%s%zu", i > 0 ? " " : "", order[i]);
		printf(";%zu;%zu\n", b.unclosed, b.unopened);
	}
	return fflush(stdout) == 0 && !ferror(stdin) ? 0 : 1;
}
