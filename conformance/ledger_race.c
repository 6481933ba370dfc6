/* ledger_race.c - many threads, one id per round: exactly one is granted (X5).
 *
 *   ledger_race STORE THREADS ROUNDS [one]
 *
 * With "one", all threads share one handle; without, each opens its own (a
 * store in memory is always shared: there is only one). */
#define _POSIX_C_SOURCE 200809L

#include "harness.h"
#include "ledger_store.h"

#include <pthread.h>

enum { THREADS_MAX = 200 };

typedef struct racer {
	pthread_t thread;
	store own;
	const store *uses;
	int *granted; /* [rounds] by this thread, 0 or 1 */
	int *refused;
} racer;

static pthread_barrier_t start;
static int thread_count, round_count;

static void *
race(void *argument)
{
	racer *r = argument;
	for (int i = 0; i < round_count; i++) {
		char id[32];
		snprintf(id, sizeof id, "round-%d", i);
		pthread_barrier_wait(&start);
		wkg_claim answer = claim_text(r->uses, id, 2000000000, 1700000000000);
		r->granted[i] = answer == WKG_CLAIM_GRANTED;
		r->refused[i] = answer == WKG_CLAIM_REFUSED;
	}
	return NULL;
}

static bool
open_all(racer *racers, const char *name, bool shared)
{
	for (int i = 0; i < thread_count; i++) {
		racers[i].granted = (int *)memory((size_t)round_count * sizeof(int));
		racers[i].refused = (int *)memory((size_t)round_count * sizeof(int));
		racers[i].uses = shared ? &racers[0].own : &racers[i].own;
		if (shared && i > 0)
			continue;
		/* Patient: who waits long enough for the lock gets it. */
		wkg_status status = open_store(&racers[i].own, name, WKG_LEDGER_MARGIN_S, 60000);
		if (status != WKG_OK) {
			printf("# %s: %s\n", name, wkg_status_name(status));
			return false;
		}
	}
	return true;
}

/* Rounds that did not have exactly one winner. */
static int
wrong_rounds(const racer *racers, int *refusals)
{
	int wrong = 0;
	*refusals = 0;
	for (int round = 0; round < round_count; round++) {
		int winners = 0;
		for (int i = 0; i < thread_count; i++) {
			winners += racers[i].granted[round];
			*refusals += racers[i].refused[round];
		}
		if (winners != 1)
			printf("# round %d: %d granted\n", round, winners);
		wrong += winners != 1;
	}
	return wrong;
}

int
main(int argc, char **argv)
{
	static racer racers[THREADS_MAX];
	const char *name = argc > 1 ? argv[1] : "memory:1000";
	thread_count = argc > 2 ? atoi(argv[2]) : 100;
	round_count = argc > 3 ? atoi(argv[3]) : 1000;
	bool shared = argc > 4 || strncmp(name, "memory:", 7) == 0;
	if (thread_count < 1 || thread_count > THREADS_MAX || round_count < 1)
		return 2;

	CLAIM("X5 every thread has its store", open_all(racers, name, shared));
	if (failures > 0)
		return finish();
	pthread_barrier_init(&start, NULL, (unsigned)thread_count);
	for (int i = 0; i < thread_count; i++)
		if (pthread_create(&racers[i].thread, NULL, race, &racers[i]) != 0)
			abort();
	for (int i = 0; i < thread_count; i++)
		pthread_join(racers[i].thread, NULL);

	char text[160];
	int refusals, wrong = wrong_rounds(racers, &refusals);
	snprintf(text, sizeof text, "X5 RPL-1 %s: %d threads, %d rounds: exactly one is granted, every time",
	         shared ? "one handle" : "a handle each", thread_count, round_count);
	CLAIM(text, wrong == 0);
	CLAIM("X5 and nobody was refused: the others know that it is spent", refusals == 0);
	for (int i = 0; i < thread_count; i++)
		if (!shared || i == 0)
			close_store(&racers[i].own);
	return finish();
}
