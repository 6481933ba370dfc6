#!/usr/bin/env python3
"""The commands around grants, as a person and a script meet them: intent, key,
authority, execute; and the demo's third act.

usage: cli_gate.py PATH_TO_WICKETGATE PATH_TO_DEMO [CLAIMS...]

CLAIMS are names of the functions below (`key place`); without any, all."""
import base64
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import uuid

from harness import ROOT, SHARED, Collected, Tap

WICKETGATE, DEMO = (os.path.abspath(path) for path in sys.argv[1:3])
PAYLOAD = ROOT / "corpus" / "payload" / "hostile-order.json"
NOW = 1786701600000  # 2026-08-14T10:00:00.000Z
ID = "00000000-0000-4000-8000-000000000000"
TENANT = "7d444840-9dc0-41d1-b245-5ffdce74fad2"
SECRET = "hunter2-secret"

OPTIONS = {
    "intent capture": {"profile", "binding", "proposal", "context", "ttl", "now", "id"},
    "intent canonical": {"profile", "binding", "any"},
    "intent hash": {"profile", "binding"},
    "key generate": {"profile", "out"},
    "key public": {"profile"},
    "authority issue": {"profile", "binding", "key", "envelope", "unsafe-development",
                        "verdict", "now", "ttl"},
    "execute": {"profile", "binding", "envelope", "decision", "public-key", "issuer",
                "ledger", "actions", "now", "unsafe-development"},
}
REQUIRED = {
    "intent capture": {"binding": "b", "proposal": "p", "context": "c"},
    "intent hash": {"binding": "a"},
    "key generate": {"out": "k"},
    "authority issue": {"binding": "b", "key": "k", "envelope": "e"},
    "execute": {"binding": "b", "envelope": "e", "decision": "d", "public-key": "k",
                "ledger": "memory", "actions": "a"},
}

PLAIN = {k: v for k, v in os.environ.items()
         if k not in ("COLUMNS", "NO_COLOR", "WICKETGATE_ENV")}
PRODUCTION = PLAIN | {"WICKETGATE_ENV": "production"}

tap = Tap()
scratch = tempfile.TemporaryDirectory(prefix="wicketgate-gate-")
directory = pathlib.Path(scratch.name)
printed = []  # everything any command ever said, with its arguments
names = iter(range(10 ** 6))


def fresh(suffix=""):
    return directory / f"{next(names)}{suffix}"


def written(content, path=None):
    path = path or fresh()
    if not isinstance(content, (bytes, str)):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def run(*args, text=b"", program=WICKETGATE, **how):
    how = {"env": PLAIN, "cwd": directory} | how
    done = subprocess.run([program, *map(str, args)], capture_output=True, check=False, timeout=120,
                          **({"input": text} if "stdin" not in how else {}), **how)
    printed.append((args, done.stdout, done.stderr))
    return done.returncode, done.stdout, done.stderr


def expect(name, result, code, out=None, err=None):
    """`err` is what the one line on standard error says; None: nothing."""
    got_code, got_out, got_err = result
    holds = got_code == code and (out is None or got_out == out)
    holds &= (got_err == b"" if err is None else
              got_err.startswith(b"wicketgate: ") and got_err.count(b"\n") == 1
              and err.encode() in got_err)
    return tap.ok(holds, name, f"exit {got_code}, expected {code}", f"stdout {got_out!r:.300}",
                  f"stderr {got_err!r:.300}")


def refuses(name, args, code, err, **how):
    return expect(name, run(*args, **how), code, b"", err)


FEATURES = run("version")[1].decode().split("features ")[1].split("\n")[0].split()


# ---- a proposal, a context, and what follows from them

def proposal(**other):
    return {"action": "refund_order", "target": "ORDER-1042",
            "parameters": {"currency": "EUR", "amount": 350}} | other


def context(**other):
    return {"tenantId": TENANT, "actor": {"id": "agent-7", "type": "ai"},
            "downstreamTarget": {"system": "pay", "operation": "refund"},
            "idempotencyKey": "k-1"} | other


def capture(*options, what=None, where=None, binding="b", now=NOW):
    """The path of an envelope."""
    moment = [] if now is None else ["--now", now]
    code, out, err = run("intent", "capture", "--binding", binding, "--proposal",
                         written(what or proposal()), "--context",
                         written(where or context()), *moment, *options)
    assert code == 0 and not err, err
    return written(out)


def raised(envelope, count=0):
    """The envelope's text with another amount, in the first `count` places or
    all. Ids and hashes are random: they may hold the same three digits."""
    text, places = re.subn(r'(amount\\?": ?)350\b', r"\g<1>351", envelope, count=count)
    assert places == (count or 2), envelope
    return text


def issue(envelope, *options, key=None, binding="b", now=NOW, **how):
    """The path of a decision."""
    code, out, err = run("authority", "issue", "--unsafe-development", "--binding", binding,
                         "--key", key or KEY, "--envelope", envelope, "--now", now,
                         *options, **how)
    assert code == 0 and not err, err
    return written(out)


def new_key():
    path = fresh(".pem")
    assert run("key", "generate", "--out", path)[0] == 0
    public = written(run("key", "public", path)[1])
    return path, public


KEY, PUBLIC = new_key()
COUNTER = fresh()
PAY = written(f"#!/bin/sh\necho run >>{COUNTER}\nprintf 'paid '\ncat\n")
PAY.chmod(0o755)
AMOUNTS = {"amount": {"type": "integer", "minimum": 1, "maximum": 1000},
           "currency": {"type": "string", "pattern": "[A-Z]{3}"}}
ACTIONS = written({"refund_order": {"parameters": AMOUNTS, "handler": [str(PAY)]}})


def runs():
    return COUNTER.read_text().count("run") if COUNTER.exists() else 0


def execute_arguments(envelope, decision, ledger=None, actions=None, public=None,
                      binding="b", now=NOW):
    memory = ledger is None
    return ["execute", "--binding", binding, "--envelope", envelope, "--decision", decision,
            "--public-key", public or PUBLIC, "--actions", actions or ACTIONS,
            "--ledger", "memory" if memory else ledger, "--now", now,
            *(["--unsafe-development"] if memory else [])]


def execute(*args, how=None, options=(), **others):
    return run(*execute_arguments(*args, **others), *options, **(how or {}))


def refused(name, result, reason, stage, err=None):
    """Refused by the executor: a line of JSON and exit 1."""
    line = '{"executed":false,"reason":"%s","stage":"%s"}\n' % (reason, stage)
    return expect(name, result, 1, line.encode(), err)


def executed(name, result, text=None):
    code, out, err = result
    answer = json.loads(out) if code == 0 else {}
    return tap.ok(code == 0 and not err and answer.get("executed") is True
                  and answer.get("stage") == "done" and uuid.UUID(answer["grantId"])
                  and (text is None or answer["result"] == text), name, code, out, err)


# ---- intent

def wire(intent, binding):
    """The binding of an intent, by the book."""
    def some(source, **names):
        return {new: source[old] for new, old in names.items() if old in source}
    bound = some(intent, protocol_version="version", tenant_id="tenantId",
                 intent_id="intentId", captured_at="capturedAt", expires_at="expiresAt",
                 downstream_target="downstreamTarget",
                 expected_effect_digest="expectedEffectDigest")
    bound["actor"] = some(intent["actor"], id="id", type="type", runtime="runtime",
                          trust_level="trustLevel")
    bound["action"] = some(intent, type="action", resource="target", parameters="parameters")
    bound["context"] = dict(intent["context"])
    keeper = bound if binding == "a" else bound["context"]
    keeper["idempotency_key"] = intent["idempotencyKey"]
    return bound


def canonical(value):
    """RFC 8785, for what these tests hold: ASCII names, small integers."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def capture_claims():
    for binding in "ab":
        where = context(actor={"id": " a ", "type": "ai", "trustLevel": "low"},
                        context={"note": "\u4e2d"}, correlationId="c")
        raw = capture("--id", ID, "--ttl", "90", binding=binding, where=where).read_text()
        envelope = json.loads(raw)
        text = canonical(wire(envelope["intent"], binding))
        tap.ok(list(envelope) == ["intent", "canonical", "hash", "length"]
               and raw.endswith("}\n") and envelope["canonical"] == text
               and envelope["hash"] == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
               and envelope["length"] == len(text.encode()),
               f"X1 {binding}: text, hash and length follow from the intent", raw, text)
        intent = envelope["intent"]
        tap.ok(intent["intentId"] == ID and intent["capturedAt"] == "2026-08-14T10:00:00.000Z"
               and intent["expiresAt"] == "2026-08-14T10:01:30.000Z"
               and intent["actor"]["id"] == "a" and "correlationId" not in text,
               f"{binding}: --id, --now, --ttl; strings are trimmed", intent)
        bound = canonical(wire(intent, binding)).encode()
        expect(f"{binding}: intent canonical of the binding is that text",
               run("intent", "canonical", "--binding", binding, text=bound), 0, bound)
        expect(f"{binding}: intent hash of the binding is that hash",
               run("intent", "hash", "--binding", binding, text=b" " + bound + b"\n"), 0,
               envelope["hash"].encode() + b"\n")
        other = "b" if binding == "a" else "a"
        refuses(f"{binding}: read as {other} it is refused",
                ["intent", "hash", "--binding", other], 3, "INTENT_SCHEMA_INVALID", text=bound)

    one, two = (json.loads(capture(now=None).read_text())["intent"] for _ in "12")
    tap.ok(uuid.UUID(one["intentId"]).version == 4 and one["intentId"] != two["intentId"],
           "without --id it is a fresh UUID version 4")
    captured = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() - 5))
    tap.ok(one["capturedAt"] >= captured, "without --now it is now", one, captured)
    tap.ok(int(one["expiresAt"][14:16]) == (int(one["capturedAt"][14:16]) + 1) % 60,
           "without --ttl it is a minute")

    parts = ["--proposal", written(proposal()), "--context", "-"]
    code, out, _ = run("intent", "capture", "--binding", "b", *parts,
                       text=json.dumps(context()).encode())
    tap.ok(code == 0 and b"refund_order" in out, "one of the files can be standard input")
    refuses("but not both", ["intent", "capture", "--binding", "b", "--proposal", "-",
                             "--context", "-"], 2, "only once")

    deep = json.loads("[" * 19 + "]" * 19)
    for name, what, where, complaint in [
            ("malformed", b'{"action":', context(), "proposal at byte 10: INTENT_NOT_I_JSON"),
            ("a name twice", proposal(), b'{"a":1,"a":2}', "context at byte 7: INTENT_NOT_I_JSON"),
            ("a lone surrogate", b'{"action":"a","target":"\\ud800"}', context(),
             "proposal at byte 24: INTENT_NOT_I_JSON"),
            ("ill-formed UTF-8", b'{"a":"\xff"}', context(), "proposal at byte 6: INTENT_NOT"),
            ("X10 a claim to be approved", proposal(authorized=True), context(),
             "proposal at byte 101: INTENT_SCHEMA_INVALID: unknown member"),
            ("a member that is missing", proposal(), {}, "context at byte 0: INTENT_SCHEMA"),
            ("an action that is no name", proposal(action="DROP"), context(), "byte 11: INTENT_SC"),
            ("too deep", proposal(parameters={"x": deep}), context(), "INTENT_TOO_DEEP"),
            ("a long array", proposal(parameters={"x": [0] * 1001}), context(),
             "INTENT_ARRAY_TOO_LARGE"),
            ("too complex", proposal(parameters={"x": [[0] * 900] * 6}), context(),
             "INTENT_TOO_COMPLEX"),
            ("too large", proposal(parameters={"x": "x" * 102400}), context(), "INTENT_TOO_LARGE"),
            ("__proto__", proposal(parameters={"__proto__": 1}), context(), "UNSAFE_INTENT_KEY"),
            ("a reserved key in B", proposal(), context(context={"workload": 1}),
             "context at byte "),
            ("an infinite number", b'{"action":"a","target":"t","parameters":{"x":1e400}}',
             context(), "")]:
        refuses(f"capture: {name} is exit 3, with part, byte and reason",
                ["intent", "capture", "--binding", "b", "--proposal", written(what),
                 "--context", written(where)], 3, complaint)

    files = ["--binding", "b", "--proposal", written(proposal()), "--context", written(context())]
    for option, value, complaint in [
            ("ttl", "0", "from 1 to 300"), ("ttl", "301", "from 1 to 300"),
            ("ttl", "1.5", "from 1 to 300"), ("now", "-1", "from 0 to"), ("now", "", "from 0 to"),
            ("now", "253402300500000", "from 0 to 253402300499999"),
            ("id", "x", "must be a UUID, not 'x'"), ("id", ID.replace("-", ""), "UUID"),
            ("id", ID + "0", "UUID")]:
        refuses(f"capture --{option} {value!r}", ["intent", "capture", *files,
                                                  f"--{option}={value}"], 2, complaint)
    expect("the last moment there is", run("intent", "capture", *files, "--ttl=300",
                                           "--now=253402300499999"), 0)
    refuses("a proposal that is not there", ["intent", "capture", "--binding", "a", "--proposal",
                                             "missing", "--context", "missing"], 4, "'missing'")


def canonical_claims():
    for text, out in [
            ('{"b":1,"a":[1.0,-0,1e21,1e-7,true,null]}', '{"a":[1,0,1e+21,1e-7,true,null],"b":1}'),
            ('{"\\ufb33":1,"\\ud83d\\ude00":2}', '{"\U0001f600":2,"\ufb33":1}'),
            ('{"10":1,"9":2,"!":3}', '{"!":3,"10":1,"9":2}'),
            (' "\\u007f\\/\\u0001" ', '"\x7f/\\u0001"'), ("7", "7")]:
        expect(f"canonical --any of {text}", run("intent", "canonical", "--any",
                                                 text=text.encode()), 0, out.encode())
    for text, at in [(b"", 0), (b"[01]", 2), (b'{"a":1,"\\u0061":1}', 7), (b'"\xff"', 1),
                     (b"[1e400]", 1), (b'"\\udc00"', 1)]:
        refuses(f"canonical --any of {text} is exit 3", ["intent", "canonical", "--any"], 3,
                f"input at byte {at}: ", text=text)
    refuses("canonical needs to know of what", ["intent", "canonical"], 2, "--any is required")
    refuses("one of both", ["intent", "canonical", "--any", "--binding", "a"], 2, "--any")
    for binding, generation in ("a", "gen-a"), ("b", "gen-b"):
        path = SHARED / "vectors/upstream" / generation / "agent-safe-intent-v1.json"
        if not path.exists():
            tap.skip(f"the public project's vector, binding {binding}", "no ../shared")
            continue
        vector = json.loads(path.read_text())
        bound = next(v for v in vector.values() if isinstance(v, dict) and "tenant_id" in v)
        pinned = next(v for v in vector.values() if re.fullmatch("sha256:[0-9a-f]{64}", str(v)))
        expect(f"the public project's vector has its hash, binding {binding}",
               run("intent", "hash", "--binding", binding, text=json.dumps(bound).encode()), 0,
               pinned.encode() + b"\n")


# ---- key

def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))


def key_claims():
    for mask in 0o000, 0o022, 0o777:
        path = fresh()
        expect(f"key generate under umask {mask:03o}",
               run("key", "generate", "--out", path, umask=mask), 0, b"")
        tap.ok(stat.S_IMODE(path.stat().st_mode) == 0o600, "is a file of mode 0600",
               oct(path.stat().st_mode))
    pem = KEY.read_bytes()
    body = base64.b64decode(b"".join(pem.split(b"\n")[1:-2]))
    tap.ok(pem.startswith(b"-----BEGIN PRIVATE KEY-----\n") and len(body) == 48
           and body.startswith(bytes.fromhex("302e020100300506032b657004220420")),
           "it is PKCS#8 of Ed25519")
    tap.ok(path.read_bytes() != pem, "two keys differ")
    before = KEY.stat()
    refuses("it never overwrites", ["key", "generate", "--out", KEY], 4, "File exists")
    tap.ok(KEY.read_bytes() == pem and KEY.stat().st_mtime_ns == before.st_mtime_ns,
           "and leaves what was there")
    link = fresh()
    link.symlink_to(fresh())
    refuses("nor follows a link", ["key", "generate", "--out", link], 4, "File exists")
    tap.ok(not link.exists(), "to a file that is not there")
    refuses("a directory that is not there", ["key", "generate", "--out", "missing/k"], 4,
            "cannot create")
    refuses("a private key does not go to standard output", ["key", "generate", "--out", "-"],
            2, "to a file only")
    path = fresh()
    refuses("a device that is full", ["key", "generate", "--out", path], 4, "cannot write",
            preexec_fn=small_files)
    tap.ok(not path.exists(), "keeps no half of a key")

    public = PUBLIC.read_bytes()
    body = base64.b64decode(b"".join(public.split(b"\n")[1:-2]))
    tap.ok(public.startswith(b"-----BEGIN PUBLIC KEY-----\n") and len(body) == 44
           and body.startswith(bytes.fromhex("302a300506032b6570032100")),
           "key public prints SPKI of Ed25519")
    expect("key public of standard input", run("key", "public", "-", text=pem), 0, public)
    if openssl := shutil.which("openssl"):
        theirs = subprocess.run([openssl, "pkey", "-in", KEY, "-pubout"], capture_output=True,
                                check=False).stdout
        tap.ok(theirs == public, "openssl reads the one and prints the other", theirs)
    else:
        tap.skip("openssl reads the one and prints the other", "no openssl")
    for name, content in {"a public key": public, "nothing": b"", "garbage": b"x" * 100,
                          "two keys": pem + pem, "something behind it": pem + b"x",
                          "too much": b"\n" * 5000, "half of it": pem[:60]}.items():
        refuses(f"key public: {name} is exit 3", ["key", "public", written(content)], 3,
                "not the PEM of an Ed25519 private key")
    refuses("key public: no such file", ["key", "public", "missing"], 4, "cannot open")
    refuses("key public: a directory", ["key", "public", directory], 4, "cannot read")


# ---- authority

def part(token, index):
    text = token.split(".")[index]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def authority_claims():
    envelope = capture()
    decision = json.loads(issue(envelope).read_text())
    hashed = json.loads(envelope.read_text())["hash"]
    tap.ok(list(decision) == ["verdict", "decisionId", "dossierId", "intentHash", "reasonCodes",
                              "authorization", "failClosed"]
           and decision["verdict"] == "ALLOW" and decision["failClosed"] is False
           and decision["reasonCodes"] == ["FIXTURE_ALLOW"] and decision["intentHash"] == hashed,
           "X8 a decision, member by member", decision)
    tap.ok(uuid.UUID(decision["decisionId"].removeprefix("fixture_")).version == 4
           and uuid.UUID(decision["dossierId"].removeprefix("fixture_dossier_")).version == 4,
           "its ids are fresh", decision)
    token = decision["authorization"]["token"]
    claims = part(token, 1)
    thumbprint = base64.urlsafe_b64encode(hashlib.sha256(canonical({
        "crv": "Ed25519", "kty": "OKP", "x": base64.urlsafe_b64encode(base64.b64decode(
            PUBLIC.read_bytes().split(b"\n")[1])[12:]).decode().rstrip("=")}).encode())
        .digest()).decode().rstrip("=")
    tap.ok(part(token, 0) == {"alg": "EdDSA", "typ": "JWT", "kid": thumbprint},
           "the grant's header: EdDSA, JWT, the key's thumbprint", part(token, 0), thumbprint)
    tap.ok(uuid.UUID(claims.pop("jti")).version == 4 and claims == {
        "iss": "agent-safe-fixture", "aud": "pay:refund", "decision": "allow",
        "scope": "execute", "binding": {"intent_hash": hashed},
        "decision_id": decision["decisionId"], "dossier_id": decision["dossierId"],
        "iat": NOW // 1000, "nbf": NOW // 1000, "exp": NOW // 1000 + 60},
        "its claims, and no others", claims)
    tap.ok(decision["authorization"]["expiresAt"] == "2026-08-14T10:01:00.000Z",
           "expiresAt is its exp")
    for verdict in "BLOCK", "ESCALATE":
        other = json.loads(issue(envelope, "--verdict", verdict).read_text())
        tap.ok(other["verdict"] == verdict and other["authorization"] is None
               and other["reasonCodes"] == ["FIXTURE_" + verdict],
               f"{verdict} carries no grant", other)
    for name, ttl, later, left in [("--ttl 5 is five seconds", 5, 0, 5),
                                   ("a grant ends with its intent", 300, 0, 60),
                                   ("to the second", 60, 58_999, 2)]:
        token = json.loads(issue(envelope, "--ttl", ttl, now=NOW + later).read_text())
        claims = part(token["authorization"]["token"], 1)
        tap.ok(claims["exp"] - claims["iat"] == left, name, claims)

    arguments = ["authority", "issue", "--binding", "b", "--key", KEY, "--envelope", envelope]
    unsafe = ["--unsafe-development", "--now", NOW]
    refuses("X8 without --unsafe-development: exit 2, and why", arguments, 2,
            "approves whatever it is told to")
    refuses("X8 in production: exit 1", arguments + unsafe, 1, "FIXTURE_AUTHORITY_FORBIDDEN",
            env=PRODUCTION)
    refuses("before any file is looked at", ["authority", "issue", "--unsafe-development",
            "--binding", "b", "--key", "missing", "--envelope", "missing"], 1,
            "FIXTURE_AUTHORITY_FORBIDDEN", env=PRODUCTION)
    expect("in any other environment it works", run(
        *arguments, *unsafe, env=PLAIN | {"WICKETGATE_ENV": "staging"}), 0)
    for later in 60_000, 61_000, 10 ** 9:
        refuses(f"an intent that expired, {later} ms later: exit 1",
                [*arguments, "--unsafe-development", "--now", NOW + later], 1, "INTENT_EXPIRED")
    forged = written(raised(envelope.read_text()))
    for name, argument in {"an envelope that was changed": ["b", forged],
                           "no JSON": ["b", written("{")],
                           "the other binding": ["a", envelope]}.items():
        refuses(f"{name}: exit 3", ["authority", "issue", "--binding", argument[0], "--key", KEY,
                                    "--envelope", argument[1], *unsafe], 3,
                "envelope at byte 0: INTENT_CONFORMANCE_FAILED")
    refuses("a public key does not sign", ["authority", "issue", "--binding", "b", "--key", PUBLIC,
            "--envelope", envelope, *unsafe], 3, "private key")
    for ttl in 0, 301:
        refuses(f"--ttl {ttl}", [*arguments, *unsafe, "--ttl", ttl], 2, "from 1 to 300")
    refuses("--verdict allow", [*arguments, *unsafe, "--verdict", "allow"], 2, "unknown verdict")


# ---- execute

def round_trip_claims():
    for binding in "ab":
        envelope = capture(binding=binding)
        result = execute(envelope, issue(envelope, binding=binding), binding=binding)
        executed(f"{binding}: captured, approved, executed; the handler gets the canonical "
                 "parameters", result, 'paid {"amount":350,"currency":"EUR"}')
    envelope = capture(now=None)
    real = int(time.time() * 1000)
    arguments = execute_arguments(envelope, issue(envelope, now=real))
    at = arguments.index("--now")
    executed("without --now it is the clock's", run(*arguments[:at], *arguments[at + 2:]))
    for option in "envelope", "decision", "public-key", "actions":
        envelope = capture()
        arguments = execute_arguments(envelope, issue(envelope))
        at = arguments.index("--" + option) + 1
        path, arguments[at] = arguments[at], "-"
        executed(f"--{option} - is standard input", run(*arguments, text=path.read_bytes()))
    arguments[arguments.index("--decision") + 1] = "-"
    refuses("two of them cannot be", arguments, 2, "only once")


def refusal_claims():
    envelope, before = capture(), runs()
    decision = issue(envelope)
    text, verdict = envelope.read_text(), json.loads(decision.read_text())
    grant = verdict["authorization"]

    def decided(**other):
        return written(verdict | other)
    anew = capture(what=proposal(parameters={"currency": "EUR", "amount": 351}))
    for name, e, d, reason, stage in [
            ("BLOCK", envelope, issue(envelope, "--verdict", "BLOCK"),
             "DECISION_NOT_ALLOW", "decision"),
            ("ESCALATE", envelope, issue(envelope, "--verdict", "ESCALATE"),
             "DECISION_NOT_ALLOW", "decision"),
            ("BLOCK with a grant", envelope, decided(verdict="BLOCK"),
             "DECISION_NOT_ALLOW", "decision"),
            ("failClosed", envelope, decided(failClosed=True), "DECISION_NOT_ALLOW", "decision"),
            ("a decision that is no JSON", envelope, written("{"),
             "DECISION_NOT_ALLOW", "decision"),
            ("a decision that is empty", envelope, written(""), "DECISION_NOT_ALLOW", "decision"),
            ("351, captured anew", anew, decision, "INTENT_BINDING_MISMATCH", "binding"),
            ("an envelope that is no JSON", written("["), decision,
             "INTENT_BINDING_MISMATCH", "binding"),
            ("no authorization", envelope, decided(authorization=None),
             "AUTHORIZATION_MISSING", "authorized"),
            ("351 in the envelope, its hash kept", written(raised(text)), decision,
             "INTENT_CONFORMANCE_FAILED", "conform"),
            ("351 in the intent alone", written(raised(text, 1)), decision,
             "INTENT_CONFORMANCE_FAILED", "conform"),
            ("a length that lies", written(re.sub(r'"length":(\d)', r'"length":1\1', text)),
             decision, "INTENT_CONFORMANCE_FAILED", "conform"),
            ("a decision id that is another's", envelope, decided(decisionId="fixture_x"),
             "AUTHORIZATION_INVALID", "verify"),
            ("an expiry that is another's", envelope,
             decided(authorization=grant | {"expiresAt": "2026-08-14T10:00:59.000Z"}),
             "AUTHORIZATION_INVALID", "verify"),
            ("a signature that was changed", envelope,
             decided(authorization=grant | {"token": grant["token"][:-4] + "AAAA"}),
             "AUTHORIZATION_INVALID", "verify"),
            ("no signature", envelope,
             decided(authorization=grant | {"token": grant["token"].rpartition(".")[0] + "."}),
             "AUTHORIZATION_INVALID", "verify")]:
        refused(f"X3 {name}: {reason}", execute(e, d), reason, stage)
    other_key, other_public = new_key()
    refused("X6 another key verifies", execute(envelope, decision, public=other_public),
            "AUTHORIZATION_INVALID", "verify")
    refused("X6 another key signed", execute(envelope, issue(envelope, key=other_key)),
            "AUTHORIZATION_INVALID", "verify")
    refused("another issuer", execute(envelope, decision, options=["--issuer", "somebody"]),
            "AUTHORIZATION_INVALID", "verify")
    for later in 60_000, -1, 10 ** 9:
        refused(f"X6 {later} ms later the grant is not valid",
                execute(envelope, decision, now=NOW + later), "AUTHORIZATION_INVALID", "verify")
    refused("binding b read as a", execute(envelope, decision, binding="a"),
            "INTENT_CONFORMANCE_FAILED", "conform")
    elsewhere = written({"other": {"parameters": AMOUNTS, "handler": [str(PAY)]}})
    refused("X2 an action that is not in the table", execute(envelope, decision, actions=elsewhere),
            "ACTION_NOT_REGISTERED", "registry")
    narrow = written({"refund_order": {"parameters": AMOUNTS | {"amount": {
        "type": "integer", "maximum": 349}}, "handler": [str(PAY)]}})
    refused("X2 parameters that its table does not allow",
            execute(envelope, decision, actions=narrow), "ACTION_PARAMETERS_INVALID", "registry")
    tap.ok(runs() == before, "no refusal ran the handler")
    executed("a millisecond before it expires", execute(envelope, decision, now=NOW + 59_999))


def production_claims():
    envelope = capture()
    decision = issue(envelope)
    arguments = execute_arguments(envelope, decision, ledger=f"sqlite:{fresh()}")
    refused("X8 in production grants of the development authority are refused",
            run(*arguments, env=PRODUCTION), "FIXTURE_AUTHORITY_FORBIDDEN", "input")
    memory = execute_arguments(envelope, decision)
    refuses("--ledger memory needs --unsafe-development: exit 2, and why", memory[:-1], 2,
            "--ledger memory needs --unsafe-development")
    refuses("and is not for production", [*memory, "--issuer", "x"], 2, "not for production",
            env=PRODUCTION)
    if "sqlite" in FEATURES:
        refused("in production another issuer is verified as ever",
                run(*arguments, "--issuer", "x", env=PRODUCTION), "AUTHORIZATION_INVALID", "verify")


def once(name, ledger):
    """X5, X7 with separate processes over one ledger."""
    envelope, before = capture(), runs()
    decision = issue(envelope)
    narrow = written({"refund_order": {"parameters": {}, "handler": [str(PAY)]}})
    refused(f"X4 {name}: invalid parameters do not spend the grant",
            execute(envelope, decision, ledger, actions=narrow),
            "ACTION_PARAMETERS_INVALID", "registry")
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        results = list(pool.map(lambda _: execute(envelope, decision, ledger), range(24)))
    done = [out for code, out, _ in results if code == 0]
    spent = [out for code, out, _ in results if code == 1 and b'"stage":"claim"' in out
             and b"AUTHORIZATION_INVALID" in out]
    tap.ok(len(done) == 1 and len(spent) == 23 and runs() == before + 1,
           f"X5 {name}: of 24 processes one executes, 23 are AUTHORIZATION_INVALID",
           len(done), len(spent), runs() - before, *results[:2])
    refused(f"X7 {name}: nor does it execute later", execute(envelope, decision, ledger),
            "AUTHORIZATION_INVALID", "claim")
    envelope = capture()
    executed(f"{name}: another grant does", execute(envelope, issue(envelope), ledger))
    envelope = capture()
    decision = issue(envelope)
    failing = written({"refund_order": {"parameters": AMOUNTS, "handler": ["/bin/false"]}})
    refused(f"{name}: a handler that fails", execute(envelope, decision, ledger, actions=failing),
            "ACTION_EXECUTION_FAILED", "run", "the handler ended with status 1")
    refused(f"X4 {name}: has spent the grant", execute(envelope, decision, ledger),
            "AUTHORIZATION_INVALID", "claim")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def redis_claims():
    envelope = capture()
    decision = issue(envelope)
    port = free_port()
    refuses("redis: nobody there is exit 4",
            execute_arguments(envelope, decision, f"redis:127.0.0.1:{port}"), 4,
            "cannot use the ledger")
    for where in "", ":", "h", "h:", ":6379", "h:0", "h:65536", "h:x", "h:-1", "x" * 300 + ":1":
        refuses(f"redis:{where:.20} is exit 2",
                execute_arguments(envelope, decision, f"redis:{where}"), 2, "--ledger cannot be")
    server = shutil.which("redis-server")
    if not server:
        tap.skip("redis: once", "no redis-server")
        return
    with subprocess.Popen([server, "--port", str(port), "--bind", "127.0.0.1", "--save", "",
                           "--dir", directory], stdout=subprocess.DEVNULL) as process:
        try:
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            once("redis", f"redis:127.0.0.1:{port}")
        finally:
            process.terminate()


def ledger_claims():
    envelope = capture()
    decision = issue(envelope)
    for spec in "", "sqlite", "disk:x", "Memory", "memory:", "sqlite.db":
        refuses(f"--ledger {spec!r}", execute_arguments(envelope, decision, f"{spec}"), 2,
                "--ledger cannot be")
    if "sqlite" in FEATURES:
        once("sqlite", f"sqlite:{fresh('.db')}")
        for path in "missing/l.db", str(directory), written("not a database, " * 100):
            refuses(f"sqlite: {pathlib.Path(path).name} cannot be used: exit 4",
                    execute_arguments(envelope, decision, f"sqlite:{path}"), 4,
                    "cannot use the ledger")
        late = fresh(".db")
        executed("sqlite: a first claim", execute(envelope, decision, f"sqlite:{late}"))
        long_ago = NOW - 3 * 86_400_000
        envelope = capture(now=long_ago)
        refused("sqlite: a clock set back by more than the margin is refused, and it is said",
                execute(envelope, issue(envelope, now=long_ago), f"sqlite:{late}", now=long_ago),
                "AUTHORIZATION_INVALID", "claim", "the ledger cannot say")
    else:
        refuses("sqlite is not compiled in: exit 2", execute_arguments(
            envelope, decision, "sqlite:x"), 2, "built without SQLite")
    if "redis" in FEATURES:
        redis_claims()
    else:
        refuses("redis is not compiled in: exit 2", execute_arguments(
            envelope, decision, "redis:x:1"), 2, "built without Redis")


# ---- what runs

def script(text):
    path = written("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return [str(path)]


def handled(handler, timeout_ms=20000, what=None, how=None):
    """One execution with that handler: its result, and the seconds it took."""
    envelope = capture(what=what or proposal())
    row = {"parameters": AMOUNTS, "handler": handler, "timeout_ms": timeout_ms}
    if what:
        row["parameters"] = {"text": {"type": "string"}}
    actions, decision = written({"refund_order": row}), issue(envelope)
    started = time.monotonic()
    result = execute(envelope, decision, actions=actions, how=how)
    return result, time.monotonic() - started


def output(handler, **others):
    (code, out, err), _ = handled(handler, **others)
    return json.loads(out)["result"] if code == 0 and not err else f"exit {code}: {out} {err}"


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except OSError:
        return False


def are_gone(pids):
    """Killed processes, a moment after they were."""
    for _ in range(100):
        if not any(map(is_alive, pids.read_text().split())):
            return True
        time.sleep(0.05)
    return False


def place_claims():
    folder = os.open(directory, os.O_RDONLY)
    os.set_inheritable(folder, True)
    high = os.dup2(folder, 200)
    with open(directory / "open", "w+b") as file:
        os.set_inheritable(file.fileno(), True)
        how = {"close_fds": False, "env": PLAIN | {"SECRET": SECRET, "LD_LIBRARY_PATH": "/x",
                                                   "PATH": "/nowhere"}}
        listed = output(["/bin/ls", "/proc/self/fd"], how=how).split()
        variables = output(["/bin/cat", "/proc/self/environ"], how=how)
    os.close(folder)
    os.close(high)
    tap.ok(listed == ["0", "1", "2", "3"], "no descriptor is inherited (3 is ls's own)", listed)
    tap.ok(variables == "PATH=/usr/local/bin:/usr/bin:/bin\0",
           "PATH is the only variable, and not the caller's", variables)

    def ignore():
        for number in signal.SIGCHLD, signal.SIGHUP, signal.SIGPIPE:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGCHLD])
    masks = output(["/bin/grep", "^Sig[IB]", "/proc/self/status"], how={"preexec_fn": ignore})
    tap.ok(masks.split() == ["SigBlk:", "0" * 16, "SigIgn:", "0" * 16],
           "no signal is ignored or blocked, whoever ignores SIGCHLD", masks)
    fields = output(["/bin/cat", "/proc/self/stat"]).split()
    tap.ok(fields[0] == fields[4], "it leads a process group of its own", fields[:5])
    links = output(["/bin/ls", "-l", "/proc/self/fd"])
    tap.ok(links.count("pipe:") == 2 and "2 -> /dev/null" in links,
           "standard input and output are pipes, standard error goes nowhere", links)
    tap.ok(output(["/bin/echo", "a b", "$HOME", "\u4e2d", ""]) == "a b $HOME \u4e2d \n",
           "arguments are passed as they are: there is no shell")
    for gone in [0], [2], [0, 2]:
        def close(gone=gone):
            for number in gone:
                os.close(number)
        stdin = {} if 0 not in gone else {"stdin": subprocess.DEVNULL}
        tap.ok(output(["/bin/cat"], how=stdin | {"preexec_fn": close}) ==
               '{"amount":350,"currency":"EUR"}', f"it works without descriptors {gone}")


def ending_claims():
    def fails(name, handler, said, **others):
        result, seconds = handled(handler, **others)
        refused(name, result, "ACTION_EXECUTION_FAILED", "run", said)
        return seconds
    fails("exit 3 is failure", script("exit 3"), "ended with status 3")
    fails("death by a signal is failure", script("kill -KILL $$"), "died of signal 9")
    fails("SIGPIPE kills it as anybody else", script("kill -PIPE $$"), "died of signal 13")
    broken = written(b"\x7fELF nothing")
    broken.chmod(0o755)
    fails("what is no program is failure", [str(broken)], "ended with status 127")

    pids = fresh()
    seconds = fails("X3 a handler that hangs is killed",
                    script(f"trap '' TERM HUP INT\nsleep 60 & echo $$ $! >{pids}\nwait\n"),
                    "killed after 300 milliseconds", timeout_ms=300)
    tap.ok(seconds < 15, "in time", seconds)
    tap.ok(are_gone(pids), "with all that it started")
    seconds = fails("one that floods for ever, too", ["/usr/bin/yes", SECRET],
                    "killed after 400 milliseconds", timeout_ms=400)
    tap.ok(seconds < 15, "in time", seconds)
    fails("one that never reads, too", script("exec sleep 60"), "killed after 300", timeout_ms=300,
          what=proposal(parameters={"text": "x" * 90_000}))

    (code, out, err), _ = handled(["/usr/bin/head", "-c", "5000000", "/dev/zero"])
    answer = json.loads(out)
    tap.ok(code == 0 and not err and answer["result"] == "\0" * 65536
           and answer.get("truncated") is True, "a flood is cut at 65536 bytes, and it is said",
           code, err, out[-60:])
    for count, cut in (65536, False), (65537, True):
        (code, out, _), _ = handled(["/usr/bin/head", "-c", str(count), "/dev/zero"])
        tap.ok(code == 0 and ("truncated" in json.loads(out)) == cut, f"{count} bytes: {cut}")
    tap.ok(output(["/usr/bin/printf", r'\377"\\\n\342\200']) == '\ufffd"\\\n\ufffd',
           "a result that is no UTF-8 becomes JSON")
    tap.ok(output(["/bin/true"]) == "", "no output is an empty result")
    tap.ok(output(["/bin/true"], what=proposal(parameters={"text": "x" * 90_000})) == "",
           "a program need not read its input")
    large = '{"text":"' + "x" * 60_000 + '"}'
    tap.ok(output(["/bin/cat"], what=proposal(parameters=json.loads(large))) == large,
           "large parameters arrive whole")
    tap.ok(output(["/usr/bin/wc", "-c"], what=proposal(parameters={"text": "x" * 90_000})) ==
           "90011\n", "also if they are larger than a pipe")
    done = fresh()
    tap.ok(output(script(f"exec 1>&- 0<&-\nsleep 0.3\necho x >{done}\n")) == "" and done.exists(),
           "one that closes its output is waited for")
    result, seconds = handled(script(f"sleep 60 & echo $! >{pids}\necho started"))
    executed("one that leaves something behind is done", result, "started\n")
    tap.ok(seconds < 15 and are_gone(pids), "and what it left is killed", seconds)
    result, _ = handled(script(f"echo {SECRET} >&2\nexit 1"))
    tap.ok(SECRET.encode() not in b"".join(result[1:]), "X3 what it complains about is hidden")

    before = runs()
    envelope = capture()
    arguments = execute_arguments(envelope, issue(envelope))
    with open("/dev/full", "wb") as full:
        done = subprocess.run([WICKETGATE, *map(str, arguments)], stdout=full, env=PLAIN,
                              stderr=subprocess.PIPE, check=False)
    tap.ok(done.returncode == 4 and b"cannot write output" in done.stderr
           and b"the action was executed" in done.stderr and runs() == before + 1,
           "an answer that cannot be written: exit 4, and what happened", done.stderr)


# ---- the actions file

def actions_with(**row):
    return {"refund_order": {"parameters": {}, "handler": ["/bin/true"]} | row}


def field(**words):
    return actions_with(parameters={"amount": words})


def table_claims():
    envelope = capture()
    decision = issue(envelope)

    def bad(name, content, complaint):
        raw = content if isinstance(content, (bytes, str)) else \
            json.dumps(content, separators=(",", ":"))
        refuses(f"actions: {name} is exit 3",
                execute_arguments(envelope, decision, actions=written(raw)), 3,
                f"malformed actions at byte {complaint}")
    field_at = len('{"refund_order":{"parameters":{"amount":')
    for name, content, complaint in [
            ("nothing", "", "0: "), ("no object", "[]", "0: not an object"),
            ("a table cut short", '{"a":', "5: "), ("something behind it", "{} x", "3: "),
            ("an action twice", '{"a":{"parameters":{},"handler":["/bin/true"]},"a":{'
             '"parameters":{},"handler":["/bin/true"]}}', "47: "),
            ("an action that is none", '{"a":1}', "5: not an object"),
            ("an unknown word", {"a": {"paramters": {}}}, "6: unknown word"),
            ("no handler", {"a": {"parameters": {}}}, "5: no handler"),
            ("no parameters", {"a": {"handler": ["/bin/true"]}}, "5: no parameters"),
            ("a handler that is a string", {"a": {"handler": "/bin/true"}}, "16: not an array"),
            ("a handler that is empty", {"a": {"handler": []}}, "16: empty"),
            ("a handler with a number", {"a": {"handler": ["/x", 1]}}, "22: not a string"),
            ("a handler that is not absolute", {"a": {"handler": ["sh"]}}, "6: the program's"),
            ("an argument with a NUL", '{"a":{"handler":["/x","a\\u0000b"]}}', "24: no program"),
            ("an argument no program can get", '{"a":{"handler":["/x\\ud800"]}}', "20: no program"),
            ("no time", '{"a":{"timeout_ms":0}}', "19: not a whole number"),
            ("too much time", '{"a":{"timeout_ms":600001}}', "19: not a whole"),
            ("time to a point", '{"a":{"timeout_ms":1.5}}', "19: not a whole"),
            ("time as text", '{"a":{"timeout_ms":"1"}}', "19: not a number"),
            ("a field that is none", field() | {"refund_order": {"parameters": {"amount": 1}}},
             f"{field_at}: not an object"),
            ("a field without a type", field(optional=True), f"{field_at}: no type"),
            ("an unknown type", field(type="text"), f"{field_at + 8}: no such type"),
            ("an unknown word of a field", field(type="string", format="uuid"),
             f"{field_at + 17}: unknown word"),
            ("a minimum of a string", field(minimum=1, type="string"),
             f"{field_at + 1}: not for this type"),
            ("a length of a number", field(type="number", maxLength=3),
             f"{field_at + 17}: not for this type"),
            ("items of an object", field(type="object", items={"type": "any"}),
             f"{field_at + 25 + 8}: no such type"),
            ("a maxLength of 0, which the library takes for none",
             field(type="string", maxLength=0), f"{field_at + 29}: not a whole"),
            ("a maxLength below 0", field(type="string", maxLength=-1), f"{field_at + 29}: not a"),
            ("a minimum that is text", field(type="number", minimum="1"),
             f"{field_at + 27}: not a number"),
            ("a minimum beyond a double", '{"a":{"parameters":{"x":{"minimum":1e400}}}}',
             "35: number out of range"),
            ("optional: 1", field(type="number", optional=1), f"{field_at + 28}: neither"),
            ("an enum that is empty", field(type="string", enum=[]), f"{field_at + 24}: empty"),
            ("an enum with a number", field(type="string", enum=["a", 1]),
             f"{field_at + 29}: not a string"),
            ("an enum that cannot match", '{"a":{"parameters":{"x":{"enum":["\u4e2d"]}}}}',
             "34: plain ASCII"),
            ("a name that cannot match", '{"a":{"parameters":{"\u4e2d":{}}}}', "21: plain ASCII"),
            ("fields nested too deep", '{"a":{"parameters":{"x":' + '{"items":' * 20, "96: nested"),
    ]:
        bad(name, content, complaint)
    for pattern in ("^a$", "a|b", "(a)", r"\d", "[^a]", r"[\d]", "[]", "[a", "a]", "*a", "a**",
                    "a{2,3}", "a{", "a{}", "{2}", "a{99999}", "a+?", "[[a]]"):
        bad(f"a pattern that says something else here: {pattern}",
            field(type="string", pattern=pattern), f"{field_at + 27}: patterns have")

    for name, handler, complaint in [("is not there", "/missing", "No such file"),
                                     ("may not be run", str(written("x")), "Permission denied"),
                                     ("is a directory", "/bin", "not a program")]:
        refuses(f"actions: a program that {name} is exit 4, before the grant is spent",
                execute_arguments(envelope, decision, actions=written(
                    actions_with(handler=[handler]))), 4, f"handler of refund_order: {complaint}")


def parameter_claims():
    every = Collected(tap, "X2 words of the actions file mean what they say")

    def check(words, value, fits):
        envelope = capture(what=proposal(parameters={} if value is None else {"amount": value}))
        _, out, err = execute(envelope, issue(envelope), actions=written(field(**words)))
        stage = json.loads(out or "{}").get("stage")
        every.check(stage == ("done" if fits else "registry"), words, value, out, err)
    for words, fit, other in [
            ({"type": "string"}, ["", "x", "\u4e2d"], [1, True, ["x"], {}, None]),
            ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "\U0001f600a"],
             ["a", "abcd", "\U0001f600\U0001f600"]),
            ({"type": "string", "pattern": "[A-Z]{2}-[0-9]+.?"}, ["AB-1", "AB-12x"],
             ["AB-", "AB-12xy", "xAB-1", "AB-1\n\n"]),
            ({"type": "string", "enum": ["EUR", "USD"]}, ["EUR", "USD"], ["EU", "EURO", "eur"]),
            ({"type": "number", "minimum": 0, "maximum": 1.5}, [0, 1.5, 1e-300], [-1e-9, 1.6, "1"]),
            ({"minimum": -5, "type": "integer"}, [-5, 7.0, 9007199254740991],
             [-6, 7.5, 9007199254740992]),
            ({"type": "boolean"}, [True, False], [0, "true"]),
            ({"type": "boolean", "optional": True}, [True, None], [0]),
            ({"type": "boolean", "optional": False}, [True], [None]),
            ({"type": "array"}, [[], [1, "x", {}]], [{}, "x"]),
            ({"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "integer"}},
             [[1], [1, 2]], [[], [1, 2, 3], ["1"]]),
            ({"type": "object"}, [{}, {"any": [1]}], [[], "x"]),
            ({"type": "object", "properties": {}}, [{}], [{"x": 1}]),
            ({"type": "object", "properties": {
                "id": {"type": "string"}, "lines": {"type": "array", "optional": True, "items": {
                    "type": "object", "properties": {"n": {"type": "integer"}}}}}},
             [{"id": "x"}, {"id": "x", "lines": [{"n": 1}, {"n": 2}]}],
             [{}, {"id": 1}, {"id": "x", "lines": [{"n": "1"}]}, {"id": "x", "more": 1}])]:
        for value in fit:
            check(words, value, True)
        for value in other:
            check(words, value, False)
    many = {f"p{i}": {"type": "integer"} for i in range(40)}
    for missing in None, "p0", "p31", "p39":
        envelope = capture(what=proposal(parameters={n: 1 for n in many if n != missing}))
        _, out, _ = execute(envelope, issue(envelope), actions=written(
            actions_with(parameters=many)))
        every.check(json.loads(out or "{}").get("executed") is (missing is None), missing, out)
    rows = {f"action{i}": {"parameters": {}, "handler": ["/bin/echo", str(i)]} for i in range(40)}
    for i in 0, 1, 31, 39:
        envelope = capture(what=proposal(action=f"action{i}", parameters={}))
        _, out, _ = execute(envelope, issue(envelope), actions=written(rows))
        every.check(json.loads(out or "{}").get("result") == f"{i}\n", i, out)
    every.done()


# ---- usage, help, diagnostics

def usage_claims():
    for family, members in {"intent": 3, "key": 2, "authority": 1}.items():
        refuses(f"{family} alone", [family], 2, f"{family}: no command; see wicketgate {family} -")
        refuses(f"{family} with another word", [family, "x"], 2, "no such command")
        code, out, err = run(family, "--help")
        tap.ok(code == 0 and not err and out.count(f"\n  {family} ".encode()) == members,
               f"{family} --help lists its commands", out)
        expect(f"help {family} is the same", run("help", family), 0, out)
        refuses(f"help {family} x", ["help", family, "x"], 2, f"no such command '{family} x'")
    for words in ["intent capture"], ["intents", "capture"], ["capture"], ["execute now"]:
        refuses(f"{words}: no such command", words, 2, "no such command")
    for command, options in OPTIONS.items():
        words, needed = command.split(), REQUIRED.get(command, {})
        given = {name: [f"--{name}", value] for name, value in needed.items()}
        for name in needed:
            rest = [word for other in given if other != name for word in given[other]]
            refuses(f"{command} without --{name}", [*words, *rest], 2, f"--{name} ")
        every = [word for pair in given.values() for word in pair]
        operand = ["f"] if command == "key public" else []
        refuses(f"{command}: an argument too many", [*words, *every, *operand, "more"], 2,
                "unexpected argument 'more'")
        refuses(f"{command}: an unknown option", [*words, "--colour"], 2, "unknown option")
        refuses(f"{command}: an unknown profile", [*words, "--profile", "x"], 2, "unknown profile")
        for option in "--binding=a", "--unsafe-development", "--now=1", "--ledger=memory":
            if option[2:].split("=")[0] in options:
                refuses(f"{command}: {option} twice", [*words, option, option], 2, "twice")
        if "binding" in options:
            refuses(f"{command}: an unknown binding", [*words, "--binding", "A"], 2,
                    "unknown binding 'A'")
    refuses("key public without a file", ["key", "public"], 2, "FILE is required")
    refuses("an issuer of no letters", execute_arguments(KEY, KEY) + ["--issuer="], 2, "--issuer")
    refuses("a key that is private", execute_arguments(KEY, KEY, public=KEY), 3, "public key")
    small = base64.b64encode(bytes.fromhex("302a300506032b6570032100") + b"\1" + bytes(31)).decode()
    refuses("X6 a key of small order", execute_arguments(KEY, KEY, public=written(
        f"-----BEGIN PUBLIC KEY-----\n{small}\n-----END PUBLIC KEY-----\n")), 3, "public key")

    nasty, drawn = "x\u200b\u202e\x1b[31m\n", "x<U+200B><U+202E><U+001B>[31m<U+000A>"
    capture_it = ["intent", "capture", "--binding", "b", "--proposal", written(proposal()),
                  "--context", written(context())]
    for name, args in {
            "a command": ["intent", nasty, "--" + nasty], "a path": ["key", "public", nasty],
            "an id": capture_it + ["--id", nasty],
            "a new key's path": ["key", "generate", "--out", f"/missing/{nasty}"],
            "a ledger": execute_arguments(KEY, KEY, nasty),
            "a program": execute_arguments(KEY, KEY, actions=written(
                actions_with(handler=["/" + nasty])))}.items():
        code, out, err = run(*args)
        tap.ok(code in (2, 3, 4) and not out and err.count(b"\n") == 1 and b"\x1b" not in err
               and "\u200b" not in err.decode() and (name == "a command" or drawn in err.decode()),
               f"what is hidden in {name} is drawn", err)


def help_claims():
    overview = run("--help")[1].decode()
    path = f"{os.path.dirname(WICKETGATE)}:{PLAIN.get('PATH', '')}"
    place = fresh()
    place.mkdir()
    outputs = {}
    for command in ["intent capture", "key generate", "key public", "authority issue", "execute",
                    "intent canonical", "intent hash"]:
        code, out, err = run(*command.split(), "--help")
        text = out.decode()
        listed = set(re.findall(r"^  --(\S+)", text, re.M)) - {"help"}
        tap.ok(code == 0 and not err and listed == OPTIONS[command]
               and max(map(len, text.splitlines())) <= 80,
               f"{command} --help lists its options and no other, in 80 columns", listed)
        expect(f"help {command} is the same", run("help", *command.split()), 0, out)
        tap.ok(f"  {command} " in overview, f"--help names {command}")
        example = text.split("\nExample:\n", 1)[1]
        done = subprocess.run(["sh", "-c", example], cwd=place, env=PLAIN | {"PATH": path},
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        outputs[command] = done.stdout.decode()
        if command == "execute" and "sqlite" not in FEATURES:
            continue
        tap.ok(done.returncode == 0 and not done.stderr,
               f"the example of {command} --help works when pasted", example, done.stderr)
    tap.ok('"executed":true' in outputs["execute"] or "sqlite" not in FEATURES,
           "the examples, one after the other, execute something", outputs)
    tap.ok(outputs["intent canonical"] == '{"a":"\u20ac","b":100}', "and print what they should")
    tap.ok(max(map(len, overview.splitlines())) <= 80, "--help fits into 80 columns")
    tap.ok("gate" in FEATURES, "version names the gate")


# ---- the demo's third act

def demo_claims():
    def act(**other):
        code, out, err = run(PAYLOAD, program=DEMO, env=PLAIN | other)
        tap.ok(code == 0 and not err, "the demo tells its third act", code, err)
        return out.decode().partition("\n5. ")[2]
    page = act()
    table = re.sub(" +", " ", page)
    for name, needle in {
            "X5 one of a hundred threads executes": "\n 1 executed done\n",
            "and 99 are refused": "\n 99 refused claim AUTHORIZATION_INVALID\n",
            "X7 a replay": "once more claim AUTHORIZATION_INVALID\n",
            "X6 an expired grant": "expired verify AUTHORIZATION_INVALID\n",
            "X3 another intent": "351, captured anew binding INTENT_BINDING_MISMATCH\n",
            "X3 a forged one": "351, the hash kept conform INTENT_CONFORMANCE_FAILED\n",
            "X5 the handler ran once": "The handler ran 1 time. "}.items():
        tap.ok(needle in table, f"demo: {name}", page)
    tap.ok(all(act() == page for _ in range(5)), "it reads the same each time")
    for width in 50, 64, 80, 100:
        lines = act(COLUMNS=str(width)).splitlines()[1:]
        tap.ok(max(map(len, lines)) <= width, f"in {width} columns")
    page = act(WICKETGATE_ENV="production")
    tap.ok("FIXTURE_AUTHORITY_FORBIDDEN" in page and "executed" not in page,
           "X8 in production it does not issue grants", page)


def secret_claims():
    """Last: in all that was printed there is no private key, and a grant only
    where it is issued."""
    bodies = [key.read_bytes().split(b"\n")[1] for key in directory.glob("*.pem")]
    raw = [base64.b64decode(body)[-32:] for body in bodies]
    forms = [form for seed in raw for form in (
        seed, seed.hex().encode(), base64.b64encode(seed).rstrip(b"="),
        base64.urlsafe_b64encode(seed).rstrip(b"="))] + bodies
    clean = Collected(tap, "no private key, grant or complaint of a handler in any output")
    for args, out, err in printed:
        said = err if args[:2] == ("authority", "issue") else out + err
        clean.check(not any(form in out + err for form in forms)
                    and b"eyJhbGciOiJFZERTQSI" not in said and SECRET.encode() not in said, args)
    clean.done()
    tap.ok(len(bodies) >= 2 and len(printed) > 400, "R2 there was something to look at",
           len(bodies), len(printed))


for claims in (capture_claims, canonical_claims, key_claims, authority_claims, round_trip_claims,
               refusal_claims, production_claims, ledger_claims, place_claims, ending_claims,
               table_claims, parameter_claims, usage_claims, help_claims, demo_claims,
               secret_claims):
    if not sys.argv[3:] or claims.__name__.removesuffix("_claims") in sys.argv[3:]:
        claims()
scratch.cleanup()
tap.done()
