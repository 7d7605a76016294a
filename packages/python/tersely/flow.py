"""Reads a value on one line: JSON whose keys and strings stand bare where nothing is lost by it."""

from __future__ import annotations

import re
from typing import TypeAlias

from .scan import NUMBER, Scan
from .tree import Array, Node, Number, Object

INTRO = re.compile(r"([1-9][0-9]{0,8}) (rows|records|keyed rows|keyed records|items)")
"""How many records a list has, and how they are laid out: `12 rows`."""

_KEY = re.compile(r"[A-Za-z0-9_./$@+-]+")
# A step has no dots, which part steps, and no slashes, which URL templates put in braces.
_STEP = re.compile(r"[A-Za-z0-9_$@+-]+")
_TO_END = re.compile(r'[^\x00-\x1f,"{}\[\]()]*')
# A terminal or a library may take some of these for a line's end, or drop them.
_NEVER_BARE = re.compile("[\\\\\x7f-\xa0\u2028\u2029\ufeff]")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


def value(scan: Scan, levels: int) -> Node:
    """One value that nests at most `levels` deep. What is still open is kept here, not on Python's stack."""
    holders: list[Array | Object] = []
    root: Node = None
    while True:
        node = _begin(scan, levels - len(holders))
        if holders:
            _put(holders[-1], node)
        else:
            root = node
        if isinstance(node, (Array, Object)):
            holders.append(node)
        while holders and not _advance(scan, holders[-1]):
            holders.pop()
        if not holders:
            return root


def _begin(scan: Scan, levels: int) -> Node:
    """A scalar, or an array or object just opened."""
    first = scan.peek()
    if first == '"':
        return scan.string()
    if first not in ("{", "["):
        return _bare(scan)
    if levels == 0:
        scan.fail("fewer levels")
    scan.at += 1
    return Array() if first == "[" else Object()


def _put(holder: Array | Object, node: Node) -> None:
    if isinstance(holder, Array):
        holder.items.append(node)
    else:
        holder.members[-1] = (holder.members[-1][0], node)


def _advance(scan: Scan, holder: Array | Object) -> bool:
    """Goes to the next value to read inside `holder`; false when it has closed."""
    filled, close = (holder.items, "]") if isinstance(holder, Array) else (holder.members, "}")
    if scan.eat(close):
        return False
    if filled and not scan.eat(","):
        scan.fail(f"',' or '{close}'")
    if isinstance(holder, Object):
        holder.members.append((key(scan), None))
        if not scan.eat(":"):
            scan.fail("':'")
    return True


def key(scan: Scan) -> str:
    """A key, bare or in quotes."""
    if scan.peek() == '"':
        return scan.string()
    return scan.match(_KEY) or scan.fail("a key")


def path(scan: Scan) -> list[str]:
    """The steps that lead to a field through the records it is nested in: `user.login`."""
    steps = [_step(scan)]
    while scan.eat("."):
        steps.append(_step(scan))
    return steps


def _step(scan: Scan) -> str:
    if scan.peek() == '"':
        return scan.string()
    return scan.match(_STEP) or scan.fail("a field's name")


_FIELD = re.compile(rf"\{{({_STEP.pattern}(?:\.{_STEP.pattern})*)\}}")


Part: TypeAlias = str | tuple[str, ...]
"""A piece of a template: its characters, or the path of a field."""


def template(raw: str) -> list[Part]:
    """The parts of a text as JSON spells it: texts, and the paths between braces.

    Braces that do not hold a path stand for themselves. A path has no quotes here: an open text cannot
    hold any, and a quoted one holds them behind backslashes.
    """
    parts: list[Part] = []
    for index, part in enumerate(_FIELD.split(raw)):
        if index % 2:
            parts.append(tuple(part.split(".")))
        elif part:
            parts.append(unspell(part))
    return parts


def unspell(raw: str) -> str:
    """The characters that JSON spells `raw`."""
    return Scan(f'"{raw}"').string()


def _bare(scan: Scan) -> Node:
    """A word, a number or a bare string."""
    start = scan.at
    text = scan.match(_TO_END) or ""
    if text in _WORDS:
        return _WORDS[text]
    if NUMBER.fullmatch(text):
        return Number(text)
    if not _is_bare(text):
        scan.at = start
        scan.fail("a value")
    return text


def _is_bare(text: str) -> bool:
    edges = text[:1] + text[-1:]
    return edges != "" and " " not in edges and not _NEVER_BARE.search(text) and not INTRO.fullmatch(text)
