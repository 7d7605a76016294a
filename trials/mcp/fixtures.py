"""Makes what the servers look at: files, a git repository, a database and web pages. The same bytes and dates every time."""

from __future__ import annotations

import base64
import json
import os
import shutil
import sqlite3
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

WHEN = 1767225600  # 2026-01-01, UTC
DATES = {"GIT_AUTHOR_DATE": f"{WHEN} +0000", "GIT_COMMITTER_DATE": f"{WHEN} +0000"}
NAMES = ["anvil", "bellows", "chisel", "drill", "easel", "file", "gauge", "hammer"]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def make(root: Path) -> None:
    """Everything that servers read and write, in an empty folder."""
    shutil.rmtree(root, ignore_errors=True)
    files(root / "files")
    repository(root / "repository")
    database(root / "shop.db")


def items(count: int) -> list[dict[str, object]]:
    """Records as an API would list them."""
    return [
        {
            "id": 1000 + at,
            "name": f"{NAMES[at % 8]}-{at}",
            "status": "active" if at % 7 else "retired",
            "price": round(3.5 + at * 1.25, 2),
            "stock": {"warehouse": f"w{at % 3}", "count": at * 17 % 91},
            "tags": ["tool", NAMES[(at + 3) % 8]],
        }
        for at in range(count)
    ]


def log(count: int) -> str:
    """A log of which one line matters."""
    lines = []
    for at in range(count):
        level = "ERROR" if at == count // 2 else "INFO"
        said = "disk is full" if level == "ERROR" else f"GET /items/{1000 + at % 40} 200 in {3 + at % 9} ms"
        lines.append(f"2026-01-01T{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}Z {level} worker-{at % 4} {said}\n")
    return "".join(lines)


def program(changed: int = 0) -> str:
    """A source file; a number says how many of its functions have changed."""
    pieces = ['"""Prices of things."""\n']
    for at in range(40):
        tax = "1.21" if at < changed else "1.19"
        pieces.append(f'\n\ndef price_{at}(count: int) -> float:\n    """The price of {NAMES[at % 8]}."""\n    return count * {at + 1} * {tax}\n')
    return "".join(pieces)


def files(folder: Path) -> None:
    """Texts of several kinds, a picture, and folders in folders."""
    texts = {
        "items.json": json.dumps(items(120), indent=2),
        "server.log": log(600),
        "prices.py": program(),
        "greek.txt": "α β γ — “quotes”, 🦀 and a tab\t.\r\nThe second line ends with CR LF.\r\n",
        "empty.txt": "",
        "table.csv": "id,name,price\n" + "".join(f"{one['id']},{one['name']},{one['price']}\n" for one in items(200)),
        **{f"deep/level{at}/note{at}.md": f"# Note {at}\n\nA short note.\n" for at in range(25)},
    }
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (folder / "pixel.png").write_bytes(base64.b64decode(PIXEL))
    for path in sorted(folder.rglob("*"), reverse=True):
        os.utime(path, (WHEN, WHEN))


def repository(folder: Path) -> None:
    """Twelve commits, one change that is staged, and one that is not."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "user.name", "A Committer")
    git(folder, "config", "user.email", "committer@example.com")
    for at in range(12):
        (folder / "prices.py").write_text(program(at * 3))
        (folder / "items.json").write_text(json.dumps(items(20 + at), indent=2) + "\n")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", f"--message=Raise the tax of {at * 3} things")
    git(folder, "branch", "spare", "HEAD~5")
    (folder / "staged.txt").write_text(log(30))
    git(folder, "add", "staged.txt")
    (folder / "prices.py").write_text(program(40))
    (folder / "untracked.txt").write_text("not added\n")


def git(folder: Path, *words: str) -> None:
    """Run git with no configuration but the repository's own, at a fixed time."""
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "-C", folder, *words], check=True, env={**os.environ, **alone, **DATES})


def database(path: Path) -> None:
    """A shop with two tables."""
    with sqlite3.connect(path) as shop:
        shop.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, status TEXT, price REAL)")
        shop.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, item INTEGER REFERENCES items(id), count INTEGER)")
        rows = [(one["id"], one["name"], one["status"], one["price"]) for one in items(300)]
        shop.executemany("INSERT INTO items VALUES (?, ?, ?, ?)", rows)
        shop.executemany("INSERT INTO orders VALUES (?, ?, ?)", [(at, 1000 + at % 300, at % 5 + 1) for at in range(500)])
    shop.close()


def article() -> str:
    """A web page with links, a list and a table."""
    rows = "".join(f"<tr><td>{one['id']}</td><td>{one['name']}</td><td>{one['price']}</td></tr>" for one in items(60))
    words = "".join(f"<p>Paragraph {at} says that a <a href='/{at}'>tool</a> is only as good as its handle.</p>" for at in range(80))
    return f"<html><head><title>Tools</title></head><body><article><h1>Tools</h1>{words}<table>{rows}</table></article></body></html>"


PAGES = {
    "/article.html": ("text/html", article()),
    "/items.json": ("application/json", json.dumps(items(80), indent=2)),
    "/server.log": ("text/plain", log(200)),
    "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /private\n"),
}


class Page(BaseHTTPRequestHandler):
    """Answers with a page, or with 404."""

    def do_GET(self) -> None:
        """One page."""
        kind, text = PAGES.get(self.path, ("text/plain", ""))
        body = text.encode()
        self.send_response(200 if body else 404)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Nothing is said."""


def pages() -> int:
    """Serve the pages on loopback until this process ends; the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]
