"""The sets of suite/sets.json, as functions of code points and as pieces of regular expressions."""
import bisect
import json
import pathlib
import re

SUITE = pathlib.Path(__file__).resolve().parents[3] / "suite"
DATA = json.loads((SUITE / "sets.json").read_text("ascii"))


def ranges(lines):
    """["0000-0008 000B"] -> [(0, 8), (11, 11)]"""
    pairs = (part.split("-") for part in " ".join(lines).split())
    return [(int(pair[0], 16), int(pair[-1], 16)) for pair in pairs]


def members(lines):
    """The characters of a small set."""
    return {chr(code) for first, last in ranges(lines) for code in range(first, last + 1)}


class Large:
    """A set that is asked about few of its members."""

    def __init__(self, lines):
        pairs = ranges(lines)
        self.starts, self.ends = zip(*pairs)
        self.known = {}

    def __contains__(self, c):
        if c not in self.known:
            at = bisect.bisect(self.starts, ord(c)) - 1 if c else -1
            self.known[c] = at >= 0 and ord(c) <= self.ends[at]
        return self.known[c]


def regex_class(*lists):
    """What stands between [ and ] to match the members."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}"
                   for lines in lists for first, last in ranges(lines))


STRIP_REFERENCE = DATA["strip_reference"]
STRIP_HARDENED = DATA["strip_hardened"]
CONTEXT_HARDENED = DATA["context_hardened"]
FENCE_IGNORABLE = DATA["fence_ignorable"]
MATCH_IGNORABLE = DATA["match_ignorable"]
LESS, GREATER = DATA["less"], DATA["greater"]

# M1.1: what a model wrote keeps its joiners
STRIP_OUTPUT = ["0000-0008 000B-001F 007F-009F 061C 180E 200B 200E-200F 2028-202E 2060-206F FEFF"]
TAGS = ["E0000-E007F"]


def deleter(*lists):
    """A function that deletes the members from a text and counts them."""
    pattern = re.compile(f"[{regex_class(*lists)}]+")

    def delete(text):
        kept = pattern.sub("", text)
        return kept, len(text) - len(kept)
    return delete
