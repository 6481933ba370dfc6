/* command.c - what the commands have in common: a profile, standard input to
 * standard output, a report. */
#include "cli.h"

#include <stdarg.h>
#include <string.h>

const cli_choice cli_profiles[] = {
	{ "hardened", WKG_PROFILE_HARDENED },
	{ "reference", WKG_PROFILE_REFERENCE },
	{ NULL, 0 },
};

wkg_profile
cli_profile_of(const cli_call *call)
{
	return (wkg_profile)call->values[CLI_PROFILE].choice;
}

int
cli_read_input(cli_call *call)
{
	return cli_read(call->command->name, stdin, &call->in);
}

int
cli_reserve_output(cli_call *call, size_t bound)
{
	return cli_reserve(call->command->name, &call->out, bound);
}

int
cli_write_output(const cli_call *call)
{
	return cli_write(call->command->name, wkg_buf_span(&call->out));
}

bool
cli_put(wkg_buf *out, const char *text)
{
	size_t len = strlen(text);
	if (len > out->cap - out->len)
		return false;
	memcpy(out->ptr + out->len, text, len);
	out->len += len;
	return true;
}

bool
cli_put_format(wkg_buf *out, const char *format, ...)
{
	char text[256];
	va_list args;
	va_start(args, format);
	int len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return len >= 0 && (size_t)len < sizeof(text) && cli_put(out, text);
}

int
cli_write_report(const cli_call *call, size_t option)
{
	if (!call->values[option].given)
		return CLI_DONE;
	return cli_write_file(call->command->name, call->values[option].text,
	                      wkg_buf_span(&call->report));
}
