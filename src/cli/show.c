/* show.c - draw text so that a person sees what is in it.
 *
 * A hidden or control character is written as <U+200B>, an ill-formed byte as
 * <0xFF>; neither ever reaches a terminal raw. The rest is about columns: a
 * Chinese character takes two, a combining mark none, and two texts side by
 * side only line up if that is known. */
#include "cli.h"

#include <wicketgate/moderate.h>
#include <wicketgate/table.h>
#include <wicketgate/utf8.h>

#include <string.h>

typedef struct range {
	uint32_t from;
	uint32_t to;
} range;

/* clang-format off */

/* Blank characters that the sanitizer keeps: odd spaces, blank Braille, format
 * characters of hieroglyphs, shorthand and music. (U+00A0 and U+3000 are
 * common in honest text and stay as they are.) */
static const range blank[] = {
	{ 0x1680, 0x1680 },   { 0x2000, 0x200A },   { 0x202F, 0x202F },
	{ 0x205F, 0x205F },   { 0x2800, 0x2800 },   { 0x13430, 0x1343F },
	{ 0x16FE4, 0x16FE4 }, { 0x1BCA0, 0x1BCA3 }, { 0x1D159, 0x1D159 },
};

/* Two columns: East Asian Wide and Fullwidth, and what is shown as emoji. */
static const range wide[] = {
	{ 0x1100, 0x115F },   { 0x231A, 0x231B },   { 0x2329, 0x232A },
	{ 0x23E9, 0x23EC },   { 0x23F0, 0x23F0 },   { 0x23F3, 0x23F3 },
	{ 0x25FD, 0x25FE },   { 0x2614, 0x2615 },   { 0x2648, 0x2653 },
	{ 0x267F, 0x267F },   { 0x2693, 0x2693 },   { 0x26A1, 0x26A1 },
	{ 0x26AA, 0x26AB },   { 0x26BD, 0x26BE },   { 0x26C4, 0x26C5 },
	{ 0x26CE, 0x26CE },   { 0x26D4, 0x26D4 },   { 0x26EA, 0x26EA },
	{ 0x26F2, 0x26F3 },   { 0x26F5, 0x26F5 },   { 0x26FA, 0x26FA },
	{ 0x26FD, 0x26FD },   { 0x2705, 0x2705 },   { 0x270A, 0x270B },
	{ 0x2728, 0x2728 },   { 0x274C, 0x274C },   { 0x274E, 0x274E },
	{ 0x2753, 0x2755 },   { 0x2757, 0x2757 },   { 0x2795, 0x2797 },
	{ 0x27B0, 0x27B0 },   { 0x27BF, 0x27BF },   { 0x2B1B, 0x2B1C },
	{ 0x2B50, 0x2B50 },   { 0x2B55, 0x2B55 },   { 0x2E80, 0x303E },
	{ 0x3041, 0xA4CF },   { 0xA960, 0xA97F },   { 0xAC00, 0xD7A3 },
	{ 0xF900, 0xFAFF },   { 0xFE10, 0xFE19 },   { 0xFE30, 0xFE6F },
	{ 0xFF01, 0xFF60 },   { 0xFFE0, 0xFFE6 },   { 0x16FE0, 0x16FF1 },
	{ 0x17000, 0x18CFF }, { 0x1AFF0, 0x1B2FF }, { 0x1F004, 0x1F004 },
	{ 0x1F0CF, 0x1F0CF }, { 0x1F18E, 0x1F18E }, { 0x1F191, 0x1F19A },
	{ 0x1F200, 0x1F320 }, { 0x1F32D, 0x1F335 }, { 0x1F337, 0x1F37C },
	{ 0x1F37E, 0x1F393 }, { 0x1F3A0, 0x1F3CA }, { 0x1F3CF, 0x1F3D3 },
	{ 0x1F3E0, 0x1F3F0 }, { 0x1F3F4, 0x1F3F4 }, { 0x1F3F8, 0x1F43E },
	{ 0x1F440, 0x1F440 }, { 0x1F442, 0x1F4FC }, { 0x1F4FF, 0x1F53D },
	{ 0x1F54B, 0x1F54E }, { 0x1F550, 0x1F567 }, { 0x1F57A, 0x1F57A },
	{ 0x1F595, 0x1F596 }, { 0x1F5A4, 0x1F5A4 }, { 0x1F5FB, 0x1F64F },
	{ 0x1F680, 0x1F6C5 }, { 0x1F6CC, 0x1F6CC }, { 0x1F6D0, 0x1F6D2 },
	{ 0x1F6D5, 0x1F6DF }, { 0x1F6EB, 0x1F6EC }, { 0x1F6F4, 0x1F6FF },
	{ 0x1F7E0, 0x1F7F0 }, { 0x1F90C, 0x1F93A }, { 0x1F93C, 0x1F945 },
	{ 0x1F947, 0x1F9FF }, { 0x1FA70, 0x1FAFF }, { 0x20000, 0x3FFFD },
};

/* A fence treats these as if they could vanish; a terminal prints them. What
 * else it ignores and we print raw are combining marks: no column. */
static const range printed[] = {
	{ 0x00A0, 0x00A0 },   { 0x0600, 0x0605 },   { 0x06DD, 0x06DD },
	{ 0x070F, 0x070F },   { 0x0890, 0x0891 },   { 0x08E2, 0x08E2 },
	{ 0x3000, 0x3000 },   { 0xE000, 0xF8FF },   { 0xFF9E, 0xFF9F },
	{ 0xFFFC, 0xFFFD },   { 0x110BD, 0x110BD }, { 0x110CD, 0x110CD },
	{ 0xF0000, 0x10FFFF },
};

/* Punctuation that no line may start with. */
static const range closing[] = {
	{ 0x3001, 0x3002 }, { 0x3009, 0x3009 }, { 0x300B, 0x300B },
	{ 0x300D, 0x300D }, { 0x300F, 0x300F }, { 0x3011, 0x3011 },
	{ 0xFF01, 0xFF01 }, { 0xFF09, 0xFF09 }, { 0xFF0C, 0xFF0C },
	{ 0xFF1A, 0xFF1B }, { 0xFF1F, 0xFF1F },
};

/* clang-format on */

#define IN(ranges, code)                                                       \
	is_in(ranges, sizeof(ranges) / sizeof((ranges)[0]), code)

static bool
is_in(const range *ranges, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count && ranges[i].from <= code; i++)
		if (code <= ranges[i].to)
			return true;
	return false;
}

static bool
is_hidden(uint32_t code)
{
	const uint32_t removed = WKG_SET_STRIP_REFERENCE |
	                         WKG_SET_STRIP_HARDENED |
	                         WKG_SET_CONTEXT_HARDENED;
	return code < 0x20 || (wkg_table_sets(code) & removed) != 0 ||
	       IN(blank, code);
}

static size_t
columns_of(uint32_t code)
{
	if (code < 0x7F)
		return 1;
	bool droppable = (wkg_table_sets(code) & WKG_SET_FENCE_IGNORABLE) != 0;
	if (droppable && !IN(printed, code))
		return 0;
	return IN(wide, code) ? 2 : 1;
}

/* A TAG character that mirrors a printable ASCII character: what a sentence
 * is smuggled in. */
static bool
is_tag(uint32_t code)
{
	return code >= 0xE0020 && code <= 0xE007E;
}

static bool
tag_stands_at(wkg_span text, size_t at)
{
	return at < text.len && is_tag(wkg_utf8_decode(text, at).code);
}

/* The letter a TAG character stands for; the whole run reads <TAG: letters>. */
static void
draw_tag(cli_piece *piece, wkg_span text, size_t at, wkg_char c)
{
	bool first = at < 4 || !tag_stands_at(text, at - 4);
	bool last = !tag_stands_at(text, at + c.len);
	int letter = (int)(c.code - 0xE0000);

	snprintf(piece->text, sizeof(piece->text), "%s%c%s",
	         first ? "<TAG: " : "", letter, last ? ">" : "");
	piece->line_break = letter == ' ' || last;
}

static void
draw_hidden(cli_piece *piece, wkg_span text, size_t at, wkg_char c,
            cli_drawing drawing)
{
	size_t count = 1;
	while (drawing == CLI_DRAW_RUNS && at + piece->used < text.len) {
		wkg_char next = wkg_utf8_decode(text, at + piece->used);
		if (next.code != c.code || next.ill_formed)
			break;
		piece->used += next.len;
		count++;
	}
	if (count == 1)
		snprintf(piece->text, sizeof(piece->text), "<U+%04lX>",
		         (unsigned long)c.code);
	else
		snprintf(piece->text, sizeof(piece->text), "<U+%04lX x%zu>",
		         (unsigned long)c.code, count);
	piece->line_break = true;
}

/* The emoji selector in the moderator's own mark, whose first character is at
 * `at`, hides nothing: its length. 0 anywhere else. */
static size_t
selector_of_mark(wkg_span text, size_t at)
{
	static const char sign[] = WKG_MODERATE_MARK;
	size_t len = strlen(sign);
	if (text.len - at < len || memcmp(text.ptr + at, sign, len) != 0)
		return 0;
	return wkg_utf8_decode(text, at + 3).len;
}

cli_piece
cli_piece_at(wkg_span text, size_t at, cli_drawing drawing)
{
	wkg_char c = wkg_utf8_decode(text, at);
	cli_piece piece = { .used = c.len, .hidden = true };

	if (c.ill_formed) {
		piece.used = 1; /* byte by byte, so that none is lost */
		snprintf(piece.text, sizeof(piece.text), "<0x%02X>",
		         (unsigned)text.ptr[at]);
	} else if (drawing == CLI_DRAW_RUNS && is_tag(c.code)) {
		draw_tag(&piece, text, at, c);
	} else if (is_hidden(c.code)) {
		draw_hidden(&piece, text, at, c, drawing);
	} else {
		piece.used += selector_of_mark(text, at);
		memcpy(piece.text, text.ptr + at, piece.used);
		piece.len = piece.used;
		piece.columns = columns_of(c.code);
		piece.line_break = c.code == ' ' || piece.columns == 2;
		piece.hidden = false;
		return piece;
	}
	piece.len = strlen(piece.text);
	piece.columns = piece.len;
	return piece;
}

static bool
may_start_line(wkg_span text, size_t at)
{
	return at == text.len || !IN(closing, wkg_utf8_decode(text, at).code);
}

/* A line that ends at `end`: the space it was broken at is not printed. */
static cli_line
line_until(wkg_span text, size_t at, size_t end)
{
	cli_line line = { at, end, end };
	if (text.ptr[end] == ' ')
		line.next++;
	else if (end - 1 > at && text.ptr[end - 1] == ' ')
		line.to--;
	return line;
}

cli_line
cli_wrap(wkg_span text, size_t at, size_t columns)
{
	cli_line line = { at, text.len, text.len };
	size_t used = 0;
	size_t broken = at; /* the last place where the line may end */

	for (size_t end = at; end < text.len;) {
		if (text.ptr[end] == '\n') {
			line.to = end;
			line.next = end + 1;
			return line;
		}
		cli_piece piece = cli_piece_at(text, end, CLI_DRAW_RUNS);
		if (piece.columns == 2 && may_start_line(text, end))
			broken = end;
		if (used + piece.columns > columns && end > at) {
			if (text.ptr[end] == ' ' || broken == at)
				return line_until(text, at, end);
			return line_until(text, at, broken);
		}
		used += piece.columns;
		end += piece.used;
		if (piece.line_break && may_start_line(text, end))
			broken = end;
	}
	return line;
}

size_t
cli_print_line(wkg_span text, cli_line line, const char *on, const char *off)
{
	size_t columns = 0;
	for (size_t at = line.from; at < line.to;) {
		cli_piece piece = cli_piece_at(text, at, CLI_DRAW_RUNS);
		printf("%s%.*s%s", piece.hidden ? on : "", (int)piece.len,
		       piece.text, piece.hidden ? off : "");
		columns += piece.columns;
		at += piece.used;
	}
	return columns;
}

void
cli_print_drawn(FILE *to, wkg_span text)
{
	for (size_t at = 0; at < text.len;) {
		cli_piece piece = cli_piece_at(text, at, CLI_DRAW_EACH);
		fwrite(piece.text, 1, piece.len, to);
		at += piece.used;
	}
}
