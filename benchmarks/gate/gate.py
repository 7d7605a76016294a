"""Runs every slow recipe on one release build, one at a time where time is measured, and keeps what each of them shows.

    just gate                    what is missing, stale or short, then what is red; goes on where it stopped
    just gate soak load          these rows, whether they are valid or not; `fuzz-*` is a pattern
    just gate --minutes 5        long rows get five minutes each, and the table says so
    just gate --list             what every row is worth now
    just gate --check            the same, and fails unless every row is valid

The exit code is 1 if a row is red or could not be run. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime
import fcntl
import fnmatch
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import recipes
import record
from readers import Figure, Unread, plain
from record import Run, State
from rows import REASONS, ROWS, Row
from tree import BESIDE, PROGRAM, SOURCES, Tree, crates

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "target" / "gate"
# A row that takes this many times as long as it should, and this long at least, is stopped.
PATIENCE, LEAST_MINUTES = 4, 20
# Variables of ours that rows keep; others would change what is measured.
KEPT = {"TERSELY_CORPUS", "TERSELY_CACHE", "TERSELY_OTHER"}


class Gate:
    """The rows, the tree and the record."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.tree = args, Tree(ROOT)
        self.known = recipes.recipes((ROOT / "justfile").read_text())
        self.place, self.writing, self.is_stopped = args.record.resolve(), threading.Lock(), False
        self.runs = record.read(self.place / "gate.jsonl")

    def paths(self, row: Row) -> tuple[str, ...]:
        """What a row depends on: the program, all sources where it tests them, or the packages that it tests with what they are built with."""
        recipe = self.known[row.recipe]
        if row.calls:
            built = crates(ROOT, set(row.calls), tested=set())
        elif recipe.packages:
            built = crates(ROOT, recipe.packages)
        else:
            built = SOURCES if recipe.needs_cargo else PROGRAM
        return (*built, *self.scripts(row))

    def scripts(self, row: Row) -> tuple[str, ...]:
        """What a row depends on besides what is built."""
        return (*recipes.scripts(ROOT, self.known, row.recipe), *row.paths)

    def wanted(self, row: Row) -> float | None:
        """The minutes that a row should have."""
        if row.budget is None:
            return None
        return min(row.budget.minutes, self.args.minutes) if self.args.minutes else row.budget.minutes

    def state(self, row: Row) -> tuple[State, str]:
        """What the latest run of a row is worth."""
        run = self.runs.get(row.name)
        changed = self.tree.changed(run.commit, self.paths(row)) if run else []
        return record.judge(run, row.bar, self.known[row.recipe].digest, self.wanted(row), changed)

    def lacks(self, row: Row) -> str:
        """Why a row cannot be run here."""
        if self.args.built and self.known[row.recipe].needs_cargo:
            return "builds with cargo, and --built was said"
        for need in row.needs:
            if need.startswith("$"):
                if not os.environ.get(need[1:]):
                    return f"needs {need}"
            elif "/" in need:
                if not (ROOT / need).exists() and (self.args.built or not need.startswith("target/release/")):
                    return f"needs {need}"
            elif not shutil.which(need, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"):
                return f"needs {need}"
        return ""

    def words(self, row: Row) -> list[str]:
        """The arguments of `just`."""
        minutes = self.wanted(row)
        words = row.budget.words(minutes) if row.budget and minutes is not None and minutes < row.budget.minutes else list(row.words)
        return words + list(row.local if self.args.local else ())

    def show(self) -> bool:
        """Prints every row; true when all are valid."""
        states = []
        for row in self.chosen() or ROWS:
            state, said = self.state(row)
            states.append(state)
            lacks = self.lacks(row) if state is not State.VALID else ""
            print(f"{state.value:8} {row.name:22} {said}{f' (cannot run here: {lacks})' if lacks else ''}")
        print(", ".join(f"{states.count(state)} {state.value}" for state in State))
        return set(states) <= {State.VALID}

    def chosen(self) -> list[Row]:
        """The rows that were named."""
        unknown = [name for name in self.args.rows if not fnmatch.filter([row.name for row in ROWS], name)]
        if unknown:
            raise SystemExit(f"no such row: {', '.join(unknown)} (`just gate --list` names them)")
        return [row for row in ROWS if any(fnmatch.fnmatch(row.name, name) for name in self.args.rows)]

    def due(self) -> list[Row]:
        """What is to be run: rows that were named, or what was never run so, and then what was red."""
        if self.args.rows:
            return self.chosen()
        states = {row.name: self.state(row)[0] for row in ROWS}
        first = [row for row in ROWS if states[row.name] in (State.MISSING, State.STALE, State.SHORT)]
        return first + [row for row in ROWS if states[row.name] is State.RED]

    def run_all(self) -> bool:
        """Runs what is due, one row at a time but for those that share the machine; true when every row of it passes. What is not due is valid."""
        due = self.due()
        if any(not self.known[row.recipe].packages and not self.lacks(row) for row in due):
            self.build()
        ordered = sorted(due, key=lambda row: row.shares)
        numbered = [(f"[{number}/{len(due)}]", row) for number, row in enumerate(ordered, 1)]
        good = [self.attempt(*one) for one in numbered if not one[1].shares]
        return all([*good, *self.run_shared([one for one in numbered if one[1].shares])])

    def run_shared(self, numbered: list[tuple[str, Row]]) -> list[bool]:
        """Runs rows that share the machine, one for each core. A stop ends those that run, and records none of them."""
        pool = ThreadPoolExecutor(os.cpu_count())
        try:
            return list(pool.map(lambda one: self.attempt(*one), numbered))
        except KeyboardInterrupt:
            self.is_stopped = True
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(RUNNING):
                end(process)
            raise
        finally:
            pool.shutdown()

    def attempt(self, number: str, row: Row) -> bool:
        """Runs a row if that can be done here; true when it passes."""
        # Asked only now: one row may make what another needs.
        if lacks := self.lacks(row):
            print(f"{number} {row.name}: not run: {lacks}", flush=True)
            return False
        about = record.took(60 * (self.wanted(row) or row.minutes))
        print(f"{number} {row.name}: just {' '.join(self.words(row))} (about {about})", flush=True)
        run = self.run(row)
        dirty = f"; not valid: {record.few(run.dirty)} not committed" if run.dirty else ""
        print(f"    {row.name} {'passed' if run.passed else 'RED'} in {record.took(run.seconds)}: {run.figure}{dirty}", flush=True)
        return run.passed and not run.dirty

    def build(self) -> None:
        """Everything that rows run, once; afterwards recipes take what is there."""
        program = ROOT / "target/release/tersely"
        if not self.args.built:
            subprocess.run([self.args.just, "gate-build"], cwd=ROOT, check=True)
            self.carry(digest(program))
        elif not program.is_file() or program.stat().st_mtime < self.tree.age():
            raise SystemExit(f"{program.relative_to(ROOT)} is missing, or older than the sources")

    def carry(self, build: str) -> None:
        """Rows that ran this very program hold at this commit too: sources have changed since, and not one byte of what is built of them."""
        head = self.tree.head()
        if self.tree.now(head, PROGRAM):
            return
        for row in ROWS:
            run = self.runs.get(row.name)
            if run is None or run.build != build or self.known[row.recipe].needs_cargo or not self.tree.changed(run.commit, PROGRAM):
                continue
            if not self.tree.changed(run.commit, (*BESIDE, *self.scripts(row))):
                self.keep(dataclasses.replace(run, commit=head))

    def run(self, row: Row) -> Run:
        """One row, with its log; the record is written at once."""
        words, paths, commit, load = self.words(row), self.paths(row), self.tree.head(), os.getloadavg()[0]
        at, begun, log = datetime.datetime.now(datetime.UTC), time.monotonic(), LOGS / f"{row.name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        for path in row.makes:
            (ROOT / path).unlink(missing_ok=True)
        limit = 60 * max(LEAST_MINUTES, PATIENCE * row.minutes)
        code = execute([self.args.just, *(os.environ.get(word[1:], word) if word.startswith("$") else word for word in words)], log, limit)
        if self.is_stopped:
            raise KeyboardInterrupt
        figure = self.figure(row, code, nameless(plain(log.read_text(errors="replace"))), limit)
        run = Run(
            name=row.name, command=f"just {' '.join(words)}", bar=row.bar, figure=figure.text, passed=figure.holds, exit=code,
            seconds=round(time.monotonic() - begun, 1), minutes=self.wanted(row), of_minutes=row.budget.minutes if row.budget else None, commit=commit,
            dirty=self.tree.now(commit, paths), build=self.program(row), recipe=self.known[row.recipe].digest,
            at=at.isoformat(timespec="seconds"), load=round(load, 1), cores=os.cpu_count() or 1,
        )  # fmt: skip
        self.keep(run)
        return run

    def program(self, row: Row) -> str:
        """The program that a row runs; none if it tests packages."""
        return "" if self.known[row.recipe].packages else digest(ROOT / "target/release/tersely")

    def figure(self, row: Row, code: int, output: str, limit: float) -> Figure:
        """The figure of a row; where it failed, how it ended and what it said last."""
        said = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith("error: recipe ")]
        last = said[-1][:200] if said else "no output"
        try:
            figure = row.reader(output)
        except (Unread, ValueError, KeyError, IndexError) as error:
            figure = Figure(last if code else f"{last} (no figure: {error})", False)
        if code == 0:
            return figure
        ended = f"stopped after {record.took(limit)}" if code == STOPPED else f"exit {code}"
        return Figure(f"{ended}: {figure.text}" + (f"; {last}" if last not in figure.text and not last.startswith("|") else ""), False)

    def keep(self, run: Run) -> None:
        """Writes the record. Another checkout's rows may have come in between, so it is read again."""
        with self.writing:
            self.runs = record.read(self.place / "gate.jsonl") | {run.name: run}
            known = [self.runs[row.name] for row in ROWS if row.name in self.runs]
            record.write(self.place / "gate.jsonl", record.lines(known))
            record.write(self.place / "gate.md", record.table([(row.name, row.bar) for row in ROWS], {one.name: one for one in known}, REASONS))
            self.tree.changed.cache_clear()


# What a row ends with that took too long.
STOPPED = 124
# The processes of rows that run now.
RUNNING: set[subprocess.Popen[bytes]] = set()


def execute(command: list[str], log: Path, limit: float) -> int:
    """Runs a command in a group of its own, which ends with it; its exit status."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("TERSELY_") or name in KEPT}
    env |= {"TERSELY_BUILT": "1", "PYTHONUNBUFFERED": "1", "CARGO_TERM_COLOR": "never"}
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        RUNNING.add(process)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return STOPPED
        finally:
            RUNNING.discard(process)
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends what is left of a row: the next one must be alone."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)


def nameless(text: str) -> str:
    """An output without the places of this machine: a record is for everyone."""
    for place, name in ((f"{ROOT}/", ""), (str(ROOT), "."), (str(Path.home()), "~")):
        text = text.replace(place, name) if len(place) > 2 else text
    return text


def digest(path: Path) -> str:
    """The SHA-256 of a file, shortened."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.is_file() else ""


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Holds the lock; whoever comes second is told who has it."""
    with path.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise SystemExit(f"another gate is running: {lock.read().strip() or path}") from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()} in {ROOT}\n")
        lock.flush()
        yield


def options() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="just gate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="NAME", help="rows to run; all that are not valid unless told")
    parser.add_argument("--list", action="store_true", help="say what every row is worth, and run nothing")
    parser.add_argument("--check", action="store_true", help="the same; fail unless all are valid")
    parser.add_argument("--minutes", type=float, help="at most so long for each row that takes a budget")
    parser.add_argument("--built", action="store_true", help="take target/release as it is; skip rows that need cargo")
    parser.add_argument("--local", action="store_true", help="where no registry of images can be reached")
    parser.add_argument("--record", type=Path, default=ROOT / "benchmarks" / "record", help="the folder of gate.md and gate.jsonl")
    parser.add_argument("--just", default="just", help=argparse.SUPPRESS)
    return parser


def main() -> int:
    """Lists or runs."""
    args = options().parse_args()
    # So that a row that runs is ended too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    gate = Gate(args)
    if args.list or args.check:
        return 0 if gate.show() or not args.check else 1
    with alone(gate.tree.lock()):
        return 0 if gate.run_all() else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; `just gate` goes on from here")
