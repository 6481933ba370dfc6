/* number_probe.c - the numbers of canonical JSON as lines of text.
 *
 * One request per line on standard input, one answer per line:
 *
 *   parse NUMBER   -> the double's 64 bits as 16 hex digits, or "refused"
 *   write BITS     -> ECMAScript's text of the double, empty if it is not finite
 *   round MODE     -> ok; the thread rounds up, down, zero or nearest from now
 *                     on, which must change no answer */
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/gate/number.h"

static void
answer_parse(wkg_span text)
{
	uint64_t bits = 1; /* must stay so if it is refused */
	if (!wkg__number_parse(&bits, text))
		puts(bits == 1 ? "refused" : "FAULT a refusal has a result");
	else
		printf("%016" PRIx64 "\n", bits);
}

static void
answer_write(const char *hex)
{
	uint8_t text[WKG__NUMBER_TEXT_MAX];
	size_t len = wkg__number_write(text, strtoull(hex, NULL, 16));
	fwrite(text, 1, len, stdout);
	putchar('\n');
}

static void
answer_round(const char *mode)
{
	static const struct { const char *name; int mode; } modes[] = {
		{ "up", FE_UPWARD }, { "down", FE_DOWNWARD },
		{ "zero", FE_TOWARDZERO }, { "nearest", FE_TONEAREST },
	};
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (strcmp(mode, modes[i].name) == 0)
			puts(fesetround(modes[i].mode) == 0 ? "ok" : "FAULT");
}

int
main(void)
{
	static char line[1 << 20];
	while (fgets(line, sizeof line, stdin) != NULL) {
		size_t len = strcspn(line, "\n");
		line[len] = '\0';
		if (strncmp(line, "parse ", 6) == 0)
			answer_parse((wkg_span){ (uint8_t *)line + 6, len - 6 });
		else if (strncmp(line, "write ", 6) == 0)
			answer_write(line + 6);
		else if (strncmp(line, "round ", 6) == 0)
			answer_round(line + 6);
		else
			return 2;
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
