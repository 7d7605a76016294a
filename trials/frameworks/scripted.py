"""A scripted upstream: the model calls the agent's tool, asks in mid-sentence for what was left out, and answers."""

from __future__ import annotations

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "clients"))
from speech import TOOL, Call, Text, shape_of, streams  # noqa: E402 - found by the line above

AGENT_TOOL = "read_logs"
LOG = "\n".join(f"INFO worker {n % 7} finished batch {n}" for n in range(3000))
QUESTION = "Who finished batch 1?"
ANSWER = "Worker 1 did."
LINE = "INFO worker 1 finished batch 1\n"


class Scripted(ThreadingHTTPServer):
    """Answers by what a request shows, and keeps every request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[dict] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Scripted

    def do_POST(self) -> None:  # noqa: N802 - the name that the base class calls
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.bodies.append(body)
        shape, turn = shape_of(self.path), len(self.server.bodies)
        says = script(shape, body)
        if streams(self.path, body):
            data, kind = b"".join(shape.events(turn, says)), "text/event-stream"
        else:
            data, kind = json.dumps(shape.whole(turn, says)).encode(), "application/json"
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        # In small pieces, so that no event arrives whole.
        for start in range(0, len(data), 37):
            piece = data[start : start + 37]
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        pass


def script(shape: type, body: dict) -> list:
    results = shape.results(body)
    if not results:
        return [Call(AGENT_TOOL, {"day": "today"})]
    shadow = re.search(r"<<<SHADOW:(shadow_[0-9a-f]+)", results[0][1])
    if TOOL in shape.tools(body) and shadow and len(results) == 1:
        return [Text(("Let me ", "look. ")), Call(TOOL, {"id": shadow[1], "part": "lines 2-2"})]
    return [Text(("Worker 1 ", "did."))]


def check(bodies: list[dict], shape: type, expands: bool, plain: list[dict]) -> str | None:
    """What is wrong with the requests of a run; `plain` are those of the same run without Tersely."""
    if len(bodies) != (3 if expands else 2):
        return f"{len(bodies)} requests"
    text = shape.results(bodies[1])[0][1]
    if len(text) > len(LOG) / 2:
        return "the result is not smaller"
    if expands and shape.results(bodies[2])[1][1] != LINE:
        return "the model did not get what it asked for"
    for ours, theirs in zip(bodies[:2], plain, strict=False):
        if without(ours) != without(theirs):
            return "something else than a tool result differs"
    return None


def without(body: dict) -> object:
    """A request without the hidden tool and without the texts of tool results."""
    text = json.dumps(drop(body))
    return json.loads(re.sub(r'"(content|output|text)": ?"(?:[^"\\]|\\.)*(?:INFO worker|SHADOW)(?:[^"\\]|\\.)*"', r'"\1":""', text))


def drop(value: object) -> object:
    """A value without the hidden tool, wherever the API lists it."""
    if isinstance(value, list):
        return [drop(item) for item in value if not is_tool(item)]
    return {name: drop(item) for name, item in value.items()} if isinstance(value, dict) else value


def is_tool(item: object) -> bool:
    return isinstance(item, dict) and TOOL in (item.get("name"), (item.get("function") or {}).get("name") if isinstance(item.get("function"), dict) else None)
