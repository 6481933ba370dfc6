/* store.h - the ledgers that claims go to.
 *
 * memory    the library's own.
 * durable   the library's SQLite ledger, in a process of its own, so that
 *           `store.reopen` can kill it in earnest.
 * callback  the runner: a call is written, its answer awaited for a second. */
#ifndef WGA_STORE_H
#define WGA_STORE_H

#include "plumbing.h"

#include <sys/types.h>

typedef struct wga_store {
	wkg_ledger memory; /* claim is NULL if it is not this one */
	bool calls_back;
	char directory[64]; /* of the durable one; empty: none */
	pid_t server;
	int server_fd;
	int64_t margin_s;
} wga_store;

bool wga_store_in_memory(wga_store *store, wga_arena *arena, size_t capacity, int64_t margin_s);
bool wga_store_durable(wga_store *store, int64_t margin_s);
bool wga_store_reopen_server(wga_store *store, bool crash);
void wga_store_close(wga_store *store);

/* Claim on behalf of the request of that id. */
wkg_claim wga_store_claim(wga_store *store, wkg_span request, wkg_span id, int64_t expires,
                          int64_t now_ms);
/* The runner answers a call: granted, spent; or no: an error. */
void wga_store_answered(wkg_span call, wkg_claim answer);

/* Bytes nobody can guess. */
void wga_random(uint8_t *out, size_t n);

#endif
