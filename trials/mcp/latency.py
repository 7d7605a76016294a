"""How much later a result arrives through `tersely mcp`: the same calls, directly and wrapped, in turns.

    python3 latency.py [--tersely PATH]

The results are rows of JSON, of which much can be said shorter: the wrapper has its full work to do. Prints the median of each, and the difference.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

SERVER = """
import json, sys
def rows(size):
    all = []
    while len(json.dumps(all)) < size: all += [{"id": len(all) + n, "name": f"item {(len(all) + n) * 7919 % 1000}", "state": "open"} for n in range(10 if size < 10000 else 1000)]
    return json.dumps(all)
texts = {"1KB": rows(1000), "1MB": rows(1000000)}
for line in sys.stdin:
    asked = json.loads(line)
    result = {"tools": [{"name": "rows", "inputSchema": {}}]} if asked["method"] == "tools/list" else {"content": [{"type": "text", "text": texts[asked["params"]["name"]]}]}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}) + "\\n"); sys.stdout.flush()
"""


class Session:
    def __init__(self, wrap: list[str]) -> None:
        command = [*wrap, sys.executable, "-c", SERVER]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("tools/list")

    def ask(self, method: str, **params: object) -> bytes:
        self.child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
        self.child.stdin.flush()
        return self.child.stdout.readline()

    def time(self, name: str) -> float:
        begun = time.perf_counter()
        self.ask("tools/call", name=name, arguments={})
        return (time.perf_counter() - begun) * 1000


def main() -> int:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--tersely", default="tersely")
    given = args.parse_args()
    sessions = {"direct": Session([]), "through": Session([given.tersely, "mcp", "--"])}
    time.sleep(1)
    for name, runs in (("1KB", 300), ("1MB", 30)):
        times: dict[str, list[float]] = {which: [] for which in sessions}
        for _ in range(runs):
            for which, session in sessions.items():
                times[which].append(session.time(name))
        direct, through = (statistics.median(times[which]) for which in sessions)
        print(f"{name}: direct {direct:.2f} ms, through {through:.2f} ms, added {through - direct:.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
