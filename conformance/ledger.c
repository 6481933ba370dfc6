/* ledger.c - claims about the ledgers: upstream's replay store tests (RPL) and
 * what this one adds (X7): margins, clocks, capacity, ids, growth.
 * Threads are in ledger_race.c, broken disks in ledger_sqlite.c, processes and
 * servers in ledger.py. */
#define _POSIX_C_SOURCE 200809L

#include "harness.h"
#include "ledger_store.h"

#include "../src/gate/ledger.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INSTRUMENTED 1
#endif
#endif

enum { DAY = 86400, MARGIN = 1000 /* seconds */ };
static const int64_t T = 1700000000; /* seconds; when the tests begin */

#define GRANTED WKG_CLAIM_GRANTED
#define SPENT WKG_CLAIM_SPENT
#define REFUSED WKG_CLAIM_REFUSED

/* ---- the stores under test ----------------------------------------------- */

static const char *directory; /* for SQLite files; NULL: not built */
static int files;

static store
open_kind(const char *kind, size_t capacity, int64_t margin_s)
{
	store s;
	char name[200];
	if (strcmp(kind, "memory") == 0)
		snprintf(name, sizeof name, "memory:%zu", capacity);
	else
		snprintf(name, sizeof name, "sqlite:%s/%d", directory, files++);
	wkg_status status = open_store(&s, name, margin_s, 1000);
	if (status != WKG_OK) {
		printf("Bail out! %s: %s\n", name, wkg_status_name(status));
		exit(1);
	}
	return s;
}

static wkg_claim
claim_at(const store *s, wkg_span id, int64_t expires, int64_t now_ms)
{
	return s->ledger.claim(s->ledger.store, id, expires, now_ms);
}

/* A claim of `id` at second `now`, for a grant that expires at `expires`. */
static wkg_claim
at(const store *s, const char *id, int64_t expires, int64_t now)
{
	return claim_text(s, id, expires, now * 1000);
}

static const char *
about(const char *kind, const char *text)
{
	static char line[200];
	snprintf(line, sizeof line, "%s: %s", kind, text);
	return line;
}

/* ---- what holds for every store ------------------------------------------ */

static void
once(const char *kind)
{
	store s = open_kind(kind, 1000, MARGIN);
	int granted = 0, spent = 0;
	for (int i = 0; i < 100; i++) {
		wkg_claim answer = at(&s, "one", T + 60, T);
		granted += answer == GRANTED;
		spent += answer == SPENT;
	}
	CLAIM(about(kind, "RPL-1 of 100 claims of one id, one is granted and 99 find it spent"), granted == 1 && spent == 99);
	CLAIM(about(kind, "X7 another id is another claim"), at(&s, "two", T + 60, T) == GRANTED && at(&s, "two", T + 60, T) == SPENT);
	CLAIM(about(kind, "X7 the same id with another expiry is the same claim"), at(&s, "one", T + 90, T) == SPENT && at(&s, "one", T + 1, T) == SPENT);
	close_store(&s);
}

static void
expiry(const char *kind)
{
	store s = open_kind(kind, 1000, MARGIN);
	CLAIM(about(kind, "RPL-2 an expired grant is refused, twice"), at(&s, "a", T - 1, T) == REFUSED && at(&s, "a", T - 1, T) == REFUSED);
	CLAIM(about(kind, "X6 expiry == now is expired"), claim_text(&s, "a", T, T * 1000) == REFUSED);
	CLAIM(about(kind, "X6 a millisecond before it is not; and nothing was recorded until then"), claim_text(&s, "a", T, T * 1000 - 1) == GRANTED);
	CLAIM(about(kind, "X7 a spent grant that has expired is refused like any other"), at(&s, "a", T, T + 1) == REFUSED);
	CLAIM(about(kind, "RPL-2 times that are none are refused: 0, negative, beyond what adds up"),
	      at(&s, "b", 0, T) == REFUSED && at(&s, "b", -1, T) == REFUSED && at(&s, "b", INT64_MIN, T) == REFUSED &&
	      at(&s, "b", INT64_MAX, T) == REFUSED && at(&s, "b", INT64_MAX / 1000, T) == REFUSED &&
	      claim_text(&s, "b", T, -1) == REFUSED && claim_text(&s, "b", T, INT64_MIN) == REFUSED && claim_text(&s, "b", T, INT64_MAX) == REFUSED);
	CLAIM(about(kind, "X7 refusals left no trace, not of an id and not of a clock"), at(&s, "b", T + 60, T) == GRANTED);
	CLAIM(about(kind, "X7 the latest expiry that adds up is recorded"), at(&s, "c", INT64_MAX / 4000, T) == GRANTED && at(&s, "c", INT64_MAX / 4000, T) == SPENT);
	close_store(&s);
}

static void
ids(const char *kind)
{
	store s = open_kind(kind, 1000, MARGIN);
	wkg_span x200 = repeat(TEXT("x"), 200), x199 = repeat(TEXT("x"), 199), x201 = repeat(TEXT("x"), 201);
	wkg_span y200 = join(x199, TEXT("y")), nothing = { NULL, 0 }, absent = { NULL, 3 };
	const int64_t e = T + 60, now = T * 1000;

	CLAIM(about(kind, "RPL-2 an empty id is refused"), claim_at(&s, nothing, e, now) == REFUSED && claim_at(&s, TEXT(""), e, now) == REFUSED);
	CLAIM(about(kind, "RPL-x an id of 201 bytes is refused, with nothing recorded under a shorter one"),
	      claim_at(&s, x201, e, now) == REFUSED && claim_at(&s, x200, e, now) == GRANTED);
	CLAIM(about(kind, "X7 ids of 200 bytes are compared to the last"), claim_at(&s, x200, e, now) == SPENT && claim_at(&s, y200, e, now) == GRANTED && claim_at(&s, y200, e, now) == SPENT);
	CLAIM(about(kind, "X7 a prefix of an id is another id"), claim_at(&s, x199, e, now) == GRANTED && claim_at(&s, TEXT("x"), e, now) == GRANTED);
	CLAIM(about(kind, "X7 NUL is a byte like any other"),
	      claim_at(&s, TEXT("a\0b"), e, now) == GRANTED && claim_at(&s, TEXT("a\0c"), e, now) == GRANTED && claim_at(&s, TEXT("a"), e, now) == GRANTED &&
	      claim_at(&s, TEXT("a\0"), e, now) == GRANTED && claim_at(&s, TEXT("\0"), e, now) == GRANTED && claim_at(&s, TEXT("\0\0"), e, now) == GRANTED &&
	      claim_at(&s, TEXT("a\0b"), e, now) == SPENT && claim_at(&s, TEXT("\0"), e, now) == SPENT);
	CLAIM(about(kind, "X7 bytes are not text: case, ill-formed UTF-8 and SQL are told apart"),
	      claim_at(&s, TEXT("A"), e, now) == GRANTED && claim_at(&s, TEXT("\xFF"), e, now) == GRANTED && claim_at(&s, TEXT("\xFE"), e, now) == GRANTED &&
	      claim_at(&s, TEXT("');--"), e, now) == GRANTED && claim_at(&s, TEXT("1"), e, now) == GRANTED && claim_at(&s, TEXT("1.0"), e, now) == GRANTED);
	CLAIM(about(kind, "X7 a NULL id is refused"), claim_at(&s, absent, e, now) == REFUSED);
	close_store(&s);
}

static void
clocks(const char *kind)
{
	store s = open_kind(kind, 1000, MARGIN);
	at(&s, "early", T + 60, T);
	CLAIM(about(kind, "X7 a clock behind by the margin is served"), at(&s, "later", T + 5000, T + 2000) == GRANTED && at(&s, "back", T + 5000, T + 2000 - MARGIN) == GRANTED);
	CLAIM(about(kind, "X7 one behind by a millisecond more is refused"), claim_text(&s, "behind", T + 5000, (T + 2000 - MARGIN) * 1000 - 1) == REFUSED);
	CLAIM(about(kind, "X7 a clock set back does not reopen what had expired"), at(&s, "early", T + 60, T) == REFUSED && at(&s, "early", T + 60, T + 59) == REFUSED);
	CLAIM(about(kind, "X7 nor what has not"), at(&s, "later", T + 5000, T + 1000) == SPENT);
	CLAIM(about(kind, "X7 the floor does not fall with the clock"), at(&s, "back 2", T + 5000, T + 1000) == GRANTED && at(&s, "behind", T + 5000, T + 999) == REFUSED);
	CLAIM(about(kind, "X7 a clock far ahead is believed by no one whose grants expire"), at(&s, "mad", T + 5000, T + 400 * DAY) == REFUSED && at(&s, "sane", T + 5000, T + 1000) == GRANTED);
	close_store(&s);

	store zero = open_kind(kind, 10, 0);
	CLAIM(about(kind, "X7 margin 0: no clock may lag at all"), at(&zero, "a", T + 60, T) == GRANTED && claim_text(&zero, "b", T + 60, T * 1000 - 1) == REFUSED && at(&zero, "b", T + 60, T) == GRANTED);
	close_store(&zero);
}

/* RPL-x: after its expiry an id is free again. Here the margin later; by then
 * the grant is dead on every clock that is served. */
static void
margin(const char *kind)
{
	store s = open_kind(kind, 1000, MARGIN);
	at(&s, "a", T + 60, T);
	CLAIM(about(kind, "X7 a claim outlives its grant by the margin"), claim_text(&s, "a", T + 5000, (T + 60 + MARGIN) * 1000 - 1) == SPENT);
	at(&s, "other", T + 5000, T + 60 + MARGIN); /* somebody moves the floor */
	CLAIM(about(kind, "RPL-x after that, a new grant may use the id"), at(&s, "a", T + 5000, T + 60 + MARGIN) == GRANTED && at(&s, "a", T + 5000, T + 60 + MARGIN) == SPENT);
	close_store(&s);
}

static uint64_t
next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* Whatever clocks say: 26 grants with fixed expiries, claimed at random times,
 * some far ahead and some far behind. None may be granted twice. */
static void
never_twice(const char *kind, int rounds, int claims_each)
{
	uint64_t random = 1;
	int twice = 0, once_granted = 0;
	for (int round = 0; round < rounds; round++) {
		store s = open_kind(kind, 40, 3);
		int granted[26] = { 0 };
		for (int i = 0; i < claims_each; i++) {
			int which = (int)(next_random(&random) % 26);
			char id[2] = { (char)('a' + which), '\0' };
			int64_t now_ms = T * 1000 + (int64_t)(next_random(&random) % 30000);
			granted[which] += claim_text(&s, id, T + 1 + which, now_ms) == GRANTED;
		}
		for (int i = 0; i < 26; i++) {
			once_granted += granted[i] == 1;
			twice += granted[i] > 1;
		}
		close_store(&s);
	}
	CLAIM(about(kind, "X5 no grant is granted twice, however clocks jump"), twice == 0 && once_granted > rounds);
}

static void
forked(const char *kind)
{
	store s = open_kind(kind, 10, MARGIN);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		_exit(at(&s, "a", T + 60, T) == REFUSED ? 0 : 1);
	int status = 1;
	waitpid(child, &status, 0);
	CLAIM(about(kind, "X5 a handle does not work in a forked child: it would grant what its parent grants"), child > 0 && status == 0 && at(&s, "a", T + 60, T) == GRANTED);
	close_store(&s);
}

static void
every_store(const char *kind)
{
	once(kind);
	expiry(kind);
	ids(kind);
	clocks(kind);
	margin(kind);
	forked(kind);
}

/* ---- in memory ----------------------------------------------------------- */

static void
capacity(void)
{
	store s = open_kind("memory", 1, MARGIN);
	CLAIM("RPL-4 capacity 1: the first id is granted, the second refused", at(&s, "a", T + 60, T) == GRANTED && at(&s, "b", T + 60, T) == REFUSED);
	CLAIM("RPL-x a duplicate while full is spent, not refused", at(&s, "a", T + 60, T) == SPENT);
	CLAIM("RPL-x full until the margin after the expiry", claim_text(&s, "b", T + 5000, (T + 60 + MARGIN) * 1000 - 1) == REFUSED);
	CLAIM("RPL-x and then there is room", at(&s, "b", T + 5000, T + 60 + MARGIN) == GRANTED);
	close_store(&s);

	enum { MANY = 3000 };
	char id[20];
	int granted = 0, refused = 0, spent = 0;
	store big = open_kind("memory", MANY, MARGIN);
	for (int i = 0; i < 2 * MANY; i++) {
		snprintf(id, sizeof id, "%d", i);
		wkg_claim answer = at(&big, id, T + 60, T);
		granted += answer == GRANTED;
		refused += answer == REFUSED;
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(id, sizeof id, "%d", i);
		spent += at(&big, id, T + 60, T + 59) == SPENT;
	}
	CLAIM("X7 full refuses and evicts nothing: 3,000 claims are there after 3,000 more", granted == MANY && refused == MANY && spent == MANY);
	granted = 0;
	for (int i = 0; i < MANY; i++) {
		snprintf(id, sizeof id, "new %d", i);
		granted += at(&big, id, T + 5000, T + 60 + MARGIN) == GRANTED;
	}
	CLAIM("X7 once they are dead, 3,000 others find room, all of them", granted == MANY);
	close_store(&big);
}

static wkg_status
init(size_t claims_, size_t size, const uint8_t *seed, int64_t margin_s, size_t offset)
{
	static uint8_t room_for[1 << 16];
	wkg_memory_ledger *out = NULL;
	wkg_work work = { room_for + offset, size };
	wkg_status status = wkg_memory_ledger_init(&out, work, claims_, seed, margin_s);
	return (status == WKG_OK) == (out != NULL) ? status : WKG_E_INVALID;
}

static void
set_up(void)
{
	const uint8_t *seed = store_seed;
	size_t size = wkg_memory_ledger_size(10);
	wkg_memory_ledger *out = NULL;
	wkg_work none = { NULL, SIZE_MAX };
	CLAIM("RPL-3 capacity 0 is refused", init(0, size, seed, MARGIN, 0) == WKG_E_ARGUMENT);
	CLAIM("RPL-x capacities -1 and 2^60 are sizes nobody has", wkg_memory_ledger_size(SIZE_MAX) == SIZE_MAX && wkg_memory_ledger_size((size_t)1 << 60) == SIZE_MAX && init(SIZE_MAX, SIZE_MAX, seed, MARGIN, 0) == WKG_E_SPACE && init((size_t)1 << 53, size, seed, MARGIN, 0) == WKG_E_SPACE);
	CLAIM("X7 no memory and too little are refused", wkg_memory_ledger_init(&out, none, 10, seed, MARGIN) == WKG_E_SPACE && out == NULL && init(10, 0, seed, MARGIN, 0) == WKG_E_SPACE && init(10, size - _Alignof(max_align_t), seed, MARGIN, 0) == WKG_E_SPACE);
	CLAIM("X7 a seed and a margin are needed", init(10, size, NULL, MARGIN, 0) == WKG_E_ARGUMENT && init(10, size, seed, -1, 0) == WKG_E_ARGUMENT && init(10, size, seed, INT64_MAX, 0) == WKG_E_ARGUMENT);
	bool any = true;
	for (size_t offset = 0; offset < 16; offset++)
		any = any && init(10, size, seed, MARGIN, offset) == WKG_OK;
	CLAIM("X7 the size that is asked for suffices at any alignment", any);
}

/* A list that is searched from end to end. */
typedef struct model {
	struct {
		int id;
		int64_t expires_ms;
	} list[64];
	size_t count, capacity;
	int64_t floor_ms, margin_ms;
} model;

static wkg_claim
model_claim(model *m, int id, int64_t expires_ms, int64_t now_ms)
{
	if (expires_ms <= now_ms || now_ms < m->floor_ms)
		return REFUSED;
	if (now_ms - m->margin_ms > m->floor_ms)
		m->floor_ms = now_ms - m->margin_ms;
	size_t kept = 0;
	for (size_t i = 0; i < m->count; i++)
		if (m->list[i].expires_ms > m->floor_ms)
			m->list[kept++] = m->list[i];
	m->count = kept;
	for (size_t i = 0; i < m->count; i++)
		if (m->list[i].id == id)
			return SPENT;
	if (m->count == m->capacity)
		return REFUSED;
	m->list[m->count].id = id;
	m->list[m->count++].expires_ms = expires_ms;
	return GRANTED;
}

static void
like_a_list(void)
{
	uint64_t random = 7;
	int different = 0, answers[3] = { 0 };
	for (size_t size = 1; size <= 40; size++) {
		store s = open_kind("memory", size, 3);
		model m = { .capacity = size, .margin_ms = 3000 };
		int64_t now_ms = T * 1000;
		for (int i = 0; i < 5000; i++) {
			now_ms += (int64_t)(next_random(&random) % 400) - 100;
			int64_t expires = now_ms / 1000 + (int64_t)(next_random(&random) % 12);
			int which = (int)(next_random(&random) % (3 * size));
			char id[12];
			snprintf(id, sizeof id, "%d", which);
			wkg_claim expected = model_claim(&m, which, expires * 1000, now_ms);
			different += claim_text(&s, id, expires, now_ms) != expected;
			answers[expected]++;
		}
		close_store(&s);
	}
	printf("# refused %d, spent %d, granted %d\n", answers[0], answers[1], answers[2]);
	CLAIM("X7 200,000 random claims are answered as by a list that is searched from end to end", different == 0 && answers[0] > 5000 && answers[1] > 5000 && answers[2] > 5000);
}

static double
seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Slots looked at per claim: while filling up to `count`, and by as many claims
 * again with that many alive. */
static double
probes_per_claim(size_t count)
{
	char id[40];
	uint64_t probes, made;
	wkg_memory_ledger *ledger;
	wkg_work work = { NULL, wkg_memory_ledger_size(count) };
	if (work.size == SIZE_MAX || (work.ptr = malloc(work.size)) == NULL ||
	    wkg_memory_ledger_init(&ledger, work, count, store_seed, MARGIN) != WKG_OK)
		return 1e9;
	store s = { .ledger = wkg_memory_ledger_of(ledger) };
	double begin = seconds();
	bool right = true;
	for (size_t i = 0; i < 2 * count; i++) {
		snprintf(id, sizeof id, "0b8f4e5c-7a51-4c6e-9d3a-%012zu", i % count);
		right = at(&s, id, T + 60, T) == (i < count ? GRANTED : SPENT) && right;
	}
	double each = (seconds() - begin) / (2 * (double)count);
	wkg_memory_ledger_stats(ledger, &probes, &made);
	free(work.ptr);
	double ratio = (double)probes / (double)made;
	printf("# %zu alive: %.3f slots and %.0f ns per claim\n", count, ratio, each * 1e9);
	return right && made == 2 * count ? ratio : 1e9;
}

static void
growth(void)
{
	double least = 1e9, most = 0;
#ifdef INSTRUMENTED
	const size_t end = 100000;
#else
	const size_t end = 1000000;
#endif
	for (size_t count = 1000; count <= end; count *= 10) {
		double ratio = probes_per_claim(count);
		least = ratio < least ? ratio : least;
		most = ratio > most ? ratio : most;
	}
	printf("# ratio %.3f\n", most / least);
	CLAIM("X7 slots looked at per claim are the same for a thousand and a million alive (within 1.2)", most < 20 && most / least < 1.2);
}

/* Ids that share a slot under one seed, as someone would choose who knew it. */
static uint64_t
probes_of_chosen(const uint8_t seed[16], const uint8_t known[16])
{
	enum { CAPACITY = 512, CHOSEN = 200 };
	uint64_t probes = 0, made;
	wkg_memory_ledger *ledger;
	wkg_work work = { memory(wkg_memory_ledger_size(CAPACITY)), wkg_memory_ledger_size(CAPACITY) };
	if (wkg_memory_ledger_init(&ledger, work, CAPACITY, seed, MARGIN) != WKG_OK)
		return 0;
	store s = { .ledger = wkg_memory_ledger_of(ledger) };
	for (int i = 0, chosen = 0; chosen < CHOSEN; i++) {
		char id[20];
		snprintf(id, sizeof id, "%d", i);
		wkg_span span = { (uint8_t *)id, strlen(id) };
		if (wkg__siphash(known, span) % (2 * CAPACITY) != 5)
			continue;
		chosen++;
		if (at(&s, id, T + 60, T) != GRANTED)
			return 0;
	}
	wkg_memory_ledger_stats(ledger, &probes, &made);
	return probes;
}

static void
seeds(void)
{
	static const uint64_t vectors[64] = {
		0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
		0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
		0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
		0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5,
		0x3f2acc7f57c29bdb, 0x699ae9f52cbe4794, 0x4bc1b3f0968dd39c, 0xbb6dc91da77961bd,
		0xbed65cf21aa2ee98, 0xd0f2cbb02e3b67c7, 0x93536795e3a33e88, 0xa80c038ccd5ccec8,
		0xb8ad50c6f649af94, 0xbce192de8a85b8ea, 0x17d835b85bbb15f3, 0x2f2e6163076bcfad,
		0xde4daaaca71dc9a5, 0xa6a2506687956571, 0xad87a3535c49ef28, 0x32d892fad841c342,
		0x7127512f72f27cce, 0xa7f32346f95978e3, 0x12e0b01abb051238, 0x15e034d40fa197ae,
		0x314dffbe0815a3b4, 0x027990f029623981, 0xcadcd4e59ef40c4d, 0x9abfd8766a33735c,
		0x0e3ea96b5304a7d0, 0xad0c42d6fc585992, 0x187306c89bc215a9, 0xd4a60abcf3792b95,
		0xf935451de4f21df2, 0xa9538f0419755787, 0xdb9acddff56ca510, 0xd06c98cd5c0975eb,
		0xe612a3cb9ecba951, 0xc766e62cfcadaf96, 0xee64435a9752fe72, 0xa192d576b245165a,
		0x0a8787bf8ecb74b2, 0x81b3e73d20b49b6f, 0x7fa8220ba3b2ecea, 0x245731c13ca42499,
		0xb78dbfaf3a8d83bd, 0xea1ad565322a1a0b, 0x60e61c23a3795013, 0x6606d7e446282b93,
		0x6ca4ecb15c5f91e1, 0x9f626da15c9625f3, 0xe51b38608ef25f57, 0x958a324ceb064572,
	};
	uint8_t key[16], text[64];
	int wrong = 0;
	for (uint8_t i = 0; i < 64; i++) {
		text[i] = i;
		if (i < 16)
			key[i] = i;
	}
	for (size_t i = 0; i < 64; i++)
		wrong += wkg__siphash(key, (wkg_span){ text, i }) != vectors[i];
	CLAIM("X7 SipHash-2-4 gives the 64 published values", wrong == 0);

	static const uint8_t other[16] = "another seed, ok";
	uint64_t known = probes_of_chosen(store_seed, store_seed), unknown = probes_of_chosen(other, store_seed);
	printf("# 200 ids chosen to collide: %llu slots with the seed they were chosen for, %llu with another\n", (unsigned long long)known, (unsigned long long)unknown);
	CLAIM("X7 ids chosen to collide under one seed do not under another, and collide slowly, not wrongly", known > 20000 && unknown > 0 && unknown < 2500);
}

/* ---- SQLite -------------------------------------------------------------- */

#ifdef WKG_WITH_SQLITE

static int blocks, refuse_from;

static void *
counted_acquire(void *ctx, size_t size)
{
	(void)ctx;
	if (refuse_from-- == 0)
		return NULL;
	blocks++;
	return malloc(size);
}

static void
counted_release(void *ctx, void *ptr)
{
	(void)ctx;
	blocks--;
	free(ptr);
}

static wkg_status
open_path(const char *path, int64_t margin_s, int timeout_ms)
{
	static const wkg_allocator allocator = { counted_acquire, counted_release, NULL };
	wkg_sqlite_ledger *out = NULL;
	wkg_status status = wkg_sqlite_ledger_open(&out, path, margin_s, timeout_ms, &allocator);
	bool consistent = (status == WKG_OK) == (out != NULL);
	wkg_sqlite_ledger_close(out);
	return consistent && blocks == 0 ? status : WKG_E_INVALID;
}

static void
sqlite_set_up(void)
{
	char path[200];
	snprintf(path, sizeof path, "%s/new", directory);
	refuse_from = -1;
	CLAIM("X7 sqlite: opened, closed, nothing kept", open_path(path, MARGIN, 0) == WKG_OK && open_path(path, MARGIN, 0) == WKG_OK);
	refuse_from = 0;
	CLAIM("X7 sqlite: no memory", open_path(path, MARGIN, 0) == WKG_E_MEMORY);
	refuse_from = -1;
	CLAIM("X7 sqlite: names that would be a database per handle are not opened", open_path("", MARGIN, 0) == WKG_E_ARGUMENT && open_path(":memory:", MARGIN, 0) == WKG_E_ARGUMENT && open_path("file::memory:", MARGIN, 0) == WKG_E_ARGUMENT);
	CLAIM("X7 sqlite: margins and timeouts below 0", open_path(path, -1, 0) == WKG_E_ARGUMENT && open_path(path, MARGIN, -1) == WKG_E_ARGUMENT);
	CLAIM("X7 sqlite: a directory is not a ledger, nor is what cannot be reached", open_path(directory, MARGIN, 0) == WKG_E_INVALID && open_path("/nonexistent/ledger", MARGIN, 0) == WKG_E_STORE);
	wkg_sqlite_ledger_close(NULL);
}

/* Handles with different margins on one file: the floor is the file's. */
static void
sqlite_margins(void)
{
	char name[200];
	store brief, lenient;
	snprintf(name, sizeof name, "sqlite:%s/margins", directory);
	if (open_store(&brief, name, 10, 0) != WKG_OK || open_store(&lenient, name, DAY, 0) != WKG_OK)
		exit(1);
	at(&brief, "a", T + 60, T);
	at(&brief, "b", T + 5000, T + 80); /* forgets a */
	CLAIM("X7 sqlite: a longer margin does not reopen what a shorter one let go", at(&lenient, "a", T + 60, T + 1) == REFUSED && at(&brief, "a", T + 60, T + 1) == REFUSED);
	close_store(&brief);
	close_store(&lenient);
}

#endif

int
main(void)
{
	every_store("memory");
	never_twice("memory", 500, 300);
	capacity();
	set_up();
	like_a_list();
	seeds();
	growth();
#ifdef WKG_WITH_SQLITE
	directory = scratch_directory();
	every_store("sqlite");
	never_twice("sqlite", 20, 100);
	sqlite_set_up();
	sqlite_margins();
	char command[100];
	snprintf(command, sizeof command, "rm -r %s", directory);
	if (system(command) != 0)
		printf("# %s is left\n", directory);
#else
	printf("ok %d - sqlite # SKIP built without SQLite\n", ++claims);
#endif
	return finish();
}
