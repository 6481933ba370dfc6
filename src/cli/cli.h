/* cli.h - private to src/cli: what the command line is made of.
 *
 * A command is a row of data (name, help, options) and one function. Bytes
 * come in whole from standard input and go out whole to standard output;
 * nothing is printed before the whole answer is known. Only the public headers
 * of the library are used here. */
#ifndef WICKETGATE_CLI_H
#define WICKETGATE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <wicketgate/base.h>
#include <wicketgate/json.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Exit codes: fixed, scripts rely on them. */
enum {
	CLI_DONE = 0,
	CLI_NO = 1,        /* the answer is no */
	CLI_USAGE = 2,     /* the command line is wrong */
	CLI_MALFORMED = 3, /* the input is wrong */
	CLI_RESOURCE = 4,  /* file, pipe, memory */
};

/* ---- options.c: the words after the command ---- */

typedef enum cli_kind {
	CLI_FLAG = 1,
	CLI_TEXT,
	CLI_FILE,   /* a path, or `-`; of a call, only one can be `-` */
	CLI_NUMBER, /* decimal digits, min..max */
	CLI_CHOICE, /* one of a few names */
} cli_kind;

typedef struct cli_choice {
	const char *name; /* NULL ends a list */
	int value;
} cli_choice;

typedef struct cli_option {
	const char *name; /* without its dashes */
	cli_kind kind;
	bool required;
	const cli_choice *choices;
	uint64_t min;
	uint64_t max;
	const char *value;    /* what help calls it; a choice names its own */
	const char *fallback; /* its value when it is not given; or NULL */
	const char *help;
} cli_option;

typedef struct cli_value {
	bool given;
	const char *text;
	uint64_t number;
	int choice;
} cli_value;

#define CLI_OPTIONS_MAX 10

typedef struct cli_call cli_call;

typedef struct cli_command {
	const char *name;    /* one word or two: "intent capture" */
	const char *summary; /* one line, for the list of commands */
	const char *about;   /* the rest of its --help */
	const char *example; /* works when pasted */
	const cli_option *options;
	size_t option_count;  /* at most CLI_OPTIONS_MAX */
	const char *operands; /* files, as help calls them; or NULL */
	size_t operand_min;
	size_t operand_max;
	bool reads_input; /* standard input, if no operand is there */
	int (*run)(cli_call *call);
} cli_command;

/* One run of a command. `values` are in the order of command->options. What
 * the buffers hold is freed by main(), so that commands can return early. */
struct cli_call {
	const cli_command *command;
	cli_value values[CLI_OPTIONS_MAX];
	char **operands; /* the words that are no options */
	size_t operand_count;
	bool help; /* --help was there: show it and do nothing else */
	wkg_buf in;
	wkg_buf state;
	wkg_buf out;
	wkg_buf report;
	wkg_work work;
};

/* Fill in call->values and gather the operands at the front of argv. CLI_DONE
 * or, after one line of complaint, CLI_USAGE. */
int cli_parse(cli_call *call, int argc, char *argv[]);
void cli_print_options(const cli_command *command);

/* ---- io.c: bytes in, bytes out, one line of complaint ---- */

#if defined(__GNUC__)
#define CLI_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_FORMAT(text, first)
#endif

/* Print "wicketgate: <command>: <what>" on standard error, with everything
 * hidden in it drawn, and return `code`. `command` may be NULL. */
CLI_FORMAT(3, 4)
int cli_fail(int code, const char *command, const char *format, ...);

/* The same line, for what does not fail. */
CLI_FORMAT(2, 3)
void cli_warn(const char *command, const char *format, ...);

/* Memory that ran out; or a status that cannot come, because arguments were
 * checked and buffers have their bounds. That is a fault of ours, and refuses
 * like any other. */
int cli_unexpected(const char *command, wkg_status status);

/* Say where and why a document was refused. */
int cli_refuse_document(const char *command, wkg_status status,
                        const wkg_json_error *error);

/* Each returns CLI_DONE, or CLI_RESOURCE after having said why. */
int cli_reserve(const char *command, wkg_buf *buf, size_t cap);
int cli_reserve_more(const char *command, wkg_buf *buf, size_t more);
int cli_reserve_work(const char *command, wkg_work *work, size_t size);
int cli_read(const char *command, FILE *from, wkg_buf *into);
int cli_read_file(const char *command, const char *path, wkg_buf *into);
int cli_write(const char *command, wkg_span bytes); /* all there is */
int cli_write_file(const char *command, const char *path, wkg_span bytes);
int cli_close_stdout(const char *command);

/* Is this path standard input, `-`? */
bool cli_is_stdin(const char *path);

/* ---- command.c: what the commands have in common ---- */

extern const cli_choice cli_profiles[];

/* The first option of every command. */
enum { CLI_PROFILE = 0 };

/* clang-format off */
#define CLI_PROFILE_OPTION(text)         \
	{                                \
		.name = "profile",       \
		.kind = CLI_CHOICE,      \
		.choices = cli_profiles, \
		.fallback = "hardened",  \
		.help = text,            \
	}
/* clang-format on */

#define CLI_PROFILE_IS_USED CLI_PROFILE_OPTION("which rules apply")
#define CLI_PROFILE_IS_NOT_USED                                                \
	CLI_PROFILE_OPTION("accepted everywhere; the answer is the same here")

wkg_profile cli_profile_of(const cli_call *call);

/* cli_read() and its like, for standard input and output of this call. */
int cli_read_input(cli_call *call);
int cli_reserve_output(cli_call *call, size_t bound);
int cli_write_output(const cli_call *call);

/* Append; false if it does not fit, which the bounds rule out. */
bool cli_put(wkg_buf *out, const char *text);
CLI_FORMAT(2, 3) /* of at most 255 bytes */
bool cli_put_format(wkg_buf *out, const char *format, ...);

/* Write call->report to the file that `option` names, if it was given. */
int cli_write_report(const cli_call *call, size_t option);

/* ---- screen.c: how wide it is, and in which colours ---- */

typedef struct cli_screen {
	size_t columns;
	/* Colours, or "": not a terminal, or not wanted. */
	const char *title, *hidden, *fence, *off;
} cli_screen;

cli_screen cli_screen_of_output(void);
bool cli_errors_on_terminal(void);
void cli_print_spaces(size_t count);

/* ---- show.c: text as a person can see it ---- */

typedef enum cli_drawing {
	CLI_DRAW_EACH = 1, /* every hidden character is <U+200B> */
	CLI_DRAW_RUNS,     /* <U+200B x40>; a sentence in tags is <TAG: so> */
} cli_drawing;

/* What to print for the next character or run of them. */
typedef struct cli_piece {
	char text[48];
	size_t len;
	size_t columns;  /* on a terminal */
	size_t used;     /* bytes of the input it stands for */
	bool hidden;     /* drawn, because it could not be seen */
	bool line_break; /* a line may be broken behind it */
} cli_piece;

cli_piece cli_piece_at(wkg_span text, size_t at, cli_drawing drawing);

/* Bytes [from, to) fit on one line; the next line starts at `next`. */
typedef struct cli_line {
	size_t from;
	size_t to;
	size_t next;
} cli_line;

cli_line cli_wrap(wkg_span text, size_t at, size_t columns);

/* Print a line of cli_wrap() and return its width. `on` and `off` go around
 * what is hidden: colours, or "". */
size_t cli_print_line(wkg_span text, cli_line line, const char *on,
                      const char *off);

/* Print all of `text` on one line, each hidden character drawn. */
void cli_print_drawn(FILE *to, wkg_span text);

/* ---- the commands ---- */

extern const cli_command cli_sanitize;
extern const cli_command cli_neutralize;
extern const cli_command cli_fence;
extern const cli_command cli_needs_fence;
extern const cli_command cli_contract;
extern const cli_command cli_render;
extern const cli_command cli_moderate;
extern const cli_command cli_inspect;
extern const cli_command cli_intent_capture;
extern const cli_command cli_intent_canonical;
extern const cli_command cli_intent_hash;
extern const cli_command cli_key_generate;
extern const cli_command cli_key_public;
extern const cli_command cli_authority_issue;
extern const cli_command cli_execute;
extern const cli_command cli_version;

#endif
