"""The order in which metrics put the systems, beside their true order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.metrics import kendall_tau_b
from reportgen.studies.prmse_stability.measures import Measures


def merits(run: Measures, metric: str, *, same: bool = False) -> list[float]:
    """Return a metric of every system such that more is better: the paper's degradation falls with quality.

    Parameters
    ----------
    same
        Whether all systems are held against the same pair of raters.
    """
    sign = -1.0 if metric == "degradation" else 1.0
    return [sign * (each.same_pair if same else each.own_pair)[metric] for each in run.ranking]


def in_order(run: Measures, metric: str, *, same: bool = False) -> bool:
    """Return whether a metric sorts the systems into their categories without one out of place."""
    return misplaced(run, metric, same=same) == 0


def misplaced(run: Measures, metric: str, *, same: bool = False, but: Sequence[str] = ()) -> int:
    """Return how many systems lie outside the ranks of their category.

    Parameters
    ----------
    but
        Categories that are left out.
    """
    listed = [each.category for each in run.ranking]
    found = [listed[place] for place in np.argsort(merits(run, metric, same=same), kind="stable")]
    return sum(own != at for own, at in zip(found, listed, strict=True) if own not in but)


def concordance(run: Measures, metric: str, *, same: bool = False) -> float:
    """Return Kendall's tau-b of a metric with the true order of systems."""
    known = np.array([each.known for each in run.ranking])
    return float(kendall_tau_b(known, np.array(merits(run, metric, same=same))))


def ranks(values: Sequence[float]) -> list[int]:
    """Return the rank of every value, 1 the lowest.

    Examples
    --------
    >>> ranks([0.7, 0.2, 0.9])
    [2, 1, 3]
    """
    order = np.argsort(values, kind="stable")
    found = np.empty(len(order), int)
    found[order] = np.arange(1, len(order) + 1)
    return [int(rank) for rank in found]


def ranks_of(run: Measures, metric: str, category: str, *, same: bool = False) -> list[int]:
    """Return the ranks that the systems of a category have by a metric."""
    found = ranks(merits(run, metric, same=same))
    return [rank for rank, each in zip(found, run.ranking, strict=True) if each.category == category]


def out_of_order(run: Measures, metric: str, categories: Sequence[str]) -> float:
    """Return the percentage of pairs of systems of different categories whose order is wrong.

    Parameters
    ----------
    categories
        Those looked at, the worst first.
    """
    pairs = wrong = 0
    for place, lower in enumerate(categories):
        for higher in categories[place + 1 :]:
            for low in ranks_of(run, metric, lower):
                for high in ranks_of(run, metric, higher):
                    pairs, wrong = pairs + 1, wrong + (low > high)
    return 100 * wrong / pairs
