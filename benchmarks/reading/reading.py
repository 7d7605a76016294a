"""Asks a small language model look-up questions over record lists in different formats, and reports how well it reads.

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import formats
import questions as asking
import records
from engine import Engine
from report import Result, report
from score import Score, Scorer

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = Path(os.environ.get("TERSELY_CACHE") or Path.home() / ".cache" / "tersely")
MODEL = "qwen2.5-coder-1.5b-instruct-q4"


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="corpus folder")
    parser.add_argument("--formats", default="json,yaml,csv", help="built-in formats, by commas: json, yaml, csv")
    parser.add_argument("--command", action="append", default=[], metavar="NAME=CMD", help="program: JSON in, text out")
    parser.add_argument("--format-file", action="append", default=[], metavar="NAME=FILE.py:FUNCTION")
    parser.add_argument("--lists", help="only these lists, by commas")
    parser.add_argument("--baseline", default="json", help="format the others are compared with")
    parser.add_argument("--count-command", metavar="CMD", help="another counter of o200k tokens: text in, number out")
    parser.add_argument("--model", default=MODEL, help="name of a model in the cache")
    parser.add_argument("--threads", type=int, default=0, help="0, the default: as many as cores are free")
    parser.add_argument("--show", action="store_true", help="print the texts instead of asking questions")
    parser.add_argument("--out", type=Path, help="write the report here instead of standard output")
    parser.add_argument("--json", type=Path, help="write the result of every question here")
    return parser.parse_args()


def chosen_formats(args: argparse.Namespace) -> dict[str, formats.Format]:
    """Formats by name, in the order of the report."""
    found = {name: formats.BUILTIN[name] for name in args.formats.split(",") if name}
    for given, make in ((args.format_file, formats.module), (args.command, formats.command)):
        for item in given:
            name, _, how = item.partition("=")
            found[name] = make(how)
    return found


def count(line: str | None, texts: list[str]) -> int | None:
    """Tokens of all texts by an outside counter."""
    counter = CACHE / "counter" / "count.mjs"
    if not line and not counter.exists():
        return None
    line = line or f"node {shlex.quote(str(counter))}"
    total = 0
    for data in texts:
        done = subprocess.run(shlex.split(line), input=data, capture_output=True, text=True, check=True)
        total += int(done.stdout.split()[0].replace(",", ""))
    return total


def measure(name: str, texts: list[str], groups: list[list[asking.Question]], scorer: Scorer) -> list[Score]:
    """Scores of one format over all lists, telling progress."""
    began = time.monotonic()
    scores: list[Score] = []
    for data, group in zip(texts, groups):
        scores += scorer.scores(data, group)
        sys.stderr.write(f"\r{name}: {len(scores)} questions, {time.monotonic() - began:.0f} s ")
        sys.stderr.flush()
    sys.stderr.write("\n")
    return scores


def judge(name: str, threads: int) -> Scorer:
    """The scorer with a model of the cache."""
    model = CACHE / "models" / f"{name}.gguf"
    stamp = model.with_suffix(".sha256")
    if not stamp.exists():
        raise SystemExit(f"no model {name} in {CACHE}: run setup.py first")
    return Scorer(lambda: Engine(CACHE / "engine", model, threads), stamp.read_text().split()[0], CACHE / "reading.jsonl")


def main() -> None:
    """Run the benchmark."""
    args = arguments()
    specs = json.loads((HERE / "lists.json").read_text())
    if args.lists:
        specs = [spec for spec in specs if spec["name"] in args.lists.split(",")]
    lists = [records.load(args.corpus, spec) for spec in specs]
    groups = [asking.make(spec, rows) for spec, rows in zip(specs, lists)]
    written = {name: [make(rows) for rows in lists] for name, make in chosen_formats(args).items()}
    if args.show:
        print("\n\n".join(f"== {name}\n" + "\n\n".join(texts) for name, texts in written.items()))
        return
    scorer = judge(args.model, args.threads)
    results = []
    for name, texts in written.items():
        scores = measure(name, texts, groups, scorer)
        own = sum(scorer.tokens(data) for data in texts)
        results.append(Result(name, own, count(args.count_command, texts), scores))
    publish(args, results, [question for group in groups for question in group])


def publish(args: argparse.Namespace, results: list[Result], questions: list[asking.Question]) -> None:
    """Write the report and the raw results."""
    base = next((result for result in results if result.name == args.baseline), results[0])
    page = report(results, base, questions, args.model)
    if args.out:
        args.out.write_text(page)
    else:
        print(page)
    if args.json:
        raw = {
            "model": args.model,
            "questions": [asdict(question) for question in questions],
            "formats": {
                r.name: {"own": r.own, "o200k": r.counted, "scores": [asdict(s) for s in r.scores]} for r in results
            },
        }
        args.json.write_text(json.dumps(raw, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
