"""Compares what a page shows with what a command prints."""

from __future__ import annotations

import difflib
import json
import re

ANY = re.compile(r"^\s*(?:…|\.\.\.)\s*$")
NUMBER = re.compile(r"\d[\d,.]*(?: [kMG]\b)?")


def text(shown: str, printed: str, *, like: bool) -> str | None:
    """The difference, or nothing. A line `…` stands for any lines; `like` takes any number for any other."""
    expected, found = ([tidy(line, like) for line in one.rstrip().split("\n")] for one in (shown, printed))
    if matches(expected, found):
        return None
    lines = difflib.unified_diff(shown.rstrip().split("\n"), printed.rstrip().split("\n"), "the page", "the command", lineterm="")
    return "\n".join(list(lines)[:40])


def tidy(line: str, like: bool) -> str:
    """A line as it is compared."""
    return " ".join(NUMBER.sub("0", line).split()) if like else line.rstrip()


def matches(expected: list[str], found: list[str]) -> bool:
    """Whether lines are the expected ones, where `…` stands for any."""
    if not expected:
        return not found
    if ANY.match(expected[0]):
        return any(matches(expected[1:], found[skipped:]) for skipped in range(len(found) + 1))
    return bool(found) and line_matches(expected[0], found[0]) and matches(expected[1:], found[1:])


def line_matches(expected: str, found: str) -> bool:
    """Whether a line is the expected one; `…` at its end stands for any rest."""
    return found.startswith(expected[:-1]) if expected.endswith("…") else found == expected


def document(shown: str, printed: str) -> str | None:
    """The difference of two JSON documents, or nothing. The text "…" stands for any value."""
    try:
        found = json.loads(printed)
    except ValueError as error:
        return f"the command printed no JSON ({error}):\n{printed[:2000]}"
    expected = json.loads(shown)
    return None if alike(expected, found) else text(json.dumps(expected, indent=1), json.dumps(found, indent=1), like=False)


def alike(expected: object, found: object) -> bool:
    """Whether two values are the same, but for what the page leaves open."""
    if expected == "…":
        return True
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(alike(expected[key], found[key]) for key in expected)
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(alike(*both) for both in zip(expected, found))
    return expected == found
