"""One scripted client of `scale.py`: it speaks the messages of a protocol revision over HTTP, or over pipes.

Where there are two replicas it takes them in turns, and the other one when the one it took cannot be reached or breaks off, as a balancer
before calls that only read would. A session with a command lives on one replica; when that answers 404, the client begins anew, as the
specification demands.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections import Counter
from dataclasses import dataclass, field

from scale_servers import text

ATTEMPTS = 6
PATIENCE = 120
SIZES = {1_000: 0.70, 8_000: 0.20, 64_000: 0.08, 500_000: 0.018, 4_000_000: 0.002}
NAMED = re.compile(r"shadow_[A-Za-z0-9]+")
STATELESS = "2026-07-28"


class Broken(Exception):
    """The other side cannot be reached, or broke off."""


@dataclass
class Tally:
    """What all clients saw."""

    counts: Counter[str] = field(default_factory=Counter)
    times: list[tuple[int, float]] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)


async def exchange(host: str, port: int, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
    """One request on a connection of its own."""
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port, limit=1 << 20), 20)
    except (OSError, asyncio.TimeoutError) as error:
        raise Broken(f"connect: {type(error).__name__}") from error
    try:
        lines = [f"{method} {path} HTTP/1.1", f"host: {host}:{port}", "connection: close", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        async with asyncio.timeout(PATIENCE):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            said = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
            return int(head[0].split(" ")[1]), said, await rest(reader, said)
    except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError) as error:
        raise Broken(f"answer: {type(error).__name__}") from error
    finally:
        writer.close()


async def rest(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    """The body of an answer."""
    if "content-length" in headers:
        return await reader.readexactly(int(headers["content-length"]))
    if headers.get("transfer-encoding") != "chunked":
        return await reader.read()
    pieces = []
    while size := int(await reader.readuntil(b"\r\n"), 16):
        pieces.append((await reader.readexactly(size + 2))[:-2])
    return b"".join(pieces)


def messages(headers: dict[str, str], body: bytes) -> list[dict]:
    """The messages in an answer, as events or whole."""
    if not headers.get("content-type", "").startswith("text/event-stream"):
        return [json.loads(body)] if body else []
    lines = (line for line in body.decode().splitlines() if line.startswith("data:"))
    return [json.loads(data) for line in lines if (data := line[5:].strip())]


class Client:
    """Somebody who calls one server again and again."""

    def __init__(self, number: int, places: list[tuple[str, int]], path: str, revision: str, tally: Tally) -> None:
        self.places, self.path, self.revision, self.tally = places, path, revision, tally
        self.turn = number
        self.number, self.chance = number, random.Random(number)
        self.session: str | None = None
        self.home: int | None = None  # the only replica that knows the session
        self.is_sticky = False
        self.asked = 0
        self.stream: asyncio.Task | None = None

    async def live(self, until: float, think: float) -> None:
        """Begin, and call until it is time to go."""
        await asyncio.sleep(self.chance.uniform(0, min(think * 2, (until - time.time()) / 4)))
        while time.time() < until:
            try:
                await self.call()
            except Exception as error:  # noqa: BLE001 - every fault of whatever kind is a message that was lost
                self.tally.counts["lost"] += 1
                self.tally.faults[f"{type(error).__name__}: {error}"[:240]] += 1
            await asyncio.sleep(self.chance.uniform(0.5, 1.5) * think)
        if self.stream:
            self.stream.cancel()

    async def call(self) -> None:
        """Call the tool; what was left out of the result is fetched, from the other replica where that is possible."""
        size = self.chance.choices(list(SIZES), list(SIZES.values()))[0]
        kind = self.chance.choice(["rows", "log"])
        batch = f"b{self.number}x{self.asked}"
        begun = time.time()
        result = await self.ask("tools/call", {"name": "make", "arguments": {"kind": kind, "size": size, "batch": batch}})
        self.tally.times.append((size, time.time() - begun))
        self.tally.counts["calls"] += 1
        said, expected = result["content"][0]["text"], text(kind, size, batch)
        if batch not in said:
            raise ValueError(f"another answer: {said[:80]}")
        self.tally.counts["shorter" if len(said) < len(expected) else "same"] += 1
        if said == expected or not (found := NAMED.search(said)):
            return
        result = await self.ask("tools/call", {"name": "expand_context", "arguments": {"id": found[0]}})
        self.tally.counts["fetched"] += 1
        shown = result["content"][0]["text"]
        if shown != expected:
            raise ValueError(f"another original: {len(shown)} of {len(expected)}: {shown[:80]}")

    async def ask(self, method: str, params: dict) -> dict:
        """A request, with as many attempts as a balancer and the specification allow."""
        for attempt in range(ATTEMPTS):
            try:
                if self.revision != STATELESS and self.session is None:
                    await self.begin()
                status, headers, body = await self.post(method, params)
            except Broken as error:
                self.tally.counts["broken"] += 1
                self.tally.faults[f"retried: {error}"] += 1
                if self.is_sticky and self.session:
                    self.tally.counts["sessions begun anew"] += 1
                    self.session = self.home = None
                await asyncio.sleep(0.2 * attempt)
                continue
            if status == 404 and self.session:
                self.tally.counts["sessions begun anew"] += 1
                self.session = self.home = None
                continue
            answer = next((one for one in messages(headers, body) if one.get("id") == self.asked), None)
            if answer is None or "result" not in answer:
                raise ValueError(f"{status}: {body[:200]!r}")
            return answer["result"]
        raise Broken("too often")

    async def begin(self) -> None:
        """What a client of a revision with sessions says first."""
        hello = {"protocolVersion": self.revision, "capabilities": {}, "clientInfo": {"name": "scale", "version": "1"}}
        status, headers, body = await self.post("initialize", hello)
        if status != 200:
            raise ValueError(f"initialize: {status}: {body[:200]!r}")
        self.session = headers["mcp-session-id"]
        if self.is_sticky:
            self.home = self.turn % len(self.places)
        await self.post("notifications/initialized", None)
        await self.post("tools/list", {})
        if self.stream:
            self.stream.cancel()
        self.stream = asyncio.create_task(self.news())

    async def post(self, method: str, params: dict | None) -> tuple[int, dict[str, str], bytes]:
        """One message to the next replica."""
        self.asked += 1
        self.turn += 1
        host, port = self.places[(self.turn if self.home is None else self.home) % len(self.places)]
        message: dict = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message |= {"id": self.asked, "params": params}
        headers = {"accept": "application/json, text/event-stream", "content-type": "application/json", "authorization": f"Bearer {self.number}"}
        if self.revision == STATELESS:
            info = {"name": "scale", "version": "1"}
            meta = {"protocolVersion": STATELESS, "clientInfo": info, "clientCapabilities": {}}
            message["params"] = {**params, "_meta": {f"io.modelcontextprotocol/{name}": value for name, value in meta.items()}}
            headers |= {"mcp-protocol-version": STATELESS, "mcp-method": method, "mcp-name": params.get("name", "")}
        elif self.session:
            headers |= {"mcp-session-id": self.session, "mcp-protocol-version": self.revision}
        return await exchange(host, port, "POST", self.path, headers, json.dumps(message).encode())

    async def news(self) -> None:
        """The client's own stream, open as long as the session is."""
        headers = {"accept": "text/event-stream", "mcp-session-id": self.session, "mcp-protocol-version": self.revision, "authorization": f"Bearer {self.number}"}
        while self.session:
            host, port = self.places[self.chance.randrange(len(self.places)) if self.home is None else self.home]
            writer = None
            try:
                reader, writer = await asyncio.open_connection(host, port)
                lines = [f"GET {self.path} HTTP/1.1", f"host: {host}:{port}", *(f"{name}: {value}" for name, value in headers.items())]
                writer.write("\r\n".join([*lines, "", ""]).encode())
                while await reader.read(1 << 16):
                    pass
            except OSError:
                pass
            finally:
                if writer:
                    writer.close()
            self.tally.counts["streams opened again"] += 1
            await asyncio.sleep(self.chance.uniform(1, 3))


class PipedClient(Client):
    """The same, with a server of its own on pipes: what a client does without a gateway."""

    command: list[str]
    process: asyncio.subprocess.Process | None = None

    async def post(self, method: str, params: dict | None) -> tuple[int, dict[str, str], bytes]:
        if self.process is None:
            pipe = asyncio.subprocess.PIPE
            self.process = await asyncio.create_subprocess_exec(*self.command, stdin=pipe, stdout=pipe, limit=64 << 20)
        self.asked += 1
        message: dict = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message |= {"id": self.asked, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        await self.process.stdin.drain()
        while params is not None:
            line = await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)
            if not line:
                raise Broken("the server has ended")
            if json.loads(line).get("id") == self.asked:
                return 200, {"mcp-session-id": "pipes"}, line
        return 202, {}, b""

    async def news(self) -> None:
        """It comes over the same pipe."""

    async def live(self, until: float, think: float) -> None:
        await super().live(until, think)
        if self.process:
            self.process.stdin.close()
            await self.process.wait()
