"""A real Claude Code in a real terminal (tmux): does its status line say what the history says, and is it undone to the byte?

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

from agents import ASK, BIN, claude, prepare
from upstream import FINAL, Handler, Upstream

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 90
KEY = "sk-ant-api03-0123456789012345678901234567"
# How full the windows are before the first request, and how much each request takes, in percent.
FIVE, WEEK = (41.0, 1.25), (18.0, 0.5)
SETTINGS = '{\n  "permissions": { "allow": ["Bash"] },\n  "theme": "dark"\n}\n'


class Metered(Handler):
    """The usual upstream, with the headers that a subscription's responses have."""

    def end_headers(self) -> None:
        """Add the windows: each request to a model takes its part."""
        if self.command == "POST":
            asked = sum(it.method == "POST" and it.path.startswith("/v1/messages") for it in self.server.requests)
            for name, (begin, step), left in [("5h", FIVE, 9000), ("7d", WEEK, 300000)]:
                head = f"anthropic-ratelimit-unified-{name}"
                self.send_header(f"{head}-utilization", f"{(begin + step * asked) / 100:.4f}")
                self.send_header(f"{head}-reset", str(self.server.began + left))
                self.send_header(f"{head}-status", "allowed")
        super().end_headers()


class Pane:
    """A terminal in tmux, on a server of its own."""

    def __init__(self, folder: Path, words: list[str], env: dict[str, str]) -> None:
        self.tmux = ["tmux", "-S", str(folder / "tmux.sock"), "-f", "/dev/null"]
        command = shlex.join(["env", "-i", *[f"{name}={value}" for name, value in env.items()], *words])
        start = ["new-session", "-d", "-s", "trial", "-x", "150", "-y", "45", "-c", str(folder / "here"), command]
        subprocess.run([*self.tmux, *start], check=True)

    def text(self) -> str:
        """What is on the screen."""
        return subprocess.run([*self.tmux, "capture-pane", "-p", "-t", "trial"], capture_output=True, text=True, check=False).stdout

    def keys(self, *keys: str) -> None:
        """Type."""
        subprocess.run([*self.tmux, "send-keys", "-t", "trial", *keys], check=False)

    def wait(self, wanted: str) -> re.Match[str]:
        """Wait until the screen has this."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if found := re.search(wanted, self.text()):
                return found
            time.sleep(0.2)
        raise SystemExit(f"the terminal never showed {wanted}:\n{self.text()}")

    def close(self) -> None:
        """End the server."""
        subprocess.run([*self.tmux, "kill-server"], capture_output=True, check=False)


def savings(session: dict) -> str:
    """The line's beginning, from the history's numbers."""
    saved = session["tokens_before"] - session["tokens_after"] - session["tokens_fetched"]
    shown = f"{saved / 1000:.2f} k" if 1000 <= saved < 10000 else str(saved)
    return f"{shown} saved ({saved * 100 / session['tokens_before']:.1f} %)"


def windows(session: dict) -> str:
    """The line's windows, from the history's numbers."""
    def short(number: float) -> str:
        return f"{int(number * 10 + 0.5) / 10:g}"
    return " · ".join(f"{it['name']} {short(it['used_pct'])} % (+{short(it['points'])})" for it in session["limits"])


def trial(binary: Path, folder: Path) -> None:
    """Install, look, compare, undo."""
    upstream = Upstream(Metered)
    upstream.began = int(time.time())
    start = claude(upstream.url)
    onboarded = {"hasCompletedOnboarding": True, "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
                 "projects": {str((folder / "here").resolve()): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}}}
    start.files = {".claude/settings.json": SETTINGS, ".claude.json": json.dumps(onboarded), ".bashrc": "export A=1"}
    env = prepare(folder, start) | {"ANTHROPIC_API_KEY": KEY, "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/bash"}
    env["PATH"] = f"{binary.parent}:{BIN}:{env['PATH']}"
    env.pop("NO_COLOR")
    home = folder / "home"
    files = {name: (home / name).read_bytes() for name in [".claude/settings.json", ".bashrc"]}
    tersely = lambda *words: subprocess.run([binary, *words], env=env, cwd=folder / "here", capture_output=True, text=True, check=False)
    init = tersely("init", "--statusline", "--yes")
    print(init.stdout, init.stderr)
    written = (home / ".claude/settings.json").read_bytes()
    pane = Pane(folder, [str(binary), "run", "claude", "--model", "claude-opus-5-5", "--permission-mode", "acceptEdits"], env)
    try:
        pane.wait(r"\? for shortcuts|tersely:|❯|>")
        time.sleep(2)
        pane.keys("-l", ASK)
        time.sleep(1)
        pane.keys("Enter")
        pane.wait(re.escape(FINAL))
        pane.wait(r"tersely: .* saved .*5h .*")
        time.sleep(2)
        screen = pane.text()
        line = re.search(r"tersely: .*", screen)[0].strip()
        told = json.loads(tersely("stats", "--json").stdout)
        session = told["sessions"][0]
        print(screen)
        print("line:   ", line)
        print("history:", savings(session), "·", windows(session), "·", session["turns"], "turns")
        asked = sum(it.method == "POST" and it.path.startswith("/v1/messages") for it in upstream.requests)
        print("headers:", f"5h {FIVE[0] + FIVE[1] * asked} %, 7d {WEEK[0] + WEEK[1] * asked} % after {asked} requests")
        names = {value for it in upstream.requests for name, value in it.headers if name.lower() == "x-claude-code-session-id"}
        print("names of the session in requests:", len(names))
        if savings(session) not in line or windows(session) not in line:
            raise SystemExit("the line and the history differ")
        pane.keys("-l", "/exit")
        time.sleep(1)
        pane.keys("Enter")
        time.sleep(3)
    finally:
        pane.close()
    # A client may rewrite its own file meanwhile; then only our value has to go.
    rewritten = (home / ".claude/settings.json").read_bytes() != written
    print(tersely("uninstall", "--yes").stdout)
    for name, text in files.items():
        left = (home / name).read_bytes()
        print(name, "as it was" if left == text else "not as it was")
        if left != text and not (rewritten and name.endswith(".json")):
            raise SystemExit(f"{name} is not as it was")


def main() -> None:
    """Run the trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target" / "release" / "tersely", help="the binary")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tersely-line-", ignore_cleanup_errors=True) as folder:
        trial(args.tersely.resolve(), Path(folder))


if __name__ == "__main__":
    main()
