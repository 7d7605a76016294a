"""Lets a model read a file full of secrets, change a line and write the file back, through `tersely serve` and real agents.

The model knows nothing but what the gateway lets through. Then it looks at the environment and at a log with the same secrets.
Held: the file on disk holds what it held, but for the line; secrets of the environment and the log never reach the upstream.
See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from agents import CLIENTS, CODEX, Start, prepare
from asking import Asking, Player
from clients import PATIENCE, ROOT, Server
from relay import Relay
from secrets_list import Secret, secrets
from speech import Call, Say, Text, is_hidden, shape_of
from upstream import Request, arguments, shell

BEGIN, END = "# The settings begin here.", "# The settings end here."
BEFORE, AFTER = "TIMEOUT = 30", "TIMEOUT = 60"
DONE = Text(("The timeout ", "is ", "CHANGED-7731"))
GUTTER = re.compile(r"^\s*\d+(?:→|\t|\| ?|: )")
# Lines around the one that changes that an edit or a patch shows.
AROUND = 12
# Agents cut long results, so the secrets are short ones, and more than sixty.
LONGEST = 64


@dataclass(frozen=True)
class Hand:
    """How a model says what it wants of an agent's tools."""

    read: Callable[[str], Call]
    run: Callable[[str], Call]
    write: Callable[[str, str], Call]
    edit: Callable[[str, str, str], Call]


def hand(tools: list[str], spaces: dict[str, str]) -> Hand | None:
    """The hand for the tools that are offered."""
    if "exec" in tools:
        return scripted()
    own = shell(tools)
    if own is None:
        return None

    def run(command: str) -> Call:
        return Call(own, arguments(own, command))

    if "Read" in tools:
        return Hand(
            lambda path: Call("Read", {"file_path": path}),
            run,
            lambda path, text: Call("Write", {"file_path": path, "content": text}),
            lambda path, old, new: Call("Edit", {"file_path": path, "old_string": old, "new_string": new}),
        )
    if "read" in tools:
        return Hand(
            lambda path: Call("read", {"filePath": path}),
            run,
            lambda path, text: Call("write", {"filePath": path, "content": text}),
            lambda path, old, new: Call("edit", {"filePath": path, "oldString": old, "newString": new}),
        )
    given = (lambda patch: patch) if spaces.get("apply_patch") == "custom" else (lambda patch: {"input": patch})
    patched = (lambda path, old, new: Call("apply_patch", given(patch(path, old, new)))) if "apply_patch" in tools else None
    return Hand(
        lambda path: run(f"cat {path}"),
        run,
        lambda path, text: run(heredoc(path, text)),
        patched or (lambda path, old, new: run(replace(path, old, new))),
    )


def scripted() -> Hand:
    """The hand for Codex whose model writes programs that call tools."""

    def run(command: str) -> Call:
        return Call("exec", f"const done = await tools.exec_command({json.dumps({'cmd': command})}); text(done.output);")

    return Hand(
        lambda path: run(f"cat {path}"),
        run,
        lambda path, text: run(heredoc(path, text)),
        lambda path, old, new: Call("exec", f"text(await tools.apply_patch({json.dumps(patch(path, old, new))}));"),
    )


def heredoc(path: str, text: str) -> str:
    """A file written by a shell."""
    return f"cat > {path} <<'THE_END'\n{text}THE_END"


def patch(path: str, old: str, new: str) -> str:
    """A change as Codex writes it, with the lines around it."""
    lines = []
    for before, after in zip(old.splitlines(), new.splitlines()):
        lines += [f" {before}"] if before == after else [f"-{before}", f"+{after}"]
    return "\n".join(["*** Begin Patch", f"*** Update File: {path}", "@@", *lines, "*** End Patch", ""])


def replace(path: str, old: str, new: str) -> str:
    """A change by a script that a shell is handed."""
    script = f"old, new = {old!r}, {new!r}\ntext = open({path!r}).read()\nassert old in text\nopen({path!r}, 'w').write(text.replace(old, new))\n"
    return f"python3 - <<'THE_END'\n{script}THE_END"


def kinds(body: dict) -> dict[str, str]:
    """The type of each tool that a request offers."""
    return {str(tool.get("name")): str(tool.get("type")) for tool in body.get("tools") or []}


def seen(result: str) -> str | None:
    """The file's text as the model sees it in a result, without the gutter."""
    lines = [GUTTER.sub("", line) for line in result.split("\n")]
    if BEGIN not in lines or END not in lines:
        return None
    return "\n".join(lines[lines.index(BEGIN) : lines.index(END) + 1]) + "\n"


def block(text: str) -> str:
    """The lines around the one that is to change."""
    lines = text.splitlines(keepends=True)
    at = next((at for at, line in enumerate(lines) if line.strip() == BEFORE), 0)
    return "".join(lines[max(0, at - AROUND) : at + AROUND + 1])


def steps(way: str, path: str, own: Hand, results: list[str]) -> list[Callable[[], Call]]:
    """What the model does, turn by turn."""

    def change() -> Call:
        text = seen(results[0]) or ""
        if way == "write":
            return own.write(path, text.replace(BEFORE, AFTER))
        return own.edit(path, block(text), block(text).replace(BEFORE, AFTER))

    return [
        lambda: own.read(path),
        change,
        lambda: own.run("printenv"),
        lambda: own.run("cat app.log"),
        lambda: own.run("tail -n 20 app.log; env | sort | tail -n 20"),
        lambda: own.read(path),
    ]


# Which of these show the environment or the log, and which the file.
MASKED, SHOWN = (2, 3, 4), (0, 5)


def model(way: str, path: str):
    """The script: what the model says is a function of the request."""

    def says(body: dict, tools: list[str], results: list[tuple[str, str]]) -> list[Say]:
        own = hand(tools, kinds(body))
        texts = [text for mark, text in results if not is_hidden(mark)]
        if own is None or (texts and seen(texts[0]) is None):
            return [Text(("I cannot see the settings.",))]
        plan = steps(way, path, own, texts)
        return [plan[len(texts)]()] if len(texts) < len(plan) else [DONE]

    return says


class InOne(Player):
    """Says all of a response in one piece, to agents that never ask for less than a stream."""

    def chunks(self, events: list[bytes], pause: float = 0.0) -> None:
        super().chunks([b"".join(events)], pause)


class Silent(Player):
    """Breaks off every stream: Claude Code then asks for the response as a whole."""

    def chunks(self, events: list[bytes], pause: float = 0.0) -> None:
        super().chunks(events[:1], pause)


def player(client: str, answer: str) -> type[Player]:
    """What answers a client so."""
    if answer == "streamed":
        return Player
    return Silent if client == "Claude Code" else InOne


def settings(made: list[Secret]) -> str:
    """A file with every secret, the line that changes in its middle."""
    alone = [one for one in made if one.text == one.value]
    # Claude Code itself writes `&` where the model says `\\u0026`, so that the file holds none.
    placed = [one for one in made if one.text != one.value and "\\u" not in one.text]
    lines = [f'{name(one.kind)} = "{one.value}"' for one in alone]
    notes = ["NOTES = r\"\"\"", *[one.text for one in placed], "\"\"\""]
    half = len(lines) // 2
    return "\n".join([BEGIN, *lines[:half], BEFORE, *lines[half:], *notes, END, ""])


def log(made: list[Secret]) -> str:
    """A log in which they stand too."""
    lines = [f"2026-11-15 12:00:{at % 60:02} INFO  {one.text}" for at, one in enumerate(made)]
    return "\n".join([*lines, ""])


def variables(made: list[Secret]) -> dict[str, str]:
    """Variables that hold them."""
    pairs = [re.fullmatch(r"([A-Z_]+)=(\S+)", one.text) for one in made]
    return {pair[1] if pair else f"THE_{name(one.kind)}": pair[2] if pair else one.text for one, pair in zip(made, pairs)}


def name(kind: str) -> str:
    """A kind as a name in a program."""
    return re.sub(r"\W+", "_", kind).upper()


def claude(url: str) -> Start:
    """Claude Code, with the tools for files."""
    start = CLIENTS["Claude Code"](url)
    start.words[start.words.index("--allowedTools") + 1] = "Bash,Read,Write,Edit"
    return start


def codex(model_name: str) -> Callable[[str], Start]:
    """Codex with a model of this name, which decides the tools; its shell gets every variable."""
    policy = '[shell_environment_policy]\ninherit = "all"\nignore_default_excludes = true\n'

    def start(url: str) -> Start:
        made = CLIENTS["Codex"](url)
        config = CODEX.format(extra=policy).replace("test-model", model_name)
        made.files = {".codex/config.toml": config}
        return made

    return start


EDITORS: dict[str, Callable[[str], Start]] = {
    "Claude Code": claude,
    "Codex, apply_patch": codex("gpt-5.5"),
    "Codex, shell only": codex("test-model"),
    "Codex, programs": codex("gpt-6-sol"),
    "OpenCode, chat": CLIENTS["OpenCode, chat"],
    "OpenCode, messages": CLIENTS["OpenCode, messages"],
}


@dataclass
class Result:
    """What became of one turn."""

    client: str
    way: str
    answer: str
    calls: list[str] = field(default_factory=list)
    kinds: int = 0
    # The file: secrets that it lost, masks that it got, and whether it is what it should be.
    lost: int = 0
    masks: int = 0
    exact: bool = False
    # Secrets that the agent sent in results of the environment and the log, and those that arrived.
    sent: int = 0
    leaked: list[str] = field(default_factory=list)
    # Secrets that the model saw in the file.
    shown: int = 0
    fault: str = ""


def check(binary: Path, flags: list[str], client: str, way: str, answer: str) -> Result:
    """One agent that changes the file in one way."""
    made = secrets(LONGEST)
    result = Result(client, way, answer, kinds=len(made))
    before = settings(made)
    with tempfile.TemporaryDirectory(prefix="tersely-edits-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "here" / "settings.py"
        upstream = Asking(model(way, str(path)), handler=player(client, answer))
        server = Server(binary, upstream.url, *flags)
        relay = Relay(server.address)
        start = EDITORS[client](relay.url)
        start.env |= variables(made)
        env = prepare(Path(folder), start, {"settings.py": before, "app.log": log(made)})
        said, code = run(start.words, env, path.parent)
        relay.close()
        server.stop()
        upstream.shutdown()
        after = path.read_text()
    result.exact = after == before.replace(BEFORE, AFTER)
    result.lost = sum(one.value in before and one.value not in after for one in made)
    result.masks = after.count("[REDACTED") + after.count("***")
    judge(made, (relay.requests(), upstream.requests), result)
    if code != 0 or DONE.pieces[-1] not in said:
        result.fault = f"ended with {code} and said: {said[-300:]}"
    return result


def run(words: list[str], env: dict[str, str], folder: Path) -> tuple[str, int | None]:
    """Runs an agent to its end."""
    try:
        done = subprocess.run(
            words, env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )
    except subprocess.TimeoutExpired as late:
        return f"{late.stdout} {late.stderr}", None
    return done.stdout + done.stderr, done.returncode


def judge(made: list[Secret], passed: tuple[list[Request], list[Request]], result: Result) -> None:
    """Holds what passed on both sides against what should have."""
    sent, seen_by = ([one for one in side if talks(one)] for side in passed)
    result.calls = sorted({call for one in seen_by for call in called(one)})
    result.sent = len(found(made, [text for one in sent for text in results(one, MASKED)]))
    result.shown = len(found(made, [text for one in seen_by for text in results(one, SHOWN)]))
    leaked = found(made, [text for one in seen_by for text in [*results(one, MASKED), outside(one)]])
    result.leaked = [one.kind for one in leaked]


def talks(request: Request) -> bool:
    """Whether a request is one of the conversation: it goes to the model and offers tools."""
    shape = shape_of(request.path) if request.method == "POST" else None
    return shape is not None and bool(shape.tools(json.loads(request.body)))


def found(made: list[Secret], texts: list[str]) -> list[Secret]:
    """The secrets that stand in any of the texts."""
    return [one for one in made if any(one.value in text for text in texts)]


def results(request: Request, wanted: tuple[int, ...]) -> list[str]:
    """The results of those steps in a request."""
    texts = [text for mark, text in shape_of(request.path).results(json.loads(request.body)) if not is_hidden(mark)]
    return [texts[step] for step in wanted if step < len(texts)]


def called(request: Request) -> list[str]:
    """The names of the tools that the model has called."""
    return re.findall(r'"(?:name)":\s*"(\w+)",\s*"(?:input|arguments)"', request.body.decode())


def outside(request: Request) -> str:
    """What a request holds besides the model's own words and the results of its calls."""
    body = json.loads(request.body)
    for turn in body.get("messages") or body.get("input") or []:
        kind = str(turn.get("type"))
        if turn.get("role") in ("tool", "assistant") or kind.endswith(("call", "call_output")):
            turn.clear()
        elif isinstance(turn.get("content"), list):
            turn["content"] = [block for block in turn["content"] if block.get("type") != "tool_result"]
    return json.dumps(body, ensure_ascii=False)


def table(made: list[Result]) -> str:
    """The report."""
    lines = ["| agent | change by | response | secrets in the file, as the model saw it | file on disk | secrets in environment and log | of these, upstream |"]
    lines.append("|---|---|---|---:|---|---:|---:|")
    for it in made:
        disk = "as it should be" if it.exact else f"**{it.lost} secrets lost, {it.masks} masks**" if it.lost else "**the change is missing**"
        if it.fault:
            disk = f"{disk}; **{it.fault}**"
        leaked = f"**{len(it.leaked)}**" if it.leaked else "0"
        lines.append(f"| {it.client} | {it.way} | {it.answer} | {it.shown} of {it.kinds} | {disk} | {it.sent} of {it.kinds} | {leaked} |")
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tersely", type=Path, default=ROOT / "target" / "release" / "tersely", help="the binary")
    parser.add_argument("--only", default="", help="agents whose names contain this")
    parser.add_argument("--way", choices=["write", "edit"], help="one way to change the file")
    parser.add_argument("--flags", default="", help="flags for `tersely serve`, in one word")
    args = parser.parse_args()
    ways, made = [args.way] if args.way else ["write", "edit"], []
    for client in EDITORS:
        if args.only.lower() not in client.lower():
            continue
        for way in ways:
            for answer in ["streamed", "whole"]:
                made.append(check(args.tersely.resolve(), args.flags.split(), client, way, answer))
                it = made[-1]
                good = it.exact and not it.leaked and not it.fault
                print(f"{client}, {way}, {answer}: {'done' if good else vars(it)}", flush=True)
    print(table(made))
    raise SystemExit(any(not it.exact or it.leaked or it.fault or it.sent < it.kinds for it in made))


if __name__ == "__main__":
    main()
