/* suite_toy_wrapped.h - the library in its hardened profile, with something
 * wrong around it; and values, which it has no operation for. */
#ifndef WGC_SUITE_TOY_WRAPPED_H
#define WGC_SUITE_TOY_WRAPPED_H

#include "suite_toys.h"

extern const toy wrapped_toys[];

wgc_subject *toy_wrapped_start(const toy *t);
void toy_wrapped_stop(wgc_subject *subject);

#endif
