"""Says whether two sessions with a server mean the same, and how much smaller the texts of the second are.

    python3 judge.py OBSERVED.json    # what compare.mjs writes

A result may differ in the text of its text blocks, which must not grow, and in nothing else. The list of tools may have `expand_context` at its end.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

TOOL = "expand_context"
TARGET = Path(__file__).resolve().parents[2] / "target"
MASKS = [
    r"\w{3} \w{3} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}( \([^)]*\))?",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z",
    r"\d{1,2}:\d\d:\d\d( [AP]M)?",
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
]


@dataclass
class Row:
    """What became of one server's calls."""

    name: str
    protocol: str
    calls: int = 0
    same: int = 0
    smaller: int = 0
    errors: int = 0
    dropped: int = 0
    expand: bool = False
    faults: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def judge(name: str, steps: list[dict], direct: dict, wrapped: dict) -> Row:
    """Compare two sessions, step by step."""
    row = Row(name, direct["hello"]["protocol"])
    for part in ["hello", "resources", "templates", "prompts", "notifications"]:
        if direct[part] != wrapped[part]:
            row.faults.append(f"{part}: {differs(direct[part], wrapped[part])}")
    judge_tools(row, direct["tools"], wrapped["tools"])
    for step, before, after in zip(steps, direct["answers"], wrapped["answers"], strict=True):
        if step["varies"]:
            before, after = masked(before), masked(after)
        fault = judge_step(row, step["method"] == "tools/call", before, after)
        if fault is not None:
            row.faults.append(f"{step['method']} {json.dumps(step['params'])[:120]}: {fault}")
    return row


def judge_tools(row: Row, before: list[dict], after: list[dict]) -> None:
    """The same tools in the same order, but for one at the end."""
    own = any(one["name"] == TOOL for one in before)
    row.expand = not own and bool(after) and after[-1]["name"] == TOOL
    kept = after[:-1] if row.expand else after
    if before != kept:
        row.faults.append(f"tools: {differs(before, kept)}")


def judge_step(row: Row, is_call: bool, before: dict, after: dict) -> str | None:
    """What is wrong with an answer, if anything is; counts calls."""
    if not is_call:
        return None if before == after else differs(before, after)
    row.calls += 1
    row.errors += before.get("error") is not None or before["result"].get("isError") is True
    row.before += texts(before)
    row.after += texts(after)
    if before == after:
        row.same += 1
        return None
    if is_lost(before, after):
        row.dropped += 1
        del before["result"]["structuredContent"]
    if without_texts(before) != without_texts(after):
        return differs(without_texts(before), without_texts(after))
    then, now = counts(texts(before), texts(after))
    if now > then:
        return f"the text has grown from {then} to {now}"
    row.smaller += now < then
    row.same += now == then
    return None if texts(before) == texts(after) or now < then else differs(texts(before), texts(after))


def blocks(answer: dict) -> list[dict]:
    """The blocks of a result."""
    return (answer.get("result") or {}).get("content") or []


def texts(answer: dict) -> list[str]:
    """The texts of a result."""
    return [one["text"] for one in blocks(answer) if one["type"] == "text"]


def without_texts(answer: dict) -> dict:
    """An answer but for its texts."""
    bare = json.loads(json.dumps(answer))
    for one in blocks(bare):
        if one["type"] == "text":
            one["text"] = ""
    return bare


def is_lost(before: dict, after: dict) -> bool:
    """Whether structured content was there and is not. A client fails by itself if the tool has a schema for it."""
    one, other = before.get("result") or {}, after.get("result") or {}
    return "structuredContent" in one and bool(other) and "structuredContent" not in other


def masked(value: object) -> object:
    """A value with every date, time and id replaced."""
    text = json.dumps(value)
    for mask in MASKS:
        text = re.sub(mask, "*", text)
    return json.loads(text)


def differs(before: object, after: object, path: str = "") -> str:
    """The first place at which two values differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in [*before, *(set(after) - set(before))]:
            if before.get(name) != after.get(name):
                return differs(before.get(name), after.get(name), f"{path}.{name}")
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for at, (one, other) in enumerate(zip(before, after, strict=True)):
            if one != other:
                return differs(one, other, f"{path}[{at}]")
    return f"{path or 'it'} was {json.dumps(before)[:160]} and is {json.dumps(after)[:160]}"


def counts(*lists: list[str]) -> list[int]:
    """The tokens of every list of texts; the bytes if `tersely` is not built."""
    built = [one for one in (TARGET / "release" / "tersely", TARGET / "debug" / "tersely") if one.is_file()]
    if not built:
        return [sum(len(one.encode()) for one in texts) for texts in lists]
    totals = []
    for given in lists:
        with tempfile.TemporaryDirectory() as folder:
            names = [Path(folder) / str(at) for at in range(len(given))]
            for name, text in zip(names, given, strict=True):
                name.write_text(text, newline="")
            done = subprocess.run([built[0], "count", "--json", *names], check=True, capture_output=True, stdin=subprocess.DEVNULL)
            totals.append(json.loads(done.stdout)["total"] if given else 0)
    return totals


def report(rows: list[Row]) -> int:
    """Print the table and the faults; the exit code."""
    unit = "tokens" if any((TARGET / one / "tersely").is_file() for one in ("release", "debug")) else "bytes"
    heads = ["server", "protocol", "calls", "same", "smaller", "different", "errors", "structured lost", TOOL, f"{unit} before", "after"]
    lines = [heads]
    for row in rows:
        different = row.calls - row.same - row.smaller
        counted = counts(row.before, row.after)
        cells = [row.name, row.protocol, row.calls, row.same, row.smaller, different, row.errors, row.dropped, "yes" if row.expand else "no", *counted]
        lines.append([str(one) for one in cells])
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    for line in lines:
        print("  ".join(cell.ljust(width) if at < 2 else cell.rjust(width) for at, (cell, width) in enumerate(zip(line, widths, strict=True))))
    for row in rows:
        for fault in row.faults:
            print(f"DIFFERENT {row.name}: {fault}")
    return 1 if any(row.faults for row in rows) else 0


if __name__ == "__main__":
    observed = json.loads(Path(sys.argv[1]).read_text())
    sys.exit(report([judge(one["name"], one["steps"], one["direct"], one["wrapped"]) for one in observed]))
