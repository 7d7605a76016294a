"""Experimental notations, to be tried with --format-file NAME=variants.py:FUNCTION; none of them is Tersely's own.

Simple on purpose: they show how a way of writing reads, and are not meant to be parsed back.
"""

from __future__ import annotations

import json
from typing import Any

from records import Record, column, flat, template, text


def bare(value: Any, marks: str) -> str:
    """A cell without quotes, unless a string would be taken for another type or broken by one of the marks."""
    if not isinstance(value, str):
        return text(value)
    if value == "" or value != value.strip() or any(mark in value for mark in marks + '"\n') or other_type(value):
        return json.dumps(value, ensure_ascii=False)
    return value


def other_type(value: str) -> bool:
    """Whether a bare string would be read as a number, a boolean or null."""
    try:
        json.loads(value)
    except ValueError:
        return False
    return True


def braces(record: Record) -> str:
    """A record with bare keys and values: {name:foo,state:open}."""
    cells = [
        f"{name}:{braces(value)}" if isinstance(value, dict) else f"{name}:{bare(value, ',{}')}"
        for name, value in record.items()
    ]
    return "{" + ",".join(cells) + "}"


def relax(records: list[Record]) -> str:
    """One record per line, keys beside values."""
    return "\n".join(braces(record) for record in records)


def constants(rows: list[Record]) -> list[str]:
    """Columns that hold one value throughout."""
    return [name for name in rows[0] if len(set(column(rows, name))) == 1]


def derived(rows: list[Record]) -> dict[str, str]:
    """Columns that follow from another by a template, with the template."""
    found: dict[str, str] = {}
    fixed = set(constants(rows))
    for name in rows[0]:
        if name in fixed:
            continue
        for source in rows[0]:
            if source == name or source in fixed or source in found:
                continue
            around = template(column(rows, name), column(rows, source))
            if around and any(around):
                found[name] = f"{around[0]}{{{source}}}{around[1]}"
                break
    return found


def without(record: Record, gone: set[str], before: str = "") -> Record:
    """A record without the named columns, and without groups that this empties."""
    out: Record = {}
    for name, value in record.items():
        if isinstance(value, dict):
            inner = without(value, gone, f"{before}{name}.")
            if inner:
                out[name] = inner
        elif before + name not in gone:
            out[name] = value
    return out


def sentences(records: list[Record], noun: str) -> tuple[list[str], list[Record]]:
    """Constants and derived columns as plain lines, and the records without them."""
    rows = [flat(record) for record in records]
    fixed, follows = constants(rows), derived(rows)
    said = [f"every {noun}: " + ", ".join(f"{name}={bare(rows[0][name], ',')}" for name in fixed)] if fixed else []
    said += [f"{name} = {pattern}" for name, pattern in follows.items()]
    gone = {*fixed, *follows}
    return said, [without(record, gone) for record in records]


def relax_sent(records: list[Record]) -> str:
    """Keys beside values, under plain lines for what holds for all."""
    said, rest = sentences(records, "record")
    return "\n".join([*said, relax(rest)])


def header(record: Record) -> str:
    """The columns of a table, nested ones in braces behind their group."""
    return ",".join(
        name + "{" + header(value) + "}" if isinstance(value, dict) else name for name, value in record.items()
    )


def table(records: list[Record]) -> str:
    """A header with the row count and one comma-separated line per record."""
    lines = [f"[{len(records)}]{{{header(records[0])}}}:"]
    lines += [",".join(bare(value, ",") for value in flat(record).values()) for record in records]
    return "\n".join(lines)


def cd_sent(records: list[Record]) -> str:
    """A table under plain lines for what holds for all."""
    said, rest = sentences(records, "row")
    return "\n".join([*said, table(rest)])


def key_first(record: Record, key: str) -> Record:
    """A record that begins with its key."""
    return {key: record[key], **{name: value for name, value in record.items() if name != key}}


def cd_key(records: list[Record]) -> str:
    """cd_sent with the shortest column that tells the records apart in front."""
    top = [name for name, value in records[0].items() if not isinstance(value, dict)]
    unique = [name for name in top if len({text(record[name]) for record in records}) == len(records)]
    key = min(unique, key=lambda name: sum(len(text(record[name])) for record in records))
    return cd_sent([key_first(record, key) for record in records])
