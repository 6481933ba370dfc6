/* generate_text.h - texts as an attacker would write them.
 *
 * Uniformly random strings find next to nothing (measured: 2 of 20 broken
 * fences); these are put together from the pieces that matter: both ends of
 * every range of the tables and the code points next to them, brackets with
 * bridges between, delimiters whole and in part, lengths around limits. */
#ifndef WGC_GENERATE_TEXT_H
#define WGC_GENERATE_TEXT_H

#include "property.h"
#include "sets.h"

/* G-ADV-STR, of up to `pieces` pieces. */
wgc_text wgc_generate_hostile(wgc_case *what, uint32_t pieces);
/* G-BOUND: what is visible is about `limit` units long, and what is not, in
 * runs of up to 40,000, stands anywhere. */
wgc_text wgc_generate_padded(wgc_case *what, size_t limit);
/* Small limits, so that every text is about as long as one. */
void wgc_vary_limits(wgc_choices *choices, const wgc_subject *subject, wgc_setup *setup);
/* Which source a case of the sanitizer is from, its first number, and the limit there. */
wgc_source wgc_case_source(const wgc_case *what);
size_t wgc_case_limit(const wgc_case *what);
/* One character that tables get wrong: an end of a range, or next to it. */
uint32_t wgc_generate_edge(wgc_case *what);
/* One that the sanitizer removes in this profile, whatever is around. */
uint32_t wgc_generate_invisible(wgc_case *what);
/* Hidden characters of the hardened context set and what is around them: what
 * each one needs, what it does not suffer, runs of more than 16, flags. */
wgc_text wgc_generate_context(wgc_case *what);
/* Now and then with ill-formed parts, if the subject reads such texts. */
wgc_text wgc_generate_ill_formed(wgc_case *what, wgc_text text /* taken */);

#endif
