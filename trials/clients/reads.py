"""Lets a model read a source file in every way that an agent has, and change a line of it, through `tersely serve` and real agents.

The model knows nothing but what the gateway lets through. Held: every line of the source reaches it, and the edit fits. Told: which ways
of reading let an agent edit the file afterwards, for some agents edit only what their own tool has read. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agents import CLIENTS, prepare
from asking import Asking
from clients import ROOT, Server
from edits import AFTER, BEFORE, BEGIN, EDITORS, END, Hand, block, hand, kinds, run, talks
from edits import seen as seen_in
from relay import Relay
from speech import Call, Say, Text, is_hidden, shape_of
from upstream import Request, arguments

DONE = Text(("The timeout ", "is ", "CHANGED-7731"))
# Codex cuts what is longer than 10,000 bytes by itself.
FUNCTIONS = 30
FUNCTION = '''
def load_{at}(path, limit=None):
    """Loads part {at} of the settings."""
    with open(path) as file:
        text = file.read(limit)
    if not text:
        raise ValueError("part {at} is empty")
    return parse(text, part={at})

'''

# How a shell shows a file: what the way is called, and the command.
SHELL = {
    "`cat`": "cat {path}",
    "`sed -n`": "sed -n '1,900p' {path}",
    "`nl -ba`": "nl -ba {path}",
    "`head`, in `bash -lc`": "bash -lc 'head -n 900 {path}'",
    "`python3 -c`": "python3 -c \"print(open('{path}').read())\"",
}
# How a program does that Codex runs in its code mode.
PROGRAMS = {
    "template literal": "const path = {path!r}; const done = await tools.exec_command({{cmd: `sed -n '1,900p' ${{path}}`}}); text(done.output);",
    "`Promise.all`": "const done = await Promise.all(['ls', 'cat {path}'].map((cmd) => tools.exec_command({{cmd}}))); text(done[1].output);",
}


def source() -> str:
    """A file of source, the line that changes in its middle."""
    functions = [FUNCTION.format(at=at) for at in range(FUNCTIONS)]
    half = FUNCTIONS // 2
    return "\n".join([BEGIN, "import os\n", *functions[:half], BEFORE, *functions[half:], END, ""])


def seen(result: str) -> str | None:
    """The source as the model sees it; Gemini CLI says on its first line what it is."""
    return seen_in(re.sub(r"(?m)^Output: ", "", result, count=1))


def gemini(tools: list[str]) -> Hand | None:
    """The hand for Gemini CLI."""
    if "replace" not in tools:
        return None
    shell = "run_shell_command"
    return Hand(
        lambda path: Call("read_file", {"file_path": path}),
        lambda command: Call(shell, arguments(shell, command)),
        lambda path, text: Call("write_file", {"file_path": path, "content": text}),
        lambda path, old, new: Call("replace", {"file_path": path, "instruction": "Raise the timeout", "old_string": old, "new_string": new}),
    )


def ways(client: str) -> dict[str, Callable[[Hand, str], Call]]:
    """Every way in which an agent reads."""
    by_shell = {name: (lambda own, path, line=line: own.run(line.format(path=path))) for name, line in SHELL.items()}
    own = {"its own tool": lambda own, path: own.read(path)} if not client.startswith("Codex") else {}
    by_program = {name: (lambda _own, path, code=code: Call("exec", code.format(path=path))) for name, code in PROGRAMS.items()}
    return {**own, **by_shell, **(by_program if client == "Codex, programs" else {})}


def model(way: Callable[[Hand, str], Call], path: str):
    """The script: reads, edits by quoting what it saw, and ends."""

    def says(body: dict, tools: list[str], results: list[tuple[str, str]]) -> list[Say]:
        own = gemini(tools) or hand(tools, kinds(body))
        texts = [text for mark, text in results if not is_hidden(mark)]
        if own is None:
            return [Text(("I have no tools.",))]
        if not texts:
            return [way(own, path)]
        text = seen(texts[0])
        if text is None:
            return [Text(("I cannot see the source.",))]
        return [own.edit(path, block(text), block(text).replace(BEFORE, AFTER))] if len(texts) == 1 else [DONE]

    return says


@dataclass
class Read:
    """What became of one read and the edit after it."""

    client: str
    way: str
    # Lines of the source that the agent sent and that did not reach the model; all if none did.
    missing: int = 0
    # Whether the edit fits what is on disk, and whether the agent made it.
    fits: bool = False
    made: bool = False
    said: str = ""


def check(binary: Path, client: str, name: str, way: Callable[[Hand, str], Call]) -> Read:
    """One agent that reads in one way."""
    before, result = source(), Read(client, name)
    with tempfile.TemporaryDirectory(prefix="tersely-reads-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "here" / "settings.py"
        upstream = Asking(model(way, str(path)))
        server = Server(binary, upstream.url)
        relay = Relay(server.address)
        start = READERS[client](relay.url)
        env = prepare(Path(folder), start, {"settings.py": before})
        said, _ = run(start.words, env, path.parent)
        relay.close()
        server.stop()
        upstream.shutdown()
        after = path.read_text()
    texts, sent = shown(upstream.requests), shown(relay.requests())
    text = seen(texts[0]) if texts else None
    lines = set((text or "").splitlines())
    result.missing = sum(line not in lines for line in ((seen(sent[0]) if sent else None) or before).splitlines())
    result.fits = BEFORE in (text or "") and block(text or "") in before
    result.made = after == before.replace(BEFORE, AFTER)
    result.said = texts[1][:200] if len(texts) > 1 else said[-200:]
    return result


def shown(requests: list[Request]) -> list[str]:
    """The results of the conversation's longest request."""
    bodies = [one for one in requests if talks(one)]
    each = [shape_of(one.path).results(json.loads(one.body)) for one in bodies]
    longest = max(each, key=len, default=[])
    return [text for mark, text in longest if not is_hidden(mark)]


READERS = {**EDITORS, "Gemini CLI": CLIENTS["Gemini CLI"]}


def table(made: list[Read]) -> str:
    """The report."""
    lines = ["| agent | read by | source lines missing | the edit fits | the agent makes it |", "|---|---|--:|---|---|"]
    for it in made:
        does = "yes" if it.made else f"no: {' '.join(it.said.split())[:110]}"
        lines.append(f"| {it.client} | {it.way} | {it.missing} | {'yes' if it.fits else '**no**'} | {does} |")
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target" / "release" / "tersely", help="the binary")
    parser.add_argument("--only", default="", help="agents whose names contain this")
    args = parser.parse_args()
    made = []
    for client in READERS:
        if args.only.lower() not in client.lower():
            continue
        for name, way in ways(client).items():
            made.append(check(args.tersely.resolve(), client, name, way))
            print(f"{client}, {name}: {vars(made[-1])}", flush=True)
    print(table(made))
    raise SystemExit(any(it.missing or not it.fits for it in made))


if __name__ == "__main__":
    main()
