"""Lets the model of real agents and SDKs fetch back what `tersely serve` left out, and checks that they never see it happen.

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agents import CLIENTS, Start, prepare
from asking import Asking, agent, proof
from clients import PATIENCE, ROOT, Server, count
from relay import Relay
from speech import TOOL, is_hidden, shape_of
from splices import SDKS, splices
from upstream import Request

AGENTS = ["Claude Code", "Codex", "Codex, own provider", "OpenCode, chat", "OpenCode, messages", "Gemini CLI"]

# What the tool prints: a test run that is mostly good news, so that much of it is left out.
BUILD = """\
for n in range(140):
    print(f"test engine::case_{n:03}::holds_for_input_{n * 7919 % 1000:03} ... {'FAILED' if n == 77 else 'ok'}")
print("\\nfailures:\\n\\n---- engine::case_077::holds_for_input_763 stdout ----")
print("thread 'engine::case_077' panicked at src/disk.rs:77:9:\\ndisk full")
print("\\ntest result: FAILED. 139 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 4.17s")
"""

# What stands at the head of a prompt.
HEAD = ["tools", "system", "instructions", "systemInstruction"]


@dataclass
class Result:
    """What became of one client."""

    client: str
    rounds: int = 0
    before: int = 0
    after: int = 0
    kept: int = 0
    fault: str = ""


@dataclass
class Turn:
    """What one client's turn left behind."""

    said: str
    code: int | None
    # Files of the client that hold the end of the turn, and those that hold what it should not see.
    kept: list[str]
    leaks: list[str]


def turn(start: Start) -> Turn:
    """Runs a client to its end."""
    with tempfile.TemporaryDirectory(prefix="tersely-expand-", ignore_cleanup_errors=True) as folder:
        env = prepare(Path(folder), start, {"build.py": BUILD})
        try:
            done = subprocess.run(
                start.words, env=env, cwd=Path(folder) / "here", stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=PATIENCE, check=False,
            )
            said, code = done.stdout + done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            said, code = f"{late.stdout} {late.stderr}", None
        texts = {str(path): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file() and not path.is_symlink()}
    kept = [path for path, text in texts.items() if b"SEEN-" in text]
    leaks = [path for path, text in texts.items() if TOOL.encode() in text or b"<<<SHADOW" in text]
    return Turn(said, code, kept, leaks)


def check(binary: Path, name: str) -> Result:
    """One agent whose model asks once."""
    upstream = Asking(agent)
    server = Server(binary, upstream.url)
    relay = Relay(server.address)
    result = Result(name)
    done = turn(CLIENTS[name](relay.url))
    relay.close()
    server.stop()
    upstream.shutdown()
    result.kept = len(done.kept)
    try:
        judge(binary, done, (relay.requests(), upstream.requests), result)
    except AssertionError as fault:
        result.fault = str(fault)
    return result


def judge(binary: Path, done: Turn, passed: tuple[list[Request], list[Request]], result: Result) -> None:
    """Holds what passed on both sides against what should have."""
    sent, seen = ([one for one in side if talks(one)] for side in passed)
    asked = [one for one in seen if hidden(one)]
    result.rounds = len(asked)
    assert asked, f"nothing was fetched back: {done.said[-400:]}"
    answer = hidden(asked[0])[0]
    results = [text for one in sent for text in own(one)]
    assert results, f"the client sent no result: {done.said[-400:]}"
    original = results[-1]
    printed = subprocess.run(["python3", "-c", BUILD], capture_output=True, text=True, check=True).stdout
    assert answer == original, "the answer is not what the client sent"
    assert printed.strip() in answer, "the answer is not what the tool printed"
    assert done.code == 0 and proof(original) in done.said, f"ended with {done.code} and said: {done.said[-400:]}"
    assert TOOL not in done.said and not done.leaks, f"it saw the tool: {done.leaks or done.said[-400:]}"
    assert not any(TOOL.encode() in one.body for one in sent), "it sends the tool back"
    heads = [head(one) for one in seen]
    assert TOOL in heads[0]["tools"] and heads.count(heads[0]) == len(heads), "the head of the prompt changed"
    own_tools = head(sent[0])["tools"]
    assert heads[0]["tools"].startswith(own_tools.rstrip("] }\n")), "the client's own tools changed"
    result.before, result.after = count(binary, original), count(binary, own(asked[0])[0])


def talks(request: Request) -> bool:
    """Whether a request is one of the conversation: it goes to the model and offers tools."""
    return request.method == "POST" and shape_of(request.path) is not None and bool(head(request).get("tools"))


def hidden(request: Request) -> list[str]:
    """The answers of the hidden tool in a request."""
    return [text for mark, text in shape_of(request.path).results(json.loads(request.body)) if is_hidden(mark)]


def own(request: Request) -> list[str]:
    """The results of the client's own tools in a request."""
    return [text for mark, text in shape_of(request.path).results(json.loads(request.body)) if not is_hidden(mark)]


def head(request: Request) -> dict[str, str]:
    """The parts of a body at the head of the prompt, as they stand there."""
    text, decoder = request.body.decode(), json.JSONDecoder(strict=False)
    found, at = {}, text.index("{") + 1
    while text[at:].lstrip()[0] != "}":
        at = text.index('"', at)
        name, at = decoder.raw_decode(text, at)
        start = text.index(":", at) + 1
        start += len(text[start:]) - len(text[start:].lstrip())
        _, at = decoder.raw_decode(text, start)
        found[name] = text[start:at]
    return {name: value for name, value in found.items() if name in HEAD}


def table(results: list[Result]) -> str:
    """The report on agents."""
    lines = ["| agent | turn | fetched back | result tokens | shown or sent back by the client | head of the prompt | own files with the end |"]
    lines.append("|---|---|---|---:|---|---|---:|")
    for it in results:
        if it.fault:
            lines.append(f"| {it.client} | **{it.fault}** | | | | | |")
            continue
        tokens = f"{it.before:,} → {it.after:,}"
        lines.append(f"| {it.client} | done | {it.rounds}, byte for byte | {tokens} | never | unchanged | {it.kept} |")
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    parser.add_argument("--only", default="", help="clients whose names contain this")
    args = parser.parse_args()
    binary, wanted = args.binary.resolve(), args.only.lower()
    results = []
    for name in AGENTS:
        if wanted in name.lower():
            results.append(check(binary, name))
            print(f"{name}: {results[-1].fault or 'done'}", flush=True)
    faults = []
    for name in SDKS:
        if wanted in name.lower():
            faults += splices(binary, name)
    print(table(results))
    for fault in faults:
        print(fault)
    raise SystemExit(bool(faults) or any(result.fault for result in results))


if __name__ == "__main__":
    main()
