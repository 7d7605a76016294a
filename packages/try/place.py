"""Where a package is tried: a Debian that is a folder, or this machine with a home of its own."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import client

SYSTEM = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


class Place:
    """A home that is thrown away, with nothing on the path but the system's programs and the client."""

    def __init__(self, root: Path | None, cache: Path) -> None:
        self.root = root
        self.client = root / "opt/client" if root else cache / "client"
        client.install(self.client)

    def __enter__(self) -> "Place":
        self.home = Path(tempfile.mkdtemp(prefix="home-", dir=self.root / "tmp" if self.root else None))
        (self.home / "rows.py").write_text(client.SCRIPT)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.home)

    def shell(self, script: str, variables: dict[str, str]) -> subprocess.CompletedProcess:
        """With nothing of our own environment: what is not in `variables` a new user does not have either."""
        known = {"HOME": self._seen(self.home), "PATH": f"{SYSTEM}:{self._seen(self.client)}/node_modules/.bin", **variables}
        return run([*self._into(), "env", "-i", *(f"{name}={value}" for name, value in known.items())], script)

    def _seen(self, path: Path) -> str:
        return str("/" / path.relative_to(self.root) if self.root else path)

    def _into(self) -> list[str]:
        """With processes of its own, which end with the script, whatever a client leaves behind."""
        if self.root is None:
            return []
        alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.root}/proc"]
        return [*alone, "chroot", str(self.root)]


def run(before: list[str], script: str) -> subprocess.CompletedProcess:
    """A script that stops at the first fault, in the home that it is told of."""
    words = [*before, "sh", "-ec", f'cd "$HOME"\n{script}']
    return subprocess.run(words, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=600)


def cache() -> Path:
    return Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache/tersely")
