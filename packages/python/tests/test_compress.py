"""What the package does in process: with the native part, or with the program in its place."""

import asyncio
import inspect
import json
import logging
import threading
import unittest
from pathlib import Path
from unittest import mock

import tersely
from tersely import core, process, program


def has_core() -> bool:
    try:
        core.call("restore", {}, b"")
    except core.Unavailable:
        return False
    return True


ROWS = json.dumps([{"number": n, "state": "open", "url": f"https://example.com/issues/{n}"} for n in range(60)])
LOG = "\n".join(f"INFO worker {n % 7} finished batch {n}" for n in range(3000))
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Which issues are open?"},
    {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "issues", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": ROWS},
]
SHAPES = {
    "chat": CHAT,
    "anthropic": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": ROWS}]}],
    "responses": [{"type": "function_call_output", "call_id": "c1", "output": ROWS}],
    "gemini": [{"role": "user", "parts": [{"functionResponse": {"name": "issues", "response": {"output": ROWS}}}]}],
}
FOLDER = Path(__file__).parents[3] / "spec/vectors"
TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": {}}}]


@unittest.skipUnless(has_core(), "no native part and no program")
class Compress(unittest.TestCase):
    def test_messages_of_every_shape_become_smaller_and_come_back(self) -> None:
        for name, messages in SHAPES.items():
            with self.subTest(name):
                small = tersely.compress(messages, model="gpt-5")
                self.assertGreater(small.saving.saved, 500)
                self.assertEqual(small.saving.saved, sum(small.saving.stages.values()))
                self.assertLess(len(json.dumps(small)), len(json.dumps(messages)) / 2)
                self.assertEqual(tersely.restore(small), messages)
                self.assertEqual(tersely.compress(messages, model="gpt-5", format=name), small)

    def test_all_but_tool_results_are_the_objects_that_were_given(self) -> None:
        small = tersely.compress(CHAT)
        for before, after in zip(CHAT[:3], small[:3], strict=True):
            self.assertIs(before, after)
        self.assertEqual({**CHAT[3], "content": ""}, {**small[3], "content": ""})

    def test_a_message_keeps_its_bytes_as_the_conversation_grows(self) -> None:
        longer = [*CHAT, {"role": "assistant", "content": "All."}, {"role": "user", "content": "And now?"}, CHAT[2], CHAT[3]]
        whole = tersely.compress(longer)
        for count in range(1, len(longer)):
            self.assertEqual(tersely.compress(longer[:count]), whole[:count])

    def test_objects_of_an_sdk_are_read_and_given_back(self) -> None:
        class Message:
            role = "assistant"

            def model_dump(self, **_: object) -> dict[str, object]:
                return CHAT[2]

        own = Message()
        small = tersely.compress([CHAT[1], own, CHAT[3]])
        self.assertIs(small[1], own)
        self.assertGreater(small.saving.saved, 0)

    def test_a_text_becomes_smaller_and_comes_back(self) -> None:
        for text in (ROWS, LOG, "", "short", "<<<SHADOW:shadow_0>>>", "\ufeff" + ROWS, "a\r\nb\x00\u2028"):
            small = tersely.compress(text, tool="bash", command="curl localhost", loss="none")
            self.assertLessEqual(small.saving.after, small.saving.before)
            self.assertEqual(tersely.restore(small), text)
        self.assertGreater(tersely.compress(LOG).saving.saved, 0)

    def test_detail_is_left_out_only_where_it_can_be_fetched(self) -> None:
        messages = [*CHAT[:3], {"role": "tool", "tool_call_id": "c1", "content": LOG}]
        self.assertEqual(tersely.compress(messages, tools=TOOLS).saving.omitted, ())
        small = tersely.compress(messages, tools=TOOLS, retrieve=True)
        self.assertEqual([tool["function"]["name"] for tool in small.tools], ["bash", "expand_context"])
        (omitted,) = small.saving.omitted
        self.assertIn(omitted, small[3]["content"])
        self.assertEqual(tersely.expand(messages, omitted), LOG)
        self.assertEqual(tersely.expand(messages, omitted, "lines 2-2", tools=TOOLS), "INFO worker 1 finished batch 1\n")
        self.assertIn("Nothing is kept", tersely.expand(messages, "shadow_0"))
        with self.assertRaises(tersely.DecodeError):
            tersely.restore(small)

    def test_who_observes_gets_what_was_given(self) -> None:
        small = tersely.compress(CHAT, observe=True)
        self.assertEqual(small, CHAT)
        self.assertGreater(small.saving.saved, 0)
        self.assertEqual(tersely.compress(ROWS, observe=True), ROWS)

    def test_a_wrong_argument_is_named(self) -> None:
        for wrong, named in {
            "mode": "loud", "loss": "all", "reader": "huge", "format": "acme", "frozen": -1, "retrieve": "yes", "model": 7,
        }.items():
            with self.subTest(wrong), self.assertRaisesRegex((TypeError, ValueError), f"^{wrong}: "):
                tersely.compress(CHAT, **{wrong: named})
        for wrong in ("tools", "retrieve", "nonsense"):
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, f"^{wrong}: "):
                tersely.compress("text", **{wrong: []})
        for content in (b"x", None, 1, {"a": 1}):
            with self.subTest(content), self.assertRaisesRegex(TypeError, "^content: "):
                tersely.compress(content)
        with self.assertRaisesRegex(TypeError, "^id: "):
            tersely.expand(CHAT, None)

    def test_content_never_raises(self) -> None:
        circle: list[object] = []
        circle.append(circle)
        logging.getLogger("tersely").setLevel(logging.ERROR)
        for content in ({"x": object()}, {"x": float("nan")}, {"content": circle}, {"x": b"bytes"}):
            self.assertEqual(len(tersely.compress([content])), 1)
        logging.getLogger("tersely").setLevel(logging.NOTSET)
        for content in ({"role": "tool", "content": "a\ud800b"}, {"role": 7, "content": [[[]]]}, {}):
            self.assertEqual(tersely.compress([content]), [content])
        with self.assertLogs("tersely", "WARNING"):
            self.assertEqual(tersely.compress("a\ud800"), "a\ud800")

    def test_every_form_is_decoded(self) -> None:
        for text in ('{"a": [1, 2, {"b": null}]}', ROWS):
            self.assertEqual(tersely.decode(tersely.compress(text)), json.loads(text))
        self.assertEqual(tersely.decode("a: 1\nb[2]: 1,2", form="toon"), {"a": 1, "b": [1, 2]})
        self.assertEqual(tersely.decode('{"a": 1}', form="json"), {"a": 1})
        with self.assertRaises(tersely.DecodeError):
            tersely.decode("{", form="json")

    def test_threads_and_tasks_share_it(self) -> None:
        expected = tersely.compress(CHAT)
        found: list[object] = []
        threads = [threading.Thread(target=lambda: found.append(tersely.compress(CHAT))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        async def both() -> list[object]:
            return list(await asyncio.gather(tersely.acompress(CHAT), tersely.acompress(CHAT)))

        self.assertEqual([*found, *asyncio.run(both())], [expected] * 10)


@unittest.skipUnless(has_core(), "no native part and no program")
class Vectors(unittest.TestCase):
    def test_every_vector_comes_back_or_is_rejected(self) -> None:
        for name in ("layout", "general"):
            vectors = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
            for vector in vectors["accept"]:
                with self.subTest(vector["name"]):
                    self.assertEqual(tersely.restore(vector["text"]), vector["original"])
            for vector in vectors["reject"]:
                with self.subTest(vector["name"]), self.assertRaises(tersely.DecodeError):
                    tersely.restore(vector["text"])


@unittest.skipUnless(has_core(), "no native part and no program")
class Tool(unittest.TestCase):
    def test_a_result_is_made_smaller_where_it_is_made(self) -> None:
        @tersely.tool
        def issues(count: int) -> str:
            """Lists issues."""
            return ROWS

        @tersely.tool(name="list", loss="none")
        async def issues_async() -> list[object]:
            return json.loads(ROWS)

        self.assertEqual((issues.__name__, issues.__doc__), ("issues", "Lists issues."))
        self.assertEqual(tersely.restore(issues(1)), ROWS)
        self.assertLess(len(issues(1)), len(ROWS) / 2)
        self.assertEqual(tersely.decode(asyncio.run(issues_async())), json.loads(ROWS))
        self.assertIs(inspect.signature(issues).return_annotation, str)
        self.assertIs(inspect.signature(issues_async).return_annotation, inspect.Signature.empty)

    def test_what_saves_nothing_is_returned_as_it_is(self) -> None:
        for result in ({"a": 1}, [], None, 7, b"x", {"a": object()}):
            self.assertIs(tersely.tool(lambda result=result: result)(), result)

    def test_a_wrong_option_is_told_at_once(self) -> None:
        with self.assertRaisesRegex(ValueError, "^mode: "):
            tersely.tool(mode="loud")(str)


class Without(unittest.TestCase):
    def test_without_any_core_everything_stays_as_it_is(self) -> None:
        with mock.patch.object(core, "_core", None), mock.patch.object(core, "_load", side_effect=core.Unavailable("none")):
            with self.assertLogs("tersely", "WARNING"):
                self.assertEqual(tersely.compress(CHAT), CHAT)
            with self.assertLogs("tersely", "WARNING"):
                self.assertEqual(tersely.compress(ROWS), ROWS)
            self.assertEqual(tersely.restore("2 rows\na,b\n1,2\n3,4\n[layout1 json: spaced]"), '[{"a": 1, "b": 2}, {"a": 3, "b": 4}]')

    @unittest.skipUnless(program.find(), "no program")
    def test_a_program_that_ended_is_started_again(self) -> None:
        other = process.start()
        self.assertEqual(other.call("restore", "{}", b"hi")[1], b"hi")
        other._child.kill()
        other._child.wait()
        self.assertEqual(other.call("restore", "{}", b"hi")[1], b"hi")
        other._child.stdin.close()
        other._child.stdout.close()
        other._child.wait()


if __name__ == "__main__":
    unittest.main()
