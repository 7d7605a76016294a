"""An agent and a model for the recording of docs/pictures/record.sh: both say again what they said when a conversation of corpus/ was recorded.

    python3 replay.py model PORT TRANSCRIPT      a server for Anthropic's Messages that answers each request with the recorded turn
    python3 replay.py agent TRANSCRIPT           sends the conversation to ANTHROPIC_BASE_URL turn by turn, with the recorded tool results

What a gateway between the two does is real; neither a model nor a tool runs. The model counts four bytes as a token, and reads from its
cache what a request has in common with the one before.
"""

import json
import os
import sys
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def turns(transcript):
    """How many messages stand before each answer of the model."""
    return [at for at, message in enumerate(transcript["messages"]) if message["role"] == "assistant"]


def usage(before, asked, said):
    """What an answer to the request `asked`, which came after `before`, is billed for."""
    common = len(os.path.commonprefix([before, asked]))
    return {
        "input_tokens": 0,
        "cache_read_input_tokens": common // 4,
        "cache_creation_input_tokens": len(asked) // 4 - common // 4,
        "output_tokens": len(json.dumps(said["content"])) // 4,
    }


def model(port, transcript):
    """Answers a request that has N messages with the recorded message N."""
    before = b""

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            nonlocal before
            request = self.rfile.read(int(self.headers["content-length"]))
            asked = json.loads(request)
            said = transcript["messages"][len(asked["messages"])]
            answer = {"id": "msg_1", "type": "message", "model": asked["model"], "stop_reason": "tool_use", **said}
            body = json.dumps({**answer, "usage": usage(before, request, said)}).encode()
            before = request
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    ThreadingHTTPServer(("127.0.0.1", port), Answer).serve_forever()


def agent(transcript):
    """Asks for each turn and shows what the model wants to run."""
    url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
    headers = {"content-type": "application/json", "x-api-key": "none", "anthropic-version": "2023-06-01"}
    for at in turns(transcript):
        body = {**transcript, "messages": transcript["messages"][:at], "stream": False}
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
            show(json.load(answer)["content"])
        time.sleep(0.3)


def show(blocks):
    """One line for what the model says, and one for each call."""
    for block in blocks:
        if block["type"] == "text":
            print(f"  {block['text']}", flush=True)
        elif block["type"] == "tool_use":
            given = block["input"]
            what = given.get("command") or given.get("file_path") or given.get("pattern")
            print(f"    {block['name']:5} {what[:62]}", flush=True)


if __name__ == "__main__":
    with open(sys.argv[-1], encoding="utf-8") as file:
        spoken = json.load(file)
    if sys.argv[1] == "model":
        model(int(sys.argv[2]), spoken)
    else:
        agent(spoken)
