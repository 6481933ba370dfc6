"""The fence, and a model of it by somebody else: ../shared/unicode/fence.py.

    independent.py PATH_TO_PROBE [--seed N] [--count N]

Byte for byte the same, on adversarial texts; `--count 250000` makes a million
of them, and takes about half an hour of one processor. Where that model is
wrong, DIFFERENCES says so, character by character."""
import importlib.util
import random
import re
import sys
import unicodedata

import inputs
import model
from differential import guarded_text, hexed, output
from harness import SHARED, Collected, Probe, Tap, arguments

PATH = SHARED / "unicode" / "fence.py"
CHUNK = 5000

# Characters in which that model reads less of the keyword than it should, by
# the reason, which is a fault of the model in every case but the last.
DIFFERENCES = {
    "they look like an l to UTS #39, and that is asked before whether they are"
    " punctuation, which a reader passes over":
        "007C 05C0 2016 FF5C",
    "they decompose into what a reader passes over, and only their own category is"
    " asked":
        "00A8 00AF 00B4 00B8 02D8-02DD 037A 0384 0385 1FBD 1FBF-1FC1 1FCD-1FCF"
        " 1FDD-1FDF 1FED-1FEF 1FFD 1FFE 207A 207C 208A 208C 2260 2A74-2A76 309B 309C"
        " FB29 FC5E-FC63 FE62 FE66 FE69 FE70 FE72 FE74 FE76 FE78 FE7A FE7C FE7E FF04"
        " FF0B FF1D FF3E FF40 FFE3",
    "they decompose into letters and punctuation, and are given up as a whole":
        "1E9A 2100 2101 2158 2477 247A 248B 248E 249C 249F 24AB 24AF 24B3 24B4 32C3"
        " 335C 33C2 33DF 33E3 1F105 1F108 1F110 1F113 1F11F 1F123 1F127 1F128",
    "UTS #39 likens them to a letter and punctuation, and they are given up as a"
    " whole":
        "018A 01A4 01AC 01B3 0490 1476 1477 147A 147B 1486 1487 14AE 14AF 152F 1530",
    "they are punctuation, but newer than the Python that was asked":
        "1B4E 1B4F 1B7F 10D6E 10ED0 113D4 113D5 113D7 113D8 11B00-11B09 11BE1"
        " 11F43-11F4F 16D6D-16D6F 1E5FF",
    "it is punctuation that looks like an x: that model reads the x only, ours"
    " both (F9), so that texts with it are left out":
        "166E",
}
NEWER = "newer than the Python"


def code_points(text):
    for word in text.split():
        first, _, last = word.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def load():
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("independent_fence", PATH)
    other = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(other)
    return other


def part_of_keyword(reading):
    """The reading, with `#` for what can be no part of the keyword."""
    text = re.sub("[^xpydat]", "#", "#" if reading is None else reading)
    whole = text in "xpydata" or text[-1] == "x" or text[0] == "a"
    return text if whole else "#"


def correct(tap, other):
    """Hold the differences against the list; then give that model our reading
    of them, or the texts would have to do without those characters."""
    reasons = {code: reason for reason, listed in DIFFERENCES.items()
               for code in code_points(listed)}
    found, more = set(), Collected(tap, "F9 where they differ that model reads less")
    for code in {*range(0x110000)} - model.IGNORABLE - {*range(0xd800, 0xe000)}:
        theirs = part_of_keyword(other.skel(chr(code)))
        ours = model.letters(chr(code))
        if theirs != part_of_keyword(ours):
            found.add(code)
            more.check(theirs == "#" or chr(code) == model.CROSS, hex(code), theirs, ours)
            other._memo[chr(code)] = ours.replace("X", "x").replace("#", "0")
    more.done()
    unknown = {c for c in range(0x110000) if unicodedata.category(chr(c)) == "Cn"}
    tap.ok(found <= reasons.keys() | unknown, f"F9 they read the keyword in every character alike, but"
           f" for {len(reasons)} that are listed with a reason and what this Python does not know",
           sorted(map(hex, found - reasons.keys() - unknown))[:20])
    gone = {c for c in reasons.keys() - found if NEWER not in reasons[c]}
    tap.ok(not gone, "F9 and they do differ in those", sorted(map(hex, gone))[:20])
    tokens = [c for c in range(0x110000) if not 0xd800 <= c < 0xe000
              and c not in unknown and other.fold(chr(c)) != model.compatible(chr(c))]
    tap.ok(not tokens, "F10 they see tokens through every character alike", tokens[:20])
    sets = (other.REF == model.REFERENCE_STRIP, other.I_H == model.IGNORABLE,
            other.LESS == model.LESS, other.GREATER == model.GREATER)
    tap.ok(all(sets), "F4 their ignorables and brackets are the same", sets)


def random_text(rng):
    return inputs.random_bytes(rng)


def agree(tap, probe, rng, count, operation, profile, function, make):
    name = "guards and brackets" if make is guarded_text else "brackets and bytes"
    claims = Collected(tap, f"F3 {operation} {profile} byte for byte, {name}")
    for done in range(0, count, CHUNK):
        texts = [make(rng) for _ in range(min(CHUNK, count - done))]
        texts = [t if isinstance(t, bytes) else t.encode() for t in texts]
        answers = probe.ask(f"{operation} {profile} {hexed(t)}" for t in texts)
        for text, answer in zip(texts, answers):
            if model.CROSS.encode() not in text:
                expected = function(model.decode(text)[0])
                claims.check(output(answer) == expected, text, answer, expected)
    claims.done()


def main():
    given = arguments("probe", count=2000)
    tap = Tap()
    if not PATH.exists():
        tap.skip("F3 as the independent model of the fence", f"{PATH} is not there")
        tap.done()
    other, probe = load(), Probe(given.probe)
    correct(tap, other)

    def inline(text):
        return other.harden(text, edge=True)
    for how in (("neutralize", "reference", other.neutralize_ref, random_text),
                ("neutralize", "hardened", other.harden, random_text),
                ("neutralize", "hardened", other.harden, guarded_text),
                ("inline", "hardened", inline, guarded_text)):
        rng = random.Random(f"{given.seed} {how[0]} {how[1]} {how[3].__name__}")
        agree(tap, probe, rng, given.count, *how)
    tap.done()


if __name__ == "__main__":
    main()
