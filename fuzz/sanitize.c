/* sanitize.c - the guarantees of sanitize.h, and equality with the slow twin.
 *
 * Input: five options, then text:
 *   profile  0 reference  1 hardened
 *   unit     0 code points  1 UTF-16  2 bytes
 *   source   0 chat  1 webhook  2 form event  3 retrieval  4 tool result
 *   limit    0 the default, otherwise that many units (up to 255)
 *   before   bytes that are in the output already (0..31) */
#include "model.h"

typedef struct job {
	wkg_span in;
	wkg_source source;
	wkg_sanitize_config config;
	size_t limit;
	wkg_sanitize_report report;
} job;

static job
job_of(wkg_span *in, size_t *before)
{
	job j = { 0 };
	j.config = wkg_sanitize_config_default(check_profile(in));
	j.config.unit = (wkg_unit)(1 + check_option(in, 3));
	j.source = (wkg_source)(1 + check_option(in, 5));
	model_set_limit(&j.config.limits, j.source, check_option(in, 256));
	j.limit = wkg_source_limit(&j.config.limits, j.source);
	*before = check_option(in, 32);
	j.in = *in;
	return j;
}

static wkg_status
sanitize(wkg_buf *out, void *data)
{
	job *j = data;
	wkg_sanitize_report untouched;
	memset(&untouched, CHECK_FILL, sizeof(untouched));
	j->report = untouched;

	wkg_status status = wkg_sanitize(out, j->in, j->source, &j->config,
	                                 &j->report);
	CHECK(status == WKG_OK ||
	      memcmp(&j->report, &untouched, sizeof(untouched)) == 0);
	return status;
}

static bool
holds_strippable(wkg_span text, wkg_profile profile)
{
	for (size_t at = 0; at < text.len;) {
		wkg_char c = check_decode(text, at);
		if (model_strips(profile, c.code))
			return true;
		at += c.len;
	}
	return false;
}

static void
equals_the_model(const job *j, wkg_span got)
{
	check_chars chars = check_chars_of(j->in);
	wkg_sanitize_report want = model_sanitize(&chars, j->config.profile,
	                                          j->config.unit, j->limit);
	wkg_buf text = check_text_of(&chars);

	CHECK(check_same(got, wkg_buf_span(&text)));
	CHECK(j->report.stripped == want.stripped);
	CHECK(j->report.replaced == want.replaced);
	CHECK(j->report.truncated == want.truncated);
	free(text.ptr);
	free(chars.code);
}

static void
twice_is_once(const job *j, wkg_span once)
{
	job again = *j;
	again.in = once;
	wkg_buf twice;
	CHECK(check_call(sanitize, &again, 0, wkg_sanitize_bound(once.len),
	                 &twice) == WKG_OK);
	CHECK(check_same(wkg_buf_span(&twice), once));
	CHECK(again.report.stripped == 0 && again.report.replaced == 0 &&
	      again.report.truncated == 0);
	free(twice.ptr);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	wkg_buf input = check_input(data, size);
	wkg_span in = wkg_buf_span(&input);
	size_t before;
	job j = job_of(&in, &before);

	size_t bound = wkg_sanitize_bound(in.len);
	wkg_buf out;
	CHECK(bound <= 3 * in.len);
	CHECK(check_append(sanitize, &j, before, bound, &out) == WKG_OK);

	wkg_span text = wkg_buf_span(&out);
	CHECK(check_well_formed(text));
	CHECK(!holds_strippable(text, j.config.profile));
	/* Says also: a prefix of the visible characters, nothing added (S3,
	 * S7). */
	equals_the_model(&j, text);
	twice_is_once(&j, text);

	free(out.ptr);
	free(input.ptr);
	return 0;
}
