"""A hundred shapes of text that a tool may print, at 0.1, 1 and 10 MB, through every door: is each call answered in time, is anything around the result changed, is a result longer than it came?

    python3 trials/doors/doors.py SHAPES [--tersely PROGRAM] [--envoy ENVOY] [--only DOOR]

SHAPES has a folder for each size, as `just doors` has them written. A door is a process that takes all shapes, one after the other, so its memory is what the worst of them leaves. The servers
behind the doors are scripted, and so is the model: it fetches back whatever was left out, which must come byte for byte. `compress` is asked for the exact form, and `decode` for the text. Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "benchmarks/limits"), str(ROOT / "trials/drain"), str(ROOT / "trials/envoy")]

from drain import free  # noqa: E402
from envoy import asked, cluster, listener, running, wait  # noqa: E402
from memory import peak  # noqa: E402

# Seconds within which a call must be answered: what Claude Code gives a hook, and half of what `serve` gives a rewrite.
PATIENCE, HOOK_PATIENCE = 15.0, 1.0
# A mark of ours may stand where nothing is saved in bytes: tokens decide.
SLACK = 64
LIMIT_BODY, ENVOY_LIMIT, LIMIT_MESSAGE = 50 << 20, 64 << 20, 32 << 20
LIST = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
ENV = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TERSELY_LOG_LEVEL": "off", "TERSELY_HISTORY_RECORD": "off", "TERSELY_TIMEOUTS_NOTICE": "0s"}
MCP_SERVER = """
import json, pathlib, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    match asked["method"]:
        case "initialize": result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "shapes", "version": "1"}}
        case "tools/list": result = {"tools": [{"name": "show", "inputSchema": {"type": "object"}}]}
        case "tools/call": result = {"content": [{"type": "text", "text": pathlib.Path(asked["params"]["arguments"]["file"]).read_bytes().decode()}]}
        case _: result = {}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
FETCH, MARK = "expand_context", re.compile(rb"<<<SHADOW:(shadow_[0-9a-f]{32})>>>")
CALL = {"id": "call_1", "name": "Bash", "input": {"command": "make report"}}


class Wrong(Exception):
    """An answer that is not what it should be."""


class Refused(Wrong):
    """An error of JSON-RPC."""


@dataclass
class Door:
    """Takes a shape to the model; gives back what the model reads."""

    call: Callable[[Path, str], str]
    # The process that it is; none where each call is one.
    process: Callable[[], int | None] = lambda: None
    patience: float = PATIENCE
    # When the call began, once what the door is told was written down.
    began: float = 0.0


class Upstream(BaseHTTPRequestHandler):
    """The model, which keeps the bodies of a turn, and a JSON API, which answers with the file that the path names."""

    protocol_version = "HTTP/1.1"
    seen: list[bytes]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.seen.append(body)
        mark = MARK.search(body)
        asks = {"type": "tool_use", "id": "fetch_1", "name": FETCH, "input": {"id": mark[1].decode()}} if mark and len(self.seen) == 1 else None
        content = [asks or {"type": "text", "text": "done"}]
        said = {"type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use" if asks else "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}}
        self.answer(json.dumps(said).encode())

    def do_GET(self) -> None:
        self.answer(Path(unquote(self.path)).read_bytes())

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def upstream() -> Iterator[tuple[int, list[bytes]]]:
    """One that runs: its port, and the bodies that it has seen."""
    seen: list[bytes] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Upstream", (Upstream,), {"seen": seen})) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], seen
        server.shutdown()


def post(port: int, path: str, body: bytes, **headers: str) -> tuple[int, bytes]:
    """One request on a connection of its own."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    with contextlib.closing(link):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        link.request("POST", path, body, {"content-type": "application/json", "x-api-key": "k", **named})
        answer = link.getresponse()
        return answer.status, answer.read()


def request(text: str) -> dict:
    """A conversation whose only result is this text."""
    result = {"type": "tool_result", "tool_use_id": CALL["id"], "content": text}
    messages = [
        {"role": "user", "content": "Find out why."},
        {"role": "assistant", "content": [{"type": "tool_use", **CALL}]},
        {"role": "user", "content": [result]},
    ]
    return {"model": "m", "max_tokens": 9, "tools": [{"name": "Bash", "input_schema": {"type": "object"}}], "messages": messages}


def result_of(sent: dict, got: dict) -> str:
    """The text of the result, once all around it is as it was sent; our tool may have come behind the others."""
    text = got["messages"][-1]["content"][0].pop("content")
    sent["messages"][-1]["content"][0].pop("content")
    if "tools" in got:
        got["tools"] = [tool for tool in got["tools"] if tool["name"] != FETCH]
    if got != {name: value for name, value in sent.items() if name in got} or "messages" not in got:
        raise Wrong("something around the result has changed")
    return text


def fetched(text: str, original: str) -> None:
    """What came back is what was left out; secrets stay masked."""
    if text != original and not masked(text, original):
        raise Wrong(f"fetched back as {len(text):,} characters, not {len(original):,}: {text[:80]!r}")


def masked(text: str, original: str) -> bool:
    """True if a text is the original but for what marks of ours stand for."""
    pieces, at = re.split(r"\[REDACTED_[A-Z_]+\]", text), 0
    for piece in pieces:
        if (at := original.find(piece, at)) < 0:
            return False
        at += len(piece)
    return len(pieces) > 1 and original.startswith(pieces[0]) and original.endswith(pieces[-1])


def body_of(text: str) -> bytes:
    """A request as a client sends it."""
    return json.dumps(request(text), ensure_ascii=False).encode()


@contextlib.contextmanager
def program(args: argparse.Namespace, *words: str, port: int | None = None, **options: object) -> Iterator[subprocess.Popen]:
    """Our program with these words; once it listens, where it does."""
    process = subprocess.Popen([args.tersely, *words], env=ENV, stderr=subprocess.DEVNULL, **options)
    try:
        if port is not None:
            wait(port)
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def serve(args: argparse.Namespace) -> Iterator[Door]:
    """`tersely serve` before a model."""
    port = free()

    def call(_: Path, text: str) -> str:
        body = body_of(text)
        seen.clear()
        status, _ = post(port, "/v1/messages", body)
        if len(body) > LIMIT_BODY:
            return text if status == 413 else refuse(status, "413, for the body is above limits.body")
        if status != 200:
            refuse(status)
        if len(seen) > 1:
            fetched(json.loads(seen[1])["messages"][-1]["content"][0]["content"], text)
        return result_of(request(text), json.loads(seen[0]))

    with upstream() as (model, seen), program(args, "serve", "--listen", f"127.0.0.1:{port}", "--upstream", f"http://127.0.0.1:{model}", port=port) as process:
        yield Door(call, lambda: process.pid)


@contextlib.contextmanager
def compress_api(args: argparse.Namespace) -> Iterator[Door]:
    """`/v1/compress`, which other gateways ask."""
    port = free()

    def call(_: Path, text: str) -> str:
        body = body_of(text)
        status, answer = post(port, "/v1/compress", body)
        if len(body) > LIMIT_BODY:
            return text if status == 413 else refuse(status, "413, for the body is above limits.body")
        return result_of(request(text), {"messages": json.loads(answer)["messages"]}) if status == 200 else refuse(status)

    with program(args, "serve", "--listen", f"127.0.0.1:{port}", port=port) as process:
        yield Door(call, lambda: process.pid)


def refuse(status: int, wanted: str = "200") -> str:
    raise Wrong(f"answered with {status} in place of {wanted}")


def mcp_turn(ask: Callable[[dict], bytes], path: Path, text: str) -> str:
    """What a call of the server's tool comes to; whatever was left out is fetched back."""

    def said(tool: str, **arguments: str) -> tuple[dict, str]:
        got = json.loads(ask({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}))
        if "error" in got:
            raise Refused(got["error"]["message"])
        return got, got["result"]["content"][0].pop("text")

    got, shown = said("show", file=str(path))
    if got != {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text"}]}}:
        raise Wrong("something around the result has changed")
    if mark := MARK.match(shown.encode()):
        fetched(said(FETCH, id=mark[1].decode())[1], text)
    return shown


@contextlib.contextmanager
def mcp(args: argparse.Namespace) -> Iterator[Door]:
    """`tersely mcp` around a server."""
    with program(args, "mcp", "--", sys.executable, "-c", MCP_SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:

        def ask(message: dict) -> bytes:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            return process.stdout.readline()

        ask(LIST)
        yield Door(lambda path, text: mcp_turn(ask, path, text), lambda: process.pid)


class McpSession:
    """A client of `tersely mcp serve`."""

    def __init__(self, port: int) -> None:
        self.port, self.headers = port, {"content-type": "application/json", "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
        begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "doors", "version": "1"}}
        _, answer = self.say({"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": begin})
        self.headers["mcp-session-id"] = answer["mcp-session-id"]
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask(LIST)

    def say(self, message: dict) -> tuple[bytes, http.client.HTTPMessage]:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        with contextlib.closing(link):
            link.request("POST", "/mcp/one", json.dumps(message).encode(), self.headers)
            answer = link.getresponse()
            data = answer.read()
        return (data, answer.headers) if answer.status < 300 else refuse(answer.status)

    def ask(self, message: dict) -> bytes:
        """The answer, as JSON or as the last event of a stream."""
        data, headers = self.say(message)
        is_stream = headers["content-type"].startswith("text/event-stream")
        return [line[5:] for line in data.splitlines() if line.startswith(b"data:")][-1] if is_stream else data

    def end(self) -> None:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        with contextlib.closing(link):
            link.request("DELETE", "/mcp/one", headers=self.headers)
            link.getresponse().read()


@contextlib.contextmanager
def mcp_serve(args: argparse.Namespace) -> Iterator[Door]:
    """`tersely mcp serve` with a server that it starts."""
    port, place = free(), Path(args.place) / "mcp"
    place.mkdir()
    (place / "server.py").write_text(MCP_SERVER)
    (place / "tersely.toml").write_text(f"[mcp.servers.one]\ncommand = {json.dumps([sys.executable, str(place / 'server.py')])}\n")
    with program(args, "mcp", "serve", "--config", str(place / "tersely.toml"), "--listen", f"127.0.0.1:{port}", port=port) as process:
        sessions = turns(port)

        def call(path: Path, text: str) -> str:
            try:
                return mcp_turn(next(sessions).ask, path, text)
            except Refused:
                # A message of such a length is not held.
                if len(json.dumps(text)) > LIMIT_MESSAGE:
                    return text
                raise

        yield Door(call, lambda: process.pid)
        sessions.close()


def turns(port: int) -> Iterator[McpSession]:
    """A session for each call; another one after every fifty."""
    while True:
        session = McpSession(port)
        try:
            for _ in range(50):
                yield session
        finally:
            session.end()


@contextlib.contextmanager
def http_api(args: argparse.Namespace) -> Iterator[Door]:
    """`tersely http` before an API whose answers are asked for as TOON, STC and terse, by turns."""
    port, numbers = free(), iter(range(1 << 30))

    def call(path: Path, text: str) -> str:
        form = ("toon", "stc", "terse")[next(numbers) % 3]
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        with contextlib.closing(link):
            link.request("GET", quote(str(path)), headers={"x-prefer-format": form})
            answer = link.getresponse()
            got = answer.read().decode()
        if answer.status != 200:
            refuse(answer.status)
        if answer.getheader("content-type") == "application/json" and got != text:
            raise Wrong("JSON that is not the server's")
        return got

    with upstream() as (api, _), program(args, "http", "--listen", f"127.0.0.1:{port}", "--upstream", f"http://127.0.0.1:{api}", port=port) as process:
        yield Door(call, lambda: process.pid)


@contextlib.contextmanager
def extproc(args: argparse.Namespace) -> Iterator[Door]:
    """`tersely extproc` behind a real Envoy."""
    port, ours = free(), free()

    def call(_: Path, text: str) -> str:
        body = body_of(text)
        seen.clear()
        status, _ = post(port, "/v1/messages", body)
        return result_of(request(text), json.loads(seen[0])) if status == 200 else refuse(status)

    with upstream() as (model, seen), program(args, "extproc", "--listen", f"127.0.0.1:{ours}", port=ours) as process:
        clusters = [cluster("ours", ours), cluster("upstream", model, is_grpc=False)]
        config = {"static_resources": {"listeners": [listener("shapes", port, asked("ours", patience=30), ENVOY_LIMIT)], "clusters": clusters}}
        (Path(args.place) / "envoy.json").write_text(json.dumps(config))
        with running([str(args.envoy), "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id", "-c", f"{args.place}/envoy.json"], name="doors"):
            wait(port)
            yield Door(call, lambda: process.pid)


@contextlib.contextmanager
def hook(args: argparse.Namespace) -> Iterator[Door]:
    """`tersely hook`, as Claude Code calls it after a command. An empty answer leaves the result as it is."""
    home = Path(args.place) / "home"
    home.mkdir()

    def call(_: Path, text: str) -> str:
        response = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        told = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": CALL["input"], "tool_response": response, "tool_use_id": "t"}
        written = json.dumps(told).encode()
        door.began = time.monotonic()
        done = subprocess.run([args.tersely, "hook"], env={**ENV, "HOME": str(home)}, input=written, capture_output=True, check=True)
        if not done.stdout.strip():
            return text
        got = json.loads(done.stdout)["hookSpecificOutput"]["updatedToolOutput"]
        shorter = got.pop("stdout")
        if got != {name: value for name, value in response.items() if name != "stdout"}:
            raise Wrong("something around the result has changed")
        return shorter

    def stays() -> int | None:
        """The process that answers hooks in the background."""
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"HOME={home}".encode() in (place / "environ").read_bytes().split(b"\0") and (place / "exe").resolve() == args.tersely:
                    return int(place.name)
        return None

    door = Door(call, stays, HOOK_PATIENCE)
    try:
        yield door
    finally:
        if (pid := stays()) is not None:
            os.kill(pid, signal.SIGTERM)


@contextlib.contextmanager
def compress(args: argparse.Namespace) -> Iterator[Door]:
    """`tersely compress --loss none`, and `tersely decode`, which must give back every byte."""

    def call(_: Path, text: str) -> str:
        got = subprocess.run([args.tersely, "compress", "--loss", "none"], env=ENV, input=text.encode(), capture_output=True, check=True).stdout
        if got != text.encode():
            back = subprocess.run([args.tersely, "decode"], env=ENV, input=got, capture_output=True, check=True).stdout
            if back != text.encode():
                raise Wrong("it does not come back")
        return got.decode()

    yield Door(call)


@contextlib.contextmanager
def library(args: argparse.Namespace) -> Iterator[Door]:
    """`tersely.compress` of the Python package, with the program behind it."""
    code = """
import json, sys
from pathlib import Path
import tersely
for line in sys.stdin:
    messages = json.loads(Path(line.strip()).read_text())
    sys.stdout.write(json.dumps(tersely.compress(messages, model="m")) + "\\n"); sys.stdout.flush()
"""
    env = {**ENV, "PATH": f"{args.tersely.parent}:{ENV['PATH']}", "PYTHONPATH": str(ROOT / "packages/python"), "TERSELY_PACKAGE_CORE": "program"}
    place = Path(args.place) / "messages.json"
    with subprocess.Popen([sys.executable, "-c", code], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:

        def call(_: Path, text: str) -> str:
            sent = request(text)
            place.write_text(json.dumps(sent["messages"]))
            process.stdin.write(f"{place}\n".encode())
            process.stdin.flush()
            return result_of(sent, {"messages": json.loads(process.stdout.readline())})

        yield Door(call)
        process.stdin.close()


DOORS = {"serve": serve, "/v1/compress": compress_api, "mcp": mcp, "mcp serve": mcp_serve, "http": http_api, "extproc": extproc, "hook": hook, "compress": compress, "library": library}


def shortened(door: Door, path: Path, text: str) -> bool:
    """Sends a shape through a door; true if the model reads less. Never more."""
    got = door.call(path, text)
    if len(got.encode()) > len(text.encode()) + SLACK:
        raise Wrong(f"{len(text.encode()):,} bytes became {len(got.encode()):,}")
    return got != text


def through(args: argparse.Namespace, name: str) -> list[str]:
    """All shapes through a door: prints a row for each size, gives back what went wrong."""
    faults: list[str] = []
    with DOORS[name](args) as door:
        for folder in sorted(args.shapes.iterdir(), key=lambda folder: int(folder.name)):
            times, shorter = [], 0
            for path in sorted(folder.iterdir()):
                text = path.read_bytes().decode()
                door.began = time.monotonic()
                try:
                    shorter += shortened(door, path, text)
                except (Wrong, OSError, ValueError, KeyError, IndexError, StopIteration, http.client.HTTPException, subprocess.CalledProcessError) as error:
                    faults.append(f"{name}, {path.name}, {folder.name} bytes: {type(error).__name__}: {error}"[:300])
                times.append((time.monotonic() - door.began, path.name))
                if times[-1][0] > door.patience:
                    faults.append(f"{name}, {path.name}, {folder.name} bytes: {times[-1][0]:.1f} s")
            slowest, which = max(times)
            memory = f"{peak(pid) / 1e6:.0f}" if (pid := door.process()) else ""
            print(f"| {name} | {int(folder.name) / 1e6:g} | {len(times)} | {shorter} | {sum(took for took, _ in times) / len(times) * 1e3:,.0f} | {slowest * 1e3:,.0f} ({which}) | {memory} |", flush=True)
    return faults


def main() -> int:
    """Prints a table, and what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("shapes", type=Path)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    parser.add_argument("--envoy", type=Path, default=ROOT / "target/tools/envoy/bin/envoy")
    parser.add_argument("--only", choices=DOORS)
    args = parser.parse_args()
    args.tersely, args.shapes = args.tersely.resolve(), args.shapes.resolve()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as args.place:
        print("| door | MB | shapes | shorter | ms on average | ms at most | peak MB so far |\n|---|--:|--:|--:|--:|---|--:|", flush=True)
        for name in [args.only] if args.only else DOORS:
            faults += through(args, name)
    print("\n".join(faults))
    print(f"{len(DOORS)} doors, {len(faults)} faults" if not args.only else f"{args.only}: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
