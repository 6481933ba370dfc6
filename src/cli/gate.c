/* gate.c - a binding, a moment, randomness, and what is wrong with an intent.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

const cli_choice gate_bindings[] = {
	{ "a", WKG_BINDING_A },
	{ "b", WKG_BINDING_B },
	{ NULL, 0 },
};

int
gate_now(const cli_call *call, size_t option, int64_t *now_ms)
{
	struct timespec now;
	if (call->values[option].given) {
		*now_ms = (int64_t)call->values[option].number;
		return CLI_DONE;
	}
	if (clock_gettime(CLOCK_REALTIME, &now) != 0 || now.tv_sec < 0 ||
	    (uint64_t)now.tv_sec > GATE_NOW_MAX / 1000 - 1)
		return cli_fail(CLI_RESOURCE, call->command->name,
		                "the clock cannot be right");
	*now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	return CLI_DONE;
}

int
gate_random(const char *command, uint8_t *bytes, size_t size)
{
	/* Up to 256 bytes come at once or not at all. */
	if (size <= 256 && getrandom(bytes, size, 0) == (ssize_t)size)
		return CLI_DONE;
	return cli_fail(CLI_RESOURCE, command, "no random bytes: %s",
	                strerror(errno));
}

int
gate_uuid(const char *command, char text[GATE_UUID_SIZE])
{
	uint8_t b[16];
	int code = gate_random(command, b, sizeof(b));
	if (code != CLI_DONE)
		return code;

	b[6] = (uint8_t)((b[6] & 0x0F) | 0x40); /* version 4 */
	b[8] = (uint8_t)((b[8] & 0x3F) | 0x80); /* the variant of RFC 9562 */
	char *to = text;
	for (size_t i = 0; i < sizeof(b); i++) {
		bool dash = i == 4 || i == 6 || i == 8 || i == 10;
		to += snprintf(to, 4, dash ? "-%02x" : "%02x", (unsigned)b[i]);
	}
	return CLI_DONE;
}

wkg_span
gate_environment(void)
{
	const char *name = getenv("WICKETGATE_ENV");
	wkg_span none = WKG_LIT("");
	wkg_span text = { (const uint8_t *)name,
		          name == NULL ? 0 : strlen(name) };
	return name == NULL ? none : text;
}

bool
gate_is_production(void)
{
	static const wkg_span production = WKG_LIT("production");
	wkg_span name = gate_environment();
	return name.len == production.len &&
	       memcmp(name.ptr, production.ptr, name.len) == 0;
}

static const char *
part_name(wkg_intent_part part)
{
	switch (part) {
	case WKG_INTENT_PART_PROPOSAL: return "proposal";
	case WKG_INTENT_PART_CONTEXT: return "context";
	case WKG_INTENT_PART_BINDING: return "binding";
	case WKG_INTENT_PART_ENVELOPE: return "envelope";
	case WKG_INTENT_PART_NONE: break;
	}
	return "input";
}

int
gate_refuse(const char *command, wkg_status status,
            const wkg_intent_error *error)
{
	switch (status) {
	case WKG_E_LIMIT:
	case WKG_E_ENCODING:
	case WKG_E_SYNTAX:
	case WKG_E_DUPLICATE:
	case WKG_E_INVALID:
		return cli_fail(CLI_MALFORMED, command,
		                "%s at byte %zu: %s: %s",
		                part_name(error->part), error->at,
		                error->reason, error->what);
	case WKG_OK:
	case WKG_E_ARGUMENT:
	case WKG_E_UNSUPPORTED:
	case WKG_E_SPACE:
	case WKG_E_MEMORY:
	case WKG_E_NOT_FOUND:
	case WKG_E_REFUSED:
	case WKG_E_CRYPTO:
	case WKG_E_STORE: break;
	}
	return cli_unexpected(command, status);
}
