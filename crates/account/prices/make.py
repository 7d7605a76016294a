#!/usr/bin/env python3
"""Makes prices.txt from the price table of the Python package litellm.

    make.py [WHEEL]     without a wheel, the newest one is downloaded with pip

Each model of mode chat, responses or completion that is priced by token becomes a line, with the defaults that litellm
applies filled in: a cache price that is missing is the input price, and a price above a length that is missing is the
price below it. Left out: batches, priority, regions, audio, images, searches, and off-peak hours.
"""

import datetime
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

MODES = {"chat", "responses", "completion"}
TABLE = "litellm/model_prices_and_context_window_backup.json"
KINDS = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "read": "cache_read_input_token_cost",
    "write": "cache_creation_input_token_cost",
    "hour": "cache_creation_input_token_cost_above_1hr",
    "thought": "output_cost_per_reasoning_token",
}
# Digits behind the point, for a million tokens.
DIGITS = 12
# Fireworks bills a cached token at half its input price where the table has no price for it.
FIREWORKS_CACHE_READ = Decimal("0.5")

HEADER = """\
# What models cost: US dollars for a million tokens. Made by make.py; do not edit.
# Source: the price table of litellm {version} (Copyright 2023 Berri AI, MIT licence), read on {date}.
# A line that ends with a slash is the beginning of the names below it. Then: name, input, output, and where they differ
# r cache read (else input), w cache write (else input), h write for an hour (else write), t reasoning (else output).
# After > follow the prices of a request with more input tokens than this. Models below a lone slash are retired: retired.txt.
date {date}
"""


def number(value):
    return None if value is None else Decimal(repr(float(value)))


def complete(price):
    """All six prices, with litellm's defaults."""
    price = {kind: price.get(kind) for kind in KINDS}
    price["input"] = price["input"] or Decimal(0)
    price["output"] = price["output"] or Decimal(0)
    for kind, default in (("read", "input"), ("write", "input"), ("hour", "write"), ("thought", "output")):
        if price[kind] is None:
            price[kind] = price[default]
    return price


def listed(row, suffix=""):
    return {kind: number(row.get(name + suffix)) for kind, name in KINDS.items()}


def ranges(row, plain):
    """Prices of a table of ranges: one range holds for all tokens of a request."""
    for part in sorted(row["tiered_pricing"], key=lambda part: part["range"][0]):
        price = listed(part)
        if price["output"] is None:
            price["output"] = plain["output"]
        yield int(part["range"][0]), complete(price)


def tiers(row):
    """Pairs of a number of input tokens and the prices above it."""
    plain = listed(row)
    if row["litellm_provider"] == "fireworks_ai" and plain["read"] is None and plain["input"] is not None:
        plain["read"] = plain["input"] * FIREWORKS_CACHE_READ
    if row["litellm_provider"] == "perplexity":
        # Perplexity bills all input alike, however much it is.
        yield 0, complete({**plain, "read": None, "write": None, "hour": None})
        return
    if row.get("tiered_pricing"):
        yield from ranges(row, plain)
        return
    yield 0, complete(plain)
    above = {match[1] for key in row if (match := re.fullmatch(r".*(?:token|cost|1hr)_above_(\d+k?)_tokens", key))}
    for word in sorted(above, key=length):
        higher = listed(row, f"_above_{word}_tokens")
        higher["thought"] = None
        if all(price is None for price in higher.values()):
            continue
        plain = {kind: plain[kind] if higher[kind] is None else higher[kind] for kind in KINDS}
        # xAI's higher price begins at the length itself.
        yield length(word) - (row["litellm_provider"] == "xai"), complete(plain)


def length(word):
    return int(word.rstrip("k")) * (1000 if word.endswith("k") else 1)


def spell(price):
    words = [price["input"], price["output"]]
    for mark, kind, default in (("r", "read", "input"), ("w", "write", "input"), ("h", "hour", "write"), ("t", "thought", "output")):
        if price[kind] != price[default]:
            words.append((mark, price[kind]))
    return " ".join(word_of(word) for word in words)


def word_of(word):
    mark, price = word if isinstance(word, tuple) else ("", word)
    text = f"{round(price * 1_000_000, DIGITS).normalize():f}"
    return mark + (text[1:] if text.startswith("0.") else text)


def models(table):
    """The models that are priced by token, by their names."""
    for name, row in sorted(table.items()):
        # Together's sizes are classes of models, not models.
        if name == "sample_spec" or name.startswith("together-ai-") or row.get("mode") not in MODES:
            continue
        # litellm looks for a name after its provider first, and for one that repeats its provider without the repetition.
        provider = row["litellm_provider"] + "/"
        full = provider + name.removeprefix(provider).removeprefix(provider)
        row = table.get(full, row)
        if row.get("tiered_pricing") or any(row.get(KINDS[kind]) is not None for kind in ("input", "output")):
            yield name, row


def text(table, version):
    sections = defaultdict(list)
    for name, row in models(table):
        path, slash, last = name.rpartition("/")
        first, *higher = tiers(row)
        line = f"{last} {spell(first[1])}" + "".join(f" >{above} {spell(price)}" for above, price in higher)
        assert first[0] == 0 and " " not in name, name
        sections[path + slash].append(line)
    lines = [line for path in sorted(sections) for line in ([path] if path else []) + sections[path]]
    lines += ["/"] + retired({name for name, _ in models(table)})
    return HEADER.format(version=version, date=datetime.date.today()) + "\n".join(lines) + "\n"


def retired(names):
    """Models that the table no longer has and that old histories name."""
    lines = Path(__file__).with_name("retired.txt").read_text().splitlines()
    return [line for line in lines if line.split()[0] not in names]


def read(wheel):
    with zipfile.ZipFile(wheel) as files:
        return json.loads(files.read(TABLE)), Path(wheel).name.split("-")[1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        wheel = sys.argv[1] if len(sys.argv) > 1 else None
        if wheel is None:
            subprocess.run([sys.executable, "-m", "pip", "download", "litellm", "--no-deps", "--quiet", "-d", folder], check=True)
            (wheel,) = Path(folder).glob("litellm-*.whl")
        table, version = read(wheel)
    target = Path(__file__).with_name("prices.txt")
    target.write_text(text(table, version))
    print(f"{target.name}: {target.stat().st_size} bytes, {sum(1 for _ in models(table))} models")


if __name__ == "__main__":
    main()
