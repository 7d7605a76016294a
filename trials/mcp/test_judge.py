"""Tests of what compares; run with `python3 -m unittest` in this folder."""

from __future__ import annotations

import copy
import unittest

from judge import TOOL, Row, judge, masked

CALL = {"method": "tools/call", "params": {"name": "t", "arguments": {}}, "varies": False}
LONG = "word " * 200


def session() -> dict:
    """A session with one call."""
    result = {"content": [{"type": "text", "text": LONG}, {"type": "image", "data": "AA"}], "structuredContent": {"a": 1}}
    lists = {"resources": [], "templates": [], "prompts": [], "notifications": {}}
    return {"hello": {"protocol": "p"}, "tools": [{"name": "t"}], **lists, "answers": [{"result": result}]}


def judged(change: object) -> Row:
    """The verdict on a session that was changed."""
    wrapped = copy.deepcopy(session())
    change(wrapped)
    return judge("s", [CALL], session(), wrapped)


def result(wrapped: dict) -> dict:
    """The result of the call."""
    return wrapped["answers"][0]["result"]


class Judge(unittest.TestCase):
    """Only texts may differ, and only become smaller."""

    def test_a_smaller_text_is_counted(self) -> None:
        row = judged(lambda one: result(one)["content"][0].update(text="word"))
        self.assertEqual((row.smaller, row.same, row.faults), (1, 0, []))

    def test_the_added_tool_may_come_last(self) -> None:
        self.assertEqual(judged(lambda one: one["tools"].append({"name": TOOL})).faults, [])
        self.assertEqual(len(judged(lambda one: one["tools"].insert(0, {"name": TOOL})).faults), 1)

    def test_lost_structured_content_is_reported(self) -> None:
        row = judged(lambda one: result(one).pop("structuredContent"))
        self.assertEqual((row.dropped, row.faults), (1, []))

    def test_any_other_change_is_a_fault(self) -> None:
        changes = [
            lambda one: result(one)["content"][0].update(text=LONG + "more"),
            lambda one: result(one)["content"][1].update(data="BB"),
            lambda one: result(one)["content"].pop(),
            lambda one: result(one)["structuredContent"].update(a=2),
            lambda one: result(one).update(isError=True),
            lambda one: result(one).update(_meta={}),
            lambda one: one["answers"].__setitem__(0, {"error": {"code": 1}}),
            lambda one: one["notifications"].update(x=1),
            lambda one: one["tools"][0].update(title="T"),
        ]
        for change in changes:
            self.assertEqual(len(judged(change).faults), 1)

    def test_times_and_ids_are_masked(self) -> None:
        self.assertEqual(masked("at 3:04:05 PM"), "at *")
        self.assertEqual(masked("2026-01-01T00:00:00.123Z"), "*")


if __name__ == "__main__":
    unittest.main()
