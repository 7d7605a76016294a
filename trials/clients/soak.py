"""Keeps `tersely serve` busy for minutes with mixed streams and hidden calls, and watches its memory, sockets and threads.

Fifty clients speak all four shapes, whole and streamed. One response in five has a hidden call, a few have two, and sometimes a further round fails;
a tenth of the clients leave in the middle of an answer. Every answer is held against what the upstream said.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from asking import REFERENCE
from clients import ROOT, Server
from speech import OWN, READ, SHAPES, TOOL, WROTE, Call, Say, Text, is_hidden, shape_of, streams

CLIENTS = 50
SAMPLE = 10
# Seconds after which a gateway has closed connections that nobody uses, and how many wrong answers are enough to stop.
SETTLED, ENOUGH = 95, 100
# Seconds between the pieces of a stream.
PIECE = 0.03
WORDS = [f"word {number}, " for number in range(12)]

# What the model is told when it has fetched as much as it may.
USED_UP = "That is more than is left to show of this result."

# How often, in a hundred, an upstream does what; the rest is plain text.
KINDS = {"once": 16, "twice": 2, "mixed": 3, "own": 9, "fails": 2}


@dataclass
class Load:
    """What was seen so far."""

    counts: Counter = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    samples: list[tuple[float, int, int, int]] = field(default_factory=list)
    originals: dict[str, str] = field(default_factory=dict)
    # Seconds between the requests of a client, in the mean.
    rest: float = 1.2
    is_over: bool = False


def log(seed: str, lines: int) -> str:
    """A test run that is mostly good news, and no other's."""
    cases = [f"test s{seed}::case_{n:03} ... {'FAILED' if n == 20 else 'ok'}\n" for n in range(lines)]
    return "".join(cases) + f"\nfailures:\n    s{seed}::case_020\n\ntest result: FAILED. {lines - 1} passed; 1 failed; 0 ignored\n"


def says(load: Load, kind: str, results: list[tuple[str, str]]) -> list[Say] | None:
    """What the upstream says; `None` when this round fails."""
    asked = [text for mark, text in results if is_hidden(mark)]
    found = REFERENCE.search(results[0][1])
    if not found:
        load.wrong.append(f"nothing was left out of {results[0][1][:80]!r}")
        return [Text(("?",))]
    ask, text = Call(TOOL, {"id": found[1]}), Text(tuple(WORDS))
    if kind == "fails" and asked:
        return None
    match (kind, len(asked)):
        case ("once", 0) | ("twice", 0) | ("fails", 0):
            return [text, ask]
        case ("twice", 1):
            return [text, Call(TOOL, {"id": found[1], "lines": "1-3"})]
        case ("mixed", _):
            return [text, ask, Call(OWN, {"command": "ls"})]
        case ("own", _):
            return [text, Call(OWN, {"command": "ls"})]
    return [text]


async def upstream(load: Load, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the requests of one connection."""
    load.counts["connections to the upstream"] += 1
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            lines = head.decode().split("\r\n")
            path = lines[0].split(" ")[1]
            length = next(int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length:"))
            headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
            await answer(load, path, headers, await reader.readexactly(length), writer)
    except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
        pass
    finally:
        writer.close()


async def answer(load: Load, path: str, headers: dict[str, str], raw: bytes, writer: asyncio.StreamWriter) -> None:
    """Answers one request; the client's headers say what kind of answer it is after."""
    body, shape, kind = json.loads(raw), shape_of(path), headers["x-kind"]
    results = shape.results(body)
    original = load.originals[headers["x-seed"]]
    beginning = "".join(original.splitlines(True)[:3])
    for number, text in enumerate(text for mark, text in results if is_hidden(mark)):
        # What was fetched back in a turn is no longer than the request; the second time, that may be used up.
        is_used_up = number > 0 and text.startswith(USED_UP)
        if text not in (original, beginning) and not is_used_up:
            load.wrong.append(f"{kind}: the answer was {text[:80]!r}")
    if shape.tools(body) != [OWN, TOOL]:
        load.wrong.append(f"tools were {shape.tools(body)}")
    said = says(load, kind, results)
    if said is None:
        writer.write(b"HTTP/1.1 529 Overloaded\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
    elif streams(path, body):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for event in shape.events(len(results), said):
            writer.write(b"%x\r\n%s\r\n" % (len(event), event))
            await writer.drain()
            await asyncio.sleep(PIECE)
        writer.write(b"0\r\n\r\n")
    else:
        await asyncio.sleep(PIECE * 5)
        whole = json.dumps(shape.whole(len(results), said)).encode()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(whole), whole))
    await writer.drain()


async def client(load: Load, port: int, number: int) -> None:
    """Asks, and asks again, until it is over."""
    dice = random.Random(number)
    count = 0
    while not load.is_over:
        count += 1
        await asyncio.sleep(dice.random() * 2 * load.rest)
        await ask(load, port, f"{number}x{count}", dice)


async def ask(load: Load, port: int, seed: str, dice: random.Random) -> None:
    """One request over a connection of its own, read to its end or left in the middle."""
    shape, flows = dice.choice(list(SHAPES.values())), dice.random() < 0.7
    kind = dice.choices([*KINDS, "plain"], [*KINDS.values(), 100 - sum(KINDS.values())])[0]
    load.originals[seed] = log(seed, 4000 if dice.random() < 0.05 else dice.randrange(80, 400))
    body = json.dumps(shape.request("m", flows, load.originals[seed])).encode()
    head = f"POST {shape.path('m', flows)} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {seed}\r\n"
    head += f"x-kind: {kind}\r\nx-seed: {seed}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    leaves = dice.random() < 0.1
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head.encode() + body)
    try:
        if leaves:
            await asyncio.wait_for(reader.read(1 + dice.randrange(2000)), dice.random())
            load.counts["left in the middle"] += 1
        else:
            check(load, kind, shape, flows, await asyncio.wait_for(reader.read(-1), 60))
            load.counts[f"{'streamed' if flows else 'whole'}, {kind}"] += 1
    except TimeoutError:
        if not leaves:
            load.wrong.append(f"{kind}: no answer within a minute")
    except (ConnectionError, OSError) as fault:
        load.wrong.append(f"{kind}: {fault!r}")
    finally:
        writer.close()
        load.originals.pop(seed) if not leaves else asyncio.get_running_loop().call_later(30, load.originals.pop, seed)


def check(load: Load, kind: str, shape, flows: bool, raw: bytes) -> None:
    """Holds an answer against what was said."""
    head, body = raw.split(b"\r\n\r\n", 1)
    chunked = b"transfer-encoding: chunked" in head.lower()
    body = b"".join(pieces(body)) if chunked else body
    told = f"{shape.__name__}, {'streamed' if flows else 'whole'}, {kind}"
    if TOOL.encode() in raw:
        load.wrong.append(f"{told}: the tool is in the answer")
    if kind == "fails":
        if b"529" not in (body if flows else head):
            load.wrong.append(f"{told}: {raw[:200]!r} … {raw[-300:]!r}")
        return
    rounds = {"once": 2, "twice": 3}.get(kind, 1)
    wanted = ("".join(WORDS) * rounds, [OWN] if kind in ("mixed", "own") else [], (rounds * READ, rounds * WROTE))
    try:
        got = shape.got(flows, body)
        if (got.text, got.calls, got.usage) != wanted:
            load.wrong.append(f"{told}: {got}")
    except (AssertionError, LookupError, ValueError, TypeError) as fault:
        load.wrong.append(f"{told}: {fault!r} in {body[-300:]!r}")


def pieces(body: bytes) -> list[bytes]:
    """The chunks of a body."""
    found = []
    while body:
        size, body = body.split(b"\r\n", 1)
        found.append(body[: int(size, 16)])
        body = body[int(size, 16) + 2 :]
    return found


def measure(pid: int) -> tuple[int, int, int]:
    """Kilobytes resident, open files, threads."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]), len(os.listdir(f"/proc/{pid}/fd")), int(status["Threads"])


async def watch(load: Load, pid: int, start: float) -> None:
    """Samples the gateway until it is over."""
    while not load.is_over:
        load.samples.append((time.monotonic() - start, *measure(pid)))
        seconds, resident, files, threads = load.samples[-1]
        done = sum(count for name, count in load.counts.items() if "," in name)
        if len(load.samples) % 6 == 1:
            print(f"{seconds / 60:5.1f} min  {resident / 1024:6.1f} MB  {files:4} files  {threads:3} threads  {done} answers", flush=True)
        await asyncio.sleep(SAMPLE)


def mean(load: Load, low: float, high: float) -> float:
    """Megabytes resident, in the mean of the samples between two minutes."""
    found = [resident for seconds, resident, _, _ in load.samples if low * 60 <= seconds < high * 60]
    return sum(found) / max(len(found), 1) / 1024


async def soak(binary: Path, minutes: float, load: Load) -> bool:
    """The whole of it; true when all is well."""
    server = await asyncio.start_server(lambda *it: upstream(load, *it), "127.0.0.1", 0, limit=1 << 22)
    gateway = Server(binary, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    pid, port = gateway.process.pid, gateway.address[1]
    # The first request opens the history, which stays open.
    await ask(load, port, "first", random.Random(1))
    await asyncio.sleep(SETTLED)
    first, start = measure(pid), time.monotonic()
    watching = asyncio.create_task(watch(load, pid, start))
    clients = [asyncio.create_task(client(load, port, number)) for number in range(CLIENTS)]
    while time.monotonic() < start + minutes * 60 and len(load.wrong) < ENOUGH:
        await asyncio.sleep(1)
    load.is_over = True
    await asyncio.gather(*clients, watching)
    server.close()
    last = await idle(pid, first)
    return report(load, minutes, first, last, gateway.stop())


async def idle(pid: int, first: tuple[int, int, int]) -> tuple[int, int, int]:
    """What the gateway holds once its connections have had time to go: it looks every 90 s for those that were idle for as long."""
    for _ in range(200):
        last = measure(pid)
        if last[1] <= first[1]:
            break
        await asyncio.sleep(1)
    return measure(pid)


def report(load: Load, minutes: float, first: tuple, last: tuple, code: int) -> bool:
    """Prints the figures; true when all is well."""
    for name, count in sorted(load.counts.items()):
        print(f"{name:32} {count}")
    for wrong in load.wrong[:20]:
        print(f"WRONG {wrong}")
    # Each thread has a heap of its own, which grows to the most that it ever needed at once; in the first third, threads still come and heaps still grow. A leak never settles.
    early, late = mean(load, minutes / 3, minutes * 2 / 3), mean(load, minutes * 2 / 3, minutes)
    print(f"wrong answers {len(load.wrong)}; stopped with {code}")
    start, end = first[0] / 1024, last[0] / 1024
    print(f"resident: {start:.1f} MB at the start, {early:.1f} MB in the second third, {late:.1f} MB in the last, {end:.1f} MB idle after")
    print(f"open files: {first[1]} at the start, {max(files for _, _, files, _ in load.samples)} at most, {last[1]} idle after")
    print(f"threads: {first[2]} at the start, {max(threads for _, _, _, threads in load.samples)} at most, {last[2]} idle after")
    return not load.wrong and last[1] <= first[1] and late < early * 1.05 and code == 0


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", type=float, nargs="?", default=15)
    parser.add_argument("--rest", type=float, default=1.2, help="seconds between the requests of a client")
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    args = parser.parse_args()
    raise SystemExit(not asyncio.run(soak(args.binary.resolve(), args.minutes, Load(rest=args.rest))))


if __name__ == "__main__":
    main()
