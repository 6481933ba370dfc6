/* sign.c - SHA-256 and Ed25519 over OpenSSL. */
#include "sign.h"

#include <openssl/evp.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
need(bool worked)
{
	if (worked)
		return;
	fputs("wicketgate-conformance: OpenSSL cannot sign or hash\n", stderr);
	exit(5);
}

void
wgc_sha256(const char *text, size_t len, char out[72])
{
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned size = 0;
	need(EVP_Digest(text, len, digest, &size, EVP_sha256(), NULL) == 1 &&
	     size == 32);
	memcpy(out, "sha256:", 8);
	for (size_t i = 0; i < 32; i++)
		snprintf(out + 7 + 2 * i, 3, "%02x", digest[i]);
}

static EVP_PKEY *
key_of(const uint8_t seed[32])
{
	EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL,
	                                             seed, 32);
	need(key != NULL);
	return key;
}

void
wgc_public_key(const uint8_t seed[32], uint8_t public_key[32])
{
	EVP_PKEY *key = key_of(seed);
	size_t len = 32;
	need(EVP_PKEY_get_raw_public_key(key, public_key, &len) == 1);
	EVP_PKEY_free(key);
}

void
wgc_sign(const uint8_t seed[32], const char *text, size_t len,
         uint8_t signature[64])
{
	EVP_PKEY *key = key_of(seed);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	size_t size = 64;
	need(context != NULL &&
	     EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
	     EVP_DigestSign(context, signature, &size,
	                    (const unsigned char *)text, len) == 1);
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(key);
}
