"""Every code point between brackets, and behind padding.

    fence_codepoints.py PATH_TO_PROBE

`<c<c<` for each of the 1,112,064 code points that text can hold: either the
fence breaks it up, because a reader might drop c, or c is a character that a
reader sees. For the reference profile the answer is known independently: the
characters it fails to break up are listed in shared/unicode. And the same
characters as padding before content, for the order of strip and cut (S3)."""
import json

import model
from harness import SHARED, Collected, Tap, probe_from_arguments

SURROGATES = set(range(0xd800, 0xe000))
CODE_POINTS = sorted(set(range(0x110000)) - SURROGATES)
hexed = model.to_hex


def walk(tap, probe, profile, bracket):
    """The code points whose sandwich the fence changes."""
    changed = set()
    exact = Collected(tap, f"F3 {profile} puts a space after each {bracket}, or after"
                      f" none, of {bracket}c{bracket}c{bracket}")
    sandwich = "bcbcb".replace("b", bracket)
    for at in range(0, len(CODE_POINTS), 1 << 16):
        some = CODE_POINTS[at:at + (1 << 16)]
        texts = [hexed(sandwich.replace("c", chr(c))) for c in some]
        answers = probe.ask(f"neutralize {profile} {text}" for text in texts)
        for c, text, answer in zip(some, texts, answers):
            if answer != f"OK {text} 0 0":
                changed.add(c)
                expected = model.answer(f"neutralize {profile} {text}")
                exact.check(answer == expected, f"U+{c:04X}", answer, expected)
    exact.done()
    return changed


def listed(points):
    """A few code points for a message."""
    some = [f"U+{c:04X}" for c in sorted(points)[:12]]
    return f"{len(points)}: {' '.join(some)}"


def same(tap, name, got, expected):
    tap.ok(got == expected, name, f"broken up, but should not be: "
           f"{listed(got - expected)}", f"not broken up, but should be: "
           f"{listed(expected - got)}")


def every_code_point(tap, probe):
    """Returns what the reference breaks up between `<`."""
    found = {}
    for profile, between, kinds in (
            ("reference", model.REFERENCE_STRIP, ({ord("<")}, {ord(">")})),
            # F10: `<` and a bar, ASCII's or the wide one, begin a token.
            ("hardened", model.IGNORABLE, (model.LESS | {0x7C, 0xFF5C}, model.GREATER))):
        for bracket, kind in zip("<>", kinds):
            found[profile, bracket] = walk(tap, probe, profile, bracket)
            same(tap, f"F4 {profile} breaks up {bracket}c{bracket}c{bracket} for"
                 f" exactly the c a reader may drop, and {bracket} itself",
                 found[profile, bracket], (between | kind) - SURROGATES)
    return found["reference", "<"]


def known_counterexamples(tap, broken_up):
    """The list holds every c that a reader who knows Unicode could drop and for
    which the reference leaves `<c<c<` as it is: its known hole."""
    path = SHARED / "unicode" / "seed_fence_counterexamples.json"
    name = ("F4 what the reference leaves is exactly what is listed in"
            " seed_fence_counterexamples.json")
    if not path.exists():
        tap.skip(name, f"{path} is not there")
        return
    holes = {c for first, last in json.loads(path.read_text("ascii"))
             for c in range(first, last + 1)}
    # Two halfwidth letters became droppable later, because NFKC makes them
    # marks; that list is older.
    droppable = model.IGNORABLE - {0xff9e, 0xff9f}
    same(tap, name, broken_up - {ord("<")}, droppable - holes)


def padding(tap, probe):
    """S3: the first N visible characters survive, whatever stands before,
    between and behind them."""
    visible = "".join(chr(c) for c in range(ord("a"), ord("z") + 1))
    claims = Collected(tap, "S3 each stripped character, 40 deep before every"
                       " visible one, evicts none of them")
    requests, expected = [], []
    for profile in model.STRIP:
        for c in sorted(model.STRIP[profile]):
            if profile == "hardened" and c == 0x0D:
                continue  # is a line feed there, and seen
            pad = chr(c) * 40
            padded = pad + pad.join(visible) + pad
            for unit in model.WIDTH:
                requests.append(f"sanitize {profile} {unit} 10 {hexed(padded)}")
                expected.append(f"OK {hexed(visible[:10])} {40 * 27} 0 1")
    for request, got, should in zip(requests, probe.ask(requests), expected):
        claims.check(got == should, request[:200], got, should)
    claims.done()
    for pad in ("\u200b", "\0", "\U000e0041"):
        text = pad * 40000 + "a" * 10
        tap.ok(probe.ask([f"sanitize {profile} codepoint 10 {hexed(text)}"
                          for profile in model.STRIP])
               == [f"OK {hexed('a' * 10)} 40000 0 0"] * 2,
               f"S3 ten letters behind 40,000 U+{ord(pad):04X} survive a limit of"
               " 10, and are not reported as cut")


def main():
    tap, probe = Tap(), probe_from_arguments()
    known_counterexamples(tap, every_code_point(tap, probe))
    padding(tap, probe)
    tap.done()


if __name__ == "__main__":
    main()
