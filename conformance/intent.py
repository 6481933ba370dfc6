#!/usr/bin/env python3
"""X1: the public project's own hashes, and canonical text against Python's.

    intent.py PATH_TO_GATE_PROBE

The vectors of ../shared/vectors/upstream are read where they are present. The
second oracle is a few lines of Python: its json module for reading and strings,
its repr() for the digits of numbers, sorting by UTF-16."""
import hashlib
import json
import random
import subprocess
import sys

from harness import SHARED, Tap

VECTORS = SHARED / "vectors" / "upstream"


class Gate:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        line = " ".join((w.encode("utf-8", "surrogatepass").hex() or "-") if isinstance(w, Text) else str(w)
                        for w in words)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()


class Text(str):
    """An argument that goes over as hexadecimal."""


def number(value):
    """ECMAScript's Number::toString, from the digits of Python's repr()."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(float(abs(value))).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = int(exponent or 0) + len(whole) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0") or "0"
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    rest = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(n)}:{canonical(value[n])}" for n in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return number(value)


def digest(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def bindings_in(document):
    """Every (binding, hash, canonical text or None) in a vector file."""
    if isinstance(document, dict):
        if "binding" in document and "intent_hash" in document:
            yield document["binding"], document["intent_hash"], document.get("canonical_json")
        for value in document.values():
            yield from bindings_in(value)
    elif isinstance(document, list):
        for value in document:
            yield from bindings_in(value)


def vectors(tap, gate):
    if not VECTORS.is_dir():
        tap.skip("X1 upstream's hashes", "no ../shared/vectors/upstream")
        return
    found = 0
    for generation in "ab":
        for path in sorted((VECTORS / f"gen-{generation}").rglob("*.json")):
            document = json.loads(path.read_text(encoding="utf-8"))
            for binding, wanted, text in bindings_in(document):
                found += 1
                whole = "protocol_version" in binding
                answer = (gate.ask("bind", generation, Text(json.dumps(binding))) if whole
                          else gate.ask("canonical", Text(json.dumps(binding))))
                got = bytes.fromhex(answer[1]).decode() if answer[0] == "OK" else str(answer)
                tap.ok(digest(got) == wanted and (not whole or answer[2] == wanted) and text in (None, got),
                       f"X1 {path.relative_to(VECTORS)} reproduces {wanted[:20]}", answer[0], got[:200])
    tap.ok(found == 21, f"X1 all 21 bindings were found: {found}")


def frameworks(tap, gate):
    """Record, proposal and context of a framework to its pinned hash (CAN-B2)."""
    folder = VECTORS / "gen-b" / "frameworks"
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        v = json.loads(path.read_text(encoding="utf-8"))
        c = v["capture"]
        import datetime
        now = int(datetime.datetime.fromisoformat(c["captured_at"].replace("Z", "+00:00")).timestamp() * 1000)
        answer = gate.ask("capture", "b", Text(json.dumps(v["proposal"])), Text(json.dumps(v["trusted_context"])),
                          now, c["ttl_seconds"] * 1000, c["intent_id"])
        envelope = json.loads(bytes.fromhex(answer[1])) if answer[0] == "OK" else {}
        tap.ok(envelope.get("hash") == v["intent_hash"] and envelope.get("canonical") == v["canonical_json"],
               f"CAN-B2 {path.name}: captured to its pinned hash", answer[:3])
        opened = gate.ask("open", "b", Text(bytes.fromhex(answer[1]).decode())) if envelope else ["-"]
        tap.ok(opened[0] == "OK" and opened[2] == v["intent_hash"], f"X1 {path.name}: its envelope opens", opened[:1])


def random_value(r, depth=0):
    kind = r.randrange(9 if depth < 5 else 6)
    if kind == 0:
        return r.choice([None, True, False])
    if kind in (1, 2):
        return r.choice([r.randrange(-10**17, 10**17), r.uniform(-1e6, 1e6), r.random() * 10.0**r.randrange(-320, 308),
                         0, -0.0, 5e-324, 2**53 + 1, 1e21, 1e-7, 1.7976931348623157e308])
    if kind < 6:
        alphabet = "ab\u00e9\u4e2d\ufb33\U0001f600\"\\/\b\f\n\r\t\x00\x1f\x7f\u2028\ue000\uffff\U0010ffff01 "
        return "".join(r.choice(alphabet) for _ in range(r.randrange(8)))
    if kind == 6:
        return [random_value(r, depth + 1) for _ in range(r.randrange(5))]
    return {random_value(random.Random(r.random()), 9) if False else "".join(r.choice("ab0\u00e9\ufb33\U0001f600\x00\"19") for _ in range(r.randrange(4))):
            random_value(r, depth + 1) for _ in range(r.randrange(7))}


def differential(tap, gate, count=4000):
    r, wrong = random.Random(20261130), []
    for _ in range(count):
        value = random_value(r)
        answer = gate.ask("canonical", Text(json.dumps(value, ensure_ascii=r.random() < 0.5, indent=r.choice([None, 1]))))
        got = bytes.fromhex(answer[1]).decode() if answer[0] == "OK" and len(answer) > 1 else str(answer)
        if got != canonical(value):
            wrong += [ascii(value)[:200], ascii(got)[:200], ascii(canonical(value))[:200]]
    tap.ok(not wrong, f"X1 canonical text equals Python's on {count} random values", *wrong[:6])


def main():
    tap, gate = Tap(), Gate(sys.argv[1])
    vectors(tap, gate)
    frameworks(tap, gate)
    differential(tap, gate)
    tap.done()


if __name__ == "__main__":
    main()
