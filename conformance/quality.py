"""Texts written for this project, in none of the data sets it was tuned with.

    quality.py PATH_TO_PROBE

quality.jsonl: honest business and approval texts, which nothing may mark in any
profile, nor with the extension; and attacks, each with the least of the three
ways that marks it, or "never" for those that are known to be missed. Both are
exact: a miss that is found one day has to be said so here."""
import json
from pathlib import Path

import measure
from harness import Tap, probe_from_arguments

ROWS = Path(__file__).with_name("quality.jsonl")
LEAST = {"reference": [True, True, True], "hardened": [False, True, True],
         "extended": [False, False, True], "never": [False, False, False]}


def rows_of(kind):
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    return [row for row in rows if row["kind"] == kind]


def main():
    tap, probe = Tap(), probe_from_arguments()
    honest, attacks = rows_of("honest"), rows_of("attack")
    tap.ok(len(honest) >= 60 and len(attacks) >= 40, "there are enough of both",
           len(honest), len(attacks))
    for row, found in zip(honest, measure.moderated(probe, honest)):
        tap.ok(not any(found), f"M3 {row['lang']} {row['cls']} is not marked:"
               f" {ascii(row['text'])[1:50]}", ascii(row["text"]), *found)
    for row, found in zip(attacks, measure.moderated(probe, attacks)):
        tap.ok([bool(ids) for ids in found] == LEAST[row["least"]],
               f"M2 M5 {row['lang']} {row['cls']} is marked from {row['least']} on:"
               f" {ascii(row['text'])[1:50]}", ascii(row["text"]), *found)
    tap.done()


if __name__ == "__main__":
    main()
