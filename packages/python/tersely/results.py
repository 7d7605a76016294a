"""Makes the tool results of a framework's own messages smaller: calls and texts in, texts out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .compression import compress


@dataclass(frozen=True)
class Call:
    """A call of a tool: it says what the result is of."""

    id: str | None
    name: str
    arguments: Any


@dataclass(frozen=True)
class Result:
    """A text of a tool's result."""

    id: str | None
    text: str


def shorten(entries: Sequence[Call | Result], options: dict[str, Any]) -> list[str]:
    """The texts of the results, in order, in fewer tokens. Later ones may refer to earlier ones."""
    messages = compress([_message(entry) for entry in entries], format="chat", **options)
    return [message["content"] for message, entry in zip(messages, entries) if isinstance(entry, Result)]


def _message(entry: Call | Result) -> dict[str, Any]:
    if isinstance(entry, Result):
        return {"role": "tool", "tool_call_id": entry.id, "content": entry.text}
    given = entry.arguments
    words = given if isinstance(given, str) else json.dumps(given, default=str)
    call = {"id": entry.id, "type": "function", "function": {"name": entry.name, "arguments": words}}
    return {"role": "assistant", "tool_calls": [call]}
