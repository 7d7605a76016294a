"""LangChain and LangGraph: agents whose tool results cost fewer tokens.

    agent = create_agent(model, tools, middleware=[TerselyMiddleware()])      # any model; nothing is left out
    agent = create_agent(wrap(ChatOpenAI(model="gpt-5")), tools)              # and detail is left out, and fetched back

The state of the agent keeps the results as the tools returned them. This module needs LangChain; nothing else in the
package does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeVar

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from . import clients
from .results import Call, Result, shorten

__all__ = ["TerselyMiddleware", "compress_messages", "wrap"]

Model = TypeVar("Model")


class TerselyMiddleware(AgentMiddleware[Any, Any, Any]):
    """Makes tool results smaller on their way to the model. The options are those of `tersely.compress`."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = options

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(request.override(messages=self._shorten(request)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(request.override(messages=await asyncio.to_thread(self._shorten, request)))

    def _shorten(self, request: ModelRequest[Any]) -> list[AnyMessage]:
        name = getattr(request.model, "model_name", None) or getattr(request.model, "model", None)
        model = {"model": name} if isinstance(name, str) else {}
        return compress_messages(request.messages, **{**model, **self.options})


def compress_messages(messages: Sequence[AnyMessage], **options: Any) -> list[AnyMessage]:
    """LangChain's messages with smaller tool results, for chains and graphs of your own."""
    texts = iter(shorten([entry for message in messages for entry in _entries(message)], options))
    return [_rewrite(message, texts) for message in messages]


def _entries(message: AnyMessage) -> Iterator[Call | Result]:
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            yield Call(call["id"], call["name"], call["args"])
    # What failed is short, and is read word by word.
    elif isinstance(message, ToolMessage) and message.status != "error":
        for text in _texts(message.content):
            yield Result(message.tool_call_id, text)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content if _is_text(block)]


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text"


def _rewrite(message: AnyMessage, texts: Iterator[str]) -> AnyMessage:
    if not isinstance(message, ToolMessage) or message.status == "error":
        return message
    content: Any = message.content
    if isinstance(content, str):
        now: Any = next(texts)
    else:
        now = [{**block, "text": next(texts)} if _is_text(block) else block for block in content]
    return message if now == content else message.model_copy(update={"content": now})


def wrap(model: Model, **options: Any) -> Model:
    """A copy of a `ChatOpenAI` or `ChatAnthropic` model whose HTTP client compresses, as `tersely.openai` does."""
    copied: Any = model.model_copy()  # type: ignore[attr-defined]
    if getattr(model, "root_client", None) is not None:
        copied.root_client = clients.openai(copied.root_client, **options)
        copied.root_async_client = clients.openai(copied.root_async_client, **options)
        copied.client = copied.root_client.chat.completions
        copied.async_client = copied.root_async_client.chat.completions
    elif hasattr(model, "_async_client"):
        copied.__dict__["_client"] = clients.anthropic(copied._client, **options)
        copied.__dict__["_async_client"] = clients.anthropic(copied._async_client, **options)
    else:
        raise TypeError(f"model: must be a ChatOpenAI or a ChatAnthropic, not {type(model).__name__}")
    result: Model = copied
    return result
