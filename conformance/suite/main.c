/* main.c - the commands by name, and their help. */
#include "adapter.h"
#include "command.h"
#include "protocol.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
	const char *name, *line, *help;
	int (*run)(wgc_call *call);
	wgc_option allowed[24];
} command;

#define ADAPTER_HELP \
	"The adapter is the command after --, or --adapter with its words (or a JSON\n" \
	"list of them). No shell is involved.\n"

static const command commands[] = {
	{ "run", "ask an adapter everything it claims, and judge the answers",
	  "usage: wicketgate-conformance run [OPTIONS] -- COMMAND [ARGUMENTS]\n\n"
	  ADAPTER_HELP "\n"
	  "what is asked\n"
	  "  --component LIST    of what it claims only these, with commas\n"
	  "  --only LIST         these ids; one with a * at the end: all that begin so\n"
	  "  --profile NAME      reference or hardened; else all it declares\n"
	  "  --seed N|fresh      order, forms and generated inputs (1)\n"
	  "  --cases N           of each property (300; with fewer the verdict is PARTIAL)\n"
	  "  --time SECONDS      for each property (10); six times that for its least\n"
	  "  --failures DIR      keep tokens of failed properties there, and try them first\n"
	  "  --patience N        multiplies every timeout, for slow machines (1)\n"
	  "what counts\n"
	  "  --level should      a SHOULD that fails fails the run as well\n"
	  "  --expected FILE     failures that are known (see `expected --help`)\n"
	  "  --allow-critical    that file may name critical ids\n"
	  "  --allow-partial     a MUST that was skipped or could not be asked gives 0\n"
	  "  --today YYYY-MM-DD  for the days in that file\n"
	  "what is written (- is standard output)\n"
	  "  --tap FILE  --junit FILE  --json FILE  --html FILE  --badge FILE\n"
	  "  --quiet             nothing for people\n\n"
	  "exit codes\n"
	  "  0  every requirement is met\n"
	  "  1  one is not; or nothing was tested\n"
	  "  2  usage\n"
	  "  3  the adapter did not start, or did not shake hands\n"
	  "  4  the file of expected failures is not true (any more)\n"
	  "  5  the suite or a report is not whole\n"
	  "  6  a MUST was skipped or could not be asked\n",
	  wgc_command_run,
	  { WGC_ADAPTER, WGC_SEED, WGC_CASES, WGC_TIME, WGC_COMPONENT, WGC_ONLY,
	    WGC_PROFILE, WGC_LEVEL, WGC_PATIENCE, WGC_EXPECTED, WGC_TODAY,
	    WGC_ALLOW_CRITICAL, WGC_ALLOW_PARTIAL, WGC_TAP, WGC_JUNIT, WGC_JSON,
	    WGC_HTML, WGC_BADGE, WGC_QUIET, WGC_FAILURES, WGC_OPTIONS } },
	{ "replay", "one failing case of a property again",
	  "usage: wicketgate-conformance replay TOKEN [OPTIONS] -- COMMAND [ARGUMENTS]\n\n"
	  ADAPTER_HELP
	  "  --profile NAME        reference or hardened (its first)\n"
	  "  --choice NAME=OPTION  for one declared choice (its first)\n"
	  "  --patience N          multiplies every timeout\n\n"
	  "Exits with 0 if the case passes now, 1 if it fails.\n",
	  wgc_command_replay,
	  { WGC_ADAPTER, WGC_PROFILE, WGC_CHOICE, WGC_PATIENCE, WGC_OPTIONS } },
	{ "explain", "a vector, a property or a rule, in full",
	  "usage: wicketgate-conformance explain ID\n\n"
	  "ID is of a vector (FN-0012), a property (P-FN1) or a rule (F4.1).\n",
	  wgc_command_explain, { WGC_OPTIONS } },
	{ "list", "all vectors and properties, or all rules",
	  "usage: wicketgate-conformance list [--rules | --properties] [--component LIST]\n\n"
	  "  --rules       the rules, and how many vectors and properties test each\n"
	  "  --properties  the properties: id, level, claim, component, rules, title\n",
	  wgc_command_list, { WGC_RULES, WGC_PROPERTIES, WGC_COMPONENT, WGC_OPTIONS } },
	{ "doctor", "a first conversation with an adapter, line by line",
	  "usage: wicketgate-conformance doctor [--patience N] -- COMMAND [ARGUMENTS]\n\n"
	  ADAPTER_HELP
	  "Every line is shown and checked against the protocol; answers are not judged.\n"
	  "Exits with 0 if the conversation was sound, 1 if not, 3 if it did not begin.\n",
	  wgc_command_doctor, { WGC_ADAPTER, WGC_PATIENCE, WGC_OPTIONS } },
	{ "copy", "write the vectors, rules and schema that are built in",
	  "usage: wicketgate-conformance copy DIRECTORY\n\n"
	  "For a suite of your own without the runner. Existing files are not touched.\n",
	  wgc_command_copy, { WGC_OPTIONS } },
	{ "selftest", "show that the suite can fail: mutants and empty adapters",
	  "usage: wicketgate-conformance selftest [--from DIRECTORY] [-- ARGUMENTS]\n\n"
	  "Runs selftest.py of conformance/suite with this binary (needs Python 3).\n",
	  wgc_command_selftest, { WGC_FROM, WGC_ADAPTER, WGC_OPTIONS } },
	{ "expected", "keep a file of expected failures true",
	  "usage: wicketgate-conformance expected REPORT.json [--file FILE] [--update]\n"
	  "                                       [--until YYYY-MM-DD]\n\n"
	  "Prints which lines FILE lacks (+) and has too many (-) after a run; --update\n"
	  "also writes them. A new line says REASON?, which no run accepts: write why.\n\n"
	  "  # id      kind  reason or issue                   until\n"
	  "  IN-0044   FAIL  ecma key order, upstream#12       2027-06-30\n\n"
	  "A kind is FAIL, CRASH, HANG, PROTOCOL, FLAKY or SKIP. An id may end with * for\n"
	  "at most 20 ids, none critical. Strict both ways: an id that passes, is unknown\n"
	  "or comes twice, a day that is over and a missing reason make a run exit with 4.\n",
	  wgc_command_expected, { WGC_FILE, WGC_UNTIL, WGC_UPDATE, WGC_OPTIONS } },
	{ "report", "draw reports of earlier runs, several side by side",
	  "usage: wicketgate-conformance report --html FILE A.json [B.json ...]\n"
	  "       wicketgate-conformance report [--tap FILE] [--junit FILE] [--badge FILE] A.json\n\n"
	  "A.json is what `run --json` wrote. One that is not whole is refused (5).\n",
	  wgc_command_report, { WGC_HTML, WGC_TAP, WGC_JUNIT, WGC_BADGE, WGC_OPTIONS } },
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void
help(FILE *out)
{
	fprintf(out, "wicketgate-conformance %s: is an implementation of the rules in SPEC.md right?\n\n"
	             "usage: wicketgate-conformance COMMAND ...\n\n", WGC_SUITE_VERSION);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].line);
	fputs("\n`COMMAND --help` says more. Start with: wicketgate-conformance doctor -- YOUR ADAPTER\n", out);
}

static bool
asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

static int
run_command(const command *c, int argc, char **argv)
{
	wgc_call call;
	if (asks_for_help(argc, argv))
		return fputs(c->help, stdout) < 0 || fflush(stdout) != 0
		               ? WGC_EXIT_INCOMPLETE : 0;
	if (!wgc_parse(&call, c->allowed, argc, argv)) {
		fputs(c->help, stderr);
		wgc_call_clear(&call);
		return WGC_EXIT_USAGE;
	}
	int code = c->run(&call);
	wgc_call_clear(&call);
	return code;
}

/* The adapter has a process group of its own: Ctrl-C would miss it. */
static void
on_signal(int number)
{
	wgc_adapter_kill_current();
	signal(number, SIG_DFL);
	raise(number);
}

/* A pipe must never become descriptor 0, 1 or 2 by accident. */
static void
fill_standard_descriptors(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < 3);
	if (fd >= 3)
		close(fd);
}

int
main(int argc, char **argv)
{
	fill_standard_descriptors();
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGHUP, on_signal);
	if (argc < 2) {
		help(stderr);
		return WGC_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 ||
	    strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		help(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0)
		return printf("wicketgate-conformance %s (%s)\n", WGC_SUITE_VERSION,
		              WGC_PROTOCOL_NAME) < 0;
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, argv[1]) == 0)
			return run_command(&commands[i], argc - 2, argv + 2);
	wgc_complain(0, "no such command: '%s'", argv[1]);
	help(stderr);
	return WGC_EXIT_USAGE;
}
