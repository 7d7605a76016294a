"""Three hundred tools of ten real MCP servers through `tersely serve` with `discovery`: is the head of the prompt the same from the first request of a
conversation to the last, on either of two gateways, and does a model find the tool that it asks for, and the client get the call of it?

    python3 discovery.py --tersely ../../target/release/tersely

The tools are what the servers say in `tools/list`; no server is called. The model follows a script: it calls the tool that it wants if it is
shown, else searches in plain words and calls it if the answer has it. Exits with 1 if a head changes, a call does not arrive, or fewer than nine in ten searches find their tool.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from install import CACHE, run

# The package, its version, and what it must be told to list its tools; nothing of it is a secret.
SERVERS = {
    "gitlab": ("@zereight/mcp-gitlab", "2.1.64", {"GITLAB_PERSONAL_ACCESS_TOKEN": "none"}),
    "playwright": ("@playwright/mcp", "0.0.83", {}),
    "devtools": ("chrome-devtools-mcp", "1.11.0", {}),
    "github": ("@modelcontextprotocol/server-github", "2025.4.8", {}),
    "filesystem": ("@modelcontextprotocol/server-filesystem", "2026.8.31", {}),
    "memory": ("@modelcontextprotocol/server-memory", "2026.8.31", {}),
    "notion": ("@notionhq/notion-mcp-server", "2.5.2", {"OPENAPI_MCP_HEADERS": "{}"}),
    "kubernetes": ("mcp-server-kubernetes", "4.1.7", {}),
    "slack": ("@modelcontextprotocol/server-slack", "2025.4.25", {"SLACK_BOT_TOKEN": "none", "SLACK_TEAM_ID": "T1"}),
    "mongodb": ("mongodb-mcp-server", "3.0.4", {"MDB_MCP_CONNECTION_STRING": "mongodb://127.0.0.1:1"}),
}

OPENING = "The build of our web shop fails since yesterday. Read package.json and the CI file in the repository, and tell me what changed."

# What a model says it needs, and the tools that do it.
SEARCHES = [
    ("post a message to a Slack channel", ["slack__slack_post_message"]),
    ("add an emoji reaction to a Slack message", ["slack__slack_add_reaction"]),
    ("read the history of a Slack channel", ["slack__slack_get_channel_history"]),
    ("take a screenshot of the page", ["playwright__browser_take_screenshot", "devtools__take_screenshot"]),
    ("run a lighthouse audit", ["devtools__lighthouse_audit"]),
    ("record a performance trace", ["devtools__performance_start_trace"]),
    ("fill in a form in the browser", ["playwright__browser_fill_form", "devtools__fill_form"]),
    ("create a database index on a MongoDB collection", ["mongodb__create-index"]),
    ("run an aggregation pipeline", ["mongodb__aggregate", "mongodb__aggregate-db"]),
    ("delete documents from a collection", ["mongodb__delete-many"]),
    ("rename a collection", ["mongodb__rename-collection"]),
    ("scale a Kubernetes deployment", ["kubernetes__kubectl_scale"]),
    ("show the logs of a pod", ["kubernetes__kubectl_logs"]),
    ("install a helm chart", ["kubernetes__install_helm_chart"]),
    ("run a command inside a pod", ["kubernetes__exec_in_pod"]),
    ("forward a local port to a pod", ["kubernetes__port_forward"]),
    ("query a Notion data source", ["notion__API-query-data-source"]),
    ("add a comment to a Notion page", ["notion__API-create-a-comment"]),
    ("move a page to another parent", ["notion__API-move-page"]),
    ("approve a merge request", ["gitlab__approve_merge_request"]),
    ("protect a branch", ["gitlab__protect_branch"]),
    ("who wrote each line of a file, blame", ["gitlab__get_file_blame"]),
    ("mark all my todos as done", ["gitlab__mark_all_todos_done"]),
    ("create a label in a GitLab project", ["gitlab__create_label"]),
    ("list the members of a group", ["gitlab__list_group_members"]),
    ("merge a pull request on GitHub", ["github__merge_pull_request"]),
    ("search code across GitHub repositories", ["github__search_code"]),
    ("review a pull request", ["github__create_pull_request_review"]),
    ("move or rename a file", ["filesystem__move_file"]),
    ("recursive tree view of files and directories", ["filesystem__directory_tree"]),
    ("store new entities in the knowledge graph", ["memory__create_entities"]),
    ("delete relations from the knowledge graph", ["memory__delete_relations"]),
]


def tools() -> list[dict]:
    """The tools of all servers, each under the name that an agent gives it; listed once."""
    kept = CACHE / "discovery" / "tools.json"
    stamp = json.dumps(SERVERS)
    if kept.is_file() and (found := json.loads(kept.read_text()))["stamp"] == stamp:
        return found["tools"]
    found = []
    for name, (package, version, env) in SERVERS.items():
        folder = CACHE / "discovery" / name
        folder.mkdir(parents=True, exist_ok=True)
        run("npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", f"{package}@{version}")
        found += [{**tool, "name": f"mcp__{name}__{tool['name']}"} for tool in listed(folder, package, env)]
    kept.write_text(json.dumps({"stamp": stamp, "tools": found}))
    return found


def listed(folder: Path, package: str, env: dict[str, str]) -> list[dict]:
    """What a server says in `tools/list`."""
    home = folder / "node_modules" / package
    start = json.loads((home / "package.json").read_text())["bin"]
    start = start if isinstance(start, str) else next(iter(start.values()))
    words = ["node", str(home / start), *([str(folder)] if "filesystem" in package else [])]
    quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, env={**os.environ, **env, "HOME": str(folder)}, **quiet) as server:
        def say(**message: object) -> None:
            server.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
            server.stdin.flush()
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "list", "version": "1"}}
        say(id=1, method="initialize", params=client)
        found, end = [], time.monotonic() + 120
        while select.select([server.stdout], [], [], max(0, end - time.monotonic()))[0]:
            line = server.stdout.readline()
            if not line:
                break
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("id") == 1:
                say(method="notifications/initialized")
                say(id=2, method="tools/list", params={})
            elif message.get("id") == 2:
                found += message["result"]["tools"]
                if not (cursor := message["result"].get("nextCursor")):
                    break
                say(id=2, method="tools/list", params={"cursor": cursor})
        server.kill()
    if not found:
        raise SystemExit(f"{package} listed no tools")
    return found


class Upstream(ThreadingHTTPServer):
    """A model that follows a script: what it says depends on what the last message answers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[bytes] = []
        self.search: tuple[str, list[str]] = ("", [])
        self.found: str | None = None
        self.shown: str | None = None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def turn(self, body: dict) -> list[dict]:
        """The content of the next message."""
        last = body["messages"][-1]["content"]
        answer = last[0] if isinstance(last, list) and last[0]["type"] == "tool_result" else None
        shown = {tool["name"] for tool in body["tools"]}
        self.shown = next((name for name in self.search[1] if name in shown), None)
        if answer is None and self.shown:
            return [{"type": "tool_use", "id": f"c{len(self.bodies)}", "name": self.shown, "input": {"note": "é"}}]
        if answer is None:
            return [{"type": "tool_use", "id": f"s{len(self.bodies)}", "name": "search_tools", "input": {"query": self.search[0]}}]
        if answer["tool_use_id"].startswith("s"):
            names = [json.loads(line)["name"] for line in answer["content"].splitlines() if line.startswith("{")]
            self.found = next((name for name in self.search[1] if name in names), None)
            if self.found:
                call = {"name": self.found, "arguments": {"note": f"é {len(self.bodies)}"}}
                return [{"type": "tool_use", "id": f"c{len(self.bodies)}", "name": "call_tool", "input": call}]
        return [{"type": "text", "text": "Done."}]


class Handler(BaseHTTPRequestHandler):
    """Answers Messages."""

    protocol_version = "HTTP/1.1"
    server: Upstream

    def do_POST(self) -> None:  # noqa: N802
        raw = self.rfile.read(int(self.headers["content-length"]))
        self.server.bodies.append(raw)
        body = json.loads(raw)
        content = self.server.turn(body)
        stop = "tool_use" if content[-1]["type"] == "tool_use" else "end_turn"
        message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": stop}
        message["usage"] = {"input_tokens": 1, "output_tokens": 1}
        text = events(message) if body.get("stream") else json.dumps(message)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if body.get("stream") else "application/json")
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


def events(message: dict) -> str:
    """The same message, as it is streamed."""
    said = [("message_start", {"message": {**message, "content": [], "stop_reason": None}})]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, pieces = {"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]
        else:
            given = json.dumps(block["input"])
            cuts = [given[at : at + 7] for at in range(0, len(given), 7)]
            start, pieces = {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": cut} for cut in cuts]
        said.append(("content_block_start", {"index": index, "content_block": start}))
        said += [("content_block_delta", {"index": index, "delta": piece}) for piece in pieces]
        said.append(("content_block_stop", {"index": index}))
    said += [("message_delta", {"delta": {"stop_reason": message["stop_reason"]}, "usage": message["usage"]}), ("message_stop", {})]
    return "".join(f"event: {kind}\ndata: {json.dumps({'type': kind, **rest})}\n\n" for kind, rest in said)


def content(text: str) -> list[dict]:
    """The content of a message that was streamed."""
    blocks: list[dict] = []
    for line in text.splitlines():
        event = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
        if event.get("type") == "content_block_start":
            blocks.append({**event["content_block"], "given": ""})
        elif event.get("type") == "content_block_delta":
            blocks[-1]["given"] += event["delta"].get("partial_json", "")
            blocks[-1]["text"] = blocks[-1].get("text", "") + event["delta"].get("text", "")
    for block in blocks:
        given = block.pop("given")
        if block["type"] == "tool_use":
            block["input"] = json.loads(given or "{}")
    return blocks


def start(binary: Path, upstream: Upstream, folder: Path) -> tuple[subprocess.Popen, str]:
    """A gateway of its own."""
    words = [str(binary), "serve", "--listen", "127.0.0.1:0", "--upstream", f"http://127.0.0.1:{upstream.server_port}"]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERSELY_DISCOVERY_ENABLED": "true"}
    gateway = subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in gateway.stdout:
        for word in line.replace(",", " ").split():
            if word.startswith("http://127.0.0.1:"):
                threading.Thread(target=gateway.stdout.read, daemon=True).start()
                return gateway, word.rstrip("/.")
    raise SystemExit("the gateway did not start")


def ask(url: str, body: dict) -> tuple[list[dict], dict[str, str]]:
    """The content of an answer, and what its headers say."""
    request = urllib.request.Request(f"{url}/v1/messages", json.dumps(body).encode(), {"content-type": "application/json", "x-api-key": "none"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        text, headers = answer.read().decode(), dict(answer.headers)
    return (content(text) if body["stream"] else json.loads(text)["content"]), headers


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tersely", type=Path, required=True)
    binary = parser.parse_args().tersely.resolve()
    catalogue = [{"name": tool["name"], "description": tool.get("description", ""), "input_schema": tool["inputSchema"]} for tool in tools()]
    upstream, messages = Upstream(), [{"role": "user", "content": OPENING}]
    found, heads, headers = 0, set(), {}
    with tempfile.TemporaryDirectory() as folder:
        gateways = [start(binary, upstream, Path(folder)) for _ in range(2)]
        try:
            for number, (query, wanted) in enumerate(SEARCHES):
                upstream.search, upstream.found, upstream.shown = (query, [f"mcp__{name}" for name in wanted]), None, None
                body = {"model": "m", "max_tokens": 100, "stream": number % 2 == 1, "tools": catalogue, "messages": messages}
                said, told = ask(gateways[number % 2][1], body)
                headers = headers or told
                said = [{key: value for key, value in block.items() if key != "text" or block["type"] == "text"} for block in said]
                calls = [block for block in said if block["type"] == "tool_use"]
                meant = upstream.shown or upstream.found
                assert [call["name"] for call in calls] == ([meant] if meant else []), f"{query}: the client got {calls}"
                assert all("note" in call["input"] for call in calls), f"{query}: the arguments are lost"
                found += bool(meant)
                print(f"{'shown ' if upstream.shown else 'found ' if meant else 'MISSED'} {query}")
                messages.append({"role": "assistant", "content": said})
                answers = [{"type": "tool_result", "tool_use_id": call["id"], "content": "done"} for call in calls]
                messages.append({"role": "user", "content": [*answers, {"type": "text", "text": "Go on."}] if not calls else answers})
                # The model ends its turn, and the user says something else.
                said, _ = ask(gateways[(number + 1) % 2][1], {**body, "messages": messages}) if calls else ([], {})
                if said:
                    messages += [{"role": "assistant", "content": said}, {"role": "user", "content": "And now the next."}]
        finally:
            for gateway, _ in gateways:
                gateway.terminate()
                gateway.wait()
    for body in upstream.bodies:
        heads.add(body[body.index(b'"tools"') : body.index(b'"messages"')])
    tell = {name.lower(): value for name, value in headers.items()}
    print(f"{len(catalogue)} tools of {len(SERVERS)} servers, {tell['x-tersely-tools']}")
    before, after = tell["x-tersely-request-tokens-before"], tell["x-tersely-request-tokens-after"]
    print(f"first request: {before} tokens before, {after} after, {tell['x-tersely-tokens-tool']} of them our own tools")
    print(f"{len(upstream.bodies)} requests upstream through two gateways, {len(heads)} heads of the prompt")
    print(f"{found} of {len(SEARCHES)} tools shown or found, and called")
    sys.exit(0 if len(heads) == 1 and found * 10 >= len(SEARCHES) * 9 else 1)


if __name__ == "__main__":
    main()
