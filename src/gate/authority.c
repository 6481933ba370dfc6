/* authority.c - grants for demos and tests, and for nothing else. */
#include "instant.h"
#include "tape.h"

#include <string.h>
#include <wicketgate/authority.h>

static bool
is_allowed(const wkg_authority *a)
{
	static const wkg_span production = WKG_LIT("production");
	bool in_production = a->environment.len == production.len &&
	                     memcmp(a->environment.ptr, production.ptr, production.len) == 0;
	return a->unsafe_development && !in_production;
}

static const char *
verdict_name(wkg_verdict verdict)
{
	switch (verdict) {
	case WKG_VERDICT_BLOCK: return "BLOCK";
	case WKG_VERDICT_ESCALATE: return "ESCALATE";
	case WKG_VERDICT_ALLOW: return "ALLOW";
	case WKG_VERDICT_INVALID: break;
	}
	return NULL;
}

/* `"name":"<prefix><uuid>",` */
static wkg_status
put_id(wkg_buf *out, const char *name, const char *prefix, wkg_span uuid)
{
	WKG_TRY(wkg__append_text(out, "\""));
	WKG_TRY(wkg__append_text(out, name));
	WKG_TRY(wkg__append_text(out, "\":\""));
	WKG_TRY(wkg__append_text(out, prefix));
	WKG_TRY(wkg__append(out, uuid.ptr, uuid.len));
	return wkg__append_text(out, "\",");
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* An id with its prefix, in the work area. */
static wkg_status
make_id(wkg_span *id, const char *prefix, wkg_span uuid, wkg_work *work)
{
	size_t size = strlen(prefix) + uuid.len;
	wkg_buf text = { wkg__take(work, size), 0, size };
	if (text.ptr == NULL)
		return WKG_E_SPACE;
	WKG_TRY(wkg__append_text(&text, prefix));
	WKG_TRY(wkg__append(&text, uuid.ptr, uuid.len));
	*id = wkg_buf_span(&text);
	return WKG_OK;
}

static wkg_status
put_authorization(wkg_buf *out, const wkg_authority *a, const wkg_intent *intent,
                  const wkg_ruling *r, wkg_work work)
{
	uint8_t expiry[WKG__INSTANT_LEN];
	wkg_grant_claims claims = {
		.issuer = WKG_LIT(WKG_AUTHORITY_ISSUER), .audience = intent->audience,
		.grant_id = r->grant_uuid,
		.intent_hash = { intent->hash, sizeof intent->hash },
		.issued = r->now_ms / 1000,
	};
	claims.expires = least(claims.issued + r->ttl_s, intent->expires_ms / 1000);
	if (claims.expires <= claims.issued ||
	    !wkg__instant_write(expiry, claims.expires * 1000))
		return WKG_E_ARGUMENT;
	WKG_TRY(make_id(&claims.decision_id, "fixture_", r->decision_uuid, &work));
	WKG_TRY(make_id(&claims.dossier_id, "fixture_dossier_", r->dossier_uuid, &work));
	WKG_TRY(wkg__append_text(out, "{\"token\":\""));
	WKG_TRY(wkg_grant_sign(out, &claims, a->kid, a->seed, work));
	WKG_TRY(wkg__append_text(out, "\",\"expiresAt\":\""));
	WKG_TRY(wkg__append(out, expiry, sizeof expiry));
	return wkg__append_text(out, "\"}");
}

static wkg_status
decide(wkg_buf *out, const wkg_authority *a, const wkg_intent *intent,
       const wkg_ruling *r, wkg_work work)
{
	const char *verdict = verdict_name(r->verdict);
	WKG_TRY(wkg__append_text(out, "{\"verdict\":\""));
	WKG_TRY(wkg__append_text(out, verdict));
	WKG_TRY(wkg__append_text(out, "\","));
	WKG_TRY(put_id(out, "decisionId", "fixture_", r->decision_uuid));
	WKG_TRY(put_id(out, "dossierId", "fixture_dossier_", r->dossier_uuid));
	WKG_TRY(wkg__append_text(out, "\"intentHash\":\""));
	WKG_TRY(wkg__append(out, intent->hash, sizeof intent->hash));
	WKG_TRY(wkg__append_text(out, "\",\"reasonCodes\":[\"FIXTURE_"));
	WKG_TRY(wkg__append_text(out, verdict));
	WKG_TRY(wkg__append_text(out, "\"],\"authorization\":"));
	WKG_TRY(r->verdict == WKG_VERDICT_ALLOW ?
	        put_authorization(out, a, intent, r, work) : wkg__append_text(out, "null"));
	return wkg__append_text(out, ",\"failClosed\":false}");
}

/* What ids are made of here; it must not need an escape in JSON. */
static bool
is_uuid_like(wkg_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (strchr("0123456789abcdefABCDEF-", text.ptr[i]) == NULL || text.ptr[i] == 0)
			return false;
	return text.len > 0 && text.len <= 64;
}

size_t
wkg_authority_work_size(void)
{
	return wkg_grant_work_size(WKG_GRANT_TOKEN_MAX) + 1024;
}

wkg_status
wkg_authority_decide(wkg_buf *out, const wkg_authority *a, const wkg_intent *intent,
                     const wkg_ruling *r, wkg_work work)
{
	if (!is_allowed(a))
		return WKG_E_REFUSED;
	if (verdict_name(r->verdict) == NULL || a->seed == NULL || r->now_ms < 0 ||
	    r->ttl_s < 1 || r->ttl_s > 300 || !is_uuid_like(r->decision_uuid) ||
	    !is_uuid_like(r->dossier_uuid) || !is_uuid_like(r->grant_uuid))
		return WKG_E_ARGUMENT;
	if (work.ptr == NULL || work.size < wkg_authority_work_size())
		return WKG_E_SPACE;
	WKG_TRY(wkg__check_spans(out, intent->canonical));
	wkg_buf result = *out;
	WKG_TRY(decide(&result, a, intent, r, work));
	*out = result;
	return WKG_OK;
}
