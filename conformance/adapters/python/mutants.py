"""The mutants of suite/mutants.json: one bug each, planted in the sources as they are loaded.
`adapter.py --mutant F02` runs one. A text that is not in its source exactly once is an error, so
that the list cannot rot."""
import importlib.abc
import importlib.machinery
import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def less(name, removed, kept=""):
    """A set of the reference profile without some of its members."""
    return f'[{name}[0].replace("{removed}", "{kept}")]'


STRIP = "strip_reference = sets.deleter(sets.STRIP_REFERENCE)"
SKIP = '    skip = f"[{sets.regex_class(ignorable)}]*+"\n'


def strips(what):
    return [("sanitize", STRIP, f"strip_reference = {what}")]


def no_bridge(first, last=None):
    """These characters are no bridges."""
    return [("fence", SKIP, '    skip = f"(?:(?![\\U%08x-\\U%08x])[{sets.regex_class(ignorable)}])*+"\n'
             % (first, last or first))]


NEUTRALIZE = "    text = texts.well_formed(text)[0]\n    if profile == \"reference\":\n"


def before_neutralizing(line):
    return [("fence", NEUTRALIZE, NEUTRALIZE.replace("    if", f"    {line}\n    if"))]


def misses(pattern):
    return [("moderate", "for row in TABLE}", f'for row in TABLE if row["id"] != "{pattern}"}}')]


VIEWS = "    for view in views(text, delivered, settings.profile):\n"
REGISTRY = '''        with stage("registry"):
            action = self.registry.find(subject)
'''
VERIFY = '''        with stage("verify"):
            evidence = self.verify(decision, subject, digest, now_ms, patch)
'''
CLAIM = "            self.claim(evidence, now_ms)\n"
TAKE = "            self.claims[grant_id] = expires_s\n"

MUTANTS = {
    # --- sanitizer ---
    "S01": [("sanitize", "cut(strip(text, settings, report), settings.limits[source], settings)",
             "cut(texts.well_formed(text)[0], settings.limits[source], settings)\n"
             "    text = strip(text, settings, report)")],
    "S02": strips('sets.deleter(' + less("sets.STRIP_REFERENCE", " E0000-E007F") + ")"),
    "S03": strips('sets.deleter(sets.STRIP_REFERENCE, ["E0100-E01EF"])'),
    "S04": strips('sets.deleter(' + less("sets.STRIP_REFERENCE", "200B-200F", "200B 200E-200F") + ")"),
    "S05": strips('sets.deleter(sets.STRIP_REFERENCE, ["0009"])'),
    "S06": strips('sets.deleter(' + less("sets.STRIP_REFERENCE", "000B-001F", "000B-000C 000E-001F") + ")"),
    "S07": [("sanitize", "settings.limits[source], settings)", "settings.limits[source] + 1, settings)")],
    "S08": [("sanitize", "    if len(text) * 4 <= limit or",
             "    settings = dataclasses.replace(settings, unit={\n"
             '        "codepoint": "utf16", "utf16": "byte", "byte": "codepoint"}[settings.unit])\n'
             "    if len(text) * 4 <= limit or")],
    "S09": [("texts", '.decode("utf-16-le", "ignore")', '.decode("utf-16-le", "surrogatepass")')],
    "S10": [("sanitize", "    return result, True\n", '    return result + "\\u2026", True\n')],
    "S11": [("sanitize", STRIP, '''def strip_reference(text):
    import unicodedata
    kept = [c for c in text if c in "\\t\\n" or unicodedata.category(c) not in ("Cc", "Cf")]
    return "".join(kept), len(text) - len(kept)''')],
    "S12": [("sanitize", "    report.stripped += stripped\n    return text\n",
             "    report.stripped += stripped\n    return text.strip()\n")],
    "S13": [("sanitize", STRIP, '''strip_but_cr = sets.deleter([sets.STRIP_REFERENCE[0].replace(
    "000B-001F", "000B-000C 000E-001F")])


def strip_reference(text):
    kept = strip_but_cr(text.replace("\\r\\n", "\\n"))[0]
    return kept, len(text) - len(kept)''')],
    "S14": [("sanitize", "deepest, deep = settings.max_depth, 0", "deepest, deep = 10**9, 0"),
            ("sanitize", "and depth > settings.max_depth:", "and False:")],
    "S15": [("sanitize", "deepest, deep = settings.max_depth, 0", "deepest, deep = settings.max_depth + 1, 0"),
            ("sanitize", "and depth > settings.max_depth:", "and depth > settings.max_depth + 1:")],
    "S16": [("sanitize", '        elif event.kind == "string":\n',
             '        elif event.kind == "string" and event.depth < 2:\n'),
            ("sanitize", "    if isinstance(value, documents.Number):\n",
             "    if isinstance(value, documents.Number) or isinstance(value, str) and depth > 2:\n")],
    "S17": [("sanitize", "settings.limits[source], settings)", 'settings.limits["chat"], settings)')],
    "S18": [("sanitize", "isinstance(value, (bool, documents.Number, array.array)):",
             'isinstance(value, bool) or value.join("") == "":')],
    "S19": [("sanitize", STRIP, "strip_reference = sets.deleter(" +
             less("sets.STRIP_REFERENCE", " E0000-E007F") + ")"),
            ("sanitize", "REMOVED = sets.Large(sets.STRIP_HARDENED)",
             'REMOVED = {c for c in sets.members(sets.STRIP_HARDENED) if c <= "\\uffff"}'),
            ("sanitize", "CONTEXT = sets.Large(sets.CONTEXT_HARDENED)",
             'CONTEXT = {c for c in sets.members(sets.CONTEXT_HARDENED) if c <= "\\uffff"}')],
    "S20": [("sanitize", 'else "form_event"', 'else "unlimited"'),
            ("sanitize", "settings.limits[source], settings)", "settings.limits.get(source, 10**9), settings)")],
    "S21": [("sanitize", "    return copy.text()\n",
             "    import json\n    return json.dumps(json.loads(copy.text()), ensure_ascii=False)\n")],
    "S22": [("sanitize", "            text, truncated = sanitize_text(event.text, source, settings, report)\n",
             "            text, truncated = sanitize_text(document[event.start + 1:event.end - 1], source,\n"
             "                                            settings, report)\n"
             "            text = documents.unescape(text)\n")],
    "S23": [("documents", "    if find_duplicate(events, name_of):\n", "    if False:\n")],
    "S24": [("sanitize", '''    if settings.profile == "reference":
        text, stripped = strip_reference(text)''', '''    if True:
        text, stripped = strip_reference(text)''')],
    "S25": [("sanitize", "            front.joined = True\n", ""),
            ("sanitize", "                front.selected = True\n", "")],
    "S26": [("sanitize", "if not front.joined and keeps_joiner(front, c, next_visible(text, at)):",
             "if not front.joined:"),
            ("sanitize", "            if keeps_selector(front, c):\n", "            if True:\n")],
    "S27": [("sanitize", "RARE_MAX = 16", "RARE_MAX = 10**9")],
    "S28": [("sanitize", "if not front.joined and keeps_joiner(front, c, next_visible(text, at)):", "if False:"),
            ("sanitize", "            if keeps_selector(front, c):\n", "            if False:\n")],
    "S29": [("sanitize", "        result = text[:cut_hardened(text, len(result))]\n", "        pass\n")],
    "S30": [("sanitize", "front.c not in LEADING and after in VOWEL", "after in VOWEL")],
    "S31": [("sanitize", "    return at if tags in FLAGS else None\n",
             '    return at if tags.endswith("\\U000e007f") else None\n')],
    "S32": [("sanitize", "(front.joining and after in JOINING)",
             "(front.joining and after in JOINING) or (front.c in IDEOGRAPH and after in IDEOGRAPH)")],
    "S33": [("sanitize", "(front.pictograph and after in PICTOGRAPH)", "(front.pictograph and after != NO_SET)")],
    "S34": [("sanitize", "front.c in SEQUENCES.get(c, ()) and",
             "(front.c in SEQUENCES.get(c, ()) or front.c.isalpha()) and")],
    # --- fence ---
    "F01": before_neutralizing('return text.replace("<<<", "< < < ").replace(">>>", "> > > ")'),
    "F02": no_bridge(0xE0000, 0xE007F),
    "F03": no_bridge(0x10000, 0x10FFFF),
    "F04": [("fence", 'groups(sets.STRIP_REFERENCE, "<", ">")', 'groups(sets.FENCE_IGNORABLE, "<", ">")')],
    "F05": [("fence", 'f"[{kind}](?:{skip}[{kind}])+"', 'f"[{kind}](?:{skip}[{kind}]){{2,}}"')],
    "F06": [("fence", 'lambda group: BRACKET_REFERENCE.sub(r"\\g<0> ", group[0])',
             'lambda group: BRACKET_REFERENCE.sub(r"\\g<0> ", group[0][:-1]) + group[0][-1]'),
            ("fence", "text, group.start(), group.end()):\n                yield", "text, group.start(), group.end() - 1):\n                yield")],
    "F07": [("fence", 'groups(sets.STRIP_REFERENCE, "<", ">")', 'groups(sets.STRIP_REFERENCE, "<")'),
            ("fence", "groups(sets.FENCE_IGNORABLE, LESS, GREATER)", "groups(sets.FENCE_IGNORABLE, LESS)")],
    "F08": [("fence", 'BRACKET_REFERENCE.sub(r"\\g<0> "', 'BRACKET_REFERENCE.sub("\\\\g<0>\\u200b"'),
            ("fence", 'insert(text, hardened_places(text), " ", unless=" ")',
             'insert(text, hardened_places(text), "\\u200b", unless=" ")')],
    "F09": [("fence", '    label = neutralize(BREAK.sub(" ", label), profile)\n',
             '    label = BREAK.sub(" ", texts.well_formed(label)[0])\n')],
    "F10": before_neutralizing('if "<<" not in text:\n        return text'),
    "F11": before_neutralizing('text = sets.deleter(sets.STRIP_REFERENCE)(text)[0]'),
    "F12": [("fence", SKIP, SKIP.replace("*+", "?+"))],
    "F13": no_bridge(0x0D),
    "F14": before_neutralizing("if len(text) > 4096:\n"
                               "        return neutralize(text[:4096], profile) + text[4096:]"),
    "F15": before_neutralizing('text = __import__("unicodedata").normalize("NFC", text)'),
    "F16": no_bridge(0x2028),
    "F17": [("fence", 'groups(sets.STRIP_REFERENCE, "<", ">")', 'groups(sets.STRIP_REFERENCE, "<>")'),
            ("fence", "groups(sets.FENCE_IGNORABLE, LESS, GREATER)", "groups(sets.FENCE_IGNORABLE, LESS + GREATER)")],
    "F18": [("fence", '"<<<__XPY_DATA_END__>>>"', '"<<<__XPY_DATA_BEGIN__>>>"')],
    "F19": [("fence", 'BRACKET_REFERENCE.sub(r"\\g<0> "', 'BRACKET_REFERENCE.sub(r" \\g<0>"'),
            ("fence", "yield bracket.end()", "yield bracket.start()")],
    "F20": no_bridge(0x180E),
    "F21": no_bridge(0x206A, 0x206F),
    "F22": no_bridge(0x80, 0x9F),
    "F23": before_neutralizing('if "< <" in text or "> >" in text:\n        return text'),
    "F24": [("fence", 'BEGIN, END = "<<<__XPY_DATA_BEGIN__>>>", "<<<__XPY_DATA_END__>>>"',
             'import os\nNONCE = os.urandom(4).hex()\n'
             'BEGIN, END = f"<<<__XPY_DATA_BEGIN_{NONCE}__>>>", f"<<<__XPY_DATA_END_{NONCE}__>>>"')],
    "F25": [("fence", "{neutralize(data, profile)}\\n{END}", "{neutralize(data, profile)}{END}"),
            ("fence", '                value += "\\n"\n', "                pass\n")],
    "F26": [("fence", "LESS, GREATER = sets.regex_class(sets.LESS), sets.regex_class(sets.GREATER)",
             'LESS, GREATER = "<", ">"')],
    "F27": [("fence", "    if not KEYWORD.search(read):\n", "    if not KEYWORD.search(text):\n")],
    "F28": [("fence", "[*hardened_places(text), *edge_places(text)]", "hardened_places(text)")],
    "F29": [("fence", "    if not TOKEN.search(folded):\n", "    if True:\n")],
    "F30": [("fence", 'BREAK.sub(" ", label)', "label")],
    "F31": [("fence", 'if mode == "data" and (always or needs(value)):', "if False:")],
    "F32": [("fence", "    return result + template[at:]\n",
             "    result += template[at:]\n"
             "    return result if result == template else render(result, state, mode, profile)\n")],
    "F33": [("fence", "groups(sets.FENCE_IGNORABLE, LESS, GREATER)", "groups(sets.STRIP_REFERENCE, LESS, GREATER)")],
    "N1": [("fence", '[0-9.]+|true|false")', '[0-9.]+|(?i:true|false|null|yes|no)")')],
    "N2": [("fence", '"[+-]?[0-9.]+|', '"[+-]|[+-]?[0-9.]+|')],
    "N3": [("fence", '"[+-]?[0-9.]+|', 'r"[+-]?[\\d.]+|')],
    "N4": [("fence", '"[+-]?[0-9.]+|', '"[+-]?[0-9.][0-9a-fA-FxX.+-]*|')],
    "N5": [("fence", "BARE.fullmatch(text)", "BARE.fullmatch(text.strip())")],
    "F34": [("fence", '                value += "\\n"\n', "                pass\n")],
    "F35": [("fence", "(behind[x.start()] for x in KEYWORD.finditer(read))",
             "(behind[x.start()] for x in [KEYWORD.search(read)])")],
    "F36": [("fence", "        if not QUOTATION.fullmatch(group[0]):\n",
             "        if True:\n")],
    # --- moderator ---
    "M01": [("moderate", VIEWS, VIEWS.replace("views(text, delivered,", "views(text[:LIMIT], delivered[:LIMIT],"))],
    "M02": [("moderate", VIEWS, "    for view in {text}:\n")],
    "M03": [("moderate", "    keep = settings.profile",
             "    if text.startswith(PREFIX):\n        return text, False, set(), False\n    keep = settings.profile")],
    "M04": [("moderate", "strip_output = sets.deleter(sets.STRIP_OUTPUT, sets.TAGS)",
             'strip_output = sets.deleter(sets.STRIP_OUTPUT, sets.TAGS, ["200C-200D"])'),
            ("moderate", "strip_output_keep_tags = sets.deleter(sets.STRIP_OUTPUT)",
             'strip_output_keep_tags = sets.deleter(sets.STRIP_OUTPUT, ["200C-200D"])')],
    "M05": [("moderate", 'r"(?a:\\b)")', '"")')],
    "M06": [("moderate", "if pattern.search(view)}",
             'if pattern.search(view)} | \\\n        ({"zh-role"} if "\\u4f60\\u73b0\\u5728\\u662f" in view else set())')],
    "M07": [("moderate", 're.compile(row["pattern"]', 're.compile(row["pattern"].replace("{0,12}?", "*?").replace("{0,40}?", "*?")')],
    "M08": [("moderate", 'r"(?a:\\b)"))', 'r"(?a:\\b)"),\n                                    re.I if row["group"] == "token" else 0)')],
    "M09": [("moderate", '            report.note(str(path), "too_deep")\n',
             '            copy.replace(event.start, event.end if event.kind == "string" else next(\n'
             '                e.end for e in events if e.end > event.start and e.kind in "]}" and\n'
             '                e.depth == event.depth), "null")\n'),
            ("moderate", '        report.note(where(), "too_deep")\n        return value\n', "        return None\n")],
    "M10": [("moderate", "        return [walk(item, n) for n, item in enumerate(value)]\n",
             "        value[:] = [walk(item, n) for n, item in enumerate(value)]\n        return value\n"),
            ("moderate", "        return {name: walk(item, name_of(name)) for name, item in value.items()}\n",
             "        value.update({name: walk(item, name_of(name)) for name, item in value.items()})\n"
             "        return value\n")],
    "M11": [("moderate", "        return {name: walk(item, name_of(name)) for name, item in value.items()}\n",
             "        return {moderate_text(name, settings)[0]: walk(item, name_of(name))\n"
             "                for name, item in value.items()}\n"),
            ("moderate", '        elif event.kind == "string" and inside < DEPTH:\n',
             '        elif event.kind in ("name", "string") and inside < DEPTH:\n')],
    "M12": [("moderate", 'event.kind == "string" and inside < DEPTH:', 'event.kind == "string" and inside < 1:'),
            ("moderate", "    if isinstance(value, list):\n", "    if isinstance(value, (list, dict)):\n        return value\n"
             "    if isinstance(value, list):\n")],
    "M13": [("moderate", "        delivered = PREFIX + delivered\n", "        delivered = PREFIX\n")],
    **{f"M{n}": misses(name) for n, name in enumerate((
        "zh-override-1", "zh-override-2", "zh-override-3", "en-override-1", "en-override-2",
        "en-override-3", "zh-role", "en-role", "zh-system-1", "zh-system-2", "en-system",
        "token-inst", "token-sys", "token-turn"), 14)},
    "M28": [("moderate", "truncated = len(delivered) > LIMIT", "truncated = len(delivered) - 8 * flagged > LIMIT"),
            ("moderate", "delivered[:LIMIT] + SUFFIX", "delivered[:LIMIT + 8 * flagged] + SUFFIX")],
    "M29": [("moderate", "strip_output = sets.deleter(sets.STRIP_OUTPUT, sets.TAGS)",
             "strip_output = sets.deleter(sets.STRIP_OUTPUT)")],
    "M30": [("moderate", '    plain = {HIDDEN.sub("", text), HIDDEN.sub(" ", text), seen(text)}\n',
             '    plain = {HIDDEN.sub(" ", text), text}\n')],
    "M31": [("moderate", ', HIDDEN.sub(" ", text), seen(text)}', "}")],
    "M32": [("moderate", "    plain |= {view.translate(FOLDING) for view in plain if not view.isascii()}\n", "")],
    "M33": [("moderate", "DEPTH = 8", "DEPTH = 9")],
    "M34": [("moderate", ', HIDDEN.sub(" ", text), seen(text)}', ', HIDDEN.sub(" ", text)}')],
    "M35": [("moderate", "strip_output = sets.deleter(sets.STRIP_OUTPUT, sets.TAGS)",
             'strip_output = sets.deleter(sets.STRIP_OUTPUT, sets.TAGS, ["0009"])'),
            ("moderate", "strip_output_keep_tags = sets.deleter(sets.STRIP_OUTPUT)",
             'strip_output_keep_tags = sets.deleter(sets.STRIP_OUTPUT, ["0009"])')],
    "M36": [("moderate", '        elif event.kind == "string" and inside < DEPTH:\n',
             '        elif event.kind in ("name", "string") and inside < DEPTH:\n')],
    "M37": [("moderate", '        report.note(str(path()), "truncated")\n', "        pass\n")],
    # --- intents ---
    "I01": [("intent", '    return name.encode("utf-16-be", "surrogatepass")\n', "    return name\n")],
    "I02": [("intent", '    return name.encode("utf-16-be", "surrogatepass")\n',
             '    return name.encode("utf-8", "surrogatepass")\n')],
    "I03": [("intent", '    return name.encode("utf-16-be", "surrogatepass")\n',
             '    return name.casefold().encode("utf-16-be", "surrogatepass")\n')],
    "I04": [("intent", '        return "0"\n', '        return "-0" if number.startswith("-") else "0"\n')],
    "I05": [("intent", "len(digits) <= point <= 21", "len(digits) <= point <= 22")],
    "I06": [("documents", """re.compile(r'["\\\\\\x00-\\x1f]')""", """re.compile(r'["\\\\\\x00-\\x1f\\u2028\\u2029\\x7f]')""")],
    "I07": [("intent", "in enumerate(sorted(value, key=order)):",
             "in enumerate(sorted((k for k in value if value[k] is not None), key=order)):")],
    "I08": [("intent", "documents.quote(text))", '__import__("unicodedata").normalize("NFC", documents.quote(text)))')],
    "I09": [("intent", "in enumerate(sorted(value, key=order)):",
             "in enumerate(value if out else sorted(value, key=order)):")],
    "I10": [("intent", 'if canon == "rfc8785" else', 'if canon != "rfc8785" else')],
    "I11": [("intent", "documents.find_duplicate(events, lambda name: name) or \\\n                any(", "any(")],
    "I12": [("intent", 'lambda c: f"\\\\u{ord(c[0]):04x}", documents', '"\\ufffd", documents'),
            ("intent", "any(event.text and texts.LONE.search(event.text) for event in events)", "False")],
    "I13": [("intent", '    if binding == "a":\n        return bound', '    if binding == "b":\n        return bound')],
    "I14": [("intent", '        {"parameters": any_object}\n', '        {"parameters": lambda value: {\n'
             '            k: type(v)(v.strip()) if isinstance(v, str) else v for k, v in any_object(value).items()}}\n')],
    "I15": [("intent", "value.keys() - required.keys() - optional.keys() \\\n                    or ", ""),
            ("intent", "(value[name]) for name in value}", "(value[name])\n                    for name in value if name in required or name in optional}")],
    "I16": [("intent", 'UNSAFE = {"__proto__", "constructor", "prototype"}', "UNSAFE = set()")],
    "I17": [("intent", "depth > settings.depth and", "depth > settings.depth + 1 and"),
            ("intent", "len(value) > settings.array", "len(value) > settings.array + 1"),
            ("intent", "entries > settings.entries", "entries > settings.entries + 1"),
            ("intent", "length > settings.bytes", "length > settings.bytes + 1")],
    "I18": [("intent", '    if envelope["canonical"] != text or', '    return intent, digest\n    if envelope["canonical"] != text or')],
    "I19": [("intent", "value.keys() - required.keys() - optional.keys() \\\n                    or ",
             'value.keys() - required.keys() - optional.keys() - {"authorized"} \\\n'
             "                    or "),
            ("intent", "(value[name]) for name in value}", "(value[name])\n                    for name in value if name in required or name in optional}")],
    # --- grants ---
    "G01": [("adapter", '"store.claim", "threads"', '"store.get-put", "threads"'),
            ("adapter", '''        return line.ask("store.claim", {"key": form_of(grant_id), "expires_s": expires_s,
                                        "now_ms": now_ms})["claimed"] is True
''', '''        if line.ask("store.get", {"key": form_of(grant_id)})["present"]:
            return False
        line.ask("store.put", {"key": form_of(grant_id), "expires_s": expires_s})
        return True
''')],
    "G02": [("grant", REGISTRY + VERIFY, VERIFY + '        with stage("claim"):\n' + CLAIM + REGISTRY),
            ("grant", CLAIM + "            during_claim()\n", "            during_claim()\n")],
    "G03": [("grant", 'if decision.get("intentHash") != claimed_hash(envelope):', "if False:"),
            ("grant", '    same(claims["binding"]["intent_hash"], digest)\n', ""),
            ("grant", '            evidence["intentHash"] == digest and\n', "")],
    "G04": [("grant", "now_ms < exp * 1000 <= intent", "now_ms and exp * 1000 <= intent"),
            ("grant", "now_ms < expires <= intent", "expires <= intent"),
            ("grant", "expires_s * 1000 <= self.latest:", "False:")],
    "G05": [("grant", "now_ms < exp * 1000 <= intent", "now_ms <= exp * 1000 <= intent"),
            ("grant", "now_ms < expires <= intent", "now_ms <= expires <= intent"),
            ("grant", "expires_s * 1000 <= self.latest:", "expires_s * 1000 < self.latest:")],
    "G06": [("grant", "self.latest = max(self.latest, now_ms)", "self.latest = now_ms"),
            ("grant", "        if len(self.claims) < self.capacity:\n            return\n", ""),
            ("grant", "(expires_s + self.margin_s) * 1000 <= self.latest", "expires_s * 1000 <= self.latest")],
    "G07": [("grant", "            if grant_id in self.claims or", '            mine = f"{threading.get_ident()} {grant_id}"\n'
             "            if mine in self.claims or"),
            ("grant", TAKE, "            self.claims[mine] = expires_s\n")],
    "G08": [("grant", '            action.run(subject["parameters"])\n', "            pass\n")],
    "G09": [("grant", '            action.run(subject["parameters"])\n',
             '            action.run(subject["parameters"])\n            action.run(subject["parameters"])\n')],
    "G10": [("grant", "        except Exception:  # what it said is nobody's business (X3.3)\n",
             "        except Exception:\n            self.ledger.claims.pop(evidence[\"grantId\"], None)\n")],
    "G11": [("grant", "        with self.lock:\n            self.latest = max", '        with self.lock:\n'
             '            self.tries = getattr(self, "tries", []) + [grant_id]\n'
             "        time.sleep(0.02)\n        with self.lock:\n            if self.tries.count(grant_id) > 1:\n"
             "                return False\n            self.latest = max")],
    "G12": [("grant", "            if self.open(envelope)[1] != digest:\n", "            if False:\n")],
    "G13": [("grant", "if grant_id in self.claims or", "if self.claims or")],
    "G14": [("grant", 'if not self.ledger.claim(evidence["grantId"], expires_s, now_ms):\n            raise invalid()\n',
             'try:\n            claimed = self.ledger.claim(evidence["grantId"], expires_s, now_ms)\n'
             "        except StoreDown:\n            claimed = True\n        if not claimed:\n            raise invalid()\n")],
    "G15": [("grant", "        if not agrees(evidence, decision, subject, digest, now_ms):\n", "        if False:\n")],
    "G16": [("grant", "if public is None or not ed25519.verify(public, signed, signature):", "if public is None:")],
    "G17": [("ed25519", "    if point is None or encode(double(double(double(point)))) == encode(NEUTRAL):\n",
             "    if point is None:\n")],
    "G18": [("grant", 'if decision.get("verdict") != "ALLOW" or', "if")],
    "G19": [("grant", '        if not isinstance(decision.get("authorization"), dict):\n',
             '        decision["authorization"] = decision.get("authorization") or {}\n'
             '        if not isinstance(decision.get("authorization"), dict):\n')],
    "G20": [("grant", "        return intent.open_envelope(envelope[0], self.binding, self.settings)\n",
             "        opened = intent.parse(envelope[0], self.settings)\n"
             '        return opened["intent"], opened["hash"]\n')],
    "G21": [("grant", REGISTRY + VERIFY, VERIFY + REGISTRY)],
    "G22": [("grant", "        if not self.sealed:\n", "        if False:\n"),
            ("grant", "        if self.sealed:\n", "        if False:\n")],
    "G23": [("grant", "        return not parameters.keys() - self.table.keys() and all(\n", "        return True or all(\n")],
    "G24": [("grant", "            if grant_id in self.claims or len(self.claims) >= self.capacity:\n",
             "            if len(self.claims) >= self.capacity:\n                del self.claims[next(iter(self.claims))]\n"
             "            if grant_id in self.claims:\n")],
    "G25": [("durable", "            self.child.wait()\n",
             '            self.child.wait()\n            os.unlink(f"{self.directory.name}/claims")\n')],
    "G26": [("grant", '        if environment == "production" or not allowed:\n', "        if False:\n")],
    "G27": [("grant", "        if self.sealed:\n", "        if False:\n")],
    "G28": [("grant", "        if not self.sealed:\n", "        if False:\n")],
    "G29": [("grant", '    same(claims["aud"], audience(subject))\n', "")],
    "G30": [("grant", 'if not 1 <= len(grant_id.encode("utf-8", "surrogatepass")) <= ID_MAX or \\\n'
             "                    expires_s", "if expires_s")],
}
# empty.py: a race that is none over a ledger that is none
MUTANTS_EMPTY = {"Z13": [*MUTANTS["G01"], (
    "adapter", """        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"results": self.results, "overlap": self.overlap, "threads": len(threads)}
""", """        for thread in threads:
            thread.start()
            thread.join()
        times = {"t0": min(r["t0"] for r in self.results), "t1": max(r["t1"] for r in self.results)}
        return {"results": [r | times for r in self.results], "overlap": len(threads),
                "threads": len(threads)}
"""), ("adapter", "        self.start.wait()\n", "")]}


def planted(module, source, bugs):
    for where, old, new in bugs:
        if where == module and source.count(old) != 1:
            raise SystemExit(f"mutants.py: {old!r} is {source.count(old)} times in {module}.py")
        if where == module:
            source = source.replace(old, new)
    return source


class Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name, path, bugs):
        super().__init__(name, path)
        self.bugs = bugs

    def get_code(self, fullname):
        source = pathlib.Path(self.path).read_text("utf-8")
        source = planted(fullname.rpartition(".")[2], source, self.bugs)
        return compile(source, self.path, "exec")


class Finder(importlib.abc.MetaPathFinder):
    def __init__(self, bugs):
        self.files = {where: str(HERE / ("adapter.py" if where == "adapter" else f"guard/{where}.py"))
                      for where, _, _ in bugs}
        self.bugs = bugs

    def find_spec(self, fullname, path=None, target=None):
        module = fullname.rpartition(".")[2]
        if fullname != "adapter" and not fullname.startswith("guard.") or module not in self.files:
            return None
        loader = Loader(fullname, self.files[module], self.bugs)
        return importlib.util.spec_from_file_location(fullname, self.files[module], loader=loader)


def run(mutant):
    sys.meta_path.insert(0, Finder((MUTANTS | MUTANTS_EMPTY)[mutant]))
    import adapter  # pylint: disable=import-outside-toplevel
    return adapter.main()


if __name__ == "__main__":
    for mutant_id, mutant_bugs in (MUTANTS | MUTANTS_EMPTY).items():
        for file in {bug[0] for bug in mutant_bugs}:
            path = HERE / ("adapter.py" if file == "adapter" else f"guard/{file}.py")
            compile(planted(file, path.read_text("utf-8"), mutant_bugs), mutant_id, "exec")
