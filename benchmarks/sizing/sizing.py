"""What a request costs `tersely serve`, by the size of its body: CPU time, memory and time to start, beside nginx in the same run.

CPU time is what the kernel counts for all threads of a process, so a busy machine changes it little. nginx is both the upstream, which reads a request and says yes, and
one of the proxies that are compared. Every cell is measured in rounds, by turns, and is the median of these. See docs/scale.md for what the numbers mean. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "benchmarks/limits"), str(ROOT / "trials/drain")]

from drain import body as read_body  # noqa: E402
from drain import event, free, head  # noqa: E402
from memory import code, log, records  # noqa: E402

WORKERS = 2
# In the id of a clock: the CPU time of a process as the scheduler counts it.
CPUCLOCK_SCHED = 2
STREAMS = 1_000


def cpu_seconds(pid: int) -> float:
    """Seconds of CPU that a process has used, by its own clock: /proc counts in ticks of 10 ms."""
    return time.clock_gettime((~pid << 3) | CPUCLOCK_SCHED)


@dataclass(frozen=True)
class Size:
    """What requests of one size look like, and how many are one measurement."""

    body: int
    piece: int
    """Bytes of each of its results."""
    cheap: int
    """Requests, where one costs little."""
    dear: int
    """Requests, where one costs much: conversations that were never seen."""
    talks: int
    """Conversations that go on, so few that all are remembered."""


SIZES = {
    "1 KB": Size(1_000, 600, 6_000, 1_200, 300),
    "64 KB": Size(64_000, 4_000, 1_500, 150, 10),
    "200 KB": Size(186_000, 8_000, 500, 50, 6),
    "1 MB": Size(1_000_000, 16_000, 150, 12, 3),
    "8 MB": Size(8_000_000, 64_000, 16, 3, 1),
}

NGINX = """
daemon off;
worker_processes 1;
error_log {folder}/error.log crit;
pid {folder}/{name}.pid;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  client_max_body_size 64m;
  client_body_buffer_size 16m;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000;
  {rest}
}}
"""
ANSWER = '{"type":"message","role":"assistant","content":[{"type":"text","text":"yes"}],"usage":{"input_tokens":9,"output_tokens":1}}'
UPSTREAM = "server {{ listen 127.0.0.1:{port}; location / {{ default_type application/json; return 200 '{answer}'; }} }}"
PROXY = """upstream up {{ server 127.0.0.1:{target}; keepalive 32; }}
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; }} }}"""


@dataclass
class Proxy:
    """A process that stands between."""

    process: subprocess.Popen
    port: int

    def pids(self) -> list[int]:
        """It, and its workers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [self.process.pid, *map(int, children)]

    def cpu(self) -> float:
        """Seconds of CPU so far, of threads that have ended too."""
        return sum(map(cpu_seconds, self.pids()))

    def memory(self, field: str = "VmRSS") -> int:
        """Bytes in memory, or the most there were (`VmHWM`)."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(field))


def conversation(size: int, piece: int, seed: int) -> dict:
    """A conversation of about this many bytes whose results are logs, records and files; no two seeds share a result or a call, as real ones do not."""
    kinds: list[Callable[[int, int], str]] = [log, records, code]
    messages: list[dict] = [{"role": "user", "content": "Find out why."}]
    room, at = size - 300, 0
    while room > 0:
        call = {"type": "tool_use", "id": f"call_{seed}_{at}", "name": "Bash", "input": {"command": f"make report-{seed}-{at}"}}
        text = kinds[(at + seed) % 3](min(piece, max(room - 200, 100)), seed * 7919 + at * 104729)
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"call_{seed}_{at}", "content": text}]})
        room -= len(text) + 260
        at += 1
    tool = {"name": "Bash", "input_schema": {"type": "object"}}
    return {"model": "m", "max_tokens": 9, "tools": [tool], "messages": messages}


def next_turn(told: dict, seed: int, most: int = 600) -> dict:
    """The same conversation one result later, which has at most so many bytes."""
    call = {"type": "tool_use", "id": f"next_{seed}", "name": "Bash", "input": {"command": "make last"}}
    result = {"type": "tool_result", "tool_use_id": f"next_{seed}", "content": log(min(most, len(json.dumps(told)) // 4), seed)}
    return {**told, "messages": [*told["messages"], {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]}


def plain(size: int, seed: int) -> dict:
    """A conversation of this many bytes without a tool result: nothing in it may change."""
    text = code(size, seed)[: size - 100]
    return {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": text}]}


def many(bodies: list[bytes], count: int) -> list[bytes]:
    """So many of them, over and over."""
    return (bodies * (count // len(bodies) + 1))[:count]


def written(told: dict) -> bytes:
    """A body as a client sends it."""
    return json.dumps(told).encode()


def send(port: int, bodies: list[bytes], workers: int = WORKERS) -> None:
    """All of them, over a few connections that stay open."""
    todo, lock, answers = iter(bodies), threading.Lock(), []

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        while True:
            with lock:
                body = next(todo, None)
            if body is None:
                return
            connection.request("POST", "/v1/messages", body, {"content-type": "application/json", "x-api-key": "k"})
            answer = connection.getresponse()
            answer.read()
            answers.append(answer.status)

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * len(bodies), "not every request was answered"


def cost(proxy: Proxy, bodies: list[bytes], workers: int = WORKERS) -> float:
    """Milliseconds of CPU for each of these requests."""
    time.sleep(0.3)
    before = proxy.cpu()
    send(proxy.port, bodies, workers)
    # What is counted once an answer has gone belongs to its request.
    time.sleep(0.3)
    return (proxy.cpu() - before) * 1000 / len(bodies)


@contextlib.contextmanager
def nginx(folder: Path, name: str, rest: str, port: int) -> Iterator[Proxy]:
    """An nginx with one worker."""
    config = folder / f"{name}.conf"
    config.write_text(NGINX.format(folder=folder, name=name, rest=rest))
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    process = subprocess.Popen([program, "-p", str(folder), "-c", str(config)], stderr=subprocess.DEVNULL)
    wait_for(port)
    try:
        yield Proxy(process, port)
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def tersely(binary: Path, target: int, *flags: str) -> Iterator[Proxy]:
    """A gateway."""
    port = free()
    words = [str(binary), "serve", "--listen", f"127.0.0.1:{port}", "--upstream", f"http://127.0.0.1:{target}", *flags]
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TERSELY_LOG_LEVEL": "off"}
    process = subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True)
    assert process.stderr and "ready on" in process.stderr.readline()
    try:
        yield Proxy(process, port)
    finally:
        process.kill()
        process.wait()


def wait_for(port: int) -> None:
    """Until somebody listens."""
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise SystemExit(f"nobody listens on {port}")


ROWS = ["nginx", "off", "nothing to change", "known but for one result", "all new"]


def cells(args: argparse.Namespace, folder: Path) -> dict[str, dict[str, float]]:
    """CPU-ms a request, by row and size."""
    target, front = free(), free()
    found: dict[str, dict[str, list[float]]] = {row: {size: [] for size in SIZES} for row in ROWS}
    with contextlib.ExitStack() as stack:
        stack.enter_context(nginx(folder, "upstream", UPSTREAM.format(port=target, answer=ANSWER), target))
        bare = stack.enter_context(nginx(folder, "proxy", PROXY.format(port=front, target=target), front))
        off = stack.enter_context(tersely(args.tersely, target, "--mode", "disabled"))
        ours = stack.enter_context(tersely(args.tersely, target, "--mode", "standard@1"))
        for proxy in (bare, off, ours):
            send(proxy.port, [written(conversation(64_000, 4_000, 1))] * 4)
        seed = 10
        for number in range(args.rounds):
            for name, size in SIZES.items():
                new = [written(conversation(size.body, size.piece, seed + at)) for at in range(size.dear)]
                seed += size.dear
                flat = many([written(plain(size.body, seed + at)) for at in range(20)], size.cheap)
                talks = [conversation(size.body, size.piece, seed + at) for at in range(size.talks)]
                seed += size.talks
                row = {"nginx": cost(bare, many(new, size.cheap)), "off": cost(off, many(new, size.cheap))}
                row |= {"nothing to change": cost(ours, flat), "all new": cost(ours, new)}
                send(ours.port, [written(talk) for talk in talks])
                known = []
                for at in range(max(3, size.dear // size.talks)):
                    talks = [next_turn(talk, seed + at) for talk in talks]
                    known += map(written, talks)
                # One after the other, for each goes on where the one before it ended.
                row["known but for one result"] = cost(ours, known, workers=1)
                for key, value in row.items():
                    found[key][name].append(value)
                print(f"round {number + 1}, {name}: " + ", ".join(f"{key} {row[key]:.3f}" for key in ROWS), file=sys.stderr, flush=True)
    return {row: {size: statistics.median(values) for size, values in sizes.items()} for row, sizes in found.items()}


async def held(port: int, count: int, act: Callable[[], int]) -> int:
    """What `act` says while so many streams are open through a port."""
    request = written(conversation(4_000, 2_000, 5))
    words = f"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx-api-key: k\r\ncontent-type: application/json\r\ncontent-length: {len(request)}\r\n\r\n".encode()
    writers = []
    for _ in range(count):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(words + request)
        await asyncio.wait_for(head(reader), 30)
        await reader.readline()
        writers.append(writer)
    said = act()
    for writer in writers:
        writer.close()
    return said


async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An upstream whose streams begin and do not end."""
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        _, headers = await head(reader)
        await read_body(reader, headers)
        part = event(1)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(part), part))
        await writer.drain()
        await reader.read()
    writer.close()


async def memory_of_streams(args: argparse.Namespace) -> tuple[float, float]:
    """Bytes of an idle gateway, and for each stream that is open through it."""
    target = free()
    server = await asyncio.start_server(hold, "127.0.0.1", target, backlog=1024)
    with tersely(args.tersely, target, "--mode", "standard@1") as proxy:
        idle = proxy.memory()
        await held(proxy.port, 20, lambda: 0)
        warm = proxy.memory()
        full = await held(proxy.port, STREAMS, proxy.memory)
    server.close()
    return idle, (full - warm) / STREAMS


def memory_of_requests(args: argparse.Namespace, folder: Path) -> dict[str, tuple[int, int, int]]:
    """Bytes of a gateway that has its vocabulary, the most that it had while one request of each size went through, and the size of its body."""
    target, found = free(), {}
    with nginx(folder, "target", UPSTREAM.format(port=target, answer=ANSWER), target):
        for name, size in SIZES.items():
            with tersely(args.tersely, target, "--mode", "standard@1") as proxy:
                request = written(conversation(size.body, size.piece, 3))
                send(proxy.port, [written(conversation(1_000, 600, 2))])
                warm = proxy.memory()
                send(proxy.port, [request])
                found[name] = (warm, proxy.memory("VmHWM"), len(request))
    return found


def starts(args: argparse.Namespace) -> tuple[float, float]:
    """Milliseconds from the start of the process until it is ready, and of CPU until then: medians."""
    times, works = [], []
    for _ in range(9):
        begun = time.monotonic()
        with tersely(args.tersely, 9, "--mode", "standard@1") as proxy:
            times.append((time.monotonic() - begun) * 1000)
            works.append(proxy.cpu() * 1000)
    return statistics.median(times), statistics.median(works)


def show(costs: dict[str, dict[str, float]]) -> None:
    """Tables of Markdown."""
    head = " | ".join(SIZES)
    print(f"CPU-ms a request:\n\n| | {head} |\n|---|{'--:|' * len(SIZES)}")
    for row, sizes in costs.items():
        print(f"| {row} | " + " | ".join(f"{value:.3f}" if value < 1 else f"{value:.1f}" for value in sizes.values()) + " |")
    print(f"\nTimes what it costs with the mode `disabled`:\n\n| | {head} |\n|---|{'--:|' * len(SIZES)}")
    for row, sizes in costs.items():
        print(f"| {row} | " + " | ".join(f"{value / costs['off'][size]:.1f}" for size, value in sizes.items()) + " |")
    print(f"\nRequests a second that one core has time for:\n\n| | {head} |\n|---|{'--:|' * len(SIZES)}")
    for row, sizes in costs.items():
        print(f"| {row} | " + " | ".join(f"{1000 / value:,.0f}" if value < 100 else f"{1000 / value:.1f}" for value in sizes.values()) + " |")


def main() -> None:
    """Measure it all and print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=[*SIZES], metavar="SIZE")
    args = parser.parse_args()
    for size in set(SIZES) - set(args.sizes):
        del SIZES[size]
    with tempfile.TemporaryDirectory() as name:
        costs = cells(args, Path(name))
        peaks = memory_of_requests(args, Path(name))
    show(costs)
    idle, stream = asyncio.run(memory_of_streams(args))
    ready, work = starts(args)
    print(f"\nidle: {idle / 1e6:.1f} MB; each of {STREAMS} open streams: {stream / 1e3:.1f} kB")
    print(f"once it has counted tokens: {statistics.median(warm for warm, _, _ in peaks.values()) / 1e6:.0f} MB")
    for size, (warm, peak, body) in peaks.items():
        print(f"one request of {size}, all new: at most {(peak - warm) / 1e6:.1f} MB more, {(peak - warm) / body:.1f} times its body")
    print(f"ready {ready:.0f} ms after its start (median of 9), with {work:.0f} ms of CPU")


if __name__ == "__main__":
    main()
