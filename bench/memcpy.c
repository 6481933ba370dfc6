/* memcpy.c - the ceiling: reading and writing every byte once. */
#include "bench.h"

#include <string.h>

static void
copy(wkg_span in, bench_room *room)
{
	memcpy(room->out.ptr, in.ptr, in.len);
	room->out.len = in.len;
	/* Or the compiler may see that nobody reads the copy. */
	__asm__ volatile("" : : "r"(room->out.ptr) : "memory");
}

void
bench_memcpy(void)
{
	bench_add_text("memcpy", copy);
	bench_add_json("memcpy", copy);
}
