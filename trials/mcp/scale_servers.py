"""Servers for `scale.py`, written with the official SDK: many behind one port, each on a path of its own, or one on stdio.

    python scale_servers.py --port 18400 --count 45     # /0/mcp to /44/mcp, on loopback
    python scale_servers.py --stdio
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import logging


@functools.cache
def template(kind: str, size: int) -> str:
    """A text of about so many bytes, with a mark where the batch stands."""
    if kind == "log":
        line = "2026-01-01T00:{:02}:{:02}Z INFO worker {} finished step {} of batch @@\n"
        count = max(1, size // 66)
        return "".join(line.format(n // 60 % 60, n % 60, n % 7, n) for n in range(count))
    count = max(1, size // 62)
    return json.dumps([{"id": n, "name": f"item {n * 7919 % 1000}", "state": "open", "batch": "@@"} for n in range(count)])


def text(kind: str, size: int, batch: str) -> str:
    """What a tool answers."""
    return template(kind, size).replace("@@", batch)


def server(name: str):  # noqa: ANN201 - the client of this file has no SDK
    """A server with one tool."""
    from mcp.server.mcpserver import MCPServer

    made = MCPServer(name)

    @made.tool(structured_output=False)
    def make(kind: str, size: int, batch: str) -> str:
        """Rows of JSON, or lines of a log."""
        return text(kind, size, batch)

    return made


def listen(port: int, count: int) -> None:
    """Serve many until stopped."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Mount

    apps = [server(f"server {n}").streamable_http_app() for n in range(count)]

    @contextlib.asynccontextmanager
    async def together(_: Starlette):  # noqa: ANN202
        async with contextlib.AsyncExitStack() as stack:
            for app in apps:
                await stack.enter_async_context(app.router.lifespan_context(app))
            yield

    routes = [Mount(f"/{n}", app=app) for n, app in enumerate(apps)]
    uvicorn.run(Starlette(routes=routes, lifespan=together), host="127.0.0.1", port=port, log_level="error", backlog=4096)


if __name__ == "__main__":
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--port", type=int)
    args.add_argument("--count", type=int, default=1)
    args.add_argument("--stdio", action="store_true")
    given = args.parse_args()
    logging.disable(logging.WARNING)
    if given.stdio:
        server("stdio").run("stdio")
    else:
        listen(given.port, given.count)
