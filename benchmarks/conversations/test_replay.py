"""Tests of what replays; run with `python3 -m unittest` in this folder."""

from __future__ import annotations

import unittest

from replay import Count, count, requests, table


class Replay(unittest.TestCase):
    """A transcript becomes requests, and answers become counts."""

    def test_a_request_ends_before_each_answer(self) -> None:
        roles = ["user", "assistant", "tool", "tool", "assistant", "user"]
        transcript = {"model": "m", "messages": [{"role": role} for role in roles]}
        lengths = [len(body["messages"]) for body in requests(transcript)]
        self.assertEqual(lengths, [1, 4])

    def test_both_shapes_of_an_answer_are_counted(self) -> None:
        self.assertEqual(count({"timings": {"cache_n": 3, "prompt_n": 4}}), Count(3, 4))
        self.assertEqual(count({"usage": {"input_tokens": 4, "cache_read_input_tokens": 3}}), Count(3, 4))

    def test_turns_add_up(self) -> None:
        text, sums = table({"direct": [Count(0, 10), Count(10, 10)], "none": [Count(0, 5), Count(5, 5)]})
        self.assertEqual((sums["direct"], sums["none"]), (Count(10, 20), Count(5, 10)))
        self.assertEqual(len(text.splitlines()), 5)


if __name__ == "__main__":
    unittest.main()
