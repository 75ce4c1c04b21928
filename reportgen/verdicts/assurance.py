"""Compute what would settle an open requirement: the probability of a clear answer with more data."""

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from reportgen.metrics import METRICS
from reportgen.metrics.double_scoring import chances, prmse_standard_error, sizes
from reportgen.results import ENOUGH, Chance, Estimate, Needed
from reportgen.tally.intervals import SCALES

DOUBLE: Needed = "double-scored responses"
SINGLE: Needed = "responses"

WORTH = 0.5  # the least probability with which the largest offered design is still proposed

FEWEST = 30  # with fewer responses, no plan is made, because their own spread is hardly known

Lookup = Callable[[str], Estimate | None]  # looks up another statistic of the same responses by key

Bounds = tuple[float | None, float | None]

Shrink = Callable[[int, int], float]
"""Ratio of the future standard error to the current one, given (double-scored responses, all responses)."""


class Outlook(NamedTuple):
    """The probabilities of a clear answer.

    cheapest: The design with the fewest additional ratings that reaches the probability `ENOUGH`, otherwise the largest
        one if it reaches `WORTH`; None if no offered design does.
    """

    of: Needed = ""  # which responses the requirement needs; "" if unknown
    offered: tuple[Chance, ...] = ()  # probabilities with round numbers of responses
    cheapest: Chance | None = None


def outlook(
    statistic: str, estimate: Estimate, bounds: Bounds, rests_on: str, lookup: Lookup, wider: Estimate | None = None
) -> Outlook:
    """Compute the probability of a clear answer with more data, if an interval crosses a bound.

    No design is offered without an interval, or with too few responses for a plan.

    statistic, estimate: Key of the statistic and its estimate.
    bounds: The lower and the upper bound.
    rests_on: Responses behind the statistic, as in `reportgen.results.Series`.
    lookup: Looks up other statistics of the same responses.
    wider: The estimate with the interval that must be beyond a bound, if it is wider than its own.
    """
    if estimate.value is None or estimate.low is None or estimate.high is None or estimate.n < FEWEST:
        return Outlook()
    above, below = (_inside(statistic, estimate, bound, sign) for bound, sign in zip(bounds, (1, -1), strict=True))
    of, everything, shrink = _data(statistic, estimate, rests_on, lookup)
    times_as_wide, most = _times_as_wide(estimate, wider), max(sizes(estimate.n))

    def chance(n: int, anew: bool = False) -> Chance:
        responses = n if of == SINGLE else everything + n - estimate.n if anew else max(everything, n)
        reach, new = _quantile(n, estimate.level), responses - everything
        met, not_met = chances(above, below, min(shrink(n, responses), 1.0), reach, times_as_wide * reach)
        ratings = n - estimate.n + (new if of == DOUBLE else 0)  # a new response is rated, and possibly rated again
        return Chance(n, of, met, not_met, new, ratings)

    def least(anew: bool) -> Chance:
        every = range(estimate.n + 1, most + 1)
        return chance(every[bisect_left(every, ENOUGH, hi=len(every) - 1, key=lambda n: chance(n, anew).clear)], anew)

    found = [each for anew in (False, True) if (each := least(anew)).is_enough]
    offered = tuple(map(chance, sizes(estimate.n)))
    found = found or [each for each in offered[-1:] if each.clear >= WORTH]
    return Outlook(of, offered, min(found, key=lambda each: each.ratings, default=None))


def lacking(estimate: Estimate, rests_on: str, min_n: int) -> Needed:
    """Return which ratings are missing if an estimate cannot be evaluated; "" if ratings are not the problem."""
    if not rests_on or estimate.n >= max(min_n, 2):
        return ""
    return SINGLE if rests_on == "system" else DOUBLE


def _inside(statistic: str, estimate: Estimate, bound: float | None, sign: int) -> float:
    """Return how many standard errors the estimate is inside a bound, from its interval's end on that side.

    On the scale on which the interval is symmetric, the end is as many standard errors away as its quantile.
    """
    value, low, high = (float(each or 0.0) for each in (estimate.value, estimate.low, estimate.high))
    if bound is None:
        return math.inf
    known = METRICS.get(estimate.metric)
    transform = "none" if known is None or statistic.startswith("degradation.") else known.transform
    end = low if bound < value else high
    at, limit, last = (_scaled(each, transform) for each in (value, bound, end))
    if not (math.isfinite(at) and math.isfinite(last)):
        at, limit, last = value, bound, end
    if at == last:
        return 0.0
    return sign * (at - limit) / abs(at - last) * _quantile(estimate.n, estimate.level)


def _times_as_wide(estimate: Estimate, wider: Estimate | None) -> float:
    if wider is None or None in (wider.low, wider.high, estimate.low, estimate.high) or estimate.low == estimate.high:
        return 1.0
    own, other = ((each.high or 0.0) - (each.low or 0.0) for each in (estimate, wider))
    return other / own


def _scaled(value: float, transform: str) -> float:
    share, scale = (value / 100, "logit") if transform == "wilson" else (value, transform)
    with np.errstate(all="ignore"):
        found = float(SCALES[scale].forward(np.array([share]))[0])
    return math.copysign(math.inf, share - 1) if math.isnan(found) and not math.isnan(value) else found


def _quantile(n: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(max(n - 1, 1), (1 + level) / 2))


def _data(statistic: str, estimate: Estimate, rests_on: str, lookup: Lookup) -> tuple[Needed, int, Shrink]:
    """Return the responses behind a statistic, all responses, and how its standard error falls with more."""
    n = estimate.n
    if rests_on == "system":
        return SINGLE, n, lambda then, _: math.sqrt(n / then)
    of_all = lookup("system.r")
    everything = max(n, of_all.n if of_all else n)
    if statistic == "true_score.prmse" and (planned := _of_prmse(estimate, everything, lookup)):
        return DOUBLE, everything, planned
    share = _share_of_raters(statistic, estimate, lookup)
    if share is None:  # the effect of only more double scoring is unknown: the plan adds both
        return DOUBLE, n, lambda then, _: math.sqrt(n / then)

    def shrunk(then: int, all_: int) -> float:
        both = n / then * everything / all_
        return math.sqrt(max(share * n / then + (1 - share) * everything / all_, both))

    return DOUBLE, everything, shrunk


def _of_prmse(estimate: Estimate, everything: int, lookup: Lookup) -> Shrink | None:
    """Return how the standard error of PRMSE falls: double scores determine rater error, all responses the rest."""
    noise, true = (lookup(f"true_score.{name}_variance") for name in ("error", "true"))
    value, error, variance = (each.value if each else None for each in (estimate, noise, true))
    if value is None or not value <= 1 or error is None or variance is None or not (error > 0 and variance > 0):
        return None
    human_r = variance / (variance + error)
    now = prmse_standard_error(value, human_r, estimate.n, everything)
    return lambda then, all_: prmse_standard_error(value, human_r, then, all_) / now if now else 1.0


def _share_of_raters(statistic: str, estimate: Estimate, lookup: Lookup) -> float | None:
    """Return the share of a sampling variance that only double scores reduce; None if unknown.

    Rater agreement depends only on double scores. A degradation subtracts it from the engine's agreement, which depends
    on all responses and covaries with it in proportion to their number.
    """
    family, _, metric = statistic.partition(".")
    if family == "human" or statistic == "true_score.error_variance":
        return 1.0
    raters = lookup(f"human.{metric}")
    if raters is None or not raters.standard_error or not estimate.standard_error:
        return None
    # derivative of r / sqrt(r_hh) with respect to the correlation of raters
    of_ratio = (estimate.value or 0.0) / (2 * raters.value) if raters.value else 0.0
    slope = {"degradation": 1.0, "disattenuated": of_ratio}.get(family)
    return None if slope is None else (slope * raters.standard_error / estimate.standard_error) ** 2
