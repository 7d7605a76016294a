"""Takes texts apart that `tersely compress` signed: the last line says which form is above it."""

from __future__ import annotations

import re
from typing import NamedTuple

from . import general, layout
from .error import DecodeError
from .layout import Layout

# What ended with a line end still does, behind its last line.
_SIGNED = re.compile(r"\n\[layout([0-9]+) (.*)\](\n?)")
# Where a text says that it is not all there, or plays that: only the program knows which.
_MARK = re.compile("<<<(?:SHADOW|TEXT[0-9]+):")
_PROGRAM = "the program reads every other: tersely decode"
_STAGES = ("general", "general json", "json", "text")


class Unsigned(NamedTuple):
    """What a signed text holds."""

    text: str
    """The original, or the terse form of the JSON document that it is."""
    layout: Layout | None
    """How that document was laid out."""
    room: int
    """The bytes that the original may have."""


def read(text: str) -> Unsigned | None:
    """What a signed text holds; none if the text is not signed."""
    last = text.rfind("\n", 0, len(text) - 1)
    found = _SIGNED.fullmatch(text, max(last, 0))
    if found is None:
        return None
    check_unmarked(text)
    stage, _, note = found[2].partition(": ")
    if found[1] != "1" or stage not in _STAGES:
        raise _fault(text, found.start(2), f"general, general json, json or text ({_PROGRAM})", stage)
    is_json = stage.endswith("json")
    laid = layout.read(note) if is_json else None
    if laid is None and (is_json or note and stage != "general"):
        raise _fault(text, found.start(2), "a layout that is written", found[2])
    room = general.size(text) * general.GROWTH
    body = text[:last] + found[3]
    if stage == "general" and note:
        return Unsigned(general.restore_pieces(body, note, room), None, room)
    return Unsigned(general.restore(body, room) if stage.startswith("general") else body, laid, room)


def check_unmarked(text: str) -> None:
    """Fails on a text that names an original, or plays that."""
    mark = _MARK.search(text)
    if mark:
        raise _fault(text, mark.start(), f"a text without such marks ({_PROGRAM})", mark[0])


def _fault(text: str, place: int, expected: str, found: str) -> DecodeError:
    at = DecodeError.at(text, place, expected)
    return DecodeError(at.line, at.column, expected, f"'{found}'")
