"""How much memory `tersely serve` takes for one large request, as a multiple of its body, by kind of text.

Each kind has a gateway of its own: its peak is read from /proc once the answer is there (Linux). The upstream only says
yes. The exit code is 1 when a kind takes more than the bar.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks/conversations"))

from closing import Yes  # noqa: E402

BAR = 12.0
RESULTS = 40


def log(size: int, seed: int) -> str:
    """A log as services write it."""
    line = "2026-01-01T00:{:02}:{:02}Z INFO worker {} finished batch {} in {} ms\n"
    lines = (line.format(n // 60 % 60, n % 60, (n * 7 + seed) % 13, n * 31 + seed, n * 37 % 911) for n in range(size // 66))
    return "".join(lines)


def records(size: int, seed: int) -> str:
    """A list of records."""
    record = '{{"id":{},"name":"item-{}","state":"open","owner":{{"login":"team-{}","id":{}}}}}'
    rows = (record.format(n + seed, n * 17, n % 9, n % 31) for n in range(size // 74))
    return "[" + ",".join(rows) + "]"


def keys(size: int, seed: int) -> str:
    """A list of records that share no key."""
    return "[" + ",".join(f'{{"k{n + seed * 99991}":{n}}}' for n in range(size // 16)) + "]"


def code(size: int, seed: int) -> str:
    """A file that is read with its line numbers."""
    return "".join(f"{n:6}\tlet value_{n * 7 + seed} = compute(input_{n % 97}, {n});\n" for n in range(size // 54))


KINDS: dict[str, Callable[[int, int], str]] = {
    "log": log,
    "records": records,
    "differing keys": keys,
    "numbered file": code,
    "newlines": lambda size, _: "\n" * size,
    "brackets": lambda size, _: "[" * (size // 2) + "]" * (size // 2),
    "numbers": lambda size, seed: "[" + ",".join(str(n + seed) for n in range(size // 7)) + "]",
    "digits": lambda size, _: "7" * size,
    "words": lambda size, seed: " ".join(f"word{n * 13 + seed}" for n in range(size // 10)),
    "short lines": lambda size, seed: "\n".join(str((n + seed) % 10) for n in range(size // 2)),
}


def body(kind: str, size: int, results: int) -> bytes:
    """A conversation whose results are of one kind and of this size together."""
    messages: list[dict[str, object]] = []
    for at in range(results):
        call = {"type": "tool_use", "id": f"call_{at}", "name": "Bash", "input": {"command": "make report"}}
        text = KINDS[kind](size // results, at)
        result = {"type": "tool_result", "tool_use_id": f"call_{at}", "content": text}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    tool = {"name": "Bash", "input_schema": {"type": "object"}}
    return json.dumps({"model": "m", "max_tokens": 9, "tools": [tool], "messages": messages}).encode()


def peak(pid: int) -> int:
    """The most bytes that a process had in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    raise SystemExit("no VmHWM in /proc")


def measure(binary: Path, upstream: str, request: bytes) -> tuple[int, float]:
    """The peak of a gateway through which one request went, and the seconds that took."""
    command = [str(binary), "serve", "--listen", "127.0.0.1:0", "--upstream", upstream]
    served = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert served.stderr
        words = (word for line in served.stderr for word in line.split())
        address = next(word.rstrip(",") for word in words if word.startswith("http://127."))
        began = time.monotonic()
        headers = {"content-type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(f"{address}/v1/messages", request, headers)).read()
        return peak(served.pid), time.monotonic() - began
    finally:
        served.kill()


def main() -> None:
    """Print a table."""
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    args.add_argument("--megabytes", type=int, default=10)
    args.add_argument("--only", default="")
    args = args.parse_args()
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Yes)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{upstream.server_port}"
    print("| text | results | body MB | peak MB | times | seconds |\n|---|--:|--:|--:|--:|--:|")
    worst = 0.0
    for kind in KINDS:
        if args.only not in kind:
            continue
        for results in (1, RESULTS):
            request = body(kind, args.megabytes * 1_000_000, results)
            most, took = measure(args.tersely, address, request)
            times = most / len(request)
            worst = max(worst, times)
            row = f"{len(request) / 1e6:.1f} | {most / 1e6:.0f} | {times:.1f} | {took:.1f}"
            print(f"| {kind} | {results} | {row} |", flush=True)
    sys.exit(worst > BAR)


if __name__ == "__main__":
    main()
