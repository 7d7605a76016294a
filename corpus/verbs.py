"""What a model wants of an agent, and how it says that with the tools which the agent offers."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from speech import Call


@dataclass(frozen=True)
class Read:
    """Look at a file, or at some lines of it."""

    path: str
    first: int = 0
    count: int = 0


@dataclass(frozen=True)
class Run:
    """Run a command."""

    command: str
    why: str = "Look"


@dataclass(frozen=True)
class Find:
    """Search for lines."""

    pattern: str
    path: str
    kind: str = ""


@dataclass(frozen=True)
class Names:
    """Search for names of files."""

    pattern: str


@dataclass(frozen=True)
class Edit:
    """Change a piece of a file."""

    path: str
    old: str
    new: str


Verb = Read | Run | Find | Names | Edit


def call(verb: Verb, tools: list[str], place: str) -> Call:
    """A verb in the words of the tools at hand; what no tool can do, the shell does."""
    own = next(hand for first, hand in HANDS.items() if first in tools)
    said = own(verb, place)
    return said if said.name in tools else own(Run(by_shell(verb), "Look"), place)


def by_shell(verb: Verb) -> str:
    """The command that does the same."""
    match verb:
        case Read(path, first, count) if count:
            return f"sed -n '{first},{first + count - 1}p' {path}"
        case Read(path):
            return f"cat {path}"
        case Run(command):
            return command
        case Find(pattern, path, kind):
            return f"rg -n --sort path {f'-g {shlex.quote(kind)} ' if kind else ''}{shlex.quote(pattern)} {path}"
        case Names(pattern):
            return f"rg --files --sort path -g {shlex.quote(pattern)}"
        case Edit(path, old, new):
            script = f"path, old, new = {path!r}, {old!r}, {new!r}\ntext = open(path).read()\nassert text.count(old) == 1\nopen(path, 'w').write(text.replace(old, new))"
            return f"python3 - <<'END'\n{script}\nEND"


def claude(verb: Verb, place: str) -> Call:
    """Claude Code."""
    match verb:
        case Read(path, first, count):
            return Call("Read", {"file_path": f"{place}/{path}"} | ({"offset": first, "limit": count} if count else {}))
        case Run(command, why):
            return Call("Bash", {"command": command, "description": why})
        case Find(pattern, path, kind):
            return Call("Grep", {"pattern": pattern, "path": path, "output_mode": "content", "-n": True} | ({"glob": kind} if kind else {}))
        case Names(pattern):
            return Call("Glob", {"pattern": pattern})
        case Edit(path, old, new):
            return Call("Edit", {"file_path": f"{place}/{path}", "old_string": old, "new_string": new})


def opencode(verb: Verb, place: str) -> Call:
    """OpenCode."""
    match verb:
        case Read(path, first, count):
            return Call("read", {"filePath": f"{place}/{path}"} | ({"offset": first, "limit": count} if count else {}))
        case Run(command, why):
            return Call("bash", {"command": command, "description": why})
        case Find(pattern, path, kind):
            return Call("grep", {"pattern": pattern, "path": f"{place}/{path}"} | ({"include": kind} if kind else {}))
        case Names(pattern):
            return Call("glob", {"pattern": pattern})
        case Edit(path, old, new):
            return Call("edit", {"filePath": f"{place}/{path}", "oldString": old, "newString": new})


def codex(verb: Verb, _place: str) -> Call:
    """Codex, whose shell does everything but edits."""
    if isinstance(verb, Edit):
        lines = [*[f"-{line}" for line in verb.old.split("\n")], *[f"+{line}" for line in verb.new.split("\n")]]
        return Call("apply_patch", "\n".join(["*** Begin Patch", f"*** Update File: {verb.path}", "@@", *lines, "*** End Patch", ""]))
    return Call("exec_command", {"cmd": by_shell(verb)})


def gemini(verb: Verb, place: str) -> Call:
    """Gemini CLI."""
    match verb:
        case Read(path, first, count):
            return Call("read_file", {"file_path": f"{place}/{path}"} | ({"start_line": first, "end_line": first + count - 1} if count else {}))
        case Run(command, why):
            return Call("run_shell_command", {"command": command, "description": why})
        case Find(pattern, path, kind):
            return Call("grep_search", {"pattern": pattern, "dir_path": path} | ({"include_pattern": kind} if kind else {}))
        case Names(pattern):
            return Call("glob", {"pattern": pattern})
        case Edit(path, old, new):
            given = {"file_path": f"{place}/{path}", "old_string": old, "new_string": new, "instruction": "Correct it"}
            return Call("replace", given)


# The tool by which each agent is known.
HANDS: dict[str, Callable[[Verb, str], Call]] = {"Bash": claude, "bash": opencode, "exec_command": codex, "run_shell_command": gemini}
