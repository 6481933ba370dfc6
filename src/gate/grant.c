/* grant.c - the keys that are trusted, and what they signed.
 *
 * verify() is the order of the checks: nothing in a token is looked at before
 * the step that makes it worth looking at. The header chooses one key among
 * those that were registered, and that is all it can choose. */
#include "../allocator.h"
#include "base64url.h"
#include "crypto.h"
#include "number.h"
#include "tape.h"

#include <string.h>
#include <wicketgate/grant.h>

/* Is this a name that a key, an issuer or a grant can have? */
static bool
is_id(wkg_span text, size_t most)
{
	return text.len >= 1 && text.len <= most && text.ptr != NULL &&
	       wkg_utf8_first_error(text) == text.len;
}

static bool
is_same(wkg_span a, wkg_span b)
{
	return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static wkg_span
id_span(const wkg_id *id)
{
	wkg_span span = { id->text, id->len };
	return span;
}

/* ---- keyring ------------------------------------------------------------ */

/* A key that was revoked keeps its entry, so that its kid cannot come back
 * meaning another key. */
typedef struct entry {
	uint8_t kid[WKG_KID_MAX];
	size_t kid_len;
	wkg__public_key *key; /* NULL once revoked */
} entry;

struct wkg_keyring {
	wkg_allocator allocator;
	wkg_id issuer;
	entry *entries;
	size_t count;
	size_t capacity;
};

wkg_status
wkg_keyring_new(wkg_keyring **out, wkg_span issuer,
                const wkg_allocator *allocator)
{
	wkg_allocator a = wkg__allocator_or_malloc(allocator);
	if (out == NULL || !is_id(issuer, WKG_ID_MAX))
		return WKG_E_ARGUMENT;

	wkg_keyring *k = a.acquire(a.ctx, sizeof *k);
	if (k == NULL)
		return WKG_E_MEMORY;
	memset(k, 0, sizeof *k);
	k->allocator = a;
	memcpy(k->issuer.text, issuer.ptr, issuer.len);
	k->issuer.len = issuer.len;
	*out = k;
	return WKG_OK;
}

void
wkg_keyring_free(wkg_keyring *k)
{
	if (k == NULL)
		return;
	wkg_allocator allocator = k->allocator;
	for (size_t i = 0; i < k->count; i++)
		wkg__public_key_free(k->entries[i].key);
	if (k->entries != NULL)
		allocator.release(allocator.ctx, k->entries);
	allocator.release(allocator.ctx, k);
}

/* One after the other: a thousand keys are looked through in a tenth of the
 * time that one signature takes. */
static entry *
find(const wkg_keyring *k, wkg_span kid)
{
	for (size_t i = 0; i < k->count; i++) {
		entry *e = &k->entries[i];
		wkg_span taken = { e->kid, e->kid_len };
		if (is_same(taken, kid))
			return e;
	}
	return NULL;
}

static wkg_status
make_room(wkg_keyring *k)
{
	const wkg_allocator *a = &k->allocator;
	size_t more = k->capacity == 0 ? 4 : wkg__multiply(k->capacity, 2);
	size_t size = wkg__multiply(more, sizeof *k->entries);
	if (k->count < k->capacity)
		return WKG_OK;
	entry *entries = size == SIZE_MAX ? NULL : a->acquire(a->ctx, size);
	if (entries == NULL)
		return WKG_E_MEMORY;
	if (k->entries != NULL) {
		memcpy(entries, k->entries, k->count * sizeof *entries);
		a->release(a->ctx, k->entries);
	}
	k->entries = entries;
	k->capacity = more;
	return WKG_OK;
}

wkg_status
wkg_keyring_add(wkg_keyring *k, wkg_span kid, const uint8_t key[WKG_KEY_SIZE])
{
	uint8_t thumbprint[43];
	wkg_span name = kid;
	if (k == NULL || key == NULL || (kid.len > 0 && !is_id(kid, WKG_KID_MAX)))
		return WKG_E_ARGUMENT;
	if (kid.len == 0) {
		WKG_TRY(wkg_key_thumbprint(thumbprint, key));
		name.ptr = thumbprint;
		name.len = sizeof thumbprint;
	}
	if (find(k, name) != NULL)
		return WKG_E_DUPLICATE;
	WKG_TRY(make_room(k));
	entry *e = &k->entries[k->count];
	WKG_TRY(wkg__public_key_new(&e->key, key, &k->allocator));
	memcpy(e->kid, name.ptr, name.len);
	e->kid_len = name.len;
	k->count++;
	return WKG_OK;
}

wkg_status
wkg_keyring_revoke(wkg_keyring *k, wkg_span kid)
{
	if (k == NULL || (kid.ptr == NULL && kid.len > 0))
		return WKG_E_ARGUMENT;
	entry *e = kid.len == 0 ? NULL : find(k, kid);
	if (e == NULL || e->key == NULL)
		return WKG_E_NOT_FOUND;
	wkg__public_key_free(e->key);
	e->key = NULL;
	return WKG_OK;
}

/* RFC 7638, with the members that RFC 8037 section 2 says. */
wkg_status
wkg_key_thumbprint(uint8_t out[43], const uint8_t key[WKG_KEY_SIZE])
{
	uint8_t memory[128], digest[WKG__SHA256_SIZE];
	wkg_buf jwk = { memory, 0, sizeof memory }, text = { out, 0, 43 };
	wkg_span raw = { key, WKG_KEY_SIZE }, hash = { digest, sizeof digest };
	if (out == NULL || key == NULL)
		return WKG_E_ARGUMENT;
	WKG_TRY(wkg__append_text(&jwk, "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\""));
	WKG_TRY(wkg__base64url_encode(&jwk, raw));
	WKG_TRY(wkg__append_text(&jwk, "\"}"));
	WKG_TRY(wkg__sha256(digest, wkg_buf_span(&jwk)));
	return wkg__base64url_encode(&text, hash);
}

/* ---- verifying ---------------------------------------------------------- */

/* What stays the same during one verification. */
typedef struct job {
	const wkg_keyring *keyring;
	const wkg_intent *intent;
	int64_t now_ms;
	wkg_work work; /* what is left of it */
} job;

/* The decoded parts, a string of them, and the records of one; each may lose a
 * few bytes to alignment. */
size_t
wkg_grant_work_size(size_t token_len)
{
	bool read = token_len < WKG_GRANT_TOKEN_MAX;
	size_t n = read ? token_len : WKG_GRANT_TOKEN_MAX;
	return 2 * n + 4 * WKG__ALIGNMENT + wkg__tape_size(n / 4 * 3 + 3);
}

/* The parts between the dots, of which there are two. */
static wkg_status
split(wkg_span token, wkg_span part[3])
{
	size_t from = 0, count = 0;
	for (size_t at = 0; at <= token.len; at++) {
		if (at < token.len && token.ptr[at] != '.')
			continue;
		if (count == 3)
			return WKG_E_REFUSED;
		part[count].ptr = token.ptr + from;
		part[count++].len = at - from;
		from = at + 1;
	}
	return count == 3 ? WKG_OK : WKG_E_REFUSED;
}

static wkg_status
decode(job *j, wkg_span *bytes, wkg_span text)
{
	wkg_buf out = { wkg__take(&j->work, text.len), 0, text.len };
	if (out.ptr == NULL)
		return WKG_E_SPACE;
	WKG_TRY(wkg__base64url_decode(&out, text));
	*bytes = wkg_buf_span(&out);
	return WKG_OK;
}

/* The members of an object that has these and no others. */
static wkg_status
take_members(uint32_t *member, const wkg__tape *t, uint32_t object,
             const char *const *names, size_t count)
{
	size_t there = 0;
	for (uint32_t i = t->nodes[object].first; i != 0; i = t->nodes[i].next)
		there++;
	if (there != count)
		return WKG_E_REFUSED;
	for (size_t i = 0; i < count; i++) {
		member[i] = wkg__tape_member(t, object, names[i]);
		if (member[i] == 0)
			return WKG_E_REFUSED;
	}
	return WKG_OK;
}

static wkg_status
read_string(wkg_buf *out, const wkg__tape *t, uint32_t node)
{
	if (t->nodes[node].kind != WKG_JSON_STRING)
		return WKG_E_REFUSED;
	return wkg__tape_text(out, t, node);
}

/* The key that a header names. Everything else in a header is as it has to be:
 * a token that could say how it wants to be verified would be believed. */
static wkg_status
choose_key(const job *j, wkg_span header, const wkg__public_key **key)
{
	static const char *const names[] = { "alg", "kid", "typ" };
	uint32_t member[3];
	uint8_t memory[WKG_KID_MAX];
	wkg_buf kid = { memory, 0, sizeof memory };
	wkg_work work = j->work;
	wkg__tape tape;

	WKG_TRY(wkg__tape_read(&tape, header, &work));
	WKG_TRY(take_members(member, &tape, 0, names, 3));
	if (!wkg__tape_equals(&tape, member[0], "EdDSA") ||
	    !wkg__tape_equals(&tape, member[2], "JWT"))
		return WKG_E_REFUSED;
	WKG_TRY(read_string(&kid, &tape, member[1]));
	const entry *e = find(j->keyring, wkg_buf_span(&kid));
	if (e == NULL || e->key == NULL)
		return WKG_E_REFUSED;
	*key = e->key;
	return WKG_OK;
}

enum claim {
	AUD,
	BINDING,
	DECISION,
	DECISION_ID,
	DOSSIER_ID,
	EXP,
	IAT,
	ISS,
	JTI,
	NBF,
	SCOPE,
	CLAIMS
};

static const char *const claim_names[CLAIMS] = {
	[AUD] = "aud",
	[BINDING] = "binding",
	[DECISION] = "decision",
	[DECISION_ID] = "decision_id",
	[DOSSIER_ID] = "dossier_id",
	[EXP] = "exp",
	[IAT] = "iat",
	[ISS] = "iss",
	[JTI] = "jti",
	[NBF] = "nbf",
	[SCOPE] = "scope",
};

/* Is this string that text, to the byte? */
static wkg_status
match(const job *j, const wkg__tape *t, uint32_t node, wkg_span expected)
{
	size_t size = t->nodes[node].to - t->nodes[node].from;
	wkg_work work = j->work;
	wkg_buf text = { wkg__take(&work, size), 0, size };
	if (text.ptr == NULL)
		return WKG_E_SPACE;
	WKG_TRY(read_string(&text, t, node));
	return is_same(wkg_buf_span(&text), expected) ? WKG_OK : WKG_E_REFUSED;
}

static wkg_status
read_id(wkg_id *id, const wkg__tape *t, uint32_t node)
{
	wkg_buf text = { id->text, 0, sizeof id->text };
	WKG_TRY(read_string(&text, t, node));
	id->len = text.len;
	return id->len > 0 ? WKG_OK : WKG_E_REFUSED;
}

/* Seconds that are still a number in milliseconds. */
#define SECONDS_MAX (INT64_MAX / 1000)

/* Digits and nothing else: 1.0 and 1e9 are integers to some readers. */
static wkg_status
read_seconds(int64_t *seconds, const wkg__tape *t, uint32_t node)
{
	const wkg__node *n = &t->nodes[node];
	int64_t value = 0;
	if (n->kind != WKG_JSON_NUMBER)
		return WKG_E_REFUSED;
	for (size_t at = n->from; at < n->to; at++) {
		uint8_t c = t->doc.ptr[at];
		if (c < '0' || c > '9' || value > SECONDS_MAX / 10)
			return WKG_E_REFUSED;
		value = value * 10 + (c - '0');
	}
	*seconds = value;
	return value <= SECONDS_MAX ? WKG_OK : WKG_E_REFUSED;
}

static wkg_status
check_times(const job *j, const wkg__tape *t, const uint32_t *claim,
            int64_t *expires)
{
	int64_t issued, not_before;
	WKG_TRY(read_seconds(&issued, t, claim[IAT])); /* binds nobody */
	WKG_TRY(read_seconds(&not_before, t, claim[NBF]));
	WKG_TRY(read_seconds(expires, t, claim[EXP]));
	bool now = not_before * 1000 <= j->now_ms && *expires * 1000 > j->now_ms;
	return now && *expires * 1000 <= j->intent->expires_ms ? WKG_OK :
	                                                         WKG_E_REFUSED;
}

static wkg_status
check_binding(const job *j, const wkg__tape *t, const uint32_t *claim)
{
	static const char *const names[] = { "intent_hash" };
	wkg_span hash = { j->intent->hash, sizeof j->intent->hash };
	uint32_t bound;
	WKG_TRY(take_members(&bound, t, claim[BINDING], names, 1));
	return match(j, t, bound, hash);
}

/* Only after the signature: what stands here was written by an authority. It
 * may still be about something else. */
static wkg_status
check_claims(job *j, wkg_span claims, wkg_grant *grant)
{
	static const wkg_span allow = WKG_LIT("allow"), execute = WKG_LIT("execute");
	uint32_t claim[CLAIMS];
	wkg__tape t;

	WKG_TRY(wkg__tape_read(&t, claims, &j->work));
	WKG_TRY(take_members(claim, &t, 0, claim_names, CLAIMS));
	WKG_TRY(match(j, &t, claim[DECISION], allow));
	WKG_TRY(match(j, &t, claim[SCOPE], execute));
	WKG_TRY(match(j, &t, claim[ISS], id_span(&j->keyring->issuer)));
	WKG_TRY(match(j, &t, claim[AUD], j->intent->audience));
	WKG_TRY(check_binding(j, &t, claim));
	WKG_TRY(check_times(j, &t, claim, &grant->expires));
	WKG_TRY(read_id(&grant->id, &t, claim[JTI]));
	WKG_TRY(read_id(&grant->decision_id, &t, claim[DECISION_ID]));
	WKG_TRY(read_id(&grant->dossier_id, &t, claim[DOSSIER_ID]));
	memcpy(grant->intent_hash, j->intent->hash, sizeof grant->intent_hash);
	return WKG_OK;
}

static wkg_status
verify(job *j, wkg_span token, wkg_grant *grant)
{
	wkg_span part[3], header, claims, signature;
	const wkg__public_key *key;

	WKG_TRY(split(token, part));
	WKG_TRY(decode(j, &header, part[0]));
	WKG_TRY(decode(j, &claims, part[1]));
	WKG_TRY(decode(j, &signature, part[2]));
	WKG_TRY(choose_key(j, header, &key));
	wkg_span message = { token.ptr, part[0].len + 1 + part[1].len };
	WKG_TRY(wkg__verify(key, message, signature));
	return check_claims(j, claims, grant);
}

/* Is what a call writes to clear of what a verification reads? */
static bool
is_clear(const void *ptr, size_t size, wkg_span token, const wkg_intent *intent)
{
	wkg_span audience = intent->audience;
	return wkg__disjoint(ptr, size, token.ptr, token.len) &&
	       wkg__disjoint(ptr, size, intent, sizeof *intent) &&
	       wkg__disjoint(ptr, size, audience.ptr, audience.len);
}

static wkg_status
check_arguments(const wkg_grant *grant, wkg_span token,
                const wkg_keyring *keyring, const wkg_intent *intent,
                wkg_work work)
{
	if (keyring == NULL || intent == NULL || intent->audience.ptr == NULL ||
	    intent->audience.len == 0 || (token.ptr == NULL && token.len > 0))
		return WKG_E_ARGUMENT;
	bool clear = is_clear(grant, sizeof *grant, token, intent) &&
	             is_clear(work.ptr, work.size, token, intent) &&
	             wkg__disjoint(work.ptr, work.size, grant, sizeof *grant);
	return clear ? WKG_OK : WKG_E_ARGUMENT;
}

wkg_status
wkg_grant_verify(wkg_grant *grant, wkg_span token, const wkg_keyring *keyring,
                 const wkg_intent *intent, int64_t now_ms, wkg_work work)
{
	wkg_grant result;
	if (grant == NULL)
		return WKG_E_ARGUMENT;
	memset(grant, 0, sizeof *grant);
	WKG_TRY(check_arguments(grant, token, keyring, intent, work));
	if (token.len == 0 || token.len > WKG_GRANT_TOKEN_MAX)
		return WKG_E_REFUSED;
	if (work.ptr == NULL || work.size < wkg_grant_work_size(token.len))
		return WKG_E_SPACE;

	memset(&result, 0, sizeof result);
	job j = { keyring, intent, now_ms, work };
	wkg_status status = verify(&j, token, &result);
	if (status == WKG_OK)
		*grant = result;
	else if (status != WKG_E_CRYPTO)
		status = WKG_E_REFUSED; /* and not why */
	return status;
}

/* ---- signing ------------------------------------------------------------ */

static wkg_status
put_header(wkg_buf *out, wkg_span kid)
{
	WKG_TRY(wkg__append_text(out, "{\"alg\":\"EdDSA\",\"kid\":"));
	WKG_TRY(wkg_json_quote(out, kid));
	return wkg__append_text(out, ",\"typ\":\"JWT\"}");
}

/* Members in the order of RFC 8785. No time is below 0 (is_claimable()). */
static wkg_status
put_claims(wkg_buf *out, const wkg_grant_claims *c)
{
	WKG_TRY(wkg__append_text(out, "{\"aud\":"));
	WKG_TRY(wkg_json_quote(out, c->audience));
	WKG_TRY(wkg__append_text(out, ",\"binding\":{\"intent_hash\":"));
	WKG_TRY(wkg_json_quote(out, c->intent_hash));
	WKG_TRY(wkg__append_text(out, "},\"decision\":\"allow\",\"decision_id\":"));
	WKG_TRY(wkg_json_quote(out, c->decision_id));
	WKG_TRY(wkg__append_text(out, ",\"dossier_id\":"));
	WKG_TRY(wkg_json_quote(out, c->dossier_id));
	WKG_TRY(wkg__append_text(out, ",\"exp\":"));
	WKG_TRY(wkg__number_whole(out, (uint64_t)c->expires));
	WKG_TRY(wkg__append_text(out, ",\"iat\":"));
	WKG_TRY(wkg__number_whole(out, (uint64_t)c->issued));
	WKG_TRY(wkg__append_text(out, ",\"iss\":"));
	WKG_TRY(wkg_json_quote(out, c->issuer));
	WKG_TRY(wkg__append_text(out, ",\"jti\":"));
	WKG_TRY(wkg_json_quote(out, c->grant_id));
	WKG_TRY(wkg__append_text(out, ",\"nbf\":"));
	WKG_TRY(wkg__number_whole(out, (uint64_t)c->issued));
	return wkg__append_text(out, ",\"scope\":\"execute\"}");
}

static wkg_status
write_token(wkg_buf *out, const wkg_grant_claims *claims, wkg_span kid,
            const uint8_t seed[WKG_KEY_SIZE], wkg_work work)
{
	wkg_buf text = { work.ptr, 0, work.size };
	uint8_t bytes[WKG__SIGNATURE_SIZE];
	wkg_span signature = { bytes, sizeof bytes };
	size_t start = out->len;

	WKG_TRY(put_header(&text, kid));
	wkg_span header = wkg_buf_span(&text);
	WKG_TRY(put_claims(&text, claims));
	wkg_span rest = { text.ptr + header.len, text.len - header.len };
	size_t size = wkg__base64url_size(header.len) + 1 +
	              wkg__base64url_size(rest.len) + 1 +
	              wkg__base64url_size(signature.len);
	if (size > WKG_GRANT_TOKEN_MAX)
		return WKG_E_LIMIT;

	WKG_TRY(wkg__base64url_encode(out, header));
	WKG_TRY(wkg__append_text(out, "."));
	WKG_TRY(wkg__base64url_encode(out, rest));
	wkg_span message = { out->ptr + start, out->len - start };
	WKG_TRY(wkg__sign(bytes, message, seed));
	WKG_TRY(wkg__append_text(out, "."));
	return wkg__base64url_encode(out, signature);
}

/* Would a token with these claims verify at some time, for some intent? */
static bool
is_claimable(const wkg_grant_claims *c)
{
	return is_id(c->issuer, WKG_ID_MAX) && is_id(c->grant_id, WKG_ID_MAX) &&
	       is_id(c->decision_id, WKG_ID_MAX) &&
	       is_id(c->dossier_id, WKG_ID_MAX) && is_id(c->audience, SIZE_MAX) &&
	       is_id(c->intent_hash, WKG_INTENT_HASH_LEN) &&
	       c->intent_hash.len == WKG_INTENT_HASH_LEN && c->issued >= 0 &&
	       c->expires > c->issued && c->expires <= SECONDS_MAX;
}

static wkg_status
check_memory(const wkg_buf *out, const wkg_grant_claims *c, wkg_span kid,
             const uint8_t *seed, wkg_work work)
{
	const wkg_span inputs[] = {
		c->issuer, c->audience, c->decision_id, c->dossier_id,
		c->grant_id, c->intent_hash, kid, { seed, WKG_KEY_SIZE },
	};
	bool clear = true;
	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		wkg_span in = inputs[i];
		WKG_TRY(wkg__check_spans(out, in));
		clear = clear && wkg__disjoint(work.ptr, work.size, in.ptr, in.len);
	}
	clear = clear && wkg__disjoint(work.ptr, work.size, c, sizeof *c) &&
	        wkg__disjoint(work.ptr, work.size, out->ptr, out->cap);
	return clear ? WKG_OK : WKG_E_ARGUMENT;
}

wkg_status
wkg_grant_sign(wkg_buf *out, const wkg_grant_claims *claims, wkg_span kid,
               const uint8_t seed[WKG_KEY_SIZE], wkg_work work)
{
	uint8_t key[WKG_KEY_SIZE], thumbprint[43];
	wkg_span name = kid;
	if (claims == NULL || !is_claimable(claims) ||
	    (kid.len > 0 && !is_id(kid, WKG_KID_MAX)))
		return WKG_E_ARGUMENT;
	WKG_TRY(check_memory(out, claims, kid, seed, work));
	if (work.ptr == NULL)
		return WKG_E_SPACE;
	if (kid.len == 0) {
		WKG_TRY(wkg_key_public_of_seed(key, seed));
		WKG_TRY(wkg_key_thumbprint(thumbprint, key));
		name.ptr = thumbprint;
		name.len = sizeof thumbprint;
	}
	wkg_buf result = *out;
	WKG_TRY(write_token(&result, claims, name, seed, work));
	*out = result;
	return WKG_OK;
}
