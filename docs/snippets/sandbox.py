"""A place to run the commands of one page: a home of its own, addresses of its own, and no way out to the network."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from flags import words

HERE = Path(__file__).resolve().parent
AGENTS = ["claude", "codex", "opencode", "gemini"]
GATEWAY = "127.0.0.1:8787"
# `mcp serve`, `http` and `extproc` have ports of their own; a page runs one server at a time.
SERVERS = [GATEWAY, "127.0.0.1:8788", "127.0.0.1:8789", "127.0.0.1:8790"]
KEYS = ["KEY", "OPENAI_API_KEY", "CODEX_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"]
# What a server of ours prints once it can be asked.
READY = re.compile(r"^tersely: (?:ready on )?http://", re.M)


@dataclass
class Done:
    """How a statement went."""

    code: int
    output: str


class Sandbox:
    """Runs one page."""

    def __init__(self, tersely: Path, upstream: str, addresses: list[str], more: dict[str, str]) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="snippets-"))
        self.home, self.work, self.bin = (self.root / name for name in ("home", "work", "bin"))
        for folder in (self.home, self.work, self.bin):
            folder.mkdir()
        self.state = self.root / "state"
        self.port = free()
        self.addresses = {one: f"127.0.0.1:{self.port}" for one in SERVERS} | {"0.0.0.0:8787": f"0.0.0.0:{self.port}"} | {one: upstream for one in addresses}
        # Files of the system that pages talk about.
        self.addresses |= {one: f"{self.root}{one}" for one in ("/etc/tersely/", "/etc/ssl/corp")}
        self.server: subprocess.Popen | None = None
        (self.bin / "tersely").symlink_to(tersely)
        # What it prints is compared: a meter of progress would be in the way.
        (self.home / ".curlrc").write_text("silent\nshow-error\n")
        for name in ("python", "python3"):
            self.program(name, f'exec "{sys.executable}" "$@"')
        path = f"{self.bin}:{more.pop('PATH', '')}:{system()}"
        self.env = {name: "none" for name in KEYS} | {
            "HOME": str(self.home), "PATH": path, "TERM": "dumb", "NO_COLOR": "1", "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(HERE.parent.parent / "packages" / "python"),
            "TERSELY_LISTEN": f"127.0.0.1:{self.port}", "TERSELY_UPSTREAM": f"http://{upstream}",
            # A package goes into the sandbox, or nowhere.
            "npm_config_prefix": str(self.root / "npm"), "PIP_REQUIRE_VIRTUALENV": "1",
            # Whatever leaves this machine fails at once, and says so.
            "https_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1,localhost",
        } | more

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.root, ignore_errors=True)

    def program(self, name: str, script: str) -> None:
        """Puts a program on the path."""
        file = self.bin / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def stand_in(self) -> None:
        """Puts scripts on the path in place of the agents."""
        for name in AGENTS:
            file = self.bin / name
            file.write_text(f"#!{sys.executable}\n" + (HERE / "agent.py").read_text())
            file.chmod(0o755)

    def export(self, variables: dict[str, str]) -> None:
        """Sets variables for the statements that follow."""
        self.env |= variables
        if self.state.exists():
            with open(self.state, "a") as state:
                state.writelines(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())

    def place(self, text: str) -> str:
        """A text of the page, with the addresses of this sandbox."""
        for documented, real in self.addresses.items():
            text = text.replace(documented, f"http://{real}" if "//" in documented else real)
        return text

    def replace(self, text: str) -> str:
        """What a command printed, with the addresses of the page."""
        text = text.replace(f"127.0.0.1:{self.port}", GATEWAY)
        return text.replace(str(self.work), ".").replace(str(self.home), "~")

    def write(self, name: str, text: str) -> Path:
        """Puts a file where the page says it is."""
        path = self.home / name[2:] if name.startswith("~/") else self.root / name[1:] if name.startswith("/") else self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.place(text))
        return path

    def run(self, statement: str, seconds: float) -> Done:
        """Runs one statement as the next line of the page's shell."""
        placed = self.place(statement)
        if serves(placed):
            return self.serve(placed)
        if GATEWAY in statement and self.server is None and "run" not in words(statement)[:2]:
            started = self.serve("tersely serve")
            if started.code != 0:
                return started
        script = f'[ -f "$STATE" ] && . "$STATE"; set -o pipefail\n{placed}\ncode=$?; {{ export -p | grep -v "declare -x STATE="; printf "cd %q\\n" "$PWD"; }} > "$STATE"; exit $code'
        # Both streams share one file, so that what is printed keeps its order.
        log = self.root / "said"
        with open(log, "w") as said:
            process = subprocess.Popen(
                ["bash", "-c", script], cwd=self.work, env=self.env | {"STATE": str(self.state)},
                stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        try:
            code, more = process.wait(seconds), ""
        except subprocess.TimeoutExpired:
            code, more = -1, f"\n(still running after {seconds:.0f} s)\n"
        end(process)
        return Done(code, self.replace(log.read_text(errors="replace")) + more)

    def serve(self, statement: str) -> Done:
        """Starts a server of ours and leaves it running until the page ends or starts another."""
        self.stop()
        if re.search(r"tersely dashboard(?!.*--listen)", statement):
            statement = re.sub(r"tersely dashboard", "tersely dashboard --listen 127.0.0.1:0", statement)
        log = self.root / "server"
        with open(log, "w") as said:
            self.server = subprocess.Popen(
                ["bash", "-c", f'[ -f "$STATE" ] && . "$STATE"; exec {statement}'], cwd=self.work,
                env=self.env | {"STATE": str(self.state)}, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        for _ in range(200):
            if self.server.poll() is not None:
                code, self.server = self.server.returncode or 1, None
                return Done(code, self.replace(log.read_text()))
            if READY.search(log.read_text()):
                return Done(0, self.replace(log.read_text()))
            time.sleep(0.05)
        return Done(-1, f"{log.read_text()}\n(not ready after 10 s)")

    def stop(self) -> None:
        """Ends the server, if one runs."""
        if self.server is not None:
            end(self.server)
            self.server = None


def serves(statement: str) -> bool:
    """Whether a statement starts a server of ours and does not end by itself."""
    said = [word for word in words(statement) if "=" not in word or word.startswith("-")]
    return said[:2] in (["tersely", "serve"], ["tersely", "http"], ["tersely", "dashboard"], ["tersely", "extproc"]) and "--help" not in said or said[:3] == ["tersely", "mcp", "serve"]


def end(process: subprocess.Popen) -> None:
    """Ends a process and all that it started."""
    for number, seconds in ((signal.SIGINT, 2.0), (signal.SIGKILL, 5.0)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue


def free() -> int:
    """A free port."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def system() -> str:
    """The system's own folders of programs, and node's."""
    node = shutil.which("node")
    found = ["/usr/local/bin", "/usr/bin", "/bin", *([str(Path(node).parent)] if node else [])]
    return ":".join(dict.fromkeys(found))
