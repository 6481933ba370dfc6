"""Grants, ledgers, the registry of actions and the executor (rules X2-X8)."""
import base64
import contextlib
import hashlib
import json
import re
import threading
import time

from . import documents, ed25519, intent
from .documents import Number, Refused

TOKEN_MAX = 8192
ID_MAX = 200
DAY_S = 86400


class Rejected(Exception):
    """(code, stage): an execution that was refused."""


class StoreDown(Exception):
    """The ledger cannot be asked."""


# --- keys (X6.5, X6.6) ------------------------------------------------------------------------


def base64url(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def from_base64url(text):
    """None for padding, white space, other letters and spare bits."""
    if not re.fullmatch("[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        return None
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return raw if base64url(raw) == text else None


class Keys:
    def __init__(self, keys=()):
        self.keys, self.revoked, self.seeds = {}, set(), {}
        for key in keys:
            self.add(**key)

    def add(self, kid, public, seed=None):
        raw = bytes.fromhex(public)
        if ed25519.public_key(raw) is None:
            raise Refused("KEY_REFUSED")
        if kid is None:  # RFC 7638
            jwk = f'{{"crv":"Ed25519","kty":"OKP","x":"{base64url(raw)}"}}'
            kid = base64url(hashlib.sha256(jwk.encode()).digest())
        if kid in self.keys or kid in self.revoked:
            raise Refused("KEY_REFUSED")
        self.keys[kid] = raw
        if seed is not None:
            self.seeds[kid] = bytes.fromhex(seed)
        return kid

    def revoke(self, kid):
        if kid not in self.keys:
            raise Refused("KEY_UNKNOWN")
        del self.keys[kid]
        self.revoked.add(kid)


# --- tokens (X6) ------------------------------------------------------------------------------


def invalid():
    return Refused("AUTHORIZATION_INVALID")


def strict_object(raw, members):
    """An object with exactly these members, each once."""
    try:
        document = raw.decode("utf-8")
        value = documents.plain(document, documents.read(document))
    except (UnicodeDecodeError, Refused):
        raise invalid() from None
    if not isinstance(value, dict) or value.keys() != set(members):
        raise invalid()
    return value


def is_text(value):
    return isinstance(value, str) and not isinstance(value, Number)


def an_id(value):
    if not is_text(value) or not 1 <= len(value.encode("utf-8", "surrogatepass")) <= ID_MAX:
        raise invalid()
    return value


def seconds(value):
    if not isinstance(value, Number) or not re.fullmatch("[0-9]{1,15}", value):
        raise invalid()
    return int(value)


def same(value, expected):
    if not is_text(value) or value != expected:
        raise invalid()


def split(token):
    """(header, claims, signed text, signature), as bytes"""
    if not token.isascii() or len(token) > TOKEN_MAX or token.count(".") != 2:
        raise invalid()
    parts = [from_base64url(part) for part in token.split(".")]
    if None in parts:
        raise invalid()
    return parts[0], parts[1], token.rpartition(".")[0].encode(), parts[2]


CLAIMS = ("decision_id", "dossier_id", "jti", "decision", "scope", "binding", "iss", "aud",
          "iat", "nbf", "exp")


def check_signature(token, keys):
    header, claims, signed, signature = split(token)
    header = strict_object(header, ("alg", "kid", "typ"))
    same(header["alg"], "EdDSA")
    same(header["typ"], "JWT")
    public = keys.keys.get(header["kid"]) if is_text(header["kid"]) else None
    if public is None or not ed25519.verify(public, signed, signature):
        raise invalid()
    return strict_object(claims, CLAIMS)


def audience(subject):
    target = subject["downstreamTarget"]
    return f"{target['system']}:{target['operation']}"


def verify(token, subject, digest, keys, issuer, now_ms):
    """What the grant says: decisionId, dossierId, grantId, intentHash, expiresAt (in ms)."""
    claims = check_signature(token, keys)
    same(claims["decision"], "allow")
    same(claims["scope"], "execute")
    same(claims["iss"], issuer)
    same(claims["aud"], audience(subject))
    if not isinstance(claims["binding"], dict) or claims["binding"].keys() != {"intent_hash"}:
        raise invalid()
    same(claims["binding"]["intent_hash"], digest)
    seconds(claims["iat"])
    nbf, exp = seconds(claims["nbf"]), seconds(claims["exp"])
    if not nbf * 1000 <= now_ms < exp * 1000 <= intent.instant_ms(subject["expiresAt"]):
        raise invalid()
    return {"decisionId": an_id(claims["decision_id"]), "dossierId": an_id(claims["dossier_id"]),
            "grantId": an_id(claims["jti"]), "intentHash": digest,
            "expiresAt": intent.instant_text(exp * 1000)}


# --- ledger (X7) ------------------------------------------------------------------------------


class Ledger:
    """In memory."""

    def __init__(self, capacity=None, margin_s=None):
        self.lock, self.claims, self.latest = threading.Lock(), {}, 0
        self.capacity = 100000 if capacity is None else capacity
        self.margin_s = DAY_S if margin_s is None else margin_s

    def claim(self, grant_id, expires_s, now_ms):
        """True once for each id. The clock of a ledger never goes back (X7.5)."""
        with self.lock:
            self.latest = max(self.latest, now_ms)
            if not 1 <= len(grant_id.encode("utf-8", "surrogatepass")) <= ID_MAX or \
                    expires_s * 1000 <= self.latest:
                return False
            self.forget()
            if grant_id in self.claims or len(self.claims) >= self.capacity:
                return False
            self.claims[grant_id] = expires_s
            return True

    def forget(self):
        if len(self.claims) < self.capacity:
            return
        for grant_id, expires_s in list(self.claims.items()):
            if (expires_s + self.margin_s) * 1000 <= self.latest:
                del self.claims[grant_id]

    def close(self, crash=False):
        """Nothing to do."""


# --- registry (X2) ----------------------------------------------------------------------------

KINDS = {
    "string": is_text, "number": lambda value: isinstance(value, Number),
    "integer": lambda value: isinstance(value, Number) and float(value).is_integer(),
    "boolean": lambda value: isinstance(value, bool), "any": lambda value: True,
    "object": lambda value: isinstance(value, dict), "array": lambda value: isinstance(value, list),
}


def fits(value, field):
    return KINDS[field["type"]](value) and \
        ("minimum" not in field or float(value) >= field["minimum"]) and \
        ("maximum" not in field or float(value) <= field["maximum"]) and \
        ("max_length" not in field or len(value) <= field["max_length"]) and \
        ("one_of" not in field or value in field["one_of"])


class Action:
    def __init__(self, name, parameters, handler):
        self.name, self.table, self.handler = name, parameters, handler
        self.lock, self.calls = threading.Lock(), []

    def accepts(self, parameters):
        return not parameters.keys() - self.table.keys() and all(
            fits(parameters[name], field) if name in parameters else field.get("optional", False)
            for name, field in self.table.items())

    def run(self, parameters):
        with self.lock:
            self.calls.append(intent.canonical(parameters))
        if self.handler == "slow":
            time.sleep(0.05)
        if self.handler == "fail":
            raise RuntimeError("do-not-show: the database said something secret")


class Registry:
    def __init__(self):
        self.actions, self.sealed = {}, False

    def register(self, action):
        if self.sealed:
            raise Refused("ACTION_REGISTRY_SEALED")
        if action.name in self.actions:
            raise Refused("ACTION_ALREADY_REGISTERED")
        self.actions[action.name] = action

    def find(self, subject):
        if not self.sealed:
            raise Refused("ACTION_REGISTRY_NOT_SEALED")
        action = self.actions.get(subject["action"])
        if action is None:
            raise Refused("ACTION_NOT_REGISTERED")
        if not action.accepts(subject["parameters"]):
            raise Refused("ACTION_PARAMETERS_INVALID")
        return action


# --- executor (X3) ----------------------------------------------------------------------------


@contextlib.contextmanager
def stage(name, code=None):
    """Refusals inside happened at this stage, under this code."""
    try:
        yield
    except (Refused, StoreDown) as refusal:
        raise Rejected(code or refusal.args[0], name) from None


def read_decision(document):
    try:
        decision = documents.plain(document, documents.read(document))
    except Refused:
        decision = None
    return decision if isinstance(decision, dict) else {}


def agrees(evidence, decision, subject, digest, now_ms):
    """X3.2: what the verifier returned is compared, whoever the verifier is."""
    expires = intent.instant_ms(evidence["expiresAt"])
    stated = intent.instant_ms(decision["authorization"].get("expiresAt"))
    return (evidence["decisionId"] == decision.get("decisionId") and
            evidence["dossierId"] == decision.get("dossierId") and
            is_text(evidence["grantId"]) and evidence["grantId"] != "" and
            evidence["intentHash"] == digest and
            expires is not None and stated is not None and expires // 1000 == stated // 1000 and
            now_ms < expires <= intent.instant_ms(subject["expiresAt"]))


class Gate:
    def __init__(self, binding, issuer, keys, ledger, settings):
        self.binding, self.issuer, self.keys, self.ledger = binding, issuer, keys, ledger
        self.settings, self.registry = settings, Registry()

    def open(self, envelope):
        return intent.open_envelope(envelope[0], self.binding, self.settings)

    def verify(self, decision, subject, digest, now_ms, patch):
        token = decision["authorization"].get("token")
        if not is_text(token):
            raise invalid()
        evidence = verify(token, subject, digest, self.keys, self.issuer, now_ms) | patch
        if not agrees(evidence, decision, subject, digest, now_ms):
            raise invalid()
        return evidence

    def claim(self, evidence, now_ms):
        expires_s = intent.instant_ms(evidence["expiresAt"]) // 1000
        if not self.ledger.claim(evidence["grantId"], expires_s, now_ms):
            raise invalid()

    def check(self, envelope, decision, now_ms, patch):
        """Everything that spends nothing: (action, intent, hash, evidence)"""
        decision = read_decision(decision)
        if decision.get("verdict") != "ALLOW" or decision.get("failClosed") is not False:
            raise Rejected("DECISION_NOT_ALLOW", "decision")
        if decision.get("intentHash") != claimed_hash(envelope):
            raise Rejected("INTENT_BINDING_MISMATCH", "binding")
        if not isinstance(decision.get("authorization"), dict):
            raise Rejected("AUTHORIZATION_MISSING", "authorized")
        with stage("conform"):
            subject, digest = self.open(envelope)
        with stage("registry"):
            action = self.registry.find(subject)
        with stage("verify"):
            evidence = self.verify(decision, subject, digest, now_ms, patch)
        return action, subject, digest, evidence

    def execute(self, envelope, decision, now_ms, patch=None, during_claim=lambda: None):
        """The grant's id, or Rejected. `envelope` is the caller's: a list of one text."""
        action, subject, digest, evidence = self.check(envelope, decision, now_ms, patch or {})
        with stage("claim", "AUTHORIZATION_INVALID"):
            self.claim(evidence, now_ms)
            during_claim()
        with stage("recheck"):
            if self.open(envelope)[1] != digest:
                raise Refused("INTENT_CONFORMANCE_FAILED")
        try:
            action.run(subject["parameters"])
        except Exception:  # what it said is nobody's business (X3.3)
            raise Rejected("ACTION_EXECUTION_FAILED", "run") from None
        return evidence["grantId"]


def claimed_hash(envelope):
    """What an envelope says its hash is; nobody has checked it yet."""
    return read_decision(envelope[0]).get("hash", documents)


# --- development authority (X8) ---------------------------------------------------------------


class Authority:
    """Signs for tests. `number` makes its ids differ."""

    def __init__(self, gate, environment, allowed):
        if environment == "production" or not allowed:
            raise Refused("FIXTURE_AUTHORITY_FORBIDDEN")
        self.gate = gate

    def decide(self, envelope, verdict, ttl_s, now_ms, number):
        subject, digest = intent.open_envelope(envelope, self.gate.binding, self.gate.settings)
        exp = min(now_ms // 1000 + ttl_s, intent.instant_ms(subject["expiresAt"]) // 1000)
        decision = {"verdict": verdict, "decisionId": f"decision-{number}",
                    "dossierId": f"dossier-{number}", "intentHash": digest,
                    "reasonCodes": [f"FIXTURE_{verdict}"], "authorization": None,
                    "failClosed": False}
        if verdict == "ALLOW":
            decision["authorization"] = {
                "token": self.mint(subject, decision, f"grant-{number}", now_ms // 1000, exp),
                "expiresAt": intent.instant_text(exp * 1000)}
        return json.dumps(decision)

    def mint(self, subject, decision, grant_id, now_s, exp):
        kid, seed = next(iter(self.gate.keys.seeds.items()))
        header = {"alg": "EdDSA", "kid": kid, "typ": "JWT"}
        claims = {"decision_id": decision["decisionId"], "dossier_id": decision["dossierId"],
                  "jti": grant_id, "decision": "allow", "scope": "execute",
                  "binding": {"intent_hash": decision["intentHash"]}, "iss": self.gate.issuer,
                  "aud": audience(subject), "iat": now_s, "nbf": now_s, "exp": exp}
        signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        return f"{signed}.{base64url(ed25519.sign(seed, signed.encode()))}"
