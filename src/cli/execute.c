/* execute.c - the execute command: one approved intent, one run of a program.
 *
 * The decision to run is wkg_execute()'s alone. Here is what it decides with:
 * files, a key, a ledger, a table of programs. */
#include "actions.h"
#include "gate.h"

#include <wicketgate/authority.h>

#include <stdlib.h>
#include <string.h>

enum {
	BINDING = CLI_PROFILE + 1,
	ENVELOPE,
	DECISION,
	PUBLIC_KEY,
	ISSUER,
	LEDGER,
	ACTIONS,
	NOW,
	UNSAFE,
};

/* clang-format off */
static const cli_option options[] = {
	[CLI_PROFILE] = CLI_PROFILE_IS_NOT_USED,
	[BINDING] = GATE_BINDING_OPTION,
	[ENVELOPE] = GATE_FILE_OPTION("envelope",
		"the intent, required; of intent capture"),
	[DECISION] = GATE_FILE_OPTION("decision",
		"what the authority decided on it, required"),
	[PUBLIC_KEY] = GATE_FILE_OPTION("public-key",
		"the authority's key, required; SPKI PEM"),
	[ISSUER] = {
		.name = "issuer",
		.kind = CLI_TEXT,
		.value = "TEXT",
		.fallback = WKG_AUTHORITY_ISSUER,
		.help = "the authority's name, as its grants have it",
	},
	[LEDGER] = {
		.name = "ledger",
		.kind = CLI_TEXT,
		.required = true,
		.value = "sqlite:PATH|redis:HOST:PORT|memory",
		.help = "where spent grants are kept, required; memory forgets when the\n"
		        "      process ends, and needs --unsafe-development",
	},
	[ACTIONS] = GATE_FILE_OPTION("actions",
		"which actions there are, required; JSON, see above"),
	[NOW] = GATE_NOW_OPTION,
	[UNSAFE] = {
		.name = "unsafe-development",
		.kind = CLI_FLAG,
		.help = "allow --ledger memory",
	},
};
/* clang-format on */

_Static_assert(COUNT(options) <= CLI_OPTIONS_MAX,
               "a call has a value for each option");

/* ---- ledgers ---- */

enum {
	MEMORY_CLAIMS = 16, /* one is made */
	BUSY_TIMEOUT_MS = 5000,
	REDIS_TIMEOUT_MS = 2000,
};

/* Whichever is open. */
typedef struct store {
	const char *command;
	wkg_ledger ledger;
	wkg_work memory;
#ifdef WKG_WITH_SQLITE
	wkg_sqlite_ledger *sqlite;
#endif
#ifdef WKG_WITH_REDIS
	wkg_redis_ledger *redis;
#endif
} store;

static int
cannot_open(const char *command, wkg_status status, const char *what)
{
	if (status == WKG_E_ARGUMENT)
		return cli_fail(CLI_USAGE, command, "--ledger cannot be '%s'",
		                what);
	return cli_fail(CLI_RESOURCE, command,
	                "cannot use the ledger (%s): '%s'",
	                wkg_status_name(status), what);
}

static int
open_memory(store *s)
{
	uint8_t seed[16];
	wkg_memory_ledger *ledger;
	int code = gate_random(s->command, seed, sizeof(seed));
	if (code == CLI_DONE)
		code = cli_reserve_work(s->command, &s->memory,
		                        wkg_memory_ledger_size(MEMORY_CLAIMS));
	if (code != CLI_DONE)
		return code;
	wkg_status status = wkg_memory_ledger_init(
		&ledger, s->memory, MEMORY_CLAIMS, seed, WKG_LEDGER_MARGIN_S);
	if (status != WKG_OK)
		return cli_unexpected(s->command, status);
	s->ledger = wkg_memory_ledger_of(ledger);
	return CLI_DONE;
}

#ifdef WKG_WITH_SQLITE
static int
open_sqlite(store *s, const char *path)
{
	wkg_status status = wkg_sqlite_ledger_open(
		&s->sqlite, path, WKG_LEDGER_MARGIN_S, BUSY_TIMEOUT_MS, NULL);
	if (status != WKG_OK)
		return cannot_open(s->command, status, path);
	s->ledger = wkg_sqlite_ledger_of(s->sqlite);
	return CLI_DONE;
}
#endif

#ifdef WKG_WITH_REDIS
/* A port, in digits, or 0. */
static uint16_t
port_of(const char *text)
{
	unsigned port = 0;
	if (*text == '\0')
		return 0;
	for (; *text >= '0' && *text <= '9' && port <= UINT16_MAX; text++)
		port = port * 10 + (unsigned)(*text - '0');
	return *text == '\0' && port <= UINT16_MAX ? (uint16_t)port : 0;
}

static int
open_redis(store *s, const char *where)
{
	static const wkg_span prefix = WKG_LIT("wicketgate:grant:");
	char host[256];
	const char *colon = strrchr(where, ':');
	size_t len = colon == NULL ? 0 : (size_t)(colon - where);
	uint16_t port = colon == NULL ? 0 : port_of(colon + 1);
	if (len == 0 || len >= sizeof(host) || port == 0)
		return cannot_open(s->command, WKG_E_ARGUMENT, where);
	memcpy(host, where, len);
	host[len] = '\0';

	wkg_status status = wkg_redis_ledger_open(&s->redis, host, port, prefix,
	                                          WKG_LEDGER_MARGIN_S,
	                                          REDIS_TIMEOUT_MS, NULL);
	if (status != WKG_OK)
		return cannot_open(s->command, status, where);
	s->ledger = wkg_redis_ledger_of(s->redis);
	return CLI_DONE;
}
#endif

#if !defined(WKG_WITH_SQLITE) || !defined(WKG_WITH_REDIS)
static int
not_compiled_in(const char *command, const char *what)
{
	return cli_fail(CLI_USAGE, command,
	                "this wicketgate was built without %s", what);
}
#endif

/* What stands behind `kind` and a colon; NULL if that is not how it begins. */
static const char *
behind(const char *spec, const char *kind)
{
	size_t len = strlen(kind);
	bool match = strncmp(spec, kind, len) == 0 && spec[len] == ':';
	return match ? spec + len + 1 : NULL;
}

static int
store_open(store *s, const char *spec)
{
	const char *path = behind(spec, "sqlite");
	const char *where = behind(spec, "redis");
	if (strcmp(spec, "memory") == 0)
		return open_memory(s);
#ifdef WKG_WITH_SQLITE
	if (path != NULL)
		return open_sqlite(s, path);
#else
	if (path != NULL)
		return not_compiled_in(s->command, "SQLite");
#endif
#ifdef WKG_WITH_REDIS
	if (where != NULL)
		return open_redis(s, where);
#else
	if (where != NULL)
		return not_compiled_in(s->command, "Redis");
#endif
	return cannot_open(s->command, WKG_E_ARGUMENT, spec);
}

static void
store_close(store *s)
{
#ifdef WKG_WITH_SQLITE
	wkg_sqlite_ledger_close(s->sqlite);
#endif
#ifdef WKG_WITH_REDIS
	wkg_redis_ledger_close(s->redis);
#endif
	free(s->memory.ptr);
}

/* A caller is told AUTHORIZATION_INVALID, whether a grant was spent or the
 * ledger could not tell. The operator is told that it could not. */
static wkg_claim
claim(void *ctx, wkg_span id, int64_t expires, int64_t now_ms)
{
	const store *s = ctx;
	wkg_claim answer = s->ledger.claim(s->ledger.store, id, expires,
	                                   now_ms);
	if (answer == WKG_CLAIM_REFUSED)
		cli_warn(s->command, "the ledger cannot say that the grant is "
		                     "unspent, so it counts as spent");
	return answer;
}

/* ---- one execution ---- */

typedef struct execution {
	cli_call *call;
	const char *command;
	wkg_buf decision;
	actions actions;
	wkg_keyring *keyring;
	store store;
	wkg_buf result;
	wkg_outcome outcome;
} execution;

static int
read_key(execution *x)
{
	const char *path = x->call->values[PUBLIC_KEY].text;
	const char *issuer = x->call->values[ISSUER].text;
	wkg_span name = { (const uint8_t *)issuer, strlen(issuer) };
	wkg_span thumbprint = WKG_LIT("");
	uint8_t key[WKG_KEY_SIZE];
	wkg_buf pem = { 0 };
	int code = cli_read_file(x->command, path, &pem);
	if (code != CLI_DONE) {
		free(pem.ptr);
		return code;
	}

	wkg_status status = wkg_keyring_new(&x->keyring, name, NULL);
	if (status == WKG_E_ARGUMENT) {
		free(pem.ptr);
		return cli_fail(CLI_USAGE, x->command,
		                "--issuer must have 1 to 200 bytes of UTF-8");
	}
	if (status == WKG_OK)
		status = wkg_key_public_from_pem(key, wkg_buf_span(&pem));
	free(pem.ptr);
	if (status == WKG_OK)
		status = wkg_keyring_add(x->keyring, thumbprint, key);
	if (status == WKG_E_SYNTAX || status == WKG_E_INVALID)
		return cli_fail(CLI_MALFORMED, x->command,
		                "not the PEM of an Ed25519 public key that can "
		                "be trusted: '%s'",
		                path);
	return status == WKG_OK ? CLI_DONE : cli_unexpected(x->command, status);
}

static int
read_all(execution *x)
{
	const cli_value *values = x->call->values;
	int code = actions_read(&x->actions, x->command, values[ACTIONS].text);
	if (code == CLI_DONE)
		code = read_key(x);
	if (code == CLI_DONE)
		code = cli_read_file(x->command, values[ENVELOPE].text,
		                     &x->call->in);
	if (code == CLI_DONE)
		code = cli_read_file(x->command, values[DECISION].text,
		                     &x->decision);
	return code;
}

/* Everything that can fail for want of memory fails before the grant is spent.
 */
static int
reserve_all(execution *x, const wkg_request *request)
{
	size_t answer = wkg_json_quote_bound(HANDLER_OUTPUT_MAX) +
	                wkg_json_quote_bound(WKG_ID_MAX) + 256;
	int code = cli_reserve(x->command, &x->result, HANDLER_OUTPUT_MAX);
	if (code == CLI_DONE)
		code = cli_reserve_output(x->call, answer);
	if (code == CLI_DONE)
		code = cli_reserve_work(x->command, &x->call->work,
		                        wkg_execute_work_size(request));
	return code;
}

static int
execute(execution *x)
{
	wkg_registry registry = wkg_registry_of(x->actions.list,
	                                        x->actions.count);
	wkg_executor executor = {
		.registry = &registry,
		.keyring = x->keyring,
		.ledger = { claim, &x->store },
		.binding = gate_binding_of(x->call, BINDING),
	};
	wkg_request request = {
		.envelope = wkg_buf_span(&x->call->in),
		.decision = wkg_buf_span(&x->decision),
	};
	int code = gate_now(x->call, NOW, &request.now_ms);
	if (code == CLI_DONE)
		code = reserve_all(x, &request);
	if (code != CLI_DONE)
		return code;

	wkg_status status = wkg_execute(&executor, &request, &x->result,
	                                x->call->work, &x->outcome);
	if (status != WKG_OK && status != WKG_E_REFUSED)
		return cli_unexpected(x->command, status);
	return CLI_DONE;
}

/* ---- the answer ---- */

static bool
was_cut(const actions *a)
{
	bool cut = false;
	for (size_t i = 0; i < a->count; i++) {
		const handler *h = a->list[i].ctx;
		cut = cut || h->cut;
	}
	return cut;
}

static bool
put_executed(wkg_buf *out, const execution *x)
{
	const wkg_id *id = &x->outcome.grant.id;
	wkg_span grant = { id->text, id->len };
	return cli_put(out,
	               "{\"executed\":true,\"stage\":\"done\",\"grantId\":") &&
	       wkg_json_quote(out, grant) == WKG_OK &&
	       cli_put(out, ",\"result\":") &&
	       wkg_json_quote(out, wkg_buf_span(&x->result)) == WKG_OK &&
	       cli_put(out,
	               was_cut(&x->actions) ? ",\"truncated\":true}\n" : "}\n");
}

static bool
put_refused(wkg_buf *out, wkg_stage stage, const char *reason)
{
	return cli_put_format(
		out,
		"{\"executed\":false,\"reason\":\"%s\",\"stage\":\"%s\"}\n",
		reason, wkg_stage_name(stage));
}

static int
answer(execution *x)
{
	const wkg_outcome *o = &x->outcome;
	wkg_buf *out = &x->call->out;
	bool put = o->executed ? put_executed(out, x)
	                       : put_refused(out, o->stage, o->reason);
	if (!put)
		return cli_unexpected(x->command, WKG_E_SPACE);
	int code = cli_write_output(x->call);
	if (code != CLI_DONE && o->stage >= WKG_STAGE_RECHECK)
		cli_warn(x->command, o->executed ? "the action was executed"
		                                 : "the grant is spent");
	if (code != CLI_DONE)
		return code;
	return o->executed ? CLI_DONE : CLI_NO;
}

/* ---- the command ---- */

/* A memory ledger allows every process to use a grant once more. */
static int
check_ledger(const cli_call *call)
{
	const char *command = call->command->name;
	if (strcmp(call->values[LEDGER].text, "memory") != 0)
		return CLI_DONE;
	if (!call->values[UNSAFE].given)
		return cli_fail(CLI_USAGE, command,
		                "--ledger memory needs --unsafe-development: "
		                "it forgets when the process ends");
	if (gate_is_production())
		return cli_fail(CLI_USAGE, command,
		                "--ledger memory is not for production");
	return CLI_DONE;
}

/* Grants of an authority that approves anything are worth nothing there. */
static bool
is_forbidden(const cli_call *call)
{
	return gate_is_production() &&
	       strcmp(call->values[ISSUER].text, WKG_AUTHORITY_ISSUER) == 0;
}

static int
run_forbidden(cli_call *call)
{
	int code = cli_reserve_output(call, 256);
	if (code == CLI_DONE && !put_refused(&call->out, WKG_STAGE_INPUT,
	                                     "FIXTURE_AUTHORITY_FORBIDDEN"))
		code = cli_unexpected(call->command->name, WKG_E_SPACE);
	if (code == CLI_DONE)
		code = cli_write_output(call);
	return code == CLI_DONE ? CLI_NO : code;
}

static int
run_execute(cli_call *call)
{
	execution x = { .call = call, .command = call->command->name };
	x.store.command = x.command;
	int code = check_ledger(call);
	if (code != CLI_DONE)
		return code;
	if (is_forbidden(call))
		return run_forbidden(call);

	code = read_all(&x);
	if (code == CLI_DONE)
		code = store_open(&x.store, call->values[LEDGER].text);
	if (code == CLI_DONE)
		code = execute(&x);
	if (code == CLI_DONE)
		code = answer(&x);
	store_close(&x.store);
	wkg_keyring_free(x.keyring);
	actions_free(&x.actions);
	free(x.decision.ptr);
	free(x.result.ptr);
	return code;
}

/* clang-format off */
const cli_command cli_execute = {
	.name = "execute",
	.summary = "run what was approved, once",
	.about =
		"Run the action of an intent if a decision carries a grant for exactly this\n"
		"intent, now, that nobody has used. Prints {\"executed\":true,\"stage\":\"done\",\n"
		"\"grantId\",\"result\"}, exit 0; or {\"executed\":false,\"reason\",\"stage\"}, exit 1.\n"
		"From stage claim on the grant is spent, whatever becomes of the action.\n"
		"\n"
		"The actions file says which actions there are:\n"
		"  {\"refund_order\":{\"parameters\":{\"amount\":{\"type\":\"number\",\"minimum\":0}},\n"
		"    \"handler\":[\"/path/program\",\"arg\"],\"timeout_ms\":10000}}\n"
		"Parameters that are not listed are refused, listed ones have to be there\n"
		"unless \"optional\":true. Types and what goes with them: string (minLength,\n"
		"maxLength, pattern, enum), number and integer (minimum, maximum), boolean,\n"
		"object (properties), array (minItems, maxItems, items). A pattern is about\n"
		"the whole string: characters, . and sets like [a-z], each with *, +, ?, {n}.\n"
		"\n"
		"The program gets the approved parameters on standard input, PATH as its\n"
		"only variable, and no other file. It is killed after timeout_ms (10000; at\n"
		"most 600000), with all that it started. Exit status 0 is success. What it\n"
		"prints is the result, up to 65536 bytes (then \"truncated\":true), and as\n"
		"untrusted as any tool's. What it writes to standard error is lost.\n"
		"\n"
		"A key's kid is its thumbprint (RFC 7638). With WICKETGATE_ENV=production\n"
		"the issuer " WKG_AUTHORITY_ISSUER " is refused. One of the files can be -.\n",
	.example =
		"printf '{\"ping\":{\"parameters\":{},\"handler\":[\"/bin/echo\",\"pong\"]}}' \\\n"
		"      >actions.json\n"
		"  wicketgate execute --binding b --envelope envelope.json \\\n"
		"      --decision decision.json --public-key public.pem \\\n"
		"      --actions actions.json --ledger sqlite:ledger.db",
	.options = options,
	.option_count = COUNT(options),
	.run = run_execute,
};
/* clang-format on */
