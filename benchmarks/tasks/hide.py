"""Takes tests out of a test file, and says in plain words what they found."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass

LONGEST = 700


@dataclass(frozen=True, order=True)
class Case:
    """One test: its file, its class if it has one, its function, and the values it ran with."""

    file: str
    group: str
    function: str
    values: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """The function that holds it."""
        return self.group, self.function


def without(text: str, places: set[tuple[str, str]]) -> str | None:
    """A test file without these functions; nothing if one of them is not written in it, as when it is inherited."""
    lines, missing = text.splitlines(keepends=True), set(places)
    tree = ast.parse(text)
    bodies = [("", tree.body)] + [(one.name, one.body) for one in tree.body if isinstance(one, ast.ClassDef)]
    for group, body in bodies:
        gone = [one for one in body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and (group, one.name) in places]
        for one in gone:
            missing.discard((group, one.name))
            first = min([one.lineno, *[decorator.lineno for decorator in one.decorator_list]])
            indent = " " * one.col_offset
            blank = [f"{indent}pass\n"] if len(gone) == len(body) and one is gone[0] else [""]
            lines[first - 1 : one.end_lineno] = blank + [""] * (one.end_lineno - first)
    return None if missing else re.sub(r"\n{4,}", "\n\n\n", "".join(lines))


def title(function: str) -> str:
    """The name of a test as a person would say it."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", function.removeprefix("test")).replace("_", " ")
    return " ".join(words.split()).lower() or "the main path"


def statement_at(text: str, line: int) -> str:
    """The smallest statement of a test file that a line belongs to, as it is written; nothing if that is too long to quote."""
    plain = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    around = [
        one for one in ast.walk(ast.parse(text))
        if isinstance(one, ast.stmt) and not isinstance(one, plain) and one.lineno <= line <= one.end_lineno
    ]
    if not around:
        return ""
    found = min(around, key=lambda one: one.end_lineno - one.lineno)
    lines = text.splitlines()[found.lineno - 1 : found.end_lineno]
    said = textwrap.dedent("\n".join(lines))
    return said if len(said) <= LONGEST else ""


def finding(trace: str, file: str, text: str) -> tuple[str, str]:
    """From the short trace of a failure: the statement of the test, and what went wrong. No line of the package, no address."""
    places = re.findall(rf"^{re.escape(file)}:(\d+): ", trace, re.MULTILINE)
    statement = statement_at(text, int(places[-1])) if places else ""
    wrong = "\n".join(line[1:].strip() for line in trace.splitlines() if re.match(r"E +\S", line))
    return statement, re.sub(r"0x[0-9a-f]{6,}", "0x…", wrong)[:LONGEST]


def report(name: str, version: str, findings: list[tuple[str, str, str]]) -> str:
    """The task as an agent gets it: a bug report of up to three findings, each a title, a statement and what went wrong."""
    lines = [f"Someone reports a bug in the Python package in this folder, {name} {version}:", ""]
    for function, statement, wrong in findings[:3]:
        lines.append(f"> About \"{title(function)}\".")
        for words, text in (("This worked before:", statement), ("Now I get:", wrong)):
            lines += [f"> {words}", *[f">     {line}" for line in text.splitlines()]] if text else []
        lines.append("")
    lines.append(
        "Find the cause in the source and repair it. `python -m pytest -q` runs the tests: those in the folder pass now, and "
        "must still pass then. Others, which are not in the folder, decide whether the bug is gone. Do not change tests. "
        "Say in one sentence what was wrong when you are done."
    )
    return "\n".join(lines) + "\n"
