/* properties.c - the conformance suite's properties as a fuzz target.
 *
 * Input: a byte that names the property, one for profile and unit, then the
 * choices that make the case, two bytes each (conformance/suite/choice.h). So
 * the engine steers the same generators, and what it finds is judged by the
 * same oracles, as when the suite is run against somebody else. Only properties
 * that are not played: the others need threads or a store. */
#include "check.h"

#include "../conformance/suite/evaluate.h"
#include "../conformance/suite/token.h"
#include "../conformance/suite_library.h"

/* The nth that the library can be asked, or NULL. */
static const wgc_property *
property_at(const wgc_subject *subject, size_t n)
{
	static const wgc_property *usable[64];
	static size_t count;
	for (size_t i = 0; count == 0 && wgc_properties[i] != NULL; i++) {
		const wgc_property *p = wgc_properties[i];
		bool fits = p->method->play == NULL && p->features == NULL;
		for (size_t k = 0; p->operations[k] != NULL; k++)
			fits &= wgc_has_operation(subject->hello, p->operations[k]);
		if (fits)
			usable[count++] = p;
	}
	return usable[n % count];
}

static bool
is_of_profile(const wgc_property *p, const char *profile)
{
	bool fits = p->profiles == NULL;
	for (size_t i = 0; !fits && p->profiles[i] != NULL; i++)
		fits = strcmp(p->profiles[i], profile) == 0;
	return fits;
}

static void
set_up(wgc_inprocess *p, uint8_t options)
{
	static const char *const units[] = { "codepoint", "utf16", "byte" };
	static const uint32_t limits[] = { 1, 2, 3, 10, 16, 100, 1000, 4000 };
	p->setup = wgc_setup_default();
	p->setup.profile = options & 1 ? "hardened" : "reference";
	p->setup.choices[WGC_LENGTH_UNIT] =
		wgc_choice_option(WGC_LENGTH_UNIT, units[options / 2 % 3]);
	p->setup.choices[WGC_OUTPUT_TAGS] = wgc_choice_option(WGC_OUTPUT_TAGS, "strip");
	for (size_t i = 0; i < WGC_SOURCES; i++)
		p->setup.limits[i] = limits[(options / 8 + i) % 8];
}

static void
try_one(const uint8_t *data, size_t size)
{
	static wgc_inprocess p;
	static wgc_choices choices;
	if (p.subject.ask == NULL)
		wgc_inprocess_start(&p, library_hello, library_answer, NULL);
	const wgc_property *property = property_at(&p.subject, data[0]);
	set_up(&p, data[1]);
	if (!is_of_profile(property, p.setup.profile))
		return;
	wgc_case what = wgc_case_new(&p.subject);
	wgc_choices_bytes(&choices, data + 2, size - 2);
	wgc_play(property, &choices, &what);
	if (what.verdict == WGC_FAIL) {
		char *token = wgc_token_write(property, &p.setup, &what);
		fprintf(stderr, "%s: %s\nwicketgate-conformance replay %s\n",
		        property->id, what.why, token);
		free(token);
	}
	CHECK(what.verdict != WGC_FAIL);
	wgc_case_clear(&what);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	wkg_buf input = check_input(data, size);
	if (input.len >= 2)
		try_one(input.ptr, input.len);
	free(input.ptr);
	return 0;
}
