#!/usr/bin/env bash
# Records docs/pictures/run.svg: real commands against a model that replays (replay.py), without a network.
#
#   docs/pictures/record.sh [PATH-OF-TERSELY]        target/release/tersely unless said
#
# Needs Python and Node; asciinema and svg-term-cli are installed into target/tools/record.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$root/docs/pictures
tersely=$(realpath "${1:-$root/target/release/tersely}")
talk=$root/corpus/conversations/claude-review.anthropic.json

if [[ ${TERSELY_SCENE:-} == on ]]; then
    # The scene: what stands on the screen.
    say() { printf '\033[1;32m$\033[0m '; for ((at = 0; at < ${#1}; at++)); do printf '%s' "${1:at:1}"; sleep 0.03; done; printf '\n'; sleep 0.3; }
    do_it() { say "$1"; eval "$1"; sleep "${2:-2}"; printf '\n'; }
    clear
    do_it 'tersely count issues.json' 1
    do_it 'tersely compress issues.json' 3.5
    do_it 'tersely compress issues.json | tersely decode | cmp - issues.json && echo the same bytes' 2.5
    clear
    do_it 'tersely run -- ./agent "Review the newest commit"' 3.5
    clear
    do_it 'tersely stats' 5
    exit
fi

tools=$root/target/tools/record
if [[ ! -x $tools/node_modules/.bin/svg-term || ! -x $tools/bin/asciinema ]]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet asciinema==2.4.0
    npm install --silent --no-package-lock --prefix "$tools" svg-term-cli@2.1.1
fi

stage=$(mktemp -d)
mkdir "$stage/bin" "$stage/shop" "$stage/home"
ln -s "$tersely" "$stage/bin/tersely"
printf '#!/bin/sh\nexec python3 "%s/replay.py" agent "%s"\n' "$here" "$talk" > "$stage/shop/agent"
chmod +x "$stage/shop/agent"
# The example of the README.
sed -n '/^```json$/,/^```$/p' "$root/README.md" | sed '1d;/^```$/,$d' > "$stage/shop/issues.json"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
python3 "$here/replay.py" model "$port" "$talk" & model=$!
trap 'kill "$model"; rm -rf "$stage"' EXIT
sleep 1

cd "$stage/shop"
env -i PATH="$stage/bin:$PATH" HOME="$stage/home" TERM=xterm-256color LANG=C.UTF-8 LC_ALL=C.UTF-8 TERSELY_SCENE=on ANTHROPIC_BASE_URL="http://127.0.0.1:$port" \
    "$tools/bin/asciinema" rec --quiet --overwrite --cols 96 --rows 27 --idle-time-limit 5 --command "bash '$here/record.sh' '$tersely'" "$stage/run.cast"
"$tools/node_modules/.bin/svg-term" --in "$stage/run.cast" --out "$here/run.svg" --window --width 98 --height 27
wc -c "$here/run.svg"
