"""Real webhook bodies pass untouched; hostile ones in the same shapes do not.

    webhooks.py PATH_TO_PROBE [--seed N]

57 documents that a real service sends. As they are they must come out byte for
byte, in both profiles. Then each is attacked in the ways below, at every place
where the attack fits, and the result is compared with the model; where one can
say it without a model - the hidden characters are gone and everything else is
still there - that is checked as well."""
import random

import inputs
import model
from harness import SHARED, Collected, Probe, Tap, arguments, compare, readable

FOLDER = SHARED / "data" / "webhooks"
SCALARS = (model.STRING, model.NUMBER, model.TRUE, model.FALSE, model.NULL)

# Stripped by either profile wherever they stand; as JSON may spell them.
ALWAYS_GONE = ["\u200b", "\\u200b", "\\u200B", "\u202e", "\\u202e", "\\u0000",
               "\\u001b", "\\b", "\ufeff", "\u2060", "\x7f", "\x9b",
               "\U000e0001", "\\udb40\\udc01"]


def places(doc, *kinds):
    return [(start, end) for kind, start, end, _ in model.tokens(doc, "exact")
            if kind in kinds]


def spliced(doc, changes):
    """The document with (from, to, bytes) put in."""
    for start, end, new in sorted(changes, reverse=True):
        doc = doc[:start] + new + doc[end:]
    return doc


def inside(rng, place):
    """Next to one of the quotes, where no escape is torn apart."""
    start, end = place
    return rng.choice([start + 1, end - 1])


def hidden_in(rng, doc, kind):
    return spliced(doc, [(at, at, rng.choice(ALWAYS_GONE).encode("utf-8"))
                         for place in places(doc, kind)
                         for at in [inside(rng, place)]])


# ---- attacks: a document in, a hostile one out -------------------------------

def hidden_in_strings(rng, doc):
    return hidden_in(rng, doc, model.STRING)


def hidden_in_names(rng, doc):
    return hidden_in(rng, doc, model.NAME)


def anything_in_strings(rng, doc):
    changes = []
    for place in places(doc, model.STRING):
        at = inside(rng, place)
        raw = inputs.random_text(rng, 5)
        changes.append((at, at, inputs.json_string(rng, raw)[1:-1].encode("utf-8")))
    return spliced(doc, changes)


def carriage_returns(rng, doc):
    return spliced(doc, [(at, at, rng.choice([b"\\r", b"\\r\\n", b"\\u000D\\n"]))
                         for place in places(doc, model.STRING)
                         for at in [inside(rng, place)]])


def strings_for_scalars(rng, doc):
    """Where a number or a word was expected."""
    some = places(doc, model.NUMBER, model.TRUE, model.FALSE, model.NULL)
    return spliced(doc, [(start, end, b'"' + doc[start:end] + b'\\u200b"')
                         for start, end in some])


def overlong_strings(rng, doc):
    some = [rng.choice(places(doc, model.STRING))]
    filler = rng.choice([b"x", b"\\u4e2d", "\U0001f600".encode(), b"\\u200by"])
    return spliced(doc, [(at, at, filler * rng.choice([32760, 33000]))
                         for place in some for at in [inside(rng, place)]])


def deep_containers(rng, doc):
    """Around scalars of every kind, at every depth around the limit."""
    changes = []
    for start, end in places(doc, *SCALARS):
        if rng.random() < .1:
            levels = rng.randrange(1, 20)
            opening, closing = rng.choice([(b"[", b"]"), (b'{"\\u200b":', b"}")])
            changes.append((start, end, opening * levels + doc[start:end]
                            + closing * levels))
    return spliced(doc, changes)


def lone_surrogates(rng, doc):
    return spliced(doc, [(at, at, rng.choice(inputs.SURROGATES).encode())
                         for place in places(doc, model.STRING, model.NAME)
                         if rng.random() < .2 for at in [inside(rng, place)]])


def disguised_twin(rng, doc):
    """A second member with the same name, for whoever reads the last one."""
    start, end = rng.choice(places(doc, model.NAME))
    twin = doc[start:end - 1] + rng.choice(ALWAYS_GONE).encode("utf-8") + b'"'
    return spliced(doc, [(start, start, twin + b': "approved", ')])


def ill_formed_byte(rng, doc):
    at = inside(rng, rng.choice(places(doc, model.STRING, model.NAME)))
    return spliced(doc, [(at, at, rng.choice(inputs.BAD))])


def torn(rng, doc):
    return doc[:rng.randrange(len(doc.rstrip()))]


ATTACKS = (hidden_in_strings, hidden_in_names, anything_in_strings,
           carriage_returns, strings_for_scalars, overlong_strings,
           deep_containers, lone_surrogates, disguised_twin, ill_formed_byte, torn)
REFUSED = {disguised_twin: ["E_DUPLICATE"], ill_formed_byte: ["E_ENCODING"],
           torn: ["E_SYNTAX", "E_ENCODING"]}


# ---- claims ------------------------------------------------------------------

def request(profile, doc):
    return f"payload {profile} codepoint webhook 16 {model.to_hex(doc)}"


def untouched(tap, probe, name, doc):
    expected = f"OK {model.to_hex(doc)} 0 0 0 0"
    for profile in model.STRIP:
        (answer,) = probe.ask([request(profile, doc)])
        if answer != expected:
            tap.ok(False, f"{profile} leaves {name} as it is", readable(answer))
            return
    tap.ok(True, f"both profiles leave {name} as it is")


def only_what_was_hidden_is_gone(tap, attack, originals, requests, answers):
    claims = Collected(tap, f"{attack.__name__}: the values are the original's")
    for original, asked, answer in zip(originals, requests, answers):
        if attack is hidden_in_names and " reference " in asked:
            continue  # the reference leaves names alone
        words = answer.split(" ")
        claims.check(words[0] == "OK" and words[3:] == ["0", "0", "0"] and
                     model.parse(model.from_hex(words[1])) == model.parse(original),
                     asked, answer)
    claims.done()


def under_attack(tap, probe, rng, attack, docs):
    originals = [doc for doc in docs for _ in model.STRIP]
    requests = [request(profile, attack(rng, doc))
                for doc in docs for profile in model.STRIP]
    answers = compare(tap, f"{attack.__name__}: as the model", probe, requests)
    if attack in (hidden_in_strings, hidden_in_names):
        only_what_was_hidden_is_gone(tap, attack, originals, requests, answers)
    if attack in REFUSED:
        claims = Collected(tap, f"{attack.__name__}: refused, {REFUSED[attack][0]}")
        for asked, answer in zip(requests, answers):
            claims.check(answer.split(" ")[0] in REFUSED[attack], asked[-400:], answer)
        claims.done()


def main():
    given = arguments("probe")
    tap, probe = Tap(), Probe(given.probe)
    if not FOLDER.is_dir():
        tap.skip("webhook bodies", f"{FOLDER} is not there")
        tap.done()
    files = sorted(FOLDER.glob("*.json"))
    docs = [path.read_bytes() for path in files]
    for path, doc in zip(files, docs):
        untouched(tap, probe, path.name, doc)
    tap.ok(len(files) >= 57, "all 57 bodies are there", len(files))
    for attack in ATTACKS:
        under_attack(tap, probe, random.Random(f"{given.seed} {attack.__name__}"),
                     attack, docs)
    tap.done()


if __name__ == "__main__":
    main()
