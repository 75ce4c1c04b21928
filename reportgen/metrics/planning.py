"""Assurance: how probable a clear answer is once there are more data, over what is plausible now.

What the data make plausible of the true value is normal around the estimate, with its standard error s, on the scale
where the interval is symmetric.  More data of the same kind bring the standard error down to ``rho s``.  The estimate
to come is then normal around the one of today with variance ``s^2 (1 - rho^2)``: what is plausible now, less what will
still be open then.  An answer is clear when its interval leaves the limit out.
"""

from __future__ import annotations

import math

MOST_TIMES, MOST = 20, 100_000
"""A design of more than this many times the responses there are, or of more than this many, is not offered."""

LEAST_TIMES = 2.5
"""Designs up to this many times the responses there are, however many they are, so that one is always offered."""


def chances(
    above_low: float, below_high: float, shrink: float, quantile: float, beyond: float | None = None
) -> tuple[float, float]:
    """Return the probabilities that a requirement will be met, and that it will not be met, with more data.

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

    Returns
    -------
    tuple of float
        Probability of *met* and of *not met*; what is left to 1 is the probability that the question stays open.  With
        `shrink` of 1 nothing is learnt, and one of the three is certain.

    Raises
    ------
    ValueError
        `shrink` lies outside of 0 to 1, or `quantile` is negative.

    Notes
    -----
    Met from the lower bound: ``Phi((above_low - quantile x shrink) / sqrt(1 - shrink^2))``; the other three in the same
    way, and of two bounds both must hold.

    References
    ----------
    O'Hagan, Stevens and Campbell (2005), assurance; the variance to come is that of Raiffa and Schlaifer (1961,
    preposterior analysis).

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
