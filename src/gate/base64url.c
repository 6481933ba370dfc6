/* base64url.c - six bits a character, most significant first. */
#include "base64url.h"

size_t
wkg__base64url_size(size_t n)
{
	size_t whole = wkg__multiply(n / 3, 4);
	size_t rest = n % 3 == 0 ? 0 : n % 3 + 1;
	return wkg__add(whole, rest);
}

wkg_status
wkg__base64url_encode(wkg_buf *out, wkg_span bytes)
{
	static const uint8_t alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					  "abcdefghijklmnopqrstuvwxyz"
					  "0123456789-_";
	if (wkg__base64url_size(bytes.len) > out->cap - out->len)
		return WKG_E_SPACE;
	uint32_t waiting = 0; /* bits not written yet, right-aligned */
	unsigned count = 0;
	for (size_t i = 0; i < bytes.len; i++) {
		waiting = (waiting << 8 | bytes.ptr[i]) & 0xFFFF;
		for (count += 8; count >= 6; count -= 6)
			out->ptr[out->len++] = alphabet[waiting >> (count - 6) & 63];
	}
	if (count > 0)
		out->ptr[out->len++] = alphabet[waiting << (6 - count) & 63];
	return WKG_OK;
}

/* 64 for what is not in the alphabet. */
static uint32_t
value_of(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 0u;
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26u;
	if (c >= '0' && c <= '9')
		return c - '0' + 52u;
	if (c == '-')
		return 62;
	return c == '_' ? 63 : 64;
}

wkg_status
wkg__base64url_decode(wkg_buf *out, wkg_span text)
{
	size_t len = out->len;
	uint32_t waiting = 0; /* bits that do not make a byte yet */
	unsigned count = 0;
	if (text.len / 4 * 3 + text.len % 4 * 6 / 8 > out->cap - out->len)
		return WKG_E_SPACE;
	for (size_t i = 0; i < text.len; i++) {
		uint32_t value = value_of(text.ptr[i]);
		if (value > 63)
			return WKG_E_SYNTAX;
		waiting = waiting << 6 | value;
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		out->ptr[len++] = (uint8_t)(waiting >> count);
		waiting &= (1u << count) - 1;
	}
	if (count == 6 || waiting != 0)
		return WKG_E_SYNTAX;
	out->len = len;
	return WKG_OK;
}
