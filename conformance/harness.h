/* harness.h - claims, printed as TAP.
 *
 * A test program is a list of CLAIM("S3 ...", condition): the text says what
 * is promised and by which rule, so that a failure can be read without the
 * source. main() ends with `return finish();`. */
#ifndef WKG_CONFORMANCE_HARNESS_H
#define WKG_CONFORMANCE_HARNESS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wicketgate/wicketgate.h>

static int claims, failures;

static inline void
claim(bool holds, const char *text, const char *file, int line)
{
	printf("%sok %d - %s\n", holds ? "" : "not ", ++claims, text);
	if (!holds) {
		failures++;
		printf("# at %s:%d\n", file, line);
	}
	fflush(stdout);
}

#define CLAIM(text, condition) claim((condition), (text), __FILE__, __LINE__)

/* A text literal with its length, so that "a\0b" is three characters. */
#define TEXT(literal) ((wkg_span){ (const uint8_t *)(literal), sizeof(literal) - 1 })

/* Output memory with the last bytes guarded: `room` is what the call may use. */
#define ROOM_MAX (1u << 22)
static uint8_t room[ROOM_MAX];

static inline wkg_buf
fresh(void)
{
	wkg_buf out = { room, 0, sizeof room };
	return out;
}

static inline bool
same(wkg_span a, wkg_span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool
holds(const wkg_buf *out, wkg_span expected)
{
	bool equal = same(wkg_buf_span(out), expected);
	if (!equal) {
		printf("# got      ");
		for (size_t i = 0; i < out->len && i < 200; i++)
			printf(out->ptr[i] >= 0x20 && out->ptr[i] < 0x7F ? "%c" : "\\x%02X", out->ptr[i]);
		printf("\n");
	}
	return equal;
}

/* Memory for the length of the program. */
static inline uint8_t *
memory(size_t size)
{
	static void *blocks[1 << 14];
	static size_t count;
	if (size == 0) { /* from finish() */
		while (count > 0)
			free(blocks[--count]);
		return NULL;
	}
	if (count == sizeof blocks / sizeof *blocks)
		abort();
	blocks[count] = malloc(size);
	if (blocks[count] == NULL)
		abort();
	return blocks[count++];
}

static inline int
finish(void)
{
	printf("1..%d\n", claims);
	memory(0);
	return failures == 0 ? 0 : 1;
}

static inline wkg_span
repeat(wkg_span text, size_t count)
{
	uint8_t *bytes = memory(text.len * count + 1);
	wkg_span all = { bytes, text.len * count };
	for (size_t i = 0; i < count; i++)
		memcpy(bytes + i * text.len, text.ptr, text.len);
	return all;
}

static inline wkg_span
join(wkg_span a, wkg_span b)
{
	uint8_t *bytes = memory(a.len + b.len + 1);
	wkg_span all = { bytes, a.len + b.len };
	memcpy(bytes, a.ptr, a.len);
	memcpy(bytes + a.len, b.ptr, b.len);
	return all;
}

/* A text with the first `from` in it, which must be there, replaced. */
static inline wkg_span
replaced(wkg_span text, const char *from, const char *to)
{
	size_t n = strlen(from);
	for (size_t at = 0; at + n <= text.len; at++)
		if (memcmp(text.ptr + at, from, n) == 0) {
			wkg_span head = { text.ptr, at }, tail = { text.ptr + at + n, text.len - at - n };
			wkg_span middle = { (const uint8_t *)to, strlen(to) };
			return join(join(head, middle), tail);
		}
	abort();
}

#endif
