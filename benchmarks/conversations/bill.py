"""Replays the transcripts of a corpus and writes what they come to into the record and the measurements.

    python3 bill.py CORPUS [--record RECORD] [--binary TERSELY_BENCH] [--check]

Only the block of figures in the record and the cells of figures in the page change; what is said about them is for
people to write. With --check nothing is written; the exit code is 1 if the page says something else.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MEASUREMENTS = ROOT / "docs" / "measurements.md"
RECORD = ROOT / "benchmarks" / "record" / "2026-11-16-bill.md"


BUILD = ["cargo", "run", "--release", "--locked", "--quiet", "--package", "tersely-bench", "--"]


def bench(program: list[str], *words: str) -> str:
    """What the benchmark prints; it may find that a law is broken, which the page says."""
    done = subprocess.run([*program, "conversations", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(done.stderr)
    return done.stdout.rstrip()


def dearer(it: dict, way: str) -> list[float]:
    """By how much the transcripts that cost more this way do so, in percent."""
    bills = [row["bill"] for row in it["transcripts"].values()]
    return sorted(100 * bill[way] / bill["direct"] - 100 for bill in bills if bill[way] > bill["direct"])


def risen(it: dict, way: str) -> str:
    """How many transcripts cost more, and how much."""
    more = [f"{percent:.1f}" for percent in dearer(it, way)]
    ends = " to ".join(dict.fromkeys([more[0], more[-1]])) if more else ""
    return f"{len(more)} (by {ends} %)" if more else "0"


def figures(it: dict) -> dict[str, str]:
    """The cells of the tables, by the words before them."""
    total = it["total"]
    results, bill, spread = total["tool_results"], total["bill"], total["quartiles"]
    median = {name: {way: part[way][1] for way in ("exact", "standard")} for name, part in spread.items()}
    clients = [f"{name} {part['bill']['standard_saved']} %" for name, part in it["clients"].items()]
    whole = {way: f"{bill[f'{way}_saved']} %; {median['bill'][way]} %" for way in ("exact", "standard")}
    return {
        "tool-result tokens saved in the conversations: exact, standard":
            f"{results['exact_saved']} %, {results['standard_saved']} %",
        "share of the bill saved, exact forms only; median conversation": whole["exact"],
        "share of the bill saved, standard mode; median conversation": whole["standard"],
        "share of the bill saved, standard mode, by client": ", ".join(clients),
        "extra turns per 1,000 tokens removed that would cancel the saving: exact, standard":
            f"{total['even']['exact']}, {total['even']['standard']}",
        "conversations whose bill rises: exact, standard": f"{risen(it, 'exact')}, {risen(it, 'standard')}",
    }


def filled(page: str, cells: dict[str, str]) -> str:
    """A page with these figures in the rows that it has of them. What a person has written behind a figure stays as long as the figure does."""
    for words, figure in cells.items():
        row = re.compile(rf"(?m)^\| {re.escape(words)} \| (?!{re.escape(figure)} (?:\||\()).*? \|")
        page = row.sub(lambda _, words=words, figure=figure: f"| {words} | {figure} |", page)
    return page


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--record", type=Path, default=RECORD)
    parser.add_argument("--binary", type=Path, help="a tersely-bench that is built already")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a figure is another one")
    args = parser.parse_args()
    corpus = str(Path(args.corpus).resolve())
    program = [str(args.binary.resolve())] if args.binary else BUILD
    page, it = bench(program, corpus), json.loads(bench(program, "--json", corpus))
    block = re.compile(r"```text\n(?:.*?\n)?```", re.DOTALL)
    record, found = block.subn(lambda _: f"```text\n{page}\n```", args.record.read_text(), count=1)
    if not found:
        raise SystemExit(f"{args.record} has no block of text for the figures")
    filled_page = filled(MEASUREMENTS.read_text(), figures(it))
    print("\n".join(f"{words}: {figure}" for words, figure in figures(it).items()))
    if args.check:
        raise SystemExit(f"other figures in {MEASUREMENTS.relative_to(ROOT)}" if MEASUREMENTS.read_text() != filled_page else 0)
    args.record.write_text(record)
    MEASUREMENTS.write_text(filled_page)


if __name__ == "__main__":
    main()
