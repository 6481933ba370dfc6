/* adapter.h - the process on the other side of the pipe.
 *
 * It is started without a shell, in a process group of its own, and trusted
 * with nothing: every line is bounded and checked, every wait has an end, and
 * whatever it does comes out as a kind of reply (ask.h), never as a pass. */
#ifndef WGC_ADAPTER_H
#define WGC_ADAPTER_H

#include "ask.h"
#include "json.h"

typedef struct wgc_adapter wgc_adapter;

/* argv is not copied. `patience` multiplies every timeout, for slow machines. */
wgc_adapter *wgc_adapter_new(char *const *argv, unsigned patience);
/* Kills what still runs. */
void wgc_adapter_free(wgc_adapter *adapter);

/* Start a process and shake hands. False: *why, in words (the adapter's). After
 * that the subject works, and restarts processes by itself. */
bool wgc_adapter_start(wgc_adapter *adapter, const char **why);
wgc_subject *wgc_adapter_subject(wgc_adapter *adapter);
/* Say bye and wait for the exit; false (an incident) if that went wrong. */
bool wgc_adapter_stop(wgc_adapter *adapter);

/* One request, whatever was declared: for `doctor`. The args stay the caller's. */
wgc_reply wgc_adapter_say(wgc_adapter *adapter, const char *op,
                          const cJSON *args);

/* [{"kind":"crash|hang|protocol","op":...,"why":...,"stderr":...}]: every time a
 * process ended otherwise than by bye. */
const cJSON *wgc_adapter_incidents(const wgc_adapter *adapter);

typedef struct wgc_adapter_stats {
	size_t requests, processes;
} wgc_adapter_stats;
wgc_adapter_stats wgc_adapter_stats_of(const wgc_adapter *adapter);

/* Every line as it is sent ('>') and received ('<'), for `doctor`. */
void wgc_adapter_trace(wgc_adapter *adapter,
                       void (*line)(void *context, char direction,
                                    const char *text, size_t len),
                       void *context);

/* For a signal handler: kill whatever process runs, if any. */
void wgc_adapter_kill_current(void);

#endif
