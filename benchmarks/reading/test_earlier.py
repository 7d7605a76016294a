"""Checks of the parts of earlier.py that need neither the model nor the program: python3 -m unittest."""

from __future__ import annotations

import json
import unittest
from typing import Any

import earlier
from reading import HERE
from score import Score
from texts import Result

READ = {"id": "a", "tool": "Read", "input": {"file_path": "x.py"}, "numbered": True, "lines": ["one", "two", "three"]}
AGAIN = {"id": "b", "tool": "Read", "input": {"file_path": "x.py"}, "numbered": True, "again": 0}
ASKS = [
    {"kind": "behind", "ask": "In the second result, the first line is", "truth": "one", "rivals": ["two"]},
    {"kind": "shown", "ask": "In the second result, the second line is", "truth": "2", "rivals": ["two"]},
]
SPEC: dict[str, Any] = {
    "name": "x",
    "form": "file read again",
    "results": [READ, {**AGAIN, "replace": [["two", "2"]]}],
    "questions": ASKS,
}


def repeats(data: str) -> str:
    """A compressor that names whole repeats and lines that the result before has."""
    request = json.loads(data)
    results = [message["content"][0] for message in request["messages"][1::2]]
    for result, before in reversed(list(zip(results[1:], results))):
        result["content"] = result["content"].replace(before["content"].split("\n")[0], "[= A line 1]")
    return json.dumps(request)


class Conversations(unittest.TestCase):
    def test_results_follow_from_earlier_ones(self) -> None:
        specs = [READ, {**AGAIN, "replace": [["two", "2\n2.5"]], "part": [2, 4]}]
        self.assertEqual(earlier.results(specs), ["1\tone\n2\ttwo\n3\tthree", "2\t2\n3\t2.5\n4\tthree"])
        self.assertEqual(earlier.results([READ, {**AGAIN, "below": ["four"]}])[1][-6:], "4\tfour")

    def test_a_change_that_fits_nowhere_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            earlier.results([READ, {**AGAIN, "replace": [["four", "4"]]}])

    def test_only_the_references_differ(self) -> None:
        found = earlier.case(SPEC, repeats)
        assert found
        head = "Result of a (Read x.py):\n1\tone\n2\ttwo\n3\tthree\n\nResult of b (Read x.py):\n"
        self.assertEqual(found.before, head + "1\tone\n2\t2\n3\tthree")
        self.assertEqual(found.after, head + "[= A line 1]\n2\t2\n3\tthree")
        self.assertIsNone(earlier.case(SPEC, lambda data: data))

    def test_what_is_asked_can_be_answered(self) -> None:
        for spec in json.loads((HERE / "earlier.json").read_text()):
            for ask in spec["questions"]:
                self.assertIn(ask["kind"], earlier.KINDS)
                self.assertNotIn(ask["truth"], ask["rivals"])
                told = "\n".join(earlier.results(spec["results"]))
                self.assertTrue(ask["kind"] == "change" or ask["truth"] in told, ask)


class Report(unittest.TestCase):
    def test_kinds_are_parted(self) -> None:
        case = earlier.case(SPEC, repeats)
        assert case
        right, wrong = Score(True, True, 2.0), Score(False, False, -1.0)
        kinds = earlier.by_kind([Result(case, (10, 5), [right, right], [wrong, right])])
        self.assertEqual(list(kinds), [earlier.KINDS["behind"], earlier.KINDS["shown"]])
        self.assertEqual([parts[0].after for parts in kinds.values()], [[wrong], [right]])


if __name__ == "__main__":
    unittest.main()
