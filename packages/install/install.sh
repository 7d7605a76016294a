#!/bin/sh
# Installs tersely for you alone: downloads the archive for this machine, checks it, and says how to undo that.
#
#   curl -fsSL https://github.com/tersely/tersely/releases/latest/download/install.sh | sh
#
#   TERSELY_VERSION=0.1.0      a version; default: the latest
#   TERSELY_INSTALL_DIR=PATH   where the program goes; default: ~/.local/bin
#   TERSELY_DOWNLOAD_URL=URL   where the archives and SHA256SUMS are; default: the project's releases
set -eu

releases=https://github.com/tersely/tersely/releases

main() {
    into=${TERSELY_INSTALL_DIR:-${HOME:?"is not set: say where to install with TERSELY_INSTALL_DIR"}/.local/bin}
    from=$(address)
    wanted=$(targets)
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    trap 'exit 1' HUP INT TERM

    fetch "$from/SHA256SUMS" "$tmp/SHA256SUMS"
    # A glibc may be too old for the first; the second is static and needs none.
    for target in $wanted; do
        program=$(unpack "$target")
        if version=$("$program" --version 2>"$tmp/fault"); then
            place "$program"
            report
            return
        fi
    done
    fail "the program does not start: $(cat "$tmp/fault")"
}

address() {
    if [ -n "${TERSELY_DOWNLOAD_URL:-}" ]; then
        echo "${TERSELY_DOWNLOAD_URL%/}"
    elif [ -n "${TERSELY_VERSION:-}" ]; then
        echo "$releases/download/v${TERSELY_VERSION#v}"
    else
        echo "$releases/latest/download"
    fi
}

targets() {
    case $(uname -m) in
        x86_64 | amd64) processor=x86_64 ;;
        aarch64 | arm64) processor=aarch64 ;;
        *) fail "there is no program for the processor $(uname -m); build it: cargo install --locked tersely-cli" ;;
    esac
    case $(uname -s) in
        Linux)
            # musl has no getconf that knows this.
            if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then echo "$processor-unknown-linux-gnu"; fi
            echo "$processor-unknown-linux-musl"
            ;;
        Darwin)
            # A shell that runs under Rosetta says x86_64.
            if [ "$(sysctl -n hw.optional.arm64 2>/dev/null)" = 1 ]; then processor=aarch64; fi
            echo "$processor-apple-darwin"
            ;;
        *) fail "there is no program for $(uname -s) here; on Windows use install.ps1" ;;
    esac
}

# Downloads, checks and unpacks the archive of one target, and says where the program is.
unpack() {
    archive=tersely-$1.tar.gz
    expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$tmp/SHA256SUMS")
    [ -n "$expected" ] || fail "$from/SHA256SUMS does not name $archive"
    fetch "$from/$archive" "$tmp/$archive"
    found=$(checksum "$tmp/$archive")
    [ "$found" = "$expected" ] || fail "$archive is not what was released: its SHA-256 is $found, not $expected"
    tar -xzf "$tmp/$archive" -C "$tmp"
    echo "$tmp/tersely-$1/tersely"
}

fetch() {
    if command -v curl >/dev/null; then
        curl -fsSL --retry 3 -o "$2" "$1" || fail "$1 cannot be downloaded"
    elif command -v wget >/dev/null; then
        wget -q -O "$2" "$1" || fail "$1 cannot be downloaded"
    else
        fail "curl or wget is needed"
    fi
}

checksum() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null; then
        shasum -a 256 "$1" | cut -d ' ' -f 1
    else
        fail "sha256sum or shasum is needed to check the download"
    fi
}

# By a rename: a program that runs meanwhile keeps its file, and nobody sees half of one.
place() {
    mkdir -p "$into"
    cp "$1" "$into/.tersely.new"
    chmod 755 "$into/.tersely.new"
    mv -f "$into/.tersely.new" "$into/tersely"
}

report() {
    echo "installed $version: $into/tersely"
    case ":$PATH:" in
        *":$into:"*) ;;
        *) echo "to have it on your path: export PATH=\"$into:\$PATH\"" ;;
    esac
    echo "to start: tersely run claude"
    echo "to upgrade: run this again; to undo: rm $into/tersely"
}

fail() {
    echo "error: $1" >&2
    exit 1
}

# The last line, so that half a download does nothing.
main
