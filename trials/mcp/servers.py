"""The seven servers: how each is started, and what it is asked.

    python3 servers.py --json         # as one line of JSON; then makes the fixtures anew for each line that it reads
    python3 servers.py --http 18301   # the everything server over streamable HTTP, on loopback, until it is stopped

Steps that need a clock or a session in their result have `varies`: dates, times and ids are masked before results are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fixtures import DATES, items, log, make, pages
from install import CACHE

MODULES = CACHE / "npm" / "node_modules" / "@modelcontextprotocol"


@dataclass
class Step:
    """A request, in the order in which they are made."""

    method: str
    params: dict[str, object]
    varies: bool = False
    seconds: float = 60  # then the client gives up, and tells the server


@dataclass
class Server:
    """A server on stdio, and what it is asked."""

    name: str
    command: list[str]
    steps: list[Step]
    env: dict[str, str] = field(default_factory=dict)


def servers(root: Path, port: int) -> list[Server]:
    """All of them, over the fixtures in a folder and the pages at a port."""
    quiet = {"HOME": str(root), "GIT_CONFIG_GLOBAL": os.devnull, "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    table = [filesystem(root / "files"), everything(), memory(), thinking(), git(root / "repository"), fetch(port), sqlite(root / "shop.db")]
    for one in table:
        one.env = {**quiet, **one.env}
    table[2].env["MEMORY_FILE_PATH"] = str(root / "memory.jsonl")
    return table


def node(name: str, *words: str) -> list[str]:
    """The command of a server that npm installed."""
    return [shutil.which("node") or "node", str(MODULES / name / "dist" / "index.js"), *words]


def call(name: str, /, **arguments: object) -> Step:
    """A call of a tool."""
    return Step("tools/call", {"name": name, "arguments": arguments})


def varying(step: Step) -> Step:
    """The same step, whose result holds a date, a time or an id."""
    return Step(step.method, step.params, varies=True)


def prompt(name: str, /, **arguments: str) -> Step:
    """A prompt, filled in."""
    return Step("prompts/get", {"name": name, "arguments": arguments})


def resource(method: str, uri: str) -> Step:
    """Something done with a resource."""
    return Step(f"resources/{method}", {"uri": uri})


def filesystem(folder: Path) -> Server:
    """Reads, lists, searches, edits."""
    at = lambda name: str(folder / name)  # noqa: E731
    steps = [
        call("list_allowed_directories"),
        call("read_text_file", path=at("items.json")),
        call("read_text_file", path=at("server.log")),
        call("read_text_file", path=at("server.log"), head=5),
        call("read_text_file", path=at("server.log"), tail=200),
        call("read_file", path=at("prices.py")),
        call("read_text_file", path=at("greek.txt")),
        call("read_text_file", path=at("empty.txt")),
        call("read_media_file", path=at("pixel.png")),
        call("read_multiple_files", paths=[at("prices.py"), at("table.csv"), at("missing.txt")]),
        call("list_directory", path=at("deep")),
        call("list_directory_with_sizes", path=str(folder), sortBy="size"),
        call("directory_tree", path=str(folder)),
        call("search_files", path=str(folder), pattern="**/*.md"),
        varying(call("get_file_info", path=at("items.json"))),
        call("write_file", path=at("new.txt"), content="new\n"),
        call("edit_file", path=at("prices.py"), edits=[{"oldText": "* 7 * 1.19", "newText": "* 7 * 1.25"}]),
        call("edit_file", path=at("prices.py"), edits=[{"oldText": "* 8 * 1.19", "newText": "* 8 * 1.25"}], dryRun=True),
        call("create_directory", path=at("made")),
        call("move_file", source=at("new.txt"), destination=at("made/moved.txt")),
        call("read_text_file", path=at("missing.txt")),
        call("read_text_file", path="/outside.txt"),
        call("read_text_file"),
        call("no_such_tool"),
    ]
    return Server("filesystem", node("server-filesystem", str(folder)), steps)


def everything() -> Server:
    """Every kind of content, and every kind of request that the protocol has in both directions."""
    document, dynamic = "demo://resource/static/document/features.md", "demo://resource/dynamic/text/1"
    ask, update = {"type": "ref/prompt", "name": "completable-prompt"}, "toggle-subscriber-updates"
    steps = [
        Step("ping", {}),
        Step("logging/setLevel", {"level": "debug"}),
        Step("notifications/roots/list_changed", {}),
        call("echo", message="hello"),
        call("echo", message=json.dumps(items(150), indent=2)),
        call("echo", message=log(400)),
        call("get-annotated-message", messageType="error", includeImage=True),
        call("get-annotated-message", messageType="debug"),
        call("get-env"),
        call("get-resource-links", count=10),
        varying(call("get-resource-reference", resourceType="Text", resourceId=1)),
        call("get-structured-content", location="Chicago"),
        call("get-sum", a=1.5, b=2),
        call("get-sum", a="one"),
        call("get-tiny-image"),
        call("gzip-file-as-resource", name="a.gz", data="data:text/plain,hello", outputType="resource"),
        call("gzip-file-as-resource", name="b.gz", data="data:text/plain,hello"),
        resource("read", "demo://resource/session/b.gz"),
        varying(call("toggle-simulated-logging")),
        varying(call("toggle-simulated-logging")),
        resource("subscribe", dynamic),
        varying(call(update)),
        varying(call(update)),
        resource("unsubscribe", dynamic),
        call("trigger-long-running-operation", duration=1, steps=4),
        Step("tools/call", {"name": "trigger-long-running-operation", "arguments": {"duration": 2, "steps": 2}}, seconds=0.5),
        call("get-roots-list"),
        call("trigger-sampling-request", prompt="Say something", maxTokens=20),
        call("trigger-elicitation-request"),
        call("simulate-research-query", topic="python", ambiguous=True),
        prompt("simple-prompt"),
        prompt("args-prompt", city="Paris", state="Texas"),
        prompt("completable-prompt", department="Sales", name="Eve"),
        varying(prompt("resource-prompt", resourceType="Text", resourceId="2")),
        prompt("no-such-prompt"),
        Step("completion/complete", {"ref": ask, "argument": {"name": "department", "value": "S"}}),
        Step("completion/complete", {"ref": ask, "argument": {"name": "name", "value": ""}, "context": {"arguments": {"department": "Sales"}}}),
        resource("read", document),
        varying(resource("read", dynamic)),
        resource("read", "demo://no-such-resource"),
        call("no-such-tool"),
    ]
    return Server("everything", node("server-everything"), steps)


def memory() -> Server:
    """A graph that grows, is read, and shrinks."""
    seen = [f"{one['name']} costs {one['price']}" for one in items(6)]
    entities = [{"name": str(one["name"]), "entityType": "tool", "observations": seen} for one in items(40)]
    links = [{"from": f"{items(40)[at]['name']}", "to": f"{items(40)[at + 1]['name']}", "relationType": "precedes"} for at in range(39)]
    steps = [
        resource("subscribe", "memory://knowledge-graph"),
        call("create_entities", entities=entities),
        call("create_relations", relations=links),
        call("add_observations", observations=[{"entityName": "anvil-0", "contents": ["is heavy"]}]),
        call("read_graph"),
        call("search_nodes", query="heavy"),
        call("open_nodes", names=["anvil-0", "bellows-1"]),
        call("delete_observations", deletions=[{"entityName": "anvil-0", "observations": ["is heavy"]}]),
        call("delete_relations", relations=links[:5]),
        call("delete_entities", entityNames=["chisel-2"]),
        call("add_observations", observations=[{"entityName": "nobody", "contents": ["x"]}]),
        resource("read", "memory://knowledge-graph"),
        resource("unsubscribe", "memory://knowledge-graph"),
    ]
    return Server("memory", node("server-memory"), steps)


def thinking() -> Server:
    """A chain of thoughts with a revision and a branch."""
    think = lambda at, **more: call("sequentialthinking", thought=f"Thought {at}", thoughtNumber=at, totalThoughts=4, nextThoughtNeeded=at < 4, **more)  # noqa: E731
    steps = [
        think(1),
        think(2),
        think(3, isRevision=True, revisesThought=1),
        think(3, branchFromThought=2, branchId="other"),
        think(4),
        call("sequentialthinking", thought="no number"),
    ]
    return Server("sequential-thinking", node("server-sequential-thinking"), steps, {"DISABLE_THOUGHT_LOGGING": "true"})


def git(folder: Path) -> Server:
    """Looks at the repository, then commits."""
    ask = lambda name, **more: call(f"git_{name}", repo_path=str(folder), **more)  # noqa: E731
    steps = [
        ask("status"),
        ask("diff_unstaged"),
        ask("diff_unstaged", context_lines=0),
        ask("diff_staged"),
        ask("diff", target="HEAD~4"),
        ask("log", max_count=12),
        ask("log", max_count=3, start_timestamp="2025-12-01"),
        ask("show", revision="HEAD"),
        ask("show", revision="HEAD~11"),
        ask("branch", branch_type="all"),
        ask("reset"),
        ask("add", files=["prices.py", "staged.txt"]),
        ask("commit", message="Raise the tax of everything"),
        ask("create_branch", branch_name="other", base_branch="spare"),
        ask("checkout", branch_name="other"),
        ask("log", max_count=1),
        ask("show", revision="no-such-revision"),
        call("git_status", repo_path=str(folder.parent)),
        call("git_status"),
    ]
    return Server("git", [str(CACHE / "servers" / "bin" / "mcp-server-git"), "--repository", str(folder)], steps, DATES)


def fetch(port: int) -> Server:
    """Pages as Markdown and as they are."""
    at = lambda path: f"http://127.0.0.1:{port}{path}"  # noqa: E731
    steps = [
        call("fetch", url=at("/article.html")),
        call("fetch", url=at("/article.html"), max_length=20000),
        call("fetch", url=at("/article.html"), max_length=1000, start_index=3000),
        call("fetch", url=at("/article.html"), raw=True, max_length=50000),
        call("fetch", url=at("/items.json"), max_length=50000),
        call("fetch", url=at("/server.log"), max_length=50000),
        call("fetch", url=at("/missing.html")),
        call("fetch", url=at("/private.html")),
        call("fetch", url="not a url"),
        prompt("fetch", url=at("/article.html")),
    ]
    return Server("fetch", [str(CACHE / "servers" / "bin" / "mcp-server-fetch"), "--allow-private-ips"], steps)


def sqlite(path: Path) -> Server:
    """Reads and writes tables."""
    steps = [
        call("list_tables"),
        call("describe_table", table_name="items"),
        call("read_query", query="SELECT * FROM items"),
        call("read_query", query="SELECT * FROM orders LIMIT 20"),
        call("read_query", query="SELECT status, count(*) AS many, avg(price) AS mean FROM items GROUP BY status"),
        call("read_query", query="SELECT * FROM items WHERE id < 0"),
        call("write_query", query="UPDATE items SET price = price * 2 WHERE id < 1010"),
        call("create_table", query="CREATE TABLE notes (id INTEGER, text TEXT)"),
        call("append_insight", insight="Hammers sell best."),
        call("read_query", query="SELECT nothing FROM nowhere"),
        call("read_query", query="DELETE FROM items"),
        resource("read", "memo://insights"),
        prompt("mcp-demo", topic="tools"),
    ]
    return Server("sqlite", [str(CACHE / "sqlite" / "bin" / "mcp-server-sqlite"), "--db-path", str(path)], steps)


def serve_http(port: str) -> None:
    """Become the everything server over streamable HTTP; by itself it would listen on all interfaces."""
    words = node("server-everything", "streamableHttp")
    words[1:1] = ["--require", str(Path(__file__).with_name("loopback.cjs"))]
    os.execve(words[0], words, {**os.environ, "PORT": port})


def print_json() -> None:
    """Print the table, then make the fixtures anew whenever a line is read."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "root"
        print(json.dumps({"root": str(root), "servers": [asdict(one) for one in servers(root, pages())]}), flush=True)
        for _line in sys.stdin:
            make(root)
            print("made", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The seven servers.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--http", metavar="PORT")
    given = parser.parse_args()
    if given.http:
        serve_http(given.http)
    print_json()
