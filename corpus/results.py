"""Finds the tool results in a request body of each API."""

from __future__ import annotations

import json


def tool_results(api: str, body: dict) -> list[str]:
    """The text of every tool result, in order."""
    return FINDERS[api](body)


def anthropic(body: dict) -> list[str]:
    """Blocks of type `tool_result`."""
    contents = [turn["content"] for turn in body["messages"] if isinstance(turn.get("content"), list)]
    blocks = [block for content in contents for block in content if block.get("type") == "tool_result"]
    return [joined(block.get("content")) for block in blocks]


def openai(body: dict) -> list[str]:
    """Messages of the role `tool`."""
    return [joined(turn["content"]) for turn in body["messages"] if turn["role"] == "tool"]


def responses(body: dict) -> list[str]:
    """Items that are outputs of calls."""
    return [joined(item["output"]) for item in body["input"] if str(item.get("type")).endswith("call_output")]


def gemini(body: dict) -> list[str]:
    """Parts that are responses of functions."""
    parts = [part for turn in body["contents"] for part in turn.get("parts") or []]
    answers = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
    return [joined(answer.get("output", answer)) for answer in answers]


def joined(content: object) -> str:
    """A text, or the texts of blocks."""
    if isinstance(content, list):
        return "".join(block.get("text", "") for block in content if isinstance(block, dict))
    return content if isinstance(content, str) else json.dumps(content or "", ensure_ascii=False)


FINDERS = {"anthropic": anthropic, "openai": openai, "responses": responses, "gemini": gemini}
