#!/usr/bin/env python3
"""The order in which a reader sees a line (src/cli/bidi.c), held to Unicode's
own tests of UAX #9, and to the counts of what is opened and never closed.

usage: bidi.py PATH_TO_BIDI_PROBE"""
import pathlib
import random
import subprocess
import sys

from harness import ROOT, Collected, Tap

UCD = pathlib.Path("/usr/share/unicode")
# A character of each class that is no bracket and mirrors nothing.
OF_CLASS = {"L": 0x61, "R": 0x5D0, "AL": 0x627, "EN": 0x30, "AN": 0x660, "ES": 0x2B,
            "ET": 0x23, "CS": 0x2C, "NSM": 0x300, "BN": 0xAD, "B": 0x2029, "S": 0x09,
            "WS": 0x20, "ON": 0x21, "LRE": 0x202A, "RLE": 0x202B, "PDF": 0x202C,
            "LRO": 0x202D, "RLO": 0x202E, "LRI": 0x2066, "RLI": 0x2067, "FSI": 0x2068,
            "PDI": 0x2069}

tap = Tap()


def ask(lines):
    run = subprocess.run([sys.argv[1]], input="\n".join([*lines, ""]), capture_output=True,
                         text=True, check=True)
    return [answer.split(";") for answer in run.stdout.splitlines()]


def question(direction, codes):
    return " ".join([str(direction), *(f"{code:X}" for code in codes)])


def by_class():
    """BidiTest.txt: every string of up to four classes, and longer ones."""
    asked, expected, levels, order = [], [], "", ""
    for line in (UCD / "BidiTest.txt").read_text(encoding="utf-8").splitlines():
        head, _, rest = line.partition(":")
        if head == "@Levels":
            levels = " ".join(rest.split())
        elif head == "@Reorder":
            order = " ".join(rest.split())
        elif line and line[0] not in "#@":
            classes, _, bits = line.partition(";")
            codes = [OF_CLASS[name] for name in classes.split()]
            for bit, direction in ((1, 2), (2, 0), (4, 1)):
                if int(bits, 16) & bit:
                    asked.append(question(direction, codes))
                    expected.append((levels, order))
    same = Collected(tap, "BidiTest.txt: every string of classes has its levels and its order")
    for text, got, wanted in zip(asked, ask(asked), expected):
        same.check((got[1], got[2]) == wanted, text, got, wanted)
    same.done()


def by_character():
    """BidiCharacterTest.txt: real text, and brackets."""
    asked, expected = [], []
    for line in (UCD / "BidiCharacterTest.txt").read_text(encoding="utf-8").splitlines():
        if line and line[0] != "#":
            codes, direction, *rest = line.split(";")
            asked.append(f"{direction} {codes}")
            expected.append(rest)
    same = Collected(tap, "BidiCharacterTest.txt: levels and order, brackets included")
    for text, got, wanted in zip(asked, ask(asked), expected):
        same.check(got[:3] == wanted, text, got, wanted)
    same.done()


def balances():
    """(unclosed, unopened) by a model that takes a text apart recursively."""
    rows = {"": (0, 0), "\u202e": (1, 0), "\u202ea\u202c": (0, 0), "a\u202c": (0, 1),
            "\u2069": (0, 1), "\u2066\u2069": (0, 0), "\u2067\u202ea\u2069": (1, 0),
            "\u202e\u2066\u202c\u2069\u202c": (0, 1), "\u2068\u2066": (2, 0),
            "\u202e\u2029\u202c": (1, 1), "user\u202e \u2066// admin\u2069 \u2066": (2, 0)}
    for (text, wanted), got in zip(rows.items(), ask(question(2, map(ord, t)) for t in rows)):
        tap.ok(tuple(map(int, got[3:])) == wanted,
               f"{ascii(text)}: {wanted[0]} never closed, {wanted[1]} never opened", got)

    def count(text):
        """Strike out what closes, innermost first, as the standard pairs it."""
        unclosed = unopened = 0
        for part in text.split("\u2029"):
            stack = []
            closes = matched(part)
            for i, c in enumerate(part):
                if c in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068":
                    stack.append(i)
                elif c == "\u202c":
                    if stack and part[stack[-1]] in "\u202a\u202b\u202d\u202e":
                        stack.pop()
                    else:
                        unopened += 1
                elif c == "\u2069" and i in closes:
                    while stack.pop() != closes[i]:
                        unclosed += 1
                elif c == "\u2069":
                    unopened += 1
            unclosed += len(stack)
        return unclosed, unopened

    def matched(part):
        open_ones, closes = [], {}
        for i, c in enumerate(part):
            if c in "\u2066\u2067\u2068":
                open_ones.append(i)
            elif c == "\u2069" and open_ones:
                closes[i] = open_ones.pop()
        return closes

    rng = random.Random(9)
    texts = ["".join(rng.choices("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069a\u2029",
                                 k=rng.randrange(24))) for _ in range(20000)]
    same = Collected(tap, "the same for random texts of controls")
    for text, got in zip(texts, ask(question(2, map(ord, t)) for t in texts)):
        same.check(tuple(map(int, got[3:])) == count(text), ascii(text), got, count(text))
    same.done()


def paragraphs():
    """P1: a paragraph is resolved as if it were alone."""
    rng = random.Random(1)
    alphabet = [OF_CLASS[name] for name in OF_CLASS if name != "B"] + [0x28, 0x29, 0x5B, 0x5D]
    pairs = [[[*rng.choices(alphabet, k=rng.randrange(9)), 0x2029] for _ in range(2)]
             for _ in range(5000)]
    together = ask(question(2, a + b) for a, b in pairs)
    alone = ask(question(2, part) for pair in pairs for part in pair)
    same = Collected(tap, "P1: what stands before a paragraph changes nothing in it")
    for i, got in enumerate(together):
        levels = f"{alone[2 * i][1]} {alone[2 * i + 1][1]}"
        same.check(got[1] == levels, pairs[i], got, levels)
    same.done()


def main():
    missing = [name for name in ("BidiTest.txt", "BidiCharacterTest.txt")
               if not (UCD / name).is_file()]
    if missing:
        tap.skip("Unicode's tests of UAX #9", f"no {missing[0]} (Debian: unicode-data)")
    else:
        by_class()
        by_character()
        check = subprocess.run([sys.executable, ROOT / "src" / "tables" / "bidi.py", "--check"],
                               capture_output=True, text=True, check=False)
        tap.ok(check.returncode == 0, "bidi_data.c is what its generator writes", check.stderr)
    paragraphs()
    balances()
    tap.done()


main()
