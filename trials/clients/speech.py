"""What clients send and upstreams say in the shape of each API, where the model may call a tool that its client does not know."""

from __future__ import annotations

import json
from dataclasses import dataclass

TOOL = "expand_context"
OWN = "run_command"
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
GIVEN = {"command": "run"}

# Tokens that every response of an upstream is said to cost.
READ, WROTE = 100, 7
USAGE = {"prompt_tokens": READ, "completion_tokens": WROTE, "total_tokens": READ + WROTE}


@dataclass(frozen=True)
class Text:
    """Words, in the pieces in which they are said."""

    pieces: tuple[str, ...]

    @property
    def whole(self) -> str:
        """All of them."""
        return "".join(self.pieces)


@dataclass(frozen=True)
class Call:
    """A call of a tool; one that takes a text instead of arguments is given a text."""

    name: str
    given: dict | str


Say = Text | Call


@dataclass
class Got:
    """What a client made of a response."""

    text: str
    calls: list[str]
    usage: tuple[int, int]


def mark(say: Call, turn: int, place: int) -> str:
    """What a call is known by; those of the hidden tool can be told from the others."""
    return f"{'hidden' if say.name == TOOL else 'call'}_{turn}_{place}"


def is_hidden(mark: str) -> bool:
    """Whether a result is an answer to the hidden tool."""
    return mark == TOOL or mark.startswith("hidden_")


def joined(content: object) -> str:
    """The text of a result."""
    if isinstance(content, list):
        return "".join(block.get("text", "") for block in content if isinstance(block, dict))
    return content if isinstance(content, str) else json.dumps(content)


def has_calls(says: list[Say]) -> bool:
    """Whether any of it is a call."""
    return any(isinstance(say, Call) for say in says)


def plain(event: dict) -> bytes:
    """An event without a name."""
    return b"data: " + json.dumps(event).encode() + b"\n\n"


def named(event: dict) -> bytes:
    """An event under its name."""
    return f"event: {event['type']}\n".encode() + plain(event)


def data(body: bytes) -> list[dict]:
    """The events of a stream."""
    lines = [line[6:] for line in body.splitlines() if line.startswith(b"data: ")]
    return [json.loads(line) for line in lines if line != b"[DONE]"]


class Messages:
    """Anthropic's Messages."""

    @staticmethod
    def path(_model: str, _streams: bool) -> str:
        return "/v1/messages"

    @staticmethod
    def request(model: str, streams: bool, result: str) -> dict:
        call = {"type": "tool_use", "id": "call_a", "name": OWN, "input": GIVEN}
        messages = [{"role": "user", "content": "Look"}, {"role": "assistant", "content": [call]}]
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_a", "content": result}]})
        tools = [{"name": OWN, "description": "Runs", "input_schema": SCHEMA}]
        return {"model": model, "max_tokens": 100, "stream": streams, "tools": tools, "messages": messages}

    @staticmethod
    def tools(body: dict) -> list[str]:
        return [tool.get("name") for tool in body.get("tools") or []]

    @staticmethod
    def results(body: dict) -> list[tuple[str, str]]:
        contents = [turn["content"] for turn in body["messages"] if isinstance(turn.get("content"), list)]
        blocks = [block for content in contents for block in content if block.get("type") == "tool_result"]
        return [(block["tool_use_id"], joined(block.get("content"))) for block in blocks]

    @staticmethod
    def whole(turn: int, says: list[Say]) -> dict:
        content = []
        for place, say in enumerate(says):
            if isinstance(say, Text):
                content.append({"type": "text", "text": say.whole})
            else:
                content.append({"type": "tool_use", "id": mark(say, turn, place), "name": say.name, "input": say.given})
        reason = "tool_use" if has_calls(says) else "end_turn"
        usage = {"input_tokens": READ, "output_tokens": WROTE}
        head = {"id": f"msg_{turn}", "type": "message", "role": "assistant", "model": "m", "content": content}
        return {**head, "stop_reason": reason, "stop_sequence": None, "usage": usage}

    @classmethod
    def events(cls, turn: int, says: list[Say]) -> list[bytes]:
        whole = cls.whole(turn, says)
        usage = {"input_tokens": READ, "output_tokens": 1}
        events = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None, "usage": usage}}]
        for index, say in enumerate(says):
            block = whole["content"][index]
            if isinstance(say, Text):
                block = {**block, "text": ""}
                deltas = [{"type": "text_delta", "text": piece} for piece in say.pieces]
            else:
                block = {**block, "input": {}}
                deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in halves(json.dumps(say.given))]
            events.append({"type": "content_block_start", "index": index, "content_block": block})
            events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
            events.append({"type": "content_block_stop", "index": index})
        stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": WROTE}})
        return [named(event) for event in [*events, {"type": "message_stop"}]]

    @staticmethod
    def got(streams: bool, body: bytes) -> Got:
        if not streams:
            whole = json.loads(body)
            blocks, usage = whole["content"], whole["usage"]
            text = "".join(block.get("text", "") for block in blocks)
            calls = [block["name"] for block in blocks if block["type"] == "tool_use"]
            return Got(text, calls, (usage["input_tokens"], usage["output_tokens"]))
        events = data(body)
        kinds = [event["type"] for event in events if event["type"] != "ping"]
        assert kinds[0] == "message_start" and kinds[-1] == "message_stop" and kinds.count("message_start") == 1, kinds
        starts = [event for event in events if event["type"] == "content_block_start"]
        assert [event["index"] for event in starts] == list(range(len(starts))), starts
        text = "".join(event.get("delta", {}).get("text", "") for event in events)
        calls = [event["content_block"]["name"] for event in starts if event["content_block"]["type"] == "tool_use"]
        counts = dict(events[0]["message"]["usage"])
        for event in events:
            counts |= event.get("usage") or {}
        return Got(text, calls, (counts["input_tokens"], counts["output_tokens"]))


class Chat:
    """OpenAI's Chat Completions."""

    @staticmethod
    def path(_model: str, _streams: bool) -> str:
        return "/v1/chat/completions"

    @staticmethod
    def request(model: str, streams: bool, result: str) -> dict:
        call = {"id": "call_a", "type": "function", "function": {"name": OWN, "arguments": json.dumps(GIVEN)}}
        messages = [{"role": "user", "content": "Look"}, {"role": "assistant", "tool_calls": [call]}]
        messages.append({"role": "tool", "tool_call_id": "call_a", "content": result})
        tools = [{"type": "function", "function": {"name": OWN, "parameters": SCHEMA}}]
        options = {"stream": True, "stream_options": {"include_usage": True}} if streams else {}
        return {"model": model, **options, "tools": tools, "messages": messages}

    @staticmethod
    def tools(body: dict) -> list[str]:
        return [tool.get("function", {}).get("name") for tool in body.get("tools") or []]

    @staticmethod
    def results(body: dict) -> list[tuple[str, str]]:
        return [(turn["tool_call_id"], joined(turn["content"])) for turn in body["messages"] if turn["role"] == "tool"]

    @staticmethod
    def calls(turn: int, says: list[Say]) -> list[dict]:
        calls = [(place, say) for place, say in enumerate(says) if isinstance(say, Call)]
        given = [{"name": say.name, "arguments": json.dumps(say.given)} for _, say in calls]
        return [{"id": mark(say, turn, place), "type": "function", "function": one} for (place, say), one in zip(calls, given)]

    @classmethod
    def whole(cls, turn: int, says: list[Say]) -> dict:
        text = "".join(say.whole for say in says if isinstance(say, Text))
        message = {"role": "assistant", "content": text or None, "refusal": None}
        if has_calls(says):
            message["tool_calls"] = cls.calls(turn, says)
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if has_calls(says) else "stop"}
        return {"id": f"chat_{turn}", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}

    @classmethod
    def events(cls, turn: int, says: list[Say]) -> list[bytes]:
        deltas = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for say in says if isinstance(say, Text) for piece in say.pieces]
        for index, call in enumerate(cls.calls(turn, says)):
            given = call["function"]
            deltas.append({"tool_calls": [{"index": index, **call, "function": {**given, "arguments": ""}}]})
            deltas += [{"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in halves(given["arguments"])]
        choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": "tool_calls" if has_calls(says) else "stop"})
        head = {"id": f"chat_{turn}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        chunks = [{**head, "choices": [choice]} for choice in choices] + [{**head, "choices": [], "usage": USAGE}]
        return [*[plain(chunk) for chunk in chunks], b"data: [DONE]\n\n"]

    @staticmethod
    def got(streams: bool, body: bytes) -> Got:
        assert not streams or body.endswith(b"data: [DONE]\n\n"), body[-80:]
        events = data(body) if streams else [json.loads(body)]
        assert len({event["id"] for event in events}) == 1, "one name for one response"
        choices = [choice for event in events for choice in event["choices"]]
        said = [choice.get("delta") or choice.get("message") or {} for choice in choices]
        text = "".join(one.get("content") or "" for one in said)
        calls = [call["function"].get("name") for one in said for call in one.get("tool_calls") or []]
        assert sum(bool(choice["finish_reason"]) for choice in choices) == 1, "one end"
        usage = next(event["usage"] for event in events if event.get("usage"))
        return Got(text, [name for name in calls if name], (usage["prompt_tokens"], usage["completion_tokens"]))


class Responses:
    """OpenAI's Responses."""

    @staticmethod
    def path(_model: str, _streams: bool) -> str:
        return "/v1/responses"

    @staticmethod
    def request(model: str, streams: bool, result: str) -> dict:
        call = {"type": "function_call", "call_id": "call_a", "name": OWN, "arguments": json.dumps(GIVEN)}
        items = [{"role": "user", "content": "Look"}, call]
        items.append({"type": "function_call_output", "call_id": "call_a", "output": result})
        tools = [{"type": "function", "name": OWN, "parameters": SCHEMA, "strict": False}]
        return {"model": model, "stream": streams, "store": False, "tools": tools, "input": items}

    @staticmethod
    def tools(body: dict) -> list[str]:
        items = [item for item in body.get("input") or [] if isinstance(item, dict)]
        offered = (body.get("tools") or []) + [tool for item in items for tool in item.get("tools") or []]
        inside = [tool for space in offered for tool in space.get("tools") or []]
        return [tool.get("name") or tool.get("type") for tool in offered + inside]

    @staticmethod
    def results(body: dict) -> list[tuple[str, str]]:
        items = [item for item in body.get("input") or [] if str(item.get("type")).endswith("call_output")]
        return [(item["call_id"], joined(item["output"])) for item in items]

    @staticmethod
    def items(turn: int, says: list[Say]) -> list[dict]:
        items = []
        for place, say in enumerate(says):
            head = {"id": f"item_{turn}_{place}", "status": "completed"}
            if isinstance(say, Text):
                part = {"type": "output_text", "text": say.whole, "annotations": [], "logprobs": []}
                items.append({**head, "type": "message", "role": "assistant", "content": [part]})
            elif isinstance(say.given, str):
                items.append({**head, "type": "custom_tool_call", "call_id": mark(say, turn, place), "name": say.name, "input": say.given})
            else:
                given = {"call_id": mark(say, turn, place), "name": say.name, "arguments": json.dumps(say.given)}
                items.append({**head, "type": "function_call", **given})
        return items

    @classmethod
    def whole(cls, turn: int, says: list[Say]) -> dict:
        usage = {"input_tokens": READ, "output_tokens": WROTE, "total_tokens": READ + WROTE}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        head = {"id": f"resp_{turn}", "object": "response", "created_at": 1, "model": "m", "status": "completed"}
        rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None, "store": False}
        return {**head, **rest, "output": cls.items(turn, says), "usage": usage}

    @classmethod
    def events(cls, turn: int, says: list[Say]) -> list[bytes]:
        whole = cls.whole(turn, says)
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        events = [{"type": "response.created", "response": begun}, {"type": "response.in_progress", "response": begun}]
        for index, (say, item) in enumerate(zip(says, whole["output"])):
            place = {"item_id": item["id"], "output_index": index}
            empty = {"content": []} if isinstance(say, Text) else {"input" if "input" in item else "arguments": ""}
            events.append({"type": "response.output_item.added", "output_index": index, "item": {**item, **empty, "status": "in_progress"}})
            if isinstance(say, Text):
                part = {**place, "content_index": 0}
                events.append({"type": "response.content_part.added", **part, "part": {**item["content"][0], "text": ""}})
                events += [{"type": "response.output_text.delta", **part, "delta": piece, "logprobs": []} for piece in say.pieces]
                events.append({"type": "response.output_text.done", **part, "text": say.whole, "logprobs": []})
                events.append({"type": "response.content_part.done", **part, "part": item["content"][0]})
            elif "input" in item:
                deltas = [{"type": "response.custom_tool_call_input.delta", **place, "delta": piece} for piece in halves(item["input"])]
                events += [*deltas, {"type": "response.custom_tool_call_input.done", **place, "input": item["input"]}]
            else:
                deltas = [{"type": "response.function_call_arguments.delta", **place, "delta": piece} for piece in halves(item["arguments"])]
                done = {"type": "response.function_call_arguments.done", **place, "name": say.name, "arguments": item["arguments"]}
                events += [*deltas, done]
            events.append({"type": "response.output_item.done", "output_index": index, "item": item})
        events.append({"type": "response.completed", "response": whole})
        return [named({**event, "sequence_number": number}) for number, event in enumerate(events)]

    @staticmethod
    def got(streams: bool, body: bytes) -> Got:
        events = data(body) if streams else []
        assert [event["sequence_number"] for event in events] == list(range(len(events))), "numbers in a row"
        whole = events[-1]["response"] if streams else json.loads(body)
        parts = [part for item in whole["output"] for part in item.get("content") or []]
        text = "".join(part["text"] for part in parts)
        deltas = "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
        assert not streams or deltas == text, (deltas, text)
        calls = [item["name"] for item in whole["output"] if item["type"] == "function_call"]
        return Got(text, calls, (whole["usage"]["input_tokens"], whole["usage"]["output_tokens"]))


class Gemini:
    """Google's Gemini."""

    @staticmethod
    def path(model: str, streams: bool) -> str:
        return f"/v1beta/models/{model}:{'streamGenerateContent?alt=sse' if streams else 'generateContent'}"

    @staticmethod
    def request(_model: str, _streams: bool, result: str) -> dict:
        contents = [{"role": "user", "parts": [{"text": "Look"}]}]
        contents.append({"role": "model", "parts": [{"functionCall": {"name": OWN, "args": GIVEN}}]})
        contents.append({"role": "user", "parts": [{"functionResponse": {"name": OWN, "response": {"output": result}}}]})
        return {"tools": [{"functionDeclarations": [{"name": OWN, "parameters": SCHEMA}]}], "contents": contents}

    @staticmethod
    def tools(body: dict) -> list[str]:
        declared = [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or []]
        return [one.get("name") for one in declared]

    @staticmethod
    def results(body: dict) -> list[tuple[str, str]]:
        parts = [part for turn in body["contents"] for part in turn.get("parts") or []]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        # Where there is no output, as with Goose, whatever stands there is the answer.
        return [(one["name"], joined(one["response"].get("output", one["response"]))) for one in answers]

    @staticmethod
    def response(turn: int, parts: list[dict], reason: str | None) -> dict:
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        if reason:
            candidate["finishReason"] = reason
        usage = {"promptTokenCount": READ, "candidatesTokenCount": WROTE, "totalTokenCount": READ + WROTE}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "g", "responseId": f"r{turn}"}

    @staticmethod
    def parts(says: list[Say]) -> list[dict]:
        parts = []
        for say in says:
            if isinstance(say, Text):
                parts += [{"text": piece} for piece in say.pieces]
            else:
                parts.append({"functionCall": {"name": say.name, "args": say.given}})
        return parts

    @classmethod
    def whole(cls, turn: int, says: list[Say]) -> dict:
        return cls.response(turn, cls.parts(says), "STOP")

    @classmethod
    def events(cls, turn: int, says: list[Say]) -> list[bytes]:
        parts = cls.parts(says)
        return [plain(cls.response(turn, [part], "STOP" if part is parts[-1] else None)) for part in parts]

    @staticmethod
    def got(streams: bool, body: bytes) -> Got:
        events = data(body) if streams else [json.loads(body)]
        candidates = [event["candidates"][0] for event in events]
        assert [bool(one.get("finishReason")) for one in candidates] == [False] * (len(events) - 1) + [True], "one end"
        parts = [part for one in candidates for part in one.get("content", {}).get("parts") or []]
        text = "".join(part.get("text", "") for part in parts)
        calls = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
        usage = events[-1]["usageMetadata"]
        return Got(text, calls, (usage["promptTokenCount"], usage["candidatesTokenCount"]))


def halves(text: str) -> list[str]:
    """A text in two pieces, as arguments of calls come."""
    return [text[: len(text) // 2], text[len(text) // 2 :]]


SHAPES = {"messages": Messages, "chat": Chat, "responses": Responses, "gemini": Gemini}


def shape_of(path: str):
    """The shape of requests to a path, if it has one."""
    ends = {"/messages": Messages, "/chat/completions": Chat, "/responses": Responses}
    ends |= {":generateContent": Gemini, ":streamGenerateContent": Gemini}
    return next((shape for end, shape in ends.items() if path.split("?")[0].endswith(end)), None)


def streams(path: str, body: dict) -> bool:
    """Whether a request asks for events."""
    return bool(body.get("stream")) or ":streamGenerateContent" in path
