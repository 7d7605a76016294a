"""Reads the terse form: lists of records as rows under one header, with what is said once said once."""

from __future__ import annotations

import re

from . import facts, flow, rows, tree
from .complete import complete
from .deep import Task, run
from .error import DecodeError
from .scan import Scan
from .tree import MAX_DEPTH, Array, Node, Object, Value

_SPACES = re.compile(" *")


def decode(text: str) -> Value:
    """The ordinary value that a terse text stands for."""
    return tree.to_value(parse(text))


def to_json(text: str) -> str:
    """The exact compact JSON that a terse text stands for."""
    return tree.to_json(parse(text))


def parse(text: str) -> Node:
    """The exact value that a terse text stands for."""
    scan = Scan(text)
    node = _root(scan)
    if scan.peek():
        scan.fail("the end of the document")
    return node


def _root(scan: Scan) -> Node:
    intro = _intro(scan)
    if intro:
        return run(_list(scan, *intro, 0))
    if scan.peek() in ("{", "["):
        return flow.value(scan, MAX_DEPTH)
    return run(_members(scan, 0)) if _is_member(scan.text) else scan.scalar()


def _is_member(text: str) -> bool:
    """True when the text begins with a key and its colon."""
    scan = Scan(text)
    try:
        flow.key(scan)
    except DecodeError:
        return False
    return scan.peek() == ":"


def _intro(scan: Scan) -> tuple[int, str] | None:
    """Takes `12 rows` and its line's end, if that is next."""
    found = flow.INTRO.match(scan.text, scan.at)
    if found is None or not scan.text.startswith("\n", found.end()):
        return None
    scan.at = found.end() + 1
    return int(found[1]), found[2]


def _members(scan: Scan, depth: int) -> Task[Object]:
    """The members of an object, each on its line behind `depth` spaces."""
    if depth == MAX_DEPTH:
        scan.fail("fewer levels")
    members: list[tuple[str, Node]] = []
    while True:
        scan.at += depth
        key = flow.key(scan)
        members.append((key, (yield _member(scan, depth))))
        if not _ends_line_before(scan, depth):
            return Object(members)


def _member(scan: Scan, depth: int) -> Task[Node]:
    """What stands behind a key: members on the lines below, a list, or a value."""
    if scan.eat(":\n"):
        if _indent(scan) != depth + 1:
            scan.fail("members one space further in")
        inside: Object = yield _members(scan, depth + 1)
        return inside
    if not scan.eat(": "):
        scan.fail("': ' or ':' and the line's end")
    intro = _intro(scan)
    if intro:
        found: Node = yield _list(scan, *intro, depth + 1)
        return found
    return flow.value(scan, MAX_DEPTH - depth - 1)


def _ends_line_before(scan: Scan, depth: int) -> bool:
    """At a line's end: true, and behind it, when the next line has a member at `depth`."""
    end = scan.at
    if not scan.peek():
        return False
    if not scan.eat("\n"):
        scan.fail("the end of the line")
    found = _indent(scan)
    if found > depth:
        scan.fail("a member no further in")
    if found < depth:
        scan.at = end
    return found == depth


def _indent(scan: Scan) -> int:
    found = _SPACES.match(scan.text, scan.at)
    return found.end() - scan.at if found else 0


def _items(scan: Scan, count: int, depth: int) -> Task[Array]:
    """The values of an array, each behind its number and `depth` spaces."""
    items: list[Node] = []
    for number in range(1, count + 1):
        if (number > 1 and not scan.eat("\n")) or _indent(scan) != depth:
            scan.fail(f"item {number}")
        scan.at += depth
        if not scan.eat(f"item {number}"):
            scan.fail(f"item {number}")
        items.append((yield _member(scan, depth)))
    return Array(items)


def _list(scan: Scan, count: int, words: str, depth: int) -> Task[Node]:
    """The values of a list that stands at `depth`, laid out as `words` say."""
    levels = MAX_DEPTH - depth
    if levels < 2:
        scan.fail("fewer levels")
    if words == "items":
        items: Array = yield _items(scan, count, depth)
        return items
    start = scan.at
    keyed, headed = words.startswith("keyed"), words.endswith("rows")
    known = facts.read(scan, "every row" if headed else "every record")
    columns = rows.header(scan, keyed) if headed else []
    facts.adopt(known, columns)
    keys: list[str] = []
    records: list[Object] = []
    for index in range(count):
        if index > 0 and not scan.eat("\n"):
            scan.fail(f"{count - index} more {words}")
        if keyed:
            keys.append(_row_key(scan))
        records.append((yield rows.row(scan, columns, levels - 1)) if headed else _record(scan, levels - 1))
    if scan.peek() not in ("", "\n"):
        scan.fail("the end of the line")
    complete(scan, start, known, records)
    if not all(_within(record, levels - 1) for record in records):
        scan.fail("fewer levels")
    return Object(list(zip(keys, records, strict=True))) if keyed else Array(list(records))


def _row_key(scan: Scan) -> str:
    key = flow.key(scan)
    if not scan.eat(": "):
        scan.fail("': '")
    return key


def _record(scan: Scan, levels: int) -> Object:
    if scan.peek() != "{":
        scan.fail("a record in braces")
    node = flow.value(scan, levels)
    assert isinstance(node, Object)
    return node


def _within(node: Node, levels: int) -> bool:
    """True when `node` nests at most `levels` deep."""
    work = [(node, levels)]
    while work:
        node, levels = work.pop()
        if isinstance(node, Array):
            inside = node.items
        elif isinstance(node, Object):
            inside = [value for _, value in node.members]
        else:
            continue
        if levels == 0:
            return False
        work.extend((value, levels - 1) for value in inside if isinstance(value, (Array, Object)))
    return True
