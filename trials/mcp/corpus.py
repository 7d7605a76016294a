"""What `tersely mcp` saves of recorded MCP results: every result of a corpus as a server would answer with it.

    python3 corpus.py FOLDER [--tersely PATH]     # FOLDER holds one result a file: a JSON-RPC message, a result, or its text

Counts the tokens of text blocks, and of structured parts where they are sent, directly and through the wrapper.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SERVER = """
import json, sys
results = json.load(open(sys.argv[1]))
for line in sys.stdin:
    asked = json.loads(line)
    method, params = asked.get("method"), asked.get("params", {})
    if "id" not in asked: continue
    result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in results]} if method == "tools/list" else results.get(params.get("name"), {})
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}, ensure_ascii=False), flush=True)
"""


def main() -> int:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("folder", type=Path)
    args.add_argument("--tersely", default="tersely")
    given = args.parse_args()
    results = {file.name: result(file.read_text()) for file in sorted(given.folder.iterdir())}
    kept = Path(tempfile.mkdtemp()) / "results.json"
    kept.write_text(json.dumps(results))
    print(f"{'result':40} {'came':>8} {'exact':>8} {'standard':>8}")
    sums = [0, 0, 0]
    through = [session(given.tersely, kept, loss, results) for loss in ("none", "detail")]
    for name, one in results.items():
        counts = [tokens(given.tersely, shown) for shown in (one, *(answers[name] for answers in through))]
        sums = [total + count for total, count in zip(sums, counts)]
        print(f"{name:40} {counts[0]:8} {counts[1]:8} {counts[2]:8}")
    came, exact, standard = sums
    print(f"{'all':40} {came:8} {exact:8} {standard:8}")
    print(f"saved: exact {1 - exact / came:.1%}, standard {1 - standard / came:.1%}")
    return 0


def result(text: str) -> dict:
    """The result in a file, whatever of it was recorded."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    if isinstance(value, dict) and isinstance(value.get("result"), dict) and "content" in value["result"]:
        value = value["result"]
    if isinstance(value, dict) and isinstance(value.get("content"), list):
        return value
    return {"content": [{"type": "text", "text": text}]}


def session(tersely: str, kept: Path, loss: str, results: dict) -> dict:
    command = [tersely, "mcp", "--loss", loss, "--", sys.executable, "-c", SERVER, str(kept)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(method: str, **params: object) -> dict:
        child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
        child.stdin.flush()
        return json.loads(child.stdout.readline())["result"]

    ask("tools/list")
    answers = {name: ask("tools/call", name=name, arguments={}) for name in results}
    child.stdin.close()
    child.wait()
    return answers


def tokens(tersely: str, shown: dict) -> int:
    texts = [block["text"] for block in shown["content"] if block.get("type") == "text"]
    if "structuredContent" in shown:
        texts.append(json.dumps(shown["structuredContent"], separators=(",", ":"), ensure_ascii=False))
    counted = subprocess.run([tersely, "count", "--json"], input="\n".join(texts), capture_output=True, text=True, check=True)
    return first_number(json.loads(counted.stdout))


def first_number(value: object) -> int:
    if isinstance(value, dict) and "tokens" in value and isinstance(value["tokens"], int):
        return value["tokens"]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return next(number for item in items if (number := first_number(item)) is not None) if items else None


if __name__ == "__main__":
    sys.exit(main())
