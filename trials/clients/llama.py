"""Asks a real model server (llama.cpp) the same question with and without `tersely serve` between.

The server counts the tokens of what reached it, streams its answer, and so shows that a body spliced by the gateway is one that a real server takes.
Start one first (see README.md), then: python3 llama.py --upstream http://127.0.0.1:18080
"""

from __future__ import annotations

import argparse
import json
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def rows() -> str:
    """What a tool returned: records in JSON."""
    return json.dumps([{"id": n, "state": "open", "owner": "team-a", "title": f"item {n}"} for n in range(1, 41)])


def chat() -> dict[str, Any]:
    """A request of Chat Completions with one tool result."""
    call = {"id": "c1", "type": "function", "function": {"name": "list_items", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "List the items."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": rows()},
        {"role": "user", "content": "Say hello."},
    ]
    return {"model": "m", "max_tokens": 8, "temperature": 0, "messages": messages}


def messages() -> dict[str, Any]:
    """A request of Messages with one tool result."""
    use = {"type": "tool_use", "id": "t1", "name": "list_items", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": rows()}
    turns = [
        {"role": "user", "content": "List the items."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result, {"type": "text", "text": "Say hello."}]},
    ]
    return {"model": "m", "max_tokens": 8, "messages": turns}


def post(url: str, body: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    """The answer to a request, and its headers."""
    head = {"content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), head), timeout=300) as answer:
        return answer.read(), dict(answer.headers)


def usage(answer: bytes) -> int:
    """The tokens of the prompt, as the server counted them."""
    found = json.loads(answer)["usage"]
    return found.get("prompt_tokens") or found["input_tokens"] + found.get("cache_read_input_tokens", 0)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upstream", default="http://127.0.0.1:18080")
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    args = parser.parse_args()
    command = [args.binary, "serve", "--listen", "127.0.0.1:0", "--upstream", args.upstream]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as gateway:
        assert gateway.stderr
        own = "http://127.0.0.1:" + gateway.stderr.readline().split("127.0.0.1:")[1].split(",")[0]
        for path, body in (("/v1/chat/completions", chat()), ("/v1/messages", messages())):
            direct = usage(post(args.upstream + path, body)[0])
            answer, headers = post(own + path, body)
            said = (headers.get("x-tersely-tokens-before"), headers.get("x-tersely-tokens-after"))
            stream, _ = post(own + path, {**body, "stream": True})
            events = stream.count(b"data: ")
            ended = b"[DONE]" in stream or b"message_stop" in stream
            print(f"{path}: prompt {direct} direct, {usage(answer)} through; results {said[0]} -> {said[1]} by o200k; "
                  f"stream of {events} events, {'whole' if ended else 'BROKEN'}")
        gateway.terminate()


if __name__ == "__main__":
    main()
