"""What each platform is called: by Rust, by Python, by npm, by Debian."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Target:
    """One platform; `wheel` lacks the glibc that the program was built with, which the program says."""

    triple: str
    wheel: str
    npm: str
    deb: str | None = None

    @property
    def program(self) -> str:
        return "tersely.exe" if "windows" in self.triple else "tersely"

    def native(self, language: str) -> str | None:
        """What cargo calls the native part for a language. A static program has none beside it: musl loads no library
        that glibc loads, and the package for musl is for both."""
        if "musl" in self.triple:
            return None
        if "windows" in self.triple:
            return f"tersely_{language}.dll"
        return f"libtersely_{language}.{'dylib' if 'apple' in self.triple else 'so'}"


# A static program runs on every Linux, so its wheels are for the oldest glibc that pip knows, too.
TARGETS = [
    Target("x86_64-unknown-linux-gnu", "manylinux_{glibc}_x86_64", "linux-x64-gnu", "amd64"),
    Target("aarch64-unknown-linux-gnu", "manylinux_{glibc}_aarch64", "linux-arm64-gnu", "arm64"),
    Target("x86_64-unknown-linux-musl", "manylinux_2_17_x86_64.musllinux_1_1_x86_64", "linux-x64-musl"),
    Target("aarch64-unknown-linux-musl", "manylinux_2_17_aarch64.musllinux_1_1_aarch64", "linux-arm64-musl"),
    Target("x86_64-apple-darwin", "macosx_11_0_x86_64", "darwin-x64"),
    Target("aarch64-apple-darwin", "macosx_11_0_arm64", "darwin-arm64"),
    Target("x86_64-pc-windows-msvc", "win_amd64", "win32-x64"),
]


def glibc(program: Path) -> tuple[int, int]:
    """The oldest glibc that `program` starts with: the newest whose symbols it names."""
    named = re.findall(rb"\0GLIBC_(\d+)\.(\d+)(?=[.\0])", program.read_bytes())
    return max(((int(major), int(minor)) for major, minor in named), default=(0, 0))


def wheel_platform(target: Target, program: Path, native: Path | None = None) -> str:
    if "{glibc}" not in target.wheel:
        return target.wheel
    major, minor = max(glibc(each) for each in (program, native) if each)
    if major == 0:
        raise SystemExit(f"{program}: names no glibc; is it a program for {target.triple}?")
    return target.wheel.format(glibc=f"{major}_{minor}")


def version() -> str:
    """The version of the workspace; a package that says another is an error."""
    found = {
        path: re.search(pattern, (ROOT / path).read_text(), re.MULTILINE)[1]
        for path, pattern in {
            "Cargo.toml": r'^version = "(.+)"',
            "packages/python/pyproject.toml": r'^version = "(.+)"',
            "packages/typescript/package.json": r'"version": "(.+)"',
        }.items()
    }
    if len(set(found.values())) > 1:
        raise SystemExit(f"versions differ: {found}")
    return found["Cargo.toml"]
