/* grant_probe.c - grants, for grant.py: a request per line, an answer per line.
 * Texts and bytes are hexadecimal, `-` is the empty one.
 *
 *   verify KID KEY ISSUER AUDIENCE HASH EXPIRES_MS NOW_MS TOKEN
 *                              -> OK JTI DECISION_ID DOSSIER_ID EXP
 *   sign SEED KID ISSUER AUDIENCE DECISION_ID DOSSIER_ID JTI HASH IAT EXP
 *                              -> OK TOKEN
 *   add KEY                    -> OK
 *   thumbprint KEY             -> OK TEXT
 *   public SEED                -> OK KEY
 *   read_public PEM, read_seed PEM     -> OK KEY
 *   write_public KEY, write_seed SEED  -> OK PEM
 *
 * A refusal is its status without WKG_. */
#include <openssl/err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wicketgate/grant.h>

enum { FIELDS = 12, LINE = 1 << 20 };

static char line[LINE];
static wkg_span field[FIELDS]; /* decoded; of numbers only `number` is right */
static int64_t number[FIELDS];
static uint8_t area[1 << 20], room[1 << 16];
static const wkg_work work = { area, sizeof area };

static void *
must(void *ptr)
{
	if (ptr == NULL)
		exit(4);
	return ptr;
}

/* In memory of exactly its size, so that AddressSanitizer sees one byte more. */
static wkg_span
unhex(const char *word)
{
	size_t n = strcmp(word, "-") == 0 ? 0 : strlen(word) / 2;
	uint8_t *bytes = must(malloc(n > 0 ? n : 1));
	for (size_t i = 0; i < n; i++) {
		unsigned value = 0;
		sscanf(word + 2 * i, "%2x", &value);
		bytes[i] = (uint8_t)value;
	}
	wkg_span span = { bytes, n };
	return span;
}

static void
say(const uint8_t *bytes, size_t len)
{
	printf(len == 0 ? " -" : " ");
	for (size_t i = 0; i < len; i++)
		printf("%02x", bytes[i]);
}

/* The status, and what was asked for if it is good. */
static void
answer(wkg_status status, const uint8_t *bytes, size_t len)
{
	printf("%s", wkg_status_name(status) + strlen("WKG_"));
	if (status == WKG_OK && bytes != NULL)
		say(bytes, len);
}

static void
verify(void)
{
	wkg_keyring *keyring = NULL;
	wkg_grant grant;
	wkg_intent intent;
	memset(&intent, 0, sizeof intent);
	if (field[5].len != sizeof intent.hash)
		exit(2);
	memcpy(intent.hash, field[5].ptr, sizeof intent.hash);
	intent.audience = field[4];
	intent.expires_ms = number[6];
	wkg_status status = wkg_keyring_new(&keyring, field[3], NULL);
	if (status == WKG_OK)
		status = wkg_keyring_add(keyring, field[1], field[2].ptr);
	if (status == WKG_OK)
		status = wkg_grant_verify(&grant, field[8], keyring, &intent, number[7], work);
	wkg_keyring_free(keyring);
	answer(status, NULL, 0);
	if (status != WKG_OK)
		return;
	say(grant.id.text, grant.id.len);
	say(grant.decision_id.text, grant.decision_id.len);
	say(grant.dossier_id.text, grant.dossier_id.len);
	printf(" %" PRId64, grant.expires);
}

static void
sign(void)
{
	wkg_grant_claims c = {
		.issuer = field[3], .audience = field[4], .decision_id = field[5],
		.dossier_id = field[6], .grant_id = field[7], .intent_hash = field[8],
		.issued = number[9], .expires = number[10],
	};
	wkg_buf out = { room, 0, sizeof room };
	wkg_status status = wkg_grant_sign(&out, &c, field[2], field[1].ptr, work);
	answer(status, out.ptr, out.len);
}

static void
add(void)
{
	wkg_keyring *keyring = NULL;
	wkg_span issuer = WKG_LIT("issuer"), kid = WKG_LIT("kid");
	wkg_status status = wkg_keyring_new(&keyring, issuer, NULL);
	if (status == WKG_OK)
		status = wkg_keyring_add(keyring, kid, field[1].ptr);
	wkg_keyring_free(keyring);
	answer(status, NULL, 0);
}

static void
thumbprint(void)
{
	wkg_status status = wkg_key_thumbprint(room, field[1].ptr);
	answer(status, room, 43);
}

static void
public_of_seed(void)
{
	wkg_status status = wkg_key_public_of_seed(room, field[1].ptr);
	answer(status, room, WKG_KEY_SIZE);
}

static void
read_public(void)
{
	wkg_status status = wkg_key_public_from_pem(room, field[1]);
	answer(status, room, WKG_KEY_SIZE);
}

static void
read_seed(void)
{
	wkg_status status = wkg_key_seed_from_pem(room, field[1]);
	answer(status, room, WKG_KEY_SIZE);
}

static void
write_public(void)
{
	wkg_buf out = { room, 0, sizeof room };
	wkg_status status = wkg_key_public_to_pem(&out, field[1].ptr);
	answer(status, out.ptr, out.len);
}

static void
write_seed(void)
{
	wkg_buf out = { room, 0, sizeof room };
	wkg_status status = wkg_key_seed_to_pem(&out, field[1].ptr);
	answer(status, out.ptr, out.len);
}

static const struct {
	const char *name;
	void (*run)(void);
	int words;
} requests[] = {
	{ "verify", verify, 9 }, { "sign", sign, 11 }, { "add", add, 2 },
	{ "thumbprint", thumbprint, 2 }, { "public", public_of_seed, 2 },
	{ "read_public", read_public, 2 }, { "read_seed", read_seed, 2 },
	{ "write_public", write_public, 2 }, { "write_seed", write_seed, 2 },
};

static void
run(const char *name, int words)
{
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		if (strcmp(name, requests[i].name) == 0 && words == requests[i].words) {
			requests[i].run();
			puts(ERR_peek_error() == 0 ? "" : " FAULT error queue");
			return;
		}
	exit(2);
}

int
main(void)
{
	while (fgets(line, sizeof line, stdin) != NULL) {
		int words = 0;
		const char *name = strtok(line, " \n");
		for (char *word = (char *)(uintptr_t)name; word != NULL && words < FIELDS; word = strtok(NULL, " \n")) {
			number[words] = strtoll(word, NULL, 10);
			field[words++] = unhex(word);
		}
		if (name != NULL)
			run(name, words);
		while (words > 0)
			free((void *)(uintptr_t)field[--words].ptr);
	}
	return 0;
}
