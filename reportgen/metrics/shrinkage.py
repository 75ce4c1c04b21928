"""Differences of many groups drawn toward what they have in common, by empirical Bayes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_floats
from reportgen.tally.sums import Floats

ROUNDS, CLOSE = 200, 1e-12


class Shrunken(NamedTuple):
    """Estimates drawn toward their fitted values.

    Parameters
    ----------
    value, error
        Estimates and their standard errors, that of the spread between groups included.
    share
        How much of the distance to the fitted value is taken away, 0 to 1.
    spread
        The SD of true differences about their fitted values.
    """

    value: Floats
    error: Floats
    share: Floats
    spread: float


def shrunken_differences(value: ArrayLike, standard_error: ArrayLike, *, design: ArrayLike | None = None) -> Shrunken:
    """Return differences of groups drawn toward 0, or toward what a linear model fits.

    A group's difference is its true one plus sampling error, true ones spread normally about their fitted values. The
    estimate moves toward the fitted value by ``B = (K - r - 2) / (K - r) x se^2 / (se^2 + tau^2)``, most where the
    group is small; the largest of many differences loses what being picked has given it.

    Parameters
    ----------
    value, standard_error
        (K,): differences and their standard errors, all above 0.
    design
        (K, columns): what the fitted values are linear in, such as indicators of the parts of an intersection, for
        the sum of main effects; its rank is r. Left out, the fitted values are 0 and r = 0.

    Returns
    -------
    Shrunken
        nan throughout where K - r is below 3: so few groups do not tell how they spread.

    Raises
    ------
    ValueError
        Lengths differ, or a standard error is not above 0.

    References
    ----------
    Morris (1983).

    Examples
    --------
    >>> found = shrunken_differences([0.20, -0.02, 0.03, -0.05, 0.01, -0.04], [0.08] * 6)
    >>> found.value.round(3).tolist()[:2], round(found.spread, 3)
    ([0.087, -0.009], 0.034)
    """
    y, v = as_floats(value), as_floats(standard_error) ** 2
    x = np.zeros((len(y), 0)) if design is None else np.asarray(design, np.float64)
    if not len(y) == len(v) == len(x):
        raise ValueError(f"lengths differ: {len(y)} values, {len(v)} standard errors, {len(x)} rows of the design")
    if not (v > 0).all():
        raise ValueError("every standard error must be above 0")
    rank = int(np.linalg.matrix_rank(x)) if x.size else 0
    left = len(y) - rank
    if left < 3:
        nothing = np.full(len(y), np.nan)
        return Shrunken(nothing, nothing, nothing, float("nan"))
    fitted, between = _between(y, v, x, left)
    share = (left - 2) / left * v / (v + between)
    weight = 1 / (v + between)
    typical = (weight @ v) / weight.sum()
    unsure = 2 / (left - 2) * share**2 * (typical + between) / (v + between)
    error = np.sqrt(v * (1 - left / len(y) * share) + unsure * (y - fitted) ** 2)
    return Shrunken(y - share * (y - fitted), error, share, float(np.sqrt(between)))


def _between(y: Floats, v: Floats, x: Floats, left: int) -> tuple[Floats, float]:
    """Return the fitted values and the variance of true differences about them, found in turn."""
    between = max(float(np.var(y) - v.mean()), 0.0)
    for _ in range(ROUNDS):
        weight = 1 / (v + between)
        root = np.sqrt(weight)
        fitted = x @ np.linalg.lstsq(x * root[:, None], y * root, rcond=None)[0] if x.size else np.zeros_like(y)
        found = max(float(weight @ (len(y) / left * (y - fitted) ** 2 - v) / weight.sum()), 0.0)
        if abs(found - between) <= CLOSE * max(between, CLOSE):
            break
        between = found
    return fitted, between
