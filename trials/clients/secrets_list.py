"""Made-up secrets of every kind in `secrets.tsv`, the same ones at every run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "secrets.tsv"

BASE62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
LETTERS = {"A": BASE62, "w": BASE62 + "_-", "a": BASE62[26:], "U": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "h": "0123456789abcdef", "d": "0123456789"}


@dataclass(frozen=True)
class Secret:
    """A secret, and the text that it stands in."""

    kind: str
    value: str
    text: str


def secrets(longest: int = 10_000) -> list[Secret]:
    """The secrets of the table that are not longer than this."""
    rows = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    made = [secret(seed, row) for seed, row in enumerate(rows)]
    return [one for one in made if len(one.value) <= longest]


def secret(seed: int, row: str) -> Secret:
    """The secret of a row."""
    kind, text = row.replace("⏎", "\n").split("\t", 1)
    before, rest = text.split("«")
    template, after = rest.split("»")
    value = fill(template, seed)
    return Secret(kind, value, before + value + after)


def fill(template: str, seed: int) -> str:
    """A template with letters in its braces. Signs stand in the middle only: at an end they would be punctuation."""
    state = seed + 1

    def draw(match: re.Match) -> str:
        nonlocal state
        letters, length, drawn = LETTERS[match[1]], int(match[2]), []
        for place in range(length):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            sorts = min(len(letters), 62) if place in (0, length - 1) else len(letters)
            drawn.append(letters[(state >> 33) % sorts])
        return "".join(drawn)

    return re.sub(r"\{(\w)(\d+)\}", draw, template)
