"""Packs the Debian package with `dpkg-deb`: the program, its pages, and a service that nobody starts but the operator."""

import gzip
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from archive import EPOCH
from targets import ROOT, Target, glibc

SYSTEMD = ROOT / "deploy/systemd"
COMPLETIONS = {
    "tersely.bash": "usr/share/bash-completion/completions/tersely",
    "_tersely": "usr/share/zsh/vendor-completions/_tersely",
    "tersely.fish": "usr/share/fish/vendor_completions.d/tersely.fish",
}
CONTROL = """\
Package: tersely
Version: {version}
Architecture: {arch}
Maintainer: The Tersely authors <tersely@users.noreply.github.com>
Installed-Size: {size}
Depends: libc6 (>= {glibc}), libgcc-s1
Recommends: ca-certificates
Section: utils
Priority: optional
Homepage: https://github.com/tersely/tersely
Description: fewer tokens for the tool output of coding agents
 A gateway between agents and models, MCP tools and a command line. Tool
 results become smaller on their way to a model; everything else is
 forwarded byte for byte.
"""
# A service that runs goes on with the new program, and ends with the package.
SCRIPTS = {
    "postinst": "systemctl daemon-reload; systemctl try-restart tersely.service",
    "prerm": 'test "$1" != remove || systemctl stop tersely.service',
}


def write(target: Target, program: Path, extras: Path, version: str, out: Path) -> Path:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        _place(root / "usr/bin/tersely", program.read_bytes(), 0o755)
        _documents(root)
        _extras(root, extras)
        _service(root)
        _control(root, target, program, version)
        path = out / f"tersely_{version}-1_{target.deb}.deb"
        stamp = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(path)]
        subprocess.run(command, check=True, env=stamp, stdout=subprocess.DEVNULL)
    return path


def _documents(root: Path) -> None:
    documents = root / "usr/share/doc/tersely"
    names = ("LICENSE", "LICENSE-MIT", "LICENSE-APACHE")
    licenses = "\n\n".join((ROOT / name).read_text() for name in names)
    _place(documents / "copyright", licenses.encode())
    _place(documents / "changelog.gz", gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=EPOCH))


def _extras(root: Path, extras: Path) -> None:
    for page in sorted(extras.glob("man/*.1")):
        _place(root / f"usr/share/man/man1/{page.name}.gz", gzip.compress(page.read_bytes(), mtime=EPOCH))
    for name, path in COMPLETIONS.items():
        if (extras / "completions" / name).is_file():
            _place(root / path, (extras / "completions" / name).read_bytes())


def _service(root: Path) -> None:
    """The units of deploy/, where there are any, with the place where Debian has programs."""
    places = {
        "tersely.service": "usr/lib/systemd/system/tersely.service",
        "tersely-user.service": "usr/lib/systemd/user/tersely.service",
    }
    for name, path in places.items():
        if (SYSTEMD / name).is_file():
            unit = (SYSTEMD / name).read_text().replace("/usr/local/bin/", "/usr/bin/")
            _place(root / path, unit.encode())
    if (SYSTEMD / "tersely.service").is_file():
        for name, commands in SCRIPTS.items():
            script = f"#!/bin/sh\nset -e\nif [ -d /run/systemd/system ]; then {commands}; fi\n"
            _place(root / "DEBIAN" / name, script.encode(), 0o755)
    if (SYSTEMD / "tersely.toml").is_file():
        _place(root / "etc/tersely/tersely.toml", (SYSTEMD / "tersely.toml").read_bytes())
        _place(root / "DEBIAN/conffiles", b"/etc/tersely/tersely.toml\n")


def _control(root: Path, target: Target, program: Path, version: str) -> None:
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file()) // 1024
    needed = ".".join(map(str, glibc(program)))
    text = CONTROL.format(version=f"{version}-1", arch=target.deb, size=size, glibc=needed)
    _place(root / "DEBIAN/control", text.encode())


def _place(path: Path, data: bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def available() -> bool:
    return shutil.which("dpkg-deb") is not None
