/* demo.h - what the two files of the demo share. */
#ifndef WICKETGATE_CLI_DEMO_H
#define WICKETGATE_CLI_DEMO_H

#include "cli.h"

enum {
	INDENT = 3,
	NARROW = 64, /* below it, what stands side by side is stacked */
};

extern cli_screen screen;

/* Prose, wrapped. What comes out of the payload is drawn, not trusted. */
CLI_FORMAT(1, 2)
void say(const char *format, ...);
void print_title(const char *title);

/* Bounds were kept and the documents are known to be valid, so that no call can
 * fail. If one does, the demo is wrong: stop. */
void must(wkg_status status);
void reserve(wkg_buf *buf, size_t size);
void reserve_work(wkg_work *work, size_t size);
void append(wkg_buf *out, wkg_span text);

/* demo_gate.c */
void tell_gate(void);

#endif
