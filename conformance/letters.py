"""What a letter reads as (M2), for every code point.

    letters.py PATH_TO_PROBE

The table of src/moderate against Python's own Unicode, the look-alikes against
UTS #39 where ../shared is present, and the generated file against its generator."""
import subprocess
import sys
import unicodedata

from harness import ROOT, SHARED, Collected, Tap, probe_from_arguments
from model_moderate import LOOKALIKES, NOT_READ, letter

CONFUSABLES = SHARED / "unicode" / "confusables.txt"
SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE")


def library(probe):
    """{character: what the library reads it as}, surrogates left out."""
    codes = [c for c in range(0x110000) if not 0xd800 <= c < 0xe000]
    answers = probe.ask(f"letters {c:x}" for c in codes)
    return {chr(c): "".join(chr(int(word, 16)) for word in answer.split(" ")[1:])
            for c, answer in zip(codes, answers)}


def claims(tap, reads):
    same = Collected(tap, "M2 every letter reads as Python's NFKD, accents and"
                     " look-alikes say")
    kinds = Collected(tap, "M2 only letters, digits and marks read as something else,"
                      " and only as letters and digits: no punctuation, no window")
    stable = Collected(tap, "M2 what a letter reads as reads as itself, and is at most"
                       " three bytes for each of its own")
    negative = set(map(chr, (*range(0x1f150, 0x1f16a), *range(0x1f170, 0x1f18a))))
    for c, read in reads.items():
        known = unicodedata.category(c) != "Cn"  # newer than Python
        same.check(not known or read == letter(c), ascii(c), ascii(read))
        if read == c:
            continue
        shape = unicodedata.normalize("NFKD", c).strip("()")
        kinds.check(not known or c in negative or all(
            unicodedata.category(x)[0] in "LNM" for x in shape), ascii(c))
        kinds.check(all(unicodedata.category(x)[0] in "LN" for x in read), ascii(c))
        stable.check("".join(map(reads.get, read)) == read, ascii(c), ascii(read))
        stable.check(len(read.encode()) <= 3 * len(c.encode()), ascii(c))
    for collected in same, kinds, stable:
        collected.done()
    tap.ok(all(reads[c] == c for c in map(chr, range(128))), "M2 ASCII reads as itself")
    tap.ok(not any(ord(c) in NOT_READ for c, read in reads.items() if read != c),
           "M2 what is hidden is no letter")
    marks = "\u3002\uff1b\uff01\uff1f\uff0c\u3001\uff1a\uff08\u3010\uff1c\uff5c\uff3b\ufe50"
    tap.ok(all(reads[c] == c for c in marks),
           "M5 punctuation of either width stays what it is")
    for text, plain in (("\uff49\U0001d420\u24dd\U0001f17e\u0433\u00e9", "ignOre"),
                        ("\ufb03\u2166\u2f00\uf9a8", "ffiVII\u4e00\u4ee4"),
                        ("\u24a4", "i"), ("e\u0301", "e"), ("\u212a", "K")):
        got = "".join(map(reads.get, text))
        tap.ok(got == plain, f"M2 {ascii(text)} reads as {ascii(plain)}", ascii(got))


def like(tap, reads):
    if not CONFUSABLES.exists():
        tap.skip("M2 look-alikes are those of UTS #39", f"{CONFUSABLES} is not there")
        return
    theirs = {}
    for line in CONFUSABLES.read_text("utf-8-sig").splitlines():
        fields = line.partition("#")[0].split(";")
        if len(fields) == 3 and len(fields[0].split()) == 1:
            theirs[chr(int(fields[0], 16))] = "".join(
                chr(int(word, 16)) for word in fields[1].split())
    ours = {chr(int(code, 16)): to for to, codes in LOOKALIKES.items()
            for code in codes.split()}
    wrong = [ascii(c) for c, to in ours.items()
             if theirs.get(c) != to and (theirs.get(c), to) != ("l", "I")]
    tap.ok(not wrong, "M2 every look-alike is one in UTS #39", *wrong)
    missing = [ascii(c) for c, to in theirs.items()
               if len(to) == 1 and to.isascii() and to.isalpha() and not c.isascii()
               and unicodedata.category(c)[0] == "L"
               and unicodedata.name(c, "").startswith(SCRIPTS)
               and unicodedata.normalize("NFKD", c) == c and reads[c] == c]
    tap.ok(not missing, "M2 none of those scripts is left out", *missing)


def main():
    tap, probe = Tap(), probe_from_arguments()
    run = subprocess.run([sys.executable, ROOT / "src/tables/letters.py", "--check"],
                         capture_output=True, text=True, check=False)
    tap.ok(run.returncode == 0, "the committed letters are what Unicode says",
           *run.stderr.splitlines())
    reads = library(probe)
    claims(tap, reads)
    like(tap, reads)
    tap.done()


if __name__ == "__main__":
    main()
