"""Variance components of responses by raters who are known by name, whichever column their ratings stand in.

The sums run over the ratings of a response, so that two hundred raters of two ratings each cost no
table of responses by raters; only the equations of severity have a row per rater.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics._arrays import as_ratings
from reportgen.metrics.variance_components import Generalizability
from reportgen.tally.sums import Floats

NEGLIGIBLE = 1e-9
"""Share of the largest eigenvalue below which an equation of severity says nothing: raters who are not linked."""


@dataclass(frozen=True)
class IdentifiedComponents:
    """Variance components of responses, raters and the rest, and what every response does to them.

    Parameters
    ----------
    found
        The components; nan, with a reason, where they cannot be told.
    influence
        (n, 3): influence of each response on the variance of responses, of raters and of the rest; 0
        for a response without a named rating.
    multiple
        (n,): whether a response has two or more named ratings.
    """

    found: Generalizability
    influence: Floats
    multiple: NDArray[np.bool_]


def generalizability_of_raters(ratings: ArrayLike, raters: ArrayLike) -> IdentifiedComponents:
    """Return the variance components of responses by named raters, each response rated by a few of them.

    As `generalizability` (Henderson's method 3, fitting constants), with the rater that a rating names
    in place of its column.  Raters who share no response with others count toward the variance of
    responses alone; sets of raters need no link, since only differences inside responses are used.

    Parameters
    ----------
    ratings
        (n, k): scores, NaN where missing.
    raters
        (n, k): integer code of who gave each, 0 up; negative where nobody is named, whose ratings are
        left out.

    Returns
    -------
    IdentifiedComponents
        nan, with a reason, with fewer than two responses or raters, or without a rating to spare.

    Raises
    ------
    ValueError
        When shapes differ or a score is infinite.

    References
    ----------
    Henderson (1953, method 3); Searle, Casella and McCulloch (1992, chapter 5).

    Examples
    --------
    Shrout and Fleiss's (1979) judges are the same judges wherever their ratings stand:

    >>> from reportgen.metrics.worked_examples import SHROUT_FLEISS
    >>> mixed = np.argsort(np.random.default_rng(1).random((6, 4)), axis=1)
    >>> known = generalizability_of_raters(np.take_along_axis(np.asarray(SHROUT_FLEISS), mixed, axis=1), mixed)
    >>> round(known.found.person, 2), round(known.found.residual, 2)
    (2.56, 1.02)
    """
    scores, codes = as_ratings(ratings), np.asarray(raters)
    if scores.shape != codes.shape:
        raise ValueError(f"ratings {scores.shape} and raters {codes.shape} must have the same shape")
    given = ~np.isnan(scores) & (codes >= 0)
    row, column = np.nonzero(given)
    rater, k = _renumbered(codes[row, column])
    c = given.sum(axis=1).astype(np.float64)
    n, total, multiple = int((c > 0).sum()), len(row), c > 1
    nothing = np.zeros((len(c), 3))

    def unknown(reason: str) -> IdentifiedComponents:
        return IdentifiedComponents(
            Generalizability(math.nan, math.nan, math.nan, n, k, total, reason), nothing, multiple
        )

    if n < 2 or k < 2 or not multiple.any():
        return unknown("too few ratings overlap")
    x = scores[row, column] - scores[row, column].mean()
    share = 1 / np.maximum(c, 1.0)
    mean = np.bincount(row, x, len(c)) * share
    repeats = _weights(row, rater, c, k)
    matrix = np.diag(np.bincount(rater, minlength=k).astype(np.float64)) - repeats
    values, vectors = np.linalg.eigh(matrix)
    links = values > NEGLIGIBLE * max(float(values.max()), 1.0)
    rank = int(links.sum())
    freedom = total - n - rank
    if freedom < 1 or rank < 1:
        return unknown("too few ratings overlap")
    deviation = np.bincount(rater, x - mean[row], k)
    vectors = vectors[:, links]
    severity = vectors @ (vectors.T @ deviation / values[links])
    # inside responses: sums of squares before and after severity is taken out
    before = np.bincount(row, (x - mean[row]) ** 2, len(c))
    adjusted = x - severity[rater]
    after = np.bincount(row, (adjusted - (np.bincount(row, adjusted, len(c)) * share)[row]) ** 2, len(c))
    residual = float(after.sum()) / freedom
    trace = float(np.trace(matrix))
    explained = float(before.sum() - after.sum())
    variance = (explained - rank * residual) / trace
    # a severity moves the sum of squares that it explains to first order through both of its factors
    alone = _same_rater(row, rater, c)
    of_residual = (after - residual * np.maximum(c - 1, 0.0)) / freedom
    of_explained = _twice_fitted(row, severity[rater], x - mean[row], share, len(c))
    of_rater = (of_explained - rank * of_residual - variance * (c - alone)) / trace
    person, of_person = _between(row, rater, c, mean, alone, variance, residual, of_rater, of_residual)
    influence = np.stack([of_person, of_rater, of_residual], axis=1) * (c > 0)[:, None]
    return IdentifiedComponents(
        Generalizability(person, variance, residual, n, k, total), influence, multiple
    )  # fmt: skip


def _between(
    row: NDArray[np.intp], rater: NDArray[np.intp], c: Floats, mean: Floats, alone: Floats,
    variance: float, residual: float, of_rater: Floats, of_residual: Floats,
) -> tuple[float, Floats]:  # fmt: skip
    """Return the variance of responses, from the spread of their means, and its influences."""
    n, total = float((c > 0).sum()), float(c.sum())
    count = np.bincount(rater).astype(np.float64)
    squares, lengths = float((count**2).sum()), float((c**2).sum())
    expected = alone.sum() - squares / total
    divisor = total - lengths / total
    spread = float((c * mean**2).sum())
    person = (spread - expected * variance - (n - 1) * residual) / divisor
    of_count = np.bincount(row, 2 * count[rater], len(c))
    of_expected = alone - of_count / total + squares * c / total**2
    of_divisor = c - c**2 / total + lengths * c / total**2
    moved = c * mean**2 - of_expected * variance - expected * of_rater - residual - (n - 1) * of_residual
    return float(person), (moved - person * of_divisor) / divisor


def _renumbered(codes: NDArray[np.integer]) -> tuple[NDArray[np.intp], int]:
    """Return codes without gaps, and how many there are."""
    names, place = np.unique(codes, return_inverse=True)
    return place.astype(np.intp), len(names)


def _weights(row: NDArray[np.intp], rater: NDArray[np.intp], c: Floats, k: int) -> Floats:
    """Return (k, k): the sum of 1 / c over the pairs of ratings of each two raters, every rating with itself too."""
    starts = np.searchsorted(row, np.arange(len(c)))
    found: Floats = np.zeros(k * k)
    for step in range(int(c.max())):
        has = np.flatnonzero(c[row] > step)
        pair = rater[has] * k + rater[starts[row[has]] + step]
        found += np.bincount(pair, 1 / c[row[has]], k * k)
    return found.reshape(k, k)


def _same_rater(row: NDArray[np.intp], rater: NDArray[np.intp], c: Floats) -> Floats:
    """Return (n,): pairs of ratings by one rater over all ratings of a response; 1 where no rater comes twice."""
    k = int(rater.max()) + 1
    cell, count = np.unique(row * k + rater, return_counts=True)
    pairs = np.bincount(cell // k, count.astype(np.float64) ** 2, len(c))
    return np.asarray(pairs / np.maximum(c, 1.0), np.float64)


def _twice_fitted(row: NDArray[np.intp], fitted: Floats, deviation: Floats, share: Floats, n: int) -> Floats:
    """Return each response's influence on ``s' d``, the sum of squares that the severities s explain: 2 s'd - s'Ms."""
    mean = np.bincount(row, fitted, n) * share
    moved = np.bincount(row, 2 * fitted * deviation - (fitted - mean[row]) ** 2, n)
    return np.asarray(moved, np.float64)
