/* RFC 8785, 3.2.2.3: numbers as ECMAScript writes them. */
#include "harness.h"

#include <inttypes.h>

#include "../src/gate/number.h"

#define MAX_DOUBLE UINT64_C(0x7FEFFFFFFFFFFFFF)

static wkg_span
written(uint64_t bits)
{
	uint8_t *text = memory(WKG__NUMBER_TEXT_MAX);
	return (wkg_span){ text, wkg__number_write(text, bits) };
}

static bool
reads_as(wkg_span text, uint64_t expected)
{
	uint64_t bits = 1;
	if (wkg__number_parse(&bits, text) && bits == expected)
		return true;
	printf("# got %016" PRIX64 ", not %016" PRIX64 "\n", bits, expected);
	return false;
}

static bool
canonical_is(wkg_span text, wkg_span expected)
{
	wkg_buf out = fresh();
	return wkg__number_canonical(&out, text) == WKG_OK && holds(&out, expected);
}

static bool
refused(wkg_span text)
{
	wkg_buf out = fresh();
	uint64_t bits = 42;
	return wkg__number_canonical(&out, text) == WKG_E_SYNTAX && out.len == 0 &&
	       !wkg__number_parse(&bits, text) && bits == 42;
}

static void
appendix_b(void)
{
	/* Every row, in its order. */
	static const struct { const char *claim; uint64_t bits; wkg_span text; } rows[] = {
		{ "RFC 8785 B zero", UINT64_C(0x0000000000000000), WKG_LIT("0") },
		{ "RFC 8785 B minus zero", UINT64_C(0x8000000000000000), WKG_LIT("0") },
		{ "RFC 8785 B the smallest above zero", UINT64_C(0x0000000000000001), WKG_LIT("5e-324") },
		{ "RFC 8785 B the largest below zero", UINT64_C(0x8000000000000001), WKG_LIT("-5e-324") },
		{ "RFC 8785 B the largest", UINT64_C(0x7FEFFFFFFFFFFFFF), WKG_LIT("1.7976931348623157e+308") },
		{ "RFC 8785 B the smallest", UINT64_C(0xFFEFFFFFFFFFFFFF), WKG_LIT("-1.7976931348623157e+308") },
		{ "RFC 8785 B 2^53", UINT64_C(0x4340000000000000), WKG_LIT("9007199254740992") },
		{ "RFC 8785 B -2^53", UINT64_C(0xC340000000000000), WKG_LIT("-9007199254740992") },
		{ "RFC 8785 B 2^68", UINT64_C(0x4430000000000000), WKG_LIT("295147905179352830000") },
		{ "RFC 8785 B NaN has no text", UINT64_C(0x7FFFFFFFFFFFFFFF), WKG_LIT("") },
		{ "RFC 8785 B infinity has no text", UINT64_C(0x7FF0000000000000), WKG_LIT("") },
		{ "RFC 8785 B one step below 1e23", UINT64_C(0x44B52D02C7E14AF5), WKG_LIT("9.999999999999997e+22") },
		{ "RFC 8785 B 1e23, a halfway point", UINT64_C(0x44B52D02C7E14AF6), WKG_LIT("1e+23") },
		{ "RFC 8785 B one step above 1e23", UINT64_C(0x44B52D02C7E14AF7), WKG_LIT("1.0000000000000001e+23") },
		{ "RFC 8785 B two steps below 1e21", UINT64_C(0x444B1AE4D6E2EF4E), WKG_LIT("999999999999999700000") },
		{ "RFC 8785 B one step below 1e21", UINT64_C(0x444B1AE4D6E2EF4F), WKG_LIT("999999999999999900000") },
		{ "RFC 8785 B 1e21 has an exponent", UINT64_C(0x444B1AE4D6E2EF50), WKG_LIT("1e+21") },
		{ "RFC 8785 B one step below 1e-6", UINT64_C(0x3EB0C6F7A0B5ED8C), WKG_LIT("9.999999999999997e-7") },
		{ "RFC 8785 B 1e-6 has no exponent", UINT64_C(0x3EB0C6F7A0B5ED8D), WKG_LIT("0.000001") },
		{ "RFC 8785 B a third of 1e9, two steps below", UINT64_C(0x41B3DE4355555553), WKG_LIT("333333333.3333332") },
		{ "RFC 8785 B a third of 1e9, one step below", UINT64_C(0x41B3DE4355555554), WKG_LIT("333333333.33333325") },
		{ "RFC 8785 B a third of 1e9", UINT64_C(0x41B3DE4355555555), WKG_LIT("333333333.3333333") },
		{ "RFC 8785 B a third of 1e9, one step above", UINT64_C(0x41B3DE4355555556), WKG_LIT("333333333.3333334") },
		{ "RFC 8785 B a third of 1e9, two steps above", UINT64_C(0x41B3DE4355555557), WKG_LIT("333333333.33333343") },
		{ "RFC 8785 B the longest text", UINT64_C(0xBECBF647612F3696), WKG_LIT("-0.0000033333333333333333") },
		{ "RFC 8785 B of two closest decimals the even one", UINT64_C(0x43143FF3C1CB0959), WKG_LIT("1424953923781206.2") },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		wkg_span text = written(rows[i].bits);
		bool back = text.len == 0 || same(text, TEXT("0")) || reads_as(text, rows[i].bits);
		CLAIM(rows[i].claim, same(text, rows[i].text) && back);
	}
	CLAIM("every NaN and infinity is refused", written(UINT64_C(0xFFF0000000000000)).len == 0 && written(UINT64_MAX).len == 0 && written(MAX_DOUBLE + 2).len == 0);
}

static void
layout(void)
{
	static const struct { const char *claim; wkg_span in, out; } rows[] = {
		{ "an integer stays", WKG_LIT("1234567890"), WKG_LIT("1234567890") },
		{ "-0 is 0", WKG_LIT("-0"), WKG_LIT("0") },
		{ "-0.0e5 is 0", WKG_LIT("-0.0e5"), WKG_LIT("0") },
		{ "a fraction of zeros goes", WKG_LIT("-1.000"), WKG_LIT("-1") },
		{ "an exponent within reach goes", WKG_LIT("1.5E+2"), WKG_LIT("150") },
		{ "0.1 stays", WKG_LIT("0.1"), WKG_LIT("0.1") },
		{ "2^-1 is 0.5", WKG_LIT("5e-1"), WKG_LIT("0.5") },
		{ "1e20 has 21 digits", WKG_LIT("1e20"), WKG_LIT("100000000000000000000") },
		{ "21 digits stay", WKG_LIT("123456789012345680000"), WKG_LIT("123456789012345680000") },
		{ "22 digits do not", WKG_LIT("1234567890123456800000"), WKG_LIT("1.2345678901234568e+21") },
		{ "1e21 stays", WKG_LIT("1e21"), WKG_LIT("1e+21") },
		{ "1e-6 is written out", WKG_LIT("1e-6"), WKG_LIT("0.000001") },
		{ "9.5e-7 stays", WKG_LIT("0.00000095"), WKG_LIT("9.5e-7") },
		{ "1e-7 stays", WKG_LIT("0.0000001"), WKG_LIT("1e-7") },
		{ "an exponent of one digit, two and three", WKG_LIT("-1.25e-9"), WKG_LIT("-1.25e-9") },
		{ "... of two", WKG_LIT("1E-10"), WKG_LIT("1e-10") },
		{ "... of three", WKG_LIT("1e100"), WKG_LIT("1e+100") },
		{ "zeros before an exponent's digits are nothing", WKG_LIT("1e-0000000000000000000000010"), WKG_LIT("1e-10") },
		/* The doubles below 2^-44 are twice as dense: ...801 would be
		 * closer, but reads back as another double. */
		{ "2^-44, a step twice as wide above as below", WKG_LIT("5.684341886080801486968994140625e-14"), WKG_LIT("5.684341886080802e-14") },
		{ "2^49 + 1/4, two closest decimals", WKG_LIT("562949953421312.25"), WKG_LIT("562949953421312.2") },
		{ "2^49 + 3/4, two closest decimals", WKG_LIT("562949953421312.75"), WKG_LIT("562949953421312.8") },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		CLAIM(rows[i].claim, canonical_is(rows[i].in, rows[i].out));
}

/* 2^1024 - 2^970, half a step above the largest double, without the last digit 2. */
#define OVERFLOWS "17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447573027006985557136695962284291481986083493647529271907416844436551070434271155969950809304288017790417449779"

static void
rounding(void)
{
	static const struct { const char *claim; wkg_span in; uint64_t bits; } rows[] = {
		{ "2^53 + 1 is halfway: down to the even one", WKG_LIT("9007199254740993"), UINT64_C(0x4340000000000000) },
		{ "2^53 + 3 is halfway: up to the even one", WKG_LIT("9007199254740995"), UINT64_C(0x4340000000000002) },
		{ "-2^53 - 1 is halfway", WKG_LIT("-9007199254740993.0"), UINT64_C(0xC340000000000000) },
		{ "a hair above 2^53 + 1 is above", WKG_LIT("9007199254740993.00000000000000000000000000000000000000001"), UINT64_C(0x4340000000000001) },
		{ "a hair below 2^53 + 1 is below", WKG_LIT("9007199254740992.99999999999999999999999999999999999999999"), UINT64_C(0x4340000000000000) },
		{ "52 ones and a half carry into the exponent", WKG_LIT("9007199254740991.5"), UINT64_C(0x4340000000000000) },
		{ "1e23 is below a double", WKG_LIT("1e23"), UINT64_C(0x44B52D02C7E14AF6) },
		{ "1 + 2^-53 is halfway", WKG_LIT("1.00000000000000011102230246251565404236316680908203125"), UINT64_C(0x3FF0000000000000) },
		{ "1 + 3 * 2^-53 is halfway", WKG_LIT("1.00000000000000033306690738754696212708950042724609375"), UINT64_C(0x3FF0000000000002) },
		{ "2^1023", WKG_LIT("8.98846567431158e307"), UINT64_C(0x7FE0000000000000) },
		{ "one step below 2^1023", WKG_LIT("8.988465674311579e307"), UINT64_C(0x7FDFFFFFFFFFFFFF) },
		{ "one step above 2^1023", WKG_LIT("8.988465674311582e307"), UINT64_C(0x7FE0000000000001) },
		{ "the largest double", WKG_LIT("1.7976931348623157e308"), MAX_DOUBLE },
		{ "above the largest double, by less than half a step", WKG_LIT("1.7976931348623158e308"), MAX_DOUBLE },
		{ "... by all but half a step", WKG_LIT("1.797693134862315807e308"), MAX_DOUBLE },
		{ "... by a hair less than half a step", WKG_LIT(OVERFLOWS "1.99"), MAX_DOUBLE },
		{ "the smallest normal double", WKG_LIT("2.2250738585072014e-308"), UINT64_C(0x0010000000000000) },
		{ "between it and the largest subnormal (Java hung)", WKG_LIT("2.2250738585072012e-308"), UINT64_C(0x0010000000000000) },
		{ "the largest subnormal (PHP hung)", WKG_LIT("2.2250738585072011e-308"), UINT64_C(0x000FFFFFFFFFFFFF) },
		{ "a subnormal in the middle", WKG_LIT("1.1125369292536007e-308"), UINT64_C(0x0008000000000000) },
		{ "the smallest double", WKG_LIT("5e-324"), 1 },
		{ "more than half of it", WKG_LIT("2.4703282292062328e-324"), 1 },
		{ "less than half of it", WKG_LIT("2.4703282292062327e-324"), 0 },
		{ "less than half of it, negative", WKG_LIT("-1e-324"), UINT64_C(0x8000000000000000) },
		{ "1e-400 is zero", WKG_LIT("1e-400"), 0 },
		{ "1e-999999999999 is zero", WKG_LIT("1e-999999999999"), 0 },
		{ "an exponent that no integer holds", WKG_LIT("1e-99999999999999999999999999999999999999"), 0 },
		{ "zero is zero with any exponent", WKG_LIT("0.00e99999999999999999999999999999999999999"), 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		CLAIM(rows[i].claim, reads_as(rows[i].in, rows[i].bits));
	CLAIM("1e400 is refused", refused(TEXT("1e400")));
	CLAIM("-1e309 is refused", refused(TEXT("-1e309")));
	CLAIM("1e999999999999 is refused", refused(TEXT("1e999999999999")));
	CLAIM("1.7976931348623159e308 is refused", refused(TEXT("1.7976931348623159e308")));
	CLAIM("half a step above the largest double is refused", refused(TEXT(OVERFLOWS "2")));
}

/* m * 5^1075, digit by digit: m * 2^-1075 with the point moved. */
static wkg_span
halfway(uint64_t m)
{
	enum { ROOM = 800 };
	uint8_t *digits = memory(ROOM);
	memset(digits, 0, ROOM);
	for (size_t i = ROOM; m > 0; m /= 10)
		digits[--i] = (uint8_t)(m % 10);
	for (int power = 0; power < 1075; power++) {
		unsigned carry = 0;
		for (size_t i = ROOM; i-- > 0; carry /= 10) {
			carry += 5u * digits[i];
			digits[i] = (uint8_t)(carry % 10);
		}
	}
	size_t first = 0;
	while (digits[first] == 0)
		first++;
	for (size_t i = first; i < ROOM; i++)
		digits[i] = (uint8_t)('0' + digits[i]);
	return (wkg_span){ digits + first, ROOM - first };
}

/* Its last digit is a 5; lower it, and as many nines behind it as one likes. */
static wkg_span
below(wkg_span digits, size_t nines)
{
	wkg_span text = join(digits, repeat(TEXT("9"), nines));
	uint8_t *lowered = memory(text.len);
	memcpy(lowered, text.ptr, text.len);
	lowered[digits.len - 1] = '4';
	return (wkg_span){ lowered, text.len };
}

static void
subnormal_halves(void)
{
	/* The numerator has 54 bits, the most that a halfway point can have. */
	const uint64_t m = (UINT64_C(1) << 54) - 3, even = m / 2;
	wkg_span exponent = TEXT(".0e-1075"), half = halfway(m);
	wkg_span far = join(repeat(TEXT("0"), 100000), TEXT("1"));

	CLAIM("the longest halfway points have 768 digits", half.len == 768);
	CLAIM("768 digits: halfway is even", reads_as(join(half, exponent), even));
	CLAIM("768 digits: the last one counts", reads_as(join(below(half, 0), exponent), even));
	CLAIM("a digit 1 behind 768 digits counts", reads_as(join(join(half, TEXT(".1")), TEXT("e-1075")), even + 1));
	CLAIM("a digit 1 behind 100,000 zeros counts", reads_as(join(join(half, TEXT(".")), join(far, TEXT("E-1075"))), even + 1));
	CLAIM("100,000 nines are still below", reads_as(join(join(below(half, 0), TEXT(".")), join(repeat(TEXT("9"), 100000), TEXT("e-1075"))), even));
	CLAIM("half of the smallest double is halfway to zero", reads_as(join(halfway(1), exponent), 0));
	CLAIM("... and a hair more is not", reads_as(join(halfway(1), TEXT(".001e-1075")), 1));
	CLAIM("1.5 of the smallest double is halfway to two", reads_as(join(halfway(3), exponent), 2));
	CLAIM("... and a hair less is not", reads_as(join(below(halfway(3), 0), TEXT(".999e-1075")), 1));
}

static void
long_texts(void)
{
	/* Work that grew with the square of these would not end. */
	wkg_span zeros = repeat(TEXT("0"), 4000000), nines = repeat(TEXT("9"), 4000000);
	CLAIM("4,000,000 zeros behind the point and an exponent to undo them", canonical_is(join(join(TEXT("0."), zeros), TEXT("15e4000001")), TEXT("1.5")));
	CLAIM("4,000,000 zeros before the point and an exponent to undo them", canonical_is(join(join(TEXT("-15"), zeros), TEXT("e-4000001")), TEXT("-1.5")));
	CLAIM("4,000,000 nines are 1", canonical_is(join(TEXT("0."), nines), TEXT("1")));
	CLAIM("4,000,000 nines are too large", refused(nines));
	CLAIM("an exponent of 4,000,000 nines", refused(join(TEXT("0.1e"), nines)));
	CLAIM("a negative one", canonical_is(join(TEXT("12e-"), nines), TEXT("0")));
	CLAIM("4,000,000 zeros before the exponent's digits", canonical_is(join(TEXT("2e+"), join(zeros, TEXT("1"))), TEXT("20")));
}

static void
buffers(void)
{
	wkg_span longest = TEXT("-0.0000033333333333333333");
	wkg_buf out = { room, 3, 3 + WKG__NUMBER_TEXT_MAX };
	memcpy(room, "abc", 3);
	CLAIM("the longest text is as long as it may be", longest.len == WKG__NUMBER_TEXT_MAX);
	CLAIM("a text is appended and fits exactly", wkg__number_canonical(&out, longest) == WKG_OK && memcmp(room, "abc-0.0000033333333333333333", 28) == 0 && out.len == 28);
	out.len = 3;
	out.cap--;
	CLAIM("with one byte less it is refused whole", wkg__number_canonical(&out, longest) == WKG_E_SPACE && out.len == 3);
}

static void
not_numbers(void)
{
	static const wkg_span texts[] = {
		WKG_LIT(""), WKG_LIT("-"), WKG_LIT("--1"), WKG_LIT("+1"), WKG_LIT("01"), WKG_LIT("-00"), WKG_LIT(".5"),
		WKG_LIT("1."), WKG_LIT("1.e5"), WKG_LIT("1e"), WKG_LIT("1e+"), WKG_LIT("1e-+5"), WKG_LIT("1e5.0"),
		WKG_LIT("1.2.3"), WKG_LIT(" 1"), WKG_LIT("1 "), WKG_LIT("1\0"), WKG_LIT("0x10"), WKG_LIT("1_000"),
		WKG_LIT("1,5"), WKG_LIT("1e5f"), WKG_LIT("NaN"), WKG_LIT("Infinity"), WKG_LIT("null"),
	};
	bool all = true, first = true;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		all = all && refused(texts[i]);
	for (unsigned byte = 0; byte < 256; byte++) {
		uint8_t bytes[] = { '1', (uint8_t)byte };
		bool digit = byte >= '0' && byte <= '9';
		first = first && refused((wkg_span){ bytes, 2 }) == !digit;
	}
	CLAIM("RFC 8259, 6: what is no number is refused", all);
	CLAIM("RFC 8259, 6: only a digit goes on and ends a number", first);
}

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13; /* xorshift64 */
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static void
random_numbers(void)
{
	uint64_t state = 20261130, ten = 1;
	bool equal = true, back = true;
	for (int i = 0; i < 200000; i++, ten = i % 18 == 0 ? 1 : ten * 10) {
		char text[64];
		int len = snprintf(text, sizeof text, "%" PRIu64 "e%d", next_random(&state) % ten, (int)(next_random(&state) % 51) - 25);
		double theirs = strtod(text, NULL); /* exact in glibc and musl, in the locale "C" */
		uint64_t expected;
		memcpy(&expected, &theirs, sizeof expected);
		equal = equal && reads_as((wkg_span){ (uint8_t *)text, (size_t)len }, expected);
	}
	for (int i = 0; i < 20000; i++) {
		uint8_t text[WKG__NUMBER_TEXT_MAX];
		uint64_t bits = next_random(&state), read;
		size_t len = wkg__number_write(text, bits);
		back = back && (len == 0 || (wkg__number_parse(&read, (wkg_span){ text, len }) && read == bits));
	}
	CLAIM("200,000 numbers of up to 17 digits read as strtod() reads them", equal);
	CLAIM("what is written reads back", back);
}

int
main(void)
{
	appendix_b();
	layout();
	rounding();
	subnormal_halves();
	long_texts();
	buffers();
	not_numbers();
	random_numbers();
	return finish();
}
