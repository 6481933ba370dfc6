/* document.c - a JSON file that tells a command something. */
#include "document.h"

#include <stdlib.h>

int
document_refuse(const document *d, size_t at, const char *what)
{
	if (d->path == NULL)
		return cli_fail(CLI_MALFORMED, d->command,
		                "malformed %s at byte %zu: %s", d->name, at,
		                what);
	return cli_fail(CLI_MALFORMED, d->command,
	                "malformed %s at byte %zu: %s: '%s'", d->name, at, what,
	                d->path);
}

int
document_refuse_token(const document *d, const char *what)
{
	return document_refuse(d, d->token.from, what);
}

int
document_next(document *d)
{
	const wkg_json_error *error = &d->reader.error;
	wkg_status status = wkg_json_next(&d->reader, &d->token);
	if (status == WKG_E_ENCODING || status == WKG_E_SYNTAX ||
	    status == WKG_E_DUPLICATE)
		return document_refuse(d, error->at, error->what);
	return status == WKG_OK ? CLI_DONE : cli_unexpected(d->command, status);
}

int
document_expect(document *d, wkg_json_kind kind, const char *what)
{
	int code = document_next(d);
	if (code == CLI_DONE && d->token.kind != kind)
		return document_refuse_token(d, what);
	return code;
}

int
document_open(document *d, const char *path)
{
	int code = cli_read_file(d->command, path, &d->file);
	if (code == CLI_DONE)
		code = cli_reserve_work(d->command, &d->work,
		                        wkg_json_work_size(d->file.len, 0));
	if (code != CLI_DONE)
		return code;
	d->text = wkg_buf_span(&d->file);
	wkg_status status = wkg_json_open(&d->reader, d->text,
	                                  WKG_JSON_NAMES_EXACT, 0, d->work);
	return status == WKG_OK ? CLI_DONE : cli_unexpected(d->command, status);
}

void
document_close(document *d)
{
	free(d->work.ptr);
	free(d->file.ptr);
}
