"""Standard errors of one contrast per level, for thousands of levels: each level's own part and what they share.

`joint` follows any statistic through the sums of all levels, which takes the square of their number.
A contrast such as "this level's mean less the reference's, adjusted by a slope pooled over all levels"
moves with a response in two ways: through its own level, and through a few quantities that all levels
share, in which only the weights differ.  Then sums over levels suffice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reportgen.tally.cells import Tally, totals
from reportgen.tally.clusters import ClusteredRows, Summing
from reportgen.tally.sums import Floats

Influence = Floats
"""(3, entries): how much a response of an entry moves something, as ``c[0] + c[1] u + c[2] u^2``."""


@dataclass(frozen=True)
class Contrast:
    """How responses move one number per level.

    own (3, entries): influence of a response on the number of its own level.
    weights (levels, shared): influence of every response on the number of each level, as weights of the shared
        influences.
    """

    own: Influence
    weights: Floats


def standard_errors_of_contrasts(
    tally: Tally, grouping: str, contrasts: dict[str, Contrast], shared: Floats, rows: ClusteredRows | None = None
) -> dict[str, Floats]:
    """Return the standard error of every contrast in every level: the root of the sum of squared influences.

    No factor ``n / (n - 1)`` is applied: which n, depends on what a contrast rests on.

    shared (shared, 3, entries): influences that levels have in common.
    rows: The responses with their candidates, when those are the units.
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
    by_level = _clustered(rows, grouping, np.stack([each.own for each in contrasts.values()]), shared)
    for number, (name, contrast) in enumerate(contrasts.items()):
        found[name] = _combined(by_level.square[number], by_level.cross[number], by_level.common, contrast.weights)
    return found


class _Clustered(NamedTuple):
    """Sums over clusters of products of influences: own, own with shared, shared."""

    square: Floats
    cross: Floats
    common: Floats


def _clustered(rows: ClusteredRows, grouping: str, own: Floats, shared: Floats) -> _Clustered:
    """Return (contrasts, levels), (contrasts, levels, shared) and (shared, shared) sums, clusters being the units."""
    levels = len(rows.tally.slices[grouping].labels)
    adds_own, adds_shared = (Summing(each.transpose(1, 2, 0)) for each in (own, shared))
    square = np.zeros((len(own), levels))
    cross, common = np.zeros((len(own), levels, len(shared))), np.zeros((len(shared), len(shared)))
    for block in rows.inside(grouping):
        entry, parts = rows.entries(grouping, block), block.parts(block.level, levels)
        whole = adds_shared(block.starts, entry, block.u, block.weight)
        common += whole.T @ whole
        for number, each in enumerate(adds_own(parts.starts, *block.taken(parts.order, entry)).T):
            square[number] += totals(parts.place, each**2, levels)
            products = each * whole[parts.cluster].T
            cross[number] += np.stack([totals(parts.place, product, levels) for product in products], axis=-1)
    return _Clustered(square, cross, common)


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
