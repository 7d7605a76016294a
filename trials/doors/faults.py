"""Nineteen faults of ours against every door: disks, stores, collectors, compressors, settings and limits fail while the server behind is well. Is a call lost, late, or changed around its result?

    python3 trials/doors/faults.py [--tersely PROGRAM] [--envoy ENVOY] [--only FAULT]

A fault is there from the start, or comes after a few calls. A result may then arrive as it came; it must arrive, in time, and nothing around it may change, as doors.py has it. Faults of the
upstream, of certificates, clocks and a disk that fills up slowly are elsewhere (`just faults`, `just outages`, `just envoy`, `just hooks`). Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import resource
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from doors import DOORS, ENV, ROOT, Door, shortened

sys.path += [str(ROOT / "benchmarks/limits"), str(ROOT / "trials/drain")]

from drain import free  # noqa: E402
from memory import code, keys, log, records  # noqa: E402

SECRET = "only-for-tests-and-long-enough-for-a-secret"
# Every kind in three sizes, twice: what is read again may take another way. `http` asks for three forms by turns, so four kinds get every form.
TEXTS = [kind(size, 7 * size) for size in (1_000, 20_000, 200_000) for kind in (log, records, code, keys)] * 2
# Calls before a fault comes.
BEFORE = 4
# A hook has a second; the others have what `serve` gives a rewrite, and never need half of it.
PATIENCE, HOOK_PATIENCE = 5.0, 1.0

# A fault: given a folder, the variables of the program, and what happens to a door once it has been called.
Begin = Callable[[Door], None]
Fault = Callable[[ExitStack, Path], tuple[dict[str, str], Begin | None]]


def with_secret(address: str) -> dict[str, str]:
    return {"TERSELY_STORE_ADDRESSES": f"redis://{address}", "TERSELY_STORE_SECRET": SECRET}


def answering(stack: ExitStack, said: bytes | None) -> str:
    """A server that says this to whatever it hears, or nothing at all: its address."""
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=128))
    held: list[socket.socket] = []

    def hear(peer: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while peer.recv(1 << 16):
                if said is not None:
                    peer.sendall(said)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                held.append(listener.accept()[0])
                threading.Thread(target=hear, args=(held[-1],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    stack.callback(lambda: [peer.close() for peer in held])
    return "127.0.0.1:%d" % listener.getsockname()[1]


def history(folder: Path) -> dict[str, str]:
    return {"TERSELY_HISTORY_RECORD": "on", "TERSELY_HISTORY_FILE": str(folder / "history.db")}


def garbage_history(_: ExitStack, folder: Path) -> tuple[dict[str, str], None]:
    (folder / "history.db").write_bytes(os.urandom(50_000))
    return history(folder), None


def locked_history(stack: ExitStack, folder: Path) -> tuple[dict[str, str], None]:
    other = stack.enter_context(contextlib.closing(sqlite3.connect(folder / "history.db", isolation_level=None)))
    other.execute("CREATE TABLE other (n)")
    other.execute("BEGIN EXCLUSIVE")
    return history(folder), None


def history_below_a_file(_: ExitStack, folder: Path) -> tuple[dict[str, str], None]:
    (folder / "file").touch()
    return history(folder / "file"), None


def full_disk(_: ExitStack, folder: Path) -> tuple[dict[str, str], None]:
    return {"TERSELY_EVENTS_FILE": "/dev/full"}, None


def unread_pipe(stack: ExitStack, folder: Path) -> tuple[dict[str, str], None]:
    """Whoever reads it has stopped, and it holds a page."""
    os.mkfifo(folder / "events")
    reader = os.open(folder / "events", os.O_RDONLY | os.O_NONBLOCK)
    stack.callback(os.close, reader)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
    return {"TERSELY_EVENTS_FILE": str(folder / "events")}, None


def collector(said: bytes | None) -> Fault:
    return lambda stack, _: ({"TERSELY_OTEL_ENDPOINT": f"http://{answering(stack, said)}", "TERSELY_OTEL_INTERVAL": "1s"}, None)


def store(said: bytes | None) -> Fault:
    return lambda stack, _: (with_secret(answering(stack, said)), None)


def no_store(_: ExitStack, __: Path) -> tuple[dict[str, str], None]:
    return with_secret(f"127.0.0.1:{free()}"), None


def compressor(said: bytes | None) -> Fault:
    return lambda stack, _: (
        {"TERSELY_REMOTE_STRATEGY": "api", "TERSELY_REMOTE_ENDPOINT": f"http://{answering(stack, said)}", "TERSELY_REMOTE_TIMEOUT": "1s"},
        None,
    )


def garbage_settings(_: ExitStack, folder: Path) -> tuple[dict[str, str], Begin]:
    file = folder / "tersely" / "tersely.toml"
    file.parent.mkdir()
    file.write_text('mode = "standard"\n')
    return {"XDG_CONFIG_HOME": str(folder)}, lambda _: void(file.write_bytes(b"mode = [[[\x00\xff"))


def void(_: object) -> None:
    pass


def no_memory(_: ExitStack, __: Path) -> tuple[dict[str, str], None]:
    """Bodies above 64 KB are not read."""
    return {"TERSELY_LIMITS_MEMORY": "64KiB"}, None


def no_time(_: ExitStack, __: Path) -> tuple[dict[str, str], None]:
    return {"TERSELY_TIMEOUTS_REWRITE": "1ms", "TERSELY_LIMITS_INLINE": "1"}, None


def no_files(_: ExitStack, __: Path) -> tuple[dict[str, str], Begin]:
    """Not one file more than it has, but for those of a call."""

    def begin(door: Door) -> None:
        if pid := door.process():
            count = max(int(name) for name in os.listdir(f"/proc/{pid}/fd")) + 4
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (count, count))

    return {}, begin


def signalled(number: signal.Signals) -> Fault:
    """The process that a door is, or that answers for it, gets a signal."""
    return lambda _, __: ({}, lambda door: os.kill(door.process(), number))


def no_home(_: ExitStack, folder: Path) -> tuple[dict[str, str], None]:
    (folder / "file").touch()
    below = str(folder / "file" / "below")
    return {"XDG_STATE_HOME": below, "XDG_RUNTIME_DIR": below, "XDG_CONFIG_HOME": below, "TMPDIR": below, "TERSELY_HISTORY_RECORD": "on"}, None


FAULTS: dict[str, Fault] = {
    "a history of garbage": garbage_history,
    "a history that another process has locked": locked_history,
    "a history below a file": history_below_a_file,
    "events on a full disk": full_disk,
    "events into a pipe that nobody reads": unread_pipe,
    "a collector that says nothing": collector(None),
    "a collector that talks nonsense": collector(b"\x00nonsense\r\n\r\n"),
    "no store": no_store,
    "a store that says nothing": store(None),
    "a store that talks nonsense": store(b"$999999999999\r\n-\x00+OK:9\r\n"),
    "a compressor that says nothing": compressor(None),
    "a compressor that talks nonsense": compressor(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\":\"\xff\""),
    "settings turn into garbage": garbage_settings,
    "no memory for bodies": no_memory,
    "no time to rewrite": no_time,
    "hardly a file descriptor left": no_files,
    "nowhere to keep files": no_home,
    "the process behind hooks is frozen": signalled(signal.SIGSTOP),
    "the process behind hooks is killed": signalled(signal.SIGKILL),
}

# Faults of a single door.
ONLY = {"the process behind hooks is frozen": ("hook",), "the process behind hooks is killed": ("hook",)}
# What answers with an error by design, as its page says.
REFUSED = {
    ("settings turn into garbage", "compress"): "exits with 2: configuration.md",
    ("no memory for bodies", "/v1/compress"): "503, and whoever asks sends what it has: compress.md",
    ("no memory for bodies", "mcp serve"): "503, for a server that is a command reads whole messages: mcp.md",
}


def through(args: argparse.Namespace, fault: str, name: str) -> list[str]:
    """Some calls through a door before and after the fault: prints a row, gives back what went wrong."""
    wrong, times, shorter = [], [], 0
    usual = dict(ENV)
    with tempfile.TemporaryDirectory() as args.place, ExitStack() as stack:
        folder = Path(args.place) / "fault"
        folder.mkdir()
        variables, begin = FAULTS[fault](stack, folder)
        try:
            ENV.update(variables)
            door = stack.enter_context(DOORS[name](args))
            for number, text in enumerate(TEXTS):
                if begin and number == BEFORE:
                    begin(door)
                path = folder / "text"
                path.write_text(text)
                began = time.monotonic()
                try:
                    shorter += shortened(door, path, text)
                except Exception as error:  # noqa: BLE001: whatever went wrong is what this is for
                    wrong.append(f"{fault}, {name}, call {number + 1}: {type(error).__name__}: {error}"[:300])
                times.append(time.monotonic() - began)
        except Exception as error:  # noqa: BLE001: a door that does not open is a fault too
            wrong.append(f"{fault}, {name}: does not open: {type(error).__name__}: {error}"[:300])
        finally:
            ENV.clear()
            ENV.update(usual)
    slowest = max(times, default=0.0)
    if slowest > (HOOK_PATIENCE if name == "hook" else PATIENCE):
        wrong.append(f"{fault}, {name}: {slowest:.1f} s")
    print(f"| {fault} | {name} | {len(times)} | {shorter} | {slowest * 1e3:,.0f} | {len(wrong)} |", flush=True)
    return wrong


def main() -> int:
    """Prints a table, and what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    parser.add_argument("--envoy", type=Path, default=ROOT / "target/tools/envoy/bin/envoy")
    parser.add_argument("--only", choices=FAULTS)
    parser.add_argument("--door", choices=DOORS)
    args = parser.parse_args()
    args.tersely = args.tersely.resolve()
    faults, doors = [args.only] if args.only else list(FAULTS), [args.door] if args.door else list(DOORS)
    print("| fault | door | calls | shorter | ms at most | wrong |\n|---|---|--:|--:|--:|--:|", flush=True)
    pairs = [(fault, door) for fault in faults for door in doors if (fault, door) not in REFUSED and door in ONLY.get(fault, DOORS)]
    wrong = [one for pair in pairs for one in through(args, *pair)]
    print("\n".join(wrong))
    print(f"{len(faults)} faults, {len(doors)} doors, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
