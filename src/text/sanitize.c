/* sanitize.c - strip what a reader cannot see, then cut. */
#include "../internal.h"

#include <string.h>
#include <wicketgate/sanitize.h>
#include <wicketgate/table.h>

uint32_t
wkg__strip_sets(wkg_profile profile)
{
	switch (profile) {
	case WKG_PROFILE_REFERENCE:
		return WKG_SET_STRIP_REFERENCE;
	case WKG_PROFILE_HARDENED:
		/* Until its context rules are here, what hardened would decide
		 * by context is decided as the reference decides it. */
		return WKG_SET_STRIP_HARDENED | WKG_SET_STRIP_REFERENCE;
	case WKG_PROFILE_INVALID:
		break;
	}
	return 0;
}

/* No default: a sixth source must not compile until it has a limit (S4). */
size_t
wkg_source_limit(const wkg_source_limits *limits, wkg_source source)
{
	switch (source) {
	case WKG_SOURCE_CHAT: return limits->chat;
	case WKG_SOURCE_WEBHOOK: return limits->webhook;
	case WKG_SOURCE_FORM_EVENT: return limits->form_event;
	case WKG_SOURCE_RETRIEVAL: return limits->retrieval;
	case WKG_SOURCE_TOOL_RESULT: return limits->tool_result;
	case WKG_SOURCE_INVALID: break;
	}
	return 0;
}

static bool
equals(wkg_span a, wkg_span b)
{
	return a.ptr != NULL && a.len == b.len &&
	       memcmp(a.ptr, b.ptr, a.len) == 0;
}

wkg_source
wkg_source_from_trigger(wkg_span trigger_type)
{
	static const wkg_span webhook = WKG_LIT("webhook");
	static const wkg_span chat = WKG_LIT("chat");

	if (equals(trigger_type, webhook))
		return WKG_SOURCE_WEBHOOK;
	if (equals(trigger_type, chat))
		return WKG_SOURCE_CHAT;
	/* A schedule's payload is made by the platform and passes untouched;
	 * the day somebody puts outside data into one, truncation and dropping
	 * are reported for it too (S5). */
	return WKG_SOURCE_FORM_EVENT;
}

wkg_sanitize_config
wkg_sanitize_config_default(wkg_profile profile)
{
	wkg_sanitize_config config = {
		.profile = profile,
		.unit = WKG_UNIT_CODEPOINT,
		.limits = {
			.chat = 4000,
			.webhook = 32768,
			.form_event = 8192,
			.retrieval = 4000,
			.tool_result = 16384,
		},
		.max_depth = WKG_PAYLOAD_DEPTH_DEFAULT,
	};
	return config;
}

wkg_status
wkg_sanitize_config_check(const wkg_sanitize_config *config)
{
	if (config == NULL || !wkg__profile_known(config->profile))
		return WKG_E_ARGUMENT;
	if (wkg_utf8_units('a', config->unit) == 0)
		return WKG_E_ARGUMENT;
	if (config->max_depth < 1 || config->max_depth > WKG_PAYLOAD_DEPTH_MAX)
		return WKG_E_ARGUMENT;
	/* As many sources as there are limits: one without the other is found
	 * here, whichever was forgotten. */
	const int sources = sizeof config->limits / sizeof config->limits.chat;
	for (int s = 1; s <= sources; s++)
		if (wkg_source_limit(&config->limits, (wkg_source)s) < 1)
			return WKG_E_ARGUMENT;
	return WKG_OK;
}

wkg_status
wkg__sanitize(wkg_buf *out, wkg_span in, size_t at, const wkg__notation *notation,
              const wkg__rule *rule, wkg_sanitize_report *report)
{
	size_t room = rule->limit;
	bool cut = false;

	for (;;) {
		wkg_char c = notation->read(in, at);
		if (c.len == 0)
			break;
		at += c.len;
		report->replaced += c.ill_formed;
		/* Before the limit is looked at: a stripped character must not
		 * use up room that visible ones need (S3). */
		if (wkg_table_sets(c.code) & rule->strip) {
			report->stripped++;
			continue;
		}
		size_t units = wkg_utf8_units(c.code, rule->unit);
		/* Once cut, stay cut: under utf16 and byte a later, smaller
		 * character could still fit and would close up the text. */
		cut = cut || units > room;
		if (cut)
			continue;
		room -= units;
		if (out != NULL)
			WKG_TRY(notation->write(out, c.code));
	}
	report->truncated += cut;
	return WKG_OK;
}

static wkg_char
read_plain(wkg_span in, size_t at)
{
	static const wkg_char end = { 0, 0, false };
	return at < in.len ? wkg_utf8_decode(in, at) : end;
}

const wkg__notation wkg__plain_text = { read_plain, wkg__put };

size_t
wkg_sanitize_bound(size_t n)
{
	return wkg__multiply(n, 3);
}

wkg_status
wkg_sanitize(wkg_buf *out, wkg_span in, wkg_source source,
             const wkg_sanitize_config *config, wkg_sanitize_report *report)
{
	WKG_TRY(wkg__check_spans(out, in));
	WKG_TRY(wkg_sanitize_config_check(config));

	wkg__rule rule = {
		.strip = wkg__strip_sets(config->profile),
		.unit = config->unit,
		.limit = wkg_source_limit(&config->limits, source),
	};
	if (rule.limit == 0) /* not a source */
		return WKG_E_ARGUMENT;

	wkg_buf result = *out;
	wkg_sanitize_report counts = { 0 };
	WKG_TRY(wkg__sanitize(&result, in, 0, &wkg__plain_text, &rule, &counts));
	*out = result;
	if (report != NULL)
		*report = counts;
	return WKG_OK;
}
