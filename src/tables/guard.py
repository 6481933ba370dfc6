#!/usr/bin/env python3
"""Write src/text/guard_data.c: what the guards of the fence see in a character
(F9, F10).

    guard.py            write the file
    guard.py --check    fail if the committed file is not what it would write

Two views of every code point that is not ignorable (those of FENCE_IGNORABLE
are nothing to either guard, and not in this table):

  keyword  which letters of XPYDATA somebody may read in it: compatibility
           decompositions, case, the look-alikes of UTS #39 and a few more;
           nothing if it is punctuation, or decomposes into nothing but
           punctuation, which a reader passes over
  token    its NFKC form: models see chat-template tokens after that

Inputs: the range files and confusables.tsv beside this script (Unicode 17.0.0),
and Debian's unicode-data (15.0.0) for decompositions and case folding.
"""

import re
import sys

import generate
from generate import HERE, UCD, require, rows, spell

OUTPUT = HERE.parent / "text" / "guard_data.c"
KEYWORD = "xpydata"  # the delimiters' own word, without its underscore
OTHER = "#"          # anything else: neither the keyword nor a token has one

# F10: what opens or closes a turn, a role or a tool call in the templates of
# current models. `<|` begins a family of them.
TOKENS = """
    <|
    [INST] [/INST] <<SYS>> <</SYS>> <s> </s> <bos> <eos> <unk> <pad>
    <start_of_turn> <end_of_turn> [gMASK] <sop> <eop> <extra_id_0>
    [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_CALLS]
    [TOOL_RESULTS] [/TOOL_RESULTS] [SYSTEM_PROMPT] [/SYSTEM_PROMPT]
    <think> </think> <tool_call> </tool_call> <tool_response> </tool_response>
    <function_calls> </function_calls>
""".split()

# Look-alikes of the keyword's letters that UTS #39 does not have, or has only
# for the other case; digits that stand for letters.
MORE_CONFUSABLES = {
    "4": "a", "7": "t",
    "\u03a7": "x", "\u03c7": "x",                 # Greek chi
    "\u03c4": "t", "\u0442": "t",                 # Greek tau, Cyrillic te
    "\u1d00": "a", "\u1d05": "d", "\u1d18": "p",  # small capitals
    "\u1d1b": "t", "\u028f": "y",
    "\u0251": "a",                                # Latin alpha
    "\u0501": "d", "\u04af": "y",                 # Cyrillic
    "\u2179": "x",                                # Roman numeral ten
    "\u00d7": "x", "\u2715": "x", "\u2716": "x",  # crosses
}

# Not punctuation by category, and passed over all the same.
MORE_PUNCTUATION = set(map(ord, "+=|`^$ \t"))

# Never passed over: `~` is what the guard writes, and a reading ends with its
# line.
SEPARATORS = set(map(ord, "~\n"))


# ------------------------------------------------------------------ inputs

def read_confusables():
    """{character: what UTS #39 likens it to}, of the lines that lead to a
    letter of the keyword. conformance/guard.py compares with the whole file."""
    found = {}
    path = HERE / "confusables.tsv"
    for number, line in enumerate(path.read_text("ascii").splitlines(), 1):
        if line.startswith("#"):
            continue
        match = re.fullmatch(r"([0-9A-F]{4,6})\t([0-9A-F]{4,6}(?: [0-9A-F]{4,6})*)",
                             line)
        require(match, f"{path.name}:{number}: not a pair: {line!r}")
        found[chr(int(match[1], 16))] = characters(match[2])
    return found


def characters(codes):
    return "".join(chr(int(code, 16)) for code in codes.split())


def read_case_folding():
    """{character: its full, default case folding}"""
    found = {}
    with open(UCD / "CaseFolding.txt", encoding="utf-8") as file:
        for line in file:
            fields = [field.strip() for field in line.split("#")[0].split(";")]
            if len(fields) > 2 and fields[1] in "CF":
                found[chr(int(fields[0], 16))] = characters(fields[2])
    return found


def read_pairs():
    """The characters that are canonically two: NFC makes them one again."""
    with open(UCD / "UnicodeData.txt", encoding="ascii") as file:
        fields = [line.split(";") for line in file]
    return {chr(int(field[0], 16)) for field in fields
            if re.fullmatch("[0-9A-F]+ [0-9A-F]+", field[5])}


class Unicode:
    """What the derivation asks about characters."""

    def __init__(self):
        properties = generate.read_properties()
        mappings = generate.read_decompositions()
        self.sets = generate.read_sets()
        self.ignorable = self.sets["FENCE_IGNORABLE"]
        self.brackets = self.sets["LESS"] | self.sets["GREATER"]
        self.punctuation = ((properties["gc_Punctuation"] | MORE_PUNCTUATION)
                            - self.ignorable - SEPARATORS)
        self.mappings = {chr(code): "".join(map(chr, codes))
                         for code, codes in mappings.items()}
        self.pairs = read_pairs()
        self.folding = read_case_folding()
        self.confusables = read_confusables()

    def readable(self):
        """All that may be something else than OTHER."""
        characters = (self.mappings.keys() | self.folding.keys()
                      | self.confusables.keys() | MORE_CONFUSABLES.keys())
        return set(map(ord, characters)) | self.punctuation | set(range(0x80))

    def nfkd(self, text):
        """Without the canonical order of marks: all of them are ignorable."""
        return "".join(self.nfkd(self.mappings[c]) if c in self.mappings else c
                       for c in text)

    def compatible(self, text):
        """NFKC, as far as it is ASCII: pairs, which would be composed again,
        are left alone, for none of them ends as ASCII."""
        return "".join(c if c not in self.mappings or c in self.pairs
                       else self.compatible(self.mappings[c]) for c in text)

    def casefold(self, text):
        return "".join(self.folding.get(c, c) for c in text)

    def visible(self, text):
        return "".join(c for c in text if ord(c) not in self.ignorable)


# ---------------------------------------------------------------- readings

def letters_in(unicode, character):
    """The text of a-z, 0-9 and OTHER that a reader may take a character for.
    Look-alikes of look-alikes: three rounds reach the end of every chain."""
    text = unicode.nfkd(character)
    for _ in range(3):
        text = "".join(unicode.confusables.get(c, c) for c in text)
        text = unicode.nfkd(unicode.casefold(text))
    text = "".join(MORE_CONFUSABLES.get(c, c) for c in unicode.visible(text))
    return "".join(c if c.isascii() and c.isalnum() else OTHER
                   for c in text if ord(c) not in unicode.punctuation)


def useful_for_keyword(text):
    """As much of a reading as can be part of the keyword: the whole; an end
    that begins it; or a beginning that ends it. Else OTHER."""
    if text in KEYWORD:
        return text
    if text[-1] == KEYWORD[0]:
        return OTHER + KEYWORD[0]
    for start in range(1, len(KEYWORD)):
        if text.startswith(KEYWORD[start:]):
            return KEYWORD[start:] + OTHER
    return OTHER


def keyword_reading(unicode, code):
    """(letters, may it be passed over although it has some?)"""
    text = letters_in(unicode, chr(code))
    reading = useful_for_keyword(text) if text else OTHER
    parts = unicode.visible(unicode.nfkd(chr(code)))
    if unicode.punctuation.issuperset(map(ord, parts)):
        return ("", False) if reading == OTHER else (reading, True)
    return reading, False


def token_reading(unicode, code):
    text = unicode.visible(unicode.compatible(chr(code)))
    return text if any(text in token for token in TOKENS) else OTHER


def derive(unicode):
    """{code: (keyword, also passed over, token)} of all that are not OTHER to
    both guards."""
    readings = {}
    for code in sorted(unicode.readable() - unicode.ignorable):
        reading = *keyword_reading(unicode, code), token_reading(unicode, code)
        if reading != (OTHER, False, OTHER):
            readings[code] = reading
    return readings


def refuse_unsound(unicode, readings):
    """What guard.c and the proof rely on."""
    def having(condition):
        return {code for code, reading in readings.items() if condition(*reading)}

    head = KEYWORD[0]
    require(head not in KEYWORD[1:],
            "the keyword's first letter occurs twice: the guard is not linear")
    inside = having(lambda keyword, over, token: head in keyword[:-1])
    require(not inside, f"`~` cannot part one character: {spell(inside)}")
    both = having(lambda keyword, over, token: over and keyword != head)
    require(not both, f"punctuation that is a letter: {spell(both)}")
    require(not having(lambda keyword, over, token: not token),
            "a visible character is nothing to the token guard")
    inside = having(lambda keyword, over, token: len(token) > 1
                    and set(token) & set("<>[]|"))
    require(not inside, f"a token begins or ends within a character: {spell(inside)}")
    require(all(token[-1] in ">]|" for token in TOKENS), "an end that may be inside")
    heads = having(lambda keyword, over, token: head in keyword)
    require(not heads & unicode.brackets, "a bracket carries the keyword's x")
    require(all(token[0] in "<[" and "[" not in token[1:] and "<" not in token[2:]
                for token in TOKENS), "a token begins in another: not linear")
    require(ord(" ") in readings and readings[ord(" ")] == ("", False, OTHER),
            "a space is read: the guards would see what the fence inserts")
    require(not SEPARATORS & {code for code, (keyword, over, token) in readings.items()
                              if keyword != OTHER}, "a separator is passed over")


# ------------------------------------------------------------------ output

SHIFT = generate.SHIFT


def source(readings):
    kinds = [(OTHER, False, OTHER)] + sorted(set(readings.values()))
    number = {kind: place for place, kind in enumerate(kinds)}
    require(len(kinds) <= 256, f"{len(kinds)} readings; a byte counts 256")
    size = 1 << SHIFT
    end = (max(readings) // size + 1) * size
    flat = bytes(number.get(readings.get(code), 0) for code in range(end))
    index, blocks = [], {}
    for start in range(0, end, size):
        index.append(blocks.setdefault(flat[start:start + size], len(blocks)))
    require(len(blocks) <= 256, f"{len(blocks)} blocks; a byte counts 256")
    first = {block: place for place, block in reversed([*enumerate(index)])}

    def quoted(text):
        return '"' + text + '"'

    names = "\n".join(f"\t{{ {quoted(keyword)}, {quoted(token)}, {str(over).lower()} }},"
                      for keyword, over, token in kinds)
    tokens = "\n".join(f"\t{quoted(token)}," for token in sorted(TOKENS))
    data = "\n".join(f"\t{{ /* {place}: U+{first[place] << SHIFT:04X} */\n"
                     f"{rows(block, 2)}\n\t}},"
                     for place, block in enumerate(blocks))
    return f"""\
/* GENERATED by src/tables/guard.py, do not edit.
 *
 * What the guards of the fence read in each code point (F9, F10), as a
 * two-stage table. To see why, read guard.py and the files beside it. */
#include "guard_data.h"

/* clang-format off */
_Static_assert(WKG__GUARD_SHIFT == {SHIFT}, "regenerate");
_Static_assert(WKG__GUARD_END == {end:#x}, "regenerate");
_Static_assert(WKG__GUARD_TOKEN_COUNT == {len(TOKENS)}, "regenerate");

/* In this order: a token that begins another would come first. */
const char wkg__guard_tokens[WKG__GUARD_TOKEN_COUNT][WKG__GUARD_TOKEN_SIZE] = {{
{tokens}
}};

const wkg__guard_reading wkg__guard_readings[] = {{
{names}
}};

/* Which block the code points from n << {SHIFT} on are in. */
const uint8_t wkg__guard_index[WKG__GUARD_END >> WKG__GUARD_SHIFT] = {{
{rows(index, 1)}
}};

/* The different blocks of {size} code points, with their first place: numbers
 * of readings. */
const uint8_t wkg__guard_block[][1 << WKG__GUARD_SHIFT] = {{
{data}
}};
"""


def make():
    unicode = Unicode()
    readings = derive(unicode)
    refuse_unsound(unicode, readings)
    return source(readings)


if __name__ == "__main__":
    generate.run(OUTPUT, make, sys.argv[1:])
