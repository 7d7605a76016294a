"""The scripted model of trials/clients at a fixed address, which notes how long each request was."""

from __future__ import annotations

import json
import sys
from http.server import ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, "/opt/model")
from upstream import Handler, Request, Upstream  # noqa: E402


class Noted(list):
    """Requests, each with a line in a file."""

    def append(self, request: Request) -> None:
        line = {"method": request.method, "path": request.path, "bytes": len(request.body), "rows": request.body.count(b"Item number")}
        with Path("/var/log/model.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")


class Standing(Upstream):
    """Listens at one address for as long as the machine is up."""

    def __init__(self) -> None:
        ThreadingHTTPServer.__init__(self, ("127.0.0.1", 9000), Handler)
        self.requests = Noted()


Standing().serve_forever()
