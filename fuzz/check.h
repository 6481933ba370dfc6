/* check.h - what every harness asserts with.
 *
 * Nothing here comes from the library: a validator that shares code with what
 * it validates agrees with its mistakes. */
#ifndef WKG_FUZZ_CHECK_H
#define WKG_FUZZ_CHECK_H

#include <wicketgate/base.h>
#include <wicketgate/utf8.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not assert(): harnesses must hold under NDEBUG too. */
#define CHECK(cond) ((cond) ? (void)0 : check_failed(__FILE__, __LINE__, #cond))

_Noreturn static inline void
check_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, what);
	abort();
}

/* ---- memory ---------------------------------------------------------- */

/* An empty buffer of exactly `cap` bytes, so that ASan sees one byte more. */
static inline wkg_buf
check_buf(size_t cap)
{
	wkg_buf buf = { malloc(cap), 0, cap };
	CHECK(buf.ptr != NULL || cap == 0);
	return buf;
}

static inline wkg_buf
check_copy(wkg_span text)
{
	wkg_buf copy = check_buf(text.len);
	if (text.len > 0)
		memcpy(copy.ptr, text.ptr, text.len);
	copy.len = text.len;
	return copy;
}

static inline bool
check_same(wkg_span a, wkg_span b)
{
	return a.len == b.len &&
	       (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* ---- inputs ---------------------------------------------------------- */

static inline int
check_hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* One byte of the escaped form: `\xHH`, or itself. */
static inline uint8_t
check_unescape(wkg_span in, size_t *at)
{
	const uint8_t *p = in.ptr + *at;
	size_t left = in.len - *at;

	if (left >= 4 && p[0] == '\\' && p[1] == 'x') {
		int high = check_hex_digit(p[2]);
		int low = check_hex_digit(p[3]);
		if (high >= 0 && low >= 0) {
			*at += 4;
			return (uint8_t)(high * 16 + low);
		}
	}
	*at += 1;
	return p[0];
}

/* The input a harness works on, in memory of its exact size. One that starts
 * with `=` is in escaped form: `\xHH` is a byte, a final line feed is not part
 * of it. So seeds are plain text and hold no character one cannot see. */
static inline wkg_buf
check_input(const uint8_t *data, size_t size)
{
	wkg_span in = { data, size };
	if (size == 0 || data[0] != '=')
		return check_copy(in);

	if (data[size - 1] == '\n')
		in.len--;
	wkg_buf plain = check_buf(size);
	for (size_t at = 1; at < in.len;)
		plain.ptr[plain.len++] = check_unescape(in, &at);
	wkg_buf exact = check_copy(wkg_buf_span(&plain));
	free(plain.ptr);
	return exact;
}

/* Take the next option off the front of an input: in a seed a digit, from an
 * engine any byte. An input that is used up gives 0. */
static inline unsigned
check_option(wkg_span *in, unsigned choices)
{
	if (in->len == 0)
		return 0;
	uint8_t value = (uint8_t)(in->ptr[0] - '0');
	in->ptr++;
	in->len--;
	return value % choices;
}

static inline wkg_profile
check_profile(wkg_span *in)
{
	return check_option(in, 2) == 0 ? WKG_PROFILE_REFERENCE
	                                : WKG_PROFILE_HARDENED;
}

/* ---- UTF-8 ----------------------------------------------------------- */

/* Is there a scalar value in low..high that needs this many bytes? */
static inline bool
check_reachable(uint32_t low, uint32_t high, uint32_t least)
{
	return high >= least && low <= 0x10FFFF &&
	       !(low >= 0xD800 && high <= 0xDFFF);
}

/* How many bytes a lead byte calls for behind it; 4 if it is not one. */
static inline unsigned
check_following(uint8_t lead)
{
	if (lead < 0x80)
		return 0;
	if (lead < 0xC0 || lead > 0xF7)
		return 4;
	return 1u + (lead >= 0xE0) + (lead >= 0xF0);
}

/* Decode from the definition instead of a table: bytes belong together as long
 * as some scalar value starts with them; what stops short of one is a maximal
 * subpart (Unicode 3.9, U+FFFD Substitution of Maximal Subparts). */
static inline wkg_char
check_decode(wkg_span in, size_t at)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	uint8_t lead = in.ptr[at];
	wkg_char bad = { 0xFFFD, 1, true };
	unsigned more = check_following(lead);
	if (more == 4)
		return bad;

	uint32_t code = more == 0 ? lead : lead & (0x3Fu >> more);
	for (unsigned used = 1;; used++) {
		unsigned bits = 6 * (more + 1 - used);
		uint32_t low = code << bits;
		uint32_t high = low | ((1u << bits) - 1);
		if (!check_reachable(low, high, least[more]))
			return bad;
		bad.len = (uint8_t)used;
		if (used > more)
			break;
		if (at + used >= in.len || (in.ptr[at + used] & 0xC0) != 0x80)
			return bad;
		code = code << 6 | (in.ptr[at + used] & 0x3F);
	}
	wkg_char good = { code, (uint8_t)(more + 1), false };
	return good;
}

static inline bool
check_well_formed(wkg_span in)
{
	for (size_t at = 0; at < in.len;) {
		wkg_char c = check_decode(in, at);
		if (c.ill_formed)
			return false;
		at += c.len;
	}
	return true;
}

static inline void
check_encode(wkg_buf *out, uint32_t code)
{
	static const uint8_t mark[] = { 0x00, 0xC0, 0xE0, 0xF0 };
	unsigned more = 0u + (code > 0x7F) + (code > 0x7FF) + (code > 0xFFFF);

	CHECK(out->cap - out->len > more);
	out->ptr[out->len++] = (uint8_t)(mark[more] | code >> (6 * more));
	while (more-- > 0) {
		uint32_t bits = code >> (6 * more) & 0x3F;
		out->ptr[out->len++] = (uint8_t)(0x80 | bits);
	}
}

/* A text as an array of its characters. */
typedef struct check_chars {
	uint32_t *code;
	size_t len;
	size_t ill_formed; /* how many U+FFFD stand for ill-formed bytes */
} check_chars;

/* No text of `n` bytes has more than `n` characters. */
static inline check_chars
check_chars_new(size_t n)
{
	check_chars chars = { malloc((n + 1) * sizeof(uint32_t)), 0, 0 };
	CHECK(chars.code != NULL);
	return chars;
}

static inline void
check_chars_add(check_chars *chars, wkg_char c)
{
	chars->code[chars->len++] = c.code;
	chars->ill_formed += c.ill_formed;
}

static inline check_chars
check_chars_of(wkg_span text)
{
	check_chars chars = check_chars_new(text.len);
	for (size_t at = 0; at < text.len;) {
		wkg_char c = check_decode(text, at);
		check_chars_add(&chars, c);
		at += c.len;
	}
	return chars;
}

static inline wkg_buf
check_text_of(const check_chars *chars)
{
	wkg_buf text = check_buf(4 * chars->len);
	for (size_t i = 0; i < chars->len; i++)
		check_encode(&text, chars->code[i]);
	return text;
}

/* ---- functions that append ------------------------------------------- */

/* A call under test: append to `out`. `job` holds everything else. */
typedef wkg_status (*check_writer)(wkg_buf *out, void *job);

enum { CHECK_CANARY = 32, CHECK_FILL = 0xA7 };

/* Call with `before` bytes already there and room for `room` more, and hold the
 * call to what base.h says of memory and failure. */
static inline wkg_status
check_call(check_writer call, void *job, size_t before, size_t room,
           wkg_buf *result)
{
	size_t cap = before + room;
	wkg_buf all = check_buf(cap + CHECK_CANARY);
	memset(all.ptr, CHECK_FILL, all.cap);
	wkg_buf out = { all.ptr, before, cap };

	wkg_status status = call(&out, job);
	CHECK(out.ptr == all.ptr && out.cap == cap);
	CHECK(out.len >= before && out.len <= cap);
	CHECK(status == WKG_OK || out.len == before);
	for (size_t i = 0; i < before; i++)
		CHECK(all.ptr[i] == CHECK_FILL);
	for (size_t i = cap; i < all.cap; i++)
		CHECK(all.ptr[i] == CHECK_FILL);

	wkg_span appended = { all.ptr + before, out.len - before };
	*result = check_copy(appended);
	free(all.ptr);
	return status;
}

/* ... where there is not enough room. */
static inline void
check_no_room(check_writer call, void *job, size_t before, size_t room)
{
	wkg_buf nothing;
	CHECK(check_call(call, job, before, room, &nothing) == WKG_E_SPACE);
	free(nothing.ptr);
}

/* Call with room for `bound` bytes, which must suffice; then with one byte
 * less than was needed, with half of it, and last with exactly that, so that
 * what the job remembers is of a call that went well. Returns what the call
 * said and appended. */
static inline wkg_status
check_append(check_writer call, void *job, size_t before, size_t bound,
             wkg_buf *result)
{
	wkg_status status = check_call(call, job, before, bound, result);
	CHECK(status != WKG_E_SPACE);
	if (status != WKG_OK)
		return status;

	size_t need = result->len;
	if (need > 0) {
		check_no_room(call, job, before, need - 1);
		check_no_room(call, job, before, need / 2);
	}
	wkg_buf again;
	CHECK(check_call(call, job, before, need, &again) == WKG_OK);
	CHECK(check_same(wkg_buf_span(&again), wkg_buf_span(result)));
	free(again.ptr);
	return WKG_OK;
}

#endif
