"""What telemetry costs: CPU time and memory of a gateway with it and without, by turns, in the same minutes.

    python3 measure.py PROGRAM [OTHER]

PROGRAM is a release build of tersely; OTHER, if given, another one to measure beside it. Both run before an upstream in this
process that answers at once, in Anthropic's shape, with counts. A request has 64 KB. CPU time is the gateway's own, over all its
threads, as the kernel accounts it, so what else runs on the machine matters little; medians of ROUNDS turns.
"""

import http.client
import http.server
import json
import os
import socket
import socketserver
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROUNDS = int(os.environ.get("ROUNDS", "7"))
REQUESTS = int(os.environ.get("REQUESTS", "1500"))

ANSWER = json.dumps({
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
    "content": [{"type": "text", "text": "All is well. " * 120}], "stop_reason": "end_turn",
    "usage": {"input_tokens": 12, "cache_read_input_tokens": 15000, "cache_creation_input_tokens": 400, "output_tokens": 350},
}).encode()


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def body(seed):
    """A conversation of 64 KB: rows, a log, files that were read."""
    messages = [{"role": "user", "content": f"Look at build {seed} and say what is wrong."}]
    size = 0
    at = 0
    while size < 64_000:
        kind = at % 3
        if kind == 0:
            text = json.dumps([{"id": n, "name": f"item-{seed}-{n}", "state": "open", "owner": "team-a"} for n in range(40)])
        elif kind == 1:
            text = "".join(f"2026-11-16T09:{n % 60:02}:00Z INFO worker {n % 7} finished batch {seed * 31 + n}\n" for n in range(60))
        else:
            text = "".join(f"{n + 1}\tlet value_{n} = read(input, {seed + n})?;\n" for n in range(90))
        call = {"type": "tool_use", "id": f"toolu_{seed}_{at}", "name": ["Bash", "Bash", "Read"][kind], "input": {"command": "make report"}}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call["id"], "content": text}]})
        size += len(text) + 200
        at += 1
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in ("Bash", "Read")]
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 100, "tools": tools, "messages": messages}).encode()


def cpu(pid):
    """Nanoseconds on a processor, over all threads."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/schedstat") as file:
                total += int(file.read().split()[0])
        except FileNotFoundError:
            pass
    return total


def memory(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


class Gateway:
    def __init__(self, program, upstream, env):
        env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", **env}
        args = [program, "serve", "--listen", "127.0.0.1:0", "--upstream", upstream]
        self.process = subprocess.Popen(args, env=env, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        self.port = int(line.split("http://127.0.0.1:")[1].split(",")[0])
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, bodies):
        """Microseconds of CPU for each request."""
        before = cpu(self.process.pid)
        for text in bodies:
            self.connection.request("POST", "/v1/messages", text, {"content-type": "application/json", "x-api-key": "k"})
            answer = self.connection.getresponse()
            assert answer.status == 200 and answer.read() == ANSWER
        time.sleep(0.05)
        return (cpu(self.process.pid) - before) / 1000 / len(bodies)

    def end(self):
        most = memory(self.process.pid)
        self.process.terminate()
        self.process.wait()
        return most


def main():
    server = Server(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    upstream = f"http://127.0.0.1:{server.server_address[1]}"
    folder = tempfile.mkdtemp()
    on = {"TERSELY_LOG_FORMAT": "json", "TERSELY_ADMIN_LISTEN": "127.0.0.1:0", "TERSELY_EVENTS_FILE": f"{folder}/events.jsonl"}
    off = {"TERSELY_LOG_LEVEL": "off"}
    ways = [("off", sys.argv[1], off), ("on", sys.argv[1], on)]
    if len(sys.argv) > 2:
        ways.append(("other, off", sys.argv[2], off))
    known = [body(0)] * REQUESTS
    figures = {}
    for turn in range(ROUNDS):
        new = [body(1 + turn * 1000 + n) for n in range(REQUESTS // 10)]
        for name, program, env in ways[turn % len(ways):] + ways[:turn % len(ways)]:
            gateway = Gateway(program, upstream, env)
            gateway.send(known[:50])
            figures.setdefault((name, "same body again, us"), []).append(gateway.send(known))
            figures.setdefault((name, "new bodies, us"), []).append(gateway.send(new))
            figures.setdefault((name, "most memory, kB"), []).append(gateway.end())
    for (name, what), values in sorted(figures.items(), key=lambda item: item[0][1]):
        print(f"{what:22} {name:12} median {statistics.median(values):10.1f}   least {min(values):10.1f}   most {max(values):10.1f}")


if __name__ == "__main__":
    main()
