"""Restarts two gateways behind HAProxy, one after the other, under load: is a request refused, is a stream cut?

HAProxy asks each gateway's /readyz twice a second and never tries a request again, so that whatever goes wrong is seen.
Clients send requests at a steady rate and hold streams of ten seconds; the upstream is scripted. Every answer is
compared with what the upstream said.


"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

BODY = json.dumps({
    "model": "m",
    "messages": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a\nb\n" * 200}]},
    ],
}).encode()
WHOLE = b'{"type":"message","content":[{"type":"text","text":"done"}],"usage":{"input_tokens":1,"output_tokens":1}}'
EVENTS = 100
PAUSE = 0.1

HAPROXY = """
global
  maxconn 4096
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  retries 0
frontend front
  bind 127.0.0.1:{front}
  default_backend gateways
backend gateways
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  server a 127.0.0.1:{a} check inter 500ms fall 1 rise 1
  server b 127.0.0.1:{b} check inter 500ms fall 1 rise 1
"""


def free() -> int:
    """A port that nobody listens on right now."""
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


async def head(reader: asyncio.StreamReader) -> tuple[str, dict[str, str]]:
    """The first line of a message, and its headers."""
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    pairs = [line.split(": ", 1) for line in lines[1:] if ": " in line]
    return lines[0], {name.lower(): value for name, value in pairs}


async def body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    """All of a message's body."""
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.readexactly(int(headers.get("content-length", 0)))
    parts = []
    while size := int((await reader.readline()).split(b";")[0], 16):
        parts.append((await reader.readexactly(size + 2))[:-2])
    await reader.readline()
    return b"".join(parts)


def event(number: int) -> bytes:
    """An event of the scripted stream."""
    data = json.dumps({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f"{number} "}})
    return f"event: content_block_delta\ndata: {data}\n\n".encode()


STREAM = b"".join(map(event, range(EVENTS))) + b'event: message_stop\ndata: {"type":"message_stop"}\n\n'


async def upstream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers one connection's requests: at once, or event by event where the path asks for it."""
    try:
        while True:
            line, headers = await head(reader)
            await body(reader, headers)
            if "stream" not in line:
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(WHOLE), WHOLE))
                await writer.drain()
                continue
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            for number in range(EVENTS):
                part = event(number)
                writer.write(b"%x\r\n%s\r\n" % (len(part), part))
                await writer.drain()
                await asyncio.sleep(PAUSE)
            last = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
            writer.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(last), last))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


class Load:
    """Clients that send requests, and what they saw."""

    def __init__(self, port: int) -> None:
        self.port, self.seen, self.times, self.faults = port, Counter(), [], []
        self.running = True

    async def ask(self, path: str, expected: bytes, kind: str) -> None:
        """One request on a connection of its own, as most clients of a balancer look to it."""
        since = time.monotonic()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(b"POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (path.encode(), len(BODY), BODY))
            line, headers = await head(reader)
            got = await asyncio.wait_for(body(reader, headers), 60)
            writer.close()
            outcome = "good" if " 200 " in line and got == expected else f"wrong: {line}, {len(got)} of {len(expected)} bytes"
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError) as error:
            outcome = f"failed: {type(error).__name__}"
        self.seen[kind, outcome] += 1
        if kind == "request":
            self.times.append(time.monotonic() - since)
        if outcome != "good":
            self.faults.append(f"{time.strftime('%T')} {kind} {outcome}")

    async def requests(self, rate: int) -> None:
        """So many requests a second, whatever becomes of them."""
        tasks, begun, start = set(), 0, time.monotonic()
        while self.running:
            due = int((time.monotonic() - start) * rate)
            for _ in range(due - begun):
                task = asyncio.create_task(self.ask("/v1/messages", WHOLE, "request"))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            begun = max(begun, due)
            await asyncio.sleep(0.01)
        await asyncio.gather(*tasks)

    async def streams(self) -> None:
        """One stream after the other."""
        while self.running:
            await self.ask("/v1/messages?stream", STREAM, "stream")


class Gateway:
    """A gateway that can be restarted at the same port."""

    def __init__(self, binary: str, port: int, target: int, notice: str) -> None:
        self.binary, self.port, self.target, self.notice = binary, port, target, notice
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts it, and waits until it is ready."""
        env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TERSELY_TIMEOUTS_NOTICE": self.notice, "TERSELY_LOG_LEVEL": "off"}
        words = ["serve", "--listen", f"127.0.0.1:{self.port}", "--upstream", f"http://127.0.0.1:{self.target}"]
        self.process = await asyncio.create_subprocess_exec(self.binary, *words, env=env, stderr=asyncio.subprocess.PIPE)
        assert self.process.stderr is not None
        line = (await self.process.stderr.readline()).decode()
        assert "ready on" in line, line

    async def stop(self) -> float:
        """Tells it to go, and says how long that took."""
        assert self.process is not None
        since = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        await self.process.communicate()
        assert self.process.returncode == 0, self.process.returncode
        return time.monotonic() - since


async def measure(args: argparse.Namespace, folder: Path) -> int:
    """Runs it all."""
    target, front = free(), free()
    server = await asyncio.start_server(upstream, "127.0.0.1", target, backlog=1024)
    gateways = [Gateway(args.tersely, free(), target, args.notice) for _ in range(2)]
    for gateway in gateways:
        await gateway.start()
    config = folder / "haproxy.cfg"
    config.write_text(HAPROXY.format(front=front, a=gateways[0].port, b=gateways[1].port))
    proxy = await asyncio.create_subprocess_exec(args.haproxy, "-db", "-f", str(config), stderr=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL)
    await asyncio.sleep(1.5)
    load = Load(front)
    begun = time.monotonic()
    work = [asyncio.create_task(load.requests(args.rate))] + [asyncio.create_task(load.streams()) for _ in range(args.streams)]
    await asyncio.sleep(3)
    for number in range(args.restarts):
        gateway = gateways[number % 2]
        took = await gateway.stop()
        await gateway.start()
        print(f"restart {number + 1}: drained in {took:.1f} s", flush=True)
        # The balancer must have seen that it is back before the other one goes.
        await asyncio.sleep(2)
    load.running = False
    took = time.monotonic() - begun
    await asyncio.gather(*work)
    for gateway in gateways:
        await gateway.stop()
    proxy.terminate()
    await proxy.wait()
    server.close()
    times = sorted(load.times)
    asked = sum(count for (kind, _), count in load.seen.items() if kind == "request")
    print(f"{asked} requests in {took:.0f} s ({asked / took:.0f} a second), {load.seen['stream', 'good']} whole streams")
    print(f"median {times[len(times) // 2] * 1000:.1f} ms, 99 % {times[len(times) * 99 // 100] * 1000:.1f} ms")
    for (kind, outcome), count in sorted(load.seen.items()):
        print(f"  {kind}: {outcome}: {count}")
    for fault in load.faults[:10]:
        print(f"  {fault}")
    return 1 if load.faults else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tersely", required=True)
    parser.add_argument("--haproxy", default=shutil.which("haproxy") or "/usr/sbin/haproxy")
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--streams", type=int, default=40)
    parser.add_argument("--restarts", type=int, default=4)
    parser.add_argument("--notice", default="2s")
    args = parser.parse_args()
    if not Path(args.haproxy).exists():
        sys.exit("haproxy is not here: apt-get install --no-install-recommends haproxy")
    with tempfile.TemporaryDirectory() as name:
        sys.exit(asyncio.run(measure(args, Path(name))))
