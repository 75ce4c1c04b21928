"""Completing a matrix of responses by raters from the ratings that were collected, and deciding on it.

>>> ratings = np.array([[1.0, 1], [2, 2], [3, np.nan], [4, 4], [5, 5], [np.nan, 2]])
>>> np.round(complete(ratings, "gaussian").values[[2, 5]], 1).tolist()
[[3.0, 3.0], [2.0, 2.0]]
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.studies.gaussian import fit
from reportgen.studies.study import Floats

METHODS = ("gaussian", "centred", "nuclear", "mean", "random")
"""Multivariate normal by EM, smallest nuclear norm with and without centring of raters, and two baselines."""

STEP_SHARE = 0.02
"""Step of the splitting that finds the smallest nuclear norm, as a share of the largest singular value."""
MOST_STEPS, NEAR = 4000, 1e-7


@dataclass(frozen=True)
class Completed:
    """A completed matrix of ratings.

    values (n, raters): given ratings unchanged, the others filled.
    errors (n, raters): standard deviation of the true rating about each filled one; 0 where given, nan where the method
        gives none.
    filled (n, raters): which were filled.
    method: A name of `METHODS`.
    converged: Whether an iterative method came to rest.
    """

    values: Floats
    errors: Floats
    filled: NDArray[np.bool_]
    method: str
    converged: bool = True


def complete(
    ratings: ArrayLike,
    method: str = "gaussian",
    *,
    scale: tuple[float, float] | None = None,
    rng: np.random.Generator | None = None,
) -> Completed:
    """Return ratings with every gap filled; what was given is never changed.

    ratings (n, raters): NaN where missing.
    method: A name of `METHODS`.
    scale: Lowest and highest score; filled ratings are cut to it.  Needed by "random".
    rng: Random numbers of "random".

    Raises ValueError: When a rater has fewer than two ratings, or "random" has no scale.

    References
    ----------
    Wisniewski (2013); the normal distribution and centring are not in that paper and predict better.

    Examples
    --------
    >>> ratings = np.array([[1.0, 2], [2, 3], [4, np.nan], [5, 6]])
    >>> round(float(complete(ratings).values[2, 1]), 2), round(float(complete(ratings, "mean").values[2, 1]), 2)
    (5.0, 3.67)
    """
    matrix = np.array(ratings, dtype=np.float64)
    given = np.isfinite(matrix)
    few = np.flatnonzero(given.sum(axis=0) < 2)
    if len(few):
        raise ValueError(f"rater {few[0] + 1} gave fewer than two ratings: nothing can be learnt about that rater")
    means, errors, converged = np.nanmean(matrix, axis=0), np.full_like(matrix, np.nan), True
    if method == "gaussian":
        found = fit(matrix)
        values, errors, converged = found.values, found.errors, found.converged
    elif method == "centred":
        values = smallest_nuclear_norm(matrix - means) + means
    elif method == "nuclear":
        values = smallest_nuclear_norm(matrix)
    elif method == "mean":
        values, errors = means, np.nanstd(matrix, axis=0, ddof=1)
    elif scale is None:
        raise ValueError("random scores need a scale")
    else:
        drawn = (rng or np.random.default_rng(0)).integers(int(scale[0]), int(scale[1]) + 1, matrix.shape)
        values = drawn.astype(np.float64)
    if scale is not None:
        values = np.clip(values, *scale)
    return Completed(np.where(given, matrix, values), np.where(given, 0.0, errors), ~given, method, converged)


def low_rank_ratio(ratings: ArrayLike) -> float:
    """Return the second singular value divided by the Frobenius norm.

    It is the distance to the nearest matrix of rank 1, relative to the size of the matrix: 0 when all
    raters order and space the responses alike, through zero.

    ratings (n, raters): complete ratings, not centred; at least two of each.

    Returns
    -------
    float
        0 to .71; nan when every rating is 0.

    References
    ----------
    Wisniewski (2013), section 4.1.

    Examples
    --------
    Two raters who give independent whole scores from 1 to 5 approach sqrt(1 / 11) = .30:

    >>> rng = np.random.default_rng(0)
    >>> round(low_rank_ratio(rng.integers(1, 6, (100_000, 2))), 2)
    0.3
    """
    sizes = np.linalg.svd(np.asarray(ratings, dtype=np.float64), compute_uv=False)
    total = np.sqrt((sizes**2).sum())
    return float(sizes[1] / total) if total > 0 else float("nan")


def smallest_nuclear_norm(ratings: Floats) -> Floats:
    """Return the matrix with the smallest sum of singular values that agrees with the given ratings.

    Solved by alternating directions (Boyd et al. 2011): singular values are cut by a fixed step, given
    ratings are put back, until nothing moves.  A row without a rating becomes 0.

    ratings (n, raters): NaN where missing; few raters, any number of responses.

    References
    ----------
    Candès and Recht (2012); Wisniewski (2013), section 2.

    Examples
    --------
    >>> filled = smallest_nuclear_norm(np.array([[1.0, 2], [2, 4], [3, np.nan]]))
    >>> float(round(filled[2, 1], 2)) < 6
    True
    """
    given = np.isfinite(ratings)
    filled = np.where(given, ratings, 0.0)
    size = float(np.linalg.norm(filled, 2))
    if size == 0 or given.all():
        return filled
    dual, step = np.zeros_like(filled), STEP_SHARE * size
    for _ in range(MOST_STEPS):
        low = _cut(filled - dual, step)
        again = np.where(given, ratings, low + dual)
        dual = dual + low - again
        moved = np.linalg.norm(again - filled)
        filled = again
        if moved < NEAR * np.linalg.norm(filled):
            break
    return filled


def _cut(matrix: Floats, step: float) -> Floats:
    """Return the matrix with `step` taken off every singular value, by way of its small Gram matrix."""
    squares, vectors = np.linalg.eigh(matrix.T @ matrix)
    sizes = np.sqrt(np.maximum(squares, 0.0))
    kept = np.where(sizes > step, 1 - step / np.maximum(sizes, step), 0.0)
    cut: Floats = matrix @ (vectors * kept) @ vectors.T
    return cut


def different_orders(first: Floats, second: Floats, systems: Sequence[object] | NDArray[np.generic]) -> tuple[int, int]:
    """Return how many pairs of systems two scorings put in opposite order, of how many pairs.

    A tie in either scoring is not an opposite order (Wisniewski 2013, section 3).

    first, second (n,): a score of every response.
    systems (n,): whose response it is.

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
