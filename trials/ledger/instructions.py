"""What telemetry costs, in instructions: the same on a busy machine as on a quiet one. Needs valgrind.

    python3 instructions.py PROGRAM [REQUESTS]

PROGRAM is a release build of tersely. Counts what it executes for each request of 64 KB, with telemetry and without; what the
kernel does for it is not counted. A run with few requests is taken from one with many, so that the start is not in it.
"""

import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from measure import Server, Upstream, body

WARM = 5
OFF = {"TERSELY_LOG_LEVEL": "off"}


def on(folder):
    """A log in JSON, events, a listener for metrics."""
    return {"TERSELY_LOG_FORMAT": "json", "TERSELY_ADMIN_LISTEN": "127.0.0.1:0", "TERSELY_EVENTS_FILE": f"{folder}/events.jsonl"}


def instructions(program, upstream, env, bodies):
    """All that the gateway executes from its start to its end."""
    words = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    words += [program, "serve", "--listen", "127.0.0.1:0", "--upstream", upstream]
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", **env}
    process = subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True)
    line = next(line for line in process.stderr if "http://127.0.0.1:" in line and not line.startswith("=="))
    said = []
    hearing = threading.Thread(target=lambda: said.append(process.stderr.read()), daemon=True)
    hearing.start()
    connection = http.client.HTTPConnection("127.0.0.1", int(line.split("http://127.0.0.1:")[1].split(",")[0]), timeout=300)
    for text in bodies:
        connection.request("POST", "/v1/messages", text, {"content-type": "application/json", "x-api-key": "k"})
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read()
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    process.wait()
    hearing.join()
    return int(re.search(r"I\s+refs:\s+([\d,]+)", said[0])[1].replace(",", ""))


def main():
    program, requests = sys.argv[1], int((sys.argv[2:] or ["60"])[0])
    server = Server(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    upstream = f"http://127.0.0.1:{server.server_address[1]}"
    known, new = body(0), [body(1 + n) for n in range(max(requests // 6, 1))]
    found = {}
    for name, env in [("off", OFF), ("on", on(tempfile.mkdtemp()))]:
        def run(bodies):
            return instructions(program, upstream, env, [known] * WARM + bodies)
        start = run([])
        for what, bodies in [("the same body again", [known] * requests), ("bodies never seen", new)]:
            each = (run(bodies) - start) / len(bodies)
            found.setdefault(what, []).append(each)
            print(f"{what:20} {name:4} {each:14,.0f} instructions a request", flush=True)
    for what, (off, with_it) in found.items():
        print(f"{what:20} {(with_it / off - 1) * 100:+.1f} %")


if __name__ == "__main__":
    main()
