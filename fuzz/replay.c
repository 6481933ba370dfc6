/* replay.c - main() for builds without a fuzzing engine: the corpus as a test.
 *
 *     PROGRAM FILE_OR_DIRECTORY...
 *
 * prints one TAP line per argument. Each input runs in a child process, many
 * inputs in one child: when a harness or a sanitizer ends it, the input that
 * did is named and the next child goes on behind it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "check.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct paths {
	char **path;
	size_t len;
} paths;

static void
add(paths *list, const char *directory, const char *name)
{
	size_t size = strlen(directory) + strlen(name) + 2;
	list->path = realloc(list->path, (list->len + 1) * sizeof(char *));
	CHECK(list->path != NULL);
	char *path = malloc(size);
	CHECK(path != NULL);
	snprintf(path, size, "%s%s%s", directory, *directory ? "/" : "", name);
	list->path[list->len++] = path;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The files of a directory in the order of their names, or the file itself. */
static paths
inputs_of(const char *argument)
{
	paths list = { NULL, 0 };
	DIR *dir = opendir(argument);
	if (dir == NULL) {
		if (is_file(argument))
			add(&list, "", argument);
		return list;
	}
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (entry->d_name[0] == '.')
			continue;
		add(&list, argument, entry->d_name);
		if (!is_file(list.path[list.len - 1]))
			free(list.path[--list.len]);
	}
	closedir(dir);
	if (list.len > 0)
		qsort(list.path, list.len, sizeof(char *), by_name);
	return list;
}

static void
run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	CHECK(file != NULL);
	CHECK(fseek(file, 0, SEEK_END) == 0);
	long size = ftell(file);
	CHECK(size >= 0 && fseek(file, 0, SEEK_SET) == 0);
	wkg_buf text = check_buf((size_t)size);
	text.len = fread(text.ptr, 1, text.cap, file);
	CHECK(text.len == text.cap);
	fclose(file);

	LLVMFuzzerTestOneInput(text.ptr, text.len);
	free(text.ptr);
}

/* Run the inputs from `*at` on; false if one of them, then `*at`, fails. */
static bool
run_in_child(const paths *list, volatile size_t *at)
{
	fflush(NULL);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		for (; *at < list->len; ++*at)
			run_file(list->path[*at]);
		exit(0);
	}
	int status;
	CHECK(waitpid(child, &status, 0) == child);
	return status == 0;
}

static size_t
run_all(const paths *list)
{
	size_t failed = 0;
	volatile size_t *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE,
	                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(at != MAP_FAILED);
	for (*at = 0; !run_in_child(list, at); ++*at) {
		failed++;
		if (*at >= list->len) {
			printf("# fails when it ends: a leak?\n");
			break;
		}
		printf("# fails: %s\n", list->path[*at]);
	}
	munmap((void *)(uintptr_t)at, sizeof(*at));
	return failed;
}

static bool
replay(int number, const char *argument)
{
	paths list = inputs_of(argument);
	size_t failed = run_all(&list);
	bool holds = failed == 0 && list.len > 0;

	if (list.len == 0)
		printf("not ok %d - %s: no inputs\n", number, argument);
	else if (failed > 0)
		printf("not ok %d - %s: %zu of %zu inputs fail\n", number,
		       argument, failed, list.len);
	else
		printf("ok %d - %s: %zu inputs hold\n", number, argument,
		       list.len);
	for (size_t i = 0; i < list.len; i++)
		free(list.path[i]);
	free(list.path);
	return holds;
}

int
main(int argc, char **argv)
{
	bool holds = argc > 1;
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++)
		holds = replay(i, argv[i]) && holds;
	return holds ? 0 : 1;
}
