"""Intervals and tests for right-or-wrong answers and for margins, all paired by question."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

Z95 = 1.959964


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share: it stays inside 0…1 and holds up near the ends."""
    share, z2 = hits / total, Z95 * Z95
    middle = share + z2 / (2 * total)
    spread = Z95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    return (middle - spread) / (1 + z2 / total), (middle + spread) / (1 + z2 / total)


def mcnemar(lost: int, won: int) -> float:
    """Exact two-sided McNemar p: how odd this split of the changed answers is if gain and loss are equally likely."""
    total = lost + won
    tail: float = sum(math.comb(total, i) for i in range(min(lost, won) + 1)) / 2**total
    return min(1.0, 2 * tail)


def bootstrap(values: Sequence[float], rounds: int = 4000) -> tuple[float, float]:
    """Percentile 95 % interval of a mean, drawn with a fixed seed so that reports can be compared."""
    draw = random.Random(20240601)
    means = sorted(sum(draw.choices(values, k=len(values))) / len(values) for _ in range(rounds))
    return means[int(rounds * 0.025)], means[int(rounds * 0.975) - 1]
