/* render.h - fill a template with values from a JSON state (F7).
 *
 *     Order {{$.order.id}} says: {{$.order.items[0].note}}
 *
 * Who reads the result decides the mode. For a model, WKG_RENDER_DATA: every
 * substituted value becomes a data segment of its own, unless it cannot say
 * anything (F6). For a human, or a program that judges the text next,
 * WKG_RENDER_VERBATIM. A template is instruction text by its author; system
 * prompts are templates too and need WKG_RENDER_DATA just the same.
 *
 *     placeholder = "{{" [spaces] "$" *step [spaces] "}}"
 *     step        = "." key / "[" index "]" / "[" JSON string "]"
 *     key         = 1*(any character but . [ ] { } " \ space and ASCII controls)
 *
 * `{{` that is not followed by `$` is literal. What was substituted is never
 * looked at again: `{{`, `$` and `\` in a value mean nothing.
 *
 * Strings come decoded; numbers, true and false as they stand; null, objects
 * and arrays as their JSON text, which in data mode is always fenced. The
 * label of a segment is its path as the template writes it, without the `$.`.
 * A segment begins and ends at the edge of a line of the result: a line feed is
 * added where the template does not stand at one. What surrounds the result is
 * the caller's.
 *
 * Threads: pure functions. */
#ifndef WICKETGATE_RENDER_H
#define WICKETGATE_RENDER_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wkg_render_mode {
	WKG_RENDER_INVALID = 0,
	WKG_RENDER_DATA = 1,
	WKG_RENDER_VERBATIM = 2,
} wkg_render_mode;

typedef enum wkg_render_part {
	WKG_RENDER_PART_NONE = 0,
	WKG_RENDER_PART_TEMPLATE = 1,
	WKG_RENDER_PART_STATE = 2,
} wkg_render_part;

/* Which of the two inputs is wrong, where, and why. */
typedef struct wkg_render_error {
	wkg_render_part part;
	size_t at;
	const char *what; /* constant text, "" if there was no error */
} wkg_render_error;

/* Room and scratch memory that always suffice; SIZE_MAX on overflow. The room
 * grows with the number of placeholders: each can be the whole state. */
WKG_API size_t wkg_render_bound(wkg_span template_text, size_t state_len);
WKG_API size_t wkg_render_work_size(size_t state_len);

/* Append the rendered template. The state is read once and then again for each
 * placeholder. `error` may be NULL.
 *
 * WKG_E_ARGUMENT:  unknown mode or profile, an overlap.
 * WKG_E_SPACE:     the result or the work does not fit.
 * WKG_E_SYNTAX:    a malformed placeholder, or the state is not JSON.
 * WKG_E_NOT_FOUND: a placeholder names nothing in the state.
 * WKG_E_ENCODING, WKG_E_DUPLICATE: of the state, see json.h. */
WKG_API WKG_MUST_USE wkg_status
wkg_render(wkg_buf *out, wkg_span template_text, wkg_span state,
           wkg_render_mode mode, wkg_profile profile, wkg_work work,
           wkg_render_error *error);

#ifdef __cplusplus
}
#endif
#endif
