/* plumbing.h - one request of PROTOCOL.md and the reply to it.
 *
 * Requests are read with the library's own JSON reader and stay text; a tree of
 * offsets lies over them. Everything a request needs lives in its arena. */
#ifndef WGA_PLUMBING_H
#define WGA_PLUMBING_H

#include <stdio.h>
#include <wicketgate/wicketgate.h>

typedef struct wga_block wga_block;

/* Memory that is given back all at once. Never NULL: who runs out of memory
 * here ends the process, which the runner sees. */
typedef struct wga_arena {
	wga_block *last;
} wga_arena;

void *wga_take(wga_arena *arena, size_t size); /* zeroed */
void wga_drop(wga_arena *arena);

/* A value of a request: of an object the child is a NAME, whose child is the
 * value; of an array the first element. */
typedef struct wga_node {
	wkg_json_kind kind;
	size_t from, to;
	struct wga_node *next, *child, *last, *parent;
} wga_node;

typedef struct wga_ask {
	wga_arena arena;
	wkg_span line;
	const wga_node *root, *args;
	wkg_span id;
	bool bad; /* an argument was missing or strange: BAD_ARGUMENT */
	/* The members of `ok`, or those of `err` beside the code. */
	wkg_buf body;
} wga_ask;

/* Read a line. False if it is not an object of JSON. The ask belongs to the
 * caller, who ends it with wga_drop(&ask->arena) and free(ask). */
bool wga_read(wga_ask *ask, wkg_span line);

/* --- arguments: what is not there, or is something else, sets `bad` --- */

/* A member, or NULL; this one is no error. */
const wga_node *wga_member(const wga_ask *ask, const wga_node *object, const char *name);
const wga_node *wga_need(wga_ask *ask, const wga_node *object, const char *name);
/* A text of PROTOCOL.md 3 as bytes, which may be ill-formed UTF-8. */
wkg_span wga_text(wga_ask *ask, const wga_node *text);
wkg_span wga_text_of(wga_ask *ask, const wga_node *object, const char *name);
/* The same, for the library's C strings. */
const char *wga_string(wga_ask *ask, wga_arena *arena, const wga_node *text);
int64_t wga_integer(wga_ask *ask, const wga_node *number);
int64_t wga_integer_or(wga_ask *ask, const wga_node *object, const char *name, int64_t otherwise);
bool wga_true(const wga_node *node);
bool wga_is_null(const wga_node *node);
/* 32 bytes from 64 digits. */
void wga_key(wga_ask *ask, const wga_node *node, uint8_t key[WKG_KEY_SIZE]);
bool wga_same(wkg_span a, const char *b);

/* --- room for calls of the library --- */

wkg_work wga_work(wga_ask *ask, size_t size);
wkg_buf wga_room(wga_ask *ask, size_t size);

/* --- the reply: members and elements, commas come by themselves --- */

void wga_raw(wga_ask *ask, const char *text);
void wga_put_name(wga_ask *ask, const char *name);
void wga_put_element(wga_ask *ask);
void wga_value_text(wga_ask *ask, wkg_span text);
void wga_value_integer(wga_ask *ask, int64_t n);
void wga_put_text(wga_ask *ask, const char *name, wkg_span text);
void wga_put_string(wga_ask *ask, const char *name, const char *text);
void wga_put_integer(wga_ask *ask, const char *name, int64_t n);
void wga_put_bool(wga_ask *ask, const char *name, bool b);

/* Write one line, in one piece, from whichever thread. */
void wga_write_line(wkg_span line);
/* The reply: {"ok":{body}}, or {"err":{"code":...,body}}. */
void wga_reply(wga_ask *ask, const char *code);
void wga_skip(wga_ask *ask, const char *reason);

#endif
