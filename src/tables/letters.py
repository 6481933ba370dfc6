#!/usr/bin/env python3
"""Write src/moderate/letters_data.c: what letters read as (M2).

    letters.py            write the file
    letters.py --check    fail if the committed file is not what it would write

A letter or digit is read as its compatibility form (U+FF49 as i, U+1D422 as i,
U+FB01 as f and i, U+2F00 as U+4E00), without what is drawn above a Latin letter,
and one that looks like an ASCII letter as that. Punctuation is never touched:
U+FF0C read as a comma would carry a gap into the next clause (unicode.md 0.10),
and two brackets that were none would make a token.

From Debian's unicode-data, 15.0.0, as generate.py; the look-alikes are below.
"""
import sys

from generate import DATA_VERSION, HERE, UCD, read_decompositions, read_sets
from generate import require, run, span

OUTPUT = HERE.parent / "moderate" / "letters_data.c"
LONGEST = 3  # characters; wkg__letters has room for no more
GROWTH = 3   # bytes for one byte: the room a reading has, as bad UTF-8 needs it

# Letters that look like an ASCII letter, of the scripts whose fonts are made
# together with Latin: UTS #39 confusables.txt 17.0.0. Capitals that it likens to
# a small L are read as the capital I they look like just as much.
LOOKALIKES = {
    "A": "0391 0410 13AA", "B": "A7B4 0392 0412 13F4", "C": "03F9 0421 13DF",
    "D": "13A0", "E": "0395 0415 13AC", "F": "A798 03DC", "G": "050C 13C0 13F3",
    "H": "0397 041D 13BB", "I": "0196 0399 0406 04C0", "J": "A7B2 037F 0408 13AB",
    "K": "039A 041A 13E6", "L": "13DE", "M": "039C 03FA 041C 13B7", "N": "039D",
    "O": "039F 041E 0555", "P": "03A1 0420 13E2", "R": "01A6 13A1 13D2",
    "S": "0405 054F 13D5 13DA", "T": "03A4 0422 13A2", "U": "054D",
    "V": "0474 13D9", "W": "051C 13B3 13D4", "X": "A7B3 03A7 0425",
    "Y": "03A5 0423 04AE 13A9 13BD", "Z": "0396 13C3",
    "a": "0251 03B1 0430", "b": "0184 042C 13CF", "c": "1D04 03F2 0441 ABAF",
    "d": "0501 13E7", "e": "AB32 0435 04BD", "f": "AB35 A799 0192 1E9D 0584",
    "g": "0261 1D83 018D 0581", "h": "04BB 0570 13C2",
    "i": "0131 026A 0269 03B9 1FBE 0456 A647 0582 AB75 13A5", "j": "03F3 0458",
    "l": "01C0 04CF", "n": "0578 057C",
    "o": "1D0F 1D11 AB3D 03BF 03C3 03ED 043E 0585", "p": "00FE 01BF 03C1 03F1 03F8 0440",
    "q": "051B 0563 0566", "r": "AB47 AB48 1D26 0433 AB81", "s": "A731 01BD 0455 ABAA",
    "u": "A79F 1D1C AB4E AB52 028B 03C5 057D", "v": "1D20 03BD 0475 ABA9",
    "w": "026F 1D21 0461 0448 051D 0561 AB83", "x": "0445",
    "y": "0263 1D8C 028F 1EFF AB5A 03B3 0443 04AF", "z": "1D22 AB93",
}
# Small letters that UTS #39 leaves out while it has their capitals.
SUPPLEMENT = {"k": "03BA 043A", "m": "043C", "t": "03C4 0442", "x": "03C7"}

# White on black: no decomposition says that these are letters.
NEGATIVE = [(0x1F150, "A"), (0x1F170, "A")]  # circled, squared: 26 each

# Marks that are drawn over and under Latin letters. Those of other scripts are
# vowels: without them other words are left.
LATIN_MARKS = span((0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
                   (0x20D0, 0x20FF), (0xFE20, 0xFE2F))


def read_categories():
    """General category by code point; the ranges of ideographs are not needed,
    for what decomposes is listed one by one."""
    with open(UCD / "UnicodeData.txt", encoding="ascii") as file:
        fields = (line.split(";") for line in file)
        return {int(row[0], 16): row[2] for row in fields}


def lookalikes():
    seen = {}
    for table in LOOKALIKES, SUPPLEMENT:
        for letter, codes in table.items():
            for code in codes.split():
                require(seen.setdefault(int(code, 16), letter) == letter,
                        f"U+{code} looks like two letters")
    for first, letter in NEGATIVE:
        for i in range(26):
            seen[first + i] = chr(ord(letter) + i)
    return {code: ord(letter) for code, letter in seen.items()}


def is_letter(code, categories):
    ideograph = 0x3400 <= code <= 0x9FFF or 0x20000 <= code <= 0x3FFFF
    return ideograph or categories.get(code, "Cn")[0] in "LN"


def base_of(code, mappings, categories):
    """What is left of a character that comes apart, or None if that is not
    letters and digits alone."""
    def apart(code):
        return [end for part in mappings.get(code, [])
                for end in (apart(part) or [part])]

    whole = apart(code)
    if len(whole) == 3 and (whole[0], whole[2]) == (ord("("), ord(")")):
        whole = whole[1:2]  # U+24A4: the parentheses belong to its shape
    plain = [c for c in whole if categories.get(c, "Cn")[0] != "M"]
    if len(plain) < len(whole) and not all(c < 0x80 for c in plain):
        return None
    return plain if plain and all(is_letter(c, categories) for c in plain) else None


def size(codes):
    return sum(len(chr(c).encode("utf-8")) for c in codes)


def letters(hidden):
    """{code point: what it reads as}, without those that read as themselves."""
    mappings, categories, like = read_decompositions(), read_categories(), lookalikes()
    table = {}
    for code in sorted({*mappings, *like, *LATIN_MARKS}):
        if code < 0x80 or code in hidden:
            continue
        read = base_of(code, mappings, categories)
        if code in LATIN_MARKS and categories.get(code) in ("Mn", "Me"):
            read = []
        elif code in like:
            read = [like[code]]
        elif read:
            read = [like.get(c, c) for c in read]
        if (read is not None and len(read) <= LONGEST and hidden.isdisjoint(read)
                and size(read) <= GROWTH * size([code])):
            table[code] = read
    return table


def runs(table):
    """[first, what it reads as or 0 for nothing, how many in a row]."""
    found = []
    for code, read in table.items():
        if len(read) > 1:
            continue
        to = read[0] if read else 0
        last = found[-1] if found else [0, 0, 0]
        same = last[1] == 0 if to == 0 else last[1] != 0 and to == last[1] + last[2]
        if code == last[0] + last[2] and same:
            last[2] += 1
        else:
            found.append([code, to, 1])
    return found


def packed(rows):
    """As many as fit in lines of 80 columns."""
    line, lines = "", []
    for row in rows:
        if len(line) + len(row) + 1 > 72:
            lines.append("\t" + line.rstrip())
            line = ""
        line += row + " "
    return "\n".join([*lines, "\t" + line.rstrip()])


def source(table):
    single = packed(f"{{ {a:#x}, {b:#x}, {n} }}," for a, b, n in runs(table))
    several = packed("{ %#x, { %s } }," % (code, ", ".join(f"{c:#x}" for c in read))
                     for code, read in table.items() if len(read) > 1)
    return f"""\
/* GENERATED by src/tables/letters.py, do not edit.
 *
 * What {len(table)} letters, digits and marks read as (M2), of Unicode {DATA_VERSION}. */
#include "letters.h"

/* clang-format off */
const wkg__letter_run wkg__letter_runs[] = {{
{single}
}};
const size_t wkg__letter_run_count = sizeof wkg__letter_runs / sizeof *wkg__letter_runs;

const wkg__letter_several wkg__letter_severals[] = {{
{several}
}};
const size_t wkg__letter_several_count = sizeof wkg__letter_severals / sizeof *wkg__letter_severals;
"""


def make():
    return source(letters(read_sets()["MATCH_IGNORABLE"]))


if __name__ == "__main__":
    run(OUTPUT, make, sys.argv[1:])
