"""What would settle a criterion that is not yet known: how many further responses, and of which kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from reportgen.metrics.planning import further_double_scored, further_responses
from reportgen.results import Estimate, Needed

DOUBLE: Needed = "double-scored responses"
SINGLE: Needed = "responses"

FEWEST = 30
"""With fewer responses nothing is said of how many more would do: their own spread is hardly known."""

Beside = Callable[[str], Estimate | None]
"""Looks up another statistic of the same responses by its key."""


@dataclass(frozen=True)
class Settling:
    """How many further responses would narrow an interval to one side of its bound.

    Parameters
    ----------
    more
        How many; None where no reasonable number would.
    of
        Which kind.
    both
        Whether more double scoring alone would not do, so that the responses scored once must grow as well.
    """

    more: int | None
    of: Needed
    both: bool = False


def settling(
    statistic: str, estimate: Estimate, low: float | None, high: float | None, rests_on: str, beside: Beside
) -> Settling | None:
    """Return what would settle a criterion whose interval straddles a bound.

    It is None where there is no interval, or so few responses that no plan can be made.

    Parameters
    ----------
    statistic, estimate
        Key of the statistic and its estimate.
    low, high
        The bounds.
    rests_on
        Which responses the statistic rests on, as in `reportgen.results.Series`.
    beside
        Gives other statistics of the same responses.
    """
    need = _need(estimate, low, high)
    if need is None or estimate.n < FEWEST:
        return None
    half, distance = need
    if rests_on == "system":
        return Settling(further_responses(estimate.n, half, distance), SINGLE)
    if statistic == "true_score.prmse":
        return _settling_prmse(estimate, half, distance, beside)
    return Settling(further_responses(estimate.n, half, distance), DOUBLE)


def lacking(estimate: Estimate, rests_on: str, min_n: int) -> Needed:
    """Return which ratings are missing where an estimate cannot be judged; "" where ratings are not what is missing."""
    if not rests_on or estimate.n >= max(min_n, 2):
        return ""
    return SINGLE if rests_on == "system" else DOUBLE


def _need(estimate: Estimate, low: float | None, high: float | None) -> tuple[float, float] | None:
    """Return the half-width on the side of the bound that is hardest to part from, and the distance to it."""
    value = estimate.value
    if value is None or estimate.low is None or estimate.high is None:
        return None
    below, above = value - estimate.low, estimate.high - value
    if low is not None and value < low:
        return above, low - value
    if high is not None and value > high:
        return below, value - high
    sides = [(below, value - low)] if low is not None else []
    sides += [(above, high - value)] if high is not None else []
    return max(sides, key=lambda side: side[0] / side[1] if side[1] else math.inf, default=None)


def _settling_prmse(estimate: Estimate, half: float, distance: float, beside: Beside) -> Settling:
    """Return how many double-scored responses settle a PRMSE, or how many responses where those do not suffice."""
    error, noise, true = (
        estimate.standard_error, beside("true_score.error_variance"), beside("true_score.true_variance")
    )  # fmt: skip
    ratio = noise.value / true.value if noise and true and noise.value and true.value and true.value > 0 else None
    if ratio is not None and error and distance > 0 and estimate.value is not None:
        more = further_double_scored(estimate.n, estimate.value, ratio, error, error * distance / half)
        if more is not None:
            return Settling(more, DOUBLE)
    everything = beside("system.r")
    if everything is None:
        return Settling(further_responses(estimate.n, half, distance), DOUBLE)
    return Settling(further_responses(everything.n, half, distance), SINGLE, both=True)
