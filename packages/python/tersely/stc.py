"""Reads STC v1: JSON with bare keys, counted lists and counted tables."""

from __future__ import annotations

import re

from . import tree
from .scan import NUMBER, SPACE, Scan
from .tree import MAX_DEPTH, Array, Node, Object, Value

MAX_COUNT = 999_999_999
"""The most elements or rows that a count can announce."""

_BARE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COUNT = re.compile(r"[1-9][0-9]{0,8}(?![0-9])")
_S = SPACE.pattern
# A number alone in brackets is a plain array, unless `:` or `{` follows.
_COUNT_AHEAD = re.compile(rf"\[{_S}{NUMBER.pattern}{_S}\]{_S}[:{{]")


def decode(text: str) -> Value:
    """The ordinary value that an STC text stands for."""
    return tree.to_value(parse(text))


def to_json(text: str) -> str:
    """The exact compact JSON that an STC text stands for."""
    return tree.to_json(parse(text))


def parse(text: str) -> Node:
    """The exact value that an STC text stands for."""
    scan = Scan(text)
    scan.space()
    node = _counted(scan, 0) if _COUNT_AHEAD.match(text, scan.at) else _tree(scan)
    scan.space()
    if scan.peek():
        scan.fail("the end of the document")
    return node


def _tree(scan: Scan) -> Node:
    """One value. What is still open is kept here, so that deep text cannot exhaust Python's stack."""
    holders: list[Array | Object] = []
    root: Node = None
    while True:
        node = _begin(scan, len(holders))
        if holders:
            _put(holders[-1], node)
        else:
            root = node
        if isinstance(node, (Array, Object)):
            holders.append(node)
        while holders and not _advance(scan, holders[-1], len(holders)):
            holders.pop()
        if not holders:
            return root


def _begin(scan: Scan, depth: int) -> Node:
    """A scalar, or an array or object just opened."""
    bracket = scan.peek()
    if bracket not in ("[", "{"):
        return scan.scalar()
    _deeper(scan, depth)
    scan.take(bracket, bracket)
    return Array() if bracket == "[" else Object()


def _put(holder: Array | Object, node: Node) -> None:
    if isinstance(holder, Array):
        holder.items.append(node)
    else:
        holder.members[-1] = (holder.members[-1][0], node)


def _advance(scan: Scan, holder: Array | Object, depth: int) -> bool:
    """Goes to the next value to read inside `holder`; false when it has closed."""
    filled, close = (holder.items, "]") if isinstance(holder, Array) else (holder.members, "}")
    scan.space()
    while not scan.eat(close):
        if filled:
            scan.take(",", f"',' or '{close}'")
        if isinstance(holder, Array):
            return True
        key = _key(scan)
        if scan.peek() != "[":
            scan.take(":", "':' or '['")
            holder.members.append((key, None))
            return True
        holder.members.append((key, _counted(scan, depth)))
        scan.space()
    return False


def _key(scan: Scan) -> str:
    """A key and the white space behind it."""
    key = scan.match(_BARE_KEY)
    if key is None:
        key = scan.string() if scan.peek() == '"' else scan.fail("a key")
    scan.space()
    return key


def _counted(scan: Scan, depth: int) -> Node:
    _deeper(scan, depth)
    scan.take("[", "'['")
    found = scan.match(_COUNT)
    count = int(found) if found else scan.fail(f"a count from 1 to {MAX_COUNT}")
    scan.space()
    scan.take("]", "']'")
    if scan.peek() == "{":
        _deeper(scan, depth + 1)
        return _table(scan, count)
    scan.take(":", "':' or '{'")
    return Array(_cells(scan, count))


def _deeper(scan: Scan, depth: int) -> None:
    if depth >= MAX_DEPTH:
        scan.fail(f"at most {MAX_DEPTH} levels")


def _table(scan: Scan, count: int) -> Node:
    columns = _header(scan)
    scan.take(":", "':'")
    rows: list[Node] = []
    for place in range(1, count + 1):
        if place > 1:
            _part(scan, "/", "row", place, count)
        rows.append(Object(list(zip(columns, _cells(scan, len(columns)), strict=True))))
    return Array(rows)


def _header(scan: Scan) -> list[str]:
    """The column names between braces; each may stand there once."""
    columns: dict[str, None] = {}
    scan.take("{", "'{'")
    while True:
        start = scan.at
        column = _key(scan)
        if column in columns:
            scan.at = start
            scan.fail("a column that is not there yet")
        columns[column] = None
        if scan.peek() == "}":
            scan.take("}", "'}'")
            return list(columns)
        scan.take(",", "',' or '}'")


def _cells(scan: Scan, count: int) -> list[Node]:
    cells: list[Node] = []
    for place in range(1, count + 1):
        if place > 1:
            _part(scan, ",", "value", place, count)
        if scan.peek() in ("[", "{"):
            scan.fail("a string, a number, true, false or null")
        cells.append(scan.scalar())
    return cells


def _part(scan: Scan, token: str, what: str, place: int, count: int) -> None:
    """Takes the separator before `what` at `place`, with the white space around it."""
    scan.space()
    if not scan.eat(token):
        scan.fail(f"'{token}' and {what} {place} of {count}")
    scan.space()
