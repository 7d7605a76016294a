"""Pydantic AI: agents whose tool results cost fewer tokens.

    agent = Agent(TerselyModel("openai:gpt-5"))       # any model; nothing is left out

Where detail may be left out and fetched back, give the provider a client that is wrapped:
`OpenAIProvider(openai_client=tersely.openai(AsyncOpenAI()))`. The history of the agent keeps the results as the tools
returned them. This module needs Pydantic AI; nothing else in the package does.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models import KnownModelName, Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from .results import Call, Result, shorten

__all__ = ["TerselyModel", "compress_messages"]


class TerselyModel(WrapperModel):
    """A model around another one that gets smaller tool results. The options are those of `tersely.compress`."""

    def __init__(self, wrapped: Model | KnownModelName, **options: Any) -> None:
        super().__init__(wrapped)
        self.options = options

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        return await super().request(await self._shorten(messages), model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        *args: Any,
        **kwargs: Any,
    ) -> AsyncIterator[StreamedResponse]:
        short = await self._shorten(messages)
        async with super().request_stream(short, model_settings, model_request_parameters, *args, **kwargs) as stream:
            yield stream

    async def _shorten(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        options = {"model": self.wrapped.model_name, **self.options}
        return await asyncio.to_thread(compress_messages, messages, **options)


def compress_messages(messages: list[ModelMessage], **options: Any) -> list[ModelMessage]:
    """Pydantic AI's messages with smaller tool results."""
    texts = iter(shorten([entry for message in messages for entry in _entries(message)], options))
    return [_rewrite(message, texts) for message in messages]


def _entries(message: ModelMessage) -> Iterator[Call | Result]:
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            yield Call(part.tool_call_id, part.tool_name, part.args)
        elif isinstance(part, ToolReturnPart):
            yield Result(part.tool_call_id, part.model_response_str())


def _rewrite(message: ModelMessage, texts: Iterator[str]) -> ModelMessage:
    if not isinstance(message, ModelRequest):
        return message
    parts = [_short_part(part, next(texts)) if isinstance(part, ToolReturnPart) else part for part in message.parts]
    return dataclasses.replace(message, parts=parts)


def _short_part(part: ToolReturnPart, text: str) -> ToolReturnPart:
    return part if text == part.model_response_str() else dataclasses.replace(part, content=text)
