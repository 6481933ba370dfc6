"""The library and the models answer the same, for every operation.

    differential.py PATH_TO_PROBE [--seed N] [--count N]

Random inputs that are likely to hurt (inputs.py), and every string over small
alphabets. Besides agreeing with the model, the outputs are held against the
promises of the headers directly, so that a mistake that library and model
shared would still be found. With a count below 10,000, for a quick look, the
strings over small alphabets are one shorter."""
import itertools
import json
import random
import re
import unicodedata

import inputs
import model
from harness import Collected, Probe, Tap, arguments, compare

PROFILES = ("reference", "hardened")
hexed = model.to_hex


def strings_over(alphabet, longest, count):
    """Every string of at most that many pieces, as a list."""
    longest -= count < 10000
    return [type(alphabet[0])().join(letters) for length in range(longest + 1)
            for letters in itertools.product(alphabet, repeat=length)]


def output(answer):
    """The text of an answer, or None if it was a refusal."""
    words = answer.split(" ")
    return model.from_hex(words[1]).decode("utf-8") if words[0] == "OK" else None


# ---- UTF-8 -----------------------------------------------------------------

def model_decodes_as_unicode_says(tap):
    """The model is Python's decoder; these are tables 3-8 to 3-11 of Unicode."""
    claims = Collected(tap, "T2 the model replaces maximal subparts")
    r = "\ufffd"
    for data, text in ((b"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82A", r * 8 + "A"),
                       (b"\xED\xA0\x80\xED\xBF\xBF\xED\xAFA", r * 8 + "A"),
                       (b"\xF4\x91\x92\x93\xFFA\x80\xBFB", r * 5 + "A" + r * 2 + "B"),
                       (b"\xE1\x80\xE2\xF0\x91\x92\xF1\xBFA", r * 4 + "A")):
        claims.check(model.decode(data) == (text, text.count(r)), repr(data))
    claims.done()


def utf8(tap, probe, rng, count):
    one_and_two = [bytes(b) for n in (1, 2)
                   for b in itertools.product(range(256), repeat=n)]
    telling = b"\x00A\x7F\x80\x8F\x90\x9F\xA0\xBF\xC1\xC2\xE0\xE1\xED\xF0\xF4\xF5"
    longer = strings_over([bytes([b]) for b in telling], 4, count)
    compare(tap, "T2 every sequence of one or two bytes, and all short ones of 17"
            " bytes", probe, (f"utf8 {hexed(b)}" for b in one_and_two + longer))
    compare(tap, "T2 every ill-formed piece at every offset in ASCII", probe,
            (f"utf8 {hexed(b'a' * before + bad + b'z' * after)}"
             for bad in inputs.BAD for before in range(20) for after in (0, 1, 9)))
    compare(tap, "T2 random text", probe,
            (f"utf8 {hexed(inputs.random_bytes(rng))}" for _ in range(count)))


# ---- sanitize --------------------------------------------------------------

UNITS = ("codepoint", "utf16", "byte")


def sanitize(tap, probe, rng, count):
    requests = []
    for _ in range(count):
        limit = rng.choice([1, 2, 3, rng.randrange(1, 40), 10 ** 9])
        requests.append(f"sanitize {rng.choice(PROFILES)} {rng.choice(UNITS)} {limit}"
                        f" {hexed(inputs.random_bytes(rng))}")
    requests += [f"sanitize hardened codepoint {source} {hexed('x' * 33000)}"
                 for source in model.LIMITS]
    requests += ["sanitize invalid codepoint 5 61", "sanitize hardened invalid 5 61",
                 "sanitize hardened codepoint 0 61",
                 "sanitize hardened codepoint invalid 61"]
    answers = compare(tap, "S1-S4 sanitize strips the whole, then cuts", probe,
                      requests)

    twice_is_once(tap, probe, "random text", requests, answers)
    for name, alphabet in zip(("emoji", "flags", "joining letters", "viramas",
                               "figures", "Hangul", "ideographs"), inputs.PLACES):
        in_every_place(tap, probe, rng, name, alphabet, count)
    many_rare_ones(tap, probe)


def in_every_place(tap, probe, rng, name, alphabet, count):
    """Every short string, uncut and cut at a place that varies."""
    name = f"all short strings of {len(alphabet)} pieces, {name}"
    requests = []
    for text in strings_over(alphabet, 4, count):
        requests += [f"sanitize hardened {rng.choice(UNITS)} {limit} {hexed(text)}"
                     for limit in (10 ** 6, rng.randrange(1, 9))]
    answers = compare(tap, f"S2, S3 sanitize as the model: {name}", probe, requests)
    twice_is_once(tap, probe, name, requests, answers)
    payloads = [f"payload hardened codepoint 3 16 {hexed(json.dumps([text, {text: 0}]))}"
                for text in strings_over(alphabet, 3, count)]
    compare(tap, f"S6 the same in JSON strings and names: {name}", probe, payloads)


def many_rare_ones(tap, probe):
    """S2: sixteen in a value stay, of seventeen none does."""
    pairs = {"selectors": "\u845b\U000e0100", "soft hyphens": "1\xad2",
             "grapheme joiners": "\u05b7\u034f\u05b4"}
    requests = [f"sanitize hardened {unit} {limit} {hexed(tail.join([pair] * n))}"
                for pair in pairs.values() for n in (15, 16, 17, 18, 400)
                for tail in ("", "\u200b", "a", "\u845b\U000e0101", "3\xad4")
                for unit in UNITS for limit in (10, 34, 35, 10 ** 6)]
    compare(tap, "S2 sixteen rare ones in a value stay, of seventeen none", probe,
            requests)


def twice_is_once(tap, probe, name, requests, answers):
    promises = Collected(tap, f"S3 sanitizing again changes nothing: {name}")
    again = []
    for request, answer in zip(requests, answers):
        if answer.startswith("OK"):
            head, _, _ = request.rpartition(" ")
            again.append((f"{head} {answer.split(' ')[1]}", answer.split(" ")[1]))
    for (request, text), answer in zip(again, probe.ask(r for r, _ in again)):
        promises.check(answer == f"OK {text} 0 0 0", request,
                       answer)
    promises.done()


# ---- fence -----------------------------------------------------------------

DROPPED = {profile: dict.fromkeys(points) for profile, points in
           (("reference", model.REFERENCE_STRIP), ("hardened", model.IGNORABLE))}
ADJACENT = {
    "reference": re.compile("<<+|>>+"),
    "hardened": re.compile(f"[{model.pattern_of(model.LESS)}]{{2,}}|"
                           f"[{model.pattern_of(model.GREATER)}]{{2,}}")}
FOLDED = {**dict.fromkeys(model.LESS, "<"), **dict.fromkeys(model.GREATER, ">")}


def has_adjacent_brackets(text, profile):
    """F4: may a reader that drops ignorables see two of a kind together?"""
    visible = text.translate(DROPPED[profile])
    return any(not (profile == "hardened" and model.QUOTATION.fullmatch(pair[0]))
               for pair in ADJACENT[profile].finditer(visible))


def only_insertions(text, out, inserted):
    """F3: is `out` the text and exactly that many spaces and `~` more?"""
    at = extra = 0
    for c in out:
        if at < len(text) and c == text[at]:
            at += 1
        elif c in " ~":
            extra += 1
        else:
            return False
    return at == len(text) and extra == inserted


def neutralize(tap, probe, name, texts, profile, operation="neutralize"):
    """Against the model, and against F3, F4 and F8 directly."""
    texts = list(texts)
    requests = [f"{operation} {profile} {hexed(t)}" for t in texts]
    how = f"{operation} {profile}"
    answers = compare(tap, f"F3 {how} as the model: {name}", probe, requests)
    f3 = Collected(tap, f"F3 {how} only inserts: {name}")
    f4 = Collected(tap, f"F4 {how} leaves no two adjacent: {name}")
    f8 = Collected(tap, f"F8 {how} twice is once: {name}")
    outputs = [output(a) or "" for a in answers]
    again = probe.ask(f"{operation} {profile} {hexed(o)}" for o in outputs)
    for text, answer, out, second in zip(texts, answers, outputs, again):
        if isinstance(text, bytes):
            text = model.decode(text)[0]
        inserted = int(answer.split(" ")[2]) if answer.startswith("OK") else -1
        f3.check(only_insertions(text, out, inserted), text, out)
        f4.check(not has_adjacent_brackets(out, profile), text, out)
        f8.check(second == f"OK {hexed(out)} 0 0", text, out)
    f3.done()
    f4.done()
    f8.done()
    return outputs


# By what a guard reads in them: the characters that can stand for a letter of
# the keyword, for a part of a token.
SPELLINGS = {}
for character in map(chr, {*range(0x20000)} - {*range(0xd800, 0xe000)}):
    if unicodedata.category(character) != "Cn":
        for part in {model.letters(character), model.compatible(character)}:
            SPELLINGS.setdefault(part, []).append(character)


def disguised(rng, word):
    """The word in other characters, with some more between them."""
    out = []
    for c in word:
        alike = SPELLINGS.get(rng.choice([c, c, c.lower()])) or [c]
        out.append(c if rng.random() < .6 else rng.choice(alike))
        if rng.random() < .15:
            out.append(rng.choice(SPELLINGS[""]))
        elif rng.random() < .03:
            out.append(rng.choice(" \n\r\t~|<>[]\u166e"))
    return "".join(out)


def guarded_text(rng):
    """Words of the guards in disguise, between brackets and their pieces."""
    pieces = ["<", ">", "<<", "[", "x", "py", "da", "ta", "\u3372", "\u2168", "|", "/",
              "\u22d8", "\u300a", "~", " ", "\n", "index.py data", model.END]
    def piece():
        kind = rng.random()
        return (disguised(rng, "xpydata") if kind < .3 else
                disguised(rng, rng.choice(model.TOKENS)) if kind < .6 else
                rng.choice(inputs.LOOK_ALIKES) if kind < .7 else rng.choice(pieces))
    return "".join(piece() for _ in range(rng.randrange(1, 5)))


def fence_small_alphabets(tap, probe, count):
    """As the model; readings.c holds longer ones against the rules."""
    six = ["<", ">", "\u200b", "\U000e0041", " ", "a"]
    critical = ["<", ">", "\u300a", "\u3008", "\u22d8", "\u2329", "\u200b", "\ufe0f",
                " ", "a", b"\xff"]
    spelled = ["x", "py", "da", "ta", "\u166e", "\u2168", "\u3372", "~", "\n", "\u200b", "."]
    token = ["<", "[", "|", "INST]", "/", "s", ">", "<SYS>", "\u200b", " ", "\uff1c"]
    for name, how, alphabet, longest in (
            ("6 characters", "neutralize reference", six, 5),
            ("11 pieces", "neutralize hardened", critical, 4),
            ("11 pieces", "inline hardened", critical, 4),
            ("11 pieces of the keyword", "neutralize hardened", spelled, 4),
            ("11 pieces of tokens", "neutralize hardened", token, 4)):
        pieces = [p if isinstance(p, bytes) else p.encode() for p in alphabet]
        compare(tap, f"F3 {how} as the model: all short strings of {name}", probe,
                (f"{how} {hexed(t)}" for t in strings_over(pieces, longest, count)))


READINGS = {
    "ignorables dropped": lambda s: s.translate(DROPPED["hardened"]),
    "look-alikes folded": lambda s: s.translate(FOLDED),
    "spaces collapsed": lambda s: re.sub(" +", " ", s),
    "case folded": str.casefold,
    **{form: lambda s, form=form: unicodedata.normalize(form, s)
       for form in ("NFC", "NFD", "NFKC", "NFKD")}}


def fence_readings(tap, rng, outputs):
    """F4 hardened, under compositions of what a reader may do to the text."""
    claims = Collected(tap, "F4 hardened: no three brackets adjacent, no two but"
                       " quotation marks, however it is read")
    three = re.compile("<<<|>>>")
    two = re.compile("<<|>>")
    for out in outputs:
        exempt = re.search("[\u3008-\u300b]{2}", out)
        seen, steps = out, rng.choices(list(READINGS), k=rng.randrange(1, 6))
        for step in steps:
            seen = READINGS[step](seen)
        seen = READINGS["ignorables dropped"](seen).translate(FOLDED)
        claims.check(not (three if exempt else two).search(seen), out,
                     seen, ", ".join(steps))
    claims.done()


def fence_segments(tap, probe, rng, count):
    texts = [(rng.choice(PROFILES), inputs.random_bytes(rng), inputs.random_bytes(rng))
             for _ in range(count)]
    requests = [f"fence {p} {hexed(label)} {hexed(data)}" for p, label, data in texts]
    requests.append("fence invalid 61 61")
    answers = compare(tap, "F5 fence as the model", probe, requests)
    claims = Collected(tap, "F5 exactly one begin and one end, and a label of one"
                       " line, for a reader that drops ignorables")
    for (profile, label, data), answer in zip(texts, answers):
        whole = output(answer) or ""
        seen = whole.translate(DROPPED[profile])
        if profile == "hardened":
            seen = seen.translate(FOLDED)
        claims.check(seen.count(model.BEGIN) == seen.count(model.END) == 1
                     and seen.count("<<<") == seen.count(">>>") == 2
                     and len(re.split("[\n\v\f\r\x85\u2028\u2029]",
                                      whole.partition("\n" + model.BEGIN)[0])) == 1,
                     label, data, whole)
    claims.done()


def needs_fence(tap, probe, rng, count):
    alphabet = [b"0", b"9", b".", b"-", b"+", b"e", b" ", b"\n", b"\0"]
    words = [b"true", b"false", b"TRUE", b"true ", b"tru", b"falsee", b"-true",
             b"1e5", "\uff11".encode(), "\u0661".encode(), b"0x1", b"1,0"]
    compare(tap, "F6 needs_fence: all short strings of 9 characters, and words",
            probe, (f"needs_fence {hexed(v)}"
                    for v in strings_over(alphabet, 5, count) + words))
    compare(tap, "F6 needs_fence: random text", probe,
            (f"needs_fence {hexed(inputs.random_bytes(rng, 4))}"
             for _ in range(count)))


def fence(tap, probe, rng, count):
    texts = [inputs.random_bytes(rng) for _ in range(count)]
    texts += [guarded_text(rng).encode() for _ in range(count)]
    for profile in PROFILES:
        neutralize(tap, probe, "random text", texts, profile, "inline")
        outputs = neutralize(tap, probe, "random text", texts, profile)
    fence_readings(tap, rng, outputs)
    fence_small_alphabets(tap, probe, count)
    fence_segments(tap, probe, rng, count)
    needs_fence(tap, probe, rng, count)


# ---- JSON ------------------------------------------------------------------

def quote(tap, probe, rng, count):
    texts = [bytes([b]) for b in range(256)]
    texts += [inputs.random_bytes(rng) for _ in range(count)]
    compare(tap, "RFC 8785 3.2.2.2 quote", probe,
            (f"quote {hexed(t)}" for t in texts))


def documents(rng, count):
    """Half of them valid but for duplicates, half with something wrong."""
    for _ in range(count):
        doc = inputs.random_document(rng)
        yield doc if rng.random() < .5 else inputs.broken(rng, doc)


def reader(tap, probe, rng, count):
    requests = [f"json {rng.choice(('exact', *PROFILES))} {hexed(doc)}"
                for doc in documents(rng, count)]
    compare(tap, "RFC 8259 the reader's tokens, and where and why it refuses",
            probe, requests)
    compare(tap, "RFC 8259 a document with every byte put in, or instead, everywhere",
            probe, (f"json hardened {hexed(DOCUMENT[:at] + byte + DOCUMENT[end:])}"
                    for at in range(len(DOCUMENT) + 1) for end in (at, at + 1)
                    for byte in map(bytes, zip(range(256)))))
    for name, document, alphabet, longest in SHORT_DOCUMENTS:
        compare(tap, f"RFC 8259 all short {name}", probe,
                (f"json exact {hexed(document % short)}"
                 for short in strings_over(alphabet, longest, count)))


DOCUMENT = (rb' {"a\t":[-1.5e+20,true,"\ud83d\ude00\u00e9", null]' b"\n"
            rb',"b":{},"bb":"' + "\xe9\u20ac\U0001f600".encode("utf-8") + b'"}')
SHORT_DOCUMENTS = (
    ("documents of 10 pieces", b"%s",
     [b"[", b"]", b"{", b"}", b'"', b":", b",", b"0", b" ", b"null"], 5),
    ("numbers of 6 characters", b"[%s]", [b"0", b"1", b".", b"-", b"+", b"e"], 6),
    ("names of 8 pieces of escapes", b"{%s:0}",
     [b'"', b"\\", b"u", b"D83d", b"\\uDe00", b"\n", b"a", b"\xe2\x80"], 5))


def payload_requests(rng, count):
    for doc in documents(rng, count):
        limit = rng.choice([1, 2, 5, rng.randrange(1, 20), 10 ** 6, "webhook"])
        depth = rng.choice([1, 2, 3, 15, 16, 16, 17, 1024])
        yield (f"payload {rng.choice(PROFILES)} {rng.choice(UNITS)} {limit} {depth}"
               f" {hexed(doc)}")


def payload(tap, probe, rng, count):
    requests = list(payload_requests(rng, count))
    answers = compare(tap, "S6 payload: bytes, counts, notes, refusals", probe,
                      requests)
    again = []
    for request, answer in zip(requests, answers):
        if answer.startswith("OK"):
            head, _, _ = request.rpartition(" ")
            again.append((f"{head} {answer.split(' ')[1]}", answer.split(" ")[1]))
    claims = Collected(tap, "S6 sanitizing the result again changes nothing")
    for (request, doc), answer in zip(again, probe.ask(r for r, _ in again)):
        claims.check(answer == f"OK {doc} 0 0 0 0", request,
                     answer)
    claims.done()
    compare(tap, "S6 unusable configurations are refused", probe,
            [f"payload {words} 5b5d" for words in
             ("invalid codepoint 5 16", "hardened invalid 5 16",
              "hardened codepoint 0 16", "hardened codepoint 5 0",
              "hardened codepoint 5 1025", "hardened codepoint invalid 16")])


def payload_extremes(tap, probe):
    """Shapes that random documents do not reach."""
    def doc(text, *rest):
        return " ".join(["payload hardened codepoint webhook 16", hexed(text), *rest])
    many = "[" + ",".join(['"' + "x" * 33000 + '"'] * 70) + "]"
    names = ",".join(f'"{i}":"{i}\\u200b"' for i in range(3000))
    compare(tap, "S6 extremes: many leaves cut, many names, long paths", probe, [
        doc(many), doc("{" + names + "}"), doc("{" + names + ',"77\\ufeff":1}'),
        doc('{"' + "k" * 255 + '":[[[]]],"b":"' + "y" * 40000 + '"}'),
        *(f"payload {profile} codepoint 1 {depth} "
          + hexed('{"%s%s":{"%s":["xx",{"c":{}}]}}'
                  % ("k" * width, end, "\u540d\\u00ad" * 3))
          for profile in PROFILES for depth in (1, 2, 3, 4)
          for width in (0, 1, 200, *range(225, 262))
          for end in ("", "\\n", "\u540d", "\\ud83d\\ude00", "\\u034f")),
        *(doc("[" * n + "]" * n) for n in (1, 15, 16, 17, 18, 900))])
    names = [chr(c) for c in range(0x300)] + inputs.EDGES
    compare(tap, "S10 a name in a path: every character that looks or is special",
            probe, (f"payload {profile} codepoint 1 1 {hexed(doc)}"
                    for name in map(json.dumps, names) for profile in PROFILES
                    for doc in (f"{{{name}:[]}}", f'{{"a{name[1:]}:"zz"}}')))
    deep = 200_000
    claims = Collected(tap, "S6 200,000 levels: dropped below 16, or refused if"
                       " unclosed")
    kept = "[" * 16 + "null" + "]" * 16
    path = "[0]" * 16
    closed, unclosed = probe.ask([doc("[" * deep + "]" * deep), doc("[" * deep)])
    claims.check(closed == f"OK {hexed(kept)} 0 0 0 1 d:{hexed(path)}", closed[:300])
    claims.check(unclosed.startswith(f"E_SYNTAX {deep} 0 "), unclosed[:300])
    claims.done()


def triggers(tap, probe):
    text = hexed('["' + "x" * 40000 + '"]')
    compare(tap, "S5 the trigger type decides the source, and never none", probe,
            [f"trigger {profile} {hexed(kind)} {text}" for profile in PROFILES
             for kind in ("webhook", "chat", "form_event", "schedule", "", "CHAT",
                          "webhook ", "webhook\0", "retrieval", "tool_result", "\xff")])


# ---- all -------------------------------------------------------------------

def main():
    given = arguments("probe", count=10000)
    tap, probe, count = Tap(), Probe(given.probe), given.count
    model_decodes_as_unicode_says(tap)
    for test in (utf8, sanitize, fence, quote, reader, payload):
        # Each test its own stream: one more case here moves none elsewhere.
        test(tap, probe, random.Random(f"{given.seed} {test.__name__}"), count)
    payload_extremes(tap, probe)
    triggers(tap, probe)
    tap.done()


if __name__ == "__main__":
    main()
