/* command.c - strict options: a misspelt one must not change what is proven. */
#include "command.h"
#include "protocol.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	bool flag;
} options[WGC_OPTIONS] = {
	[WGC_ADAPTER] = { "adapter", false },
	[WGC_SEED] = { "seed", false },
	[WGC_CASES] = { "cases", false },
	[WGC_TIME] = { "time", false },
	[WGC_COMPONENT] = { "component", false },
	[WGC_ONLY] = { "only", false },
	[WGC_PROFILE] = { "profile", false },
	[WGC_CHOICE] = { "choice", false },
	[WGC_LEVEL] = { "level", false },
	[WGC_PATIENCE] = { "patience", false },
	[WGC_EXPECTED] = { "expected", false },
	[WGC_TODAY] = { "today", false },
	[WGC_ALLOW_CRITICAL] = { "allow-critical", true },
	[WGC_ALLOW_PARTIAL] = { "allow-partial", true },
	[WGC_TAP] = { "tap", false },
	[WGC_JUNIT] = { "junit", false },
	[WGC_JSON] = { "json", false },
	[WGC_HTML] = { "html", false },
	[WGC_BADGE] = { "badge", false },
	[WGC_QUIET] = { "quiet", true },
	[WGC_RULES] = { "rules", true },
	[WGC_PROPERTIES] = { "properties", true },
	[WGC_FILE] = { "file", false },
	[WGC_UNTIL] = { "until", false },
	[WGC_UPDATE] = { "update", true },
	[WGC_FROM] = { "from", false },
	[WGC_FAILURES] = { "failures", false },
};

int
wgc_complain(int code, const char *format, ...)
{
	va_list args;
	fputs("wicketgate-conformance: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return code;
}

const char *
wgc_option_name(wgc_option option)
{
	return options[option].name;
}

static wgc_option
find(const wgc_option *allowed, const char *name, size_t len)
{
	for (; *allowed != WGC_OPTIONS; allowed++)
		if (strlen(options[*allowed].name) == len &&
		    memcmp(options[*allowed].name, name, len) == 0)
			return *allowed;
	return WGC_OPTIONS;
}

static bool
take_option(wgc_call *call, const wgc_option *allowed, int argc, char **argv,
            int *i)
{
	const char *name = argv[*i] + 2;
	size_t len = strcspn(name, "=");
	const char *value = name[len] == '=' ? name + len + 1 : NULL;
	wgc_option option = find(allowed, name, len);
	if (option == WGC_OPTIONS)
		return wgc_complain(0, "unknown option '%s'", argv[*i]);
	if (call->values[option] != NULL)
		return wgc_complain(0, "option given twice: '%s'", argv[*i]);
	if (options[option].flag && value != NULL)
		return wgc_complain(0, "this option takes no value: '%s'", argv[*i]);
	if (!options[option].flag && value == NULL) {
		if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)
			return wgc_complain(0, "missing value for '%s'", argv[*i]);
		value = argv[++*i];
	}
	call->values[option] = value == NULL ? "" : value;
	return true;
}

/* --- The adapter: words after `--`, or --adapter with words or a JSON list --- */

static void
add_word(char ***argv, size_t *n, char *word)
{
	*argv = wgc_grow(*argv, (*n + 2) * sizeof(char *));
	(*argv)[(*n)++] = word;
	(*argv)[*n] = NULL;
}

static char **
split(const char *text)
{
	char **argv = NULL;
	size_t n = 0;
	while (*(text += strspn(text, " ")) != '\0') {
		size_t len = strcspn(text, " ");
		char *word = wgc_alloc(len + 1);
		memcpy(word, text, len);
		add_word(&argv, &n, word);
		text += len;
	}
	return argv;
}

static char **
from_json(const char *text)
{
	const char *why;
	char **argv = NULL;
	size_t n = 0;
	cJSON *list = wgc_json_read(text, strlen(text), &why);
	const cJSON *item = cJSON_IsArray(list) ? list->child : NULL;
	for (; item != NULL; item = item->next)
		if (cJSON_IsString(item))
			add_word(&argv, &n, wgc_copy(item->valuestring));
	cJSON_Delete(list);
	return argv;
}

static bool
take_adapter(wgc_call *call, const wgc_option *allowed, int argc, char **argv)
{
	const char *text = call->values[WGC_ADAPTER];
	size_t n = 0;
	if (argc > 0 && text != NULL)
		return wgc_complain(0, "--adapter, or the command after --, not both");
	if (argc > 0 && find(allowed, "adapter", 7) == WGC_OPTIONS)
		return wgc_complain(0, "no adapter is needed here");
	if (text != NULL)
		call->argv = text[0] == '[' ? from_json(text) : split(text);
	for (int i = 0; i < argc; i++)
		add_word(&call->argv, &n, wgc_copy(argv[i]));
	if (text != NULL && call->argv == NULL)
		return wgc_complain(0, "--adapter names no command");
	return true;
}

bool
wgc_parse(wgc_call *call, const wgc_option *allowed, int argc, char **argv)
{
	*call = (wgc_call){ 0 };
	int i = 0;
	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], "--", 2) == 0) {
			if (!take_option(call, allowed, argc, argv, &i))
				return false;
		} else if (call->word_count == 64) {
			return wgc_complain(0, "too many words");
		} else {
			call->words[call->word_count++] = argv[i];
		}
	}
	i += i < argc; /* the `--` */
	return take_adapter(call, allowed, argc - i, argv + i);
}

void
wgc_call_clear(wgc_call *call)
{
	for (size_t i = 0; call->argv != NULL && call->argv[i] != NULL; i++)
		free(call->argv[i]);
	free(call->argv);
}

bool
wgc_number(const wgc_call *call, wgc_option option, uint64_t least,
           uint64_t most, uint64_t *value)
{
	const char *text = call->values[option];
	char *end;
	if (text == NULL)
		return true;
	unsigned long long n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || n < least || n > most ||
	    strlen(text) > 19)
		return wgc_complain(0, "--%s is a whole number from %llu to %llu, not '%s'",
		                    options[option].name, (unsigned long long)least,
		                    (unsigned long long)most, text);
	*value = n;
	return true;
}

bool
wgc_knows_components(const wgc_call *call)
{
	const char *list = call->values[WGC_COMPONENT];
	for (const char *at = list; at != NULL && *at != '\0';) {
		size_t len = strcspn(at, ","), i = 0;
		while (wgc_components[i] != NULL &&
		       (strlen(wgc_components[i]) != len ||
		        memcmp(wgc_components[i], at, len) != 0))
			i++;
		if (wgc_components[i] == NULL)
			return wgc_complain(0, "no such component: '%.*s'", (int)len, at);
		at += len + (at[len] == ',');
	}
	return true;
}

/* --- Files --- */

char *
wgc_read_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	wgc_string out = { 0 };
	char block[65536];
	size_t n;
	if (file == NULL) {
		wgc_complain(0, "cannot read %s", path);
		return NULL;
	}
	wgc_put(&out, "");
	while ((n = fread(block, 1, sizeof(block), file)) > 0)
		wgc_put_bytes(&out, block, n);
	bool failed = ferror(file) != 0;
	fclose(file);
	if (failed) {
		free(out.ptr);
		wgc_complain(0, "cannot read %s", path);
		return NULL;
	}
	*len = out.len;
	return out.ptr;
}

bool
wgc_write_file(const char *path, const char *text, size_t len)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *file = standard ? stdout : fopen(path, "wb");
	bool written = file != NULL && fwrite(text, 1, len, file) == len;
	if (file != NULL)
		written &= (standard ? fflush(file) : fclose(file)) == 0;
	if (!written)
		wgc_complain(0, "cannot write %s", path);
	return written;
}
