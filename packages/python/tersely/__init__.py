"""Reads what Tersely writes, exactly, and says tool output in fewer tokens."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from typing import Any, overload

from . import compression, core, layout, signed, stc, terse, tree
from .clients import anthropic, openai
from .compression import Messages, Saving, Text, acompress, compress, expand
from .error import DecodeError
from .tools import tool
from .tree import Node, Value

__all__ = [
    "DecodeError",
    "Messages",
    "Saving",
    "Text",
    "Value",
    "acompress",
    "anthropic",
    "compress",
    "decode",
    "expand",
    "openai",
    "restore",
    "to_json",
    "tool",
]

# Modules that need the package of their name; each is loaded when it is first named.
_MODULES = ("agents", "httpx", "langchain", "litellm", "pydantic_ai")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tersely.{name}")
    raise AttributeError(f"module 'tersely' has no attribute {name!r}")


# In the order in which they are tried on a text of unknown form.
_FORMS: dict[str, Callable[[str], Node]] = {
    "stc": stc.parse,
    "terse": terse.parse,
}


def decode(text: str, form: str | None = None) -> Value:
    """The ordinary value that `text` stands for; `form` is "terse", "stc", "toon" or "json", by default the one that fits.

    Of what `tersely compress` writes, that is every text that `restore` gives back as JSON.
    """
    if form in ("toon", "json"):
        return _decode_by_core(text, {"form": form})
    try:
        return tree.to_value(_parse(text, form))
    except DecodeError as fault:
        if form is not None:
            raise
        try:
            return _decode_by_core(text, {})
        except (DecodeError, core.Unavailable, RuntimeError):
            raise fault from None


def _decode_by_core(text: str, options: dict[str, str]) -> Value:
    try:
        about, result = core.call("decode", options, text.encode())
    except (core.Damaged, UnicodeEncodeError) as error:
        raise DecodeError(1, 1, "a text that was written whole", str(error)) from None
    if about["kind"] != "json":
        raise DecodeError(1, 1, "a document in one of the forms", "another text")
    value: Value = json.loads(result)
    return value


def to_json(text: str, form: str | None = None) -> str:
    """The exact compact JSON that `text` stands for: number text and duplicate keys kept."""
    return tree.to_json(_parse(text, form))


@overload
def restore(content: str) -> str: ...
@overload
def restore(content: Sequence[Any], *, format: compression.Format | None = ...) -> list[Any]: ...


def restore(content: str | Sequence[Any], *, format: compression.Format | None = None) -> str | list[Any]:
    """The original of what `compress` made smaller, character for character, except for dropped layout (colors,
    trailing spaces, table padding); any other text or message as it is.

    A text from which detail was left out, or that was damaged, raises a DecodeError. A reference to an earlier result
    needs that result, so give the messages, all of them, rather than one text.
    """
    try:
        if isinstance(content, str):
            return core.call("restore", {}, content.encode())[1].decode()
        return compression.restore_messages(content, format)
    except core.Damaged as error:
        raise DecodeError(1, 1, "a text that was written whole", str(error)) from None
    except (core.Unavailable, RuntimeError, UnicodeEncodeError):
        if not isinstance(content, str):
            raise
        return _restore_here(content)


def _restore_here(text: str) -> str:
    """Without the native part and the program: the general form, JSON, and JSON in the general form."""
    plain = text.removeprefix(_BYTE_ORDER)
    found = signed.read(plain)
    if found is None:
        signed.check_unmarked(plain)
        return text
    whole: str | None = found.text
    if found.layout is not None:
        whole = layout.write(found.layout, terse.parse(found.text), found.room)
    if whole is None:
        raise DecodeError(1, 1, "a text that grows less", "one that grows too much")
    return text[: len(text) - len(plain)] + whole


# Some files begin with it: it stays where it is.
_BYTE_ORDER = "\ufeff"


def _parse(text: str, form: str | None) -> Node:
    if form is None:
        found = signed.read(text)
        # A text that was printed or read from a file has a line end that is not part of it.
        whole = (found.text if found else text).removesuffix("\n")
        return terse.parse(whole) if found and found.layout else _parse_any(whole)
    if form not in _FORMS:
        raise ValueError(f"unknown form {form!r}: expected one of {', '.join(_FORMS)}")
    return _FORMS[form](text)


def _parse_any(text: str) -> Node:
    faults: list[DecodeError] = []
    for parse in _FORMS.values():
        try:
            return parse(text)
        except DecodeError as fault:
            faults.append(fault)
    raise faults[0]
