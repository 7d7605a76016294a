"""Reads what Tersely writes, exactly, and says tool output in fewer tokens."""

from __future__ import annotations

from collections.abc import Callable

from . import layout, signed, stc, terse, tree
from .error import DecodeError
from .program import compress
from .tree import Node, Value

__all__ = ["DecodeError", "Value", "compress", "decode", "restore", "to_json"]

# In the order in which they are tried on a text of unknown form.
_FORMS: dict[str, Callable[[str], Node]] = {
    "stc": stc.parse,
    "terse": terse.parse,
}


def decode(text: str, form: str | None = None) -> Value:
    """The ordinary value that `text` stands for; without `form`, in the first form that reads it.

    Of what `tersely compress` writes, that is every text that `restore` gives back as JSON.
    """
    return tree.to_value(_parse(text, form))


def to_json(text: str, form: str | None = None) -> str:
    """The exact compact JSON that `text` stands for: number text and duplicate keys kept."""
    return tree.to_json(_parse(text, form))


def restore(text: str) -> str:
    """The text that `tersely compress` wrote as `text`, character for character; any other text as it is.

    It reads the general form, JSON, and JSON in the general form. Of other forms the fault names the program, which
    reads them all.
    """
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
