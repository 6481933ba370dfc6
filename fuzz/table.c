/* table.c - the sets of the table lie within one another as T4 says.
 *
 * conformance/table.py walks all code points; this one also goes where there
 * are none, up to 32 bits.
 *
 * Input: code points in hexadecimal, separated by anything: `200B E0041`. */
#include "model.h"

/* Every character of `a` is one of `b`. */
static bool
within(uint32_t sets, uint32_t a, uint32_t b)
{
	return (sets & a) == 0 || (sets & b) != 0;
}

static void
claims(uint32_t code)
{
	const uint32_t brackets = WKG_SET_LESS | WKG_SET_GREATER;
	const uint32_t hardened = WKG_SET_STRIP_HARDENED |
	                          WKG_SET_CONTEXT_HARDENED;
	uint32_t sets = wkg_table_sets(code);

	CHECK(sets == wkg_table_sets(code));
	CHECK(within(sets, WKG_SET_STRIP_REFERENCE, hardened));
	CHECK(within(sets, hardened, WKG_SET_FENCE_IGNORABLE));
	CHECK((sets & hardened) != hardened);
	CHECK((sets & brackets) != brackets);
	CHECK((sets & brackets) == 0 || (sets & WKG_SET_FENCE_IGNORABLE) == 0);
	/* What a joiner may stand beside must itself always stay (S2). */
	const uint32_t neighbours = WKG_SET_MARK | WKG_SET_VIRAMA |
	                            WKG_SET_JOINING | WKG_SET_LEADING |
	                            WKG_SET_VOWEL | WKG_SET_PICTOGRAPH | WKG_SET_IDEOGRAPH |
	                            WKG_SET_FIGURE;
	CHECK((sets & neighbours) == 0 || (sets & hardened) == 0);
	if (code == ' ' || code == '\t' || code == '\n')
		CHECK(sets == 0);

	if (code > WKG_CODEPOINT_MAX) {
		CHECK((sets & WKG_SET_STRIP_REFERENCE) != 0);
		CHECK((sets & WKG_SET_STRIP_HARDENED) != 0);
		CHECK((sets & WKG_SET_FENCE_IGNORABLE) != 0);
		return;
	}
	bool strips = model_reference_strips(code);
	bool joiner = code == 0x200C || code == 0x200D;
	CHECK(((sets & WKG_SET_STRIP_REFERENCE) != 0) == strips);
	CHECK(((sets & WKG_SET_STRIP_OUTPUT) != 0) == (strips && !joiner));
	CHECK(code != '<' || (sets & WKG_SET_LESS) != 0);
	CHECK(code != '>' || (sets & WKG_SET_GREATER) != 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	wkg_buf in = check_input(data, size);
	uint32_t code = 0;

	for (size_t at = 0; at < in.len; at++) {
		int digit = check_hex_digit(in.ptr[at]);
		code = digit < 0 ? 0 : code << 4 | (uint32_t)digit;
		claims(code);
	}
	claims(code - 1);
	claims(code + 1);

	free(in.ptr);
	return 0;
}
