"""Agreement coefficients of whole stacks of contingency tables at once.

The formulas are those of `reportgen.metrics.coefficients` for two raters without gaps (Gwet 2014); a
test holds the two equal.  Weights refer to the whole scale, never to the scores that occur.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics.pair import ratio
from reportgen.metrics.rank_tables import kendall_tau_b_of_table, spearman_rho_of_table
from reportgen.metrics.weights import Weights, weight_matrix

Floats = NDArray[np.float64]

WEIGHTS: tuple[Literal["linear", "quadratic"], ...] = ("linear", "quadratic")
COEFFICIENTS: Mapping[str, str] = {
    "kappa": "Cohen's kappa", "scott": "Scott's pi", "bp": "Brennan-Prediger", "ac": "Gwet's AC",
    "alpha": "Krippendorff's alpha",
}  # fmt: skip
"""What is compared, beside percent agreement and mean absolute error."""


def table_of(gold: NDArray[np.integer], system: NDArray[np.integer], points: int) -> Floats:
    """Return (points, points): how often each pair of scores occurs, system in rows; scores count from 0."""
    cells = system * points + gold
    return np.bincount(cells, minlength=points * points).reshape(points, points).astype(np.float64)


def chance_agreement(tables: Floats, weights: Weights) -> dict[str, Floats]:
    """Return what kappa, Scott's pi, Brennan-Prediger and AC take agreement by chance to be, 0 to 1."""
    points = tables.shape[-1]
    credit = weight_matrix(weights, np.arange(points))
    share = tables / tables.sum(axis=(-2, -1))[..., None, None]
    rows, columns = share.sum(axis=-1), share.sum(axis=-2)
    pooled = (rows + columns) / 2
    return {
        "kappa": np.einsum("...k,kl,...l->...", rows, credit, columns),
        "scott": np.einsum("...k,kl,...l->...", pooled, credit, pooled),
        "bp": np.broadcast_to(credit.sum() / points**2, share.shape[:-2]),
        "ac": credit.sum() / (points * (points - 1)) * (pooled * (1 - pooled)).sum(axis=-1),
    }


def coefficients(tables: Floats, weights: Weights) -> dict[str, Floats]:
    """Return every coefficient of (..., points, points) tables; nan where one is 0/0.

    Parameters
    ----------
    weights
        "identity", "linear" or "quadratic".
    """
    credit = weight_matrix(weights, np.arange(tables.shape[-1]))
    n = tables.sum(axis=(-2, -1))
    observed = (tables / n[..., None, None] * credit).sum(axis=(-2, -1))
    chance = chance_agreement(tables, weights)
    found = {name: ratio(observed - expected, 1 - expected) for name, expected in chance.items()}
    paired = observed + (1 - observed) / (2 * n)
    return found | {"alpha": ratio(paired - chance["scott"], 1 - chance["scott"])}


def correlations(tables: Floats) -> dict[str, Floats]:
    """Return Pearson's, Spearman's and Kendall's (tau-b) correlation of (..., points, points) tables."""
    points = tables.shape[-1]
    each = tables.reshape(-1, points, points)
    found = {
        "r": [_pearson(table) for table in each],
        "rho": [spearman_rho_of_table(table).value for table in each],
        "tau_b": [kendall_tau_b_of_table(table).value for table in each],
    }
    return {name: np.array(values).reshape(tables.shape[:-2]) for name, values in found.items()}


def _pearson(table: Floats) -> float:
    share, place = table / table.sum(), np.arange(len(table))
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    row, column = place - rows @ place, place - columns @ place
    return float(row @ share @ column / np.sqrt((rows @ row**2) * (columns @ column**2)))


def percent_agreement(tables: Floats) -> Floats:
    """Return the share of responses with equal scores, 0 to 1."""
    share: Floats = np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1))
    return share


def mean_absolute_error(tables: Floats) -> Floats:
    """Return the mean distance of the two scores, in score points."""
    place = np.arange(tables.shape[-1])
    mean: Floats = (tables * np.abs(place[:, None] - place)).sum(axis=(-2, -1)) / tables.sum(axis=(-2, -1))
    return mean


def panel(tables: Floats) -> dict[str, Floats]:
    """Return every coefficient with linear and quadratic weights, percent agreement and mean absolute error."""
    by_weights = {weights: coefficients(tables, weights) for weights in WEIGHTS}
    found = {f"{name}_{weights}": values for weights, each in by_weights.items() for name, values in each.items()}
    return found | {"pa": percent_agreement(tables), "mae": mean_absolute_error(tables)}


def rebinned(tables: Floats, points: int) -> Floats:
    """Return the tables on a scale of fewer points: neighbouring scores share a bin, bins as equal as can be."""
    size = tables.shape[-1]
    bins = np.arange(size) * points // size
    membership = (bins[:, None] == np.arange(points)).astype(np.float64)
    fewer: Floats = np.einsum("ka,...kl,lb->...ab", membership, tables, membership)
    return fewer


def at_threshold(tables: Floats, threshold: int) -> Floats:
    """Return (..., 2, 2): fail and pass, where scores of at least `threshold` (counted from 0) pass."""
    size = tables.shape[-1]
    membership = np.column_stack([np.arange(size) < threshold, np.arange(size) >= threshold]).astype(np.float64)
    fewer: Floats = np.einsum("ka,...kl,lb->...ab", membership, tables, membership)
    return fewer
