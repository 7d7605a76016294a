"""Outputs of servers that really run: their logs, and what they answer."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from place import PROJECT, SAMPLE, SRV, USER, cleaned, environment, run

# Numbers of a port differ from run to run; in the outputs it is always this one.
PORT = "8000"
PATHS = ["html/directory-listing.html", "json-api/commits-page.json", "json-api/changes-found.json", "shell/valkey-info.txt"]
PATHS += [f"logs/{name}.log" for name in ["http-server", "uvicorn", "json-server", "valkey-primary", "valkey-replica"]]


def made() -> Iterator[tuple[str, str, str]]:
    """Path under outputs/, source and text of each."""
    yield from files()
    yield from ledger()
    yield from history()
    yield from valkey()


def files() -> Iterator[tuple[str, str, str]]:
    """Python's own server over the repository: a walk of the documents, with some that are missing."""
    with started(["python", "-u", "-m", "http.server", "{port}", "--bind", "127.0.0.1"], PROJECT) as (port, log):
        listed = run("git ls-files 'docs' 'spec' 'examples' '*.md' 'crates/*/Cargo.toml'").split()
        asked = ["/", "/docs/", *[f"/{path}" for path in listed], "/favicon.ico", "/docs/missing.html", "/crates/core/src/stage/", "/robots.txt"]
        pages = {path: ask(port, path) for path in asked * 2}
        said = log()
    yield "html/directory-listing.html", "python -m http.server in this repository: GET /crates/core/src/stage/", pages["/crates/core/src/stage/"]
    yield "logs/http-server.log", "python -m http.server in this repository: its log while a script asked for the documents twice", said


def ledger() -> Iterator[tuple[str, str, str]]:
    """The sample service under uvicorn: good requests, wrong ones, and two faults in its code."""
    config = str(USER / "logging.json")
    Path(config).write_text(json.dumps(LOGGING))
    words = ["uvicorn", "service:app", "--port", "{port}", "--log-config", config]
    with started(words, SAMPLE / "python") as (port, log):
        for turn in range(6):
            for path in ["/customers", "/customers?city=Bern", f"/customers/{turn}", f"/customers/{turn % 4 + 1}/average", "/docs"]:
                ask(port, path)
            ask(port, "/payments", {"invoice": f"2026-01{turn:02}", "cents": 4900 * turn})
            ask(port, "/payments", {"invoice": turn, "cents": "much"})
        said = log()
    yield "logs/uvicorn.log", "uvicorn with the sample service of corpus/sample/python: its log over 42 requests", said


def history() -> Iterator[tuple[str, str, str]]:
    """json-server over the history of this repository."""
    rows = json.loads(run("sqlite3 -json /srv/history.sqlite 'select * from commits'"))
    changes = json.loads(run("sqlite3 -json /srv/history.sqlite 'select rowid as id, * from changes'"))
    (USER / "history.json").write_text(json.dumps({"commits": [{"id": row["hash"], **row} for row in rows], "changes": changes}))
    with started(["json-server", "--host", "127.0.0.1", "--port", "{port}", str(USER / "history.json")], USER) as (port, log):
        page = ask(port, "/commits?_page=2&_limit=25&_sort=added&_order=desc")
        found = ask(port, "/changes?path_like=gateway/src&added_gte=40&_limit=90")
        for at in range(60):
            ask(port, f"/commits/{rows[at]['hash'] if at % 7 else 'missing'}" if at % 3 else f"/changes?_page={at}&_limit=5")
        said = log()
    yield "json-api/commits-page.json", "json-server over the history of this repository: the second page of commits", page
    yield "json-api/changes-found.json", "json-server over the history of this repository: changes of the gateway with 40 lines or more", found
    yield "logs/json-server.log", "json-server over the history of this repository: its log over 62 requests", said


def valkey() -> Iterator[tuple[str, str, str]]:
    """A Valkey server and its replica: snapshots, a wrong command, memory that runs out, and the end."""
    server = next(iter(sorted((Path.home() / ".cache" / "tersely" / "valkey").glob("*/valkey-server"))), None)
    server = server or shutil.which("valkey-server")
    if server is None:
        raise SystemExit("valkey-server is missing: `just store` puts one into the cache")
    for name in ["primary", "replica"]:
        shutil.rmtree(USER / name, ignore_errors=True)
        (USER / name).mkdir()
    common = [str(server), "--port", "{port}", "--bind", "127.0.0.1", "--loglevel", "verbose"]
    with started([*common, "--dir", str(USER / "primary"), "--appendonly", "yes"], USER) as (port, log):
        other = [*common, "--dir", str(USER / "replica"), "--replicaof", f"127.0.0.1 {port}"]
        with started(other, USER) as (second, copy):
            for turn in range(40):
                talk(port, *[f"SET key:{turn}:{at} {'x' * 400}" for at in range(50)])
                if turn % 10 == 3:
                    talk(port, "BGSAVE")
                    time.sleep(0.6)
            talk(port, "CONFIG SET maxmemory 2mb", "SET a b", "FLUSHALL", "BGREWRITEAOF")
            facts = talk(port, "INFO")
            time.sleep(2)
            replica = copy().replace(str(second), "6380").replace(str(port), "6379")
        time.sleep(1)
        said = log().replace(str(second), "6380").replace(str(port), "6379")
    neutral = lambda text: re.sub(r"127\.0\.0\.1:\d{5}", "127.0.0.1:41000", text)
    yield "logs/valkey-primary.log", "valkey-server with a replica: its log over snapshots, a flush and the end of the replica", neutral(said)
    yield "logs/valkey-replica.log", "valkey-server as a replica: its log", neutral(replica)
    kept = [line for line in facts.splitlines() if not line.startswith(("os:", "executable:", "config_file:"))]
    yield "shell/valkey-info.txt", "INFO of the valkey-server whose log is in outputs/logs", "\n".join(kept[1:]).replace(str(port), "6379")


@contextmanager
def started(words: list[str], where: Path):
    """A server on a free port; gives the port and what reads its log, in which the port is always the same."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    path = SRV / f"server-{port}.log"
    with path.open("wb") as out:
        process = subprocess.Popen(
            [word.replace("{port}", str(port)) for word in words], cwd=where, env=environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=out,
        )
    try:
        await_port(port)
        yield port, lambda: cleaned(path.read_text().replace(str(port), PORT) if "valkey" not in words[0] else path.read_text())
    finally:
        process.terminate()
        process.wait(20)
        path.unlink()


def await_port(port: int) -> None:
    """Waits until somebody listens."""
    for _ in range(100):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise SystemExit(f"no server came up on port {port}")


def ask(port: int, path: str, body: dict | None = None) -> str:
    """What a server answers, an error too."""
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as fault:
        return fault.read().decode("utf-8", "replace")


def talk(port: int, *commands: str) -> str:
    """What Valkey answers to the last of some commands."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        for command in commands:
            line.sendall(command.encode() + b"\r\n")
            time.sleep(0.002)
            said = line.recv(65536)
        time.sleep(0.05)
        return said.decode("utf-8", "replace").replace("\r\n", "\n")


FORMAT = "%(asctime)s %(levelname)-8s %(name)s: %(message)s"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": FORMAT}},
    "handlers": {"out": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["out"], "level": "INFO"},
}
