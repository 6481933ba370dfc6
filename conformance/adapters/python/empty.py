#!/usr/bin/env python3
"""Adapters that know nothing (`empty.py Z1` ... `Z13`): the runner must fail each of them, for its
own reason (suite/selftest.py)."""
import json
import sys
import time

if sys.argv[1] == "Z13":  # one race after the other, times made up, over a ledger that checks first
    import mutants
    sys.exit(mutants.run("Z13"))

import adapter
from guard import fence, sets

ID = sys.argv[1]
FORMS = {"s": "s", "json": "json", "v": "v"}


def hello(**changes):
    return {"ok": adapter.HELLO | {"operations": list(adapter.OPERATIONS)} | changes}


def everything_is_fine(op, args):
    """Allows whatever it is asked, and hands back what it was given."""
    no = {"truncated": False, "flagged": False, "stripped": 0, "replaced": 0, "patterns": []}
    digest = "sha256:" + "0" * 64
    plain = {
        "fence.wrap": lambda: {"s": f"{adapter.text(args['label'])}\n{fence.BEGIN}\n"
                                    f"{adapter.text(args['data'])}\n{fence.END}"},
        "fence.needs": lambda: {"needs": False}, "fence.render": lambda: {"s": args["template"]},
        "fence.constants": lambda: {"begin": fence.BEGIN, "end": fence.END, "contract": "all is well"},
        "sanitize.text": lambda: {"s": args["s"]} | members(no, "truncated stripped replaced"),
        "moderate.text": lambda: {"s": args["s"]} | members(no, "truncated flagged patterns"),
        "intent.canonical": lambda: {"canonical": args["json"], "hash": digest},
        "intent.bind": lambda: {"canonical": args["json"], "hash": digest},
        "intent.capture": lambda: {"envelope": args["proposal"], "canonical": "", "hash": digest},
        "intent.open": lambda: {"hash": digest},
        "grant.verify": lambda: {"grant_id": "g-1", "decision_id": "d-1", "dossier_id": "s-1",
                                 "expires_s": 1800000060},
        "grant.execute": lambda: {"executed": True}, "key.add": lambda: {"kid": "k1"},
        "grant.issue": lambda: {"decision": "{}"}, "ledger.claim": lambda: {"claimed": True},
        "handler.count": lambda: {"count": 1, "parameters": ["{}"]},
        "grant.race": lambda: {"results": [], "overlap": 2, "threads": 2},
    }
    if op in plain:
        return {"ok": plain[op]()}
    leaves = {"leaves": [], "stripped": 0, "replaced": 0, "truncated": 0, "dropped": 0}
    if op.startswith("moderate."):
        leaves = {"leaves": []} | members(no, "flagged truncated patterns")
    if op == "moderate.value":
        leaves["input"] = args["v"]
    if op.partition(".")[2] in ("json", "value"):
        name = "json" if op.endswith("json") else "v"
        return {"ok": {name: args[name]} | leaves}
    return {"ok": {"s": args["s"]} if "s" in args else {}}


def members(of, names):
    return {name: of[name] for name in names.split()}


def nothing_is_allowed(op, _args):
    codes = {"sanitize": "JSON_SYNTAX", "moderate": "JSON_SYNTAX", "fence": "TEMPLATE_SYNTAX",
             "intent": "INTENT_SCHEMA_INVALID"}
    return {"err": {"code": codes.get(op.partition(".")[0], "AUTHORIZATION_INVALID")}}


def constant(op, _args):
    """The same for every input."""
    args = {"s": "hello", "json": "{}", "v": {"t": "null"}, "label": "a", "data": "b",
            "template": "hello", "proposal": "{}"}
    return everything_is_fine(op, args)


# --- those that know the published vectors ----------------------------------------------------


def published():
    for path in sorted((sets.SUITE.parent / "vectors").glob("[a-z]*.json")):
        yield from json.loads(path.read_text("ascii"))["vectors"]


def outcome(item):
    expected = item.get("expect") or next(iter(item.get("expect_by", {}).values()), None)
    return expected if expected and "ok" in expected or "err" in (expected or {}) else None


def key(op, args):
    """Of a request, however its texts are written."""
    def plain(value):
        if isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith("$"):
            return adapter.text(value)
        if isinstance(value, dict):
            return {name: plain(item) for name, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, list) else value
    return json.dumps([op, plain(args)], sort_keys=True)


BY_ID, BY_ARGS = {}, {}
if ID in ("Z6", "Z7"):
    for vector in published():
        steps = vector.get("steps", [vector])
        for step in steps:
            if "op" in step and outcome(step) and "$step" not in json.dumps(step):
                BY_ID[vector["id"]] = outcome(step)
                BY_ARGS[key(step["op"], step["args"])] = outcome(step)


def complete(op, args, known):
    """A vector does not say every member; the rest is as if all were fine."""
    if "err" in known:
        return known
    return {"ok": everything_is_fine(op, args)["ok"] | known["ok"]}


ANSWERS = {
    "Z1": lambda op, args: {"skip": {"reason": "not today"}},
    "Z2": lambda op, args: {"ok": args},
    "Z3": everything_is_fine,
    "Z4": nothing_is_allowed,
    "Z5": constant,
}


def answer(request):
    op, args = request["op"], request["args"]
    if op == "hello":
        return hello(**{"Z9": {"components": ["fence"], "slow_factor": 1},
                        "Z12": {"components": [], "operations": [], "choices": {}}}.get(ID, {}))
    if op in ("configure", "reset", "bye"):
        return {"ok": {}}
    known = BY_ID.get(request["id"]) or BY_ARGS.get(key(op, args) if BY_ARGS else None)
    if known:
        return complete(op, args, known)
    return ANSWERS.get(ID, everything_is_fine)(op, args)


def main():
    held = None
    for line in sys.stdin:
        request = json.loads(line)
        op = request["op"]
        if ID == "Z8" and op != "hello":
            sys.exit(0)
        if ID == "Z9" and "." in op:
            time.sleep(3600)
        reply = {"id": request["id"], **answer(request)}
        if ID == "Z10" and "." in op:
            print("{" + json.dumps(reply), flush=True)
            continue
        if ID == "Z11" and op.startswith("fence.n"):  # two by two, each under the other's id
            if held is None:
                held = reply
                continue
            held["id"], reply["id"] = reply["id"], held["id"]
            print(json.dumps(held), flush=True)
            held = None
        print(json.dumps(reply), flush=True)
        if op == "bye":
            break


if __name__ == "__main__":
    main()
