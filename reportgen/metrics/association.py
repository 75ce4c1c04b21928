"""Whether two scores order responses alike."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_pairs, as_weighted_pairs, pair_sums
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
    """Return the position of each score among the distinct scores."""
    return np.asarray(np.unique(scores, return_inverse=True)[1], np.int64)


def _pairs(count: NDArray[np.int64]) -> int:
    """Return the number of pairs within groups of these sizes."""
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
