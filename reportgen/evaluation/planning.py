"""What more double scores would buy: the interval of PRMSE now, and with more responses scored twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reportgen.metrics.double_scoring import (
    double_scores_for_half_width,
    double_scores_for_power,
    double_scores_for_threshold,
    prmse_half_width,
    prmse_power,
)

FEWEST = 10
"""With fewer double scores nothing is planned: PRMSE and the correlation of raters are hardly known."""


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
