/* base64url.c - six bits a character. */
#include "base64url.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

char *
wgc_base64url(const uint8_t *bytes, size_t len)
{
	wgc_string out = { 0 };
	uint32_t word = 0;
	unsigned bits = 0;
	wgc_put(&out, "");
	for (size_t i = 0; i < len; i++) {
		word = word << 8 | bytes[i];
		for (bits += 8; bits >= 6; bits -= 6)
			wgc_put_bytes(&out, &digits[word >> (bits - 6) & 63], 1);
	}
	if (bits > 0)
		wgc_put_bytes(&out, &digits[word << (6 - bits) & 63], 1);
	return out.ptr;
}

bool
wgc_unbase64url(const char *text, uint8_t **bytes, size_t *len)
{
	uint32_t word = 0;
	unsigned bits = 0;
	*bytes = wgc_alloc(strlen(text));
	*len = 0;
	for (; *text != '\0'; text++) {
		const char *digit = strchr(digits, *text);
		if (digit == NULL)
			return false;
		word = word << 6 | (uint32_t)(digit - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			(*bytes)[(*len)++] = (uint8_t)(word >> bits);
		}
	}
	return true;
}
