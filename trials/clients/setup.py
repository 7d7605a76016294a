"""Puts the agents and the SDKs into the cache; what is already there is left alone.

The cache is $TERSELY_CACHE, else ~/.cache/tersely. Needs npm and pip with a package registry each, and 1.2 GB; with
`--all`, which adds the agents that only started.py starts, 4 GB.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely") / "clients"

NODE = {
    "@anthropic-ai/claude-code": "2.1.326",
    "@openai/codex": "0.166.0",
    "opencode-ai": "1.18.33",
    "@google/gemini-cli": "0.61.0",
    "@anthropic-ai/sdk": "1.8.0",
    "openai": "6.49.0",
    "@aws-sdk/client-bedrock-runtime": "3.1162.0",
}
# The agents that only started.py starts, by command, each in a folder of its own.
AGENTS = {
    "goose": ("@aaif/goose", "0.20.1"),
    "cline": ("cline", "3.0.65"),
    "qwen": ("@qwen-code/qwen-code", "0.24.4"),
    "cn": ("@continuedev/cli", "1.5.47"),
    "copilot": ("@github/copilot", "1.0.102"),
    "droid": ("droid", "0.215.0"),
    "pi": ("@mariozechner/pi-coding-agent", "0.73.1"),
    "kilo": ("@kilocode/cli", "7.7.7"),
}
FIRST = {"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "opencode": "opencode-ai", "gemini": "@google/gemini-cli"}
AIDER = "0.86.2"
PYTHON = {"anthropic[bedrock,vertex]": "2.8.0", "openai": "3.49.0", "google-genai": "3.1.0", "boto3": "1.44.0"}


def run(*words: str | Path) -> None:
    """Run a program quietly; show what it said only if it fails."""
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} failed:\n{done.stderr.strip()}")


def npm(prefix: Path, wanted: dict[str, str]) -> None:
    """Puts packages under a prefix, each in its version."""

    def is_there(package: str, version: str) -> bool:
        manifest = prefix / "node_modules" / package / "package.json"
        return manifest.is_file() and json.loads(manifest.read_text())["version"] == version

    missing = [f"{name}@{version}" for name, version in wanted.items() if not is_there(name, version)]
    if missing:
        prefix.mkdir(parents=True, exist_ok=True)
        run("npm", "install", "--prefix", prefix, "--no-audit", "--no-fund", "--loglevel=error", *missing)


def pip(folder: Path, packages: dict[str, str]) -> None:
    """Puts packages into an environment of their own."""
    wanted = [f"{name}=={version}" for name, version in packages.items()]
    stamp = folder / "installed.txt"
    if stamp.is_file() and stamp.read_text() == " ".join(wanted):
        return
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin" / "pip", "install", "--quiet", *wanted)
    stamp.write_text(" ".join(wanted))


def agents() -> None:
    """The agents that only started.py starts."""
    for command, (package, version) in AGENTS.items():
        npm(CACHE / "agents" / command, {package: version})
    pip(CACHE / "agents" / "aider", {"aider-chat": AIDER})


def agent_folder(command: str) -> Path:
    """The folder with an agent's command."""
    if command == "aider":
        return CACHE / "agents" / "aider" / "bin"
    return (CACHE / "agents" / command if command in AGENTS else CACHE / "npm") / "node_modules" / ".bin"


def agent_version(command: str) -> str:
    """The version of an agent that is put into the cache."""
    if command == "aider":
        return AIDER
    return AGENTS[command][1] if command in AGENTS else NODE[FIRST[command]]


if __name__ == "__main__":
    npm(CACHE / "npm", NODE)
    pip(CACHE / "python", PYTHON)
    if "--all" in sys.argv[1:]:
        agents()
    print(f"clients are in {CACHE}")
