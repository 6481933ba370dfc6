#!/usr/bin/env python3
"""Write src/cli/bidi_data.c: what UAX #9 asks about a character.

    bidi.py            write the file
    bidi.py --check    fail if the committed file is not what it would write

From Debian's unicode-data (15.0.0): the directional class of every code point,
the brackets that are pairs, and what a character looks like in a mirror. Only
`wicketgate inspect` uses it, to draw; no defence depends on it."""

import re
import sys
from pathlib import Path

from generate import run

OUTPUT = Path(__file__).resolve().parent.parent / "cli" / "bidi_data.c"
UCD = Path("/usr/share/unicode")
VERSION = "15.0.0"
LONG_NAMES = {"Left_To_Right": "L", "Right_To_Left": "R", "Arabic_Letter": "AL",
              "European_Terminator": "ET"}


def lines_of(name):
    text = (UCD / name).read_text(encoding="utf-8")
    if VERSION not in text.partition("\n")[0]:
        sys.exit(f"bidi.py: {name} is not of Unicode {VERSION}")
    return text.splitlines()


def fields(line):
    return [field.strip() for field in line.partition("#")[0].split(";")]


def span(text):
    first, _, last = text.partition("..")
    return int(first, 16), int(last or first, 16)


def classes():
    """(first, last, class) of all that is not L; the @missing lines first, what
    is assigned over them."""
    of = ["L"] * 0x110000
    lines = lines_of("extracted/DerivedBidiClass.txt")
    missing = [re.match("# @missing: ([0-9A-F.]+); (\\w+)", line) for line in lines]
    rows = [(m[1], LONG_NAMES[m[2]]) for m in missing if m]
    rows += [fields(line) for line in lines if len(fields(line)) == 2]
    for codes, name in rows:
        first, last = span(codes)
        of[first:last + 1] = [name] * (last + 1 - first)
    first = 0
    for code in range(1, 0x110001):
        if code == 0x110000 or of[code] != of[first]:
            if of[first] != "L":
                yield first, code - 1, of[first]
            first = code


def pairs(name, wanted):
    for line in lines_of(name):
        row = fields(line)
        if len(row) >= 2 and wanted(row):
            yield int(row[0], 16), int(row[1], 16)


def table(head, rows, per_line):
    rows = list(rows)
    body = [f"\t{' '.join(rows[i:i + per_line])}" for i in range(0, len(rows), per_line)]
    return "\n".join([head + " = {", *body, "};", ""])


def document():
    mirrors = pairs("BidiMirroring.txt", lambda row: True)
    brackets = pairs("BidiBrackets.txt", lambda row: row[2] == "o")
    return "\n".join([
        "/* bidi_data.c - made by tables/bidi.py: do not edit.",
        " *",
        f" * Unicode {VERSION}; what no row names is L, and its own mirror image. */",
        '#include "bidi.h"', "", "/* clang-format off */",
        table("const bidi_range bidi_ranges[]",
              (f"{{ 0x{a:04X}, 0x{b:04X}, BIDI_{c} }}," for a, b, c in classes()), 3),
        "const size_t bidi_range_count = sizeof(bidi_ranges) / sizeof(bidi_ranges[0]);\n",
        table("const bidi_pair bidi_mirrors[]",
              (f"{{ 0x{a:04X}, 0x{b:04X} }}," for a, b in sorted(mirrors)), 4),
        "const size_t bidi_mirror_count = sizeof(bidi_mirrors) / sizeof(bidi_mirrors[0]);\n",
        "/* Opening and closing ones, in the order of the opening ones. */",
        table("const bidi_pair bidi_brackets[]",
              (f"{{ 0x{a:04X}, 0x{b:04X} }}," for a, b in sorted(brackets)), 4),
        "const size_t bidi_bracket_count = sizeof(bidi_brackets) / sizeof(bidi_brackets[0]);",
        "/* clang-format on */", ""])


if __name__ == "__main__":
    run(OUTPUT, document, sys.argv[1:])
