"""Stands between a client and a server on stdio, passes every byte on at once, and records every message.

    python3 relay.py OUT.jsonl -- COMMAND ARGS...    # one session
    python3 relay.py --record [FOLDER]               # all sessions of compare.py, into recorded

A line of a record is {"from": "client" or "server", "line": the message as it was sent, without its newline}; bytes that are no UTF-8 are kept as
surrogates. Records hold paths of this machine: they are not for a repository.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import BinaryIO, TextIO

FOLDER = str(Path(__file__).parent / "recorded")


def relay(record: TextIO, command: list[str]) -> int:
    """Run the server until it ends; its exit code."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin and server.stdout
    lock = threading.Lock()

    def copy(name: str, source: BinaryIO, target: BinaryIO) -> None:
        for line in source:
            with lock:
                said = line.removesuffix(b"\n").decode(errors="surrogateescape")
                record.write(json.dumps({"from": name, "line": said}) + "\n")
                record.flush()
            try:
                target.write(line)
                target.flush()
            except BrokenPipeError:
                break
        if name == "client":
            target.close()

    threading.Thread(target=copy, args=("client", sys.stdin.buffer, server.stdin), daemon=True).start()
    copy("server", server.stdout, sys.stdout.buffer)
    return server.wait()


def record_all(folder: Path) -> int:
    """Every session with every client; they must mean the same as without the relay."""
    here = Path(__file__).resolve()
    worst = 0
    for name, command in [("discover", [sys.executable, "compare.py"]), ("legacy", [sys.executable, "compare.py", "--mode", "legacy"]), ("node", ["node", "compare.mjs"])]:
        (folder / name).mkdir(parents=True, exist_ok=True)
        wrap = f"'{sys.executable}' '{here}' '{folder}/{name}/{{name}}.jsonl' --"
        print(f"{name}:", flush=True)
        worst = max(worst, subprocess.run([*command, "--wrap", wrap], check=False, cwd=here.parent).returncode)
    print(f"records are in {folder}")
    return worst


if __name__ == "__main__":
    first, *rest = sys.argv[1:] or ["--help"]
    if first == "--record":
        sys.exit(record_all(Path(rest[0] if rest else FOLDER).resolve()))
    if len(rest) < 2 or rest[0] != "--":
        sys.exit(__doc__)
    with open(first, "w") as out:
        code = relay(out, rest[1:])
    # The thread that waits for the client must not hold this process back.
    os._exit(code if code >= 0 else 128 - code)
