"""Does the system reward something besides the true score?  Association with a covariate given the true score.

Longer responses mostly deserve higher scores, so that a score rises with length proves nothing.  Raters err,
so equal human scores do not make responses equal either.  Here the human score is taken as the true score
plus an error of known variance, unrelated to the covariate: an errors-in-variables regression.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_ratings, as_scores
from reportgen.metrics.pair import ratio, root
from reportgen.metrics.proportional_reduction import check_error_variance, rater_error_variance
from reportgen.tally.sums import Floats


@dataclass(frozen=True)
class CovariateAssociation:
    """How the system score goes with a covariate.

    Parameters
    ----------
    given_true_score
        Partial correlation of system score and covariate given the true score, between -1 and 1.
    points
        What one SD more of the covariate adds to the system score of responses of equal true scores.
    given_human_score
        What the same regression says when one human score is taken for the true one.
    system, human
        Plain correlations of the system's and of the first human score with the covariate.
    n
        Responses with all three.
    error_variance
        Of one rater, as given or as estimated from responses with several ratings.
    reason
        Why the first two are nan; empty otherwise.
    """

    given_true_score: float
    points: float
    given_human_score: float
    system: float
    human: float
    n: int
    error_variance: float
    reason: str = ""


def association_given_true_score(
    system: ArrayLike, ratings: ArrayLike, covariate: ArrayLike, *, error_variance: float | None = None
) -> CovariateAssociation:
    """Return how the system score M goes with a covariate X at equal true scores T.

    With ``cov(T, .) = cov(H, .)`` and ``var T = var H - error variance`` the partial correlation is
    ``S(MX) / root(S(MM) S(XX))``, ``S(ab) = cov(a, b) - cov(T, a) cov(T, b) / var T``; ``points`` is
    ``SD(X) S(MX) / S(XX)``.

    Parameters
    ----------
    system, covariate
        (n,): NaN where missing.
    ratings
        (n,) or (n, raters): human scores; responses without a first one are dropped.
    error_variance
        Variance of one rater's error; estimated from responses with several ratings when left out.

    Returns
    -------
    CovariateAssociation
        nan, with a reason, without an error variance, or when human scores vary no more than it makes them.

    Raises
    ------
    ValueError
        When lengths differ, a score is infinite, or the error variance is negative.

    References
    ----------
    Fuller (1987), chapter 2, for errors in variables of known variance.

    Examples
    --------
    Responses of true score 1 and 3, a rater who errs by 1 either way, longer responses where scores are higher.
    The engine errs regardless of length: given the true score nothing is left, given the human score there is.

    >>> human, length = [0, 2, 0, 2, 2, 4, 2, 4], [10, 10, 20, 20, 20, 20, 30, 30]
    >>> engine = [1.5, 0.5, 0.5, 1.5, 3.5, 2.5, 2.5, 3.5]
    >>> found = association_given_true_score(engine, human, length, error_variance=8 / 7)
    >>> abs(round(found.given_true_score, 10)), round(found.given_human_score, 2), round(found.system, 2)
    (0.0, 0.47, 0.63)
    """
    check_error_variance(error_variance)
    scores, human, given = as_scores(system, "system"), as_ratings(ratings), as_scores(covariate, "covariate")
    if not len(scores) == len(human) == len(given):
        raise ValueError(f"lengths differ: {len(scores)} system scores, {len(human)} ratings, {len(given)} covariates")
    kept = usable(scores, human, given)
    variance = rater_error_variance(human[kept]) if error_variance is None else error_variance
    sums = {name: np.asarray(part.sum()) for name, part in features(scores[kept], human[kept], given[kept]).items()}
    with np.errstate(all="ignore"):
        found = {name: float(value[0]) for name, value in statistics(sums, error_variance).items()}
    return CovariateAssociation(
        found["given_true_score"], found["points"], found["given_human_score"], found["system"], found["human"],
        int(kept.sum()), float(variance), _why(variance, found["points"]),
    )  # fmt: skip


def usable(system: Floats, ratings: Floats, covariate: Floats) -> np.ndarray:
    """Return which responses have a system score, a first human score and a covariate, (n,)."""
    found: np.ndarray = ~np.isnan(system) & ~np.isnan(ratings[:, 0]) & ~np.isnan(covariate)
    return found


def features(system: Floats, ratings: Floats, covariate: Floats) -> dict[str, Floats]:
    """Return what each response adds to the sums of `statistics`, (n,) each; every response is usable."""
    first, present = ratings[:, 0], ~np.isnan(ratings)
    h, m = (score - score.mean() if score.size else score for score in (first, system))
    spread = float(covariate.std()) if covariate.size else 0.0
    x = (covariate - covariate.mean()) / spread if spread > 0 else covariate * 0.0
    count = present.sum(axis=1)
    mean = np.where(present, ratings, 0.0).sum(axis=1) / count
    within = (np.where(present, ratings - mean[:, None], 0.0) ** 2).sum(axis=1)
    return {
        "n": np.ones(len(h)), "h": h, "m": m, "x": x, "hh": h * h, "hm": h * m, "hx": h * x, "mm": m * m,
        "mx": m * x, "xx": x * x, "within": within, "freedom": count - 1.0,
    }  # fmt: skip


def statistics(sums: Mapping[str, Floats], error_variance: float | None = None) -> dict[str, Floats]:
    """Return the associations from sums of `features`, (1,) each; complex-safe."""
    n = sums["n"]

    def covariance(a: str, b: str) -> Floats:
        return np.atleast_1d((sums[a + b] - sums[a] * sums[b] / n) / (n - 1))

    hh, hm, hx, mm, mx, xx = (covariance(*pair) for pair in ("hh", "hm", "hx", "mm", "mx", "xx"))
    error = ratio(sums["within"], sums["freedom"]) if error_variance is None else error_variance
    left = np.atleast_1d(hh - error)
    true = np.where(np.real(left) > 0, left, np.nan)

    def parts(of: Floats) -> tuple[Floats, Floats, Floats]:
        return mx - ratio(hm * hx, of), mm - ratio(hm * hm, of), xx - ratio(hx * hx, of)

    product, own, other = parts(true)
    observed, own_observed, other_observed = parts(hh)
    return {
        "given_true_score": ratio(product, root(own) * root(other)),
        "points": root(xx) * ratio(product, other),
        "given_human_score": ratio(observed, root(own_observed) * root(other_observed)),
        "system": ratio(mx, root(mm) * root(xx)),
        "human": ratio(hx, root(hh) * root(xx)),
    }


def _why(error_variance: float, points: float) -> str:
    """Return why there is no association given the true score; empty when there is."""
    if math.isnan(error_variance):
        return "no response has two ratings and no rater error variance was given"
    if math.isnan(points):
        return "human scores vary no more than rater error alone makes them vary, or the covariate is constant"
    return ""
