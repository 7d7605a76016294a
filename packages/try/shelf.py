"""Serves packages that were assembled as those who publish them would: an index for pip, one for npm, and downloads."""

import base64
import hashlib
import json
import tarfile
import threading
import urllib.parse
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Shelf(ThreadingHTTPServer):
    """Listens on loopback from the start: /wheels/ for pip, /npm/ for npm, /download/ for the installers."""

    def __init__(self, packages: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(packages)))
        self.packages = packages
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def about(self, name: str) -> dict | None:
        """What npm asks of a package: its versions, and where the tarball of each is."""
        for path in sorted((self.packages / "npm").glob("*.tgz")):
            manifest = _manifest(path)
            if manifest["name"] == name:
                hash = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
                dist = {"tarball": f"{self.url}/npm/{path.name}", "integrity": f"sha512-{hash}"}
                versions = {manifest["version"]: {**manifest, "dist": dist}}
                return {"name": name, "dist-tags": {"latest": manifest["version"]}, "versions": versions}
        return None


def _manifest(path: Path) -> dict:
    with tarfile.open(path) as tarball:
        return json.load(tarball.extractfile("package/package.json"))


class _Handler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        _, place, *name = urllib.parse.unquote(self.path).split("/", 2)
        if place == "npm" and not self.path.endswith(".tgz"):
            self._answer(self.server.about(name[0]))
        else:
            super().do_GET()

    def _answer(self, found: dict | None) -> None:
        body = json.dumps(found or {"error": "not found"}).encode()
        self.send_response(200 if found else 404)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""
