"""Whether two scores order responses alike, also from tables of counts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_pairs, as_weighted_pairs, pair_sums
from reportgen.metrics.chance_corrected import Linearised
from reportgen.tally.sums import Floats


def pearson_r(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return Pearson's correlation, ``cov(h, s) / (SD h x SD s)``.

    Parameters
    ----------
    human, system
        (n,): scores, NaN where missing; pairs with a missing side are dropped.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    float
        -1 to 1; nan when either score is constant or there are fewer than two pairs.

    Raises
    ------
    ValueError
        When lengths differ or a score is infinite.

    References
    ----------
    Pearson (1896).

    Examples
    --------
    The first of Anscombe's (1973) four data sets, published .816:

    >>> x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    >>> y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    >>> round(pearson_r(x, y), 3)
    0.816
    """
    return float(pair.pearson_r(pair_sums(human, system, sample_weight))[0])


def spearman_rho(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return Spearman's rank correlation: Pearson's of the ranks, ties given their mean rank.

    Parameters
    ----------
    human, system
        (n,): scores, NaN where missing; pairs with a missing side are dropped.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    float
        -1 to 1; nan when either score is constant or there are fewer than two pairs.

    Raises
    ------
    ValueError
        When lengths differ or a score is infinite.

    References
    ----------
    Spearman (1904); Kendall (1945) for ties.

    Examples
    --------
    Intelligence and hours of television (the encyclopedia example; -29/165 = -.1758):

    >>> iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
    >>> hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]
    >>> round(spearman_rho(iq, hours), 4)
    -0.1758
    """
    first, second, weight = as_weighted_pairs(human, system, sample_weight)
    return pearson_r(_mean_ranks(first, weight), _mean_ranks(second, weight), sample_weight=weight)


def _mean_ranks(scores: Floats, weight: Floats) -> Floats:
    """Return ranks from 1, ties given their mean rank."""
    level = np.unique(scores, return_inverse=True)[1]
    count = np.bincount(level, weight)
    ranks: Floats = np.cumsum(count) - (count - 1) / 2
    return ranks[level]


def kendall_tau_b(human: ArrayLike, system: ArrayLike) -> float:
    """Return Kendall's tau-b: concordant less discordant pairs of responses, corrected for ties.

    ``(C - D) / root of ((P - ties in h) (P - ties in s))`` with P = n (n - 1) / 2 pairs.  Counted
    exactly, by sorting.  Weights are not supported: pairs of fractions of a response are not defined.

    Parameters
    ----------
    human, system
        (n,): scores, NaN where missing; pairs with a missing side are dropped.

    Returns
    -------
    float
        -1 to 1; nan when either score is constant or there are fewer than two pairs.

    Raises
    ------
    ValueError
        When lengths differ or a score is infinite.

    References
    ----------
    Kendall (1945, 1970); Knight (1966) for counting by sorting.

    Examples
    --------
    Two rankings of ten with ties (Kendall 1970, chapter 3): C - D is 33, of root of (41 x 36):

    >>> round(kendall_tau_b([1, 2.5, 2.5, 4.5, 4.5, 6.5, 6.5, 8, 9.5, 9.5],
    ...                     [1, 2, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10]), 3)
    0.859
    """
    first, second = as_pairs(human, system)
    if not first.size:
        return math.nan
    x, y = _levels(first), _levels(second)
    pairs = _pairs(np.array([x.size]))
    ties_x, ties_y = _pairs(np.bincount(x)), _pairs(np.bincount(y))
    ties_both = _pairs(np.unique(x * (y.max() + 1) + y, return_counts=True)[1])
    discordant = _inversions(y[np.lexsort((y, x))])
    surplus = pairs - ties_x - ties_y + ties_both - 2 * discordant
    room = math.sqrt(pairs - ties_x) * math.sqrt(pairs - ties_y)
    return surplus / room if room else math.nan


def _levels(scores: Floats) -> NDArray[np.int64]:
    return np.asarray(np.unique(scores, return_inverse=True)[1], np.int64)


def _pairs(count: NDArray[np.int64]) -> int:
    return int((count * (count - 1) // 2).sum())


def _inversions(values: NDArray[np.int64]) -> int:
    """Return the number of pairs that stand in falling order.

    A radix sort, highest bit first: of two values that agree in all higher bits, the pair is inverted
    when the one with the bit set stands first.
    """
    inversions = 0
    for bit in reversed(range(int(values.max()).bit_length())):
        block = values >> (bit + 1)  # never falls: the higher bits are sorted by now
        high = (values >> bit) & 1
        ones_before = np.cumsum(high) - high
        in_block = ones_before - ones_before[np.searchsorted(block, block)]
        inversions += int(in_block[high == 0].sum())
        values = values[np.argsort(values >> bit, kind="stable")]
    return inversions


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
    return max(-1.0, min(1.0, value))


def _undefined(counts: Floats) -> Linearised:
    return Linearised(math.nan, math.nan, math.nan, np.zeros(counts.shape), CONSTANT)
