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
        tap.skip("CAN-1 CAN-2 the hashes of upstream", "no ../shared/vectors/upstream")
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
                       f"CAN-1 CAN-2 {path.relative_to(VECTORS)} reproduces {wanted[:20]}", answer[0], got[:200])
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


NOW, ID = 1786701600000, "11111111-1111-4111-8111-111111111111"
CONTEXT = {"tenantId": "00000000-0000-4000-8000-000000000002", "actor": {"id": "a", "type": "t"}, "idempotencyKey": "k",
           "downstreamTarget": {"system": "s", "operation": "o"}}


def capture(gate, binding, parameters, context=CONTEXT):
    proposal = {"action": "a", "target": "t", "parameters": parameters}
    answer = gate.ask("capture", binding, Text(json.dumps(proposal)), Text(json.dumps(context)), NOW, 60000, ID)
    return json.loads(bytes.fromhex(answer[1])) if answer[0] == "OK" else answer


def binding_of(binding, parameters, context=CONTEXT):
    """What is hashed, from upstream.md 1.1 and 2."""
    form = {"protocol_version": "agent-safe.intent/1", "tenant_id": context["tenantId"], "intent_id": ID,
            "captured_at": "2026-08-14T10:00:00.000Z", "expires_at": "2026-08-14T10:01:00.000Z", "actor": context["actor"],
            "action": {"type": "a", "resource": "t", "parameters": parameters}, "context": dict(context.get("context", {})),
            "downstream_target": context["downstreamTarget"]}
    (form if binding == "a" else form["context"])["idempotency_key"] = context["idempotencyKey"]
    if "expectedEffectDigest" in context:
        form["expected_effect_digest"] = context["expectedEffectDigest"]
    return form


def reversed_order(value):
    if isinstance(value, dict):
        return {name: reversed_order(value[name]) for name in reversed(value)}
    return [reversed_order(v) for v in value] if isinstance(value, list) else value


def captures(tap, gate, count=300):
    r, wrong = random.Random(14), []
    for i in range(count):
        parameters = {f"p{n}": random_value(r, 2) for n in range(r.randrange(6))}
        binding, text = "ab"[i % 2], canonical(binding_of("ab"[i % 2], parameters))
        wanted = {"canonical": text, "hash": digest(text), "length": len(text.encode())}
        for order in parameters, reversed_order(parameters):
            got = capture(gate, binding, order)
            if not isinstance(got, dict) or {name: got[name] for name in wanted} != wanted:
                wrong += [ascii(parameters)[:200], ascii(got)[:300], ascii(text)[:300]]
    tap.ok(not wrong, f"CAP-14 {count} random parameters in two orders: one text, hash and length, and Python's", *wrong[:6])

    shared = {"x": [1, {"y": None}]}
    got = capture(gate, "b", {"one": shared, "two": shared, "list": [shared, shared]})
    tap.ok(isinstance(got, dict) and got["canonical"].count(canonical(shared)) == 4, "CAP-12 the same object four times is four objects", got)
    full = CONTEXT | {"expectedEffectDigest": "sha256:" + "a" * 64, "correlationId": "c", "context": {"risk": 1}}
    for binding, context, names in (
            ("a", CONTEXT, "action actor captured_at context downstream_target expires_at idempotency_key intent_id protocol_version tenant_id"),
            ("b", CONTEXT, "action actor captured_at context downstream_target expires_at intent_id protocol_version tenant_id"),
            ("b", full, "action actor captured_at context downstream_target expected_effect_digest expires_at intent_id protocol_version tenant_id")):
        got = capture(gate, binding, {}, context)
        text = got["canonical"] if isinstance(got, dict) else "{}"
        tap.ok(list(json.loads(text)) == names.split() and text == canonical(binding_of(binding, {}, context)),
               f"CAP-B1 what is hashed in {binding} has exactly {len(names.split())} members", got)
    b = binding_of("b", {"amount": 350})
    fields = [(b, n) for n in b if isinstance(b[n], str) and n != "protocol_version"] + [(b[n], m) for n in ("actor", "downstream_target", "context") for m in b[n]] + \
             [(b["action"], "type"), (b["action"], "resource"), (b["action"]["parameters"], "amount")]
    other = {"tenant_id": ID, "intent_id": CONTEXT["tenantId"], "captured_at": "2026-08-14T10:00:00.001Z", "expires_at": "2026-08-14T10:01:00.001Z", "amount": 351}
    hashes = [gate.ask("bind", "b", Text(json.dumps(b)))]
    for holder, name in fields:
        kept, holder[name] = holder[name], other.get(name, "z")
        hashes.append(gate.ask("bind", "b", Text(json.dumps(b))))
        holder[name] = kept
    tap.ok({h[0] for h in hashes} == {"OK"} and len({h[2] for h in hashes}) == len(fields) + 1 == 13,
           "CAN-B1 twelve members, changed one at a time: thirteen hashes", hashes)


def main():
    tap, gate = Tap(), Gate(sys.argv[1])
    vectors(tap, gate)
    frameworks(tap, gate)
    differential(tap, gate)
    captures(tap, gate)
    tap.done()


if __name__ == "__main__":
    main()
