/* generate_json.h - documents, as text. */
#ifndef WGC_GENERATE_JSON_H
#define WGC_GENERATE_JSON_H

#include "choice.h"
#include "text.h"

wgc_text wgc_generate_json(wgc_choices *choices);

#endif
