"""S2: whatever a language or an emoji needs stays; the same elsewhere goes.

    joiners.py PATH_TO_PROBE

Words whose spelling needs a character that cannot be seen, every sequence that
Unicode's emoji files list, and every listed variation sequence: unchanged byte
for byte in hardened, as text, as a string of a JSON document and as a name in
one. Beside each, its twin: the same character where it has no business."""
import json
from pathlib import Path

import model
from harness import Collected, Tap, probe_from_arguments

UCD = Path("/usr/share/unicode")
hexed = model.to_hex

# Spelled with joiners, selectors and fillers, as their readers write them.
WORDS = {
    "Persian": ["\u0645\u06cc\u200c\u0631\u0648\u0645", "\u062e\u0627\u0646\u0647\u200c\u0647\u0627",
                "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627\u06cc", "\u0646\u06cc\u0645\u0647\u200c\u0634\u0628",
                "\u06a9\u0627\u0631\u200c\u0647\u0627", "\u06a9\u062a\u0627\u0628\u0650\u200c\u0645\u0646"],
    "Hindi": ["\u0915\u094d\u200d\u0937", "\u0915\u094d\u200c\u0937", "\u0930\u094d\u200d\u092f",
              "\u0936\u094d\u200d\u0930\u0940 \u0915\u094d\u200d"],
    "Sinhala": ["\u0dc1\u0dca\u200d\u0dbb\u0dd3", "\u0d9a\u0dca\u200d\u0dc2"],
    "Malayalam": ["\u0d05\u0d35\u0d28\u0d4d\u200d", "\u0d15\u0d4d\u200c\u0d37", "\u0d28\u0d4d\u200d\u0d31"],
    "Bengali": ["\u09b0\u200d\u09cd\u09af\u09be\u09ac", "\u0995\u09cd\u200c\u09b7"],
    "Kannada": ["\u0cb0\u200d\u0ccd\u0c95"],
    "Thai": ["\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48"],
    "Mongolian": ["\u182e\u1823\u1829\u182d\u1823\u182f", "\u1828\u180c", "\u1821\u180b",
                  "\u1833\u180b\u1820"],
    "Hebrew": ["\u05d9\u05b0\u05e8\u05d5\u05bc\u05e9\u05c1\u05b8\u05dc\u05b7\u034f\u05b4\u05dd",
               "\u05e9\u05b8\u05dc\u05d5\u05b9\u05dd"],
    "German": ["a\u034f\u0308"],
    "Old Korean": ["\u115f\u1161", "\u1100\u1160", "\u1112\u119e\u11ab", "\u1100\u1160\u11ab \u115f\u119e\u11ab"],
    "Japanese": ["\u845b\U000e0100\u57ce", "\u8fbb\U000e0100", "\u9089\U000e0101\u3055\u3093"],
    "Adlam": ["\U0001e900\U0001e922\u200c\U0001e923"],
    "mathematics": ["\u2229\ufe00", "\u2a9d\ufe00"],
    "line ends": ["one\ntwo\n"],
    "figures": ["3\xad4"],
    "shorthand": ["\U0001bc00\U0001bca0\U0001bc01\U0001bca1\U0001bc02\U0001bca2\U0001bc9c\U0001bca3\U0001bc46"],
}

# The same characters, where they say nothing to a reader.
STRAYS = {
    "a joiner between Latin letters": ("a\u200db\u200cc", "abc"),
    "a joiner between ideographs": ("\u5ba1\u200d\u6279\u200c", "\u5ba1\u6279"),
    "a joiner at the start": ("\u200d\u200cx", "x"),
    "a joiner behind an emoji": ("\U0001f600\u200dx", "\U0001f600x"),
    "a joiner before an emoji": ("x\u200d\U0001f600", "x\U0001f600"),
    "a joiner behind an emoji in text style": ("\u2764\ufe0e\u200d\U0001f525", "\u2764\ufe0e\U0001f525"),
    "a second joiner": ("\u0915\u094d\u200d\u200d\u200c\u0937", "\u0915\u094d\u200d\u0937"),
    "a selector behind a joiner": ("\u2764\u200d\ufe0f\U0001f525", "\u2764\u200d\U0001f525"),
    "ZWJ between Arabic letters": ("\u0628\u200d\u0628", "\u0628\u0628"),
    "ZWNJ behind an Arabic word": ("\u0628\u200c \u0628", "\u0628 \u0628"),
    "ZWJ before the virama of another letter": ("\u0915\u200d\u094d\u0937", "\u0915\u094d\u0937"),
    "a second selector": ("\u2764\ufe0f\ufe0e\ufe0f!", "\u2764\ufe0f!"),
    "a selector behind a letter": ("a\ufe0f\u4e2d\ufe0f\u0915\ufe01", "a\u4e2d\u0915"),
    "a selector that is not listed": ("\u2764\ufe01\U0001f600\ufe0f", "\u2764\U0001f600"),
    "a selector behind a digit that is no keycap": ("1\ufe0f 0\ufe00 #\ufe0e", "1 0 #"),
    "an ideographic selector elsewhere": ("\u304b\U000e0100a\U000e0101\U0001f600\U000e0102", "\u304ba\U0001f600"),
    "a second ideographic selector": ("\u845b\U000e0100\U000e0101", "\u845b\U000e0100"),
    "a Mongolian selector elsewhere": ("a\u180b\u0628\u180c", "a\u0628"),
    "the Mongolian selector that no sequence has": ("\u1820\u180f", "\u1820"),
    "TAG letters": ("hi\U000e0068\U000e0069", "hi"),
    "the flag of Texas": ("\U0001f3f4\U000e0075\U000e0073\U000e0074\U000e0078\U000e007f", "\U0001f3f4"),
    "a flag without its end": ("\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067", "\U0001f3f4"),
    "letters behind a flag": ("\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
                              "\U000e0061\U000e007f",
                              "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"),
    "a joiner in a flag": ("\U0001f3f4\U000e0067\u200d\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
                           "\U0001f3f4"),
    "a soft hyphen in a word": ("Zu\xadsammen", "Zusammen"),
    "a soft hyphen at the end of one": ("word\xad \xadword\xad.", "word word."),
    "a grapheme joiner between letters": ("c\u034fh \u034f", "ch "),
    "fillers elsewhere": ("a\u115f\u1160b\uac00\u115f \u3164\uffa0", "ab\uac00 "),
    "fillers in whole syllables": ("\u1100\u115f\u1161\u1160\u11a8\u115f", "\u1100\u1161\u11a8"),
    "controls of shorthand": ("a\U0001bca0\U0001bca1b\U0001bca2 \U0001bc00\U0001bca3", "ab \U0001bc00"),
    "CRLF": ("a\r\nb", "a\nb"), "CR alone": ("a\rb\r", "a\nb\n"), "CR CR LF": ("\r\r\n", "\n\n"),
    "a CR that something hidden parts from its LF": ("a\r\u200b\nb", "a\n\nb"),
}


def sanitized(probe, texts):
    answers = probe.ask(f"sanitize hardened codepoint webhook {hexed(t)}" for t in texts)
    return [model.from_hex(a.split(" ")[1]).decode("utf-8") for a in answers]


def as_json(probe, texts):
    """Both documents: what went in, and what came out."""
    documents = [json.dumps([text, {text: text}]) for text in texts]
    answers = probe.ask(f"payload hardened codepoint webhook 16 {hexed(d)}" for d in documents)
    return [(d, model.from_hex(a.split(" ")[1]).decode("utf-8")) for d, a in zip(documents, answers)]


def stays(tap, probe, name, texts):
    texts = list(texts)
    claims = Collected(tap, f"S2 unchanged: {name}")
    for text, got in zip(texts, sanitized(probe, texts)):
        claims.check(got == text, text, got)
    for document, got in as_json(probe, texts):
        claims.check(got == document, document, got)
    claims.check(bool(texts), "nothing to look at")
    claims.done()


def words(tap, probe):
    for language, texts in WORDS.items():
        stays(tap, probe, language, texts)
    stays(tap, probe, "all of them in one text",
          [" ".join(" ".join(texts) for texts in WORDS.values())])


def strays(tap, probe):
    for name, (text, expected) in STRAYS.items():
        (got,) = sanitized(probe, [text])
        ((_, document),) = as_json(probe, [text])
        tap.ok(got == expected, f"S2 goes: {name}", text, got)
        tap.ok(json.loads(document) == [expected, {expected: expected}],
               f"S2 goes from JSON: {name}", document)


def sequences(name):
    """The sequences of one of the emoji files; a range is its members."""
    for row in model.rows(f"emoji/{name}"):
        if ".." in row[0]:
            yield from map(chr, sorted(model.ranges(row[0])))
        else:
            yield "".join(chr(int(code, 16)) for code in row[0].split())


def emoji(tap, probe):
    if not (UCD / "emoji").exists():
        tap.skip("S2 emoji", "unicode-data is not installed")
        return
    joined = list(sequences("emoji-zwj-sequences.txt"))
    tap.ok(len(joined) == 1350, "there are 1350 emoji with joiners", len(joined))
    stays(tap, probe, "every emoji with a joiner", joined)
    stays(tap, probe, "every other emoji, keycaps and flags", sequences("emoji-sequences.txt"))
    stays(tap, probe, "every emoji as keyboards may send it", sequences("emoji-test.txt"))
    stays(tap, probe, "all emoji in one text", [" ".join(joined), "".join(joined)])
    listed = [f"{chr(base)}{chr(selector)}" for base, selector in model.VARIATIONS if base >= 0x80]
    tap.ok(len(listed) == 2000 - 25, "all listed variations but those of ASCII", len(listed))
    stays(tap, probe, "every listed variation", listed)
    claims = Collected(tap, "S2 goes: every other selector behind a character that has one")
    others = [(chr(base), chr(base) + chr(selector)) for base in {b for b, _ in model.VARIATIONS}
              for selector in sorted(model.SELECTORS - model.IDEOGRAPHIC)
              if (base, selector) not in model.VARIATIONS]
    for (base, text), got in zip(others, sanitized(probe, [text for _, text in others])):
        claims.check(got == base, text, got)
    claims.done()


def main():
    tap, probe = Tap(), probe_from_arguments()
    words(tap, probe)
    strays(tap, probe)
    emoji(tap, probe)
    tap.done()


if __name__ == "__main__":
    main()
