/* The strict reader: what it accepts, what it refuses and where, and paths. */
#include "harness.h"

static wkg_json_reader reader;

static wkg_status
open_text(wkg_span text, wkg_json_names names, size_t path_depth)
{
	size_t size = wkg_json_work_size(text.len, path_depth);
	wkg_work work = { memory(size), size };
	return wkg_json_open(&reader, text, names, path_depth, work);
}

/* Read to the end or the first failure. */
static wkg_status
read_all(wkg_span text, wkg_json_names names)
{
	wkg_json_token token;
	wkg_status status = open_text(text, names, 4);
	do
		if (status == WKG_OK)
			status = wkg_json_next(&reader, &token);
	while (status == WKG_OK && token.kind != WKG_JSON_DONE);
	return status;
}

static bool
accepts(wkg_span text)
{
	return read_all(text, WKG_JSON_NAMES_EXACT) == WKG_OK && reader.error.what[0] == '\0';
}

static bool
refuses(wkg_span text, wkg_status status, size_t at)
{
	wkg_status got = read_all(text, WKG_JSON_NAMES_EXACT);
	if (got == status && reader.error.at == at && reader.error.what[0] != '\0')
		return true;
	printf("# got %s at %zu: %s\n", wkg_status_name(got), reader.error.at, reader.error.what);
	return false;
}

static void
documents(void)
{
	CLAIM("scalars are documents", accepts(TEXT("null")) && accepts(TEXT(" true ")) && accepts(TEXT("\"\"")) && accepts(TEXT("-0")));
	CLAIM("all shapes of numbers", accepts(TEXT("[0,-1,1.5,1e5,1E+05,-1.0e-05,10,1846178234987264001]")));
	CLAIM("numbers of any size are text, so none is too large", accepts(TEXT("[1e999999,123456789012345678901234567890]")));
	CLAIM("all escapes", accepts(TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\"")));
	CLAIM("the four kinds of white space", accepts(TEXT(" \t\r\n{ \"a\" : [ ] , \"b\" : { } } ")));
	CLAIM("equal names in different objects", accepts(TEXT("[{\"a\":1},{\"a\":{\"a\":2}}]")));
	CLAIM("DEL and noncharacters may stand in a string", accepts(TEXT("\"\x7F\xEF\xBF\xBE\"")));
}

static void
refusals(void)
{
	CLAIM("nothing is not a document", refuses(TEXT(""), WKG_E_SYNTAX, 0) && refuses(TEXT("  "), WKG_E_SYNTAX, 2));
	CLAIM("a byte order mark is refused", refuses(TEXT("\xEF\xBB\xBF{}"), WKG_E_SYNTAX, 0));
	CLAIM("text after the document is refused", refuses(TEXT("{} x"), WKG_E_SYNTAX, 3) && refuses(TEXT("1 2"), WKG_E_SYNTAX, 2) && refuses(TEXT("{}\0"), WKG_E_SYNTAX, 2));
	CLAIM("a comma before an end is refused", refuses(TEXT("[1,]"), WKG_E_SYNTAX, 3) && refuses(TEXT("{\"a\":1,}"), WKG_E_SYNTAX, 7));
	CLAIM("a missing comma, colon or name is refused", refuses(TEXT("[1 2]"), WKG_E_SYNTAX, 3) && refuses(TEXT("{\"a\" 1}"), WKG_E_SYNTAX, 5) && refuses(TEXT("{1:2}"), WKG_E_SYNTAX, 1));
	CLAIM("the wrong closing bracket is refused", refuses(TEXT("[1}"), WKG_E_SYNTAX, 2) && refuses(TEXT("{\"a\":1]"), WKG_E_SYNTAX, 6) && refuses(TEXT("[}"), WKG_E_SYNTAX, 1) && refuses(TEXT("]"), WKG_E_SYNTAX, 0));
	CLAIM("numbers that are not JSON's are refused", refuses(TEXT("01"), WKG_E_SYNTAX, 1) && refuses(TEXT("1."), WKG_E_SYNTAX, 2) && refuses(TEXT(".5"), WKG_E_SYNTAX, 0) && refuses(TEXT("+1"), WKG_E_SYNTAX, 0) && refuses(TEXT("-"), WKG_E_SYNTAX, 1) && refuses(TEXT("1e"), WKG_E_SYNTAX, 2) && refuses(TEXT("0x1"), WKG_E_SYNTAX, 1) && refuses(TEXT("-Infinity"), WKG_E_SYNTAX, 1));
	CLAIM("literals are exact", refuses(TEXT("nul1"), WKG_E_SYNTAX, 3) && refuses(TEXT("True"), WKG_E_SYNTAX, 0) && refuses(TEXT("nullx"), WKG_E_SYNTAX, 4));
	CLAIM("an unterminated string ends where the text ends", refuses(TEXT("[\"abc"), WKG_E_SYNTAX, 5) && refuses(TEXT("\"a\\"), WKG_E_SYNTAX, 3) && refuses(TEXT("\"\\u12"), WKG_E_SYNTAX, 5));
	CLAIM("control characters in a string are refused, NUL too", refuses(TEXT("\"a\nb\""), WKG_E_SYNTAX, 2) && refuses(TEXT("\"a\0b\""), WKG_E_SYNTAX, 2) && refuses(TEXT("\"\x1F\""), WKG_E_SYNTAX, 1));
	CLAIM("unknown escapes are refused", refuses(TEXT("\"\\x41\""), WKG_E_SYNTAX, 2) && refuses(TEXT("\"\\u12G4\""), WKG_E_SYNTAX, 5) && refuses(TEXT("\"\\U0041\""), WKG_E_SYNTAX, 2));
	CLAIM("ill-formed UTF-8 is refused where it starts", refuses(TEXT("[\"ab\xC0\xBC\"]"), WKG_E_ENCODING, 4) && refuses(TEXT("\"\xED\xA0\x80\""), WKG_E_ENCODING, 1) && refuses(TEXT("\"\xF0\x9F\x98\""), WKG_E_ENCODING, 1));
	CLAIM("ill-formed UTF-8 in a name too", refuses(TEXT("{\"\xFF\":1}"), WKG_E_ENCODING, 2));
	CLAIM("other white space is refused", refuses(TEXT("[1,\xC2\xA0" "2]"), WKG_E_SYNTAX, 3) && refuses(TEXT("[1,\f2]"), WKG_E_SYNTAX, 3));
	CLAIM("comments and single quotes are refused", refuses(TEXT("[1/*x*/]"), WKG_E_SYNTAX, 2) && refuses(TEXT("['a']"), WKG_E_SYNTAX, 1));
}

static bool
duplicate(wkg_span text, wkg_json_names names, size_t first, size_t second)
{
	wkg_status got = read_all(text, names);
	if (got == WKG_E_DUPLICATE && reader.error.first == first && reader.error.at == second)
		return true;
	printf("# got %s first %zu second %zu\n", wkg_status_name(got), reader.error.first, reader.error.at);
	return false;
}

static void
duplicates(void)
{
	CLAIM("S6 the same name twice, with both offsets", duplicate(TEXT("{\"amount\":1,\"x\":2,\"amount\":3}"), WKG_JSON_NAMES_EXACT, 1, 18));
	CLAIM("S6 the same name once escaped", duplicate(TEXT("{\"a\":1,\"\\u0061\":2}"), WKG_JSON_NAMES_EXACT, 1, 7));
	CLAIM("S6 a pair and its UTF-8", duplicate(TEXT("{\"\\ud83d\\ude00\":1,\"\xF0\x9F\x98\x80\":2}"), WKG_JSON_NAMES_EXACT, 1, 18));
	CLAIM("S6 two empty names", duplicate(TEXT("{\"\":1,\"\":2}"), WKG_JSON_NAMES_EXACT, 1, 6));
	CLAIM("S6 equal after stripping, by profile", duplicate(TEXT("{\"a\":1,\"a\\u200b\":2}"), WKG_JSON_NAMES_REFERENCE, 1, 7) && read_all(TEXT("{\"a\":1,\"a\\u200b\":2}"), WKG_JSON_NAMES_EXACT) == WKG_OK);
	CLAIM("S6 what only hardened strips counts only there", duplicate(TEXT("{\"a\":1,\"a\\u3164\":2}"), WKG_JSON_NAMES_HARDENED, 1, 7) && read_all(TEXT("{\"a\":1,\"a\\u3164\":2}"), WKG_JSON_NAMES_REFERENCE) == WKG_OK);
	CLAIM("S6 NUL is a character: a and a\\u0000b differ", read_all(TEXT("{\"a\":1,\"a\\u0000b\":2}"), WKG_JSON_NAMES_EXACT) == WKG_OK);
	CLAIM("S6 a name and its prefix differ", read_all(TEXT("{\"a\":1,\"ab\":2,\"\":3}"), WKG_JSON_NAMES_EXACT) == WKG_OK);
	CLAIM("S6 two different lone surrogates are the same U+FFFD", duplicate(TEXT("{\"\\ud800\":1,\"\\udfff\":2}"), WKG_JSON_NAMES_EXACT, 1, 12));
	CLAIM("S6 of three, the first two are reported", duplicate(TEXT("{\"b\":0,\"a\":1,\"a\":2,\"a\":3}"), WKG_JSON_NAMES_EXACT, 7, 13));
	CLAIM("S6 of two pairs, the one complete first", duplicate(TEXT("{\"a\":1,\"z\":2,\"z\":3,\"a\":4}"), WKG_JSON_NAMES_EXACT, 7, 13));
	CLAIM("S6 in an inner object, beside equal names outside", duplicate(TEXT("{\"a\":{\"b\":1,\"b\":2}}"), WKG_JSON_NAMES_EXACT, 6, 12));
	CLAIM("S6 in an outer object, after an inner one", duplicate(TEXT("{\"a\":{\"a\":1},\"a\":2}"), WKG_JSON_NAMES_EXACT, 1, 13));
}

/* A name of each length in an order that makes the sort work, one of them
 * twice at the far ends: found wherever it is. */
static void
many_names(void)
{
	bool found = true;
	for (unsigned count = 2; count < 40; count++) {
		char text[1024];
		size_t len = 0, first = 0, second = 0;
		for (unsigned i = 0; i < count; i++) {
			unsigned name = i == count - 1 ? 5 % (count - 1) : i * 7 % 41;
			if (i == count - 1)
				name = (5 % (count - 1)) * 7 % 41;
			text[len++] = i == 0 ? '{' : ',';
			if (i == 5 % (count - 1))
				first = len;
			if (i == count - 1)
				second = len;
			len += (size_t)snprintf(text + len, 32, "\"k%u\":0", name);
		}
		text[len++] = '}';
		wkg_span document = { (uint8_t *)text, len };
		found = found && duplicate(document, WKG_JSON_NAMES_EXACT, first, second);
	}
	CLAIM("S6 a duplicate is found among 2 to 39 names in any order", found);
}

static bool
path_is(wkg_span text, unsigned value, wkg_span expected)
{
	wkg_json_token token;
	if (open_text(text, WKG_JSON_NAMES_HARDENED, 64) != WKG_OK)
		return false;
	for (unsigned seen = 0;;) {
		if (wkg_json_next(&reader, &token) != WKG_OK || token.kind == WKG_JSON_DONE)
			return false;
		if (token.kind == WKG_JSON_STRING && seen++ == value)
			break;
	}
	wkg_json_path path = wkg_json_path_of(&reader, &token);
	wkg_buf got = { path.text, path.len, path.len };
	return holds(&got, expected);
}

static void
paths(void)
{
	CLAIM("S10 names and indexes", path_is(TEXT("{\"items\":[1,{},{\"x\":0,\"desc\":\"v\"}]}"), 0, TEXT("items[2].desc")));
	CLAIM("S10 the root is empty", path_is(TEXT("\"v\""), 0, TEXT("")));
	CLAIM("S10 an element of a root array", path_is(TEXT("[\"v\"]"), 0, TEXT("[0]")));
	CLAIM("S10 arrays in arrays", path_is(TEXT("[[],[0,\"v\"]]"), 0, TEXT("[1][1]")));
	CLAIM("S10 a name with a dot is quoted", path_is(TEXT("{\"a.b\":{\"c-_9\":\"v\"}}"), 0, TEXT("[\"a.b\"].c-_9")));
	CLAIM("S10 an empty name is quoted", path_is(TEXT("{\"a\":{\"\":\"v\"}}"), 0, TEXT("a[\"\"]")));
	CLAIM("S10 quotes and backslashes are escaped", path_is(TEXT("{\"a\\\"\\\\\":\"v\"}"), 0, TEXT("[\"a\\\"\\\\\"]")));
	CLAIM("S10 other scripts are quoted and stay readable", path_is(TEXT("{\"\xE5\xA4\x87\xE6\xB3\xA8\":\"v\"}"), 0, TEXT("[\"\xE5\xA4\x87\xE6\xB3\xA8\"]")));
	CLAIM("S10 stripped characters are left out of a name", path_is(TEXT("{\"no\\u200bte\":\"v\"}"), 0, TEXT("note")));
	CLAIM("S10 what stays but cannot be seen is shown as \\u", path_is(TEXT("{\"\\u2764\\ufe0f\\t\\u845b\\udb40\\udd00\":\"v\"}"), 0, TEXT("[\"\xE2\x9D\xA4\\ufe0f\\t\xE8\x91\x9B\\udb40\\udd00\"]")));
	CLAIM("S10 a path follows the last value", path_is(TEXT("{\"a\":[\"1\",\"2\"],\"b\":\"3\"}"), 2, TEXT("b")));
}

static void
long_paths(void)
{
	wkg_json_token token;
	wkg_span name = repeat(TEXT("n"), 253);
	wkg_span text = join(join(TEXT("{\""), name), TEXT("\":{\"abc\":{\"d\":0}}}"));
	CLAIM("S10 a path is cut at 256 bytes", open_text(text, WKG_JSON_NAMES_EXACT, 8) == WKG_OK);
	do
		if (wkg_json_next(&reader, &token) != WKG_OK)
			break;
	while (token.kind != WKG_JSON_NUMBER);
	wkg_json_path path = wkg_json_path_of(&reader, &token);
	CLAIM("S10 at the end of what fits, and says so", path.cut && path.len == 256 && memcmp(path.text + 252, "n.ab", 4) == 0);
}

static void
deep_paths(void)
{
	wkg_json_token token;
	bool good = open_text(TEXT("{\"a\":{\"b\":[\"x\"]}}"), WKG_JSON_NAMES_EXACT, 1) == WKG_OK;
	do
		good = good && wkg_json_next(&reader, &token) == WKG_OK;
	while (good && token.kind != WKG_JSON_STRING);
	wkg_json_path path = wkg_json_path_of(&reader, &token);
	CLAIM("S10 a path deeper than was asked for says that it is cut", good && path.cut && path.len == 1 && path.text[0] == 'a');
}

static void
latching(void)
{
	wkg_json_token token;
	CLAIM("an unknown way to compare names is refused", open_text(TEXT("1"), WKG_JSON_NAMES_INVALID, 0) == WKG_E_ARGUMENT);
	CLAIM("a reader opens", open_text(TEXT("[1 2]"), WKG_JSON_NAMES_EXACT, 0) == WKG_OK);
	CLAIM("tokens come until the fault", wkg_json_next(&reader, &token) == WKG_OK && token.kind == WKG_JSON_ARRAY_BEGIN && wkg_json_next(&reader, &token) == WKG_OK && token.kind == WKG_JSON_NUMBER && token.from == 1 && token.to == 2 && token.depth == 1);
	CLAIM("a fault gives no token", wkg_json_next(&reader, &token) == WKG_E_SYNTAX && token.kind == WKG_JSON_INVALID);
	CLAIM("and the reader stays failed", wkg_json_next(&reader, &token) == WKG_E_SYNTAX && reader.error.at == 3);
	CLAIM("the end stays the end", open_text(TEXT("1"), WKG_JSON_NAMES_EXACT, 0) == WKG_OK && wkg_json_next(&reader, &token) == WKG_OK && wkg_json_next(&reader, &token) == WKG_OK && token.kind == WKG_JSON_DONE && wkg_json_next(&reader, &token) == WKG_OK && token.kind == WKG_JSON_DONE);
}

/* The densest documents use the work area to its last record. */
static void
work_area(void)
{
	bool fits = true, short_refused = true, any_alignment = true;
	for (size_t n = 0; n < 300; n++) {
		wkg_span nested = join(repeat(TEXT("{\"\":"), n), TEXT("{\"\""));
		wkg_span arrays = repeat(TEXT("["), n);
		fits = fits && read_all(nested, WKG_JSON_NAMES_EXACT) == WKG_E_SYNTAX && read_all(arrays, WKG_JSON_NAMES_EXACT) == WKG_E_SYNTAX;
		if (n % 30 > 0)
			continue;
		size_t size = wkg_json_work_size(nested.len, 0);
		wkg_work tight = { memory(size), size - 1 };
		short_refused = short_refused && wkg_json_open(&reader, nested, WKG_JSON_NAMES_EXACT, 0, tight) == WKG_E_SPACE;
		for (size_t shift = 0; shift < 4; shift++) {
			wkg_work odd = { memory(size + 4) + shift, size };
			wkg_json_token token;
			wkg_status status = wkg_json_open(&reader, nested, WKG_JSON_NAMES_EXACT, 0, odd);
			while (status == WKG_OK)
				status = wkg_json_next(&reader, &token);
			any_alignment = any_alignment && status == WKG_E_SYNTAX;
		}
	}
	CLAIM("nested objects and arrays fit their work area at every depth", fits);
	CLAIM("a work area one byte short is WKG_E_SPACE", short_refused);
	CLAIM("a work area may have any alignment", any_alignment);
	uint8_t *both = memory(64);
	memcpy(both, "[1]", 3);
	wkg_span inside = { both, 3 };
	wkg_work around = { both, 64 };
	wkg_json_token token;
	CLAIM("a document inside the work area is refused", wkg_json_open(&reader, inside, WKG_JSON_NAMES_EXACT, 0, around) == WKG_E_ARGUMENT);
	CLAIM("a reader that did not open refuses every call", wkg_json_next(&reader, &token) == WKG_E_ARGUMENT && reader.error.what[0] == '\0');
	CLAIM("a document above WKG_JSON_LENGTH_MAX is refused", sizeof(size_t) < 8 || wkg_json_work_size((size_t)0xFFFFFFFFu + 1, 0) == SIZE_MAX);
}

static bool
quotes_as(wkg_span text, wkg_span expected)
{
	wkg_buf out = fresh();
	return wkg_json_quote(&out, text) == WKG_OK && holds(&out, expected) && out.len <= wkg_json_quote_bound(text.len);
}

static void
quoting(void)
{
	CLAIM("RFC 8785 escapes: two-letter ones where they exist", quotes_as(TEXT("\b\t\n\f\r\"\\"), TEXT("\"\\b\\t\\n\\f\\r\\\"\\\\\"")));
	CLAIM("RFC 8785 escapes: \\u00xx in lower case for other controls", quotes_as(TEXT("\0\x0B\x1F"), TEXT("\"\\u0000\\u000b\\u001f\"")));
	CLAIM("RFC 8785 escapes: nothing else", quotes_as(TEXT("/\x7F\xE2\x80\xA8\xF0\x9F\x98\x80"), TEXT("\"/\x7F\xE2\x80\xA8\xF0\x9F\x98\x80\"")));
	CLAIM("ill-formed bytes are quoted as U+FFFD", quotes_as(TEXT("\xFF"), TEXT("\"\xEF\xBF\xBD\"")));
}

int
main(void)
{
	documents();
	refusals();
	duplicates();
	many_names();
	paths();
	long_paths();
	deep_paths();
	latching();
	work_area();
	quoting();
	return finish();
}
