"""The same messages to `POST /v1/compress` of Tersely and of headroom, in turn, in one run: processor time, latency, memory.

    python3 compare.py --tersely PATH --headroom PATH CONVERSATION.json ...

A conversation is asked about turn by turn, as a gateway would: all messages up to each answer of a tool. Servers get the same
questions in the same order, one at a time, after both have answered some that do not count.
"""

import argparse
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "sizing"))

from sizing import cpu_seconds  # noqa: E402

WARM = 5


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Server:
    def __init__(self, name: str, command: list, env: dict) -> None:
        self.name, self.port = name, free_port()
        self.took: list[float] = []
        self.saved, self.before = 0, 0
        command = [str(word).replace("PORT", str(self.port)) for word in command]
        self.process = subprocess.Popen(command, env={"PATH": os.environ["PATH"], **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 300
        while time.monotonic() < end:
            try:
                self.ask(b'{"messages":[{"role":"user","content":"x"}],"model":"gpt-5"}')
                return
            except OSError:
                time.sleep(0.5)
        raise SystemExit(f"{name} does not answer")

    def ask(self, body: bytes) -> dict:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        link.request("POST", "/v1/compress", body, {"content-type": "application/json"})
        answer = link.getresponse()
        text = answer.read()
        link.close()
        if answer.status != 200:
            raise SystemExit(f"{self.name}: {answer.status} {text[:300]!r}")
        return json.loads(text)

    def time(self, body: bytes) -> None:
        begun = time.perf_counter()
        answer = self.ask(body)
        self.took.append((time.perf_counter() - begun) * 1000)
        self.saved += answer["tokens_saved"]
        self.before += answer["tokens_before"]

    def family(self) -> list[int]:
        """The process and all that it started."""
        found, look = [], [self.process.pid]
        while look:
            pid = look.pop()
            found.append(pid)
            for task in Path(f"/proc/{pid}/task").glob("*/children"):
                look += map(int, task.read_text().split())
        return found

    def cpu(self) -> float:
        """Milliseconds of processor time so far."""
        return 1000 * sum(map(cpu_seconds, self.family()))

    def memory(self) -> float:
        """Megabytes that it has at most had."""
        peak = 0
        for pid in self.family():
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            peak += next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
        return peak / 1024


def questions(path: Path) -> list[bytes]:
    body = json.loads(path.read_text())
    place = "messages" if "messages" in body else "input"
    messages = body[place]
    ends = [at + 1 for at, message in enumerate(messages) if '"tool' in json.dumps(message) and message.get("role") != "assistant"]
    return [json.dumps({"model": body.get("model") or "gpt-5", "messages": messages[:end]}).encode() for end in ends]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", required=True)
    parser.add_argument("--headroom", required=True)
    parser.add_argument("--most", type=int, default=200, help="how many questions")
    parser.add_argument("conversations", nargs="+", type=Path)
    asked = parser.parse_args()
    every = [question for path in asked.conversations for question in questions(path)][: asked.most + WARM]
    home = tempfile.mkdtemp()
    servers = [
        Server("tersely", [asked.tersely, "serve", "--listen", "127.0.0.1:PORT"], {"HOME": home, "TERSELY_HISTORY_RECORD": "off", "TERSELY_LOG_LEVEL": "off"}),
        Server("headroom", [asked.headroom, "proxy", "--host", "127.0.0.1", "--port", "PORT", "--no-rate-limit"],
               {"HOME": home, "HEADROOM_TELEMETRY": "off", "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}),
    ]
    try:
        for question in every[:WARM]:
            for server in servers:
                server.ask(question)
        since = [server.cpu() for server in servers]
        for question in every[WARM:]:
            for server in servers:
                server.time(question)
        print(f"{len(every) - WARM} questions, {sum(map(len, every[WARM:])) / 1e6:.1f} MB, load {os.getloadavg()[0]:.1f}")
        print("| server | processor ms a question | p50 ms | p99 ms | most memory, MB | tokens saved, by its own count |\n|---|--:|--:|--:|--:|--:|")
        for server, before in zip(servers, since):
            cuts = statistics.quantiles(server.took, n=100)
            cpu = (server.cpu() - before) / len(server.took)
            share = f"{server.saved} of {server.before}, {100 * server.saved / max(server.before, 1):.1f} %"
            print(f"| {server.name} | {cpu:.1f} | {cuts[49]:.1f} | {cuts[98]:.1f} | {server.memory():.0f} | {share} |")
    finally:
        for server in servers:
            server.process.kill()
            server.process.wait()


if __name__ == "__main__":
    main()
