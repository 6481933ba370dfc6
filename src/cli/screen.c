/* screen.c - how wide the screen is, and whether it wants colours. */
#define _DEFAULT_SOURCE /* isatty, TIOCGWINSZ */

#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	COLUMNS_DEFAULT = 80,
	COLUMNS_MIN = 50,
	COLUMNS_MAX = 100,
};

static size_t
columns_of(bool terminal)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	size_t count = COLUMNS_DEFAULT;

	if (columns != NULL && strtoul(columns, NULL, 10) > 0)
		count = strtoul(columns, NULL, 10);
	else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	         size.ws_col > 0)
		count = size.ws_col;
	if (count < COLUMNS_MIN)
		return COLUMNS_MIN;
	return count > COLUMNS_MAX ? COLUMNS_MAX : count;
}

cli_screen
cli_screen_of_output(void)
{
	bool terminal = isatty(STDOUT_FILENO) != 0;
	const char *term = getenv("TERM");
	cli_screen screen = { columns_of(terminal), "", "", "", "" };

	if (terminal && getenv("NO_COLOR") == NULL && term != NULL &&
	    strcmp(term, "dumb") != 0) {
		screen.title = "\033[1m";
		screen.hidden = "\033[1;31m";
		screen.fence = "\033[32m";
		screen.off = "\033[0m";
	}
	return screen;
}

bool
cli_errors_on_terminal(void)
{
	return isatty(STDERR_FILENO) != 0;
}

void
cli_print_spaces(size_t count)
{
	for (size_t i = 0; i < count; i++)
		putchar(' ');
}
