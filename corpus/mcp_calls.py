"""Results of real MCP servers, asked over their standard input and output."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

from place import PROJECT, SAMPLE, TOOLS, USER, cleaned, environment

NODE = TOOLS / "npm" / "node_modules" / ".bin"
FILES = [str(NODE / "mcp-server-filesystem"), str(PROJECT), str(SAMPLE)]
GIT = [str(TOOLS / "python" / "bin" / "mcp-server-git"), "--repository", str(PROJECT)]
SQL = [str(TOOLS / "sqlite" / "bin" / "mcp-server-sqlite"), "--db-path", "/srv/history.sqlite"]
MEMORY = [str(NODE / "mcp-server-memory")]
EVERYTHING = [str(NODE / "mcp-server-everything")]

ENTITIES = [
    {"name": name, "entityType": "crate", "observations": [f"{name} {what}", f"its sources are in crates/{name}/src"]}
    for name, what in [
        ("codec", "writes and reads forms of JSON"), ("core", "finds stages for tool results"), ("wire", "finds results in request bodies"),
        ("store", "keeps originals by tenant"), ("engine", "puts a whole body through"), ("gateway", "forwards requests"), ("cli", "is the command line"),
    ]
]
RELATIONS = [
    {"from": user, "to": used, "relationType": "uses"}
    for user, used in [("core", "codec"), ("engine", "core"), ("engine", "wire"), ("engine", "store"), ("gateway", "engine"), ("cli", "gateway")]
]
AVERAGE = "select folder, count(*) as changes, sum(added) as added, sum(removed) as removed, max(added) as most from changes group by folder order by added desc limit 60"

# Path under outputs/, server, and the calls; the answer to the last is kept. No name stands for tools/list.
CALLS = [
    ("mcp/filesystem-read.json", FILES, [("read_text_file", {"path": str(PROJECT / "crates/core/src/wrap.rs")})]),
    ("mcp/filesystem-read-multiple.json", FILES, [("read_multiple_files", {"paths": [str(SAMPLE / path) for path in ["python/ledger/invoice.py", "go/queue.go", "node/missing.js", "node/package.json"]]})]),
    ("mcp/filesystem-tree.json", FILES, [("directory_tree", {"path": str(PROJECT / "crates/gateway")})]),
    ("mcp/filesystem-sizes.json", FILES, [("list_directory_with_sizes", {"path": str(PROJECT / "crates/core/src/stage"), "sortBy": "size"})]),
    ("mcp/filesystem-search.json", FILES, [("search_files", {"path": str(PROJECT), "pattern": "**/*.rs", "excludePatterns": ["crates/core", "crates/wire"]})]),
    ("mcp/filesystem-tools.json", FILES, [(None, {})]),
    ("mcp/git-log.json", GIT, [("git_log", {"repo_path": str(PROJECT), "max_count": 30})]),
    ("mcp/git-diff.json", GIT, [("git_show", {"repo_path": str(PROJECT), "revision": "HEAD~7"})]),
    ("mcp/sqlite-query.json", SQL, [("read_query", {"query": AVERAGE})]),
    ("mcp/memory-graph.json", MEMORY, [("create_entities", {"entities": ENTITIES}), ("create_relations", {"relations": RELATIONS}), ("read_graph", {})]),
    ("mcp/everything-tools.json", EVERYTHING, [(None, {})]),
]


def made() -> Iterator[tuple[str, str, str]]:
    """Path under outputs/, source and text of each."""
    (USER / "memory.json").unlink(missing_ok=True)
    for path, server, calls in CALLS:
        name, given = calls[-1]
        asked = f"tools/call {name} {json.dumps(given)}" if name else "tools/list"
        yield path, f"{server[0].rpartition('/')[2]}: {asked}", last_answer(server, calls)


def last_answer(server: list[str], calls: list[tuple[str | None, dict]]) -> str:
    """What the server answers to the last of the calls, as it stands on the line."""
    more = {"MEMORY_FILE_PATH": str(USER / "memory.json")}
    process = subprocess.Popen(
        server, cwd=PROJECT, env=environment() | more, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "corpus", "version": "1"}}
    ask(process, 0, "initialize", hello)
    send(process, {"method": "notifications/initialized"})
    answer = ""
    for number, (name, given) in enumerate(calls, 1):
        answer = ask(process, number, "tools/call", {"name": name, "arguments": given}) if name else ask(process, number, "tools/list", {})
    process.stdin.close()
    process.terminate()
    process.wait(20)
    return answer


def ask(process: subprocess.Popen, number: int, method: str, given: dict) -> str:
    """One request; what comes between is not for us."""
    send(process, {"id": number, "method": method, "params": given})
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == number and "method" not in answer:
            return cleaned(line)
    raise SystemExit(f"{process.args[0]} ended before it answered {method}")


def send(process: subprocess.Popen, message: dict) -> None:
    """A message on a line."""
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


PATHS = [path for path, _, _ in CALLS]
