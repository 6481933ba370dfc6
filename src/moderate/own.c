/* own.c - which PCRE2 patterns a user may add.
 *
 * A list of what is allowed, not of what is dangerous: literals, classes,
 * groups, alternatives, look-around, and quantifiers with an upper bound. Left
 * out are `*`, `+` and `{n,}` (one honest page of blanks, and the matcher gives
 * up on it); recursion, subroutines, backreferences, conditions and verbs (cost
 * that nobody can see in the pattern); \K (a range that begins behind its end);
 * callouts (they are how our own patterns are counted). */
#include "own.h"

#include <string.h>

enum { REPEAT_MAX = 100, ID_MAX = 64 };

typedef struct scan {
	const char *text;
	size_t at;
	bool repeatable; /* a quantifier may stand here */
} scan;

/* How many of the characters from here on are in `set`. */
static size_t
run_of(const scan *s, size_t at, const char *set)
{
	return strspn(s->text + at, set);
}

/* \x{200b}, \p{Han}: the braces are no quantifier. */
static const char *
skip_braces(scan *s)
{
	size_t inside = strcspn(s->text + s->at, "}");
	if (s->text[s->at + inside] == '\0')
		return "no } behind this";
	s->at += inside + 1;
	return NULL;
}

static const char *
escape(scan *s)
{
	char c = s->text[s->at + 1];
	bool zero_width = c != '\0' && strchr("bBAzZ", c) != NULL;
	bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	              (c >= '0' && c <= '9');
	if (c == '\0')
		return "a backslash with nothing behind it";
	if (letter && !zero_width && strchr("dDwWsShHvVntrxpP", c) == NULL)
		return "this escape is not allowed";
	s->at += 2;
	s->repeatable = !zero_width;
	bool braces = c == 'x' || c == 'p' || c == 'P';
	return braces && s->text[s->at] == '{' ? skip_braces(s) : NULL;
}

/* [...]. A second [ might begin a POSIX class, in which ] means something else. */
static const char *
class(scan *s)
{
	size_t start = s->at++;
	s->at += run_of(s, s->at, "^") > 0;
	s->at += s->text[s->at] == ']'; /* first in a class, it is a literal */
	while (s->text[s->at] != ']') {
		const char *fault = NULL;
		switch (s->text[s->at]) {
		case '\\': fault = escape(s); break;
		case '[': fault = "write \\[ inside a class"; break;
		case '\0': s->at = start; fault = "no ] behind this"; break;
		default: s->at++; break;
		}
		if (fault != NULL)
			return fault;
	}
	s->at++;
	s->repeatable = true;
	return NULL;
}

/* What may open a group. (?i) is none, but begins like one. */
static const char *
group(scan *s)
{
	static const char *const heads[] = {
		"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?|", "(?i:", "(?i)", "(?-i)", "(?-i:",
	};
	s->repeatable = false;
	if (s->text[s->at + 1] == '*')
		return "verbs are not allowed";
	if (s->text[s->at + 1] != '?') {
		s->at++;
		return NULL;
	}
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		size_t len = strlen(heads[i]);
		if (strncmp(s->text + s->at, heads[i], len) == 0) {
			s->at += len;
			return NULL;
		}
	}
	return "this kind of group is not allowed";
}

/* The upper bound of {n} or {n,m}; REPEAT_MAX + 1 if it is too large or none. */
static size_t
upper_bound(const scan *s, size_t digits_at)
{
	size_t bound = 0, count = run_of(s, digits_at, "0123456789");
	if (count == 0)
		return REPEAT_MAX + 1;
	for (size_t i = 0; i < count && bound <= REPEAT_MAX; i++)
		bound = bound * 10 + (size_t)(s->text[digits_at + i] - '0');
	return bound;
}

static const char *
braces(scan *s)
{
	size_t at = s->at + 1, digits = run_of(s, at, "0123456789");
	if (digits == 0)
		return "write \\{ for a brace";
	size_t last = at;
	at += digits;
	if (s->text[at] == ',') {
		last = at + 1;
		at = last + run_of(s, last, "0123456789");
	}
	if (s->text[at] != '}')
		return "not a quantifier: write {n} or {n,m}";
	if (upper_bound(s, last) > REPEAT_MAX)
		return "a quantifier without an upper bound of 100 or less";
	s->at = at + 1;
	return NULL;
}

static const char *
quantifier(scan *s)
{
	const char *fault = NULL;
	if (!s->repeatable)
		return "nothing to repeat";
	if (s->text[s->at] == '{')
		fault = braces(s);
	else
		s->at++;
	if (fault != NULL)
		return fault;
	if (s->text[s->at] == '?' || s->text[s->at] == '+') /* lazy, possessive */
		s->at++;
	s->repeatable = false;
	return NULL;
}

static const char *
step(scan *s)
{
	switch (s->text[s->at]) {
	case '\\': return escape(s);
	case '[': return class(s);
	case '(': return group(s);
	case '*':
	case '+': return "a quantifier without an upper bound: write {1,20}";
	case '?':
	case '{': return quantifier(s);
	case '^':
	case '$':
	case '|': s->repeatable = false; break;
	default: s->repeatable = true; break;
	}
	s->at++;
	return NULL;
}

const char *
wkg__pattern_fault(const char *pattern, size_t *at)
{
	scan s = { pattern, 0, false };
	const char *fault = NULL;
	while (fault == NULL && s.text[s.at] != '\0')
		fault = step(&s);
	*at = s.at;
	return fault;
}

bool
wkg__pattern_id(const char *id)
{
	size_t len = strlen(id);
	return len > 0 && len <= ID_MAX &&
	       strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}
