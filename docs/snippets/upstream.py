"""A model with a script: it calls one tool, and answers when it has seen the result.

Speaks Messages, Chat Completions, Responses and Gemini, whole and streamed; anything else it answers like a small JSON API. A prompt that says "Run CMD and …" makes it
ask the client's shell for CMD; otherwise it calls the first tool that it is offered.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FINAL = "60 issues, 20 of them open."
SHELLS = ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command", "developer__shell"]
ASKED = re.compile(r"Run (.+?) and ")
ITEMS = [{"id": 4000 + n, "title": f"Item number {n}", "state": "open", "url": f"https://example.com/items/{4000 + n}"} for n in range(8)]


def given(tool: str, text: str, parameters: dict) -> dict:
    """What the tool is called with."""
    asked = ASKED.search(text)
    command = asked[1].strip("`\\") if asked else "ls"
    if tool == "exec_command":
        return {"cmd": command}
    if tool == "shell":
        return {"command": ["bash", "-lc", command]}
    if tool in SHELLS:
        return {"command": command, "description": "Do as asked"}
    wanted = parameters.get("properties", {})
    return {name: value.get("enum", ["open"])[0] for name, value in wanted.items() if name in parameters.get("required", [])}


def choose(tools: dict[str, dict], answered: bool, text: str) -> tuple[str, dict] | None:
    """The call to make, if any: a client's shell first."""
    if answered or not tools:
        return None
    name = next((shell for shell in SHELLS if shell in tools), None)
    name = name or next(iter(tools))
    return name, given(name, text, tools[name] or {})


def count(body: dict) -> int:
    """About how many tokens a request has."""
    return len(json.dumps(body)) // 4


def messages(body: dict) -> tuple[dict, list[dict]]:
    """Anthropic's Messages: the whole answer, and its events."""
    tools = {one["name"]: one.get("input_schema") for one in body.get("tools") or [] if "name" in one}
    blocks = [block for one in body["messages"] for block in listed(one.get("content"))]
    answered = any(block.get("type") == "tool_result" for block in blocks)
    call = choose(tools, answered, json.dumps(body["messages"]))
    usage = {"input_tokens": count(body), "output_tokens": 12, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    if call:
        block = {"type": "tool_use", "id": "toolu_1", "name": call[0], "input": call[1]}
        opening, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    else:
        block = {"type": "text", "text": FINAL}
        opening, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": FINAL}
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model")}
    events = [
        {"type": "message_start", "message": {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": opening},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 12}},
        {"type": "message_stop"},
    ]
    return {**head, "content": [block], **stop, "usage": usage}, events


def listed(content: object) -> list[dict]:
    """Content as a list of blocks."""
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def chat(body: dict) -> tuple[dict, list[dict]]:
    """OpenAI's Chat Completions: the whole answer, and its chunks."""
    functions = [one.get("function") or {} for one in body.get("tools") or []]
    tools = {one["name"]: one.get("parameters") for one in functions if "name" in one}
    answered = any(one.get("role") == "tool" for one in body["messages"])
    call = choose(tools, answered, json.dumps(body["messages"]))
    usage = {"prompt_tokens": count(body), "completion_tokens": 12, "total_tokens": count(body) + 12}
    message: dict = {"role": "assistant", "content": None if call else FINAL}
    delta = dict(message)
    if call:
        made = {"id": "call_1", "type": "function", "function": {"name": call[0], "arguments": json.dumps(call[1])}}
        message["tool_calls"], delta["tool_calls"] = [made], [{"index": 0, **made}]
    end = "tool_calls" if call else "stop"
    head = {"id": "chat_1", "created": 1, "model": body.get("model")}
    chunk = {**head, "object": "chat.completion.chunk"}
    chunks = [
        {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
        {**chunk, "choices": [], "usage": usage},
    ]
    whole = {**head, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": end}], "usage": usage}
    return whole, chunks


def responses(body: dict) -> tuple[dict, list[dict]]:
    """OpenAI's Responses: the whole answer, and its events."""
    items = listed(body.get("input"))
    offered = (body.get("tools") or []) + [tool for item in items for tool in item.get("tools") or []]
    offered += [tool for space in offered for tool in space.get("tools") or []]
    tools = {one["name"]: one.get("parameters") for one in offered if one.get("type") in ("function", "custom") and "name" in one}
    answered = any(str(item.get("type")).endswith("call_output") for item in items)
    call = choose(tools, answered, json.dumps(body.get("input")))
    if call:
        arguments = json.dumps(call[1])
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": call[0], "arguments": arguments}
        place = {"item_id": "fc_1", "output_index": 0}
        opening = {**item, "arguments": ""}
        middle = [
            {"type": "response.function_call_arguments.delta", **place, "delta": arguments},
            {"type": "response.function_call_arguments.done", **place, "arguments": arguments, "name": call[0]},
        ]
    else:
        part = {"type": "output_text", "text": FINAL, "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}
        place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        opening = {**item, "content": []}
        middle = [
            {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
            {"type": "response.output_text.delta", **place, "delta": FINAL, "logprobs": []},
            {"type": "response.output_text.done", **place, "text": FINAL, "logprobs": []},
            {"type": "response.content_part.done", **place, "part": part},
        ]
    usage = {"input_tokens": count(body), "output_tokens": 12, "total_tokens": count(body) + 12}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    done = {**item, "status": "completed"}
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": body.get("model"), "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    whole = {**head, "status": "completed", "output": [done], "usage": usage}
    events = [
        {"type": "response.created", "response": {**head, "status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**opening, "status": "in_progress"}},
        *middle,
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": whole},
    ]
    return whole, [{**event, "sequence_number": number} for number, event in enumerate(events)]


def gemini(body: dict) -> tuple[dict, list[dict]]:
    """Gemini: the whole answer, and the same as one event."""
    declared = [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or []]
    tools = {one["name"]: one.get("parametersJsonSchema") or one.get("parameters") for one in declared}
    answered = any("functionResponse" in part for turn in body["contents"] for part in turn.get("parts") or [])
    call = choose(tools, answered, json.dumps(body["contents"]))
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": FINAL}
    usage = {"promptTokenCount": count(body), "candidatesTokenCount": 12, "totalTokenCount": count(body) + 12}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
    return whole, [whole]


class Upstream(ThreadingHTTPServer):
    """Listens on a free port of this machine."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Upstream

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def body(self) -> dict:
        """The request's body."""
        if "chunked" in self.headers.get("transfer-encoding", ""):
            data = b""
            while length := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(length)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
        read = json.loads(data or b"{}")
        return read if isinstance(read, dict) else {}

    def do_HEAD(self) -> None:
        """Say that someone is there."""
        self.whole({})

    def do_GET(self) -> None:
        """Offer models and a few items; decline websockets."""
        path = self.path.split("?")[0]
        if "upgrade" in self.headers.get("connection", "").lower():
            self.whole({"error": {"message": "no websockets", "type": "invalid_request_error"}}, 426)
        elif path.endswith("/models"):
            self.whole({"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []})
        elif path.endswith("/items"):
            self.whole(ITEMS)
        else:
            self.whole({"error": {"message": "not found", "type": "not_found_error"}}, 404)

    def do_POST(self) -> None:
        """Play the script."""
        path, body = self.path.split("?")[0], self.body()
        self.server.asked.append(path)
        streams = body.get("stream") is True
        if path.endswith("/count_tokens"):
            self.whole({"input_tokens": count(body)})
        elif path.endswith(":countTokens"):
            self.whole({"totalTokens": count(body)})
        elif path.endswith("/messages"):
            self.play(messages(body), streams, named=True)
        elif path.endswith("/responses"):
            self.play(responses(body), streams, named=True)
        elif path.endswith("/chat/completions"):
            self.play(chat(body), streams, last=["[DONE]"])
        elif path.endswith((":streamGenerateContent", ":generateContent")):
            self.play(gemini(body), "stream" in path)
        else:
            self.whole({"error": {"message": "not found", "type": "not_found_error"}}, 404)

    def play(self, answer: tuple[dict, list[dict]], streams: bool, *, named: bool = False, last: list[str] | None = None) -> None:
        """The answer, whole or as events."""
        whole, events = answer
        if not streams:
            self.whole(whole)
            return
        heads = [f"event: {event['type']}\n" if named else "" for event in events]
        texts = [f"{head}data: {json.dumps(event)}\n\n" for head, event in zip(heads, events)]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for text in texts + [f"data: {one}\n\n" for one in last or []]:
            data = text.encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def whole(self, answer: object, status: int = 200) -> None:
        """An answer in one piece."""
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
