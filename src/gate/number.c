/* number.c - decimal text to double and back, without the C library.
 *
 * Canonical JSON is hashed, so a number must come out the same to the byte
 * everywhere. strtod() and printf() do not promise that: the decimal point
 * follows the locale, the last digit the library, its rounding what the host
 * set with fesetround(). Here both directions are exact arithmetic on natural
 * numbers, and nothing is a double but as its bits:
 *
 *   text -> decimal -> double   one long division, rounded half to even
 *                               (AlgorithmM of W. D. Clinger, How to Read
 *                               Floating Point Numbers Accurately, PLDI 1990)
 *   double -> decimal -> text   the free-format algorithm of R. G. Burger and
 *                               R. K. Dybvig, Printing Floating-Point Numbers
 *                               Quickly and Accurately, PLDI 1996, after
 *                               G. L. Steele and J. L. White, PLDI 1990
 *
 * and ECMA-262, Number::toString, says what the text looks like. */
#include "number.h"

#include <string.h>

/* A double is 1 sign bit, 11 bits of exponent, 52 bits of fraction. With the
 * leading 1 that is not stored it is  mantissa * 2^(exponent field - 1075);
 * exponent field 0 has no leading 1 and counts as 1 (the subnormals). */
enum {
	FRACTION_BITS = 52,
	EXPONENT_BIAS = 1075,
	EXPONENT_MIN = -1074, /* the smallest double is 2^-1074 */
};
#define FRACTION ((UINT64_C(1) << FRACTION_BITS) - 1)
#define LEADING_ONE (UINT64_C(1) << FRACTION_BITS)
#define NOT_FINITE (UINT64_C(0x7FF) << FRACTION_BITS) /* and what is above */
#define SIGN (UINT64_C(1) << 63)

/* How many digits of a text can matter. A number rounds up or down by which
 * side it is on of the halfway point between two neighbouring doubles. That is
 * an odd number below 2^54 times 2^-1075 or a larger power, and so has at most
 * as many digits as (2^54 - 1) * 5^1075 < 10^768: it is never strictly between
 * two neighbouring decimals of 768 digits. Therefore all that the digits behind
 * the 768th can say is whether the number is above those 768, and one digit 1
 * in place of all of them says the same. */
enum { DIGITS_MAX = 768 };

/* 0.d1d2d3... * 10^point, d1 not 0. No digits: zero. */
typedef struct decimal {
	uint8_t digit[DIGITS_MAX + 1];
	int count;
	int64_t point;
	bool negative;
} decimal;

/* Outside these a decimal is infinite or zero at sight: 10^309 is above the
 * largest double, 10^-324 is less than half of the smallest. */
enum { POINT_MAX = 309, POINT_MIN = -323 };

/* ---- natural numbers ---------------------------------------------------- */

/* Nothing here is larger than 2^2560:
 *   read   digits             < 10^769                       < 2^2555
 *          powers of five     <= 5^(769 + 323) = 5^1092      < 2^2536
 *          a numerator        < 2 * denominator, once both are of one length
 *   write  r + up and s       < 2^1100, see scale() */
enum { LIMBS = 80 };

/* Least limb first; the last one in use is not 0. */
typedef struct natural {
	uint32_t limb[LIMBS];
	size_t len;
} natural;

static void
set(natural *n, uint64_t value)
{
	for (n->len = 0; value > 0; value >>= 32)
		n->limb[n->len++] = (uint32_t)value;
}

static void
multiply_add(natural *n, uint32_t factor, uint32_t summand)
{
	uint64_t carry = summand;
	for (size_t i = 0; i < n->len; i++) {
		carry += (uint64_t)n->limb[i] * factor;
		n->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry > 0)
		n->limb[n->len++] = (uint32_t)carry;
}

/* n * 2^count */
static void
shift_left(natural *n, int count)
{
	size_t limbs = (size_t)count / 32;
	multiply_add(n, UINT32_C(1) << (count % 32), 0);
	if (n->len == 0 || limbs == 0)
		return;
	memmove(&n->limb[limbs], n->limb, n->len * sizeof *n->limb);
	memset(n->limb, 0, limbs * sizeof *n->limb);
	n->len += limbs;
}

static void
multiply_power_of_5(natural *n, int exponent)
{
	for (; exponent >= 13; exponent -= 13)
		multiply_add(n, 1220703125, 0); /* 5^13 < 2^32 */
	for (; exponent > 0; exponent--)
		multiply_add(n, 5, 0);
}

static void
multiply_power_of_10(natural *n, int exponent)
{
	multiply_power_of_5(n, exponent);
	shift_left(n, exponent);
}

/* Below, at or above 0, as a is below, equal to or above b. */
static int
compare(const natural *a, const natural *b)
{
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	for (size_t i = a->len; i-- > 0;)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

static void
add(natural *a, const natural *b)
{
	uint64_t carry = 0;
	for (size_t i = 0; i < a->len || i < b->len || carry > 0; i++) {
		carry += i < b->len ? b->limb[i] : 0;
		if (i == a->len)
			a->limb[a->len++] = 0;
		carry += a->limb[i];
		a->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

/* a - b, for a >= b */
static void
subtract(natural *a, const natural *b)
{
	uint64_t borrow = 0;
	for (size_t i = 0; i < a->len; i++) {
		borrow += i < b->len ? b->limb[i] : 0;
		uint64_t difference = a->limb[i] - borrow;
		a->limb[i] = (uint32_t)difference;
		borrow = difference >> 63; /* it wrapped */
	}
	while (a->len > 0 && a->limb[a->len - 1] == 0)
		a->len--;
}

/* n / m for a quotient of a few units, which is returned; n is the rest. */
static unsigned
divide(natural *n, const natural *m)
{
	unsigned quotient = 0;
	for (; compare(n, m) >= 0; quotient++)
		subtract(n, m);
	return quotient;
}

/* 2^(length - 1) <= n < 2^length, for n > 0 */
static int
bit_length(const natural *n)
{
	int length = 32 * ((int)n->len - 1);
	for (uint32_t top = n->limb[n->len - 1]; top > 0; top >>= 1)
		length++;
	return length;
}

/* ---- text to decimal ---------------------------------------------------- */

typedef struct cursor {
	wkg_span text;
	size_t at;
} cursor;

static uint8_t
peek(const cursor *c)
{
	return c->at < c->text.len ? c->text.ptr[c->at] : 0;
}

static bool
take(cursor *c, char byte)
{
	if (peek(c) != (uint8_t)byte)
		return false;
	c->at++;
	return true;
}

static bool
at_digit(const cursor *c)
{
	return peek(c) >= '0' && peek(c) <= '9';
}

static void
add_digit(decimal *d, uint8_t digit, bool behind_point)
{
	if (d->count == 0 && digit == 0) { /* a leading zero */
		if (behind_point)
			d->point--;
		return;
	}
	if (!behind_point)
		d->point++;
	if (d->count < DIGITS_MAX) {
		d->digit[d->count++] = digit;
	} else if (digit > 0) {
		d->digit[DIGITS_MAX] = 1; /* for all that follow */
		d->count = DIGITS_MAX + 1;
	}
}

static size_t
read_digits(decimal *d, cursor *c, bool behind_point)
{
	size_t from = c->at;
	for (; at_digit(c); c->at++)
		add_digit(d, (uint8_t)(peek(c) - '0'), behind_point);
	return c->at - from;
}

/* No text is so long (10^17 bytes) that its digits could make up for an
 * exponent beyond this one, and the sum of both fits. */
static const int64_t exponent_enough = INT64_C(100000000000000000);

static bool
read_exponent(decimal *d, cursor *c)
{
	int64_t exponent = 0;
	bool negative = take(c, '-');
	if (!negative)
		take(c, '+');
	size_t from = c->at;
	for (; at_digit(c); c->at++)
		if (exponent < exponent_enough)
			exponent = exponent * 10 + (peek(c) - '0');
	d->point += negative ? -exponent : exponent;
	return c->at > from;
}

/* RFC 8259, section 6. Whoever asks has read the document; a caller that has
 * not must not get the hash of something else. */
static bool
read_decimal(decimal *d, wkg_span text)
{
	cursor c = { text, 0 };
	d->count = 0;
	d->point = 0;
	d->negative = take(&c, '-');

	bool zero = peek(&c) == '0';
	size_t whole = read_digits(d, &c, false);
	if (whole == 0 || (zero && whole > 1))
		return false;
	if (take(&c, '.') && read_digits(d, &c, true) == 0)
		return false;
	if ((take(&c, 'e') || take(&c, 'E')) && !read_exponent(d, &c))
		return false;

	while (d->count > 0 && d->digit[d->count - 1] == 0)
		d->count--;
	return c.at == text.len;
}

/* ---- decimal to double -------------------------------------------------- */

/* The value n / m * 2^exponent. */
typedef struct ratio {
	natural n, m;
	int exponent;
} ratio;

/* As 1 <= n / m < 2. */
static void
set_ratio(ratio *r, const decimal *d)
{
	/* digits * 10^power = digits * 5^power * 2^power */
	int power = (int)d->point - d->count;
	set(&r->n, 0);
	set(&r->m, 1);
	for (int i = 0; i < d->count; i++)
		multiply_add(&r->n, 10, d->digit[i]);
	if (power < 0)
		multiply_power_of_5(&r->m, -power);
	else
		multiply_power_of_5(&r->n, power);

	int longer = bit_length(&r->n) - bit_length(&r->m);
	if (longer < 0)
		shift_left(&r->n, -longer);
	else
		shift_left(&r->m, longer);
	r->exponent = power + longer;
	if (compare(&r->n, &r->m) < 0) {
		shift_left(&r->n, 1);
		r->exponent--;
	}
}

/* The double without its sign; NOT_FINITE if it is too large. */
static uint64_t
nearest(const decimal *d)
{
	if (d->point > POINT_MAX)
		return NOT_FINITE;
	if (d->point < POINT_MIN)
		return 0;
	ratio r;
	set_ratio(&r, d);
	if (r.exponent < EXPONENT_MIN - 1) /* less than half of the smallest */
		return 0;

	/* What the last bit of the mantissa is worth; a subnormal has fewer
	 * bits, because it cannot go below the smallest double. */
	int last = r.exponent - FRACTION_BITS;
	if (last < EXPONENT_MIN)
		last = EXPONENT_MIN;
	uint64_t mantissa = 0;
	for (int bit = r.exponent; bit >= last; bit--) {
		mantissa = mantissa * 2 + divide(&r.n, &r.m);
		shift_left(&r.n, 1);
	}
	/* What is left, n / m, is in halves of the last bit. */
	int half = compare(&r.n, &r.m);
	if (half > 0 || (half == 0 && mantissa % 2 == 1))
		mantissa++;
	/* Added, not or'ed: the leading 1 belongs to the exponent, which it
	 * raises by one, and so does a carry out of 52 ones. */
	return ((uint64_t)(last - EXPONENT_MIN) << FRACTION_BITS) + mantissa;
}

bool
wkg__number_parse(uint64_t *bits, wkg_span text)
{
	decimal d;
	if (!read_decimal(&d, text))
		return false;
	uint64_t magnitude = d.count == 0 ? 0 : nearest(&d);
	if (magnitude >= NOT_FINITE)
		return false;
	*bits = d.negative ? magnitude | SIGN : magnitude;
	return true;
}

/* ---- double to decimal -------------------------------------------------- */

/* A double and what reads back as it: everything from r - down to r + up, in
 * units of s. The names r, s, m+ (up) and m- (down) are Burger and Dybvig's. */
typedef struct interval {
	natural r, s, up, down;
	bool closed; /* do the ends, which are halfway points, belong to it? */
} interval;

/* Burger and Dybvig, table 1, brought to one form. r + up < 2^1027 and
 * s <= 2^1076. */
static void
set_interval(interval *v, uint64_t magnitude)
{
	uint64_t mantissa = magnitude & FRACTION;
	int field = (int)(magnitude >> FRACTION_BITS);
	/* Below a power of two the doubles are twice as dense; not so below
	 * the smallest normal one. */
	bool dense_below = mantissa == 0 && field > 1;
	if (field > 0)
		mantissa |= LEADING_ONE;
	int exponent = field > 0 ? field - EXPONENT_BIAS : EXPONENT_MIN;

	set(&v->r, 4 * mantissa);
	set(&v->s, 4);
	set(&v->up, 2);
	set(&v->down, dense_below ? 1 : 2);
	if (exponent < 0) {
		shift_left(&v->s, -exponent);
	} else {
		shift_left(&v->r, exponent);
		shift_left(&v->up, exponent);
		shift_left(&v->down, exponent);
	}
	v->closed = mantissa % 2 == 0; /* a tie is read as the even one */
}

static void
multiply_interval(interval *v, int power_of_10)
{
	multiply_power_of_10(&v->r, power_of_10);
	multiply_power_of_10(&v->up, power_of_10);
	multiply_power_of_10(&v->down, power_of_10);
}

/* Is s itself, or more, within the interval? */
static bool
reaches_s(const interval *v)
{
	natural top = v->r;
	add(&top, &v->up);
	int order = compare(&top, &v->s);
	return v->closed ? order >= 0 : order > 0;
}

/* Is the interval down to 0 in what is left, r? */
static bool
reaches_0(const interval *v)
{
	int order = compare(&v->r, &v->down);
	return v->closed ? order <= 0 : order < 0;
}

/* Divide by the smallest power of ten above the interval; its exponent.
 *
 * The larger of r + up and s is not made larger, but for the estimate's being
 * too small and for the factor 10 of write_decimal(): by less than 10^5. */
static int
scale(interval *v)
{
	/* 2^power <= r / s < 2^(power + 2). Rounding is toward zero: one less is
	 * never too large, and the loop adds what is missing, at most three. */
	int power = bit_length(&v->r) - bit_length(&v->s) - 1;
	int point = power * 30103 / 100000 - 1; /* log10(2) = 0.30103 */
	if (point < 0)
		multiply_interval(v, -point);
	else
		multiply_power_of_10(&v->s, point);
	for (; reaches_s(v); point++)
		multiply_add(&v->s, 10, 0);
	return point;
}

/* Both `digit` and the next one will do: is the next one closer? Of two equally
 * close ones the even one is taken (ECMA-262, Number::toString, note 2, which
 * RFC 8785 requires; Burger and Dybvig take the next one). */
static bool
next_is_closer(const interval *v, unsigned digit)
{
	natural twice = v->r;
	shift_left(&twice, 1);
	int order = compare(&twice, &v->s);
	return order > 0 || (order == 0 && digit % 2 == 1);
}

/* The shortest decimal within the interval, of several the closest to r: the
 * digits of r / s, until what was written, or that with its last digit raised,
 * is within. A raised digit is at most 9, for with a 9 that has to be raised
 * the digit before it would have been, and ended it. There are at most 17:
 * so many always tell two doubles apart. */
static void
write_decimal(decimal *d, uint64_t magnitude)
{
	interval v;
	set_interval(&v, magnitude);
	d->count = 0;
	d->point = scale(&v);
	for (bool low = false, high = false; !low && !high;) {
		multiply_interval(&v, 1);
		unsigned digit = divide(&v.r, &v.s);
		low = reaches_0(&v);
		high = reaches_s(&v);
		if (high && (!low || next_is_closer(&v, digit)))
			digit++;
		d->digit[d->count++] = (uint8_t)digit;
	}
}

/* ---- decimal to text ---------------------------------------------------- */

static void
put(wkg_buf *out, char c)
{
	out->ptr[out->len++] = (uint8_t)c;
}

/* Digits [from, to), and zeros on either side of those that there are. */
static void
put_digits(wkg_buf *out, const decimal *d, int from, int to)
{
	for (int i = from; i < to; i++)
		put(out, (char)('0' + (i >= 0 && i < d->count ? d->digit[i] : 0)));
}

static void
put_exponent(wkg_buf *out, int exponent)
{
	put(out, 'e');
	put(out, exponent < 0 ? '-' : '+');
	if (exponent < 0)
		exponent = -exponent;
	if (exponent >= 100)
		put(out, (char)('0' + exponent / 100));
	if (exponent >= 10)
		put(out, (char)('0' + exponent / 10 % 10));
	put(out, (char)('0' + exponent % 10));
}

/* ECMA-262, Number::toString, from step 6 on; `point` is its n. */
static void
put_decimal(wkg_buf *out, const decimal *d)
{
	int point = (int)d->point;
	if (point > 0 && point <= 21) { /* 1 up to, not including, 1e21 */
		put_digits(out, d, 0, point);
		if (d->count > point)
			put(out, '.');
		put_digits(out, d, point, d->count);
	} else if (point > -6 && point <= 0) { /* 1e-6 up to 1 */
		put(out, '0');
		put(out, '.');
		put_digits(out, d, point, d->count);
	} else {
		put_digits(out, d, 0, 1);
		if (d->count > 1)
			put(out, '.');
		put_digits(out, d, 1, d->count);
		put_exponent(out, point - 1);
	}
}

size_t
wkg__number_write(uint8_t out[WKG__NUMBER_TEXT_MAX], uint64_t bits)
{
	wkg_buf text = { out, 0, WKG__NUMBER_TEXT_MAX };
	uint64_t magnitude = bits & ~SIGN;
	decimal d;
	if (magnitude >= NOT_FINITE)
		return 0;
	if (magnitude == 0) { /* and -0: the sign is lost */
		put(&text, '0');
		return text.len;
	}
	if (bits & SIGN)
		put(&text, '-');
	write_decimal(&d, magnitude);
	put_decimal(&text, &d);
	return text.len;
}

wkg_status
wkg__number_canonical(wkg_buf *out, wkg_span text)
{
	uint64_t bits;
	uint8_t canonical[WKG__NUMBER_TEXT_MAX];
	if (!wkg__number_parse(&bits, text))
		return WKG_E_SYNTAX;
	return wkg__append(out, canonical, wkg__number_write(canonical, bits));
}

wkg_status
wkg__number_whole(wkg_buf *out, uint64_t value)
{
	uint8_t digits[20]; /* 2^64 - 1 has as many */
	size_t at = sizeof digits;
	do
		digits[--at] = (uint8_t)('0' + value % 10);
	while ((value /= 10) > 0);
	return wkg__append(out, digits + at, sizeof digits - at);
}
