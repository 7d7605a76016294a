"""What a provider counted in an answer, whole or as events, and what that costs."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PRICES = ROOT / "crates" / "account" / "prices" / "prices.txt"
MILLION = 1_000_000
# Anthropic's price of a cache write that lasts an hour, in prices of input.
HOUR = 2


@dataclass(frozen=True)
class Usage:
    """Tokens as they are billed: each of them under one name."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_hour: int = 0
    output: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*[getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__])


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    cache_read: float
    cache_write: float
    output: float

    def of(self, usage: Usage) -> float:
        """Dollars for these tokens."""
        read = usage.input * self.input + usage.cache_read * self.cache_read + usage.cache_write * self.cache_write
        return (read + usage.cache_write_hour * self.input * HOUR + usage.output * self.output) / MILLION

    def most(self, tokens: int, output: int) -> float:
        """The most that a request can cost."""
        return (tokens * max(self.input, self.cache_write) + output * self.output) / MILLION


def fits(pattern: str, model: str) -> bool:
    """Whether a pattern means a model; a star at either end stands for anything."""
    middle = pattern.strip("*")
    if pattern.startswith("*") and pattern.endswith("*"):
        return middle in model
    if pattern.startswith("*"):
        return model.endswith(middle)
    return model.startswith(middle) if pattern.endswith("*") else model == middle


def built_in(model: str, path: Path) -> Price | None:
    """The price of a model, or of the model that it is a snapshot of, in the table that `tersely` has; of short requests."""
    names = (model, re.sub(r"[-@](\d{8}|\d{4}-\d\d-\d\d)$", "", model))
    lines = [line.split(" >")[0].split() for line in path.read_text().splitlines() if not line.startswith("#")]
    words = next((line for name in names for line in lines if line[0] == name), None)
    if words is None:
        return None
    plain, output = float(words[1]), float(words[2])
    other = {word[0]: float(word[1:]) for word in words[3:]}
    return Price(plain, other.get("r", plain), other.get("w", plain), output)


def price_of(model: str, path: Path = PRICES) -> Price | None:
    """The price of a model: in a table of TOML by the longest pattern that fits, else in the table that `tersely` has."""
    if path.suffix != ".toml":
        return built_in(model, path)
    rows = [row for row in tomllib.loads(path.read_text())["price"] if fits(row["model"], model)]
    if not rows:
        return None
    row = max(rows, key=lambda row: len(row["model"]))
    plain = row["input"]
    return Price(plain, row.get("cache_read", plain), row.get("cache_write", plain), row["output"])


class Prices:
    """The prices of a table, for runs that ask for one model: one without a price costs what that one costs."""

    def __init__(self, model: str, path: Path = PRICES) -> None:
        self.path, self.known = path, {}
        self.usual = price_of(model, path)

    def of(self, model: str | None) -> Price:
        """The price of a model."""
        if model and model not in self.known:
            self.known[model] = price_of(model, self.path)
        return self.known.get(model or "") or self.usual


def holders(answer: bytes) -> Iterator[dict]:
    """Every object of an answer that may say what was counted and by which model."""
    text = answer.decode(errors="replace").strip()
    pieces = [text] if text.startswith("{") else [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    for piece in pieces:
        try:
            event = json.loads(piece)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield from (one for one in (event, event.get("message"), event.get("response")) if isinstance(one, dict))


def counted(answer: bytes) -> tuple[Usage | None, str | None]:
    """What an answer says was counted, and its model; later events replace what earlier ones said."""
    told: dict = {}
    model = None
    for holder in holders(answer):
        model = holder.get("model") or model
        told.update({key: value for key, value in (holder.get("usage") or {}).items() if value is not None})
    return (normal(told) if told else None), model


def normal(told: dict) -> Usage:
    """The counts of Anthropic's Messages, or of OpenAI's Chat Completions or Responses."""
    wrote = told.get("output_tokens", told.get("completion_tokens", 0))
    if "cache_read_input_tokens" in told or "cache_creation_input_tokens" in told or is_anthropic(told):
        written = told.get("cache_creation_input_tokens", 0)
        hour = (told.get("cache_creation") or {}).get("ephemeral_1h_input_tokens", 0)
        return Usage(told.get("input_tokens", 0), told.get("cache_read_input_tokens", 0), written - hour, hour, wrote)
    details = told.get("input_tokens_details") or told.get("prompt_tokens_details") or {}
    cached, written = details.get("cached_tokens") or 0, details.get("cache_write_tokens") or 0
    read = told.get("input_tokens", told.get("prompt_tokens", 0))
    return Usage(read - cached - written, cached, written, 0, wrote)


def is_anthropic(told: dict) -> bool:
    """Whether plain counts are Anthropic's, whose input has nothing of the cache in it: OpenAI always gives a total."""
    return "total_tokens" not in told and "input_tokens" in told
