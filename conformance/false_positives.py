"""No text of a business is marked (M3, M5): a mark on honest text teaches the
reviewer to ignore marks.

    false_positives.py PATH_TO_PROBE

The rows of shared/data/benign.jsonl that come from business systems, in both
profiles and with the extension: none may be marked. The rest of that file is measured, not demanded
(`./dev measure moderator`)."""
import measure
import model
from harness import Tap, probe_from_arguments

CLASSES = ("zh-business", "zh-approval", "en-business")


def main():
    tap, probe = Tap(), probe_from_arguments()
    if not measure.BENIGN.exists():
        tap.skip("M3 no business text is marked", f"{measure.BENIGN} is not there")
        tap.done()
    rows = measure.read(measure.BENIGN)
    for name in CLASSES:
        some = [row for row in rows if row["cls"] == name]
        found = measure.moderated(probe, some)
        marked = [f"{row['id']}, {way}: {', '.join(ids)}: {row['text'][:200]}"
                  for row, patterns in zip(some, found)
                  for way, ids in zip(measure.WAYS, patterns) if ids]
        tap.ok(some and not marked, f"M3 none of {len(some)} texts of {name} is marked",
               *marked)
    fence(tap, probe)
    tap.done()


def fence(tap, probe):
    """What the guards cost: they may touch honest text, but rarely."""
    for path in measure.BENIGN, measure.BENIGN.with_name("injection.jsonl"):
        rows = measure.read(path)
        texts = [row["text"] for row in rows]
        for operation in "neutralize hardened", "inline hardened", "neutralize reference":
            answers = probe.ask(f"{operation} {model.to_hex(t)}" for t in texts)
            outs = [model.from_hex(a.split(" ")[1]).decode() for a in answers]
            wrong = [row["id"] for row, text, out in zip(rows, texts, outs)
                     if not is_subsequence(text, out)]
            tap.ok(rows and not wrong, f"F3 {operation} only inserts into {len(rows)}"
                   f" texts of {path.name}", *wrong)
            changed = [row["id"] for row, text, out in zip(rows, texts, outs) if text != out]
            if path == measure.BENIGN and operation == "neutralize hardened":
                tap.ok(len(changed) <= 5, f"F9 F10 at most 5 of {len(rows)} benign texts"
                       f" are altered ({len(changed)})", *changed)


def is_subsequence(text, out):
    """Is `out` the text with nothing but spaces and `~` more?"""
    rest = iter(out)
    skipped = [c for want in text for c in iter(lambda: next(rest, want), want)]
    return set(skipped) | set(rest) <= set(" ~")


if __name__ == "__main__":
    main()
