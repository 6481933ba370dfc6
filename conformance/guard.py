"""F9, F10: the table of the guards, judged by sources its generator did not use.

    guard.py PATH_TO_GUARD_DUMP

The judges are model.py, which derives the readings once more from the
normalization of this Python, and the whole confusables.txt in ../shared."""
import re
import subprocess
import sys
import tempfile
import shutil
from pathlib import Path
from unicodedata import category

import model
from harness import ROOT, SHARED, Tap

KEYWORD = "xpydata"


def behaviour(keyword, passed):
    """All that a reading can do to a search: from each number of letters found,
    how many there are then (None: it is another word), and does one begin?"""
    def after(found):
        if passed and found > 1:
            return found
        for c in keyword:
            if found == len(KEYWORD):
                break
            if c != KEYWORD[found]:
                return None
            found += 1
        return found
    return tuple(map(after, range(1, len(KEYWORD)))), keyword[-1:] == "x"


NOTHING = behaviour("#", False), "#"


def expected(code):
    keyword, token = model.letters(chr(code)), model.compatible(chr(code))
    known = any(token in t for t in model.TOKENS)
    passed = keyword == "X"
    return behaviour(keyword.lower(), passed), token if known else "#"


def judged(code):
    """Does one of the sources of model.py know the character?"""
    return (category(chr(code)) != "Cn" or chr(code) in model.NEWER
            or chr(code) in model.CONFUSABLE or code in model.PASSED_OVER)


def read_dump(program):
    lines = subprocess.run([program], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    runs = [line.split(" ") for line in lines if not line.startswith("token ")]
    tokens = [line.partition(" ")[2] for line in lines if line.startswith("token ")]
    return [(int(first, 16), int(last, 16), keyword.strip("-"), token, passed == "1")
            for first, last, keyword, token, passed in runs], tokens


def compare(tap, runs):
    """Every code point; and no run could be lost without a complaint."""
    wrong, unnoticed, seen = [], [], set()
    for first, last, keyword, token, passed in runs:
        got = behaviour(keyword, passed), token
        some = [c for c in range(first, last + 1)
                if c not in model.IGNORABLE and judged(c)]
        seen.update(some)
        wrong += [hex(c) for c in some if expected(c) != got]
        if got != NOTHING and some and all(expected(c) == NOTHING for c in some):
            unnoticed.append(hex(first))
    tap.ok(seen and not wrong, f"F9 F10 {len(seen):,} code points are read as the model"
           " reads them", wrong[:20])
    beyond = [hex(c) for c in range(runs[-1][1] + 1, 0x110000)
              if c not in model.IGNORABLE and judged(c) and expected(c) != NOTHING]
    tap.ok(not beyond, "F9 F10 nothing beyond the table is read", beyond[:20])
    new = [hex(first) for first, last, *reading in runs
           if (behaviour(reading[0], reading[2]), reading[1]) != NOTHING
           and not any(judged(c) for c in range(first, last + 1))]
    tap.ok(not unnoticed and not new, "F9 F10 dropping any one run of the table is"
           " noticed", unnoticed[:20], new[:20])


def generator(tap):
    names = ("the committed table is what its inputs say",
             "guard.py --check notices one changed byte")
    if not Path("/usr/share/unicode/CaseFolding.txt").exists():
        for name in names:
            tap.skip(f"F9 F10 {name}", "unicode-data is not installed")
        return
    def check(root):
        return subprocess.run([sys.executable, root / "src/tables/guard.py", "--check"],
                              capture_output=True, text=True)
    run = check(ROOT)
    tap.ok(run.returncode == 0, f"F9 F10 {names[0]}", run.stderr)
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory)
        shutil.copytree(ROOT / "src/tables", copy / "src/tables")
        (copy / "src/text").mkdir()
        text = (ROOT / "src/text/guard_data.c").read_text("ascii")
        (copy / "src/text/guard_data.c").write_text(text.replace(",1,", ",0,", 1), "ascii")
        run = check(copy)
        tap.ok(run.returncode == 1 and "run guard.py" in run.stderr,
               f"F9 F10 {names[1]}", run.stderr)


def whole_confusables(tap):
    """Does a line of UTS #39 that we left out lead to a letter we read?"""
    path = SHARED / "unicode" / "confusables.txt"
    name = "F9 the lines of UTS #39 that were left out change no reading"
    if not path.exists():
        tap.skip(name, f"{path} is not there")
        return
    def behaviours():
        model.letters.cache_clear()
        return {c: behaviour(model.letters(c).lower(), False) for c in sources}
    lines = re.findall("^([0-9A-F]+) ;\t([0-9A-F ]+) ;", path.read_text("utf-8-sig"), re.M)
    sources = [chr(int(source, 16)) for source, _ in lines]
    before = behaviours()
    kept = dict(model.CONFUSABLE)
    model.CONFUSABLE.update({chr(int(source, 16)): "".join(
        chr(int(c, 16)) for c in target.split()) for source, target in lines})
    after = behaviours()
    model.CONFUSABLE.clear()
    model.CONFUSABLE.update(kept)
    model.letters.cache_clear()
    # Of what UTS #39 likens to punctuation only our own list is passed over.
    lost = [hex(ord(c)) for c in sources if before[c] != after[c]]
    tap.ok(not lost, f"{name} ({len(sources):,} lines)", lost[:20])


def main(program):
    tap = Tap()
    runs, tokens = read_dump(program)
    compare(tap, runs)
    tap.ok(sorted(model.TOKENS) == tokens, "F10 the tokens are those of the model, sorted",
           tokens)
    generator(tap)
    whole_confusables(tap)
    tap.done()


if __name__ == "__main__":
    main(sys.argv[1])
