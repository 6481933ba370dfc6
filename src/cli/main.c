/* main.c - wicketgate COMMAND [OPTION...]: find the command, run it. */
#define _POSIX_C_SOURCE 200809L /* SIGPIPE */

#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const cli_command *const commands[] = {
	&cli_sanitize,    &cli_neutralize, &cli_fence,
	&cli_needs_fence, &cli_contract,   &cli_render,
	&cli_moderate,    &cli_inspect,    &cli_version,
};

static const size_t command_count = COUNT(commands);

static const cli_command *
find(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int
help_overview(void)
{
	printf("Usage: wicketgate COMMAND [OPTION...]\n\n"
	       "Defences between untrusted text, a language model, and an "
	       "action.\nCommands read standard input and write standard "
	       "output.\n\nCommands:\n");
	for (size_t i = 0; i < command_count; i++)
		printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
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
	if (argc > 1)
		return cli_fail(CLI_USAGE, "help", "unexpected argument '%s'",
		                argv[1]);

	const cli_command *command = find(argv[0]);
	if (command == NULL)
		return cli_fail(CLI_USAGE, "help", "no such command '%s'",
		                argv[0]);
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
		name = cli_version.name;

	const cli_command *command = find(name);
	if (command == NULL)
		return cli_fail(CLI_USAGE, name,
		                "no such command; see wicketgate --help");
	return run(command, argc - 2, argv + 2);
}
