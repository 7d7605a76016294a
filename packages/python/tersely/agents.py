"""OpenAI's Agents SDK: agents whose tool results cost fewer tokens.

    set_default_openai_client(tersely.openai(AsyncOpenAI()))            # detail is left out, and fetched back
    RunConfig(call_model_input_filter=input_filter())                   # any model; nothing is left out

This module needs the Agents SDK; nothing else in the package does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

from agents.run import CallModelData, ModelInputData

from .compression import acompress

__all__ = ["input_filter"]


def input_filter(**options: Any) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """A filter for `RunConfig` that makes tool results smaller. The options are those of `tersely.compress`."""

    async def shorten(data: CallModelData[Any]) -> ModelInputData:
        model = data.agent.model
        named = {"model": model} if isinstance(model, str) else {}
        items = await acompress(data.model_data.input, **{"format": "responses", **named, **options})
        return dataclasses.replace(data.model_data, input=list(items))

    return shorten
