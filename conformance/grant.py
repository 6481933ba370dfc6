#!/usr/bin/env python3
"""X6: signed permissions against a second opinion, from the standards alone.

Ed25519 is written down from RFC 8032, JWS from RFC 7515, the claims from the
rules; none of it is shared with the library, and none of it is fast."""
import base64
import hashlib
import json
import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness import Collected, Tap, probe_from_arguments

# ---- RFC 8032, section 5.1 ---------------------------------------------------

P = 2 ** 255 - 19
L = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)  # X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z


def add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(n, p):
    q = NEUTRAL
    while n:
        if n & 1:
            q = add(q, p)
        p = add(p, p)
        n >>= 1
    return q


def encode(p):
    inverse = pow(p[2], -1, P)
    x, y = p[0] * inverse % P, p[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decode(key):
    """The point, or None: 5.1.3, to the letter."""
    number = int.from_bytes(key, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT_OF_MINUS_ONE % P
    if x * x % P != square or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def sha512(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


class Pair:
    def __init__(self, seed):
        digest = hashlib.sha512(seed).digest()
        scalar = int.from_bytes(digest[:32], "little")
        self.seed, self.prefix = seed, digest[32:]
        self.scalar = scalar & (1 << 254) - 8 | 1 << 254
        self.key = encode(multiply(self.scalar, BASE))

    def sign(self, message):
        r = sha512(self.prefix, message) % L
        point = encode(multiply(r, BASE))
        k = sha512(point, self.key, message) % L
        return point + ((r + k * self.scalar) % L).to_bytes(32, "little")


def is_signed(key, message, signature):
    point, s = decode(key), int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or point is None or s >= L:
        return False
    k = L - sha512(signature[:32], key, message) % L
    return encode(add(multiply(s, BASE), multiply(k, point))) == signature[:32]


# ---- what a token has to be --------------------------------------------------

def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def unb64(text):
    if not re.fullmatch(rb"[A-Za-z0-9_-]*", text):
        raise ValueError("alphabet")
    data = base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    if b64(data) != text:
        raise ValueError("another spelling")
    return data


def once(pairs):
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("duplicate")
    return dict(pairs)


class Number(str):
    """As it is written."""


def bad_constant(name):
    raise ValueError(name)


def strict_json(data):
    value = json.loads(data.decode(), object_pairs_hook=once, parse_int=Number,
                       parse_float=Number, parse_constant=bad_constant)
    json.dumps(value, ensure_ascii=False).encode()  # no half of a surrogate pair
    return value


def seconds(value):
    if not isinstance(value, Number) or not re.fullmatch("[0-9]+", value) \
            or int(value) * 1000 > 2 ** 63 - 1:
        raise ValueError("not seconds")
    return int(value)


def is_text(value):
    return isinstance(value, str) and not isinstance(value, Number)


def identifier(value):
    if not is_text(value) or not 1 <= len(value.encode()) <= 200:
        raise ValueError("not an id")
    return value.encode().hex()


CLAIMS = {"aud", "binding", "decision", "decision_id", "dossier_id", "exp", "iat",
          "iss", "jti", "nbf", "scope"}
HASH = "sha256:" + hashlib.sha256(b"{}").hexdigest()
NOW, EXPIRES = 1700000000123, 1700000060000
PAIR, OTHER = Pair(bytes(range(32))), Pair(bytes(range(32, 64)))


def claims_are(claims, **expected):
    if any(not is_text(claims[name]) or claims[name] != value
           for name, value in expected.items()):
        raise ValueError("about something else")


def decide(token):
    """The answer the probe has to give."""
    try:
        return "OK " + " ".join(grant_of(token))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "E_REFUSED"


def grant_of(token):
    if not 1 <= len(token) <= 8192:
        raise ValueError("length")
    first, second, third = token.split(b".")
    header, body, signature = map(unb64, (first, second, third))
    if strict_json(header) != {"alg": "EdDSA", "kid": "one", "typ": "JWT"}:
        raise ValueError("header")
    if not is_signed(PAIR.key, first + b"." + second, signature):
        raise ValueError("signature")
    claims = strict_json(body)
    if claims.keys() != CLAIMS or claims["binding"].keys() != {"intent_hash"}:
        raise ValueError("names")
    claims_are(claims, aud="orders:refund", decision="allow", iss="authority", scope="execute")
    claims_are(claims["binding"], intent_hash=HASH)
    seconds(claims["iat"])
    if not seconds(claims["nbf"]) * 1000 <= NOW < seconds(claims["exp"]) * 1000 <= EXPIRES:
        raise ValueError("time")
    return *(identifier(claims[name]) for name in ("jti", "decision_id", "dossier_id")), claims["exp"]


# ---- tokens ------------------------------------------------------------------

HEADER = b'{"alg":"EdDSA","kid":"one","typ":"JWT"}'
BODY = json.dumps({
    "aud": "orders:refund", "binding": {"intent_hash": HASH}, "decision": "allow",
    "decision_id": "d-1", "dossier_id": "f-1", "exp": 1700000060, "iat": 1700000000,
    "iss": "authority", "jti": "g-\u00e9\U0001f44d", "nbf": 1700000000, "scope": "execute",
}, ensure_ascii=False, separators=(",", ":")).encode()


def token_of(header, body, pair=PAIR):
    message = b64(header) + b"." + b64(body)
    return message + b"." + b64(pair.sign(message))


def hexed(data):
    return data.hex() or "-"


def verify_request(token):
    return (f"verify {b'one'.hex()} {PAIR.key.hex()} {b'authority'.hex()} "
            f"{b'orders:refund'.hex()} {HASH.encode().hex()} {EXPIRES} {NOW} {hexed(token)}")


def compare(tap, name, probe, tokens, least):
    """The probe and this file say the same of every token; some are accepted,
    so that the agreement is about something."""
    answers = probe.ask(map(verify_request, tokens))
    all_of_them = Collected(tap, name)
    for token, got in zip(tokens, answers):
        all_of_them.check(got == (expected := decide(token)), token, got, expected)
    accepted = sum(answer.startswith("OK") for answer in answers)
    all_of_them.check(accepted >= least, f"{accepted} accepted")
    all_of_them.done()


def mutated_bytes(rng, data, pool):
    """One edit: change, cut, insert, repeat, or take a piece of another one."""
    at, other = rng.randrange(len(data) + 1), rng.choice(pool)
    size = rng.choice((1, 1, 1, 2, 4, 20))
    piece = rng.choice((
        bytes(rng.choices(b"ABab01-_.=+/ \n\x00\xff", k=size)), b"", data[at:at + size] * 2,
        other[at:at + size], b64(rng.randbytes(size))))
    return data[:at] + piece + data[at + rng.choice((0, size)):]


# What to put where a value was.
VALUES = [b'"allow"', b'"execute"', b'"authority"', b'"orders:refund"', b'"EdDSA"', b'"JWT"', b'"one"',
          b'""', b'"\\u0000"', b'"\\ud83d\\udc4d"', b'"\\ud83d"', b'"\xff"', b'"' + b"i" * 200 + b'"',
          b'"' + b"i" * 201 + b'"', b'"' + "\u00e9".encode() * 100 + b'"', b"null", b"true", b"[]", b"{}",
          b"0", b"-0", b"-1", b"1700000000", b"1700000001", b"1700000060", b"1700000061", b"1700000060.0",
          b"17e8", b"1700000060e0", b"01700000060", b"9223372036854775", b"9223372036854776",
          b"92233720368547758080", b"NaN", b"Infinity", b"1_0"]
NAMES = sorted(CLAIMS) + ["alg", "kid", "typ", "crit", "sub", "intent_hash", ""]
MEMBER = re.compile(rb'"(\w+)":("[^"]*"|\d+|\{[^}]*\})')


def mutated_json(rng, data):
    """One edit of a document that keeps most of it as it has to be."""
    members = list(MEMBER.finditer(data))
    m = rng.choice(members)
    escaped = "".join(f"\\u{ord(c):04x}" if rng.random() < .3 else c for c in m[1].decode()).encode()
    value = rng.choice(VALUES)
    edit = rng.randrange(8)
    new = {
        0: b'"%s":%s' % (m[1], value),
        1: b'"%s":%s' % (escaped, m[2]),
        2: b'"%s" :\t%s\r\n' % (m[1], m[2]),
        3: b'%s,"%s":%s' % (m[0], escaped, m[2]),
        4: b'%s,"%s":%s' % (m[0], rng.choice(NAMES).encode(), value),
        5: b'"%s":%s' % (rng.choice(NAMES).encode(), m[2]),
    }
    if edit in new:
        return data[:m.start()] + new[edit] + data[m.end():]
    if edit == 6:  # leave it out
        return (data[:m.start()] + data[m.end():]).replace(b",,", b",").replace(b"{,", b"{").replace(b",}", b"}")
    shuffled = [member[0] for member in MEMBER.finditer(data)]
    rng.shuffle(shuffled)
    return b"{" + b",".join(shuffled) + b"}"


def signed_mutants(rng, count):
    """What only the holder of the key can send."""
    for i in range(count):
        header, body = HEADER, BODY
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            if rng.random() < .25:
                header = mutated_json(rng, header) if MEMBER.search(header) else header
            else:
                body = mutated_json(rng, body) if MEMBER.search(body) else body
        yield token_of(header, body, OTHER if i % 50 == 49 else PAIR)


# ---- tests -------------------------------------------------------------------

def ed25519(tap, probe):
    rng = random.Random(8032)
    seeds = [rng.randbytes(32) for _ in range(20)]
    keys = probe.ask(f"public {seed.hex()}" for seed in seeds)
    tap.ok(keys == [f"OK {Pair(seed).key.hex()}" for seed in seeds],
           "the public keys of twenty seeds", keys)
    prints = probe.ask(f"thumbprint {Pair(seed).key.hex()}" for seed in seeds[:5])
    tap.ok(prints == [f"OK {thumbprint(Pair(seed).key).hex()}" for seed in seeds[:5]],
           "X6 the thumbprints of five (RFC 7638)", prints)


def thumbprint(key):
    jwk = {"crv": "Ed25519", "kty": "OKP", "x": b64(key).decode()}
    text = json.dumps(jwk, sort_keys=True, separators=(",", ":"))
    return b64(hashlib.sha256(text.encode()).digest())


def small_order(rng):
    """Every text that a careless decoder takes for a point P with 8P = 0."""
    heights = set()
    while len(heights) < 5:  # 0, 1, -1 and two of order 8
        point = decode(rng.randbytes(31) + b"\0")
        if point is not None:
            torsion = encode(multiply(L, point))
            heights.add(int.from_bytes(torsion, "little") & (1 << 255) - 1)
    return {(y | sign << 255).to_bytes(32, "little") for height in heights
            for y in (height, height + P) if y < 1 << 255 for sign in (0, 1)}


def keys(tap, probe):
    rng = random.Random(1)
    forbidden = sorted(small_order(rng))
    answers = probe.ask(f"add {key.hex()}" for key in forbidden)
    tap.ok(len(forbidden) == 14 and set(answers) == {"E_INVALID"},
           "X6 all encodings of small order, computed: fourteen, all refused", forbidden, answers)

    edge = [y.to_bytes(32, "little") for y in (*range(40), *range(P - 20, 1 << 255))]
    edge += [key[:31] + bytes([key[31] | 0x80]) for key in edge]
    torsion = next(p for p in map(decode, forbidden) if p and encode(multiply(4, p)) != encode(NEUTRAL))
    mixed = [encode(add(torsion, multiply(n, BASE))) for n in range(1, 5)]  # odd, but somebody's
    tried = edge + mixed + [rng.randbytes(32) for _ in range(400)]
    answers = probe.ask(f"add {key.hex()}" for key in tried)
    all_of_them = Collected(tap, "X6 a key is taken iff RFC 8032 decodes it and its order is not small")
    for key, got in zip(tried, answers):
        good = decode(key) is not None and key not in forbidden
        all_of_them.check(got == ("OK" if good else "E_INVALID"), key.hex(), got, good)
    all_of_them.check(150 < answers.count("OK") < len(tried) - 150, "half of all texts are points")
    all_of_them.done()


def sign_request(**changes):
    fields = {"kid": b"one", "iss": b"authority", "aud": b"orders:refund", "decision_id": b"d-1",
              "dossier_id": b"f-1", "jti": "g-\u00e9\U0001f44d".encode(), "hash": HASH.encode()} | changes
    words = " ".join(hexed(fields[name]) for name in fields)
    return f"sign {PAIR.seed.hex()} {words} 1700000000 1700000060"


def signing(tap, probe):
    texts = [b"d", '"\\\b\t\n\x01\x7f'.encode(), "\u200b\U000e0041\ue000".encode(), b"i" * 200]
    requests = [sign_request()] + [sign_request(decision_id=text) for text in texts]
    bodies = [BODY]
    for text in texts:
        claims = json.loads(BODY) | {"decision_id": text.decode()}
        bodies.append(json.dumps(claims, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode())
    expected = [f"OK {token_of(HEADER, body).hex()}" for body in bodies]
    got = probe.ask(requests)
    tap.ok(got == expected, "X6 what is signed is what the standards say, to the byte",
           *(pair for pair in zip(got, expected)))
    named = probe.ask([sign_request(kid=b"")])[0].split()[1]
    header = json.loads(unb64(bytes.fromhex(named).split(b".")[0]))
    tap.ok(header == {"alg": "EdDSA", "kid": thumbprint(PAIR.key).decode(), "typ": "JWT"},
           "X6 without a kid it is the thumbprint", header)


def verifying(tap, probe):
    rng = random.Random(6)
    good = token_of(HEADER, BODY)
    tap.ok(decide(good).startswith("OK "), "R2 the second opinion accepts a good token", decide(good))
    pool = [good, token_of(HEADER, BODY.replace(b"g-", b"h-")), token_of(HEADER, BODY, OTHER)]
    edits = [mutated_bytes(rng, rng.choice(pool), pool) for _ in range(1500)]
    compare(tap, "X6 tokens edited on the way", probe, pool + edits, 2)
    compare(tap, "X6 tokens with anything in them, and a good signature", probe,
            list(signed_mutants(rng, 500)), 50)
    swapped = [b".".join(t.split(b".")[:2] + u.split(b".")[2:]) for t in pool for u in pool]
    compare(tap, "X6 signatures of one token on another", probe, swapped, 2)


def run(*command, data=None):
    return subprocess.run([str(word) for word in command], input=data, capture_output=True, check=False)


def openssl(tap, probe, directory):
    key = directory / "key.pem"
    made = run("openssl", "genpkey", "-algorithm", "ed25519", "-out", key)
    if made.returncode != 0:
        tap.skip("PEM of the openssl command", made.stderr.decode())
        return
    public = run("openssl", "pkey", "-in", key, "-pubout").stdout
    seed_answer, public_answer = probe.ask([f"read_seed {key.read_bytes().hex()}", f"read_public {public.hex()}"])
    pair = Pair(bytes.fromhex(seed_answer.removeprefix("OK ")))
    tap.ok(public_answer == f"OK {pair.key.hex()}", "PEM: keys that the openssl command made are read",
           seed_answer, public_answer)
    written = [bytes.fromhex(answer.removeprefix("OK ")) for answer in
               probe.ask([f"write_seed {pair.seed.hex()}", f"write_public {pair.key.hex()}"])]
    tap.ok(written == [key.read_bytes(), public], "PEM: and written as it writes them", *written)
    again = run("openssl", "pkey", "-pubout", data=written[0]).stdout
    tap.ok(again == public, "PEM: it reads what was written", again)
    signed_by_command(tap, probe, directory, pair)
    other_keys(tap, probe, key)


def signed_by_command(tap, probe, directory, pair):
    message = b64(HEADER) + b"." + b64(BODY)
    (directory / "message").write_bytes(message)
    signature = run("openssl", "pkeyutl", "-sign", "-rawin", "-in", directory / "message",
                    "-inkey", directory / "key.pem").stdout
    request = verify_request(message + b"." + b64(signature)).replace(PAIR.key.hex(), pair.key.hex())
    answer = probe.ask([request])[0]
    tap.ok(answer.startswith("OK "), "X6 a token that the openssl command signed is a grant", answer)


def other_keys(tap, probe, key):
    """Of another kind, encrypted, or in another wrapping."""
    wrong = {
        "X25519": run("openssl", "genpkey", "-algorithm", "x25519").stdout,
        "Ed448": run("openssl", "genpkey", "-algorithm", "ed448").stdout,
        "P-256": run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256").stdout,
        "encrypted": run("openssl", "pkcs8", "-topk8", "-in", key, "-passout", "pass:x").stdout,
        "with its text": run("openssl", "pkey", "-in", key, "-text").stdout,
        "twice": key.read_bytes() * 2,
        "DER": run("openssl", "pkey", "-in", key, "-outform", "DER").stdout,
    }
    answers = probe.ask(f"read_seed {pem.hex()}" for pem in wrong.values())
    tap.ok(all(wrong.values()) and set(answers) <= {"E_SYNTAX", "E_INVALID"},
           "PEM: keys of another kind, encrypted, twice, with notes: refused", *zip(wrong, answers))


def main():
    tap, probe = Tap(), probe_from_arguments()
    ed25519(tap, probe)
    keys(tap, probe)
    signing(tap, probe)
    verifying(tap, probe)
    if shutil.which("openssl"):
        with tempfile.TemporaryDirectory() as name:
            openssl(tap, probe, Path(name))
    else:
        tap.skip("PEM of the openssl command", "there is no openssl command")
    tap.done()


if __name__ == "__main__":
    main()
