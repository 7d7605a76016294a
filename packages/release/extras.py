"""Writes what goes beside the program, manual pages and completions: the program knows both best."""

import subprocess
from pathlib import Path

COMPLETIONS = {
    "bash": "tersely.bash",
    "zsh": "_tersely",
    "fish": "tersely.fish",
    "powershell": "_tersely.ps1",
}


def write(program: Path, out: Path) -> None:
    subprocess.run([program, "man", out / "man"], check=True)
    folder = out / "completions"
    folder.mkdir(parents=True, exist_ok=True)
    for shell, name in COMPLETIONS.items():
        script = subprocess.run([program, "completions", shell], check=True, stdout=subprocess.PIPE).stdout
        (folder / name).write_bytes(script)


if __name__ == "__main__":
    import sys

    write(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
