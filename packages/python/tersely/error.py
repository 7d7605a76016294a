"""Says where a text stopped making sense, and what would have."""

from __future__ import annotations

import unicodedata


class DecodeError(ValueError):
    """A text is not of the form it was taken for."""

    def __init__(self, line: int, column: int, expected: str, found: str) -> None:
        super().__init__(line, column, expected, found)
        self.line = line
        """Line of the fault, from 1."""
        self.column = column
        """Column of the fault in characters, from 1."""
        self.expected = expected
        """What the form allows there."""
        self.found = found
        """What stands there instead."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: expected {self.expected}, found {self.found}"

    @classmethod
    def at(cls, text: str, place: int, expected: str) -> DecodeError:
        """The fault at `place` of `text`."""
        line = text.count("\n", 0, place) + 1
        return cls(line, place - text.rfind("\n", 0, place), expected, _name(text[place : place + 1]))


_SHORT = {"\t": r"\t", "\r": r"\r", "\0": r"\0", "\\": r"\\", "'": r"\'"}


def _name(character: str) -> str:
    if character == "":
        return "the end"
    if character == "\n":
        return "the end of the line"
    return f"'{_SHORT.get(character) or (character if _shows(character) else _code(character))}'"


def _shows(character: str) -> bool:
    return character.isprintable() and unicodedata.category(character) not in ("Mn", "Me")


def _code(character: str) -> str:
    return f"\\u{{{ord(character):x}}}"
