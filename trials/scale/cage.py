"""Part of a core for a process: a control group with a quota of CPU time, version 1 or 2. Linux, as root."""

from __future__ import annotations

import os
import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
PERIOD_US = 100_000
# Whoever else uses this machine shall not starve what is measured; the quota holds all the same.
WEIGHT = 100


class Cage:
    """A control group; `core` is the part of one core that its processes get together, or None for as much as there is."""

    def __init__(self, name: str, core: float | None) -> None:
        is_second = (ROOT / "cgroup.controllers").exists()
        self.place = (ROOT if is_second else ROOT / "cpu") / f"tersely-scale-{os.getpid()}-{name}"
        self.place.mkdir()
        if is_second:
            quota = "max" if core is None else int(core * PERIOD_US)
            (self.place / "cpu.max").write_text(f"{quota} {PERIOD_US}")
            (self.place / "cpu.weight").write_text(str(100 * WEIGHT))
        else:
            (self.place / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (self.place / "cpu.cfs_quota_us").write_text(str(-1 if core is None else int(core * PERIOD_US)))
            (self.place / "cpu.shares").write_text(str(1024 * WEIGHT))

    def words(self, *command: object) -> list[str]:
        """A command that runs in here from its first instruction on."""
        return ["sh", "-c", f'echo $$ > {self.place}/cgroup.procs && exec "$@"', "sh", *map(str, command)]

    def enter(self) -> None:
        """Moves this process in here."""
        (self.place / "cgroup.procs").write_text(str(os.getpid()))

    def end(self) -> None:
        """Moves whoever is still in here out again, and removes it."""
        for pid in (self.place / "cgroup.procs").read_text().split():
            (self.place.parent / "cgroup.procs").write_text(pid)
        for _ in range(50):
            try:
                self.place.rmdir()
                return
            except OSError:
                time.sleep(0.1)
