#!/usr/bin/env bash
# Builds the image around target/release/tersely, into an archive that `podman load` reads. Needs buildah.
#
#   deploy/container/build.sh ARCHIVE            on the base that the Containerfile names
#   deploy/container/build.sh ARCHIVE --local    where no registry can be reached: on a base of this machine's glibc and certificates
set -euo pipefail

archive=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# vfs needs nothing of the kernel.
places=(--storage-driver vfs --root "$tmp/store" --runroot "$tmp/run")

words=(--build-arg BINARY=given)
if [[ "${2:-}" == --local ]]; then
    mkdir -p "$tmp/base/etc/ssl/certs"
    ldd target/release/tersely | grep -o '/[^ ]*' | while read -r library; do install -D "$library" "$tmp/base$library"; done
    cp /etc/ssl/certs/ca-certificates.crt "$tmp/base/etc/ssl/certs/"
    printf 'FROM scratch\nCOPY base /\n' > "$tmp/Base"
    buildah "${places[@]}" bud --isolation chroot --quiet -f "$tmp/Base" -t localhost/base "$tmp" >/dev/null
    words+=(--build-arg BASE=localhost/base)
fi
buildah "${places[@]}" bud --isolation chroot --quiet -f deploy/container/Containerfile "${words[@]}" -t localhost/tersely . >/dev/null
echo "image: $(buildah "${places[@]}" images --format '{{.Size}}' localhost/tersely)"
rm -f "$archive"
buildah "${places[@]}" push --quiet localhost/tersely "oci-archive:$archive:localhost/tersely:latest" >/dev/null
