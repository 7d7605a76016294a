"""Keeps the latest run of each row as a line of JSON, says what it is worth today, and writes the table."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from enum import Enum
from pathlib import Path


class State(Enum):
    """What a row is worth."""

    VALID = "valid"
    MISSING = "missing"
    STALE = "stale"
    SHORT = "short"
    RED = "red"


@dataclass(frozen=True)
class Run:
    """One run of a row."""

    name: str
    command: str
    bar: str
    figure: str
    passed: bool
    exit: int
    seconds: float
    # Minutes of the whole run that were asked for, and of how many; none where the row takes as long as it takes.
    minutes: float | None
    of_minutes: float | None
    commit: str
    # Files that were not as in that commit when it ran.
    dirty: list[str]
    # The SHA-256 of the program and of the recipe, shortened.
    build: str
    recipe: str
    at: str
    # The load average when it began, and the cores.
    load: float
    cores: int


def read(path: Path) -> dict[str, Run]:
    """The runs by name."""
    known = {field.name for field in fields(Run)}
    lines = path.read_text().splitlines() if path.is_file() else []
    runs = [json.loads(line) for line in lines if line.strip()]
    return {run["name"]: Run(**{name: value for name, value in run.items() if name in known}) for run in runs}


def write(path: Path, text: str) -> None:
    """All of it or nothing: a stop in the middle loses no row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = path.with_suffix(path.suffix + ".new")
    whole.write_text(text)
    os.replace(whole, path)


def lines(runs: Iterable[Run]) -> str:
    """The runs as JSON lines."""
    return "".join(json.dumps(asdict(run), ensure_ascii=False) + "\n" for run in runs)


def judge(run: Run | None, bar: str, recipe: str, wanted: float | None, changed: list[str]) -> tuple[State, str]:
    """What a run is worth for a row with this bar and recipe, when so many minutes are wanted and these files have changed since."""
    if run is None:
        return State.MISSING, ""
    if run.dirty:
        return State.STALE, f"ran with changes that were not committed: {few(run.dirty)}"
    if run.bar != bar or run.recipe != recipe:
        return State.STALE, "the bar is another one" if run.bar != bar else "the recipe has changed"
    if changed:
        return State.STALE, f"changed since {run.commit[:8]}: {few(changed)}"
    if not run.passed:
        return State.RED, run.figure
    if wanted is not None and (run.minutes or 0) < wanted:
        return State.SHORT, f"{run.minutes or 0:g} of {wanted:g} minutes"
    return State.VALID, run.figure


def few(names: list[str]) -> str:
    """The first names, and how many more."""
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")


def took(seconds: float) -> str:
    """A time for people."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


HEAD = """# The gate

    just gate

Everything slow, on one build, a row at a time. Written by `just gate`; the data is in [gate.jsonl](gate.jsonl). A row holds as long as nothing under `crates/`, in `Cargo.lock` or in its own scripts
has changed since its commit: `just gate --list` says which ones do, `just gate` runs the others. Rows without a figure have not been run.

| what | bar | figure | passed | time | commit |
|---|---|---|---|--:|---|
"""


def table(rows: Iterable[tuple[str, str]], runs: dict[str, Run], reasons: dict[str, str]) -> str:
    """The page: each name and bar with its latest run, and why it is red where that is known."""
    made = [line(runs[name], reasons.get(name, "")) if name in runs else f"| `{name}` | {cell(bar)} | | | | |" for name, bar in rows]
    return HEAD + "\n".join(made) + "\n" + foot(runs)


def line(run: Run, reason: str) -> str:
    """A row of the table."""
    why = f" ({reason})" if reason and not run.passed else ""
    part = f" ({run.minutes:g} of {run.of_minutes:g} minutes)" if run.minutes is not None and run.of_minutes and run.minutes < run.of_minutes else ""
    commit = f"{run.commit[:8]}{', changed' if run.dirty else ''}"
    return f"| `{run.name}` | {cell(run.bar)} | {cell(run.figure)}{part}{why} | {'yes' if run.passed else '**no**'} | {took(run.seconds)} | {commit} |"


def cell(text: str) -> str:
    """A text within a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def foot(runs: dict[str, Run]) -> str:
    """Which builds and machines the rows are of."""
    if not runs:
        return ""
    builds = [run.build for run in runs.values() if run.build]
    busy = sum(run.load > run.cores / 2 for run in runs.values())
    of = "one build" if len(set(builds)) == 1 else f"{len(set(builds))} builds"
    programs = [f"{len(builds)} rows of {of} of the program (SHA-256 begins with {', '.join(sorted(set(builds)))})"] if builds else []
    packages = [f"{len(runs) - len(builds)} of packages alone"] if len(builds) < len(runs) else []
    return f"\n{', '.join(programs + packages)}, on {', '.join(map(str, sorted({run.cores for run in runs.values()})))} cores; {busy} began while the machine was busy (load average above half the cores).\n"
