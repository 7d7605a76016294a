"""Checks of the parts of texts.py that need neither the model nor the corpus: python3 -m unittest."""

from __future__ import annotations

import unittest

import texts
from score import Score

LOG = "".join(f"12:00:0{i} job {i} took {i}7 ms\n" for i in range(8))
SPEC = {
    "name": "jobs",
    "form": "log",
    "asks": [{"pattern": r"^\S+ job (?P<job>\d) took (?P<value>\d+) ms$", "ask": "the time of job {job}", "count": 3}],
}
PLANES = {"name": "planes", "form": "csv", "cells": ",", "asks": [{"by": "id", "column": "city", "count": 9}]}
PAPER = "id,name,city\nA,Perry Field,Perry\nB,Rolla Park,Rolla\nB,Meadow,Springs\nC,Gragg,Clanton\n"


class Questions(unittest.TestCase):
    def test_a_window_is_counted_from_one(self) -> None:
        self.assertEqual(texts.window(LOG, {"first": 2, "lines": 1}), "12:00:01 job 1 took 17 ms\n")

    def test_groups_make_questions(self) -> None:
        made = texts.make(SPEC, LOG)
        self.assertEqual(len(made), 3)
        for q in made:
            self.assertRegex(q.ask, r"^In the text above, the time of job \d is$")
            self.assertEqual(q.truth, f"{q.ask[-4]}7")
            self.assertNotIn(q.truth, q.rivals)
            self.assertEqual(len(q.rivals), texts.ROW_RIVALS)

    def test_rows_that_share_a_name_are_not_asked_about(self) -> None:
        made = texts.make(PLANES, PAPER)
        self.assertEqual(sorted(q.truth for q in made), ["Clanton", "Perry"])
        self.assertIn("Gragg", next(q for q in made if q.truth == "Clanton").rivals)


class Report(unittest.TestCase):
    def test_the_form_is_read_from_the_mark(self) -> None:
        found = texts.MARK.search("a | 1 +\n[layout1 diff stat: names to column 50]\n")
        self.assertEqual(found and found[1], "diff stat")

    def test_lost_and_won(self) -> None:
        case = texts.Case("jobs", "log", "a", "b", texts.make(SPEC, LOG))
        right, wrong = Score(True, True, 2.0), Score(False, False, -1.0)
        result = texts.Result(case, (10, 5), [right, right, wrong], [right, wrong, wrong])
        self.assertEqual(texts.row("log", [result]), "| log | 3 | 10 | 5 (-50 %) | 2 | 1 | -33 (1/0, 1) | 2 → 1 | -1.00 |")


if __name__ == "__main__":
    unittest.main()
