"""The moderator (rules M1-M9)."""
import array
import dataclasses
import json
import re
import unicodedata

from . import documents, sets, texts

LIMIT = 2000
PREFIX = "\u26a0\ufe0f\u3010\u7591\u4f3c\u6ce8\u5165\u3011"
SUFFIX = "\u2026\uff08\u5df2\u622a\u65ad\uff09"
DEPTH = 8
NOTES_MAX = 64


@dataclasses.dataclass
class Settings:
    profile: str = "reference"
    output_tags: str = "strip"


@dataclasses.dataclass
class Report:
    flagged: bool = False
    truncated: bool = False
    patterns: set = dataclasses.field(default_factory=set)
    leaves: list = dataclasses.field(default_factory=list)

    def note(self, path, kind):
        if len(self.leaves) < NOTES_MAX:
            self.leaves.append({"path": path, "kind": kind})


# --- patterns (M5) ----------------------------------------------------------------------------

TABLE = json.loads((sets.SUITE / "patterns.json").read_text("utf-8"))["patterns"]
# \b knows ASCII only, case folds as in Unicode: re.ASCII would change both
PATTERNS = {row["id"]: re.compile(row["pattern"].replace(r"\b", r"(?a:\b)")) for row in TABLE}
# Python takes these two for an i, other engines do not
NO_I = {0x130: "\ufffd", 0x131: "\ufffd"}


def hits(view):
    view = view.translate(NO_I) if not view.isascii() else view
    return {name for name, pattern in PATTERNS.items() if pattern.search(view)}


# --- views (M2) -------------------------------------------------------------------------------

strip_output = sets.deleter(sets.STRIP_OUTPUT, sets.TAGS)
strip_output_keep_tags = sets.deleter(sets.STRIP_OUTPUT)
HIDDEN = re.compile(f"[{sets.regex_class(sets.MATCH_IGNORABLE)}]+")
BLANK = re.compile("[\u115f\u1160\u2800\u3164\uffa0\U0001d159]")

SPACES = re.compile("[\t" + "".join(chr(c) for c in range(0x3001) if unicodedata.category(chr(c)) == "Zs") + "]+")
# eight that show as nothing (M2.5)
NOTHING = re.compile(f"(?:(?![\0-\x9f\u2028\u2029]|{BLANK.pattern})[{sets.regex_class(sets.MATCH_IGNORABLE)}]){{8}}")


class Folding(dict):
    """Letters and digits that are ASCII in NFKC; punctuation stays what it is."""

    def __missing__(self, code):
        plain = unicodedata.normalize("NFKC", chr(code))
        plain = plain if plain.isascii() and plain.isalnum() else chr(code)
        self[code] = plain
        return plain


FOLDING = Folding()


def seen(text):
    return HIDDEN.sub("", BLANK.sub(" ", text))


def views(text, delivered, profile):
    if profile == "reference":
        return {delivered}
    plain = {HIDDEN.sub("", text), HIDDEN.sub(" ", text), seen(text)}
    plain |= {view.translate(FOLDING) for view in plain if not view.isascii()}
    return {delivered} | plain | {SPACES.sub(" ", view) for view in plain}


# --- texts ------------------------------------------------------------------------------------


def moderate_text(text, settings):
    """(delivered, ids of patterns that matched, whether it was cut)"""
    text = texts.well_formed(text)[0]
    keep = settings.profile == "reference" and settings.output_tags == "keep"
    delivered = (strip_output_keep_tags if keep else strip_output)(text)[0]
    found = set()
    for view in views(text, delivered, settings.profile):
        found |= hits(view)
    flagged = bool(found) or (settings.profile == "hardened"
                              and (text.startswith(PREFIX) or bool(NOTHING.search(text))))
    if flagged:
        delivered = PREFIX + delivered
    truncated = len(delivered) > LIMIT
    if truncated:
        delivered = delivered[:LIMIT] + SUFFIX
    return delivered, flagged, found, truncated


def moderate_leaf(text, path, settings, report):
    text, flagged, found, truncated = moderate_text(text, settings)
    report.flagged |= flagged
    report.truncated |= truncated
    report.patterns |= found
    if flagged:
        report.note(str(path()), "suspicious")
    if truncated:
        report.note(str(path()), "truncated")
    return text


# --- documents and values (M7) ----------------------------------------------------------------


def moderate_json(document, settings, report, name_of):
    events = documents.read(document, name_of)
    copy, path = documents.Copy(document), documents.Path(name_of)
    for event in events:
        path.follow(event)
        container = event.kind in "[{"
        inside = event.depth - container
        if inside == DEPTH and (container or event.kind == "string"):
            report.note(str(path), "too_deep")
        elif event.kind == "string" and inside < DEPTH:
            copy.string(event, moderate_leaf(event.text, lambda: path, settings, report))
    return copy.text()


def moderate_value(value, settings, report, name_of, path=()):
    def where():
        return documents.write_path(path)

    def walk(inner, step):
        return moderate_value(inner, settings, report, name_of, (*path, step))
    if len(path) == DEPTH and isinstance(value, (str, list, dict)) \
            and not isinstance(value, documents.Number):
        report.note(where(), "too_deep")
        return value
    if isinstance(value, documents.Number) or value is None or isinstance(value, array.array):
        return value
    if isinstance(value, str):
        return moderate_leaf(value, where, settings, report)
    if isinstance(value, list):
        return [walk(item, n) for n, item in enumerate(value)]
    if isinstance(value, dict):
        return {name: walk(item, name_of(name)) for name, item in value.items()}
    return value
