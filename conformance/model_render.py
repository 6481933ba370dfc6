"""A slow model of templates over JSON state (F7), to compare the library with.

The state is made a tree whose values keep their bytes; placeholders are found
with a regular expression and their steps followed one by one."""
import re

import model

OPENING = re.compile(rb"\{\{ *(?=\$)")
CLOSING = re.compile(rb" *\}\}")
KEY = re.compile(rb"[^\x00-\x20\x7f.\[\]{}\"\\]+")
INDEX = re.compile(rb"0(?![0-9])|[1-9][0-9]*")


class Wrong(Exception):
    """An error in one of the two inputs."""

    def __init__(self, status, part, at):
        super().__init__(f"{status} {part} {at}")


def missing(at):
    return Wrong("E_NOT_FOUND", "template", at)


def malformed(at):
    return Wrong("E_SYNTAX", "template", at)


# ---- the state -------------------------------------------------------------

class Value:
    """Bytes [start, end) of the state and, by name or index, what is in it."""

    def __init__(self, kind, start, end):
        self.kind, self.start, self.end = kind, start, end
        self.inside = {}

    def enter(self, kind, key):
        return self.inside.get(key) if self.kind == kind else None


def tree(state):
    try:
        tokens = list(model.tokens(state, "exact"))
    except model.Refused as refusal:
        status, at, _ = str(refusal).split(" ")
        raise Wrong(status, "state", at) from None
    root = Value(model.ARRAY_BEGIN, 0, 0)
    open_values, name = [root], None
    for kind, start, end, _ in tokens[:-1]:
        parent = open_values[-1]
        if kind == model.NAME:
            name, _ = model.unescape(state[start:end])
        elif kind in (model.OBJECT_END, model.ARRAY_END):
            open_values.pop().end = end
        else:
            in_object = parent.kind == model.OBJECT_BEGIN
            value = Value(kind, start, end)
            parent.inside[name if in_object else len(parent.inside)] = value
            if kind in (model.OBJECT_BEGIN, model.ARRAY_BEGIN):
                open_values.append(value)
    return root.inside[0]


# ---- one placeholder -------------------------------------------------------

def step(template, at, value):
    """The value one step behind `value`, and where the step ends."""
    if template[at:at + 1] == b".":
        key = KEY.match(template, at + 1)
        if not key:
            raise malformed(at + 1)
        name, _ = model.decode(key[0])
        return value.enter(model.OBJECT_BEGIN, name), key.end()
    if template[at + 1:at + 2] == b'"':
        try:
            end = model.string_end(template, at + 1)
        except model.Refused as refusal:
            raise malformed(str(refusal).split(" ")[1]) from None
        name, _ = model.unescape(template[at + 1:end])
        found = value.enter(model.OBJECT_BEGIN, name)
    else:
        index = INDEX.match(template, at + 1)
        if not index:
            raise malformed(at + 1)
        end = index.end()
        found = value.enter(model.ARRAY_BEGIN, int(index[0]))
    if template[end:end + 1] != b"]":
        raise malformed(end)
    return found, end + 1


def placeholder(template, dollar, value):
    """The value, its label, and where the placeholder ends."""
    at = dollar + 1
    while template[at:at + 1] in (b".", b"["):
        found, end = step(template, at, value)
        if found is None:
            raise missing(at)
        value, at = found, end
    closing = CLOSING.match(template, at)
    if not closing:
        brace = re.compile(rb" *\}?").match(template, at).end()
        raise malformed(brace)
    label = template[dollar + 1:at]
    return value, label.removeprefix(b".") or b"$", closing.end()


def text_of(state, value):
    if value.kind == model.STRING:
        return model.unescape(state[value.start:value.end])[0]
    return state[value.start:value.end].decode("utf-8")


# ---- the whole template ----------------------------------------------------

def render(template, state, mode, profile):
    root = tree(state)
    out, at = "", 0
    while opening := OPENING.search(template, at):
        out += model.decode(template[at:opening.start()])[0]
        value, label, at = placeholder(template, opening.end(), root)
        text = text_of(state, value)
        if mode == "verbatim" or not model.needs_fence(text.encode("utf-8")):
            out += text
            continue
        before = "" if not out or out.endswith("\n") else "\n"
        after = "" if re.match(rb"\r?\n|\Z", template[at:]) else "\n"
        segment = model.fence(model.decode(label)[0], text, profile)
        out += before + segment + after
    return out + model.decode(template[at:])[0]


def answer(request):
    """What probe.c should answer; a refusal without its explanation."""
    _, mode, profile, template, state = request.split(" ")
    if "invalid" in (mode, profile):
        return "E_ARGUMENT"
    try:
        out = render(model.from_hex(template), model.from_hex(state), mode, profile)
    except Wrong as wrong:
        return str(wrong)
    return f"OK {model.to_hex(out)}"
