#!/usr/bin/env python3
"""X5: `wicketgate execute` is killed with signal 9 at a random moment of its
life, 300 times, over SQLite ledgers: no grant runs its handler twice.

    crash.py PATH_TO_WICKETGATE [--seed N]

What there was when it died is read without the library: the handler's log, and
a copy of the ledger, by Python's sqlite3. Then it is started again with the
same grant."""
import base64
import collections
import concurrent.futures
import contextlib
import ctypes
import dataclasses
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

from harness import ROOT, Tap, arguments

KILLS = 300
NOW = 1786701600000
PROPOSAL = {"action": "refund_order", "target": "ORDER-1042", "parameters": {"amount": 350}}
CONTEXT = {"tenantId": "7d444840-9dc0-41d1-b245-5ffdce74fad2", "actor": {"id": "agent-7", "type": "ai"},
           "downstreamTarget": {"system": "pay", "operation": "refund"}, "idempotencyKey": "k-1"}
# One write() with O_APPEND per run; and some time on either side of it.
HANDLER = "#!/bin/sh\nsleep .001\necho run >>\"$1\"\nsleep .001\n"
SPENT = {"executed": False, "reason": "AUTHORIZATION_INVALID", "stage": "claim"}

BEFORE, CLAIMED, RAN = "before the claim", "between claim and handler", "after the handler's work"


# ---- processes ---------------------------------------------------------------

def adopt_orphans():
    """A handler outlives the command that is killed: it becomes our child, so
    that we can wait for it."""
    set_child_subreaper = 36
    if ctypes.CDLL(None, use_errno=True).prctl(set_child_subreaper, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def wait_for_orphans(kill):
    """Until no process is left of what was started; killed or in peace."""
    while True:
        if kill:
            for pid in pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
                os.kill(int(pid), signal.SIGKILL)  # not waited for: still there
        try:
            os.wait()
        except ChildProcessError:
            return


def run_and_kill(command, delay, everything):
    """Was it killed, or did it end before? With its handler, or alone."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGKILL)  # not waited for: still there
    code = process.wait()
    wait_for_orphans(kill=everything)
    return code == -signal.SIGKILL


# ---- grants and what became of them ------------------------------------------

@dataclasses.dataclass
class Grant:
    id: bytes
    command: list
    ledger: pathlib.Path
    log: pathlib.Path

    def execute(self):
        done = subprocess.run(self.command, capture_output=True, check=False, timeout=60)
        return json.loads(done.stdout or b"null")

    def runs(self):
        return self.log.read_text().count("run\n") if self.log.exists() else 0

    def is_claimed(self):
        """Is it in the ledger? A copy is asked, lest this read repair the file."""
        copy = self.ledger.with_suffix(".copy")
        for suffix in "", "-journal":
            pathlib.Path(f"{copy}{suffix}").unlink(missing_ok=True)
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(f"{self.ledger}{suffix}", f"{copy}{suffix}")
        if not copy.exists():
            return False
        with contextlib.closing(sqlite3.connect(copy)) as database:
            return database.execute("SELECT 1 FROM claims WHERE id = ?", [self.id]).fetchone() is not None

    def is_torn(self):
        journal = pathlib.Path(f"{self.ledger}-journal")
        return journal.exists() and journal.stat().st_size > 0


class Authority:
    """A key, an intent, and as many grants for it as wanted."""

    def __init__(self, wicketgate, directory):
        self.program, self.directory = wicketgate, directory
        self.count = 0
        self.handler = self.written("handler", HANDLER)
        self.handler.chmod(0o755)
        self.told("key", "generate", "--out", directory / "key")
        self.public = self.written("public", self.told("key", "public", directory / "key"))
        self.envelope = self.written("envelope", self.told(
            "intent", "capture", "--binding", "b", "--now", NOW, "--proposal", self.written("proposal", json.dumps(PROPOSAL)),
            "--context", self.written("context", json.dumps(CONTEXT))))

    def told(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, check=True).stdout

    def written(self, name, text):
        path = self.directory / name
        path.write_text(text)
        return path

    def grant(self, ledger, program):
        self.count += 1
        log = self.directory / f"log-{self.count}"
        decision = self.told("authority", "issue", "--unsafe-development", "--binding", "b", "--now", NOW,
                             "--key", self.directory / "key", "--envelope", self.envelope)
        fields = {"amount": {"type": "integer", "minimum": 1}}
        actions = {"refund_order": {"parameters": fields, "handler": [str(self.handler), str(log)]}}
        command = [program, "execute", "--binding", "b", "--envelope", self.envelope, "--now", str(NOW), "--public-key", self.public,
                   "--decision", self.written(f"decision-{self.count}", decision),
                   "--actions", self.written(f"actions-{self.count}", json.dumps(actions)),
                   "--ledger", "memory" if ledger is None else f"sqlite:{ledger}", "--unsafe-development"]
        return Grant(grant_id(decision), command, ledger or self.directory / "none", log)


def grant_id(decision):
    """The token's jti, where the ledger has it from."""
    claims = json.loads(decision)["authorization"]["token"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["jti"].encode()


# ---- killing -----------------------------------------------------------------

class Crashes:
    """Commands killed, and what was wrong with what they left."""

    def __init__(self, authority, rng, program=None, forgetful=False):
        self.authority, self.rng, self.forgetful = authority, rng, forgetful
        self.program = program or authority.program
        self.grants, self.where, self.faults = [], collections.Counter(), collections.defaultdict(list)
        self.torn = self.unkilled = 0
        self.whole_run = .02  # seconds a command takes that nobody kills

    def ledger(self):
        """Every ten grants a new one: making it is a moment to die in as well."""
        if self.forgetful:
            return None
        return self.authority.directory / f"ledger-{id(self)}-{len(self.grants) // 10}"

    def timed(self, grant):
        begin = time.monotonic()
        answer = grant.execute()
        if answer is not None and answer["executed"]:
            self.whole_run = .8 * self.whole_run + .2 * (time.monotonic() - begin)
        return answer

    def kill_one(self):
        grant = self.authority.grant(self.ledger(), self.program)
        delay = self.rng.uniform(0, 1.05) * self.whole_run
        self.grants.append(grant)
        if not run_and_kill(grant.command, delay, everything=self.rng.random() < .5):
            self.unkilled += 1
            return
        self.torn += grant.is_torn()
        claimed, ran = grant.is_claimed(), grant.runs()
        self.where[RAN if ran else CLAIMED if claimed else BEFORE] += 1
        if ran and not claimed:
            self.faults["ran unclaimed"].append(grant.id)
        answer = self.timed(grant)
        if claimed and answer != SPENT:
            self.faults["reopened"].append((grant.id, answer))
        if not claimed and not ran and (answer is None or not answer["executed"]):
            self.faults["lost"].append((grant.id, answer))

    def kill(self, count):
        for _ in range(5):
            self.timed(self.authority.grant(self.ledger(), self.program))
        while sum(self.where.values()) < count and self.unkilled < count:
            self.kill_one()
        for grant in self.grants:
            if grant.execute() != SPENT:
                self.faults["not spent at the end"].append(grant.id)
        self.faults["ran twice"] = [grant.id for grant in self.grants if grant.runs() > 1]
        return self


def killed(tap, authority, rng):
    crashes = Crashes(authority, rng).kill(KILLS)
    where, faults = crashes.where, crashes.faults
    print(f"# {crashes.unkilled} more ended before they were killed; {crashes.torn} left a transaction half done")
    tap.ok(sum(where.values()) == KILLS and not faults["ran twice"],
           f"X5 {KILLS} times kill -9: the handler ran 0 or 1 times per grant, never 2", faults["ran twice"])
    tap.ok(not faults["ran unclaimed"], "X5 the handler had run: its claim is in the ledger", faults["ran unclaimed"])
    tap.ok(not faults["reopened"], "X5 the claim was in the ledger: started again, AUTHORIZATION_INVALID", faults["reopened"])
    tap.ok(not faults["lost"], "X4 no claim was in the ledger: started again, it executes", faults["lost"])
    tap.ok(not faults["not spent at the end"], "X5 in the end each grant is spent", faults["not spent at the end"])
    ledgers = {grant.ledger for grant in crashes.grants}
    torn = [path for path in ledgers if not is_sound(path)]
    tap.ok(not torn, f"X5 and {len(ledgers)} ledgers are sound", torn)
    counts = ", ".join(f"{where[moment]} {moment}" for moment in (BEFORE, CLAIMED, RAN))
    tap.ok(min(where[moment] for moment in (BEFORE, CLAIMED, RAN)) >= 5, f"R2 they were killed at all moments: {counts}")


def is_sound(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


# ---- a test that can fail ----------------------------------------------------

STEPS = "	{ WKG_STAGE_CLAIM, claim },\n	{ WKG_STAGE_RECHECK, recheck },\n	{ WKG_STAGE_RUN, run_handler },\n"
PLANTED = {
    "the handler runs before the claim": ("src/gate/executor.c", STEPS, "".join(reversed(STEPS.splitlines(True)))),
    "the claim is granted before it is committed": (
        "src/gate/ledger_sqlite.c", "!run_with(l, FORGET, floor_ms) || !run(l, COMMIT)", "!run_with(l, FORGET, floor_ms)"),
}


class Builds:
    """The command from sources, each compiled once; a bug costs one file more."""

    def __init__(self, directory):
        self.directory = directory
        sources = [path for path in (ROOT / "src").glob("*/*.c")
                   if path.name != "ledger_redis.c" and not path.name.startswith("demo")]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.objects = dict(zip(sources, pool.map(self.compiled, sources)))

    def compiled(self, source, text=None):
        target = self.directory / f"{source.parent.name}-{source.stem}{'-planted' if text else ''}.o"
        command = ["cc", "-std=c11", "-w", "-DWKG_WITH_SQLITE", "-I", ROOT / "include", "-x", "c", "-c", "-", "-o", target]
        subprocess.run(command, input=text or source.read_text(), text=True, check=True, cwd=source.parent)
        return target

    def planted(self, name):
        file, old, new = PLANTED[name]
        clean = (ROOT / file).read_text()
        if clean.count(old) != 1:
            return None
        objects = {**self.objects, ROOT / file: self.compiled(ROOT / file, clean.replace(old, new))}
        program = self.directory / "planted"
        libraries = ["-lpcre2-8", "-lcrypto", "-lsqlite3", "-lpthread"]
        subprocess.run(["cc", *objects.values(), *libraries, "-o", program], check=True)
        return program


def reverse(tap, authority, rng):
    forgetful = Crashes(authority, rng, forgetful=True).kill(20).faults
    tap.ok(forgetful["ran twice"] and forgetful["ran unclaimed"],
           "R2 a ledger that forgets is noticed", dict(forgetful))
    builds = Builds(authority.directory)
    for name in PLANTED:
        program = builds.planted(name)
        faults = Crashes(authority, rng, program).kill(25).faults if program else {"ran twice": None}
        tap.ok(faults["ran twice"], f"R2 planted, it is noticed: {name}", program, dict(faults))


def main():
    given = arguments("wicketgate")
    tap, rng, wicketgate = Tap(), random.Random(given.seed), os.path.abspath(given.wicketgate)
    if "sqlite" not in subprocess.run([wicketgate, "version"], capture_output=True, text=True, check=True).stdout:
        tap.skip("X5 kill -9", "built without SQLite")
        tap.done()
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="wkg-crash-") as name:
        authority = Authority(wicketgate, pathlib.Path(name))
        killed(tap, authority, rng)
        reverse(tap, authority, rng)
    tap.done()


if __name__ == "__main__":
    main()
