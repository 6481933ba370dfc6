/* store.c - memory, a process with a SQLite ledger, or the runner. */
#define _DEFAULT_SOURCE
#include "store.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void
wga_random(uint8_t *out, size_t n)
{
	if (getentropy(out, n) != 0)
		abort();
}

bool
wga_store_in_memory(wga_store *store, wga_arena *arena, size_t capacity, int64_t margin_s)
{
	uint8_t seed[16];
	wkg_memory_ledger *ledger;
	size_t size = wkg_memory_ledger_size(capacity);
	wga_random(seed, sizeof seed);
	if (size == SIZE_MAX)
		return false;
	wkg_work memory = { wga_take(arena, size), size };
	if (wkg_memory_ledger_init(&ledger, memory, capacity, seed, margin_s) != WKG_OK)
		return false;
	store->memory = wkg_memory_ledger_of(ledger);
	return true;
}

/* --- the durable ledger's process --- */

#ifdef WKG_WITH_SQLITE

enum { ID_MAX = 4096 };

typedef struct claim_request {
	int64_t expires, now_ms;
	size_t len;
	uint8_t id[ID_MAX];
} claim_request;

static bool
receive(int fd, void *to, size_t n)
{
	ssize_t got = recv(fd, to, n, MSG_WAITALL);
	return got >= 0 && (size_t)got == n;
}

static void
serve(int fd, const char *path, int64_t margin_s)
{
	wkg_sqlite_ledger *ledger;
	claim_request request;
	if (wkg_sqlite_ledger_open(&ledger, path, margin_s, 1000, NULL) != WKG_OK)
		_exit(1);
	wkg_ledger port = wkg_sqlite_ledger_of(ledger);
	while (receive(fd, &request, sizeof request)) {
		wkg_span id = { request.id, request.len };
		uint8_t answer = (uint8_t)port.claim(port.store, id, request.expires, request.now_ms);
		if (send(fd, &answer, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	wkg_sqlite_ledger_close(ledger);
	_exit(0);
}

static void
path_of(const wga_store *store, const char *suffix, char path[96])
{
	snprintf(path, 96, "%s/claims%s", store->directory, suffix);
}

static bool
start_server(wga_store *store)
{
	int ends[2];
	char path[96];
	path_of(store, "", path);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return false;
	store->server = fork();
	if (store->server == 0) {
		close(ends[0]);
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		serve(ends[1], path, store->margin_s);
	}
	close(ends[1]);
	store->server_fd = ends[0];
	return store->server > 0;
}

static void
stop_server(wga_store *store, bool crash)
{
	if (store->server <= 0)
		return;
	if (crash)
		kill(store->server, SIGKILL);
	close(store->server_fd); /* the end of its input: it closes the ledger */
	while (waitpid(store->server, NULL, 0) < 0 && errno == EINTR)
		continue;
	store->server = 0;
}

bool
wga_store_durable(wga_store *store, int64_t margin_s)
{
	strcpy(store->directory, "/tmp/wicketgate-adapter-XXXXXX");
	store->margin_s = margin_s;
	if (mkdtemp(store->directory) == NULL) {
		store->directory[0] = 0;
		return false;
	}
	return start_server(store);
}

bool
wga_store_reopen_server(wga_store *store, bool crash)
{
	if (store->directory[0] == 0)
		return false;
	stop_server(store, crash);
	return start_server(store);
}

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static wkg_claim
claim_durable(const wga_store *store, wkg_span id, int64_t expires, int64_t now_ms)
{
	claim_request request = { .expires = expires, .now_ms = now_ms, .len = id.len };
	uint8_t answer = WKG_CLAIM_REFUSED;
	if (id.len > ID_MAX)
		return WKG_CLAIM_REFUSED;
	if (id.len > 0)
		memcpy(request.id, id.ptr, id.len);
	pthread_mutex_lock(&one_at_a_time);
	if (send(store->server_fd, &request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
	    !receive(store->server_fd, &answer, 1))
		answer = WKG_CLAIM_REFUSED;
	pthread_mutex_unlock(&one_at_a_time);
	return (wkg_claim)answer;
}

void
wga_store_close(wga_store *store)
{
	static const char *const suffixes[] = { "", "-journal", "-wal", "-shm" };
	char path[96];
	if (store->directory[0] == 0)
		return;
	stop_server(store, false);
	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		path_of(store, suffixes[i], path);
		unlink(path);
	}
	rmdir(store->directory);
}

#else

bool
wga_store_durable(wga_store *store, int64_t margin_s)
{
	(void)store, (void)margin_s;
	return false;
}

bool
wga_store_reopen_server(wga_store *store, bool crash)
{
	(void)store, (void)crash;
	return false;
}

static wkg_claim
claim_durable(const wga_store *store, wkg_span id, int64_t expires, int64_t now_ms)
{
	(void)store, (void)id, (void)expires, (void)now_ms;
	return WKG_CLAIM_REFUSED;
}

void
wga_store_close(wga_store *store)
{
	(void)store;
}

#endif

/* --- the runner as the store --- */

typedef struct call {
	char id[24];
	bool answered;
	wkg_claim answer;
	struct call *next;
} call;

static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t calls_changed;
static pthread_once_t calls_once = PTHREAD_ONCE_INIT;
static call *calls;
static unsigned long call_count;

static void
make_condition(void)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&calls_changed, &attributes);
}

static void
write_call(const call *c, wkg_span request, wkg_span key, int64_t expires, int64_t now_ms)
{
	wga_ask line = { 0 };
	wga_raw(&line, "{");
	wga_put_string(&line, "call", c->id);
	wga_put_text(&line, "for", request);
	wga_put_string(&line, "op", "store.claim");
	wga_put_name(&line, "args");
	wga_raw(&line, "{");
	wga_put_text(&line, "key", key);
	wga_put_integer(&line, "expires_s", expires);
	wga_put_integer(&line, "now_ms", now_ms);
	wga_raw(&line, "}}");
	wga_write_line(wkg_buf_span(&line.body));
	wga_drop(&line.arena);
}

/* No answer within a second is a refusal; one that comes later finds nobody. */
static void
wait_for(call *c)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	while (!c->answered && pthread_cond_timedwait(&calls_changed, &calls_lock, &until) == 0)
		continue;
	call **link = &calls;
	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
}

static wkg_claim
claim_by_call(wkg_span request, wkg_span id, int64_t expires, int64_t now_ms)
{
	call c = { .answer = WKG_CLAIM_REFUSED };
	pthread_once(&calls_once, make_condition);
	pthread_mutex_lock(&calls_lock);
	snprintf(c.id, sizeof c.id, "c%lu", ++call_count);
	c.next = calls;
	calls = &c;
	pthread_mutex_unlock(&calls_lock);
	write_call(&c, request, id, expires, now_ms);
	pthread_mutex_lock(&calls_lock);
	wait_for(&c);
	pthread_mutex_unlock(&calls_lock);
	return c.answer;
}

void
wga_store_answered(wkg_span id, wkg_claim answer)
{
	pthread_once(&calls_once, make_condition);
	pthread_mutex_lock(&calls_lock);
	for (call *c = calls; c != NULL; c = c->next) {
		if (wga_same(id, c->id)) {
			c->answered = true;
			c->answer = answer;
		}
	}
	pthread_cond_broadcast(&calls_changed);
	pthread_mutex_unlock(&calls_lock);
}

wkg_claim
wga_store_claim(wga_store *store, wkg_span request, wkg_span id, int64_t expires, int64_t now_ms)
{
	if (store->calls_back)
		return claim_by_call(request, id, expires, now_ms);
	if (store->directory[0] != 0)
		return claim_durable(store, id, expires, now_ms);
	if (store->memory.claim == NULL)
		return WKG_CLAIM_REFUSED;
	return store->memory.claim(store->memory.store, id, expires, now_ms);
}
