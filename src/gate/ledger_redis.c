/* ledger_redis.c - spent grants in Redis, for many machines. The only file that
 * knows hiredis.
 *
 * A claim is one exchange:
 *
 *   SET <prefix><id> <value> NX PX <lifetime>    -> OK, or nil if it exists
 *   GET <prefix><id>                             -> the value that is there
 *
 * SET decides. GET is there because RESP does not number its answers: one that
 * was sent twice, late or to somebody else is taken for the next one. So OK
 * counts only if the value behind it is the one this call has just made up, and
 * nothing else came with it. A connection that was wrong once is not used
 * again.
 *
 * If the answer is lost, the value would tell later whether the claim had been
 * recorded. It is never granted on that: "my value is there" would then be a
 * second way to a grant, one that several callers can go through - a virtual
 * machine restored twice from one snapshot makes up the same values, and both
 * copies would find theirs. OK is said once.
 *
 * The lifetime is relative and ends a margin after the grant: with an absolute
 * one (PXAT) that has passed by the server's clock, every caller is told OK.
 * The clocks of callers may differ by the margin, and the server's may jump by
 * as much. There is no floor as in the other stores (ledger.h).
 *
 * What the operator answers for: persistence (without `appendonly yes` and
 * `appendfsync always` a restart forgets), failing over to a replica that had
 * not received a claim, FLUSHALL. One thing is checked with each connection: a
 * server that evicts keys when memory is short is a cache, not a ledger. */
#define _POSIX_C_SOURCE 200809L

#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>

enum {
	HOST_MAX = 253, /* RFC 1035 */
	PREFIX_MAX = 200,
	NONCE_SIZE = 16,
	VALUE_MAX = 64,
	/* Reads per answer, each with the timeout: an end for a server that
	 * sends byte by byte. Honest answers take one to three: INFO is larger
	 * than a packet. */
	READS_MAX = 16,
};

struct wkg_redis_ledger {
	wkg__store store;
	struct timeval timeout;
	redisContext *connection; /* NULL: not yet, or dropped */
	uint64_t calls;
	uint8_t nonce[NONCE_SIZE];
	uint16_t port;
	char host[HOST_MAX + 1];
	size_t prefix_len;
	uint8_t key[PREFIX_MAX + WKG__CLAIM_ID_MAX]; /* begins with the prefix */
};

/* ---- the connection ------------------------------------------------------ */

/* Without hiredis' own write(), which can kill the process with SIGPIPE. */
static bool
send_command(redisContext *c, int argc, const char **argv, const size_t *lengths)
{
	char *command;
	int length = redisFormatCommandArgv(&command, argc, argv, lengths);
	if (length < 0)
		return false;
	ssize_t sent = send(c->fd, command, (size_t)length, MSG_NOSIGNAL);
	redisFreeCommand(command);
	return sent == length;
}

/* Does an answer begin with status, string or error? Nothing else is asked for,
 * and hiredis would believe the length of an array. In the middle of one, which
 * came in several packets, the reader is past the byte that says so. */
static bool
is_expected(const redisReader *r)
{
	bool begun = r->ridx >= 0;
	return begun || r->pos == r->len || memchr("+$-", r->buf[r->pos], 3) != NULL;
}

static redisReply *
receive(redisContext *c)
{
	void *reply = NULL;
	for (int reads = 0; reads <= READS_MAX; reads++) {
		if (!is_expected(c->reader) ||
		    redisGetReplyFromReader(c, &reply) != REDIS_OK)
			return NULL;
		if (reply != NULL || redisBufferRead(c) != REDIS_OK)
			return reply;
	}
	return NULL;
}

static void
release(redisReply *reply)
{
	if (reply != NULL)
		freeReplyObject(reply);
}

/* Has everything that came been read? */
static bool
is_drained(const redisContext *c)
{
	return c->reader->pos == c->reader->len;
}

/* Nothing was asked, so nothing may be there to read: not an answer left over,
 * nor the end of the connection. */
static bool
is_quiet(const redisContext *c)
{
	char byte;
	ssize_t got = recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return is_drained(c) && got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static void
drop(wkg_redis_ledger *l)
{
	if (l->connection != NULL)
		redisFree(l->connection);
	l->connection = NULL;
}

/* Full may refuse; it may not evict (X7). */
static wkg_status
check_eviction(redisContext *c)
{
	const char *argv[] = { "INFO", "memory" };
	const size_t lengths[] = { 4, 6 };
	if (!send_command(c, 2, argv, lengths))
		return WKG_E_STORE;
	redisReply *info = receive(c);
	wkg_status status = WKG_E_STORE;
	if (info != NULL && info->type == REDIS_REPLY_STRING) {
		bool keeps = strstr(info->str, "\r\nmaxmemory:0\r\n") != NULL ||
		             strstr(info->str, "\r\nmaxmemory_policy:noeviction\r\n") != NULL;
		status = keeps ? WKG_OK : WKG_E_UNSUPPORTED;
	}
	release(info);
	return status;
}

static wkg_status
connect_to_server(wkg_redis_ledger *l)
{
	redisContext *c = redisConnectWithTimeout(l->host, l->port, l->timeout);
	l->connection = c;
	wkg_status status = WKG_E_STORE;
	if (c != NULL && c->err == 0 && redisSetTimeout(c, l->timeout) == REDIS_OK &&
	    fcntl(c->fd, F_SETFD, FD_CLOEXEC) == 0)
		status = check_eviction(c);
	if (status != WKG_OK)
		drop(l);
	return status;
}

/* A connection to ask on. One that the server closed meanwhile is replaced:
 * nothing has been asked on it, so nothing is ambiguous. */
static bool
is_connected(wkg_redis_ledger *l)
{
	if (l->connection != NULL && !is_quiet(l->connection))
		drop(l);
	return l->connection != NULL || connect_to_server(l) == WKG_OK;
}

/* ---- a claim ------------------------------------------------------------- */

static bool
is_ok(const redisReply *r)
{
	return r->type == REDIS_REPLY_STATUS && r->len == 2 &&
	       memcmp(r->str, "OK", 2) == 0;
}

static bool
is_value(const redisReply *r, const char *value)
{
	return r->type == REDIS_REPLY_STRING && (size_t)r->len == strlen(value) &&
	       memcmp(r->str, value, strlen(value)) == 0;
}

/* What the two answers mean. Everything that is not exactly one of the two
 * expected pairs is a refusal. */
static wkg_claim
judge(const redisReply *set, const redisReply *get, const char *value)
{
	if (set == NULL || get == NULL)
		return WKG_CLAIM_REFUSED;
	bool is_mine = is_value(get, value);
	if (is_ok(set))
		return is_mine ? WKG_CLAIM_GRANTED : WKG_CLAIM_REFUSED;
	if (set->type == REDIS_REPLY_NIL && get->type == REDIS_REPLY_STRING && !is_mine)
		return WKG_CLAIM_SPENT;
	return WKG_CLAIM_REFUSED;
}

/* The nonce and a counter. */
static void
make_value(wkg_redis_ledger *l, char value[VALUE_MAX])
{
	size_t at = 0;
	for (size_t i = 0; i < NONCE_SIZE; i++, at += 2)
		snprintf(value + at, VALUE_MAX - at, "%02x", l->nonce[i]);
	snprintf(value + at, VALUE_MAX - at, "-%llu", (unsigned long long)++l->calls);
}

static wkg_claim
exchange(wkg_redis_ledger *l, const wkg__claim_request *claim)
{
	redisContext *c = l->connection;
	char value[VALUE_MAX], lifetime[24];
	make_value(l, value);
	memcpy(l->key + l->prefix_len, claim->id.ptr, claim->id.len);
	snprintf(lifetime, sizeof lifetime, "%lld",
	         (long long)(claim->expires_ms - claim->now_ms + l->store.margin_ms));

	const char *key = (const char *)l->key;
	size_t key_len = l->prefix_len + claim->id.len;
	const char *set[] = { "SET", key, value, "NX", "PX", lifetime };
	const size_t set_lengths[] = { 3, key_len, strlen(value), 2, 2, strlen(lifetime) };
	const char *get[] = { "GET", key };
	const size_t get_lengths[] = { 3, key_len };
	if (!send_command(c, 6, set, set_lengths) || !send_command(c, 2, get, get_lengths))
		return WKG_CLAIM_REFUSED;

	redisReply *set_reply = receive(c);
	redisReply *get_reply = set_reply != NULL ? receive(c) : NULL;
	wkg_claim answer = judge(set_reply, get_reply, value);
	release(set_reply);
	release(get_reply);
	return is_drained(c) ? answer : WKG_CLAIM_REFUSED;
}

static wkg_claim
claim(void *store, wkg_span id, int64_t expires, int64_t now_ms)
{
	wkg_redis_ledger *l = store;
	wkg__claim_request c;
	if (!wkg__store_enter(&l->store, &c, id, expires, now_ms))
		return WKG_CLAIM_REFUSED;
	wkg_claim answer = is_connected(l) ? exchange(l, &c) : WKG_CLAIM_REFUSED;
	if (answer == WKG_CLAIM_REFUSED)
		drop(l);
	wkg__store_leave(&l->store);
	return answer;
}

/* ---- set-up -------------------------------------------------------------- */

static wkg_status
set_up(wkg_redis_ledger *l, const char *host, uint16_t port, wkg_span prefix,
       int timeout_ms)
{
	memcpy(l->host, host, strlen(host));
	l->port = port;
	if (prefix.len > 0)
		memcpy(l->key, prefix.ptr, prefix.len);
	l->prefix_len = prefix.len;
	l->timeout.tv_sec = timeout_ms / 1000;
	l->timeout.tv_usec = timeout_ms % 1000 * 1000;
	/* A label, not a decision: with a known one, answers still have to be
	 * right (X9). */
	if (getentropy(l->nonce, sizeof l->nonce) != 0)
		return WKG_E_UNSUPPORTED;
	return connect_to_server(l);
}

wkg_status
wkg_redis_ledger_open(wkg_redis_ledger **out, const char *host, uint16_t port,
                      wkg_span prefix, int64_t margin_s, int timeout_ms,
                      const wkg_allocator *allocator)
{
	int64_t margin_ms = wkg__margin_ms(margin_s);
	if (out == NULL || host == NULL || host[0] == '\0' || port == 0 ||
	    strlen(host) > HOST_MAX || prefix.len > PREFIX_MAX ||
	    (prefix.ptr == NULL && prefix.len > 0) || margin_ms < 0 || timeout_ms <= 0)
		return WKG_E_ARGUMENT;

	wkg_redis_ledger *l = wkg__store_new(sizeof *l, margin_ms, allocator);
	if (l == NULL)
		return WKG_E_MEMORY;
	wkg_status status = set_up(l, host, port, prefix, timeout_ms);
	if (status != WKG_OK) {
		wkg_redis_ledger_close(l);
		return status;
	}
	*out = l;
	return WKG_OK;
}

void
wkg_redis_ledger_close(wkg_redis_ledger *store)
{
	if (store == NULL)
		return;
	drop(store);
	wkg__store_free(store);
}

wkg_ledger
wkg_redis_ledger_of(wkg_redis_ledger *store)
{
	wkg_ledger ledger = { claim, store };
	return ledger;
}
