"""No text of a business is marked (M3, M5): a mark on honest text teaches the
reviewer to ignore marks.

    false_positives.py PATH_TO_PROBE

The rows of shared/data/benign.jsonl that come from business systems, in both
profiles and with the extension: none may be marked. The rest of that file is measured, not demanded
(`./dev measure moderator`)."""
import measure
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
    tap.done()


if __name__ == "__main__":
    main()
