"""One attempt at one task in one arm: a fresh copy of the workspace, an agent in it, and the judge."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from hide import Case
from packages import PACKAGES
from recorder import Recorder
from starts import Ask, Start
from suite import end_group, judge, variables


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
    for name, text in start.files.items():
        path = folder / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    kept = {name: os.environ[name] for name in ("LANG", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS") if name in os.environ}
    needed = variables(PACKAGES[task.about["package"]], folder / "work")
    return {**kept, **needed, "HOME": str(folder / "home"), "TERM": "dumb", "NO_COLOR": "1", **start.env}


def results_of(events: Path) -> dict[str, int]:
    """Tool results that the gateway saw for the first time, and their tokens as they came and as they were sent."""
    lines = [json.loads(line) for line in events.read_text().splitlines()] if events.is_file() else []
    found = [line for line in lines if line["kind"] == "result"]
    return {"count": len(found), **{name: sum(line[f"{name}_tokens"] for line in found) for name in ("before", "after")}}


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
        with (folder / "said.txt").open("wb") as said:
            process = subprocess.Popen(words, cwd=folder / "work", env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                       start_new_session=True)
            try:
                code = process.wait(way.minutes * 60)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                end_group(process)
        seconds = time.monotonic() - begun
        tally = recorder.close()
        ended = "budget" if tally.refused else "time" if code is None else "done" if code == 0 else "error"
        row = {"ended": ended, "seconds": round(seconds, 1), **asdict(tally), "results": results_of(events)}
        row["solved"] = judge(PACKAGES[task.about["package"]], folder / "work", task.expected)
        if ended == "error":
            row["said"] = (folder / "said.txt").read_text(errors="replace")[-400:]
        return row
