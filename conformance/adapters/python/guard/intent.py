"""Intents (rule X1): what an agent proposes, in one canonical text that can be hashed."""
import dataclasses
import datetime
import decimal
import hashlib
import re

from . import documents, texts
from .documents import Number, Refused

VERSION = "agent-safe.intent/1"


@dataclasses.dataclass
class Settings:
    canon: str = "rfc8785"
    input: str = "strict"
    unit: str = "utf16"
    depth: int = 20
    entries: int = 5000
    array: int = 1000
    bytes: int = 102400


# --- reading (X1.3) ---------------------------------------------------------------------------


def parse(document, settings):
    try:
        events = documents.Reader(document).read()
    except Refused:
        raise Refused("INTENT_NOT_I_JSON") from None
    if settings.input == "strict":
        if documents.find_duplicate(events, lambda name: name) or \
                any(event.text and texts.LONE.search(event.text) for event in events):
            raise Refused("INTENT_NOT_I_JSON")
    for event in events:
        if event.kind == "number" and abs(float(document[event.start:event.end])) == float("inf"):
            raise Refused("INVALID_NUMBER")
    return documents.plain(document, events)


# --- canonical text (X1.1) --------------------------------------------------------------------


def number_text(number):
    """ECMAScript's Number::toString: repr gives the shortest digits that come back."""
    value = float(number)
    if value == 0:
        return "0"
    sign, digits, exponent = decimal.Decimal(repr(value)).as_tuple()
    digits = "".join(map(str, digits))
    exponent += len(digits) - len(digits.rstrip("0"))
    digits = digits.rstrip("0")
    point = len(digits) + exponent  # the value is 0.digits * 10^point
    if len(digits) <= point <= 21:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        text = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{point - 1:+d}"
    return ("-" if sign else "") + text


def quote(text):
    """Lone surrogates, where they are let in, are written as escapes."""
    return texts.LONE.sub(lambda c: f"\\u{ord(c[0]):04x}", documents.quote(text))


INDEX = re.compile("0|[1-9][0-9]{0,9}")


def by_utf16(name):
    return name.encode("utf-16-be", "surrogatepass")


def by_index_then_utf16(name):
    if INDEX.fullmatch(name) and int(name) <= 4294967294:
        return 0, int(name), b""
    return 1, 0, by_utf16(name)


def canonical(value, canon="rfc8785"):
    """Without recursion: `stack` holds what is still to be written, the next one last."""
    order = by_utf16 if canon == "rfc8785" else by_index_then_utf16
    out, stack = [], [(False, value)]
    while stack:
        written, value = stack.pop()
        if written:
            out.append(value)
        elif isinstance(value, dict):
            parts = [(True, "{")]
            for n, name in enumerate(sorted(value, key=order)):
                parts += [(True, f"{',' if n else ''}{quote(name)}:"), (False, value[name])]
            stack += reversed([*parts, (True, "}")])
        elif isinstance(value, list):
            parts = [(True, "[")]
            for n, item in enumerate(value):
                parts += [(True, "," if n else ""), (False, item)]
            stack += reversed([*parts, (True, "]")])
        elif isinstance(value, Number):
            out.append(number_text(value))
        elif isinstance(value, str):
            out.append(quote(value))
        else:
            out.append({True: "true", False: "false", None: "null"}[value])
    return "".join(out)


def hash_of(text):
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


# --- limits (X1.10) ---------------------------------------------------------------------------

UNSAFE = {"__proto__", "constructor", "prototype"}


def check_limits(value, settings, scalars_are_deep):
    entries, stack = 0, [(0, value)]
    while stack:
        depth, value = stack.pop()
        container = isinstance(value, (dict, list))
        if depth > settings.depth and (container or scalars_are_deep):
            raise Refused("INTENT_TOO_DEEP")
        if not container:
            continue
        if isinstance(value, list) and len(value) > settings.array:
            raise Refused("INTENT_ARRAY_TOO_LARGE")
        if isinstance(value, dict) and UNSAFE & value.keys():
            raise Refused("UNSAFE_INTENT_KEY")
        entries += len(value)
        if entries > settings.entries:
            raise Refused("INTENT_TOO_COMPLEX")
        inside = value.values() if isinstance(value, dict) else value
        stack += [(depth + 1, item) for item in inside]


# --- schema (X1.4-X1.6) -----------------------------------------------------------------------

WHITE = ("\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
         "\u200a\u2028\u2029\u202f\u205f\u3000\ufeff")
UUID = re.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-"
                  "[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000"
                  "|ffffffff-ffff-ffff-ffff-ffffffffffff")
INSTANT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?Z")
EPOCH = datetime.datetime(1970, 1, 1)


def invalid():
    return Refused("INTENT_SCHEMA_INVALID")


def instant_ms(text):
    """Milliseconds since 1970, or None if it is no instant."""
    found = INSTANT.fullmatch(text) if isinstance(text, str) else None
    try:
        moment = datetime.datetime.strptime(found[1], "%Y-%m-%dT%H:%M:%S")
    except (TypeError, ValueError):
        return None
    if found[1].endswith(":60") or found[1].endswith(":61"):
        return None
    seconds = (moment - EPOCH) // datetime.timedelta(seconds=1)
    return seconds * 1000 + int(((found[2] or "") + "000")[:3])


def instant_text(ms):
    try:
        moment = EPOCH + datetime.timedelta(milliseconds=ms)
    except OverflowError:
        raise invalid() from None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z".rjust(24, "0")


class Schema:
    """Checks members one by one and gives back what is to be used."""

    def __init__(self, settings, trims):
        self.settings, self.trims = settings, trims

    def text(self, limit, pattern=None):
        def check(value):
            if not isinstance(value, str) or isinstance(value, Number):
                raise invalid()
            if self.trims:
                value = value.strip(WHITE)
            if not 1 <= self.size(value) <= limit or (pattern and not re.fullmatch(pattern, value)):
                raise invalid()
            return value
        return check

    def size(self, value):
        raw = {"utf16": "utf-16-le", "byte": "utf-8"}.get(self.settings.unit)
        size = len(value.encode(raw, "surrogatepass")) if raw else len(value)
        return size // 2 if raw == "utf-16-le" else size

    def object(self, required, optional):
        def check(value):
            if not isinstance(value, dict) or value.keys() - required.keys() - optional.keys() \
                    or required.keys() - value.keys():
                raise invalid()
            return {name: (required.get(name) or optional[name])(value[name]) for name in value}
        return check


def uuid(value):
    if not isinstance(value, str) or not UUID.fullmatch(value):
        raise invalid()
    return value


def instant(value):
    if instant_ms(value) is None:
        raise invalid()
    return value


def any_object(value):
    if not isinstance(value, dict):
        raise invalid()
    return value


def exactly(constant):
    def check(value):
        if value != constant or isinstance(value, Number):
            raise invalid()
        return value
    return check


ACTION = "[a-z][a-z0-9._:-]*"
DIGEST = "sha256:[0-9a-f]{64}"


def proposal_members(schema):
    return {"action": schema.text(120, ACTION), "target": schema.text(500)}, \
        {"parameters": any_object}


def context_members(schema, binding):
    actor = schema.object({"id": schema.text(200), "type": schema.text(200)},
                          {"runtime": schema.text(200), "trustLevel": schema.text(80)})
    target = schema.object(
        {"system": schema.text(200), "operation": schema.text(200)},
        {"endpoint": schema.text(500)} | only(binding == "b", {"environment": schema.text(200)}))
    return {"tenantId": uuid, "actor": actor, "downstreamTarget": target,
            "idempotencyKey": schema.text(180)}, \
        {"context": any_object, "correlationId": schema.text(200)} | \
        only(binding == "b", {"expectedEffectDigest": schema.text(71, DIGEST)})


def only(condition, members):
    return members if condition else {}


def intent_schema(settings, binding):
    """An intent as it was captured (X1.7)."""
    schema = Schema(settings, trims=False)
    proposal, context = proposal_members(schema), context_members(schema, binding)
    return schema.object(
        {"version": exactly(VERSION), "intentId": uuid, "capturedAt": instant,
         "expiresAt": instant, **proposal[0], **proposal[1], **context[0],
         "context": any_object},
        context[1])


def binding_schema(settings, binding):
    """What is hashed (X1.8)."""
    schema = Schema(settings, trims=False)
    b = binding == "b"
    actor = schema.object({"id": schema.text(200), "type": schema.text(200)},
                          {"runtime": schema.text(200), "trust_level": schema.text(80)})
    action = schema.object({"type": schema.text(120, ACTION), "resource": schema.text(500),
                            "parameters": any_object}, {})
    target = schema.object({"system": schema.text(200), "operation": schema.text(200)},
                           {"endpoint": schema.text(500)} | only(b, {"environment": schema.text(200)}))

    def context(value):
        if b and (key := any_object(value).get("idempotency_key")) is not None or b:
            schema.text(180)(key)
        return any_object(value)
    return schema.object(
        {"protocol_version": exactly(VERSION), "tenant_id": uuid, "intent_id": uuid,
         "captured_at": instant, "expires_at": instant, "actor": actor, "action": action,
         "context": context, "downstream_target": target} |
        only(not b, {"idempotency_key": schema.text(180)}),
        only(b, {"expected_effect_digest": schema.text(71, DIGEST)}))


# --- binding (X1.8, X1.9) ---------------------------------------------------------------------

RESERVED = {"idempotency_key", "enforcement_boundary", "workload"}


def renamed(value, names):
    return {names.get(name, name): item for name, item in value.items()}


def bind(intent, binding):
    """The binding object of a valid intent."""
    bound = {
        "protocol_version": intent["version"], "tenant_id": intent["tenantId"],
        "intent_id": intent["intentId"], "captured_at": intent["capturedAt"],
        "expires_at": intent["expiresAt"],
        "actor": renamed(intent["actor"], {"trustLevel": "trust_level"}),
        "action": {"type": intent["action"], "resource": intent["target"],
                   "parameters": intent["parameters"]},
        "context": intent["context"], "downstream_target": intent["downstreamTarget"]}
    if binding == "a":
        return bound | {"idempotency_key": intent["idempotencyKey"]}
    if RESERVED & intent["context"].keys():
        raise Refused("INTENT_CONTEXT_KEY_RESERVED")
    bound["context"] = intent["context"] | {"idempotency_key": intent["idempotencyKey"]}
    if "expectedEffectDigest" in intent:
        bound["expected_effect_digest"] = intent["expectedEffectDigest"]
    return bound


def seal(bound, settings):
    """(canonical text, hash, byte length) of a binding within the limits"""
    check_limits(bound, settings, scalars_are_deep=True)
    text = canonical(bound, settings.canon)
    length = len(text.encode("utf-8"))
    if length > settings.bytes:
        raise Refused("INTENT_TOO_LARGE")
    return text, hash_of(text), length


# --- operations -------------------------------------------------------------------------------


def canonicalize(document, settings):
    text = canonical(parse(document, settings), settings.canon)
    return text, hash_of(text)


def bind_document(document, binding, settings):
    bound = parse(document, settings)
    check_limits(bound, settings, scalars_are_deep=True)
    return seal(binding_schema(settings, binding)(bound), settings)[:2]


def capture(proposal, context, binding, intent_id, now_ms, ttl_ms, settings):
    """(envelope, canonical text, hash)"""
    proposal, context = parse(proposal, settings), parse(context, settings)
    for half in (proposal, context):
        check_limits(half, settings, scalars_are_deep=False)
    schema = Schema(settings, trims=True)
    proposal = schema.object(*proposal_members(schema))(proposal)
    context = schema.object(*context_members(schema, binding))(context)
    lifetime = min(max(ttl_ms, 1000), 300000)
    intent = {"version": VERSION, "intentId": uuid(intent_id),
              "capturedAt": instant_text(now_ms), "expiresAt": instant_text(now_ms + lifetime),
              "parameters": {}, "context": {}} | proposal | context
    text, digest, length = seal(bind(intent, binding), settings)
    envelope = {"intent": intent, "canonical": text, "hash": digest, "length": Number(length)}
    return canonical(envelope), text, digest


def open_envelope(document, binding, settings):
    """X1.11: (intent, hash), both recomputed from the intent alone."""
    try:
        envelope = parse(document, settings)
        if not isinstance(envelope, dict) or \
                envelope.keys() != {"intent", "canonical", "hash", "length"}:
            raise Refused("INTENT_CONFORMANCE_FAILED")
        check_limits(envelope["intent"], settings, scalars_are_deep=False)
        intent = intent_schema(settings, binding)(envelope["intent"])
        text, digest, length = seal(bind(intent, binding), settings)
    except Refused:
        raise Refused("INTENT_CONFORMANCE_FAILED") from None
    if envelope["canonical"] != text or envelope["hash"] != digest or \
            not isinstance(envelope["length"], Number) or float(envelope["length"]) != length:
        raise Refused("INTENT_CONFORMANCE_FAILED")
    return intent, digest
