"""Sends a conversation turn by turn through two `tersely serve` by turns, and through one, and compares what the upstream saw.

The gateways share nothing, and in the middle the login changes. Every byte has to be the same; from turn to turn the head of the prompt (tools and
system) has to stay, and what was sent of the messages has to stand at the beginning of the next turn's. Takes transcripts of Messages.
"""

from __future__ import annotations

import argparse
import json
import urllib.request
from itertools import pairwise
from pathlib import Path

from asking import REFERENCE, Asking
from clients import ROOT, Server
from expand import head
from speech import TOOL, Messages, Text
from upstream import Request


def turns(transcript: dict, most: int) -> list[bytes]:
    """The bodies of the requests that led to a transcript: each ends where the model spoke next, the last where the transcript does."""
    messages = transcript["messages"]
    ends = [at for at, message in enumerate(messages) if message["role"] == "assistant" and at > 0]
    ends += [len(messages)] if messages[-1]["role"] == "user" else []
    bodies = [{**transcript, "messages": messages[:end]} for end in ends[:most]]
    return [json.dumps(body, ensure_ascii=False).encode() for body in bodies]


def send(server: Server, login: str, body: bytes) -> None:
    """One request, to its end."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {login}"}
    url = f"http://127.0.0.1:{server.address[1]}/v1/messages"
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as answer:
        answer.read()


def seen(binary: Path, bodies: list[bytes], replicas: int, logins: list[str]) -> list[Request]:
    """What the upstream saw of a conversation that so many gateways took by turns."""
    upstream = Asking(lambda *_: [Text(("Yes.",))], pause=0)
    servers = [Server(binary, upstream.url) for _ in range(replicas)]
    for number, body in enumerate(bodies):
        send(servers[number % replicas], logins[number * len(logins) // len(bodies)], body)
    for server in servers:
        server.stop()
    upstream.shutdown()
    return upstream.requests


def judge(bodies: list[bytes], one: list[Request], two: list[Request]) -> str:
    """The figures; raises when a byte differs."""
    assert [request.body for request in one] == [request.body for request in two], "replicas differ"
    heads = [head(request) for request in two]
    assert heads.count(heads[0]) == len(heads) and TOOL in heads[0]["tools"], "the head of the prompt changed"
    sent = [json.loads(request.body)["messages"] for request in two]
    for shorter, longer in pairwise(sent):
        assert longer[: len(shorter)] == shorter, "what was sent before changed"
    logins = {value for request in two for name, value in request.headers if name.lower() == "authorization"}
    results = [text for _, text in Messages.results(json.loads(two[-1].body))]
    cut = sum(bool(REFERENCE.search(text)) for text in results)
    before, after = sum(map(len, bodies)), sum(len(request.body) for request in two)
    return f"{len(two)} requests, {len(logins)} logins, {cut} of {len(results)} results cut, {before:,} bytes sent and {after:,} seen: identical"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transcripts", type=Path, nargs="+")
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    args = parser.parse_args()
    binary = args.binary.resolve()
    for path in args.transcripts:
        bodies = turns(json.loads(path.read_text()), args.turns)
        one = seen(binary, bodies, 1, ["first"])
        two = seen(binary, bodies, 2, ["first", "refreshed"])
        print(f"{path.name}: {judge(bodies, one, two)}", flush=True)


if __name__ == "__main__":
    main()
