"""Rank correlations of a table of counts, and how much each response moves them.

Whoever shares a row (or a column) is tied.  On a table a rank correlation costs the same for a
hundred responses and for a million, and its derivative has a closed form.
"""

from __future__ import annotations

import math

import numpy as np

from reportgen.metrics.chance_corrected import Linearised
from reportgen.tally.sums import Floats

CONSTANT = "one of the two scores is constant"
"""Why a rank correlation has no value."""


def kendall_tau_b_of_table(counts: Floats) -> Linearised:
    """Return Kendall's tau-b of a table, and the influence of a response in each of its cells.

    Parameters
    ----------
    counts
        (rows, columns): numbers of responses, both axes in rising order.

    Returns
    -------
    Linearised
        Value from -1 to 1; influences of shape (rows, columns).  Without a value where a score is constant.

    Notes
    -----
    With S the sum over ordered pairs of responses of the sign of their agreement in order, X and Y the
    ordered pairs not tied in rows and in columns, tau-b = S / root(X Y).  A further response in cell
    (i, j) adds twice its own surplus of concordant pairs to S, 2 (n - row total) to X, likewise to Y.

    References
    ----------
    Kendall (1945); Brown and Benedetti (1977) for the derivative.

    Examples
    --------
    Two raters who agree on 3 of 4 responses in two classes; tau-b of a 2 x 2 table is its correlation:

    >>> round(kendall_tau_b_of_table(np.array([[2.0, 1.0], [0.0, 1.0]])).value, 4)
    0.5774
    """
    n, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    untied_rows, untied_columns = n**2 - rows @ rows, n**2 - columns @ columns
    if untied_rows <= 0 or untied_columns <= 0:
        return _undefined(counts)
    surplus = _below_less_above(_below_less_above(counts, 0), 1)
    room = math.sqrt(untied_rows) * math.sqrt(untied_columns)
    tau = float((counts * surplus).sum() / room)
    by_row, by_column = (n - rows) / untied_rows, (n - columns) / untied_columns
    slope = 2 * surplus / room - tau * (by_row[:, None] + by_column)
    return Linearised(_bounded(tau), math.nan, math.nan, n * slope)


def spearman_rho_of_table(counts: Floats) -> Linearised:
    """Return Spearman's rank correlation of a table, and the influence of a response in each of its cells.

    Parameters
    ----------
    counts
        (rows, columns): numbers of responses, both axes in rising order.

    Returns
    -------
    Linearised
        Value from -1 to 1; influences of shape (rows, columns).  Without a value where a score is constant.

    Notes
    -----
    A further response adds its own product of ranks and shifts the ranks of all others; both are in
    the influence.

    References
    ----------
    Spearman (1904); Kendall (1945) for ties.

    Examples
    --------
    >>> round(spearman_rho_of_table(np.array([[2.0, 1.0], [0.0, 1.0]])).value, 4)
    0.5774
    """
    n, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    a, b = _below_less_above(rows, 0), _below_less_above(columns, 0)  # twice the rank from the mean rank
    spread_a, spread_b = float(rows @ a**2), float(columns @ b**2)
    if spread_a <= 0 or spread_b <= 0:
        return _undefined(counts)
    room = math.sqrt(spread_a) * math.sqrt(spread_b)
    rho = float(a @ counts @ b / room)
    product = a[:, None] * b - _below_less_above(counts @ b, 0)[:, None] - _below_less_above(a @ counts, 0)
    slope_a = (a**2 - 2 * _below_less_above(rows * a, 0)) / (2 * spread_a)
    slope_b = (b**2 - 2 * _below_less_above(columns * b, 0)) / (2 * spread_b)
    slope = product / room - rho * (slope_a[:, None] + slope_b)
    return Linearised(_bounded(rho), math.nan, math.nan, n * slope)


def _below_less_above(values: Floats, axis: int) -> Floats:
    """Return for each place the sum of the values before it less the sum of those after it."""
    through = np.cumsum(values, axis=axis)
    total = np.take(through, [-1], axis=axis)
    return np.asarray(2 * through - values - total)


def _bounded(value: float) -> float:
    """Return a correlation without the rounding that takes it beyond 1."""
    return max(-1.0, min(1.0, value))


def _undefined(counts: Floats) -> Linearised:
    """Return a correlation of a constant."""
    return Linearised(math.nan, math.nan, math.nan, np.zeros(counts.shape), CONSTANT)
