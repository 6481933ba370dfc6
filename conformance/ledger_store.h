/* ledger_store.h - a ledger by its name, for the tests:
 * memory:CLAIMS, sqlite:PATH, redis:HOST:PORT. */
#ifndef WKG_CONFORMANCE_LEDGER_STORE_H
#define WKG_CONFORMANCE_LEDGER_STORE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wicketgate/ledger.h>

typedef struct store {
	wkg_ledger ledger;
	void *memory;
	wkg_sqlite_ledger *sqlite;
	wkg_redis_ledger *redis;
} store;

static const uint8_t store_seed[16] = "a seed for tests";

/* In memory where possible: no test here needs a disk that spins. */
static inline const char *
scratch_directory(void)
{
	static char name[] = "/dev/shm/wkg-ledger-XXXXXX";
	if (mkdtemp(name) != NULL)
		return name;
	strcpy(name, "/tmp/wkg-ledger-XXXXXX");
	if (mkdtemp(name) == NULL)
		abort();
	return name;
}

static inline wkg_status
open_memory(store *s, size_t capacity, int64_t margin_s)
{
	wkg_memory_ledger *ledger;
	wkg_work memory = { NULL, wkg_memory_ledger_size(capacity) };
	memory.ptr = s->memory = malloc(memory.size);
	wkg_status status = wkg_memory_ledger_init(&ledger, memory, capacity, store_seed, margin_s);
	if (status == WKG_OK)
		s->ledger = wkg_memory_ledger_of(ledger);
	return status;
}

static inline wkg_status
open_sqlite(store *s, const char *path, int64_t margin_s, int timeout_ms)
{
#ifdef WKG_WITH_SQLITE
	wkg_status status = wkg_sqlite_ledger_open(&s->sqlite, path, margin_s, timeout_ms, NULL);
	if (status == WKG_OK)
		s->ledger = wkg_sqlite_ledger_of(s->sqlite);
	return status;
#else
	(void)s, (void)path, (void)margin_s, (void)timeout_ms;
	return WKG_E_UNSUPPORTED;
#endif
}

static inline wkg_status
open_redis(store *s, const char *address, int64_t margin_s, int timeout_ms)
{
#ifdef WKG_WITH_REDIS
	static const wkg_span prefix = WKG_LIT("wkg:");
	char host[300];
	const char *colon = strrchr(address, ':');
	if (colon == NULL || (size_t)(colon - address) >= sizeof host)
		return WKG_E_ARGUMENT;
	memcpy(host, address, (size_t)(colon - address));
	host[colon - address] = '\0';
	wkg_status status = wkg_redis_ledger_open(&s->redis, host, (uint16_t)atoi(colon + 1),
	                                          prefix, margin_s, timeout_ms, NULL);
	if (status == WKG_OK)
		s->ledger = wkg_redis_ledger_of(s->redis);
	return status;
#else
	(void)s, (void)address, (void)margin_s, (void)timeout_ms;
	return WKG_E_UNSUPPORTED;
#endif
}

static inline wkg_status
open_store(store *s, const char *name, int64_t margin_s, int timeout_ms)
{
	memset(s, 0, sizeof *s);
	if (strncmp(name, "memory:", 7) == 0)
		return open_memory(s, strtoul(name + 7, NULL, 10), margin_s);
	if (strncmp(name, "sqlite:", 7) == 0)
		return open_sqlite(s, name + 7, margin_s, timeout_ms);
	if (strncmp(name, "redis:", 6) == 0)
		return open_redis(s, name + 6, margin_s, timeout_ms);
	return WKG_E_ARGUMENT;
}

static inline void
close_store(store *s)
{
#ifdef WKG_WITH_SQLITE
	wkg_sqlite_ledger_close(s->sqlite);
#endif
#ifdef WKG_WITH_REDIS
	wkg_redis_ledger_close(s->redis);
#endif
	free(s->memory);
}

static inline wkg_claim
claim_text(const store *s, const char *id, int64_t expires, int64_t now_ms)
{
	wkg_span span = { (const uint8_t *)id, strlen(id) };
	return s->ledger.claim(s->ledger.store, span, expires, now_ms);
}

#endif
