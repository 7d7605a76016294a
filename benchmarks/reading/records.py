"""Record lists taken by path from the corpus, and what can be read off them: columns, constants, templates, prefixes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def load(corpus: Path, spec: dict[str, Any]) -> list[Record]:
    """The first records of one list, cut down to the fields the list keeps."""
    data = json.loads((corpus / spec["file"]).read_text())
    for step in spec["path"]:
        data = data[step]
    return [project(record, spec["fields"]) for record in data[: spec["take"]]]


def project(record: Record, fields: list[str]) -> Record:
    """A record with the named fields only; a dotted name keeps its nesting."""
    out: Record = {}
    for field in fields:
        *outer, last = field.split(".")
        source, target = record, out
        for step in outer:
            source, target = source[step], target.setdefault(step, {})
        target[last] = source[last]
    return out


def flat(record: Record, before: str = "") -> Record:
    """A record with nested fields under dotted names."""
    out: Record = {}
    for name, value in record.items():
        if isinstance(value, dict):
            out.update(flat(value, f"{before}{name}."))
        else:
            out[before + name] = value
    return out


def text(value: Any) -> str:
    """A cell as a reader would say it: strings bare, the rest as JSON writes it."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def column(rows: list[Record], name: str) -> list[str]:
    """One column of flat rows as text."""
    return [text(row[name]) for row in rows]


def prefix(cells: list[str]) -> str:
    """What all cells begin with, up to the last separator."""
    shared = os.path.commonprefix(cells)
    return shared[: max(shared.rfind("/"), shared.rfind(":")) + 1]


def template(cells: list[str], source: list[str]) -> tuple[str, str] | None:
    """What stands around the source's cell in every cell of a column, if that holds for all."""
    first, inner = cells[0], source[0]
    start = first.rfind(inner)
    while inner and start >= 0:
        left, right = first[:start], first[start + len(inner) :]
        if all(cell == left + part + right for cell, part in zip(cells, source)):
            return left, right
        start = first.rfind(inner, 0, start) if start else -1
    return None
