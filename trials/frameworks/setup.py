"""Puts the frameworks and our packages, with the native part in a folder of cargo's, into target/frameworks.

    python3 trials/frameworks/setup.py target/debug

Needs npm and pip with a package registry each, and 400 MB. $TERSELY_FRAMEWORKS names another place.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = Path(os.environ.get("TERSELY_FRAMEWORKS", ROOT / "target/frameworks"))

PYTHON = {
    "anthropic": "2.9.0",
    "google-genai": "3.3.0",
    "httpx": "0.28.1",
    "langchain": "1.4.7",
    "langchain-anthropic": "1.7.7",
    "langchain-openai": "1.7.3",
    "langgraph": "1.2.22",
    "mcp": "2.3.0",
    "mypy": "2.4.1",
    "openai": "3.51.0",
    "openai-agents": "0.24.0",
    "pydantic-ai-slim[anthropic,openai]": "2.66.0",
}
NODE = {
    "@ai-sdk/anthropic": "3.0.138",
    "@ai-sdk/openai": "3.0.139",
    "@anthropic-ai/sdk": "1.9.0",
    "@types/node": "20.19.0",
    "ai": "6.0.326",
    "openai": "6.49.0",
    "typescript": "5.9.3",
}


def main(built: Path) -> None:
    python, node = PLACE / "python", PLACE / "node"
    suffix = "dylib" if sys.platform == "darwin" else "so"
    run(sys.executable, "-m", "venv", python)
    wanted = [f"{name}=={version}" for name, version in PYTHON.items()]
    run(python / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", *wanted)
    # Our own from the tree, as an editable install would be.
    (ours,) = (python / "lib").glob("python3.*/site-packages")
    (ours / "tersely.pth").write_text(f"{ROOT / 'packages/python'}\n")
    shutil.copy(built / f"libtersely_python.{suffix}", ROOT / "packages/python/tersely/_native.abi3.so")
    node.mkdir(parents=True, exist_ok=True)
    (node / "package.json").write_text('{"private": true, "type": "module"}\n')
    wanted = [f"{name}@{version}" for name, version in NODE.items()]
    run("npm", "install", "--prefix", node, "--no-audit", "--no-fund", "--loglevel=error", *wanted)
    ts = ROOT / "packages/typescript"
    run("npm", "ci", "--prefix", ts, "--no-audit", "--no-fund", "--loglevel=error")
    run("npm", "run", "build", "--silent", "--prefix", ts)
    (node / "node_modules/tersely").unlink(missing_ok=True)
    (node / "node_modules/tersely").symlink_to(ts)
    shutil.copy(built / f"libtersely_node.{suffix}", PLACE / "tersely.node")
    for script in ("scenarios.mjs", "types.ts"):
        shutil.copy(Path(__file__).parent / script, node)


def run(*words: str | Path) -> None:
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} failed:\n{done.stderr.strip()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
