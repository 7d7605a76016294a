"""Stands before the provider, the same in both arms: passes every request on, and keeps what the provider counted.

Nothing is passed on that could cost more than is left of the budget: the most that a request can cost is set aside before it
goes out, and given back when the provider says what it did cost.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from usage import Prices, Usage, counted

# Of requests that do not say how much may be written, and of bodies that cannot be read.
MOST_OUTPUT = 32_000
# No text that agents send has fewer bytes a token than this, by far.
BYTES_A_TOKEN = 2
HOPS = {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "host", "content-length", "accept-encoding"}
QUIET = 600
WAIT = 120
# Less than this set aside is a rest of rounding.
EVEN = 1e-9


@dataclass
class Purse:
    """What may be spent, by all attempts together."""

    budget: float
    spent: float = 0.0
    kept: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, most: float) -> bool:
        """Set aside the most that a request can cost, if there is as much."""
        with self.lock:
            if self.spent + self.kept + most > self.budget:
                return False
            self.kept += most
            return True

    def settle(self, most: float, cost: float) -> None:
        """Put back what was set aside, less what it did cost."""
        with self.lock:
            self.kept -= most
            self.spent += cost


@dataclass
class Tally:
    """What passed in one attempt."""

    requests: int = 0
    answers: int = 0
    uncounted: int = 0
    refused: int = 0
    dollars: float = 0.0
    usage: Usage = field(default_factory=Usage)
    fault: str = ""


@dataclass
class Passed:
    """How far a request got, and its answer."""

    status: int = 0
    answer: bytearray = field(default_factory=bytearray)
    is_sent: bool = False
    is_whole: bool = False


class Recorder(ThreadingHTTPServer):
    """Listens on a free port of this machine, for one attempt."""

    daemon_threads = True

    def __init__(self, upstream: str, prices: Prices, purse: Purse) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream, self.prices, self.purse = urlsplit(upstream), prices, purse
        self.tally, self.lock = Tally(), threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def connect(self) -> http.client.HTTPConnection:
        """A connection to the provider."""
        kind = http.client.HTTPSConnection if self.upstream.scheme == "https" else http.client.HTTPConnection
        return kind(self.upstream.hostname, self.upstream.port, timeout=QUIET)

    def keep(self, passed: Passed, most: float) -> None:
        """Write down what a request cost."""
        usage, model = counted(bytes(passed.answer)) if passed.status == http.client.OK else (None, None)
        # A request that got no end of an answer, or none that says what it cost, may have cost anything.
        unknown = passed.is_sent and (not passed.is_whole or (passed.status == http.client.OK and usage is None))
        cost = most if unknown else self.prices.of(model).of(usage) if usage else 0.0
        self.purse.settle(most, cost)
        with self.lock:
            self.tally.dollars += cost
            self.tally.usage += usage or Usage()
            self.tally.answers += passed.status == http.client.OK
            self.tally.uncounted += unknown
            if passed.status != http.client.OK:
                self.tally.fault = f"{passed.status}: {passed.answer[:300].decode(errors='replace')}"

    def close(self) -> Tally:
        """End, and give what passed. An answer on its way is waited for; one that does not come is taken for the dearest."""
        patience = time.monotonic() + WAIT
        while self.purse.kept > EVEN and time.monotonic() < patience:
            time.sleep(0.05)
        self.shutdown()
        self.server_close()
        if self.purse.kept > EVEN:
            self.tally.dollars, self.tally.uncounted = self.tally.dollars + self.purse.kept, self.tally.uncounted + 1
            self.purse.settle(self.purse.kept, self.purse.kept)
        return self.tally


def most_output(body: bytes) -> int:
    """How many tokens an answer may have."""
    try:
        asked = json.loads(body)
    except ValueError:
        return MOST_OUTPUT
    names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
    limits = [asked[name] for name in names if isinstance(asked, dict) and isinstance(asked.get(name), int)]
    return max(limits, default=MOST_OUTPUT)


class Handler(BaseHTTPRequestHandler):
    """Passes one connection's requests on."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Recorder

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def body(self) -> bytes:
        """The body of the request."""
        if "chunked" not in self.headers.get("transfer-encoding", "").lower():
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def do_GET(self) -> None:
        """Pass on what costs nothing; websockets are declined, and clients then send requests."""
        if "upgrade" in self.headers.get("connection", "").lower():
            self.refuse(http.client.UPGRADE_REQUIRED, "no websockets here")
        else:
            self.forward(self.body(), 0.0)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        """Pass a request on if it can be paid for."""
        body = self.body()
        price = self.server.prices.of(None)
        is_free = self.path.split("?")[0].endswith("count_tokens")
        most = 0.0 if is_free else price.most(len(body) // BYTES_A_TOKEN, most_output(body))
        if not self.server.purse.take(most):
            self.server.tally.refused += 1
            self.refuse(http.client.FORBIDDEN, "the budget of this run is spent")
            return
        with self.server.lock:
            self.server.tally.requests += not is_free
        self.forward(body, most)

    def refuse(self, status: int, why: str) -> None:
        """An error in the shape that both APIs' clients read."""
        data = json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": why}}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def forward(self, body: bytes, most: float) -> None:
        """Pass a request on, and its answer back as it comes."""
        passed, connection = Passed(), self.server.connect()
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOPS}
            connection.connect()
            passed.is_sent = True
            connection.request(self.command, self.server.upstream.path.rstrip("/") + self.path, body or None, headers)
            self.pass_back(connection.getresponse(), passed)
            passed.is_whole = True
        except (OSError, http.client.HTTPException) as fault:
            self.close_connection = True
            if not passed.status:
                passed.answer += f"{type(fault).__name__}: {fault}".encode()
                self.refuse(http.client.BAD_GATEWAY, passed.answer.decode())
        finally:
            connection.close()
            if most:
                self.server.keep(passed, most)

    def pass_back(self, answer: http.client.HTTPResponse, passed: Passed) -> None:
        """An answer, each piece as it comes. A client that leaves does not end the reading: what it cost comes last."""
        passed.status = answer.status
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOPS:
                self.send_header(name, value)
        has_body = self.command != "HEAD"
        self.send_header(*(("transfer-encoding", "chunked") if has_body else ("content-length", "0")))
        is_there = self.said(self.end_headers)
        while piece := answer.read1(65536):
            passed.answer += piece
            data = b"%x\r\n%b\r\n" % (len(piece), piece)
            is_there = is_there and self.said(lambda data=data: self.wfile.write(data))
        if has_body and answer.length:
            raise http.client.IncompleteRead(b"", answer.length)
        if is_there and has_body:
            self.said(lambda: self.wfile.write(b"0\r\n\r\n"))

    def said(self, say: Callable[[], object]) -> bool:
        """Whether the client was still there to hear it."""
        try:
            say()
        except OSError:
            self.close_connection = True
            return False
        return True
