/* intent.c - canonical text, bindings, capture, envelopes. */
#include "adapter.h"

#include <string.h>

wkg_binding
wga_binding(wga_ask *ask)
{
	wkg_span name = wga_text_of(ask, ask->args, "binding");
	if (wga_same(name, "a"))
		return WKG_BINDING_A;
	ask->bad |= !wga_same(name, "b");
	return WKG_BINDING_B;
}

/* The library's reasons are the codes of the protocol. */
static const char *
refused(wga_ask *ask, wkg_status status, const wkg_intent_error *error)
{
	if (error->reason == NULL || error->reason[0] == 0)
		return wga_internal(ask, "intent", status);
	wga_put_string(ask, "message", error->what);
	return error->reason;
}

static const char *
put_canonical(wga_ask *ask, wkg_span canonical)
{
	uint8_t hash[WKG_INTENT_HASH_LEN];
	wkg_status status = wkg_intent_hash(hash, canonical);
	if (status != WKG_OK)
		return wga_internal(ask, "wkg_intent_hash", status);
	wga_put_text(ask, "canonical", canonical);
	wga_put_text(ask, "hash", (wkg_span){ hash, sizeof hash });
	return NULL;
}

const char *
wga_intent_canonical(wga_ask *ask)
{
	wkg_span json = wga_text_of(ask, ask->args, "json");
	wkg_buf out = wga_room(ask, wkg_intent_canonical_bound(json.len));
	wkg_intent_error error = { 0 };
	wkg_status status = wkg_intent_canonical(&out, json,
		wga_work(ask, wkg_intent_work_size(json.len)), &error);
	return status != WKG_OK ? refused(ask, status, &error) : put_canonical(ask, wkg_buf_span(&out));
}

const char *
wga_intent_bind(wga_ask *ask)
{
	wkg_span json = wga_text_of(ask, ask->args, "json");
	wkg_buf out = wga_room(ask, wkg_intent_canonical_bound(json.len));
	wkg_intent_error error = { 0 };
	wkg_status status = wkg_intent_bind(&out, json, wga_binding(ask), &wga_current.intent,
		wga_work(ask, wkg_intent_work_size(json.len)), &error);
	return status != WKG_OK ? refused(ask, status, &error) : put_canonical(ask, wkg_buf_span(&out));
}

/* What the library puts into the envelope, told apart again. */
static const char *
put_envelope(wga_ask *ask, wkg_span envelope, wkg_binding binding)
{
	wkg_intent intent;
	wkg_intent_error error = { 0 };
	wkg_status status = wkg_intent_open(&intent, envelope, binding,
		wga_work(ask, wkg_intent_work_size(envelope.len)), &error);
	if (status != WKG_OK)
		return wga_internal(ask, "opening what was captured", status);
	wga_put_text(ask, "envelope", envelope);
	wga_put_text(ask, "canonical", intent.canonical);
	wga_put_text(ask, "hash", (wkg_span){ intent.hash, sizeof intent.hash });
	return NULL;
}

const char *
wga_intent_capture(wga_ask *ask)
{
	wkg_span proposal = wga_text_of(ask, ask->args, "proposal");
	wkg_span context = wga_text_of(ask, ask->args, "context");
	wkg_capture capture = { .binding = wga_binding(ask), .limits = wga_current.intent,
		.now_ms = wga_integer(ask, wga_need(ask, ask->args, "now_ms")),
		.ttl_ms = wga_integer(ask, wga_need(ask, ask->args, "ttl_ms")),
		.intent_id = wga_text_of(ask, ask->args, "intent_id") };
	size_t size = proposal.len + context.len;
	wkg_buf out = wga_room(ask, wkg_intent_envelope_bound(size));
	wkg_intent_error error = { 0 };
	wkg_status status = wkg_intent_capture(&out, proposal, context, &capture,
		wga_work(ask, wkg_intent_work_size(size)), &error);
	if (status != WKG_OK)
		return refused(ask, status, &error);
	return put_envelope(ask, wkg_buf_span(&out), capture.binding);
}

const char *
wga_intent_open(wga_ask *ask)
{
	wkg_span envelope = wga_text_of(ask, ask->args, "envelope");
	wkg_intent intent;
	wkg_intent_error error = { 0 };
	wkg_status status = wkg_intent_open(&intent, envelope, wga_binding(ask),
		wga_work(ask, wkg_intent_work_size(envelope.len)), &error);
	if (status != WKG_OK)
		return refused(ask, status, &error);
	wga_put_text(ask, "hash", (wkg_span){ intent.hash, sizeof intent.hash });
	return NULL;
}
