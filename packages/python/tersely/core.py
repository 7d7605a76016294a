"""Finds what does the work: the native part of the wheel, or the program as a process that stays.

Both answer the same calls with the same bytes. Where there is neither, `Unavailable` is raised, and whoever
compresses goes on with what it has.
"""

from __future__ import annotations

import json
import os
import threading
from typing import Any, Protocol

from . import process


class Unavailable(Exception):
    """There is no native part and no program for this platform."""


class Damaged(Exception):
    """A text that is marked as compressed cannot be decoded."""


class Exchange(Protocol):
    """One request and its response, in which the model may call a tool that the client does not see."""

    def begin(self, content_type: str) -> None: ...
    def see(self, data: bytes) -> bytes: ...
    def end(self) -> tuple[bytes, bytes | None]: ...
    def fail(self, status: int, message: str) -> bytes: ...


class _Core(Protocol):
    def call(self, operation: str, options: str, payload: bytes) -> tuple[str, bytes]: ...
    def open(self, options: str, body: bytes) -> tuple[tuple[str, bytes], Exchange | None]: ...


_lock = threading.Lock()
_core: _Core | None = None


def call(operation: str, options: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], bytes]:
    """Runs an operation: what is to be said about it, and the result. Wrong options raise a ValueError."""
    try:
        about, result = _find().call(operation, json.dumps(options), payload)
    except ValueError as error:
        raise _fault(error) from None
    return json.loads(about), result


def open(options: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes, Exchange | None]:
    """Compresses a request that is about to be sent; with an exchange if its response must pass through that."""
    try:
        (about, result), exchange = _find().open(json.dumps(options), body)
    except ValueError as error:
        raise _fault(error) from None
    return json.loads(about), result, exchange


def _fault(error: ValueError) -> Exception:
    kind, message = error.args if len(error.args) == 2 else ("argument", str(error))
    return Damaged(message) if kind == "content" else ValueError(message)


def _find() -> _Core:
    global _core
    if _core is None:
        with _lock:
            _core = _core or _load()
    return _core


def _load() -> _Core:
    # Tests choose by a variable.
    wish = os.environ.get("TERSELY_PACKAGE_CORE")
    if wish == "none":
        raise Unavailable("TERSELY_PACKAGE_CORE=none")
    if wish != "program":
        try:
            from . import _native
        except ImportError:
            pass
        else:
            return _native
    found = process.start()
    if found is None:
        raise Unavailable("no native part and no `tersely` program: this platform has no wheel that brings them")
    return found
