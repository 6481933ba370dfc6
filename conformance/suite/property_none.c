/* property_none.c - no properties: for a build without property_*.c, and for
 * tests of the runner that want vectors only. */
#include "ask.h"

const wgc_property *const wgc_properties[] = { NULL };

void
wgc_property_run(wgc_subject *subject, const wgc_property *property,
                 uint64_t seed, size_t cases, double budget_s,
                 wgc_outcome *outcome)
{
	(void)subject, (void)property, (void)seed, (void)cases, (void)budget_s;
	wgc_outcome_say(outcome, "this build has no properties");
}

const wgc_property *
wgc_token_property(const char *token, const char **why)
{
	(void)token;
	*why = "this build has no properties";
	return NULL;
}

void
wgc_property_replay(wgc_subject *subject, const wgc_property *property,
                    const char *token, wgc_outcome *outcome)
{
	(void)subject, (void)property, (void)token;
	wgc_outcome_say(outcome, "this build has no properties");
}
