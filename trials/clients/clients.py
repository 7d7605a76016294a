"""Sends real clients through `tersely serve` to an upstream with a script, and checks what arrives on both sides.

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from agents import CLIENTS, prepare
from compare import Unfaithful, compare
from relay import Relay
from upstream import FINAL, PAUSE, PIECES, Upstream

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 180


@dataclass
class Result:
    """What became of one client."""

    client: str
    requests: int = 0
    before: int = 0
    after: int = 0
    exact: bool = False
    spread: float = 0.0
    fault: str = ""


class Server:
    """`tersely serve`, on a free port."""

    def __init__(self, binary: Path, upstream: str, *flags: str) -> None:
        words = [binary, "serve", "--listen", "127.0.0.1:0", "--upstream", upstream, *flags]
        # What an SDK sends here is short: unless told so, the gateway would not offer its tool.
        env = {**os.environ, "TERSELY_EXPAND": "always"}
        self.process = subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not found:
            raise SystemExit(f"tersely serve did not start: {line}{self.process.stderr.read()}")
        self.address = ("127.0.0.1", int(found[1]))

    def stop(self) -> int:
        """Ask it to stop, and tell how it ended."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return -1


def turn(binary: Path, name: str, mode: str) -> tuple[Relay, Upstream, str]:
    """One client's turn; gives what passed, and what is wrong if the turn did not come to its end."""
    upstream = Upstream()
    # With nothing left out there is no hidden tool either: see expand.py for that.
    server = Server(binary, upstream.url, "--mode", mode, "--loss", "form")
    relay = Relay(server.address)
    start = CLIENTS[name](relay.url)
    with tempfile.TemporaryDirectory(prefix="tersely-clients-", ignore_cleanup_errors=True) as folder:
        env = prepare(Path(folder), start)
        try:
            done = subprocess.run(
                start.words, env=env, cwd=Path(folder) / "here", stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=PATIENCE, check=False,
            )
            said, code = done.stdout + done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            said, code = f"{late.stdout} {late.stderr}", None
    relay.close()
    server.stop()
    upstream.shutdown()
    fault = "" if code == 0 and FINAL in said else f"ended with {code} and said: {said[-600:]}"
    return relay, upstream, fault


def count(binary: Path, text: str) -> int:
    """The o200k tokens of a text."""
    done = subprocess.run([binary, "count", "--json"], input=text, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["total"]


def restored(binary: Path, text: str) -> str:
    """What a compressed text stands for."""
    return subprocess.run([binary, "decode"], input=text, capture_output=True, text=True, check=False).stdout


def check(binary: Path, name: str) -> Result:
    """Sends a client through twice: with nothing to be changed, and with results to be compressed."""
    result = Result(name)
    try:
        relay, upstream, result.fault = turn(binary, name, "disabled")
        if not result.fault and compare(relay.requests(), upstream.requests):
            result.fault = "a body changed in disabled mode"
        if result.fault:
            return result
        relay, upstream, result.fault = turn(binary, name, "standard")
        result.requests, result.spread = len(upstream.requests), relay.spread(PIECES[-1].encode())
        changes = compare(relay.requests(), upstream.requests)
        if result.fault:
            return result
        if not changes:
            result.fault = "no result was compressed"
            return result
        result.before, result.after = (count(binary, text) for text in (changes[0].before, changes[0].after))
        result.exact = all(restored(binary, change.after) == change.before for change in changes)
        if result.spread < PAUSE * (len(PIECES) - 1):
            result.fault = f"the answer did not stream: all of it came within {result.spread:.2f} s"
    except Unfaithful as fault:
        result.fault = str(fault)
    return result


def table(results: list[Result]) -> str:
    """The report."""
    lines = ["| client | turn | requests | result tokens | saved | decodes exactly | bytes outside | stream |"]
    lines.append("|---|---|---:|---:|---:|---|---|---:|")
    for it in results:
        if it.fault:
            lines.append(f"| {it.client} | **{it.fault}** | {it.requests} | | | | | |")
            continue
        saved = f"{100 - 100 * it.after / it.before:.0f} %"
        tokens, exact = f"{it.before:,} → {it.after:,}", "yes" if it.exact else "no"
        lines.append(f"| {it.client} | done | {it.requests} | {tokens} | {saved} | {exact} | identical | {it.spread:.2f} s |")
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    parser.add_argument("--only", default="", help="clients whose names contain this")
    parser.add_argument("--json", type=Path, help="write the results here")
    args = parser.parse_args()
    results = []
    for name in CLIENTS:
        if args.only.lower() in name.lower():
            results.append(check(args.binary.resolve(), name))
            print(f"{name}: {results[-1].fault or 'done'}", flush=True)
    print(table(results))
    if args.json:
        args.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    raise SystemExit(any(result.fault for result in results))


if __name__ == "__main__":
    main()
