"""Installs every package that was assembled where there is no Rust, as a user would, and takes a tool turn with each.

    python3 packages/try/try.py OUT --root CHROOT --image ARCHIVE

The client is Claude Code, which is installed before the clock starts; a script answers as the model. Without --root
this machine has to do, and without --image there is no container.
"""

import argparse
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import client
from client import Upstream
from place import Place, cache, run
from shelf import Shelf

LIMIT = 60


@dataclass(frozen=True)
class Way:
    """One way to install: the commands, the folder that the program is in afterwards, what else must work then."""

    commands: str
    folder: str
    also: str = "true"


# Completion as bash does it after a word and a tab.
PAGES = """
man --pager=cat tersely | grep -q tersely-run
man --pager=cat tersely-serve | grep -q -e --listen
test "$(dpkg -L tersely | grep -c -e /_tersely$ -e /tersely.fish$)" = 2
bash -ec '. /usr/share/bash-completion/bash_completion; _completion_loader tersely || test $? = 124
    COMP_WORDS=(tersely comp); COMP_CWORD=1; $(complete -p tersely | sed "s/.*-F //; s/ .*//") tersely comp tersely
    test "${COMPREPLY[*]}" = "compress completions" || { echo "bash completed: ${COMPREPLY[*]}" >&2; exit 1; }'
"""
WAYS = {
    "pip": Way(
        'python3 -m venv venv; venv/bin/pip install -q --no-index --find-links "$SHELF/wheels/" tersely',
        "$HOME/venv/bin",
        # In process: with the native part, and not with the program in its place.
        "python -c 'import json, tersely, tersely._native; rows = json.dumps([{\"id\": id} for id in range(99)]); assert len(tersely.compress(rows)) < len(rows) / 2; "
        "assert tersely.compress([{\"role\": \"tool\", \"tool_call_id\": \"c\", \"content\": rows}]).saving.saved > 0'",
    ),
    "npm": Way(
        'npm install --silent --global --prefix "$HOME/npm" --registry "$SHELF/npm/" tersely',
        "$HOME/npm/bin",
        """NODE_PATH="$HOME/npm/lib/node_modules" node -e '
            const { core } = require("tersely/native"), { compress } = require("tersely");
            const rows = JSON.stringify(Array.from({ length: 99 }, (_, id) => ({ id })));
            if (core().constructor.name === "Process" || compress(rows).text.length > rows.length / 2) process.exit(1);'""",
    ),
    "deb": Way('curl -fsSO "$SHELF/download/$DEB"; dpkg -i "$DEB"', "/usr/bin", PAGES),
    "install.sh": Way('curl -fsSL "$SHELF/download/install.sh" | TERSELY_DOWNLOAD_URL="$SHELF/download" sh', "$HOME/.local/bin"),
}
TURN = f"""
if command -v cargo rustc; then exit 1; fi
tersely --version
tersely run --upstream "$UPSTREAM" {client.COMMAND}
"""
# vfs needs nothing of the kernel; limits are set low for machines that may not raise theirs; a network of its own is not what is tried.
PODMAN = 'podman --storage-driver vfs --root "$HOME/store" --runroot "$HOME/run" --cgroup-manager cgroupfs'
START = f"{PODMAN} run --runtime $(command -v runc || command -v crun) --network host --ulimit nofile=4096:4096 --ulimit nproc=1024:1024"
CONTAINER = f"""
{PODMAN} load --quiet --input "$IMAGE"
{START} --rm localhost/tersely --version
{START} --detach --read-only --read-only-tmpfs=false --cap-drop all localhost/tersely serve --listen "$LISTEN" --upstream "$UPSTREAM"
until curl -fs "http://$LISTEN/readyz"; do sleep 0.1; done
"""


class Tried:
    """One line of what is printed, and whether it holds what was promised."""

    def __init__(self, name: str) -> None:
        self.name, self.upstream, self.fault = name, Upstream(), ""
        self.began = self.installed = self.ended = time.monotonic()
        self.cpu = _cpu()

    def hold(self, did: str, done: object) -> bool:
        """Notes the fault of a script, if it had one."""
        if done.returncode != 0:
            self.fault = f"{did} ended with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}"
        return done.returncode == 0

    def end(self, said: str) -> None:
        """The clock stops, and what came back and went upstream is looked at."""
        self.ended, self.cpu = time.monotonic(), _cpu() - self.cpu
        results = client.results(self.upstream)
        if not client.answered(said) or not results:
            self.fault = f"no tool turn: {said!r}, after {len(self.upstream.requests)} requests"
        elif max(map(len, results)) > len(client.printed()) / 2:
            self.fault = "the tool result did not get smaller"
        elif self.ended - self.began > LIMIT:
            self.fault = f"took more than {LIMIT} s"

    def tell(self) -> bool:
        times = [at - self.began for at in (self.installed, self.ended)]
        saved = f"the model read {max(map(len, client.results(self.upstream)), default=0):,} bytes, and the client its answer"
        print(f"{self.name:12} {times[0]:8.1f} s {times[1]:8.1f} s {self.cpu:8.1f} s  {self.fault or saved}", flush=True)
        self.upstream.shutdown()
        return not self.fault


def install(name: str, place: Place, variables: dict[str, str]) -> bool:
    way, tried = WAYS[name], Tried(name)
    variables = {**variables, **client.VARIABLES, "UPSTREAM": tried.upstream.url}
    path = f'PATH="{way.folder}:$PATH"\n'
    if tried.hold("installing", place.shell(way.commands, variables)):
        tried.installed = time.monotonic()
        done = place.shell(path + TURN, variables)
        if tried.hold("the turn", done):
            tried.end(done.stdout)
            tried.hold("what comes with it", place.shell(path + way.also, variables))
    return tried.tell()


def contain(archive: Path, place: Place) -> bool:
    """The gateway in a container, the client outside of it."""
    tried = Tried("image")
    listen = f"127.0.0.1:{_free_port()}"
    with tempfile.TemporaryDirectory() as home:
        told = {"HOME": home, "IMAGE": str(archive), "LISTEN": listen, "UPSTREAM": tried.upstream.url}
        before = ["env", *(f"{name}={value}" for name, value in told.items())]
        try:
            if tried.hold("starting", run(before, CONTAINER)):
                tried.installed = time.monotonic()
                done = place.shell(client.COMMAND, {**client.VARIABLES, "ANTHROPIC_BASE_URL": f"http://{listen}"})
                if tried.hold("the turn", done):
                    tried.end(done.stdout)
        finally:
            run(before, f"{PODMAN} rm --force --all --time 0")
    return tried.tell()


def _cpu() -> float:
    """What all programs so far took of it: says more than the clock where others work too."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def _free_port() -> int:
    free = Upstream()
    free.shutdown()
    free.server_close()
    return free.server_port


def main(packages: Path, root: Path | None, image: Path | None, only: list[str]) -> int:
    shelf = Shelf(packages)
    debs = sorted(path.name for path in (packages / "download").glob("*_amd64.deb"))
    # A Debian package goes into a system: into one that is thrown away, or none.
    ways = [name for name in only or WAYS if name in WAYS and (name != "deb" or (root and debs))]
    variables = {"SHELF": shelf.url, "DEB": (debs or [""])[-1]}
    held = []
    place = Place(root, cache())
    print(f"{client.NAME} {client.VERSION}, whose tool prints {len(client.printed()):,} bytes")
    print(f"{'way':12} {'installed':>10} {'turn done':>10} {'CPU':>10}  what happened")
    for name in ways:
        with place:
            held.append(install(name, place, variables))
    if image and (not only or "image" in only):
        with place:
            held.append(contain(image, place))
    return held.count(False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Installs every package that was assembled, and takes a tool turn with it.")
    parser.add_argument("packages", type=Path, help="what assemble.py wrote")
    parser.add_argument("--root", type=Path, help="a Debian without Rust: mmdebstrap can make one")
    parser.add_argument("--image", type=Path, help="what deploy/container/build.sh wrote")
    parser.add_argument("--only", nargs="*", default=[], choices=[*WAYS, "image"])
    chosen = parser.parse_args()
    places = [path and path.resolve() for path in (chosen.packages, chosen.root, chosen.image)]
    sys.exit(main(*places, chosen.only))
