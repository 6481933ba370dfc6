/* command_doctor.c - the first conversation: is the protocol spoken? Nothing is
 * judged but the form of the answers. */
#include "adapter.h"
#include "command.h"
#include "protocol.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One harmless request for each operation that needs no preparation. */
static const struct {
	const char *op, *args;
} samples[] = {
	{ "sanitize.text", "{\"source\":\"chat\",\"s\":\"a\\u200bb\"}" },
	{ "sanitize.json", "{\"source\":\"webhook\",\"json\":\"{\\\"a\\\":\\\"b\\\"}\"}" },
	{ "sanitize.value", "{\"source\":\"webhook\",\"v\":{\"t\":\"obj\",\"v\":[[\"a\",{\"t\":\"str\",\"v\":\"b\"}]]}}" },
	{ "fence.neutralize", "{\"s\":\"a<<b\"}" },
	{ "fence.wrap", "{\"label\":\"tool\",\"data\":\"hello\"}" },
	{ "fence.needs", "{\"s\":\"350\"}" },
	{ "fence.render", "{\"template\":\"{{ $.a }}\",\"state\":\"{\\\"a\\\":1}\",\"mode\":\"data\"}" },
	{ "fence.constants", "{}" },
	{ "moderate.text", "{\"s\":\"hello\"}" },
	{ "moderate.json", "{\"json\":\"[1,\\\"hello\\\"]\"}" },
	{ "moderate.value", "{\"v\":{\"t\":\"str\",\"v\":\"hello\"}}" },
	{ "intent.canonical", "{\"json\":\"{\\\"b\\\":1,\\\"a\\\":2}\"}" },
	{ "clock.set", "{\"now_ms\":1800000000000}" },
	{ "fence.neutralize", "{\"s\":{\"$rep\":[\"<\",3]}}" },
	{ "fence.neutralize", "{\"s\":{\"$cat\":[\"\\u0000\",\"\\ud83d\\ude00\"]}}" },
};

static void
print_line(void *context, char direction, const char *text, size_t len)
{
	(void)context;
	printf("%c ", direction == '>' ? '>' : '<');
	for (size_t i = 0; i < len && i < 1000; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c >= 0x20 && c < 0x7F)
			putchar(c);
		else
			printf("\\x%02x", c);
	}
	puts(len > 1000 ? " ..." : "");
}

static bool
note(bool well, const char *what, const wgc_reply *reply)
{
	const char *why = wgc_json_string(reply->body, "why");
	if (why == NULL)
		why = wgc_json_string(reply->body, "code");
	if (!well)
		printf("  ! %s: %s %s\n", what, wgc_kind_name(reply->kind),
		       why == NULL ? "" : why);
	return well;
}

static bool
try_samples(wgc_adapter *adapter, const cJSON *hello)
{
	bool well = true;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const char *why;
		if (!wgc_has_operation(hello, samples[i].op))
			continue;
		cJSON *args = wgc_json_read(samples[i].args, strlen(samples[i].args), &why);
		wgc_reply reply = wgc_adapter_say(adapter, samples[i].op, args);
		well &= note(reply.kind == WGC_OK, samples[i].op, &reply);
		wgc_reply_clear(&reply);
		cJSON_Delete(args);
	}
	return well;
}

static bool
try_unknown(wgc_adapter *adapter)
{
	cJSON *args = cJSON_CreateObject();
	wgc_reply reply = wgc_adapter_say(adapter, "no.such", args);
	const char *code = wgc_json_string(reply.body, "code");
	bool well = note(reply.kind == WGC_ERR && code != NULL &&
	                         strcmp(code, "UNSUPPORTED_OPERATION") == 0,
	                 "an unknown operation is err UNSUPPORTED_OPERATION", &reply);
	wgc_reply_clear(&reply);
	cJSON_Delete(args);
	return well;
}

/* Each choice that concerns a component has to be declared. */
static bool
check_choices(const cJSON *hello)
{
	bool well = true;
	for (int c = 0; c < WGC_CHOICES; c++) {
		const char *name = wgc_choice_names[c], *for_what = NULL;
		for (size_t i = 0; wgc_components[i] != NULL; i++)
			if (wgc_has_component(hello, wgc_components[i]) &&
			    wgc_choice_concerns((wgc_choice)c, wgc_components[i]) &&
			    for_what == NULL)
				for_what = wgc_components[i];
		if (for_what == NULL ||
		    wgc_json_get(wgc_json_get(hello, "choices"), name) != NULL)
			continue;
		printf("  - the choice %s is not declared; if it does not arise (see PROTOCOL.md 4), fine\n", name);
	}
	return well;
}

static bool
try_profiles(wgc_adapter *adapter)
{
	wgc_subject *subject = wgc_adapter_subject(adapter);
	const cJSON *profile = wgc_json_get(subject->hello, "profiles")->child;
	bool well = true;
	for (; profile != NULL && well; profile = profile->next) {
		wgc_setup setup = wgc_base_setup(subject->hello, profile->valuestring);
		well = subject->configure(subject, &setup);
		if (!well)
			printf("  ! %s\n", subject->why);
		well = well && try_samples(adapter, subject->hello);
	}
	return well;
}

int
wgc_command_doctor(wgc_call *call)
{
	uint64_t patience = 1;
	const char *why;
	if (call->argv == NULL)
		return wgc_complain(WGC_EXIT_USAGE, "which adapter? its command goes after --");
	if (!wgc_number(call, WGC_PATIENCE, 1, 100, &patience))
		return WGC_EXIT_USAGE;
	wgc_adapter *adapter = wgc_adapter_new(call->argv, (unsigned)patience);
	wgc_adapter_trace(adapter, print_line, NULL);
	bool well = wgc_adapter_start(adapter, &why);
	int code = well ? WGC_EXIT_FAIL : WGC_EXIT_NO_ADAPTER;
	if (!well)
		printf("  ! %s\n", why);
	well = well && check_choices(wgc_adapter_subject(adapter)->hello) &&
	       try_profiles(adapter) && try_unknown(adapter);
	if (well && !wgc_adapter_stop(adapter)) {
		well = false;
		printf("  ! %s\n", wgc_adapter_subject(adapter)->why);
	}
	const cJSON *incident = wgc_adapter_incidents(adapter)->child;
	for (; incident != NULL; incident = incident->next)
		printf("  ! %s: %s\n%s", wgc_json_string(incident, "kind"),
		       wgc_json_string(incident, "why"),
		       wgc_json_string(incident, "stderr"));
	puts(well ? "well: the protocol is spoken" : "not well");
	wgc_adapter_free(adapter);
	return well ? WGC_EXIT_PASS : code;
}
