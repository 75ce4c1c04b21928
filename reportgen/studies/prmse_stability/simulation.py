"""Simulated raters and systems: scores of known true values, with errors of a chosen size.

The model is that of Loukina et al. (2020), section 3: a response has a true score drawn
from a normal distribution and cut to the scale, a rating is the true score plus a normal error,
rounded and cut, and a system's score is the true score plus a normal error, neither rounded nor cut.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import SettingsError
from reportgen.studies.study import Floats

if TYPE_CHECKING:
    from reportgen.studies.prmse_stability import PrmseStability

Integers = NDArray[np.intp]

HALVINGS = 50
"""Steps of the bisection for an error's size: exact to rounding."""

# The random streams of the paper's own simulation (github.com/EducationalTestingService/prmse-simulations,
# commit 49d5307): seeds and error sizes are facts, needed to repeat its numbers to the last digit.
PAPER_ERRORS = (0.85, 0.60, 0.46, 0.24)
PAPER_TRUE, PAPER_RATERS, PAPER_SYSTEMS = 12345, (34567, 123), (67890, 456)
PAPER_PAIRS, PAPER_DOUBLE = 1234567890, 987654321


@dataclass(frozen=True)
class Corpus:
    """Scores of one simulated set of responses.

    true (n,): true scores.
    raters, systems: Category -> (n, raters) ratings, (n, systems) system scores.
    """

    true: Floats
    raters: Mapping[str, Floats]
    systems: Mapping[str, Floats]


@dataclass(frozen=True)
class Choices:
    """What is drawn besides scores.

    pairs: Rater category -> (pairs, 2): raters who score together.
    ranked: For every system, in order of category: rater category and two raters.
    order: Rater category -> order in which raters join.
    double: Number of double-scored responses -> (n, pairs) or (n, 1): which they are.
    """

    pairs: Mapping[str, Integers]
    ranked: Sequence[tuple[str, int, int]]
    order: Mapping[str, Integers]
    double: Mapping[int, NDArray[np.bool_]]


def error_sd(true: Floats, correlation: float, low: int, high: int) -> float:
    """Return the size of rater error that gives a mean correlation between raters.

    The mean correlation of exchangeable raters is var(E[H | T]) / var(H); for rounded and cut ratings
    both follow from the normal distribution function, so no rating is drawn to find it.

    true (n,): true scores.
    correlation: The wanted correlation, between 0 and 1.
    low, high: Ends of the scale, whole numbers.
    """
    from scipy.special import ndtr

    cuts = np.arange(low, high) + 0.5
    squares = np.diff(np.arange(low, high + 1) ** 2)

    def found(sd: float) -> float:
        above = ndtr((true[:, None] - cuts) / sd)
        mean, square = low + above.sum(axis=1), low**2 + (above * squares).sum(axis=1)
        total = square.mean() - mean.mean() ** 2
        return float(mean.var() / total) if total > 0 else 1.0  # everybody gives everyone the same score

    small, large = 1e-3 * (high - low), 4.0 * (high - low)
    for _ in range(HALVINGS):
        middle = (small + large) / 2
        small, large = (middle, large) if found(middle) > correlation else (small, middle)
    return (small + large) / 2


def draw(design: PrmseStability, rng: np.random.Generator) -> tuple[Corpus, Choices]:
    """Return a corpus and choices drawn afresh."""
    n, (low, high) = design.responses, design.ends
    true = np.clip(rng.normal(design.mean, design.sd, n), low, high)
    sds = [error_sd(true, correlation, low, high) for correlation in design.rater_categories.values()]
    corpus = _corpus(design, true, sds, lambda _, number, sd: rng.normal(0, sd, (n, number)))
    for ratings, correlation in zip(corpus.raters.values(), design.rater_categories.values(), strict=True):
        if (np.ptp(ratings, axis=0) == 0).any():
            raise SettingsError(
                f"raters that correlate {correlation:g} give every response the same score on the scale {low}:{high}: "
                "choose a larger sd, or a mean nearer the middle."
            )
    every = np.array(list(itertools.combinations(range(design.raters), 2)))
    names = list(corpus.raters)
    pairs = {name: every[rng.choice(len(every), design.pairs, replace=False)] for name in names}
    ranked = []
    for _ in range(len(corpus.systems) * design.systems):
        first, second = rng.choice(design.raters, 2, replace=False)
        ranked.append((names[rng.integers(len(names))], int(first), int(second)))
    order = {name: rng.permutation(design.raters) for name in names}
    double = {count: _some(n, count, design.pairs, rng) for count in sorted(design.double_scored)}
    return corpus, Choices(pairs, ranked, order, double)


def _corpus(
    design: PrmseStability, true: Floats, sds: Sequence[float], errors: Callable[[tuple[int, int], int, float], Floats]
) -> Corpus:
    """Return the corpus of true scores, and errors (seeds of the paper, number, SD) of this size for each category."""
    raters = {
        name: np.clip(np.rint(true[:, None] + errors(PAPER_RATERS, design.raters, sd)), *design.ends)
        for name, sd in zip(design.rater_categories, sds, strict=True)
    }
    systems = {
        name: true[:, None] + errors(PAPER_SYSTEMS, design.systems, float(np.sqrt(true.var() * (1 - share))))
        for name, share in design.system_categories.items()
    }
    return Corpus(true, raters, systems)


def _some(n: int, count: int, width: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return (n, width): in every column `count` true entries at random places."""
    if count >= n:
        return np.ones((n, 1), bool)
    chosen = np.zeros((n, width), bool)
    for column in range(width):
        chosen[rng.permutation(n)[:count], column] = True
    return chosen


def replay(design: PrmseStability) -> tuple[Corpus, Choices]:
    """Return the paper's own corpus and choices, from its random streams; the design must be the paper's."""
    stream, n = np.random.RandomState, design.responses
    true = np.clip(stream(PAPER_TRUE).normal(design.mean, design.sd, n), *design.ends)

    def errors(seeds: tuple[int, int], number: int, sd: float) -> Floats:
        start, step = seeds
        return np.stack([stream(start + step * j).normal(0, sd, n) for j in range(number)], axis=1)

    corpus = _corpus(design, true, PAPER_ERRORS, errors)
    raters = corpus.raters
    every = np.array(list(itertools.combinations(range(design.raters), 2)))
    chosen = stream(PAPER_PAIRS).choice(len(every), size=design.pairs, replace=False)
    # the authors list the categories by the alphabet before they draw
    pool = [(name, int(a), int(b)) for name in sorted(raters) for a, b in every]
    drawn = stream(PAPER_PAIRS).choice(len(pool), len(corpus.systems) * design.systems, replace=False)
    double = {
        count: np.isin(np.arange(n), stream(PAPER_DOUBLE).choice(n, count, replace=False))[:, None]
        for count in sorted(design.double_scored)
    }
    # the paper does not give the seed by which its raters join: here they join in the order of their numbers
    order = {name: np.arange(design.raters) for name in raters}
    pairs = dict.fromkeys(raters, every[chosen])
    return corpus, Choices(pairs, [pool[place] for place in drawn], order, double)
