"""Replays a transcript turn by turn to a real prompt cache (llama.cpp), direct and through `tersely serve`.

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Iterator

from setup import MODEL, PYTHON

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PATIENCE = 900


@dataclass
class Count:
    """Tokens of a prompt, as the server counted them."""

    cached: int = 0
    new: int = 0

    def add(self, other: Count) -> None:
        """Add up."""
        self.cached += other.cached
        self.new += other.new

    @property
    def share(self) -> float:
        """The cached part of all, in percent."""
        return 100 * self.cached / max(1, self.cached + self.new)


def requests(transcript: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every request that an agent made on the way to a transcript: the messages before each answer."""
    for at, message in enumerate(transcript["messages"]):
        if at > 0 and message["role"] == "assistant":
            yield {**transcript, "messages": transcript["messages"][:at], "max_tokens": 1}


def count(answer: dict[str, Any]) -> Count:
    """What the server found in its cache, and what it had to read."""
    if "timings" in answer:
        return Count(answer["timings"]["cache_n"], answer["timings"]["prompt_n"])
    usage = answer["usage"]
    return Count(usage.get("cache_read_input_tokens", 0), usage["input_tokens"])


def post(url: str, body: dict[str, Any]) -> Count | None:
    """The counts of one request; none when it is longer than the context of the server."""
    head = {"content-type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), head), timeout=PATIENCE) as answer:
            return count(json.load(answer))
    except urllib.error.HTTPError as error:
        said = error.read().decode()
        if error.code == 400 and "context" in said:
            return None
        raise SystemExit(f"{url}: {error.code}: {said[:500]}") from error


@contextmanager
def model(context: int) -> Iterator[str]:
    """A server that remembers nothing yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    words = [PYTHON, HERE / "server.py", MODEL, str(port), str(context)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(240):
                if is_ready(url) or process.poll() is not None:
                    break
                time.sleep(0.5)
            yield url
        finally:
            process.kill()


def is_ready(url: str) -> bool:
    """Whether the model is loaded."""
    try:
        with urllib.request.urlopen(url + "/health", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


@contextmanager
def gateway(binary: Path, upstream: str, loss: str) -> Iterator[str]:
    """`tersely serve` before a server."""
    words = [binary, "serve", "--listen", "127.0.0.1:0", "--upstream", upstream, "--mode", "standard", "--loss", loss]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            line = process.stderr.readline()
            if "127.0.0.1:" not in line:
                raise SystemExit(f"tersely serve did not start: {line}{process.stderr.read()}")
            yield "http://127.0.0.1:" + line.split("127.0.0.1:")[1].split(",")[0].strip()
        finally:
            process.terminate()


def replay(url: str, transcript: dict[str, Any], most: int | None) -> list[Count]:
    """Send turn by turn until the context is full, or `most` turns were sent."""
    counts: list[Count] = []
    for body in requests(transcript):
        found = None if most == len(counts) else post(url, body)
        if found is None:
            break
        counts.append(found)
        print(f"turn {len(counts)}: {found.cached} cached, {found.new} new", file=sys.stderr, flush=True)
    return counts


def table(ways: dict[str, list[Count]]) -> tuple[str, dict[str, Count]]:
    """A line a turn, cached and new tokens beside each other, and the sums."""
    head = "turn  " + "  ".join(f"{name + ' cached':>16}  {'new':>6}" for name in ways)
    lines, sums = [head], {name: Count() for name in ways}
    for turn, counts in enumerate(zip(*ways.values(), strict=True), 1):
        lines.append(f"{turn:>4}  " + "  ".join(f"{found.cached:>16}  {found.new:>6}" for found in counts))
        for total, found in zip(sums.values(), counts, strict=True):
            total.add(found)
    lines.append(" sum  " + "  ".join(f"{total.cached:>16}  {total.new:>6}" for total in sums.values()))
    lines.append("share " + "  ".join(f"{total.share:>14.1f} %  {'':>6}" for total in sums.values()))
    return "\n".join(lines), sums


def main() -> None:
    """Run the comparison; the exit code is 1 when the cache is hit less, or more tokens are new."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transcript", type=Path, help="NAME.anthropic.json or NAME.openai.json")
    parser.add_argument("--loss", nargs="*", default=["none", "form"], help="the losses to allow, one run each")
    parser.add_argument("--context", type=int, default=8192, help="the tokens to which the transcript is cut")
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    parser.add_argument("--json", type=Path, help="a file for the counts")
    args = parser.parse_args()
    transcript = json.loads(args.transcript.read_text())
    path = "/v1/messages" if ".anthropic." in args.transcript.name else "/v1/chat/completions"
    with model(args.context) as upstream:
        ways = {"direct": replay(upstream + path, transcript, None)}
    for loss in args.loss:
        with model(args.context) as upstream, gateway(args.binary, upstream, loss) as own:
            ways[loss] = replay(own + path, transcript, len(ways["direct"]))
    text, sums = table(ways)
    print(f"{args.transcript.name}, the turns that fit {args.context} tokens\n\n{text}")
    if args.json:
        args.json.write_text(json.dumps({name: [asdict(it) for it in counts] for name, counts in ways.items()}))
    direct = sums.pop("direct")
    worse = [name for name, it in sums.items() if it.new >= direct.new or round(it.share, 1) < round(direct.share, 1)]
    if worse:
        raise SystemExit(f"worse than direct: {', '.join(worse)}")


if __name__ == "__main__":
    main()
