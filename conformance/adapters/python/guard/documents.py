"""JSON (RFC 8259) read strictly and without recursion, as a list of events that know their
places, so that a document can be copied byte for byte but for a few strings."""
import re

from . import sets, texts


class Refused(Exception):
    """(code): the document is not what it must be."""


class Number(str):
    """A number as it was written."""


class Event:
    """`{ [ ] }`, name, string, number or literal; `depth` counts the containers it is in, of a
    container itself included."""
    __slots__ = ("kind", "start", "end", "depth", "text")

    def __init__(self, kind, start, end, depth, text=None):
        self.kind, self.start, self.end, self.depth, self.text = kind, start, end, depth, text


SPACE = re.compile(r"[ \t\n\r]*")
STRING = re.compile(r'"[^"\\\x00-\x1f\ud800-\udfff]*+'
                    r'(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f\ud800-\udfff]*+)*+"?')
SCALAR = re.compile(r"(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
                    r"|(?P<literal>true|false|null)")
ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
                    r"|\\u[0-9a-fA-F]{4}|\\.")
SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _undo(escape):
    escape = escape[0]
    if len(escape) == 12:
        high, low = int(escape[2:6], 16), int(escape[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    if len(escape) == 6:
        return chr(int(escape[2:], 16))
    return SHORT.get(escape[1], escape[1])


def unescape(literal):
    """The text of a string without its quotes; lone surrogates stay lone surrogates."""
    return ESCAPE.sub(_undo, literal) if "\\" in literal else literal


class Reader:
    def __init__(self, document):
        self.document, self.at, self.events = document, 0, []
        self.stack = []  # of "[" and "{"

    def wrong(self):
        c = self.document[self.at:self.at + 1]
        raise Refused("JSON_ENCODING" if texts.LONE.match(c) else "JSON_SYNTAX")

    def space(self):
        self.at = SPACE.match(self.document, self.at).end()
        return self.document[self.at:self.at + 1]

    def add(self, kind, end, text=None):
        self.events.append(Event(kind, self.at, end, len(self.stack), text))
        self.at = end

    def take_string(self, kind):
        found = STRING.match(self.document, self.at)
        if found is None:
            self.wrong()
        if not found[0].endswith('"') or found.end() - found.start() < 2:
            self.at = found.end()
            self.wrong()
        self.add(kind, found.end(), unescape(found[0][1:-1]))

    def take_name(self):
        self.take_string("name")
        if self.space() != ":":
            self.wrong()
        self.at += 1

    def take_scalar(self):
        found = SCALAR.match(self.document, self.at)
        if found is None:
            self.wrong()
        self.add(found.lastgroup, found.end())

    def open(self, c):
        """True if a value is to follow."""
        self.stack.append(c)
        self.add(c, self.at + 1)
        if self.space() == ("]" if c == "[" else "}"):
            self.close()
            return False
        if c == "{":
            self.take_name()
        return True

    def close(self):
        self.add(self.document[self.at], self.at + 1)
        self.stack.pop()

    def take_value(self):
        """True if another value is to follow."""
        c = self.space()
        if c in ("[", "{"):
            if self.open(c):
                return True
        elif c == '"':
            self.take_string("string")
        else:
            self.take_scalar()
        return self.after_value()

    def after_value(self):
        while self.stack:
            c, top = self.space(), self.stack[-1]
            if c == ",":
                self.at += 1
                if top == "{":
                    self.space()
                    self.take_name()
                return True
            if c != ("]" if top == "[" else "}"):
                self.wrong()
            self.close()
        return False

    def read(self):
        while self.take_value():
            pass
        if self.space() != "":
            self.wrong()
        return self.events


def find_duplicate(events, name_of):
    """The first event whose name its object has already."""
    stack = []
    for event in events:
        if event.kind in "[{":
            stack.append(set())
        elif event.kind in "]}":
            stack.pop()
        elif event.kind == "name":
            name = name_of(texts.well_formed(event.text)[0])
            if name in stack[-1]:
                return event
            stack[-1].add(name)
    return None


def read(document, name_of=lambda name: name):
    """The events, or Refused (S6.4). `name_of` says what of a name is compared."""
    events = Reader(document).read()
    if find_duplicate(events, name_of):
        raise Refused("JSON_DUPLICATE")
    return events


# --- trees ------------------------------------------------------------------------------------


class Node:
    """A value in a document: `what` is a dict, a list, a text, a Number or a literal."""
    __slots__ = ("what", "start", "end", "kind")

    def __init__(self, kind, what, start, end):
        self.kind, self.what, self.start, self.end = kind, what, start, end


def tree(document, events):
    """The document as Nodes; of equal names the last one stays."""
    stack, names, root = [], [], None
    for event in events:
        if event.kind == "name":
            names[-1] = event.text
            continue
        if event.kind in "]}":
            stack.pop().end = event.end
            names.pop()
            continue
        text = document[event.start:event.end]
        what = {"[": list, "{": dict}.get(event.kind, lambda: event.text)()
        if event.kind in ("number", "literal"):
            what = Number(text) if event.kind == "number" else text
        node = Node(event.kind, what, event.start, event.end)
        if not stack:
            root = node
        elif stack[-1].kind == "[":
            stack[-1].what.append(node)
        else:
            stack[-1].what[names[-1]] = node
        if event.kind in "[{":
            stack.append(node)
            names.append(None)
    return root


LITERALS = {"true": True, "false": False, "null": None}


def plain(document, events):
    """The document as dicts, lists, strings, Numbers and literals; equal names: the last stays."""
    stack, names, root = [], [], None
    for event in events:
        if event.kind == "name":
            names[-1] = event.text
        elif event.kind in "]}":
            stack.pop()
            names.pop()
        else:
            written = document[event.start:event.end]
            value = ([] if event.kind == "[" else {} if event.kind == "{" else
                     event.text if event.kind == "string" else
                     Number(written) if event.kind == "number" else LITERALS[written])
            if not stack:
                root = value
            elif isinstance(stack[-1], list):
                stack[-1].append(value)
            else:
                stack[-1][names[-1]] = value
            if event.kind in "[{":
                stack.append(value)
                names.append(None)
    return root


# --- writing ----------------------------------------------------------------------------------

MUST_ESCAPE = re.compile(r'["\\\x00-\x1f]')
SHORT_OF = {text: "\\" + letter for letter, text in SHORT.items()} | {'"': '\\"', "\\": "\\\\"}


def escape(text):
    """The escapes of RFC 8785."""
    return MUST_ESCAPE.sub(lambda c: SHORT_OF.get(c[0]) or f"\\u{ord(c[0]):04x}", text)


def quote(text):
    return f'"{escape(text)}"'


class Copy:
    """A document with some pieces replaced."""

    def __init__(self, document):
        self.document, self.pieces, self.at = document, [], 0

    def replace(self, start, end, text):
        self.pieces += [self.document[self.at:start], text]
        self.at = end

    def string(self, event, text):
        if text != event.text:
            self.replace(event.start, event.end, quote(text))

    def text(self):
        return "".join(self.pieces) + self.document[self.at:]


# --- paths (S10) ------------------------------------------------------------------------------

PLAIN = re.compile("[A-Za-z0-9_-]+")
HIDDEN = re.compile(f"[{sets.regex_class(sets.FENCE_IGNORABLE)}]")
PATH_MAX = 256


def _unicode_escapes(c):
    units = texts.to_utf16(c[0])
    return "".join(f"\\u{units[i + 1]:02x}{units[i]:02x}" for i in range(0, len(units), 2))


def write_path(steps):
    """Steps are names (already sanitized) and indexes."""
    path = ""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        elif PLAIN.fullmatch(step):
            path += ("." if path else "") + step
        else:
            path += '["' + HIDDEN.sub(_unicode_escapes, escape(step)) + '"]'
        if len(path) > PATH_MAX:
            break
    return texts.prefix(path, PATH_MAX, "byte")


class Path:
    """Where an event is."""

    def __init__(self, name_of):
        self.steps, self.name_of, self.here = [], name_of, 0

    def follow(self, event):
        if event.kind in "]}":
            self.steps.pop()
        elif event.kind == "name":
            self.steps[-1] = event.text
        elif self.steps and isinstance(self.steps[-1], int):
            self.steps[-1] += 1
        self.here = len(self.steps)
        if event.kind in "[{":
            self.steps.append(-1 if event.kind == "[" else "")

    def __str__(self):
        return write_path(step if isinstance(step, int) else self.name_of(step)
                          for step in self.steps[:self.here])
