/* schema.h - checking values on a tape against field tables. */
#ifndef WKG_SCHEMA_INTERNAL_H
#define WKG_SCHEMA_INTERNAL_H

#include "tape.h"

#include <wicketgate/schema.h>

/* With `trim`, strings are measured and matched without ECMAScript's white
 * space at their ends. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__schema_check(const wkg__tape *tape, uint32_t object, const wkg_field *table,
                  bool trim, wkg_schema_error *error);

/* The same for one value and one row. */
WKG_HIDDEN WKG_MUST_USE wkg_status
wkg__schema_value(const wkg__tape *tape, uint32_t node, const wkg_field *field,
                  bool trim, wkg_schema_error *error);

/* The bytes [from, to) of a string token's inside that trimming leaves. */
WKG_HIDDEN void
wkg__schema_trim(const wkg__tape *tape, uint32_t node, size_t *from, size_t *to);

#endif
