/* The vocabulary: statuses, spans, buffers, and what every call promises. */
#include "harness.h"

static void
statuses(void)
{
	CLAIM("a status has its own name", strcmp(wkg_status_name(WKG_E_SPACE), "WKG_E_SPACE") == 0);
	CLAIM("success has a name", strcmp(wkg_status_name(WKG_OK), "WKG_OK") == 0);
	CLAIM("an unknown status is named as unknown", strcmp(wkg_status_name((wkg_status)999), "WKG_E_?") == 0);
	CLAIM("success is zero, so that it can be must-use and nothing else", WKG_OK == 0);
}

static void
zeros(void)
{
	CLAIM("the zero profile is none", WKG_PROFILE_INVALID == 0 && WKG_PROFILE_REFERENCE != 0 && WKG_PROFILE_HARDENED != 0);
	CLAIM("the zero unit is none", WKG_UNIT_INVALID == 0);
	CLAIM("the zero source is none", WKG_SOURCE_INVALID == 0);
	CLAIM("the zero token is none", WKG_JSON_INVALID == 0);
	CLAIM("the zero way to compare names is none", WKG_JSON_NAMES_INVALID == 0);
}

static void
version(void)
{
	char expected[32];
	snprintf(expected, sizeof expected, "%d.%d.%d", WKG_VERSION_MAJOR, WKG_VERSION_MINOR, WKG_VERSION_PATCH);
	CLAIM("the linked library reports the version of its header", strcmp(wkg_version(), expected) == 0);
}

static void
arguments(void)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(WKG_PROFILE_HARDENED);
	wkg_span null_text = { NULL, 3 }, empty = { NULL, 0 };
	wkg_buf none = { NULL, 0, 0 }, broken = { room, 5, 4 }, out = fresh();

	CLAIM("NULL with a length is refused", wkg_fence_neutralize(&out, null_text, WKG_PROFILE_HARDENED, NULL) == WKG_E_ARGUMENT);
	CLAIM("NULL without a length is the empty text", wkg_fence_neutralize(&out, empty, WKG_PROFILE_HARDENED, NULL) == WKG_OK && out.len == 0);
	CLAIM("an empty text fits into no buffer", wkg_sanitize(&none, empty, WKG_SOURCE_CHAT, &config, NULL) == WKG_OK);
	CLAIM("a text does not fit into no buffer", wkg_sanitize(&none, TEXT("a"), WKG_SOURCE_CHAT, &config, NULL) == WKG_E_SPACE);
	CLAIM("a buffer fuller than its size is refused", wkg_sanitize(&broken, TEXT("a"), WKG_SOURCE_CHAT, &config, NULL) == WKG_E_ARGUMENT);
	CLAIM("no buffer at all is refused", wkg_sanitize(NULL, TEXT("a"), WKG_SOURCE_CHAT, &config, NULL) == WKG_E_ARGUMENT);
}

static void
overlaps(void)
{
	memcpy(room, "<<<", 3);
	wkg_span text = { room, 3 };
	wkg_buf same_place = { room, 0, 100 }, tail = { room, 2, 100 }, behind = { room, 3, 100 };
	wkg_sanitize_config config = wkg_sanitize_config_default(WKG_PROFILE_HARDENED);

	CLAIM("T2 working in place is refused", wkg_fence_neutralize(&same_place, text, WKG_PROFILE_HARDENED, NULL) == WKG_E_ARGUMENT);
	CLAIM("T2 an output that grows into its input is refused", wkg_sanitize(&tail, text, WKG_SOURCE_CHAT, &config, NULL) == WKG_E_ARGUMENT);
	CLAIM("T2 a label that lies in the output is refused", wkg_fence(&same_place, text, TEXT("x"), WKG_PROFILE_HARDENED, NULL) == WKG_E_ARGUMENT);
	wkg_buf boundless = { room, 0, SIZE_MAX };
	CLAIM("T2 an output that claims all of memory overlaps everything", wkg_fence_neutralize(&boundless, text, WKG_PROFILE_HARDENED, NULL) == WKG_E_ARGUMENT);
	CLAIM("what is already in the buffer may be the input", wkg_fence_neutralize(&behind, text, WKG_PROFILE_HARDENED, NULL) == WKG_OK && memcmp(room, "<<<< < < ", 9) == 0 && behind.len == 9);
}

static void
bounds(void)
{
	CLAIM("T2 sanitize needs at most three times the input", wkg_sanitize_bound(7) == 21);
	CLAIM("a bound that overflows is SIZE_MAX", wkg_sanitize_bound(SIZE_MAX / 2) == SIZE_MAX);
	CLAIM("a fence bound that overflows is SIZE_MAX", wkg_fence_bound(SIZE_MAX, 1) == SIZE_MAX && wkg_fence_bound(1, SIZE_MAX / 3) == SIZE_MAX);
	CLAIM("a payload bound that overflows is SIZE_MAX", wkg_payload_bound(SIZE_MAX) == SIZE_MAX);
	CLAIM("a work size that overflows is SIZE_MAX", wkg_json_work_size(SIZE_MAX, 1) == SIZE_MAX && wkg_json_work_size(1, SIZE_MAX) == SIZE_MAX);
}

int
main(void)
{
	statuses();
	zeros();
	version();
	arguments();
	overlaps();
	bounds();
	return finish();
}
