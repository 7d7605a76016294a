"""Makes repair tasks: puts one bug at a time into real packages, and keeps those that their tests find.

    python3 make.py --tasks 24 --seed 1

A task is a folder: `workspace` (the package with the bug, without the tests that find it), `prompt.md` (a bug report) and
`task.json` (what was changed and which tests decide, for the judge only). The same seed makes the same tasks; tasks that are there
are left alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from hide import Case, finding, report, without
from mutate import Mutation, drawn, is_sound, mutations
from packages import PACKAGES, PLACE, TABLE, Package, fetch
from suite import Outcome, run_tests

# A bug that more than this share of all tests find takes no search.
WIDEST = 0.25
# 2026-01-01, UTC.
DATE = 1767225600
# What only a bug would cause that nobody hands in.
BLUNT = ("ImportError", "ModuleNotFoundError", "SyntaxError", "unsupported operand type")
# After so many bugs in a row that no test finds, a package is left.
TRIES = 40


def broken(before: Outcome, after: Outcome) -> list[Case]:
    """The tests that found a bug; none if it is one that we do not want."""
    lost = sorted(before.passed & set(after.failed))
    if not after.whole or len(before.passed - after.passed) != len(lost) or len(lost) > WIDEST * len(before.passed):
        return []
    return [] if any(word in after.failed[case] for case in lost for word in BLUNT) else lost


def hidden(folder: Path, lost: list[Case]) -> bool:
    """Takes tests out of a workspace; whether that was possible."""
    for file in {case.file for case in lost}:
        places = {case.place for case in lost if case.file == file}
        text = without((folder / file).read_text(), places)
        if text is None:
            return False
        (folder / file).write_text(text)
    return True


def aged(folder: Path) -> None:
    """Gives all files one date: that of the changed one would say where the bug is."""
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (DATE, DATE))


def attempt(package: Package, before: Outcome, path: str, mutation: Mutation, place: Path) -> bool:
    """Makes a task of one bug; whether it became one."""
    workspace = place / "workspace"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(package.folder, workspace)
    original = (workspace / path).read_bytes()
    if not is_sound(mutation, original):
        return False
    (workspace / path).write_bytes(mutation.applied(original))
    after = run_tests(package, workspace)
    lost = broken(before, after)
    if not lost or not hidden(workspace, lost):
        return False
    visible = run_tests(package, workspace)
    if not visible.whole or visible.failed or not visible.passed:
        return False
    aged(workspace)
    texts = {case.file: (package.folder / case.file).read_text() for case in lost}
    said = {case.place: (case.function, *finding(after.failed[case], case.file, texts[case.file])) for case in reversed(lost)}
    (place / "prompt.md").write_text(report(package.name, package.version, list(reversed(said.values()))))
    task = {
        "package": package.name, "version": package.version, "path": path, "line": mutation.line, "kind": mutation.kind,
        "start": mutation.start, "was": original[mutation.start : mutation.end].decode(), "is": mutation.text.decode(),
        "hidden": [asdict(case) for case in lost], "expected": [asdict(case) for case in sorted(before.passed)],
    }
    (place / "task.json").write_text(json.dumps(task, indent=1))
    return True


def tasks_of(package: Package, seed: int, place: Path) -> Iterator[Path]:
    """Tasks of one package, one after the other."""
    fetch(package)
    before = run_tests(package, package.folder)
    if not before.whole or before.failed:
        raise SystemExit(f"{package.name}: its own tests fail here: {sorted(before.failed)[:3]}")
    sources = package.sources(package.folder)
    candidates = {str(path): mutations((package.folder / path).read_bytes()) for path in sources}
    draw = random.Random(f"{seed}/{package.name}/{package.version}")
    tries, made = 0, 0
    for path, mutation in drawn(candidates, draw):
        tries += 1
        folder = place / f"{package.name}-{made + 1}"
        if attempt(package, before, path, mutation, folder):
            tries, made = 0, made + 1
            yield folder
        elif tries == TRIES:
            break
    shutil.rmtree(place / f"{package.name}-{made + 1}", ignore_errors=True)


def make(count: int, seed: int, names: list[str], place: Path) -> list[Path]:
    """As many tasks as are wanted, from all packages in turn."""
    sources = {name: tasks_of(PACKAGES[name], seed, place) for name in names}
    made: list[Path] = []
    while len(made) < count and sources:
        for name in list(sources):
            task = next(sources[name], None) if len(made) < count else None
            if task:
                made.append(task)
                about = json.loads((task / "task.json").read_text())
                print(f"{task.name}: {about['kind']}, hidden tests: {len(about['hidden'])}", flush=True)
            elif len(made) < count:
                del sources[name]
    return made


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=24, help="how many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", default=",".join(PACKAGES), help="names, separated by commas")
    args = parser.parse_args()
    place = PLACE / f"seed-{args.seed}"
    stamp, wanted = place / "made.json", json.dumps({"tasks": args.tasks, "packages": args.packages, "table": TABLE})
    if not stamp.is_file() or stamp.read_text() != wanted:
        shutil.rmtree(place, ignore_errors=True)
        made = make(args.tasks, args.seed, args.packages.split(","), place)
        if len(made) < args.tasks:
            raise SystemExit(f"only {len(made)} of {args.tasks} tasks could be made: name more packages, or another seed")
        stamp.write_text(wanted)
    print(f"{args.tasks} tasks are in {place}")


if __name__ == "__main__":
    main()
