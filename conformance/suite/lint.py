#!/usr/bin/env python3
"""The conformance suite's own rules, as a test: files well-formed, ids stable,
every rule tested, every attack paired with something that must pass.

    lint.py [RUNNER]            check; with the runner, that it has the properties
                                of properties.json
    lint.py [RUNNER] --write    put the files into their canonical layout, renew
                                MANIFEST.json and properties.json, then check"""
import copy
import hashlib
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

SUITE = Path(__file__).resolve().parent
VECTORS = SUITE.parent / "vectors"
sys.path.insert(0, str(SUITE.parent))
from harness import Tap  # noqa: E402

COMPONENTS = {"sanitize": "SA", "fence": "FN", "moderate": "MO", "intent": "IN", "grant": "GR"}
LEAST = {"sanitize": 80, "fence": 80, "moderate": 100, "intent": 60, "grant": 60}
LEVELS = ["MAY", "SHOULD", "MUST"]


# ---- layout ----------------------------------------------------------------

def layout(value, indent=0):
    """A value on one line if it fits into 120 columns, else an item a line."""
    line = json.dumps(value, ensure_ascii=True)
    if len(line) + indent <= 120 or not isinstance(value, (dict, list)) or not value:
        return line
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        items = [f"{json.dumps(k)}: {layout(v, indent + 1)}" for k, v in value.items()]
    else:
        items = [layout(v, indent + 1) for v in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(pad + item for item in items) + "\n" + " " * indent + closing


def once(pairs):
    """Members of an object, none of them twice."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError(f"the same name twice among {[name for name, _ in pairs]}")
    return members


def read(path):
    return json.loads(path.read_text(encoding="ascii"), object_pairs_hook=once)


# ---- schemas ---------------------------------------------------------------

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "null": type(None)}
NOTES = {"$schema", "$id", "$defs", "title", "description"}


class Schema:
    """As much of JSON Schema as our schemas use; a keyword that is not known
    here is an error, not ignored."""

    def __init__(self, root):
        self.root = root

    def faults(self, value, schema=None, where="", partial=False):
        schema = self.root if schema is None else schema
        if schema is False:
            return [f"{where}: not allowed"]
        found = []
        for keyword, what in schema.items():
            if keyword in NOTES or (partial and keyword == "required"):
                continue
            check = getattr(self, "check_" + keyword.lstrip("$"), None)
            if check is None:
                raise ValueError(f"schema keyword {keyword}")
            found += check(value, what, where, schema)
        return found

    def check_ref(self, value, what, where, _):
        return self.faults(value, self.root["$defs"][what.removeprefix("#/$defs/")], where)

    def check_type(self, value, what, where, _):
        right = isinstance(value, TYPES[what]) and (what != "integer" or not isinstance(value, bool))
        return [] if right else [f"{where}: not of type {what}"]

    def check_enum(self, value, what, where, _):
        return [] if value in what else [f"{where}: {value!r} is not one of {what}"]

    def check_const(self, value, what, where, _):
        return [] if value == what and type(value) is type(what) else [f"{where}: not {what!r}"]

    def check_required(self, value, what, where, _):
        return [f"{where}: no {name}" for name in what if isinstance(value, dict) and name not in value]

    def check_properties(self, value, what, where, _):
        return [fault for name, inner in what.items() if isinstance(value, dict) and name in value
                for fault in self.faults(value[name], inner, f"{where}.{name}")]

    def check_additionalProperties(self, value, what, where, schema):
        others = [name for name in value if name not in schema.get("properties", {})] if isinstance(value, dict) else []
        return [fault for name in others for fault in self.faults(value[name], what, f"{where}.{name}")]

    def check_items(self, value, what, where, schema):
        rest = value[len(schema.get("prefixItems", [])):] if isinstance(value, list) else []
        return [fault for n, item in enumerate(rest) for fault in self.faults(item, what, f"{where}[{n}]")]

    def check_prefixItems(self, value, what, where, _):
        pairs = zip(value, what) if isinstance(value, list) else []
        return [fault for n, (item, inner) in enumerate(pairs) for fault in self.faults(item, inner, f"{where}[{n}]")]

    def check_uniqueItems(self, value, _, where, __):
        items = [json.dumps(item) for item in value]
        return [] if len(items) == len(set(items)) else [f"{where}: something twice"]

    def check_pattern(self, value, what, where, _):
        wrong = isinstance(value, str) and not re.search(what, value)
        return [f"{where}: {value!r} does not match {what}"] if wrong else []

    def check_oneOf(self, value, what, where, _):
        tries = [self.faults(value, inner, where) for inner in what]
        if sum(not faults for faults in tries) == 1:
            return []
        return min(tries, key=len) or [f"{where}: several forms at once"]

    def check_anyOf(self, value, what, where, _):
        tries = [self.faults(value, inner, where) for inner in what]
        return [] if any(not faults for faults in tries) else min(tries, key=len)


def bound(measure, kind, holds):
    def check(_, value, what, where, __):
        wrong = isinstance(value, kind) and not holds(measure(value), what)
        return [f"{where}: beyond {what}"] if wrong else []
    return check


for keyword, measure, kind in (("Items", len, list), ("Length", len, str), ("Properties", len, dict)):
    setattr(Schema, f"check_min{keyword}", bound(measure, kind, lambda n, most: n >= most))
    setattr(Schema, f"check_max{keyword}", bound(measure, kind, lambda n, most: n <= most))
Schema.check_minimum = bound(lambda n: n, int, lambda n, least: n >= least)
Schema.check_maximum = bound(lambda n: n, int, lambda n, most: n <= most)


# ---- what there is ---------------------------------------------------------

def rules_of(spec):
    """{id: (level, claim, profile)} of the claims in SPEC.md."""
    pattern = r"^- ([A-Z]\d+\.\d+) \[(MUST|SHOULD|MAY) (safety|exact)(?: (reference|hardened))?\] "
    rows = re.findall(pattern, spec, re.M)
    assert len(rows) == len({row[0] for row in rows}), "a rule id twice"
    return {rule: tuple(rest) for rule, *rest in rows}


class Corpus:
    """Everything the checks look at; copied and damaged to test them."""

    def __init__(self, runner=None):
        self.run = run_properties(runner) if runner else None
        self.texts = {c: (VECTORS / f"{c}.json").read_text(encoding="utf-8") for c in COMPONENTS}
        self.files = {c: json.loads(t, object_pairs_hook=once) for c, t in self.texts.items()}
        self.rules = rules_of((SUITE.parent / "SPEC.md").read_text(encoding="utf-8"))
        self.protocol = Schema(read(SUITE / "protocol.schema.json"))
        self.schema = Schema(read(SUITE / "vectors.schema.json"))
        self.killers = {m["id"]: m["must_be_killed_by"] for m in read(SUITE / "mutants.json")["mutants"]}
        self.mutants = set(self.killers)
        self.properties = read(SUITE / "properties.json")["properties"]
        manifest = VECTORS / "MANIFEST.json"
        self.manifest = read(manifest) if manifest.exists() else {}
        self.bugs = read(SUITE / "mutants.json")["mutants"]

    def vectors(self):
        return [v for file in self.files.values() for v in file["vectors"] if "retired" not in v]

    def damaged(self, damage):
        other = copy.copy(self)
        for name in ("files", "texts", "rules", "manifest", "mutants", "killers", "properties", "run"):
            setattr(other, name, copy.deepcopy(getattr(self, name)))
        damage(other)
        return other


def manifest_of(corpus):
    tested = {rule: [v["id"] for v in corpus.vectors() if rule in v["rules"]] for rule in corpus.rules}
    return {
        "suite": "1.0.0",
        "files": {f"{c}.json": {"sha256": hashlib.sha256(text.encode()).hexdigest(),
                                "vectors": len(corpus.files[c]["vectors"])} for c, text in corpus.texts.items()},
        "rules": {rule: ids for rule, ids in tested.items() if ids},
    }


# ---- checks: each yields what is wrong -------------------------------------

def wrong_layout(corpus):
    for component, text in corpus.texts.items():
        if not text.isascii():
            yield f"{component}: not ASCII"
        if text != layout(corpus.files[component]) + "\n":
            yield f"{component}: not in the canonical layout"


def wrong_shape(corpus):
    for component, file in corpus.files.items():
        yield from corpus.schema.faults(file, where=component)
        if file["component"] != component:
            yield f"{component}: says it is {file['component']}"


def wrong_ids(corpus):
    for component, file in corpus.files.items():
        ids = [v["id"] for v in file["vectors"]]
        if ids != [f"{COMPONENTS[component]}-{n:04}" for n in range(1, len(ids) + 1)]:
            yield f"{component}: ids are not 1, 2, 3 ..."
    known = {v["id"] for file in corpus.files.values() for v in file["vectors"]}
    for ids in corpus.manifest.get("rules", {}).values():
        yield from (f"{i} is in the manifest and nowhere else" for i in ids if i not in known)


def requests(vector):
    return vector.get("steps") or [vector]


def outcomes(request):
    return list(request.get("expect_by", {}).values()) + ([request["expect"]] if "expect" in request else [])


def without_steps(value):
    """Args with what an earlier step answers left open."""
    if isinstance(value, dict):
        return "" if "$step" in value else {k: without_steps(v) for k, v in value.items()}
    return [without_steps(v) for v in value] if isinstance(value, list) else value


def wrong_messages(corpus):
    """Args and answers are what the protocol allows."""
    definitions = corpus.protocol.root["$defs"]
    for vector in corpus.vectors():
        for request in requests(vector):
            where = f"{vector['id']} {request['op']}"
            yield from corpus.protocol.faults(without_steps(request["args"]), definitions["args:" + request["op"]], where)
            for outcome in outcomes(request):
                answer = definitions["ok:" + request["op"]]
                if "ok" in outcome:
                    yield from corpus.protocol.faults(outcome["ok"], answer, where, partial=True)


def wrong_rules(corpus):
    for vector in corpus.vectors():
        known = [corpus.rules[r] for r in vector["rules"] if r in corpus.rules]
        yield from (f"{vector['id']}: no rule {r}" for r in vector["rules"] if r not in corpus.rules)
        if known and LEVELS.index(vector["level"]) > max(LEVELS.index(level) for level, _, _ in known):
            yield f"{vector['id']}: stricter than its rules"
        for _, _, profile in known:
            if profile and len(known) == 1 and vector.get("profiles", [profile]) == [
                    "hardened" if profile == "reference" else "reference"]:
                yield f"{vector['id']}: a rule of the other profile"


def untested_rules(corpus):
    tested = {r for v in corpus.vectors() for r in v["rules"]} | {r for p in corpus.properties for r in p["rules"]}
    for rule, (level, _, _) in corpus.rules.items():
        if level == "MUST" and rule not in tested:
            yield f"{rule} has neither a vector nor a property"
    yield from (f"{p['id']}: no rule {r}" for p in corpus.properties for r in p["rules"] if r not in corpus.rules)


def wrong_controls(corpus):
    """Who refuses, removes or marks everything must not pass."""
    by_id = {v["id"]: v for v in corpus.vectors()}
    for vector in corpus.vectors():
        control = by_id.get(vector.get("control"))
        if vector.get("flags") and control is None:
            yield f"{vector['id']}: no control"
        if control is None:
            continue
        if control is vector or not {r["op"] for r in requests(vector)} & {r["op"] for r in requests(control)}:
            yield f"{vector['id']}: {control['id']} is no control for it"
        if not any("ok" in outcome for outcome in outcomes(requests(control)[-1])):
            yield f"{vector['id']}: its control {control['id']} is a refusal"


def wrong_names(corpus):
    """Flags, mutants, features and configuration that nobody knows, or uses."""
    hello = corpus.protocol.root["$defs"]["ok:hello"]["properties"]
    for component, file in corpus.files.items():
        used = {flag for v in file["vectors"] for flag in v.get("flags", [])}
        yield from (f"{component}: flag {flag} is not {'described' if flag in used else 'used'}"
                    for flag in used ^ set(file["flags"]))
    killed = {m for v in corpus.vectors() for m in v.get("kills", [])}
    # Whose witness needs a store that is played is noticed by properties only.
    played = {bug["id"] for bug in corpus.bugs if isinstance(bug["witness"], dict)}
    yield from (f"mutant {m} is {'not known' if m in killed else 'noticed by no vector'}"
                for m in killed ^ corpus.mutants if m in killed or m not in played)
    for vector in corpus.vectors():
        yield from (f"{vector['id']}: no configuration {name}"
                    for name in vector.get("config", {}) if name not in hello["fixed"]["items"]["enum"])
        yield from (f"{vector['id']}: needs {feature}" for feature in needed(vector) - set(vector.get("requires", [])))


def needed(vector):
    text = json.dumps([vector.get("steps"), vector.get("args"), vector.get("expect"), vector.get("expect_by")])
    features = {f for mark, f in (('"$hex"', "text.bytes"), ('"$u16"', "text.utf16"), ('{"t": "other"}', "value.other"))
                if mark in text}
    return features | {"binding." + b for b in "ab" if f'"binding": "{b}"' in text}


def wrong_conditions(corpus):
    """Of the outcomes of a vector exactly one applies, whatever was chosen."""
    options = {name: what["items"]["enum"] for name, what in
               corpus.protocol.root["$defs"]["ok:hello"]["properties"]["choices"]["properties"].items()}
    for vector in corpus.vectors():
        conditions = [dict(part.split("=") for part in key.split(",")) for key in vector.get("expect_by", {})]
        names = sorted({name for condition in conditions for name in condition})
        possible = options | {"profile": vector.get("profiles", [])}
        unknown = [f"{vector['id']}: {name}={value}" for condition in conditions for name, value in condition.items()
                   if value not in possible.get(name, [])]
        yield from unknown
        for values in itertools.product(*(possible.get(name, []) for name in names)) if names and not unknown else []:
            chosen = dict(zip(names, values))
            if sum(condition.items() <= chosen.items() for condition in conditions) != 1:
                yield f"{vector['id']}: not one outcome for {chosen}"


def run_properties(runner):
    """What the runner runs: [{id, title, rules}]."""
    listed = subprocess.run([runner, "list", "--properties"], capture_output=True, text=True, check=True).stdout
    rows = [re.fullmatch(r"(\S+) +\S+ +\S+ +\S+ +(\S+)  (.+)", line).groups() for line in listed.splitlines()]
    return [{"id": name, "title": title, "rules": rules.split(",")} for name, rules, title in rows]


def other_properties(corpus):
    """Named and not run, run and not named, or not the same under one name."""
    named, run = ({p["id"]: p for p in rows} for rows in (corpus.properties, corpus.run or []))
    yield from (f"{name} is named, and not run" for name in named.keys() - run.keys())
    yield from (f"{name} is run, and not named" for name in run.keys() - named.keys())
    yield from (f"{name}: {part} differs" for name in named.keys() & run.keys()
                for part in ("title", "rules") if named[name][part] != run[name][part])
    if corpus.run and len(run) != len(corpus.run):
        yield "an id twice"


def unknown_killers(corpus):
    """A mutant is to be killed by items that there are."""
    known = {v["id"] for v in corpus.vectors()} | {p["id"] for p in corpus.properties}
    for mutant in corpus.killers:
        yield from (f"{mutant}: there is no {item}" for item in corpus.killers[mutant] if item not in known)


def too_few(corpus):
    for component, least in LEAST.items():
        count = len(corpus.files[component]["vectors"])
        if count < least:
            yield f"{component}: {count} vectors, {least} at least"


def missing_profiles(corpus):
    for component in ("sanitize", "fence", "moderate"):
        for profile in ("reference", "hardened"):
            if sum(profile in v.get("profiles", []) for v in corpus.files[component]["vectors"]) < 40:
                yield f"{component}: too little in {profile}"


def missing_twins(corpus):
    """M5: every pattern has a hit and a benign twin among the vectors."""
    texts = corpus.files["moderate"]["vectors"]
    for pattern in read(SUITE / "patterns.json")["patterns"]:
        name = pattern["id"]
        found = [v for v in texts if v.get("expect", {}).get("ok", {}).get("patterns") == [name]]
        benign = [v for v in texts if v["why"].endswith(f"({name})")]
        if len(found) < 2 or not benign:
            yield f"{name}: {len(found)} hits, {len(benign)} benign twins"


def wrong_killers(corpus):
    """What notices a mutant is about the rule that it breaks: whoever else notices it stumbled on it."""
    about = {item["id"]: item["rules"] for item in [*corpus.vectors(), *corpus.properties]}
    for bug in corpus.bugs:
        yield from (f"{bug['id']}: no rule {rule}" for rule in {bug["rule"], *bug["rules"]} - corpus.rules.keys())
        killers = [about[item] for item in bug["must_be_killed_by"] if item in about]
        if killers and not any(bug["rule"] in rules for rules in killers):
            yield f"{bug['id']} breaks {bug['rule']}, and nothing about that is to notice it"
        yield from (f"{vector['id']} has to notice {bug['id']}, and does not say so among what it kills"
                    for vector in corpus.vectors()
                    if vector["id"] in bug["must_be_killed_by"] and bug["id"] not in vector.get("kills", []))


def wrong_manifest(corpus):
    wanted = manifest_of(corpus)
    yield from (f"MANIFEST.json: {part} differs" for part in wanted if corpus.manifest.get(part) != wanted[part])


CHECKS = {
    wrong_layout: "files are ASCII and in the canonical layout",
    wrong_shape: "files have the shape of vectors.schema.json",
    wrong_ids: "ids count up, and none that was published is gone",
    wrong_messages: "requests and answers are what PROTOCOL.md allows",
    wrong_rules: "rules exist in SPEC.md and ask for what the vector asks",
    untested_rules: "every MUST has a vector or a property",
    wrong_controls: "every attack has a control that must pass",
    wrong_names: "flags, mutants, features and configuration are known, and used",
    other_properties: "properties.json names what the runner runs: ids, titles, rules",
    unknown_killers: "mutants are killed by vectors and properties that there are",
    wrong_conditions: "exactly one outcome applies for each choice",
    wrong_killers: "what has to notice a mutant is about the rule that it breaks",
    too_few: "there are as many vectors as promised",
    missing_profiles: "both profiles are covered",
    missing_twins: "every pattern has hits and a benign twin",
    wrong_manifest: "MANIFEST.json says what is there",
}


# ---- and each can fail -----------------------------------------------------

def first(corpus, component="sanitize"):
    return corpus.files[component]["vectors"][0]


def flagged(corpus):
    return next(v for v in corpus.vectors() if v.get("flags"))


def by_choice(corpus):
    return next(v for v in corpus.vectors() if "expect_by" in v)


DAMAGES = {
    wrong_layout: lambda c: c.texts.update(fence=c.texts["fence"].replace("\\u200b", "\u200b", 1)),
    wrong_shape: lambda c: first(c).update(expected={}),
    wrong_ids: lambda c: c.files["intent"]["vectors"].pop(),
    wrong_messages: lambda c: first(c)["args"].update(source="rss"),
    wrong_rules: lambda c: first(c).update(rules=["S99.1"]),
    untested_rules: lambda c: c.rules.update({"S99.1": ("MUST", "safety", "")}),
    wrong_controls: lambda c: flagged(c).pop("control"),
    wrong_names: lambda c: c.mutants.discard("S01"),
    unknown_killers: lambda c: c.killers["S01"].append("P-SA99"),
    wrong_conditions: lambda c: by_choice(c)["expect_by"].popitem(),
    wrong_killers: lambda c: setattr(c, "bugs", [{**c.bugs[0], "must_be_killed_by": ["SA-0001"]}]),
    too_few: lambda c: c.files["grant"].update(vectors=c.files["grant"]["vectors"][:59]),
    missing_profiles: lambda c: [v.update(profiles=["reference"]) for v in c.files["fence"]["vectors"]],
    missing_twins: lambda c: [v["expect"]["ok"].pop("patterns", 0) for v in c.files["moderate"]["vectors"]
                              if v.get("expect", {}).get("ok", {}).get("patterns") == ["token-sys"]],
    wrong_manifest: lambda c: c.files["sanitize"]["vectors"][1].update(rules=["S1.1"]),
}


# The same for properties, one for each way to differ; only with a runner.
PROPERTY_DAMAGES = {
    "one is named that is not run": lambda c: c.run.pop(),
    "one is run that is not named": lambda c: c.properties.pop(),
    "a title differs": lambda c: c.properties[0].update(title=""),
    "a rule is missing": lambda c: c.properties[0]["rules"].pop(),
    "one is run twice": lambda c: c.run.append(c.run[0]),
}


def write(runner):
    if runner:
        note = {"note": "What properties check, so that the linter can tell which rules need no vector. "
                        "Made by lint.py --write from `wicketgate-conformance list --properties`."}
        text = layout(note | {"properties": run_properties(runner)}) + "\n"
        (SUITE / "properties.json").write_text(text, encoding="ascii")
    for component in COMPONENTS:
        path = VECTORS / f"{component}.json"
        path.write_text(layout(read(path)) + "\n", encoding="ascii")
    (VECTORS / "MANIFEST.json").write_text(layout(manifest_of(Corpus())) + "\n", encoding="ascii")


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    if len(words) > 1 or any(word.startswith("-") for word in words):
        sys.exit(__doc__)
    runner = words[0] if words else None
    if "--write" in sys.argv[1:]:
        write(runner)
    tap = Tap()
    corpus = Corpus(runner)
    tap.ok(len(corpus.rules) > 100 and len(corpus.vectors()) > 500,
           f"R2 there is something to check: {len(corpus.vectors())} vectors, {len(corpus.rules)} rules")
    if not runner:
        tap.skip(f"R1 {CHECKS.pop(other_properties)}", "no runner was named")
    for check, claim in CHECKS.items():
        tap.ok(not (faults := list(check(corpus))), f"R1 {claim}", *faults[:20])
    for check, damage in DAMAGES.items():
        tap.ok(list(check(corpus.damaged(damage))), f"R2 a damage is found: {CHECKS[check]}")
    for what, damage in PROPERTY_DAMAGES.items() if runner else []:
        tap.ok(list(other_properties(corpus.damaged(damage))), f"R2 a damage is found: {what}")
    tap.done()


if __name__ == "__main__":
    main()
