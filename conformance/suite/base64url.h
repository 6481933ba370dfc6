/* base64url.h - RFC 4648 section 5, without padding. */
#ifndef WGC_BASE64URL_H
#define WGC_BASE64URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* free() it. */
char *wgc_base64url(const uint8_t *bytes, size_t len);
/* False for other characters; what is left over is dropped. free() *bytes. */
bool wgc_unbase64url(const char *text, uint8_t **bytes, size_t *len);

#endif
