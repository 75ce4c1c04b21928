"""How many responses must be scored twice: the precision of PRMSE before the ratings are paid for.

Scores are taken as normal, the engine as calibrated (its error does not depend on its score), and the
responses scored twice as a random part of all.  In units of the true-score variance let w be the
rater error variance, ``(1 - r) / r`` with r the correlation of two raters, and q = 1 - PRMSE the
engine's mean squared error.  PRMSE is ``1 - (A - f ve) / (B - f ve)``, with A the mean squared
difference of human means and engine, B the variance of human means, both weighted by the number of
ratings, and f responses per rating.  The delta method then gives its variance in two parts: that of
the rater error variance ve, which only responses scored twice inform, and that of A and B.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.metrics._arrays import t_quantile

__all__ = [
    "double_scores_for_half_width", "double_scores_for_power", "double_scores_for_threshold", "prmse_half_width",
    "prmse_power", "prmse_standard_error",
]  # fmt: skip

MOST_RESPONSES = 10_000_000  # nobody scores more responses twice; what needs more is not within reach


def prmse_standard_error(
    prmse: float, human_r: float, double_scored: float, n: float | None = None, at: float | None = None
) -> float:
    """Return the standard error that PRMSE will have.

    ``SE = PRMSE x (1 - r) / r x sqrt(2 / double_scored)``, r = human_r: the part of the rater error
    variance, which leads.  When n is given, the part of the other sums is added, and the first is
    multiplied by n / (n + double_scored), since ratings of responses scored twice count twice.

    Result: 0 or more.
    Source: Loukina et al. (2020) on double scoring; the formula is derived here, see benchmarks/validation.md.

    Parameters
    ----------
    prmse
        Expected PRMSE, at most 1.
    human_r
        Correlation of two raters, above 0 and at most 1.
    double_scored
        Responses with a second rating, more than 0.
    n
        All responses, `double_scored` or more; None for as many as make their own noise negligible.
    at
        Value that PRMSE is held against, such as .70; left out, PRMSE itself.  The interval is Fieller's: PRMSE differs
        from a value when ``mse - (1 - at) x true-score variance`` differs from 0, and this is the standard error of
        that, in units of PRMSE.

    Examples
    --------
    >>> round(prmse_standard_error(0.8, 0.65, 100), 3), round(prmse_standard_error(0.8, 0.40, 500), 3)
    (0.061, 0.076)
    >>> round(prmse_standard_error(0.8, 0.65, 100, n=2000), 3)
    0.061
    """
    _check(prmse, human_r)
    if not double_scored > 0 or (n is not None and n < double_scored):
        raise ValueError(f"double_scored must lie between 0 and n; found {double_scored} of {n}")
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
    """Return the half-width that the interval of PRMSE will have.

    ``t x SE``, with Student's t on double_scored - 1 degrees of freedom.

    Result: 0 or more.
    Source: as for `prmse_standard_error`.

    Parameters
    ----------
    prmse, human_r, double_scored, n
        As for `prmse_standard_error`; `double_scored` is at least 2.

    Examples
    --------
    >>> round(prmse_half_width(0.8, 0.65, 570), 3)
    0.05
    """
    if double_scored < 2:
        raise ValueError(f"an interval needs at least 2 responses scored twice; found {double_scored}")
    t = t_quantile(double_scored - 1, level)
    return t * prmse_standard_error(prmse, human_r, double_scored, n)


def double_scores_for_half_width(
    half_width: float, prmse: float, human_r: float, n: float | None = None, level: float = 0.95
) -> int | None:
    """Return how many responses must be scored twice for an interval of PRMSE that narrow.

    Result: 2 or more; None when more than ten million are not enough.
    Source: as for `prmse_standard_error`.

    Parameters
    ----------
    half_width
        Wanted half-width, above 0.
    n
        All responses; more than these are added, scored twice, when all of them are not enough.  None
        for as many as make their own noise negligible.

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
    """Return the smallest number from 2 on that is enough; None where ten million are not."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if low >= MOST_RESPONSES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def double_scores_for_threshold(
    threshold: float, prmse: float, human_r: float, n: float | None = None, level: float = 0.95
) -> int | None:
    """Return how many responses must be scored twice to tell PRMSE from a threshold, if it is what is expected.

    The expected interval then just leaves the threshold out; in about half of all samples the real
    one will not: `prmse_power` says in how many it will, `double_scores_for_power` asks for more.

    Result: None when PRMSE is at the threshold, or ten million are not enough.
    Source: as for `prmse_standard_error`.

    Parameters
    ----------
    threshold
        Such as .70.

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
    """Return the power: how often the interval of PRMSE will leave a threshold out, on the side where PRMSE lies.

    ``Phi(|prmse - threshold| / SE - t)``, with the standard error of ``mse - (1 - threshold) x true-score variance`` in
    units of PRMSE, because Fieller's interval leaves the threshold out when that differs from 0.

    Result: from 0 to 1; (1 - level) / 2 where PRMSE lies at the threshold.
    Source: Fieller (1954) for the interval; the formula is derived here, and `benchmarks/assurance.py power` tests it.

    Parameters
    ----------
    prmse
        Assumed true PRMSE, at most 1.
    threshold
        Such as .70.
    factor
        Standard errors of one's own data over those that the formula expects, above 0.

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
    """Return how many responses must be scored twice for the interval of PRMSE to leave a threshold out so often.

    Result: None when PRMSE is at the threshold, or ten million are not enough.
    Source: as for `prmse_power`.

    Parameters
    ----------
    power
        How often it shall, above 0 and below 1, such as .80.

    Examples
    --------
    >>> double_scores_for_power(0.8, 0.7, 0.8, 0.65), double_scores_for_power(0.8, 0.8, 0.8, 0.65)
    (225, None)
    """
    if not 0 < power < 1:
        raise ValueError(f"power must lie between 0 and 1; found {power}")
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
        raise ValueError(f"human_r must lie above 0 and be at most 1; found {human_r}")


MOST_TIMES, MOST = 20, 100_000
"""A design of more than this many times the responses there are, or of more than this many, is not offered."""

LEAST_TIMES = 2.5
"""Designs up to this many times the responses there are, however many they are, so that one is always offered."""


def chances(
    above_low: float, below_high: float, shrink: float, quantile: float, beyond: float | None = None
) -> tuple[float, float]:
    """Return the probabilities that a requirement will be met, and that it will not be met, with more data.

    Result: probability of *met* and of *not met*; what is left to 1 is the probability that the question stays open.
    With `shrink` of 1 nothing is learnt, and one of the three is certain.
    Source: O'Hagan, Stevens and Campbell (2005), assurance; the variance to come is that of Raiffa and Schlaifer (1961,
    preposterior analysis).

    Parameters
    ----------
    above_low, below_high
        How far the estimate lies inside the lower and the upper bound, in standard errors of today; negative where it
        lies outside, infinite where there is no bound.
    shrink
        Standard error then over standard error now, at least 0 and at most 1.
    quantile
        How many standard errors the interval then reaches to either side, such as 1.96.
    beyond
        The same of the interval that must lie beyond a bound for *not met*, where that is another, as when many groups
        are judged together; at least `quantile`.

    Notes
    -----
    Met from the lower bound: ``Phi((above_low - quantile x shrink) / sqrt(1 - shrink^2))``; the other three in the same
    way, and of two bounds both must hold.

    Examples
    --------
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
    """Return the probability that a normal deviate of this spread does not use up the distance."""
    if spread == 0 or math.isinf(distance):
        return float(distance >= 0)
    return math.erfc(-distance / spread / math.sqrt(2)) / 2


def sizes(n: int) -> tuple[int, ...]:
    """Return the round numbers of responses that are worth offering where there are `n`: 100, 200, 500, 1,000 ...

    Examples
    --------
    >>> sizes(242), sizes(90_000)
    ((500, 1000, 2000), (100000, 200000))
    """
    most = max(LEAST_TIMES * n, min(MOST_TIMES * n, MOST))
    rounds = (step * 10**power for power in range(2, 19) for step in (1, 2, 5))
    return tuple(each for each in rounds if n < each <= most)


FEWEST = 10  # with fewer double scores nothing is planned: PRMSE and the correlation of raters are hardly known


@dataclass(frozen=True)
class PrmsePlan:
    """What is expected of PRMSE.

    n: All responses; None for as many as make their own noise negligible.
    double: Responses scored twice so far; None before any are.
    factor: What the half-width found is of the half-width that the formula expects: normal scores are its assumption,
        and the data's own interval corrects for what they are not.
    """

    prmse: float
    human_r: float
    n: int | None = None
    double: int | None = None
    level: float = 0.95
    factor: float = 1.0

    def half_width(self, double: int) -> float:
        """Return the expected half-width with so many double scores; responses are added when they are too few."""
        return self.factor * prmse_half_width(self.prmse, self.human_r, double, self.responses(double), self.level)

    def responses(self, double: int) -> int | None:
        """Return all responses when so many are scored twice."""
        return None if self.n is None else max(self.n, double)

    def for_half_width(self, half_width: float) -> int | None:
        """Return the double scores that an interval this narrow needs; None when there are never enough."""
        wanted = half_width / self.factor
        return double_scores_for_half_width(wanted, self.prmse, self.human_r, self.n, self.level)

    def for_threshold(self, threshold: float) -> int | None:
        """Return the double scores that tell PRMSE from a threshold; None when there are never enough."""
        distance = self.prmse + (threshold - self.prmse) / self.factor
        return double_scores_for_threshold(distance, self.prmse, self.human_r, self.n, self.level)

    def for_power(self, threshold: float, power: float) -> int | None:
        """Return the double scores that tell PRMSE from a threshold so often; None when there are never enough."""
        return double_scores_for_power(power, threshold, self.prmse, self.human_r, self.n, self.level, self.factor)

    def power(self, double: int, threshold: float) -> float:
        """Return how often so many double scores tell PRMSE from a threshold, if it is what is expected."""
        all_ = self.responses(double)
        return prmse_power(self.prmse, threshold, self.human_r, double, all_, self.level, self.factor)


def plan_from_data(
    prmse: float, true_variance: float, error_variance: float, n: int, double: int, width: float | None, level: float
) -> PrmsePlan | None:
    """Return the plan that data allow; None where they say too little of PRMSE or of the raters.

    width: Width of the interval of PRMSE; None where it has none.
    """
    if double < FEWEST or not (0 < prmse <= 1 and true_variance > 0 and error_variance > 0):
        return None
    human_r = true_variance / (true_variance + error_variance)
    expected = prmse_half_width(prmse, human_r, double, max(n, double), level)
    factor = width / 2 / expected if width is not None and expected > 0 else 1.0
    return PrmsePlan(prmse, human_r, max(n, double), double, level, factor)


@dataclass(frozen=True)
class Prospect:
    """The half-width to expect with so many double scores, what that number is, and its power against a threshold."""

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
) -> tuple[Prospect, ...]:
    """Return what to expect: now, with twice and four times as many double scores, and what the aims need.

    counts: Numbers of double scores; left out, the present number, twice and four times it.
    half_widths, thresholds: Aims: an interval that narrow, an interval that leaves the threshold out.
    power: How often the interval shall leave it out; left out, the expected interval just does, about every other time.
    """
    if plan.double and not counts:
        named = [("now", plan.double), ("twice as many", 2 * plan.double), ("four times as many", 4 * plan.double)]
    else:
        named = [("given", count) for count in counts]
    only = thresholds[0] if len(thresholds) == 1 else None
    aims: list[tuple[str, int | None, float | None]] = [(what, count, only) for what, count in named]
    aims += [(f"half-width {wanted:g}", plan.for_half_width(wanted), only) for wanted in half_widths]
    for at in thresholds:
        count = plan.for_threshold(at) if power is None else plan.for_power(at, power)
        aims.append((f"threshold {at:.2f}", count, at))
    return tuple(_prospect(plan, *aim) for aim in aims)


def _prospect(plan: PrmsePlan, what: str, double: int | None, threshold: float | None) -> Prospect:
    if double is None:
        return Prospect(what, None, None, threshold=threshold)
    power = None if threshold is None else plan.power(double, threshold)
    return Prospect(what, double, plan.half_width(double), plan.responses(double), threshold, power)
