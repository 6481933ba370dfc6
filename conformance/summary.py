#!/usr/bin/env python3
"""Count the claims of test runs: summary.py BUILD-DIRECTORY...

Reads what Meson kept of each test's output, repeats every failure and every
reason for skipping, and ends with the line "N passed, N failed". A test that
died before it reached its plan counts as a failure, whatever it printed."""
import json
import re
import sys
from collections import Counter
from pathlib import Path

LINE = re.compile(r"^(not ok|ok)\b\s*\d*\s*-?\s*(.*)$")


def read(build):
    path = Path(build, "meson-logs", "testlog.json")
    return [json.loads(line) for line in path.read_text().splitlines()]


def count(test, where, totals, failures, skips):
    failed_before = totals["failed"]
    for line in test.get("stdout", "").splitlines():
        match = LINE.match(line)
        if not match:
            continue
        outcome, claim = match.groups()
        if "# SKIP" in claim:
            totals["skipped"] += 1
            skips[claim.split("# SKIP", 1)[1].strip()] += 1
        elif outcome == "ok":
            totals["passed"] += 1
        else:
            totals["failed"] += 1
            failures.append(f"{where}: {test['name']}: {claim}")
    if test["result"] not in ("OK", "SKIP") and totals["failed"] == failed_before:
        totals["failed"] += 1
        failures.append(f"{where}: {test['name']}: {test['result']}")


def main(builds):
    totals, failures, skips = Counter(), [], Counter()
    for build in builds:
        tests = read(build)
        if not tests:
            failures.append(f"{build}: ran no test")
            totals["failed"] += 1
        for test in tests:
            count(test, build, totals, failures, skips)
    for reason, times in skips.items():
        print(f"skipped {times}: {reason}")
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{totals['passed']} passed, {totals['failed']} failed")
    return 0 if totals["passed"] and not totals["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
