"""Knows every command and flag that `tersely --help` names, and finds those in a line that it does not."""

from __future__ import annotations

import re
import shlex
import subprocess
from functools import cache
from pathlib import Path

OPERATORS = {"|", "||", "&&", ";", "&", "(", ")", "<", ">", ">>", "2>", "|&", ";;"}
FLAG = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)")


class Program:
    """One `tersely`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.help = cache(self._help)

    def _help(self, command: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
        """The subcommands and the flags of a command."""
        done = subprocess.run([self.path, *command, "--help"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"`tersely {' '.join(command)} --help` failed:\n{done.stderr}")
        text = done.stdout.split("\nExamples:")[0]
        # Commands come before the options, under one heading or in groups.
        names = re.findall(r"^  ([a-z][\w-]*)  ", text.split("\nOptions:")[0], re.M)
        return frozenset(names) - {"help"}, frozenset(FLAG.findall(text)) | {"--version", "-V"}

    def complaints(self, words: list[str]) -> list[str]:
        """What is wrong with a command line that begins after `tersely`."""
        command: tuple[str, ...] = ()
        commands, flags = self.help(command)
        passes_on = False
        for word in words:
            if word == "--":
                break
            if word.startswith("-") and len(word) > 1 and not passes_on:
                flag = word.split("=")[0].rstrip(",.;:…")
                if FLAG.fullmatch(flag) and flag not in flags:
                    return [f"`tersely {' '.join((*command, flag))}`: there is no such flag; `tersely {' '.join((*command, '--help'))}` lists them"]
            elif commands and re.fullmatch(r"[a-z][a-z-]*", word):
                if word in commands:
                    command = (*command, word)
                    commands, flags = self.help(command)
                elif not command or not self._takes_words(command):
                    return [f"`tersely {' '.join((*command, word))}`: there is no such command; `tersely {' '.join((*command, '--help'))}` lists them"]
                else:
                    commands = frozenset()
            elif command == ("run",) and word[:1].isalpha() and not word.isupper():
                passes_on = True
        return []

    @cache
    def _takes_words(self, command: tuple[str, ...]) -> bool:
        """Whether a command with subcommands also takes words of its own, as `mcp CMD` does."""
        done = subprocess.run([self.path, *command, "--help"], capture_output=True, text=True, check=False)
        return bool(re.search(r"^Usage: .*\[?<?[A-Z]+>?\]?\.\.\.", done.stdout, re.M))


def words(statement: str) -> list[str]:
    """The words of a shell statement, operators among them; comments left out."""
    lexer = shlex.shlex(statement, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(lexer)


def usages(line: str) -> list[list[str]]:
    """The calls that a line of usage stands for: `mcp install|uninstall [--all]` is two."""
    found: list[list[str]] = []
    for call in re.split(r"\s\|\s|&&|;", line):
        if not call.strip().startswith("tersely "):
            continue
        bare = re.sub(r"[\[\]'\"]|\.\.\.|…", " ", call.split("#")[0]).split()[1:]
        lines: list[list[str]] = [[]]
        for word in bare:
            choices = word.split("|") if re.fullmatch(r"[\w|-]+", word) else [word]
            lines = [[*line, choice] for line in lines for choice in choices]
        found += lines
    return found
