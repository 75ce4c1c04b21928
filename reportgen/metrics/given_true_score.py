"""Group differences and association with a covariate at equal true scores.

Because raters err, responses with equal human scores differ in their true scores if their groups or lengths do. A group
with lower true scores then seems to be scored too low at equal human scores by a fair engine. The difference given the
*true* score uses the slope on the true score, ``cov(M, H) / (var H - error variance)``, pooled within groups, instead
of the slope on one human score.
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
    """Association of the system score with a covariate.

    Parameters
    ----------
    given_true_score
        Partial correlation of system score and covariate given the true score, between -1 and 1.
    points
        Change of the system score per SD of the covariate at equal true scores.
    given_human_score
        The same partial correlation given one human score.
    system, human
        Correlations of the system's and of the first human score with the covariate.
    n
        Responses with all three.
    error_variance
        Of one rater, given or estimated.
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
    """Compute the association of the system score M with a covariate X at equal true scores T.

    With ``cov(T, .) = cov(H, .)`` and ``var T = var H - error variance`` the partial correlation is
    ``S(MX) / root(S(MM) S(XX))``, ``S(ab) = cov(a, b) - cov(T, a) cov(T, b) / var T``; ``points`` is
    ``SD(X) S(MX) / S(XX)``.

    Result: nan, with a reason, without an error variance, or if rater error explains all variance of the human scores.
    Source: Fuller (1987), chapter 2, for errors in variables of known variance.

    Parameters
    ----------
    ratings
        (n,) or (n, raters): human scores; responses without a first one are dropped.

    Examples
    --------
    True scores are 1 and 3, the rater errs by 1, and the engine ignores length, which grows with the true score. The
    association is 0 given the true score, but not given the human score:

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
        key: np.asarray(part.sum()) for key, part in covariate_features(scores[kept], human[kept], given[kept]).items()
    }
    with np.errstate(all="ignore"):
        found = {name: float(value[0]) for name, value in covariate_statistics(sums, error_variance).items()}
    return CovariateAssociation(
        found["given_true_score"], found["points"], found["given_human_score"], found["system"], found["human"],
        int(kept.sum()), float(variance), why_undefined(variance, found["points"], NOTHING_LEFT),
    )  # fmt: skip


def usable(system: Floats, ratings: Floats, covariate: Floats) -> np.ndarray:
    """Return which responses have a system score, a first human score, and a covariate."""
    return np.asarray(~np.isnan(system) & ~np.isnan(ratings[:, 0]) & ~np.isnan(covariate))


def covariate_features(system: Floats, ratings: Floats, covariate: Floats) -> dict[str, Floats]:
    """Compute the contribution of each response to the sums of `covariate_statistics`."""
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
    """Compute the associations from sums, (1,) each; complex-safe."""
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


NOTHING_LEFT = "human scores vary no more than rater error alone would explain, or the covariate is constant"
NOTHING_LEFT_WITHIN = "human scores differ within groups no more than rater error alone would explain"

POWER, SIGNIFICANCE = 0.80, 0.05  # power and significance level that define the minimum detectable difference


def true_score_slope(
    products: Floats | float, squares: Floats | float, freedom: Floats | float, error_variance: Floats | float
) -> Floats:
    """Compute the slope of the system score on the true score, pooled within groups.

    ``products / (squares - freedom x error variance)``, without the part of the squares that is rater error.

    Result: nan if rater error explains all variance of human scores within groups.
    Source: Fuller (1987), section 1.2, for the slope with known error variance.

    products, squares: sums over all groups of (H - group mean) (M - group mean), and of (H - group mean) squared.
    freedom: number of responses minus number of groups.

    >>> float(true_score_slope(6.0, 12.0, 8, 0.5))
    0.75
    """
    true = np.asarray(squares - freedom * error_variance)
    return ratio(products, np.where(np.real(true) > 0, true, np.nan))


def difference_from_rater_error(
    slope: Floats | float, observed_slope: Floats | float, gap: Floats | float
) -> Floats | float:
    """Compute the difference of two groups at equal human scores that rater error causes.

    ``(slope - observed slope) x gap``or ``slope x (1 - reliability) x gap``, because the ratio of the slopes is the
    reliability of one human score within groups. Conditioning on the human score adds this difference to the one given
    the true score, for any n.

    slope, observed_slope: slopes of the system score on the true score and on one human score, within groups.
    gap: mean human score of one group minus the mean of the other.

    Reliability .65, groups half a point apart, and slope .8:

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
    """Compute the smallest true difference that a two-sided test detects with this power.

    ``(t(1 - significance / 2) + t(power)) x standard error``, t the quantiles of Student's t.

    Result: 0 or more; nan if the standard error is nan or without degrees of freedom.
    Source: Bloom (1995), who calls the factor the multiple of the standard error (2.80 at 80% and 5%).

    Parameters
    ----------
    standard_error
        Of the difference, observed or expected.
    freedom
        Degrees of freedom; infinite for the normal distribution.
    power, significance
        Probability of detecting a difference of this size, and of detecting a difference of 0.

    Examples
    --------
    >>> round(float(minimum_detectable_difference(1.0)), 2)
    2.8
    """
    from scipy.special import ndtri, stdtrit

    if not (0 < power < 1 and 0 < significance < 1):
        raise ValueError(f"power and significance must be between 0 and 1; found {power} and {significance}")
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
        The groups, and the reference group.
    n
        Responses of each group.
    difference
        Of each group, in points of the system score; 0 for the reference.
    standardized
        The same in standard deviations of all human scores.
    gap
        Mean human score minus the mean of the reference.
    from_rater_error
        Additional difference when conditioning on one human score.
    slope, reliability
        Of the system score on the true score; of one human score within groups.
    error_variance
        Of one rater, given or estimated.
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
    """Compute how much higher the system scores groups than a reference of equal true scores.

    ``D = (mean M - mean M ref) - beta (mean H - mean H ref)`` with H the first rating and
    ``beta = cov(M, H) / (var H - error variance)`` pooled within groups: an errors-in-variables regression. It assumes
    rater errors with the same variance in all groups and unrelated to the group.

    Result: nan, with a reason, without an error variance or if var H within groups does not exceed it.
    Source: Johnson, Liu and McCaffrey (2022) on conditioning on true scores; Fuller (1987) for the slope.

    Parameters
    ----------
    ratings
        (n,) or (n, raters): human scores; responses without a first one are dropped.
    reference
        The group to compare with; default: the largest, or the first of several.

    Examples
    --------
    True scores of group b are one point lower, half of the variance of human scores within groups is error, and the
    engine follows true scores. The difference is 0 given the true score, and half a point at equal human scores:

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
        raise ValueError(f"no response belongs to the reference group {base!r}")
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
    """Return why a value given the true score is undefined; empty if it is defined."""
    if math.isnan(error_variance):
        return "no response has two ratings and no rater error variance was given"
    return otherwise if math.isnan(value) else ""
