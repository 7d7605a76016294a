"""Plays recorded sessions through a wrapper and compares every byte that comes out with the record.

    python3 relay.py --record
    python3 replay.py --wrap 'tersely mcp --'

A result of `tools/call` or of a task may differ, and so may a list of tools: by our own tool at its end and by nothing else. Everything else must be the
same bytes, in both directions. Exit code 1 if it is not.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
OWN = b',{"name":"expand_context"'


def main() -> int:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--wrap", default="tersely mcp --")
    args.add_argument("--server", help=argparse.SUPPRESS)
    args.add_argument("records", nargs="*", type=Path)
    given = args.parse_args()
    if given.server:
        return server(Path(given.server))
    records = given.records or sorted((HERE / "recorded").rglob("*.jsonl"))
    if not records:
        sys.exit("nothing is recorded; run `python3 relay.py --record` first")
    faults = 0
    for record in records:
        counts, wrong = play(shlex.split(given.wrap), record)
        print(f"{record.parent.name + '/' + record.stem:32} {counts}")
        for fault in wrong:
            print("  " + fault)
        faults += len(wrong)
    return 1 if faults else 0


def lines(record: Path) -> list[tuple[str, bytes]]:
    read = (json.loads(line) for line in record.read_text(errors="surrogateescape").splitlines())
    return [(one["from"], one["line"].encode(errors="surrogateescape")) for one in read]


def server(record: Path) -> int:
    """The server's side of a record: says its lines when it has heard those before them, and tells where it heard others."""
    for who, line in lines(record):
        if who == "server":
            sys.stdout.buffer.write(line + b"\n")
            sys.stdout.buffer.flush()
        elif (heard := sys.stdin.buffer.readline().removesuffix(b"\n")) != line:
            print(f"the server heard {heard[:200]!r}, not {line[:200]!r}", file=sys.stderr, flush=True)
            return 3
    return 0


def play(wrap: list[str], record: Path) -> tuple[str, list[str]]:
    """The client's side of a record."""
    command = [*wrap, sys.executable, __file__, "--server", str(record)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    asked: dict[str, str] = {}
    counts, wrong = {"passed": 0, "results": 0, "shorter": 0, "lists": 0}, []
    for who, line in lines(record):
        if who == "client":
            note(asked, line)
            child.stdin.write(line + b"\n")
            child.stdin.flush()
            continue
        heard = child.stdout.readline().removesuffix(b"\n")
        method = asked.get(answered(line))
        if method in ("tools/call", "tasks/result"):
            counts["results"] += 1
            counts["shorter"] += heard != line
            if len(heard) > len(line) + 64:
                wrong.append(f"longer: {heard[:200]!r}")
        elif method == "tools/list" and heard != line:
            counts["lists"] += 1
            start = heard.find(OWN)
            end = heard.find(b"]", heard.find(b'"openWorldHint":false}}', start))
            if start < 0 or heard[:start] + heard[end:] != line:
                wrong.append(f"another list: {heard[-400:]!r}")
        else:
            counts["passed"] += 1
            if heard != line:
                wrong.append(f"{heard[:200]!r} is not {line[:200]!r}")
    child.stdin.close()
    said = child.stderr.read().decode(errors="replace").strip()
    if child.wait() or said:
        wrong.append(f"exit code {child.returncode}: {said}")
    return " ".join(f"{name} {count}" for name, count in counts.items()), wrong


def note(asked: dict[str, str], line: bytes) -> None:
    message = parsed(line)
    if "method" in message and "id" in message:
        asked[json.dumps(message["id"])] = message["method"]


def answered(line: bytes) -> str | None:
    message = parsed(line)
    return json.dumps(message["id"]) if "id" in message and "method" not in message else None


def parsed(line: bytes) -> dict:
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


if __name__ == "__main__":
    sys.exit(main())
