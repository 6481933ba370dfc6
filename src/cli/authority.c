/* authority.c - key generate, key public, authority issue: an authority for
 * demos and tests, which approves whatever it is told to (X8).
 *
 * A private key passes through arrays that are wiped and through no buffer of
 * stdio, which nobody wipes. */
#define _POSIX_C_SOURCE 200809L /* O_NOFOLLOW, fchmod */

#include "gate.h"

#include <wicketgate/authority.h>
#include <wicketgate/grant.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The PEM of an Ed25519 key has less than 128 bytes. */
enum { PEM_MAX = 1024 };

/* ---- key generate ---- */

enum { OUT = CLI_PROFILE + 1 };

/* clang-format off */
static const cli_option generate_options[] = {
	[CLI_PROFILE] = CLI_PROFILE_IS_NOT_USED,
	[OUT] = {
		.name = "out",
		.kind = CLI_TEXT,
		.required = true,
		.value = "FILE",
		.help = "where the private key goes, required; must not exist",
	},
};
/* clang-format on */

static bool
write_all(int fd, wkg_span bytes)
{
	while (bytes.len > 0) {
		ssize_t n = write(fd, bytes.ptr, bytes.len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes.ptr += n;
		bytes.len -= (size_t)n;
	}
	return true;
}

/* A file that only its owner can read, from the first moment on. */
static int
write_secret(const char *command, const char *path, wkg_span secret)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return cli_fail(CLI_RESOURCE, command,
		                "cannot create: %s: '%s'", strerror(errno),
		                path);
	bool written = fchmod(fd, S_IRUSR | S_IWUSR) == 0 &&
	               write_all(fd, secret) && fsync(fd) == 0;
	int error = errno;
	if (close(fd) != 0 && written) {
		written = false;
		error = errno;
	}
	if (written)
		return CLI_DONE;
	unlink(path); /* a half key is worse than none */
	return cli_fail(CLI_RESOURCE, command, "cannot write: %s: '%s'",
	                strerror(error), path);
}

static int
generate(const char *command, const char *path)
{
	uint8_t seed[WKG_KEY_SIZE], text[PEM_MAX];
	wkg_buf pem = { text, 0, sizeof(text) };
	int code = gate_random(command, seed, sizeof(seed));
	if (code == CLI_DONE) {
		wkg_status status = wkg_key_seed_to_pem(&pem, seed);
		code = status == WKG_OK
		               ? write_secret(command, path, wkg_buf_span(&pem))
		               : cli_unexpected(command, status);
	}
	wkg_wipe(seed, sizeof(seed));
	wkg_wipe(text, sizeof(text));
	return code;
}

static int
run_generate(cli_call *call)
{
	const char *path = call->values[OUT].text;
	if (cli_is_stdin(path)) /* `-`; a file of that name is ./- */
		return cli_fail(CLI_USAGE, call->command->name,
		                "a private key goes to a file only");
	return generate(call->command->name, path);
}

/* clang-format off */
const cli_command cli_key_generate = {
	.name = "key generate",
	.summary = "a new signing key, in a file of its own",
	.about =
		"Write a new Ed25519 private key to FILE, as PKCS#8 PEM that only its owner\n"
		"can read (mode 0600). A file that exists is never overwritten: exit 4.\n"
		"Prints nothing.\n",
	.example = "wicketgate key generate --out key.pem",
	.options = generate_options,
	.option_count = COUNT(generate_options),
	.run = run_generate,
};
/* clang-format on */

/* ---- key public ---- */

static const cli_option public_options[] = { CLI_PROFILE_IS_NOT_USED };

/* The whole file, up to one byte more than a key can have. */
static int
read_secret(const char *command, const char *path, wkg_buf *into)
{
	int fd = cli_is_stdin(path) ? dup(STDIN_FILENO)
	                            : open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;
	while (got > 0 && into->len < into->cap) {
		got = read(fd, into->ptr + into->len, into->cap - into->len);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			into->len += (size_t)got;
	}
	int error = errno;
	if (fd >= 0)
		close(fd);
	if (got < 0)
		return cli_fail(CLI_RESOURCE, command, "cannot %s: %s: '%s'",
		                fd < 0 ? "open" : "read", strerror(error),
		                path);
	return CLI_DONE;
}

static int
read_seed(const char *command, const char *path, uint8_t seed[WKG_KEY_SIZE])
{
	uint8_t text[PEM_MAX + 1];
	wkg_buf pem = { text, 0, sizeof(text) };
	int code = read_secret(command, path, &pem);
	wkg_status status = WKG_OK;
	if (code == CLI_DONE)
		status = wkg_key_seed_from_pem(seed, wkg_buf_span(&pem));
	wkg_wipe(text, sizeof(text));
	if (status == WKG_E_SYNTAX || status == WKG_E_INVALID)
		return cli_fail(CLI_MALFORMED, command,
		                "not the PEM of an Ed25519 private key: '%s'",
		                path);
	return status == WKG_OK ? code : cli_unexpected(command, status);
}

static int
put_public(cli_call *call, const uint8_t seed[WKG_KEY_SIZE])
{
	uint8_t key[WKG_KEY_SIZE];
	int code = cli_reserve_output(call, PEM_MAX);
	if (code != CLI_DONE)
		return code;
	wkg_status status = wkg_key_public_of_seed(key, seed);
	if (status == WKG_OK)
		status = wkg_key_public_to_pem(&call->out, key);
	if (status != WKG_OK)
		return cli_unexpected(call->command->name, status);
	return CLI_DONE;
}

static int
run_public(cli_call *call)
{
	uint8_t seed[WKG_KEY_SIZE] = { 0 };
	int code = read_seed(call->command->name, call->operands[0], seed);
	if (code == CLI_DONE)
		code = put_public(call, seed);
	wkg_wipe(seed, sizeof(seed));
	if (code != CLI_DONE)
		return code;
	return cli_write_output(call);
}

/* clang-format off */
const cli_command cli_key_public = {
	.name = "key public",
	.summary = "the half of a key that verifies",
	.about =
		"Print the public key of the private key in FILE (- is standard input), as\n"
		"SPKI PEM. It is what execute needs; the private key stays where it is.\n",
	.example = "wicketgate key public key.pem >public.pem",
	.options = public_options,
	.option_count = COUNT(public_options),
	.operands = "FILE",
	.operand_min = 1,
	.operand_max = 1,
	.run = run_public,
};
/* clang-format on */

/* ---- authority issue ---- */

enum { BINDING = CLI_PROFILE + 1, KEY, ENVELOPE, UNSAFE, VERDICT, NOW, TTL };

static const cli_choice verdicts[] = {
	{ "ALLOW", WKG_VERDICT_ALLOW },
	{ "BLOCK", WKG_VERDICT_BLOCK },
	{ "ESCALATE", WKG_VERDICT_ESCALATE },
	{ NULL, 0 },
};

/* clang-format off */
static const cli_option issue_options[] = {
	[CLI_PROFILE] = CLI_PROFILE_IS_NOT_USED,
	[BINDING] = GATE_BINDING_OPTION,
	[KEY] = GATE_FILE_OPTION("key",
		"the private key that signs, required; of key generate"),
	[ENVELOPE] = GATE_FILE_OPTION("envelope",
		"what is decided on, required; of intent capture"),
	[UNSAFE] = {
		.name = "unsafe-development",
		.kind = CLI_FLAG,
		.help = "required: whoever can run this can approve anything",
	},
	[VERDICT] = {
		.name = "verdict",
		.kind = CLI_CHOICE,
		.choices = verdicts,
		.fallback = "ALLOW",
		.help = "what to decide; only ALLOW carries a grant",
	},
	[NOW] = GATE_NOW_OPTION,
	[TTL] = GATE_TTL_OPTION(
		"seconds until the grant expires, 1..300; never behind the\n"
		"      intent's expiry"),
};
/* clang-format on */

_Static_assert(COUNT(issue_options) <= CLI_OPTIONS_MAX,
               "a call has a value for each option");

/* Fresh ids for one decision; the ruling points at them. */
typedef struct ids {
	char decision[GATE_UUID_SIZE];
	char dossier[GATE_UUID_SIZE];
	char grant[GATE_UUID_SIZE];
} ids;

static wkg_span
span_of(const char *uuid)
{
	wkg_span span = { (const uint8_t *)uuid, GATE_UUID_SIZE - 1 };
	return span;
}

static int
make_ruling(const cli_call *call, ids *fresh, wkg_ruling *ruling)
{
	const char *command = call->command->name;
	int code = gate_uuid(command, fresh->decision);
	if (code == CLI_DONE)
		code = gate_uuid(command, fresh->dossier);
	if (code == CLI_DONE)
		code = gate_uuid(command, fresh->grant);
	if (code == CLI_DONE)
		code = gate_now(call, NOW, &ruling->now_ms);
	ruling->verdict = (wkg_verdict)call->values[VERDICT].choice;
	ruling->ttl_s = (int64_t)call->values[TTL].number;
	ruling->decision_uuid = span_of(fresh->decision);
	ruling->dossier_uuid = span_of(fresh->dossier);
	ruling->grant_uuid = span_of(fresh->grant);
	return code;
}

static int
forbidden(const char *command)
{
	return cli_fail(CLI_NO, command,
	                "FIXTURE_AUTHORITY_FORBIDDEN: WICKETGATE_ENV is "
	                "production");
}

static int
decide(cli_call *call, const wkg_intent *intent, const wkg_ruling *ruling,
       const uint8_t seed[WKG_KEY_SIZE])
{
	const char *command = call->command->name;
	wkg_authority authority = {
		.unsafe_development = call->values[UNSAFE].given,
		.environment = gate_environment(),
		.seed = seed,
	};
	wkg_work work = { NULL, 0 };
	int code = cli_reserve_output(call, WKG_DECISION_MAX + 1);
	if (code == CLI_DONE)
		code = cli_reserve_work(command, &work,
		                        wkg_authority_work_size());
	if (code != CLI_DONE)
		return code;

	wkg_status status = wkg_authority_decide(&call->out, &authority, intent,
	                                         ruling, work);
	free(work.ptr);
	if (status == WKG_E_REFUSED)
		return forbidden(command);
	if (status == WKG_E_ARGUMENT) /* the only one left to make */
		return cli_fail(CLI_NO, command,
		                "INTENT_EXPIRED: no grant can begin now and "
		                "end before the intent");
	if (status != WKG_OK || !cli_put(&call->out, "\n"))
		return cli_unexpected(command, status);
	return CLI_DONE;
}

/* The envelope as it recomputes, and a decision on that. */
static int
open_and_decide(cli_call *call, const wkg_ruling *ruling,
                const uint8_t seed[WKG_KEY_SIZE])
{
	const char *command = call->command->name;
	int code = cli_read_file(command, call->values[ENVELOPE].text,
	                         &call->in);
	if (code == CLI_DONE)
		code = cli_reserve_work(command, &call->work,
		                        wkg_intent_work_size(call->in.len));
	if (code != CLI_DONE)
		return code;

	wkg_intent intent;
	wkg_intent_error error;
	wkg_status status = wkg_intent_open(&intent, wkg_buf_span(&call->in),
	                                    gate_binding_of(call, BINDING),
	                                    call->work, &error);
	if (status != WKG_OK)
		return gate_refuse(command, status, &error);
	return decide(call, &intent, ruling, seed);
}

static int
run_issue(cli_call *call)
{
	const char *command = call->command->name;
	uint8_t seed[WKG_KEY_SIZE] = { 0 };
	wkg_ruling ruling = { 0 };
	ids fresh;

	if (!call->values[UNSAFE].given)
		return cli_fail(CLI_USAGE, command,
		                "--unsafe-development is required: this "
		                "authority approves whatever it is told to");
	if (gate_is_production()) /* before any key is touched */
		return forbidden(command);
	int code = make_ruling(call, &fresh, &ruling);
	if (code == CLI_DONE)
		code = read_seed(command, call->values[KEY].text, seed);
	if (code == CLI_DONE)
		code = open_and_decide(call, &ruling, seed);
	wkg_wipe(seed, sizeof(seed));
	if (code != CLI_DONE)
		return code;
	return cli_write_output(call);
}

/* clang-format off */
const cli_command cli_authority_issue = {
	.name = "authority issue",
	.summary = "a decision for demos and tests, signed",
	.about =
		"Print a decision on the intent in an envelope, and a line feed: {\"verdict\",\n"
		"\"decisionId\",\"dossierId\",\"intentHash\",\"reasonCodes\",\"authorization\",\n"
		"\"failClosed\"}. With ALLOW, authorization has a grant for one execution of\n"
		"exactly this intent: who holds it can use it, so keep it as a secret.\n"
		"\n"
		"Nobody decides here. With WICKETGATE_ENV=production it refuses, exit 1 and\n"
		"FIXTURE_AUTHORITY_FORBIDDEN. An intent that has expired is exit 1, too; an\n"
		"envelope that is not what its intent says is exit 3.\n",
	.example =
		"wicketgate authority issue --unsafe-development --binding b \\\n"
		"      --key key.pem --envelope envelope.json >decision.json",
	.options = issue_options,
	.option_count = COUNT(issue_options),
	.run = run_issue,
};
/* clang-format on */
