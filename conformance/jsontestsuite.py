"""JSONTestSuite, every file of it, through the payload sanitizer.

    jsontestsuite.py PATH_TO_PROBE

Nicolas Seriot's collection: y_ must be accepted, n_ refused, i_ is up to the
implementation. What is up to us is decided below, file by file; a file about
which nothing is decided is a failure. Both profiles, and where a document is
refused also where."""
import model
from harness import SHARED, Tap, probe_from_arguments, readable

FOLDER = SHARED / "vectors" / "jsontestsuite" / "test_parsing"

# RFC 8259 only says that names SHOULD be unique; S6 refuses, because one reader
# would take the first and the next reader the last.
DUPLICATES = {"y_object_duplicated_key.json",
              "y_object_duplicated_key_and_value.json"}

NUMBER = "accept: a number stays text and is never converted"
LONE = "accept: a surrogate escape without partner becomes U+FFFD"
NAME = "accept: hardened writes U+FFFD, the reference leaves names alone"
BYTES = "E_ENCODING: ill-formed UTF-8 in a document is refused, not repaired"
UTF16 = "E_SYNTAX: only UTF-8 is read (RFC 8259 8.1)"
BOM = "E_SYNTAX: no byte order mark (RFC 8259 8.1 allows either)"
DEEP = "accept: nesting is not limited, but nothing below level 16 is kept"

UP_TO_US = {
    "i_number_double_huge_neg_exp.json": NUMBER,
    "i_number_huge_exp.json": NUMBER,
    "i_number_neg_int_huge_exp.json": NUMBER,
    "i_number_pos_double_huge_exp.json": NUMBER,
    "i_number_real_neg_overflow.json": NUMBER,
    "i_number_real_pos_overflow.json": NUMBER,
    "i_number_real_underflow.json": NUMBER,
    "i_number_too_big_neg_int.json": NUMBER,
    "i_number_too_big_pos_int.json": NUMBER,
    "i_number_very_big_negative_int.json": NUMBER,
    "i_object_key_lone_2nd_surrogate.json": NAME,
    "i_string_1st_surrogate_but_2nd_missing.json": LONE,
    "i_string_1st_valid_surrogate_2nd_invalid.json": LONE,
    "i_string_incomplete_surrogate_and_escape_valid.json": LONE,
    "i_string_incomplete_surrogate_pair.json": LONE,
    "i_string_incomplete_surrogates_escape_valid.json": LONE,
    "i_string_invalid_lonely_surrogate.json": LONE,
    "i_string_invalid_surrogate.json": LONE,
    "i_string_inverted_surrogates_U+1D11E.json": LONE,
    "i_string_lone_second_surrogate.json": LONE,
    "i_string_UTF-8_invalid_sequence.json": BYTES,
    "i_string_UTF8_surrogate_U+D800.json": BYTES,
    "i_string_invalid_utf-8.json": BYTES,
    "i_string_iso_latin_1.json": BYTES,
    "i_string_lone_utf8_continuation_byte.json": BYTES,
    "i_string_not_in_unicode_range.json": BYTES,
    "i_string_overlong_sequence_2_bytes.json": BYTES,
    "i_string_overlong_sequence_6_bytes.json": BYTES,
    "i_string_overlong_sequence_6_bytes_null.json": BYTES,
    "i_string_truncated-utf-8.json": BYTES,
    "i_string_UTF-16LE_with_BOM.json": UTF16,
    "i_string_utf16BE_no_BOM.json": UTF16,
    "i_string_utf16LE_no_BOM.json": UTF16,
    "i_structure_UTF-8_BOM_empty_object.json": BOM,
    "i_structure_500_nested_arrays.json": DEEP,
}


def decision(name):
    """What we promise about a file, or None."""
    if name in DUPLICATES:
        return "E_DUPLICATE: the same name twice in one object"
    if name.startswith("y_"):
        return "accept"
    if name.startswith("n_"):
        return "refuse"
    return UP_TO_US.get(name)


def keeps(decided, answer):
    status = answer.split(" ")[0]
    if decided.startswith("accept"):
        return status == "OK"
    if decided == "refuse":
        return status in ("E_SYNTAX", "E_ENCODING")
    return status == decided.partition(":")[0]


def replaced(answer):
    return int(answer.split(" ")[3]) if answer.startswith("OK") else 0


def one_file(tap, path, requests, answers):
    decided = decision(path.name)
    if decided is None:
        tap.ok(False, path.name, "nobody decided about this file")
        return
    broken = [f"{readable(r)} got {readable(a)}"
              for r, a in zip(requests, answers)
              if not keeps(decided, a) or not model.agrees(a, model.answer(r))
              or (decided == LONE and replaced(a) < 1)]
    tap.ok(not broken, f"{path.name}: {decided}", *broken)


def main():
    tap, probe = Tap(), probe_from_arguments()
    if not FOLDER.is_dir():
        tap.skip("JSONTestSuite", f"{FOLDER} is not there")
        tap.done()
    files = sorted(FOLDER.iterdir())
    requests = [[f"payload {profile} codepoint webhook 16"
                 f" {model.to_hex(path.read_bytes())}" for profile in model.STRIP]
                for path in files]
    answers = probe.ask(r for pair in requests for r in pair)
    for i, path in enumerate(files):
        one_file(tap, path, requests[i], answers[2 * i:2 * i + 2])
    seen = {path.name for path in files}
    missing = (set(UP_TO_US) | DUPLICATES) - seen
    tap.ok(not missing, "every file that is decided about is there", missing)
    tap.ok(len(files) >= 318, "the suite is complete: 318 files", len(files))
    tap.done()


if __name__ == "__main__":
    main()
