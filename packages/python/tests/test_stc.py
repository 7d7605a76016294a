"""Holds the STC reader to the vectors that every implementation shares, and to hostile input."""

import json
import pickle
import sys
import unittest
from pathlib import Path

import tersely
from tersely import DecodeError, stc

VECTORS = json.loads((Path(__file__).parents[3] / "spec/vectors/stc.json").read_text(encoding="utf-8"))


class Vectors(unittest.TestCase):
    def check(self, section, text):
        self.assertTrue(VECTORS[section])
        for vector in VECTORS[section]:
            with self.subTest(vector["name"]):
                self.assertEqual(tersely.to_json(text(vector)), vector["json"])
                self.assertEqual(tersely.decode(text(vector)), json.loads(vector["json"]))

    def test_accepted_text_reads_as_its_json(self):
        self.check("accept", lambda vector: vector["stc"])

    def test_other_spellings_read_the_same(self):
        self.check("decode_only", lambda vector: vector["stc"])

    def test_tight_text_reads_the_same(self):
        self.check("tight", lambda vector: vector["stc"])

    def test_json_reads_as_itself(self):
        for section in ("accept", "decode_only", "tight"):
            self.check(section, lambda vector: vector["json"])

    def test_rejected_text_is_rejected(self):
        for vector in VECTORS["reject"]:
            with self.subTest(vector["name"]), self.assertRaises(DecodeError):
                tersely.decode(vector["stc"])


class Values(unittest.TestCase):
    def test_values_are_ordinary(self):
        value = tersely.decode(
            '{i: 12345678901234567890123, f: 1.50, e: 1E2, n: null, b[2]: true,false, "é": "\\u00e9\\/"}'
        )
        self.assertEqual(
            value,
            {"i": 12345678901234567890123, "f": 1.5, "e": 100.0, "n": None, "b": [True, False], "é": "é/"},
        )
        self.assertEqual(
            [type(member) for member in value.values()], [int, float, float, type(None), list, str]
        )

    def test_the_last_of_equal_keys_counts(self):
        self.assertEqual(list(tersely.decode("{a: 1, b: 2, a: {c: 3}}").items()), [("a", {"c": 3}), ("b", 2)])

    def test_strings_have_one_spelling(self):
        self.assertEqual(
            tersely.to_json(r'"\u00E9\/\u000A\u001F\ud83d\ude00\uD83D\u007f"'), '"é/\\n\\u001f😀\\ud83d\x7f"'
        )
        self.assertEqual(
            tersely.to_json(r'"\ud83d\ud83d\ude00\ude00\b\f\r\t\"\\"'), r'"\ud83d😀\ude00\b\f\r\t\"\\"'
        )
        self.assertEqual(tersely.decode(r'"\ud83d\ude00"'), "😀")
        self.assertEqual(tersely.decode(r'"\ufeff\ud83d"'), "\ufeff\ud83d")

    def test_a_form_can_be_named(self):
        self.assertEqual(tersely.decode("[1]: 2", form="stc"), [2])
        self.assertEqual(stc.decode("[1]: 2"), [2])
        self.assertEqual(stc.to_json("[1]: 2.0"), "[2.0]")
        with self.assertRaisesRegex(ValueError, "unknown form 'xml'"):
            tersely.decode("[1]: 2", form="xml")


class Faults(unittest.TestCase):
    def test_faults_say_where_and_what(self):
        for text, message in [
            ("", "line 1, column 1: expected a value, found the end"),
            ("[2]: 1", "line 1, column 7: expected ',' and value 2 of 2, found the end"),
            ("[2]: 1,2,3", "line 1, column 9: expected the end of the document, found ','"),
            ("[2]{a}:\n1 ,", "line 2, column 3: expected '/' and row 2 of 2, found ','"),
            ("[0]: ", "line 1, column 2: expected a count from 1 to 999999999, found '0'"),
            (
                '[1]{a, "\\u0061"}: 1,2',
                "line 1, column 8: expected a column that is not there yet, found '\"'",
            ),
            ("{a[1]: [1]}", "line 1, column 8: expected a string, a number, true, false or null, found '['"),
            ("{a: 01}", "line 1, column 5: expected a number, found '0'"),
            ("{a: 1.}", "line 1, column 5: expected a number, found '1'"),
            ('"a\nb"', "line 1, column 3: expected the closing quote of a string, found the end of the line"),
            ('"😀\\x"', "line 1, column 3: expected an escape that JSON knows, found '\\\\'"),
            ("\ufeff1", "line 1, column 1: expected a value, found '\\u{feff}'"),
        ]:
            with self.subTest(text), self.assertRaises(DecodeError) as caught:
                tersely.decode(text)
            self.assertEqual(str(caught.exception), message)

    def test_a_fault_has_parts(self):
        with self.assertRaises(DecodeError) as caught:
            tersely.decode("[1,\n é]")
        fault = caught.exception
        self.assertEqual((fault.line, fault.column, fault.expected, fault.found), (2, 2, "a value", "'é'"))
        self.assertEqual(str(pickle.loads(pickle.dumps(fault))), str(fault))


class Hostile(unittest.TestCase):
    def test_depth_is_bounded(self):
        for inner, most in [("", 128), ("{a: 1}", 127), ("{a[1]: 1}", 126), ("{a[1]{b}: 1}", 125)]:
            tersely.decode("[" * most + inner + "]" * most)
            with self.subTest(inner), self.assertRaisesRegex(DecodeError, "at most 128 levels"):
                tersely.decode("[" * (most + 1) + inner + "]" * (most + 1))

    def test_depth_takes_no_stack(self):
        text = "[" * 128 + "]" * 128
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(len(_frames()) + 40)
        try:
            self.assertEqual(tersely.to_json(text), text)
            tersely.decode(text)
        finally:
            sys.setrecursionlimit(limit)

    def test_hostile_input_fails_fast(self):
        for text in [
            "{a[999999999]: 1}",
            "[999999999]{a,b}: 1,2",
            "[" * 10_000_000,
            "{a:" * 1_000_000,
            "[" + "1" * 10_000_000,
            "[" + " " * 10_000_000,
            '"' + "\\" * 999_999,
            "[1]{" + ",".join(f"c{column}" for column in range(100_000)),
        ]:
            with self.subTest(text[:20]), self.assertRaises(DecodeError):
                tersely.decode(text)


def _frames():
    frames, frame = [], sys._getframe()
    while frame:
        frames.append(frame)
        frame = frame.f_back
    return frames


if __name__ == "__main__":
    unittest.main()
