"""Asks every server the same with and without a wrapper, with the official client for Python, and compares what comes back.

    python3 compare.py                                  # direct and direct: are the servers deterministic?
    python3 compare.py --wrap 'tersely mcp --'          # exit code 1 if anything is different that should not be
    python3 compare.py --wrap 'python3 relay.py recorded/{name}.jsonl --'
    python3 compare.py --mode legacy --only git
    python3 compare.py --urls http://127.0.0.1:18301/mcp http://127.0.0.1:18302/mcp      # streamable HTTP
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import shlex
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from fixtures import make, pages
from install import CACHE
from judge import judge, report
from servers import Server, Step, servers

PYTHON = CACHE / "client" / "bin" / "python"
if Path(sys.prefix).resolve() != PYTHON.parents[1].resolve():  # The client is there, in an environment of its own.
    os.execv(PYTHON, [PYTHON, *sys.argv])

from mcp import Client, StdioServerParameters, types  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402

LISTS = {"tools": "list_tools", "resources": "list_resources", "templates": "list_resource_templates", "prompts": "list_prompts"}


async def session(server: Server, where: object, mode: str, root: Path) -> dict:
    """Everything that a client learns from a server."""
    heard: Counter[str] = Counter()

    async def hear(message: object) -> None:
        heard[getattr(message, "method", "fault")] += 1

    async with Client(where, mode=mode, read_timeout_seconds=60, message_handler=hear, **answers(root)) as client:
        hello = {
            "protocol": client.protocol_version,
            "info": plain(client.server_info),
            "capabilities": plain(client.server_capabilities),
            "instructions": client.instructions,
        }
        found = {name: await listed(client, name) for name in LISTS}
        await asyncio.sleep(0.5 if server.name == "everything" else 0)  # It asks for the roots after 350 ms.
        said = [await answer(client, step) for step in server.steps]
        return {"hello": hello, **found, "answers": said, "notifications": dict(sorted(heard.items()))}


def answers(root: Path) -> dict[str, object]:
    """What the client answers when the server asks."""

    async def sample(_context: object, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        said = types.TextContent(type="text", text=f"I was allowed {params.max_tokens} tokens.")
        return types.CreateMessageResult(role="assistant", content=said, model="none", stop_reason="endTurn")

    async def elicit(_context: object, _params: object) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"name": "A Person", "check": True})

    async def roots(_context: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=root.as_uri(), name="fixtures")])

    return {"sampling_callback": sample, "elicitation_callback": elicit, "list_roots_callback": roots}


async def listed(client: Client, name: str) -> object:
    """All pages of a list, or the error."""
    found, cursor = [], None
    try:
        while True:
            page = plain(await getattr(client, LISTS[name])(cursor=cursor))
            found += next(value for value in page.values() if isinstance(value, list))
            cursor = page.get("nextCursor")
            if cursor is None:
                return found
    except MCPError as error:
        return plain(error.error)


async def answer(client: Client, step: Step) -> dict:
    """The result of a step, or the error, and the progress that was reported meanwhile."""
    progress: list[list[object]] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        progress.append([done, total, message])

    try:
        return {"result": plain(await ask(client, step, note)), "progress": progress}
    except MCPError as error:
        return {"error": plain(error.error)}
    except RuntimeError as error:  # The client found a result that does not match the tool's schema.
        return {"error": str(error)}


async def ask(client: Client, step: Step, note: object) -> object:
    """Make one request."""
    given = step.params
    match step.method:
        case "tools/call":
            return await client.call_tool(given["name"], given["arguments"], step.seconds, note)
        case "prompts/get":
            return await client.get_prompt(given["name"], given["arguments"])
        case "resources/read":
            return await client.read_resource(given["uri"])
        case "resources/subscribe":
            return await client.subscribe_resource(given["uri"])
        case "resources/unsubscribe":
            return await client.unsubscribe_resource(given["uri"])
        case "logging/setLevel":
            return await client.set_logging_level(given["level"])
        case "completion/complete":
            context = given.get("context", {}).get("arguments")
            return await client.complete(types.PromptReference(**given["ref"]), given["argument"], context)
        case "notifications/roots/list_changed":
            return await client.send_roots_list_changed()
        case "ping":
            return await client.send_ping()
    raise ValueError(step.method)


def plain(value: object) -> object:
    """A message as JSON."""
    return value.model_dump(mode="json", by_alias=True, exclude_unset=True) if hasattr(value, "model_dump") else value


def started(server: Server, wrap: str, said: object) -> object:
    """The server on stdio, behind the wrapper if there is one; what it says on the side goes to a file."""
    words = [*shlex.split(wrap.replace("{name}", server.name)), *server.command]
    return stdio_client(StdioServerParameters(command=words[0], args=words[1:], env=server.env), errlog=said)


async def both(server: Server, given: argparse.Namespace, root: Path) -> tuple[dict, dict]:
    """A session without the wrapper and one with it, over the same fixtures."""
    found = []
    for at, wrap in enumerate(["", given.wrap]):
        make(root)
        with (root / "said.txt").open("w+") as said:
            where = given.urls[at % len(given.urls)] if given.urls else started(server, wrap, said)
            try:
                began = time.monotonic()
                found.append(await session(server, where, given.mode, root / "files"))
                logging.info("%s %s: %.1f s", server.name, ["direct", "wrapped"][at], time.monotonic() - began)
            except BaseException:
                print(f"{server.name}, {['direct', 'wrapped'][at]}, failed; it said:\n{(root / 'said.txt').read_text()[-2000:]}")
                raise
    return found[0], found[1]


def main() -> int:
    """Compare all servers, or those that are named."""
    parser = argparse.ArgumentParser(description="Compares sessions with and without a wrapper.")
    parser.add_argument("--wrap", default="", help="the command before the server's; {name} is the server's name")
    parser.add_argument("--only", action="append", help="the name of a server")
    parser.add_argument("--mode", default="auto", choices=["auto", "legacy"], help="discover first, or initialize")
    parser.add_argument("--urls", nargs="+", help="the everything server and what stands before it, over HTTP")
    parser.add_argument("--json", type=Path, help="write all that was observed here")
    given = parser.parse_args()
    rows, observed = [], []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "root"
        for server in servers(root, pages()):
            if server.name not in (["everything"] if given.urls else given.only or [server.name]):
                continue
            steps = [vars(one) for one in server.steps]
            direct, wrapped = asyncio.run(both(server, given, root))
            observed.append({"name": server.name, "steps": steps, "direct": direct, "wrapped": wrapped})
            rows.append(judge(**json.loads(json.dumps(observed[-1]))))
    if given.json:
        given.json.write_text(json.dumps(observed))
    return report(rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.basicConfig(level=os.environ.get("LOG", "CRITICAL"))
    sys.exit(main())
