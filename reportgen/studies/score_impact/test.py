"""A test: item scores, and one item that has human and automated scores; simulated as in the paper.

The data of Casabianca et al. (2023) are not at hand.  The simulated test has its size, its kinds of
items, its reliability and the reported agreement of the item that is studied.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.item_response import Item, log_probabilities

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Test:
    """Scores of a test.

    Parameters
    ----------
    scores
        (n, items): whole item scores, the studied item by the first human score.
    most
        (items,): highest score of each item.
    studied
        Column of the studied item.
    automated
        (n,): its automated score, not rounded.
    second
        (n,): its second human score, NaN where there is none.
    forms
        Name -> columns of a form, the studied item last.
    lowest
        (items,): lowest score of each item as its users know it, taken off the scores here, which start at 0.
    """

    __test__ = False  # a class of tests that are taken, not run

    scores: Integers
    most: tuple[int, ...]
    studied: int
    automated: Floats
    second: Floats
    forms: dict[str, tuple[int, ...]]
    lowest: tuple[int, ...] = ()

    @property
    def start(self) -> int:
        """The lowest score of the studied item."""
        return self.lowest[self.studied] if self.lowest else 0


SELECTED, CONSTRUCTED = 26, (4, 4, 3, 2, 2, 2)
"""Right-or-wrong reading items, and the highest scores of the writing items; the last one is studied."""

ABILITY_MEAN, ABILITY_SD = 1.09, 1.5
"""Of the population on the base scale."""

SLOPES = (0.55, 0.50, 0.62, 0.80, 0.75)
STEPS = ((-1.3, 0.2, 1.6, 3.2), (-0.9, 0.5, 1.9, 3.4), (-0.5, 1.0, 2.6), (-0.8, 1.2), (-0.4, 1.6))
"""Of the constructed-response items that are not studied."""

QUALITY_ON_ABILITY, RATER_SD, CUTS = 0.72, 0.245, (-1.476, -0.025)
ENGINE_CORRELATION, ENGINE_SD, ENGINE_BIAS = 0.993, 0.572, -0.0197
"""The studied item: how response quality goes with ability, rater noise, cuts for shares of .07, .42 and .51; the
engine's correlation with the true score, its SD, and its bias in SDs of the true score."""


def synthetic_test(rng: np.random.Generator, n: int, double_scored: int) -> Test:
    """Return a simulated test of 32 items whose last one is scored by two raters and an engine."""
    items = _items(rng)
    ability = rng.normal(ABILITY_MEAN, ABILITY_SD, n)
    scores = np.zeros((n, SELECTED + len(CONSTRUCTED)), dtype=np.int64)
    for column, item in enumerate(items):
        below = np.exp(log_probabilities(item, ability)).cumsum(axis=0)
        scores[:, column] = (rng.random(n) > below).sum(axis=0).clip(max=item.most)
    first, second, automated = _studied_item(rng, (ability - ABILITY_MEAN) / ABILITY_SD)
    scores[:, -1] = first
    twice = np.zeros(n, bool)
    twice[rng.permutation(n)[:double_scored]] = True
    most = (1,) * SELECTED + CONSTRUCTED
    last = len(most) - 1
    constructed = (*range(SELECTED, SELECTED + 2), last)
    forms = {
        "26 SR, 6 CR": tuple(range(len(most))),
        "26 SR, 3 CR": (*range(SELECTED), *constructed),
        "13 SR, 3 CR": (*range(0, SELECTED, 2), *constructed),
    }
    return Test(scores, most, last, automated, np.where(twice, second, np.nan), forms)


def _items(rng: np.random.Generator) -> list[Item]:
    """Return all items but the studied one."""
    slopes = rng.lognormal(np.log(0.62), 0.25, SELECTED)
    difficulties = rng.normal(0.6, 0.9, SELECTED)
    selected = [Item(float(slope), (float(step),)) for slope, step in zip(slopes, difficulties, strict=True)]
    return selected + [Item(slope, steps) for slope, steps in zip(SLOPES, STEPS, strict=True)]


def _studied_item(rng: np.random.Generator, ability: Floats) -> tuple[Floats, Floats, Floats]:
    """Return first human, second human and automated scores of the studied item."""
    from scipy.special import ndtr

    n = len(ability)
    quality = QUALITY_ON_ABILITY * ability + np.sqrt(1 - QUALITY_ON_ABILITY**2) * rng.normal(size=n)
    cuts = np.sqrt(1 + RATER_SD**2) * np.array(CUTS)
    first, second = (
        ((quality + RATER_SD * rng.normal(size=n))[:, None] > cuts).sum(axis=1).astype(np.float64) for _ in range(2)
    )
    true = ndtr((quality[:, None] - cuts) / RATER_SD).sum(axis=1)
    noise = true.std() * np.sqrt(1 / ENGINE_CORRELATION**2 - 1)
    raw = true + noise * rng.normal(size=n)
    automated = first.mean() + ENGINE_BIAS * true.std() + ENGINE_SD * (raw - raw.mean()) / raw.std()
    return first, second, automated
