"""Holds what the gateway tells against what a real model server says in its answers, to the token.

    python3 real.py TERSELY SERVER

SERVER is the address of a llama.cpp that runs, as 127.0.0.1:18080. Chat Completions, Messages and Responses, whole and as
events, with counts and without.
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time


def counts(shape, usage):
    if usage is None:
        return None
    if shape == "messages":
        cached = usage.get("cache_read_input_tokens", 0)
        return [usage["input_tokens"], cached, usage.get("cache_creation_input_tokens", 0), usage["output_tokens"]]
    read, wrote, details = ("prompt_tokens", "completion_tokens", "prompt_tokens_details") if shape == "chat" else (
        "input_tokens", "output_tokens", "input_tokens_details")
    cached = (usage.get(details) or {}).get("cached_tokens", 0)
    return [usage[read] - cached, cached, 0, usage[wrote]]


def said(text):
    """The counts in an answer, read by the plainest means."""
    usage = {}
    if text.lstrip().startswith("{"):
        return json.loads(text).get("usage")
    for line in text.splitlines():
        if line.startswith("data: {"):
            event = json.loads(line[6:])
            for holder in (event, event.get("message") or {}, event.get("response") or {}):
                usage.update(holder.get("usage") or {})
    return usage or None


def main():
    program, server = sys.argv[1:3]
    path = os.path.join(tempfile.mkdtemp(), "events.jsonl")
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TERSELY_EVENTS_FILE": path, "TERSELY_LOG_LEVEL": "off"}
    args = [program, "serve", "--listen", "127.0.0.1:0", "--upstream", f"http://{server}"]
    gateway = subprocess.Popen(args, env=env, stderr=subprocess.PIPE, text=True)
    port = int(gateway.stderr.readline().split("http://127.0.0.1:")[1].split(",")[0])
    words = [{"role": "user", "content": "Say hello to the harbour in three words."}]
    asks = []
    for stream in (False, True):
        rest = {"model": "smollm", "max_tokens": 12, "stream": stream}
        asks.append(("chat", "/v1/chat/completions", {**rest, "messages": words}))
        asks.append(("messages", "/v1/messages", {**rest, "messages": words}))
        asks.append(("responses", "/v1/responses", {"model": "smollm", "max_output_tokens": 12, "stream": stream, "input": words}))
    asks.append(("chat", "/v1/chat/completions", {**asks[3][2], "stream_options": {"include_usage": True}}))
    expected = []
    for shape, target, body in asks:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        connection.request("POST", target, json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        assert answer.status == 200, text
        expected.append((shape, body, counts(shape, said(text))))
    time.sleep(1)
    lines = [json.loads(line) for line in open(path)]
    lines = [line for line in lines if line["kind"] == "request"]
    assert len(lines) == len(expected), len(lines)
    for line, (shape, body, told) in zip(lines, expected):
        billed = line["billed"]
        found = billed and [billed[name] for name in ("input", "cache_read", "cache_write", "output")]
        how = "events" if body["stream"] else "whole"
        print(f"{shape:10} {how:7} server {told}   gateway {found}")
        assert found == told
    gateway.terminate()
    print(gateway.communicate()[1])


main()
