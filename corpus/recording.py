"""Records real agents: a scripted model plays its turns, the agent runs its own tools, and its last request is kept."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from place import PROJECT, ROOT, SAMPLE, TOOLS, USER, environment, run

sys.path.insert(0, str(ROOT / "benchmarks" / "clients"))

from agents import ASK, CLIENTS, CODEX, Start  # noqa: E402
from asking import Asking  # noqa: E402
from speech import Text, shape_of  # noqa: E402

from published import published  # noqa: E402
from results import tool_results  # noqa: E402
from talks import EXCERPTS, TALKS, Talk  # noqa: E402
from verbs import call  # noqa: E402

PATIENCE = 300
PATHS = [talk.path for talk in TALKS]


def made(only: str) -> Iterator[tuple[str, str, str]]:
    """Path under conversations/, source and text of each."""
    for talk in TALKS:
        if only in f"conversations/{talk.path}":
            body = json.dumps(published(talk.api, record(talk)), ensure_ascii=False, separators=(",", ":"))
            yield talk.path, f"{talk.client}, run on {talk.where} with a scripted model: {talk.ask}", body + "\n"


def excerpts(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Path under outputs/, source and text of the results that are kept as outputs too."""
    for path, talk, begins in EXCERPTS:
        found = tool_results(talk.split(".")[1], json.loads((folder / talk).read_text()))
        text = next(one for one in found if re.match(begins, one))
        yield path, f"a tool result of conversations/{talk}, as the agent sent it", text


def record(talk: Talk) -> dict:
    """The last request that the agent sent."""
    where = {"sample": SAMPLE, "project": PROJECT}[talk.where]
    run("git reset -q --hard && git clean -qfd", where)
    shutil.rmtree(USER, ignore_errors=True)
    USER.mkdir()
    run("git config --global user.name 'Tersely maintainers' && git config --global user.email maintainers@tersely.example", where)
    upstream = Asking(script(talk, str(where)), pause=0.001)
    start = started(talk, upstream.url)
    for name, text in start.files.items():
        (USER / name).parent.mkdir(parents=True, exist_ok=True)
        (USER / name).write_text(text)
    words = [talk.ask if word == ASK else word for word in start.words]
    done = subprocess.run(
        words, cwd=where, env=environment() | start.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )
    upstream.shutdown()
    if talk.end not in done.stdout + done.stderr:
        raise SystemExit(f"{talk.path}: ended with {done.returncode} and said {(done.stdout + done.stderr)[-1500:]}")
    if keep := os.environ.get("CORPUS_RAW"):
        (Path(keep) / talk.path).write_bytes(last(upstream))
    return json.loads(last(upstream))


def last(upstream: Asking) -> bytes:
    """The body with the most results."""
    talked = [one for one in upstream.requests if one.method == "POST" and shape_of(one.path)]
    return max(talked, key=lambda one: len(shape_of(one.path).results(json.loads(one.body)))).body


def script(talk: Talk, place: str):
    """What the model says: its turn is told by the results that it has."""

    def says(_body: dict, tools: list[str], results: list[tuple[str, str]]) -> list:
        if not any(isinstance(name, str) and name in ("Bash", "bash", "exec_command", "run_shell_command") for name in tools):
            return [Text(("A look at the project",))]
        seen = 0
        for text, verbs in talk.turns:
            if seen >= len(results):
                return [Text((text,)), *[call(verb, tools, place) for verb in verbs]]
            seen += len(verbs)
        return [Text((talk.end,))]

    return says


def started(talk: Talk, url: str) -> Start:
    """The agent, allowed to use its tools."""
    start = CLIENTS[talk.client.removesuffix(" 1.0")](url)
    if talk.client == "Claude Code 1.0":
        start.words[0] = str(TOOLS / "claude-1" / "node_modules" / ".bin" / "claude")
    if talk.client.startswith("Claude Code"):
        start.words[start.words.index("--allowedTools") + 1] = "Bash,Read,Write,Edit,Grep,Glob"
        del start.env["ENABLE_TOOL_SEARCH"]
    if talk.client == "Codex":
        start.files = {".codex/config.toml": CODEX.format(extra="").replace("test-model", "gpt-5.5")}
    return start


