"""How much is found, and how much is marked that should not be.

    measure.py PATH_TO_PROBE moderator | channels

moderator counts, in both profiles and with the extension, the marked texts among
the labelled ones of shared/data: injection.jsonl by language and by class (recall),
benign.jsonl by class, each mark on it with the text (false positives); and of
quality.jsonl, written by the author of the patterns, which flatters them. It is a
measurement, not a test: it ends with 0 whatever it finds. The part that must hold is tested by
false_positives.py. Most classes cannot be found by looking for phrases, and are
not meant to be: a low number here is what a reader should know, not a fault.

channels says how many hidden bits the hardened sanitizer lets through, by kind of
text and of character; channels.py holds it to these numbers."""
import json
import sys
from pathlib import Path

import channels
import model
from harness import SHARED, Probe

PROFILES = ("reference", "hardened")
WAYS = ("reference", "hardened", "extended")  # the last: hardened, more patterns
REQUESTS = ("moderate reference", "moderate hardened", "moderate_extended hardened")
INJECTION = SHARED / "data" / "injection.jsonl"
BENIGN = SHARED / "data" / "benign.jsonl"
OWN = Path(__file__).with_name("quality.jsonl")  # whose verdicts quality.py tests


def read(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def moderated(probe, rows):
    """Per row and way: the patterns that found it suspicious."""
    found = []
    for request in REQUESTS:
        answers = probe.ask(f"{request} {model.to_hex(row['text'])}" for row in rows)
        found.append([[word.split(":")[1] for word in answer.split(" ")
                       if word.startswith("s:")] for answer in answers])
    return list(zip(*found))


def visible(text, width=60):
    """One line for a terminal, with hidden characters as <U+200B>."""
    shown = "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in text)
    return shown if len(shown) <= width else shown[:width] + "..."


def table(title, rows, found, label):
    """Marked texts per value of `label`, largest groups first; subclasses, which
    follow a slash, are one class here."""
    groups = {}
    for row, patterns in zip(rows, found):
        groups.setdefault(row[label].partition("/")[0], []).append(patterns)
    title = f"{title}, by {label}"
    print(f"\n{title:44} {'texts':>6}" + "".join(f" {way:>15}" for way in WAYS))
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    for name, group in [*ordered, ("all", found)]:
        marked = [sum(bool(patterns[i]) for patterns in group) for i in range(len(WAYS))]
        shares = "".join(f"{m:8} {m / len(group):6.1%}" for m in marked)
        print(f"  {name:42} {len(group):6} {shares}")


def name_each(rows, found):
    print("\nbenign texts that are marked")
    for row, patterns in zip(rows, found):
        for way, ids in zip(WAYS, patterns):
            if ids:
                print(f"  {row['id']} {row['cls']}, {way}: {', '.join(ids)}:"
                      f" {visible(row['text'])}")
    if not any(map(any, found)):
        print("  none")


def own_texts(probe):
    rows = read(OWN)
    for kind in "attack", "honest":
        some = [row for row in rows if row["kind"] == kind]
        table(f"{kind}, of our own", some, moderated(probe, some), "cls")
    attacks = [row for row in rows if row["kind"] == "attack"]
    table("attack, of our own", attacks, moderated(probe, attacks), "lang")


def moderator(probe):
    own_texts(probe)
    for path in (INJECTION, BENIGN):
        if not path.exists():
            print(f"skipped: {path} is not there")
            return
    attacks, benign = read(INJECTION), read(BENIGN)
    found = moderated(probe, attacks)
    table("injections that are marked", attacks, found, "lang")
    table("injections that are marked", attacks, found, "cls")
    found = moderated(probe, benign)
    table("benign texts that are marked", benign, found, "cls")
    name_each(benign, found)


def hidden_channels(probe):
    channels.show(channels.measured(probe))


MEASUREMENTS = {"moderator": moderator, "channels": hidden_channels}


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in MEASUREMENTS:
        sys.exit(__doc__)
    sys.stdout.reconfigure(errors="backslashreplace")
    MEASUREMENTS[sys.argv[2]](Probe(sys.argv[1]))


if __name__ == "__main__":
    main()
