/* oracle_moderate.c - M1, M3 and M4; no pattern is matched, but some texts are
 * known: of every pattern a hit and an honest twin. */
#include "oracle_moderate.h"
#include "data.h"
#include "oracle_text.h"

#include <stdio.h>
#include <stdlib.h>

#define LIMIT 2000

static const uint32_t prefix[] = {
	0x26A0, 0xFE0F, 0x3010, 0x7591, 0x4F3C, 0x6CE8, 0x5165, 0x3011
};
static const uint32_t suffix[] = {
	0x2026, 0xFF08, 0x5DF2, 0x622A, 0x65AD, 0xFF09
};

static const cJSON *
patterns(void)
{
	static cJSON *json;
	const char *why = "";
	if (json == NULL)
		json = wgc_json_read(wgc_patterns_json, wgc_patterns_json_len, &why);
	const cJSON *list = wgc_json_get(json, "patterns");
	if (cJSON_GetArraySize(list) > 0)
		return list;
	fprintf(stderr, "wicketgate-conformance: patterns.json: %s\n", why);
	exit(5);
}

uint32_t
wgc_known_count(void)
{
	return (uint32_t)cJSON_GetArraySize(patterns());
}

wgc_text
wgc_known_text(uint32_t i, const char *which)
{
	const cJSON *entry = cJSON_GetArrayItem(patterns(), (int)(i % wgc_known_count()));
	wgc_text text;
	const char *why;
	if (!wgc_text_read(wgc_json_get(entry, which), &text, &why))
		exit(5);
	return text;
}

static void
push_points(wgc_text *out, const uint32_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		wgc_push(out, at[i]);
}

void
wgc_push_mark(wgc_text *text)
{
	push_points(text, prefix, sizeof(prefix) / sizeof(*prefix));
}

bool
wgc_is_output_stripped(uint32_t c, bool keep_tags)
{
	return wgc_set_has(wgc_set_named("strip_reference"), c) && c != 0x200C &&
	       c != 0x200D && !(keep_tags && c >= 0xE0000);
}

wgc_text
wgc_output_stripped(const wgc_text *text, bool keep_tags)
{
	wgc_text out = { .form = WGC_SCALARS };
	for (size_t i = 0; i < text->len; i++)
		if (!wgc_is_output_stripped(text->at[i], keep_tags))
			wgc_push(&out, text->at[i]);
	return out;
}

wgc_text
wgc_delivered(const wgc_text *stripped, bool flagged, bool *truncated)
{
	wgc_text out = { .form = WGC_SCALARS };
	if (flagged)
		wgc_push_mark(&out);
	wgc_push_all(&out, stripped);
	*truncated = out.len > LIMIT;
	if (*truncated) {
		out.len = LIMIT;
		push_points(&out, suffix, sizeof(suffix) / sizeof(*suffix));
	}
	return out;
}

bool
wgc_may_be_a_message(const wgc_text *text)
{
	const wgc_set *hidden = wgc_set_named("match_ignorable");
	size_t run = 0;
	for (size_t i = 0; i < text->len && run < 8; i++)
		run = wgc_set_has(hidden, text->at[i]) ? run + 1 : 0;
	return run >= 8;
}
