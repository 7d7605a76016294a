"""One, two, four and eight gateways behind HAProxy, each with a tenth of a core: does throughput grow with their number, and what is lost when one goes?

Each gateway is in a control group with a quota of CPU time, so that eight fit on a small machine and a busy one changes little. Bodies are of 200 KB. Three parts: throughput by the number of
gateways; one of them stopped and one killed under load; one of another release among them. See README.md beside this file. Linux, as root.
Behaviour 16.8.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import itertools
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cage import Cage

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "trials/drain"), str(ROOT / "benchmarks/sizing")]

from drain import STREAM, WHOLE, body, event, free, head  # noqa: E402
from sizing import ANSWER, conversation, cpu_seconds, log, nginx, written  # noqa: E402

BODY = 155_000
PIECE = 8_000
LAST = 1_000
TALKS = 8
EVENTS, PAUSE = 100, 0.1
BAR = 0.9
MARK = "1029384756"

HAPROXY = """
global
  maxconn 2048
  # A request can be tried again only as long as it is held here as a whole.
  tune.bufsize 524288
defaults
  mode http
  timeout connect 5s
  timeout client 120s
  timeout server 120s
  timeout check 3s
  option http-buffer-request
  option redispatch 1
  retries 3
  retry-on conn-failure empty-response
frontend front
  bind 127.0.0.1:{front}
  default_backend gateways
backend gateways
  {balance}
  option httpchk GET /readyz
  http-check expect status 200
  http-response set-header x-replica %s
"""
PROVIDER = """log_format seen '$msec $http_content_length';
  server {{ listen 127.0.0.1:{port}; access_log {folder}/seen seen; location / {{ default_type application/json; return 200 '{answer}'; }} }}"""
# A conversation stays where it is remembered; one that nobody knows goes where there is least to do.
STAY = "balance roundrobin\n  stick-table type string len 32 size 100k expire 30m\n  stick on hdr(x-session)"
SPREAD = "balance leastconn"
SERVER = "  server r{number} 127.0.0.1:{port} check inter 500ms fall 1 rise 1\n"


@dataclass(frozen=True)
class Ask:
    """A request, and what its answer must be."""

    sent: bytes
    session: str
    path: str = "/v1/messages"
    expected: bytes = WHOLE


class Bodies:
    """Requests of 200 KB: conversations that nobody has seen, and those that go on turn by turn."""

    def __init__(self) -> None:
        told = [conversation(BODY, PIECE, 1 + number) for number in range(TALKS)]
        # A mark in every result: with another number in its place, all of them are new.
        for part in (part for talk in told for message in talk["messages"] for part in message["content"] if isinstance(part, dict)):
            if part["type"] == "tool_result":
                part["content"] = f"run {MARK}\n" + part["content"]
        self.talks = [written(talk) for talk in told]
        self.numbers = itertools.count(10**9 + 1)

    def new(self) -> bytes:
        """A conversation that nobody has seen."""
        number = next(self.numbers)
        return self.talks[number % TALKS].replace(MARK.encode(), str(number).encode())

    def turns(self, **more: object) -> Iterator[Ask]:
        """A conversation that goes on, one result a turn."""
        body, name = self.new(), f"s{next(self.numbers)}"
        while True:
            yield Ask(body, name, **more)
            number = next(self.numbers)
            call = {"type": "tool_use", "id": f"next_{number}", "name": "Bash", "input": {"command": f"make {number}"}}
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": log(LAST, number)}
            last = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
            # The messages come last in a body.
            body = body.removesuffix(b"]}") + b"," + written(last)[1:] + b"}"


@dataclass
class Upstream:
    """A provider that answers at once, or event by event where the path asks for it, and what it saw."""

    hashes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                line, headers = await head(reader)
                sent = await body(reader, headers)
                if (name := headers.get("x-session", "")).startswith("fixed"):
                    self.hashes[name].add(hashlib.sha256(sent).hexdigest())
                if "stream" not in line:
                    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(WHOLE), WHOLE))
                    await writer.drain()
                    continue
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
                for part in [*map(event, range(EVENTS)), b'event: message_stop\ndata: {"type":"message_stop"}\n\n']:
                    writer.write(b"%x\r\n%s\r\n" % (len(part), part))
                    await writer.drain()
                    await asyncio.sleep(PAUSE)
                writer.write(b"0\r\n\r\n")
                await writer.drain()
        writer.close()


class Replica:
    """A gateway with a part of a core, at a port of its own."""

    def __init__(self, binary: Path, number: int, target: int, core: float) -> None:
        self.name, self.port, self.cage = f"r{number}", free(), Cage(f"r{number}", core)
        self.words = self.cage.words(binary, "serve", "--listen", f"127.0.0.1:{self.port}", "--upstream", f"http://127.0.0.1:{target}", "--mode", "standard@1")
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TERSELY_TIMEOUTS_NOTICE": "5s", "TERSELY_LOG_LEVEL": "off", "TERSELY_LIMITS_MEMO": "256MiB"}
        self.process = await asyncio.create_subprocess_exec(*self.words, env=env, stderr=asyncio.subprocess.PIPE)
        line = (await self.process.stderr.readline()).decode()
        assert "ready on" in line, line

    async def stop(self, how: signal.Signals) -> float:
        """Ends it one way or the other; how many seconds that took."""
        since = time.monotonic()
        self.process.send_signal(how)
        await self.process.communicate()
        return time.monotonic() - since

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        return cpu_seconds(self.process.pid)

    def memory(self) -> float:
        """Resident megabytes, at most."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM"))


@contextlib.asynccontextmanager
async def scene(programs: list[Path], balance: str, target: int, args: argparse.Namespace) -> AsyncIterator[tuple[list[Replica], int]]:
    """Gateways behind HAProxy, and the port where that listens."""
    replicas = [Replica(program, number, target, args.core) for number, program in enumerate(programs)]
    front, proxy = free(), None
    try:
        await asyncio.gather(*(replica.start() for replica in replicas))
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "haproxy.cfg"
            config.write_text(HAPROXY.format(front=front, balance=balance) + "".join(SERVER.format(number=at, port=replica.port) for at, replica in enumerate(replicas)))
            proxy = await asyncio.create_subprocess_exec(args.haproxy, "-db", "-f", str(config), stderr=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL)
            await asyncio.sleep(2)
            yield replicas, front
    finally:
        if proxy:
            proxy.terminate()
            await proxy.wait()
        for replica in replicas:
            if replica.process and replica.process.returncode is None:
                await replica.stop(signal.SIGKILL)
            replica.cage.end()


@dataclass
class Clients:
    """Everyone who asks, and what became of that."""

    port: int
    seen: Counter = field(default_factory=Counter)
    kills: dict[str, float] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    running: bool = True

    async def ask(self, it: Ask) -> None:
        """One request on a connection of its own, tried once."""
        replica, is_begun = "", False
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
            try:
                head_of = f"POST {it.path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: k\r\nx-session: {it.session}\r\ncontent-type: application/json\r\ncontent-length: {len(it.sent)}\r\n\r\n"
                writer.write(head_of.encode() + it.sent)
                line, headers = await asyncio.wait_for(head(reader), 120)
                replica, is_begun = headers.get("x-replica", ""), " 200 " in line
                got = await asyncio.wait_for(body(reader, headers), 120)
            finally:
                writer.close()
            how = "good" if is_begun and got == it.expected else f"wrong: {line}"
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, ValueError) as error:
            how = "cut" if is_begun else f"lost: {type(error).__name__}"
        if how == "cut" and time.monotonic() - self.kills.get(replica, -1e9) < 5:
            how = "cut by SIGKILL"
        elif how != "good":
            self.faults.append(f"{time.strftime('%T')} {it.path} {how} at {replica or 'no gateway'}")
        self.seen["streams" if "stream" in it.path else "requests", how] += 1
        self.seen["at", replica] += 1

    async def again(self, make: Iterator[Ask], pause: float = 0) -> None:
        """One request after the other."""
        while self.running:
            await self.ask(next(make))
            await asyncio.sleep(pause)


def seen_between(log_file: Path, since: float, until: float) -> list[int]:
    """Bytes of the requests that the provider answered then."""
    rows = (line.split() for line in log_file.read_text().splitlines())
    return [int(size) for at, size in rows if since <= float(at) < until]


async def throughput(count: int, kind: str, args: argparse.Namespace) -> dict:
    """Requests a second of so many gateways that are as busy as they can be."""
    target, clients = free(), args.clients * count
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bodies").write_bytes(b"\n".join(Bodies().talks) + b"\n")
        with nginx(folder, "upstream", PROVIDER.format(port=target, answer=ANSWER, folder=folder), target):
            async with scene([args.tersely] * count, STAY if kind == "turns" else SPREAD, target, args) as (replicas, front):
                told = {"BODIES": str(folder / "bodies"), "KIND": kind, "SESSIONS": str(args.sessions), "MARK": MARK}
                words = ["wrk", f"-t{clients}", f"-c{clients}", f"-d{int(args.settle + args.seconds) + 1}s", "--timeout", "60s", "-s", str(HERE / "load.lua"), f"http://127.0.0.1:{front}"]
                wrk = await asyncio.create_subprocess_exec(*words, env={**os.environ, **told}, stdout=asyncio.subprocess.PIPE)
                # Each conversation has its first turn, and each gateway its vocabulary, before anything is measured.
                await asyncio.sleep(args.settle)
                since, busy = time.time(), [replica.cpu() for replica in replicas]
                await asyncio.sleep(args.seconds)
                took, used = time.time() - since, [replica.cpu() - start for replica, start in zip(replicas, busy, strict=True)]
                memory = max(replica.memory() for replica in replicas)
                said = (await wrk.communicate())[0].decode()
        sizes = seen_between(folder / "seen", since, since + took)
    assert sizes and "Non-2xx" not in said and "Socket errors" not in said, said
    each = 1000 * sum(used) / len(sizes)
    return {"kind": kind, "count": count, "rate": len(sizes) / took, "cpu": each, "used": statistics.mean(used) / took, "sent": statistics.mean(sizes), "memory": memory}


async def away(target: int, args: argparse.Namespace) -> list[str]:
    """Four gateways at about half of what they can do; one is stopped and started again, one killed and started again. By turns, three times each."""
    bodies = Bodies()
    async with scene([args.tersely] * 4, STAY, target, args) as (replicas, front):
        clients = Clients(front)
        work = [asyncio.create_task(clients.again(bodies.turns(), 1)) for _ in range(16)]
        work += [asyncio.create_task(clients.again(bodies.turns(path="/v1/messages?stream", expected=STREAM))) for _ in range(40)]
        await asyncio.sleep(5)
        begun, drained = time.monotonic(), []
        for number in range(6):
            replica, how = replicas[number % 4], [signal.SIGTERM, signal.SIGKILL][number % 2]
            if how == signal.SIGKILL:
                clients.kills[replica.name] = time.monotonic()
            took = await replica.stop(how)
            drained += [took] if how == signal.SIGTERM else []
            await asyncio.sleep(0 if how == signal.SIGTERM else 3)
            await replica.start()
            await asyncio.sleep(4)
        clients.running = False
        await asyncio.gather(*work)
    took = time.monotonic() - begun
    print(f"\nfour gateways, {took:.0f} s, 3 × SIGTERM (drained in {max(drained):.1f} s at most), 3 × SIGKILL:")
    for (what, how), number in sorted(clients.seen.items()):
        if what != "at":
            print(f"  {what}, {how}: {number}")
    return clients.faults


async def mixed(upstream: Upstream, target: int, args: argparse.Namespace) -> list[str]:
    """Four gateways of which one is another release, as in the middle of an upgrade: the same history, the same bytes."""
    upstream.hashes.clear()
    make = (Ask(sent, f"fixed {at}") for at, sent in itertools.cycle([*enumerate(Bodies().talks)]))
    async with scene([args.tersely] * 3 + [args.other], SPREAD, target, args) as (_, front):
        clients = Clients(front)
        work = [asyncio.create_task(clients.again(make, 0.1)) for _ in range(args.clients * 4)]
        await asyncio.sleep(args.seconds)
        clients.running = False
        await asyncio.gather(*work)
    by = {name: number for (what, name), number in sorted(clients.seen.items()) if what == "at"}
    differing = [name for name, hashes in upstream.hashes.items() if len(hashes) > 1]
    print(f"\nthree gateways of this release and one of another (r3): {sum(by.values())} requests, {by}")
    print(f"  {len(upstream.hashes)} histories, {sum(map(len, upstream.hashes.values()))} bodies upstream")
    return clients.faults + [f"{name} became {len(upstream.hashes[name])} bodies" for name in differing]


def median(rows: list[dict]) -> dict:
    """Each figure's median."""
    return {name: statistics.median(row[name] for row in rows) if isinstance(rows[0][name], float) else rows[0][name] for name in rows[0]}


def show(rows: list[dict]) -> list[str]:
    """The table of throughput, and what is below the bar."""
    bad = []
    print("| bodies of 200 KB | gateways | requests a second | of one, times | CPU-ms each | of a core, each | bytes sent on | MB, most |\n|---|--:|--:|--:|--:|--:|--:|--:|")
    for row in rows:
        one = next(it["rate"] for it in rows if it["kind"] == row["kind"] and it["count"] == 1)
        times = row["rate"] / one
        kind = {"turns": "the next turn", "new": "all new"}[row["kind"]]
        print(f"| {kind} | {row['count']} | {row['rate']:.1f} | {times:.2f} | {row['cpu']:.1f} | {row['used'] * 100:.1f} % | {row['sent']:,.0f} | {row['memory']:.0f} |", flush=True)
        if times < BAR * row["count"]:
            bad.append(f"{kind}: {row['count']} gateways are {times:.2f} times one")
    return bad


async def measure(args: argparse.Namespace) -> int:
    upstream, target, faults = Upstream(), free(), []
    server = await asyncio.start_server(upstream.serve, "127.0.0.1", target, backlog=1024, limit=1 << 20)
    if "throughput" in args.parts:
        rows = []
        # By turns, because a machine is not always as busy.
        for _, kind, count in itertools.product(range(args.rounds), args.kinds, args.counts):
            rows.append(await throughput(count, kind, args))
            print(f"{kind} {count}: {rows[-1]['rate']:.1f} a second, {rows[-1]['cpu']:.2f} CPU-ms, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
        faults += show([median([row for row in rows if (row["kind"], row["count"]) == of]) for of in itertools.product(args.kinds, args.counts)])
    if "away" in args.parts:
        faults += await away(target, args)
    if "mixed" in args.parts and args.other:
        faults += await mixed(upstream, target, args)
    server.close()
    for fault in faults[:20]:
        print(f"FAULT {fault}")
    print(f"{len(faults)} faults")
    return 1 if faults else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    parser.add_argument("--other", type=Path, help="another release, for the third part")
    parser.add_argument("--haproxy", default=shutil.which("haproxy") or "/usr/sbin/haproxy")
    parser.add_argument("--core", type=float, default=0.1, help="of a core, each gateway")
    parser.add_argument("--counts", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--kinds", nargs="+", choices=["turns", "new"], default=["turns", "new"])
    parser.add_argument("--sessions", type=int, default=4, help="conversations of each client")
    parser.add_argument("--clients", type=int, default=12, help="requests at a time for each gateway")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--settle", type=float, default=12)
    parser.add_argument("--parts", nargs="+", default=["throughput", "away", "mixed"])
    args = parser.parse_args()
    cage = Cage("others", None)
    cage.enter()
    try:
        return asyncio.run(measure(args))
    finally:
        cage.end()


if __name__ == "__main__":
    sys.exit(main())
