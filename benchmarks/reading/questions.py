"""Look-up questions made by rule from the lists: the same questions and rivals whatever the format."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

from records import Record, column, flat, prefix, template, text

ROW_RIVALS = 3
FIELD_RIVALS = 2


@dataclass(frozen=True)
class Question:
    """One cell to look up, with the wrong answers it is weighed against."""

    list: str
    kind: str
    boolean: bool
    ask: str
    truth: str
    rivals: tuple[str, ...]


def make(spec: dict[str, Any], records: list[Record]) -> list[Question]:
    """All questions about one list."""
    rows = [flat(record) for record in records]
    keys = {spec["key"], *(ask["by"] for ask in spec["asks"] if "by" in ask)}
    for key in keys:
        if len(set(column(rows, key))) < len(rows):
            raise ValueError(f'{spec["name"]}: "{key}" does not name a record')
    return [question(spec, rows, ask, at) for ask in spec["asks"] for at in pick(rows, ask)]


def pick(rows: list[Record], ask: dict[str, Any]) -> list[int]:
    """Rows to ask about: scattered by a fixed stride and taking turns between the column's values, so that neither
    the top of the list nor the commonest value is favoured."""
    name, size = ask["column"], len(rows)
    start = zlib.crc32(f"{ask['kind']} {name}".encode())
    stride = next(step for step in (5, 7, 3) if size % step)
    order = [(start + i * stride) % size for i in range(size)]
    turns: dict[str, list[int]] = {}
    for at in order:
        if rows[at][name] not in (None, ""):
            turns.setdefault(text(rows[at][name]), []).append(at)
    chosen: list[int] = []
    while len(chosen) < ask["count"]:
        groups = [group for group in turns.values() if group]
        if not groups:
            raise ValueError(f'"{name}" has too few cells')
        chosen += [group.pop(0) for group in groups]
    return chosen[: ask["count"]]


def question(spec: dict[str, Any], rows: list[Record], ask: dict[str, Any], at: int) -> Question:
    """The question about one cell."""
    name, row = ask["column"], rows[at]
    truth = text(row[name])
    boolean = isinstance(row[name], bool)
    wrong = rivals(rows, ask, at)
    key = ask.get("by") or (ask["from"] if "from" in ask else spec["key"])
    words = f"In the data above, for {quoted(key)} {named(row[key])}, the {quoted(name)} is"
    return Question(spec["name"], ask["kind"], boolean, words, truth, wrong)


def quoted(name: str) -> str:
    """A column's name in a question, the innermost field first."""
    return " of ".join(f'"{part}"' for part in reversed(name.split(".")))


def named(value: Any) -> str:
    """A key's value in a question."""
    return f'"{value}"' if isinstance(value, str) else text(value)


def rivals(rows: list[Record], ask: dict[str, Any], at: int) -> tuple[str, ...]:
    """Wrong answers: cells of other rows, cells of other fields, and what a shortened notation would show.

    A rival that begins the truth, or that the truth begins, is left out: there only the closing quote would decide.
    """
    name, truth = ask["column"], text(rows[at][ask["column"]])
    special = {"derived": template_rivals, "derived2": template_rivals, "prefix": prefix_rivals, "dict": code_rivals}
    found = special[ask["kind"]](rows, ask, at) if ask["kind"] in special else []
    found += {"true": ["false"], "false": ["true"]}.get(truth, [])
    wide = FIELD_RIVALS * 2 if ask["kind"] == "constant" else FIELD_RIVALS
    found += distinct(row_rivals(rows, name, at), truth)[:ROW_RIVALS]
    found += distinct(field_rivals(rows[at], name), truth, found)[:wide]
    return tuple(distinct(found, truth))


def distinct(values: list[str], truth: str, seen: list[str] | None = None) -> list[str]:
    """Values that can be told from the truth and from each other."""
    out: list[str] = []
    for value in values:
        clear = value and not truth.startswith(value) and not value.startswith(truth)
        if clear and value not in out and value not in (seen or []):
            out.append(value)
    return out


def row_rivals(rows: list[Record], name: str, at: int) -> list[str]:
    """The same column in other rows, nearest first."""
    order = sorted((i for i in range(len(rows)) if i != at), key=lambda i: (abs(i - at), i < at))
    return [text(rows[i][name]) for i in order]


def field_rivals(row: Record, name: str) -> list[str]:
    """Other fields of the same row: those of the same type first, then by nearness."""
    names = list(row)
    at = names.index(name)
    order = sorted(
        (i for i in range(len(names)) if i != at),
        key=lambda i: (type(row[names[i]]) is not type(row[name]), abs(i - at), i < at),
    )
    return [text(row[names[i]]) for i in order]


def template_rivals(rows: list[Record], ask: dict[str, Any], at: int) -> list[str]:
    """The template left unfilled, and the bare cell it is filled with."""
    around = template(column(rows, ask["column"]), column(rows, ask["from"]))
    if around is None:
        raise ValueError(f'"{ask["column"]}" does not follow from "{ask["from"]}"')
    return [f"{around[0]}{{{ask['from']}}}{around[1]}", text(rows[at][ask["from"]])]


def prefix_rivals(rows: list[Record], ask: dict[str, Any], at: int) -> list[str]:
    """The cell without what all cells of the column begin with."""
    shared = prefix(column(rows, ask["column"]))
    if not shared:
        raise ValueError(f'"{ask["column"]}" has no shared prefix')
    return [text(rows[at][ask["column"]])[len(shared) :]]


def code_rivals(rows: list[Record], ask: dict[str, Any], at: int) -> list[str]:
    """The code a dictionary would give the cell."""
    cells = column(rows, ask["column"])
    return [f"^{list(dict.fromkeys(cells)).index(cells[at])}"]
