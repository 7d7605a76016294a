"""Builds the wheel: the package, and the program where one is given.

Both `pip` (which finds `build_wheel` by pyproject.toml, and gets a wheel without the program) and a release
(assemble.py, with the program) use this file.
"""

import base64
import hashlib
import os
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


def write(out: Path, platform: str, binaries: list[Path]) -> str:
    """Writes the wheel into `out` and returns its name; `platform` may be several tags joined by dots."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    base = f"{project['name']}-{project['version']}"
    info = f"{base}.dist-info"
    name = f"{base}-py3-none-{platform}.whl"
    with zipfile.ZipFile(out / name, "w") as wheel:
        entries = [
            *_package(),
            *((f"{base}.data/scripts/{path.name}", path.read_bytes(), 0o755) for path in binaries),
            *_licenses(info),
            (f"{info}/METADATA", _metadata(project).encode(), 0o644),
            (f"{info}/WHEEL", _wheel(platform, pure=not binaries).encode(), 0o644),
        ]
        for path, data, mode in entries:
            _add(wheel, path, data, mode)
        _add(wheel, f"{info}/RECORD", _record(info, entries).encode(), 0o644)
    return name


def _package() -> list[tuple[str, bytes, int]]:
    files = [path for path in sorted((HERE / "tersely").rglob("*")) if path.suffix in (".py", ".typed")]
    return [(path.relative_to(HERE).as_posix(), path.read_bytes(), 0o644) for path in files]


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
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (HERE / project["readme"]).read_text()


def _wheel(platform: str, pure: bool) -> str:
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in platform.split("."))
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
