"""The Markdown report: how well each format is read, against compact JSON."""

from __future__ import annotations

from dataclasses import dataclass

from questions import Question
from score import Score
from stats import bootstrap, mcnemar, wilson

KINDS = ("constant", "derived", "derived2", "prefix", "dict", "nested", "plain")


@dataclass
class Result:
    """One format over all lists."""

    name: str
    own: int
    counted: int | None
    scores: list[Score]


def mean(values: list[float]) -> float:
    """Arithmetic mean."""
    return sum(values) / len(values)


def probability(p: float) -> str:
    """A p value in as few characters as tell it."""
    if p >= 0.995:
        return "1"
    if p < 0.001:
        return f"{p:.0e}".replace("e-0", "e-")
    return f"{p:.3f}"[1:] if p < 0.1 else f"{p:.2f}"[1:]


def size(count: int | None, base: int | None) -> str:
    """A token count with its change against the baseline."""
    if count is None or base is None:
        return "–"
    return f"{count:,}" if count == base else f"{count:,} ({100 * (count / base - 1):+.0f} %)"


def line(result: Result, base: Result, chosen: list[int]) -> str:
    """One row of the main table, over the chosen questions."""
    mine, theirs = [result.scores[i] for i in chosen], [base.scores[i] for i in chosen]
    hits, total = sum(s.correct for s in mine), len(mine)
    low, high = wilson(hits, total)
    cells = [
        result.name,
        size(result.counted, base.counted),
        size(result.own, base.own),
        f"{hits}",
        f"{100 * hits / total:.1f} [{100 * low:.0f}–{100 * high:.0f}]",
        f"{100 * sum(s.exact for s in mine) / total:.0f}",
        f"{mean([s.margin for s in mine]):.2f}",
    ]
    cells += ["–", "–"] if result is base else change(mine, theirs)
    return "| " + " | ".join(cells) + " |"


def change(mine: list[Score], theirs: list[Score]) -> list[str]:
    """The paired differences of accuracy and margin."""
    lost = sum(b.correct and not a.correct for a, b in zip(mine, theirs))
    won = sum(a.correct and not b.correct for a, b in zip(mine, theirs))
    gaps = [a.margin - b.margin for a, b in zip(mine, theirs)]
    low, high = bootstrap(gaps)
    share = 100 * (won - lost) / len(mine)
    return [
        f"{share:+.1f} ({lost}/{won}, {probability(mcnemar(lost, won))})",
        f"{mean(gaps):+.2f} [{low:+.2f}, {high:+.2f}]",
    ]


def main_table(results: list[Result], base: Result, chosen: list[int]) -> list[str]:
    """All formats over the chosen questions, the best read first."""
    order = sorted(results, key=lambda r: -sum(r.scores[i].correct for i in chosen))
    head = "| format | o200k tokens | own tokens | correct | accuracy % | exact % | margin | Δ acc (lost/won, p) | Δ margin |"
    return [head, "|---|---:|---:|---:|---:|---:|---:|---|---|", *(line(r, base, chosen) for r in order)]


def kind_table(results: list[Result], questions: list[Question]) -> list[str]:
    """Correct answers and mean margin by kind of question, booleans apart."""
    groups = {kind: [i for i, q in enumerate(questions) if q.kind == kind and not q.boolean] for kind in KINDS}
    groups["boolean"] = [i for i, q in enumerate(questions) if q.boolean]
    groups = {name: chosen for name, chosen in groups.items() if chosen}
    rows = ["| format | " + " | ".join(f"{name} {len(chosen)}" for name, chosen in groups.items()) + " |"]
    rows.append("|---|" + "---:|" * len(groups))
    for result in results:
        cells = []
        for chosen in groups.values():
            scores = [result.scores[i] for i in chosen]
            cells.append(f"{sum(s.correct for s in scores)} ({mean([s.margin for s in scores]):.1f})")
        rows.append(f"| {result.name} | " + " | ".join(cells) + " |")
    return rows


def list_table(results: list[Result], questions: list[Question]) -> list[str]:
    """Correct answers by list."""
    names = list(dict.fromkeys(q.list for q in questions))
    groups = [[i for i, q in enumerate(questions) if q.list == name] for name in names]
    rows = ["| format | " + " | ".join(f"{n} {len(g)}" for n, g in zip(names, groups)) + " |"]
    rows.append("|---|" + "---:|" * len(names))
    for result in results:
        cells = [str(sum(result.scores[i].correct for i in group)) for group in groups]
        rows.append(f"| {result.name} | " + " | ".join(cells) + " |")
    return rows


def report(results: list[Result], base: Result, questions: list[Question], model: str) -> str:
    """The whole report."""
    every = list(range(len(questions)))
    rest = [i for i in every if not questions[i].boolean]
    parts = ["# Reading", f"Model: {model}. Differences are against {base.name}, paired by question."]
    parts += [f"## All questions, n = {len(every)}", "\n".join(main_table(results, base, every))]
    if rest and len(rest) < len(every):
        parts += [f"## Without boolean columns, n = {len(rest)}", "\n".join(main_table(results, base, rest))]
    parts += ["## By kind of question: correct (mean margin)", "\n".join(kind_table(results, questions))]
    parts += ["## By list: correct", "\n".join(list_table(results, questions))]
    return "\n\n".join(parts) + "\n"
