#!/usr/bin/env python3
"""The adapters of the tree against the conformance suite: what they claim, they keep.

suite_adapters.py RUNNER C_ADAPTER [WORD...]
    c           the C adapter only (instrumented builds)
    no-sqlite   the library was built without SQLite, so the C adapter cannot reopen a ledger

Node and Java were written from SPEC.md, not from src/: where one of them and the library
disagree, one of the two has read a rule wrongly, or the rule can be read so.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from harness import Tap

HERE = pathlib.Path(__file__).resolve().parent
ADAPTERS = HERE / "adapters"
ALL = ["sanitize", "fence", "moderate", "intent", "grant"]
WITHOUT_SQLITE = "UNPROVEN: store.reopen is not among its operations"

# Bugs planted in a copy of the Node adapter, and the property or vector that must fail.
PLANTED = {
    "groups of two brackets stay": ("group.length > 1 && !pair", "group.length > 2 && !pair", "P-FN1"),
    "the cut comes before the strip": ("const formed = wellFormed(text), result", "const formed = wellFormed(text.slice(0, limit)), result", "P-SA2"),
    "names in the order of a locale": ("return a < b ? -1 : a > b ? 1 : 0;", "return a.localeCompare(b);", "P-IN3"),
    "a ledger that looks first and claims later": (
        "		return this.claimNow(id, expires_s, now);", "		return free && (this.claims.delete(id), this.claimNow(id, expires_s, now));", "P-GR1"),
}
FREE = ("		await new Promise(setImmediate);", "		const free = !this.claims.has(id);\n		await new Promise(setImmediate);")


def node():
    path = shutil.which("node")
    if not path:
        return None, "no node is installed"
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    if int(version.lstrip("v").split(".")[0] or 0) < 18:
        return None, f"node {version.strip()} is older than 18"
    return [path, ADAPTERS / "node" / "adapter.js"], None


def java(directory):
    """Compiled once: the suite starts a dozen processes."""
    java_, javac = shutil.which("java"), shutil.which("javac")
    if not java_ or not javac:
        return None, "no JDK is installed"
    compiled = subprocess.run([javac, "-Xlint:all", "-Werror", "-d", directory, ADAPTERS / "java" / "Adapter.java"],
                              capture_output=True, text=True, check=False)
    if "invalid flag" in compiled.stderr or "release version" in compiled.stderr:
        return None, "this JDK is older than 17"
    if compiled.returncode:
        return ["false"], compiled.stderr
    return [java_, "-XX:+UseSerialGC", "-cp", directory, "Adapter", HERE / "suite"], None


def run(runner, command, directory, *options):
    report = pathlib.Path(directory) / "report.json"
    report.unlink(missing_ok=True)
    began = time.monotonic()
    done = subprocess.run([runner, "run", "--patience", "3", "--json", report, *options, "--", *command],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    taken = time.monotonic() - began
    return done, json.loads(report.read_text(encoding="ascii")) if report.exists() else {}, taken


def check(tap, name, runner, command, directory, components, lasting=True):
    done, report, taken = run(runner, command, directory, *([] if lasting else ["--allow-partial"]))
    results, footer = report.get("results", []), report.get("footer", {})
    bad = [f"{r['id']} {r['verdict']}: {r.get('detail')}" for r in results
           if r["verdict"] in ("FAIL", "SKIPPED", "UNPROVEN") and r["level"] == "MUST"]
    passed = [r for r in results if r["verdict"] == "PASS"]
    if not lasting:
        tap.skip(f"the {name} adapter keeps what was spent when its ledger is opened again", "built without SQLite")
        bad = [line for line in bad if not line.endswith(WITHOUT_SQLITE)]
    verdict = "CONFORMANT" if lasting else "PARTIAL"
    tap.ok(done.returncode == 0 and footer.get("verdict") == verdict and not bad,
           f"the {name} adapter passes every MUST of {', '.join(components)} "
           f"({len(passed)} of {len(results)}, {taken:.0f} s)", f"exit {done.returncode}", *bad[:20],
           *done.stdout.splitlines()[-3:], *done.stderr.splitlines()[-5:])
    claimed = report.get("header", {}).get("components")
    tap.ok(claimed == components, f"... and claims these: {claimed}")
    tap.ok({r["component"] for r in passed} >= set(components), "... with something passed in each")


def check_planted(tap, runner, command, directory):
    """This test can fail: an adapter with a bug does not pass."""
    source = (ADAPTERS / "node" / "adapter.js").read_text(encoding="utf-8")
    copy = pathlib.Path(directory) / "adapters" / "node" / "adapter.js"
    copy.parent.mkdir(parents=True)
    (pathlib.Path(directory) / "suite").symlink_to(HERE / "suite")
    for what, (right, wrong, name) in PLANTED.items():
        broken = source.replace(*FREE).replace(right, wrong)
        copy.write_text(broken, encoding="utf-8")
        done, report, _ = run(runner, [command[0], copy], directory, "--only", name)
        verdicts = {r["id"]: r["verdict"] for r in report.get("results", [])}
        tap.ok(right in source and FREE[0] in source and done.returncode == 1 and verdicts.get(name) == "FAIL",
               f"R2 {name} notices: {what}", f"exit {done.returncode}", verdicts)


def main():
    words = set(sys.argv[3:])
    if len(sys.argv) < 3 or words - {"c", "no-sqlite"}:
        sys.exit(__doc__)
    runner, c_adapter = sys.argv[1:3]
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="wicketgate-adapters-") as directory:
        check(tap, "C", runner, [c_adapter], directory, ALL, "no-sqlite" not in words)
        others = {} if "c" in words else {"Node": node(), "Java": java(directory)}
        for name, (command, why) in others.items():
            if command is None:
                tap.skip(f"the {name} adapter passes every MUST that it claims", why)
            else:
                check(tap, name, runner, command, directory, ALL)
        if others.get("Node", (None,))[0]:
            check_planted(tap, runner, others["Node"][0], directory)
    tap.done()


if __name__ == "__main__":
    main()
