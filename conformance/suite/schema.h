/* schema.h - the part of JSON Schema 2020-12 that protocol.schema.json and
 * the vector schema use, so that the published schemas are also what is
 * enforced. Anything else in a schema makes every value invalid. */
#ifndef WGC_SCHEMA_H
#define WGC_SCHEMA_H

#include "json.h"

/* Is `value` valid against #/$defs/<def> of `root` (NULL: against root)? If
 * not, `why` (may be NULL) gets where and what, as ASCII. */
bool wgc_schema_valid(const cJSON *root, const char *def, const cJSON *value,
                      wgc_string *why);

/* protocol.schema.json, parsed once. */
const cJSON *wgc_protocol_schema(void);

#endif
