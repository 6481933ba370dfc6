/* suite_toy_gate.h - an executor of a hundred lines whose ledger can be played,
 * and its bugs. */
#ifndef WGC_SUITE_TOY_GATE_H
#define WGC_SUITE_TOY_GATE_H

#include "suite_inprocess.h"
#include "suite_toys.h"

extern const toy gate_toys[]; /* ended by a bug of NULL */

/* A subject of its own kind: it reports calls. Stop it. */
wgc_subject *toy_gate_start(const toy *t);
void toy_gate_stop(wgc_subject *subject);

#endif
