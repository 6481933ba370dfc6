/* io.c - bytes in, bytes out, one line of complaint.
 *
 * Binary safe, sizes checked, every failure noticed: also the one that only
 * shows when standard output is closed (a full disk). */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_READ ((size_t)1 << 16)

int
cli_fail(int code, const char *command, const char *format, ...)
{
	char what[1024]; /* a longer complaint is cut */
	va_list args;
	va_start(args, format);
	int len = vsnprintf(what, sizeof(what), format, args);
	va_end(args);

	/* Everything goes through the same drawing: command, path and value may
	 * have been written by somebody else than the person who reads this. */
	if (len < 0)
		what[0] = '\0';
	fputs("wicketgate: ", stderr);
	if (command != NULL) {
		wkg_span name = { (const uint8_t *)command, strlen(command) };
		cli_print_drawn(stderr, name);
		fputs(": ", stderr);
	}
	wkg_span text = { (const uint8_t *)what, strlen(what) };
	cli_print_drawn(stderr, text);
	fputc('\n', stderr);
	return code;
}

int
cli_unexpected(const char *command, wkg_status status)
{
	return cli_fail(CLI_RESOURCE, command, "unexpected %s",
	                wkg_status_name(status));
}

int
cli_refuse_document(const char *command, wkg_status status,
                    const wkg_json_error *error)
{
	switch (status) {
	case WKG_E_DUPLICATE:
		return cli_fail(CLI_MALFORMED, command,
		                "malformed JSON at byte %zu: %s; the first is "
		                "at byte %zu",
		                error->at, error->what, error->first);
	case WKG_E_ENCODING:
	case WKG_E_SYNTAX:
		return cli_fail(CLI_MALFORMED, command,
		                "malformed JSON at byte %zu: %s", error->at,
		                error->what);
	case WKG_OK:
	case WKG_E_ARGUMENT:
	case WKG_E_SPACE: break;
	}
	return cli_unexpected(command, status);
}

/* Make room for `cap` bytes in all. SIZE_MAX, a bound that overflowed, fails.
 */
int
cli_reserve(const char *command, wkg_buf *buf, size_t cap)
{
	void *ptr = cap == SIZE_MAX ? NULL
	                            : realloc(buf->ptr, cap == 0 ? 1 : cap);
	if (ptr == NULL)
		return cli_fail(CLI_RESOURCE, command, "out of memory");
	buf->ptr = ptr;
	buf->cap = cap;
	return CLI_DONE;
}

int
cli_reserve_work(const char *command, wkg_work *work, size_t size)
{
	void *ptr = size == SIZE_MAX ? NULL : malloc(size == 0 ? 1 : size);
	if (ptr == NULL)
		return cli_fail(CLI_RESOURCE, command, "out of memory");
	work->ptr = ptr;
	work->size = size;
	return CLI_DONE;
}

/* Twice the room. A capacity that cannot be doubled asks for SIZE_MAX. */
static int
grow(const char *command, wkg_buf *buf)
{
	size_t cap = buf->cap > SIZE_MAX / 2 ? SIZE_MAX : buf->cap * 2;
	return cli_reserve(command, buf, buf->cap == 0 ? FIRST_READ : cap);
}

int
cli_read(const char *command, FILE *from, wkg_buf *into)
{
	for (;;) {
		if (into->len == into->cap) {
			int code = grow(command, into);
			if (code != CLI_DONE)
				return code;
		}
		size_t got = fread(into->ptr + into->len, 1,
		                   into->cap - into->len, from);
		into->len += got;
		if (got == 0)
			break;
	}
	if (ferror(from))
		return cli_fail(CLI_RESOURCE, command, "cannot read input: %s",
		                strerror(errno));
	return CLI_DONE;
}

int
cli_close_stdout(const char *command)
{
	bool failed = ferror(stdout) != 0;
	if (fclose(stdout) != 0 || failed)
		return cli_fail(CLI_RESOURCE, command,
		                "cannot write output: %s", strerror(errno));
	return CLI_DONE;
}

int
cli_write(const char *command, wkg_span bytes)
{
	if (bytes.len > 0) /* its errors are seen at the close */
		fwrite(bytes.ptr, 1, bytes.len, stdout);
	return cli_close_stdout(command);
}

int
cli_write_file(const char *command, const char *path, wkg_span bytes)
{
	FILE *file = fopen(path, "wb");
	bool written = file != NULL &&
	               fwrite(bytes.ptr, 1, bytes.len, file) == bytes.len;
	int error = errno;
	if (file != NULL && fclose(file) != 0 && written) {
		written = false;
		error = errno;
	}
	if (!written)
		return cli_fail(CLI_RESOURCE, command, "cannot write: %s: '%s'",
		                strerror(error), path);
	return CLI_DONE;
}
