/* shrink.h - from a case that fails to the simplest that does.
 *
 * Two stages, because choices alone get stuck: a delimiter that a grammar
 * writes in one piece has no shorter choice. First fewer and smaller choices;
 * then, on the texts themselves, shorter runs, pieces cut out, and plainer
 * characters. A step is taken only if the same property fails in the same way.
 * Candidates are asked in batches, the first that fails wins. */
#ifndef WGC_SHRINK_H
#define WGC_SHRINK_H

#include "evaluate.h"

/* `choices` made the failing case `what`; both become the simplest. */
void wgc_shrink(const wgc_property *property, wgc_choices *choices,
                wgc_case *what, double budget_s);

double wgc_now_s(void);
/* Tests: as if so much time had passed. */
void wgc_pretend_s(double s);

#endif
