"""Cohen's kappa of contingency tables, for many slices at once, and its derivative."""

from __future__ import annotations

import numpy as np

from reportgen.metrics.pair import ratio, without_rounding
from reportgen.tally.sums import Floats


def cohen_kappa_of_tables(tables: Floats) -> Floats:
    """Return the unweighted kappa of every table of counts.

    Parameters
    ----------
    tables
        Counts, shape (..., K, K): rows the first rater's labels, columns the second's.

    Returns
    -------
    numpy.ndarray
        Shape (...), at most 1; nan where the table is empty, or one label is all that occurs (0/0).

    Examples
    --------
    80 of 100 answers agree (Yannakoudakis and Cummins 2015, table 1):

    >>> round(float(cohen_kappa_of_tables(np.array([[40, 10], [10, 40]]))), 3)
    0.6
    """
    tables = np.asarray(tables, float)
    agreement, possible, _ = _above_chance(tables)
    return ratio(agreement, possible)[()]


def cohen_kappa_gradient(tables: Floats) -> Floats:
    """Return the derivative of kappa with respect to the count in each cell.

    Parameters
    ----------
    tables
        Counts, shape (..., K, K).

    Returns
    -------
    numpy.ndarray
        Shape (..., K, K); nan throughout a table that is empty or holds one label only, where kappa
        has no derivative.

    Notes
    -----
    With n responses, t on the diagonal and S = sum of row total times column total,
    kappa = (n t - S) / (n^2 - S).  The derivative of S by cell (i, j) is column total i + row total j.

    Examples
    --------
    Kappa does not change when all counts grow by the same share:

    >>> table = np.array([[40.0, 10.0], [10.0, 40.0]])
    >>> bool(abs((cohen_kappa_gradient(table) * table).sum()) < 1e-12)
    True
    """
    tables = np.asarray(tables, float)
    _, possible, n = _above_chance(tables)
    diagonal = np.trace(tables, axis1=-2, axis2=-1)[..., None, None]
    chance = tables.sum(axis=-2)[..., :, None] + tables.sum(axis=-1)[..., None, :]
    n = n[..., None, None]
    agreement_slope = diagonal + n * np.eye(tables.shape[-1]) - chance
    possible_slope = 2 * n - chance
    kappa = cohen_kappa_of_tables(tables)[..., None, None]
    return ratio(agreement_slope - kappa * possible_slope, possible[..., None, None])


def _above_chance(tables: Floats) -> tuple[Floats, Floats, Floats]:
    """Return n t - S, n^2 - S and n: agreement above chance, the most it could be, and responses."""
    n = tables.sum(axis=(-2, -1))
    chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1)
    possible = without_rounding(n**2 - chance, n**2, 0)
    return n * np.trace(tables, axis1=-2, axis2=-1) - chance, possible, n
