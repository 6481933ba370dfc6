/* guard.h - what the fence writes into words that pass for its own (F9, F10). */
#ifndef WICKETGATE_GUARD_H
#define WICKETGATE_GUARD_H

#include "../internal.h"

/* The character at an offset; `len` 0 at the end of the text. */
typedef wkg_char wkg__reader(wkg_span in, size_t at);

/* What must follow the character `c`, which ends at `next`: `~` if it carries
 * the x of a keyword that can be read from here on, U+0020 if a token begins
 * with it, else 0. */
WKG_HIDDEN uint32_t
wkg__guard(wkg__reader *read, wkg_span in, uint32_t code, size_t next);

#endif
