/* utf8.c - validating, and decoding one character after another. */
#include "bench.h"

static void
first_error(wkg_span in, bench_room *room)
{
	(void)room;
	if (wkg_utf8_first_error(in) != in.len)
		abort();
}

static void
decode(wkg_span in, bench_room *room)
{
	uint32_t sum = 0;
	for (size_t at = 0; at < in.len;) {
		wkg_char c = wkg_utf8_decode(in, at);
		sum += c.code;
		at += c.len;
	}
	__asm__ volatile("" : : "r"(sum), "r"(room) : "memory");
}

void
bench_utf8(void)
{
	bench_add_text("utf8 first_error", first_error);
	bench_add_text("utf8 decode", decode);
}
