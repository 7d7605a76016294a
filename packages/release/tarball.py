"""Packs the archive that the installers and Homebrew download: the program, its pages and the licences."""

from pathlib import Path

from archive import Entry, entry, write_tar, write_zip
from targets import ROOT, Target

LICENSES = ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT")


def write(target: Target, program: Path, extras: Path, out: Path) -> Path:
    """The name holds no version, so that the address of the latest never changes."""
    name = f"tersely-{target.triple}"
    entries = [
        entry(f"{name}/{target.program}", program, 0o755),
        *(entry(f"{name}/{file}", ROOT / file) for file in (*LICENSES, "CHANGELOG.md")),
        *_extras(name, extras),
    ]
    if "windows" in target.triple:
        return write_zip(out / f"{name}.zip", entries)
    return write_tar(out / f"{name}.tar.gz", entries)


def _extras(name: str, extras: Path) -> list[Entry]:
    files = sorted([*extras.glob("man/*.1"), *extras.glob("completions/*")])
    return [entry(f"{name}/{file.relative_to(extras).as_posix()}", file) for file in files]
