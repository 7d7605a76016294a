#!/bin/sh
# One list and one call with the inspector's command line, direct and behind a wrapper: ./inspector.sh 'tersely mcp --'
# Prints both results; fails if one of them is an error, or if the wrapped call is longer.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
modules=${TERSELY_CACHE:-$HOME/.cache/tersely}/mcp/npm/node_modules
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
PYTHONPATH=$here python3 -c 'import sys, pathlib, fixtures; fixtures.files(pathlib.Path(sys.argv[1]) / "files")' "$root"

# The wrapper and the server are started by a script: the inspector would swallow the `--` between them.
inspect() { # $1: the wrapper; the rest: what to ask
    echo "exec $1 node '$modules/@modelcontextprotocol/server-filesystem/dist/index.js' '$root/files'" >"$root/start"
    shift
    "$modules/.bin/mcp-inspector" --cli sh "$root/start" "$@"
}

for wrap in '' "${1-}"; do
    inspect "$wrap" --method tools/list >"$root/tools"
    inspect "$wrap" --method tools/call --tool-name read_text_file --tool-arg "path=$root/files/items.json" >"$root/call"
    python3 - "$root" "${wrap:-direct}" <<'PYTHON'
import json, pathlib, sys
root, wrap = pathlib.Path(sys.argv[1]), sys.argv[2]
tools, call = json.loads((root / "tools").read_text())["tools"], json.loads((root / "call").read_text())
size, least = len(call["content"][0]["text"]), root / "least"
print(f"{wrap}: {len(tools)} tools, a text of {size} characters, fields {sorted(call)}")
if call.get("isError") or (least.exists() and size > int(least.read_text())):
    sys.exit("the call failed or has grown")
least.write_text(str(size))
PYTHON
done
