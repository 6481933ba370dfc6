#!/usr/bin/env python3
"""No input makes the work grow faster than about linearly.

    growth.py PATH_TO_WICKETGATE_BENCH

Counts the instructions of `wicketgate-bench growth --once CASE N` under
valgrind instead of timing it, so the answer is the same on a busy machine.
Doubling the input doubles linear work, adds a little for a factor of log n, and
multiplies quadratic work by four.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

from harness import Tap

LIMIT = 2.6  # n log n gives 2.2 at these sizes
VALGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]


def instructions(bench, case, size):
    """How many instructions one run of `case` at `size` takes."""
    done = subprocess.run([*VALGRIND, bench, "growth", "--once", case, str(size)],
                          capture_output=True, text=True, timeout=300)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not collected:
        raise RuntimeError(f"{case} {size}: exit {done.returncode}: {done.stderr[-300:]}")
    return int(collected[1])


def growth(bench, case, largest):
    """Work at 2n over work at n, start-up and anything constant left out."""
    n = min(largest // 64, 4096)  # `largest` is meant for a clock
    nothing, once, twice = (instructions(bench, case, size) for size in (0, n, 2 * n))
    return n, (twice - nothing) / (once - nothing)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    bench = sys.argv[1]
    tap = Tap()
    if not shutil.which("valgrind"):
        tap.skip("work grows about linearly", "valgrind is not installed")
        tap.done()

    listed = subprocess.run([bench, "growth", "--list"], check=True, capture_output=True, text=True)
    cases = [line.split() for line in listed.stdout.splitlines()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [(name, pool.submit(growth, bench, name, int(largest))) for name, largest in cases]
        for name, run in runs:
            try:
                n, ratio = run.result()
            except (RuntimeError, subprocess.TimeoutExpired, ZeroDivisionError) as error:
                tap.ok(False, f"{name} runs", str(error))
                continue
            # Below 1.5 the case does not measure its input at all.
            tap.ok(1.5 < ratio < LIMIT, f"{name} doubles with its input: x{ratio:.2f} from {n} to {2 * n}")
    tap.ok(len(cases) > 0, f"{len(cases)} cases")
    tap.done()


if __name__ == "__main__":
    main()
