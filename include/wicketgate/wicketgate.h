/* wicketgate.h - everything. Vendoring a part? Include that part's header. */
#ifndef WICKETGATE_WICKETGATE_H
#define WICKETGATE_WICKETGATE_H

#include "authority.h"
#include "base.h"
#include "executor.h"
#include "fence.h"
#include "grant.h"
#include "intent.h"
#include "json.h"
#include "ledger.h"
#include "moderate.h"
#include "payload.h"
#include "render.h"
#include "sanitize.h"
#include "schema.h"
#include "table.h"
#include "utf8.h"

#endif
