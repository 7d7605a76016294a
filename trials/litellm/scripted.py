"""A model with a script, in three APIs, whole and streamed: it calls `bash` a few times and then says that it is done.

Where it is offered `expand_context` and sees a result of which something was left out, it asks for that first. Every
request is remembered.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TURNS = 3
TOOL = "expand_context"
MARK = re.compile(r"<<<SHADOW:(shadow_[0-9a-f]{32})>>>")


class Upstream:
    """The model, and what it was asked."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict]] = []
        self.lock = threading.Lock()
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                path = self.path.split("?")[0]
                with upstream.lock:
                    upstream.requests.append((path, body))
                shape = shapes[next(end for end in shapes if path.endswith(end))]
                said = shape.say(body)
                if body.get("stream"):
                    data, kind = b"".join(shape.events(said)), "text/event-stream"
                else:
                    data, kind = json.dumps(said).encode(), "application/json"
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self) -> list[tuple[str, dict]]:
        """The requests since the last time."""
        with self.lock:
            taken, self.requests = self.requests, []
        return taken


def decide(results: list[tuple[str, str]], offered: bool) -> tuple[str, dict] | None:
    """What the model calls next, by the results that it has seen: each a tool and its text."""
    last = results[-1] if results else None
    if offered and last and last[0] != TOOL and (found := MARK.match(last[1])):
        return TOOL, {"id": found[1]}
    done = sum(tool != TOOL for tool, _ in results)
    return ("bash", {"command": f"step {done}"}) if done < TURNS else None


def text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [] if isinstance(part, dict))


def sse(data: dict | str, event: str | None = None) -> bytes:
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


class Chat:
    def say(self, body: dict) -> dict:
        names, results = {}, []
        for message in body["messages"]:
            for call in message.get("tool_calls") or []:
                names[call["id"]] = call["function"]["name"]
            if message["role"] == "tool":
                results.append((names[message["tool_call_id"]], text_of(message["content"])))
        call = decide(results, any(tool["function"]["name"] == TOOL for tool in body.get("tools") or []))
        message = {"role": "assistant", "content": "finished"}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            calls = [{"id": f"call_{len(results)}", "type": "function", "function": function}]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return {"id": "c", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice], "usage": usage}

    def events(self, said: dict):
        choice = said["choices"][0]
        delta = dict(choice["message"])
        if delta.get("tool_calls"):
            delta["tool_calls"] = [{"index": 0, **call} for call in delta["tool_calls"]]
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": said["model"]}
        yield sse({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        yield sse({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
        yield sse("[DONE]")


class Messages:
    def say(self, body: dict) -> dict:
        names, results = {}, []
        for message in body["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else []:
                if block["type"] == "tool_use":
                    names[block["id"]] = block["name"]
                if block["type"] == "tool_result":
                    results.append((names[block["tool_use_id"]], text_of(block["content"])))
        call = decide(results, any(tool.get("name") == TOOL for tool in body.get("tools") or []))
        block = {"type": "text", "text": "finished"}
        if call:
            block = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": call[0], "input": call[1]}
        usage = {"input_tokens": 10, "output_tokens": 5}
        reason = "tool_use" if call else "end_turn"
        return {"id": "m", "type": "message", "role": "assistant", "model": body["model"], "content": [block],
                "stop_reason": reason, "stop_sequence": None, "usage": usage}

    def events(self, said: dict):
        block = said["content"][0]
        opening = {**block, "input": {}} if block["type"] == "tool_use" else {**block, "text": ""}
        if block["type"] == "tool_use":
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            delta = {"type": "text_delta", "text": block["text"]}
        for event in [
            {"type": "message_start", "message": {**said, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": opening},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": said["stop_reason"], "stop_sequence": None}, "usage": said["usage"]},
            {"type": "message_stop"},
        ]:
            yield sse(event, event["type"])


class Responses:
    def say(self, body: dict) -> dict:
        names, results = {}, []
        for item in body["input"] if isinstance(body["input"], list) else []:
            if item.get("type") == "function_call":
                names[item["call_id"]] = item["name"]
            if item.get("type") == "function_call_output":
                results.append((names[item["call_id"]], text_of(item["output"])))
        call = decide(results, any(tool.get("name") == TOOL for tool in body.get("tools") or []))
        part = {"type": "output_text", "text": "finished", "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
        if call:
            name = f"call_{len(results)}"
            item = {"type": "function_call", "id": f"fc_{len(results)}", "call_id": name, "name": call[0],
                    "arguments": json.dumps(call[1]), "status": "completed"}
        usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
        return {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": body["model"],
                "output": [item], "usage": usage, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
                "temperature": 1.0, "top_p": 1.0, "error": None, "incomplete_details": None, "instructions": None,
                "metadata": {}, "store": False}

    def events(self, said: dict):
        item = said["output"][0]
        events = [
            {"type": "response.created", "response": {**said, "output": [], "status": "in_progress"}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": said},
        ]
        for number, event in enumerate(events):
            yield sse({**event, "sequence_number": number}, event["type"])


shapes = {"/chat/completions": Chat(), "/messages": Messages(), "/responses": Responses()}
