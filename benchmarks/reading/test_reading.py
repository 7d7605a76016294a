"""Checks of the parts that need neither the model nor the corpus: python3 -m unittest."""

from __future__ import annotations

import unittest

import formats
import questions
import records
import score
import stats
import variants

ROWS = [
    {"id": i, "url": f"https://x/{i}", "owner": {"kind": "User"}, "open": i % 2 == 0, "place": f"place {chr(97 + i)}"}
    for i in range(8)
]
SPEC = {
    "name": "rows",
    "key": "id",
    "asks": [
        {"kind": "plain", "column": "open", "count": 4},
        {"kind": "constant", "column": "owner.kind", "count": 1},
        {"kind": "derived2", "column": "url", "from": "id", "by": "place", "count": 1},
    ],
}


class Statistics(unittest.TestCase):
    def test_wilson(self) -> None:
        low, high = stats.wilson(131, 142)
        self.assertAlmostEqual(low, 0.8666, 4)
        self.assertAlmostEqual(high, 0.9562, 4)

    def test_mcnemar(self) -> None:
        self.assertEqual(stats.mcnemar(0, 0), 1.0)
        self.assertAlmostEqual(stats.mcnemar(15, 1), 0.000519, 6)

    def test_bootstrap_repeats(self) -> None:
        self.assertEqual(stats.bootstrap([1.0, 2.0, 4.0], 200), stats.bootstrap([1.0, 2.0, 4.0], 200))


class Questions(unittest.TestCase):
    def setUp(self) -> None:
        self.made = questions.make(SPEC, ROWS)

    def test_values_take_turns(self) -> None:
        self.assertEqual(sorted(q.truth for q in self.made[:4]), ["false", "false", "true", "true"])
        self.assertTrue(all(q.boolean for q in self.made[:4]))

    def test_wording(self) -> None:
        self.assertRegex(self.made[4].ask, r'^In the data above, for "id" \d, the "kind" of "owner" is$')
        self.assertRegex(self.made[5].ask, r'^In the data above, for "place" "place [a-h]", the "url" is$')

    def test_rivals_can_be_told_from_the_truth(self) -> None:
        self.assertIn("https://x/{id}", self.made[5].rivals)
        for q in self.made:
            self.assertFalse([r for r in q.rivals if r.startswith(q.truth) or q.truth.startswith(r)])


class Scores(unittest.TestCase):
    def test_departures(self) -> None:
        self.assertEqual(score.departures([1, 2, 3], [[1, 2, 4], [5], [1, 2]]), [(2, 4), (0, 5)])

    def test_opening(self) -> None:
        self.assertEqual(score.opening([[1, 2, 3], [1, 2, 4, 5]]), [1, 2])


class Formats(unittest.TestCase):
    def test_yaml_quotes_what_would_change_type(self) -> None:
        self.assertEqual(formats.yaml([{"a": "1", "b": {"c": "x"}}]), '- a: "1"\n  b:\n    c: x')

    def test_template(self) -> None:
        self.assertEqual(records.template(["a1b", "a2b"], ["1", "2"]), ("a", "b"))
        self.assertIsNone(records.template(["a1b", "c2b"], ["1", "2"]))

    def test_sentences(self) -> None:
        first, second, third, *_ = variants.cd_sent(ROWS).split("\n")
        self.assertEqual(first, "every row: owner.kind=User")
        self.assertEqual(second, "url = https://x/{id}")
        self.assertEqual(third, "[8]{id,open,place}:")


if __name__ == "__main__":
    unittest.main()
