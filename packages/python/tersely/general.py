"""Reads the general form: a list of signs, templates below it, and a text in which both are used."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from .error import DecodeError

GROWTH = 256
"""How many times its own bytes a text may come back as: a few words can stand for very much."""

_HEAD = "[Shorter notation."
_HEAD_END = "]\n"
_TEXT = "[The text:]"
_SIGNS = "ΓΔζθλξπΣφψΩЖШЮЯИЦЛЭ§¶†‡※★■●◆▲▼♥♪∞√∀≈€£¥♀☎あいうえかきくけこしすせそたつてとなにねのはひふへまみむめもやゆよらるをん"
_DITTO = re.compile("(.): same value as in the row above[.]", re.DOTALL)
_FOLD = re.compile(r".* Line ends behind `(.*)` are ours\.", re.DOTALL)
_BRACES = re.compile(r"\{([^{}]*)\}")
_PAD = re.compile("(.*):([<>])([0-9]+)", re.DOTALL)
_BLOCK = re.compile("([0-9]+) lines:")
_COUNT = re.compile("×([0-9]+)(:?)")


def restore(text: str, most: int) -> str:
    """The text that was written as `text`, which may come back as so many bytes at most."""
    head, end, rest = text.partition(_HEAD_END)
    if not head.startswith(_HEAD) or not end:
        raise _fault(1, f"'{_HEAD}'", head)
    head = head[len(_HEAD) :]
    signs, rest = _list(rest)
    room = _Room(most)
    lines = _Lines(2 + len(signs), _unsigned(signs, rest, room, 2 + len(signs)))
    templates = _definitions(lines)
    ditto, fold = _DITTO.search(head), _FOLD.fullmatch(head)
    whole = _body(lines, templates, ditto and ditto[1], _Room(most))
    return whole.replace(fold[1] + "\n", fold[1]) if fold else whole


def restore_pieces(text: str, lengths: str, most: int) -> str:
    """The text that was written piece by piece; `lengths` tells the bytes of each."""
    data = text.encode("utf-8", "surrogatepass")
    pieces: list[str] = []
    start = came = 0
    for length in lengths.split(" "):
        count = _number(length) if length.isascii() and length.isdigit() else None
        end = start + (len(data) + 1 if count is None else count)
        if end > len(data):
            raise _fault(1, "a piece as long as the mark says", lengths)
        try:
            piece = data[start:end].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise _fault(1, "a piece of whole characters", lengths) from None
        pieces.append(restore(piece, most - came) if piece.startswith(_HEAD) else piece)
        came += size(pieces[-1])
        start = end
    if start < len(data) or came > most:
        raise _fault(1, "pieces as long as the mark says", lengths)
    return "".join(pieces)


def size(text: str) -> int:
    """The bytes of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class _Room:
    """Bytes that a text may still grow by."""

    __slots__ = ("left",)

    def __init__(self, most: int) -> None:
        self.left = most

    def take(self, weight: int, line: int) -> None:
        """Takes room for so many bytes of what a line stands for."""
        self.left -= weight
        if self.left < 0:
            raise DecodeError(line, 1, f"a text that grows to at most {GROWTH} times its bytes", "a larger one")


class _Lines:
    """The lines below the list of signs, read one by one."""

    __slots__ = ("at", "first", "lines")

    def __init__(self, first: int, text: str) -> None:
        self.first = first
        self.lines = text.split("\n")
        self.at = 0

    @property
    def number(self) -> int:
        """The number of the line that was read last."""
        return self.first + self.at - 1

    def next(self, expected: str) -> str:
        """The next line, where one is expected."""
        if self.at == len(self.lines):
            raise DecodeError(self.number, 1, expected, "the end")
        self.at += 1
        return self.lines[self.at - 1]

    def fail(self, expected: str) -> NoReturn:
        """Says that something else was expected on the line that was read last."""
        raise _fault(self.number, expected, self.lines[self.at - 1])


def _fault(line: int, expected: str, found: str) -> DecodeError:
    return DecodeError(line, 1, expected, f"'{found[:40]}'")


def _list(text: str) -> tuple[list[tuple[str, str]], str]:
    """The signs with their phrases, and what follows them."""
    signs: list[tuple[str, str]] = []
    while text[:1] and text[0] in _SIGNS:
        line, end, text = text.partition("\n")
        if line[1:2] != " " or not end:
            raise _fault(2 + len(signs), "a sign, a space and a phrase on a line", line)
        signs.append((line[0], line[2:]))
    return signs, text


def _unsigned(signs: list[tuple[str, str]], text: str, room: _Room, line: int) -> str:
    """The text with each sign replaced by its phrase."""
    phrases = dict(signs)
    room.take(size(text) + sum(text.count(sign) * size(phrase) for sign, phrase in phrases.items()), line)
    return text.translate({ord(sign): phrase for sign, phrase in phrases.items()})


class _Hole(NamedTuple):
    """Where a value stands: the number of the value, and the bytes that blanks fill it up to on one side."""

    place: int
    side: str
    width: int


class _Template(NamedTuple):
    holes: int
    separator: str
    parts: list[str | _Hole]


def _definitions(lines: _Lines) -> dict[str, _Template]:
    """The templates by name, up to the line above the text."""
    expected = f"a definition or '{_TEXT}'"
    templates: dict[str, _Template] = {}
    while (line := lines.next(expected)) != _TEXT:
        left, equals, right = line.partition(" = ")
        if not equals:
            lines.fail(expected)
        name, _, holes = left.partition(" ")
        names, separator = _holes(lines, holes)
        places = {name: place for place, name in reversed(list(enumerate(names)))}
        block = _BLOCK.fullmatch(right)
        height = _number(block[1]) if block else None
        parts: list[str | _Hole] = []
        if height is None:
            _add_line(parts, right, places)
        for row in range(height or 0):
            line = lines.next("a line of the block")
            if not line.startswith(" | "):
                lines.fail("' | '")
            parts += ["\n"] if row else []
            _add_line(parts, line[3:], places)
        templates[name] = _Template(len(names), separator, parts)
    return templates


def _holes(lines: _Lines, left: str) -> tuple[list[str], str]:
    """The names of the holes, and what stands between their values."""
    pieces = _BRACES.split(left)
    separators = set(pieces[2:-1:2])
    if pieces[0] or pieces[-1] or len(separators) > 1 or "" in separators:
        lines.fail("names in braces with one separator between them")
    return pieces[1::2], next(iter(separators), ",")


def _add_line(parts: list[str | _Hole], line: str, places: dict[str, int]) -> None:
    """Adds a line of a template: braces around anything that is no hole are text."""
    text: list[str] = []
    for index, piece in enumerate(_BRACES.split(line)):
        hole = _hole(piece, places) if index % 2 else None
        if hole is None:
            text.append(f"{{{piece}}}" if index % 2 else piece)
        else:
            parts += ["".join(text), hole]
            text = []
    parts.append("".join(text))


def _hole(inside: str, places: dict[str, int]) -> _Hole | None:
    if inside in places:
        return _Hole(places[inside], "", 0)
    pad = _PAD.fullmatch(inside)
    width = _number(pad[3]) if pad else None
    if pad is None or width is None or pad[1] not in places:
        return None
    return _Hole(places[pad[1]], pad[2], width)


_MOST = "18446744073709551615"


def _number(digits: str) -> int | None:
    """The number, if the program can hold it."""
    digits = digits.lstrip("0") or "0"
    fits = len(digits) < len(_MOST) or (len(digits) == len(_MOST) and digits <= _MOST)
    return int(digits) if fits else None


def _body(lines: _Lines, templates: dict[str, _Template], ditto: str | None, room: _Room) -> str:
    """The text that rows, runs, repeats and plain lines stand for."""
    items: list[str] = []
    while lines.at < len(lines.lines):
        line = lines.next("")
        name, _, values = line.partition(" ")
        template = templates.get(name)
        if template is None:
            room.take(size(line) + 1, lines.number)
            items.append(line)
            continue
        reader = _Reader(lines, template, ditto, room)
        counted = _COUNT.fullmatch(values)
        count = _number(counted[1]) if counted else None
        if counted and count is not None and counted[2]:
            items.append("\n".join(_run(reader, lines, count)))
        elif count is not None and template.holes == 0:
            items.append(_repeat(reader, count, room))
        else:
            items.append(reader.row(values))
    return "\n".join(items)


def _run(reader: _Reader, lines: _Lines, count: int) -> list[str]:
    rows: list[str] = []
    while len(rows) < count:
        rows.append(reader.row(lines.next(f"{count - len(rows)} more rows")))
    return rows


def _repeat(reader: _Reader, count: int, room: _Room) -> str:
    if count == 0:
        return ""
    row = reader.row("")
    room.take((size(row) + 1) * (count - 1), reader.lines.number)
    return (row + "\n") * (count - 1) + row


class _Reader:
    """Reads rows of one template, each with the values of the row above at hand."""

    __slots__ = ("above", "ditto", "lines", "room", "template")

    def __init__(self, lines: _Lines, template: _Template, ditto: str | None, room: _Room) -> None:
        self.lines = lines
        self.template = template
        self.ditto = ditto
        self.room = room
        self.above: list[str] | None = None

    def row(self, line: str) -> str:
        """The line or lines that a row stands for."""
        self.above = self._values(line)
        self.room.take(1, self.lines.number)
        return "".join([self._part(part, self.above) for part in self.template.parts])

    def _values(self, line: str) -> list[str]:
        holes = self.template.holes
        values = line.split(self.template.separator) if holes > 1 else [line] * (holes or line != "")
        if len(values) != holes:
            self.lines.fail(f"{holes} values")
        if self.ditto in values:
            if self.above is None:
                self.lines.fail("a value: no row of the run stands above")
            values = [old if new == self.ditto else new for old, new in zip(self.above, values)]
        return values

    def _part(self, part: str | _Hole, values: list[str]) -> str:
        """A part of the row; each takes room, an empty one too, for it takes time."""
        if isinstance(part, str):
            self.room.take(size(part), self.lines.number)
            return part
        value = values[part.place]
        weight = size(value)
        self.room.take(max(weight, part.width, 1), self.lines.number)
        blanks = " " * (part.width - weight)
        return blanks + value if part.side == ">" else value + blanks
