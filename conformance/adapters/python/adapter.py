#!/usr/bin/env python3
"""Adapter (PROTOCOL.md) of an implementation in plain Python of all five components, written from
SPEC.md. It lives in guard/; this file translates.

    adapter.py                  as it should be
    adapter.py --mutant F02     with one bug of mutants.py planted"""
import array
import json
import sys
import threading
import time

if __name__ == "__main__" and sys.argv[1:2] == ["--mutant"]:
    import mutants
    sys.exit(mutants.run(sys.argv[2]))

# pylint: disable=wrong-import-position
from guard import documents, fence, grant, intent, moderate, sanitize, texts  # noqa: E402
from guard.documents import Number, Refused  # noqa: E402
from guard.durable import Durable  # noqa: E402

HELLO = {
    "protocol": "wgcp/1",
    "implementation": {"name": "wicketgate-python", "version": "1.0", "language": "python",
                       "source": "conformance/adapters/python"},
    "components": ["sanitize", "fence", "moderate", "intent", "grant"],
    "profiles": ["reference", "hardened"],
    "choices": {"length_unit": ["codepoint", "utf16", "byte"], "dropped": ["null", "absent"],
                "numbers": ["text"], "output_tags": ["strip", "keep"],
                "canon": ["rfc8785", "ecma-index-order"], "intent_input": ["strict", "lenient"],
                "intent_unit": ["utf16", "codepoint", "byte"]},
    "features": ["text.bytes", "text.utf16", "counts", "paths", "patterns", "value.other",
                 "binding.a", "binding.b", "grant.jws", "stages", "store.claim", "threads",
                 "envelope.mutate", "verifier.patch", "store.reopen"],
    "fixed": [], "max_line": 8388608, "max_inflight": 64, "slow_factor": 5,
}

# --- texts and values (PROTOCOL.md 3) ---------------------------------------------------------


def forms(s):
    """Which tagged forms are in a text."""
    if isinstance(s, str):
        return set()
    (form, value), = s.items()
    inner = {"$rep": value[:1], "$cat": value}.get(form, ())
    return {form}.union(*map(forms, inner))


def raw(s, encoding):
    if isinstance(s, str):
        return s.encode(encoding)
    (form, value), = s.items()
    if form == "$hex":
        return bytes.fromhex(value)
    if form == "$u16":
        return array.array("H", (int(value[i:i + 4], 16) for i in range(0, len(value), 4))).tobytes()
    if form == "$rep":
        return raw(value[0], encoding) * value[1]
    return b"".join(raw(part, encoding) for part in value)


def text(s):
    if isinstance(s, str):
        return s
    found = forms(s)
    if "$hex" in found:
        return texts.from_utf8(raw(s, "utf-8"))
    if "$u16" in found:
        return texts.from_utf16(raw(s, "utf-16-le"))
    return raw(s, "utf-8").decode("utf-8")


def form_of(string):
    if string.isascii() or not texts.LONE.search(string):
        return str(string)
    if isinstance(string, texts.Damaged):
        return {"$hex": string.source.hex()}
    units = array.array("H", texts.to_utf16(string))
    return {"$u16": "".join(f"{unit:04x}" for unit in units)}


class Other:
    """A value of a kind that the implementation does not know."""


def value(v):
    kind = v["t"]
    if kind == "nest":
        result = value(v["v"])
        for _ in range(v["n"]):
            result = [result] if v["k"] == "arr" else {"k": result}
        return result
    return {"str": lambda: text(v["v"]), "bool": lambda: v["v"], "null": lambda: None,
            "num": lambda: Number(v["v"]), "other": Other,
            "arr": lambda: [value(item) for item in v["v"]],
            "obj": lambda: {text(name): value(item) for name, item in v["v"]},
            "ints": lambda: array.array("q", v["v"])}[kind]()


def only_item(what):
    """The kind and the one container in a container of one, or None."""
    if isinstance(what, list) and len(what) == 1 and isinstance(what[0], (list, dict)):
        return "arr", what[0]
    if isinstance(what, dict) and what.keys() == {"k"} and isinstance(what["k"], (list, dict)):
        return "obj", what["k"]
    return None


def value_form(what):
    nested = only_item(what)
    if nested:  # without recursion: it may be very deep
        kind, n = nested[0], 0
        while (inner := only_item(what)) and inner[0] == kind:
            what, n = inner[1], n + 1
        return {"t": "nest", "n": n, "k": kind, "v": value_form(what)}
    if isinstance(what, Number):
        return {"t": "num", "v": str(what)}
    if isinstance(what, str):
        return {"t": "str", "v": form_of(what)}
    if isinstance(what, bool):
        return {"t": "bool", "v": what}
    if what is None:
        return {"t": "null"}
    if isinstance(what, list):
        return {"t": "arr", "v": [value_form(item) for item in what]}
    if isinstance(what, dict):
        return {"t": "obj", "v": [[form_of(name), value_form(item)] for name, item in what.items()]}
    if isinstance(what, array.array):
        return {"t": "ints", "v": list(what)}
    return {"t": "other"}


# --- the current configuration ----------------------------------------------------------------


class World:
    """What `configure`, `clock.set` and `grant.setup` left."""

    def __init__(self):
        self.profile = "reference"
        self.sanitize = sanitize.Settings()
        self.moderate = moderate.Settings()
        self.intent = intent.Settings()
        self.reset()

    def configure(self, args):
        choices, limits = args["choices"], args["sanitize"]
        self.profile = args["profile"]
        self.sanitize = sanitize.Settings(self.profile, choices["length_unit"], choices["dropped"],
                                          limits["limits"], limits["max_depth"])
        self.moderate = moderate.Settings(self.profile, choices["output_tags"])
        self.intent = intent.Settings(choices["canon"], choices["intent_input"],
                                      choices["intent_unit"], **args["intent"])

    def reset(self):
        self.now_ms, self.gate, self.minted = 0, None, 0


world = World()

# --- operations -------------------------------------------------------------------------------


def source(args):
    if "trigger" in args:
        return sanitize.source_of_trigger(text(args["trigger"]))
    if args["source"] not in sanitize.SOURCES:
        raise Refused("BAD_ARGUMENT")
    return args["source"]


def sanitize_text(args):
    report = sanitize.Report()
    result, truncated = sanitize.sanitize_text(text(args["s"]), source(args), world.sanitize, report)
    return {"s": form_of(result), "truncated": truncated, "stripped": report.stripped,
            "replaced": report.replaced}


def sanitize_report(report):
    return {"leaves": report.leaves, "truncated": report.truncated, "dropped": report.dropped,
            "stripped": report.stripped, "replaced": report.replaced}


def sanitize_json(args):
    report = sanitize.Report()
    result = sanitize.sanitize_json(text(args["json"]), source(args), world.sanitize, report)
    return {"json": form_of(result), **sanitize_report(report)}


def sanitize_value(args):
    report = sanitize.Report()
    result = sanitize.sanitize_value(value(args["v"]), source(args), world.sanitize, report)
    return {"v": value_form(result), **sanitize_report(report)}


def bare_name(name):
    return sanitize.bare_name(name, world.sanitize)


def moderate_text(args):
    s, flagged, found, truncated = moderate.moderate_text(text(args["s"]), world.moderate)
    return {"s": s, "flagged": flagged, "truncated": truncated, "patterns": in_order(found)}


def in_order(found):
    return [name for name in moderate.PATTERNS if name in found]


def moderate_report(report):
    return {"leaves": report.leaves, "flagged": report.flagged, "truncated": report.truncated,
            "patterns": in_order(report.patterns)}


def moderate_json(args):
    report = moderate.Report()
    result = moderate.moderate_json(text(args["json"]), world.moderate, report, bare_name)
    return {"json": form_of(result), **moderate_report(report)}


def moderate_value(args):
    report, given = moderate.Report(), value(args["v"])
    result = moderate.moderate_value(given, world.moderate, report, bare_name)
    return {"v": value_form(result), **moderate_report(report), "input": value_form(given)}


def inline(args):
    if world.profile != "hardened":
        raise Refused("BAD_ARGUMENT")
    return {"s": fence.inline(text(args["s"]))}


def fence_render(args):
    return {"s": fence.render(text(args["template"]), text(args["state"]), args["mode"],
                              world.profile)}


def canonical(args):
    result, digest = intent.canonicalize(text(args["json"]), world.intent)
    return {"canonical": result, "hash": digest}


def bind(args):
    result, digest = intent.bind_document(text(args["json"]), args["binding"], world.intent)
    return {"canonical": result, "hash": digest}


def capture(args):
    envelope, result, digest = intent.capture(
        text(args["proposal"]), text(args["context"]), args["binding"], text(args["intent_id"]),
        args["now_ms"], args["ttl_ms"], world.intent)
    return {"envelope": envelope, "canonical": result, "hash": digest}


def open_envelope(args):
    return {"hash": intent.open_envelope(text(args["envelope"]), args["binding"], world.intent)[1]}


# --- grants -----------------------------------------------------------------------------------


def key_of(key):
    return {name: None if item is None else text(item) for name, item in key.items()}


def verify(args):
    keys = grant.Keys(map(key_of, args["keys"]))
    subject, digest = intent.open_envelope(text(args["envelope"]), args["binding"], world.intent)
    evidence = grant.verify(text(args["token"]), subject, digest, keys, text(args["issuer"]),
                            args["now_ms"])
    return {"grant_id": evidence["grantId"], "decision_id": evidence["decisionId"],
            "dossier_id": evidence["dossierId"],
            "expires_s": intent.instant_ms(evidence["expiresAt"]) // 1000}


def action_of(action):
    table = {name: field | {"one_of": [text(s) for s in field["one_of"]]}
             if "one_of" in field else field for name, field in action["parameters"].items()}
    return grant.Action(text(action["name"]), table, action["handler"])


def setup(args):
    ledgers = {"memory": grant.Ledger, "durable": Durable, "callback": CallbackLedger}
    ledger = ledgers[args["store"]](args.get("capacity"), args.get("margin_s"))
    keys = grant.Keys(map(key_of, args["keys"]))
    gate = grant.Gate(args["binding"], text(args["issuer"]), keys, ledger, world.intent)
    for action in args["actions"]:
        gate.registry.register(action_of(action))
    gate.registry.sealed = args["seal"]
    if world.gate:
        world.gate.ledger.close()
    world.gate = gate
    return {}


def seal(_args):
    world.gate.registry.sealed = True
    return {}


def revoke(args):
    world.gate.keys.revoke(text(args["kid"]))
    return {}


def issue(args):
    world.minted += 1
    environment = text(args.get("environment", "development"))
    authority = grant.Authority(world.gate, environment, args.get("allowed", True))
    return {"decision": authority.decide(text(args["envelope"]), args["verdict"], args["ttl_s"],
                                         world.now_ms, world.minted)}


def execute(args):
    envelope = [text(args["envelope"])]

    def change():
        if "during_claim" in args:
            envelope[0] = text(args["during_claim"]["envelope"])
    patch = {name: text(item) if isinstance(item, (str, dict)) else item
             for name, item in args.get("evidence", {}).items()}
    grant_id = world.gate.execute(envelope, text(args["decision"]), world.now_ms, patch, change)
    return {"executed": True, "grant_id": grant_id}


class Race:
    """All calls at once, from as many threads."""

    def __init__(self, calls, barrier):
        self.jobs = [(n, [text(call["envelope"])], text(call["decision"]))
                     for n, call in enumerate(calls) for _ in range(call["n"])]
        self.start = threading.Barrier(len(self.jobs) if barrier else 1)
        self.lock, self.inside, self.overlap, self.results = threading.Lock(), 0, 0, []

    def enter(self, step):
        with self.lock:
            self.inside += step
            self.overlap = max(self.overlap, self.inside)

    def call(self, n, envelope, decision):
        self.start.wait()
        code, start = None, time.monotonic_ns()
        self.enter(1)
        try:
            world.gate.execute(envelope, decision, world.now_ms)
        except grant.Rejected as refusal:
            code = refusal.args[0]
        self.enter(-1)
        end = time.monotonic_ns()
        with self.lock:
            self.results.append({"call": n, "executed": code is None, "code": code,
                                 "t0": start, "t1": end})

    def run(self):
        threads = [threading.Thread(target=self.call, args=job) for job in self.jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"results": self.results, "overlap": self.overlap, "threads": len(threads)}


def handler_count(args):
    action = world.gate.registry.actions.get(text(args["action"]))
    calls = action.calls if action else []
    return {"count": len(calls), "parameters": calls}


def ledger_claim(args):
    return {"claimed": world.gate.ledger.claim(text(args["id"]), args["expires_s"], world.now_ms)}


def reopen(args):
    world.gate.ledger.close(crash=args["crash"])
    if isinstance(world.gate.ledger, Durable):
        world.gate.ledger.open()
    return {}


def set_clock(args):
    world.now_ms = args["now_ms"]
    return {}


OPERATIONS = {
    "sanitize.text": sanitize_text, "sanitize.json": sanitize_json,
    "sanitize.value": sanitize_value,
    "fence.neutralize": lambda args: {"s": fence.neutralize(text(args["s"]), world.profile)},
    "fence.inline": inline,
    "fence.wrap": lambda args: {"s": fence.wrap(text(args["label"]), text(args["data"]),
                                                world.profile)},
    "fence.needs": lambda args: {"needs": fence.needs(text(args["s"]))},
    "fence.render": fence_render,
    "fence.constants": lambda args: {"begin": fence.BEGIN, "end": fence.END,
                                     "contract": fence.CONTRACT},
    "moderate.text": moderate_text, "moderate.json": moderate_json,
    "moderate.value": moderate_value,
    "intent.canonical": canonical, "intent.bind": bind, "intent.capture": capture,
    "intent.open": open_envelope,
    "grant.verify": verify, "clock.set": set_clock, "grant.setup": setup,
    "grant.register": lambda args: world.gate.registry.register(action_of(args["action"])) or {},
    "grant.seal": seal, "key.add": lambda args: {"kid": world.gate.keys.add(**key_of(args["key"]))},
    "key.revoke": revoke, "grant.issue": issue, "grant.execute": execute,
    "grant.race": lambda args: Race(args["calls"], args["barrier"]).run(),
    "handler.count": handler_count, "ledger.claim": ledger_claim, "store.reopen": reopen,
}

# --- the conversation -------------------------------------------------------------------------


class Line:
    """Standard output, one line at a time; and the calls whose replies are awaited."""

    def __init__(self):
        self.lock, self.calls, self.waiting = threading.Lock(), 0, {}

    def say(self, message):
        line = json.dumps(message, separators=(",", ":"))  # ASCII
        with self.lock:
            print(line, flush=True)

    def ask(self, op, args):
        """A store callback: the reply, or StoreDown."""
        with self.lock:
            self.calls += 1
            call = f"k{self.calls}"
            slot = self.waiting[call] = [threading.Event(), None]
        self.say({"call": call, "for": request_id.value, "op": op, "args": args})
        answered = slot[0].wait(1)
        with self.lock:
            del self.waiting[call]
        if not answered or "ok" not in slot[1]:
            raise grant.StoreDown("STORE_DOWN")
        return slot[1]["ok"]

    def hear(self, reply):
        with self.lock:
            slot = self.waiting.get(reply["reply"])
            if slot:
                slot[1] = reply
                slot[0].set()


line = Line()
request_id = threading.local()


class CallbackLedger:
    """The runner plays the store."""

    def __init__(self, _capacity, _margin_s):
        pass

    def claim(self, grant_id, expires_s, now_ms):
        return line.ask("store.claim", {"key": form_of(grant_id), "expires_s": expires_s,
                                        "now_ms": now_ms})["claimed"] is True

    def close(self, crash=False):
        """Nothing to do."""


def hello(args):
    if "wgcp/1" not in args["protocols"]:
        raise Refused("UNSUPPORTED_PROTOCOL")
    return HELLO | {"operations": list(OPERATIONS)}


CONVERSATION = {"hello": hello, "configure": lambda args: world.configure(args) or {},
                "reset": lambda args: world.reset() or {}, "bye": lambda args: {}}


def answer(op, args):
    work = CONVERSATION.get(op) or OPERATIONS.get(op)
    if work is None:
        return {"err": {"code": "UNSUPPORTED_OPERATION"}}
    try:
        return {"ok": work(args)}
    except grant.Rejected as refusal:
        code, stage = refusal.args
        return {"err": {"code": code, "stage": stage, "message": str(refusal)}}
    except (Refused, grant.StoreDown) as refusal:
        return {"err": {"code": refusal.args[0]}}
    except Exception as error:  # a bug is never a refusal
        return {"err": {"code": "INTERNAL", "message": repr(error)}}


def work(request):
    request_id.value = request["id"]
    line.say({"id": request["id"], **answer(request["op"], request["args"])})


def is_slow(request):
    """Executions that ask the runner: it must be heard meanwhile."""
    return request["op"] in ("grant.execute", "grant.race", "ledger.claim") and \
        world.gate is not None and isinstance(world.gate.ledger, CallbackLedger)


def main():
    for given in sys.stdin:
        request = json.loads(given)
        if "reply" in request:
            line.hear(request)
        elif is_slow(request):
            threading.Thread(target=work, args=(request,), daemon=True).start()
        else:
            work(request)
            if request["op"] == "bye":
                break


if __name__ == "__main__":
    main()
