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

static void
complain(const char *command, const char *format, va_list args)
{
	char what[1024]; /* a longer complaint is cut */
	int len = vsnprintf(what, sizeof(what), format, args);

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
}

int
cli_fail(int code, const char *command, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	complain(command, format, args);
	va_end(args);
	return code;
}

void
cli_warn(const char *command, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	complain(command, format, args);
	va_end(args);
}

static int
out_of_memory(const char *command)
{
	return cli_fail(CLI_RESOURCE, command, "out of memory");
}

int
cli_unexpected(const char *command, wkg_status status)
{
	if (status == WKG_E_MEMORY)
		return out_of_memory(command);
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
	case WKG_E_UNSUPPORTED:
	case WKG_E_SPACE:
	case WKG_E_MEMORY:
	case WKG_E_LIMIT:
	case WKG_E_NOT_FOUND:
	case WKG_E_INVALID:
	case WKG_E_REFUSED:
	case WKG_E_CRYPTO:
	case WKG_E_STORE: break;
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
		return out_of_memory(command);
	buf->ptr = ptr;
	buf->cap = cap;
	return CLI_DONE;
}

int
cli_reserve_work(const char *command, wkg_work *work, size_t size)
{
	void *ptr = size == SIZE_MAX ? NULL : malloc(size == 0 ? 1 : size);
	if (ptr == NULL)
		return out_of_memory(command);
	work->ptr = ptr;
	work->size = size;
	return CLI_DONE;
}

/* At least twice the room, so that growing stays linear. */
int
cli_reserve_more(const char *command, wkg_buf *buf, size_t more)
{
	if (more <= buf->cap - buf->len)
		return CLI_DONE;
	size_t cap = buf->cap > SIZE_MAX / 2 ? SIZE_MAX : buf->cap * 2;
	if (cap < FIRST_READ)
		cap = FIRST_READ;
	if (more > cap - buf->len) /* cap is not below buf->len */
		cap = more > SIZE_MAX - buf->len ? SIZE_MAX : buf->len + more;
	return cli_reserve(command, buf, cap);
}

static int
read_all(const char *command, FILE *from, wkg_buf *into)
{
	size_t got;
	do {
		int code = cli_reserve_more(command, into, 1);
		if (code != CLI_DONE)
			return code;
		got = fread(into->ptr + into->len, 1, into->cap - into->len,
		            from);
		into->len += got;
	} while (got > 0);
	return CLI_DONE;
}

int
cli_read(const char *command, FILE *from, wkg_buf *into)
{
	int code = read_all(command, from, into);
	if (code == CLI_DONE && ferror(from))
		return cli_fail(CLI_RESOURCE, command, "cannot read input: %s",
		                strerror(errno));
	return code;
}

bool
cli_is_stdin(const char *path)
{
	return strcmp(path, "-") == 0;
}

int
cli_read_file(const char *command, const char *path, wkg_buf *into)
{
	if (cli_is_stdin(path))
		return cli_read(command, stdin, into);

	FILE *file = fopen(path, "rb");
	if (file == NULL)
		return cli_fail(CLI_RESOURCE, command, "cannot open: %s: '%s'",
		                strerror(errno), path);
	int code = read_all(command, file, into);
	if (code == CLI_DONE && ferror(file))
		code = cli_fail(CLI_RESOURCE, command, "cannot read: %s: '%s'",
		                strerror(errno), path);
	fclose(file);
	return code;
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
