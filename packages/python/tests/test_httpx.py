"""The transports with a scripted upstream: the hidden tool is answered in process, whole and streamed, sync and async."""

import asyncio
import json
import re
import unittest

import tersely

try:
    import httpx
except ImportError:
    httpx = None
else:
    import tersely.httpx

LOG = "\n".join(f"INFO worker {n % 7} finished batch {n}" for n in range(3000))
URL = "https://api.example.com/v1/chat/completions"


def body(stream: bool) -> dict:
    return {
        "model": "gpt-5",
        "stream": stream,
        "tools": [{"type": "function", "function": {"name": "bash", "parameters": {}}}],
        "messages": [{"role": "user", "content": "Who?"}, {"role": "tool", "tool_call_id": "c1", "content": LOG}],
    }


class Upstream:
    """A model that asks for what was left out, then answers; or fails in place of the answer."""

    def __init__(self, status: int = 200) -> None:
        self.bodies: list[dict] = []
        self.status = status

    def __call__(self, request: "httpx.Request") -> "httpx.Response":
        self.bodies.append(json.loads(request.content))
        assert int(request.headers["content-length"]) == len(request.content)
        shadow = re.search(r"SHADOW:(shadow_[0-9a-f]+)", request.content.decode())
        if len(self.bodies) == 1 and shadow:
            given = json.dumps({"id": shadow[1], "part": "lines 2-2"})
            call = {"index": 0, "id": "h1", "type": "function", "function": {"name": "expand_context", "arguments": given}}
            said, reason = {"role": "assistant", "content": "Wait. ", "tool_calls": [call]}, "tool_calls"
        elif self.status != 200:
            return httpx.Response(self.status, text="overloaded")
        else:
            said, reason = {"role": "assistant", "content": "Worker 1."}, "stop"
        streamed = self.bodies[0]["stream"]
        choice = {"index": 0, "finish_reason": reason, "delta" if streamed else "message": said}
        text = json.dumps({"id": "x", "choices": [choice]})
        if not streamed:
            return httpx.Response(200, json=json.loads(text))
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=f"data: {text}\n\ndata: [DONE]\n\n")


def has_core() -> bool:
    return tersely.compress(LOG).saving.saved > 0


@unittest.skipUnless(httpx and has_core(), "no httpx, or nothing that compresses")
class Transports(unittest.TestCase):
    def ask(self, upstream: Upstream, stream: bool, is_async: bool, **options) -> str:
        if not is_async:
            with tersely.httpx.wrap(httpx.Client(transport=httpx.MockTransport(upstream)), **options) as client:
                return client.post(URL, json=body(stream)).text

        async def run() -> str:
            inner = httpx.AsyncClient(transport=httpx.MockTransport(upstream))
            async with tersely.httpx.wrap(inner, **options) as client:
                return (await client.post(URL, json=body(stream))).text

        return asyncio.run(run())

    def test_the_hidden_tool_is_answered(self) -> None:
        for stream in (False, True):
            for is_async in (False, True):
                with self.subTest(stream=stream, is_async=is_async):
                    upstream = Upstream()
                    text = self.ask(upstream, stream, is_async)
                    self.assertEqual(len(upstream.bodies), 2)
                    self.assertEqual(upstream.bodies[1]["messages"][-1]["content"], "INFO worker 1 finished batch 1\n")
                    self.assertIn("Worker 1.", text)
                    self.assertNotIn("expand_context", text)

    def test_a_round_that_fails_is_told(self) -> None:
        for is_async in (False, True):
            self.assertIn("overloaded", self.ask(Upstream(529), True, is_async))

    def test_nothing_is_left_out_without_retrieval(self) -> None:
        upstream = Upstream()
        self.assertIn("Worker 1.", self.ask(upstream, False, False, retrieve=False))
        (sent,) = upstream.bodies
        self.assertEqual(len(sent["tools"]), 1)
        self.assertLess(len(sent["messages"][1]["content"]), len(LOG) / 2)
        self.assertEqual(tersely.restore(sent["messages"]), body(False)["messages"])

    def test_an_observer_sends_what_came(self) -> None:
        upstream = Upstream()
        self.ask(upstream, False, False, observe=True)
        self.assertEqual(upstream.bodies, [body(False)])

    def test_what_is_not_for_a_model_goes_out_as_it_is(self) -> None:
        seen = []
        inner = httpx.MockTransport(lambda request: (seen.append(request.read()), httpx.Response(200, text="ok"))[1])
        client = tersely.httpx.wrap(httpx.Client(transport=inner))
        self.assertEqual(client.get("https://example.com").text, "ok")
        self.assertEqual(client.post("https://example.com/upload", content=b"\xff").text, "ok")
        self.assertEqual(client.post("https://example.com/v1/messages", json={"a": 1}).text, "ok")
        self.assertEqual(seen, [b"", b"\xff", b'{"a":1}'])

    def test_a_wrong_option_is_told_at_once(self) -> None:
        with self.assertRaisesRegex(ValueError, "^mode: "):
            tersely.httpx.wrap(httpx.Client(), mode="loud")
        with self.assertRaisesRegex(TypeError, "^client: "):
            tersely.openai(object())


if __name__ == "__main__":
    unittest.main()
