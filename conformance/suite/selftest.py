#!/usr/bin/env python3
"""Can the suite fail? Bugs are planted in an implementation, adapters that know nothing are run,
bugs are planted in the runner itself, and vectors are taken away: all of it has to be noticed.

    selftest.py RUNNER [--seeds N] [--jobs N] [--part mutants,empty,runner,corpus] [--only IDS]

`wicketgate-conformance selftest` calls this. Needs Python 3.11, and for the part `runner` a C
compiler with cJSON and OpenSSL."""
import argparse
import collections
import concurrent.futures
import contextlib
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SUITE = pathlib.Path(__file__).resolve().parent
VECTORS = SUITE.parent / "vectors"
PYTHON = SUITE.parent / "adapters" / "python"
sys.path.insert(0, str(SUITE.parent))
from harness import Tap  # noqa: E402

ADAPTER = [sys.executable, "-S", str(PYTHON / "adapter.py")]
EMPTY = [sys.executable, "-S", str(PYTHON / "empty.py")]
COMPONENT = {"S": "sanitize", "F": "fence", "N": "fence", "M": "moderate", "I": "intent",
             "G": "grant"}
PASS, FAIL, USAGE, NO_ADAPTER, EXPECTED, INCOMPLETE, PARTIAL = range(7)
PATIENCE = "5"  # many runs at once


def read(path):
    return json.loads(path.read_text("ascii"))


MUTANTS = {row["id"]: row for row in read(SUITE / "mutants.json")["mutants"]}
CORPUS = {vector["id"]: vector for path in VECTORS.glob("[a-z]*.json")
          for vector in read(path)["vectors"]}
RULES = {row["id"]: row["rules"] for row in read(SUITE / "properties.json")["properties"]} | {
    name: vector.get("rules", []) for name, vector in CORPUS.items()}


class Run:
    """One run of the runner: exit code, report, what it wrote."""

    def __init__(self, runner, adapter, *options, patience=PATIENCE, timeout=600):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            command = [runner, "run", "--quiet", "--patience", patience, "--json", file.name,
                       *map(str, options), "--", *adapter]
            try:
                done = subprocess.run(command, capture_output=True, check=False, timeout=timeout,
                                      stdin=subprocess.DEVNULL)
                self.code, self.said = done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")
            except subprocess.TimeoutExpired:
                self.code, self.said = None, "the runner itself hung"
            text = pathlib.Path(file.name).read_bytes()
        self.results = json.loads(text)["results"] if text else []
        self.failed = [r for r in self.results if r["verdict"] == "FAIL"]

    def kinds(self):
        return {r["failure"] for r in self.failed}

    def ids(self):
        return {r["id"] for r in self.failed}


# --- mutants ----------------------------------------------------------------------------------


def mutant(name):
    return [*ADAPTER, "--mutant", name]


def killers(row):
    """What must notice it: one of these items is enough, and any other is the wrong reason."""
    return row["must_be_killed_by"]


def kill(runner, name, seed):
    """The items that killed it, of those that should."""
    row = MUTANTS[name]
    run = Run(runner, mutant(name), "--component", COMPONENT[name[0]], "--seed", seed,
              "--cases", 200, "--time", 6, "--level", "should", "--only", ",".join(killers(row)))
    wrong = run.kinds() - {"MISMATCH", "FLAKY"} if row["rule"] not in ("S6.7", "S9.1") else set()
    return [] if run.code != FAIL or wrong else sorted(run.ids() & set(killers(row)))


# A small client, to ask an adapter a few things without the runner.


class Client:
    def __init__(self, command):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      encoding="ascii")
        self.sent = 0
        self.hello = self.ask("hello", {"protocols": ["wgcp/1"], "suite": "1.0.0"})["ok"]

    def write(self, **line):
        with contextlib.suppress(BrokenPipeError):  # reading will tell
            self.child.stdin.write(json.dumps(line) + "\n")
            self.child.stdin.flush()

    def read(self):
        line = self.child.stdout.readline()
        if not line:
            self.child.wait()
        return json.loads(line) if line else {"died": True}

    def send(self, op, args):
        self.sent += 1
        self.write(id=f"q{self.sent}", op=op, args=args)

    def ask(self, op, args):
        self.send(op, args)
        return {k: v for k, v in self.read().items() if k != "id"}

    def ask_at_once(self, op, args, times, store):
        """What each answered. The store answers when all who are left wait for it."""
        for _ in range(times):
            self.send(op, args)
        calls, answers = [], []
        while len(answers) < times:
            line = self.read()
            if "call" not in line:
                answers.append({k: v for k, v in line.items() if k != "id"})
            else:
                calls.append(line)
            if len(calls) + len(answers) == times:
                for call, reply in [(call, store(call)) for call in calls]:
                    self.write(reply=call["call"], **reply)
                calls = []
        return answers

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()


DEFAULTS = {
    "sanitize": {"limits": {"chat": 4000, "webhook": 32768, "form_event": 8192, "retrieval": 4000,
                            "tool_result": 16384}, "max_depth": 16},
    "intent": {"depth": 20, "entries": 5000, "array": 1000, "bytes": 102400}}


def configurations(hello, vector):
    """The default, and each other option of each choice."""
    base = copy.deepcopy(DEFAULTS)
    for name, value in vector.get("config", {}).items():
        *path, last = name.split(".")
        inner = base
        for step in path:
            inner = inner[step]
        inner[last] = value
    base["choices"] = {name: options[0] for name, options in hello["choices"].items()}
    for profile in vector.get("profiles", ["reference", "hardened"]):
        base["profile"] = profile
        yield base
        for name, options in hello["choices"].items():
            for option in options[1:]:
                yield base | {"choices": base["choices"] | {name: option}}


def replies(client, vector):
    """What an adapter answers to the requests of a vector."""
    if "steps" not in vector:
        return [client.ask(vector["op"], vector["args"])]
    client.ask("reset", {})
    answers = []
    for step in vector["steps"]:
        args = fill(step["args"], answers)
        answers.append(client.ask(step["op"], args))
    return [comparable(answer) for answer in answers]


def played(client, witness):
    """How often a grant is executed when so many calls come at once, and a store that is down or
    in memory is played for them."""
    taken = set()

    def store(call):
        key, known = call["args"]["key"], call["args"]["key"] in taken
        if witness["store"] == "down":
            return {"err": {"code": "STORE_DOWN"}}
        if call["op"] != "store.get":
            taken.add(key)
        return {"ok": {"store.get": {"present": known}, "store.put": {},
                       "store.claim": {"claimed": not known}}[call["op"]]}
    client.ask("reset", {})
    executed = 0
    for step in CORPUS[witness["vector"]]["steps"]:
        if step["op"] == "grant.execute":
            executed += sum("ok" in answer for answer in client.ask_at_once(
                step["op"], step["args"], witness["calls"], store))
        else:
            client.ask(step["op"], step["args"] | (
                {"store": "callback"} if step["op"] == "grant.setup" else {}))
    return executed


def comparable(answer):
    """Without times; of a race only how often each call was executed."""
    if "results" in answer.get("ok", {}):
        return sorted((r["call"], r["executed"]) for r in answer["ok"]["results"])
    return answer


def fill(args, answers):
    if isinstance(args, dict) and "$step" in args:
        n, member = args["$step"]
        return answers[n]["ok"][member]
    if isinstance(args, dict):
        return {name: fill(value, answers) for name, value in args.items()}
    return args


def answers(client, hello, vector):
    """What it answers to a vector in each configuration."""
    for setup in configurations(hello, vector):
        client.ask("configure", setup)
        yield replies(client, vector)


class Pair:
    """The sound adapter and a mutant, asked the same."""

    def __init__(self, name):
        self.commands = [ADAPTER, mutant(name)]
        self.clients = [Client(command) for command in self.commands]

    def differs(self, vector):
        """In some configuration? To die, or to answer nothing that the next step needs, does."""
        if any(client.child.poll() is not None for client in self.clients):
            self.close()
            self.clients = [Client(command) for command in self.commands]
        hello = self.clients[0].hello
        try:
            return any(one != other for one, other in zip(
                *(answers(client, hello, vector) for client in self.clients)))
        except KeyError:
            return True

    def close(self):
        for client in self.clients:
            client.close()


def plays_differently(name, witness):
    executed = []
    for command in (ADAPTER, mutant(name)):
        client = Client(command)
        client.ask("configure", next(configurations(client.hello, CORPUS[witness["vector"]])))
        executed.append(played(client, witness))
        client.close()
    return executed[0] != executed[1]


def landed(name):
    """What the mutant answers as the sound one does, although it should not: its witness (it was
    never born), or a vector that says it kills it."""
    witness = MUTANTS[name]["witness"]
    if isinstance(witness, dict):
        return [] if plays_differently(name, witness) else [witness["vector"]]
    claimed = {witness} | {v["id"] for v in CORPUS.values() if name in v.get("kills", [])}
    pair = Pair(name)
    same = sorted(v for v in claimed if not pair.differs(CORPUS[v]))
    pair.close()
    return same


def test_mutants(tap, options):
    chosen = [name for name in MUTANTS if not options.only or name in options.only]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        born = {name: pool.submit(landed, name) for name in chosen}
        deaths = {(name, seed): pool.submit(kill, options.runner, name, seed)
                  for seed in range(1, options.seeds + 1) for name in chosen}
        for name in chosen:
            row, tally, dead = MUTANTS[name], collections.Counter(), 0
            for seed in range(1, options.seeds + 1):
                by = deaths[name, seed].result()
                tally.update(by)
                dead += bool(by)
            still = born[name].result()
            by = " ".join(f"{item}" for item, _ in tally.most_common(4))
            tap.ok(dead == options.seeds and not still,
                   f"{name} {row['title']}: killed on {dead} of {options.seeds} seeds, "
                   f"{row['rule']} ({by})",
                   f"it answers these as the sound one does: {still}" if still else
                   f"must be killed by {', '.join(killers(row))}")


# --- adapters that know nothing ---------------------------------------------------------------


def only_kinds(*kinds):
    return lambda run: run.code == FAIL and run.kinds() and run.kinds() <= set(kinds) | {"CRASH"} \
        and run.kinds() & set(kinds)


def fails_at(*items):
    return lambda run: run.code == FAIL and set(items) <= run.ids()


ZERO = {
    "Z1": ("skips everything: nothing was tested", ["--only", "FN-000*"],
           lambda run: run.code == FAIL and not run.failed and
           {r["verdict"] for r in run.results if r["kind"] != "protocol"} == {"SKIPPED"}),
    "Z2": ("echoes its arguments: not what the protocol says", ["--only", "FN-014*"],
           only_kinds("PROTOCOL")),
    "Z3": ("allows everything: attacks pass", ["--component", "fence,sanitize,grant", "--only",
                                              "FN-0032,SA-0001,GR-0003,GR-0042,GR-0085"],
           fails_at("FN-0032", "GR-0003", "GR-0042", "GR-0085")),
    "Z4": ("refuses everything: controls fail", ["--only", "FN-0001,GR-0001,GR-0083,IN-0001,SA-0001"],
           fails_at("FN-0001", "GR-0001", "GR-0083", "IN-0001", "SA-0001")),
    "Z5": ("answers always the same", ["--only", "FN-003*,IN-000*"], fails_at("FN-0032", "IN-0001")),
    "Z6": ("knows the answers by the id of the vector: no id is sent", ["--only", "FN-003*"],
           fails_at("FN-0036", "FN-0039")),
    "Z7": ("knows the answers by the published arguments: properties ask others",
           ["--component", "fence", "--only", "P-FN1,P-FN3"],
           fails_at("P-FN1", "P-FN3")),
    "Z8": ("exits with 0 after hello", ["--only", "FN-0001,FN-0032"], only_kinds("CRASH")),
    "Z9": ("hangs", ["--only", "FN-0001"], only_kinds("HANG")),
    "Z10": ("writes what is no JSON", ["--only", "FN-0001"], only_kinds("PROTOCOL")),
    "Z11": ("answers under the id of another request", ["--only", "FN-0001,FN-0032"],
            lambda run: run.code == FAIL and len(run.failed) > 0),
    "Z12": ("claims no component: nothing was tested", [],
            lambda run: run.code == FAIL and not run.failed),
    "Z13": ("makes up a race over a ledger that checks first: the runner as the store sees it",
            ["--component", "grant", "--only", "P-GR2"], fails_at("P-GR2")),
}


def empty(runner, name):
    _, options, _ = ZERO[name]
    return Run(runner, [*EMPTY, name], "--cases", 100, "--time", 5, *options,
               patience="1" if name == "Z9" else PATIENCE, timeout=120)


def test_empty(tap, options):
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {name: pool.submit(empty, options.runner, name) for name in ZERO
                if not options.only or name in options.only}
        for name, run in runs.items():
            run = run.result()
            tap.ok(ZERO[name][2](run), f"{name} {ZERO[name][0]}",
                   f"exit {run.code}, {sorted(run.kinds())}, {sorted(run.ids())[:9]}",
                   run.said[-400:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner", type=os.path.abspath)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--part", default="mutants,empty,runner,corpus")
    parser.add_argument("--only", type=lambda text: text.split(","), default=None)
    options = parser.parse_args()
    tap = Tap()
    parts = {"mutants": test_mutants, "empty": test_empty, "runner": selftest_runner.test_runner,
             "corpus": selftest_runner.test_corpus}
    for name in options.part.split(","):
        parts[name](tap, options)
    tap.done()


if __name__ == "__main__":
    import selftest_runner
    main()
