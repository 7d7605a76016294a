"""What a hook around shell commands leaves of their output, and what Tersely does: tokens, command by command.

    python3 benchmarks/compress/hooks.py --rtk RTK --tersely target/release/tersely

Runs in a clone of this repository, so that nothing of the machine is in it; `cargo` replays outputs of corpus/outputs/build. rtk is asked as its own hook would ask it: `git log` becomes `rtk git log`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# What agents run, and what the hook makes of it.
COMMANDS = [
    ("git status", "git status"),
    ("git log -n 20", "git log -n 20"),
    ("git show --stat HEAD", "git show --stat HEAD"),
    ("git diff HEAD~1 -- docs", "git diff HEAD~1 -- docs"),
    ("ls -la crates/core/src", "ls -la crates/core/src"),
    ("grep -rn 'pub fn' crates/codec/src", "grep -rn 'pub fn' crates/codec/src"),
    ("find crates/codec -name '*.rs'", "find crates/codec -name '*.rs'"),
    ("cat crates/codec/src/lib.rs", "read crates/codec/src/lib.rs"),
    ("cat docs/concepts.md", "read docs/concepts.md"),
    ("cargo test", "cargo test"),
    ("cargo test --all", "cargo test --all"),
    ("cargo clippy", "cargo clippy"),
]
# Builds are replayed: the output of a recorded run, and how it ended.
RECORDED = {"test": ("rust-tests-fail.txt", 101), "test --all": ("codec-tests.txt", 0), "clippy": ("clippy-warnings.txt", 0)}


def main() -> None:
    """Prints a row for each command, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rtk", type=Path, required=True)
    parser.add_argument("--tersely", type=Path, required=True)
    given = parser.parse_args()
    rtk, tersely = given.rtk.resolve(), given.tersely.resolve()
    sums = [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", ROOT, f"{folder}/shop"], check=True)
        shell = Shell(Path(folder))
        print("| command | as it prints | rtk | Tersely, exact | Tersely, standard |\n|---|--:|--:|--:|--:|")
        for plain, hooked in COMMANDS:
            text = shell.run(plain)
            texts = [text, shell.run(f"{rtk} {hooked}")]
            texts += [shell.run(f"{tersely} compress {loss} --tool bash --command \"$ASKED\"", text, ASKED=plain) for loss in ("--loss none", "")]
            tokens = [int(shell.run(f"{tersely} count", one).split()[0]) for one in texts]
            # A command that the hook breaks prints nothing, and that is no saving.
            broken = not texts[1]
            sums = sums if broken else [one + more for one, more in zip(sums, tokens)]
            cells = ["fails" if broken and at == 1 else f"{one:,}" for at, one in enumerate(tokens)]
            print(f"| `{plain}` | {' | '.join(cells)} |")
    print(f"| all that did not fail | {' | '.join(f'{one:,}' for one in sums)} |")
    print(f"| saved | | {' | '.join(f'{100 - 100 * one / sums[0]:.1f} %' for one in sums[1:])} |")


class Shell:
    """Runs commands in a clone, with a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.work = folder / "shop"
        cases = "".join(f"  '{said}'*) cat '{ROOT}/corpus/outputs/build/{file}'; exit {code} ;;\n" for said, (file, code) in sorted(RECORDED.items(), reverse=True))
        cargo = folder / "bin" / "cargo"
        cargo.parent.mkdir()
        cargo.write_text(f'#!/bin/sh\ncase "$*" in\n{cases}esac\n')
        cargo.chmod(0o755)
        self.env = {"HOME": str(folder), "PATH": f"{cargo.parent}:{os.environ['PATH']}", "LANG": "C.UTF-8", "NO_COLOR": "1"}

    def run(self, command: str, text: str = "", **more: str) -> str:
        """What a command prints."""
        return subprocess.run(command, shell=True, cwd=self.work, env=self.env | more, input=text, text=True, stdout=subprocess.PIPE, check=False).stdout


if __name__ == "__main__":
    main()
