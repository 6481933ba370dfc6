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

/* TAB and the spaces (Zs) that are not U+0020. No pattern looks for a no-break
 * space between two words, nor for two spaces. */
static bool
is_odd_space(uint32_t code)
{
	return code == '\t' || code == 0x00A0 || code == 0x1680 ||
	       (code >= 0x2000 && code <= 0x200A) ||
	       code == 0x202F || code == 0x205F || code == 0x3000;
}

/* What has been read of a text so far ends with these. */
typedef struct behind {
	bool hidden;
	bool space;
} behind;

static const wkg__letters nothing = { { 0 }, 0 }, blank = { { ' ' }, 1 };

static wkg__letters
read_unevened(wkg__reading how, uint32_t code, behind *b)
{
	uint32_t hidden = how.hiding == WKG__STRIPPED ? WKG_SET_STRIP_OUTPUT :
	                                                WKG_SET_MATCH_IGNORABLE;
	bool is_hidden = wkg_table_sets(code) & hidden;
	bool first = is_hidden && !b->hidden;
	bool space = (how.hiding == WKG__SPACED && first) ||
	             (how.hiding == WKG__SEEN && shows_as_blank(code));
	wkg__letters itself = { { code }, 1 };

	b->hidden = is_hidden;
	if (is_hidden)
		return space ? blank : nothing;
	return how.folded ? wkg__read_letter(code) : itself;
}

/* What one character of the input adds to a reading. */
static wkg__letters
read_as(wkg__reading how, uint32_t code, behind *b)
{
	wkg__letters read = read_unevened(how, code, b);
	if (!how.even || read.count == 0)
		return read;
	bool space = read.code[0] == ' ' || is_odd_space(read.code[0]);
	if (space)
		read = b->space ? nothing : blank;
	b->space = space;
	return read;
}

wkg__survey
wkg__survey_of(const wkg__passage *p)
{
	wkg__survey found = { false, false, false };
	bool behind_space = false;
	for (size_t at = p->from;;) {
		wkg_char c = p->notation->read(p->in, at);
		if (c.len == 0)
			return found;
		at += c.len;
		if (c.code < 0x20 || c.code >= 0x7F) {
			wkg__letters read = wkg__read_letter(c.code);
			found.hides |= (wkg_table_sets(c.code) & WKG_SET_MATCH_IGNORABLE) != 0;
			found.folds |= read.count != 1 || read.code[0] != c.code;
		}
		found.spaces |= is_odd_space(c.code) || (c.code == ' ' && behind_space);
		/* What is hidden may stand between two. */
		if (!(wkg_table_sets(c.code) & WKG_SET_MATCH_IGNORABLE))
			behind_space = c.code == ' ';
	}
}

bool
wkg__differs(wkg__survey found, wkg__reading how)
{
	if (how.even && how.hiding == WKG__SPACED)
		return found.hides;
	if ((how.even && !found.spaces) || (how.folded && !found.folds))
		return false;
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
	behind b = { false, false };
	p->view.len = 0;
	for (size_t at = p->from;;) {
		wkg_char c = p->notation->read(p->in, at);
		if (c.len == 0)
			return WKG_OK;
		at += c.len;
		wkg__letters read = read_as(how, c.code, &b);
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
	behind b = { false, false };
	bool begun = false;
	size_t written = 0;
	for (size_t at = p->from;;) {
		wkg_char c = p->notation->read(p->in, at);
		if (c.len == 0)
			return source;
		wkg__letters read = read_as(how, c.code, &b);
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
