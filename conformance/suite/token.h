/* token.h - a failing case as a word that one can paste.
 *
 * base64url of: the generator's version, the property, the configuration where
 * it differs from the default, then either texts and numbers or choices, then
 * a checksum, so that a word cut in a terminal is noticed. */
#ifndef WGC_TOKEN_H
#define WGC_TOKEN_H

#include "property.h"

/* Texts and numbers of the case; its choices if it is played. free() it. */
char *wgc_token_write(const wgc_property *property, const wgc_setup *setup,
                      const wgc_case *what);

typedef struct wgc_token {
	const wgc_property *property;
	wgc_setup setup;
	bool played;
	wgc_case values;               /* texts and numbers */
	uint32_t at[WGC_CHOICES_MAX]; /* choices */
	size_t len;
} wgc_token;

/* False, and why, for anything but a token of this version. */
bool wgc_token_read(const char *text, wgc_token *token, const char **why);
void wgc_token_clear(wgc_token *token);

#endif
