/* gate_probe.c - the gate over a line protocol, for tests in other languages.
 *
 *     canonical HEX              -> OK HEX-OF-CANONICAL | STATUS REASON AT
 *     bind a|b HEX               -> OK HEX-OF-CANONICAL HASH | ...
 *     capture a|b HEX HEX NOW TTL ID -> OK HEX-OF-ENVELOPE | ...
 *     open a|b HEX               -> OK HASH | ...
 *
 * One answer a line. Texts are hexadecimal, `-` for the empty one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wicketgate/intent.h>

static void *
must_alloc(size_t size)
{
	void *p = malloc(size + 1);
	if (p == NULL)
		abort();
	return p;
}

static wkg_span
text_of(const char *hex)
{
	size_t len = strcmp(hex, "-") == 0 ? 0 : strlen(hex) / 2;
	uint8_t *bytes = must_alloc(len);
	for (size_t i = 0; i < len; i++) {
		unsigned byte;
		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			abort();
		bytes[i] = (uint8_t)byte;
	}
	wkg_span text = { bytes, len };
	return text;
}

static void
print_hex(wkg_span text)
{
	for (size_t i = 0; i < text.len; i++)
		printf("%02x", text.ptr[i]);
}

static wkg_binding
binding_of(const char *word)
{
	return strcmp(word, "a") == 0 ? WKG_BINDING_A :
	       strcmp(word, "b") == 0 ? WKG_BINDING_B : WKG_BINDING_INVALID;
}

static void
answer(wkg_status status, const wkg_intent_error *error, wkg_span text, const uint8_t *hash)
{
	if (status != WKG_OK) {
		printf("%s %s %zu\n", wkg_status_name(status), error->reason[0] ? error->reason : "-", error->at);
		return;
	}
	printf("OK ");
	print_hex(text);
	if (hash != NULL)
		printf(" %.*s", (int)WKG_INTENT_HASH_LEN, (const char *)hash);
	printf("\n");
}

static void
handle(char **word, int words)
{
	wkg_intent_error error = { WKG_INTENT_PART_NONE, 0, "", "" };
	bool canonical = strcmp(word[0], "canonical") == 0, capture = strcmp(word[0], "capture") == 0;
	wkg_span first = text_of(word[canonical ? 1 : 2]);
	wkg_span second = text_of(capture && words > 3 ? word[3] : "-");
	size_t n = first.len + second.len;
	size_t size = wkg_intent_work_size(n), bound = wkg_intent_envelope_bound(n) + wkg_intent_canonical_bound(n);
	wkg_work work = { must_alloc(size), size };
	wkg_buf out = { must_alloc(bound), 0, bound };
	uint8_t hash[WKG_INTENT_HASH_LEN];
	wkg_intent intent;
	wkg_status status;

	if (canonical) {
		status = wkg_intent_canonical(&out, first, work, &error);
		answer(status, &error, wkg_buf_span(&out), NULL);
	} else if (strcmp(word[0], "bind") == 0) {
		status = wkg_intent_bind(&out, first, binding_of(word[1]), NULL, work, &error);
		if (status == WKG_OK)
			status = wkg_intent_hash(hash, wkg_buf_span(&out));
		answer(status, &error, wkg_buf_span(&out), hash);
	} else if (capture && words == 7) {
		wkg_capture c = { binding_of(word[1]), wkg_intent_limits_default(), atoll(word[4]), atoll(word[5]), { (const uint8_t *)word[6], strlen(word[6]) } };
		status = wkg_intent_capture(&out, first, second, &c, work, &error);
		answer(status, &error, wkg_buf_span(&out), NULL);
	} else {
		status = wkg_intent_open(&intent, first, binding_of(word[1]), work, &error);
		answer(status, &error, intent.canonical, intent.hash);
	}
	free((void *)(uintptr_t)first.ptr);
	free((void *)(uintptr_t)second.ptr);
	free((uint8_t *)work.ptr);
	free(out.ptr);
}

int
main(void)
{
	static char line[1 << 22];
	while (fgets(line, sizeof line, stdin) != NULL) {
		char *word[8];
		int words = 0;
		for (char *w = strtok(line, " \n"); w != NULL && words < 8; w = strtok(NULL, " \n"))
			word[words++] = w;
		if (words >= 2)
			handle(word, words);
		fflush(stdout);
	}
	return 0;
}
