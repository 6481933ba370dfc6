/* reading.c - the texts that patterns are matched against. */
#include "reading.h"

#include <wicketgate/table.h>

#include "letters.h"

size_t
wkg__view_size(size_t n)
{
	return wkg__multiply(n, 3);
}

/* Hidden from a matcher, and a gap to the eye: fillers and blank patterns. With
 * ZWSP inside words and these between them neither JOINED nor SPACED reads what
 * the reviewer does. */
static bool
shows_as_blank(uint32_t code)
{
	return code == 0x115F || code == 0x1160 || code == 0x2800 ||
	       code == 0x3164 || code == 0xFFA0 || code == 0x1D159;
}

/* The other spaces (Zs): a no-break space between two words of an order is one
 * that copies of web pages have anyway, and no pattern looks for. */
static bool
is_odd_space(uint32_t code)
{
	return code == 0x00A0 || code == 0x1680 ||
	       (code >= 0x2000 && code <= 0x200A) ||
	       code == 0x202F || code == 0x205F || code == 0x3000;
}

/* What one character of the input adds to a reading. */
static wkg__letters
read_as(wkg__reading how, uint32_t code, bool *in_run)
{
	uint32_t hidden = how.hiding == WKG__STRIPPED ? WKG_SET_STRIP_OUTPUT :
	                                                WKG_SET_MATCH_IGNORABLE;
	bool is_hidden = wkg_table_sets(code) & hidden;
	bool first = is_hidden && !*in_run;
	bool space = (how.hiding == WKG__SPACED && first) ||
	             (how.hiding == WKG__SEEN && shows_as_blank(code));
	wkg__letters nothing = { { 0 }, 0 }, blank = { { ' ' }, 1 }, itself = { { code }, 1 };

	*in_run = is_hidden;
	if (is_hidden)
		return space ? blank : nothing;
	if (how.hiding != WKG__STRIPPED && is_odd_space(code))
		return blank;
	return how.folded ? wkg__read_letter(code) : itself;
}

wkg__survey
wkg__survey_of(const wkg__passage *p)
{
	wkg__survey found = { false, false, false };
	for (size_t at = p->from;;) {
		wkg_char c = p->notation->read(p->in, at);
		if (c.len == 0)
			return found;
		at += c.len;
		if (c.code < 0x20 || c.code >= 0x7F) {
			wkg__letters read = wkg__read_letter(c.code);
			found.hides |= (wkg_table_sets(c.code) & WKG_SET_MATCH_IGNORABLE) != 0;
			found.spaces |= is_odd_space(c.code);
			found.folds |= read.count != 1 || read.code[0] != c.code;
		}
	}
}

bool
wkg__differs(wkg__survey found, wkg__reading how)
{
	if (how.folded && !found.folds)
		return false;
	if (how.hiding == WKG__STRIPPED)
		return found.hides || found.spaces;
	return found.hides || how.hiding == WKG__JOINED;
}

/* Nothing to the eye: neither a blank nor a control, which breaks lines. */
static bool
is_invisible(uint32_t code)
{
	return code >= 0xA0 && code != 0x2028 && code != 0x2029 && !shows_as_blank(code) &&
	       wkg_table_sets(code) & WKG_SET_MATCH_IGNORABLE;
}

wkg__range
wkg__hidden_run(const wkg__passage *p)
{
	enum { LENGTH = 8 }; /* a byte in bits; the longest flag has six TAGs */
	static const wkg__range none = { 0, 0 };
	wkg__range run = none;
	size_t length = 0;
	for (size_t at = p->from;;) {
		wkg_char c = p->notation->read(p->in, at);
		bool hidden = c.len > 0 && is_invisible(c.code);
		run.to = at;
		if (!hidden && length >= LENGTH)
			return run;
		if (c.len == 0)
			return none;
		if (length == 0)
			run.from = at;
		length = hidden ? length + 1 : 0;
		at += c.len;
	}
}

wkg_status
wkg__read(wkg__passage *p, wkg__reading how)
{
	bool in_run = false;
	p->view.len = 0;
	for (size_t at = p->from;;) {
		wkg_char c = p->notation->read(p->in, at);
		if (c.len == 0)
			return WKG_OK;
		at += c.len;
		wkg__letters read = read_as(how, c.code, &in_run);
		for (size_t i = 0; i < read.count; i++)
			WKG_TRY(wkg__put(&p->view, read.code[i]));
	}
}

static size_t
bytes_of(const wkg__letters *letters)
{
	size_t bytes = 0;
	for (size_t i = 0; i < letters->count; i++)
		bytes += wkg_utf8_units(letters->code[i], WKG_UNIT_BYTE);
	return bytes;
}

wkg__range
wkg__source_of(const wkg__passage *p, wkg__reading how, wkg__range view)
{
	wkg__range source = { p->to, p->to };
	bool in_run = false, begun = false;
	size_t written = 0;
	for (size_t at = p->from;;) {
		wkg_char c = p->notation->read(p->in, at);
		if (c.len == 0)
			return source;
		wkg__letters read = read_as(how, c.code, &in_run);
		size_t bytes = bytes_of(&read);
		if (!begun && bytes > 0 && written + bytes > view.from) {
			source.from = at;
			begun = true;
		}
		if (begun && bytes > 0 && written >= view.to) {
			source.to = at;
			return source;
		}
		written += bytes;
		at += c.len;
	}
}
