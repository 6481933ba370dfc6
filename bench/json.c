/* json.c - reading a document to its end, names compared. */
#include "bench.h"

static void
read_all(wkg_span in, bench_room *room)
{
	wkg_json_reader reader;
	wkg_json_token token;
	bench_expect(
		wkg_json_open(&reader, in, WKG_JSON_NAMES_EXACT, 0, room->work),
		WKG_OK);
	do
		bench_expect(wkg_json_next(&reader, &token), WKG_OK);
	while (token.kind != WKG_JSON_DONE);
}

void
bench_json(void)
{
	bench_add_json("json read", read_all);
}
