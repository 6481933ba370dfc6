"""A slow model of the moderator (M1-M7), to compare the library with.

The pattern table is the definition of what is looked for (M5), so it is asked
of the library and translated for Python's `re`. Everything else is made here
from whole lists of characters: what is read and where it stood, what is marked,
what is cut. There is no budget (M9); conformance/moderate.c tests that one."""
import re
import sys
import unicodedata

import model
from harness import ROOT

sys.path.insert(0, str(ROOT / "src/tables"))
from letters import LOOKALIKES, NEGATIVE, SUPPLEMENT  # noqa: E402  facts, not code

MARK = "\u26a0\ufe0f\u3010\u7591\u4f3c\u6ce8\u5165\u3011"
CUT = "\u2026\uff08\u5df2\u622a\u65ad\uff09"
LIMIT, DEPTH, KEPT = 2000, 8, 64

NOT_DELIVERED = model.REFERENCE_STRIP - {0x200c, 0x200d}  # M1
NOT_READ = (  # M2: hidden, or blank inside a word; visible format marks are not
    model.IGNORED_BY_DEFAULT | model.having("gc_Format")
    | (model.having("gc_Control") - {0x09, 0x0a})
    | model.having("gc_Line_Separator") | model.having("gc_Paragraph_Separator")
    | model.ranges("2800 1D159")) - model.having("Prepended_Concatenation_Mark")


# ---- patterns --------------------------------------------------------------

def translated(pattern):
    """A PCRE2 pattern (UTF, no UCP) for Python.

    Without UCP \\b and \\s know ASCII only: re.ASCII. That also takes away the
    two characters beyond ASCII that are the other case of an ASCII letter
    (KELVIN SIGN and LONG S), and re.UNICODE would add the two Turkish i, which
    PCRE2 has no part in. So they are written out."""
    flags = re.ASCII
    pattern = pattern.replace("(?C1)", "")  # the budget's callout
    if pattern.startswith("(?i)"):
        flags |= re.IGNORECASE
        others = {"k": "[k\u212a]", "s": "[s\u017f]"}
        pattern = pattern.replace("[a-z]", "[a-z\u212a\u017f]")
        pattern = re.sub(r"\\.|\(\?i\)|[KkSs]",
                         lambda m: "" if m[0] == "(?i)" else
                         others.get(m[0].lower(), m[0]), pattern)
    return re.compile(pattern, flags)


class Pattern:
    def __init__(self, field):
        self.name, *texts = field.split(":")
        source, self.hit, self.benign = (
            model.from_hex(text).decode("utf-8") for text in texts)
        self.search = translated(source).search


def patterns_of(probe, table="patterns"):
    (answer,) = probe.ask([table])
    return [Pattern(field) for field in answer.split(" ")[1:]]


# ---- characters and where they stand ---------------------------------------

PIECE = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.S)


def of_text(data):
    """[(character, offset)] of plain text, and how many were ill-formed."""
    text, replaced = model.decode(data)
    characters, at = [], 0
    for c in text:
        characters.append((c, at))
        width = len(c.encode("utf-8"))
        if c == "\ufffd" and data[at:at + 3] != b"\xef\xbf\xbd":
            width = subpart(data, at)
        at += width
    assert at == len(data)
    return characters, replaced


def subpart(data, at):
    """How many bytes one U+FFFD stands for."""
    try:
        data[at:at + 4].decode("utf-8")
    except UnicodeDecodeError as e:
        return e.end - e.start
    raise AssertionError("nothing is wrong there")


def of_string(doc, start, end):
    """The same of a JSON string token, escapes undone."""
    characters, replaced, at = [], 0, start + 1
    for piece in PIECE.findall(doc[start + 1:end - 1].decode("utf-8")):
        c, lone = model.unescape(f'"{piece}"'.encode("utf-8"))
        characters.append((c, at))
        replaced += lone
        at += len(piece.encode("utf-8"))
    return characters, replaced


# ---- one text --------------------------------------------------------------

def deleted(characters, hidden):
    return [(c, at) for c, at in characters if ord(c) not in hidden]


def spaced(characters, hidden):
    """Each run of hidden characters is one space."""
    read, in_run = [], False
    for c, at in characters:
        is_hidden = ord(c) in hidden
        if not is_hidden or not in_run:
            read.append((" " if is_hidden else c, at))
        in_run = is_hidden
    return read


BLANKS = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"  # hidden, and a gap to the eye
# Nothing to the eye, and no control: eight in a row are a message (M2).
HIDDEN_RUN = re.compile("[%s]{8,}" % "".join(
    chr(c) for c in sorted(NOT_READ) if c >= 0xa0 and c not in (0x2028, 0x2029)
    and chr(c) not in BLANKS))


def as_seen(characters, hidden):
    """Hidden characters that show as a blank are one, the others nothing."""
    return [(" " if c in BLANKS else c, at) for c, at in characters
            if ord(c) not in hidden or c in BLANKS]


# ---- letters ---------------------------------------------------------------

def letter_kind(c):
    return unicodedata.category(c)[0] in "LN"


def looks_like():
    found = {chr(int(code, 16)): letter for table in (LOOKALIKES, SUPPLEMENT)
             for letter, codes in table.items() for code in codes.split()}
    found |= {chr(first + i): chr(ord(letter) + i)
              for first, letter in NEGATIVE for i in range(26)}
    return found


LOOK = looks_like()
OVER_LATIN = model.ranges("0300-036F 1AB0-1AFF 1DC0-1DFF 20D0-20FF FE20-FE2F")


def letter(c):
    """What a character reads as, by Python's Unicode."""
    if c.isascii() or ord(c) in NOT_READ:
        return c
    if c in LOOK:
        return LOOK[c]
    if ord(c) in OVER_LATIN and unicodedata.category(c) in ("Mn", "Me"):
        return ""
    whole = unicodedata.normalize("NFKD", c)
    if "\uac00" <= c <= "\ud7a3":  # syllables are not taken apart
        return c
    if re.fullmatch(r"\(.\)", whole, re.S):
        whole = whole[1]
    plain = "".join(p for p in whole if unicodedata.category(p)[0] != "M")
    if plain != whole and not plain.isascii():
        return c
    read = "".join(LOOK.get(p, p) for p in plain)
    fits = (len(read) <= 3 and len(read.encode("utf-8")) <= 3 * len(c.encode("utf-8"))
            and not any(ord(p) in NOT_READ for p in read))
    return read if plain and all(map(letter_kind, plain)) and fits else c


def as_letters(reading):
    """Each character of a reading as what it reads as, where that one stood."""
    return [(p, at) for c, at in reading for p in letter(c)]


READINGS = {"reference": [(deleted, NOT_DELIVERED)],
            "hardened": [(deleted, NOT_READ), (spaced, NOT_READ), (as_seen, NOT_READ),
                         (deleted, NOT_DELIVERED)]}
SPACES = model.having("gc_Space_Separator")


def even(reading):
    """Spaces, and runs of them, are one U+0020 where the first stood."""
    plain = [(" " if ord(c) in SPACES or c == "\t" else c, at) for c, at in reading]
    return [now for before, now in zip([("", 0), *plain], plain)
            if not before[0] == now[0] == " "]


def source_range(reading, end, start, stop):
    """The source of reading[start:stop], whole characters: what one reads as is
    not cut in half."""
    offsets = [at for _, at in reading] + [end]
    while 0 < stop < len(reading) and offsets[stop] == offsets[stop - 1]:
        stop += 1
    return [offsets[start], offsets[stop]]


def kept(findings):
    """The first of each kind, 64 in all: see moderate.h."""
    some = []
    for finding in findings:
        kinds = [kind for _, (kind, *_) in some]
        if len(some) == KEPT:
            most = max("std", key=kinds.count)
            if kinds.count(most) <= kinds.count(finding[1][0]):
                continue
            del some[len(kinds) - 1 - kinds[::-1].index(most)]
        some.append(finding)
    return some


class Moderator:
    def __init__(self, probe, extended=False):
        self.patterns = patterns_of(probe)
        if extended:
            self.patterns += patterns_of(probe, "extension")

    @staticmethod
    def readings(characters, profile):
        plain = [read(characters, hidden) for read, hidden in READINGS[profile]]
        if profile == "reference":
            return plain
        joined, spaced_out, *_ = letters = [as_letters(reading) for reading in plain[:3]]
        return plain + letters + [even(plain[0]), even(joined), even(spaced_out)]

    def suspicions(self, characters, end, profile):
        """(name, from, to), each pattern once, in the order of the table."""
        found, readings = {}, self.readings(characters, profile)
        for reading in readings:
            text = "".join(c for c, _ in reading)
            for pattern in self.patterns:
                match = pattern.name not in found and pattern.search(text)
                if match:
                    found[pattern.name] = source_range(reading, end, *match.span())
        run = HIDDEN_RUN.search("".join(c for c, _ in characters))
        if profile == "hardened" and run:
            found["hidden-run"] = source_range(characters, end, *run.span())
        read_mark = MARK.replace("\ufe0f", "")
        if profile == "hardened" and [c for c, _ in readings[0][:7]] == [*read_mark]:
            found["marked-before"] = source_range(readings[0], end, 0, len(read_mark))
        return [("s", name, *span) for name, span in found.items()]

    def review(self, characters, end, profile):
        """What is delivered, and the findings about it."""
        findings = self.suspicions(characters, end, profile)
        mark = MARK if findings else ""
        room = LIMIT - len(mark)
        visible = deleted(characters, NOT_DELIVERED)
        text = mark + "".join(c for c, _ in visible[:room])
        if len(visible) > room:
            findings.append(("t", "", visible[room][1], end))
            text += CUT
        return text, findings

    # ---- documents ---------------------------------------------------------

    def document(self, doc, profile):
        """Strings rewritten if something about them changes, all else copied."""
        out, copied, findings, skipped = [], 0, [], None
        steps = Steps(doc, profile)
        for kind, start, end, depth in model.tokens(doc, profile):
            where = steps.at(kind, start, end)
            if skipped:
                if depth == DEPTH:  # its end
                    findings.append((skipped[0], ["d", "", skipped[1], end]))
                    skipped = None
            elif depth == DEPTH and kind in (model.OBJECT_BEGIN, model.ARRAY_BEGIN):
                skipped = where, start
            elif depth == DEPTH and kind == model.STRING:
                findings.append((where, ["d", "", start, end]))
            elif kind == model.STRING:
                characters, replaced = of_string(doc, start, end)
                text, new = self.review(characters, end - 1, profile)
                findings += [(where, finding) for finding in new]
                if replaced or text != "".join(c for c, _ in characters):
                    out += [doc[copied:start], model.quote(text).encode("utf-8")]
                    copied = end
        return b"".join(out) + doc[copied:], findings

    # ---- the protocol of probe.c -------------------------------------------

    def answer(self, request):
        operation, profile, field = request.split(" ")
        if profile == "invalid":
            return "E_ARGUMENT"
        data = model.from_hex(field)
        if operation != "moderate_json":
            characters, _ = of_text(data)
            out, findings = self.review(characters, len(data), profile)
            findings = [("", finding) for finding in findings]
        else:
            try:
                out, findings = self.document(data, profile)
            except model.Refused as refusal:
                return str(refusal)
        kinds = [finding[0] for _, finding in findings]
        return " ".join(["OK", model.to_hex(out), *(str(kinds.count(k)) for k in "std"),
                         *(":".join(map(str, [*finding, model.to_hex(where)]))
                           for where, finding in kept(findings))])


class Steps:
    """Where each value of a document stands (S10), token by token."""

    def __init__(self, doc, profile):
        self.doc, self.profile = doc, profile
        self.stack = []  # per open container: the name or index of its value

    def at(self, kind, start, end):
        if kind in (model.OBJECT_END, model.ARRAY_END):
            self.stack.pop()
            return None
        if kind == model.NAME:
            name, _ = model.unescape(self.doc[start:end])
            self.stack[-1] = model.strip(name, self.profile)
            return None
        if self.stack and isinstance(self.stack[-1], int):
            self.stack[-1] += 1
        where = model.path(self.stack)
        if kind == model.OBJECT_BEGIN:
            self.stack.append("")
        elif kind == model.ARRAY_BEGIN:
            self.stack.append(-1)
        return where
