/* instant.c - RFC 3339 in UTC, and no other way to write a moment. */
#include "instant.h"

enum { DAY_MS = 86400000 };

/* Days between 1970-01-01 and a day of the proleptic Gregorian calendar. Years
 * begin in March here, so that the leap day is the last one of its year; 719468
 * days lie between 0000-03-01 and 1970-01-01. */
static int64_t
days_from_date(int64_t year, int64_t month, int64_t day)
{
	year -= month <= 2;
	int64_t of_month = (month + 9) % 12;
	int64_t day_of_year = (153 * of_month + 2) / 5 + day - 1;
	int64_t leap_days = year / 4 - year / 100 + year / 400;
	return year * 365 + leap_days + day_of_year - 719468;
}

static bool
is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int64_t
days_of_month(int64_t year, int64_t month)
{
	static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	return days[month - 1] + (month == 2 && is_leap(year));
}

static void
write_digits(uint8_t *out, int64_t value, size_t count)
{
	while (count-- > 0) {
		out[count] = (uint8_t)('0' + value % 10);
		value /= 10;
	}
}

bool
wkg__instant_write(uint8_t out[WKG__INSTANT_LEN], int64_t ms)
{
	const int64_t first = days_from_date(0, 3, 1), last = days_from_date(10000, 1, 1);
	int64_t day = ms / DAY_MS - (ms % DAY_MS < 0);
	int64_t rest = ms - day * DAY_MS;
	if (day < first || day >= last)
		return false;
	int64_t year = (day + 719468) / 365 + 1, month = 12; /* or before */
	while (days_from_date(year, 1, 1) > day)
		year--;
	while (days_from_date(year, month, 1) > day)
		month--;
	write_digits(out, year, 4);
	out[4] = '-';
	write_digits(out + 5, month, 2);
	out[7] = '-';
	write_digits(out + 8, day - days_from_date(year, month, 1) + 1, 2);
	out[10] = 'T';
	write_digits(out + 11, rest / 3600000, 2);
	out[13] = ':';
	write_digits(out + 14, rest / 60000 % 60, 2);
	out[16] = ':';
	write_digits(out + 17, rest / 1000 % 60, 2);
	out[19] = '.';
	write_digits(out + 20, rest % 1000, 3);
	out[23] = 'Z';
	return true;
}

/* `count` digits at `*at`, then the byte `end` (0: none). */
static bool
read_digits(wkg_span text, size_t *at, size_t count, uint8_t end, int64_t *value)
{
	*value = 0;
	for (; count > 0; count--, (*at)++) {
		if (*at >= text.len || text.ptr[*at] < '0' || text.ptr[*at] > '9')
			return false;
		*value = *value * 10 + (text.ptr[*at] - '0');
	}
	if (end == 0)
		return true;
	return *at < text.len && text.ptr[(*at)++] == end;
}

/* The cursor is behind the seconds. */
static bool
read_fraction(wkg_span text, size_t *at, int64_t *ms)
{
	*ms = 0;
	if (*at >= text.len || text.ptr[*at] != '.')
		return true;
	size_t digits = 0;
	for (++*at; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; ++*at)
		if (digits++ < 3)
			*ms = *ms * 10 + (text.ptr[*at] - '0');
	for (size_t i = digits; i < 3; i++)
		*ms *= 10;
	return digits > 0;
}

bool
wkg__instant_parse(int64_t *ms, wkg_span text)
{
	int64_t year, month, day, hour, minute, second, fraction;
	size_t at = 0;
	if (!read_digits(text, &at, 4, '-', &year) ||
	    !read_digits(text, &at, 2, '-', &month) ||
	    !read_digits(text, &at, 2, 'T', &day) ||
	    !read_digits(text, &at, 2, ':', &hour) ||
	    !read_digits(text, &at, 2, ':', &minute) ||
	    !read_digits(text, &at, 2, 0, &second) ||
	    !read_fraction(text, &at, &fraction))
		return false;
	if (text.len - at != 1 || text.ptr[at] != 'Z')
		return false;
	if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month))
		return false;
	if (hour > 23 || minute > 59 || second > 59)
		return false;
	*ms = days_from_date(year, month, day) * DAY_MS + hour * 3600000 +
	      minute * 60000 + second * 1000 + fraction;
	return true;
}
