/* compare.h - is this reply the one a vector expects? */
#ifndef WGC_COMPARE_H
#define WGC_COMPARE_H

#include "ask.h"
#include "json.h"

/* `expect` is {"ok":{...}} or {"err":{"code":...}}. Members that it does not
 * name are not compared; members of features that were not declared neither.
 * `safety`: any refusal of the thing itself will do where one is expected. If
 * false, `why` gets what differs, as one line of ASCII. */
bool wgc_reply_meets(const cJSON *expect, const wgc_reply *reply,
                     const cJSON *hello, const wgc_setup *setup, bool safety,
                     wgc_string *why);

/* Values V of PROTOCOL.md 3, however they are written. */
bool wgc_value_same(const cJSON *a, const cJSON *b, const wgc_setup *setup);

/* X3.3: a failing handler's own words are in the message. */
bool wgc_tells_a_secret(const wgc_reply *reply);

/* Codes that say nothing about what was asked: never an expected refusal. */
bool wgc_is_no_refusal(const char *code);

#endif
