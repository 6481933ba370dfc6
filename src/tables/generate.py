#!/usr/bin/env python3
"""Write src/text/table_data.c: which sets each code point belongs to (T4).

    generate.py            write the file
    generate.py --check    fail if the committed file is not what it would write

The sets are those of include/wicketgate/table.h, in the order of their bits.
They are derived here, in one place and in the open, from the properties of
Unicode 17.0.0 in the range files beside this script. What there is no range
file for comes from Debian's unicode-data (15.0.0): decompositions, combining
classes, joining types, numbers, and the listed variation sequences.

To move to another Unicode version, replace the range files, run this, then
conformance/table.py. Every check that fails there or in refuse_unsound() is a
question about a new character, not an obstacle.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUTPUT = HERE.parent / "text" / "table_data.c"
UCD = Path("/usr/share/unicode")
SET_VERSION = "17.0.0"   # of the range files
DATA_VERSION = "15.0.0"  # of Debian's unicode-data

TAB, LF, CR, SPACE = 0x09, 0x0A, 0x0D, 0x20


def require(truth, complaint):
    if not truth:
        sys.exit(f"generate.py: {complaint}")


def run(output, make, arguments):
    """A generator from end to end: write what it makes, or see that it is there."""
    script = Path(sys.argv[0]).name
    require(arguments in ([], ["--check"]), f"usage: {script} [--check]")
    wanted = make()
    if not arguments:
        output.write_text(wanted, encoding="ascii")
        return
    require(output.exists() and output.read_text(encoding="ascii") == wanted,
            f"{output} is not what its inputs say; run {script}")


def spell(codes):
    """The first few code points of a set, for a complaint."""
    some = [f"U+{code:04X}" for code in sorted(codes)[:8]]
    return " ".join(some) + (" ..." if len(codes) > len(some) else "")


def span(*ranges):
    return {code for low, high in ranges for code in range(low, high + 1)}


# ------------------------------------------------------------------ inputs

def read_ranges(path):
    """The set in one range file. The counts in its second line must hold: a
    line lost in an edit would otherwise be a character let through."""
    lines = path.read_text(encoding="ascii").splitlines()
    stated = re.fullmatch(r"# Unicode (\S+): (\d+) ranges?, (\d+) code points?",
                          lines[1] if len(lines) > 1 else "")
    require(stated, f"{path.name}:2: no version and counts")
    require(stated[1] == SET_VERSION,
            f"{path.name} is of Unicode {stated[1]}, not {SET_VERSION}")
    codes, count, end = set(), 0, -1
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        match = re.fullmatch(r"([0-9A-F]{4,6})(?:\.\.([0-9A-F]{4,6}))?", line)
        require(match, f"{path.name}:{number}: not a range: {line!r}")
        low = int(match[1], 16)
        high = int(match[2] or match[1], 16)
        require(end < low <= high <= 0x10FFFF,
                f"{path.name}:{number}: out of order: {line}")
        codes.update(range(low, high + 1))
        count, end = count + 1, high
    require((count, len(codes)) == (int(stated[2]), int(stated[3])),
            f"{path.name}: {count} ranges, {len(codes)} code points, but line"
            f" 2 says {stated[2]} and {stated[3]}")
    return codes


def read_properties():
    """All range files by name. Those no set needs yet are checked as well."""
    return {path.stem: read_ranges(path) for path in HERE.glob("*.txt")}


def read_data(name, pattern):
    """What `pattern` finds in one of Debian's files."""
    path = UCD / name
    require(path.exists(), f"no {path}: install unicode-data")
    return re.findall(pattern, path.read_text(encoding="utf-8"), re.M)


def read_characters():
    """{code: (category, combining class, decomposition)} of Unicode 15.0. Of
    the long ranges only the ends are in the file; nothing asked here is true
    of an ideograph, a syllable or a private character between them. Hangul
    syllables decompose into conjoining jamo, which are visible, so closure()
    does not miss that it is not said here."""
    first = read_data("PropList.txt", r"\A# PropList-(\S+)\.txt$")
    require(first == [DATA_VERSION], f"{UCD} is not Unicode {DATA_VERSION}")
    rows = read_data("UnicodeData.txt",
                     r"^([0-9A-F]+);[^;]*;(\w\w);(\d+);\w*;(?:<\w+> )?([0-9A-F ]*);")
    return {int(code, 16): (category, int(combining),
                            [int(part, 16) for part in parts.split()])
            for code, category, combining, parts in rows}


def read_decompositions():
    """One level of decomposition, canonical or compatible, of each code point
    that has one."""
    return {code: parts for code, (_, _, parts) in read_characters().items()
            if parts}


def read_joining_letters():
    """Letters that join one beside them: Arabic, Syriac, Mongolian, N'Ko ..."""
    return {int(code, 16) for code in
            read_data("ArabicShaping.txt", r"^([0-9A-F]+);[^;]+;\s*[LRD];")}


def read_variations():
    """(character, selector) of every listed sequence; the ideographic ones are
    a registry of their own, and not among them."""
    pattern = r"^([0-9A-F]+) ([0-9A-F]+)\s*;"
    return sorted({(int(base, 16), int(selector, 16))
                   for name in ("StandardizedVariants.txt",
                                "emoji/emoji-variation-sequences.txt")
                   for base, selector in read_data(name, pattern)})


# -------------------------------------------------------------------- sets

# S1, literally. The TAG block at the end is what a scan of UTF-16 halves
# misses. U+E0100..E01EF are kept on purpose: variants of names, U+845B U+E0100.
REFERENCE = span(
    (0x0000, 0x0008), (0x000B, 0x001F),  # C0 without TAB and LF
    (0x007F, 0x009F),                    # DEL and C1
    (0x061C, 0x061C),                    # Arabic letter mark
    (0x180E, 0x180E),                    # Mongolian vowel separator
    (0x200B, 0x200F),                    # zero widths, joiners, LRM and RLM
    (0x2028, 0x2029),                    # line and paragraph separator
    (0x202A, 0x202E),                    # embeddings and overrides of direction
    (0x2060, 0x206F),                    # word joiner, isolates, old formats
    (0xFEFF, 0xFEFF),                    # byte order mark
    (0xE0000, 0xE007F),                  # TAG: ASCII in invisible ink
)

JOINERS = {0x200C, 0x200D}  # ZWNJ and ZWJ: Persian, Indic scripts, emoji

# Characters with an honest use in their place, beside the variation selectors:
# S2 says in which place each of them stays.
IN_CONTEXT = JOINERS | {
    CR,              # half of CRLF; alone it becomes LF, not nothing
    0x00AD,          # soft hyphen: between figures it may be something else
    0x034F,          # combining grapheme joiner, before a mark: Biblical Hebrew
    0x115F, 0x1160,  # Hangul fillers, for half of a syllable: Old Korean
} | span((0xE0020, 0xE007F)   # the tags of the three subdivision flags
) | span((0x1BCA0, 0x1BCA3))  # Duployan shorthand: how its letters stand

# Hangul written in parts: the consonants a syllable begins with, and its vowels,
# without the filler of either kind.
LEADING = span((0x1100, 0x115E), (0xA960, 0xA97C))
VOWELS = span((0x1161, 0x11A7), (0xD7B0, 0xD7C6))

# Interlinear annotation: the ruby text survives without its three brackets.
ANNOTATION = span((0xFFF9, 0xFFFB))

# Characters that no property calls invisible and many readers do not see.
BLANK = {
    0x2800,   # BRAILLE PATTERN BLANK
    0xFFFC,   # OBJECT REPLACEMENT CHARACTER: the object is gone
    0xFFFD,   # REPLACEMENT CHARACTER: was bytes that a lax reader skips
    0x16FE4,  # KHITAN SMALL SCRIPT FILLER
    0x1D159,  # MUSICAL SYMBOL NULL NOTEHEAD
}
# The blanks among them that could stand inside a word somebody wants to match.
BLANK_IN_WORD = {0x2800, 0x1D159}

# What reads as `<`. UTS #39 means its confusables.txt, version 17.0.0; every
# character it maps to something with a `<` or `>` in it is here or in GREATER.
# Left out on purpose are three CJK characters that it likens to U+276C, the
# hiragana U+304F among them: no Japanese text could do without.
LESS = {
    0x003C,                          # the bracket itself
    0xFE64, 0xFF1C,                  # NFKC makes them `<`
    0x226E,                          # NFD makes it `<` and a combining stroke
    0x02C2, 0x1438, 0x16B2, 0x2039,  # UTS #39: look like `<`
    0x276E, 0x1D236,
    0x226A, 0x22D8,                  # UTS #39: look like `<<` and `<<<`
    0x1444, 0x1445, 0x22D6, 0x2CB4,  # UTS #39: `<` and a dot
    0x2CB5,
    0x150C,                          # UTS #39: `<` after a small letter
    0x2329, 0x27E8, 0x3008, 0x276C,  # angle brackets that NFC and UTS #39 merge
    0xFE3D, 0xFE3F,                  # vertical forms, NFKC makes them 300A 3008
    0x00AB, 0x27EA, 0x300A,          # double angles, not in UTS #39
    0x2770, 0x27EC, 0x27EE, 0x2991,  # bracket shapes reported in forged fences,
    0x2993, 0x2995, 0x29FC,          # openclaw #14665 #30948 #31030 #37557
}

# What reads as `>`: the same reasons in the same order. Letters and operators
# have no mirror image, so the lists differ there.
GREATER = {
    0x003E,                          # the bracket itself
    0xFE65, 0xFF1E,                  # NFKC makes them `>`
    0x226F,                          # NFD makes it `>` and a combining stroke
    0x02C3, 0x1433, 0x203A, 0x16F3F, # UTS #39: look like `>`
    0x276F, 0x1D237,
    0x226B, 0x22D9, 0x2A20,          # UTS #39: look like `>>` and `>>>`
    0x1437, 0x1440, 0x1441, 0x22D7,  # UTS #39: `>` and a dot
    0x2AA5,                          # UTS #39: `><`, and a set must be chosen
    0x232A, 0x27E9, 0x3009, 0x276D,  # angle brackets that NFC and UTS #39 merge
    0xFE3E, 0xFE40,                  # vertical forms, NFKC makes them 300B 3009
    0x00BB, 0x27EB, 0x300B,          # double angles, not in UTS #39
    0x2771, 0x27ED, 0x27EF, 0x2992,  # bracket shapes reported in forged fences
    0x2994, 0x2996, 0x29FD,
}

# The only letters that may be invisible (T4): Hangul fillers, which are letters
# by category only, and the halfwidth sound marks that closure() finds.
INVISIBLE_LETTERS = {0x115F, 0x1160, 0x3164, 0xFFA0, 0xFF9E, 0xFF9F}


# What the context rules look for.
NEIGHBOURS = ("MARK", "VIRAMA", "JOINING", "LEADING", "VOWEL", "PICTOGRAPH",
              "IDEOGRAPH", "FIGURE")


def closure(ignorable, mappings):
    """Code points that become nothing but ignorables in NFKD, hence vanish for
    a reader who normalizes before dropping: `<` U+FF9E `<` is two brackets
    with a Mark between them then. No property lists them. Adding one cannot
    make another qualify, for nothing in NFKD decomposes further. Characters
    newer than DATA_VERSION have no decomposition here: look at them by hand."""

    def nfkd(code):
        return [end for part in mappings.get(code, ())
                for end in (nfkd(part) or [part])]

    return {code for code in mappings
            if code not in ignorable and ignorable.issuperset(nfkd(code))}


def derive(has, characters, joining_letters):
    """Every set by name, in the order of the bits in table.h."""
    mappings = {code: parts for code, (_, _, parts) in characters.items()
                if parts}
    ignorable_by_property = has["Default_Ignorable_Code_Point"]
    controls = has["gc_Control"] - {TAB, LF}
    separators = has["gc_Line_Separator"] | has["gc_Paragraph_Separator"]
    brackets = LESS | GREATER

    context = IN_CONTEXT | has["Variation_Selector"]
    strip = (REFERENCE | ignorable_by_property | ANNOTATION
             | has["Noncharacter_Code_Point"]) - context

    # F4. More than a reader would drop, because here it costs nothing: the
    # fence removes none of it, it only refuses to see it as a separator.
    fence = (REFERENCE | ignorable_by_property | controls | separators | BLANK
             | has["gc_Format"]
             | has["gc_Nonspacing_Mark"] | has["gc_Enclosing_Mark"]
             | (has["gc_Space_Separator"] - {SPACE})
             | has["gc_Surrogate"] | has["gc_Private_Use"]
             | has["Noncharacter_Code_Point"]) - brackets
    fence |= closure(fence, mappings) - brackets

    # M2. Visible format characters (Arabic number signs) separate words.
    match = (ignorable_by_property | has["gc_Format"] | controls | separators
             | BLANK_IN_WORD) - has["Prepended_Concatenation_Mark"]

    return {
        "STRIP_REFERENCE": REFERENCE,
        "STRIP_HARDENED": strip,
        "CONTEXT_HARDENED": context,
        "FENCE_IGNORABLE": fence,
        "LESS": LESS,
        "GREATER": GREATER,
        "STRIP_OUTPUT": REFERENCE - JOINERS,
        "MATCH_IGNORABLE": match,
        # S2: what the context rules look for beside a character. A mark that
        # is itself stripped or decided by context is beside nothing.
        "MARK": has["gc_Nonspacing_Mark"] - strip - context,
        "VIRAMA": {code for code, (_, combining, _) in characters.items()
                   if combining == 9},
        "JOINING": joining_letters,
        "LEADING": LEADING,
        "VOWEL": VOWELS,
        "PICTOGRAPH": has["Extended_Pictographic"],
        "IDEOGRAPH": has["Unified_Ideograph"],
        "FIGURE": {code for code, (category, _, _) in characters.items()
                   if category in ("Nd", "Nl", "No", "Sm", "Sc")},
    }


def read_sets():
    return derive(read_properties(), read_characters(), read_joining_letters())


def refuse_unsound(sets, letters):
    """What sanitizer and fence rely on. conformance/table.py checks the same
    of the compiled table; here it keeps a bad one from being written."""

    def within(inner, inner_name, outer, outer_name):
        require(inner <= outer,
                f"{inner_name} is not within {outer_name}: "
                f"{spell(inner - outer)}")

    def apart(one, one_name, other, other_name):
        require(one.isdisjoint(other),
                f"{one_name} and {other_name} overlap: {spell(one & other)}")

    strip, context = sets["STRIP_HARDENED"], sets["CONTEXT_HARDENED"]
    fence = sets["FENCE_IGNORABLE"]
    within(sets["STRIP_REFERENCE"], "STRIP_REFERENCE",
           strip | context, "STRIP_HARDENED | CONTEXT_HARDENED")
    within(strip | context, "STRIP_HARDENED | CONTEXT_HARDENED",
           fence, "FENCE_IGNORABLE")
    within(sets["MATCH_IGNORABLE"], "MATCH_IGNORABLE", fence, "FENCE_IGNORABLE")
    apart(strip, "STRIP_HARDENED", context, "CONTEXT_HARDENED")
    apart(sets["LESS"], "LESS", sets["GREATER"], "GREATER")
    apart(sets["LESS"] | sets["GREATER"], "LESS | GREATER",
          fence, "FENCE_IGNORABLE")
    for name, codes in sets.items():
        apart(codes, name, {TAB, LF, SPACE}, "visible white space")
    within(fence & letters, "gc=L and FENCE_IGNORABLE",
           INVISIBLE_LETTERS, "the closed list of T4")
    # What the context rules take for a neighbour must always stay.
    for name in NEIGHBOURS:
        apart(sets[name], name, strip | context,
              "STRIP_HARDENED | CONTEXT_HARDENED")


# ------------------------------------------------------------------ output

# 128 code points to a block gives the smallest table: 62.0 KiB, against 74.3
# with 256 and 73.6 with 64.
SHIFT = 7


def two_stages(sets):
    """(index, blocks): the sets of a code point, as bits of a number, are
    blocks[index[code >> SHIFT]][code & (1 << SHIFT) - 1]."""
    require(len(sets) <= 16, f"{len(sets)} sets; a uint16_t has 16 bits")
    flat = [0] * 0x110000
    for bit, codes in enumerate(sets.values()):
        for code in codes:
            flat[code] |= 1 << bit
    size = 1 << SHIFT
    index, blocks = [], {}
    for start in range(0, len(flat), size):
        block = tuple(flat[start:start + size])
        index.append(blocks.setdefault(block, len(blocks)))
    require(len(blocks) <= 256, f"{len(blocks)} blocks; a byte counts 256")
    return index, list(blocks)


def rows(numbers, indent):
    """Numbers in lines of at most 80 columns, a tab counting eight."""
    line, lines = "", []
    for number in numbers:
        if len(line) + len(f"{number},") > 80 - 8 * indent:
            lines.append("\t" * indent + line)
            line = ""
        line += f"{number},"
    return "\n".join(lines + ["\t" * indent + line])


# A character has 21 bits, and the low eleven tell all selectors apart.
def pair(base, selector):
    """One listed sequence as one number."""
    return base << 11 | selector & 0x7FF


def source(sets, variations):
    index, blocks = two_stages(sets)
    bits = "\n".join(f"_Static_assert(WKG_SET_{name} == {1 << bit:#x}, "
                     '"regenerate");' for bit, name in enumerate(sets))
    first = {number: place for place, number in reversed([*enumerate(index)])}
    data = "\n".join(f"\t{{ /* {number}: U+{first[number] << SHIFT:04X} */\n"
                     f"{rows(block, 2)}\n\t}},"
                     for number, block in enumerate(blocks))
    pairs = [pair(*variation) for variation in variations]
    return f"""\
/* GENERATED by src/tables/generate.py, do not edit.
 *
 * The sets of every code point (T4), as a two-stage table. To see why a code
 * point is in a set, read generate.py and the range files beside it. */
#include <wicketgate/table.h>

#include "table_data.h"

/* clang-format off */
{bits}
_Static_assert(WKG__TABLE_SHIFT == {SHIFT}, "regenerate");

const char wkg__table_set_version[] = "{SET_VERSION}";
const char wkg__table_data_version[] = "{DATA_VERSION}";

/* Which block the code points from n << {SHIFT} on are in. */
const uint8_t wkg__table_index[WKG__TABLE_INDEX_SIZE] = {{
{rows(index, 1)}
}};

/* The different blocks of {1 << SHIFT} code points, with their first place. */
const uint16_t wkg__table_block[][WKG__TABLE_BLOCK_SIZE] = {{
{data}
}};

/* The listed variation sequences, sorted: WKG__VARIATION(character, selector). */
const uint32_t wkg__table_variations[] = {{
{rows(pairs, 1)}
}};
const size_t wkg__table_variation_count = {len(pairs)};
"""


def make():
    properties = read_properties()
    sets = read_sets()
    variations = read_variations()
    refuse_unsound(sets, properties["gc_Letter"])
    selectors = {selector for _, selector in variations}
    require(selectors <= properties["Variation_Selector"],
            f"no selectors: {spell(selectors - properties['Variation_Selector'])}")
    return source(sets, variations)


if __name__ == "__main__":
    run(OUTPUT, make, sys.argv[1:])
