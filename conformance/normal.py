"""F4's proof obligations under a second normalizer: utf8proc, from Debian.

    normal.py PATH_TO_TABLE_DUMP

The same C1 to C5 as in table.py, over every code point, from the compiled
table, but for the Unicode version of libutf8proc (15.0 in Debian 12), whose code
shares nothing with Python's."""
import ctypes
import ctypes.util
import sys
from harness import Tap

import table

COMPOSE, DECOMPOSE, COMPAT, STABLE, CASEFOLD = 1 << 3, 1 << 4, 1 << 2, 1 << 1, 1 << 10
FORMS = {"NFC": STABLE | COMPOSE, "NFD": STABLE | DECOMPOSE,
         "NFKC": STABLE | COMPOSE | COMPAT, "NFKD": STABLE | DECOMPOSE | COMPAT}


def load():
    """(normalize, version), or None if the library is not there."""
    name = ctypes.util.find_library("utf8proc")
    if not name:
        return None
    library, libc = ctypes.CDLL(name), ctypes.CDLL(None)
    library.utf8proc_unicode_version.restype = ctypes.c_char_p
    library.utf8proc_map.restype = ctypes.c_ssize_t
    library.utf8proc_map.argtypes = [ctypes.c_char_p, ctypes.c_ssize_t,
                                     ctypes.POINTER(ctypes.c_void_p), ctypes.c_int]
    libc.free.argtypes = [ctypes.c_void_p]

    def normalize(form, text):
        if text.isascii() or any("\ud800" <= c <= "\udfff" for c in text):
            return text
        data, out = text.encode(), ctypes.c_void_p()
        size = library.utf8proc_map(data, len(data), ctypes.byref(out), FORMS[form])
        assert size >= 0, (form, ascii(text), size)
        result = ctypes.string_at(out, size).decode()
        libc.free(out)
        return result
    return normalize, library.utf8proc_unicode_version().decode()


def main(program):
    tap, found = Tap(), load()
    claims = ("C1 a visible non-bracket neither vanishes nor turns bracket",
              "C2 an ignorable never turns bracket", "C3 a bracket stays a bracket of its class",
              "C4 a space never composes with what follows it",
              "C5 a visible non-bracket composes to nothing else")
    if not found:
        for claim in claims:
            tap.skip(f"F4 {claim}", "libutf8proc is not installed")
        tap.done()
    table.normalize, version = found  # for its readings(), composites(), prove_c4()
    tap.ok(table.normalize("NFKC", "\uff1c\ufb06") == "<st"
           and table.normalize("NFD", "\u226e") == "<\u0338", "F4 utf8proc normalizes")
    _, rows, _ = table.read_dump(program)
    sets = table.sets_of([row for row in rows if row[0] in table.CODES])
    texts, firsts = table.readings(), table.composites()
    faults = (table.prove_c1(sets, texts), table.prove_c2(sets, texts),
              table.prove_c3(sets, texts), table.prove_c4(), table.prove_c5(sets, firsts))
    for claim, fault in zip(claims, faults):
        tap.ok(not fault, f"F4 {claim} (utf8proc, Unicode {version})",
               table.spell(fault) if fault else "")
    visible = {**sets, "FENCE_IGNORABLE": sets["FENCE_IGNORABLE"] - {0xFF9E}}
    tap.ok(table.prove_c1(visible, texts), "F4 a table without U+FF9E fails C1")
    tap.done()


if __name__ == "__main__":
    main(sys.argv[1])
