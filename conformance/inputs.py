"""Random inputs that are likely to hurt.

Uniformly random text finds almost nothing here: what breaks a fence is a few
characters in the right order. So each text is built from a small palette drawn
from pieces that matter, and each document is a valid one, or a valid one with
one or two things wrong with it."""
import model

BRACKETS = ["<", ">", "<<", ">>>", "<div>", model.BEGIN, model.END]
LOOK_ALIKES = sorted(map(chr, model.LESS | model.GREATER))
QUOTATION = ["\u3008", "\u300a", "\u3009", "\u300b", "\u300a\u3008",
             "\u300b\u300b", "\u2329"]
# One or two of every reason to be ignorable or stripped.
HIDDEN = ["\0", "\x07", "\r", "\x7f", "\x85", "\x9f", "\xad", "\u034f", "\u061c",
          "\u0600", "\u115f", "\u17b4", "\u180b", "\u180e", "\u200b", "\u200c",
          "\u200d", "\u2028", "\u2029", "\u202e", "\u2060", "\u2065", "\u206f",
          "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\ufff0", "\ufff9", "\ufffc",
          "\U0001bca0", "\U0001d173", "\U000e0000", "\U000e0041", "\U000e007f",
          "\U000e0080", "\U000e0100", "\U000e01ef", "\U000e0fff"]
MARKS = ["\u0301", "\u20dd", "\uff9e", "\u05b8"]
BLANK = [" ", "  ", "\t", "\xa0", "\u2009", "\u3000", "\u2800"]
BREAKS = ["\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"]
ODD = ["\ufffd", "\ufdd0", "\ufffe", "\uffff", "\U0001fffe", "\U0010ffff",
       "\ue000", "\U0010fffd"]
PLAIN = ["a", "Z", "0", "-", ".", '"', "\\", "/", "~", "\xe9", "e\u0301", "\u4e2d",
         "\U0001f600", "\U0001f468\u200d\U0001f469", "\u2764\ufe0f", "__XPY_DATA"]
BAD = [b"\xff", b"\x80", b"\xc0\xbc", b"\xc2", b"\xe0\x80\xbc", b"\xe2", b"\xe2\x80",
       b"\xed\xa0\x80", b"\xed\xb0\x80", b"\xef\xbf", b"\xf0\x80\x80\xbc", b"\xf0\x9f",
       b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\xbc", b"\xfe"]


# What the context rules of S2 are about: joiners, selectors, and whatever they
# may stand beside, a few of each script. In strings over one of these lists
# every neighbourhood occurs.
EMOJI = ["\u2764", "\U0001f469", "\U0001f3fd", "\ufe0f", "\ufe0e", "\u200d", "\u200b",
         "a"]
FLAGS = ["\U0001f3f4", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067",
         "\U000e0067", "\U000e007f", "\U0001f1e9", "\u200d", "\u200b", "\r", "a"]
LETTERS = ["\U0001e922", "\u0627", "\u064e", "\u200c", "\u200d", "\u1820", "\u180b", "\u2060",
           "\u034f"]
VIRAMAS = ["\u0915", "\u094d", "\u200c", "\u200d", "\u09b0", "\u09cd", "\u034f", "\u0301",
           "\u200b"]
FIGURES = ["1", "\u2194", "\xad", "\ufe0f", "\u20e3", "\u200d", "a", "\ufe00", "\r", "\n"]
HANGUL = ["\u1100", "\u1161", "\u11a8", "\u115f", "\u1160", "\xad", "\uac00", "\ufeff"]
IDEOGRAPHS = ["\u845b", "\U000e0100", "\ufe00", "\u3001", "\U000e01ef", "\u200d", "\u349e"]
PLACES = [EMOJI, FLAGS, LETTERS, VIRAMAS, FIGURES, HANGUL, IDEOGRAPHS]


def edges():
    """Code points on both sides of every boundary of every set."""
    found = set()
    for points in (*model.STRIP.values(), model.IGNORABLE, model.LESS,
                   model.GREATER):
        for c in points:
            if c - 1 not in points or c + 1 not in points:
                found.update((c - 1, c, c + 1))
    return [chr(c) for c in sorted(found)
            if 0 <= c < 0x110000 and not 0xd800 <= c < 0xe000]


EDGES = edges()
FAMILIES = [BRACKETS, LOOK_ALIKES, QUOTATION, HIDDEN, HIDDEN, MARKS, BLANK, BREAKS,
            ODD, PLAIN, PLAIN, BAD, EDGES, *PLACES]


def piece(rng, families=FAMILIES):
    chosen = rng.choice(rng.choice(families))
    return chosen if isinstance(chosen, bytes) else chosen.encode("utf-8")


def random_bytes(rng, most=14):
    """Text, perhaps ill-formed."""
    palette = [piece(rng) for _ in range(rng.randrange(1, 6))]
    if rng.random() < .5:
        palette.append(rng.choice(BRACKETS).encode())
    if rng.random() < .3:
        palette = [c.encode() for c in rng.choice(PLACES)]
    return b"".join(rng.choice(palette) for _ in range(rng.randrange(most)))


def random_text(rng, most=8):
    return random_bytes(rng, most).decode("utf-8", "replace")


# ---- JSON ------------------------------------------------------------------

NUMBERS = ["0", "-0", "7", "-12", "1e5", "1E+400", "-1.50e-7", "0.10", "1.0",
           "9007199254740993", "1234567890123456789", "1" * 60, "-0.0e0"]
WORDS = ["true", "false", "null"]
SURROGATES = ["\\ud800", "\\udbff", "\\uDC00", "\\udfff", "\\ud83d\\ude00",
              "\\uD83D\\uDE00", "\\ud800\\ud800", "\\udc00\\ud800", "\\ud83dx",
              "\\ud83d\\n", "\\ud83d\\u0041", "\\ud800\\ud83d\\ude00",
              "\\udc00\\udc00", "\\udfff\\uDE00"]
SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f",
         "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escaped(rng, character):
    """One of the ways to write a character in a JSON string."""
    must = character < " " or character in '"\\'
    if not must and rng.random() < .6:
        return character
    if character in SHORT and rng.random() < .5:
        return SHORT[character]
    units = character.encode("utf-16-be").hex()
    if rng.random() < .3:
        units = units.upper()
    return "".join(f"\\u{units[i:i + 4]}" for i in range(0, len(units), 4))


def json_string(rng, text):
    parts = [escaped(rng, c) for c in text]
    if rng.random() < .15:
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(SURROGATES))
    return f'"{"".join(parts)}"'


def json_name(rng):
    """From a few names, so that some meet again under a disguise."""
    name = rng.choice(["a", "b", "c", "id", "a.b", "items", "", "x y", "\u540d",
                       "k" * 90, "\u7d22" * 30])
    while rng.random() < .3:
        at = rng.randrange(len(name) + 1)
        name = name[:at] + rng.choice(HIDDEN) + name[at:]
    return json_string(rng, name)


def space(rng):
    return "" if rng.random() < .8 else rng.choice([" ", "\n", "\r\n", "\t  "])


def json_value(rng, room):
    """A value of at most `room` nested containers."""
    kind = rng.random()
    if room and kind < .55:
        count = rng.choice([0, 1, 1, 2, 2, 3, 5])
        name = (lambda: f"{json_name(rng)}{space(rng)}:") if kind < .35 else str
        inside = [f"{space(rng)}{name()}{space(rng)}{json_value(rng, room - 1)}"
                  f"{space(rng)}" for _ in range(count)]
        pair = "{}" if kind < .35 else "[]"
        return pair[0] + (",".join(inside) or space(rng)) + pair[1]
    if kind < .8:
        return json_string(rng, random_text(rng))
    return rng.choice(NUMBERS if kind < .93 else WORDS)


AROUND = ["[VALUE]", "[0,VALUE]", '{"k":VALUE}', '{"":VALUE,"z":1}',
          '{"a\\u200b.b":VALUE}']


def random_document(rng):
    """A valid document, but for names that may repeat."""
    value = json_value(rng, rng.choice([1, 2, 3, 4, 5]))
    for _ in range(rng.choice([0, 0, 0, 1, 2, 14, 15, 16, 17])):
        value = rng.choice(AROUND).replace("VALUE", value)
    return f"{space(rng)}{value}{space(rng)}".encode("utf-8")


WRONG = [b",", b":", b"[", b"]", b"{", b"}", b'"', b"\\", b"0", b"-", b".", b"e", b"+",
         b"t", b"n", b"\0", b"\x1f", b"\x0b", b"/*", b"'", b"NaN", b"\xef\xbb\xbf",
         b"\\u12", b"\\x", b'"a":1', b"\xa0", b"\xe2\x80\x8b", *BAD]


def broken(rng, doc):
    """The document with one or two things done to it."""
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(doc) + 1)
        end = min(len(doc), at + rng.choice([1, 1, 2, 5]))
        doc = rng.choice([
            doc[:at] + doc[end:], doc[:at] + rng.choice(WRONG) + doc[at:],
            doc[:at] + rng.choice(WRONG) + doc[end:], doc[:at],
            doc[:end] + doc[at:]])
    return doc
