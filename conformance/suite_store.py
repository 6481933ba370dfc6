#!/usr/bin/env python3
"""An adapter for suite_parts.c: nothing but a ledger port that is forwarded to the runner."""
import itertools
import json
import os
import queue
import sys
import threading

HELLO = {
    "protocol": "wgcp/1", "implementation": {"name": "store", "version": "1", "language": "python", "source": ""},
    "components": ["grant"], "operations": ["grant.execute", "clock.set"], "profiles": ["reference"], "choices": {},
    "features": ["store.claim"], "fixed": [], "max_line": 65536, "max_inflight": 8, "slow_factor": 1,
}
answers, numbers, writing = {}, itertools.count(), threading.Lock()


def say(**line):
    with writing:
        print(json.dumps(line), flush=True)


def execute(request):
    call = f"k{next(numbers)}"
    answers[call] = queue.Queue()
    say(call=call, **{"for": request["id"]}, op="store.claim", args={"key": "g", "expires_s": 60, "now_ms": 0})
    try:
        answer = answers[call].get(timeout=1)
    except queue.Empty:
        answer = {}
    won = answer.get("ok", {}).get("claimed")
    say(id=request["id"], **({"ok": {"executed": True}} if won else {"err": {"code": "AUTHORIZATION_INVALID"}}))


for text in sys.stdin:
    line = json.loads(text)
    if "reply" in line:
        answers[line["reply"]].put(line)
    elif line["op"] != "grant.execute":
        say(id=line["id"], ok=HELLO if line["op"] == "hello" else {})
        if line["op"] == "bye":
            break
    elif line["args"]["envelope"] == "die":
        os._exit(1)
    else:
        threading.Thread(target=execute, args=[line], daemon=True).start()
