"""Puts the agents and the SDKs into the cache; what is already there is left alone.

The cache is $TERSELY_CACHE, else ~/.cache/tersely. Needs npm and pip with a package registry each, and 1.2 GB.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely") / "clients"

NODE = {
    "@anthropic-ai/claude-code": "2.1.197",
    "@openai/codex": "0.166.0",
    "opencode-ai": "1.18.33",
    "@google/gemini-cli": "0.61.0",
    "@anthropic-ai/sdk": "1.8.0",
    "openai": "6.49.0",
    "@aws-sdk/client-bedrock-runtime": "3.1162.0",
}
PYTHON = {"anthropic[bedrock,vertex]": "2.8.0", "openai": "3.49.0", "google-genai": "3.1.0", "boto3": "1.44.0"}


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
    """The agents, and the SDKs for JavaScript."""
    missing = [f"{name}@{version}" for name, version in NODE.items() if not is_there(name, version)]
    if missing:
        (CACHE / "npm").mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
        run("npm", "install", "--prefix", CACHE / "npm", *quiet, *missing)


def python() -> None:
    """The SDKs for Python, in an environment of their own."""
    wanted = [f"{name}=={version}" for name, version in PYTHON.items()]
    stamp = CACHE / "python" / "installed.txt"
    if stamp.is_file() and stamp.read_text() == " ".join(wanted):
        return
    run(sys.executable, "-m", "venv", CACHE / "python")
    run(CACHE / "python" / "bin" / "pip", "install", "--quiet", *wanted)
    stamp.write_text(" ".join(wanted))


if __name__ == "__main__":
    node()
    python()
    print(f"clients are in {CACHE}")
