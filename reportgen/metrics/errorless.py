"""What can be said of a score that has not erred yet: bounds that hold although no error was seen.

In n responses without an error the sample has no spread to make an interval from.  But a share of
errors above ``1 - (1 - level)^(1 / n)`` would have shown itself with probability `level` (Hanley and
Lippman-Hand 1983: about 3 / n at .95), and no error is larger than the scale allows.  With share p and
worst error d the mean squared error is at most p d^2, and what follows from that are inequalities.
"""

from __future__ import annotations

import numpy as np

from reportgen.metrics.pair import ratio
from reportgen.tally.sums import Floats


def largest_error_share(n: Floats | float, level: float) -> Floats:
    """Return the largest share of responses in error that n responses without one leave credible.

    Examples
    --------
    >>> [round(float(largest_error_share(n, 0.95)), 4) for n in (10, 100, 1000)]
    [0.2589, 0.0295, 0.003]
    """
    return np.asarray(-np.expm1(np.log1p(-level) / np.asarray(n, np.float64)))


def least_qwk(mse: Floats, variance: Floats) -> Floats:
    """Return the least quadratic weighted kappa that a mean squared error and a variance of x allow.

    ``QWK = 1 - mse / (var x + E(y - mean x)^2)``, and by Minkowski's inequality the root of the last
    term is at least SD x - root mse.

    Examples
    --------
    >>> float(least_qwk(np.array(0.25), np.array(1.0)))
    0.8
    """
    spread = np.maximum(np.sqrt(variance) - np.sqrt(mse), 0.0)
    return 1 - ratio(mse, variance + spread**2)


def least_correlation(mse: Floats, variance: Floats) -> Floats:
    """Return the least correlation that a mean squared error and a variance of x allow; 0 when it may be negative.

    ``1 - r^2`` is the share of var x that the best line on y leaves, so at most mse / var x.  The sign
    of r is sure when mse is below var x.

    Examples
    --------
    >>> round(float(least_correlation(np.array(0.36), np.array(1.0))), 10)
    0.8
    """
    return np.sqrt(np.maximum(1 - ratio(mse, variance), 0.0))


def least_prmse(mse: Floats, variance: Floats, error_variance: Floats) -> Floats:
    """Return the least PRMSE that a mean squared error, a variance of human scores and a rater error variance allow.

    The error against true scores is no more than that against ratings; nan where rater error may be
    all of the variance.

    Examples
    --------
    >>> float(least_prmse(np.array(0.2), np.array(1.2), np.array(0.2)))
    0.8
    """
    true = variance - error_variance
    return np.where(true > 0, 1 - ratio(mse, np.maximum(true, 1e-300)), np.nan)
