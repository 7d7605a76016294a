"""Keeps every door but `serve` busy for minutes, MCP and hooks among them, and watches the memory, files and threads of each.

    python3 trials/doors/soak_doors.py MINUTES [--tersely PROGRAM] [--envoy ENVOY]

Each door has one client, which sends results that no other result shares a line with, and holds every answer against what it should be, as doors.py does. Sessions of `tersely mcp serve` end after
fifty calls; hooks are answered by the process that `tersely hook` leaves behind. `serve` has a soak of its own, with streams: trials/clients/soak.py. Linux only.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from doors import DOORS, ROOT, Door, shortened

sys.path += [str(ROOT / "benchmarks/limits"), str(ROOT / "trials/clients")]

from memory import code, log, records  # noqa: E402
from soak import measure  # noqa: E402

WATCHED = ("mcp", "mcp serve", "http", "extproc", "hook")
# Seconds between samples, and between a client's calls in the mean. `mcp` gets twice as many calls: its originals fill 256 MB, and its heap settles after 10,000 calls.
SAMPLE, REST, SHORT_REST = 5, 0.15, 0.03
# Wrong answers that are enough to stop.
ENOUGH = 100
# Threads that may come in the second half: a pool keeps the most that it ever needed at once, which on a busy machine may be late. A leak adds one for each session or call, thousands in an hour.
LATE_THREADS = 3


@dataclass
class Watched:
    """A door, what its client saw and what its process held."""

    name: str
    calls: int = 0
    shorter: int = 0
    wrong: list[str] = field(default_factory=list)
    # Seconds since the beginning, kilobytes resident, open files, threads.
    samples: list[tuple[float, int, int, int]] = field(default_factory=list)


def text(dice: random.Random) -> str:
    """Rows, lines or records that no other result has."""
    return dice.choice((log, records, code))(dice.choice((1_000, 20_000, 60_000, 400_000)), dice.randrange(1 << 40))


def live(args: argparse.Namespace, watched: Watched, over: threading.Event) -> None:
    """A client, until it is over; the first call opens whatever stays open."""
    dice, began = random.Random(watched.name), time.monotonic()
    rest = SHORT_REST if watched.name == "mcp" else REST
    with DOORS[watched.name](args) as door:
        ask(args, watched, door, dice)
        due = 0.0
        while not over.is_set() and len(watched.wrong) < ENOUGH:
            ask(args, watched, door, dice)
            if time.monotonic() - began >= due and (pid := door.process()):
                watched.samples.append((time.monotonic() - began, *measure(pid)))
                due += SAMPLE
            over.wait(dice.random() * 2 * rest)


def ask(args: argparse.Namespace, watched: Watched, door: Door, dice: random.Random) -> None:
    """One call."""
    told = text(dice)
    path = Path(args.place) / f"{watched.name}.txt"
    path.write_text(told)
    watched.calls += 1
    try:
        watched.shorter += shortened(door, path, told)
    except Exception as error:  # noqa: BLE001: whatever went wrong is what this is for
        watched.wrong.append(f"{type(error).__name__}: {error}"[:300])


def judge(watched: Watched, minutes: float) -> bool:
    """Prints a row; true when all is well: half-way, all that is kept has its size, and one in eight results at least is shorter (`http` has something to do for one in three)."""
    ends = watched.samples[-1][0] if watched.samples else 0
    early = [sample for sample in watched.samples if ends / 2 - 60 <= sample[0] < ends / 2]
    late = [sample for sample in watched.samples if sample[0] >= ends - 60]
    if not early or not late or ends < minutes * 60 * 0.9:
        print(f"| {watched.name} | {watched.calls} | {watched.shorter} | not watched to its end | | | {len(watched.wrong)} |")
        return False
    mean = lambda samples, at: sum(sample[at] for sample in samples) / len(samples)  # noqa: E731
    memory, files, threads = ([mean(samples, at) for samples in (early, late)] for at in (1, 2, 3))
    megabytes = [kilobytes / 1024 for kilobytes in memory]
    print(f"| {watched.name} | {watched.calls} | {watched.shorter} | {megabytes[0]:.1f} → {megabytes[1]:.1f} | {files[0]:.0f} → {files[1]:.0f} | {threads[0]:.0f} → {threads[1]:.0f} | {len(watched.wrong)} |")
    return not watched.wrong and megabytes[1] < megabytes[0] * 1.05 + 2 and files[1] < files[0] + 1 and threads[1] < threads[0] + LATE_THREADS and watched.shorter > watched.calls / 8


def main() -> int:
    """All of them at once."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("minutes", type=float)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    parser.add_argument("--envoy", type=Path, default=ROOT / "target/tools/envoy/bin/envoy")
    args = parser.parse_args()
    args.tersely = args.tersely.resolve()
    over, all_watched = threading.Event(), [Watched(name) for name in WATCHED]
    with tempfile.TemporaryDirectory() as args.place:
        clients = [threading.Thread(target=live, args=(args, watched, over)) for watched in all_watched]
        for client in clients:
            client.start()
        began = time.monotonic()
        while time.monotonic() - began < args.minutes * 60 and all(len(watched.wrong) < ENOUGH for watched in all_watched):
            time.sleep(min(60, args.minutes * 6))
            held = ", ".join(f"{watched.name} {watched.samples[-1][1] / 1024:.0f} MB" for watched in all_watched if watched.samples)
            print(f"{(time.monotonic() - began) / 60:5.1f} min  {sum(watched.calls for watched in all_watched)} calls; {held}", flush=True)
        over.set()
        for client in clients:
            client.join()
    for watched in all_watched:
        for wrong in watched.wrong[:5]:
            print(f"WRONG {watched.name}: {wrong}")
    print("| door | calls | shorter | MB, half-way and at the end | files | threads | wrong |\n|---|--:|--:|---|---|---|--:|")
    good = [judge(watched, args.minutes) for watched in all_watched]
    print(f"{len(good)} doors, {sum(good)} as they should be")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
