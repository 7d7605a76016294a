"""A Debian with systemd, booted in a container that sees nothing of this machine but what it is given."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

PACKAGES = "systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,ca-certificates,curl,procps,python3,nodejs"
CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely")
USER = "dev"


class Machine:
    """Boots when it is entered, and is gone without a trace when it is left."""

    def __init__(self, folder: Path, shown: dict[Path, str]) -> None:
        self.folder, self.shown = folder, shown
        self.root = folder / "root"

    def __enter__(self) -> Machine:
        base = debian()
        for name in ["root", "upper", "work"]:
            (self.folder / name).mkdir()
        layers = f"lowerdir={base},upperdir={self.folder / 'upper'},workdir={self.folder / 'work'}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, self.root], check=True)
        subprocess.run(["chroot", self.root, "useradd", "--create-home", "--base-dir", "/srv", "--shell", "/bin/bash", USER], check=True)
        return self

    def boot(self) -> None:
        """Starts it, and waits until it is up."""
        shown = [f"--bind-ro={real}:{seen}" for real, seen in self.shown.items()]
        words = ["systemd-nspawn", "--boot", f"--directory={self.root}", "--register=no", "--keep-unit", "--quiet"]
        with (self.folder / "console").open("wb") as console:
            self.process = subprocess.Popen(
                [*words, "--private-network", f"--machine=tersely-{os.getpid()}", *shown],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console,
            )
        self.wait_up()

    def wait_up(self) -> None:
        """Waits until systemd has started everything."""
        until(60, lambda: self.run("systemctl is-system-running", "root", check=False)[1].strip() in {"running", "degraded"})

    def reboot(self) -> float:
        """Ends everything in it, and starts it again; gives the seconds that it took to end."""
        self.run("systemctl reboot", "root", check=False)
        # nspawn leaves the second half to whoever started it.
        took = until(400, lambda: self.process.poll() is not None)
        self.boot()
        return took

    def leader(self) -> int | None:
        """The number of its first process, here."""
        try:
            children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        except OSError:
            return None
        inits = [int(child) for child in children if "init" in comm(int(child)) or "systemd" in comm(int(child))]
        return inits[0] if inits else None

    def words(self, script: str, user: str, variables: dict[str, str]) -> list[str]:
        """What runs a script in there."""
        home = "/root" if user == "root" else f"/srv/{user}"
        number = subprocess.run(["chroot", self.root, "id", "-u", user], capture_output=True, text=True, check=True).stdout.strip()
        env = {"HOME": home, "USER": user, "PATH": "/opt/clients/node_modules/.bin:/usr/local/bin:/usr/bin:/bin", "TERM": "dumb"}
        env |= {"XDG_RUNTIME_DIR": f"/run/user/{number}", **variables}
        clean = ["env", "-i", *(f"{name}={value}" for name, value in env.items())]
        enter = ["nsenter", "--all", f"--target={self.leader()}", "--wdns=/"]
        return [*enter, "runuser", "-u", user, "--", *clean, "sh", "-c", f'cd "$HOME"\n{script}']

    def run(self, script: str, user: str = USER, check: bool = True, limit: float = 120, **variables: str) -> tuple[int, str]:
        """Runs a script in there; gives its exit code and all that it said."""
        try:
            done = subprocess.run(
                self.words(script, user, variables), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=limit, check=False,
            )
        except subprocess.TimeoutExpired as late:
            return -1, (late.stdout or b"").decode(errors="replace")
        if check and done.returncode != 0:
            raise SystemExit(f"{script}: ended with {done.returncode}:\n{done.stdout}")
        return done.returncode, done.stdout

    def login(self) -> subprocess.Popen:
        """A session of the user's, until it is ended."""
        enter = ["nsenter", "--all", f"--target={self.leader()}", "--wdns=/"]
        return subprocess.Popen(
            [*enter, "su", "--login", USER, "-c", "exec sleep infinity"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "process"):
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        subprocess.run(["umount", self.root], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def debian() -> Path:
    """The system, made once."""
    root = CACHE / "debian-systemd"
    done = root.with_suffix(".done")
    if not done.exists():
        shutil.rmtree(root, ignore_errors=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}", "bookworm", root], check=True)
        done.touch()
    return root


def comm(process: int) -> str:
    """The name of a process."""
    try:
        return Path(f"/proc/{process}/comm").read_text()
    except OSError:
        return ""


def until(limit: float, happens) -> float:
    """Waits for something, and tells how many seconds that took."""
    began = time.monotonic()
    while time.monotonic() - began < limit:
        if happens():
            return time.monotonic() - began
        time.sleep(0.05)
    raise SystemExit(f"not within {limit} s")
