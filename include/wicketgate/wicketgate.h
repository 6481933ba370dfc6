/* wicketgate.h - everything. Vendoring a part? Include that part's header. */
#ifndef WICKETGATE_WICKETGATE_H
#define WICKETGATE_WICKETGATE_H

#include "base.h"
#include "fence.h"
#include "json.h"
#include "moderate.h"
#include "payload.h"
#include "render.h"
#include "sanitize.h"
#include "table.h"
#include "utf8.h"

#endif
