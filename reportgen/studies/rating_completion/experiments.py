"""Hide ratings, complete the matrix, and see what was recovered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import kendall_tau_b
from reportgen.studies.completion import METHODS, complete
from reportgen.studies.completion.decisions import different_orders, one_rating_each

Floats = NDArray[np.float64]

SINGLE = "single"
"""What the completed ratings have to beat: every response rated once."""


@dataclass(frozen=True)
class Draw:
    """One experiment: a matrix, the share of its ratings to hide, the seed, the scale, and whose responses they are."""

    ratings: Floats
    share: float
    seed: tuple[int, ...]
    scale: tuple[float, float]
    systems: NDArray[Any] | None = None

    def rated(self) -> Draw:
        """Return the experiment without responses that nobody rated."""
        rated = np.isfinite(self.ratings).any(axis=1)
        systems = None if self.systems is None else self.systems[rated]
        return replace(self, ratings=self.ratings[rated], systems=systems)


@dataclass(frozen=True)
class Recovery:
    """What one method recovered in one experiment.

    Parameters
    ----------
    error
        Mean absolute error of the hidden ratings; nan for one rating each.
    tau
        Tau-b of the ranking of responses by mean rating with that of the full ratings.
    opposite, pairs
        Pairs of systems put in opposite order, of how many; method -> count in `also` for sets.
    """

    method: str
    share: float
    error: float
    tau: float
    opposite: int = 0
    pairs: int = 0
    also: dict[str, tuple[float, int, int]] = field(default_factory=dict)


def hide(ratings: Floats, share: float, rng: np.random.Generator) -> Floats:
    """Return the ratings with a share of those given taken out at random."""
    given = np.flatnonzero(np.isfinite(ratings).ravel())
    gone = rng.permutation(given)[: round(share * len(given))]
    left = ratings.copy()
    left.ravel()[gone] = np.nan
    return left


def recover(draw: Draw) -> list[Recovery]:
    """Return what every method recovers of one matrix."""
    rng = np.random.default_rng(draw.seed)
    draw = draw.rated()
    left = hide(draw.ratings, draw.share, rng)
    hidden = np.isfinite(draw.ratings) & ~np.isfinite(left)
    full = np.nanmean(draw.ratings, axis=1)
    single = one_rating_each(draw.ratings, rng)
    found = [_against(SINGLE, draw, np.nan, single, full)]
    for method in METHODS:
        values = _completed(left, method, draw.scale, rng)
        # what was never collected stays unknown to the comparison too
        known = np.where(np.isfinite(draw.ratings), values, np.nan)
        error = float(np.abs(values - draw.ratings)[hidden].mean())
        found.append(_against(method, draw, error, np.nanmean(known, axis=1), full))
    return found


AS_PUBLISHED = ("nuclear",)
"""Methods whose predictions the paper does not cut to the scale."""


def _completed(left: Floats, method: str, scale: tuple[float, float], rng: np.random.Generator) -> Floats:
    """Return the completed ratings, cut to the scale unless the paper did not."""
    return complete(left, method, scale=None if method in AS_PUBLISHED else scale, rng=rng).values


def _against(method: str, draw: Draw, error: float, scores: Floats, full: Floats) -> Recovery:
    """Return how a scoring of the responses compares with the full one."""
    opposite, pairs = (0, 0) if draw.systems is None else different_orders(scores, full, draw.systems)
    return Recovery(method, draw.share, error, float(kendall_tau_b(full, scores)), opposite, pairs)


def recover_sets(
    sets: Sequence[Floats], share: float, gaps: Any, rng: np.random.Generator, scale: tuple[float, float]
) -> Recovery:
    """Return errors and opposite orders of every method for many small sets of (systems, segments, judges) ratings."""
    errors: dict[str, list[float]] = {method: [] for method in METHODS}
    opposite: dict[str, int] = dict.fromkeys([*METHODS, SINGLE], 0)
    pairs = 0
    for ratings in sets:
        systems = np.repeat(np.arange(ratings.shape[0]), ratings.shape[1])
        matrix = ratings.reshape(-1, ratings.shape[2])
        full = matrix.mean(axis=1)
        left = gaps(matrix, share, rng)
        hidden = ~np.isfinite(left)
        opposite[SINGLE] += different_orders(one_rating_each(matrix, rng), full, systems)[0]
        for method in METHODS:
            values = _completed(left, method, scale, rng)
            errors[method].append(float(np.abs(values - matrix)[hidden].mean()))
            found, of = different_orders(values.mean(axis=1), full, systems)
            opposite[method] += found
        pairs += of
    also = {method: (float(np.mean(errors[method])), opposite[method], pairs) for method in METHODS}
    return Recovery("sets", share, np.nan, np.nan, also=also | {SINGLE: (np.nan, opposite[SINGLE], pairs)})
