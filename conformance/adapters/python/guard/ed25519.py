"""Ed25519 (RFC 8032) in plain Python: to verify, and to sign what a test authority mints.
Not in constant time: never sign with a key that matters."""
import functools
import hashlib
import threading

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # of -1

# A point is (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z.
NEUTRAL = (0, 1, 1, 0)


def add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def double(p):
    a, b = p[0] * p[0] % P, p[1] * p[1] % P
    c = 2 * p[2] * p[2]
    h = a + b
    e = h - (p[0] + p[1]) ** 2
    g = a - b
    f = c + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(*terms):
    """The sum of scalar * point, bit by bit for all of them together."""
    result = NEUTRAL
    for bit in range(max(scalar.bit_length() for scalar, _ in terms) - 1, -1, -1):
        result = double(result)
        for scalar, point in terms:
            if scalar >> bit & 1:
                result = add(result, point)
    return result


def decode(raw):
    """The point in its one spelling, or None."""
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if len(raw) != 32 or y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * ROOT % P
    if (x * x - x2) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def encode(p):
    inverse = pow(p[2], P - 2, P)
    x, y = p[0] * inverse % P, p[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


@functools.lru_cache(64)
def public_key(raw):
    """The point, or None for what is no key: no point, or one of small order."""
    point = decode(raw)
    if point is None or encode(double(double(double(point)))) == encode(NEUTRAL):
        return None
    return point


def number(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % L


ONE_AT_A_TIME = threading.Lock()


def verify(public, message, signature):
    """Many calls with one token at once cost one verification."""
    with ONE_AT_A_TIME:
        return verifies(public, message, signature)


@functools.lru_cache(256)
def verifies(public, message, signature):
    point = public_key(public)
    s = int.from_bytes(signature[32:], "little")
    if point is None or len(signature) != 64 or s >= L:
        return False
    negated = (P - point[0], point[1], 1, P - point[3])
    k = number(signature[:32], public, message)
    return encode(multiply((s, BASE), (k, negated))) == signature[:32]


def sign(seed, message):
    digest = hashlib.sha512(seed).digest()
    a = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    public = encode(multiply((a, BASE)))
    r = number(digest[32:], message)
    commitment = encode(multiply((r, BASE)))
    s = (r + number(commitment, public, message) * a) % L
    return commitment + s.to_bytes(32, "little")
