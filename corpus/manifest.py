"""Writes MANIFEST.jsonl, and checks that the corpus is what it says."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

from results import tool_results

HERE = Path(__file__).resolve().parent
MANIFEST, QUESTIONS = HERE / "MANIFEST.jsonl", HERE / "QUESTIONS.jsonl"
FAMILIES = "build ci csv file-read git html json-api json-rows logs mcp search shell traces xml yaml".split()
LIMIT = 2_500_000

# What no file of the corpus may hold. Parts are joined, so that this file holds none of it either.
FORBIDDEN = {
    "a path of a machine": r"(?<![\w.~}*/-])/(?:" + "|".join(["ro" + "ot", "wo" + "rk", "ho" + "me", "Us" + "ers"]) + r")/",
    "a registry of one's own": r"://(?!registry\.npmjs\.org|pypi\.org|test\.pypi\.org)[\w.-]*(?:registry|artifactory|jfrog|nexus|mirror|pypi)[\w.-]*",
    "an address behind a commit": r"@users\.noreply\.",
    "a key": r"sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[0-9A-Z]{16}|AIza[\w-]{35}|xox[abprs]-[\w-]{10,}",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "a token": r"eyJ[\w-]{15,}\.eyJ[\w-]{15,}\.[\w-]{15,}",
}


def files() -> list[Path]:
    """All outputs and conversations."""
    return sorted(path for folder in ["outputs", "conversations"] for path in (HERE / folder).rglob("*") if path.is_file())


def write(binary: Path, made: dict[str, str]) -> None:
    """Describes every file; the sources of those that were not made now are in the manifest already."""
    before = MANIFEST.read_text().splitlines() if MANIFEST.is_file() else []
    sources = {entry["path"]: entry["source"] for entry in map(json.loads, before)} | made
    lines = []
    for path in files():
        name = str(path.relative_to(HERE))
        data = path.read_bytes()
        entry = {"path": name, "family": path.parent.name if name.startswith("outputs/") else "conversation", "source": sources[name]}
        entry |= {"license": "MIT OR Apache-2.0", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        entry |= {"o200k_tokens": tokens(binary, data), "lines": data.count(b"\n")}
        if entry["family"] == "conversation":
            entry |= described(binary, path)
        lines.append(json.dumps(entry, ensure_ascii=False))
    MANIFEST.write_text("\n".join(lines) + "\n")


def described(binary: Path, path: Path) -> dict:
    """What is said of a conversation besides."""
    api, body = path.suffixes[-2][1:], json.loads(path.read_text())
    found = tool_results(api, body)
    turns = body.get("messages") or body.get("input") or body.get("contents")
    total = sum(tokens(binary, text.encode()) for text in found)
    return {"api": api, "domain": "coding", "messages": len(turns), "tool_results": len(found), "tool_result_tokens": total}


def tokens(binary: Path, data: bytes) -> int:
    """The o200k tokens of a text."""
    done = subprocess.run([binary, "count", "--json"], input=data, capture_output=True, check=True)
    return json.loads(done.stdout)["total"]


def check() -> None:
    """Says what is wrong, one fault a line, and ends with 1 if anything is."""
    entries = {entry["path"]: entry for entry in map(json.loads, MANIFEST.read_text().splitlines())}
    faults = [f"{path}: in the manifest, but not there" for path in entries if not (HERE / path).is_file()]
    for path in files():
        name = str(path.relative_to(HERE))
        faults += [f"{name}: {fault}" for fault in wrong(path, entries.get(name))]
    faults += [f"{family}: fewer than three outputs" for family in FAMILIES if sum(it["family"] == family for it in entries.values()) < 3]
    faults += questions(entries)
    for path in HERE.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            faults += [f"{path.relative_to(HERE)}: {fault}" for fault in forbidden(path.read_text())]
    size = sum(path.stat().st_size for path in HERE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    if size > LIMIT:
        faults.append(f"{size} bytes in all; at most {LIMIT}")
    print("\n".join(faults) or f"{len(entries)} files, {size} bytes: as the manifest says")
    sys.exit(bool(faults))


def wrong(path: Path, entry: dict | None) -> list[str]:
    """How a file differs from what the manifest says of it."""
    if entry is None:
        return ["not in the manifest"]
    data, faults = path.read_bytes(), []
    if len(data) != entry["bytes"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
        faults.append("not the bytes that the manifest names")
    if data.count(b"\n") != entry["lines"]:
        faults.append("not the lines that the manifest counts")
    if entry["family"] == "conversation" and len(tool_results(entry["api"], json.loads(data))) != entry["tool_results"]:
        faults.append("not the tool results that the manifest counts")
    return faults


def questions(entries: dict[str, dict]) -> list[str]:
    """Questions whose evidence or needles are not in their file."""
    faults = []
    for number, line in enumerate(QUESTIONS.read_text().splitlines() if QUESTIONS.is_file() else [], 1):
        it = json.loads(line)
        text = (HERE / it["file"]).read_text() if it["file"] in entries else ""
        if it["evidence"] not in text:
            faults.append(f"QUESTIONS.jsonl:{number}: the evidence is not in {it['file']}")
        faults += [f"QUESTIONS.jsonl:{number}: {needle!r} is not in the evidence" for needle in it["needles"] if needle not in it["evidence"]]
    return faults


def forbidden(text: str) -> list[str]:
    """What a text holds that says where it was made, or that looks like a secret."""
    found = [(what, re.search(pattern, text)) for what, pattern in FORBIDDEN.items()]
    return [f"{what}: {text[max(0, hit.start() - 30):hit.end() + 30]!r}" for what, hit in found if hit]
