#!/usr/bin/env python3
"""Numbers of canonical JSON (RFC 8785, 3.2.2.3) against Python and Node.

    number.py PATH_TO_NUMBER_PROBE [--seed N]

Reading is compared with float() and, around halfway points, with what the text
was made from. Writing is compared with the digits of repr(), laid out by ecma()
below; both are David Gay's algorithms, which share nothing with ours. If there
is a Node, it is asked too: the format is defined as what ECMAScript does."""
import itertools
import json
import random
import re
import shutil
import struct
import subprocess

from harness import Collected, Probe, Tap, arguments

SIGN, INFINITY = 1 << 63, 0x7FF << 52
MODES = ("up", "down", "zero", "nearest")


def bits_of(value):
    return struct.unpack(">Q", struct.pack(">d", value))[0]


def double_of(bits):
    return struct.unpack(">d", struct.pack(">Q", bits))[0]


def ecma(value):
    """ECMA-262, Number::toString, steps 6 to 10, over the digits of repr()."""
    if value == 0:
        return "0"
    sign, whole, fraction, power = re.fullmatch(
        r"(-?)(\d+)(?:\.(\d+))?(?:e(.*))?", repr(value)).groups(default="")
    digits = (whole + fraction).lstrip("0")
    n = len(digits) - len(fraction) + int(power or 0)
    s = digits.rstrip("0")
    k = len(s)
    if k <= n <= 21:
        text = s + "0" * (n - k)
    elif 0 < n <= 21:
        text = s[:n] + "." + s[n:]
    elif -6 < n <= 0:
        text = "0." + "0" * -n + s
    else:
        text = s[0] + ("." + s[1:] if k > 1 else "") + f"e{n - 1:+d}"
    return sign + text


# ---- doubles -----------------------------------------------------------------

def random_bits(rng, count):
    while count:
        bits = rng.getrandbits(64)
        if bits & ~SIGN < INFINITY:
            yield bits
            count -= 1


def edges():
    """Where the layout, the density or the length changes."""
    near = [field << 52 for field in range(0x7FF)] + [INFINITY - 1]
    near += [bits_of(float(f"1e{power}")) for power in range(-323, 309)]
    for bits in near:
        yield from (bits + step for step in range(-3, 4) if 0 <= bits + step < INFINITY)
    yield from range(5000)  # subnormals of few bits: wide intervals


def ties(rng, count):
    """Odd quarters where a quarter is a whole step or half of one: two decimals
    of one digit fewer are equally close, and the even one is to be taken."""
    for power in 49, 50:
        for _ in range(count // 2):
            yield bits_of(2.0 ** power + rng.randrange(2 ** power) + rng.choice([.25, .75]))


def human(rng, count):
    """What is in real documents: amounts, ids, times."""
    for _ in range(count):
        yield bits_of(round(rng.uniform(-10, 10) * 10 ** rng.randrange(16), rng.randrange(7)))


def writes_as(tap, probe, name, doubles, expected=None):
    doubles = list(doubles)
    if expected is None:
        expected = [ecma(double_of(bits)) for bits in doubles]
    texts = probe.ask(f"write {bits:016x}" for bits in doubles)
    claim = Collected(tap, f"{name} are written as ECMAScript does")
    for bits, text, wanted in zip(doubles, texts, expected):
        claim.check(text == wanted and len(text) <= 25, f"{bits:016x}: {text}, not {wanted}")
    claim.done()
    back = Collected(tap, f"{name} read back as they were")
    answers = probe.ask(f"parse {text}" for text in texts)
    for bits, text, answer in zip(doubles, texts, answers):
        wanted = shown(0 if bits == SIGN else bits)  # the sign of -0 is lost
        back.check(answer == wanted, f"{bits:016x}: {text}: {answer}")
    back.done()


# ---- texts -------------------------------------------------------------------

def spelled(rng, digits, power):
    """digits * 10^power as JSON, the point and the exponent anywhere."""
    at = rng.randrange(-3, len(digits) + 3)
    if at <= 0:
        whole, fraction = "0", "0" * -at + digits
    else:
        whole, fraction = digits[:at].ljust(at, "0"), digits[at:]
    power += len(digits) - at
    sign, e = rng.choice(["", "-"]), rng.choice("eE")
    text = sign + (whole.lstrip("0") or "0") + ("." + fraction if fraction else "")
    if power == 0 and rng.random() < .8:
        return text
    return text + f"{e}{power:{rng.choice(['', '+', '04'])}d}"


def random_texts(rng, count):
    for _ in range(count):
        digits = str(rng.randrange(1, 10 ** rng.choice([1, 3, 9, 15, 16, 17, 19, 25, 40, 800])))
        power = rng.choice([rng.randrange(-25, 25), rng.randrange(-345, 315)])
        if rng.random() < .3:
            power -= len(digits)
        yield spelled(rng, digits, power)


def decimal_of(mantissa, power):
    """mantissa * 2^power exactly, as digits and a power of ten."""
    return (str(mantissa << power), 0) if power >= 0 else (str(mantissa * 5 ** -power), power)


def moved(digits, step, zeros):
    """One unit up or down, far behind the last digit."""
    return str(int(digits + "0" * (zeros + 1)) + step), -(zeros + 1)


def halfway_texts(rng, doubles):
    """(text, bits): a halfway point, or a hair beside it or beyond 768 digits."""
    for below in doubles:
        below &= ~SIGN
        field, fraction = below >> 52, below & (1 << 52) - 1
        mantissa = fraction | (1 << 52 if field else 0)
        digits, power = decimal_of(2 * mantissa + 1, max(field, 1) - 1076)
        step = rng.choice([-1, 0, 0, 1])
        nearest = below + (step > 0 or (step == 0 and below & 1))
        if step:
            digits, shift = moved(digits, step, rng.choice([0, 1, 5, 50, 800, 1500]))
            power += shift
        elif rng.random() < .3:
            digits, power = digits + "0" * 50, power - 50
        text = spelled(rng, digits, power)
        yield text, nearest | (SIGN if text[0] == "-" else 0)


def shown(bits):
    return "refused" if bits & ~SIGN >= INFINITY else f"{bits:016x}"


def reads_as(tap, probe, name, cases):
    cases = list(cases)
    claim = Collected(tap, f"{name} are read as the nearest double")
    for (text, bits), answer in zip(cases, probe.ask(f"parse {text}" for text, _ in cases)):
        claim.check(answer == shown(bits), f"{text[:300]}: {answer}, not {shown(bits)}")
    claim.done()


def grammar(tap, probe):
    """Every text of six characters that could be part of a number."""
    texts = ["".join(letters) for length in range(7)
             for letters in itertools.product("01-+.e", repeat=length)]
    number = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?")
    claim = Collected(tap, "RFC 8259, 6: numbers, and nothing else, are read")
    for text, answer in zip(texts, probe.ask(f"parse {text}" for text in texts)):
        wanted = shown(bits_of(float(text))) if number.fullmatch(text) else "refused"
        claim.check(answer == wanted, f"{text}: {answer}, not {wanted}")
    claim.done()


def by_float(texts):
    return ((text, bits_of(float(text))) for text in texts)


def under_every_rounding(tap, probe, texts):
    """A host may have called fesetround(3)."""
    for mode in MODES:
        answers = probe.ask([f"round {mode}", *(f"parse {text}" for text in texts)])
        claim = Collected(tap, f"with rounding {mode}: the same doubles")
        claim.check(answers[0] == "ok", answers[0])
        for text, answer in zip(texts, answers[1:]):
            claim.check(answer == shown(bits_of(float(text))), f"{text[:300]}: {answer}")
        claim.done()


def by_node(tap, probe, doubles):
    node = shutil.which("node")
    if not node:
        tap.skip("doubles are written as Node does", "node is not installed")
        return
    program = """
        const bits = JSON.parse(require('fs').readFileSync(0));
        const view = new DataView(new ArrayBuffer(8));
        console.log(JSON.stringify(bits.map(hex =>
            (view.setBigUint64(0, BigInt('0x' + hex)), String(view.getFloat64(0))))));
    """
    doubles = list(doubles)
    done = subprocess.run([node, "-e", program], check=True, capture_output=True, text=True,
                          input=json.dumps([f"{bits:x}" for bits in doubles]))
    writes_as(tap, probe, "doubles asked of Node", doubles, json.loads(done.stdout))


def main():
    given = arguments("probe")
    tap, probe, rng = Tap(), Probe(given.probe), random.Random(given.seed)

    writes_as(tap, probe, "random doubles", random_bits(rng, 200_000))
    writes_as(tap, probe, "doubles at an edge", edges())
    writes_as(tap, probe, "doubles with two closest decimals", ties(rng, 4000))
    writes_as(tap, probe, "numbers as people write them", human(rng, 20_000))
    by_node(tap, probe, [*edges(), *ties(rng, 4000), *random_bits(rng, 20_000)])

    grammar(tap, probe)
    reads_as(tap, probe, "random decimals", by_float(random_texts(rng, 100_000)))
    around = [*random_bits(rng, 10_000), *edges(), *(rng.randrange(1 << 54) for _ in range(5000))]
    halfway = list(halfway_texts(rng, around))
    reads_as(tap, probe, "decimals near a halfway point", halfway)
    reads_as(tap, probe, "the same, asked of float(),", by_float(text for text, _ in halfway))
    under_every_rounding(tap, probe, list(random_texts(rng, 5000)))
    tap.done()


if __name__ == "__main__":
    main()
