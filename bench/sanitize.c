/* sanitize.c - cleaning a value that nothing is cut from. */
#include "bench.h"

static void
sanitize(wkg_span in, bench_room *room, wkg_profile profile)
{
	wkg_sanitize_config config = bench_config(profile);
	wkg_status status = wkg_sanitize(&room->out, in, WKG_SOURCE_WEBHOOK,
	                                 &config, NULL);
	bench_expect(status, WKG_OK);
}

static void
reference(wkg_span in, bench_room *room)
{
	sanitize(in, room, WKG_PROFILE_REFERENCE);
}

static void
hardened(wkg_span in, bench_room *room)
{
	sanitize(in, room, WKG_PROFILE_HARDENED);
}

void
bench_sanitize(void)
{
	bench_add_text("sanitize reference", reference);
	bench_add_text("sanitize hardened", hardened);
}
