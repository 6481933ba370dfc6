/* base.c - status names and the few operations every module needs. */
#include "../internal.h"

#include <string.h>

const char *
wkg_status_name(wkg_status status)
{
	switch (status) {
	case WKG_OK: return "WKG_OK";
	case WKG_E_ARGUMENT: return "WKG_E_ARGUMENT";
	case WKG_E_UNSUPPORTED: return "WKG_E_UNSUPPORTED";
	case WKG_E_MEMORY: return "WKG_E_MEMORY";
	case WKG_E_SPACE: return "WKG_E_SPACE";
	case WKG_E_ENCODING: return "WKG_E_ENCODING";
	case WKG_E_SYNTAX: return "WKG_E_SYNTAX";
	case WKG_E_DUPLICATE: return "WKG_E_DUPLICATE";
	case WKG_E_NOT_FOUND: return "WKG_E_NOT_FOUND";
	case WKG_E_LIMIT: return "WKG_E_LIMIT";
	case WKG_E_INVALID: return "WKG_E_INVALID";
	case WKG_E_REFUSED: return "WKG_E_REFUSED";
	case WKG_E_CRYPTO: return "WKG_E_CRYPTO";
	case WKG_E_STORE: return "WKG_E_STORE";
	}
	return "WKG_E_?";
}

#define TEXT_OF(x) #x
#define VERSION_TEXT(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *
wkg_version(void)
{
	return VERSION_TEXT(WKG_VERSION_MAJOR, WKG_VERSION_MINOR,
	                    WKG_VERSION_PATCH);
}

bool
wkg__profile_known(wkg_profile profile)
{
	return profile == WKG_PROFILE_REFERENCE ||
	       profile == WKG_PROFILE_HARDENED;
}

size_t
wkg__add(size_t a, size_t b)
{
	return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

size_t
wkg__multiply(size_t a, size_t b)
{
	return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

wkg_status
wkg__append(wkg_buf *out, const uint8_t *bytes, size_t count)
{
	if (count > out->cap - out->len)
		return WKG_E_SPACE;
	if (count > 0) /* memcpy(NULL, NULL, 0) is undefined */
		memcpy(out->ptr + out->len, bytes, count);
	out->len += count;
	return WKG_OK;
}

wkg_status
wkg__append_text(wkg_buf *out, const char *text)
{
	return wkg__append(out, (const uint8_t *)text, strlen(text));
}

bool
wkg__disjoint(const void *a, size_t a_len, const void *b, size_t b_len)
{
	/* As integers: comparing pointers into different objects is undefined. */
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
	if (a_len == 0 || b_len == 0)
		return true;
	return x < y ? a_len <= y - x : b_len <= x - y;
}

wkg_status
wkg__check_spans(const wkg_buf *out, wkg_span in)
{
	if (in.ptr == NULL && in.len > 0)
		return WKG_E_ARGUMENT;
	if (out == NULL || out->len > out->cap)
		return WKG_E_ARGUMENT;
	if (out->ptr == NULL)
		return out->cap > 0 ? WKG_E_ARGUMENT : WKG_OK;
	bool clear = wkg__disjoint(out->ptr + out->len, out->cap - out->len,
	                           in.ptr, in.len);
	return clear ? WKG_OK : WKG_E_ARGUMENT;
}
