/* generate_json.c - G-JSON: what parsers and writers disagree about. */
#include "generate_json.h"
#include "oracle_text.h"

#include <stdio.h>
#include <string.h>

#define CHOOSE(c, list) (list)[wgc_choose((c), sizeof(list) / sizeof *(list))]

static const char *const numbers[] = {
	"0", "1", "-1", "-0", "-0.0", "1.0", "1e2", "1E+2", "100", "0.1", "1e21",
	"1e20", "123456789012345678901234567890", "1e-6", "1e-7", "0.000001",
	"5e-324", "1.7976931348623157e308", "9007199254740993", "9007199254740992",
	"4.50", "2e-3", "333333333.33333329", "1e23", "9.5367431640625e-7",
	"-1.5e+300", "2.2250738585072014e-308", "0e10", "1e400", "-1E999"
};

/* Written as they stand between quotes. */
static const char *const names[] = {
	"a", "b", "10", "9", "01", "", "\\ud83d\\ude00", "\\ufb33", "\\ue000",
	"e\\u0301", "\\u00e9", "4294967294", "4294967295", "-1", "1.0", "A", "aa",
	"\\u2028", "\\u007f", "\\u0000", "\\n", "\\\"", "\\/", "\\\\", "\\u20ac",
	"\\ud800", "\\udc00x"
};

static void
string(wgc_choices *c, wgc_text *out)
{
	wgc_push(out, '"');
	for (uint32_t n = wgc_choose(c, 4); n > 0; n--) {
		/* Lone surrogates are refused as a whole: seldom. */
		uint32_t usual = sizeof(names) / sizeof(*names) - 2;
		uint32_t i = wgc_choose_rarely(c, 40) ? usual + wgc_choose(c, 2)
		                                      : wgc_choose(c, usual);
		wgc_push_ascii(out, names[i]);
		if (wgc_choose_rarely(c, 6))
			wgc_push(out, 0x1F600 + wgc_choose(c, 16));
	}
	wgc_push(out, '"');
}

static void
value(wgc_choices *c, wgc_text *out, int depth)
{
	static const char *const words[] = { "null", "true", "false" };
	char number[40];
	switch (wgc_choose(c, depth < 5 ? 7 : 4)) {
	case 0: wgc_push_ascii(out, CHOOSE(c, words)); return;
	case 1:
		if (wgc_choose_rarely(c, 20))
			wgc_push_ascii(out, CHOOSE(c, numbers));
		else
			wgc_push_ascii(out, numbers[wgc_choose(c, sizeof(numbers) / sizeof(*numbers) - 2)]);
		return;
	case 2:
		snprintf(number, sizeof(number), "%s%u.%ue%d", wgc_choose(c, 2) ? "-" : "",
		         wgc_choose(c, 100000), wgc_choose(c, 1000000),
		         (int)wgc_choose(c, 600) - 300);
		wgc_push_ascii(out, number);
		return;
	case 3: string(c, out); return;
	case 4:
		wgc_push(out, '[');
		for (uint32_t n = wgc_choose(c, 4), i = 0; i < n; i++) {
			if (i > 0)
				wgc_push(out, ',');
			value(c, out, depth + 1);
		}
		wgc_push(out, ']');
		return;
	default:
		wgc_push(out, '{');
		for (uint32_t n = wgc_choose(c, 6), i = 0; i < n; i++) {
			if (i > 0)
				wgc_push(out, ',');
			string(c, out);
			wgc_push(out, ':');
			value(c, out, depth + 1);
		}
		wgc_push(out, '}');
		return;
	}
}

wgc_text
wgc_generate_json(wgc_choices *choices)
{
	wgc_text out = { .form = WGC_SCALARS };
	value(choices, &out, 0);
	return out;
}
