"""Reads the justfile: which recipes there are, in which group, and which scripts each of them runs."""

from __future__ import annotations

import ast
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recipe:
    """A recipe as it is written."""

    name: str
    group: str
    depends: tuple[str, ...]
    body: str

    @property
    def digest(self) -> str:
        """Changes when the recipe does."""
        return hashlib.sha256(self.body.encode()).hexdigest()[:12]

    @property
    def needs_cargo(self) -> bool:
        """True when it builds something of its own; what `just gate` builds at its beginning goes by `{{build}}` and `{{bench}}`."""
        return re.search(r"\bcargo (build|test|run|fuzz)\b", self.body) is not None

    @property
    def packages(self) -> set[str]:
        """The packages whose tests it runs, if it runs nothing else of the workspace."""
        if "release" in self.depends or re.search(r"--workspace|target/release|\{\{(build|bench)\}\}", self.body):
            return set()
        return set(re.findall(r"(?:-p|--package) (tersely-[\w-]+)", self.body))


HEAD = re.compile(r"^(?P<name>[a-z][\w-]*)(?P<arguments>[^:\n]*):(?!=)(?P<depends>.*)$")
GROUP = re.compile(r"^\[group\('(\w+)'\)\]$")


def recipes(justfile: str) -> dict[str, Recipe]:
    """All recipes by name; a recipe without a group has an empty one."""
    found: dict[str, Recipe] = {}
    group, lines = "", justfile.splitlines()
    for at, line in enumerate(lines):
        if mark := GROUP.match(line):
            group = mark[1]
        elif head := HEAD.match(line):
            ends = next((end for end in range(at + 1, len(lines)) if lines[end] and not lines[end].startswith((" ", "\t"))), len(lines))
            body = "\n".join(lines[at:ends]).rstrip()
            found[head["name"]] = Recipe(head["name"], group, tuple(head["depends"].split()), body)
            group = ""
    return found


def scripts(root: Path, known: dict[str, Recipe], name: str) -> list[str]:
    """The files of the repository that a recipe runs, with what they import, and those of the recipes that it depends on."""
    found: set[Path] = set()
    for line in known[name].body.splitlines()[1:]:
        folder = root / (entered[1] if (entered := re.match(r"\s*cd (\S+) &&", line)) else ".")
        for word in re.findall(r"[\w./-]+\.(?:py|sh|mjs|ts)\b", line):
            places = [path.resolve() for path in (folder / word, root / word) if path.is_file()]
            found |= imported(root.resolve(), places[0]) if places else set()
    paths = {str(path.relative_to(root.resolve())) for path in found}
    for other in known[name].depends:
        paths |= set(scripts(root, known, other)) if other in known else set()
    return sorted(paths)


def imported(root: Path, script: Path, seen: set[Path] | None = None) -> set[Path]:
    """A script and the modules beside it that it imports, and theirs. Folders of other trials count where the script names them."""
    seen = set() if seen is None else seen
    if script in seen:
        return seen
    seen.add(script)
    if script.suffix != ".py":
        return seen
    tree = ast.parse(script.read_text())
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    parts = {part for text in texts if len(text) < 80 for part in text.split("/")}
    folders = [script.parent, *(folder for kind in ("trials", "benchmarks") for folder in sorted((root / kind).glob("*")) if folder.name in parts)]
    for node in ast.walk(tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            place = next((folder / f"{name}.py" for folder in folders if (folder / f"{name}.py").is_file()), None)
            if place:
                imported(root, place.resolve(), seen)
    return seen
