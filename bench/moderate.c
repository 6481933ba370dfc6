/* moderate.c - looking at what a model wrote. Only 2000 characters of a text
 * are delivered, but all of it is read. */
#include "bench.h"

static void
ignore_warning(void *ctx, const wkg_moderate_report *report)
{
	(void)ctx;
	(void)report;
}

/* Made at the first call, which is not measured, and kept. */
static const wkg_moderator *
moderator_of(wkg_profile profile, wkg_moderator_scratch **scratch)
{
	static wkg_moderator *moderators[3];
	static wkg_moderator_scratch *scratches[3];
	wkg_warning_sink sink = { ignore_warning, NULL };
	if (scratches[profile] == NULL) {
		bench_expect(wkg_moderator_new(&moderators[profile], profile,
		                               sink, NULL),
		             WKG_OK);
		bench_expect(wkg_moderator_scratch_new(&scratches[profile],
		                                       moderators[profile]),
		             WKG_OK);
	}
	*scratch = scratches[profile];
	return moderators[profile];
}

void
bench_moderate_text(wkg_span in, bench_room *room, wkg_profile profile)
{
	static wkg_moderate_report report;
	wkg_moderator_scratch *scratch;
	const wkg_moderator *moderator = moderator_of(profile, &scratch);
	bench_expect(wkg_moderate(&room->out, in, moderator, scratch,
	                          room->work, &report),
	             WKG_OK);
}

void
bench_moderate_json(wkg_span in, bench_room *room)
{
	static wkg_moderate_report report;
	wkg_moderator_scratch *scratch;
	const wkg_moderator *moderator = moderator_of(WKG_PROFILE_HARDENED,
	                                              &scratch);
	bench_expect(wkg_moderate_json(&room->out, in, moderator, scratch,
	                               room->work, &report),
	             WKG_OK);
}

static void
reference(wkg_span in, bench_room *room)
{
	bench_moderate_text(in, room, WKG_PROFILE_REFERENCE);
}

static void
hardened(wkg_span in, bench_room *room)
{
	bench_moderate_text(in, room, WKG_PROFILE_HARDENED);
}

void
bench_moderate(void)
{
	bench_add_text("moderate reference", reference);
	bench_add_text("moderate hardened", hardened);
	bench_add_json("moderate json", bench_moderate_json);
}
