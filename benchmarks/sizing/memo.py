"""What the next turn of a conversation costs `tersely serve`, by the number of conversations that it remembers for the same client.

All of them have the same system prompt, as an agent's have, and the same key, as behind a gateway of one's own. Bodies are of 60 KB and that prompt. See docs/scale.md. Linux only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from sizing import ANSWER, ROOT, UPSTREAM, Proxy, code, conversation, cost, free, next_turn, nginx, send, written

BODY, PIECE = 60_000, 8_000
TALKS, TURNS = 20, 6


def talk(seed: int, prompt: int) -> dict:
    """A conversation below a system prompt of so many bytes that all have."""
    told = conversation(BODY, PIECE, seed)
    for message in told["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else []:
            # As providers do, no two calls have the same id.
            key = "id" if part["type"] == "tool_use" else "tool_use_id"
            part[key] = f"{part[key]}_{seed}"
    return {"system": code(prompt, 1), **told}


def measure(binary: Path, target: int, count: int, prompt: int) -> tuple[float, float]:
    """Milliseconds of CPU for a next turn, and megabytes of the gateway."""
    port = free()
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TERSELY_LOG_LEVEL": "off", "TERSELY_LIMITS_MEMO": "2GiB"}
    words = [str(binary), "serve", "--listen", f"127.0.0.1:{port}", "--upstream", f"http://127.0.0.1:{target}", "--mode", "standard@1"]
    process = subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr and "ready on" in process.stderr.readline()
        proxy = Proxy(process, port)
        for at in range(0, count, 50):
            send(port, [written(talk(1 + seed, prompt)) for seed in range(at, min(at + 50, count))])
        some, turns = [talk(1 + seed, prompt) for seed in range(0, count, max(1, count // TALKS))][:TALKS], []
        for turn in range(TURNS):
            some = [next_turn(told, 9_000 + turn * TALKS + at) for at, told in enumerate(some)]
            turns += map(written, some)
        return cost(proxy, turns, workers=1), proxy.memory() / 1e6
    finally:
        process.kill()
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    parser.add_argument("--counts", type=int, nargs="+", default=[20, 60, 500, 1_000])
    args = parser.parse_args()
    target = free()
    print("| conversations | no common prompt: CPU-ms | MB | 80 KB of it: CPU-ms | MB |\n|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as name, nginx(Path(name), "upstream", UPSTREAM.format(port=target, answer=ANSWER), target):
        for count in args.counts:
            cells = [measure(args.tersely, target, count, prompt) for prompt in (100, 80_000)]
            print(f"| {count:,} | " + " | ".join(f"{cpu:.1f} | {memory:.0f}" for cpu, memory in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
