"""Stands between a client and Tersely, and keeps what passes: bytes of requests, and when bytes of answers came."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass, field

from upstream import Request


@dataclass
class Connection:
    """What passed over one connection."""

    sent: bytearray = field(default_factory=bytearray)
    came: list[tuple[float, bytes]] = field(default_factory=list)


class Relay:
    """Passes bytes on as they come, both ways."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.connections: list[Connection] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def accept(self) -> None:
        """Join every client with the target."""
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            kept = Connection()
            self.connections.append(kept)
            threading.Thread(target=self.pump, args=(client, server, kept.sent.extend), daemon=True).start()
            note = lambda data, kept=kept: kept.came.append((time.monotonic(), data))  # noqa: E731
            threading.Thread(target=self.pump, args=(server, client, note), daemon=True).start()

    @staticmethod
    def pump(source: socket.socket, sink: socket.socket, keep) -> None:
        """One direction, to its end."""
        try:
            while data := source.recv(65536):
                keep(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def requests(self) -> list[Request]:
        """All requests, connection by connection."""
        return [request for one in self.connections for request in parse(bytes(one.sent))]

    def spread(self, words: bytes) -> float:
        """Seconds from the first event of the answer that ends with `words` to those words."""
        longest = 0.0
        for one in self.connections:
            ends = [number for number, (_, data) in enumerate(one.came) if words in data]
            for end in ends:
                heads = [number for number, (_, data) in enumerate(one.came[: end + 1]) if data.startswith(b"HTTP/")]
                longest = max(longest, one.came[end][0] - one.came[heads[-1] if heads else 0][0])
        return longest

    def close(self) -> None:
        """Take no more."""
        self.listener.close()


def parse(data: bytes) -> list[Request]:
    """The requests in what a client sent over one connection."""
    found = []
    while b"\r\n\r\n" in data:
        head, data = data.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = [(name, value.strip()) for name, value in (line.split(":", 1) for line in lines)]
        known = {name.lower(): value for name, value in headers}
        if "chunked" in known.get("transfer-encoding", ""):
            body, data = unchunk(data)
        else:
            length = int(known.get("content-length") or 0)
            body, data = data[:length], data[length:]
        method, path, _ = first.split(" ")
        found.append(Request(method, path, headers, body))
    return found


def unchunk(data: bytes) -> tuple[bytes, bytes]:
    """A body that came in chunks, and what follows it."""
    body = b""
    while True:
        size, data = data.split(b"\r\n", 1)
        length = int(size.split(b";")[0], 16)
        body, data = body + data[:length], data[length + 2 :]
        if length == 0:
            return body, data
