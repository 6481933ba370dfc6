#!/usr/bin/env python3
"""SPEC.md's data say what the library does: patterns.json, and the table in
SPEC.md, the fourteen patterns; sets.json the sets and what letters read as.
sets.json was made from Unicode's files and not from src/, so that it can tell.

    data.py PROBE TABLE_DUMP           check
    data.py PROBE TABLE_DUMP --write   take the patterns over from the library"""
import json
import random
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

SUITE = Path(__file__).resolve().parent
sys.path.insert(0, str(SUITE.parent))
from harness import ROOT, Collected, Probe, Tap  # noqa: E402

SPEC = SUITE.parent / "SPEC.md"
PATTERNS = SUITE / "patterns.json"
BLOCK = re.compile(r"(?<=<!-- patterns -->\n).*?(?=<!-- end of patterns -->\n)", re.S)
INTRODUCTION = """\
The same as data, with a hit and a benign twin for each: `suite/patterns.json`. A possessive quantifier (`{0,8}+`, `?+`) only saves time: an engine without them drops the last `+`. Case folds as in Unicode, so with `(?i)` U+212A is a `k` and U+017F an `s`. `^` is the beginning of the text, not of a line.

"""
# sets.json's names of the library's sets.
NAMES = {"FENCE_IGNORABLE": "fence_ignorable", "LESS": "less", "GREATER": "greater", "STRIP_REFERENCE": "strip_reference",
         "STRIP_HARDENED": "strip_hardened", "CONTEXT_HARDENED": "context_hardened", "MATCH_IGNORABLE": "match_ignorable",
         "MARK": "mark", "VIRAMA": "virama", "JOINING": "joining", "LEADING": "jamo_leading", "VOWEL": "jamo_vowel", "PICTOGRAPH": "extended_pictographic",
         "IDEOGRAPH": "unified_ideograph", "FIGURE": "figure"}


def from_hex(field):
    return bytes.fromhex(field).decode("utf-8")


# ---- patterns --------------------------------------------------------------

def published(pattern):
    """Without what counts the work, and with controls that can be seen."""
    return pattern.replace("(?C1)", "").replace("\r", r"\r").replace("\n", r"\n").replace("\t", r"\t")


def library_patterns(probe):
    (answer,) = probe.ask(["patterns"])
    rows = [field.split(":") for field in answer.split(" ")[1:]]
    source = (ROOT / "src/moderate/patterns.c").read_text(encoding="utf-8")
    about = {m[1]: (m[2], m[3]) for m in re.finditer(r'"([a-z0-9-]+)", "([a-z-]+)",\s*"([^"]*)",', source)}
    return [{"id": name, "group": about[name][0], "purpose": about[name][1], "pattern": published(from_hex(pattern)),
             "hit": from_hex(hit), "benign": from_hex(benign)} for name, pattern, hit, benign in rows]


def block(patterns):
    return INTRODUCTION + "\n".join(f"- `{p['id']}` ({p['group']}): {p['purpose']}\n\n      {p['pattern']}\n" for p in patterns)


def write(patterns):
    data = json.loads(PATTERNS.read_text(encoding="ascii"))
    PATTERNS.write_text(json.dumps(data | {"patterns": patterns}, indent=1) + "\n", encoding="ascii")
    spec = SPEC.read_text(encoding="utf-8")
    SPEC.write_text(BLOCK.sub(lambda _: block(patterns), spec), encoding="utf-8")


def pattern_faults(patterns):
    """What is published and not the library's, or the other way round."""
    data = json.loads(PATTERNS.read_text(encoding="ascii"))["patterns"]
    yield from (p["id"] for p in patterns + data if p not in patterns or p not in data)
    if BLOCK.findall(SPEC.read_text(encoding="utf-8")) != [block(patterns)]:
        yield "SPEC.md"


def check_patterns(tap, patterns):
    tap.ok(len(patterns) == 14, f"M5 the library has fourteen patterns: {len(patterns)}")
    tap.ok(not (faults := list(pattern_faults(patterns))), "M5 patterns.json and SPEC.md publish them", *faults)
    other = [patterns[0] | {"pattern": patterns[0]["pattern"] + "?"}, *patterns[1:]]
    tap.ok(list(pattern_faults(other)), "R2 a pattern that differs is found")


# ---- sets ------------------------------------------------------------------

def points(words):
    found = set()
    for word in " ".join(words).split():
        low, _, high = word.partition("-")
        found.update(range(int(low, 16), int(high or low, 16) + 1))
    return found


def library_sets(table_dump):
    header = (ROOT / "include/wicketgate/table.h").read_text(encoding="utf-8")
    bits = {m[1]: int(m[2]) for m in re.finditer(r"WKG_SET_(\w+) = 1u << (\d+)", header)}
    sets = {name: set() for name in bits}
    lines = subprocess.run([table_dump], capture_output=True, text=True, check=True).stdout.splitlines()
    for low, high, value in (fields for line in lines if len(fields := line.split()) == 3 and fields[0] != "version"):
        for name, bit in bits.items():
            if int(value, 16) >> bit & 1 and int(low, 16) <= 0x10FFFF:
                sets[name].update(range(int(low, 16), int(high, 16) + 1))
    return sets


def check_sets(tap, data, sets):
    compared = [name for name in NAMES if name in sets]
    tap.ok(len(compared) >= 7, f"R2 there are sets to compare: {len(compared)}")
    for name in compared:
        different = points(data[NAMES[name]]) ^ sets[name]
        tap.ok(not different, f"T4 sets.json's {NAMES[name]} is the library's", *[f"{c:04X}" for c in sorted(different)[:10]])
    tap.ok(all(len(sets[name]) > 30 for name in compared), "R2 none of them is empty")


# ---- normalization (F4.2) --------------------------------------------------

def normal_forms(text):
    """All that NFC, NFD, NFKC, NFKD and case folding make of it, in any order."""
    found, new = set(), {text}
    while new:
        found |= new
        new = {form for text in new for form in
               [text.casefold(), *(unicodedata.normalize(f, text) for f in ("NFC", "NFD", "NFKC", "NFKD"))]} - found
    return found


def changing():
    """What a normalization or folding changes, and what it makes of it."""
    scalars = (c for c in range(0x80, 0x110000) if not 0xD800 <= c < 0xE000)
    return {c: forms for c in scalars if len(forms := normal_forms(chr(c))) > 1}


def open_sets(changes, less, greater, ignorable):
    """Where a reader who normalizes sees another bracket, or nothing, than one who has the three sets: so that the
    oracle of P-FN1, which has them, need not normalize."""
    kind = dict.fromkeys(less, "<") | dict.fromkeys(greater, ">")

    def reading(text):
        return "".join(kind.get(ord(c), c) for c in text if ord(c) not in ignorable)
    for code, forms in changes.items():
        mine = reading(chr(code))
        if any(reading(form) != mine and not set(reading(form)).isdisjoint("<>") or (mine and not reading(form))
               for form in forms):
            yield f"U+{code:04X}"
    for bracket in sorted(kind):
        for mark in ignorable:
            composed = unicodedata.normalize("NFC", chr(bracket) + chr(mark))
            if len(composed) == 1 and reading(composed) != kind[bracket]:
                yield f"U+{bracket:04X} U+{mark:04X}"


def check_normal(tap, data):
    sets = [points(data[name]) for name in ("less", "greater", "fence_ignorable")]
    changes = changing()
    tap.ok(not (faults := list(open_sets(changes, *sets))), "F4 no normalization or folding makes a bracket, or nothing, of anything else", *faults[:10])
    for name, code in (("less", 0xFF1C), ("greater", 0x226F), ("fence_ignorable", 0x0338), ("fence_ignorable", 0xFF9E)):
        less = [s - {code} for s in sets]
        tap.ok(list(open_sets(changes, *less)), f"R2 without U+{code:04X} in {name} that is seen")


# ---- what letters read as (F9, F10) ----------------------------------------

def neutralized(probe, texts):
    answers = probe.ask(f"neutralize hardened {text.encode().hex()}" for text in texts)
    return [from_hex(answer.split(" ")[1]) for answer in answers]


def sampled(data, reads):
    """All that reads as something, and as many others."""
    others = random.Random(1).sample(range(0x80, 0x110000), 4000)
    found = reads | points(data["keyword_skipped"]) | set(range(0x20, 0x7e)) | set(others)
    return [c for c in sorted(found) if not 0xD800 <= c < 0xE000]


def check_keyword(tap, probe, data):
    reads = {c: letters for letters, words in data["keyword_letters"].items() for c in points(words)}
    silent = points(data["keyword_skipped"]) | points(data["fence_ignorable"])
    codes = [c for c in sampled(data, set(reads)) if c not in points(data["less"]) | points(data["greater"])]
    for at, letter in enumerate("xpydata"):
        texts = ["xpydata"[:at] + chr(c) + "xpydata"[at + 1:] for c in codes]
        claim = Collected(tap, f"F9 what reads as the {letter} of the keyword ({at + 1}) is in sets.json")
        for code, text, out in zip(codes, texts, neutralized(probe, texts)):
            claim.check(("~" in out) == hit(reads.get(code), letter, at), f"U+{code:04X} {ascii(text)} {ascii(out)}")
        claim.done()
    texts = ["xpy" + chr(c) + "data" for c in codes]
    claim = Collected(tap, "F9 what reads as nothing is in sets.json")
    for code, out in zip(codes, neutralized(probe, texts)):
        claim.check(("~" in out) == (code in silent), f"U+{code:04X} {ascii(out)}")
    claim.done()


def hit(reading, letter, at):
    """Is the keyword there if its letter `at` is this character?"""
    reading = reading or ""
    if at == 0:
        return reading.endswith(letter)
    return reading == letter if at < 6 else reading.startswith(letter)


def check_tokens(tap, probe, data):
    folded = {c: to for to, words in data["token_fold"].items() for c in points(words)}
    codes = sorted(folded)
    brackets = points(data["less"]) | points(data["greater"])
    claim = Collected(tap, "F10 what folds to a letter of a token is in sets.json")
    for place, template in (("I", "[{}NST]"), ("s", "</{}>"), ("|", "<{}"), ("[", "{}INST]"), ("/", "[{}INST]")):
        # Not where a group of brackets would be spaced, or a token stand beside it.
        asked = [c for c in codes if c not in brackets and folded[c] != template[0]]
        for code, out in zip(asked, neutralized(probe, [template.format(chr(c)) for c in asked])):
            claim.check((" " in out) == (folded[code] == place), f"U+{code:04X} {ascii(out)}")
    claim.done()


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--write"]):
        sys.exit(__doc__)
    probe, tap = Probe(sys.argv[1]), Tap()
    patterns = library_patterns(probe)
    if sys.argv[3:]:
        write(patterns)
    check_patterns(tap, patterns)
    data = json.loads((SUITE / "sets.json").read_text(encoding="ascii"))
    check_sets(tap, data, library_sets(sys.argv[2]))
    check_normal(tap, data)
    if neutralized(probe, ["xpydata"]) == ["xpydata"]:
        tap.skip("F9, F10 what letters read as", "this library has no guards")
    else:
        check_keyword(tap, probe, data)
        check_tokens(tap, probe, data)
    tap.done()


if __name__ == "__main__":
    main()
