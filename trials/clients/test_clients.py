"""Tests of what compares and of what speaks; run with `python3 -m unittest` in this folder."""

from __future__ import annotations

import json
import unittest

from aws import chunk, is_signed, message, signature
from cloud import Converse, Invoke, model_of, shape_of, streams
from compare import Change, Unfaithful, changed, compare
from edits import AFTER, BEFORE, block, outside, patch, seen, settings, variables
from expand import head
from relay import parse
from secrets_list import secrets
from soak import pieces
from speech import OWN, READ, SHAPES, TOOL, WROTE, Call, Text, is_hidden
from started import Result, Turn, foreign, judged
from upstream import Request


class Clouds(unittest.TestCase):
    """What AWS publishes, and what paths say."""

    def test_a_message_with_nothing_in_it_is_aws_s(self) -> None:
        self.assertEqual(message({}, b"").hex(), "000000100000000005c248eb7d98c8ff")
        self.assertIn(b'"bytes": "eyJhIjogMX0="', chunk({"a": 1}))

    def test_a_signature_covers_body_host_and_path(self) -> None:
        headers = {
            "authorization": "AWS4-HMAC-SHA256 Credential=AK/20261116/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, "
            "Signature=SIGNATURE",
            "host": "127.0.0.1:1", "x-amz-date": "20261116T000000Z",
        }
        headers["authorization"] = headers["authorization"].replace("SIGNATURE", signature("POST", "/model/m/converse", headers, b"{}"))
        self.assertTrue(is_signed("POST", "/model/m/converse", headers, b"{}"))
        self.assertFalse(is_signed("POST", "/model/m/converse", headers, b"{ }"))
        self.assertFalse(is_signed("POST", "/model/n/converse", headers, b"{}"))
        self.assertFalse(is_signed("POST", "/model/m/converse", {**headers, "host": "127.0.0.1:2"}, b"{}"))

    def test_paths_say_what_is_meant(self) -> None:
        self.assertEqual((shape_of("/model/one/converse-stream"), shape_of("/model/one/invoke")), (Converse, Invoke))
        self.assertEqual([model_of("/openai/deployments/six/chat/completions?api-version=1", {}), model_of("/openai/v1/responses", {"model": "one"})], ["six", "one"])
        self.assertTrue(streams("/model/one/converse-stream", {}) and streams("/v1/models/m:streamRawPredict", {}))
        self.assertFalse(streams("/model/one/invoke", {}))


class Compare(unittest.TestCase):
    """Only one string may differ."""

    def test_a_changed_string_is_found(self) -> None:
        sent = json.dumps({"a": 1, "r": 'x "quoted" \\ text', "z": [2]}).encode()
        seen = json.dumps({"a": 1, "r": "x é", "z": [2]}, ensure_ascii=False).encode()
        self.assertEqual(changed(sent, seen), Change('x "quoted" \\ text', "x é"))

    def test_any_other_change_is_a_fault(self) -> None:
        for seen in [b'{"a":"y","z":3}', b'{"a":"y" ,"z":2}', b'{"b":"x","z":2}']:
            with self.assertRaises(Unfaithful):
                changed(b'{"a":"x","z":2}', seen)

    def test_headers_are_held_but_for_the_hop_s_own(self) -> None:
        sent = Request("POST", "/", [("Host", "a"), ("X-Key", "1")], b"{}")
        self.assertEqual(compare([sent], [Request("POST", "/", [("host", "b"), ("x-key", "1")], b"{}")]), [])
        with self.assertRaises(Unfaithful):
            compare([sent], [Request("POST", "/", [("x-key", "2")], b"{}")])

    def test_requests_are_read_from_bytes(self) -> None:
        plain = b"POST /a HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}"
        chunks = b"POST /b HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
        self.assertEqual([(one.path, one.body) for one in parse(plain + chunks)], [("/a", b"{}"), ("/b", b"{}")])


class Speech(unittest.TestCase):
    """A client makes of an answer what the upstream said."""

    def test_what_is_said_is_heard(self) -> None:
        says = [Text(("Let ", "me ")), Call(OWN, {"command": "ls"})]
        for shape in SHAPES.values():
            whole, events = json.dumps(shape.whole(1, says)).encode(), b"".join(shape.events(1, says))
            for streams, body in [(False, whole), (True, events)]:
                got = shape.got(streams, body)
                self.assertEqual((got.text, got.calls, got.usage), ("Let me ", [OWN], (READ, WROTE)), shape)

    def test_results_are_found_in_requests(self) -> None:
        for shape in SHAPES.values():
            request = shape.request("m", True, "a result")
            [(mark, text)] = shape.results(request)
            self.assertEqual((text, is_hidden(mark), shape.tools(request)), ("a result", False, [OWN]))

    def test_calls_of_the_hidden_tool_are_known(self) -> None:
        said = SHAPES["messages"].whole(1, [Call(TOOL, {"id": "shadow_1"})])
        self.assertTrue(is_hidden(said["content"][0]["id"]))

    def test_two_ends_are_not_one_answer(self) -> None:
        for shape in SHAPES.values():
            twice = b"".join(shape.events(1, [Text(("a",))])) * 2
            with self.assertRaises(AssertionError):
                shape.got(True, twice)

    def test_the_head_of_a_prompt_is_taken_as_it_stands(self) -> None:
        request = Request("POST", "/", [], b'{"model":"m", "tools" : [ 1.0 ],"messages":[{"tools":2}]}')
        self.assertEqual(head(request), {"tools": "[ 1.0 ]"})

    def test_chunks_are_put_together(self) -> None:
        self.assertEqual(pieces(b"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"), [b"ab", b"c", b""])


class Edits(unittest.TestCase):
    """What the model makes of a file that it saw."""

    def test_a_file_is_seen_without_its_gutter(self) -> None:
        text = settings(secrets(64))
        for gutter in ["{}→", "     {}\t", "{:05}| ", "{}: "]:
            shown = "".join(gutter.format(at) + line for at, line in enumerate(text.splitlines(keepends=True), 1))
            self.assertEqual(seen(f"<file>\n{shown}</file>"), text)
        self.assertIsNone(seen("[lines 3-90 left out]"))

    def test_a_patch_shows_the_lines_around_the_one_that_changes(self) -> None:
        old = block(settings(secrets(64)))
        lines = patch("s.py", old, old.replace(BEFORE, AFTER)).splitlines()
        self.assertEqual([line for line in lines if line[0] in "-+"], [f"-{BEFORE}", f"+{AFTER}"])
        self.assertGreater(sum(line[0] == " " for line in lines), 20)

    def test_secrets_are_many_apart_and_the_same_again(self) -> None:
        made = secrets(64)
        self.assertGreater(len(made), 60)
        self.assertEqual(len({one.value for one in made}), len(made))
        self.assertEqual(made, secrets(64))
        self.assertEqual(len(variables(made)), len(made))

    def test_results_and_calls_are_not_outside(self) -> None:
        call = {"type": "tool_use", "id": "a", "name": "x", "input": {"k": "in a call"}}
        result = {"type": "tool_result", "tool_use_id": "a", "content": "in a result"}
        turns = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result, {"type": "text", "text": "beside"}]}]
        request = Request("POST", "/v1/messages", [], json.dumps({"messages": turns}).encode())
        self.assertEqual([word in outside(request) for word in ["in a call", "in a result", "beside"]], [False, False, True])


class Started(unittest.TestCase):
    """What is held against an agent that `tersely run` started."""

    def fault(self, before: int, after: int, *named: str, client: str = "pi", closing: str = "2 requests: 9 of 20 tokens saved") -> str:
        direct, through = Turn("", 0, True), Turn("", 0, True, named=list(named))
        return judged(Result(client, before=before, after=after, closing=closing), through, direct)

    def test_a_good_turn_has_no_fault(self) -> None:
        self.assertEqual(self.fault(10, 4), "")
        self.assertEqual(self.fault(10, 10, client="aider, settings"), "")
        self.assertEqual(self.fault(10, 4, "home/.factory/logs/a.log", client="droid, chat"), "")

    def test_each_check_can_fail(self) -> None:
        self.assertIn("tokens", self.fault(10, 10))
        self.assertIn("tokens", self.fault(10, 4, client="aider, settings"))
        self.assertIn("closing", self.fault(10, 4, closing="no requests came through"))
        self.assertIn("home/a.json", self.fault(10, 4, "home/a.json"))
        self.assertIn("home/.factory/settings.json", self.fault(10, 4, "home/.factory/settings.json", client="droid, chat"))

    def test_a_port_that_is_not_the_upstream_s_is_found(self) -> None:
        self.assertTrue(foreign(b"x http://127.0.0.1:4242/v1", 80))
        self.assertTrue(foreign(b"at localhost:4242", 80))
        self.assertFalse(foreign(b"http://127.0.0.1:80/v1 and https://h:4242", 80))


if __name__ == "__main__":
    unittest.main()
