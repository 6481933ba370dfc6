/* actions.h - a file that says which actions there are, what parameters each
 * takes, and which program does it. */
#ifndef WICKETGATE_CLI_ACTIONS_H
#define WICKETGATE_CLI_ACTIONS_H

#include "handler.h"

#include <wicketgate/executor.h>

typedef struct actions {
	wkg_action *list; /* their `ctx` is a handler */
	size_t count;
	struct actions_block *blocks; /* all that the tables are made of */
} actions;

/* Read a file. CLI_DONE, or after one line of complaint CLI_MALFORMED, with
 * the byte, or CLI_RESOURCE: also if one of the programs cannot be run, which
 * is better known now than when the grant is spent. Free it in any case. */
int actions_read(actions *a, const char *command, const char *path);
void actions_free(actions *a);

#endif
