"""What the tests in Python share: TAP, and the probe's line protocol."""
import argparse
import pathlib
import re
import subprocess
import sys

import model

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"  # reference material; may be absent


class Tap:
    """Test Anything Protocol; the plan comes last, when it is known."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, holds, name, *details):
        self.count += 1
        self.failed += not holds
        print(f"{'ok' if holds else 'not ok'} {self.count} - {escaped(name)}")
        if not holds:
            for detail in details:
                print(f"#   {escaped(detail)}"[:1000])
        return holds

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {escaped(name)} # SKIP {reason}")

    def done(self):
        print(f"1..{self.count}", flush=True)
        sys.exit(1 if self.failed else 0)


class Collected:
    """One TAP line for many cases: how many, and the first that failed."""

    def __init__(self, tap, name):
        self.tap, self.name = tap, name
        self.cases, self.failures = 0, 0
        self.shown = []

    def check(self, holds, *details):
        self.cases += 1
        self.failures += not holds
        if not holds:
            self.explain(*details)
        return holds

    def explain(self, *details):
        if len(self.shown) < 12:
            self.shown += map(readable, details)

    def done(self):
        if not self.cases:
            self.failures = 1
        count = f"{self.cases:,} cases"
        if self.failures:
            count += f", {self.failures:,} failed"
        self.tap.ok(not self.failures, f"{self.name} ({count})", *self.shown)


def escaped(text):
    """Printable ASCII, hidden and wide characters as escapes."""
    return str(text).encode("ascii", "backslashreplace").decode() \
        .replace("\n", "\\n").replace("\r", "\\r")


def readable(detail):
    """A request or an answer with its hex fields as escaped bytes; anything
    else as it is."""
    if isinstance(detail, bytes):
        return ascii(detail)
    if not PROTOCOL.match(str(detail)):
        return str(detail)
    return " ".join(map(readable_field, detail.split(" ")))


PROTOCOL = re.compile("(OK|utf8|sanitize|neutralize|inline|fence|payload|trigger|json|quote"
                      "|needs_fence|moderate|moderate_json|moderate_extended|render) ")


def readable_field(field):
    note = re.fullmatch("([td]:|[std]:[a-z0-9-]*:[0-9]+:[0-9]+:)([0-9a-f]+)([+]?)",
                        field)
    if note:
        return note[1] + ascii(bytes.fromhex(note[2]))[1:] + note[3]
    is_text = (len(field) % 2 == 0 and re.fullmatch("[0-9a-f]+", field)
               and (len(field) >= 6 or re.search("[a-f]", field)))
    return ascii(bytes.fromhex(field))[1:] if is_text else field


class Probe:
    """conformance/probe.c, one run per batch of requests."""

    def __init__(self, path):
        self.path = path

    def ask(self, requests):
        requests = list(requests)
        run = subprocess.run([self.path], input="\n".join(requests + [""]),
                             capture_output=True, text=True, check=False)
        answers = run.stdout.splitlines()
        if run.returncode != 0 or len(answers) != len(requests):
            where = requests[min(len(answers), len(requests) - 1)]
            print(f"# probe: exit {run.returncode} after {len(answers)} of "
                  f"{len(requests)} answers, near {readable(where)[:400]}")
            for line in run.stderr.splitlines()[:40]:
                print(f"# {escaped(line)}")
            print("Bail out! the probe died", flush=True)
            sys.exit(1)
        return answers


def compare(tap, name, probe, requests, oracle=model.answer):
    """The probe and the model answer every request alike. Returns the answers."""
    requests = list(requests)
    answers = probe.ask(requests)
    all_of_them = Collected(tap, name)
    for request, got in zip(requests, answers):
        expected = oracle(request)
        if not all_of_them.check(model.agrees(got, expected)):
            all_of_them.explain(f"request  {readable(request)}",
                                *apart(readable(got), readable(expected)))
    all_of_them.done()
    return answers


def apart(got, expected):
    """Two answers, from shortly before the place where they differ."""
    at = next((i for i, pair in enumerate(zip(got, expected)) if len(set(pair)) > 1), 0)
    start = max(0, at - 60)
    return [f"got      {'...' * (start > 0)}{got[start:]}",
            f"expected {'...' * (start > 0)}{expected[start:]}"]


def arguments(*programs, **numbers):
    """What a test is called with: the programs that it asks, and numbers with a default, which
    are printed, so that a failure can be had again. One of them is --seed."""
    options = argparse.ArgumentParser()
    numbers = {"seed": 20261130} | numbers
    for name in programs:
        options.add_argument(name)
    for name, default in numbers.items():
        options.add_argument(f"--{name}", type=int, default=default)
    given = options.parse_args()
    print("# " + ", ".join(f"{name} {getattr(given, name)}" for name in numbers))
    return given


def probe_from_arguments():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} PATH_TO_PROBE")
    return Probe(sys.argv[1])
