"""Forty bodies of three megabytes and ten hostile ones at once through `tersely serve`: how long does a check of health take meanwhile?

Clients are processes of their own, which take no core from the gateway, as they would take none from elsewhere; the upstream is nginx. Each kind goes before a fresh gateway, in rounds. Exits with 1 if a check took more than 100 ms, or if a body was forwarded unchanged because it was too much.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks/sizing"))

from sizing import ANSWER, UPSTREAM, free, nginx, tersely  # noqa: E402

BAR = 0.1
HOSTILE = ["1", "[", "=", "\n", '{"a":', "a1b2", "\\", "é", "0123456789 ", "-"]
HOSTILE_LENGTH = 400_000


def large(number: int) -> str:
    """Three megabytes of rows; no two numbers share a row."""
    rows = (f'{{"id":{at},"name":"item {number} {at}","state":"open","at":{at * 7919}}}' for at in range(45_000))
    return f"[{','.join(rows)}]"


def body(text: str) -> bytes:
    """A request with this tool result."""
    result = {"type": "tool_result", "tool_use_id": "a", "content": text}
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": [result]}]}).encode()


def send(port: int, start: multiprocessing.Event, text: str) -> bool:
    """Sends a body when all are ready to; true if it was forwarded unchanged because it was too much."""
    asked = body(text)
    start.wait()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("POST", "/v1/messages", asked, {"content-type": "application/json", "x-api-key": "k"})
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200, f"answered with {answer.status}"
    return answer.getheader("x-tersely-missed") is not None


def check(port: int) -> float:
    """Seconds until a check of health is answered."""
    begun = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/healthz")
    assert connection.getresponse().status == 200, "not healthy"
    connection.close()
    return time.perf_counter() - begun


def crowd(binary: Path, target: int, texts: list[str]) -> tuple[list[float], int]:
    """The times of checks while all bodies are on their way, the slowest last, and how many bodies were not rewritten."""
    with tersely(binary, target, "--mode", "standard@1") as gateway, multiprocessing.Manager() as manager:
        start, took = manager.Event(), []
        with multiprocessing.Pool(len(texts), os.nice, (19,)) as pool:
            waiting = pool.starmap_async(send, [(gateway.port, start, text) for text in texts])
            time.sleep(1)
            start.set()
            while not waiting.ready():
                took.append(check(gateway.port))
                time.sleep(0.005)
            return sorted(took), sum(waiting.get())


def main(args: argparse.Namespace) -> int:
    """Both kinds, in rounds."""
    kinds = [("forty", [large(number) for number in range(40)]), ("ten hostile", [sign * (HOSTILE_LENGTH // len(sign)) for sign in HOSTILE])]
    target, is_good = free(), True
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(nginx(folder, "upstream", UPSTREAM.format(port=target, answer=ANSWER), target))
        for name, texts in kinds:
            rounds = [crowd(args.tersely, target, texts) for _ in range(args.rounds)]
            took, lost = sorted(time for times, _ in rounds for time in times), sum(lost for _, lost in rounds)
            print(f"{name} of {max(map(len, texts))} bytes: {len(took)} checks, half within {took[len(took) // 2] * 1e3:.1f}ms, all within {took[-1] * 1e3:.1f}ms; {lost} not rewritten", flush=True)
            is_good &= took[-1] <= BAR and lost == 0
    return 0 if is_good else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    parser.add_argument("--rounds", type=int, default=3)
    sys.exit(main(parser.parse_args()))
