"""`serve`, `http` and `mcp serve` while certificates are replaced, a disk is full and the clock jumps: does a request fail, is a stream cut?

Every door has its clients, one request after the other on a connection each, and `serve` has streams as well; the servers behind are scripted. Each fault comes and goes several times. An
answer must be what the server said. Linux, as root: a full disk is a small file system in memory, a jumping clock is libfaketime's. Run it with `just outages`.
Behaviour 16.9.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "trials/drain"))

from drain import BODY, STREAM, WHOLE, body, free, head  # noqa: E402
from drain import upstream as model  # noqa: E402

CLIENTS, STREAMS = 4, 4
TIMES = 3
ROWS = json.dumps([{"id": n, "name": f"item {n}", "state": "open"} for n in range(50)]).encode()
CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "list", "arguments": {}}}
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"


async def server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A JSON API, and an MCP server where a message comes."""
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            _, headers = await head(reader)
            sent = await body(reader, headers)
            said = json.dumps({"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "done"}]}}).encode() if sent else ROWS
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(said), said))
            await writer.drain()
    writer.close()


@dataclass
class Door:
    """A running door, and what its clients saw."""

    name: str
    port: int
    process: subprocess.Popen
    log: Path
    context: ssl.SSLContext | None = None
    seen: Counter = field(default_factory=Counter)
    shown: set[bytes] = field(default_factory=set)

    async def ask(self, kind: str, path: str, sent: bytes, expected: bytes) -> None:
        """One request on a connection of its own."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=self.context, limit=1 << 20)
            try:
                if self.context:
                    self.shown.add(writer.get_extra_info("ssl_object").getpeercert(True))
                verb, more = ("POST", "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n") if sent else ("GET", "")
                words = f"{verb} {path} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\nx-api-key: k\r\n{more}content-type: application/json\r\ncontent-length: {len(sent)}\r\n\r\n"
                writer.write(words.encode() + sent)
                line, headers = await asyncio.wait_for(head(reader), 30)
                got = await asyncio.wait_for(body(reader, headers), 60)
            finally:
                writer.close()
            how = "good" if " 200 " in line and (got == expected or expected in got) else f"wrong: {line} {got[:80]!r}"
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.TimeoutError) as error:
            how = f"failed: {type(error).__name__}: {error}"[:120]
        self.seen[kind, how] += 1

    async def live(self, *what: object, until: asyncio.Event) -> None:
        while not until.is_set():
            await self.ask(*what)
            await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def doors(args: argparse.Namespace, folder: Path, env: dict[str, str]) -> AsyncIterator[list[Door]]:
    """All three, with clients."""
    target, api = free(), free()
    servers = [await asyncio.start_server(model, "127.0.0.1", target), await asyncio.start_server(server, "127.0.0.1", api)]
    context = None
    if "TERSELY_TLS_CERT" in env:
        context = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    config = folder / "tersely.toml"
    config.write_text(f'[mcp.servers.one]\nurl = "http://127.0.0.1:{api}/mcp"\n')
    words = {
        "serve": ["serve", "--upstream", f"http://127.0.0.1:{target}"],
        "http": ["http", "--upstream", f"http://127.0.0.1:{api}"],
        "mcp serve": ["mcp", "serve", "--config", str(config)],
    }
    asks = {
        "serve": ("request", "/v1/messages", BODY, WHOLE),
        "http": ("request", "/rows", b"", ROWS),
        "mcp serve": ("request", "/mcp/one", json.dumps(CALL).encode(), b'"text": "done"'),
    }
    running, until, tasks = [], asyncio.Event(), []
    try:
        for name, command in words.items():
            port, log = free(), folder / f"{name}.log"
            own = {key: value.replace("DOOR", name.replace(" ", "-")) for key, value in env.items()}
            told = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERSELY_LOG_LEVEL": "warn", **own}
            process = subprocess.Popen([args.tersely, *command, "--listen", f"127.0.0.1:{port}"], env=told, stderr=log.open("w"))
            running.append(Door(name, port, process, log, context))
        await asyncio.sleep(2)
        for door in running:
            tasks += [asyncio.create_task(door.live(*asks[door.name], until=until)) for _ in range(CLIENTS)]
        tasks += [asyncio.create_task(running[0].live("stream", "/v1/messages?stream", BODY, STREAM, until=until)) for _ in range(STREAMS)]
        await asyncio.sleep(2)
        yield running
        until.set()
        await asyncio.gather(*tasks)
    finally:
        for door in running:
            door.process.send_signal(signal.SIGTERM)
        for door in running:
            await asyncio.to_thread(door.process.wait, 60)
        for one in servers:
            one.close()
        # Whoever still reads from a door sees that it has gone.
        await asyncio.sleep(0.2)


def issue(folder: Path, number: int) -> tuple[Path, Path]:
    """A certificate of our own authority."""
    run = lambda *words: subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)  # noqa: E731
    authority = folder / "ca.pem"
    if not authority.exists():
        run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", folder / "ca.key", "-out", authority, "-days", 9, "-subj", "/CN=trial")
    key, request, cert = (folder / f"{number}.{end}" for end in ("key", "csr", "pem"))
    names = folder / "names"
    names.write_text("subjectAltName=IP:127.0.0.1")
    run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", request, "-subj", f"/CN=door {number}")
    run("x509", "-req", "-in", request, "-CA", authority, "-CAkey", folder / "ca.key", "-CAcreateserial", "-out", cert, "-days", 2, "-extfile", names)
    return cert, key


async def certificates(args: argparse.Namespace, folder: Path) -> tuple[list[Door], str, bool]:
    """Certificate and key are replaced one after the other, as a tool that knows nothing of us would."""
    cert, key = folder / "tls.crt", folder / "tls.key"
    for number in range(TIMES + 1):
        issue(folder, number)
    cert.write_bytes((folder / "0.pem").read_bytes())
    key.write_bytes((folder / "0.key").read_bytes())
    async with doors(args, folder, {"TERSELY_TLS_CERT": str(cert), "TERSELY_TLS_KEY": str(key)}) as running:
        for number in range(1, TIMES + 1):
            for place, end in ((cert, "pem"), (key, "key")):
                fresh = folder / "fresh"
                fresh.write_bytes((folder / f"{number}.{end}").read_bytes())
                fresh.rename(place)
                # In between, they do not fit: the gateway must go on with the old ones.
                await asyncio.sleep(3)
            await asyncio.sleep(4)
    shown = {door.name: len(door.shown) for door in running}
    return running, f"certificates shown: {shown}", all(count == TIMES + 1 for count in shown.values())


def is_json(line: str) -> bool:
    with contextlib.suppress(ValueError):
        return isinstance(json.loads(line), dict)
    return False


def sizes(folder: Path) -> list[int]:
    return [path.stat().st_size for path in sorted(folder.glob("events-*"))]


def lines(folder: Path) -> list[str]:
    return [line for path in sorted(folder.glob("events-*")) for line in path.read_text().splitlines()]


async def disk(args: argparse.Namespace, folder: Path) -> tuple[list[Door], str, bool]:
    """The disk that events and history go to is full, and has room again."""
    place = folder / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(place)], check=True)
    try:
        env = {"TERSELY_EVENTS_FILE": str(place / "events-DOOR"), "TERSELY_HISTORY_RECORD": "on", "TERSELY_HISTORY_FILE": str(place / "history.db")}
        async with doors(args, folder, env) as running:
            for _ in range(TIMES):
                with contextlib.suppress(OSError), (place / "filler").open("wb") as filler:
                    while True:
                        filler.write(b"x" * 512)
                        filler.flush()
                await asyncio.sleep(6)
                is_full = os.statvfs(place).f_bavail == 0
                (place / "filler").unlink()
                before = sizes(place)
                await asyncio.sleep(4)
                grown = [now - then for now, then in zip(sizes(place), before, strict=True)]
        torn = [line for line in lines(place) if not is_json(line)]
        # The event that the disk had no room for is lost; the next one must not be lost with it.
        joined = sum(line.count('"event_version"') > 1 for line in torn)
        return running, f"full: {is_full}; bytes of events once there was room: {grown}; torn lines: {len(torn)}, with the next one in them: {joined}", is_full and all(grown) and not joined
    finally:
        subprocess.run(["umount", str(place)], check=False)


async def clock(args: argparse.Namespace, folder: Path) -> tuple[list[Door], str, bool]:
    """The wall clock jumps a day ahead, and a day and more back."""
    file = folder / "clock"
    file.write_text("+0")
    env = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
    env |= {"TERSELY_EVENTS_FILE": str(folder / "events-DOOR"), "TERSELY_HISTORY_RECORD": "on", "TERSELY_HISTORY_FILE": str(folder / "history.db")}
    async with doors(args, folder, env) as running:
        for offset in ("+86400", "-172800", "+0") * TIMES:
            file.write_text(offset)
            await asyncio.sleep(2)
    return running, f"{len(lines(folder))} events", all(map(is_json, lines(folder)))


async def measure(args: argparse.Namespace) -> int:
    bad = 0
    for part, run in (("certificates", certificates), ("disk", disk), ("clock", clock)):
        if part not in args.parts:
            continue
        with tempfile.TemporaryDirectory() as name:
            since = time.monotonic()
            running, told, is_good = await run(args, Path(name))
            print(f"\n{part}, {time.monotonic() - since:.0f} s; {told}{'' if is_good else ': NOT AS IT SHOULD BE'}")
            bad += not is_good
            for door in running:
                code, said = door.process.returncode, door.log.read_text().strip()
                print(f"  {door.name}: " + ", ".join(f"{kind} {how}: {count}" for (kind, how), count in sorted(door.seen.items())) + f"; exit {code}")
                bad += sum(count for (_, how), count in door.seen.items() if how != "good") + (code != 0)
                for line in said.splitlines()[-3:] if args.logs else ():
                    print(f"    {line[:240]}")
    print(f"\n{bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tersely", default=str(ROOT / "target/release/tersely"))
    parser.add_argument("--parts", nargs="+", default=["certificates", "disk", "clock"])
    parser.add_argument("--logs", action="store_true", help="the last lines that each door wrote")
    sys.exit(asyncio.run(measure(parser.parse_args())))
