"""Makes every package from programs that are already built: wheels, npm packages, Debian packages, archives, checksums.

    python3 packages/release/assemble.py BINARIES OUT

BINARIES has a folder for each platform, by Rust's name of it, with the program and the native parts in it; those that are
missing are left out. BINARIES/extras has what extras.py wrote. Needs Python 3.11, npm and dpkg-deb; a release runs the same.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import deb
import formula
import npm
import tarball
from targets import ROOT, TARGETS, Target, version, wheel_platform

sys.path.insert(0, str(ROOT / "packages/python"))
import build_wheel  # noqa: E402 - found by the line above


def main(binaries: Path, out: Path, complete: bool) -> None:
    programs = {each: binaries / each.triple / each.program for each in TARGETS}
    here = {target: program for target, program in programs.items() if program.is_file()}
    if not here or (complete and len(here) < len(programs)):
        raise SystemExit(f"{binaries}: has {len(here)} of {len(programs)} programs")
    folders = {name: out / name for name in ("wheels", "npm", "download")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    for target, program in here.items():
        natives = {language: _native(target, program.parent, language, complete) for language in ("python", "node")}
        _wheel(target, program, natives["python"], folders["wheels"])
        _say(npm.write_platform(target, program, natives["node"], version(), folders["npm"]))
    _build_decoders()
    _say(npm.write_main(TARGETS if complete else list(here), folders["npm"]))
    _downloads(here, binaries / "extras", folders["download"])


def _native(target: Target, folder: Path, language: str, complete: bool) -> Path | None:
    """The native part for a language; the packages do without where there is none."""
    name = target.native(language)
    if name is None or (folder / name).is_file():
        return name and folder / name
    if complete:
        raise SystemExit(f"{folder}: has no {name}")
    return None


def _wheel(target: Target, program: Path, native: Path | None, out: Path) -> None:
    _say(out / build_wheel.write(out, wheel_platform(target, program, native), [program], native))


def _build_decoders() -> None:
    for command in (["npm", "ci"], ["npm", "run", "build"]):
        subprocess.run([*command, "--silent"], cwd=npm.SOURCE, check=True)


def _downloads(here: dict[Target, Path], extras: Path, out: Path) -> None:
    archives = {}
    for target, program in here.items():
        archives[target.triple] = _say(tarball.write(target, program, extras, out))
        if target.deb and deb.available():
            _say(deb.write(target, program, extras, version(), out))
    for script in ("install.sh", "install.ps1"):
        _say(Path(shutil.copy(ROOT / "packages/install" / script, out)))
    _say(formula.write(archives, version(), out))
    _say(_checksums(out))


def _checksums(out: Path) -> Path:
    """As `sha256sum` writes and checks them."""
    path = out / "SHA256SUMS"
    files = sorted(file for file in out.iterdir() if file != path)
    path.write_text("".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files))
    return path


def _say(path: Path | None) -> Path | None:
    if path is not None:
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}", flush=True)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Makes every package from programs that are already built.")
    parser.add_argument("binaries", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--complete", action="store_true", help="fail unless there is a program for every platform")
    chosen = parser.parse_args()
    main(chosen.binaries, chosen.out, chosen.complete)
