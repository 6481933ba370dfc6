/* ledger_probe.c - one process that claims, for ledger.py.
 *
 *   ledger_probe STORE [--margin S] [--timeout MS] ID EXPIRES NOW_MS
 *   ledger_probe STORE [--margin S] [--timeout MS] --hold
 *
 * Prints granted, spent or refused. With --hold: prints "open" (or the status
 * that opening failed with), then answers one `ID EXPIRES NOW_MS` per line. */
#define _POSIX_C_SOURCE 200809L

#include "ledger_store.h"

#include <stdio.h>

static const char *
name_of(wkg_claim answer)
{
	switch (answer) {
	case WKG_CLAIM_GRANTED: return "granted";
	case WKG_CLAIM_SPENT: return "spent";
	case WKG_CLAIM_REFUSED: return "refused";
	}
	return "?";
}

static void
answer_line(const store *s, const char *line)
{
	char id[256];
	long long expires, now_ms;
	if (sscanf(line, "%255s %lld %lld", id, &expires, &now_ms) == 3)
		puts(name_of(claim_text(s, id, expires, now_ms)));
	else
		puts("?");
	fflush(stdout);
}

static void
hold(const store *s)
{
	char line[512];
	puts("open");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin) != NULL)
		answer_line(s, line);
}

int
main(int argc, char **argv)
{
	long long margin_s = WKG_LEDGER_MARGIN_S;
	int timeout_ms = 5000, at = 2;
	for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
		if (strcmp(argv[at], "--margin") == 0)
			margin_s = atoll(argv[at + 1]);
		if (strcmp(argv[at], "--timeout") == 0)
			timeout_ms = atoi(argv[at + 1]);
	}
	bool holds = at + 1 == argc && strcmp(argv[at], "--hold") == 0;
	if (!holds && at + 3 != argc)
		return 2;

	store s;
	wkg_status status = open_store(&s, argv[1], margin_s, timeout_ms);
	if (status != WKG_OK)
		puts(holds ? wkg_status_name(status) : "refused");
	else if (holds)
		hold(&s);
	else
		puts(name_of(claim_text(&s, argv[at], atoll(argv[at + 1]), atoll(argv[at + 2]))));
	close_store(&s);
	return status == WKG_OK ? 0 : 1;
}
