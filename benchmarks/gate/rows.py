"""Table: every row of the gate, what it has to show, and which recipes have none and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import readers
from readers import Reader


@dataclass(frozen=True)
class Budget:
    """For rows that may take as long as they are given: the minutes of a whole run, and the arguments for fewer."""

    minutes: float
    words: Callable[[float], list[str]]


@dataclass(frozen=True)
class Row:
    """A recipe with its arguments, the bar, and how its output is read."""

    name: str
    words: tuple[str, ...]
    bar: str
    reader: Reader
    # How long it takes on two cores, about.
    minutes: float
    budget: Budget | None = None
    # Beside crates/, Cargo.lock and the scripts of the recipe, which are found in the justfile.
    paths: tuple[str, ...] = ()
    # Programs, files of the tree (with a slash) and variables (with a dollar sign) without which it cannot run.
    needs: tuple[str, ...] = ()
    # Files that it makes for other rows; old ones are removed first.
    makes: tuple[str, ...] = ()
    # Packages whose code it calls, where its recipe builds more than it calls.
    calls: tuple[str, ...] = ()
    # Takes one core and measures no time, so that as many run at once as there are cores, after all others.
    shares: bool = False
    # Arguments where no registry of images can be reached.
    local: tuple[str, ...] = ()

    @property
    def recipe(self) -> str:
        """The recipe that it runs."""
        return self.words[0]


# Where `just year` leaves the history that `just dashboard` shows.
YEAR = "target/gate/year.db"

SDKS = ("trials/clients/sdk",)

# Every fuzz target with the package whose code it calls; all are built with every package.
FUZZ_TARGETS = {
    "decode_json": "tersely-codec",
    "decode_stc": "tersely-codec",
    "decode_toon": "tersely-codec",
    "decode_terse": "tersely-codec",
    "round_trip": "tersely-codec",
    "compress": "tersely-core",
    "restore": "tersely-core",
    "general": "tersely-core",
    "slots": "tersely-wire",
    "watch_anthropic": "tersely-wire",
    "watch_chat": "tersely-wire",
    "watch_responses": "tersely-wire",
    "watch_gemini": "tersely-wire",
    "watch_converse": "tersely-wire",
    "watch_invoke": "tersely-wire",
}


def _fuzz(target: str) -> Row:
    budget = Budget(10, lambda minutes: ["fuzz", target, str(round(60 * minutes))])
    paths = ("crates/testing", "fuzz/Cargo.lock", "fuzz/Cargo.toml", "fuzz/fuzz_targets")
    return Row(f"fuzz-{target}", ("fuzz", target), "10 minutes, 0 findings", readers.fuzz, 10, budget, paths=paths, calls=(FUZZ_TARGETS[target],), shares=True)


def _minutes(recipe: str, count: float) -> Budget:
    return Budget(count, lambda minutes: [recipe, f"{minutes:g}"])


ROWS: tuple[Row, ...] = (
    # What is quick comes first: a fault shows early.
    Row("size", ("release",), "the program: at most 15.95 million bytes", readers.size, 0.1),
    Row("memory", ("memory",), "at most 12 times a body of 10 MB", readers.memory, 1),
    Row("bombs", ("bombs",), "100 at once, each answered; those above the limit of a body: at most 256 MB", readers.bombs, 1),
    Row("delay", ("delay",), "events of a stream arrive", readers.delay, 1),
    Row("statusline", ("statusline",), "the line says what the history says; undone to the byte", readers.statusline, 1, needs=("tmux",)),
    Row("clear", ("clear",), "0 faults", readers.clear, 1),
    Row("why", ("why",), "every cache break explained", readers.why, 1),
    Row("cloud", ("cloud",), "every SDK done; signatures hold", readers.cloud, 1, paths=SDKS),
    Row("bench", ("bench",), "0 error lines out of sight", readers.bench, 1),
    Row("conversations", ("bench", "conversations"), "0 cost more than direct, 0 change what was sent", readers.conversations, 1),
    Row("bill", ("bill", "--check"), "the figures of the pages are those of this build", readers.bill, 1, paths=("docs/measurements.md",)),
    Row("http", ("http",), "10,000 requests to each API, 0 different", readers.http, 2),
    Row("mcp-cost", ("mcp-cost",), "1 MB of rows at most 80 ms later", readers.mcp_cost, 1),
    Row("discovery", ("discovery",), "every tool that is not shown is found; one head of the prompt", readers.discovery, 1),
    Row("histories", ("histories",), "the audit counts what the gateway counted", readers.histories, 2),
    Row("drain", ("drain",), "rolling restart at 500 requests a second, 0 lost", readers.drain, 2),
    Row("load", ("load",), "times bare hyper: disabled 1.4, nothing to change 3, the same again 5, 4 KB new in 1 MB 5; all new 4.5 ms", readers.load, 2,
        needs=("wrk", "nginx", "target/release/examples/bare")),
    Row("hooks", ("hooks",), "results replaced in their shape, nothing else changed; faults cost no call", readers.hooks, 3),
    Row("health", ("health",), "probes within 100 ms beside forty large and ten hostile bodies", readers.health, 1, needs=("nginx",)),
    Row("clients", ("clients",), "every client done, nothing changed but tool results", readers.turns(1), 3, paths=SDKS),
    Row("expand", ("expand",), "every agent done, fetched back byte for byte", readers.turns(1), 3, paths=SDKS),
    Row("mcp", ("mcp",), "0 messages different", readers.mcp, 4),
    Row("reads", ("reads",), "every line arrives and every edit fits", readers.reads, 4),
    Row("edits", ("edits",), "every file as it should be, 0 secrets upstream", readers.edits, 5),
    Row("replicas", ("replicas",), "two gateways send the same bytes as one", readers.replicas, 4),
    Row("faults", ("faults",), "0 failed requests where the upstream is well", readers.faults, 3),
    Row("faults-doors", ("faults-doors",), "19 faults of ours against every door: 0 calls lost, late or changed around their results", readers.faults_doors, 5),
    Row("outages", ("outages",), "certificates replaced, a full disk, a clock that jumps: 0 requests lost", readers.last_line, 3),
    Row("memo", ("memo",), "told", readers.last_line, 3, needs=("nginx",)),
    Row("litellm-router", ("litellm-router",), "a router that names our guardrail gets it, and no other does", readers.last_line, 5, paths=("packages/python/tersely",)),
    Row("scale", ("scale",), "n gateways at least 0.9 n times one; 0 lost when one stops, running answers only when one is killed", readers.last_line, 20,
        needs=("haproxy", "nginx", "wrk")),
    Row("store", ("store",), "calls keep their deadline while servers fail", readers.tested(readers.failing_store), 1),
    Row("broken", ("broken",), "100,000 broken bodies stay faithful", readers.tested(readers.broken), 3),
    Row("mutated", ("mutated",), "100,000 broken responses: 0 lost, 0 show the tool", readers.tested(readers.mutated), 3),
    Row("timed", ("timed",), "limits of time, strictly", readers.cargo_tests, 5),
    Row("examples", ("examples",), "Envoy and LiteLLM: every request answered", readers.examples, 3, paths=("deploy/examples",)),
    Row("litellm", ("litellm",), "every set-up finishes", readers.litellm, 5, paths=("packages/python/tersely",)),
    Row("frameworks", ("frameworks",), "every tool loop ends as without us; types check", readers.marked("ok", "FAILED", "tool loops"), 6,
        paths=("packages/python/tersely", "packages/typescript/src"), needs=("target/release/libtersely_python.so", "target/release/libtersely_node.so")),
    Row("in-process", ("in-process",), "0 differ; first call 30 ms; 1.2 times the engine; two threads 1.8 times one; no growth", readers.in_process, 8,
        paths=("packages/python/tersely", "packages/typescript/src"), needs=("target/release/libtersely_python.so", "target/release/libtersely_node.so", "target/release/examples/pace")),
    Row("closing", ("closing",), "told", readers.closing, 5),
    Row("guides", ("guides",), "0 wrong, with real agents and SDKs", readers.snippets, 6, paths=("docs", "README.md")),
    Row("site-a11y", ("site-a11y",), "0 faults", readers.looks, 5, paths=("docs",), needs=("chromium",)),
    Row("image", ("image",), "probes answered, drains when told to go", readers.says("^told to go: .*$"), 3, paths=("deploy",), needs=("podman", "buildah"), local=("--local",)),
    Row("packages-try", ("packages-try",), "every package installs and takes a tool turn", readers.last_line, 10, paths=("packages", "deploy/container"),
        needs=("mmdebstrap", "podman", "buildah"), local=("--local",)),
    Row("service", ("service",), "killed, rebooted, stopped, undone: all hold", readers.marked("ok", "BAD", "checks hold"), 8, needs=("mmdebstrap", "systemd-nspawn")),
    Row("hostile", ("hostile",), "10 MB take at most 1.5 times ten times 1 MB", readers.tested(readers.hostile), 10),
    Row("doors", ("doors",), "every shape at 0.1, 1 and 10 MB through every door: answered in time, fetched back, nothing else changed", readers.doors, 30, needs=("target/release/tersely",)),
    Row("million", ("million",), "10^6 documents come back in every form", readers.tested(readers.million), 10),
    Row("peers", ("peers",), "10 minutes, probes within 100 ms, 0 faults", readers.peers, 10, _minutes("peers", 10)),
    Row("sizing", ("sizing",), "told", readers.sizing, 10, Budget(10, lambda minutes: ["sizing", str(max(1, int(minutes / 2)))]), needs=("nginx",)),
    Row("envoy", ("envoy",), "every request arrives; where nothing changes at most 1.4 times a processor that does nothing", readers.envoy, 10,
        Budget(10, lambda minutes: ["envoy", str(max(1, int(minutes / 2)))]), needs=("target/release/examples/processor",)),
    Row("started", ("started",), "every agent finishes a tool turn, nothing is left behind", readers.turns(3), 10, paths=SDKS),
    Row("year", ("year", YEAR), "10^7 requests, read at once", readers.tested(readers.year), 12, makes=(YEAR,)),
    Row("dashboard", ("dashboard", YEAR), "0 faults", readers.looks, 3, needs=(YEAR, "chromium")),
    Row("prefix", ("prefix",), "every turn in every mode: what was sent stays", readers.tested(readers.prefix), 20),
    Row("spray", ("spray",), "10 minutes with Valkey and 10 without, 0 faults", readers.spray, 20, Budget(20, lambda minutes: ["spray", f"{minutes / 2:g}"])),
    Row("releases", ("releases", "$TERSELY_OTHER"), "4 minutes with another release among the gateways, 0 faults", readers.spray, 4,
        Budget(4, lambda minutes: ["releases", "$TERSELY_OTHER", f"{minutes:g}"]), needs=("$TERSELY_OTHER",)),
    Row("mcp-scale", ("mcp-scale",), "2,000 clients, one replica killed, 0 calls lost", readers.mcp_scale, 25),
    Row("tasks", ("tasks",), "the recipe works with a scripted model", readers.tasks, 30),
    Row("soak", ("soak", "60"), "60 minutes, 0 wrong answers; memory, files and threads flat", readers.soak, 60, _minutes("soak", 60)),
    Row("soak-doors", ("soak-doors", "60"), "60 minutes of MCP, hooks, Envoy and JSON: 0 wrong answers; memory, files and threads flat", readers.soak_doors, 60, _minutes("soak-doors", 60)),
    Row("general", ("general",), "10^6 texts come back", readers.tested(readers.general), 60, Budget(60, lambda minutes: ["general", str(round(1_000_000 * minutes / 60))])),
    Row("remote", ("remote",), "500 turns with a script, 12 with a real model: both gateways send the same bytes while a cluster fails", readers.tested(readers.remote), 30),
    *(_fuzz(target) for target in FUZZ_TARGETS),
)  # fmt: skip

# Why a row is red that is known to be: it still fails the gate, and the table says this beside its figure.
REASONS = {
    "load": "what limits it is in [speed](2026-11-18-speed.md)",
    "in-process": "what is on top is the conversation as JSON text, written and read once in each language",
    "envoy": "what limits it is in [envoy](2026-11-16-envoy.md)",
}

# Recipes of the groups `slow` and `measure` without a row.
LEFT_OUT = {
    "fuzz-all": "each target has a row",
    "fuzz-keep": "writes inputs under fuzz/: run it after a target was fuzzed for long",
    "heads": "writes a table under crates/: run it when agents have changed",
    "alarms": "shows lines to a person, of folders that they name",
    "wire": "times beside serde_json, to be read by a person; `load` has the bars",
    "reading": "asks a model about forms, not about this build: run it when a form has changed",
    "compare": "the answers of a small model vary: run it when what is cut has changed",
    "replay": "one transcript against a real prompt cache: run it when what is sent has changed",
    "gate": "this is it",
}
