"""Asks a small language model look-up questions over tool results as they came and as Tersely writes them.

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from questions import Question, distinct
from reading import HERE, MODEL, ROOT, count, judge
from records import Record
from report import mean, probability
from score import Score, Scorer
from stats import mcnemar

COMMAND = f"{ROOT}/target/release/tersely compress --mode aggressive --loss none"
MARK = re.compile(r"\n\[layout1 ([a-z ]+)(?:: .*)?\]\n?$")
ROW_RIVALS = 4
FIELD_RIVALS = 2


@dataclass
class Case:
    """One window of a file, before and after, with what is asked about it."""

    name: str
    form: str
    before: str
    after: str
    questions: list[Question]


def window(data: str, spec: dict[str, Any]) -> str:
    """So many lines of a text from one on, counted from 1."""
    first = spec["first"] - 1
    return "".join(data.splitlines(keepends=True)[first : first + spec["lines"]])


def table(spec: dict[str, Any], data: str) -> list[Record]:
    """The rows of a table whose cells a pattern parts, by the names in its header."""
    parted = [re.split(spec["cells"], line.strip(" │\n")) for line in data.splitlines()]
    names = parted[spec.get("header", 1) - 1]
    return [dict(zip(names, row)) for row in parted[spec.get("header", 1) :] if len(row) == len(names)]


def matches(pattern: str, data: str) -> list[Record]:
    """What the named groups of a pattern hold, wherever it fits a text."""
    return [found.groupdict() for found in re.finditer(pattern, data, re.MULTILINE)]


def make(spec: dict[str, Any], data: str) -> list[Question]:
    """All questions about one window."""
    made: list[Question] = []
    for ask in spec["asks"]:
        rows = matches(ask["pattern"], data) if "pattern" in ask else table(spec, data)
        rows = [row for row in rows if row[ask.get("column", "value")]]
        words = [wording(ask, row) for row in rows]
        clear = [at for at in scattered(words) if words.count(words[at]) == 1]
        posed = [question(spec, ask, rows, at) for at in clear]
        made += [found for found in posed if found.rivals][: ask["count"]]
    return made


def wording(ask: dict[str, Any], row: Record) -> str:
    """The question about one row."""
    if "by" in ask:
        return f'In the text above, in the row whose {ask["by"]} is "{row[ask["by"]]}", the {ask["column"]} is'
    said: str = ask["ask"].format(**row)
    return f"In the text above, {said} is"


def scattered(words: list[str]) -> list[int]:
    """Places in an order that is always the same and favours no part of the text."""
    return sorted(range(len(words)), key=lambda at: zlib.crc32(words[at].encode()))


def question(spec: dict[str, Any], ask: dict[str, Any], rows: list[Record], at: int) -> Question:
    """The question about one value, weighed against other rows' values and the row's other fields."""
    name = ask.get("column", "value")
    truth = rows[at][name]
    order = sorted((i for i in range(len(rows)) if i != at), key=lambda i: (abs(i - at), i < at))
    others = distinct([rows[i][name] for i in order], truth)[:ROW_RIVALS]
    taken = {name, ask.get("by"), *re.findall(r"{(\w+)}", ask.get("ask", ""))}
    fields = [cell for field, cell in rows[at].items() if field not in taken and cell]
    found = ask.get("rivals", []) + others + distinct(fields, truth, others)[:FIELD_RIVALS]
    return Question(spec["name"], spec["form"], False, wording(ask, rows[at]), truth, tuple(distinct(found, truth)))


def compressor(line: str) -> Callable[[str], str]:
    """A program that reads a text and prints what would be sent in its place."""

    def run(data: str) -> str:
        return subprocess.run(shlex.split(line), check=True, input=data, capture_output=True, text=True).stdout

    return run


def case(spec: dict[str, Any], corpus: Path, compress: Callable[[str], str]) -> Case | None:
    """The window of one file, if its form changes it."""
    data = window((corpus / spec["file"]).read_text(), spec)
    written = compress(data)
    mark = MARK.search(written)
    if mark is None or mark[1] != spec["form"]:
        sys.stderr.write(f"{spec['name']}: {spec['form']} leaves it alone, {mark[1] if mark else 'nothing'} does not\n")
        return None
    return Case(spec["name"], spec["form"], data.rstrip("\n"), written.rstrip("\n"), make(spec, data))


@dataclass
class Result:
    """How the questions about one window went, before and after."""

    case: Case
    sizes: tuple[int | None, int | None]
    before: list[Score]
    after: list[Score]


def ask(found: Case, scorer: Scorer, counter: str | None) -> Result:
    """Asks about a window twice, telling progress."""
    began = time.monotonic()
    before, after = (scorer.scores(data, found.questions) for data in (found.before, found.after))
    right = [sum(score.correct for score in scores) for scores in (before, after)]
    sys.stderr.write(
        f"{found.name}: {right[0]} and {right[1]} of {len(before)}, {time.monotonic() - began:.0f} s\n"
    )
    return Result(found, (count(counter, [found.before]), count(counter, [found.after])), before, after)


def row(name: str, results: list[Result]) -> str:
    """One row of a table, over some windows."""
    before = [score for result in results for score in result.before]
    after = [score for result in results for score in result.after]
    pairs = list(zip(before, after))
    lost = sum(a.correct and not b.correct for a, b in pairs)
    won = sum(b.correct and not a.correct for a, b in pairs)
    sizes = [sum(result.sizes[i] or 0 for result in results) for i in (0, 1)]
    cells = [
        name,
        f"{len(pairs)}",
        f"{sizes[0]:,}",
        f"{sizes[1]:,} ({100 * (sizes[1] / max(1, sizes[0]) - 1):+.0f} %)",
        f"{sum(score.correct for score in before)}",
        f"{sum(score.correct for score in after)}",
        f"{100 * (won - lost) / len(pairs):+.0f} ({lost}/{won}, {probability(mcnemar(lost, won))})",
        f"{sum(score.exact for score in before)} → {sum(score.exact for score in after)}",
        f"{mean([b.margin - a.margin for a, b in pairs]):+.2f}",
    ]
    return "| " + " | ".join(cells) + " |"


HEAD = (
    "| {} | questions | o200k tokens as sent | as written | correct as sent | as written "
    "| Δ points (lost/won, p) | exact | Δ margin |\n|---|---:|---:|---:|---:|---:|---|---|---:|"
)


def grouped(title: str, groups: dict[str, list[Result]]) -> str:
    """A table with one row for each group."""
    return "\n".join([HEAD.format(title), *(row(name, results) for name, results in groups.items())])


def by_form(results: list[Result]) -> dict[str, list[Result]]:
    """Results by the form that they are there for, and all of them."""
    forms = dict.fromkeys(result.case.form for result in results)
    return {form: [r for r in results if r.case.form == form] for form in forms} | {"all": results}


def page(results: list[Result], model: str) -> str:
    """The whole report."""
    by_text = {f"{r.case.form}: {r.case.name}": [r] for r in results}
    parts = ["# Reading texts", f"Model: {model}. Paired by question.", grouped("form", by_form(results))]
    parts += ["## By text", grouped("text", by_text)]
    return "\n\n".join(parts) + "\n"


def options(about: str | None, command: str) -> argparse.ArgumentParser:
    """The command line of a measurement before and after."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=command, metavar="CMD", help="program: text in, text as written out")
    parser.add_argument("--only", help="only these forms or texts, by commas")
    parser.add_argument("--count-command", metavar="CMD", help="another counter of o200k tokens: text in, number out")
    parser.add_argument("--model", default=MODEL, help="name of a model in the cache")
    parser.add_argument("--threads", type=int, default=0, help="0, the default: as many as cores are free")
    parser.add_argument("--show", action="store_true", help="print texts and questions instead of asking them")
    parser.add_argument("--out", type=Path, help="write the report here instead of standard output")
    parser.add_argument("--json", type=Path, help="write the result of every question here")
    return parser


def chosen(args: argparse.Namespace, file: str) -> list[dict[str, Any]]:
    """What a file beside this one holds, as far as it was asked for."""
    specs: list[dict[str, Any]] = json.loads((HERE / file).read_text())
    wanted = set(args.only.split(",")) if args.only else None
    return [spec for spec in specs if wanted is None or {spec["name"], spec["form"]} & wanted]


def show(found: Case) -> str:
    """A window before and after, and what is asked about it."""
    asked = [f'{q.ask} "{q.truth}" not {", ".join(q.rivals)}' for q in found.questions]
    return "\n\n".join([f"== {found.form}: {found.name}", found.before, found.after, "\n".join(asked)])


def run(args: argparse.Namespace, cases: list[Case], page: Callable[[list[Result], str], str]) -> None:
    """Asks about all cases, or shows them, and writes what came of it."""
    if args.show:
        print("\n\n".join(show(found) for found in cases))
        return
    scorer = judge(args.model, args.threads)
    results = [ask(found, scorer, args.count_command) for found in cases]
    if args.out:
        args.out.write_text(page(results, args.model))
    else:
        print(page(results, args.model))
    if args.json:
        raw = [asdict(result) for result in results]
        args.json.write_text(json.dumps({"model": args.model, "texts": raw}, indent=1, ensure_ascii=False) + "\n")


def main() -> None:
    """Run the benchmark."""
    parser = options(__doc__, COMMAND)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="corpus folder")
    args = parser.parse_args()
    tried = [case(spec, args.corpus, compressor(args.command)) for spec in chosen(args, "texts.json")]
    cases = [found for found in tried if found]
    if not cases:
        raise SystemExit("none of these texts is changed by its form")
    run(args, cases, page)


if __name__ == "__main__":
    main()
