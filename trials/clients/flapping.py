"""An MCP server over stdio whose tools come and go: it offers the tools that a file names, and says when the file changes.

    python3 flapping.py tools.txt
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path

LOCK = threading.Lock()


def send(message: dict) -> None:
    """One message, on a line."""
    with LOCK:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def tools(file: Path) -> list[dict]:
    """The tools that the file names, each with a description of some length."""
    schema = {"type": "object", "properties": {"query": {"type": "string", "description": "What to look for."}}}
    described = "Looks something up in the files of this project, and says where it is. " * 4
    return [{"name": name, "description": f"{name}: {described}", "inputSchema": schema} for name in file.read_text().split()]


def watch(file: Path) -> None:
    """Says that the list of tools has changed, whenever it has."""
    known = file.read_text()
    while True:
        time.sleep(0.1)
        if (now := file.read_text()) != known:
            known = now
            send({"method": "notifications/tools/list_changed"})


def main() -> None:
    """Answer until nobody asks."""
    file = Path(sys.argv[1])
    threading.Thread(target=watch, args=[file], daemon=True).start()
    for line in sys.stdin:
        asked = json.loads(line)
        match asked.get("method"):
            case "initialize":
                version = asked["params"]["protocolVersion"]
                server = {"name": "files", "version": "1"}
                result = {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": server}
            case "tools/list":
                result = {"tools": tools(file)}
            case "tools/call":
                result = {"content": [{"type": "text", "text": "nothing found"}]}
            case _:
                result = {}
        if "id" in asked:
            send({"id": asked["id"], "result": result})


if __name__ == "__main__":
    main()
