/* gate.h - what the commands around grants have in common: a binding, a moment,
 * randomness, and how they say what is wrong with an intent.
 *
 * The library asks nobody for the time or for random bytes (X9); here is who
 * does, on its behalf. */
#ifndef WICKETGATE_CLI_GATE_H
#define WICKETGATE_CLI_GATE_H

#include "cli.h"

#include <wicketgate/intent.h>

/* ---- options ---- */

/* So that an intent captured then still expires within the year 9999. */
#define GATE_NOW_MAX UINT64_C(253402300499999)

extern const cli_choice gate_bindings[];

/* clang-format off */
#define GATE_BINDING_OPTION                                       \
	{                                                         \
		.name = "binding",                                \
		.kind = CLI_CHOICE,                               \
		.required = true,                                 \
		.choices = gate_bindings,                         \
		.value = "a|b",                                   \
		.help = "the format that is hashed, required: two share one version\n" \
		        "      string, so it is never guessed",           \
	}

#define GATE_NOW_OPTION                                           \
	{                                                         \
		.name = "now",                                    \
		.kind = CLI_NUMBER,                               \
		.value = "MS",                                    \
		.max = GATE_NOW_MAX,                              \
		.help = "milliseconds since 1970; without it, the clock's", \
	}

#define GATE_TTL_OPTION(what)                                     \
	{                                                         \
		.name = "ttl",                                    \
		.kind = CLI_NUMBER,                               \
		.value = "S",                                     \
		.min = 1,                                         \
		.max = 300,                                       \
		.fallback = "60",                                 \
		.help = what,                                     \
	}

#define GATE_FILE_OPTION(text, what)                              \
	{                                                         \
		.name = text,                                     \
		.kind = CLI_FILE,                                 \
		.required = true,                                 \
		.value = "FILE",                                  \
		.help = what,                                     \
	}
/* clang-format on */

static inline wkg_binding
gate_binding_of(const cli_call *call, size_t option)
{
	return (wkg_binding)call->values[option].choice;
}

/* ---- the machine ---- */

/* The moment that the option names, or the clock's. */
int gate_now(const cli_call *call, size_t option, int64_t *now_ms);

int gate_random(const char *command, uint8_t *bytes, size_t size);

/* A fresh UUID version 4, and its final NUL. */
#define GATE_UUID_SIZE 37u
int gate_uuid(const char *command, char text[GATE_UUID_SIZE]);

/* WICKETGATE_ENV; empty if it is not set. */
wkg_span gate_environment(void);
bool gate_is_production(void);

/* ---- refusals ---- */

/* Say which part of an intent is wrong, where, and why: CLI_MALFORMED. What the
 * caller calls that part goes before it. */
int gate_refuse(const char *command, wkg_status status,
                const wkg_intent_error *error);

#endif
