#!/usr/bin/env bash
# Builds the image around target/release/tersely, starts it as a cluster would (no rights, read-only root, the chart's configuration), asks its probes, and lets it go.
#
#   deploy/container/try.sh            on the base that the Containerfile names
#   deploy/container/try.sh --local    where no registry can be reached: on a base of this machine's glibc and certificates
#
# Needs buildah, podman and runc (or the RUNTIME that you name), and helm for the configuration.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
tmp=$(mktemp -d)
# vfs needs nothing of the kernel.
places=(--storage-driver vfs --root "$tmp/store" --runroot "$tmp/run")
name=tersely-try-$$
token=$(head -c 24 /dev/urandom | base64 | tr -d '/+=')
helm=$(command -v helm || echo target/tools/deploy/bin/helm)

pod() { podman "${places[@]}" --cgroup-manager cgroupfs "$@"; }
say() { printf '%s\n' "$*"; }
fail() { say "FAILED: $*" >&2; pod logs "$name" >&2 || true; exit 1; }
trap 'pod rm --force --time 0 "$name" >/dev/null 2>&1 || true; rm -rf "$tmp"' EXIT

deploy/container/build.sh "$tmp/image.tar" "${1:-}"
pod load --quiet --input "$tmp/image.tar" >/dev/null

# The same file that the ConfigMap holds, with a port and a notice that suit a try.
"$helm" template tersely deploy/helm/tersely --set secret.existing=tersely --set drain.notice=2 --show-only templates/config.yaml |
    sed '1,/tersely.yaml:/d; s/^    //' > "$tmp/tersely.yaml"
sed -i 's/0.0.0.0:8787/127.0.0.1:18787/; s/0.0.0.0:9464/127.0.0.1:19464/' "$tmp/tersely.yaml"
grep -q 'mode: standard@1' "$tmp/tersely.yaml" || fail "no profile in the configuration"
chmod 755 "$tmp"

begun=$(date +%s%N)
pod run --detach --name "$name" --runtime "${RUNTIME:-runc}" --network host --read-only --read-only-tmpfs=false --cap-drop all --security-opt no-new-privileges \
    --ulimit nofile=4096:4096 --ulimit nproc=1024:1024 --volume "$tmp/tersely.yaml:/etc/tersely/tersely.yaml:ro" \
    --env TERSELY_ADMIN_TOKEN="$token" localhost/tersely serve --config /etc/tersely/tersely.yaml >/dev/null

code() { curl --silent --output /dev/null --write-out '%{http_code}' --max-time 2 "$@" || true; }
admin=http://127.0.0.1:19464
for _ in $(seq 100); do [[ $(code $admin/readyz) == 200 ]] && break; sleep 0.1; done
[[ $(code $admin/readyz) == 200 ]] || fail "not ready"
say "ready $((($(date +%s%N) - begun) / 1000000)) ms after podman was asked"
for ask in 19464/healthz 18787/healthz 18787/readyz; do [[ $(code "http://127.0.0.1:$ask") == 200 ]] || fail "$ask"; done
[[ $(code $admin/metrics) == 401 ]] || fail "numbers without the token"
curl --silent --fail -H "authorization: Bearer $token" $admin/metrics | grep -q '^tersely_build_info' || fail "no numbers"
say "probes answered, numbers for the token alone"

pid=$(pod inspect --format '{{.State.Pid}}' "$name")
awk '/^Uid:/ { exit !($2 == 65532) }' "/proc/$pid/status" || fail "not user 65532"
awk '/^CapEff:/ { exit !($2 ~ /^0+$/) }' "/proc/$pid/status" || fail "has capabilities"
awk '$5 == "/" { exit !($6 ~ /(^|,)ro(,|$)/) }' "/proc/$pid/mountinfo" || fail "its root can be written to"
say "user 65532, no capabilities, root read-only"

pod kill --signal TERM "$name" >/dev/null
sleep 0.7
[[ $(code $admin/readyz) == 503 && $(code $admin/healthz) == 200 ]] || fail "does not say that it goes"
[[ $(code http://127.0.0.1:18787/readyz) == 503 ]] || fail "does not take requests while it goes"
ended=$(pod wait "$name")
[[ $ended == 0 ]] || fail "ended with $ended"
say "told to go: /readyz 503 and /healthz 200 during the notice, then ended with 0"
