#!/usr/bin/env python3
"""R1, R2: bans as tests. Each comes with its reverse check - the thing it
protects is still there - and with a planted breach that it must find."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import ROOT, Tap

sys.path.insert(0, str(ROOT / "conformance"))

LAYER_OF_HEADER = {
    "base": "text", "utf8": "text", "table": "text", "sanitize": "text", "fence": "text",
    "json": "json", "payload": "json", "render": "json", "moderate": "moderate",
    "intent": "gate", "schema": "gate", "grant": "gate", "ledger": "gate", "executor": "gate", "authority": "gate",
    "wicketgate": "cli",
}
MAY_INCLUDE = {
    "text": {"text"}, "json": {"text", "json"}, "moderate": {"text", "json", "moderate"},
    "gate": {"text", "json", "gate"}, "cli": {"text", "json", "moderate", "gate", "cli"},
}
PRIVATE = {"../allocator.h", "../internal.h", "table_data.h", "guard.h", "guard_data.h", "copy.h", "../json/copy.h", "tape.h", "schema.h", "number.h",
           "instant.h", "crypto.h", "base64url.h", "ledger.h", "letters.h", "own.h", "reading.h", "gaps.h"}
LIBC = {"text": {"string.h"}, "json": {"string.h"}, "moderate": {"string.h", "stdlib.h", "pcre2.h"}}
GATE = {"string.h", "stdlib.h", "float.h", "limits.h", "stdio.h", "pthread.h", "errno.h", "fcntl.h", "unistd.h",
        "sys/stat.h", "sys/time.h", "sys/types.h", "sqlite3.h"}
# R1: one file per third-party header.
THIRD_PARTY = {"pcre2.h": ["src/moderate/moderate.c"], "cJSON.h": [], "openssl/": ["src/gate/crypto.c"],
               "sqlite3.h": ["src/gate/ledger_sqlite.c"], "hiredis": ["src/gate/ledger_redis.c"]}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def wrong_includes(layer, text):
    """Headers a file of this layer has no business with."""
    found = []
    for name in INCLUDE.findall(text):
        own = re.fullmatch(r"wicketgate/(\w+)\.h", name)
        if own:
            if LAYER_OF_HEADER.get(own[1]) not in MAY_INCLUDE[layer]:
                found.append(name)
        elif layer in LIBC and name not in LIBC[layer] | PRIVATE:
            found.append(name)
    return found


def arrows(tap):
    files = [(layer, path) for layer in MAY_INCLUDE for path in sorted((ROOT / "src" / layer).glob("*.c"))]
    tap.ok(len(files) >= 12, f"R2 the scan read files: {len(files)}")
    seen = set()
    for layer, path in files:
        text = path.read_text()
        seen.update(INCLUDE.findall(text))
        found = wrong_includes(layer, text)
        tap.ok(not found, f"R1 {layer}/{path.name} includes only what lies below it", found)
    tap.ok("wicketgate/table.h" in seen and "string.h" in seen, "R2 includes are recognized")
    tap.ok(wrong_includes("text", "#include <wicketgate/json.h>\n"), "R2 an arrow that points up is found")
    tap.ok(wrong_includes("json", '#  include "cJSON.h"\n'), "R2 a third-party header in the core is found")
    tap.ok(wrong_includes("text", "#include <time.h>\n"), "R2 a clock in the core is found")


def third_party(tap):
    files = [path for path in sorted((ROOT / "src").rglob("*.[ch]"))]
    for header, places in THIRD_PARTY.items():
        found = [str(path.relative_to(ROOT)) for path in files
                 if any(header in name for name in INCLUDE.findall(path.read_text()))]
        tap.ok(found == places, f"R1 {header} is included by {places or 'nothing'}", found)


def funnel(tap):
    """S5: the source of a trigger is derived in one place."""
    calls = []
    for path in sorted((ROOT / "src").rglob("*.c")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        calls += [path.name for _ in re.finditer(r"\bwkg_source_from_trigger\(", text)]
    # One definition, one call.
    tap.ok(sorted(calls) == ["payload.c", "sanitize.c"], "S5 one funnel: wkg_source_from_trigger has one call site", calls)


def sixth_source(tap):
    """S4: a source without a limit must not compile."""
    header = (ROOT / "include/wicketgate/sanitize.h").read_text()
    last = "WKG_SOURCE_TOOL_RESULT = 5,"
    tap.ok(header.count(last) == 1, "R2 the fifth source is where a sixth would go")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name, "wicketgate")
        directory.mkdir()
        for path in (ROOT / "include/wicketgate").glob("*.h"):
            (directory / path.name).write_text(path.read_text())
        compile_ = ["cc", "-std=c11", "-Wswitch", "-Werror=switch", "-fsyntax-only", "-I", name,
                    str(ROOT / "src/text/sanitize.c")]
        tap.ok(subprocess.run(compile_, check=False).returncode == 0, "R2 five sources compile")
        (directory / "sanitize.h").write_text(header.replace(last, last + "\n\tWKG_SOURCE_SIXTH = 6,"))
        done = subprocess.run(compile_, capture_output=True, text=True, check=False)
        tap.ok(done.returncode != 0 and "WKG_SOURCE_SIXTH" in done.stderr,
               "S4 a sixth source does not compile until it has a limit")


def hidden_characters(text):
    import model
    return [f"U+{ord(c):04X}" for c in text if ord(c) in model.STRIP["reference"] and c != "\r"
            or ord(c) in model.STRIP["hardened"]]


def no_raw_samples(tap):
    """H4: hostile samples live in the tree only as escapes, so that what a
    reviewer sees is what is there. Fuzz seeds are bytes and exempt."""
    places = ["src", "include", "conformance", "fuzz", "bench", "README.md", "dev", "meson.build", "LICENSE"]
    files = [path for place in places for path in [ROOT / place, *(ROOT / place).rglob("*")] if path.is_file()]
    files += (ROOT / "corpus/payload").glob("*.json")
    files = [path for path in files if "__pycache__" not in path.parts]
    tap.ok(len(files) > 40, f"R2 the scan read files: {len(files)}")
    found = [f"{path.relative_to(ROOT)}: {hidden}" for path in files
             if (hidden := hidden_characters(path.read_text(encoding="utf-8")))]
    tap.ok(not found, "H4 no file of the tree holds a raw hidden character", found)
    tap.ok(hidden_characters("a\u200bb") and hidden_characters("\U000e0041"), "R2 a raw one is found")


def no_hidden_modules(tap):
    """R2: a script in the way of a module of Python's is what `import` then runs: crash.py
    imported inspect.py, which said that all was well."""
    names = [path for path in ROOT.rglob("*.py") if "build" not in path.parts]
    tap.ok(len(names) > 40, f"R2 the scan read names: {len(names)}")
    found = [str(path.relative_to(ROOT)) for path in names if path.stem in sys.stdlib_module_names]
    tap.ok(not found, "R2 no script has the name of a module of Python's", found)
    tap.ok("inspect" in sys.stdlib_module_names, "R2 such a name is found")


def main():
    tap = Tap()
    arrows(tap)
    third_party(tap)
    funnel(tap)
    sixth_source(tap)
    no_raw_samples(tap)
    no_hidden_modules(tap)
    tap.done()


if __name__ == "__main__":
    main()
