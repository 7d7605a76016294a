"""Requests a second on one core: `tersely serve` beside a proxy of bare hyper and nginx, in the same run, at 64 KB; and the CPU time of a conversation of 1 MB whose last
result of 4 KB alone is new, turn by turn, beside bare hyper with the same bodies.

Each proxy is bound to one core; wrk, which sends, and nginx, which answers, have the others. Proxies take turns; a figure is the median of the rounds. Requests a second depend on how busy the
machine is, so the CPU time of each request is told as well, and how many times that of bare hyper in the same round it is. `--other` names another build, which takes its turns too. Needs wrk and
nginx. Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sizing import ANSWER, PROXY, ROOT, SIZES, UPSTREAM, Proxy, conversation, cost, free, next_turn, nginx, plain, send, tersely, wait_for, written

SCRIPT = """
local bodies, at = {}, 0
for line in io.lines(os.getenv("BODIES")) do bodies[#bodies + 1] = line end
wrk.method, wrk.path = "POST", "/v1/messages"
wrk.headers["content-type"], wrk.headers["x-api-key"] = "application/json", "k"
request = function() at = at % #bodies + 1; return wrk.format(nil, nil, nil, bodies[at]) end
"""
CONNECTIONS = 16
TURNS = 30
NEW_BYTES = 4_000
BARE, BARE_LONG = "bare hyper", "bare hyper, 1 MB"


def pin(proxy: Proxy) -> Proxy:
    """Binds all threads of a proxy to the first core, and wrk and nginx to the others."""
    for pid in proxy.pids():
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {0})
    return proxy


def load(proxy: Proxy, script: Path, bodies: Path, seconds: int) -> tuple[float, float]:
    """Requests a second, and milliseconds of CPU for each."""
    pin(proxy)
    before = proxy.cpu()
    words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(script), f"http://127.0.0.1:{proxy.port}"]
    said = subprocess.run(words, env={**os.environ, "BODIES": str(bodies)}, check=True, capture_output=True, text=True).stdout
    time.sleep(0.3)
    count = int(re.search(r"(\d+) requests in", said)[1])
    if "Non-2xx" in said or "Socket errors" in said:
        raise SystemExit(said)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1]), (proxy.cpu() - before) * 1000 / count


@contextlib.contextmanager
def bare(program: Path, target: int):
    """The proxy of bare hyper."""
    port = free()
    process = subprocess.Popen([program, f"127.0.0.1:{port}", f"127.0.0.1:{target}"], stderr=subprocess.DEVNULL)
    wait_for(port)
    try:
        yield Proxy(process, port)
    finally:
        process.kill()
        process.wait()


def files(folder: Path, name: str, count: int) -> dict[str, Path]:
    """Bodies of a size, one in a line: with nothing to change, known, and so many that few come twice."""
    size = SIZES[name]
    kinds = {
        "plain": [plain(size.body, at) for at in range(20)],
        "known": [conversation(size.body, size.piece, at) for at in range(4)],
        "new": [conversation(size.body, size.piece, 100 + at) for at in range(count)],
    }
    places = {kind: folder / f"{kind} {name}" for kind in kinds}
    for kind, told in kinds.items():
        places[kind].write_bytes(b"\n".join(map(written, told)) + b"\n")
    return places


def delay(proxy: Proxy, script: Path, bodies: Path, seconds: int) -> tuple[float, float]:
    """Milliseconds until a request is answered that is alone, at the median and for one in a hundred."""
    words = ["wrk", "-t1", "-c1", f"-d{seconds}s", "--latency", "-s", str(script), f"http://127.0.0.1:{proxy.port}"]
    said = subprocess.run(words, env={**os.environ, "BODIES": str(bodies)}, check=True, capture_output=True, text=True).stdout
    units = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    found = {share: float(number) * units[unit] for share, number, unit in re.findall(r"(\d+)%\s+([\d.]+)(us|ms|s)", said)}
    return found["50"], found["99"]


def turns(seed: int) -> list[bytes]:
    """A conversation of 1 MB, and how it goes on by one result at a time."""
    size = SIZES["1 MB"]
    told = [conversation(size.body, size.piece, seed)]
    for at in range(TURNS):
        told.append(next_turn(told[-1], seed * 1_000 + at, NEW_BYTES))
    return [written(turn) for turn in told]


def go_on(proxy: Proxy, seed: int) -> float:
    """Milliseconds of CPU for each turn after the first."""
    first, *rest = turns(seed)
    send(proxy.port, [first], workers=1)
    return cost(pin(proxy), rest, workers=1)


def main(args: argparse.Namespace) -> None:
    os.sched_setaffinity(0, set(range(1, os.cpu_count() or 2)))
    folder = Path(tempfile.mkdtemp())
    script, bodies = folder / "post.lua", files(folder, "64 KB", 2_000)
    script.write_text(SCRIPT)
    target, front = free(), free()
    found: dict[str, list[tuple[float, float]]] = {}
    with contextlib.ExitStack() as stack:
        stack.enter_context(nginx(folder, "upstream", UPSTREAM.format(port=target, answer=ANSWER), target))
        proxies = {
            "nginx": stack.enter_context(nginx(folder, "proxy", PROXY.format(port=front, target=target), front)),
            BARE: stack.enter_context(bare(args.bare, target)),
        }
        rows, long = [("nginx", "nginx", "known"), (BARE, BARE, "known")], [(BARE_LONG, BARE)]
        for program, label in [(args.tersely, ""), (args.other, ", other build")]:
            if program:
                off, ours = f"off{label}", f"ours{label}"
                proxies[off] = stack.enter_context(tersely(program, target, "--mode", "disabled"))
                proxies[ours] = stack.enter_context(tersely(program, target, "--mode", "standard@1"))
                rows += [(f"mode disabled{label}", off, "known"), (f"nothing to change{label}", ours, "plain")]
                rows += [(f"the same again{label}", ours, "known"), (f"all new{label}", ours, "new")]
                long.append((f"4 KB new in 1 MB{label}", ours))
        for number in range(args.rounds):
            for row, proxy, kind in rows:
                found.setdefault(row, []).append(load(proxies[proxy], script, bodies[kind], args.seconds))
                rate, cpu = found[row][-1]
                print(f"round {number + 1}, {row}: {rate:.0f} a second, {cpu:.3f} CPU-ms", file=sys.stderr, flush=True)
            for row, proxy in long:
                found.setdefault(row, []).append((0, go_on(proxies[proxy], number + 1)))
                print(f"round {number + 1}, {row}: {found[row][-1][1]:.3f} CPU-ms", file=sys.stderr, flush=True)
        if args.delay:
            print("| alone | 64 KB: ms at p50 | ms at p99 | 1 MB: ms at p50 | ms at p99 |\n|---|--:|--:|--:|--:|")
            sizes = [bodies, files(folder, "1 MB", 100)]
            for row, proxy, kind in rows[1:]:
                for size in sizes if kind != "new" else []:
                    # A first request, which is slow, is not one of these.
                    load(proxies[proxy], script, size[kind], 1)
                times = [delay(proxies[proxy], script, size[kind], args.seconds) for size in sizes]
                print("".join([f"| {row} ", *(f"| {half:.2f} | {most:.2f} " for half, most in times), "|"]), flush=True)
    shutil.rmtree(folder)
    medians = {row: [statistics.median(column) for column in zip(*values)] for row, values in found.items()}
    if args.json:
        print(json.dumps({row: {"requests_per_second": rate, "cpu_ms": cpu} for row, (rate, cpu) in medians.items()}))
        return
    print("| on one core, bodies of 64 KB | requests a second | CPU-ms each | times bare hyper |\n|---|--:|--:|--:|")
    for row, (rate, cpu) in medians.items():
        beside = found[BARE if rate else BARE_LONG]
        times = statistics.median(ours / theirs for (_, ours), (_, theirs) in zip(found[row], beside))
        print(f"| {row} | {f'{rate:,.0f}' if rate else '–'} | {cpu:.3f} | {times:.2f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    parser.add_argument("--other", type=Path, help="another build, to compare with")
    parser.add_argument("--bare", type=Path, default=ROOT / "target/release/examples/bare")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--delay", action="store_true", help="also how long a request takes that is alone, at 64 KB and 1 MB")
    parser.add_argument("--json", action="store_true")
    main(parser.parse_args())
