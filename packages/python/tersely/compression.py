"""`compress`: a text or the messages of a conversation in fewer tokens, as a pure function."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

from . import core

Mode = Literal["disabled", "safe", "standard", "aggressive"]
Loss = Literal["none", "form", "detail"]
Reader = Literal["auto", "strong", "small"]
Format = Literal["openai", "chat", "anthropic", "responses", "gemini"]

_log = logging.getLogger("tersely")


@dataclass(frozen=True)
class Saving:
    """What was saved, in tokens of `o200k_base`."""

    before: int = 0
    """Tokens of the tool results as they came."""
    after: int = 0
    """Tokens of the tool results as they are now."""
    stages: Mapping[str, int] = field(default_factory=dict)
    """How many tokens each stage saved."""
    omitted: tuple[str, ...] = ()
    """The ids of the texts that were left out, for `expand`."""

    @property
    def saved(self) -> int:
        """Tokens that were saved."""
        return self.before - self.after


class Text(str):
    """A text, and beside it what was saved."""

    saving: Saving

    def __new__(cls, text: str, saving: Saving = Saving()) -> Text:
        self = super().__new__(cls, text)
        self.saving = saving
        return self


class Messages(list[Any]):
    """The messages, and beside them what was saved. Those that did not change are the objects that were given."""

    def __init__(self, messages: Sequence[Any], saving: Saving = Saving(), tools: list[Any] | None = None) -> None:
        super().__init__(messages)
        self.saving = saving
        self.tools = tools
        """The tools to send; with `retrieve=True`, yours and one more."""


@overload
def compress(
    content: str,
    *,
    tool: str | None = ...,
    command: str | None = ...,
    model: str | None = ...,
    mode: Mode = ...,
    loss: Loss | None = ...,
    reader: Reader = ...,
    redact_secrets: bool = ...,
    observe: bool = ...,
) -> Text: ...
@overload
def compress(
    content: Sequence[Any],
    *,
    model: str | None = ...,
    tools: Sequence[Any] | None = ...,
    format: Format | None = ...,
    retrieve: bool = ...,
    frozen: int = ...,
    mode: Mode = ...,
    loss: Loss | None = ...,
    reader: Reader = ...,
    redact_secrets: bool = ...,
    observe: bool = ...,
) -> Messages: ...


def compress(content: str | Sequence[Any], **options: Any) -> Text | Messages:
    """A tool's output, or the messages of a conversation, in fewer tokens; unchanged where nothing is saved.

    For a text, `tool` and `command` say what printed it. Messages may have the shape of OpenAI's Chat Completions or
    Responses, Anthropic's Messages or Gemini; only their tool results change, and a message keeps its bytes as the
    conversation grows. `model` says who reads it.

    Nothing but layout is lost. With `retrieve=True`, detail may be left out of messages too: send the `tools` of the
    result, and answer calls of `expand_context` with `expand`. With `observe=True` nothing changes, and `saving` says
    what would have been saved.

    A wrong argument raises a TypeError or a ValueError that names it. Content never raises: what cannot be read comes
    back as it is, and the logger `tersely` says why.
    """
    if isinstance(content, str):
        return _compress_text(content, _check(options, _TEXT_OPTIONS))
    if not isinstance(content, Sequence) or isinstance(content, (bytes, bytearray)):
        raise TypeError(f"content: must be a str or a list of messages, not {type(content).__name__}")
    return _compress_messages(content, _check(options, _MESSAGE_OPTIONS))


@overload
async def acompress(content: str, **options: Any) -> Text: ...
@overload
async def acompress(content: Sequence[Any], **options: Any) -> Messages: ...


async def acompress(content: str | Sequence[Any], **options: Any) -> Text | Messages:
    """As `compress`, on another thread: the event loop goes on meanwhile."""
    return await asyncio.to_thread(lambda: compress(content, **options))


def expand(messages: Sequence[Any], id: str, part: str | None = None, **options: Any) -> str:
    """What was left out of `messages` under an id, or a part of it: "lines 10-40", a word to search for, a path.

    Give the messages and the options that `compress` was given, with `retrieve=True` or without. The answer is meant
    for the model: where there is nothing under the id, it says so.
    """
    if not isinstance(id, str):
        raise TypeError(f"id: must be a str, not {type(id).__name__}")
    checked = _check(options, _MESSAGE_OPTIONS)
    payload = _question(messages, checked.pop("model", None), checked.pop("tools", None))
    _, text = core.call("expand", {**checked, "id": id, "part": part}, payload)
    return text.decode()


def restore_messages(messages: Sequence[Any], format: Format | None) -> list[Any]:
    """The messages as they were before `compress`."""
    payload = _question(messages, None, None)
    _, result = core.call("restore_messages", {"format": format}, payload)
    return [_merge(old, new) for old, new in zip(messages, json.loads(result)["messages"])]


_BOTH = {"model", "mode", "loss", "reader", "redact_secrets", "observe"}
_TEXT_OPTIONS = _BOTH | {"tool", "command"}
_MESSAGE_OPTIONS = _BOTH | {"tools", "format", "retrieve", "frozen"}


def _check(options: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """The options as the core takes them."""
    for name in options:
        if name not in known:
            raise TypeError(f"{name}: there is no such argument here; there are {', '.join(sorted(known))}")
    return {name: value for name, value in options.items() if value is not None}


def _compress_text(text: str, options: dict[str, Any]) -> Text:
    try:
        about, result = core.call("text", options, text.encode())
    except UnicodeEncodeError:
        _log.warning("not compressed: the text has half a surrogate pair")
        return Text(text)
    except (core.Unavailable, RuntimeError) as error:
        _log.warning("not compressed: %s", error)
        return Text(text)
    return Text(result.decode(), _saving(about))


def _compress_messages(messages: Sequence[Any], options: dict[str, Any]) -> Messages:
    tools = options.pop("tools", None)
    unchanged = list(tools) if tools is not None else None
    try:
        payload = _question(messages, options.pop("model", None), tools)
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, _WrongMessages):
            raise
        _log.warning("not compressed: the messages are not JSON: %s", type(error).__name__)
        return Messages(messages, tools=unchanged)
    try:
        about, result = core.call("messages", options, payload)
    except (core.Unavailable, RuntimeError) as error:
        _log.warning("not compressed: %s", error)
        return Messages(messages, tools=unchanged)
    answer = json.loads(result)
    now = [_merge(old, new) for old, new in zip(messages, answer["messages"])]
    return Messages(now, _saving(about), answer.get("tools", unchanged))


def _merge(old: Any, new: Any) -> Any:
    """The caller's own object, unless a tool result in it changed: only then there is a new one."""
    return old if new is None else new


class _WrongMessages(TypeError):
    pass


def _question(messages: Sequence[Any], model: object, tools: object) -> bytes:
    """What the core reads: with strings spelled as it spells them, so that it knows its own texts again."""
    if not isinstance(messages, Sequence) or isinstance(messages, (str, bytes, bytearray)):
        raise _WrongMessages(f"messages: must be a list of messages, not {type(messages).__name__}")
    if model is not None and not isinstance(model, str):
        raise _WrongMessages(f"model: must be a str, not {type(model).__name__}")
    question: dict[str, Any] = {"messages": list(messages)}
    question |= {"model": model} if model is not None else {}
    question |= {"tools": list(tools)} if isinstance(tools, Sequence) else {}
    text = json.dumps(question, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text).encode()


_SURROGATE = re.compile("[\ud800-\udfff]")


def _plain(value: Any) -> Any:
    """What an SDK's own object stands for: those of OpenAI, Anthropic and Google have the methods of Pydantic."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_unset=True)
    raise TypeError(type(value).__name__)


def _saving(about: dict[str, Any]) -> Saving:
    stages = {each["stage"]: each["saved"] for each in about.get("stages", ())}
    return Saving(about["before"], about["after"], stages, tuple(about.get("omitted", ())))
