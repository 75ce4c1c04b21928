"""Are responses to items that differ judged together?  What lies between items counts as agreement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reportgen.evaluation.study import Study
from reportgen.tally.sums import PairSums

DOUBTED = 0.10
"""A larger share of the variance of human scores between items is told on page one; the number is ours."""


class Pooled(NamedTuple):
    """How scores of several items lie together.

    Parameters
    ----------
    items
        How many have responses.
    between
        Share of the sum of squares of human scores that lies between items: eta squared, 0 to 1.
    together, within
        Correlation of human and engine scores over all responses, and about the means of their items.
    """

    items: int
    between: float
    together: float
    within: float


def pooled(sums: PairSums) -> Pooled:
    """Return how the scores of the levels of a grouping lie together; NaN where scores do not differ.

    Examples
    --------
    Two items, human scores 1, 2 and 3, 4: a sum of squares of 1 within them, of 5 in all.

    >>> n, x, xx = (np.array(each, float) for each in ([2, 2], [3, 7], [5, 25]))
    >>> round(pooled(PairSums(0.0, n, x, x, xx, xx, xx, n, n, n)).between, 12)
    0.8
    """
    some = sums.n > 0
    n, x, y, xx, yy, xy = (each[some] for each in (sums.n, sums.x, sums.y, sums.xx, sums.yy, sums.xy))
    about_own = [(product - a * b / n).sum() for product, a, b in ((xx, x, x), (yy, y, y), (xy, x, y))]
    about_all = [product.sum() - a.sum() * b.sum() / n.sum() for product, a, b in ((xx, x, x), (yy, y, y), (xy, x, y))]
    with np.errstate(all="ignore"):
        r = [float(np.divide(xy_, np.sqrt(xx_ * yy_))) for xx_, yy_, xy_ in (about_all, about_own)]
        return Pooled(len(n), float(1 - np.divide(about_own[0], about_all[0])), r[0], r[1])


def doubts_of_items(study: Study, item: str | None) -> tuple[str, ...]:
    """Return a sentence when items that differ much are judged together, and what to do; else none."""
    if item is None or item not in study.groups:
        return ()
    found = pooled(study.estimates(study.primary, item).sums.system)
    if found.items < 2 or not (found.between > DOUBTED and np.isfinite(found.within)):
        return ()
    return (
        f"{100 * found.between:.0f} % of the variance of human scores lies between the {found.items:,} items of "
        f"'{item}', whose scales or difficulty differ, and numbers of all responses together count it as agreement: "
        f"their correlation is {found.together:.2f}, within items {found.within:.2f}. To judge the engine on each "
        f"item: reportgen batch or reportgen tables, with --by {item}.",
    )
