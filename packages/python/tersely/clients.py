"""Wraps the clients of OpenAI's and Anthropic's SDKs: they send smaller tool results, and are otherwise as they were."""

from __future__ import annotations

from typing import Any, TypeVar

Client = TypeVar("Client")


def openai(client: Client, **options: Any) -> Client:
    """A copy of an `OpenAI` or `AsyncOpenAI` client that compresses tool results, in Chat Completions and Responses.

    The options are those of `compress`. Detail may be left out: the model can fetch it back, with a tool that is
    offered and answered here; `retrieve=False` leaves nothing out.
    """
    return _wrap(client, options)


def anthropic(client: Client, **options: Any) -> Client:
    """A copy of an `Anthropic` or `AsyncAnthropic` client that compresses tool results. The options are as of `openai`."""
    return _wrap(client, options)


def _wrap(client: Client, options: dict[str, Any]) -> Client:
    from .httpx import wrap

    any_client: Any = client
    http = getattr(any_client, "_client", None)
    if http is None or not hasattr(any_client, "copy"):
        raise TypeError(f"client: must be a client of OpenAI's or Anthropic's SDK, not {type(client).__name__}")
    copied: Client = any_client.copy(http_client=wrap(http, **options))
    return copied
