"""How many responses to score twice, from the precision of PRMSE before the ratings are collected.

Scores are assumed to be normal, the engine calibrated (its error does not depend on its score), and the double-scored
responses a random sample. In units of the true-score variance, let w be the rater error variance, ``(1 - r) / r`` with
r the correlation of two raters, and q = 1 - PRMSE the engine's mean squared error. PRMSE is
``1 - (A - f ve) / (B - f ve)``, with A the mean squared difference of human means and engine, B the variance of human
means, both weighted by the number of ratings, and f responses per rating. The delta method gives its variance in two
parts: the part of the rater error variance ve, which only double-scored responses inform, and the part of A and B.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.metrics._arrays import t_quantile

__all__ = [
    "double_scores_for_half_width", "double_scores_for_power", "double_scores_for_threshold", "prmse_half_width",
    "prmse_power", "prmse_standard_error",
]  # fmt: skip

MOST_RESPONSES = 10_000_000  # more double scores are not realistic


def prmse_standard_error(
    prmse: float, human_r: float, double_scored: float, n: float | None = None, at: float | None = None
) -> float:
    """Compute the expected standard error of PRMSE.

    ``SE = PRMSE x (1 - r) / r x sqrt(2 / double_scored)``, with r = human_r, is the part of the rater error variance,
    which dominates. With n, the part of the other sums is added, and the first part is multiplied by n / (n +
    double_scored), because ratings of double-scored responses count twice.

    Result: 0 or more.
    Source: Loukina et al. (2020) on double scoring; the formula is ours (benchmarks/validation.md).

    Parameters
    ----------
    prmse
        Expected PRMSE, at most 1.
    human_r
        Correlation of two raters, above 0 and at most 1.
    double_scored
        Responses with a second rating, more than 0.
    n
        All responses, `double_scored` or more; None if their sampling error is negligible.
    at
        Value to compare PRMSE with, such as .70; default: PRMSE. By Fieller's interval, PRMSE differs from a value if
        ``mse - (1 - at) x true-score variance`` differs from 0; the result is the standard error of this difference, in
        units of PRMSE.

    Examples
    --------
    >>> round(prmse_standard_error(0.8, 0.65, 100), 3), round(prmse_standard_error(0.8, 0.40, 500), 3)
    (0.061, 0.076)
    >>> round(prmse_standard_error(0.8, 0.65, 100, n=2000), 3)
    0.061
    """
    _check(prmse, human_r)
    if not double_scored > 0 or (n is not None and n < double_scored):
        raise ValueError(f"double_scored must be between 0 and n; found {double_scored} of {n}")
    at = prmse if at is None else at
    noise, missed, asked = (1 - human_r) / human_r, 1 - prmse, 1 - at
    if n is None:
        return abs(at) * noise * math.sqrt(2 / double_scored)
    ratings, single = n + double_scored, n - double_scored
    by_rater_error = (n / ratings * at * noise) ** 2 * 2 / double_scored
    parts = ((single, 1, noise), (double_scored, 2, noise / 2))
    of_errors = sum(2 * k * c**2 * (missed + w) ** 2 for k, c, w in parts) / ratings**2
    of_scores = sum(2 * k * c**2 * (1 + w) ** 2 for k, c, w in parts) / ratings**2
    # a calibrated engine's error is uncorrelated with it: cov(H - M, H) = var(H - M)
    return math.sqrt(max(by_rater_error + of_errors * (1 - 2 * asked) + asked**2 * of_scores, 0.0))


def prmse_half_width(
    prmse: float, human_r: float, double_scored: float, n: float | None = None, level: float = 0.95
) -> float:
    """Compute the expected half-width of the interval of PRMSE.

    ``t x SE``, with Student's t on double_scored - 1 degrees of freedom.

    Result: 0 or more.
    Source: see `prmse_standard_error`. `double_scored` is at least 2.

    Examples
    --------
    >>> round(prmse_half_width(0.8, 0.65, 570), 3)
    0.05
    """
    if double_scored < 2:
        raise ValueError(f"an interval requires at least 2 double-scored responses; found {double_scored}")
    t = t_quantile(double_scored - 1, level)
    return t * prmse_standard_error(prmse, human_r, double_scored, n)


def double_scores_for_half_width(
    half_width: float, prmse: float, human_r: float, n: float | None = None, level: float = 0.95
) -> int | None:
    """Compute the double-scored responses required for an interval of PRMSE this narrow.

    Result: 2 or more; None if ten million are not enough.
    Source: see `prmse_standard_error`.

    Parameters
    ----------
    half_width
        Target half-width, above 0.
    n
        All responses; if all of them are not enough, double-scored responses are added. None if their sampling error is
        negligible.

    Examples
    --------
    >>> [double_scores_for_half_width(0.05, 0.8, r) for r in (0.8, 0.65, 0.4)]
    [126, 573, 4428]
    """
    if not half_width > 0:
        raise ValueError(f"half_width must be above 0; found {half_width}")
    return _fewest(
        lambda count: prmse_half_width(prmse, human_r, count, None if n is None else max(n, count), level) <= half_width
    )


def _fewest(enough: Callable[[int], bool]) -> int | None:
    fewest = bisect_left(range(MOST_RESPONSES + 1), True, lo=2, key=enough)
    return fewest if fewest <= MOST_RESPONSES else None


def double_scores_for_threshold(
    threshold: float, prmse: float, human_r: float, n: float | None = None, level: float = 0.95
) -> int | None:
    """Compute the double-scored responses whose expected interval excludes a threshold.

    In about half of all samples, the interval will still include the threshold. `prmse_power` computes how often it
    excludes it, and `double_scores_for_power` the number for a given power.

    Result: None if PRMSE equals the threshold or ten million are not enough.
    Source: see `prmse_standard_error`.

    Examples
    --------
    >>> double_scores_for_threshold(0.7, 0.8, 0.65), double_scores_for_threshold(0.8, 0.8, 0.65)
    (145, None)
    """
    distance = abs(prmse - threshold)
    _check(prmse, human_r)
    return None if distance == 0 else double_scores_for_half_width(distance, prmse, human_r, n, level)


def prmse_power(
    prmse: float,
    threshold: float,
    human_r: float,
    double_scored: int,
    n: float | None = None,
    level: float = 0.95,
    factor: float = 1.0,
) -> float:
    """Compute how often the interval of PRMSE excludes a threshold, on the side of PRMSE.

    ``Phi(|prmse - threshold| / SE - t)``, with the standard error of ``mse - (1 - threshold) x true-score variance`` in
    units of PRMSE, because Fieller's interval excludes the threshold if this difference is not 0.

    Result: from 0 to 1; (1 - level) / 2 if PRMSE equals the threshold.
    Source: Fieller (1954) for the interval; the formula is ours, tested by `benchmarks/assurance.py power`.

    Parameters
    ----------
    prmse
        Assumed true PRMSE, at most 1.
    factor
        Ratio of the standard error in your data to the formula's, above 0.

    Examples
    --------
    >>> round(prmse_power(0.8, 0.7, 0.65, 145), 2), round(prmse_power(0.8, 0.7, 0.65, 300, n=2000), 2)
    (0.61, 0.85)
    """
    from scipy.special import ndtr

    if double_scored < 2 or not factor > 0:
        raise ValueError(f"expected 2 double scores and a factor above 0; found {double_scored} and {factor}")
    error = factor * prmse_standard_error(prmse, human_r, double_scored, n, threshold)
    t = t_quantile(double_scored - 1, level)
    distance = abs(prmse - threshold)
    if distance == 0:
        return (1 - level) / 2
    return float(ndtr(distance / error - t)) if error else 1.0


def double_scores_for_power(
    power: float,
    threshold: float,
    prmse: float,
    human_r: float,
    n: float | None = None,
    level: float = 0.95,
    factor: float = 1.0,
) -> int | None:
    """Compute the double-scored responses required to exclude a threshold with this power.

    Result: None if PRMSE equals the threshold or ten million are not enough.
    Source: see `prmse_power`.

    Parameters
    ----------
    power
        How often the interval excludes the threshold, above 0 and below 1, such as .80.

    Examples
    --------
    >>> double_scores_for_power(0.8, 0.7, 0.8, 0.65), double_scores_for_power(0.8, 0.8, 0.8, 0.65)
    (225, None)
    """
    if not 0 < power < 1:
        raise ValueError(f"power must be between 0 and 1; found {power}")
    _check(prmse, human_r)
    if prmse == threshold:
        return None

    def enough(count: int) -> bool:
        all_ = None if n is None else max(n, count)
        return prmse_power(prmse, threshold, human_r, count, all_, level, factor) >= power

    return _fewest(enough)


def _check(prmse: float, human_r: float) -> None:
    if not (np.isfinite(prmse) and prmse <= 1):
        raise ValueError(f"prmse must be a number of at most 1; found {prmse}")
    if not 0 < human_r <= 1:
        raise ValueError(f"human_r must be above 0 and at most 1; found {human_r}")


MOST_TIMES, MOST = 20, 100_000  # largest design offered: this many times the present responses, and this many in all

LEAST_TIMES = 2.5
"""Designs up to this many times the present responses are always offered, so that there is at least one."""


def chances(
    above_low: float, below_high: float, shrink: float, quantile: float, beyond: float | None = None
) -> tuple[float, float]:
    """Compute the probabilities that a requirement is met, and not met, with more data.

    Result: probability of *met* and of *not met*; the rest is the probability of *inconclusive*. With `shrink` of 1
    nothing changes, and one of the three is certain.
    Source: O'Hagan, Stevens and Campbell (2005), on assurance; Raiffa and Schlaifer (1961, preposterior analysis) for
    the future variance.

    above_low, below_high: how far the estimate is inside the lower and the upper bound, in current standard errors;
        negative outside, infinite without a bound.
    shrink: ratio of the future to the current standard error, 0 to 1.
    quantile: half-width of the future interval in standard errors, such as 1.96.
    beyond: the same for *not met* if it differs, such as for many groups that are tested together; at least `quantile`.

    Met from the lower bound: ``Phi((above_low - quantile x shrink) / sqrt(1 - shrink^2))``; the other three are
    computed in the same way, and with two bounds both must be met.

    An estimate one standard error above the limit; four times as many data:

    >>> met, not_met = chances(1.0, float("inf"), 0.5, 1.96)
    >>> round(met, 3), round(not_met, 3)
    (0.509, 0.011)
    """
    if not (0 <= shrink <= 1 and quantile >= 0):
        raise ValueError(f"expected a share from 0 to 1 and a quantile of at least 0, found {shrink} and {quantile}")
    spread, reach = math.sqrt(1 - shrink**2), quantile * shrink
    over = reach if beyond is None else beyond * shrink
    met = _beyond(above_low - reach, spread) + _beyond(below_high - reach, spread) - 1
    not_met = _beyond(-above_low - over, spread) + _beyond(-below_high - over, spread)
    return max(met, 0.0), min(not_met, 1.0)


def _beyond(distance: float, spread: float) -> float:
    if spread == 0 or math.isinf(distance):
        return float(distance >= 0)
    return math.erfc(-distance / spread / math.sqrt(2)) / 2


def sizes(n: int) -> tuple[int, ...]:
    """Return the round numbers of responses to offer for `n` present ones.

    >>> sizes(242), sizes(90_000)
    ((500, 1000, 2000), (100000, 200000))
    """
    most = max(LEAST_TIMES * n, min(MOST_TIMES * n, MOST))
    rounds = (step * 10**power for power in range(2, 19) for step in (1, 2, 5))
    return tuple(each for each in rounds if n < each <= most)


FEWEST = 10  # with fewer double scores, PRMSE and the correlation of raters are too uncertain to plan


@dataclass(frozen=True)
class PrmsePlan:
    """Precision of PRMSE for a number of double-scored responses."""

    prmse: float
    human_r: float
    n: int | None = None  # all responses; None if their sampling error is negligible
    double: int | None = None  # responses scored twice so far; None before any are
    level: float = 0.95
    factor: float = 1.0  # ratio of the observed half-width to the formula's, which assumes normal scores

    def half_width(self, double: int) -> float:
        """Return the expected half-width; responses are added if they are too few."""
        return self.factor * prmse_half_width(self.prmse, self.human_r, double, self.responses(double), self.level)

    def responses(self, double: int) -> int | None:
        """Return the number of all responses if this many are scored twice."""
        return None if self.n is None else max(self.n, double)

    def for_half_width(self, half_width: float) -> int | None:
        """Return the double scores required for a half-width, or None."""
        return double_scores_for_half_width(half_width / self.factor, self.prmse, self.human_r, self.n, self.level)

    def for_threshold(self, threshold: float) -> int | None:
        """Return the double scores whose expected interval excludes a threshold, or None."""
        distance = self.prmse + (threshold - self.prmse) / self.factor
        return double_scores_for_threshold(distance, self.prmse, self.human_r, self.n, self.level)

    def for_power(self, threshold: float, power: float) -> int | None:
        """Return the double scores that exclude a threshold with this power, or None."""
        return double_scores_for_power(power, threshold, self.prmse, self.human_r, self.n, self.level, self.factor)

    def power(self, double: int, threshold: float) -> float:
        """Return how often this many double scores exclude the threshold."""
        all_ = self.responses(double)
        return prmse_power(self.prmse, threshold, self.human_r, double, all_, self.level, self.factor)


def plan_from_data(
    prmse: float, true_variance: float, error_variance: float, n: int, double: int, width: float | None, level: float
) -> PrmsePlan | None:
    """Return the plan for the data, or None if they are too few to estimate PRMSE or rater error.

    width: width of the interval of PRMSE, or None.
    """
    if double < FEWEST or not (0 < prmse <= 1 and true_variance > 0 and error_variance > 0):
        return None
    human_r = true_variance / (true_variance + error_variance)
    expected = prmse_half_width(prmse, human_r, double, max(n, double), level)
    factor = width / 2 / expected if width is not None and expected > 0 else 1.0
    return PrmsePlan(prmse, human_r, max(n, double), double, level, factor)


@dataclass(frozen=True)
class Prospect:
    """Expected half-width for a number of double scores, the role of that number, and its power."""

    what: str
    double: int | None
    half_width: float | None
    n: int | None = None
    threshold: float | None = None
    power: float | None = None


def prospects(
    plan: PrmsePlan,
    counts: Iterable[int] = (),
    half_widths: Sequence[float] = (),
    thresholds: Sequence[float] = (),
    power: float | None = None,
    what: str = "given",
) -> tuple[Prospect, ...]:
    """Compute the expected precision now, with two and four times the double scores, and for each target.

    counts, what: numbers of double scores, and their label; default: the present number, twice, and four times it.
    half_widths, thresholds: target half-widths, and thresholds to exclude from the interval.
    power: how often the interval excludes the threshold; default: only the expected interval does.
    """
    if plan.double and not counts:
        named = [("now", plan.double), ("twice as many", 2 * plan.double), ("four times as many", 4 * plan.double)]
    else:
        named = [(what, count) for count in counts]
    only = thresholds[0] if len(thresholds) == 1 else None
    aims: list[tuple[str, int | None, float | None]] = [(what, count, only) for what, count in named]
    aims += [(f"half-width {wanted:g}", plan.for_half_width(wanted), only) for wanted in half_widths]
    for at in thresholds:
        count = plan.for_threshold(at) if power is None else plan.for_power(at, power)
        aims.append((f"threshold {max(f'{at:.2f}', f'{at:g}', key=len)}", count, at))
    return tuple(_prospect(plan, *aim) for aim in aims)


def _prospect(plan: PrmsePlan, what: str, double: int | None, threshold: float | None) -> Prospect:
    if double is None:
        return Prospect(what, None, None, threshold=threshold)
    power = None if threshold is None else plan.power(double, threshold)
    return Prospect(what, double, plan.half_width(double), plan.responses(double), threshold, power)
