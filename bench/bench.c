/* bench.c - run every case over every input and print what it costs.
 *
 *     wicketgate-bench [FILTER] [--json]
 *     wicketgate-bench growth [...]          (growth.c)
 *     wicketgate-bench grant                 (grant.c)
 *
 * All candidates of one input take turns, so that a slow moment of the machine
 * hits them alike; each number is the median of its turns. */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CASES_MAX = 16, ROUNDS = 15, SAMPLE_NS = 500000 };

static const size_t sizes[] = { 4096, 1 << 20 };

/* ---- tools ----------------------------------------------------------- */

uint64_t
bench_now(void)
{
	struct timespec t;
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
		abort();
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void
bench_expect(wkg_status got, wkg_status want)
{
	if (got == want)
		return;
	fprintf(stderr, "wicketgate-bench: %s, expected %s\n",
	        wkg_status_name(got), wkg_status_name(want));
	exit(1);
}

wkg_sanitize_config
bench_config(wkg_profile profile)
{
	wkg_sanitize_config config = wkg_sanitize_config_default(profile);
	config.limits.webhook = SIZE_MAX;
	return config;
}

bench_room
bench_room_new(size_t n)
{
	bench_room room = { 0 };
	room.out.cap = wkg_moderate_bound(n); /* the largest there is */
	room.out.ptr = malloc(room.out.cap);
	room.work.size = wkg_moderate_work_size(n) + 4 * WKG_PAYLOAD_DEPTH_MAX;
	room.work.ptr = malloc(room.work.size);
	if (room.out.ptr == NULL || room.work.ptr == NULL)
		abort();
	return room;
}

void
bench_room_free(bench_room *room)
{
	free(room->out.ptr);
	free(room->work.ptr);
}

/* ---- cases ----------------------------------------------------------- */

typedef struct bench_case {
	const char *name;
	bench_pass pass;
	size_t repeat; /* passes per sample, so that the clock can see them */
	uint64_t sample[ROUNDS];
} bench_case;

typedef struct bench_table {
	bench_case cases[CASES_MAX]; /* the first is memcpy */
	size_t count;
} bench_table;

static bench_table texts, documents;

static void
add(bench_table *table, const char *name, bench_pass pass)
{
	if (table->count == CASES_MAX)
		abort();
	bench_case c = { .name = name, .pass = pass };
	table->cases[table->count++] = c;
}

void
bench_add_text(const char *name, bench_pass pass)
{
	add(&texts, name, pass);
}

void
bench_add_json(const char *name, bench_pass pass)
{
	add(&documents, name, pass);
}

/* ---- measuring ------------------------------------------------------- */

static uint64_t
time_passes(const bench_case *c, wkg_span in, bench_room *room)
{
	uint64_t start = bench_now();
	for (size_t i = 0; i < c->repeat; i++) {
		room->out.len = 0;
		c->pass(in, room);
	}
	return bench_now() - start;
}

/* Warms caches up as well. */
static void
choose_repeat(bench_case *c, wkg_span in, bench_room *room)
{
	for (c->repeat = 1; time_passes(c, in, room) < SAMPLE_NS;)
		c->repeat *= 2;
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

uint64_t
bench_median(uint64_t *samples, size_t count)
{
	qsort(samples, count, sizeof(*samples), by_value);
	return samples[count / 2];
}

static double
median_ns_per_byte(bench_case *c, size_t bytes)
{
	double passes = (double)c->repeat * (double)bytes;
	return (double)bench_median(c->sample, ROUNDS) / passes;
}

static void
measure(bench_table *table, wkg_span in)
{
	bench_room room = bench_room_new(in.len);
	for (size_t i = 0; i < table->count; i++)
		choose_repeat(&table->cases[i], in, &room);
	for (size_t round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < table->count; i++)
			table->cases[i].sample[round] = time_passes(
				&table->cases[i], in, &room);
	bench_room_free(&room);
}

/* ---- printing -------------------------------------------------------- */

typedef struct options {
	const char *filter;
	bool json;
	bool printed; /* a row already */
} options;

static void
print_row(options *o, const char *name, const char *input, size_t bytes,
          double ns, double ratio)
{
	double mb = 1000.0 / ns;
	if (o->json)
		printf("%s{\"case\": \"%s\", \"input\": \"%s\", \"bytes\": "
		       "%zu, "
		       "\"ns_per_byte\": %.4f, \"mb_per_s\": %.1f, "
		       "\"memcpy_ratio\": %.4f}",
		       o->printed ? ",\n " : "[", name, input, bytes, ns, mb,
		       ratio);
	else
		printf("%-20s %-16s %8zu %9.3f %9.0f %8.4f\n", name, input,
		       bytes, ns, mb, ratio);
	o->printed = true;
	fflush(stdout);
}

static bool
wanted(const options *o, const char *name, const char *input)
{
	return o->filter == NULL || strstr(name, o->filter) != NULL ||
	       strstr(input, o->filter) != NULL;
}

/* The cases that are asked for on this input, and memcpy always. */
static bench_table
choose(const bench_table *all, const options *o, const char *input)
{
	bench_table table = { .count = 0 };
	for (size_t i = 0; i < all->count; i++)
		if (i == 0 || wanted(o, all->cases[i].name, input))
			table.cases[table.count++] = all->cases[i];
	return table;
}

static void
run_input(const bench_table *all, const bench_input *input, size_t size,
          options *o)
{
	bench_table table = choose(all, o, input->name);
	if (table.count == 1)
		return;
	wkg_buf text = { malloc(size + BENCH_SLACK), 0, size + BENCH_SLACK };
	if (text.ptr == NULL)
		abort();
	bench_make(input, &text, size);
	measure(&table, wkg_buf_span(&text));

	double ceiling = median_ns_per_byte(&table.cases[0], text.len);
	for (size_t i = 0; i < table.count; i++) {
		double ns = median_ns_per_byte(&table.cases[i], text.len);
		print_row(o, table.cases[i].name, input->name, text.len, ns,
		          ceiling / ns);
	}
	free(text.ptr);
}

static void
run(options *o)
{
	if (!o->json)
		printf("%-20s %-16s %8s %9s %9s %8s\n", "case", "input",
		       "bytes", "ns/byte", "MB/s", "x memcpy");
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		for (size_t i = 0; i < bench_texts_count; i++)
			run_input(&texts, &bench_texts[i], sizes[s], o);
		for (size_t i = 0; i < bench_documents_count; i++)
			run_input(&documents, &bench_documents[i], sizes[s], o);
	}
	if (o->json)
		printf(o->printed ? "]\n" : "[]\n");
}

static int
usage(FILE *to)
{
	fprintf(to, "usage: wicketgate-bench [FILTER] [--json]\n"
	            "       wicketgate-bench growth [CASE]\n"
	            "       wicketgate-bench growth --list\n"
	            "       wicketgate-bench growth --once CASE N\n"
	            "       wicketgate-bench grant\n"
	            "FILTER is a part of the name of a case or an input.\n");
	return to == stdout ? 0 : 2;
}

int
main(int argc, char **argv)
{
	options o = { 0 };
	if (argc > 1 && strcmp(argv[1], "growth") == 0)
		return bench_growth(argc - 2, argv + 2);
	if (argc == 2 && strcmp(argv[1], "grant") == 0)
		return bench_grant();
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0)
			return usage(stdout);
		if (strcmp(argv[i], "--json") == 0)
			o.json = true;
		else if (argv[i][0] != '-' && o.filter == NULL)
			o.filter = argv[i];
		else
			return usage(stderr);
	}
	bench_memcpy();
	bench_utf8();
	bench_sanitize();
	bench_fence();
	bench_json();
	bench_payload();
	bench_moderate();
	bench_render();
	run(&o);
	return 0;
}
