"""The runner and the corpus, weakened: selftest.py has to notice.

Bugs are planted in a copy of the runner's sources (R1-R10, R12, R14, R15) or of the linter's
(R11, R13). Each names the check that passes with the true one and must fail with the weak one."""
import concurrent.futures
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import selftest
from selftest import ADAPTER, CORPUS, FAIL, INCOMPLETE, MUTANTS, PASS, EXPECTED, SUITE, Run, mutant

# --- checks: each is true of a runner that works ----------------------------------------------


def is_empty_noticed(name):
    return lambda runner: bool(selftest.ZERO[name][2](selftest.empty(runner, name)))


def is_killed(name, only):
    def check(runner):
        run = Run(runner, mutant(name), "--only", only, "--cases", 200, "--time", 6)
        return run.code == FAIL and only in run.ids()
    return check


def expected_file(line, only):
    """With this line in the file of expected failures, a run of the sound adapter is stale."""
    def check(runner):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(line + "\n")
            file.flush()
            return Run(runner, ADAPTER, "--only", only, "--expected", file.name,
                       "--allow-critical").code == EXPECTED
    return check


def wide_line_is_refused(runner):
    """One line of the file for more than 20 failures, none of them critical."""
    failing = [name for name, vector in CORPUS.items() if name.startswith("IN-") and
               vector["importance"] != "critical" and "ok" in vector.get("expect", {}) and
               vector["op"] == "intent.canonical"][:25]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("IN-0* FAIL reason 2099-01-01\n")
        file.flush()
        run = Run(runner, [*selftest.EMPTY, "Z4"], "--only", ",".join(failing), "--expected", file.name)
    return len(failing) == 25 and run.code != PASS


def nothing_is_no_pass(runner):
    return Run(runner, ADAPTER, "--only", "XX-9999").code == FAIL


TEMPLATE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import template
for line in sys.stdin:
    request = json.loads(line)
    reply = json.dumps({"id": request["id"], **template.answer(request["op"], request["args"])})
    if "." in request["op"]:
        %s
    print(reply, flush=True)
    if request["op"] == "bye":
        break
"""


def template_that(does):
    return [sys.executable, "-c", TEMPLATE % does, str(SUITE)]


def stale_is_noticed(runner):
    """Every reply comes twice: the second has an id that is used up."""
    run = Run(runner, template_that("print(reply, flush=True)"), "--only", "FN-0001,FN-0002")
    return "PROTOCOL" in run.kinds()


def crash_is_noticed(runner):
    run = Run(runner, template_that("sys.exit(0)"), "--only", "FN-0001,FN-0002")
    return "FN-0001" in run.ids()


def token_keeps_its_property(runner):
    """What was shrunk fails the same property when it is replayed."""
    run = Run(runner, mutant("F02"), "--only", "P-FN1", "--profile", "reference")
    tokens = [r["token"] for r in run.failed if r["id"] == "P-FN1" and r.get("token")]
    if not tokens:
        return False
    done = subprocess.run([runner, "replay", tokens[0], "--profile", "reference", "--patience", "5",
                           "--", *mutant("F02")], capture_output=True, check=False, timeout=300)
    return done.returncode == FAIL and done.stdout.startswith(b"P-FN1 FAIL")


def hang_is_noticed(runner):
    return is_empty_noticed("Z9")(runner)


def footer_is_needed(runner):
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "report.json"
        subprocess.run([runner, "run", "--quiet", "--patience", "5", "--json", path, "--only",
                        "FN-0001", "--", *ADAPTER], check=False, capture_output=True)
        report = json.loads(path.read_text("ascii"))
        del report["footer"]
        path.write_text(json.dumps(report), "ascii")
        done = subprocess.run([runner, "report", "--html", path.with_suffix(".html"), path],
                              check=False, capture_output=True)
    return done.returncode == INCOMPLETE


def lint_scope(source):
    scope = {"__name__": "lint", "__file__": str(SUITE / "lint.py")}
    exec(compile(source, "lint.py", "exec"), scope)  # pylint: disable=exec-used
    return scope


def lint_finds(change):
    """The linter says something about a corpus that was changed so."""
    def check(source):
        scope = lint_scope(source)
        corpus = scope["Corpus"]()
        change(corpus, scope)
        asked = scope["CHECKS"].keys() - {scope["other_properties"]}  # which asks a runner
        return any(next(iter(rule(corpus)), None) for rule in asked)
    return check


def rewritten(corpus, scope):
    corpus.texts["fence"] = scope["layout"](corpus.files["fence"]) + "\n"


def with_another_reason(corpus, scope):
    """Only the manifest knows what the file was."""
    corpus.files["fence"]["vectors"][0]["why"] += ", or so they say"
    rewritten(corpus, scope)


def without_a_control(corpus, scope):
    """... and everything else as it should be."""
    next(v for v in corpus.files["fence"]["vectors"]
         if v.get("flags") and "control" in v).pop("control")
    rewritten(corpus, scope)
    corpus.manifest = scope["manifest_of"](corpus)


JUDGE = "	} else if (!wgc_reply_meets(expect, reply, subject->hello, setup,\n"
RUNNER = {  # id: (title, file, old, new, check)
    "R1": ("a crash is a pass", "vectors.c", "	if (reply->kind == WGC_SKIP) {\n		one->verdict",
           "	if (reply->kind == WGC_CRASH)\n		return true;\n	if (reply->kind == WGC_SKIP) {\n		one->verdict",
           crash_is_noticed),
    "R2": ("a skip is a pass", "vectors.c", "		one->verdict = WGC_SKIPPED;\n", "		one->verdict = WGC_PASS;\n",
           is_empty_noticed("Z1")),
    "R3": ("answers are not compared", "vectors.c", JUDGE, JUDGE.replace("!wgc", "false && !wgc"),
           is_empty_noticed("Z5")),
    "R4": ("codes are not compared", "compare.c", "	if (safety && strcmp(code, wanted) != 0",
           "	if (strcmp(code, wanted) != 0", is_killed("G21", "GR-0103")),
    "R5": ("a known failure that passes is fine", "expected.c", "		complain(e, n, complaints, what);\n		free(what);\n",
           "		free(what);\n", expected_file("FN-0001 FAIL reason 2099-01-01", "FN-0001")),
    "R6": ("nothing tested is a pass", "run.c", "	if (t->executed == 0 || t->must_failed > 0)\n		return WGC_EXIT_FAIL;\n",
           "	if (t->must_failed > 0)\n		return WGC_EXIT_FAIL;\n", nothing_is_no_pass),
    "R7": ("an id that is used up is taken", "adapter.c", "	size_t at = find_request(a, id);\n	if (at == a->count)\n		return protocol_error(",
           "	size_t at = find_request(a, id);\n	if (at == a->count && is_used(a, id))\n"
           "		return (wgc_event){ .kind = WGC_EVENT_NONE };\n"
           "	if (at == a->count)\n		return protocol_error(", stale_is_noticed),
    "R8": ("the generator makes empty texts", "evaluate.c", "	what->text[what->texts++] = text;\n",
           "	text.len = 0;\n	what->text[what->texts++] = text;\n", is_killed("F02", "P-FN1")),
    "R9": ("the oracle is always content", "property_fence.c", "	else if (at < out.len)\n		wgc_case_fails(what, \"a reader",
           "	else if (at > out.len)\n		wgc_case_fails(what, \"a reader", is_killed("F02", "P-FN1")),
    "R10": ("shrinking ends at another property", "property.c", "wgc_token_write(r->property,",
            "wgc_token_write(wgc_properties[0],", token_keeps_its_property),
    "R12": ("nothing is ever late", "adapter.c", "		if (now >= late || is_starved(a, now, &who))\n",
            "		if (false)\n", hang_is_noticed),
    "R14": ("a * stands for any number of ids", "expected.c", "#define MAX_EXPANSION 20", "#define MAX_EXPANSION 2000000",
            wide_line_is_refused),
    "R15": ("a report needs no footer", "run.c", "	return is(report, \"format\", WGC_REPORT_FORMAT) &&\n",
            "	return footer == NULL || (is(report, \"format\", WGC_REPORT_FORMAT)) &&\n", footer_is_needed),
}
LINT = {
    "R11": ("the manifest is not looked at", "    wrong_manifest: \"", "    (lambda corpus: []): \"",
            lint_finds(with_another_reason)),
    "R13": ("attacks need no control", "    wrong_controls: \"", "    (lambda corpus: []): \"",
            lint_finds(without_a_control)),
}

# --- building ---------------------------------------------------------------------------------


def flags(what):
    return subprocess.run(["pkg-config", what, "libcjson", "libcrypto"], capture_output=True,
                          check=True, encoding="utf-8").stdout.split()


class Copy:
    """The runner's sources in a directory of their own, compiled once."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        for path in [*SUITE.glob("*.[ch]"), *SUITE.glob("*.json")]:
            shutil.copy(path, self.directory)
        vectors = [SUITE.parent / "vectors" / f"{c}.json" for c in
                   ("sanitize", "fence", "moderate", "intent", "grant")]
        subprocess.run([sys.executable, SUITE / "embed.py", "data.c", "data.h",
                        f"wgc_protocol_schema_json={SUITE}/protocol.schema.json",
                        f"wgc_sets_json={SUITE}/sets.json", f"wgc_patterns_json={SUITE}/patterns.json",
                        f"wgc_spec_md={SUITE.parent}/SPEC.md",
                        "--list", "wgc_vector_files", *vectors], cwd=directory, check=True)
        self.sources = sorted(p.stem for p in self.directory.glob("*.c") if p.stem != "property_none")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda stem: self.compile(stem, f"{stem}.c"), self.sources))

    def compile(self, stem, source):
        subprocess.run(["cc", "-std=c11", "-O1", "-w", "-D_XOPEN_SOURCE=700", "-I.", *flags("--cflags"),
                        f'-DWGC_SUITE_DIRECTORY="{SUITE}"', "-c", source, "-o", f"{stem}.o"],
                       cwd=self.directory, check=True)

    def link(self, name, replaced=""):
        objects = [f"{stem}.o" for stem in self.sources if stem != replaced]
        program = self.directory / name
        extra = [f"{name}.o"] if replaced else []
        subprocess.run(["cc", *objects, *extra, "-o", program, *flags("--libs"), "-lm", "-lpthread"],
                       cwd=self.directory, check=True)
        return str(program)

    def weak(self, name):
        """The runner with one bug."""
        _, file, old, new, _ = RUNNER[name]
        source = (self.directory / file).read_text("utf-8")
        if source.count(old) != 1:
            raise ValueError(f"{name}: its text is {source.count(old)} times in {file}")
        (self.directory / f"{name}.c").write_text(source.replace(old, new), "utf-8")
        self.compile(name, f"{name}.c")
        return self.link(name, replaced=file.removesuffix(".c"))


def test_runner(tap, options):
    if shutil.which("cc") is None or shutil.which("pkg-config") is None:
        tap.skip("R1-R15 bugs in the runner", "no C compiler or no pkg-config")
        return
    with tempfile.TemporaryDirectory(prefix="wicketgate-selftest-") as directory:
        sources = Copy(directory)
        true = sources.link("true")
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            rows = {name: (pool.submit(row[4], true), pool.submit(lambda n: RUNNER[n][4](sources.weak(n)), name))
                    for name, row in RUNNER.items() if not options.only or name in options.only}
            for name, (sound, weak) in rows.items():
                report(tap, name, RUNNER[name][0], sound, weak)
    source = (SUITE / "lint.py").read_text("utf-8")
    for name, (title, old, new, check) in LINT.items():
        if not options.only or name in options.only:
            assert source.count(old) == 1, name
            tap.ok(check(source) and not check(source.replace(old, new)), f"{name} {title}: noticed")


def report(tap, name, title, sound, weak):
    try:
        noticed, why = sound.result() and not weak.result(), ""
        why = "the true runner fails the check" if not sound.result() else "the check passes"
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        noticed, why = False, repr(error)
    tap.ok(noticed, f"{name} {title}: noticed", why)


# --- the corpus -------------------------------------------------------------------------------


def test_corpus(tap, _options):
    """Without any one of the vectors the linter complains. Without the items of a rule that
    mutants are killed by, a mutant survives."""
    scope = lint_scope((SUITE / "lint.py").read_text("utf-8"))
    corpus, missed = scope["Corpus"](), []
    for component, file in corpus.files.items():
        for n, vector in enumerate(file["vectors"]):
            damaged = copy.copy(corpus)
            damaged.files = corpus.files | {component: file | {
                "vectors": file["vectors"][:n] + file["vectors"][n + 1:]}}
            if not any(scope[check](damaged) and next(iter(scope[check](damaged)), None)
                       for check in ("wrong_manifest", "wrong_ids")):
                missed.append(vector["id"])
    tap.ok(not missed, f"without any one of {len(CORPUS)} vectors the linter complains", *missed[:9])
    needed = {rule for row in MUTANTS.values() for rule in row["rules"]}
    idle = sorted(rule for rule in needed if not any(
        set(rule_items(rule)) >= set(row["must_be_killed_by"]) for row in MUTANTS.values()))
    # The others are guarded by several rules at once, which is no fault; were they
    # many, the rules or the mutants would not tell anything apart.
    tap.ok(len(idle) * 3 <= len(needed), f"without the items of one of {len(needed) - len(idle)} of "
           f"{len(needed)} rules a mutant survives", *idle)


def rule_items(rule):
    return [item for item, rules in selftest.RULES.items()
            if any(r == rule or r.startswith(rule + ".") for r in rules)]
