#!/usr/bin/env bash
# Makes a Debian without Rust once, and tries every package in it. Needs root and mmdebstrap.
#
#   packages/try/try.sh OUT        # what assemble.py wrote
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${TERSELY_CACHE:-$HOME/.cache/tersely}/debian

if [ ! -e "$root.done" ]; then
    rm -rf "$root"
    mkdir -p "$(dirname "$root")"
    mmdebstrap --variant=minbase --include=ca-certificates,curl,nodejs,npm,python3-venv bookworm "$root"
    touch "$root.done"
fi
if [ -x "$root/usr/bin/tersely" ]; then chroot "$root" dpkg --purge tersely; fi
exec python3 "$here/try.py" --root "$root" "$1"
