"""Real agents with the hooks of `tersely init --hook`: does the model's next request hold our text in the tool's own shape, and is nothing else changed?

The model is a script: it makes one tool call after the other. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agents import BIN, ROWS, Start, claude, opencode, prepare
from asking import Asking
from clients import ROOT
from speech import Call, Say, Text, shape_of
from upstream import Request

PATIENCE = 240
SUBTASK = "SUBTASK: run the script"
SEARCHED = "".join(f"def needle_{n}(): return {n}\n" for n in range(120))
# An MCP server: rows as text, the same with structured content, more than fits below the client's cap, and a failure.
SERVER = """\
import json, sys
def rows(count): return [{"id": 4000 + n, "title": f"Item number {n} of the list", "state": "open", "owner": f"team-{n % 3}", "url": f"https://example.org/items/{4000 + n}"} for n in range(count)]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    method, result = message["method"], {}
    if method == "initialize": result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "items", "version": "1"}}
    if method == "tools/list": result = {"tools": [{"name": name, "description": name, "inputSchema": {"type": "object", "properties": {}}} for name in ("rows", "both", "many", "fail")]}
    if method == "tools/call":
        name = message["params"]["name"]
        some = rows(900 if name == "many" else 40)
        result = {"content": [{"type": "text", "text": json.dumps(some, indent=1)}]}
        if name == "both": result["structuredContent"] = {"items": some}
        if name == "fail": result["isError"] = True
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
FILES = {"rows.py": ROWS, "server.py": SERVER, "src/code.py": SEARCHED, "settings.txt": "".join(f"key_{n} = value {n}\n" for n in range(80))}


@dataclass(frozen=True)
class Step:
    """A tool call, and what is expected of its result: `shorter`, `same`, or `whole` where the client alone would cut it."""

    name: str
    call: Call
    expected: str


@dataclass(frozen=True)
class Agent:
    """A client, its calls, and the file that `init` writes."""

    start: Callable[[str], Start]
    steps: list[Step]
    file: str


def claude_steps(here: Path) -> list[Step]:
    """The calls of Claude Code's tools."""
    bash = lambda command: Call("Bash", {"command": command, "description": "d"})
    subtask = {"description": "a part", "prompt": SUBTASK, "subagent_type": "general-purpose", "run_in_background": False}
    return [
        Step("command", bash("python3 rows.py"), "shorter"),
        Step("search", bash("grep -n needle src/code.py"), "shorter"),
        Step("failing command", bash("python3 rows.py; exit 3"), "same"),
        Step("huge output", bash("seq 1 60000"), "same"),
        Step("huge output that repeats", bash("yes 'the same line again' | head -n 5000"), "whole"),
        Step("read", Call("Read", {"file_path": str(here / "settings.txt")}), "same"),
        Step("read by a command", bash("cat settings.txt"), "same"),
        Step("edit", Call("Edit", {"file_path": str(here / "settings.txt"), "old_string": "value 7\n", "new_string": "value 8\n"}), "same"),
        Step("MCP", Call("mcp__items__rows", {}), "shorter"),
        Step("MCP, structured", Call("mcp__items__both", {}), "shorter"),
        Step("MCP, above the cap", Call("mcp__items__many", {}), "whole"),
        Step("MCP, failing", Call("mcp__items__fail", {}), "same"),
        Step("sub-agent", Call("Agent", subtask), "same"),
    ]


def opencode_steps(here: Path) -> list[Step]:
    """The calls of OpenCode's tools."""
    bash = lambda command: Call("bash", {"command": command, "description": "d"})
    return [
        Step("command", bash("python3 rows.py"), "shorter"),
        Step("search", bash("grep -n needle src/code.py"), "shorter"),
        Step("failing command", bash("python3 rows.py; exit 3"), "shorter"),
        # Its line numbers are written in a shorter way; the lines stay.
        Step("read", Call("read", {"filePath": str(here / "settings.txt")}), "shorter"),
        Step("MCP", Call("items_rows", {}), "shorter"),
        Step("MCP, structured", Call("items_both", {}), "shorter"),
        Step("MCP, failing", Call("items_fail", {}), "same"),
    ]


def claude_start(url: str, mode: str = "") -> Start:
    """Claude Code with a server, and without questions."""
    start = claude(url)
    servers = json.dumps({"mcpServers": {"items": {"command": "python3", "args": ["server.py"]}}})
    start.words = [str(BIN / "claude"), *mode.split(), "-p", "go", "--dangerously-skip-permissions", "--output-format", "json", "--mcp-config", servers]
    start.env |= {"IS_SANDBOX": "1"}
    start.env.pop("ENABLE_TOOL_SEARCH")
    start.files = {".claude/settings.json": '{\n  "theme": "dark",\n  "hooks": { "PostToolUse": [] }\n}\n'}
    return start


def opencode_start(url: str) -> Start:
    """OpenCode with a server, and without questions."""
    start = opencode("@ai-sdk/openai-compatible", url)
    config = json.loads(start.env["OPENCODE_CONFIG_CONTENT"])
    config |= {"permission": {"bash": "allow", "read": "allow"}, "mcp": {"items": {"type": "local", "command": ["python3", "server.py"], "enabled": True}}}
    start.env["OPENCODE_CONFIG_CONTENT"] = json.dumps(config)
    start.words = [str(BIN / "opencode"), "run", "go"]
    return start


class Trial:
    """A folder in which a client works; the same one for every run, because clients tell models about it."""

    def __init__(self, folder: Path, binary: Path, agent: Agent) -> None:
        self.folder, self.binary, self.agent = folder, binary, agent
        self.seconds, self.scripts = 0.0, FILES

    def script(self, body: dict, tools: list[str], results: list[tuple[str, str]]) -> list[Say]:
        """The next call; a sub-agent runs one command."""
        first = json.dumps((body.get("messages") or [{}])[0])
        if SUBTASK in first:
            return [Text(("part done",))] if results else [Call("Bash", {"command": "python3 rows.py", "description": "d"})]
        if not tools or len(results) >= len(self.agent.steps):
            return [Text(("all done",))]
        return [self.agent.steps[len(results)].call]

    def run(self, hook: str | None = None, before: Callable[[Path, dict[str, str]], None] | None = None, words: list[str] | None = None) -> list[Request]:
        """One conversation; with `hook`, after `tersely init --hook` by this program."""
        shutil.rmtree(self.folder, ignore_errors=True)
        upstream = Asking(self.script)
        start = self.agent.start(upstream.url)
        env = self.prepare(start)
        if hook:
            init = subprocess.run([self.binary, "init", "--hook", "--yes"], env=env, cwd=self.folder / "here", capture_output=True, text=True, check=False)
            assert init.returncode == 0, init.stderr
        if before:
            before(self.folder, env)
        since = time.monotonic()
        self.ran = subprocess.run([*(words or []), *start.words], env=env, cwd=self.folder / "here", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.seconds, self.env = time.monotonic() - since, env
        assert "all done" in self.ran.stdout, f"{self.ran.stdout[-2000:]}\n{self.ran.stderr[-2000:]}"
        return [request for request in upstream.requests if request.method == "POST" and shape_of(request.path)]

    def prepare(self, start: Start) -> dict[str, str]:
        """Writes what the client finds around it."""
        env = prepare(self.folder, start, self.scripts)
        env["PATH"] = f"{self.binary.parent}:{BIN}:{env['PATH']}"
        return env | {"TERM": "dumb"}


def results(requests: list[Request], sub: bool = False, is_exact: bool = False) -> list[str]:
    """The results that the last request of the conversation, or of the sub-agent, holds."""
    best: list[str] = []
    for request in requests:
        body = json.loads(request.body)
        if (SUBTASK in json.dumps((body.get("messages") or [{}])[0])) != sub:
            continue
        found = [text if is_exact else named_alike(text) for _, text in shape_of(request.path).results(body)]
        best = found if len(found) >= len(best) else best
    return best


def named_alike(text: str) -> str:
    """A text without the names that a client makes up anew in every run."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID", text)
    text = re.sub(r"tool-results/\S+", "FILE", text)
    return re.sub(r"(agentId: |to: '|duration_ms: )\w+", r"\1ID", text)


def without_results(request: Request) -> str:
    """A request without its results and without what differs from run to run."""
    def strip(value: object) -> object:
        if isinstance(value, list):
            return [strip(item) for item in value]
        if isinstance(value, dict):
            if value.get("type") == "tool_result" or value.get("role") == "tool":
                return {key: strip(item) for key, item in value.items() if key != "content"}
            return {key: strip(item) for key, item in value.items() if key not in ("metadata", "prompt_cache_key")}
        return value

    text = named_alike(json.dumps(strip(json.loads(request.body)), sort_keys=True))
    text = re.sub(r"127\.0\.0\.1:\d+", "ADDRESS", text)
    return re.sub(r"(cch|cc_version)=[^;]*;", r"\1;", text)


def decoded(binary: Path, text: str) -> str:
    """What a form stands for."""
    return subprocess.run([binary, "decode"], input=text, capture_output=True, text=True, check=False).stdout


def compare(trial: Trial, before: list[Request], after: list[Request]) -> list[str]:
    """What is not as expected, step by step."""
    faults = []
    old, new = results(before), results(after)
    if len(old) != len(trial.agent.steps) or len(new) != len(old):
        return [f"{len(old)} and {len(new)} results for {len(trial.agent.steps)} calls"]
    for step, was, now in zip(trial.agent.steps, old, new):
        kind = "same" if was == now else "whole" if step.expected == "whole" else "shorter"
        if kind == "shorter" and (len(now) >= len(was) or decoded(trial.binary, now).rstrip("\n") != was.rstrip("\n")):
            faults.append(f"{step.name}: decodes to something else: {now[:200]!r}")
        if kind == "whole" and len(decoded(trial.binary, now)) < 10 * len(was):
            faults.append(f"{step.name}: does not decode to the whole: {now[:200]!r}")
        if kind != step.expected:
            faults.append(f"{step.name}: {kind}, not {step.expected}")
        print(f"  {step.name:26} {len(was):7} -> {len(now):6} characters  {kind}")
    pairs = zip([without_results(request) for request in before], [without_results(request) for request in after])
    faults += [f"request {number} differs outside its results" for number, (one, other) in enumerate(pairs) if one != other]
    return faults


def gateway(trial: Trial, before: list[Request], after: list[Request]) -> list[str]:
    """Where the text of the hooks differs from what a gateway makes of the same conversation, results that no hook can replace aside."""
    def last(requests: list[Request]) -> Request:
        return max(requests, key=lambda request: len(shape_of(request.path).results(json.loads(request.body))))

    body = subprocess.run([trial.binary, "compress", "--body", "--loss", "form"], input=last(before).body, capture_output=True, check=True).stdout
    texts = shape_of(last(before).path).results(json.loads(body))
    pairs = zip(trial.agent.steps, (named_alike(text) for _, text in texts), results(after))
    return [f"{step.name}: a gateway sends {theirs[:200]!r}, not {ours[:200]!r}" for step, theirs, ours in pairs if step.expected == "shorter" and theirs != ours and "[Duplicate of" not in theirs]


def both_doors(trial: Trial) -> list[str]:
    """Whether `tersely run` gives the same with and without hooks: never both on one result."""
    sent = []
    for hook in (None, "hook"):
        requests = trial.run(hook, words=[str(trial.binary), "run"])
        sent.append(results(requests))
    return [] if sent[0] == sent[1] else [f"with both doors: {a[:200]!r} / {b[:200]!r}" for a, b in zip(*sent) if a != b]


def resumed(trial: Trial) -> list[str]:
    """Whether a conversation that goes on sends what it sent before."""
    first = results(trial.run("hook"))
    upstream = Asking(trial.script)
    start = trial.agent.start(upstream.url)
    words = [start.words[0], "--continue", *start.words[1:]]
    subprocess.run(words, env=trial.env | start.env, cwd=trial.folder / "here", stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
    again = results([request for request in upstream.requests if request.method == "POST" and shape_of(request.path)])
    return [] if again[: len(first)] == first else [f"resumed: {len(again)} results, not the same"]


def sub_agent(trial: Trial, before: list[Request], after: list[Request]) -> list[str]:
    """Whether a sub-agent's result is shorter, too."""
    old, new = results(before, sub=True), results(after, sub=True)
    is_short = old and new and len(new[0]) < len(old[0]) and decoded(trial.binary, new[0]).strip() == old[0].strip()
    return [] if is_short else ["the sub-agent's result is not shorter"]


def undone(trial: Trial) -> list[str]:
    """Whether `tersely uninstall` restores the files to the byte."""
    home = trial.folder / "home"
    start = trial.agent.start("http://127.0.0.1:1")
    subprocess.run([trial.binary, "uninstall", "--yes"], env=trial.env, capture_output=True, check=False)
    faults = [f"{name} is not restored" for name, text in start.files.items() if (home / name).read_text() != text]
    if trial.agent.file not in start.files and (home / trial.agent.file).exists():
        faults.append(f"{trial.agent.file} is still there")
    return faults


def broken(program: str) -> Callable[[Path, dict[str, str]], None]:
    """Puts another program in the place of ours."""
    def put(folder: Path, env: dict[str, str]) -> None:
        fake = folder / "fake"
        fake.mkdir()
        for file in folder.glob("home/.claude/settings.json"):
            file.write_text(re.sub(r'"[^"]*tersely hook"', json.dumps(str(fake / "tersely") + " hook"), file.read_text()))
        if program:
            (fake / "tersely").write_text(f"#!/bin/sh\n{program}\n")
            (fake / "tersely").chmod(0o755)
    return put


def no_disk(folder: Path, _env: dict[str, str]) -> None:
    """Puts a file where our folder should be."""
    shutil.rmtree(folder / "home/.local/state", ignore_errors=True)
    (folder / "home/.local").mkdir(parents=True, exist_ok=True)
    (folder / "home/.local/state").write_text("")


def faults_of(trial: Trial, before: list[Request], plain: float) -> list[str]:
    """Whether a fault of ours leaves every result as it was, within a second a call."""
    old, found = results(before), []
    cases = {"crash": broken("kill -9 $$"), "hang": broken("sleep 60"), "garbage": broken("echo '{'"), "missing program": broken("")}
    for name, put in cases.items():
        new = results(trial.run("hook", put))
        lost = (trial.seconds - plain) / len(trial.agent.steps)
        print(f"  {name:26} {'same' if new == old else 'CHANGED'}, {lost:.2f} s more a call")
        found += [f"{name}: results changed"] if new != old else []
        found += [f"{name}: {lost:.2f} s lost a call"] if lost > 1.1 else []
    trial.run("hook", no_disk)
    found += [] if results(trial.run("hook", no_disk))[0] != old[0] else ["without a disk nothing is compressed"]
    return found


def times(binary: Path, folder: Path) -> None:
    """How long a call takes, by length of the result; from the second one on, the resident process answers."""
    home = folder / "times"
    home.mkdir(parents=True)
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    rows = [{"id": n, "title": f"Item number {n * 37 % 101}", "state": "open", "owner": f"team-{n % 7}"} for n in range(2000)]
    for kilobytes in (1, 16, 64):
        texts = [json.dumps(rows[n:], indent=1)[: kilobytes << 10] for n in range(200)]
        took = []
        for text in texts:
            told = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "run"}, "tool_response": {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}}
            since = time.monotonic()
            subprocess.run([binary, "hook"], input=json.dumps(told).encode(), env=env, cwd=home, capture_output=True, check=True)
            took.append((time.monotonic() - since) * 1000)
        took = sorted(took[1:])
        print(f"  {kilobytes:3} KB: median {statistics.median(took):.1f} ms, p95 {took[int(len(took) * 0.95)]:.1f} ms, most {took[-1]:.1f} ms")


# An MCP server that lists its tools in another order each time, ends at a call, and cannot start for a second after that.
FLAPPING = """\
import json, os, random, sys, time
if os.path.exists("died") and time.time() - os.path.getmtime("died") < 1: os._exit(1)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    method, result = message["method"], {"content": [{"type": "text", "text": "done"}]}
    if method == "initialize": result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "items", "version": "1"}}
    if method == "tools/list":
        tools = [{"name": name, "description": name, "inputSchema": {"type": "object", "properties": {}}} for name in ("rows", "both", "many", "fail", "die")]
        random.shuffle(tools)
        result = {"tools": tools}
    if method == "tools/call" and message["params"]["name"] == "die":
        open("died", "w").close()
        os._exit(1)
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
    if method == "tools/call": print(json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}), flush=True)
"""


def calm(binary: Path, folder: Path) -> list[str]:
    """Whether the tools of every request are the same bytes while a server flaps, 30 turns long."""
    steps = [Step(str(turn), Call(f"mcp__items__{'die' if turn % 5 == 4 else 'rows'}", {}), "") for turn in range(30)]
    told = {}
    for door, before in (("alone", []), ("tersely mcp", [str(binary), "mcp", "--"])):
        def start(url: str, before: list[str] = before) -> Start:
            made = claude_start(url)
            # Otherwise it looks its MCP tools up, and its list does not name them.
            made.env["ENABLE_TOOL_SEARCH"] = "false"
            command, *rest = [*before, "python3", "flapping.py"]
            made.words[-1] = json.dumps({"mcpServers": {"items": {"command": command, "args": rest}}})
            return made

        trial = Trial(folder / "calm", binary, Agent(start, steps, ""))
        trial.scripts = {"flapping.py": FLAPPING}
        requests = trial.run()
        assert "done" in results(requests), "no call arrived"
        bodies = [json.loads(request.body) for request in requests]
        lists = [json.dumps(body["tools"]) for body in bodies if body.get("tools")]
        told[door] = sum(one != other for one, other in zip(lists, lists[1:]))
        print(f"  {door:12} {len(lists)} requests with tools, {told[door]} with other tools than the one before")
    return [] if told["tersely mcp"] == 0 else ["the list of tools changed"]


# An MCP server that answers with files.
FILES_SERVER = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    method, result = message["method"], {}
    if method == "initialize": result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "files", "version": "1"}}
    if method == "tools/list": result = {"tools": [{"name": "fetch", "description": "fetch", "inputSchema": {"type": "object", "properties": {"number": {"type": "integer"}}}}]}
    if method == "tools/call": result = {"content": [{"type": "text", "text": open(sys.argv[1 + message["params"]["arguments"]["number"]]).read()}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
CAP = range(26_000, 60_000)


def cap(binary: Path, folder: Path, answers: Path) -> list[str]:
    """Whether MCP answers that are too long for Claude Code arrive whole, through the hook and through `tersely mcp`."""
    def tokens(text: str, *words: str) -> dict:
        return json.loads(subprocess.run([binary, *words], input=text, capture_output=True, text=True, check=True).stdout)

    files = []
    for file in sorted(path for path in answers.rglob("*") if path.is_file() and 60_000 < path.stat().st_size < 1_000_000):
        told = tokens(file.read_text(errors="replace"), "compress", "--loss", "form", "--json")
        if told["before"] in CAP and told["after"] <= 25_000:
            files.append((file, told["before"], told["after"]))
    steps = [Step(file.name, Call("mcp__files__fetch", {"number": number}), "whole") for number, (file, *_) in enumerate(files)]
    whole: dict[str, list[bool]] = {}
    for door, before in (("alone", []), ("hook", []), ("tersely mcp", [str(binary), "mcp", "--loss", "form", "--"])):
        def start(url: str, before: list[str] = before) -> Start:
            made = claude_start(url)
            command, *rest = [*before, "python3", "files.py", *[str(file) for file, *_ in files]]
            made.words[-1] = json.dumps({"mcpServers": {"files": {"command": command, "args": rest}}})
            return made

        trial = Trial(folder / "cap", binary, Agent(start, steps, ""))
        trial.scripts = {"files.py": FILES_SERVER}
        found = results(trial.run("hook" if door == "hook" else None), is_exact=True)
        texts = [file.read_text(errors="replace").strip() for file, *_ in files]
        whole[door] = [was in (text.strip(), decoded(binary, text).strip()) for was, text in zip(texts, found)]
    for (file, was, now), *arrived in zip(files, *whole.values()):
        print(f"  {file.name:34} {was:6} -> {now:6} tokens   " + ", ".join(f"{door}: {'whole' if it else 'cut'}" for door, it in zip(whole, arrived)))
    print("  " + ", ".join(f"{door}: {sum(arrived)} of {len(files)} whole" for door, arrived in whole.items()))
    return [f"{door}: an answer is cut" for door in ("hook", "tersely mcp") if not all(whole[door])]


def main() -> None:
    """Each agent without and with hooks; then faults, and times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target/release/tersely")
    parser.add_argument("--only", choices=["claude", "opencode", "faults", "times", "cap", "calm"])
    parser.add_argument("--answers", type=Path, default=ROOT / "../shared/corpus/outputs", help="files from which the answers above the limit are taken")
    args = parser.parse_args()
    binary, bad = args.tersely.resolve(), []
    with tempfile.TemporaryDirectory(prefix="hooks-") as name:
        folder = Path(name).resolve()
        agents = {
            "claude": Agent(claude_start, claude_steps(folder / "claude/here"), ".claude/settings.json"),
            "opencode": Agent(opencode_start, opencode_steps(folder / "opencode/here"), ".config/opencode/plugins/tersely.js"),
        }
        for agent, about in agents.items():
            if args.only not in (None, agent, "faults") or (args.only == "faults" and agent != "claude"):
                continue
            trial = Trial(folder / agent, binary, about)
            before, plain = trial.run(), trial.seconds
            print(f"{agent}: {len(before)} requests, {plain:.1f} s")
            if args.only != "faults":
                after = trial.run("hook")
                print(f"{agent} with hooks: {len(after)} requests, {trial.seconds:.1f} s")
                found = compare(trial, before, after) + undone(trial)
                found += gateway(trial, before, after)
                if agent == "claude":
                    found += sub_agent(trial, before, after) + both_doors(trial) + resumed(trial)
                bad += [f"{agent}: {fault}" for fault in found]
            if agent == "claude" and args.only in (None, "faults"):
                bad += [f"faults: {fault}" for fault in faults_of(trial, before, plain)]
        if args.only in (None, "cap") and args.answers.is_dir():
            bad += cap(binary, folder, args.answers.resolve())
        if args.only in (None, "calm"):
            bad += calm(binary, folder)
        if args.only in (None, "times"):
            times(binary, folder)
    print("\n".join(bad) or "as expected")
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
