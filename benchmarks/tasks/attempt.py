"""One attempt at one task in one arm: a fresh copy of the workspace, an agent in it, and the judge."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from hide import Case
from packages import PACKAGES
from recorder import Recorder
from starts import Ask, Start
from suite import end_group, judge, variables


# Set when whoever runs this wants it to end: the attempt that is running ends, and is written down with what it has cost.
STOP = threading.Event()


@dataclass(frozen=True)
class Task:
    """A task as make.py wrote it."""

    folder: Path

    @property
    def about(self) -> dict:
        """What was changed, and which tests decide."""
        return json.loads((self.folder / "task.json").read_text())

    @property
    def expected(self) -> set[Case]:
        """The tests that must pass."""
        return {Case(**one) for one in self.about["expected"]}


@dataclass(frozen=True)
class Way:
    """How agents are run: which one, through what, how long."""

    start: Callable[[Ask], Start]
    model: str
    key: str
    words: list[str]
    minutes: float


def prepared(folder: Path, task: Task, start: Start) -> dict[str, str]:
    """Writes what an agent finds around it; gives its variables: nothing of whoever runs this but the path."""
    needed = variables(PACKAGES[task.about["package"]], folder / "work")
    # Agents that start a login shell for each command would lose the path otherwise.
    profile = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in needed.items())
    for name, text in {**start.files, ".profile": profile}.items():
        path = folder / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    kept = {name: os.environ[name] for name in ("LANG", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS") if name in os.environ}
    return {**kept, **needed, "HOME": str(folder / "home"), "TERM": "dumb", "NO_COLOR": "1", **start.env}


def results_of(events: Path) -> dict[str, int]:
    """Tool results that the gateway saw for the first time, and their tokens as they came and as they were sent."""
    lines = [json.loads(line) for line in events.read_text().splitlines()] if events.is_file() else []
    found = [line for line in lines if line["kind"] == "result"]
    return {"count": len(found), **{name: sum(line[f"{name}_tokens"] for line in found) for name in ("before", "after")}}


def play(words: list[str], folder: Path, env: dict[str, str], said: str, seconds: float) -> str:
    """Runs an agent, and says how it ended: done, by an error, out of time, or stopped by whoever runs this."""
    (folder / "input.txt").write_text(said)
    late = time.monotonic() + seconds
    with (folder / "said.txt").open("wb") as out, (folder / "input.txt").open("rb") as given:
        process = subprocess.Popen(words, cwd=folder / "work", env=env, stdin=given, stdout=out, stderr=out, start_new_session=True)
        try:
            while time.monotonic() < late and not STOP.is_set():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return "error" if process.wait(0.2) else "done"
        finally:
            end_group(process)
    return "stopped" if STOP.is_set() else "time"


def attempt(task: Task, arm: str, nonce: str, way: Way, recorder: Recorder) -> dict:
    """Runs an agent on a task, and judges what it left. The arms differ by the words in front of the command alone."""
    with tempfile.TemporaryDirectory(prefix="tersely-attempt-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        (folder / "home").mkdir()
        shutil.copytree(task.folder / "workspace", folder / "work")
        prompt = folder / "prompt.md"
        shutil.copyfile(task.folder / "prompt.md", prompt)
        start = way.start(Ask(recorder.url, way.model, way.key, nonce, prompt))
        events = folder / "events.jsonl"
        env = prepared(folder, task, start) | {"TERSELY_EVENTS_FILE": str(events)}
        words = [*(way.words if arm == "tersely" else []), *start.words]
        begun = time.monotonic()
        ended = play(words, folder, env, start.said, way.minutes * 60)
        seconds = time.monotonic() - begun
        tally = recorder.close()
        row = {"ended": "budget" if tally.refused else ended, "seconds": round(seconds, 1), **asdict(tally), "results": results_of(events)}
        row["solved"] = ended != "stopped" and judge(PACKAGES[task.about["package"]], folder / "work", task.expected)
        if ended == "error":
            row["said"] = (folder / "said.txt").read_text(errors="replace")[-400:]
        return row
