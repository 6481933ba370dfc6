/* main.c - wicketgate COMMAND [OPTION...]: find the command, run it. */
#define _POSIX_C_SOURCE 200809L /* SIGPIPE */

#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const cli_command *const commands[] = {
	&cli_sanitize,         &cli_neutralize,      &cli_fence,
	&cli_needs_fence,      &cli_contract,        &cli_render,
	&cli_moderate,         &cli_inspect,         &cli_intent_capture,
	&cli_intent_canonical, &cli_intent_hash,     &cli_key_generate,
	&cli_key_public,       &cli_authority_issue, &cli_execute,
	&cli_version,
};

static const size_t command_count = COUNT(commands);

/* How many of the words are this name: "intent hash" takes two. 0 if they are
 * another one. */
static int
match(const char *name, int count, char *const words[])
{
	int used = 0;
	for (; used < count && *name != '\0'; used++) {
		size_t len = strcspn(name, " ");
		if (strlen(words[used]) != len ||
		    memcmp(words[used], name, len) != 0)
			return 0;
		name += len;
		name += *name == ' ';
	}
	return *name == '\0' ? used : 0;
}

static const cli_command *
find(int count, char *const words[], int *used)
{
	for (size_t i = 0; i < command_count; i++) {
		*used = match(commands[i]->name, count, words);
		if (*used > 0)
			return commands[i];
	}
	return NULL;
}

/* Has it two words, and is this the first? */
static bool
is_of_family(const cli_command *command, const char *word)
{
	size_t len = strlen(word);
	return strncmp(command->name, word, len) == 0 &&
	       command->name[len] == ' ';
}

static bool
is_family(const char *word)
{
	for (size_t i = 0; i < command_count; i++)
		if (is_of_family(commands[i], word))
			return true;
	return false;
}

static int
help_family(const char *word)
{
	printf("Usage: wicketgate %s COMMAND [OPTION...]\n\nCommands:\n", word);
	for (size_t i = 0; i < command_count; i++)
		if (is_of_family(commands[i], word))
			printf("  %-17s%s\n", commands[i]->name,
			       commands[i]->summary);
	return cli_close_stdout("help");
}

static int
no_such_command(const char *word, int count)
{
	if (!is_family(word))
		return cli_fail(CLI_USAGE, word,
		                "no such command; see wicketgate --help");
	return cli_fail(CLI_USAGE, word, "%s; see wicketgate %s --help",
	                count > 1 ? "no such command" : "no command", word);
}

static int
help_overview(void)
{
	printf("Usage: wicketgate COMMAND [OPTION...]\n\n"
	       "Defences between untrusted text, a language model, and an "
	       "action.\nCommands read standard input and write standard "
	       "output.\n\nCommands:\n");
	for (size_t i = 0; i < command_count; i++)
		printf("  %-17s%s\n", commands[i]->name, commands[i]->summary);
	printf("\nwicketgate COMMAND --help, or wicketgate help COMMAND, says "
	       "more.\n\nExit codes:\n"
	       "  0  done\n"
	       "  1  the answer is no\n"
	       "  2  wrong usage\n"
	       "  3  the input is malformed; nothing was printed\n"
	       "  4  a file, a pipe or memory failed\n");
	return cli_close_stdout("help");
}

static int
help_command(const cli_command *command)
{
	bool operands = command->operands != NULL;
	printf("Usage: wicketgate %s [OPTION...]%s%s\n\n%s\nOptions:\n",
	       command->name, operands ? " " : "",
	       operands ? command->operands : "", command->about);
	cli_print_options(command);
	printf("\nExample:\n  %s\n", command->example);
	return cli_close_stdout("help");
}

static int
help(int argc, char *const argv[])
{
	if (argc == 0 || strcmp(argv[0], "--help") == 0)
		return help_overview();
	int used;
	const cli_command *command = find(argc, argv, &used);
	if (command == NULL && is_family(argv[0]) && argc == 1)
		return help_family(argv[0]);
	if (command == NULL)
		return cli_fail(CLI_USAGE, "help", "no such command '%s%s%s'",
		                argv[0], argc > 1 ? " " : "",
		                argc > 1 ? argv[1] : "");
	if (argc > used)
		return cli_fail(CLI_USAGE, "help", "unexpected argument '%s'",
		                argv[used]);
	return help_command(command);
}

static int
run(const cli_command *command, int argc, char *argv[])
{
	cli_call call = { .command = command };
	int code = cli_parse(&call, argc, argv);
	if (code == CLI_DONE)
		code = call.help ? help_command(command) : command->run(&call);

	free(call.in.ptr);
	free(call.state.ptr);
	free(call.out.ptr);
	free(call.report.ptr);
	free(call.work.ptr);
	return code;
}

int
main(int argc, char *argv[])
{
	/* A reader that has left is an error to report, not a silent death. */
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);

	if (argc < 2)
		return cli_fail(CLI_USAGE, NULL,
		                "no command; see wicketgate --help");
	const char *name = argv[1];
	if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0)
		return help(argc - 2, argv + 2);
	if (strcmp(name, "--version") == 0)
		return run(&cli_version, argc - 2, argv + 2);

	int used;
	const cli_command *command = find(argc - 1, argv + 1, &used);
	if (command != NULL)
		return run(command, argc - 1 - used, argv + 1 + used);
	if (is_family(name) && argc > 2 && strcmp(argv[2], "--help") == 0)
		return help_family(name);
	return no_such_command(name, argc - 1);
}
