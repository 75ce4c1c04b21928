"""Standard errors of one contrast per level, for thousands of levels: each level's own part and what they share.

`joint` follows any statistic through the sums of all levels, which takes the square of their number.
A contrast such as "this level's mean less the reference's, adjusted by a slope pooled over all levels"
moves with a response in two ways: through its own level, and through a few quantities that all levels
share, in which only the weights differ.  Then sums over levels suffice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.tally.cells import Floats, Integers, Tally, totals
from reportgen.tally.clusters import ClusteredRows

Influence = Floats
"""(3, entries): how much a response of an entry moves something, as ``c[0] + c[1] u + c[2] u^2``."""


@dataclass(frozen=True)
class Contrast:
    """How responses move one number per level.

    Parameters
    ----------
    own
        (3, entries): influence of a response on the number of its own level.
    weights
        (levels, shared): influence of every response on the number of each level, as weights of the
        shared influences.
    """

    own: Influence
    weights: Floats


def standard_errors_of_contrasts(
    tally: Tally, grouping: str, contrasts: dict[str, Contrast], shared: Floats, rows: ClusteredRows | None = None
) -> dict[str, Floats]:
    """Return the standard error of every contrast in every level: the root of the sum of squared influences.

    No factor ``n / (n - 1)`` is applied: which n, depends on what a contrast rests on.

    Parameters
    ----------
    shared
        (shared, 3, entries): influences that levels have in common.
    rows
        The responses with their candidates, when those are the units.
    """
    slices = tally.slices[grouping]
    levels = len(slices.labels)
    found = {}
    if rows is None:
        common = _products(shared[:, None], shared[None], slices.sums).sum(axis=-1)
        for name, contrast in contrasts.items():
            square = totals(slices.level, _products(contrast.own, contrast.own, slices.sums), levels)
            cross = np.stack(
                [totals(slices.level, _products(contrast.own, each, slices.sums), levels) for each in shared], axis=-1
            )
            found[name] = _combined(square, cross, common, contrast.weights)
        return found
    rows = rows.inside(grouping)
    entry, u, pairs = rows.entries(grouping), rows.u, rows.pairs(grouping)
    clusters = int(rows.clusters.max()) + 1
    codes = rows.clusters.astype(np.intp)
    whole = np.stack([totals(codes, _of_rows(each, entry, u), clusters) for each in shared])
    for name, contrast in contrasts.items():
        own = totals(pairs.of_row, _of_rows(contrast.own, entry, u), len(pairs.level))
        square = totals(pairs.level, own**2, levels)
        cross = np.stack([totals(pairs.level, own * each[pairs.cluster], levels) for each in whole], axis=-1)
        found[name] = _combined(square, cross, whole @ whole.T, contrast.weights)
    return found


def _combined(square: Floats, cross: Floats, common: Floats, weights: Floats) -> Floats:
    """Return the root of the sum of (own + weights . shared)^2."""
    variance = square + 2 * (weights * cross).sum(axis=1) + ((weights @ common) * weights).sum(axis=1)
    error: Floats = np.sqrt(np.maximum(variance, 0.0))
    return error


def _products(left: Floats, right: Floats, powers: Floats) -> Floats:
    """Return (..., entries): the sum over an entry's responses of the product of two influences (..., 3, entries)."""
    n, u1, u2, u3, u4 = powers
    a, b, c = (left[..., degree, :] for degree in range(3))
    d, e, f = (right[..., degree, :] for degree in range(3))
    products: Floats = (
        a * d * n + (a * e + b * d) * u1 + (a * f + b * e + c * d) * u2 + (b * f + c * e) * u3 + c * f * u4
    )
    return products


def _of_rows(influence: Influence, entry: Integers, u: Floats) -> Floats:
    """Return every response's influence."""
    a, b, c = influence[:, entry]
    moved: Floats = a + u * (b + u * c)
    return moved
