"""Whether completed ratings lead to the decisions that full ratings would."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def different_orders(first: Floats, second: Floats, systems: Sequence[object] | NDArray[np.generic]) -> tuple[int, int]:
    """Return how many pairs of systems two scorings put in opposite order, of how many pairs.

    A tie in either scoring is not an opposite order (Wisniewski 2013, section 3).

    Parameters
    ----------
    first, second
        (n,): a score of every response.
    systems
        (n,): whose response it is.

    Examples
    --------
    >>> first, second = np.array([1.0, 2, 3]), np.array([1.0, 3, 2])
    >>> different_orders(first, second, ["a", "b", "c"])
    (1, 3)
    """
    names, code = np.unique(np.asarray(systems), return_inverse=True)
    sizes = np.bincount(code)
    means = [np.bincount(code, scores) / sizes for scores in (first, second)]
    pairs = list(itertools.combinations(range(len(names)), 2))
    opposite = sum((means[0][a] - means[0][b]) * (means[1][a] - means[1][b]) < 0 for a, b in pairs)
    return int(opposite), len(pairs)


def one_rating_each(ratings: Floats, rng: np.random.Generator) -> Floats:
    """Return (n,): one of the given ratings of every response, drawn at random; nan where there is none."""
    given = np.isfinite(ratings)
    order = np.where(given, rng.random(ratings.shape), np.inf)
    chosen: Floats = ratings[np.arange(len(ratings)), order.argmin(axis=1)]
    return chosen
