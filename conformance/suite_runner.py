#!/usr/bin/env python3
"""The conformance runner among adapters that do everything wrong: each gets a clear verdict
and the documented exit code. Its reports are parsed by parsers that are not its own.

usage: suite_runner.py PATH_TO_WICKETGATE_CONFORMANCE"""
import concurrent.futures
import contextlib
import html.parser
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
import xml.etree.ElementTree

from harness import ROOT, Tap

RUNNER = os.path.abspath(sys.argv[1])
SUITE = ROOT / "conformance" / "suite"
TEMPLATE = SUITE / "template.py"
PASS, FAIL, USAGE, NO_ADAPTER, EXPECTED, INCOMPLETE, PARTIAL = range(7)

tap = Tap()
scratch = tempfile.TemporaryDirectory(prefix="wicketgate-suite-")
directory = pathlib.Path(scratch.name)

# What every hostile adapter is made of: the template, with one thing wrong.
HOSTILE = f"""
import json, os, signal, subprocess, sys, time
sys.path.insert(0, {str(SUITE)!r})
import template
real = template.answer
def say(text):
    print(text, end="", flush=True)
def reply(request, **more):
    return {{"id": request["id"], **real(request["op"], request["args"]), **more}}
def line(request, **more):
    return json.dumps(reply(request, **more)) + "\\n"
def loop(work, hello=None):
    for text in sys.stdin:
        request = json.loads(text)
        if request["op"] == "hello" and hello:
            request_hello = reply(request)
            request_hello["ok"] = {{**request_hello["ok"], **hello}}
            say(json.dumps(request_hello) + "\\n")
        elif "." in request["op"]:
            work(request)
        else:
            say(line(request))
            if request["op"] == "bye":
                break
"""


def adapter(name, body):
    path = directory / f"adapter_{name}.py"
    path.write_text(HOSTILE + body, encoding="ascii")
    return [sys.executable, str(path)]


def call(*args):
    return subprocess.run([RUNNER, *map(str, args)], capture_output=True, check=False,
                          timeout=300, stdin=subprocess.DEVNULL)


def run(command, *options):
    """(exit code, report or None, everything that was written for people)"""
    with tempfile.NamedTemporaryFile(dir=directory, suffix=".json") as file:
        done = call("run", "--json", file.name, *options, "--", *command)
        text = pathlib.Path(file.name).read_bytes()
    return done.returncode, json.loads(text) if text else None, done.stdout + done.stderr


def failures(report):
    return {r["failure"] for r in report["results"] if r["verdict"] == "FAIL"}


def result(report, name):
    return next(r for r in report["results"] if r["id"] == name)


# name: (what goes wrong, the adapter, options, exit code, failure, words that say so)
ONE = ["--only", "FN-0001"]
SHORT = ["--only", "FN-00*"]
BROKEN = {
    "hello_hang": ("never answers hello", "time.sleep(60)", ONE, NO_ADAPTER, None, "no reply to hello"),
    "hello_exit": ("exits at once with 0", "", ONE, NO_ADAPTER, None, "exited with status 0 before bye"),
    "hello_garbage": ("greets in words", "say('Hello!\\n'); time.sleep(60)", ONE, NO_ADAPTER, None, "not JSON"),
    "hello_short": ("leaves members of hello out",
                    "loop(lambda r: 0, hello={}) if 0 else [say(json.dumps({'id': json.loads(t)['id'],"
                    " 'ok': {'protocol': 'wgcp/1'}}) + '\\n') for t in sys.stdin]", ONE, NO_ADAPTER, None, "has no member"),
    "hello_other": ("speaks another protocol", "loop(lambda r: 0, hello={'protocol': 'wgcp/9'})", ONE,
                    NO_ADAPTER, None, "protocol"),
    "hello_extra": ("claims a component that does not exist",
                    "loop(lambda r: 0, hello={'components': ['magic']})", ONE, NO_ADAPTER, None, "magic"),
    "exit0": ("exits with 0 in the middle", "loop(lambda r: os._exit(0))", ONE, FAIL, "CRASH",
              "exited with status 0 before bye, and again"),
    "exit0_all": ("exits with 0 whatever it is asked", "loop(lambda r: os._exit(0))", [], FAIL, "CRASH", "not asked: three"),
    "signal": ("dies by a signal", "loop(lambda r: os.kill(os.getpid(), signal.SIGSEGV))", ONE, FAIL, "CRASH", "signal 11"),
    "hang": ("hangs", "loop(lambda r: time.sleep(60))", ONE, FAIL, "HANG", "no reply to fence.neutralize within 2.0 s"),
    "hang_all": ("hangs whatever it is asked", "loop(lambda r: time.sleep(60))", SHORT, FAIL, "HANG", "again in a fresh process"),
    "deaf": ("stops reading", "loop(lambda r: [os.close(0), time.sleep(60)])", ONE, FAIL, "HANG", "no reply"),
    "drip": ("answers a byte at a time",
             "def work(r):\n    for c in line(r):\n        say(c); time.sleep(0.3)\nloop(work)", ONE, FAIL, "HANG", "no reply"),
    "garbage": ("prints words between the lines", "loop(lambda r: say('debug: here\\n' + line(r)))", ONE, FAIL, "PROTOCOL",
                "not JSON: 'debug: here'"),
    "empty": ("prints empty lines", "loop(lambda r: say('\\n' + line(r)))", ONE, FAIL, "PROTOCOL", "a value is missing"),
    "wrong_id": ("answers with an id of its own", "loop(lambda r: say(line(r, id='zzz')))", ONE, FAIL, "PROTOCOL", "an id nobody asked"),
    "twice": ("answers twice", "loop(lambda r: say(line(r) * 2))", SHORT, FAIL, "PROTOCOL", "an id that is used up"),
    "late_second": ("answers twice, the second time before bye",
                    "late = []\ndef work(r):\n    say(line(r)); late.append(line(r))\nreal_bye = template.answer\n"
                    "def answer(op, args):\n    if op == 'bye': say(late[0])\n    return real_bye(op, args)\nreal = answer\nloop(work)",
                    ONE, FAIL, "PROTOCOL", "an id that is used up"),
    "swapped": ("swaps the ids of two requests",
                "held = []\ndef work(r):\n    held.append(r)\n    if len(held) == 2:\n        a, b = held; held.clear()\n"
                "        say(line(a, id=b['id']) + line(b, id=a['id']))\nloop(work)",
                ["--only", "FN-000*"], FAIL, "MISMATCH", ""),
    "flood": ("floods with replies", "def work(r):\n    while True: say(line(r, id='zzz') * 1000)\nloop(work)", ONE, FAIL, "PROTOCOL", ""),
    "flood_line": ("floods without a line end", "def work(r):\n    while True: say('x' * 65536)\nloop(work)", ONE, FAIL, "PROTOCOL",
                   "longer than max_line"),
    "long_line": ("answers with a line longer than it declared",
                  "loop(lambda r: say(line(r, err={'code': 'INTERNAL', 'message': 'x' * 70000}, ok=None)), hello={'max_line': 65536})",
                  ONE, FAIL, "PROTOCOL", "longer than max_line"),
    "raw": ("writes characters outside ASCII", "loop(lambda r: say(line(r)[:-3] + ',\"x\":\"\\u200b\"}\\n'))", ONE, FAIL, "PROTOCOL",
            "not printable ASCII"),
    "latin": ("writes bytes that are no UTF-8",
              "loop(lambda r: [sys.stdout.buffer.write(b'\\xff\\xfe\\n'), sys.stdout.buffer.flush()])", ONE, FAIL, "PROTOCOL", "\\xff"),
    "surrogate": ("writes half a surrogate pair", "loop(lambda r: say(line(r, ok={'s': '\\ud83d'})))", ONE, FAIL, "PROTOCOL", "lone surrogate"),
    "member_twice": ("says a member twice", "loop(lambda r: say(line(r)[:-2] + ',\"id\":\"x\"}\\n'))", ONE, FAIL, "PROTOCOL", "comes twice"),
    "member_more": ("says a member too many", "loop(lambda r: say(line(r, note='x')))", ONE, FAIL, "PROTOCOL", "not a reply"),
    "member_less": ("leaves a member out", "loop(lambda r: say(line(r, ok={})))", ONE, FAIL, "PROTOCOL", "has no member 's'"),
    "float": ("writes a number with a fraction", "loop(lambda r: say(line(r, ok={'s': 'x', 'stripped': 1.5})))", ONE, FAIL, "PROTOCOL",
              "not an integer"),
    "hex": ("uses a form that it did not declare", "loop(lambda r: say(line(r, ok={'s': {'$hex': '41'}})))", ONE, FAIL, "PROTOCOL",
            "without the feature text.bytes"),
    "code": ("refuses with a code that does not exist", "def work(r):\n    say(json.dumps({'id': r['id'], 'err': {'code': 'NO'}}) + '\\n')\nloop(work)",
             ONE, FAIL, "PROTOCOL", "not a reply"),
    "deep": ("answers nested a million deep", "loop(lambda r: say('[' * 1000000 + '\\n'))", ONE, FAIL, "PROTOCOL", "nested too deeply"),
    "call": ("calls a store nobody plays",
             "loop(lambda r: say(json.dumps({'call': 'k', 'for': r['id'], 'op': 'store.get', 'args': {'key': 'g'}}) + '\\n'))", ONE, FAIL,
             "PROTOCOL", "nobody plays the store"),
    "internal": ("answers err INTERNAL", "def work(r):\n    say(json.dumps({'id': r['id'], 'err': {'code': 'INTERNAL'}}) + '\\n')\nloop(work)",
                 ONE, FAIL, "MISMATCH", "got err: INTERNAL"),
    "bye_late": ("lives on after bye", "loop(lambda r: say(line(r)))\ntime.sleep(60)", ONE, FAIL, "HANG", "did not exit within 5 s of bye"),
    "bye_status": ("exits with 3 after bye", "loop(lambda r: say(line(r)))\nsys.exit(3)", ONE, FAIL, "CRASH", "status 3 after bye"),
    "bye_talk": ("talks on after bye", "loop(lambda r: say(line(r)))\nsay('bye bye\\n')", ONE, FAIL, "PROTOCOL", "more output after"),
    "closed": ("closes its output and lives on", "loop(lambda r: [os.close(1), time.sleep(60)])", ONE, FAIL, "CRASH", "closed its standard output"),
    "once": ("crashes once and never again",
             f"marker = {str(directory / 'once')!r}\ndef work(r):\n    if not os.path.exists(marker):\n        open(marker, 'w'); os._exit(9)\n"
             "    say(line(r))\nloop(work)", SHORT, FAIL, "CRASH", "but not when asked again"),
    "hello_changes": ("says another hello after a restart",
                      f"marker = {str(directory / 'hello')!r}\nold = os.path.exists(marker)\nopen(marker, 'w')\n"
                      "loop(lambda r: os._exit(1), hello={'max_inflight': 7 if old else 8})", ONE, FAIL, "CRASH", "hello differs"),
    "configure": ("refuses to be configured",
                  "def answer(op, args):\n    if op == 'configure': return {'err': {'code': 'UNSUPPORTED_CONFIG'}}\n"
                  "    return template.answer(op, args)\nreal = answer\nloop(lambda r: say(line(r)))", ONE, FAIL, "CRASH", "UNSUPPORTED_CONFIG"),
    "nothing": ("claims nothing", "loop(lambda r: say(line(r)), hello={'components': []})", [], FAIL, None, "NOTHING TESTED"),
    "skips": ("skips everything", "def work(r):\n    say(json.dumps({'id': r['id'], 'skip': {'reason': 'not today'}}) + '\\n')\nloop(work)",
              ONE, FAIL, None, "NOTHING TESTED"),
}


def judge(name):
    what, body, options, *_ = BROKEN[name]
    start = time.monotonic()
    code, report, told = run(adapter(name, body), *options)
    return code, report, told.decode(), time.monotonic() - start


def hostile_adapters():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for name, (code, report, told, took) in zip(BROKEN, pool.map(judge, BROKEN)):
            what, _, _, expected, failure, words = BROKEN[name]
            said = told + json.dumps(report)
            holds = code == expected and words in said and took < 60
            holds &= (report is None) == (expected == NO_ADAPTER)
            if report:
                holds &= failure is None or failure in failures(report)
                holds &= report["footer"]["complete"] and report["footer"]["exit"] == code
                holds &= report["footer"]["verdict"] != "CONFORMANT"
            tap.ok(holds, f"an adapter that {what}: exit {expected}{f', {failure}' * bool(failure)}",
                   f"exit {code} after {took:.1f} s", *told.splitlines()[-12:])


def whole_adapters():
    good = adapter("good", "loop(lambda r: say(line(r)))")
    code, report, _ = run(good, *SHORT)
    tap.ok(code == PASS and report["footer"]["verdict"] == "PARTIAL",
           "a part of the suite that passes gives 0, but never the word conformant", report)
    code, report, told = run(good)
    unproven = [r for r in report["results"] if r["verdict"] == "UNPROVEN"]
    tap.ok(code == PARTIAL and unproven and b"fence.render is not among" in told,
           "a MUST that cannot be asked is UNPROVEN: exit 6")
    tap.ok(run(good, "--allow-partial")[0] == PASS, "... and with --allow-partial 0")
    loud = adapter("loud", "def work(r):\n    sys.stderr.write('x' * 300000); sys.stderr.flush(); say(line(r))\nloop(work)")
    code, report, _ = run(loud, "--only", "FN-000*")
    tap.ok(code == PASS, "floods on standard error do no harm")
    last = adapter("last", "def work(r):\n    sys.stderr.write('\\x1b[2J\\u202e last words\\n'); os._exit(1)\nloop(work)")
    code, report, _ = run(last, *ONE)
    tap.ok("last words" in report["incidents"][0]["stderr"] and "\x1b" not in report["incidents"][0]["stderr"],
           "the last words on standard error are kept, in ASCII", report["incidents"])
    slow = adapter("slow", "def work(r):\n    time.sleep(2.6); say(line(r))\nloop(work, hello={'slow_factor': 2})")
    tap.ok(run(slow, *ONE)[0] == PASS, "slow_factor multiplies the timeouts")
    tap.ok(run(adapter("late", "def work(r):\n    time.sleep(2.6); say(line(r))\nloop(work)"), "--patience", "2", *ONE)[0] == PASS,
           "and so does --patience")
    pair = adapter("backwards", "held = []\ndef work(r):\n    held.append(line(r))\n    if len(held) == 2:\n"
                                "        say(held.pop() + held.pop())\nloop(work)")
    code, report, _ = run(pair, "--only", "FN-0001")
    tap.ok(code == PASS, "pure operations may be answered in any order (a vector is asked twice)", report)


def false_greens():
    """Ways to look conformant without being it."""
    more = adapter("more", "loop(lambda r: say(line(r)), hello={'components': ['fence', 'gateway']})")
    code, report, told = run(more, "--cases", "300", "--component", "fence")
    tap.ok(result(report, "PR-CLAIMS")["verdict"] == "PASS", "of a part that was chosen nothing else is asked")
    code, report, told = run(more)
    claims = result(report, "PR-CLAIMS")
    tap.ok(claims["verdict"] == "UNPROVEN" and "gateway" in claims["detail"] and "gateway" in report["header"]["components"]
           and report["footer"]["verdict"] == "PARTIAL", "a component that nothing asks about is UNPROVEN, not conformant", claims)
    tap.ok(result(report, "P-FN5")["verdict"] == "NOT_APPLICABLE" and "sanitize is not claimed" in result(report, "P-FN5")["detail"],
           "what ties two components together asks nothing of who has one", result(report, "P-FN5"))
    few = adapter("few", "loop(lambda r: say(line(r)))")
    code, report, told = run(few, "--cases", "299")
    tap.ok(report["header"]["filtered"] and b"only a part of it was asked" in told, "with fewer cases than usual only a part was asked")
    slow = adapter("leisurely", "def work(r):\n    time.sleep(0.06); say(line(r))\nloop(work)")
    code, report, told = run(slow, "--only", "P-FN1", "--time", "1")
    tap.ok(code == PARTIAL and result(report, "P-FN1")["verdict"] == "UNPROVEN" and b"--time gives more" in told,
           "who answers so slowly that a property tries a few cases only has proven nothing", told.decode()[-300:])
    code, report, told = run(few, *ONE)
    tap.ok(told.decode().splitlines()[-1] == "PARTIAL: fence (reference), only a part of it was asked",
           "the verdict says what it is about", told.decode())


def big_replies():
    huge = adapter("huge", "def work(r):\n    say(json.dumps({'id': r['id'], 'err': {'code': 'INTERNAL', 'message': '\\u202e' + 'x' * 1000000}}) + '\\n')\n"
                           "loop(work)")
    code, report, told = run(huge, *ONE)
    message = result(report, "FN-0001")["reply"]["err"]["message"]
    tap.ok(code == FAIL and 1000 < len(message) < 5000 and "(cut: 1000003 bytes)" in message, "a report shows the start of a megabyte", message[-60:])


def aborted():
    """Whoever ended the process is not buried under what was not asked because of that."""
    page = directory / "aborted.html"
    dying = adapter("dying", "loop(lambda r: os._exit(3) if r['op'] == 'fence.wrap' else say(line(r)))")
    code, report, told = run(dying, "--only", "FN-0*", "--html", page)
    left = [r for r in report["results"] if r.get("aborted")]
    told, text = told.decode(), page.read_text(encoding="ascii")
    tap.ok(code == FAIL and len(left) > 20 and all(r["verdict"] == "FAIL" for r in left), "what was not asked any more fails")
    tap.ok(f"ABORTED: {len(left)} more" in told and "exited with status 3" in told and f"CRASH {left[0]['id']} " not in told,
           "but it is counted, not told", told[-900:])
    tap.ok(text.count("<article") == sum(r["verdict"] == "FAIL" for r in report["results"]) - len(left) and 'id="i1-aborted"' in text,
           "and in the page it is one line")


def report_files():
    """They are of this run, or empty; never of the last one."""
    target = directory / "stale.json"
    target.write_text("{}")
    code = call("run", *ONE, "--json", target, "--", directory / "none").returncode
    tap.ok(code == NO_ADAPTER and not target.read_bytes(), "what an earlier run wrote does not outlive a run that fails to start")
    begin = time.monotonic()
    hang = adapter("asleep", "time.sleep(60)")
    tap.ok(call("run", "--json", directory / "no" / "where", "--", *hang).returncode == INCOMPLETE and time.monotonic() - begin < 5,
           "a path that cannot be written is noticed before anything is asked")
    tap.ok(call("run", *ONE, "--json", "/dev/full", "--", sys.executable, TEMPLATE).returncode == INCOMPLETE, "a full disk: exit 5")
    tap.ok(call("run", *ONE, "--failures", target, "--", sys.executable, TEMPLATE).returncode == INCOMPLETE, "--failures is a directory: else exit 5")
    for paths in (["-", "-"], [target, target]):
        done = call("run", *ONE, "--json", paths[0], "--tap", paths[1], "--", sys.executable, TEMPLATE)
        tap.ok(done.returncode == USAGE, f"two reports in one file: exit 2 ({'-' if paths[0] == '-' else 'a path'})")


def no_survivors():
    child = directory / "child.pid"
    command = adapter("parent", f"child = subprocess.Popen(['sleep', '300'])\nopen({str(child)!r}, 'w').write(str(child.pid))\n"
                                "loop(lambda r: os._exit(0))")
    start = time.monotonic()
    code, report, _ = run(command, *ONE)
    pid = int(child.read_text())
    time.sleep(0.2)
    tap.ok(code == FAIL and time.monotonic() - start < 30 and not is_running(pid),
           "a grandchild that holds the pipe open neither delays the verdict nor survives")


def is_running(pid):
    try:
        return "Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split(")")[1][:3]
    except OSError:
        return False


def nothing_is_given_away():
    log = directory / "log"
    command = adapter("listener", f"log = open({str(log)!r}, 'a')\n_input = sys.stdin\n"
                                  "class Spy:\n    def __iter__(self):\n        for text in _input:\n"
                                  "            log.write(text); log.flush(); yield text\nsys.stdin = Spy()\nloop(lambda r: say(line(r)))")
    run(command, "--seed", "5", "--only", "FN-*")
    lines = log.read_text(encoding="ascii").splitlines()
    requests = [json.loads(text) for text in lines]
    members = {member for r in requests for member in r}
    tap.ok(members == {"id", "op", "args"}, "a request is an id, an operation and arguments, nothing else", members)
    ids = [r["id"] for r in requests]
    tap.ok(len(set(ids)) == len(ids) and all(re.fullmatch("[A-Za-z0-9]{1,32}", i) for i in ids), "every id is new")
    tap.ok(not re.search("FN-[0-9]{4}|MUST|expect|safety", "".join(lines)), "no id of a vector, level or expectation is sent")
    asked = [json.dumps([r["op"], r["args"]]) for r in requests if "." in r["op"]]
    twice = len(asked) - len(set(asked))
    tap.ok(twice >= 3, f"some vectors are asked twice: {twice}")
    log.write_text("")
    run(command, "--seed", "6", "--only", "FN-*")
    again = [json.dumps([r["op"], r["args"]]) for r in map(json.loads, log.read_text(encoding="ascii").splitlines()) if "." in r["op"]]
    tap.ok(again != asked and set(again) == set(asked), "another seed is another order of the same vectors")


class Wellformed(html.parser.HTMLParser):
    """Tags close in the order in which they opened."""
    VOID = {"meta", "br"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.text, self.outside, self.inside, self.ids = [], [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        links = [value for name, value in attrs if name in ("src", "href")]
        self.outside += [value for value in links if not value.startswith("#")]
        self.inside += [value[1:] for value in links if value.startswith("#")]
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def is_hidden(character):
    return (unicodedata.category(character) in ("Cf", "Cc", "Zl", "Zp", "Mn", "Me", "Cn", "Co", "Cs")
            and character != "\n") or character in "\u115f\u1160\u3164\uffa0"


def reports():
    wrong = adapter("wrong", "def work(r):\n    s = r['args'].get('s')\n    if r['op'] == 'fence.neutralize' and isinstance(s, str):\n"
                             "        say(line(r, ok={'s': s}))\n    else: say(line(r))\nloop(work)")
    files = {kind: directory / f"report.{kind}" for kind in ("tap", "junit", "json", "html", "badge")}
    options = [word for kind, path in files.items() for word in (f"--{kind}", path)]
    done = call("run", *options, "--", *wrong)
    texts = {kind: path.read_bytes() for kind, path in files.items()}
    for kind, text in {**texts, "text": done.stdout}.items():
        tap.ok(text and all(byte == 10 or byte == 9 or 32 <= byte < 127 for byte in text),
               f"the {kind} report is printable ASCII to the last byte")
    report = json.loads(texts["json"])
    results = report["results"]
    failed = [r for r in results if r["verdict"] == "FAIL"]
    tap.ok(done.returncode == FAIL and len(failed) > 20 and report["footer"]["failed"] == len(failed), "a fence that does nothing fails")
    check_tap(texts["tap"].decode().splitlines(), results)
    check_junit(texts["junit"], results)
    check_html(texts["html"].decode(), failed)
    badge = json.loads(texts["badge"])
    tap.ok(badge["schemaVersion"] == 1 and badge["color"] == "red" and "safety" in badge["message"], "the badge is what shields.io reads", badge)
    side_by_side(files["json"])


def check_tap(lines, results):
    tests = [text for text in lines if re.match("(not )?ok ", text)]
    tap.ok(lines[0] == "TAP version 14" and lines[1] == f"1..{len(results)}" and len(tests) == len(results), "TAP 14 has its plan")
    bad = [(text, r["id"]) for text, r in zip(tests, results)
           if text.startswith("not ok") != (r["verdict"] in ("FAIL", "SKIPPED", "UNPROVEN") and r["level"] == "MUST")]
    tap.ok(not bad, "TAP says `ok` for what passed or does not apply, and for nothing else", bad[:3])
    blocks = sum(text == "  ---" for text in lines)
    tap.ok(blocks == sum(text.startswith("not ok") for text in tests) == sum(text == "  ..." for text in lines), "every `not ok` has its block")


def check_junit(text, results):
    root = xml.etree.ElementTree.fromstring(text)
    cases = list(root.iter("testcase"))
    failed = list(root.iter("failure"))
    red = [r for r in results if r["verdict"] in ("FAIL", "SKIPPED", "UNPROVEN") and r["level"] == "MUST"]
    tap.ok(root.tag == "testsuites" and len(cases) == len(results) and len(failed) == len(red), "JUnit has a case for each result")
    tap.ok({f.get("type") for f in failed} == {"MISMATCH", "UNPROVEN"}, "its failures have types", {f.get("type") for f in failed})
    counted = sum(int(s.get("failures")) for s in root.iter("testsuite"))
    tap.ok(counted == len(failed), "and its counts add up")


def check_html(text, failed):
    page = Wellformed()
    page.feed(text)
    page.close()
    shown = "".join(page.text)
    hidden = {f"U+{ord(c):04X}" for c in shown if is_hidden(c)}
    tap.ok(not page.wrong and not page.open, "HTML is well-formed", page.wrong, page.open)
    tap.ok(not hidden, "no invisible character is in it, not even as a reference", hidden)
    tap.ok("U+200B" in shown and "U+E0041" in shown, "they are chips with their names")
    tap.ok(not page.outside and "<script" not in text and "url(" not in text, "it loads nothing from anywhere")
    tap.ok(all(r["id"] in shown for r in failed), "every failure is in it")
    tap.ok(len(page.ids) == len(set(page.ids)) and page.inside and set(page.inside) <= set(page.ids),
           "a rule that fails leads to what failed", page.inside[:5])


def side_by_side(wrong):
    good = directory / "good.json"
    call("run", "--json", good, "--", *adapter("good", "loop(lambda r: say(line(r)), hello=0)"))
    page = directory / "both.html"
    done = call("report", "--html", page, wrong, good)
    text = page.read_text(encoding="ascii")
    row = re.search(r"<tr><th>F3.1</th>.*?</tr>", text, re.S)[0]
    tap.ok(done.returncode == 0 and re.search('class="FAIL r"><a href="#i1-FN-[0-9]+">FAIL [0-9/]+</a></td><td class="PASS r">', row),
           "two implementations stand side by side, rule by rule", row)
    tap.ok("<th>F3.3</th>" in text and "<th>F3.4</th>" not in text, "claims of a profile that nobody declares are not shown")
    report = json.loads(good.read_text())
    del report["results"][0]
    (directory / "cut.json").write_text(json.dumps(report))
    tap.ok(call("report", "--html", page, directory / "cut.json").returncode == INCOMPLETE, "a report that lost a result is refused: exit 5")
    report = json.loads(good.read_text())
    report["results"][0]["id"] = "<script>"
    (directory / "evil.json").write_text(json.dumps(report))
    tap.ok(call("report", "--html", page, directory / "evil.json").returncode == INCOMPLETE, "and so is one whose ids are markup")
    report = json.loads(good.read_text())
    report["header"]["implementation"]["name"] = "\u202e\x1b[31m<script>"
    report["footer"] |= {"complaints": ["\u202e\nnot ok 1"], "verdict": "CONFORMANT\u200b"}
    report["results"][0] |= {"level": '"><script>', "verdict": "FAIL", "known": "\x1b[2J"}
    (directory / "evil.json").write_text(json.dumps(report))
    for kind in ("tap", "junit", "html", "badge"):
        done = call("report", f"--{kind}", page, directory / "evil.json")
        text = page.read_bytes()
        tap.ok(done.returncode == 0 and (kind in ("tap", "badge") or b"<script" not in text)
               and all(byte == 10 or 32 <= byte < 127 for byte in text) and b"\nnot ok 1\n" not in text,
               f"what a report says of itself cannot do anything in {kind} either", text[-200:])
    race = json.loads(good.read_text())
    race["results"][0]["timeline"] = [{"lane": f"call {i}", "what": "claim", "t0": i, "t1": i + 2, "won": i == 1} for i in range(3)]
    (directory / "race.json").write_text(json.dumps(race))
    call("report", "--html", page, directory / "race.json")
    drawn = page.read_text(encoding="ascii")
    tap.ok(drawn.count("<rect") == 3 and "call 2" in drawn, "a race is drawn, one lane for each call")
    race["results"][0]["timeline"] = [{"lane": f"call {i}", "what": "claim", "t0": i, "t1": i + 2, "won": i in (7, 70)} for i in range(100)]
    (directory / "race.json").write_text(json.dumps(race))
    call("report", "--html", page, directory / "race.json")
    drawn = page.read_text(encoding="ascii")
    tap.ok(drawn.count("<rect") == 2 and "call 70" in drawn and "and 98 more" in drawn, "of a hundred calls those that got something")


def expected_failures():
    # Neutralizes as one should, but leaves `>` alone: some vectors fail.
    broken = adapter("left", "def work(r):\n    if r['op'] == 'fence.neutralize' and '>' in str(r['args']['s']):\n"
                             "        return say(line(r, ok={'s': 'x'}))\n    say(line(r))\nloop(work)")
    only = ["--only", "FN-000*"]
    _, report, _ = run(broken, *only)
    ids = [r["id"] for r in report["results"] if r["verdict"] == "FAIL"]
    file = directory / "expected.txt"

    def with_lines(*lines, options=(), command=broken):
        file.write_text("# known\n" + "".join(text + "\n" for text in lines), encoding="utf-8")
        code, after, told = run(command, *only, "--today", "2026-11-30", "--expected", file, *options)
        return code, after, told.decode()

    good = [f"{name} FAIL issue-1, being repaired 2027-01-01" for name in ids]
    code, after, told = with_lines(*good)
    tap.ok(len(ids) > 1 and code == PASS and "KNOWN" in told and after["footer"]["known"] == len(ids), "failures that are known give 0", told)
    tap.ok(after["footer"]["verdict"] == "NON-CONFORMANT (known)", "but the verdict says what they are")
    cases = {
        "one that is not listed fails the run": (good[1:], FAIL, ids[0]),
        "one that fails in another way is not the known one": ([text.replace("FAIL", "CRASH") for text in good], FAIL, "MISMATCH"),
        "one that passes now makes the file stale": (good + ["FN-0001 FAIL gone 2027-01-01"], EXPECTED, "passing"),
        "a day that is over": ([text.replace("2027-01-01", "2026-11-29") for text in good], EXPECTED, "expired"),
        "no day": ([text.rsplit(" ", 1)[0] for text in good], EXPECTED, "no day"),
        "no reason": ([f"{name} FAIL 2027-01-01" for name in ids], EXPECTED, "no reason"),
        "a reason that was never written": ([f"{name} FAIL REASON? 2027-01-01" for name in ids], EXPECTED, "no reason"),
        "an id that comes twice": (good + good[:1], EXPECTED, "twice"),
        "a kind that does not exist": (good + ["FN-0001 MAYBE why 2027-01-01"], EXPECTED, "kind"),
        "a wildcard that covers passing ones": (["FN-000* FAIL all 2027-01-01"], EXPECTED, "passing"),
        "a line behind a very long remark": (["# " + "x" * 1021 + text for text in good], FAIL, ids[0]),
        "a character that nobody sees": ([text.replace("issue", "is\u200bsue") for text in good], FAIL, "not printable ASCII"),
        "a zero byte that hides the rest": ([text.replace(" 2027", "\0 2027") for text in good], FAIL, "not printable ASCII"),
    }
    for what, (lines, expected, words) in cases.items():
        code, after, told = with_lines(*lines)
        tap.ok(code == expected and words in told + json.dumps(after), f"expected failures: {what}: exit {expected}", f"exit {code}", told[-600:])
    code, _, told = with_lines(*good, options=["--expected", directory / "none.txt"][:0])
    code, _, told = with_lines(*(text + "\r" for text in good))
    tap.ok(code == PASS, "lines may end with CR LF", told)
    code, _, _ = with_lines(*good, options=["--tap", directory / "e.tap", "--junit", directory / "e.xml"])
    reds = [(directory / "e.tap").read_text().count("\nnot ok"), (directory / "e.xml").read_text().count("<failure")]
    with_lines(*good, "FN-0001 FAIL gone 2027-01-01", options=["--tap", directory / "e.tap", "--junit", directory / "e.xml"])
    text = (directory / "e.tap").read_text()
    after = [text.count("\nnot ok"), (directory / "e.xml").read_text().count("<failure")]
    plan = int(re.search(r"1\.\.(\d+)", text)[1]) == len(re.findall("^(?:not )?ok ", text, re.M))
    tap.ok(code == PASS and after == [n + 1 for n in reds] and plan, "what makes it exit with 4 is red in TAP and JUnit as well", reds, after)
    tap.ok(run(broken, *only, "--today", "yesterday!", "--expected", file)[0] == USAGE, "--today is a day")
    missing = run(broken, *only, "--expected", directory)
    tap.ok(b"cannot be read" in missing[2], "a directory is no file of expected failures")
    missing = run(broken, *only, "--expected", directory / "none.txt")
    tap.ok(missing[0] == FAIL and b"cannot be read" in missing[2], "a file that is not there is no excuse")
    everything = adapter("everything", "loop(lambda r: say(line(r, ok={'s': 'x'})) if r['op'] == 'fence.neutralize' else say(line(r)))")
    file.write_text("FN-0* FAIL all of it 2027-01-01\n")
    code, _, told = run(everything, "--today", "2026-11-30", "--expected", file)
    tap.ok(b"more than 20 ids" in told and b"never covers a critical id" in told, "a wildcard stands for at most 20 ids, none critical")
    file.write_text("FN-9999 FAIL nobody knows it 2027-01-01\n")
    code, _, told = run(adapter("good", "loop(lambda r: say(line(r)))"), "--today", "2026-11-30", "--expected", file, "--allow-partial")
    tap.ok(code == EXPECTED and b"no such id was run" in told, "an id that does not exist: exit 4", told.decode()[-300:])
    critical = next(r["id"] for r in run(everything)[1]["results"] if r["importance"] == "critical" and r["verdict"] == "FAIL")
    file.write_text(f"{critical} FAIL known 2027-01-01\n")
    one = ["--only", critical, "--today", "2026-11-30", "--expected", file]
    tap.ok(run(everything, *one)[0] == FAIL, "a critical failure needs --allow-critical")
    tap.ok(run(everything, *one, "--allow-critical")[0] == PASS, "... and passes with it")
    update(broken, only, ids, file)


def update(broken, only, ids, file):
    report = directory / "left.json"
    call("run", "--json", report, *only, "--", *broken)
    file.write_text("# mine\nFN-0001 FAIL gone 2027-01-01\n")
    done = call("expected", report, "--file", file, "--until", "2027-01-01")
    lines = done.stdout.decode().splitlines()
    tap.ok(done.returncode == EXPECTED and lines[0].startswith("-FN-0001") and len(lines) == len(ids) + 1
           and file.read_text().startswith("# mine\nFN-0001"), "`expected` prints a diff and writes nothing", lines)
    done = call("expected", report, "--file", file, "--until", "2027-01-01", "--update")
    text = file.read_text()
    tap.ok(done.returncode == 0 and text.startswith("# mine\n") and "FN-0001" not in text and text.count("REASON?") == len(ids),
           "`expected --update` writes it, comments stay", text)


def command_line():
    usages = [[], ["nonsense"], ["run"], ["run", "--nonsense", "--", "true"], ["run", "--seed", "x", "--", "true"], ["run", "extra", "--", "true"],
              ["run", "--quiet=1", "--", "true"], ["run", "--seed", "1", "--seed", "2", "--", "true"], ["run", "--profile", "best", "--", "true"],
              ["run", "--component", "magic", "--", "true"], ["run", "--adapter", "true", "--", "true"], ["run", "--adapter", " "],
              ["replay", "--", "true"], ["replay", "nonsense", "--", "true"], ["explain"], ["explain", "XX-0001"], ["report"], ["expected"],
              ["list", "all"], ["list", "--component", "magic"], ["copy"], ["doctor"]]
    wrong = [words for words in usages if call(*words).returncode != USAGE]
    tap.ok(not wrong, "misuse is exit 2, in every command", wrong)
    commands = ["run", "replay", "explain", "list", "doctor", "copy", "selftest", "expected", "report"]
    helps = {name: call(name, "--help") for name in commands}
    tap.ok(all(h.returncode == 0 and h.stdout.startswith(b"usage: ") and not h.stderr for h in helps.values()), "every command has --help")
    codes = re.findall(r"^  ([0-9])  ", helps["run"].stdout.decode(), re.M)
    tap.ok(codes == list("0123456"), "`run --help` lists the exit codes", codes)
    overview = call("--help").stdout.decode()
    tap.ok(call("-h").stdout.decode() == overview, "-h is --help")
    tap.ok(all(re.search(rf"^  {name} ", overview, re.M) for name in commands), "and --help lists the commands")
    done = call("run", "--adapter", json.dumps([sys.executable, str(TEMPLATE)]), *ONE)
    tap.ok(done.returncode == PASS, "an adapter as a JSON list of words")
    done = call("run", "--adapter", f"{sys.executable} {TEMPLATE}", *ONE)
    tap.ok(done.returncode == PASS, "and as words")
    done = call("run", *ONE, "--", sys.executable, TEMPLATE, "; touch x", "$(touch x)")
    tap.ok(done.returncode == PASS and not pathlib.Path("x").exists(), "no shell reads them")
    tap.ok(call("run", *ONE, "--", directory / "none").returncode == NO_ADAPTER, "a command that does not exist: exit 3")
    tap.ok(b"./NAME" in call("run", "--", "no_such_adapter.py").stderr, "... in PATH, which is not here")
    done = call("run", "--", sys.executable, "-c", "import no_such_module")
    tap.ok(done.returncode == NO_ADAPTER and b"No module named 'no_such_module'" in done.stderr and b"doctor" in done.stderr,
           "what an adapter wrote before it failed to start is shown", done.stderr)
    done = call("run", *ONE, "--html", directory / "no" / "where", "--", sys.executable, TEMPLATE)
    tap.ok(done.returncode == INCOMPLETE, "a report that cannot be written: exit 5")
    done = call("run", *ONE, "--tap", "-", "--", sys.executable, TEMPLATE)
    tap.ok(done.stdout.startswith(b"TAP version 14\n") and b"seed 1" in done.stderr, "a report on standard output stands there alone")
    tap.ok(b"\r" not in done.stderr, "progress is for terminals")


def other_commands():
    done = call("explain", "FN-0012")
    tap.ok(done.returncode == 0 and b"F3.1 [MUST safety]" in done.stdout and b"DELIMITER_FORGERY" in done.stdout,
           "explain says which rule a vector is about and which bug it catches")
    tap.ok(b"tested by FN-" in call("explain", "F3.1").stdout, "... and what tests a rule")
    listed = call("list").stdout.decode().splitlines()
    files = [f for f in (ROOT / "conformance" / "vectors").glob("*.json") if f.name != "MANIFEST.json"]
    vectors = [v for f in files for v in json.loads(f.read_text(encoding="ascii"))["vectors"] if "retired" not in v]
    tap.ok({v["id"] for v in vectors} <= {text.split()[0] for text in listed}, f"list knows every vector of the tree: {len(vectors)}")
    target = directory / "copied"
    done = call("copy", target)
    same = [f.name for f in files if (target / f.name).read_bytes() == f.read_bytes()]
    tap.ok(done.returncode == 0 and len(same) == len(files), "copy writes them byte for byte")
    tap.ok(call("copy", target).returncode == INCOMPLETE, "and overwrites nothing")
    done = call("doctor", "--", sys.executable, TEMPLATE)
    tap.ok(done.returncode == 0 and done.stdout.endswith(b"well: the protocol is spoken\n"), "the doctor finds the template well", done.stdout[-300:])
    done = call("doctor", "--", *adapter("wrong_id", BROKEN["wrong_id"][1]))
    tap.ok(done.returncode == FAIL and b"an id nobody asked" in done.stdout, "and says what ails an adapter", done.stdout[-300:])
    tap.ok(call("doctor", "--", "true").returncode == NO_ADAPTER, "or that there is none")


def replaying():
    """A token of a failed property asks the same case again, of anyone."""
    wrong = adapter("forged", "def work(r):\n    if r['op'] == 'fence.neutralize':\n        s = template.text(r['args']['s'])\n"
                              "        return say(line(r, ok={'s': s.replace('<<', '< < ')}))\n    say(line(r))\nloop(work)")
    kept = directory / "failures"
    code, report, _ = run(wrong, "--only", "P-FN1", "--failures", kept)
    found = result(report, "P-FN1")
    shrunk = found["request"]["args"]["s"] if isinstance(found.get("request"), dict) else ""
    tap.ok(code == FAIL and found["verdict"] == "FAIL" and found.get("token"), "a property fails, with a token", found)
    tap.ok((kept / "P-FN1").read_text().split() == [found["token"]], "which is kept, if one says where")
    done = call("replay", found["token"], "--", *wrong)
    tap.ok(done.returncode == FAIL and b"P-FN1 FAIL" in done.stdout, "replay fails again with 1", done.stdout, done.stderr)
    done = call("replay", found["token"], "--", sys.executable, TEMPLATE)
    tap.ok(done.returncode == PASS and b"P-FN1 PASS" in done.stdout, "and passes with 0 for an implementation that is right", done.stdout, done.stderr)
    tap.ok(call("replay", found["token"][:-3], "--", sys.executable, TEMPLATE).returncode == USAGE, "half a token is none")
    tap.ok(0 < len(shrunk) <= 6, f"its input was shrunk to {len(shrunk)} code points", shrunk)


def terminal():
    main_end, terminal_end = pty.openpty()
    process = subprocess.Popen([RUNNER, "run", "--only", "FN-00*", "--", sys.executable, TEMPLATE], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=terminal_end)
    os.close(terminal_end)
    shown = b""
    with contextlib.suppress(OSError):
        while block := os.read(main_end, 4096):
            shown += block
    os.close(main_end)
    tap.ok(process.wait() == PASS and b"\r[" in shown and b"fence" in shown and b"\x1b" not in shown,
           "on a terminal it shows where it is, and wipes that at the end", shown[-200:])
    tap.ok(shown.rstrip(b" ").endswith(b"\r") or shown.endswith(b"\r"), "... to the last byte", shown[-80:])


def interrupted():
    child = directory / "alone.pid"
    command = adapter("alone", f"open({str(child)!r}, 'w').write(str(os.getpid()))\nloop(lambda r: time.sleep(60))")
    with subprocess.Popen([RUNNER, "run", *ONE, "--patience", "20", "--", *command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 30
        while time.monotonic() < until and not (child.exists() and child.read_text()):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=30)
    time.sleep(0.3)
    tap.ok(code == -signal.SIGINT and not is_running(int(child.read_text())), "an interrupt ends the adapter too", code)


def independence():
    """What judges must not share a line with what is judged."""
    symbols = subprocess.run(["nm", RUNNER], capture_output=True, text=True, check=True).stdout
    own = re.findall(r"\bwgc_\w+", symbols)
    tap.ok(own and not re.search(r"\bwkg_", symbols), f"the runner has {len(own)} symbols of its own and none of the library")
    needed = subprocess.run(["ldd", RUNNER], capture_output=True, text=True, check=False).stdout
    tap.ok("wicketgate" not in needed.replace(RUNNER, ""), "and loads no library of it", needed)
    including = [p.name for p in SUITE.glob("*.[ch]") if re.search(r"#include [<\"](wicketgate|\.\./\.\./src|src/)", p.read_text())]
    tap.ok(not including, "and includes no header of it", including)


def main():
    independence()
    command_line()
    other_commands()
    whole_adapters()
    hostile_adapters()
    false_greens()
    big_replies()
    aborted()
    report_files()
    no_survivors()
    interrupted()
    terminal()
    replaying()
    nothing_is_given_away()
    reports()
    expected_failures()
    tap.done()


if __name__ == "__main__":
    main()
