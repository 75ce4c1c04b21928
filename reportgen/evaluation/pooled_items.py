"""Are responses to items that differ judged together?  What lies between items counts as agreement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reportgen.errors import write_command
from reportgen.evaluation.suppression import hidden_by_size
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.settings import Settings
from reportgen.tally.cells import Floats

DOUBTED = 0.10
"""A larger share of the variance of human scores between items, beyond what chance puts there, is told on page one;
the number is ours."""


class Pooled(NamedTuple):
    """How scores of several items lie together.

    Parameters
    ----------
    items
        How many have responses.
    between
        Share of the sum of squares of human scores that lies between items: eta squared, 0 to 1.
    beyond_chance
        The same less what items that do not differ would have: epsilon squared (Kelley, 1935), at most `between`;
        NaN where no item has two responses.
    together, within
        Correlation of human and engine scores over all responses, and about the means of their items.
    """

    items: int
    between: float
    beyond_chance: float
    together: float
    within: float


def pooled(sums: Floats) -> Pooled:
    """Return how the scores of items lie together; NaN where scores do not differ.

    Parameters
    ----------
    sums
        As those of `reportgen.evaluation.item_sums.ItemSums`.

    Examples
    --------
    Two items, human scores 1, 2 and 3, 4: a sum of squares of 1 within them, of 5 in all.

    >>> n, x, xx = [2.0, 2.0], [3.0, 7.0], [5.0, 25.0]
    >>> found = pooled(np.array([n, x, x, xx, xx, xx]))
    >>> round(found.between, 12), round(found.beyond_chance, 12)
    (0.8, 0.7)
    """
    n, x, y, xx, yy, xy = sums[:, sums[0] > 0]
    with np.errstate(all="ignore"):
        about_own = [(product - a * b / n).sum() for product, a, b in ((xx, x, x), (yy, y, y), (xy, x, y))]
        about_all = [
            product.sum() - a.sum() * b.sum() / n.sum() for product, a, b in ((xx, x, x), (yy, y, y), (xy, x, y))
        ]
        r = [float(np.divide(xy_, np.sqrt(xx_ * yy_))) for xx_, yy_, xy_ in (about_all, about_own)]
        within = np.divide(about_own[0], about_all[0])
        freedom = np.divide(n.sum() - 1, n.sum() - len(n))
        return Pooled(len(n), float(1 - within), float(1 - within * freedom), r[0], r[1])


def doubts_of_items(tallied: TalliedScores, item: str | None, settings: Settings) -> tuple[str, ...]:
    """Return a sentence when items that differ much are judged together, and what to do; else none.

    They are looked at whether they are a grouping or not, where they are no more than a grouping may have levels.
    Where small groups are withheld only items that are, or would be, shown are counted: not the small ones, nor those
    that protect them.
    """
    if tallied.items is None or len(tallied.items.labels) > settings.statistics.max_levels:
        return ()
    sums, labels = tallied.items.sums, tallied.items.labels
    if settings.privacy.withhold_small_groups:
        hidden = tallied.withheld.levels.get(item or "", frozenset()) | _hidden(tallied)
        sums = sums[:, [label not in hidden for label in labels]]
    found = pooled(sums)
    if found.items < 2 or not (found.beyond_chance > DOUBTED and np.isfinite(found.within)):
        return ()
    return (
        f"{100 * found.between:.0f} % of the variance of human scores lies between the {found.items:,} items of "
        f"'{item}', whose scales or difficulty differ, and numbers of all responses together count it as agreement: "
        f"their correlation is {found.together:.2f}, within items {found.within:.2f}. To judge the engine on each "
        f"item: reportgen batch or reportgen tables, with {write_command('--by', str(item))}.",
    )


def _hidden(tallied: TalliedScores) -> frozenset[str]:
    """Return the items that would be withheld if they were the only grouping."""
    assert tallied.items is not None
    sizes = [round(n) for n in tallied.items.sums[0].tolist()]
    n = max(round(tallied.tally.n), sum(sizes))
    return hidden_by_size(dict(zip(tallied.items.labels, sizes, strict=True)), n, tallied.min_n)
