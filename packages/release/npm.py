"""Packs the npm packages: one for each platform with its program and native part, and `tersely`, which wants the one that fits."""

import json
from pathlib import Path

from archive import Entry, entry, write_tar
from targets import ROOT, Target

SOURCE = ROOT / "packages/typescript"
LICENSES = ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT")


def write_platform(target: Target, program: Path, native: Path | None, version: str, out: Path) -> Path:
    system, processor, *libc = target.npm.split("-")
    about = {
        "name": f"@tersely/{target.npm}",
        "version": version,
        "description": f"The tersely program for {system} {processor}. Install `tersely`, which takes the one that fits.",
        **_shared(),
        "os": [system],
        "cpu": [processor],
        **({"libc": ["glibc" if libc == ["gnu"] else "musl"]} if libc else {}),
        # Yarn unpacks what would otherwise be a program inside a zip file.
        "preferUnplugged": True,
    }
    return _pack(out / f"tersely-{target.npm}-{version}.tgz", about, [
        entry(f"bin/{target.program}", program, 0o755),
        *([entry("tersely.node", native, 0o755)] if native else []),
        Entry("README.md", f"# {about['name']}\n\n{about['description']}\n".encode()),
    ])


def write_main(targets: list[Target], out: Path) -> Path:
    """`dist` and `cjs` must be built. Platform packages are named here and not in the tree, where `npm ci` would look for them."""
    about = _source()
    for unneeded in ("scripts", "devDependencies"):
        about.pop(unneeded)
    about["optionalDependencies"] = {f"@tersely/{target.npm}": about["version"] for target in targets}
    built = {name: [file for file in (SOURCE / name).rglob("*") if file.is_file()] for name in ("cjs", "dist")}
    if not all(built.values()):
        raise SystemExit("packages/typescript has no cjs and dist: run `npm ci && npm run build` there")
    files = sorted(file for each in (*built.values(), (SOURCE / "native").iterdir()) for file in each)
    return _pack(out / f"tersely-{about['version']}.tgz", about, [
        entry("bin/tersely.js", SOURCE / "bin/tersely.js", 0o755),
        entry("README.md", SOURCE / "README.md"),
        *(entry(file.relative_to(SOURCE).as_posix(), file) for file in files),
    ])


def _source() -> dict:
    return json.loads((SOURCE / "package.json").read_text())


def _shared() -> dict:
    """What every package of ours says of itself; npm's provenance compares the repository."""
    return {key: value for key, value in _source().items() if key in ("license", "repository")}


def _pack(path: Path, about: dict, files: list[Entry]) -> Path:
    manifest = Entry("package.json", (json.dumps(about, indent=2) + "\n").encode())
    licenses = [entry(name, ROOT / name) for name in LICENSES]
    packed = [Entry(f"package/{each.path}", each.data, each.mode) for each in (manifest, *files, *licenses)]
    return write_tar(path, packed)
