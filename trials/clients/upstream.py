"""An upstream with a script: it asks for one tool call, and then tells the end in a slow stream.

Speaks Anthropic Messages, OpenAI Chat Completions and Responses, and Gemini. Keeps every request as it came.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMAND = "python3 rows.py"
PIECES = ["The list ", "has thirty ", "open ", "items: ", "DONE-4417"]
FINAL = "".join(PIECES)
PAUSE = 0.08
SHELLS = ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command", "run_commands", "Execute", "list_items"]


@dataclass
class Request:
    """A request as it came."""

    method: str
    path: str
    headers: list[tuple[str, str]]
    body: bytes


class Upstream(ThreadingHTTPServer):
    """Listens on a free port of this machine."""

    daemon_threads = True

    def __init__(self, handler: type[Handler] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), handler or Handler)
        self.requests: list[Request] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"


def arguments(tool: str, command: str = COMMAND) -> dict:
    """What the tool is asked to do, in its own words."""
    if tool == "exec_command":
        return {"cmd": command}
    if tool == "run_commands":
        return {"commands": [command]}
    if tool == "Execute":
        return {"command": command, "summary": "List the items", "riskLevel": "low", "riskLevelReason": "It only reads"}
    return {"command": command, "description": "List the items"}


def shell(names: list) -> str | None:
    """The tool that runs commands, if it is among those offered."""
    return next((name for name in SHELLS if name in names), None)


def messages(body: dict) -> list[dict]:
    """Events in the shape of Anthropic's Messages."""
    blocks = [block for message in body["messages"] for block in listed(message.get("content"))]
    tool = shell([tool.get("name") for tool in body.get("tools") or []])
    answered = any(block.get("type") == "tool_result" for block in blocks)
    usage = {"input_tokens": 10, "output_tokens": 1}
    start = {"id": "msg_a", "type": "message", "role": "assistant", "model": body.get("model"), "content": []}
    events = [{"type": "message_start", "message": {**start, "stop_reason": None, "stop_sequence": None, "usage": usage}}]
    if tool and not answered:
        reason, block = "tool_use", {"type": "tool_use", "id": "toolu_a", "name": tool, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": json.dumps(arguments(tool))}]
    else:
        reason, block = "end_turn", {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in PIECES]
    events.append({"type": "content_block_start", "index": 0, "content_block": block})
    events += [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
    events.append({"type": "content_block_stop", "index": 0})
    stop = {"stop_reason": reason, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}})
    return [*events, {"type": "message_stop"}]


def listed(content: object) -> list[dict]:
    """Content as a list of blocks."""
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def chat(body: dict) -> list[dict]:
    """Events in the shape of OpenAI's Chat Completions."""
    tool = shell([tool.get("function", {}).get("name") for tool in body.get("tools") or []])
    answered = any(message.get("role") == "tool" for message in body["messages"])
    if tool and not answered:
        function = {"name": tool, "arguments": json.dumps(arguments(tool))}
        call = {"index": 0, "id": "call_a", "type": "function", "function": function}
        reason, deltas = "tool_calls", [{"role": "assistant", "content": None, "tool_calls": [call]}]
    else:
        reason, deltas = "stop", [{"role": "assistant", "content": piece} for piece in PIECES]
    head = {"id": "chat_a", "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": reason})
    usage = {"prompt_tokens": 10, "completion_tokens": 9, "total_tokens": 19}
    return [{**head, "choices": [choice]} for choice in choices] + [{**head, "choices": [], "usage": usage}]


def responses(body: dict) -> list[dict]:
    """Events in the shape of OpenAI's Responses."""
    items = listed(body.get("input"))
    offered = (body.get("tools") or []) + [tool for item in items for tool in item.get("tools") or []]
    inside = [tool for space in offered for tool in space.get("tools") or []]
    tool = shell([tool.get("name") or tool.get("type") for tool in offered + inside])
    answered = any(str(item.get("type")).endswith("call_output") for item in items)
    if tool and not answered:
        given = json.dumps(arguments(tool))
        item = {"type": "function_call", "id": "fc_a", "call_id": "call_a", "name": tool, "arguments": given}
        begun, place = {**item, "arguments": ""}, {"item_id": "fc_a", "output_index": 0}
        middle = [{"type": "response.function_call_arguments.delta", **place, "delta": given}]
        middle.append({"type": "response.function_call_arguments.done", **place, "arguments": given})
    else:
        part = {"type": "output_text", "text": FINAL, "annotations": []}
        item = {"type": "message", "id": "msg_a", "role": "assistant", "content": [part]}
        begun, place = {**item, "content": []}, {"item_id": "msg_a", "output_index": 0, "content_index": 0}
        middle = [{"type": "response.content_part.added", **place, "part": {**part, "text": ""}}]
        middle += [{"type": "response.output_text.delta", **place, "delta": piece} for piece in PIECES]
        middle.append({"type": "response.output_text.done", **place, "text": FINAL})
        middle.append({"type": "response.content_part.done", **place, "part": part})
    usage = {"input_tokens": 10, "output_tokens": 9, "total_tokens": 19}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": "resp_a", "object": "response", "created_at": 1, "model": body.get("model"), "usage": usage}
    events = [{"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}}]
    events.append({"type": "response.output_item.added", "output_index": 0, "item": {**begun, "status": "in_progress"}})
    events += middle
    done = {**item, "status": "completed"}
    events.append({"type": "response.output_item.done", "output_index": 0, "item": done})
    events.append({"type": "response.completed", "response": {**whole, "status": "completed", "output": [done]}})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def gemini(body: dict) -> list[dict]:
    """Events in the shape of Gemini."""
    # Goose sends one object where others send a list of them, which Google accepts.
    offered = body.get("tools") or []
    offered = [offered] if isinstance(offered, dict) else offered
    declared = [one for tool in offered for one in tool.get("functionDeclarations") or []]
    tool = shell([one.get("name") for one in declared])
    answered = any("functionResponse" in part for turn in body["contents"] for part in turn.get("parts") or [])
    if tool and not answered:
        parts = [{"functionCall": {"name": tool, "args": arguments(tool)}}]
    else:
        parts = [{"text": piece} for piece in PIECES]
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 9, "totalTokenCount": 19}
    events = [{"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]} for part in parts]
    events[-1]["candidates"][0]["finishReason"] = "STOP"
    events[-1]["usageMetadata"] = usage
    return events


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Upstream

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def keep(self) -> bytes:
        """Keep the request, and give its body."""
        if "chunked" in self.headers.get("transfer-encoding", ""):
            body = b"".join(iter(self.chunk, b""))
        else:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.requests.append(Request(self.command, self.path, self.headers.items(), body))
        return body

    def chunk(self) -> bytes:
        """The next chunk; empty at the end."""
        length = int(self.rfile.readline().split(b";")[0], 16)
        data = self.rfile.read(length)
        self.rfile.readline()
        return data

    def do_HEAD(self) -> None:
        """Say that someone is there."""
        self.keep()
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        """Offer one model; decline websockets."""
        self.keep()
        if "upgrade" in self.headers.get("connection", "").lower():
            self.whole({"error": {"message": "no websockets", "type": "invalid_request_error"}}, 426)
        elif self.path.split("?")[0].endswith("/models"):
            self.whole({"object": "list", "data": [{"id": "test-model", "object": "model"}], "models": []})
        else:
            self.whole({"error": {"message": "not found", "type": "not_found_error"}}, 404)

    def do_POST(self) -> None:
        """Play the script."""
        raw, path = self.keep(), self.path.split("?")[0]
        body = json.loads(raw or b"{}")
        if path.endswith("/count_tokens"):
            self.whole({"input_tokens": 10})
        elif path.endswith(":countTokens"):
            self.whole({"totalTokens": 10})
        elif path.endswith("/messages"):
            self.named(messages(body))
        elif path.endswith("/responses"):
            self.named(responses(body))
        elif path.endswith("/chat/completions"):
            self.stream([json.dumps(event) for event in chat(body)] + ["[DONE]"])
        elif path.endswith(":streamGenerateContent"):
            self.stream([json.dumps(event) for event in gemini(body)])
        elif path.endswith(":generateContent"):
            self.whole(gemini(body)[-1])
        else:
            self.whole({"error": {"message": "not found", "type": "not_found_error"}}, 404)

    def whole(self, answer: dict, status: int = 200) -> None:
        """An answer in one piece."""
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def named(self, events: list[dict]) -> None:
        """Events that carry their type as a name."""
        self.stream([json.dumps(event) for event in events], [event["type"] for event in events])

    def stream(self, events: list[str], names: list[str] | None = None) -> None:
        """Events, one after the other."""
        heads = [f"event: {name}\n" for name in names] if names else [""] * len(events)
        self.chunks([f"{head}data: {event}\n\n".encode() for head, event in zip(heads, events)])

    def chunks(self, events: list[bytes], pause: float = PAUSE) -> None:
        """Events as they stand, each in a chunk of its own."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for data in events:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            time.sleep(pause)
        self.wfile.write(b"0\r\n\r\n")
