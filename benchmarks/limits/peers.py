"""Do probes answer while every listener has peers that say nothing, say it slowly, hang up halfway or never read?

Starts `tersely serve`, `mcp serve`, `http`, `extproc` and `dashboard`, each with an admin port where it has one and with few
files to open, surrounds every listener with such peers for some minutes, and asks all of them how they are, several times a second.
The exit code is 1 when a probe is late, refused or lost. A server of a few lines is asked beside them: where that one is late too,
it is the machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# What a probe may take, in seconds.
BAR = 0.1

# Peers of each kind at each listener: more than an admin port has places for.
PEERS = 80

# Files that a gateway may open: fewer than there are peers.
FILES = 1024

KINDS = ("silent", "slow", "half-closed", "unread", "feed")


class Yes(BaseHTTPRequestHandler):
    """An upstream that only says yes, and the server that is asked beside the others."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = b"{}"
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            pass


def yes() -> int:
    """The port of such a server, in a process of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Yes)
    multiprocessing.Process(target=server.serve_forever, daemon=True).start()
    return int(server.server_address[1])


def free() -> int:
    """A port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def start(tersely: Path, folder: Path, upstream: int) -> tuple[list[subprocess.Popen[bytes]], dict[str, int], dict[str, int]]:
    """The programs, all listeners by name, and those that answer probes."""
    commands = {
        "serve": ["serve", "--upstream", f"http://127.0.0.1:{upstream}"],
        "mcp serve": ["mcp", "serve", "--from", str(folder / "servers.json")],
        "http": ["http", "--upstream", f"http://127.0.0.1:{upstream}"],
        "extproc": ["extproc"],
        "dashboard": ["dashboard"],
    }
    (folder / "servers.json").write_text('{"mcpServers": {"far": {"url": "http://127.0.0.1:%d/mcp"}}}' % upstream)
    running, listeners, probed = [], {}, {}
    for name, words in commands.items():
        own, admin = free(), free()
        config = folder / f"{name.replace(' ', '-')}.toml"
        is_board = name == "dashboard"
        config.write_text(f'history = {{ file = "{folder}/history.db" }}\n' + ("" if is_board else f'admin = {{ listen = "127.0.0.1:{admin}" }}\n'))
        words = [*words, "--listen", f"127.0.0.1:{own}", "--config", str(config)]
        program = subprocess.Popen(
            [tersely, *words], stderr=subprocess.DEVNULL, env={**os.environ, "TERSELY_LOG_LEVEL": "off"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)),
        )
        running.append(program)
        listeners[name] = own
        if not is_board:
            listeners[f"{name}, admin"] = probed[f"{name}, admin"] = admin
        else:
            probed[name] = own
        for port in {own, own if is_board else admin}:
            wait(port, program, name)
    return running, listeners, probed


def wait(port: int, program: subprocess.Popen[bytes], name: str) -> None:
    """Waits until someone listens."""
    for _ in range(400):
        if program.poll() is not None:
            sys.exit(f"{name} ended with {program.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{name} does not listen")


class Peer:
    """One bad neighbour, which comes back whenever it is sent away."""

    def __init__(self, kind: str, port: int) -> None:
        self.kind, self.port, self.sock, self.said = kind, port, None, 0
        self.next = time.monotonic() + random.uniform(0, 5)

    def words(self) -> bytes:
        path = {"unread": "/metrics", "feed": "/_tersely/live"}.get(self.kind, "/healthz")
        head = f"GET {path} HTTP/1.1\r\nhost: localhost\r\n"
        if self.kind == "unread":
            return f"{head}\r\n".encode() * 3
        return f"{head}\r\n".encode() if self.kind == "feed" else f"{head}x-slow: {'x' * 4000}".encode()

    def act(self, now: float) -> None:
        """Opens, or says a little more."""
        if now < self.next:
            return
        self.next = now + random.uniform(0.3, 0.7)
        try:
            if self.sock is None:
                self.open()
            elif self.kind == "slow":
                self.say(1)
            self.check()
        except BlockingIOError:
            pass
        except OSError:
            self.leave()

    def open(self) -> None:
        self.sock, self.said = socket.socket(), 0
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.sock.settimeout(0.2)
        self.sock.connect(("127.0.0.1", self.port))
        self.sock.setblocking(False)
        if self.kind in ("unread", "feed"):
            self.say(len(self.words()))
        elif self.kind == "half-closed":
            self.say(30)
            self.sock.shutdown(socket.SHUT_WR)

    def say(self, count: int) -> None:
        self.said += self.sock.send(self.words()[self.said : self.said + count])

    def check(self) -> None:
        """Comes back where the other side has hung up; what it sends stays unread."""
        if self.kind not in ("unread", "feed") and self.sock.recv(1, socket.MSG_PEEK) == b"":
            self.leave()

    def leave(self) -> None:
        if self.sock is not None:
            self.sock.close()
        self.sock = None


def crowd(ports: list[int], until: float) -> None:
    """All bad neighbours of these listeners."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    peers = [Peer(kind, port) for port in ports for kind in KINDS for _ in range(PEERS)]
    while time.monotonic() < until:
        for peer in peers:
            peer.act(time.monotonic())
        time.sleep(0.02)


def ask(port: int, path: str) -> tuple[float, str]:
    """How long a probe took, and what was wrong with it."""
    since = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as asked:
            asked.settimeout(10)
            asked.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode())
            status = asked.recv(64).split(b"\r\n")[0].decode()
    except OSError as fault:
        return time.monotonic() - since, type(fault).__name__
    took = time.monotonic() - since
    return took, "" if " 200" in status else status


def probe(probed: dict[str, int], control: int, until: float) -> tuple[int, dict[str, float], list[str]]:
    """How many probes there were, the slowest of each listener, and what went wrong."""
    asked, slowest, faults, begun = 0, dict.fromkeys(probed, 0.0), [], time.monotonic()
    while time.monotonic() < until:
        for name, port in probed.items():
            for path in ("/healthz", "/readyz"):
                took, wrong = ask(port, path)
                asked += 1
                beside = ask(control, path)[0] if took > BAR else 0.0
                if wrong or (took > BAR and beside <= BAR):
                    faults.append(f"{name} {path}: {wrong or 'late'} after {took * 1000:.0f} ms, {time.monotonic() - begun:.0f} s from the start")
                slowest[name] = max(slowest[name], took)
        time.sleep(0.1)
    return asked, slowest, faults


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    given.add_argument("--minutes", type=float, default=10)
    given = given.parse_args()
    upstream, control = yes(), yes()
    with tempfile.TemporaryDirectory() as folder:
        running, listeners, probed = start(given.tersely.resolve(), Path(folder), upstream)
        try:
            until = time.monotonic() + given.minutes * 60
            peers = multiprocessing.Process(target=crowd, args=(list(listeners.values()), until), daemon=True)
            peers.start()
            asked, slowest, faults = probe(probed, control, until)
            ended = [program.args for program in running if program.poll() is not None]
            peers.terminate()
        finally:
            for program in running:
                program.kill()
    for name, took in slowest.items():
        print(f"{name:20} slowest probe {took * 1000:6.1f} ms")
    print(f"{asked} probes, {len(listeners)} listeners, {len(listeners) * len(KINDS) * PEERS} peers, {len(faults)} faults")
    for fault in faults[:20]:
        print(fault)
    if faults or ended:
        sys.exit(1)


if __name__ == "__main__":
    main()
