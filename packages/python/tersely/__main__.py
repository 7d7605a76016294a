"""Becomes the `tersely` program: `python -m tersely` works where the program is not on the path."""

import os
import subprocess
import sys

from .program import find


def main() -> None:
    program = find()
    if program is None:
        sys.exit("error: this platform has no wheel that brings the `tersely` program; see docs/install.md for other ways")
    words = [program, *sys.argv[1:]]
    if sys.platform == "win32":
        # There exec starts a second process and ends the first, and the shell no longer waits.
        sys.exit(subprocess.run(words).returncode)
    os.execv(program, words)


if __name__ == "__main__":
    main()
