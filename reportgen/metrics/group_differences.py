"""Group differences in system scores given the true score, and how small a difference can be seen.

Raters err, so responses with equal human scores differ in what they deserve when their groups do: a
group with lower true scores then seems to be scored too low at equal human score by an engine that
treats everybody alike.  The difference given the *true* score takes the slope on the true score,
``cov(M, H) / (var H - error variance)``, pooled within groups, instead of the slope on one human score.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_ratings, as_scores
from reportgen.metrics.pair import ratio
from reportgen.metrics.proportional_reduction import check_error_variance, rater_error_variance
from reportgen.tally.sums import Floats

POWER, SIGNIFICANCE = 0.80, 0.05
"""The chance of seeing a difference that "detectable" means, and the chance of seeing one that is not there."""


def true_score_slope(
    products: Floats | float, squares: Floats | float, freedom: Floats | float, error_variance: Floats | float
) -> Floats:
    """Return the slope of the system score on the true score, pooled within groups.

    ``products / (squares - freedom x error variance)``: what rater error adds to the sum of squares of
    human scores about their group's mean is taken away.

    Parameters
    ----------
    products, squares
        Sums over all groups of (H - mean H of the group) (M - mean M of the group), and of the square of
        the first factor.
    freedom
        Responses less groups.
    error_variance
        Variance of one rater's error.

    Returns
    -------
    numpy.ndarray
        nan where human scores differ within groups no more than rater error makes them.

    References
    ----------
    Fuller (1987), section 1.2, for the slope with known error variance.

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

    Returns
    -------
    numpy.ndarray
        0 or more; nan where the standard error is nan or there are no degrees of freedom.

    Raises
    ------
    ValueError
        When power or significance does not lie between 0 and 1.

    References
    ----------
    Bloom (1995), who calls the factor the multiple of the standard error: 2.80 at 80 % and 5 %.

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

    Parameters
    ----------
    system
        (n,): system scores M, NaN where missing.
    ratings
        (n,) or (n, raters): human scores; responses without a first one are dropped.
    groups
        (n,): label of each response's group.
    reference
        The group to compare with; the largest (ties: the first in order) when left out.
    error_variance
        Variance of one rater's error; estimated from responses with several ratings when left out.

    Returns
    -------
    GroupDifferences
        nan with a reason without an error variance, or when var H within groups does not exceed it.

    Raises
    ------
    ValueError
        When lengths differ, a score is infinite, the error variance is negative, or no response is of
        the reference group.

    References
    ----------
    Johnson, Liu and McCaffrey (2022) on conditioning on true scores; Fuller (1987) for the slope.

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
    if not len(scores) == len(human) == len(names):
        raise ValueError(
            f"lengths differ: {len(scores)} system scores, {len(human)} rows of ratings, {len(names)} groups"
        )
    kept = ~np.isnan(scores) & ~np.isnan(human[:, 0])
    scores, human, names = scores[kept], human[kept], names[kept]
    labels = tuple(sorted(set(names.tolist()), key=lambda label: (str(label), repr(label))))
    codes = np.array([labels.index(label) for label in names.tolist()], np.intp)
    n = np.bincount(codes, minlength=len(labels))
    base = max(labels, key=lambda label: n[labels.index(label)], default=None) if reference is None else reference
    if base not in labels:
        raise ValueError(f"no response is of the reference group {base!r}")
    return _differences(scores, human, codes, labels, n.astype(np.float64), base, error_variance)


def _differences(
    scores: Floats, human: Floats, codes: Any, labels: tuple[Any, ...], n: Floats, base: Any, given: float | None
) -> GroupDifferences:
    """Return the differences of scores without gaps."""
    first = human[:, 0]
    mean_h, mean_m = (np.bincount(codes, score, len(labels)) / n for score in (first, scores))
    h, m = first - mean_h[codes], scores - mean_m[codes]
    freedom, squares, products = len(first) - len(labels), float(h @ h), float(h @ m)
    variance = rater_error_variance(human) if given is None else given
    slope = float(true_score_slope(products, squares, freedom, variance))
    observed = float(ratio(products, squares))
    at = labels.index(base)
    gap = mean_h - mean_h[at]
    difference = mean_m - mean_m[at] - slope * gap
    with np.errstate(all="ignore"):
        spread = first.std(ddof=1) if len(first) > 1 else np.nan
        standardized = difference / spread if spread > 0 else np.full(len(labels), np.nan)
    return GroupDifferences(
        labels, base, tuple(int(size) for size in n), difference, standardized, gap,
        np.asarray(difference_from_rater_error(slope, observed, gap)), slope,
        float(ratio(squares - freedom * variance, squares)), float(variance),
        why_undefined(variance, slope),
    )  # fmt: skip


def why_undefined(error_variance: float, slope: float) -> str:
    """Return why there is no difference given the true score; empty when there is."""
    if math.isnan(error_variance):
        return "no response has two ratings and no rater error variance was given"
    if math.isnan(slope):
        return "human scores differ within groups no more than rater error alone makes them differ"
    return ""
