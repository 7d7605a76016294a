"""Times `compress` in process: against the engine alone, in threads, for its first call, and for leaks.

    python3 packages/speed.py PACE [NODE]

PACE is the example `pace` of crates/embed, built with --release, and NODE a folder with the npm package and speed.mjs. Needs
both packages with their native parts. On a quiet machine.
"""

import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tersely

ROOT = Path(__file__).resolve().parents[1]
LARGER = Path(os.environ.get("TERSELY_CORPUS", ROOT / "../shared/corpus"))
LISTS = {"anthropic": "messages", "openai": "messages", "responses": "input"}
FIRST = "import time, tersely; start = time.perf_counter(); tersely.compress('[{\"a\": 1}, {\"a\": 2}]' * 9); print(time.perf_counter() - start)"


def main(pace: str, node: str | None) -> None:
    first = [float(subprocess.run([sys.executable, "-c", FIRST], capture_output=True, check=True).stdout) for _ in range(10)]
    print(f"first call: {sorted(first)[5] * 1e3:.1f} ms (median of 10 processes)")
    bodies = list(_bodies())
    script = "import sys, json, speed; print(speed.time_all([json.loads(line) for line in sys.stdin]))"
    for words, place in [([sys.executable, "-c", script], None), *([(["node", "speed.mjs"], node)] if node else [])]:
        ratios = sorted(_ratio(pace, bodies, words, place) for _ in range(5))
        print(f"{words[0]}: {len(bodies)} conversations: {ratios[2]:.2f} times the engine alone (median of 5 runs)")
    _threads()
    _leaks()


def _bodies() -> list[dict]:
    for root in (ROOT / "corpus", LARGER):
        for path in sorted((root / "conversations").glob("*.json")):
            place = LISTS.get(path.name.split(".")[-2])
            if place:
                request = json.loads(path.read_text(encoding="utf-8"))
                yield {"model": request.get("model"), place: request[place]}


def _ratio(pace: str, bodies: list[dict], words: list[str], place: str | None) -> float:
    lines = "".join(json.dumps(body, ensure_ascii=False) + "\n" for body in bodies)
    engine = float(subprocess.run([pace], input=lines.encode(), capture_output=True, check=True).stdout.split()[0])
    path = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    ours = float(subprocess.run(words, input=lines.encode(), capture_output=True, check=True, env=path, cwd=place).stdout)
    return ours / engine


def time_all(bodies: list[dict]) -> float:
    """The time of all but the first, each compressed once: a second time would be quicker."""
    total = 0.0
    for at, body in enumerate(bodies):
        ((_, messages),) = [item for item in body.items() if item[0] != "model"]
        start = time.perf_counter()
        tersely.compress(messages, model=body["model"])
        total += (time.perf_counter() - start) * (at > 0)
    return total


def _threads() -> None:
    line = "{level} {n} worker {w} finished batch {b} in {ms} ms of the queue {q}"
    texts = ["\n".join(line.format(level="INFO", n=n + t, w=n % 7, b=n * 31 % 997, ms=n * 7 % 113, q=n % 13) for n in range(400)) for t in range(40)]
    times = {1: 1e9, 2: 1e9, 8: 1e9}
    # The best of many short runs: what else the machine does counts least in it.
    for threads in list(times) * 15:
        with ThreadPoolExecutor(threads) as pool:
            start = time.perf_counter()
            list(pool.map(tersely.compress, texts))
            times[threads] = min(times[threads], time.perf_counter() - start)
    print(f"two threads: {times[1] / times[2]:.2f} times one; eight: {times[1] / times[8]:.2f} times one ({os.cpu_count()} cores)")


def _leaks() -> None:
    def size() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    rows = [{"number": n, "state": "open"} for n in range(20)]
    sizes = []
    for count in range(100_000):
        text = json.dumps([{**row, "call": count} for row in rows])
        tersely.compress([{"role": "tool", "tool_call_id": "c", "content": text}])
        if count in (20_000, 99_999):
            sizes.append(size())
    print(f"memory: {sizes[0]:.1f} MB after 20 000 calls, {sizes[1]:.1f} MB after 100 000")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
