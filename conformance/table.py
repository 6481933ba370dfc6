#!/usr/bin/env python3
"""T4: the compiled table, judged by sources its generator did not use.

    table.py PATH_TO_TABLE_DUMP

Three judges: Debian's unicode-data 15.0.0, from which the sets are derived once
more, by other means and without a line of src/tables/generate.py; the ranges of
../shared/unicode, where that folder is present; and the normalization of this
Python, for the obligations C1 to C5 that the fence's proof rests on. The listed
variation sequences are judged by Debian's files. Prints TAP.
"""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unicodedata import normalize, unidata_version

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "unicode"
UCD = Path("/usr/share/unicode")
CODES = range(0x110000)
EVERY_CHARACTER = "".join(map(chr, CODES))

# In the order of the bits, with the sizes that were agreed on.
SIZES = {
    "STRIP_REFERENCE": 222,
    "STRIP_HARDENED": 3941,
    "CONTEXT_HARDENED": 367,
    "FENCE_IGNORABLE": 145684,
    "LESS": 34,
    "GREATER": 34,
    "STRIP_OUTPUT": 220,
    "MATCH_IGNORABLE": 4260,
    # What the context rules look for.
    "MARK": 1796,
    "VIRAMA": 65,
    "JOINING": 767,
    "LEADING": 124,
    "VOWEL": 94,
    "PICTOGRAPH": 2848,
    "IDEOGRAPH": 101996,
    "FIGURE": 2842,
}
NEIGHBOURS = list(SIZES)[8:]
VARIATION_COUNT = 2000
INVISIBLE_LETTERS = {0x115F, 0x1160, 0x3164, 0xFFA0, 0xFF9E, 0xFF9F}

# U+1171E AHOM CONSONANT SIGN MEDIAL RA was a nonspacing mark until 16.0.
CHANGED_SINCE_15 = {"FENCE_IGNORABLE": {0x1171E}, "MARK": {0x1171E}}


# -------------------------------------------------------------------- TAP

class Tap:
    count = failed = 0

    def ok(self, name, faults=()):
        """Passes if there are no faults: none at all, or an empty string, set
        or list of them."""
        self.count += 1
        self.failed += bool(faults)
        print(f"{'not ' if faults else ''}ok {self.count} - T4 {name}")
        if faults:
            print(f"# {faults if isinstance(faults, str) else spell(faults)}")

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - T4 {name} # SKIP {reason}")

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def spell(faults):
    words = [f"U+{fault:04X}" if isinstance(fault, int) else str(fault)
             for fault in sorted(faults)[:10]]
    return f"{len(faults)}: {' '.join(words)}"


# ------------------------------------------------------------ set algebra

def ranges(codes):
    """The longest runs of a set, as pairs."""
    runs = []
    for code in sorted(codes):
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return runs


def union(runs):
    return {code for low, high in runs for code in range(low, high + 1)}


def differences(actual, expected, scope=None):
    """The comparison all whole-set tests use: who is in one set only?"""
    found = actual.symmetric_difference(expected)
    return found if scope is None else found & scope


# ---------------------------------------------------------------- subjects

def read_dump(program):
    """(versions, rows, variations): what table_dump prints."""
    output = subprocess.run([program], check=True, capture_output=True,
                            text=True).stdout.splitlines()
    numbers = [tuple(int(field, 16) for field in line.split())
               for line in output[1:]]
    rows = [row for row in numbers if len(row) == 3]
    return output[0], rows, {pair for pair in numbers if len(pair) == 2}


def sets_of(rows):
    return {name: union((low, high) for low, high, sets in rows
                        if low in CODES and sets >> bit & 1)
            for bit, name in enumerate(SIZES)}


def gaps(rows):
    """Do the rows tile 0 to 10FFFF, each as long as it can be?"""
    expected, before, faults = 0, None, []
    for low, high, sets in rows:
        if low != expected or high < low or sets == before:
            faults.append(low)
        expected, before = high + 1, sets
    return faults + ([expected] if expected != 0x110000 else [])


# ------------------------------------------------ first judge: Unicode 15.0

def matching(character_class):
    """The code points that one regular expression class matches."""
    return set(map(ord, re.findall(character_class, EVERY_CHARACTER)))


def read_categories():
    """(general category by code point, code point by name)"""
    categories, names, first = ["Cn"] * len(CODES), {}, None
    with open(UCD / "UnicodeData.txt", encoding="ascii") as file:
        for line in file:
            code, name, category = line.split(";")[:3]
            code = int(code, 16)
            if name.endswith(", First>"):
                first = code
                continue
            start = first if name.endswith(", Last>") else code
            categories[start:code + 1] = [category] * (code + 1 - start)
            names[name] = code
    return categories, names


def read_binary_properties():
    found = {}
    for file_name in "PropList.txt", "DerivedCoreProperties.txt":
        text = (UCD / file_name).read_text(encoding="utf-8")
        for low, high, name in re.findall(
                r"^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*; (\w+)", text, re.M):
            found.setdefault(name, set()).update(
                range(int(low, 16), int(high or low, 16) + 1))
    return found


def derive_from_15(categories, names, has):
    """The sets as specification S1, S2, F4, M1 and M2 word them."""
    def category(*wanted):
        return {code for code in CODES if categories[code] in wanted}

    def named(*patterns):
        return {code for name, code in names.items()
                if any(re.fullmatch(pattern, name) for pattern in patterns)}

    hidden = has["Default_Ignorable_Code_Point"]
    reference = matching(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f"
                         r"\u202a-\u202e\u2028\u2029\u2060-\u206f\ufeff"
                         r"\U000e0000-\U000e007f]")
    context = matching(r"[\r\xad\u034f\u115f\u1160\u180b-\u180d\u180f\u200c"
                       r"\u200d\ufe00-\ufe0f\U0001bca0-\U0001bca3"
                       r"\U000e0020-\U000e007f\U000e0100-\U000e01ef]")
    nothing_visible = (hidden | has["Noncharacter_Code_Point"]
                       | category("Cc", "Zl", "Zp")) - matching(r"[\t\n]")
    sound_marks = named(r"HALFWIDTH KATAKANA (SEMI-)?VOICED SOUND MARK")
    empty_glyphs = named("BRAILLE PATTERN BLANK",
                         "MUSICAL SYMBOL NULL NOTEHEAD")
    more_empty_glyphs = named("KHITAN SMALL SCRIPT FILLER",
                              "(OBJECT )?REPLACEMENT CHARACTER")
    return {
        **derive_neighbours_from_15(category, has, hidden),
        "STRIP_REFERENCE": reference,
        "STRIP_HARDENED":
            (nothing_visible | named("INTERLINEAR ANNOTATION .*"))
            - context,
        "CONTEXT_HARDENED": context,
        "FENCE_IGNORABLE":
            nothing_visible | sound_marks | empty_glyphs | more_empty_glyphs
            | category("Mn", "Me", "Cf", "Cs", "Co")
            | (category("Zs") - matching(" ")),
        "LESS": matching(
            r"[<\xab\u02c2\u1438\u1444\u1445\u150c\u16b2\u2039\u226a\u226e"
            r"\u22d6\u22d8\u2329\u276c\u276e\u2770\u27e8\u27ea\u27ec\u27ee"
            r"\u2991\u2993\u2995\u29fc\u2cb4\u2cb5\u3008\u300a\ufe3d\ufe3f"
            r"\ufe64\uff1c\U0001d236]"),
        "GREATER": matching(
            r"[>\xbb\u02c3\u1433\u1437\u1440\u1441\u203a\u226b\u226f\u22d7"
            r"\u22d9\u232a\u276d\u276f\u2771\u27e9\u27eb\u27ed\u27ef\u2992"
            r"\u2994\u2996\u29fd\u2a20\u2aa5\u3009\u300b\ufe3e\ufe40\ufe65"
            r"\uff1e\U00016f3f\U0001d237]"),
        "STRIP_OUTPUT": reference - matching(r"[\u200c\u200d]"),
        "MATCH_IGNORABLE":
            ((nothing_visible - has["Noncharacter_Code_Point"])
             | category("Cf") | empty_glyphs)
            - has["Prepended_Concatenation_Mark"],
    }


def rows_of(name, wanted):
    """The code points of a data file whose row matches `wanted` behind them."""
    text = (UCD / name).read_text(encoding="utf-8")
    return union((int(low, 16), int(high or low, 16)) for low, high in
                 re.findall(rf"^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*{wanted}",
                            text, re.M))


def derive_neighbours_from_15(category, has, hidden):
    """What a joiner may stand beside, as S2 and unicode.md word it."""
    return {
        "MARK": category("Mn") - hidden,
        "VIRAMA": rows_of("extracted/DerivedCombiningClass.txt", r"9\b"),
        "JOINING": rows_of("ArabicShaping.txt", r"[^;]*;\s*[LRD]\b"),
        "LEADING": rows_of("HangulSyllableType.txt", r"L\b") - hidden,
        "VOWEL": rows_of("HangulSyllableType.txt", r"V\b") - hidden,
        # Symbols that are no emoji had the property too, until 16.0.
        "PICTOGRAPH": rows_of("emoji/emoji-data.txt", r"Extended_Pictographic")
        & rows_of("emoji/emoji-data.txt", r"Emoji\s*#"),
        "IDEOGRAPH": has["Unified_Ideograph"],
        "FIGURE": category("Nd", "Nl", "No", "Sm", "Sc"),
    }


def judge_variations(tap, variations):
    claim = "the variation sequences are the listed ones, and no other"
    if unusable_data():
        tap.skip(claim, unusable_data())
        return
    listed = set()
    for name in "StandardizedVariants.txt", "emoji/emoji-variation-sequences.txt":
        for line in (UCD / name).read_text(encoding="utf-8").splitlines():
            codes = line.partition("#")[0].partition(";")[0].split()
            if codes:
                listed.add(tuple(int(code, 16) for code in codes))
    tap.ok(claim, differences(variations, listed))
    tap.ok(f"there are {VARIATION_COUNT} of them",
           "" if len(listed) == VARIATION_COUNT else f"{len(listed)}")


def judge_by_15(tap, sets):
    claims = [f"{name} is what Unicode 15.0 says of every code point it knows"
              for name in SIZES]
    mutants = "dropping any range that 15.0 knows a character of is noticed"
    letters = "no other letter of 15.0 is invisible"
    reason = unusable_data()
    if reason:
        for claim in [*claims, mutants, letters]:
            tap.skip(claim, reason)
        return
    categories, names = read_categories()
    has = read_binary_properties()
    expected = derive_from_15(categories, names, has)
    known = ({code for code in CODES if categories[code] != "Cn"}
             | has["Default_Ignorable_Code_Point"]
             | has["Noncharacter_Code_Point"])

    def faults(name):
        found = differences(sets[name], expected[name], known)
        return found ^ CHANGED_SINCE_15.get(name, set())

    for name, claim in zip(SIZES, claims):
        tap.ok(claim, faults(name))
    tap.ok(mutants, unnoticed(sets, faults, known))
    tap.ok(letters, invisible(sets, {code for code in CODES
                                     if categories[code][0] == "L"}))


def unusable_data():
    """Why Debian's files cannot judge here, or an empty string."""
    files = ["UnicodeData.txt", "PropList.txt", "DerivedCoreProperties.txt",
             "ArabicShaping.txt", "HangulSyllableType.txt",
             "StandardizedVariants.txt", "emoji/emoji-data.txt",
             "emoji/emoji-variation-sequences.txt",
             "extracted/DerivedCombiningClass.txt"]
    if not all((UCD / name).exists() for name in files):
        return "unicode-data is not installed"
    with open(UCD / "PropList.txt", encoding="utf-8") as file:
        if file.readline() != "# PropList-15.0.0.txt\n":
            return "unicode-data is not 15.0.0"
    return ""


def unnoticed(sets, faults, scope=None):
    """The first code points of the ranges (of any set, within `scope`) whose
    loss `faults` does not report."""
    missed = set()
    for name, codes in sets.items():
        for low, high in ranges(codes):
            lost = set(range(low, high + 1))
            if scope is not None and scope.isdisjoint(lost):
                continue
            codes -= lost
            if not faults(name):
                missed.add(low)
            codes |= lost
    return missed


# ------------------------------------------------- second judge: ../shared

def read_c_arrays(path):
    """{array: list of (low, high)} of a header full of range arrays."""
    return {name: [(int(low, 16), int(high, 16)) for low, high in
                   re.findall(r"\{0x([0-9A-F]+),0x([0-9A-F]+)\}", body)]
            for name, body in re.findall(
                r"static const cp_range (\w+)\[\] = \{(.*?)\};",
                path.read_text(encoding="utf-8"), re.S)}


def read_shared():
    """The sets that ../shared knows: those of the stages from tables.h, what
    17.0 has properties for from ucd17.json. The rest is of 15.0 (see above)."""
    arrays = read_c_arrays(SHARED / "tables.h")
    has = json.loads((SHARED / "ucd17.json").read_text(encoding="ascii"))
    # ../shared keeps the controls of shorthand wherever they stand. Invisible
    # and in any number, they took a message into Latin text.
    shorthand = (0x1BCA0, 0x1BCA3)
    context = [*arrays["HARD_SAN_COND"], shorthand]
    hidden = union([*arrays["HARD_SAN_STRIP"], *context])
    return {
        "MARK": ranges(union(has["gc_Nonspacing_Mark"]) - hidden),
        "PICTOGRAPH": has["Extended_Pictographic"],
        "IDEOGRAPH": has["Unified_Ideograph"],
        "STRIP_REFERENCE": arrays["REF_INVISIBLE"],
        "STRIP_HARDENED": arrays["HARD_SAN_STRIP"],
        "CONTEXT_HARDENED": context,
        "FENCE_IGNORABLE": arrays["HARD_FENCE_IGNORABLE"],
        "LESS": arrays["HARD_FENCE_LESS"],
        "GREATER": arrays["HARD_FENCE_GREATER"],
        "STRIP_OUTPUT": [*arrays["REF_MOD_INVISIBLE"], (0xE0000, 0xE007F)],
        "MATCH_IGNORABLE": arrays["HARD_MOD_MATCH_DROP"],
    }


def wrong_edges(codes, runs):
    """Inside each edge is in, outside is out."""
    return {code for low, high in runs
            for code, inside in ((low, True), (high, True),
                                 (low - 1, False), (high + 1, False))
            if (code in codes) != inside and code in CODES}


def judge_by_shared(tap, sets):
    names = [name for name in SIZES
             if name not in ("VIRAMA", "JOINING", "LEADING", "VOWEL", "FIGURE")]
    edges = [f"{name} begins and ends where ../shared says, to the code point"
             for name in names]
    whole = [f"{name} is the set of ../shared" for name in names]
    mutants = "dropping any one range of these sets is noticed by ../shared"
    lookalikes = "whatever UTS #39 likens to a text with < or > is a bracket"
    if (SHARED / "tables.h").exists():
        runs = read_shared()
        expected = {name: union(runs[name]) for name in names}

        def faults(name):
            return differences(sets[name], expected[name])

        for name, claim in zip(names, edges):
            tap.ok(claim, wrong_edges(sets[name], runs[name]))
        for name, claim in zip(names, whole):
            tap.ok(claim, faults(name))
        tap.ok(mutants, unnoticed({name: sets[name] for name in names}, faults))
    else:
        for claim in [*edges, *whole, mutants]:
            tap.skip(claim, "no ../shared/unicode/tables.h")
    if (SHARED / "confusables.txt").exists():
        tap.ok(lookalikes, missing_lookalikes(sets))
    else:
        tap.skip(lookalikes, "no ../shared/unicode/confusables.txt")


def missing_lookalikes(sets):
    text = (SHARED / "confusables.txt").read_text(encoding="utf-8-sig")
    faults = set()
    for source, target in re.findall(
            r"^([0-9A-F]+) ;\s([0-9A-F ]+) ;", text, re.M):
        code, images = int(source, 16), target.split()
        fits = [name for name, image in (("LESS", "003C"), ("GREATER", "003E"))
                if image in images]
        if fits and not any(code in sets[name] for name in fits):
            faults.add(code)
    return faults


# ------------------------------------- third judge: Python's normalization

def readings():
    """{code: all texts that a normal form or case folding, or the one after
    the other, makes of it}; characters that stay themselves are left out."""
    forms = "NFC", "NFD", "NFKC", "NFKD"
    changing = {}
    for code in CODES:
        text = chr(code)
        folded = text.casefold()
        if text == folded == normalize("NFKD", text) == normalize("NFC", text):
            continue
        changing[code] = {folded} | {normalize(form, start) for form in forms
                                     for start in (text, folded)}
    return changing


def composites():
    """{code: first character of its canonical decomposition}, of those that
    NFC composes."""
    found = {}
    for code in CODES:
        parts = normalize("NFD", chr(code))
        if len(parts) > 1 and normalize("NFC", parts) == chr(code):
            found[code] = ord(parts[0])
    return found


def prove_c1(sets, texts):
    """A visible character that is no bracket never vanishes, and no bracket
    comes out of it."""
    ignorable = sets["FENCE_IGNORABLE"]
    brackets = sets["LESS"] | sets["GREATER"]
    return {code for code in texts.keys() - ignorable - brackets
            for text in texts[code]
            if ignorable.issuperset(map(ord, text))
            or not brackets.isdisjoint(map(ord, text))}


def prove_c2(sets, texts):
    """No bracket comes out of an ignorable."""
    brackets = sets["LESS"] | sets["GREATER"]
    return {code for code in texts.keys() & sets["FENCE_IGNORABLE"]
            for text in texts[code] if not brackets.isdisjoint(map(ord, text))}


def prove_c3(sets, texts):
    """A bracket stays a bracket of its class, with ignorables at most."""
    return {code for name in ("LESS", "GREATER")
            for code in texts.keys() & sets[name]
            for text in texts[code]
            if sets[name].isdisjoint(map(ord, text))
            or not set(map(ord, text)) <= sets[name] | sets["FENCE_IGNORABLE"]}


def prove_c4():
    """U+0020 never composes with the character after it."""
    return {code for code in CODES for form in ("NFC", "NFKC")
            if normalize(form, " " + chr(code))[0] != " "}


def prove_c5(sets, firsts):
    """What composes on a visible character that is no bracket, is another."""
    special = sets["FENCE_IGNORABLE"] | sets["LESS"] | sets["GREATER"]
    return {code for code, first in firsts.items()
            if code in special and first not in special}


def judge_by_normalization(tap, sets):
    texts, firsts = readings(), composites()
    by = f"({unidata_version})"
    tap.ok(f"C1 a visible non-bracket neither vanishes nor turns bracket {by}",
           prove_c1(sets, texts))
    tap.ok(f"C2 an ignorable never turns bracket {by}", prove_c2(sets, texts))
    tap.ok(f"C3 a bracket stays a bracket of its class {by}",
           prove_c3(sets, texts))
    tap.ok(f"C4 a space never composes with what follows it {by}", prove_c4())
    tap.ok(f"C5 a visible non-bracket composes to nothing else {by}",
           prove_c5(sets, firsts))

    def with_change(name, code):
        return {**sets, name: sets[name] ^ {code}}

    changes = {
        "C1: U+FF9E visible":
            prove_c1(with_change("FENCE_IGNORABLE", 0xFF9E), texts),
        "C1: U+FF1C no bracket": prove_c1(with_change("LESS", 0xFF1C), texts),
        "C2: U+FE64 ignorable":
            prove_c2(with_change("FENCE_IGNORABLE", 0xFE64), texts),
        "C3: `<` no bracket": prove_c3(with_change("LESS", 0x3C), texts),
        "C3: U+FF1E on both sides":
            prove_c3(with_change("LESS", 0xFF1E), texts),
        "C5: U+00C5 ignorable":
            prove_c5(with_change("FENCE_IGNORABLE", 0xC5), firsts),
    }
    tap.ok("a wrong set fails C1, C2, C3 and C5",
           [change for change, faults in changes.items() if not faults])


# ------------------------------------------------------- the table itself

def read_letters():
    """gc=L of Unicode 17.0, from the committed range file."""
    text = (ROOT / "src/tables/gc_Letter.txt").read_text(encoding="ascii")
    return union((int(low, 16), int(high or low, 16)) for low, high in
                 re.findall(r"^([0-9A-F]+)(?:\.\.([0-9A-F]+))?$", text, re.M))


def invisible(sets, letters):
    """How the letters in a strip or ignorable set differ from T4's list."""
    unseen = set().union(*(codes for name, codes in sets.items()
                           if name not in ("LESS", "GREATER", *NEIGHBOURS)))
    return differences(unseen & letters, INVISIBLE_LETTERS)


def walk(tap, sets):
    strip, context = sets["STRIP_HARDENED"], sets["CONTEXT_HARDENED"]
    fence = sets["FENCE_IGNORABLE"]
    less, greater = sets["LESS"], sets["GREATER"]
    everything = set().union(*sets.values())
    tap.ok("what reference strips, hardened strips or decides by context",
           sets["STRIP_REFERENCE"] - strip - context)
    tap.ok("what hardened strips or may strip, the fence ignores",
           (strip | context) - fence)
    tap.ok("what output and matching drop, the fence ignores",
           (sets["STRIP_OUTPUT"] | sets["MATCH_IGNORABLE"]) - fence)
    tap.ok("nothing is both stripped and decided by context", strip & context)
    tap.ok("no bracket is of both kinds", less & greater)
    tap.ok("no bracket is ignorable", (less | greater) & fence)
    tap.ok("what a joiner may stand beside always stays",
           set().union(*(sets[name] for name in NEIGHBOURS)) & (strip | context))
    tap.ok("space, TAB and LF are in no set", everything & {0x20, 0x09, 0x0A})
    tap.ok("no other letter of 17.0 is invisible",
           invisible(sets, read_letters()))
    for name, size in SIZES.items():
        tap.ok(f"{name} has {size} code points",
               "" if len(sets[name]) == size else f"has {len(sets[name])}")


# --------------------------------------------------------- the generator

def run_generator(root):
    return subprocess.run([sys.executable, root / "src/tables/generate.py",
                           "--check"], capture_output=True, text=True)


def complaint(result, wanted):
    """Empty if the generator refused in the wanted words."""
    if result.returncode == 1 and wanted in result.stderr:
        return ""
    return f"exit {result.returncode}, {result.stderr.strip()!r}"


def try_generator(tap):
    current = "the committed table is what the range files say"
    tampered = "generate.py --check notices one changed byte of the table"
    lost = "generate.py notices a line lost from a range file"
    reason = unusable_data()
    if reason:
        for claim in current, tampered, lost:
            tap.skip(claim, reason)
        return
    result = run_generator(ROOT)
    tap.ok(current, result.stderr if result.returncode else "")
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory)
        shutil.copytree(ROOT / "src/tables", copy / "src/tables")
        (copy / "src/text").mkdir()
        table = (ROOT / "src/text/table_data.c").read_text(encoding="ascii")
        (copy / "src/text/table_data.c").write_text(
            table.replace(",8,", ",0,", 1), encoding="ascii")
        tap.ok(tampered, complaint(run_generator(copy), "run generate.py"))
        path = copy / "src/tables/gc_Format.txt"
        path.write_text(path.read_text(encoding="ascii")
                        .replace("200B..200F\n", ""), encoding="ascii")
        tap.ok(lost, complaint(run_generator(copy), "gc_Format.txt: 20 ranges"))


def try_refusals(tap, sets):
    """Each rule the generator promises to enforce, broken by one code point."""
    location = ROOT / "src/tables/generate.py"
    spec = importlib.util.spec_from_file_location("generate", location)
    generator = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True  # no __pycache__ in the source tree
    spec.loader.exec_module(generator)
    letters = read_letters()
    faults = []
    for name, code, wanted in (
            ("STRIP_HARDENED", 0x200B, "STRIP_REFERENCE is not within"),
            ("CONTEXT_HARDENED", 0x200B, "STRIP_HARDENED and CONTEXT_HARDENED"),
            ("FENCE_IGNORABLE", 0xFE0F, "is not within FENCE_IGNORABLE"),
            ("FENCE_IGNORABLE", 0x2800, "MATCH_IGNORABLE is not within"),
            ("LESS", 0x3E, "LESS and GREATER"),
            ("FENCE_IGNORABLE", 0x3E, "LESS | GREATER and FENCE_IGNORABLE"),
            ("LESS", 0x20, "visible white space"),
            ("GREATER", 0x09, "visible white space"),
            ("FENCE_IGNORABLE", 0x0A, "visible white space"),
            ("FENCE_IGNORABLE", 0x61, "the closed list"),
            ("PICTOGRAPH", 0xFE0F, "PICTOGRAPH and STRIP_HARDENED"),
            ("MARK", 0x034F, "MARK and STRIP_HARDENED"),
            ("VOWEL", 0x1160, "VOWEL and STRIP_HARDENED")):
        broken = {**sets, name: sets[name] ^ {code}}
        try:
            generator.refuse_unsound(broken, letters)
            said = "nothing"
        except SystemExit as refusal:
            said = str(refusal.code)
        if wanted not in said:
            faults.append(f"{name} ^ U+{code:04X}: {said};")
    tap.ok("the generator refuses every unsound table", faults)


def main(arguments):
    if len(arguments) != 1:
        sys.exit("usage: table.py PATH_TO_TABLE_DUMP")
    tap = Tap()
    versions, rows, variations = read_dump(arguments[0])
    inside = [row for row in rows if row[0] in CODES]
    tap.ok("sets are of 17.0.0, other data of 15.0.0",
           "" if versions == "version 17.0.0 15.0.0" else versions)
    tap.ok("the table answers for every code point once", gaps(inside))
    # Stripped and ignored, neither a bracket nor a matter of context.
    tap.ok("beyond U+10FFFF everything is stripped and ignored",
           "" if [row[2] for row in rows[len(inside):]] == [0b11001011] * 4
           else str(rows[len(inside):]))
    sets = sets_of(inside)
    walk(tap, sets)
    judge_by_15(tap, sets)
    judge_variations(tap, variations)
    judge_by_shared(tap, sets)
    judge_by_normalization(tap, sets)
    try_generator(tap)
    try_refusals(tap, sets)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
