"""Holds the readers of what `tersely compress` writes to the vectors that every implementation shares."""

import json
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

import tersely
from tersely import DecodeError, core

FOLDER = Path(__file__).parents[3] / "spec/vectors"
LAYOUT = json.loads((FOLDER / "layout.json").read_text(encoding="utf-8"))
GENERAL = json.loads((FOLDER / "general.json").read_text(encoding="utf-8"))
HEAD = "[Shorter notation.]\n"
END = "\n[layout1 general]"


def setUpModule():
    """What is read here is read in Python: without the native part, and without the program."""
    patch = mock.patch.object(core, "_find", side_effect=core.Unavailable("none"))
    patch.start()
    unittest.addModuleCleanup(patch.stop)


class Vectors(unittest.TestCase):
    def test_accepted_text_comes_back(self):
        self.assertTrue(LAYOUT["accept"] and GENERAL["accept"])
        for vector in LAYOUT["accept"] + GENERAL["accept"]:
            with self.subTest(vector["name"]):
                self.assertEqual(tersely.restore(vector["text"]), vector["original"])

    def test_accepted_text_reads_as_its_json(self):
        for vector in LAYOUT["accept"]:
            with self.subTest(vector["name"]):
                for end in ("", "\n"):
                    self.assertEqual(tersely.to_json(vector["text"] + end), vector["json"])
                    self.assertEqual(tersely.decode(vector["text"] + end), json.loads(vector["json"]))

    def test_what_only_the_program_reads_says_so(self):
        for vector in LAYOUT["program_only"]:
            for read in (tersely.decode, tersely.restore):
                with self.subTest(vector["name"]), self.assertRaisesRegex(DecodeError, "tersely decode"):
                    read(vector["text"])

    def test_rejected_text_is_rejected(self):
        for vector in LAYOUT["reject"] + GENERAL["reject"]:
            for read in (tersely.decode, tersely.restore):
                with self.subTest(vector["name"]), self.assertRaises(DecodeError):
                    read(vector["text"])


class Values(unittest.TestCase):
    def test_json_in_the_general_form_is_a_value(self):
        text = HEAD + "A {id} = {id:{id},kind:plant}\n[The text:]\n2 records\nA 1\nA 2\n[layout1 general json: compact]"
        self.assertEqual(tersely.decode(text), [{"id": 1, "kind": "plant"}, {"id": 2, "kind": "plant"}])
        self.assertEqual(tersely.decode(HEAD + 'Γ "a"\n[The text:]\n{Γ:[1,2]}' + END), {"a": [1, 2]})

    def test_a_text_that_is_not_signed_comes_back_as_it_is(self):
        for text in ("", "\n", "x", "\ufeffx\n", '{"a":1}', "[layout1 x]", "a\n[layout1 x]\n\n", "a\n[layout1]"):
            self.assertEqual(tersely.restore(text), text)
        with self.assertRaisesRegex(DecodeError, "tersely decode"):
            tersely.restore("<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\nx")


class Faults(unittest.TestCase):
    def test_faults_say_where_and_what(self):
        for text, message in [
            (
                "src/a.rs:\n 1: x\n[layout1 search: by: file]",
                "line 3, column 10: expected general, general json, json or text "
                "(the program reads every other: tersely decode), found 'search'",
            ),
            ("a: 1\n[layout1 json: loose]", "line 2, column 10: expected a layout that is written, found 'json: loose'"),
            ("x" + END, "line 1, column 1: expected '[Shorter notation.', found 'x'"),
            (
                HEAD + "Γ x\nA {1},{2} = {1}\n[The text:]\nplain\nA 1" + END,
                "line 6, column 1: expected 2 values, found 'A 1'",
            ),
            (
                HEAD + "A {1} = {1}\n[The text:]\nA ×3:\n1" + END,
                "line 5, column 1: expected 2 more rows, found the end",
            ),
            (
                HEAD + "A = x\n[The text:]\nA ×99999999" + END,
                "line 4, column 1: expected a text that grows to at most 256 times its bytes, found a larger one",
            ),
        ]:
            with self.subTest(text), self.assertRaises(DecodeError) as caught:
                tersely.decode(text)
            self.assertEqual(str(caught.exception), message)

    def test_a_named_form_has_no_such_line(self):
        with self.assertRaises(DecodeError):
            tersely.decode(LAYOUT["accept"][0]["text"], form="terse")


class Hostile(unittest.TestCase):
    def test_hostile_input_fails_fast(self):
        began = time.monotonic()
        for text in [
            "\n[layout1 " * 100_000 + "]",
            "x\n[layout1 " + ": " * 100_000 + "]",
            "\n" * 1_000_000 + "[layout1 json]",
            "x\n[layout1 json: indent 2, except" + " 1" * 100_000 + "]",
            "x\n[layout1 json: compact, begins \"" + " " * 100_000 + "]",
            HEAD + "Γ x\n" * 100_000 + "A" + END,
            HEAD + "Γ " + "x" * 100_000 + "\n[The text:]\n" + "Γ" * 100_000 + END,
            HEAD + "A = x\n" * 100_000 + END,
            HEAD + "A" + " {" * 100_000 + " = {1}\n[The text:]\nA" + END,
            HEAD + "A {1} = " + "{" * 100_000 + "}\n[The text:]\nA ×9:" + END,
            HEAD + "A " + ",".join(f"{{{n}}}" for n in range(50_000)) + " = " + "{49999}" * 9_000 + "\n[The text:]\nA" + END,
            HEAD + "A {1} = " + "{1}" * 5_000 + "\n[The text:]\n" + "A\n" * 5_000 + END,
            HEAD + "A {1} = " + "{1:>9999}" * 5_000 + "\n[The text:]\n" + "A x\n" * 5_000 + END,
            HEAD + "A = " + "9" * 100_000 + " lines:\n[The text:]\nA ×" + "9" * 100_000 + END,
            HEAD + "A = " + " | x\n" * 100_000 + END,
            HEAD + "A = \n[The text:]\n" + "A ×99999999\n" * 9 + END,
        ]:
            with self.subTest(text[:60]), self.assertRaises(DecodeError):
                tersely.restore(text)
        self.assertLess(time.monotonic() - began, 30)

    def test_depth_takes_no_stack(self):
        text = "[" * 128 + "]" * 128 + "\n[layout1 json: indent 1]"
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(len(_frames()) + 40)
        try:
            self.assertEqual(tersely.restore(text).count("\n"), 254)
        finally:
            sys.setrecursionlimit(limit)

    def test_layouts_take_no_more_than_there_is_room_for(self):
        text = "[" * 120 + "{a:1}," * 20_000 + "{a:1}" + "]" * 120 + "\n[layout1 json: indent 16]"
        with self.assertRaisesRegex(DecodeError, "grows"):
            tersely.restore(text)


def _frames():
    frames, frame = [], sys._getframe()
    while frame:
        frames.append(frame)
        frame = frame.f_back
    return frames


if __name__ == "__main__":
    unittest.main()
