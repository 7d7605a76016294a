"""A model that is a script: keeps what it is asked, and answers every chat request with the same words."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = "All forty users are active."


class Upstream(ThreadingHTTPServer):
    """Listens on loopback from the start; `asked` has the body of every request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[bytes] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.server.asked.append(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": ANSWER}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = json.dumps({"id": "1", "object": "chat.completion", "model": "gpt-5", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def turn() -> dict:
    """A request after a tool call, whose result is forty rows of JSON."""
    rows = [{"id": id, "name": f"user {id}", "state": "active"} for id in range(40)]
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"list users"}'}}
    return {
        "model": "gpt-5",
        "messages": [
            {"role": "user", "content": "Which users are active?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": json.dumps(rows, indent=2)},
        ],
    }
