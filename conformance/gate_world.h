/* gate_world.h - an envelope and a decision about it, for tests of the gate. */
#ifndef WKG_CONFORMANCE_GATE_WORLD_H
#define WKG_CONFORMANCE_GATE_WORLD_H

#include "harness.h"

#include <wicketgate/authority.h>
#include <wicketgate/executor.h>

#define NOW INT64_C(1786701600000)
#define REFUND "{\"action\":\"refund_order\",\"target\":\"order:1\",\"parameters\":{\"amount\":350}}"

static const uint8_t seed[WKG_KEY_SIZE] = { 1, 2, 3, 4 };

static inline wkg_span
captured_text(const char *proposal)
{
	wkg_span p = { (const uint8_t *)proposal, strlen(proposal) };
	wkg_span context = TEXT("{\"tenantId\":\"00000000-0000-4000-8000-000000000002\",\"actor\":{\"id\":\"a\",\"type\":\"AI_AGENT\"},\"downstreamTarget\":{\"system\":\"shop\",\"operation\":\"refund\"},\"idempotencyKey\":\"k1\"}");
	wkg_capture c = { WKG_BINDING_B, wkg_intent_limits_default(), NOW, 60000, TEXT("11111111-1111-4111-8111-111111111111") };
	size_t n = p.len + context.len, bound = wkg_intent_envelope_bound(n), size = wkg_intent_work_size(n);
	wkg_buf out = { memory(bound), 0, bound };
	wkg_work work = { memory(size), size };
	if (wkg_intent_capture(&out, p, context, &c, work, NULL) != WKG_OK)
		abort();
	return wkg_buf_span(&out);
}

static unsigned decisions;

static inline wkg_span
decided(wkg_span envelope, wkg_verdict verdict, int64_t now_ms, int64_t ttl_s)
{
	static wkg_intent intent;
	char *uuids = (char *)memory(3 * 40);
	for (unsigned i = 0; i < 3; i++)
		snprintf(uuids + 40 * i, 40, "%08x-0000-4000-8000-%012x", i, decisions);
	decisions++;
	size_t size = wkg_intent_work_size(envelope.len), more = wkg_authority_work_size();
	wkg_work work = { memory(size), size }, signing = { memory(more), more };
	wkg_authority authority = { true, TEXT("test"), seed, { NULL, 0 } };
	wkg_ruling ruling = { verdict, { (uint8_t *)uuids, 36 }, { (uint8_t *)uuids + 40, 36 }, { (uint8_t *)uuids + 80, 36 }, now_ms, ttl_s };
	wkg_buf out = { memory(WKG_DECISION_MAX), 0, WKG_DECISION_MAX };
	if (wkg_intent_open(&intent, envelope, WKG_BINDING_B, work, NULL) != WKG_OK ||
	    wkg_authority_decide(&out, &authority, &intent, &ruling, signing) != WKG_OK)
		abort();
	return wkg_buf_span(&out);
}

#endif
