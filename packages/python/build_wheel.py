"""Builds the wheel: the package, and the program and the native part where they are given.

`pip` finds `build_wheel` by pyproject.toml, and gets a wheel without either; a release (assemble.py) gives both. For this
platform alone, with what cargo built:

    python3 build_wheel.py OUT ../../target/debug/tersely ../../target/debug/libtersely_python.so
"""

import base64
import hashlib
import os
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:
    # Python 3.10 has none of its own.
    import tomli as tomllib

HERE = Path(__file__).parent
LICENSES = ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT")
# Zip files begin in 1980.
EPOCH = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """What `pip` calls, by PEP 517: the package alone, for any platform."""
    return write(Path(wheel_directory), "any", [])


def write(out: Path, platform: str, binaries: list[Path], native: Path | None = None) -> str:
    """Writes the wheel into `out` and returns its name; `platform` may be several tags joined by dots.

    The native part is for the stable ABI: one serves every Python from 3.10 on.
    """
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    base = f"{project['name']}-{project['version']}"
    info = f"{base}.dist-info"
    python = "cp310-abi3" if native else "py3-none"
    name = f"{base}-{python}-{platform}.whl"
    with zipfile.ZipFile(out / name, "w") as wheel:
        entries = [
            *_package(),
            *([(f"tersely/{_native_name(native)}", native.read_bytes(), 0o755)] if native else []),
            *((f"{base}.data/scripts/{path.name}", path.read_bytes(), 0o755) for path in binaries),
            *_licenses(info),
            (f"{info}/METADATA", _metadata(project).encode(), 0o644),
            (f"{info}/WHEEL", _wheel(python, platform, pure=not binaries).encode(), 0o644),
        ]
        for path, data, mode in entries:
            _add(wheel, path, data, mode)
        _add(wheel, f"{info}/RECORD", _record(info, entries).encode(), 0o644)
    return name


def _package() -> list[tuple[str, bytes, int]]:
    files = [path for path in sorted((HERE / "tersely").rglob("*")) if path.suffix in (".py", ".pyi", ".typed")]
    return [(path.relative_to(HERE).as_posix(), path.read_bytes(), 0o644) for path in files]


def _native_name(native: Path) -> str:
    """What Python looks for."""
    return "_native.pyd" if native.suffix in (".dll", ".pyd") else "_native.abi3.so"


def _licenses(info: str) -> list[tuple[str, bytes, int]]:
    """Those at the root of the repository; a copy of this folder alone has none."""
    files = [HERE.parents[1] / name for name in LICENSES]
    return [(f"{info}/licenses/{path.name}", path.read_bytes(), 0o644) for path in files if path.is_file()]


def _metadata(project: dict) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        *(f"Project-URL: {label}, {url}" for label, url in project["urls"].items()),
        *(f"License-File: {name}" for name in LICENSES if (HERE.parents[1] / name).is_file()),
        *(f"Requires-Dist: {needed}" for needed in project["dependencies"]),
        *_extras(project.get("optional-dependencies", {})),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (HERE / project["readme"]).read_text()


def _extras(extras: dict) -> list[str]:
    lines = []
    for name, packages in extras.items():
        lines += [f"Provides-Extra: {name}", *(f'Requires-Dist: {needed}; extra == "{name}"' for needed in packages)]
    return lines


def _wheel(python: str, platform: str, pure: bool) -> str:
    tags = "".join(f"Tag: {python}-{tag}\n" for tag in platform.split("."))
    return f"Wheel-Version: 1.0\nGenerator: tersely\nRoot-Is-Purelib: {str(pure).lower()}\n{tags}"


def _record(info: str, entries: list[tuple[str, bytes, int]]) -> str:
    hashes = (base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=") for _, data, _ in entries)
    lines = [f"{path},sha256={hash.decode()},{len(data)}" for (path, data, _), hash in zip(entries, hashes)]
    return "\n".join([*lines, f"{info}/RECORD,,"]) + "\n"


def _add(wheel: zipfile.ZipFile, path: str, data: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(path, time.gmtime(EPOCH)[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100000 | mode) << 16
    wheel.writestr(entry, data)


if __name__ == "__main__":
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    print(write(Path(sys.argv[1]), tag, [Path(sys.argv[2])], Path(sys.argv[3])))
