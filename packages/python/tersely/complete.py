"""Puts back into each record what the lines above said once."""

from __future__ import annotations

from typing import NoReturn, TypeAlias

from .deep import Task, run
from .facts import Facts, Template, weigh
from .flow import Part
from .scan import Scan, joined
from .tree import Array, Node, Number, Object, quote

Members: TypeAlias = list[tuple[str, Node]]

Trail: TypeAlias = tuple[tuple[Members, str], ...]
"""The records around the one being completed, outermost first, each with the key that leads further in."""

GROWTH = 256
"""How many times its own text facts may add to a list: a line said once for many records could otherwise
fill any memory."""


class Room:
    """Bytes that facts may still add."""

    __slots__ = ("left", "scan")

    def __init__(self, scan: Scan, start: int) -> None:
        self.scan = scan
        self.left = GROWTH * len(scan.text[start : scan.at].encode("utf-8", "surrogatepass"))

    def take(self, weight: int) -> None:
        """Takes room for a member of this weight."""
        self.left -= weight
        if self.left <= 0:
            self.scan.fail("records that hold less of what is said once")

    def misfit(self) -> NoReturn:
        """Says that a record contradicts what is said once."""
        self.scan.fail("records that fit the lines above them")


def complete(scan: Scan, start: int, facts: Facts, records: list[Object]) -> None:
    """Completes all records of a list that began at `start`."""
    if facts.order is None and facts.count() == 0:
        return
    room = Room(scan, start)
    _begin(facts, records, room)
    for record in records:
        run(_fill(facts, record, (), room))


def _places(members: Members) -> dict[str, int]:
    """The place of each key, of equal ones the first."""
    places: dict[str, int] = {}
    for place, (key, _) in enumerate(members):
        places.setdefault(key, place)
    return places


def _begin(facts: Facts, records: list[Object], room: Room) -> None:
    """Puts back what values begin with and what is usual, and notes which records there are."""
    work = [(facts, record) for record in reversed(records)]
    while work:
        facts, record = work.pop()
        facts.met = True
        work.extend(reversed(_begin_record(facts, record.members, room)))


def _begin_record(facts: Facts, members: Members, room: Room) -> list[tuple[Facts, Object]]:
    """Begins one record; the records inside it that are to be begun next, with the facts about them."""
    places = _places(members)
    for key, prefix, weight in facts.begins:
        if key in places:
            text = members[places[key]][1]
            if not isinstance(prefix, str) or not isinstance(text, str):
                room.misfit()
            room.take(weight)
            members[places[key]] = (key, joined(prefix + text))
    for key, node, weight in facts.usual:
        if key not in places:
            room.take(weight)
            places[key] = len(members)
            members.append((key, node))
    inside: list[tuple[Facts, Object]] = []
    for key, below in facts.below.items():
        if key in places:
            fresh, found = _fresh(members[places[key]][1])
            members[places[key]] = (key, fresh)
            inside.extend((below, record) for record in found)
    return inside


def _fresh(node: Node) -> tuple[Node, list[Object]]:
    """A copy of `node`, which other records may share, and the records in it that are about to change."""
    if isinstance(node, Object):
        record = Object(list(node.members))
        return record, [record]
    if isinstance(node, Array):
        items = [Object(list(item.members)) if isinstance(item, Object) else item for item in node.items]
        return Array(items), [item for item in items if isinstance(item, Object)]
    return node, []


def _fill(facts: Facts, node: Node, trail: Trail, room: Room) -> Task[None]:
    """Puts back all the rest."""
    if isinstance(node, Array):
        for item in node.items:
            if isinstance(item, Object):
                yield _fill(facts, item, trail, room)
    elif isinstance(node, Object):
        yield _fill_record(facts, node, trail, room)


def _fill_record(facts: Facts, record: Object, trail: Trail, room: Room) -> Task[None]:
    members = record.members
    places = _places(members)
    made = _make(facts.made, members, trail)
    made += _make([fact for fact in facts.mostly if fact[0] not in places], members, trail)
    made += [(key, Object()) for key, below in facts.below.items() if not below.met]
    room.take(sum(constant.weight for constant in facts.same) + sum(weigh(*member) for member in made))
    made_places = _places(made)
    for key, below in facts.below.items():
        inside = (*trail, (members, key))
        if key in places:
            yield _fill(below, members[places[key]][1], inside, room)
        elif key in made_places:
            yield _fill(below, made[made_places[key]][1], inside, room)
    if any(constant.key in places for constant in facts.same) or any(key in places for key in made_places):
        room.misfit()
    same = [(constant.key, constant.value) for constant in facts.same]
    record.members = _ordered(facts, same + members + made, room)


def _ordered(facts: Facts, members: Members, room: Room) -> Members:
    """The members of a record in order; the alphabet is that of the keys as JSON spells them."""
    order = facts.order
    if order is None:
        return members
    if isinstance(order, str):
        return sorted(members, key=lambda member: quote(member[0])[1:-1])
    if any(key not in order for key, _ in members):
        room.misfit()
    return sorted(members, key=lambda member: order[member[0]])


def _make(templates: list[Template], members: Members, trail: Trail) -> Members:
    """The fields that are made of others."""
    made: Members = []
    known: dict[Part, str | None] = {}
    for key, parts in templates:
        texts: list[str] = []
        for part in parts:
            if part not in known:
                known[part] = part if isinstance(part, str) else _field(members, trail, part)
            text = known[part]
            if text is None:
                break
            texts.append(text)
        else:
            made.append((key, joined("".join(texts))))
    return made


def _field(members: Members, trail: Trail, steps: tuple[str, ...]) -> str | None:
    """The text of the field that `steps` lead to from the innermost record on their way."""
    way = [*(holder for holder, _ in trail), members]
    level = 0
    while level < len(trail) and level + 1 < len(steps) and trail[level][1] == steps[level]:
        level += 1
    node: Node = Object(way[level])
    for step in steps[level:]:
        if not isinstance(node, Object):
            return None
        node = next((value for key, value in node.members if key == step), None)
    if isinstance(node, Number):
        return node.text
    return node if isinstance(node, str) else None
