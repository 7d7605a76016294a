"""An upstream with a script that counts tokens as a prompt cache would: a prefix that it has seen up to a mark is read.

Tokens are bytes divided by four. Only what a request marks with `cache_control` is stored, for each model apart, and forever
unless `forget` is called.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass, field

from upstream import Handler, Upstream, listed


@dataclass
class Part:
    """One part of a prompt, in the order of the cache."""

    kind: str
    text: str
    is_marked: bool

    @property
    def tokens(self) -> int:
        """About as many as a tokenizer would count."""
        return max(1, len(self.text) // 4)


@dataclass
class Asked:
    """A request to the model, and what was counted."""

    number: int
    event: str
    parts: list[Part]
    usage: dict
    model: str
    conversation: str
    diagnosis: str | None = None


@dataclass
class PromptCache:
    """The prefixes that were marked, by a hash over all their parts."""

    seen: set[str] = field(default_factory=set)

    def take(self, model: str, parts: list[Part]) -> dict:
        """Counts a request, and stores what it marks."""
        marks = [at for at, part in enumerate(parts) if part.is_marked]
        read, total, last, chain, stored = 0, 0, 0, hashlib.sha256(model.encode()), []
        for at, part in enumerate(parts):
            chain.update(part.text.encode())
            total += part.tokens
            if marks and at <= marks[-1]:
                last = total
                if chain.hexdigest() in self.seen:
                    read = total
            if part.is_marked:
                stored.append(chain.hexdigest())
        self.seen.update(stored)
        counted = {"cache_read_input_tokens": read, "cache_creation_input_tokens": last - read}
        return {"input_tokens": total - last, **counted, "output_tokens": 9}


def plain(value: object) -> object:
    """The same without cache marks."""
    if isinstance(value, dict):
        return {name: plain(it) for name, it in value.items() if name != "cache_control"}
    return [plain(it) for it in value] if isinstance(value, list) else value


def part(kind: str, value: object) -> Part:
    """A part, as the model sees it."""
    return Part(kind, json.dumps(plain(value)), isinstance(value, dict) and "cache_control" in value)


def parts(body: dict) -> list[Part]:
    """The parts of a request: tools, system prompt, settings, blocks of messages."""
    system = body.get("system") or []
    system = [{"type": "text", "text": system}] if isinstance(system, str) else system
    # Anthropic does not take the line that attributes a request for a part of the prompt.
    system = [block for block in system if not block["text"].startswith("x-anthropic-billing-header:")]
    found = [part("tools", tool) for tool in body.get("tools") or []] + [part("system", block) for block in system]
    found.append(part("settings", [body.get("thinking"), body.get("output_config"), body.get("tool_choice")]))
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        role = message["role"]
        found += [Part("messages", f"{role} {(it := part('messages', block)).text}", it.is_marked) for block in blocks]
    return found


def conversation(body: dict) -> str:
    """What tells a conversation from others: the person's first text, without what the client puts around it."""
    texts = [part.get("text", "") for message in body["messages"][:1] for part in listed(message["content"])]
    own = [text for text in texts if not text.startswith("<")] or texts or [str(body["messages"][0]["content"])]
    return own[0][:60]


class CachingUpstream(Upstream):
    """Plays the model by a script, and the cache by what it has seen."""

    def __init__(self, script) -> None:
        self.script, self.cache, self.asked, self.event, self.known = script, PromptCache(), [], "", {}
        self.counting = threading.Lock()
        super().__init__(CachingHandler)

    def plan(self, event: str) -> None:
        """What the next request shows."""
        self.event = event

    def count(self, body: dict) -> Asked:
        """Counts a request, and compares it with the one that the client names. A sub-agent's may come at the same time: no two have one number."""
        with self.counting:
            return self.count_alone(body)

    def count_alone(self, body: dict) -> Asked:
        """The same, one at a time."""
        found, model = parts(body), body["model"]
        asked = Asked(len(self.asked) + 1, self.event, found, self.cache.take(model, found), model, conversation(body))
        self.event = ""
        before = self.known.get((body.get("diagnostics") or {}).get("previous_message_id"))
        if before:
            asked.diagnosis = diagnose(before, asked)
        self.known[f"msg_{asked.number}"] = asked
        self.asked.append(asked)
        return asked


def diagnose(before: Asked, now: Asked) -> str | None:
    """The word that the real API would say."""
    if before.model != now.model:
        return "model_changed"
    for kind in ["system", "tools", "messages"]:
        one, two = ([it.text for it in asked.parts if it.kind == kind] for asked in [before, now])
        if one != (two[: len(one)] if kind == "messages" else two):
            return f"{kind}_changed"
    return None


class CachingHandler(Handler):
    """Answers one connection."""

    server: CachingUpstream

    def do_POST(self) -> None:
        """Play the script."""
        raw, path = self.keep(), self.path.split("?")[0]
        body = json.loads(raw or b"{}")
        if not path.endswith("/messages"):
            self.whole({"input_tokens": 10})
            return
        asked = self.server.count(body)
        events = turn(asked, body, self.server.script(asked, body))
        if body.get("stream"):
            self.chunks([f"event: {it['type']}\ndata: {json.dumps(it)}\n\n".encode() for it in events], 0)
        else:
            self.whole(whole(asked, body, self.server.script(asked, body)))


def start(asked: Asked, body: dict) -> dict:
    """A message without content."""
    said = {"diagnostics": {"cache_miss_reason": {"type": asked.diagnosis, "cache_missed_input_tokens": 1}}} if asked.diagnosis else {}
    head = {"id": f"msg_{asked.number}", "type": "message", "role": "assistant", "model": body["model"]}
    return {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": asked.usage, **said}


def whole(asked: Asked, body: dict, block: dict) -> dict:
    """An answer in one piece."""
    reason = "tool_use" if block["type"] == "tool_use" else "end_turn"
    return {**start(asked, body), "content": [block], "stop_reason": reason}


def turn(asked: Asked, body: dict, block: dict) -> list[dict]:
    """An answer as events."""
    is_call = block["type"] == "tool_use"
    begun = {**block, "input": {}} if is_call else {**block, "text": ""}
    delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])} if is_call else {"type": "text_delta", "text": block["text"]}
    stop = {"stop_reason": "tool_use" if is_call else "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": start(asked, body)},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]


def since(body: dict) -> list[dict]:
    """The messages after the model's last one."""
    messages = body["messages"]
    last = max((at for at, it in enumerate(messages) if it["role"] == "assistant"), default=-1)
    return messages[last + 1 :]


def results(body: dict) -> list[dict]:
    """The tool results that follow the model's last message."""
    return [block for message in since(body) for block in listed(message.get("content")) if block.get("type") == "tool_result"]
