"""Holds the reader of what `tersely compress` makes of JSON to the vectors that every implementation shares."""

import json
import time
import unittest
from pathlib import Path

import tersely
from tersely import DecodeError

VECTORS = json.loads((Path(__file__).parents[3] / "spec/vectors/layout.json").read_text(encoding="utf-8"))


class Vectors(unittest.TestCase):
    def test_accepted_text_reads_as_its_json(self):
        self.assertTrue(VECTORS["accept"])
        for vector in VECTORS["accept"]:
            with self.subTest(vector["name"]):
                for end in ("", "\n"):
                    self.assertEqual(tersely.to_json(vector["text"] + end), vector["json"])
                    self.assertEqual(tersely.decode(vector["text"] + end), json.loads(vector["json"]))

    def test_what_only_the_program_reads_says_so(self):
        for vector in VECTORS["program_only"]:
            with self.subTest(vector["name"]), self.assertRaisesRegex(DecodeError, "tersely decode"):
                tersely.decode(vector["text"])

    def test_rejected_text_is_rejected(self):
        for vector in VECTORS["reject"]:
            with self.subTest(vector["name"]), self.assertRaises(DecodeError):
                tersely.decode(vector["text"])


class Faults(unittest.TestCase):
    def test_faults_say_where_and_what(self):
        for text, message in [
            (
                "src/a.rs:\n 1: x\n[layout1 search: by: file]",
                "line 3, column 10: expected json or json lines (the program reads every other: tersely decode), found 'search'",
            ),
            ("a: 1\n[layout1 json lines]", "line 1, column 1: expected a list of documents, found 'a: 1'"),
        ]:
            with self.subTest(text), self.assertRaises(DecodeError) as caught:
                tersely.decode(text)
            self.assertEqual(str(caught.exception), message)

    def test_a_named_form_has_no_such_line(self):
        with self.assertRaises(DecodeError):
            tersely.decode(VECTORS["accept"][0]["text"], form="terse")

    def test_hostile_input_fails_fast(self):
        began = time.monotonic()
        for text in ["\n[layout1 " * 100_000 + "]", "x\n[layout1 " + ": " * 100_000 + "]", "\n" * 1_000_000 + "[layout1 json]"]:
            with self.subTest(text[:40]), self.assertRaises(DecodeError):
                tersely.decode(text)
        self.assertLess(time.monotonic() - began, 10)


if __name__ == "__main__":
    unittest.main()
