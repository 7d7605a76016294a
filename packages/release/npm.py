"""Packs the npm packages: one for each platform with its program, and `tersely`, which wants the one that fits."""

import json
from pathlib import Path

from archive import Entry, entry, write_tar
from targets import ROOT, Target

SOURCE = ROOT / "packages/typescript"
LICENSES = ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT")


def write_platform(target: Target, program: Path, version: str, out: Path) -> Path:
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
        Entry("README.md", f"# {about['name']}\n\n{about['description']}\n".encode()),
    ])


def write_main(targets: list[Target], out: Path) -> Path:
    """`dist` must be built. Platform packages are named here and not in the tree, where `npm ci` would look for them."""
    about = _source()
    for unneeded in ("scripts", "devDependencies"):
        about.pop(unneeded)
    about["optionalDependencies"] = {f"@tersely/{target.npm}": about["version"] for target in targets}
    files = sorted(file for file in (SOURCE / "dist").rglob("*") if file.is_file())
    if not files:
        raise SystemExit("packages/typescript/dist is empty: run `npm ci && npm run build` there")
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
