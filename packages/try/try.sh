#!/usr/bin/env bash
# Makes a Debian without Rust once, and tries every package in it. Needs root, mmdebstrap and npm.
#
#   packages/try/try.sh OUT [--image ARCHIVE]      # what assemble.py and deploy/container/build.sh wrote
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${TERSELY_CACHE:-$HOME/.cache/tersely}/debian
parts=bash-completion,ca-certificates,curl,man-db,nodejs,npm,python3-venv

if [ "$(cat "$root.parts" 2>/dev/null)" != "$parts" ]; then
    rm -rf "$root"
    mkdir -p "$(dirname "$root")"
    mmdebstrap --variant=minbase --include="$parts" bookworm "$root"
    echo "$parts" >"$root.parts"
fi
if [ -x "$root/usr/bin/tersely" ]; then chroot "$root" dpkg --purge tersely; fi
exec python3 "$here/try.py" --root "$root" "$@"
