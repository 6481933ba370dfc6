/* payload.c - sanitizing every string of a document. */
#include "bench.h"

static void
sanitize(wkg_span in, bench_room *room, wkg_profile profile)
{
	wkg_sanitize_config config = bench_config(profile);
	wkg_status status = wkg_payload_sanitize(
		&room->out, in, WKG_SOURCE_WEBHOOK, &config, room->work, NULL);
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
bench_payload(void)
{
	bench_add_json("payload reference", reference);
	bench_add_json("payload hardened", hardened);
}
