"""Intervals and tests over pairs of attempts at the same task."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ROUNDS = 4000
Z95 = 1.959964


@dataclass(frozen=True)
class Interval:
    """A figure and its 95 % interval; nothing where it cannot be had, as dollars for each of no solved tasks."""

    value: float | None
    low: float | None = None
    high: float | None = None


def mcnemar(lost: int, won: int) -> float:
    """Exact two-sided McNemar p: how odd this split of the changed outcomes is if loss and gain are equally likely."""
    total = lost + won
    tail = sum(math.comb(total, i) for i in range(min(lost, won) + 1)) / 2**total
    return min(1.0, 2 * tail)


def bootstrap(units: Sequence, figure: Callable[[Sequence], float | None], rounds: int = ROUNDS) -> Interval:
    """Percentile interval of a figure over units that are drawn again and again, with a fixed seed so that reports agree.

    A unit is a task with all that happened to it in both arms: arms stay paired, and repetitions of a task stay together.
    Draws without the figure are left out, but if they are more than one in twenty there is no interval.
    """
    value = figure(units)
    if len(units) < 2 or value is None:
        return Interval(value)
    draw = random.Random(20261116)
    drawn = [figure(draw.choices(units, k=len(units))) for _ in range(rounds)]
    found = sorted(one for one in drawn if one is not None)
    if len(found) < 0.95 * rounds:
        return Interval(value)
    return Interval(value, found[int(len(found) * 0.025)], found[int(len(found) * 0.975) - 1])


def needed(ratio: Interval, units: int) -> int | None:
    """About how many units would show a ratio of this size apart from 1, if they vary as these do; none if it never would."""
    if not ratio.value or not ratio.low or not ratio.high or ratio.value == 1:
        return None
    spread = (math.log(ratio.high) - math.log(ratio.low)) / 2 / Z95
    # 2.8 spreads away from 1: found four times in five.
    return math.ceil(units * (2.8 * spread / math.log(ratio.value)) ** 2)
