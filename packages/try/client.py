"""A real client for the try: Claude Code from npm, with the scripted model that `just clients` uses too."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "trials/clients"))
import agents  # noqa: E402 - found by the line above
import setup  # noqa: E402
from upstream import FINAL, Upstream  # noqa: E402

__all__ = ["COMMAND", "NAME", "VARIABLES", "VERSION", "Upstream", "answered", "install", "printed", "results"]

NAME = "@anthropic-ai/claude-code"
VERSION = setup.NODE[NAME]
_START = agents.claude("")
COMMAND = " ".join(f"'{word}'" for word in ["claude", *_START.words[1:]])
VARIABLES = {name: value for name, value in _START.env.items() if name != "ANTHROPIC_BASE_URL"}
SCRIPT = agents.ROWS
"""What the model asks the client to run: rows.py in its folder."""


def install(folder: Path) -> None:
    """Puts the client into `folder` unless it is there: the time that this takes is not ours."""
    manifest = folder / "node_modules" / NAME / "package.json"
    if manifest.is_file() and json.loads(manifest.read_text())["version"] == VERSION:
        return
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "install", "--silent", "--prefix", folder, f"{NAME}@{VERSION}"], check=True)


def printed() -> str:
    """What the tool prints."""
    return subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout


def answered(said: str) -> bool:
    """True when the client came to the end that the model told it."""
    return FINAL in said


def results(upstream: Upstream) -> list[str]:
    """The tool results that came upstream, as they came."""
    bodies = [json.loads(asked.body) for asked in upstream.requests if asked.path.split("?")[0].endswith("/messages")]
    contents = [message["content"] for body in bodies for message in body["messages"]]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return [_text(block["content"]) for block in blocks if block.get("type") == "tool_result"]


def _text(content: str | list[dict]) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
