"""Does a real Claude Code work with a history that was cleared after a pause?

It reads fourteen files and pauses for longer than the cache lives: the clock of the gateway is moved, and nothing else. Then the
model, which the upstream plays, fetches a file that was cleared and edits it by what it got. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from agents import claude, prepare
from caching import Asked, CachingUpstream, results, since
from clients import ROOT, Server
from why import Session

FILES = 14
MODEL = "claude-opus-4-8"
# Longer than the longest time that a request can state.
PAUSE_SECONDS = 3_700
STUB = "[cleared, "


def line(number: int) -> str:
    """The line of a file that is edited."""
    return f"    total_{number} = sum(price * count for price, count in basket_{number})"


def source(number: int) -> str:
    """A file that is long enough to be cleared."""
    lines = [f"    value_{number}_{at} = compute_{number}({at * 31 % 97}, {at * 7919 % 1009})" for at in range(150)]
    return "\n".join([f"def part_{number}():", *lines, line(number), f"    return total_{number}", ""])


def blocks(body: dict) -> list[dict]:
    """All blocks of all messages."""
    lists = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    return [block for content in lists for block in content]


def text_of(block: dict) -> str:
    """The text of a result."""
    content = block.get("content")
    return content if isinstance(content, str) else "".join(it.get("text", "") for it in content or [])


class Model:
    """The script: reads, fetches, edits."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.fetched = folder, None

    def call(self, asked: Asked, tool: str, given: dict) -> dict:
        """A call of a tool."""
        return {"type": "tool_use", "id": f"toolu_{asked.number}", "name": tool, "input": given}

    def __call__(self, asked: Asked, body: dict) -> dict:
        text = json.dumps(since(body))
        if not body.get("tools"):
            return {"type": "text", "text": "A title"}
        calls = [block for block in blocks(body) if block.get("type") == "tool_use"]
        reads = sum(call["name"] == "Read" for call in calls)
        if "Read the parts" in json.dumps(body["messages"][0]) and reads < FILES and "Edit" not in {it["name"] for it in calls}:
            return self.call(asked, "Read", {"file_path": str(self.folder / f"part_{reads}.py")})
        cleared = [text_of(block) for block in blocks(body) if STUB in text_of(block) and "part_0.py" in text_of(block)]
        if cleared and "Edit the first" in text and not results(body):
            name = cleared[0].split("SHADOW:", 1)[1].split(">", 1)[0]
            return self.call(asked, "expand_context", {"id": name})
        if calls and calls[-1]["name"] == "expand_context" and results(body):
            self.fetched = text_of(results(body)[-1])
            new = line(0).replace("sum(", "fsum(")
            given = {"file_path": str(self.folder / "part_0.py"), "old_string": line(0), "new_string": new}
            return self.call(asked, "Edit", given)
        return {"type": "text", "text": "Done."}


def faketime() -> str:
    """The library that moves the clock of one process, from its registry."""
    place = Path(tempfile.gettempdir()) / "tersely-faketime"
    if not place.exists():
        venv.create(place, with_pip=True)
        subprocess.run([place / "bin" / "pip", "install", "--quiet", "libfaketime==2.1.0"], check=True)
    return str(next(place.rglob("libfaketime.so.1")))


def serve(binary: Path, upstream: str, clock: Path) -> Server:
    """A gateway whose clock is as far ahead as a file says."""
    moved = {"LD_PRELOAD": faketime(), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1"}
    os.environ |= {**moved, "TERSELY_CLEAR": "cold"}
    try:
        return Server(binary, upstream)
    finally:
        for name in [*moved, "TERSELY_CLEAR"]:
            del os.environ[name]


def sent(upstream: CachingUpstream) -> list[dict]:
    """The requests of the conversation, without titles."""
    bodies = [json.loads(it.body) for it in upstream.requests if it.path.split("?")[0].endswith("/messages")]
    return [body for body in bodies if "Read the parts" in json.dumps(body["messages"][0])]


def faults(folder: Path, model: Model, bodies: list[dict], before: int) -> list[str]:
    """What is wrong."""
    found = []
    stubs = [sum(STUB in text_of(block) for block in blocks(body)) for body in bodies]
    print("results cleared in each request:", *stubs)
    if any(stubs[:before]) or not all(stubs[before:]):
        found.append("results were cleared before the pause, or not after it")
    whole = [text_of(block) for block in blocks(bodies[before - 1]) if block.get("type") == "tool_result"]
    if model.fetched != (whole[0] if whole else None):
        found.append("what was fetched is not what was read")
    now = (folder / "part_0.py").read_text()
    if now != source(0).replace("sum(", "fsum("):
        found.append("the edit does not fit")
    return found


def trial(binary: Path, folder: Path) -> list[str]:
    """Everything, in a folder of its own."""
    clock, here = folder / "clock", folder / "here"
    clock.write_text("+0")
    model = Model(here)
    upstream = CachingUpstream(model)
    os.environ |= {"TERSELY_HISTORY_RECORD": "on", "TERSELY_HISTORY_FILE": str(folder / "history.db")}
    server = serve(binary, upstream.url, clock)
    begin = claude("http://{}:{}".format(*server.address))
    begin.env |= {"ENABLE_TOOL_SEARCH": "false", "ANTHROPIC_MODEL": MODEL}
    env = prepare(folder, begin)
    for number in range(FILES):
        (here / f"part_{number}.py").write_text(source(number))
    words = [begin.words[0], "-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"]
    session = Session([*words, "--allowedTools", "Read,Edit"], env, here)
    try:
        session.ask("Read the parts, one after the other.")
        time.sleep(1)
        before = len(sent(upstream))
        clock.write_text(f"+{PAUSE_SECONDS}")
        upstream.cache.seen.clear()
        session.ask("Edit the first part: use fsum.")
        session.end()
        time.sleep(2)
    finally:
        server.stop()
        upstream.shutdown()
    run = lambda *said: subprocess.run([binary, *said], capture_output=True, text=True, check=False).stdout
    print(run("why"), run("stats"), sep="\n")
    return faults(here, model, sent(upstream), before)


def main() -> None:
    """Run the trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target" / "release" / "tersely", help="the binary")
    parser.add_argument("--keep", type=Path, help="a folder that is left there, with the history")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tersely-clear-", ignore_cleanup_errors=True) as folder:
        found = trial(given.tersely.resolve(), given.keep or Path(folder))
    for fault in found:
        print("FAULT", fault, file=sys.stderr)
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
