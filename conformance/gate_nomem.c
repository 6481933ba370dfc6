/* The whole way when memory runs out: keys, a SQLite ledger, verify, claim, run.
 * Every allocation on it - ours, OpenSSL's, SQLite's, under one counter - fails
 * in turn, once and for good. The action is done, or it is refused; when there
 * is memory again, it is done at most once more, and only if it was not done
 * before (X3, X4, X5). */
#define _POSIX_C_SOURCE 200809L

#include "gate_world.h"
#include "nomem.h"
#include "sqlite_heap.h"

#include <unistd.h>

/* ---- SQLite's allocations, under the same counter ------------------------- */

static size_t from_sqlite;

static void *
sqlite_allocate(int size)
{
	void *block = fails() ? NULL : sqlite_heap.xMalloc(size);
	heap.live += block != NULL;
	from_sqlite++;
	return block;
}

static void *
sqlite_resize(void *block, int size)
{
	return fails() ? NULL : sqlite_heap.xRealloc(block, size);
}

static void
sqlite_release(void *block)
{
	heap.live--;
	sqlite_heap.xFree(block);
}

/* ---- a gate, and going through it ----------------------------------------- */

typedef struct gate {
	wkg_keyring *keyring;
	wkg_sqlite_ledger *ledger; /* NULL: everything is granted */
} gate;

static char path[64];
static uint8_t key[WKG_KEY_SIZE];
static wkg_span envelope, altered, decision;
static wkg_work work;
static int runs;

static bool
refund(void *ctx, wkg_span parameters, wkg_buf *result)
{
	(void)ctx;
	runs += same(parameters, TEXT("{\"amount\":350}")) ? 1 : 1000;
	memcpy(result->ptr + result->len, "done", 4);
	result->len += 4;
	return true;
}

static const wkg_field fields[] = {
	{ .name = "amount", .type = WKG_TYPE_INTEGER, .has_minimum = true, .minimum = 1 },
	{ .name = NULL },
};
static const wkg_action actions[] = { { .name = "refund_order", .parameters = fields, .run = refund } };

static wkg_status
open_gate(gate *g, bool with_ledger)
{
	wkg_status status = wkg_keyring_new(&g->keyring, TEXT(WKG_AUTHORITY_ISSUER), &ours);
	if (status == WKG_OK)
		status = wkg_keyring_add(g->keyring, TEXT(""), key);
	if (status == WKG_OK && with_ledger)
		status = wkg_sqlite_ledger_open(&g->ledger, path, WKG_LEDGER_MARGIN_S, 1000, &ours);
	return status;
}

static void
close_gate(gate *g)
{
	wkg_sqlite_ledger_close(g->ledger);
	wkg_keyring_free(g->keyring);
}

static wkg_claim
grant_anything(void *store, wkg_span id, int64_t expires, int64_t now_ms)
{
	(void)store, (void)id, (void)expires, (void)now_ms;
	return WKG_CLAIM_GRANTED;
}

static wkg_ledger
ledger_of(const gate *g)
{
	const wkg_ledger anything = { grant_anything, NULL };
	return g->ledger != NULL ? wkg_sqlite_ledger_of(g->ledger) : anything;
}

/* Where it ended. `*sane`: the handler ran if that is DONE, its result is
 * there and nothing else is, and no error is left to OpenSSL's next user. */
static wkg_stage
pass(const gate *g, wkg_span what, bool *sane)
{
	static const wkg_grant none;
	wkg_registry registry = wkg_registry_of(actions, 1);
	wkg_executor executor = { &registry, g->keyring, ledger_of(g), WKG_BINDING_B };
	wkg_request request = { what, decision, NOW };
	wkg_outcome outcome;
	wkg_buf result = fresh();
	int before = runs;
	wkg_status status = wkg_execute(&executor, &request, &result, work, &outcome);
	bool done = outcome.stage == WKG_STAGE_DONE;
	*sane = *sane && status == (done ? WKG_OK : WKG_E_REFUSED) && outcome.executed == done && runs - before == done &&
	        same(wkg_buf_span(&result), done ? TEXT("done") : TEXT("")) && ERR_peek_error() == 0 &&
	        (outcome.stage > WKG_STAGE_CLAIM || memcmp(&outcome.grant, &none, sizeof none) == 0);
	return outcome.stage;
}

static void
remove_ledger(void)
{
	char journal[80];
	snprintf(journal, sizeof journal, "%s-journal", path);
	unlink(path);
	unlink(journal);
}

/* How the runs without memory ended: by stage, of those that got so far. */
static int ended[WKG_STAGE_DONE + 1];

static wkg_stage
pass_without_memory(gate *g, bool with_ledger, wkg_span what, bool *sane)
{
	wkg_stage stage = WKG_STAGE_INPUT;
	if (open_gate(g, with_ledger) == WKG_OK)
		stage = pass(g, what, sane);
	disarm();
	ended[stage]++;
	return stage;
}

static bool
executes_once(void)
{
	gate g = { NULL, NULL }, later = { NULL, NULL };
	bool sane = true;
	runs = 0;
	remove_ledger();
	wkg_stage first = pass_without_memory(&g, true, envelope, &sane);
	if (g.ledger != NULL)
		pass(&g, envelope, &sane); /* the same handles, with memory */
	close_gate(&g);
	sane = sane && open_gate(&later, true) == WKG_OK;
	for (int i = 0; sane && i < 2; i++)
		pass(&later, envelope, &sane);
	close_gate(&later);
	bool spared = first < WKG_STAGE_CLAIM; /* nothing before it spends a grant */
	return sane && runs <= 1 && (runs == 1 || !spared);
}

/* 351 under a decision for 350 is not let in, whatever fails and whatever the
 * ledger says. */
static bool
never_executes(void)
{
	gate g = { NULL, NULL };
	bool sane = true;
	runs = 0;
	wkg_stage first = pass_without_memory(&g, false, altered, &sane);
	close_gate(&g);
	return sane && runs == 0 && first <= WKG_STAGE_CONFORM;
}

/* ---- all of it ------------------------------------------------------------- */

static void
prepare(void)
{
	static char directory[] = "/tmp/wkg-nomem-XXXXXX", in_memory[] = "/dev/shm/wkg-nomem-XXXXXX";
	const char *made = mkdtemp(in_memory);
	if (made == NULL)
		made = mkdtemp(directory);
	if (made == NULL || wkg_key_public_of_seed(key, seed) != WKG_OK)
		abort();
	snprintf(path, sizeof path, "%s/l", made);
	envelope = captured_text(REFUND);
	altered = replaced(envelope, ":350", ":351");
	decision = decided(envelope, WKG_VERDICT_ALLOW, NOW, 60);
	wkg_request request = { envelope, decision, NOW };
	work.size = wkg_execute_work_size(&request);
	work.ptr = memory(work.size);
}

/* The argument: every how many-th allocation fails. */
int
main(int argc, char **argv)
{
	static const task tasks[] = {
		{ "X5 from keys to the handler", executes_once },
		{ "X3 an altered envelope", never_executes },
	};
	if (argc > 1)
		stride = strtoul(argv[1], NULL, 10);
	bool counted = count_openssl() &&
	               stand_before_sqlite_heap(sqlite_allocate, sqlite_resize, sqlite_release);
	prepare();
	size_t before = heap.total;
	CLAIM("without a failure it is executed once", executes_once() && ended[WKG_STAGE_DONE] == 1);
	CLAIM("OpenSSL and SQLite allocate through our counter", counted && from_sqlite > 0 && heap.total - before > from_sqlite);
	claim_sweeps(tasks, sizeof tasks / sizeof *tasks);
	printf("# of those that got so far, refused at verify: %d, at claim: %d; executed: %d\n", ended[WKG_STAGE_VERIFY],
	       ended[WKG_STAGE_CLAIM], ended[WKG_STAGE_DONE]);
	CLAIM("R2 memory ran out while verifying and while claiming", ended[WKG_STAGE_VERIFY] > 0 && ended[WKG_STAGE_CLAIM] > 0);
	CLAIM("afterwards all is as it was", executes_once());
	remove_ledger();
	path[strlen(path) - 2] = '\0';
	rmdir(path);
	return finish();
}
