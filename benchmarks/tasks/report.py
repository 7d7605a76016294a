"""Reads what run.py wrote, pairs the arms by task, and says what a solved task cost.

    python3 report.py RUN.jsonl [--json]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from stats import Interval, bootstrap, mcnemar, needed

ARMS = ("direct", "tersely")
# Attempts that are made again: the budget or whoever runs them ended them. What they cost counts for the budget alone.
UNFINISHED = ("budget", "stopped")
# With fewer pairs than this, an interval by bootstrap is narrower than it should be.
FEWEST = 20


@dataclass(frozen=True)
class Sums:
    """What happened to one task in one arm, over all repetitions."""

    attempts: int
    solved: int
    dollars: float
    requests: int
    read: int
    written: int


@dataclass(frozen=True)
class Unit:
    """A task in both arms."""

    task: str
    direct: Sums
    tersely: Sums


# A figure of tasks; nothing where it cannot be had.
Figure = Callable[[Sequence[Unit]], float | None]


def lines_of(path: Path) -> tuple[dict, list[dict]]:
    """The settings of a run and its attempts; a line that was cut off by the end of a run is left out."""
    lines = []
    for line in path.read_text().splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            continue
    settings = next((line["run"] for line in lines if "run" in line), {})
    return settings, [line for line in lines if "arm" in line]


def pairs_of(rows: list[dict]) -> dict[tuple[str, int], dict[str, dict]]:
    """Attempts that have a partner: both came to an end, and of both it is known what they cost."""
    found: dict[tuple[str, int], dict[str, dict]] = {}
    for row in rows:
        if row["ended"] not in UNFINISHED and not row["uncounted"]:
            found.setdefault((row["task"], row["repetition"]), {})[row["arm"]] = row
    return {key: arms for key, arms in found.items() if len(arms) == len(ARMS)}


def sums(rows: list[dict]) -> Sums:
    """All attempts of one arm."""
    read = sum(row["usage"][name] for row in rows for name in ("input", "cache_read", "cache_write", "cache_write_hour"))
    return Sums(
        len(rows), sum(row["solved"] for row in rows), sum(row["dollars"] for row in rows),
        sum(row["requests"] for row in rows), read, sum(row["usage"]["output"] for row in rows),
    )


def units_of(pairs: dict[tuple[str, int], dict[str, dict]]) -> list[Unit]:
    """Pairs by task."""
    tasks = sorted({task for task, _ in pairs})
    return [Unit(task, *[sums([arms[arm] for (name, _), arms in pairs.items() if name == task]) for arm in ARMS]) for task in tasks]


def total(units: Sequence[Unit], arm: str, name: str) -> float:
    """A sum over tasks."""
    return sum(getattr(getattr(unit, arm), name) for unit in units)


def over(above: float, below: float) -> float | None:
    """A quotient, where there is one."""
    return above / below if below else None


def per_solved(arm: str) -> Figure:
    """Dollars for each solved task: all that was paid, failures too, by what was solved."""
    return lambda units: over(total(units, arm, "dollars"), total(units, arm, "solved"))


def ratio(figure: Callable[[str], Figure]) -> Figure:
    """A figure of the arm with Tersely by that of the direct one."""
    def both(units: Sequence[Unit]) -> float | None:
        direct, tersely = figure("direct")(units), figure("tersely")(units)
        return over(tersely, direct) if tersely is not None and direct else None
    return both


def share(arm: str) -> Figure:
    """How many attempts solved their task."""
    return lambda units: over(total(units, arm, "solved"), total(units, arm, "attempts"))


def mean(arm: str, name: str) -> Figure:
    """A figure for each attempt."""
    return lambda units: over(total(units, arm, name), total(units, arm, "attempts"))


def verdict(found: dict) -> list[str]:
    """What the figures say, and what they do not."""
    pairs, tasks, cost = found["pairs"], found["tasks"], found["cost_ratio"]
    if not pairs:
        return ["No pair is complete: there is nothing to say yet."]
    said = []
    if found["scripted"]:
        said.append("The model was scripted: these figures show that the recipe works, and nothing about what Tersely does for a real model.")
    if tasks < FEWEST:
        return [*said, f"Too few: {tasks} tasks. Claim nothing from fewer than {FEWEST}: intervals come out too narrow."]
    if cost.low is None:
        said.append("No interval of the cost: run more tasks.")
    elif cost.low <= 1 <= cost.high:
        more = needed(cost, tasks)
        hint = f"about {more} tasks would show one of this size" if more else "nothing says how many tasks would"
        said.append(f"No difference in cost is shown (the interval holds 1); {hint}.")
    else:
        said.append(f"An attempt cost {'less' if cost.high < 1 else 'more'} through Tersely.")
    lost, won = found["lost"], found["won"]
    if lost + won < 6:
        said.append(f"Solved by one arm alone: {lost + won} pairs. No split of fewer than 6 could show that one arm solves more.")
    elif found["mcnemar_p"] < 0.05:
        said.append(f"{'Direct' if lost > won else 'Tersely'} solved more, and by more than chance.")
    else:
        said.append("No difference in solved tasks is shown. That is not proof that there is none: see the interval of the difference.")
    return said


def summary(settings: dict, rows: list[dict]) -> dict:
    """All figures."""
    pairs = pairs_of(rows)
    units = units_of(pairs)
    lost = sum(arms["direct"]["solved"] and not arms["tersely"]["solved"] for arms in pairs.values())
    won = sum(arms["tersely"]["solved"] and not arms["direct"]["solved"] for arms in pairs.values())
    arms = {
        arm: {
            **asdict(sums([one[arm] for one in pairs.values()])),
            "share": bootstrap(units, share(arm)), "dollars_per_solved": bootstrap(units, per_solved(arm)),
            "dollars_per_attempt": bootstrap(units, mean(arm, "dollars")), "ended": ended([one[arm] for one in pairs.values()]),
        }
        for arm in ARMS
    }
    through = [one["tersely"] for one in pairs.values()]
    return {
        "settings": settings, "scripted": settings.get("scripted", False), "pairs": len(pairs), "tasks": len(units),
        "left_out": len(rows) - 2 * len(pairs), "arms": arms, "lost": lost, "won": won, "mcnemar_p": mcnemar(lost, won),
        "share_difference": bootstrap(units, lambda some: (share("tersely")(some) or 0) - (share("direct")(some) or 0)),
        "cost_ratio": bootstrap(units, ratio(lambda arm: mean(arm, "dollars"))),
        "per_solved_ratio": bootstrap(units, ratio(per_solved)),
        "requests_ratio": bootstrap(units, ratio(lambda arm: mean(arm, "requests"))),
        "read_ratio": bootstrap(units, ratio(lambda arm: mean(arm, "read"))),
        "results": {name: sum(row["results"][name] for row in through) for name in ("count", "before", "after")},
    }


def ended(rows: list[dict]) -> dict[str, int]:
    """How many attempts ended in which way."""
    return {way: sum(row["ended"] == way for row in rows) for way in sorted({row["ended"] for row in rows})}


def written(interval: Interval, shape: str = "{:.3f}") -> str:
    """A figure with its interval."""
    if interval.value is None:
        return "none"
    text = shape.format(interval.value)
    return text if interval.low is None else f"{text} ({shape.format(interval.low)} to {shape.format(interval.high)})"


def table(found: dict) -> str:
    """The report as text."""
    direct, tersely = (found["arms"][arm] for arm in ARMS)
    rows = [("", "direct", "tersely", "tersely / direct")]
    rows.append(("attempts", direct["attempts"], tersely["attempts"], ""))
    difference = written(found["share_difference"], "{:+.1%}") + " points"
    rows.append(("solved", direct["solved"], tersely["solved"], f"difference {difference.replace('%', '')}"))
    rows.append(("dollars", f"{direct['dollars']:.4f}", f"{tersely['dollars']:.4f}", written(found["cost_ratio"])))
    each = [written(arm["dollars_per_solved"], "{:.4f}") for arm in (direct, tersely)]
    rows.append(("**dollars for a solved task**", *each, written(found["per_solved_ratio"])))
    rows.append(("requests", direct["requests"], tersely["requests"], written(found["requests_ratio"])))
    rows.append(("tokens read", f"{direct['read']:,}", f"{tersely['read']:,}", written(found["read_ratio"])))
    rows.append(("tokens written", f"{direct['written']:,}", f"{tersely['written']:,}", ""))
    for name in sorted((set(direct["ended"]) | set(tersely["ended"])) - {"done"}):
        rows.append((f"ended by {name}", direct["ended"].get(name, 0), tersely["ended"].get(name, 0), ""))
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    lines.insert(1, "|---|--:|--:|--:|")
    results = found["results"]
    saved = over(results["before"] - results["after"], results["before"]) or 0
    lines += [
        "", f"{found['pairs']} pairs of {found['tasks']} tasks; attempts left out: {found['left_out']}. Intervals: 95 %, by bootstrap over tasks.",
        f"Solved by direct alone: {found['lost']}; by Tersely alone: {found['won']}; McNemar p = {found['mcnemar_p']:.3f}.",
        f"Tool results that came through Tersely: {results['count']:,}, of {results['before']:,} tokens, sent as {results['after']:,} "
        f"({saved:.1%} less; o200k, each result once).", "", *verdict(found),
    ]
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--json", action="store_true", help="all figures as JSON")
    args = parser.parse_args()
    found = summary(*lines_of(args.run))
    if args.json:
        print(json.dumps({**found, "verdict": verdict(found)}, indent=1, default=asdict))
    else:
        print(table(found))


if __name__ == "__main__":
    main()
