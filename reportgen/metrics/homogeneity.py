"""Do independent estimates differ by more than chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Homogeneity:
    """Cochran's Q with its degrees of freedom and p; nan, with a `reason`, for fewer than two estimates."""

    statistic: float
    freedom: int
    p: float
    reason: str = ""


def homogeneity(values: ArrayLike, errors: ArrayLike) -> Homogeneity:
    """Return whether independent estimates of one quantity differ by more than their standard errors explain.

    ``Q = sum of (value - weighted mean)^2 / error^2``, chi-square with one degree of freedom less than
    there are estimates when nothing differs.

    Parameters
    ----------
    values, errors
        (k,): estimates and their standard errors; those that are nan, or have no positive error, are left out.

    Returns
    -------
    Homogeneity
        Q is 0 or more; nan, with a reason, for fewer than two estimates.

    Raises
    ------
    ValueError
        When lengths differ.

    References
    ----------
    Cochran (1954).

    Examples
    --------
    >>> found = homogeneity([1.0, 3.0], [1.0, 1.0])
    >>> found.statistic, found.freedom, round(found.p, 4)
    (2.0, 1, 0.1573)
    """
    value, error = np.asarray(values, np.float64), np.asarray(errors, np.float64)
    if value.shape != error.shape or value.ndim != 1:
        raise ValueError(f"values {value.shape} and errors {error.shape} must be one-dimensional and equally long")
    kept = np.isfinite(value) & np.isfinite(error) & (error > 0)
    value, weight = value[kept], 1 / error[kept] ** 2
    if len(value) < 2:
        return Homogeneity(math.nan, 0, math.nan, "fewer than two estimates with a standard error")
    from scipy.special import chdtrc

    mean = float(weight @ value / weight.sum())
    statistic = float(weight @ (value - mean) ** 2)
    return Homogeneity(statistic, len(value) - 1, float(chdtrc(len(value) - 1, statistic)))
