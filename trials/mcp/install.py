"""Puts the MCP servers and clients into the cache; what is already there is left alone.

The cache is $TERSELY_CACHE, else ~/.cache/tersely. Needs git, and npm and pip with a package registry each, and 0.5 GB.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely") / "mcp"

NODE = {
    "@modelcontextprotocol/server-filesystem": "2026.8.31",
    "@modelcontextprotocol/server-everything": "2026.8.31",
    "@modelcontextprotocol/server-memory": "2026.8.31",
    "@modelcontextprotocol/server-sequential-thinking": "2026.8.31",
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/inspector": "0.15.0",  # later ones need Node 22
}
# An environment each: the sqlite server crashes with version 2 of `mcp`.
PYTHON = {
    "client": ["mcp==2.3.0"],
    "servers": ["mcp==2.3.0", "mcp-server-git==2026.10.19", "mcp-server-fetch==2026.10.24"],
    "sqlite": ["mcp==1.30.0", "mcp-server-sqlite==2025.4.25"],
}


def run(*words: str | Path) -> None:
    """Run a program quietly; show what it said only if it fails."""
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} failed:\n{done.stderr.strip()}")


def is_there(package: str, version: str) -> bool:
    """Whether npm has put this version in place."""
    manifest = CACHE / "npm" / "node_modules" / package / "package.json"
    return manifest.is_file() and json.loads(manifest.read_text())["version"] == version


def node() -> None:
    """Four servers, the SDK for JavaScript and the inspector."""
    missing = [f"{name}@{version}" for name, version in NODE.items() if not is_there(name, version)]
    if missing:
        (CACHE / "npm").mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
        run("npm", "install", "--prefix", CACHE / "npm", *quiet, *missing)


def python(name: str, wanted: list[str]) -> None:
    """The SDK for Python or a server written with it, in an environment of its own."""
    stamp = CACHE / name / "installed.txt"
    if stamp.is_file() and stamp.read_text() == " ".join(wanted):
        return
    run(sys.executable, "-m", "venv", CACHE / name)
    run(CACHE / name / "bin" / "pip", "install", "--quiet", *wanted)
    stamp.write_text(" ".join(wanted))


if __name__ == "__main__":
    node()
    for environment, packages in PYTHON.items():
        python(environment, packages)
    print(f"servers and clients are in {CACHE}")
