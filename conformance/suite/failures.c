/* failures.c - a directory with a file of tokens for each property. */
#include "failures.h"
#include "ask.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 20 /* of one property */
#define LINE 65536

static char *kept_in;

bool
wgc_failures_keep(const char *directory)
{
	free(kept_in);
	kept_in = directory == NULL ? NULL : wgc_copy(directory);
	if (directory == NULL)
		return true;
	char *inside = wgc_format("%s/.", directory);
	mkdir(directory, 0777); /* it may be there */
	bool writable = access(inside, W_OK) == 0;
	free(inside);
	return writable;
}

static FILE *
open_file(const char *id, const char *mode)
{
	if (kept_in == NULL)
		return NULL;
	char *path = wgc_format("%s/%s", kept_in, id);
	FILE *file = fopen(path, mode);
	free(path);
	return file;
}

char **
wgc_failures_of(const char *id, size_t *n)
{
	char **tokens = wgc_alloc(MOST * sizeof(*tokens));
	char *line = wgc_alloc(LINE);
	FILE *file = open_file(id, "r");
	for (*n = 0; file != NULL && *n < MOST && fgets(line, LINE, file);) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] != '\0')
			tokens[(*n)++] = wgc_copy(line);
	}
	if (file != NULL)
		fclose(file);
	free(line);
	return tokens;
}

void
wgc_failures_add(const char *id, const char *token)
{
	if (kept_in == NULL || strlen(token) >= LINE - 1)
		return;
	size_t n;
	char **old = wgc_failures_of(id, &n);
	FILE *file = open_file(id, "w");
	if (file != NULL)
		fprintf(file, "%s\n", token);
	for (size_t i = 0; i < n; i++) {
		if (file != NULL && i + 1 < MOST && strcmp(old[i], token) != 0)
			fprintf(file, "%s\n", old[i]);
		free(old[i]);
	}
	if (file != NULL)
		fclose(file);
	free(old);
}
