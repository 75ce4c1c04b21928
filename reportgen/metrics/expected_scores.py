"""What ratings and an engine together say of the true score of one response, and how far they lie apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import true_score
from reportgen.metrics._arrays import as_ratings, as_scores, rating_sums
from reportgen.tally.sums import Floats


def expected_true_scores(ratings: ArrayLike, system: ArrayLike, *, error_variance: float | None = None) -> Floats:
    """Return the expected true score of every response, given its ratings and the system's score.

    The best linear prediction ``mu + (v, k) [[v + ve / c, k], [k, w]]^-1 (m - mu, s - nu)``: m the mean of c ratings
    and mu that of all, v and ve the variances of true scores and of rater errors, s the system's score with mean nu
    and variance w, k the covariance of ratings and system.  Where the system gave no score it rests on the ratings
    alone, ``mu + v / (v + ve / c) (m - mu)``, which is Kelley's formula.

    Parameters
    ----------
    ratings
        (n, raters): scores, NaN where a rater gave none.
    system
        (n,): the system's scores, NaN where it gave none.
    error_variance
        The variance of rater errors, when it is known from elsewhere; else it is estimated.

    Returns
    -------
    numpy.ndarray
        (n,) in score points, not cut off at the ends of a scale; NaN for a response without a rating, and everywhere
        when no response was rated twice (and no error variance given) or true scores have no variance.

    Raises
    ------
    ValueError
        When the shapes do not fit, or a score is infinite.

    References
    ----------
    Kelley (1947), *Fundamentals of Statistics*; with a second predictor: Lord and Novick (1968), section 3.7.

    Examples
    --------
    A rater without error is believed, whatever the system says:

    >>> expected_true_scores([[1.0], [2.0], [4.0]], [2.0, 2.0, 3.0], error_variance=0.0).tolist()
    [1.0, 2.0, 4.0]
    """
    given, own = as_ratings(ratings), as_scores(system, "system")
    c, mean = _means(given)
    both = (c > 0) & np.isfinite(own)
    sums = rating_sums(own, given)
    error = _known(error_variance, true_score.rater_error_variance(sums))
    total = float(sums.c[0])
    true = float(true_score.variance_by_ratings(sums, error)[0])
    centre = sums.centre
    mu, nu = centre + float(sums.cm[0]) / total, centre + float(sums.cs[0]) / total
    spread = float(sums.css[0]) / total - (nu - centre) ** 2
    shared = float(sums.cms[0]) / total - (mu - centre) * (nu - centre)
    if not true > 0:
        return np.full(len(given), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = true + error / c
        alone = mu + true / observed * (mean - mu)
        determinant = observed * spread - shared**2
        of_mean = (true * spread - shared**2) / determinant
        of_system = shared * (observed - true) / determinant
        together = mu + of_mean * (mean - mu) + of_system * (own - nu)
    useful = both & (spread > 0) & (determinant > 0)
    return np.where(useful, together, np.where(c > 0, alone, np.nan))


def standardized_disagreements(ratings: ArrayLike, system: ArrayLike, *, error_variance: float | None = None) -> Floats:
    """Return how far the system's score lies from the mean rating of every response, in SDs expected of such pairs.

    ``(s - m) / sqrt(ve / c + MSE)``: s the system's score, m the mean of c ratings, ve the variance of rater errors,
    MSE the mean squared error of the system as a predictor of true scores.  In the mean the squares are about 1.

    Parameters
    ----------
    ratings, system, error_variance
        As for `expected_true_scores`.

    Returns
    -------
    numpy.ndarray
        (n,), positive where the system's score is higher; NaN where there is no rating or no system score, and
        everywhere when the variance of rater errors is not known.

    Raises
    ------
    ValueError
        When the shapes do not fit, or a score is infinite.

    References
    ----------
    Lord, F. M., & Novick, M. R. (1968). Statistical theories of mental test scores, sections 2.9 and 3.7: errors of
    measurement and of prediction add up where they are independent.

    Examples
    --------
    >>> standardized_disagreements([[1.0], [2.0], [3.0]], [2.0, 2.0, 3.0], error_variance=0.0).round(2).tolist()
    [1.73, 0.0, 0.0]
    """
    given, own = as_ratings(ratings), as_scores(system, "system")
    c, mean = _means(given)
    both = (c > 0) & np.isfinite(own)
    sums = rating_sums(own, given)
    error = _known(error_variance, true_score.rater_error_variance(sums))
    mse = max(float(true_score.mean_squared_error_true(sums, error)[0]), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(both, (own - mean) / np.sqrt(error / c + mse), np.nan)
    return found


def _means(ratings: Floats) -> tuple[Floats, Floats]:
    """Return how many ratings each response has, and their mean; NaN without any."""
    here = np.isfinite(ratings)
    c = here.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return c, np.where(here, ratings, 0.0).sum(axis=1) / c


def _known(given: float | None, estimated: Floats) -> float:
    """Return the given error variance, or its estimate."""
    return float(estimated[0]) if given is None else given
