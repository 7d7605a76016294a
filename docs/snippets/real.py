"""Prepares a page that is run with real agents and SDKs: an environment for Python, packages for Node, the agents' own programs."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox import Sandbox

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "trials" / "clients"))

import setup  # noqa: E402  (the agents' versions, and the cache where `setup.py` puts them)

CACHE = setup.CACHE.parent / "guides"
PASSED_ON = ("npm_config_registry", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CERT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")


def agents(versions: dict) -> dict[str, str]:
    """The agents of a page with their versions."""
    return {name: setup.NODE[name] for name in versions.get("agents", [])}


def prepare(versions: dict) -> dict[str, str]:
    """Variables for the sandbox of a page."""
    CACHE.mkdir(parents=True, exist_ok=True)
    env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    env |= {"PIP_CACHE_DIR": str(CACHE / "pip"), "npm_config_cache": str(CACHE / "npm"), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "https_proxy": ""}
    env["PATH"] = str(setup.CACHE / "npm" / "node_modules" / ".bin") if versions.get("agents") else ""
    return env


def furnish(versions: dict, box: Sandbox) -> None:
    """Pins what the page's own commands install, and gives it the interpreters that it says it needs."""
    if pins := versions.get("python"):
        for name in ("python", "python3"):
            (box.bin / name).unlink(missing_ok=True)
        venv = Path(tempfile.mkdtemp(prefix="venv-", dir=box.root))
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        (venv / "pins.txt").write_text("".join(f"{name}=={version}\n" for name, version in pins.items()))
        box.export({"PIP_CONSTRAINT": str(venv / "pins.txt"), "PATH": f"{venv / 'bin'}:{box.env['PATH']}"})
        if versions.get("given"):
            subprocess.run([venv / "bin" / "pip", "install", "--quiet", "--requirement", venv / "pins.txt"], check=True)
    if pins := versions.get("node"):
        # npm takes the version that is written here when a package is installed by its name alone.
        box.write("package.json", json.dumps({"private": True, "type": "module", "dependencies": pins}))
    if wanted := versions.get("runtime"):
        box.export({"PATH": f"{runtime(wanted)}:{box.env['PATH']}"})


def runtime(version: str) -> Path:
    """A Node of this version: npm has one for each platform."""
    package = f"node-{sys.platform}-{'arm64' if platform.machine() in ('arm64', 'aarch64') else 'x64'}"
    folder = CACHE / f"node-{version}"
    found = folder / "node_modules" / package / "bin"
    if not (found / "node").exists():
        folder.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(["npm", "install", "--prefix", folder, *quiet, f"{package}@{version}"], check=True, stdout=subprocess.DEVNULL)
    return found
