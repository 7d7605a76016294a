"""Takes a shell block apart: its statements, and the programs that a statement starts."""

from __future__ import annotations

import re
import subprocess

from flags import OPERATORS, words

BUILT_IN = {"cd", "export", "unset", "echo", "printf", "test", "[", "true", "set", "read", "wait", "kill", "exit", "source", ".", "alias"}
# Programs that read, write in the sandbox or talk to its own addresses, and are on every machine.
HARMLESS = {"tersely", "python", "python3", "node", "bash", "sh", "cat", "cmp", "cp", "curl", "diff", "grep", "head", "jq", "ls", "mkdir", "mv", "openssl", "rm", "sed", "seq", "sleep", "sort", "tail", "tee", "touch", "tr", "wc"}
BEFORE = {"sudo", "env", "exec", "time", "nohup", "if", "then", "else", "do", "while", "!", "{"}
REDIRECTIONS = {"<", ">", ">>", "2>"}
AFTER = {"for", "done", "fi", "case", "esac", "in", "}"}


def statements(text: str) -> list[tuple[int, str]]:
    """The statements of a block, each with the number of its first line."""
    found: list[tuple[int, str]] = []
    part, begun = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        if not part and (not line.strip() or line.lstrip().startswith("#")):
            continue
        begun = begun if part else number
        part += line + "\n"
        if complaint(part) is None:
            found.append((begun, part))
            part = ""
    if part:
        raise ValueError(complaint(part))
    return found


def complaint(text: str) -> str | None:
    """What bash says of a text; nothing if it is whole."""
    if text.endswith("\\\n"):
        return "the last line ends with a backslash"
    done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
    return done.stderr.strip() or None


def commands(statement: str) -> list[list[str]]:
    """The simple commands of a statement, with their words; a `tersely` behind `--` is one too."""
    found: list[list[str]] = []
    begins, target = True, False
    for word in words(statement):
        if word in OPERATORS:
            target = word in REDIRECTIONS
            begins = not target
        elif target:
            target = False
        elif begins and (re.match(r"^\w+=", word) or word in BEFORE):
            continue
        elif begins or (word == "tersely" and found and found[-1][-1] == "--"):
            found.append([word])
            begins = False
        elif found:
            found[-1].append(word)
    return found


def calls(statement: str) -> list[list[str]]:
    """Every call of `tersely` in a statement, without its first word."""
    return [one[1:] for one in commands(statement) if one[0] == "tersely" or one[0].endswith("/tersely")]


def programs(statement: str) -> list[str]:
    """The programs that a statement starts, also those that `tersely run` and `tersely mcp` start."""
    found: list[str] = []
    for one in commands(statement):
        if one[0] not in BUILT_IN | AFTER:
            found += [one[0], *(started(one[1:]) if one[0] == "tersely" else [])]
    return found


def started(said: list[str]) -> list[str]:
    """The program that a call of `tersely` starts, if it does."""
    if said[:1] not in (["run"], ["mcp"]) or said[1:2] in (["install"], ["uninstall"], ["serve"]):
        return []
    if "--" in said:
        return said[said.index("--") + 1 :][:1]
    rest, takes = said[1:], False
    for word in rest:
        if word.startswith("-"):
            takes = "=" not in word
        elif takes:
            takes = False
        else:
            return [word]
    return []
