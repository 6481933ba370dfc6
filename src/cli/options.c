/* options.c - `--name value` and `--name=value`, checked against a table.
 *
 * Strict on purpose: an option given twice, a flag with a value or a word that
 * nobody asked for is an error, because a defence that ran with other options
 * than its user believes is worse than none. */
#include "cli.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

static int
fail(const cli_call *call, const char *what, const char *word)
{
	return cli_fail(CLI_USAGE, call->command->name, "%s '%s'", what, word);
}

/* Decimal digits only: no sign, no space, no 0x, no overflow. */
static bool
parse_number(const char *text, uint64_t *number)
{
	uint64_t n = 0;
	if (*text == '\0')
		return false;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9')
			return false;
		uint64_t digit = (uint64_t)(*text - '0');
		if (n > (UINT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*number = n;
	return true;
}

static int
set_number(cli_call *call, const cli_option *option, cli_value *value)
{
	if (parse_number(value->text, &value->number) &&
	    value->number >= option->min && value->number <= option->max)
		return CLI_DONE;
	if (option->max == SIZE_MAX)
		return cli_fail(CLI_USAGE, call->command->name,
		                "--%s must be a whole number from %" PRIu64
		                ", not '%s'",
		                option->name, option->min, value->text);
	return cli_fail(CLI_USAGE, call->command->name,
	                "--%s must be a whole number from %" PRIu64
	                " to %" PRIu64 ", not '%s'",
	                option->name, option->min, option->max, value->text);
}

static int
set_choice(cli_call *call, const cli_option *option, cli_value *value)
{
	for (const cli_choice *c = option->choices; c->name != NULL; c++)
		if (strcmp(c->name, value->text) == 0) {
			value->choice = c->value;
			return CLI_DONE;
		}
	return cli_fail(CLI_USAGE, call->command->name, "unknown %s '%s'",
	                option->name, value->text);
}

static int
set(cli_call *call, size_t index, const char *text)
{
	const cli_option *option = &call->command->options[index];
	cli_value *value = &call->values[index];

	value->text = text;
	switch (option->kind) {
	case CLI_FLAG:
	case CLI_TEXT:
	case CLI_FILE: return CLI_DONE;
	case CLI_NUMBER: return set_number(call, option, value);
	case CLI_CHOICE: return set_choice(call, option, value);
	}
	return fail(call, "option of no kind", option->name);
}

/* The option that `word` ("name" or "name=value") names, or option_count. */
static size_t
find(const cli_command *command, const char *word, size_t name_len)
{
	size_t i = 0;
	for (; i < command->option_count; i++) {
		const char *name = command->options[i].name;
		if (strlen(name) == name_len &&
		    memcmp(name, word, name_len) == 0)
			break;
	}
	return i;
}

/* Take the option at argv[*i], and the value behind it if it needs one. */
static int
take(cli_call *call, int argc, char *const argv[], int *i)
{
	const char *word = argv[*i] + 2;
	size_t name_len = strcspn(word, "=");
	const char *text = word[name_len] == '=' ? word + name_len + 1 : NULL;

	size_t index = find(call->command, word, name_len);
	if (index == call->command->option_count)
		return fail(call, "unknown option", argv[*i]);
	bool flag = call->command->options[index].kind == CLI_FLAG;
	if (flag && text != NULL)
		return fail(call, "this option takes no value:", argv[*i]);
	if (call->values[index].given)
		return fail(call, "option given twice:", argv[*i]);
	call->values[index].given = true;

	if (!flag && text == NULL) {
		/* `--report --json` is a forgotten value, not a file name. */
		if (*i + 1 == argc || strncmp(argv[*i + 1], "--", 2) == 0)
			return fail(call,
			            "missing value (write --name=value "
			            "if it begins with --) for",
			            argv[*i]);
		text = argv[++*i];
	}
	return set(call, index, text);
}

static int
set_fallbacks(cli_call *call)
{
	for (size_t i = 0; i < call->command->option_count; i++) {
		const char *fallback = call->command->options[i].fallback;
		if (fallback == NULL || call->values[i].given)
			continue;
		int code = set(call, i, fallback);
		if (code != CLI_DONE)
			return code;
	}
	return CLI_DONE;
}

static int
add_operand(cli_call *call, char *argv[], char *word)
{
	if (call->operand_count == call->command->operand_max)
		return fail(call, "unexpected argument", word);
	argv[call->operand_count++] = word; /* at or before its own place */
	return CLI_DONE;
}

static int
check_required(const cli_call *call)
{
	for (size_t i = 0; i < call->command->option_count; i++) {
		const cli_option *option = &call->command->options[i];
		if (option->required && !call->values[i].given)
			return cli_fail(CLI_USAGE, call->command->name,
			                "--%s %s is required", option->name,
			                option->value);
	}
	return CLI_DONE;
}

/* The second of two readers would find nothing, which looks clean, or half of
 * something. */
static int
check_stdin(const cli_call *call)
{
	size_t times = call->command->reads_input && call->operand_count == 0;
	for (size_t i = 0; i < call->operand_count; i++)
		times += cli_is_stdin(call->operands[i]);
	for (size_t i = 0; i < call->command->option_count; i++)
		times += call->command->options[i].kind == CLI_FILE &&
		         call->values[i].given &&
		         cli_is_stdin(call->values[i].text);
	if (times > 1)
		return cli_fail(CLI_USAGE, call->command->name,
		                "standard input can be read only once");
	return CLI_DONE;
}

static int
finish(cli_call *call)
{
	if (call->operand_count < call->command->operand_min)
		return cli_fail(CLI_USAGE, call->command->name,
		                "%s is required", call->command->operands);
	int code = check_required(call);
	if (code == CLI_DONE)
		code = check_stdin(call);
	return code == CLI_DONE ? set_fallbacks(call) : code;
}

int
cli_parse(cli_call *call, int argc, char *argv[])
{
	bool options = true; /* until `--` */
	int code = CLI_DONE;

	call->operands = argv;
	for (int i = 0; i < argc && code == CLI_DONE; i++) {
		char *word = argv[i];
		bool dash = options && word[0] == '-';
		if (dash && strcmp(word, "--") == 0) {
			options = false;
		} else if (dash && strcmp(word, "--help") == 0) {
			call->help = true;
			return CLI_DONE;
		} else if (dash && word[1] == '-') {
			code = take(call, argc, argv, &i);
		} else if (dash && word[1] != '\0') { /* `-` is a file */
			code = fail(call, "unknown option", word);
		} else {
			code = add_operand(call, argv, word);
		}
	}
	return code == CLI_DONE ? finish(call) : code;
}

static void
print_choices(const cli_choice *choices)
{
	for (const cli_choice *c = choices; c->name != NULL; c++)
		printf("%s%s", c == choices ? " " : "|", c->name);
}

void
cli_print_options(const cli_command *command)
{
	for (size_t i = 0; i < command->option_count; i++) {
		const cli_option *option = &command->options[i];
		printf("  --%s", option->name);
		if (option->kind == CLI_CHOICE)
			print_choices(option->choices);
		else if (option->value != NULL)
			printf(" %s", option->value);
		printf("\n      %s", option->help);
		if (option->fallback != NULL)
			printf(" (default %s)", option->fallback);
		printf("\n");
	}
	printf("  --help\n      show this and do nothing else\n");
}
