"""The formats that need no tool: compact JSON, YAML and CSV; and how to bring others."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from records import Record, flat, text

Format = Callable[[list[Record]], str]

PLAIN = re.compile(r"[A-Za-z_/(][^\n]*")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def compact(records: list[Record]) -> str:
    """JSON without spaces: what the others are measured against."""
    return json.dumps(records, ensure_ascii=False, separators=(",", ":"))


def scalar(value: Any) -> str:
    """A YAML scalar, quoted only where bare text would be read as something else."""
    if not isinstance(value, str):
        return text(value)
    bare = PLAIN.fullmatch(value) and value.lower() not in WORDS
    if bare and ": " not in value and " #" not in value and value == value.strip() and not value.endswith(":"):
        return value
    return json.dumps(value, ensure_ascii=False)


def lines(record: Record, indent: str) -> list[str]:
    """A mapping in YAML's block style."""
    out: list[str] = []
    for name, value in record.items():
        if isinstance(value, dict):
            out += [f"{indent}{name}:", *lines(value, indent + "  ")]
        elif isinstance(value, list):
            out.append(f"{indent}{name}: {compact(value)}")
        else:
            out.append(f"{indent}{name}: {scalar(value)}")
    return out


def yaml(records: list[Record]) -> str:
    """YAML, one block per record."""
    blocks = ["\n".join(lines(record, "  ")) for record in records]
    return "\n".join("-" + block[1:] for block in blocks)


def comma(records: list[Record]) -> str:
    """CSV with nested fields under dotted names."""
    rows = [flat(record) for record in records]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows(["" if value is None else text(value) for value in row.values()] for row in rows)
    return out.getvalue().rstrip("\n")


BUILTIN: dict[str, Format] = {"json": compact, "yaml": yaml, "csv": comma}


def command(line: str) -> Format:
    """A format made by a program that reads compact JSON and prints the text."""

    def run(records: list[Record]) -> str:
        done = subprocess.run(shlex.split(line), check=False, input=compact(records), capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{line}: {done.stderr.strip()}")
        return done.stdout.rstrip("\n")

    return run


def module(place: str) -> Format:
    """A format made by a function of a Python file, named as file.py:function."""
    file, _, name = place.rpartition(":")
    path = Path(file) if Path(file).exists() else Path(__file__).parent / file
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{place}: no such Python file")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = loaded
    spec.loader.exec_module(loaded)
    found: Format = getattr(loaded, name)
    return found
