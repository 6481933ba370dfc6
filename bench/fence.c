/* fence.c - breaking bracket groups. */
#include "bench.h"

static void
reference(wkg_span in, bench_room *room)
{
	bench_expect(wkg_fence_neutralize(&room->out, in, WKG_PROFILE_REFERENCE,
	                                  NULL),
	             WKG_OK);
}

static void
hardened(wkg_span in, bench_room *room)
{
	bench_expect(wkg_fence_neutralize(&room->out, in, WKG_PROFILE_HARDENED,
	                                  NULL),
	             WKG_OK);
}

void
bench_fence(void)
{
	bench_add_text("fence reference", reference);
	bench_add_text("fence hardened", hardened);
}
