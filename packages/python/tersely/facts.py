"""Reads the lines above a list's records: what is said once for all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from . import flow
from .error import DecodeError
from .rows import Column
from .scan import Scan
from .tree import MAX_DEPTH, Array, Node, Number, Object, quote

ALPHABETICAL = "in alphabetical order"
"""Instead of names: the fields stand in alphabetical order."""

_HAVING = " that has "
_UNLESS = "unless given"
_WHERE = "where there is "
_MADE = " = "
_BEGINS = ": each begins with "
_NEVER_OPEN = re.compile(r'[\x00-\x1f"\\]')

Template: TypeAlias = tuple[str, list[flow.Part]]
"""A field's key, and what its values are made of."""


MAX_FACTS = 1024
"""Facts about the records of one path: each is held against each field of each record."""


MAX_PARTS = 64
"""Parts that a template may have: each is put together for each record."""


class Constant(NamedTuple):
    """A value that is said once."""

    key: str
    value: Node
    weight: int


class Facts:
    """What the lines above a list say of the records that one path reaches."""

    __slots__ = ("begins", "below", "keys", "made", "met", "mostly", "order", "same", "usual")

    def __init__(self) -> None:
        self.order: str | dict[str, int] | None = None
        """`ALPHABETICAL`, or the place of each field."""
        self.same: list[Constant] = []
        self.usual: list[Constant] = []
        """What is so where a record does not say otherwise."""
        self.made: list[Template] = []
        self.mostly: list[Template] = []
        """What is made so where a record does not say otherwise."""
        self.begins: list[Constant] = []
        self.keys: set[str] = set()
        """The fields that there is a fact about."""
        self.below: dict[str, Facts] = {}
        """The same for the records inside a field."""
        self.met = False
        """True once a record was met that the facts are about."""

    def count(self) -> int:
        """How many facts there are about one path's records."""
        return len(self.keys) + len(self.below)

    def at(self, scan: Scan, steps: list[str]) -> Facts:
        """The facts about the records that `steps` lead to."""
        if len(steps) >= MAX_DEPTH:
            scan.fail("fewer levels")
        facts = self
        for step in steps:
            if step not in facts.below:
                facts.make_room(scan)
                facts.below[step] = Facts()
            facts = facts.below[step]
        return facts

    def holding(self, scan: Scan, steps: list[str]) -> tuple[Facts, str]:
        """The facts about the records that hold the field at `steps`, and the field's key."""
        facts = self.at(scan, steps[:-1])
        facts.make_room(scan)
        if steps[-1] in facts.keys:
            scan.fail("one fact for each field")
        facts.keys.add(steps[-1])
        return facts, steps[-1]

    def make_room(self, scan: Scan) -> None:
        """Fails when no further fact is allowed."""
        if self.count() >= MAX_FACTS:
            scan.fail("fewer facts")


def read(scan: Scan, each: str) -> Facts:
    """All facts of a list whose records are called `each`."""
    facts = Facts()
    start = scan.at
    while _line(facts, scan, each):
        start = scan.at
    scan.at = start
    return facts


def _line(facts: Facts, scan: Scan, each: str) -> bool:
    """Reads one fact; false when the line is something else."""
    if scan.eat(each):
        if scan.eat(_HAVING):
            flow.path(scan)
        _constants(facts, scan, lambda holder: holder.same)
    elif scan.eat(_UNLESS):
        _unless(facts, scan)
    elif _is_fields(scan):
        _fields(facts, scan)
    else:
        try:
            steps = flow.path(scan)
        except DecodeError:
            return False
        return _text_fact(facts, scan, steps)
    return True


def _text_fact(facts: Facts, scan: Scan, steps: list[str]) -> bool:
    """Reads what the values at `steps` are made of or begin with."""
    if scan.eat(_MADE):
        parts = _parts(scan)
        holder, key = facts.holding(scan, steps)
        holder.made.append((key, parts))
    elif scan.eat(_BEGINS):
        text = flow.unspell(_open_text(scan))
        holder, key = facts.holding(scan, steps)
        holder.begins.append(Constant(key, text, weigh(key, text)))
    else:
        return False
    return True


def _unless(facts: Facts, scan: Scan) -> None:
    """Reads what holds for the records that do not say otherwise."""
    if not scan.eat(", "):
        _constants(facts, scan, lambda holder: holder.usual)
        return
    if scan.eat(_WHERE):
        flow.path(scan)
        _constants(facts, scan, lambda holder: holder.usual)
        return
    steps = flow.path(scan)
    if not scan.eat(_MADE):
        scan.fail("' = '")
    parts = _parts(scan)
    holder, key = facts.holding(scan, steps)
    holder.mostly.append((key, parts))


def _constants(facts: Facts, scan: Scan, part: Callable[[Facts], list[Constant]]) -> None:
    """Reads values by path into the part of the facts that `part` picks."""
    if not scan.eat(": "):
        scan.fail("': '")
    while True:
        steps = flow.path(scan)
        if not scan.eat("="):
            scan.fail("'='")
        node = flow.value(scan, MAX_DEPTH)
        holder, key = facts.holding(scan, steps)
        part(holder).append(Constant(key, node, weigh(key, node)))
        if scan.eat("\n"):
            return
        if not scan.eat(", "):
            scan.fail("', ' or the end of the line")


def _is_fields(scan: Scan) -> bool:
    """True for `fields: …` and `fields of …`, as against a keyed record or a field that is called `fields`."""
    text, at = scan.text, scan.at
    if text.startswith("fields of ", at):
        return True
    return text.startswith("fields: ", at) and not text.startswith(("{", "each begins with "), at + 8)


def _fields(facts: Facts, scan: Scan) -> None:
    scan.eat("fields")
    steps = flow.path(scan) if scan.eat(" of ") else []
    if not scan.eat(": "):
        scan.fail("': '")
    order = _order(scan)
    at = facts.at(scan, steps)
    if at.order is not None:
        scan.fail("one order of fields")
    at.order = order


def _order(scan: Scan) -> str | dict[str, int]:
    if scan.eat(ALPHABETICAL + "\n"):
        return ALPHABETICAL
    places: dict[str, int] = {}
    while True:
        key = flow.key(scan)
        if key in places:
            scan.fail("each field once")
        places[key] = len(places)
        if scan.eat("\n"):
            return places
        if not scan.eat(","):
            scan.fail("',' or the end of the line")


def _parts(scan: Scan) -> list[flow.Part]:
    """The parts of a template that goes to the end of the line."""
    parts = flow.template(_open_text(scan))
    if len(parts) > MAX_PARTS:
        scan.fail(f"a template of at most {MAX_PARTS} parts")
    return parts


def _open_text(scan: Scan) -> str:
    """A text up to the end of its line, or in quotes, as JSON spells it."""
    start, end = scan.at, scan.text.find("\n", scan.at)
    if end < 0:
        scan.at = len(scan.text)
        scan.fail("records on the lines below")
    line = scan.text[start:end]
    if line.startswith('"') and _is_spelled(line):
        line = line[1:-1]
    elif line == "" or _NEVER_OPEN.search(line):
        scan.fail("a text, in quotes if it has any")
    scan.at = end + 1
    return line


def _is_spelled(line: str) -> bool:
    """True for one string in quotes, spelled as every value is spelled."""
    try:
        return quote(Scan(line).string()) == line
    except DecodeError:
        return False


def adopt(facts: Facts, columns: list[Column]) -> None:
    """Takes the order of fields from a header where no line names it and records leave fields out."""
    work = [(facts, columns)]
    for facts, columns in work:
        if facts.order is None and (facts.usual or facts.mostly):
            keys = [constant.key for constant in facts.same]
            keys += [column.key for column in columns]
            keys += [key for key, _ in facts.made]
            keys += facts.below
            facts.order = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        # Of the columns with one key, those of the records are the first that have others inside.
        groups = {column.key: column.inside for column in reversed(columns) if column.inside}
        work.extend((facts.below[key], inside) for key, inside in groups.items() if key in facts.below)


def weigh(key: str, node: Node) -> int:
    """The bytes, more or less, that a member takes as text."""
    weight = _length(key)
    work = [node]
    while work:
        node = work.pop()
        if isinstance(node, str):
            weight += _length(node) + 2
        elif isinstance(node, Number):
            weight += len(node.text)
        elif isinstance(node, Array):
            weight += 2 + len(node.items)
            work.extend(node.items)
        elif isinstance(node, Object):
            weight += 2 + sum(_length(key) + 4 for key, _ in node.members)
            work.extend(value for _, value in node.members)
        else:
            weight += 4
    return weight


def _length(text: str) -> int:
    return len(quote(text).encode()) - 2
