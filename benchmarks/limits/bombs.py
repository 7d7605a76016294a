"""A hundred gzip bombs at once through `tersely serve`: how much memory do they take, and how are they answered?"""

from __future__ import annotations

import argparse
import collections
import gzip
import http.client
import socket
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COUNT = 100
MEGABYTE = 1 << 20


class Upstream(BaseHTTPRequestHandler):
    """Answers whatever comes."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Read it all, and answer with an object."""
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


def bomb(megabytes: int) -> bytes:
    """A body that is this long once it is decoded."""
    return gzip.compress(b'{"model":"m","messages":[{"role":"user","content":"' + b"a" * (megabytes * MEGABYTE) + b'"}]}', 9)


def send(port: int, body: bytes, seen: collections.Counter) -> None:
    """Send one, and count how it is answered."""
    headers = {"content-encoding": "gzip", "content-type": "application/json", "x-api-key": "k"}
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        connection.request("POST", "/v1/messages", body, headers)
        seen[connection.getresponse().status] += 1
    except OSError as error:
        seen[type(error).__name__] += 1


def most(pid: int) -> int:
    """The most memory that a process has used, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024


def main(binary: Path) -> None:
    """Bombs of three sizes, each before a fresh gateway."""
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    print("| decoded | encoded | answers | most memory | seconds |\n|--:|--:|---|--:|--:|")
    for megabytes in (1024, 60, 30):
        with socket.socket() as free, tempfile.TemporaryDirectory() as home:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
            free.close()
            words = [str(binary), "serve", "--listen", f"127.0.0.1:{port}", "--upstream", f"http://127.0.0.1:{upstream.server_port}"]
            gateway = subprocess.Popen(words, env={"HOME": home}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(1)
            body, seen, since = bomb(megabytes), collections.Counter(), time.monotonic()
            threads = [threading.Thread(target=send, args=(port, body, seen)) for _ in range(COUNT)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            answers = ", ".join(f"{count} × {status}" for status, count in seen.items())
            print(f"| {megabytes} MB | {len(body) // 1024} KB | {answers} | {most(gateway.pid)} MB | {time.monotonic() - since:.1f} |", flush=True)
            gateway.kill()
            gateway.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    main(parser.parse_args().tersely)
