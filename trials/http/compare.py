"""Asks real JSON APIs the same directly and through `tersely http`: is the status the same, and does every answer mean the same?

    python3 compare.py [--tersely PATH] [--requests 10000]

The APIs are FastAPI on uvicorn, which compresses, and json-server, which knows ETags. They are put into $TERSELY_CACHE, else ~/.cache/tersely. Requests
stay on one connection and ask for a random form, or none. A body that was not asked for in another form must be the same bytes.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely") / "http"
sys.path.insert(0, str(HERE.parents[1] / "packages" / "python"))

import tersely  # noqa: E402

API = """
from fastapi import FastAPI, HTTPException, Response
from fastapi.middleware.gzip import GZipMiddleware
app = FastAPI()
app.add_middleware(GZipMiddleware, minimum_size=200)
ROWS = [{"id": n, "name": f"item {n * 7919 % 1000}", "price": n / 4, "tags": ["a", "b"], "note": None} for n in range(200)]
@app.get("/rows")
def rows(limit: int = 50): return ROWS[:limit]
@app.get("/rows/{at}")
def row(at: int):
    if at >= len(ROWS): raise HTTPException(404, "no such row")
    return ROWS[at]
@app.get("/nothing", status_code=204)
def nothing(): return Response(status_code=204)
@app.get("/text")
def text(): return Response("plain words", media_type="text/plain")
@app.post("/rows")
def add(row: dict): return {"added": row}
"""

FORMS = [{}, {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "gzip, stc"}, {"Accept-Encoding": "stc"}, {"X-Prefer-Format": "toon"}, {"Accept": "text/toon"},
         {"X-Prefer-Format": "terse"}, {"X-Prefer-Format": "stc"}, {"X-Prefer-Format": "json", "Accept-Encoding": "stc"}]


def main() -> int:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--tersely", default="tersely")
    args.add_argument("--requests", type=int, default=10_000)
    given = args.parse_args()
    install()
    faults = 0
    with tempfile.TemporaryDirectory() as place:
        for name, command, paths in apis(Path(place)):
            faults += compare(given, name, command, paths, Path(place))
    return 1 if faults else 0


def install() -> None:
    if not (CACHE / "venv" / "bin" / "uvicorn").exists():
        subprocess.run([sys.executable, "-m", "venv", CACHE / "venv"], check=True)
        subprocess.run([CACHE / "venv" / "bin" / "pip", "install", "--quiet", "fastapi", "uvicorn"], check=True)
    if not (CACHE / "npm" / "node_modules" / "json-server").exists():
        (CACHE / "npm").mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--prefix", CACHE / "npm", "json-server@0.17.4", "@toon-format/toon"], check=True)


def apis(place: Path) -> list[tuple[str, list, list[tuple[str, str, str | None]]]]:
    (place / "api.py").write_text(API)
    rows = [{"id": n, "title": f"post {n * 7919 % 1000}", "views": n % 9} for n in range(100)]
    (place / "db.json").write_text(json.dumps({"posts": rows}))
    fast = [("GET", "/rows", None), ("GET", "/rows?limit=3", None), ("GET", "/rows/7", None), ("GET", "/rows/999", None), ("GET", "/nothing", None),
            ("GET", "/text", None), ("HEAD", "/text", None), ("POST", "/rows", '{"a": [1, 2.50, "\\u00e9"]}'), ("GET", "/missing", None), ("GET", "/openapi.json", None)]
    served = [("GET", "/posts", None), ("GET", "/posts/7", None), ("GET", "/posts?views=3", None), ("HEAD", "/posts", None), ("GET", "/posts/999", None)]
    return [("FastAPI on uvicorn", [CACHE / "venv" / "bin" / "uvicorn", "--app-dir", place, "--port", "18501", "--log-level", "error", "api:app"], fast),
            ("json-server", ["node", CACHE / "npm" / "node_modules" / "json-server" / "lib" / "cli" / "bin.js", "--quiet", "--port", "18501", place / "db.json"], served)]


def compare(given: argparse.Namespace, name: str, command: list, paths: list, place: Path) -> int:
    api = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=place)
    door = subprocess.Popen([given.tersely, "http", "--upstream", "http://127.0.0.1:18501", "--listen", "127.0.0.1:18502"], stderr=subprocess.DEVNULL)
    try:
        wait(18501), wait(18502)
        connections = [http.client.HTTPConnection("127.0.0.1", port) for port in (18501, 18502)]
        dice, seen, faults, tags = random.Random(1), Counter(), 0, {}
        for _ in range(given.requests):
            method, path, body = dice.choice(paths)
            wish = dict(dice.choice(FORMS))
            key = (method, path, json.dumps(wish))
            if key in tags and dice.random() < 0.3:
                wish["If-None-Match"] = tags[key]
            plain = {name: value for name, value in wish.items() if name == "Accept-Encoding" and "stc" not in value}
            if "If-None-Match" in wish:
                plain["If-None-Match"] = wish["If-None-Match"].split("-tersely-")[0].rstrip('"') + '"'
            if body:
                wish["Content-Type"] = plain["Content-Type"] = "application/json"
            direct, through = ask(connections[0], method, path, body, plain), ask(connections[1], method, path, body, wish)
            if through.get("etag"):
                tags[key] = through["etag"]
            why = differs(direct, through, wish)
            seen[through["kind"]] += 1
            if why:
                faults += 1
                print(f"{name}: {method} {path} {wish}: {why}")
                if faults > 20:
                    break
        print(f"{name}: {given.requests} requests, {faults} different; answers as {dict(seen)}")
        return faults
    finally:
        for process in (door, api):
            process.terminate()
            process.wait()


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: str | None, headers: dict) -> dict:
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    raw = answer.read()
    kind = "stc coding" if answer.headers.get("content-encoding") == "stc" else (answer.headers.get("content-type") or "nothing").split(";")[0]
    return {"status": answer.status, "raw": raw, "kind": kind, "etag": answer.headers.get("etag"), "coding": answer.headers.get("content-encoding"), "length": answer.headers.get("content-length")}


def differs(direct: dict, through: dict, wish: dict) -> str | None:
    if direct["status"] != through["status"]:
        return f"status {direct['status']} became {through['status']}"
    kind = through["kind"]
    if kind in ("stc coding", "application/stc+json", "text/toon", "text/terse"):
        plain = gzip.decompress(direct["raw"]) if direct["coding"] == "gzip" else direct["raw"]
        return None if decoded(kind, through["raw"].decode()) == canonical(plain.decode()) else "another meaning"
    if direct["raw"] != through["raw"]:
        return "other bytes"
    return None


@functools.cache
def decoded(kind: str, text: str) -> str:
    """The JSON of an answer, by our own package, and of TOON by its owners' package."""
    if kind != "text/toon":
        return canonical(tersely.to_json(text, "terse" if kind == "text/terse" else "stc"))
    script = "import('@toon-format/toon').then(toon => process.stdout.write(JSON.stringify(toon.decode(require('fs').readFileSync(0, 'utf8')))))"
    done = subprocess.run(["node", "-e", script], input=text, capture_output=True, text=True, check=True, cwd=CACHE / "npm")
    return canonical(done.stdout)


def canonical(text: str) -> str:
    return json.dumps(json.loads(text), sort_keys=True)


def wait(port: int) -> None:
    for _ in range(200):
        try:
            return http.client.HTTPConnection("127.0.0.1", port).connect()
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"nothing listens on {port}")


if __name__ == "__main__":
    sys.exit(main())
