"""Reads a header and the rows below it."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import flow
from .deep import Task
from .scan import Scan
from .tree import MAX_DEPTH, Array, Node, Object

_CLOSE = {"{": "}", "[": "]"}


@dataclass(slots=True)
class Column:
    """One column of a header."""

    key: str
    bracket: str = ""
    """What its cells are: values, the cells of a record (`{`), or lists with records in parentheses (`[`)."""
    inside: list[Column] = field(default_factory=list)
    """The columns of the records inside this one."""


def header(scan: Scan, keyed: bool) -> list[Column]:
    """A header and the end of its line."""
    if keyed and not scan.eat("key: "):
        scan.fail("'key: ' and a header")
    columns = _columns(scan)
    if not scan.eat("\n"):
        scan.fail("',' or the end of the header")
    return columns


def _columns(scan: Scan) -> list[Column]:
    columns: list[Column] = []
    keys: set[str] = set()
    around: list[tuple[list[Column], set[str], str]] = []
    while True:
        column = Column(flow.key(scan))
        if column.key in keys and column.key != columns[-1].key:
            scan.fail("each field once")
        keys.add(column.key)
        columns.append(column)
        bracket = scan.peek()
        if bracket in _CLOSE:
            if len(around) == MAX_DEPTH:
                scan.fail("fewer levels")
            scan.at += 1
            column.bracket = bracket
            around.append((columns, keys, _CLOSE[bracket]))
            columns, keys = column.inside, set()
            continue
        while not scan.eat(","):
            if not around:
                return columns
            columns, keys, close = around.pop()
            if not scan.eat(close):
                scan.fail(f"',' or '{close}'")


def row(scan: Scan, columns: list[Column], levels: int) -> Task[Object]:
    """The cells of one row."""
    reader = _Row(scan)
    members = yield reader.members(columns, levels)
    if scan.peek() == ",":
        scan.fail("the end of the row")
    if reader.cells == 0:
        scan.fail("a cell")
    return Object(members)


class _Row:
    """A row being read."""

    __slots__ = ("cells", "ended", "first", "scan")

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        self.first = True
        self.cells = 0
        self.ended = False
        """True behind the last cell: all further columns are empty."""

    def members(self, columns: list[Column], levels: int) -> Task[list[tuple[str, Node]]]:
        """The members that the cells of `columns` make."""
        members: list[tuple[str, Node]] = []
        for column in columns:
            if self.ended:
                break
            node: Node
            if column.bracket == "{":
                inside = yield self.members(column.inside, max(levels - 1, 0))
                if not inside:
                    continue
                node = Object(inside)
            elif not self.has_cell():
                continue
            elif column.bracket == "[" and self.scan.peek() == "[":
                node = yield _list(self.scan, column.inside, levels)
            else:
                node = flow.value(self.scan, levels)
            if members and members[-1][0] == column.key:
                self.scan.fail("one value for each field")
            members.append((column.key, node))
        return members

    def has_cell(self) -> bool:
        """Goes to the next cell; false when it is empty."""
        if not self.first and not self.scan.eat(","):
            self.ended = True
            return False
        self.first = False
        following = self.scan.peek()
        if following == ",":
            return False
        if following in ("", "\n", ")"):
            self.scan.fail("a cell")
        self.cells += 1
        return True


def _list(scan: Scan, columns: list[Column], levels: int) -> Task[Array]:
    """A list, its bracket next, whose records may stand in parentheses."""
    if levels < 2:
        scan.fail("fewer levels")
    items: list[Node] = []
    scan.eat("[")
    while not scan.eat("]"):
        if items and not scan.eat(","):
            scan.fail("',' or ']'")
        if scan.eat("("):
            items.append((yield row(scan, columns, levels - 2)))
            if not scan.eat(")"):
                scan.fail("',' or ')'")
        else:
            items.append(flow.value(scan, levels - 1))
    return Array(items)
