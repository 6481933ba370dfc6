/* sign.h - the suite's own signatures and hashes, over OpenSSL. The only file
 * that includes it is sign.c. */
#ifndef WGC_SIGN_H
#define WGC_SIGN_H

#include <stddef.h>
#include <stdint.h>

/* "sha256:" and 64 hex digits, as in an envelope. */
void wgc_sha256(const char *text, size_t len, char out[72]);
/* Ed25519 (RFC 8032) from a seed. Out of order ends the program with 5. */
void wgc_public_key(const uint8_t seed[32], uint8_t public_key[32]);
void wgc_sign(const uint8_t seed[32], const char *text, size_t len,
              uint8_t signature[64]);

#endif
