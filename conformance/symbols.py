#!/usr/bin/env python3
"""R1: what the objects of the core refer to, and what they keep.

The core promises no allocation, no clock, no locale, no randomness and no
state. The compiler's output is asked, not the source: an object that needs
`malloc` has an undefined symbol of that name, and one that keeps state has
writable data. The checks are then tried on planted breaches."""
import subprocess
import tempfile
from pathlib import Path

from harness import ROOT, Tap

# All that the C library may contribute: memory moves and comparison, and what
# a hardened compiler adds by itself.
ALLOWED = {"memcpy", "memmove", "memset", "memcmp", "strlen", "strchr",
           "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_"}
LAYERS = {"text": {"text"}, "json": {"text", "json"}}

PLANTED = {
    "malloc": '#include <stdlib.h>\nvoid *wkg_bad(void) { return malloc(1); }',
    "free": '#include <stdlib.h>\nvoid wkg_bad(void *p) { free(p); }',
    "setlocale": '#include <locale.h>\nvoid wkg_bad(void) { setlocale(LC_ALL, ""); }',
    "time": '#include <time.h>\ntime_t wkg_bad(void) { return time(0); }',
    "rand": '#include <stdlib.h>\nint wkg_bad(void) { return rand(); }',
    "writable data": 'int wkg_bad(void) { static int calls; return ++calls; }',
}


def compile_object(source, target):
    # Without -fno-pic a constant that holds a pointer counts as data, because
    # the loader writes to it once.
    subprocess.run(["cc", "-std=c11", "-O2", "-fno-pic", "-I", ROOT / "include", "-c",
                    source, "-o", target], check=True)
    return target


def symbols(path):
    """(undefined, defined, writable) names of one object."""
    listing = subprocess.run(["nm", "--format=posix", path], check=True,
                             capture_output=True, text=True).stdout
    undefined, defined, writable = set(), set(), set()
    for line in listing.splitlines():
        name, kind = line.split()[:2]
        if kind == "U":
            undefined.add(name)
        elif kind.isupper():
            defined.add(name)
        if kind in "DdBbCGgSs":
            writable.add(name)
    return undefined, defined, writable


def breaches(path, reachable):
    undefined, _, writable = symbols(path)
    return sorted(undefined - reachable - ALLOWED) + sorted(writable)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        objects, defined = {}, {}
        for layer in LAYERS:
            for source in sorted((ROOT / "src" / layer).glob("*.c")):
                target = Path(directory, f"{layer}-{source.stem}.o")
                objects[layer, source.stem] = compile_object(source, target)
                defined.setdefault(layer, set()).update(symbols(target)[1])
        tap.ok(len(objects) >= 8, f"R2 the scan read objects: {len(objects)}")
        for (layer, name), path in objects.items():
            reachable = set().union(*(defined[other] for other in LAYERS[layer]))
            found = breaches(path, reachable)
            tap.ok(not found, f"R1 {layer}/{name} allocates nothing, keeps nothing"
                   " and calls only its own layers", found)
        for what, source in PLANTED.items():
            planted = Path(directory, "planted.c")
            planted.write_text(source + "\n")
            found = breaches(compile_object(planted, planted.with_suffix(".o")), set())
            tap.ok(found, f"R2 planted {what} is found")
    tap.done()


if __name__ == "__main__":
    main()
