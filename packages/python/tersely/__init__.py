"""Reads the dense forms of JSON that Tersely writes, exactly, and says tool output in fewer tokens."""

from __future__ import annotations

from collections.abc import Callable

from . import signed, stc, terse, tree
from .error import DecodeError
from .program import compress
from .tree import Node, Value

__all__ = ["DecodeError", "Value", "compress", "decode", "to_json"]

# In the order in which they are tried on a text of unknown form.
_FORMS: dict[str, Callable[[str], Node]] = {
    "stc": stc.parse,
    "terse": terse.parse,
}


def decode(text: str, form: str | None = None) -> Value:
    """The ordinary value that `text` stands for; without `form`, in the first form that reads it.

    Of what `tersely compress` writes, that is JSON (with `[layout1 json …]` or nothing below it) and JSON lines.
    """
    return tree.to_value(_parse(text, form))


def to_json(text: str, form: str | None = None) -> str:
    """The exact compact JSON that `text` stands for: number text and duplicate keys kept."""
    return tree.to_json(_parse(text, form))


def _parse(text: str, form: str | None) -> Node:
    if form is None:
        # A text that was printed or read from a file has a line end that is not part of it.
        text = text.removesuffix("\n")
        return signed.parse(text) if signed.is_signed(text) else _parse_any(text)
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
