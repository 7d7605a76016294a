"""Reads docs/snippets.toml: what is not run, and why."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Reason:
    """Why something is not run, and what is done instead."""

    why: str
    instead: str
    real: bool = False
    test: str = ""
    used: bool = field(default=False, compare=False)

    @property
    def state(self) -> str:
        """Whether another test runs it."""
        return "elsewhere" if self.test else "not run"

    def __str__(self) -> str:
        return f"{self.why}; instead: {self.instead}"


class Listed:
    """The list."""

    def __init__(self, path: Path) -> None:
        self.path = path
        read = tomllib.loads(path.read_text())
        self.programs = {name: reason(path, name, one) for name, one in read.get("program", {}).items()}
        self.modules = {name: reason(path, name, one) for name, one in read.get("module", {}).items()}
        self.languages = {name: reason(path, name, one) for name, one in read.get("language", {}).items()}
        self.pages = {name: reason(path, name, one) for name, one in read.get("page", {}).items()}
        self.blocks = [(one, reason(path, one["begins"], one)) for one in read.get("block", [])]
        self.addresses: list[str] = read.get("addresses", [])
        self.fixtures: dict[str, dict[str, str]] = read.get("files", {})
        self.scripts: dict[str, dict[str, str]] = read.get("scripts", {})
        self.before: dict[str, str] = read.get("before", {})
        self.variables: dict[str, dict[str, str]] = read.get("variables", {})
        self.versions: dict[str, dict] = read.get("versions", {})

    def block(self, page: str, text: str) -> tuple[dict, Reason] | None:
        """The entry for a block or a statement, by the page and how it begins."""
        for entry, why in self.blocks:
            if entry["page"] == page and text.lstrip().startswith(entry["begins"]):
                why.used = True
                return entry, why
        return None

    @property
    def tests(self) -> set[str]:
        """What the entries say that runs their blocks in place of this program."""
        tables = (self.programs, self.modules, self.languages, self.pages)
        return {one.test for table in tables for one in table.values() if one.test} | {one.test for _, one in self.blocks if one.test}

    def unused(self) -> list[str]:
        """Entries that nothing needed."""
        tables = {"program": self.programs, "module": self.modules, "language": self.languages, "page": self.pages}
        names = [f"[{table}.{name!r}]" for table, entries in tables.items() for name, one in entries.items() if not one.used]
        return names + [f"[[block]] of {entry['page']} that begins {entry['begins']!r}" for entry, one in self.blocks if not one.used]


def reason(path: Path, name: str, entry: dict) -> Reason:
    """An entry's reason; an entry without one is an error."""
    for key in ("why", "instead"):
        if not entry.get(key):
            raise SystemExit(f"{path}: the entry for {name!r} has no `{key}`")
    return Reason(entry["why"], entry["instead"], entry.get("real", False), entry.get("test", ""))
