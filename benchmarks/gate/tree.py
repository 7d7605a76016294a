"""Asks Git what has changed since a commit."""

from __future__ import annotations

import subprocess
import tomllib
from functools import cache
from pathlib import Path

# Whatever a row measures is built of these.
SOURCES = ("crates", "Cargo.lock", "Cargo.toml")
# The program is built without the tests of its crates.
PROGRAM = (*SOURCES, ":(exclude,glob)crates/*/tests/**")

# What is built beside the program and in no part of it.
BESIDE = ("crates/bench", "crates/gateway/examples", "crates/node", "crates/python", *SOURCES[1:])


def crates(root: Path, packages: set[str], tested: set[str] | None = None) -> tuple[str, ...]:
    """The folders of packages and of all that they are built with, without tests of packages that are not tested, and what holds for every package."""
    tested = packages if tested is None else tested
    manifests = {path.parent: tomllib.loads(path.read_text()) for path in sorted(root.glob("crates/*/Cargo.toml"))}
    folders = {manifest["package"]["name"]: folder for folder, manifest in manifests.items()}
    found, ahead = set(), set(packages)
    while ahead:
        name = ahead.pop()
        found.add(name)
        manifest = manifests[folders[name]]
        # A crate's tests need more than the crate, and only those of the packages themselves are run.
        kinds = ("dependencies", "build-dependencies", *(("dev-dependencies",) if name in tested else ()))
        tables = [manifest, *manifest.get("target", {}).values()]
        ahead |= {one for table in tables for kind in kinds for one in table.get(kind, {}) if one in folders} - found
    paths = {name: str(folders[name].relative_to(root)) for name in found}
    return (*sorted(paths.values()), *(f":(exclude,glob){paths[name]}/tests/**/*.rs" for name in sorted(found - tested)), *SOURCES[1:])


class Tree:
    """A checkout."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.changed = cache(self._changed)

    def git(self, *words: str) -> str | None:
        """What Git prints, or nothing where it fails."""
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else None

    def head(self) -> str:
        """The commit of the checkout."""
        head = self.git("rev-parse", "HEAD")
        if head is None:
            raise SystemExit(f"{self.root} is no checkout of Git")
        return head

    def _changed(self, commit: str, paths: tuple[str, ...]) -> list[str]:
        """Files below the paths that differ from a commit: committed since, edited, or new."""
        differ = self.git("diff", "--name-only", commit, "--", *paths)
        if differ is None:
            return [f"commit {commit[:8]} is not in this checkout"]
        new = self.git("ls-files", "--others", "--exclude-standard", "--", *paths)
        return sorted({*differ.splitlines(), *(new or "").splitlines()})

    def now(self, commit: str, paths: tuple[str, ...]) -> list[str]:
        """The same, asked again."""
        return self._changed(commit, paths)

    def lock(self) -> Path:
        """A file that all checkouts of the repository share."""
        return (self.root / (self.git("rev-parse", "--git-common-dir") or ".git") / "gate.lock").resolve()

    def age(self) -> float:
        """When the program's sources were last committed, in seconds since 1970."""
        return float(self.git("log", "-1", "--format=%ct", "--", *PROGRAM) or 0)
