"""Rank correlations of scores as given: too many distinct ones are grouped, which bounds what they cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimating import corrected, interval_estimate
from reportgen.evaluation.rank_counts import MOST_CELLS, MOST_REFERENCE, RankTable
from reportgen.evaluation.study import Study
from reportgen.metrics.chance_corrected import Linearised
from reportgen.metrics.rank_tables import kendall_tau_b_of_table, spearman_rho_of_table
from reportgen.results import Estimate
from reportgen.tally import OVERALL, Tally
from reportgen.tally.cells import Floats, Integers

RANK_CORRELATIONS = {"tau_b": kendall_tau_b_of_table, "spearman": spearman_rho_of_table}


@dataclass(frozen=True)
class Ranks:
    """Rank correlations of two scores as they were given.

    Parameters
    ----------
    estimates
        Key in the catalogue -> estimate.
    way
        How they were computed: on every distinct score, or in groups of which width.
    """

    estimates: dict[str, Estimate]
    way: str


def unrounded_ranks(study: Study) -> Ranks | None:
    """Return the rank correlations of engine and first human score; None when the engine gives points of the scale."""
    if not (study.primary.type.continuous or study.points.continuous):
        return None
    ends = study.preparation.bounds
    if study.scores is None:
        return None if study.pairs is None else _of_table(study.pairs.table(), study.level)
    system, ratings, candidates = study.scores
    return _ranks(ratings[:, 0], np.clip(system, *ends), ends, candidates, study.level)


def rater_ranks(study: Study, first: int, second: int) -> Ranks | None:
    """Return the rank correlations of two raters, on every score they gave; None when they scored nothing both."""
    if study.scores is None:
        return _of_cells(study.tally, first, second, study.level)
    _, ratings, candidates = study.scores
    both = np.isfinite(ratings[:, first]) & np.isfinite(ratings[:, second])
    if not both.any():
        return None
    one, other = ratings[both, first], ratings[both, second]
    ends = float(other.min()), float(other.max())
    return _ranks(one, other, ends, None if candidates is None else candidates[both], study.level)


def _ranks(
    reference: Floats, judged: Floats, ends: tuple[float, float], candidates: NDArray[np.integer] | None, level: float
) -> Ranks:
    """Return the rank correlations of two scores of the same responses."""
    x, x_width = _groups(reference, MOST_REFERENCE, (float(reference.min()), float(reference.max())))
    rows = int(x.max()) + 1
    y, y_width = _groups(judged, MOST_CELLS // rows, ends)
    columns = int(y.max()) + 1
    place = x * columns + y
    counts = np.bincount(place, minlength=rows * columns).astype(np.float64).reshape(rows, columns)
    if candidates is None:
        return _of_table(RankTable(counts, y_width), level, x_width)
    codes = np.unique(candidates, return_inverse=True)[1]
    n, units, estimates = len(x), int(codes.max()) + 1, {}
    for key, of_table in RANK_CORRELATIONS.items():
        found = of_table(counts)
        square = float((np.bincount(codes, (found.influence.ravel() / n)[place]) ** 2).sum())
        estimates[key] = _estimate(key, found, square, n, units, level, clustered=True)
    return Ranks(estimates, _way(x_width, y_width))


def _of_table(table: RankTable, level: float, reference_width: float = 0.0) -> Ranks:
    """Return the rank correlations in a table of responses that are units of their own."""
    n, estimates = int(table.counts.sum()), {}
    for key, of_table in RANK_CORRELATIONS.items():
        found = of_table(table.counts)
        square = float((table.counts.ravel() * (found.influence.ravel() / n) ** 2).sum())
        estimates[key] = _estimate(key, found, square, n, n, level, clustered=False)
    return Ranks(estimates, _way(reference_width, table.width))


def _of_cells(tally: Tally, first: int, second: int, level: float) -> Ranks | None:
    """Return the rank correlations of two raters from the cells of a tally, which keep every score they gave."""
    overall = tally.slices[OVERALL]
    one, other = (tally.cells.ratings[overall.cell, rater] for rater in (first, second))
    both = np.isfinite(one) & np.isfinite(other)
    if not both.any():
        return None
    x, y = (np.unique(scores[both], return_inverse=True)[1] for scores in (one, other))
    counts = np.zeros((int(x.max()) + 1, int(y.max()) + 1))
    np.add.at(counts, (x, y), overall.sums[0][both])
    return _of_table(RankTable(counts, 0.0), level)


def _estimate(
    key: str, found: Linearised, square: float, n: int, units: int, level: float, *, clustered: bool
) -> Estimate:
    """Return a rank correlation with its interval from the sum of squared influences."""
    return interval_estimate(
        key, found.value, corrected(square, units), n, units, level, clustered=clustered, reason=found.reason
    )


def _groups(scores: Floats, most: int, ends: tuple[float, float]) -> tuple[Integers, float]:
    """Return the group of every score, and the width of the groups: 0 when each distinct score is its own."""
    distinct, place = np.unique(scores, return_inverse=True)
    if len(distinct) <= most:
        return place, 0.0
    groups, (low, high) = 1 << (most.bit_length() - 1), ends
    return np.clip(((scores - low) / (high - low) * groups).astype(np.intp), 0, groups - 1), (high - low) / groups


def _way(reference_width: float, judged_width: float) -> str:
    """Say how rank correlations of scores as given were computed."""
    widths = [width for width in (reference_width, judged_width) if width]
    if not widths:
        return "Rank correlations of unrounded scores are computed on every distinct score."
    return (
        f"Rank correlations of unrounded scores take them in groups of {max(widths):.2g} score points; "
        "scores in a group are tied."
    )
