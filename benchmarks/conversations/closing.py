"""What `tersely run` says at its end of every transcript of a folder, sent turn by turn; the median comes last.

The upstream only says yes: what is counted is what is sent. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from replay import ROOT, requests

FIRST = re.compile(r"tersely: ([\d,]+) requests?: ([\d,]+) (of|tokens added to) ([\d,]+)")


class Yes(BaseHTTPRequestHandler):
    """An upstream that answers every request with an empty object."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Read it all and say yes."""
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


def send(path: Path) -> None:
    """Send the requests of a transcript to where the environment says, as a client would."""
    is_anthropic = ".anthropic." in path.name
    base = os.environ["ANTHROPIC_BASE_URL" if is_anthropic else "OPENAI_BASE_URL"]
    url = base + ("/v1/messages" if is_anthropic else "/chat/completions")
    for request in requests(json.loads(path.read_text())):
        body = json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"content-type": "application/json", "x-api-key": "key"}
        urllib.request.urlopen(urllib.request.Request(url, body, headers)).read()


def closing(binary: Path, upstream: str, path: Path) -> str:
    """The closing lines of a run that sends a transcript."""
    places = {"ANTHROPIC_BASE_URL": upstream, "OPENAI_BASE_URL": f"{upstream}/v1"}
    # Transcripts lack the heads of their agents, by which the gateway would decide.
    places["TERSELY_EXPAND"] = "always"
    command = [str(binary), "run", "--", sys.executable, __file__, "--send", str(path)]
    ran = subprocess.run(command, env={**os.environ, **places}, capture_output=True, text=True, check=True)
    return ran.stderr.strip()


def share(lines: str) -> float:
    """The share of all tokens that was saved, in percent; less than nothing where there are more."""
    found = FIRST.search(lines)
    if not found:
        raise SystemExit(f"no closing line in: {lines}")
    change, whole = (int(found[at].replace(",", "")) for at in (2, 4))
    return 100 * (change if found[3] == "of" else -change) / max(1, whole)


def main() -> None:
    """Print each and the median."""
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    args.add_argument("--send", action="store_true", help="only send one transcript")
    args.add_argument("transcripts", type=Path, nargs="+")
    args = args.parse_args()
    if args.send:
        return send(args.transcripts[0])
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Yes)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    said = []
    for path in sorted(args.transcripts):
        lines = closing(args.tersely, f"http://127.0.0.1:{upstream.server_port}", path)
        said.append((share(lines), path.name, lines))
        print(f"{said[-1][0]:6.1f} %  {path.name}", flush=True)
    said.sort()
    _, name, lines = said[len(said) // 2]
    print(f"\nThe median of {len(said)} is {name}:\n{lines}")


if __name__ == "__main__":
    main()
