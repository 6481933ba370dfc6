/* intent.h - what exactly is to be done, as bytes that can be approved.
 *
 * A *proposal* comes from the agent and is not trusted; a *context* comes from
 * the runtime that hosts it. Captured together they are an *intent*, whose
 * binding form has one canonical text (RFC 8785) and one hash. Approving means
 * approving that hash; the executor recomputes it from the intent (X1).
 *
 *   proposal  {"action":"refund_order",       [a-z][a-z0-9._:-]*, 1..120
 *              "target":"order:1",            1..500
 *              "parameters":{...}}            optional
 *   context   {"tenantId":UUID,
 *              "actor":{"id":,"type":,        1..200 each
 *                       "runtime":,           optional, 1..200
 *                       "trustLevel":},       optional, 1..80
 *              "downstreamTarget":{"system":,"operation":,   1..200 each
 *                       "environment":,       optional, 1..200; B only
 *                       "endpoint":},         optional, 1..500
 *              "idempotencyKey":,             1..180
 *              "context":{...},               optional
 *              "correlationId":,              optional, 1..200; not hashed
 *              "expectedEffectDigest":}       optional, "sha256:..."; B only
 *
 * All input is JSON text, read strictly: duplicate names, surrogate escapes
 * without their partner, ill-formed UTF-8 and numbers beyond the range of a
 * double are refused, because readers disagree about what they mean.
 *
 * Reasons are the public project's own words ("INTENT_TOO_DEEP"), so that logs
 * of either implementation read alike.
 *
 * Threads: pure functions. No clock, no randomness: time and ids are arguments.
 */
#ifndef WICKETGATE_INTENT_H
#define WICKETGATE_INTENT_H

#include "base.h"
#include "json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The two formats that share the version string "agent-safe.intent/1"; always
 * named, never guessed. They differ in where the idempotency key stands (A: at
 * the top, B: in the context) and in members only B has. For something new, B. */
typedef enum wkg_binding {
	WKG_BINDING_INVALID = 0,
	WKG_BINDING_A = 1,
	WKG_BINDING_B = 2,
} wkg_binding;

#define WKG_INTENT_HASH_LEN 71u /* "sha256:" and 64 hexadecimal digits */

/* Limits of an intent. The canonical text may have `bytes` bytes, not more. What
 * was captured with larger ones than the default is opened by nobody. */
typedef struct wkg_intent_limits {
	size_t depth;    /* 20, the binding itself is 0 */
	size_t entries;  /* 5000 members and elements, of everything in it */
	size_t array;    /* 1000 elements of one array */
	size_t bytes;    /* 102400 */
} wkg_intent_limits;

WKG_API wkg_intent_limits wkg_intent_limits_default(void);

/* Which of the inputs is wrong, where, and why. */
typedef enum wkg_intent_part {
	WKG_INTENT_PART_NONE = 0,
	WKG_INTENT_PART_PROPOSAL = 1,
	WKG_INTENT_PART_CONTEXT = 2,
	WKG_INTENT_PART_BINDING = 3,
	WKG_INTENT_PART_ENVELOPE = 4,
} wkg_intent_part;

typedef struct wkg_intent_error {
	wkg_intent_part part;
	size_t at;          /* byte offset in that part */
	const char *reason; /* "INTENT_TOO_DEEP", ..., "" without an error */
	const char *what;   /* the same for people */
} wkg_intent_error;

/* Scratch memory for `n` bytes of input, all texts of a call together; about
 * 70 n. SIZE_MAX on overflow. */
WKG_API size_t wkg_intent_work_size(size_t n);

/* Append the canonical form (RFC 8785) of any JSON value: members sorted by the
 * UTF-16 of their names, ECMAScript's number text, no white space. Room for
 * wkg_intent_canonical_bound(n) always suffices. `error` may be NULL, here and
 * below.
 *
 * WKG_E_SYNTAX, WKG_E_ENCODING, WKG_E_DUPLICATE: not I-JSON; error->at.
 * WKG_E_SPACE: the result or the work does not fit. */
WKG_API size_t wkg_intent_canonical_bound(size_t n);
WKG_API WKG_MUST_USE wkg_status
wkg_intent_canonical(wkg_buf *out, wkg_span json, wkg_work work,
                     wkg_intent_error *error);

/* Append the canonical form of a binding object in wire form
 * (`protocol_version`, `tenant_id`, ...), after checking that it is one: its
 * shape, every member, the limits. Judges the bytes as given: trims nothing.
 *
 * WKG_E_LIMIT: more than the limits allow.
 * WKG_E_INVALID: not a binding of this profile. */
WKG_API WKG_MUST_USE wkg_status
wkg_intent_bind(wkg_buf *out, wkg_span json, wkg_binding binding,
                const wkg_intent_limits *limits, wkg_work work,
                wkg_intent_error *error);

/* The hash of a canonical text. No final NUL. */
WKG_API WKG_MUST_USE wkg_status
wkg_intent_hash(uint8_t hash[WKG_INTENT_HASH_LEN], wkg_span canonical);

/* What capture needs to know besides the two texts. */
typedef struct wkg_capture {
	wkg_binding binding;
	wkg_intent_limits limits;
	int64_t now_ms;     /* since 1970, of the runtime's clock */
	int64_t ttl_ms;     /* 60000 is usual; brought into 1000..300000 */
	wkg_span intent_id; /* a fresh UUID version 4 */
} wkg_capture;

/* Append the envelope of an intent,
 *
 *     {"intent":{...},"canonical":"...","hash":"sha256:...","length":n}
 *
 * Strings of fixed members are trimmed (ECMAScript's white space) before they
 * are measured, in UTF-16 units. Members that are not known are refused, one
 * that claims to be an authorization in particular (X10). */
WKG_API size_t wkg_intent_envelope_bound(size_t n);
WKG_API WKG_MUST_USE wkg_status
wkg_intent_capture(wkg_buf *out, wkg_span proposal, wkg_span context,
                   const wkg_capture *capture, wkg_work work,
                   wkg_intent_error *error);

/* An envelope that was recomputed: from its intent alone follow the text, the
 * hash and the length it claims. Spans point into the work area. */
typedef struct wkg_intent {
	wkg_span canonical;
	uint8_t hash[WKG_INTENT_HASH_LEN];
	wkg_span action;     /* "refund_order" */
	wkg_span parameters; /* their canonical text: what was hashed */
	wkg_span audience;   /* "system:operation" of the downstream target */
	int64_t expires_ms;
} wkg_intent;

/* WKG_E_INVALID with reason INTENT_CONFORMANCE_FAILED if they do not. */
WKG_API WKG_MUST_USE wkg_status
wkg_intent_open(wkg_intent *intent, wkg_span envelope, wkg_binding binding,
                wkg_work work, wkg_intent_error *error);

#ifdef __cplusplus
}
#endif
#endif
