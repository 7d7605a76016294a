"""Reads the tokens that every form shares with JSON: strings, numbers, words and white space."""

from __future__ import annotations

import re
from typing import NoReturn

from .error import DecodeError
from .tree import Node, Number

SPACE = re.compile(r"[ \t\n\r]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
# The lookaheads refuse `1.`, `1e` and `01` as a whole instead of taking the part of them that is a number.
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+|(?!\.))(?:[eE][+-]?[0-9]+|(?![eE]))(?![0-9])")
_SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


class Scan:
    """A place in a text, moving forward only."""

    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        """The next character; nothing at the end."""
        return self.text[self.at : self.at + 1]

    def eat(self, token: str) -> bool:
        """Takes `token` if it is next."""
        found = self.text.startswith(token, self.at)
        self.at += len(token) if found else 0
        return found

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Takes what `pattern` finds here."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def space(self) -> None:
        """Takes white space."""
        self.match(SPACE)

    def take(self, token: str, expected: str) -> None:
        """Takes `token`, which must be next, and the white space behind it."""
        if not self.eat(token):
            self.fail(expected)
        self.space()

    def fail(self, expected: str) -> NoReturn:
        """Says that something else was expected here."""
        raise DecodeError.at(self.text, self.at, expected)

    def scalar(self) -> Node:
        """`true`, `false`, `null`, a number or a string."""
        first = self.peek()
        if first == '"':
            return self.string()
        if first != "" and first in "-0123456789":
            return self.number()
        for word, value in _WORDS.items():
            if self.eat(word):
                return value
        self.fail("a value")

    def number(self) -> Number:
        """A JSON number, its first character next."""
        found = self.match(NUMBER)
        return Number(found) if found else self.fail("a number")

    def string(self) -> str:
        """A JSON string, its opening quote next."""
        self.at += 1
        start = self.at
        while self.match(_PLAIN) is not None and self.peek() != '"':
            if self.peek() != "\\":
                self.fail("the closing quote of a string")
            self.at = min(self.at + 2, len(self.text))
        raw = self.text[start : self.at]
        self.at += 1
        return raw if "\\" not in raw else self._unescape(raw, start)

    def _unescape(self, raw: str, start: int) -> str:
        def character(escape: re.Match[str]) -> str:
            if escape[1] is not None:
                return chr(int(escape[1], 16))
            if escape[2] not in _SHORT:
                raise DecodeError.at(self.text, start + escape.start(), "an escape that JSON knows")
            return _SHORT[escape[2]]

        return joined(_ESCAPE.sub(character, raw))


def joined(units: str) -> str:
    """Joins the halves of a character that came apart; a half alone stays as it is."""
    if units.isascii():
        return units
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
