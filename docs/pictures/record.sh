#!/usr/bin/env bash
# Records docs/pictures/run.svg: the real Claude Code, started by `tersely run`, with a scripted model behind it (docs/snippets/upstream.py) and no network.
#
#   docs/pictures/record.sh [PATH-OF-TERSELY]        target/release/tersely unless said
#
# Needs Python and Node; asciinema and svg-term-cli are installed into target/tools/record, Claude Code by trials/clients/setup.py.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$root/docs/pictures
tersely=$(realpath "${1:-$root/target/release/tersely}")
clients=${TERSELY_CACHE:-$HOME/.cache/tersely}/clients/npm/node_modules

if [[ ${TERSELY_SCENE:-} == on ]]; then
    # The scene: what is on the screen.
    say() { printf '\033[1;32m$\033[0m '; for ((at = 0; at < ${#1}; at++)); do printf '%s' "${1:at:1}"; sleep 0.02; done; printf '\n'; sleep 0.3; }
    do_it() { say "$1"; eval "$1"; sleep "${2:-2}"; printf '\n'; }
    clear
    do_it "tersely run claude -p 'Run python3 issues.py and tell me how many issues are open'" 3
    do_it 'tersely stats' 5
    exit
fi

tools=$root/target/tools/record
if [[ ! -x $tools/node_modules/.bin/svg-term || ! -x $tools/bin/asciinema ]]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet asciinema==2.4.0
    npm install --silent --no-package-lock --prefix "$tools" svg-term-cli@2.1.1
fi
[[ -x $clients/.bin/claude ]] || python3 "$root/trials/clients/setup.py"

stage=$(mktemp -d)
mkdir "$stage/bin" "$stage/shop" "$stage/home"
ln -s "$tersely" "$stage/bin/tersely"
# The tool that the model asks for is allowed beforehand: nobody is there to be asked.
printf '#!/bin/sh\nexec "%s" "$@" --allowedTools Bash\n' "$clients/.bin/claude" > "$stage/bin/claude"
chmod +x "$stage/bin/claude"
# The program of the guide for Claude Code.
sed -n '/^```python$/,/^```$/p' "$root/docs/guides/claude-code.md" | sed '1d;/^```$/,$d' > "$stage/shop/issues.py"
python3 - "$root/docs/snippets" "$stage/address" <<'EOF' & model=$!
import sys, threading
sys.path.insert(0, sys.argv[1])
import upstream
model = upstream.Upstream()
open(sys.argv[2], "w").write(model.address)
threading.Event().wait()
EOF
trap 'kill "$model"; rm -rf "$stage"' EXIT
while [[ ! -s $stage/address ]]; do sleep 0.1; done

cd "$stage/shop"
env -i PATH="$stage/bin:$PATH" HOME="$stage/home" TERM=xterm-256color LANG=C.UTF-8 LC_ALL=C.UTF-8 TERSELY_SCENE=on ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL="http://$(cat "$stage/address")" \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 \
    "$tools/bin/asciinema" rec --quiet --overwrite --cols 96 --rows 28 --idle-time-limit 5 --command "bash '$here/record.sh' '$tersely'" "$stage/run.cast"
"$tools/node_modules/.bin/svg-term" --in "$stage/run.cast" --out "$stage/run.svg" --window --width 98 --height 28
python3 "$here/poster.py" "$stage/run.svg" "$here/run.svg"
wc -c "$here/run.svg"
