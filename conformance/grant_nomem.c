/* What happens to grants when memory runs out: each allocation, ours and
 * OpenSSL's, fails in turn, once and for good. A call may then refuse, or be
 * right all the same; it may not be wrong, leak, or leave an error behind. */
#include "nomem.h"

#include <wicketgate/grant.h>

#define HASH "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define NOW INT64_C(1700000000)

/* ---- what must be right, or refused ------------------------------------- */

static const uint8_t seed[WKG_KEY_SIZE] = { 1, 2, 3 }, other_seed[WKG_KEY_SIZE] = { 4, 5, 6 };
static uint8_t key[WKG_KEY_SIZE], other_key[WKG_KEY_SIZE], print[43];
static uint8_t token_bytes[2048], other_bytes[2048], forged_bytes[2048];
static uint8_t public_text[256], private_text[256];
static wkg_buf token = { token_bytes, 0, sizeof token_bytes };
static wkg_buf other = { other_bytes, 0, sizeof other_bytes }; /* by other_seed */
static wkg_buf forged = { forged_bytes, 0, sizeof forged_bytes };
static wkg_buf public_pem = { public_text, 0, sizeof public_text };
static wkg_buf private_pem = { private_text, 0, sizeof private_text };
static wkg_keyring *keyring; /* trusts `key` as "one" */
static wkg_intent intent;
static wkg_work work;

static wkg_status
sign_as(wkg_buf *out, wkg_span kid, const uint8_t *with)
{
	wkg_grant_claims c = {
		.issuer = TEXT("authority"), .audience = TEXT("orders:refund"), .decision_id = TEXT("d"),
		.dossier_id = TEXT("f"), .grant_id = TEXT("g"), .intent_hash = TEXT(HASH), .issued = NOW, .expires = NOW + 60,
	};
	return wkg_grant_sign(out, &c, kid, with, work);
}

static bool
all_zero(const wkg_grant *grant)
{
	static const wkg_grant zero;
	return memcmp(grant, &zero, sizeof zero) == 0;
}

static wkg_status
verify_with(const wkg_keyring *with, const wkg_buf *what, bool *fault)
{
	wkg_grant grant;
	memset(&grant, 0xA7, sizeof grant);
	wkg_status status = wkg_grant_verify(&grant, wkg_buf_span(what), with, &intent, NOW * 1000, work);
	*fault = *fault || (status != WKG_OK && !all_zero(&grant));
	return status;
}

static bool
is_refusal(wkg_status status)
{
	return status == WKG_E_MEMORY || status == WKG_E_CRYPTO || status == WKG_E_REFUSED;
}

static bool
verifies(void)
{
	bool fault = false;
	wkg_status status = verify_with(keyring, &token, &fault);
	return !fault && (status == WKG_OK || is_refusal(status));
}

static bool
refuses_forgery(void)
{
	bool fault = false;
	return is_refusal(verify_with(keyring, &forged, &fault)) && !fault;
}

static bool
signs(void)
{
	uint8_t bytes[2048] = { 'x' };
	wkg_buf out = { bytes, 1, sizeof bytes };
	wkg_status status = sign_as(&out, TEXT(""), seed);
	if (status != WKG_OK)
		return is_refusal(status) && out.len == 1 && bytes[0] == 'x';
	wkg_span made = { bytes + 1, out.len - 1 };
	return same(made, wkg_buf_span(&token));
}

/* A key is added, or the keyring is as it was and takes it the next time. */
static bool
adds(void)
{
	bool fault = false;
	wkg_keyring *k = NULL;
	wkg_status status = wkg_keyring_new(&k, TEXT("authority"), &ours);
	if (status != WKG_OK)
		return status == WKG_E_MEMORY && k == NULL;
	wkg_status first = wkg_keyring_add(k, TEXT(""), key);
	wkg_status second = wkg_keyring_add(k, TEXT("two"), other_key);
	disarm();
	bool holds = (first == WKG_OK || is_refusal(first)) && (second == WKG_OK || is_refusal(second));
	holds = holds && (verify_with(k, &token, &fault) == WKG_OK) == (first == WKG_OK);
	holds = holds && (verify_with(k, &other, &fault) == WKG_OK) == (second == WKG_OK);
	holds = holds && wkg_keyring_add(k, TEXT(""), key) == (first == WKG_OK ? WKG_E_DUPLICATE : WKG_OK);
	holds = holds && wkg_keyring_add(k, TEXT("two"), other_key) == (second == WKG_OK ? WKG_E_DUPLICATE : WKG_OK);
	holds = holds && verify_with(k, &token, &fault) == WKG_OK && verify_with(k, &other, &fault) == WKG_OK;
	wkg_keyring_free(k);
	return holds && !fault;
}

static bool
grows(void)
{
	wkg_keyring *k = NULL;
	size_t added = 0, there = 0;
	if (wkg_keyring_new(&k, TEXT("authority"), &ours) != WKG_OK)
		return true;
	for (uint8_t i = 'a'; i < 'g'; i++)
		added += wkg_keyring_add(k, (wkg_span){ &i, 1 }, key) == WKG_OK;
	disarm();
	for (uint8_t i = 'a'; i < 'g'; i++)
		there += wkg_keyring_revoke(k, (wkg_span){ &i, 1 }) == WKG_OK;
	wkg_keyring_free(k);
	return added == there;
}

static bool
refuses_small_order(void)
{
	static const uint8_t neutral[WKG_KEY_SIZE] = { 1 }, no_point[WKG_KEY_SIZE] = { 2 };
	wkg_keyring *k = NULL;
	if (wkg_keyring_new(&k, TEXT("authority"), &ours) != WKG_OK)
		return true;
	wkg_status first = wkg_keyring_add(k, TEXT("a"), neutral), second = wkg_keyring_add(k, TEXT("b"), no_point);
	wkg_keyring_free(k);
	return (first == WKG_E_INVALID || is_refusal(first)) && (second == WKG_E_INVALID || is_refusal(second));
}

static bool
derives(void)
{
	uint8_t derived[WKG_KEY_SIZE], text[43];
	wkg_status status = wkg_key_public_of_seed(derived, seed);
	bool holds = status == WKG_OK ? memcmp(derived, key, sizeof key) == 0 : is_refusal(status);
	status = wkg_key_thumbprint(text, key);
	return holds && (status == WKG_OK ? memcmp(text, print, sizeof print) == 0 : is_refusal(status));
}

/* Out of memory, PEM looks malformed to OpenSSL: refused all the same. */
static bool
reads_pem(void)
{
	uint8_t got[WKG_KEY_SIZE] = { 0 };
	wkg_status status = wkg_key_public_from_pem(got, wkg_buf_span(&public_pem));
	bool holds = status == WKG_OK ? memcmp(got, key, sizeof key) == 0 : status == WKG_E_SYNTAX || is_refusal(status);
	status = wkg_key_seed_from_pem(got, wkg_buf_span(&private_pem));
	return holds && (status == WKG_OK ? memcmp(got, seed, sizeof seed) == 0 : status == WKG_E_SYNTAX || is_refusal(status));
}

static bool
writes_pem(void)
{
	uint8_t bytes[256];
	wkg_buf out = { bytes, 0, sizeof bytes };
	wkg_status status = wkg_key_public_to_pem(&out, key);
	bool holds = status == WKG_OK ? same(wkg_buf_span(&out), wkg_buf_span(&public_pem)) : is_refusal(status) && out.len == 0;
	out.len = 0;
	status = wkg_key_seed_to_pem(&out, seed);
	return holds && (status == WKG_OK ? same(wkg_buf_span(&out), wkg_buf_span(&private_pem)) : is_refusal(status) && out.len == 0);
}

/* ---- every site in turn ------------------------------------------------- */

static const task tasks[] = {
	{ "verifying", verifies }, { "verifying a forgery", refuses_forgery }, { "signing", signs },
	{ "adding keys", adds }, { "a growing keyring", grows }, { "keys that nobody should trust", refuses_small_order },
	{ "deriving keys and thumbprints", derives }, { "reading PEM", reads_pem }, { "writing PEM", writes_pem },
};

static void
prepare(void)
{
	size_t size = wkg_grant_work_size(WKG_GRANT_TOKEN_MAX);
	wkg_work area = { memory(size), size };
	work = area;
	memcpy(intent.hash, HASH, WKG_INTENT_HASH_LEN);
	intent.audience = TEXT("orders:refund");
	intent.expires_ms = (NOW + 60) * 1000;
	bool done = wkg_key_public_of_seed(key, seed) == WKG_OK && wkg_key_public_of_seed(other_key, other_seed) == WKG_OK &&
	            wkg_key_thumbprint(print, key) == WKG_OK && sign_as(&token, TEXT(""), seed) == WKG_OK &&
	            sign_as(&other, TEXT("two"), other_seed) == WKG_OK && sign_as(&forged, (wkg_span){ print, sizeof print }, other_seed) == WKG_OK &&
	            wkg_key_public_to_pem(&public_pem, key) == WKG_OK && wkg_key_seed_to_pem(&private_pem, seed) == WKG_OK &&
	            wkg_keyring_new(&keyring, TEXT("authority"), &ours) == WKG_OK && wkg_keyring_add(keyring, TEXT(""), key) == WKG_OK;
	if (!done)
		abort();
}

int
main(void)
{
	bool hooked = count_openssl();
	prepare();
	CLAIM("OpenSSL allocates through our counter", hooked && heap.total > 0);
	claim_sweeps(tasks, sizeof tasks / sizeof *tasks);
	bool fault = false;
	CLAIM("afterwards all is as it was", verify_with(keyring, &token, &fault) == WKG_OK && refuses_forgery() && !fault);
	wkg_keyring_free(keyring);
	return finish();
}
