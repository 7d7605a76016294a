"""A JSON value with nothing of it lost, and the two ways out of it.

Each walk keeps its own stack, so that deep values cannot exhaust Python's.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias

MAX_DEPTH = 128
"""How deep values may nest, in every form."""

Value: TypeAlias = None | bool | int | float | str | list["Value"] | dict[str, "Value"]
"""An ordinary value, as `json.loads` gives it."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number, as it was written."""

    text: str


@dataclass(slots=True)
class Array:
    """An array."""

    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Object:
    """An object: members in order, duplicate keys kept."""

    members: list[tuple[str, Node]] = field(default_factory=list)


Node: TypeAlias = None | bool | str | Number | Array | Object
"""An exact value; lone surrogates stand in its strings as themselves."""


def to_value(node: Node) -> Value:
    """The ordinary value; of members with the same key, the last one counts."""
    root: list[Value] = [None]
    work: list[tuple[Node, Any, Any]] = [(node, root, 0)]
    while work:
        node, holder, place = work.pop()
        if isinstance(node, Array):
            holder[place] = items = [None] * len(node.items)
            work.extend((item, items, index) for index, item in enumerate(node.items))
        elif isinstance(node, Object):
            last = dict(node.members)
            holder[place] = members = dict.fromkeys(last)
            work.extend((value, members, key) for key, value in last.items())
        else:
            holder[place] = _number(node.text) if isinstance(node, Number) else node
    return root[0]


def to_json(node: Node) -> str:
    """The exact value as compact JSON."""
    out: list[str] = []
    work: list[tuple[str, Node]] = [("", node)]
    while work:
        lead, node = work.pop()
        out.append(lead)
        if isinstance(node, Array):
            _open(work, "[]", [("", item) for item in node.items])
        elif isinstance(node, Object):
            _open(work, "{}", [(quote(key) + ":", value) for key, value in node.members])
        else:
            out.append(scalar(node))
    return "".join(out)


# Writes nothing: the end of an array or object is all lead.
_NOTHING = Number("")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _open(work: list[tuple[str, Node]], brackets: str, parts: list[tuple[str, Node]]) -> None:
    """Puts `parts` on top of the work, first part first, with brackets around them and commas between."""
    work.append((brackets[1], _NOTHING))
    work.extend(("," + lead, part) for lead, part in reversed(parts[1:]))
    work.extend(parts[:1])
    work.append((brackets[0], _NOTHING))


def scalar(node: Node) -> str:
    """A value that holds no others, as JSON spells it."""
    if isinstance(node, Number):
        return node.text
    return quote(node) if isinstance(node, str) else json.dumps(node)


def quote(text: str) -> str:
    """The string as JSON spells it: each value has one spelling."""
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _number(text: str) -> int | float:
    return float(text) if any(mark in text for mark in ".eE") else int(text)
