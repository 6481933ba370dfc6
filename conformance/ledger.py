"""X5, X7: one grant, one claim - between processes, across kill -9, with broken
files, and with a Redis that is stopped, restarted, full, or lies.

    ledger.py PATH_TO_LEDGER_PROBE PATH_TO_LEDGER_RACE [--seed N]
    ledger.py PATH_TO_LEDGER_PROBE --quick

The second is what planted_bugs.py asks: the rules of Redis, in two seconds.

Redis servers are started here, on ports of 127.0.0.1 that are free, and where
no real server would do what is wanted, its part is played."""
import argparse
import collections
import contextlib
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from harness import Collected, Tap

NOW = 1_700_000_000  # seconds; when these tests take place
HOUR, DAY = 3600, 86400
PROCESSES = 100


# ---- processes that claim ----------------------------------------------------

class Claimer:
    """A process with a ledger open (conformance/ledger_probe.c --hold)."""

    def __init__(self, probe, store, *options, **keywords):
        self.process = subprocess.Popen([probe, store, *options, "--hold"], text=True, bufsize=1, **keywords,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def opened(self):
        """What opening came to: "open", or a status."""
        return self.process.stdout.readline().strip()

    def send(self, *ids, expires=NOW + 60, now=NOW):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write("".join(f"{i} {expires} {now * 1000}\n" for i in ids))

    def answer(self):
        return self.process.stdout.readline().strip()

    def ask(self, id_, **times):
        self.send(id_, **times)
        return self.answer()

    def close(self):
        """Ends the process; what it had still to say."""
        if self.process.poll() is None and not self.process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        rest = self.process.stdout.read().split()
        self.process.stdout.close()
        self.process.wait()
        return rest

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.close()


@contextlib.contextmanager
def claimers(count, probe, store, *options):
    """Processes with the store open. With a short timeout and a busy machine,
    that takes more than one attempt."""
    all_of_them = [Claimer(probe, store, *options) for _ in range(count)]
    try:
        for i, claimer in enumerate(all_of_them):
            for _ in range(50):
                if (status := claimer.opened()) == "open":
                    break
                claimer.close()
                claimer = all_of_them[i] = Claimer(probe, store, *options)
            else:
                raise RuntimeError(f"{store}: {status}")
        yield all_of_them
    finally:
        for claimer in all_of_them:
            claimer.close()


def claim_once(probe, store, id_, *options, expires=NOW + 60, now=NOW, **keywords):
    """One process, one claim."""
    run = subprocess.run([probe, store, *options, str(id_), str(expires), str(now * 1000)],
                         capture_output=True, text=True, check=False, timeout=60, **keywords)
    return run.stdout.strip() or f"died: {run.returncode}"


def is_built(probe, store):
    claimer = Claimer(probe, store)
    status = claimer.opened()
    claimer.close()
    return status != "WKG_E_UNSUPPORTED"


def race(tap, name, probe, store, rounds):
    """Everyone claims the same ids, from a different one on."""
    wrong = collections.Counter()
    with claimers(PROCESSES, probe, store, "--timeout", "60000") as all_of_them:
        ids = [f"race-{i}" for i in range(rounds)]
        orders = [ids[i % rounds:] + ids[:i % rounds] for i in range(PROCESSES)]
        for claimer, order in zip(all_of_them, orders):
            claimer.send(*order)
        results = collections.defaultdict(collections.Counter)
        for claimer, order in zip(all_of_them, orders):
            for id_ in order:
                results[id_][claimer.answer()] += 1
        for id_ in ids:
            wrong[str(dict(results[id_]))] += results[id_] != {"granted": 1, "spent": PROCESSES - 1}
    tap.ok(not sum(wrong.values()), f"X5 {name}: {PROCESSES} processes, {rounds} ids: one is granted, 99 find it spent", +wrong)


def race_threads(tap, name, race_program, store, rounds):
    run = subprocess.run([race_program, store, "30", str(rounds)], capture_output=True, text=True, check=False)
    tap.ok(run.returncode == 0, f"X5 {name}: 30 threads with a handle each, {rounds} rounds", run.stdout, run.stderr)


# ---- SQLite ------------------------------------------------------------------

def killed(tap, probe, directory, rng):
    """300 processes killed while they claim, half of them while another claims
    the same ids."""
    store, options = f"sqlite:{directory}/killed", ("--timeout", "20000")
    granted, all_ids, midway = collections.Counter(), [], 0
    witness = Claimer(probe, store, *options)
    witness.opened()
    begin = time.monotonic()
    for i in range(20):
        witness.ask(f"trial-{i}")
    each = (time.monotonic() - begin) / 20
    for cycle in range(300):
        ids = [f"{cycle}-{i}" for i in range(8)]
        victim = Claimer(probe, store, *options)
        victim.send(*ids)
        if cycle % 2:
            witness.send(*ids)
        answers = []
        if cycle % 5:  # in the middle of a claim; or at any time of its life
            victim.opened()
            answers = [victim.answer() for _ in range(rng.randrange(len(ids)))]
        time.sleep(rng.random() * each)
        answers += [a for a in victim.kill() if a != "open"]
        midway += len(answers) < len(ids)
        answers += [None] * (len(ids) - len(answers))
        others = [witness.answer() for _ in ids] if cycle % 2 else [None] * len(ids)
        if cycle % 10 == 0:  # a witness that never saw it
            witness.close()
            witness = Claimer(probe, store, *options)
            witness.opened()
        for id_, mine, other in zip(ids, answers, others):
            granted[id_] += [mine, other, witness.ask(id_)].count("granted")
        all_ids += ids
    witness.close()
    with claimers(1, probe, store, *options) as (last,):
        again = [id_ for id_ in all_ids if last.ask(id_) != "spent"]
    contradictions = [id_ for id_ in all_ids if granted[id_] > 1]
    wasted = sum(granted[id_] == 0 for id_ in all_ids)
    print(f"# {midway} of 300 were killed before their last answer; {wasted} of {len(all_ids)} grants were wasted")
    tap.ok(not contradictions, "X5 300 times kill -9: no id is granted twice", contradictions)
    tap.ok(not again, "X5 and what was granted stays claimed in processes started later", again)
    tap.ok(midway > 100, f"X5 many were killed in the middle of their claims: {midway}")
    check = sqlite3.connect(f"{directory}/killed")
    tap.ok(check.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "X5 and the file is sound")
    check.close()


def clocks(tap, probe, directory):
    store = f"sqlite:{directory}/clocks"
    far = {"expires": NOW + 10 * DAY, "now": NOW + 3 * DAY}
    claim_once(probe, store, "old")
    claim_once(probe, store, "far", **far)
    tap.ok(claim_once(probe, store, "old") == "refused" and claim_once(probe, store, "new") == "refused",
           "X7 sqlite: the store has seen a later clock, by more than the margin: refused, in another process too")
    tap.ok(claim_once(probe, store, "far", expires=NOW + 10 * DAY, now=NOW + 2 * DAY) == "spent",
           "X7 sqlite: a clock behind by the margin finds what is spent")
    tap.ok([claim_once(probe, store, "ahead", expires=NOW + 40 * DAY, now=NOW + 39 * DAY) for _ in range(2)] == ["granted", "spent"],
           "X7 sqlite: the store's clock is far behind: it follows")


def as_user_without_rights():
    """Keywords for a process that may not write to others' files; root may."""
    return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def read_only(tap, probe, directory):
    place = directory / "read-only"
    place.mkdir()
    store = f"sqlite:{place}/l"
    claim_once(probe, store, "a")
    for path in place.iterdir():
        path.chmod(0o444)
    place.chmod(0o555)
    directory.chmod(0o755)
    shutil.copy(probe, directory / "probe")  # where anyone may run it
    answers = [claim_once(directory / "probe", store, id_, **as_user_without_rights()) for id_ in "aab"]
    tap.ok(answers == ["refused"] * 3, "X7 sqlite: a file that cannot be written refuses", answers)
    place.chmod(0o700)
    for path in place.iterdir():
        path.chmod(0o600)
    tap.ok(claim_once(probe, store, "a") == "spent", "X7 sqlite: and has lost nothing")


def full_disk(tap, probe, directory):
    """The file may grow up to a limit: at any one, the claim is refused or
    recorded."""
    claims = Collected(tap, "X7 sqlite: the disk is full at any size: refused, or granted and recorded")
    seen = set()
    for limit in [*range(0, 30 * 1024, 1536), 1 << 20]:
        def limited(limit=limit):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        store = f"sqlite:{directory}/full-{limit}"
        if limit % 1024 or limit == 1 << 20:
            claim_once(probe, store, "before")
        first = claim_once(probe, store, "a", preexec_fn=limited)
        then = claim_once(probe, store, "a")
        seen.add((first, then))
        claims.check((first, then) in {("refused", "granted"), ("refused", "spent"), ("granted", "spent")}, limit, first, then)
    claims.check({("refused", "granted"), ("granted", "spent")} <= seen, seen)
    claims.done()


def damaged_copies(good, rng):
    """Ways a file can be broken: name and contents."""
    page = 4096
    yield "empty", b""
    yield "a text", b"claims\n" * 3000
    yield "garbage in the header", rng.randbytes(100) + good[100:]
    for size in range(512, len(good), 512):
        yield f"cut at {size}", good[:size]
    for at in range(0, len(good), page):
        yield f"page {at // page + 1} of zeros", good[:at] + bytes(page) + good[at + page:]
        yield f"page {at // page + 1} of garbage", good[:at] + rng.randbytes(page) + good[at + page:]
        yield f"page {at // page + 1} of another place", good[:at] + good[-page - at or None:][:page] + good[at + page:]


def damaged(tap, probe, directory, rng):
    path = directory / "damaged"
    claim_once(probe, f"sqlite:{path}", "a")
    good = path.read_bytes()
    pathlib.Path(f"{path}-journal").unlink()
    claims = Collected(tap, "X7 sqlite: whatever happens to the file, what was granted is not granted again")
    for name, contents in damaged_copies(good, rng):
        if contents == good:
            continue
        path.write_bytes(contents)
        answers = [claim_once(probe, f"sqlite:{path}", id_) for id_ in "ab"]
        claims.check(answers[0] in ("refused", "spent") and "died" not in answers[1], name, answers)
        if "page" not in name:
            claims.check(answers == ["refused"] * 2, name, answers)
            claims.check(path.read_bytes() == contents, f"{name}: was written to")
    claims.done()


def foreign(tap, probe, directory):
    """Databases that are not ledgers, or not quite."""
    good = directory / "ours"
    claim_once(probe, f"sqlite:{good}", "a")
    others = {
        "another program's": ["CREATE TABLE claims (id BLOB PRIMARY KEY, expires_ms INTEGER)"],
        "another format": ["PRAGMA user_version = 2"],
        "with a trigger": ["CREATE TRIGGER forget AFTER INSERT ON claims BEGIN DELETE FROM claims; END"],
        "without its key": ["ALTER TABLE claims RENAME TO old", "CREATE TABLE claims (id BLOB, expires_ms INTEGER)", "DROP TABLE old"],
        "without its floor": ["DELETE FROM meta"],
    }
    for name, script in others.items():
        path = directory / "foreign"
        path.unlink(missing_ok=True)
        if name != "another program's":
            shutil.copy(good, path)
        database = sqlite3.connect(path)
        for line in script:
            database.execute(line)
        database.commit()
        database.close()
        before = path.read_bytes()
        answers = [claim_once(probe, f"sqlite:{path}", id_) for id_ in "ab"]
        tap.ok(answers == ["refused"] * 2 and path.read_bytes() == before, f"X7 sqlite: a database {name} is refused and left alone", answers)
    shutil.copy(good, path)
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.close()
    tap.ok([claim_once(probe, f"sqlite:{path}", id_) for id_ in "abb"] == ["spent", "granted", "spent"], "X7 sqlite: a file that was switched to WAL is switched back")


def two_names(tap, probe, directory):
    """A crash leaves a journal under one name, and somebody claims under the other."""
    one, other = directory / "one", directory / "other"
    claim_once(probe, f"sqlite:{one}", "a")
    links = one.stat().st_nlink, len(list(directory.glob("one*")))
    crash = ("import os, sqlite3, sys\nd = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
             "for line in 'journal_mode = TRUNCATE', 'cache_size = 1', 'cache_spill = 1': d.execute('PRAGMA ' + line)\n"
             "d.execute('BEGIN IMMEDIATE')\n"
             "for i in range(400): d.execute('INSERT INTO claims (expires_ms, id) VALUES (?, ?)', (2 * 10**12, os.urandom(150)))\n"
             "os.kill(os.getpid(), 9)")
    subprocess.run([sys.executable, "-c", crash, one], check=False)
    hot = pathlib.Path(f"{one}-journal").stat().st_size > 0
    os.link(one, other)
    answers = [claim_once(probe, f"sqlite:{path}", "b") for path in (other, one)]
    tap.ok(hot and answers == ["refused"] * 2, "X7 sqlite: a file with two names, a journal under one: refused by both", hot, answers)
    other.unlink()
    answers = [claim_once(probe, f"sqlite:{one}", id_) for id_ in "abb"]
    tap.ok(answers == ["spent", "granted", "spent"] and links == (1, 2), "X7 sqlite: with one name again it serves; a new one has one", answers, links)


def taken_away(tap, probe, directory):
    path = directory / "moved"
    with claimers(1, probe, f"sqlite:{path}") as (claimer,):
        claimer.ask("a")
        path.rename(directory / "elsewhere")
        tap.ok(claimer.ask("b") == "refused", "X7 sqlite: the file was moved away under an open handle: refused")
        tap.ok(claim_once(probe, f"sqlite:{path}", "a") == "refused" and not path.exists(),
               "X7 sqlite: the file is gone and its journal is there: refused, not made anew")
        shutil.copy(directory / "elsewhere", path)
        tap.ok(claimer.ask("b") == "refused", "X7 sqlite: another file in its place: refused by those who had the first")
        tap.ok(claim_once(probe, f"sqlite:{path}", "a") == "spent", "X7 sqlite: put back, it is what it was")
    busy = sqlite3.connect(path, isolation_level=None)
    busy.execute("BEGIN IMMEDIATE")
    begin = time.monotonic()
    tap.ok(claim_once(probe, f"sqlite:{path}", "c", "--timeout", "300") == "refused" and .25 < time.monotonic() - begin < 20,
           "X7 sqlite: locked by somebody for longer than the timeout: refused")
    busy.execute("ROLLBACK")
    busy.close()
    tap.ok(claim_once(probe, f"sqlite:{path}", "c") == "granted", "X7 sqlite: and granted when the lock is gone")


def on_sqlite(tap, probe, race_program, directory, rng):
    if not is_built(probe, f"sqlite:{directory}/try"):
        tap.skip("sqlite", "built without SQLite")
        return
    race(tap, "sqlite", probe, f"sqlite:{directory}/race", 20)
    race_threads(tap, "sqlite", race_program, f"sqlite:{directory}/threads", 10)
    killed(tap, probe, directory, rng)
    clocks(tap, probe, directory)
    read_only(tap, probe, directory)
    full_disk(tap, probe, directory)
    damaged(tap, probe, directory, rng)
    foreign(tap, probe, directory)
    two_names(tap, probe, directory)
    taken_away(tap, probe, directory)


# ---- Redis, a real one -------------------------------------------------------

def read_line(stream):
    line = stream.readline()
    if not line.endswith(b"\r\n"):
        raise EOFError
    return line[:-2]


def read_command(stream):
    """A command as clients send it: a list of strings."""
    count = int(read_line(stream)[1:])
    words = []
    for _ in range(count):
        length = int(read_line(stream)[1:])
        words.append(stream.read(length + 2)[:length])
    return words


def read_reply(stream):
    line = read_line(stream)
    if line[:1] == b"$" and line != b"$-1":
        return stream.read(int(line[1:]) + 2)[:-2]
    return None if line == b"$-1" else line


def command(*words):
    words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


class Redis:
    def __init__(self, directory, *options):
        self.port = free_port()
        self.store = f"redis:127.0.0.1:{self.port}"
        self.arguments = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--daemonize", "no",
                          "--dir", str(directory), *(options or ("--appendonly", "no"))]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(400):
            with contextlib.suppress(OSError, EOFError):
                if self.tell("PING") == b"+PONG":
                    return
            time.sleep(.025)
        raise RuntimeError("redis-server does not answer")

    def tell(self, *words):
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection, connection.makefile("rb") as stream:
            connection.sendall(command(*words))
            return read_reply(stream)

    def signal(self, which):
        self.process.send_signal(which)

    def stop(self):
        self.signal(signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def redis(directory, *options):
    server = Redis(directory, *options)
    try:
        yield server
    finally:
        server.stop()


def lifetimes(tap, probe, server):
    """PX is the rest of the grant by the caller's clock, and the margin."""
    claims = Collected(tap, "X7 redis: a claim lives for the rest of its grant and the margin, never less, on any clock")
    for i, (expires, now, margin) in enumerate([(60, 0, DAY), (60, 59, DAY), (60, -HOUR, DAY), (9 * DAY, 0, DAY), (60, 0, 0), (20, 0, 5)]):
        answer = claim_once(probe, server.store, f"life-{i}", "--margin", str(margin), expires=NOW + expires, now=NOW + now)
        left = int((server.tell("PTTL", f"wkg:life-{i}") or b":0")[1:])
        whole = (expires - now + margin) * 1000
        claims.check(answer == "granted" and whole - 20000 <= left <= whole, answer, left, whole)
    claims.done()
    others = [claim_once(probe, server.store, "skew", expires=NOW + 60, now=NOW + skew) for skew in (30, -23 * HOUR, -DAY + 90, 59)]
    tap.ok(others == ["granted", "spent", "spent", "spent"], "X7 redis: callers' clocks ahead and behind within the margin: one is granted", others)
    tap.ok(claim_once(probe, server.store, "past", now=NOW + 60) == "refused" and server.tell("EXISTS", "wkg:past") == b":0",
           "X7 redis: an expired grant is refused and not recorded")
    quick = [claim_once(probe, server.store, "short", "--margin", "0", expires=NOW + 30, now=NOW) for _ in range(2)]
    tap.ok(quick == ["granted", "spent"], "X7 redis: no margin: granted, spent", quick)


def interrupted(tap, probe, server):
    """One process keeps its handle while things happen to the server."""
    with claimers(2, probe, server.store, "--timeout", "1000") as (one, two):
        tap.ok([one.ask("a"), two.ask("a")] == ["granted", "spent"], "X5 redis: granted, spent")
        server.signal(signal.SIGSTOP)
        begin = time.monotonic()
        paused = [one.ask("b"), two.ask("b"), one.ask("b")]
        waited = time.monotonic() - begin
        tap.ok(paused == ["refused"] * 3 and waited < 20, "X7 redis: paused: refused after the timeout", paused, waited)
        server.signal(signal.SIGCONT)
        time.sleep(.1)
        after = [one.ask("b"), two.ask("b")]
        tap.ok("granted" not in after, "X7 redis: the claim whose answer got lost was recorded when it went on: wasted, not granted", after)
        tap.ok([two.ask("c"), one.ask("c")] == ["granted", "spent"], "X7 redis: and it serves again")
        server.tell("CLIENT", "KILL", "TYPE", "normal")
        tap.ok([one.ask("d"), two.ask("d")] == ["granted", "spent"], "X7 redis: connections closed between claims are replaced")
        server.tell("SET", "wkg:e", "")
        server.tell("LPUSH", "wkg:f", "list")
        tap.ok([one.ask("e"), one.ask("f"), one.ask("g")] == ["spent", "refused", "granted"], "X7 redis: somebody's key of that name: spent, or refused if it is no string")
        server.tell("FLUSHALL")
        tap.ok(one.ask("a") == "granted", "X7 redis, documented: FLUSHALL forgets, by the operator's own hand; the grant is granted again")
        server.stop()
        tap.ok([one.ask("h"), two.ask("h")] == ["refused"] * 2, "X7 redis: stopped: refused")
        server.start()
        tap.ok([one.ask("h"), two.ask("h")] == ["granted", "spent"], "X7 redis: started again: the same handles serve")


def persistent(tap, probe, directory, rng):
    """A server with an append-only file, killed while two claim."""
    place = directory / "appendonly"
    place.mkdir()
    granted = collections.Counter()
    with redis(place, "--appendonly", "yes", "--appendfsync", "always") as server:
        ids = []
        with claimers(2, probe, server.store, "--timeout", "2000") as both:
            begin = time.monotonic()
            for i in range(20):
                both[0].ask(f"trial-{i}")
            usual = time.monotonic() - begin
            for cycle in range(6):
                batch = [f"{cycle}-{i}" for i in range(40)]
                for claimer in both:
                    claimer.send(*batch[:20])
                time.sleep(rng.random() * usual)
                server.stop()
                server.start()
                for claimer in both:
                    claimer.send(*batch[20:])
                for claimer in both:
                    for id_ in batch:
                        granted[id_] += claimer.answer() == "granted"
                ids += batch
            refused = [id_ for id_ in ids if granted[id_] != 1]
            granted.update(id_ for id_ in ids if both[0].ask(id_) == "granted")
        twice = [id_ for id_ in ids if granted[id_] > 1]
    print(f"# {len(refused)} of {len(ids)} were granted to no one the first time")
    tap.ok(not twice, "X5 redis: killed and restarted in the middle of claims, with appendfsync always: no id is granted twice", twice)


def full_or_evicting(tap, probe, server):
    def memory(limit, policy):
        server.tell("CONFIG", "SET", "maxmemory", limit)
        server.tell("CONFIG", "SET", "maxmemory-policy", policy)
    with claimers(1, probe, server.store) as (claimer,):
        claimer.ask("before")
        memory(1, "noeviction")
        tap.ok(claimer.ask("full") == "refused" and claimer.ask("before") in ("spent", "refused"), "X7 redis: no memory left, noeviction: refused")
    memory(100_000_000, "volatile-lru")
    opening = Claimer(probe, server.store)
    status = opening.opened()
    opening.close()
    tap.ok(status == "WKG_E_UNSUPPORTED", "X7 redis: a server that evicts keys is not opened", status)
    memory(100_000_000, "noeviction")
    tap.ok(claim_once(probe, server.store, "after") == "granted", "X7 redis: one that has a limit and refuses is")
    memory(0, "allkeys-lru")
    tap.ok(claim_once(probe, server.store, "after") == "spent", "X7 redis: as is one without a limit")


# ---- Redis, played -----------------------------------------------------------

INFO = b"# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n"
INFO_REPLY = b"$%d\r\n%s\r\n" % (len(INFO), INFO)
HANG_UP = object()
RESET = object()


class Port:
    """A server whose store is right and whose answers are what `play` makes of
    the right ones: play(connection, words, reply) returns what is sent, a list
    of bytes, pauses in seconds, HANG_UP or RESET."""

    def __init__(self, play):
        self.play, self.keys, self.lock = play, {}, threading.Lock()
        self.info = getattr(play, "info", [INFO_REPLY])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.store = f"redis:127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        for number in range(1 << 30):
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection, number), daemon=True).start()

    def serve(self, connection, number):
        with connection, connection.makefile("rb") as stream, contextlib.suppress(OSError, EOFError, ValueError):
            while True:
                words = read_command(stream)
                is_info = words[0] == b"INFO"
                for part in self.info if is_info else self.play(self, number, words):
                    if part is HANG_UP:
                        return
                    if part is RESET:  # close() with linger 0 is a reset
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                        return
                    if isinstance(part, bytes):
                        connection.sendall(part)
                    else:
                        time.sleep(part)

    def right(self, words):
        """Carry out a command, and answer."""
        with self.lock:
            if words[0] == b"GET":
                value = self.keys.get(words[1])
                return b"$-1\r\n" if value is None else b"$%d\r\n%s\r\n" % (len(value), value)
            if b"NX" in words and words[1] in self.keys:
                return b"$-1\r\n"
            self.keys[words[1]] = words[2]
            return b"+OK\r\n"

    def close(self):
        self.listener.close()


@contextlib.contextmanager
def port(play):
    server = Port(play)
    try:
        yield server
    finally:
        server.close()


def honest(server, _, words):
    return [server.right(words)]


def withheld(server, _, words):
    server.right(words)
    return []


def twice(server, _, words):
    return [server.right(words) * 2]


def with_a_tail(server, _, words):
    return [server.right(words) + (b"+OK\r\n" if words[0] == b"GET" else b"")]


def every_pair_twice():
    """What was answered last is sent again in front of the next answer."""
    last = collections.defaultdict(bytes)
    def play(server, number, words):
        stale = last[number] if words[0] == b"SET" else b""
        if words[0] == b"SET":
            last[number] = b""
        reply = server.right(words)
        last[number] += reply
        return [stale + reply]
    return play


def reversed_order():
    held = {}
    def play(server, number, words):
        reply = server.right(words)
        if words[0] == b"SET":
            held[number] = reply
            return []
        return [reply + held.pop(number)]
    return play


def to_the_other():
    """Answers go to whoever else is asking: both pairs are held until both
    are there, and swapped."""
    pairs, both = collections.defaultdict(bytes), threading.Barrier(2)
    def play(server, number, words):
        pairs[number] += server.right(words)
        if words[0] == b"SET":
            return []
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(5)
        (other,) = set(pairs) - {number}
        return [pairs[other]]
    return play


def ok_to_everyone(server, _, words):
    reply = server.right(words)
    return [b"+OK\r\n" if words[0] == b"SET" else reply]


def ok_and_nothing_there(server, _, words):
    server.right(words)
    return [b"+OK\r\n" if words[0] == b"SET" else b"$-1\r\n"]


def byte_by_byte(pause):
    def play(server, _, words):
        return [part for byte in server.right(words) for part in (bytes([byte]), pause)]
    return play


def in_two_packets(at):
    """As INFO always comes over a network: it is larger than a packet."""
    def play(server, _, words):
        reply = server.right(words)
        return [reply[:at], .005, reply[at:]]
    play.info = [INFO_REPLY[:9], .005, INFO_REPLY[9:]]
    return play


def instead(set_reply):
    """Something else for OK."""
    def play(server, _, words):
        reply = server.right(words)
        return [set_reply if reply == b"+OK\r\n" else reply]
    return play


def cut_off(length, end):
    """Both answers, as far as `length`, then the end."""
    sent = collections.Counter()
    def play(server, number, words):
        reply = server.right(words)[:max(length - sent[number], 0)]
        sent[number] += len(reply)
        return [reply, end] if sent[number] >= length else [reply]
    return play


WRONG_ANSWERS = [
    b"+ok\r\n", b"+OK \r\n", b"+OKAY\r\n", b"+O\r\n", b"+\r\n", b"+OK\0\r\n", b"$2\r\nOK\r\n", b":1\r\n", b":0\r\n", b"*1\r\n+OK\r\n",
    b"*-1\r\n", b"*0\r\n", b"-ERR\r\n", b"-OK\r\n", b"-LOADING\r\n", b"-MOVED 1 127.0.0.1:1\r\n", b"+QUEUED\r\n", b"OK\r\n", b"\r\n",
    b"\0\0\0\0", b"+OK\n", b"$99999999999999999999\r\n", b"$536870912\r\n", b"*2147483647\r\n", b"*2\r\n" * 20, b"HTTP/1.1 200 OK\r\n\r\n",
    b"+OK\r\n+OK\r\n", b"$-1\r\n+OK\r\n", b"+OK\r\n$-1\r\n", b"$0\r\n\r\n", b"$-2\r\n", b"+OK\r", b"_\r\n", b"#t\r\n", b"%1\r\n+OK\r\n+OK\r\n",
]


def at_most_one(tap, probe, name, play, expected=None, **keywords):
    answers = two_callers(probe, play, **keywords)
    tap.ok(answers.count("granted") <= 1 and (expected is None or sorted(answers) == sorted(expected)), f"X5 redis, played: {name}", answers)


def two_callers(probe, play, id_="id", timeout="10000"):
    """What two processes are told that claim the same id at once, and then
    once more each."""
    with port(play) as server, claimers(2, probe, server.store, "--timeout", timeout) as both:
        answers = []
        for _ in range(2):
            for claimer in both:
                claimer.send(id_)
            answers += [claimer.answer() for claimer in both]
        return answers


def played(tap, probe):
    usual = ["granted", "spent", "spent", "spent"]
    at_most_one(tap, probe, "a server that works", honest, usual)
    at_most_one(tap, probe, "no answer ever comes: both are refused", withheld, ["refused"] * 4, timeout="150")
    at_most_one(tap, probe, "every answer comes twice: both are refused", twice, ["refused"] * 4)
    at_most_one(tap, probe, "something more behind the right answers: both are refused", with_a_tail, ["refused"] * 4)
    at_most_one(tap, probe, "old answers come before new ones: the old OK is nobody's", every_pair_twice())
    at_most_one(tap, probe, "answers in the wrong order: refused", reversed_order(), ["refused"] * 4)
    at_most_one(tap, probe, "each is told what the other is to be told: refused", to_the_other())
    at_most_one(tap, probe, "OK to everyone: only who finds the value is granted", ok_to_everyone, ["granted", "refused", "refused", "refused"])
    at_most_one(tap, probe, "OK to everyone and nothing recorded: refused", ok_and_nothing_there, ["refused"] * 4)
    for at in 1, 2, 4:
        at_most_one(tap, probe, f"answers in two packets, the first of {at}: whole, and served", in_two_packets(at), usual)


def played_slowly(tap, probe):
    at_most_one(tap, probe, "byte by byte: slow, but whole", byte_by_byte(.002))
    begin = time.monotonic()
    at_most_one(tap, probe, "a byte just before each timeout: it ends", byte_by_byte(.08), timeout="120")
    tap.ok(time.monotonic() - begin < 60, "X7 redis, played: and does not last for ever")
    claims = Collected(tap, "X5 redis, played: anything but exactly OK is refused")
    for reply in WRONG_ANSWERS:
        answers = two_callers(probe, instead(reply), timeout="60")
        claims.check("granted" not in answers, reply, answers)
    claims.done()
    claims = Collected(tap, "X5 redis, played: answers that break off anywhere, by the end or a reset: refused, wasted")
    for length in range(0, 64, 7):
        for end in (HANG_UP, RESET):
            answers = two_callers(probe, cut_off(length, end), timeout="60")
            claims.check(answers.count("granted") <= 1 and not any(answer not in ("granted", "spent", "refused") for answer in answers), length, answers)
            claims.check(length > 45 or "granted" not in answers, length, answers)
    claims.done()


def mangling(rng):
    """All of it at random, with answers of the past among them."""
    past, lock = [], threading.Lock()
    def play(server, _, words):
        reply = server.right(words)
        with lock:
            past.append(reply)
            what, old = rng.randrange(30), rng.choice(past[-9:])
            garbled = bytearray(reply)
            garbled[rng.randrange(len(reply))] ^= 1 << rng.randrange(8)
        return {0: [], 1: [reply * 2], 2: [old + reply], 3: [reply + old], 4: [old], 5: [bytes(garbled)], 6: [reply[:-3], HANG_UP],
                7: [.12, reply], 8: [RESET]}.get(what, [reply])
    return play


def at_random(tap, probe, rng):
    granted = collections.Counter()
    with port(mangling(rng)) as server, claimers(2, probe, server.store, "--timeout", "80") as both:
        for i in range(80):
            for _ in range(2):
                for claimer in both:
                    claimer.send(f"id-{i}")
                granted[i] += sum(claimer.answer() == "granted" for claimer in both)
    print(f"# {sum(granted.values())} of 80 were granted")
    tap.ok(max(granted.values()) == 1 and sum(granted.values()) > 5, "X5 redis, played: answers lost, doubled, old, torn, late, at random: never two for one id", granted.most_common(3))


# ---- a test that can fail ----------------------------------------------------

def side_by_side():
    """The first command of each of two callers is answered when both have
    sent theirs: neither sees what the other does next."""
    waiting = collections.defaultdict(lambda: threading.Barrier(2))
    asked = set()
    def play(server, number, words):
        reply = server.right(words)
        if (number, words[1]) not in asked:
            asked.add((number, words[1]))
            with contextlib.suppress(threading.BrokenBarrierError):
                waiting[words[1]].wait(5)
        return [reply]
    return play


class CheckThenSet(threading.Thread):
    """A planted ledger: looks whether the id is there, then puts it there."""

    def __init__(self, store, id_):
        super().__init__()
        self.address, self.id, self.answer = store.split(":")[1:], id_, None

    def run(self):
        with socket.create_connection((self.address[0], int(self.address[1])), 10) as connection, connection.makefile("rb") as stream:
            connection.sendall(command("GET", self.id))
            if read_reply(stream) is not None:
                self.answer = "spent"
                return
            connection.sendall(command("SET", self.id, "x"))
            self.answer = "granted" if read_reply(stream) == b"+OK" else "refused"


def planted(tap, probe):
    caught = 0
    for i in range(20):
        with port(side_by_side()) as server:
            both = [CheckThenSet(server.store, f"id-{i}") for _ in range(2)]
            for caller in both:
                caller.start()
            for caller in both:
                caller.join()
            caught += [caller.answer for caller in both] == ["granted"] * 2
    tap.ok(caught == 20, f"R2 a ledger that checks, then sets, is caught by two callers: {caught} of 20 times")
    right = collections.Counter()
    with port(side_by_side()) as server, claimers(2, probe, server.store, "--timeout", "20000") as both:
        for i in range(20):
            for claimer in both:
                claimer.send(f"id-{i}")
            right[" ".join(sorted(claimer.answer() for claimer in both))] += 1
    tap.ok(right == {"granted spent": 20}, "X5 the same schedule, this ledger: one of two, 20 of 20 times", right)


def on_redis(tap, probe, race_program, directory, rng):
    with port(honest) as server:
        if not is_built(probe, server.store):
            tap.skip("redis", "built without hiredis")
            return
    played(tap, probe)
    played_slowly(tap, probe)
    at_random(tap, probe, rng)
    planted(tap, probe)
    if shutil.which("redis-server") is None:
        tap.skip("a real redis", "redis-server is not installed")
        return
    with redis(directory) as server:
        race(tap, "redis", probe, server.store, 30)
        race_threads(tap, "redis", race_program, server.store, 100)
        lifetimes(tap, probe, server)
        full_or_evicting(tap, probe, server)
        interrupted(tap, probe, server)
    persistent(tap, probe, directory, rng)


def quickly(tap, probe, directory):
    played(tap, probe)
    with redis(directory) as server:
        lifetimes(tap, probe, server)
        full_or_evicting(tap, probe, server)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("probe")
    options.add_argument("race", nargs="?")
    options.add_argument("--quick", action="store_true")
    options.add_argument("--seed", type=int, default=20261130)
    given = options.parse_args()
    print(f"# seed {given.seed}")
    tap, rng = Tap(), random.Random(given.seed)
    # In memory where possible: a killed process needs no disk (lost power does:
    # conformance/ledger_sqlite.c).
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None
    with tempfile.TemporaryDirectory(prefix="wkg-ledger-", dir=place) as name:
        if given.quick:
            quickly(tap, given.probe, pathlib.Path(name))
        else:
            on_sqlite(tap, given.probe, given.race, pathlib.Path(name), rng)
            on_redis(tap, given.probe, given.race, pathlib.Path(name), rng)
    tap.done()


if __name__ == "__main__":
    main()
