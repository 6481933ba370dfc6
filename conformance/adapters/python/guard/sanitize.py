"""The sanitizer (rules S1-S10)."""
import array
import dataclasses
import re

from . import documents, sets, texts

SOURCES = ("chat", "webhook", "form_event", "retrieval", "tool_result")
LIMITS = {"chat": 4000, "webhook": 32768, "form_event": 8192, "retrieval": 4000,
          "tool_result": 16384}
NOTES_MAX = 64


def source_of_trigger(trigger):
    """S5: the stored type decides; what is unknown is form_event."""
    return trigger if trigger in ("webhook", "chat") else "form_event"


@dataclasses.dataclass
class Settings:
    profile: str = "reference"
    unit: str = "codepoint"
    dropped: str = "null"
    limits: dict = dataclasses.field(default_factory=lambda: dict(LIMITS))
    max_depth: int = 16


@dataclasses.dataclass
class Report:
    truncated: int = 0
    dropped: int = 0
    stripped: int = 0
    replaced: int = 0
    leaves: list = dataclasses.field(default_factory=list)

    def note(self, path, kind):
        if len(self.leaves) < NOTES_MAX:
            self.leaves.append({"path": path, "kind": kind})


# --- strip: reference -------------------------------------------------------------------------

strip_reference = sets.deleter(sets.STRIP_REFERENCE)

# --- strip: hardened (S2) ---------------------------------------------------------------------

REMOVED = sets.Large(sets.STRIP_HARDENED)
CONTEXT = sets.Large(sets.CONTEXT_HARDENED)
HIDDEN = re.compile(f"[{sets.regex_class(sets.STRIP_HARDENED, sets.CONTEXT_HARDENED)}]")
IDEOGRAPHS = sets.members(["E0100-E01EF"])  # the selectors of ideographs
SELECTORS = sets.members(["180B-180D 180F FE00-FE0F"]) | IDEOGRAPHS
SHORTHAND = sets.members(["1BCA0-1BCA3"])
DUPLOYAN = sets.members(["1BC00-1BC9F"])
JOINERS = set("\u00ad\u034f\u115f\u1160\u200c\u200d") | SHORTHAND
EMOJI = "\ufe0f"
SEQUENCES = {chr(int(selector, 16)): sets.Large(bases)
             for selector, bases in sets.DATA["variation_sequences"].items()}
IDEOGRAPH = sets.Large(sets.DATA["unified_ideograph"])
PICTOGRAPH = sets.Large(sets.DATA["extended_pictographic"])
SKIN = sets.members(["1F3FB-1F3FF"])
VIRAMA = sets.Large(sets.DATA["virama"])
JOINING = sets.Large(sets.DATA["joining"])
MARK = sets.Large(sets.DATA["mark"])
LEADING = sets.Large(sets.DATA["jamo_leading"])
VOWEL = sets.Large(sets.DATA["jamo_vowel"])
FIGURE = sets.Large(sets.DATA["figure"])
REPHA = set("\u09b0\u09f0\u0cb0")
FLAG = "\U0001f3f4"
FLAGS = {"".join(chr(0xE0000 + ord(c)) for c in name) + "\U000e007f"
         for name in ("gbeng", "gbsct", "gbwls")}
TAGS = sets.members(["E0020-E007F"])
NO_SET = "\0"  # what a joiner sees of such a flag
RARE_MAX = 16  # S2.5, S2.8


class Front:
    """The last visible character, and what shows through to it."""

    def __init__(self, c="", before=None):
        self.c = c
        self.pictograph = c in PICTOGRAPH or (c in SKIN and before.pictograph)
        self.joining = c in JOINING or (c in MARK and before.joining)
        self.selected = self.joined = False  # one of each has been judged


class Flag(Front):
    """Nothing joins it (S2.9)."""

    def __init__(self):
        super().__init__()
        self.selected = self.joined = True



def keeps_selector(front, c):
    if c in IDEOGRAPHS:
        return front.c in IDEOGRAPH
    return front.c in SEQUENCES.get(c, ()) and front.c > "\x7f"


def keeps_joiner(front, c, after):
    if c == "\u200d":
        return (front.c in VIRAMA or (front.pictograph and after in PICTOGRAPH) or
                (front.c in REPHA and after in VIRAMA))
    if c == "\u200c":
        return front.c in VIRAMA or (front.joining and after in JOINING)
    if c == "\u115f":  # a missing consonant
        return front.c not in LEADING and after in VOWEL
    if c == "\u1160":  # a missing vowel
        return front.c in LEADING and after not in VOWEL
    if c == "\u034f":
        return front.c != "" and after in MARK
    if c == "\u00ad":
        return front.c in FIGURE and after in FIGURE
    if c in SHORTHAND:
        return front.c in DUPLOYAN and after in DUPLOYAN
    return after == "\u20e3" and front.c in SEQUENCES[EMOJI]  # U+FE0F after ASCII


def flag_after(text, at):
    """S2.9: the place behind the TAG characters of a flag whose U+1F3F4 is before `at`, or None."""
    tags = ""
    while at < len(text) and len(tags) < 6:
        if text[at] in TAGS:
            tags += text[at]
        elif text[at] not in REMOVED:
            return None
        at += 1
    return at if tags in FLAGS else None


def next_visible(text, at):
    """The visible character at or after `at`, or ''. A CR that is not before LF is a visible LF."""
    while at < len(text):
        c = text[at]
        if c == "\r" and text[at + 1:at + 2] != "\n":
            return "\n"
        if c not in REMOVED and c not in CONTEXT:
            return NO_SET if c == FLAG and flag_after(text, at + 1) else c
        at += 1
    return ""


def strip_hardened(text):
    """S2: (text, how many were removed, how many replaced)"""
    if not HIDDEN.search(text):
        return text, 0, 0
    kept, replaced, front, at = [], 0, Front(), 0
    while at < len(text):
        c = text[at]
        at += 1
        if c == "\r" and text[at:at + 1] != "\n":
            c = "\n"
            replaced += 1
        if c in REMOVED or c == "\r":
            continue
        if c not in CONTEXT:
            front = Front(c, front)
            kept.append(c)
            if c == FLAG and (end := flag_after(text, at)):
                kept += [t for t in text[at:end] if t in TAGS]
                front, at = Flag(), end
        elif c in JOINERS or (c == EMOJI and "" < front.c <= "\x7f"):
            if not front.joined and keeps_joiner(front, c, next_visible(text, at)):
                kept.append(c)
            front.joined = True
        elif c in SELECTORS and not front.selected and not front.joined:
            if keeps_selector(front, c):
                front.selected = True
                kept.append(c)
                front.pictograph = front.pictograph and c == EMOJI
    result = without_rare("".join(kept))
    return result, len(text) - len(result), replaced


def without_rare(text):
    """S2.5, S2.8: of a rare kind at most 16 in a value, or none."""
    for kind in (IDEOGRAPHS, {"\u034f"}, {"\u00ad"}):
        if sum(c in kind for c in text) > RARE_MAX:
            text = "".join(c for c in text if c not in kind)
    return text


# --- cut --------------------------------------------------------------------------------------

INDICATOR = sets.members(["1F1E6-1F1FF"])


def cut_hardened(text, kept):
    """S3.4: step back from a place where no cut may be. `kept` < len(text)."""
    if text[kept] in TAGS:
        while text[kept] != FLAG:
            kept -= 1
    if text[kept] in INDICATOR:
        run = kept
        while run > 0 and text[run - 1] in INDICATOR:
            run -= 1
        kept -= (kept - run) % 2
    last = text[kept - 1] if kept > 0 else ""
    keycap = last == EMOJI and text[kept - 2] <= "\x7f"
    return kept - 1 if keycap or last in JOINERS else kept


def cut(text, limit, settings):
    """S3: (prefix, whether anything was cut off)"""
    if len(text) * 4 <= limit or texts.SIZES[settings.unit](text) <= limit:
        return text, False
    result = texts.prefix(text, limit, settings.unit)
    if settings.profile == "hardened":
        result = text[:cut_hardened(text, len(result))]
    return result, True


# --- texts ------------------------------------------------------------------------------------


def strip(text, settings, report):
    text, replaced = texts.well_formed(text)
    report.replaced += replaced
    if settings.profile == "reference":
        text, stripped = strip_reference(text)
    else:
        text, stripped, replaced = strip_hardened(text)
        report.replaced += replaced
    report.stripped += stripped
    return text


def sanitize_text(text, source, settings, report):
    text, truncated = cut(strip(text, settings, report), settings.limits[source], settings)
    report.truncated += truncated
    return text, truncated


# --- documents and values ---------------------------------------------------------------------


def sanitize_name(name, settings, report):
    """S6.6: stripped in the hardened profile; in the reference profile only made well-formed."""
    if settings.profile == "hardened":
        return strip(name, settings, report)
    name, replaced = texts.well_formed(name)
    report.replaced += replaced
    return name


def bare_name(name, settings):
    """What of a name is compared (S6.4) and written in paths (S10)."""
    return strip(name, settings, Report())


def sanitize_json(document, source, settings, report):
    """S6: what need not change is copied byte for byte."""
    events = documents.read(document, lambda name: bare_name(name, settings))
    copy, path = documents.Copy(document), documents.Path(lambda n: bare_name(n, settings))
    deepest, deep = settings.max_depth, 0  # where a container that is too deep began
    for event in events:
        path.follow(event)
        if event.kind in "[{" and event.depth == deepest + 1:
            deep = event.start
            report.dropped += 1
            report.note(str(path), "dropped")
        elif event.kind in "]}" and event.depth == deepest + 1:
            copy.replace(deep, event.end, "null")
        elif event.depth > deepest:
            pass
        elif event.kind == "name":
            copy.string(event, sanitize_name(event.text, settings, report))
        elif event.kind == "string":
            text, truncated = sanitize_text(event.text, source, settings, report)
            copy.string(event, text)
            if truncated:
                report.note(str(path), "truncated")
    return copy.text()


DROPPED = object()


def sanitize_value(value, source, settings, report, path=(), depth=1):
    def walk(inner, step):
        return sanitize_value(inner, source, settings, report, (*path, step), depth + 1)

    def drop():
        report.dropped += 1
        report.note(documents.write_path(path), "dropped")
        return None if settings.dropped == "null" or not path else DROPPED
    if isinstance(value, documents.Number):
        return value
    if isinstance(value, str):
        text, truncated = sanitize_text(value, source, settings, report)
        if truncated:
            report.note(documents.write_path(path), "truncated")
        return text
    if isinstance(value, (list, dict)) and depth > settings.max_depth:
        return drop()
    if isinstance(value, list):
        items = [walk(item, n) for n, item in enumerate(value)]
        return [item for item in items if item is not DROPPED]
    if isinstance(value, dict):
        result = {}
        for name, item in value.items():
            item = walk(item, bare_name(name, settings))
            if item is not DROPPED:
                result[sanitize_name(name, settings, report)] = item
        return result
    if value is None or isinstance(value, (bool, documents.Number, array.array)):
        return value
    return drop()  # S9.2: of a kind nobody knows
