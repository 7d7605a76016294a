"""Holds `tersely audit` against the gateway: real agents work through `tersely serve`, then their own histories are audited.

The scripted model runs a few commands, one of them twice. Held: what the audit says that the results came with, and what they
would have been in standard mode, are to the token what the gateway counted when it sent them. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agents import CLIENTS, ROWS, prepare
from asking import Asking
from clients import ROOT, Server
from edits import EDITORS, hand, kinds, run
from speech import Say, Text, is_hidden

DONE = "HISTORY-2208"
COMMANDS = ["python3 rows.py", "python3 log.py", "ls -la /usr/lib", "python3 rows.py", "python3 log.py | tail -n 40"]

LOG = """\
for n in range(160):
    print(f"2026-11-16T09:{n // 60:02}:{n % 60:02}Z INFO worker-{n % 7} finished batch {n * 31} in {n * 17 % 90} ms")
"""

AGENTS = {**EDITORS, "Gemini CLI": CLIENTS["Gemini CLI"]}


@dataclass
class Result:
    """What both say of one agent's conversation."""

    client: str
    gateway: tuple[int, int] = (0, 0)
    audit: tuple[int, int] = (0, 0)
    requests: tuple[int, int] = (0, 0)
    fault: str = ""

    @property
    def equal(self) -> bool:
        """Whether both say the same, and something."""
        return not self.fault and self.gateway == self.audit and self.gateway[0] > 0


def script(body: dict, tools: list[str], results: list[tuple[str, str]]) -> list[Say]:
    """The model: one command after the other."""
    own = hand(tools, kinds(body))
    seen = [text for mark, text in results if not is_hidden(mark)]
    if own is None or len(seen) >= len(COMMANDS):
        return [Text(("All of them ran: ", DONE))]
    return [own.run(COMMANDS[len(seen)])]


def check(binary: Path, client: str) -> Result:
    """One agent, and what is said of it on both sides."""
    result = Result(client)
    with tempfile.TemporaryDirectory(prefix="tersely-history-", ignore_cleanup_errors=True) as folder:
        events = Path(folder) / "events.jsonl"
        os.environ["TERSELY_EVENTS_FILE"] = str(events)
        os.environ["TERSELY_HISTORY_RECORD"] = "off"
        upstream = Asking(script)
        server = Server(binary, upstream.url)
        start = AGENTS[client]("http://{}:{}".format(*server.address))
        env = prepare(Path(folder), start, {"rows.py": ROWS, "log.py": LOG})
        said, code = run(start.words, env, Path(folder) / "here")
        server.stop()
        upstream.shutdown()
        if code != 0 or DONE not in said:
            result.fault = f"ended with {code} and said: {said[-300:]}"
            return result
        result.gateway, requests = sent(events)
        home = Path(folder) / "home"
        audit = subprocess.run(
            [binary, "audit", "--json"], env={"HOME": str(home), "PATH": env["PATH"]}, capture_output=True, text=True, check=False,
        )
    if audit.returncode != 0:
        result.fault = f"the audit ended with {audit.returncode}: {audit.stderr[-300:]}"
        return result
    total = json.loads(audit.stdout)["total"]
    result.audit = (total["result_tokens"]["came"], total["result_tokens"]["standard"])
    result.requests = (requests, total["requests"])
    return result


def sent(events: Path) -> tuple[tuple[int, int], int]:
    """What the results of the longest request came with and went with, and how many requests a model answered."""
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    answered = [line for line in lines if line["kind"] == "request" and line["billed"]]
    longest = max(answered, key=lambda line: line["results"])["result_tokens"]
    return (longest["before"], longest["after"]), len(answered)


def main() -> None:
    """All agents, or those that are named."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("clients", nargs="*", default=list(AGENTS))
    reader.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    given = reader.parse_args()
    wrong = 0
    for client in given.clients:
        result = check(given.binary, client)
        wrong += not result.equal
        print(f"{client:22} gateway {result.gateway}  audit {result.audit}  requests {result.requests} {result.fault}", flush=True)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
