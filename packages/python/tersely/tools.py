"""`tool`: a decorator that makes a tool's result smaller where it is made."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
from collections.abc import Callable
from typing import Any, TypeVar, overload

from .compression import compress

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def tool(function: Function) -> Function: ...
@overload
def tool(*, name: str | None = ..., command: str | None = ..., **options: Any) -> Callable[[Function], Function]: ...


def tool(
    function: Function | None = None, *, name: str | None = None, command: str | None = None, **options: Any
) -> Function | Callable[[Function], Function]:
    """Decorates a function, sync or async, whose result is for a model: it returns that result in fewer tokens.

    A text is compressed; a dict or a list is written as JSON and compressed, and is returned as it is where nothing is
    saved. Anything else is returned as it is. Nothing but layout is lost, because nobody could fetch it back. The type of
    the result is dropped unless it is `str`, so that no server demands the structure that was there.

        @mcp.tool()
        @tersely.tool
        def list_issues(repository: str) -> str: ...
    """
    if function is None:
        return lambda function: _wrap(function, {"tool": name or function.__name__, "command": command, **options})
    return _wrap(function, {"tool": name or function.__name__, "command": command, **options})


def _wrap(function: Function, options: dict[str, Any]) -> Function:
    # A wrong option is an error now, not when the tool is called.
    compress("", **options)
    wrapper: Any
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def run_async(*args: Any, **kwargs: Any) -> Any:
            result = await function(*args, **kwargs)
            return await asyncio.to_thread(_shorten, result, options)

        wrapper = run_async
    else:

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            return _shorten(function(*args, **kwargs), options)

        wrapper = run
    _untype(wrapper, function)
    wrapped: Function = wrapper
    return wrapped


def _untype(wrapper: Any, function: Callable[..., Any]) -> None:
    """Drops the type of a result that may become a text: a server would hold the text to it."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    if signature.return_annotation in (str, "str"):
        return
    wrapper.__signature__ = signature.replace(return_annotation=inspect.Signature.empty)
    hints = getattr(function, "__annotations__", {})
    wrapper.__annotations__ = {name: hint for name, hint in hints.items() if name != "return"}


def _shorten(result: Any, options: dict[str, Any]) -> Any:
    if isinstance(result, str):
        return str(compress(result, **options))
    if not isinstance(result, (dict, list)):
        return result
    try:
        text = json.dumps(result, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return result
    short = compress(text, **options)
    return str(short) if short.saving.saved > 0 else result
