"""Reads what `tersely compress` makes of JSON: the terse form, above a line that says how the JSON was laid out."""

from __future__ import annotations

import re

from . import terse
from .error import DecodeError
from .tree import Array, Node

_OPEN = "\n[layout1 "
# Where a text says that it is not all there, or plays that: only the program knows which.
_MARK = re.compile("<<<(?:SHADOW|TEXT[0-9]+):")
_PROGRAM = "the program reads every other: tersely decode"


def is_signed(text: str) -> bool:
    """True when the last line is ours."""
    return text.startswith(_OPEN, max(text.rfind("\n"), 0)) and text.endswith("]")


def parse(text: str) -> Node:
    """The value that a signed text stands for: white space and escapes, of which the line tells, are no part of it."""
    end = text.rfind("\n")
    stage = text[end + len(_OPEN) : -1].partition(": ")[0]
    if stage not in ("json", "json lines"):
        raise _fault(text, end + len(_OPEN), f"json or json lines ({_PROGRAM})", stage)
    mark = _MARK.search(text)
    if mark:
        raise _fault(text, mark.start(), f"a text without such marks ({_PROGRAM})", mark[0])
    node = terse.parse(text[:end])
    if stage == "json lines" and not isinstance(node, Array):
        raise _fault(text, 0, "a list of documents", text.partition("\n")[0])
    return node


def _fault(text: str, place: int, expected: str, found: str) -> DecodeError:
    fault = DecodeError.at(text, place, expected)
    return DecodeError(fault.line, fault.column, expected, f"'{found}'")
