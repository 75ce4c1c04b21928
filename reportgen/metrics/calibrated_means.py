"""The mean human score of all responses, if people scored some of them and the system scored all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import pair
from reportgen.metrics._arrays import Mask, as_scores, check_lengths, pair_sums, t_quantile
from reportgen.tally.sums import Floats, PairSums

__all__ = ["CalibratedMean", "calibrated_mean"]


@dataclass(frozen=True)
class CalibratedMean:
    """A mean human score, estimated with the help of system scores.

    Parameters
    ----------
    value, standard_error, low, high
        Estimate of the mean human score of all responses, and its interval.
    human, system
        Mean of the available human scores, and of all system scores, both without correction.
    slope
        Share of the difference of mean system scores that is added.
    n, n_unscored
        Responses scored by people, and responses scored only by the system.
    reason
        Why values are nan; empty otherwise.
    """

    value: float
    standard_error: float
    low: float
    high: float
    human: float
    system: float
    slope: float
    n: int
    n_unscored: int
    reason: str = ""


def calibrated_mean(
    system: ArrayLike,
    human: ArrayLike,
    unscored: ArrayLike,
    *,
    level: float = 0.95,
    clusters: tuple[ArrayLike, ArrayLike] | None = None,
) -> CalibratedMean:
    """Estimate the mean human score of all responses, some of which people scored.

    ``mean H + slope (mean M of the unscored - mean M of the scored)``, with the slope that makes the variance
    ``var(H - slope M) / n + slope^2 var(M) / N`` smallest: ``cov(H, M) / var M / (1 + n / N)``. For an uninformative
    system the slope is 0, and the result is the mean of the human scores. The estimate is valid for any bias of the
    system if people scored a random sample, but not if the responses were chosen by their kind.

    Result: nan, with a reason, for fewer than three scored or two unscored responses.
    Source: the regression estimator of double sampling, Cochran (1977, section 12.6); as prediction-powered inference
    with power tuning, Angelopoulos, Duchi and Zrnic (2023).

    Parameters
    ----------
    system, human
        (n,): scores of the responses that people scored.
    unscored
        (N,): system scores of the responses without human scores, NaN if missing.
    clusters
        Integer codes of the test takers of the scored (n,) and unscored (N,) responses, if these are the units.

    Examples
    --------
    The system scores one point too high, and the unscored responses are two points better:

    >>> found = calibrated_mean([2, 3, 4, 5], [1, 2, 3, 4], [4, 5, 6, 7] * 250)
    >>> round(found.value, 2), found.human, round(found.system, 2)
    (4.49, 2.5, 5.49)
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1; found {level}")
    m, h, other = as_scores(system, "system"), as_scores(human, "human"), as_scores(unscored, "unscored")
    check_lengths({"system scores": m, "human scores": h})
    if clusters is not None and (np.shape(clusters[0]) != m.shape or np.shape(clusters[1]) != other.shape):
        raise ValueError("clusters must be two arrays of codes, for scored and for unscored responses")
    both, there = ~np.isnan(m) & ~np.isnan(h), ~np.isnan(other)
    few = both.sum() < 3 or there.sum() < 2
    products = None if clusters is None or few else _products(clusters, h, m, other, both, there)
    return calibrated_mean_of_sums(pair_sums(h, m), pair_sums(other, other), level, products)


class ClusterProducts(NamedTuple):
    """Contributions of test takers to the variance of a calibrated mean.

    products (2, 2): sums over test takers of products of two numbers: the deviations of human scores of their scored
        responses, over n; and the deviations of system scores of their unscored responses, over N, minus the deviations
        of their scored responses, over n.
    candidates, scored: number of test takers, and number with scored responses.
    """

    products: Floats
    candidates: int
    scored: int


def calibrated_mean_of_sums(
    scored: PairSums, unscored: PairSums, level: float = 0.95, clusters: ClusterProducts | None = None
) -> CalibratedMean:
    """Compute `calibrated_mean` from sums over the responses.

    scored: human scores (x) and system scores (y) of the responses that people scored, one slice.
    unscored: system scores (y) of the other responses, one slice.
    clusters: contributions of test takers, if these are the units.

    >>> from reportgen.tally import AS_GIVEN, OVERALL, moments, tally_of
    >>> scored, alone = tally_of([2, 3, 4, 5], [1, 2, 3, 4]), tally_of([4, 5, 6, 7] * 250, [0] * 1000)
    >>> sums = [moments(tally, OVERALL, AS_GIVEN).named().system for tally in (scored, alone)]
    >>> round(calibrated_mean_of_sums(*sums).value, 2)
    4.49
    """
    n, n_unscored = int(scored.n[0]), int(unscored.n[0])
    if n < 3 or n_unscored < 2:
        reason = f"{n} responses with both scores and {n_unscored} with a system score alone; 3 and 2 are needed"
        return CalibratedMean(*(math.nan,) * 7, n, n_unscored, reason)
    human, engine, other = (
        float(mean[0]) for mean in (pair.mean_x(scored), pair.mean_y(scored), pair.mean_y(unscored))
    )
    hh, mm, hm = (float(each(scored)[0]) for each in (pair.squares_x, pair.squares_y, pair.products))
    slope = hm / mm / (1 + n / n_unscored) if mm else 0.0
    value = human + slope * (other - engine)
    ours = max(hh - 2 * slope * hm + slope**2 * mm, 0.0) / n / (n - 2)
    theirs = slope**2 * float(pair.variance_y(unscored)[0]) / n_unscored
    error, freedom = math.sqrt(ours + theirs), float(n - 2)
    if clusters is not None:
        by = np.array([1.0, slope])
        corrected = clusters.candidates / max(clusters.candidates - 1, 1)
        error = math.sqrt(max(float(by @ clusters.products @ by), 0.0) * corrected)
        freedom = float(max(clusters.scored - 2, 1))
    half = t_quantile(freedom, level) * error if error else math.nan  # without variation there is no interval
    everyone = (n * engine + n_unscored * other) / (n + n_unscored)
    return CalibratedMean(value, error, value - half, value + half, human, everyone, slope, n, n_unscored)


def _products(
    clusters: tuple[ArrayLike, ArrayLike], human: Floats, system: Floats, other: Floats, both: Mask, there: Mask
) -> ClusterProducts:
    scored, unscored = (np.asarray(codes) for codes in clusters)
    units, place = np.unique(np.concatenate([scored[both], unscored[there]]), return_inverse=True)
    n, n_unscored = np.count_nonzero(both), np.count_nonzero(there)
    h, m, o = (values - values.mean() for values in (human[both], system[both], other[there]))
    parts = np.concatenate([h / n, 0 * o]), np.concatenate([-m / n, o / n_unscored])
    totals: Floats = np.stack([np.bincount(place, part, len(units)) for part in parts])
    return ClusterProducts(totals @ totals.T, len(units), len(np.unique(place[:n])))
