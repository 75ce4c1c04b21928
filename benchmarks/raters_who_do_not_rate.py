"""How often a rater who rates is said not to, and how often one who does not is found.

Honest panels have 3 to 20 raters who differ in severity, spread and error, and of whom some gave few ratings: every
response rated by all, or by two to four of them.  Planted is one rater in place of the last: random, constant
(one score but for one rating in twenty), or reversed.

    python benchmarks/raters_who_do_not_rate.py [PANELS]
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics.raters import unlike_raters

Floats = NDArray[np.float64]

PLANTED = ("random", "constant", "reversed")


class Panel(NamedTuple):
    """(n, raters) ratings, NaN where missing, a column for each rater; the last is the one who is planted."""

    ratings: Floats

    @property
    def who(self) -> NDArray[np.int64]:
        """Return (n, raters): who gave each."""
        return np.broadcast_to(np.arange(self.ratings.shape[1]), self.ratings.shape)


def panel(rng: np.random.Generator, planted: str = "", shared: int = 50) -> Panel:
    """Return one panel; a planted rater has `shared` ratings."""
    k = int(rng.integers(3, 21))
    crossed = bool(rng.random() < 0.5)
    n = int(rng.integers(60, 400)) if crossed else 40 * k
    points = int(rng.choice([2, 4, 5, 6, 10]))
    true = rng.normal(0, 1, n)
    severity, spread, error = rng.normal(0, 0.3, k), rng.uniform(0.6, 1.3, k), rng.uniform(0.3, 0.8, k)
    scores = spread * (true[:, None] + rng.normal(0, 1, (n, k)) * error) + severity
    edges = rng.normal(0, 0.3) + np.linspace(-1.5, 1.5, points + 1)[1:-1]
    ratings = 1.0 + np.searchsorted(edges, scores)
    if planted == "random":
        ratings[:, -1] = rng.permutation(ratings[:, 0])
    elif planted == "constant":
        ratings[:, -1] = np.where(rng.random(n) < 0.05, rng.permutation(ratings[:, 0]), np.median(ratings))
    elif planted == "reversed":
        ratings[:, -1] = points + 1 - ratings[:, -1]
    seen = np.ones((n, k), np.bool_)
    if not crossed:
        several = rng.integers(2, 5, n)
        order = np.argsort(rng.random((n, k)), axis=1).argsort(axis=1)
        seen = order < several[:, None]
    few = rng.random(k) < 0.2
    few[-1] = False
    seen &= ~few | (rng.random((n, k)) < rng.uniform(0.05, 0.5, k))
    if planted:
        with_others = np.flatnonzero(seen[:, :-1].any(axis=1))
        seen[:, -1] = False
        seen[rng.choice(with_others, min(shared, len(with_others)), replace=False), -1] = True
    return Panel(np.where(seen, ratings, np.nan))


def false_alarms(panels: int, seed: int = 1) -> float:
    """Return the share of honest panels in which somebody is named."""
    rng = np.random.default_rng(seed)
    drawn = (panel(rng) for _ in range(panels))
    return float(np.mean([bool(unlike_raters(each.ratings, each.who)) for each in drawn]))


def found(planted: str, panels: int, shared: int = 50, seed: int = 2) -> float:
    """Return the share of panels in which the planted rater, and nobody else, is named."""
    rng = np.random.default_rng(seed)
    hits = []
    for _ in range(panels):
        each = panel(rng, planted, shared)
        named = [one.rater for one in unlike_raters(each.ratings, each.who)]
        hits.append(named == [each.ratings.shape[1] - 1])
    return float(np.mean(hits))


def main(panels: int) -> None:
    """Print both numbers."""
    print(f"{panels} panels each")
    print(f"honest: somebody is named in {100 * false_alarms(panels):.1f} %")
    for planted in PLANTED:
        shares = ", ".join(f"{shared}: {100 * found(planted, panels, shared):.1f} %" for shared in (50, 100))
        print(f"{planted}: found by shared ratings, {shares}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
