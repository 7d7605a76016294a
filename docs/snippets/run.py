"""Runs every command and snippet of the pages, or checks it, or says why not.

    python3 docs/snippets/run.py --tersely target/debug/tersely           # seconds, no network: what CI runs
    python3 docs/snippets/run.py --tersely target/release/tersely --real  # with the real agents and SDKs, from their registries
    python3 docs/snippets/run.py --tersely PATH docs/mcp.md -v            # one page, block by block

A block that is neither run nor checked needs an entry with a reason in docs/snippets.toml; an entry that nothing needs is an error too. README.md beside this file has the rules.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import page
from flags import Program
from judge import Judge, Verdict
from listed import Listed
from upstream import Upstream

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = ["README.md", "docs/**/*.md", "packages/*/README.md", "deploy/README.md"]
# Where this tool explains itself, with examples of what it refuses.
OWN = "docs/snippets/README.md"


def main() -> int:
    """Judges all pages, or those that are named; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tersely", type=Path, required=True, help="the program to run")
    parser.add_argument("--real", action="store_true", help="install and run real agents and SDKs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every verdict to a file")
    parser.add_argument("-v", "--verbose", action="store_true", help="say what became of every block")
    parser.add_argument("pages", nargs="*", type=Path, help="these pages only")
    given = parser.parse_args()
    if not given.tersely.is_file():
        parser.error(f"there is no program at {given.tersely}: build it with `cargo build --locked --bin tersely`")
    paths = [path.resolve() for path in given.pages] or found()
    began = time.monotonic()
    judge = Judge(ROOT, Program(given.tersely.resolve()), Listed(ROOT / "docs" / "snippets.toml"), Upstream().address, real=given.real)
    with ThreadPoolExecutor(2) as pool:
        verdicts = [one for many in pool.map(lambda path: judge.page(page.read(ROOT, path)), paths) for one in many]
    if not given.pages:
        verdicts += judge.unused()
    report(verdicts, given.verbose)
    print(f"{len(paths)} pages, {summary(verdicts)}, {time.monotonic() - began:.1f} s")
    print(excuses(verdicts), end="")
    if given.json:
        given.json.write_text(json.dumps([asdict(one) for one in verdicts], indent=1) + "\n")
    return any(one.state == "wrong" for one in verdicts)


def found() -> list[Path]:
    """All pages."""
    paths = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    return [path for path in paths if str(path.relative_to(ROOT)) != OWN]


def report(verdicts: list[Verdict], verbose: bool) -> None:
    """Says what is wrong, and what to do about it."""
    for one in verdicts:
        if one.state == "wrong":
            print(f"\nWRONG {one.place} ({one.what})\n{indented(one.said)}\n  what to do: {one.hint}\n")
        elif verbose:
            print(f"{one.state:10}{one.place} ({one.what}){': ' + one.said if one.said else ''}")


def indented(text: str) -> str:
    """A text as a paragraph below a heading."""
    return "\n".join(f"  {line}" for line in text.rstrip().split("\n"))


def summary(verdicts: list[Verdict]) -> str:
    """How many blocks there are of each kind."""
    blocks = Counter(one.state for one in verdicts if one.kind == "block")
    inline = Counter(one.state for one in verdicts if one.kind == "inline")
    names = {"run": "run", "checked": "checked", "elsewhere": "run by another test", "in part": "run in part", "not run": "not run", "wrong": "wrong"}
    states = ", ".join(f"{blocks[state]} {name}" for state, name in names.items())
    return f"{sum(blocks.values())} blocks: {states}; {sum(inline.values())} commands in sentences: {inline['wrong']} wrong"


def excuses(verdicts: list[Verdict]) -> str:
    """Why blocks are not run by any test, or only in part, and what is done instead."""
    found: dict[str, list[str]] = {}
    for one in verdicts:
        for why in one.not_run if one.state in ("not run", "in part") else []:
            found.setdefault(why, []).append(one.place)
    return "".join(f"not run: {why} ({', '.join(places)})\n" for why, places in sorted(found.items()))


if __name__ == "__main__":
    sys.exit(main())
