/* render.c - putting a whole state into a prompt. */
#include "bench.h"

#include <string.h>

void
bench_render_with(const char *template_text, wkg_span state, bench_room *room,
                  wkg_render_mode mode)
{
	wkg_span text = { (const uint8_t *)template_text,
		          strlen(template_text) };
	wkg_status status = wkg_render(&room->out, text, state, mode,
	                               WKG_PROFILE_HARDENED, room->work, NULL);
	bench_expect(status, WKG_OK);
}

static void
data(wkg_span in, bench_room *room)
{
	bench_render_with("Summarize.\n{{$}}\nBe brief.", in, room,
	                  WKG_RENDER_DATA);
}

static void
verbatim(wkg_span in, bench_room *room)
{
	bench_render_with("Summarize.\n{{$}}\nBe brief.", in, room,
	                  WKG_RENDER_VERBATIM);
}

void
bench_render(void)
{
	bench_add_json("render data", data);
	bench_add_json("render verbatim", verbatim);
}
