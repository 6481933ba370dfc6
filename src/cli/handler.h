/* handler.h - an action that is a program. */
#ifndef WICKETGATE_CLI_HANDLER_H
#define WICKETGATE_CLI_HANDLER_H

#include "cli.h"

#define HANDLER_OUTPUT_MAX ((size_t)65536)
#define HANDLER_TIMEOUT_MS 10000u
#define HANDLER_TIMEOUT_MS_MAX 600000u

typedef struct handler {
	const char *command; /* in whose name it complains */
	char *const *argv;   /* the program's path, arguments, NULL */
	unsigned timeout_ms;
	bool cut; /* set by a run: there was more output than was kept */
} handler;

/* Run it once, with the parameters on its standard input, and append what it
 * prints, as far as `result` has room. It gets
 *
 *   an environment that holds PATH, a fixed one, and nothing else;
 *   standard input, output and error (/dev/null), and no other descriptor;
 *   default signals, and a process group of its own, which is killed when the
 *   program ends or its time is up. What leaves that group is out of reach.
 *
 * True if it exits with status 0 in time. Otherwise one line on standard error
 * says how it ended. `ctx` is a handler: this is a wkg_action's `run`. */
bool handler_run(void *ctx, wkg_span parameters, wkg_buf *result);

#endif
