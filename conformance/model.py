"""Slow models of the text core, to compare the library with.

Each function is one sentence of the specification, written the way that is
most obviously that sentence: whole strings, regular expressions, Python's own
decoder and JSON parser. Nothing here shares code or tables with src/, except
the property range files, which are facts about Unicode. What there is no range
file for is read from Debian's unicode-data.

`answer(request)` answers the line protocol of probe.c, so a differential test
is: the same lines to both, the same lines back."""
import functools
import json
import pathlib
import re
import sys
import unicodedata

sys.setrecursionlimit(5000)  # Python's json recurses; the documents are nested

# ---- sets of code points ---------------------------------------------------

TABLES = pathlib.Path(__file__).resolve().parent.parent / "src" / "tables"
UCD = pathlib.Path("/usr/share/unicode")


def ranges(text):
    """{0x41, 0x42, 0x61} from "0041-0042 0061"."""
    points = set()
    for word in text.replace("..", "-").split():
        first, _, last = word.partition("-")
        points.update(range(int(first, 16), int(last or first, 16) + 1))
    return points


def having(name):
    """The code points with a property of Unicode."""
    lines = (TABLES / f"{name}.txt").read_text("ascii").splitlines()
    return ranges(" ".join(line.partition("#")[0] for line in lines))


def rows(name):
    """The fields of each line of a file of Debian's unicode-data."""
    lines = (UCD / name).read_text("utf-8").splitlines()
    lines = (line.partition("#")[0] for line in lines)
    return [[field.strip() for field in line.split(";")] for line in lines
            if ";" in line]


def rows_with(name, column, *values):
    """The code points whose row has one of these values in a column."""
    return ranges(" ".join(row[0] for row in rows(name) if row[column] in values))


def characters(codes):
    return "".join(chr(int(code, 16)) for code in codes.split())


# What Debian's unicode-data (15.0) has and this Python may not know yet.
NEWER = {chr(int(row[0], 16)): re.sub("<.*> *", "", row[5]) for row in rows("UnicodeData.txt")
         if unicodedata.category(chr(int(row[0], 16))) == "Cn"}
NEWER_FORMS = {ord(c): characters(codes) for c, codes in NEWER.items() if codes}


def normalize(form, text):
    """NFKC or NFKD; none of the newer ones composes with anything."""
    return unicodedata.normalize(form, text.translate(NEWER_FORMS))


REFERENCE_STRIP = ranges(  # S1
    "0000-0008 000B-001F 007F-009F 061C 180E 200B-200F 202A-202E 2028-2029"
    " 2060-206F FEFF E0000-E007F")
NONCHARACTERS = having("Noncharacter_Code_Point")
IGNORED_BY_DEFAULT = having("Default_Ignorable_Code_Point")
HARDENED_CONTEXT = ranges(  # S2
    "000D 00AD 034F 115F-1160 180B-180D 180F 200C-200D FE00-FE0F 1BCA0-1BCA3"
    " E0020-E007F E0100-E01EF")
HARDENED_STRIP = (
    (REFERENCE_STRIP | IGNORED_BY_DEFAULT | NONCHARACTERS | ranges("FFF9-FFFB"))
    - HARDENED_CONTEXT)

LESS = ranges(
    "003C 00AB 02C2 1438 1444-1445 150C 16B2 2039 226A 226E 22D6 22D8 2329 276C"
    " 276E 2770 27E8 27EA 27EC 27EE 2991 2993 2995 29FC 2CB4-2CB5 3008 300A"
    " FE3D FE3F FE64 FF1C 1D236")
GREATER = ranges(
    "003E 00BB 02C3 1433 1437 1440-1441 203A 226B 226F 22D7 22D9 232A 276D 276F"
    " 2771 27E9 27EB 27ED 27EF 2992 2994 2996 29FD 2A20 2AA5 3009 300B FE3E FE40"
    " FE65 FF1E 16F3F 1D237")
IGNORABLE = (
    REFERENCE_STRIP | IGNORED_BY_DEFAULT | NONCHARACTERS
    | having("gc_Format") | (having("gc_Control") - {0x09, 0x0A})
    | having("gc_Line_Separator") | having("gc_Paragraph_Separator")
    | having("gc_Nonspacing_Mark") | having("gc_Enclosing_Mark")
    | (having("gc_Space_Separator") - {0x20})
    | having("gc_Surrogate") | having("gc_Private_Use")
    | ranges("2800 FFFC FFFD 1D159 16FE4")  # blank or a placeholder
    | ranges("FF9E FF9F")  # letters, but NFKC makes them marks
) - LESS - GREATER

# What each profile may remove from a value.
STRIP = {"reference": REFERENCE_STRIP, "hardened": HARDENED_STRIP | HARDENED_CONTEXT}


def pattern_of(points):
    """Members of a character class."""
    points, parts = sorted(points), []
    while points:
        run = 1
        while run < len(points) and points[run] == points[0] + run:
            run += 1
        parts.append(f"\\U{points[0]:08x}-\\U{points[run - 1]:08x}")
        points = points[run:] if run > 1 else points[1:]
    return "".join(parts)


# ---- text (T) --------------------------------------------------------------

def decode(data):
    """The text of some bytes, and how often an ill-formed part was replaced.

    Python replaces maximal subparts (differential.py checks that it does)."""
    repaired = data.decode("utf-8", "replace")
    genuine = data.decode("utf-8", "ignore").count("\ufffd")
    return repaired, repaired.count("\ufffd") - genuine


WIDTH = {"codepoint": lambda c: 1,
         "utf16": lambda c: len(c.encode("utf-16-le")) // 2,
         "byte": lambda c: len(c.encode("utf-8"))}


def cut(text, unit, limit):
    """The longest prefix that is not longer than the limit (T3)."""
    used = 0
    for at, character in enumerate(text):
        used += WIDTH[unit](character)
        if used > limit:
            return text[:at]
    return text


# ---- sanitizer (S) ---------------------------------------------------------

LIMITS = {"chat": 4000, "webhook": 32768, "form_event": 8192,
          "retrieval": 4000, "tool_result": 16384}  # S4


def sanitize(text, profile, unit, limit):
    """Strip the whole, then cut (S3): the text, how many characters were
    stripped, how many replaced, and whether it was cut."""
    if profile == "reference":
        visible = "".join(c for c in text if ord(c) not in REFERENCE_STRIP)
        clean = cut(visible, unit, limit)
        return clean, len(text) - len(visible), 0, len(clean) < len(visible)
    # What came from one element of `pieces` is not cut apart.
    pieces = in_place(text)
    visible, clean = "".join(pieces), cut("".join(pieces), unit, limit)
    if len(clean) < len(visible):
        size = len(visible)
        while size > len(clean):
            size -= len(pieces.pop())
        clean = "".join(pieces)
        while clean and ord(clean[-1]) in JOINERS_IN_PLACE or KEYCAP_HALF.search(clean):
            clean = clean[:-1]
    lone_returns = len(re.findall("\r(?!\n)", text))
    return clean, len(text) - len(visible), lone_returns, len(clean) < len(visible)


def strip(text, profile):
    return sanitize(text, profile, "codepoint", 10 ** 12)[0]


# ---- characters that stay in their place only (S2) ---------------------------

PICTOGRAPHS, IDEOGRAPHS = having("Extended_Pictographic"), having("Unified_Ideograph")
MARKS = having("gc_Nonspacing_Mark") - HARDENED_CONTEXT - HARDENED_STRIP
VIRAMAS = rows_with("extracted/DerivedCombiningClass.txt", 1, "9")
JOINING = rows_with("ArabicShaping.txt", 2, "L", "R", "D")
LEADING = rows_with("HangulSyllableType.txt", 1, "L") - {0x115F}
VOWELS = rows_with("HangulSyllableType.txt", 1, "V") - {0x1160}
FIGURES = rows_with("UnicodeData.txt", 2, "Nd", "Nl", "No", "Sm", "Sc")
SKIN_TONES = ranges("1F3FB-1F3FF")
VARIATIONS = {tuple(int(code, 16) for code in row[0].split())
              for name in ("StandardizedVariants.txt",
                           "emoji/emoji-variation-sequences.txt")
              for row in rows(name)}

SHY, CGJ, ZWNJ, ZWJ = 0xAD, 0x34F, 0x200C, 0x200D
NO_CONSONANT, NO_VOWEL = 0x115F, 0x1160
SHORTHAND, SHORTHAND_CONTROLS = ranges("1BC00-1BC9F"), ranges("1BCA0-1BCA3")
JOINERS_IN_PLACE = {NO_CONSONANT, NO_VOWEL, SHY, CGJ, ZWNJ, ZWJ} | SHORTHAND_CONTROLS
SELECTORS = having("Variation_Selector")
IDEOGRAPHIC = ranges("E0100-E01EF")
STYLE, KEYCAP = 0xFE0F, 0x20E3
KEYCAP_HALF = re.compile("[\0-\x7f]\ufe0f\\Z")
FLAG = "\U0001f3f4(?:%s)\U000e007f" % "|".join(
    "".join(chr(0xE0000 + ord(c)) for c in name) for name in ("gbeng", "gbsct", "gbwls"))
# A flag, or any visible character, or nothing at the beginning; then what there
# is to decide about.
STEP = re.compile("({flag}|[^{unseen}]|\\A)([{unseen}]*)".format(
    flag=FLAG, unseen=pattern_of(HARDENED_CONTEXT)), re.S)


def before(steps, at, through):
    """The last visible character up to `at` that is not one of these."""
    while at > 0 and len(steps[at][0]) == 1 and ord(steps[at][0]) in through:
        at -= 1
    return at


def point(visible):
    """A step's character; a flag is none in particular, nor is the end."""
    return ord(visible) if len(visible) == 1 else -1


def joins(joiner, steps, selectors, at):
    """Does this joiner belong between step `at` and the next?"""
    here, after = point(steps[at][0]), point((steps[at + 1:at + 2] or [("", "")])[0][0])
    if joiner == ZWJ:
        emoji = before(steps, at, SKIN_TONES)
        styled = [selectors[i] for i in range(emoji, at + 1)]
        return (here in VIRAMAS or (here in (0x9B0, 0x9F0, 0xCB0) and after in VIRAMAS)
                or (point(steps[emoji][0]) in PICTOGRAPHS and after_is_emoji(after)
                    and all(s in (None, STYLE) for s in styled)))
    if joiner == ZWNJ:
        letter = before(steps, at, MARKS)
        return here in VIRAMAS or (point(steps[letter][0]) in JOINING
                                   and after in JOINING)
    if joiner == CGJ:
        return steps[at][0] != "" and after in MARKS
    if joiner == SHY:
        return here in FIGURES and after in FIGURES
    if joiner == NO_CONSONANT:
        return here not in LEADING and after in VOWELS
    if joiner == NO_VOWEL:
        return here in LEADING and after not in VOWELS
    if joiner in SHORTHAND_CONTROLS:
        return here in SHORTHAND and after in SHORTHAND
    return after == KEYCAP and (here, joiner) in VARIATIONS


def after_is_emoji(code):
    return code in PICTOGRAPHS


def choose(steps, ideographic):
    """Per step the one selector and the one joiner that stay, or None."""
    selectors, joiners = [], []
    for visible, unseen in steps:
        here = point(visible)
        codes = [ord(c) for c in unseen if not 0xE0000 <= ord(c) <= 0xE007F]
        ascii_ = visible != "" and 0 <= here < 0x80
        is_joiner = [c not in SELECTORS or (c == STYLE and (ascii_ or visible == ""))
                     for c in codes]
        first = is_joiner.index(True) if True in is_joiner else len(codes)
        listed = [c for c in codes[:first] if not ascii_ and (
            (here, c) in VARIATIONS
            or ideographic and c in IDEOGRAPHIC and here in IDEOGRAPHS)]
        selectors.append(listed[0] if listed else None)
        joiners.append(codes[first] if first < len(codes) else None)
    joiners = [j if j and joins(j, steps, selectors, at) else None
               for at, j in enumerate(joiners)]
    return selectors, joiners


def in_place(text):
    """The text without what is hidden in it, in pieces that are cut as one."""
    text = re.sub("\r\n?", "\n", text)
    text = "".join(c for c in text if ord(c) not in HARDENED_STRIP)
    steps = STEP.findall(text)
    selectors, joiners = choose(steps, True)
    if sum(s in IDEOGRAPHIC for s in selectors) > 16:
        selectors, joiners = choose(steps, False)
    too_many = [c for c in (SHY, CGJ) if joiners.count(c) > 16]
    pieces = []
    for (visible, _), selector, joiner in zip(steps, selectors, joiners):
        pieces.append(visible)
        pieces += [chr(c) for c in (selector, joiner) if c and c not in too_many]
    return paired(pieces)


def paired(pieces):
    """Two regional indicators are one flag."""
    out = []
    for piece in pieces:
        half = out and re.fullmatch("[\U0001f1e6-\U0001f1ff]", out[-1])
        if half and re.fullmatch("[\U0001f1e6-\U0001f1ff]", piece):
            out[-1] += piece
        else:
            out.append(piece)
    return out


# ---- fence (F) -------------------------------------------------------------

BEGIN, END = "<<<__XPY_DATA_BEGIN__>>>", "<<<__XPY_DATA_END__>>>"
KINDS = {"reference": ("<", ">"),
         "hardened": (pattern_of(LESS), pattern_of(GREATER))}
BETWEEN = {"reference": pattern_of(REFERENCE_STRIP),
           "hardened": pattern_of(IGNORABLE)}
# Brackets of a kind with only ignorables between them. A following space is
# taken along where none is put in beside it.
GROUPS = {
    profile: [(re.compile(f"([{kind}](?:[{BETWEEN[profile]}]*[{kind}])*)( ?)"),
               re.compile(f"[{kind}]")) for kind in KINDS[profile]]
    for profile in KINDS}
HIDDEN_ONLY = {profile: re.compile(f"[{BETWEEN[profile]}]*") for profile in KINDS}
QUOTATION = re.compile("[\u3008\u300a]{2}|[\u3009\u300b]{2}")


def space_brackets(text, profile, inline):
    """A space after every member of a group (F3); inline (F8) a single bracket
    is a group at the edge of the text."""
    hidden = HIDDEN_ONLY[profile]

    def spaced(match):
        at_edge = inline and (match.start() == first or match.end(1) == last)
        if not at_edge and len(member.findall(match[1])) < 2:
            return match[0]
        if profile == "hardened" and QUOTATION.fullmatch(match[1]) and not at_edge:
            return match[0]
        out = member.sub(r"\g<0> ", match[1])
        return out + (match[2] if profile == "reference" and not inline else "")
    for group, member in GROUPS[profile]:
        first = hidden.match(text).end()
        last = len(text) - hidden.match(text[::-1]).end()
        text = group.sub(spaced, text)
    return text


# What UTS #39 likens to a letter of the keyword, and what it forgot.
CONFUSABLE = {chr(int(source, 16)): "".join(chr(int(c, 16)) for c in target.split())
              for source, target in
              re.findall("^([0-9A-F]+)\t([0-9A-F ]+)$",
                         (TABLES / "confusables.tsv").read_text("ascii"), re.M)}
FORGOTTEN = str.maketrans(
    "47\u03a7\u03c7\u03c4\u0442\u1d1b\u1d00\u1d05\u1d18\u028f\u2179\xd7\u2715\u2716"
    "\u04af\u0501\u0251", "atxxtttadpyxxxxyda")
PASSED_OVER = (having("gc_Punctuation") | set(map(ord, "+=|`^$ \t"))) - {ord("~")}
UNREAD = IGNORABLE | PASSED_OVER
CROSS = "\u166e"  # CANADIAN SYLLABICS FULL STOP: punctuation that looks like an x


@functools.cache
def letters(character):
    """What of the keyword can be read in one character: some of a-z0-9, nothing
    if it is passed over, `#` for what is neither."""
    if ord(character) in IGNORABLE:
        return ""
    before, text = None, normalize("NFKD", character)
    if UNREAD.issuperset(map(ord, text)):
        return "X" if character == CROSS else ""
    while text != before:
        before = text
        text = "".join(CONFUSABLE.get(c, c) for c in text)
        text = normalize("NFKD", text.casefold())
    text = text.translate(FORGOTTEN)
    return "".join(c if re.match("[a-z0-9]", c) else "#" for c in text
                   if ord(c) not in UNREAD) or "#"


@functools.cache
def compatible(character):
    """What is left of one character in NFKC."""
    if ord(character) in IGNORABLE:
        return ""
    text = normalize("NFKC", character)
    return "".join(c for c in text if ord(c) not in IGNORABLE)


def guard(text, view, pattern, mark):
    """`mark` after every character in whose view a match of `pattern` begins."""
    seen = [(c, at) for at, whole in enumerate(text) for c in view(whole)]
    found = {seen[match.start()][1]
             for match in re.finditer(pattern, "".join(c for c, _ in seen))}
    return "".join(c + mark if at in found else c for at, c in enumerate(text))


KEYWORD = re.compile("(?=[xX]pX*yX*dX*aX*tX*a)")  # X is a CROSS
TOKENS = """<| [INST] [/INST] <<SYS>> <</SYS>> <s> </s> <bos> <eos> <start_of_turn>
    <end_of_turn> [gMASK] <sop> <eop> [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS]
    [TOOL_CALLS] [TOOL_RESULTS] [/TOOL_RESULTS] [SYSTEM_PROMPT] [/SYSTEM_PROMPT]
    <think> </think> <tool_call> </tool_call> <tool_response> </tool_response>
    <function_calls> </function_calls> <unk> <pad> <extra_id_0>""".split()
TOKEN = re.compile(f"(?={'|'.join(map(re.escape, TOKENS))})")


def guard_keyword(text):  # F9
    return guard(text, letters, KEYWORD, "~")


def guard_tokens(text):  # F10
    return guard(text, compatible, TOKEN, " ")


def neutralize(text, profile, inline=False):
    if profile == "hardened":
        text = guard_tokens(guard_keyword(text))
    return space_brackets(text, profile, inline)


def one_line(label):
    """Line breaks become one space (F5)."""
    return re.sub("\r\n|[\n\v\f\r\x85\u2028\u2029]", " ", label)


def fence(label, data, profile):
    return "\n".join([neutralize(one_line(label), profile), BEGIN,
                      neutralize(data, profile), END])


def needs_fence(data):
    return not re.fullmatch(rb"[+-]?[0-9.]+|true|false", data)


# ---- JSON, as bytes --------------------------------------------------------

class Refused(Exception):
    """A malformed document: status, offset, offset of the first name."""

    def __init__(self, status, at, first=0):
        super().__init__(f"{status} {at} {first}")


(OBJECT_BEGIN, OBJECT_END, ARRAY_BEGIN, ARRAY_END, NAME, STRING, NUMBER, TRUE,
 FALSE, NULL, DONE) = range(1, 12)
WORDS = {TRUE: b"true", FALSE: b"false", NULL: b"null"}
SPACE = re.compile(rb"[ \t\n\r]*")
# As much of a string, or of a number, as can still become one.
STRING_SO_FAR = re.compile(
    rb'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*'
    rb'(?:(?P<end>")|\\(?:u[0-9A-Fa-f]{0,3})?)?')
NUMBER_SO_FAR = re.compile(
    rb"-?(?:(?:0|[1-9][0-9]*)"
    rb"(?:\.(?:[0-9]+(?:[eE][+-]?[0-9]*)?)?|[eE][+-]?[0-9]*)?)?")
WHOLE_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def string_end(doc, at):
    match = STRING_SO_FAR.match(doc, at)
    try:
        match[0].decode("utf-8")
    except UnicodeDecodeError as e:
        raise Refused("E_ENCODING", at + e.start) from None
    if not match["end"]:
        raise Refused("E_SYNTAX", match.end())
    return match.end()


def scalar_end(doc, at):
    """Kind and end of the string, number or word that starts here."""
    first = doc[at:at + 1]
    if first == b'"':
        return STRING, string_end(doc, at)
    if first and first in b"-0123456789":
        match = NUMBER_SO_FAR.match(doc, at)
        if not WHOLE_NUMBER.fullmatch(match[0]):
            raise Refused("E_SYNTAX", match.end())
        return NUMBER, match.end()
    for kind, word in WORDS.items():
        if first == word[:1]:
            same = 1
            while same < len(word) and doc[at:at + same + 1] == word[:same + 1]:
                same += 1
            if same < len(word):
                raise Refused("E_SYNTAX", at + same)
            return kind, at + same
    raise Refused("E_SYNTAX", at)


def unescape(token):
    """The text of a string token, and how many surrogates had no partner."""
    text = json.loads(token.decode("utf-8"))
    return re.subn("[\ud800-\udfff]", "\ufffd", text)


def refuse_duplicates(names, doc, profile):
    first_of = {}
    for start, end in names:
        name, _ = unescape(doc[start:end])
        name = name if profile == "exact" else strip(name, profile)
        if name in first_of:
            raise Refused("E_DUPLICATE", start, first_of[name])
        first_of[name] = start


def tokens(doc, profile):
    """Yield (kind, from, to, depth) for every token, DONE last."""
    at, expect = 0, "value"
    closers, names = [], []
    while True:
        at = SPACE.match(doc, at).end()
        c = doc[at:at + 1].decode("latin-1")
        depth = len(closers)
        if expect == "after" and not closers:
            if c:
                raise Refused("E_SYNTAX", at)
            yield DONE, at, at, 0
            return
        if expect in ("after", "first value", "first name") and c == closers[-1]:
            if c == "}":
                refuse_duplicates(names.pop(), doc, profile)
            closers.pop()
            kind = OBJECT_END if c == "}" else ARRAY_END
            yield kind, at, at + 1, depth - 1
            at, expect = at + 1, "after"
        elif expect == "after":
            if c != ",":
                raise Refused("E_SYNTAX", at)
            at, expect = at + 1, "name" if closers[-1] == "}" else "value"
        elif expect == "colon":
            if c != ":":
                raise Refused("E_SYNTAX", at)
            at, expect = at + 1, "value"
        elif expect in ("name", "first name"):
            if c != '"':
                raise Refused("E_SYNTAX", at)
            end = string_end(doc, at)
            names[-1].append((at, end))
            yield NAME, at, end, depth
            at, expect = end, "colon"
        elif c == "{":
            closers.append("}")
            names.append([])
            yield OBJECT_BEGIN, at, at + 1, depth
            at, expect = at + 1, "first name"
        elif c == "[":
            closers.append("]")
            yield ARRAY_BEGIN, at, at + 1, depth
            at, expect = at + 1, "first value"
        else:
            kind, end = scalar_end(doc, at)
            yield kind, at, end, depth
            at, expect = end, "after"


def quote(text):
    """RFC 8785 3.2.2.2: Python's escapes are the same ones."""
    return json.dumps(text, ensure_ascii=False)


def rewrite(doc, profile, unit, limit, max_depth):
    """The document with only what must change replaced (S6)."""
    out, copied, dropped_at = [], 0, None

    def replace(start, end, new):
        nonlocal copied
        out.extend([doc[copied:start], new])
        copied = end

    for kind, start, end, depth in tokens(doc, profile):
        if dropped_at is not None:
            if kind in (OBJECT_END, ARRAY_END) and depth == max_depth:
                replace(dropped_at, end, b"null")
                dropped_at = None
        elif kind in (OBJECT_BEGIN, ARRAY_BEGIN) and depth == max_depth:
            dropped_at = start
        elif kind in (STRING, NAME):
            text, lone = unescape(doc[start:end])
            if kind == STRING:
                clean, *_ = sanitize(text, profile, unit, limit)
            elif profile == "hardened":
                clean = strip(text, profile)
            else:
                clean = text
            if clean != text or lone:
                replace(start, end, quote(clean).encode("utf-8"))
    return b"".join(out) + doc[copied:]


# ---- JSON, as values -------------------------------------------------------

class Number(str):
    """A number is its text, so that none is too large or too precise."""


class Object(list):
    """Members in order, duplicates and all."""


def parse(doc):
    def constant(name):
        raise ValueError(f"{name} is not JSON")
    return json.loads(doc.decode("utf-8"), parse_int=Number, parse_float=Number,
                      parse_constant=constant, object_pairs_hook=Object)


class Cleaning:
    """One walk over a parsed document: the value it should become, what was
    counted, and the paths of what was cut or dropped."""

    def __init__(self, profile, unit, limit, max_depth):
        self.rule = profile, unit, limit
        self.profile, self.max_depth = profile, max_depth
        self.stripped = self.replaced = self.truncated = self.dropped = 0
        self.notes = []

    def text(self, text):
        profile, unit, limit = self.rule
        text, lone = re.subn("[\ud800-\udfff]", "\ufffd", text)
        clean, stripped, returns, was_cut = sanitize(text, profile, unit, limit)
        self.stripped += stripped
        self.replaced += lone + returns
        return clean, was_cut

    def name(self, name):
        """Cleaned in hardened, repaired in both, cut in neither."""
        name, lone = re.subn("[\ud800-\udfff]", "\ufffd", name)
        self.replaced += lone
        if self.profile == "reference":
            return name
        clean, stripped, returns, _ = sanitize(name, "hardened", "codepoint", 10 ** 12)
        self.stripped += stripped
        self.replaced += returns
        return clean

    def value(self, value, steps=()):
        if isinstance(value, list):
            if len(steps) >= self.max_depth:
                self.dropped += 1
                self.notes.append(("d", path(steps)))
                return None
            if isinstance(value, Object):
                return self.members(value, steps)
            return [self.value(v, (*steps, i)) for i, v in enumerate(value)]
        if isinstance(value, str) and not isinstance(value, Number):
            clean, was_cut = self.text(value)
            if was_cut:
                self.truncated += 1
                self.notes.append(("t", path(steps)))
            return clean
        return value

    def members(self, value, steps):
        clean = Object()
        for name, member in value:
            shown = strip(re.sub("[\ud800-\udfff]", "\ufffd", name), self.profile)
            clean.append((self.name(name), self.value(member, (*steps, shown))))
        return clean


def path(steps):
    """items[2].desc (S10)"""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif re.fullmatch("[A-Za-z0-9_-]+", step):
            text += f".{step}" if text else step
        else:
            text += f'["{"".join(map(shown, step))}"]'
    return text


def shown(character):
    """A character of a name in a path: never one that cannot be seen."""
    if ord(character) in IGNORABLE:
        units = character.encode("utf-16-be").hex()
        return "".join(f"\\u{units[i:i + 4]}" for i in range(0, len(units), 4))
    return json.dumps(character, ensure_ascii=False)[1:-1]


# ---- the protocol of probe.c -----------------------------------------------

def from_hex(field):
    return b"" if field == "-" else bytes.fromhex(field)


def to_hex(text):
    data = text.encode("utf-8") if isinstance(text, str) else text
    return data.hex() or "-"


def answer_utf8(field):
    data = from_hex(field)
    text, replaced = decode(data)
    try:
        data.decode("utf-8")
        first_error = len(data)
    except UnicodeDecodeError as e:
        first_error = e.start
    lengths = [sum(map(WIDTH[u], text)) for u in ("codepoint", "utf16", "byte")]
    return " ".join(map(str, ["OK", to_hex(text), replaced, first_error, *lengths]))


def limit_of(field, source="webhook"):
    return LIMITS[field] if field in LIMITS else int(field)


def answer_sanitize(profile, unit, limit, field):
    if "invalid" in (profile, unit, limit) or limit == "0":
        return "E_ARGUMENT"
    text, replaced = decode(from_hex(field))
    clean, stripped, returns, was_cut = sanitize(text, profile, unit, limit_of(limit))
    return f"OK {to_hex(clean)} {stripped} {replaced + returns} {int(was_cut)}"


def answer_neutralize(profile, field, inline=False):
    if profile == "invalid":
        return "E_ARGUMENT"
    text, replaced = decode(from_hex(field))
    out = neutralize(text, profile, inline)
    return f"OK {to_hex(out)} {len(out) - len(text)} {replaced}"


def answer_inline(profile, field):
    return answer_neutralize(profile, field, inline=True)


def answer_fence(profile, label, field):
    if profile == "invalid":
        return "E_ARGUMENT"
    label, replaced_label = decode(from_hex(label))
    text, replaced_text = decode(from_hex(field))
    out = fence(label, text, profile)
    inserted = (len(out) - len(one_line(label)) - len(text)
                - len(f"\n{BEGIN}\n\n{END}"))
    return f"OK {to_hex(out)} {inserted} {replaced_label + replaced_text}"


def answer_payload(profile, unit, limit, max_depth, field):
    if ("invalid" in (profile, unit, limit) or limit == "0"
            or not 1 <= int(max_depth) <= 1024):
        return "E_ARGUMENT"
    doc = from_hex(field)
    rule = profile, unit, limit_of(limit), int(max_depth)
    try:
        out = rewrite(doc, *rule)
    except Refused as refusal:
        return str(refusal)
    walk = Cleaning(*rule)
    expected = walk.value(parse(doc))
    assert parse(out) == expected, "the two models disagree"
    notes = [f"{kind}:{to_hex(where)}" for kind, where in walk.notes[:64]]
    return " ".join(map(str, ["OK", to_hex(out), walk.stripped, walk.replaced,
                              walk.truncated, walk.dropped, *notes]))


def answer_trigger(profile, kind, field):
    kind = from_hex(kind).decode("latin-1")
    source = kind if kind in ("webhook", "chat") else "form_event"  # S5
    return answer_payload(profile, "codepoint", source, "16", field)


def answer_json(profile, field):
    try:
        found = list(tokens(from_hex(field), profile))
    except Refused as refusal:
        return str(refusal)
    return " ".join(["OK"] + [":".join(map(str, token)) for token in found])


def answer_quote(field):
    return f"OK {to_hex(quote(decode(from_hex(field))[0]))}"


def answer(request):
    """What probe.c should answer; a refusal without its explanation."""
    operation, *fields = request.split(" ")
    if operation == "needs_fence":
        return str(needs_fence(from_hex(*fields))).lower()
    return globals()[f"answer_{operation}"](*fields)


def agrees(got, expected):
    """Is this answer of the probe the model's? Explanations are free text but
    must be there; a path longer than 256 bytes is cut, never inside a
    character."""
    if got == expected:
        return True
    if re.match("E_(ENCODING|SYNTAX|DUPLICATE|NOT_FOUND) ", expected):
        return re.fullmatch(re.escape(expected) + " [ -~]+", got) is not None
    ours, theirs = expected.split(" "), got.split(" ")
    return len(ours) == len(theirs) and all(map(field_agrees, theirs, ours))


def field_agrees(got, expected):
    *same, whole = expected.split(":")
    *kind, shown_path = got.split(":")
    if not same or len(whole) <= 2 * 256:
        return got == expected
    is_cut = shown_path.endswith("+")
    shown_path, whole = from_hex(shown_path.rstrip("+")), from_hex(whole)
    return (kind == same and is_cut
            and 256 - 12 < len(shown_path) <= 256
            and whole.startswith(shown_path)
            and decode(shown_path)[1] == 0)


if __name__ == "__main__":
    for line in sys.stdin:
        print(answer(line.rstrip("\n")))
