"""Every way to complete a matrix of ratings, by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.studies.completion import gaussian
from reportgen.studies.completion.nuclear_norm import smallest_nuclear_norm

Floats = NDArray[np.float64]

METHODS = ("gaussian", "centred", "nuclear", "mean", "random")
"""Multivariate normal by EM, smallest nuclear norm with and without centring of raters, and two baselines."""


@dataclass(frozen=True)
class Completed:
    """A completed matrix of ratings.

    Parameters
    ----------
    values
        (n, raters): given ratings unchanged, the others filled.
    errors
        (n, raters): standard deviation of the true rating about each filled one; 0 where given, nan where
        the method gives none.
    filled
        (n, raters): which were filled.
    method
        A name of `METHODS`.
    converged
        Whether an iterative method came to rest.
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

    Parameters
    ----------
    ratings
        (n, raters): NaN where missing.
    method
        A name of `METHODS`.
    scale
        Lowest and highest score; filled ratings are cut to it.  Needed by "random".
    rng
        Random numbers of "random".

    Raises
    ------
    ValueError
        When the method is unknown, a rater has fewer than two ratings, or "random" has no scale.

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
    if matrix.ndim != 2:
        raise ValueError(f"expected (n, raters) ratings; found shape {matrix.shape}")
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
    given = np.isfinite(matrix)
    few = np.flatnonzero(given.sum(axis=0) < 2)
    if len(few):
        raise ValueError(f"rater {few[0] + 1} gave fewer than two ratings: nothing can be learnt about that rater")
    values, errors, converged = _filled(matrix, given, method, scale, rng)
    if scale is not None:
        values = np.clip(values, *scale)
    values = np.where(given, matrix, values)
    return Completed(values, np.where(given, 0.0, errors), ~given, method, converged)


def _filled(
    matrix: Floats,
    given: NDArray[np.bool_],
    method: str,
    scale: tuple[float, float] | None,
    rng: np.random.Generator | None,
) -> tuple[Floats, Floats, bool]:
    """Return filled ratings, their errors, and whether the method came to rest."""
    unknown = np.full_like(matrix, np.nan)
    means = np.nanmean(matrix, axis=0)
    if method == "gaussian":
        found = gaussian.fit(matrix)
        return found.values, found.errors, found.converged
    if method == "centred":
        return smallest_nuclear_norm(matrix - means) + means, unknown, True
    if method == "nuclear":
        return smallest_nuclear_norm(matrix), unknown, True
    if method == "mean":
        return np.where(given, matrix, means), np.broadcast_to(np.nanstd(matrix, axis=0, ddof=1), matrix.shape), True
    if scale is None:
        raise ValueError("random scores need a scale")
    drawn = (rng or np.random.default_rng(0)).integers(int(scale[0]), int(scale[1]) + 1, matrix.shape)
    return drawn.astype(np.float64), unknown, True
