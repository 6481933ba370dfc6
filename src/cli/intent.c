/* intent.c - intent capture, canonical, hash: what exactly is to be done, as
 * bytes that can be approved. */
#include "gate.h"

#include <string.h>

/* ---- capture ---- */

enum { BINDING = CLI_PROFILE + 1, PROPOSAL, CONTEXT, TTL, NOW, ID };

/* clang-format off */
static const cli_option capture_options[] = {
	[CLI_PROFILE] = CLI_PROFILE_IS_NOT_USED,
	[BINDING] = GATE_BINDING_OPTION,
	[PROPOSAL] = GATE_FILE_OPTION("proposal",
		"what an agent wants done, required; JSON, not trusted"),
	[CONTEXT] = GATE_FILE_OPTION("context",
		"who, for whom and where, from the runtime, required; JSON"),
	[TTL] = GATE_TTL_OPTION("seconds until the intent expires, 1..300"),
	[NOW] = GATE_NOW_OPTION,
	[ID] = {
		.name = "id",
		.kind = CLI_TEXT,
		.value = "UUID",
		.help = "the intent's id; without it, a fresh one",
	},
};
/* clang-format on */

/* The id that the option names, or a fresh one in `text`. */
static int
id_of(const cli_call *call, char text[GATE_UUID_SIZE], wkg_span *id)
{
	const cli_value *given = &call->values[ID];
	int code = given->given ? CLI_DONE
	                        : gate_uuid(call->command->name, text);
	const char *chosen = given->given ? given->text : text;
	id->ptr = (const uint8_t *)chosen;
	id->len = code == CLI_DONE ? strlen(chosen) : 0;
	return code;
}

static int
capture(cli_call *call, const wkg_capture *how)
{
	const char *command = call->command->name;
	wkg_span proposal = wkg_buf_span(&call->in);
	wkg_span context = wkg_buf_span(&call->state);
	if (proposal.len > SIZE_MAX - context.len)
		return cli_unexpected(command, WKG_E_MEMORY);
	size_t size = proposal.len + context.len;
	size_t bound = wkg_intent_envelope_bound(size);
	int code = cli_reserve_output(call,
	                              bound < SIZE_MAX ? bound + 1 : bound);
	if (code == CLI_DONE)
		code = cli_reserve_work(command, &call->work,
		                        wkg_intent_work_size(size));
	if (code != CLI_DONE)
		return code;

	wkg_intent_error error;
	wkg_status status = wkg_intent_capture(&call->out, proposal, context,
	                                       how, call->work, &error);
	if (status == WKG_E_ARGUMENT) /* all but the id was checked before */
		return cli_fail(CLI_USAGE, command,
		                "--id must be a UUID, not '%.*s'",
		                (int)how->intent_id.len,
		                (const char *)how->intent_id.ptr);
	if (status != WKG_OK)
		return gate_refuse(command, status, &error);
	if (!cli_put(&call->out, "\n"))
		return cli_unexpected(command, WKG_E_SPACE);
	return CLI_DONE;
}

static int
run_capture(cli_call *call)
{
	const char *command = call->command->name;
	char fresh[GATE_UUID_SIZE];
	wkg_capture how = {
		.binding = gate_binding_of(call, BINDING),
		.limits = wkg_intent_limits_default(),
		.ttl_ms = (int64_t)call->values[TTL].number * 1000,
	};
	int code = gate_now(call, NOW, &how.now_ms);
	if (code == CLI_DONE)
		code = id_of(call, fresh, &how.intent_id);
	if (code == CLI_DONE)
		code = cli_read_file(command, call->values[PROPOSAL].text,
		                     &call->in);
	if (code == CLI_DONE)
		code = cli_read_file(command, call->values[CONTEXT].text,
		                     &call->state);
	if (code == CLI_DONE)
		code = capture(call, &how);
	if (code != CLI_DONE)
		return code;
	return cli_write_output(call);
}

/* clang-format off */
const cli_command cli_intent_capture = {
	.name = "intent capture",
	.summary = "a proposal and its context as bytes to approve",
	.about =
		"Print the envelope of an intent: {\"intent\",\"canonical\",\"hash\",\"length\"}\n"
		"and a line feed. The canonical text is RFC 8785; whoever approves, approves\n"
		"its hash. Members that are not known are refused: a proposal that claims\n"
		"to be approved says nothing. Malformed input is exit 3, with the file, the\n"
		"byte and the reason (INTENT_SCHEMA_INVALID, INTENT_TOO_DEEP, ...). One of\n"
		"the two files can be -, standard input.\n",
	.example =
		"printf '{\"action\":\"ping\",\"target\":\"host-1\"}' >proposal.json\n"
		"  printf '{\"tenantId\":\"7d444840-9dc0-41d1-b245-5ffdce74fad2\",\n"
		"      \"actor\":{\"id\":\"agent-7\",\"type\":\"ai\"},\"idempotencyKey\":\"k-1\",\n"
		"      \"downstreamTarget\":{\"system\":\"net\",\"operation\":\"ping\"}}' >context.json\n"
		"  wicketgate intent capture --binding b --proposal proposal.json \\\n"
		"      --context context.json >envelope.json",
	.options = capture_options,
	.option_count = COUNT(capture_options),
	.run = run_capture,
};
/* clang-format on */

/* ---- canonical, hash ---- */

/* Standard input, room for its canonical text, and for the work. */
static int
read_document(cli_call *call)
{
	int code = cli_read_input(call);
	if (code != CLI_DONE)
		return code;
	code = cli_reserve_output(call,
	                          wkg_intent_canonical_bound(call->in.len));
	if (code == CLI_DONE)
		code = cli_reserve_work(call->command->name, &call->work,
		                        wkg_intent_work_size(call->in.len));
	return code;
}

static int
bind(cli_call *call)
{
	wkg_intent_limits limits = wkg_intent_limits_default();
	wkg_intent_error error;
	wkg_status status = wkg_intent_bind(&call->out, wkg_buf_span(&call->in),
	                                    gate_binding_of(call, BINDING),
	                                    &limits, call->work, &error);
	if (status != WKG_OK)
		return gate_refuse(call->command->name, status, &error);
	return CLI_DONE;
}

static int
canonicalize(cli_call *call)
{
	wkg_intent_error error;
	wkg_status status = wkg_intent_canonical(
		&call->out, wkg_buf_span(&call->in), call->work, &error);
	error.part = WKG_INTENT_PART_NONE; /* it need not be a binding */
	if (status != WKG_OK)
		return gate_refuse(call->command->name, status, &error);
	return CLI_DONE;
}

enum { ANY = BINDING + 1 };

/* clang-format off */
static const cli_option canonical_options[] = {
	[CLI_PROFILE] = CLI_PROFILE_IS_NOT_USED,
	[BINDING] = {
		.name = "binding",
		.kind = CLI_CHOICE,
		.choices = gate_bindings,
		.help = "the input is a binding of this format; this or --any",
	},
	[ANY] = {
		.name = "any",
		.kind = CLI_FLAG,
		.help = "the input is any JSON value",
	},
};
/* clang-format on */

static int
run_canonical(cli_call *call)
{
	bool any = call->values[ANY].given;
	if (any == call->values[BINDING].given)
		return cli_fail(CLI_USAGE, call->command->name,
		                "one of --binding a|b and --any is required");
	int code = read_document(call);
	if (code == CLI_DONE)
		code = any ? canonicalize(call) : bind(call);
	if (code != CLI_DONE)
		return code;
	return cli_write_output(call);
}

/* clang-format off */
const cli_command cli_intent_canonical = {
	.name = "intent canonical",
	.summary = "the canonical text of a binding or any JSON",
	.about =
		"Print the canonical form (RFC 8785) of the JSON on standard input: members\n"
		"sorted by UTF-16, numbers as ECMAScript writes them, no white space; no\n"
		"line feed added. With --binding it has to be a binding in wire form\n"
		"(protocol_version, tenant_id, ...), and is judged as it stands. Duplicate\n"
		"names, surrogates without a partner, ill-formed UTF-8 and numbers beyond a\n"
		"double are exit 3.\n",
	.example =
		"printf '{\"b\":1e2,\"a\":\"\\\\u20ac\"}' | wicketgate intent canonical --any",
	.options = canonical_options,
	.option_count = COUNT(canonical_options),
	.reads_input = true,
	.run = run_canonical,
};
/* clang-format on */

static const cli_option hash_options[] = {
	[CLI_PROFILE] = CLI_PROFILE_IS_NOT_USED,
	[BINDING] = GATE_BINDING_OPTION,
};

static int
run_hash(cli_call *call)
{
	int code = read_document(call);
	if (code == CLI_DONE)
		code = bind(call);
	if (code != CLI_DONE)
		return code;

	uint8_t line[WKG_INTENT_HASH_LEN + 1];
	wkg_span text = { line, sizeof(line) };
	wkg_status status = wkg_intent_hash(line, wkg_buf_span(&call->out));
	if (status != WKG_OK)
		return cli_unexpected(call->command->name, status);
	line[WKG_INTENT_HASH_LEN] = '\n';
	return cli_write(call->command->name, text);
}

/* clang-format off */
const cli_command cli_intent_hash = {
	.name = "intent hash",
	.summary = "the hash that an authority approves",
	.about =
		"Print sha256: and 64 hexadecimal digits, and a line feed: the hash of the\n"
		"canonical text of the binding on standard input, which is in wire form.\n",
	.example =
		"printf '{\"protocol_version\":\"agent-safe.intent/1\",\n"
		"      \"tenant_id\":\"7d444840-9dc0-41d1-b245-5ffdce74fad2\",\n"
		"      \"intent_id\":\"00000000-0000-4000-8000-000000000000\",\n"
		"      \"captured_at\":\"2026-08-14T10:00:00.000Z\",\n"
		"      \"expires_at\":\"2026-08-14T10:01:00.000Z\",\n"
		"      \"actor\":{\"id\":\"agent-7\",\"type\":\"ai\"},\"context\":{},\n"
		"      \"action\":{\"type\":\"ping\",\"resource\":\"host-1\",\"parameters\":{}},\n"
		"      \"downstream_target\":{\"system\":\"net\",\"operation\":\"ping\"},\n"
		"      \"idempotency_key\":\"k-1\"}' | wicketgate intent hash --binding a",
	.options = hash_options,
	.option_count = COUNT(hash_options),
	.reads_input = true,
	.run = run_hash,
};
/* clang-format on */
