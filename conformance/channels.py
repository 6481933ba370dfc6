"""S2: what a hidden message can still ride on, and how much of it.

    channels.py PATH_TO_PROBE

A writer who wants to hide bytes in visible text may put any character of a
class, or two of them, behind each visible character. For every kind of text and
every class the survivors are counted, one place at a time: with s of them a
place carries log2(1 + s) bits. Then all places are used at once, to see what a
limit on the number in a value leaves of that. The result is in bits per 1000
visible characters, and must not be more than is written down here."""
import itertools
import math
import random

import model
from harness import Tap, probe_from_arguments

hexed = model.to_hex
MESSAGE = 8 * 1024  # one KiB, in bits
RARE = 16

# Honest texts, repeated until they are long enough.
TEXTS = {
    "Latin": "Please review the invoice, then approve it; na\u00efve caf\u00e9s \u201cpay\u201d late. ",
    "Latin, accents apart": "e\u0301te\u0301 u\u0308ber n\u0303o e\u0302\u0301 a\u0323\u0302 ",
    "numbers": "2026-11-30 1,250.00 EUR = 4 * 312.5 ",
    "Chinese": "\u8bf7\u5ba1\u6838\u8fd9\u5f20\u53d1\u7968\uff0c\u7136\u540e\u6279\u51c6\u4ed8"
               "\u6b3e\u3002\u845b\u57ce\u8fbb\u5148\u751f\u3001",
    "Hindi": "\u0915\u0943\u092a\u092f\u093e \u0907\u0938 \u092c\u093f\u0932 \u0915\u0940 "
             "\u091c\u093e\u0901\u091a \u0915\u0930\u0947\u0902 \u0914\u0930 "
             "\u0938\u094d\u0935\u0940\u0915\u0943\u0924 \u0915\u0930\u0947\u0902 ",
    "Persian": "\u0644\u0637\u0641\u0627 \u0627\u06cc\u0646 \u0635\u0648\u0631\u062a\u062d\u0633"
               "\u0627\u0628 \u0631\u0627 \u0628\u0631\u0631\u0633\u06cc \u06a9\u0646\u06cc\u062f ",
    "Hebrew, pointed": "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd \u05d9\u05b0\u05e8\u05d5\u05bc"
                       "\u05e9\u05c1\u05b8\u05dc\u05b7\u05b4\u05dd ",
    "Korean": "\uc774 \uc1a1\uc7a5\uc744 \uac80\ud1a0\ud558\uace0 \uc2b9\uc778\ud558\uc138\uc694. ",
    "Korean, in parts": "\u1102\u1161\u11ab \u1112\u119e\u11ab\u1100\u1173\u11af ",
    "emoji": "\u2764\U0001f600\U0001f469\U0001f3fd\u2600\U0001f680\U0001f1e9\U0001f1ea\u00a9",
}

CLASSES = {
    "TAG": model.ranges("E0020-E007F"),
    "VS": model.ranges("FE00-FE0F"),
    "IVS": model.ranges("E0100-E01EF"),
    "FVS": model.ranges("180B-180D 180F"),
    "ZWJ/ZWNJ": model.ranges("200C-200D"),
    "SHY": {0xAD}, "CGJ": {0x34F}, "fillers": model.ranges("115F-1160 3164 FFA0"),
    "CR": {0x0D}, "shorthand": model.ranges("1BCA0-1BCA3"),
    "always": model.ranges("0 1 200B 200E-200F 202A-202E 2028-2029 2060-2064 2066-2069 206A-206F"
                           " FEFF 061C 180E FFF9-FFFB E0001 1D173 FFFE FDD0 17B4"),
}

# The most that may be measured, in bits per 1000 visible characters; where
# nothing is said, nothing may survive.
ALLOWED = {
    ("Latin, accents apart", "CGJ"): 90,
    ("numbers", "SHY"): 86,
    ("Chinese", "VS"): 275, ("Chinese", "IVS"): 240,
    ("Hindi", "ZWJ/ZWNJ"): 40, ("Hindi", "CGJ"): 80,
    ("Persian", "ZWJ/ZWNJ"): 630,
    ("Hebrew, pointed", "CGJ"): 96,
    ("emoji", "VS"): 530, ("emoji", "ZWJ/ZWNJ"): 560,
}


def runs(codes):
    """What may be put in one place: one of them, or two of a few."""
    some = [chr(c) for c in sorted(codes)]
    few = some if len(some) < 20 else some[:4] + some[-4:]
    return some + ["".join(pair) for pair in itertools.product(few, repeat=2)]


def sanitized(probe, texts, profile="hardened"):
    answers = probe.ask(f"sanitize {profile} codepoint 1000000 {hexed(t)}" for t in texts)
    return [model.from_hex(a.split(" ")[1]).decode("utf-8") for a in answers]


def seen(text):
    return "".join(c for c in text if ord(c) not in model.STRIP["hardened"])


def survivors(probe, visible, codes, profile):
    """Per place in the text what can be told apart behind the sanitizer, by
    more than a reader sees: a CR that became a line feed is no secret. Places
    with the same neighbours are the same."""
    places = [(visible[max(0, i - 3):i], visible[i:i + 3])
              for i in range(1, len(visible) + 1)]
    kinds = sorted(set(places))
    asked = [(kind, run) for kind in kinds for run in runs(codes)]
    found = {kind: set() for kind in kinds}
    clean = dict(zip(kinds, sanitized(probe, [a + b for a, b in kinds], profile)))
    got = sanitized(probe, [a + run + b for (a, b), run in asked], profile)
    for (kind, _), text in zip(asked, got):
        if text != clean[kind] and seen(text) == clean[kind]:
            found[kind].add(text)
    return [found[place] for place in places], places


def filled(rng, visible, found, places, used):
    """The text with something hidden in `used` of its places."""
    chosen = set(rng.sample([i for i, f in enumerate(found) if f], used))
    out = [visible[0]]
    for i, (texts, (a, b)) in enumerate(zip(found, places), 1):
        if i - 1 in chosen:
            text = rng.choice(sorted(texts))
            out.append(text[len(a):len(text) - len(b)])
        out.append(visible[i:i + 1])
    return "".join(out)


def bits(probe, visible, codes, profile="hardened"):
    """How much of the class this text carries."""
    found, places = survivors(probe, visible, codes, profile)
    open_places = [len(texts) for texts in found if texts]
    if not open_places:
        return 0.0
    rng = random.Random(len(visible))
    all_used = filled(rng, visible, found, places, len(open_places))
    (got,) = sanitized(probe, [all_used], profile)
    if len(open_places) <= RARE or got == all_used:
        return sum(math.log2(1 + s) for s in open_places)
    # Too many at once: none came through, but sixteen do.
    most = max(open_places)
    return math.log2(sum(math.comb(len(open_places), k) * most ** k
                         for k in range(RARE + 1)))


def measured(probe):
    """{(kind of text, class): bits per 1000 visible characters}"""
    table = {}
    for name, text in TEXTS.items():
        visible = (text * 1000)[:1000]
        for kind, codes in CLASSES.items():
            table[name, kind] = bits(probe, visible, codes)
    return table


def show(table):
    print("bits that survive per 1000 visible characters")
    print(f"{'':22}" + "".join(f"{name:>9}" for name in CLASSES))
    for text in TEXTS:
        print(f"{text:22}" + "".join(f"{table[text, name]:9.0f}" for name in CLASSES))


def main():
    tap, probe = Tap(), probe_from_arguments()
    table = measured(probe)
    for text in TEXTS:
        carried = {name: round(table[text, name], 1) for name in CLASSES if table[text, name]}
        tap.ok(all(b <= ALLOWED.get((text, name), 0) for name, b in carried.items()),
               f"S2 {text}: no more bits survive than are written down", carried)
    tap.ok(not any(table["Latin", name] for name in CLASSES), "S2 Latin text carries 0 bits")
    whole = {text: sum(table[text, name] for name in CLASSES) for text in TEXTS}
    worst = max(whole, key=whole.get)
    needed = int(1000 * MESSAGE / whole[worst])
    tap.ok(needed > 4000, f"S2 1 KiB takes {needed} visible characters of {worst}, the worst kind:"
           " more than a chat message has")
    open_ended = bits(probe, (TEXTS["Latin"] * 20)[:1000], CLASSES["VS"], "reference")
    tap.ok(open_ended > 4000, "the measurement sees a channel where there is one:"
           f" the reference profile carries {open_ended:.0f} bits in selectors", open_ended)
    tap.done()


if __name__ == "__main__":
    main()
