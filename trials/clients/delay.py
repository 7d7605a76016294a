"""Measures how much later a text event of a stream arrives through `tersely serve` than without it, and with a hidden call in the stream.

An upstream writes the time into every event; a client on the same machine reads it, by turns in four ways: without the gateway, through one that leaves
nothing out (and so has no hidden tool), through one with the tool, and through that one while the model calls it in the middle.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import statistics
import threading
import time
from pathlib import Path

from asking import REFERENCE
from clients import ROOT, Server
from speech import TOOL, Call, Messages, Text, is_hidden, named
from splices import log

EVENTS = 400
PAUSE = 0.004
ROUNDS = 5
STAMP = re.compile(rb'"text_delta", ?"text": ?"(\d+)"')


def answer(client: socket.socket) -> None:
    """The requests of one connection, one after the other."""
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with client, client.makefile("rb") as reader:
        while reader.readline():
            length = 0
            while (line := reader.readline().lower()) != b"\r\n":
                length = int(line.split(b":")[1]) if line.startswith(b"content-length:") else length
            stream(client, json.loads(reader.read(length)))


def stream(client: socket.socket, body: dict) -> None:
    """Events, each with the time at which it was sent; when the model asks, half of them before and half after."""
    results = Messages.results(body)
    found = REFERENCE.search(results[0][1])
    asks, asked = body["model"] == "ask", any(is_hidden(mark) for mark, _ in results)
    begin, start, _, stop, *end = Messages.events(1, [Text(("",))])
    if asks and not asked:
        call = Messages.events(1, [Text(("",)), Call(TOOL, {"id": found[1]})])
        stop, end = call[3], call[4:]
    client.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    send(client, begin, start)
    for _ in range(EVENTS // 2 if asks else EVENTS):
        delta = {"type": "text_delta", "text": str(time.perf_counter_ns())}
        send(client, named({"type": "content_block_delta", "index": 0, "delta": delta}))
        time.sleep(PAUSE)
    send(client, stop, *end)
    client.sendall(b"0\r\n\r\n")


def send(client: socket.socket, *events: bytes) -> None:
    """Events, each in a chunk of its own."""
    for event in events:
        client.sendall(b"%x\r\n%s\r\n" % (len(event), event))


def upstream() -> int:
    """Starts an upstream, and says where it listens."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            client, _ = listener.accept()
            threading.Thread(target=answer, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def delays(port: int, model: str) -> list[float]:
    """Milliseconds from sending to reading, for every event of one stream."""
    found: list[float] = []
    body = json.dumps(Messages.request(model, True, log())).encode()
    with socket.create_connection(("127.0.0.1", port)) as server:
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = b"POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        server.sendall(head % len(body) + body)
        seen = b""
        while not seen.endswith(b"\r\n0\r\n\r\n"):
            piece = server.recv(65536)
            now = time.perf_counter_ns()
            if not piece:
                raise SystemExit(f"the stream broke off: {seen!r}")
            seen += piece
            stamps = STAMP.findall(seen)
            found += [(now - int(stamp)) / 1e6 for stamp in stamps[len(found) :]]
            assert TOOL.encode() not in piece
    return found


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    args = parser.parse_args()
    port = upstream()
    form, own = (Server(args.binary.resolve(), f"http://127.0.0.1:{port}", *flags) for flags in (["--loss", "form"], []))
    ways = {
        "direct": (port, "plain"),
        "nothing left out": (form.address[1], "plain"),
        "with the tool": (own.address[1], "plain"),
        "with a hidden call": (own.address[1], "ask"),
    }
    found: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, (at, model) in ways.items():
            found[way] += delays(at, model)
    for server in (form, own):
        server.stop()
    for way, times in found.items():
        cuts = statistics.quantiles(times, n=100)
        print(f"{way:20} {len(times)} events, p50 {cuts[49]:.3f} ms, p99 {cuts[98]:.3f} ms")
    for way, beside in (("nothing left out", "direct"), ("with the tool", "nothing left out"), ("with a hidden call", "nothing left out")):
        print(f"{way}, beside {beside}: p50 {statistics.median(found[way]) - statistics.median(found[beside]):+.3f} ms")


if __name__ == "__main__":
    main()
