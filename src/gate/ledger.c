/* ledger.c - spent grants in the caller's memory, and what all stores share.
 *
 * Linear probing over twice as many slots as claims, so that a search ends
 * after two or three. Nothing is ever evicted: an entry leaves when the floor
 * has passed its expiry (see ledger.h), either because a new claim takes its
 * slot or because the sweep comes by, which moves a few slots with every claim.
 * No claim looks at them all. */
#define _POSIX_C_SOURCE 200809L

#include "ledger.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- shared by all stores ------------------------------------------------ */

/* In seconds; a quarter, so that now + lifetime + margin cannot overflow. */
static const int64_t time_max = INT64_MAX / 1000 / 4;

static bool
read_claim(wkg__claim_request *out, wkg_span id, int64_t expires,
           int64_t now_ms)
{
	if (id.ptr == NULL || id.len < 1 || id.len > WKG__CLAIM_ID_MAX)
		return false;
	if (now_ms < 0 || expires < 0 || expires > time_max)
		return false;
	out->id = id;
	out->now_ms = now_ms;
	out->expires_ms = expires * 1000;
	return out->expires_ms > now_ms;
}

bool
wkg__store_init(wkg__store *store, int64_t margin_ms)
{
	store->process = getpid();
	store->margin_ms = margin_ms;
	return pthread_mutex_init(&store->lock, NULL) == 0;
}

void *
wkg__store_new(size_t size, int64_t margin_ms, const wkg_allocator *allocator)
{
	wkg_allocator a = wkg__allocator_or_malloc(allocator);
	wkg__store *store = a.acquire(a.ctx, size);
	if (store == NULL)
		return NULL;
	memset(store, 0, size);
	store->allocator = a;
	if (wkg__store_init(store, margin_ms))
		return store;
	a.release(a.ctx, store);
	return NULL;
}

void
wkg__store_free(void *store)
{
	wkg__store *s = store;
	wkg_allocator a = s->allocator;
	pthread_mutex_destroy(&s->lock);
	a.release(a.ctx, s);
}

bool
wkg__store_enter(wkg__store *store, wkg__claim_request *out, wkg_span id,
                 int64_t expires, int64_t now_ms)
{
	return getpid() == store->process &&
	       read_claim(out, id, expires, now_ms) &&
	       pthread_mutex_lock(&store->lock) == 0;
}

void
wkg__store_leave(wkg__store *store)
{
	pthread_mutex_unlock(&store->lock);
}

int64_t
wkg__margin_ms(int64_t margin_s)
{
	return margin_s < 0 || margin_s > time_max ? -1 : margin_s * 1000;
}

int64_t
wkg__raised_floor(int64_t floor_ms, int64_t now_ms, int64_t margin_ms)
{
	int64_t reached = now_ms - margin_ms;
	return reached > floor_ms ? reached : floor_ms;
}

/* ---- SipHash-2-4 --------------------------------------------------------- */

static uint64_t
rotated(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static void
sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotated(v[1], 13) ^ v[0];
	v[3] = rotated(v[3], 16) ^ v[2];
	v[0] = rotated(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotated(v[1], 17) ^ v[2];
	v[3] = rotated(v[3], 21) ^ v[0];
	v[2] = rotated(v[2], 32);
}

static void
sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	sip_round(v);
	v[0] ^= word;
}

static uint64_t
little_endian(const uint8_t *bytes, size_t count)
{
	uint64_t word = 0;
	for (size_t i = 0; i < count; i++)
		word |= (uint64_t)bytes[i] << (8 * i);
	return word;
}

uint64_t
wkg__siphash(const uint8_t key[16], wkg_span text)
{
	uint64_t k0 = little_endian(key, 8), k1 = little_endian(key + 8, 8);
	uint64_t v[4] = { /* "somepseudorandomlygeneratedbytes" */
		k0 ^ UINT64_C(0x736f6d6570736575),
		k1 ^ UINT64_C(0x646f72616e646f6d),
		k0 ^ UINT64_C(0x6c7967656e657261),
		k1 ^ UINT64_C(0x7465646279746573),
	};
	size_t at = 0;
	for (; text.len - at >= 8; at += 8)
		sip_word(v, little_endian(text.ptr + at, 8));
	uint64_t rest = little_endian(text.ptr + at, text.len - at);
	sip_word(v, rest | (uint64_t)text.len << 56);

	v[2] ^= 0xFF;
	for (int i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- the table ----------------------------------------------------------- */

enum {
	/* Slots swept with every claim. A claim fills at most one slot, four
	 * slots of a half-full table hold two, so dead entries cannot pile up
	 * for as long as half of them are dead. */
	SWEEP = 4,
	/* Slots swept before a full table refuses. Up to 512 claims, that is
	 * all of them; beyond, a table with one dead entry in a hundred gives
	 * up five on average. */
	SWEEP_FULL = 1024,
};

typedef struct slot {
	uint64_t hash;
	int64_t expires_ms;
	uint8_t id_len; /* 0: empty */
	uint8_t id[WKG__CLAIM_ID_MAX];
} slot;

struct wkg_memory_ledger {
	wkg__store store;
	int64_t floor_ms;
	uint8_t seed[16];
	size_t capacity;
	size_t used;   /* slots that are not empty; at most `capacity` */
	size_t cursor; /* of the sweep */
	uint64_t probes;
	uint64_t claims;
	slot slots[]; /* twice `capacity` */
};

static size_t
slot_count(const wkg_memory_ledger *l)
{
	return 2 * l->capacity;
}

static size_t
behind(const wkg_memory_ledger *l, size_t at)
{
	return at + 1 == slot_count(l) ? 0 : at + 1;
}

/* Steps from one slot to another, going up and around. */
static size_t
distance(const wkg_memory_ledger *l, size_t from, size_t to)
{
	return to >= from ? to - from : to + slot_count(l) - from;
}

static size_t
home(const wkg_memory_ledger *l, uint64_t hash)
{
	return (size_t)(hash % slot_count(l));
}

static bool
is_dead(const wkg_memory_ledger *l, const slot *s)
{
	return s->expires_ms <= l->floor_ms;
}

static bool
holds(const slot *s, uint64_t hash, wkg_span id)
{
	return s->hash == hash && s->id_len == id.len &&
	       memcmp(s->id, id.ptr, id.len) == 0;
}

/* Empty a slot. A search ends at the first empty one, so whatever was pushed
 * past this slot on the way from its home moves up; then there is the gap it
 * leaves behind (Knuth 6.4, algorithm R). */
static void
empty(wkg_memory_ledger *l, size_t gap)
{
	for (size_t at = behind(l, gap); l->slots[at].id_len != 0; at = behind(l, at)) {
		l->probes++;
		size_t pushed = distance(l, home(l, l->slots[at].hash), at);
		if (pushed >= distance(l, gap, at)) {
			l->slots[gap] = l->slots[at];
			gap = at;
		}
	}
	l->slots[gap].id_len = 0;
	l->used--;
}

static void
sweep(wkg_memory_ledger *l, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const slot *s = &l->slots[l->cursor];
		l->probes++;
		if (s->id_len != 0 && is_dead(l, s))
			empty(l, l->cursor); /* and look again: another moved in */
		else
			l->cursor = behind(l, l->cursor);
	}
}

/* Look for a claim that is alive: `*found`. If there is none, returns where to
 * put it: over the first dead one on its path or at the path's end. It ends:
 * half of the slots are empty. */
static slot *
search(wkg_memory_ledger *l, wkg_span id, uint64_t hash, bool *found)
{
	slot *free_slot = NULL;
	*found = false;
	for (size_t at = home(l, hash);; at = behind(l, at)) {
		slot *s = &l->slots[at];
		l->probes++;
		if (s->id_len == 0)
			return free_slot != NULL ? free_slot : s;
		if (is_dead(l, s)) {
			if (free_slot == NULL)
				free_slot = s;
		} else if (holds(s, hash, id)) {
			*found = true;
			return s;
		}
	}
}

static void
put(wkg_memory_ledger *l, slot *s, const wkg__claim_request *c, uint64_t hash)
{
	if (s->id_len == 0)
		l->used++;
	s->hash = hash;
	s->expires_ms = c->expires_ms;
	s->id_len = (uint8_t)c->id.len;
	memcpy(s->id, c->id.ptr, c->id.len);
}

static wkg_claim
spend(wkg_memory_ledger *l, const wkg__claim_request *c)
{
	uint64_t hash = wkg__siphash(l->seed, c->id);
	l->claims++;
	if (c->now_ms < l->floor_ms)
		return WKG_CLAIM_REFUSED;
	l->floor_ms = wkg__raised_floor(l->floor_ms, c->now_ms, l->store.margin_ms);
	sweep(l, SWEEP);

	bool found;
	slot *s = search(l, c->id, hash, &found);
	if (!found && s->id_len == 0 && l->used == l->capacity) {
		sweep(l, SWEEP_FULL);
		s = search(l, c->id, hash, &found);
	}
	if (found)
		return WKG_CLAIM_SPENT;
	if (s->id_len == 0 && l->used == l->capacity)
		return WKG_CLAIM_REFUSED;
	put(l, s, c, hash);
	return WKG_CLAIM_GRANTED;
}

static wkg_claim
claim(void *store, wkg_span id, int64_t expires, int64_t now_ms)
{
	wkg_memory_ledger *l = store;
	wkg__claim_request c;
	if (!wkg__store_enter(&l->store, &c, id, expires, now_ms))
		return WKG_CLAIM_REFUSED;
	wkg_claim answer = spend(l, &c);
	wkg__store_leave(&l->store);
	return answer;
}

/* ---- set-up -------------------------------------------------------------- */

static size_t
table_size(size_t claims)
{
	size_t slots = wkg__multiply(claims, 2 * sizeof(slot));
	return wkg__add(sizeof(wkg_memory_ledger), slots);
}

size_t
wkg_memory_ledger_size(size_t claims)
{
	return wkg__add(table_size(claims), _Alignof(wkg_memory_ledger) - 1);
}

/* The first address in `memory` that a ledger may start at, NULL if it would
 * not fit. */
static void *
aligned(wkg_work memory, size_t size)
{
	uint8_t *p = memory.ptr;
	size_t past = (uintptr_t)p % _Alignof(wkg_memory_ledger);
	size_t skip = past == 0 ? 0 : _Alignof(wkg_memory_ledger) - past;
	if (p == NULL || skip > memory.size || size > memory.size - skip)
		return NULL;
	return p + skip;
}

wkg_status
wkg_memory_ledger_init(wkg_memory_ledger **out, wkg_work memory, size_t claims,
                       const uint8_t seed[16], int64_t margin_s)
{
	int64_t margin_ms = wkg__margin_ms(margin_s);
	if (out == NULL || seed == NULL || claims == 0 || margin_ms < 0)
		return WKG_E_ARGUMENT;
	size_t size = table_size(claims);
	wkg_memory_ledger *l = aligned(memory, size);
	if (size == SIZE_MAX || l == NULL)
		return WKG_E_SPACE;

	memset(l, 0, size);
	if (!wkg__store_init(&l->store, margin_ms))
		return WKG_E_UNSUPPORTED;
	l->floor_ms = -margin_ms;
	memcpy(l->seed, seed, sizeof l->seed);
	l->capacity = claims;
	*out = l;
	return WKG_OK;
}

wkg_ledger
wkg_memory_ledger_of(wkg_memory_ledger *store)
{
	wkg_ledger ledger = { claim, store };
	return ledger;
}

void
wkg_memory_ledger_stats(const wkg_memory_ledger *store, uint64_t *probes,
                        uint64_t *claims)
{
	wkg_memory_ledger *l = (wkg_memory_ledger *)store; /* for the lock */
	pthread_mutex_lock(&l->store.lock);
	*probes = l->probes;
	*claims = l->claims;
	pthread_mutex_unlock(&l->store.lock);
}
