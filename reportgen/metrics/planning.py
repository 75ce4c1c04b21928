"""How much more data a question needs: further responses, by how an interval narrows as responses are added.

Standard errors shrink with the root of the number of responses, so an interval of half-width h on n responses has the
half-width d on n (h / d)^2.  This is a plan, not a promise: the estimate itself moves as responses come in.
"""

from __future__ import annotations

import math

MOST_TIMES = 100.0
"""A plan of more than this many times the responses there are is no plan; the answer is then None."""


def further_responses(n: int, half_width: float, distance: float) -> int | None:
    """Return how many more responses narrow an interval from `half_width` to `distance`.

    Parameters
    ----------
    n
        Responses that the interval rests on, at least 1.
    half_width
        From the estimate to the end of its interval, on the side of the bound; at least 0.
    distance
        From the estimate to the bound.

    Returns
    -------
    int or None
        0 where the interval is narrow enough; None where the estimate is so close to the bound that more than
        `MOST_TIMES` as many responses would be needed.

    Raises
    ------
    ValueError
        `n` is below 1, or `half_width` is negative or not a number.

    Notes
    -----
    n ((h / d)^2 - 1), rounded up: the standard error of a mean of n responses is proportional to 1 / sqrt(n).

    Examples
    --------
    Four times as many responses halve an interval:

    >>> further_responses(100, 0.10, 0.05)
    300
    >>> further_responses(100, 0.10, 0.0) is None
    True
    """
    if n < 1 or not half_width >= 0:
        raise ValueError(f"expected n of at least 1 and a half-width of at least 0, found {n} and {half_width}")
    if half_width <= abs(distance):
        return 0
    return _more(n, (half_width / distance) ** 2 if distance else math.inf)


def further_double_scored(
    n_double: int, prmse: float, noise_ratio: float, standard_error: float, wanted: float
) -> int | None:
    """Return how many more double-scored responses bring the standard error of PRMSE down to `wanted`.

    Only the part of the variance that stems from the estimated rater error shrinks when more of the responses are
    scored twice; sampling of the responses themselves stays.

    Parameters
    ----------
    n_double
        Double-scored responses there are, at least 1.
    prmse
        The estimate.
    noise_ratio
        Rater error variance over true-score variance, which is (1 - r) / r for raters who correlate r.
    standard_error, wanted
        Of the estimate now, and as it should be; above 0.

    Returns
    -------
    int or None
        0 where the standard error is small enough; None where no number, or more than `MOST_TIMES` as many, would do.

    Raises
    ------
    ValueError
        A number is outside its range.

    Notes
    -----
    Leading term of the variance: (PRMSE x noise ratio)^2 x 2 / n_double, from the variance of an estimated error
    variance of normal rater errors; the rest of `standard_error` squared is taken as fixed.

    Examples
    --------
    Raters who correlate .65, PRMSE .80: a standard error of .0255 (half-width .05) takes about 570 responses.

    >>> now = 0.80 * (0.35 / 0.65) * (2 / 100) ** 0.5
    >>> round(now, 3)
    0.061
    >>> 100 + further_double_scored(100, 0.80, 0.35 / 0.65, now, 0.05 / 1.96)
    571
    """
    if n_double < 1 or not (standard_error > 0 and wanted > 0):
        raise ValueError("expected at least one double-scored response and standard errors above 0")
    if standard_error <= wanted:
        return 0
    shrinking = min((prmse * noise_ratio) ** 2 * 2 / n_double, standard_error**2)
    room = wanted**2 - (standard_error**2 - shrinking)
    return _more(n_double, shrinking / room) if room > 0 else None


def _more(n: int, times: float) -> int | None:
    """Return what is missing to `times` as many; None for more than is reasonable."""
    return math.ceil(n * times - 1e-9) - n if times <= MOST_TIMES else None
