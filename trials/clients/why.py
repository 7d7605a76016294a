"""Does `tersely why` explain every cache break of a real Claude Code over more than thirty requests?

Tools of an MCP server come and go, the model is switched, the cache forgets, a sub-agent works, the conversation is compacted and
resumed. The upstream plays the model and counts as a cache would. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from agents import HERE, claude, prepare
from caching import Asked, CachingUpstream, results, since
from clients import ROOT, Server

PATIENCE = 120
MODELS = ("claude-opus-4-8", "claude-sonnet-4-6")
FEW, MORE = "find read", "find read search"
# Providers lose some tokens by rounding, and short prompts are not cached.
SLACK_TOKENS = 1024


def script(asked: Asked, body: dict) -> dict:
    """The model: one command for every text of the user, and then an end."""
    text = json.dumps(since(body))
    names = [tool.get("name") for tool in body.get("tools") or []]
    if results(body) or "detailed summary" in text or not names:
        return {"type": "text", "text": f"<summary>Rows were listed, {asked.number} requests so far.</summary> Done."}
    agent = next((name for name in names if name in {"Task", "Agent"}), None)
    if agent and "sub-agent" in text:
        given = {"description": "List rows", "prompt": "Run python3 rows.py and count.", "subagent_type": "general-purpose"}
        return {"type": "tool_use", "id": f"toolu_{asked.number}", "name": agent, "input": given}
    given = {"command": "python3 rows.py", "description": "List the items"}
    return {"type": "tool_use", "id": f"toolu_{asked.number}", "name": "Bash", "input": given}


class Session:
    """Claude Code that reads one message after the other."""

    def __init__(self, words: list[str], env: dict[str, str], folder: Path) -> None:
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(words, env=env, cwd=folder, text=True, **streams)
        self.lines: list[dict] = []
        self.said: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        """Takes every line as it comes."""
        for line in self.process.stdout:
            self.said.put(line)
        self.said.put(None)

    def send(self, message: dict) -> None:
        """One message, on a line."""
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def wait(self, kind: str) -> dict:
        """Wait for a message of this kind."""
        until = time.monotonic() + PATIENCE
        while (left := until - time.monotonic()) > 0:
            try:
                line = self.said.get(timeout=left)
            except queue.Empty:
                break
            if line is None:
                break
            self.lines.append(json.loads(line))
            if self.lines[-1].get("type") == kind:
                return self.lines[-1]
        self.process.kill()
        raise SystemExit(f"it never said {kind}: {self.lines[-3:]}")

    def ask(self, text: str) -> dict:
        """A text of the user, and the end of the answer."""
        self.send({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": text}]}})
        return self.wait("result")

    def switch(self, model: str) -> None:
        """Another model from here on."""
        self.send({"type": "control_request", "request_id": model, "request": {"subtype": "set_model", "model": model}})
        self.wait("control_response")

    def end(self) -> None:
        """No more messages."""
        self.process.stdin.close()
        self.process.wait(30)


def play(start: Session, again: Callable[[str], Session], upstream: CachingUpstream, tools: Path) -> Session:
    """The whole story; gives the last session."""
    def rows(session: Session, number: int) -> None:
        session.ask(f"Question {number}: run python3 rows.py and tell me how many items there are.")

    def change(names: str, event: str) -> None:
        tools.write_text(names)
        time.sleep(1)
        upstream.plan(event)

    for number in range(1, 4):
        rows(start, number)
    change(MORE, "the server has a tool more")
    rows(start, 4)
    rows(start, 5)
    change(FEW, "the server has a tool less")
    rows(start, 6)
    change("", "the server has no tools")
    rows(start, 7)
    change(FEW, "the server has its tools again")
    rows(start, 8)
    start.switch(MODELS[1])
    upstream.plan("another model")
    rows(start, 9)
    rows(start, 10)
    start.switch(MODELS[0])
    upstream.plan("the first model again")
    rows(start, 11)
    upstream.cache.seen.clear()
    upstream.plan("the cache forgets")
    rows(start, 12)
    start.ask("Question 13: let a sub-agent list the rows.")
    rows(start, 14)
    upstream.plan("compact")
    start.ask("/compact")
    upstream.plan("after the compaction")
    rows(start, 15)
    rows(start, 16)
    start.end()
    session = again(start.lines[-1]["session_id"])
    upstream.plan("resumed")
    rows(session, 17)
    rows(session, 18)
    return session


# What must be said of a planted event, and what must not be a break.
EXPECTED = {
    "the server has a tool more": ("tool 24 added: mcp__files__search", "files"),
    "another model": ("model changed", "person"),
    "the first model again": ("model changed", "person"),
    "the cache forgets": ("nothing changed in the request", "provider"),
    "after the compaction": ("conversation compacted", "client"),
}


def paired(asked: list[Asked], told: list[dict]) -> list[tuple[Asked, dict]]:
    """Each request with what the history says of it. A sub-agent's and its parent's may be recorded in another order than they arrived in."""
    left, pairs = list(told), []
    for one in asked[: len(told)]:
        read, written = one.usage["cache_read_input_tokens"], one.usage["cache_creation_input_tokens"]
        near = [it for it in left[:3] if (it["billed"]["cache_read"], it["billed"]["cache_write"]) == (read, written)]
        pairs.append((one, left.pop(left.index(near[0]) if near else 0)))
    return pairs


def table(upstream: CachingUpstream, told: dict) -> list[str]:
    """What happened beside what is told; gives what was not explained."""
    faults, before = [], {}
    print(f"{len(upstream.asked)} requests upstream, {len(told['requests'])} in the history")
    for asked, it in paired(upstream.asked, told["requests"]):
        usage, found = asked.usage, it["cache_break"] or {}
        read, written = usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]
        lost = before.get(asked.conversation, read) - read
        why = f"{found['why']} ({found['server'] or found['owner']}, {found['lost_tokens']})" if found else ""
        print(f"{asked.number:3} {asked.model[7:13]} {asked.conversation[:20]:20} {read:6} {written:6}  {asked.event:30} {why}")
        if [it["billed"][name] for name in ["cache_read", "cache_write"]] != [read, written]:
            faults.append(f"request {asked.number}: {it['billed']} is not {usage}")
        if lost > SLACK_TOKENS and not found:
            faults.append(f"request {asked.number} lost {lost} tokens and nobody says why ({asked.event})")
        if found and found["lost_tokens"] not in {None, lost}:
            faults.append(f"request {asked.number} lost {lost} tokens, and not {found['lost_tokens']}")
        words, whose = EXPECTED.get(asked.event, (None, None))
        if words and (found.get("why"), found.get("server") or found.get("owner")) != (words, whose):
            faults.append(f"request {asked.number}: {asked.event}: {found}")
        before[asked.conversation] = read + written
    if len(upstream.asked) != len(told["requests"]):
        faults.append("not every request is in the session's history")
    return faults


def trial(binary: Path, folder: Path, mode: str) -> list[str]:
    """Everything, in a folder of its own."""
    history = folder / "history.db"
    os.environ |= {"TERSELY_HISTORY_RECORD": "on", "TERSELY_HISTORY_FILE": str(history)}
    upstream = CachingUpstream(script)
    server = Server(binary, upstream.url, "--mode", mode)
    begin = claude("http://{}:{}".format(*server.address))
    begin.env |= {"ENABLE_TOOL_SEARCH": "false", "ANTHROPIC_MODEL": MODELS[0]}
    env = prepare(folder, begin)
    tools = folder / "tools.txt"
    tools.write_text(FEW)
    servers = {"mcpServers": {"files": {"command": "python3", "args": [str(HERE / "flapping.py"), str(tools)]}}}
    (folder / "mcp.json").write_text(json.dumps(servers))
    words = [begin.words[0], "-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"]
    words += ["--mcp-config", str(folder / "mcp.json"), "--allowedTools", "Bash,Task,Agent"]
    open_session = lambda *more: Session([*words, *more], env, folder / "here")
    try:
        play(open_session(), lambda name: open_session("--resume", name), upstream, tools).end()
        time.sleep(2)
    finally:
        server.stop()
        upstream.shutdown()
    for number, request in enumerate(it for it in upstream.requests if it.path.split("?")[0].endswith("/messages")):
        (folder / f"{number + 1:02}.json").write_bytes(request.body)
    run = lambda *said: subprocess.run([binary, *said], capture_output=True, text=True, check=False).stdout
    faults = table(upstream, json.loads(run("why", "--json")))
    print(run("why"))
    audit = subprocess.run([binary, "audit"], env={"HOME": env["HOME"], "PATH": env["PATH"]}, capture_output=True, text=True, check=False)
    print(audit.stdout)
    return faults


def main() -> None:
    """Run the trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target" / "release" / "tersely", help="the binary")
    parser.add_argument("--mode", default="standard", help="of the gateway")
    parser.add_argument("--keep", type=Path, help="a folder that is left there, with the history")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tersely-why-", ignore_cleanup_errors=True) as folder:
        faults = trial(given.tersely.resolve(), given.keep or Path(folder), given.mode)
    for fault in faults:
        print("FAULT", fault)
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
