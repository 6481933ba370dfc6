"""Text (rules T1-T3). Inside, a text is a Python string of code points; ill-formed parts are
lone surrogates in it until `well_formed` replaces them."""
import codecs
import re

LONE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def _mark(error):
    # CPython hands over each maximal ill-formed part (Unicode 3.9)
    return "\ud800", error.end


codecs.register_error("mark", _mark)


class Damaged(str):
    """A text that was ill-formed UTF-8, and the bytes it was."""
    source = b""


def from_utf8(raw):
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        text = Damaged(raw.decode("utf-8", "mark"))
        text.source = raw
        return text


def from_utf16(raw):
    """Little-endian units; lone surrogates stay what they are."""
    return raw.decode("utf-16-le", "surrogatepass")


def to_utf16(text):
    return text.encode("utf-16-le", "surrogatepass")


def well_formed(text):
    """T2: (text, how many parts were replaced)"""
    if text.isascii():
        return text, 0
    return LONE.subn(REPLACEMENT, text)


SIZES = {
    "codepoint": len,
    "utf16": lambda text: len(text.encode("utf-16-le")) // 2,
    "byte": lambda text: len(text.encode("utf-8")),
}


def prefix(text, limit, unit):
    """T3: the longest prefix of at most `limit` units, between code points."""
    if unit == "codepoint":
        return text[:limit]
    if unit == "utf16":
        return text.encode("utf-16-le")[:2 * limit].decode("utf-16-le", "ignore")
    return text.encode("utf-8")[:limit].decode("utf-8", "ignore")
