"""Whether readers of cut results asked for what they were meant to: their calls of expand_context, answered and checked.

    cargo build --package tersely-core --example expand
    python3 fetch.py --expand ../../target/debug/examples/expand KEYS ANSWERS

KEYS holds a file for each result, `01.json`: {"original": a path, "must_contain": [texts]}. ANSWERS holds what a reader wrote under the same name:
{"missing": what is missing, in words, "call": the arguments of the call}. A call is right if all texts are in what it brings back, as they are or as JSON
writes them. The last column is how much of the original the call brought back: all of it is a right answer, and a dear one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Prints a row for each result, and how many calls were right."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--expand", type=Path, required=True, help="the program that answers a call")
    parser.add_argument("keys", type=Path)
    parser.add_argument("answers", type=Path)
    args = parser.parse_args()
    keys = sorted(args.keys.glob("*.json"))
    right = sum(check(args.expand, key, args.answers / key.name) for key in keys)
    print(f"{right} of {len(keys)} calls brought back what was missing")
    return 0 if right == len(keys) else 1


def check(expand: Path, key_file: Path, answer_file: Path) -> bool:
    """Runs one reader's call, and prints what came of it."""
    key = json.loads(key_file.read_text())
    if not answer_file.exists():
        print(f"{key_file.stem}  no answer")
        return False
    call = json.loads(answer_file.read_text())["call"]
    original = key_file.parent / key["original"]
    shown = fetch(expand, call, original)
    lost = [text for text in key["must_contain"] if text not in shown and json.dumps(text, ensure_ascii=False)[1:-1] not in shown]
    share = len(shown.encode()) / max(1, original.stat().st_size)
    print(f"{key_file.stem}  {'wrong' if lost else 'right'}  {call.get('part', 'all')!r:40}  {share:7.1%}")
    for text in lost:
        print(f"    not in it: {text}")
    return not lost


def fetch(expand: Path, call: dict, original: Path) -> str:
    """What a gateway would answer."""
    run = subprocess.run([expand, json.dumps(call), original], capture_output=True, check=True)
    return run.stdout.decode()


if __name__ == "__main__":
    sys.exit(main())
