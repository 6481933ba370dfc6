/* protocol.h - what PROTOCOL.md says about operations and configuration that
 * its schema does not. */
#ifndef WGC_PROTOCOL_H
#define WGC_PROTOCOL_H

#include "ask.h"

#define WGC_PROTOCOL_NAME "wgcp/1"
#define WGC_SUITE_VERSION "1.0.0"

/* Of "fence.wrap": "fence". NULL: no such operation. */
const char *wgc_operation_component(const char *op);
/* Pure operations may be pipelined; all others are sent alone. */
bool wgc_operation_is_pure(const char *op);
/* How long an adapter may take for a line of that length, before slow_factor. */
int64_t wgc_operation_wait_ms(const char *op, size_t line_len);

/* Does a choice concern a component? */
bool wgc_choice_concerns(wgc_choice choice, const char *component);
/* The i-th option of a choice, or NULL. */
const char *wgc_choice_option_at(wgc_choice choice, size_t i);

extern const char *const wgc_components[]; /* NULL-terminated */

#endif
