"""Puts a real Prometheus into the cache, if the machine has none, and prints the folder of prometheus and promtool.

The cache is $TERSELY_CACHE, else ~/.cache/tersely. Needs a Debian or Ubuntu with a package mirror, no rights beyond
one's own, and 200 MB.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely") / "prometheus"
FOLDER = CACHE / "usr" / "bin"
PROGRAMS = ["prometheus", "promtool"]


def run(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program quietly."""
    return subprocess.run(words, check=False, capture_output=True, text=True, cwd=cwd)


def download(place: Path) -> Path:
    """The package, with our own lists of packages where the machine has none."""
    lists = place / "lists"
    (lists / "partial").mkdir(parents=True)
    own = ["-o", f"Dir::State::Lists={lists}", "-o", f"Dir::Cache={place}", "-o", "APT::Sandbox::User="]
    asked = run("apt-get", "download", "prometheus", cwd=place)
    if asked.returncode != 0:
        run("apt-get", *own, "update", cwd=place)
        asked = run("apt-get", *own, "download", "prometheus", cwd=place)
    found = next(place.glob("prometheus_*.deb"), None)
    if found is None:
        raise SystemExit(f"no package prometheus could be had:\n{asked.stderr.strip()}")
    return found


def install() -> None:
    """Take the programs out of the package; nothing of it is set up."""
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE.parent) as name:
        place = Path(name)
        package = download(place)
        done = run("dpkg-deb", "--extract", package, place / "ready", cwd=place)
        if done.returncode != 0:
            raise SystemExit(done.stderr.strip())
        # In one step, so that whoever looks meanwhile sees all of it or nothing.
        (place / "ready").rename(CACHE)


if __name__ == "__main__":
    paths = [shutil.which(program) for program in PROGRAMS]
    if all(paths):
        print(Path(str(paths[0])).parent)
    else:
        if not all((FOLDER / program).is_file() for program in PROGRAMS):
            install()
        print(FOLDER)
