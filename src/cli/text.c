/* text.c - the text commands: sanitize, neutralize, fence, needs-fence,
 * contract; and version.
 *
 * All have one shape: check the options, read everything, one library call
 * into memory sized with its bound, write everything. */
#include "cli.h"

#include <wicketgate/wicketgate.h>

#include <stdint.h>
#include <string.h>

/* Tables and help texts keep their lines: clang-format is off around them. */

static const cli_option profile_is_not_used[] = { CLI_PROFILE_IS_NOT_USED };

static int
unexpected(const cli_call *call, wkg_status status)
{
	return cli_unexpected(call->command->name, status);
}

/* ---- sanitize ---- */

enum { SOURCE = CLI_PROFILE + 1, LIMIT, UNIT, JSON, MAX_DEPTH, REPORT };

static const cli_choice sources[] = {
	{ "chat", WKG_SOURCE_CHAT },
	{ "webhook", WKG_SOURCE_WEBHOOK },
	{ "form_event", WKG_SOURCE_FORM_EVENT },
	{ "retrieval", WKG_SOURCE_RETRIEVAL },
	{ "tool_result", WKG_SOURCE_TOOL_RESULT },
	{ NULL, 0 },
};

static const cli_choice units[] = {
	{ "codepoint", WKG_UNIT_CODEPOINT },
	{ "utf16", WKG_UNIT_UTF16 },
	{ "byte", WKG_UNIT_BYTE },
	{ NULL, 0 },
};

/* clang-format off */
static const cli_option sanitize_options[] = {
	[CLI_PROFILE] = CLI_PROFILE_IS_USED,
	[SOURCE] = {
		.name = "source",
		.kind = CLI_CHOICE,
		.choices = sources,
		.fallback = "form_event",
		.help = "where the text came from; decides its limit",
	},
	[LIMIT] = {
		.name = "limit",
		.kind = CLI_NUMBER,
		.value = "N",
		.min = 1,
		.max = SIZE_MAX,
		.help = "longest text kept, from 1; without it the source's own:\n"
		        "      chat 4000, webhook 32768, form_event 8192,\n"
		        "      retrieval 4000, tool_result 16384",
	},
	[UNIT] = {
		.name = "unit",
		.kind = CLI_CHOICE,
		.choices = units,
		.fallback = "codepoint",
		.help = "what a limit counts",
	},
	[JSON] = {
		.name = "json",
		.kind = CLI_FLAG,
		.help = "the input is a JSON document: sanitize each string in it",
	},
	[MAX_DEPTH] = {
		.name = "max-depth",
		.kind = CLI_NUMBER,
		.value = "N",
		.min = 1,
		.max = WKG_PAYLOAD_DEPTH_MAX,
		.fallback = "16",
		.help = "with --json: containers nested deeper become null; 1..1024",
	},
	[REPORT] = {
		.name = "report",
		.kind = CLI_TEXT,
		.value = "FILE",
		.help = "write what was done to FILE, as JSON, before any output",
	},
};
/* clang-format on */

_Static_assert(COUNT(sanitize_options) <= CLI_OPTIONS_MAX,
               "a call has a value for each option");

static size_t *
limit_of(wkg_source_limits *limits, wkg_source source)
{
	switch (source) { /* no default: a new source must say where */
	case WKG_SOURCE_CHAT: return &limits->chat;
	case WKG_SOURCE_WEBHOOK: return &limits->webhook;
	case WKG_SOURCE_FORM_EVENT: return &limits->form_event;
	case WKG_SOURCE_RETRIEVAL: return &limits->retrieval;
	case WKG_SOURCE_TOOL_RESULT: return &limits->tool_result;
	case WKG_SOURCE_INVALID: break;
	}
	return NULL;
}

static wkg_sanitize_config
config_of(const cli_call *call, wkg_source source)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(
		cli_profile_of(call));
	config.unit = (wkg_unit)call->values[UNIT].choice;
	config.max_depth = (uint32_t)call->values[MAX_DEPTH].number;

	size_t *limit = limit_of(&config.limits, source);
	if (call->values[LIMIT].given && limit != NULL)
		*limit = (size_t)call->values[LIMIT].number;
	return config;
}

static int
sanitize_text(cli_call *call, wkg_source source,
              const wkg_sanitize_config *config, wkg_payload_report *report)
{
	int code = cli_reserve_output(call, wkg_sanitize_bound(call->in.len));
	if (code != CLI_DONE)
		return code;

	wkg_sanitize_report text;
	wkg_status status = wkg_sanitize(&call->out, wkg_buf_span(&call->in),
	                                 source, config, &text);
	if (status != WKG_OK)
		return unexpected(call, status);

	/* A text is a document of one leaf, the root, whose path is empty. */
	report->stripped = text.stripped;
	report->replaced = text.replaced;
	report->truncated = text.truncated;
	report->note_count = text.truncated;
	report->notes[0].kind = WKG_PAYLOAD_NOTE_TRUNCATED;
	return CLI_DONE;
}

static int
sanitize_json(cli_call *call, wkg_source source,
              const wkg_sanitize_config *config, wkg_payload_report *report)
{
	size_t work_size = wkg_payload_work_size(call->in.len, config);
	int code = cli_reserve_output(call, wkg_payload_bound(call->in.len));
	if (code == CLI_DONE)
		code = cli_reserve_work(call->command->name, &call->work,
		                        work_size);
	if (code != CLI_DONE)
		return code;

	wkg_status status = wkg_payload_sanitize(
		&call->out, wkg_buf_span(&call->in), source, config, call->work,
		report);
	if (status != WKG_OK)
		return cli_refuse_document(call->command->name, status,
		                           &report->error);
	return CLI_DONE;
}

static const char *
note_name(wkg_payload_note_kind kind)
{
	switch (kind) {
	case WKG_PAYLOAD_NOTE_TRUNCATED: return "truncated";
	case WKG_PAYLOAD_NOTE_DROPPED: return "dropped";
	case WKG_PAYLOAD_NOTE_INVALID: break;
	}
	return "?";
}

static bool
put_note(wkg_buf *out, const wkg_payload_note *note)
{
	wkg_span path = { note->path.text, note->path.len };
	return cli_put(out, "{\"path\":") &&
	       wkg_json_quote(out, path) == WKG_OK &&
	       cli_put_format(out, ",\"kind\":\"%s\"}", note_name(note->kind));
}

static bool
put_report(wkg_buf *out, const wkg_payload_report *report)
{
	bool ok = cli_put_format(out,
	                         "{\"stripped\":%zu,\"replaced\":%zu,"
	                         "\"truncated\":%zu,\"dropped\":%zu,"
	                         "\"leaves\":[",
	                         report->stripped, report->replaced,
	                         report->truncated, report->dropped);
	for (size_t i = 0; ok && i < report->note_count; i++)
		ok = cli_put(out, i == 0 ? "" : ",") &&
		     put_note(out, &report->notes[i]);
	return ok && cli_put(out, "]}\n");
}

static size_t
report_bound(const wkg_payload_report *report)
{
	size_t note = wkg_json_quote_bound(WKG_JSON_PATH_MAX) +
	              sizeof("{\"path\":,\"kind\":\"truncated\"},");
	return 256 + report->note_count * note;
}

static int
write_report(cli_call *call, const wkg_payload_report *report)
{
	if (!call->values[REPORT].given)
		return CLI_DONE;
	int code = cli_reserve(call->command->name, &call->report,
	                       report_bound(report));
	if (code != CLI_DONE)
		return code;
	if (!put_report(&call->report, report))
		return unexpected(call, WKG_E_SPACE);
	return cli_write_report(call, REPORT);
}

static int
run_sanitize(cli_call *call)
{
	/* Without --json an escaped \u200b is six harmless letters. Who asks
	 * for a depth believes that the document is being looked into. */
	if (call->values[MAX_DEPTH].given && !call->values[JSON].given)
		return cli_fail(CLI_USAGE, call->command->name,
		                "--max-depth needs --json");

	wkg_source source = (wkg_source)call->values[SOURCE].choice;
	wkg_sanitize_config config = config_of(call, source);
	wkg_status status = wkg_sanitize_config_check(&config);
	if (status != WKG_OK)
		return unexpected(call, status);

	int code = cli_read_input(call);
	if (code != CLI_DONE)
		return code;
	wkg_payload_report report = { 0 };
	code = call->values[JSON].given
	               ? sanitize_json(call, source, &config, &report)
	               : sanitize_text(call, source, &config, &report);
	if (code == CLI_DONE)
		code = write_report(call, &report);
	if (code != CLI_DONE)
		return code;
	return cli_write_output(call);
}

/* clang-format off */
const cli_command cli_sanitize = {
	.name = "sanitize",
	.summary = "remove what a reader cannot see, then cut to a length",
	.about =
		"Remove hidden characters from standard input, then cut it to the limit\n"
		"of its source. Prints exactly the resulting bytes, no line feed added.\n"
		"Hardened keeps joiners, selectors and the like where an orthography or\n"
		"an emoji needs them, and turns CR and CRLF into LF.\n"
		"With --json, malformed input is refused: exit 3, the byte offset on\n"
		"standard error, no output. A report has the counts, and the paths of the\n"
		"first 64 strings that were cut and containers that were dropped.\n",
	.example =
		"printf '{\"id\":1846178234987264001,\"note\":\"a\\\\u200bb\\\\u202e\"}' |\n"
		"      wicketgate sanitize --json --source webhook",
	.options = sanitize_options,
	.option_count = COUNT(sanitize_options),
	.reads_input = true,
	.run = run_sanitize,
};
/* clang-format on */

/* ---- neutralize ---- */

enum { INLINE = CLI_PROFILE + 1 };

/* clang-format off */
static const cli_option neutralize_options[] = {
	[CLI_PROFILE] = CLI_PROFILE_IS_USED,
	[INLINE] = {
		.name = "inline",
		.kind = CLI_FLAG,
		.help = "for a value inside a sentence: its first and last bracket\n"
			"      count as if others stood next to them",
	},
};
/* clang-format on */

static int
run_neutralize(cli_call *call)
{
	int code = cli_read_input(call);
	if (code == CLI_DONE)
		code = cli_reserve_output(
			call, wkg_fence_neutralize_bound(call->in.len));
	if (code != CLI_DONE)
		return code;

	wkg_span in = wkg_buf_span(&call->in);
	wkg_profile profile = cli_profile_of(call);
	wkg_status status =
		call->values[INLINE].given ?
			wkg_fence_inline(&call->out, in, profile, NULL) :
			wkg_fence_neutralize(&call->out, in, profile, NULL);
	if (status != WKG_OK)
		return unexpected(call, status);
	return cli_write_output(call);
}

/* clang-format off */
const cli_command cli_neutralize = {
	.name = "neutralize",
	.summary = "break what could be read as a delimiter or a chat token",
	.about =
		"Put a space behind each angle bracket that has another of its kind next\n"
		"to it, so that no fence delimiter can be read in the text; hardened also\n"
		"breaks the delimiters' keyword, with ~, and chat-template tokens. Removes\n"
		"nothing. Prints exactly the resulting bytes, no line feed added. A value\n"
		"that goes into a prompt wants fence.\n",
	.example = "printf '<<<__XPY_DATA_END__>>>' | wicketgate neutralize",
	.options = neutralize_options,
	.option_count = COUNT(neutralize_options),
	.reads_input = true,
	.run = run_neutralize,
};
/* clang-format on */

/* ---- fence ---- */

enum { LABEL = CLI_PROFILE + 1 };

/* clang-format off */
static const cli_option fence_options[] = {
	[CLI_PROFILE] = CLI_PROFILE_IS_USED,
	[LABEL] = {
		.name = "label",
		.kind = CLI_TEXT,
		.required = true,
		.value = "TEXT",
		.help = "the line before the data, required; may be untrusted",
	},
};
/* clang-format on */

static int
run_fence(cli_call *call)
{
	const char *text = call->values[LABEL].text;
	wkg_span label = { (const uint8_t *)text, strlen(text) };

	int code = cli_read_input(call);
	if (code != CLI_DONE)
		return code;
	size_t bound = wkg_fence_bound(label.len, call->in.len);
	size_t with_line_feed = bound == SIZE_MAX ? SIZE_MAX : bound + 1;
	code = cli_reserve_output(call, with_line_feed);
	if (code != CLI_DONE)
		return code;

	wkg_status status = wkg_fence(&call->out, label,
	                              wkg_buf_span(&call->in),
	                              cli_profile_of(call), NULL);
	if (status != WKG_OK)
		return unexpected(call, status);
	if (!cli_put(&call->out, "\n"))
		return unexpected(call, WKG_E_SPACE);
	return cli_write_output(call);
}

/* clang-format off */
const cli_command cli_fence = {
	.name = "fence",
	.summary = "put a value between delimiters that it cannot forge",
	.about =
		"Print standard input as one data segment for a prompt: the label, the\n"
		"begin delimiter, the data, the end delimiter, each on lines of their\n"
		"own, label and data neutralized. Exactly the bytes of the segment, then\n"
		"one line feed. The message needs the contract, too.\n",
	.example = "printf 'please approve' | wicketgate fence --label order.note",
	.options = fence_options,
	.option_count = COUNT(fence_options),
	.reads_input = true,
	.run = run_fence,
};
/* clang-format on */

/* ---- needs-fence ---- */

static int
run_needs_fence(cli_call *call)
{
	int code = cli_read_input(call);
	if (code != CLI_DONE)
		return code;
	static const wkg_span yes = WKG_LIT("true\n");
	static const wkg_span no = WKG_LIT("false\n");
	bool needs = wkg_needs_fence(wkg_buf_span(&call->in));
	return cli_write(call->command->name, needs ? yes : no);
}

/* clang-format off */
const cli_command cli_needs_fence = {
	.name = "needs-fence",
	.summary = "may this value stand in a prompt without a fence?",
	.about =
		"Print true if standard input needs a fence in a prompt. False only for\n"
		"what cannot say anything: digits and points behind an optional sign, or\n"
		"exactly true or false. The bytes are taken as they are: a trailing LF in\n"
		"the input, such as echo adds, makes it true. Both answers exit 0.\n",
	.example = "printf '%s' -12.50 | wicketgate needs-fence",
	.options = profile_is_not_used,
	.option_count = COUNT(profile_is_not_used),
	.reads_input = true,
	.run = run_needs_fence,
};
/* clang-format on */

/* ---- contract ---- */

static int
run_contract(cli_call *call)
{
	wkg_span contract = wkg_fence_contract();
	int code = cli_reserve(call->command->name, &call->out,
	                       contract.len + 1);
	if (code != CLI_DONE)
		return code;
	memcpy(call->out.ptr, contract.ptr, contract.len);
	call->out.len = contract.len;
	if (!cli_put(&call->out, "\n"))
		return unexpected(call, WKG_E_SPACE);
	return cli_write_output(call);
}

/* clang-format off */
const cli_command cli_contract = {
	.name = "contract",
	.summary = "the text that tells a model what a fence means",
	.about =
		"Print the contract and one line feed. It belongs, once, into the\n"
		"instruction part of every message that holds a data segment.\n",
	.example = "wicketgate contract",
	.options = profile_is_not_used,
	.option_count = COUNT(profile_is_not_used),
	.run = run_contract,
};
/* clang-format on */

/* ---- version ---- */

#ifdef WKG_WITH_SQLITE
#define SQLITE " sqlite"
#else
#define SQLITE ""
#endif
#ifdef WKG_WITH_REDIS
#define REDIS " redis"
#else
#define REDIS ""
#endif

static int
run_version(cli_call *call)
{
	printf("wicketgate %s\n", wkg_version());
	printf("unicode-sets %s\n", wkg_table_set_version());
	printf("unicode-data %s\n", wkg_table_data_version());
	printf("features text json moderate gate" SQLITE REDIS "\n");
	printf("cpu portable\n");
	return cli_close_stdout(call->command->name);
}

/* clang-format off */
const cli_command cli_version = {
	.name = "version",
	.summary = "versions, compiled features, CPU path",
	.about =
		"Print, a name and its value on each line, the version, the Unicode\n"
		"versions of the character sets and of the other character data, the\n"
		"features compiled in, and the CPU path.\n",
	.example = "wicketgate version",
	.options = profile_is_not_used,
	.option_count = COUNT(profile_is_not_used),
	.run = run_version,
};
/* clang-format on */
