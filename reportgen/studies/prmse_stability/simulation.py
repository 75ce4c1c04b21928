"""Simulated raters and systems: scores of known true values, with errors of a chosen size.

The model is that of Loukina et al. (2020), section 3: a response has a true score drawn
from a normal distribution and cut to the scale, a rating is the true score plus a normal error,
rounded and cut, and a system's score is the true score plus a normal error, neither rounded nor cut.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import SettingsError
from reportgen.studies import Floats

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

    Parameters
    ----------
    true
        (n,): true scores.
    raters, systems
        Category -> (n, raters) ratings, (n, systems) system scores.
    """

    true: Floats
    raters: Mapping[str, Floats]
    systems: Mapping[str, Floats]


@dataclass(frozen=True)
class Choices:
    """What is drawn besides scores.

    Parameters
    ----------
    pairs
        Rater category -> (pairs, 2): raters who score together.
    ranked
        For every system, in order of category: rater category and two raters.
    order
        Rater category -> order in which raters join.
    double
        Number of double-scored responses -> (n, pairs) or (n, 1): which they are.
    """

    pairs: Mapping[str, Integers]
    ranked: Sequence[tuple[str, int, int]]
    order: Mapping[str, Integers]
    double: Mapping[int, NDArray[np.bool_]]


@dataclass(frozen=True)
class Size:
    """What is simulated: responses, true scores, scale, raters and systems of every category."""

    responses: int
    mean: float
    sd: float
    low: int
    high: int
    agreement: Mapping[str, float]
    raters: int
    accuracy: Mapping[str, float]
    systems: int
    pairs: int
    double: tuple[int, ...]


def error_sd(true: Floats, correlation: float, low: int, high: int) -> float:
    """Return the size of rater error that gives a mean correlation between raters.

    The mean correlation of exchangeable raters is var(E[H | T]) / var(H); for rounded and cut ratings
    both follow from the normal distribution function, so no rating is drawn to find it.

    Parameters
    ----------
    true
        (n,): true scores.
    correlation
        The wanted correlation, between 0 and 1.
    low, high
        Ends of the scale, whole numbers.
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


def draw(size: Size, rng: np.random.Generator) -> tuple[Corpus, Choices]:
    """Return a corpus and choices drawn afresh."""
    true = np.clip(rng.normal(size.mean, size.sd, size.responses), size.low, size.high)
    raters = {}
    for name, correlation in size.agreement.items():
        error = rng.normal(0, error_sd(true, correlation, size.low, size.high), (size.responses, size.raters))
        raters[name] = np.clip(np.rint(true[:, None] + error), size.low, size.high)
        if (np.ptp(raters[name], axis=0) == 0).any():
            raise SettingsError(
                f"raters that correlate {correlation:g} give every response the same score on the scale {size.low}:"
                f"{size.high}: choose a larger sd, or a mean nearer the middle."
            )
    systems = {
        name: true[:, None] + rng.normal(0, np.sqrt(true.var() * (1 - share)), (size.responses, size.systems))
        for name, share in size.accuracy.items()
    }
    return Corpus(true, raters, systems), _choices(size, rng)


def _choices(size: Size, rng: np.random.Generator) -> Choices:
    """Return pairs, orders and double-scored responses drawn afresh."""
    every = np.array(list(itertools.combinations(range(size.raters), 2)))
    names = list(size.agreement)
    pairs = {name: every[rng.choice(len(every), min(size.pairs, len(every)), replace=False)] for name in names}
    ranked = []
    for _ in range(len(size.accuracy) * size.systems):
        first, second = rng.choice(size.raters, 2, replace=False)
        ranked.append((names[rng.integers(len(names))], int(first), int(second)))
    order = {name: rng.permutation(size.raters) for name in names}
    width = len(next(iter(pairs.values())))
    double = {count: _some(size.responses, count, width, rng) for count in size.double}
    return Choices(pairs, ranked, order, double)


def _some(n: int, count: int, width: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return (n, width): in every column `count` true entries at random places."""
    if count >= n:
        return np.ones((n, 1), bool)
    chosen = np.zeros((n, width), bool)
    for column in range(width):
        chosen[rng.permutation(n)[:count], column] = True
    return chosen


def replay(size: Size) -> tuple[Corpus, Choices]:
    """Return the paper's own corpus and choices, from its random streams; `size` must be the paper's."""
    stream = np.random.RandomState
    true = np.clip(stream(PAPER_TRUE).normal(size.mean, size.sd, size.responses), size.low, size.high)

    def errors(start: int, step: int, number: int, sd: float) -> Floats:
        return np.stack([stream(start + step * j).normal(0, sd, size.responses) for j in range(number)], axis=1)

    raters = {
        name: np.clip(np.round(true[:, None] + errors(*PAPER_RATERS, size.raters, sd)), size.low, size.high)
        for name, sd in zip(size.agreement, PAPER_ERRORS, strict=True)
    }
    systems = {
        name: true[:, None] + errors(*PAPER_SYSTEMS, size.systems, np.sqrt(true.var() * (1 - share)))
        for name, share in size.accuracy.items()
    }
    return Corpus(true, raters, systems), _replayed_choices(size)


def _replayed_choices(size: Size) -> Choices:
    """Return the pairs and double-scored responses that the paper's seeds choose."""
    every = np.array(list(itertools.combinations(range(size.raters), 2)))
    chosen = np.random.RandomState(PAPER_PAIRS).choice(len(every), size=size.pairs, replace=False)
    names = list(size.agreement)
    # the authors list the categories by the alphabet before they draw
    pool = [(name, int(a), int(b)) for name in sorted(names) for a, b in every]
    drawn = np.random.RandomState(PAPER_PAIRS).choice(len(pool), len(size.accuracy) * size.systems, replace=False)
    double = {}
    for count in size.double:
        chosen_rows = np.random.RandomState(PAPER_DOUBLE).choice(size.responses, count, replace=False)
        double[count] = np.isin(np.arange(size.responses), chosen_rows)[:, None]
    return Choices(
        dict.fromkeys(names, every[chosen]),
        [pool[place] for place in drawn],
        # the paper does not give the seed by which its raters join: here they join in the order of their numbers
        {name: np.arange(size.raters) for name in names},
        double,
    )
