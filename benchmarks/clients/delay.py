"""Measures how much later an event of a stream arrives through `tersely serve` than without it.

An upstream writes the time into every event; a client on the same machine reads it, by turns with and without the gateway.
"""

from __future__ import annotations

import argparse
import socket
import statistics
import subprocess
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EVENTS = 400
PAUSE = 0.004
ROUNDS = 3
BODY = b'{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}'


def answer(client: socket.socket) -> None:
    """One stream of events, each with the time at which it was sent."""
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    seen = b""
    while BODY not in seen:
        seen += client.recv(65536)
    client.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for _ in range(EVENTS):
        event = b"data: %d\n\n" % time.perf_counter_ns()
        client.sendall(b"%x\r\n%s\r\n" % (len(event), event))
        time.sleep(PAUSE)
    client.sendall(b"0\r\n\r\n")
    client.close()


def upstream() -> int:
    """Starts an upstream, and says where it listens."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            client, _ = listener.accept()
            threading.Thread(target=answer, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def delays(port: int) -> list[float]:
    """Milliseconds from sending to reading, for every event of one stream."""
    found: list[float] = []
    with socket.create_connection(("127.0.0.1", port)) as server:
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        server.sendall(head % len(BODY) + BODY)
        seen = b""
        while len(found) < EVENTS:
            piece = server.recv(65536)
            now = time.perf_counter_ns()
            if not piece:
                raise SystemExit("the stream broke off")
            seen += piece
            *events, seen = seen.split(b"\n\n")
            found += [(now - int(event.rsplit(b"data: ", 1)[1])) / 1e6 for event in events if b"data: " in event]
    return found


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    args = parser.parse_args()
    port = upstream()
    command = [args.binary, "serve", "--listen", "127.0.0.1:0", "--upstream", f"http://127.0.0.1:{port}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as gateway:
        assert gateway.stderr
        own = int(gateway.stderr.readline().split("127.0.0.1:")[1].split(",")[0])
        direct: list[float] = []
        through: list[float] = []
        for _ in range(ROUNDS):
            direct += delays(port)
            through += delays(own)
        gateway.terminate()
    for name, found in (("direct", direct), ("through", through)):
        cuts = statistics.quantiles(found, n=100)
        print(f"{name:8} {len(found)} events, p50 {cuts[49]:.3f} ms, p99 {cuts[98]:.3f} ms")
    print(f"added    p50 {statistics.median(through) - statistics.median(direct):.3f} ms")


if __name__ == "__main__":
    main()
