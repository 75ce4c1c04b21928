"""Differences of groups, and association with a covariate, given the true score: errors in variables of known variance.

Raters err, so responses with equal human scores differ in what they deserve when their groups or lengths do: a
group with lower true scores then seems to be scored too low at equal human score by an engine that
treats everybody alike.  The difference given the *true* score takes the slope on the true score,
``cov(M, H) / (var H - error variance)``, pooled within groups, instead of the slope on one human score.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_ratings, as_scores, check_lengths
from reportgen.metrics.pair import ratio, root
from reportgen.metrics.proportional_reduction import check_error_variance, rater_error_variance
from reportgen.metrics.true_score import rating_features
from reportgen.tally.sums import Floats

__all__ = [
    "CovariateAssociation", "GroupDifferences", "association_given_true_score", "group_differences_given_true_score",
    "minimum_detectable_difference",
]  # fmt: skip


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

    Result: nan, with a reason, without an error variance, or when human scores vary no more than it makes them.
    Source: Fuller (1987), chapter 2, for errors in variables of known variance.

    Parameters
    ----------
    system, covariate
        (n,): NaN where missing.
    ratings
        (n,) or (n, raters): human scores; responses without a first one are dropped.

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
    check_lengths({"system scores": scores, "ratings": human, "covariates": given})
    kept = usable(scores, human, given)
    variance = rater_error_variance(human[kept]) if error_variance is None else error_variance
    sums = {
        name: np.asarray(part.sum())
        for name, part in covariate_features(scores[kept], human[kept], given[kept]).items()
    }
    with np.errstate(all="ignore"):
        found = {name: float(value[0]) for name, value in covariate_statistics(sums, error_variance).items()}
    return CovariateAssociation(
        found["given_true_score"], found["points"], found["given_human_score"], found["system"], found["human"],
        int(kept.sum()), float(variance), why_undefined(variance, found["points"], NOTHING_LEFT),
    )  # fmt: skip


def usable(system: Floats, ratings: Floats, covariate: Floats) -> np.ndarray:
    """Return which responses have a system score, a first human score and a covariate, (n,)."""
    found: np.ndarray = ~np.isnan(system) & ~np.isnan(ratings[:, 0]) & ~np.isnan(covariate)
    return found


def covariate_features(system: Floats, ratings: Floats, covariate: Floats) -> dict[str, Floats]:
    """Return what each response adds to the sums of `statistics`, (n,) each; every response is usable."""
    first, present = ratings[:, 0], ~np.isnan(ratings)
    h, m = (score - score.mean() if score.size else score for score in (first, system))
    spread = float(covariate.std()) if covariate.size else 0.0
    x = (covariate - covariate.mean()) / spread if spread > 0 else covariate * 0.0
    errors = rating_features(np.where(present, ratings, 0.0).T, present.T, h)
    return {
        "n": np.ones(len(h)), "h": h, "m": m, "x": x, "hh": h * h, "hm": h * m, "hx": h * x, "mm": m * m,
        "mx": m * x, "xx": x * x, "within": errors["within"], "freedom": errors["freedom"],
    }  # fmt: skip


def covariate_statistics(sums: Mapping[str, Floats], error_variance: float | None = None) -> dict[str, Floats]:
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


NOTHING_LEFT = "human scores vary no more than rater error alone makes them vary, or the covariate is constant"
NOTHING_LEFT_WITHIN = "human scores differ within groups no more than rater error alone makes them differ"

POWER, SIGNIFICANCE = 0.80, 0.05
"""The chance of seeing a difference that "detectable" means, and the chance of seeing one that is not there."""


def true_score_slope(
    products: Floats | float, squares: Floats | float, freedom: Floats | float, error_variance: Floats | float
) -> Floats:
    """Return the slope of the system score on the true score, pooled within groups.

    ``products / (squares - freedom x error variance)``: what rater error adds to the sum of squares of
    human scores about their group's mean is taken away.

    Result: nan where human scores differ within groups no more than rater error makes them.
    Source: Fuller (1987), section 1.2, for the slope with known error variance.

    Parameters
    ----------
    products, squares
        Sums over all groups of (H - mean H of the group) (M - mean M of the group), and of the square of
        the first factor.
    freedom
        Responses less groups.
    error_variance
        Variance of one rater's error.

    Examples
    --------
    >>> float(true_score_slope(6.0, 12.0, 8, 0.5))
    0.75
    """
    true = np.asarray(squares - freedom * error_variance)
    return ratio(products, np.where(np.real(true) > 0, true, np.nan))


def difference_from_rater_error(
    slope: Floats | float, observed_slope: Floats | float, gap: Floats | float
) -> Floats | float:
    """Return how much two groups differ at equal human score by rater error alone.

    ``(slope - observed slope) x gap``, which is ``slope x (1 - reliability) x gap``: the reliability of
    one human score within groups is the ratio of the two slopes.  A linear conditioning on the human
    score finds this difference beside the one given the true score; it does not shrink with n.

    Parameters
    ----------
    slope, observed_slope
        Slopes of the system score on the true score and on one human score, within groups.
    gap
        Mean human score of one group less that of the other.

    Examples
    --------
    Raters of reliability .65, groups half a point apart, an engine of slope .8:

    >>> round(difference_from_rater_error(0.8, 0.8 * 0.65, -0.5), 10)
    -0.14
    """
    return (slope - observed_slope) * gap


def minimum_detectable_difference(
    standard_error: Floats | float,
    freedom: Floats | float = math.inf,
    power: float = POWER,
    significance: float = SIGNIFICANCE,
) -> Floats:
    """Return the smallest true difference that a two-sided test would probably find.

    ``(t(1 - significance / 2) + t(power)) x standard error``, t the quantiles of Student's t.

    Result: 0 or more; nan where the standard error is nan or there are no degrees of freedom.
    Source: Bloom (1995), who calls the factor the multiple of the standard error: 2.80 at 80 % and 5 %.

    Parameters
    ----------
    standard_error
        Of the difference, as found or as expected.
    freedom
        Degrees of freedom; infinite for the normal distribution.
    power
        Chance of finding a difference of that size.
    significance
        Chance of finding one where there is none.

    Examples
    --------
    >>> round(float(minimum_detectable_difference(1.0)), 2)
    2.8
    """
    from scipy.special import ndtri, stdtrit

    if not (0 < power < 1 and 0 < significance < 1):
        raise ValueError(f"power and significance lie between 0 and 1; found {power} and {significance}")
    degrees = np.asarray(freedom, np.float64)
    wanted = (1 - significance / 2, power)
    with np.errstate(invalid="ignore"):
        finite = np.where(np.isfinite(degrees), np.maximum(degrees, 1.0), 1.0)
        quantiles = [np.where(np.isinf(degrees), ndtri(p), stdtrit(finite, p)) for p in wanted]
    multiple = np.where(degrees > 0, quantiles[0] + quantiles[1], np.nan)
    return np.asarray(multiple * standard_error, np.float64)


@dataclass(frozen=True)
class GroupDifferences:
    """Differences of groups from a reference group in the system score, given the true score.

    Parameters
    ----------
    labels, reference
        The groups, and the one that the others are compared with.
    n
        Responses of each group.
    difference
        Of each group, in points of the system score; 0 for the reference.
    standardized
        The same in standard deviations of all human scores.
    gap
        Mean human score less that of the reference.
    from_rater_error
        What conditioning on one human score would find beside the difference.
    slope, reliability
        Of the system score on the true score; of one human score within groups.
    error_variance
        Of one rater, as given or as estimated from responses with several ratings.
    reason
        Why values are nan; empty otherwise.
    """

    labels: tuple[Any, ...]
    reference: Any
    n: tuple[int, ...]
    difference: Floats
    standardized: Floats
    gap: Floats
    from_rater_error: Floats
    slope: float
    reliability: float
    error_variance: float
    reason: str = ""


def group_differences_given_true_score(
    system: ArrayLike,
    ratings: ArrayLike,
    groups: Sequence[Hashable] | ArrayLike,
    *,
    reference: Hashable | None = None,
    error_variance: float | None = None,
) -> GroupDifferences:
    """Return how much higher the system scores each group than a reference group of equal true scores.

    ``D = (mean M - mean M ref) - beta (mean H - mean H ref)`` with H the first rating and
    ``beta = cov(M, H) / (var H - error variance)`` pooled within groups: an errors-in-variables
    regression.  It assumes that raters' errors have one variance and are unrelated to the group.

    Result: nan with a reason without an error variance, or when var H within groups does not exceed it.
    Source: Johnson, Liu and McCaffrey (2022) on conditioning on true scores; Fuller (1987) for the slope.

    Parameters
    ----------
    ratings
        (n,) or (n, raters): human scores; responses without a first one are dropped.
    groups
        (n,): label of each response's group.
    reference
        The group to compare with; the largest (ties: the first in order) when left out.

    Examples
    --------
    Group b has true scores a point lower, half the variance of a human score within groups is error, and
    the engine follows true scores (slope 1): no difference given the true score, half a point at equal
    human score.

    >>> human, engine = [1, 2, 2, 3, 2, 3, 3, 4], [1.5, 2, 2, 2.5, 2.5, 3, 3, 3.5]
    >>> found = group_differences_given_true_score(engine, human, list("bbbbaaaa"), reference="a", error_variance=1 / 3)
    >>> round(found.slope, 10), round(found.reliability, 10), found.gap.tolist()
    (1.0, 0.5, [0.0, -1.0])
    >>> found.difference.round(10).tolist(), found.from_rater_error.round(10).tolist()
    ([0.0, 0.0], [0.0, -0.5])
    """
    check_error_variance(error_variance)
    scores, human = as_scores(system, "system"), as_ratings(ratings)
    names = np.asarray(groups, dtype=object)
    check_lengths({"system scores": scores, "rows of ratings": human, "groups": names})
    kept = ~np.isnan(scores) & ~np.isnan(human[:, 0])
    scores, human, names = scores[kept], human[kept], names[kept]
    labels = tuple(sorted(set(names.tolist()), key=lambda label: (str(label), repr(label))))
    codes, first = np.array([labels.index(label) for label in names.tolist()], np.intp), human[:, 0]
    n = np.bincount(codes, minlength=len(labels))
    base = max(labels, key=lambda label: n[labels.index(label)], default=None) if reference is None else reference
    if base not in labels:
        raise ValueError(f"no response is of the reference group {base!r}")
    mean_h, mean_m = (np.bincount(codes, score, len(labels)) / n for score in (first, scores))
    h, m = first - mean_h[codes], scores - mean_m[codes]
    freedom, squares, products = len(first) - len(labels), float(h @ h), float(h @ m)
    variance = rater_error_variance(human) if error_variance is None else error_variance
    slope = float(true_score_slope(products, squares, freedom, variance))
    observed = float(ratio(products, squares))
    at = labels.index(base)
    gap = mean_h - mean_h[at]
    difference = mean_m - mean_m[at] - slope * gap
    with np.errstate(all="ignore"):
        spread = first.std(ddof=1) if len(first) > 1 else np.nan
        standardized = difference / spread if spread > 0 else np.full(len(labels), np.nan)
    return GroupDifferences(
        labels, base, tuple(n.tolist()), difference, standardized, gap,
        np.asarray(difference_from_rater_error(slope, observed, gap)), slope,
        float(ratio(squares - freedom * variance, squares)), float(variance),
        why_undefined(variance, slope),
    )  # fmt: skip


def why_undefined(error_variance: float, value: float, otherwise: str = NOTHING_LEFT_WITHIN) -> str:
    """Return why there is no value given the true score; empty when there is."""
    if math.isnan(error_variance):
        return "no response has two ratings and no rater error variance was given"
    return otherwise if math.isnan(value) else ""
