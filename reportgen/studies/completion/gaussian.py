"""Ratings as one sample of a multivariate normal distribution, with gaps: maximum likelihood by EM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_STEPS, NEAR = 500, 1e-6
"""Steps of EM, and the change of a mean or covariance, in units of the variance, below which it stops."""


@dataclass(frozen=True)
class NormalFit:
    """The distribution of ratings, and what it says of each gap.

    Parameters
    ----------
    mean, covariance
        (raters,) and (raters, raters).
    values
        (n, raters): given ratings, and the conditional mean of the others.
    errors
        (n, raters): standard deviation of a missing rating given the others of its response; 0 where given.
    converged
        Whether EM came to rest.
    """

    mean: Floats
    covariance: Floats
    values: Floats
    errors: Floats
    converged: bool


def fit(ratings: Floats) -> NormalFit:
    """Return the maximum-likelihood normal distribution of (n, raters) ratings, NaN where missing.

    Gaps are assumed missing at random: whether a rating is missing may depend on the ratings that are
    there, not on its own value.

    References
    ----------
    Dempster, Laird and Rubin (1977), section 4.1.3; Little and Rubin (2019), section 11.2.
    """
    given = np.isfinite(ratings)
    patterns, pattern_of = np.unique(given, axis=0, return_inverse=True)
    groups = [(pattern, np.flatnonzero(pattern_of.ravel() == number)) for number, pattern in enumerate(patterns)]
    mean = np.nanmean(ratings, axis=0)
    variances = np.maximum(np.nanvar(ratings, axis=0), 1e-12)
    covariance = np.diag(variances)
    converged = False
    for _ in range(MOST_STEPS):
        values, spread, _ = _expected(ratings, groups, mean, covariance)
        new_mean = values.mean(axis=0)
        centred = values - new_mean
        new = (centred.T @ centred + spread) / len(values)
        moved = max(np.abs(new - covariance).max(), np.abs(new_mean - mean).max()) / variances.max()
        mean, covariance = new_mean, new
        if moved < NEAR:
            converged = True
            break
    values, _, errors = _expected(ratings, groups, mean, covariance)
    return NormalFit(mean, covariance, values, errors, converged)


def _expected(
    ratings: Floats, groups: list[tuple[NDArray[np.bool_], NDArray[np.intp]]], mean: Floats, covariance: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return ratings with gaps filled by their conditional means, the summed conditional covariance, and errors."""
    values, errors = ratings.copy(), np.zeros_like(ratings)
    spread = np.zeros_like(covariance)
    for given, rows in groups:
        missing = ~given
        if not missing.any():
            continue
        own = covariance[np.ix_(missing, missing)]
        if given.any():
            across = covariance[np.ix_(given, missing)]
            slopes = np.linalg.lstsq(covariance[np.ix_(given, given)], across, rcond=None)[0]
            filled = mean[missing] + (ratings[np.ix_(rows, given)] - mean[given]) @ slopes
            own = own - across.T @ slopes
        else:
            filled = np.broadcast_to(mean[missing], (len(rows), int(missing.sum())))
        values[np.ix_(rows, missing)] = filled
        errors[np.ix_(rows, missing)] = np.sqrt(np.maximum(np.diag(own), 0.0))
        spread[np.ix_(missing, missing)] += len(rows) * own
    return values, spread, errors
