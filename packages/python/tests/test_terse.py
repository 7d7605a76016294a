"""Holds the terse reader to the vectors that every implementation shares, and to hostile input."""

import json
import sys
import unittest
from pathlib import Path

import tersely
from tersely import DecodeError, terse

VECTORS = json.loads((Path(__file__).parents[3] / "spec/vectors/terse.json").read_text(encoding="utf-8"))


class Vectors(unittest.TestCase):
    def check(self, section, member):
        self.assertTrue(VECTORS[section])
        for vector in VECTORS[section]:
            with self.subTest(vector["name"]):
                self.assertEqual(tersely.to_json(vector[member], form="terse"), vector["json"])
                self.assertEqual(terse.decode(vector[member]), json.loads(vector["json"]))

    def test_accepted_text_reads_as_its_json(self):
        self.check("accept", "terse")

    def test_other_spellings_read_the_same(self):
        self.check("decode_only", "terse")

    def test_compact_json_reads_as_itself(self):
        for section in ("accept", "decode_only"):
            self.check(section, "json")

    def test_rejected_text_is_rejected(self):
        for vector in VECTORS["reject"]:
            with self.subTest(vector["name"]), self.assertRaises(DecodeError):
                terse.decode(vector["terse"])

    def test_the_form_need_not_be_named(self):
        for section in ("accept", "decode_only"):
            for vector in VECTORS[section]:
                with self.subTest(vector["name"]):
                    self.assertEqual(tersely.to_json(vector["terse"]), vector["json"])


class Values(unittest.TestCase):
    def test_values_are_ordinary(self):
        text = "2 rows\nevery row: kind=x\nurl = /{id}\nid,user{name},tags\n1,a b,[1.50,null]\n2,é"
        self.assertEqual(
            tersely.decode(text),
            [
                {"kind": "x", "id": 1, "user": {"name": "a b"}, "tags": [1.5, None], "url": "/1"},
                {"kind": "x", "id": 2, "user": {"name": "é"}, "url": "/2"},
            ],
        )

    def test_records_share_nothing(self):
        text = "2 records\nfields: a,b\nunless given: b={c:[]}\n{a:1}\n{a:2}"
        one, other = tersely.decode(text)
        one["b"]["c"].append(1)
        self.assertEqual(other, {"a": 2, "b": {"c": []}})

    def test_a_form_can_be_named(self):
        self.assertEqual(tersely.decode("a: 1", form="terse"), {"a": 1})
        self.assertEqual(terse.to_json("1 rows\na\n1.0"), '[{"a":1.0}]')
        with self.assertRaises(DecodeError):
            tersely.decode("a: 1", form="stc")


class Faults(unittest.TestCase):
    def test_faults_say_where_and_what(self):
        for text, message in [
            ("", "line 1, column 1: expected a value, found the end"),
            ("2 rows\na\n1", "line 3, column 2: expected 1 more rows, found the end"),
            ("1 rows\na\n1,2", "line 3, column 2: expected the end of the row, found ','"),
            ("1 rows\na,b\n😀,", "line 3, column 3: expected a cell, found the end"),
            ("a:\n  b: 1", "line 2, column 1: expected members one space further in, found ' '"),
            (
                "1 rows\nevery row: a=1\na\n2",
                "line 4, column 2: expected records that fit the lines above them, found the end",
            ),
            ("2 items\nitem 1: a\nitem 3: b", "line 3, column 1: expected item 2, found 'i'"),
            ("{a:[x y,z(]}", "line 1, column 10: expected ',' or ']', found '('"),
            (
                "1 rows\nfields: a,a\na\n1",
                "line 2, column 12: expected each field once, found the end of the line",
            ),
        ]:
            with self.subTest(text), self.assertRaises(DecodeError) as caught:
                tersely.decode(text, form="terse")
            self.assertEqual(str(caught.exception), message)


class Hostile(unittest.TestCase):
    def test_depth_takes_no_stack(self):
        blocks = "".join(" " * depth + "a:\n" for depth in range(126)) + " " * 126 + "a: 1"
        texts = [
            "[" * 128 + "]" * 128,
            blocks,
            "1 rows\n" + "a{" * 126 + "a" + "}" * 126 + "\n1",
            "1 rows\n" + "a[" * 63 + "a" + "]" * 63 + "\n" + "[(" * 63 + "1" + ")]" * 63,
            "1 records\nevery record: " + "a." * 126 + "a=1\n{}",
            "1 records\nunless given: a=" + "{a:" * 125 + "1" + "}" * 125 + "\nfields: a\n{}",
        ]
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(len(_frames()) + 40)
        try:
            for text in texts:
                terse.decode(text)
                terse.to_json(text)
        finally:
            sys.setrecursionlimit(limit)

    def test_hostile_input_fails_fast(self):
        for text in [
            "999999999 rows\na\n1",
            "999999999 items\nitem 1: 1",
            "[" * 10_000_000,
            "{a:" * 1_000_000,
            "a:\n" * 1_000_000,
            "".join(" " * depth + "a:\n" for depth in range(1000)),
            "1 rows\n" + "a{" * 1_000_000,
            "1 items\nitem 1: " * 1_000_000,
            "1 rows\na" + ",a" * 100_000 + "\n" + "," * 100_000,
            "1 records\nfields of a" + ".a" * 100_000 + ": b\n{}",
            "1 records\nevery record: a" + ".a" * 100_000 + "=1\n{}",
            "1 records\nevery record: " + ", ".join(f"a{field}.b=1" for field in range(100_000)),
            "1 rows\nb = " + "{" * 1_000_000 + "\na\n1,",
            "2000 records\nevery record: a=" + "x" * 2000 + "\n{}" * 2000,
            "2000 records\na = " + "{b}" * 5000 + "\n{b:x}" * 2000,
        ]:
            with self.subTest(text[:40]), self.assertRaises(DecodeError):
                terse.decode(text)


def _frames():
    frames, frame = [], sys._getframe()
    while frame:
        frames.append(frame)
        frame = frame.f_back
    return frames


if __name__ == "__main__":
    unittest.main()
