"""Starts real agents with `tersely run NAME` before an upstream with a script, and checks that each finishes a tool turn.

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from agents import ROWS, Start, claude, codex, codex_provider, gemini, opencode, prepare
from clients import ROOT, count
from others import KEYS, OTHERS
from setup import agent_folder, agent_version
from speech import joined, shape_of
from upstream import FINAL, Request, Upstream

# Some wait for services of their makers before they go on without them.
PATIENCE = 400

# The tool leaves a mark, so that no client can only say that it ran it.
SCRIPTS = {"rows.py": ROWS + 'open("ran", "a").write("x")\n'}

STARTS: dict[str, Callable[[str], Start]] = {
    "claude": claude,
    "codex": codex,
    "codex, own provider": codex_provider,
    "opencode, chat": lambda url: opencode("@ai-sdk/openai-compatible", url),
    "opencode, messages": lambda url: opencode("@ai-sdk/anthropic", url),
    "gemini": gemini,
    **OTHERS,
}

# What they offer the model is no tool, so there is no result to make smaller.
NO_TOOLS = {"aider"}

# Logs in which agents write down the address that they spoke to. No setting: nothing reads them again.
LOGS = {"droid": "home/.factory/logs/"}

CLOSING = re.compile(r"^tersely: \d+ requests?: .*$", re.MULTILINE)


@dataclass
class Turn:
    """What one run of a client left behind."""

    said: str
    code: int | None
    ran: bool
    # The tool's result as the upstream saw it last, and the path that it came to.
    result: str = ""
    path: str = ""
    # Files that name a port of this machine which is not the upstream's.
    named: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def fault(self) -> str:
        """What is wrong with it, if it did not come to its end."""
        if self.code != 0 or FINAL not in self.said:
            return f"ended with {self.code} and said: {self.said[-600:]}"
        if not self.ran:
            return "the tool did not run"
        return "" if self.result else "no request had the tool's result"


@dataclass
class Result:
    """What became of one client."""

    client: str
    version: str = ""
    path: str = ""
    before: int = 0
    after: int = 0
    closing: str = ""
    logged: list[str] = field(default_factory=list)
    fault: str = ""


def take(start: Start, upstream: Upstream, *before: str) -> Turn:
    """Runs a client to its end, with `before` in front of its command."""
    name = Path(start.words[0]).name
    with tempfile.TemporaryDirectory(prefix="tersely-started-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        env = prepare(place, start, SCRIPTS)
        (place / "tmp").mkdir()
        env |= {"PATH": f"{agent_folder(name)}:{env['PATH']}", "TMPDIR": str(place / "tmp")}
        said, code = end([*before, name, *start.words[1:]], env, place / "here")
        turn = Turn(said, code, (place / "here" / "ran").is_file())
        for path in (path for path in place.rglob("*") if path.is_file() and not path.is_symlink()):
            if foreign(path.read_bytes(), upstream.server_port):
                turn.named.append(str(path.relative_to(place)))
            if path.is_relative_to(place / "tmp") and "tersely" in str(path.relative_to(place)):
                turn.left.append(str(path.relative_to(place)))
    for request in upstream.requests:
        told = results(request, name)
        if told:
            turn.result, turn.path = told[-1], request.path
    return turn


def foreign(data: bytes, port: int) -> bool:
    """Whether a text names a port of this machine other than this one."""
    return bool(set(re.findall(rb"(?:127\.0\.0\.1|localhost):(\d+)", data)) - {str(port).encode()})


def results(request: Request, name: str) -> list[str]:
    """What tools said in a request, or what the user says of what they said."""
    shape = shape_of(request.path) if request.method == "POST" else None
    if shape and name in NO_TOOLS:
        return [joined(it["content"]) for it in json.loads(request.body)["messages"] if "Item number 29" in joined(it["content"])]
    return [text for _, text in shape.results(json.loads(request.body))] if shape else []


def end(words: list[str], env: dict[str, str], here: Path) -> tuple[str, int | None]:
    """What a command said, and its exit code; nothing that it started outlives it."""
    path = here.parent / "said"
    with path.open("wb") as out:
        process = subprocess.Popen(words, env=env, cwd=here, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            code = None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()
    said = path.read_text(errors="replace")
    path.unlink()
    return said, code


def check(binary: Path, name: str) -> Result:
    """Starts a client twice: by itself, where it has an address, and with `tersely run` before it."""
    result = Result(name, agent_version(name.split(",")[0]))
    direct = None
    if name in STARTS:
        upstream = Upstream()
        direct = take(STARTS[name](upstream.url), upstream)
        upstream.shutdown()
        result.fault = direct.fault and f"direct: {direct.fault}"
    if not result.fault:
        upstream = Upstream()
        start = STARTS[name](upstream.url) if direct else KEYS[name]()
        flags = [] if direct else ["--upstream", upstream.url]
        through = take(start, upstream, str(binary), "run", *flags)
        upstream.shutdown()
        result.path = through.path.split("?")[0]
        result.after = count(binary, through.result)
        result.before = count(binary, direct.result) if direct else 0
        closing = CLOSING.search(through.said)
        result.closing = closing[0].removeprefix("tersely: ") if closing else ""
        result.fault = through.fault and f"through: {through.fault}" or judged(result, through, direct)
    return result


def judged(result: Result, through: Turn, direct: Turn | None) -> str:
    """What is wrong with a turn that came to its end."""
    told = re.search(r": (\S+) of \S+ tokens saved", result.closing)
    if not told:
        return f"no closing line: {through.said[-300:]}"
    agent = result.client.split(",")[0]
    has_tools = agent not in NO_TOOLS
    saved = result.after < result.before if direct else told[1] != "0"
    if saved != has_tools or (direct and result.after > result.before):
        return f"{result.before} tokens of the result, then {result.after}; {result.closing}"
    named = sorted(set(through.named) - set(direct.named if direct else []))
    result.logged = [path for path in named if agent in LOGS and path.startswith(LOGS[agent])]
    named = [path for path in named if path not in result.logged]
    return f"left behind: {', '.join(named + through.left)}" if named + through.left else ""


def table(results: list[Result]) -> str:
    """The report."""
    lines = ["| client | version | path | turn | result tokens | saved | `tersely run` said |", "|---|---|---|---|---:|---:|---|"]
    for it in results:
        if it.fault:
            lines.append(f"| {it.client} | {it.version} | `{it.path}` | **{it.fault}** | | | {it.closing} |")
            continue
        done = f"done; {', '.join(it.logged)} has the address" if it.logged else "done"
        tokens = f"{it.before:,} → {it.after:,}" if it.before else f"→ {it.after:,}"
        saved = f"{100 - 100 * it.after / it.before:.0f} %" if it.before else ""
        lines.append(f"| {it.client} | {it.version} | `{it.path}` | {done} | {tokens} | {saved} | {it.closing} |")
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    parser.add_argument("--only", default="", help="clients whose names contain one of these, with commas between them")
    parser.add_argument("--json", type=Path, help="write the results here")
    args = parser.parse_args()
    results = []
    for name in [*STARTS, *KEYS]:
        if any(part.strip() in name for part in args.only.split(",")):
            results.append(check(args.binary.resolve(), name))
            print(f"{name}: {results[-1].fault or 'done'}", flush=True)
            if args.json:
                args.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    print(table(results))
    raise SystemExit(any(result.fault for result in results))


if __name__ == "__main__":
    main()
