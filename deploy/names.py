"""Every setting, variable, number and path that deploy/ and its pages name is one that the product has, and times and ports fit each other.

    python3 deploy/names.py RENDERED.yaml...

What the product has is read from the pages that its own tests keep fresh: docs/config.schema.json, docs/configuration.md and docs/metrics.md.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import yaml

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
SCHEMA = json.loads((ROOT / "docs/config.schema.json").read_text())
VALUES = json.loads((DEPLOY / "helm/tersely/values.schema.json").read_text())
REFERENCE = (ROOT / "docs/configuration.md").read_text()
METRICS = (ROOT / "docs/metrics.md").read_text()
RUNBOOKS = ROOT / "docs/runbooks"
RULES = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())

# What a cluster would set after a Service, and a comment warns of.
OTHERS = {"TERSELY_PORT"}
# The smallest distance between the end of streams and a kill, in seconds.
SPARE = 5


def texts() -> Iterator[tuple[str, str]]:
    """Everything an operator may copy from, by name."""
    pages = [ROOT / "docs/deploy.md", ROOT / "docs/scale.md", *sorted(RUNBOOKS.glob("*.md"))]
    files = [path for path in DEPLOY.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    for path in [*files, *pages]:
        if path.is_file() and path.name != Path(__file__).name:
            yield str(path.relative_to(ROOT)), path.read_text()


def settings(schema: dict, head: str = "") -> Iterator[str]:
    """All keys, with dots."""
    for name, part in schema.get("properties", {}).items():
        yield head + name
        # A value that may be anything has the schema `true`.
        if isinstance(part, dict):
            yield from settings(part, f"{head}{name}.")


def unknown_names() -> Iterator[str]:
    """Names that nobody knows."""
    keys = set(settings(SCHEMA))
    values = set(settings(VALUES))
    sections = {key.split(".")[0] for key in keys if "." in key}
    dotted = re.compile(rf"(?<![\w.$/-])((?:{'|'.join(sorted(sections))})\.[a-z_]+(?:\.[a-z_]+)*)(?![\w(:/-])")
    numbers = set(re.findall(r"^\| `((?:tersely|process)_\w+)`", METRICS, re.M))
    variables = set(re.findall(r"`(TERSELY_\w+)`", REFERENCE)) | OTHERS
    # docs/configuration.md names the paths of the admin listener in one row.
    paths = set(re.findall(r"`(/[\w/]+)`", next(line for line in REFERENCE.splitlines() if line.startswith("| `admin.listen`"))))
    for name, text in texts():
        # The chart has values beside the configuration, and files are called tersely.toml and tls.crt.
        words = {word for word in dotted.findall(text) if not word.endswith((".toml", ".yaml", ".yml", ".md", ".json", ".service", ".crt"))}
        for word in sorted(words - keys - values):
            yield f"{name}: there is no setting {word}"
        for word in sorted(set(re.findall(r"\bTERSELY_[A-Z][A-Z_]*\b", text)) - variables):
            yield f"{name}: there is no variable {word}"
        for word in sorted(set(re.findall(r"\b(?:tersely|process)_[a-z_]+\b", text)) - numbers):
            if word.removesuffix("_bucket").removesuffix("_total") not in numbers and word.removesuffix("_bucket") not in numbers:
                yield f"{name}: there is no number {word}"
        for word in sorted(set(re.findall(r"(?:path|http_path)[\"']?: *[\"']?(/(?:healthz|ready\w*|health\w*|metrics|live\w*))", text)) - paths):
            yield f"{name}: there is no {word}"


def alert_faults() -> Iterator[str]:
    """Alerts without a runbook, and runbooks without an alert."""
    alerts = {rule["alert"]: rule for group in RULES["groups"] for rule in group["rules"] if "alert" in rule}
    for name, rule in alerts.items():
        if not rule["annotations"].get("runbook_url", "").endswith(f"/docs/runbooks/{name}.md"):
            yield f"alerts.yml: {name} has no runbook_url"
        if rule["labels"]["severity"] not in ("critical", "warning"):
            yield f"alerts.yml: nobody knows the severity of {name}"
    pages = {path.stem for path in RUNBOOKS.glob("*.md")} - {"index"}
    for name in sorted(alerts.keys() - pages):
        yield f"docs/runbooks: there is no page for {name}"
    for name in sorted(pages - alerts.keys()):
        yield f"docs/runbooks/{name}.md: there is no such alert"
    index = (RUNBOOKS / "index.md").read_text()
    for name in sorted(alerts):
        if f"| [{name}]({name}.md) |" not in index:
            yield f"docs/runbooks/index.md: does not list {name}"


def seconds(text: str) -> float:
    """A time as settings, systemd and compose write it."""
    number, unit = re.fullmatch(r"([\d.]+)(ms|s|m|h)?", str(text).strip()).groups()
    return float(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600, None: 1}[unit]


def default(key: str) -> float:
    """The default of a setting of time."""
    return seconds(re.search(rf"^\| `{re.escape(key)}` \| `([^`]+)`", REFERENCE, re.M)[1])


def leaving(config: dict) -> float:
    """How long a gateway with these settings may take to go."""
    told = config.get("timeouts", {})
    return sum(seconds(told[name]) if name in told else default(f"timeouts.{name}") for name in ("notice", "drain"))


def file_faults(name: str, config: dict) -> Iterator[str]:
    """What is wrong with a configuration file."""
    for fault in jsonschema.Draft202012Validator(SCHEMA).iter_errors(config):
        yield f"{name}: {'.'.join(map(str, fault.path))}: {fault.message}"
    if not re.fullmatch(r"\w+@\d+", str(config.get("mode"))):
        yield f"{name}: names no profile"


def manifest_faults(path: Path) -> Iterator[str]:
    """What does not fit together in rendered manifests."""
    parts = {(part["kind"], part["metadata"]["name"]): part for part in yaml.safe_load_all(path.read_text()) if part}
    deployment = next(part for (kind, _), part in parts.items() if kind == "Deployment")
    name, pod = deployment["metadata"]["name"], deployment["spec"]["template"]["spec"]
    config = yaml.safe_load(parts["ConfigMap", name]["data"]["tersely.yaml"])
    yield from file_faults(path.name, config)
    if pod["terminationGracePeriodSeconds"] < leaving(config) + SPARE:
        yield f"{path.name}: {pod['terminationGracePeriodSeconds']} s of grace, and streams may take {leaving(config):.0f}"
    container = pod["containers"][0]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    listens = {"http": config["listen"], "admin": config["admin"]["listen"]}
    for port, address in listens.items():
        if str(ports[port]) != address.rsplit(":", 1)[1]:
            yield f"{path.name}: port {port} is {ports[port]}, and it listens on {address}"
    probes = {probe: container[f"{probe}Probe"]["httpGet"] for probe in ("startup", "liveness", "readiness")}
    expected = {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}
    for probe, asked in probes.items():
        if asked != {"path": expected[probe], "port": "admin"}:
            yield f"{path.name}: {probe} asks {asked}"
    ready = container["readinessProbe"]
    if ready["periodSeconds"] * ready["failureThreshold"] >= seconds(config["timeouts"]["notice"]):
        yield f"{path.name}: a probe sees too late that a gateway goes"
    selector = deployment["spec"]["selector"]["matchLabels"].items()
    if not selector <= deployment["spec"]["template"]["metadata"]["labels"].items():
        yield f"{path.name}: the deployment does not select its pods"
    for (kind, _), part in parts.items():
        if kind == "Service" and not part["spec"]["selector"].items() <= deployment["spec"]["template"]["metadata"]["labels"].items():
            yield f"{path.name}: {part['metadata']['name']} selects no pod"
    contexts = {**pod["securityContext"], **container["securityContext"]}
    bounds = {"runAsNonRoot": True, "runAsUser": 65532, "readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    for bound, value in bounds.items():
        if contexts.get(bound) != value:
            yield f"{path.name}: {bound} is {contexts.get(bound)}"


def machine_faults() -> Iterator[str]:
    """What does not fit together in units and the compose file."""
    for folder in ("systemd", "compose"):
        yield from file_faults(f"{folder}/tersely.toml", tomllib.loads((DEPLOY / folder / "tersely.toml").read_text()))
    for unit in ("tersely.service", "tersely-user.service"):
        grace = seconds(re.search(r"^TimeoutStopSec=(\S+)", (DEPLOY / "systemd" / unit).read_text(), re.M)[1])
        if grace < leaving({}) + SPARE:
            yield f"{unit}: {grace:.0f} s to stop, and streams may take {leaving({}):.0f}"
    compose = yaml.safe_load((DEPLOY / "compose/compose.yaml").read_text())
    grace = seconds(compose["services"]["tersely"]["stop_grace_period"])
    if grace < leaving({}) + SPARE:
        yield f"compose.yaml: {grace:.0f} s to stop, and streams may take {leaving({}):.0f}"
    for source in compose["configs"].values():
        if not (DEPLOY / "compose" / source["file"]).is_file():
            yield f"compose.yaml: there is no {source['file']}"
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    chart = yaml.safe_load((DEPLOY / "helm/tersely/Chart.yaml").read_text())
    if {chart["version"], chart["appVersion"]} != {version}:
        yield f"Chart.yaml: {chart['version']} and {chart['appVersion']}, and the product is {version}"
    if compose["services"]["tersely"]["image"] != f"tersely:{version}":
        yield f"compose.yaml: {compose['services']['tersely']['image']}, and the product is {version}"


def main() -> None:
    """Print what is wrong."""
    faults = [*unknown_names(), *alert_faults(), *machine_faults()]
    for path in sys.argv[1:]:
        faults += manifest_faults(Path(path))
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
