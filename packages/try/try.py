"""Installs every package that was assembled where there is no Rust, as a user would, and takes a tool turn with each.

    python3 packages/try/try.py OUT --root CHROOT

Without --root it works on this machine, with a home of its own and nothing on the path but the system's programs.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from shelf import Shelf
from upstream import ANSWER, Upstream, turn

LIMIT = 60
SYSTEM = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


@dataclass(frozen=True)
class Way:
    """One way to install: the commands, the folder that the program is in afterwards, what else must work then."""

    commands: str
    folder: str
    also: str = "true"


WAYS = {
    "pip": Way(
        'python3 -m venv "$HOME/venv"; "$HOME/venv/bin/pip" install -q --no-index --find-links "$SHELF/wheels/" tersely',
        "$HOME/venv/bin",
        "python -c 'import tersely; rows = str([{\"id\": id} for id in range(99)]); assert len(tersely.compress(rows)) < len(rows) / 2'",
    ),
    "npm": Way('npm install --silent --global --prefix "$HOME/npm" --registry "$SHELF/npm/" tersely', "$HOME/npm/bin"),
    "deb": Way('curl -fsSO "$SHELF/download/$DEB"; dpkg -i "$DEB"', "/usr/bin"),
    "install.sh": Way('curl -fsSL "$SHELF/download/install.sh" | TERSELY_DOWNLOAD_URL="$SHELF/download" sh', "$HOME/.local/bin"),
}
TURN = """
if command -v cargo rustc; then exit 1; fi
tersely --version
tersely run --upstream "$UPSTREAM" -- sh -c 'curl -sS "$OPENAI_BASE_URL/chat/completions" -H "content-type: application/json" -d @-'
"""


def main(packages: Path, root: Path | None, only: list[str]) -> int:
    shelf = Shelf(packages)
    debs = sorted(path.name for path in (packages / "download").glob("*_amd64.deb"))
    # A Debian package goes into a system: into one that is thrown away, or none.
    ways = [name for name in only or WAYS if name != "deb" or (root and debs)]
    print(f"{'way':12} {'installed':>10} {'turn done':>10}  what happened")
    faults = [name for name in ways if not _try(name, shelf, debs, root)]
    return len(faults)


def _try(name: str, shelf: Shelf, debs: list[str], root: Path | None) -> bool:
    upstream = Upstream()
    home = Path(tempfile.mkdtemp(prefix="home-", dir=root / "tmp" if root else None))
    seen = Path("/") / home.relative_to(root) if root else home
    way = WAYS[name]
    variables = {"HOME": str(seen), "SHELF": shelf.url, "UPSTREAM": upstream.url, "DEB": (debs or [""])[-1]}
    try:
        began = time.monotonic()
        installed = _shell(f"cd \"$HOME\"\n{way.commands}", "", variables, root)
        first = time.monotonic() - began
        done = installed.returncode == 0 and _shell(f'PATH="{way.folder}:$PATH"{TURN}{way.also}', json.dumps(turn()), variables, root)
        took = time.monotonic() - began
        fault = _fault(done, upstream, took) if done else installed.stderr.strip() or "did not install"
        print(f"{name:12} {first:8.1f} s {took:8.1f} s  {fault or _saved(upstream)}", flush=True)
        return fault is None
    finally:
        upstream.shutdown()
        shutil.rmtree(home)


def _shell(script: str, text: str, variables: dict[str, str], root: Path | None) -> subprocess.CompletedProcess:
    """With nothing of our own environment: what is not in `variables` a new user does not have either."""
    into = ["chroot", str(root)] if root else []
    clean = ["env", "-i", f"PATH={SYSTEM}", *(f"{key}={value}" for key, value in variables.items())]
    return subprocess.run([*into, *clean, "sh", "-ec", script], input=text, text=True, capture_output=True, timeout=600)


def _fault(done: subprocess.CompletedProcess, upstream: Upstream, took: float) -> str | None:
    if done.returncode != 0:
        return f"ended with {done.returncode}: {done.stderr.strip()}"
    if ANSWER not in done.stdout or len(upstream.asked) != 1:
        return f"no answer came back: {done.stdout!r}"
    if len(upstream.asked[0]) > len(json.dumps(turn())) / 2:
        return "the tool result did not get smaller"
    return f"took more than {LIMIT} s" if took > LIMIT else None


def _saved(upstream: Upstream) -> str:
    return f"a request of {len(json.dumps(turn())):,} bytes went upstream with {len(upstream.asked[0]):,}, and was answered"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Installs every package that was assembled, and takes a tool turn with it.")
    parser.add_argument("packages", type=Path, help="what assemble.py wrote")
    parser.add_argument("--root", type=Path, help="a Debian without Rust: mmdebstrap can make one")
    parser.add_argument("--only", nargs="*", default=[], choices=WAYS)
    chosen = parser.parse_args()
    sys.exit(main(chosen.packages.resolve(), chosen.root and chosen.root.resolve(), chosen.only))
