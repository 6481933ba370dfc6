/* bench.h - how fast, next to copying the same bytes.
 *
 * Speed in MB/s is about a machine; the ratio to memcpy of the same buffer in
 * the same run is about the code. Both are printed, the ratio is the one to
 * compare. */
#ifndef WKG_BENCH_H
#define WKG_BENCH_H

#include <wicketgate/wicketgate.h>

#include <stdlib.h>

/* What a pass may write to. Emptied before each pass. */
typedef struct bench_room {
	wkg_buf out;
	wkg_work work;
} bench_room;

/* Large enough for every pass over `n` bytes. */
bench_room bench_room_new(size_t n);
void bench_room_free(bench_room *room);

/* One pass over `in`. */
typedef void (*bench_pass)(wkg_span in, bench_room *room);

/* Stop unless a call said what it should: a benchmark of a refusal is fast and
 * means nothing. */
void bench_expect(wkg_status got, wkg_status want);

/* Nanoseconds of CPU time this thread has used: other processes do not count,
 * their effect on caches and clock frequency still does. */
uint64_t bench_now(void);

/* Sorts the samples. */
uint64_t bench_median(uint64_t *samples, size_t count);

/* The hardened or reference rules with no limit in the way, so that a large
 * input is read, and written, to its end. */
wkg_sanitize_config bench_config(wkg_profile profile);

/* ---- inputs.c: made here, the same in every run ---------------------- */

typedef struct bench_input {
	const char *name;
	void (*make)(wkg_buf *out, size_t size);
} bench_input;

/* Append `size` bytes to `out`, or up to BENCH_SLACK more. */
enum { BENCH_SLACK = 1024 };
void bench_make(const bench_input *input, wkg_buf *out, size_t size);

extern const bench_input bench_texts[];
extern const size_t bench_texts_count;
extern const bench_input bench_documents[]; /* JSON */
extern const size_t bench_documents_count;

/* Append the text of a string literal. */
void bench_put(wkg_buf *out, const char *text);

/* ---- cases ----------------------------------------------------------- */

/* Measure `pass` over every text, every JSON document, or both. */
void bench_add_text(const char *name, bench_pass pass);
void bench_add_json(const char *name, bench_pass pass);

void bench_memcpy(void);
void bench_utf8(void);
void bench_sanitize(void);
void bench_fence(void);
void bench_json(void);
void bench_payload(void);
void bench_moderate(void);
void bench_render(void);

/* moderate.c, render.c: what growth.c measures as well */
void bench_moderate_text(wkg_span in, bench_room *room, wkg_profile profile);
void bench_moderate_json(wkg_span in, bench_room *room);
void bench_render_with(const char *template_text, wkg_span state,
                       bench_room *room, wkg_render_mode mode);

/* growth.c: `wicketgate-bench growth ...` */
int bench_growth(int argc, char **argv);

/* grant.c: `wicketgate-bench grant` */
int bench_grant(void);

#endif
