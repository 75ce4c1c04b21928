"""Ratings that lie far from what the other raters of the same response predict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.studies.completion import gaussian

Floats = NDArray[np.float64]

FAR = 3.0
"""Standard deviations from the prediction beyond which a rating is suspicious: 1 in 370 of a normal distribution."""


@dataclass(frozen=True)
class Predictions:
    """What the other ratings of a response say of each rating that was given.

    Parameters
    ----------
    values
        (n, raters): each given rating as the others of its response predict it; nan for gaps and for responses
        with one rating.
    errors
        (n, raters): standard deviation of a rating about that prediction.
    distances
        (n, raters): rating minus prediction, in these standard deviations.
    """

    values: Floats
    errors: Floats
    distances: Floats

    @property
    def checked(self) -> NDArray[np.bool_]:
        """Which ratings could be predicted from others."""
        return np.isfinite(self.distances)

    @property
    def far(self) -> NDArray[np.bool_]:
        """Which ratings lie `FAR` standard deviations or more from their prediction."""
        return np.abs(np.where(self.checked, self.distances, 0.0)) >= FAR


def predictions(ratings: ArrayLike) -> Predictions:
    """Return how far each rating lies from what the others of its response predict.

    One normal distribution is fitted to all ratings.  With P the inverse covariance of the raters of a response and
    d their distances from their means, a rating is predicted from the others with error variance 1 / P_jj, and lies
    (P d)_j / P_jj from that prediction.

    Parameters
    ----------
    ratings
        (n, raters): NaN where missing.

    Raises
    ------
    ValueError
        When the array has not two dimensions.

    References
    ----------
    Wisniewski (2013), section 5, names the use: comparing predicted and actual scores to find errors of collection;
    Little and Rubin (2019) for the conditional normal distribution.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> ratings = rng.normal(3, 1, (300, 1)) + rng.normal(0, 0.3, (300, 3))
    >>> ratings[7, 1] += 4
    >>> far = predictions(ratings).far
    >>> bool(far[7, 1]), int(far.sum()) < 8
    (True, True)
    """
    matrix = np.array(ratings, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"expected (n, raters) ratings; found shape {matrix.shape}")
    found = gaussian.fit(matrix)
    floor = 1e-9 * max(float(np.diagonal(found.covariance).max()), 1e-12)
    given = np.isfinite(matrix)
    distances, errors = np.full_like(matrix, np.nan), np.full_like(matrix, np.nan)
    kinds, kind_of = np.unique(given, axis=0, return_inverse=True)
    for number, kind in enumerate(kinds):
        raters = np.flatnonzero(kind)
        if len(raters) < 2:
            continue
        rows = np.flatnonzero(kind_of.ravel() == number)
        inverse = np.linalg.inv(found.covariance[np.ix_(raters, raters)] + floor * np.eye(len(raters)))
        about = matrix[np.ix_(rows, raters)] - found.mean[raters]
        own = np.diagonal(inverse)
        errors[np.ix_(rows, raters)] = 1 / np.sqrt(own)
        distances[np.ix_(rows, raters)] = about @ inverse / np.sqrt(own)
    return Predictions(matrix - distances * errors, errors, distances)


def found_among(ratings: Floats, planted: NDArray[np.bool_]) -> float:
    """Return the share of planted errors among as many ratings, those farthest from their predictions.

    Parameters
    ----------
    ratings
        (n, raters), planted errors included.
    planted
        (n, raters): which ratings are errors; one at least.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> ratings = rng.normal(3, 1, (300, 1)) + rng.normal(0, 0.3, (300, 3))
    >>> planted = np.zeros(ratings.shape, bool)
    >>> planted[:5, 0] = True
    >>> found_among(np.where(planted, ratings + 4, ratings), planted)
    1.0
    """
    distances = np.abs(predictions(ratings).distances)
    order = np.argsort(-np.where(np.isfinite(distances), distances, -1.0), axis=None, kind="stable")
    return float(planted.ravel()[order[: int(planted.sum())]].mean())
